"""Which bundles count: equal ones are one, conflicts go, withdrawals apply."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ..common.diagnostics import Diagnostic
from .decode import Loaded
from .guide_key import guide_key


@dataclass(frozen=True, slots=True)
class Withdrawal:
    """A bundle that a later one of the same runner has replaced."""

    old: Loaded
    new: Loaded


@dataclass(frozen=True, slots=True)
class Ledger:
    """The bundles that are published, sorted by id and runner, and what became of the others."""

    bundles: tuple[Loaded, ...]
    withdrawn: tuple[Withdrawal, ...]
    diagnostics: tuple[Diagnostic, ...]


def settle(loaded: Iterable[Loaded]) -> Ledger:
    """Decide over all valid bundles at once; their order does not matter.

    The same content twice is one bundle, under the first of its origins in
    sorted order. Two contents under one id of one runner are a conflict: neither counts.
    """
    by_id: dict[tuple[str, str], dict[str, Loaded]] = {}
    for item in sorted(loaded, key=lambda each: (each.origin, each.digest)):
        by_id.setdefault(item.bundle.owned_id, {}).setdefault(item.digest, item)
    sound: dict[tuple[str, str], Loaded] = {}
    diagnostics: list[Diagnostic] = []
    for owned_id, versions in sorted(by_id.items()):
        if len(versions) == 1:
            sound[owned_id] = next(iter(versions.values()))
            continue
        origins = [item.origin for item in versions.values()]
        for item in versions.values():
            others = ", ".join(o for o in origins if o != item.origin)
            diagnostics.append(
                Diagnostic(
                    "conflict",
                    item.origin,
                    f"the id “{owned_id[0]}” is also in {others}, with other content; "
                    "none of them is published",
                    "give each run an id of its own, or withdraw the old one by “supersedes”",
                    "/id",
                    root=item.root,
                )
            )
    withdrawn: list[Withdrawal] = []
    by_name = {item.bundle.id: item for item in sound.values()}
    for item in sound.values():
        objections: list[tuple[int, str]] = []
        for index, target in enumerate(item.bundle.supersedes):
            old = sound.get((target, item.bundle.owned_id[1])) or by_name.get(target)
            reason = _objection(item, old)
            if old is not None and not reason:
                withdrawn.append(Withdrawal(old, item))
            else:
                objections.append((index, f"“{target}” is not withdrawn: {reason}"))
        if objections:
            diagnostics.append(_objected(item, objections))
    gone = {w.old.bundle.owned_id for w in withdrawn}
    kept = [item for owned_id, item in sound.items() if owned_id not in gone]
    again = _same_runs(kept)
    for item, first in again:
        message = f"all of its figures are those of “{first.bundle.id}”: the two count as one run"
        hint = "if it is another run, upload what it measured"
        diagnostics.append(
            Diagnostic("same-run", item.origin, message, hint, "/id", root=item.root)
        )
    twice = {item.bundle.owned_id for item, _ in again}
    counted = tuple(item for item in kept if item.bundle.owned_id not in twice)
    return Ledger(counted, tuple(withdrawn), tuple(diagnostics))


FEWEST_EQUAL = 8
"""So many different figures do not come out the same twice."""


def _same_runs(items: Iterable[Loaded]) -> list[tuple[Loaded, Loaded]]:
    """Bundles whose figures are all those of another one of the same guide and board, each
    with the first of these."""
    alike: dict[tuple[object, ...], list[Loaded]] = {}
    for item in items:
        place = (guide_key(item.bundle), item.bundle.board.name, len(item.bundle.results))
        alike.setdefault(place, []).append(item)
    out = []
    for own in alike.values():
        first: dict[tuple[object, ...], Loaded] = {}
        for item in (
            sorted(own, key=lambda i: (i.bundle.created, i.bundle.owned_id)) if own[1:] else ()
        ):
            columns = item.results.columns
            if columns.distinct() < FEWEST_EQUAL:
                continue
            if (earlier := first.setdefault(columns.figures(), item)) is not item:
                out.append((item, earlier))
    return out


MAX_LISTED_OBJECTIONS = 3
"""Withdrawals of one bundle that are listed where they cannot be carried out; the rest is counted."""


def _objected(item: Loaded, objections: Sequence[tuple[int, str]]) -> Diagnostic:
    """Return one finding about all withdrawals of a bundle that cannot be carried out."""
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
    """Why ``new`` may not withdraw ``old``; empty where it may."""
    if old is None:
        return "no valid bundle has this id"
    if new.bundle.runner is None or old.bundle.runner is None:
        return "one of the two does not name its runner"
    if new.bundle.runner.name != old.bundle.runner.name:
        return f"it was uploaded by another runner, “{old.bundle.runner.name}”"
    if old.bundle.created >= new.bundle.created:
        return "it is not older"
    return ""
