"""Rankings of SoCs by one figure of a benchmark, with the best board of each SoC."""

from __future__ import annotations

import datetime
import math
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any, NamedTuple

import msgspec

from ..bundles.guide_key import GuideKey, family
from ..catalog.benchmarks import Benchmark, Scalar
from ..common import slugs, units
from ..common.grouping import grouped
from ..common.units import TableCell
from ..figures import engines, labels
from ..figures.pool import MIN_SPREAD, Record
from ..tables import summaries
from ..tables.grids import listing
from ..tables.page_tables import Extra
from . import newest, search_words, write_tables
from .context import Site
from .sentences import link_name
from .write_tables import SOURCES, PageTable

MAX_ROWS = 100
"""The number of SoCs drawn in a ranking, best first; the CSV file has all of them."""

MAX_ALTERNATIVES = 20
"""The maximum number of values of a parameter, or of metrics, that get rankings. Longer series only
have tables."""

MIN_LOG_RATIO = 8.0
"""The ratio of the largest to the smallest figure from which the axis is logarithmic."""

MIN_LEAD_SHARE, MAX_CLOSE_RATIO = 0.05, 1.1
"""The distance of the second figure from the first, as a share of the first, from which that leads,
and the ratio up to which others count as close to the second."""

MAX_AGE_WITHOUT_YEAR = datetime.timedelta(days=548)
"""The time before the newest ranked release, 18 months, from which a row names the year."""

MIN_TICKS = 4
"""The number of parts of a linear axis."""

MAX_LOG_TICKS = 12
"""The maximum number of powers of ten labelled on a logarithmic axis."""

MIN_SHARE_TO_END = 0.15
"""The least distance of a tick from the end of a logarithmic axis, as a share of its length."""

SIDES = {
    True: "On the CPU (by record or load)",
    False: "With the accelerator",
    None: "Engine not known",
}
"""The names of the sides on which engines are."""

NUMBER = units.parse("1").kind
"""The kind of unit of a figure without one."""

NOT_STATED = "(unit not stated)"
"""The text in place of a unit that figures should have."""

SMALLEST_SHOWN = 1e-300
"""A figure closer to zero is drawn at zero, since a float may be unable to hold its power of
ten."""


class OtherRun(msgspec.Struct, frozen=True):
    """A figure of another engine than the one that ranks a SoC, with the CPU load in per cent."""

    number: float
    engine: str
    load: float | None


class RankedRow(msgspec.Struct, frozen=True):
    """A SoC in a ranking: its best figure with the range of its runs, the engine and the CPU load
    in per cent. ``others`` are the figures of other engines of the same board in the same release.
    ``page`` and ``anchor`` lead to the SoC's other releases."""

    soc: str
    page: str
    anchor: str
    board: str
    release: str
    number: float
    low: float | None
    high: float | None
    engine: str
    load: float | None
    others: list[OtherRun]
    part: str = ""
    """The part of the run that was worst, such as a core, if the ranking is by that."""
    board_name: str = ""
    """The board's current name in bundles."""
    year: str = ""
    """The year of the release, if it was measured long before the newest of the ranked releases."""
    is_on_cpu: bool | None = None
    """The side of the engine in a ranking of both: true for the CPU, false for an accelerator,
    ``None`` if it is unknown. Others have only ``None``."""

    @property
    def spread(self) -> float:
        """The ratio of the largest to the smallest run; 1 if unknown."""
        return _spread(self.low, self.high)


def _spread(low: float | None, high: float | None) -> float:
    return high / low if low and high and low > 0 else 1.0


class Ranking(msgspec.Struct, frozen=True):
    """SoCs ranked by one figure, best first, with one side after the other, as the CPU and an
    accelerator leave different loads. Positions on the axis are shares of its length. ``start`` and
    ``end`` are the figures at its ends; ``ticks`` are positions with labels. The CPU loads are
    shares ``load_of`` one or all cores."""

    title: str
    unit: str
    better: units.Better
    is_log: bool
    start: float
    end: float
    ticks: list[tuple[float, str]]
    rows: list[RankedRow]
    load_of: str = ""

    @property
    def sides(self) -> dict[str, list[RankedRow]]:
        """The rows of each side by its name; a ranking without sides has one with no name."""
        by_side = grouped(self.rows, lambda row: row.is_on_cpu)
        return {SIDES[side] if len(by_side) > 1 else "": rows for side, rows in by_side.items()}

    def position(self, value: float) -> float:
        """Return the position of a figure on the axis."""
        if self.is_log:
            span = math.log(self.end / self.start)
            share = math.log(max(value, self.start) / self.start) / span
        else:
            share = (value - self.start) / (self.end - self.start)
        return min(1.0, max(0.0, share))


