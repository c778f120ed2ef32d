"""The front page: SoCs by the headline results of their newest guides."""

from __future__ import annotations

import dataclasses
import sys

import pytest
from msgspec import structs

from perfguide.common import units
from perfguide.pages.answers import Answers
from perfguide.pages.lists import ResultOfGuide, SocOverview
from perfguide.sphinxext import overview, screen_nodes
from perfguide.sphinxext.answers import perf_answers, plain_figure
from perfguide.sphinxext.overview import Column


def result(
    label: str, unit: str, number: float | None, better: units.Better = "higher", doubt: str = ""
) -> ResultOfGuide:
    text = units.FAILED if number is None else units.number(number)
    named = (f"about-{label}", label, "", unit, better, "board", text, "row", number, doubt, 1)
    return ResultOfGuide(*named, guide="newest", release="2")


def soc(name: str, *results: ResultOfGuide) -> SocOverview:
    return SocOverview(name, name, "newest", "Linux", "2", ["board"], 1, "2026-05-06", [*results])


def cells(name: str, unit: str, *results: ResultOfGuide) -> list[overview.Best | None]:
    """The cells of a column, a SoC for each result."""
    socs = [soc(str(number), each) for number, each in enumerate(results)]
    column = Column(f"about-{name}", name, unit, results[0].better)
    return [own[0] for _, own in overview.lines(socs, [column])]


def test_results_of_the_most_socs_are_in_the_order_of_guides() -> None:
    labels = [f"r{number}" for number in range(overview.MAX_COLUMNS + 3)]
    every = soc("A", *(result(label, "s", 1.0) for label in labels))
    some = soc("B", *(result(label, "s", 1.0) for label in labels[-3:]))
    listed = [column.label for column in overview.columns([every, some])]
    assert listed == [*labels[: overview.MAX_COLUMNS - 3], *labels[-3:]]


def test_figures_have_the_unit_of_the_column_and_bars_where_more_is_better() -> None:
    first, second, other = cells(
        "copy", "MB/s", *(result("copy", unit, 8.0) for unit in ("MB/s", "GB/s", "s"))
    )
    assert first and (first.number, first.share) == (8.0, 0.001)
    assert second and (second.number, second.share) == (8000.0, 1.0)
    assert other is None, "of another kind of unit it is another result"
    apart = structs.replace(result("copy", "GB/s", 2.0), runs=(1.0, 3.0))
    (ends, base) = cells("copy", "MB/s", apart, result("copy", "MB/s", 4.0))
    assert ends and base and (ends.runs, base.runs) == ("1,000–3,000", "")
    (boot,) = cells("boot", "s", result("boot", "s", 2.0, "lower"))
    assert boot and boot.share is None
    (failed,) = cells("copy", "MB/s", result("copy", "MB/s", None))
    assert failed and failed.number is None and failed.result.text == units.FAILED


def test_a_figure_that_the_newest_guide_lacks_names_its_release() -> None:
    older = structs.replace(result("copy", "MB/s", 4.0), guide="older", release="1")
    (cell,) = cells("copy", "MB/s", older)
    assert cell and cell.older == "1"
    (cell,) = cells("copy", "MB/s", result("copy", "MB/s", 4.0))
    assert cell and cell.older == ""


def test_columns_are_those_with_a_rank_and_those_on_engines_are_last() -> None:
    plain = [result(f"r{number}", "MB/s", 1.0) for number in range(overview.MAX_COLUMNS)]
    best = [structs.replace(each, rank=sys.maxsize) for each in plain]
    boot = result("boot", "s", 1.0, "lower")
    crypto = structs.replace(
        result("AES, 1 KiB", "MB/s", 1.0), rank=2, engine="software", load=99.5
    )
    columns = overview.columns([soc("A", crypto, boot, *best), soc("B", *best)])
    rest = [each.label for each in best[: overview.MAX_COLUMNS - 2]]
    assert [each.label for each in columns] == [*rest, "boot", "AES, 1 KiB"]
    aes = columns[-1]
    assert (aes.has_load, aes.name, aes.detail) == (True, "AES", "1 KiB, MB/s")
    assert not any(each.has_load for each in columns[:-1])
    (_, cells), _ = overview.lines([soc("A", crypto, boot), soc("B")], columns[-2:])
    assert [cell and (cell.load, cell.share) for cell in cells] == [("", None), ("100", None)]


def test_a_note_says_which_engines_and_parameters_a_column_has() -> None:
    crypto = result("AES", "MB/s", 4.0)
    runs = (
        ("1 KiB", "software", 97.3),
        ("1 KiB, software", "software", 99.9),
        ("1 KiB", "likely the accelerator", 38.0),
        ("", "", None),
    )
    named = [
        structs.replace(crypto, detail=detail, engine=engine, load=load)
        for detail, engine, load in runs
    ]
    failed = result("AES", "MB/s", None)
    socs = [soc(str(number), each) for number, each in enumerate([*named, failed])]
    columns = [Column("about-AES", "AES", "MB/s", "higher", has_load=True)]
    for own, note in (
        ((0, 1, 4), []),
        (
            (0, 1, 2),
            ["AES: software on 0 and 1; likely the accelerator on 2."],
        ),
        ((0, 3), ["AES: software on 0; engine not stated on 3."]),
        ((3, 4), []),
    ):
        assert (
            overview.run_notes(columns, overview.lines([socs[each] for each in own], columns))
            == note
        )
    many = [soc(f"S{number}", named[0]) for number in range(overview.MAX_NAMED_SOCS + 1)]
    (note,) = overview.run_notes(columns, overview.lines([*many, socs[2]], columns))
    assert note == f"AES: software on {len(many)} SoCs; likely the accelerator on 2."


