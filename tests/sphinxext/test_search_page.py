"""The order in which the search page lists answers and sections, from a small index."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from urllib.parse import urlencode

import pytest
from conftest import TOP
from playwright.sync_api import Browser

from perfguide.pages import hardware_crypto, health, lasting_moves, search_words
from perfguide.pages.guide import SHIP
from perfguide.pages.search_words import FindablePage, FindableRanking, FindableSection

THEME = TOP / "ext/perfguide/sphinxext/theme/static"


def benchmark(name: str, words: str, *answers: FindableSection, about: str = "") -> FindablePage:
    """Return the page of a benchmark."""
    title = f"{name}, all boards and releases"
    newest = FindableSection("newest", title, (), about=search_words.split(about))
    return FindablePage(
        f"x/by-benchmark/{name.lower()}.html", name, search_words.split(words), (newest, *answers)
    )


def guide(soc: str, release: str, rank: int) -> FindablePage:
    """Return a guide with a section for each benchmark."""
    sections = (
        FindableSection("emmc", "eMMC, EXT4", search_words.split("emmc storage read write ext4")),
        FindableSection(
            "stream",
            "STREAM",
            search_words.split("stream memory bandwidth copy"),
            about=("bandwidth", "memory"),
        ),
        FindableSection(
            "lmbench",
            "LMBench, memory bandwidth",
            search_words.split("lmbench memory bandwidth copy read write latency process"),
        ),
        hardware_crypto.findable("chapter-crypto"),
        SHIP,
    )
    words = search_words.split(soc, "Linux", release, "sk")
    title = f"{soc} performance guide, Linux {release}"
    return FindablePage(f"x/guides/{soc}/linux/{release}.html", title, words, sections, rank, soc)


def moves(soc: str) -> FindablePage:
    """Return the page of what moved on a SoC."""
    words = search_words.split(soc, "Linux")
    return FindablePage(
        f"x/compare/{soc}/linux/moves.html",
        f"{soc}, Linux: what moved when",
        words,
        (lasting_moves.findable("moves"),),
        soc=soc,
    )


SITE = [
    benchmark("eMMC", "emmc storage read write ext4", lasting_moves.findable("lasting")),
    benchmark("U-Boot: eMMC", "emmc u boot read write"),
    benchmark("STREAM", "stream memory bandwidth copy", about="memory bandwidth"),
    benchmark("LMBench", "lmbench memory bandwidth copy read write latency process"),
    benchmark("OpenSSL", "openssl hardware crypto aes", hardware_crypto.findable("accelerator")),
    *(guide(soc, f"0{9 - rank}.00", rank) for soc in ("AM62X", "J721E") for rank in (0, 1, 2)),
    *map(moves, ("AM62X", "J721E")),
    health.findable(["Linux"]),
]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return _written(tmp_path, SITE)


def _written(tmp_path: Path, site: list[FindablePage]) -> Path:
    """Write a page that searches a site's index; return its folder."""
    index = search_words.index(site).decode()
    (tmp_path / "index.js").write_text(f"window.perfguideWords={index}", "utf-8")
    script = (THEME / "perfguide-find.js").read_text("utf-8")
    (tmp_path / "find.js").write_text(script, "utf-8")
    (tmp_path / "search.html").write_text(
        '<!DOCTYPE html><meta charset="utf-8"><section id="perf-found" data-finder="find.html" '
        'data-explorer="explore.html" hidden></section><div id="search-results"><ul></ul></div>'
        '<script src="index.js"></script><script src="find.js"></script>',
        "utf-8",
    )
    return tmp_path


