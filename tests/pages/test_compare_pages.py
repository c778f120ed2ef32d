"""The pages that compare two releases: which there are, what they show, where they lead."""

from __future__ import annotations

import re
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import html5lib
import msgspec
import pytest
from conftest import bare_project, run_sphinx
from making import SHIPPED, only, plain, result, text

from perfguide.charts import draw
from perfguide.charts.model import ChangeView, Strip
from perfguide.common import parallel, units
from perfguide.figures import dataset
from perfguide.pages import build
from perfguide.tables import grids, page_tables

RATES = [100.0, 100.2, 99.8, 100.1, 99.9]
HOSTILE = "<script>alert(1)</script>|`x`\\**b**@team"


def run(release: str, factor: float, **more: Any) -> dict[str, Any]:
    """A run of one release: figures in tables, in tabs, and under "Other results"."""
    samples = [rate * factor for rate in RATES]
    crypto = [
        {
            "benchmark": "openssl",
            "metric": "throughput",
            "unit": "kB/s",
            "params": {"algorithm": algorithm, "block_size": size, "engine": engine},
            "samples": samples,
        }
        for algorithm in ("aes-128-cbc", "sha256")
        for size in (16, 1024)
        for engine in ("hw", "sw")
    ]
    nbench = {"benchmark": "nbench", "metric": "idea", "unit": "iterations/s", "samples": samples}
    emmc = {
        "benchmark": "emmc",
        "metric": "read_throughput",
        "unit": "MB/s",
        "params": {"filesystem": "ext4", "buffer_size": 4096},
        "samples": samples,
    }
    other = result(f"odd {HOSTILE}", "things", samples=samples, params={"a b": HOSTILE})
    known = {"id": f"run {release}", "sdk__version": release}
    return plain(*crypto, nbench, emmc, other, **(known | more))


def fill(folder: Path, *runs: dict[str, Any]) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for number, bundle in enumerate(runs):
        (folder / f"{number}.json").write_bytes(text(bundle))


@pytest.fixture
def settings(tmp_path: Path) -> dataset.Settings:
    fill(tmp_path / "results", run("9.1", 2), run("9.2", 1), run("10.0", 3))
    return dataset.Settings((tmp_path / "results",), (SHIPPED,), tmp_path / "source", formats=())


def compare_pages(settings: dataset.Settings) -> set[str]:
    top = settings.output / "compare"
    return {path.relative_to(top).as_posix() for path in top.rglob("*.rst")}


def test_neighbours_in_release_order_have_a_page_and_others_none(
    settings: dataset.Settings,
) -> None:
    assert build.generate(settings, run=parallel.here).diagnostics == ()
    folder = "AM62X/linux"
    expected = {
        "index.rst",
        "AM62X/index.rst",
        f"{folder}/9.1-vs-9.2.rst",
        f"{folder}/9.2-vs-10.0.rst",
    }
    assert compare_pages(settings) == expected


def test_a_pair_that_is_asked_for_has_a_page_too_and_only_one(settings: dataset.Settings) -> None:
    wanted = (("AM62X", "linux", "9.1", "10"), ("AM62X", "linux", "9.1", "9.2"))
    assert build.generate(replace(settings, compare=wanted), run=parallel.here).diagnostics == ()
    assert "AM62X/linux/9.1-vs-10.0.rst" in compare_pages(settings)
    assert len(compare_pages(settings)) == 5


@pytest.mark.parametrize(
    ("pair", "said", "hint"),
    [
        (("AM62", "linux", "9.1", "9.2"), "has no guide", "AM62X, linux"),
        (("AM62X", "linux", "9.1", "9.9"), "“9.9”", "9."),
        (("AM62X", "linux", "9.1", "9.1"), "both are 9.1", "name two releases"),
    ],
)
def test_a_pair_that_is_not_there_is_reported(
    settings: dataset.Settings, pair: tuple[str, str, str, str], said: str, hint: str
) -> None:
    fault = only(build.generate(replace(settings, compare=(pair,)), run=parallel.here).diagnostics)
    assert (fault.kind, fault.origin) == ("compare", "perfguide_compare")
    assert said in fault.message and hint in fault.hint


