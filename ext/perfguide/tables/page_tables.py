"""Tables on pages: CSV whose cells are reStructuredText, and the data that CSV cannot hold.

A page includes each table with ``csv-table``, so its source can be read and built without
perfguide. Exact values, spreads, samples and links for all tables of a page are in one file next to
it, for the extension and the page's scripts.
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import msgspec

from ..common import rst_text, units
from ..common.units import TableCell
from .grids import Details, Grid
from .remarks import shown_text

ALL_COLUMNS_CHARS = 100
"""The total width, in characters, that docutils gives a table without explicit widths."""

MAX_COLUMN_CHARS = 40
"""The maximum width of a column of wrapped text."""

MAX_CELL_CHARS = 131_072
"""The longest cell that Python's CSV reader, and thus ``csv-table``, accepts."""

CUT = " … (cut here; the CSV file below the table has all of it)"
"""The ending of truncated text."""

FILE = "figures.js"
"""The name of a page's data file, in a folder named after the page."""

_ASSIGNED = b"perfguideFigures="
"""The prefix of the JSON, which makes it a script: browsers load scripts even for pages opened from
disk and under a strict policy, whereas they refuse to load JSON from disk."""

Number = int | float | bool


Prose = tuple[int, int, str]
"""A benchmark's prose on a page: its first line, from 0, its number of lines, and the name of the
benchmark."""


class Run(msgspec.Struct, frozen=True, omit_defaults=True, array_like=True):
    """A run behind cells: the digest of its bundle, its labels on pages (id, board, release and
    date), and its facts and notes as in :func:`perfguide.tables.remarks.run_words`."""

    digest: str
    labels: list[str]
    facts: list[tuple[str, str, str]]
    notes: list[tuple[int, str, str, str]]


class CellWords(msgspec.Struct, frozen=True, omit_defaults=True, array_like=True):
    """Texts specific to one cell: the index of its benchmark and metric; facts with name, label and
    values, where a number is the index of the run that has the value; notes."""

    measured: int
    facts: list[tuple[str, str, list[str | int]]]
    notes: list[str]


class Behind(msgspec.Struct, frozen=True, omit_defaults=True):
    """The runs behind the cells of one table.

    An entry of ``cells`` consists of the row, the column (both from 0, counting row keys), the
    indices of its runs and commands in those lists, the samples as exact text in the unit of the
    table, their number or 0 if unknown, and the numbers of runs and of failed runs. ``words`` has
    one entry per cell; ``measured`` are pairs of benchmark and metric.
    """

    cells: list[Any] = []
    words: list[CellWords] = []
    runs: list[Run] = []
    commands: list[str] = []
    measured: list[tuple[str, str]] = []


class Extra(Details, frozen=True, omit_defaults=True):
    """The part of a table that its CSV cannot hold.

    An entry of ``figures`` is a row, a column, the exact value, and the text that follows the
    figure on demand; ``cells`` are those of :class:`Behind`. For the table at the top of a guide,
    ``answers`` are :class:`perfguide.pages.answers.Answers`, and ``page`` is the guide.
    """

    figures: list[tuple[int, int, Number, str]] = msgspec.field(default_factory=list)
    cells: list[Any] = msgspec.field(default_factory=list)
    answers: Any = None
    page: str = ""


class Drawn(msgspec.Struct, frozen=True):
    """The data for drawing a sparkline; see :mod:`perfguide.compare.sparkline`."""

    heights: list[float]
    new: int
    words: str

    def __post_init__(self) -> None:
        """Raise :class:`ValueError` if ``new`` is not an index into ``heights``."""
        if not 0 <= self.new < len(self.heights):
            raise ValueError("“new” is not an index into “heights”")


class PageFigures(msgspec.Struct, frozen=True, omit_defaults=True):
    """The data of all tables on one page that their CSV files lack, keyed by CSV file name; the
    runs behind them, each once; the subject of the page; and the lines with prose of benchmarks.

    An entry of ``bundles`` has the id, board, release and date of a run; its facts as pairs of
    indices into ``facts`` and ``remarks``; and its notes, each an index into ``remarks`` followed
    by the benchmark and metric to which it is limited, if any. An entry of ``facts`` is the name
    and label of a fact; ``remarks`` are texts. A cell with texts of its own, or to which a note may
    not apply, has an additional list: its notes, its facts as pairs of an index into ``facts`` and
    indices into ``remarks``, where ``-1 - N`` is the value of run ``N`` of ``bundles``, and its
    benchmark and metric.
    """

    tables: dict[str, Extra] = {}
    bundles: list[list[Any]] = []
    commands: list[str] = []
    facts: list[list[str]] = []
    remarks: list[str] = []
    about: dict[str, Any] = {}
    histories: list[Drawn] = []
    prose: list[Prose] = []


