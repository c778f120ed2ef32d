"""The reasons of findings, each verified independently from the results in the bundles."""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from statistics import fmean, median

from msgspec import UNSET
from published_tables import tables_of
from truth import Checked, N, Runs, number, rounds, runs_of

from perfguide.bundle import WARNED, Bundle, Result
from perfguide.bundles.decode import Loaded
from perfguide.bundles.guide_key import guide_key, version
from perfguide.catalog.benchmarks import Catalog, Metric
from perfguide.common import units
from perfguide.figures.pool import Record
from perfguide.health.finding import MAX_DETAILS, Finding, Suspect

Owner = tuple[str, str, str, str]
"""An SDK, a SoC, a system and a board."""

Name = tuple[str, str, tuple[tuple[str, str], ...]]
"""A benchmark, a metric, and the parameters that are not defaults."""

ResultIn = tuple[Bundle, int]
"""A result: its bundle, and its index there."""


class Bundles:
    """The results of bundles by board, release and figure, in one kind of unit."""

    def __init__(self, bundles: Iterable[Loaded], catalog: Catalog) -> None:
        self.catalog = catalog
        self.results: dict[Owner, dict[str, dict[Name, list[ResultIn]]]] = defaultdict(dict)
        self._runs: dict[tuple[Owner, str, Name], Runs] = {}
        for item in bundles:
            guide = guide_key(item.bundle)
            owner = (guide.sdk, guide.soc, guide.os, item.bundle.board.name)
            own = self.results[owner].setdefault(guide.release, defaultdict(list))
            results = item.bundle.results
            tables = tables_of([(each.benchmark, each.metric, each.params) for each in results])
            for at, (each, table) in enumerate(zip(results, tables, strict=True)):
                params = {n: v for n, v in each.params.items() if n not in table}
                params |= self.stated_by(each.benchmark, table)
                own[self.name(each.benchmark, each.metric, params)].append((item.bundle, at))

    def stated_by(self, benchmark: str, table: dict[str, object]) -> dict[str, object]:
        """Return the parameters that the title of a published table states in words of the catalog,
        or else the table itself."""
        described = self.catalog.get(benchmark)
        title = str(table.get("table", "")).lower()
        stated = {
            name: value
            for name, param in (described.entry.params.items() if described else ())
            for word, value in param.value_words.items()
            if word and word in title
        }
        return stated or table

    def name(self, benchmark: str, metric: str, params: dict[str, object]) -> Name:
        described = self.catalog.get(benchmark)
        own = [
            (n, f"{type(v).__name__} {v}")
            for n, v in sorted(params.items())
            if described is None or described.param(n).default != v
        ]
        return benchmark, metric, tuple(own)

    def of_record(self, record: Record) -> tuple[Owner, str, Name]:
        guide = record.guide
        owner = (guide.sdk, guide.soc, guide.os, record.board)
        return owner, guide.release, self.name(record.benchmark, record.metric, record.params)

    def runs(self, owner: Owner, release: str, name: Name) -> Runs:
        """Return the figures of a measurement, in the base unit of their kind."""
        key = (owner, release, name)
        if key not in self._runs:
            own = self.results[owner].get(release, {}).get(name, ())
            self._runs[key] = runs_of(bundle.results[at] for bundle, at in own)
        return self._runs[key]

    def releases(self, owner: Owner) -> list[str]:
        return sorted(self.results[owner], key=version)

    def means(self, owner: Owner, name: Name, kind: str = "") -> dict[str, float]:
        """Return the figures of a measurement by release, oldest first, optionally those in one
        kind of unit."""
        every = ((r, self.runs(owner, r, name)) for r in self.releases(owner))
        return {
            release: runs.mean
            for release, runs in every
            if runs.mean is not None and kind in ("", units.parse(runs.unit).kind)
        }

    def metric(self, name: Name) -> Metric | None:
        described = self.catalog.get(name[0])
        return described.metric(name[1]) if described else None

    def label(self, name: Name) -> str:
        described = self.catalog.get(name[0])
        return described.metric_label(name[1]) if described else name[1]