def test_pages_are_written_only_when_their_bytes_change(settings: dataset.Settings) -> None:
    build.generate(settings, run=parallel.here)
    assert build.generate(settings, run=parallel.here).written == ()
    fill(settings.results[0], run("9.1", 2), run("9.2", 1))
    removed = build.generate(settings, run=parallel.here).removed
    assert "compare/AM62X/linux/9.2-vs-10.0.rst" in removed
    assert compare_pages(settings) == {
        "index.rst",
        "AM62X/index.rst",
        "AM62X/linux/9.1-vs-9.2.rst",
    }


def test_an_event_counts_the_rows_that_it_does_not_list(settings: dataset.Settings) -> None:
    build.generate(settings, run=parallel.here)
    text = (settings.output / "compare/AM62X/linux/9.1-vs-9.2.rst").read_text("utf-8")
    (event,) = text.split(".. container:: perf-event")[1:]
    listed = len(
        re.findall(r"^ +:.+: :perf-from:`200 → 100 .+` :perf-change:`÷2`", event, re.MULTILINE)
    )
    # Nothing says of the figure that no description names which change is better.
    described = len(run("9.1", 2)["results"]) - 1
    assert f"2 times worse :perf-small:`({described} rows)`" in event
    assert f"{described - listed} more rows, listed in :ref:`Regressions <" in event
    assert f"Evidence and {described - 1} more rows" in event, "the first row is not folded"


def test_an_inferred_explanation_is_beside_its_event_and_a_recorded_one_in_the_fold(
    settings: dataset.Settings,
) -> None:
    def of_emmc(release: str, factors: list[float], kernel: str) -> dict[str, Any]:
        rates = [
            result(
                "read_throughput",
                benchmark="emmc",
                samples=[rate * factor for rate in RATES],
                params={"filesystem": "ext4", "buffer_size": 1024 << number},
            )
            for number, factor in enumerate(factors)
        ]
        return plain(*rates, id=release, sdk__version=release, sdk__kernel=kernel)

    fill(
        Path(settings.results[0]),
        of_emmc("9.1", [1] * 4, "6.1"),
        of_emmc("9.2", [2, 0.5, 0.5, 0.5], "6.6"),
    )
    build.generate(settings, run=parallel.here)
    page = (settings.output / "compare/AM62X/linux/9.1-vs-9.2.rst").read_text("utf-8")
    beside, fold = page.split("Evidence", 1)
    assert "Perhaps another eMMC, as 1 rate of it got better and 3 worse" in beside
    assert "Perhaps: kernel 6.1 → 6.6." in fold and "another eMMC" not in fold


def test_one_release_has_nothing_to_compare(settings: dataset.Settings) -> None:
    fill(settings.results[0], run("9.1", 2))
    build.generate(settings, run=parallel.here)
    assert compare_pages(settings) == {"index.rst"}
    assert "no two releases" in (settings.output / "compare/index.rst").read_text("utf-8")


def test_releases_whose_addresses_would_be_one_get_two(settings: dataset.Settings) -> None:
    fill(settings.results[0], *(run(name, 1) for name in ("1", "2-vs-3")),
         *(run(name, 1, board__soc="S2") for name in ("1-vs-2", "3")))  # fmt: skip
    assert build.generate(settings, run=parallel.here).diagnostics == ()
    fill(settings.results[0], *(run(name, 1) for name in ("a", "a-vs-b", "b-vs-c", "c")))
    wanted = (("AM62X", "linux", "a", "b-vs-c"), ("AM62X", "linux", "a-vs-b", "c"))
    assert build.generate(replace(settings, compare=wanted), run=parallel.here).diagnostics == ()
    # The lists, neighbours, the two that were asked for, and what moved when.
    assert len(compare_pages(settings)) == 2 + 3 + 2 + 1


def test_a_waiver_that_no_page_needs_is_reported(settings: dataset.Settings) -> None:
    path = settings.output / "waivers.toml"
    path.parent.mkdir(parents=True, exist_ok=True)
    entry = '[[waivers]]\nbenchmark = "nbench"\nmetric = "{}"\nreason = "r"\nuntil = "99"\n'
    path.write_text(entry.format("idea") + entry.format("none"), "utf-8")
    fault = only(build.generate(replace(settings, waivers=path), run=parallel.here).diagnostics)
    assert (fault.kind, fault.line) == ("waiver-lapsed", 6)
    page = (settings.output / "compare/AM62X/linux/9.1-vs-9.2.rst").read_text("utf-8")
    assert "accepted" in page


