"""The sentences of comparisons, each verified independently from the results in the bundles.

A comparison decides which rows it calls, which of them form one event, and how much they usually
scatter. Everything else in its sentences follows from figures, and is computed here: the changes of
rows, their number, their past and their fate. A sentence that fits no pattern is a fault too, so that
none remains unchecked.
"""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations, pairwise
from statistics import fmean, median

from msgspec import UNSET

from perfguide.bundle import Result
from perfguide.bundles.guide_key import version
from perfguide.common import units
from perfguide.common.grouping import grouped
from perfguide.compare import event_evidence, event_groups, event_titles, overview, row_texts
from perfguide.compare.comparison import Comparison
from perfguide.compare.event import Event
from perfguide.compare.headline import headline
from perfguide.compare.match import Key, Names
from perfguide.compare.row import Row
from perfguide.figures.pool import Pool, Record

FAR = math.log(1.5)
RATES = ("data rate", "packet rate")


@dataclass(frozen=True)
class Runs:
    """The results of a figure in one release: a tuple for each run, in the base unit of its
    kind."""

    runs: tuple[tuple[float, ...], ...]
    failed: int
    low: float
    high: float
    is_counted: bool
    unit: str

    @property
    def ends(self) -> list[tuple[float, float]]:
        """Return the smallest and largest sample, and the mean of each run if there are several."""
        means = [*map(fmean, self.runs)]
        return [(self.low, self.high), *[(min(means), max(means))] * (len(means) > 1)]

    @property
    def mean(self) -> float | None:
        samples = [each for run in self.runs for each in run]
        return fmean(samples) if samples else None


def runs_of(results: Iterable[Result]) -> Runs:
    """Return the results of a figure as runs."""
    runs: list[tuple[float, ...]] = []
    ends: list[float] = []
    failed, unit, is_counted = 0, "", True
    for each in results:
        unit = unit or each.unit
        scale = units.parse(each.unit).scale
        if each.status is not UNSET:
            failed += 1
        elif each.samples is not UNSET:
            runs.append(tuple(scale * sample for sample in each.samples))
        elif each.value is not UNSET:
            # A mean counts as the number of samples that it states.
            runs.append((scale * each.value,) * (1 if each.count is UNSET else each.count))
            is_counted &= each.count is not UNSET
        ends += [scale * end for end in (each.min, each.max) if end is not UNSET]
    ends += [sample for run in runs for sample in run]
    low, high = (min(ends), max(ends)) if ends else (0.0, 0.0)
    return Runs(tuple(runs), failed, low, high, is_counted, unit)


def _plain(key: Key) -> Key:
    """Return the key of a figure in lower case and without spaces and the like."""
    return tuple(
        re.sub(
            r"[ _\\-]", "", repr(sorted(map(str, part)) if isinstance(part, frozenset) else part)
        ).lower()
        for part in key
    )


TABLE_TITLE = r""",?"\('table',false,.*?\)\""""


def _run(key: Key) -> Key:
    return (*key[:3], key[4])


def _directions(key: Key) -> list[str]:
    return [str(each) for each in key[4] if "direction" in str(each)]


def _way(key: Key) -> str:
    ways = ("read", "write", "ingress", "egress")
    return next((way for way in ways if str(key[3]).strip("'").startswith(way)), "")


SWAPPED = {
    ("AM64X", "ethernet-udp", "09.02"),
    ("AM62X", "ethernet-udp", "09.02"),
    ("AM62X", "coremark-pro", "09.02"),
}
"""Tables of the public archive, found by reading it, whose labels are swapped in one release."""


NEW_COUNTS = {("AM62X", "cpsw"), ("AM64X", "cpsw"), ("AM64X", "icssg"), ("J721E", "cpsw")}
"""Drivers in the public archive, found by reading it, whose UDP rates count other bytes of a frame since some
release."""


class Figures:
    """The results of all bundles in a pool, by figure and by release."""

    def __init__(self, pool: Pool, names: Names) -> None:
        self.pool, self.names = pool, names
        self.by_key: dict[Key, dict[str, Runs]] = defaultdict(dict)
        for guide in sorted(pool.guides(), key=lambda guide: version(guide.release)):
            for record in pool.of_guide(guide):
                if (guide.soc, record.benchmark, guide.release) not in SWAPPED:
                    self.by_key[self.key(record)][guide.release] = self.of(record)

        self._join_titles()
        self.of_run = grouped(self.by_key, _run)

    def _join_titles(self) -> None:
        """Give rows of one table the same figures: titles are of one table if no release has two of
        them and they have two rows in common."""
        keys_by_title: dict[object, dict[object, list[Key]]] = defaultdict(
            lambda: defaultdict(list)
        )
        for key in self.by_key:
            title = re.search(TABLE_TITLE, str(key[4]))
            keys_by_title[key[:3]][title and title[0]].append(key)
        for tables in keys_by_title.values():
            rows = {
                title: {(key[3], re.sub(TABLE_TITLE, "", str(key[4])), key[5]): key for key in keys}
                for title, keys in tables.items()
            }
            releases = {
                title: {release for key in keys for release in self.by_key[key]}
                for title, keys in tables.items()
            }
            for one, other in combinations(tables, 2):
                shared = rows[one].keys() & rows[other].keys()
                if len(shared) >= 2 and not releases[one] & releases[other]:
                    for row in shared:
                        pair = rows[one][row], rows[other][row]
                        joined = self.by_key[pair[0]] | self.by_key[pair[1]]
                        ordered = dict(sorted(joined.items(), key=lambda each: version(each[0])))
                        self.by_key |= dict.fromkeys(pair, ordered)

    def key(self, record: Record) -> Key:
        """Return a key for a figure that is the same in all releases. A table whose title is unique
        in a guide is identified by that."""
        if "table_no" not in record.params or "table" not in record.params:
            return _plain(self.names.key(record))
        numbers = {
            each.params.get("table_no")
            for each in self.pool.of_guide(record.guide)
            if (each.board, each.benchmark) == (record.board, record.benchmark)
            and each.params.get("table") == record.params["table"]
        }
        rest = {name: value for name, value in record.params.items() if name != "table_no"}
        return _plain(self.names.key(replace(record, params=rest) if len(numbers) == 1 else record))

    def of(self, record: Record) -> Runs:
        bundles, places = self.pool.frame.bundles, self.pool.positions_of(record.cell.members)
        return runs_of(bundles[number].bundle.results[at] for number, at in places)


@dataclass(frozen=True)
class About:
    """The comparison, event or row that a sentence is about."""

    figures: Figures
    both: Comparison
    rows: tuple[Row, ...] = ()
    beside: tuple[Row, ...] = ()
    counted: tuple[Row, ...] = ()
    """The rows of an event whose moves its title states."""

    @property
    def row(self) -> Row:
        return self.rows[0]

    def each(self, rows: Iterable[Row] | None = None) -> list[About]:
        return [replace(self, rows=(row,)) for row in (self.rows if rows is None else rows)]

    @property
    def sides(self) -> tuple[Runs | None, Runs | None]:
        records = (self.row.old, self.row.new)
        old, new = (self.figures.of(record) if record else None for record in records)
        return old, new

    def _mean(self, runs: Runs | None) -> float | None:
        return None if runs is None or runs.mean is None else runs.mean / self.scale

    @property
    def scale(self) -> float:
        return units.parse(self.row.unit).scale

    @property
    def ends(self) -> tuple[float, float]:
        """Return the figures of both releases, in the unit of the row."""
        old, new = map(self._mean, self.sides)
        assert old is not None and new is not None
        if self.row.ground.startswith("the best runs are compared"):
            old, new = (side.high / self.scale for side in self.sides)
        return old, new

    @property
    def clock(self) -> About:
        """The changed clock of the row's board. If OLD did not measure it, the event of its change has it."""
        rows = (*self.both.rows, *(row for event in self.both.events for row in event.rows))
        clocks = self.each(row for row in rows if row.is_clock)
        return next(clock for clock in clocks if clock.row.board == self.row.board)

    @cached_property
    def at_clock(self) -> dict[str, float]:
        """Return the factors, by release, that convert figures to the clock of NEW, if the row is judged so."""
        if not self.row.past:
            return {}
        clock = self.clock
        way = -1 if self.row.better == "lower" else 1
        factors = {name: (clock.ends[1] / mhz) ** way for name, mhz in clock.series()}
        # A release that did not record its clock had that of the release before.
        old = self.row.old.guide.release
        before = [name for name in factors if version(name) <= version(old)]
        factors.setdefault(old, factors[max(before, key=version)])
        return factors

    @property
    def judged_ends(self) -> tuple[float, float]:
        """Return the figures of both releases as they are compared: at the clock of NEW, if the row is judged
        so."""
        old, new = self.ends
        return (old * self.at_clock[self.row.old.guide.release] if self.row.past else old), new

    @property
    def is_rated(self) -> bool:
        return self.row.better != "neither" and None not in map(self._mean, self.sides)

    @cached_property
    def worse(self) -> float:
        """Return the natural logarithm of the factor by which the row got worse; for a load,
        relative to the work done with it, and at equal clock for a row that is judged so."""
        old, new = self.judged_ends
        sign = 1 if self.row.better == "lower" else -1
        if self.row.work is not None and min(old, new) > 0:
            return math.log(self.per_work)
        if min(old, new) <= 0:
            return 0.0 if old == new else sign * math.copysign(math.inf, new - old)
        return sign * math.log(new / old)

    @property
    def rate(self) -> About:
        """Return the rate that was reached with a load: the one in bytes, if there is one."""
        way = self.row.metric.removesuffix("cpu_load")
        rates = [
            row
            for row in self.both.rows
            if row.observation == self.row.observation
            and row.better == "higher"
            and units.parse(row.unit).kind in RATES
            and row.metric.startswith(way)
        ]
        rates.sort(key=lambda row: RATES.index(units.parse(row.unit).kind))
        return next(
            each
            for each in self.each(rates)
            if each.is_rated and min(each.ends) > 0
            if not each.counts_otherwise(*releases_of(each.row))
        )

    @property
    def per_work(self) -> float:
        (load, now), (rate, rate_now) = self.ends, self.rate.ends
        return now / load * rate / rate_now

    def series(self, all_of: bool = False) -> list[tuple[str, float]]:
        """Return the figures of all releases in order. A rate of 0 is a failed run, and a time of 0 measured
        nothing; both are left out unless ``all_of``."""
        assert self.row.new
        own = self.figures.by_key[self.figures.key(self.row.new)]
        kind = units.parse(self.row.unit).kind
        has_no_zero = self.ends[0] and (
            (kind in RATES and self.row.better == "higher")
            or (kind == "time" and self.row.better == "lower")
        )
        now = self.row.new.guide.release
        others = [version(each) for each in own if self.counts_otherwise(each, now)]
        return [
            (release, runs.mean / self.scale)
            for release, runs in own.items()
            if runs.mean or (runs.mean == 0 and (all_of or not has_no_zero))
            # Without those beyond a release that counts otherwise.
            if not any(
                min(version(release), version(now)) <= each <= max(version(release), version(now))
                for each in others
            )
        ]

    def counts_otherwise(self, *releases: str) -> bool:
        """Return whether a rate counts other bytes of a frame in two releases, even if the thousands of
        packets were cut or rounded."""
        if (self.row.benchmark, self.row.unit) != ("ethernet-udp", "Mbit/s"):
            return False
        if (self.row.guide.soc, self.row.params.get("driver")) not in NEW_COUNTS:
            return False
        # One figure of this run is unlike those of other sizes.
        run = (self.row.guide.soc, *map(self.row.params.get, ("direction", "driver", "frame_size")))
        if run == ("AM64X", "egress", "cpsw", 256):
            return False
        ends = []
        for release in releases:
            rate, packets = self.rate_and_packets(release)
            if not rate or not packets:
                return False
            ends.append((rate / (packets + 1000), rate / max(packets - 1000, 1e-9)))
        return max(ends[0][0] - ends[1][1], ends[1][0] - ends[0][1]) >= 8

    def rate_and_packets(self, release: str) -> tuple[float, float]:
        """Return bytes and packets per second of a run in one release, 0 if they are unknown."""
        assert self.row.new
        packets = replace(self.row.new, metric="packet_rate", unit="kPPS")
        runs = (
            self.figures.by_key[self.figures.key(each)].get(release)
            for each in (self.row.new, packets)
        )
        rate, count = ((own and own.mean) or 0.0 for own in runs)
        return rate, count

    @staticmethod
    def _failing(lines: Iterable[dict[str, Runs]], release: str) -> list[tuple[bool, bool]]:
        """Return for each rate whether a sample, and whether all samples, of a release failed."""
        return [
            (runs.low <= least, runs.high <= least)
            for line in lines
            if (runs := line.get(release)) and runs.runs
            for most in [max(each.high for each in line.values() if each.runs)]
            for least in [most / 100 if runs.unit != "kPPS" or most > 5000 else -1.0]
            if units.parse(runs.unit).kind in RATES
        ]

    def shows_nothing(self, release: str) -> bool:
        """Return whether a release after NEW says nothing on the fate of the row: a time of 0, or a run that failed,
        unless all of it failed then as it did with NEW. The same holds of a failure if another run of its test
        failed."""
        assert self.row.new
        own = self.figures.key(self.row.new)
        if self.row.better == "lower" and units.parse(self.row.unit).kind == "time":
            return self.figures.by_key[own][release].mean == 0
        sisters = self.figures.of_run[_run(own)] if self.row.params else [own]
        lines = [self.figures.by_key[key] for key in sisters if _way(key) == _way(own)]
        then, now = (self._failing(lines, name) for name in (release, self.row.new.guide.release))
        fails_now, fails_then = (any(each for _, each in own) for own in (now, then))
        if self.row.new.cell.mean == 0 and not fails_then:
            return any(each for each, _ in self._failing(self._of_test(own), release))
        return any(each for each, _ in then) and not (fails_now and fails_then)

    def _of_test(self, own: Key) -> list[dict[str, Runs]]:
        """Return the lines of all runs of a test that NEW measured, whichever their sizes."""
        now = self.row.guide.release
        return [
            line
            for key, line in self.figures.by_key.items()
            if (*key[:3], _way(key), *_directions(key)) == (*own[:3], _way(own), *_directions(own))
            if now in line
        ]

    @property
    def moved(self) -> float:
        old, new = self.judged_ends
        return math.log(self.per_work) if self.row.work is not None else new - old

    @property
    def is_unmoved(self) -> bool:
        return math.isclose(*self.judged_ends, rel_tol=1e-9)

    @property
    def compared(self) -> float:
        """Return the figure of NEW; for a load, as it would be at the older rate."""
        return self.ends[1] * self.at_work

    @property
    def at_work(self) -> float:
        """Return the factor that converts a load to the older rate."""
        if self.row.work is None:
            return 1.0
        rate, now = self.rate.ends
        return rate / now

    def before(self, number: int) -> list[float]:
        """Return the last ``number`` figures up to OLD."""
        assert self.row.old
        last = version(self.row.old.guide.release)
        # A row may have been matched with one of another name.
        past = [(release, own) for release, own in self.series() if version(release) < last]
        past.append((self.row.old.guide.release, self.ends[0]))
        if self.row.work is not None:
            rates = dict(self.rate.series())
            now = self.rate.ends[0]
            past = [(r, own * now / rates[r]) for r, own in past if own and rates.get(r)]
        if self.row.past:
            past = [(r, own * self.at_clock[r]) for r, own in past if r in self.at_clock]
        return [own for _, own in past][-number:]


