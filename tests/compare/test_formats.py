"""Every format of a comparison: its golden, hostile names, its limits.

``make goldens`` writes the goldens anew.
"""

from __future__ import annotations

import csv
import io
import json
import os
import re
import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

import html5lib
import pytest
from making import ROOT, TOML, plain, result, run_by_run, text
from markdown_it import MarkdownIt
from test_verdicts import compared

from perfguide import bundle
from perfguide.bundles.decode import Loaded
from perfguide.catalog import benchmarks
from perfguide.cli.command_line import main
from perfguide.common import csv_text
from perfguide.compare import as_data, as_html, as_markdown, as_text
from perfguide.compare.comparison import Comparison
from perfguide.compare.headline import headline

GOLDENS = Path(__file__).with_name("goldens")
SUFFIXES = {
    "text": "txt",
    "markdown": "md",
    "json": "json",
    "csv": "csv",
    "html": "html",
    "junit": "xml",
}
RATES = [100.0, 100.2, 99.8, 100.1, 99.9]
HOSTILE = "<script>alert(1)</script>|`x`\\**b**@team#1[a](http://e)www.e.com&amp;=1+1"


def times(factor: float) -> list[float]:
    return [round(rate * factor, 3) for rate in RATES]


def releases() -> list[dict[str, Any]]:
    """Two releases in which every verdict that needs no statistics is found, and
    changes that no statistics can miss or take for real."""
    sizes = (16, 1024, 4096)
    same = [result(samples=RATES, params={"block_size": s, "engine": "hw"}) for s in sizes]
    older = [
        *same,
        result(samples=times(2), params={"block_size": 64}),
        result("load", "%", samples=times(0.3), params={"block_size": 64}),
        result("lat_a", "us", samples=times(3)),
        result("lat_b", "us", value=5.0),
        result("lat_c", "us", status="fail"),
        result("lat_d", "us", status="fail"),
        result("lat_e", "us", samples=RATES),
        result("lat_f", "us", samples=RATES, command="speed -a"),
        result("unknown", "things", samples=RATES),
    ]
    newer = [
        *same,
        result(samples=RATES, params={"block_size": 64}),
        result("load", "%", samples=times(0.15), params={"block_size": 64}),
        result("lat_a", "us", samples=times(6)),
        result("lat_b", "us", status="fail"),
        result("lat_c", "us", value=5.0),
        result("lat_d", "us", status="fail"),
        result("lat_f", "us", samples=times(2), command="speed -b"),
        result("lat_g", "us", value=1.0, min=0.5, max=2.0),
        result("unknown", "things", samples=times(2)),
    ]
    return [
        *run_by_run(plain(*older, id="older", sdk__version="09.01.00.08", sdk__kernel="6.1")),
        *run_by_run(plain(*newer, id="newer", sdk__version="09.02.00.05", sdk__kernel="6.6")),
    ]


@pytest.fixture
def farm(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "source/benchmarks").mkdir(parents=True)
    (tmp_path / "source/benchmarks/speed.toml").write_text(TOML, "utf-8")
    (tmp_path / "source/benchmarks/speed.rst").write_text("Prose.\n", "utf-8")
    (tmp_path / "results").mkdir()
    for number, run in enumerate(releases()):
        (tmp_path / f"results/{number}.json").write_bytes(text(run))
    (tmp_path / "source/waivers.toml").write_text(
        '[[waivers]]\nbenchmark = "speed"\nmetric = "lat_a"\n'
        'reason = "the scheduler is another one"\nuntil = "09.03"\n'
        '[[waivers]]\nbenchmark = "speed"\nmetric = "gone"\nreason = "old"\nuntil = "10.00"\n',
        "utf-8",
    )
    return tmp_path


@pytest.mark.parametrize("form", SUFFIXES)
def test_every_format_is_as_its_golden(
    farm: Path, form: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["compare", "09.01", "09.02", "--format", form]) == 1
    out = capsys.readouterr().out
    golden = GOLDENS / f"comparison.{SUFFIXES[form]}"
    if os.environ.get("PERFGUIDE_GOLDENS"):
        golden.parent.mkdir(parents=True, exist_ok=True)
        golden.write_text(out, "utf-8")
    assert out == golden.read_text("utf-8")


def test_output_is_the_same_whatever_the_hash_seed_and_locale(farm: Path) -> None:
    code = "from perfguide.cli import main\nfor form in ('text', 'json'):\n    main(["
    code += "'compare', '09.01', '09.02', '--fail-on', 'never', '--format', form])"

    def run(seed: str, locale: str) -> bytes:
        environment = os.environ | {"PYTHONHASHSEED": seed, "LC_ALL": locale, "TZ": f"X{seed}"}
        environment |= {"PYTHONPATH": str(ROOT / "ext"), "COLUMNS": str(40 * int(seed))}
        command = [sys.executable, "-c", code]
        return subprocess.run(command, capture_output=True, check=True, env=environment).stdout

    one, two = run("1", "C"), run("2", "C.UTF-8")
    assert one == two and b"Do not ship" in one and one.endswith(b"}\n")


