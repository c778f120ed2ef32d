"""Benchmark descriptions, which hold everything specific to a benchmark as data.

Each benchmark has a ``NAME.toml`` (metrics, parameters, tables) and a ``NAME.rst`` (what it
measures and how to read it), where ``NAME`` is its name in bundles. The types below define the
format of the ``.toml`` file; unknown keys are refused.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from functools import cache, cached_property
from itertools import chain
from pathlib import Path
from typing import Annotated, Any, Literal

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
"""Column names that are reserved, and not available to parameters in tables."""


FORMAT_ENDING = ".format.toml"
"""The suffix of files that describe log formats, next to those of benchmarks."""


class _Spec(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    pass


class Metric(_Spec, frozen=True):
    """A metric, or all metrics whose names match a pattern."""

    name: str
    """The metric's name in bundles; ``*`` and ``?`` match any characters."""
    unit: str
    """The unit in which pages show it."""
    better: units.Better
    """The direction of better figures; ``neither`` for a setting."""
    label: str = ""
    """Its label on pages; by default the name. Each ``*`` is the text that a wildcard of the name
    takes, in their order: ``Copy, *`` for ``cp-*`` gives ``Copy, 1 MiB`` for ``cp-1mb``."""
    address: str = ""
    """The text in addresses of its rows, if it is not the name."""
    decimals: int = 2
    """The number of decimals in files; pages show significant digits."""
    headline: bool = False
    """True for a result that represents the benchmark: it is shown on the SoC's own page and,
    with ``short``, at the top of each guide."""
    short: str = ""
    """Its label at the top of a guide; without it, the metric is not shown there."""
    listed: int = 0
    """Its rank among the headlines in the list of guides and on the front page, 1 for the first; by
    default after all that have a rank."""
    at: dict[str, Scalar | tuple[Scalar, ...]] = {}
    """The figures that are headlines: parameters with their value, or with several values of
    which the first that was measured counts; by default all figures."""
    ranked: bool = True
    """False for what the setting fixes, as a mode fixes the refresh rate: no SoC leads in it."""
    positive: bool | None = None
    """True if it is always above zero; by default this follows from its unit."""
    both_ways: bool = False
    """True for the sum of two directions: a rate in each of them takes twice that sum."""
    at_most: float | None = None
    """The largest possible figure, in ``unit``."""
    at_most_per: str = ""
    """A parameter that multiplies ``at_most``, such as ``threads``."""
    share_of: Literal["", "one core", "all cores"] = ""
    """The cores at 100 % of a load, where it has no ``at_most`` because several may work."""
    at_most_for: dict[str, str] = {}
    """The figures to which ``at_most`` applies: parameters with a pattern of their values; by
    default all."""
    multiple_of: dict[str, float] = {}
    """Parameters with a factor: the figure is a multiple of their product, in ``unit``, as a bit
    rate is of the sampling rate times 8."""
    no_less_than: dict[str, float] = {}
    """The least ratio of this time to other metrics of the same run, such as the time of a clock
    cycle or of an operation that it contains."""
    beyond_caches: dict[str, float] = {}
    """For a latency that is meant to be that of memory: the metric of a latency in the caches, and
    the least ratio to it. A shorter one is that of a cache, and is not ranked."""
    computed_from: tuple[str, ...] = ()
    """The metrics of the same run that it is computed from: if one of them is in doubt, it is in
    doubt too, provided that both moved alike."""
    rises_with: str = ""
    """A parameter with which it must not fall, such as ``block_size``."""
    steady: bool | None = None
    """True if releases and boards should agree on it; by default true unless it is a share."""
    clock: bool = False
    """True if it is the clock of the board's processor."""
    aliases: tuple[str, ...] = ()
    """Its names in older bundles; only if ``name`` is not a pattern."""
    words: tuple[str, ...] = ()
    """Its names in published guides and logs, such as ``packets per second``: ``import`` and
    ``check`` suggest it for them."""
    threshold: Percent = 2.0
    """The smallest change between two releases that matters, in per cent."""
    noise_floor: Percent = 0.0
    """The usual difference between two runs of one release, in per cent."""
    step: Step = 0.0
    """The smallest difference that the program can report, in ``unit``."""

    def limit(self, params: Mapping[str, Scalar]) -> float | None:
        """Return the largest possible figure with these parameters, in ``unit``, or ``None``."""
        patterns = self.at_most_for.items()
        if self.at_most is None or not all(
            fnmatchcase(str(params.get(name, "")), pattern) for name, pattern in patterns
        ):
            return None
        times = params.get(self.at_most_per)
        return self.at_most * (times if is_number(times) and times > 1 else 1)


