"""The top of a guide: which results stand there, their history and what became of them."""

from __future__ import annotations

import csv
import json
import re
from pathlib import Path
from typing import Any

import msgspec
import pytest
from making import ROOT, SHIPPED, described, loaded, plain, records, result, run_by_run

from perfguide.catalog import benchmarks
from perfguide.catalog.board_names import Boards, load
from perfguide.common import parallel, units
from perfguide.figures.dataset import Settings
from perfguide.pages.answers import Answer, Answers, Value, best_results, changes_text, doubts
from perfguide.pages.build import generate
from perfguide.pages.sentences import board_in_words
from perfguide.tables import page_tables, summaries

HEADLINES = (
    'name = "rate", unit = "MB/s", better = "higher", label = "Rate"',
    'name = "rate", unit = "MB/s", better = "higher", label = "Rate", headline = true, '
    'short = "Speed", aliases = ["speed"], at = { block_size = [4096, 512] } },\n'
    '{ name = "clock", unit = "MHz", better = "neither", clock = true',
)


def _folder(tmp_path: Path) -> Path:
    folder = tmp_path / "described"
    folder.mkdir()
    return folder


def _top(tmp_path: Path, *bundles: dict[str, Any], boards: str = "") -> Answers:
    """What stands at the top of the newest guide of some bundles."""
    folder, target = tmp_path / "results", tmp_path / "pages"
    folder.mkdir()
    for number, bundle in enumerate(bundles):
        folder.joinpath(f"{number}.json").write_bytes(msgspec.json.encode(bundle))
    described(_folder(tmp_path))
    path = tmp_path / "described" / "speed.toml"
    text = path.read_text("utf-8")
    assert HEADLINES[0] in text
    path.write_text(text.replace(*HEADLINES), "utf-8")
    (tmp_path / "boards.toml").write_text(boards, "utf-8")
    settings = Settings(
        (folder,), (path.parent,), target, formats=(), boards=tmp_path / "boards.toml"
    )
    generate(settings, run=parallel.here)
    return _answers(max(target.glob("guides/AM62X/linux/*/figures.js")))


def _answers(path: Path) -> Answers:
    """What the file of a guide says of the table at its top."""
    tables = page_tables.read_page_file(path.read_bytes()).tables
    return msgspec.convert(tables[f"{path.parent.name}/results.csv"].answers, Answers)


def _facts(page: Path) -> dict[str, str]:
    """The facts at the top of a guide, as its source says them."""
    listed = page.read_text("utf-8").partition(".. rst-class:: perf-facts\n")[2]
    block = listed.lstrip("\n").partition("\n\n")[0]
    return dict(re.findall(r"^:(\w+): (.*)$", block, re.MULTILINE))


def _run(release: str, value: float, **changes: Any) -> dict[str, Any]:
    params = {"block_size": changes.pop("block_size", 4096)}
    own = {"id": f"run-{release}-{changes.get('board__name', '')}", "sdk__version": release}
    return plain(result(value=value, params=params), **own, **changes)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (1644.4, "1,644"),
        (52.46, "52.46"),
        (175.0, "175"),
        (24.66338, "24.66"),
        (577710.0, "577,710"),
        (0.00123456, "0.001235"),
        (0.0, "0"),
        (-5.25, "−5.25"),
    ],
)
def test_a_brief_figure_has_four_digits_and_none_that_was_not_measured(
    value: float, text: str
) -> None:
    assert units.number(value) == text


def test_each_board_has_a_column_and_a_share_of_the_largest(tmp_path: Path) -> None:
    short = '[[boards]]\nsoc = "AM62X"\nname = "sk"\nshort = "Kit"\n'
    top = _top(tmp_path, _run("09.01", 50.0), _run("09.01", 100.0, board__name="lp"), boards=short)
    assert top.boards == (("lp", "lp"), ("Kit", "sk"))
    (row,) = top.rows
    assert [(v.number, v.share) for v in row.values if v] == [(100.0, 1.0), (50.0, 0.5)]
    assert [board_in_words(each) for each in ("Kit", "1 GHz")] == ["Kit", "the 1 GHz board"]


