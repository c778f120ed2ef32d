"""The answer to whether a crypto accelerator is worth it: its rate and CPU load compared with the
fastest engine on the CPU of the same board, and the block sizes from which it is faster and costs
less CPU time.

A run whose engine is neither recorded nor inferred is only mentioned, if there is no other to
compare with. An inferred engine is called likely."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

import msgspec

from ..bundles.guide_key import GuideKey, family, version
from ..catalog.benchmarks import Benchmark, Catalog
from ..catalog.board_names import Boards
from ..catalog.chart_spec import is_number
from ..charts import crossovers
from ..charts.crossovers import Engine
from ..common import units
from ..common.grouping import grouped
from ..figures import engines
from ..figures.engines import RATE, SIZE, Inferred, Run
from ..figures.pool import Record
from . import search_words
from .search_words import FindableSection
from .sentences import board_in_words

QUESTION = "Is the accelerator worth it?"
"""The title of the answers, on pages and in the search."""

WORDS = ("hardware crypto", "accelerator", "worth", "worthwhile", "offload")
"""Words that a reader may search for."""

UNIT = "MB/s"
"""The unit of all rates."""

Kind = Literal["accelerator", "cpu", "busy"]
"""An engine outside the CPU, one on the CPU, or an unknown one that kept the CPU busy."""


MIN_RATIO = 1.05
"""The ratio of two rates, or of the data moved per second of CPU time, up to which they count as
equal: loads are often integers in per cent, and the runs may be of different releases."""


class Standing(NamedTuple):
    """The block sizes, ascending, at which an accelerator is ahead of another engine, level with
    it, and behind it."""

    ahead: list[float]
    level: list[float]
    behind: list[float]


class EngineRun(msgspec.Struct, frozen=True):
    """An engine's rates in MB/s by block size in bytes, ascending, and the CPU load of the run in
    per cent, or ``None`` if unknown; ``load_of`` says whether it is a share ``of one core`` or of
    all. ``words`` is the name within a sentence; ``release`` is empty for that of the guide in
    question."""

    name: str
    words: str
    release: str
    rates: tuple[tuple[float, float], ...]
    load: float | None
    load_of: str = ""


class CryptoAnswer(msgspec.Struct, frozen=True):
    """The answer for a board: its accelerator and the fastest engine on its CPU. ``cpu`` is ``None`` if no such
    engine is known; then ``busy`` is the latest run with a busy CPU and an unknown engine, if there
    is one."""

    benchmark: str
    guide: GuideKey
    board: str
    algorithm: str
    accelerator: EngineRun
    cpu: EngineRun | None
    busy: EngineRun | None = None

    @property
    def system(self) -> str:
        """The system and the release."""
        return f"{family(self.guide)} {self.guide.release}"

    @property
    def other(self) -> EngineRun | None:
        """The run to compare the accelerator's with."""
        return self.cpu or self.busy

    @property
    def sizes(self) -> list[float]:
        """The block sizes, ascending, that both runs have; those of the accelerator if it is
        alone."""
        rates = dict(self.accelerator.rates)
        return sorted(rates.keys() & dict(self.other.rates).keys()) if self.other else sorted(rates)

    @property
    def by_rate(self) -> Standing:
        """The block sizes at which the accelerator is faster than the other engine, as fast, and
        slower."""
        return self._standing(1.0)

    @property
    def by_cpu_time(self) -> Standing | None:
        """The block sizes at which it moves more data per second of CPU time than the other engine,
        as much, and less; ``None`` if a load is unknown."""
        if not (self.other and self.other.load and self.accelerator.load):
            return None
        return self._standing(self.accelerator.load / self.other.load)

    @property
    def is_behind(self) -> bool:
        """A flag: the accelerator is slower and moves less data per second of CPU time at every
        block size."""
        by_rate, by_cpu_time = self.by_rate, self.by_cpu_time
        return bool(by_cpu_time and by_rate.behind == by_cpu_time.behind == self.sizes)

    def _standing(self, ratio: float) -> Standing:
        """Return where the rate is more than ``ratio`` times the other's, as much, and less."""
        rates, other = dict(self.accelerator.rates), dict(self.other.rates if self.other else ())
        shares = {size: rates[size] / (ratio * other[size]) for size in self.sizes if size in other}
        return Standing(
            [size for size, share in shares.items() if share > MIN_RATIO],
            [size for size, share in shares.items() if 1 / MIN_RATIO <= share <= MIN_RATIO],
            [size for size, share in shares.items() if share < 1 / MIN_RATIO],
        )


