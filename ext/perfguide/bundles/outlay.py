"""What the bundles of one upload make of the site, estimated before anything is written."""

from __future__ import annotations

from dataclasses import dataclass, field

import msgspec

from ..bundle import Bundle
from .decompress import Limits
from .guide_key import GuideKey, guide_key
from .results import Columns

FILES_OF_GUIDE = 30
"""Files of a guide, its SoC and its provenance besides those of its tables."""
FILES_OF_BENCHMARK = 7
"""Files of the page of a benchmark."""
FILES_OF_SECTION = 10
"""Files of a table and its parts: one benchmark of one guide with the same parameters."""
FILES_OF_FIGURE = 2
"""Files that each figure adds to what an upload may make."""
BYTES_OF_FIGURE = 512
"""Bytes of names of facts that may be copied to each figure without counting."""


@dataclass(slots=True)
class Outlay:
    """What has been read of an upload so far, and whether that is more than it may make."""

    limits: Limits
    figures: int = 0
    copied: int = 0
    withdrawals: int = 0
    guides: set[GuideKey] = field(default_factory=set)
    benchmarks: set[str] = field(default_factory=set)
    sections: set[tuple[GuideKey, str]] = field(default_factory=set)

    @property
    def files(self) -> int:
        """About how many files it makes."""
        return (
            FILES_OF_GUIDE * len(self.guides)
            + FILES_OF_BENCHMARK * len(self.benchmarks)
            + FILES_OF_SECTION * len(self.sections)
        )

    def add(self, bundle: Bundle, columns: Columns) -> str:
        """Count a bundle; return why it is too much, or an empty text."""
        key = guide_key(bundle)
        self.guides.add(key)
        # Each page has the words of its runs once, and a page has one section or more; where pooled
        # runs differ in facts, each figure names these facts.
        names = sum(map(len, map(str.encode, bundle.setup)))
        self.copied += len(columns.sections) * _bytes_of_words(bundle)
        self.copied += columns.rows * max(0, names - BYTES_OF_FIGURE)
        self.sections.update((key, section) for section in columns.sections)
        self.benchmarks.update(section.partition("\t")[0] for section in columns.sections)
        self.figures += columns.rows
        self.withdrawals += len(bundle.supersedes)
        return self._excess()

    def _excess(self) -> str:
        limits = self.limits
        allowed = limits.files + FILES_OF_FIGURE * self.figures
        if len(self.guides) > limits.guides:
            return _said(len(self.guides), "guides", limits.guides, "guides")
        if self.files > allowed:
            what = (
                f"files: it has {len(self.guides)} guides, {len(self.benchmarks)} benchmarks and "
                f"{len(self.sections)} sets of parameters in {self.figures} figures"
            )
            return _said(self.files, what, allowed, "files")
        if self.copied > limits.copied:
            what = "bytes of notes and facts of runs, which are on the page of each benchmark"
            return _said(self.copied, what, limits.copied, "copied")
        if self.withdrawals > limits.withdrawals:
            return _said(self.withdrawals, "withdrawals", limits.withdrawals, "withdrawals")
        return ""


def _said(count: int, what: str, allowed: int, limit: str) -> str:
    of, _, detail = what.partition(": ")
    more = f" ({detail})" if detail else ""
    return f"{count:,} {of}{more} where {allowed:,} are allowed by the limit “{limit}”"


def _bytes_of_words(bundle: Bundle) -> int:
    """Return the bytes of the facts and notes of a run."""
    return len(msgspec.json.encode((bundle.setup, bundle.notes)))
