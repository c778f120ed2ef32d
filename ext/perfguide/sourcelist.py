"""On a page over several guides: in which of them its figures stand, and where these
say what they come from."""

from __future__ import annotations

import json
from collections.abc import Iterable

from . import units
from .guidekeys import GuideKey, version
from .pieces import SOURCES, SOURCES_TITLE, Pieces, Shown, label
from .pool import Record
from .tables import listing

HEAD = ("Guide", "Boards", "Table", "Where its figures come from")
LINKED = 2
"""The columns that lead to the table in its guide and to its sources are this one and
the next."""


def write(site: Pieces, page: str, records: Iterable[Record]) -> tuple[Shown, str]:
    """Write the table of sources of a page that shows these figures, and the file of its
    links; return the table and the name of that file."""
    held: dict[tuple[GuideKey, str], tuple[Record, set[str]]] = {}
    for record in records:
        # Tables stand in the order in which their first figures come.
        place = held.setdefault((record.guide, site.layout.table(record)), (record, set()))
        place[1].add(record.board)
    rows: list[tuple[str, ...]] = []
    links: list[list[object]] = []
    newest_first = sorted(held, key=lambda k: version(k[0].release), reverse=True)
    for key, table in sorted(newest_first, key=lambda k: _platform(k[0])):
        first, boards = held[key, table]
        trace, guide = site.trace_of(key), site.addresses.guide[key]
        links.append([len(rows), LINKED, guide, label(guide, table), ""])
        links.append([len(rows), LINKED + 1, trace.page, label(trace.page, table), ""])
        named = ", ".join(sorted(boards, key=units.natural))
        rows.append((str(key), named, site.layout.caption(first), trace.title))
    shown = site.table(page, SOURCES, SOURCES_TITLE, listing(HEAD, rows, LINKED))
    text = json.dumps(links, ensure_ascii=False, separators=(",", ":"))
    site.writer.write(f"{page}/{SOURCES}.links.json", text.replace("],[", "],\n[").encode() + b"\n")
    return shown, f"{shown.file.removesuffix('.csv')}.links.json"


def _platform(key: GuideKey) -> tuple[object, ...]:
    return (units.natural(key.soc), key.sdk, key.os)
