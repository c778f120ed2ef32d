"""Results of one bundle that have the same names and parameters, and were measured differently."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping

from ..bundle import VARYING_FACTS, Result
from ..common import units
from ..common.diagnostics import Diagnostic, visible
from . import results
from .decode import Loaded


def _always(benchmark: str, fact: str) -> bool:
    return True


def find(
    bundles: Iterable[Loaded], matters: Callable[[str, str], bool] = _always
) -> Iterator[Diagnostic]:
    """Yield findings about results of one bundle with equal names and parameters whose setups differ.

    The site has one place for such results, and would publish their mean. Facts that are measured beside
    each figure may differ, and those of a benchmark that do not matter. Each benchmark and metric is
    reported once.
    """
    for item in bundles:
        columns = item.results.columns
        if len(columns.beside) < 2:
            continue
        setups = [results.beside(text)[0] for text in columns.beside]
        triples, lines = columns.triples(), columns.params.split("\n")
        codes = zip(
            columns.whole(columns.named), lines, columns.whole(columns.besides), strict=True
        )
        # Few combinations of names, parameters and setup occur among many rows.
        first_rows: dict[tuple[int, str], dict[int, int]] = {}
        for row, (code, line, setup) in enumerate(codes):
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
                    yield _diagnostic(item, benchmark, metric, names[0], rows[first], rows[other])


def _differing(one: Mapping[str, object], other: Mapping[str, object]) -> list[str]:
    """Return the facts that two setups state differently, or only one of them states."""
    return sorted(
        name
        for name in one.keys() | other.keys()
        if one.get(name) != other.get(name) and name not in VARYING_FACTS
    )


def _diagnostic(
    item: Loaded, benchmark: str, metric: str, fact: str, row: int, other: int
) -> Diagnostic:
    values = [_value(item.results[at], fact) for at in (row, other)]
    places = [f"/results/{at}{_line(item.results[at])}" for at in (row, other)]
    message = (
        f"{visible(benchmark)}, {visible(metric)}: {visible(fact)} is {values[0]} at {places[0]} and "
        f"{values[1]} at {places[1]}, with the same parameters: their mean is of no setup that was "
        "measured"
    )
    hint = f"make “{visible(fact)}” a parameter, or pack a bundle for each setup"
    at = f"/results/{row}"
    return Diagnostic("mixed-setup", item.origin, message, hint, at, root=item.root)


def _value(result: Result, fact: str) -> str:
    return f"“{visible(units.plain(result.setup[fact]))}”" if fact in result.setup else "not stated"


def _line(result: Result) -> str:
    return f" ({visible(result.log.file)}:{result.log.line})" if result.log else ""
