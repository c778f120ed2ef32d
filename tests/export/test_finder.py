"""The page that finds boards, in a real browser, against the command and against figures by hand."""

from __future__ import annotations

import csv
import json
import shutil
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Literal
from urllib.parse import urlencode

import pytest
from axe_playwright_python.sync_playwright import Axe
from conftest import bare_project, run_sphinx
from making import SHIPPED, plain, result
from playwright.sync_api import Page, expect
from profiles import count
from windows import Windows

from perfguide.bundles.guide_key import os_name
from perfguide.catalog import benchmarks
from perfguide.cli.command_line import main
from perfguide.cli.find import Question
from perfguide.export import finder, json_api
from perfguide.figures.need import Answer, Reading

HOSTILE = "<img src=x onerror=document.title='taken'>\"&amp;</script>"


def run(rate: float, load: float, engine: str, size: int = 1024) -> list[dict[str, Any]]:
    """Return a rate and a CPU load of one run of OpenSSL."""
    params = {"algorithm": "aes-256-cbc", "engine": engine}
    return [
        result(
            "throughput",
            "kB/s",
            benchmark="openssl",
            value=rate,
            params={**params, "block_size": size},
        ),
        result("cpu_load", "%", benchmark="openssl", value=load, params=params),
    ]


def bundles() -> list[dict[str, Any]]:
    """Return boards that meet a need of 20 MB/s at 40 % of a CPU or not, each for another reason."""
    copy = result("copy", "MB/s", benchmark="stream", value=2000.0)
    busy = result(
        "throughput",
        "kB/s",
        benchmark="openssl",
        value=9e6,
        params={
            **{"algorithm": "aes-256-cbc", "engine": "sw", "block_size": 1024},
            **{"background": "busy-loop", "nice": -20},
        },
    )
    # Old guides have some heads of columns as algorithms.
    head = {"algorithm": "aes-256-cbc_user_time (s)"}
    time = result("cpu_load", "%", benchmark="openssl", value=5.0, params=head)
    many = [result("m", "MB/s", benchmark="odd", value=n, params={"n": n}) for n in range(1, 13)]
    return [
        plain(*run(15_000, 30, "hw"), board__name="ample", sdk__version="09.00"),
        plain(*run(30_000, 30, "hw"), copy, time, *many, board__name="ample"),
        plain(run(99_000, 10, "hw")[0], board__name="ample", sdk__version="10.00"),
        plain(many[0], board__name="ample", created="2026-04-02T09:30:00Z"),
        # A board counts once, in its best group.
        plain(*run(5_000, 30, "hw"), board__name="ample", sdk__os="rt-linux"),
        plain(*run(21_000, 39, "hw"), board__name="barely", board__soc="AM64X"),
        plain(*run(90_000, 99, "sw"), *run(10_000, 20, "hw"), board__name="either"),
        plain(*run(10_000, 30, "hw", 256), *run(40_000, 30, "hw", 4096)[:1], board__name="gap"),
        plain(busy, board__name="busy", board__soc="AM64X"),
        plain(copy, board__soc=HOSTILE, board__name=HOSTILE, sdk__version=HOSTILE),
    ]


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("finder")
    project = bare_project(folder / "project")
    for number, bundle in enumerate(bundles()):
        text = json.dumps({**bundle, "id": f"run-{number}"})
        (project / f"results/{number}.json").write_text(text, "utf-8")
    done = run_sphinx(project, folder / "html", "-q", "-W", "-n")
    assert done.returncode == 0, done.stderr
    return project


@pytest.fixture
def page(windows: Windows) -> Page:
    return windows.open("about:blank", 1280, 900)


NEED = (
    "openssl/throughput?algorithm=aes-256-cbc&block_size=1024 >= 20 MB/s",
    "openssl/cpu_load <= 40 %",
)


def ask(page: Page, project: Path, *conditions: str) -> None:
    site = project.parent / "html"
    query = urlencode([("q", condition) for condition in conditions])
    page.goto(f"{(site / 'source/find.html').as_uri()}?{query}")
    expect(page.locator(".perf-explorer-status")).not_to_be_empty()


def tables(page: Page) -> dict[str, list[list[str]]]:
    """Return the rows of each table by its heading."""
    found: dict[str, list[list[str]]] = page.evaluate(
        "Object.fromEntries([...document.querySelectorAll('.perf-finder table')].map((table) => ["
        "document.getElementById(table.getAttribute('aria-labelledby')).textContent, "
        "[...table.tBodies[0].rows].map((row) => [...row.cells].map("
        "(cell) => cell.textContent.replaceAll('\u00a0', ' ')))]))"
    )
    return found


