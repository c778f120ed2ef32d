"""Benchmark descriptions: what differs from benchmark to benchmark, as data.

One benchmark is one ``NAME.toml`` (metrics, parameters, tables) and one
``NAME.rst`` (what it measures and how to read it), where ``NAME`` is the name
that bundles use. The types below are the format of the ``.toml`` file; a key
that they do not name is refused.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from ..common import units
from ..common.diagnostics import Diagnostic, nearest
from . import aliases, chart_spec
from .chart_spec import Chart
from .chart_spec import Scalar as Scalar

Percent = Annotated[float, Meta(ge=0, le=10_000)]
Step = Annotated[float, Meta(ge=0, le=1e200)]

RESERVED = {"board", "release", "platform"}
"""Names of columns that no parameter in a table's description may have."""


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
    """How many decimals pages show."""
    headline: bool = False
    """Whether the SoC's own page shows it."""
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
    condition: bool | None = None
    """Whether it says how was measured and not what. Where this is left out, sizes of
    blocks, buffers and files, file systems and versions do."""


class Table(_Spec, frozen=True):
    """One table: which results it takes, and what its rows and columns are.

    A result belongs to the first table that names its metric, whose ``where``
    holds, and whose rows, columns and tabs use up every parameter it has.
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


@dataclass(frozen=True, slots=True)
class Benchmark:
    """A benchmark with its name and the file of its prose."""

    name: str
    entry: Entry
    prose: Path | None
    _metrics: dict[str, tuple[int, Metric]] = field(default_factory=dict, compare=False)

    def metric(self, name: str) -> Metric | None:
        """What is known of a metric; an exact name goes before a pattern."""
        return self.metric_rank(name)[1]

    def metric_rank(self, name: str) -> tuple[int, Metric | None]:
        """A metric's place in the description and what is known of it."""
        if name not in self._metrics:
            ranked = list(enumerate(self.entry.metrics))
            for rank, metric in ranked:
                if metric.name == name:
                    self._metrics[name] = (rank, metric)
                    return rank, metric
            for rank, metric in ranked:
                if fnmatchcase(name, metric.name):
                    self._metrics[name] = (rank, metric)
                    return rank, metric
            return len(ranked), None
        return self._metrics[name]

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
        if isinstance(value, int | float) and not isinstance(value, bool):
            if param.show == "size":
                return units.size(value)
            if param.show == "hex" and isinstance(value, int):
                return f"{value:x}"
        return plain

    def value_rank(self, name: str, value: Scalar) -> tuple[int, float, tuple[object, ...], str]:
        """A sort key: the order of the description, then numbers, then names."""
        plain = units.plain(value)
        listed = list(self.param(name).values)
        rank = listed.index(plain) if plain in listed else len(listed)
        if isinstance(value, str):
            return rank, float("inf"), units.natural(value), "s"
        return rank, float(value), (), type(value).__name__


_PLAIN = Param()


@dataclass(frozen=True, slots=True)
class Catalog:
    """All benchmark descriptions, in the order of a guide."""

    benchmarks: dict[str, Benchmark]

    def get(self, name: str) -> Benchmark | None:
        """The description of a benchmark, or ``None``."""
        return self.benchmarks.get(name)


def load(folders: Sequence[Path]) -> tuple[Catalog, list[Diagnostic]]:
    """Read every ``.toml`` of the folders; a later folder's entry replaces an earlier one's.

    A folder that is not there is passed over. An entry with a fault is left out
    with a diagnostic, so that its results show under "Other results".
    """
    found: dict[str, Benchmark] = {}
    diagnostics: list[Diagnostic] = []
    for folder in folders:
        for path in sorted(folder.glob("*.toml")):
            try:
                entry = msgspec.toml.decode(path.read_bytes(), type=Entry)
            except (msgspec.MsgspecError, UnicodeDecodeError, OSError) as error:
                diagnostics.append(_fault(path, str(error), _near(str(error))))
                continue
            faults = list(_faults(path, entry))
            diagnostics += faults
            if faults:
                continue
            prose: Path | None = path.with_suffix(".rst")
            if prose is not None and not prose.is_file():
                diagnostics.append(
                    Diagnostic(
                        "catalog-prose",
                        str(path),
                        f"there is no {path.stem}.rst beside it",
                        "write what the benchmark measures and how to read it",
                    )
                )
                prose = None
            found[path.stem] = Benchmark(path.stem, entry, prose)
    ordered = sorted(found.values(), key=lambda b: (b.entry.order, b.name))
    return Catalog({b.name: b for b in ordered}), diagnostics


