"""What the chart of a comparison shows: how each benchmark's figures changed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from ..common import units

Kind = Literal["regressed", "improved", "other"]


@dataclass(frozen=True, slots=True)
class Strip:
    """One benchmark: the ratios of its figures in the better direction (1.1 is a tenth
    better) with what became of them, and their geometric mean."""

    title: str
    mean: float
    points: tuple[tuple[float, Kind], ...]


@dataclass(frozen=True, slots=True)
class ChangeView:
    """A chart of changes by benchmark, in catalog order."""

    name: str
    strips: tuple[Strip, ...]

    def text(self) -> str:
        """What the chart shows, for those who do not see it."""
        worst = min(self.strips, key=lambda s: s.mean)
        best = max(self.strips, key=lambda s: s.mean)
        number = sum(len(strip.points) for strip in self.strips)
        counted = {kind: self._count(kind) for kind in ("regressed", "improved")}
        return (
            f"Changes of {number} figures by benchmark, in the better direction: "
            f"{counted['regressed']} regressed, {counted['improved']} improved; geometric means "
            f"from {units.percent(worst.mean - 1)} ({worst.title}) "
            f"to {units.percent(best.mean - 1)} ({best.title})."
        )

    def _count(self, kind: str) -> int:
        return sum(1 for strip in self.strips for _, own in strip.points if own == kind)
