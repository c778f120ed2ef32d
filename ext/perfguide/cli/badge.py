"""The command ``badge``: one figure as a small image."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from ..common.diagnostics import Diagnostic
from . import shared


def add_parsers(add: shared.AddParser) -> None:
    """Add the command to the command line."""
    parser = add(
        "badge",
        "A QUERY is SOC/RELEASE/BOARD/BENCHMARK/METRIC?NAME=VALUE&NAME=VALUE and must match "
        "exactly one figure. The release may be latest.",
    )
    parser.add_argument(
        "query", metavar="QUERY", help="AM62X/latest/am62xx_sk-fs/dhrystone/dhrystone_per_second"
    )
    parser.add_argument("--label", help="the text on the left; default: the metric's name")
    parser.add_argument("-o", "--output", dest="file", metavar="FILE", help="write to this file")
    shared.add_site(parser)
    parser.set_defaults(run=_run)


def _run(options: argparse.Namespace) -> int:
    from ..export import badge

    holdings, status = shared.read_site(shared.site_settings(options))
    if status:
        return status
    quoted = badge.FigureFinder(holdings).find(options.query)
    if isinstance(quoted, Diagnostic):
        return shared.fail(f"perfguide badge: {quoted}", shared.NOTHING)
    picture = badge.svg(options.label or quoted.label, quoted.text, quoted.words)
    if options.file:
        Path(options.file).write_bytes(picture)
    else:
        sys.stdout.write(picture.decode("utf-8"))
    return shared.FINE
