"""Tables described in the catalog, applied to figures: rows, columns and cells as numbers."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from ..bundles.guide_key import family, version
from ..catalog.benchmarks import Benchmark, Derived, Table
from ..common import units
from ..common.units import TableCell
from ..figures.pool import Cell, Record
from ..figures.rows import TABLE, TABLE_NUMBER

Key = tuple[Any, ...]
"""A sort key."""


@dataclass(frozen=True, slots=True)
class Row:
    """A row of a table: its labels, its cells (``None`` where nothing was measured), and the
    decimals of each cell. Numeric parameters are numbers in its labels."""

    keys: tuple[TableCell, ...]
    cells: tuple[Cell | None, ...]
    decimals: tuple[int, ...]
    unit: str
    """The unit of its first figure; of all its figures, if one of the labels is the unit."""
    single: bool = False
    """True if it shows single samples; their mean is in another row."""
    derived: tuple[TableCell, ...] = ()
    """Cells computed from its figures, shown after them."""
    names: tuple[str, ...] = ()
    """The texts of its keys in addresses, which survive new labels; if empty, the labels."""


@dataclass(frozen=True, slots=True)
class View:
    """A table as numbers.

    ``columns`` holds, for each column of figures, its labels from top to bottom; all have the same
    number of levels. With ``tabbed``, the first key of each row is its tab.
    """

    id: str
    title: str
    key_labels: tuple[str, ...]
    columns: tuple[tuple[str, ...], ...]
    rows: tuple[Row, ...]
    tabbed: bool = False
    above: tuple[tuple[str, str], ...] = ()
    """Names and texts that apply to all figures of the table, shown above it."""
    derived: tuple[tuple[str, ...], ...] = ()
    """The heads of derived columns, in the form of ``columns``."""
    column_names: tuple[tuple[str, ...], ...] = ()
    """The texts of ``columns`` in addresses; if empty, the labels."""


OUTER = {
    "board": "Board",
    "release": "Release",
    "platform": "SoC",
}
"""The levels of columns and leading row keys that are not parameters, with their headings."""


@dataclass(frozen=True, slots=True)
class Shape:
    """The arrangement of a table on a page.

    ``across`` are the topmost levels of its columns, ``board_tabs`` adds a tab for each board, and
    ``all_down`` turns all other levels into row keys. A sparse table has the levels ``down`` as its
    leading row keys instead of as columns.
    """

    across: tuple[str, ...] = ("board",)
    board_tabs: bool = False
    all_down: bool = False
    down: tuple[str, ...] = ()


OVER_RELEASES = Shape(across=("release",), board_tabs=True, all_down=True)
SIDE_BY_SIDE = Shape(across=("platform", "release", "board"))


MAX_SPARSE_CELLS, MAX_CELLS_PER_FIGURE = 4_000, 4
"""A table with more cells, and more cells per figure, becomes a list with one row per figure."""

MAX_COLUMN_VALUES, MAX_TABS = 4, 12
"""With more values than these, an undescribed parameter becomes rows, not columns or tabs."""

MAX_EXTRA_PARAMS = 12
"""If more undescribed parameters vary, the rest are combined into one text."""

NOT_STATED = "not stated"
"""The text for a parameter that only some figures of a table have."""


MAIN_TABLE = "Main table"
"""The table label of figures from the main table."""


def view(benchmark: Benchmark, table: Table, records: Sequence[Record], shape: Shape) -> View:
    """Return the view of one catalog table for the records assigned to it."""
    records = _with_combined_params(benchmark, table, records)
    # Leave out a level at which all figures have the default: it would convey nothing.
    defaults = {name: benchmark.param(name).default for name in table.columns}
    levels = [
        name
        for name, default in defaults.items()
        if any(r.params[name.removeprefix(_PARAM)] != default for r in records)
        or benchmark.param(name).always
    ]
    down = [*shape.down, *table.rows]
    if shape.all_down:
        down += [*levels, *(["metric"] if "metric" not in down else [])]
        levels = []
    placed = _placed(benchmark, table, records, shape, down, levels)
    newest = _newest_of_boards(records) if shape.board_tabs else {}
    by_metric, tabbed = "metric" in placed.down, bool(placed.tabs) or shape.board_tabs
    down = [*(["board"] if shape.board_tabs else []), *filter(None, [placed.tabs]), *placed.down]
    filled = _filled(benchmark, table, records, down, [*shape.across, *placed.across], newest)
    size = len(filled.rows) * len(filled.columns)
    if shape.across and size > max(MAX_SPARSE_CELLS, MAX_CELLS_PER_FIGURE * len(records)):
        long = replace(shape, across=(), all_down=True, down=shape.across)
        return view(benchmark, table, records, long)
    # Keys are ranks, so sorting yields the order of the description.
    columns = sorted(filled.columns.items(), key=lambda item: item[0])
    derived = () if by_metric else _derived(benchmark, table, filled.columns)
    rows = [
        Row(
            row.labels,
            tuple(row.cells.get(key) for key, _ in columns),
            (
                *(row.decimals if by_metric else column.decimals for _, column in columns),
                *(column.spec.decimals for column in derived),
            ),
            row.unit,
            derived=tuple(column.cell(row.cells) for column in derived),
            names=row.names,
        )
        for _, row in sorted(filled.rows.items(), key=lambda item: item[0])
    ]
    headings = tuple(label for name in down for label in _key_headings(benchmark, name))
    above = tuple(
        (_key_headings(benchmark, name)[0], _label(benchmark, name, records[0]))
        for name in placed.above
    )
    result = View(
        *(table.id, table.title, headings, tuple(c.labels for _, c in columns), tuple(rows)),
        *(tabbed, above, tuple(column.labels for column in derived)),
        tuple(column.names for _, column in columns),
    )
    return _with_runs(result) if table.runs else result


class _ColumnKey(NamedTuple):
    """The sort key of a column: that of its levels above the metric, and that of its metric, which
    is empty if metrics are rows."""

    levels: Key
    metric: Key


@dataclass(frozen=True, slots=True)
class _FilledRow:
    """A row: labels, names in addresses, the unit and decimals of its figures, and its cells."""

    labels: tuple[TableCell, ...]
    names: tuple[str, ...]
    unit: str
    decimals: int
    cells: dict[_ColumnKey, Cell] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class _ColumnHead:
    """The head of a column: labels, names in addresses, and the decimals of its figures."""

    labels: tuple[str, ...]
    names: tuple[str, ...]
    decimals: int


@dataclass(frozen=True, slots=True)
class _Filled:
    """The rows and the heads of columns of a table, by their sort keys."""

    rows: dict[Key, _FilledRow] = field(default_factory=dict)
    columns: dict[_ColumnKey, _ColumnHead] = field(default_factory=dict)


def _filled(
    benchmark: Benchmark,
    table: Table,
    records: Sequence[Record],
    down: Sequence[str],
    across: Sequence[str],
    newest: Mapping[str, _Newest],
) -> _Filled:
    """Return the cells of records, with the levels ``down`` as row keys and ``across`` as columns.

    ``newest`` has the sort keys of boards that have a tab each. Raises :class:`AssertionError` if
    two records belong in one cell.
    """
    out, by_metric = _Filled(), "metric" in down
    for record in records:
        row_key = tuple(_rank(benchmark, name, record) for name in down)
        if newest:
            row_key = ((newest[record.board],), *row_key)
        if row_key not in out.rows:
            labels, names = _row_keys(benchmark, down, record)
            decimals = benchmark.decimals(record.metric)
            out.rows[row_key] = _FilledRow(labels, names, record.unit, decimals)
        levels = tuple(_rank(benchmark, name, record) for name in across)
        column = _ColumnKey(levels, () if by_metric else _rank(benchmark, "metric", record))
        if column not in out.columns:
            head = _column_head(benchmark, across, record, with_metric=not by_metric)
            out.columns[column] = head
        # Pooling has merged equal keys, so a duplicate here is a bug that would lose a figure.
        if column in out.rows[row_key].cells:
            raise AssertionError(f"two figures for one cell of {benchmark.name}/{table.id}")
        out.rows[row_key].cells[column] = record.cell
    return out


def _column_head(
    benchmark: Benchmark, dimensions: Sequence[str], record: Record, *, with_metric: bool
) -> _ColumnHead:
    labels = [_head(benchmark, name, record) for name in dimensions]
    names = [_name(benchmark, name, record) for name in dimensions]
    if with_metric:
        better, metric = benchmark.better(record.metric), record.metric
        labels.append(units.heading(benchmark.metric_label(metric), record.unit, better))
        names.append(units.heading(benchmark.metric_address(metric), record.unit, better))
    decimals = benchmark.decimals(record.metric)
    return _ColumnHead(tuple(labels or ["Figure"]), tuple(names or ["Figure"]), decimals)


@dataclass(frozen=True, slots=True)
class _DerivedColumn:
    """A derived column: its description, its heads, and the columns that it is computed from."""

    spec: Derived
    labels: tuple[str, ...]
    numerator: _ColumnKey
    denominator: _ColumnKey | None

    def cell(self, cells: Mapping[_ColumnKey, Cell]) -> TableCell:
        """Compute the cell of one row from the row's cells by column."""
        above = cells.get(self.numerator)
        part = cells.get(self.denominator) if self.denominator else None
        below = self.spec.limit if self.denominator is None else part.mean if part else None
        if above is None or above.mean is None or not below:
            return units.MISSING
        value = above.mean / below * (100 if self.denominator is None else 1)
        # Dividing by a tiny number can overflow; a dash is better than “inf”.
        if not math.isfinite(value):
            return units.MISSING
        return value, units.number(value, self.spec.decimals), ""


