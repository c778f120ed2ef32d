"""The command ``health``: faults in the figures themselves."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from ..common.diagnostics import SEVERITIES, errors
from . import shared


def add_parsers(add: shared.AddParser) -> None:
    """Add the command to the command line."""
    parser = add(
        "health",
        "PATH is a folder, file or URL of bundles. Acknowledged findings are listed last and "
        "never cause a failure.",
    )
    parser.add_argument("--format", choices=("text", "json"), default="text")
    parser.add_argument(
        "--fail-on",
        choices=SEVERITIES,
        default="error",
        metavar="SEVERITY",
        help="exit with 1 if a finding is at least this severe: error (default), warning, note",
    )
    parser.add_argument(
        "--acknowledged",
        default=shared.ACKNOWLEDGED,
        metavar="FILE",
        help=f"accepted findings, with reasons; default: {shared.ACKNOWLEDGED}",
    )
    shared.add_site(parser)
    parser.set_defaults(run=_run)


def _run(options: argparse.Namespace) -> int:
    from ..catalog.waivers import load_annotations
    from ..health import report

    settings = shared.site_settings(options)
    # The default file may be missing, but a mistyped name should not go unnoticed.
    if options.acknowledged != shared.ACKNOWLEDGED and not Path(options.acknowledged).exists():
        raise FileNotFoundError(0, "there is no such file", options.acknowledged)
    holdings, status = shared.read_site(settings)
    annotations, faults = load_annotations(settings.waivers)
    checked = report.check(holdings, Path(options.acknowledged), annotations.levels)
    faults += checked.diagnostics
    shared.print_all(faults, sys.stderr)
    if status or errors(faults):
        return shared.USAGE
    if not len(holdings.pool):
        return shared.NOTHING
    if options.format == "json":
        # ASCII, so that no name from a bundle can move the cursor of a terminal.
        print(json.dumps(report.as_json(holdings, checked), indent=1, ensure_ascii=True))
    else:
        print(report.as_text(checked), end="")
    # SEVERITIES goes from most to least severe.
    failing = SEVERITIES[: SEVERITIES.index(options.fail_on) + 1]
    return (
        shared.FOUND if any(finding.severity in failing for finding in checked.open) else shared.OK
    )
