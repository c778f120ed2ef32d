"""The class of a crypto engine, inferred from rates and CPU load where it was not recorded.

An *offload* engine works beside the processor: each call goes through the kernel, so small blocks
are slow, and the processor waits. CPU instructions and plain software keep the processor busy; with
instructions, a byte costs so little that the call dominates small blocks. Inferred classes are
marked as inferred, and never treated as recorded."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import fmean
from typing import NamedTuple, TypeVar

from ..bundles.guide_key import GuideKey
from ..catalog.benchmarks import Benchmark, Catalog, Scalar
from ..catalog.chart_spec import is_number
from ..common import units
from ..common.grouping import grouped
from .pool import Record

T = TypeVar("T")

OFFLOAD, INSTRUCTIONS, SOFTWARE = "offload", "CPU instructions", "plain software"

ENGINE, SIZE, RATE, LOAD = "engine", "block_size", "throughput", "cpu_load"
"""The parameters and metrics that the inference uses, as named in benchmark descriptions."""

WAITING_LOAD_PERCENT, BUSY_LOAD_PERCENT = 60.0, 85.0
"""CPU load per thread: below the first the processor waited, from the second on it was busy."""

MIN_DIRECT_CALL_RATIO = 0.03
"""If the rate of 16-byte blocks is a smaller share of that of the largest blocks, each call must go
through the kernel. CPU instructions reach at least 0.05."""

MAX_INSTRUCTIONS_RATIO, MIN_SOFTWARE_RATIO = 0.3, 0.4
"""The same share for a block cipher: at most the first with CPU instructions, at least the second
in software, in which the bytes cost as much as the call."""


class Run(NamedTuple):
    """A run of a benchmark, by all its parameters but the block size."""

    guide: GuideKey
    board: str
    benchmark: str
    params: frozenset[tuple[str, Scalar]]


@dataclass(frozen=True, slots=True)
class Inferred:
    """The inferred class of one run's engine, and the evidence in words."""

    name: str
    reason: str


def run_of(record: Record) -> Run:
    """Return the run to which a figure belongs."""
    params = frozenset((n, v) for n, v in record.params.items() if n != SIZE)
    return Run(record.guide, record.board, record.benchmark, params)


def inferred(records: Iterable[Record], catalog: Catalog) -> dict[Run, Inferred]:
    """Infer the engine class of each run that does not record one, where the figures allow it.
    Runs alongside other work or with a nice level are ignored."""
    rates: dict[Run, dict[float, float]] = {}
    loads: dict[Run, list[float]] = {}
    for record in records:
        mean, benchmark = record.cell.mean, catalog.benchmark(record.benchmark)
        if mean is None or mean <= 0 or not _unrecorded(record, benchmark):
            continue
        # The load covers the entire run; there is one rate per block size.
        size = record.params.get(SIZE)
        if record.metric == RATE and is_number(size) and size > 0:
            rates.setdefault(run_of(record), {})[float(size)] = mean
        elif record.metric == LOAD:
            loads.setdefault(run_of(record), []).append(mean)
    return {
        run: engine
        for run, by_size in rates.items()
        if (engine := _class(run, by_size, loads.get(run, ())))
    }


def loads(records: Iterable[Record]) -> dict[Run, float]:
    """Return the CPU load of each run, in %: that over all block sizes."""
    by_run = grouped((r for r in records if r.metric == LOAD and r.cell.mean is not None), run_of)
    return {run: fmean(r.cell.mean or 0.0 for r in of_run) for run, of_run in by_run.items()}


def is_on_cpu(
    benchmark: Benchmark, record: Record, by_run: Mapping[Run, Inferred], load: float | None
) -> bool | None:
    """Return whether a figure's engine ran on the CPU, by its recorded or inferred class, or else
    because the CPU was busy; ``None`` if there is no evidence. ``load`` is in per cent."""
    likely = by_run.get(run_of(record))
    name = benchmark.param(ENGINE).classes.get(str(record.params.get(ENGINE)))
    name = name or (likely.name if likely else "")
    if name:
        return name != OFFLOAD
    if load is None or ENGINE not in record.params or not is_alone(record, benchmark):
        return None
    return True if _per_thread(load, record.params) >= BUSY_LOAD_PERCENT else None


def _per_thread(load: float, params: Mapping[str, Scalar]) -> float:
    """Return the load of one thread: programs report that of all threads."""
    threads = params.get("threads", 1)
    return load / threads if is_number(threads) and threads >= 1 else load