# ---------------------------------------------------------------- texts of figures

N = r"[+−-]?[\d,]*\.?\d+(?:e[+-]\d+)?"
CHANGE = rf"(?:[×÷]{N}(?: and more)?|(?:over )?{N} %)"


def number(text: str) -> float:
    """Return the number in a text such as ``×1.5`` or ``over 1,000 %``."""
    return float(re.sub(r"[,+×÷ %]|over|and more", "", text).replace("−", "-"))


def rounds(text: str, value: float, digits: int = 4) -> bool:
    """Return whether a text is a figure rounded to ``digits`` digits, keeping all those before the
    point."""
    exponent = min(math.floor(math.log10(abs(value))) - digits + 1, 0) if value else 0
    return abs(number(text) - value) <= 0.5001 * 10.0**exponent + 1e-9 * abs(value)


def is_change(text: str, ratio: float) -> bool:
    """Return whether a text is a ratio, in per cent or as a factor."""
    if text[0] not in "×÷":
        return "over" in text or abs(number(text) - 100 * (ratio - 1)) <= 0.0501
    if ratio <= 0 or (ratio > 1) != (text[0] == "×"):
        return False
    size = max(ratio, 1 / ratio)
    return size >= 1e6 if "more" in text else rounds(text, size, 3 if size < 10 else 2)


Holds = Callable[[About, Sequence[str]], bool]
Templates = list[tuple[re.Pattern[str], Holds]]


def templates(patterns: dict[str, Holds]) -> Templates:
    """Compile patterns in which ``#`` is a number, ``~`` a change and ``_`` a name."""
    marks = {"#": f"({N})", "~": f"({CHANGE})", "_": "(.+?)"}
    return [
        (re.compile(re.sub("[#~_]", lambda mark: marks[mark[0]], text), re.IGNORECASE), holds)
        for text, holds in patterns.items()
    ]


@dataclass
class Checked:
    """The number of occurrences of each sentence, and those that are false or fit no pattern."""

    met: Counter[str]
    false: list[str]

    def check(self, text: str, templates: Templates, about: About, where: str = "") -> None:
        """Check a sentence with the first pattern that it fits."""
        for pattern, holds in templates:
            if match := pattern.fullmatch(text):
                is_true = holds(about, [group or "" for group in match.groups()])
                self.note(pattern.pattern, text, is_true, where)
                return
        self.false.append(f"{where}: nothing says when this is true: {text}")

    def note(self, kind: str, text: str, is_true: bool, where: str) -> None:
        self.met[kind] += 1
        if not is_true:
            self.false.append(f"{where}: {text}")


# ---------------------------------------------------------------- grounds of rows


def _is_of_kind(text: str, runs: Runs | None, scale: float) -> bool:
    if runs is None:
        return False
    if text.startswith("one"):
        several = runs.low < runs.high
        kind = (
            "one run"
            if not several
            else "one run of several samples"
            if runs.is_counted
            else "one mean of samples"
        )
        # Uploads that repeat another one are no runs.
        return text == kind and (len(runs.runs) == 1 or len({*map(fmean, runs.runs)}) == 1)
    means = sorted(fmean(run) / scale for run in runs.runs)
    said = text[text.index("(") + 1 : -1].split(", ")
    return len(said) == int(text.split()[0]) and all(
        any(rounds(each, m) for m in means) for each in said
    )


def _counts(about: About, said: Sequence[str]) -> bool:
    old, new = about.sides
    return bool(old and new) and [len(old.runs), len(new.runs)] == [int(each) for each in said[:2]]


def _beyond_last(about: About, said: Sequence[str]) -> bool:
    row = replace(about.row, work=None)
    before = replace(about, rows=(row,)).before(int(said[0]))
    new = about.sides[1]
    if new is None or len(before) != int(said[0]):
        return False
    low, high = new.low / about.scale, new.high / about.scale
    return max(before) < low if row.better == "lower" else min(before) > high


def _beyond_mean(about: About, _: Sequence[str]) -> bool:
    old, new = about.sides
    assert old and new and old.mean is not None
    return new.low > old.mean if about.row.better == "lower" else new.high < old.mean


def _lay(about: About, said: Sequence[str]) -> bool:
    """Return whether some earlier releases have these ends: usually the last ones, as others had
    other conditions."""
    printed, past = re.findall(N, said[1]), about.before(99)

    def fits(low: float, high: float) -> bool:
        if not low and ("%" in said[1] or "×" in said[1]):
            return False
        if "%" in said[1]:
            size = 100 * (high / low - 1) or 1e-9
            return abs(number(printed[0]) - size) <= 0.0501 * 10.0 ** (
                math.floor(math.log10(size)) + 1
            )
        if "×" in said[1]:
            return rounds(printed[0], high / low, 3)
        return rounds(printed[0], low) and rounds(printed[-1], high)

    last = past[-int(said[0]) :]
    return len(last) == int(said[0]) and (
        fits(min(last), max(last))
        or (len(last) < len(past) and any(fits(*sorted(pair)) for pair in combinations(past, 2)))
    )


def _has_past(about: About, said: Sequence[str]) -> bool:
    return len(about.before(int(said[0]))) == int(said[0])


def _of_last(about: About, said: Sequence[str], holds: Callable[[float, float], bool]) -> bool:
    """Return whether something holds of the ends of the last figures, unless others than the last
    releases have been counted, as these had other conditions."""
    past = about.before(99)
    last = past[-int(said[1]) :]
    return holds(min(last, key=abs), max(last, key=abs)) or len(past) > int(said[0])


def _failed(is_new: bool) -> Holds:
    def holds(about: About, said: Sequence[str]) -> bool:
        side = about.sides[is_new]
        assert side
        if len(said) == 2:
            return [side.failed, side.failed + len(side.runs)] == [int(each) for each in said]
        return side.mean is None and side.failed == int(said[0] if said else 1)

    return holds


def _other_boards(about: About, said: Sequence[str]) -> bool:
    """Check the figures of other boards for any row of the run. Only a load may quote those of its rate,
    and a rate those of its load."""
    unit = units.parse(about.row.unit)
    is_own = unit.kind == "share" or said[1].endswith((f" {unit.symbol}", " %"))
    texts = re.findall(rf"(?<!\S){N}(?!\S)", said[1])
    of_figures: dict[tuple[object, ...], dict[str, float]] = {}
    # A board that only NEW has is no row.
    for record in about.figures.pool.of_guide(about.row.guide):
        mean = about.figures.of(record).mean
        if record.benchmark == about.row.benchmark and mean is not None:
            key = record.metric, *sorted(record.params.items())
            of_figures.setdefault(key, {})[record.board] = mean / units.parse(record.unit).scale
    new = about.row.new
    assert new
    beside = [
        sorted(mean for board, mean in means.items() if board != new.board)
        for means in of_figures.values()
        if new.board in means
    ]
    is_own &= (" to " in said[1]) == (int(said[0]) > 2) or len(texts) == 1
    return is_own and any(
        len(means) == int(said[0]) and rounds(texts[0], means[0]) and rounds(texts[-1], means[-1])
        for means in beside
    )


def _run_of(about: About) -> list[About]:
    """Return the figures of the run of a row, as the load of a rate shares its doubt."""
    return [
        each
        for each in about.each(about.both.rows)
        if each.row.observation == about.row.observation and each.row.new and each.row.old
    ]


def _unlike_past(about: About, said: Sequence[str]) -> bool:
    printed = re.findall(rf"(?<!\S){N}(?!\S)", said[1])
    for each in _run_of(about):
        *past, old = each.before(99)
        near = past[-int(said[0]) :]
        others = near if len(past) == len(near) else past
        ends = (
            (
                any(rounds(printed[at], own) for own in others)
                if near is not others
                else rounds(printed[at], own)
                for at, own in ((0, min(near)), (-1, max(near)))
            )
            if near
            else [False]
        )
        if all(ends) and max(old / max(near), min(near) / old) >= 1.5:
            return True
    return False


def _unlike_neighbours(about: About, said: Sequence[str]) -> bool:
    """Check the older figures of both neighbours, and that the row's own is beyond both or far from their
    middle."""
    name = said[0].replace(" ", "_")
    printed = re.findall(rf"(?<!\S){N}(?!\S)", said[1])
    for each in _run_of(about):
        curve = {
            other.row.params[name]: other.ends[0]
            for other in each.each(about.both.rows)
            if (other.row.board, other.row.benchmark, other.row.metric)
            == (each.row.board, each.row.benchmark, each.row.metric)
            and other.row.old
            and other.row.new
            and {**other.row.params, name: 0} == {**each.row.params, name: 0}
        }
        sizes = sorted(curve)
        at = sizes.index(each.row.params[name])
        if 0 < at < len(sizes) - 1:
            smaller, larger = curve[sizes[at - 1]], curve[sizes[at + 1]]
            ends = sorted((smaller, larger))
            if rounds(printed[0], smaller) and rounds(printed[1], larger):
                return not ends[0] * 1.01 < each.ends[0] < ends[1] / 1.01 or ends[1] > 2 * ends[0]
    return False


def _overlap(about: About, said: Sequence[str]) -> bool:
    old, new = about.sides
    assert old and new
    printed = [re.findall(N, text) for text in (said[2], said[1])]
    spreads = []
    at_clock = about.at_clock.get(about.row.old.guide.release, 1.0)
    for text, side, by in zip(printed, (old, new), (at_clock, about.at_work), strict=True):
        ends = [(by * low / about.scale, by * high / about.scale) for low, high in side.ends]
        spreads += [
            each for each in ends if rounds(text[0], each[0], 6) and rounds(text[-1], each[1], 6)
        ][:1]
    gap = max(low for low, _ in spreads) - min(high for _, high in spreads)
    if len(spreads) < 2 or said[0] == "overlap":
        return len(spreads) == 2 and gap <= 0
    return 0 < gap <= 1.01 / 20 * max(high - low for low, high in spreads)


def _runs_disagree(about: About, _: Sequence[str]) -> bool:
    old, new = (sorted(map(fmean, side.runs)) for side in about.sides if side)
    gap = max(new[0] - old[-1], old[0] - new[-1])
    return gap < max(old[-1] - old[0], new[-1] - new[0])


def _same_way(about: About, said: Sequence[str]) -> bool:
    names = (about.row.benchmark, about.row.metric, about.row.params)
    same = [
        each
        for each in about.each(about.both.rows)
        if (each.row.benchmark, each.row.metric, each.row.params) == names and each.is_rated
    ]
    return sum(each.worse * about.worse > 0 for each in same) >= int(said[0]) > 1


def _loads(about: About, said: Sequence[str]) -> bool:
    rate = about.rate
    rates = [own for _, own in rate.series()]
    return rounds(said[0], rate.ends[0]) and any(
        abs(own / rate.ends[0] - 1) > 4e-4 for own in rates
    )


def _at_equal_clock(about: About, said: Sequence[str]) -> bool:
    """Check that the row is a result of a processor, and moved otherwise than its clock by more than a third."""
    old, new = about.ends
    clock = about.clock
    wanted = math.log(clock.ends[1] / clock.ends[0])
    raw = math.log(new / old) * (-1 if about.row.better == "lower" else 1)
    described = about.figures.names.catalog.get(about.row.benchmark)
    return (
        is_change(said[0], new / about.judged_ends[0])
        and rounds(said[1], clock.ends[1])
        and abs(raw - wanted) > abs(wanted) / 3 - 1e-9
        and described is not None
        and "processor" in described.entry.subsystems
        and about.row.unit not in ("MB/s", "ns", "%")
    )


def _wrong_labels(about: About, said: Sequence[str]) -> bool:
    """Return whether more than half of the table is farther from the median of all earlier figures in the
    named release than in the other. If that is unknown, neither release may be named."""
    far: Counter[str] = Counter()
    for each in _table(about):
        assert each.row.old and each.row.new
        releases = [record.guide.release for record in (each.row.old, each.row.new)]
        past = [own for release, own in each.series() if version(release) < version(releases[0])]
        if past and min(*past, *each.ends) > 0 and each.ends[0] != each.ends[1]:
            away = [
                abs(math.log(end / math.exp(fmean(map(math.log, middle(past))))))
                for end in each.ends
            ]
            far[releases[away[1] >= away[0]]] += 1
    if said[0] == "one of the two releases":
        return all(2 * number <= far.total() for number in far.values())
    return len(_table(about)) > 1 and 2 * far[said[0]] > far.total()


def releases_of(row: Row) -> tuple[str, str]:
    assert row.old and row.new
    return row.old.guide.release, row.new.guide.release


def _other_bytes(about: About, said: Sequence[str]) -> bool:
    """Check the bytes of a frame of the named size, and that the row stepped by as many."""
    step = number(said[1]) - number(said[0])
    is_example = False
    for each in _table(about):
        rates = [each.rate_and_packets(release) for release in releases_of(each.row)]
        old, new = (rate / packets for rate, packets in rates)
        error = sum(rate / packets * 1000 / packets for rate, packets in rates)
        if abs(new - old - step) > error + 1 or not each.counts_otherwise(*releases_of(each.row)):
            return False
        is_example |= each.row.params["frame_size"] == number(said[2]) and (
            abs(old - number(said[0])) < 1 and abs(new - number(said[1])) < 1
        )
    return is_example or len({row.board for row in about.both.rows}) > 1