@dataclass(frozen=True, slots=True)
class _Figure:
    """A figure of several SoCs, identified by metric and parameters except the engine. ``failed``
    are SoCs with a failed run of it. ``worst_of`` is the parameter over which it is the worst
    value, or empty. ``best`` is the best figure of any release, if that is known."""

    metric: str
    params: dict[str, Scalar]
    is_headline: bool
    records: list[Record]
    failed: set[str]
    worst_of: str
    best: Record | None


class RankedFigures(msgspec.Struct, frozen=True):
    """The figures of one ranking: its name, its address below the benchmark's page, the metric, the
    parameters except the engine, the doubtful figures that are not ranked, each with the reason,
    and the SoCs without a figure: those whose runs failed, and those that measured the benchmark
    only in other forms. ``worst_of`` is the parameter, such as the core, whose worst value each
    board is ranked by. ``socs_left_out`` are those of the doubtful figures."""

    name: str
    slug: str
    metric: str
    params: dict[str, Scalar]
    is_headline: bool
    ranking: Ranking
    left_out: list[tuple[str, str]]
    failed: list[str]
    not_measured: list[str]
    worst_of: str = ""
    socs_left_out: list[str] = []
    words: tuple[str, ...] = ()
    """The words that find the figure."""
    best_ever: str = ""
    """A sentence on the best figure of any release, if an older one is better than these."""
    loaded: list[tuple[str, str]] = []
    """The SoCs that measured it only while other work ran, with the pages of their releases."""


def rankings(
    site: Site, benchmark: Benchmark, records: Sequence[Record], pages: Mapping[str, str]
) -> list[RankedFigures]:
    """Return the rankings of a benchmark that have at least two SoCs, headlines first. ``pages``
    are the release pages of each SoC that has figures of the benchmark."""
    results = [record for record in records if _is_result(benchmark, record)]
    groups = _groups(benchmark, results)
    groups |= _worst_parts(site, benchmark, groups)
    evidence = _Evidence.of(site, benchmark, records)
    figures = _main(_figures(site, groups, evidence))
    ranked = (_ranked(site, figure, results, evidence, pages) for figure in figures)
    return [figures for figures in ranked if figures]


def _figures(site: Site, groups: _Groups, evidence: _Evidence) -> list[_Figure]:
    """Return the figures that at least two SoCs have: headlines first, those of parts of runs after
    others of theirs, and otherwise in the order of the description."""
    benchmark, ranked = evidence.benchmark, []
    for key, group in groups.items():
        members, failed = _of_socs(site, group, evidence)
        if len({record.guide.soc for record in members}) < 2:
            continue
        *metric_rank, params_rank = benchmark.figure_rank(key.metric, dict(key.params))
        # The front page shows the first of these values that a guide has.
        preferred = described.at if (described := benchmark.metric(key.metric)) else {}
        choices = [(preferred.get(n), v) for n, v in key.params]
        choice = [at.index(v) for at, v in choices if isinstance(at, tuple) and v in at]
        is_headline = _is_headline(benchmark, members)
        is_part = _is_part(benchmark, key)
        has_best = is_headline and not (is_part or key.worst_of)
        best = _best(site, benchmark, group) if has_best else None
        params = dict(key.params)
        figure = _Figure(key.metric, params, is_headline, members, failed, key.worst_of, best)
        ranked.append(((not is_headline, is_part, metric_rank, choice, params_rank), figure))
    return [figure for _, figure in sorted(ranked, key=lambda item: item[0])]


@dataclass(frozen=True, slots=True)
class _Evidence:
    """The engines inferred for a benchmark's runs, the means of its figures, and the years of
    guides that were measured long before the newest."""

    benchmark: Benchmark
    inferred: Mapping[engines.Run, engines.Inferred]
    means: Mapping[engines.Identity, float | None]
    old_years: Mapping[GuideKey, str]

    @classmethod
    def of(cls, site: Site, benchmark: Benchmark, records: Sequence[Record]) -> _Evidence:
        """Return the evidence that some figures give."""
        means = {engines.identity(record): record.cell.mean for record in records}
        days = {
            key: max(item.bundle.created for item in site.pool.bundles_of([key]))
            for key in {record.guide for record in records}
        }
        old = {
            key: str(day.year)
            for key, day in days.items()
            if max(days.values()) - day > MAX_AGE_WITHOUT_YEAR
        }
        return cls(benchmark, engines.inferred(records, site.catalog), means, old)

    def is_on_cpu(self, record: Record) -> bool | None:
        """Return whether a figure's engine ran on the CPU; ``None`` if that is unknown."""
        load = engines.load_beside(record, self.means)
        return engines.is_on_cpu(self.benchmark, record, self.inferred, load)


