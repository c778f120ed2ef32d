"""The command ``perfguide build``: runs Sphinx in a process of its own and swaps its site in."""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext, suppress
from functools import partial
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO

import msgspec

from ..common import extras, orphans
from ..common.diagnostics import visible
from ..common.package import surroundings
from ..publishing import atomic_swap, last_build
from ..publishing.atomic_swap import Run
from ..publishing.last_build import Inputs, Site
from ..publishing.store import Store
from . import projects, shared

OUTPUT_ONLY = {"-q", "--quiet", "-Q", "--silent", "-v", "--verbose", "-N", "--no-color", "--color"}
"""Options of sphinx-build that change the messages and no file."""

QUIET = {"-q", "--quiet", "-Q", "--silent"}
"""Options of sphinx-build that ask for silence."""

REBUILD = {"-E", "--fresh-env", "-a", "--write-all"}
"""Options of sphinx-build that ask for work that may not be needed."""

SPHINX = "perfguide.sphinxext.begin"
"""The module that runs Sphinx."""

FIRST_LINE_S, NEXT_LINE_S = 5, 30
"""Seconds until the first message that a build goes on, without a terminal, and until each next."""

INTERRUPT_TIMEOUT_S = 2
"""Seconds in which Sphinx has to end after the terminal interrupted both processes."""


