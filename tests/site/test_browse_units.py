"""Parts of browsing that need no browser: redirects, links elsewhere, files behind cells."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from perfguide.catalog import redirects
from perfguide.common import parallel, rst_text
from perfguide.figures.dataset import BUILT_IN, Settings
from perfguide.pages.build import generate
from perfguide.sphinxext import screen_tables, table_nodes, table_scripts
from perfguide.tables import cells, grids

TOP = Path(__file__).resolve().parents[2]
PAGES = {"guides/NEW/index", "guides/taken", "by-benchmark/openssl"}


def loaded(path: Path, text: str) -> tuple[list[redirects.Redirect], list[str]]:
    path.write_text(text, "utf-8")
    found, faults = redirects.load(path, PAGES.__contains__)
    return found, [fault.text() for fault in faults]


def test_an_old_address_leads_to_a_page_and_a_section(tmp_path: Path) -> None:
    text = '[moved]\n"guides/OLD/index" = "guides/NEW/index"\n"x" = "by-benchmark/openssl#newest"\n'
    found, faults = loaded(tmp_path / "r.toml", text)
    assert faults == []
    assert found == [
        redirects.Redirect("guides/OLD/index", "guides/NEW/index", ""),
        redirects.Redirect("x", "by-benchmark/openssl", "newest"),
    ]


@pytest.mark.parametrize(
    ("entry", "words"),
    [
        ('"guides/taken" = "guides/NEW/index"', "there is a page “guides/taken”"),
        ('"old" = "guides/missing"', "there is no page “guides/missing”"),
        ('"../old" = "guides/NEW/index"', "is not the address of a page"),
        ('"/old" = "guides/NEW/index"', "is not the address of a page"),
        ('"old.html" = "guides/NEW/index"', "is not the address of a page"),
        ('"old" = "https://example.org/"', "is not the address of a page"),
        ('"old" = "guides/NEW/index#a b"', "is not the address of a section"),
        ('"old" = 3', "is not a string"),
        ('"old" = "older"\n"older" = "guides/NEW/index"', "redirects in turn"),
        ('"a" = "b"\n"b" = "a"', "redirects in turn"),
    ],
)
def test_an_old_address_that_cannot_lead_on_is_named(
    tmp_path: Path, entry: str, words: str
) -> None:
    found, faults = loaded(tmp_path / "r.toml", f"[moved]\n{entry}\n")
    assert any(words in fault for fault in faults)
    assert all(each.old == "older" for each in found)


@pytest.mark.parametrize("text", ["moved = 3", "[moves]\na = 'b'", "[moved", "\udcff"])
def test_a_file_of_another_form_is_a_finding(tmp_path: Path, text: str) -> None:
    path = tmp_path / "r.toml"
    path.write_bytes(text.encode("utf-8", "surrogateescape"))
    found, faults = redirects.load(path, PAGES.__contains__)
    assert found == [] and len(faults) == 1 and faults[0].kind == "redirect"


def test_without_a_file_nothing_leads_on(tmp_path: Path) -> None:
    assert redirects.load(tmp_path / "none.toml", PAGES.__contains__) == ([], [])


def test_a_module_becomes_a_script_that_leaves_its_default_export() -> None:
    script = table_scripts.classic("var a=1;\nexport{b as B,a as default,c};\n/* licence */")
    assert "window.perfguideDataTable=a;" in script and "licence" in script
    assert "export" not in script


@pytest.mark.parametrize(
    "module",
    [
        "var a=1;",
        "export{a as b};",
        'import{x}from"y";export{x as default};',
        "export{a as default};export{b};",
    ],
)
def test_a_module_of_another_form_is_refused(module: str) -> None:
    with pytest.raises(ValueError, match="not a module"):
        table_scripts.classic(module)


def test_the_library_carries_its_licences() -> None:
    script = table_scripts.library()
    assert (
        "MIT License" in script and "SpryMedia" in script and "window.perfguideDataTable=" in script
    )


def test_a_table_says_which_rows_and_columns_of_its_file_it_shows() -> None:
    assert screen_tables.positions([0, 1, 2], [0, 1]) == ""
    assert screen_tables.positions([4, 5], [1, 2, 3]) == ' data-perf-rows="4" data-perf-columns="1"'
    assert (
        screen_tables.positions([0, 7], [1, 3]) == ' data-perf-rows="0,7" data-perf-columns="1,3"'
    )


def test_a_table_says_its_units_only_where_rows_differ() -> None:
    def said(*shown: tuple[str, str], stub: int = 2) -> str:
        rows = tuple((unit, text, "1") for text, unit in shown)
        scales = grids.unit_scales(shown)
        grid = grids.Grid((("Metric", "Unit", "a"),), rows, stub, units=scales)
        return table_nodes.scales(grid)

    assert said(("MB/s ↑", "MB/s"), ("MB/s ↑", "MB/s")) == ""
    assert "[&quot;data rate&quot;, 1000000000.0]" in said(("GB/s ↑", "GB/s"), ("MB/s ↑", "MB/s"))
    assert said(("u", "u"), ("v", "v"), stub=1) == ""


def settings(folder: Path, **changes: Any) -> Settings:
    benchmarks = (BUILT_IN, TOP / "source/benchmarks")
    return Settings((folder / "results",), benchmarks, folder / "out", **changes)


def stream(value: float, **more: Any) -> dict[str, Any]:
    return {"benchmark": "stream", "metric": "copy", "unit": "MB/s", "samples": [value], **more}


Bundle = Callable[..., Path]
ASSIGNED = b"perfguideFigures="


def test_behind_a_cell_are_its_samples_bundles_and_commands(
    tmp_path: Path, write_bundle: Bundle
) -> None:
    results = tmp_path / "results"
    write_bundle(results / "a.json", [stream(1.5, command="stream_c </script>")])
    write_bundle(results / "b.json", [stream(2.5, command="stream_c -x")], id="run-2")
    generate(settings(tmp_path), run=parallel.here)
    data = (tmp_path / "out/guides/SOC1/linux/09.02/figures.js").read_bytes()
    assert data.startswith(ASSIGNED) and data.isascii()
    content = json.loads(data.removeprefix(ASSIGNED))
    assert [each[0] for each in content["bundles"]] == ["run-1", "run-2"]
    assert content["bundles"][0][1:] == ["board-a", "09.02", "2024-04-02"]
    assert content["commands"] == ["stream_c </script>", "stream_c -x"]
    [table] = [each for name, each in content["tables"].items() if "/stream-" in name]
    [[row, column, bundles, commands, samples, count, runs, failed]] = table["cells"]
    assert (row, column) == (0, 2) and (bundles, commands) == ([0, 1], [0, 1])
    assert (samples, count, runs, failed) == (["1.5", "2.5"], 2, 2, 0)


def test_of_many_samples_a_page_gets_the_first_and_their_number(
    tmp_path: Path, write_bundle: Bundle
) -> None:
    many = {**stream(1.0), "samples": [float(x) for x in range(1, 101)]}
    write_bundle(tmp_path / "results/a.json", [many])
    generate(settings(tmp_path), run=parallel.here)
    data = (tmp_path / "out/guides/SOC1/linux/09.02/figures.js").read_bytes()
    tables = json.loads(data.removeprefix(ASSIGNED))["tables"]
    [[entry]] = [each["cells"] for name, each in tables.items() if "/stream-" in name]
    assert len(entry[4]) == cells.MAX_SAMPLES and entry[5] == 100


def links(page: str) -> list[list[list[str]]]:
    """The lines of links on a page, each link as its words, its page and the section there."""
    found = page.split(".. rst-class:: perf-elsewhere no-search\n\n")[1:]
    return [
        [[words, *_target(target)] for words, target in LINK.findall(each.splitlines()[0])]
        for each in found
    ]


LINK = re.compile(r":(?:doc|ref):`([^<]*) <([^>]*)>`")


def _target(name: str) -> tuple[str, str]:
    section, _, page = name.rpartition(" of ")
    return page, section


def test_a_section_leads_only_to_releases_that_have_it(
    tmp_path: Path, write_bundle: Bundle
) -> None:
    whet = {"benchmark": "whetstone", "metric": "whetstone", "unit": "MIPS", "value": 5000}
    for number, release in enumerate(["09.02", "10.0", "9.1", "10.1", "11.0"]):
        results = [stream(1.0)] if release == "10.0" else [stream(1.0), whet]
        write_bundle(
            tmp_path / f"results/{number}.json", results, id=f"r{number}", sdk__version=release
        )
    generate(settings(tmp_path), run=parallel.here)
    page = (tmp_path / "out/guides/SOC1/linux/09.02.rst").read_text("utf-8")
    head, *sections = links(page)
    folder = "soc1/linux/"
    assert head == [
        ["previous release, 9.1", "9.1", ""],
        ["next release, 10.0", "10.0", ""],
        ["newest release, 11.0", "11.0", ""],
    ]
    by_anchor = {
        next(each[2] for each in found if each[1].startswith(folder)): found
        for found in sections
        if any(each[1].startswith(folder) for each in found)
    }
    assert ["next release, 10.0", f"{folder}10.0", "stream"] in by_anchor["stream"]
    assert ["all releases", "stream/soc1", "over-releases-soc1-linux"] in by_anchor["stream"]
    assert ["other boards", "stream", "newest"] in by_anchor["stream"]
    whetstone = next(found for anchor, found in by_anchor.items() if "whetstone" in anchor)
    between = [each[0] for each in whetstone if each[1].startswith(folder)]
    assert between == ["previous release, 9.1", "newest release, 11.0"]
    heads = {
        own: [words.split(",")[0].removesuffix(" release") for words, *_ in links(text)[0]]
        for own in ("10.0", "10.1", "11.0")
        if (text := (tmp_path / f"out/guides/SOC1/linux/{own}.rst").read_text("utf-8"))
    }
    assert heads == {
        "10.0": ["previous", "next", "newest"],
        "10.1": ["previous", "next"],  # which is the newest
        "11.0": ["previous"],
    }


def test_a_redirect_is_written_and_goes_when_its_entry_goes(
    tmp_path: Path, write_bundle: Bundle
) -> None:
    write_bundle(tmp_path / "results/a.json")
    file = tmp_path / "redirects.toml"
    file.write_text('[moved]\n"guides/OLD/index" = "guides/SOC1/index#soc"\n', "utf-8")
    outcome = generate(settings(tmp_path, redirects=file), run=parallel.here)
    page = tmp_path / "out/guides/OLD/index.rst"
    assert not [d for d in outcome.diagnostics if d.kind == "redirect"]
    assert ":perf-redirect: ../../guides/SOC1/index#soc" in rst_text.plain(page.read_text("utf-8"))
    assert generate(settings(tmp_path, redirects=file), run=parallel.here).written == ()
    file.write_text("[moved]\n", "utf-8")
    assert (
        "guides/OLD/index.rst"
        in generate(settings(tmp_path, redirects=file), run=parallel.here).removed
    )


def test_a_redirect_of_a_build_whose_list_of_files_is_gone_is_written_again(
    tmp_path: Path, write_bundle: Bundle
) -> None:
    write_bundle(tmp_path / "results/a.json")
    file = tmp_path / "redirects.toml"
    for target in ("guides/SOC1/index", "guides/SOC1/linux/09.02"):
        file.write_text(f'[moved]\n"old" = "{target}"\n', "utf-8")
        outcome = generate(settings(tmp_path, redirects=file), run=parallel.here)
        assert not [d for d in outcome.diagnostics if d.kind == "redirect"]
        assert f":perf-redirect: {target}\n" in rst_text.plain(
            (tmp_path / "out/old.rst").read_text("utf-8")
        )
        shutil.rmtree(tmp_path / "out/reports")


def test_a_redirect_never_takes_the_place_of_a_page(tmp_path: Path, write_bundle: Bundle) -> None:
    write_bundle(tmp_path / "results/a.json")
    own = tmp_path / "out/mine.rst"
    own.parent.mkdir()
    own.write_text("Mine\n====\n", "utf-8")
    file = tmp_path / "redirects.toml"
    text = '[moved]\n"mine" = "guides/SOC1/index"\n"guides/SOC1/linux/09.02" = "mine"\n'
    file.write_text(text, "utf-8")
    outcome = generate(settings(tmp_path, redirects=file), run=parallel.here)
    assert len([d for d in outcome.diagnostics if d.kind == "redirect"]) == 2
    assert own.read_text("utf-8") == "Mine\n====\n"
    assert "perf-redirect" not in (tmp_path / "out/guides/SOC1/linux/09.02.rst").read_text("utf-8")
