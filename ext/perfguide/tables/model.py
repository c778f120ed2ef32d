"""A table of the catalog applied to figures: which rows, which columns, which cells.

Everything here is numbers and labels; nothing is formatted.
"""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from typing import Any

from ..bundles.guide_key import family, version
from ..catalog.benchmarks import Benchmark, Derived, Table
from ..common import units
from ..common.units import TableCell
from ..figures.pool import Cell, Record

Key = tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Row:
    """One line of a table: its labels, its cells (``None`` where nothing was
    measured) and for each cell the decimals to show. A parameter that is a number is one
    among the labels too."""

    keys: tuple[TableCell, ...]
    cells: tuple[Cell | None, ...]
    decimals: tuple[int, ...]
    unit: str
    """The unit of its first figure; of all, where one of its labels is their unit."""
    single: bool = False
    """Whether it shows single samples of what another row shows the mean of."""
    derived: tuple[TableCell, ...] = ()
    """What is worked out from its figures; it stands behind them."""


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
    above: tuple[tuple[str, str], ...] = ()
    """What is the same for all figures of the table, each with its name; it stands above it."""
    derived: tuple[tuple[str, ...], ...] = ()
    """The heads of what is worked out, as those of ``columns``."""


OUTER = {
    "board": "Board",
    "release": "Release",
    "platform": "SoC",
}
"""What a level of columns, or a leading row key, can be besides parameters."""


@dataclass(frozen=True, slots=True)
class Shape:
    """How a page arranges a table: the first levels of its columns, whether a
    tab for each board goes before the rows, and whether all else goes down. ``down`` are
    levels that have become the first row keys, because the table has few figures for its size."""

    across: tuple[str, ...] = ("board",)
    board_tabs: bool = False
    all_down: bool = False
    down: tuple[str, ...] = ()


OVER_RELEASES = Shape(across=("release",), board_tabs=True, all_down=True)
SIDE_BY_SIDE = Shape(across=("platform", "release", "board"))


LARGEST, SPARSE = 4_000, 4
"""A table with more cells than the first, of which fewer than one in so many has a figure, is
made a list, as long as it has figures."""

FEW, SEVERAL = 4, 12
"""So many values of a parameter that no description places stand side by side, and so many have
a tab each; more have a row each."""

MOST_PLACED = 12
"""So many parameters of a table that no description places have a place of their own where they
vary; the others of a figure stand together as one."""

NOT_STATED = "not stated"
"""What a table says where some of its figures have a parameter and others do not."""


def view(benchmark: Benchmark, table: Table, records: Sequence[Record], shape: Shape) -> View:
    """One table of the catalog over the records that it takes."""
    records = _folded(benchmark, table, records)
    usual = {name: benchmark.param(name).default for name in table.columns}
    levels = [
        name
        for name, default in usual.items()
        if any(r.params[name.removeprefix(_PARAM)] != default for r in records)
        or benchmark.param(name).always
    ]
    down = [*shape.down, *table.rows]
    if shape.all_down:
        down += [*levels, *(["metric"] if "metric" not in down else [])]
        levels = []
    arranged = _arranged(benchmark, table, records, shape, down, levels)
    by_metric, tabbed = "metric" in arranged.down, bool(arranged.tabs) or shape.board_tabs
    down = [*(["board"] if shape.board_tabs else []), *filter(None, [arranged.tabs])]
    down += arranged.down
    names = [*shape.across, *arranged.across]
    rows: dict[Key, tuple[tuple[TableCell, ...], int, str]] = {}
    columns: dict[Key, tuple[tuple[str, ...], int]] = {}
    cells: dict[tuple[Key, Key], Cell] = {}
    for record in records:
        decimals = _decimals(benchmark, record)
        row = tuple(_rank(benchmark, name, record) for name in down)
        if row not in rows:
            rows[row] = (_row_labels(benchmark, down, record), decimals, record.unit)
        column = tuple(_rank(benchmark, name, record) for name in names)
        labels = [_label(benchmark, name, record) for name in names]
        if not by_metric:
            column += (_rank(benchmark, "metric", record),)
            labels.append(_metric_heading(benchmark, record))
        columns.setdefault(column, (tuple(labels or ["Figure"]), decimals))
        if (row, column) in cells:
            raise AssertionError(f"two figures for one cell of {benchmark.name}/{table.id}")
        cells[row, column] = record.cell
    size = len(rows) * len(columns)
    if shape.across and size > max(LARGEST, SPARSE * len(cells)):
        long = replace(shape, across=(), all_down=True, down=shape.across)
        return view(benchmark, table, records, long)
    across = sorted(columns)
    lines = []
    derived = () if by_metric else _derived(benchmark, table, columns)
    for key in sorted(rows):
        keys, own, unit = rows[key]
        shown = tuple(own if by_metric else columns[c][1] for c in across)
        shown += tuple(each.spec.decimals for each in derived)
        worked_out = tuple(each.of({c: cells.get((key, c)) for c in across}) for each in derived)
        figures = tuple(cells.get((key, c)) for c in across)
        lines.append(Row(keys, figures, shown, unit, derived=worked_out))
    headings = tuple(label for name in down for label in _key_headings(benchmark, name))
    heads = tuple(columns[c][0] for c in across)
    above = tuple(
        (_key_headings(benchmark, name)[0], _label(benchmark, name, records[0]))
        for name in arranged.above
    )
    more = tuple(each.labels for each in derived)
    result = View(table.id, table.title, headings, heads, tuple(lines), tabbed, above, more)
    return _with_runs(result) if table.runs else result


