"""What a proposed map says of a guide: benchmarks, boards, units, conditions and words."""

from __future__ import annotations

import datetime
from pathlib import Path

import pytest
from conftest import SHARED, TOP
from guide_tables import nothing
from imported_guides import OTHER_PERCENT_GOAL, outcome, total
from msgspec import structs

from perfguide.bundle import Bundle, Result
from perfguide.catalog import benchmarks
from perfguide.catalog.benchmarks import Catalog
from perfguide.importing import bundles, rst, sources
from perfguide.importing.limits import Limits
from perfguide.importing.mapping import Map, decode, soc_of
from perfguide.importing.model import Reading
from perfguide.importing.proposal import propose
from perfguide.importing.sources import Snapshot

RELEASE = bundles.Release("09.00", datetime.datetime(2024, 4, 2, tzinfo=datetime.UTC))
CATALOG, _ = benchmarks.load([TOP / "source" / "benchmarks"])


def reading(text: str) -> Reading:
    out = Reading()
    rst.read("g.rst", text, nothing, out)
    return out


def imported(
    text: str, soc: str = "AM62X", catalog: Catalog = CATALOG
) -> tuple[Map, bundles.Imported]:
    """Import a guide by its proposed map."""
    read = reading(text)
    about = {"soc": soc, "os": "linux", "sdk": "09.00"}
    meaning = decode(
        propose([Snapshot(tables=read.tables, passages=read.passages)], catalog, about)
    )
    return meaning, bundles.build(read.tables, meaning, RELEASE, read.passages)


def only(text: str) -> Bundle:
    _, out = imported(text)
    assert not out.left_out and not out.same_names
    (bundle,) = out.bundles
    return bundle


def results(text: str) -> list[Result]:
    return list(only(text).results)


CAPTIONS = """\
Guide
=====

Ethernet
--------

.. rubric:: UDP Throughput

{first}.. csv-table::
    :header: "Frame Size(bytes)","evm: Packets Per Second (kPPS)"

    "64","114"

{second}.. csv-table::
    :header: "Frame Size(bytes)","evm: Packets Per Second (kPPS)"

    "64","12"

{third}
"""
EGRESS, INGRESS = (
    f"Table: **CPSW UDP {name}**\n"
    for name in ("Egress Throughput", "Ingress Throughput (0% loss)")
)


@pytest.mark.parametrize(
    "captions",
    [
        {"first": f"{EGRESS}\n", "second": f"{INGRESS}\n", "third": ""},
        {"first": EGRESS, "second": INGRESS, "third": ""},
        {"first": "", "second": f"{EGRESS}\n", "third": INGRESS},
        # A line block follows without a blank line: docutils warns, and the caption is read.
        {"first": "", "second": f"{EGRESS}|\n\n", "third": f"{INGRESS}|\n"},
    ],
    ids=["above", "glued", "below", "line-block"],
)
def test_a_caption_in_a_paragraph_belongs_to_its_table(captions: dict[str, str]) -> None:
    text = CAPTIONS.format(**captions)
    lines = text.split("\n")
    params = [(r.params["direction"], r.value, r.log and r.log.line) for r in results(text)]
    assert params == [
        ("egress", 114.0, 1 + lines.index('    "64","114"')),
        ("ingress", 12.0, 1 + lines.index('    "64","12"')),
    ]


def test_names_of_a_guide_become_those_of_the_catalog() -> None:
    text = """\
Guide
=====

CRYPTO Driver
-------------

OpenSSL Performance
^^^^^^^^^^^^^^^^^^^

.. csv-table::
    :header: "Algorithm","Size","evm: Accelerator (MB/s)","evm: ARM CE (MB/s)","evm: ARM (MB/s)"

    "aes-128-cbc","16 bytes","0.34","69.43","22.18"
    "aes-128-cbc","1 KB","1.51","217.04","28.34"
"""
    every = results(text)
    assert {(r.benchmark, r.metric, r.unit) for r in every} == {("openssl", "throughput", "MB/s")}
    assert [(r.params["block_size"], r.params["engine"], r.value) for r in every] == [
        *((16, "hw", 0.34), (16, "arm-ce", 69.43), (16, "sw", 22.18)),
        *((1024, "hw", 1.51), (1024, "arm-ce", 217.04), (1024, "sw", 28.34)),
    ]


def test_a_heading_with_a_board_is_no_benchmark() -> None:
    text = """\
Guide
=====

NAND Driver
-----------

AM335X-EVM
^^^^^^^^^^

.. csv-table::
    :header: "Buffer size (bytes)","am335x-evm: Write UBIFS Throughput (Mbytes/sec)"

    "102400","3.94 (min 3.91, max 4.03)"
"""
    (result,) = results(text)
    assert (result.benchmark, result.params) == (
        "nand",
        {"buffer_size": 102400, "filesystem": "ubifs"},
    )


