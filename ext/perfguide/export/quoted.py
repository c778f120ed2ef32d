"""One figure, named by a query, as prose and badges show it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from ..bundles.guide_key import family, version
from ..common import units
from ..common.diagnostics import Diagnostic, visible
from ..figures import labels, query
from ..figures.dataset import Holdings, plan
from ..figures.pool import Record
from ..tables import grids
from ..tables.anchors import Anchor, Anchors
from ..tables.assign import Layout

LATEST = "latest"
"""Stands for the newest release that has the figure."""

_TAIL = re.compile(r"\?([^?/=&]+=[^&]*(?:&[^?/=&]+=[^&]*)*)$")


@dataclass(frozen=True, slots=True)
class Quoted:
    """A figure as text with its unit, what it is in words, and where it stands."""

    text: str
    label: str
    words: str
    place: Anchor


class Figures:
    """Finds figures by queries; what is slow to make is made once."""

    def __init__(self, held: Holdings) -> None:
        self.held = held
        pages = plan(held.pool.guides(), held.pool.benchmarks())
        self._anchors = Anchors(Layout(held.catalog), pages, held.pool.of_guide)

    def find(self, text: str) -> Quoted | Diagnostic:
        """The one figure that a query names, or what is wrong with the query.

        ``SOC/RELEASE/BOARD/BENCHMARK/METRIC?NAME=VALUE&NAME=VALUE``; the release may be
        ``latest``, and among the pairs ``os`` is the operating system.
        """
        named = text.strip()
        pairs: list[str] = []
        if tail := _TAIL.search(named):
            named, pairs = named[: tail.start()], tail[1].split("&")
        os = next((pair[3:] for pair in pairs if pair.startswith("os=")), "*")
        try:
            asked = query.parse(named, os, [p for p in pairs if not p.startswith("os=")])
        except ValueError as error:
            return Diagnostic("figure", text, str(error), "SOC/RELEASE/BOARD/BENCHMARK/METRIC")
        if asked.release == LATEST:
            found = self._newest(query.run(self.held, replace(asked, release="*")))
            asked = replace(asked, release="*")
        else:
            found = query.run(self.held, asked)
        if not found:
            hint = query.nearest_name(self.held, asked).removeprefix(": ")
            return Diagnostic("figure", text, "names no figure", hint)
        if len(found) > 1:
            return Diagnostic("figure", text, f"names {len(found)} figures", self._apart(found))
        return self._quoted(found[0])

    def _newest(self, found: Sequence[Record]) -> list[Record]:
        last = max((version(r.guide.release) for r in found), default=None)
        return [r for r in found if version(r.guide.release) == last]

    def _apart(self, found: Sequence[Record]) -> str:
        """What tells the first two of several figures apart."""
        first, second = found[:2]
        for name in sorted({*first.params, *second.params}):
            values = [units.plain(r.params[name]) for r in (first, second) if name in r.params]
            if len(set(values)) != 1 or len(values) != 2:
                return f"say which: ?{name}={values[0]}" + "".join(
                    f" or ?{name}={value}" for value in values[1:]
                )
        if first.guide.os != second.guide.os:
            return f"say which: ?os={first.guide.os} or ?os={second.guide.os}"
        return f"say which: {query.name(first)} or {query.name(second)}"

    def _quoted(self, record: Record) -> Quoted:
        known = self.held.catalog.get(record.benchmark)
        metric = known.metric(record.metric) if known else None
        unit = units.parse(record.unit).shown
        decimals = metric.decimals if metric else 2
        mean = record.cell.mean
        short = units.FAILED if mean is None else units.number(mean, decimals)
        whole = grids.cell_text(record.cell, decimals)
        label = labels.full(known, record) if known else f"{record.benchmark}, {record.metric}"
        where = (record.guide.soc, f"{family(record.guide)} {record.guide.release}", record.board)
        suffix = f" {unit}" if unit and mean is not None else ""
        return Quoted(
            f"{short}{suffix}",
            visible(label),
            visible(f"{', '.join(where)}: {label}: {whole}{suffix}"),
            self._anchors.of(record),
        )
