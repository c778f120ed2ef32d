"""The explorer in a real browser: the choice, its address, and its figures."""

from __future__ import annotations

import functools
import http.server
import json
import re
import shutil
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest
from conftest import bare_project, run_sphinx
from making import plain, result
from playwright.sync_api import Browser, Page, expect
from windows import Windows

from perfguide.sphinxext.metadata import FINDER_SCRIPTS, SCRIPTS

EXPLORE = "source/explore.html"
HOSTILE = "<img src=x onerror=document.title='taken'>\"&amp;</script>"


def _aes(block: int, engine: str, *samples: float, **more: Any) -> dict[str, Any]:
    params = {"algorithm": "aes-128-cbc", "block_size": block, "engine": engine}
    figures = {"samples": list(samples)} if samples else {}
    return result("throughput", "kB/s", benchmark="openssl", params=params, **figures, **more)


def _copy(value: float) -> dict[str, Any]:
    return result("copy", "MB/s", benchmark="stream", value=value)


def _bundles() -> list[dict[str, Any]]:
    """Three releases and two boards of one SoC with a failure, a gap and a zero; another
    system of the same SoC; another SoC."""
    first = {"board__name": "board-1"}
    return [
        plain(_aes(16, "hw", 1.5, 2.5), _aes(64, "hw", 5.0), _copy(100.25), **first),
        plain(_aes(16, "hw", 3.0), _aes(1024, "sw", 80.5), board__name="board-2"),
        plain(_aes(16, "hw", status="fail"), sdk__version="09.02", **first),
        plain(
            _aes(16, "hw", 6.125, notes=[HOSTILE]),
            sdk__version="10.00",
            setup={"card": "SanDisk"},
            **first,
        ),
        plain(_aes(16, "hw", 0.0), sdk__version="10.00", board__name="board-2"),
        plain(_copy(77.0), sdk__version="10.00", sdk__os="rt-linux", **first),
        plain(_copy(55.5), board__soc="AM64X", board__name="board-3"),
        plain(_copy(1.0), board__soc=HOSTILE, board__name=HOSTILE, sdk__version=HOSTILE),
    ]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("explorer")
    project = bare_project(folder / "project")
    for number, bundle in enumerate(_bundles()):
        text = json.dumps({**bundle, "id": f"run-{number}"})
        (project / f"results/{number}.json").write_text(text, "utf-8")
    run = run_sphinx(project, folder / "html", "-q", "-W", "-n")
    assert run.returncode == 0, run.stderr
    return folder / "html"


class _Quiet(http.server.SimpleHTTPRequestHandler):
    """Serves files under the strictest policy that a site may have."""

    def do_GET(self) -> None:
        if self.path == "/favicon.ico":  # a browser asks for it, and no page names it
            self.send_response(204)
            self.end_headers()
        else:
            super().do_GET()

    def end_headers(self) -> None:
        self.send_header("Content-Security-Policy", "default-src 'self'")
        super().end_headers()

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the library's name
        pass


@pytest.fixture(scope="module")
def served(site: Path) -> Iterator[str]:
    handler = functools.partial(_Quiet, directory=str(site))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


@pytest.fixture
def page(windows: Windows) -> Page:
    return windows.open("about:blank", 1280, 900)


def _open(page: Page, top: str, **choice: str) -> None:
    query = f"?{urlencode(choice)}" if choice else ""
    page.goto(f"{top}/{EXPLORE}{query}")
    expect(page.locator(".perf-explorer-result table")).to_be_visible()


def _rows(page: Page) -> list[list[str]]:
    """The table as text, with spaces as one."""
    rows: list[list[str]] = page.evaluate(
        "[...document.querySelectorAll('.perf-explorer-result tr')]"
        ".map(r => [...r.children].map(c => c.textContent))"
    )
    return rows


def _choose(page: Page, label: str, shown: str) -> None:
    page.get_by_label(label, exact=True).select_option(label=shown)
    expect(page.locator(".perf-explorer-result")).not_to_have_attribute("aria-busy", "true")


