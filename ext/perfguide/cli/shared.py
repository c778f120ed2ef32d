"""What several commands share: exit statuses, options, reading bundles, printing."""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Callable, Collection, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TextIO, TypeVar

from ..bundles import decompress, object_store
from ..common.diagnostics import Diagnostic, shortened, visible

if TYPE_CHECKING:
    from ..figures.dataset import Holdings, Settings

# Reading bundles is imported where it is done: it takes most of a second, which help, the
# version, the schema and the start of a build need not wait for.

FINE, FOUND, USAGE, NOTHING = 0, 1, 2, 3

EXIT_STATUS = """exit status:
  0  all is well
  1  what was asked about was found: check or intake refused an upload, health has
     a finding, compare a regression (with --fail-on)
  2  wrong usage, a missing path, or a file that cannot be written
  3  nothing to show, or nothing to compare
"""

BENCHMARKS, BOARDS, WAIVERS, ACKNOWLEDGED = (
    f"source/{name}" for name in ("benchmarks", "boards.toml", "waivers.toml", "acknowledged.toml")
)
"""Where what people write stands, unless an option says otherwise."""

AddParser = Callable[..., argparse.ArgumentParser]
"""Adds a command to the command line: its name, what it does, and more about it."""

T = TypeVar("T")


def add_site(parser: argparse.ArgumentParser, with_paths: bool = True) -> None:
    """Add what says which bundles and descriptions to read, and how.

    Bundles are named as arguments, by ``--results``, or by both. A command whose own arguments
    could be taken for paths has ``--results`` alone.
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
        help="folder, file or URL of bundles; may be given more than once"
        + (", and is the same as PATH" if with_paths else "; default: results"),
    )
    add_benchmarks(parser)
    add_reading(parser)


def results_of(options: argparse.Namespace) -> list[str]:
    """The bundles that :func:`add_site` was given, however they were named; none by default."""
    return [*getattr(options, "paths", ()), *(options.results or ())]


def add_benchmarks(parser: argparse.ArgumentParser) -> None:
    """Add the option that says where benchmarks are described."""
    parser.add_argument(
        "--benchmarks",
        default=BENCHMARKS,
        metavar="DIR",
        help=f"folder of benchmark descriptions; default: {BENCHMARKS}",
    )


def add_reading(parser: argparse.ArgumentParser) -> None:
    """Add the options that say how bundles are read: limits, URLs, workers elsewhere."""
    add_limits(parser)
    parser.add_argument(
        "--store",
        default="build/store",
        metavar="DIR",
        help="folder for copies of files read from URLs; default: build/store",
    )
    parser.add_argument(
        "--scheduler",
        default="",
        metavar="ADDRESS",
        help="Dask scheduler whose workers read and draw, such as tcp://host:8786",
    )


def add_limits(parser: argparse.ArgumentParser) -> None:
    """Add the option that changes how much one upload may hold."""
    parser.add_argument(
        "--limit",
        action="append",
        default=[],
        type=_limit,
        metavar="NAME=NUMBER",
        help="another limit for each upload, such as members=200000; SECURITY.md lists them",
    )


def _limit(text: str) -> tuple[str, int]:
    return limit(text, decompress.changed)


def limit(text: str, changed: Callable[[dict[str, int]], object]) -> tuple[str, int]:
    """Return the name and the value of ``NAME=NUMBER``; ``changed`` raises ``ValueError`` where
    there is no such limit. Raises :class:`argparse.ArgumentTypeError`."""
    name, _, number = text.partition("=")
    value = int(number) if re.fullmatch("[0-9]{1,15}", number) else 0
    try:
        changed({name: value})
    except ValueError as error:
        raise argparse.ArgumentTypeError(visible(str(error))) from error
    return name, value


def site_settings(options: argparse.Namespace) -> Settings:
    """What the options of :func:`add_site` ask for.

    Raises :class:`FileNotFoundError` where the folder of ``--benchmarks`` is not there.
    """
    from ..figures.dataset import BUILT_IN, Settings

    if options.benchmarks != BENCHMARKS and not Path(options.benchmarks).is_dir():
        raise FileNotFoundError(0, "there is no such folder", options.benchmarks)
    return Settings(
        results=tuple(object_store.place(path) for path in results_of(options) or ["results"]),
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
    """The bundles and their figures, with what is wrong with them on stderr.

    The exit status is ``USAGE`` where a path of the settings is not there.
    """
    from ..figures import dataset

    holdings = dataset.read(settings, show_progress)
    return holdings, print_faults(holdings.diagnostics)


def show_progress(items: Sequence[T], label: str) -> Iterable[T]:
    """Go through the items; on a terminal, show how far it is."""
    from tqdm import tqdm

    bar: Iterable[T] = tqdm(items, desc=label, disable=None, leave=False, unit="page")
    return bar


def print_faults(diagnostics: Iterable[Diagnostic]) -> int:
    """Print what is wrong on stderr; ``USAGE`` where a path is not there, else ``FINE``."""
    faults = [diagnostic for diagnostic in diagnostics if diagnostic.severity != "note"]
    print_all(shortened(faults), sys.stderr)
    return USAGE if any(fault.kind == "missing-path" for fault in faults) else FINE


def print_all(diagnostics: Iterable[Diagnostic], stream: TextIO) -> None:
    """Print each diagnostic on a line of its own."""
    for diagnostic in diagnostics:
        print(diagnostic, file=stream)


def print_table(rows: Sequence[Sequence[str]], numbers: Collection[int] = ()) -> None:
    """Print rows in columns as wide as they have to be; ``numbers`` are set to the right."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        cells = [
            text.rjust(width) if column in numbers else text.ljust(width)
            for column, (text, width) in enumerate(zip(row, widths, strict=True))
        ]
        print("  ".join(cells).rstrip())