@dataclass(frozen=True)
class Doubt:
    """A figure that a finding casts doubt on."""

    of: Bundles
    finding: Finding
    suspect: Suspect

    @cached_property
    def identity(self) -> tuple[Owner, str, Name]:
        return self.of.of_record(self.suspect.record)

    @property
    def owner(self) -> Owner:
        return self.identity[0]

    @property
    def release(self) -> str:
        return self.identity[1]

    @property
    def name(self) -> Name:
        return self.identity[2]

    @property
    def unit(self) -> units.Unit:
        return units.parse(self.suspect.record.unit)

    @property
    def runs(self) -> Runs:
        return self.of.runs(*self.identity)

    @property
    def results(self) -> list[Result]:
        own = self.of.results[self.owner][self.release][self.name]
        return [bundle.results[at] for bundle, at in own]

    @property
    def samples(self) -> list[float]:
        """Return the single samples, in the base unit; means do not count."""
        sampled = [each for each in self.results if each.samples is not UNSET]
        return [sample for run in runs_of(sampled).runs for sample in run]

    @property
    def mean(self) -> float:
        assert self.runs.mean is not None
        return self.runs.mean

    @property
    def means(self) -> dict[str, float]:
        """Return the figures of all releases, oldest first."""
        return self.of.means(self.owner, self.name, self.unit.kind)

    @property
    def past(self) -> dict[str, float]:
        """Return the figures of the earlier releases, oldest first."""
        last = version(self.release)
        return {release: mean for release, mean in self.means.items() if version(release) < last}

    def is_(self, text: str, value: float) -> bool:
        """Return whether a text is a value with all its digits, in the figure's unit."""
        return math.isclose(number(text), value / self.unit.scale, rel_tol=1e-9, abs_tol=1e-12)

    def about(self, text: str, value: float) -> bool:
        """Return whether a text is a value rounded to four digits."""
        return rounds(text, value / self.unit.scale)

    def ends(self, text: str, values: Sequence[float]) -> bool:
        """Return whether a text is the smallest and largest of some values: “5 and 6”, “5 to 6” or
        “5”."""
        said = re.findall(N, text)
        word = " and " if len(values) == 2 else " to "
        return (len(said) == 1 or word in text) and all(
            map(self.about, (said[0], said[-1]), (min(values), max(values)))
        )

    def has_unit(self, text: str) -> bool:
        return text.strip() == self.unit.symbol

    def boards(self, release: str = "") -> dict[Owner, float]:
        """Return the same figure of the SoC's other boards in a release."""
        others = [own for own in self.of.results if own[:3] == self.owner[:3] and own != self.owner]
        means = {own: self.of.runs(own, release or self.release, self.name).mean for own in others}
        return {own: mean for own, mean in means.items() if mean is not None}

    def rows(self, release: str = "") -> dict[Name, float]:
        """Return the figures of its table in a release."""
        own = self.of.results[self.owner].get(release or self.release, {})
        means = {
            name: self.of.runs(self.owner, release or self.release, name).mean
            for name in own
            if name[0] == self.name[0]
        }
        return {name: mean for name, mean in means.items() if mean is not None}

    def unit_of(self, name: Name) -> str:
        for release in reversed(self.of.releases(self.owner)):
            if runs := self.of.results[self.owner][release].get(name):
                bundle, at = runs[0]
                return units.parse(bundle.results[at].unit).kind
        return ""


Holds = Callable[[Doubt, Sequence[str]], bool]


def _times(text: str, ratio: float) -> bool:
    """Return whether a text is a ratio: “2.10 times higher”."""
    size, _, way = text.partition(" times ")
    if (way == "higher") != (ratio > 1):
        return False
    size_now = max(ratio, 1 / ratio)
    if size == "over a million":
        return size_now >= 1e6
    return abs(number(size) - size_now) <= (0.00501 if size_now < 10 else 0.501)


def _outside(it: Doubt, said: Sequence[str]) -> bool:
    mean, unit, side, end = said
    return any(
        math.isclose(number(mean), each.value, rel_tol=1e-9)
        and units.parse(each.unit).symbol == unit.strip()
        and math.isclose(number(end), each.max if "max" in side else each.min, rel_tol=1e-9)
        and (each.value > each.max if "max" in side else each.value < each.min)
        for each in it.results
        if each.value is not UNSET and each.min is not UNSET and each.max is not UNSET
    )


def _contradicted(it: Doubt, said: Sequence[str]) -> bool:
    value, _, listed, more, mean = said
    for each in it.results:
        own = each.samples if each.samples is not UNSET else [each.min, each.max]
        if each.value is UNSET or UNSET in own:
            continue
        if math.isclose(number(value), each.value, rel_tol=1e-9) and rounds(mean, fmean(own)):
            texts = listed.split(", ")
            same = all(map(lambda t, s: math.isclose(number(t), s, rel_tol=1e-9), texts, own))
            is_all = each.samples is not UNSET or each.count == 2
            return same and is_all and len(texts) + int(more or 0) == len(own)
    return False


def _sample_in_mean(it: Doubt, said: Sequence[str]) -> bool:
    least, unit, low, high = said
    return (
        it.has_unit(unit)
        and it.about(least, it.runs.low)
        and it.about(low, it.runs.low)
        and it.about(high, it.runs.high)
        and it.runs.low <= 0 < it.mean
    )


def _printed_as_zero(it: Doubt, said: Sequence[str]) -> bool:
    """Check that it is 0, and that any positive figures in its row are mostly small."""
    row = [*it.means.values()] if it.mean == 0 else [it.runs.high]
    positive = [each / it.unit.scale for each in row if each > 0]
    digits = [len(f"{each:.12g}".partition(".")[2]) for each in positive]
    is_small = positive and median(positive) <= 10 * 10.0 ** -min(digits)
    return it.runs.low == 0 and bool(is_small if positive else len(row) >= 3)


def _samples_differ(it: Doubt, said: Sequence[str]) -> bool:
    low, high, unit, mean = said
    return (
        it.has_unit(unit)
        and it.about(low, it.runs.low)
        and it.about(high, it.runs.high)
        and it.about(mean, it.mean)
        and (it.unit.kind != "time" and 100 * it.runs.low <= it.runs.high)
        == (it.finding.rule.id == "failed-run")
        and 0 < 3 * it.runs.low <= it.runs.high
    )


def _over_limit(it: Doubt, said: Sequence[str]) -> bool:
    whose, top, _, limit, _, threads, what = said
    metric = it.of.metric(it.name)
    most = metric.at_most if metric else 100.0
    params = it.suspect.record.params
    times = params[what] if threads else 1
    is_load = it.unit.name == "%" and it.finding.rule.id == "load-over-limit"
    return (
        most is not None
        and it.is_(top, it.runs.high)
        and it.is_(limit, most * times * it.unit.scale)
        and number(top) > number(limit)
        and (whose == "it is") == (it.runs.high == it.mean)
        and (not threads or int(threads) == times)
        and (not is_load or number(top) <= 1.05 * number(limit))
    )


