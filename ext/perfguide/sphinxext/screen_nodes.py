"""Parts of pages that HTML draws and other formats print as ordinary nodes."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, ClassVar

import jinja2
from docutils import nodes
from jinja2.ext import Extension
from markupsafe import Markup
from sphinx.application import Sphinx
from sphinx.transforms.post_transforms import SphinxPostTransform

from ..common import units
from ..common.diagnostics import visible
from ..common.package import ROOT
from .config import page_name, page_uri
from .html_table import BOARD_COLOURS, NOT_MEASURED, box
from .table_widths import zero_classes

MAX_PRINTED_CHARS = 200
"""The maximum length of a cell from data in a printed table."""


class _OneLine(Extension):
    """Templates whose line breaks and indentation only serve readers of the template."""

    def preprocess(self, source: str, name: str | None, filename: str | None = None) -> str:
        """Return a template without line breaks."""
        return re.sub(r"\s*\n\s*", "", source)


@cache
def templates() -> jinja2.Environment:
    """Return the environment of the HTML templates, in which every value is escaped."""
    out = jinja2.Environment(
        loader=jinja2.FileSystemLoader(ROOT / "sphinxext" / "templates"),
        undefined=jinja2.StrictUndefined,
        autoescape=True,
        extensions=[_OneLine],
    )
    out.filters.update(visible=visible, exact=units.exact, number=units.number)
    out.globals.update(
        zip=zip,
        words=words,
        zero_classes=zero_classes,
        arrows=units.ARROWS,
        not_measured=Markup(NOT_MEASURED),
        colours=BOARD_COLOURS,
        box=lambda number: Markup(box(number)),
    )
    return out


def words(*parts: str, sign: str = ", ") -> str:
    """Return the non-empty parts, joined by a sign."""
    return sign.join(filter(None, parts))


class Links:
    """Addresses of pages relative to the one being written. An empty address means ``default`` or,
    without that, the page being written."""

    def __init__(self, builder: Any, top: str, default: str = "") -> None:
        self._builder, self._top, self._default = builder, top, default

    def __call__(self, address: str, fragment: str = "") -> str:
        """Return the relative address of a page, or of an anchor on it."""
        address = address or self._default
        if not address:
            return f"#{fragment}"
        return page_uri(self._builder, page_name(self._top, address), fragment)


class ScreenNode(nodes.General, nodes.Element):
    """A node that HTML draws with a ``template``."""

    template: ClassVar[str] = ""

    def values(self, builder: Any) -> dict[str, Any]:
        """Return the variables of the template."""
        raise NotImplementedError

    def printed(self) -> list[nodes.Node]:
        """Return the nodes that replace it in other formats."""
        raise NotImplementedError


def write_html(translator: Any, node: ScreenNode) -> None:
    """Write a node by rendering its template."""
    # A box only has room for the first anchor.
    anchor = Markup(' id="{}"').format(node["ids"][0]) if node["ids"] else ""
    template = templates().get_template(f"{node.template}.html.jinja")
    translator.body.append(template.render(id=anchor, **node.values(translator.builder)))
    raise nodes.SkipNode


def writes(html: str) -> Callable[[Any, nodes.Element], None]:
    """Return a visitor that writes the same HTML for each node."""
    return lambda translator, _node: translator.body.append(html)


def no_visitor(_translator: Any, node: nodes.Element) -> None:
    """Fail, as post-transforms have replaced all nodes of this class."""
    raise AssertionError(f"{type(node).__name__} outlived the post-transforms")


class NotHtmlTransform(SphinxPostTransform):
    """A transform for all formats except HTML."""

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
    """Return a docutils table with a head and columns of relative widths (equal by default)."""
    group = nodes.tgroup(cols=len(head))
    group.extend(nodes.colspec(colwidth=width) for width in widths or [1] * len(head))
    group += nodes.thead("", _row(head))
    group += nodes.tbody("", *map(_row, lines))
    # Without this class the HTML of docutils has no widths.
    given = ["colwidths-given"] if widths else []
    return nodes.table("", group, classes=[*classes, *given])


def _row(cells: Sequence[nodes.Node | str]) -> nodes.row:
    leaves = [
        nodes.Text(visible(cell, MAX_PRINTED_CHARS)) if isinstance(cell, str) else cell
        for cell in cells
    ]
    return nodes.row("", *(nodes.entry("", nodes.paragraph("", "", leaf)) for leaf in leaves))


def setup(app: Sphinx) -> None:
    """Register the transform."""
    app.add_post_transform(PrintScreenNodes)