def test_what_was_measured_beside_a_load_is_no_headline(tmp_path: Path) -> None:
    beside = plain(
        result(value=900.0, params={"block_size": 4096, "background": "busy-loop"}), id="beside"
    )
    (row,) = _top(tmp_path, _run("09.01", 50.0), beside).rows
    assert [value and value.number for value in row.values] == [50.0]


def test_the_first_value_of_a_parameter_that_was_measured_counts(tmp_path: Path) -> None:
    catalog = described(_folder(tmp_path))
    metric = catalog.benchmarks["speed"].metric("rate")
    assert metric is not None
    wanted = msgspec.structs.replace(metric, at={"block_size": (4096, 512)})
    both = records(
        loaded(result(params={"block_size": 512}), result(params={"block_size": 4096})),
        described=catalog,
    )
    assert [r.params["block_size"] for r in summaries.at(wanted, both)] == [4096]
    small = [r for r in both if r.params["block_size"] == 512]
    assert summaries.at(wanted, small) == small
    nowhere = msgspec.structs.replace(metric, at={"block_size": 1})
    assert summaries.at(nowhere, both) == []


def test_noise_looks_small_in_a_history(tmp_path: Path) -> None:
    top = _top(tmp_path, _run("09.00", 100.0), _run("09.01", 101.0))
    (curve,) = top.rows[0].history[0]
    assert [x for x, _ in curve] == [0.0, 1.0]
    assert all(0.45 < y < 0.55 for _, y in curve), "one per cent is a twentieth of the height"
    assert top.span == "09.00 to 09.01" and top.before == "09.00"


def test_a_history_begins_anew_where_the_clock_changed(tmp_path: Path) -> None:
    runs = [
        _run("09.00", 100.0, board__cpu_mhz=1000),
        _run("09.01", 100.0, board__cpu_mhz=1000),
        _run("09.02", 140.0, board__cpu_mhz=1400),
    ]
    top = _top(tmp_path, *runs)
    pieces = top.rows[0].history[0]
    assert top.clocks == ("1.4 GHz",), "of this release"
    assert [len(piece) for piece in pieces] == [2, 1]


def test_a_history_goes_on_where_a_metric_was_renamed(tmp_path: Path) -> None:
    old = _run("09.00", 100.0)
    (figure,) = old["results"]
    renamed = plain(figure | {"metric": "speed"}, id="old", sdk__version="09.00")
    top = _top(tmp_path, renamed, _run("09.01", 110.0))
    assert [len(piece) for piece in top.rows[0].history[0]] == [2]


def test_a_board_that_was_not_measured_has_no_value_and_no_history(tmp_path: Path) -> None:
    other = plain(result("load", "%", value=3.0), id="other", board__name="lp")
    top = _top(tmp_path, _run("09.01", 100.0), other)
    (row,) = top.rows
    assert row.values[0] is None and row.history[0] == ()
    assert top.clocks == ("", ""), "no bundle says one"


def test_what_one_release_alone_measured_has_no_history(tmp_path: Path) -> None:
    older = plain(result("load", "%", value=3.0), id="older", sdk__version="09.00")
    top = _top(tmp_path, older, _run("09.01", 100.0))
    assert top.before == "09.00"
    (row,) = top.rows
    assert row.values[0] is not None and row.history == ((),)