def _same_key(it: Doubt, said: Sequence[str]) -> bool:
    """Check that one bundle has a result with each of both figures, a quarter apart."""
    means_of = defaultdict(lambda: ([], []))
    for bundle, at in it.of.results[it.owner][it.release][it.name]:
        mean = runs_of([bundle.results[at]]).mean
        own = units.parse(bundle.results[at].unit)
        for means, text, unit in zip(means_of[bundle.id], said[::2], said[1::2], strict=True):
            if mean is not None and own.symbol == unit.strip() and rounds(text, mean / own.scale):
                means.append(mean)
    return any(
        max(a, b) >= 1.25 * min(a, b)
        for ones, others in means_of.values()
        for a in ones
        for b in others
    )


def _warned(it: Doubt, said: Sequence[str]) -> bool:
    return any(f"{WARNED}{said[0]}" in each.notes for each in it.results)


def _other_soc(it: Doubt, said: Sequence[str]) -> bool:
    word, soc = said
    return soc == it.owner[1] and any(word in each.command for each in it.results)


def _clocks(it: Doubt) -> list[tuple[float, Bundle]]:
    """Return the clock of each of the board's runs, as measured, or else as the bundle states
    it."""
    out = []
    runs = {
        bundle.id: bundle
        for owner, own in it.of.results.items()
        if (owner[:2], owner[3]) == (it.owner[:2], it.owner[3])
        for by_name in own.values()
        for results in by_name.values()
        for bundle, _ in results
    }
    for bundle in runs.values():
        measured = [
            mean / 1e6
            for each in bundle.results
            if (metric := it.of.metric((each.benchmark, each.metric, ()))) and metric.clock
            if (mean := runs_of([each]).mean) is not None
        ]
        if measured or bundle.board.cpu_mhz is not UNSET:
            out.append(((measured or [bundle.board.cpu_mhz])[-1], bundle))
    return out


def _others(it: Doubt, name: Name, where: str = "releases") -> list[float]:
    """Return the figures of other releases, or also of other boards of the SoC on any system."""
    owners = [it.owner]
    if where != "releases":
        # The board itself has too few.
        assert len(_others(it, name)) < 2
        owners = [own for own in it.of.results if own[:2] == it.owner[:2]]
    means = ((own, *each) for own in owners for each in it.of.means(own, name).items())
    return [mean for own, release, mean in means if (own, release) != (it.owner, it.release)]


def _wrong_quotient(it: Doubt, said: Sequence[str]) -> bool:
    figure, unit, clock, _, label, where = said
    clocks = [(n, mean) for n, mean in it.rows().items() if (m := it.of.metric(n)) and m.clock]
    others = [n for n in it.rows() if it.of.label(n) == label]
    away = {
        name: math.log(mean / median(own))
        for name, mean in it.rows().items()
        if (own := _others(it, name, where)) and min(own) > 0 < mean
    }
    return (
        it.has_unit(unit)
        and it.about(figure, it.mean)
        and any(math.isclose(mean / 1e6, number(clock), rel_tol=1e-9) for _, mean in clocks)
        and any(abs(away[n]) < abs(away[it.name]) / 2 for n in others)
        and away[it.name] * away[clocks[0][0]] < 0
    )


def _wrong_clock(it: Doubt, said: Sequence[str]) -> bool:
    clock, unit, where, usual, _ = said
    others = _others(it, it.name, where)
    return (
        it.has_unit(unit)
        and it.about(clock, it.mean)
        and math.isclose(number(usual), median(others) / it.unit.scale, rel_tol=1e-3)
    )


def _pooled(it: Doubt, said: Sequence[str]) -> bool:
    """Check that another metric of the same board and release has this end as its mean or as an
    end."""
    end, figure, unit, of_end, label, of_figure = said
    own = it.runs.low if end == "minimum" else it.runs.high
    others = [
        it.of.runs(it.owner, it.release, name)
        for name in it.rows()
        if it.of.label(name) == (label or of_figure) and name != it.name
    ]
    ends = [
        each.mean if not of_end else each.low if of_end == "minimum" else each.high
        for each in others
    ]
    return (
        it.has_unit(unit)
        and it.is_(figure, own)
        and any(math.isclose(each or 0.0, own, rel_tol=1e-9) for each in ends)
    )


def _two_names(it: Doubt, said: Sequence[str]) -> bool:
    """Check that this many boards and releases have both, with equal figures."""
    other, every, some, of = said
    both = same = 0
    for owner, own in it.of.results.items():
        for release, by_name in own.items():
            mine = [n for n in by_name if n[:2] == it.name[:2]]
            theirs = [
                n
                for n in by_name
                if n[0] == it.name[0] and it.of.label(n) == other and n[1] != it.name[1]
            ]
            for name in mine:
                for again in theirs:
                    a, b = (it.of.runs(owner, release, n) for n in (name, again))
                    if name[2] == again[2] and None not in (a.mean, b.mean) and (a.mean or b.mean):
                        both += 1
                        same += a.mean == b.mean
    return (same, both) == ((int(every), int(every)) if every else (int(some), int(of)))


def _row_everywhere(it: Doubt) -> list[float]:
    """Return all figures and ends of the measurement, on all boards of the SoC and in all
    releases."""
    out = []
    for owner, own in it.of.results.items():
        for release in own if owner[:3] == it.owner[:3] else ():
            runs = it.of.runs(owner, release, it.name)
            if runs.mean is not None and runs.low > 0:
                out += [end / it.unit.scale for end in {runs.low, runs.high}]
    return out


