"""Sorting, choosing, copying and addresses in a real browser, on a desk and on a phone."""

from __future__ import annotations

import io
import json
import re
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pandas
import pytest
from conftest import TOP, bare_project, run_sphinx
from playwright.sync_api import Browser, Locator, Page, expect
from profiles import count
from serving import served
from windows import Windows, unfolded

GUIDE = "source/guides/SOC1/linux/09.03.html"
TABBED = "source/guides/AM335X/linux/06.00.00.00.html"
EMPTY = """:orphan:

.. perf-csv-table:: Boards
   :header: Board, 09.02, 09.03
   :stub-columns: 1

   board-a, —, —
   board-b, —, —
"""
"""A page with a table of boards without a figure of the releases that it shows."""
WIDTHS = pytest.mark.parametrize("width", [390, 1280])
ANY_WIDTH = pytest.mark.parametrize("width", [390, 1280][: count(1, heavy=2)])
"""For what a table does in the same way in any window, though a narrow one has less room for it."""


def odd(metric: str, unit: str, **more: Any) -> dict[str, Any]:
    return {"benchmark": "odd", "metric": metric, "unit": unit, "command": "odd -v"} | more


FIRST = [
    odd("giga", "GB/s", samples=[0.99, 1.01]),
    odd("little", "MB/s", value=900.0),
    odd("more", "MB/s", value=1500.0, min=1200.0, max=1700.0),
    odd("wrong", "MB/s", value=2000.0, min=2100.0, max=2200.0),
    odd("slow", "ms", value=2.0),
    odd("quick", "us", value=700.0),
    odd("broken", "MB/s", status="fail"),
    odd("formula", "MB/s", value=1.0),
    {"benchmark": "stream", "metric": "copy", "unit": "MB/s", "value": 5.0},
    *(
        {
            "benchmark": "emmc",
            "metric": "read_throughput",
            "unit": "MB/s",
            "value": value,
            "params": {"filesystem": "ext4", "buffer_size": size},
        }
        for size, value in ((1048576, 160.0), (4194304, 170.0))
    ),
]
SECOND = [odd("absent", "MB/s", value=1.0), odd("giga", "GB/s", value=3.0)]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("browse")
    project = bare_project(folder / "project")
    shutil.copytree(TOP / "results/AM335X/linux/06.00.00.00", project / "results/AM335X")
    for release in ("09.02", "09.03"):
        for board, results in (("board-a", FIRST), ("board-b", SECOND)):
            bundle = {
                "format": "perfguide-bundle",
                "version": 1,
                "id": f"run-{release}-{board}",
                "created": "2024-04-02T09:30:00Z",
                "sdk": {"version": release, "os": "linux"},
                "board": {"name": board, "soc": "SOC1"},
                "results": results,
            }
            (project / f"results/{release}-{board}.json").write_text(json.dumps(bundle))
    (project / "source/redirects.toml").write_text(
        '[moved]\n"guides/OLD/linux/latest" = "guides/SOC1/linux/latest"\n'
        '"old" = "guides/SOC1/linux/09.02#stream"\n'
    )
    (project / "source/empty.rst").write_text(EMPTY, "utf-8")
    run = run_sphinx(project, folder / "html", "-q")
    assert run.returncode == 0, run.stderr
    assert "redirect" not in run.stderr
    return folder / "html"


Open = Callable[..., Page]


@pytest.fixture
def opened(windows: Windows, site: Path) -> Open:
    """Opens a page from its file, and waits for its tools."""

    def open_page(name: str, width: int, end: str = "", **options: Any) -> Page:
        page = unfolded(windows.open(f"file://{site}/{name}{end}", width, 844, **options))
        if options.get("java_script_enabled", True):
            page.wait_for_selector(".perf-tools button", state="attached")
        return page

    return open_page


def other(page: Page) -> Locator:
    return page.locator("figure.perf-table:has(.caption-text:text-is('odd'))")


