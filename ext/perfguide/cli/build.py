"""The command ``build``: runs Sphinx in a process, and puts its site in place if it succeeds."""

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

import msgspec

from ..common import extras, orphans
from ..common.diagnostics import visible
from ..common.package import surroundings
from ..publishing import atomic_swap, last_build
from ..publishing.last_build import Inputs, Site
from ..publishing.store import Store
from . import shared

OUTPUT_ONLY = {"-q", "--quiet", "-Q", "--silent", "-v", "--verbose", "-N", "--no-color", "--color"}
"""Options of sphinx-build that affect messages but no files."""

QUIET = {"-q", "--quiet", "-Q", "--silent"}
"""Options of sphinx-build that silence it."""

REBUILD = {"-E", "--fresh-env", "-a", "--write-all"}
"""Options of sphinx-build that request work even if nothing changed."""

SPHINX = "perfguide.sphinxext.sphinx_process"
"""The module that runs Sphinx."""

FIRST_LINE_S, NEXT_LINE_S = 5, 30
"""Seconds until the first message that a build is still running, if there is no terminal, and
between further messages."""

INTERRUPT_TIMEOUT_S = 2
"""Seconds that Sphinx has to exit after the terminal interrupted both processes."""


def add_parsers(add: shared.AddParser) -> None:
    """Add the command to the parser."""
    build = add(
        "build",
        "If the build fails or is interrupted, the folder keeps the previous site. "
        "Concurrent builds take turns.",
    )
    build.add_argument("--builder", default="html", metavar="NAME", help="default: html")
    build.add_argument("--output", metavar="DIR", help="the site; default: build/BUILDER")
    shared.add_own_results(build)
    build.add_argument("-j", "--jobs", default="auto", metavar="N", help="default: auto")
    build.add_argument("--strict", action="store_true", help="treat warnings as errors")
    build.add_argument(
        "-v",
        "--verbose",
        action="store_true",
        help="print each step of Sphinx even if there is no terminal",
    )
    build.add_argument(
        "options", nargs="*", metavar="OPTION", help="options for sphinx-build, after --"
    )
    build.set_defaults(run=_build)


def _build(options: argparse.Namespace) -> int:
    if not Path("conf.py").is_file():
        return shared.fail(f"perfguide: {shared.no_project(Path())}")
    begun = time.monotonic()
    at = atomic_swap.place_of(Path(options.output or f"build/{options.builder}"))
    chosen = ["-b", options.builder, "-D", "perfguide_own_output=1"]
    if options.results:
        # As JSON, since Sphinx would split a list at commas in its paths.
        chosen += ["-D", f"perfguide_own_results={json.dumps(options.results)}"]
    if options.strict:
        chosen += ["-W", "-n"]
    # Options that only affect messages must not be part of a cache key.
    is_quiet = bool(QUIET & {*options.options})
    is_brief = not (sys.stdout.isatty() or options.verbose)
    output_options = ["-q"] if is_brief else []  # a log does not need a line per page and file
    chosen += options.options
    conf, deciding = Path("conf.py"), [given for given in chosen if given not in OUTPUT_ONLY]
    values = last_build.values_of(conf)
    used = surroundings(*last_build.modules_of(values))
    depends = _hash(used, Store().digest(conf), deciding)
    inputs = _hash(depends, last_build.hash_of_values(values))
    where = ["-d", str(at.doctrees), "-j", options.jobs, ".", str(at.site)]
    options_of_sphinx = [*chosen, *output_options, *where]
    with atomic_swap.locked(at.target.parent, _waiting) as lock:
        last = last_build.last(at)
        # Checked with the lock held, since a running build may change the answer.
        if last and not REBUILD & {*options.options} and last.is_current(at, inputs, _listing_hash):
            print(f"Nothing changed since {at.target} was built.")
            return 0
        progress = _progress(at.target) if is_brief and not is_quiet else nullcontext()
        with progress:
            run = partial(_sphinx, options_of_sphinx, lock)
            status, site = atomic_swap.build(at, last, depends, inputs, run)
        if status == 0 and not is_quiet:
            print("\n".join(_summary(at.target, site, time.monotonic() - begun)))
    if status:
        print(f"perfguide: not built; {at.target} is unchanged", file=sys.stderr)
    return status


def _listing_hash(url: str) -> str:
    # Bucket libraries take half a second to load, and most sites use none.
    from ..bundles.object_store import listing_hash

    return listing_hash(url)


@contextmanager
def _progress(target: Path) -> Iterator[None]:
    """Report at intervals that a long build is still running."""
    ended, begun = threading.Event(), time.monotonic()

    def report() -> None:
        if not ended.wait(FIRST_LINE_S):
            print(f"Building {visible(str(target))} …", flush=True)
        while not ended.wait(NEXT_LINE_S):
            seconds = time.monotonic() - begun
            print(f"Building {visible(str(target))}: {seconds:.0f} s …", flush=True)

    # As a daemon, the thread does not delay an exit after an error until the next message.
    threading.Thread(target=report, daemon=True).start()
    try:
        yield
    finally:
        ended.set()


def _summary(target: Path, site: Site, seconds: float) -> list[str]:
    """Return the outcome of a build in a few lines."""
    sizes = [file[2] for file in site.values()]
    lines = [
        f"{visible(str(target))}: {len(sizes)} files, {sum(sizes) / 1e6:.1f} MB, {seconds:.0f} s"
    ]
    for index in target.glob("api/v*/index.json"):
        data = json.loads(index.read_bytes())
        guides = sum(soc["guides"] for soc in data["socs"])
        counts = ((data["figures"], "figure"), (guides, "guide"), (len(data["socs"]), "SoC"))
        lines.append(", ".join(f"{n} {noun}{'s' * (n != 1)}" for n, noun in counts))
        lines += extras.missing_from_site()
    return lines


def _hash(*values: object) -> str:
    # Options may be paths that are not valid UTF-8.
    return hashlib.sha256(repr(values).encode("utf-8", "surrogateescape")).hexdigest()


def _waiting(holder: str) -> None:
    print(f"perfguide: another build is running ({holder}); waiting for it", file=sys.stderr)


def _sphinx(options: list[str], lock: int) -> tuple[int, Inputs | None]:
    """Run Sphinx in a separate process. Return the exit status, translated from a signal as in
    shells, and the inputs of the site if it was built.

    The process inherits the lock: if it outlives this one, the next build waits for it.
    """
    ending = partial(orphans.end_with, os.getpid())
    with TemporaryFile() as report:
        environment = os.environ | {last_build.REPORT: str(report.fileno())}
        command, files = [sys.executable, "-m", SPHINX, *options], [lock, report.fileno()]
        with subprocess.Popen(
            command, pass_fds=files, env=environment, preexec_fn=ending
        ) as process:
            try:
                status = process.wait()
            except KeyboardInterrupt:
                with suppress(subprocess.TimeoutExpired):
                    process.wait(INTERRUPT_TIMEOUT_S)  # the terminal has interrupted it as well
                raise
            finally:
                # After an error here, Sphinx must not keep writing without the lock.
                process.kill()
        report.seek(0)
        data = report.read()
    inputs = msgspec.msgpack.decode(data, type=Inputs) if status == 0 and data else None
    return (status if status >= 0 else 128 - status), inputs