def _whole_parts(values: Sequence[float], most: int) -> list[int] | None:
    """Return the integers by which one amount of work is divided, if there are any."""
    for first in range(1, most):
        parts = [max(values) * first / each for each in values]
        if all(abs(part - round(part)) <= 1e-2 and round(part) <= most for part in parts):
            return [round(part) for part in parts]
    return None


def _coarse(it: Doubt, said: Sequence[str]) -> bool:
    listed, unit = [number(each) for each in said[0].split(" or ")], said[1]
    values = sorted({float(f"{each:.9g}") for each in _row_everywhere(it)})
    return (
        it.has_unit(unit)
        and len(values) == len(listed)
        and all(
            math.isclose(a, b, rel_tol=1e-6) for a, b in zip(values, sorted(listed), strict=True)
        )
        and _whole_parts(values, 12) is not None
    )


def _small(it: Doubt, said: Sequence[str]) -> bool:
    """Check that neighbouring results lie between the slowest and fastest step."""
    low, high = number(said[0]), number(said[1] or said[0])
    parts = _whole_parts(sorted(set(_row_everywhere(it))), 60)
    if parts is None:
        return False
    # One more unit of time, for the longest and for the shortest run.
    near = 100 * ((max(parts)) / (max(parts) - 1) - 1)
    far = 100 * ((min(parts) + 1) / min(parts) - 1)
    return abs(near - low) <= 0.0501 and abs(far - high) <= 0.0501


def _board_apart(it: Doubt, said: Sequence[str]) -> bool:
    figure, unit, boards, ends, times = said
    others = [*it.boards().values()]
    nearest = min(others, key=lambda own: abs(math.log(it.mean / own)))
    return (
        it.has_unit(unit)
        and it.about(figure, it.mean)
        and len(others) == int(boards) >= 2
        and it.ends(ends, others)
        and _times(times, it.mean / nearest)
        and not min(others) <= it.mean <= max(others)
    )


def _jump(it: Doubt, said: Sequence[str]) -> bool:
    figure, unit, times, before, release, after, next_release = said
    # A figure of 0 is a failed run.
    means = {release: mean for release, mean in it.means.items() if mean > 0}
    order = [*means]
    at = order.index(it.release)
    first, mean, last = (means[each] for each in order[at - 1 : at + 2])
    return (
        it.has_unit(unit)
        and (order[at - 1], order[at + 1]) == (release, next_release)
        and it.about(figure, mean)
        and it.about(before, first)
        and it.about(after, last)
        and _times(times, mean / first)
        and all(abs(math.log(mean / each)) >= math.log(1.3) - 1e-12 for each in (first, last))
        and abs(math.log(last / first)) < abs(math.log(mean / first)) / 3
    )


def _collapsed(it: Doubt, said: Sequence[str]) -> bool:
    figure, unit, release, before, since = said
    order, best = [*it.means], it.means[release]
    first = order.index(since or it.release)
    fallen = [it.means[each] <= best / 100 for each in order[: order.index(it.release) + 1]]
    return (
        it.has_unit(unit)
        and it.about(figure, it.mean)
        and it.about(before, best)
        and order.index(release) < first
        and all(fallen[first:])
        and not fallen[first - 1]
        and bool(since) == (first < len(fallen) - 1)
    )


def _below_other_socs(it: Doubt, said: Sequence[str]) -> bool:
    figure, unit, count, usual, any_engine = said
    best: dict[str, float] = {}

    def without_engine(name: Name) -> Name:
        return *name[:2], frozenset(each for each in name[2] if each[0] != "engine")

    for owner, by_release in it.of.results.items():
        names = {it.name}
        if any_engine:
            names = {
                name
                for of_release in by_release.values()
                for name in of_release
                if without_engine(name) == without_engine(it.name)
            }
        for name in names:
            means = it.of.means(owner, name, it.unit.kind)
            if means and owner[1] != it.owner[1]:
                best[owner[1]] = max(best.get(owner[1], 0.0), *means.values())
    middle = median(best.values())
    return (
        it.has_unit(unit)
        and it.about(figure, it.mean)
        and len(best) == int(count) >= 4
        and it.about(usual, middle)
        and 0 < 100 * it.mean <= middle
    )


LIMITS_OF_TIMES = {
    "Integer, add": ("lat_ops-int-add", 1.0),
    "Single precision, mul": ("lat_ops-float-mul", 0.4),
    "Double precision, mul": ("lat_ops-double-mul", 0.4),
    "Pipe, round trip": ("lat_pipe", 0.5),
    "Pipe, latency": ("pipe_latency", 0.5),
}


def _two_tables(it: Doubt, said: Sequence[str]) -> bool:
    own, _, table, other, _ = said

    def without_table(name: Name) -> Name:
        params = tuple(param for param in name[2] if param[0] not in ("table", "table_no"))
        return name[0], name[1], params

    is_main = {name: without_table(name) == name for name in it.rows()}
    others = [
        mean
        for name, mean in it.rows().items()
        if without_table(name) == without_table(it.name)
        and is_main[name] == (table == "the main")
        and max(mean, it.mean) >= 1.15 * min(mean, it.mean)
    ]
    is_other = any(it.about(other, mean) for mean in others)
    return it.about(own, it.mean) and is_other and is_main[it.name] == (table == "another")


def _under_limit(it: Doubt, said: Sequence[str]) -> bool:
    figure, unit, label, least = said
    metric, times = LIMITS_OF_TIMES[label]
    own = it.of.runs(it.owner, it.release, (it.name[0], metric, it.name[2])).mean or 0.0
    return (
        it.has_unit(unit)
        and it.about(figure, it.mean)
        and it.about(least, own)
        and it.mean < times * own
    )


