"""The history of a row as a small picture, in characters or as SVG."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape

import msgspec

from ..common import units
from .row import Row

SPARKS = "▁▂▃▄▅▆▇█"
"""The characters for the levels of a history, lowest first."""

MAX_RELEASES = 12
"""The most releases that a history shows."""

MIN_RELEASES = 3
"""The fewest releases that make a history worth drawing."""

MIN_RANGE_SHARE = 0.05
"""The least range that takes the full height, as a share of the largest figure."""

WIDTH_PX, HEIGHT_PX, EDGE_PX = 96, 22, 4
"""The size of a picture and the margin around its line."""


@dataclass(frozen=True, slots=True)
class History:
    """The figures of a row in the releases drawn; ``new`` is the index of the newer release."""

    figures: tuple[tuple[str, float], ...]
    new: int
    unit: str

    @property
    def heights(self) -> tuple[float, ...]:
        """The height of each figure, from 0 for the lowest to at most 1."""
        top = max(abs(value) for _, value in self.figures) or 1.0
        # Divide first, because the difference of two floats can overflow.
        values = [value / top for _, value in self.figures]
        low, value_range = min(values), max(max(values) - min(values), MIN_RANGE_SHARE)
        return tuple((value - low) / value_range for value in values)

    @property
    def characters(self) -> str:
        """The history with one character per release."""
        return "".join(SPARKS[round((len(SPARKS) - 1) * height)] for height in self.heights)

    @property
    def words(self) -> str:
        """The alternative text of the picture."""
        values = [value for _, value in self.figures]
        unit = units.parse(self.unit).symbol
        ends = f"{units.number(min(values))} to {units.number(max(values))} {unit}".rstrip()
        return f"Releases {self.figures[0][0]} to {self.figures[-1][0]}: {ends}"


def history(row: Row) -> History | None:
    """Return the history of a row up to the release after the newer one, or ``None`` if it has
    fewer than three releases."""
    names = [name for name, _ in row.line]
    release = row.new.guide.release if row.new else ""
    index = names.index(release) if release in names else len(names) - 1
    # The release after the newer one shows whether the change lasted.
    end = index + 2
    start = max(0, end - MAX_RELEASES)
    drawn = row.line[start:end]
    if len(drawn) < MIN_RELEASES:
        return None
    return History(drawn, index - start, row.unit)


def drawing(row: Row) -> bytes:
    """Return the data for the picture of a history as JSON; empty if there is no history."""
    drawn = history(row)
    if drawn is None:
        return b""
    # More digits would not show in a picture 22 pixels high.
    heights = [round(height, 2) for height in drawn.heights]
    return msgspec.json.encode({"heights": heights, "new": drawn.new, "words": drawn.words})


def characters(row: Row) -> str:
    """Return the history of a row in characters; empty with fewer than three releases."""
    drawn = history(row)
    return drawn.characters if drawn else ""


def svg(heights: tuple[float, ...], new: int, words: str) -> str:
    """Return the picture as SVG, styled by class: a line with a dot at the newer release, after
    which the line is dashed, because those figures came after the comparison."""
    step = (WIDTH_PX - 2 * EDGE_PX) / (len(heights) - 1)
    points = [
        f"{EDGE_PX + step * n:.4g},{HEIGHT_PX - EDGE_PX - (HEIGHT_PX - 2 * EDGE_PX) * height:.4g}"
        for n, height in enumerate(heights)
    ]
    x, y = points[new].split(",")
    later = ""
    if new < len(points) - 1:
        later = f'<polyline class="later" points="{" ".join(points[new:])}"/>'
    label = escape(words)
    return (
        f'<svg class="perf-history" width="{WIDTH_PX}" height="{HEIGHT_PX}" viewBox="0 0 {WIDTH_PX} {HEIGHT_PX}" '
        f'role="img" aria-label="{label}"><title>{label}</title>'
        f'<polyline points="{" ".join(points[: new + 1])}"/>{later}'
        f'<circle cx="{x}" cy="{y}" r="2.5"/></svg>'
    )
