"""Rankings of SoCs on the pages of benchmarks, and which figures have one."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest
from conftest import sound_bundle
from making import SHIPPED

from perfguide.common import parallel
from perfguide.figures.dataset import Settings
from perfguide.pages.build import generate
from perfguide.pages.ranking import MAX_ALTERNATIVES, RankedFigures, RankedRow, lead, with_axis

Bundle = Callable[..., Path]

RATES = {"SLOW": 10_000.0, "FAST": 40_000.0, "MIDDLE": 11_000.0}
"""OpenSSL's throughput with blocks of 1 KiB in kB/s."""
LOADS = {"SLOW": 99.0, "FAST": 40.0, "MIDDLE": 98.0}
NICE_LEVELS = range(-20, 20)


def results(soc: str) -> list[dict[str, Any]]:
    """A SoC's figures: of two block sizes, and of more nice levels than have rankings."""
    cipher = {"algorithm": "aes-128-cbc", "engine": "hw" if soc == "FAST" else "sw"}
    rate = {"benchmark": "openssl", "metric": "throughput", "unit": "kB/s"}
    sizes = [
        {**rate, "value": RATES[soc] * size / 1024, "params": {**cipher, "block_size": size}}
        for size in (16, 1024)
    ]
    sweep = [
        {**rate, "value": 5000.0, "params": {**cipher, "block_size": 1024, "nice": level}}
        for level in NICE_LEVELS
        if level
    ]
    load = {"benchmark": "openssl", "metric": "cpu_load", "unit": "%", "params": cipher}
    if soc == "SLOW":
        both = {"threads": 2, "block_size": 16, "background": "busy-loop"}
        sweep.append({**rate, "value": 1.0, "params": {**cipher, **both}})
    return [*sizes, *sweep, {**load, "value": LOADS[soc]}]


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The pages of these figures: look, and touch nothing."""
    top = tmp_path_factory.mktemp("rankings")
    alone = [{"benchmark": "emmc", "metric": "x", "unit": "MB/s", "value": 1.0}]
    bundles = {"alone": sound_bundle(alone, id="alone", board__soc="SLOW")}
    for soc in RATES:
        of_soc = {"id": soc, "board__soc": soc, "board__name": f"{soc.lower()}-evm"}
        bundles[soc] = sound_bundle(results(soc), **of_soc)
    busy = {"algorithm": "aes-128-cbc", "engine": "sw", "block_size": 1024, "nice": 5}
    rate = {
        "benchmark": "openssl",
        "metric": "throughput",
        "unit": "kB/s",
        "value": 1e9,
        "params": busy,
    }
    # On the CPU too, and 2.5 and 4 times as fast.
    own = [
        {**rate, "value": value, "params": {**busy, "engine": engine, "nice": nice}}
        for nice, engine, value in ((5, "arm-ce", 4e9), (6, "sw", 2e9), (6, "arm-ce", 5e9))
    ]
    bundles["LOADED"] = sound_bundle([rate, *own], id="LOADED", board__soc="LOADED")
    (top / "results").mkdir()
    for name, bundle in bundles.items():
        (top / f"results/{name}.json").write_text(json.dumps(bundle), "utf-8")
    generate(
        Settings((top / "results",), (SHIPPED,), top / "out", formats=("svg",)),
        run=parallel.here,
    )
    return top / "out/by-benchmark"


def test_the_csv_of_rates_ends_with_the_load_of_their_run(pages: Path) -> None:
    (path,) = pages.parent.glob("guides/FAST/linux/09.02/openssl-throughput.data.csv")
    with path.open() as file:
        head, *rows = csv.reader(file)
    assert head[-1].endswith("(kB/s), CPU load of one core over all sizes (%)")
    assert rows and {float(row[-1]) for row in rows} == {LOADS["FAST"]}


def test_a_page_says_of_what_who_leads_and_ranks_each_soc_with_its_load(pages: Path) -> None:
    text = (pages / "openssl.rst").read_text("utf-8")
    assert (
        "AES-128-CBC, 1 KiB: With the accelerator: only FAST, with 40 MB/s at 40 % of one core over all sizes (accelerator) in Linux "
        "09.02. On the CPU (by record or load): MIDDLE leads with 11 MB/s at 98 % of one core over all sizes (software) in Linux 09.02."
        in text
    )
    with (pages / "openssl/boards.data.csv").open() as file:
        rows = list(csv.reader(file))
    ranked = [(row[0], row[3], float(row[4]), float(row[-2]), row[-1]) for row in rows[1:]]
    assert rows[0][-1] == "Side"
    assert ranked == [
        ("FAST", "accelerator", 40, LOADS["FAST"], "With the accelerator"),
        ("MIDDLE", "software", 11, LOADS["MIDDLE"], "On the CPU (by record or load)"),
        ("SLOW", "software", 10, LOADS["SLOW"], "On the CPU (by record or load)"),
    ]
    so = "while other work ran, and so not ranked: :doc:`LOADED <openssl/LOADED>`."
    assert so in text
    gain = "The Arm Crypto Extension, a part of the CPU, does 2.5 to 4.0 times as much as software there"
    loaded = "Measured only while other work ran: :doc:`LOADED <openssl/LOADED>`"
    assert f"{loaded}. {gain} (AES-128-CBC, 2 pairs of runs).\n" in text
    assert "Ranked by the newest valid figures of each side.\n" in text
    assert ":name: openssl/boards\n" in text
    assert "\nVaried on SLOW only: background and threads.\n" in text, "nice levels are of all"


def test_a_figure_without_the_unit_of_others_is_not_ranked(
    tmp_path: Path, write_bundle: Bundle
) -> None:
    for soc, unit in (("A", "MB/s"), ("B", "MB/s"), ("C", "1"), ("D", "1")):
        value = 1000.0 + ord(soc)
        results = [
            {"benchmark": "stream", "metric": "copy", "unit": unit, "value": value},
            {"benchmark": "gfxbench", "metric": "Fps", "unit": "1", "value": value},
            {"benchmark": "gfxbench", "metric": "Score", "unit": "1", "value": value},
            {"benchmark": "display", "metric": "Fps", "unit": "1", "value": 60.0 + value / 1e4},
        ]
        write_bundle(tmp_path / f"results/{soc}.json", results, id=soc, board__soc=soc)
    generate(Settings((tmp_path / "results",), (SHIPPED,), tmp_path / "out"), run=parallel.here)
    folder = tmp_path / "out/by-benchmark"
    page = (folder / "stream.rst").read_text("utf-8")
    assert "B is first with 1,066 MB/s in Linux 09.02; A is within 5 % of it." in page
    assert "Not measured in this form on C, D." in page
    assert "Ranked by the newest valid figures.\n" in page
    assert page.count(":name: stream/boards\n") == 1 and "perf-headline" not in page
    assert not [*(folder / "stream").glob("rank-*")]
    # A unit that no figure has is not known, but they can be ranked.
    of_frames = (folder / "gfxbench.rst").read_text("utf-8")
    assert (
        "D is first with a score of 1,068 in Linux 09.02; all 3 others are within 5 % of it."
        in of_frames
    )
    of_modes = (folder / "display.rst").read_text("utf-8")
    assert (
        "Not ranked: frame rate, which the setting fixes." in of_modes and "first" not in of_modes
    )
    assert "not ranked: the setting fixes the figure" in (folder / "index.rst").read_text("utf-8")
    (other,) = (folder / "gfxbench").glob("rank-*.rst")
    assert (
        "D is first with 1,068 (unit not stated) in Linux 09.02; all 3 others"
        in other.read_text("utf-8")
    )


def test_other_values_have_pages_of_their_own_where_they_are_few(pages: Path) -> None:
    text = (pages / "openssl.rst").read_text("utf-8")
    (other,) = (pages / "openssl").glob("rank-*.rst")
    assert len(NICE_LEVELS) > MAX_ALTERNATIVES, "levels have no pages"
    assert f":Block size: :doc:`16 bytes <openssl/{other.stem}>` · **1 KiB**" in text
    inner = other.read_text("utf-8")
    assert "**16 bytes** · :doc:`1 KiB <../openssl>`" in inner
    assert "only FAST, with 625 kB/s" in inner


def test_a_benchmark_of_one_soc_has_no_ranking(pages: Path) -> None:
    text = (pages / "emmc.rst").read_text("utf-8")
    assert "leads with" not in text and "perf-ranking" not in text


def test_the_list_of_benchmarks_says_who_leads_where_there_is_a_ranking(pages: Path) -> None:
    lines = (pages / "index.rst").read_text("utf-8").splitlines()
    cells = [line[6:].strip() for line in lines if line[5:6] == "-"]
    rows = [tuple(cells[at : at + 6]) for at in range(6, len(cells), 6)]
    newest = "2024-04-02"
    assert rows == [
        (
            "Storage",
            ":doc:`eMMC <emmc>`",
            ":perf-small:`SLOW only`",
            "",
            "1",
            newest,
        ),
        (
            *("Crypto", ":doc:`OpenSSL <openssl>` :perf-small:`AES-128-CBC, 1 KiB`"),
            *(
                "FAST",
                "40 MB/s at 40 % of one core over all sizes (accelerator) :perf-small:`Linux 09.02`",
                "4",
                newest,
            ),
        ),
    ]


LATENCIES = {
    ("ONE", "a"): (40.0, 90.0),
    ("TWO", "b"): (50.0, 60.0),
    ("TWO", "c"): (20.0, 70.0),
    ("SIX", "d"): (10.0, 20.0, 11.0, 12.0, 30.0, 9.0),
}
"""The longest latency of each core by SoC and board, in µs."""


def test_boards_are_ranked_by_their_worst_core_and_no_table_lacks_it(
    tmp_path: Path, write_bundle: Bundle
) -> None:
    for (soc, board), latencies in LATENCIES.items():
        own = [
            {"benchmark": "cyclictest", "metric": "latency_max", "unit": "us", "value": value}
            | {"params": {"core": core}}
            for core, value in enumerate(latencies)
        ]
        names = {"id": board, "board__soc": soc, "board__name": board}
        write_bundle(tmp_path / f"results/{board}.json", own, **names)
    out = tmp_path / "out"
    generate(Settings((tmp_path / "results",), (SHIPPED,), out), run=parallel.here)
    text = (out / "by-benchmark/cyclictest.rst").read_text("utf-8")
    assert "\nWorst latency, worst core: SIX leads with 30 µs in Linux 09.02.\n" in text
    assert ":Core: **worst** · :doc:`0 <cyclictest/" in text
    with (out / "by-benchmark/cyclictest/ranking.data.csv").open() as file:
        rows = [(row[0], row[1], row[3], float(row[4])) for row in list(csv.reader(file))[1:]]
    worst = {key: (max(own), own.index(max(own))) for key, own in LATENCIES.items()}
    best = {soc: min((worst[s, b], b) for s, b in LATENCIES if s == soc) for soc, _ in LATENCIES}
    assert rows == sorted(
        [(soc, board, f"core {core}", value) for soc, ((value, core), board) in best.items()],
        key=lambda row: row[3],
    )
    overview = msgspec.json.decode((out / "guides/overview.json").read_bytes())
    listed = {each["soc"]: each["results"][0]["number"] for each in overview["socs"]}
    assert listed == {soc: value for soc, ((value, _), _) in best.items()}
    (top,) = out.glob("guides/SIX/linux/*/results.csv")
    with top.open() as file:
        of_cores = [float(row[1]) for row in list(csv.reader(file))[1:]]
    assert of_cores == [20, 12, 30], "the three worst of the six, in their order"


IPSEC = {
    "BROKEN": [(187.0,), (183.0,), (0.5,), (0.45,), (0.4,)],
    "DOUBTED": [(600.0,), (556.0,), (0.2, 693.0)],
    "GONE": [(90.0,), (95.0,)],
    "FAILED": [(300.0,), ()],
    "SOUND": [(70.0,), (71.0,), (72.0,), (73.0,)],
    "SPREAD": [(292.0, 693.0)],
}
"""The samples of IPsec in Mbit/s of each SoC by release; none where the run failed."""


AES = {
    "DOUBTED": [(45.0, 98.0), (20.0, 38.0), (26.0, 38.0)],
    "GONE": [(45.0, 98.0), (44.0, 97.0)],
    "SOUND": [(251.0, 98.0), (231.9, 98.0), (24.7, 37.0), (24.5, 38.0)],
}
"""The rate of AES in MB/s and the CPU load of each SoC by release: the CPU is busy, or waits for an accelerator."""


def aes(rate: float, load: float) -> list[dict[str, Any]]:
    own = {"benchmark": "openssl", "params": {"algorithm": "aes-128-cbc"}}
    size = {"params": {"algorithm": "aes-128-cbc", "block_size": 1024}}
    return [
        own | size | {"metric": "throughput", "unit": "MB/s", "value": rate},
        own | {"metric": "cpu_load", "unit": "%", "value": load},
    ]


def test_the_front_page_and_a_ranking_take_one_figure_of_each_soc(
    tmp_path: Path, write_bundle: Bundle
) -> None:
    for soc, releases in IPSEC.items():
        for number, samples in enumerate(releases):
            own: dict[str, Any] = {"benchmark": "ipsec", "metric": "throughput", "unit": "Mbit/s"}
            own |= {"samples": list(samples)} if samples else {"status": "fail"}
            names = {"id": f"{soc}-{number}", "board__soc": soc, "board__name": soc.lower()}
            release = {"sdk__version": f"{number + 8}.00"}
            release |= {"created": f"{number + 2020}-01-01T00:00:00Z"}
            own |= {"params": {"algorithm": "aes128"}}
            udp = {"direction": "egress", "driver": "cpsw", "frame_size": 64}
            packets = {"benchmark": "ethernet-udp", "metric": "throughput", "unit": "Mbit/s"}
            packets |= {"params": udp, "value": 40.0 + number**2}
            tcp = [
                packets | {"benchmark": "ethernet-tcp", "params": {"driver": each}, "value": rate}
                for each, rate in (("cpsw", 900.0), ("icssg", 999.0))
                if each == "cpsw" or soc == "SPREAD"
            ]
            every = [own, packets, *tcp, *(aes(*AES[soc][number]) if soc in AES else ())]
            write_bundle(tmp_path / f"results/{soc}-{number}.json", every, **names, **release)
    out = tmp_path / "out"
    generate(Settings((tmp_path / "results",), (SHIPPED,), out), run=parallel.here)
    overview = msgspec.json.decode((out / "guides/overview.json").read_bytes())
    front, front_aes = (
        {
            soc["soc"]: each
            for soc in overview["socs"]
            for each in soc["results"]
            if each["benchmark"] == name
        }
        for name in ("ipsec", "openssl")
    )
    # The lists compare what most SoCs have, and say that no interrupts were paced.
    listed = (out / "guides/index.rst").read_text("utf-8")
    assert listed.count("TCP, both ways **900** Mbit/s") == len(IPSEC) and "999" not in listed
    (results,) = out.glob("guides/SPREAD/linux/*/results.csv")
    assert "CPSW Ethernet controller, interrupt pacing off" in results.read_text("utf-8")
    with (out / "by-benchmark/ipsec/boards.data.csv").open() as file:
        ranked = {row[0]: (float(row[4]), row[2]) for row in list(csv.reader(file))[1:]}
    # The newest release that is not in doubt counts, however old.
    assert ranked == {
        "BROKEN": (183.0, "Linux 9.00"),
        "DOUBTED": (556.0, "Linux 9.00"),
        "GONE": (95.0, "Linux 9.00"),
        "SOUND": (73.0, "Linux 11.00"),
        "SPREAD": (492.5, "Linux 8.00"),
    }
    sound = {soc: each for soc, each in front.items() if each["number"] and not each["doubt"]}
    assert ranked == {
        soc: (each["number"], f"Linux {each['release']}") for soc, each in sound.items()
    }
    assert front["FAILED"]["number"] is None
    assert {soc: each["runs"] for soc, each in front.items() if each["runs"]} == {
        "SPREAD": [292.0, 693.0]
    }
    text = (out / "by-benchmark/ipsec.rst").read_text("utf-8")
    assert "where 8.00 had 187, as little as that since 10.00\n" in text
    assert "- DOUBTED doubted, Linux 10.00: 346.6 Mbit/s: a failed run counted in the mean" in text
    assert "Failed: FAILED." in text
    assert (
        "best of any release is 600 Mbit/s (engine not recorded) on DOUBTED in Linux 8.00." in text
    )
    # The others have too few figures that are not in doubt.
    steps = dict(re.findall(r"^ +(\w+), Linux\. Largest step, (.*)$", text, re.M))
    sound = [value for (value,) in IPSEC["SOUND"]]
    at = max(range(1, len(sound)), key=lambda at: sound[at] / sound[at - 1])
    assert steps == {
        "SOUND": f"{at + 7}.00 → {at + 8}.00: {sound[at - 1]:g} → {sound[at]:g} Mbit/s"
    }
    # A benchmark without a headline has the history of its first figure.
    udp_text = (out / "by-benchmark/ethernet-udp.rst").read_text("utf-8")
    assert "SOUND, Linux. Largest step, 10.00 → 11.00: 44 → 49 Mbit/s\n" in udp_text
    assert "GONE, Linux" not in udp_text.partition("How it moved")[2].partition("Newest figures")[0]
    # An old figure of the CPU must not be missing where others are ranked by it.
    with (out / "by-benchmark/openssl/boards.data.csv").open() as file:
        of_both = [(row[0], float(row[4]), row[2]) for row in list(csv.reader(file))[1:]]
    assert of_both == [
        *(
            ("SOUND", 231.9, "Linux 9.00"),
            ("DOUBTED", 45, "Linux 8.00"),
            ("GONE", 44, "Linux 9.00"),
        ),
        *(("DOUBTED", 26, "Linux 10.00"), ("SOUND", 24.5, "Linux 11.00")),
    ]
    assert {*of_both} >= {
        (soc, each["number"], f"Linux {each['release']}") for soc, each in front_aes.items()
    }
    assert {soc: each["before"] for soc, each in front_aes.items()} == {
        soc: f"{number + 8}.00: {rate:g} MB/s at {load:g} % of one core over all sizes"
        if number + 1 < len(rates)
        else ""
        for soc, rates in AES.items()
        # The last with a busy CPU.
        for number, (rate, load) in [
            [*enumerate(rates)][max(n for n, r in enumerate(rates) if r[1] > 85)]
        ]
    }
    text = (out / "by-benchmark/openssl.rst").read_text("utf-8")
    assert (
        "On the CPU (by record or load): SOUND leads with 231.9 MB/s at 98 % of one core over all sizes (engine not recorded) in Linux 9.00;"
        in text
    )
    assert (
        "With the accelerator: DOUBTED leads with 26 MB/s at 38 % of one core over all sizes ("
        in text
    )
    assert (
        "The best of any release is 251 MB/s at 98 % of one core over all sizes (engine not recorded) on SOUND"
        in text
    )
    extra = (out / "by-benchmark/openssl/figures.js").read_text("utf-8")
    # The largest steps, each between two releases, with a busy CPU in one of them only.
    steps = dict(re.findall(r"^ +(\w+), Linux\. Largest step, (.*)$", text, re.M))
    assert steps == {
        "SOUND": "9.00 → 10.00: 231.9 → 24.7 MB/s, as the engine changed",
        "DOUBTED": "8.00 → 9.00: 45 → 20 MB/s, as the engine changed",
    }
    # The newest release was measured in 2023.
    assert re.findall(r'"soc":"(\w+)".*?"year":"(\d*)"', extra) == [
        *(("SOUND", "2021"), ("DOUBTED", "2020"), ("GONE", "2021")),
        *(("DOUBTED", ""), ("SOUND", "")),
    ]


def said(unit: str, *rows: tuple[str, float], **more: Any) -> str:
    """The sentence about a ranking of SoCs."""
    own = [RankedRow(soc, "", "", "", "", n, None, None, "", None, []) for soc, n in rows]
    own[0] = msgspec.structs.replace(own[0], **more)
    ranking = with_axis("x", unit, "higher", own)
    return lead(RankedFigures("x", "", "rate", {}, False, ranking, [], [], []))


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        ((100, 90, 82), "A leads with 100 MB/s; the next 2 are close together (82 to 90)."),
        ((100, 90, 85, 82), "A leads with 100 MB/s; the next 3 are close together (82 to 90)."),
        ((106, 100, 80), "A leads with 106 MB/s."),
        ((104, 100, 80), "A is first with 104 MB/s; B is within 5 % of it."),
        ((100, 100, 80), "A and B lead with 100 MB/s."),
        ((100, 100, 100), "A, B and C lead with 100 MB/s."),
        ((104, 100, 103), "A is first with 104 MB/s; 2 of the other 3 SoCs are within 5 % of it."),
        ((100, 100, 97), "A and B are first with 100 MB/s; C is within 5 % of it."),
    ],
)
def test_the_first_leads_unless_others_are_near_or_equal(rows: tuple[int, ...], words: str) -> None:
    of_socs = [*zip("ABCD", map(float, rows), strict=False), ("E", 10.0)]
    assert said("MB/s", *of_socs) == words


def test_runs_that_differ_by_half_make_a_rank_uncertain_and_a_score_is_named() -> None:
    two = ("A", 4371.0), ("B", 100.0)
    assert said("score", *two, low=4000.0, high=5999.0) == "A leads with a score of 4,371."
    assert said("score", *two, low=4000.0, high=6000.0) == (
        "A leads with a score of 4,371. Its runs differ, from 4,000 to 6,000, so its rank is not certain."
    )


@pytest.mark.parametrize(
    ("figures", "is_log", "end"), [((90, 128), False, 150), ((10, 801), True, 1000)]
)
def test_an_axis_ends_at_the_next_round_figure(
    figures: tuple[float, ...], is_log: bool, end: float
) -> None:
    rows = [RankedRow("S", "", "", "", "", n, None, None, "", None, []) for n in figures]
    ranking = with_axis("x", "MB/s", "higher", rows)
    assert (ranking.is_log, ranking.end) == (is_log, end)
    assert all(0 <= ranking.position(n) <= 1 for n in figures)
