"""What identifies a bundle and the conditions of its run."""

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
"""What a page says of each bundle, in this order, and what it calls it."""


def facts(item: Loaded) -> dict[str, Any]:
    """All that identifies a bundle and the conditions of its run; an empty text
    where the bundle says nothing."""
    found = item.bundle
    mhz = found.board.cpu_mhz
    return {
        "bundle": found.id,
        "file": item.origin,
        "sha256": item.digest,
        "created": found.created.isoformat(),
        "runner": found.runner.name if found.runner else "",
        "job_url": found.runner.job_url if found.runner else "",
        "board": found.board.name,
        "description": found.board.description,
        "cpu_mhz": "" if mhz is msgspec.UNSET else units.plain(mhz),
        "memory": found.board.memory,
        "governor": found.board.governor,
        "kernel": found.sdk.kernel,
        "image": found.sdk.image,
        "setup": "; ".join(f"{name}: {units.plain(v)}" for name, v in found.setup.items()),
        "notes": "; ".join(note.text for note in found.notes),
        "supersedes": list(found.supersedes),
        "reason": found.reason,
    }
