"""The loop over the boards of a lab: folders stand for boards, and a local shell for SSH."""

from __future__ import annotations

import os
import subprocess
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
import yaml
from corpus import DATA as LOGS
from debian import program
from runner_shell import RUNNER, SHELLS, TRIED_SHELLS, blocks, make_shell, replaying

LAB = RUNNER / "lab"


def remote(folder: Path) -> Path:
    """Stands for ssh: each address is a folder, in which /PERFGUIDE of the board is.

    ``down`` is never reached, and ``shy`` not at the first try.
    """
    path = folder / "remote"
    path.write_text(f"""#!/bin/sh
root={folder}/boards/$1
case $1 in
    down) echo 'ssh: connect to host down: No route to host' >&2; exit 255 ;;
    shy) if [ ! -e {folder}/tried ]; then touch {folder}/tried; exit 255; fi ;;
esac
mkdir -p "$root"
printf '%s %s\\n' "$1" "$2" >>{folder}/commands
exec sh -c "$(printf '%s\\n' "$2" | sed "s#/PERFGUIDE#$root#g")"
""")
    path.chmod(0o755)
    return path


@pytest.fixture(params=TRIED_SHELLS)
def lab(request: pytest.FixtureRequest, tmp_path: Path) -> Lab:
    return Lab(request.param, tmp_path)


class Lab:
    """A lab of boards that all have CoreMark."""

    def __init__(self, shell: str, folder: Path) -> None:
        self.folder, self.out = folder, folder / "logs"
        self._shell = make_shell(shell, folder)
        replaying(folder / "here", "coremark", LOGS / "coremark/1.0.log")
        self._remote = remote(folder)

    def run(self, boards: str, *arguments: str) -> subprocess.CompletedProcess[str]:
        (self.folder / "boards.txt").write_text(boards)
        return subprocess.run(
            [*self._shell.argv, str(LAB / "boards.sh"), "-b", str(self.folder / "boards.txt"),
             "-o", str(self.out), "-r", str(self._remote), "-d", "/PERFGUIDE", "-w", "0", *arguments,
             "--", "--only", "programs", "--programs", "coremark", "--runner", "the 'lab'"],
            env=self._shell.environment(PATH=f"{self.folder / 'here'}:{self._shell.path}"),
            capture_output=True, text=True, timeout=60, check=False,
        )  # fmt: skip

    def report(self) -> dict[str, tuple[str, str]]:
        lines = (line.split("\t") for line in (self.out / "report.txt").read_text().splitlines())
        return {name: (state, what) for name, state, _, what in lines}


def test_each_board_is_run_and_reported(lab: Lab) -> None:
    names = [f"board-{number}" for number in range(4)]
    boards = "".join(f"{name} {name} --soc AM62X --board {name}\n" for name in names)
    run = lab.run(f"# the lab\n{boards}\ndead down\nlate shy # in the cellar\nnowhere\n", "-j", "3")
    assert run.returncode == 1
    report = lab.report()
    assert list(report) == [*names, "dead", "late", "nowhere"]
    for name in [*names, "late"]:
        assert report[name][0] == "done", run.stderr
        assert report[name][1].startswith("1 done, ")
        (block,) = blocks(lab.out / name / "coremark.log")
        assert block.output == (LOGS / "coremark/1.0.log").read_text()
    for name in names:
        text = (lab.out / name / "environment.json").read_text()
        assert f'"name": "{name}"' in text
        assert "the 'lab'" in text
    assert report["dead"][0] == "unreachable"
    assert "after 3 tries: ssh: connect to host down: No route to host" in report["dead"][1]
    assert report["nowhere"] == ("failed", "its line has no address")
    # The same command again measures nothing anew.
    before = (lab.out / "board-0/coremark.log").read_bytes()
    assert lab.run("board-0 board-0 --soc AM62X --board board-0\n").returncode == 0
    assert (lab.out / "board-0/coremark.log").read_bytes() == before
    assert not list((lab.out / ".state").glob("*.lock"))