def _raw_read(it: Doubt, said: Sequence[str]) -> bool:
    """Check that a read through the file system with a buffer that is no larger has the second rate."""
    figure, unit, file_system, fast = said
    own = it.suspect.record.params
    rates = [
        runs_of(bundle.results[at] for bundle, at in results).mean or 0.0
        for (benchmark, metric, _), results in it.of.results[it.owner][it.release].items()
        for params in [results[0][0].results[results[0][1]].params]
        if (benchmark, metric) == it.name[:2]
        and params.get("filesystem") == file_system.lower()
        and params["buffer_size"] <= own["buffer_size"]
    ]
    return (
        own["filesystem"] == "raw"
        and it.has_unit(unit)
        and it.about(figure, it.mean)
        and it.about(fast, max(rates))
        and 3 * it.mean < 2 * max(rates)
    )


def _in_caches(it: Doubt, said: Sequence[str]) -> bool:
    figure, unit, cached = said
    names = {"64 KiB": "lat_mem_rd-stride128-sz62k"}
    own = [
        it.of.runs(it.owner, it.release, (it.name[0], metric, it.name[2]))
        for metric in names.values()
    ]
    return (
        it.has_unit(unit)
        and it.about(figure, it.mean)
        and it.about(cached, own[0].mean or 0.0)
        and it.mean < 4 * (own[0].mean or 0.0)
    )


def _bytes(text: str) -> float:
    match = re.fullmatch(r".*?([\d,]+)(?: (bytes|byte|KiB|MiB|GiB))?", text)
    assert match
    power = {"KiB": 1, "MiB": 2, "GiB": 3}.get(match[2] or "", 0)
    return number(match[1]) * 1024**power


def _dips(it: Doubt, said: Sequence[str]) -> bool:
    figure, unit, size, high, peak = said
    metric = it.of.metric(it.name)
    assert metric
    axis = metric.rises_with
    others = tuple(each for each in it.name[2] if each[0] != axis)
    curve = {
        float(dict(name[2])[axis].split()[1]): mean
        for name, mean in it.rows().items()
        if name[1] == it.name[1]
        and axis in dict(name[2])
        and tuple(each for each in name[2] if each[0] != axis) == others
    }
    own = float(dict(it.name[2])[axis].split()[1])
    highest = max(mean for at, mean in curve.items() if at <= own)
    return (
        it.has_unit(unit)
        and it.about(figure, it.mean)
        and it.about(high, highest)
        and _bytes(size) == own > _bytes(peak)
        and curve[_bytes(peak)] == highest
        and it.mean < 0.9 * highest
    )


def _far(it: Doubt, said: Sequence[str]) -> bool:
    figure, unit, releases, low, high, slip, share = said
    past = [*it.past.values()]
    ratio = it.mean / median(past[-5:])
    factor = number(slip or share) if slip or share else 0
    return (
        it.has_unit(unit)
        and it.about(figure, it.mean)
        and len(past) == int(releases) > 1
        and it.about(low, min(past))
        and it.about(high, max(past))
        and it.release == it.of.releases(it.owner)[-1]
        and (
            abs(math.log(ratio / (factor if slip else 1 / factor))) <= math.log(1.15) + 1e-9
            if factor
            else all(abs(math.log(it.mean / each)) >= math.log(1.5) - 1e-12 for each in past)
        )
    )


def _far_of_one(it: Doubt, said: Sequence[str]) -> bool:
    figure, unit, before, slip, share = said
    past = [*it.past.values()]
    factor = number(slip) if slip else 1 / number(share)
    return (
        it.has_unit(unit)
        and it.about(figure, it.mean)
        and len(past) == 1
        and it.about(before, past[0])
        and abs(math.log(it.mean / past[0] / factor)) <= math.log(1.15) + 1e-9
    )


def _newest_of_all(it: Doubt) -> dict[Owner, float]:
    """Return the newest figure of each board of all SoCs."""
    out = {}
    for owner in it.of.results:
        means = it.of.means(owner, it.name)
        if (
            means
            and units.parse(it.of.runs(owner, [*means][-1], it.name).unit).kind == it.unit.kind
        ):
            out[owner] = [*means.values()][-1]
    return out


def _lone_extreme(it: Doubt, said: Sequence[str]) -> bool:
    """Check that this extreme is far from the mean, which is near the other one."""
    figure, unit, mean, other = said
    low, high = sorted((it.runs.low, it.runs.high), reverse=number(figure) < number(mean))
    return (
        it.has_unit(unit)
        and it.about(figure, high)
        and it.about(mean, it.mean)
        and it.about(other, low)
        and 1.5 * min(it.mean, high) <= max(it.mean, high) * (1 + 1e-9)
        and 10 * abs(it.mean - low) <= abs(high - low) * (1 + 1e-9)
    )


def _off_setting(it: Doubt, said: Sequence[str]) -> bool:
    """Check that the figure is not a full number of bytes for each sample, and the nearest such rate."""
    figure, unit, due = said
    rate = float(it.suspect.record.params["sampling_rate"])
    count = number(due) * it.unit.scale / units.parse("bit/s").scale / (8 * rate)
    share = it.mean / units.parse("bit/s").scale / (8 * rate)
    return (
        it.has_unit(unit)
        and it.about(figure, it.mean)
        and abs(count - round(count)) < 1e-3
        and abs(share - count) <= 0.5
        and abs(share / count - 1) > 0.05
    )