@dataclass(frozen=True, slots=True)
class CryptoRun:
    """A run with its guide, its board under its current name, and the kind of its engine."""

    guide: GuideKey
    board: str
    benchmark: str
    algorithm: str
    kind: Kind
    engine: EngineRun


def answer_of_guides(
    boards: Boards, guides: Mapping[GuideKey, Sequence[CryptoRun]]
) -> CryptoAnswer | None:
    """Return the answer for the newest of a platform's guides, on the board with the fastest
    accelerator, preferably one with an engine on the CPU to compare with. Runs that the newest
    guide lacks are taken from the latest guide that has them. Return ``None`` if it has neither
    kind, or if no guide has an accelerator."""
    last = max(guides, key=lambda key: version(key.release))
    by_board = grouped((run for runs in guides.values() for run in runs), lambda run: run.board)
    answers = (
        _of_board(by_board[name], last, boards) for name in sorted(by_board, key=units.natural)
    )
    return max(filter(None, answers), key=_rank, default=None)


def findable(anchor: str) -> FindableSection:
    """Return the section of a page with the answer, for the search."""
    return FindableSection(anchor, QUESTION, search_words.split(*WORDS), is_answer=True)


def newest_answer(answers: Iterable[CryptoAnswer]) -> CryptoAnswer | None:
    """Return the answer for the newest release of a SoC."""
    return max(answers, key=lambda a: (version(a.guide.release), _rank(a)), default=None)


def _rank(answer: CryptoAnswer) -> tuple[bool, bool, bool, float]:
    is_now = bool(answer.cpu and not answer.cpu.release and not answer.accelerator.release)
    return is_now, answer.cpu is not None, answer.busy is not None, answer.accelerator.rates[-1][1]


def _of_board(runs: Iterable[CryptoRun], last: GuideKey, boards: Boards) -> CryptoAnswer | None:
    """Return the answer for one board, using the newest release of each kind of engine and, within
    it, the run that is fastest at its largest blocks."""

    def age(run: CryptoRun) -> tuple[object, ...]:
        return version(run.guide.release), run.engine.rates[-1]

    by_kind = {run.kind: run for run in sorted(runs, key=age)}
    accelerator, cpu, busy = (by_kind.get(kind) for kind in ("accelerator", "cpu", "busy"))
    if accelerator is None or last not in (accelerator.guide, cpu and cpu.guide):
        return None
    # A run as fast as the CPU was on the CPU, and says nothing about the accelerator.
    if cpu and cpu.guide == accelerator.guide:
        both = (Engine("", run.engine.rates, run.engine.load) for run in (accelerator, cpu))
        if crossovers.not_in_use(*both):
            return None

    def named(run: CryptoRun) -> EngineRun:
        release = "" if run.guide == last else run.guide.release
        return msgspec.structs.replace(run.engine, release=release)

    answer = CryptoAnswer(
        accelerator.benchmark,
        last,
        boards.short(last.soc, accelerator.board),
        accelerator.algorithm,
        named(accelerator),
        named(cpu) if cpu else None,
        named(busy) if busy and not cpu else None,
    )
    return answer if answer.sizes else None


