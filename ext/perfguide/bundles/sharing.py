"""Equal names and parameters of results kept once in memory, and told by one hash a bundle.

Bundles of one farm measure the same things in the same order; only the figures differ.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any

import msgspec
from msgspec.structs import force_setattr

from ..bundle import Bundle, Result
from .results import Listed, Results

SAID = ("benchmark", "metric", "unit", "command", "params")
"""What says what a result is of."""


def kind(results: Sequence[Result]) -> bytes:
    """A hash that is the same for results that are of the same, one after another."""
    columns = (
        [r.benchmark for r in results],
        [r.metric for r in results],
        [r.unit for r in results],
        [r.command for r in results],
        [r.params for r in results],
    )
    return hashlib.sha256(msgspec.json.encode(columns)).digest()


class Shared:
    """The names and parameters of all bundles that were taken."""

    def __init__(self) -> None:
        self._kinds: dict[bytes, Sequence[Result]] = {}
        self._values: dict[bytes, Any] = {}

    def take(self, bundle: Bundle) -> None:
        """Let a bundle's results hold what is known already instead of the same again."""
        results = bundle.results
        if isinstance(results, Results):
            return  # all of one shape hold the same already
        place = kind(results)
        force_setattr(bundle, "results", Listed(results, place))
        known = self._kinds.setdefault(place, results)
        if known is results:
            for result in results:
                for name in SAID:
                    force_setattr(result, name, self._one(getattr(result, name)))
            return
        for mine, first in zip(results, known, strict=True):
            force_setattr(mine, "benchmark", first.benchmark)
            force_setattr(mine, "metric", first.metric)
            force_setattr(mine, "unit", first.unit)
            force_setattr(mine, "command", first.command)
            force_setattr(mine, "params", first.params)

    def _one(self, value: Any) -> Any:
        # As JSON, because True equals 1 in Python.
        return self._values.setdefault(msgspec.json.encode(value), value)