class Param(_Spec, frozen=True):
    """A parameter: its label, and the form and order of its values."""

    label: str = ""
    """Its label on pages; by default the name with spaces."""
    show: Literal["plain", "size", "hex"] = "plain"
    """Numbers as they are, as sizes (``16 bytes``, ``4 KiB``), or as hexadecimal digits."""
    address: Literal["", "plain", "hex", "label"] = ""
    """The form of values in addresses of rows, if published addresses need another than the usual
    one: values as they are, and sizes as ``4k``."""
    default: Scalar | None = None
    """The value that is meant by a result without this parameter."""
    values: dict[str, str] = {}
    """Labels of values on pages, in the order of tables."""
    aliases: dict[str, str] = {}
    """Spellings of older bundles, each with its value: ``SHA2-256 = "sha256"``."""
    always: bool = False
    """True if tables show it even when all figures have the default."""
    worst: bool = False
    """True if its values are parts of one run, such as the cores, and the worst of them is the
    result by which boards are ranked."""
    on: dict[str, dict[str, str]] = {}
    """Values that mean another one on a SoC: ``X86-64 = { hw = "aes-ni" }``."""
    classes: dict[str, str] = {}
    """For a parameter ``engine``: the class of each value, such as ``offload``. If figures have the
    default, the engine of the run is inferred from its rates and its CPU load, and marked so."""
    words: tuple[str, ...] = ()
    """Its names in published guides and logs, such as ``buffer size``: ``import`` and ``check``
    suggest it for them."""
    value_words: dict[str, Scalar] = {}
    """Values by words in headings, captions, heads and cells of published guides:
    ``"two cores" = 2``. An empty text gives the value where none of the others occurs."""
    condition: bool | None = None
    """True if it says how something was measured rather than what. By default this holds for sizes
    of blocks, buffers and files, for file systems and for versions."""


class Remark(_Spec, frozen=True):
    """A remark about the figures of a benchmark, for the guides of a SoC or of a release."""

    text: str
    """The text that readers see."""
    soc: str = ""
    """The SoC whose guides show it; by default all."""
    release: str = ""
    """The release, or the beginning of several, such as ``09``; by default all."""

    def holds(self, soc: str, release: str) -> bool:
        """Return whether the remark applies to a guide."""
        return self.soc in ("", soc) and is_release(release, self.release)


class Fact(_Spec, frozen=True):
    """A fact of the setup of runs."""

    matters: bool = True
    """True if figures with different values cannot be compared; otherwise a difference is reported
    once."""


class Derived(_Spec, frozen=True):
    """A column computed from figures of its row: a ratio, or per cent of a limit. Its head says
    that it is derived, and no other page uses it as a figure."""

    label: str
    """The text of its head."""
    of: str
    """The metric in the numerator."""
    per: str = ""
    """The metric in the denominator, such as a power or a clock."""
    limit: Annotated[float, Meta(gt=0, le=1e200)] | None = None
    """The figure that is 100 %, in the unit of ``of``; takes the place of ``per``."""
    unit: str = ""
    """The unit in its head; ``%`` with a ``limit``."""
    decimals: int = 2
    """The number of decimals on pages."""