def crypto_runs(
    catalog: Catalog,
    boards: Boards,
    records: Iterable[Record],
    loads: Mapping[Run, float],
    inferred: Mapping[Run, Inferred],
) -> list[CryptoRun]:
    """Return a guide's runs of the headline's algorithm on an idle board with one thread. ``loads``
    are in per cent."""
    rates: dict[Run, dict[float, float]] = {}
    record_of: dict[Run, Record] = {}
    for record in records:
        benchmark, size = catalog.benchmark(record.benchmark), record.params.get(SIZE)
        scale = units.factor(record.unit, UNIT)
        if scale is None or not is_number(size) or record.cell.mean is None:
            continue
        if record.metric == RATE and record.cell.mean > 0 and _is_headline_run(benchmark, record):
            run = engines.run_of(record)
            record_of[run] = record
            rates.setdefault(run, {})[float(size)] = units.scaled(record.cell.mean, scale)
    out = []
    for run, curve in rates.items():
        record, load = record_of[run], loads.get(run)
        benchmark = catalog.benchmarks[record.benchmark]
        kind = _kind(benchmark, record, inferred.get(run), load)
        if kind:
            name = engines.label(benchmark, record, inferred)
            # The name of an inferred engine, “likely the accelerator”, is no noun.
            words = f"what is {name}" if run in inferred else crossovers.the(name)
            algorithm = benchmark.value_label("algorithm", record.params["algorithm"])
            share = engines.load_of(benchmark)
            engine = EngineRun(name, words, "", tuple(sorted(curve.items())), load, share)
            board = boards.today(record.guide.soc, record.board)
            out.append(CryptoRun(record.guide, board, benchmark.name, algorithm, kind, engine))
    return out


def _is_headline_run(benchmark: Benchmark, record: Record) -> bool:
    """Return whether a rate belongs to the headline's runs, whatever its block size."""
    metric = benchmark.metric(record.metric)
    if metric is None or not (metric.headline and benchmark.param(engines.ENGINE).classes):
        return False
    algorithm, threads = metric.at.get("algorithm"), record.params.get("threads", 1)
    is_usual = record.params.get("algorithm") == algorithm and threads == 1
    # A parameter that no headline names, such as the kind of core, makes it a different kind of
    # run.
    usual_names = {*metric.at, SIZE, engines.ENGINE}
    return is_usual and engines.is_alone(record, benchmark) and record.params.keys() <= usual_names


def _kind(
    benchmark: Benchmark, record: Record, likely: Inferred | None, load: float | None
) -> Kind | None:
    """Return the kind of a run's engine; ``None`` if there is no evidence of it."""
    recorded = benchmark.param(engines.ENGINE).classes.get(str(record.params.get(engines.ENGINE)))
    name = recorded or (likely.name if likely else "")
    if name:
        return "accelerator" if name == engines.OFFLOAD else "cpu"
    return "busy" if load is not None and load >= engines.BUSY_LOAD_PERCENT else None


def sentences(answer: CryptoAnswer) -> str:
    """Return whether an accelerator is worth it, with the figures that this follows from."""
    verdict = f"{_verdict(answer)}." if answer.cpu else without_rival(answer)
    note = "" if answer.by_cpu_time is None else f" {NOT_BY_SIZE}"
    return f"{verdict} {figures(answer)}{note}"


def figures(answer: CryptoAnswer) -> str:
    """Return the figures of an accelerator and its rival, without a verdict on hardware crypto."""
    accelerator, other, last = answer.accelerator, answer.other, answer.sizes[-1]
    algorithm = f"{answer.algorithm} on {board_in_words(answer.board)}"
    begin = f"{algorithm} with blocks of {units.size(last)}: {_figure(accelerator, last)} with {_named(accelerator)}"
    if other is None:
        return f"{begin}."
    if answer.cpu:
        apart = "" if accelerator.release == other.release else f" {APART}"
        return (
            f"{begin}; {_figure(other, last)} with {_named(other)}, the fastest on the CPU.{apart}"
        )
    beside = f"{_figure(other, last)} in a run of {other.release} whose engine is not recorded"
    return f"{begin}; {beside}. {_verdict_on_busy(answer)}."


UNCERTAIN = (
    "We cannot tell whether the accelerator pays: no run is known to have encrypted on the CPU."
)
UNLIKELY = (
    "Hardware crypto is probably not worth it. We cannot be sure: no run is known to have encrypted on "
    "the CPU."
)
NOT_BY_SIZE = "One CPU load was measured for all sizes together: that of a single size may differ."
APART = "The two are of different releases."
MORE = "more data per second of CPU time"
UNCLEAR = "which takes less CPU time is not clear"
"""The verdict where only some sizes save CPU time, as the load of one size is not known."""
AT_MOST = "not faster, and moves at most as much data per second of CPU time"


