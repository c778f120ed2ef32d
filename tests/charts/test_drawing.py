"""Charts are drawn by processes that end with the one that began them."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time
import uuid
from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import TOP, bare_project
from profiles import count

RESULTS = TOP / "results/AM335X"
COMMANDS = {
    "generate": ["perfguide", "generate", "--output", "source", "--results", str(RESULTS)],
    "build": ["perfguide", "build", "--results", str(RESULTS)],
    "sphinx-build": ["sphinx", "-D", f"perfguide_results={RESULTS}", ".", "build/html"],
}


def until(true: Callable[[], bool], seconds: float = 120.0) -> bool:
    """Whether something has come true in this time."""
    end = time.monotonic() + seconds
    while not true():
        if time.monotonic() > end:
            return False
        time.sleep(0.03)
    return True


def marked(mark: str) -> list[int]:
    """The processes that run with this mark in their environment, whoever their parent is."""
    found = []
    for folder in Path("/proc").iterdir():
        with contextlib.suppress(OSError):  # it has just ended, or is another user's
            if folder.name.isdigit() and mark.encode() in (folder / "environ").read_bytes():
                found.append(int(folder.name))
    return found


def drawing_now(mark: str, begun: int) -> list[int]:
    """Those of them that draw: not the one that was begun, and with the library of charts."""
    found = []
    for process in marked(mark):
        with contextlib.suppress(OSError):
            if process != begun and "ft2font" in Path(f"/proc/{process}/maps").read_text():
                found.append(process)
    return found


@pytest.mark.parametrize(
    ("command", "number"),
    [
        # Between this one and those that draw is a process more.
        ("build", signal.SIGKILL),
        ("sphinx-build", signal.SIGINT),
        ("generate", signal.SIGTERM),
        ("build", signal.SIGINT),
    ][: count(2, heavy=4)],
)
def test_no_process_outlives_the_one_that_was_ended_while_it_drew(
    command: str, number: signal.Signals, tmp_path: Path
) -> None:
    project = bare_project(tmp_path / "project")
    mark = uuid.uuid4().hex
    errors = tmp_path / "errors"
    with errors.open("wb") as said:
        begun = subprocess.Popen(
            [sys.executable, "-m", *COMMANDS[command]],
            cwd=project,
            env=os.environ | {"PYTHONPATH": str(TOP / "ext"), "PERFGUIDE_TEST_MARK": mark},
            stdout=subprocess.DEVNULL,
            stderr=said,
            # Where the tests run in the background, interrupts may be ignored.
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
        )
    try:
        assert until(lambda: bool(drawing_now(mark, begun.pid))), "nothing was drawn"
        begun.send_signal(number)
        assert begun.wait(10) != 0
        assert until(lambda: not marked(mark), 5), "a process is left"
    finally:
        for process in marked(mark):
            os.kill(process, signal.SIGKILL)
    if number != signal.SIGINT:
        assert "Traceback" not in errors.read_text("utf-8")
