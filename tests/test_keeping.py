"""Comparisons are worked out again where something of theirs changed, and only there."""

from __future__ import annotations

import dataclasses
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from conftest import TOP
from test_unchanged import settle, tree

from perfguide import comparepages, keeping, pages, site

Bundle = Callable[..., Path]
Compared = Callable[[site.Settings], list[str]]
COPY = {"benchmark": "stream", "metric": "copy", "unit": "MB/s"}
WAIVER = """
[[waivers]]
soc = "SOC1"
benchmark = "stream"
metric = "copy"
until = "09.05"
reason = "known"
"""


@pytest.fixture
def settings(tmp_path: Path, write_bundle: Bundle) -> site.Settings:
    """Two SoCs with two releases each."""
    for soc, release, value in (
        *(("SOC1", "09.02", 100.0), ("SOC1", "09.03", 50.0)),
        *(("SOC2", "09.02", 100.0), ("SOC2", "09.03", 101.0)),
    ):
        write_bundle(
            tmp_path / f"results/{soc}-{release}.json",
            [{**COPY, "samples": [value, value * 1.01, value * 0.99]}],
            id=f"{soc}-{release}",
            sdk__version=release,
            board__soc=soc,
        )
    shutil.copytree(TOP / "source/benchmarks", tmp_path / "benchmarks")
    (tmp_path / "waivers.toml").write_text("", "utf-8")
    return site.Settings(
        (tmp_path / "results",),
        (tmp_path / "benchmarks",),
        tmp_path / "source",
        waivers=tmp_path / "waivers.toml",
        cache=tmp_path / "cache",
    )


@pytest.fixture
def compared(monkeypatch: pytest.MonkeyPatch) -> Compared:
    """Generate, see that all is as in a run from nothing, and name what was compared."""
    asked: list[str] = []

    def compare(old: Any, new: Any, history: Any, rules: Any, only: Any) -> Any:
        asked.append(only.soc)
        return comparison(old, new, history, rules, only)

    comparison = comparepages.compare
    monkeypatch.setattr(comparepages, "compare", compare)

    def generate(settings: site.Settings) -> list[str]:
        settle()
        asked.clear()
        outcome, found = pages.generate(settings), sorted(asked)
        clean = dataclasses.replace(settings, output=settings.output.parent / "clean", cache=None)
        shutil.rmtree(clean.output, ignore_errors=True)
        assert pages.generate(clean).diagnostics == outcome.diagnostics
        assert tree(settings.output) == tree(clean.output)
        return found

    return generate


def _edit(path: Path, old: str, new: str) -> None:
    text = path.read_text("utf-8")
    assert old in text
    path.write_text(text.replace(old, new), "utf-8")


def test_only_the_comparisons_of_a_changed_soc_are_worked_out_again(
    settings: site.Settings, compared: Compared, write_bundle: Bundle
) -> None:
    top = settings.output.parent
    assert compared(settings) == ["SOC1", "SOC2"]
    _edit(top / "results/SOC2-09.03.json", "101.0", "42.0")
    assert compared(settings) == ["SOC2"]
    write_bundle(top / "results/new.json", [{**COPY, "value": 7.0}], id="new", board__soc="SOC3")
    assert compared(settings) == []
    (top / "results/new.json").unlink()
    assert compared(settings) == []
    write_bundle(
        top / "results/third.json",
        [{**COPY, "value": 60.0}],
        id="third",
        sdk__version="09.04",
        board__soc="SOC1",
    )
    assert compared(settings) == ["SOC1", "SOC1"]


def test_rules_that_changed_hold_for_all_comparisons(
    settings: site.Settings, compared: Compared
) -> None:
    top = settings.output.parent
    assert compared(settings) == ["SOC1", "SOC2"]
    (top / "waivers.toml").write_text(WAIVER, "utf-8")
    assert compared(settings) == ["SOC1", "SOC2"]
    _edit(top / "results/SOC2-09.02.json", "100.0", "90.0")
    assert compared(settings) == ["SOC2"]
    # The waiver is needed by the page that stayed as it was.
    assert pages.generate(settings).diagnostics == ()
    _edit(top / "benchmarks/stream.toml", 'title = "STREAM"', 'title = "Stream"')
    assert compared(settings) == ["SOC1", "SOC2"]


def test_what_was_damaged_is_worked_out_again(settings: site.Settings, compared: Compared) -> None:
    top = settings.output.parent
    assert compared(settings) == ["SOC1", "SOC2"]
    next((top / "source/compare/SOC1").rglob("*.csv")).write_bytes(b"")
    assert compared(settings) == ["SOC1"]
    next((top / "source/compare/SOC2").rglob("*-vs-*.rst")).unlink()
    assert compared(settings) == ["SOC2"]
    path = top / "cache" / keeping.FILE
    whole = path.read_bytes()
    for wrong in (b"", whole[:-20], whole.replace(b"SOC1", b"SOC9"), b"null"):
        path.write_bytes(wrong)
        (top / "results/SOC1-09.02.json").touch()
        (top / "source/guides/index.rst").unlink()
        assert compared(settings) == ["SOC1", "SOC2"]