def add_parsers(add: shared.AddParser) -> None:
    """Add the command to the parser."""
    build = add(
        "build",
        "Until then, or if the build fails or is stopped, the folder has the previous site. "
        "Two builds take turns.",
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
    build.add_argument("--strict", action="store_true", help="treat warnings as errors")
    build.add_argument("--profile", action="store_true", help="report the time of each step")
    build.add_argument(
        "-v",
        "--verbose",
        action="store_true",
        help="print each step of Sphinx where there is no terminal too",
    )
    build.add_argument(
        "options", nargs="*", metavar="OPTION", help="after --: options of sphinx-build"
    )
    build.set_defaults(run=_build)


def _build(options: argparse.Namespace) -> int:
    if not Path("conf.py").is_file():
        return shared.fail(f"perfguide: {projects.no_project(Path())}")
    begun = time.monotonic()
    at = atomic_swap.place_of(Path(options.output or f"build/{options.builder}"))
    chosen = ["-b", options.builder, "-D", "perfguide_own_output=1"]
    if options.results:
        # As JSON: Sphinx would take a list apart at the commas in its paths.
        chosen += ["-D", f"perfguide_own_results={json.dumps(options.results)}"]
    if options.strict:
        chosen += ["-W", "-n"]
    # Options that only change messages must not be part of the key of a cache.
    output_options = ["-D", "perfguide_profile=1"] if options.profile else []
    is_quiet = bool(QUIET & {*options.options})
    is_brief = not (sys.stdout.isatty() or options.verbose or options.profile)
    if is_brief:
        output_options += ["-q"]  # a log needs no line for each page and file
    chosen += options.options
    conf, deciding = Path("conf.py"), [given for given in chosen if given not in OUTPUT_ONLY]
    values = last_build.values_of(conf)
    used = surroundings(*last_build.modules_of(values))
    depends = _hash(used, Store().digest(conf), deciding)
    asked = _hash(depends, last_build.hash_of_values(values))
    where = ["-d", str(at.doctrees), "-j", options.jobs, ".", str(at.site)]
    options_of_sphinx = [*chosen, *output_options, *where]
    with atomic_swap.locked(at.target.parent, _waiting) as lock:
        last = last_build.last(at)
        # Checked with the lock held: a build that is running may change the answer.
        if last and not REBUILD & {*options.options} and last.is_current(at, asked, _listing_hash):
            print(f"Nothing changed since {at.target} was built.")
            return 0
        progress = _progress(at.target) if is_brief and not is_quiet else nullcontext()
        with _sphinx(options_of_sphinx, lock) as run, progress:
            status, site = atomic_swap.build(at, last, depends, asked, run)
        if status == 0 and not is_quiet:
            print("\n".join(_summary(at.target, site, time.monotonic() - begun)))
    if status:
        print(f"perfguide: not built; {at.target} is unchanged", file=sys.stderr)
    return status


def _listing_hash(url: str) -> str:
    # Libraries of buckets take half a second to load, and most sites have none.
    from ..bundles.object_store import listing_hash

    return listing_hash(url)


@contextmanager
def _progress(target: Path) -> Iterator[None]:
    """Print at intervals that a long build goes on."""
    ended, begun = threading.Event(), time.monotonic()

    def report() -> None:
        if not ended.wait(FIRST_LINE_S):
            print(f"Building {visible(str(target))} …", flush=True)
        while not ended.wait(NEXT_LINE_S):
            seconds = time.monotonic() - begun
            print(f"Building {visible(str(target))}: {seconds:.0f} s …", flush=True)

    # A daemon, so that an error in the build does not wait for the next message.
    threading.Thread(target=report, daemon=True).start()
    try:
        yield
    finally:
        ended.set()


def _summary(target: Path, site: Site, seconds: float) -> list[str]:
    """Return the results of a build in a few lines."""
    sizes = [own[2] for own in site.values()]
    lines = [
        f"{visible(str(target))}: {len(sizes)} files, {sum(sizes) / 1e6:.1f} MB, {seconds:.0f} s"
    ]
    for index in target.glob("api/v*/index.json"):
        data = json.loads(index.read_bytes())
        guides = sum(soc["guides"] for soc in data["socs"])
        counts = ((data["figures"], "figure"), (guides, "guide"), (len(data["socs"]), "SoC"))
        lines.append(", ".join(f"{n} {what}{'s' * (n != 1)}" for n, what in counts))
        lines += extras.missing_from_site()
    return lines


def _hash(*values: object) -> str:
    # Options can be paths whose bytes are not UTF-8.
    return hashlib.sha256(repr(values).encode("utf-8", "surrogateescape")).hexdigest()


def _waiting(holder: str) -> None:
    print(f"perfguide: another build is running ({holder}); waiting for it", file=sys.stderr)


@contextmanager
def _sphinx(options: list[str], lock: int) -> Iterator[Run]:
    """Start Sphinx in a process of its own, which loads its modules until it may begin, and
    end it with the context.

    The process inherits the lock: if it outlives this one, the next build waits for it.
    """
    ending = partial(orphans.end_with, os.getpid())
    begin, begun = os.pipe()
    command = [sys.executable, "-m", SPHINX, str(begin), *options]
    with TemporaryFile() as report:
        files = [lock, begin, report.fileno()]
        environment = os.environ | {last_build.REPORT: str(report.fileno())}
        with subprocess.Popen(
            command, pass_fds=files, env=environment, preexec_fn=ending
        ) as process:
            # With our own end open, a write would not fail when Sphinx has ended already.
            os.close(begin)
            try:
                yield partial(_run, process, begun, report)
            finally:
                # After an error here, Sphinx must not go on writing without the lock.
                process.kill()
                os.close(begun)


def _run(
    process: subprocess.Popen[bytes], begun: int, report: IO[bytes]
) -> tuple[int, Inputs | None]:
    """Wait until Sphinx has ended. Return the exit status, for a signal as in shells, and the
    inputs of the site if it was made."""
    with suppress(BrokenPipeError):  # it has ended already; its status has the reason
        os.write(begun, b"\n")
    try:
        status = process.wait()
    except KeyboardInterrupt:
        with suppress(subprocess.TimeoutExpired):
            process.wait(INTERRUPT_TIMEOUT_S)  # the terminal has interrupted it as well
        raise
    report.seek(0)
    data = report.read()
    inputs = msgspec.msgpack.decode(data, type=Inputs) if status == 0 and data else None
    return (status if status >= 0 else 128 - status), inputs
