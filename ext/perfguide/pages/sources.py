"""The table of sources on a page about several guides: the guides that its figures are from, with
links to their provenance."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import msgspec

from ..bundles.guide_key import GuideKey, version
from ..common import units
from ..figures.pool import Record
from ..tables.grids import Grid
from . import write_tables
from .context import Site
from .sentences import link_name
from .write_tables import SOURCES, SOURCES_TITLE, PageTable

HEAD = ("Guide", "Boards", "Tables", "Where their figures come from")
LINKED_COLUMN = 2
"""The column that links to the guide; the next one links to its provenance."""

GuideTable = tuple[str, int, str]
"""A table of a guide: its benchmark, its number among the benchmark's tables, and its link name."""


class SourceRow(msgspec.Struct, frozen=True):
    """A row of the table: its cells, and its links as (column, page, link name)."""

    cells: tuple[str, ...]
    links: list[tuple[int, str, str]]


def rows(site: Site, records: Iterable[Record]) -> list[SourceRow]:
    """Return a row for each guide of some figures, by platform, newest release first."""
    by_guide: dict[GuideKey, tuple[set[str], dict[GuideTable, Record]]] = {}
    for record in records:
        boards, tables = by_guide.setdefault(record.guide, (set(), {}))
        boards.add(record.board)
        position = site.layout.claim(record)
        # Figures that belong to no described table come last in a guide.
        number = 10**6 if position is None else position
        tables.setdefault((record.benchmark, number, site.layout.table(record)), record)
    out = []
    newest_first = sorted(by_guide, key=lambda key: version(key.release), reverse=True)
    for key in sorted(newest_first, key=lambda k: (units.natural(k.soc), k.sdk, k.os)):
        boards, tables = by_guide[key]
        provenance, guide = site.provenance(key), site.addresses.guide[key]
        # The tables of one benchmark are consecutive, so a link to the first is enough.
        benchmark, _, first = min(tables)
        if all(name == benchmark for name, _, _ in tables):
            links = [
                (LINKED_COLUMN, guide, link_name(guide, first)),
                (LINKED_COLUMN + 1, provenance.address, link_name(provenance.address, first)),
            ]
        else:
            links = [(LINKED_COLUMN + 1, provenance.address, provenance.label)]
        named = ", ".join(sorted(boards, key=units.natural))
        captions = dict.fromkeys(site.layout.caption(tables[name]) for name in sorted(tables))
        out.append(SourceRow((str(key), named, "; ".join(captions), provenance.title), links))
    return out


def write(site: Site, page: str, guides: Sequence[SourceRow]) -> PageTable:
    """Write the table of sources of a page."""
    links = [
        (row, column, to, name, "")
        for row, guide in enumerate(guides)
        for column, to, name in guide.links
    ]
    rows = tuple(guide.cells for guide in guides)
    grid = Grid((HEAD,), rows, 2, links=links)
    return write_tables.table(site, page, SOURCES, SOURCES_TITLE, grid)
