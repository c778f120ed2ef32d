"""What bundles say that no description knows is reported once, with the lines that fix it."""

from __future__ import annotations

import tomllib
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from conftest import TOP
from making import TOML, described, loaded, only, pooled, result

from perfguide.bundles import mixed_setups, supersede
from perfguide.catalog import agreement, benchmarks
from perfguide.catalog.benchmarks import Catalog
from perfguide.common.diagnostics import Diagnostic
from perfguide.health.rules import examine


def said(catalog: Catalog, *results: dict[str, Any], **changes: Any) -> list[Diagnostic]:
    return agreement.findings([loaded(*results, **changes)], catalog, "source/benchmarks")


def test_an_unknown_parameter_is_told_once_with_lines_that_mend_it(tmp_path: Path) -> None:
    catalog = described(tmp_path)
    many = [result(params={"block_size": s, "sd card": "SanDisk"}) for s in range(36)]
    found = only(said(catalog, *many))
    assert (found.kind, found.severity) == ("undescribed", "warning")
    assert "“sd card” of speed is not described: 36 results of 1 bundle" in found.message
    assert found.pointer == "/results/0/params/sd card"
    lines = found.hint.partition("speed.toml: ")[2].partition(", along")[0]
    added = tomllib.loads(lines.replace("] ", "]\n"))
    assert added == {"params": {"sd card": {"label": "Sd card"}}}
    fixed = described(tmp_path, TOML + lines.replace("] ", "]\n"))
    assert said(fixed, *many) == []


@pytest.mark.parametrize(
    ("spoilt", "message", "hint"),
    [
        (result(unit="s", params={"block_size": 1}), "“s” is not a unit for a metric", "“MB/s”"),
        (result("rates", params={"block_size": 1}), "“rates” is not a metric", "“rate”"),
    ],
)
def test_a_unit_of_another_kind_and_a_typing_error_are_told(
    tmp_path: Path, spoilt: dict[str, Any], message: str, hint: str
) -> None:
    found = only(said(described(tmp_path), spoilt))
    assert message in found.message and hint in found.hint


@pytest.mark.parametrize(
    ("spoilt", "meant"),
    [
        (result("packets_per_second", "kPPS", benchmark="ethernet-udp"), "packet_rate"),
        (
            result("throughput", "kB/s", params={"buffer_size": 16}, benchmark="openssl"),
            "block_size",
        ),
    ],
)
def test_words_of_other_guides_suggest_the_names_of_the_catalog(
    spoilt: dict[str, Any], meant: str
) -> None:
    catalog, _ = benchmarks.load([TOP / "source" / "benchmarks"])
    assert f"did you mean “{meant}”?" in only(said(catalog, spoilt)).hint


def test_names_spelt_in_two_ways_and_names_that_are_none_are_told(tmp_path: Path) -> None:
    catalog = described(tmp_path)
    item = result(params={"block_size": 1})
    assert "write “linux”" in only(said(catalog, item, sdk__os="Linux")).hint
    for soc in ("unknown", "42", "https://lab/am62x"):
        assert only(said(catalog, item, board__soc=soc)).pointer == "/board/soc"
    two = [loaded(item, id=s, board__soc=s) for s in ("AM62X", "am62x")]
    both = [*two, loaded(item, id="c", board__soc="AM62X")]
    assert [d.hint for d in agreement.misspelt_names(both)] == ["write “AM62X”"]
    assert said(catalog, item) == []


def test_a_mean_outside_its_range_is_an_error_and_one_apart_from_its_samples_a_warning() -> None:
    nothing = Catalog({})
    outside = only(said(nothing, result(value=3.43, min=4.26, max=4.36)))
    assert (outside.kind, outside.severity) == ("contradiction", "error")
    assert "3.43 is below its “min”, 4.26" in outside.message
    typed = only(said(nothing, result(value=14.52, samples=[13.52, 13.52, 13.51])))
    assert (typed.kind, typed.severity) == ("apart", "warning")
    assert said(nothing, result(value=4.5, min=4.36, max=4.36)) != []
    assert said(nothing, result(value=4.36, min=4.364, max=4.37)) == [], "rounded"


def test_two_results_with_one_key_are_told_with_both_lines_and_marked() -> None:
    rows = [
        result(value=value, log={"file": "speed.log", "line": line})
        for value, line in ((1000.0, 12), (2400.0, 31))
    ]
    found = only(said(Catalog({}), *rows))
    assert found.kind == "same-key" and found.pointer == "/results/0"
    assert (
        "/results/0 is 1000 (speed.log:12) and /results/1 is 2400 (speed.log:31)" in found.message
    )
    marks = [f for f in examine(pooled([loaded(*rows)]), Catalog({}))[0] if f.rule.id == "same-key"]
    assert only(only(marks).suspects).record.cell.mean == 1700
    assert "1,000 MB/s and 2,400 MB/s are results of one bundle" in only(marks).reason


