"""HTML tables as text. Every cell is escaped; none is markup."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from html import escape
from itertools import chain, islice, zip_longest
from statistics import median
from typing import NamedTuple

from ..common import units
from ..common.diagnostics import SIGNS, Severity
from ..common.grouping import grouped
from ..common.units import TableCell
from ..tables.grids import row_name

_ARROWS = {units.ARROWS["higher"]: "higher is better", units.ARROWS["lower"]: "lower is better"}

MAX_VALUE_CHARS = 40
"""Longer text is set as prose, which needs a wide column even on a narrow page."""


def _symbol(sign: str, name: str, classes: str) -> str:
    return f'<span class="{classes}" role="img" aria-label="{name}" title="{name}">{sign}</span>'


NOT_MEASURED = _symbol(units.MISSING, "not measured", "perf-missing")
"""The content of a cell without a figure."""


def label(text: TableCell) -> str:
    """Return a column head or row key; a trailing arrow gets a name for screen readers."""
    if not isinstance(text, str):
        return _data(text)
    if text[-1:] in _ARROWS:
        return escape(text[:-1]) + _symbol(text[-1], _ARROWS[text[-1]], "perf-better")
    return escape(text)


def mark(uri: str, severity: Severity, name: str, detail: str) -> str:
    """Return the mark beside a figure, a link to the finding about it. Screen readers read its title as
    the description of the link."""
    # The rest of the detail is where the link leads; a page may have a thousand marks.
    first = detail.partition("; ")[0]
    return (
        f'<a class="perf-mark perf-mark-{escape(severity)}" href="{escape(uri)}" '
        f'title="{escape(f"{name}: {first}")}" aria-label="{escape(name)}">{SIGNS[severity]}</a>'
    )


def _data(figure: units.Figure, attribute: str = "") -> str:
    """Return a number as text, with all digits for programs."""
    return f'<data value="{figure[0]!r}"{attribute}>{escape(figure[1])}</data>'


_PLAIN_NUMBER = re.compile(r"[-−]?([0-9,]+)(?:\.([0-9]+))?")


def _zeros(content: TableCell, decimals: int) -> int:
    """Return how many zeros a number lacks to the ``decimals`` of its column, or to the significant
    digits that pages show, whichever are fewer."""
    match = None if isinstance(content, str) else _PLAIN_NUMBER.fullmatch(content[1])
    if match is None:
        return 0
    whole, own = match[1].replace(",", ""), match[2] or ""
    significant = len((whole + own).lstrip("0")) or len(whole + own)
    return max(0, min(decimals - len(own), units.DIGITS - significant))


def _decimals(content: TableCell) -> int:
    """Return the number of decimals of a cell: 0 unless it is a plain number."""
    match = None if isinstance(content, str) else _PLAIN_NUMBER.fullmatch(content[1])
    return len(match[2] or "") if match else 0


def _padding_class(content: units.Figure, decimals: int) -> str:
    """Return the class attribute that gives a number the digits of its column. Style sheets add the
    zeros, so that they are not copied with the text."""
    zeros = _zeros(content, decimals)
    return f' class="perf-{"z" if "." in content[1] else "p"}{zeros}"' if zeros else ""


def cell(
    content: TableCell,
    marks: str = "",
    link: str = "",
    head: str = "",
    decimals: int = 0,
    of_group: str = "",
) -> str:
    """Return a ``td``, with the spread set apart from the mean.

    ``marks`` is markup after the text, ``link`` an address, ``head`` an attribute with the column's
    head, ``decimals`` those of its column, and ``of_group`` the class of its columns.
    """
    kind, spread = f' class="perf-n{of_group}"', ""
    if not isinstance(content, str):
        inner = _data(content, _padding_class(content, decimals))
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


def shortened(
    header: Sequence[Sequence[str]], shorts: Mapping[str, str]
) -> Sequence[Sequence[str]]:
    """Return the head with its texts replaced by short names."""
    return [[shorts.get(text, text) for text in row] for row in header] if shorts else header


def _named(text: str, short: str, raw_name: str, number: int | None) -> tuple[str, str]:
    """Return the attributes and the content of a figure column's head; ``number`` is that of a
    board."""
    attributes = ""
    if short:
        full = escape(text)
        attributes += f' title="{full}" data-name="{full}"'
    if raw_name:
        attributes += f' data-raw="{escape(raw_name)}"'
    if number is None:
        return attributes, label(short or text)
    # Keep the square on one line with the first word.
    first, blank, rest = (short or text).partition(" ")
    together = f'<span class="perf-first">{box(number)} {escape(first)}</span>'
    return attributes, f"{together}{blank}{escape(rest)}"


def head(
    header: Sequence[Sequence[str]],
    stub: int,
    shorts: Mapping[str, str] | None = None,
    figures: Collection[int] = (),
    boards: Mapping[str, int] | None = None,
    raw_names: Mapping[str, str] | None = None,
    joined: int = 0,
    groups: Sequence[int] = (),
) -> str:
    """Return the ``thead``. Equal neighbours on upper levels share a cell; the first ``joined``
    levels, which are the same for all columns of figures, share a row.

    ``shorts`` maps texts to short names; the full texts become tooltips. Heads of the columns
    ``figures`` are right-aligned, and those of ``boards`` get the coloured square of their number.
    ``raw_names`` maps heads to the texts used in addresses, where these differ. ``groups`` are those
    of :class:`PhoneColumns`.
    """
    out, rows = ["<thead>"], len(header) - max(0, joined - 1)
    shorts, raw_names, boards = shorts or {}, raw_names or {}, boards or {}

    def named(text: str) -> tuple[str, str]:
        return _named(text, shorts.get(text, ""), raw_names.get(text, ""), boards.get(text))

    for level, row in enumerate(header):
        if 0 < level < joined:
            continue
        out.append("<tr>")
        for start, end in spans(header, level, stub):
            attributes, content = ' scope="col"', ""
            if start < stub:
                alone = not any(below[start] for below in header[1:])
                if level and alone:
                    continue
                if rows > 1 and alone:
                    attributes += f' rowspan="{rows}"'
                if start == 0:
                    attributes += ' class="perf-key"'
                content = label(row[start])
            elif end - start > 1:
                attributes = f' scope="colgroup" colspan="{end - start}"'
            classes = ["perf-n"] if start in figures and level == len(header) - 1 else []
            if start >= stub and groups and groups[start] == groups[end - 1]:
                classes.append(f"perf-g{groups[start]}")
            attributes += f' class="{" ".join(classes)}"' if classes else ""
            if start >= stub and level < joined - 1:
                parts = (named(upper[start]) for upper in header[:joined])
                # The style sheet has the commas, which would otherwise begin lines.
                content = " ".join(
                    f'<span class="perf-level"{own}>{text}</span>' for own, text in parts
                )
            elif start >= stub:
                own, content = named(row[start])
                attributes += own
            out.append(f"<th{attributes}>{content}</th>")
        out.append("</tr>")
    out.append("</thead>")
    return "".join(out)


BOARD_COLOURS = 8
"""The number of board colours; the ninth board reuses the first."""


def box(number: int) -> str:
    """Return a square in a board's colour."""
    return (
        '<svg class="perf-box" width="9" height="9" viewBox="0 0 9 9" aria-hidden="true">'
        f'<rect class="perf-f{number % BOARD_COLOURS}" width="9" height="9"/></svg>'
    )


