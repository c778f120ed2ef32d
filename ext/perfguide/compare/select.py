"""Selection of the releases to compare: two that were requested, or all neighbours of a site."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from functools import partial
from glob import escape
from itertools import pairwise

from ..bundles.guide_key import GuideKey, Platform, families, family, is_like, version
from ..common import units
from ..common.diagnostics import Diagnostic, nearest
from ..common.slugs import hashed
from ..figures.dataset import Addresses
from ..figures.pool import Pool, Record
from ..figures.query import is_release
from .match import Names

LATEST = "latest"
"""The word for the newest release, unless a release has this name."""

AskedPair = tuple[str, str, str, str]
"""A SoC, a system, and two releases, which may be prefixes of names."""


@dataclass(frozen=True, slots=True)
class Filter:
    """Patterns that narrow a comparison; ``*`` matches any name."""

    soc: str = "*"
    os: str = "*"
    board: str = "*"
    benchmark: str = "*"

    def guide(self, key: GuideKey) -> bool:
        """Return whether a guide matches."""
        return is_like(key, self.soc, self.os)

    def record(self, record: Record, names: Names) -> bool:
        """Return whether a figure matches; its board may be given by a former name."""
        board_names = names.boards.all_names(record.guide.soc, record.board)
        board = self.board == "*" or any(fnmatchcase(name, self.board) for name in board_names)
        return board and fnmatchcase(record.benchmark, self.benchmark)


@dataclass(frozen=True, slots=True)
class ComparedSide:
    """One side of a comparison: its requested name, its figures by platform, their pool, and the
    release of each platform and board by current names. ``notes`` name other candidates."""

    name: str
    pool: Pool
    records: dict[Platform, tuple[Record, ...]]
    releases: dict[Platform, dict[str, str]]
    notes: tuple[str, ...] = ()


def choose(
    pool: Pool, release: str | None, only: Filter, names: Names, name: str = ""
) -> ComparedSide:
    """Return the figures of each board in the newest release that matches ``release``.

    ``None`` and ``latest`` match any release. An exact name takes precedence over longer names that
    start with it. The side is called ``name`` or, if that is empty, by the release.
    """
    # A release may really be called “latest”.
    newest = release == LATEST and not any(key.release == LATEST for key in pool.guides())
    if newest:
        name, release = name or LATEST, None
    keys = [
        key
        for key in pool.guides()
        # A name may contain pattern characters, so test for the exact name first.
        if (release is None or key.release == release or is_release(key.release, release))
        and only.guide(key)
    ]
    records: dict[Platform, tuple[Record, ...]] = {}
    releases: dict[Platform, dict[str, str]] = {}
    notes: list[str] = []
    by_platform = families(keys)
    for platform in dict.fromkeys(key.platform for key in keys):
        members = by_platform[platform]
        # The newest comes first, because each board takes the first one below.
        chosen = [key for key in members if key.release == release] or members[::-1]
        taken: dict[str, str] = {}
        of_platform: list[Record] = []
        for key in chosen:
            for record in pool.of_guide(key):
                if only.record(record, names):
                    board = names.boards.today(key.soc, record.board)
                    if taken.setdefault(board, key.release) == key.release:
                        of_platform.append(record)
        if not of_platform:
            continue
        records[platform], releases[platform] = tuple(of_platform), taken
        if len(chosen) > 1 and not newest:
            notes.append(_several(chosen, release))
    return ComparedSide(name or release or "", pool, records, releases, tuple(notes))


def _several(keys: Sequence[GuideKey], release: str | None) -> str:
    listed = ", ".join(key.release for key in reversed(keys))
    what = f"“{release}” is" if release is not None else "there are"
    return (
        f"{keys[0].soc}, {family(keys[0])}: {what} {len(keys)} releases ({listed}); "
        "of each board the newest was taken"
    )


def nearest_releases(pool: Pool) -> list[str]:
    """Return the names of all releases in version order."""
    return sorted({key.release for key in pool.guides()}, key=units.natural)


@dataclass(frozen=True, slots=True)
class ReleasePair:
    """Two guides of one platform, and the address of the page that compares them.

    ``asked`` are the sides of a requested pair, which may include figures of other guides. A pair
    of neighbours has none.
    """

    old: GuideKey
    new: GuideKey
    address: str
    asked: tuple[ComparedSide, ComparedSide] | None = None

    def sides(self, pool: Pool, names: Names) -> tuple[ComparedSide, ComparedSide]:
        """Return both sides."""
        if self.asked:
            return self.asked
        return _exactly(pool, self.old, names), _exactly(pool, self.new, names)


def _exactly(pool: Pool, key: GuideKey, names: Names) -> ComparedSide:
    records = tuple(pool.of_guide(key))
    boards = sorted({names.boards.today(key.soc, record.board) for record in records})
    releases = {key.platform: dict.fromkeys(boards, key.release)}
    return ComparedSide(key.release, pool, {key.platform: records}, releases)


def pairs_with_pages(
    pool: Pool, names: Names, addresses: Addresses, asked: Sequence[AskedPair] = ()
) -> tuple[list[ReleasePair], list[Diagnostic]]:
    """Return neighbours in release order and then requested pairs, each pair once, and diagnostics
    for requests that match nothing."""
    neighbours = [p for keys in families(pool.guides()).values() for p in pairwise(keys)]
    sides: dict[tuple[GuideKey, GuideKey], tuple[ComparedSide, ComparedSide] | None]
    sides = dict.fromkeys(neighbours)
    diagnostics: list[Diagnostic] = []
    for pair in asked:
        fault = _add_asked(pair, pool, names, sides)
        diagnostics += [fault] if fault else []
    plain = {pair: _address(addresses, *pair) for pair in sides}
    # Some file systems are case-insensitive.
    alike = Counter(address.casefold() for address in plain.values())
    out = []
    for (old, new), given in sides.items():
        address = plain[old, new]
        if alike[address.casefold()] > 1:
            address = f"{address.rpartition('/')[0]}/{hashed(f'{old.release} {new.release}')}"
        out.append(ReleasePair(old, new, address, given))
    return out, diagnostics


def _address(addresses: Addresses, old: GuideKey, new: GuideKey) -> str:
    folder, _, name = addresses.guide[old].partition("/")[2].rpartition("/")
    return f"compare/{folder}/{name}-vs-{addresses.guide[new].rpartition('/')[2]}"


def asked_of(guides: Sequence[GuideKey], asked: Sequence[AskedPair]) -> tuple[AskedPair, ...]:
    """Return the requested pairs whose SoC and system match any of the guides."""
    return tuple(pair for pair in asked if any(map(_asked_guides(pair).guide, guides)))


def without_guide(guides: Sequence[GuideKey], asked: Sequence[AskedPair]) -> list[Diagnostic]:
    """Return a diagnostic for each requested pair whose SoC and system match none of the guides."""
    systems = sorted({f"{key.soc}, {key.os}" for key in guides})
    matching = asked_of(guides, asked)
    return [
        _fault(pair, "has no guide", _close_to(f"{pair[0]}, {pair[1]}", systems, "; "))
        for pair in asked
        if pair not in matching
    ]


def _asked_guides(pair: AskedPair) -> Filter:
    # Names are literal, even if they contain pattern characters.
    return Filter(soc=escape(pair[0]), os=escape(pair[1]))


def _fault(pair: AskedPair, message: str, hint: str) -> Diagnostic:
    text = f"({', '.join(repr(part) for part in pair)}): {message}"
    return Diagnostic("compare", "perfguide_compare", text, hint)


def _close_to(name: str, names: Sequence[str], sign: str = ", ") -> str:
    return nearest(name, names) or f"there are {sign.join(names) or 'none'}"


def _add_asked(
    pair: AskedPair,
    pool: Pool,
    names: Names,
    sides: dict[tuple[GuideKey, GuideKey], tuple[ComparedSide, ComparedSide] | None],
) -> Diagnostic | None:
    """Add the two guides of a requested pair on each platform that has both, with the sides to
    compare unless they are neighbours. Return a diagnostic if that is impossible."""
    _, _, *releases = pair
    fault = partial(_fault, pair)

    only = _asked_guides(pair)
    keys = [key for key in pool.guides() if only.guide(key)]
    chosen = []
    for release in releases:
        side = choose(pool, release, only, names)
        if not side.records:
            hint = _close_to(release, [key.release for key in keys])
            return fault(f"no release is, or begins with, “{release}”", hint)
        chosen.append(side)
    before, after = chosen
    platforms = [platform for platform in before.records if platform in after.records]
    if not platforms:
        return fault("the two releases are of different SDK families", "name two of one family")
    newest = {
        p: [max(side.releases[p].values(), key=version) for side in chosen] for p in platforms
    }
    for old, new in newest.values():
        if old == new:
            return fault(f"both are {old}", "name two releases")
    for platform, (old, new) in newest.items():
        both = replace(before, name=old), replace(after, name=new)
        # Neighbours already have a page, without sides of their own.
        sides.setdefault((GuideKey(*platform, old), GuideKey(*platform, new)), both)
    return None
