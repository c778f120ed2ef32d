"""The runner on a board: its shells, its logs, and what it leaves behind.

Slow programs are replaced by stubs in ``tests/runner/`` that print what the
real ones printed; one short run uses the real ones.
"""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from debian import program
from profiles import count
from runner_shell import DATA, RUNNER, TRIED_SHELLS, Shell, all_blocks, blocks, make_shell

# Levels that anyone may reach.
LEVELS = "0,10,19"
# One point of the stub program, in openssl's own block sizes.
STUB = ["--algorithms", "aes-128-cbc", "--accelerators", "", "--workloads", "alone"]


@pytest.fixture(params=TRIED_SHELLS)
def shell(request: pytest.FixtureRequest, tmp_path: Path) -> Shell:
    return make_shell(request.param, tmp_path)


def wait_until(true: Callable[[], bool], seconds: float = 30.0) -> None:
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end, "it took too long"
        time.sleep(0.05)


def processes(word: str) -> list[int]:
    """Those whose command line holds WORD as an argument."""
    found = []
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            arguments = (entry / "cmdline").read_bytes().split(b"\0")
        except OSError:
            continue
        if word.encode() in arguments:
            found.append(int(entry.name))
    return found


def loops_of(pid: int) -> list[int]:
    return [loop for loop in processes("perfguide-busy-loop") if loop in processes(str(pid))]


def finished_points(folder: Path) -> int:
    return sum(log.read_text().count("# perfguide-end: status=0") for log in folder.glob("*.log"))


@pytest.fixture(autouse=True)
def nothing_left() -> Iterator[None]:
    yield
    own = [p for p in processes("perfguide-busy-loop") if _descends(p, os.getpid())]
    assert own == [], "a busy loop outlived the test"


def _descends(pid: int, ancestor: int) -> bool:
    while pid > 1:
        if pid == ancestor:
            return True
        try:
            pid = int(Path(f"/proc/{pid}/stat").read_text().rpartition(") ")[2].split()[1])
        except OSError:
            return False
    return False


