"""A table of the catalog applied to figures: which rows, which columns, which cells.

Everything here is numbers and labels; nothing is formatted.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ..bundles.guide_key import family, version
from ..catalog.benchmarks import Benchmark, Scalar, Table
from ..common import units
from ..figures.labels import params_text
from ..figures.pool import Cell, Record

Key = tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Row:
    """One line of a table: its labels, its cells (``None`` where nothing was
    measured) and for each cell the decimals to show."""

    keys: tuple[str, ...]
    cells: tuple[Cell | None, ...]
    decimals: tuple[int, ...]
    single: bool = False
    """Whether it shows single samples of what another row shows the mean of."""


@dataclass(frozen=True, slots=True)
class View:
    """A table as numbers.

    ``columns`` holds for each column of figures its labels from the top down;
    all have the same number of levels. With ``tabbed`` the first key of each
    row says which alternative the row belongs to.
    """

    id: str
    title: str
    key_labels: tuple[str, ...]
    columns: tuple[tuple[str, ...], ...]
    rows: tuple[Row, ...]
    tabbed: bool = False


OUTER = {
    "board": "Board",
    "release": "Release",
    "platform": "SoC",
}
"""What a level of columns, or a leading row key, can be besides parameters."""


@dataclass(frozen=True, slots=True)
class Shape:
    """How a page arranges a table: the first levels of its columns, whether a
    tab for each board goes before the rows, and whether all else goes down."""

    across: tuple[str, ...] = ("board",)
    board_tabs: bool = False
    all_down: bool = False


OVER_RELEASES = Shape(across=("release",), board_tabs=True, all_down=True)
SIDE_BY_SIDE = Shape(across=("platform", "release", "board"))


def view(benchmark: Benchmark, table: Table, records: Sequence[Record], shape: Shape) -> View:
    """One table of the catalog over the records that it takes."""
    usual = {name: benchmark.param(name).default for name in table.columns}
    levels = [name for name in usual if any(r.params[name] != usual[name] for r in records)]
    down = [*filter(None, [table.tabs]), *table.rows]
    if shape.all_down:
        down += [*levels, *(["metric"] if "metric" not in down else [])]
        levels = []
    if shape.board_tabs:
        down.insert(0, "board")
    by_metric = "metric" in down
    rows: dict[Key, tuple[tuple[str, ...], int]] = {}
    columns: dict[Key, tuple[tuple[str, ...], int]] = {}
    cells: dict[tuple[Key, Key], Cell] = {}
    for record in records:
        decimals = _decimals(benchmark, record)
        row = tuple(_rank(benchmark, name, record) for name in down)
        if row not in rows:
            rows[row] = (_row_labels(benchmark, down, record), decimals)
        names = [*shape.across, *levels]
        column = tuple(_rank(benchmark, name, record) for name in names)
        labels = [_label(benchmark, name, record) for name in names]
        if not by_metric:
            column += (_rank(benchmark, "metric", record),)
            labels.append(_metric_heading(benchmark, record))
        columns.setdefault(column, (tuple(labels), decimals))
        if (row, column) in cells:
            raise AssertionError(f"two figures for one cell of {benchmark.name}/{table.id}")
        cells[row, column] = record.cell
    across = sorted(columns)
    lines = []
    for key in sorted(rows):
        keys, own = rows[key]
        shown = tuple(own if by_metric else columns[c][1] for c in across)
        lines.append(Row(keys, tuple(cells.get((key, c)) for c in across), shown))
    headings = tuple(label for name in down for label in _key_headings(benchmark, name))
    heads = tuple(columns[c][0] for c in across)
    tabbed = bool(table.tabs) or shape.board_tabs
    result = View(table.id, table.title, headings, heads, tuple(lines), tabbed)
    return _with_runs(result) if table.runs else result


def other_view(name: str, records: Sequence[Record], shape: Shape | None = None) -> View:
    """The general table: a row for each metric, unit and set of parameters."""
    shape = shape or Shape()
    rows: dict[Key, tuple[str, ...]] = {}
    columns: dict[Key, tuple[str, ...]] = {}
    cells: dict[tuple[Key, Key], Cell] = {}
    for record in records:
        row: Key = (units.natural(record.metric), _params_rank(record.params), record.unit)
        keys: tuple[str, ...] = (
            record.metric,
            params_text(record.params),
            units.parse(record.unit).shown,
        )
        if shape.board_tabs:
            row, keys = (units.natural(record.board), *row), (record.board, *keys)
        rows[row] = keys
        column = tuple(_outer_rank(level, record) for level in shape.across)
        columns[column] = tuple(_outer_label(level, record) for level in shape.across)
        cells[row, column] = record.cell
    across = sorted(columns)
    lines = tuple(
        Row(rows[r], tuple(cells.get((r, c)) for c in across), (2,) * len(across))
        for r in sorted(rows)
    )
    labels: tuple[str, ...] = ("Metric", "Parameters", "Unit")
    if shape.board_tabs:
        labels = (OUTER["board"], *labels)
    return View("other", name, labels, tuple(columns[c] for c in across), lines, shape.board_tabs)


def _params_rank(params: Mapping[str, Scalar]) -> Key:
    def rank(value: Scalar) -> Key:
        if isinstance(value, str):
            return 1, units.natural(value)
        return 0, value, type(value).__name__

    return tuple((name, rank(value)) for name, value in sorted(params.items()))


def _with_runs(table: View) -> View:
    """The same table with a row for each single sample before the mean."""
    rows: list[Row] = []
    for row in table.rows:
        most = max((len(c.samples) for c in row.cells if c), default=0)
        for run in range(most if most > 1 else 0):
            cells = tuple(_sample(cell, run) for cell in row.cells)
            keys = (*row.keys, str(run + 1))
            rows.append(replace(row, keys=keys, cells=cells, single=True))
        rows.append(replace(row, keys=(*row.keys, "mean")))
    return replace(table, key_labels=(*table.key_labels, "Run"), rows=tuple(rows))


def _sample(cell: Cell | None, run: int) -> Cell | None:
    if cell is None or run >= len(cell.samples):
        return None
    return Cell(cell.samples[run], None, None, None, 0, 1, (), (), cell.members)


def _rank(benchmark: Benchmark, name: str, record: Record) -> Key:
    """Where a record stands among the rows or columns of one level."""
    if name == "metric":
        return (benchmark.metric_rank(record.metric)[0], units.natural(record.metric))
    if name in OUTER:
        return _outer_rank(name, record)
    return benchmark.value_rank(name, record.params[name])


def _outer_rank(name: str, record: Record) -> Key:
    if name == "release":
        # The newest release first: it is what most readers came for.
        return (_Newest(version(record.guide.release)),)
    if name == "platform":
        # Two platforms may have the same words for a name.
        return (units.natural(record.guide.soc), record.guide.sdk, record.guide.os)
    return units.natural(_outer_label(name, record))


@dataclass(frozen=True, slots=True)
class _Newest:
    """A sort key that turns the order of another one round."""

    key: tuple[tuple[int, int, str], ...]

    def __lt__(self, other: _Newest) -> bool:
        return other.key < self.key


def _label(benchmark: Benchmark, name: str, record: Record) -> str:
    if name in OUTER:
        return _outer_label(name, record)
    return benchmark.value_label(name, record.params[name])


def _outer_label(name: str, record: Record) -> str:
    if name == "board":
        return record.board
    if name == "release":
        return record.guide.release
    return f"{record.guide.soc}, {family(record.guide)}"


def _key_headings(benchmark: Benchmark, name: str) -> tuple[str, ...]:
    if name == "metric":
        return "Metric", "Unit"
    return (OUTER.get(name) or benchmark.param_label(name),)


def _row_labels(benchmark: Benchmark, down: Sequence[str], record: Record) -> tuple[str, ...]:
    labels: list[str] = []
    for name in down:
        if name == "metric":
            known = benchmark.metric(record.metric)
            labels.append(known.label if known and known.label else record.metric)
            labels.append(units.unit_cell(record.unit, known.better if known else "neither"))
        else:
            labels.append(_label(benchmark, name, record))
    return tuple(labels)


def _metric_heading(benchmark: Benchmark, record: Record) -> str:
    known = benchmark.metric(record.metric)
    label = known.label if known and known.label else record.metric
    return units.heading(label, record.unit, known.better if known else "neither")


def _decimals(benchmark: Benchmark, record: Record) -> int:
    known = benchmark.metric(record.metric)
    return known.decimals if known else 2