def test_a_column_compares_figures_under_the_condition_that_most_socs_have() -> None:
    tcp = result("TCP, both ways", "Mbit/s", 1052.0)
    cpsw, icssg = (structs.replace(tcp, condition=each) for each in ("CPSW", "ICSSG"))
    faster = structs.replace(icssg, number=1073.0)
    socs = [soc("A", faster, cpsw), soc("B", cpsw), soc("C", faster), soc("D", cpsw)]
    (column,) = columns = overview.columns(socs)
    assert (column.condition, column.detail) == ("CPSW", "both ways, CPSW, Mbit/s")
    lines = overview.lines(socs, columns)
    assert [own[0] and own[0].number for _, own in lines] == [1052.0, 1052.0, 1073.0, 1052.0]
    assert overview.run_notes(columns, lines) == ["TCP: ICSSG on C."]
    assert overview.run_notes(columns, lines[3:]) == []
    long = "CPSW Ethernet controller, interrupt pacing off"
    column = dataclasses.replace(column, condition=long)
    same = [soc("A", structs.replace(tcp, condition=long))]
    assert column.detail == "both ways, Mbit/s"
    assert overview.run_notes([column], overview.lines(same, [column])) == [f"TCP: {long}."]


def test_a_cell_describes_what_the_matrix_has_no_room_for() -> None:
    older = structs.replace(
        result("AES", "MB/s", 4.0),
        guide="older",
        release="1",
        engine="software",
        load=96.31,
        load_of="of one core",
    )
    (cell,) = cells("AES", "MB/s", older)
    assert cell and cell.described == "board, 1, software, at 96.31 % of one core"
    (cell,) = cells("AES", "MB/s", structs.replace(older, before="0: 2 MB/s at 38 % CPU"))
    assert (
        cell
        and cell.described == "board, 1, software, at 96.31 % of one core; 0: 2 MB/s at 38 % CPU"
    )


def test_socs_without_a_headline_result_are_in_a_line_of_their_own() -> None:
    timed, plain = soc("A", result("copy", "MB/s", 4.0)), soc("B")
    columns = overview.columns([timed, plain])
    rows, others = overview.divided(overview.lines([plain, timed], columns))
    assert [row[0] for row in rows] == [timed] and others == [plain]
    # Without any headline the matrix is the list of all SoCs.
    rows, others = overview.divided(overview.lines([plain], []))
    assert [row[0] for row in rows] == [plain] and others == []


def test_a_figure_in_doubt_scales_no_bar() -> None:
    numbers = ((2.0, ""), (3.0, ""), (344.9, "more than is possible"))
    own = cells(
        "d", "DMIPS/MHz", *(result("d", "DMIPS/MHz", n, doubt=doubt) for n, doubt in numbers)
    )
    assert [cell and cell.share for cell in own] == [pytest.approx(2 / 3), 1.0, None]


@pytest.mark.parametrize(
    ("rates", "full"),
    [
        ((900.0, 70.0, 35.0), 70.0),
        ((898.0, 801.0, 71.0, 45.0), 71.0),
        ((900.0, 70.0), 900.0),
        ((90.0, 70.0, 35.0), 90.0),
    ],
)
def test_bars_that_would_flatten_all_others_are_cut_off(
    rates: tuple[float, ...], full: float
) -> None:
    own = cells("aes", "MB/s", *(result("aes", "MB/s", rate) for rate in rates))
    shares = [cell and cell.share for cell in own]
    assert shares == [pytest.approx(rate / full) for rate in rates]
    bar = screen_nodes.templates().get_template("parts.html.jinja").module.bar
    drawn = [bar(share, 4, "perf-f6", "under") for share in shares]
    assert [" x=" in each for each in drawn] == [rate > full for rate in rates]


def test_results_of_several_systems_on_a_page_have_names_of_their_own() -> None:
    names = []
    for page in ("guides/AM64X/rt-linux/12.00", "guides/AM64X/linux/08.02", ""):
        node = perf_answers(answers=Answers((), (), "", "", ()), top="source", page=page)
        names.append(node.values(None)["of"])
    assert names == ["rt-linux 12.00", "linux 08.02", ""]


def test_a_printed_figure_has_the_marks_of_the_screen() -> None:
    assert plain_figure("18.15", "", (17.3, 36.3)) == "18.15 ±"
    assert plain_figure("18.15", "too short", (17.3, 36.3)) == "18.15 ?"