class TableRow(NamedTuple):
    """An answer in a table: the answer in a few words, the rates with their loads, and the data
    moved per second of CPU time."""

    soc: str
    system: str
    words: str
    accelerator: tuple[str, str]
    cpu: tuple[str, str]
    per_cpu_second: str


def table_row(soc: str, answer: CryptoAnswer) -> TableRow:
    """Return an answer for a table of SoCs, with the figures of the largest blocks."""
    runs = [run for run in (answer.accelerator, answer.other) if run]
    size = answer.sizes[-1]
    moved = [
        units.number(100 * dict(run.rates)[size] / run.load, digits=3) if run.load else "—"
        for run in runs
    ]
    # The table's head says of what the loads are shares.
    shares = [f" {run.load_of or 'CPU'}" for run in runs]
    figures = [
        (_figure(run, size).removesuffix(share), _remark(run))
        for run, share in zip(runs, shares, strict=True)
    ]
    return TableRow(
        soc=soc,
        system=answer.system,
        words=_in_brief(answer),
        accelerator=figures[0],
        cpu=figures[1] if answer.other else ("—", ""),
        per_cpu_second=f"{' / '.join(moved)} MB",
    )


USUAL_NAMES = {
    "accelerator": "",
    "software": "",
    "likely the accelerator": "likely",
    "likely plain software": "likely",
}
"""Remarks on the usual engines in a column of accelerators or of the CPU."""


def _remark(run: EngineRun) -> str:
    name = USUAL_NAMES.get(run.name, run.name)
    return ", ".join(filter(None, (name, run.release)))


def _in_brief(answer: CryptoAnswer) -> str:
    sizes, by_rate, by_cpu_time = answer.sizes, answer.by_rate, answer.by_cpu_time
    if not answer.cpu:
        return "Probably not" if answer.busy and answer.is_behind else "Cannot tell"
    faster = by_rate.ahead
    is_faster = f"Faster {span(faster, sizes)}" if faster else "Not faster"
    if by_cpu_time is None:
        return f"{is_faster}; CPU time not known"
    if faster and faster == by_cpu_time.ahead:
        return f"Yes, {span(faster, sizes)}"
    if by_cpu_time.ahead:
        is_clear = by_cpu_time.ahead == sizes or _is_upper_end(by_cpu_time.ahead, sizes)
        thrift = f"thriftier {span(by_cpu_time.ahead, sizes)}" if is_clear else UNCLEAR
        return f"{is_faster}; {thrift}"
    if _is_upper_end(by_cpu_time.level, sizes):
        return f"{is_faster}; as thrifty {span(by_cpu_time.level, sizes)}"
    if faster:
        return f"{is_faster}, but not thriftier"
    return "No: not faster, nor thriftier"


def own_instructions(benchmark: Benchmark, records: Iterable[Record]) -> str:
    """Return how much faster instructions of the CPU are than software under the same conditions,
    for the headline's algorithm of one SoC; empty unless they are faster in every pair of runs."""
    described = benchmark.metric(RATE)
    algorithm = str(described.at.get("algorithm", "")) if described else ""
    classes = benchmark.param(engines.ENGINE).classes
    pairs: dict[object, dict[str, tuple[str, float]]] = {}
    for record in records:
        engine = str(record.params.get(engines.ENGINE))
        if (
            (record.metric, record.params.get("algorithm")) == (RATE, algorithm)
            and record.cell.mean
            and engine in classes
        ):
            rest = frozenset((n, v) for n, v in record.params.items() if n != engines.ENGINE)
            pair = pairs.setdefault((record.guide, record.board, rest), {})
            pair[classes[engine]] = benchmark.value_label(engines.ENGINE, engine), record.cell.mean
    both = [
        (pair[engines.INSTRUCTIONS], pair[engines.SOFTWARE])
        for pair in pairs.values()
        if pair.keys() >= {engines.INSTRUCTIONS, engines.SOFTWARE}
    ]
    names = {instructions[0] for instructions, _ in both}
    ratios = sorted(instructions[1] / software[1] for instructions, software in both)
    if len(names) != 1 or ratios[0] < MIN_RATIO:
        return ""
    ends = " to ".join(dict.fromkeys(f"{ratio:.1f}" for ratio in (ratios[0], ratios[-1])))
    runs = f"{benchmark.value_label('algorithm', algorithm)}, {units.with_noun(len(ratios), 'pair')} of runs"
    return (
        f"{units.capital(crossovers.the(names.pop()))}, a part of the CPU, does {ends} times as much as software "
        f"there ({runs})."
    )


