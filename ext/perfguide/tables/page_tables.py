"""Tables as pages show them: CSV whose cells are reStructuredText, and what CSV cannot hold.

A page shows each table by ``csv-table``, so its source can be read and built without perfguide.
The exact values, the spread, the samples and the links of all tables of a page are in one file
beside it, which the extension and the page's scripts read.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec

from ..common import rst_text, units
from ..common.diagnostics import visible
from ..common.units import TableCell
from .grids import Grid, Link, Mark

MARK = " †"
"""Follows a figure that a finding of the health report is about."""

ALL_COLUMNS_CHARS = 100
"""Characters that docutils divides among the columns of a table without widths."""

MAX_COLUMN_CHARS = 40
"""Characters of a column of long texts, whose words go over several lines."""

MAX_CELL_CHARS = 131_072
"""The longest cell that Python's reader of CSV accepts, and so a ``csv-table``."""

CUT = " … (cut here; the CSV file below the table has all of it)"
"""Ends a text that is longer."""

FILE = "figures.js"
"""The name of a page's file, in the folder that is called as the page is."""

_ASSIGNED = b"perfguideFigures="
"""Precedes the JSON. A browser loads a script from a page that was opened as a file, and under a
strict policy; JSON alone it would refuse in the first case."""

Number = int | float | bool


Prose = tuple[int, int, str]
"""The number of the first line of a benchmark's text on a page, counted from 0, that of its lines,
and the name of the benchmark."""


class Run(msgspec.Struct, frozen=True, omit_defaults=True, array_like=True):
    """A run behind cells: the digest of its bundle, what pages show of it (id, board, release and
    date), and its facts and notes as :class:`perfguide.tables.remarks.RunWords` has them."""

    digest: str
    shown: list[str]
    facts: list[tuple[str, str, str]]
    notes: list[tuple[int, str, str, str]]


class CellWords(msgspec.Struct, frozen=True, omit_defaults=True, array_like=True):
    """The words of one cell that are not those of its runs: the place of its benchmark and metric,
    facts with their names, labels and values, of which a number is the place of the run whose value
    it is, and notes."""

    measured: int
    facts: list[tuple[str, str, list[str | int]]]
    notes: list[str]


class Behind(msgspec.Struct, frozen=True, omit_defaults=True):
    """The runs behind the cells of one table.

    An entry of ``cells`` is the row, the column (counted from 0, with the row keys), the places of
    its runs and commands in those lists, the samples as exact text in the unit of the table,
    their number where it is known, else 0, and the numbers of runs and of failed runs. ``words``
    has an entry for each cell; ``measured`` are pairs of a benchmark and a metric.
    """

    cells: list[Any] = []
    words: list[CellWords] = []
    runs: list[Run] = []
    commands: list[str] = []
    measured: list[tuple[str, str]] = []


class Extra(msgspec.Struct, frozen=True, omit_defaults=True):
    """The part of a table that its CSV cannot hold.

    An entry of ``figures`` is a row, a column, the exact value, and the text that follows the
    figure on demand. The others are those of :class:`Grid`. For the table at the top of a guide
    ``answers`` are :class:`perfguide.pages.answers.Answers`, and ``page`` is the guide.
    """

    figures: list[tuple[int, int, Number, str]] = []
    tabs: bool = False
    units: dict[str, tuple[str, float]] = {}
    notes: list[dict[str, str]] = []
    marks: list[Mark] = []
    links: list[Link] = []
    shorts: dict[str, str] = {}
    cells: list[Any] = []
    answers: Any = None
    page: str = ""


class Drawn(msgspec.Struct, frozen=True):
    """What the picture of a history is drawn from; see :mod:`perfguide.compare.sparkline`."""

    heights: list[float]
    new: int
    words: str

    def __post_init__(self) -> None:
        """Raise :class:`ValueError` where the new release is none of the history's."""
        if not 0 <= self.new < len(self.heights):
            raise ValueError("“new” is no place in “heights”")


class PageFigures(msgspec.Struct, frozen=True, omit_defaults=True):
    """All that the tables of one page have besides their CSV, by the files of these as the page
    names them; the runs behind them, each once; what the page is about; and the lines that are
    texts of benchmarks.

    An entry of ``bundles`` is the id, board, release and date of a run, then its facts as pairs of
    places in ``facts`` and ``remarks``, then its notes: each a place in ``remarks``, and the
    benchmark and the metric that it is about, where it is not about all. An entry of ``facts`` is the
    name of a fact and what pages call it; ``remarks`` are texts. Where a cell has words that are not
    those of its runs, or a note may not be about it, a list follows its other members: its notes, its
    facts as pairs of a place in ``facts`` and places in ``remarks``, where ``-1 - N`` is the value
    of the run ``N`` of ``bundles``, and its benchmark and metric.
    """

    tables: dict[str, Extra] = {}
    bundles: list[list[Any]] = []
    commands: list[str] = []
    facts: list[list[str]] = []
    remarks: list[str] = []
    about: dict[str, Any] = {}
    histories: list[Drawn] = []
    prose: list[Prose] = []


