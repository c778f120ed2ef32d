"""The explorer in a real browser: sides, their address, and their figures beside the command's."""

from __future__ import annotations

import functools
import http.server
import json
import math
import re
import shutil
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlencode

import pytest
from conftest import bare_project, run_sphinx
from making import plain, result
from playwright.sync_api import Browser, Page, expect
from profiles import count
from windows import Windows

from perfguide.cli.command_line import main
from perfguide.sphinxext.metadata import FINDER_SCRIPTS, SCRIPTS

EXPLORE = "source/explore.html"
HOSTILE = "<img src=x onerror=document.title='taken'>\"&amp;</script>"


def _aes(block: int, engine: str, *samples: float, **more: Any) -> dict[str, Any]:
    params = {"algorithm": "aes-128-cbc", "block_size": block, "engine": engine}
    figures = {"samples": list(samples)} if samples else {}
    return result("throughput", "kB/s", benchmark="openssl", params=params, **figures, **more)


def _copy(value: float) -> dict[str, Any]:
    return result("copy", "MB/s", benchmark="stream", value=value)


def _load(percent: float) -> dict[str, Any]:
    params = {"algorithm": "aes-128-cbc", "engine": "default"}
    return result("cpu_load", "%", benchmark="openssl", params=params, value=percent)


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
        plain(
            *(_copy(55.5), _aes(16, "hw", 123456.5), _aes(64, "hw", 123456.75)),
            board__soc="AM64X",
            board__name="board-3",
        ),
        plain(_aes(1024, "default", 20.0), _load(99), board__name="board-4", sdk__version="10.00"),
        plain(_aes(1024, "default", 30.0), _load(30), board__name="board-4", sdk__version="11.00"),
        plain(_copy(1.0), board__soc=HOSTILE, board__name=HOSTILE, sdk__version=HOSTILE),
        # The figures of the older release again, with more samples.
        *(
            plain(
                *(*_ranged(more), _per_mhz(dmips)),
                board__soc="J721E",
                board__name="board-5",
                sdk__version=release,
            )
            for release, more, dmips in (("10.00", 0.0, 2.8), ("11.00", 2.25, 340.5))
        ),
        *(
            plain(
                *(_aes(16, "hw", rate), _aes(64, "hw", rate), _power(16, watts), _per_mhz(2.75)),
                board__soc="J721E",
                board__name=name,
            )
            for name, rate, watts in (("board-6", 100.0, 2.0), ("board-7", 300.0, 4.0))
        ),
    ]


def _per_mhz(dmips: float) -> dict[str, Any]:
    return result("dhrystone_per_mhz", "DMIPS/MHz", benchmark="dhrystone", value=dmips)


def _power(block: int, watts: float) -> dict[str, Any]:
    return _aes(block, "hw") | {"metric": "power", "unit": "W", "value": watts}


