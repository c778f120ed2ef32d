"""The parts of an HTML table as text. Every cell is escaped; none is markup."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from html import escape

from ..common import units
from ..common.units import TableCell
from ..tables.grids import row_name

_ARROWS = {units.ARROWS["higher"]: "higher is better", units.ARROWS["lower"]: "lower is better"}

_WIDE = ' class="perf-words"'
WORDS = 40
"""A cell of more characters is words, and needs room also where the page is narrow."""


def _symbol(sign: str, name: str, classes: str) -> str:
    return f'<span class="{classes}" role="img" aria-label="{name}" title="{name}">{sign}</span>'


NOT_MEASURED = _symbol(units.MISSING, "not measured", "perf-missing")
"""What stands for a missing figure."""


def label(text: TableCell) -> str:
    """A head or a row key; its arrow, if it ends with one, gets a name."""
    if not isinstance(text, str):
        return _data(text)
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


def _data(figure: units.Figure, room: str = "") -> str:
    """A number as text, and for programs with all its digits."""
    return f'<data value="{figure[0]!r}"{room}>{escape(figure[1])}</data>'


_PLAIN = re.compile(r"[-−]?[0-9,]+(?:\.([0-9]+))?")
MOST_PLACES = 6
"""Points stand below each other in a column whose figures have no more digits behind them."""


def _places(content: TableCell) -> int | None:
    """The digits behind the point of a plain number; nothing for other cells."""
    found = None if isinstance(content, str) else _PLAIN.fullmatch(content[1])
    return len(found[1] or "") if found else None


def _room(text: str, places: int) -> str:
    """The class under which a number has room behind it for so many digits behind the point.
    The style sheet makes it; it is not part of the text, which can be copied."""
    found = _PLAIN.fullmatch(text)
    own = len(found[1] or "") if found else places
    if own >= places:
        return ""
    return f' class="perf-{"z" if own else "p"}{places - own}"'


def cell(
    content: TableCell, marks: str = "", link: str = "", named: str = "", places: int = 0
) -> str:
    """One ``td``, with ``marks`` as markup; what is behind the mean is set apart from it.
    With a link the text leads to that address. ``named`` is an attribute with its head, and
    ``places`` the digits behind the point that its column has room for."""
    kind, behind = ' class="perf-n"', ""
    if not isinstance(content, str):
        inner = _data(content, _room(content[1], places))
        behind = f'<span class="perf-spread">{escape(content[2])}</span>' if content[2] else ""
    elif content == units.MISSING:
        inner = NOT_MEASURED
    elif content == units.FAILED:
        inner = f'<span class="perf-failed">{content}</span>'
    else:
        kind, inner = _WIDE if len(content) > WORDS else "", escape(content)
    if link:
        inner = f'<a href="{escape(link)}">{inner}</a>'
    return f"<td{kind}{named}>{inner}{marks}{behind}</td>"


def shortened(
    header: Sequence[Sequence[str]], shorts: Mapping[str, str]
) -> Sequence[Sequence[str]]:
    """The head with what pages show in the place of its texts."""
    return [[shorts.get(text, text) for text in row] for row in header] if shorts else header


def head(
    header: Sequence[Sequence[str]],
    stub: int,
    shorts: Mapping[str, str] | None = None,
    figures: Collection[int] = (),
) -> str:
    """The ``thead``; equal neighbours on an upper level share one cell. A text that is shown by
    a short name stands with that, for readers who point at it and for scripts. Over columns of
    ``figures`` a head ends where they do."""
    out, known = ["<thead>"], shorts or {}
    for level, row in enumerate(header):
        out.append("<tr>")
        for start, end in spans(header, level, stub):
            attributes = ' scope="col"'
            if start < stub:
                alone = not any(below[start] for below in header[1:])
                if level and alone:
                    continue
                if len(header) > 1 and alone:
                    attributes += f' rowspan="{len(header)}"'
                if start == 0:
                    attributes += ' class="perf-key"'
            elif end - start > 1:
                attributes = f' scope="colgroup" colspan="{end - start}"'
            if start in figures and level == len(header) - 1:
                attributes += ' class="perf-n"'
            if short := known.get(row[start], "") if start >= stub else "":
                whole = escape(row[start])
                attributes += f' title="{whole}" data-name="{whole}"'
            out.append(f"<th{attributes}>{label(short or row[start])}</th>")
        out.append("</tr>")
    out.append("</thead>")
    return "".join(out)


def spans(header: Sequence[Sequence[str]], level: int, stub: int) -> Iterator[tuple[int, int]]:
    """The first column of each cell of a level of the head, and the one behind its last."""
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


WITHOUT_NAME = ("Metric", "Unit")
"""Row keys that say what they are."""


def figure_columns(rows: Sequence[Sequence[TableCell]], stub: int) -> set[int]:
    """The columns that have figures and no words."""
    found, words = set[int](), set[int]()
    for row in rows:
        for column, content in enumerate(row[stub:], start=stub):
            if not isinstance(content, str):
                found.add(column)
            elif content not in ("", units.MISSING, units.FAILED):
                words.add(column)
    return found - words


def names(header: Sequence[Sequence[str]], stub: int) -> list[str]:
    """The heads of each column as one text, which stands beside its cells where the table is
    too wide for its place and every row becomes a block. What is over all columns of figures
    is not in it: see :func:`over_all`."""
    shared = _shared(header, stub)
    out = []
    for number, column in enumerate(zip(*header, strict=True)):
        if number < stub:
            out.append("" if column[0] in WITHOUT_NAME else column[0])
        else:
            own = (text for level, text in enumerate(column) if level not in shared)
            out.append(", ".join(dict.fromkeys(filter(None, own))))
    return out


def over_all(header: Sequence[Sequence[str]], stub: int) -> str:
    """The heads that stand over every column of figures of a table with several."""
    return ", ".join(dict.fromkeys(header[level][stub] for level in _shared(header, stub)))


def _shared(header: Sequence[Sequence[str]], stub: int) -> list[int]:
    """The levels that say the same of all columns of figures, where another one tells them
    apart."""
    if not stub or len(header) < 2 or len(header[0]) - stub < 2:
        return []
    levels = [n for n, row in enumerate(header) if row[stub] and len({*row[stub:]}) == 1]
    return levels if len(levels) < len(header) else []


def side_by_side(header: Sequence[Sequence[str]], stub: int, most: int = 3) -> int:
    """How many figures of a block stand beside each other on a phone, at ``most``, so that those of
    one board do; 0 where it does not matter."""
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


SMALL = 0.87
"""How much smaller letters, padding and columns of a table may become before it is stacked."""
STEPS = (12, 14, 17, 20, 23, 26, 29, 32, 36, 40, 44, 48, 52, 56, 59, 62, 65, 70, 76, 82, 88)
"""The widths in rem between which tables are told apart. A wider one fits no window."""
_LETTER, _DIGIT, _BOLD = 0.47, 0.51, 0.52
"""The widths of characters in rem at the size of a table's text, rather too much than too
little: a table that is taken for too wide is still read with ease, and one that is cut is not."""
_ROOM = {"key": (4.0, 26.0), "words": (16.0, 30.0), "text": (5.0, 30.0), "figure": (3.5, 1e9)}
"""The least width of a column by what it holds, and the greatest of one whose words break; the
style sheet has the same."""
_PADDING = 1.15
_PIECES = re.compile(r"[^\s\-]+(?:-(?=\d)[^\s\-]+)*-?|-")
"""What a browser keeps together: it breaks a line behind a hyphen, but before no digit."""


def step(header: Sequence[Sequence[str]], rows: Sequence[Sequence[TableCell]], stub: int) -> int:
    """The least of ``STEPS`` that has room for a table without a cut; 0 where none has."""
    width = len(header[0]) if header else max(map(len, rows), default=0)
    above = [0.0] * width
    for level, row in enumerate(header):
        for start, end in spans(header, level, stub):
            for column in range(start, end):
                need = _BOLD * _longest(row[start]) + 0.4
                above[column] = max(above[column], need / (end - start))
    total = 0.0
    for column in range(width):
        cells = {row[column] for row in rows if column < len(row)}
        kind = "key" if column < stub else "text"
        if column >= stub and any(len(units.whole(each)) > WORDS for each in cells):
            kind = "words"
        if column >= stub and any(not isinstance(each, str) for each in cells):
            kind = "figure"
        least, most = _ROOM[kind]
        within = max(map(_unbroken, cells), default=0.0)
        if kind == "figure":
            places = [_places(each) for each in cells]
            most_places = max((each or 0 for each in places), default=0)
            if most_places <= MOST_PLACES:
                before = (
                    len(each[1]) - (own + 1 if own else 0)
                    for each, own in zip(cells, places, strict=True)
                    if own is not None
                )
                within = max(within, _DIGIT * (max(before, default=0) + most_places + 1.5))
        total += max(least, above[column], min(most, within)) + _PADDING
    return next((each for each in STEPS if total <= each), 0)


def _longest(text: str) -> int:
    return max(map(len, _PIECES.findall(text)), default=0)


def _unbroken(content: TableCell) -> float:
    """The width in rem of a cell's longest part that no line may break in."""
    if isinstance(content, str):
        return _LETTER * _longest(content)
    # The style sheet has what is behind the mean in smaller letters. It breaks in words, and
    # looks better where it breaks behind commas alone.
    parts = (min(len(part), 16) for part in re.split(r", |; |\) ", content[2]))
    return max(_DIGIT * (len(content[1]) + 1), 0.9 * _DIGIT * max(parts))


