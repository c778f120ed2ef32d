"""Equal bundles are one, conflicts publish none, and withdrawals follow their rules."""

from __future__ import annotations

import dataclasses
import itertools
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from making import loaded, only, result

from perfguide.bundles.decode import Loaded
from perfguide.bundles.supersede import Ledger, settle

EARLY, LATE = "2024-01-01T00:00:00Z", "2024-02-01T00:00:00Z"


def ids(ledger: Ledger) -> list[str]:
    return [item.bundle.id for item in ledger.bundles]


def old(**changes: Any) -> Loaded:
    return loaded(
        **{"origin": "old.json", "id": "old", "created": EARLY, "runner__name": "lab"} | changes
    )


def new(*supersedes: str, **changes: Any) -> Loaded:
    given: dict[str, Any] = {"origin": "new.json", "id": "new", "created": LATE}
    return loaded(**given | {"runner__name": "lab", "supersedes": list(supersedes)} | changes)


def test_the_same_content_twice_is_one_bundle() -> None:
    for copies in itertools.permutations([loaded(origin="b.json"), loaded(origin="a.json")]):
        ledger = settle(copies)
        assert only(ledger.bundles).origin == "a.json"
        assert ledger.diagnostics == ()


def test_one_id_with_two_contents_publishes_neither_and_names_both() -> None:
    one = loaded(result(value=1), origin="one.json")
    two = loaded(result(value=2), origin="two.json")
    again = loaded(result(value=1), origin="one-more.json")
    other = loaded(id="other")
    ledger = settle([one, two, again, other])
    assert ids(ledger) == ["other"]
    assert [(d.kind, d.severity, d.pointer) for d in ledger.diagnostics] == [
        ("conflict", "error", "/id")
    ] * 2
    first, second = ledger.diagnostics
    assert (first.origin, second.origin) == ("one-more.json", "two.json")
    assert "two.json" in first.message
    assert "one-more.json" in second.message
    assert "“run-1”" in first.message


def test_a_later_bundle_of_the_same_runner_withdraws_an_older_one() -> None:
    ledger = settle([new("old"), old()])
    assert ids(ledger) == ["new"]
    assert (only(ledger.withdrawn).old.bundle.id, only(ledger.withdrawn).new.bundle.id) == (
        "old",
        "new",
    )
    assert ledger.diagnostics == ()


@pytest.mark.parametrize(
    ("older", "newer", "reason"),
    [
        (old(id="else"), new("old"), "no valid bundle has this id"),
        (old(runner__name="other lab"), new("old"), "another runner, “other lab”"),
        (old(created=LATE), new("old"), "it is not older"),
        (old(created="2024-03-01T00:00:00Z"), new("old"), "it is not older"),
        (old(created="2024-02-01T02:00:00+02:00"), new("old"), "it is not older"),
        (old(runner=None), new("old"), "does not name its runner"),
        (old(), new("old", runner=None), "does not name its runner"),
        (old(), new("new"), "it is not older"),
    ],
)
def test_a_withdrawal_against_the_rules_is_not_carried_out(
    older: Loaded, newer: Loaded, reason: str
) -> None:
    ledger = settle([older, newer])
    assert len(ledger.bundles) == 2
    assert ledger.withdrawn == ()
    found = only(ledger.diagnostics)
    assert (found.kind, found.severity) == ("supersedes", "warning")
    assert (found.origin, found.pointer) == ("new.json", "/supersedes/0")
    assert reason in found.message


def test_one_bad_withdrawal_does_not_stop_the_good_one_beside_it() -> None:
    ledger = settle([old(), new("nothing", "old")])
    assert ids(ledger) == ["new"]
    assert only(ledger.diagnostics).pointer == "/supersedes/0"


def test_bundles_in_conflict_neither_withdraw_nor_are_withdrawn() -> None:
    conflict = [new("old"), new("old", results=[result(value=9)])]
    assert ids(settle([old(), *conflict])) == ["old"]
    twice = [old(), old(results=[result(value=9)])]
    ledger = settle([*twice, new("old")])
    assert ids(ledger) == ["new"]
    assert sorted(d.kind for d in ledger.diagnostics) == ["conflict", "conflict", "supersedes"]


def test_a_withdrawn_bundle_has_withdrawn_its_own_for_good() -> None:
    third = loaded(
        id="third", created="2024-03-01T00:00:00Z", runner__name="lab", supersedes=["new"]
    )
    ledger = settle([third, old(), new("old")])
    assert ids(ledger) == ["third"]
    assert len(ledger.withdrawn) == 2


@given(st.permutations(range(6)))
def test_the_order_of_uploads_does_not_matter(order: list[int]) -> None:
    items = [
        old(),
        new("old", "gone"),
        loaded(result(value=1), id="c", origin="c1.json"),
        loaded(result(value=2), id="c", origin="c2.json"),
        loaded(id="d", origin="d2.json"),
        loaded(id="d", origin="d1.json"),
    ]
    ledger = settle([items[i] for i in order])
    assert ledger == settle(items)
    assert ids(ledger) == ["d", "new"]


def test_a_refused_withdrawal_is_told_of_the_folder_that_its_bundle_is_from() -> None:
    later = dataclasses.replace(new("old", runner__name="other"), root="second")
    ledger = settle([later, dataclasses.replace(old(), root="first")])
    assert {found.root for found in ledger.diagnostics if found.kind == "supersedes"} == {"second"}


def test_a_run_that_came_twice_is_told_of_the_folder_that_its_second_bundle_is_from() -> None:
    figures = [result(params={"n": n}, value=n * 1.7) for n in range(10)]
    again = dataclasses.replace(new(results=figures), root="second")
    ledger = settle([again, dataclasses.replace(old(results=figures), root="first")])
    assert [(found.kind, found.root) for found in ledger.diagnostics] == [("same-run", "second")]


def test_bundles_that_withdraw_each_other_have_one_finding_each() -> None:
    ids = [f"run-{number}" for number in range(300)]
    items = [
        loaded(id=name, runner__name="lab", supersedes=[other for other in ids if other != name])
        for name in ids
    ]
    ledger = settle(items)
    assert len(ledger.bundles) == len(ledger.diagnostics) == 300
    assert "and 296 more of 299" in ledger.diagnostics[0].message
    assert "“run-1” is not withdrawn: it is not older" in ledger.diagnostics[0].message
