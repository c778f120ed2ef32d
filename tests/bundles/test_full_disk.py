"""Builds that are killed or run out of room leave a whole site, and the next one is right."""

from __future__ import annotations

import subprocess
import sys

import pytest
from conftest import TOP


def _trials(name: str, *options: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, TOP / "bench" / name, *options]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_a_build_may_be_killed_at_any_moment() -> None:
    done = _trials("kill_builds.py", "--kills", "6", "--seed", "7")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "killed (all)" in done.stdout


def test_the_disk_may_be_full_at_any_write() -> None:
    done = _trials("full_disk.py", "--kib", "5000", "--files", "250")
    if done.returncode == 3:
        pytest.skip(done.stderr)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "failed for want of room" in done.stdout
