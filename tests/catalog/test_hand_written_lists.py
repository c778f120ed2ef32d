"""Boards' old names and accepted changes: what is refused is named exactly."""

from __future__ import annotations

from pathlib import Path

import pytest
from making import only

from perfguide.catalog import board_names, waivers

SOUND = """
[[waivers]]
benchmark = "lmbench"
metric = "lat_*"
reason = "known"
until = "09.03"
most = "25%"
params = { block_size = 16 }
"""


def test_a_sound_waiver_is_read(tmp_path: Path) -> None:
    path = tmp_path / "waivers.toml"
    path.write_text(SOUND, "utf-8")
    found, faults = waivers.load(path)
    assert faults == []
    waiver = only(found)
    assert (waiver.most, waiver.number, waiver.line) == (0.25, 1, 2)
    assert waiver.fits({"block_size": 16, "engine": "hw"})
    assert not waiver.fits({"block_size": 64})
    assert waiver.covers("AM62X", "linux", "sk", "lmbench", "lat_ctx")
    assert not waiver.covers("AM62X", "linux", "sk", "lmbench", "bw_pipe")
    assert [waiver.lapsed(r) for r in ("09.02.01", "9.3", "09.03", "09.10")] == [
        False, True, True, True
    ]  # fmt: skip
    assert waiver.accepts(-0.25) and not waiver.accepts(-0.26) and not waiver.accepts(None)


def test_no_file_is_no_waiver(tmp_path: Path) -> None:
    assert waivers.load(tmp_path / "none.toml") == ((), [])
    assert waivers.load(None) == ((), [])
    assert board_names.load(None)[0].today("AM62X", "sk") == "sk"


@pytest.mark.parametrize(
    ("wrong", "line", "message", "hint"),
    [
        ('[[waivers]\nmetric = "x"', 10, "is not TOML", "fix this line"),
        ('[[waivers]]\nbenchmark = "a"\nmetric = "b"\nuntil = "1"', 10,
         "entry 2 of “waivers”: “reason” is missing", 'write reason = "…"'),
        ('[[waivers]]\nbenchmark = "a"\nmetric = "b"\nuntil = 9.03\nreason = "r"', 10,
         "entry 2 of “waivers”: “until” is a number where text is required", 'write until = "…"'),
        ('[[waivers]]\nbenchmark = "a"\nmetric = "b"\nuntil = "1"\nreason = "r"\nuntill = "2"', 10,
         "entry 2 of “waivers”: “untill” is unknown", "did you mean “until”?"),
        ('[[waivers]]\nbenchmark = "a"\nmetric = " "\nuntil = "1"\nreason = "r"', 10,
         "entry 2 of “waivers”: “metric” is empty", "add the metric"),
        ('[[waivers]]\nbenchmark = "a"\nmetric = "b"\nuntil = "1"\nreason = "r"\nmost = "5"', 10,
         "“most” is “5”: it is not a percentage", 'write most = "25%"'),
        ('[waiver]\nbenchmark = "a"', None, "“waiver” has no meaning here", "write [[waivers]]"),
    ],
)  # fmt: skip
def test_a_fault_is_named_with_its_entry_and_how_to_mend_it(
    tmp_path: Path, wrong: str, line: int | None, message: str, hint: str
) -> None:
    path = tmp_path / "waivers.toml"
    path.write_text(f"{SOUND}\n{wrong}\n", "utf-8")
    found, faults = waivers.load(path)
    fault = only(faults)
    assert fault.origin == str(path)
    assert message in fault.message
    assert hint in fault.hint
    assert fault.line == line
    assert fault.severity == "error"
    # An entry with a fault does not touch the others.
    assert len(found) == (0 if "TOML" in message else 1)


def test_a_waiver_list_that_is_one_table_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "waivers.toml"
    path.write_text('[waivers]\nbenchmark = "a"\n', "utf-8")
    assert "a single value where a list" in only(waivers.load(path)[1]).message


def test_an_old_name_of_two_boards_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "boards.toml"
    path.write_text(
        '[[boards]]\nsoc = "S"\nname = "new"\naliases = ["old"]\n'
        '[[boards]]\nsoc = "S"\nname = "other"\naliases = ["old", "new", "fine"]\n'
        '[[boards]]\nsoc = "T"\nname = "new"\naliases = ["old"]\n',
        "utf-8",
    )
    known, faults = board_names.load(path)
    assert [fault.line for fault in faults] == [5, 5]
    assert "“old” is the name of two boards of S" in faults[0].message
    assert known.today("S", "fine") == "other"
    assert known.today("S", "old") == known.today("T", "old") == "new"


def test_the_projects_own_lists_are_sound() -> None:
    top = Path(__file__).parents[2] / "source"
    known, faults = board_names.load(top / "boards.toml")
    assert faults == []
    assert known.today("AM62X", "am62xx-sk") == "am62xx_sk-fs"
    assert waivers.load(top / "waivers.toml") == ((), [])


def test_a_board_has_its_processor_under_all_of_its_names(tmp_path: Path) -> None:
    (tmp_path / "boards.toml").write_text(
        '[[boards]]\nsoc = "S"\nname = "new"\naliases = ["old"]\nprocessor = "Cortex-A53"\n'
        "cores = 4\ncaches = { L1d = 32, L2 = 512 }\n",
        "utf-8",
    )
    boards, faults = board_names.load(tmp_path / "boards.toml")
    assert faults == []
    for name in ("new", "old"):
        entry = boards.entry("S", name)
        assert (entry.cpu(), entry.cache_sizes()) == ("4 × Cortex-A53", "L1d 32 KiB, L2 512 KiB")
    assert boards.entry("other", "new").cpu() == ""


def test_a_short_name_holds_in_heads_where_no_two_socs_disagree(tmp_path: Path) -> None:
    path = tmp_path / "boards.toml"
    path.write_text(
        '[[boards]]\nsoc = "S"\nname = "sk"\nshort = "Kit"\naliases = ["old"]\n'
        '[[boards]]\nsoc = "S"\nname = "evm"\nshort = "Module"\n'
        '[[boards]]\nsoc = "T"\nname = "evm"\nshort = "Board"\n',
        "utf-8",
    )
    known, faults = board_names.load(path)
    assert faults == []
    assert known.in_heads == {"sk": "Kit", "old": "Kit"}
