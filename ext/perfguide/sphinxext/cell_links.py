"""Cells of a table that lead to other pages of the site."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from docutils import nodes

Link = tuple[int, int, str, str]
"""The number of the row and of the column, the page, and the fragment."""


def links(given: Sequence[Sequence[Any]], top: str) -> list[Link]:
    """What a file of links says, with pages below ``top`` and fragments as docutils
    makes them of a table's name."""
    return [
        (row, column, f"{top}/{page}", f"{address(table)}{end}")
        for row, column, page, table, end in given
    ]


def address(name: str) -> str:
    """The address that docutils makes of a table's name."""
    return nodes.make_id(nodes.fully_normalize_name(name))


def targets(builder: Any, given: Sequence[Link]) -> dict[tuple[int, int], str]:
    """The addresses that cells lead to, as seen from the page that is being written."""
    here, out = builder.current_docname, {}
    for row, column, page, fragment in given:
        if page in builder.env.found_docs:
            uri = builder.get_relative_uri(here, page)
            # Where all pages are one, each has a fragment for an address already.
            out[row, column] = f"{uri.partition('#')[0]}#{fragment}"
    return out
