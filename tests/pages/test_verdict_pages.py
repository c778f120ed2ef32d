"""What became of verdicts, and what moved when: both follow from the bundles alone."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import msgspec
import pytest
from making import TOML, plain, result, run_by_run, text

from perfguide.cli import main
from perfguide.common import parallel
from perfguide.figures.dataset import BUILT_IN, Settings
from perfguide.pages import build, lasting_moves, lists
from perfguide.pages.lasting_moves import LastingMove

STEADY = (100.0, 100.2, 99.9, 100.1, 100.0)


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    folder = tmp_path / "benchmarks"
    folder.mkdir()
    (folder / "speed.toml").write_text(TOML, "utf-8")
    (folder / "speed.rst").write_text("Prose.\n", "utf-8")
    (tmp_path / "results").mkdir()
    return Settings(
        results=(tmp_path / "results",),
        benchmarks=(BUILT_IN, folder),
        output=tmp_path / "out",
        cache=tmp_path / "cache",
        formats=(),
    )


def upload(
    settings: Settings, figures: Sequence[float], kernel: Sequence[str] = (), soc: str = "AM62X"
) -> None:
    """Three runs of releases in order, with one figure that moves and twelve that do not."""
    for number, figure in enumerate(figures):
        still = [
            result(
                params={"block_size": 2**size, "engine": "hw"},
                samples=[50.0 + size + 0.01 * ((number * size) % 3), 50.02 + size, 50.01 + size],
            )
            for size in range(12)
        ]
        moving = result(samples=[figure, figure * 1.001, figure * 0.999])
        more = {"sdk__kernel": kernel[number]} if kernel else {}
        more["board__soc"] = soc
        name = f"{soc}-r{number}"
        run = plain(moving, *still, id=name, sdk__version=f"09.{number:02}", **more)
        for each in run_by_run(run):
            (Path(settings.results[0]) / f"{each['id']}.json").write_bytes(text(each))


def page(settings: Settings, name: str) -> str:
    """The source of a page."""
    return (settings.output / f"{name}.rst").read_text("utf-8")


def fates(settings: Settings) -> list[tuple[str, str]]:
    """The kind and the fate of each event, the newest release first."""
    held = json.loads((settings.output / "reports/verdicts/verdicts.json").read_text("utf-8"))
    return [(event["kind"], event["fate"]) for event in held]


def test_later_releases_confirm_and_withdraw_what_was_said(settings: Settings) -> None:
    upload(settings, (*STEADY, 70.0, 70.1, 100.0, 70.0))
    build.generate(settings, run=parallel.here)
    assert fates(settings) == [
        ("regressed", "open"),
        ("improved", "went back"),
        ("regressed", "lasted"),
    ]
    said = page(settings, "reports/verdicts")
    assert "Of 1 event for the worse that a later release followed, 1 lasted" in said
    # Another release decides what was open, and the verdicts themselves stay.
    upload(settings, (*STEADY, 70.0, 70.1, 100.0, 70.0, 100.1))
    build.generate(settings, run=parallel.here)
    assert ("regressed", "went back") in fates(settings)
    assert "Of 2 events for the worse that a later release followed, 1 lasted, 1 reverted" in page(
        settings, "reports/verdicts"
    )


def test_a_change_is_listed_with_its_release_and_what_was_different_then(
    settings: Settings,
) -> None:
    kernels = ("5.10",) * len(STEADY) + ("6.1", "6.1")
    upload(settings, (*STEADY, 70.0, 70.1), kernels)
    build.generate(settings, run=parallel.here)
    said = page(settings, "compare/AM62X/linux/moves")
    newest, then, *_ = said.split("----\n")[1:]
    assert "No lasting change was found." in newest
    assert "Speed: 100 → 70 MB/s, 30.0 % worse" in then and "The next release kept it." in then
    assert "the kernel changed: “5.10” before, “6.1” now" in then
    assert "moves" in page(settings, "compare/AM62X/index")


def stayed(settings: Settings) -> list[tuple[str, ...]]:
    """The rows of the list of what moved on the page of the benchmark, without markup."""
    listed = page(settings, "by-benchmark/speed").partition(" Release\n   * - ")[2]
    # Those below the first table are folded, and indented further.
    rows = re.split(r"^ +\* - ", listed.partition("\n\n.. _")[0], flags=re.MULTILINE)
    texts = [row.partition("\n\n")[0] for row in rows if not row.startswith("SoC and board")]
    plain = [re.sub(r":[\w-]+:`([^`<]+?)( <[^`]*>)?`|\*\*", r"\1", row) for row in texts]
    return [tuple(cell.strip() for cell in row.split("     - ")) for row in plain]


def test_a_benchmark_lists_which_release_moved_each_soc_and_what_became_of_it(
    settings: Settings,
) -> None:
    figures = {
        "AM62X": (*STEADY, 70.0, 70.1, 69.9, 70.0),
        "AM64X": (*STEADY, 100.2, 40.0),
        "J721E": (*STEADY, 150.0, 150.2, 149.9),
        # It fell, and went back with the next release.
        "AM335X": (*STEADY, 60.0, 100.0, 100.1),
    }
    for soc, own in figures.items():
        upload(settings, own, soc=soc)
    build.generate(settings, run=parallel.here)
    # Worked out from the figures: the largest step, with the release that has it.
    expected = []
    for soc, own in figures.items():
        at = max(range(1, len(own)), key=lambda n: abs(math.log(own[n] / own[n - 1])))
        later = own[at + 1 :]
        if later and abs(later[0] - own[at]) > abs(later[0] - own[at - 1]):
            continue
        span = "and" if len(later) == 2 else "to"
        after = (
            f"still {min(later):g} {span} {max(later):g} in the {len(later)} later releases"
            if later
            else "newest release"
        )
        expected.append((abs(math.log(own[at] / own[at - 1])), soc, own, at, after))
    falls = sorted((each for each in expected if each[2][each[3]] < 90), reverse=True)
    rises = sorted((each for each in expected if each[2][each[3]] > 110), reverse=True)
    rows = stayed(settings)
    assert [row[0] for row in rows] == [f"{soc} sk" for _, soc, *_ in (*falls, *rises)]
    for row, (_, _, own, at, after) in zip(rows, (*falls, *rises), strict=True):
        # A mean of three samples, of which two are a thousandth off.
        old, new = (f"{value:g}" for value in (own[at - 1], own[at]))
        assert row[2] == f"{old} → {new} MB/s"
        assert row[3].split()[0] == ("worse" if own[at] < own[at - 1] else "better")
        assert row[4] == f"09.{at - 1:02} → 09.{at:02} Linux, {after}"


def test_what_went_back_is_counted_and_not_listed(settings: Settings) -> None:
    upload(settings, (*STEADY, 70.0, 100.0))
    build.generate(settings, run=parallel.here)
    said = page(settings, "compare/AM62X/linux/moves")
    assert "1 event reverted with the next release." in said and "30.0 % worse" not in said


def test_few_releases_have_no_page_of_what_moved(settings: Settings) -> None:
    upload(settings, STEADY[:3])
    build.generate(settings, run=parallel.here)
    assert not (settings.output / "compare/AM62X/linux/moves.rst").exists()
    assert "No event for the worse has been followed" in page(settings, "reports/verdicts")


def test_archives_without_any_improvement_are_asked_about_their_directions(
    settings: Settings,
) -> None:
    upload(settings, [100.0] * 12)
    build.generate(settings, run=parallel.here)
    assert "None of 11 comparisons found an improvement." in page(settings, "reports/verdicts")


def test_building_on_what_is_there_writes_what_a_clean_build_writes(settings: Settings) -> None:
    upload(settings, (*STEADY, 70.0))
    build.generate(settings, run=parallel.here)
    upload(settings, (*STEADY, 70.0, 100.0))
    build.generate(settings, run=parallel.here)
    clean = replace(settings, output=settings.output.with_name("clean"), cache=None)
    build.generate(clean, run=parallel.here)
    for name in ("reports/verdicts.rst", "reports/verdicts/verdicts.json"):
        assert (settings.output / name).read_bytes() == (clean.output / name).read_bytes()
    moves = "compare/AM62X/linux/moves.rst"
    assert (settings.output / moves).read_bytes() == (clean.output / moves).read_bytes()


def test_a_comparison_opens_with_its_verdict_and_its_events_can_be_accepted(
    settings: Settings,
) -> None:
    upload(settings, (*STEADY, 70.0))
    build.generate(settings, run=parallel.here)
    said = page(settings, "compare/AM62X/linux/09.04-vs-09.05")
    opening, _, rest = said.partition("Worse (1)")
    assert ".. container:: perf-verdict" in opening
    assert "Look at 1 event before you ship." in opening
    assert "Speed <event-speed of" in opening and ": 100 → 70 MB/s, 30.0 % worse" in opening
    counts = opening[opening.index("perf-counts") :]
    assert "**13** figures on 1 board" in counts and "**100 %** can be judged" in counts
    assert "**1** :ref:`worse <" in counts and "better" not in counts, "no zero is counted"
    event, _, tables = rest.partition("Changes by benchmark")
    assert ":perf-from:`100 → 70 MB/s ↑` :perf-change:`−30.0 %`" in event
    assert ":perf-history:`" in event and "█████▁" in event
    entry = "\n".join(line.strip() for line in event[event.index("[[waivers]]") :].splitlines())
    assert "Regressions (1)" in tables
    path = settings.output.with_name("waivers.toml")
    whole = entry.replace('reason = ""', 'reason = "r"').replace('until = ""', 'until = "09.06"')
    path.write_text(whole, "utf-8")
    accepted = replace(settings, waivers=path)
    assert build.generate(accepted, run=parallel.here).diagnostics == ()
    again = page(accepted, "compare/AM62X/linux/09.04-vs-09.05")
    assert "Accepted (1)" in again and "[[waivers]]" not in again
    assert "nothing got worse except what is accepted." in again


def test_what_cannot_be_judged_is_named_with_what_would_help(settings: Settings) -> None:
    for number, figure in enumerate((100.0, 130.0, 90.0, 120.0, 105.0)):
        run = plain(result(value=figure), id=f"r{number}", sdk__version=f"09.{number:02}")
        (Path(settings.results[0]) / f"r{number}.json").write_bytes(text(run))
    build.generate(settings, run=parallel.here)
    said = page(settings, "compare/AM62X/linux/09.03-vs-09.04")
    _, _, part = said.partition("Too noisy to tell (1)")
    assert "Each release has only one set of measurements of it" in part
    assert "Too little to say: fewer than half of the figures are judged.\n" in said
    assert "The only figure is not steady enough to show a change of 50 %." in part
    assert "Run both releases again after a reboot" in said.partition("perf-counts")[0]
    table = (settings.output / "compare/AM62X/linux/09.03-vs-09.04/noisy.csv").read_text("utf-8")
    assert "−12.5 %" in table and "usually up to ×" in table


def test_a_comparison_without_common_boards_says_and_links_what_to_compare(
    settings: Settings, capsys: pytest.CaptureFixture[str]
) -> None:
    for number, board in enumerate(("evm", "sk", "evm")):
        run = plain(result(), id=f"r{number}", sdk__version=f"09.{number:02}", board__name=board)
        (Path(settings.results[0]) / f"r{number}.json").write_bytes(text(run))
    build.generate(settings, run=parallel.here)
    said = page(settings, "compare/AM62X/linux/09.01-vs-09.02")
    assert "No board has both releases. Compare evm: 09.00 → 09.02." in said
    assert "Guide of 09.00, with evm" in said
    results, benchmarks = map(str, (settings.results[0], settings.benchmarks[1]))
    names = ["--results", results, "--benchmarks", benchmarks]
    assert main(["compare", "09.01", "09.02", *names]) == 3
    hint = "perfguide compare 09.00 09.02 --soc AM62X --os linux --board evm"
    assert hint in capsys.readouterr().err
    assert main([*hint.split()[1:], *names]) == 0


def test_lists_and_the_feed_say_what_the_comparison_says(settings: Settings) -> None:
    upload(settings, (*STEADY, 70.0))
    build.generate(settings, run=parallel.here)
    assert "Look at 1 event before you ship." in page(
        settings, "compare/AM62X/linux/09.04-vs-09.05"
    )
    (tag,) = re.findall("09.04 → 09.05: (.+) <", page(settings, "compare/AM62X/index"))
    assert re.fullmatch(r"Look at Speed, \S+ → 70 MB/s, 30.0 % worse", tag), tag
    entries = json.loads((settings.output / "reports/feed.json").read_text("utf-8"))
    summaries = {entry["title"]: entry["summary"] for entry in entries}
    (newest,) = (text for title, text in summaries.items() if "09.05" in title)
    assert newest.endswith(f". {tag}.")
    assert not any(tag in text for title, text in summaries.items() if "09.05" not in title)


def test_worst_verdicts_come_first_and_failing_runs_count_as_worse(settings: Settings) -> None:
    upload(settings, (*STEADY, 100.0))
    run = plain(result(samples=[0.2, 99.0]), id="part", sdk__version="09.05", board__soc="AM62X")
    (Path(settings.results[0]) / "part.json").write_bytes(text(run))
    upload(settings, (*STEADY, 0.0), soc="AM64X")
    build.generate(settings, run=parallel.here)
    rows = page(settings, "compare/index").partition("Gone / new")[2].split("\n   * - ")[1:]
    assert [row.partition("`")[2].partition(" <")[0] for row in rows[:2]] == ["AM64X", "AM62X"]
    assert ["Do not ship" in row for row in rows[:2]] == [True, False]
    assert all("\n     - 1 / 0\n" in row for row in rows[:2])
    assert "worse, as some runs fail" in page(settings, "compare/AM62X/linux/09.04-vs-09.05")
    worse = json.loads((settings.output / "guides/overview.json").read_text("utf-8"))["worse"]
    assert [each["state"] for each in worse] == ["do not ship", "look"]


def test_what_two_socs_have_in_common_is_one_line_on_both_pages(settings: Settings) -> None:
    upload(settings, (*STEADY, 70.0))
    upload(settings, (*STEADY, 66.0), soc="AM64X")
    build.generate(settings, run=parallel.here)
    sentence = "Speed: 30.0 to 34.0 % worse with 09.05 on 2 systems, both rows proved"
    listed = page(settings, "reports/verdicts").partition("The same move on several SoCs")[2]
    assert listed.count(sentence) == 1 and listed.count("09.04-vs-09.05") == 2
    shared = json.loads((settings.output / "guides/overview.json").read_text("utf-8"))["shared"]
    assert [each["sentence"] for each in shared] == [sentence]
    pages = {address for _, address in shared[0]["pages"]}
    assert {f"{address}.rst" for address in pages} == {
        path.relative_to(settings.output).as_posix()
        for path in settings.output.glob("compare/*/linux/09.04-vs-09.05.rst")
    }


@pytest.mark.parametrize("is_proved", [True, False])
def test_the_front_page_says_whether_a_fall_is_proved(settings: Settings, is_proved: bool) -> None:
    """Three runs of five releases, or one of two."""
    if is_proved:
        upload(settings, (*STEADY, 40.0))
    for number, rate in enumerate(() if is_proved else (100.0, 40.0)):
        run = plain(result(value=rate), id=f"r{number}", sdk__version=f"09.{number:02}")
        (Path(settings.results[0]) / f"r{number}.json").write_bytes(text(run))
    build.generate(settings, run=parallel.here)
    overview = json.loads((settings.output / "guides/overview.json").read_text("utf-8"))
    (worse,) = overview["worse"]
    assert overview["more_worse"] == 0
    assert worse["is_proved"] == is_proved and worse["fall"].startswith("Speed")
    assert worse["change"] == "100 → 40 MB/s, ÷2.5"


def test_the_front_page_counts_the_falls_that_it_does_not_list(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lists, "MAX_WORSE", 0)
    upload(settings, (*STEADY, 40.0))
    build.generate(settings, run=parallel.here)
    overview = json.loads((settings.output / "guides/overview.json").read_text("utf-8"))
    assert (overview["worse"], overview["more_worse"]) == ([], 1)


def test_every_lasting_move_can_be_opened_and_the_largest_of_what_got_worse_are_open() -> None:
    moves = [
        LastingMove(
            *("emmc", "AM62X", "SK", 1, figure, "1 → 2", "", size, "Linux", "", address, ""),
            is_engine=is_engine,
            is_load=is_load,
        )
        for figure, size, address, is_engine, is_load in (
            ("load", 3.0, "a", False, True),
            ("engine", 2.0, "a", True, False),
            ("gain", -0.5, "a", False, False),
            ("small loss", 0.2, "b", False, False),
            ("loss", 0.4, "a", False, False),
        )
    ]
    shown, folded = lasting_moves.open_and_folded(moves)
    # One of each comparison.
    assert [move.figure for move in shown] == ["loss", "small loss"]
    assert [(words, [move.figure for move in own]) for words, own in folded] == [
        ("1 more got worse", ["load"]),
        ("1 got better", ["gain"]),
        ("1 came with another engine", ["engine"]),
    ]
    assert (
        lasting_moves.counted(moves) == "3 got worse, 1 got better and 1 came with another engine"
    )
    many = [
        msgspec.structs.replace(moves[4], address=str(number), size=1.0 + number)
        for number in range(9)
    ]
    other = msgspec.structs.replace(moves[3], soc="AM64X")
    shown, _ = lasting_moves.open_and_folded([*many, other])
    # A small loss of another SoC comes before further ones of the same SoC.
    assert len(shown) == lasting_moves.MAX_OPEN and shown[-1] is other