def _ranged(more: float) -> list[dict[str, Any]]:
    """Figures with their ranges, which end ``more`` above those of another release."""
    return [
        _aes(16 << n, "hw", value=100.0 + n, min=98.75, max=150.25 + n + more) for n in range(12)
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
    expect(page.locator(".perf-explorer-form")).to_be_visible()


def _rows(page: Page) -> list[list[str]]:
    """The first table as text, with spaces as one."""
    rows: list[list[str]] = page.evaluate(
        "[...document.querySelector('.perf-explorer-result table').rows]"
        ".map(r => [...r.children].map(c => c.textContent.replace(/\\s+/g, ' ').trim()))"
    )
    return rows


def _title(page: Page, side: int) -> str:
    return _rows(page)[0][side]


def _choose(page: Page, label: str, shown: str, side: int = 1) -> None:
    fields = page.locator(".perf-explorer-side").nth(side - 1)
    place = fields if label in ("SoC", "System", "Board", "Release", "Engine") else page
    place.get_by_label(label, exact=True).select_option(label=shown)
    expect(page.locator(".perf-explorer-result")).not_to_have_attribute("aria-busy", "true")


def _side(release: str, board: str, soc: str = "AM62X", os: str = "linux") -> str:
    return f"{soc}/{os}/{release}:{board}"


def _sides(page: Page, top: str, *sides: str, **choice: str) -> None:
    query = urlencode([*(("side", side) for side in sides), *choice.items()])
    page.goto(f"{top}/{EXPLORE}?{query}")
    expect(page.locator(".perf-explorer-form")).to_be_visible()


def test_figures_are_those_of_guides_and_failed_missing_and_zero_differ(
    page: Page, site: Path
) -> None:
    boards = [
        ("09.01", "board-1"),
        ("09.02", "board-1"),
        ("10.00", "board-1"),
        ("10.00", "board-2"),
    ]
    _sides(page, site.as_uri(), *(_side(*each) for each in boards), results="openssl")
    rows = {row[0]: row[1:] for row in _rows(page)[1:]}
    assert rows["Throughput, AES-128-CBC, block size 16 bytes, accelerator kB/s ↑"] == [
        *("2±", "failed failed after", "6.125 ×3.06", "0? not compared"),
    ]
    assert rows["Throughput, AES-128-CBC, block size 64 bytes, accelerator kB/s ↑"] == [
        *("5", "—", "—", "—"),
    ]
    cells = page.locator("tr[data-key] td.perf-n")
    search = page.get_by_label("Rows with")
    search.press_sequentially("64")
    expect(page.locator("tr[data-key]")).to_have_count(1)
    assert "find=64" in page.url
    search.press("Backspace")
    search.press("Backspace")
    cells.get_by_role("link", name="failed").click()
    assert page.url.endswith("/source/guides/AM62X/linux/09.02.html#openssl")
    expect(page.locator(":target")).to_have_count(1)


def test_a_figure_in_doubt_is_marked_as_in_its_guide(page: Page, site: Path) -> None:
    sides = (_side("09.01", "board-6", "J721E"), _side("11.00", "board-5", "J721E"))
    _sides(page, site.as_uri(), *sides, results="dhrystone")
    # It is 120 times as much, and neither wins nor loses.
    assert _rows(page)[1][1:] == ["2.75", "340.5? not compared"]
    assert "beats" not in page.locator(".perf-explorer-status").inner_text()
    mark = page.locator("tr[data-key] .perf-mark")
    reason = mark.get_attribute("title") or ""
    page.locator("tr[data-key] td a").last.click()
    assert reason and reason in (page.locator("td .perf-mark").first.get_attribute("title") or "")


def test_large_rates_are_shown_in_a_larger_unit_with_four_digits(page: Page, site: Path) -> None:
    sides = (_side("09.01", "board-3", "AM64X"), _side("09.01", "board-1"))
    _sides(page, site.as_uri(), *sides, results="openssl")
    rows = {row[0]: row[1:] for row in _rows(page)[1:]}
    label = "Throughput, AES-128-CBC, block size 16 bytes, accelerator MB/s ↑"
    # Measured as 123456.5 and 2 kB/s. Rounded as on other pages; the panel has all digits.
    assert [cell.split()[0] for cell in rows[label]] == ["123.5", "0.002±"]
    cells = page.locator("tr[data-key] td.perf-n data:not(.perf-ratio)")
    assert {"123456.5", "2"} <= set(cells.evaluate_all("all => all.map(each => each.value)"))


def test_the_address_holds_the_whole_choice(page: Page, site: Path) -> None:
    _sides(page, site.as_uri())
    _choose(page, "SoC", "AM62X", 1)
    _choose(page, "SoC", "AM64X", 2)
    _choose(page, "Results", "STREAM")
    # The newest that has the row; newer releases of this system do not.
    assert _title(page, 1) == "AM62X board-1 · RT-Linux 10.00"
    _choose(page, "System", "Linux")
    assert _title(page, 1) == "AM62X board-1 · Linux 09.01"
    _choose(page, "Relative to", "2: AM64X board-3 · Linux 09.01")
    page.locator(".perf-explorer-side").nth(2).get_by_role("button", name="Remove").click()
    expect(page.locator(".perf-explorer-side")).to_have_count(2)
    _choose(page, "Relative to", "2: AM64X board-3 · Linux 09.01")
    wanted = _rows(page)
    assert wanted[1] == ["Copy MB/s ↑", "100.3 ×1.81", "55.5"]
    address = page.url
    assert "side=AM62X/linux/09.01:board-1&side=AM64X/linux/09.01:board-3&results=stream" in address
    page.goto("about:blank")
    page.goto(address)
    expect(page.locator(".perf-explorer-form")).to_be_visible()
    assert (_rows(page), page.url) == (wanted, address)
    _choose(page, "Release", "10.00")
    second = _rows(page)
    assert second != wanted
    none = page.locator(".perf-explorer-result > p", has_text="has none of the rows of")
    expect(none).to_have_text(
        "AM62X board-1 · Linux 10.00 has none of the rows of AM64X board-3 · Linux 09.01."
        " AM62X board-1 · Linux 09.01 has 1 of 1."
    )
    none.get_by_role("link").click()
    expect(none).to_have_count(0)
    assert _rows(page) == wanted
    page.go_back()
    expect(none).to_have_count(1)
    page.go_back()
    expect(page.locator(".perf-explorer-side").first.get_by_label("Release")).to_have_value(
        "AM62X/linux/09.01"
    )
    assert _rows(page) == wanted
    page.go_forward()
    expect(page.locator(".perf-explorer-side").first.get_by_label("Release")).to_have_value(
        "AM62X/linux/10.00"
    )
    assert _rows(page) == second


def test_addresses_of_before_sides_lead_to_their_releases(page: Page, site: Path) -> None:
    old = {"soc": "AM62X", "os": "linux", "benchmark": "openssl", "metric": "throughput"}
    _open(page, site.as_uri(), **old, board="board-1", release="10.00", **{"with": "09.01"})
    assert [head.partition(" · ")[2] for head in _rows(page)[0][1:]] == [
        "Linux 09.01",
        "Linux 10.00",
    ]
    assert "results=openssl" in page.url


def test_engines_are_compared_where_one_is_chosen(page: Page, site: Path) -> None:
    side = _side("09.01", "board-2")
    _sides(page, site.as_uri(), f"{side}:hw", f"{side}:sw", results="openssl")
    assert sorted(row[1:] for row in _rows(page)[1:]) == [["3", "—"], ["—", "80.5"]]
    assert "not judged" in page.locator(".perf-explorer-result > ul").first.inner_text()


def test_per_watt_divides_by_the_power_of_the_same_run(page: Page, site: Path) -> None:
    sides = (_side("09.01", name, "J721E") for name in ("board-6", "board-7"))
    _sides(page, site.as_uri(), *sides, results="openssl", per="watt")
    by_size = {
        key.rpartition("block_size=")[2].partition("&")[0]: row
        for key, *row in page.evaluate(
            "[...document.querySelectorAll('tr[data-key*=throughput]')].map((row) =>"
            "[row.dataset.key, ...[...row.cells].slice(1).map((cell) => cell.innerText)])"
        )
    }
    assert by_size.keys() == {"16", "64"}
    assert by_size["16"][0].startswith("50") and by_size["16"][1].startswith("75")
    assert "×1.5" in by_size["16"][1]
    assert all(text.startswith("not known") for text in by_size["64"])


@pytest.mark.parametrize("width", [390, 1280])
def test_labels_of_the_chart_tell_rows_apart_and_touch_no_figure(
    page: Page, site: Path, width: int
) -> None:
    page.set_viewport_size({"width": width, "height": 900})
    sides = (_side("09.01", "board-3", "AM64X"), _side("09.01", "board-1"))
    _sides(page, site.as_uri(), *sides, results="openssl")
    labels = page.evaluate(
        "[...document.querySelectorAll('.perf-explorer-chart .perf-strong')].map((label) => {"
        "const [own, figure] = [label.getBBox(), label.nextElementSibling.getBBox()];"
        "return [[...label.querySelectorAll('tspan')].map((line) => line.textContent).join(' '), figure.x - own.x - own.width]; })"
    )
    assert len(labels) > 1
    assert len({text for text, _ in labels}) == len(labels)
    assert all(gap > 0 for _, gap in labels), labels


def test_a_row_opens_to_the_samples_setup_and_notes_of_its_sides(page: Page, site: Path) -> None:
    _sides(
        page,
        site.as_uri(),
        *(_side(release, "board-1") for release in ("09.01", "10.00")),
        results="openssl",
    )
    row = page.get_by_role("button", name="block size 16 bytes")
    row.focus()
    page.keyboard.press("Enter")
    expect(row).to_have_attribute("aria-expanded", "true")
    expect(row).to_be_focused()
    assert "row=openssl%2Fthroughput" in page.url.replace("/throughput", "%2Fthroughput")
    behind = page.locator(".perf-explorer-open dl").all_inner_texts()
    assert "1.5, 2.5" in behind[0] and "(min 1.5, max 2.5) n=2" in behind[0]
    assert "SanDisk" in behind[1] and HOSTILE in behind[1]
    page.keyboard.press("Enter")
    expect(page.locator(".perf-explorer-open")).to_have_count(0)


def test_a_line_begins_anew_where_the_engine_changed(page: Page, site: Path) -> None:
    _sides(page, site.as_uri(), _side("11.00", "board-4"), results="openssl")
    chart = page.locator(".perf-explorer-chart svg[role=img]").last
    assert chart.locator(".perf-break").count() == 1
    (path,) = chart.locator(".perf-line").evaluate_all("all => all.map(e => e.getAttribute('d'))")
    assert path.count("M") == 2 and "L" not in path
    result_ = page.locator(".perf-explorer-result")
    expect(result_).to_contain_text("11.00: engine: CPU load 99 % → 30 %")


def test_the_history_has_a_mark_for_each_figure_a_cross_for_a_failure_and_gaps(
    page: Page, site: Path
) -> None:
    sides = (_side("10.00", "board-1"), _side("10.00", "board-2"))
    _sides(page, site.as_uri(), *sides, results="openssl")
    chart = page.locator(".perf-explorer-chart svg[role=img]").last
    assert sorted(chart.locator("title").all_text_contents()) == [
        "AM62X board-1, Linux, 09.01: 2 (min 1.5, max 2.5) n=2",
        "AM62X board-1, Linux, 09.02: failed",
        "AM62X board-1, Linux, 10.00: 6.125",
        "AM62X board-2, Linux, 09.01: 3",
        "AM62X board-2, Linux, 10.00: 0",
    ]
    assert chart.locator(".perf-mark").count() == 4
    assert chart.locator(".perf-cross").count() == 1
    paths = chart.locator(".perf-line").evaluate_all("all => all.map(e => e.getAttribute('d'))")
    # A failure parts a line, and a release that a board does not have does not.
    assert [path.count("L") for path in paths] == [0, 1]
    page.get_by_text("All releases as a table").click()
    table = page.locator(".perf-explorer-result table").last
    assert table.locator("tbody tr").all_inner_texts()[1].split("\t")[1:] == ["failed", "—"]


PAIRS = (
    (("09.01", "board-1"), ("10.00", "board-1")),
    (("09.01", "board-1"), ("09.02", "board-1")),
    (("09.01", "board-2"), ("10.00", "board-2")),
    (("10.00", "board-4"), ("11.00", "board-4")),
    (("09.01", "board-1"), ("09.01", "board-2")),
    (("10.00", "board-1"), ("10.00", "board-2")),
    (("10.00", "board-2"), ("09.01", "board-1")),
    (("09.01", "board-2"), ("10.00", "board-1")),
    (("10.00", "board-1", "AM62X", "rt-linux"), ("09.01", "board-3", "AM64X")),
    (("09.01", "board-3", "AM64X"), ("09.01", "board-1")),
    # The newer one's clock was misread, and what it gives for each MHz is impossible.
    (("10.00", "board-5", "J721E"), ("11.00", "board-5", "J721E")),
    (("11.00", "board-5", "J721E"), ("09.01", "board-6", "J721E")),
)


OTHERS = ("", "", "AM62X", "linux")


def _mean(value: str | None) -> float | None:
    return float(value) if value else None


@pytest.mark.parametrize(
    ("first", "second"), PAIRS[:: count(2, heavy=1)], ids=lambda side: "-".join(side)
)
def test_figures_and_ratios_are_those_of_the_command(
    first: tuple[str, ...],
    second: tuple[str, ...],
    page: Page,
    site: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(site.parent / "project")
    names = (
        "{},board={},soc={},os={}".format(*side, *OTHERS[len(side) :]) for side in (first, second)
    )
    arguments = list(names)
    main(["compare", "--format", "json", "--fail-on=never", *arguments])
    answer = json.loads(capsys.readouterr().out)
    expected = {}
    for row in answer["rows"]:
        one, two = (row.get(a) or row.get(b) for a, b in (("first", "old"), ("second", "new")))
        if one and two:
            change = row.get("change")
            ratio = row.get("ratio", None if change is None else 1 + change)
            expected[row["benchmark"], row["metric"], repr(sorted(row["params"].items()))] = (
                *(one["mean"], two["mean"]),
                None if one["mean"] == 0 else ratio,
            )
    assert expected
    found = {}
    for benchmark in {key[0] for key in expected}:
        _sides(page, site.as_uri(), _side(*first), _side(*second), results=benchmark)
        rows = page.evaluate(
            "[...document.querySelectorAll('tr[data-key]')].map((row) => [row.dataset.key,"
            "...[1, 2].map((n) => row.cells[n].querySelector('a data')?.value ?? null),"
            "row.cells[2].querySelector('.perf-ratio')?.value ?? null,"
            "[1, 2].every((n) => row.cells[n].querySelector('a'))])"
        )
        for key, one, two, ratio, both in rows:
            if both:
                found[_named(key)] = (_mean(one), _mean(two), _mean(ratio))
    assert found.keys() == expected.keys()
    for key, figures in expected.items():
        for own, others in zip(found[key], figures, strict=True):
            is_zero = others == 0 and own is None
            assert own == others or is_zero or (own and math.isclose(own, others or 0)), key


def _named(key: str) -> tuple[str, str, str]:
    """The benchmark, metric and parameters of a row in an address."""
    name, _, query = key.partition("#")[0].partition("?")
    benchmark, _, metric = name.partition("/")

    def value(text: str) -> Any:
        try:
            return json.loads(text)
        except ValueError:
            return text

    pairs = [pair.partition("=") for pair in query.split("&") if pair]
    params = sorted((unquote(n), value(unquote(v))) for n, _, v in pairs)
    return unquote(benchmark), unquote(metric), repr(params)


def test_verdicts_are_those_of_the_build_and_others_have_the_command(
    page: Page, site: Path
) -> None:
    _sides(
        page, site.as_uri(), _side("09.01", "board-2"), _side("10.00", "board-2"), results="openssl"
    )
    below = page.locator(".perf-explorer-result > ul").first
    expect(below).to_contain_text("not judged here. perfguide compare 09.01,soc=AM62X")
    _sides(
        page, site.as_uri(), _side("09.01", "board-1"), _side("09.02", "board-1"), results="openssl"
    )
    expect(page.locator("tr[data-key] td").nth(1)).to_contain_text("failed after")
    below.get_by_role("link", name="09.01 → 09.02").click()
    expect(page.locator("h1").first).to_contain_text("09.01 → 09.02")


def test_what_a_link_asks_for_and_is_missing_is_said(page: Page, site: Path) -> None:
    _sides(page, site.as_uri(), "AM62X/linux/99:<b>gone</b>", "GONE/linux/1", results="x", row="y")
    status = page.locator(".perf-explorer-status")
    for words in ("guide “AM62X/linux/99”", "“<b>gone</b>”", "SoC “GONE/linux/1”", "benchmark “x”"):
        expect(status).to_contain_text(words)
    assert len(_rows(page)) > 1
    _sides(page, site.as_uri(), "AM62X/linux/10.00")
    # Of the three boards of this guide it has the headline figure.
    assert _title(page, 1) == "AM62X board-4 · Linux 10.00"


def test_names_from_bundles_are_text_wherever_they_show(page: Page, site: Path) -> None:
    _sides(page, site.as_uri())
    _choose(page, "SoC", HOSTILE)
    assert HOSTILE in _rows(page)[0][1]
    assert page.locator(".perf-explorer img").count() == 0
    assert page.title() != "taken"
    address = page.url
    page.goto("about:blank")
    page.goto(address)
    expect(page.locator(".perf-explorer-form")).to_be_visible()
    assert page.locator(".perf-explorer-side").first.get_by_label("Board").input_value() == HOSTILE
    page.get_by_role("link", name="1", exact=True).first.click()
    expect(page.locator("h1").first).to_be_visible()
    assert "/source/guides/" in page.url


def test_a_missing_file_is_named_and_the_next_choice_works(
    browser: Browser, site: Path, tmp_path: Path
) -> None:
    copy = shutil.copytree(site, tmp_path / "html")
    gone = copy / "api/v1/explore/AM64X/index.js"
    gone.rename(copy / "aside.js")
    page = browser.new_page()
    _sides(page, copy.as_uri(), _side("09.01", "board-1"))
    _choose(page, "SoC", "AM64X")
    expect(page.locator(".perf-explorer-status")).to_contain_text("“AM64X/index.js”")
    (copy / "aside.js").rename(gone)
    page.reload()
    expect(page.locator(".perf-explorer-form")).to_be_visible()
    _choose(page, "SoC", "AM64X")
    assert _rows(page)[1][1:] == ["55.5"]
    page.close()


def test_the_first_chart_takes_few_requests(page: Page, served: str) -> None:
    sizes: dict[str, int] = {}
    page.on("response", lambda answer: sizes.update({answer.url: len(answer.body())}))
    _sides(page, served)
    expect(page.locator(".perf-explorer-result table").first).to_be_visible()
    own = {url: size for url, size in sizes.items() if "/explore/" in url or "perfguide-" in url}
    scripts = [url for url in own if url.rpartition("/")[2].partition("?")[0] in SCRIPTS]
    assert len(scripts) == len(SCRIPTS)
    data = [url for url in own if "/api/" in url]
    assert len(scripts) + len(data) <= 8
    assert sum(own.values()) <= 300_000


@pytest.mark.parametrize("width", [390, 1280])
def test_it_works_under_a_strict_policy_at_both_widths(page: Page, served: str, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 844})
    _sides(page, served)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    _choose(page, "SoC", "AM64X")
    page.locator(".perf-explorer-row").first.click()
    expect(page.locator(".perf-explorer-open")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert page.locator(".perf-explorer-plain").is_hidden()


def test_it_is_used_by_keys_alone_and_every_field_has_a_name(page: Page, site: Path) -> None:
    _sides(page, site.as_uri(), _side("09.01", "board-1"), results="openssl")
    board = page.get_by_label("Board", exact=True)
    board.focus()
    page.keyboard.press("ArrowDown")
    expect(page.locator(".perf-explorer-result th[scope=col]").nth(1)).to_contain_text("board-2")
    expect(board).to_be_focused()
    unnamed = page.evaluate(
        "[...document.querySelectorAll('.perf-explorer :is(select, input)')].filter(s => !s.labels.length).length"
    )
    assert unnamed == 0
    scopes = page.evaluate(
        "[...document.querySelectorAll('.perf-explorer-result th')].map(e => e.scope)"
    )
    assert set(scopes) == {"row", "col"}
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