def ready(figure: Locator) -> Locator:
    """The figure with its tools."""
    figure.get_by_role("button", name="Sort and filter").click()
    expect(figure.get_by_role("searchbox")).to_be_visible()
    return figure


def names(figure: Locator) -> list[str]:
    return figure.locator("tbody tr th:first-child").all_inner_texts()


def head(figure: Locator, text: str) -> Locator:
    return figure.locator("thead th", has_text=text)


@ANY_WIDTH
def test_a_column_sorts_by_value_and_unit_with_what_is_missing_last(
    opened: Open, width: int
) -> None:
    figure = ready(other(opened(GUIDE, width)))
    published = names(figure)
    head(figure, "board-a").click()
    expect(head(figure, "board-a")).to_have_attribute("aria-sort", "ascending")
    up = names(figure)
    assert set(up[-2:]) == {"absent", "broken"}
    rates = [name for name in up if name in {"little", "giga", "more", "wrong", "formula"}]
    assert rates == ["formula", "little", "giga", "more", "wrong"]
    assert up.index("quick") + 1 == up.index("slow"), "kinds of unit stay together"
    head(figure, "board-a").click()
    expect(head(figure, "board-a")).to_have_attribute("aria-sort", "descending")
    down = names(figure)
    assert set(down[-2:]) == {"absent", "broken"} and down[:-2] == up[:-2][::-1]
    figure.get_by_role("button", name="As published").click()
    assert names(figure) == published


@ANY_WIDTH
def test_rows_are_filtered_and_marks_still_lead_to_their_findings(opened: Open, width: int) -> None:
    page = opened(GUIDE, width)
    figure = ready(other(page))
    figure.get_by_role("searchbox").fill("wrong")
    assert names(figure) == ["wrong"]
    assert "1 of 9 rows" in figure.locator(".perf-count").inner_text()
    mark = figure.locator("tbody .perf-mark").first
    expect(mark).to_be_visible()
    figure.get_by_role("searchbox").fill("nothing at all")
    assert "No row matches" in figure.inner_text()
    figure.get_by_role("searchbox").fill("wrong")
    mark.click()
    page.wait_for_url(re.compile("reports/health"))


@ANY_WIDTH
def test_rows_and_order_that_a_reader_chose_are_in_the_address(opened: Open, width: int) -> None:
    page = opened(GUIDE, width)
    figure = ready(other(page))
    figure.get_by_role("searchbox").fill("o")
    for way in ("ascending", "descending"):
        head(figure, "board-a").click()
        expect(head(figure, "board-a")).to_have_attribute("aria-sort", way)
    chosen = names(figure)
    assert chosen != sorted(chosen) and len(chosen) < 9
    address = page.url
    assert "?rows=o&down=board-a#" in address
    again = other(opened(f"{GUIDE}{address.partition('.html')[2]}", width))
    expect(again.get_by_role("searchbox")).to_have_value("o")
    expect(head(again, "board-a")).to_have_attribute("aria-sort", "descending")
    assert names(again) == chosen
    again.get_by_role("button", name="As published").click()
    assert len(names(again)) == 9
    assert "?" not in again.page.url


@ANY_WIDTH
def test_a_board_is_hidden_and_comes_back(opened: Open, width: int) -> None:
    figure = ready(other(opened(GUIDE, width)))
    figure.get_by_text("Choose boards and columns").click()
    figure.get_by_role("checkbox", name="board-b").uncheck()
    expect(head(figure, "board-b")).to_have_count(0)
    assert figure.locator("tbody tr").first.locator("td:not(:empty)").count() == 1
    figure.get_by_role("checkbox", name="board-b").check()
    expect(head(figure, "board-b")).to_have_count(1)


