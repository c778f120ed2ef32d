"""Single figures, found by queries, as text for prose."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from ..bundles.guide_key import family, version
from ..common import units
from ..common.diagnostics import Diagnostic, visible
from ..figures import labels, query
from ..figures.dataset import Addresses, Holdings, plan
from ..figures.pool import Record
from ..tables import grids
from ..tables.anchors import Anchor, Anchors
from ..tables.assign import Layout

# A name may itself contain “?”, so it only starts the tail if a list of pairs follows.
_TAIL = re.compile(r"\?([^?/=&]+=[^&]*(?:&[^?/=&]+=[^&]*)*)$")


@dataclass(frozen=True, slots=True)
class QuotedFigure:
    """A figure as text with its unit, a verbal description, and its location."""

    text: str
    words: str
    anchor: Anchor


class FigureFinder:
    """Finds figures by queries, computing the page layout only once.

    ``addresses`` are those of all pages; by default they are derived from the holdings.
    """

    def __init__(self, holdings: Holdings, addresses: Addresses | None = None) -> None:
        self._holdings = holdings
        pool = holdings.pool
        addresses = addresses or plan(pool.guides(), pool.benchmarks())
        self._anchors = Anchors(Layout(holdings.catalog), addresses, pool.of_guide)

    def find(self, text: str) -> QuotedFigure | Diagnostic:
        """Return the single figure that matches a query, or a diagnostic.

        The query is ``SOC/RELEASE/BOARD/BENCHMARK/METRIC?NAME=VALUE&NAME=VALUE``. The release may
        be ``latest``, and the pair ``os`` selects the operating system.
        """
        names = text.strip()
        pairs: list[str] = []
        if tail := _TAIL.search(names):
            names, pairs = names[: tail.start()], tail[1].split("&")
        # The operating system is part of the guide, not a parameter of results.
        os = next((pair[3:] for pair in pairs if pair.startswith("os=")), "*")
        try:
            wanted = query.parse(names, os, [p for p in pairs if not p.startswith("os=")])
        except ValueError as error:
            return Diagnostic("figure", text, str(error), "SOC/RELEASE/BOARD/BENCHMARK/METRIC")
        latest = wanted.release == query.LATEST
        # Here ``latest`` means the newest release of all matching figures, across systems.
        wanted = replace(wanted, release="*") if latest else wanted
        records = query.run(self._holdings, wanted)
        records = _of_newest_release(records) if latest else records
        if not records:
            hint = query.nearest_name(self._holdings, wanted).removeprefix(": ")
            return Diagnostic("figure", text, "matches no figure", hint)
        if len(records) > 1:
            return Diagnostic(
                "figure", text, f"matches {len(records)} figures", _apart(*records[:2])
            )
        return self._quoted(records[0])

    def _quoted(self, record: Record) -> QuotedFigure:
        benchmark = self._holdings.catalog.benchmark(record.benchmark)
        cell = grids.figure(record.cell, benchmark.decimals(record.metric))
        number = cell if isinstance(cell, str) else cell[1]
        unit = units.parse(record.unit).symbol
        suffix = "" if isinstance(cell, str) or not unit else f" {unit}"
        label = f"{record.benchmark}, {record.metric}"
        if record.benchmark in self._holdings.catalog.benchmarks:
            label = labels.full(benchmark, record)
        where = (record.guide.soc, f"{family(record.guide)} {record.guide.release}", record.board)
        return QuotedFigure(
            f"{number}{suffix}",
            visible(f"{', '.join(where)}: {label}: {units.whole(cell)}{suffix}"),
            self._anchors.of(record),
        )


def _of_newest_release(records: Sequence[Record]) -> list[Record]:
    newest = max((version(record.guide.release) for record in records), default=None)
    return [record for record in records if version(record.guide.release) == newest]


def _apart(first: Record, second: Record) -> str:
    """Return a hint on how a query can distinguish two figures."""
    for name in sorted({*first.params, *second.params}):
        values = [units.plain(r.params[name]) for r in (first, second) if name in r.params]
        if len(set(values)) != 1 or len(values) != 2:
            return "be specific: " + " or ".join(f"?{name}={value}" for value in values)
    if first.guide.os != second.guide.os:
        return f"be specific: ?os={first.guide.os} or ?os={second.guide.os}"
    return f"be specific: {query.name(first)} or {query.name(second)}"