UNITS = """\
Guide
=====

{heading}
{line}

.. csv-table::
    :header: "Name","evm: {head}"

    "a","5"
"""


def _with_units(heading: str, head: str) -> str:
    return UNITS.format(heading=heading, line="-" * len(heading), head=head)


def test_a_text_in_brackets_that_is_no_unit_gives_way_to_that_of_the_catalog() -> None:
    (result,) = results(_with_units("TCP throughput", "CPU Load % (LOCAL_CPU_UTIL)"))
    assert (result.metric, result.unit) == ("cpu_load", "%")


@pytest.mark.parametrize("unit", ["LOCAL_CPU_UTIL", "min,max", "FORWARDING"])
def test_a_unit_that_is_none_is_refused_with_its_cell(unit: str) -> None:
    text = _with_units("Mystery", f"Rate ({unit})")
    meaning, out = imported(text)
    assert not out.bundles and [each.line for each in out.left_out] == [10]
    proposed = propose([Snapshot(tables=reading(text).tables)], CATALOG, {})
    assert f"# “{unit}” is not a unit: state that of “{{board}}: Rate ({unit})”" in proposed
    assert meaning.tables[0].columns[f"{{board}}: Rate ({unit})"].unit == ""
    forced = decode(
        proposed.replace('unit = ""', f'unit = "{unit}"').replace(
            '{ metric = "rate" }', f'{{ metric = "rate", unit = "{unit}" }}'
        )
    )
    again = bundles.build(reading(text).tables, forced, RELEASE)
    (refusal,) = again.left_out
    assert f"“{unit}” is not a unit" in refusal.message and refusal.line == 10


BOARDS = """\
Guide
=====

.. rubric:: Read This First

+------------+--------------------------------------------------------------------------+
| Name       | Description                                                              |
+============+==========================================================================+
| AM62x SK   | AM62x Starter Kit rev E2 with ARM running at 1.4GHz, DDR data rate 1600  |
+------------+--------------------------------------------------------------------------+
| AM62x LP SK| AM62x LP Starter Kit rev E1 with ARM running at 1250 MHz, LPDDR4 1600    |
+------------+--------------------------------------------------------------------------+

Table: Evaluation Modules

System Benchmarks
-----------------

Dhrystone
^^^^^^^^^

.. csv-table::
    :header: "Benchmarks","am62xx_sk-fs: perf","am62xx_lp_sk-fs: perf","j721e-idk-gw: perf"

    "cpu_clock (mhz)","1400","1250","2000"
"""


def test_a_table_of_boards_describes_them_and_each_has_its_soc() -> None:
    _, out = imported(BOARDS)
    boards = {each.board.name: each.board for each in out.bundles}
    assert {name: (b.soc, b.cpu_mhz or None) for name, b in boards.items() if b.description} == {
        "am62xx_sk-fs": ("AM62X", 1400.0),
        "am62xx_lp_sk-fs": ("AM62X", 1250.0),
    }
    assert boards["am62xx_lp_sk-fs"].memory == "LPDDR4 1600"
    assert boards["am62xx_lp_sk-fs"].description.startswith("AM62x LP Starter Kit rev E1")
    assert boards["j721e-idk-gw"].soc == "J721E"
    assert {(r.benchmark, r.unit) for each in out.bundles for r in each.results} == {
        ("dhrystone", "MHz")
    }


def test_a_map_without_socs_gets_a_note_for_a_board_of_another_soc() -> None:
    read = reading(BOARDS)
    meaning, _ = imported(BOARDS)
    plain = structs.replace(meaning, boards={name: name for name in meaning.boards})
    notes = bundles.build(read.tables, plain, RELEASE).notes
    assert [each.hint for each in notes] == [
        'if its SoC is J721E, write soc = "J721E" in [boards] of the map'
    ]
    assert bundles.build(read.tables, meaning, RELEASE).notes == []


def test_the_soc_of_a_board_is_in_its_name() -> None:
    names = {
        **{"am62xx_lp_sk-fs": "AM62X", "am62xxsip_sk-fs": "AM62X", "am62axx_sk-fs": "AM62AX"},
        **{"j7200-evm": "J7200", "j721e-idk-gw": "J721E", "j721s2-evm": "J721S2"},
        **{"j784s4-evm": "J784S4", "am335x-evm": "AM335X", "beaglebone_green_eco-gp": ""},
    }
    assert {name: soc_of(name) for name in names} == names