@ANY_WIDTH
def test_boards_above_several_columns_are_hidden_with_all_of_them(opened: Open, width: int) -> None:
    page = opened(TABBED, width)
    figure = ready(page.locator("figure.perf-table:has-text('OpenSSL throughput')").first)
    figure.get_by_text("Choose boards and columns").click()
    figure.get_by_role("checkbox", name="software").uncheck()
    table = figure.locator("table:visible")
    expect(table.locator("thead th", has_text="software")).to_have_count(0)
    assert table.locator("tbody tr").first.locator("td").count() == 1
    shared = table.locator("thead th:has(.perf-level)")
    assert shared.locator("[data-name='am335x-1ghz']").inner_text() == "1 GHz"
    assert shared.get_attribute("colspan") == "1"


FACTS = ["SoC", "System", "Release"]
"""The columns with what a guide says of all of its figures."""


def copied(page: Page, figure: Locator) -> pandas.DataFrame:
    """What "Copy" gives, as a spreadsheet takes it and as pandas reads its clipboard."""
    figure.get_by_role("button", name="Copy", exact=True).click()
    tabs = figure.get_by_role("tab").count()
    said = f"Table copied, with all {tabs} tabs" if tabs else "Table copied"
    expect(page.locator(".perf-status")).to_have_text(said)
    page.evaluate("document.querySelector('.perf-status').textContent = ''")
    text = page.evaluate("navigator.clipboard.readText()")
    assert len({line.count("\t") for line in text.splitlines()}) == 1 and text.endswith("\n")
    return pandas.read_csv(io.StringIO(text), sep="\t", keep_default_na=False)


def downloaded(site: Path, page: str, figure: Locator) -> pandas.DataFrame:
    links = figure.locator(".perf-download")
    link = links.get_by_role("link", name="CSV", exact=True)
    name = re.sub(r"^source/guides/|\.html$", "", page).replace("/", "-")
    assert (link.get_attribute("download") or "").startswith(f"{name}-"), "it says of what it is"
    file = (site / page).parent / (link.get_attribute("href") or "")
    return pandas.read_csv(file.resolve(), keep_default_na=False)


def test_what_is_copied_has_the_heads_and_the_numbers_of_the_download(
    opened: Open, site: Path
) -> None:
    page = opened(GUIDE, 390)
    figure = other(page)
    shown, data = copied(page, figure), downloaded(site, GUIDE, figure)
    assert list(shown) == [*FACTS, "Metric", "Unit", "board-a", "board-b", "Signs"]
    signs = shown.pop("Signs")
    assert {*signs} == {"", "board-a: ‡"}
    assert {*shown} < {*data}, "the least and the greatest sample are in the download"
    # A figure that failed is empty there, beside the number of failed runs.
    assert shown.loc[shown["Metric"] == "broken", "board-a"].item() == "failed"
    for column in shown:
        if column.startswith("board-"):
            numbers = [pandas.to_numeric(each[column], errors="coerce") for each in (shown, data)]
            pandas.testing.assert_series_equal(*numbers, check_dtype=False)
        else:
            assert list(shown[column]) == list(data[column])
    assert shown.loc[shown["Metric"] == "more", "board-a"].item() == "1500", "it has no commas"
    assert shown.loc[shown["Metric"] == "absent", "board-a"].item() == "", "it is not a dash"
    spread = figure.locator(".perf-spread").first
    assert not spread.is_visible(), "it is in the panel"
    figure.get_by_role("button", name="Show spread").click()
    assert spread.is_visible()
    ready(figure).get_by_role("searchbox").fill("giga")
    head(figure, "board-a").click()
    figure.get_by_text("Choose boards and columns").click()
    figure.get_by_role("checkbox", name="board-b").uncheck()
    filtered = copied(page, figure)
    row = filtered.drop(columns=FACTS).to_dict("records")
    assert row == [{"Metric": "giga", "Unit": "GB/s", "board-a": 1}]