def _verdict(answer: CryptoAnswer) -> str:
    sizes, by_rate, by_cpu_time = answer.sizes, answer.by_rate, answer.by_cpu_time
    faster = by_rate.ahead
    up_to = f"at any block size up to {units.size(sizes[-1])}"
    is_faster = f"is faster {span(faster, sizes)}" if faster else f"is not faster {up_to}"
    old = answer.accelerator.release
    subject = f"Hardware crypto, last measured in {old}," if old else "Hardware crypto"
    if by_cpu_time is None:
        return f"{subject} {is_faster}; its CPU time is not known"
    more_efficient, level = by_cpu_time.ahead, by_cpu_time.level
    if faster and faster == more_efficient:
        return f"{subject} is worth it {span(faster, sizes)}: it is faster, and moves {MORE}"
    if more_efficient and not (more_efficient == sizes or _is_upper_end(more_efficient, sizes)):
        return f"{subject} {is_faster}; {UNCLEAR}"
    if more_efficient:
        but = "and" if faster else "but"
        return f"{subject} {is_faster}, {but} moves {MORE} {span(more_efficient, sizes)}"
    # A single size within 5 %, with all others behind, may be noise.
    if _is_upper_end(level, sizes):
        as_much = f"as much data per second of CPU time as the CPU alone {span(level, sizes)}"
        return f"{subject} {is_faster}, and moves {as_much} (within 5 %)"
    if faster:
        return f"{subject} {is_faster}, but does not move {MORE} at any block size"
    compared = f"{AT_MOST} (within 5 %)" if level else f"neither faster nor moves {MORE}"
    return f"{subject} is not worth it {up_to}: it is {compared}"


def without_rival(answer: CryptoAnswer) -> str:
    """Return the verdict if no engine on the CPU is known. A run that kept the CPU busy was
    probably on it, but decides only if the accelerator is behind at every block size."""
    return UNLIKELY if answer.busy and answer.is_behind else UNCERTAIN


def _verdict_on_busy(answer: CryptoAnswer) -> str:
    """Return in words at which sizes the other run was ahead, whatever its engine."""
    sizes, faster, by_cpu_time = answer.sizes, answer.by_rate.behind, answer.by_cpu_time
    out = f"That run was faster {span(faster, sizes)}"
    if by_cpu_time is None:
        return out
    more_efficient = by_cpu_time.behind
    if more_efficient == faster:
        return f"{out}, with {MORE}" if faster else out
    return f"{out}, and moved {MORE} {span(more_efficient, sizes)}"


def span(chosen: Sequence[float], sizes: Sequence[float]) -> str:
    """Describe some of the block sizes: ``from blocks of 1 KiB on``, ``at every block size``."""
    if not chosen:
        return f"at no block size up to {units.size(sizes[-1])}"
    if len(chosen) == len(sizes):
        return "at every block size"
    if _is_upper_end(chosen, sizes):
        return f"from blocks of {units.size(chosen[0])} on"
    return f"with blocks of {units.enumeration([*map(units.size, chosen)])} only"


def _is_upper_end(chosen: Sequence[float], sizes: Sequence[float]) -> bool:
    """Return whether several sizes are the largest ones, without a gap."""
    return len(chosen) > 1 and list(chosen) == list(sizes[-len(chosen) :])


def _named(run: EngineRun) -> str:
    return f"{run.words} in {run.release}" if run.release else run.words


def _figure(run: EngineRun, size: float) -> str:
    load = engines.at_load(run.load, run.load_of)
    return f"{units.number(dict(run.rates)[size])} {UNIT}{load}"
