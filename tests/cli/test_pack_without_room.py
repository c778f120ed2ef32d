"""Where there is no room for a bundle and its logs, what was there before stays."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
from functools import partial
from pathlib import Path

from making import ROOT

LOG = ROOT / "tests/adapters/data/stream/5.10.log"
ABOUT = ("--board", "b", "--soc", "S", "--sdk", "1", "--os", "linux")


def packed(output: Path, most_bytes: int) -> subprocess.CompletedProcess[str]:
    """Pack a log where no file can have more bytes."""
    limit = partial(resource.setrlimit, resource.RLIMIT_FSIZE, (most_bytes, most_bytes))
    return subprocess.run(
        [sys.executable, "-m", "perfguide", "pack", "-o", output, *ABOUT, LOG],
        env=os.environ | {"PYTHONPATH": str(ROOT / "ext")},
        capture_output=True,
        text=True,
        check=False,
        preexec_fn=limit,
    )


def test_no_half_of_an_archive_or_bundle_is_left(tmp_path: Path) -> None:
    output, logs = tmp_path / "run.json", tmp_path / "run.logs.tar.zst"
    assert packed(output, 10**6).returncode == 0
    before = output.read_bytes(), logs.read_bytes()
    # The archive is the smaller of the two here: neither fits, then only one.
    for most_bytes in (10, (len(before[0]) + len(before[1])) // 2):
        outcome = packed(output, most_bytes)
        assert outcome.returncode == 2
        assert f"{output} was not written: File too large" in outcome.stderr
        assert (output.read_bytes(), logs.read_bytes()) == before
        assert {*tmp_path.iterdir()} == {output, logs}
