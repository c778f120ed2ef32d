"""The command ``init``: a project to start from."""

from __future__ import annotations

import argparse
import json
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

from .. import __version__
from ..common.diagnostics import visible
from ..common.package import ROOT
from . import shared

STARTER = ROOT / "cli" / "starter"
"""The templates for the files of a new project."""

FILES = {
    "conf.py": "conf.py.in",
    "index.rst": "index.rst.in",
    ".gitignore": "gitignore.in",
    "requirements.txt": "requirements.txt.in",
    "results/example.json": "example.json.in",
    "benchmarks/gzip.toml": "gzip.toml.in",
    "benchmarks/gzip.rst": "gzip.rst.in",
    ".github/workflows/performance.yml": "workflow.yml.in",
}
"""The files of a new project, each with its template."""


def add_parsers(add: shared.AddParser) -> None:
    """Add the command to the command line."""
    parser = add(
        "init",
        "Writes nothing if any of its files already exists.",
    )
    parser.add_argument(
        "folder", nargs="?", default=".", metavar="DIR", help="default: the current folder"
    )
    parser.set_defaults(run=_run)


def _run(options: argparse.Namespace) -> int:
    folder = Path(options.folder)
    # All files or none: part of a new project mixed with an old one would not build.
    present = [name for name in FILES if (folder / name).exists()]
    if present:
        listed = ", ".join(visible(str(folder / name)) for name in present)
        return shared.fail(
            f"perfguide init: {listed} {'exists' if len(present) == 1 else 'exist'} already; "
            "nothing was written. Name another folder"
        )
    for name, source in FILES.items():
        text = (STARTER / source).read_text("utf-8").replace("@REQUIREMENT@", _requirement())
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
        print(f"  {visible(str(path))}")
    enter = "" if options.folder == "." else f"cd {visible(options.folder)} && "
    print(f"Build the site: {enter}perfguide build")
    print("Then put bundles of your own into results/, and remove results/example.json.")
    return shared.OK


def _requirement() -> str:
    """Return the pip requirement for perfguide: the URL it was installed from, or its version."""
    name = "perfguide[compare]"
    try:
        # PEP 610: pip records the URL of a package that did not come from an index.
        origin = json.loads(distribution("perfguide").read_text("direct_url.json") or "{}")
    except (PackageNotFoundError, ValueError):
        origin = {}
    if not (url := origin.get("url")):
        return f"{name}=={__version__}"
    vcs = origin.get("vcs_info")
    return f"{name} @ {vcs['vcs']}+{url}@{vcs['commit_id']}" if vcs else f"{name} @ {url}"