def test_shellcheck_finds_nothing() -> None:
    program("shellcheck")
    # One pass over the whole program, so that a variable may be used elsewhere.
    run = subprocess.run(
        ["shellcheck", "-x", "-a", "-s", "sh", "run.sh"],
        cwd=RUNNER,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (run.returncode, run.stdout) == (0, "")


def test_every_part_is_read_by_run_sh() -> None:
    text = (RUNNER / "run.sh").read_text()
    for part in [*RUNNER.glob("lib/*.sh"), *RUNNER.glob("bench/*.sh")]:
        assert f'. "$HERE/{part.relative_to(RUNNER)}"' in text


def test_sweep_records_each_point_and_the_untouched_output(shell: Shell) -> None:
    # test_killed_run_resumes_with_nothing_lost_or_doubled repeats points.
    run = shell.run(
        "--only", "sweep", *STUB, "--nice", "0,19", "--threads", "1,2", "--repetitions", "1", "--seconds", "2",
    )  # fmt: skip
    assert run.returncode == 0, run.stderr
    found = all_blocks(shell.out)
    cores = len(os.sched_getaffinity(0))
    for block in found:
        assert block.words["benchmark"] == "openssl"
        assert block.words["background"] == "busy-loop"
        assert block.words["block_sizes"] == "16,64,256,1024,8192,16384"
        assert int(block.words["loops"]) == min(int(block.words["threads"]), cores)
        assert len(block.words["cpus"].split(",")) == int(block.words["loops"])
        level = int(block.words["nice"])
        added = level - os.nice(0)  # to the level that these tests run at
        assert (
            f"nice -n {added} taskset " in block.command or f"renice {level} -p " in block.command
        )
        assert block.command.endswith("-evp aes-128-cbc")
        assert block.end["status"] == "0"
        kind = "multi" if block.words["threads"] == "2" else "speed"
        printed = (DATA / f"{kind}.err").read_text() + (DATA / f"{kind}.out").read_text()
        assert block.output.startswith(printed)
        assert re.search(r"^\tPercent of CPU this job got: \d+%$", block.output, re.M)
    points = [(b.words["threads"], b.words["nice"], b.words["engine"]) for b in found]
    engines = {point[2] for point in points}
    assert "sw" in engines
    assert len(points) == len(set(points)) == 2 * 2 * len(engines)
    # The masked engine is told from the plain one by its command alone, too.
    for block in found:
        assert ("OPENSSL_ia32cap=" in block.command) == (
            block.words["engine"] == "sw" and "hw" in engines
        )


def test_first_pass_spans_the_range_and_repetitions_come_last(shell: Shell) -> None:
    run = shell.run(
        "--only", "sweep", *STUB, "--engines", "sw", "--nice", "0..19", "--threads", "1",
        "--repetitions", "2", "--plan",
    )  # fmt: skip
    assert "sweep: 40 of 40 points to do" in run.stderr
    ordered = subprocess.run(
        [*shell.argv, "-c", f". {RUNNER}/lib/lists.sh; expand_numbers 0..19 | coarse_to_fine"],
        env=shell.environment(),
        capture_output=True,
        text=True,
        check=True,
    ).stdout.split()
    assert ordered[:5] == ["0", "19", "8", "16", "4"]
    assert sorted(map(int, ordered)) == list(range(20))


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("-20..-17", "-20 -19 -18 -17"),
        ("0..19/8", "0 8 16 19"),
        ("-20, 0 19", "-20 0 19"),
        ("7", "7"),
        ("3..1", None),
        ("x", None),
        ("", None),
        ("1..5/0", None),
    ],
)
def test_lists_of_numbers(text: str, numbers: str | None, tmp_path: Path) -> None:
    run = subprocess.run(
        ["sh", "-c", f'. {RUNNER}/lib/lists.sh; expand_numbers "$1"', "sh", text],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (run.returncode == 0) == (numbers is not None)
    if numbers is not None:
        assert run.stdout.split() == numbers.split()


def test_killed_run_resumes_with_nothing_lost_or_doubled(shell: Shell) -> None:
    arguments = ["--only", "sweep", *STUB, "--engines", "sw", "--nice", LEVELS, "--threads", "1",
                 "--repetitions", "2", "--seconds", "2"]  # fmt: skip
    process = shell.start(*arguments, STUB_SLEEP="0.3")
    wait_until(lambda: finished_points(shell.out) >= 2)
    loops = loops_of(process.pid)
    assert loops
    process.send_signal(signal.SIGKILL)
    process.wait()
    (log,) = shell.out.glob("sweep.*.log")
    before = log.read_text().count("# perfguide-end")
    with log.open("a") as file:  # what a cut leaves: a point half written
        file.write(log.read_text()[:700])
    run = shell.run(*arguments)
    assert "was killed: cleaning up after it" in run.stderr
    assert f"sweep: {6 - before} of 6 points to do" in run.stderr
    points = [(b.words["nice"], b.words["repetition"]) for b in blocks(log)]
    assert len(points) == len(set(points)) == 6
    wait_until(lambda: not loops_of(process.pid), 5)
    again = shell.run(*arguments)
    assert "sweep: 0 of 6 points to do" in again.stderr


def test_point_that_failed_is_done_again(shell: Shell) -> None:
    arguments = ["--only", "openssl", *STUB, "--engines", "sw"]
    assert shell.run(*arguments).returncode == 0
    (log,) = shell.out.glob("openssl.*.log")
    log.write_text(
        log.read_text().replace("# perfguide-end: status=0", "# perfguide-end: status=1")
    )
    assert "openssl: 1 of 1 points to do" in shell.run(*arguments).stderr
    assert [block.end["status"] for block in blocks(log)] == ["0"]


@pytest.mark.parametrize(
    "number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP][: count(2, heavy=3)]
)
def test_signal_ends_job_and_loops(number: signal.Signals, tmp_path: Path) -> None:
    shell = make_shell("busybox" if number == signal.SIGTERM else "dash", tmp_path)
    process = shell.start(
        "--only", "sweep", *STUB, "--engines", "sw", "--nice", "0,19", "--threads", "1", "--seconds", "2",
        STUB_SLEEP="30",
    )  # fmt: skip
    console = tmp_path / "console"
    wait_until(lambda: "[1/2" in console.read_text() and (shell.out / ".state/job").exists())
    loops = loops_of(process.pid)
    job = int((shell.out / ".state/job").read_text().split()[0])
    assert loops
    begin = time.monotonic()
    process.send_signal(number)
    assert process.wait(20) == 128 + number
    assert time.monotonic() - begin < 15
    wait_until(lambda: not loops_of(process.pid) and not Path(f"/proc/{job}").exists(), 5)
    assert not (shell.out / ".state/lock").exists()
    assert finished_points(shell.out) == 0


def test_two_runners_do_not_share_a_folder(tmp_path: Path) -> None:
    shell = make_shell("dash", tmp_path)
    process = shell.start(
        "--only", "openssl", *STUB, "--engines", "sw", "--seconds", "2", STUB_SLEEP="30"
    )
    try:
        wait_until(lambda: (shell.out / ".state/job").exists())
        second = shell.run("--only", "openssl", *STUB)
        assert second.returncode == 2
        assert "is already writing" in second.stderr
    finally:
        process.terminate()
        process.wait()


def test_environment_is_json_with_the_bundles_keys(shell: Shell) -> None:
    name = 'a "board" \\ of\ttwo\nlines, Grüße 😀'
    run = shell.run(
        "--only", "cyclictest", "--plan", "--board", name, "--soc", "AM62X", "--sdk", "09.02.01.10",
        "--description", "é\udcff\x01", "--memory", "DDR4 1600 MT/s", "--cpu-mhz", "1400", "--runner", "lab3", "--os", "rt-linux",
    )  # fmt: skip
    assert run.returncode == 0, run.stderr
    text = (shell.out / "environment.json").read_text(encoding="ascii")
    found = json.loads(text)
    assert found["board"] == {
        "name": name, "soc": "AM62X", "description": "é\ufffd\x01", "cpu_mhz": 1400, "memory": "DDR4 1600 MT/s",
    }  # fmt: skip
    assert found["sdk"] == {
        "version": "09.02.01.10", "os": "rt-linux", "kernel": found["sdk"]["kernel"],
    }  # fmt: skip
    assert found["runner"]["name"] == "lab3"
    assert found["runner"]["version"]
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", found["created"])
    assert isinstance(found["tools"], dict)


def test_kernel_with_real_time_patches_is_rt_linux(tmp_path: Path) -> None:
    shell = make_shell("dash", tmp_path)
    assert shell.run("--only", "cyclictest", "--plan", STUB_PREEMPT="PREEMPT_RT").returncode == 0
    found = json.loads((shell.out / "environment.json").read_text())
    assert (found["sdk"]["os"], found["sdk"]["kernel"]) == ("rt-linux", "6.1.80-rt26")


def test_environment_is_asked_from_the_system(shell: Shell) -> None:
    assert shell.run("--only", "openssl", "--plan", *STUB).returncode == 0
    found = json.loads((shell.out / "environment.json").read_text())
    for part, key in [
        ("sdk", "version"),
        ("sdk", "os"),
        ("board", "name"),
        ("board", "soc"),
        ("board", "memory"),
    ]:
        assert found[part][key]
    assert found["tools"]["openssl"].startswith("OpenSSL 3.0.19")
    assert "sw" in found["tools"]["openssl_engines"]


def test_engine_that_does_not_load_is_skipped_by_name(shell: Shell) -> None:
    run = shell.run(
        "--only", "openssl", "--plan", "--algorithms", "aes-128-cbc", "--accelerators", "devcrypto"
    )
    assert (
        "skipped: engine devcrypto: openssl cannot load it"
        in (shell.out / "summary.txt").read_text()
    )
    assert run.returncode == 0


def test_accelerator_on_an_arm_board_is_hw(tmp_path: Path) -> None:
    # Debian's BusyBox takes its own uname before any in PATH.
    shell = make_shell("dash", tmp_path)
    run = shell.run(
        "--only", "openssl", "--algorithms", "aes-128-cbc,sha256", "--accelerators", "devcrypto", "--workloads",
        "alone", STUB_ENGINES="devcrypto", STUB_MACHINE="aarch64",
    )  # fmt: skip
    assert run.returncode == 0, run.stderr
    found = {(b.words["algorithm"], b.words["engine"]): b.command for b in all_blocks(shell.out)}
    assert "-engine devcrypto" in found["aes-128-cbc", "hw"]
    assert "-engine" not in found["aes-128-cbc", "sw"]
    assert ("sha256", "hw") not in found
    assert "skipped: sha256 on hw: the accelerator leaves it to software" in run.stderr


def test_mask_without_effect_is_told(shell: Shell) -> None:
    run = shell.run("--only", "openssl", *STUB)
    if "skipped: engine hw" in run.stderr:
        pytest.skip("this CPU has no instructions to mask")
    # The stub prints the same figures, masked or not.
    assert "warning: sw aes-128-cbc: the CPU capability mask has no effect" in run.stderr
    assert "NO EFFECT" in (shell.out / "checks.txt").read_text()


def test_unknown_algorithm_is_skipped_by_name(shell: Shell) -> None:
    run = shell.run(
        "--only", "openssl", "--plan", "--algorithms", "no-such-cipher", "--accelerators", ""
    )
    assert "skipped: algorithm no-such-cipher: openssl does not know it" in run.stderr


def test_what_the_board_lacks_is_named(tmp_path: Path) -> None:
    shell = make_shell("busybox", tmp_path)
    run = shell.run("--skip", "openssl,sweep")
    assert run.returncode == 0
    summary = (shell.out / "summary.txt").read_text()
    for name in ["dm-crypt", "cyclictest", "stream", "dhrystone", "whetstone", "linpack", "nbench", "lmbench",
                 "coremark-pro", "multibench", "coremark", "7-zip", "tinymembench", "cryptsetup",
                 "boot-time"]:  # fmt: skip
        assert f"skipped: {name}: " in summary


def test_program_that_is_there_is_run(shell: Shell, tmp_path: Path) -> None:
    stubs = tmp_path / "more"
    stubs.mkdir()
    (stubs / "stream_c").write_text("#!/bin/sh\nprintf 'Triad: 1.0'\n")
    (stubs / "linpack").write_text('#!/bin/sh\nread -r size; echo "LINPACK $size"\n')
    for stub in stubs.iterdir():
        stub.chmod(0o755)
    run = shell.run(
        "--only", "programs", "--programs", "stream,linpack", PATH=f"{stubs}:{shell.path}"
    )
    assert run.returncode == 0
    (stream,) = blocks(shell.out / "stream.log")
    assert (stream.words["benchmark"], stream.command) == ("stream", "stream_c")
    assert stream.output == "Triad: 1.0\n"
    (linpack,) = blocks(shell.out / "linpack.log")
    assert linpack.output == "LINPACK 200\n"


@pytest.mark.skipif(os.geteuid() != 0, reason="dm-crypt needs root")
def test_dmcrypt_runs_three_trials_and_undoes_all(tmp_path: Path) -> None:
    # Never under BusyBox: it would run its own mount rather than the stub.
    shell = make_shell("dash", tmp_path, crypt=True)
    (tmp_path / "mapper").mkdir()
    (tmp_path / "mapper/control").touch()
    run = shell.run("--only", "dmcrypt", STUB_LOOP="/dev/loop-stub")
    assert run.returncode == 0, run.stderr
    (log,) = shell.out.glob("dm-crypt.*.log")
    found = blocks(log)
    assert [b.words["repetition"] for b in found] == ["1", "2", "3"]
    assert {b.words["cipher"] for b in found} == {"aes-cbc-null"}
    assert all((DATA / "hdparm.out").read_text() in b.output for b in found)
    calls = (tmp_path / "calls").read_text().splitlines()
    made = next(i for i, call in enumerate(calls) if call.startswith("mount "))
    unmounted = next(i for i, call in enumerate(calls) if call.startswith("umount "))
    closed = next(i for i, call in enumerate(calls) if "luksClose" in call)
    assert made < unmounted < closed
    assert not Path("/dev/shm/perfguide-crypt.img").exists()


@pytest.mark.skipif(os.geteuid() != 0, reason="dm-crypt needs root")
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_killed_beside_copies_leaves_no_device(number: signal.Signals, tmp_path: Path) -> None:
    shell = make_shell("dash", tmp_path, crypt=True)
    (tmp_path / "mapper").mkdir()
    (tmp_path / "mapper/control").touch()
    arguments = ["--only", "sweep", *STUB[:-2], "--workloads", "dm-crypt", "--engines", "sw", "--nice", "0",
                 "--threads", "1", "--copiers", "2", "--seconds", "2"]  # fmt: skip
    process = shell.start(*arguments, STUB_LOOP="/dev/loop-stub", STUB_SLEEP="30")
    wait_until(lambda: (shell.out / ".state/job").exists() and len(copiers(process.pid)) == 2)
    process.send_signal(number)
    process.wait()
    if number == signal.SIGKILL:
        assert shell.run("--only", "cyclictest", "--plan").returncode == 0
    wait_until(lambda: not copiers(process.pid) and not loops_of(process.pid), 5)
    calls = (tmp_path / "calls").read_text()
    assert f"umount {shell.out}/.state/mnt" in calls
    assert "cryptsetup luksClose perfguide-crypt" in calls
    assert "losetup -d /dev/loop-stub" in calls
    left = ("perfguide-crypt.img", "perfguide-source", "perfguide-lmbench")
    assert not [name for name in left if Path("/dev/shm", name).exists()]


def copiers(pid: int) -> list[int]:
    return [copier for copier in processes("perfguide-copier") if copier in processes(str(pid))]


@pytest.mark.parametrize(
    "arguments",
    [["--nice", "21"], ["--nice", "x"], ["--only", "everything"], ["--seconds", "0"], ["--no-such"],
     ["--algorithms", "../x"], ["--programs", "doom"], ["word"], ["--core", "9999"]],
)  # fmt: skip
def test_wrong_usage_ends_with_two(arguments: list[str], tmp_path: Path) -> None:
    run = make_shell("dash", tmp_path).run(*arguments)
    assert run.returncode == 2
    assert run.stderr.startswith("run.sh: ")


def test_help_names_every_option(tmp_path: Path) -> None:
    run = make_shell("dash", tmp_path).run("--help")
    assert run.returncode == 0
    options = set(re.findall(r"^ +(--[a-z-]+)\)", (RUNNER / "lib/options.sh").read_text(), re.M))
    assert options >= {"--nice", "--loops", "--repetitions"}
    for option in options:
        assert option in run.stdout


def test_short_run_for_real(tmp_path: Path) -> None:
    program("openssl")
    program("taskset", "util-linux")
    shell = Shell(["dash"], os.environ["PATH"], tmp_path / "out")
    run = shell.run(
        "--only", "sweep", "--workloads", "alone", "--accelerators", "", "--algorithms", "aes-128-cbc",
        "--engines", "sw", "--nice", "5", "--threads", "1", "--block-sizes", "1024", "--seconds", "1",
        "--repetitions", "1",
    )  # fmt: skip
    assert run.returncode == 0, run.stderr
    found = all_blocks(shell.out)
    assert {(b.words["nice"], b.words["block_sizes"]) for b in found} == {("5", "1024")}
    for block in found:
        assert block.end["status"] == "0"
        assert re.search(r"^AES-128-CBC +[\d.]+k$", block.output, re.M | re.I)
        assert "Percent of CPU this job got" in block.output
    json.loads((shell.out / "environment.json").read_text())
