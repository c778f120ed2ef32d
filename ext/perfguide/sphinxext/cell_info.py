"""What an HTML table says to scripts: which rows and columns it shows, in which units,
and where the file is that says what is behind them."""

from __future__ import annotations

import json
import posixpath
from collections.abc import Sequence
from html import escape
from typing import Any
from urllib.parse import quote

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.util.typing import ExtensionMetadata

from ..common import units


class perf_behind(nodes.General, nodes.Element):  # noqa: N801
    """Stands behind a table while pages are read, so that its file is copied."""


def behind(docname: str, name: str) -> perf_behind:
    """The file that says what is behind the cells of the table before it."""
    link = addnodes.download_reference("", "", reftarget=f"/{name}", refdoc=docname)
    return perf_behind("", link)


def taken(table: nodes.Element) -> str:
    """The copied file of a table; its node is removed."""
    place = table.parent.index(table)
    for node in table.parent.children[place + 1 : place + 3]:
        if isinstance(node, perf_behind):
            table.parent.remove(node)
            link = node[0]
            assert isinstance(link, nodes.Element)
            return str(link.get("filename", ""))
    return ""


def attribute(translator: Any, filename: str) -> str:
    """What a table's figure says of its file."""
    if not filename or not translator.builder.download_support:
        return ""
    address = posixpath.join(translator.builder.dlpath, quote(filename))
    return f' data-cells="{escape(address)}"'


def places(rows: Sequence[int], columns: Sequence[int]) -> str:
    """Which rows and columns of its file a table shows, where these are not all: the
    numbers, or the first one where the others follow it."""
    out = ""
    for name, numbers in (("rows", rows), ("columns", columns)):
        if numbers and list(numbers) == list(range(numbers[0], numbers[0] + len(numbers))):
            numbers = numbers[:1]
        if numbers and list(numbers) != [0]:
            out += f' data-perf-{name}="{",".join(map(str, numbers))}"'
    return out


def scales(header: Sequence[Sequence[str]], body: Sequence[Sequence[str]], stub: int) -> str:
    """What a table says of its units where its rows have several: for each text of the
    column "Unit" the kind, and the factor into the base unit of that kind. Sorting
    compares figures of one kind by value, and keeps kinds apart."""
    keys = list(header[0][:stub]) if header else []
    if "Unit" not in keys:
        return ""
    texts = dict.fromkeys(row[keys.index("Unit")] for row in body)
    if len(texts) < 2:
        return ""
    named = {text: units.parse(text.rstrip(" ↑↓")) for text in texts}
    known = {text: [unit.kind, unit.scale] for text, unit in named.items()}
    return f' data-perf-units="{escape(json.dumps(known, ensure_ascii=False))}"'


def _skip(_translator: Any, _node: nodes.Element) -> None:
    raise nodes.SkipNode


def setup(app: Sphinx) -> ExtensionMetadata:
    """Register the node."""
    formats = ("html", "latex", "text", "man", "texinfo")
    skip: dict[str, Any] = dict.fromkeys(formats, (_skip, None))
    app.add_node(perf_behind, **skip)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
