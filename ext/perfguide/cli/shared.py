"""Code shared by commands: exit statuses, options, reading bundles, printing."""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Callable, Collection, Iterable, Sequence
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, TextIO, TypeVar

from ..common.diagnostics import Diagnostic, shortened, visible

if TYPE_CHECKING:
    from ..figures.dataset import Holdings, Settings

# Modules that read bundles are imported on demand: they take most of a second, which would delay
# the help, the version, the schema and the start of a build.

OK, FOUND, USAGE, NOTHING = 0, 1, 2, 3

EXIT_STATUS = """exit status:
  0  success
  1  problems: check or intake refused an upload, health has a finding,
     compare has a regression (with --fail-on)
  2  incorrect usage, a missing path, or a file that cannot be written
  3  nothing to show or compare, or no board meets a need
"""

BENCHMARKS, BOARDS, WAIVERS, ACKNOWLEDGED = (
    f"source/{name}" for name in ("benchmarks", "boards.toml", "waivers.toml", "acknowledged.toml")
)
"""The default locations of hand-written files."""

USUAL_FOLDERS = ("source", "docs", "doc", "..")
"""Folders that often contain the ``conf.py`` of a project."""

AddParser = Callable[..., argparse.ArgumentParser]
"""A function that adds a command, given its name and further help."""

T = TypeVar("T")


def add_site(parser: argparse.ArgumentParser, with_paths: bool = True) -> None:
    """Add the options that select bundles and descriptions.

    Bundles are named as arguments, by ``--results``, or both. Commands whose own arguments could be
    mistaken for paths only have ``--results``.
    """
    if with_paths:
        parser.add_argument(
            "paths",
            nargs="*",
            metavar="PATH",
            help="folder, file or URL of bundles; default: results",
        )
    parser.add_argument(
        "--results",
        action="append",
        metavar="PATH",
        help="folder, file or URL of bundles; may be repeated"
        + (", and is the same as PATH" if with_paths else "; default: results"),
    )
    add_benchmarks(parser)
    add_limits(parser)
    parser.add_argument(
        "--store",
        default="build/store",
        metavar="DIR",
        help="folder for copies of files read from URLs; default: build/store",
    )
    # Only commands that write pages have the option of :func:`add_workers`.
    parser.set_defaults(scheduler="")


def add_health(parser: argparse.ArgumentParser) -> None:
    """Add the option for including findings that cast doubt on figures in JSON."""
    parser.add_argument(
        "--health",
        action="store_true",
        help="with --json: include findings that cast doubt on a figure",
    )


def add_own_results(parser: argparse.ArgumentParser) -> None:
    """Add the option that replaces the bundles named in ``conf.py``."""
    parser.add_argument(
        "--results",
        action="append",
        default=[],
        metavar="PATH",
        help="folder or file of bundles; may be repeated; default: as set in conf.py",
    )


def results_of(options: argparse.Namespace) -> list[str]:
    """Return the bundles named by the options of :func:`add_site`; none by default."""
    return [*getattr(options, "paths", ()), *(options.results or ())]


def add_benchmarks(parser: argparse.ArgumentParser) -> None:
    """Add the option for the folder of benchmark descriptions."""
    parser.add_argument(
        "--benchmarks",
        default=BENCHMARKS,
        metavar="DIR",
        help=f"folder of benchmark descriptions; default: {BENCHMARKS}",
    )


def add_workers(parser: argparse.ArgumentParser) -> None:
    """Add the option for remote workers; call it after :func:`add_site`."""
    parser.add_argument(
        "--scheduler",
        default="",
        metavar="ADDRESS",
        help="Dask scheduler whose workers make the pages of SoCs, such as tcp://host:8786",
    )


def add_limits(
    parser: argparse.ArgumentParser,
    module: str = "bundles.decompress",
    noun: str = "upload",
    example: str = "members=200000",
) -> None:
    """Add the option that changes the limits, which are in ``module``, for one ``noun``."""
    parser.add_argument(
        "--limit",
        action="append",
        default=[],
        type=partial(_limit, module),
        metavar="NAME=NUMBER",
        help=f"a different limit for each {noun}, such as {example}; SECURITY.md lists them",
    )


def _limit(module: str, text: str) -> tuple[str, int]:
    name, _, number = text.partition("=")
    # int() would also accept “1_000” and digits of other scripts.
    value = int(number) if re.fullmatch("[0-9]{1,15}", number) else 0
    try:
        # It rejects 0, and thus everything that is not a number.
        import_module(f"..{module}", __package__).changed({name: value})
    except ValueError as error:
        raise argparse.ArgumentTypeError(visible(str(error))) from error
    return name, value


def site_settings(options: argparse.Namespace) -> Settings:
    """Return the settings for the options of :func:`add_site`.

    Raises :class:`FileNotFoundError` if the folder of ``--benchmarks`` does not exist.
    """
    from ..bundles import decompress, object_store
    from ..figures.dataset import BUILT_IN, Settings

    # The default folder may be missing, but a mistyped one should not go unnoticed.
    if options.benchmarks != BENCHMARKS and not Path(options.benchmarks).is_dir():
        raise FileNotFoundError(0, "there is no such folder", options.benchmarks)
    return Settings(
        results=tuple(
            object_store.path_or_url(path) for path in results_of(options) or ["results"]
        ),
        benchmarks=(BUILT_IN, Path(options.benchmarks)),
        output=Path("source"),
        limits=decompress.changed(dict(options.limit)),
        acknowledged=Path(ACKNOWLEDGED),
        boards=Path(BOARDS),
        waivers=Path(WAIVERS),
        store=Path(options.store),
        scheduler=options.scheduler,
        cache=Path("build/cache"),
    )


def read_site(settings: Settings) -> tuple[Holdings, int]:
    """Read the bundles and their figures, and print faults on stderr.

    The exit status is ``USAGE`` if a path in the settings does not exist.
    """
    from ..figures import dataset

    holdings = dataset.read(settings, show_progress)
    return holdings, print_faults(holdings.diagnostics)


def show_progress(items: Sequence[T], label: str) -> Iterable[T]:
    """Iterate over the items, with a progress bar on a terminal."""
    from tqdm import tqdm

    bar: Iterable[T] = tqdm(items, desc=label, disable=None, leave=False, unit="page")
    return bar


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


def fail(message: str, status: int = USAGE) -> int:
    """Print an error message on stderr; return the exit status."""
    print(message, file=sys.stderr)
    return status


def print_faults(diagnostics: Iterable[Diagnostic]) -> int:
    """Print faults on stderr; return ``USAGE`` if a path does not exist, else ``OK``."""
    faults = [diagnostic for diagnostic in diagnostics if diagnostic.severity != "note"]
    print_all(shortened(faults), sys.stderr)
    return USAGE if any(fault.kind == "missing-path" for fault in faults) else OK


def print_all(diagnostics: Iterable[Diagnostic], stream: TextIO) -> None:
    """Print each diagnostic on a line of its own."""
    for diagnostic in diagnostics:
        print(diagnostic, file=stream)


def print_table(rows: Sequence[Sequence[str]], numbers: Collection[int] = ()) -> None:
    """Print rows in aligned columns; those in ``numbers`` are right-aligned."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        cells = [
            text.rjust(width) if column in numbers else text.ljust(width)
            for column, (text, width) in enumerate(zip(row, widths, strict=True))
        ]
        print("  ".join(cells).rstrip())
