"""The command ``list``: the guides in the bundles."""

from __future__ import annotations

import argparse

from ..common.diagnostics import visible
from . import shared


def add_parsers(add: shared.AddParser) -> None:
    """Add the command to the command line."""
    parser = add("list")
    shared.add_site(parser)
    parser.set_defaults(run=_run)


def _run(options: argparse.Namespace) -> int:
    from ..bundles.guide_key import family
    from ..common import units

    holdings, status = shared.read_site(shared.site_settings(options))
    rows: list[tuple[str, ...]] = [("SOC", "SYSTEM", "RELEASE", "FIGURES", "MEASURED", "BOARDS")]
    for key in holdings.pool.guides():
        bundles = [loaded.bundle for loaded in holdings.pool.bundles_of([key])]
        day = max(bundle.created.date().isoformat() for bundle in bundles)
        boards = ", ".join(sorted({bundle.board.name for bundle in bundles}, key=units.natural))
        cells = (key.soc, family(key), key.release, str(holdings.pool.count(key)), day, boards)
        rows.append(tuple(map(visible, cells)))
    if len(rows) == 1:
        return status or shared.NOTHING
    shared.print_table(rows)
    return status