def _derived(
    benchmark: Benchmark, table: Table, columns: Mapping[_ColumnKey, _ColumnHead]
) -> list[_DerivedColumn]:
    """Return the derived columns: one below each board, or other level above the metrics, that has
    the metrics it is computed from."""
    columns_of_levels: dict[Key, dict[int, _ColumnKey]] = {}  # by levels, then metric
    for key in columns:
        columns_of_levels.setdefault(key.levels, {})[key.metric[0]] = key
    derived = []
    for spec in table.derived:
        of_rank, per_rank = (benchmark.metric_rank(name)[0] for name in (spec.of, spec.per))
        unit = spec.unit or ("%" if spec.limit is not None else "")
        head = units.heading(f"{spec.label}, derived", unit)
        for _, by_metric in sorted(columns_of_levels.items()):
            if of_rank in by_metric and (spec.limit is not None or per_rank in by_metric):
                labels = (*columns[by_metric[of_rank]].labels[:-1], head)
                denominator = None if spec.limit is not None else by_metric[per_rank]
                derived.append(_DerivedColumn(spec, labels, by_metric[of_rank], denominator))
    return derived


@dataclass(frozen=True, slots=True)
class _Placed:
    """The parameters of a table by their place: tabs, row keys, column levels below those of the
    page, and ``above`` the table those that have a single value in it."""

    tabs: str
    down: tuple[str, ...]
    across: tuple[str, ...]
    above: tuple[str, ...]