def test_the_text_fits_eighty_columns_and_leads_with_what_to_do(
    farm: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    main(["compare", "09.01", "09.02", "--all"])
    lines = capsys.readouterr().out.splitlines()
    assert max(map(len, lines)) <= 80
    assert lines[0].startswith("Do not ship: Speed: lat_b: fails now. 8 of 11 figures are steady")
    start = next(n for n, line in enumerate(lines) if line.startswith("09.01 → 09.02"))
    assert re.fullmatch(r"09.01 → 09.02: \d+ figures of 1 board on both sides", lines[start])
    assert "regressed" in lines[start + 1]
    assert "too noisy to tell" in lines[start + 2]


def hostile(many: int = 1) -> tuple[Comparison, benchmarks.Catalog]:
    """Two releases in which every name is an attack; a regression for each of many."""
    runs = []
    for release, factor in ((f"9{HOSTILE}", 2.0), (f"9.1{HOSTILE}", 1.0)):
        results = [
            {
                "benchmark": HOSTILE,
                "metric": f"{HOSTILE}{number}",
                "unit": f"MB/s|{HOSTILE}"[:200],
                "params": {HOSTILE: HOSTILE},
                "samples": times(factor),
                "command": f"{HOSTILE}\x1b]0;t\x07\u202e{release}",
            }
            for number in range(many)
        ]
        run = plain(*results, id=release[:100], sdk__version=release, sdk__kernel=f"k\x1b{release}",
                    sdk__os=HOSTILE, board__name=HOSTILE, board__soc=HOSTILE)  # fmt: skip
        decoded = bundle.decode(text(run))
        runs.append(Loaded("results", "a.json", decoded, bundle.digest(decoded)))
    none = benchmarks.Catalog({})
    return compared(*runs, releases=(f"9{HOSTILE}", f"9.1{HOSTILE}")), none


def test_hostile_names_move_no_cursor() -> None:
    comparison, described = hostile()
    shown = as_text.render(comparison, described, True, False)
    assert set(shown) <= {"\n", *map(chr, range(32, 127)), *"→…—−“”"}, set(shown)
    assert "\\x1b]0;t\\x07\\u202e" in "".join(line.strip() for line in shown.splitlines())
    assert max(map(len, shown.splitlines())) <= 80
    coloured = as_text.render(comparison, described, True, True)
    plain_again = re.sub(r"\x1b\[[0-9;]*m", "", coloured)
    assert [line.rstrip() for line in plain_again.splitlines()] == shown.splitlines()


def test_hostile_names_are_text_in_markdown() -> None:
    comparison, described = hostile()
    shown = as_markdown.render(comparison, described)
    page = MarkdownIt("commonmark", {"html": True}).enable("table").render(shown)
    tree = html5lib.parse(page, namespaceHTMLElements=False)
    tags = {element.tag for element in tree.iter()}
    assert tags <= {
        *("html", "head", "body", "h3", "h4", "p", "ul", "li", "table", "thead", "tbody", "tr"),
        *("th", "td", "code", "details", "summary"),
    }
    rows = [[len(row.findall(cell)) for cell in ("td", "th")] for row in tree.iter("tr")]
    assert {sum(row) for row in rows} == {3, 6}
    joiner = "\u2060"
    texts = "".join(tree.itertext())
    assert HOSTILE in texts.replace(joiner, "")
    assert f"@{joiner}team" in texts and "@team" not in texts and "#1" not in texts


def test_hostile_names_are_text_in_html() -> None:
    comparison, described = hostile()
    tree = html5lib.parse(as_html.render(comparison, described), namespaceHTMLElements=False)
    assert not {"script", "a", "img", "b"} & {element.tag for element in tree.iter()}
    assert HOSTILE in "".join(tree.itertext())


def test_hostile_names_survive_csv_json_and_junit() -> None:
    comparison, described = hostile()
    line = next(csv.DictReader(io.StringIO(as_data.to_comma_separated(comparison))))
    assert csv_text.plain(line["board"]) == csv_text.plain(line["benchmark"]) == HOSTILE
    row = json.loads(as_data.to_json(comparison))["rows"][0]
    assert row["board"] == HOSTILE and row["params"] == {HOSTILE: HOSTILE}
    _, case, *_ = ET.fromstring(as_data.to_junit(comparison, described)).iter("testcase")
    assert HOSTILE in case.attrib["classname"]
    assert "\\x1b]0;t" in next(iter(case)).attrib["message"]


def test_markdown_fits_a_comment_and_counts_what_it_leaves_out() -> None:
    comparison, described = hostile(400)
    link = "https://e.org/a b)<x>"
    shown = as_markdown.render(comparison, described, link)
    assert 60_000 < len(shown) <= as_markdown.MAX_COMMENT_CHARS < 65_536
    left = re.search(r"(\d+) lines did not fit here; see \[the whole comparison\]\((\S+)\)", shown)
    assert left and left[2] == "https://e.org/a%20b%29%3Cx%3E"
    rows = shown.count("\n| ") - shown.count("\n| change") - shown.count("\n| benchmark |")
    listed = shown.count("\n- ") - 2 - len(comparison.spans)
    remarks = [*comparison.notes, *headline(comparison).besides]
    assert rows + listed + int(left[1]) == 400 + 1 + len(remarks)
    assert shown.count("<details>") == shown.count("</details>")


def test_a_small_comment_leaves_nothing_out() -> None:
    comparison, described = hostile(2)
    assert "did not fit" not in as_markdown.render(comparison, described)


def test_junit_counts_failures_and_skips(farm: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main(["compare", "09.01", "09.02", "--format", "junit"])
    top = ET.fromstring(capsys.readouterr().out)
    cases = list(top.iter("testcase"))
    assert int(top.attrib["tests"]) == len(cases)
    assert int(top.attrib["failures"]) == len(list(top.iter("failure")))
    assert int(top.attrib["skipped"]) == len(list(top.iter("skipped")))
    failed = {case.attrib["name"] for case in cases if case.find("failure") is not None}
    assert failed == {"lat_b", "rate, block_size 64 bytes"}