class Identity(NamedTuple):
    """The identity of a figure, without its unit."""

    guide: GuideKey
    board: str
    benchmark: str
    metric: str
    params: frozenset[tuple[str, Scalar]]


def identity(record: Record) -> Identity:
    """Return the identity of a figure."""
    params = frozenset(record.params.items())
    return Identity(record.guide, record.board, record.benchmark, record.metric, params)


def beside(record: Record, metric: str, figures: Mapping[Identity, T]) -> T | None:
    """Return the figure of another metric from the same run. It has the same parameters, or lacks
    one of them: a load may be measured over all block sizes."""
    same = identity(record)._replace(metric=metric)
    fewer = (same.params - {item} for item in sorted(same.params, key=str))
    for params in (same.params, *fewer):
        figure = figures.get(same._replace(params=params))
        if figure is not None:
            return figure
    return None


def without_engine(benchmark: Benchmark, record: Record) -> Record:
    """Return a figure without the engine among its parameters, if the benchmark's description
    classifies engines."""
    if not benchmark.param(ENGINE).classes:
        return record
    params = {name: value for name, value in record.params.items() if name != ENGINE}
    return replace(record, params=params)


def load_beside(record: Record, figures: Mapping[Identity, T]) -> T | None:
    """Return the figure that is the CPU load of a rate."""
    load = _load_metric(record.metric)
    return None if record.metric == load else beside(record, load, figures)


def _load_metric(metric: str) -> str:
    """Return the metric of the load beside another: ``read_cpu_load`` for ``read_throughput``, or
    that of a load itself."""
    if metric.endswith(LOAD):
        return metric
    return f"{metric.removesuffix(RATE)}{LOAD}" if metric.endswith(RATE) else LOAD


def _share_of(benchmark: Benchmark, metric: str) -> str:
    """Return of what a CPU load, or the one beside a rate, is a share: ``of one core``
    if it may be 100 % per thread, ``of all cores``, or "" if the benchmark's description does not
    say it."""
    load = benchmark.metric(_load_metric(metric))
    if load is None or load.at_most is None:
        return f"of {load.share_of}" if load and load.share_of else ""
    return "of one core" if load.at_most_per else "of all cores"


def load_of(benchmark: Benchmark, metric: str = RATE, params: Collection[str] = ()) -> str:
    """Return of what the CPU load beside a rate is a share, such as ``of one core over all sizes``:
    a load covers all block sizes unless ``params``, its parameters, have a size."""
    share = _share_of(benchmark, metric)
    is_over_sizes = metric == RATE and SIZE in benchmark.entry.params and SIZE not in params
    return f"{share} over all sizes" if share and is_over_sizes else share


def metric_label(benchmark: Benchmark, metric: str) -> str:
    """Return the label of a metric; a CPU load says of what it is a share."""
    share = _share_of(benchmark, metric) if metric.endswith(LOAD) else ""
    return f"{benchmark.metric_label(metric)} {share}".rstrip()


def at_load(load: float | None, share: str) -> str:
    """Return the end of a phrase, `` at 37 % of one core``, from a load in % and the words of
    :func:`load_of`; "" if the load is unknown."""
    return "" if load is None else f" at {units.number(load)} % {share or 'CPU'}"


def is_waiting(load: float) -> bool | None:
    """Return whether a processor with this CPU load, in %, was waiting for an engine, or ``None``
    if the load is inconclusive."""
    if WAITING_LOAD_PERCENT <= load < BUSY_LOAD_PERCENT:
        return None
    return load < WAITING_LOAD_PERCENT


def of_figure(catalog: Catalog, record: Record, by_run: Mapping[Run, Inferred]) -> str:
    """Return the display name of a figure's engine, even if its benchmark is undescribed."""
    return label(catalog.benchmark(record.benchmark), record, by_run)


def label(benchmark: Benchmark, record: Record, by_run: Mapping[Run, Inferred]) -> str:
    """Return the display name of a figure's engine, prefixed with "likely" if inferred, or an
    empty string if the figure has none."""
    if ENGINE not in record.params:
        return ""
    likely = by_run.get(run_of(record))
    if likely is None:
        return benchmark.value_label(ENGINE, record.params[ENGINE])
    return _likely(likely.name)


def _likely(name: str) -> str:
    return f"likely {'the accelerator' if name == OFFLOAD else name}"