def _of_socs(
    site: Site, records: Sequence[Record], evidence: _Evidence
) -> tuple[list[Record], set[str]]:
    """Return the figures of each SoC's release that counts and of later releases, which are in
    doubt, and the SoCs with a failed run instead of a figure. If that release used only an
    accelerator or only the CPU, the figures of the last earlier one that used the other are
    included."""
    of_soc: dict[str, dict[GuideKey, list[Record]]] = {}
    for record in records:
        of_soc.setdefault(record.guide.soc, {}).setdefault(record.guide, []).append(record)
    out: list[Record] = []
    failed = set()
    for soc, guides in of_soc.items():
        key = newest.standing({key: _is_sound(site, members) for key, members in guides.items()})
        recent = [guide for guide in guides if key is None or newest.age(guide) >= newest.age(key)]
        measured = [r for guide in recent for r in guides[guide] if r.cell.mean is not None]
        if measured and not (key and all(r.cell.mean is None for r in guides[key])):
            out += measured
            if key:
                out += _with_other_engine(
                    site,
                    {k: r for k, r in guides.items() if k not in recent},
                    guides[key],
                    evidence,
                )
        else:
            failed.add(soc)
    return out, failed


def _with_other_engine(
    site: Site,
    older: Mapping[GuideKey, Sequence[Record]],
    current: Sequence[Record],
    evidence: _Evidence,
) -> list[Record]:
    """Return the figures of the newest of some older guides that were measured on the CPU, if all
    current figures are of an accelerator, or vice versa: a release may have measured only one of
    the two."""
    sides = {evidence.is_on_cpu(record) for record in current if record.cell.mean is not None}
    if len(sides) != 1 or None in sides:
        return []
    other = not sides.pop()
    for key in sorted(older, key=newest.age, reverse=True):
        others = [
            record
            for record in older[key]
            if record.cell.mean is not None
            and evidence.is_on_cpu(record) is other
            and not site.marks.doubt(record)
        ]
        if others:
            return others
    return []


def _socs_under_load(benchmark: Benchmark, records: Sequence[Record], figure: _Figure) -> set[str]:
    """Return the SoCs that measured a figure while other work ran."""
    same = {n: v for n, v in figure.params.items() if n not in engines.OTHER_WORK}
    return {
        record.guide.soc
        for record in records
        if record.metric == figure.metric
        and record.cell.mean is not None
        and not engines.is_alone(record, benchmark)
        and same.items() <= record.params.items()
    }


def _best(site: Site, benchmark: Benchmark, records: Sequence[Record]) -> Record | None:
    """Return the best of the figures without doubt, the newest of equal ones."""
    sign = 1 if benchmark.better(records[0].metric) == "lower" else -1

    def badness(record: Record) -> float:
        return (
            sign * (record.cell.mean or 0.0) * (units.factor(record.unit, records[0].unit) or 1.0)
        )

    sound = [r for r in records if r.cell.mean is not None and not site.marks.doubt(r)]
    sound.sort(key=lambda record: newest.age(record.guide), reverse=True)
    return min(sound, key=badness, default=None)


def _is_sound(site: Site, records: Sequence[Record]) -> bool:
    """Return whether any of a guide's figures is without doubt, or all its runs failed."""
    measured = [record for record in records if record.cell.mean is not None]
    return not measured or any(not site.marks.doubt(record) for record in measured)


def records_before(
    site: Site,
    benchmark: Benchmark,
    records: Sequence[Record],
    chosen: Collection[tuple[GuideKey, str]],
) -> list[Record]:
    """Return the figures of a SoC that rankings show from guides other than the ``chosen`` ones,
    because those of newer releases are missing, in doubt or worse, and the figures of the same runs
    that give the load and the engine."""
    results = [record for record in records if _is_result(benchmark, record)]
    evidence = _Evidence.of(site, benchmark, records)
    runs: dict[tuple[GuideKey, str], set[frozenset[tuple[str, Scalar]]]] = {}
    for key, group in _groups(benchmark, results).items():
        counted = _of_socs(site, group, evidence)[0]
        if _is_headline(benchmark, group) and not _is_part(benchmark, key):
            best = _best(site, benchmark, group)
            counted += [best] if best else []
        for record in counted:
            if (record.guide, record.board) not in chosen:
                params = engines.run_of(record).params
                runs.setdefault((record.guide, record.board), set()).add(params)

    def is_of_run(record: Record) -> bool:
        of_board = runs.get((record.guide, record.board), set())
        if engines.run_of(record).params in of_board:
            return True
        return record.metric.endswith(engines.LOAD) and any(
            params >= record.params.items() for params in of_board
        )

    return [record for record in records if is_of_run(record)]


