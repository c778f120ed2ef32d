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
    assert "2 figures in 2 bundles; 1 not taken, 1 cells without a figure" in said.out
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
