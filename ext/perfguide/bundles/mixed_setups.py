"""Results of one guide that share names and parameters but were measured differently."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from ..bundle import VARYING_FACTS, Result, Value
from ..common import units
from ..common.diagnostics import Diagnostic, visible
from ..common.grouping import grouped
from . import results
from .decode import Loaded
from .guide_key import guide_key


def always(benchmark: str, fact: str) -> bool:
    """Return true: every fact matters."""
    return True


_Figure = tuple[Loaded, int, Value | None]
"""A bundle, the row of a result in it, and the value of a fact there, or ``None`` if not stated."""

Matters = Callable[[str, str], bool]
"""A function of a benchmark and a fact: true if a different value of the fact means a different
figure."""


def find(bundles: Sequence[Loaded], matters: Matters = always) -> Iterator[Diagnostic]:
    """Yield findings about results of one board and release that agree in names and parameters but
    not in their setups, and about logs contained in two bundles.

    The site has one figure for such results, and would publish their mean. Facts may differ if they
    are measured along with each figure or do not matter to the benchmark. Each benchmark and metric
    of a bundle is reported once.
    """
    yield from _within(bundles, matters)
    by_place = grouped(bundles, lambda item: (guide_key(item.bundle), item.bundle.board.name))
    for items in by_place.values():
        if len(items) > 1:
            yield from _across(items, matters)
            yield from _shared_logs(items)


def _across(bundles: Sequence[Loaded], matters: Matters) -> Iterator[Diagnostic]:
    """Yield findings about results in two bundles. A fact stated by only one of them is not a
    difference, as older bundles state fewer facts."""
    setups = [
        [
            item.bundle.setup | results.decode_annotation(text)[0]
            for text in item.results.columns.annotations or [""]
        ]
        for item in bundles
    ]
    values: dict[str, set[Value]] = {}
    for of_bundle in setups:
        for setup in of_bundle:
            for fact in setup.keys() - VARYING_FACTS:
                values.setdefault(fact, set()).add(setup[fact])
    # Most releases have only one setup, so their rows need no inspection.
    differing = {fact for fact, setups_of_item in values.items() if len(setups_of_item) > 1}
    if not differing:
        return
    first: dict[tuple[str, str, str, str], tuple[Loaded, int, Value]] = {}
    for item, setups_of_item in zip(bundles, setups, strict=True):
        columns, reported = item.results.columns, set[tuple[str, str]]()
        triples, lines = columns.triples(), columns.params.split("\n") if columns.rows else []
        indices = map(columns.integers, (columns.name_indices, columns.annotation_indices))
        for row, (code, annotation, line) in enumerate(zip(*indices, lines, strict=True)):
            benchmark, metric, _ = triples[code]
            for fact in differing & setups_of_item[annotation].keys():
                value = setups_of_item[annotation][fact]
                key = benchmark, metric, line, fact
                other, at, stated = first.setdefault(key, (item, row, value))
                if other is item or stated == value or (benchmark, metric) in reported:
                    continue
                if matters(benchmark, fact):
                    reported.add((benchmark, metric))
                    figures = ((item, row, value), (other, at, stated))
                    yield _diagnostic(benchmark, metric, fact, *figures)


def _shared_logs(bundles: Sequence[Loaded]) -> Iterator[Diagnostic]:
    """Yield findings about logs with figures that an earlier bundle contains as well."""
    # The logs of two runs differ at least in their times.
    first: dict[str, tuple[Loaded, str]] = {}
    for item in bundles:
        for name in sorted({*item.results.columns.logs} & item.bundle.logs.keys()):
            other, its_name = first.setdefault(item.bundle.logs[name], (item, name))
            if other is not item:
                message = (
                    f"the log {visible(name)} is identical to {visible(its_name)} of "
                    f"{visible(other.origin)}: its figures would count twice"
                )
                hint = "pack without it, or withdraw the other bundle with “supersedes”"
                yield Diagnostic("same-log", item.origin, message, hint, "/logs", root=item.root)


def _within(bundles: Iterable[Loaded], matters: Matters) -> Iterator[Diagnostic]:
    for item in bundles:
        columns = item.results.columns
        if len(columns.annotations) < 2:
            continue
        setups = [results.decode_annotation(text)[0] for text in columns.annotations]
        triples, lines = columns.triples(), columns.params.split("\n")
        indices = map(columns.integers, (columns.name_indices, columns.annotation_indices))
        # Many rows share few combinations of names, parameters and setup.
        first_rows: dict[tuple[int, str], dict[int, int]] = {}
        for row, (code, setup, line) in enumerate(zip(*indices, lines, strict=True)):
            first_rows.setdefault((code, line), {}).setdefault(setup, row)
        reported: set[tuple[str, str]] = set()
        for (code, _), rows in first_rows.items():
            benchmark, metric, _ = triples[code]
            first, *others = rows
            for other in others:
                names = [
                    name
                    for name in _differing(setups[first], setups[other])
                    if matters(benchmark, name)
                ]
                if names and (benchmark, metric) not in reported:
                    reported.add((benchmark, metric))
                    figures = (
                        (item, row, item.results[row].setup.get(names[0]))
                        for row in (rows[first], rows[other])
                    )
                    yield _diagnostic(benchmark, metric, names[0], *figures)


def _differing(one: Mapping[str, object], other: Mapping[str, object]) -> list[str]:
    """Return the facts that only one of two setups states, or that they state differently."""
    return sorted(
        name
        for name in one.keys() | other.keys()
        if one.get(name) != other.get(name) and name not in VARYING_FACTS
    )


def _diagnostic(benchmark: str, metric: str, fact: str, one: _Figure, other: _Figure) -> Diagnostic:
    item, row, _ = one
    values = [
        "not stated" if value is None else f"“{visible(units.plain(value))}”"
        for _, _, value in (one, other)
    ]
    places = [f"/results/{at}{log_line(item.results[at])}" for item, at, _ in (one, other)]
    hint = f"make “{visible(fact)}” a parameter, or pack the logs of one setup only"
    if other[0] is not item:
        places[1] += f" of {visible(other[0].origin)}"
        hint = (
            f"make “{visible(fact)}” a parameter in both, or withdraw one bundle with “supersedes”"
        )
    message = (
        f"{visible(benchmark)}, {visible(metric)}: {visible(fact)} is {values[0]} at {places[0]} and "
        f"{values[1]} at {places[1]}, with the same parameters: their mean would match neither "
        "setup"
    )
    at = f"/results/{row}"
    return Diagnostic("mixed-setup", item.origin, message, hint, at, root=item.root)


def log_line(result: Result) -> str:
    """Return the location of a result in its log, in parentheses, or ""."""
    return f" ({visible(result.log.file)}:{result.log.line})" if result.log else ""
