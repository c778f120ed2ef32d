"""HTML tables as text. Every cell is escaped; none is markup."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from html import escape
from itertools import chain, islice, zip_longest

from ..common import units
from ..common.diagnostics import Severity
from ..common.grouping import grouped
from ..common.units import TableCell
from ..tables.grids import Grid, row_name
from .table_heads import BlockLabels, spans
from .table_widths import (
    MAX_VALUE_CHARS,
    MIN_SCALE,
    STEPS_REM,
    PhoneColumns,
    is_words,
    max_decimals,
    zero_class,
)

_ARROWS = {units.ARROWS["higher"]: "higher is better", units.ARROWS["lower"]: "lower is better"}


def _symbol(sign: str, name: str, classes: str) -> str:
    return f'<span class="{classes}" role="img" aria-label="{name}" title="{name}">{sign}</span>'


NOT_MEASURED = _symbol(units.MISSING, "not measured", "perf-missing")
"""The content of a cell without a figure."""

BOARD_COLOURS = 8
"""The number of board colours; the ninth board reuses the first."""

MAX_TABLE_HEADS = 24
"""The number of columns whose labels are attributes of the table; beyond it, each cell has its
own."""
_NOT_IN_QUOTES = re.compile(r"['\\\x00-\x1f\x7f]")

MAX_DETAIL_CHARS = 24
"""The longest detail of a row's name that is set in small type."""

MAX_OPEN_ROWS, FIRST_ROWS = 15, 8
"""In a guide, a table with more rows than the first number initially shows the second."""

MAX_PHONE_ROWS, FIRST_PHONE_ROWS = 9, 5
"""The same on a phone, for a table that keeps its columns there."""

FIRST_BLOCKS, FIRST_LARGE_BLOCKS, LARGE_BLOCK_FIGURES = 3, 2, 6
"""The number of rows that a stacked table initially shows, as each takes the space of five; and for
rows with more figures than the third number."""


def label(text: TableCell) -> str:
    """Return a column head or row key; a trailing arrow gets a name for screen readers."""
    if not isinstance(text, str):
        return _data(text)
    if text[-1:] in _ARROWS:
        return escape(text[:-1]) + _symbol(text[-1], _ARROWS[text[-1]], "perf-better")
    return escape(text)


def mark(sign: str, severity: Severity, uri: str, texts: Sequence[tuple[str, str]]) -> str:
    """Return the sign beside a figure, a link to the worst finding about it. ``texts`` are names
    and details of findings; screen readers read the title as the description of the link."""
    # The rest of the detail is where the link leads; a page may have a thousand marks.
    title = "; ".join(f"{name}: {detail.partition('; ')[0]}" for name, detail in texts)
    return (
        f'<a class="perf-mark perf-mark-{escape(severity)}" href="{escape(uri)}" '
        f'title="{escape(title)}" aria-label="{escape(texts[0][0])}">{sign}</a>'
    )


def box(number: int) -> str:
    """Return a square in a board's colour."""
    return (
        '<svg class="perf-box" width="9" height="9" viewBox="0 0 9 9" aria-hidden="true">'
        f'<rect class="perf-f{number % BOARD_COLOURS}" width="9" height="9"/></svg>'
    )


def _data(figure: units.Figure, attribute: str = "") -> str:
    """Return a number as text, with all digits for programs."""
    return f'<data value="{figure[0]!r}"{attribute}>{escape(figure[1])}</data>'


def _cell(
    content: TableCell, marks: str, link: str, head: str, decimals: int, group_class: str
) -> str:
    """Return a ``td``, with the spread set apart from the mean.

    ``marks`` is markup after the text, ``link`` an address, ``head`` an attribute with the column's
    head, ``decimals`` those of its column, and ``group_class`` the class of its columns.
    """
    kind, spread = f' class="perf-n{group_class}"', ""
    if not isinstance(content, str):
        padded = zero_class(content, decimals)
        inner = _data(content, f' class="{padded}"' if padded else "")
        spread = f'<span class="perf-spread">{escape(content[2])}</span>' if content[2] else ""
    elif content == units.MISSING:
        inner = NOT_MEASURED
    elif content == units.FAILED:
        inner = f'<span class="perf-failed">{content}</span>'
    else:
        kind = ' class="perf-words"' if len(content) > MAX_VALUE_CHARS else ""
        inner = escape(content)
    if link:
        inner = f'<a href="{escape(link)}">{inner}</a>'
    return f"<td{kind}{head}>{inner}{marks}{spread}</td>"


