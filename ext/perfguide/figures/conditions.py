"""The conditions of results, and the commands that measured them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ..bundle import VARYING_FACTS
from ..bundles import results
from ..common import units
from . import terms
from .rows import CONDITIONS, Frame

SETUP = "setup "
"""The prefix of a fact of the setup in names of conditions."""


class Conditions:
    """The conditions that the results of a frame state. Rows are rows of the frame."""

    def __init__(self, frame: Frame) -> None:
        self._bundles = frame.bundles
        self._bundle = frame.table["bundle"].to_numpy(dtype="int64")
        self._codes = {name: terms.codes(frame.table[name]) for name in CONDITIONS}
        self._names = {name: frame.table[name].cat.categories.tolist() for name in CONDITIONS}
        # Many figures share their conditions, so those are worked out once for each combination.
        self._cache: dict[tuple[object, ...], dict[str, frozenset[str]]] = {}
        beside = frame.beside
        self._beside = beside.codes
        self._stated_beside = [results.beside(text) for text in beside.distinct]
        self._of_bundles = [loaded.bundle.setup for loaded in frame.bundles]
        self._facts = any(self._of_bundles) or any(own for own, _ in self._stated_beside)
        # With benchmark and metric, "" for any, so that a figure takes only its own notes.
        self._notes = [
            [(n.text, n.benchmark or "", n.metric or "") for n in loaded.bundle.notes]
            for loaded in frame.bundles
        ]
        self.has_notes = any(self._notes) or any(notes for _, notes in self._stated_beside)

    def commands(self, rows: Sequence[int]) -> list[str]:
        """Return the distinct commands of results, in natural order."""
        codes, unstated = self._codes["command"]
        # Codes are compared before texts are looked up, since most results share one command.
        used = set(codes[rows].tolist()) - {unstated} if rows else set()
        stated = (str(self._names["command"][code]) for code in used)
        return sorted((command for command in stated if command.strip(" ")), key=units.natural)

    def of(self, rows: Sequence[int]) -> dict[str, frozenset[str]]:
        """Return the texts that results state for each condition, with the versions of programs as
        ``tool NAME`` and facts of the setup as ``setup NAME``.

        Unstated conditions are left out; there are several texts if results differ.
        """
        rows = list(rows)  # numpy takes a tuple for one index in several dimensions
        pairs = frozenset(self._pairs(rows))
        bundles = frozenset(self._bundle[rows].tolist())
        codes_of_rows = [frozenset(codes[rows].tolist()) for codes, _ in self._codes.values()]
        key = (bundles, pairs, *codes_of_rows)
        if key not in self._cache:
            facts = self._facts_of(pairs)
            stated = {f"{SETUP}{name}": frozenset(texts) for name, texts in facts.items()}
            self._cache[key] = self._stated(bundles, codes_of_rows) | stated
        return self._cache[key]

    def _pairs(self, rows: list[int]) -> Iterable[tuple[int, int]]:
        """Return the bundle of each row, and the code of the row's own setup and notes."""
        return zip(self._bundle[rows].tolist(), self._beside[rows].tolist(), strict=True)

    def _facts_of(self, pairs: Iterable[tuple[int, int]]) -> dict[str, list[str]]:
        facts: dict[str, list[str]] = {}
        for bundle, code in sorted(pairs) if self._facts else ():
            # A result's own fact replaces that of its run.
            for name, value in (self._of_bundles[bundle] | self._stated_beside[code][0]).items():
                texts = facts.setdefault(name, [])
                if (text := units.plain(value)) not in texts:
                    texts.append(text)
        return dict(sorted(facts.items()))

    def setup(self, rows: Sequence[int]) -> dict[str, list[str]]:
        """Return the facts of the setup of results, each with its distinct values."""
        return self._facts_of(set(self._pairs(list(rows)))) if self._facts else {}

    def own_setup(self, row: int) -> dict[str, str]:
        """Return the facts that one result states itself."""
        own = self._stated_beside[self._beside[row]][0] if self._facts else {}
        return {name: units.plain(value) for name, value in own.items()}

    def stated_facts(self, rows: Sequence[int]) -> dict[str, list[str | int]]:
        """Return the facts that some of these results state themselves, each with its distinct
        values. For a result without the fact, the position of its bundle takes the place of the
        value, which is that of the run."""
        pairs = sorted(set(self._pairs(list(rows)))) if self._facts else []
        out: dict[str, list[str | int]] = {}
        for name in sorted({name for _, code in pairs for name in self._stated_beside[code][0]}):
            values: dict[str | int, None] = {}
            for bundle, code in pairs:
                own = self._stated_beside[code][0]
                if name in own:
                    values[units.plain(own[name])] = None
                elif name in self._of_bundles[bundle]:
                    values[bundle] = None
            out[name] = list(values)
        return out

    def stated_notes(self, rows: Sequence[int]) -> list[str]:
        """Return the notes of the results themselves."""
        pairs = sorted(set(self._pairs(list(rows)))) if self.has_notes else []
        return [text for _, code in pairs for text in self._stated_beside[code][1]]

    def notes(
        self, rows: Sequence[int], benchmark: str, metric: str, own: bool = False
    ) -> list[str]:
        """Return the notes about results of one metric; with ``own``, without those about the
        entire run or benchmark."""
        out: dict[str, None] = {}
        for bundle, code in sorted(set(self._pairs(list(rows)))) if self.has_notes else ():
            for text, of, only in self._notes[bundle]:
                if of in ("", benchmark) and only in ("", metric) and (only or not own):
                    out[text] = None
            out |= dict.fromkeys(self._stated_beside[code][1])
        return list(out)

    def _stated(
        self, bundles: Iterable[int], codes_of_rows: Iterable[frozenset[int]]
    ) -> dict[str, frozenset[str]]:
        out: dict[str, frozenset[str]] = {}
        for (name, (_, unstated)), codes in zip(self._codes.items(), codes_of_rows, strict=True):
            if stated := codes - {unstated}:
                out[name] = frozenset(str(self._names[name][code]) for code in stated)
        for position in sorted(bundles):
            # Versions of tools are facts of a bundle, and not of single results.
            for tool, value in self._bundles[position].bundle.tools.items():
                name = f"tool {tool}"
                out[name] = out.get(name, frozenset()) | {units.plain(value)}
        return out

    def differs(self, rows: Sequence[int]) -> tuple[str, ...]:
        """Return the conditions that differ between results; unstated ones do not count."""
        out, rows = [], list(rows)
        for name, (codes, unstated) in self._codes.items():
            stated = {code for code in codes[rows].tolist() if code != unstated}
            if len(stated) > 1:
                out.append(terms.CONDITION_WORDS[name])
        facts = self.setup(rows).items()
        out += [name for name, texts in facts if len(texts) > 1 and name not in VARYING_FACTS]
        return tuple(out)
