"""Marks beside figures: links where a page can have them, else signs and a list."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from docutils import nodes

from . import html_table

NOTE = ("id", "severity", "title", "reason")
"""What a note says: the finding's address, how bad it is, what, and why."""


def links(translator: Any, node: nodes.Element) -> dict[int, dict[int, str]]:
    """The marks of a table as markup, each with the address of its finding."""
    if not node["marks"]:
        return {}
    builder = translator.builder
    page = f"{builder.config.perfguide_output}/reports/health"
    uri = builder.get_relative_uri(builder.current_docname, page)
    # On a single page the address of another page is an anchor already.
    base = "" if uri.startswith("#") else uri
    out: dict[int, dict[int, str]] = {}
    for row, cells in node["marks"].items():
        for column, found in cells.items():
            out.setdefault(row, {})[column] = "".join(
                html_table.mark(
                    f"{base}#{note['id']}",
                    note["severity"],
                    f"{note['severity'].capitalize()}: {note['title']}: {detail}",
                )
                for note, detail in ((node["notes"][number], words) for number, words in found)
            )
    return out


def sign(found: Sequence[tuple[int, str]]) -> str:
    """What stands behind a figure on paper: `` †1, †2``, or nothing."""
    return f" {', '.join(f'†{note + 1}' for note, _ in found)}" if found else ""


def listed(leaf: nodes.Element) -> nodes.bullet_list:
    """What the signs in a table's cells stand for, where they lead nowhere."""
    items = nodes.bullet_list()
    for number, note in enumerate(leaf["notes"], 1):
        text = f"†{number} {note['severity'].capitalize()}: {note['title']}. {note['reason']}"
        items += nodes.list_item("", nodes.paragraph("", "", nodes.Text(text)))
    return items