def test_one_board_of_another_name_keeps_the_soc_of_the_guide() -> None:
    meaning, _ = imported(
        BOARDS.replace("am62xx_sk-fs", "rpi4").split("Dhrystone")[0]
        + """\
Dhrystone
^^^^^^^^^

.. csv-table::
    :header: "Benchmarks","raspberrypi4: perf"

    "cpu_clock (mhz)","1400"
""",
        soc="BCM2711",
    )
    assert meaning.board("raspberrypi4").soc == ""


WORDS = """\
Guide
=====

Storage
-------

MMC/SD
^^^^^^

.. warning::

   Mounted in sync mode it is slow.

.. csv-table:: MMC EXT4
    :header: "Buffer size (bytes)","evm: Write EXT4 Throughput (Mbytes/sec)"

    "102400","18.35"

Captured using the following:

-  A fast card
-  Partition was mounted with async option

Dhrystone
^^^^^^^^^

Dhrystone is a program that a description explains.

Run:

::

    runDhrystone

.. csv-table::
    :header: "Benchmarks","evm: perf"

    "cpu_clock (MHz)","1000"

Whetstone
^^^^^^^^^

.. ifconfig:: CONFIG_part in ('X')

   .. csv-table:: Result
       :header: "Benchmarks","evm: perf"

       "whetstone (mips)","833"
"""


def test_words_around_tables_become_notes_and_commands_to_be_confirmed() -> None:
    meaning, out = imported(WORDS)
    (bundle,) = out.bundles
    commands = {(r.benchmark, r.command) for r in bundle.results}
    assert commands == {("mmcsd", ""), ("dhrystone", "runDhrystone"), ("whetstone", "")}
    assert [(each.benchmark, each.text) for each in bundle.notes] == [
        ("mmcsd", "Mounted in sync mode it is slow."),
        (
            "mmcsd",
            "Captured using the following: A fast card; Partition was mounted with async option",
        ),
    ]
    assert out.unconfirmed == 3 and out.unlisted_words == 0
    assert not any(each.confirmed for each in meaning.words)


EXPLANATION = "Netperf sends packets in a loop, and prints how many of them arrive. " * 8
PROCEDURES = f"""\
Guide
=====

Ethernet
--------

{EXPLANATION}The peer was a PC.

Losses of UDP are searched in steps. To start the server:

::

    netserver -p 5

Driver CPSW
^^^^^^^^^^^

.. csv-table:: TCP Throughput
    :header: "Command Used","evm: THROUGHPUT (Mbits/sec)"

    "netperf -t TCP_STREAM","900"

.. csv-table:: UDP Egress Throughput
    :header: "Frame Size(bytes)","evm: THROUGHPUT (Mbits/sec)"

    "64","40"

OpenSSL Performance
-------------------

The following figures come from boards with the default image:

::

    openssl speed -evp aes-128-cbc

.. csv-table:: OpenSSL Performance
    :header: "Algorithm","Buffer Size (in bytes)","evm: throughput (KBytes/Sec)"

    "aes-128-cbc","16","1"
    "sha256","16","2"

eMMC
----

To leave the console alone, run:

::

    echo N > console

.. csv-table:: EMMC EXT4 FIO 1G
    :header: "Buffer size (bytes)","evm: Write EXT4 Throughput (Mbytes/sec)"

    "1m","56"
"""


def test_procedures_and_commands_reach_the_figures_that_they_are_about() -> None:
    bundle = only(PROCEDURES)
    notes: dict[str, list[str]] = {}
    for each in bundle.notes:
        notes.setdefault(each.benchmark, []).append(each.text)
    assert notes == {
        "ethernet-tcp": ["The peer was a PC.", "netserver -p 5"],
        "ethernet-udp": [
            "The peer was a PC.",
            "Losses of UDP are searched in steps. To start the server:",
            "netserver -p 5",
        ],
        "openssl": ["The following figures come from boards with the default image:"],
        "emmc": ["To leave the console alone, run:", "echo N > console"],
    }
    rows = {(r.benchmark, r.params.get("algorithm")): r for r in bundle.results}
    assert {key: r.command for key, r in rows.items()} == {
        ("ethernet-tcp", None): "netperf -t TCP_STREAM",
        ("ethernet-udp", None): "",
        ("openssl", "aes-128-cbc"): "openssl speed -evp aes-128-cbc",
        ("openssl", "sha256"): "",
        ("emmc", None): "",
    }
    assert rows["emmc", None].setup == {"program": "FIO 1G"}


def test_a_row_with_fewer_cells_than_heads_is_to_be_checked() -> None:
    _, out = imported(
        """\
Guide
=====

IPSec
-----

.. csv-table::
    :header: "Algorithm","a: CPU Load","b: CPU Load"

    "aes128","20","30"
    "aes192","40"
"""
    )
    (note,) = out.notes
    assert (note.origin, note.line) == ("g.rst", 11)
    assert note.message == "the row has 2 of 3 cells: taken for the first columns"
    assert out.missing == 1 and not out.left_out