class _FigureKey(NamedTuple):
    """A figure without SoC and engine: its metric, parameters and kind of unit, and the parameter
    over which it is the worst value, or empty."""

    metric: str
    params: tuple[tuple[str, Scalar], ...]
    kind: str
    worst_of: str = ""


_Groups = dict[_FigureKey, list[Record]]


def _groups(benchmark: Benchmark, records: Sequence[Record]) -> _Groups:
    def key_of(record: Record) -> _FigureKey:
        params = engines.without_engine(benchmark, record).params
        # Units of one kind are converted; figures of two kinds cannot be ranked together.
        kind = units.parse(record.unit).kind
        return _FigureKey(record.metric, tuple(sorted(params.items())), kind)

    groups = grouped(records, key_of)
    kinds = Counter(metric for metric, _ in {(key.metric, key.kind) for key in groups})
    # Old figures may lack a unit that others of the same metric have, and theirs may be another.
    return {
        key: group for key, group in groups.items() if key.kind != NUMBER or kinds[key.metric] == 1
    }


def _is_part(benchmark: Benchmark, key: _FigureKey) -> bool:
    """Return whether figures are about parts of runs, such as cores."""
    return any(benchmark.param(name).worst for name, _ in key.params)


def _worst_parts(site: Site, benchmark: Benchmark, groups: _Groups) -> _Groups:
    """Return the worst figure of each run that has figures for several parts, such as its cores."""
    by_run: dict[_FigureKey, dict[tuple[Any, ...], list[Record]]] = {}
    for key, members in groups.items():
        for name in (name for name, _ in key.params if benchmark.param(name).worst):
            rest = tuple(item for item in key.params if item[0] != name)
            runs = by_run.setdefault(key._replace(params=rest, worst_of=name), {})
            for record in members:
                others = frozenset(item for item in record.params.items() if item[0] != name)
                runs.setdefault((record.guide, record.board, others), []).append(record)

    def badness(record: Record) -> tuple[bool, float]:
        mean = record.cell.mean or 0.0
        # A doubtful figure must not become the result of its run.
        sign = 1 if benchmark.better(record.metric) == "lower" else -1
        return not site.marks.doubt(record), sign * mean

    out: _Groups = {}
    for key, runs in by_run.items():
        measured = [[r for r in run if r.cell.mean is not None] or run for run in runs.values()]
        if any(len(run) > 1 for run in measured):
            out[key] = [max(run, key=badness) for run in measured]
    return out


def _main(figures: Sequence[_Figure]) -> list[_Figure]:
    """Return the figures to rank: headlines (or else the first figure), those that differ from one
    of them in a single parameter, and the first of each other metric. The number of rankings thus
    grows with the sum of the numbers of parameter values, not their product."""
    bases = [figure for figure in figures if figure.is_headline] or list(figures[:1])
    values: dict[tuple[str, str], set[tuple[type, Scalar]]] = {}
    first: dict[tuple[str, str], _Figure] = {}
    for figure in figures:
        first.setdefault((figure.metric, figure.worst_of), figure)
        for name, value in figure.params.items():
            # 1 and True are equal in Python, but different values of a parameter.
            values.setdefault((figure.metric, name), set()).add((type(value), value))
    metrics = list(first.values()) if len(first) <= MAX_ALTERNATIVES else []

    def is_alternative(figure: _Figure, base: _Figure) -> bool:
        if figure.metric != base.metric or figure.params.keys() != base.params.keys():
            return False
        differing = [n for n, value in figure.params.items() if value != base.params[n]]
        return len(differing) == 1 and (
            len(values[figure.metric, differing[0]]) <= MAX_ALTERNATIVES
        )

    return [
        figure
        for figure in figures
        if any(figure is base for base in (*bases, *metrics))
        or any(is_alternative(figure, base) for base in bases)
    ]


def condition(benchmark: Benchmark, figures: RankedFigures) -> str:
    """Return the condition on a ranking's figure for the page that finds boards, without its bound.
    A headline leaves open what its description does not fix."""
    metric = benchmark.metric(figures.metric)
    names = metric.at.keys() if metric and figures.is_headline else figures.params.keys()
    params = "&".join(
        f"{name}={units.plain(value)}"
        for name, value in sorted(figures.params.items())
        if name in names and value != benchmark.param(name).default
    )
    sign = "<=" if figures.ranking.better == "lower" else ">="
    return f"{benchmark.name}/{figures.metric}{'?' if params else ''}{params} {sign}"