def test_a_copied_table_has_its_levels_and_its_one_unit_in_its_heads(
    opened: Open, site: Path
) -> None:
    page = opened(TABBED, 1280)
    figure = page.locator("figure.perf-table:has-text('OpenSSL throughput')").first
    shown, data = copied(page, figure), downloaded(site, TABBED, figure)
    assert "1 GHz (am335x-1ghz), accelerator (offload), Throughput (kB/s)" in shown
    assert list(shown)[:5] == [*FACTS, "Algorithm", "Block size (bytes)"]
    assert set(shown["SoC"]) == {"AM335X"} and set(shown["Release"]) == {"06.00.00.00"}
    assert shown["Algorithm"].nunique() == figure.get_by_role("tab").count() > 1
    pandas.testing.assert_frame_equal(shown, data[[*shown]])
    # The file has the loads of another table, too.
    assert all(", CPU load of one core" in name for name in [*data][len(shown.columns) :])
    page = opened(GUIDE, 1280)
    figure = page.locator("#stream figure.perf-table").first
    shown, data = copied(page, figure), downloaded(site, GUIDE, figure)
    assert "board-a (MB/s)" in shown and "Unit" not in shown
    pandas.testing.assert_frame_equal(shown, data[list(shown)], check_dtype=False)


def test_a_copied_table_has_columns_for_what_its_caption_says_of_all_rows(
    opened: Open, site: Path
) -> None:
    page = opened(GUIDE, 1280)
    figure = page.locator("#emmc figure.perf-table").first
    shown = copied(page, figure)
    assert "EXT4" in figure.locator("figcaption").inner_text()
    assert list(shown) == [*FACTS, "File system", "Buffer size (bytes)", "board-a, Read (MB/s)"]
    assert set(shown["File system"]) == {"EXT4"}
    size = "Buffer size (bytes)"
    assert list(shown[size]) == list(downloaded(site, GUIDE, figure)[size])


@ANY_WIDTH
def test_rows_without_a_figure_show_on_demand_with_script_and_without(
    opened: Open, windows: Windows, site: Path, width: int
) -> None:
    for page in (
        windows.open(f"file://{site}/source/empty.html", width, 844, java_script_enabled=False),
        opened("source/empty.html", width),
    ):
        rows, box = page.locator("tbody tr"), page.get_by_label("2 rows, without a figure")
        assert [rows.nth(n).is_visible() for n in range(2)] == [False, False]
        assert not page.locator("thead").is_visible(), "a head of nothing"
        box.check()
        assert [rows.nth(n).is_visible() for n in range(2)] == [True, True]


@WIDTHS
def test_a_click_or_a_tap_shows_what_is_behind_a_cell(opened: Open, width: int) -> None:
    touch = width == 390
    page = opened(GUIDE, width, has_touch=touch)
    cell = other(page).locator("tr", has_text="giga").locator("td.perf-n").first
    cell.scroll_into_view_if_needed()
    cell.tap() if touch else cell.click()
    panel = page.locator("#perf-behind")
    expect(panel).to_contain_text("odd -v")
    text = panel.inner_text()
    for words in ("giga", "board-a", "min 0.99, max 1.01", "0.99, 1.01", "run-09.03-board-a"):
        assert words in text, words
    box = panel.bounding_box()
    assert box is not None and box["x"] >= 0 and box["x"] + box["width"] <= width
    page.keyboard.press("Escape")
    expect(panel).to_be_hidden()


def test_a_pointer_and_a_key_show_what_is_behind_a_cell(opened: Open) -> None:
    page = opened(GUIDE, 1280)
    figure = other(page)
    panel = page.locator("#perf-behind")
    figure.locator("tr", has_text="giga").locator("td").last.hover()
    expect(panel).to_contain_text("run-09.03-board-b")
    page.mouse.move(5, 5)
    expect(panel).to_be_hidden()
    figure.locator("tbody [tabindex='0']").first.focus()
    for key in ("ArrowDown", "ArrowRight", "ArrowRight", "ArrowRight", "Enter"):
        page.keyboard.press(key)
    expect(panel.get_by_role("button", name="Copy link to this cell")).to_be_focused()
    page.keyboard.press("Escape")
    assert page.evaluate("document.activeElement.tagName") == "TD"
    expect(panel).to_be_hidden()


