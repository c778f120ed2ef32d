"""fio and netperf or iperf3 as the runner runs them, and what it must leave alone."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from corpus import DATA as LOGS
from corpus import built_in
from debian import program
from runner_shell import TRIED_SHELLS, Shell, blocks, make_shell, replaying

from perfguide.adapters import Context, Reading

FAST = ("--fio-mib", "1", "--fio-seconds", "1")


@pytest.fixture(params=TRIED_SHELLS)
def shell(request: pytest.FixtureRequest, tmp_path: Path) -> Shell:
    return make_shell(request.param, tmp_path)


def read(log: Path) -> Reading:
    return built_in("perfguide-runner").read(log.read_bytes(), Context(log.name))


def fio(folder: Path) -> Path:
    """fio's recorded log, with every command line in ``calls`` beside it."""
    calls = folder.parent / "fio-calls"
    return replaying(
        folder, "fio", LOGS / "fio/3.33-read.log", version="fio-3.33",
        first=f'echo "$*" >>{calls}; [ "$1" != --enghelp ] || {{ echo "\tlibaio"; exit; }}',
    )  # fmt: skip


def test_a_file_is_only_read_and_a_folder_is_written_and_left_as_it_was(
    shell: Shell, tmp_path: Path
) -> None:
    here, folder, file = tmp_path / "here", tmp_path / "media", tmp_path / "file"
    folder.mkdir()
    file.write_bytes(b"x" * 3 * 2**20)
    fio(here)
    run = shell.run(
        "--only", "storage", "--fio-read", f"usb-host={file}", "--fio-write", f"emmc={folder}",
        "--fio-sizes", "4k,1m", *FAST, PATH=f"{here}:{shell.path}",
    )  # fmt: skip
    assert run.returncode == 0, run.stderr
    lines = [line for line in (tmp_path / "fio-calls").read_text().splitlines() if "--rw=" in line]
    assert len(lines) == 6
    for line in lines:
        assert ("--readonly" in line) == (f"--filename={file} " in line)
        assert "--direct=1" in line
    assert {line.split("--rw=")[1].split()[0] for line in lines[:2]} == {"read"}
    assert [line.split("--rw=")[1].split()[0] for line in lines[2:]] == ["write"] * 2 + ["read"] * 2
    assert "--size=3m" in lines[0]
    assert "--size=1m" in lines[2]
    assert list(folder.iterdir()) == []
    (log,) = shell.out.glob("usb-host.*.read.log")
    results = read(log).results
    assert {r.benchmark for r in results} == {"usb-host"}
    assert {r.params["filesystem"] for r in results} == {blocks(log)[0].words["filesystem"]}
    assert {r.params.get("access") for r in results if r.metric == "cpu_user"} == {"read"}


def test_what_was_not_named_for_writing_is_left_alone(tmp_path: Path) -> None:
    shell = make_shell("dash", tmp_path)
    here, folder, file = tmp_path / "here", tmp_path / "media", tmp_path / "file"
    folder.mkdir()
    file.write_text("mine")
    own = folder / "perfguide-fio.dat"
    own.write_text("mine")
    fio(here)
    run = shell.run(
        "--only", "storage", "--fio-read", f"sata={folder}", "--fio-write", f"emmc={file},nand={folder}",
        *FAST, PATH=f"{here}:{shell.path}",
    )  # fmt: skip
    for reason in (
        f"skipped: sata: {folder} is a folder",
        f"skipped: emmc: {file} is neither a folder nor a block device",
        f"skipped: nand: {own} is there already, and is not overwritten",
    ):
        assert reason in run.stderr
    assert file.read_text() == own.read_text() == "mine"
    calls = tmp_path / "fio-calls"
    assert "--rw=" not in (calls.read_text() if calls.exists() else "")


def test_a_device_that_is_mounted_is_not_overwritten(tmp_path: Path) -> None:
    """The device is the one that this machine runs from: it must be refused by its number."""
    lines = Path("/proc/self/mountinfo").read_text().splitlines()
    number = lines[0].split()[2]
    block = tmp_path / "sys/class/block/disk0"
    (block / "disk0p1").mkdir(parents=True)
    (block / "dev").write_text("250:250\n")
    (block / "disk0p1/dev").write_text(f"{number}\n")
    (block / "disk0p1/partition").write_text("1\n")
    (tmp_path / "disk0").touch()
    script = f". {Path(__file__).parents[2]}/runner/bench/storage.sh; device_user {tmp_path}/disk0"
    for told, expected in ((number, "disk0p1 is mounted\n"), ("250:251", "")):
        (block / "disk0p1/dev").write_text(f"{told}\n")
        run = subprocess.run(
            ["dash", "-c", script],
            env={"PATH": os.environ["PATH"], "SYS": str(tmp_path / "sys")},
            capture_output=True,
            text=True,
            check=True,
        )
        assert run.stdout == expected