@dataclass(frozen=True, slots=True)
class _Column:
    """A column that is worked out: its description, its heads, and those it is worked out from."""

    spec: Derived
    labels: tuple[str, ...]
    whole: Key
    part: Key | None

    def of(self, cells: Mapping[Key, Cell | None]) -> TableCell:
        """What one row shows, from its cells by their columns."""
        whole, part = cells.get(self.whole), cells.get(self.part) if self.part else None
        below = self.spec.limit if self.part is None else part.mean if part else None
        if whole is None or whole.mean is None or not below:
            return units.MISSING
        value = whole.mean / below * (100 if self.part is None else 1)
        if not math.isfinite(value):
            return units.MISSING
        return value, units.number(value, self.spec.decimals), ""


def _derived(
    benchmark: Benchmark, table: Table, columns: Mapping[Key, tuple[tuple[str, ...], int]]
) -> list[_Column]:
    """The columns that are worked out: one for each board, or whatever is above the metrics, that
    has the metrics of its description."""
    heads: dict[Key, dict[int, Key]] = {}
    for key in columns:
        heads.setdefault(key[:-1], {})[key[-1][0]] = key
    out = []
    for spec in table.derived:
        of, per = (benchmark.metric_rank(name)[0] for name in (spec.of, spec.per))
        unit = spec.unit or ("%" if spec.limit is not None else "")
        head = units.heading(f"{spec.label}, derived", unit)
        for prefix in sorted(heads):
            own = heads[prefix]
            if of in own and (spec.limit is not None or per in own):
                labels = (*columns[own[of]][0][:-1], head)
                part = None if spec.limit is not None else own[per]
                out.append(_Column(spec, labels, own[of], part))
    return out


@dataclass(frozen=True, slots=True)
class _Arranged:
    """What of a table goes where: the parameter of its tabs, its row keys, and the levels of its
    columns below those of the page. Each parameter ``above`` has one value in all of it."""

    tabs: str
    down: tuple[str, ...]
    across: tuple[str, ...]
    above: tuple[str, ...]


def _folded(benchmark: Benchmark, table: Table, records: Sequence[Record]) -> Sequence[Record]:
    """The records with the parameters that are too many for places of their own as one text.

    Thousands of names would make as many row keys, nearly all of them “not stated”.
    """
    named = {name.removeprefix(_PARAM) for name in benchmark.entry.names(table)}
    values: dict[str, set[Key]] = {}
    stating: Counter[str] = Counter()
    for record in records:
        for name in record.params.keys() - named:
            values.setdefault(name, set()).add(_rank(benchmark, level(name), record))
            stating[name] += 1
    varying = [n for n in values if len(values[n]) > 1 or stating[n] < len(records)]
    if len(varying) <= MOST_PLACED:
        return records
    order = {name: place for place, name in enumerate(benchmark.entry.params)}
    varying.sort(key=lambda n: (order.get(n, len(order)), -stating[n], n))
    rest = {*varying[MOST_PLACED:]}
    return [_with_rest(record, rest) for record in records]


def _with_rest(record: Record, rest: Set[str]) -> Record:
    folded = {name: record.params[name] for name in record.params.keys() & rest}
    if not folded:
        return record
    own = {name: value for name, value in record.params.items() if name not in rest}
    # As JSON, so that different parameters are different texts.
    text = json.dumps(folded, sort_keys=True, ensure_ascii=False)
    return replace(record, params={**own, _REST: text})


def _coded(keys: Iterable[Hashable]) -> list[int]:
    """A number for each key, the same for the same ones."""
    places: dict[Hashable, int] = {}
    return [places.setdefault(key, len(places)) for key in keys]


