"""The bundles that count, after merging duplicates, excluding conflicts and applying
withdrawals."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from ..common.diagnostics import Diagnostic
from ..common.grouping import grouped
from .decode import Loaded
from .guide_key import guide_key


@dataclass(frozen=True, slots=True)
class Withdrawal:
    """A bundle replaced by a later one from the same runner."""

    old: Loaded
    new: Loaded


@dataclass(frozen=True, slots=True)
class Ledger:
    """The published bundles, sorted by id and runner; withdrawals; and the reasons for other
    exclusions."""

    bundles: tuple[Loaded, ...]
    withdrawn: tuple[Withdrawal, ...]
    diagnostics: tuple[Diagnostic, ...]


def settle(loaded: Iterable[Loaded]) -> Ledger:
    """Decide which bundles count; their order does not matter.

    Equal content is one bundle, under the first of its origins in sorted order. Different content
    under the same id and runner is a conflict, and none of it counts.
    """
    unique_bundles, diagnostics = _unique(loaded)
    withdrawn, objections = _withdrawn(unique_bundles)
    gone = {withdrawal.old.bundle.owned_id for withdrawal in withdrawn}
    remaining = [item for owned_id, item in unique_bundles.items() if owned_id not in gone]
    repeated = _same_runs(remaining)
    for item, first in repeated:
        message = f"all its figures equal those of “{first.bundle.id}”: the two count as one run"
        hint = "if it is a different run, upload its own measurements"
        objections.append(Diagnostic("same-run", item.origin, message, hint, "/id", root=item.root))
    repeated_ids = {item.bundle.owned_id for item, _ in repeated}
    counted = tuple(item for item in remaining if item.bundle.owned_id not in repeated_ids)
    return Ledger(counted, tuple(withdrawn), (*diagnostics, *objections))


def _unique(loaded: Iterable[Loaded]) -> tuple[dict[tuple[str, str], Loaded], list[Diagnostic]]:
    """Return the bundles without conflicts, sorted by id and runner, and the conflicts."""
    by_id: dict[tuple[str, str], dict[str, Loaded]] = {}
    # Sorted, so that the outcome does not depend on the order in which files are found.
    for item in sorted(loaded, key=lambda item: (item.origin, item.digest)):
        by_id.setdefault(item.bundle.owned_id, {}).setdefault(item.digest, item)
    unique_bundles: dict[tuple[str, str], Loaded] = {}
    diagnostics: list[Diagnostic] = []
    for owned_id, versions in sorted(by_id.items()):
        if len(versions) == 1:
            (unique_bundles[owned_id],) = versions.values()
            continue
        for item in versions.values():
            others = ", ".join(o.origin for o in versions.values() if o.origin != item.origin)
            message = f"the id “{owned_id[0]}” is also in {others}, with different content; "
            message += "none of them is published"
            hint = "give each run its own id, or withdraw the old one with “supersedes”"
            fault = Diagnostic("conflict", item.origin, message, hint, "/id", root=item.root)
            diagnostics.append(fault)
    return unique_bundles, diagnostics


def _withdrawn(
    unique_bundles: Mapping[tuple[str, str], Loaded],
) -> tuple[list[Withdrawal], list[Diagnostic]]:
    """Return all withdrawals, and a diagnostic for each bundle with invalid ones."""
    withdrawn: list[Withdrawal] = []
    diagnostics: list[Diagnostic] = []
    by_name = {item.bundle.id: item for item in unique_bundles.values()}
    for item in unique_bundles.values():
        objections: list[tuple[int, str]] = []
        for index, target in enumerate(item.bundle.supersedes):
            old = unique_bundles.get((target, item.bundle.owned_id[1])) or by_name.get(target)
            reason = _objection(item, old)
            if old is not None and not reason:
                withdrawn.append(Withdrawal(old, item))
            else:
                objections.append((index, f"“{target}” is not withdrawn: {reason}"))
        if objections:
            diagnostics.append(_objected(item, objections))
    return withdrawn, diagnostics


def _same_runs(items: Iterable[Loaded]) -> list[tuple[Loaded, Loaded]]:
    """Return each bundle that repeats all figures of an earlier one of the same guide and board,
    together with that earlier one."""
    out = []
    for of_place in grouped(
        items, lambda item: (guide_key(item.bundle), item.bundle.board.name, item.rows())
    ).values():
        first: dict[str, Loaded] = {}
        # Do not hash the figures of a bundle that has no counterpart.
        candidates = of_place if len(of_place) > 1 else ()
        for item in sorted(candidates, key=lambda i: (i.bundle.created, i.bundle.owned_id)):
            figures = item.hash_of_figures()
            if figures and (earlier := first.setdefault(figures, item)) is not item:
                out.append((item, earlier))
    return out


MAX_LISTED_OBJECTIONS = 3
"""The most invalid withdrawals listed for one bundle; the rest are counted."""


def _objected(item: Loaded, objections: Sequence[tuple[int, str]]) -> Diagnostic:
    """Return one diagnostic for all invalid withdrawals of a bundle."""
    listed = [reason for _, reason in objections[:MAX_LISTED_OBJECTIONS]]
    if more := len(objections) - len(listed):
        listed.append(f"and {more} more of {len(item.bundle.supersedes)}")
    return Diagnostic(
        "supersedes",
        item.origin,
        "; ".join(listed),
        "a runner withdraws older bundles of its own by their id",
        f"/supersedes/{objections[0][0]}",
        root=item.root,
    )


def _objection(new: Loaded, old: Loaded | None) -> str:
    """Return why ``new`` must not withdraw ``old``, or an empty string if it may."""
    if old is None:
        return "no valid bundle has this id"
    if new.bundle.runner is None or old.bundle.runner is None:
        return "one of the two does not name its runner"
    if new.bundle.runner.name != old.bundle.runner.name:
        return f"it was uploaded by another runner, “{old.bundle.runner.name}”"
    if old.bundle.created >= new.bundle.created:
        return "it is not older"
    return ""
