"""Names of events: what their rows have in common, and what may explain them."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence
from statistics import median

from ..catalog.benchmarks import Benchmark
from ..catalog.chart_spec import is_number
from ..common import units
from ..figures import labels
from .event import Event, leading_of
from .event_parts import figure_of
from .match import BY_DESIGN, Conditions, Names
from .row import Row
from .row_moves import level_left, measures_own, over_scatter
from .verdicts import SideFigures

NAMED = 3
"""The most metrics or benchmarks that an event names; more are only counted."""


def event_of(
    own: Sequence[Row],
    rows: Sequence[Row],
    old: SideFigures,
    new: SideFigures,
    names: Names,
    unproved: Sequence[Row] = (),
) -> Event:
    """Return an event of rows that moved the same way, named by what they share but others of
    ``rows`` do not; ``unproved`` are its further rows."""
    own = sorted(own, key=_firmest_of(own))
    kind = own[0].verdict
    leading = leading_of(own)
    own = [*leading, *(row for row in own if row not in leading)]
    first = own[0]
    plain = kind == "changed"
    moves = (row.change if plain else row.ratio and row.ratio - 1 for row in leading)
    ratios = sorted(1 + move for move in moves if move is not None)
    boards = tuple(sorted({row.board for row in leading}, key=units.natural))
    shared = any(row.shift for row in own)
    wide = all(
        row.shift is not None and row.shift.name == row.board for row in own if row.verdict == kind
    )
    siblings = [row for row in rows if row.benchmark == first.benchmark and row.board in boards]
    what = "all benchmarks" if wide else names.catalog.title(first.benchmark)
    if not wide:
        metric, _, more = (narrow := shared_words(leading, siblings, names)).partition(", ")
        # “UDP throughput: throughput, ingress” would be redundant.
        narrow = more if what.casefold().endswith(f" {metric.casefold()}") else narrow
        what = f"{what}: {narrow}" if narrow else what
    recorded = [*_conditions(own, old, new)]
    if back := returned(own):
        recorded.append(back)
    return Event(
        kind,
        what,
        boards,
        first.benchmark,
        tuple(own),
        median(ratios) - 1 if ratios else None,
        shared,
        tuple(recorded),
        unproved=tuple(sorted(unproved, key=farthest_first)),
    )


def returned(rows: Sequence[Row]) -> str:
    """Return in words to which release's level most rows came back, which release differed from it,
    and how many rows did if not all; "" if most did not."""
    pair = level, exception = level_returned_to(rows)
    count = sum((own[-2][0], own[-1][0]) == pair for row in rows if (own := level_left(row)))
    part = f", in {count:,} of the {len(rows):,} rows" if count < len(rows) else ""
    at_clock = " at equal clock" if any(row.past for row in rows) else ""
    return (
        f"a return to the level of {level}{at_clock}, from which {exception} differed{part}"
        if level
        else ""
    )


def level_returned_to(rows: Sequence[Row]) -> tuple[str, str]:
    """Return to which release's level most rows came back, and which release differed from it; ""
    twice if they did not."""
    releases = Counter((own[-2][0], own[-1][0]) for row in rows if (own := level_left(row)))
    pair, count = next(iter(releases.most_common(1)), (("", ""), 0))
    # A figure that keeps jumping has no level to come back to.
    return pair if 2 * count > len(rows) else ("", "")


def farthest_first(row: Row) -> tuple[bool, float]:
    """Return a sort key: rows that moved farthest come first, and those that follow others, as
    loads follow their work, last. Unproved moves count as multiples of their scatter."""
    if row.verdict == "noisy":
        return bool(row.follows) or row.work is not None, -over_scatter(row)
    ratio = row.ratio if row.ratio is not None else 1 + (row.change or 0.0)
    return bool(row.follows) or row.work is not None, -abs(
        math.log(ratio)
    ) if ratio > 0 else -math.inf


def _firmest_of(rows: Sequence[Row]) -> Callable[[Row], tuple[object, ...]]:
    """Return a sort key for the rows of an event: proved ones come first, then figures that moved
    on more boards, those that moved far on each of them before others, boards at the old clock, and
    rows that moved farthest."""
    sizes: dict[tuple[object, ...], list[float]] = {}
    for row in rows:
        sizes.setdefault(figure_of(row), []).append(abs(row.worse_by or 0.0))

    def key(row: Row) -> tuple[object, ...]:
        own = sizes[figure_of(row)]
        alike = -len(own), len(own) > 1 and -min(own)
        return row.verdict == "noisy", *alike, bool(row.past), *farthest_first(row)

    return key


def shared_words(own: Sequence[Row], siblings: Sequence[Row], names: Names) -> str:
    """Return in words what the rows share but other rows of the benchmark do not: metric, engine,
    size."""
    parts = []
    benchmark = names.catalog.get(own[0].benchmark)
    leading = leading_of(own)
    # Packets of a rate do not make its name any clearer.
    rates = [row for row in leading if measures_own(row)] or leading
    metrics = list(dict.fromkeys(row.metric for row in rates))
    if len(metrics) <= NAMED:
        metrics.sort()
    if len({row.metric for row in siblings}) > len(metrics):
        full = [benchmark.metric_label(m) if benchmark else m for m in metrics]
        inner = [labels.within(name) for name in full]
        parts.append(_joined(inner if len({*inner}) == len(inner) else [inner[0], *full[1:]]))
    for name, value in sorted(own[0].params.items()):
        default = benchmark.param(name).default if benchmark else None
        # Readers assume the default, so it is not worth mentioning.
        if any(row.params.get(name) != value for row in own):
            parts += _several_values(name, own, siblings, benchmark)
            parts += _some_sizes(name, own, siblings, benchmark)
            continue
        if value == default:
            continue
        if any(row.params.get(name) != value for row in siblings):
            plain = labels.params_text({name: value})
            parts.append(labels.param(benchmark, name, value) if benchmark else plain)
    return ", ".join(parts)


def _several_values(
    name: str, own: Sequence[Row], siblings: Sequence[Row], benchmark: Benchmark | None
) -> list[str]:
    """Return the few words that a parameter has in these rows but not in all others of the
    benchmark or, of many, their common start: ``AES`` of ``AES-128-CBC`` and others."""
    words = dict.fromkeys(
        value for row in own if isinstance(value := row.params.get(name), str) and value
    )
    is_all = {row.params[name] for row in siblings if name in row.params} <= {*words}
    if benchmark is None or is_all or any(row.params.get(name) not in words for row in own):
        return []
    texts = [labels.param(benchmark, name, word) for word in words]
    begins = {text.partition("-")[0] for text in texts}
    if len(begins) == 1 and all("-" in text for text in texts):
        return [*begins]
    return [" and ".join(sorted(texts))] if len(texts) < NAMED else []


def _some_sizes(
    name: str, own: Sequence[Row], siblings: Sequence[Row], benchmark: Benchmark | None
) -> list[str]:
    """Return in words up to or from which size rows moved, if all such sizes did and several others
    of their kind did not: ``block size up to 1 KiB``."""
    kinds = {_kind(row) for row in own}
    moved, every = (
        sorted(
            {size for row in rows if _kind(row) in kinds if is_number(size := row.params.get(name))}
        )
        for rows in (own, siblings)
    )
    if benchmark is None or not moved or len(every) < len(moved) + MIN_OTHER_SIZES:
        return []
    for way, end, ends in (
        ("up to", moved[-1], every[: len(moved)]),
        ("from", moved[0], every[-len(moved) :]),
    ):
        if moved == ends:
            size = benchmark.value_label(name, end)
            return [labels.param(benchmark, name, end).replace(size, f"{way} {size}")]
    return []


MIN_OTHER_SIZES = 2
"""The fewest sizes that did not move for those that did to be named."""


def _kind(row: Row) -> tuple[object, ...]:
    """Return a key that rows share if they differ in sizes only."""
    return row.metric, frozenset((n, v) for n, v in row.params.items() if not is_number(v))


def _joined(names: Sequence[str]) -> str:
    """Join names, with a common start given once: ``context switch: 2 of 64 KiB; 4 of 64 KiB``."""
    begins = dict.fromkeys(name.partition(", ")[0] for name in names)
    if len(names) > NAMED:
        if len(begins) <= NAMED:
            return ", ".join(begins)
        return f"{next(iter(begins))} and {len(names) - 1} more metrics"
    if len(names) > 1 and len(begins) == 1 and all(", " in name for name in names):
        return f"{next(iter(begins))}: {'; '.join(name.partition(', ')[2] for name in names)}"
    return ("; " if any(", " in name for name in names) else ", ").join(dict.fromkeys(names))


def _conditions(own: Sequence[Row], old: SideFigures, new: SideFigures) -> list[str]:
    """Return the conditions that changed for all rows of an event that both sides have."""
    counts: Counter[str] = Counter()
    both = [row for row in own if row.old and row.new]
    for row in both:
        assert row.old and row.new
        counts.update(_changed(old.pool.conditions(row.old), new.pool.conditions(row.new)))
    return [text for text, count in counts.items() if count == len(both)]


def _changed(was: Conditions, now: Conditions) -> list[str]:
    out = []
    for name in sorted({*was, *now}):
        a, b = (" and ".join(sorted(side.get(name, ()))) for side in (was, now))
        # A fact stated by only one side may not have changed.
        if not a or not b or a == b:
            continue
        if name in (*BY_DESIGN, "governor", "cpu_mhz") or name.startswith("tool "):
            word = {"cpu_mhz": "clock"}.get(name, name.removeprefix("tool "))
            out.append(f"{word} {a} → {b}")
    return out
