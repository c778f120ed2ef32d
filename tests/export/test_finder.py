"""The page that finds boards, in a real browser, against the command and against figures by hand."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest
from conftest import bare_project, run_sphinx
from making import plain, result
from playwright.sync_api import Page, expect
from windows import Windows

from perfguide.cli.command_line import main

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
    return [
        plain(*run(15_000, 30, "hw"), board__name="ample", sdk__version="09.00"),
        plain(*run(30_000, 30, "hw"), copy, board__name="ample"),
        plain(run(99_000, 10, "hw")[0], board__name="ample", sdk__version="10.00"),
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
    """Return the rows of each table by its caption."""
    found: dict[str, list[list[str]]] = page.evaluate(
        "Object.fromEntries([...document.querySelectorAll('.perf-finder table')].map((table) => ["
        "table.caption.textContent, [...table.tBodies[0].rows].map("
        "(row) => [...row.cells].map((cell) => cell.textContent))]))"
    )
    return found


def test_boards_are_grouped_by_what_they_meet(page: Page, project: Path) -> None:
    ask(page, project, *NEED)
    assert tables(page) == {
        "Meets it: 1": [
            [
                "AM62X ample",
                "30",
                "30",
                "accelerator",
                "+50 %, +33 %",
                "Linux 09.01",
                "99 (10.00), 15 (09.00)",
            ]
        ],
        "Just meets it: 1": [
            ["AM64X barely", "21", "39", "accelerator", "+5 %, +3 %", "Linux 09.01", ""]
        ],
        "Does not meet it: 3": [
            ["AM62X either", "10", "20", "accelerator", "50 % short", "Linux 09.01", ""],
            ["AM62X gap", "10 to 40", "30", "accelerator", "50 % short", "Linux 09.01", ""],
            ["AM62X either", "90", "99", "software", "60 % short", "Linux 09.01", ""],
        ],
    }
    expect(page.locator(".perf-explorer-status")).to_have_text(
        "2 of 4 boards with these figures meet it, 1 with 10 % or more to spare. "
        "2 more were not measured. The first is AM62X ample: 30 MB/s and 30 %."
    )
    expect(page.locator(".perf-explorer-result li")).to_have_text(
        [
            f"{HOSTILE} {HOSTILE}, Linux: no figure for openssl/throughput, openssl/cpu_load",
            "AM64X busy, Linux: no figure for openssl/throughput, openssl/cpu_load",
        ]
    )
    page.get_by_role("link", name="30", exact=True).first.click()
    assert "/source/guides/AM62X/linux/09.01.html#openssl" in page.url


@pytest.mark.parametrize(
    "conditions",
    [
        NEED,
        ("openssl/throughput >= 95 Mbit/s",),
        ("openssl/cpu_load?algorithm=aes-256-cbc <= 35", "stream/copy >= 1.5 GB/s"),
        ("openssl/throughput?block_size=512 >= 9 MB/s",),
        ("stream/copy >= 3000",),
        ("openssl/throughput?background=busy-loop&nice=-20 >= 20 MB/s",),
    ],
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
    expected = [
        (
            each["group"],
            f"{each['soc']} {each['board']}",
            [figure["release"] for figure in each["figures"]],
            [
                f"+{100 * margin:.0f} %" if (margin := figure["margin"]) < 99 else "over 100 times"
                for figure in each["figures"]
            ],
        )
        for each in answers["boards"]
    ]
    ask(page, project, *conditions)
    page.wait_for_selector(".perf-explorer-result code")
    shown = tables(page)
    groups = {"Meets it": "meets", "Just meets it": "just", "Does not meet it": "cannot"}
    rows = [(groups[name.partition(":")[0]], row) for name, own in shown.items() for row in own]
    assert [(group, row[0]) for group, row in rows] == [each[:2] for each in expected]
    for (_, row), (group, _, releases, margins) in zip(rows, expected, strict=True):
        assert row[-2] == ", ".join(dict.fromkeys(f"Linux {release}" for release in releases))
        if group != "cannot":
            assert row[-3] == ", ".join(margins)
    command = page.locator(".perf-explorer-result code").text_content()
    assert command and all(
        condition.partition("?")[0].split()[0] in command for condition in conditions
    )


@pytest.mark.parametrize(
    ("condition", "words"),
    [
        ("openssl/throughput >= 20Mb", "“Mb” is no other spelling or multiple of “kB/s”"),
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
    page.get_by_label("Figure").select_option("openssl/throughput")
    page.get_by_label("Block size", exact=True).select_option("1024")
    page.get_by_label("Number").fill("20000")
    page.get_by_role("button", name="Ask").click()
    page.wait_for_selector(".perf-finder table")
    assert "q=openssl%2Fthroughput%3Fblock_size%3D1024+%3E%3D+20000+kB%2Fs" in page.url
    assert [row[0] for row in tables(page)["Meets it: 2"]] == ["AM62X ample", "AM62X either"]
    page.go_back()
    expect(page.locator(".perf-finder table")).to_have_count(0)
