"""Findings about bundles that disagree with descriptions, themselves, each other, or the clock.

These bundles can be published, so none is refused. Each finding is reported once, with its fix.
"""

from __future__ import annotations

import datetime
import difflib
import itertools
import json
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

import msgspec
from msgspec import UNSET

from ..bundle import Result, pointer
from ..bundles import mixed_setups
from ..bundles.decode import Loaded
from ..common import units
from ..common.diagnostics import Diagnostic
from ..common.grouping import grouped
from ..common.units import with_noun
from . import phrases
from .benchmarks import Benchmark, Catalog

SYSTEMS = ("linux", "rt-linux")
"""The usual systems, as written in bundles."""

_PLACEHOLDERS = {"unknown", "none", "n/a", "na", "null", "nil", "tbd", "todo", "soc", "test", "-"}
_BARE = re.compile(r"[A-Za-z0-9_-]+")


@dataclass(slots=True)
class _Occurrences:
    """The first bundle with an undescribed name, and the number of its results and bundles."""

    first: Loaded
    pointer: str
    count: int = 0
    bundles: set[str] = field(default_factory=set)

    def in_words(self) -> str:
        """Return the number of occurrences in words."""
        return f"{with_noun(self.count, 'result')} of {with_noun(len(self.bundles), 'bundle')}"


Undescribed = tuple[str, ...]
"""An undescribed name or unit: the part of the result (``benchmark``, ``params``, ``unit`` or
``metric``), the benchmark and the name; for a benchmark, its nearest described name; for a unit,
also the described unit."""


def undescribed(bundles: Sequence[Loaded], catalog: Catalog, folder: str) -> list[Diagnostic]:
    """Return findings about names and units in bundles that no description contains. Hints name the
    ``folder`` of the descriptions."""
    occurrences: dict[Undescribed, _Occurrences] = {}
    for item in bundles:
        columns = item.results.columns
        lines = columns.params.split("\n") if columns.rows else []
        codes, triples = columns.integers(columns.name_indices), columns.triples()
        # Thousands of rows repeat a few names and parameters, so examine each combination once.
        counts: dict[tuple[int, str], tuple[int, int]] = {}
        for row, pair in enumerate(zip(codes, lines, strict=True)):
            # Only the first row is named; listing thousands would hide the cause.
            first, number = counts.get(pair, (row, 0))
            counts[pair] = (first, number + 1)
        for (code, line), (row, number) in counts.items():
            params: dict[str, object] = msgspec.json.decode(line) or {}
            for missing in _undescribed(*triples[code], params, catalog):
                at = f"/results/{row}/{missing[0]}"
                at += f"/{pointer(missing[2])}" if missing[0] == "params" else ""
                of_name = occurrences.setdefault(missing, _Occurrences(item, at))
                of_name.count += number
                of_name.bundles.add(item.digest)
    order = ("benchmark", "params", "unit", "metric")
    out = []
    for missing in sorted(occurrences, key=lambda missing: (order.index(missing[0]), missing)):
        of_name, (message, hint) = occurrences[missing], _worded(missing, catalog, folder)
        message = f"{message}: {of_name.in_words()}"
        out.append(_finding("undescribed", of_name.first, of_name.pointer, message, hint))
    return out


def _undescribed(
    benchmark: str, metric: str, unit: str, params: Iterable[str], catalog: Catalog
) -> Iterator[Undescribed]:
    """Yield the names and units of a result that no description contains."""
    described = catalog.get(benchmark)
    if described is None:
        # A benchmark without a description is fine, but a typo is not.
        if near := _nearest_spelling(benchmark, list(catalog.benchmarks)):
            yield "benchmark", benchmark, near
        return
    spec = described.metric(metric)
    if spec is None and _nearest(metric, described):
        yield "metric", benchmark, metric
    elif spec and units.factor(unit, spec.unit) is None:
        yield "unit", benchmark, unit, spec.unit
    for name in set(params) - described.entry.params.keys() - described.entry.placed:
        yield "params", benchmark, name


def _worded(missing: Undescribed, catalog: Catalog, folder: str) -> tuple[str, str]:
    """Return the message about an undescribed name or unit, and how to fix it."""
    part, benchmark, name, *_ = missing
    if part == "benchmark":
        return f"nothing describes the benchmark “{benchmark}”", f"did you mean “{name}”?"
    if part == "unit":
        message = f"“{name}” is not a unit for a metric of {benchmark} described in “{missing[3]}”"
        return message, f"write “{missing[3]}”, or a unit that converts to it"
    described = catalog.benchmarks[benchmark]
    if part == "metric":
        hint = f"did you mean “{_nearest(name, described)}”?"
        return f"“{name}” is not a metric of {benchmark}", hint
    message = f"the parameter “{name}” of {benchmark} is not described"
    words_of_params = ((key, param.words) for key, param in described.entry.params.items())
    if meaning := phrases.meant(name, words_of_params):
        return message, f"did you mean “{meaning}”?"
    # Other keys must be quoted in TOML.
    key = name if _BARE.fullmatch(name) else json.dumps(name)
    label = json.dumps(name.replace("_", " ").capitalize(), ensure_ascii=False)
    return message, (
        f"add to {folder}/{benchmark}.toml: [params.{key}] label = {label}, along with "
        "condition = true if it says how something was measured rather than what; or move it to "
        "“setup”"
    )