def head(
    table: Grid,
    boards: Mapping[str, int] | None = None,
    joined: int = 0,
    groups: Sequence[int] = (),
) -> str:
    """Return the ``thead``. Equal neighbours on upper levels share a cell; the first ``joined``
    levels, which are the same for all columns of figures, share a row.

    Full texts of shortened heads become tooltips. Heads of columns of figures are right-aligned,
    and those of ``boards`` get the coloured square of their number. ``groups`` are those of
    :class:`PhoneColumns`.
    """
    header, stub = table.header, table.stub
    numbers, figures = boards or {}, figure_columns(table)
    out, rows = ["<thead>"], len(header) - max(0, joined - 1)
    for level, row in enumerate(header):
        if 0 < level < joined:
            continue
        out.append("<tr>")
        for start, end in spans(header, level, stub):
            if start < stub:
                if cell := _key_head(header, level, start, rows):
                    out.append(cell)
                continue
            scope = "col"
            if end - start > 1:
                scope = f'colgroup" colspan="{end - start}'
            classes = ["perf-n"] if start in figures and level == len(header) - 1 else []
            if groups and groups[start] == groups[end - 1]:
                classes.append(f"perf-g{groups[start]}")
            attributes = f' class="{" ".join(classes)}"' if classes else ""
            if level < joined - 1:
                parts = (_named(table, upper[start], numbers) for upper in header[:joined])
                # The style sheet has the commas, which would otherwise begin lines.
                content = " ".join(
                    f'<span class="perf-level"{names}>{text}</span>' for names, text in parts
                )
            else:
                names, content = _named(table, row[start], numbers)
                attributes += names
            out.append(f'<th scope="{scope}"{attributes}>{content}</th>')
        out.append("</tr>")
    return f"{''.join(out)}</thead>"


def _key_head(header: Sequence[Sequence[str]], level: int, column: int, rows: int) -> str:
    """Return the head of a row key, which spans all ``rows`` if no level below names it; empty if
    it is part of the one above."""
    is_alone = not any(below[column] for below in header[1:])
    if level and is_alone:
        return ""
    attributes = f' rowspan="{rows}"' if rows > 1 and is_alone else ""
    attributes += ' class="perf-key"' if column == 0 else ""
    return f'<th scope="col"{attributes}>{label(header[level][column])}</th>'


def _named(table: Grid, text: str, boards: Mapping[str, int]) -> tuple[str, str]:
    """Return the attributes and the content of a figure column's head."""
    attributes, short = "", table.shorts.get(text, "")
    if short:
        full = escape(text)
        attributes += f' title="{full}" data-name="{full}"'
    if raw_name := table.head_names.get(text):
        attributes += f' data-raw="{escape(raw_name)}"'
    if text not in boards:
        return attributes, label(short or text)
    # Keep the square on one line with the first word.
    first, blank, rest = (short or text).partition(" ")
    together = f'<span class="perf-first">{box(boards[text])} {escape(first)}</span>'
    return attributes, f"{together}{blank}{escape(rest)}"


def figure_columns(table: Grid) -> set[int]:
    """Return the columns that have figures and no other text."""
    cells = [(column, row[column]) for row in table.rows for column in range(table.stub, len(row))]
    figures = {column for column, content in cells if not isinstance(content, str)}
    return figures - {column for column, content in cells if is_words(content)}