AES = {
    "soc": "AM62X",
    "os": "linux",
    "benchmark": "openssl",
    "metric": "throughput",
    "p.algorithm": "aes-128-cbc",
    "p.block_size": "16",
    "p.engine": "hw",
}


def test_figures_stand_as_in_the_guides_and_failed_missing_and_zero_differ(
    page: Page, site: Path
) -> None:
    _open(page, f"file://{site}", **AES)
    assert _rows(page) == [
        ["Release", "board-1", "board-2"],
        ["10.00", "6.125", "0"],
        ["09.02", "failed", "—"],
        ["09.01", "2 (min 1.5, max 2.5) n=2", "3"],
    ]
    expect(page.locator(".perf-explorer-status")).to_have_text("5 figures.")
    guide = (site / "source/guides/AM62X/linux/09.01.html").read_text("utf-8")
    cells = [re.sub("<[^>]*>", "", c) for c in re.findall(r"<td.*?</td>", guide)]
    assert "2 (min 1.5, max 2.5) n=2" in cells and "3" in cells
    page.get_by_role("link", name="09.02").click()
    assert page.url.endswith("/source/guides/AM62X/linux/09.02.html#openssl")
    expect(page.locator(":target")).to_have_count(1)


def test_the_address_holds_the_whole_choice(page: Page, site: Path) -> None:
    _open(page, f"file://{site}", soc="AM62X")
    _choose(page, "Benchmark", "OpenSSL")
    _choose(page, "Block size", "1 KiB")
    _choose(page, "Board", "board-2")
    _choose(page, "Release", "09.01")
    wanted = [["Release", "board-2"], ["09.01", "80.5"]]
    assert _rows(page) == wanted
    address = page.url
    for part in ("soc=AM62X", "os=linux", "benchmark=openssl", "metric=throughput"):
        assert part in address
    for part in ("p.block_size=1024", "p.engine=sw", "board=board-2", "release=09.01"):
        assert part in address
    page.goto("about:blank")
    page.goto(address)
    expect(page.locator(".perf-explorer-result table")).to_be_visible()
    assert _rows(page) == wanted
    assert page.url == address
    assert page.get_by_label("Board", exact=True).input_value() == "board-2"
    page.reload()
    expect(page.locator(".perf-explorer-result table")).to_be_visible()
    assert _rows(page) == wanted


def test_setup_and_notes_stand_below_the_table(page: Page, site: Path) -> None:
    _open(page, site.as_uri(), **AES)
    listed = page.locator(".perf-explorer-remarks li")
    assert listed.all_text_contents() == [
        "Card: SanDisk (10.00 board-1)",
        f"Note: {HOSTILE} (10.00 board-1)",
    ]
    _open(page, site.as_uri(), **AES, release="10.00", board="board-1")
    assert listed.all_text_contents() == ["Card: SanDisk", f"Note: {HOSTILE}"]
    _open(page, site.as_uri(), **AES, release="09.01")
    assert listed.count() == 0


def test_back_and_forward_lead_through_the_choices(page: Page, site: Path) -> None:
    _open(page, f"file://{site}", **AES)
    first = _rows(page)
    _choose(page, "Board", "board-2")
    second = _rows(page)
    _choose(page, "SoC", "AM64X")
    third = _rows(page)
    assert third[1:] == [["09.01", "55.5"]]
    result_ = page.locator(".perf-explorer-result caption")
    page.go_back()
    expect(result_).to_contain_text("AM62X")
    assert _rows(page) == second
    assert page.get_by_label("SoC", exact=True).input_value() == "AM62X"
    page.go_back()
    expect(page.get_by_label("Board", exact=True)).to_have_value("*")
    assert _rows(page) == first
    page.go_forward()
    page.go_forward()
    expect(result_).to_contain_text("AM64X")
    assert _rows(page) == third


