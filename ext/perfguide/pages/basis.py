"""What each part of the site is made from, as a hash: bundles, their logs, findings, addresses.

What all parts have in common, such as descriptions of benchmarks, is not in it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from functools import cached_property
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
        self._bundles: dict[GuideKey, list[Loaded]] = {}
        for item in holdings.ledger.bundles:
            self._bundles.setdefault(guide_key(item.bundle), []).append(item)
        self._marks: dict[GuideKey, list[object]] = {}
        for finding in found:
            said = (finding.id, finding.reason, finding.acknowledged)
            for suspect in finding.suspects if finding.rule.marks else ():
                record = suspect.record
                of = (record.board, record.benchmark, record.metric, record.unit, record.params)
                marks = self._marks.setdefault(record.guide, [])
                marks.append((*said, suspect.detail, suspect.label, of))
        self._known: dict[GuideKey, str] = {}

    def boards(self, key: GuideKey) -> set[str]:
        """The boards of a guide, as its bundles name them."""
        return {item.bundle.board.name for item in self._bundles.get(key, ())}

    def bundles(self, keys: Iterable[GuideKey], boards: Collection[str] | None) -> list[object]:
        """What figures are made from, without their logs: all of some guides, or those of
        some boards."""
        return [
            (item.root, item.origin, item.digest)
            for key in keys
            for item in self._bundles.get(key, ())
            if boards is None or item.bundle.board.name in boards
        ]

    def guide(self, key: GuideKey) -> str:
        """What the figures of one guide are made from, and what is said of them."""
        if key not in self._known:
            bundles = [
                (item.root, item.origin, item.digest, self._logs(item))
                for item in self._bundles.get(key, ())
            ]
            page = self._addresses.guide.get(key, "")
            self._known[key] = fingerprint(self.common, page, bundles, self._marks.get(key))
        return self._known[key]

    def guides(self, keys: Iterable[GuideKey]) -> list[str]:
        """The same for several guides."""
        return [self.guide(key) for key in keys]

    @cached_property
    def common(self) -> str:
        """What a new bundle can change for all guides: the units of metrics that no description
        knows, and where the pages of benchmarks are."""
        pool, pages = self._holdings.pool, self._addresses
        return fingerprint(pool.spelt, sorted(pages.benchmark.items()))

    def _logs(self, item: Loaded) -> Sequence[tuple[str, str]]:
        """The files that can hold the logs of a bundle."""
        files = named(item)
        return [(str(p), self._digest(p)) for p in kept_in(item, files)] if files else ()
