"""The boards that meet a need, against bundles that the test reads in its own way."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from making import TOML, described, loaded, pooled, result

from perfguide.catalog.benchmarks import Catalog
from perfguide.catalog.board_names import Boards
from perfguide.cli.command_line import main
from perfguide.common import units
from perfguide.figures import need

LIMITED = TOML.replace('label = "CPU load"', 'at_most = 100, label = "CPU load"')
"""The description of the tests, with a limit for the CPU load."""


@pytest.fixture
def catalog(tmp_path: Path) -> Catalog:
    return described(tmp_path, LIMITED)


def run(rate: float, load: float, engine: str = "hw", size: int = 1024) -> list[dict[str, Any]]:
    params = {"engine": engine}
    return [
        result(value=rate, params={**params, "block_size": size}),
        result("load", "%", value=load, params=params),
    ]


def answers(catalog: Catalog, bundles: list[Any], *conditions: str) -> need.Answers:
    pool = pooled(bundles, catalog)
    return need.answers(
        pool, catalog, Boards(), [need.parse(each) for each in conditions], pool.guides()
    )


def groups(found: need.Answers) -> dict[str, str]:
    return {f"{a.board} {a.readings[0].record.params['engine']}": a.group for a in found.measured}


BOTH = ("speed/rate?block_size=1024 >= 20 MB/s", "speed/load <= 40 %")


def test_rate_and_load_are_of_the_same_engine(catalog: Catalog) -> None:
    # No engine has both: software is fast, and the accelerator spares the core.
    bundle = loaded(*run(30, 99, "sw"), *run(10, 30, "hw"))
    found = answers(catalog, [bundle], *BOTH)
    assert groups(found) == {"sk sw": "cannot", "sk hw": "cannot"}
    assert groups(answers(catalog, [bundle], BOTH[0])) == {"sk sw": "meets", "sk hw": "cannot"}


@pytest.mark.parametrize(
    ("rate", "load", "group"),
    [
        (22, 36, "meets"),
        (22, 37, "just"),
        (21.9, 36, "just"),
        (20, 40, "just"),
        (19.99, 10, "cannot"),
        (90, 40.1, "cannot"),
    ],
)
def test_groups_follow_the_margin(catalog: Catalog, rate: float, load: float, group: str) -> None:
    found = answers(catalog, [loaded(*run(rate, load))], *BOTH)
    assert groups(found) == {"sk hw": group}


def test_all_figures_are_of_the_newest_release_that_has_them(catalog: Catalog) -> None:
    bundles = [
        loaded(*run(30, 30), id="a", sdk__version="09.00"),
        loaded(*run(40, 20), id="b", sdk__version="09.01"),
        loaded(run(50, 10)[0], id="c", sdk__version="09.02"),
    ]
    (answer,) = answers(catalog, bundles, *BOTH).measured
    assert {reading.record.guide.release for reading in answer.readings} == {"09.01"}
    assert [reading.record.cell.mean for reading in answer.readings] == [40, 20]
    assert [[e.cell.mean for e in reading.earlier] for reading in answer.readings] == [[30], [30]]


def test_a_failed_or_missing_figure_is_not_a_zero(catalog: Catalog) -> None:
    failed = result(status="fail", params={"engine": "hw", "block_size": 1024})
    bundles = [loaded(failed, id="a"), loaded(run(1, 10)[1], id="b", board__name="other")]
    found = answers(catalog, bundles, *BOTH)
    assert not found.measured
    missing = {each.board: [str(c) for c in each.missing] for each in found.unmeasured}
    rate = "speed/rate?block_size=1024 >= 20 MB/s"
    assert missing == {"sk": [rate, "speed/load <= 40 %"], "other": [rate]}


def test_between_two_sizes_the_worse_figure_counts_and_beyond_them_none(catalog: Catalog) -> None:
    bundle = loaded(*run(10, 30, size=256), *run(30, 30, size=4096)[:1])
    (answer,) = answers(catalog, [bundle], "speed/rate?block_size=1024 >= 20").measured
    assert answer.group == "cannot" and answer.readings[0].ratio == 0.5
    assert [each.cell.mean for each in answer.readings[0].between] == [10, 30]
    assert not answers(catalog, [bundle], "speed/rate?block_size=8192 >= 1").measured


def test_figures_between_sizes_count_where_no_newer_or_equal_release_measured_the_size(
    catalog: Catalog,
) -> None:
    bundles = [
        loaded(*run(1, 30, size=256), *run(2, 30, size=4096)[:1], id="a", sdk__version="09.00"),
        loaded(
            *run(30, 30),
            *run(7, 30, "sw", size=256),
            *run(8, 30, "sw", size=4096)[:1],
            id="b",
            sdk__version="09.01",
        ),
    ]
    found = answers(catalog, bundles, "speed/rate?block_size=1024 >= 20").measured
    means = {
        each.readings[0].record.params["engine"]: each.readings[0].record.cell.mean
        for each in found
    }
    assert means == {"hw": 30, "sw": 7} and len(found) == 2


def test_units_of_the_condition_are_converted(catalog: Catalog) -> None:
    bundle = loaded(*run(20, 30))
    for bound in ("20000 kB/s", "160 Mbit/s", "20 MB/s"):
        (answer,) = answers(catalog, [bundle], f"speed/rate >= {bound}").measured
        assert answer.ratio == pytest.approx(1)


@pytest.mark.parametrize(
    ("condition", "words"),
    [
        ("speed/rate", "is not of the form"),
        ("speed/rate = 20", "is not of the form"),
        ("speed/rate >= twenty", "“twenty” in “speed/rate >= twenty” is not a number"),
        ("speed/rate >= inf MB/s", "is not a number"),
        ("speed/rate?block_size >= 1", "“block_size” in"),
        ("sped/rate >= 1", "there is no benchmark “sped”; did you mean “speed”?"),
        ("speed/rat >= 1", "there is no metric “rat”; did you mean “rate”?"),
        ("speed/rate?blocksize=1 >= 1", "there is no parameter “blocksize”; did you mean"),
        ("speed/rate >= 20 s", "is measured in “MB/s”, to which “s” cannot be converted"),
        ("speed/\x1b[31m >= 1", "there is no metric “\\x1b[31m”"),
    ],
)
def test_a_wrong_condition_gets_a_clear_word(catalog: Catalog, condition: str, words: str) -> None:
    with pytest.raises(ValueError) as error:
        answers(catalog, [loaded(*run(20, 30))], condition)
    assert words in str(error.value)


# -- real figures, by the command --------------------------------------------------------------

RESULTS = Path(__file__).parents[2] / "results"

ORDINARY = {
    "openssl": {
        **{"engine": "default", "background": "none", "nice": 0, "threads": 1},
        "workload": "alone",
    },
    "ethernet-udp": {"interrupt_pacing": False},
}
"""The parameters of an ordinary run, which results may leave out."""


def newest_values(metric: str) -> dict[tuple[str, ...], float]:
    """Return the newest figure of each SoC, system, board and set of parameters (as JSON)."""
    benchmark, _, name = metric.partition("/")
    newest: dict[tuple[str, ...], tuple[str, float]] = {}
    for path in sorted(RESULTS.rglob("*.json")):
        bundle = json.loads(path.read_text("utf-8"))
        for each in bundle.get("results", []):
            if (each["benchmark"], each["metric"]) != (benchmark, name) or "value" not in each:
                continue
            params = {**ORDINARY.get(benchmark, {}), **each.get("params", {})}
            place = bundle["board"]["soc"], bundle["sdk"]["os"], bundle["board"]["name"]
            at = *place, json.dumps(params, sort_keys=True)
            release = bundle["sdk"]["version"]
            if at not in newest or release >= newest[at][0]:
                newest[at] = release, each["value"]
    return {at: value for at, (_, value) in newest.items()}


@pytest.mark.parametrize(
    ("metric", "params", "sign", "bound", "unit", "scale"),
    [
        (
            "openssl/throughput",
            {"algorithm": "aes-128-cbc", "block_size": 8192},
            ">=",
            50,
            "MB/s",
            1000,
        ),
        ("openssl/throughput", {"algorithm": "sha256", "block_size": 1024}, ">=", 30, "MB/s", 1000),
        ("ethernet-udp/packet_loss", {"loss_allowed": True}, "<=", 0.05, "%", 1),
        ("boot-time/boot_time", {}, "<=", 20, "s", 1),
        ("glmark2/score", {}, ">=", 100, "", 1),
    ],
)
def test_the_command_finds_the_boards_that_reading_the_bundles_finds(
    metric: str,
    params: dict[str, Any],
    sign: str,
    bound: float,
    unit: str,
    scale: float,
    capsys: pytest.CaptureFixture[str],
) -> None:
    ordinary = ORDINARY.get(metric.partition("/")[0], {}).items() - {("engine", "default")}
    candidates = {
        at: value
        for at, value in newest_values(metric).items()
        if {**dict(ordinary), **params}.items() <= json.loads(at[-1]).items()
    }
    expected = {
        at
        for at, value in candidates.items()
        if (value >= bound * scale if sign == ">=" else value <= bound * scale)
    }
    assert 0 < len(expected) < len(candidates)
    asked = "&".join(f"{name}={units.plain(value)}" for name, value in params.items())
    condition = f"{metric}{'?' if asked else ''}{asked} {sign} {bound} {unit}"
    assert main(["find", "--results", str(RESULTS), "--json", condition]) == 0
    found = json.loads(capsys.readouterr().out)["boards"]
    assert {
        (b["soc"], b["os"], b["board"], json.dumps(b["figures"][0]["params"], sort_keys=True))
        for b in found
        if b["group"] != "cannot"
    } == expected


def test_figures_in_a_unit_that_does_not_convert_are_left_out_and_said(catalog: Catalog) -> None:
    bundles = [
        loaded(*run(30, 30), id="a"),
        loaded(result("rate", "1", value=50, params={"engine": "hw", "block_size": 1024}), id="b"),
    ]
    found = answers(catalog, bundles, BOTH[0])
    assert [each.readings[0].record.cell.mean for each in found.measured] == [30]
    assert found.notes == (
        "figures of speed/rate in “1” are left out: they cannot be converted to “MB/s”",
    )
    with pytest.raises(ValueError, match="measured in “1” and “MB/s”, to which “s” cannot"):
        answers(catalog, bundles, "speed/rate >= 20 s")


def test_a_number_without_a_unit_has_that_of_the_description(catalog: Catalog) -> None:
    bundles = [loaded(*run(30, 30), result("other", "s"), result("other", "MB/s", params={"x": 1}))]
    (condition,) = answers(catalog, bundles, "speed/rate >= 20").conditions
    assert condition.unit == "MB/s"
    with pytest.raises(ValueError, match="add the unit to the number"):
        answers(catalog, bundles, "speed/other >= 20")
