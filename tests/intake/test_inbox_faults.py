"""Whatever ends an intake, every upload is whole, and in one of its places."""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from conftest import TOP
from making import plain, result, text
from profiles import count
from test_inbox import LOGGED, LOGS, tree

from perfguide.cli.command_line import main
from perfguide.common.diagnostics import errors
from perfguide.figures.dataset import Settings, gather, read
from perfguide.intake import inbox as intake
from perfguide.intake.inbox import Orders

WATCHED = ("open", "os.", "fcntl.", "shutil.")
"""The audit events of operations on files."""


class Scene:
    """An inbox with uploads of every fate, and a results folder with one bundle."""

    def __init__(self, top: Path) -> None:
        self.inbox, self.results = top / "inbox", top / "results"
        self.inbox.mkdir(parents=True)
        self.results.mkdir()
        (self.results / "stored.json").write_bytes(text(plain(id="stored")))
        uploads = {
            "a/run.json": text(LOGGED),
            "a/run.logs.tar.zst": LOGS,
            "b.json": text(plain(result(value=2), id="b", board__soc="AM64X")),
            "bad.json": b"{",
            "bad.json.sha256": b"0",
            "clash.json": text(plain(result(value=9), id="stored")),
            "copy.json": text(plain(id="stored")),
            "lines.jsonl": text(plain(id="c")) + b"\n" + text(plain(id="d")),
        }
        for name, data in uploads.items():
            (self.inbox / name).parent.mkdir(exist_ok=True)
            (self.inbox / name).write_bytes(data)
        self.uploads = uploads
        # What is stored already may leave the inbox for good; a checksum that was right too.
        self.sacred = set(uploads.values())

    @property
    def orders(self) -> Orders:
        return Orders(self.inbox, self.results, self.inbox / "rejected", settle=0)

    def check(self) -> None:
        """Nothing is lost, and nothing that a reader of the results sees is half there."""
        kept = {**tree(self.inbox), **{f"r/{n}": d for n, d in tree(self.results).items()}}
        assert self.sacred <= set(kept.values())
        for path in self.results.rglob("*"):
            if path.is_file() and not path.name.startswith("."):
                assert path.read_bytes() in self.sacred, path
        gathered = gather(Settings((self.results,), (), Path()))
        assert errors(gathered.diagnostics) == []
        for path in (self.inbox / "rejected").glob("*.json"):
            assert path.with_name(f"{path.name}.reason.txt").read_text("utf-8") != ""

    def finish(self) -> dict[str, bytes]:
        """Run to the end; what stands in the results then."""
        for outcome in intake.run(self.orders):
            assert outcome.verdict in ("taken", "duplicate", "refused", "waiting"), outcome
        self.check()
        left = [n for n in tree(self.inbox) if not n.startswith("rejected/")]
        assert set(left) <= {"bad.json.sha256"}, left
        assert list(self.results.rglob(".intake-*")) == []
        return {n: d for n, d in tree(self.results).items() if not n.startswith(".")}


def in_child(work: Callable[[], None]) -> int:
    """Do work in a process of its own; its process id."""
    child = os.fork()
    if child:
        return child
    try:
        work()
        os._exit(0)
    finally:
        os._exit(1)


def killed(child: int) -> bool:
    """Whether a child was killed; it must not have failed in any other way."""
    _, status = os.waitpid(child, 0)
    if os.WIFSIGNALED(status):
        return os.WTERMSIG(status) == signal.SIGKILL
    assert os.WEXITSTATUS(status) == 0
    return False