def _arranged(
    benchmark: Benchmark,
    table: Table,
    records: Sequence[Record],
    shape: Shape,
    down: Sequence[str],
    across: Sequence[str],
) -> _Arranged:
    """The table with a place for each parameter of its records that it does not name.

    One that has a single value stands above the table. One that says the same of each column is
    a level of the head, which costs no column. Any other becomes what its number of values
    makes readable, unless that leaves more cells empty.
    """
    tabs, above = table.tabs, list[str]()
    named = benchmark.entry.names(table)
    order = list(benchmark.entry.params)
    extra = {name for record in records for name in record.params}
    extra -= {name.removeprefix(_PARAM) for name in named}
    ranked = sorted(extra, key=lambda n: (order.index(n) if n in order else len(order), n))
    # Which row and which column each record stands in, as a number.
    rows, columns = (
        _coded(tuple(_rank(benchmark, n, r) for n in names) for r in records)
        for names in ([*filter(None, [tabs]), *down], [*shape.across, *across])
    )
    for name in map(level, ranked):
        own = [_rank(benchmark, name, record) for record in records]
        values = {*own}
        if len(values) == 1:
            above.append(name)
            continue
        more_rows, more_columns = (_coded(zip(own, each, strict=True)) for each in (rows, columns))
        before, after = len(set(columns)), len(set(more_columns))
        beside, below = len(set(rows)) * after, len(set(more_rows)) * before
        alike = max(beside, below) <= 1.25 * min(beside, below)
        if alike:
            wide = len(values) > FEW or shape.all_down
        else:
            # Where it tells columns apart, a few of them are what one column becomes.
            wide = beside > below or after > FEW * before
        if not wide:
            across, columns = [name, *across], more_columns
            continue
        if (
            not (tabs or shape.board_tabs or shape.down)
            and len(values) <= SEVERAL
            and len(set(more_rows)) >= 2 * len(values)
        ):
            tabs = name
        else:
            at = down.index("metric") if "metric" in down else len(down)
            down = [*down[:at], name, *down[at:]]
        rows = more_rows
    return _Arranged(tabs, tuple(down), tuple(across), tuple(above))


def _with_runs(table: View) -> View:
    """The same table with a row for each single sample before the mean."""
    rows: list[Row] = []
    for row in table.rows:
        most = max((len(c.samples) for c in row.cells if c), default=0)
        for run in range(most if most > 1 else 0):
            cells = tuple(_sample(cell, run) for cell in row.cells)
            keys = (*row.keys, units.counted(run + 1))
            blank = (units.MISSING,) * len(row.derived)
            rows.append(replace(row, keys=keys, cells=cells, single=True, derived=blank))
        rows.append(replace(row, keys=(*row.keys, "mean")))
    return replace(table, key_labels=(*table.key_labels, "Run"), rows=tuple(rows))


def _sample(cell: Cell | None, run: int) -> Cell | None:
    if cell is None or run >= len(cell.samples):
        return None
    return Cell(cell.samples[run], None, None, None, 0, 1, (), (), cell.members)


def _rank(benchmark: Benchmark, name: str, record: Record) -> Key:
    """Where a record stands among the rows or columns of one level."""
    if name == "metric":
        return (benchmark.metric_rank(record.metric)[0], units.natural(record.metric), record.unit)
    if name in OUTER:
        return _outer_rank(name, record)
    name = name.removeprefix(_PARAM)
    if name not in record.params:
        return _UNSTATED
    return benchmark.value_rank(name, record.params[name])


_PARAM = "\0"
"""What stands before a parameter's name where it is that of something else; no name has it."""


_REST = " "
"""The parameter that holds those without a place of their own; no name is a space alone."""


def level(name: str) -> str:
    """What a parameter is called among rows and columns."""
    return f"{_PARAM}{name}" if name in OUTER or name == "metric" else name


_UNSTATED: Key = (10**9, math.inf, (), "")
"""The sort key of a parameter that a record does not have."""


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
    name = name.removeprefix(_PARAM)
    if name not in record.params:
        return NOT_STATED
    label, known = benchmark.value_label(name, record.params[name]), benchmark.param(name).classes
    if of := known.get(units.plain(record.params[name]), ""):
        return f"{label} ({of})"
    return label


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
    return (OUTER.get(name) or benchmark.param_label(name.removeprefix(_PARAM)),)


def _row_labels(benchmark: Benchmark, down: Sequence[str], record: Record) -> tuple[TableCell, ...]:
    labels: list[TableCell] = []
    for name in down:
        if name == "metric":
            labels.append(benchmark.metric_label(record.metric))
            labels.append(units.unit_cell(record.unit, benchmark.better(record.metric)))
        else:
            value = None if name in OUTER else record.params.get(name.removeprefix(_PARAM))
            labels.append(units.labelled(value, _label(benchmark, name, record)))
    return tuple(labels)


def _metric_heading(benchmark: Benchmark, record: Record) -> str:
    label = benchmark.metric_label(record.metric)
    return units.heading(label, record.unit, benchmark.better(record.metric))


def _decimals(benchmark: Benchmark, record: Record) -> int:
    known = benchmark.metric(record.metric)
    return known.decimals if known else 2
