"""Under which conditions results were taken, and by which commands."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ..common import units
from . import terms
from .rows import CONDITIONS, Frame


class Taken:
    """What the results of a frame state of each of ``CONDITIONS``. Rows are those of the frame."""

    def __init__(self, frame: Frame) -> None:
        self._bundles = frame.bundles
        self._bundle = frame.table["bundle"].to_numpy(dtype="int64")
        self._codes = {name: terms.codes(frame.table[name]) for name in CONDITIONS}
        self._names = {name: frame.table[name].cat.categories.tolist() for name in CONDITIONS}
        self._known: dict[tuple[object, ...], dict[str, frozenset[str]]] = {}

    def commands(self, rows: Sequence[int]) -> list[str]:
        """The different commands of results, in natural order."""
        codes, unstated = self._codes["command"]
        used = set(codes[rows].tolist()) - {unstated} if rows else set()
        stated = (str(self._names["command"][code]) for code in used)
        return sorted((command for command in stated if command.strip(" ")), key=units.natural)

    def of(self, rows: Sequence[int]) -> dict[str, frozenset[str]]:
        """What results state of each condition, and as ``tool NAME`` the versions of programs.

        What nobody states is left out; more than one text where results differ.
        """
        rows = list(rows)  # a tuple would mean dimensions
        bundles = frozenset(self._bundle[rows].tolist())
        held = [frozenset(codes[rows].tolist()) for codes, _ in self._codes.values()]
        place = (bundles, *held)
        if place not in self._known:
            self._known[place] = self._stated(bundles, held)
        return self._known[place]

    def _stated(
        self, bundles: Iterable[int], held: Iterable[frozenset[int]]
    ) -> dict[str, frozenset[str]]:
        out: dict[str, frozenset[str]] = {}
        for (name, (_, unstated)), codes in zip(self._codes.items(), held, strict=True):
            if stated := codes - {unstated}:
                out[name] = frozenset(str(self._names[name][code]) for code in stated)
        for position in sorted(bundles):
            for tool, value in self._bundles[position].bundle.tools.items():
                place = f"tool {tool}"
                out[place] = out.get(place, frozenset()) | {units.plain(value)}
        return out

    def differs(self, rows: Sequence[int]) -> tuple[str, ...]:
        """The conditions that not all of these results share; unstated ones do not count."""
        out, rows = [], list(rows)
        for name, (codes, unstated) in self._codes.items():
            stated = {code for code in codes[rows].tolist() if code != unstated}
            if len(stated) > 1:
                out.append(terms.CONDITION_WORDS[name])
        return tuple(out)