def alternatives(
    benchmark: Benchmark, listed: Sequence[RankedFigures], current: RankedFigures
) -> list[tuple[str, list[tuple[str, RankedFigures]]]]:
    """Return, for the metric and each parameter, its label and the rankings that differ in it,
    named by their values. They include ``current``, and otherwise agree with it as far as
    possible."""
    out = []
    by_metric: dict[str, RankedFigures] = {}
    for figures in listed:
        other = by_metric.get(figures.metric)
        if other is None or _shared(figures, current) > _shared(other, current):
            by_metric[figures.metric] = figures
    if len(by_metric) > 1:
        named = [(benchmark.metric_label(name), figures) for name, figures in by_metric.items()]
        out.append(("What", named))
    parts = [current.worst_of] if current.worst_of else []
    for name in (*parts, *current.params):
        rest = {n: v for n, v in current.params.items() if n != name}
        of_worst = (
            e for e in listed if (e.metric, e.worst_of, e.params) == (current.metric, name, rest)
        )
        by_value = dict(zip(["worst"], of_worst, strict=False))
        by_value |= {
            benchmark.value_label(name, figures.params[name]): figures
            for figures in sorted(
                (f for f in listed if name in f.params and f.metric == current.metric),
                key=lambda f: benchmark.value_rank(name, f.params[name]),
            )
            if {n: v for n, v in figures.params.items() if n != name} == rest
        }
        if len(by_value) > 1:
            out.append((benchmark.param_label(name), list(by_value.items())))
    return out


def _shared(one: RankedFigures, other: RankedFigures) -> int:
    """Return how many parameters two rankings share."""
    return len(one.params.items() & other.params.items())


def _is_result(benchmark: Benchmark, record: Record) -> bool:
    """Return whether a figure is a result rather than a setting, fixed by one, or the load beside a
    result."""
    described = benchmark.metric(record.metric)
    is_fixed = described is not None and not described.ranked
    is_setting = is_fixed or benchmark.better(record.metric) == "neither"
    return not (is_setting or record.metric.endswith(engines.LOAD))


def _is_headline(benchmark: Benchmark, records: Sequence[Record]) -> bool:
    metric = benchmark.metric(records[0].metric)
    if metric is None or not (metric.headline and metric.short):
        return False
    return bool(summaries.at(metric, records))


def _slug(figure: _Figure) -> str:
    """Return the address of a ranking. It contains no labels, so that it survives changes to
    them."""
    kind = units.parse(figure.records[0].unit).kind
    params = [f"{name} {units.plain(value)}" for name, value in sorted(figure.params.items())]
    params += [f"worst {figure.worst_of}"] if figure.worst_of else []
    return slugs.hashed(" ".join(("rank", figure.metric, *params, str(kind))))


def _name(benchmark: Benchmark, figure: _Figure) -> str:
    part, record = figure.worst_of, engines.without_engine(benchmark, figure.records[0])
    shortened = replace(record, params={n: v for n, v in record.params.items() if n != part})
    if figure.is_headline:
        words = labels.headline(benchmark, shortened)
    else:
        label = benchmark.metric_label(figure.metric)
        words = ", ".join(filter(None, (label, labels.params(benchmark, shortened))))
    return f"{words}, worst {labels.within(benchmark.param_label(part))}" if part else words


