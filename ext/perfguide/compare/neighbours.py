"""Which releases have a page of their own that compares them, and its address."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from glob import escape
from itertools import pairwise

from ..bundles.guide_key import GuideKey
from ..common.diagnostics import Diagnostic, nearest
from ..common.slugs import hashed
from ..figures.dataset import Addresses
from ..figures.pool import Pool
from .history import History, Platform
from .match import Names
from .select import Only, Side, choose

Wanted = tuple[str, str, str, str]


@dataclass(frozen=True, slots=True)
class Neighbours:
    """Two guides of one platform, the page, and what gives the two sides that are compared.

    ``exact`` is whether the sides are just these two guides; they may have more where a pair was
    asked for.
    """

    old: GuideKey
    new: GuideKey
    sides: Callable[[], tuple[Side, Side]]
    address: str
    exact: bool = True

    def __str__(self) -> str:
        return f"{self.old} and {self.new.release}"


def plan(
    pool: Pool,
    history: History,
    names: Names,
    addresses: Addresses,
    wanted: Sequence[Wanted] = (),
) -> tuple[list[Neighbours], list[Diagnostic]]:
    """Neighbours in release order, and the pairs that were asked for.

    A wanted pair is (SoC, system, old, new); a release may be the beginning of a
    name. Each page is made once, however often it is asked for.
    """
    families: dict[Platform, list[GuideKey]] = {}
    for key in pool.guides():
        families.setdefault((key.sdk, key.soc, key.os), []).append(key)
    pairs: dict[tuple[GuideKey, GuideKey], Callable[[], tuple[Side, Side]]] = {}
    for keys in families.values():
        for old, new in pairwise(keys):
            pairs[old, new] = partial(_both, pool, history, old, new, names)
    exact = set(pairs)
    diagnostics: list[Diagnostic] = []
    for pair in wanted:
        found = _wanted(pair, pool, history, names)
        if isinstance(found, Diagnostic):
            diagnostics.append(found)
        else:
            for old, new, before, after in found:
                pairs.setdefault((old, new), partial(_given, before, after))
    plain = {pair: _address(addresses, *pair) for pair in pairs}
    alike = Counter(address.casefold() for address in plain.values())
    out = []
    for (old, new), sides in pairs.items():
        address = plain[old, new]
        if alike[address.casefold()] > 1:
            address = f"{address.rpartition('/')[0]}/{hashed(f'{old.release} {new.release}')}"
        out.append(Neighbours(old, new, sides, address, (old, new) in exact))
    return out, diagnostics


def _given(before: Side, after: Side) -> tuple[Side, Side]:
    return before, after


def _both(
    pool: Pool, history: History, old: GuideKey, new: GuideKey, names: Names
) -> tuple[Side, Side]:
    return _exactly(pool, history, old, names), _exactly(pool, history, new, names)


def _exactly(pool: Pool, history: History, key: GuideKey, names: Names) -> Side:
    records = tuple(history.records(pool, key))
    boards = {names.boards.today(key.soc, record.board) for record in records}
    platform = (key.sdk, key.soc, key.os)
    return Side({platform: records}, {platform: dict.fromkeys(sorted(boards), key.release)})


def _address(addresses: Addresses, old: GuideKey, new: GuideKey) -> str:
    folder, _, name = addresses.guide[old].partition("/")[2].rpartition("/")
    return f"compare/{folder}/{name}-vs-{addresses.guide[new].rpartition('/')[2]}"


def _wanted(
    pair: Wanted, pool: Pool, history: History, names: Names
) -> list[tuple[GuideKey, GuideKey, Side, Side]] | Diagnostic:
    soc, os, *releases = pair
    shown = f"({', '.join(repr(part) for part in pair)})"
    only = Only(soc=escape(soc), os=escape(os))
    keys = [key for key in pool.guides() if only.guide(key)]
    if not keys:
        known = sorted({f"{key.soc}, {key.os}" for key in pool.guides()})
        hint = nearest(f"{soc}, {os}", known) or f"there are {'; '.join(known) or 'none'}"
        return Diagnostic("compare", "perfguide_compare", f"{shown}: has no guide", hint)
    sides = []
    for release in releases:
        side = choose(history, pool, release, only, names)
        if not side.records:
            known = [key.release for key in keys]
            hint = nearest(release, known) or f"there are {', '.join(known)}"
            message = f"{shown}: no release is, or begins with, “{release}”"
            return Diagnostic("compare", "perfguide_compare", message, hint)
        sides.append(side)
    before, after = sides
    out = []
    for platform in [p for p in before.records if p in after.records]:
        old, new = (_newest(side, platform, keys) for side in sides)
        if old == new:
            message = f"{shown}: both are {old.release}"
            return Diagnostic("compare", "perfguide_compare", message, "name two releases")
        out.append((old, new, before, after))
    if not out:
        message = f"{shown}: the two releases are of different SDK families"
        return Diagnostic("compare", "perfguide_compare", message, "name two of one family")
    return out


def _newest(side: Side, platform: Platform, keys: Sequence[GuideKey]) -> GuideKey:
    taken = set(side.releases[platform].values())
    found = [k for k in keys if (k.sdk, k.soc, k.os) == platform and k.release in taken]
    return found[-1]
