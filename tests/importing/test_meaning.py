"""What a map makes of tables: captions that tell figures apart, and names that two have."""

from __future__ import annotations

import datetime

import pytest
from guide_tables import tables as tables_of

from perfguide.catalog.benchmarks import Catalog
from perfguide.importing import bundles, markdown, rst
from perfguide.importing.mapping import decode
from perfguide.importing.proposal import propose
from perfguide.importing.sources import Snapshot

TWO = """\
Guide
=====

Audio
-----

.. csv-table:: Capture
   :header: "Rate (Hz)","evm: Throughput (bits/sec)"

   "8000","255998.00"

.. csv-table:: Playback
   :header: "Rate (Hz)","evm: Throughput (bits/sec)"

   "8000","256000.00"
"""
RELEASE = bundles.Release("1", datetime.datetime(2024, 4, 2, tzinfo=datetime.UTC), "3f2a")


def test_captions_tell_tables_of_one_heading_apart() -> None:
    tables = tables_of(rst.read, "g.rst", TWO)
    proposed = propose(
        [Snapshot(tables=tables)], Catalog({}), {"soc": "S", "os": "linux", "sdk": "1"}
    )
    found = bundles.build(tables, decode(proposed), RELEASE)
    (bundle,) = found.bundles
    assert [(r.value, r.params) for r in bundle.results] == [
        (255998.0, {"table": "Capture", "rate": 8000}),
        (256000.0, {"table": "Playback", "rate": 8000}),
    ]
    assert bundle.tools == {"commit": "3f2a"} and not found.notes
    merged = "\n".join(line for line in proposed.split("\n") if "table =" not in line)
    (doubled,) = bundles.build(tables, decode(merged), RELEASE).notes
    assert doubled.line == 15 and "g.rst:10" in doubled.message


def test_a_unit_in_a_cell_is_the_unit_of_its_figure() -> None:
    text = (
        '.. csv-table::\n   :header: "Name","evm: Rate"\n\n   "a","780 MB/s"\n   "b","1.5 or so"\n'
    )
    meaning = """
    guide = { soc = "S" }
    boards = { evm = "evm" }
    [[tables]]
    heading = ""
    benchmark = "copy"
    [tables.columns]
    "Name" = { key = "name" }
    "{board}: Rate" = { metric = "rate" }
    """
    found = bundles.build(tables_of(rst.read, "g.rst", text), decode(meaning), RELEASE)
    assert [(r.value, r.unit) for r in found.bundles[0].results] == [(780.0, "MB/s")]
    assert [each.line for each in found.left_out] == [5]


def test_a_table_that_the_map_does_not_know_is_listed() -> None:
    tables = tables_of(rst.read, "g.rst", TWO)
    found = bundles.build(tables, decode('[guide]\nsoc = "S"\n'), RELEASE)
    assert [(each.line, "no entry" in each.message) for each in found.left_out] == [
        (7, True),
        (12, True),
    ]


@pytest.mark.parametrize(
    "text", ["[guide]\nsok = 'x'", "tables = 1", "[[tables]]\nheading = 'x'", "[guide"]
)
def test_a_map_that_is_none_says_what_is_wrong(text: str) -> None:
    with pytest.raises(ValueError, match=r"is unknown|is required|is missing|is not TOML"):
        decode(text)


DEVICES = """\
# Results

| Device  | Kernel | Score (MB/s) |
| ------- | ------ | -----------: |
| Alpha 2 | 6.1    | 330          |
| Alpha 2 | 6.10   | 1350.50      |
| Beta    | 5.15   | 500          |
"""


def test_a_column_of_devices_names_boards_and_a_version_is_no_figure() -> None:
    tables = tables_of(markdown.read, "g.md", DEVICES)
    meaning = decode(
        propose([Snapshot(tables=tables)], Catalog({}), {"soc": "S", "os": "linux", "sdk": "1"})
    )
    found = bundles.build(tables, meaning, RELEASE)
    figures = [
        (each.board.name, result.params, result.value)
        for each in found.bundles
        for result in each.results
    ]
    assert sorted(figures, key=str) == [
        ("Alpha 2", {"kernel": "6.1"}, 330.0),
        ("Alpha 2", {"kernel": "6.10"}, 1350.5),
        ("Beta", {"kernel": "5.15"}, 500.0),
    ]
    assert found.left_out == []
