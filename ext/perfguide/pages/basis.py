"""What each part of the site is made from, as a hash: bundles, their logs, findings, addresses.

What all parts have in common, such as descriptions of benchmarks, is not in it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from functools import cache, cached_property
from pathlib import Path

from ..bundles.decode import Loaded
from ..bundles.guide_key import GuideKey, guide_key
from ..bundles.logs import kept_in, named
from ..figures.dataset import Addresses, Holdings
from ..health.finding import Finding
from .keeping import fingerprint

Digest = Callable[[Path], str]
"""The SHA-256 of a file's content, or an empty text where it cannot be read."""


class Basis:
    """What the guides of a site are made from. ``found`` is all that is wrong with figures."""

    def __init__(
        self, holdings: Holdings, addresses: Addresses, found: Iterable[Finding], digest: Digest
    ) -> None:
        self._holdings, self._addresses, self._digest = holdings, addresses, digest
        self._bundles: dict[GuideKey, list[tuple[int, Loaded]]] = {}
        for position, item in enumerate(holdings.pool.frame.bundles):
            self._bundles.setdefault(guide_key(item.bundle), []).append((position, item))
        self._with = cache(holdings.pool.bundles_with)
        self._marks: dict[GuideKey, list[tuple[str, object]]] = {}
        for finding in found:
            said = (finding.id, finding.reason, finding.acknowledged)
            for suspect in finding.suspects if finding.rule.marks else ():
                record = suspect.record
                of = (record.board, record.benchmark, record.metric, record.unit, record.params)
                marks = self._marks.setdefault(record.guide, [])
                marks.append((record.benchmark, (*said, suspect.detail, suspect.label, of)))
        self._kept: dict[int, Sequence[tuple[str, str]]] = {}
        self._known: dict[tuple[GuideKey, str], str] = {}

    def boards(self, key: GuideKey) -> set[str]:
        """The boards of a guide, as its bundles name them."""
        return {item.bundle.board.name for _, item in self._bundles.get(key, ())}

    def bundles(self, keys: Iterable[GuideKey], boards: Collection[str] | None) -> list[object]:
        """What figures are made from, without their logs: all of some guides, or those of
        some boards."""
        return [
            (item.root, item.origin, item.digest)
            for key in keys
            for _, item in self._bundles.get(key, ())
            if boards is None or item.bundle.board.name in boards
        ]

    def guide(self, key: GuideKey, benchmark: str = "") -> str:
        """What the figures of one guide are made from, and what is said of them: of all, or of those
        of one benchmark."""
        known = self._known.get((key, benchmark))
        if known is None:
            holding = self._with(benchmark) if benchmark else None
            bundles = [
                (item.root, item.origin, item.digest, self._logs(position, item))
                for position, item in self._bundles.get(key, ())
                if holding is None or position in holding
            ]
            marks = [
                mark for of, mark in self._marks.get(key, ()) if not benchmark or of == benchmark
            ]
            page = self._addresses.guide.get(key, "")
            known = fingerprint(self.common, page, bundles, marks)
            self._known[key, benchmark] = known
        return known

    def guides(self, keys: Iterable[GuideKey], benchmark: str = "") -> list[str]:
        """The same for several guides."""
        return [self.guide(key, benchmark) for key in keys]

    @cached_property
    def common(self) -> str:
        """What a new bundle can change for all guides: the units of metrics that no description
        knows, and where the pages of benchmarks are."""
        pool, pages = self._holdings.pool, self._addresses
        return fingerprint(pool.spelt, sorted(pages.benchmark.items()))

    def _logs(self, position: int, item: Loaded) -> Sequence[tuple[str, str]]:
        """The files that can hold the logs of a bundle."""
        if position not in self._kept:
            files = named(item)
            kept = kept_in(item, files) if files else ()
            self._kept[position] = [(str(path), self._digest(path)) for path in kept]
        return self._kept[position]
