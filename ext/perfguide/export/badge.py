"""One figure, found by a query: as text for prose, and as a badge (a small image)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from html import escape

from ..bundles.guide_key import family, version
from ..common import units
from ..common.diagnostics import Diagnostic, visible
from ..figures import labels, query
from ..figures.dataset import Addresses, Holdings, plan
from ..figures.pool import Record
from ..tables import grids
from ..tables.anchors import Anchor, Anchors
from ..tables.assign import Layout
from .json_api import decimals

# A name may itself contain “?”, so it only starts the tail if a list of pairs follows.
_TAIL = re.compile(r"\?([^?/=&]+=[^&]*(?:&[^?/=&]+=[^&]*)*)$")


@dataclass(frozen=True, slots=True)
class QuotedFigure:
    """A figure as text with its unit, a verbal description, and its location."""

    text: str
    label: str
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
            asked = query.parse(names, os, [p for p in pairs if not p.startswith("os=")])
        except ValueError as error:
            return Diagnostic("figure", text, str(error), "SOC/RELEASE/BOARD/BENCHMARK/METRIC")
        latest = asked.release == query.LATEST
        # Here ``latest`` means the newest release of all matching figures, across systems.
        asked = replace(asked, release="*") if latest else asked
        records = query.run(self._holdings, asked)
        records = _of_newest_release(records) if latest else records
        if not records:
            hint = query.nearest_name(self._holdings, asked).removeprefix(": ")
            return Diagnostic("figure", text, "matches no figure", hint)
        if len(records) > 1:
            return Diagnostic(
                "figure", text, f"matches {len(records)} figures", _apart(*records[:2])
            )
        return self._quoted(records[0])

    def _quoted(self, record: Record) -> QuotedFigure:
        benchmark = self._holdings.catalog.get(record.benchmark)
        cell = grids.figure(record.cell, decimals(benchmark, record.metric))
        number = cell if isinstance(cell, str) else cell[1]
        unit = units.parse(record.unit).symbol
        suffix = "" if isinstance(cell, str) or not unit else f" {unit}"
        label = f"{record.benchmark}, {record.metric}"
        label = labels.full(benchmark, record) if benchmark else label
        where = (record.guide.soc, f"{family(record.guide)} {record.guide.release}", record.board)
        return QuotedFigure(
            f"{number}{suffix}",
            visible(label),
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


_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")
HEIGHT_PX = 20
MARGIN_PX = 6
NARROW_CHARS = frozenset("iljtfrI.,:;'|!()[] ")
WIDE_CHARS = frozenset("mwMW%@—")


def is_name(name: str) -> bool:
    """Return whether a badge can have this name, which becomes part of its address."""
    return _NAME.fullmatch(name) is not None


def width(text: str) -> int:
    """Estimate the width in pixels of text at 11 pixels in a common sans-serif font.

    The image's ``textLength`` stretches or shrinks any font to fit.
    """
    units = sum(4.0 if c in NARROW_CHARS else 10.0 if c in WIDE_CHARS else 6.8 for c in text)
    return round(units) + 2


def svg(label: str, value: str, words: str) -> bytes:
    """Draw the badge, with ``label`` on the left, ``value`` on the right, and ``words`` as tooltip
    and for screen readers."""
    # XML does not allow control characters, and the image should stay small.
    label, value, words = (visible(text, 200) for text in (label, value, words))
    left, right = width(label) + 2 * MARGIN_PX, width(value) + 2 * MARGIN_PX
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{left + right}" height="{HEIGHT_PX}"'
        f' viewBox="0 0 {left + right} {HEIGHT_PX}" role="img" aria-label="{escape(words)}">',
        f"<title>{escape(words)}</title>",
        f'<rect width="{left}" height="{HEIGHT_PX}" fill="#3b4650"/>',
        f'<rect x="{left}" width="{right}" height="{HEIGHT_PX}" fill="#1f6496"/>',
        '<g fill="#fff" font-family="system-ui,Verdana,Arial,sans-serif" font-size="11">',
        _text(MARGIN_PX, label),
        _text(left + MARGIN_PX, value),
        "</g></svg>",
    ]
    return "\n".join(parts).encode("utf-8", "backslashreplace") + b"\n"


def _text(x: int, text: str) -> str:
    length = width(text)
    return f'<text x="{x}" y="14" textLength="{length}" lengthAdjust="spacingAndGlyphs">{escape(text)}</text>'