def _with_combined_params(
    benchmark: Benchmark, table: Table, records: Sequence[Record]
) -> Sequence[Record]:
    """Combine undescribed parameters beyond ``MAX_EXTRA_PARAMS`` into one text per record, as
    thousands of names would become as many row keys, nearly all of them “not stated”."""
    named = {name.removeprefix(_PARAM) for name in benchmark.entry.names(table)}
    values: dict[str, set[Key]] = {}
    stating: Counter[str] = Counter()
    for record in records:
        for name in record.params.keys() - named:
            values.setdefault(name, set()).add(_rank(benchmark, level(name), record))
            stating[name] += 1
    varying = [n for n in values if len(values[n]) > 1 or stating[n] < len(records)]
    if len(varying) <= MAX_EXTRA_PARAMS:
        return records
    order = {name: index for index, name in enumerate(benchmark.entry.params)}
    varying.sort(key=lambda n: (order.get(n, len(order)), -stating[n], n))
    rest = {*varying[MAX_EXTRA_PARAMS:]}
    return [_with_rest(record, rest) for record in records]


def _with_rest(record: Record, rest: Set[str]) -> Record:
    folded = {name: record.params[name] for name in record.params.keys() & rest}
    if not folded:
        return record
    others = {name: value for name, value in record.params.items() if name not in rest}
    # As JSON, so that different parameters yield different texts.
    text = json.dumps(folded, sort_keys=True, ensure_ascii=False)
    return replace(record, params={**others, _REST: text})


def _coded(keys: Iterable[Hashable]) -> list[int]:
    """Return a number for each key, the same for equal keys."""
    numbers: dict[Hashable, int] = {}
    return [numbers.setdefault(key, len(numbers)) for key in keys]


