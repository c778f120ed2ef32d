"""The command ``generate``: the pages of the guides, without building the site."""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path

from ..common import memory, units
from . import shared


def add_parsers(add: shared.AddParser) -> None:
    """Add the command to the command line."""
    parser = add("generate")
    shared.add_site(parser)
    shared.add_workers(parser)
    parser.add_argument(
        "--output", default="source", metavar="DIR", help="folder for the pages; default: source"
    )
    parser.set_defaults(run=_run)


def _run(options: argparse.Namespace) -> int:
    memory.collect_rarely()
    from ..pages import build

    settings = replace(shared.site_settings(options), output=Path(options.output))
    outcome = build.generate(settings, shared.show_progress)
    if status := shared.print_faults(outcome.diagnostics):
        return status
    print(
        f"{units.with_noun(outcome.guides, 'guide')} with {units.with_noun(outcome.figures, 'figure')} in {options.output}: "
        f"{units.with_noun(len(outcome.written), 'file')} changed, {len(outcome.removed)} removed"
    )
    return shared.OK
