"""What withdrawals changed: published figures before and after each of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..bundles.decode import Loaded
from ..bundles.guide_key import GuideKey, guide_key
from ..bundles.supersede import Ledger
from ..catalog.benchmarks import Catalog
from . import rows
from .pool import Cell, Pool, Record


@dataclass(frozen=True, slots=True)
class Change:
    """One figure: as it was published, and as it was afterwards, ``None`` where
    nothing was left of it. ``record`` says what the figure is of; its own cell
    counts for nothing."""

    record: Record
    old: Cell
    new: Cell | None


@dataclass(frozen=True, slots=True)
class Erratum:
    """A bundle that withdrew others, and the figures that this changed."""

    by: Loaded
    withdrawn: tuple[Loaded, ...]
    changes: tuple[Change, ...]


def find(ledger: Ledger, catalog: Catalog) -> list[Erratum]:
    """Every withdrawal, the newest first.

    Bundles count from their ``created`` on, and until one that withdraws them
    does. A figure is listed where a withdrawn bundle was behind it and its mean,
    extremes, count or failures are others without that bundle and with the new
    one. Runs that only join others change no figure that was wrong.
    """
    by_new: dict[tuple[str, str], list[Loaded]] = {}
    news: dict[tuple[str, str], Loaded] = {}
    for withdrawal in ledger.withdrawn:
        news[withdrawal.new.bundle.owned_id] = withdrawal.new
        by_new.setdefault(withdrawal.new.bundle.owned_id, []).append(withdrawal.old)
    order = sorted(news.values(), key=lambda n: (n.bundle.created, n.bundle.owned_id))
    gone = {old.bundle.owned_id: old for olds in by_new.values() for old in olds}
    touched = {_place(old) for old in gone.values()}
    groups: dict[tuple[GuideKey, str], list[Loaded]] = {place: [] for place in touched}
    kept = [item for item in ledger.bundles if item.bundle.owned_id not in gone]
    for item in sorted([*kept, *gone.values()], key=lambda each: each.bundle.owned_id):
        if _place(item) in groups:
            groups[_place(item)].append(item)
    changes: dict[tuple[str, str], list[Change]] = {name: [] for name in news}
    for place in sorted(groups):
        for name, found in _changes(groups[place], order, by_new, catalog).items():
            changes[name] += found
    made = [
        Erratum(n, tuple(by_new[n.bundle.owned_id]), tuple(changes[n.bundle.owned_id]))
        for n in order
    ]
    return made[::-1]


def _place(item: Loaded) -> tuple[GuideKey, str]:
    return guide_key(item.bundle), item.bundle.board.name


def _changes(
    items: Sequence[Loaded],
    order: Sequence[Loaded],
    by_new: dict[tuple[str, str], list[Loaded]],
    catalog: Catalog,
) -> dict[tuple[str, str], list[Change]]:
    """For each withdrawing bundle the figures of one board and release that it changed."""
    pool = Pool(rows.build(items), catalog)
    records = [record for key in pool.guides() for record in pool.of_guide(key)]
    position = {item.bundle.owned_id: number for number, item in enumerate(items)}
    behind = [{bundle for bundle, _ in pool.places(r.cell.members)} for r in records]
    gone: set[int] = set()
    out: dict[tuple[str, str], list[Change]] = {}
    for new in order:
        going = {
            position[o.bundle.owned_id]
            for o in by_new[new.bundle.owned_id]
            if o.bundle.owned_id in position
        }
        going -= gone
        if not going:
            continue
        name = new.bundle.owned_id
        early = {n for n, item in enumerate(items) if item.bundle.created <= new.bundle.created}
        before = early - gone - {position.get(name, -1)}
        after = (early - gone - going) | ({position[name]} if name in position else set())
        touched = [r for r, bundles in zip(records, behind, strict=True) if bundles & going]
        for record, old, now in zip(
            touched, pool.among(touched, before), pool.among(touched, after), strict=True
        ):
            if old is not None and (now is None or _figures(old) != _figures(now)):
                out.setdefault(name, []).append(Change(record, old, now))
        gone |= going
    return out


def _figures(cell: Cell) -> tuple[object, ...]:
    return cell.mean, cell.low, cell.high, cell.count, cell.failed
