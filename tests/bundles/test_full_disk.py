"""Builds that are killed or run out of room leave a whole site, and the next one is right."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import full_disk
import kill_builds
import pytest
import small_site
from prepared import run_module
from profiles import count


def forked(folder: Path) -> subprocess.CompletedProcess[str]:
    """Build to the end, with what it imports imported already."""
    return run_module("perfguide", "build", environment=small_site.ENVIRONMENT, folder=folder)


@pytest.fixture(scope="module")
def clean(tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, bytes]]:
    """What a build from nothing gives for each state, which is the same for all trials."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(small_site, "build", forked)
        return small_site.clean_sites(tmp_path_factory.mktemp("clean"))


@pytest.fixture
def trials(clean: list[dict[str, bytes]], monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """The bench is handed those sites."""
    monkeypatch.setattr(small_site, "clean_sites", lambda _folder: clean)
    return monkeypatch


def test_a_build_may_be_killed_at_any_moment(
    trials: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The first process, and one of them; a thorough run kills all, too. What is killed is a process of its own, as is the first that is not, of
    which the bench learns how long a build takes."""
    alone = iter([small_site.build])
    trials.setattr(small_site, "build", lambda folder: next(alone, forked)(folder))
    kills = count(2, heavy=12)
    trials.setattr(sys, "argv", ["kill_builds.py", "--kills", str(kills), "--seed", "7"])
    status, said = kill_builds.main(), capsys.readouterr()
    assert status == 0, said
    assert f"{-(-kills // 3):5} killed (first)" in said.out


def test_the_disk_may_be_full_at_any_write(
    trials: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    trials.setattr(small_site, "build", forked)
    kib, files = count(15_000, heavy=5_000), count(750, heavy=250)
    trials.setattr(sys, "argv", ["full_disk.py", "--kib", str(kib), "--files", str(files)])
    status, said = full_disk.main(), capsys.readouterr()
    if status == 3:
        pytest.skip(said.err)
    assert status == 0, said
    assert "failed for want of room" in said.out