@pytest.fixture(scope="module")
def expected(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """What the results hold after an undisturbed run."""
    found = Scene(tmp_path_factory.mktemp("expected") / "farm").finish()
    assert len(found) == 5
    return found


def dying_at(orders: Orders, moment: int) -> None:
    """Run until just before the file operation of that number, and die there."""
    count = 0

    def audit(event: str, _arguments: object) -> None:
        nonlocal count
        if event.startswith(WATCHED):
            count += 1
            if count == moment:
                os.kill(os.getpid(), signal.SIGKILL)

    sys.addaudithook(audit)
    for _ in intake.run(orders):
        pass


def test_killed_before_any_of_its_file_operations_nothing_is_lost(
    tmp_path: Path, expected: dict[str, bytes]
) -> None:
    moment = 1
    while True:
        scene = Scene(tmp_path / str(moment))
        orders = scene.orders

        def work(orders: Orders = orders, moment: int = moment) -> None:
            dying_at(orders, moment)

        ended = not killed(in_child(work))
        scene.check()
        assert scene.finish() == expected
        shutil.rmtree(tmp_path / str(moment))
        if ended:
            break
        moment += count(2, heavy=1)
    assert moment > 100


def test_killed_at_random_moments_again_and_again_nothing_is_lost(
    tmp_path: Path, expected: dict[str, bytes]
) -> None:
    chance = random.Random(7)
    whole = Scene(tmp_path / "whole")
    began = time.monotonic()
    assert not killed(in_child(lambda: [None for _ in intake.run(whole.orders)] and None))
    length = time.monotonic() - began
    kills = number = 0
    while kills < count(8, heavy=100):
        number += 1
        scene = Scene(tmp_path / str(number))
        orders = scene.orders

        def work(orders: Orders = orders) -> None:
            for _ in intake.run(orders):
                pass

        for _ in range(4):
            child = in_child(work)
            time.sleep(chance.uniform(0, length))
            os.kill(child, signal.SIGKILL)
            kills += killed(child)
            scene.check()
        assert scene.finish() == expected
        assert number < 200


def test_two_intakes_at_once_store_each_upload_once(tmp_path: Path) -> None:
    inbox, results = tmp_path / "inbox", tmp_path / "results"
    inbox.mkdir()
    results.mkdir()
    uploads = {text(plain(id=f"run {number}")) for number in range(60)}
    for number, data in enumerate(sorted(uploads)):
        (inbox / f"{number}.json").write_bytes(data)
    command = [sys.executable, "-m", "perfguide", "intake", "--settle", "0", inbox, results]
    environment = os.environ | {"PYTHONPATH": str(TOP / "ext")}
    running = [
        subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment)
        for _ in range(3)
    ]
    said = [process.communicate(timeout=120)[0] for process in running]
    assert [process.returncode for process in running] == [0, 0, 0]
    assert sum(part.count(": taken: ") for part in said) == 60
    stored = [path.read_bytes() for path in results.rglob("*.json")]
    assert sorted(stored) == sorted(uploads)
    assert [n for n in tree(inbox) if not n.startswith(".")] == []


def test_an_upload_that_changes_meanwhile_is_not_removed(tmp_path: Path) -> None:
    scene = Scene(tmp_path / "farm")
    path, orders = scene.inbox / "b.json", scene.orders
    newer = text(plain(result(value=3), id="newer"))

    def work() -> None:
        def audit(event: str, arguments: tuple[object, ...]) -> None:
            if event == "os.rename" and "AM64X" in str(arguments[1]):
                path.write_bytes(newer)  # the sender, just before b.json is published

        sys.addaudithook(audit)
        for _ in intake.run(orders):
            pass

    assert not killed(in_child(work))
    assert path.read_bytes() == newer
    scene.sacred.add(newer)
    assert newer in scene.finish().values()


def test_a_build_beside_it_sees_whole_bundles_with_their_logs(tmp_path: Path) -> None:
    scene = Scene(tmp_path / "farm")
    for number in range(30):
        data = text({**LOGGED, "id": f"logged {number}"})
        (scene.inbox / f"{number}.json").write_bytes(data)
        (scene.inbox / f"{number}.logs.tar.zst").write_bytes(LOGS)
        scene.sacred.add(data)
    orders = scene.orders

    def work() -> None:
        for _ in intake.run(orders):
            pass

    settings = Settings((scene.results,), (), Path())
    read(settings)  # so that the looks need not wait for libraries
    child = in_child(work)
    looked = 0
    while os.waitpid(child, os.WNOHANG)[0] == 0:
        held = read(settings)
        assert errors(held.diagnostics) == []
        for item in held.ledger.bundles:
            if item.bundle.id.startswith("logged"):
                stem = item.origin.removesuffix(".json")
                assert (scene.results / f"{stem}.logs.tar.zst").read_bytes() == LOGS
        looked += 1
    assert looked > 1
    scene.finish()