def words(
    records: Iterable[Record],
    by_run: Mapping[Run, Inferred],
    label: Callable[[str], str] = str,
    short: Callable[[str], str] = str,
) -> list[str]:
    """Return a phrase for each class inferred for some figures, with its boards, algorithms and
    evidence. ``label`` formats an algorithm, ``short`` a board."""
    runs: dict[tuple[str, str], dict[str, str]] = {}
    for run in dict.fromkeys(map(run_of, records)):
        if run in by_run:
            algorithm = str(dict(run.params).get("algorithm", "all"))
            runs.setdefault((by_run[run].name, run.board), {})[algorithm] = by_run[run].reason
    ordered = sorted(runs, key=lambda run: (run[0], units.natural(run[1])))
    alike = grouped(ordered, lambda run: (run[0], tuple(sorted(runs[run], key=units.natural))))
    phrases = []
    for (name, named), members in alike.items():
        reason = f"{label(named[0])}: {runs[members[0]][named[0]]}"
        boards = _all_of(short(board) for _, board in members)
        scope = f"on {boards} for {_all_of(map(label, named))}"
        phrases.append(f"{_likely(name)} {scope} ({reason})")
    return phrases


def _all_of(names: Iterable[str]) -> str:
    """Return ``A, B and C``."""
    *others, last = names
    return f"{', '.join(others)} and {last}" if others else last


def busy(records: Iterable[Record], catalog: Catalog) -> list[str]:
    """Return a sentence for each engine that is recorded as offload yet kept the processor busy,
    and so frees no CPU time."""
    loads: dict[tuple[str, str], list[float]] = {}
    for record in records:
        benchmark, load = catalog.benchmark(record.benchmark), record.cell.mean
        if record.metric != LOAD or load is None or not is_alone(record, benchmark):
            continue
        value, load = str(record.params.get(ENGINE)), _per_thread(load, record.params)
        if benchmark.param(ENGINE).classes.get(value) == OFFLOAD and load >= BUSY_LOAD_PERCENT:
            loads.setdefault((record.board, benchmark.value_label(ENGINE, value)), []).append(load)
    return [
        f"the {label} on {board} kept the CPU busy ({_span(percents)}): it frees none"
        for (board, label), percents in sorted(loads.items())
    ]


OTHER_WORK = {"workload", "background", "nice"}
"""The parameters that say which other work runs alongside."""


def is_alone(record: Record, benchmark: Benchmark) -> bool:
    """Return whether a figure was measured with no other work running alongside."""
    return all(
        record.params[name] == benchmark.param(name).default
        for name in record.params.keys() & OTHER_WORK
    )


def _unrecorded(record: Record, benchmark: Benchmark) -> bool:
    # Results that name no engine got the default from the description.
    param = benchmark.param(ENGINE)
    unstated = bool(param.classes) and record.params.get(ENGINE) == param.default
    return unstated and is_alone(record, benchmark)


def _class(run: Run, rates: Mapping[float, float], loads: Sequence[float]) -> Inferred | None:
    params = dict(run.params)
    threads = params.get("threads", 1)
    # The limits are per thread, but programs report the total load of all threads.
    per_thread = [load / threads for load in loads] if is_number(threads) and threads >= 1 else []
    # Without large blocks, call overhead dominates even the best rate.
    share = rates[16] / rates[max(rates)] if 16 in rates and max(rates) >= 4096 else None
    # The load is stronger evidence than the rates, so it comes first.
    if per_thread and max(per_thread) < WAITING_LOAD_PERCENT:
        return Inferred(OFFLOAD, f"CPU load {_span(per_thread)}")
    name = str(params.get("algorithm", ""))
    # Without a load, calls into the kernel could end in CPU instructions that the kernel uses.
    if (
        not name.startswith("aes-")
        or share is None
        or (per_thread and min(per_thread) < BUSY_LOAD_PERCENT)
        or share < MIN_DIRECT_CALL_RATIO
    ):
        return None
    reason = f"16-byte blocks at {100 * share:.0f} % of the rate of the largest"
    reason += f", CPU load {_span(per_thread)}" if per_thread else ""
    if share <= MAX_INSTRUCTIONS_RATIO:
        return Inferred(INSTRUCTIONS, reason)
    return Inferred(SOFTWARE, reason) if share >= MIN_SOFTWARE_RATIO else None


def _span(loads: Sequence[float]) -> str:
    low, high = min(loads), max(loads)
    return f"{low:.0f} %" if round(low) == round(high) else f"{low:.0f} to {high:.0f} %"