def test_what_is_behind_a_cell_of_a_tab_is_that_of_its_own_row_and_column(opened: Open) -> None:
    page = opened(TABBED, 1280)
    figure = ready(page.locator("figure.perf-table:has-text('OpenSSL throughput')").first)
    figure.get_by_role("tab", name="AES-256-CBC").click()
    table = figure.locator("table:visible")
    for order in ("ascending", "descending"):
        table.locator("thead th", has_text="Block size").click()
        expect(table.locator("thead th", has_text="Block size")).to_have_attribute(
            "aria-sort", order
        )
    first = table.locator("tbody tr").first
    assert first.locator("th").inner_text() == "8 KiB"
    cell = first.locator("td").last
    cell.click()
    panel = page.locator("#perf-behind")
    expect(panel).to_contain_text("Bundle")
    assert "8 KiB; am335x-1ghz, plain software" in panel.inner_text()


@ANY_WIDTH
def test_the_address_of_a_cell_leads_to_it(opened: Open, width: int) -> None:
    page = opened(GUIDE, width)
    other(page).locator("tr", has_text="giga").locator("td").last.click()
    page.get_by_role("button", name="Copy link to this cell").click()
    page.wait_for_selector(".perf-said")
    address = page.evaluate("navigator.clipboard.readText()")
    end = address.partition(".html")[2]
    assert end.startswith("?cell=board-b#") and end.endswith("--giga")
    again = opened(GUIDE, width, end)
    target = again.locator("td.perf-target")
    assert target.inner_text() == "3"
    expect(target).to_be_in_viewport()
    colour = "cell => getComputedStyle(cell).backgroundColor"
    beside = target.locator("xpath=preceding-sibling::*").last
    assert target.evaluate(colour) != beside.evaluate(colour)
    plain = opened(GUIDE, width, end, java_script_enabled=False)
    expect(plain.locator("tr:target")).to_contain_text("giga")
    expect(plain.locator("tr:target")).to_be_in_viewport()


def test_a_chapter_leads_to_how_it_was_measured(windows: Windows, site: Path) -> None:
    page = windows.open(f"file://{site}/{TABBED}", 1280, 844)
    fold = page.locator("details.perf-fold", has_text="How this was measured").first
    assert fold.get_attribute("open") is None
    heading = page.locator("section:has(> details) > h2").first
    box, beside = heading.bounding_box(), fold.bounding_box()
    assert box and beside and beside["y"] < box["y"] + box["height"]
    fold.locator("summary").click()
    expect(fold.locator("pre").first).to_be_visible()


@ANY_WIDTH
def test_the_address_of_a_row_opens_its_tab(opened: Open, width: int) -> None:
    page = opened(TABBED, width)
    row = page.locator("tr[id*='openssl-throughput--aes-256-cbc']").first
    name = row.get_attribute("id")
    expect(row).to_be_hidden()
    again = opened(TABBED, width, f"#{name}")
    found = again.locator(f"[id='{name}']")
    expect(found).to_be_visible()
    expect(found).to_be_in_viewport()


def test_the_sign_behind_a_heading_copies_its_address(opened: Open) -> None:
    page = opened(GUIDE, 1280)
    page.locator("#chapter-system-benchmarks > h2 a.headerlink").click()
    page.wait_for_selector(".perf-said")
    assert page.evaluate("navigator.clipboard.readText()").endswith(
        "09.03.html#chapter-system-benchmarks"
    )


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("guides/SOC1/linux/latest.html?cell=x#stream", "09.03.html?cell=x#stream"),
        ("guides/OLD/linux/latest.html#stream", "SOC1/linux/09.03.html#stream"),
        ("old.html", "SOC1/linux/09.02.html#stream"),
        ("old.html#stream--x", "SOC1/linux/09.02.html#stream--x"),
    ],
)
def test_an_old_address_leads_on_to_the_same_place(
    windows: Windows, site: Path, old: str, new: str
) -> None:
    page = windows.open(f"file://{site}/source/{old}")
    page.wait_for_url(re.compile(re.escape(new) + "$"))


