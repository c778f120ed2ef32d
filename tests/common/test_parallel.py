"""Making pages by the workers of a real Dask scheduler, one of which is killed."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from conftest import CORES, TOP, sample_results, sound_bundle

from perfguide.cli.command_line import main
from perfguide.common import parallel
from perfguide.figures import dataset
from perfguide.pages import build, soc_pages

if TYPE_CHECKING:
    from distributed import Client


@pytest.fixture(autouse=True)
def processes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Work here is done by processes, as it is without tests."""
    monkeypatch.setattr(parallel, "_Cores", CORES)


@dataclass
class Cluster:
    """A scheduler and its worker processes."""

    address: str
    client: Client
    processes: dict[str, subprocess.Popen[bytes]]
    at_work: list[str] = field(default_factory=list)

    def kill_one_at_work(self) -> str:
        """End a worker while it holds work, with no chance to say goodbye; its name.

        It is stopped before it gets any, so that what it holds is surely not done.
        """
        name, process = sorted(self.processes.items())[0]
        process.send_signal(signal.SIGSTOP)

        def kill() -> None:
            end = time.monotonic() + 600
            while time.monotonic() < end:
                held = self.client.processing([name])[name]
                if held:
                    self.at_work.append(name)
                    break
                time.sleep(0.01)
            process.send_signal(signal.SIGKILL)

        threading.Thread(target=kill, daemon=True).start()
        return name

    def left(self) -> set[str]:
        return set(self.client.scheduler_info(n_workers=-1)["workers"])


def die(given: tuple[Path, int, int]) -> int:
    """End this process, unless it was called often enough before; return a number."""
    folder, number, times = given
    before = len(list(folder.glob(f"{number}-*")))
    if before < times:
        (folder / f"{number}-{before}").touch()
        os._exit(1)
    return number


def test_a_process_that_dies_costs_its_piece_of_work(tmp_path: Path) -> None:
    pieces = [(tmp_path, number, int(number == 2)) for number in range(5)]
    with parallel.at("") as run:
        assert list(run(die, pieces)) == [0, 1, 2, 3, 4]


def test_a_piece_of_work_that_ends_two_processes_is_an_error(tmp_path: Path) -> None:
    with (
        pytest.raises(parallel.WorkersError, match="died twice"),
        parallel.at("") as run,
    ):
        list(run(die, [(tmp_path, 1, 9)]))


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[Cluster]:
    environment = os.environ | {"PYTHONPATH": str(TOP / "ext")}
    file = tmp_path / "scheduler.json"
    log = (tmp_path / "log").open("wb")
    started: list[subprocess.Popen[bytes]] = []

    def start(*command: str) -> subprocess.Popen[bytes]:
        line = [sys.executable, "-m", "distributed.cli." + command[0], *command[1:]]
        # Away from our files: a worker gets what it works on.
        process = subprocess.Popen(line, env=environment, cwd=tmp_path, stdout=log, stderr=log)
        started.append(process)
        return process

    try:
        listen = ["--host", "127.0.0.1", "--port", "0", "--no-dashboard"]
        start("dask_scheduler", *listen, "--scheduler-file", str(file))
        for name in ("one", "two"):
            options = ["--nthreads", "2", "--no-nanny", "--no-dashboard", "--name", name]
            start("dask_worker", "--scheduler-file", str(file), *options)
        for _ in range(600):
            if file.exists() and file.read_text().endswith("}"):
                break
            time.sleep(0.1)
        address = json.loads(file.read_text())["address"]
        from distributed import Client  # takes a second of each process that collects the tests

        with Client(address, timeout=60, set_as_default=False) as client:
            client.wait_for_workers(2, timeout=120)
            by_pid = {process.pid: process for process in started}
            pids = client.run(os.getpid)
            yield Cluster(address, client, {name: by_pid[pid] for name, pid in pids.items()})
    finally:
        for process in started:
            process.kill()
            process.wait()
        log.close()


def settings(results: Path, output: Path, scheduler: str = "") -> dataset.Settings:
    described = (TOP / "source/benchmarks",)
    return dataset.Settings((results,), described, output, scheduler=scheduler)


def tree(folder: Path) -> dict[str, bytes]:
    files = (path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}


def test_pages_and_pictures_are_the_same_bytes_where_a_worker_is_killed(
    cluster: Cluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    some, results = sample_results(tmp_path / "some"), tmp_path / "results"
    shutil.copytree(some / "AM335X/linux/06.00.00.00", results / "AM335X")
    (results / "other.json").write_text(json.dumps(sound_bundle()), "utf-8")
    build.generate(settings(results, tmp_path / "here"))
    killed: list[str] = []
    run_pieces = parallel._Remote.run

    def killing(self: Any, work: Callable[..., Any], pieces: Iterable[Any]) -> Iterator[Any]:
        if work is soc_pages.make:
            killed.append(cluster.kill_one_at_work())
        yield from run_pieces(self, work, pieces)

    monkeypatch.setattr(parallel._Remote, "run", killing)
    build.generate(settings(results, tmp_path / "there", cluster.address))
    assert cluster.at_work == killed != []
    assert any(name.endswith(".svg") for name in tree(tmp_path / "here"))
    assert tree(tmp_path / "there") == tree(tmp_path / "here")


def test_a_worker_with_other_code_is_refused(cluster: Cluster) -> None:
    def other() -> None:
        from perfguide.common import parallel as mine

        mine.itself.cache_clear()
        mine.libraries = lambda: ("msgspec 0",)

    cluster.client.run(other)
    with (
        pytest.raises(parallel.WorkersError, match="a different perfguide"),
        parallel.at(cluster.address) as run,
    ):
        list(run(abs, [-1]))


def test_work_that_ends_every_worker_is_an_error(
    cluster: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(parallel, "REPLY_TIMEOUT_S", 1)
    with (
        pytest.raises(parallel.WorkersError, match="no worker is left"),
        parallel.at(cluster.address) as run,
    ):
        cluster.client.run(os._exit, 1, on_error="ignore")
        list(run(abs, [-1]))


def test_nobody_at_the_address_is_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(parallel, "REPLY_TIMEOUT_S", 1)
    folders = ["--results", str(TOP / "results/AM335X"), "--output", str(tmp_path / "pages")]
    command = ["generate", *folders, "--scheduler", "tcp://127.0.0.1:9"]
    assert main(command) == 2
    assert "tcp://127.0.0.1:9: no scheduler responds" in capsys.readouterr().err


def test_a_scheduler_without_workers_is_an_error(
    cluster: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    for process in cluster.processes.values():
        process.kill()
        process.wait()
    monkeypatch.setattr(parallel, "REPLY_TIMEOUT_S", 3)
    with (
        pytest.raises(parallel.WorkersError, match="no worker"),
        parallel.at(cluster.address) as run,
    ):
        list(run(abs, [-1]))
