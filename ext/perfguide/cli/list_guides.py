"""The command ``list``: the guides in the bundles."""

from __future__ import annotations

import argparse

from ..bundles.guide_key import family
from ..common.diagnostics import visible
from . import shared


def add_parsers(add: shared.AddParser) -> None:
    """Add the command to the command line."""
    parser = add("list", "list the guides that the bundles give")
    shared.add_site(parser)
    parser.set_defaults(run=_run)


def _run(options: argparse.Namespace) -> int:
    from ..tables import summaries

    holdings, status = shared.read_site(shared.site_settings(options))
    rows: list[tuple[str, ...]] = [("SOC", "SYSTEM", "RELEASE", "FIGURES", "MEASURED", "BOARDS")]
    for key in holdings.pool.guides():
        records = holdings.pool.of_guide(key)
        bundles = holdings.pool.bundles(records)
        day = max(loaded.bundle.created.date().isoformat() for loaded in bundles)
        boards = ", ".join(summaries.natural_boards(records))
        cells = (key.soc, family(key), key.release, str(len(records)), day, boards)
        rows.append(tuple(map(visible, cells)))
    if len(rows) == 1:
        return status or shared.NOTHING
    shared.print_table(rows)
    return status
