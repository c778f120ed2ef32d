"""Benchmark descriptions: what differs from benchmark to benchmark, as data.

One benchmark is one ``NAME.toml`` (metrics, parameters, tables) and one
``NAME.rst`` (what it measures and how to read it), where ``NAME`` is the name
that bundles use. The types below are the format of the ``.toml`` file; a key
that they do not name is refused.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from itertools import chain
from pathlib import Path
from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from ..common import units
from ..common.diagnostics import Diagnostic, nearest
from ..common.toml_lists import in_words, not_read
from . import chart_spec
from .board_names import is_release
from .chart_spec import Chart, Fault, is_number
from .chart_spec import Scalar as Scalar

Percent = Annotated[float, Meta(ge=0, le=10_000)]
Step = Annotated[float, Meta(ge=0, le=1e200)]

RESERVED = {"board", "release", "platform"}
"""Names of columns that no parameter in a table's description may have."""


FORMAT_ENDING = ".format.toml"
"""How the name of a file ends that describes a format of logs, beside the benchmarks."""


class _Spec(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    pass


class Metric(_Spec, frozen=True):
    """What is known of one metric, or of all whose names match a pattern."""

    name: str
    """The metric's name in bundles; ``*`` and ``?`` stand for any characters."""
    unit: str
    """The unit in which pages show it."""
    better: units.Better
    """Which figures are better; ``neither`` for a setting."""
    label: str = ""
    """What pages call it; the name itself where this is left out."""
    decimals: int = 2
    """How many decimals files show; pages show significant digits."""
    headline: bool = False
    """Whether it is one of the results that stand for the benchmark: on the SoC's own page and,
    with ``short``, at the top of each guide."""
    short: str = ""
    """What the top of a guide calls it; left out, it does not stand there."""
    at: dict[str, Scalar | tuple[Scalar, ...]] = {}
    """Which of its figures are headlines: parameters with their value, or with several values of
    which the first that was measured counts; all figures where this is left out."""
    positive: bool | None = None
    """Whether it is always above zero; left out: by its unit."""
    at_most: float | None = None
    """The largest figure that can be, in ``unit``."""
    at_most_per: str = ""
    """A parameter that ``at_most`` holds for each one of, such as ``threads``."""
    rises_with: str = ""
    """A parameter with which it must not fall, such as ``block_size``."""
    steady: bool | None = None
    """Whether releases and boards should agree on it; left out: unless it is a share."""
    clock: bool = False
    """Whether it is the clock of the board's processor."""
    aliases: tuple[str, ...] = ()
    """What older bundles call it; only where ``name`` is no pattern."""
    threshold: Percent = 2.0
    """The smallest change between two releases that matters, in per cent."""
    noise_floor: Percent = 0.0
    """How far two runs of one release can lie apart anyway, in per cent."""
    step: Step = 0.0
    """The smallest difference that the program can report, in ``unit``."""


class Param(_Spec, frozen=True):
    """How one parameter is named, shown and ordered."""

    label: str = ""
    """What pages call it; the name with spaces where this is left out."""
    show: Literal["plain", "size", "hex"] = "plain"
    """Numbers as they are, as ``4k`` and ``1m``, or as hexadecimal digits."""
    default: Scalar | None = None
    """What a result means that leaves this parameter out."""
    values: dict[str, str] = {}
    """What pages call a value. The order here is the order in tables."""
    aliases: dict[str, str] = {}
    """What older bundles write, and the value that is meant: ``SHA2-256 = "sha256"``."""
    always: bool = False
    """Whether tables show it too where all figures have the default."""
    classes: dict[str, str] = {}
    """For a parameter ``engine``: the class of each value, such as ``offload``. Where figures have
    the default, that of the run is inferred from its rates and its CPU load, and marked so."""
    condition: bool | None = None
    """Whether it says how was measured and not what. Where this is left out, sizes of
    blocks, buffers and files, file systems and versions do."""


class Remark(_Spec, frozen=True):
    """Words about the figures of a benchmark, for the guides of a SoC or of a release."""

    text: str
    """What readers are to know."""
    soc: str = ""
    """The SoC whose guides it is about; all where this is left out."""
    release: str = ""
    """The release, or the beginning of several, such as ``09``; all where this is left out."""

    def holds(self, soc: str, release: str) -> bool:
        """Whether it is about a guide."""
        return self.soc in ("", soc) and is_release(release, self.release)


class Fact(_Spec, frozen=True):
    """What is known of one fact of the setup of runs."""

    matters: bool = True
    """Whether figures cannot be compared where it differs; else it is reported once."""


class Derived(_Spec, frozen=True):
    """A column that is worked out from figures of its row: a ratio, or per cent of a limit. Its
    head says that it is derived, and it is a figure nowhere else."""

    label: str
    """What its head says."""
    of: str
    """The metric that is divided."""
    per: str = ""
    """The metric that it is divided by, such as a power or a clock."""
    limit: Annotated[float, Meta(gt=0, le=1e200)] | None = None
    """In place of ``per``: the figure, in the unit of ``of``, that is 100 %."""
    unit: str = ""
    """What its head shows as the unit; ``%`` with a ``limit``."""
    decimals: int = 2
    """How many decimals pages show."""


class Table(_Spec, frozen=True):
    """One table: which results it takes, and what its rows and columns are.

    A result belongs to the first table that names its metric, whose ``where``
    holds, and whose rows, columns and tabs use up every parameter it has. Where none
    does, it belongs to the one of these that leaves the fewest over; the page finds
    a place for those.
    """

    id: str
    """Its name in addresses; letters, digits and hyphens."""
    title: str
    """The caption."""
    rows: tuple[str, ...]
    """Parameters down the side, outermost first; ``metric`` may be one."""
    metrics: tuple[str, ...] = ("*",)
    """Names or patterns of the metrics that it shows."""
    where: dict[str, Scalar] = {}
    """Parameters that must have just this value."""
    columns: tuple[str, ...] = ()
    """Parameters across the top, between board and metric."""
    tabs: str = ""
    """A parameter each of whose values is an alternative, shown in a tab."""
    runs: bool = False
    """Whether each single sample has a row of its own."""
    derived: tuple[Derived, ...] = ()
    """Columns that are worked out from others, behind all of them."""


class Entry(_Spec, frozen=True):
    """The ``.toml`` file of one benchmark."""

    title: str
    """What pages call the benchmark."""
    chapter: str
    """The chapter of a guide in which its section stands."""
    order: int
    """Where its section stands in a guide, over all benchmarks."""
    metrics: list[Metric]
    """What it measures."""
    tables: list[Table]
    """Its tables, in the order of the page."""
    charts: list[Chart] = []
    """Its charts, in the order of the page."""
    command: str = ""
    """The usual command, shown where bundles name none."""
    split: str = ""
    """A parameter each of whose values has a subsection of its own."""
    params: dict[str, Param] = {}
    """How parameters are named, shown and ordered, by name."""
    tools: tuple[str, ...] = ()
    """The programs that measure, as bundles name them under ``tools``. What another
    version of one of them has measured is another measurement."""
    notes: tuple[Remark, ...] = ()
    """Words that stand above its tables in guides."""
    facts: dict[str, Fact] = {}
    """What is known of facts of the setup, by name."""
    last: tuple[str, ...] = ("total", "total[ _-]*", "sum", "overall", "overall[ _-]*")
    """Totals: metrics, and values of parameters, that stand behind all others; ``*`` and ``?``
    stand for any characters, and case does not count."""

    def names(self, table: Table) -> frozenset[str]:
        """The parameters that a table uses up."""
        used = {*table.rows, *table.columns, *table.where, table.tabs, self.split}
        return frozenset(used - {"metric", ""})

    def placed(self) -> frozenset[str]:
        """Every parameter that a table or a chart names."""
        out = set(chain.from_iterable(map(self.names, self.tables)))
        for chart in self.charts:
            axes = (*chart_spec.names(chart.series), *chart_spec.names(chart.panels))
            out |= {chart.x, chart.along, *axes, *chart.each, *chart.where}
        return frozenset(out - {"metric", "", *chart_spec.OUTER})


Rank = tuple[int, float, tuple[object, ...], str]
"""The place of a parameter's value among others."""


@dataclass(frozen=True, slots=True)
class Benchmark:
    """A benchmark with its name and the file of its prose."""

    name: str
    entry: Entry
    prose: Path | None
    _metrics: dict[str, tuple[int, Metric]] = field(default_factory=dict, compare=False)
    _ranks: dict[tuple[str, type, Scalar], Rank] = field(default_factory=dict, compare=False)

    def metric(self, name: str) -> Metric | None:
        """What is known of a metric; an exact name goes before a pattern."""
        return self.metric_rank(name)[1]

    def metric_rank(self, name: str) -> tuple[int, Metric | None]:
        """A metric's place in the description and what is known of it; totals stand last."""
        if name not in self._metrics:
            metrics = self.entry.metrics
            exact = (rank for rank, metric in enumerate(metrics) if metric.name == name)
            alike = (rank for rank, metric in enumerate(metrics) if fnmatchcase(name, metric.name))
            rank = next(chain(exact, alike), None)
            if rank is None:
                return len(metrics) + self.is_total(name), None
            self._metrics[name] = (rank, metrics[rank])
        return self._metrics[name]

    def is_total(self, name: str) -> bool:
        """Whether a metric, or a value of a parameter, stands behind all others."""
        return any(fnmatchcase(name.casefold(), each.casefold()) for each in self.entry.last)

    def metric_label(self, name: str) -> str:
        """What pages call a metric."""
        metric = self.metric(name)
        return metric.label if metric and metric.label else name

    def better(self, name: str) -> units.Better:
        """Which figures of a metric are better."""
        metric = self.metric(name)
        return metric.better if metric else "neither"

    def param(self, name: str) -> Param:
        """How a parameter is shown; the plain way where nothing is said."""
        return self.entry.params.get(name, _PLAIN)

    def param_label(self, name: str) -> str:
        """What pages call a parameter."""
        return self.param(name).label or name.replace("_", " ").capitalize()

    def value_label(self, name: str, value: Scalar) -> str:
        """What pages show for a parameter's value."""
        param = self.param(name)
        plain = units.plain(value)
        if plain in param.values:
            return param.values[plain]
        if is_number(value) and param.show == "size":
            return units.size(value)
        if is_number(value) and param.show == "hex" and isinstance(value, int):
            return f"{value:x}"
        return plain

    def value_rank(self, name: str, value: Scalar) -> Rank:
        """A sort key: the order of the description, then numbers, then names, then totals."""
        key = name, type(value), value
        if key not in self._ranks:
            self._ranks[key] = self._value_rank(name, value)
        return self._ranks[key]

    def _value_rank(self, name: str, value: Scalar) -> Rank:
        plain = units.plain(value)
        listed = list(self.param(name).values)
        rank = listed.index(plain) if plain in listed else len(listed)
        if isinstance(value, str):
            rank += rank == len(listed) and self.is_total(value)
            return rank, float("inf"), units.natural(value), "s"
        return rank, float(value), (), type(value).__name__


_PLAIN = Param()


def undescribed(name: str) -> Benchmark:
    """A benchmark that nobody has described, as pages show it: by its own words."""
    return Benchmark(name, Entry(title=name, chapter="", order=0, metrics=[], tables=[]), None)


@dataclass(frozen=True, slots=True)
class Catalog:
    """All benchmark descriptions, in the order of a guide."""

    benchmarks: dict[str, Benchmark]

    def get(self, name: str) -> Benchmark | None:
        """The description of a benchmark, or ``None``."""
        return self.benchmarks.get(name)

    def title(self, name: str) -> str:
        """What pages call a benchmark: by its title, or by its name where nothing describes it."""
        known = self.benchmarks.get(name)
        return known.entry.title if known else name


def load(folders: Sequence[Path]) -> tuple[Catalog, list[Diagnostic]]:
    """Read every ``.toml`` of the folders; a later folder's entry replaces an earlier one's.

    A folder that is not there is passed over. An entry with a fault is left out
    with a diagnostic, so that its results show under "Other results".
    """
    benchmarks: dict[str, Benchmark] = {}
    diagnostics: list[Diagnostic] = []
    for path in (path for folder in folders for path in sorted(folder.glob("*.toml"))):
        if path.name.endswith(FORMAT_ENDING):
            continue
        entry, faults = _read(path)
        if entry is None:
            effect = f"until it is fixed, results of “{path.stem}” show under “Other results”"
            for message, hint, line in faults:
                hint = f"{hint}; {effect}" if hint else effect
                diagnostics.append(Diagnostic("catalog", str(path), message, hint, line=line))
            continue
        text = path.with_suffix(".rst")
        if not text.is_file():
            message = f"there is no {text.name} beside it"
            hint = "write what the benchmark measures and how to read it"
            diagnostics.append(Diagnostic("catalog-prose", str(path), message, hint))
        prose = text if text.is_file() else None
        benchmarks[path.stem] = Benchmark(path.stem, entry, prose)
    ordered = sorted(benchmarks.values(), key=lambda b: (b.entry.order, b.name))
    return Catalog({b.name: b for b in ordered}), diagnostics


def _read(path: Path) -> tuple[Entry | None, list[tuple[str, str, int | None]]]:
    """The entry of a file, or its faults, with the line of those where it is known."""
    try:
        entry = msgspec.toml.decode(path.read_bytes(), type=Entry)
    except msgspec.ValidationError as error:
        return None, [(*in_words(str(error), Entry), None)]
    except (msgspec.MsgspecError, UnicodeDecodeError, OSError) as error:
        return None, [not_read(error)]
    faults = list(_faults(entry))
    return (None if faults else entry), [(*fault, None) for fault in faults]


def prose(folders: Sequence[Path], name: str) -> Path | None:
    """The file of a benchmark's text, or ``None``; a later folder goes before an earlier one."""
    for folder in reversed(folders):
        for path in folder.glob("*.rst"):
            if path.stem == name:
                return path
    return None


def _faults(entry: Entry) -> Iterator[Fault]:
    """What the types cannot say: names that must agree with each other."""
    metrics = [metric.name for metric in entry.metrics]
    if not entry.metrics or not entry.tables:
        yield "“metrics” and “tables” each need at least one entry", ""
    for metric in entry.metrics:
        yield from _metric_faults(metric, entry)
    for name, param in entry.params.items():
        for old, value in param.aliases.items():
            if value in param.aliases:
                where = f"parameter “{name}”: "
                hint = "name the value that bundles write today"
                yield where + f"the alias “{old}” leads to another alias", hint
    for chart in entry.charts:
        yield from _id_faults("chart", chart.id, [each.id for each in entry.charts])
        yield from chart_spec.faults(chart, metrics)
    for table in entry.tables:
        yield from _id_faults("table", table.id, [each.id for each in entry.tables])
        yield from _table_faults(table, entry.split, metrics)


def _metric_faults(metric: Metric, entry: Entry) -> Iterator[Fault]:
    """What a metric says of its figures must make sense together, and each old name mean one."""
    where = f"metric “{metric.name}”: "
    if metric.at_most_per and metric.at_most is None:
        yield where + "“at_most_per” says nothing without “at_most”", ""
    if metric.clock and units.parse(metric.unit).kind != "frequency":
        yield where + f"a clock cannot be in “{metric.unit}”", ""
    for name in filter(None, (metric.rises_with, metric.at_most_per)):
        if entry.params and name not in entry.params:
            yield where + f"no parameter is named “{name}”", nearest(name, entry.params)
    if metric.aliases and set("*?[") & set(metric.name):
        yield where + "a pattern cannot have “aliases”", "write an entry with its whole name"
    every = [name for each in entry.metrics for name in (each.name, *each.aliases)]
    for old in metric.aliases:
        if every.count(old) > 1:
            yield where + f"the alias “{old}” is another metric's too", "name it once"


def _table_faults(table: Table, split: str, metrics: Sequence[str]) -> Iterator[Fault]:
    where = f"table “{table.id}”: "
    axes = [name for name in (*table.rows, *table.columns, table.tabs, split) if name]
    for name in sorted(set(axes)):
        if axes.count(name) > 1 or name in table.where:
            yield where + f"“{name}” is used twice", ""
    for name in sorted(RESERVED & {*axes}):
        yield where + f"“{name}” has a meaning of its own in tables", ""
    if not table.rows:
        yield where + "“rows” is empty", "name a parameter or “metric”"
    if "metric" in (*table.columns, table.tabs):
        hint = "leave it out: metrics are columns unless “rows” names them"
        yield where + "“metric” cannot be among “columns” or “tabs”", hint
    for column in table.derived:
        own = where + f"column “{column.label}”: "
        if bool(column.per) == (column.limit is not None):
            yield own + "needs either “per” or “limit”", "name what it is divided by"
        if "metric" in table.rows:
            yield own + "metrics are rows here", "let them be columns, or leave it out"
        for name in filter(None, (column.of, column.per)):
            if name not in metrics:
                yield own + f"no metric is named “{name}”", nearest(name, metrics)
    for name in table.metrics:
        if not any(fnmatchcase(m, name) or fnmatchcase(name, m) for m in metrics):
            yield where + f"no metric is named “{name}”", nearest(name, metrics)


def _id_faults(kind: str, own: str, ids: Sequence[str]) -> Iterator[Fault]:
    if not re.fullmatch("[a-z0-9]+(-[a-z0-9]+)*", own):
        hint = "use lower-case letters, digits and hyphens"
        yield f"{kind} “{own}”: its id cannot be part of an address", hint
    if ids.count(own) > 1:
        hint = "it is a part of an address: give each id once"
        yield f"{kind} “{own}”: its id is that of {ids.count(own)} {kind}s", hint
