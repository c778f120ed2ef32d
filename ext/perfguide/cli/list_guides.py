"""The command ``list``: the guides in the bundles."""

from __future__ import annotations

import argparse

from ..common.diagnostics import visible
from ..common.grouping import grouped
from . import shared


def add_parsers(add: shared.AddParser) -> None:
    """Add the command to the command line."""
    parser = add("list")
    shared.add_site(parser)
    parser.set_defaults(run=_run)


def _run(options: argparse.Namespace) -> int:
    from ..bundles.guide_key import family, guide_key, in_order
    from ..catalog.board_names import load_notes
    from ..common import units
    from ..figures import dataset, terms

    settings = shared.site_settings(options)
    gathered = dataset.gather(settings, shared.show_progress)
    status = shared.print_faults([*gathered.diagnostics, *load_notes(settings.boards)[1]])
    # Bundles without results make no guide.
    measured = (item.bundle for item in gathered.ledger.bundles if item.rows())
    bundles = grouped(measured, guide_key)
    # Counting figures does not require pooling them.
    figures = terms.figures_by_guide(gathered.ledger.bundles, gathered.catalog)
    rows: list[tuple[str, ...]] = [("SOC", "SYSTEM", "RELEASE", "FIGURES", "MEASURED", "BOARDS")]
    for key in in_order(figures):
        day = max(bundle.created.date().isoformat() for bundle in bundles[key])
        boards = sorted({bundle.board.name for bundle in bundles[key]}, key=units.natural)
        cells = (key.soc, family(key), key.release, str(figures[key]), day, ", ".join(boards))
        rows.append(tuple(map(visible, cells)))
    if len(rows) == 1:
        return status or shared.NOTHING
    shared.print_table(rows)
    return status
