"""Parts of pages that HTML draws, and that other formats print as ordinary nodes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.transforms.post_transforms import SphinxPostTransform

from ..common.diagnostics import visible

MAX_PRINTED_CHARS = 200
"""The characters of a cell from data in a printed table."""


class ScreenNode(nodes.General, nodes.Element):
    """A node with a drawing of its own in HTML."""

    def printed(self) -> list[nodes.Node]:
        """Return the nodes that replace it in formats other than HTML."""
        raise NotImplementedError


class NotHtmlTransform(SphinxPostTransform):
    """A transform for all formats but HTML."""

    formats = ("html",)

    def is_supported(self) -> bool:
        """Return whether pages are written in another format."""
        return not super().is_supported()


class PrintScreenNodes(NotHtmlTransform):
    """Replace nodes that only HTML can draw."""

    default_priority = 9  # before references are resolved

    def run(self, **kwargs: Any) -> None:
        """Replace all of them, outer ones first."""
        for node in list(self.document.findall(ScreenNode)):
            node.replace_self(node.printed())


def printed_table(
    head: Sequence[nodes.Node | str],
    lines: Sequence[Sequence[nodes.Node | str]],
    widths: Sequence[int] = (),
    classes: Sequence[str] = (),
) -> nodes.table:
    """Return a table of docutils with a head, and columns of relative widths (default: equal)."""
    group = nodes.tgroup(cols=len(head))
    group.extend(nodes.colspec(colwidth=width) for width in widths or [1] * len(head))
    group += nodes.thead("", _row(head))
    group += nodes.tbody("", *map(_row, lines))
    return nodes.table("", group, classes=[*classes])


def _row(cells: Sequence[nodes.Node | str]) -> nodes.row:
    leaves = [
        nodes.Text(visible(cell, MAX_PRINTED_CHARS)) if isinstance(cell, str) else cell
        for cell in cells
    ]
    return nodes.row("", *(nodes.entry("", nodes.paragraph("", "", leaf)) for leaf in leaves))


def setup(app: Sphinx) -> None:
    """Register the transform."""
    app.add_post_transform(PrintScreenNodes)