def _placed(
    benchmark: Benchmark,
    table: Table,
    records: Sequence[Record],
    shape: Shape,
    down: Sequence[str],
    across: Sequence[str],
) -> _Placed:
    """Return a place for each parameter of the records, including undescribed ones.

    A parameter with a single value goes above the table. One with a single value per column becomes
    a level of the head, which adds no columns. Any other becomes rows, columns or tabs.
    """
    tabs, above = table.tabs, list[str]()
    described = {name.removeprefix(_PARAM) for name in benchmark.entry.names(table)}
    extra = {name for record in records for name in record.params} - described
    order = list(benchmark.entry.params)
    ranked = sorted(extra, key=lambda n: (order.index(n) if n in order else len(order), n))
    # The row number and column number of each record.
    rows, columns = (
        _coded(tuple(_rank(benchmark, n, r) for n in names) for r in records)
        for names in ([*filter(None, [tabs]), *down], [*shape.across, *across])
    )
    for name in map(level, ranked):
        ranks = [_rank(benchmark, name, record) for record in records]
        value_count = len({*ranks})
        if value_count == 1:
            above.append(name)
            continue
        goes_down = _goes_down(ranks, rows, columns, shape)
        if goes_down and tabs and not shape.all_down:
            on_tabs = [*zip((_rank(benchmark, tabs, r) for r in records), columns, strict=True)]
            # It adds no column if it splits none on any tab.
            goes_down = _split_count(ranks, on_tabs) > len({*on_tabs})
        if not goes_down:
            across, columns = [name, *across], _coded(zip(ranks, columns, strict=True))
            continue
        rows = _coded(zip(ranks, rows, strict=True))
        may_have_tabs = not (tabs or shape.board_tabs or shape.down)
        if may_have_tabs and value_count <= MAX_TABS and len({*rows}) >= 2 * value_count:
            tabs = name
        else:
            # Metrics stay the innermost key, to keep those of one run together.
            end = down.index("metric") if "metric" in down else len(down)
            down = [*down[:end], name, *down[end:]]
    return _Placed(tabs, tuple(down), tuple(across), tuple(above))


def _goes_down(
    ranks: Sequence[Key], rows: Sequence[int], columns: Sequence[int], shape: Shape
) -> bool:
    """Return whether a parameter becomes rows rather than columns, given its value, row and column
    of each record: whichever leaves fewer cells empty or, if that hardly differs, by its number of
    values."""
    column_count, split_column_count = len({*columns}), _split_count(ranks, columns)
    # The numbers of cells with the parameter as columns and as rows.
    wide, long = len({*rows}) * split_column_count, _split_count(ranks, rows) * column_count
    if max(wide, long) <= 1.25 * min(wide, long):
        return len({*ranks}) > MAX_COLUMN_VALUES or shape.all_down
    # A parameter that mostly differs between columns may split each into a few.
    return wide > long or split_column_count > MAX_COLUMN_VALUES * column_count


def _split_count(ranks: Sequence[Key], numbers: Sequence[Hashable]) -> int:
    """Return the number of rows or columns after each is divided by the values of a parameter."""
    return len({*zip(ranks, numbers, strict=True)})


def _with_runs(table: View) -> View:
    """Return the table with a row for each sample above the mean."""
    rows: list[Row] = []
    for row in table.rows:
        sample_count = max((len(c.samples) for c in row.cells if c), default=0)
        for run in range(sample_count if sample_count > 1 else 0):
            cells = tuple(_sample(cell, run) for cell in row.cells)
            keys = (*row.keys, units.count_cell(run + 1))
            names = (*row.names, str(run + 1))
            # A ratio of single samples would pair unrelated runs.
            blank = (units.MISSING,) * len(row.derived)
            single = replace(row, keys=keys, cells=cells, single=True, derived=blank)
            rows.append(replace(single, names=names))
        rows.append(replace(row, keys=(*row.keys, "mean"), names=(*row.names, "mean")))
    return replace(table, key_labels=(*table.key_labels, "Run"), rows=tuple(rows))


def _sample(cell: Cell | None, run: int) -> Cell | None:
    if cell is None or run >= len(cell.samples):
        return None
    return Cell(cell.samples[run], None, None, None, 0, 1, (), (), cell.members)


def _rank(benchmark: Benchmark, name: str, record: Record) -> Key:
    """Return a record's sort key among the rows or columns of one level."""
    if name == "metric":
        return (benchmark.metric_rank(record.metric)[0], units.natural(record.metric), record.unit)
    if name in OUTER:
        return _outer_rank(name, record)
    name = name.removeprefix(_PARAM)
    if name not in record.params:
        return _FIRST_KEY if name in (TABLE, TABLE_NUMBER) else _UNSTATED
    return benchmark.value_rank(name, record.params[name])


_PARAM = "\0"
"""The prefix that distinguishes a parameter named "metric", or like a level in ``OUTER``, from that
level. No name contains it."""

