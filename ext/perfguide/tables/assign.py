"""Assignment of figures to the catalog's tables.

A record belongs to the table that uses most of its parameters, and none that it lacks; of several,
the first. Without one, it belongs to a general table of its benchmark.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase

from ..catalog.benchmarks import Benchmark, Catalog, Scalar, Table
from ..catalog.chart_spec import same
from ..common import units
from ..common.grouping import grouped
from ..common.slugs import hashed, slug
from ..figures.pool import Record
from .model import MAX_COLUMN_VALUES, MAX_TABS, Shape, View, level, view

MAX_METRIC_COLUMNS = 6
"""The most metrics that become columns; more become rows."""

MAX_UNTABBED_ROWS = 20
"""A longer table is divided into tabs if a parameter has few values."""


@dataclass(frozen=True, slots=True)
class Section:
    """A benchmark's part of a page: its views, and the records that they show.

    If the benchmark has a split parameter, ``part`` is the label of its value and ``part_id`` its
    name in addresses.
    """

    benchmark: Benchmark
    part: str
    part_id: str
    views: tuple[View, ...]
    records: tuple[Record, ...]


Signature = tuple[str, str, str, frozenset[tuple[str, type, Scalar]]]


def signature(record: Record) -> Signature:
    """Return a key for what a record measured, which is the same on all boards and releases."""
    # True equals 1 in Python, so the type is part of the identity.
    params = frozenset((name, type(v), v) for name, v in record.params.items())
    return record.benchmark, record.metric, record.unit, params


class Layout:
    """The catalog's tables, and the table assigned to each record."""

    def __init__(self, catalog: Catalog) -> None:
        self.catalog = catalog
        self._claims: dict[Signature, int | None] = {}
        self._fits: dict[Signature, bool] = {}
        self._open: dict[tuple[str, frozenset[str]], list[tuple[int, int, Table]]] = {}

    def claim(self, record: Record) -> int | None:
        """Return the position of a record's table within its benchmark, or ``None``."""
        key = signature(record)
        if key not in self._claims:
            self._claims[key] = self._find(record)
        return self._claims[key]

    def _find(self, record: Record) -> int | None:
        benchmark = self.catalog.benchmark(record.benchmark)
        # An undescribed metric needs a "Unit" column, so prefer tables with metrics as rows.
        is_undescribed = not self.is_described(record)
        ranked = [
            (rest, is_undescribed and "metric" not in table.rows, position)
            for rest, position, table in self._tables(benchmark, frozenset(record.params))
            if all(same(record.params[k], v) for k, v in table.where.items())
            and any(fnmatchcase(record.metric, name) for name in table.metrics)
        ]
        # Ties are broken by the order of the description.
        return min(ranked)[-1] if ranked else None

    def _tables(self, benchmark: Benchmark, given: frozenset[str]) -> list[tuple[int, int, Table]]:
        """Return the tables whose parameters are all given, each with the number of parameters left
        over and its position."""
        key = benchmark.name, given
        if key not in self._open:
            self._open[key] = [
                (len(given) - len(used), position, table)
                for position, table in enumerate(benchmark.entry.tables)
                if (used := benchmark.entry.names(table)) <= given
            ]
        return self._open[key]

    def is_described(self, record: Record) -> bool:
        """Return whether a figure's metric is described, in the figure's unit."""
        metric = self.catalog.benchmark(record.benchmark).metric(record.metric)
        return metric is not None and units.parse(metric.unit).name == record.unit

    def fits(self, record: Record) -> bool:
        """Return whether a figure's row and column follow from the table's description alone."""
        key = signature(record)
        if key not in self._fits:
            position = self.claim(record)
            self._fits[key] = False
            if position is not None:
                entry = self.catalog.benchmarks[record.benchmark].entry
                names = entry.names(entry.tables[position])
                self._fits[key] = names == record.params.keys() and self.is_described(record)
        return self._fits[key]

    def anchor(self, record: Record) -> str:
        """Return the anchor of the section that shows a record on its guide's page."""
        name = slug(record.benchmark)
        if self.claim(record) is None:
            return f"other-{name}"
        split = self.catalog.benchmarks[record.benchmark].entry.split
        return f"{name}--{part_id(record.params[split])}" if split else name

    def table(self, record: Record) -> str:
        """Return the name of the table that shows a record on its guide's page."""
        anchor, position = self.anchor(record), self.claim(record)
        if position is None:
            return "-".join(filter(None, (anchor, _general_id(record.params))))
        return f"{anchor}-{self.catalog.benchmarks[record.benchmark].entry.tables[position].id}"

    def caption(self, record: Record) -> str:
        """Return the caption of the table that shows a record on its guide's page."""
        position, benchmark = self.claim(record), self.catalog.benchmark(record.benchmark)
        if position is None:
            return _general_title(benchmark, record.params)
        split = benchmark.entry.split
        part = benchmark.value_label(split, record.params[split]) if split else ""
        return ", ".join(filter(None, (benchmark.entry.tables[position].title, part)))

    def general(
        self, name: str, records: Sequence[Record], shape: Shape | None = None
    ) -> list[View]:
        """Return the tables for one benchmark's figures that belong to no table in the catalog."""
        return _general_views(self.catalog.benchmark(name), records, shape or Shape())

    def sections(
        self, records: Iterable[Record], shape: Shape | None = None
    ) -> tuple[list[Section], dict[str, list[Record]]]:
        """Return the sections of a page in catalog order, and the records that belong to no table
        in the catalog, by benchmark."""
        shape = shape or Shape()
        assigned: dict[str, dict[str, dict[int, list[Record]]]] = {}
        other: dict[str, list[Record]] = {}
        for record in records:
            position = self.claim(record)
            if position is None:
                other.setdefault(record.benchmark, []).append(record)
                continue
            split = self.catalog.benchmarks[record.benchmark].entry.split
            part = canonical_part(record.params[split]) if split else ""
            parts = assigned.setdefault(record.benchmark, {})
            parts.setdefault(part, {}).setdefault(position, []).append(record)
        out: list[Section] = []
        for name, benchmark in self.catalog.benchmarks.items():
            split = benchmark.entry.split
            parts = assigned.get(name, {})
            values = {part: _value(split, tables) for part, tables in parts.items()}
            ranks = {part: benchmark.value_rank(split, v) for part, v in values.items()}
            # In the order of the description, not of the records.
            for part in sorted(parts, key=ranks.__getitem__):
                tables, value = parts[part], values[part]
                label = benchmark.value_label(split, value) if split else ""
                address = part_id(value) if split else ""
                views = [
                    view(benchmark, benchmark.entry.tables[position], tables[position], shape)
                    for position in sorted(tables)
                ]
                members = tuple(record for of_table in tables.values() for record in of_table)
                out.append(Section(benchmark, label, address, tuple(views), members))
        return out, dict(sorted(other.items()))


