"""The command says what it found, on the right stream, with the right exit status."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from making import ROOT, TOML, only, plain, result, text

from perfguide.cli.command_line import main
from perfguide.figures import query

RUNS = [
    plain(
        result(samples=[1, 3], params={"block_size": 16}, command="speed 16"),
        result(value=7.123456789012, params={"block_size": 4096, "engine": "hw"}),
        result("lat_a", "us", status="fail", log={"file": "speed.log", "line": 12}),
        id="one",
        runner__name="lab",
        sdk__kernel="6.1",
    ),
    plain(result(samples=[5], params={"block_size": 16}), id="two", created="2024-05-01T00:00:00Z"),
    plain(result("a/b", "foo"), id="three", board__soc="AM64X", sdk__os="rt-linux"),
]


class Site:
    """A folder with results and descriptions, and the command run on it."""

    def __init__(self, top: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.top = top
        self.results = top / "results"
        self.results.mkdir()
        self.benchmarks = top / "benchmarks"
        self.benchmarks.mkdir()
        (self.benchmarks / "speed.toml").write_text(TOML, "utf-8")
        (self.benchmarks / "speed.rst").write_text("Prose.\n", "utf-8")
        self._capsys = capsys

    def put(self, name: str, data: Any) -> Path:
        """Upload a file."""
        path = self.results / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data if isinstance(data, bytes) else text(data))
        return path

    def run(self, *arguments: str | Path) -> tuple[int, str, str]:
        """Exit status, stdout and stderr."""
        status = main([str(a) for a in arguments])
        said = self._capsys.readouterr()
        return status, said.out, said.err

    def on_site(self, command: str, *arguments: str | Path) -> tuple[int, str, str]:
        """The same with the two folders given."""
        places = ("--results", self.results, "--benchmarks", self.benchmarks)
        return self.run(command, *arguments, *places)


@pytest.fixture
def site(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Site:
    return Site(tmp_path, capsys)


@pytest.fixture
def full(site: Site) -> Site:
    for number, run in enumerate(RUNS):
        site.put(f"{number}.json", run)
    return site


# -- check -------------------------------------------------------------------------


def test_check_of_sound_bundles_is_fine(full: Site) -> None:
    assert full.run("check", full.results) == (
        0,
        "3 valid bundles with 5 results; none refused\n",
        "",
    )


def test_check_names_file_pointer_and_hint_of_a_typo(full: Site) -> None:
    bad = plain(result(unit="MB/s"), id="bad")
    bad["results"][0]["metrik"] = bad["results"][0].pop("metric")
    full.put("deep/bad.json", bad)
    status, out, err = full.run("check", full.results)
    assert (status, err) == (1, "")
    lines = out.splitlines()
    assert lines[0] == (
        f"{full.results}/deep/bad.json at /results/0/metrik: warning: “metrik” is not a key of the schema and is "
        "ignored (did you mean “metric”?) [unknown-key]"
    )
    assert "/deep/bad.json at /results/0: error: “metric” is missing (add it: " in lines[1]
    assert lines[-1] == "3 valid bundles with 5 results; 1 refused, 1 fault"


def test_check_takes_files_and_archives_and_names_lines(site: Site) -> None:
    path = site.put("x.jsonl", text(RUNS[0]) + b"\n{oops\n" + text(RUNS[1]))
    status, out, _ = site.run("check", path)
    assert status == 1
    assert re.search(r"x\.jsonl#2:2: error: is not JSON: .*\[syntax\]", out)
    assert "2 valid bundles with 4 results; 1 refused" in out


def test_check_is_fine_with_warnings_and_says_them(full: Site) -> None:
    full.put("extra.json", plain(id="x", colour="red"))
    status, out, _ = full.run("check", full.results)
    assert status == 0
    assert "extra.json at /colour: warning:" in out


def test_check_warns_of_a_bundle_from_the_future_and_counts_it(full: Site) -> None:
    full.put("late.json", RUNS[0] | {"id": "late", "created": "9999-01-01T00:00:00Z"})
    status, out, err = full.on_site("check")
    assert (status, err) == (0, "")
    assert "late.json at /created: warning: “created” is in the future: 9999-01-01" in out
    assert f"{len(RUNS) + 1} valid bundles" in out


def test_check_finds_a_conflict(full: Site) -> None:
    full.put("again.json", plain(id="one"))
    assert full.run("check", full.results)[0] == 0, "another runner has ids of its own"
    full.put("again.json", plain(id="one", runner__name="lab"))
    status, out, _ = full.run("check", full.results)
    assert status == 1
    assert out.count("[conflict]") == 2


def test_check_quietly_prints_findings_only(full: Site) -> None:
    assert full.run("check", "-q", full.results) == (0, "", "")
    full.put("bad.json", b"{")
    status, out, _ = full.run("check", "-q", full.results)
    assert (status, len(out.splitlines())) == (1, 1)


def test_check_mentions_files_that_hold_no_bundles(full: Site) -> None:
    full.put("figures.xlsx", b"")
    status, out, _ = full.run("check", full.results)
    assert status == 0
    assert "figures.xlsx: note:" in out


def test_check_of_a_path_that_is_not_there_is_wrong_usage(site: Site) -> None:
    status, out, _ = site.run("check", site.top / "nowhere")
    assert status == 2
    assert "nowhere: error: there is no such file or folder (create the folder, or name" in out


def test_check_of_hostile_text_prints_nothing_that_moves_a_cursor(site: Site) -> None:
    site.put("bad.json", plain(id="\x1b[2J\u202e", **{"\x07": 1}))
    status, out, _ = site.run("check", site.results)
    assert status == 1
    assert all(line.isprintable() for line in out.splitlines())


# -- schema, list ------------------------------------------------------------------


def test_schema_prints_the_json_schema(site: Site) -> None:
    status, out, err = site.run("schema")
    assert (status, err) == (0, "")
    assert json.loads(out)["$defs"]["Bundle"]["required"][:3] == ["format", "version", "id"]


def test_list_shows_the_guides(full: Site) -> None:
    status, out, err = full.on_site("list")
    assert (status, err) == (0, "")
    assert [line.split() for line in out.splitlines()] == [
        ["SOC", "SYSTEM", "RELEASE", "FIGURES", "MEASURED", "BOARDS"],
        ["AM62X", "Linux", "09.01", "3", "2024-05-01", "sk"],
        ["AM64X", "RT-Linux", "09.01", "1", "2024-04-02", "sk"],
    ]


def test_list_of_nothing_says_so(site: Site) -> None:
    status, out, err = site.on_site("list")
    assert (status, out) == (3, "")
    assert "[no-results]" in err
    assert site.run("list", "--results", site.top / "nowhere")[0] == 2


def test_list_shows_what_is_sound_beside_what_is_not(full: Site) -> None:
    full.put("bad.json", b"{")
    status, out, err = full.on_site("list")
    assert status == 0
    assert len(out.splitlines()) == 3
    assert "bad.json: error:" in err


# -- show --------------------------------------------------------------------------


def test_show_prints_a_figure_with_all_its_sources(full: Site) -> None:
    status, out, err = full.on_site("show", "AM62X/09.01/sk/speed/rate", "--param", "block_size=16")
    assert (status, err) == (0, "1 figure\n")
    assert out.startswith("AM62X/09.01/sk/speed/rate  [Linux]\n")
    assert "  block_size 16, engine sw\n" in out
    assert "  3 (min 1, max 5) n=3 MB/s\n" in out
    assert "  from 0.json at /results/0\n" in out
    assert "  from 1.json at /results/0\n" in out
    assert "    command  speed 16\n" in out
    assert "    kernel   6.1\n" in out


def test_show_gives_every_digit(full: Site) -> None:
    _, out, _ = full.on_site("show", "AM62X/*/*/*/rate", "--param", "engine=hw")
    assert "  7.12345678901 MB/s\n" in out


def test_show_says_failed(full: Site) -> None:
    _, out, _ = full.on_site("show", "am62x/09/sk/speed/lat_*")
    assert "  failed µs\n" in out
    assert "    log      speed.log:12\n" in out


def test_show_as_json_is_for_programs(full: Site) -> None:
    status, out, err = full.on_site("show", "AM62X", "--json", "--param", "block_size=16")
    assert (status, err) == (0, "")
    found = only(json.loads(out))
    assert (found["mean"], found["min"], found["max"], found["count"]) == (3.0, 1.0, 5.0, 3)
    assert found["params"] == {"block_size": 16, "engine": "sw"}
    assert [s["bundle"] for s in found["sources"]] == ["one", "two"]
    assert found["sources"][0]["figures"] == {"samples": [1.0, 3.0], "unit": "MB/s"}


def test_show_takes_metrics_with_a_slash(full: Site) -> None:
    status, out, _ = full.on_site("show", "AM64X/09.01/sk/speed/a/b")
    assert status == 0
    assert out.startswith("AM64X/09.01/sk/speed/a/b")


@pytest.mark.parametrize(
    ("asked", "status", "message"),
    [
        (["AM62Y"], 3, "there is no SoC “AM62Y”; did you mean “AM62X”?"),
        (["AM62X/08"], 3, "there is no release “08”"),
        (["AM62X/09.01/sk/sped"], 3, "there is no benchmark “sped”; did you mean “speed”?"),
        (["AM64X/*/*/*/rate"], 3, "each part exists, but no figure combines them all"),
        (["AM62X", "--os", "rt-linux"], 3, "each part exists"),
        (["AM62X", "--param", "block_size=17"], 3, "each part exists"),
        (["AM62X", "--param", "block_size"], 2, "not of the form NAME=VALUE"),
        (["AM62X//sk"], 2, "a part of the query is empty"),
        ([""], 2, "a part of the query is empty"),
    ],
)
def test_show_of_nothing_says_why(full: Site, asked: list[str], status: int, message: str) -> None:
    found, out, err = full.on_site("show", *asked)
    assert (found, out) == (status, "")
    assert message in err


def test_show_of_a_path_that_is_not_there_is_wrong_usage(site: Site) -> None:
    assert site.run("show", "AM62X", "--results", site.top / "nowhere")[0] == 2


@pytest.mark.parametrize(
    ("name", "wanted", "found"),
    [
        ("09.01.00.08", "09.01", True),
        ("09.01", "09.01", True),
        ("09.010", "09.01", False),
        ("09.01", "09.01.00", False),
        ("09.01.00.08", "*.08", True),
        ("09.01", "*", True),
    ],
)
def test_a_release_may_be_cut_short_at_its_points(name: str, wanted: str, found: bool) -> None:
    assert query.is_release(name, wanted) is found


def test_a_query_is_read_part_by_part() -> None:
    parsed = query.parse("A/1", "linux", ["x=1=2"])
    assert parsed == query.Query("A", "1", "*", "*", "*", "linux", (("x", "1=2"),))


# -- generate ----------------------------------------------------------------------


def test_generate_writes_pages_once_and_removes_stale_ones(full: Site) -> None:
    output = full.top / "out"
    status, out, err = full.on_site("generate", "--output", output)
    assert (status, err) == (0, "")
    assert re.fullmatch(
        rf"2 guides with 4 figures in {output}: \d+ files changed, 0 removed\n", out
    )
    page = (output / "guides/AM62X/linux/09.01.rst").read_text("utf-8")
    assert "AM62X performance guide" in page
    folder = output / "guides/AM62X/linux/09.01"
    assert "\n16 bytes,—,3 ±\n" in (folder / "speed-rate.csv").read_text("utf-8")
    head, row = (folder / "speed-rate.data.csv").read_text("utf-8").splitlines()[:2]
    assert head.endswith(
        ',"sk, software, Rate (MB/s)","sk, software, Rate (MB/s), min",'
        '"sk, software, Rate (MB/s), max","sk, software, Rate (MB/s), samples"'
    )
    assert row == "AM62X,Linux,09.01,16,,3.0,1.0,5.0,3"
    assert "0 files changed, 0 removed" in full.on_site("generate", "--output", output)[1]
    (full.results / "2.json").unlink()
    assert not full.on_site("generate", "--output", output)[1].endswith(" 0 removed\n")
    assert not (output / "guides/AM64X").exists()
    assert (output / "guides/AM62X/linux/09.01.rst").read_text("utf-8") == page


def test_generate_publishes_the_sound_and_lists_the_refused(full: Site) -> None:
    full.put("bad.json", text(plain(id=5)))
    full.put("\udcff.json", b"{")
    full.put("worse.json", text(plain()).replace(b'"id"', b'"\\ud800": 1, "id"'))
    output = full.top / "out"
    status, out, err = full.on_site("generate", "--output", output)
    assert (status, out[:8]) == (0, "2 guides")
    refused = (output / "reports/provenance/refused.csv").read_text("utf-8")
    for name in ("bad.json", "\\udcff.json", "worse.json"):
        assert f"{name}" in err
        assert f"{name},refused," in refused


def test_generate_of_nothing_makes_an_empty_site(site: Site) -> None:
    status, _, err = site.on_site("generate", "--output", site.top / "out")
    assert status == 0
    assert "no valid bundle was found" in err
    assert site.run("generate", "--results", site.top / "no", "--output", site.top / "o")[0] == 2


def test_generate_names_a_fault_of_the_catalog(full: Site) -> None:
    (full.benchmarks / "speed.toml").write_text("title = 5", "utf-8")
    status, _, err = full.on_site("generate", "--output", full.top / "out")
    assert status == 0
    assert "speed.toml: error:" in err
    assert (full.top / "out/guides/AM62X/linux/09.01/other-speed.csv").exists()


# -- usage -------------------------------------------------------------------------


@pytest.mark.parametrize("wrong", [[], ["frobnicate"], ["show"], ["check", "--what"]])
def test_wrong_usage_has_status_two(wrong: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        main(wrong)
    assert stopped.value.code == 2
    assert "usage: perfguide" in capsys.readouterr().err


@pytest.mark.parametrize("command", ["check", "schema", "list", "generate", "show"])
def test_help_of_each_command_names_the_exit_statuses(
    command: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as stopped:
        main([command, "--help"])
    said = capsys.readouterr().out
    assert stopped.value.code == 0
    assert all(f"\n  {number}  " in said for number in range(4))


def test_a_reader_who_has_gone_is_no_fault() -> None:
    script = (
        f"{sys.executable} -m perfguide schema | head -n 1 > /dev/null; echo ${{PIPESTATUS[0]}}"
    )
    done = subprocess.run(
        ["bash", "-c", script],
        capture_output=True,
        text=True,
        check=True,
        env={"PYTHONPATH": str(ROOT / "ext"), "PATH": "/usr/bin:/bin"},
    )
    assert done.stdout.strip() == "0"
    assert "Traceback" not in done.stderr


def test_check_knows_what_descriptions_say_and_that_a_folder_is_empty(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "results"
    folder.mkdir()
    assert main(["check", str(folder)]) == 3
    assert "0 valid bundles" in capsys.readouterr().out
    rate = {"benchmark": "stream", "metric": "copy", "unit": "MB/s", "value": 5.5}
    (folder / "a.json").write_bytes(text(plain({**rate, "params": {"card": "SanDisk"}})))
    assert main(["check", str(folder)]) == 0
    out = capsys.readouterr().out
    assert "the parameter “card” of stream is not described" in out
    assert '[params.card] label = "Card"' in out and "1 valid bundle " in out
    (folder / "a.json").write_bytes(text(plain({**rate, "min": 16, "max": 17})))
    assert main(["check", str(folder)]) == 1
    assert "is below its “min”" in capsys.readouterr().out
    (folder / "a.json").write_bytes(text(plain({**rate, "min": 7, "max": 6})))
    assert main(["check", str(folder)]) == 1
    assert "“min” is above “max”" in capsys.readouterr().out