def test_a_person_makes_facts_of_words() -> None:
    read = reading(WORDS)
    about = {"soc": "S", "os": "linux", "sdk": "1"}
    proposed = propose([Snapshot(tables=read.tables, passages=read.passages)], CATALOG, about)
    at = proposed.index("Captured using")
    edited = proposed[:at] + proposed[at:].replace(
        'use = "note"\nconfirmed = false',
        'use = "none"\nsetup = { mount = "async" }\nconfirmed = true',
        1,
    )
    (bundle,) = bundles.build(read.tables, decode(edited), RELEASE, read.passages).bundles
    setups = {r.benchmark: r.setup for r in bundle.results}
    assert setups == {"mmcsd": {"mount": "async"}, "dhrystone": {}, "whetstone": {}}
    assert len(bundle.notes) == 1


def test_a_map_says_all_that_a_bundle_can() -> None:
    text = _with_units("Mystery", "Rate (MB/s)")
    meaning = decode("""
    [guide]
    soc = "S"
    kernel = "6.6"
    image = "default"
    setup = { peer = "PC" }
    notes = ["For all."]
    [boards]
    evm = { name = "evm", description = "An EVM", cpu_mhz = 1400, memory = "DDR4", governor = "performance" }
    [[tables]]
    heading = "*"
    benchmark = "copy"
    command = "cp a b"
    setup = { card = "fast" }
    notes = ["For these."]
    [tables.columns]
    "Name" = { key = "setup.file", values = { a = "first" } }
    "{board}: Rate (MB/s)" = { metric = "rate", unit = "MB/s", setup = { mount = "async" } }
    """)
    (bundle,) = bundles.build(reading(text).tables, meaning, RELEASE).bundles
    (result,) = bundle.results
    assert (bundle.sdk.kernel, bundle.sdk.image) == ("6.6", "default")
    assert (bundle.setup, [each.text for each in bundle.notes]) == ({"peer": "PC"}, ["For all."])
    board = bundle.board
    assert (board.description, board.cpu_mhz, board.memory) == ("An EVM", 1400, "DDR4")
    assert board.governor == "performance"
    assert result.command == "cp a b" and result.notes == ["For these."]
    assert result.setup == {"card": "fast", "file": "first", "mount": "async"}


def test_equal_tables_are_told_apart_by_their_order() -> None:
    table = """\
.. csv-table::
    :header: "Buffer size (bytes)","evm: Write EXT4 Throughput (Mbytes/sec)"

    "256k","{figure}"

"""
    text = f"Guide\n=====\n\neMMC\n----\n\n{table.format(figure='57.4')}{table.format(figure='53')}"
    assert [(r.value, r.params.get("table_no")) for r in results(text)] == [(57.4, None), (53.0, 2)]


def test_a_cell_with_a_figure_for_each_core() -> None:
    text = """\
Guide
=====

Cyclictest
----------

.. csv-table::
    :header: "Latencies", "evm:per-core"

    "Minimum (usec)", "6,7"
    "Maximum (usec)", "45,52"
"""
    assert [(r.metric, r.params, r.value) for r in results(text)] == [
        ("latency_min", {"core": 0}, 6.0),
        ("latency_min", {"core": 1}, 7.0),
        ("latency_max", {"core": 0}, 45.0),
        ("latency_max", {"core": 1}, 52.0),
    ]


def test_a_table_that_names_no_board_of_several_says_so() -> None:
    text = f"""{BOARDS}
Linpack
^^^^^^^

.. csv-table::
    :header: "Benchmarks","perf"

    "linpack (kflops)","7"
"""
    _, out = imported(text)
    assert "board not stated" in {each.board.name for each in out.bundles}


def test_guides_to_be_included_are_read(tmp_path: Path) -> None:
    (tmp_path / "part.rst.inc").write_text(WORDS, "utf-8")
    snapshot = sources.files([tmp_path], Limits())
    assert len(snapshot.tables) == 3 and len(snapshot.passages) == 6


@pytest.mark.skipif(not SHARED.is_dir(), reason="the published guides are not part of the project")
def test_published_guides_lose_no_cell_and_pool_none(tmp_path: Path) -> None:
    guides = sorted((SHARED / "sources" / "guides").iterdir())
    counts = [outcome(guide, tmp_path / guide.name) for guide in guides]
    every = total(counts)
    assert len(guides) == 9 and every.figures >= 6000
    assert every.other_percent <= OTHER_PERCENT_GOAL and every.pooled == 0
    # Commands are not counted for rows of other algorithms than the one that they name.
    assert every.notes >= 600 and every.commands >= 1650