def _load_class(it: Doubt, owner: Owner) -> str | None:
    """Return the state of the CPU in a board's newest run, judging by its load."""
    benchmark, _, params = it.name
    name = (benchmark, "cpu_load", tuple(each for each in params if each[0] != "block_size"))
    load = it.of.runs(owner, [*it.of.means(owner, it.name)][-1], name).mean
    if load is None or 60 <= load < 85:
        return None
    return "waits" if load < 60 else "works"


def _unlike(it: Doubt, said: Sequence[str]) -> bool:
    figure, unit, boards, like, ends, other = said
    every = _newest_of_all(it)
    if like:
        own = _load_class(it, it.owner)
        every = {owner: mean for owner, mean in every.items() if _load_class(it, owner) == own}
        if own is None:
            return False
    every.pop(it.owner)
    near = {owner: mean for owner, mean in every.items() if owner[1] == it.owner[1]}
    if not (it.has_unit(unit) and it.about(figure, it.mean)) or len(it.means) > 1:
        return False
    if other:
        (mean,) = near.values()
        return it.about(other, mean) and abs(math.log(it.mean / mean)) >= math.log(50) - 1e-9
    for values in ([*near.values()], [*every.values()]):
        if len(values) == int(boards) and it.ends(ends, values):
            return all(abs(math.log(it.mean / each)) >= math.log(5) - 1e-9 for each in values)
    return False


def _digits(value: float) -> int:
    return len(re.sub(r"e.*|[.-]", "", f"{value:.12g}").strip("0"))


def _stale(it: Doubt, said: Sequence[str]) -> bool:
    """Check that this many figures of the table equal those of the last release that had them."""
    same = of = 0
    for name, mean in it.rows().items():
        before = [
            m for r, m in it.of.means(it.owner, name).items() if version(r) < version(it.release)
        ]
        if (
            before
            and _digits(mean / units.parse(it.of.runs(it.owner, it.release, name).unit).scale) >= 4
        ):
            of += 1
            same += math.isclose(mean, before[-1], rel_tol=1e-12)
    return (
        abs(int(said[0]) - same) <= 0
        and int(said[1]) == of
        and 2 * same >= of
        and math.isclose(it.mean, [*it.past.values()][-1], rel_tol=1e-12)
    )


def _usual(it: Doubt, owner: Owner, name: Name, release: str) -> float | None:
    past = [m for r, m in it.of.means(owner, name).items() if version(r) < version(release)][-3:]
    above = [each for each in past if each > 0]
    return median(above) if above else None


def _swapped(it: Doubt, said: Sequence[str]) -> bool:
    """Check that, in most of the rows that differ, the figure fits what the other board had
    before."""
    count, board = int(said[0]), said[1]
    other = (*it.owner[:3], board)
    fitting = of = 0
    for name in it.of.results[it.owner][it.release]:
        mine = it.of.runs(it.owner, it.release, name).mean
        theirs = it.of.runs(other, it.release, name).mean
        past = _usual(it, it.owner, name, it.release), _usual(it, other, name, it.release)
        every = [m for own in (it.owner, other) for m in it.of.means(own, name).values()]
        if None in (mine, theirs, *past) or it.unit_of(name) == "share" or min(every) <= 0:
            continue
        if not _is_steady(it.of.metric(name)):
            continue
        if abs(math.log(past[0] / past[1])) >= math.log(1.04):
            of += 1
            fitting += abs(math.log(mine / past[1])) < abs(math.log(mine / past[0])) / 2
    return of == count and fitting >= 0.8 * of


def _is_steady(metric: Metric | None) -> bool:
    if metric and metric.steady is not None:
        return metric.steady
    return metric is None or metric.better != "neither"


def _lone(it: Doubt, said: Sequence[str]) -> bool:
    figure, unit, others, low, high = said
    every = it.samples
    lone = [each for each in every if it.about(figure, each)]
    rest = [each for each in every if not it.about(figure, each)]
    return (
        it.has_unit(unit)
        and len(lone) == 1
        and len(rest) == int(others)
        and it.about(low, min(rest))
        and it.about(high, max(rest))
        and min(abs(math.log(lone[0] / each)) for each in rest) >= math.log(1.3) - 1e-9
    )


def _scaled(it: Doubt, said: Sequence[str]) -> bool:
    """Check that most figures in its unit, or of its metric, differ from their past by a factor."""
    fitting, of, times, part, whose = said
    factor = number(times) if times else 1 / number(part)
    for alike in (
        lambda name: it.unit_of(name) == it.unit_of(it.name),
        lambda name: name[1] == it.name[1],
    ):
        ratios = []
        for name, mean in it.rows().items():
            if not alike(name) or it.unit_of(name) == "share" or not _is_steady(it.of.metric(name)):
                continue
            before = _usual(it, it.owner, name, it.release)
            if whose != "of earlier releases":
                # The newest figure of each other board.
                others = [
                    [*it.of.means(own, name).values()][-1]
                    for own in it.of.results
                    if own[:3] == it.owner[:3] and own != it.owner and it.of.means(own, name)
                ]
                before = median(others) if others and min(others) > 0 else None
            if before and mean > 0:
                ratios.append(mean / before / factor)
        near = sum(abs(math.log(each)) <= math.log(1.4) + 1e-6 for each in ratios)
        if len(ratios) == int(of) and near <= int(fitting) <= len(ratios) and near >= 0.6 * int(of):
            return it.release == it.of.releases(it.owner)[-1]
    return False


