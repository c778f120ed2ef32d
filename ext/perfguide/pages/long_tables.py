"""Pages for single tables that would make their page too heavy."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from . import write_files
from .context import Site
from .sentences import Link
from .write_tables import PageTable

MAX_CSV_BYTES = 115_000
"""The total size of the CSV files of a page's tables. It keeps a page, with style sheets and
scripts, below 150 kB as served: a table's compressed HTML takes 0.33 to 0.61 of the bytes of its
CSV, and the rest of a page takes 80 kB."""

MAX_ELEMENTS = 12_500
"""The estimated number of HTML elements in a page's tables; a page may have 15,000."""


def too_long(
    tables: Iterable[PageTable],
    max_bytes: int = MAX_CSV_BYTES,
    max_elements: int = MAX_ELEMENTS,
) -> frozenset[str]:
    """Return the names of the tables to move, until the CSV of the remaining ones is at most
    ``max_bytes`` and they have at most ``max_elements`` elements."""
    # Largest first, so that few tables leave the page.
    ranked = sorted(tables, key=lambda table: (-table.size, table.name))
    size, weight = sum(table.size for table in ranked), sum(table.weight for table in ranked)
    out = set()
    for table in ranked:
        if size <= max_bytes and weight <= max_elements:
            break
        out.add(table.name)
        size, weight = size - table.size, weight - table.weight
    return frozenset(out)


def move(
    site: Site,
    page: str,
    tables: Sequence[tuple[PageTable, str, str]],
    max_bytes: int = MAX_CSV_BYTES,
    suffix: str = "",
    back: str = "",
    max_elements: int = MAX_ELEMENTS,
) -> dict[str, list[Link]]:
    """Write pages for tables that are too long for their page, and return links to these by table
    name.

    ``tables`` has each table with its section and the text of the link back there. ``suffix`` is
    appended to its title on the new page. ``back`` is the page with the sections, if not ``page``.
    Tables and rows keep their link names.
    """
    leaving = too_long((table for table, _, _ in tables), max_bytes, max_elements)
    links = {}
    for table, section, words in tables:
        if table.name not in leaving:
            continue
        inner = table.beside()
        address = f"{page}/{inner.file.removesuffix('.csv')}"
        rows = "1 row" if table.rows == 1 else f"{table.rows} rows"
        title = f"{table.title}{suffix}"
        write_files.page(
            site,
            address,
            "table.rst.jinja",
            about={"description": f"{title}: {rows}."},
            title=title,
            elsewhere=[Link(words, back or page, section)],
            table=inner,
        )
        links[table.name] = [Link(f"{table.title}: {rows}", address, table=table.name)]
    return links
