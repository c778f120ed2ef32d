"""Tables of built pages, read back with an HTML parser like that of a browser."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import html5lib

NAMESPACE = "{http://www.w3.org/1999/xhtml}"


@dataclass(frozen=True)
class Figure:
    """A cell with a figure: the heads above it, the keys beside it, its text, and its tab and
    caption."""

    heads: tuple[str, ...]
    keys: tuple[str, ...]
    text: str
    tab: str
    caption: str
    exact: str = ""
    """The text as in files for programs: two decimals for the mean, six digits for the range."""


def _text(node: Any) -> str:
    return " ".join("".join(_words(node)).split())


def _words(node: Any) -> Iterator[str]:
    """Yield a node's text without the marks beside figures."""
    yield node.text or ""
    for child in node:
        if child.get("class", "").split(" ")[0] != "perf-mark":
            yield from _words(child)
        yield child.tail or ""


def _grid(section: Any) -> list[list[str]]:
    """Return a table section with its spans filled in, and a row for each level of a joined
    head."""
    rows = [row for row in section if row.tag == f"{NAMESPACE}tr"]
    levels = [max((len(_levels(cell)) for cell in row), default=1) for row in rows]
    out: list[dict[int, str]] = [{} for _ in range(sum(levels))]
    for number, row in enumerate(rows):
        first, column = sum(levels[:number]), 0
        for cell in row:
            while column in out[first]:
                column += 1
            texts = _levels(cell)
            depth = sum(levels[number : number + int(cell.get("rowspan", 1))])
            texts += texts[-1:] * (depth - len(texts))
            for down, text in enumerate(texts):
                for across in range(int(cell.get("colspan", 1))):
                    out[first + down][column + across] = text
            column += int(cell.get("colspan", 1))
    return [[row[c] for c in sorted(row)] for row in out]


def _levels(cell: Any) -> list[str]:
    """Return the texts of a head; several if levels are joined in it."""
    joined = [each for each in cell.iter() if each.get("class") == "perf-level"]
    # A head with a short name has the full one in this attribute.
    return [each.get("data-name") or _text(each) for each in joined or [cell]]


def figures(page: Path, tree: Any = None) -> Iterator[Figure]:
    """Yield every cell of every table of figures on a page, which may already be parsed."""
    if tree is None:
        tree = html5lib.parse(page.read_text("utf-8"))
    for outer in tree.iter(f"{NAMESPACE}figure"):
        caption = next(outer.iter(f"{NAMESPACE}figcaption"), None)
        title = next(
            (_text(s) for s in caption.iter(f"{NAMESPACE}span") if s.get("class") == "caption-text")
            if caption is not None
            else iter(()),
            "",
        )
        names = {
            button.get("aria-controls"): _text(button)
            for button in outer.iter(f"{NAMESPACE}button")
        }
        for panel_id, table in _tables(outer, ""):
            head = _grid(table.find(f"{NAMESPACE}thead"))
            body = table.find(f"{NAMESPACE}tbody")
            for row in body:
                keys = [_text(c) for c in row if c.tag == f"{NAMESPACE}th"]
                cells = [c for c in row if c.tag == f"{NAMESPACE}td"]
                for position, cell in enumerate(cells):
                    text = _text(cell)
                    column = len(keys) + position
                    heads = tuple(level[column] for level in head)
                    if order := table.get("data-perf-levels"):
                        heads = tuple(heads[int(level)] for level in order.split(","))
                    yield Figure(
                        heads, tuple(keys), text, names.get(panel_id, ""), title, _exact(cell, text)
                    )


def _exact(cell: Any, text: str) -> str:
    mean = next(iter(cell.iter(f"{NAMESPACE}data")), None)
    if mean is None:
        return text
    rest = text[len(_text(mean)) :].replace("−", "-")
    ends = re.sub(r"(min|max) (-?[\d,.]*\d)", _end, rest)
    return f"{float(mean.get('value')):.2f}{ends}"


def _end(match: re.Match[str]) -> str:
    return f"{match[1]} {float(match[2].replace(',', '')):.6g}"


def _tables(node: Any, panel: str) -> Iterator[tuple[str, Any]]:
    for child in node:
        if child.tag == f"{NAMESPACE}table":
            yield panel, child
        else:
            own = child.get("id", "") if child.get("role") == "tabpanel" else panel
            yield from _tables(child, own)