def test_two_releases_are_shown_side_by_side_and_no_other(page: Page, site: Path) -> None:
    _open(page, f"file://{site}", **AES)
    expect(page.get_by_label("and release")).to_be_hidden()
    _choose(page, "Release", "09.01")
    _choose(page, "and release", "10.00")
    assert [row[0] for row in _rows(page)] == ["Release", "10.00", "09.01", "Change 09.01 → 10.00"]
    assert _rows(page)[-1][1:] == ["+206.2 %", "−100.0 %"]
    expect(page.locator(".perf-explorer-result")).to_contain_text("No page compares these two")
    assert "release=09.01" in page.url and "with=10.00" in page.url
    _choose(page, "and release", "09.02")
    assert _rows(page)[-1][1:] == ["—", "—"], "of a failure and a gap there is no change"
    page.get_by_role("link", name="09.01 → 09.02").click()
    expect(page.locator("h1").first).to_contain_text("09.01 → 09.02")
    page.go_back()
    expect(page.get_by_label("and release")).to_have_value("09.02")
    _choose(page, "Release", "all")
    assert [row[0] for row in _rows(page)] == ["Release", "10.00", "09.02", "09.01"]


def test_all_values_of_a_parameter_are_rows_in_order(page: Page, site: Path) -> None:
    choice = AES | {"p.block_size": "*", "p.engine": "*", "release": "09.01"}
    _open(page, f"file://{site}", **choice)
    assert [row[:3] for row in _rows(page)] == [
        ["Release", "Block size", "Engine"],
        ["09.01", "16 bytes", "accelerator"],
        ["09.01", "64 bytes", "accelerator"],
        ["09.01", "1 KiB", "software"],
    ]


def test_another_system_of_the_same_soc_can_be_chosen(page: Page, site: Path) -> None:
    _open(page, f"file://{site}", soc="AM62X", benchmark="stream")
    _choose(page, "System", "RT-Linux")
    assert _rows(page)[1:] == [["10.00", "77"]]
    assert "os=rt-linux" in page.url


def test_what_a_link_asks_for_and_is_not_there_is_said(page: Page, site: Path) -> None:
    _open(page, f"file://{site}", **AES | {"board": "<b>gone</b>", "release": "99"})
    status = page.locator(".perf-explorer-status")
    expect(status).to_contain_text("There is no board “<b>gone</b>” here.")
    expect(status).to_contain_text("There is no release “99” here.")
    assert len(_rows(page)) == 4


def test_names_from_bundles_are_text_wherever_they_show(page: Page, site: Path) -> None:
    _open(page, f"file://{site}", soc=HOSTILE)
    assert _rows(page) == [["Release", HOSTILE], [HOSTILE, "1"]]
    assert HOSTILE in page.locator(".perf-explorer-result caption").inner_text()
    assert page.locator(".perf-explorer img").count() == 0
    assert page.title() != "taken"
    _choose(page, "Release", HOSTILE)
    address = page.url
    page.goto("about:blank")
    page.goto(address)
    expect(page.locator(".perf-explorer-result table")).to_be_visible()
    assert page.get_by_label("Release", exact=True).input_value() == HOSTILE
    page.get_by_role("link", name=HOSTILE).click()
    expect(page.locator("h1").first).to_be_visible()
    assert "/source/guides/" in page.url


def test_a_missing_file_is_named_and_the_next_choice_works(
    browser: Browser, site: Path, tmp_path: Path
) -> None:
    copy = shutil.copytree(site, tmp_path / "html")
    gone = copy / "api/v1/explore/AM64X/index.js"
    gone.rename(copy / "aside.js")
    page = browser.new_page()
    _open(page, f"file://{copy}", **AES)
    _choose(page, "SoC", "AM64X")
    expect(page.locator(".perf-explorer-status")).to_contain_text("“AM64X/index.js”")
    (copy / "aside.js").rename(gone)
    page.reload()
    _choose(page, "SoC", "AM64X")
    assert _rows(page)[1:] == [["09.01", "55.5"]]
    page.close()


