"""Effects of withdrawals: published figures before and after each one."""

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
    """A published figure before and after a withdrawal; ``new`` is ``None`` if no results remain.
    ``record`` only identifies the figure; ignore its cell."""

    record: Record
    old: Cell
    new: Cell | None


@dataclass(frozen=True, slots=True)
class Erratum:
    """A bundle that withdrew others, and the figures that changed as a result."""

    by: Loaded
    withdrawn: tuple[Loaded, ...]
    changes: tuple[Change, ...]


def find(ledger: Ledger, catalog: Catalog) -> list[Erratum]:
    """Return every withdrawal with its effects, newest first.

    A bundle counts from its ``created`` date until it is withdrawn. A figure is listed if a
    withdrawn bundle contributed to it, and if replacing that bundle with the new one changed its
    mean, extremes, count or failures. Merely adding runs corrects nothing.
    """
    by_new: dict[tuple[str, str], list[Loaded]] = {}
    news: dict[tuple[str, str], Loaded] = {}
    for withdrawal in ledger.withdrawn:
        news[withdrawal.new.bundle.owned_id] = withdrawal.new
        by_new.setdefault(withdrawal.new.bundle.owned_id, []).append(withdrawal.old)
    order = sorted(news.values(), key=lambda n: (n.bundle.created, n.bundle.owned_id))
    gone = {old.bundle.owned_id: old for olds in by_new.values() for old in olds}
    touched = {_board_of(old) for old in gone.values()}
    # Only the few boards with a withdrawal need to be pooled again.
    groups: dict[tuple[GuideKey, str], list[Loaded]] = {board: [] for board in touched}
    remaining = [item for item in ledger.bundles if item.bundle.owned_id not in gone]
    for item in sorted([*remaining, *gone.values()], key=lambda item: item.bundle.owned_id):
        if _board_of(item) in groups:
            groups[_board_of(item)].append(item)
    changes: dict[tuple[str, str], list[Change]] = {name: [] for name in news}
    for board in sorted(groups):
        for name, of_board in _changes(groups[board], order, by_new, catalog).items():
            changes[name] += of_board
    return [
        Erratum(n, tuple(by_new[n.bundle.owned_id]), tuple(changes[n.bundle.owned_id]))
        for n in reversed(order)
    ]


def _board_of(item: Loaded) -> tuple[GuideKey, str]:
    return guide_key(item.bundle), item.bundle.board.name


def _changes(
    items: Sequence[Loaded],
    order: Sequence[Loaded],
    by_new: dict[tuple[str, str], list[Loaded]],
    catalog: Catalog,
) -> dict[tuple[str, str], list[Change]]:
    """Return the changed figures of one board and release, keyed by the withdrawing bundle."""
    pool = Pool(rows.build(items), catalog)
    records = [record for key in pool.guides() for record in pool.of_guide(key)]
    position = {item.bundle.owned_id: number for number, item in enumerate(items)}
    behind = [{bundle for bundle, _ in pool.positions_of(r.cell.members)} for r in records]
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
        # Bundles created later had not been published at that time.
        early = {n for n, item in enumerate(items) if item.bundle.created <= new.bundle.created}
        before = early - gone - {position.get(name, -1)}
        after = (early - gone - going) | ({position[name]} if name in position else set())
        touched = [r for r, bundles in zip(records, behind, strict=True) if bundles & going]
        for record, old, now in zip(
            touched,
            pool.restricted_to(touched, before),
            pool.restricted_to(touched, after),
            strict=True,
        ):
            if old is not None and (now is None or _figures(old) != _figures(now)):
                out.setdefault(name, []).append(Change(record, old, now))
        # Withdrawing a bundle a second time changes nothing.
        gone |= going
    return out


def _figures(cell: Cell) -> tuple[object, ...]:
    return cell.mean, cell.low, cell.high, cell.count, cell.failed
