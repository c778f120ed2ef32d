"""Moves that several SoCs share are one line."""

from __future__ import annotations

import math

import pytest
from msgspec.structs import replace

from perfguide.bundles.guide_key import GuideKey
from perfguide.compare.event_fates import Entry
from perfguide.compare.row import Verdict
from perfguide.compare.select import ReleasePair
from perfguide.compare.shared_moves import shared_moves


def pair(soc: str, new: str = "11.02.05") -> ReleasePair:
    old, newer = (GuideKey("sdk", soc, "linux", release) for release in ("11.01", new))
    return ReleasePair(old, newer, f"compare/{soc}/{new}")


def entry(change: float, kind: Verdict = "regressed", benchmark: str = "openssl") -> Entry:
    entry = Entry(kind, "Worse", "title", 3, "open", (), benchmark, "OpenSSL", math.log1p(change))
    proved = int(kind != "noisy")
    return replace(
        entry, proved=proved, boards=("evm",), ends=((abs(math.log1p(change)), abs(change)),)
    )


def test_a_move_of_three_socs_is_one_line_with_its_evidence() -> None:
    (move,) = shared_moves(
        [
            (pair("AM62X"), [entry(-0.12)]),
            (pair("AM64X", "11.02.08"), [entry(-0.10)]),
            (pair("J721E"), [entry(-0.11, "noisy")]),
        ]
    )
    assert move.sentence == (
        "OpenSSL: 10.0 to 12.0 % worse with 11.02.x on 3 systems, 2 of 3 rows proved"
    )
    assert [each.new.soc for each in move.pairs] == ["AM62X", "AM64X", "J721E"]


def test_a_move_that_four_socs_share_is_a_line_without_proof_on_any() -> None:
    (move,) = shared_moves([(pair(soc), [entry(-0.12, "noisy")]) for soc in "ABCD"])
    assert (
        move.sentence == "OpenSSL: 12.0 % worse with 11.02.05 on 4 systems, none of 4 rows proved"
    )
    assert not shared_moves([(pair(soc), [entry(-0.12, "noisy")]) for soc in "ABC"])


def test_what_a_benchmark_has_beside_its_largest_move_is_a_move_of_its_own() -> None:
    """Each system has another proved move, and all a like one that none of them proves."""
    found = []
    for soc, what in zip("ABCD", ("read", "write", "copy", "fill"), strict=True):
        proved = replace(entry(-0.1), what=f"OpenSSL: {what}")
        shared = replace(entry(-0.3, "noisy"), what=f"OpenSSL: switch: {what}")
        found.append((pair(soc), [proved, shared]))
    (move,) = shared_moves(found)
    assert move.title == "OpenSSL: switch" and (move.proved, len(move.pairs)) == (0, 4)


def test_all_events_of_a_system_with_the_same_figures_are_part_of_a_shared_move() -> None:
    """As those of a board that is compared with an older release, and of one of two loads."""
    load = "OpenSSL: read CPU load, write CPU load, EXT4"
    first = replace(entry(0.3, "improved"), what=load, counted=20, proved=3)
    since = replace(entry(2.0, "noisy"), what=load, boards=("sip",), move=math.log(3.0))
    rise = replace(entry(-0.3), what="OpenSSL: read CPU load, EXT4", boards=("lp",))
    (move,) = shared_moves([(pair("A"), [first, since]), (pair("B"), [first, rise])])
    assert move.sentence == (
        f"{load}: 1.3 to 3 times better with 11.02.05 on 2 systems (3 boards; worse on 1 board), "
        "6 of 41 rows proved"
    )


def test_a_rate_and_a_load_are_not_one_move() -> None:
    rate, load = (
        replace(entry(-0.1), what="OpenSSL: write, EXT4", is_load=is_load)
        for is_load in (False, True)
    )
    assert not shared_moves([(pair("A"), [rate]), (pair("B"), [load])])


@pytest.mark.parametrize(
    "found",
    [
        [(pair("A"), [entry(-0.1)])],
        [(pair("A"), [entry(-0.1)]), (pair("B"), [entry(0.1, "improved")])],  # ways differ
        [(pair("A"), [entry(-0.1)]), (pair("B", "12.00"), [entry(-0.1)])],  # releases differ
        [(pair("A"), [entry(-0.1)]), (pair("B"), [entry(-0.1, benchmark="stream")])],
        [(pair("A"), [entry(-0.1, "noisy")]), (pair("B"), [entry(-0.1, "noisy")])],  # no proof
        [(pair("A"), [entry(-0.01)]), (pair("B"), [entry(-0.01)])],  # next to nothing
        [(pair("A"), [entry(-0.05)]), (pair("B"), [entry(-0.9)])],  # sizes differ
        [(pair("A", "11.02.05"), [entry(-0.1)]), (pair("A", "11.02.08"), [entry(-0.1)])],
    ],
)
def test_what_is_not_the_same_move_is_no_line(found: list[tuple[ReleasePair, list[Entry]]]) -> None:
    assert not shared_moves(found)


