"""Options that several commands have."""

from __future__ import annotations

import argparse
import re

from ..bundles import decompress
from ..common.diagnostics import visible

BENCHMARKS = "source/benchmarks"
CACHE = "build/cache"


def add_site(parser: argparse.ArgumentParser) -> None:
    """Which bundles and descriptions, and how they are read."""
    parser.add_argument(
        "--results",
        action="append",
        metavar="PATH",
        help="folder, file or URL of bundles; may be given more than once; default: results",
    )
    parser.add_argument(
        "--benchmarks",
        default=BENCHMARKS,
        metavar="DIR",
        help="folder of benchmark descriptions; default: source/benchmarks",
    )
    add_limits(parser)
    add_elsewhere(parser)


def add_elsewhere(parser: argparse.ArgumentParser) -> None:
    """What is not on this machine: results at URLs, and workers."""
    parser.add_argument(
        "--store",
        default="build/store",
        metavar="DIR",
        help="folder that keeps what was read at URLs; default: build/store",
    )
    parser.add_argument(
        "--scheduler",
        default="",
        metavar="ADDRESS",
        help="Dask scheduler whose workers read and draw, such as tcp://host:8786",
    )


def add_limits(parser: argparse.ArgumentParser) -> None:
    """How much one upload may hold."""
    parser.add_argument(
        "--limit",
        action="append",
        default=[],
        type=_limit,
        metavar="NAME=NUMBER",
        help="another limit for each upload, such as members=200000; SECURITY.md lists them",
    )


def _limit(text: str) -> tuple[str, int]:
    name, _, number = text.partition("=")
    value = int(number) if re.fullmatch("[0-9]{1,15}", number) else 0
    try:
        decompress.changed({name: value})
    except ValueError as error:
        raise argparse.ArgumentTypeError(visible(str(error))) from error
    return name, value
