"""An estimate of how many pages an upload produces, made before anything is written."""

from __future__ import annotations

from dataclasses import dataclass, field

import msgspec

from ..bundle import Bundle
from .decompress import Limits
from .guide_key import GuideKey, guide_key
from .results import Columns

FILES_OF_GUIDE = 30
"""Files of a guide, its SoC and its provenance, not counting those of tables."""
FILES_OF_BENCHMARK = 7
"""Files of a benchmark page."""
FILES_OF_SECTION = 10
"""Files of a table and its parts, for one benchmark and set of parameters in one guide."""
FILES_OF_FIGURE = 2
"""Files that an upload may produce per figure."""
BYTES_OF_FIGURE = 512
"""Bytes of fact names per figure that are not counted."""


@dataclass(slots=True)
class PageEstimate:
    """Totals over the bundles of an upload so far, compared with its limits."""

    limits: Limits
    figures: int = 0
    copied: int = 0
    withdrawals: int = 0
    guides: set[GuideKey] = field(default_factory=set)
    benchmarks: set[str] = field(default_factory=set)
    sections: set[tuple[GuideKey, str]] = field(default_factory=set)

    @property
    def files(self) -> int:
        """The approximate number of files."""
        return (
            FILES_OF_GUIDE * len(self.guides)
            + FILES_OF_BENCHMARK * len(self.benchmarks)
            + FILES_OF_SECTION * len(self.sections)
        )

    def add(self, bundle: Bundle, columns: Columns) -> str:
        """Count a bundle. Return words on the limit that is now exceeded, or an empty string."""
        key = guide_key(bundle)
        self.guides.add(key)
        # A page repeats the facts and notes of its runs once, and has at least one section. If
        # pooled runs differ in facts, each figure names these facts.
        names = sum(map(len, map(str.encode, bundle.setup)))
        words = len(msgspec.json.encode((bundle.setup, bundle.notes)))
        self.copied += len(columns.sections) * words
        self.copied += columns.rows * max(0, names - BYTES_OF_FIGURE)
        self.sections.update((key, section) for section in columns.sections)
        self.benchmarks.update(section.partition("\t")[0] for section in columns.sections)
        self.figures += columns.rows
        self.withdrawals += len(bundle.supersedes)
        return self._excess()

    def _excess(self) -> str:
        limits = self.limits
        # An upload with many figures may produce more pages than a small one.
        allowed = limits.files + FILES_OF_FIGURE * self.figures
        if len(self.guides) > limits.guides:
            return _excess_text(len(self.guides), "guides", limits.guides, "guides")
        if self.files > allowed:
            excess = (
                f"files: it has {len(self.guides)} guides, {len(self.benchmarks)} benchmarks and "
                f"{len(self.sections)} sets of parameters in {self.figures} figures"
            )
            return _excess_text(self.files, excess, allowed, "files")
        if self.copied > limits.copied:
            excess = "bytes of notes and facts of runs, repeated on each benchmark page,"
            return _excess_text(self.copied, excess, limits.copied, "copied")
        if self.withdrawals > limits.withdrawals:
            return _excess_text(self.withdrawals, "withdrawals", limits.withdrawals, "withdrawals")
        return ""


def _excess_text(count: int, excess: str, allowed: int, limit: str) -> str:
    noun, _, detail = excess.partition(": ")
    more = f" ({detail})" if detail else ""
    return f"{count:,} {noun}{more} where the limit “{limit}” allows {allowed:,}"
