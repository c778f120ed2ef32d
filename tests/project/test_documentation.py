"""The site's own documentation: made from the code where it can be, tried where not."""

from __future__ import annotations

import csv
import re
import shlex
import shutil
import textwrap
import tomllib
from pathlib import Path
from typing import Any, get_args

import msgspec
import pytest
from conftest import TOP
from windows import Windows

from perfguide import adapters
from perfguide.adapters import described, format_schema
from perfguide.bundles.faults import validate
from perfguide.catalog import benchmarks, board_names, waivers
from perfguide.catalog.chart_spec import Kind
from perfguide.charts import from_csv
from perfguide.cli import command_line
from perfguide.health import acknowledged
from perfguide.importing import mapping
from perfguide.sphinxext import config, reference

PAGES = [
    TOP / "source" / f"{name}.rst" for name in ("publishing", "review", "importing", "extending")
]


def snippets(language: str) -> list[str]:
    """Every block of a language in the pages for publishers, reviewers and extenders."""
    out = []
    for page in PAGES:
        pattern = rf"\.\. code-block:: {language}\n\n((?:   .*\n|\n)+)"
        out += [textwrap.dedent(found) for found in re.findall(pattern, page.read_text("utf-8"))]
    assert out
    return out


TASKS = {
    "choose a SoC": ("source/explore", "Figures"),
    "read a guide": ("source/reading", "Help"),
    "take data away": ("source/data", "Help"),
    "review a release": ("source/review", "For publishers"),
    "publish a guide": ("source/publishing", "For publishers"),
    "upload from boards": ("source/lab", "For publishers"),
    "import old guides": ("source/importing", "For publishers"),
    "use perfguide as a guest": ("source/guest", "For publishers"),
    "build for each change": ("source/ci", "For publishers"),
    "extend": ("source/extending", "For developers"),
    "operate at scale": ("source/scale", "For publishers"),
    "know what to expect": ("source/speed-and-accuracy", "For developers"),
}
"""The page of each task, and the group of the menu in which people look for it."""


def test_each_task_has_one_page_in_its_group_of_the_menu() -> None:
    menu = (TOP / "index.rst").read_text("utf-8").partition(".. toctree::")[2]
    groups = {
        caption: re.findall(r"^   (source/\S+)$", entries, re.M)
        for caption, entries in re.findall(r":caption: (.+)\n\n((?:   source/\S+\n)+)", menu)
    }
    listed = [page for pages in groups.values() for page in pages]
    assert len(listed) == len(set(listed))
    for task, (page, group) in TASKS.items():
        assert page in groups[group], task
        assert f"]({page}.rst)" in (TOP / "README.md").read_text("utf-8"), task
    assert len({page for page, _ in TASKS.values()}) == len(TASKS)


def test_every_key_of_every_file_is_described() -> None:
    for name, of in reference.TYPES.items():
        found = reference.keys(of)
        assert [key.name for key in found] == [f.encode_name for f in msgspec.structs.fields(of)]
        for key in found:
            assert key.kind and key.text.endswith((".", "``")), f"{name}.{key.name}: {key}"


def test_a_key_tells_its_type_default_and_meaning() -> None:
    found = {key.name: key for key in reference.keys(benchmarks.Metric)}
    assert found["better"].kind == "“higher” or “lower” or “neither”"
    assert found["better"].default == "required"
    assert (found["threshold"].kind, found["threshold"].default) == ("number, in %", "2.0")
    assert found["headline"].default == "false"
    assert "per cent" in found["threshold"].text
    assert {k.name: k.kind for k in reference.keys(reference.TYPES["bundle"])}["results"] == (
        "list of object: result"
    )


def test_every_option_of_every_command_is_described() -> None:
    found = {command.name: command for command in reference.commands(command_line.parser())}
    assert {"check", "compare", "health", "pack", "build"} <= set(found)
    for command in found.values():
        assert command.text
    compare = found["compare"].options
    assert "--threshold 5%" in compare and "--fail-on {regression,never}" in compare
    assert found["compare"].usage.endswith(" OLD NEW")
    assert "THIRD" not in found["compare"].options


def test_json_snippets_are_sound_bundles() -> None:
    for text in snippets("json"):
        assert validate(text.encode())[1] == []