def has_no_figures(table: Grid) -> bool:
    """Return whether none of several rows has a figure, as for a board without the releases
    shown."""
    cells = (cell for row in table.rows for cell in row[table.stub :])
    return len(table.rows) > 1 and all(cell == units.MISSING for cell in cells)


def style(labels: BlockLabels, on_phones: PhoneColumns | None = None) -> str:
    """Return the ``style`` attribute that ``stacked.css`` works with: the labels of the columns,
    and the number and width of figures per line; and those of its columns ``on_phones``."""
    named = enumerate(labels.columns[:MAX_TABLE_HEADS], start=1)
    parts = [f"--h{number}:'{_quoted(text)}'" for number, text in named if text]
    if labels.over_all:
        parts.append(f"--ha:'{_quoted(labels.over_all)}'")
    if labels.beside:
        parts.append(f"--hn:{labels.beside}")
    if labels.has_groups:
        parts.append("--hs:pre")
    if labels.is_long:
        parts.append("--hw:7.4rem")
    if on_phones:
        parts.append(on_phones.style)
    return f' style="{escape(";".join(parts))}"' if parts else ""


def _quoted(text: str) -> str:
    """Return a text as the content of a quoted string in a style sheet."""
    return _NOT_IN_QUOTES.sub(lambda sign: f"\\{ord(sign[0]):x} ", text)


def choice(on_phones: PhoneColumns, name: str) -> str:
    """Return the controls that choose which group of columns of the table ``name`` a phone shows;
    empty for one group."""
    buttons = (
        f'<label><input type="radio" name="{escape(name)}"{"" if number else " checked"}> '
        f"{label(head)}</label>"
        for number, head in enumerate(on_phones.heads)
    )
    group = f'role="radiogroup" aria-label="{escape(name)}: columns"'
    return f'<div class="perf-pick" {group}>{"".join(buttons)}</div>' if on_phones.heads else ""


def body(
    table: Grid,
    labels: Sequence[str],
    prefix: str = "",
    marks: Mapping[tuple[int, int], str] | None = None,
    links: Mapping[tuple[int, int], str] | None = None,
    hidden: Mapping[int, str] | None = None,
    groups: Sequence[int] = (),
    boards: Collection[str] = (),
) -> str:
    """Return the ``tbody``; each row has an anchor made from its keys without their units.

    ``labels`` are those of the columns in blocks. By row and column, ``marks`` is markup that
    follows a cell's text, and ``links`` an address. ``hidden`` has the classes of rows that are
    initially hidden, and ``groups`` are those of :class:`PhoneColumns`. ``boards`` are names in
    heads.
    """
    rows, stub, header = table.rows, table.stub, table.header
    raw_names = {(row, column): name for row, column, name in table.names}
    width = max((len(row) for row in rows), default=0)
    heads = [f' data-head="{escape(text)}"' if text else "" for text in labels[MAX_TABLE_HEADS:]]
    heads = [""] * MAX_TABLE_HEADS + heads + [""] * (width - MAX_TABLE_HEADS - len(heads))
    # Columns that only differ in their board have the same digits, as readers compare along rows.
    alike = grouped(
        range(stub, width),
        lambda column: tuple(names[column] for names in header if names[column] not in boards),
    )
    decimals = dict[int, int]()
    for like in alike.values():
        most = max_decimals(row[c] for row in rows for c in like if c < len(row))
        decimals |= dict.fromkeys(like, most)
    # Without a unit in common, an integer may be a count.
    is_mixed = bool(header) and "Unit" in header[0][:stub]
    out, used = ["<tbody>"], Counter[str]()
    for number, row in enumerate(rows):
        name = row_name([raw_names.get((number, c), row[c]) for c in range(stub)], header, stub)
        used[name] += 1
        if used[name] > 1:
            # Rows may differ only in units, which addresses omit.
            name = f"{name}--{used[name]}"
        attributes = f' id="{escape(prefix)}--{name}"' if prefix and name else ""
        if hidden and number in hidden:
            attributes += f' class="{hidden[number]}"'
        out.append(f"<tr{attributes}>")
        for column, content in enumerate(row):
            if column < stub:
                out.append(_key_cell(content, column, heads[column]))
                continue
            at = number, column
            group_class = f" perf-g{groups[column]}" if groups else ""
            places = 0 if is_mixed and "." not in units.whole(content) else decimals[column]
            link, signs = (links or {}).get(at, ""), (marks or {}).get(at, "")
            out.append(_cell(content, signs, link, heads[column], places, group_class))
        out.append("</tr>")
    return f"{''.join(out)}</tbody>"