class PageExtra(msgspec.Struct, frozen=True, omit_defaults=True):
    """The extra of one table with the runs behind its cells, before it is on a page."""

    extra: Extra = Extra()
    behind: Behind = Behind()


def to_csv(table: Grid) -> bytes:
    """Return the table as CSV whose cells are reStructuredText that shows their text; a figure
    is as pages show it, without its spread, and has a sign where a finding is about it."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerows(map(_markup, row) for row in _texts(table))
    return out.getvalue().encode("utf-8", "backslashreplace")


def _markup(text: str) -> str:
    markup = rst_text.text(text)
    if len(markup) <= MAX_CELL_CHARS:
        return markup
    kept = markup[: MAX_CELL_CHARS - len(CUT)]
    if (len(kept) - len(kept.rstrip("\\"))) % 2:
        kept = kept[:-1]  # a backslash would escape what follows
    return f"{kept.rstrip()}{CUT}"


def widths(table: Grid) -> tuple[int, ...]:
    """Return the widths of the columns in characters where a page has to name them: else docutils
    makes all columns alike, and the builders for text and paper break long words and figures."""
    columns = list(zip(*_texts(table), strict=True))
    longest_words = [max(max(map(len, text.split()), default=0) for text in c) for c in columns]
    if max(longest_words) <= ALL_COLUMNS_CHARS // len(columns):
        return ()
    return tuple(
        max(word, min(max(map(len, column)), MAX_COLUMN_CHARS), 1)
        for word, column in zip(longest_words, columns, strict=True)
    )


def _texts(table: Grid) -> Iterator[list[str]]:
    """Yield the rows of the head and of the body as pages show them."""
    marked = {(row, column) for row, column, _ in table.marks}
    yield from map(list, table.header)
    for number, row in enumerate(table.rows):
        yield [
            _shown(cell, column < table.stub) + (MARK if (number, column) in marked else "")
            for column, cell in enumerate(row)
        ]


def _shown(cell: TableCell, is_key: bool) -> str:
    if isinstance(cell, str):
        return cell
    return units.whole(cell) if is_key else units.for_pages(cell)[1]


def extra(table: Grid, behind: Behind | None = None) -> bytes:
    """Return what the CSV of a table cannot hold, as JSON; nothing where there is nothing."""
    figures = []
    for number, row in enumerate(table.rows):
        for column, cell in enumerate(row):
            if not isinstance(cell, str):
                value, _, rest = cell if column < table.stub else units.for_pages(cell)
                figures.append((number, column, value, rest))
    own = Extra(
        figures=figures,
        tabs=table.tabs,
        units={visible(text, len(text)).strip(): each for text, each in table.units.items()},
        notes=table.notes,
        marks=table.marks,
        links=table.links,
        shorts={visible(text, len(text)).strip(): short for text, short in table.shorts.items()},
        cells=behind.cells if behind else [],
    )
    whole = PageExtra(own, behind or Behind())
    return b"" if whole == PageExtra() else msgspec.json.encode(whole)


def extra_of_answers(answers: bytes, page: str) -> bytes:
    """Return the extra of the table at the top of a guide; ``answers`` are JSON."""
    return msgspec.json.encode(PageExtra(Extra(answers=msgspec.json.decode(answers), page=page)))


def page_file(
    extras: Mapping[str, bytes],
    about: Mapping[str, Any] | None = None,
    histories: Sequence[bytes] = (),
    prose: Sequence[Prose] = (),
) -> bytes:
    """Return the file of a page from the extras of its tables; nothing where none has any.

    Each bundle, command and remark is in it once, and cells refer to it by its place.
    """
    tables: dict[str, Extra] = {}
    words = _Words()
    commands: dict[str, int] = {}
    for name, data in extras.items():
        if not data:
            continue
        own = msgspec.json.decode(data, type=PageExtra)
        behind = own.behind
        of_runs = [words.add(run) for run in behind.runs]
        of_commands = [commands.setdefault(each, len(commands)) for each in behind.commands]
        cells = []
        for cell, of_cell in zip(own.extra.cells, behind.words, strict=True):
            runs = [of_runs[place] for place in cell[2]]
            own_words = words.of_cell(of_cell, behind, of_runs, runs)
            of_commands_of_cell = [of_commands[place] for place in cell[3]]
            cells.append([*cell[:2], runs, of_commands_of_cell, *cell[4:8], *own_words])
        tables[name] = msgspec.structs.replace(own.extra, cells=cells)
    content = PageFigures(
        tables,
        words.bundles(),
        [*commands],
        [[*each] for each in words.facts],
        [*words.texts],
        dict(about or {}),
        [msgspec.json.decode(each, type=Drawn) for each in histories],
        [*prose],
    )
    if content == PageFigures():
        return b""
    return _ASSIGNED + _ascii(msgspec.json.encode(content)) + b"\n"


class _Words:
    """The words of the runs behind a page's tables, and of cells, each text once."""

    def __init__(self) -> None:
        self.texts: dict[str, int] = {}
        self.facts: dict[tuple[str, str], int] = {}
        self._runs: dict[str, int] = {}
        self._shown: list[list[str]] = []
        self._facts: list[list[tuple[int, int]]] = []
        self._notes: list[set[tuple[int, str, str, str]]] = []
        self._scoped: list[bool] = []

    def add(self, run: Run) -> int:
        """Return the place of a run; what is new of it is added."""
        place = self._runs.setdefault(run.digest, len(self._runs))
        if place == len(self._shown):
            self._shown.append(run.shown)
            self._facts.append([(self._fact(n, label), self._text(v)) for n, label, v in run.facts])
            self._notes.append(set())
            self._scoped.append(False)
        # Each table has the notes that are about its own metrics.
        self._notes[place].update(run.notes)
        self._scoped[place] |= any(of or metric for _, _, of, metric in run.notes)
        return place

    def of_cell(
        self, cell: CellWords, behind: Behind, of_runs: Sequence[int], runs: Sequence[int]
    ) -> list[list[Any]]:
        """Return the list of words of a cell within a list, or nothing where it has none."""
        facts = [
            [
                self._fact(name, label),
                [self._text(v) if isinstance(v, str) else -1 - of_runs[v] for v in values],
            ]
            for name, label, values in cell.facts
        ]
        own: list[Any] = [[self._text(text) for text in cell.notes], facts]
        if any(self._scoped[run] for run in runs):
            own += behind.measured[cell.measured]
        return [own] if own != [[], []] else []

    def _text(self, text: str) -> int:
        return self.texts.setdefault(text, len(self.texts))

    def _fact(self, name: str, label: str) -> int:
        return self.facts.setdefault((name, label), len(self.facts))

    def bundles(self) -> list[list[Any]]:
        """Return all runs as the page's file has them."""
        out: list[list[Any]] = []
        for shown, facts, notes in zip(self._shown, self._facts, self._notes, strict=True):
            listed = [
                [self._text(text), *([of, metric] if metric else filter(None, [of]))]
                for _, text, of, metric in sorted(notes)
            ]
            out.append([*shown, facts, listed] if facts or listed else shown)
        return out


