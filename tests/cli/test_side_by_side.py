"""``perfguide compare`` of two boards, SoCs or systems: what it pairs, what it says, what it refuses."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import html5lib
import pytest
from making import ROOT, TOML, described, plain, result, run_by_run, text

from perfguide.cli.command_line import main


class Lab:
    """A folder of bundles, and the command run in it."""

    def __init__(
        self, top: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        self.top, self._capsys = top, capsys
        monkeypatch.chdir(top)
        described(top / "source/benchmarks")
        (top / "results").mkdir()

    def run(self, board: str, *results: dict[str, Any], **more: Any) -> None:
        """Upload a run of a board for each sample, all in one file."""
        name = f"{board}-{more.get('sdk__version', '09.01')}-{more.get('sdk__os', 'linux')}"
        made = plain(*results, id=name, board__name=board, **more)
        lines = b"\n".join(map(text, run_by_run(made)))
        (self.top / f"results/{name}.jsonl").write_bytes(lines)

    def compare(self, *arguments: str) -> tuple[int, str, str]:
        """Exit status, stdout and stderr."""
        status = main(["compare", *arguments])
        said = self._capsys.readouterr()
        return status, said.out, said.err

    def rows(self, *arguments: str) -> list[dict[str, Any]]:
        """The rows of the JSON."""
        status, out, err = self.compare(*arguments, "--format", "json")
        assert (status, err) == (0, "")
        rows: list[dict[str, Any]] = json.loads(out)["rows"]
        return rows


@pytest.fixture
def lab(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Lab:
    return Lab(tmp_path, capsys, monkeypatch)


def test_figures_worlds_apart_have_no_ratio_and_say_so(lab: Lab) -> None:
    lab.run("evm", result(value=1e200))
    lab.run("sk", result(value=1e-200))
    (row,) = lab.rows("board=evm", "board=sk")
    assert row["ratio"] is None and "no ratio" in row["ground"]
    lab.run("kit", result(value=5.0))
    for other in ("evm", "sk"):
        (row,) = lab.rows("board=kit", f"board={other}")
        assert row["ratio"] is None and "no ratio" in row["ground"]


def test_clocks_worlds_apart_give_no_ratio_per_mhz(lab: Lab) -> None:
    lab.run("evm", result(value=1e90), board__cpu_mhz=1e9)
    lab.run("sk", result(value=1e-90), board__cpu_mhz=1e-300)
    (row,) = lab.rows("board=evm", "board=sk")
    assert row["ratio"] == pytest.approx(1e-180) and row["per_mhz"] is None
    lab.run("kit", result(value=1e90), board__cpu_mhz=5e-324)
    (row,) = lab.rows("board=evm", "board=kit")
    assert row["ratio"] == 1.0 and row["per_mhz"] is None


def test_two_boards_have_ratios_and_ratios_per_mhz_and_no_alarm(lab: Lab) -> None:
    quick = [result(value=200.0), result("lat_a", "us", value=5.0)]
    slow = [result(value=100.0), result("lat_a", "us", value=10.0)]
    lab.run("evm", *quick, board__cpu_mhz=1400)
    lab.run("sk", *slow, board__cpu_mhz=1000)
    status, out, err = lab.compare("board=evm", "board=sk")
    assert (status, err) == (0, "")
    assert "first:  AM62X, Linux, evm 09.01\nsecond: AM62X, Linux, sk 09.01\n" in out
    assert "clock: 1400 MHz and 1000 MHz" in out
    assert "One run each: plain ratios, and how much of them is chance is unknown." in out
    by_metric = {row["metric"]: row for row in lab.rows("board=evm", "board=sk")}
    rate, latency = by_metric["rate"], by_metric["lat_a"]
    assert (rate["ratio"], latency["ratio"]) == (0.5, 2.0)
    # The slower clock explains a part of both: work for each cycle, and cycles that were waited.
    assert rate["per_mhz"] == pytest.approx(0.7)
    assert latency["per_mhz"] == pytest.approx(2 / 1.4)
    assert {rate["standing"], latency["standing"]} == {"one run"}


def test_a_benchmark_has_the_geometric_mean_of_its_ratios_in_the_better_direction(
    lab: Lab,
) -> None:
    lab.run("evm", result(value=200.0), result("lat_a", "us", value=5.0), board__cpu_mhz=1400)
    lab.run("sk", result(value=100.0), result("lat_a", "us", value=20.0), board__cpu_mhz=1000)
    _, out, _ = lab.compare("board=evm", "board=sk", "--format", "json")
    (mean,) = json.loads(out)["benchmarks"]
    # A half of the rate, and the fourfold latency: a quarter of the speed.
    assert mean["ratio"] == pytest.approx((1 / 2 * 1 / 4) ** 0.5)
    # At the clock of the other board it would be 1.4 times as much.
    assert mean["per_mhz"] == pytest.approx(1.4 * (1 / 2 * 1 / 4) ** 0.5)
    assert mean["of"] == 2


def test_an_unknown_or_equal_clock_gives_no_ratio_per_mhz(lab: Lab) -> None:
    lab.run("evm", result(value=200.0), board__cpu_mhz=1400)
    lab.run("sk", result(value=100.0))
    lab.run("kit", result(value=100.0), board__cpu_mhz=1400)
    out = lab.compare("board=evm", "board=sk")[1]
    assert "clock: 1400 MHz and not known, so there is no ratio per MHz" in " ".join(out.split())
    assert "PER MHZ" not in out
    assert "alike, so there is no ratio per MHz" in lab.compare("board=evm", "board=kit")[1]


def test_only_several_runs_on_both_sides_tell_two_boards_apart(lab: Lab) -> None:
    def figures(*means: float) -> list[dict[str, Any]]:
        return [
            result(params={"block_size": 2**size}, samples=[mean, mean * 1.01, mean * 0.99])
            for size, mean in enumerate(means)
        ]

    lab.run("evm", *figures(100.0, 100.0), result("lat_a", "us", value=5.0))
    lab.run("sk", *figures(200.0, 100.5), result("lat_a", "us", value=50.0))
    rows = {str(row["params"]): row for row in lab.rows("board=evm", "board=sk")}
    standings = [row["standing"] for row in rows.values() if row["metric"] == "rate"]
    assert sorted(standings) == ["apart", "unsure"]
    (single,) = (row for row in rows.values() if row["metric"] == "lat_a")
    assert (single["standing"], single["q"]) == ("one run", None)
    out = " ".join(lab.compare("board=evm", "board=sk")[1].split())
    assert "2 rows with several runs on both sides: 1 differ beyond their scatter." in out


def test_systems_and_releases_of_one_board_and_socs_are_sides_too(lab: Lab) -> None:
    lab.run("sk", result(value=100.0))
    lab.run("sk", result(value=80.0), sdk__os="rt-linux", sdk__version="09.00")
    lab.run("evm", result(value=50.0), board__soc="AM64X", sdk__version="08.06")
    (row,) = lab.rows("os=linux", "os=rt-linux", "--soc", "AM62X")
    assert row["ratio"] == 0.8
    (row,) = lab.rows("08.06,soc=AM64X", "09.01,soc=AM62X,os=linux")
    assert row["ratio"] == 2.0
    # One board in one system on both sides is a comparison of releases, as ever.
    lab.run("sk", result(value=110.0), sdk__version="09.02")
    out = lab.compare("09.01,board=sk", "latest,board=sk", "--os", "linux")[1]
    assert "AM62X, Linux, sk: 09.01 → 09.02" in out


def test_what_differs_beside_the_boards_is_listed_and_another_tool_keeps_figures_apart(
    lab: Lab,
) -> None:
    described = TOML.replace('command = "speed --all"', 'command = "speed"\ntools = ["speed"]')
    (lab.top / "source/benchmarks/speed.toml").write_text(described, "utf-8")
    lab.run("evm", result(value=1.0), board__memory="LPDDR4 2 GiB", tools={"speed": "1.0"})
    lab.run("sk", result(value=2.0), board__memory="DDR4 1 GiB", tools={"speed": "1.0"})
    out = lab.compare("board=evm", "board=sk")[1]
    assert "memory: “LPDDR4 2 GiB” and “DDR4 1 GiB”" in out and "×2" in out
    lab.run("sk", result(value=2.0), tools={"speed": "2.0"})
    (row,) = lab.rows("board=evm", "board=sk")
    assert (row["standing"], row["ratio"]) == ("incomparable", None)
    assert "the version of speed was “1.0” and is “2.0”" in row["ground"]


def test_a_load_has_no_ratio_without_the_rate_that_was_reached_with_it(lab: Lab) -> None:
    lab.run("evm", result("load", "%", value=10.0))
    lab.run("sk", result("load", "%", value=40.0))
    (row,) = lab.rows("board=evm", "board=sk")
    assert row["ratio"] is None and "beside the rate" in row["ground"]


def test_several_boards_have_to_be_named_unless_their_names_pair_them(lab: Lab) -> None:
    for name in ("evm", "sk"):
        lab.run(name, result(value=1.0))
        lab.run(f"{name}64", result(value=1.0), board__soc="AM64X")
    status, out, err = lab.compare("soc=AM62X", "soc=AM64X")
    assert (status, out) == (2, "")
    assert "“soc=AM62X” has evm, sk; “soc=AM64X” has evm64, sk64; name one of each" in err
    lab.run("sk", result(value=3.0), sdk__os="rt-linux")
    status, out, _ = lab.compare("soc=AM62X,os=linux", "soc=AM62X,os=rt-linux")
    assert status == 0 and "×3" in out
    assert "soc=AM62X,os=linux: the other side has no board evm" in " ".join(out.split())


def test_wrong_names_and_formats_are_refused(lab: Lab) -> None:
    lab.run("evm", result(value=1.0))
    lab.run("sk", result(value=2.0))
    status, _, err = lab.compare("bord=evm", "board=sk")
    assert status == 2 and "“bord=evm” is not one of soc=NAME, os=NAME, board=NAME" in err
    status, _, err = lab.compare("board=evn", "board=sk")
    assert status == 3 and "there is no board “evn” (did you mean “evm”?)" in err
    status, _, err = lab.compare("board=evm", "board=sk", "--format", "junit")
    assert status == 2 and "text, markdown, html, json, csv" in err


def test_releases_without_a_board_in_common_stay_no_comparison_and_say_how_to_ask(
    lab: Lab,
) -> None:
    lab.run("evm", result(value=1.0))
    lab.run("sk", result(value=2.0), sdk__version="09.02")
    status, out, err = lab.compare("09.01", "09.02")
    assert (status, out) == (3, "")
    assert "perfguide compare 09.01,board=evm 09.02,board=sk" in err


def test_markdown_html_and_csv_hold_every_row_and_hostile_names_stay_text(lab: Lab) -> None:
    lab.run("<b>evm", result(value=1.5, params={"block_size": 64}))
    lab.run("sk|x", result(value=3.0, params={"block_size": 64}))
    _, out, _ = lab.compare("board=<b>evm", "board=sk|x", "--format", "markdown")
    assert "<b>" not in out and "| ×2 | — | 1.5 | 3 |" in out
    _, out, _ = lab.compare("board=<b>evm", "board=sk|x", "--format", "csv")
    (row,) = csv.DictReader(io.StringIO(out))
    assert (row["first"], row["second"], row["ratio"]) == ("1.5", "3", "2")
    assert (row["first board"], row["standing"]) == ("<b>evm", "not tested")
    status, out, _ = lab.compare("board=<b>evm", "board=sk|x", "--format", "html")
    page = html5lib.parse(out, namespaceHTMLElements=False)
    cells = [["".join(cell.itertext()) for cell in row] for row in page.iter("tr")]
    assert cells[-1][:4] == ["×2", "1.5", "3", "MB/s ↑"]
    assert status == 0 and not page.findall(".//b") and "<b>evm" in "".join(page.itertext())


def test_published_boards_of_other_clocks_agree_for_each_mhz(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """The repository's own figures: a core does the same in each cycle at 1400 and 1250 MHz."""
    sides = ("board=am62xx_sk-fs", "board=am62xx_lp_sk-fs", "--soc", "AM62X", "--format", "json")
    assert main(["compare", *sides, "--results", str(ROOT / "results")]) == 0
    rows = json.loads(capsys.readouterr().out)["rows"]
    (linpack,) = (row for row in rows if row["benchmark"] == "linpack")
    assert linpack["ratio"] == pytest.approx(1250 / 1400, rel=0.02)
    assert linpack["per_mhz"] == pytest.approx(1.0, abs=0.02)

    _check_by_bundles(rows, ("am62xx_sk-fs", "am62xx_lp_sk-fs"))


def _check_by_bundles(rows: list[dict[str, Any]], boards: tuple[str, str]) -> None:
    """Check both figures and the ratio of each row by the bundles alone."""
    results = [
        json.loads((ROOT / f"results/AM62X/linux/09.01.00.08/{board}.json").read_bytes())["results"]
        for board in boards
    ]
    checked = 0
    for row in rows:
        for side, own in zip(("first", "second"), results, strict=True):
            if row[side] is None:
                continue
            # A bundle need not state a parameter that has its default.
            samples = [
                sample
                for each in own
                if (each["benchmark"], each["metric"]) == (row["benchmark"], row["metric"])
                and each.get("params", {}).items() <= row[side]["params"].items()
                for sample in each.get("samples") or [each["value"]]
            ]
            assert row[side]["mean"] == pytest.approx(sum(samples) / len(samples)), row
            checked += 1
        if row["ratio"] is not None:
            assert row["ratio"] == pytest.approx(row["second"]["mean"] / row["first"]["mean"])
    assert checked > 400