def test_boards_are_grouped_by_what_they_meet(page: Page, project: Path) -> None:
    ask(page, project, *NEED)
    assert tables(page) == {
        "Meets it": [
            [
                "AM62X ample",
                "30",
                "30",
                "accelerator",
                "Throughput +50 %, CPU load of one core +10 points",
                "Linux 09.01",
                "99 (10.00), 15 (09.00)",
            ]
        ],
        "Just meets it, or is in doubt": [
            [
                "AM64X barely",
                "21",
                "39",
                "accelerator",
                "Throughput +5 %, CPU load of one core +1 points",
                "Linux 09.01",
                "",
            ]
        ],
        "Does not meet it": [
            ["AM62X either", "10", "20", "accelerator", "Throughput 50 % short", "Linux 09.01", ""],
            [
                "AM62X gap",
                "10 to 40 between sizes",
                "30",
                "accelerator",
                "Throughput 50 % short",
                "Linux 09.01",
                "",
            ],
            [
                "AM62X either",
                "90",
                "99",
                "software",
                "CPU load of one core 59 points over",
                "Linux 09.01",
                "",
            ],
            [
                *("AM62X ample", "5", "30", "accelerator", "Throughput 75 % short"),
                *("RT-Linux 09.01", ""),
            ],
        ],
    }
    expect(page.locator(".perf-explorer-status")).to_have_text(
        "OpenSSL: Throughput, AES-256-CBC, block size 1 KiB, of at least 20 MB/s and CPU load of one core of at most 40 %: "
        "1 board meets it with 10 % or more to spare, and 1 just meets it or is in doubt. "
        "The first is AM62X ample: 30 MB/s, CPU load of one core 30 %."
    )
    counts = page.locator(".perf-finder-counts > li")
    assert counts.all_inner_texts() == [
        *(
            "1\nmeet it",
            "1\njust meet it (under 10 %), or are in doubt",
            "2\ndo not meet it",
            "2\nnot measured",
        )
    ]
    expect(page.locator(".perf-explorer-result > ul:not(.perf-finder-counts) > li")).to_have_text(
        "No figure for OpenSSL: Throughput or OpenSSL: CPU load of one core: "
        f"{HOSTILE} {HOSTILE}, Linux; AM64X busy, Linux."
    )
    page.get_by_role("link", name="30", exact=True).first.click()
    assert "/source/guides/AM62X/linux/09.01.html#openssl" in page.url


def test_a_long_answer_shows_its_first_rows_and_opens(page: Page, project: Path) -> None:
    ask(page, project, "odd/m >= 0.5 MB/s")
    rows = page.locator(".perf-finder tbody tr")
    expect(rows).to_have_count(10)
    expect(page.get_by_text("Each board counts once, by its best row.")).to_be_visible()
    page.get_by_role("button", name="Show all 12 rows of 1 board").click()
    expect(rows).to_have_count(12)
    expect(rows.nth(10).get_by_role("link").first).to_be_focused()
    ask(page, project, "openssl/cpu_load <= 40 %")
    # There is nothing to choose.
    expect(page.get_by_label("Algorithm")).to_have_count(0)


def test_a_figure_has_the_day_of_its_newest_run_not_of_its_guide(project: Path) -> None:
    for name, days in (("openssl", ["2024-04-02"]), ("odd", ["2024-04-02", "2026-04-02"])):
        text = (project.parent / f"html/api/v1/find/AM62X/{name}.js").read_text("utf-8")
        texts = json.loads("{" + text.partition("{")[2].rpartition(")")[0])["texts"]
        assert sorted(each for each in texts if each.startswith("20")) == days


def test_a_figure_in_doubt_does_not_meet_a_need_with_margin(page: Page, project: Path) -> None:
    ask(page, project, *NEED)
    script = """doubt => {
        const at = new Map([["0", {mean: 30, doubt}]]);
        const line = {metric: "copy", unit: "MB/s", params: new Map(), at};
        const { ofBoard, parse } = window.perfguideNeed;
        const [answer] = ofBoard(new Map([["stream", [line]]]), [parse("stream/copy >= 20 MB/s")], () => 1).answers;
        return answer.group;
    }"""
    assert [page.evaluate(script, doubt) for doubt in ("", "odd")] == ["meets", "just"]
    for marks, group in (([], "meets"), ([{"title": "odd"}], "just")):
        places: Any = SimpleNamespace(of=lambda _, own=marks: {"health": own})
        nothing: Any = None
        question = Question((), nothing, {}, {}, places)
        reading = Reading(nothing, (), 1.5, ())
        assert question.group(Answer(("", "", ""), "", (reading,))) == group