@pytest.mark.parametrize(
    ("query", "first"),
    [
        ("emmc slower", ["by-benchmark/emmc.html#lasting"]),
        ("which release made eMMC slower", ["by-benchmark/emmc.html#lasting"]),
        (
            "emmc regression am62x",
            ["by-benchmark/emmc.html#lasting", "compare/AM62X/linux/moves.html#moves"],
        ),
        ("emmc slower 08.00", ["by-benchmark/emmc.html#lasting"]),
        ("hardware crypto am62x 08.00", ["by-benchmark/openssl.html#accelerator"]),
        ("am62x worse", ["compare/AM62X/linux/moves.html#moves"]),
        (
            "slower",
            ["compare/AM62X/linux/moves.html#moves", "compare/J721E/linux/moves.html#moves"],
        ),
        (
            "hardware crypto worth",
            [
                "by-benchmark/openssl.html#accelerator",
                "guides/AM62X/linux/09.00.html#chapter-crypto",
            ],
        ),
        (
            "is hardware crypto worth it on J721E",
            [
                "by-benchmark/openssl.html#accelerator",
                "guides/J721E/linux/09.00.html#chapter-crypto",
            ],
        ),
        ("emmc write", ["by-benchmark/emmc.html#newest", "by-benchmark/u-boot: emmc.html#newest"]),
        (
            "memory bandwidth",
            ["by-benchmark/stream.html#newest", "by-benchmark/lmbench.html#newest"],
        ),
        ("which SoC has most memory bandwidth", ["by-benchmark/stream.html#newest"]),
        ("may I ship AM62X", ["guides/AM62X/linux/09.00.html#guide"]),
        ("may I ship AM62X 08.00", ["guides/AM62X/linux/08.00.html#guide"]),
        ("memory bandwidth am62x j721e", ["by-benchmark/stream.html#newest"]),
        (
            "memory bandwidth AM62X",
            ["guides/AM62X/linux/09.00.html#stream", "guides/AM62X/linux/09.00.html#lmbench"],
        ),
        ("J721E findings", ["reports/health#health"]),
        ("j721e sk", ["guides/J721E/linux/09.00.html"]),
        ("am62x 08.00", ["guides/AM62X/linux/08.00.html"]),
        ("memory latency am62x", ["guides/AM62X/linux/09.00.html#lmbench"]),
        (
            "emmc 08.00",
            ["guides/AM62X/linux/08.00.html#emmc", "guides/J721E/linux/08.00.html#emmc"],
        ),
    ],
)
def test_what_answers_leads(browser: Browser, folder: Path, query: str, first: list[str]) -> None:
    page = browser.new_page()
    page.goto(f"file://{folder}/search.html?q={query.replace(' ', '+')}")
    links = page.locator("#perf-found > ul a").all()
    found = [str(link.get_attribute("href")).removeprefix("x/") for link in links]
    assert found[: len(first)] == first, found
    page.close()


def test_each_soc_has_one_place_and_other_releases_are_behind_a_fold(
    browser: Browser, folder: Path
) -> None:
    page = browser.new_page()
    page.goto(f"file://{folder}/search.html?q=ext4")
    titles = page.locator("#perf-found > ul li").all_inner_texts()
    assert [text for text in titles if "guide" in text] == [
        "eMMC, EXT4, in AM62X performance guide, Linux 09.00",
        "eMMC, EXT4, in J721E performance guide, Linux 09.00",
    ]
    fold = page.locator("#perf-found details")
    assert fold.locator("summary").inner_text() == "More releases: 4 sections"
    assert not fold.locator("a").first.is_visible()
    page.close()


def test_a_sign_is_searched_by_its_name(browser: Browser, folder: Path) -> None:
    page = browser.new_page()
    page.goto(f"file://{folder}/search.html?{urlencode({'q': 'what is ‡'})}")
    page.wait_for_url("**/search.html?q=what+is+dagger")
    page.close()


def test_a_word_that_no_page_has_is_left_out_and_named(browser: Browser, folder: Path) -> None:
    page = browser.new_page()
    page.goto(f"file://{folder}/search.html?q=zzqq+emmc+write")
    assert "No page or figure is named “zzqq”" in page.locator("#perf-found").inner_text()
    assert page.locator("#perf-found a").count() > 1
    page.goto(f"file://{folder}/search.html?q=zzqq")
    assert not page.locator("#perf-found").is_visible()
    page.close()


@pytest.mark.parametrize(
    ("query", "question"),
    [
        ("emmc write 900 mbit/s", "emmc/write?size=4 >= 900 Mbit/s"),
        ("AM62X emmc 50 MB/s sk", "emmc/write?size=4 >= 50 MB/s"),
        ("emmc 20Mbps", "emmc/write?size=4 >= 20 Mbit/s"),
        ("memory copy 900 Mbit/s", None),  # has no ranking
        ("emmc 20 s", None),
        ("emmc write 4 MiB", None),
    ],
)
def test_a_figure_with_its_unit_leads_to_the_page_that_finds_boards(
    browser: Browser, tmp_path: Path, query: str, question: str | None
) -> None:
    ranked = FindableRanking("x", "eMMC write", ("emmc", "write"), "emmc/write?size=4 >=", "Mbit/s")
    site = [replace(page, rankings=(ranked,)) if page.title == "eMMC" else page for page in SITE]
    page = browser.new_page()
    page.goto(f"file://{_written(tmp_path, site)}/search.html?{urlencode({'q': query})}")
    links = [link.get_attribute("href") for link in page.locator("#perf-found > p a").all()]
    assert links == ([f"find.html?{urlencode({'q': question})}"] if question else [])
    page.close()


