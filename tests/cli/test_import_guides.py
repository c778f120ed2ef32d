"""``perfguide import``: a map proposed and used, what is left out, and a history's releases."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from perfguide.cli import main

GUIDE = """\
Guide {release}
===============

eMMC
----

.. csv-table::
   :header: "Buffer size (bytes)","evm: Write EXT4 Throughput (Mbytes/sec)","sk: Write EXT4 Throughput (Mbytes/sec)"

   "1m","{figure} (min 57.00, max 58.10)","—"
   "4m","58,20","60.25 [#]_"

.. [#] A note.
"""


def git(repository: Path, *words: str) -> None:
    author = ("-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false")
    subprocess.run(["git", "-C", str(repository), *author, *words], check=True, capture_output=True)


def results(folder: Path) -> dict[tuple[str, str], list[dict[str, object]]]:
    bundles = [json.loads(path.read_text("utf-8")) for path in sorted(folder.glob("*.json"))]
    return {(b["sdk"]["version"], b["board"]["name"]): b["results"] for b in bundles}


def test_a_guide_comes_back_with_the_map_that_was_proposed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    guide, meaning, out = tmp_path / "guide.rst", tmp_path / "map.toml", tmp_path / "out"
    guide.write_text(GUIDE.format(release="09.02", figure="57.40"), "utf-8")
    shown = ["--soc", "AM62X", "--sdk", "09.02", "--benchmarks", "source/benchmarks"]
    assert main(["import", str(guide), "--propose", str(meaning), *shown]) == 0
    date = ["--created", "2024-03-28T00:00:00Z"]
    assert main(["import", str(guide), "--map", str(meaning), "-o", str(out), *date]) == 0
    said = capsys.readouterr()
    assert "guide.rst:11: warning: “58,20” is not a figure" in said.err
    assert "2 figures in 2 bundles; cells left out: 1, without a figure: 1" in said.out
    assert results(out) == {
        ("09.02", "evm"): [
            {
                "benchmark": "emmc",
                "metric": "write_throughput",
                "unit": "MB/s",
                "params": {"buffer_size": 1048576, "filesystem": "ext4"},
                "value": 57.4,
                "min": 57.0,
                "max": 58.1,
                "log": {"file": "guide.rst", "line": 10},
            }
        ],
        ("09.02", "sk"): [
            {
                "benchmark": "emmc",
                "metric": "write_throughput",
                "unit": "MB/s",
                "params": {"buffer_size": 4194304, "filesystem": "ext4"},
                "value": 60.25,
                "log": {"file": "guide.rst", "line": 11},
            }
        ],
    }
    assert main(["check", str(out)]) == 0


def test_each_tag_of_a_history_is_a_release_with_its_commit(tmp_path: Path) -> None:
    repository, meaning, out = tmp_path / "docs", tmp_path / "map.toml", tmp_path / "out"
    (repository / "source").mkdir(parents=True)
    git(repository, "init", "-q")
    for release, figure in (("09.01", "55.10"), ("09.02.00.05", "57.40")):
        text = GUIDE.format(release=release, figure=figure)
        (repository / "source" / "guide.rst").write_text(text, "utf-8")
        git(repository, "add", ".")
        git(repository, "commit", "-q", "-m", release)
        git(repository, "tag", f"REL.{release.replace('.', '_')}")
    history = ["import", "--git", str(repository), "--path", "source/*.rst"]
    assert main([*history, "--propose", str(meaning), "--soc", "AM62X"]) == 0
    assert main([*history, "--map", str(meaning), "-o", str(out)]) == 0
    found = results(out)
    assert set(found) == {(r, b) for r in ("09.01", "09.02.00.05") for b in ("evm", "sk")}
    assert found["09.01", "evm"][0]["value"] == 55.1
    commits = {
        json.loads(path.read_text("utf-8"))["tools"]["commit"] for path in out.glob("*.json")
    }
    assert len(commits) == 2


NEWER = """\
Guide 10.01
===========

System
------

eMMC Driver
^^^^^^^^^^^

.. csv-table:: EMMC  Throughput 10.01
   :header: "Buffer size","evm: Write (MB/s)"

   "1m","60.5"
"""
OLDER = """\
Guide 09.02
===========

eMMC
----

.. csv-table:: emmc throughput 09.02
   :header: "buffer size","evm: write (MB/s)"

   "1m","57.4"

.. csv-table:: Erase
   :header: "Block","old-evm: erase (MB/s)"

   "1m","12.5"
"""


def commit(repository: Path, text: str, subject: str, file: str = "guide.rst") -> None:
    (repository / file).write_text(text, "utf-8")
    git(repository, "add", "-A")
    git(repository, "commit", "-q", "-m", subject)


@pytest.fixture
def releases(tmp_path: Path) -> Path:
    """A history of three releases, of which a tag names one, and a map of the newest."""
    repository = tmp_path / "docs"
    repository.mkdir()
    git(repository, "init", "-q")
    commit(repository, OLDER.replace("09.02", "09.01").replace("57.4", "55.1"), "old", "old.rst")
    git(repository, "mv", "old.rst", "guide.rst")
    commit(repository, OLDER.replace("57.4", "57.3"), "09.02, first")
    git(repository, "rm", "-q", "--cached", "guide.rst")
    commit(repository, OLDER, "09.02, corrected")
    commit(repository, NEWER, "10.01")
    git(repository, "tag", "10.01.00.05")
    commit(repository, NEWER.replace("60.5", "61.5"), "10.01, after the release")
    newest = tmp_path / "newest.rst"
    newest.write_text(NEWER, "utf-8")
    shown = ["--soc", "AM62X", "--sdk", "10.01", "--benchmarks", "source/benchmarks"]
    assert main(["import", str(newest), "--propose", str(tmp_path / "map.toml"), *shown]) == 0
    return repository


def values(folder: Path) -> dict[tuple[str, str], list[object]]:
    return {key: [each["value"] for each in own] for key, own in results(folder).items()}


def test_the_map_of_the_newest_guide_takes_older_ones_and_says_what_it_lacks(
    releases: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    meaning, out = tmp_path / "map.toml", tmp_path / "out"
    words = ["import", "--git", str(releases), "--path", "guide.rst", "--map", str(meaning)]
    assert main([*words, "-o", str(out)]) == 0
    assert values(out) == {
        ("09.01", "evm"): [55.1],
        ("09.02", "evm"): [57.4],
        ("10.01.00.05", "evm"): [60.5],
    }
    said = capsys.readouterr()
    assert "09.02" in said.out and "1 tables are not in the map" in said.out
    assert (
        "guide.rst:7: note: taken as “* > System > eMMC Driver > EMMC Throughput 10.01”" in said.err
    )
    # The lines are ready to paste: with them nothing is left out.
    lines = said.err[said.err.index("# below [boards]") :]
    boards, entries = lines.split("# at the end:")
    text = meaning.read_text("utf-8").replace("[boards]\n", f"[boards]\n{boards}\n")
    meaning.write_text(text + entries, "utf-8")
    assert main([*words, "-o", str(out)]) == 0
    said = capsys.readouterr()
    assert "Lines to add" not in said.err and "cells left out: 0" in said.out
    assert values(out)["09.01", "old-evm"] == values(out)["09.02", "old-evm"] == [12.5]


@pytest.mark.parametrize(
    ("which", "figures"),
    [
        ("tags", {("10.01.00.05", "evm"): [60.5]}),
        ("HEAD~2..HEAD", {("10.01", "evm"): [61.5]}),
        ("10.01.00.05~1", {("09.01", "evm"): [55.1], ("09.02", "evm"): [57.4]}),
    ],
)
def test_commits_chooses_what_is_read(
    which: str, figures: object, releases: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    words = ["--path", "guide.rst", "--map", str(tmp_path / "map.toml"), "--commits", which]
    assert main(["import", "--git", str(releases), *words, "-o", str(out)]) == 0
    assert values(out) == figures


def test_the_map_states_the_release_of_a_commit_that_nothing_names(
    releases: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    commit(releases, NEWER.replace("10.01", "").replace("60.5", "70.5"), "new figures")
    meaning, out = tmp_path / "map.toml", tmp_path / "out"
    words = ["import", "--git", str(releases), "--path", "guide.rst", "--map", str(meaning)]
    assert main([*words, "-o", str(out)]) == 0
    (line,) = [
        x for x in capsys.readouterr().err.splitlines() if x.endswith("new figures") and "=" in x
    ]
    with meaning.open("a", encoding="utf-8") as file:
        file.write("\n[releases]\n" + line.replace('""', '"11.00"') + "\n")
    assert main([*words, "-o", str(out)]) == 0
    assert values(out)["11.00", "evm"] == [70.5]


def test_an_entry_is_not_taken_for_one_of_two_tables_without_a_caption(tmp_path: Path) -> None:
    guide, meaning, out = tmp_path / "guide.rst", tmp_path / "map.toml", tmp_path / "out"
    table = '.. csv-table::{}\n   :header: "Size","evm: rate (MB/s)"\n\n   "1","{}"\n\n'
    guide.write_text("Guide\n=====\n\nA\n-\n\n" + table.format(" In", 1), "utf-8")
    shown = ["--soc", "X", "--sdk", "1.0", "--created", "2024-03-28T00:00:00Z"]
    assert main(["import", str(guide), "--propose", str(meaning), *shown]) == 0
    words = ["import", str(guide), "--map", str(meaning), "-o", str(out), *shown]
    for tables, status in (
        (table.format("", 2), 0),
        (table.format("", 2) + table.format("", 3), 3),
    ):
        guide.write_text("Guide\n=====\n\nA\n-\n\n" + tables, "utf-8")
        assert main(words) == status


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (["import"], "name files or folders"),
        (["import", "x.rst"], "give --propose"),
        (["import", "nowhere.rst", "--propose", "m.toml"], "there is no such file"),
        (["import", "--git", ".", "x.rst", "--propose", "m.toml"], "name files or folders"),
    ],
)
def test_wrong_usage_says_what_is_wrong(
    arguments: list[str], why: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(arguments) == 2
    assert why in capsys.readouterr().err