def prose(folders: Sequence[Path], name: str) -> Path | None:
    """The file of a benchmark's text, or ``None``; a later folder goes before an earlier one."""
    for folder in reversed(folders):
        for path in folder.glob("*.rst"):
            if path.stem == name:
                return path
    return None


_ADDRESS = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")


def _fault(path: Path, message: str, hint: str = "") -> Diagnostic:
    effect = f"until it is mended, results of “{path.stem}” show under “Other results”"
    return Diagnostic("catalog", str(path), message, f"{hint}; {effect}" if hint else effect)


def _near(message: str) -> str:
    """The known word most like the one that a decoder's message names."""
    named = re.search(r"unknown field `([^`]*)`|enum value '([^']*)'", message)
    if not named:
        return ""
    known = {f for spec in (Entry, Metric, Param, Table, Chart) for f in spec.__struct_fields__}
    values = {"higher", "lower", "neither", "plain", "size", "hex", "linear", "log2", "log"}
    values |= {"guide", "releases", "newest", "lines", "bars", "steps", "cross-over", "cpu-share"}
    return nearest(named[1] or named[2], known if named[1] else values)


def _faults(path: Path, entry: Entry) -> list[Diagnostic]:
    """What the types cannot say: names that must agree with each other."""
    out: list[Diagnostic] = []
    if not entry.metrics or not entry.tables:
        out.append(_fault(path, "“metrics” and “tables” each need at least one entry"))
    out += _metric_faults(path, entry)
    for chart in entry.charts:
        known = [m.name for m in entry.metrics]
        out += _id_faults(path, f"chart “{chart.id}”: ", chart.id, [c.id for c in entry.charts])
        out += [_fault(path, *fault) for fault in chart_spec.faults(chart, known)]
    named = [(m.name, m.aliases) for m in entry.metrics]
    valued = {name: param.aliases for name, param in entry.params.items()}
    out += [_fault(path, *found) for found in aliases.faults(named, valued)]
    ids = [t.id for t in entry.tables]
    for table in entry.tables:
        where = f"table “{table.id}”: "
        out += _id_faults(path, where, table.id, ids)
        axes = [*table.rows, *table.columns, *filter(None, [table.tabs, entry.split])]
        for name in set(axes):
            if axes.count(name) > 1 or name in table.where:
                out.append(_fault(path, where + f"“{name}” is used twice"))
        for name in RESERVED & {*table.rows, *table.columns, table.tabs, entry.split}:
            out.append(_fault(path, where + f"“{name}” has a meaning of its own in tables"))
        if not table.rows:
            out.append(_fault(path, where + "“rows” is empty", "name a parameter or “metric”"))
        if "metric" in table.columns or table.tabs == "metric":
            fault = where + "“metric” cannot be among “columns” or “tabs”"
            hint = "leave it out: metrics are columns unless “rows” names them"
            out.append(_fault(path, fault, hint))
        for name in table.metrics:
            if not any(
                fnmatchcase(m.name, name) or fnmatchcase(name, m.name) for m in entry.metrics
            ):
                hint = nearest(name, [m.name for m in entry.metrics])
                out.append(_fault(path, where + f"no metric is named “{name}”", hint))
    return out


def _metric_faults(path: Path, entry: Entry) -> list[Diagnostic]:
    """What a metric says of its figures must make sense together."""
    out = []
    for metric in entry.metrics:
        where = f"metric “{metric.name}”: "
        if metric.at_most_per and metric.at_most is None:
            out.append(_fault(path, where + "“at_most_per” says nothing without “at_most”"))
        if metric.clock and units.parse(metric.unit).kind != "frequency":
            out.append(_fault(path, where + f"a clock cannot be in “{metric.unit}”"))
        for name in filter(None, (metric.rises_with, metric.at_most_per)):
            if entry.params and name not in entry.params:
                hint = nearest(name, entry.params)
                out.append(_fault(path, where + f"no parameter is named “{name}”", hint))
    return out


def _id_faults(path: Path, where: str, own: str, ids: Sequence[str]) -> list[Diagnostic]:
    if _ADDRESS.fullmatch(own) and ids.count(own) == 1:
        return []
    hint = "use lower-case letters, digits and hyphens, each id once"
    return [_fault(path, where + "its id cannot stand in an address", hint)]
