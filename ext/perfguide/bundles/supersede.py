"""The bundles that count: equal ones are merged, conflicts excluded, withdrawals applied."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from ..common.diagnostics import Diagnostic
from .decode import Loaded
from .guide_key import guide_key


@dataclass(frozen=True, slots=True)
class Withdrawal:
    """A bundle replaced by a later one of the same runner."""

    old: Loaded
    new: Loaded


@dataclass(frozen=True, slots=True)
class Ledger:
    """The published bundles, sorted by id and runner, and the reasons for excluding others."""

    bundles: tuple[Loaded, ...]
    withdrawn: tuple[Withdrawal, ...]
    diagnostics: tuple[Diagnostic, ...]


def settle(loaded: Iterable[Loaded]) -> Ledger:
    """Decide over all valid bundles at once; their order does not matter.

    Equal content is one bundle, under the first of its origins in sorted order. Different
    contents under one id of one runner are a conflict, and none of them counts.
    """
    unique_bundles, diagnostics = _unique(loaded)
    withdrawn, objections = _withdrawn(unique_bundles)
    gone = {each.old.bundle.owned_id for each in withdrawn}
    remaining = [item for owned_id, item in unique_bundles.items() if owned_id not in gone]
    repeated = _same_runs(remaining)
    for item, first in repeated:
        message = f"all of its figures are those of “{first.bundle.id}”: the two count as one run"
        hint = "if it is another run, upload what it measured"
        objections.append(Diagnostic("same-run", item.origin, message, hint, "/id", root=item.root))
    repeated_ids = {item.bundle.owned_id for item, _ in repeated}
    counted = tuple(item for item in remaining if item.bundle.owned_id not in repeated_ids)
    return Ledger(counted, tuple(withdrawn), (*diagnostics, *objections))


def _unique(loaded: Iterable[Loaded]) -> tuple[dict[tuple[str, str], Loaded], list[Diagnostic]]:
    """Return the bundles by id and runner, sorted, without those in conflict, and the conflicts."""
    by_id: dict[tuple[str, str], dict[str, Loaded]] = {}
    # Sorted, so that the outcome does not depend on the order in which files are found.
    for item in sorted(loaded, key=lambda each: (each.origin, each.digest)):
        by_id.setdefault(item.bundle.owned_id, {}).setdefault(item.digest, item)
    unique_bundles: dict[tuple[str, str], Loaded] = {}
    diagnostics: list[Diagnostic] = []
    for owned_id, versions in sorted(by_id.items()):
        if len(versions) == 1:
            (unique_bundles[owned_id],) = versions.values()
            continue
        for item in versions.values():
            others = ", ".join(o.origin for o in versions.values() if o.origin != item.origin)
            message = f"the id “{owned_id[0]}” is also in {others}, with other content; "
            message += "none of them is published"
            hint = "give each run an id of its own, or withdraw the old one by “supersedes”"
            fault = Diagnostic("conflict", item.origin, message, hint, "/id", root=item.root)
            diagnostics.append(fault)
    return unique_bundles, diagnostics


def _withdrawn(
    unique_bundles: Mapping[tuple[str, str], Loaded],
) -> tuple[list[Withdrawal], list[Diagnostic]]:
    """Return the withdrawals, and a diagnostic for each bundle with impossible ones."""
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
    """Return bundles whose figures all equal those of another one of the same guide and board,
    each with the first of these."""
    groups: dict[tuple[object, ...], list[Loaded]] = {}
    for item in items:
        key = (guide_key(item.bundle), item.bundle.board.name, item.rows())
        groups.setdefault(key, []).append(item)
    out = []
    for own in groups.values():
        first: dict[str, Loaded] = {}
        # Hashing a bundle that is alone would be in vain.
        candidates = own if len(own) > 1 else ()
        for item in sorted(candidates, key=lambda i: (i.bundle.created, i.bundle.owned_id)):
            figures = item.hash_of_figures()
            if figures and (earlier := first.setdefault(figures, item)) is not item:
                out.append((item, earlier))
    return out


MAX_LISTED_OBJECTIONS = 3
"""Impossible withdrawals of one bundle that are listed; the rest is counted."""


def _objected(item: Loaded, objections: Sequence[tuple[int, str]]) -> Diagnostic:
    """Return one diagnostic for all withdrawals of a bundle that are impossible."""
    listed = [reason for _, reason in objections[:MAX_LISTED_OBJECTIONS]]
    if more := len(objections) - len(listed):
        listed.append(f"and {more} more are not, of {len(item.bundle.supersedes)}")
    return Diagnostic(
        "supersedes",
        item.origin,
        "; ".join(listed),
        "a runner withdraws older bundles of its own by their id",
        f"/supersedes/{objections[0][0]}",
        root=item.root,
    )


def _objection(new: Loaded, old: Loaded | None) -> str:
    """Return why ``new`` may not withdraw ``old``, or an empty string if it may."""
    if old is None:
        return "no valid bundle has this id"
    if new.bundle.runner is None or old.bundle.runner is None:
        return "one of the two does not name its runner"
    if new.bundle.runner.name != old.bundle.runner.name:
        return f"it was uploaded by another runner, “{old.bundle.runner.name}”"
    if old.bundle.created >= new.bundle.created:
        return "it is not older"
    return ""
