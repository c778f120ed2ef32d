"""The command ``doctor``: whether a folder is a project that can be built, and what to fix."""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from ..common import extras
from ..common.diagnostics import visible
from . import shared

USUAL_FOLDERS = ("source", "docs", "doc", "..")
"""Folders that often contain the ``conf.py`` of a project."""


def no_project(folder: Path) -> str:
    """Return a message for a folder without ``conf.py``, with advice."""
    here = visible(str(folder.absolute()))
    for near in USUAL_FOLDERS:
        if (folder / near / "conf.py").is_file():
            return (
                f"conf.py is not in {here} but in {near}: run cd {near} first, or, if "
                f"that is your layout, sphinx-build -c {near} SOURCE build/html"
            )
    return (
        f"there is no conf.py in {here}; go to the folder of your project, or start one: "
        'perfguide init, or write conf.py with extensions = ["perfguide"], index.rst with '
        ".. perf-toctree::, and put bundles into results/"
    )


def add_parsers(add: shared.AddParser) -> None:
    """Add the command to the command line."""
    parser = add(
        "doctor",
        "Checks Python and its packages, conf.py, the bundles, the folder of the site, and programs "
        "that only some tasks need. Builds nothing.",
    )
    parser.set_defaults(run=_run)


def _run(_options: argparse.Namespace) -> int:
    lines = list(_checked(Path()))
    for state, text in lines:
        print(f"{state:>7}  {text}")
    wrong = sum(state == "fix" for state, _ in lines)
    print(f"{wrong} to fix" if wrong else "Ready for: perfguide build")
    return shared.FOUND if wrong else shared.OK


Line = tuple[str, str]
"""A state (``ok``, ``fix`` or ``note``) and its description."""


def _checked(folder: Path) -> Iterator[Line]:
    yield "ok", f"Python {sys.version.split()[0]}"
    yield from _project(folder)
    yield from _room(folder)
    for line in extras.missing_from_site():
        yield "note", line[0].lower() + line[1:]
    if not shutil.which("git"):
        yield "note", "git was not found: import --git needs it"
    if not (shutil.which("latexmk") and shutil.which("xelatex")):
        yield "note", "LaTeX was not found: PDFs need latexmk and xelatex"


_PROBE = """
import json, sys
from pathlib import Path
from sphinx.config import Config
from sphinx.errors import SphinxError
from sphinx.util.tags import Tags
try:
    config = Config.read(Path("."), overrides={}, tags=Tags())
    config = {n: config._raw_config.get(n) for n in ("extensions", "perfguide_results",
              "perfguide_output", "html_theme", "root_doc", "master_doc")}
    print(json.dumps({"config": config}, default=str))
except SphinxError as error:
    print(json.dumps({"error": str(error)}))
"""


def _project(folder: Path) -> Iterator[Line]:
    """Check ``conf.py`` in a separate process, as it may do anything."""
    if not (folder / "conf.py").is_file():
        yield "fix", no_project(folder)
        return
    run = subprocess.run(
        [sys.executable, "-c", _PROBE], cwd=folder, capture_output=True, text=True, check=False
    )
    try:
        # conf.py may print lines before the answer.
        answer = json.loads(run.stdout.strip().rpartition("\n")[2])
    except ValueError:
        last = run.stderr.strip().rpartition("\n")[2]
        yield "fix", f"conf.py cannot be run: {visible(last)}"
        return
    if "error" in answer:
        last = answer["error"].strip().splitlines()
        # The lines in between are a traceback through Sphinx.
        messages = dict.fromkeys(line.strip() for line in last[:1] + last[-1:])
        yield "fix", f"conf.py cannot be run: {visible(' '.join(messages))}"
        return
    config = answer["config"]
    extensions = config["extensions"] or []
    if "perfguide" in extensions:
        yield "ok", "conf.py loads the extension perfguide"
    else:
        yield "fix", 'conf.py does not load the extension: add "perfguide" to extensions'
    for name in extensions:
        top = str(name).partition(".")[0]
        # Only a note, because conf.py can extend the search path.
        if importlib.util.find_spec(top) is None and not (folder / f"{top}.py").is_file():
            yield (
                "note",
                f"the extension {visible(str(name))} was not found; conf.py may add its path",
            )
    index = config["root_doc"] or config["master_doc"] or "index"
    if not any((folder / f"{index}{end}").is_file() for end in (".rst", ".md", ".txt")):
        yield "fix", f"there is no {visible(str(index))}.rst: write one that has .. perf-toctree::"
    yield from _bundles(folder, config["perfguide_results"])


def _bundles(folder: Path, given: object) -> Iterator[Line]:
    from ..bundles.object_store import is_url

    paths = [given] if isinstance(given, str) else given if isinstance(given, list) else ["results"]
    for path in map(str, paths):
        if is_url(path):
            yield "note", f"bundles are at {visible(path)}, which were not checked"
        elif not (folder / path).exists():
            yield (
                "fix",
                f"there is no {visible(path)}: create the folder and put bundles there, or name "
                "another in perfguide_results",
            )
        elif (folder / path).is_dir() and not any(p.is_file() for p in (folder / path).rglob("*")):
            yield "fix", f"{visible(path)} is empty: put bundles there; perfguide pack makes them"
        else:
            yield (
                "ok",
                f"bundles are in {visible(path)}; perfguide check verifies them",
            )


def _room(folder: Path) -> Iterator[Line]:
    build = folder / "build"
    there = build if build.exists() else folder
    if not os.access(there, os.W_OK):
        yield (
            "fix",
            f"{visible(str(there.absolute()))} cannot be written: change its owner or mode",
        )
    # A build needs space for the old and the new site at the same time.
    free = shutil.disk_usage(there).free
    if free < 200_000_000:
        yield (
            "fix",
            f"only {free // 1_000_000} MB are free; a build needs more",
        )