def test_a_peer_that_does_not_answer_is_named(shell: Shell, tmp_path: Path) -> None:
    here = tmp_path / "here"
    replaying(here, "iperf3", version="iperf 3.12", first="exit 1")
    replaying(here, "netperf", version="Netperf version 2.7.0", first="exit 255")
    run = shell.run("--only", "network", "--peer", "192.0.2.1", PATH=f"{here}:{shell.path}")
    assert run.returncode == 0
    assert "skipped: iperf3: no server answers at 192.0.2.1" in run.stderr
    assert "skipped: netperf: no server answers at 192.0.2.1" in run.stderr
    assert not list(shell.out.glob("*.log"))


def test_each_test_of_a_peer_is_kept_and_read(shell: Shell, tmp_path: Path) -> None:
    here = tmp_path / "here"
    help_text = 'case $* in --help) echo "  --bidir"; exit ;; esac'
    replaying(here, "iperf3", LOGS / "iperf3/3.12-tcp.json", version="iperf 3.12", first=help_text)
    replaying(here, "netperf", LOGS / "netperf/2.7.0-k-udp.log", version="Netperf version 2.7.0")
    run = shell.run("--only", "network", "--peer", "192.0.2.1", PATH=f"{here}:{shell.path}")
    assert run.returncode == 0, run.stderr
    kept = blocks(shell.out / "iperf3.log")
    assert [(b.words["peer"], b.words.get("mode")) for b in kept] == [
        ("192.0.2.1", None), ("192.0.2.1", None), ("192.0.2.1", "bidirectional"),
    ]  # fmt: skip
    assert {r.params.get("mode") for r in read(shell.out / "iperf3.log").results} == {
        None, "bidirectional",
    }  # fmt: skip
    reading = read(shell.out / "netperf.log")
    assert {r.benchmark for r in reading.results} <= {"ethernet-tcp", "ethernet-udp"}
    commands = [b.command for b in blocks(shell.out / "netperf.log")]
    assert sum("UDP_STREAM" in command for command in commands) == 6
    assert sum("TCP_MAERTS" in command for command in commands) == 1
    # What is sent as fast as it goes is no figure without loss, as the search of RFC 2544 has it.
    lossy = {r.command for r in reading.results if r.params.get("loss_allowed") is True}
    assert lossy == {command for command in commands if "UDP_STREAM" in command}
    # The log that is replayed here was made over the loopback.
    (note,) = reading.diagnostics
    assert note.message == "netperf's peer is the board itself: no network is measured"


def test_the_real_iperf3_runs_against_a_server_that_ends_with_the_run(tmp_path: Path) -> None:
    program("iperf3")
    shell = make_shell("dash", tmp_path)
    here = tmp_path / "here"
    replaying(here, "netperf", version="another program")
    run = shell.run(
        "--only", "network", "--peer", "local", "--net-seconds", "1", PATH=f"{here}:{shell.path}"
    )
    assert run.returncode == 0, run.stderr
    assert f"skipped: netperf: {here}/netperf is another program of this name" in run.stderr
    results = read(shell.out / "iperf3.log").results
    assert {(r.metric, r.params["direction"]) for r in results} >= {
        ("throughput", "egress"), ("throughput", "ingress"),
    }  # fmt: skip
    assert not (shell.out / ".state/started").exists()
    again = subprocess.run(
        ["iperf3", "-c", "127.0.0.1", "-n", "1K"], capture_output=True, check=False
    )
    assert again.returncode == 1


@pytest.mark.parametrize(
    "arguments",
    [["--fio-read", "emmc"], ["--fio-read", "emmc=relative"], ["--fio-write", "../x=/tmp"],
     ["--fio-write", "emmc=/dev/a:/dev/b"], ["--fio-sizes", "4x"], ["--peer", "-x"], ["--peer", "a b"]],
)  # fmt: skip
def test_wrong_media_and_peers_end_with_two(arguments: list[str], tmp_path: Path) -> None:
    run = make_shell("dash", tmp_path).run(*arguments)
    assert run.returncode == 2
    assert run.stderr.startswith("run.sh: ")
