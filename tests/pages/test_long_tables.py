"""Which tables leave a page for one of their own, and what is left of them there."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable
from pathlib import Path

from making import SHIPPED

from perfguide.common import parallel
from perfguide.figures.dataset import Settings
from perfguide.pages import long_tables
from perfguide.pages.build import generate
from perfguide.pages.write_tables import PageTable
from perfguide.tables.page_tables import read_page_file

Bundle = Callable[..., Path]

RELEASES = [f"09.{number:02}" for number in range(8)]


def table(name: str, size: int) -> PageTable:
    return PageTable(name, f"x/{name}.csv", name, rows=1, size=size)


def test_the_largest_tables_leave_until_the_rest_is_light() -> None:
    tables = [table("a", 40), table("b", 60), table("c", 50)]
    assert long_tables.too_long(tables, 150) == frozenset()
    assert long_tables.too_long(tables, 149) == {"b"}
    assert long_tables.too_long(tables, 89) == {"b", "c"}
    assert long_tables.too_long([table("d", 60), *tables], 150) == {"b"}
    heavy = [dataclasses.replace(each, weight=each.size) for each in tables]
    assert long_tables.too_long(heavy, max_elements=149) == {"b"}


def test_a_long_history_has_a_page_of_its_own_where_its_rows_keep_their_names(
    tmp_path: Path, write_bundle: Bundle
) -> None:
    """Where it is shorter again, it is back. Letters of two bytes make few rows long."""
    many = [
        {"benchmark": "odd", "metric": f"{'é' * 190}{n}", "unit": "MB/s", "value": n}
        for n in range(284)
    ]
    settings = Settings((tmp_path / "results",), (), tmp_path / "out")
    for number, release in enumerate(RELEASES):
        path = tmp_path / f"results/{number}.json"
        write_bundle(path, many, id=f"run-{number}", sdk__version=release)
    generate(settings, run=parallel.here)
    page, own = tmp_path / "out/by-benchmark/odd.rst", tmp_path / "out/by-benchmark/odd"
    text, moved = page.read_text("utf-8"), (own / "soc1-linux-other.rst").read_text("utf-8")
    assert ":file: odd/newest-other.csv" in text or ":file: odd/other-odd.csv" in text
    assert ":ref:`SOC1, Linux: 8 releases <over-releases-soc1-linux of odd/soc1>`" in text
    releases = (own / "SOC1.rst").read_text("utf-8")
    assert ":file: soc1-linux-other.csv" not in releases
    assert re.search(r":ref:`.*over releases: 284 rows <odd/soc1-linux-other>`", releases)
    assert ".. _over-releases-soc1-linux of odd/soc1:" in releases
    assert ":file: soc1-linux-other.csv" in moved
    figures = read_page_file((own / "soc1-linux-other/figures.js").read_bytes())
    assert figures.tables["soc1-linux-other.csv"].cells
    assert ":name: odd/soc1-linux-other" in moved
    assert " <over-releases-soc1-linux of odd/soc1>`" in moved
    for number, release in enumerate(RELEASES):
        path = tmp_path / f"results/{number}.json"
        write_bundle(path, many[:9], id=f"run-{number}", sdk__version=release)
    generate(settings, run=parallel.here)
    assert ":file: soc1-linux-other.csv" in (own / "SOC1.rst").read_text("utf-8")
    assert not (own / "soc1-linux-other.rst").exists()


def test_a_guide_folds_the_table_that_repeats_figures_of_others(
    tmp_path: Path, write_bundle: Bundle
) -> None:
    metrics = {"pipe_latency": "us", "lat_pipe": "us"}
    results = [
        {"benchmark": "lmbench", "metric": name, "unit": unit, "value": 24.07}
        for name, unit in metrics.items()
    ]
    write_bundle(tmp_path / "results/a.json", results=results)
    settings = Settings((tmp_path / "results",), (SHIPPED,), tmp_path / "out", formats=())
    generate(settings, run=parallel.here)
    page = next((tmp_path / "out/guides").glob("*/*/0*.rst")).read_text("utf-8")
    tables = re.findall(r"csv-table:: (.*)\n(?:   :.*\n)*?   :class: (.*)\n", page)
    folded = [title for title, classes in tables if "perf-repeats" in classes]
    assert folded == ["LMBench: measurements above, repeated under other names"]