class Table(_Spec, frozen=True):
    """A table: the results that it takes, and its rows and columns.

    A result belongs to the first table that names its metric, whose ``where``
    matches, and whose rows, columns and tabs use every parameter of the result. If there
    is none, it belongs to the table that leaves the fewest parameters over, for which the page
    adds columns, tabs or lines.
    """

    id: str
    """Its name in addresses; letters, digits and hyphens."""
    title: str
    """The caption."""
    rows: tuple[str, ...]
    """Parameters down the side, outermost first; ``metric`` may be one."""
    metrics: tuple[str, ...] = ("*",)
    """Names or patterns of its metrics."""
    where: dict[str, Scalar] = {}
    """Parameters that must have exactly this value."""
    columns: tuple[str, ...] = ()
    """Parameters across the top, between board and metric."""
    tabs: str = ""
    """A parameter with one tab for each of its values."""
    runs: bool = False
    """True if each sample has a row of its own."""
    subsystem: str = ""
    """The part of a system that it measures, if not all of ``subsystems``."""
    repeats: bool = False
    """True if its figures are in other tables too: a guide shows its rows when a reader asks."""
    derived: tuple[Derived, ...] = ()
    """Columns computed from others, behind all of them."""


class Entry(_Spec, frozen=True, dict=True):
    """The ``.toml`` file of one benchmark."""

    title: str
    """Its title on pages."""
    chapter: str
    """The chapter of a guide that contains its section."""
    order: int
    """The position of its section in a guide, over all benchmarks."""
    metrics: list[Metric]
    """Its metrics."""
    tables: list[Table]
    """Its tables, in the order of the page."""
    charts: list[Chart] = []
    """Its charts, in the order of the page."""
    command: str = ""
    """The usual command, shown if bundles name none."""
    split: str = ""
    """A parameter with one subsection for each of its values."""
    params: dict[str, Param] = {}
    """Its parameters, by name."""
    tools: tuple[str, ...] = ()
    """The programs that measure, as bundles name them under ``tools``. Figures of different
    versions of the same program are different measurements."""
    notes: tuple[Remark, ...] = ()
    """Remarks above its tables in guides."""
    facts: dict[str, Fact] = {}
    """Facts of the setup, by name."""
    words: tuple[str, ...] = ()
    """Its names in headings and captions of published guides, such as ``audio capture``."""
    also: tuple[str, ...] = ()
    """Words by which readers search for it besides its names, such as ``hardware crypto``."""
    subsystems: tuple[str, ...] = ()
    """The parts of a system that it measures, such as ``memory``: regressions of benchmarks that
    share one are one event of a comparison if they are on the same boards and of about the same
    size."""
    last: tuple[str, ...] = ("total", "total[ _-]*", "sum", "overall", "overall[ _-]*")
    """Totals: metrics, and values of parameters, that come last; ``*`` and ``?`` match any
    characters, and case is ignored."""

    def names(self, table: Table) -> frozenset[str]:
        """Return the parameters that a table uses."""
        # The split parameter is in the section heading, so its tables need no place for it.
        used = {*table.rows, *table.columns, *table.where, table.tabs, self.split}
        return frozenset(used - {"metric", ""})

    @cached_property
    def placed(self) -> frozenset[str]:
        """Every parameter that a table or chart names."""
        out = set(chain.from_iterable(map(self.names, self.tables)))
        for chart in self.charts:
            axes = (*chart_spec.names(chart.series), *chart_spec.names(chart.panels))
            out |= {chart.x, chart.along, *axes, *chart.each, *chart.where}
        return frozenset(out - {"metric", "", *chart_spec.OUTER})


Rank = tuple[int, float, tuple[object, ...], str]
"""The sort key of a parameter value."""