def spans(header: Sequence[Sequence[str]], level: int, stub: int) -> Iterator[tuple[int, int]]:
    """Yield the first column of each cell on a level of the head, and the column after its last."""
    start, width = 0, len(header[level])
    while start < width:
        end = start + 1
        while (
            start >= stub
            and level < len(header) - 1
            and end < width
            and all(row[start] == row[end] for row in header[: level + 1])
        ):
            end += 1
        yield start, end
        start = end


SELF_EXPLANATORY_KEYS = ("Metric", "Unit")
"""Row keys that need no label in stacked tables."""


def figure_columns(rows: Sequence[Sequence[TableCell]], stub: int) -> set[int]:
    """Return the columns that have figures and no other text."""
    figures, texts = set[int](), set[int]()
    for row in rows:
        for column, content in enumerate(row[stub:], start=stub):
            if not isinstance(content, str):
                figures.add(column)
            elif content not in ("", units.MISSING, units.FAILED):
                texts.add(column)
    return figures - texts


def has_no_figures(rows: Sequence[Sequence[TableCell]], stub: int) -> bool:
    """Return whether none of several rows has a figure, as for a board without the releases
    shown."""
    return len(rows) > 1 and all(each == units.MISSING for row in rows for each in row[stub:])


def names(header: Sequence[Sequence[str]], stub: int) -> list[str]:
    """Return each column's label for a stacked table: one too wide for the page, in which every row
    becomes a block. Heads common to all columns of figures are omitted: see :func:`over_all`."""
    shared = _shared(header, stub)
    out = []
    for number, column in enumerate(zip(*header, strict=True)):
        if number < stub:
            out.append("" if column[0] in SELF_EXPLANATORY_KEYS else column[0])
        else:
            own = (text for level, text in enumerate(column) if level not in shared)
            out.append(", ".join(dict.fromkeys(filter(None, own))))
    return out