def middle(values: Sequence[float]) -> Sequence[float]:
    """Return the value in the middle, or both if their number is even."""
    ordered = sorted(values)
    return ordered[(len(ordered) - 1) // 2 : len(ordered) // 2 + 1]


def _other_digits(about: About, said: Sequence[str]) -> bool:
    """Check that the digits of the table moved less far than its figures."""
    digits, moves = [], []
    for each in _table(about):
        old, new = each.sides
        assert old and new and old.mean and new.mean
        moves.append(math.log(new.mean / old.mean))
        scales = [units.parse(side.unit).scale for side in (old, new)]
        digits.append(moves[-1] + math.log(scales[0] / scales[1]))
    by = median(digits)
    same = (
        is_change(said[1], math.exp(by))
        if said[1]
        else abs(by) < (1e-6 if said[0] == "are the same" else 0.0006)
    )
    return same and is_change(said[2], math.exp(median(moves)))


def _of_two(about: About, said: Sequence[str]) -> bool:
    states = [[number(end) for end in re.findall(N, text)] for text in said[:2]]
    low, high = ((min(own) * 0.9995, max(own) * 1.0005) for own in states)
    # The figures themselves, also those of loads that are judged per unit of work.
    row = replace(about.row, work=None, past=())
    values = [*replace(about, rows=(row,)).before(99), about.ends[1]]
    is_low = [low[0] <= own <= low[1] for own in values]
    return (
        low[1] < high[0]
        and all(one or high[0] <= own <= high[1] for one, own in zip(is_low, values, strict=True))
        and sum(a != b for a, b in pairwise(is_low)) >= 2
    )


def _of_changed_state(about: About, said: Sequence[str]) -> bool:
    (high, when_high), (low, when_low) = (said[0], said[1]), (said[2], said[3])
    assert about.row.new
    ends = [[number(end) for end in re.findall(N, text)] for text in (high, low)]
    now = about.row.new.guide.release
    line = [each for each in about.row.line if version(each[0]) < version(now)]
    for release, value in [*line, (now, about.ends[1])]:
        is_high = [
            any(
                version(span[0]) <= version(release) <= version(span[-1])
                for each in re.split(", | and ", when)
                for span in [re.sub("^(in|from) ", "", each).split(" to ")]
            )
            for when in (when_high, when_low)
        ]
        own = ends[not is_high[0]]
        if sum(is_high) != 1 or not min(own) * 0.9995 <= value <= max(own) * 1.0005:
            return False
    return min(ends[0]) > max(ends[1])


def _of_other_work(about: About, said: Sequence[str]) -> bool:
    return 0 in about.ends and (about.ends[1] > about.ends[0]) == (said[0] == "rose")


def _since(about: About, said: Sequence[str]) -> bool:
    assert about.row.old and about.row.new
    old, since, new = (
        version(release)
        for release in (about.row.old.guide.release, said[0], about.row.new.guide.release)
    )
    return old < since <= new


def _is_beyond(about: About, said: Sequence[str]) -> bool:
    value, unit, release, limit, its_unit = said
    highs = [
        high
        for record, side, mean in zip(
            (about.row.old, about.row.new), about.sides, about.ends, strict=True
        )
        if record and record.guide.release == release
        for high in (abs(mean), *([side.high / about.scale] if side else []))
    ]
    return (
        rounds(value, max(highs))
        and max(highs) > number(limit)
        and unit == its_unit == units.parse(about.row.unit).symbol
    )


def _is_below(about: About, said: Sequence[str]) -> bool:
    """Check that one of two times is shorter than an addition of integers of its run, or than a part of a
    multiplication of its kind."""
    value, _, release, *times, of, _ = said
    name = about.row.metric.replace("-add", "-mul") if times else "lat_ops-int-add"
    (other,) = (
        each
        for each in about.each(about.both.rows)
        if (each.row.board, each.row.metric) == (about.row.board, name)
    )
    share = number(times[0]) if times else 1.0
    is_small = [own < share * its for own, its in zip(about.ends, other.ends, strict=True)]
    at = is_small.index(True)
    record = (about.row.old, about.row.new)[at]
    return (
        is_small[0] != is_small[1]
        and rounds(value, about.ends[at])
        and rounds(of, other.ends[at])
        and record is not None
        and record.guide.release == release
    )


def _one_step(about: About, said: Sequence[str]) -> bool:
    old, new = about.ends
    if about.row.work is not None or about.row.past:
        return True
    printed = (
        *about.before(99),
        *(own / about.scale for side in about.sides if side for own in side.runs[0]),
    )
    digits = [len(f"{own:.12g}".partition(".")[2]) for own in printed]
    return abs(new - old) <= 1.01 * max(about.row.step, 10.0 ** -min(digits))


def _was_and_is(about: About, said: Sequence[str]) -> bool:
    return all(
        side is not None and text in (units.parse(side.unit).symbol or "not stated")
        for side, text in zip(about.sides, said, strict=True)
    )


def _yes(about: About, said: Sequence[str]) -> bool:
    """Accept a judgement, or words written by people, which no figure can prove."""
    return True


KIND = r"(one run|one mean of samples|one run of several samples|\d+ runs \([^()]+\))"


def _table(about: About) -> list[About]:
    """Return the rows that have the same grounds as this one."""
    key = (about.row.board, about.row.benchmark, about.row.ground)
    return [
        each
        for each in about.each(about.both.rows)
        if (each.row.board, each.row.benchmark, each.row.ground) == key
    ]


SIDES = rf"(?:{KIND} each|{KIND} before, {KIND} now)"


def _of_sides(then: Holds = _yes) -> Holds:
    def holds(about: About, said: Sequence[str]) -> bool:
        texts = (said[0] or said[1], said[0] or said[2])
        kinds = all(
            _is_of_kind(text.lower(), side, each.scale / by)
            for each in about.each()
            if each.row.verdict != "failed-after"
            for text, side, by in zip(texts, each.sides, (1.0, each.at_work), strict=True)
        )
        return kinds and then(about, said[3:])

    return holds


NO_PAST = _yes
"""The judgement that earlier releases had the same conditions, which is taken as true."""

ONE_EACH = "(one run or mean of samples|one or several runs) each"


def _last_measured(about: About, said: Sequence[str]) -> bool:
    """Check that no release between this one and NEW measured a row."""
    assert about.row.old and about.row.new
    own = about.figures.by_key[about.figures.key(about.row.new)]
    now = version(about.row.new.guide.release)
    earlier = [each for each, runs in own.items() if version(each) < now and runs.mean is not None]
    return max(earlier, key=version) == said[0] == about.row.old.guide.release


def _one_each(about: About, said: Sequence[str]) -> bool:
    sides = [
        side for each in about.each() if each.row.verdict != "failed-after" for side in each.sides
    ]
    runs = {len({*map(fmean, side.runs)}) if side else 0 for side in sides}
    return max(runs) == 1 if "or mean" in said[0] else max(runs) > 1


GROUNDS = templates(
    {
        "the older release did not measure it": lambda about, _: about.row.old is None,
        "last measured with (.+)": _last_measured,
        rf"the best runs are compared, as others failed: (?:({N}) to )?({N}) \S+ with (.+)": lambda about, said: (
            about.row.old.guide.release == said[2]
            and rounds(said[1], about.ends[0])
            and (not said[0] or rounds(said[0], about.sides[0].low / about.scale))
            and _fails_in(about, False)
        ),
        "it was measured before and is not now": lambda about, _: about.row.new is None,
        "the figures are equal": lambda about, _: rounds(f"{about.ends[0]:.12g}", about.ends[1], 9),
        "the clock is the same": lambda about, _: abs(about.ends[1] / about.ends[0] - 1) <= 0.01,
        "the clock was set to another frequency": lambda about, _: (
            abs(about.ends[1] / about.ends[0] - 1) > 0.01
        ),
        SIDES: _of_sides(),
        rf"{SIDES}, and no earlier release to compare with": _of_sides(NO_PAST),
        rf"{SIDES}, and no earlier release or second run .+": _of_sides(NO_PAST),
        rf"{SIDES},? and # earlier, which is too little .+": _of_sides(
            lambda about, said: len(about.before(99)) > int(said[0])
        ),
        "# runs against #": _counts,
        "# runs against #, and no earlier release to compare with": lambda about, said: (
            _counts(about, said) and NO_PAST(about, said)
        ),
        ONE_EACH: _one_each,
        "its scatter is that of (public history|other rows)": _yes,
        "# earlier releases were all equal": lambda about, said: (
            Counter(f"{own:.6g}" for own in about.before(99)).most_common(1)[0][1] >= int(said[0])
        ),
        "# earlier releases (differed by up to .+|lay between .+)": _lay,
        "within the range of # earlier releases": lambda about, said: (
            _has_past(about, said)
            and min(past := about.before(99)) <= about.compared * (1 + 1e-9)
            and about.compared <= max(past) * (1 + 1e-9)
        ),
        "# earlier releases, of which the last # agree": lambda about, said: (
            _has_past(about, said)
            and 1 < int(said[1]) < int(said[0])
            and _of_last(about, said, lambda low, high: abs(high - low) <= 0.1001 * abs(low))
        ),
        "# earlier releases, of which the last # lay between # and #": lambda about, said: (
            _has_past(about, said)
            and _of_last(about, said, lambda low, high: abs(high - low) > 0.0999 * abs(low))
            and _of_last(
                about, said, lambda *ends: all(map(rounds, said[2:], sorted(map(abs, ends))))
            )
        ),
        "# earlier releases, of which the last is unlike the others": lambda about, said: (
            _has_past(about, said) and (past := about.before(int(said[0])))[-1] not in past[:-1]
        ),
        "# earlier releases, of which the last 2 differ": lambda about, said: (
            _has_past(about, said) and (past := about.before(2))[0] != past[1]
        ),
        "the change is no more than one step .+": _one_step,
        "the ranges of their samples (overlap|nearly meet): (.+) against (.+) before": _overlap,
        "runs of one release differ by more than the releases do": _runs_disagree,
        "it moved alike on # boards, which were judged as one": _same_way,
        "~ per (.+)": lambda about, said: (
            is_change(said[0], about.per_work)
            and said[1] == units.parse(about.rate.row.unit).symbol
        ),
        "the rate went from # to # (.+)": lambda about, said: (
            [*map(rounds, said[:2], about.rate.ends)] == [True, True]
            and said[2] == units.parse(about.rate.row.unit).symbol
        ),
        "loads scaled to # (.+)": _loads,
        r"~ at equal clock: earlier figures are scaled to # MHz": _at_equal_clock,
        r"earlier figures are scaled to # MHz": lambda about, said: (
            bool(about.row.past) and rounds(said[0], about.clock.ends[1])
        ),
        "it differs, but by less than matters": lambda about, _: (
            not about.is_unmoved or about.row.work is not None
        ),
        "the unit was (.+) and is (.+), and the figures are converted": _was_and_is,
        "perhaps a unit is misnamed: the numbers (are the same|hardly moved|moved by ~), but differ if converted, by ~": _other_digits,
        "perhaps a unit is misnamed: all rows moved by the ratio of MB and MiB": lambda about, _: (
            all(
                abs(abs(math.log(each.ends[1] / each.ends[0])) - 2 * math.log(1.024)) < 0.004
                for each in _table(about)
            )
        ),
        "it alternates between two states, (.+) and (.+)": _of_two,
        "it changed state: high .([^)]+). (.+), low .([^)]+). (.+)": _of_changed_state,
        "the rate of its run (rose|fell), too, from # to # .+": _of_other_work,
        "a new level since (.+): .+": _since,
        "accepted until .+": lambda about, _: not about.is_rated or about.worse > 0,
        "a figure is impossible: # (.+) in (.+), more than # (.+)": _is_beyond,
        "a figure is impossible: # (.+) in (.+), shorter than “Integer, add” .# (.+).": _is_below,
        "a figure is impossible: # (.+) in (.+), shorter than # times “mul” .# (.+).": _is_below,
        "a result of # .+ means that the (new|old) run failed": lambda about, said: (
            about.ends[said[1].lower() == "new"] == 0 < about.ends[said[1].lower() != "new"]
        ),
        "some (new|old) runs failed": lambda about, said: any(
            side is not None and side.low <= side.high / 100 and side.low < side.high
            for each in about.each(about.both.rows)
            if each.row.observation == about.row.observation
            for side in each.sides[said[0] == "new" :][:1]
        ),
        "its samples are # to # (.+)": lambda about, said: any(
            side is not None
            and rounds(said[0], side.low / each.scale)
            and rounds(said[1], side.high / each.scale)
            for each in about.each(about.both.rows)
            if each.row.observation == about.row.observation
            for side in each.sides
        ),
        "# .+ is no time: the (new|old) run measured nothing": lambda about, said: (
            about.row.better == "lower"
            and units.parse(about.row.unit).kind == "time"
            and about.ends[said[1].lower() == "new"] == 0 < about.ends[said[1].lower() != "new"]
        ),
        "the (new|old) run failed": lambda about, said: (
            _failed(said[0].lower() == "new")(about, [])
            or any(
                not (side := each.sides[said[0].lower() == "new"])
                or side.low <= 0
                or side.low < side.high
                for each in about.each(about.both.rows)
                if each.row.observation == about.row.observation
            )
        ),
        "the # other boards have (.+), so it may be a bad measurement": _other_boards,
        "the older figure may be a bad measurement: the last # before it were (.+)": _unlike_past,
        "the older figure may be a bad measurement: those at the next smaller and larger (.+) were (.+)": _unlike_neighbours,
        "all # new runs failed": _failed(True),
        "all # old runs failed": _failed(False),
        "# of # new runs failed": _failed(True),
        "# of # old runs failed": _failed(False),
        "it failed before and fails now": lambda about, _: all(
            side is not None and not side.mean for side in about.sides
        ),
        "runs drift, each is like the one before it": _yes,
        "measure old and new in turns": _yes,
        "the engine seems to have changed: (.+) before, (.+) now .inferred.": lambda about, said: (
            said[0] != said[1] and "engine" in about.row.params
        ),
        "the figures are those of (.+), alone or with more samples": lambda about, said: (
            any(rounds(f"{own:.9g}", about.ends[1], 9) for own in about.ends[:1])
            or (
                about.sides[0] is not None
                and about.sides[1] is not None
                and about.sides[1].low
                <= about.sides[0].low
                <= about.sides[0].high
                <= about.sides[1].high
            )
        ),
        "the rate counts other bytes of a packet: # → # bytes with a frame size of #": _other_bytes,
        "labels are wrong in (.+?): .+": _wrong_labels,
        "half of such rows scatter within .+": _yes,
        "usually (?:±|up to )#?(.+)": _yes,
        "all new ones are worse than the mean before": _beyond_mean,
        "worse than each of the last # releases": _beyond_last,
        "only a (rise|fall) (?:of # %|by a factor of #) or more would have shown": lambda about, said: (
            number(said[1] or said[2]) > 0
            and ((said[0] == "fall") == (about.moved < 0) or about.is_unmoved)
        ),
        "# more runs? of each side could settle it": lambda about, said: number(said[0]) >= 1,
        # Words of bundles and people, and settings that differ.
        "note: .+": _yes,
        "the (clock|memory|governor|command|version of .+) (was|differs) .+": _yes,
        "the unit was (.+) and is (.+)": _was_and_is,
        ".+ was .+ and is .+": _yes,
        ".+ (is stated now|was stated before) alone": _yes,
        "(board|metric|.+) “.+” is now “.+”": _yes,
        "published as (.+) until (.+)": lambda about, said: bool(
            about.row.new
            and version(said[1]) < version(about.row.new.guide.release)
            and any(
                re.findall("“(.+?)”", said[0])[0] in (each.metric, *each.params.values())
                for guide in about.figures.pool.guides()
                if guide.release == said[1]
                for each in about.figures.pool.of_guide(guide)
                if (each.benchmark, each.guide.soc) == (about.row.benchmark, guide.soc)
            )
        ),
    }
)


# ---------------------------------------------------------------- events


WORK = r"(?: per .+?| for the work done| at equal clock| in the best run)?"
ZERO = rf"(?:to 0|from 0|below 1 % before, (?:up to )?{N} % now|(?:up to )?{N} % before, below 1 % now)"
SIZE = re.compile(
    rf"(?:(?:({N})(?: to ({N}))? %|({N}(?: and more)?)(?: to ({N}(?: and more)?))? times) "
    rf"(worse|better|longer|shorter){WORK}|(worse|better|longer|shorter){WORK}(?=: ))"
    rf"(?:, ({N}(?: and more)?)(?: to ({N}(?: and more)?))? (%|times) at equal clock)?"
    rf"((?:(?:, or |: | or |, in [\d,]+ rows? )(?:{ZERO}|fails now))*)"
    rf"(?: on average, (and the samples scatter more|and the samples scatter less|some new runs failed))?"
)


def is_toward_zero(text: str, rated: Sequence[About]) -> bool:
    """Return whether rows went to or from 0, or almost nothing of a share, as far as a text
    says."""
    tiny = [
        each for each in rated if each.row.unit == "%" and 0 < min(each.ends) < 1 <= max(each.ends)
    ]
    rises = [each for each in tiny if each.ends[1] > each.ends[0]]
    falls = [each for each in tiny if each.ends[1] < each.ends[0]]
    said = re.findall(ZERO, text)
    zeros = {
        side: [each for each in rated if each.ends[end] == 0]
        for side, end in (("to", 1), ("from", 0))
    }
    of_text = {"below": rises, "to 0": zeros["to"], "from 0": zeros["from"]}
    for number_of, phrase in re.findall(rf", in ([\d,]+) rows? ({ZERO})", text):
        own = next((own for begin, own in of_text.items() if phrase.startswith(begin)), falls)
        if len(own) != number(number_of):
            return False
    for own, begin in ((rises, "below 1 % before"), (falls, "below 1 % now")):
        texts = [each for each in said if begin in each]
        if bool(texts) != bool(own):
            return False
        most = max((max(each.ends) for each in own), default=0)
        far = re.findall(N, texts[0].replace("below 1 %", "")) if texts else []
        if texts and not (rounds(far[0], most) and ("up to" in texts[0]) == (len(own) > 1)):
            return False
    return all(
        ("to 0" in said) <= any(each.ends[1] == 0 for each in rated)
        and ("from 0" in said) <= any(each.ends[0] == 0 for each in rated)
        for _ in said[:1]
    )


def _works_again(about: About, said: Sequence[str]) -> bool:
    """Check “4 figures that failed before work again (UDP throughput), but some …”."""
    both = [each for each in about.each(about.both.rows) if each.row.old and each.row.new]
    bad = {
        each.row.observation
        for each in both
        if (old := each.sides[0]) is not None and (old.mean is None or old.mean == 0)
    }
    good = [
        each
        for each in both
        if each.row.observation in bad and (new := each.sides[1]) is not None and new.mean
    ]
    return 0 < number(said[0]) <= len(good) and (
        not said[2] or 0 < number(said[2]) <= number(said[0])
    )


def _fails_still(event: Event, about: About) -> bool:
    """Check “IPsec: AES-128: still fails”."""
    return bool(re.search(r": still fails?$", event.what)) and not any(
        runs.mean for each in about.each(event.rows) for runs in each.sides
    )


def _last_worked(about: About, said: Sequence[str]) -> bool:
    """Check “last worked in 10.01”, the last release before OLD in which any row did not fail."""
    worked = [
        release
        for each in about.each()
        for release, value in each.series(all_of=True)
        if value and version(release) < version(each.row.old.guide.release)
    ]
    return said[0] == max(worked, key=version)


def _worse_since(about: About, said: Sequence[str]) -> bool:
    """Check “Figures of UDP throughput that 09.00 measured last got worse by a factor of 1.5 or more”."""
    titles = {group.benchmark: group.title for group in about.both.groups}
    for event in about.both.far:
        for each in about.each(event.rows):
            row = each.row
            before = [
                pair for pair in each.series() if version(pair[0]) < version(row.guide.release)
            ]
            if not before or before[-1][0] != said[1] or titles[row.benchmark] != said[0]:
                continue
            assert row.old
            ratio = each.ends[1] / before[-1][1]
            worse = -math.log(ratio) if row.better == "higher" else math.log(ratio)
            is_between = version(said[1]) < version(about.both.old)
            if is_between and worse >= math.log(1.5) - 1e-9:
                return True
    return False


def _failed_before(about: About) -> list[str]:
    """Return the releases before OLD in which a rate was 0."""
    assert about.row.old and about.row.new
    last = version(about.row.old.guide.release)
    own = about.figures.by_key[about.figures.key(about.row.new)]
    earlier = [release for release, runs in own.items() if runs.mean == 0]
    return [each for each in earlier if version(each) < last and about.row.better == "higher"]


def is_size(text: str, event: Event, about: About) -> bool:
    """Return whether the rows of an event all moved in the direction and as far as a text says."""
    leading = about.each(row for row in event.leading)
    if failed := re.fullmatch("fails(?: now)?(?:, as in (.+))?", text):
        return ("fails now" in text) != bool(event.since) and all(
            each.row.verdict == "failed-after"
            and each.sides[1] is not None
            and (not failed[1] or failed[1] in _failed_before(each))
            for each in about.each(event.rows)
        )
    if re.fullmatch(CHANGE, text):
        plain = event.kind == "changed" and not any(row.is_clock for row in event.rows)
        moves = [each.worse for each in about.each(event.rows) if each.row.ratio]
        if plain or not moves:
            return True
        return is_change(text, math.exp(-median(moves)))
    if not (match := SIZE.fullmatch(text)):
        return False
    rated = [each for each in leading if each.is_rated and each.worse]
    word = match[5] or match[6]
    of_work = [each.row.per for each in leading if each.row.per]
    if all(each.row.work is not None for each in leading) and (
        bool(re.search(r" per \S+| for the work done", text)) != bool(of_work)
    ):
        return False
    best_runs = {each.row.ground.startswith("the best runs are compared") for each in leading}
    if best_runs != {" in the best run" in text}:
        return False
    if (" at equal clock" in text) != bool(match[9] or all(each.row.past for each in leading)):
        return False
    if any((each.worse > 0) != (word in ("worse", "longer")) for each in rated):
        return False
    # A figure that takes longer is a time.
    times = [each.row.unit in ("ns", "us", "µs", "ms", "s", "min", "h") for each in leading]
    if (word in ("longer", "shorter")) != all(times):
        return False
    if not is_toward_zero(match[10], rated):
        return False
    for each in leading if match[11] and "scatter" in match[11] else ():
        old, new = ((side.high - side.low) / side.mean for side in each.sides if side)
        if (new > old) != ("more" in match[11]):
            return False
    if "fails now" in text and not any(row.verdict == "failed-after" for row in event.rows):
        return False
    far_rows = [
        each
        for each in rated
        if math.isfinite(each.worse)
        and not (each.row.unit == "%" and 0 < min(each.ends) < 1 <= max(each.ends))
    ]
    said = [group for group in match.groups()[:4] if group]
    if not far_rows:
        return not said
    kept, scaled = (
        [each for each in far_rows if bool(each.row.past) is at_clock] for at_clock in (False, True)
    )
    if bool(match[9]) != bool(kept and scaled):
        return False
    at_clock = [group for group in match.groups()[6:8] if group]
    return _is_span(said, bool(match[1]), kept or scaled) and (
        not at_clock or _is_span(at_clock, match[9] == "%", scaled)
    )


def _is_span(said: Sequence[str], is_share: bool, rows: Sequence[About]) -> bool:
    """Return whether the smallest and the largest move of rows are as a title says, as shares or as factors."""
    logs = sorted(abs(each.worse) for each in rows)
    if is_share:
        ratios = [
            each.per_work
            if each.row.work is not None
            else each.judged_ends[1] / each.judged_ends[0]
            for each in rows
        ]
        shares = sorted(100 * abs(ratio - 1) for ratio in ratios)
        return logs[-1] < math.log(2) and all(
            abs(number(text) - end) <= 0.0501
            for text, end in zip((said[0], said[-1]), (shares[0], shares[-1]), strict=True)
        )
    ends = [math.exp(log) for log in (logs[0], logs[-1])]
    return logs[-1] >= math.log(2) * 0.999 and all(
        end >= 1e6 if "more" in text else rounds(text, end, 3 if end < 10 else 2)
        for text, end in zip((said[0], said[-1]), ends, strict=True)
    )


def _moved_less(about: About, said: Sequence[str]) -> bool:
    """Check that nine in ten of the benchmark's other rows on these boards moved less, without loads and
    packet rates of the event's runs, and that the boards are named if others measured them."""
    boards = {row.board for row in about.counted}
    if boards < {row.board for row in about.both.rows}:
        where = " on this board" if len(boards) == 1 else " on these boards"
    else:
        where = ""

    def of_run(row: Row) -> tuple[object, ...]:
        way = re.sub("(cpu_load|packet_rate|packet_loss|throughput)$", "", row.metric)
        return (*row.observation, way if row.params else row.metric)

    own = {of_run(row) for row in (*about.rows, *about.beside)}
    moves = [
        abs(row.judged_change)
        for row in about.both.rows
        if row.benchmark == about.row.benchmark and row.board in boards
        if row.verdict != "incomparable" and row.change is not None and of_run(row) not in own
    ]
    of = int(said[1] or 1)
    least = 0.9 if said[0] else 1.0
    is_where = said[2] == where and len(moves) == of
    return is_where and sum(100 * move < number(said[3]) for move in moves) >= least * of


def _returned(about: About, said: Sequence[str]) -> bool:
    back, release = 0, said[0].removesuffix(" at equal clock")
    if (release != said[0]) != any(row.past for row in about.rows):
        return False
    for each in about.each():
        level = dict(each.series()).get(release, 0) * each.at_clock.get(release, 1)
        old, new = each.judged_ends if each.is_rated else (0, 0)
        if level and min(level, old, new) > 0 and each.row.old.guide.release == said[1]:
            left = abs(math.log(new / level))
            back += left <= min(abs(math.log(new / old)) / 4, math.log(1.5)) + 1e-9
    count, of = (int((said[i] or str(len(about.rows))).replace(",", "")) for i in (2, 3))
    return count == back and of == len(about.rows) and 2 * back > of


def _at_level(about: About, said: Sequence[str]) -> bool:
    """Check “9 of 10 rows were at this level before, in 08.06”, and that no later release had more."""
    numbers = {"The row was": (1, 1), "Both rows were": (2, 2)}
    words = [int(each) for each in re.findall(r"\d+", said[0])]
    count, of = numbers.get(said[0]) or (words[0], words[-1])
    counts: Counter[str] = Counter()
    for each in about.each(about.counted):
        if not each.is_rated or each.row.work is not None or each.row.past or 0 in each.ends:
            continue
        (old, new), last = each.ends, version(each.row.old.guide.release)
        most = min(abs(math.log(new / old)) / 3, math.log(1.25)) + 1e-9
        counts.update(
            release
            for release, own in each.series()
            if own > 0 and version(release) < last and abs(math.log(new / own)) <= most
        )
    best = max(counts, key=lambda release: (counts[release], version(release)))
    return (best, counts[best], len(about.counted)) == (said[1], count, of) and 2 * count > of


def _together(about: About, said: Sequence[str]) -> bool:
    """Check that this many of the counted rows went one way, along with others on the board."""
    rated = [each for each in about.each(about.both.rows) if each.is_rated]
    same = [
        each for each in rated if each.row.board == about.row.board and each.worse * about.worse > 0
    ]
    counted = [each for each in about.each(about.counted) if each.worse * about.worse > 0]
    numbers = [int(each) for each in said[2:] if each]
    if not said[1]:
        return len(about.counted) == 1 < len(same)
    number = numbers[0] if numbers else 2
    of = numbers[-1] if " of " in said[1].lower() else number
    return number <= len(counted) and of == len(about.counted) and len(same) >= number


def _with_them(about: About, said: Sequence[str]) -> bool:
    """Check that an event's uncounted rows are loads and the like, or rates whose loads or other rates are
    counted, and whether these alone prove it."""
    others = [row for row in _uncounted(about) if not _is_second_name(row, about)]
    are_shares = all(map(_is_share, about.counted))
    verdicts = {row.verdict for row in (*about.counted, *others)}
    measured = {row.measurement for row in about.counted}
    return (
        len(others) == int(said[0].replace(",", ""))
        and bool(said[1]) is ({row.verdict for row in about.counted} == {"noisy"} < verdicts)
        and said[2] == names_of_metrics(others, about)
        and all(_is_share(row) or are_shares or row.measurement in measured for row in others)
    )


def _is_share(row: Row) -> bool:
    return row.work is not None or units.parse(row.unit).kind == "share"


def _under_other_names(about: About, said: Sequence[str]) -> bool:
    """Check that as many of an event's uncounted rows have the figures of a counted row."""
    others = [row for row in _uncounted(about) if _is_second_name(row, about)]
    is_counted = len(others) == int(said[0].replace(",", ""))
    return is_counted and said[1] == names_of_metrics(others, about)


def _uncounted(about: About) -> list[Row]:
    counted = set(map(id, about.counted))
    return [row for row in about.rows if id(row) not in counted and not row.is_clock]


def _is_second_name(row: Row, about: About) -> bool:
    """Return whether another metric or another run of the same board has both figures of a row."""
    (own,) = about.each([row])

    def is_same_run(row: Row, other: Row) -> bool:
        figures = [
            {row.metric: row.new for row in about.both.rows if row.new and row.observation == run}
            for run in (row.observation, other.observation)
        ]
        pairs = [(figures[0][name], figures[1][name]) for name in figures[0] if name in figures[1]]
        return len(pairs) > 1 and all(a.cell.mean == b.cell.mean for a, b in pairs)

    return any(
        (each.row.board, each.row.benchmark, each.row.unit) == (row.board, row.benchmark, row.unit)
        and (each.row.params == row.params) != (each.row.metric == row.metric)
        and each.ends == own.ends
        and (each.row.params == row.params or is_same_run(row, each.row))
        for each in about.each(about.rows)
    )


def names_of_metrics(rows: Sequence[Row], about: About) -> str:
    """Return the labels of the rows' metrics as in a sentence, or their number."""
    names = []
    for benchmark, metric in dict.fromkeys((row.benchmark, row.metric) for row in rows):
        described = about.figures.names.catalog.get(benchmark)
        label = described.metric_label(metric) if described else metric
        # “CPU load” and “CoreMark-Pro” stay as they are.
        is_word = described is None or any(map(str.isupper, label.split(" ")[0][1:]))
        names.append(label if is_word else label[:1].lower() + label[1:])
    names = [*dict.fromkeys(names)]
    return " and ".join(names) if len(names) < 3 else f"{len(names)} metrics"


def fates(about: About, release: str) -> Counter[str]:
    """Count the fates of the rows that were next measured in a release, without those that failed there."""
    out: Counter[str] = Counter()
    for each in about.each(about.counted):
        means = [each._mean(side) for side in each.sides]
        if None in means or means[0] == means[1] or not each.row.new:
            continue
        now = version(each.row.new.guide.release)
        later = [own for own in each.series(all_of=True) if version(own[0]) > now]
        if not later or later[0][0] != release or each.shows_nothing(release):
            continue
        old, new = each.ends
        own = about.figures.by_key[about.figures.key(each.row.new)][release].ends[-1]
        part, *ends = (
            (value - old) / (new - old)
            for value in (later[0][1], *(end / each.scale for end in own))
        )
        back = "both" if max(ends) > 2 / 3 else "went back"
        out["lasted" if part > 2 / 3 else back if part < 1 / 3 else "neither"] += 1
    return out


def _fates_said(most: int, word: str, others: str) -> Counter[str]:
    """Return the number of rows with each fate in the words of a sentence, given the first of them."""
    said = [(most, word), *((int(n), w) for n, w in re.findall(rf"(\d+) ({FATE})", others))]
    return Counter(
        {
            "went back"
            if word == "reverted"
            else "both"
            if "both" in word
            else "neither"
            if "between" in word
            else "lasted": number
            for number, word in said
        }
    )


def _fate(about: About, said: Sequence[str]) -> bool:
    """Check “4 of 6 reverted and 1 is still there in 10.00”"""
    words, title, most, others, release = said
    own = fates(about, release)
    of = int(words.split(" of ")[-1]) if " of " in words else len(about.counted)
    by_word = {"it": 1, "the row": 1, "both": 2}
    number_of = by_word.get(words.lower()) or int(re.findall(r"\d+", words)[0])
    return bool(title) == bool(about.beside) and (
        sum(own.values()) == of == len(about.counted)
        and own == _fates_said(number_of, most, others)
    )


def _fate_again(about: About, said: Sequence[str]) -> bool:
    """Check “All 8 rows that can be followed to 08.00 reverted”"""
    words, title, release, what = said
    own = fates(about, release)
    of = {"the row": 1, "both rows": 2}.get(words.lower()) or int(re.findall(r"\d+", words)[0])
    is_some = own == _fates_said(of, what, "") and of < len(about.counted)
    return is_some and bool(title) == bool(about.beside)


def _fate_of(about: About, said: Sequence[str]) -> bool:
    """Check “Of 9 rows that can be followed to 08.00, 8 reverted and 1 lies between the two”"""
    of, title, release, number_of, what, others = said
    own = fates(about, release)
    return bool(title) == bool(about.beside) and (
        sum(own.values()) == int(of) and own == _fates_said(int(number_of), what, others)
    )


def jumps(about: About) -> tuple[int, int]:
    """Return the number of figures in earlier releases that were far beyond all before them and lasted, and
    the number of all such jumps."""
    lasted = of = 0
    for each in about.each(about.both.rows):
        row = each.row
        if not (row.old and row.new and row.level):
            continue
        last = version(row.new.guide.release)
        values = [own for release, own in each.series(all_of=True) if version(release) < last]
        for at in range(3, len(values) - 1):
            away = values[at] - values[at - 1]
            past = values[:at]
            if (
                abs(away) > 5 * (max(past) - min(past)) * (1 + 1e-9)
                and abs(away) >= 0.02 * abs(past[-1])
                and away
            ):
                of += 1
                lasted += (values[at + 1] - past[-1]) / away > 2 / 3
    return lasted, of


def _of_jumps(about: About, said: Sequence[str]) -> bool:
    of, number_said = int(said[0]), int(said[1])
    is_few = said[2].startswith("gone")
    kept = of - number_said if is_few else number_said
    return jumps(about) == (kept, of) and is_few == (4 * kept < 3 * of)


def _followed(about: About, said: Sequence[str]) -> bool:
    """Check “Rows moved with it: STREAM 2 of 4”: each moved by the ratio of the clocks, to a third of that."""
    clocks = [each for each in about.each() if each.row.is_clock]
    wanted = math.log(clocks[0].ends[1] / clocks[0].ends[0])
    boards = {each.row.board for each in clocks}
    titles = {each.title: each.benchmark for each in about.both.groups}
    for title, fitting, of in re.findall(r"(?:^|, )(.+?) (\d+) of (\d+)", said[0]):
        rated = [
            each
            for each in about.each(about.both.rows)
            if each.row.benchmark == titles[title] and each.row.board in boards
            if each.row.worse_by is not None
        ]
        number_of = len(rated) or _measured_since(titles[title], about)
        own = [row for row in about.rows if row.benchmark == titles[title] and not row.is_clock]
        moves = [-each.worse - wanted for each in about.each(own)]
        if (len(own), number_of) != (int(fitting), int(of)):
            return False
        if any(abs(move) > abs(wanted) / 3 + 1e-9 for move in moves):
            return False
    return True


def _was_clock(about: About, said: Sequence[str]) -> bool:
    """Check “It was 1,400 MHz from 09.00 to 10.00.07”: it was in these releases and in all between them."""
    ends = [version(release) for release in said[1:] if release]
    clocks = [mhz for name, mhz in about.series() if ends[0] <= version(name) <= ends[-1]]
    is_before = version(about.row.old.guide.release) > ends[-1]
    return is_before and {*map(units.number, (*clocks, about.ends[1]))} == {said[0]}


def _measured_since(benchmark: str, about: About) -> int:
    """Return how many figures of a benchmark, on a board that OLD lacks, were last measured with a clock and can be
    compared."""
    of = 0
    for record in about.figures.pool.of_guide(about.row.guide):
        described = about.figures.names.catalog.get(benchmark)
        metric = described.metric(record.metric) if described else None
        if (record.board, record.benchmark) != (about.row.board, benchmark) or metric is None:
            continue
        own = about.figures.by_key[about.figures.key(record)]
        past = [each for each in own if version(each) < version(about.row.guide.release)]
        is_rated = metric.better != "neither" and not metric.clock
        last = about.row.old and version(about.row.old.guide.release)
        # LMBench prints round trips of TCP that are far shorter than those through a pipe.
        is_impossible = record.metric.startswith(("lat_tcp", "tcp_latency")) and any(
            own[release].mean < 2e-6 for release in past[-1:]
        )
        of += bool(past and last and version(past[-1]) >= last and is_rated and not is_impossible)
    return of


def _had_failed(about: About, said: Sequence[str]) -> bool:
    """Check “Throughput, AES-128, failed in 08.02 already”: of NEW and of the last release before it, some run
    of the benchmark has no more than a hundredth of its best rate."""

    def plain(text: object) -> str:
        return re.sub("[^a-z0-9]", "", str(text).lower())

    guide, boards = about.row.guide, {row.board for row in about.rows}
    for record in about.figures.pool.of_guide(guide):
        names = {plain(each) for each in record.params.values()}
        if record.benchmark != about.row.benchmark or record.board not in boards:
            continue
        own = about.figures.by_key[about.figures.key(record)]
        past = [r for r in own if version(r) <= version(guide.release) and own[r].mean is not None]
        rates = [own[release].mean or 0.0 for release in past]
        is_named = names & {plain(each) for each in said[0].split(", ")}
        is_last = (
            len(past) > 1 and past[-2] == said[1] and units.parse(record.unit).kind == RATES[0]
        )
        if is_last and is_named and max(rates[-2:]) <= max(rates) / 100:
            return True
    return False


def _worse_before(about: About, said: Sequence[str]) -> bool:
    """Check “The first row had got worse before: 122 in 10.01, 13 in 11.00, 0 kPPS now”: OLD was by half worse."""
    subject, start, before, end, old, now = said
    for each in about.each(about.counted):
        past = [own for own in each.series(all_of=True) if version(own[0]) <= version(old)][-2:]
        if [name for name, _ in past] != [before, old] or not each.row.new:
            continue
        values = (*(value for _, value in past), each.row.new.cell.mean or 0.0)
        ratio = values[0] / values[1] if each.row.better == "higher" else values[1] / values[0]
        if ratio >= 1.5 and [*map(rounds, (start, end, now), values)] == [True] * 3:
            return each.row.old.guide.release == old and (subject == "It") == (
                len(about.counted) == 1
            )
    return False


def _moved_already(about: About, said: Sequence[str]) -> bool:
    """Check “Others of its kind moved as far in 10.00.07 already”: some figure with a name that begins as that of
    the first row had made half of its move in a release that did not measure the row."""
    row, figures = about.row, about.figures
    old, now = row.old.guide.release, row.new.guide.release
    least = about.each([row])[0].worse / 2
    own = figures.key(row.new)
    begin = own[3] if row.params else own[3][:6]
    for key, line in figures.by_key.items():
        before = [name for name in line if version(name) <= version(old) and line[name].mean]
        if key[2] != own[2] or not key[3].startswith(begin) or not before:
            continue
        if said[0] not in line or now not in line or not line[said[0]].mean or not line[now].mean:
            continue
        sign = 1 if row.better == "lower" else -1
        levels = [sign * math.log(line[each].mean) for each in (before[-1], said[0], now)]
        if min(levels[1] - levels[0], levels[2] - levels[0]) * least >= least**2:
            return said[0] not in figures.by_key[own]
    return False


def _fails_in(about: About, is_new: bool) -> bool:
    """Return whether a rate of the row's run has a sample of no more than a hundredth of its best one."""
    return any(
        each.row.better == "higher"
        and (side := each.sides[is_new]) is not None
        and side.low <= side.high / 100
        for each in about.each(about.both.rows)
        if each.row.observation == about.row.observation and each.row.unit != "%"
    )


def _samples(about: About, said: Sequence[str]) -> bool:
    """Check “Throughput, AES-128, SK: 2.3 to 305.5 Mbit/s with 11.02, 80.5 Mbit/s with 12.00; failed in …”"""
    label, *texts, earlier = said
    for each in about.each():
        row, (old, new) = each.row, each.sides
        if row.better != "higher" or not (row.old and row.new and old and new):
            continue
        ends = [end / each.scale for side in (old, new) for end in (side.low, side.high)]
        is_same = [row.old.guide.release, row.new.guide.release] == [texts[3], texts[7]]
        is_same &= all(
            rounds(text, end)
            for text, end in zip((*texts[:2], *texts[4:6]), ends, strict=True)
            if text
        )
        several = [bool(texts[0]), bool(texts[4])] == [ends[0] < ends[1], ends[2] < ends[3]]
        board = about.both.board_names.get(row.board, row.board)
        is_named = f", {board}" in label or len({row.board for row in about.both.rows}) == 1
        rates = dict(each.series(all_of=True))
        failed = [
            release
            for release, rate in rates.items()
            if version(release) < version(texts[3]) and rate <= max(rates.values()) / 100
        ]
        is_past = failed == (re.split(", | and ", earlier) if earlier else [])
        if is_same and several and is_named and is_past:
            return _fails_in(each, False) or _fails_in(each, True)
    return False


def _samples_of_gone(about: About, said: Sequence[str]) -> bool:
    """Check “Throughput, AES-192, SK: 0.2 to 228.8 Mbit/s with 11.02, no longer measured”."""
    label, *texts, release = said
    return any(
        row.better == "higher"
        and row.old.guide.release == release
        and (f", {about.both.board_names.get(row.board, row.board)}" in label)
        and rounds(texts[1], old.high / each.scale)
        and (rounds(texts[0], old.low / each.scale) if texts[0] else old.low == old.high)
        for each in about.each(about.both.rows)
        if (row := each.row).benchmark == about.row.benchmark and row.new is None
        if (old := each.sides[0])
    )


def _runs_that_fail(event: Event, about: About) -> bool:
    """Check “IPsec: AES-128: some runs still fail” and “… some runs failed with 11.02”."""
    said = re.search(r": some runs (fail|still fail|failed with (.+))$", event.what)
    assert said
    failing = [each for each in about.each() if _fails_in(each, True)]
    failed_before = all(_fails_in(each, False) for each in failing or about.each())
    if said[2]:
        return not failing and failed_before
    boards = {each.row.board for each in failing}
    return boards == {*event.boards} and (said[1] == "still fail") == failed_before


def _not_compared(about: About, said: Sequence[str]) -> bool:
    rated = [
        each
        for each in about.each()
        if None not in (each._mean(each.sides[0]), each._mean(each.sides[1]))
    ]
    pairs = [(each.row.unit, *each.ends) for each in rated if 0 not in each.ends]
    ratios = [new / old for unit, old, new in pairs if unit != "%" and min(old, new) > 0]
    is_swapped = about.row.ground.startswith("labels are wrong")
    loads = [(old, new) for unit, old, new in pairs if unit == "%" and not is_swapped]
    printed = re.search(
        rf"(?:from )?({CHANGE})(?: to ({CHANGE}))?", re.sub("loads mostly .*", "", said[1])
    )
    if bool(printed) != bool(ratios) or int(said[0].replace(",", "")) != len(about.rows):
        return False
    if printed and not (
        is_change(printed[1], min(ratios)) and is_change(printed[2] or printed[1], max(ratios))
    ):
        return False
    of_loads = re.search(rf"loads mostly ({N}) → ({N}) %", said[1])
    return bool(of_loads) == bool(loads) and (
        not of_loads
        or all(rounds(of_loads[1 + side], median(pair[side] for pair in loads)) for side in (0, 1))
    )


FATE = (
    "(?:is|are) still there|still shows? it|reverted|ha(?:s|ve) both levels|lies? between the two"
)
OTHERS = rf"((?:,? (?:and )?\d+ (?:{FATE}))*)"

JUMPED = (
    r"Of # far jumps of single figures in earlier releases, "
    r"# were (still there in the next one|gone in the next one: measure again before you act)"
)


LINES = templates(
    {
        r"last worked in (\S+)": _last_worked,
        r"(.+); (?:(both|all #|# of #) rows|it) moved together(?:, so they are one event| with other rows)": _together,
        r"(?:.+); (nine in ten of )?the other (?:# rows|row)( on this board| on these boards)? moved by less than # %": _moved_less,
        r"Runs: (.+); their scatter does not explain it": lambda about, said: (
            {
                (len(old.runs), len(new.runs))
                for each in about.each()
                if each.row.verdict != "failed-after"
                for old, new in [each.sides]
                if old and new
            }
            == {tuple(map(int, pair)) for pair in re.findall(r"(\d+) against (\d+)", said[0])}
        ),
        r"# more rows? moved with (?:it|them)( and proved the move)?: (.+)": _with_them,
        r"# more rows? (?:is the same figure under another name|are the same figures under other names): (.+)": _under_other_names,
        rf"(It|The row|Both|All \d+|\d+ of \d+)(?: rows?)?( of the title)? ({FATE}){OTHERS} in (.+)": _fate,
        rf"(The row|Both rows|All \d+ rows)( of the title)? that can be followed to (.+?) ({FATE})": _fate_again,
        rf"Of # rows( of the title)? that can be followed to (.+?), # ({FATE}){OTHERS}": _fate_of,
        r"(The row was|(?:Both|All \d+|\d+ of \d+) rows were) at this level before, in (.+)": _at_level,
        r"(.+), failed in (.+) already": _had_failed,
        r"(It|The first row) had got worse before: # in (\S+), # in (\S+), #(?: .+)? now": _worse_before,
        r"Others of its kind moved as far in (.+) already": _moved_already,
        r"Runs of # more rates? failed": lambda about, said: (
            int(said[0]) < sum("packet" not in row.metric and row.unit != "%" for row in about.rows)
        ),
        rf"(.+): (?:({N}) to )?({N}) (\S+) with (.+?), (?:({N}) to )?({N}) (\S+) with (.+?)(?:; failed in (.+) too)?": _samples,
        rf"(.+): (?:({N}) to )?({N}) (\S+) with (.+?), no longer measured": _samples_of_gone,
        r"Rows moved with it: (.+)": _followed,
        r"It was (.+) MHz (?:in|from) (.+?)(?: to (.+))?": _was_clock,
        r"No benchmark moved with it, so it may have been recorded wrongly": lambda about, _: (
            not any(
                abs(-each.worse - math.log(about.ends[1] / about.ends[0])) <= 0
                for each in about.each()
                if each.is_rated
            )
        ),
        r"Not compared: # rows?(.*)": _not_compared,
        r"A return to the level of (.+?), from which (.+?) differed(?:, in ([\d,]+) of the ([\d,]+) rows)?": _returned,
        r"Accepted until .+": lambda about, _: any(row.waiver for row in about.rows),
        r"A new level since (.+): .+": lambda about, said: any(
            _since(each, said) for each in about.each() if each.row.settled
        ),
        r"The unit was (.+) and is (.+), and the figures are converted": lambda about, said: any(
            _was_and_is(each, said) for each in about.each() if each.row.old and each.row.new
        ),
        r"Note: .+": _yes,
    }
)


def _other_device(about: About, said: Sequence[str]) -> bool:
    """Check “another SD card, as 9 rates of it got better and 3 worse by a factor of 1.25 or more”."""
    benchmarks = {"eMMC": "emmc", "SD card": "mmcsd", "UFS": "ufs"}[said[0]]
    boards = {row.board for row in about.rows}
    moves: dict[str, list[float]] = {board: [] for board in boards}
    for each in about.each(about.both.rows):
        row = each.row
        is_own = row.benchmark.removeprefix("u-boot-") == benchmarks and row.unit != "%"
        is_open = row.verdict in ("regressed", "improved", "noisy", "same", "steady")
        if is_own and row.board in boards and is_open and each.is_rated:
            moves[row.board] += [each.worse] * (abs(each.worse) >= math.log(1.25))
        elif is_own and row.board in boards and row.verdict == "only-new" and row.new:
            series = about.figures.by_key[about.figures.key(row.new)]
            now = version(row.new.guide.release)
            means = [runs.mean for name, runs in series.items() if version(name) <= now]
            before, new = [0.0, *(mean or 0.0 for mean in means)][-2:]
            if min(before, new) > 0 and abs(math.log(before / new)) >= math.log(1.25):
                moves[row.board].append(math.log(before / new))
    both = [
        (sum(move < 0 for move in own), sum(move > 0 for move in own)) for own in moves.values()
    ]
    counts = [sum(own[at] for own in both) for at in (0, 1)]
    return counts == [int(said[1]), int(said[2])] and all(min(own) > 0 for own in both)


def _other_test(about: About, said: Sequence[str]) -> bool:
    """Check “another way of testing, as all 15 rates of one kind (ingress, no loss) moved by a factor of 3 or
    more on all 3 boards”."""

    def kind(row: Row) -> tuple[object, ...]:
        words = {n: v for n, v in row.params.items() if isinstance(v, str | bool)}
        return (row.guide.platform, row.benchmark, row.metric, sorted(words.items()))

    kinds: dict[str, list[About]] = defaultdict(list)
    for each in about.each(about.both.rows):
        is_rate = each.row.unit != "%" and "packet_rate" not in each.row.metric
        if (
            kind(each.row)[:2] == kind(about.row)[:2]
            and is_rate
            and each.row.ratio
            and each.is_rated
        ):
            kinds[str(kind(each.row))].append(each)

    def is_named(row: Row) -> bool:
        described = about.figures.names.catalog.benchmark(row.benchmark)
        labels = {described.value_label(*each).casefold() for each in row.params.items()}
        labels |= {described.metric_label(row.metric).casefold()}
        words = (said[1] or "").casefold().split(", ")
        return all(any(label in word for label in labels) for word in words if word)

    return any(
        [len(alike), len({each.row.board for each in alike})] == [int(said[0]), int(said[2] or 1)]
        and all(is_named(each.row) for each in alike)
        and len({each.worse > 0 for each in alike}) == 1
        and min(abs(each.worse) for each in alike) >= math.log(3)
        for alike in kinds.values()
    )


def _other_compiler(about: About, said: Sequence[str]) -> bool:
    """Check “another compiler or other options of it, as steady figures of the processor moved both ways, alike
    on 3 boards: from −14.2 % (NBench, numeric sort) to +12.0 % (NBench, neural network)”."""
    every = about.each((*about.rows, *about.beside))
    ends = (max(every, key=lambda each: each.worse), min(every, key=lambda each: each.worse))
    is_true = ends[0].worse > 0 > ends[1].worse
    for each, change, name in zip(ends, said[1::2], said[2::2], strict=True):
        old, new = each.judged_ends
        title = about.figures.names.catalog.title(each.row.benchmark)
        is_named = name == f"{title}, {names_of_metrics([each.row], about)}"
        is_true &= is_change(change, new / old) and is_named
    figures = grouped(
        every, lambda each: (each.row.benchmark, each.row.metric, *each.row.params.items())
    )
    left = set()
    for figure, own in figures.items():
        is_true &= max(each.worse for each in own) - min(each.worse for each in own) < math.log(
            1.011
        )
        for each in own:
            last = each.before(3)
            of_memory = each.row.benchmark in ("lmbench", "stream")
            is_true &= each.row.unit != "%" and (
                not of_memory or each.row.metric.startswith("lat_ops")
            )
            if len(last) == 3 and 5 * math.log(max(last) / min(last)) <= abs(each.worse):
                left.add((figure, each.worse > 0))
    boards = {each.row.board for each in every}
    return (
        is_true
        and len(boards) == int(said[0] or 1)
        and len(left) > 2
        and len({way for _, way in left}) == 2
    )


PERHAPS = templates(
    {
        r"another (eMMC|SD card|UFS), as # rates? of it got better and # worse by a factor of 1\.25 or more": _other_device,
        r"another way of testing, as all # rates of one kind(?: \((.+?)\))? moved by a factor of 3 or more(?: on all # boards)?": _other_test,
        rf"another compiler or other options of it, as steady figures of the processor moved both ways(?:, alike on # boards)?: from ({CHANGE}) \((.+)\) to ({CHANGE}) \((.+)\)": _other_compiler,
        r"a return to the level of (.+?), from which (.+?) differed(?:, in ([\d,]+) of the ([\d,]+) rows)?": _returned,
        ".+ .* → .+": _yes,
    }
)


def check_event(event: Event, about: About, checked: Checked, where: str) -> None:
    title, both = event_titles.event_title(event, about.both), about.both
    counted = event.rows if event.is_cause else event.leading
    counted = [row for row in counted if not row.is_clock] or event.rows
    own = replace(about, rows=event.rows, beside=event.unproved, counted=tuple(counted))
    rows = [units.with_noun(len(counted), "row")] * (len(counted) > 1)
    benchmark = next((g.title for g in both.groups if g.benchmark == event.benchmark), "")
    begin = benchmark if event.is_minor else event.what
    judged = sum(row.verdict != "noisy" for row in counted)
    if not event.is_cause and 0 < judged < len(counted):
        rows.append(f"{judged} proved")
    if 0 < (at_clock := sum(bool(row.past) for row in counted)) < len(counted):
        rows.append(f"{at_clock} at equal clock")
    end = f" ({', '.join(rows)})" if rows else ""
    if len(both.spans) > 1:
        end = f" on {units.enumeration(event.boards)}{end}"
        size = title.removesuffix(end).removeprefix(begin).removeprefix(": ")
        open_text = re.sub(r" \([^)]*\)", "", size)
        end = "," * bool(re.search("[,;:] ", open_text)) + end
    text = title.removesuffix(end)
    is_counted = title == f"{text}{end}" and {row.board for row in counted} == {*event.boards}
    checked.note("N rows", title, is_counted, where)
    if event.is_minor:
        extent = text.removeprefix(f"{begin}: ")
        is_true = text == f"{begin}: {extent}" and _is_extent(extent, own)
        checked.note("N rows of N", title, is_true, where)
        return
    checked.note("none farther", title, not _farther(event, own), where)
    checked.note("all boards", title, not _boards_left_out(event, own), where)
    is_one_kind = event.is_cause or len(set(map(_is_share, counted))) == 1
    checked.note("rates or shares", title, is_one_kind, where)
    if ": some runs " in event.what:
        checked.note("some runs fail", title, _runs_that_fail(event, own), where)
    elif event.kind == "failed-both":
        checked.note("fails as before", title, _fails_still(event, own), where)
    if text != begin:
        before = "; last measured with" if event.kind == "failed-after" else " than in"
        than = f"{before} {event.since}" * (not event.is_cause) if event.since else ""
        size = text.removeprefix(f"{begin}: ").removesuffix(than)
        is_true = text == f"{begin}: {size}{than}"
        at_clock = re.fullmatch(rf"(.+) \(({N} → {N}[^,]*), clock ({CHANGE})\)", size)
        if at_clock:
            (only,) = own.each(counted)
            ratio = only.at_clock[only.row.old.guide.release]
            is_true &= is_change(at_clock[3], 1 / ratio if only.row.better == "lower" else ratio)
            size = f"{at_clock[2]}, {at_clock[1]}"
        figures = re.match(rf"({N}) → ({N})( [^,]+)?(?:, |$)", size)
        if figures:
            (only,) = own.each(counted)
            is_true &= all(map(rounds, figures.groups()[:2], only.ends))
            # Old releases state no unit of some figures.
            is_true &= bool(figures[3]) == bool(units.parse(only.row.unit).symbol)
            size = size[figures.end() :]
        is_true &= is_size(size, event, own) if size or not figures else True
        checked.note("how far", title, is_true, where)
    metrics = re.search(r"\band (\d+) more metrics", event.what)
    if metrics:
        of_all = len({row.metric for row in event.leading})
        checked.note("N metrics", title, int(metrics[1]) == of_all - 1, where)
    listed = event_evidence.listed(event, 8)
    if not event.is_cause and (
        ends := re.findall(
            rf"to ({N}) (%|times) (?:worse|better|longer|shorter|at equal clock)", title
        )
    ):
        (first,) = own.each(listed[:1])
        old, new = first.judged_ends
        ratio = first.per_work if first.row.work is not None else new / old
        # Rows at equal clock have a size of their own.
        end, unit = ends[-1 if first.row.past else 0]
        factor = math.exp(abs(first.worse)) if unit == "times" else 100 * abs(ratio - 1)
        is_first = abs(factor - number(end)) <= max(0.051, 0.051 * factor)
        checked.note("largest figure shown", title, is_first, where)
    # A figure under a second name is not listed again.
    every = [row for row in event.every_row if not row.follows]
    ways = {(row.worse_by or 0.0) > 0 for row in every}
    is_whole = len(ways) > 1 or any(row.work is not None for row in every) or event.is_cause
    is_listed = len({*map(id, listed)} & {*map(id, every)}) == len(listed) and (
        is_whole or len(listed) >= min(8, len(every))
    )
    checked.note("rows listed", title, is_listed, where)
    for line in event_evidence.event_lines(event, both):
        said = line.removesuffix(".")
        if said.startswith("Perhaps: "):
            for text in re.split(r"; (?=a |another |\S+ [^;]*→)", said.removeprefix("Perhaps: ")):
                checked.check(text, PERHAPS, own, where)
        elif said.startswith("Also ") and not said.startswith("Also moved"):
            titles = {event_titles.event_title(each, both): each for each in event.also}
            named, *more = said.removeprefix("Also ").split(". ")
            checked.note("also since", line, named in titles, where)
            for text in more:
                also = titles[named]
                of_also = replace(own, rows=also.rows, counted=tuple(also.counted), beside=())
                checked.check(text, LINES, of_also, where)
        elif said.startswith("The other way: "):
            way, kinds = event.worse_by > 0, {(row.benchmark, row.metric) for row in event.leading}
            is_true = any(
                said == f"The other way: {event_titles.event_title(each, both)}"
                and (each.worse_by > 0) != way
                and kinds & {(row.benchmark, row.metric) for row in each.leading}
                for each in (*both.events, *both.far)
            )
            checked.note("the other way", line, is_true, where)
        elif said.startswith("Also moved"):
            checked.note("also moved", line, _is_beside(said, event, own), where)
        elif any(pattern.fullmatch(said) for pattern, _ in LINES):
            checked.check(said, LINES, own, where)
        else:
            said = re.sub(r"^Not proved(?: \(first row\))?: |^First row: ", "", said)
            of_first = "first row" in line.casefold()
            assert len(counted) > 1 or not of_first, line
            # The ground is that of the first row below the title.
            first = (*listed[:1], *event.rows) if event.kind == "noisy" else event.rows
            for text in said.split("; "):
                checked.check(
                    text, GROUNDS, replace(own, rows=first[: 1 if of_first else None]), where
                )


def _farther(event: Event, about: About) -> list[Row]:
    """Return the rows outside all events that moved farther than an event says, on one of its boards and
    in the same direction, and that differ from one of its rows in numbers only, but no figures in doubt."""
    counted = [each for each in about.each(about.counted) if each.is_rated and each.worse]
    # Rows of a comparison started from OLD, and those of an event may from an earlier release.
    if event.is_cause or event.accepted or event.is_back or event.since or not counted:
        return []
    listed = {
        id(row)
        for other in (*about.both.events, *about.both.far)
        for row in (*other.rows, *other.unproved)
        if not other.is_minor and (row in other.rows or other.is_cause or _swung(row))
    }

    def series(row: Row) -> tuple[object, ...]:
        described = about.figures.names.catalog.get(row.benchmark)
        label = described.metric_label(row.metric) if described else row.metric
        words = {n: v for n, v in row.params.items() if not isinstance(v, int | float) or v is True}
        return (row.guide.platform, row.board, row.benchmark, label.split(", ")[0], str(words))

    of_event = {series(each.row): each.row.work is None for each in counted}
    most = max(abs(each.worse) for each in counted)
    is_fall = counted[0].worse > 0
    others = (
        row
        for row in about.both.rows
        if row.verdict == "noisy" and id(row) not in listed and not (row.follows or row.doubt)
        if not row.alternates and of_event.get(series(row)) is (row.work is None)
        if is_fall or not row.doubt
    )
    return [
        each.row
        for each in about.each(others)
        if each.is_rated and (each.worse > 0) == is_fall and abs(each.worse) > most * (1 + 1e-9)
        if not _is_near_old_runs(each)
    ]


def _swung(row: Row) -> bool:
    """Return whether the ratio of a row's last five figures was at least two thirds of its move."""
    assert row.old
    last = version(row.old.guide.release)
    past = [value for name, value in row.past or row.line if version(name) <= last and value > 0]
    return max(past[-5:]) / min(past[-5:]) > math.exp(abs(row.worse_by or 0.0) * 2 / 3)


def _is_near_old_runs(each: About) -> bool:
    """Return whether the runs of OLD are 1.5 times apart, and NEW does not widen their range by half: a
    move shows nothing, however far it is from the mean of the runs."""
    runs, new = each.row.old.cell, each.ends[1]
    ends = [runs.low, runs.high]
    if runs.runs < 2 or None in ends or min(*ends, new) <= 0:
        return False
    apart = math.log(ends[1] / ends[0])
    widest = math.log(max(*ends, new) / min(*ends, new))
    return apart >= math.log(1.5) and widest <= 1.5 * apart


def _boards_left_out(event: Event, about: About) -> set[str]:
    """Return the boards that an event does not name, though several of its figures, and at least half of
    those measured there, went the same way at least as far as the one that moved least or by half, and
    no other event lists one of them."""
    counted = [each for each in about.each(about.counted) if each.is_rated and each.worse]
    is_fall = bool(counted) and counted[0].worse > 0
    if event.is_cause or event.accepted or event.is_back or event.since or not counted:
        return set()
    if any((each.worse > 0) != is_fall for each in counted):
        return set()
    listed = {
        id(row)
        for other in (*about.both.events, *about.both.far)
        for row in (*other.rows, *(other.unproved if other.is_cause else ()))
        if not other.is_minor
    }
    names = {(each.row.metric, str(each.row.params)) for each in counted}
    loads = {each.row.work is None for each in counted}
    least = min(FAR, *(abs(each.worse) for each in counted)) * (1 + 1e-9)
    there: dict[str, list[About]] = defaultdict(list)
    for each in about.each(about.both.rows):
        row = each.row
        is_same = (row.metric, str(row.params)) in names and row.benchmark == event.benchmark
        is_there = row.guide.platform == about.row.guide.platform and row.board not in event.boards
        is_compared = each.is_rated and row.verdict != "incomparable" and not row.follows
        if is_same and is_there and is_compared:
            there[row.board].append(each)
    out = set()
    for board, rows in there.items():
        as_far = [
            each.row
            for each in rows
            if (each.worse if is_fall else -each.worse) >= least
            if (each.row.work is None) in loads
        ]
        free = [
            row
            for row in as_far
            if row.verdict == "noisy" and not row.alternates and id(row) not in listed
            if is_fall or not row.doubt
        ]
        if len({row.measurement for row in as_far}) > 1 and 2 * len(as_far) >= len(rows) and free:
            out.add(board)
    return out


def _is_extent(said_of: str, about: About) -> bool:
    """Check “−9.8 % to ÷3, or to 0, worse”"""
    every = [each for each in about.each() if each.is_rated]
    # A figure under two names counts once.
    rated = [each for each in every if not each.row.follows] or every
    near = [
        each
        for each in rated
        if not (each.row.unit == "%" and 0 < min(each.ends) < 1 <= max(each.ends))
        if math.isfinite(each.worse)
    ]
    ratios = [
        each.per_work if each.row.per else each.judged_ends[1] / each.judged_ends[0]
        for each in near
    ]
    worse = sum(each.worse > 0 for each in rated)
    ways = {0: "better", len(rated): "worse"}
    text, _, way = said_of.rpartition(", ")
    said = re.findall(CHANGE, re.sub(rf"(?:; )?{ZERO}", "", text))
    works = re.search(r" (?:per \S+|for the work done)", text)
    return (
        way == ways.get(worse, f"{worse} of {len(rated)} worse")
        and (" at equal clock" in text) == all(each.row.past for each in rated)
        and bool(works) == any(each.row.per for each in about.each())
        and is_toward_zero(text, rated)
        and bool(said) == bool(ratios)
        and len(said) <= 2
        and all(map(is_change, (*said[:1], *said[-1:]), (min(ratios), max(ratios)) if said else ()))
    )


def _is_beside(text: str, event: Event, about: About) -> bool:
    """Check “Also moved, but not proved: STREAM, copy, 5.8 % better (3.5 to 33.4 %), 57 more rows; …”"""
    begin, _, listed = text.partition(": ")
    is_proved = begin == "Also moved"
    left: dict[tuple[str, bool, bool, bool], list[Row]] = defaultdict(list)
    for row in event.unproved:
        if (row.verdict != "noisy") == is_proved:
            is_worse = (row.worse_by or 0.0) > 0 or row.verdict == "failed-after"
            side = (row.benchmark, is_worse, row.work is not None, bool(row.past))
            left[side].append(row)
    catalog = about.figures.names.catalog
    for part in re.split(r"(?<=more row)(?:; )|(?<= rows); |(?<= differed); ", listed):
        match = re.fullmatch(
            r"(.+), ([\d,]+) more rows?(?:, a return to the level of (.+?), from which (.+?) differed"
            r"(?:, in ([\d,]+) of the ([\d,]+) rows)?)?",
            part,
        )
        fits = None
        for key, own in left.items() if match else ():
            assert match
            benchmark, is_worse, *_ = key
            is_other = benchmark != event.benchmark
            names = [catalog.title(benchmark)] * is_other
            if is_other or {row.metric for row in own} != {row.metric for row in event.leading}:
                names.append(names_of_metrics(own, about))
            head = "".join(f"{name}, " for name in names)
            size = match[1].removeprefix(head)
            words = re.search("worse|longer|fails", size)
            rows = replace(event, rows=tuple(own), kind=own[0].verdict)
            is_same = match[1].startswith(head) and len(own) == int(match[2].replace(",", ""))
            if not is_same or bool(words) != is_worse or not is_size(size, rows, about):
                continue
            if not match[3] or _returned(replace(about, rows=tuple(own)), match.groups()[2:]):
                fits = key
        if fits is None:
            return False
        del left[fits]
    return not left and begin in ("Also moved", "Also moved, but not proved")


# ---------------------------------------------------------------- all of a comparison


def _listed(about: About, *titles: str) -> list[Event]:
    return [
        event for name, own in event_groups.by_action(about.both) for event in own if name in titles
    ]


def _far_falls(about: About) -> list[Event]:
    """Return the falls that are not proved, as they are listed."""
    return _listed(about, "Worse, not proved")


def _proved_falls(about: About) -> list[Event]:
    failed = ("regressed", "failed-after")
    return [
        event
        for event in _listed(about, "Worse", "Causes")
        if event.what.endswith(": some runs fail")
        or _is_slower_clock(event, about)
        or {row.verdict for row in (*event.rows, *(event.unproved if event.is_cause else ()))}
        & {*failed}
    ]


def _is_slower_clock(event: Event, about: About) -> bool:
    """Return whether a clock is lower than with OLD, and figures moved with it."""
    return (
        event.rows[0].is_clock
        and not all(row.is_clock for row in event.rows)
        and all(
            each.ends[1] < each.ends[0]
            for each in about.each([row for row in event.rows if row.is_clock])
        )
    )


def _holds_back(about: About, said: Sequence[str]) -> bool:
    """Check that a row of one event fails, or that two fell by a third or more, or one to a fifth, and
    not all of them are loads in per cent; or, with another engine, two rates, and that most rates fell."""
    for event in _proved_falls(about):
        rows = [row for row in (*event.rows, *event.unproved) if row.worse_by is not None]
        far = [each for each in about.each(rows) if each.is_rated and each.worse >= FAR - 1e-12]
        far = [
            each
            for each in far
            if not _came_back(each) and (len(each.before(2)) > 1 or len(event.boards) > 1)
        ]
        failed = [row for row in event.rows if row.verdict == "failed-after"]
        if any("load" not in row.metric or row.unit != "%" for row in failed):
            return True
        if event.of_engine:
            far = [each for each in far if each.row.better == "higher"]
            rates = [each.worse for each in about.each(rows) if each.row.better == "higher"]
            if 2 * sum(by > 0 for by in rates) <= len(rates):
                continue
        times = {"s": 1e6, "ms": 1e3, "us": 1.0, "ns": 1e-3}
        if all(
            ("load" in each.row.metric and each.row.unit == "%")
            # Less than a tenth of a millisecond is no reason to hold a release back.
            or abs(each.ends[1] - each.ends[0]) * times.get(each.row.unit, math.inf) < 100
            for each in far
        ):
            continue
        if len(far) > 1 or any(each.worse >= math.log(5) - 1e-12 for each in far):
            return True
    return False


def _came_back(about: About) -> bool:
    """Return whether two of the last three figures before OLD, including the last, are close to NEW
    while OLD is not."""
    *past, old = about.before(4)
    if not past or about.row.work is not None or min([*past, old, about.ends[1]]) <= 0:
        return False
    away = abs(math.log(about.ends[1] / old))
    near = [abs(math.log(about.ends[1] / own)) <= away / 4 + 1e-9 for own in past]
    return near[-1] and sum(near) >= 2


def _look(about: About, said: Sequence[str]) -> bool:
    """Check “Look at 5 events before you ship”: all that are listed as worse."""
    listed = [*_proved_falls(about), *_listed(about, "Worse, not proved")]
    return len(listed) == int(said[0])


def _unproved(about: About, said: Sequence[str]) -> bool:
    """Check “Three of the five are not proved: …”: their number, and the runs of their
    figures in the bundles."""
    unproved = _listed(about, "Worse, not proved")
    of = len(_proved_falls(about)) + len(unproved)
    rows = [row for event in unproved for row in event.rows]
    # Uploads that repeat another one are no runs.
    are_single = not any(event.since for event in unproved) and all(
        side and len({*map(fmean, side.runs)}) <= 1
        for each in about.each(rows)
        for side in each.sides
    )
    every, some = (units.in_letters(each) for each in (of, len(unproved)))
    all_of = {1: "It is not", 2: "Neither is"}.get(of, f"None of the {every} is")
    verb = "is" if len(unproved) == 1 else "are"
    which = all_of if len(unproved) == of else f"{some.capitalize()} of the {every} {verb} not"
    return said[0] == which and bool(said[-1]) == are_single


def _judged(about: About) -> tuple[int, int]:
    """Return how many of the figures that were measured in both releases are judged, and their number."""
    failed = ("failed-before", "failed-both")
    both = [row for row in about.both.rows if row.old and row.new]
    return sum(row.judged and row.verdict not in failed for row in both), len(both)


def _judged_figures(about: About, said: Sequence[str]) -> bool:
    return (number(said[0]), number(said[1])) == _judged(about)


def _few_judged(about: About, said: Sequence[str]) -> bool:
    both = [row for row in about.both.rows if row.old and row.new]
    judged = [row for row in both if row.judged and not row.verdict.startswith("failed")]
    return _no_falls(about, said) and 2 * len(judged) < len(both)


def _no_falls(about: About, said: Sequence[str]) -> bool:
    return not _proved_falls(about) and not _far_falls(about)


def _nothing_worse(about: About, said: Sequence[str]) -> bool:
    """Check that every row called worse was accepted, and that none fell by a third beyond its
    usual moves."""
    worse = [row for row in about.both.rows if row.verdict in ("regressed", "failed-after")]
    accepted = bool([row for row in worse if row.waiver or row.settled])
    judged, of = _judged(about)
    return (
        not [row for row in worse if not (row.waiver or row.settled)]
        and not _far_falls(about)
        and accepted == bool(said[2])
        and (number(said[0]), number(said[1])) == (100 * judged // of, of)
    )


def _cannot_be_compared(about: About, said: Sequence[str]) -> bool:
    """Check “129 figures cannot be compared, 57 of them because …”, or all of them for the same reason"""
    own = [row.ground for row in about.both.rows if row.verdict == "incomparable"]
    most = own.count(said[2])
    return (
        len(own) == number(said[0])
        and most == number(said[1] or said[0])
        and most == max(Counter(own).values())
    )


def _not_again(about: About, said: Sequence[str]) -> bool:
    """Check “1,181 figures were not measured again: all of Active power (1,176) and Resume latency (5)”"""
    titles = {group.benchmark: group.title for group in about.both.groups}
    lost = [row for row in about.both.rows if row.new is None]
    again = {row.benchmark for row in about.both.rows if row.new is not None}
    whole = Counter(titles[row.benchmark] for row in lost if row.benchmark not in again)
    named = re.findall(r"(?:^|, | and )(.+?) \(([\d,]+)\)", said[2])
    more = re.search(r"and (\d+) more benchmarks?$", said[2])
    return (
        len(lost) == number(said[0])
        and bool(said[1]) == bool(whole)
        and (said[1] == ":" if whole.total() == len(lost) else said[1] in ("", ", among them"))
        and all(whole[title] == number(of) for title, of in named)
        and len(whole) == len(named) + (int(more[1]) if more else 0)
        and (not more or len(named) == 6)
    )


def _fell_as_often(about: About, said: Sequence[str]) -> bool:
    """Check “Four figures of LMBench and STREAM got worse …, which they often do”"""
    titles = {group.benchmark: group.title for group in about.both.groups}
    rows = [row for event in _listed(about, event_groups.MINOR) for row in event.rows]
    rows += [row for event in _listed(about, event_groups.BACK) for row in event.unproved]
    fallen = [each for each in about.each(rows) if each.worse >= FAR - 1e-12]
    far = Counter(titles[each.row.benchmark] for each in fallen)
    pairs = re.findall(rf"({N}) → ({N})", said[2])
    is_named = len(pairs) == (far.total() if far.total() < 3 else 0) and all(
        any(rounds(a, each.ends[0]) and rounds(b, each.ends[1]) for each in fallen)
        for a, b in pairs
    )
    others = re.search(r" and (\d+) more benchmarks?$", said[1])
    named = re.split(", | and ", said[1].removesuffix(others[0] if others else ""))
    return (
        units.in_letters(far.total()).capitalize() == said[0]
        and is_named
        and {*named} <= {*far}
        and len(far) == len(named) + (int(others[1]) if others else 0)
    )


def _not_compared(about: About, begin: str) -> list[Row]:
    return [
        row
        for row in about.both.rows
        if row.old and row.new and row.verdict == "incomparable" and row.ground.startswith(begin)
    ]


def _counts_of_fact(about: About, rows: Sequence[Row], said: Sequence[str]) -> bool:
    of = sum(bool(row.old and row.new) for row in about.both.rows)
    return (len(rows), of) == tuple(map(number, said)) and 10 * len(rows) >= of


def _published_again(about: About, said: Sequence[str]) -> bool:
    """Check “11.02.01 publishes figures of 11.02 again: 416 of 536 …”: the new samples hold the old."""
    rows = _not_compared(about, "the figures are those of ")
    ends = [(each.sides[0], each.sides[1]) for each in about.each(rows)]
    hold = [bool(a and b) and b.low <= a.low and a.high <= b.high for a, b in ends if a and b]
    return (
        said[0] == about.both.new
        and {*said[1].split(" and ")} == {row.old.guide.release for row in rows if row.old}
        and 2 * sum(hold) >= len(hold)
        and _counts_of_fact(about, rows, said[2:])
    )


def _wrongly_labelled(about: About, said: Sequence[str]) -> bool:
    rows = _not_compared(about, "labels are wrong in ")
    titles = {group.benchmark: group.title for group in about.both.groups}
    return said[0] == units.enumeration(
        [*dict.fromkeys(titles[row.benchmark] for row in rows)]
    ) and _counts_of_fact(about, rows, said[2:])


def _not_named(about: About, said: Sequence[str]) -> bool:
    """Check “Four more are listed below”: the lists have three more than that."""
    listed = len(_proved_falls(about)) + len(_far_falls(about))
    return units.in_letters(listed - 3).capitalize() == said[0]


def _run_again(about: About, said: Sequence[str]) -> bool:
    titles = {group.benchmark: group.title for group in about.both.groups}
    names = {
        titles[event.benchmark]
        for event in _far_falls(about)
        if not any(row.doubt for row in event.rows)
    }
    if said[0] == "both releases":
        return not names
    return {*said[0].removesuffix(" and others").split(", ")} <= names


def _in_doubt(about: About, said: Sequence[str]) -> bool:
    """Check “First repeat IPsec (sk) and STREAM (evm): their figures are in doubt”"""
    titles = {group.benchmark: group.title for group in about.both.groups}
    doubted = {
        (titles[row.benchmark], about.both.board_names.get(row.board, row.board))
        for row in about.both.rows
        if row.doubt and not row.accepted
    }
    texts = re.findall(r"(?:^|, | and )([^()]+) \(([^()]+)\)", said[0])
    named = {(title, board) for title, boards in texts for board in boards.split(", ")}
    return named <= doubted and (said[1] == "its") == (len(texts) == 1)


HEADLINE = templates(
    {
        r"No figure was measured with both releases": lambda about, _: (
            not any(row.old and row.new for row in about.both.rows)
        ),
        r"Do not ship: .+": _holds_back,
        r"Look at # events? before you ship": _look,
        r"(It is not|Neither is|None of the \w+ is|\w+ of the \w+ (?:is|are) not) proved(: each release has only one set of measurements)?": _unproved,
        r"(None|#) of # figures (?:is|are) steady enough to show a change of 50 %": (
            lambda about, said: _judged_figures(about, (said[1] or "0", said[2]))
        ),
        r"The only figure is (not )?steady enough to show a change of 50 %": (
            lambda about, said: _judged(about) == (0 if said[0] else 1, 1)
        ),
        r"Ship what was judged: # % of # figures?; nothing got worse( except what is accepted)?": _nothing_worse,
        r"Too little to say(?:: (fewer than half) of the figures are judged)?": (
            lambda about, said: (_few_judged if said[0] else _no_falls)(about, said)
        ),
        r"(\w+) figures? of (.+?)((?: \(.+\))?) got worse by a factor of 1\.5 or more, which (?:it often does|they often do)": _fell_as_often,
        r"Nothing judged got worse: # % of # figures?": lambda about, said: _nothing_worse(
            about, (*said, "")
        ),
        r"(.+) publishes figures of (.+) again: # of # figures are not compared": _published_again,
        r"Labels of (.+) are wrong in (.+): # of # figures are not compared": _wrongly_labelled,
        r"(\w+) more (?:is|are) listed below": _not_named,
        r"# figures? that failed before works? again \((.+)\)(?:, but some new runs of (?:it|# of them) failed)?": _works_again,
        r"Figures of (.+) that (\S+) measured last got worse by a factor of 1\.5 or more": _worse_since,
        r"# figures? cannot be compared(?:, # of them because|:) (.+)": _cannot_be_compared,
        r"# figures? (?:was|were) not measured again(?:(:|, among them) all of (.+))?": _not_again,
        JUMPED: _of_jumps,
        r"Run (.+) again after a reboot, twice or more with each release, and add the bundles": _run_again,
        r"First repeat (.+): (its|their) figures are in doubt": _in_doubt,
        r"No board (?:has|was) .+": lambda about, _: not about.both.spans,
        r"Compare .+": lambda about, _: not about.both.spans,
    }
)


def _single(about: About, said: Sequence[str]) -> bool:
    """Check “Each release has only one set of measurements of 175 of these 200 figures”"""
    rows = [each for each in about.each(about.both.rows) if each.row.verdict == "noisy"]
    # Uploads that entirely repeat another one are no runs; those that repeat a part of it are.
    least, most = (
        sum(all(side and count(side) == 1 for side in each.sides) for each in rows)
        for count in (lambda side: len(side.runs), lambda side: len({*map(fmean, side.runs)}))
    )
    return least <= (number(said[0]) if said[0] else len(rows)) <= most


def _half_with_more(about: About, said: Sequence[str]) -> bool:
    """Check that with this many more runs at least half of the rows could be judged, and with fewer
    not."""
    needed = [row.more_runs for row in about.both.rows if row.verdict == "noisy" and row.more_runs]
    more, of = int(said[0].replace(",", "")), int((said[1] or "1").replace(",", ""))
    return (
        len(needed) == of
        and 2 * sum(n <= more for n in needed) >= of > 2 * sum(n < more for n in needed) - 1
    )


def _would_show(about: About, said: Sequence[str]) -> bool:
    """Check how many noisy rows would be called if they moved by half: those whose grounds promise
    it for 50 % or less."""
    noisy = [row for row in about.both.rows if row.verdict == "noisy"]
    promised = [row.detectable for row in noisy if row.detectable is not None]
    counts = (int((each or "1").replace(",", "")) for each in said[:2])
    return (sum(change <= 0.5 for change in promised), len(noisy)) == tuple(counts)


UNJUDGED = templates(
    {
        r"(?:It counts|# of these # figures counts?) as judged: a change of 50 % would have shown in (?:it|them)": _would_show,
        r"Each release has only one set of measurements of (?:them|it|# of these # figures)": _single,
        r"With # more runs? of each release, (?:half of the # figures|the one figure) with a known scatter could be judged": _half_with_more,
        r"Run a benchmark again with both releases, and add the bundles to the results": _yes,
    }
)

ALL = (*GROUNDS, *LINES, *PERHAPS, *HEADLINE, *UNJUDGED)


def _marks(title: str) -> tuple[bool, list[tuple[str, str, str, str]]]:
    """Return whether a title in a headline says that nothing is proved, and the fate that it names, with
    the number of its rows unless these are all."""
    end = title[title.rfind("(") :]
    fate = r"(?:(\d+) )?(reverted|still there|at both levels) in (\S+?)(, but not the largest)?\)"
    return "not proved" in end, re.findall(fate, end)


def check_comparison(both: Comparison, figures: Figures, checked: Checked) -> None:
    """Check everything that a comparison says."""
    about, where = About(figures, both), f"{both.old} → {both.new}"
    for each in about.each(both.rows):
        row = each.row
        at = f"{where}, {row.board}, {row.benchmark} {row.metric} {row.params}"
        for text in row_texts.ground(row).split("; "):
            checked.check(text, GROUNDS, each, at)
        if row.verdict == "same" and row.change and not row.is_clock and row.shift is None:
            is_seen = row.detectable is not None and row.detectable <= row.floor
            is_small = abs(row.change if row.work is None else row.work) <= row.floor
            is_step = re.search("one step|figures are equal|the clock is the same", row.ground)
            checked.note("the same", row.ground, is_seen or is_small or bool(is_step), at)
    for event in (*both.events, *both.far):
        title = event_titles.event_title(event, both)
        for each in (event, *event.also):
            check_event(each, about, checked, f"{where}, {title}")
    said = headline(both)
    for event, title in said.events:
        # Else the titles are those of the lists, which are checked with their events.
        own, marks = replace(about, counted=event.counted), _marks(title)
        is_unproved = {row.verdict for row in event.rows} == {"noisy"}
        is_true = marks[0] == (is_unproved and ": some runs fail" not in event.what)
        for number_of, word, release, but in marks[1]:
            (most, count), *_ = fates(own, release).most_common(1)
            is_true &= (
                most
                == {
                    "reverted": "went back",
                    "still there": "lasted",
                    "at both levels": "both",
                }[word]
            )
            first = replace(about, counted=(event_titles.farthest(event),))
            is_true &= bool(but) == bool([each for each in fates(first, release) if each != most])
            is_true &= count == int(number_of or len(event.counted))
        checked.note("known of events in the headline", title, is_true, where)
    falls = [*_proved_falls(about), *_listed(about, "Worse, not proved")]
    form = re.fullmatch(
        r"(?:Look at|Do not ship:) (.+?)( \(not proved\))?(?:, and (\d+) more)?", said.brief
    )
    is_true = form is None and not falls and said.brief == said.tag
    for event in falls if form else ():
        size = event_titles.title_parts(event, both)[1].removesuffix(",")
        title = next(group.title for group in both.groups if group.benchmark == event.benchmark)
        is_true |= (
            form[1] == f"{title}, {size or 'some runs fail'}"
            and (bool(size) or "some runs fail" in event.what)
            and bool(form[2]) == (event.kind == "noisy")
            and len(falls) == int(form[3] or 0) + 1
        )
    checked.note("in short", said.brief, is_true, where)
    more = " ".join([said.rest, *said.again, *said.besides])
    for text in re.split(r"\. (?=[A-Z0-9])", f"{said.sentence} {more.strip()}".strip()):
        if text := text.strip(". "):
            checked.check(text, HEADLINE, about, where)
    if both.counts["noisy"]:
        for text in overview.unjudged(both):
            checked.check(text.removesuffix("."), UNJUDGED, about, where)
