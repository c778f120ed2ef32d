"""Tables for undescribed figures, laid out according to the figures themselves."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ..catalog.benchmarks import Benchmark, Scalar, Table
from ..common import slugs
from ..common.grouping import grouped
from ..figures.pool import Record
from .model import MAX_COLUMN_VALUES, MAX_TABS, Shape, View, level, view

MAX_METRIC_COLUMNS = 6
"""The most metrics that become columns; more become rows."""

MAX_UNTABBED_ROWS = 20
"""A longer table is divided into tabs if a parameter has few values."""


def general_views(benchmark: Benchmark, records: Sequence[Record], shape: Shape) -> list[View]:
    """Return one table for each set of parameters that figures of a benchmark have."""
    # In one table for figures with different parameters, most cells would be empty.
    groups = grouped(records, lambda record: tuple(sorted(record.params)))
    return [
        view(benchmark, _table(benchmark, groups[names]), groups[names], shape)
        for names in sorted(groups)
    ]


def general_id(params: Iterable[str]) -> str:
    """Return a table's name within its benchmark for addresses, derived from its parameters."""
    return slugs.slug("-".join(sorted(params))) if params else ""


def general_title(benchmark: Benchmark, params: Iterable[str]) -> str:
    """Return the caption of a table: the benchmark and the parameters of its figures."""
    title = benchmark.entry.title
    if benchmark.entry.tables:
        title = f"{title}, other results"
    names = ", ".join(benchmark.param_label(name) for name in sorted(params))
    return f"{title}: {names}" if names else title


def _table(benchmark: Benchmark, records: Sequence[Record]) -> Table:
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
        id="-".join(filter(None, ("other", general_id(params)))),
        title=general_title(benchmark, params),
        rows=names,
        columns=tuple(map(level, columns)),
        tabs=level(tabs) if tabs else "",
    )


def _typed(value: Scalar) -> tuple[str, Scalar]:
    """Return a value with its type, since 1 equals True in Python."""
    return type(value).__name__, value
