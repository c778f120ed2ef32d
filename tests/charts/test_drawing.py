"""Charts are drawn by processes of their own, which end with the one that began them."""

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

import psutil
import pytest
from conftest import TOP, bare_project

from perfguide.charts import drawing
from perfguide.charts.model import ChartView, Line, Panel, Point
from perfguide.common import parallel

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


def open_files(process: int) -> list[str]:
    """What a process has open."""
    found = []
    for path in Path(f"/proc/{process}/fd").iterdir():
        with contextlib.suppress(FileNotFoundError):  # it has been closed meanwhile
            found.append(str(path.readlink()))
    return found


@pytest.mark.parametrize(
    ("command", "number"),
    [
        ("generate", signal.SIGTERM),
        ("sphinx-build", signal.SIGINT),
        # Between this one and those that draw is a process more.
        *(("build", number) for number in (signal.SIGTERM, signal.SIGINT, signal.SIGKILL)),
    ],
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
        files = [file for drawer in drawing_now(mark, begun.pid) for file in open_files(drawer)]
        begun.send_signal(number)
        assert begun.wait(10) != 0
        assert until(lambda: not marked(mark), 5), "a process is left"
    finally:
        for process in marked(mark):
            os.kill(process, signal.SIGKILL)
    assert not [file for file in files if str(project) in file], "such as the lock of the build"
    if number != signal.SIGINT:
        assert "Traceback" not in errors.read_text("utf-8")


def chart(number: int) -> ChartView:
    points = tuple(Point(x, x * number, None, None, str(x)) for x in (1.0, 2.0, 3.0))
    panel = Panel("", (Line("line", points),))
    return ChartView("c", f"Chart {number}", "", "X", "Y", "linear", "linear", (panel,))


def children() -> set[int]:
    return {process.pid for process in psutil.Process().children()}


def test_pictures_come_in_the_order_in_which_they_were_asked_for() -> None:
    # Those for paper take longer than those that come after them.
    forms = ("svg",) * 3 + ("pdf", "svg") * 22
    tasks = [(chart(number), form) for number, form in enumerate(forms, 1)]
    others = children()
    with drawing.Drawing() as drawn:
        drawn.add(tasks[:3])
        assert children() == others
        drawn.expect()
        drawn.add(tasks[3:])
        pictures = drawn.drawn()
        assert len(children() - others) == min(2, os.cpu_count() or 1)
    assert pictures == [drawing.draw(task) for task in tasks]
    assert children() == others


def test_a_process_that_ends_before_its_time_is_an_error() -> None:
    others = children()
    with drawing.Drawing() as drawn:
        drawn.expect()
        (process,) = children() - others
        os.kill(process, signal.SIGKILL)
        drawn.add([(chart(number), "svg") for number in range(20)])
        with pytest.raises(parallel.WorkersError, match="ended with status -9"):
            drawn.drawn()
