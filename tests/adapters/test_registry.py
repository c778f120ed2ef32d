"""The list of formats, and third parties' entry points."""

from __future__ import annotations

from dataclasses import replace
from importlib.metadata import EntryPoint

import pytest
from corpus import built_in

from perfguide.adapters import Context, Format, registry
from perfguide.adapters.registry import BUILT_IN, formats, load, named, recognise
from perfguide.common.diagnostics import Diagnostic

THIRD = replace(
    built_in("u-boot"),
    name="third-party",
    recognises=lambda data: 1 / len(data) > 2,  # raises
)


def test_every_format_is_named_as_it_is_listed() -> None:
    assert {name: each.name for name, each in formats().items()} == {n: n for n in BUILT_IN}


@pytest.mark.parametrize("name", list(BUILT_IN))
def test_an_example_is_recognised_and_read(name: str) -> None:
    each = built_in(name)
    assert each.title
    assert each.recognises(each.example.encode())
    each.read(each.example.encode(), Context("x"))


def test_the_examples_of_programs_give_figures() -> None:
    for name in list(BUILT_IN)[: list(BUILT_IN).index("lava-yaml")]:
        each = built_in(name)
        # Two pairs are no whole sweep, and a bare table does not name its algorithm.
        assert bool(each.read(each.example.encode(), Context("x")).results) == (
            name not in ("openssl-sweep", "openssl-sweep-table")
        ), name


def test_an_unknown_name_has_a_hint() -> None:
    found = named("openssl-sped")
    assert isinstance(found, Diagnostic)
    assert "openssl-speed" in found.hint


def entries(monkeypatch: pytest.MonkeyPatch, **values: str) -> None:
    made = [EntryPoint(n, v, "perfguide.adapters") for n, v in values.items()]
    monkeypatch.setattr(registry, "entry_points", lambda group: made)


def test_a_third_party_adds_a_format(monkeypatch: pytest.MonkeyPatch) -> None:
    entries(monkeypatch, mine=f"{__name__}:THIRD")
    assert isinstance(named("third-party"), Format)
    assert formats()["third-party"] is THIRD
    # One that raises all the same recognises nothing.
    assert recognise(b"") == []


@pytest.mark.parametrize(
    "value",
    ["no.such.module:FORMAT", f"{__name__}:NOTHING", f"{__name__}:entries", f"{__name__}:TAKEN"],
)
def test_a_broken_third_party_is_a_diagnostic(monkeypatch: pytest.MonkeyPatch, value: str) -> None:
    entries(monkeypatch, mine=value)
    catalogue = load()
    assert set(catalogue.formats) == set(BUILT_IN)
    assert len(catalogue.diagnostics) == 1
    assert catalogue.formats["u-boot"] is built_in("u-boot")


TAKEN = replace(built_in("u-boot"), title="not the one")