def _ascii(data: bytes) -> bytes:
    # No character besides ASCII means anything to whatever reads scripts.
    return b"".join(
        part if part.isascii() else _escaped(part) for part in re.split(rb"([\x80-\xff]+)", data)
    )


def _escaped(part: bytes) -> bytes:
    units_of_16_bits = part.decode("utf-8").encode("utf-16-be")
    return b"".join(
        b"\\u%02x%02x" % (units_of_16_bits[at], units_of_16_bits[at + 1])
        for at in range(0, len(units_of_16_bits), 2)
    )


def read_page_file(data: bytes) -> PageFigures:
    """Return the content of a page's file. Raises :class:`msgspec.DecodeError`."""
    return _DECODER.decode(_json(data))


_DECODER = msgspec.json.Decoder(PageFigures)


class _About(msgspec.Struct):
    about: dict[str, Any] = {}


def read_about(data: bytes) -> dict[str, Any]:
    """Return what a page is about, from its file. Raises :class:`msgspec.DecodeError`."""
    return msgspec.json.decode(_json(data), type=_About).about


def _json(data: bytes) -> bytes:
    if not data.isascii():
        raise msgspec.DecodeError("has a character that is not ASCII")
    return data.removeprefix(_ASSIGNED)


def read_csv(data: bytes) -> list[list[str]]:
    """Return the texts of a page's CSV. Raises :class:`ValueError` and :class:`csv.Error`."""
    rows = list(csv.reader(io.StringIO(data.decode("utf-8"), newline="")))
    if not rows:
        raise ValueError("there is no row")
    return [[rst_text.plain(cell) for cell in row] for row in rows]


def grid(rows: Sequence[Sequence[str]], header_rows: int, stub: int, own: Extra) -> Grid:
    """Return the table that a page shows, from its CSV and what that cannot hold.

    Raises :class:`IndexError` where these two are not of the same table.
    """
    body: list[list[TableCell]] = [list(row) for row in rows[header_rows:]]
    for row, column, _ in own.marks:
        cell = body[row][column]
        body[row][column] = str(cell).removesuffix(MARK)
    for row, column, value, rest in own.figures:
        text = str(body[row][column])
        body[row][column] = (value, text.removesuffix(rest) if column < stub else text, rest)
    return Grid(
        tuple(tuple(row) for row in rows[:header_rows]),
        tuple(tuple(row) for row in body),
        stub,
        own.tabs,
        own.units,
        own.notes,
        own.marks,
        own.links,
        own.shorts,
    )