def canonical_part(value: Scalar) -> str:
    """Return a parameter value as a key that distinguishes 1, "1" and true."""
    return f"{type(value).__name__}:{units.plain(value)}"


def _value(split: str, tables: dict[int, list[Record]]) -> Scalar:
    """Return the value of the split parameter, which all records of a part share."""
    first = next(iter(tables.values()))[0]
    return first.params[split] if split else ""


def part_id(value: Scalar) -> str:
    """Return a part's name in addresses."""
    # Numbers get a hash, because their digits could also be the address of a string.
    return slug(value) if isinstance(value, str) else hashed(canonical_part(value))


# Tables for undescribed figures, laid out according to the figures themselves


def _general_views(benchmark: Benchmark, records: Sequence[Record], shape: Shape) -> list[View]:
    """Return one table for each set of parameters that figures of a benchmark have."""
    # In one table for figures with different parameters, most cells would be empty.
    groups = grouped(records, lambda record: tuple(sorted(record.params)))
    return [
        view(benchmark, _general_table(benchmark, groups[names]), groups[names], shape)
        for names in sorted(groups)
    ]


def _general_id(params: Iterable[str]) -> str:
    """Return a table's name within its benchmark for addresses, derived from its parameters."""
    return slug("-".join(sorted(params))) if params else ""


def _general_title(benchmark: Benchmark, params: Iterable[str]) -> str:
    """Return the caption of a table: the benchmark and the parameters of its figures."""
    title = benchmark.entry.title
    if benchmark.entry.tables:
        title = f"{title}, other results"
    names = ", ".join(benchmark.param_label(name) for name in sorted(params))
    return f"{title}: {names}" if names else title


def _general_table(benchmark: Benchmark, records: Sequence[Record]) -> Table:
    """Return a description that suits these figures.

    Parameters with a single value are left out, as they are shown above the table. A few metrics
    become columns, more become rows. Other parameters with few values become columns or tabs,
    unless that would leave too many cells empty.
    """
    params = sorted(records[0].params)
    values = {name: {_typed(record.params[name]) for record in records} for name in params}
    words = {n for n in params if all(isinstance(r.params[n], str) for r in records)}
    # Parameters with the fewest values become the outermost keys, words before numbers.
    varying = (name for name in params if len(values[name]) > 1)
    down = sorted(varying, key=lambda n: (len(values[n]), n not in words))
    metrics = {(record.metric, record.unit) for record in records}
    boards = len({(record.guide, record.board) for record in records})

    def rows(names: Sequence[str], *, by_metric: bool = False) -> int:
        keys = (
            (*(_typed(r.params[n]) for n in names), *((r.metric, r.unit) if by_metric else ()))
            for r in records
        )
        return len(set(keys))

    few = len(metrics) <= MAX_METRIC_COLUMNS
    # Metrics stay columns only if that fills at least half of the cells.
    by_metric = not down or not few or rows(down) * len(metrics) * boards > 2 * len(records)
    columns: list[str] = []
    tabs = ""
    if by_metric and len(down) == 1:
        count = len(values[down[0]])
        if count <= MAX_COLUMN_VALUES and len(metrics) * count * boards <= 2 * len(records):
            # The parameter values become columns, and the metrics rows.
            columns = [down.pop()]
    length = rows(down, by_metric=by_metric)
    if (len(down) > 1 or by_metric) and length > MAX_UNTABBED_ROWS:
        most = min(MAX_TABS, length // 3)
        tabs = next((name for name in down if name in words and len(values[name]) <= most), "")
        down = [name for name in down if name != tabs]
    if len(down) > 1 and not by_metric:
        count = len(values[down[0]])
        rest = [*down[1:], *filter(None, [tabs])]
        # A parameter becomes columns only if that leaves at most a fifth of the cells empty.
        full = rows(rest) * count <= 1.25 * rows([*down, *rest])
        if len(metrics) * count <= MAX_METRIC_COLUMNS and full:
            columns = [down.pop(0)]
    names = tuple(map(level, down)) + (("metric",) if by_metric else ())
    return Table(
        id="-".join(filter(None, ("other", _general_id(params)))),
        title=_general_title(benchmark, params),
        rows=names,
        columns=tuple(map(level, columns)),
        tabs=level(tabs) if tabs else "",
    )


def _typed(value: Scalar) -> tuple[str, Scalar]:
    """Return a value with its type, since 1 equals True in Python."""
    return type(value).__name__, value