# -- file systems ----------------------------------------------------------------------


@pytest.fixture
def small(tmp_path: Path) -> Iterator[Callable[[int], Path]]:
    """A file system of a few pages; a new one each time it is asked for."""
    mounted: list[Path] = []

    def mount(size: int) -> Path:
        folder = tmp_path / f"small-{len(mounted)}"
        folder.mkdir()
        command = ["mount", "-t", "tmpfs", "-o", f"size={size},nr_inodes=200", "tmpfs", folder]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            pytest.skip(f"no file system can be mounted here: {done.stderr.strip()}")
        mounted.append(folder)
        return folder

    yield mount
    for folder in mounted:
        subprocess.run(["umount", folder], check=True)


@pytest.mark.parametrize("full", ["results", "rejected"])
def test_on_a_full_disk_uploads_stay_in_the_inbox_until_there_is_room(
    tmp_path: Path,
    small: Callable[[int], Path],
    full: str,
    capsys: pytest.CaptureFixture[str],
) -> None:
    seen: set[int] = set()
    for pages in range(1, 24):
        scene = Scene(tmp_path / f"farm-{pages}")
        for name in ("b.json", "bad.json"):  # more than a page, so that a write can be cut
            data = scene.uploads[name] + b" " * 9000
            (scene.inbox / name).write_bytes(data)
            scene.sacred -= {scene.uploads[name]}
            scene.sacred.add(data)
        disk = small(pages * os.sysconf("SC_PAGE_SIZE"))
        options = ["intake", "--settle", "0", "--rejected", str(disk), str(scene.inbox)]
        if full == "rejected":
            arguments = [*options, str(scene.results)]
        else:
            arguments = ["intake", "--settle", "0", str(scene.inbox), str(disk)]
        status = main(arguments)
        capsys.readouterr()
        seen.add(status)
        kept = {**tree(scene.inbox), **{f"d/{n}": d for n, d in tree(disk).items()}}
        kept |= {f"r/{n}": d for n, d in tree(scene.results).items()}
        known = scene.sacred | {text(plain(id="stored"))}
        assert known <= set(kept.values()), pages
        assert list(disk.rglob(".intake-*")) == []
        visible = [p for p in disk.rglob("*.json*") if not p.name.endswith(".reason.txt")]
        for path in visible:
            assert path.is_symlink() or path.read_bytes() in known | {b"0"}, path
    assert seen == {1, 2}  # from "no room" to "all settled"


def test_between_file_systems_files_and_links_move_whole(
    tmp_path: Path, small: Callable[[int], Path], capsys: pytest.CaptureFixture[str]
) -> None:
    scene = Scene(tmp_path / "farm")
    disk = small(1024**2)
    (disk / "results").mkdir()
    (scene.inbox / "link.json").symlink_to("/etc/hostname")
    os.mkfifo(scene.inbox / "pipe.json")
    options = ["--settle", "0", "--rejected", str(disk / "aside")]
    assert main(["intake", *options, str(scene.inbox), str(disk / "results")]) == 2
    said = capsys.readouterr().err
    assert "pipe.json: failed: stays in the inbox" in said  # it has no bytes to copy
    assert (disk / "aside/link.json").readlink() == Path("/etc/hostname")
    assert (disk / "aside/bad.json").read_bytes() == b"{"
    assert sorted(p.name for p in scene.inbox.rglob("*") if p.name != ".intake.lock") == [
        "a",
        "pipe.json",
    ]
    assert len([n for n in tree(disk / "results") if not n.startswith(".")]) == 5


def test_in_results_that_cannot_be_written_nothing_is_done(
    tmp_path: Path, small: Callable[[int], Path], capsys: pytest.CaptureFixture[str]
) -> None:
    scene = Scene(tmp_path / "farm")
    disk = small(1024**2)
    subprocess.run(["mount", "-o", "remount,ro", disk], check=True)
    before = tree(scene.inbox)
    assert main(["intake", "--settle", "0", str(scene.inbox), str(disk)]) == 2
    assert "Read-only file system" in capsys.readouterr().err
    assert tree(scene.inbox) == before