HEADS = 24
"""So many columns have their heads once, at the table; in further ones each cell has its own."""
_NOT_IN_QUOTES = re.compile(r"['\\\x00-\x1f\x7f]")


LONG = 9
"""Characters of a figure that has room where three stand beside each other on a phone."""


def heads(
    header: Sequence[Sequence[str]], stub: int, rows: Sequence[Sequence[TableCell]] = ()
) -> str:
    """The ``style`` attribute of a table with the heads of its columns, for ``stacked.css``, and
    with the room that its figures need there."""
    long = any(not isinstance(each, str) and len(each[1]) > LONG for row in rows for each in row)
    named = enumerate(names(header, stub)[:HEADS], start=1)
    parts = [f"--h{number}:'{_quoted(text)}'" for number, text in named if text]
    if shared := over_all(header, stub):
        parts.append(f"--ha:'{_quoted(shared)}'")
    if beside := side_by_side(header, stub, 2 if long else 3):
        parts.append(f"--hn:{beside}")
    if long:
        parts.append("--hw:7.4rem")
    return f' style="{escape(";".join(parts))}"' if parts else ""


def _quoted(text: str) -> str:
    """What stands between quotes in a style sheet: text, whatever is in it."""
    return _NOT_IN_QUOTES.sub(lambda sign: f"\\{ord(sign[0]):x} ", text)