@dataclass(frozen=True, slots=True)
class Benchmark:
    """A benchmark with its name, its description and the file with its prose."""

    name: str
    entry: Entry
    prose: Path | None
    # Caches derived from the entry, excluded from comparisons.
    _metrics: dict[str, tuple[int, Metric]] = field(default_factory=dict, compare=False)
    _ranks: dict[tuple[str, type, Scalar], Rank] = field(default_factory=dict, compare=False)

    def metric(self, name: str) -> Metric | None:
        """Return the description of a metric; an exact name takes precedence over a pattern."""
        return self.metric_rank(name)[1]

    def metric_rank(self, name: str) -> tuple[int, Metric | None]:
        """Return a metric's position in the description, and its entry; totals come last."""
        if name not in self._metrics:
            metrics = self.entry.metrics
            # A pattern may match the name of another, more specific entry.
            exact = (rank for rank, metric in enumerate(metrics) if metric.name == name)
            matching = (rank for rank, m in enumerate(metrics) if fnmatchcase(name, m.name))
            rank = next(chain(exact, matching), None)
            # Names in bundles are unbounded, so cache only described ones.
            if rank is None:
                return len(metrics) + self.is_total(name), None
            self._metrics[name] = (rank, metrics[rank])
        return self._metrics[name]

    def is_total(self, name: str) -> bool:
        """Return whether a metric or parameter value is a total, which comes after all others."""
        return any(fnmatchcase(name.casefold(), part.casefold()) for part in self.entry.last)

    def metric_label(self, name: str) -> str:
        """Return the display label of a metric."""
        metric = self.metric(name)
        if metric is None or not metric.label:
            return name
        if "*" not in metric.label:
            return metric.label
        parts = re.split(r"([*?])", metric.name)
        # Like those of :func:`fnmatchcase`, wildcards also match newlines.
        taken = re.fullmatch("".join(_WILDCARDS.get(p) or re.escape(p) for p in parts), name, re.S)
        pieces = iter(map(units.in_words, taken.groups() if taken else [name]))
        text = re.sub(r"\*", lambda _: next(pieces, ""), metric.label).strip(" ,")
        return units.capital(text) or name

    def metric_address(self, name: str) -> str:
        """Return a metric's name in addresses, which is independent of its label."""
        metric = self.metric(name)
        return (metric.address if metric else "") or name

    def decimals(self, name: str) -> int:
        """Return the number of decimals of a metric in files."""
        metric = self.metric(name)
        return metric.decimals if metric else 2

    def better(self, name: str) -> units.Better:
        """Return which direction of a metric is better."""
        metric = self.metric(name)
        return metric.better if metric else "neither"

    def param(self, name: str) -> Param:
        """Return the description of a parameter, or an empty one."""
        return self.entry.params.get(name, _DEFAULT_PARAM)

    def param_label(self, name: str) -> str:
        """Return the display label of a parameter."""
        return self.param(name).label or name.replace("_", " ").capitalize()

    def value_label(self, name: str, value: Scalar) -> str:
        """Return the display text of a parameter value."""
        param = self.param(name)
        plain = units.plain(value)
        if plain in param.values:
            return param.values[plain]
        if is_number(value) and param.show == "size":
            return units.size(value)
        if is_number(value) and param.show == "hex" and isinstance(value, int):
            return f"{value:x}"
        return plain

    def value_address(self, name: str, value: Scalar) -> str:
        """Return a parameter value's text in addresses, which is independent of its label."""
        param = self.param(name)
        if param.address == "label":
            return self.value_label(name, value)
        if not is_number(value) or param.address == "plain":
            return units.plain(value)
        if "hex" in (param.address, param.show) and isinstance(value, int):
            return f"{value:x}"
        return units.short_size(value) if param.show == "size" else units.plain(value)

    def value_rank(self, name: str, value: Scalar) -> Rank:
        """Return a sort key: values in the order of the description, then numbers, names and
        totals."""
        # 1, 1.0 and True are equal as keys but are different values.
        key = name, type(value), value
        if key not in self._ranks:
            self._ranks[key] = self._value_rank(name, value)
        return self._ranks[key]

    def params_rank(self, params: Mapping[str, Scalar]) -> tuple[tuple[str, Rank], ...]:
        """Return a sort key of parameters: by name, and then by value."""
        return tuple((name, self.value_rank(name, value)) for name, value in sorted(params.items()))

    def figure_rank(self, metric: str, params: Mapping[str, Scalar]) -> tuple[Any, ...]:
        """Return a sort key of figures: by metric in the order of the description, and then by
        parameters."""
        return self.metric_rank(metric)[0], units.natural(metric), self.params_rank(params)

    def _value_rank(self, name: str, value: Scalar) -> Rank:
        plain = units.plain(value)
        listed = list(self.param(name).values)
        rank = listed.index(plain) if plain in listed else len(listed)
        if isinstance(value, str):
            rank += rank == len(listed) and self.is_total(value)
            return rank, float("inf"), units.natural(value), "s"
        return rank, float(value), (), type(value).__name__