@pytest.mark.parametrize(
    "conditions",
    [
        NEED,
        ("openssl/throughput >= 95 Mbit/s",),
        ("openssl/cpu_load?algorithm=aes-256-cbc <= 35", "stream/copy >= 1.5 GB/s"),
        ("openssl/throughput?block_size=512 >= 9 MB/s",),
        ("stream/copy >= 3000",),
        ("openssl/throughput?background=busy-loop&nice=-20 >= 20 MB/s",),
    ][:: count(2, heavy=1)],
)
def test_the_page_and_the_command_give_the_same_answers(
    conditions: tuple[str, ...],
    page: Page,
    project: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(project)
    main(["find", "--json", *conditions])
    answers = json.loads(capsys.readouterr().out)
    main(["find", *conditions])
    lines = [line.split("  ") for line in capsys.readouterr().out.splitlines()]
    ask(page, project, *conditions)
    page.wait_for_selector(".perf-explorer-result code", state="attached")
    shown = tables(page)
    groups = {
        "Meets it": "meets",
        "Just meets it, or is in doubt": "just",
        "Does not meet it": "cannot",
    }
    rows = [(groups[name], row) for name, own in shown.items() for row in own]
    assert [(group, row[0]) for group, row in rows] == [
        (each["group"], f"{each['soc']} {each['board']}") for each in answers["boards"]
    ]
    printed = [words for words in lines if not words[0]]  # others are headings
    for (_, row), each, words in zip(rows, answers["boards"], printed, strict=False):
        system = os_name(each["os"])
        releases = dict.fromkeys(f"{system} {figure['release']}" for figure in each["figures"])
        assert row[-2] == ", ".join(releases)
        assert row[-3] in [word.strip() for word in words]
    command = page.locator(".perf-explorer-result code").text_content()
    assert command and all(
        condition.partition("?")[0].split()[0] in command for condition in conditions
    )


@pytest.mark.parametrize(
    ("condition", "words"),
    [
        (
            "openssl/throughput >= 20Mb",
            "“kB/s”, to which “Mb” cannot be converted; “MB/s” or “Mbit/s” can",
        ),
        (
            "openssl/throughput >= twenty",
            "“twenty” in “openssl/throughput >= twenty” is not a number",
        ),
        ("openssl >= 20", "“openssl >= 20” is not of the form"),
        ("nothing/rate >= 20", "there is no benchmark “nothing” here"),
        (f"stream/{HOSTILE[1:4]} >= 20", "there is no metric “img” of STREAM here"),
    ],
)
def test_a_question_that_cannot_be_answered_gets_a_clear_word(
    condition: str, words: str, page: Page, project: Path
) -> None:
    ask(page, project, condition)
    expect(page.locator(".perf-explorer-status")).to_contain_text(words)
    assert page.title() != "taken"


def test_the_form_asks_and_writes_the_question_into_the_address(page: Page, project: Path) -> None:
    ask(page, project)
    page.get_by_label("Benchmark", exact=True).select_option("openssl")
    page.get_by_label("Figure", exact=True).select_option("openssl/throughput")
    page.get_by_label("Block size", exact=True).select_option("1024")
    page.get_by_label("Number").fill("20000")
    page.get_by_role("button", name="Ask").click()
    page.wait_for_selector(".perf-finder table")
    assert "q=openssl%2Fthroughput%3Fblock_size%3D1024+%3E%3D+20000+kB%2Fs" in page.url
    assert [row[0] for row in tables(page)["Meets it"]] == ["AM62X ample", "AM62X either"]
    page.go_back()
    expect(page.get_by_role("button", name="Memory copy")).to_be_visible()


def test_a_figure_is_chosen_by_typing_its_name(page: Page, project: Path) -> None:
    ask(page, project)
    page.get_by_label("Benchmark", exact=True).focus()
    page.keyboard.type("OpenS", delay=30)
    figure = page.get_by_label("Figure", exact=True)
    figure.focus()
    page.keyboard.type("Thr", delay=30)
    expect(page.get_by_label("Block size", exact=True)).to_be_visible()
    expect(figure).to_have_value("openssl/throughput")
    expect(figure).to_be_focused()


def test_where_no_board_meets_a_need_the_page_offers_bounds_that_some_do(
    page: Page, project: Path
) -> None:
    ask(page, project, NEED[0], "openssl/cpu_load <= 15 %")
    expect(page.locator(".perf-explorer-status")).to_contain_text("No board meets it.")
    hint = page.locator(".perf-explorer-result > p").first
    expect(hint).to_have_text(
        "CPU load of one core decides: 3 boards would meet the rest of the question, and the nearest of them is 30 %, "
        "AM62X ample. Ask for at most 30 % (1 board), at most 39 % (2 boards), at most 99 % (3 boards)."
    )
    hint.get_by_role("link", name="at most 39 %").click()
    expect(page.locator(".perf-explorer-status")).to_contain_text(
        "1 board meets it with 10 % or more to spare, and 1 just meets it or is in doubt."
    )


def test_an_example_asks_for_what_half_of_the_boards_reach(page: Page, project: Path) -> None:
    ask(page, project)
    page.get_by_role("button", name="Memory copy").click()
    page.wait_for_selector(".perf-finder table")
    assert "q=stream%2Fcopy+%3E%3D+2000+MB%2Fs" in page.url
    assert page.get_by_label("Number").input_value() == "2000"


def test_an_answer_is_taken_along_as_csv_and_json(page: Page, project: Path) -> None:
    ask(page, project, *NEED)
    texts = {}
    for name in ("CSV", "JSON"):
        with page.expect_download() as download:
            page.get_by_role("button", name=name, exact=True).click()
        texts[name] = download.value.path().read_text("utf-8")
    rows = list(csv.DictReader(texts["CSV"].splitlines()))
    objects = json.loads(texts["JSON"])
    assert [{k: str(v).replace("\u00a0", " ") for k, v in each.items()} for each in objects] == [
        {k: v.removeprefix("'").replace("\u00a0", " ") for k, v in row.items()} for row in rows
    ]
    assert (rows[0]["board"], rows[0]["figure 1"], rows[0]["unit 1"]) == ("ample", "30", "MB/s")


@pytest.mark.parametrize(("scheme", "width"), [("light", 1280), ("dark", 390)])
def test_axe_finds_nothing_on_a_page_of_answers(
    scheme: Literal["light", "dark"], width: int, page: Page, project: Path
) -> None:
    page.set_viewport_size({"width": width, "height": 900})
    page.emulate_media(color_scheme=scheme)
    ask(page, project, *NEED)
    page.evaluate(Axe().axe_script)
    faults = page.evaluate("axe.run(document, {preload: false}).then((all) => all.violations)")
    assert [(fault["id"], fault["nodes"]) for fault in faults] == []
    assert page.evaluate("document.documentElement.scrollWidth") == width


def test_over_more_socs_than_it_loads_the_page_says_what_to_run(page: Page, project: Path) -> None:
    site = shutil.copytree(project.parent / "html", project.parent / "large")
    top = site / "api/v1/find"
    start, _, end = (top / "index.js").read_text("utf-8").partition("{")
    index = json.loads("{" + end.rpartition(")")[0])
    (measured,) = (own for soc, _, own, _ in index["socs"] if soc == "AM62X")
    for name in (f"SOC{number}" for number in range(100)):
        index["socs"].append([name, name, measured, []])
        (top / name).mkdir()
        for path in (top / "AM62X").iterdir():
            text = path.read_text("utf-8").replace('"AM62X/', f'"{name}/', 1)
            (top / name / path.name).write_text(text, "utf-8")
    (top / "index.js").write_text(f"{start}{json.dumps(index)});", "utf-8")
    page.goto(
        f"{(site / 'source/find.html').as_uri()}?{urlencode({'q': 'stream/copy >= 20 MB/s'})}"
    )
    expect(page.locator(".perf-explorer-status")).to_contain_text(
        "and this page loads 100 at most; in a terminal, ask perfguide find 'stream/copy >= 20 MB/s'"
    )


def test_a_metric_is_listed_by_its_label_and_no_two_are_called_the_same() -> None:
    catalog, _ = benchmarks.load([SHIPPED])
    measured = {
        "lmbench": [("bw_mem-bzero-1mb", "MB/s"), ("bw_mem-bzero-16mb", "MB/s")],
        "ethernet-tcp": [("throughput", "Mbit/s"), ("cpu_load", "%")],
        "ethernet-udp": [("throughput", "Mbit/s"), ("Throughput", "Mbit/s")],
        "openssl": [("aes-128-cbc_cpu_util", "%"), ("throughput", "kB/s")],
    }
    listed = [
        {**each, "file": each["benchmark"]}
        for each in json_api.benchmarks(measured, catalog)["benchmarks"]
    ]
    index = finder.index({}, {}, {}, listed, catalog)
    labels = {name: [metric[2] for metric in own] for name, _, _, own, _ in index["benchmarks"]}
    assert labels == {
        # A reader with a line of 1 Gbit/s needs half of the sum.
        "ethernet-tcp": ["Sum of both ways", "CPU load of all cores"],
        "ethernet-udp": ["Throughput", "Throughput (“Throughput”)"],
        "lmbench": ["Fill with zero, 16 MiB", "Fill with zero, 1 MiB"],
        "openssl": ["Throughput", "aes-128-cbc cpu util"],
    }
    assert index["both_ways"] == [["ethernet-tcp", "throughput"]]
    # Figures without a description come last, behind the number of the others.
    assert [each[-1] for each in index["benchmarks"]] == [2, 1, 2, 1]
    assert [each["label"] for each in listed[2]["metrics"]] == labels["lmbench"]