def _nearest(metric: str, described: Benchmark) -> str:
    """Return the described metric that lists the name among its ``words`` or is a typo away, or
    ""."""
    # A bundle cannot have meant a pattern.
    names = [metric.name for metric in described.entry.metrics if not set("*?[") & set(metric.name)]
    if meaning := phrases.meant(metric, ((m.name, m.words) for m in described.entry.metrics)):
        return meaning
    # An alias is a former name by intention, however close it is to a current one.
    if any(metric in entry.aliases for entry in described.entry.metrics):
        return ""
    return _nearest_spelling(metric, names)


def _nearest_spelling(name: str, candidates: Sequence[str]) -> str:
    """Return the candidate that is a typo away, or ""."""
    # Matching is quadratic in length, and words in an upload can be arbitrarily long.
    matches = difflib.get_close_matches(name[:200], candidates, n=1, cutoff=0.86)
    return matches[0] if matches else ""


def misspelt_names(bundles: Sequence[Loaded]) -> Iterator[Diagnostic]:
    """Yield findings about systems and SoCs with several spellings or with a placeholder for a
    name."""
    for part, key in (("sdk", "os"), ("board", "soc")):
        spellings: dict[str, dict[str, list[Loaded]]] = {}
        for item in bundles:
            name = getattr(getattr(item.bundle, part), key)
            # “RT Linux”, “rt-linux” and “rt_linux” all mean the same system.
            alike = re.sub(r"[\s_-]+", "", name.casefold())
            spellings.setdefault(alike, {}).setdefault(name, []).append(item)
        for alike, by_name in sorted(spellings.items()):
            # The usual spelling is right; failing that, the most common one.
            usual = next((s for s in SYSTEMS if part == "sdk" and s.replace("-", "") == alike), "")
            best = usual or min(by_name, key=lambda name: (-len(by_name[name]), name))
            for name, items in sorted(by_name.items()):
                at = f"/{part}/{key}"
                if name != best:
                    message = f"“{name}” is “{best}” spelled differently: each gets its own guides"
                    yield _finding("names", items[0], at, message, f"write “{best}”")
                elif part == "board" and _is_placeholder(name):
                    message = f"“{name}” does not look like the name of a SoC"
                    yield _finding("names", items[0], at, message, "write its name, such as AM62X")


def _is_placeholder(name: str) -> bool:
    plain = name.casefold().strip()
    return (
        plain in _PLACEHOLDERS
        or not re.search(r"[^\W\d_]", name)
        or len(name) > 40
        or "://" in name
        or ("/" in name.strip("/") and name.startswith("/"))
    )


def _finding(kind: str, item: Loaded, at: str, message: str, hint: str) -> Diagnostic:
    return Diagnostic(kind, item.origin, message, hint, at, root=item.root)


def contradictions(bundles: Iterable[Loaded]) -> Iterator[Diagnostic]:
    """Yield findings about published means outside their range or far from their samples."""
    for item in bundles:
        for index in item.results.rows_with_value_and_range():
            result = item.results[index]
            value, at = result.value, f"/results/{index}/value"
            assert value is not UNSET
            ends = [x for x in (result.min, result.max) if x is not UNSET]
            # Each figure is rounded, so half a unit of its last digit is not a contradiction.
            slack = max(map(units.last_digit, (value, *ends))) / 2 * 1.000001
            is_low = result.min is not UNSET and value < result.min - slack
            if is_low or (result.max is not UNSET and value > result.max + slack):
                side = "below its “min”" if is_low else "above its “max”"
                end = units.exact(ends[0 if is_low else -1])
                message = f"the mean {units.exact(value)} is {side}, {end}"
                hint = "recompute it, or give the samples instead"
                yield _finding("contradiction", item, at, message, hint)
            if result.samples is not UNSET:
                mean = sum(result.samples) / len(result.samples)
                # A published mean may be truncated, which can cost up to a unit of its last digit.
                limit = units.last_digit(value) + max(map(units.last_digit, result.samples)) / 2
                if abs(mean - value) > limit * 1.000001:
                    message = (
                        f"“value” is {units.exact(value)}, and the mean of “samples” is "
                        f"{units.exact(mean)}: the site shows the latter"
                    )
                    hint = "check for a typo, or leave “value” out"
                    yield _finding("apart", item, at, message, hint)


