"""On a page over several guides: in which of them its figures stand, and where these
say what they come from."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence

import msgspec

from ..bundles.guide_key import GuideKey, version
from ..common import units
from ..figures.pool import Record
from ..tables.grids import listing
from .pieces import SOURCES, SOURCES_TITLE, Pieces, Shown, label

HEAD = ("Guide", "Boards", "Tables", "Where their figures come from")
LINKED = 2
"""The columns that lead to the section of its guide and to its sources are this one and
the next."""

Table = tuple[str, int, str]
"""A table of a guide by its place there: the benchmark, the number of the table among
those of the benchmark, and its name in links."""


class Source(msgspec.Struct, frozen=True):
    """One guide as a source: the cells of its row, and for some columns the page, the name
    there and the row that they lead to."""

    cells: tuple[str, ...]
    links: list[tuple[int, str, str]]


def found(site: Pieces, records: Iterable[Record]) -> list[Source]:
    """The guides in which figures stand, by platform, the newest first."""
    held: dict[GuideKey, tuple[set[str], dict[Table, Record]]] = {}
    for record in records:
        boards, tables = held.setdefault(record.guide, (set(), {}))
        boards.add(record.board)
        position = site.layout.claim(record)
        # What no table of the catalog takes stands behind all that one does.
        place = 10**6 if position is None else position
        tables.setdefault((record.benchmark, place, site.layout.table(record)), record)
    out = []
    newest_first = sorted(held, key=lambda key: version(key.release), reverse=True)
    for key in sorted(newest_first, key=_platform):
        boards, tables = held[key]
        trace, guide = site.trace_of(key), site.addresses.guide[key]
        # The tables of one benchmark stand together there: the first leads to all.
        benchmark, _, first = min(tables)
        if all(each == benchmark for each, _, _ in tables):
            links = [(LINKED, guide, label(guide, first))]
            links.append((LINKED + 1, trace.page, label(trace.page, first)))
        else:
            links = [(LINKED + 1, trace.page, trace.label)]
        named = ", ".join(sorted(boards, key=units.natural))
        shown = dict.fromkeys(site.layout.caption(tables[each]) for each in sorted(tables))
        out.append(Source((str(key), named, "; ".join(shown), trace.title), links))
    return out


def write(site: Pieces, page: str, sources: Sequence[Source]) -> tuple[Shown, str]:
    """Write the table of sources of a page, and the file of its links; return the table and
    the name of that file."""
    rows = [source.cells for source in sources]
    links = [
        [row, column, to, name, ""]
        for row, source in enumerate(sources)
        for column, to, name in source.links
    ]
    listed = site.table(page, SOURCES, SOURCES_TITLE, listing(HEAD, rows, LINKED))
    text = json.dumps(links, ensure_ascii=False, separators=(",", ":"))
    site.writer.write(f"{page}/{SOURCES}.links.json", text.replace("],[", "],\n[").encode() + b"\n")
    return listed, f"{listed.file.removesuffix('.csv')}.links.json"


def _platform(key: GuideKey) -> tuple[object, ...]:
    return (units.natural(key.soc), key.sdk, key.os)