@pytest.mark.parametrize("query", ["am62x vs j721e", "AM62X J721E", "am62x j721e memory bandwidth"])
def test_two_socs_lead_to_both_side_by_side(browser: Browser, folder: Path, query: str) -> None:
    page = browser.new_page()
    page.goto(f"file://{folder}/search.html?{urlencode({'q': query})}")
    link = page.locator("#perf-found a").first
    assert link.inner_text() == "All of AM62X and J721E side by side"
    sides = "side=AM62X/linux/09.00&side=J721E/linux/09.00"
    assert link.get_attribute("href") == f"explore.html?{sides}"
    page.close()


def test_an_excerpt_is_the_row_with_most_of_the_words_and_keeps_cells_apart(
    browser: Browser, folder: Path
) -> None:
    (folder / "page.html").write_text(
        '<div role="main"><p>A boot</p><table><tr><th>Boot time</th><td>18.06</td>'
        "<td>17.22</td></tr></table></div>"
    )
    page = browser.new_page()
    page.route(
        "http://site/*",
        lambda route: route.fulfill(path=folder / Path(route.request.url.partition("?")[0]).name),
    )
    page.goto("http://site/search.html?q=boot+time")
    page.evaluate(
        "document.querySelector('#search-results ul').innerHTML = '<li><a href=page.html>Page</a>'"
    )
    excerpt = page.locator("#search-results .context")
    excerpt.wait_for()
    assert excerpt.inner_text() == "Boot time · 18.06 · 17.22"
    page.close()


def test_a_soc_named_exactly_comes_before_its_variants_with_all_of_its_sections(
    browser: Browser, tmp_path: Path
) -> None:
    """The variants are of newer releases, which come first where the SoC is not named."""
    site = [guide(soc, f"1{number}.00", 0) for number, soc in enumerate(("AM62X", "AM62X-1"))]
    folder = _written(tmp_path, site)
    page = browser.new_page()
    for query, first in (("am62x memory", "AM62X"), ("AM62X-1 memory", "AM62X-1")):
        page.goto(f"file://{folder}/search.html?q={query.replace(' ', '+')}")
        titles = page.locator("#perf-found > ul li").all_inner_texts()
        own = [f"in {first} performance" in text for text in titles]
        assert own == [True, True, False], titles
    page.goto(f"file://{folder}/search.html?q=memory")
    assert "AM62X-1" in page.locator("#perf-found > ul li").first.inner_text()
    page.close()


def test_answers_are_named_by_their_subject_and_five_are_shown(
    browser: Browser, tmp_path: Path
) -> None:
    socs = [f"SOC{letter}" for letter in "ABCDEFG"]
    folder = _written(tmp_path, [*map(moves, socs)])
    page = browser.new_page()
    page.goto(f"file://{folder}/search.html?q=slower")
    links = page.locator(".perf-found-answers a").all_inner_texts()
    assert links == [f"{soc}, Linux: {lasting_moves.TITLE}" for soc in socs[:5]]
    fold = page.locator("#perf-found details")
    assert fold.locator("summary").inner_text() == "2 more"
    assert fold.locator("a").all_text_contents() == [
        f"{soc}, Linux: {lasting_moves.TITLE}" for soc in socs[5:]
    ]
    page.close()


def test_words_are_marked_on_a_page_that_was_found_and_on_no_other(
    browser: Browser, folder: Path
) -> None:
    page = browser.new_page()
    (folder / "other.html").write_text("<!DOCTYPE html><title>Other</title>", "utf-8")
    found = folder / "x/by-benchmark/emmc.html"
    found.parent.mkdir(parents=True)
    found.write_text("<!DOCTYPE html><title>Found</title>", "utf-8")
    kept = "localStorage.getItem('sphinx_highlight_terms')"
    for is_found in (False, True):
        page.goto(f"file://{folder}/search.html?q=emmc+write")
        page.evaluate("localStorage.setItem('sphinx_highlight_terms', 'emmc write mb s')")
        if is_found:
            page.locator("#perf-found a").first.click()
            page.wait_for_url("**/emmc.html#newest")
        else:
            page.goto(f"file://{folder}/other.html")
        assert page.evaluate(kept) == ("emmc write" if is_found else None)
    page.close()
