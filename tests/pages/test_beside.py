"""What a second process makes is what this one would have made, whatever becomes of that one."""

from __future__ import annotations

import dataclasses
import os
import shutil
import signal
import time
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from conftest import TOP

from perfguide.common import orphans
from perfguide.figures.dataset import Settings
from perfguide.pages import benchmark, beside, build
from perfguide.pages.beside import Beside
from perfguide.pages.keeping import Keeping
from perfguide.publishing.output_folder import MANIFEST, Writer
from perfguide.publishing.store import Store


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    """Two releases of one board of this repository's results, with pictures."""
    for name in ("09.00.00.03", "09.01.00.08"):
        found = TOP / "results/AM62X/linux" / name / "am62xxsip_sk-fs.json"
        (tmp_path / "results").mkdir(exist_ok=True)
        shutil.copy(found, tmp_path / "results" / f"{name}.json")
    return Settings(
        (tmp_path / "results",),
        (TOP / "source/benchmarks",),
        tmp_path / "source",
        cache=tmp_path / "cache",
    )


def files(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


def alone(settings: Settings) -> Settings:
    """The same elsewhere, with nothing kept."""
    top = settings.output.parent / "alone"
    return dataclasses.replace(settings, output=top / "source", cache=top / "cache")


def test_a_second_process_makes_the_same_site(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And what it learned is known in the next run, which makes nothing."""
    one = build.generate(alone(settings))
    monkeypatch.setattr(build, "MANY", 0)
    monkeypatch.setattr(beside, "can_fork", lambda: True)
    taken: list[Any] = []
    real_take = Keeping.take

    def take(self: Keeping, made: Any) -> None:
        taken.append(made)
        real_take(self, made)

    monkeypatch.setattr(Keeping, "take", take)
    two = build.generate(settings)
    assert taken
    assert files(settings.output) == files(alone(settings).output)
    assert two.diagnostics == one.diagnostics
    assert sorted(two.written) == sorted(one.written)
    asked: list[str] = []
    real = Keeping.add

    def added(self: Keeping, name: str, *given: Any) -> None:
        asked.append(name)
        real(self, name, *given)

    monkeypatch.setattr(Keeping, "add", added)
    monkeypatch.setattr(build, "MANY", 10**6)
    (settings.output / "guides/index.rst").unlink()
    three = build.generate(settings)
    assert three.written == ("guides/index.rst",)
    assert asked == ["site"]


def test_a_page_that_cannot_be_made_there_is_said_as_here(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(site: object, name: str) -> None:
        raise RuntimeError(f"no page of {name}")

    monkeypatch.setattr(benchmark, "write", fail)
    one = build.generate(alone(settings))
    monkeypatch.setattr(build, "MANY", 0)
    monkeypatch.setattr(beside, "can_fork", lambda: True)
    two = build.generate(settings)
    assert two.diagnostics == one.diagnostics
    assert any("no page of" in str(finding) for finding in two.diagnostics)
    assert files(settings.output) == files(alone(settings).output)


def rest() -> None:
    """Nothing to do meanwhile."""


@pytest.fixture
def keeping(tmp_path: Path) -> Keeping:
    return Keeping(Writer(tmp_path / "out", Store(tmp_path / "cache")))


def put(keeping: Keeping, name: str) -> int:
    """A part of the site: one file; the process that made it."""
    keeping.writer.write(name, b"text")
    return os.getpid()


def end(keeping: Keeping, here: int) -> int:
    """A part of which the second process dies, when it has written a file that nobody wants."""
    if os.getpid() != here:
        keeping.writer.write("unwanted", b"text")
        os.kill(os.getpid(), signal.SIGKILL)
    return os.getpid()


def test_what_a_killed_process_left_undone_is_made_here(keeping: Keeping) -> None:
    here = os.getpid()
    parts = [partial(put, keeping, "a"), partial(end, keeping, here), partial(put, keeping, "b")]
    with Beside(keeping, parts) as second:
        os.waitid(os.P_PID, second.process, os.WEXITED | os.WNOWAIT)
        made = list(second.outcomes(rest))
    assert made[0] != here
    assert made[1:] == [here, here]
    assert sorted(keeping.writer.digests) == ["a", "b"]
    keeping.writer.finish()
    assert set(files(keeping.writer.root)) == {"a", "b", MANIFEST}


def test_both_make_parts_and_each_is_made_once(keeping: Keeping, tmp_path: Path) -> None:
    def made(number: int) -> int:
        time.sleep(0.002)
        return put(keeping, f"{number}")

    with Beside(keeping, [partial(made, number) for number in range(100)]) as second:
        makers = list(second.outcomes(rest))
    assert set(makers) == {os.getpid(), second.process}
    keeping.writer.finish()
    assert set(files(keeping.writer.root)) == {*map(str, range(100)), MANIFEST}


def test_what_could_not_be_made_is_told_in_the_order_of_the_parts(keeping: Keeping) -> None:
    def fail(number: int) -> str:
        time.sleep(0.002)
        raise RuntimeError(f"part {number}")

    def made(number: int) -> str:
        return keeping.attempt(f"{number}", f"{number}", partial(fail, number), str)

    with Beside(keeping, [partial(made, number) for number in range(50)]) as second:
        list(second.outcomes(rest))
    assert [finding.origin for finding in keeping.unmade] == [f"{n}.rst" for n in range(50)]


def test_what_it_wrote_and_nobody_wants_is_removed(keeping: Keeping) -> None:
    """A page that failed half-way leaves no file."""

    def half() -> str:
        keeping.writer.write("half", b"text")
        raise RuntimeError("no page")

    part = partial(keeping.attempt, "it", "page", half, str)
    with Beside(keeping, [part]) as second:
        os.waitid(os.P_PID, second.process, os.WEXITED | os.WNOWAIT)
        assert (keeping.writer.root / "half").exists()
        assert ["no page" in said for said in second.outcomes(rest)] == [True]
    keeping.writer.finish()
    assert set(files(keeping.writer.root)) == {MANIFEST}


def test_a_full_disk_there_is_one_here(keeping: Keeping) -> None:
    def full() -> None:
        raise OSError("no space left")

    with Beside(keeping, [full]) as second, pytest.raises(OSError, match="no space left"):
        list(second.outcomes(rest))


def test_it_ends_with_the_context(keeping: Keeping, tmp_path: Path) -> None:
    def wait() -> None:
        (tmp_path / "begun").touch()
        signal.pause()

    with Beside(keeping, [wait]) as second:
        pid = second.process
        while not (tmp_path / "begun").exists():
            os.sched_yield()
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


def test_it_is_to_end_with_this_process(
    keeping: Keeping, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(
        orphans, "end_with", lambda parent: (tmp_path / "asked").write_text(str(parent))
    )
    with Beside(keeping, [partial(put, keeping, "a")]) as second:
        os.waitid(os.P_PID, second.process, os.WEXITED | os.WNOWAIT)
        list(second.outcomes(rest))
    assert (tmp_path / "asked").read_text() == str(os.getpid())
