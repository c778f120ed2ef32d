"""What OLD and NEW stand for: for each board the figures of one release."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase

from ..bundles.guide_key import GuideKey, family, version
from ..common import units
from ..figures.pool import Pool, Record
from ..figures.query import is_release
from .history import History, Platform
from .match import Names


@dataclass(frozen=True, slots=True)
class Only:
    """Patterns that narrow a comparison; ``*`` stands for any name."""

    soc: str = "*"
    os: str = "*"
    board: str = "*"
    benchmark: str = "*"

    @property
    def everything(self) -> bool:
        """Whether nothing is left out."""
        return self == Only()

    def guide(self, key: GuideKey) -> bool:
        """Whether a guide is meant."""
        soc = fnmatchcase(key.soc.casefold(), self.soc.casefold())
        return soc and fnmatchcase(key.os, self.os)

    def record(self, record: Record, names: Names) -> bool:
        """Whether a figure is meant; a board may be named as it was called once."""
        called = names.boards.ever(record.guide.soc, record.board)
        board = self.board == "*" or any(fnmatchcase(name, self.board) for name in called)
        return board and fnmatchcase(record.benchmark, self.benchmark)


@dataclass(frozen=True, slots=True)
class Side:
    """The figures that OLD or NEW stands for, and by platform and board (under its
    name of today) the release that was taken. ``notes`` say what was passed over."""

    records: dict[Platform, tuple[Record, ...]] = field(default_factory=dict)
    releases: dict[Platform, dict[str, str]] = field(default_factory=dict)
    notes: tuple[str, ...] = ()


def choose(history: History, pool: Pool, wanted: str | None, only: Only, names: Names) -> Side:
    """The newest release of each board that ``wanted`` names; any where it is ``None``.

    A release of just this name goes before those whose names begin with it.
    """
    platforms: dict[Platform, list[GuideKey]] = {}
    for key in pool.guides():
        # A name can hold what means something in a pattern, so the name itself goes first.
        named = wanted is None or key.release == wanted or is_release(key.release, wanted)
        if named and only.guide(key):
            platforms.setdefault((key.sdk, key.soc, key.os), []).append(key)
    records: dict[Platform, tuple[Record, ...]] = {}
    releases: dict[Platform, dict[str, str]] = {}
    notes: list[str] = []
    for platform, keys in platforms.items():
        exact = [key for key in keys if key.release == wanted]
        ordered = exact or sorted(keys, key=lambda k: version(k.release), reverse=True)
        taken: dict[str, str] = {}
        found: list[Record] = []
        for key in ordered:
            mine = [r for r in history.records(pool, key) if only.record(r, names)]
            for record in mine:
                board = names.boards.today(key.soc, record.board)
                if taken.setdefault(board, key.release) == key.release:
                    found.append(record)
        if not found:
            continue
        records[platform], releases[platform] = tuple(found), taken
        if len(ordered) > 1:
            notes.append(_several(ordered, wanted))
    return Side(records, releases, tuple(notes))


def _several(keys: Sequence[GuideKey], wanted: str | None) -> str:
    listed = ", ".join(key.release for key in reversed(keys))
    what = f"“{wanted}” is" if wanted is not None else "there are"
    return (
        f"{keys[0].soc}, {family(keys[0])}: {what} {len(keys)} releases ({listed}); "
        "of each board the newest was taken"
    )


def nearest_releases(pool: Pool) -> list[str]:
    """The releases that there are, in version order."""
    return sorted({key.release for key in pool.guides()}, key=units.natural)