@dataclass(frozen=True, slots=True)
class _Reader:
    """Reads the figures of one ranking in ``unit``: ``scale`` times those in ``base``."""

    site: Site
    evidence: _Evidence
    figure: _Figure
    base: str
    unit: str
    scale: float

    @classmethod
    def of(
        cls, site: Site, evidence: _Evidence, figure: _Figure, sound: Sequence[Record]
    ) -> _Reader:
        """Return the reader for figures without doubt."""
        means = [record.cell.mean for record in sound if record.cell.mean is not None]
        base = sound[0].unit
        return cls(site, evidence, figure, base, *units.readable(base, means))

    def scaled(self, record: Record, value: float | None) -> float:
        """Return a value of a record in the ranking's unit."""
        factor = 1.0 if record.unit == self.base else units.factor(record.unit, self.base)
        return units.scaled(value or 0.0, self.scale * (factor or 1.0))

    def number(self, record: Record) -> float:
        """Return a figure in the ranking's unit."""
        return self.scaled(record, record.cell.mean)

    @property
    def sign(self) -> int:
        """The sign with which better figures are smaller numbers."""
        return 1 if self.evidence.benchmark.better(self.figure.metric) == "lower" else -1

    def badness(self, record: Record) -> float:
        """Return a number that is smaller for better figures."""
        return self.sign * self.number(record)

    def rank(self, record: Record) -> tuple[float, float]:
        """Return a key that sorts the best figure first, and of equal ones that of steadier runs."""
        return self.badness(record), _spread(record.cell.low, record.cell.high)

    def run(self, record: Record) -> OtherRun:
        """Return a figure with the engine and the load of its run."""
        engine = engines.label(self.evidence.benchmark, record, self.evidence.inferred)
        load = engines.load_beside(record, self.evidence.means)
        return OtherRun(self.number(record), engine, load)

    def row(self, page: str, side: bool | None, ordered: Sequence[Record]) -> RankedRow:
        """Return the row of a SoC on one side, given its figures, best first, and the page of its
        releases."""
        last = max((record.guide for record in ordered), key=newest.age)
        best = next(record for record in ordered if record.guide == last)
        others = [
            self.run(record)
            for record in ordered
            if record is not best and (record.guide, record.board) == (best.guide, best.board)
        ]
        soc, run, part, site = best.guide.soc, self.run(best), self.figure.worst_of, self.site
        ends = (best.cell.low, best.cell.high)
        low, high = (None if end is None else self.scaled(best, end) for end in ends)
        return RankedRow(
            soc,
            page,
            slugs.anchor(f"over-releases-{site.platform_slugs[best.guide.platform]}"),
            site.boards.short(soc, best.board),
            f"{family(best.guide)} {best.guide.release}",
            run.number,
            *(low, high, run.engine, run.load, others),
            labels.param(self.evidence.benchmark, part, best.params[part]) if part else "",
            site.boards.today(soc, best.board),
            self.evidence.old_years.get(best.guide, ""),
            side,
        )


def _ranked(
    site: Site,
    figure: _Figure,
    results: Sequence[Record],
    evidence: _Evidence,
    pages: Mapping[str, str],
) -> RankedFigures | None:
    """Return a figure with its ranking; ``None`` if fewer than two SoCs have it without doubt.
    ``results`` are those of the benchmark under all conditions."""
    benchmark, members = evidence.benchmark, figure.records
    sound = [record for record in members if not site.marks.doubt(record)]
    if len({record.guide.soc for record in sound}) < 2:
        return None
    name, reader = _name(benchmark, figure), _Reader.of(site, evidence, figure, sound)
    ranking = _ranking(name, reader, sound, pages)
    doubtful = [record for record in members if site.marks.doubt(record)]
    doubtful.sort(key=lambda r: (units.natural(r.guide.soc), newest.age(r.guide)))
    left_out = []
    for record in doubtful:
        value = f"{units.number(reader.number(record))} {ranking.unit}".rstrip()
        left_out.append((f"{_named(site, record)}: {value}", site.marks.doubt(record)))
    # A SoC whose figures are all in doubt is listed with those figures.
    present = {record.guide.soc for record in members} | figure.failed
    loaded = _socs_under_load(benchmark, results, figure) - present
    return RankedFigures(
        name,
        _slug(figure),
        figure.metric,
        figure.params,
        figure.is_headline,
        ranking,
        left_out,
        failed=sorted(figure.failed, key=units.natural),
        not_measured=sorted(pages.keys() - present - loaded, key=units.natural),
        worst_of=figure.worst_of,
        socs_left_out=[*dict.fromkeys(record.guide.soc for record in doubtful)],
        words=search_words.of_records(benchmark, members),
        best_ever=_best_ever(reader, ranking),
        loaded=[(soc, pages[soc]) for soc in sorted(loaded, key=units.natural)],
    )


def _ranking(
    name: str, reader: _Reader, sound: Sequence[Record], pages: Mapping[str, str]
) -> Ranking:
    """Return the ranking of figures without doubt."""
    evidence, metric = reader.evidence, reader.figure.metric
    benchmark = evidence.benchmark
    has_sides = {True, False} <= {evidence.is_on_cpu(record) for record in sound}
    by_row = grouped(sound, lambda r: (r.guide.soc, evidence.is_on_cpu(r) if has_sides else None))
    rows = [
        reader.row(pages[soc], side, sorted(records, key=reader.rank))
        for (soc, side), records in by_row.items()
    ]
    rows.sort(key=lambda row: (reader.sign * row.number, row.spread, units.natural(row.soc)))
    # The side with the best figure comes first, and each side keeps its order.
    rows = [*chain.from_iterable(grouped(rows, lambda row: row.is_on_cpu).values())]
    symbol = _symbol(benchmark, metric, reader.unit)
    ranking = with_axis(name, symbol, benchmark.better(metric), rows)
    # Some runs have a load for each size.
    loads = (identity for identity in evidence.means if identity.metric == engines.LOAD)
    share = engines.load_of(benchmark, metric, {n for load in loads for n, _ in load.params})
    return msgspec.structs.replace(ranking, load_of=share)