_REST = " "
"""The name of the combined parameters; no parameter name is a single space."""


def level(name: str) -> str:
    """Return the name of the level of rows or columns for a parameter."""
    return f"{_PARAM}{name}" if name in OUTER or name == "metric" else name


_UNSTATED: Key = (10**9, math.inf, (), "")
"""The sort key of a parameter that a record lacks."""

_FIRST_KEY: Key = (-1, -math.inf, (), "")
"""The sort key of the main one of several published tables."""


def _outer_rank(name: str, record: Record) -> Key:
    if name == "release":
        # The newest release comes first, as most readers look for it.
        return (_Newest(version(record.guide.release)),)
    if name == "platform":
        # Two platforms can have the same display name.
        return (units.natural(record.guide.soc), record.guide.sdk, record.guide.os)
    return units.natural(_outer_label(name, record))


@dataclass(frozen=True, slots=True)
class _Newest:
    """A release as a sort key that puts the newest first."""

    key: tuple[tuple[int, int, str], ...]

    def __lt__(self, other: _Newest) -> bool:
        return other.key < self.key


def _newest_of_boards(records: Iterable[Record]) -> dict[str, _Newest]:
    """Return sort keys of boards, those with newer releases first: a discontinued board has no
    figures in the leading columns of a table over releases."""
    newest: dict[str, tuple[tuple[int, int, str], ...]] = {}
    for record in records:
        release = version(record.guide.release)
        newest[record.board] = max(newest.get(record.board, release), release)
    return {board: _Newest(release) for board, release in newest.items()}


def _label(benchmark: Benchmark, name: str, record: Record) -> str:
    if name in OUTER:
        return _outer_label(name, record)
    name = name.removeprefix(_PARAM)
    if name not in record.params:
        return MAIN_TABLE if name in (TABLE, TABLE_NUMBER) else NOT_STATED
    label, classes = benchmark.value_label(name, record.params[name]), benchmark.param(name).classes
    if class_label := classes.get(units.plain(record.params[name]), ""):
        # “Plain software” already includes “software”.
        return class_label if label in class_label else f"{label} ({class_label})"
    return label


def _head(benchmark: Benchmark, name: str, record: Record) -> str:
    """Return the label of a column. Plain numbers include the parameter's name, since the level
    itself is not labelled there."""
    label, plain = _label(benchmark, name, record), name.removeprefix(_PARAM)
    value = None if name in OUTER else record.params.get(plain)
    if isinstance(value, bool) or not isinstance(value, int | float) or label != units.plain(value):
        return label
    param_label, _, unit = _param_label(benchmark, plain).partition(" (")
    return f"{param_label} {label} {unit.removesuffix(')')}".rstrip()


def _outer_label(name: str, record: Record) -> str:
    if name == "board":
        return record.board
    if name == "release":
        return record.guide.release
    return f"{record.guide.soc}, {family(record.guide)}"


def _key_headings(benchmark: Benchmark, name: str) -> tuple[str, ...]:
    if name == "metric":
        return "Metric", "Unit"
    if name == _REST:
        return ("Other parameters",)
    return (OUTER.get(name) or _param_label(benchmark, name.removeprefix(_PARAM)),)


def _param_label(benchmark: Benchmark, name: str) -> str:
    if name == TABLE_NUMBER and not benchmark.param(name).label:
        return "Published table"
    return benchmark.param_label(name)


def _row_keys(
    benchmark: Benchmark, down: Sequence[str], record: Record
) -> tuple[tuple[TableCell, ...], tuple[str, ...]]:
    """Return the labels of a row's keys, and their texts in addresses."""
    labels, names = list[TableCell](), list[str]()
    for name in down:
        if name == "metric":
            unit = units.unit_cell(record.unit, benchmark.better(record.metric))
            labels += (benchmark.metric_label(record.metric), unit)
            names += (benchmark.metric_address(record.metric), record.unit)
        else:
            value = None if name in OUTER else record.params.get(name.removeprefix(_PARAM))
            labels.append(units.labelled(value, _label(benchmark, name, record)))
            names.append(_name(benchmark, name, record))
    return tuple(labels), tuple(names)


def _name(benchmark: Benchmark, name: str, record: Record) -> str:
    """Return the text of a level in addresses."""
    plain = name.removeprefix(_PARAM)
    if name in OUTER:
        return _outer_label(name, record)
    if plain not in record.params:
        return NOT_STATED
    return benchmark.value_address(plain, record.params[plain])