def _key_cell(content: TableCell, column: int, head: str) -> str:
    """Return a row key. The first has anything after its last comma, such as a size, in small
    type."""
    # Screen readers would announce an empty row head as nameless.
    is_empty = isinstance(content, str) and not content.strip()
    tag, scope = ("td", "") if is_empty else ("th", ' scope="row"')
    inner, kind = label(content), ""
    if column == 0:
        kind = ' class="perf-key"'
        name, comma, detail = units.whole(content).rpartition(", ")
        if isinstance(content, str) and comma and len(detail) <= MAX_DETAIL_CHARS:
            inner = f"{escape(name)}<small>, {escape(detail)}</small>"
    return f"<{tag}{scope}{kind}{head}>{inner}</{tag}>"


def first_rows(
    rows: Sequence[Sequence[TableCell]], is_stacked: bool, has_columns: bool = False
) -> set[int] | None:
    """Return the rows that a guide's table initially shows, or ``None`` for all; if it
    ``is_stacked``, those on a phone, where ``has_columns`` means a line for each. With keys such as
    ``Copy, 1 MiB``, operations take turns, each starting with the most common size."""
    max_open, first = MAX_OPEN_ROWS, FIRST_ROWS
    if has_columns:
        max_open, first = MAX_PHONE_ROWS, FIRST_PHONE_ROWS
    elif is_stacked and rows:
        figures = sum(not isinstance(cell, str) for cell in rows[0])
        first = FIRST_BLOCKS if figures <= LARGE_BLOCK_FIGURES else FIRST_LARGE_BLOCKS
        # A checkbox for a single row would take as much space as the row.
        max_open = first + 1
    if len(rows) <= max_open:
        return None
    parts = [units.whole(row[0]).rpartition(", ")[::2] for row in rows]
    usual = Counter(size for operation, size in parts if operation).most_common(1)
    groups = grouped(range(len(parts)), lambda number: parts[number][0] or parts[number][1])
    for numbers in groups.values():
        numbers.sort(key=lambda number: bool(usual) and parts[number][1] != usual[0][0])
    turns = chain.from_iterable(zip_longest(*groups.values()))
    return {*islice((number for number in turns if number is not None), first)}


def stacked(rules: str) -> str:
    """Return the rules of ``stacked.css`` for each of ``STEPS_REM``; they apply if a table of that
    width does not fit into its container even in small type."""
    # A style sheet cannot query whether a table fits, only how wide its container is.
    parts = [
        f".perf-grid tbody tr > :nth-child({number}) {{ --h: var(--h{number}); }}\n"
        for number in range(1, MAX_TABLE_HEADS + 1)
    ]
    small = f"--perf-rem: {MIN_SCALE}rem; --perf-side: 0.3rem;"
    for step in STEPS_REM:
        container = f"@container (width < {step}rem)"
        parts.append(f"{container} {{ .perf-from-{step} {{ {small} }} }}\n")
        parts.append(f"{container} {{\n{rules.replace('&', f'.perf-to-{step}')}}}\n")
    parts.append(f".perf-from-0 {{ {small} }}\n{rules.replace('&', '.perf-to-0')}")
    return f"@media screen {{\n{''.join(parts)}}}\n"


def columns(widths: Sequence[int]) -> str:
    """Return the ``colgroup`` for relative widths; empty without widths."""
    if not widths:
        return ""
    shares = "".join(f'<col style="width: {100 * w / sum(widths):.1f}%">' for w in widths)
    return f"<colgroup>{shares}</colgroup>"