def test_the_chart_has_a_mark_for_each_figure_a_cross_for_a_failure_and_gaps(
    page: Page, site: Path
) -> None:
    _open(page, f"file://{site}", **AES)
    chart = page.locator(".perf-explorer-chart svg[role=img]")
    titles = chart.locator("title").all_text_contents()
    assert sorted(titles) == [
        "board-1, 09.01: 2 (min 1.5, max 2.5) n=2",
        "board-1, 09.02: failed",
        "board-1, 10.00: 6.125",
        "board-2, 09.01: 3",
        "board-2, 10.00: 0",
    ]
    assert chart.locator(".perf-mark").count() == 4
    assert chart.locator(".perf-cross").count() == 1
    assert chart.locator(".perf-bar").count() == 1
    paths = chart.locator(".perf-line").evaluate_all("all => all.map(e => e.getAttribute('d'))")
    assert [p.count("M") for p in paths] == [2, 2] and not any("L" in p for p in paths)
    name = chart.get_attribute("aria-label")
    assert name and "board-1: 2 (min 1.5, max 2.5) n=2 in 09.01, 6.125 in 10.00" in name
    places = chart.locator(".perf-mark").evaluate_all(
        "all => all.map(e => Number(/,([-0-9.]+)/.exec(e.getAttribute('transform'))[1]))"
    )
    zero = chart.locator(".perf-gridline").first.get_attribute("d")
    assert zero and max(places) == pytest.approx(float(re.findall(r",([\d.]+)H", zero)[0]), abs=0.1)


@pytest.mark.parametrize("width", [390, 1280])
def test_it_works_under_a_strict_policy_at_both_widths(page: Page, served: str, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 844})
    _open(page, served, **AES)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    _choose(page, "SoC", "AM64X")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert page.locator(".perf-explorer-plain").is_hidden()


def test_it_is_used_by_keys_alone_and_every_field_has_a_name(page: Page, site: Path) -> None:
    _open(page, f"file://{site}", **AES)
    board = page.get_by_label("Board", exact=True)
    board.focus()
    page.keyboard.press("ArrowDown")
    expect(page.locator(".perf-explorer-result th[scope=col]")).to_have_text(["Release", "board-1"])
    expect(board).to_be_focused()
    unnamed = page.evaluate(
        "[...document.querySelectorAll('.perf-explorer select')].filter(s => !s.labels.length).length"
    )
    assert unnamed == 0
    scopes = page.evaluate(
        "[...document.querySelectorAll('.perf-explorer-result th')].map(e => e.scope)"
    )
    assert set(scopes) == {"row", "col"}
    assert page.locator(".perf-explorer-result caption").count() == 1
    assert page.locator(".perf-explorer-status").get_attribute("aria-live") == "polite"


def test_without_script_the_page_leads_to_the_figures(windows: Windows, site: Path) -> None:
    page = windows.open(f"file://{site}/{EXPLORE}", java_script_enabled=False)
    plain_ = page.locator(".perf-explorer-plain")
    assert plain_.is_visible()
    hrefs = plain_.locator("a").evaluate_all("all => all.map(a => a.href)")
    assert len(hrefs) == 3
    for href in hrefs:
        assert Path(href.removeprefix("file://").partition("#")[0]).is_file()


@pytest.mark.parametrize("name", sorted({*SCRIPTS, *FINDER_SCRIPTS}))
def test_only_a_page_that_needs_a_script_loads_it(site: Path, name: str) -> None:
    pages = {p for p in site.rglob("*.html") if name in p.read_text("utf-8")}
    asked = {EXPLORE: SCRIPTS, "source/find.html": FINDER_SCRIPTS}
    assert pages == {site / page for page, scripts in asked.items() if name in scripts}


def test_each_guide_links_to_its_files(site: Path) -> None:
    for page in (site / "source/guides").glob("*/*/[0-9]*.html"):
        text = page.read_text("utf-8")
        links = re.findall(r'href="([^"]*api/v1/[^"]*)"', text)
        assert len(links) == 4, page
        for link in links:
            assert (page.parent / link).resolve().is_file(), link