def body(
    rows: Sequence[Sequence[TableCell]],
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
    width = max((len(row) for row in rows), default=0)
    more = [f' data-head="{escape(text)}"' if text else "" for text in names(header, stub)[HEADS:]]
    named = [""] * HEADS + more + [""] * (width - HEADS - len(more))
    aligned = _aligned(rows, width, stub)
    used: dict[str, int] = {}
    for number, row in enumerate(rows):
        beside = (marks or {}).get(number, {})
        name = row_name(row, header, stub)
        used[name] = used.get(name, 0) + 1
        if used[name] > 1:
            name = f"{name}--{used[name]}"
        out.append(f'<tr id="{escape(prefix)}--{name}">' if prefix and name else "<tr>")
        for position, content in enumerate(row):
            if position < stub:
                kind = ' class="perf-key"' if position == 0 else ""
                # An empty cell is no row head: it would be announced as one without a name.
                empty = isinstance(content, str) and not content.strip()
                tag, scope = ("td", "") if empty else ("th", ' scope="row"')
                out.append(f"<{tag}{scope}{kind}{named[position]}>{label(content)}</{tag}>")
            else:
                link = (links or {}).get((number, position), "")
                signs, places = beside.get(position, ""), aligned[position]
                out.append(cell(content, signs, link, named[position], places))
        out.append("</tr>")
    out.append("</tbody>")
    return "".join(out)


def _aligned(rows: Sequence[Sequence[TableCell]], width: int, stub: int) -> list[int]:
    """For each column the digits behind the point that it has room for."""
    out = []
    for column in range(width):
        cells = (row[column] for row in rows if stub <= column < len(row))
        most = max((_places(each) or 0 for each in cells), default=0)
        out.append(most if most <= MOST_PLACES else 0)
    return out


def stacked(rules: str) -> str:
    """The rules of ``stacked.css`` for tables of every step, each where it is too wide for
    what holds it even in small letters. A style sheet cannot ask whether something fits."""
    named = (
        f"tbody tr > :nth-child({each}) {{ --h: var(--h{each}); }}\n"
        for each in range(1, HEADS + 1)
    )
    parts = [f".perf-grid {rule}" for rule in named]
    for each in (*STEPS, 0):
        name = f".perf-from-{each}"
        own = rules.replace("&", name)
        if each:
            small = f"{name} {{ --perf-rem: {SMALL}rem; }}"
            parts.append(f"@container (width < {each}rem) {{ {small} }}\n")
            own = f"@container (width < {SMALL * each:.4g}rem) {{\n{own}}}\n"
        parts.append(own)
    return f"@media screen {{\n{''.join(parts)}}}\n"


def columns(widths: Sequence[int]) -> str:
    """The ``colgroup`` for relative widths; nothing where the cells decide."""
    if not widths:
        return ""
    shares = "".join(f'<col style="width: {100 * w / sum(widths):.1f}%">' for w in widths)
    return f"<colgroup>{shares}</colgroup>"
