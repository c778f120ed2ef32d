"""Which class of engine has run where nobody recorded it, inferred from rates and CPU load.

An *offload* engine works beside the processor: each call costs a way through the kernel, so
small blocks are slow, and the processor waits meanwhile. Instructions of the processor and
plain software keep it busy; with instructions a byte costs so little that the call around it
shows in small blocks. What is inferred is marked as such, and is never taken for recorded.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from ..bundles.guide_key import GuideKey
from ..catalog.benchmarks import Benchmark, Catalog, Scalar
from ..catalog.chart_spec import is_number
from ..common import units
from .pool import Record

OFFLOAD, INSTRUCTIONS, SOFTWARE = "offload", "CPU instructions", "plain software"

ENGINE, SIZE, RATE, LOAD = "engine", "block_size", "throughput", "cpu_load"
"""The parameters and metrics that it is inferred from, as descriptions with classes name them."""

IDLE, BUSY = 60.0, 85.0
"""The CPU load in % for each thread below which the processor waited, and from which it did not."""

ROUND_TRIP = 0.03
"""The rate of 16-byte blocks as a share of that of the largest, below which each call goes
through the kernel; with instructions it is 0.05 and more."""

CHEAP, DEAR = 0.3, 0.4
"""The same share for a block cipher: up to the first with instructions, from the second in
software, whose bytes cost as much as the call."""

Run = tuple[GuideKey, str, str, frozenset[tuple[str, Scalar]]]
"""Guide, board, benchmark, and the parameters without the block size."""


@dataclass(frozen=True, slots=True)
class Inferred:
    """The class of one run's engine, and what it follows from."""

    name: str
    reason: str


def run_of(record: Record) -> Run:
    """The run that a figure is of."""
    params = frozenset((n, v) for n, v in record.params.items() if n != SIZE)
    return record.guide, record.board, record.benchmark, params


def inferred(records: Iterable[Record], catalog: Catalog) -> dict[Run, Inferred]:
    """The classes that follow from figures, of the runs whose engine is not recorded. Runs
    beside a load or with a nice level say nothing."""
    rates: dict[Run, dict[float, float]] = {}
    loads: dict[Run, list[float]] = {}
    for record in records:
        mean, benchmark = record.cell.mean, catalog.get(record.benchmark)
        if mean is None or mean <= 0 or benchmark is None or not _unrecorded(record, benchmark):
            continue
        size = record.params.get(SIZE)
        if record.metric == RATE and is_number(size) and size > 0:
            rates.setdefault(run_of(record), {})[float(size)] = mean
        elif record.metric == LOAD:
            loads.setdefault(run_of(record), []).append(mean)
    out = {}
    for run, by_size in rates.items():
        found = _class(run, by_size, loads.get(run, ()))
        if found:
            out[run] = found
    return out


def words(records: Iterable[Record], known: Mapping[Run, Inferred]) -> list[str]:
    """What is to say of figures whose runs have an inferred class: a sentence for each board and
    class, with the algorithms and what it follows from."""
    runs: dict[tuple[str, str], dict[str, str]] = {}
    for run in dict.fromkeys(map(run_of, records)):
        if run in known:
            algorithm = str(dict(run[3]).get("algorithm", "all"))
            runs.setdefault((run[1], known[run].name), {})[algorithm] = known[run].reason
    out = []
    for (board, name), by_algorithm in sorted(runs.items(), key=lambda i: units.natural(str(i[0]))):
        named = sorted(by_algorithm, key=units.natural)
        first = by_algorithm[named[0]]
        out.append(f"{name} on {board} for {', '.join(named)} (inferred; {named[0]}: {first})")
    return out


def busy(records: Iterable[Record], catalog: Catalog) -> list[str]:
    """Sentences about engines that are recorded as offload and kept the processor busy all the
    same, so that they free no CPU."""
    found: dict[tuple[str, str], list[float]] = {}
    for record in records:
        benchmark, load = catalog.get(record.benchmark), record.cell.mean
        if (
            record.metric != LOAD
            or benchmark is None
            or load is None
            or not _is_alone(record, benchmark)
        ):
            continue
        value, threads = str(record.params.get(ENGINE)), record.params.get("threads", 1)
        each = load / threads if is_number(threads) and threads >= 1 else load
        if benchmark.param(ENGINE).classes.get(value) == OFFLOAD and each >= BUSY:
            found.setdefault((record.board, benchmark.value_label(ENGINE, value)), []).append(each)
    return [
        f"the {label} on {board} kept the CPU busy ({_span(loads)}): it frees none"
        for (board, label), loads in sorted(found.items())
    ]


def _is_alone(record: Record, benchmark: Benchmark) -> bool:
    """Whether nothing else ran beside a figure's run."""
    return all(
        record.params[name] == benchmark.param(name).default
        for name in record.params.keys() & {"workload", "background", "nice"}
    )


def _unrecorded(record: Record, benchmark: Benchmark) -> bool:
    param = benchmark.param(ENGINE)
    unstated = bool(param.classes) and record.params.get(ENGINE) == param.default
    return unstated and _is_alone(record, benchmark)


def _class(run: Run, rates: Mapping[float, float], loads: Sequence[float]) -> Inferred | None:
    params = dict(run[3])
    threads = params.get("threads", 1)
    each = [load / threads for load in loads] if is_number(threads) and threads >= 1 else []
    share = rates[16] / rates[max(rates)] if 16 in rates and max(rates) >= 4096 else None
    if each and max(each) < IDLE:
        return Inferred(OFFLOAD, f"CPU load {_span(each)}")
    name = str(params.get("algorithm", ""))
    # The first block of a digest costs more than the later ones, in software too.
    cipher = name.startswith(("aes-", "des"))
    if cipher and not each and share is not None and share < ROUND_TRIP:
        return Inferred(OFFLOAD, f"16-byte blocks at {100 * share:.1f} % of the largest's rate")
    if (
        not name.startswith("aes-")
        or share is None
        or (each and min(each) < BUSY)
        or share < ROUND_TRIP
    ):
        return None
    reason = f"16-byte blocks at {100 * share:.0f} % of the largest's rate"
    reason += f", CPU load {_span(each)}" if each else ""
    if share <= CHEAP:
        return Inferred(INSTRUCTIONS, reason)
    return Inferred(SOFTWARE, reason) if share >= DEAR else None


def _span(loads: Sequence[float]) -> str:
    low, high = min(loads), max(loads)
    return f"{low:.0f} %" if round(low) == round(high) else f"{low:.0f} to {high:.0f} %"
