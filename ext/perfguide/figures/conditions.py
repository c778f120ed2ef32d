"""Under which conditions results were taken, and by which commands."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ..bundles import results
from ..common import units
from . import terms
from .rows import CONDITIONS, Frame

SETUP = "setup "
"""What stands before the name of a fact of the setup, where conditions are named."""


PASSING = frozenset({"clock", "temperature", "system_load"})
"""Facts of the setup that are measured beside each figure, so that no two are alike: they explain
a figure, and are no reason to doubt those that are pooled with it."""


class Taken:
    """What the results of a frame state of each of ``CONDITIONS``. Rows are those of the frame."""

    def __init__(self, frame: Frame) -> None:
        self._bundles = frame.bundles
        self._bundle = frame.table["bundle"].to_numpy(dtype="int64")
        self._codes = {name: terms.codes(frame.table[name]) for name in CONDITIONS}
        self._names = {name: frame.table[name].cat.categories.tolist() for name in CONDITIONS}
        self._known: dict[tuple[object, ...], dict[str, frozenset[str]]] = {}
        beside = frame.beside
        self._beside = beside.codes
        self._told = [results.beside(text) for text in beside.distinct]
        self._of_bundles = [loaded.bundle.setup for loaded in frame.bundles]
        self._facts = any(self._of_bundles) or any(own for own, _ in self._told)
        # By benchmark and metric, so that a figure asks for its own alone.
        self._notes = [
            [(n.text, n.benchmark or "", n.metric or "") for n in loaded.bundle.notes]
            for loaded in frame.bundles
        ]
        self.noted = any(self._notes) or any(notes for _, notes in self._told)

    def commands(self, rows: Sequence[int]) -> list[str]:
        """The different commands of results, in natural order."""
        codes, unstated = self._codes["command"]
        used = set(codes[rows].tolist()) - {unstated} if rows else set()
        stated = (str(self._names["command"][code]) for code in used)
        return sorted((command for command in stated if command.strip(" ")), key=units.natural)

    def of(self, rows: Sequence[int]) -> dict[str, frozenset[str]]:
        """What results state of each condition, and as ``tool NAME`` the versions of programs.

        What nobody states is left out; more than one text where results differ. ``setup
        NAME`` are facts of the setup.
        """
        rows = list(rows)  # a tuple would mean dimensions
        pairs = frozenset(self._pairs(rows))
        bundles = frozenset(self._bundle[rows].tolist())
        held = [frozenset(codes[rows].tolist()) for codes, _ in self._codes.values()]
        place = (bundles, pairs, *held)
        if place not in self._known:
            facts = self._facts_of(pairs)
            stated = {f"{SETUP}{name}": frozenset(texts) for name, texts in facts.items()}
            self._known[place] = self._stated(bundles, held) | stated
        return self._known[place]

    def _pairs(self, rows: list[int]) -> Iterable[tuple[int, int]]:
        """The bundle of each row, and the number of what the row says of its setup."""
        return zip(self._bundle[rows].tolist(), self._beside[rows].tolist(), strict=True)

    def _facts_of(self, pairs: Iterable[tuple[int, int]]) -> dict[str, list[str]]:
        facts: dict[str, list[str]] = {}
        for bundle, code in sorted(pairs) if self._facts else ():
            for name, value in (self._of_bundles[bundle] | self._told[code][0]).items():
                texts = facts.setdefault(name, [])
                if (text := units.plain(value)) not in texts:
                    texts.append(text)
        return dict(sorted(facts.items()))

    def setup(self, rows: Sequence[int]) -> dict[str, list[str]]:
        """The facts of the setup of results, each with its different values."""
        return self._facts_of(set(self._pairs(list(rows)))) if self._facts else {}

    def own_setup(self, row: int) -> dict[str, str]:
        """The facts that one result states itself."""
        own = self._told[self._beside[row]][0] if self._facts else {}
        return {name: units.plain(value) for name, value in own.items()}

    def stated_facts(self, rows: Sequence[int]) -> dict[str, list[str | int]]:
        """Return the facts that some of these results state themselves, each with its different
        values; the position of a bundle is there for the value of a run, where a result states
        none of its own."""
        pairs = sorted(set(self._pairs(list(rows)))) if self._facts else []
        out: dict[str, list[str | int]] = {}
        for name in sorted({name for _, code in pairs for name in self._told[code][0]}):
            values: dict[str | int, None] = {}
            for bundle, code in pairs:
                own = self._told[code][0]
                if name in own:
                    values[units.plain(own[name])] = None
                elif name in self._of_bundles[bundle]:
                    values[bundle] = None
            out[name] = list(values)
        return out

    def stated_notes(self, rows: Sequence[int]) -> list[str]:
        """Return the notes that results have themselves."""
        pairs = sorted(set(self._pairs(list(rows)))) if self.noted else []
        return [text for _, code in pairs for text in self._told[code][1]]

    def notes(
        self, rows: Sequence[int], benchmark: str, metric: str, own: bool = False
    ) -> list[str]:
        """The notes about results of one metric; with ``own`` without those that are about all
        of the run, or all of the benchmark."""
        out: dict[str, None] = {}
        for bundle, code in sorted(set(self._pairs(list(rows)))) if self.noted else ():
            for text, of, only in self._notes[bundle]:
                if of in ("", benchmark) and only in ("", metric) and (only or not own):
                    out[text] = None
            out |= dict.fromkeys(self._told[code][1])
        return list(out)

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
        facts = self.setup(rows).items()
        out += [name for name, texts in facts if len(texts) > 1 and name not in PASSING]
        return tuple(out)