def test_the_chart_says_what_changed_and_is_drawn_the_same_again() -> None:
    strips = (
        Strip("Speed", 0.7, ((0.5, "regressed"), (0.98, "other"))),
        Strip(f"_{HOSTILE}$x$", 1.2, ((1.2, "improved"),)),
    )
    view = ChangeView("", strips)
    assert view.text() == (
        "Changes of 3 figures by benchmark, in the better direction: 1 regressed, 1 improved; "
        f"geometric means from −30.0 % (Speed) to +20.0 % (_{HOSTILE}$x$)."
    )
    drawn = draw.draw(view)
    assert drawn == draw.draw(view)
    tree = html5lib.parse(drawn.decode(), namespaceHTMLElements=False)
    # A rise by half, to 3/2, is as far from no change as a fall to 2/3.
    assert {"0 %", "+50 %", "−33 %"} <= {element.text for element in tree.iter()}
    ids = {element.get("id") for element in tree.iter()}
    assert {"changes-regressed", "changes-improved", "changes-other"} <= ids
    last = next(e for e in tree.iter() if e.text == draw.MEAN_LABEL)
    end = float(last.get("x", "")) + len(draw.MEAN_LABEL) * 72 / draw.CHARS_PER_INCH
    assert end < draw.WIDTH_INCHES * 72, "nothing is cut"
    assert tree.find(".//script") is None
    assert draw.draw(view, "pdf").startswith(b"%PDF")


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site of two releases with hostile names."""
    folder = tmp_path_factory.mktemp("hostile")
    project = bare_project(folder / "project")
    named = {"board__name": HOSTILE, "board__soc": HOSTILE, "sdk__os": HOSTILE}
    fill(project / "results", run(f"9.1{HOSTILE}", 2, **named), run(f"9.2{HOSTILE}", 1, **named))
    built = run_sphinx(project, folder / "html", "-b", "html", "-W", "--keep-going", "-n")
    assert built.returncode == 0, built.stderr
    return folder / "html"


def _page(folder: Path) -> Path:
    return Path(
        only([p for p in folder.glob("source/compare/**/*.html") if p.name != "index.html"])
    )


def test_a_page_shows_names_as_text_and_each_row_leads_to_both_guides(hostile: Path) -> None:
    path = _page(hostile)
    tree = html5lib.parse(path.read_text("utf-8"), namespaceHTMLElements=False)
    main = next(e for e in tree.iter("div") if e.get("role") == "main")
    assert not list(main.iter("script"))
    words = " ".join("".join(main.itertext()).split())
    assert HOSTILE in words
    # The summary first, events next, all tables folded.
    places = [words.index(w) for w in ("can be judged", "Worse (", "All rows, by verdict")]
    assert places == sorted(places)
    folded = next(e for e in main.iter("details") if "Regressions (" in (e[0].text or ""))
    assert list(folded.iter("table"))
    events = {e.get("id") for e in main.iter() if "perf-event" in (e.get("class") or "").split()}
    box = next(e for e in main.iter() if "perf-verdict" in (e.get("class") or "").split())
    links = {(e.get("href") or "").removeprefix("#") for e in box.iter("a")}
    assert len(events) >= 1 and events <= links, "the verdict leads to the events that it names"
    links = [
        (e.get("href") or "").partition("#")
        for table in main.iter("table") for cell in table.iter("td") for e in cell.iter("a")
    ]  # fmt: skip
    # Eight figures of OpenSSL, one each of eMMC, NBench and what has no description.
    assert len(links) == 2 * 11
    targets = {page: (path.parent / unquote(page)).resolve() for page, _, _ in links}
    assert len(set(targets.values())) == 2
    shown = {page: target.read_text("utf-8") for page, target in targets.items()}
    for page, _, fragment in links:
        assert f'<tr id="{fragment}">' in shown[page], fragment


def test_guides_the_soc_and_the_front_page_lead_to_a_comparison(hostile: Path) -> None:
    name = _page(hostile).name
    leading = {
        path.relative_to(hostile / "source").parts[0]
        for path in (hostile / "source").rglob("*.html")
        if re.search(
            rf'<a class="reference internal" href="[^"]*{re.escape(name)}"', path.read_text()
        )
    }
    assert {"guides", "compare"} <= leading
    guides = [p for p in (hostile / "source/guides").rglob("*.html") if name in p.read_text()]
    # The guide, the page of its SoC, and the list of guides.
    assert sorted(p.name == "index.html" for p in guides) == [False, True, True]
    front = (hostile / "index.html").read_text("utf-8")
    assert "source/compare/index.html" in front
    listed = (hostile / "source/compare/index.html").read_text("utf-8")
    mark = re.compile(r'<span class="perf-state-[a-z-]+">.</span> [\w ]+')
    (worse,) = mark.findall(front)
    assert worse in mark.findall(listed), "the front page has the mark of the list of comparisons"


@pytest.mark.parametrize("builder", ["text", "latex"])
def test_other_builders_show_what_is_folded(project: Path, tmp_path: Path, builder: str) -> None:
    fill(project / "results", run("9.1", 1), run("9.2", 1))
    built = run_sphinx(project, tmp_path / "out", "-b", builder, "-W", "--keep-going")
    assert built.returncode == 0, built.stderr
    form = "*.txt" if builder == "text" else "*.tex"
    written = "".join(path.read_text("utf-8") for path in (tmp_path / "out").rglob(form))
    assert "(11)" in written and written.count("IDEA cipher") > 2


def test_a_pair_that_is_no_pair_ends_the_build_with_its_reason(
    project: Path, tmp_path: Path
) -> None:
    fill(project / "results", run("9.1", 1))
    with (project / "conf.py").open("a", encoding="utf-8") as conf:
        conf.write('\nperfguide_compare = [("AM62X", "linux", "09.00")]\n')
    built = run_sphinx(project, tmp_path / "html", "-b", "html")
    assert built.returncode == 2
    assert (
        "perfguide_compare: ('AM62X', 'linux', '09.00') is not a pair of releases" in built.stderr
    )


def test_a_cell_leads_nowhere_where_there_is_no_such_page(project: Path, tmp_path: Path) -> None:
    fill(project / "results", run("9.1", 1))
    text = ".. perfguide: page\n\n:orphan:\n\nPage\n====\n\n.. csv-table:: T\n"
    text += "   :file: page/t.csv\n   :header-rows: 1\n   :stub-columns: 1\n"
    folder = project / "source/page"
    folder.mkdir()
    folder.with_suffix(".rst").write_text(text, "utf-8")
    table = grids.listing(("a", "b"), [("k", units.count_cell(1))])
    table = msgspec.structs.replace(table, links=[(0, 1, "none", "t", "--a")])
    (folder / "t.csv").write_bytes(page_tables.to_csv(page_tables.texts(table)))
    figures = page_tables.page_file({"page/t.csv": (page_tables.extra(table), None)})
    (folder / page_tables.FILE).write_bytes(figures)
    built = run_sphinx(project, tmp_path / "html", "-b", "html", "-W")
    assert built.returncode == 0, built.stderr
    cell = '<td class="perf-n"><data value="1">1</data></td>'
    shown = re.findall("<td.*?</td>", (tmp_path / "html/source/page.html").read_text("utf-8"))
    assert shown == [cell]


def test_a_comparison_of_boards_without_a_common_release_says_which_each_has(
    tmp_path: Path,
) -> None:
    measured = {"old-sk": ["08.00", "08.01", "08.02"], "new-sk": ["09.00"]}
    (tmp_path / "results").mkdir()
    for board, releases in measured.items():
        for release in releases:
            figure = {"benchmark": "stream", "metric": "copy", "unit": "MB/s", "value": 1000.5}
            item = plain(figure, id=board + release, board__name=board, sdk__version=release)
            (tmp_path / f"results/{board}-{release}.json").write_bytes(text(item))
    settings = dataset.Settings((tmp_path / "results",), (SHIPPED,), tmp_path / "pages", formats=())
    build.generate(settings, run=parallel.here)
    page = (tmp_path / "pages/compare/AM62X/linux/08.02-vs-09.00.rst").read_text("utf-8")
    assert "No board has both releases." in page
    old = measured["old-sk"]
    assert f"old-sk was measured with {len(old)} releases from {old[0]} to {old[-1]}." in page
    assert "new-sk was measured with 09.00." in page
    assert "Boards and comparisons of AM62X" in page