def test_toml_snippets_are_what_the_files_may_hold(tmp_path: Path) -> None:
    whole = next(text for text in snippets("toml") if text.startswith("title ="))
    kinds = set()
    for text in snippets("toml"):
        held = tomllib.loads(text)
        kind = next(iter(held))
        kinds.add(kind)
        match kind:
            case "acknowledged":
                msgspec.convert(held[kind], list[acknowledged.Acknowledgement])
            case "waivers":
                msgspec.convert(held[kind], list[waivers.Spec])
            case "notes":
                msgspec.convert(held[kind], list[waivers.Note])
                msgspec.convert(held["levels"], list[waivers.Level])
            case "boards":
                msgspec.convert(held[kind], list[board_names.Board])
            case "charts":
                more = '{ name = "latency", unit = "us", better = "lower" },\n]\n'
                metrics = whole.partition("\n[[charts]]")[0].replace("]\n", more, 1)
                (tmp_path / "example.toml").write_text(f"{metrics}\n{text}", "utf-8")
                (tmp_path / "example.rst").write_text("Text.\n", "utf-8")
                found, wrong = benchmarks.load([tmp_path])
                assert (wrong, list(found.benchmarks)) == ([], ["example"]), text
            case "words":
                msgspec.convert(held[kind], list[mapping.Words])
            case "name":
                assert described.described(msgspec.convert(held, format_schema.Description))
            case "title":
                (tmp_path / "example.toml").write_text(text, "utf-8")
                (tmp_path / "example.rst").write_text("Text.\n", "utf-8")
                assert benchmarks.load([tmp_path])[1] == []
            case _:
                assert held["project"]["entry-points"]["perfguide.adapters"]
    lists = {"acknowledged", "waivers", "notes", "boards", "words"}
    assert kinds == {*lists, "charts", "title", "project", "name"}


def test_the_adapter_of_the_documentation_reads_its_own_example() -> None:
    (code,) = [text for text in snippets("python") if "FORMAT" in text]
    held: dict[str, Any] = {}
    exec(code, held)
    form = held["FORMAT"]
    reading = form.read(form.example.encode(), adapters.Context("a.log", {"size": 4}))
    assert form.recognises(form.example.encode())
    (result,) = reading.results
    assert (result.samples, result.unit, result.params) == ([12.5], "MB/s", {"size": 4})
    assert (result.log.line, reading.lines) == (1, {1})


def test_the_example_in_python_writes_reads_compares_generates_and_publishes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    shutil.copytree(TOP / "source/benchmarks", tmp_path / "source/benchmarks")
    monkeypatch.chdir(tmp_path)
    held: dict[str, Any] = {}
    for code in snippets("python"):
        if "import" in code and "FORMAT" not in code:
            exec(code, held)
    assert capsys.readouterr().out.splitlines() == [
        "AM62X 09.01 my-board copy 1235.0 MB/s",
        "AM62X 09.02 my-board copy 912.0 MB/s",
        "my-board copy -26.2% regressed",
        "2 guides with 2 figures",
    ]
    assert (tmp_path / "source/guides/AM62X/linux/09.02.rst").is_file()
    assert {path.name for path in (tmp_path / "published").iterdir()} == {
        "try-09.01.json",
        "try-09.02.json",
    }


def test_values_that_the_documentation_sets_are_values_of_the_configuration() -> None:
    known = {*config.Values.__struct_fields__}
    for text in snippets("python"):
        assert set(re.findall(r"^(perfguide_\w+) =", text, re.M)) <= known


def test_commands_of_the_documentation_are_understood() -> None:
    tried = 0
    targets = re.search(r"\.PHONY: (.*)", (TOP / "Makefile").read_text("utf-8"))
    assert targets
    for text in snippets("sh"):
        for line in text.splitlines():
            words = shlex.split(line, comments=True)
            if words[:1] == ["perfguide"]:
                command_line.parser().parse_args(words[1:])
                tried += 1
            elif words[:1] == ["make"]:
                assert words[1] in targets[1].split()
                tried += 1
    assert tried > 6


@pytest.mark.parametrize("name", get_args(Kind))
def test_charts_of_the_cookbook_hold_the_figures_that_they_are_given(name: str) -> None:
    text = (TOP / f"source/cookbook/{name}.inc").read_text("utf-8")
    table = textwrap.dedent(text.split("\n\n", 1)[1])
    head, *rows = csv.reader(table.splitlines(), skipinitialspace=True)
    given = [float(cell) for row in rows for cell in row[1:] if cell]
    view = from_csv.view(table, "Title", kind=_kind(name))
    drawn = sorted(p.y for panel in view.panels for line in panel.lines for p in line.points)
    assert drawn == sorted(given) and len(head) > 1


def _kind(name: str) -> Any:
    return name


SCREEN = (1280, 900)


def test_the_pages_show_the_references_and_draw_the_charts(
    real_site: Path, windows: Windows
) -> None:
    """That site was built without a warning on a page."""
    site = real_site / "source"
    settings = (site / "configuration.html").read_text("utf-8")
    assert all(f">{name}<" in settings for name in config.Values.__struct_fields__)
    commands = (site / "commands.html").read_text("utf-8")
    assert "perfguide compare" in commands and "the smallest change that matters" in commands
    formats = (site / "formats.html").read_text("utf-8")
    assert "The smallest change between two releases that matters" in formats
    extending = (site / "extending.html").read_text("utf-8")
    assert extending.count('class="perf-chart') == len(get_args(Kind))
    assert "problematic" not in extending
    for old, new in (("speed", ""), ("compare-quality", "#compare-quality")):
        page = windows.open(f"file://{site}/{old}.html", *SCREEN)
        page.wait_for_url(f"**/speed-and-accuracy.html{new}")
    text = page.locator("[role=main]").bounding_box()
    assert text and text["height"] <= 2 * SCREEN[1], "more than two screens about perfguide itself"
