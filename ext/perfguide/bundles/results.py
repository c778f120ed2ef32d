"""Results in memory: a list with what they are of, or figures beside such a list.

Bundles of one farm measure the same things in the same order, so what a result is of need
stand in memory once for all of them.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias, overload

from msgspec.structs import replace

from ..bundle import Result

Starts: TypeAlias = "array[int]"
"""Where each slot's figures begin among those of a bundle, and where the last one's end."""


class Place(NamedTuple):
    """Where the figures of one field of one result stand in a bundle."""

    field: str
    """A figure's field of a result, or ``line``, which is that of its log."""
    slot: int
    """Which one of a bundle's slots; each has one figure, and that of samples all of them."""


WHOLE = ("count", "line")
"""The fields that hold whole numbers, none so large that a float would not hold it."""


@dataclass(frozen=True, slots=True, eq=False)
class Shape:
    """What bundles that differ in their figures only have in common."""

    results: Sequence[Result]
    """The results of one of them."""
    places: tuple[tuple[Place, ...], ...]
    """The places of each result's figures."""
    starts: Starts
    """Those of the slots where there are as many samples as in ``results``."""


class Listed(list[Result]):
    """Results with a hash of what they are of, one after another."""

    __slots__ = ("kind",)

    def __init__(self, results: Sequence[Result], kind: bytes) -> None:
        super().__init__(results)
        self.kind = kind


class Results(Sequence[Result]):
    """The results of a bundle, each made when it is asked for."""

    __slots__ = ("figures", "shape", "starts")

    def __init__(self, shape: Shape, figures: array[float], starts: Starts) -> None:
        self.shape = shape
        self.figures = figures
        self.starts = starts

    def __len__(self) -> int:
        return len(self.shape.results)

    @overload
    def __getitem__(self, index: int) -> Result: ...
    @overload
    def __getitem__(self, index: slice) -> list[Result]: ...
    def __getitem__(self, index: int | slice) -> Result | list[Result]:
        rows = range(len(self))[index]
        return self._made(rows) if isinstance(rows, int) else [self._made(row) for row in rows]

    def __iter__(self) -> Iterator[Result]:
        return map(self._made, range(len(self)))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Sequence):
            return NotImplemented
        return list(self) == list(other)

    __hash__ = None  # type: ignore[assignment]

    def __reduce__(self) -> tuple[Any, ...]:
        """A plain list for other processes, which do not have the shape."""
        return list, (list(self),)

    def _made(self, row: int) -> Result:
        first, figures = self.shape.results[row], self.figures
        own: dict[str, Any] = {}
        for field, slot in self.shape.places[row]:
            at = self.starts[slot]
            if field == "samples":
                own[field] = figures[at : self.starts[slot + 1]].tolist()
            elif field == "line" and first.log:
                own["log"] = replace(first.log, line=int(figures[at]))
            else:
                own[field] = int(figures[at]) if field in WHOLE else figures[at]
        return replace(first, **own)


def alike(results: Sequence[Result]) -> Sequence[Result]:
    """As many results that have the same fields, with other figures perhaps; none is made
    for it."""
    return results.shape.results if isinstance(results, Results) else results