_DEFAULT_PARAM = Param()
_WILDCARDS = {"*": "(.*)", "?": "(.)"}


@cache
def undescribed(name: str) -> Benchmark:
    """Return a placeholder for an undescribed benchmark, shown under its names in bundles."""
    return Benchmark(name, Entry(title=name, chapter="", order=0, metrics=[], tables=[]), None)


@dataclass(frozen=True, slots=True)
class Catalog:
    """All benchmark descriptions, in the order of guides."""

    benchmarks: dict[str, Benchmark]

    def get(self, name: str) -> Benchmark | None:
        """Return the description of a benchmark, or ``None``."""
        return self.benchmarks.get(name)

    def benchmark(self, name: str) -> Benchmark:
        """Return the description of a benchmark, or a placeholder if it has none."""
        return self.benchmarks.get(name) or undescribed(name)

    def title(self, name: str) -> str:
        """Return the title of a benchmark, or its name if it has no description."""
        return self.benchmark(name).entry.title


def load(folders: Sequence[Path]) -> tuple[Catalog, list[Diagnostic]]:
    """Read all ``.toml`` files in the folders; entries in later folders replace earlier ones.

    Missing folders are skipped. A faulty entry yields a diagnostic and is left out; its results
    appear under "Other results".
    """
    benchmarks: dict[str, Benchmark] = {}
    diagnostics: list[Diagnostic] = []
    # Sorted, as the order of directory entries depends on the file system.
    for path in (path for folder in folders for path in sorted(folder.glob("*.toml"))):
        if path.name.endswith(FORMAT_ENDING):
            continue
        entry, faults = _read(path)
        if entry is None:
            effect = f"until it is fixed, results of “{path.stem}” appear under “Other results”"
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
    """Return the entry in a file, or its faults, each with a line or ``None``."""
    try:
        # Typed decoding reports wrong types and unknown keys.
        entry = msgspec.toml.decode(path.read_bytes(), type=Entry)
    except msgspec.ValidationError as error:
        return None, [(*in_words(str(error), Entry), None)]
    except (msgspec.MsgspecError, UnicodeDecodeError, OSError) as error:
        return None, [not_read(error)]
    faults = list(_faults(entry))
    return (None if faults else entry), [(*fault, None) for fault in faults]


def prose(folders: Sequence[Path], name: str) -> Path | None:
    """Return the file with a benchmark's prose, or ``None``; later folders take precedence."""
    for folder in reversed(folders):
        # The name comes from a bundle, so compare it with file names and never build a path from
        # it.
        for path in folder.glob("*.rst"):
            if path.stem == name:
                return path
    return None