@pytest.mark.parametrize(
    ("mhz", "followed", "cause"),
    [
        (1000, "", "Speed: rate, block size 4 KiB: 100 → 80 MB/s, "),
        (800, " with its clock, 1,000 → 800 MHz", "Clock 1,000 → 800 MHz (−20.0 %): "),
    ],
)
def test_the_verdict_is_that_of_the_comparison(
    tmp_path: Path, mhz: int, followed: str, cause: str
) -> None:
    old = [100.0, 100.1, 99.9, 100.05, 99.95, 100.0]

    def runs(release: str, factor: float) -> list[dict[str, Any]]:
        samples = [factor * value for value in old]
        own = result(samples=samples, params={"block_size": 4096})
        clock = result("clock", "MHz", value=1000 if factor == 1 else mhz)
        return run_by_run(plain(own, clock, id=release, sdk__version=release))

    top = _top(tmp_path, *runs("09.00", 1.0), *runs("09.01", 0.8))
    assert top.rows[0].judged == f"regressed −20.0 %{followed}"
    page = tmp_path / "pages/guides/AM62X/linux/09.01.rst"
    assert _facts(page)["Changed"] == (
        f"**Look at 1 event:** {cause}20.0 % worse. "  # nothing came or went
        ":doc:`Compare with 09.00 <../../../compare/AM62X/linux/09.00-vs-09.01>`"
    )


def test_what_changed_names_boards_as_the_table_does(tmp_path: Path) -> None:
    short = '[[boards]]\nsoc = "AM62X"\nname = "sk"\nshort = "Kit"\n'
    runs = [_run(release, 100.0, board__name="lp") for release in ("09.00", "09.01")]
    _top(tmp_path, *runs, _run("09.00", 100.0), _run("09.01", 10.0), boards=short)
    (page,) = tmp_path.glob("pages/guides/AM62X/linux/09.01.rst")
    assert "Speed: 100 → 10 MB/s, 10 times worse, on Kit (not proved)." in _facts(page)["Changed"]


def test_the_first_release_has_nothing_to_be_compared_with(tmp_path: Path) -> None:
    top = _top(tmp_path, _run("09.01", 100.0))
    assert top.before == "" and top.rows[0].judged == "" and top.rows[0].history == ((),)


def test_words_of_an_upload_stay_text_in_the_csv(tmp_path: Path) -> None:
    _top(tmp_path, _run("09.01", 100.0, board__name="=1+1"))
    (path,) = tmp_path.glob("pages/guides/AM62X/linux/*/results.data.csv")
    head, row = csv.reader(path.read_text("utf-8").splitlines())
    assert head[3] == "'=1+1" and row[3] == "100"


def test_a_short_name_holds_for_older_names_too(tmp_path: Path) -> None:
    path = tmp_path / "boards.toml"
    path.write_text('[[boards]]\nsoc = "S"\nname = "new"\naliases = ["old"]\nshort = "N"\n')
    boards, faults = load(path)
    assert faults == [] and boards.short("S", "old") == boards.short("S", "new") == "N"
    assert Boards().short("S", "old") == "old"


