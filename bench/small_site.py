"""A small site in two states, for trials that interrupt its builds."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

TOP = Path(__file__).resolve().parent.parent
GENERATED = ("guides", "by-benchmark", "compare", "reports", "api")
ASIDE = ("access", "commands", "configuration", "extending", "formats", "publishing", "review")
ASIDE += ("importing", "scale", "speed-and-accuracy", "ci", "guest", "tutorial", "lab")
"""Hand-written pages that only the first page links to; some have charts."""
LED_TO = ("data", "methods", "reading")
"""Long hand-written pages that others link to. They take half of the build time of a small site."""
_KEPT_LINES = re.compile(r"^\.\. (?:_[\w-]+:\n\n.+\n([=~^-])\1+\n|perf-[\w-]+::.*\n)", re.MULTILINE)
COMMAND = [sys.executable, "-m", "perfguide", "build"]
# The code is a copy, so that edits do not disturb long trials.
ENVIRONMENT = os.environ | {"PYTHONPATH": "ext", "NO_COLOR": "1"}


def make(folder: Path) -> Path:
    """Make the project with small bundles as results, without pages that no figure depends on."""
    folder.mkdir(parents=True)
    for name in ("conf.py", "index.rst"):
        shutil.copy(TOP / name, folder / name)
    ignored = shutil.ignore_patterns(*GENERATED, ".gitignore")
    shutil.copytree(TOP / "source", folder / "source", ignore=ignored)
    shutil.copytree(TOP / "ext", folder / "ext")
    leave_aside(folder)
    put(folder, "b", "2", [{"metric": "copy", "samples": [1.0, 2.0]}])
    return folder


def leave_aside(folder: Path) -> None:
    """Remove the pages of ``ASIDE`` from a copy of the project, and everything but labelled
    headings and our directives from those of ``LED_TO``. Redirects to removed pages are removed as
    well."""
    for name in LED_TO:
        page = folder / f"source/{name}.rst"
        kept = [match.group() for match in _KEPT_LINES.finditer(page.read_text("utf-8"))]
        page.write_text("\n".join(kept), "utf-8")
    index = (folder / "index.rst").read_text("utf-8")
    for name in ASIDE:
        (folder / f"source/{name}.rst").unlink()
        index = re.sub(rf"^.*\bsource/{name}(?:>`)?\n", "", index, flags=re.MULTILINE)
    (folder / "index.rst").write_text(index, "utf-8")
    redirects = folder / "source/redirects.toml"
    text = redirects.read_text("utf-8")
    for old, new in tomllib.loads(text)["moved"].items():
        if new.partition("#")[0] in ASIDE:
            text = text.replace(f'"{old}" = "{new}"\n', "")
            # A build of the project writes its page here.
            (folder / f"source/{old}.rst").unlink(missing_ok=True)
    redirects.write_text(text, "utf-8")


def put(folder: Path, name: str, soc: str, results: list[dict[str, object]]) -> None:
    """Write a bundle."""
    bundle = {
        "format": "perfguide-bundle",
        "version": 1,
        "id": name,
        "created": "2024-04-02T09:30:00Z",
        "sdk": {"version": "09.02", "os": "linux"},
        "board": {"name": f"board-{name}", "soc": f"SOC{soc}"},
        "results": [{"benchmark": "stream", "unit": "MB/s", **result} for result in results],
    }
    path = folder / f"results/{name}.json"
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps(bundle), "utf-8")


def set_state(folder: Path, state: int) -> None:
    """Set one of two states that differ in figures and in the set of pages."""
    if state:
        put(folder, "a", "1", [{"metric": "copy", "value": 1234.5}])
        put(folder, "c", "3", [{"metric": "add", "value": 3.0}])
    else:
        put(folder, "a", "1", [{"metric": "copy", "value": 4321.0}])
        (folder / "results/c.json").unlink(missing_ok=True)


def build(folder: Path) -> subprocess.CompletedProcess[str]:
    """Build the site."""
    return subprocess.run(
        COMMAND, cwd=folder, env=ENVIRONMENT, capture_output=True, text=True, check=False
    )


def site(folder: Path) -> dict[str, bytes]:
    """Return every published file."""
    top = folder / "build/html"
    return {
        path.relative_to(top).as_posix(): path.read_bytes()
        for path in top.rglob("*")
        if path.is_file()
    }


def clean_sites(folder: Path) -> list[dict[str, bytes]]:
    """Return the site of a clean build in each state."""
    sites = []
    for state in (0, 1):
        project = make(folder / f"clean-{state}")
        set_state(project, state)
        done = build(project)
        if done.returncode:
            raise RuntimeError(done.stderr)
        sites.append(site(project))
    return sites