def test_a_board_that_is_being_run_is_left_alone_and_a_dead_lock_is_not(tmp_path: Path) -> None:
    lab = Lab("dash", tmp_path)
    for name, pid in (("held", os.getpid()), ("dead", 2**22 + 1)):
        lock = lab.out / f".state/{name}.lock"
        lock.mkdir(parents=True)
        (lock / "pid").write_text(f"{pid}\n")
    assert lab.run("held a\ndead b\n").returncode == 1
    assert lab.report()["held"] == ("busy", "another boards.sh runs it")
    assert lab.report()["dead"][0] == "done"
    assert "a " not in (tmp_path / "commands").read_text().splitlines()[0]
    assert (lab.out / ".state/held.lock/pid").read_text() == f"{os.getpid()}\n"
    # -n leaves the others out.
    assert lab.run("held a\ndead b\n", "-n", "dead").returncode == 0
    assert list(lab.report()) == ["dead"]


def test_a_board_whose_runner_refuses_has_failed_with_its_words(tmp_path: Path) -> None:
    lab = Lab("dash", tmp_path)
    run = lab.run("one one --no-such-option x\n", "-t", "2")
    assert run.returncode == 1
    state, what = lab.report()["one"]
    assert (state, "after 2 tries" in what) == ("failed", True)
    assert "there is no option --no-such-option" in (lab.out / "one/console.txt").read_text()


@pytest.mark.parametrize(
    "arguments", [["-j", "x"], ["-d", "relative"], ["-d", "/a b"], ["-n", "no"]]
)
def test_wrong_use_ends_with_two(arguments: list[str], tmp_path: Path) -> None:
    run = Lab("dash", tmp_path).run("one one\n", *arguments)
    assert run.returncode == 2
    assert run.stderr.startswith("boards.sh: ")


def test_lava_gets_a_case_for_each_benchmark(tmp_path: Path) -> None:
    (tmp_path / "summary.txt").write_text(
        "done: 7-zip: 7z\nskipped: engine hw: this board has none\nwarning: nice: no effect\n"
        "failed: coremark -x: status 1, see coremark.log\n"
    )
    said = replaying(tmp_path, "lava-test-case", first=f'echo "$*" >>{tmp_path}/cases')
    cases = ["dash", str(LAB / "lava/cases.sh")]
    environment = {"PATH": f"{said.parent}:{os.environ['PATH']}"}
    assert subprocess.run([*cases, str(tmp_path)], env=environment, check=False).returncode == 0
    assert (tmp_path / "cases").read_text().splitlines() == [
        "perfguide-runner --result pass",
        "7-zip --result pass",
        "engine-hw --result skip",
        "coremark--x --result fail",
    ]
    assert subprocess.run([*cases, "/nonexistent"], env=environment, check=False).returncode == 1
    definition = yaml.safe_load((LAB / "lava/perfguide.yaml").read_text())
    steps = "\n".join(definition["run"]["steps"])
    assert "runner/run.sh" in steps
    assert "lava/cases.sh" in steps
    assert set(definition["params"]) == {"BOARD", "SOC", "SDK", "RUNNER_OPTIONS"}


def test_shellcheck_finds_nothing_in_the_lab() -> None:
    program("shellcheck")
    scripts = [str(path) for path in sorted(LAB.rglob("*.sh"))]
    run = subprocess.run(
        ["shellcheck", "-s", "sh", *scripts], capture_output=True, text=True, check=False
    )
    assert (run.returncode, run.stdout) == (0, "")


class Inbox(ThreadingHTTPServer):
    """A server that takes files by PUT, after it has failed ``failing`` times."""

    def __init__(self, folder: Path, failing: int) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.folder, self.failing = folder, failing
        self.arrived: list[str] = []


class Handler(BaseHTTPRequestHandler):
    def do_PUT(self) -> None:
        inbox = self.server
        assert isinstance(inbox, Inbox)
        data = self.rfile.read(int(self.headers["Content-Length"]))
        if inbox.failing:
            inbox.failing -= 1
            self.send_error(503)
            return
        inbox.arrived.append(self.path)
        (inbox.folder / Path(self.path).name).write_bytes(data)
        self.send_response(201)
        self.end_headers()

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def outbox(tmp_path: Path) -> Path:
    folder = tmp_path / "outbox"
    folder.mkdir()
    (folder / "a.json").write_text("{}")
    (folder / "a.logs.tar.zst").write_bytes(bytes(range(256)) * 1000)
    (folder / "b.json").write_text("[]")
    (tmp_path / "inbox").mkdir()
    return folder