def over_all(header: Sequence[Sequence[str]], stub: int) -> str:
    """Return the heads that all columns of figures have in common."""
    return ", ".join(dict.fromkeys(header[level][stub] for level in _shared(header, stub)))


def _shared(header: Sequence[Sequence[str]], stub: int) -> list[int]:
    """Return the levels of the head that are equal for all columns of figures, if another level
    differs."""
    if not stub or len(header) < 2 or len(header[0]) - stub < 2:
        return []
    levels = [n for n, row in enumerate(header) if row[stub] and len({*row[stub:]}) == 1]
    return levels if len(levels) < len(header) else []


def side_by_side(header: Sequence[Sequence[str]], stub: int, most: int = 3) -> int:
    """Return how many of a block's figures share a line on a phone, at most ``most``, such that no
    line mixes boards; 0 if any number will do."""
    shared = _shared(header, stub)
    own = [row for level, row in enumerate(header) if level not in shared]
    if len(own) < 2:
        return 0
    groups = Counter(own[0][stub:])
    sizes = {*groups.values()}
    if len(sizes) > 1 or len(groups) < 2:
        return 0
    size = sizes.pop()
    return next((each for each in (3, 2) if each <= most and size % each == 0), 0)


MAX_GROUP_CHARS, MAX_OWN_CHARS = 34, 12
"""The longest group head that fits on a line on a phone, and the longest label below it, in
characters."""


def block_heads(header: Sequence[Sequence[str]], stub: int, beside: int) -> list[str]:
    """Return each column's label for a block with ``beside`` figures per line. A group's head, such
    as the metric above its boards, gets its own line above the group's first figure."""
    labels, shared = names(header, stub), _shared(header, stub)
    levels = [row for level, row in enumerate(header) if level not in shared]
    if not beside or len(levels) < 2:
        return labels
    own = [", ".join(filter(None, parts)) for parts in zip(*levels[1:], strict=True)]
    if (
        max(map(len, levels[0][stub:])) > MAX_GROUP_CHARS
        or max(map(len, own[stub:])) > MAX_OWN_CHARS
    ):
        return labels
    for column in range(stub, len(labels)):
        is_first = column == stub or levels[0][column] != levels[0][column - 1]
        labels[column] = f"{levels[0][column] if is_first else ''}\n{own[column]}"
    return labels


MAX_PHONE_COLUMNS, MAX_PHONE_GROUPS = 4, 8
"""The most columns of figures side by side on a phone, and the most groups of them."""

PHONE_REMS = (18.0, 21.0)
"""The width of a page's text on the smallest phone, of 320 pixels, and on a usual one."""


class PhoneColumns(NamedTuple):
    """The columns of a guide's table on a phone, which shows one group of them at a time, such as
    the boards of a metric: ``heads`` name the groups, if there are several, and ``groups``
    has for each column the number of its group, counted from 1, or 0 for keys. ``beside`` columns
    of ``rem`` are side by side, or of up to ``wide_rem``, which leaves heads unbroken, where
    ``usual_keys_rem`` remain for keys. Where less than ``keys_rem`` is left for keys, figures are
    below them."""

    heads: tuple[str, ...]
    groups: tuple[int, ...]
    beside: int
    rem: float
    keys_rem: float
    wide_rem: float
    usual_keys_rem: float

    @property
    def classes(self) -> str:
        """Return the classes of the table's box; the second says on which phones figures are below
        their keys."""
        small, usual = (self.beside * self.rem + self.keys_rem > phone for phone in PHONE_REMS)
        return f" perf-columns{' perf-below' if usual else ' perf-below-small' if small else ''}"

    @property
    def style(self) -> str:
        """Return the settings of the style sheet."""
        wide = f"(100cqi - {self.usual_keys_rem:.1f}rem)/{self.beside},{self.wide_rem:.2f}rem"
        return f"--pn:{self.beside};--pw:clamp({self.rem:.2f}rem,{wide})"