def _exchanged(it: Doubt, said: Sequence[str]) -> bool:
    """Check that the figure is closer to what another row of its table had than to its own past."""
    _, count, whose = said
    own = _usual(it, it.owner, it.name, it.release)
    others = [
        before
        for name in it.rows()
        if name != it.name
        and it.unit_of(name) == it.unit_of(it.name)
        and (before := _usual(it, it.owner, name, it.release))
    ]
    if whose != "of earlier releases":
        return True
    same = [
        s
        for s in it.finding.suspects
        if s.detail == it.suspect.detail and s.record.board == it.owner[3]
    ]
    assert own
    return len(same) == int(count) and any(
        abs(math.log(it.mean / each)) < abs(math.log(it.mean / own)) / 2 for each in others
    )


def _copied(it: Doubt, said: Sequence[str]) -> bool:
    """Check that this many figures of three or more digits equal, to the last digit, those of the
    named board and release."""
    same, of, board, guide = said
    release = guide.split()[-1] if guide else it.release

    def precise(name: Name, mean: float) -> bool:
        return _digits(mean / units.parse(it.of.runs(it.owner, it.release, name).unit).scale) >= 3

    rows = {name: mean for name, mean in it.rows().items() if precise(name, mean)}
    for owner in it.of.results:
        if owner[3] != (board or it.owner[3]) or (not board and owner[:2] != it.owner[:2]):
            continue
        if "," in guide and not guide.startswith(f"{owner[1]}, "):
            continue
        equal = [
            name
            for name, mean in rows.items()
            if (theirs := it.of.runs(owner, release, name).mean) is not None
            and math.isclose(mean, theirs, rel_tol=1e-12)
        ]
        if len(equal) == int(same) and it.name in equal:
            return len(rows) == int(of)
    return False


def _repeated(it: Doubt, said: Sequence[str]) -> bool:
    """Check that the later upload has this many of the figures that it shares with the earlier
    one, the doubted figure among them."""
    second, first, same, of = said
    common: dict[Name, bool] = {}
    days = {}
    for name, own in it.of.results[it.owner][it.release].items():
        means = defaultdict(list)
        for bundle, at in own:
            means[bundle.id].append(runs_of([bundle.results[at]]).mean)
            days[bundle.id] = bundle.created
        if {first, second} <= means.keys():
            common[name] = means[first] == means[second] != [None]
    return (
        (sum(common.values()), len(common)) == (int(same), int(of))
        and common[it.name]
        and days[first] <= days[second]
    )


def _next(it: Doubt, release: str) -> str:
    own = it.of.releases(it.owner)
    return own[own.index(release) + 1]


def _lost_table(it: Doubt, said: Sequence[str]) -> bool:
    release, following = said
    own = it.of.results[it.owner]
    return (
        (release, following) == (it.release, _next(it, release))
        and it.name in own[release]
        and not any(name[0] == it.name[0] for name in own[following])
        and it.finding.guide.release == following
    )


def _lost_rows(it: Doubt, said: Sequence[str]) -> bool:
    release, following, new, before = said
    own = it.of.results[it.owner]
    _, added = (
        {name for name in own[at] if name[0] == it.name[0]} - {*own[than]}
        for at, than in ((release, following), (following, release))
    )
    return (
        (release, following) == (it.release, _next(it, release))
        and it.name in own[release]
        and it.name not in own[following]
        and any(name[0] == it.name[0] for name in own[following])
        and len(added) == int(new or 0)
        and before in ("", release)
        and it.finding.guide.release == following
    )


