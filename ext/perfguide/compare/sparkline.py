"""The history of a row as a small picture, of characters or lines."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape

import msgspec

from ..common import units
from .verdicts import Row

SPARKS = "▁▂▃▄▅▆▇█"
"""Levels of a history in characters, the lowest first."""

DRAWN = 12
"""Releases that a history shows."""

MIN_RELEASES = 3
"""Releases from which on there is a history to draw."""

FLAT = 0.05
"""The share of a figure by which a row has to move to fill its picture: noise is no story."""

WIDTH_PX, HEIGHT_PX, EDGE_PX = 96, 22, 4
"""The size of a picture and the space around its line."""


@dataclass(frozen=True, slots=True)
class History:
    """The figures of a row in the releases that are drawn: ``new`` is the index of the newer one."""

    figures: tuple[tuple[str, float], ...]
    new: int
    unit: str

    @property
    def heights(self) -> tuple[float, ...]:
        """From 0 for the lowest figure to 1 for the highest."""
        top = max(abs(value) for _, value in self.figures) or 1.0
        # Divided first: the difference of two floats may be no float.
        values = [value / top for _, value in self.figures]
        low, wide = min(values), max(max(values) - min(values), FLAT)
        return tuple((value - low) / wide for value in values)

    @property
    def characters(self) -> str:
        """A character for each release."""
        return "".join(SPARKS[round((len(SPARKS) - 1) * height)] for height in self.heights)

    @property
    def words(self) -> str:
        """Return what the picture shows, for who cannot see it."""
        values = [value for _, value in self.figures]
        unit = units.parse(self.unit).symbol
        ends = f"{units.number(min(values))} to {units.number(max(values))} {unit}".rstrip()
        return f"Releases {self.figures[0][0]} to {self.figures[-1][0]}: {ends}"


def history(row: Row) -> History | None:
    """Return the history of a row up to the newer release, and one after it; ``None`` for fewer than
    three releases."""
    names = [name for name, _ in row.line]
    release = row.new.guide.release if row.new else ""
    index = names.index(release) if release in names else len(names) - 1
    # The newer release and one after it, which shows whether the change lasted.
    end = index + 2
    start = max(0, end - DRAWN)
    drawn = row.line[start:end]
    if len(drawn) < MIN_RELEASES:
        return None
    return History(drawn, index - start, row.unit)


def drawing(row: Row) -> bytes:
    """Return as JSON what the picture of a history is drawn from; nothing where there is none."""
    drawn = history(row)
    if drawn is None:
        return b""
    # A picture 22 pixels high shows no more digits.
    heights = [round(height, 2) for height in drawn.heights]
    return msgspec.json.encode({"heights": heights, "new": drawn.new, "words": drawn.words})


def characters(row: Row) -> str:
    """Return the history of a row in characters, or an empty text for fewer than three releases."""
    drawn = history(row)
    return drawn.characters if drawn else ""


def svg(heights: tuple[float, ...], new: int, words: str) -> str:
    """Return the picture as SVG, coloured by the classes of its parts: a line, and a dot at the newer
    release, from which on the line is dashed: what came later was not known then."""
    step = (WIDTH_PX - 2 * EDGE_PX) / (len(heights) - 1)
    points = [
        f"{EDGE_PX + step * n:.4g},{HEIGHT_PX - EDGE_PX - (HEIGHT_PX - 2 * EDGE_PX) * height:.4g}"
        for n, height in enumerate(heights)
    ]
    x, y = points[new].split(",")
    later = ""
    if new < len(points) - 1:
        later = f'<polyline class="later" points="{" ".join(points[new:])}"/>'
    said = escape(words)
    return (
        f'<svg class="perf-history" width="{WIDTH_PX}" height="{HEIGHT_PX}" viewBox="0 0 {WIDTH_PX} {HEIGHT_PX}" '
        f'role="img" aria-label="{said}"><title>{said}</title>'
        f'<polyline points="{" ".join(points[: new + 1])}"/>{later}'
        f'<circle cx="{x}" cy="{y}" r="2.5"/></svg>'
    )