def phone_columns(
    header: Sequence[Sequence[str]],
    rows: Sequence[Sequence[TableCell]],
    stub: int,
    boards: Collection[str] = (),
) -> PhoneColumns | None:
    """Return how a table keeps its columns on a phone; ``None`` if it cannot, as there are too many
    or too wide ones, or words among its figures."""
    own = [row for level, row in enumerate(header) if level not in _shared(header, stub)]
    no_words = ("", units.MISSING, units.FAILED)
    if not stub or any(isinstance(c, str) and c not in no_words for r in rows for c in r[stub:]):
        return None
    starts = [column for column, _ in spans(own, 0, stub) if column >= stub] if own[1:] else [stub]
    ends = [*starts[1:], len(header[0])]
    beside = ends[0] - starts[0]
    if any(end - start != beside for start, end in zip(starts, ends, strict=True)):
        return None
    columns = [[row[column] for row in rows] for column in range(stub, ends[-1])]
    most = _DIGIT_REM * max(map(_most_chars, columns))
    figures = max(most, 3.0 if units.FAILED in chain(*columns) else 0.0)

    def column_rem(chars: Callable[[str], int]) -> float:
        heads = (
            1.1 * _BOLD_REM * chars(text) + (_SQUARE_REM if text in boards else 0)
            for text in (own[1:] or own)[0][stub:]
        )
        return max(figures, *heads) + _PHONE_PADDING_REM

    rem = column_rem(_longest)
    keys = max([4.0, *(_unbroken_rem(row[0]) for row in rows)])
    chars = sorted(len(units.whole(row[0])) for row in rows) or [0]
    # Three of four keys are on one line.
    usual = max(keys, _LETTER_REM * chars[3 * len(chars) // 4], _BOLD_REM * len(header[0][0]))
    if beside > MAX_PHONE_COLUMNS or len(starts) > MAX_PHONE_GROUPS or beside * rem > PHONE_REMS[0]:
        return None
    names = tuple(own[0][start] for start in starts) if len(starts) > 1 else ()
    groups = (*[0] * stub, *((c - stub) // beside + 1 for c in range(stub, ends[-1])))
    wide = column_rem(len)
    return PhoneColumns(names, groups if names else (), beside, rem, keys, wide, usual)


MIN_SCALE = 0.87
"""The scale to which a table's type and columns shrink before it is stacked."""
STEPS_REM = (12, 14, 16, 18, 20, 22, 24, 26, 29, 32, 36, 40, 44, 48, 53, 59, 62, 65, 70, 76, 88)
"""The widths by which tables are classed. The last is wider than any window."""
HALF_REM = 26
"""The width of half the text of a window 1280 pixels wide, less the gap between the halves."""
_LETTER_REM, _DIGIT_REM, _BOLD_REM = 0.47, 0.51, 0.52
"""Character widths in a table, erring on the large side: a table stacked too early can be read, one
that is cut off cannot."""
_SQUARE_REM = 0.9
_WIDTHS_REM = {
    "key": (4.0, 26.0),
    "further key": (2.4, 26.0),
    "words": (16.0, 30.0),
    "text": (5.0, 30.0),
    "figure": (3.5, 1e9),
}
"""The minimum and maximum width of a column by its content, as in the style sheet."""
_PHONE_PADDING_REM = 0.7
"""The gap between two columns on a phone, with room for the mark of a finding."""
_PADDING_REM, _SMALL_PADDING_REM = 1.15, 0.65
"""The gap between two columns, erring on the large side, at full size and in a shrunk table."""
_UNBROKEN = re.compile(r"[^\s\-]+(?:-(?=\d)[^\s\-]+)*-?|-")
"""A piece of text that browsers do not break; they break after a hyphen unless a digit follows."""


class Steps(NamedTuple):
    """The smallest of ``STEPS_REM`` that are wide enough for a table at full size and in small
    type; 0 if none is. ``is_half`` is true if half of a page has room for it, with most of its row
    keys on one line."""

    whole: int
    small: int
    is_half: bool

    @property
    def is_stacked(self) -> bool:
        """Return whether the table is stacked even in a window of 1280 pixels."""
        return not 0 < self.small <= MAX_UNSTACKED_REM


def steps(
    header: Sequence[Sequence[str]],
    rows: Sequence[Sequence[TableCell]],
    stub: int,
    boards: Collection[str] = (),
) -> Steps:
    """Return the widths that a table needs. Spreads do not count, since they can break anywhere.
    Heads of ``boards`` have a square in front."""
    width = len(header[0]) if header else max(map(len, rows), default=0)
    above = [0.0] * width
    for level, row in enumerate(header):
        for start, end in spans(header, level, stub):
            for column in range(start, end):
                need = _BOLD_REM * _longest(row[start]) + 0.4
                need += _SQUARE_REM if row[start] in boards else 0
                # A head that spans several columns takes its width from all of them.
                above[column] = max(above[column], need / (end - start))
    total = unbroken_keys = 0.0
    for column in range(width):
        cells = {row[column] for row in rows if column < len(row)}
        kind = ("further key" if column else "key") if column < stub else "text"
        if column >= stub and any(len(units.whole(each)) > MAX_VALUE_CHARS for each in cells):
            kind = "words"
        if column >= stub and any(not isinstance(each, str) for each in cells):
            kind = "figure"
        least, most = _WIDTHS_REM[kind]
        needed = max(map(_unbroken_rem, cells), default=0.0)
        if column < stub and cells:
            usual = _LETTER_REM * median(len(units.whole(each)) for each in cells)
            # A unit has no good place for a break.
            needed = max(needed, usual) if header and header[0][column] == "Unit" else needed
            unbroken_keys += max(0.0, usual - max(least, needed))
        if kind == "figure":
            needed = max(needed, _DIGIT_REM * (_most_chars(cells) + 1))
        total += max(least, above[column], min(most, needed))

    def step(need: float) -> int:
        return next((each for each in STEPS_REM if need <= each), 0)

    small = MIN_SCALE * total + _SMALL_PADDING_REM * width
    is_half = small + MIN_SCALE * unbroken_keys <= HALF_REM
    return Steps(step(total + _PADDING_REM * width), step(small), is_half)


def _most_chars(cells: Iterable[TableCell]) -> int:
    """Return the length of the longest figure among the cells of a column, with its zeros."""
    figures = [each for each in cells if not isinstance(each, str)]
    decimals = max(map(_decimals, figures), default=0)
    return max((len(each[1]) + _zeros(each, decimals) for each in figures), default=0)


def _longest(text: str) -> int:
    return max(map(len, _UNBROKEN.findall(text)), default=0)


def _unbroken_rem(content: TableCell) -> float:
    """Return the width of a cell's longest part that should not be broken."""
    if isinstance(content, str):
        return _LETTER_REM * _longest(content)
    return _DIGIT_REM * (len(content[1]) + 1)


MAX_TABLE_HEADS = 24
"""The number of columns whose labels are attributes of the table; beyond it, each cell has its
own."""
_NOT_IN_QUOTES = re.compile(r"['\\\x00-\x1f\x7f]")


MAX_FIGURE_CHARS = 9
"""Three figures of at most this length, in characters, fit on a line on a phone."""


def heads(
    header: Sequence[Sequence[str]],
    stub: int,
    rows: Sequence[Sequence[TableCell]] = (),
    on_phones: PhoneColumns | None = None,
) -> str:
    """Return the ``style`` attribute that ``stacked.css`` works with: the labels of the columns,
    and the number and width of figures per line; and those of its columns ``on_phones``."""
    beside, long = _beside(header, stub, rows)
    labels = block_heads(header, stub, beside)
    named = enumerate(labels[:MAX_TABLE_HEADS], start=1)
    parts = [f"--h{number}:'{_quoted(text)}'" for number, text in named if text]
    if shared := over_all(header, stub):
        parts.append(f"--ha:'{_quoted(shared)}'")
    if beside:
        parts.append(f"--hn:{beside}")
    if labels != names(header, stub):
        parts.append("--hs:pre")
    if long:
        parts.append("--hw:7.4rem")
    if on_phones:
        parts.append(on_phones.style)
    return f' style="{escape(";".join(parts))}"' if parts else ""


def _beside(
    header: Sequence[Sequence[str]], stub: int, rows: Sequence[Sequence[TableCell]]
) -> tuple[int, bool]:
    """Return how many of a block's figures share a line, and whether any of them is long."""
    figures = (each[1] for row in rows for each in row if not isinstance(each, str))
    long = any(len(text) > MAX_FIGURE_CHARS for text in figures)
    return side_by_side(header, stub, 2 if long else 3), long


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


def _quoted(text: str) -> str:
    """Return a text as the content of a quoted string in a style sheet."""
    return _NOT_IN_QUOTES.sub(lambda sign: f"\\{ord(sign[0]):x} ", text)


def body(
    rows: Sequence[Sequence[TableCell]],
    stub: int,
    prefix: str,
    header: Sequence[Sequence[str]],
    marks: Mapping[tuple[int, int], str] | None = None,
    links: Mapping[tuple[int, int], str] | None = None,
    chosen: Collection[int] | None = None,
    raw_names: Mapping[tuple[int, int], str] | None = None,
    blocks: Collection[int] | None = None,
    groups: Sequence[int] = (),
) -> str:
    """Return the ``tbody``; each row has an anchor made from its keys without their units.

    By row and column, ``marks`` is markup that follows a cell's text, ``links`` an address, and
    ``raw_names`` a key's text in addresses, if different. Rows that are not ``chosen``, if given,
    are hidden until a reader asks for all; in a stacked table, so are those not among ``blocks``.
    ``groups`` are those of :class:`PhoneColumns`.
    """
    out = ["<tbody>"]
    width = max((len(row) for row in rows), default=0)
    labels = block_heads(header, stub, _beside(header, stub, rows)[0])[MAX_TABLE_HEADS:]
    more = [f' data-head="{escape(text)}"' if text else "" for text in labels]
    named = [""] * MAX_TABLE_HEADS + more + [""] * (width - MAX_TABLE_HEADS - len(more))
    decimals = _most_decimals(rows, width, stub)
    # Without a unit in common, an integer may be a count.
    is_mixed = bool(header) and "Unit" in header[0][:stub]
    used: dict[str, int] = {}
    for number, row in enumerate(rows):
        keys = [(raw_names or {}).get((number, c), row[c]) for c in range(min(stub, len(row)))]
        name = row_name(keys, header, stub)
        used[name] = used.get(name, 0) + 1
        if used[name] > 1:
            # Rows may differ only in units, which addresses omit.
            name = f"{name}--{used[name]}"
        attributes = f' id="{escape(prefix)}--{name}"' if prefix and name else ""
        if chosen is not None and number not in chosen:
            attributes += ' class="perf-more"'
        elif blocks is not None and number not in blocks:
            attributes += ' class="perf-later"'
        out.append(f"<tr{attributes}>")
        for position, content in enumerate(row):
            if position < stub:
                kind = ' class="perf-key"' if position == 0 else ""
                # Screen readers would announce an empty row head as nameless.
                empty = isinstance(content, str) and not content.strip()
                tag, scope = ("td", "") if empty else ("th", ' scope="row"')
                inner = _key(content) if position == 0 else label(content)
                out.append(f"<{tag}{scope}{kind}{named[position]}>{inner}</{tag}>")
            else:
                link = (links or {}).get((number, position), "")
                signs = (marks or {}).get((number, position), "")
                of_group = f" perf-g{groups[position]}" if groups else ""
                own = 0 if is_mixed and "." not in units.whole(content) else decimals[position]
                out.append(cell(content, signs, link, named[position], own, of_group))
        out.append("</tr>")
    out.append("</tbody>")
    return "".join(out)


MAX_OPEN_ROWS, FIRST_ROWS = 15, 8
"""In a guide, a table with more rows than the first number initially shows the second."""

MAX_PHONE_ROWS, FIRST_PHONE_ROWS = 9, 5
"""The same on a phone, for a table that keeps its columns there."""

FIRST_BLOCKS, FIRST_LARGE_BLOCKS, LARGE_BLOCK_FIGURES = 3, 2, 6
"""The number of rows that a stacked table initially shows, as each takes the space of five; and for
rows with more figures than the third number."""

MAX_UNSTACKED_REM = 53
"""The largest of ``STEPS_REM`` that fits the text of a window 1280 pixels wide."""


def first_rows(
    rows: Sequence[Sequence[TableCell]], is_stacked: bool, has_columns: bool = False
) -> set[int] | None:
    """Return the rows that a guide's table initially shows, or ``None`` for all; if it ``is_stacked``,
    those on a phone, where ``has_columns`` means a line for each. With keys such as ``Copy, 1 MiB``,
    operations take turns, each starting with the most common size."""
    max_open, first = MAX_OPEN_ROWS, FIRST_ROWS
    if has_columns:
        max_open, first = MAX_PHONE_ROWS, FIRST_PHONE_ROWS
    elif is_stacked and rows:
        figures = sum(not isinstance(each, str) for each in rows[0])
        first = FIRST_BLOCKS if figures <= LARGE_BLOCK_FIGURES else FIRST_LARGE_BLOCKS
        # A checkbox for a single row would take as much space as the row.
        max_open = first + 1
    if len(rows) <= max_open:
        return None
    parts = [units.whole(row[0]).rpartition(", ")[::2] for row in rows]
    usual = Counter(size for operation, size in parts if operation).most_common(1)
    groups = grouped(range(len(parts)), lambda number: parts[number][0] or parts[number][1])
    for own in groups.values():
        own.sort(key=lambda number: bool(usual) and parts[number][1] != usual[0][0])
    turns = chain.from_iterable(zip_longest(*groups.values()))
    return {*islice((number for number in turns if number is not None), first)}


def _key(content: TableCell) -> str:
    """Return a row's name, with anything after its last comma, such as a size, in small type."""
    text = units.whole(content)
    thing, comma, detail = text.rpartition(", ")
    if isinstance(content, str) and comma and len(detail) <= MAX_DETAIL_CHARS:
        return f"{escape(thing)}<small>, {escape(detail)}</small>"
    return label(content)


MAX_DETAIL_CHARS = 24
"""The longest detail of a row's name that is set in small type."""


def _most_decimals(rows: Sequence[Sequence[TableCell]], width: int, stub: int) -> list[int]:
    """Return the number of decimals in each column."""
    return [
        max((_decimals(row[column]) for row in rows if stub <= column < len(row)), default=0)
        for column in range(width)
    ]


def stacked(rules: str) -> str:
    """Return the rules of ``stacked.css`` for each of ``STEPS_REM``; they apply if a table of that
    width does not fit into its container even in small type."""
    # A style sheet cannot query whether a table fits, only how wide its container is.
    named = (
        f"tbody tr > :nth-child({each}) {{ --h: var(--h{each}); }}\n"
        for each in range(1, MAX_TABLE_HEADS + 1)
    )
    parts = [f".perf-grid {rule}" for rule in named]
    small = f"--perf-rem: {MIN_SCALE}rem; --perf-side: 0.3rem;"
    for each in (*STEPS_REM, 0):
        own = rules.replace("&", f".perf-to-{each}")
        if each:
            parts.append(f"@container (width < {each}rem) {{ .perf-from-{each} {{ {small} }} }}\n")
            own = f"@container (width < {each}rem) {{\n{own}}}\n"
        else:
            parts.append(f".perf-from-0 {{ {small} }}\n")
        parts.append(own)
    return f"@media screen {{\n{''.join(parts)}}}\n"


def columns(widths: Sequence[int]) -> str:
    """Return the ``colgroup`` for relative widths; empty without widths."""
    if not widths:
        return ""
    shares = "".join(f'<col style="width: {100 * w / sum(widths):.1f}%">' for w in widths)
    return f"<colgroup>{shares}</colgroup>"
