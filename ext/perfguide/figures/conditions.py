"""The conditions of results, and the commands that measured them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..bundle import VARYING_FACTS
from ..bundles import results
from ..common import units
from . import terms
from .rows import CONDITIONS, Frame

SETUP = "setup "
"""The prefix of conditions that are facts of the setup."""


class Conditions:
    """The conditions stated by the results in a frame. Rows are rows of that frame."""

    def __init__(self, frame: Frame) -> None:
        self._bundles = frame.bundles
        self._bundle = frame.table["bundle"].to_numpy(dtype="int64")
        self._codes = {name: terms.codes(frame.table[name]) for name in CONDITIONS}
        self._names = {name: frame.table[name].cat.categories.tolist() for name in CONDITIONS}
        annotations = frame.annotations
        self._annotation_codes = annotations.codes
        columns = (self._bundle, annotations.codes, *(codes for codes, _ in self._codes.values()))
        _, first, group = np.unique(
            np.stack(columns), axis=1, return_index=True, return_inverse=True
        )
        # Most rows state the same as others, so look at the first of them only.
        self._first_alike = first[group.ravel()]
        self._cache: dict[frozenset[int], dict[str, frozenset[str]]] = {}
        self._annotations = [results.decode_annotation(text) for text in annotations.distinct]
        self._of_bundles = [loaded.bundle.setup for loaded in frame.bundles]
        self._has_facts = any(self._of_bundles) or any(setup for setup, _ in self._annotations)
        # An empty benchmark or metric matches any.
        self._notes = [
            [(n.text, n.benchmark or "", n.metric or "") for n in loaded.bundle.notes]
            for loaded in frame.bundles
        ]
        self.has_notes = any(self._notes) or any(notes for _, notes in self._annotations)

    def commands(self, rows: Sequence[int]) -> list[str]:
        """Return the distinct commands of results, sorted naturally."""
        codes, unstated = self._codes["command"]
        # Most results share one command: deduplicate codes before looking up strings.
        used = set(codes[rows].tolist()) - {unstated} if rows else set()
        stated = (str(self._names["command"][code]) for code in used)
        return sorted((command for command in stated if command.strip(" ")), key=units.natural)

    def of(self, rows: Sequence[int]) -> dict[str, frozenset[str]]:
        """Return the values stated for each condition, including program versions as ``tool NAME``
        and facts of the setup as ``setup NAME``.

        Unstated conditions are left out; a condition has several values if the results differ.
        """
        # A list, as numpy would take a tuple for a multidimensional index.
        distinct = frozenset(self._first_alike[list(rows)].tolist())
        if distinct not in self._cache:
            facts = self.setup_facts(list(distinct))
            stated = {f"{SETUP}{name}": frozenset(texts) for name, texts in facts.items()}
            self._cache[distinct] = self._stated(list(distinct)) | stated
        return self._cache[distinct]

    def _pairs(self, rows: Sequence[int]) -> list[tuple[int, int]]:
        """Return the distinct pairs of a row's bundle and the code of the setup and notes that the
        row states itself."""
        bundles, codes = self._bundle[list(rows)], self._annotation_codes[list(rows)]
        return sorted(set(zip(bundles.tolist(), codes.tolist(), strict=True)))

    def setup_facts(self, rows: Sequence[int]) -> dict[str, list[str]]:
        """Return the facts of the setup behind some results, each with its distinct values."""
        facts: dict[str, list[str]] = {}
        for bundle, code in self._pairs(rows) if self._has_facts else ():
            # A result's own fact replaces that of its run.
            for name, value in (self._of_bundles[bundle] | self._annotations[code][0]).items():
                texts = facts.setdefault(name, [])
                if (text := units.plain(value)) not in texts:
                    texts.append(text)
        return dict(sorted(facts.items()))

    def own_facts(self, row: int) -> dict[str, str]:
        """Return the facts stated by one result itself rather than by its bundle."""
        setup = self._annotations[self._annotation_codes[row]][0] if self._has_facts else {}
        return {name: units.plain(value) for name, value in setup.items()}

    def own_facts_or_bundles(self, rows: Sequence[int]) -> dict[str, list[str | int]]:
        """Return the facts that at least one of these results states itself, each with its
        distinct values. For results that inherit the fact from their run, the index of their bundle
        in the frame replaces the value."""
        pairs = self._pairs(rows) if self._has_facts else []
        out: dict[str, list[str | int]] = {}
        for name in sorted({name for _, code in pairs for name in self._annotations[code][0]}):
            values: dict[str | int, None] = {}
            for bundle, code in pairs:
                setup = self._annotations[code][0]
                if name in setup:
                    values[units.plain(setup[name])] = None
                elif name in self._of_bundles[bundle]:
                    values[bundle] = None
            out[name] = list(values)
        return out

    def own_notes(self, rows: Sequence[int]) -> list[str]:
        """Return the notes stated by the results themselves."""
        pairs = self._pairs(rows) if self.has_notes else []
        return [text for _, code in pairs for text in self._annotations[code][1]]

    def notes(
        self, rows: Sequence[int], benchmark: str, metric: str, about_metric: bool = False
    ) -> list[str]:
        """Return the notes about results of one metric; ``about_metric`` excludes notes about the
        entire run or benchmark."""
        out: dict[str, None] = {}
        for bundle, code in self._pairs(rows) if self.has_notes else ():
            for text, of_benchmark, of_metric in self._notes[bundle]:
                applies = of_benchmark in ("", benchmark) and of_metric in ("", metric)
                if applies and (of_metric or not about_metric):
                    out[text] = None
            out |= dict.fromkeys(self._annotations[code][1])
        return list(out)

    def _stated(self, rows: list[int]) -> dict[str, frozenset[str]]:
        out: dict[str, frozenset[str]] = {}
        for name, (codes, unstated) in self._codes.items():
            if stated := {*codes[rows].tolist()} - {unstated}:
                out[name] = frozenset(str(self._names[name][code]) for code in stated)
        for position in sorted({*self._bundle[rows].tolist()}):
            # Tool versions are recorded per bundle, not per result.
            for tool, value in self._bundles[position].bundle.tools.items():
                name = f"tool {tool}"
                out[name] = out.get(name, frozenset()) | {units.plain(value)}
        return out

    def differs(self, rows: Sequence[int]) -> tuple[str, ...]:
        """Return the conditions that differ between results, ignoring unstated ones."""
        several = [name for name, values in self.of(rows).items() if len(values) > 1]
        facts = [name.removeprefix(SETUP) for name in several if name.startswith(SETUP)]
        return (
            *(terms.CONDITION_WORDS[name] for name in several if name in self._codes),
            *(name for name in facts if name not in VARYING_FACTS),
        )