def upload(*arguments: object, shell: str = "dash") -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*SHELLS[shell], str(LAB / "upload.sh"), *map(str, arguments)],
        capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip


@pytest.mark.parametrize("shell", TRIED_SHELLS)
def test_bundles_arrive_last_by_put_and_once(shell: str, outbox: Path, tmp_path: Path) -> None:
    program("curl")
    inbox = Inbox(tmp_path / "inbox", failing=2)
    thread = threading.Thread(target=inbox.serve_forever)
    thread.start()
    try:
        target = f"http://127.0.0.1:{inbox.server_port}/in/"
        first = upload("-w", "0", "-t", "2", outbox, target, shell=shell)
        # Both tries of the logs failed: the bundles wait, since they belong together, and nothing
        # else is tried at a target that may be down for hours.
        assert first.returncode == 1
        assert "a.logs.tar.zst did not arrive in 2 tries" in first.stderr
        assert "the other files were not sent" in first.stderr
        assert inbox.arrived == []
        again = upload("-w", "0", outbox, target, shell=shell)
        assert again.returncode == 0, again.stderr
        assert inbox.arrived == ["/in/a.logs.tar.zst", "/in/a.json", "/in/b.json"]
        (outbox / "b.json").write_text("[1]")
        assert upload(outbox, target, shell=shell).stdout == "sent: b.json\n"
    finally:
        inbox.shutdown()
        thread.join()
        inbox.server_close()
    for path in outbox.iterdir():
        if not path.name.startswith("."):
            assert (tmp_path / "inbox" / path.name).read_bytes() == path.read_bytes()


def test_rsync_takes_signed_bundles(outbox: Path, tmp_path: Path) -> None:
    program("rsync")
    key, local = tmp_path / "key", tmp_path / "local"
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", key], check=True)
    local.write_text('#!/bin/sh\nshift\nexec "$@"\n')
    local.chmod(0o755)
    (outbox / "b.json").unlink()
    target = f"rsync:web:{tmp_path}/inbox"
    run = upload("-s", key, "-e", local, outbox, target)
    assert run.returncode == 0, run.stderr
    assert run.stdout.splitlines() == ["sent: a.json.sig", "sent: a.logs.tar.zst", "sent: a.json"]
    signature = (tmp_path / "inbox/a.json.sig").read_text()
    assert signature.startswith("-----BEGIN SSH SIGNATURE-----")
    # The same name with other figures, packed the next night, is signed again.
    (outbox / "a.json").write_text("[2]")
    again = upload("-s", key, "-e", local, outbox, target)
    assert again.stdout.splitlines() == ["sent: a.json.sig", "sent: a.json"]
    assert (tmp_path / "inbox/a.json.sig").read_text() != signature


def test_a_name_that_is_not_sent_stops_no_other_log(outbox: Path, tmp_path: Path) -> None:
    program("rsync")
    local = tmp_path / "local"
    local.write_text('#!/bin/sh\nshift\nexec "$@"\n')
    local.chmod(0o755)
    (outbox / "0 odd.txt").write_text("x")
    run = upload("-e", local, outbox, f"rsync:web:{tmp_path}/inbox")
    assert run.returncode == 1
    assert run.stdout == "sent: a.logs.tar.zst\n"
    assert "0 odd.txt: rename it" in run.stderr
    assert "a.json waits" in run.stderr


@pytest.mark.parametrize(
    "target", ["rsync:web", "scp:-oProxyCommand=x:/in", "rsync:web:/in;x", "http://web/in", "ftp://web/"]
)  # fmt: skip
def test_a_target_that_is_none_ends_with_two(target: str, outbox: Path) -> None:
    run = upload(outbox, target)
    assert run.returncode == 2
    assert run.stderr.startswith("upload.sh: ")


def test_the_job_for_lava_runs_the_definition_beside_it() -> None:
    job = yaml.safe_load((LAB / "lava/job.yaml").read_text())
    (test,) = [action["test"] for action in job["actions"] if "test" in action]
    (definition,) = test["definitions"]
    assert (RUNNER.parent / definition["path"]).is_file()
    known = yaml.safe_load((LAB / "lava/perfguide.yaml").read_text())["params"]
    assert set(definition["parameters"]) <= set(known)
    assert [next(iter(action)) for action in job["actions"]] == ["deploy", "boot", "test"]
