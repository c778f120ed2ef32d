"""Tables that would make a page heavy, on pages of their own."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from . import write_files
from .context import Site
from .sentences import Link
from .write_tables import PageTable

MOST_BYTES = 115_000
"""The bytes of all CSV files of a page's tables. With so many a page with its style sheets
and scripts stays below 150 kB as servers send it: as HTML, compressed, a table takes from
0.33 to 0.61 of the bytes of its file, and what is around it takes 80 kB."""


MAX_ELEMENTS = 12_500
"""About how many HTML elements the tables of a page become; a page has at most 15,000."""


def too_long(tables: Iterable[PageTable], most: int = MOST_BYTES) -> frozenset[str]:
    """Return the names of the tables that leave a page, the largest first, so that the files of
    the rest are not more than ``most`` bytes, and their rows not too many elements."""
    ranked = sorted(tables, key=lambda table: (-table.size, table.name))
    size, weight = (sum(each) for each in ([t.size for t in ranked], [t.weight for t in ranked]))
    out = set()
    for table in ranked:
        if size <= most and weight <= MAX_ELEMENTS:
            break
        out.add(table.name)
        size, weight = size - table.size, weight - table.weight
    return frozenset(out)


def move(
    site: Site,
    page: str,
    tables: Sequence[tuple[PageTable, str, str]],
    most: int = MOST_BYTES,
    suffix: str = "",
) -> dict[str, list[Link]]:
    """Give tables of a page pages of their own until the others make a light page; return what
    leads to each that has left, by its name.

    Beside each table are the section that it stands in and the words that lead back there;
    ``suffix`` stands behind its title on the page of its own. It keeps its name, and its
    rows keep theirs.
    """
    leaving = too_long((table for table, _, _ in tables), most)
    links = {}
    for table, section, words in tables:
        if table.name not in leaving:
            continue
        # A page in the folder of another one names the files there without that folder.
        file = table.file.partition("/")[2]
        inner = replace(table, file=file, data=table.data.partition("/")[2])
        own = f"{page}/{file.removesuffix('.csv')}"
        rows = "1 row" if table.rows == 1 else f"{table.rows} rows"
        title = f"{table.title}{suffix}"
        write_files.page(
            site,
            own,
            "table.rst.jinja",
            about={"description": f"{title}: {rows}."},
            title=title,
            elsewhere=[Link(words, page, section)],
            table=inner,
        )
        links[table.name] = [Link(f"{table.title}: {rows}", own, table=table.name)]
    return links