def test_an_old_address_leads_on_without_script(windows: Windows, site: Path) -> None:
    old = f"file://{site}/source/guides/OLD/linux/latest.html"
    page = windows.open(old, java_script_enabled=False)
    page.wait_for_url(re.compile(r"SOC1/linux/09.03.html$"))


@ANY_WIDTH
def test_a_section_is_one_click_from_itself_in_another_release(opened: Open, width: int) -> None:
    page = opened(GUIDE, width, java_script_enabled=False)
    page.locator("details a[href*='09.02.html#stream']").click()
    page.wait_for_url(re.compile(r"09\.02\.html#stream$"))
    page.locator("summary", has_text="How this was measured").first.click()
    page.locator("details a[href*='#over-releases']").first.click()
    page.wait_for_url(re.compile(r"by-benchmark/stream/SOC1\.html#over-releases-soc1-linux$"))
    assert page.locator(":target").count() == 1


def test_a_page_links_each_term_at_its_first_use_alone(opened: Open, site: Path) -> None:
    page = opened("source/by-benchmark/openssl.html", 1280)
    targets = [link.get_attribute("href") or "" for link in page.locator("a:has(.perf-term)").all()]
    assert len(targets) > 5 and len(set(targets)) == len(targets)
    glossary = (site / "source/glossary.html").read_text("utf-8")
    for target in targets:
        file, _, name = target.partition("#")
        assert file.endswith("glossary.html") and f'id="{name}"' in glossary


def test_every_term_of_the_prose_is_in_the_glossary() -> None:
    glossary = (TOP / "source/glossary.rst").read_text("utf-8")
    terms = {line.strip() for line in glossary.splitlines() if re.match(r"   \S", line)}
    for path in [*(TOP / "source").glob("*.rst"), *(TOP / "source/benchmarks").glob("*.rst")]:
        for text in re.findall(r":perf-term:`([^`]*)`", path.read_text("utf-8")):
            found = re.search(r"<(.*)>", text)
            assert " ".join((found[1] if found else text).split()) in terms, (path.name, text)


@pytest.fixture
def address(site: Path) -> Iterator[str]:
    with served(site) as own:
        yield own


@ANY_WIDTH
def test_with_the_network_cut_the_page_stays_whole_and_says_what_is_missing(
    browser: Browser, address: str, width: int
) -> None:
    context = browser.new_context(viewport={"width": width, "height": 844})
    page = context.new_page()
    page.goto(f"{address}/{GUIDE}")
    unfolded(page).wait_for_selector(".perf-tools button")
    context.set_offline(True)
    figure = other(page)
    before = figure.locator("table").inner_text()
    figure.get_by_role("button", name="Sort and filter").click()
    expect(page.locator(".perf-status")).to_contain_text("could not be loaded")
    assert figure.locator("table").inner_text() == before
    figure.locator("tbody td.perf-n").first.click()
    expect(page.locator("#perf-behind")).to_contain_text("could not be loaded")
    context.set_offline(False)
    ready(figure)
    context.close()


@WIDTHS
def test_without_script_the_table_is_whole_and_no_room_is_left_for_tools(
    opened: Open, width: int
) -> None:
    page = opened(GUIDE, width, java_script_enabled=False)
    figure = other(page)
    for words in ("giga", "1,500", "failed", "—", "board-b"):
        assert words in figure.inner_text(), words
    # A phone has no room for it: it is in the file.
    assert ("min 0.99, max 1.01" in figure.inner_text()) == (width == 1280)
    assert figure.locator("button").count() == 0
    assert figure.locator(".perf-tools").evaluate("e => e.offsetHeight") == 0


def test_tools_move_nothing_when_they_come(windows: Windows, site: Path) -> None:
    page = windows.open(f"file://{site}/{GUIDE}", 1280, 844)
    page.wait_for_selector(".perf-tools button", state="attached")
    assert page.locator(".perf-tools button").count() > 0
    assert page.locator(".perf-tools button:visible").count() == 0, "they are folded"
