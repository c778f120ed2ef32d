"""Tables that would make a page heavy, on pages of their own."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import replace

from ..common import slugs
from .pieces import Pieces, Shown

MOST_BYTES = 130_000
"""The bytes of all CSV files of a page's tables. With so many a page with its style sheets
and scripts stays below 150 kB as servers send it: as HTML, compressed, a table takes from
0.28 to 0.51 of the bytes of its file, and what is around it takes 80 kB."""


def apart(tables: Iterable[Shown], most: int = MOST_BYTES) -> frozenset[str]:
    """The names of the tables that leave a page, the largest first, so that the files of the
    rest are not more than ``most`` bytes."""
    ranked = sorted((-shown.size, shown.name) for shown in tables)
    left = -sum(size for size, _ in ranked)
    out = set()
    for size, name in ranked:
        if left <= most:
            break
        out.add(name)
        left += size
    return frozenset(out)


def move(
    site: Pieces, page: str, section: str, back: str, shown: Shown, title: str = "", links: str = ""
) -> Shown:
    """Write a page of its own for a table of ``page``, beside the table's file.

    The page leads back to ``section`` with the words ``back``; the table keeps its name,
    and its rows keep theirs. ``links`` is the file of what its cells lead to.
    """
    own = f"{page}/{shown.file.rpartition('/')[2].removesuffix('.csv')}"
    inner = replace(
        shown,
        file=_inner(shown.file),
        marks=_inner(shown.marks),
        behind=_inner(shown.behind),
    )
    title = title or shown.title
    site.about(own, {"description": f"{title}: {rows(shown)}."})
    site.page(
        own,
        "table.rst.jinja",
        title=title,
        elsewhere=json.dumps([(back, page, slugs.anchor(section))]),
        table=inner,
        links=_inner(links),
    )
    return replace(shown, page=own)


def _inner(file: str) -> str:
    """A file in the folder of a page as a page in that folder names it."""
    return file.partition("/")[2]


def rows(shown: Shown) -> str:
    """How long a table is."""
    return "1 row" if shown.rows == 1 else f"{shown.rows} rows"


def link(shown: Shown) -> str:
    """What leads to a table on its own page, as ``perf-elsewhere`` reads it."""
    return json.dumps([(f"{shown.title}: {rows(shown)}", shown.page, shown.name)])