def _faults(entry: Entry) -> Iterator[Fault]:
    """Yield faults that types cannot express: inconsistent names."""
    metrics = [metric.name for metric in entry.metrics]
    if not entry.metrics or not entry.tables:
        yield "“metrics” and “tables” each need at least one entry", ""
    for metric in entry.metrics:
        yield from _metric_faults(metric, entry)
    for name, param in entry.params.items():
        for old, value in param.aliases.items():
            # Chained aliases would depend on the order in which they are applied.
            if value in param.aliases:
                where = f"parameter “{name}”: "
                hint = "name the value that bundles write today"
                yield where + f"the alias “{old}” leads to another alias", hint
    for name, param in entry.params.items():
        for soc, meanings in param.on.items():
            for value in meanings.values():
                if param.values and value not in param.values:
                    where = f"parameter “{name}”: "
                    hint = nearest(value, param.values)
                    yield where + f"“{value}”, given for {soc}, is not among its values", hint
    for chart in entry.charts:
        yield from _id_faults("chart", chart.id, [chart.id for chart in entry.charts])
        yield from chart_spec.faults(chart, metrics)
    for table in entry.tables:
        yield from _id_faults("table", table.id, [table.id for table in entry.tables])
        yield from _table_faults(table, entry.split, metrics)


def _metric_faults(metric: Metric, entry: Entry) -> Iterator[Fault]:
    """Yield contradictions in a metric's description, and ambiguous former names."""
    where = f"metric “{metric.name}”: "
    for name in ("at_most_per", "at_most_for"):
        if getattr(metric, name) and metric.at_most is None:
            yield where + f"“{name}” has no effect without “at_most”", ""
    if metric.clock and units.parse(metric.unit).kind != "frequency":
        yield where + f"a clock cannot be in “{metric.unit}”", ""
    params = (metric.rises_with, metric.at_most_per, *metric.at_most_for, *metric.multiple_of)
    for name in filter(None, params):
        if entry.params and name not in entry.params:
            yield where + f"no parameter is named “{name}”", nearest(name, entry.params)
    every = [metric.name for metric in entry.metrics]
    for name in metric.computed_from:
        if name not in every:
            yield where + f"no metric is named “{name}”", nearest(name, every)
    if metric.aliases and set("*?[") & set(metric.name):
        yield where + "a pattern cannot have “aliases”", "write an entry with the full name"
    spellings = [name for metric in entry.metrics for name in (metric.name, *metric.aliases)]
    for old in metric.aliases:
        if spellings.count(old) > 1:
            yield where + f"the alias “{old}” also belongs to another metric", "use it once"


def _table_faults(table: Table, split: str, metrics: Sequence[str]) -> Iterator[Fault]:
    where = f"table “{table.id}”: "
    axes = [name for name in (*table.rows, *table.columns, table.tabs, split) if name]
    for name in sorted(set(axes)):
        if axes.count(name) > 1 or name in table.where:
            yield where + f"“{name}” is used twice", ""
    for name in sorted(RESERVED & {*axes}):
        yield where + f"“{name}” is a reserved name in tables", ""
    if not table.rows:
        yield where + "“rows” is empty", "name a parameter or “metric”"
    if "metric" in (*table.columns, table.tabs):
        hint = "leave it out: metrics are columns unless “rows” names them"
        yield where + "“metric” cannot be among “columns” or “tabs”", hint
    for column in table.derived:
        where_in_table = where + f"column “{column.label}”: "
        if bool(column.per) == (column.limit is not None):
            yield where_in_table + "needs either “per” or “limit”", "name the divisor"
        if "metric" in table.rows:
            yield where_in_table + "metrics are rows here", "make them columns, or leave it out"
        for name in filter(None, (column.of, column.per)):
            if name not in metrics:
                yield where_in_table + f"no metric is named “{name}”", nearest(name, metrics)
    for name in table.metrics:
        # Both the table's entry and the metrics may be patterns.
        if not any(fnmatchcase(m, name) or fnmatchcase(name, m) for m in metrics):
            yield where + f"no metric is named “{name}”", nearest(name, metrics)


def _id_faults(kind: str, name: str, ids: Sequence[str]) -> Iterator[Fault]:
    if not re.fullmatch("[a-z0-9]+(-[a-z0-9]+)*", name):
        hint = "use lower-case letters, digits and hyphens"
        yield f"{kind} “{name}”: its id cannot be part of an address", hint
    if ids.count(name) > 1:
        hint = "ids are parts of addresses, so use each only once"
        yield f"{kind} “{name}”: {ids.count(name)} {kind}s have this id", hint