@pytest.mark.parametrize(
    "rows",
    [
        [result(value=100.0), result(value=104.0)],
        [result(samples=[100.0, 140.0]), result(samples=[120.0, 160.0])],
        [result(value=100.0, params={"core": 0}), result(value=300.0, params={"core": 1})],
        [result(value=100.0, setup={"clock": 1000}), result(value=101.0, setup={"clock": 800})],
        [result(value=100.0), result(status="fail")],
        [result(value=100.0), result(value=130.0), result(value=145.0)],
    ],
)
def test_what_noise_allows_and_what_is_told_apart_is_no_contradiction(
    rows: list[dict[str, Any]],
) -> None:
    assert said(Catalog({}), *rows) == []


@pytest.mark.parametrize(
    ("setups", "said_of_them"),
    [
        (({"card": "A"}, {"card": "B"}), "card is “A” at /results/0 and “B” at /results/1"),
        (({"card": "A"}, {}), "card is “A” at /results/0 and not stated at /results/1"),
    ],
)
def test_one_name_for_figures_of_two_setups_is_an_error_with_both_places(
    tmp_path: Path, setups: tuple[dict[str, str], ...], said_of_them: str
) -> None:
    rows = [result(value=100.0 + n, setup=setup) for n, setup in enumerate(setups)]
    found = only(said(Catalog({}), *rows))
    assert (found.kind, found.severity) == ("mixed-setup", "error")
    assert said_of_them in found.message and "make “card” a parameter" in found.hint
    no_matter = described(tmp_path, TOML + "\n[facts.card]\nmatters = false\n")
    assert [d for d in said(no_matter, *rows) if d.kind == "mixed-setup"] == []


def test_two_bundles_of_a_release_with_one_name_for_two_setups_are_an_error_with_both_places() -> (
    None
):
    row = result(value=100.0, log={"file": "a.log", "line": 7})
    one = loaded(row, id="one", origin="one.json", setup={"card": "A"})
    other = loaded(
        result(value=120.0, setup={"card": "B", "clock": "1 MHz"}), id="two", origin="two.json"
    )
    found = only([d for d in mixed_setups.find([one, other]) if d.kind == "mixed-setup"])
    assert (found.origin, found.pointer, found.severity) == ("two.json", "/results/0", "error")
    assert "card is “B” at /results/0 and “A” at /results/0 (a.log:7) of one.json" in found.message
    assert "make “card” a parameter" in found.hint and "supersedes" in found.hint
    for apart in (
        loaded(row, id="three", setup={"card": "B"}, sdk__version="10.00"),
        loaded(row, id="three", setup={"card": "B"}, board__name="evm"),
        loaded(result(params={"card": "B"}), id="three", setup={"card": "B"}),
        loaded(row, id="three", setup={"clock": "2 MHz"}),
    ):
        assert [*mixed_setups.find([one, apart])] == []


def test_a_log_that_two_bundles_hold_is_an_error() -> None:
    rows = [result(value=100.0 + n, log={"file": "a.log", "line": n + 1}) for n in range(3)]
    logs = {"a.log": "0" * 64, "summary.txt": "1" * 64}
    one = loaded(*rows, id="one", origin="one.json", logs=logs)
    other = loaded(*rows, result(), id="two", origin="two.json", logs=logs)
    found = only([*mixed_setups.find([one, other])])
    assert (found.kind, found.severity, found.origin) == ("same-log", "error", "two.json")
    assert "the log a.log is identical to a.log of one.json" in found.message


def test_two_bundles_whose_figures_are_all_equal_count_as_one_run() -> None:
    figures = [result(params={"n": n}, value=n * 1.7) for n in range(10)]
    first = loaded(*figures, id="b")
    again = loaded(*figures, id="a", created="2024-05-01T00:00:00Z", origin="b.json")
    ledger = supersede.settle([again, first])
    assert [item.bundle.id for item in ledger.bundles] == ["b"]
    found = only(ledger.diagnostics)
    assert (found.kind, found.severity, found.origin) == ("same-run", "warning", "b.json")
    assert "“b”" in found.message
    other = loaded(*figures[:-1], result(params={"n": 9}, value=1), id="c", origin="c.json")
    assert len(supersede.settle([first, other]).bundles) == 2
    few = [loaded(result(value=31), id=n, origin=n) for n in "xy"]
    assert len(supersede.settle(few).bundles) == 2, "a few figures can be equal by chance"


@pytest.mark.parametrize(
    ("created", "is_ahead"),
    [
        ("2026-11-24T12:00:01Z", True),
        ("2026-11-24T12:00:00Z", False),
        ("2026-11-24T22:59:59+11:00", False),
        ("2026-11-24T12:00:00-01:00", True),
        ("9999-01-01T00:00:00Z", True),
        ("2020-01-01T00:00:00Z", False),
    ],
)
def test_a_bundle_from_after_tomorrow_is_a_warning(created: str, is_ahead: bool) -> None:
    now = datetime(2026, 11, 23, 12, tzinfo=UTC)
    found = agreement.ahead([loaded(result(value=1.0), created=created)], now)
    assert [(each.kind, each.severity, each.pointer) for each in found] == [
        ("future", "warning", "/created")
    ] * is_ahead
    assert all("is in the future" in each.message and "clock" in each.hint for each in found)