def texts(table: Grid) -> list[list[str]]:
    """Return the rows of head and body as pages show them: figures without their spread, but with
    their signs."""
    signs = {at: f" {sign}" for at, sign in table.signs().items()}
    body = [
        [
            _page_text(cell, column < table.stub) + signs.get((number, column), "")
            for column, cell in enumerate(row)
        ]
        for number, row in enumerate(table.rows)
    ]
    return [*map(list, table.header), *body]


def to_csv(rows: Iterable[Iterable[str]]) -> bytes:
    """Return rows of texts as CSV whose cells are reStructuredText."""
    out = io.StringIO()
    # docutils reads these cells as markup, so they need no protection against formulas.
    writer = csv.writer(out, lineterminator="\n")
    writer.writerows(map(_markup, row) for row in rows)
    return out.getvalue().encode("utf-8", "backslashreplace")


def _markup(text: str) -> str:
    markup = rst_text.text(text)
    if len(markup) <= MAX_CELL_CHARS:
        return markup
    cut = markup[: MAX_CELL_CHARS - len(CUT)]
    if (len(cut) - len(cut.rstrip("\\"))) % 2:
        cut = cut[:-1]  # a lone backslash would escape the next character
    return f"{cut.rstrip()}{CUT}"


def widths(rows: Iterable[Iterable[str]]) -> tuple[int, ...]:
    """Return the widths of the columns in characters, or nothing if the default will do: docutils
    makes all columns equally wide, and the text and paper builders break long words and figures."""
    columns = list(zip(*rows, strict=True))
    longest_words = [max(max(map(len, text.split()), default=0) for text in c) for c in columns]
    if max(longest_words) <= ALL_COLUMNS_CHARS // len(columns):
        return ()
    return tuple(
        max(word, min(max(map(len, column)), MAX_COLUMN_CHARS), 1)
        for word, column in zip(longest_words, columns, strict=True)
    )


def _page_text(cell: TableCell, is_key: bool) -> str:
    if isinstance(cell, str):
        return cell
    return units.whole(cell) if is_key else units.on_pages(cell)


def extra(table: Grid) -> Extra:
    """Return the data that a table's CSV cannot hold."""
    figures = []
    for number, row in enumerate(table.rows):
        for column, cell in enumerate(row):
            if not isinstance(cell, str):
                value, _, rest = cell
                ends = rest if column < table.stub else units.ends_on_pages(rest)
                figures.append((number, column, value, ends))
    # The CSV has these texts as pages show them.
    by_text: dict[str, dict[str, Any]] = {
        "units": table.units,
        "shorts": table.shorts,
        "head_names": table.head_names,
    }
    texts_on_pages = {
        name: {shown_text(text).strip(): value for text, value in texts.items()}
        for name, texts in by_text.items()
    }
    return Extra(figures, **table.details() | texts_on_pages)


def page_file(
    tables: Mapping[str, tuple[Extra, Behind | None]],
    about: Mapping[str, Any] | None = None,
    histories: Sequence[bytes] = (),
    prose: Sequence[Prose] = (),
) -> bytes:
    """Return a page's data file, with the extra data of its tables and the runs behind their cells,
    or nothing if all is empty.

    Each bundle, command and remark is stored once, and cells refer to it by index.
    """
    extras: dict[str, Extra] = {}
    words = _Words()
    commands: dict[str, int] = {}
    for name, (extra_of_table, behind) in tables.items():
        if behind is None:
            if extra_of_table != Extra():
                extras[name] = extra_of_table
            continue
        of_runs = [words.add(run) for run in behind.runs]
        of_commands = [commands.setdefault(command, len(commands)) for command in behind.commands]
        cells = []
        for cell, of_cell in zip(behind.cells, behind.words, strict=True):
            runs = [of_runs[index] for index in cell[2]]
            own_words = words.of_cell(of_cell, behind, of_runs, runs)
            of_commands_of_cell = [of_commands[index] for index in cell[3]]
            cells.append([*cell[:2], runs, of_commands_of_cell, *cell[4:8], *own_words])
        extras[name] = msgspec.structs.replace(extra_of_table, cells=cells)
    content = PageFigures(
        extras,
        words.bundles(),
        [*commands],
        [[*fact] for fact in words.facts],
        [*words.texts],
        dict(about or {}),
        [msgspec.json.decode(history, type=Drawn) for history in histories],
        [*prose],
    )
    if content == PageFigures():
        return b""
    return _ASSIGNED + _ascii(msgspec.json.encode(content)) + b"\n"