TRUTHS: dict[str, dict[str, Holds]] = {
    "outside-range": {
        rf"the mean ({N})( \S+)? is (above its maximum|below its minimum) ({N})": _outside
    },
    "samples-contradict": {
        rf"({N})( \S+)? was published, and the mean of ({N}(?:, {N})*)(?: and (\d+) more)? is ({N})": _contradicted
    },
    "not-positive": {
        rf"the figure is ({N})( \S+)?": lambda it, said: (
            it.about(said[0], it.mean) and it.mean <= 0 and it.has_unit(said[1])
        ),
        rf"a sample of ({N})( \S+)? is in the mean \(minimum ({N}), maximum ({N})\)": _sample_in_mean,
    },
    **{
        key: {rf"its samples are ({N}) to ({N})( \S+)?, and the mean is ({N})": _samples_differ}
        for key in ("failed-run", "samples-apart")
    },
    "printed-as-zero": {r"it is printed as 0( \S+)?": _printed_as_zero},
    **{
        key: {
            rf"(it is|its largest sample is) ({N})( \S+)?, and ({N})( \S+?)?(?: for (\d+) (\w+))? is all there is": _over_limit
        }
        for key in ("over-limit", "load-over-limit")
    },
    "same-key": {
        rf"({N})( \S+)? and ({N})( \S+)? are results of one bundle, averaged as one": _same_key
    },
    "runner-warned": {r"(.+)": _warned},
    "other-soc": {r"the command names “(.+)”, and the SoC is (\S+)": _other_soc},
    "wrong-clock": {
        rf"({N})( \S+)? is for ({N})( \S+)?, and (.+) is that of other ((?:boards and )?releases)": _wrong_quotient,
        rf"({N})( \S+)?, where other ((?:boards and )?releases) have ({N})( \S+)?": _wrong_clock,
    },
    "pooled-metrics": {
        rf"its (minimum|maximum) ({N})( \S+)? is also (?:the (minimum|maximum) of (.+)|the figure of (.+))": _pooled
    },
    "two-names": {r"the same figures as “(.+)” in (?:all (\d+)|(\d+) of (\d+)) runs": _two_names},
    "coarse-steps": {
        rf"({N}(?: or {N})*)( \S+)?, which are one amount of work over whole numbers of seconds; no figure between them is possible": _coarse
    },
    "small-steps": {
        rf"one amount of work over whole units of time: neighbouring results are ({N})(?: to ({N}))? % apart, and no single run gives one between them": _small
    },
    "board-apart": {
        rf"({N})( \S+)? where the (\d+) other boards have (.+), (.+ times (?:higher|lower)) at least": _board_apart
    },
    "one-release-jump": {
        rf"({N})( \S+)?, (.+ times (?:higher|lower)) than ({N}) in (\S+), and ({N}) again in (\S+)": _jump
    },
    "rate-collapsed": {
        rf"({N})( \S+)?, where (\S+) had ({N})(?:, as little as that since (\S+))?": _collapsed,
        rf"({N})( \S+)?, where half of (\d+) other SoCs had ({N}) or more( with any engine)? in their best release": _below_other_socs,
    },
    "two-tables": {
        rf"({N})( \S+)?, where (another|the main) table of the guide has ({N})( \S+)?": _two_tables
    },
    "under-limit": {
        rf"({N})( \S+)?, where ({'|'.join(LIMITS_OF_TIMES)}) takes ({N})(?: \S+)?": _under_limit
    },
    "raw-read-slow": {rf"({N})( \S+)?, where (\S+) reads ({N})(?: \S+)?": _raw_read},
    "in-caches": {rf"({N})( \S+)?, where Memory latency, 64 KiB takes ({N})(?: \S+)?": _in_caches},
    "curve-dips": {rf"({N})( \S+)? at (.+), after ({N}) at (.+)": _dips},
    "newest-far": {rf"({N})( \S+)?, where (\d+) releases before had ({N}) to ({N})()()": _far},
    "unit-slip": {
        rf"({N})( \S+)?, where (\d+) releases before had ({N}) to ({N}): about (?:({N}) times as much|a ({N})th of it)": _far,
        rf"({N})( \S+)?, where the release before had ({N}): about (?:({N}) times as much|a ({N})th of it)": _far_of_one,
    },
    "unlike-boards": {
        rf"({N})( \S+)?, where (?:(\d+) other boards( with a CPU load like its own)? have (.+)|the other board has ({N}))": _unlike
    },
    "stale-copy": {r"(\d+) of (\d+) figures repeat those of the release before": _stale},
    "swapped-boards": {r"(\d+) rows fit what (.+) had before": _swapped},
    "lone-sample": {
        rf"a sample of ({N})( \S+)?, where the other (\d+) are ({N}) to ({N})": _lone,
        rf"a sample of ({N})( \S+)?, where the mean is ({N}) and the other end ({N})": _lone_extreme,
    },
    "off-setting": {rf"({N})( \S+)?, where its setting gives ({N})(?: \S+)?": _off_setting},
    "table-scaled": {
        rf"(\d+) of (\d+) figures are about (?:({N}) times those|a ({N})th of those) (.+)": _scaled
    },
    "rows-exchanged": {r"(.+): (\d+) figures fit those (.+) of each other": _exchanged},
    "table-copied": {r"(\d+) of (\d+) figures are those(?: of (\S+))?(?: in (.+))?": _copied},
    "repeated-upload": {
        r"counted once, as upload “(.+)” repeats “(.+)”: (\d+) of (\d+) figures that both have are the same": _repeated
    },
    "lost-table": {r"in (\S+), and none of this benchmark in (\S+)": _lost_table},
    "lost-rows": {
        r"in (\S+), and not in (\S+?)(?:, where there (?:is|are) (\d+) figures? that (\S+) did not have)?": _lost_rows
    },
}
"""Patterns for the details of each rule, with their checks."""

_COMPILED = {
    rule: [(re.compile(pattern), holds) for pattern, holds in patterns.items()]
    for rule, patterns in TRUTHS.items()
}


def check(finding: Finding, of: Bundles, checked: Checked) -> None:
    """Check what a finding says about each of its figures, and its reason."""
    for suspect in finding.suspects:
        doubt, rule = Doubt(of, finding, suspect), finding.rule.id
        where = f"{finding.guide}, {suspect.record.board}, {finding.benchmark}, {suspect.label}"
        for detail in _parts(rule, suspect.detail):
            for pattern, holds in _COMPILED[rule]:
                if match := pattern.fullmatch(detail):
                    said = [group or "" for group in match.groups()]
                    checked.note(f"{rule}: {pattern.pattern}", detail, holds(doubt, said), where)
                    break
            else:
                checked.false.append(f"{where}: nothing says when this is true: {detail}")
    checked.note("reason", finding.reason, _has_all(finding), str(finding.guide))


def _parts(rule: str, detail: str) -> list[str]:
    """Return the details of a figure, which joins those of several hits."""
    parts = detail.split("; ")
    is_each = all(any(p.fullmatch(part) for p, _ in _COMPILED[rule]) for part in parts)
    return parts if is_each else [detail]


def _has_all(finding: Finding) -> bool:
    """Return whether a reason has the details of the worst figures and counts all figures."""
    details = [*dict.fromkeys(suspect.detail for suspect in finding.suspects)]
    own, text = finding.reason, finding.reason
    for detail in details[:MAX_DETAILS]:
        if detail not in own:
            return False
        text = text.replace(f": {detail}", "", 1)
    counted = sum(int(each) for each in re.findall(r"; and (\d+) more figures?", text))
    releases = [
        "" if s.record.guide == finding.guide else f" in {s.record.guide.release}"
        for s in finding.suspects
    ]
    named = sum(
        f"{s.record.board}{release}, {s.label}" in own
        for s, release in zip(finding.suspects, releases, strict=True)
    )
    left = len(finding.suspects) - counted
    return left <= named and left >= min(len(details), MAX_DETAILS)
