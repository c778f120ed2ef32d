"""The facts that identify a bundle and the conditions of its run."""

from __future__ import annotations

from typing import Any

import msgspec

from ..bundles.decode import Loaded
from ..common import units

FACTS = {
    "file": "File",
    "sha256": "SHA-256 of the content",
    "created": "Measured",
    "runner": "Runner",
    "job_url": "Job",
    "board": "Board",
    "description": "Description",
    "cpu_mhz": "CPU clock",
    "memory": "Memory",
    "governor": "Governor",
    "kernel": "Kernel",
    "image": "Image",
    "setup": "Setup",
    "notes": "Notes",
    "results": "Results",
    "supersedes": "Replaces",
    "reason": "Reason",
}
"""The labels of facts about a bundle, in display order."""


def facts(item: Loaded) -> dict[str, Any]:
    """Return a bundle's identity and the conditions of its run; unstated facts are empty
    strings."""
    bundle = item.bundle
    mhz = bundle.board.cpu_mhz
    return {
        "bundle": bundle.id,
        "file": item.origin,
        "sha256": item.digest,
        "created": bundle.created.isoformat(),
        "runner": bundle.runner.name if bundle.runner else "",
        "job_url": bundle.runner.job_url if bundle.runner else "",
        "board": bundle.board.name,
        "description": bundle.board.description,
        "cpu_mhz": "" if mhz is msgspec.UNSET else units.plain(mhz),
        "memory": bundle.board.memory,
        "governor": bundle.board.governor,
        "kernel": bundle.sdk.kernel,
        "image": bundle.sdk.image,
        "setup": "; ".join(f"{name}: {units.plain(v)}" for name, v in bundle.setup.items()),
        "notes": "; ".join(note.text for note in bundle.notes),
        "supersedes": list(bundle.supersedes),
        "reason": bundle.reason,
    }
