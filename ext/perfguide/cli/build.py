"""The command ``perfguide build``: Sphinx as a process of its own, its site swapped in."""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import msgspec

from ..common.package import ROOT
from ..publishing import atomic_swap, standing

Add = Callable[..., argparse.ArgumentParser]

SAID = {"-q", "--quiet", "-Q", "--silent", "-v", "--verbose", "-N", "--no-color", "--color"}
"""Options of Sphinx that decide what it says, and nothing of what it makes."""

ANEW = {"-E", "--fresh-env", "-a", "--write-all"}
"""Options of sphinx-build by which somebody asks for work that may not be needed."""


def add_parsers(add: Add) -> None:
    """Add the command to the parser."""
    build = add(
        "build",
        "build the site aside and put it into place when it is whole",
        "Until then, and where the build fails or is stopped, the folder holds the site "
        "of before. Two builds take turns.",
    )
    build.add_argument("--builder", default="html", metavar="NAME", help="default: html")
    build.add_argument("--output", metavar="DIR", help="the site; default: build/BUILDER")
    build.add_argument(
        "--results",
        action="append",
        metavar="PATH",
        help="folder or file of bundles; may be given more than once; default: as conf.py says",
    )
    build.add_argument("-j", "--jobs", default="auto", metavar="N", help="default: auto")
    build.add_argument("--strict", action="store_true", help="every warning is an error")
    build.add_argument("--profile", action="store_true", help="say where the time went")
    build.add_argument(
        "options", nargs="*", metavar="OPTION", help="after --: options of sphinx-build"
    )
    build.set_defaults(run=_build)


def _build(options: argparse.Namespace) -> int:
    at = atomic_swap.place(Path(options.output or f"build/{options.builder}"))
    chosen = ["-b", options.builder, "-D", "perfguide_own_output=1"]
    if options.results:
        chosen += ["-D", f"perfguide_results={','.join(options.results)}"]
    if options.strict:
        chosen += ["-W", "-n"]
    # What is only said has no part in what a cache depends on.
    said = ["-D", "perfguide_profile=1"] if options.profile else []
    chosen += options.options
    deciding = [given for given in chosen if given not in SAID]
    depends = atomic_swap.key(deciding, [ROOT, Path("conf.py")], os.environ)
    where = ["-d", str(at.doctrees), "-j", options.jobs, ".", str(at.next)]
    with atomic_swap.locked(at.target.parent, _waiting) as lock:
        known = standing.Standing(at, depends, Path())
        if not ANEW & {*options.options} and known.holds():
            print(f"Nothing changed since {at.target} was built.")
            return 0
        command = [sys.executable, "-m", "sphinx", *chosen, *said, *where]
        told: list[bytes] = []

        def run() -> int:
            status, finished = _sphinx(command, lock), at.doctrees / atomic_swap.FINISHED
            if status == 0 and finished.exists():
                told.append(finished.read_bytes())
            return status

        status = atomic_swap.build(at, depends, run)
        for data in told:
            known.note(msgspec.json.decode(data, type=standing.Told))
    if status:
        print(f"perfguide: not built; {at.target} is as it was", file=sys.stderr)
    return status


def _waiting(holder: str) -> None:
    print(f"perfguide: another build is running ({holder}); waiting for it", file=sys.stderr)


def _sphinx(command: list[str], lock: int) -> int:
    """Run Sphinx to its end; the exit status, with that of a signal as shells give it."""
    # It inherits the lock: if it outlives us, the next build waits for it.
    with subprocess.Popen(command, pass_fds=[lock]) as process:
        try:
            status = process.wait()
        except KeyboardInterrupt:
            process.wait()  # the terminal has interrupted it too
            raise
    return status if status >= 0 else 128 - status
