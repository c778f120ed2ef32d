"""The command ``badge``: one figure as a small picture."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from ..common.diagnostics import Diagnostic
from ..export import badge

if TYPE_CHECKING:
    from ..figures.dataset import Holdings

FINE, USAGE, NOTHING = 0, 2, 3

AddParser = Callable[..., argparse.ArgumentParser]
AddSite = Callable[[argparse.ArgumentParser], None]
Read = Callable[[argparse.Namespace], "tuple[Holdings, int]"]


def add_parser(add: AddParser, add_site: AddSite, read: Read) -> None:
    """Add the command to the parser of all; ``read`` reads bundles and says how that went."""
    parser = add(
        "badge",
        "print a badge (SVG) that shows one figure",
        "A QUERY is SOC/RELEASE/BOARD/BENCHMARK/METRIC?NAME=VALUE&NAME=VALUE and has to name "
        "just one figure. The release may be latest.",
    )
    parser.add_argument(
        "query", metavar="QUERY", help="AM62X/latest/am62xx_sk-fs/dhrystone/dhrystone_per_second"
    )
    parser.add_argument("--label", help="the words on the left; default: the metric's name")
    parser.add_argument("-o", "--output", dest="file", metavar="FILE", help="write it there")
    add_site(parser)
    parser.set_defaults(run=lambda options: _run(options, read))


def _run(options: argparse.Namespace, read: Read) -> int:
    from ..export.quoted import Figures

    held, status = read(options)
    if status:
        return status
    found = Figures(held).find(options.query)
    if isinstance(found, Diagnostic):
        print(f"perfguide badge: {found}", file=sys.stderr)
        return NOTHING
    picture = badge.svg(options.label or found.label, found.text, found.words)
    if options.file:
        Path(options.file).write_bytes(picture)
    else:
        sys.stdout.write(picture.decode("utf-8"))
    return FINE
