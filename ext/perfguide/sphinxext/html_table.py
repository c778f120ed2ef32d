"""The parts of an HTML table as text. Every cell is escaped; none is markup."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from html import escape

from ..common import units
from ..tables.grids import row_name

_ARROWS = {units.ARROWS["higher"]: "higher is better", units.ARROWS["lower"]: "lower is better"}
_FIGURE = re.compile(r"([-+−]?[0-9][0-9.,]*(?:e[-+]?[0-9]+)?(?: ?%)?)(( \(|;| n=).*)?", re.DOTALL)

_WIDE = ' class="perf-words"'
WORDS = 40
"""A cell of more characters is words, and needs room also where the page is narrow."""


def _symbol(sign: str, name: str, classes: str) -> str:
    return f'<span class="{classes}" role="img" aria-label="{name}" title="{name}">{sign}</span>'


def label(text: str) -> str:
    """A head or a row key; its arrow, if it ends with one, gets a name."""
    if text[-1:] in _ARROWS:
        return escape(text[:-1]) + _symbol(text[-1], _ARROWS[text[-1]], "perf-better")
    return escape(text)


def mark(uri: str, severity: str, words: str) -> str:
    """The sign beside a figure that leads to the finding about it."""
    said = escape(words)
    return (
        f'<a class="perf-mark perf-mark-{escape(severity)}" href="{escape(uri)}" '
        f'title="{said}" aria-label="{said}">†</a>'
    )


def cell(text: str, marks: str = "", link: str = "") -> str:
    """One ``td``, with ``marks`` as markup; what is behind the mean is set apart from it.
    With a link the text leads to that address."""
    plain = _cell(text)
    if link:
        start, _, inner = plain.partition(">")
        plain = f'{start}><a href="{escape(link)}">{inner.removesuffix("</td>")}</a></td>'
    return f"{plain.removesuffix('</td>')}{marks}</td>" if marks else plain


def _cell(text: str) -> str:
    if text == units.MISSING:
        return f'<td class="perf-n">{_symbol(text, "not measured", "perf-missing")}</td>'
    if text == units.FAILED:
        return f'<td class="perf-n"><span class="perf-failed">{text}</span></td>'
    if found := _FIGURE.fullmatch(text):
        rest = escape(found[2]) if found[2] else ""
        spread = f'<span class="perf-spread">{rest}</span>' if rest else ""
        return f'<td class="perf-n">{escape(found[1])}{spread}</td>'
    return f"<td{_WIDE if len(text) > WORDS else ''}>{escape(text)}</td>"


def head(header: Sequence[Sequence[str]], stub: int) -> str:
    """The ``thead``; equal neighbours on an upper level share one cell."""
    out = ["<thead>"]
    levels = len(header)
    for level, row in enumerate(header):
        out.append("<tr>")
        start = 0
        while start < len(row):
            end = start + 1
            attributes = ' scope="col"'
            if start < stub:
                if level and not row[start] and _key_spans(header, start):
                    start = end
                    continue
                if level == 0 and levels > 1 and _key_spans(header, start):
                    attributes += f' rowspan="{levels}"'
                if start == 0:
                    attributes += ' class="perf-key"'
            else:
                while level < levels - 1 and end < len(row) and joined(header, level, start, end):
                    end += 1
                if end - start > 1:
                    attributes = f' scope="colgroup" colspan="{end - start}"'
            out.append(f"<th{attributes}>{label(row[start])}</th>")
            start = end
        out.append("</tr>")
    out.append("</thead>")
    return "".join(out)


def _key_spans(header: Sequence[Sequence[str]], column: int) -> bool:
    """Whether a key column's head stands in the first row alone."""
    return not any(row[column] for row in header[1:])


def joined(header: Sequence[Sequence[str]], level: int, start: int, end: int) -> bool:
    """Whether two columns have the same heads down to a level."""
    return all(row[start] == row[end] for row in header[: level + 1])


def body(
    rows: Iterable[Sequence[str]],
    stub: int,
    prefix: str,
    header: Sequence[Sequence[str]],
    marks: Mapping[int, Mapping[int, str]] | None = None,
    links: Mapping[tuple[int, int], str] | None = None,
) -> str:
    """The ``tbody``; each row has an address made from its keys but for their units.

    By row and column, ``marks`` holds the markup that stands behind a cell's text, and
    ``links`` the address that it leads to.
    """
    out = ["<tbody>"]
    used: dict[str, int] = {}
    for number, row in enumerate(rows):
        beside = (marks or {}).get(number, {})
        name = row_name(row, header, stub)
        used[name] = used.get(name, 0) + 1
        if used[name] > 1:
            name = f"{name}--{used[name]}"
        out.append(f'<tr id="{escape(prefix)}--{name}">' if prefix and name else "<tr>")
        for position, text in enumerate(row):
            if position < stub:
                kind = ' class="perf-key"' if position == 0 else ""
                # An empty cell is no row head: it would be announced as one without a name.
                tag, scope = ("th", ' scope="row"') if text.strip() else ("td", "")
                out.append(f"<{tag}{scope}{kind}>{label(text)}</{tag}>")
            else:
                link = (links or {}).get((number, position), "")
                out.append(cell(text, beside.get(position, ""), link))
        out.append("</tr>")
    out.append("</tbody>")
    return "".join(out)


def columns(widths: Sequence[int]) -> str:
    """The ``colgroup`` for relative widths; nothing where the cells decide."""
    if not widths:
        return ""
    shares = "".join(f'<col style="width: {100 * w / sum(widths):.1f}%">' for w in widths)
    return f"<colgroup>{shares}</colgroup>"