def same_keys(bundles: Iterable[Loaded]) -> Iterator[Diagnostic]:
    """Yield findings about results in one bundle that have equal keys but disjoint samples.

    The site pools such results. Each benchmark and metric is reported once.
    """
    for item in bundles:
        columns = item.results.columns
        lines = columns.params.split("\n") if columns.rows else []
        # Facts stated for a result are part of its key, so stating the difference resolves the
        # finding.
        codes = map(columns.integers, (columns.name_indices, columns.annotation_indices))
        triples = columns.triples()
        keys = [*zip(*codes, lines, strict=True)]
        pairs_by_name: dict[tuple[str, str, str], list[str]] = {}
        for (code, _, _), rows in grouped(range(len(keys)), keys.__getitem__).items():
            # Creating a result from its columns takes time, and most keys have a single one.
            same = [item.results[row] for row in rows] if len(rows) > 1 else []
            if pair := two_groups(same):
                first, second = (same[index] for index in pair)
                values = [units.exact(figure_of(result)) for result in (first, second)]
                pairs_by_name.setdefault(triples[code], []).append(
                    f"/results/{rows[pair[0]]} is {values[0]}{mixed_setups.log_line(first)} and "
                    f"/results/{rows[pair[1]]} is {values[1]}{mixed_setups.log_line(second)}"
                )
        for (benchmark, metric, _), pairs in pairs_by_name.items():
            more = f"; and {len(pairs) - 1} more such figures" if len(pairs) > 1 else ""
            message = (
                f"{benchmark}, {metric}: {pairs[0]}, with the same parameters: they are "
                f"published as one mean that matches neither{more}"
            )
            hint = "name what differs, such as a core or a cluster, in “params” or “setup”"
            at = pairs[0].partition(" ")[0]
            yield _finding("same-key", item, at, message, hint)


def figure_of(result: Result) -> float:
    """Return the figure of a result: its value, or the mean of its samples."""
    if result.samples is not UNSET:
        return sum(result.samples) / len(result.samples)
    assert result.value is not UNSET
    return result.value


MIN_GAP_RATIO = 0.25
"""Results with a larger gap, as a share of the smaller one, have measured different things."""


def two_groups(results: Sequence[Result]) -> tuple[int, int] | None:
    """Return the indices of the smallest and largest result, in ascending order, if the results
    fall into two groups, or ``None`` if they agree.

    The gap between the groups must exceed ``MIN_GAP_RATIO`` of the values next to it, and three
    times the range of either group and of the samples of any result.
    """
    valid = [index for index, result in enumerate(results) if result.status is UNSET]
    if len(valid) < 2:
        return None
    # Results of one figure can have different units, such as kB/s and MB/s.
    scales = {index: units.parse(results[index].unit).scale for index in valid}
    values = {index: scale * figure_of(results[index]) for index, scale in scales.items()}
    ordered = sorted(valid, key=values.__getitem__)
    steps = [values[b] - values[a] for a, b in itertools.pairwise(ordered)]
    gap = max(steps)
    below, above = ordered[: steps.index(gap) + 1], ordered[steps.index(gap) + 1 :]
    widest_range = max(
        *(values[group[-1]] - values[group[0]] for group in (below, above)),
        *(scale * _span(results[index]) for index, scale in scales.items()),
    )
    share = MIN_GAP_RATIO * min(abs(values[below[-1]]), abs(values[above[0]]))
    if gap <= max(share, 3 * widest_range):
        return None
    return min(ordered[0], ordered[-1]), max(ordered[0], ordered[-1])


def _span(result: Result) -> float:
    if result.samples is not UNSET:
        return max(result.samples) - min(result.samples)
    if result.min is not UNSET and result.max is not UNSET:
        return result.max - result.min
    return 0.0


MAX_AHEAD = datetime.timedelta(days=1)
"""The tolerated difference between the clocks of machines."""


def ahead(bundles: Sequence[Loaded], now: datetime.datetime) -> list[Diagnostic]:
    """Return a finding for each bundle created more than ``MAX_AHEAD`` after ``now``."""
    out = []
    for item in bundles:
        if item.bundle.created - now > MAX_AHEAD:
            message = f"“created” is in the future: {item.bundle.created.isoformat()}"
            out.append(_finding("future", item, "/created", message, "check the runner's clock"))
    return out


def matters(catalog: Catalog) -> mixed_setups.Matters:
    """Return a function that says whether a fact of the setup matters to a benchmark."""

    def fact_matters(benchmark: str, fact: str) -> bool:
        facts = catalog.benchmark(benchmark).entry.facts
        return fact not in facts or facts[fact].matters

    return fact_matters


def findings(bundles: Sequence[Loaded], catalog: Catalog, folder: str) -> list[Diagnostic]:
    """Return all findings about valid bundles, except those that depend on the current time."""
    out = [*contradictions(bundles), *misspelt_names(bundles), *same_keys(bundles)]
    out += mixed_setups.find(bundles, matters(catalog))
    return [*out, *undescribed(bundles, catalog, folder)]