class _Words:
    """The texts of runs and cells on a page, each stored once."""

    def __init__(self) -> None:
        self.texts: dict[str, int] = {}
        self.facts: dict[tuple[str, str], int] = {}
        self._runs: dict[str, int] = {}
        self._labels: list[list[str]] = []
        self._facts: list[list[tuple[int, int]]] = []
        self._notes: list[set[tuple[int, str, str, str]]] = []
        self._scoped: list[bool] = []

    def add(self, run: Run) -> int:
        """Add a run, or just its new notes, and return its index."""
        index = self._runs.setdefault(run.digest, len(self._runs))
        if index == len(self._labels):
            self._labels.append(run.labels)
            self._facts.append([(self._fact(n, label), self._text(v)) for n, label, v in run.facts])
            self._notes.append(set())
            self._scoped.append(False)
        # Each table only has the notes about its own metrics.
        self._notes[index].update(run.notes)
        self._scoped[index] |= any(about or metric for _, _, about, metric in run.notes)
        return index

    def of_cell(
        self, cell: CellWords, behind: Behind, of_runs: Sequence[int], runs: Sequence[int]
    ) -> list[list[Any]]:
        """Return a list with the cell's list of texts, or an empty list if it has none."""
        facts = [
            [
                self._fact(name, label),
                [self._text(v) if isinstance(v, str) else -1 - of_runs[v] for v in values],
            ]
            for name, label, values in cell.facts
        ]
        texts: list[Any] = [[self._text(text) for text in cell.notes], facts]
        if any(self._scoped[run] for run in runs):
            texts += behind.measured[cell.measured]
        return [texts] if texts != [[], []] else []

    def _text(self, text: str) -> int:
        return self.texts.setdefault(text, len(self.texts))

    def _fact(self, name: str, label: str) -> int:
        return self.facts.setdefault((name, label), len(self.facts))

    def bundles(self) -> list[list[Any]]:
        """Return all runs in the format of the page's file."""
        out: list[list[Any]] = []
        for labels, facts, notes in zip(self._labels, self._facts, self._notes, strict=True):
            listed = [
                [self._text(text), *([about, metric] if metric else filter(None, [about]))]
                for _, text, about, metric in sorted(notes)
            ]
            out.append([*labels, facts, listed] if facts or listed else labels)
        return out


def _ascii(data: bytes) -> bytes:
    # A script's encoding is up to the server, so escape everything outside ASCII.
    escaped = re.sub(r"[^\x00-\x7f]+", lambda run: json.dumps(run[0])[1:-1], data.decode("utf-8"))
    return escaped.encode("ascii")


def read_page_file(data: bytes) -> PageFigures:
    """Parse a page's data file. Raises :class:`msgspec.DecodeError`."""
    return _DECODER.decode(_json(data))


_DECODER = msgspec.json.Decoder(PageFigures)


class _About(msgspec.Struct):
    about: dict[str, Any] = {}


def read_about(data: bytes) -> dict[str, Any]:
    """Read the subject of a page from its data file. Raises :class:`msgspec.DecodeError`."""
    return msgspec.json.decode(_json(data), type=_About).about


def _json(data: bytes) -> bytes:
    # The file is always written in ASCII, so anything else was changed later.
    if not data.isascii():
        raise msgspec.DecodeError("has a character that is not ASCII")
    return data.removeprefix(_ASSIGNED)


def read_csv(data: bytes) -> list[list[str]]:
    """Read the texts in a page's CSV. Raises :class:`ValueError` and :class:`csv.Error`."""
    rows = list(csv.reader(io.StringIO(data.decode("utf-8"), newline="")))
    if not rows:
        raise ValueError("there is no row")
    return [[rst_text.plain(cell) for cell in row] for row in rows]


def grid(rows: Sequence[Sequence[str]], header_rows: int, stub: int, extra: Extra) -> Grid:
    """Reconstruct a page's table from its CSV and its extra data.

    Raises :class:`IndexError` if the two do not belong together.
    """
    # Strip signs first: they are part of the text in the CSV, but not of the figure.
    body: list[list[TableCell]] = [list(row) for row in rows[header_rows:]]
    for (row, column), sign in extra.signs().items():
        body[row][column] = str(body[row][column]).removesuffix(f" {sign}")
    for row, column, value, rest in extra.figures:
        text = str(body[row][column])
        body[row][column] = (value, text.removesuffix(rest) if column < stub else text, rest)
    return Grid(
        tuple(tuple(row) for row in rows[:header_rows]),
        tuple(tuple(row) for row in body),
        stub,
        **extra.details(),
    )