def _best_ever(reader: _Reader, ranking: Ranking) -> str:
    """Return a sentence on the best figure of any release; "" if none is better than the first."""
    best = reader.figure.best
    if best is None or reader.badness(best) >= reader.sign * ranking.rows[0].number:
        return ""
    run, guide = reader.run(best), best.guide
    words = _in_words(ranking, run.number, run.load, run.engine)
    release = f"{family(guide)} {guide.release}"
    return f"The best of any release is {words} on {guide.soc} in {release}."


def _symbol(benchmark: Benchmark, metric: str, unit: str) -> str:
    """Return the text of a unit. Figures without one say so if the catalog has a unit for them."""
    described, parsed = benchmark.metric(metric), units.parse(unit)
    if described is None or parsed.kind != NUMBER or units.parse(described.unit).kind == NUMBER:
        return parsed.symbol
    return units.SCORE if described.unit == units.SCORE else NOT_STATED


def _named(site: Site, record: Record) -> str:
    key = record.guide
    return f"{key.soc} {site.boards.short(key.soc, record.board)}, {family(key)} {key.release}"


def with_axis(name: str, unit: str, better: units.Better, rows: list[RankedRow]) -> Ranking:
    """Return a ranking with an axis that ends at the next round figure."""
    values = [value for row in rows for value in (row.number, *(run.number for run in row.others))]
    values += [row.high for row in rows if row.high is not None]
    least, most = min(values), max(values)
    if least > SMALLEST_SHOWN and most / least > MIN_LOG_RATIO:
        start = 10.0 ** math.floor(math.log10(least))
        end = round_up(most)
        powers = range(round(math.log10(start)), math.floor(math.log10(end)) + 1)
        # The two minus signs make the division round up.
        ticks = [10.0**power for power in powers[:: -(-len(powers) // MAX_LOG_TICKS)]]
        # The end is labelled too, instead of a power of ten close to it.
        ticks = [tick for tick in ticks if (end / start) ** MIN_SHARE_TO_END <= end / tick] + [end]
        ranking = Ranking(name, unit, better, True, start, end, [], rows)
    else:
        start = min(0.0, least)
        step = round_up((most - start) / MIN_TICKS) or 1.0
        # Round first: in floats, a quotient of 4 may come out slightly higher and add a tick.
        end = start + step * max(1, math.ceil(round((most - start) / step, 9)))
        ticks = [start + step * number for number in range(round((end - start) / step) + 1)]
        ranking = Ranking(name, unit, better, False, start, end, [], rows)
    # The positions of ticks depend on the axis, so first make the ranking without them.
    named = [(ranking.position(tick), units.number(tick)) for tick in ticks]
    return msgspec.structs.replace(ranking, ticks=named)


def round_up(value: float) -> float:
    """Return the next value of the form 1, 2, 2.5 or 5 times a power of ten."""
    if value <= SMALLEST_SHOWN:
        return 0.0
    power = 10.0 ** math.floor(math.log10(value))
    # The tolerance allows for powers of ten that floats cannot represent exactly.
    return next(f * power for f in (1, 2, 2.5, 5, 10) if f * power >= value * (1 - 1e-9))


class Leaders(NamedTuple):
    """The best SoCs of a ranking: several if their figures are equal.

    ``figure`` is their figure, with load, engine and ``release`` if there is only one SoC. ``near``
    is the number of SoCs within 5 % of it, including these. ``is_uncertain`` is true if the runs
    differ too much for a rank."""

    socs: list[str]
    figure: str
    near: int
    is_uncertain: bool
    release: str = ""


def leaders(ranking: Ranking) -> Leaders:
    """Return the SoCs that lead on the first side of a ranking."""
    rows = [row for row in ranking.rows if row.is_on_cpu is ranking.rows[0].is_on_cpu]
    first = rows[0]
    equal = [row.soc for row in rows if row.number == first.number]
    lead = MIN_LEAD_SHARE * abs(first.number)
    near = sum(row.number == first.number or abs(row.number - first.number) < lead for row in rows)
    if len(equal) > 1:
        # Equal figures have different loads and engines, so leave these out.
        return Leaders(equal, _in_words(ranking, first.number), near, False)
    text = _in_words(ranking, first.number, first.load, first.engine)
    return Leaders(equal, text, near, first.spread >= MIN_SPREAD, first.release)


def _in_words(ranking: Ranking, number: float, load: float | None = None, engine: str = "") -> str:
    """Return a figure of a ranking with its unit, load and engine."""
    text = f"{units.number(number)} {ranking.unit}".rstrip()
    if ranking.unit == units.SCORE:
        text = f"a score of {units.number(number)}"
    text += engines.at_load(load, ranking.load_of)
    return text + (f" ({engine})" if engine else "")


def lead(figures: RankedFigures) -> str:
    """Return what says which SoC leads, with engine and load: a sentence, or one for each side."""
    return " ".join(
        (f"{side}: " if side else "") + _lead(msgspec.structs.replace(figures.ranking, rows=rows))
        for side, rows in figures.ranking.sides.items()
    )


def _lead(ranking: Ranking) -> str:
    """Return a sentence that says which of a ranking's SoCs leads."""
    rows = ranking.rows
    if len(rows) == 1:
        only = _in_words(ranking, rows[0].number, rows[0].load, rows[0].engine)
        return f"only {rows[0].soc}, with {only} in {rows[0].release}."
    first, second, best = rows[0], rows[1], leaders(ranking)
    names, more = units.enumeration(best.socs), ""
    measured = f" in {best.release}" if best.release else ""
    if best.near > len(best.socs):
        verb = "are" if len(best.socs) > 1 else "is"
        beside = [row.soc for row in rows[len(best.socs) : best.near]]
        others = len(rows) - len(best.socs)
        counted = (
            f"all {others} others"
            if len(beside) == others
            else f"{len(beside)} of the other {others} SoCs"
        )
        within = f"{beside[0]} is" if len(beside) == 1 else f"{counted} are"
        sentence = f"{names} {verb} first with {best.figure}{measured}"
        more = f"; {within} within 5 % of it"
    elif len(best.socs) > 1:
        sentence = f"{names} lead with {best.figure}"
    else:
        sentence = f"{names} leads with {best.figure}{measured}"
        close = sum(_ratio(second.number, row.number) <= MAX_CLOSE_RATIO for row in rows[2:])
        span = sorted((second.number, rows[close + 1].number))
        numbers = " to ".join(dict.fromkeys(map(units.number, span)))
        more = f"; the next {close + 1} are close together ({numbers})" if close else ""
    spread = ""
    if best.is_uncertain:
        ends = " to ".join(units.number(end) for end in (first.low or 0, first.high or 0))
        spread = f" Its runs differ, from {ends}, so its rank is not certain."
    return f"{sentence}{more}.{spread}"


def _ratio(one: float, other: float) -> float:
    small, large = sorted((abs(one), abs(other)))
    return large / small if small else (1.0 if large == 0 else math.inf)


def write(site: Site, address: str, page: str, anchor: str, figures: RankedFigures) -> PageTable:
    """Write the table of a ranking, which the extension draws, for the page at ``address``. The
    sources of its figures are on ``page``, that of the benchmark."""
    ranking = figures.ranking
    has_engine = any(row.engine for row in ranking.rows)
    has_load = any(row.load is not None for row in ranking.rows)
    has_part = bool(figures.worst_of)
    figure = ", ".join(filter(None, (figures.name, ranking.unit)))
    head = ["SoC", "Board", "Release", *(["Engine"] if has_engine else [])]
    head += [*(["Worst"] if has_part else []), figure, "Min", "Max"]
    head += [f"CPU load, % {ranking.load_of}".rstrip()] if has_load else []
    has_sides = len(ranking.sides) > 1
    head += ["Side"] if has_sides else []
    lines: list[list[TableCell]] = [
        [
            *(row.soc, row.board, row.release, *([row.engine] if has_engine else [])),
            *([row.part] if has_part else []),
            *(units.optional_figure(value) for value in (row.number, row.low, row.high)),
            *([units.optional_figure(row.load)] if has_load else []),
            *([SIDES[row.is_on_cpu]] if has_sides else []),
        ]
        for row in ranking.rows
    ]
    data = listing(tuple(head), [tuple(line) for line in lines], 3)
    table = write_tables.table(site, address, anchor, figures.name, data)
    content = msgspec.structs.replace(ranking, rows=ranking.rows[:MAX_ROWS])
    # The page draws the best SoCs; the CSV above has them all.
    extra = Extra(answers={"ranking": content}, page=address)
    # Only the page of the benchmark has a table of sources.
    return replace(table, extra=extra, origin=link_name(page, SOURCES))