def test_large_moves_are_factors_and_falls_come_first() -> None:
    found = [
        (pair("A"), [entry(-0.8), entry(1.5, "improved", "stream")]),
        (pair("B"), [entry(-0.7), entry(1.2, "improved", "stream")]),
    ]
    first, second = (move.sentence for move in shared_moves(found))
    assert ": 3.33 to 5 times worse with" in first
    assert ": 2.2 to 2.5 times better with" in second


@pytest.mark.parametrize(
    ("whats", "title"),
    [
        (("OpenSSL: throughput, SHA-512", "OpenSSL: throughput, SHA-512"), "OpenSSL: throughput, SHA-512"),
        (("OpenSSL: throughput, SHA-512", "OpenSSL: throughput"), "OpenSSL: throughput"),
        (("OpenSSL: 31 metrics", "OpenSSL: 3 metrics"), ""),
        (("OpenSSL", "OpenSSL"), "OpenSSL"),
    ],
)  # fmt: skip
def test_a_shared_move_names_what_moved_on_all_systems(whats: tuple[str, str], title: str) -> None:
    named = [replace(entry(0.57, "improved"), what=what) for what in whats]
    moves = shared_moves(
        [(pair(soc), [each]) for soc, each in zip(("AM62X", "AM64X"), named, strict=True)]
    )
    assert [move.title for move in moves] == [title] * bool(title)
    assert all(move.sentence.startswith(f"{title}: 57.0 % better ") for move in moves)


def test_a_load_that_fell_is_better_by_the_share_that_its_comparison_says() -> None:
    """By a factor of 1.54, and by 35 %."""
    log = math.log(1 / 0.65)
    loads = [
        replace(entry(1 / 0.65 - 1, "improved"), ends=((log, share),)) for share in (0.344, 0.35)
    ]
    (move,) = shared_moves([(pair("A"), loads[:1]), (pair("B"), loads[1:])])
    assert ": 34.4 to 35.0 % better with" in move.sentence
    for basis, text in (
        ("per Mbit/s", "35.0 % better per Mbit/s with"),
        ("", "35.0 % better as measured or per Mbit/s with"),
    ):
        first, second = replace(loads[0], basis="per Mbit/s"), replace(loads[1], basis=basis)
        (move,) = shared_moves([(pair("A"), [first]), (pair("B"), [second])])
        assert text in move.sentence


def test_what_more_boards_saw_the_other_way_is_no_line() -> None:
    fall, rise = replace(entry(-0.3)), entry(0.6, "improved")
    many = replace(rise, boards=("lp", "sip", "sk"), kind="noisy")
    (line,) = shared_moves(
        [(pair(soc), [fall, many]) for soc in ("A", "B")] + [(pair("C"), [rise])]
    )
    assert (
        ": 60.0 % better with" in line.sentence and "(7 boards; worse on 2 boards)" in line.sentence
    )


def test_a_shared_move_says_on_how_many_boards_the_same_figures_went_the_other_way() -> None:
    """As a load that fell on one board of a SoC and rose on another."""
    load = "OpenSSL: read CPU load, EXT4"
    many = ("lp", "sk", "a", "b", "c", "d", "e", "f")
    falls = [replace(entry(-0.3), what=load, boards=own) for own in (many, ("sk",))]
    rise = replace(entry(0.6, "improved"), what=f"{load}, 1 MiB", boards=("sip",))
    other = replace(entry(0.6, "improved"), what="OpenSSL: write", boards=("sk",))
    first, _ = shared_moves(
        [
            (pair("A"), [falls[0], rise, other]),
            (pair("B"), [falls[1], replace(rise, boards=("x", "y"))]),
        ]
    )
    assert first.sentence == (
        f"{load}: 30.0 % worse with 11.02.05 on 2 systems (9 boards; better on 3 boards), both rows proved"
    )
    few = [(pair("A"), [replace(falls[0], boards=many[:7]), rise]), (pair("B"), [falls[1], rise])]
    more = [*few, (pair("C"), [replace(rise, boards=("x", "y"))])]
    worse = [[move for move in shared_moves(each) if move.moves[0] < 0] for each in (few, more)]
    assert worse[0] and not worse[1], "two boards beside eight, and four"