def test_the_guide_of_the_project_answers_what_it_is_asked_first(tmp_path: Path) -> None:
    target = tmp_path / "pages"
    boards = ROOT / "source" / "boards.toml"
    generate(
        Settings((ROOT / "results/AM62X",), (SHIPPED,), target, formats=(), boards=boards),
        run=parallel.here,
    )
    top = _answers(target / "guides/AM62X/linux/09.01.00.08/figures.js")

    def row(label: str) -> Answer:
        return next(each for each in top.rows if each.label == label)

    aes = row("AES-128-CBC, 1 KiB").values[2]
    assert aes is not None and aes.number == pytest.approx(24.66338)
    assert row("AES-128-CBC, 1 KiB").unit == "MB/s"
    frames = [value.text for value in row("3D graphics").values if value is not None]
    assert {"238", "217"} <= {*frames}
    tcp = [each for each in row("TCP, both ways").values if each is not None]
    bundle = json.loads(
        (ROOT / "results/AM62X/linux/09.01.00.08/am62xxsip_sk-fs.json").read_bytes()
    )
    rate, load = (
        next(
            each["value"]
            for each in bundle["results"]
            if (each["benchmark"], each["metric"]) == ("ethernet-tcp", metric)
        )
        for metric in ("throughput", "cpu_load")
    )
    assert (tcp[-1].number, tcp[-1].load) == (rate, load)
    writes = [value and value.number for value in row("eMMC write, 4 MiB").values]
    assert writes == [57.6, None, 96.8]
    assert row("eMMC write, 4 MiB").judged == "new"
    facts = _facts(target / "guides/AM62X/linux/09.01.00.08.rst")
    assert [*facts] == ["Crypto", "Changed", "Careful"]
    assert facts["Crypto"] == (
        ":ref:`AES-128-CBC, 1 KiB: 24.66 MB/s at 37 % of one core over all sizes "
        "<am62x/linux/09.01.00.08/openssl-throughput>` "
        "(SK SiP; engine not recorded, likely the accelerator); "
        ":ref:`IPsec, AES-128: 281.2 Mbit/s at 47.24 % of all cores "
        "<am62x/linux/09.01.00.08/ipsec-algorithms>` "
        "(SK SiP, the fastest of 3 boards; engine not recorded)."
    )
    assert facts["Changed"].startswith(
        "**Look at 1 event:** UDP throughput: "
        "ingress, frame size 128 bytes: 40.87 → 5.84 Mbit/s, 7 times worse (not proved). 48 figures are no longer measured, 101 are new. "
        ":doc:`Compare with"
    )
    assert top.clocks == ("1.25 GHz", "1.4 GHz", "1.4 GHz")
    badge = re.match(r"\d+ findings, \*\*(\d+ of wrong figures)\*\*: ", facts["Careful"])
    assert badge and facts["Careful"].count(" wrong") == 1  # and the finding names
    assert facts["Careful"].endswith(" of reports/health>`") or "of health>`" in facts["Careful"]


def test_an_impossible_figure_is_shown_with_its_fault_and_leads_nothing(tmp_path: Path) -> None:
    wrong = plain(result(value=-50.0, params={"block_size": 4096}), id="wrong", board__name="lp")
    sound = [_run("09.01", 50.0), _run("09.01", 40.0, board__name="z")]
    top = _top(tmp_path, wrong, *sound)
    (row,) = top.rows
    lp, sk, z = row.values
    assert lp and lp.text == "−50" and lp.share is None and "zero or negative" in lp.doubt
    assert sk and z and (sk.share, z.share) == (1.0, 0.8) and not sk.doubt
    (doubt,) = doubts(top, "speed")
    assert doubt.startswith("Speed, block size 4 KiB: −50 MB/s on lp is in doubt (zero or negative")


@pytest.mark.parametrize(
    ("noisy", "words"),
    [
        ([(-0.004, 0.02)], "−0.4 %, usually ±2 %"),
        ([(0.012, 0.05), (-0.004, 0.02)], "−0.4 to +1.2 %, usually ±5 %"),
        ([(-0.4, 0.02), (4.5, 3.0)], "−40.0 % to ×5.5, usually up to ×4"),
        ([(-0.3, None)], "−30.0 %, not proved"),
        ([(0.14, None), (0.053, 1.6)], "+5.3 to +14.0 %, not proved"),
        ([(4.5, 3.0)], "×5.5, usually up to ×4"),
    ],
)
def test_a_change_that_is_too_noisy_is_said_with_its_usual_scatter(
    noisy: list[tuple[float, float | None]], words: str
) -> None:
    assert changes_text(noisy) == words


def test_of_boards_with_equal_figures_the_one_with_steadier_runs_is_the_best() -> None:
    values = [Value("18.15", "", "", 18.15, runs=runs) for runs in ((17.32, 36.26), None)]
    boards = (("SK", "sk"), ("SK SiP", "sip"))
    row = Answer("boot-time", "Boot", "", "s", "lower", tuple(values), ((), ()), "")
    top = Answers((), boards, "", "", (row,))
    (best,) = best_results(top, benchmarks.load([SHIPPED])[0])
    assert (best.board, best.runs) == ("SK SiP", None)
