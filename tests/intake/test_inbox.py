"""Sound uploads go to the results, others aside with the reason, and none is lost."""

from __future__ import annotations

import fcntl
import gzip
import hashlib
import io
import os
import subprocess
import time
import zipfile
from pathlib import Path
from typing import Any

import pytest
from debian import program
from making import only, plain, result, text

from perfguide.cli.command_line import main
from perfguide.common import parallel
from perfguide.figures.dataset import Settings
from perfguide.intake import pack_logs
from perfguide.intake.pack_logs import LogFile
from perfguide.intake.stored_ids import TAKEN
from perfguide.pages.build import generate

LOGGED = plain(
    result(value=1.5, log={"file": "speed.log", "line": 1}), id="logged", runner__name="lab"
)
LOGS = pack_logs.archive([LogFile("speed.log", b"rate 1.5 MB/s\n")])


class Farm:
    """An inbox, a results folder, and the command run on them."""

    def __init__(self, top: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.top = top
        self.inbox, self.results = top / "inbox", top / "results"
        self.rejected = self.inbox / "rejected"
        for folder in (self.inbox, self.results):
            folder.mkdir()
        self._capsys = capsys

    def put(self, name: str, data: Any) -> Path:
        """Upload a file."""
        path = self.inbox / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data if isinstance(data, bytes) else text(data))
        return path

    def take(self, *options: str | Path) -> tuple[int, str, str]:
        """Exit status, stdout and stderr of one run."""
        given = [str(o) for o in ("--settle", 0, *options)]
        status = main(["intake", str(self.inbox), str(self.results), *given])
        return status, *self.take_said()

    def take_said(self) -> tuple[str, str]:
        """What has been printed since this was asked."""
        said = self._capsys.readouterr()
        return said.out, said.err

    def stored(self) -> dict[str, bytes]:
        """What stands in the results."""
        return tree(self.results)

    def waiting(self) -> dict[str, bytes]:
        """What stands in the inbox, apart from what was refused."""
        return {n: d for n, d in tree(self.inbox).items() if not n.startswith("rejected/")}

    def reason(self, name: str) -> str:
        """Why an upload was refused; the upload has to be there too."""
        assert os.path.lexists(self.rejected / name)
        return (self.rejected / f"{name}.reason.txt").read_text("utf-8")


def tree(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and not path.is_symlink() and not path.name.startswith(".intake.")
    }


@pytest.fixture
def farm(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Farm:
    return Farm(tmp_path, capsys)


def full(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def key(data: bytes) -> str:
    return full(data)[:16]


# -- what is taken -----------------------------------------------------------------


def test_a_sound_upload_is_stored_unchanged_under_a_derived_name(farm: Farm) -> None:
    data = farm.put("lab/Any Name.JSON", plain(id="Lab 3/run 7")).read_bytes()
    status, out, err = farm.take()
    assert (status, err) == (0, "")
    name = f"AM62X/linux/09.01/lab-3-run-7-{key(data)}.json"
    assert farm.stored() == {name: data}
    assert farm.waiting() == {}
    assert out.splitlines() == [
        f"lab/Any Name.JSON: taken: 1 bundle with 1 result in {name}",
        "1 taken, 0 duplicate, 0 refused, 0 waiting, 0 failed",
    ]
    assert main(["check", str(farm.results)]) == 0


def test_logs_go_along_with_their_bundle_and_lead_to_its_lines(
    farm: Farm, capsys: pytest.CaptureFixture[str]
) -> None:
    data = farm.put("run.json", LOGGED).read_bytes()
    farm.put("run.logs.tar.zst", LOGS)
    assert farm.take()[0] == 0
    stem = f"AM62X/linux/09.01/logged-{key(data)}"
    assert farm.stored() == {f"{stem}.json": data, f"{stem}.logs.tar.zst": LOGS}
    assert farm.waiting() == {}
    assert main(["show", "AM62X", "--results", str(farm.results)]) == 0
    assert "log_text rate 1.5 MB/s" in capsys.readouterr().out


def test_a_container_goes_where_its_bundles_have_all_in_common(farm: Farm) -> None:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as container:
        container.writestr("a.json", text(plain(id="a")))
        container.writestr("b.json", text(plain(id="b", sdk__version="09.02")))
    farm.put("all.zip", buffer.getvalue())
    lines = text(plain(id="c")) + b"\n" + text(plain(id="d")) + b"\n"
    farm.put("all.jsonl", lines)
    assert farm.take()[0] == 0
    assert set(farm.stored()) == {
        f"AM62X/linux/several/2-bundles-{key(buffer.getvalue())}.zip",
        f"AM62X/linux/09.01/2-bundles-{key(lines)}.jsonl",
    }


@pytest.mark.parametrize(
    ("name", "changes"),
    [
        ("x.json", {"id": "../../../escaped"}),
        ("x.json", {"board__soc": "../../escaped"}),
        ("x.json", {"sdk__os": ".."}),
        ("x.json", {"sdk__version": "/etc/passwd"}),
        ("x.json", {"board__soc": "a" * 200, "id": "é" * 200}),
        ("-rf *.json", {"board__soc": "CON", "sdk__version": ".hidden"}),
        ("new\nline\x1b[2J.json", {}),
        ("..json.json", {"sdk__version": "x.json"}),
    ],
)
def test_no_name_of_an_upload_becomes_a_path(
    farm: Farm, name: str, changes: dict[str, Any]
) -> None:
    data = farm.put(f"lab {name}", plain(**changes)).read_bytes()
    status, out, _ = farm.take()
    assert status == 0
    assert all(line.isprintable() for line in out.splitlines())
    stored = only(list(farm.stored().items()))
    assert stored[1] == data
    parts = stored[0].split("/")
    assert len(parts) == 4
    assert all(part[0].isalnum() and len(part) < 120 for part in parts)
    assert set(farm.top.iterdir()) == {farm.inbox, farm.results}


# -- what is left, and what is refused ---------------------------------------------


def test_what_may_still_be_on_its_way_is_left_alone(farm: Farm) -> None:
    for name in (".run.json", "run.json.part", "run.json.tmp", "run.json~", ".git/run.json"):
        farm.put(name, plain())
    old = farm.put("fresh.json", plain())
    os.utime(old, (1, 1))  # as a sender can; it is fresh all the same
    before = farm.waiting()
    assert farm.take("--settle", "30")[:2] == (
        0,
        "fresh.json: waiting: changed too recently\n0 taken, 0 duplicate, 0 refused, 1 waiting, 0 failed\n",
    )
    assert (farm.waiting(), farm.stored()) == (before, {})


def test_an_upload_waits_for_logs_that_are_still_written(farm: Farm) -> None:
    farm.put("run.json", LOGGED)
    time.sleep(1.2)
    farm.put("run.logs.tar.zst", LOGS)
    assert "run.json: waiting" in farm.take("--settle", "1")[1]
    time.sleep(1.2)
    assert farm.take("--settle", "1")[0] == 0
    assert len(farm.stored()) == 2


def test_an_upload_with_faults_is_kept_aside_with_all_of_them(farm: Farm) -> None:
    bad = plain(result(unit="MB/s"))
    bad["results"][0]["metrik"] = bad["results"][0].pop("metric")
    data = farm.put("lab/run.json", bad).read_bytes()
    status, _, err = farm.take()
    assert status == 1
    assert "lab/run.json: refused: has faults" in err
    assert (farm.rejected / "lab-run.json").read_bytes() == data
    reason = farm.reason("lab-run.json")
    assert "/results/0: error: “metric” is missing" in reason
    assert "did you mean “metric”?" in reason
    assert (farm.stored(), farm.waiting()) == ({}, {})
    assert farm.take()[0] == 0


def test_a_refused_upload_keeps_what_came_with_it_and_hides_no_other(farm: Farm) -> None:
    for number in range(3):
        farm.put("run.json", b"{" + str(number).encode())
        farm.put("run.logs.tar.zst", LOGS + str(number).encode())
        farm.put("run.json.sha256", b"x")
        assert farm.take()[0] == 1
    names = {path.name for path in farm.rejected.iterdir()}
    for prefix in ("", "2-", "3-"):
        for ending in ("json", "json.reason.txt", "json.sha256", "logs.tar.zst"):
            assert f"{prefix}run.{ending}" in names
    assert (farm.rejected / "2-run.json").read_bytes() == b"{1"
    assert (farm.rejected / "2-run.logs.tar.zst").read_bytes() == LOGS + b"1"


def test_one_bad_bundle_in_a_container_keeps_the_whole_aside(farm: Farm) -> None:
    farm.put("all.jsonl", text(plain(id="a")) + b"\n{\n")
    assert farm.take()[0] == 1
    assert "all.jsonl#2:2: error:" in farm.reason("all.jsonl")
    assert farm.stored() == {}


@pytest.mark.parametrize(
    ("name", "data", "reason"),
    [
        ("empty.json", b"", "it is empty"),
        ("none.jsonl", b"\n", "has no bundle"),
        ("tool.exe", b"MZ", "not a kind of file that contains bundles"),
        ("cut.json.gz", b"\x1f\x8b\x08\x00", "cannot be read"),
        ("twice.jsonl", text(plain()) + b"\n" + text(plain(results=[result(value=2)])), "run-1"),
        (
            "setups.json",
            text(plain(*(result(setup={"card": c}) for c in "AB"))),
            "“A” at /results/0",
        ),
    ],
)
def test_the_reason_says_what_is_wrong(farm: Farm, name: str, data: bytes, reason: str) -> None:
    farm.put(name, data)
    assert farm.take()[0] == 1
    assert reason in farm.reason(name)
    assert farm.stored() == {}


def test_figures_of_another_setup_than_those_stored_are_refused_until_they_replace_them(
    farm: Farm,
) -> None:
    of_lab = {"runner__name": "lab"}
    farm.put("one.json", plain(result(setup={"card": "A"}), id="one", **of_lab))
    assert farm.take()[0] == 0
    other = plain(result(setup={"card": "B"}), id="two", created="2024-05-02T09:30:00Z", **of_lab)
    farm.put("two.json", other)
    assert farm.take()[0] == 1
    assert "card is “B” at /results/0 and “A” at /results/0 of AM62X/" in farm.reason("two.json")
    farm.put("three.json", other | {"supersedes": ["one"]})
    assert farm.take()[0] == 0


def test_links_and_devices_are_moved_aside_and_never_opened(farm: Farm) -> None:
    secret = farm.top / "secret.json"
    secret.write_bytes(text(plain(id="secret")))
    outside = farm.top / "outside"
    outside.mkdir()
    (outside / "deep.json").write_bytes(text(plain(id="deep")))
    (farm.inbox / "link.json").symlink_to(secret)
    (farm.inbox / "gone.json").symlink_to("nowhere")
    (farm.inbox / "folder").symlink_to(outside)
    os.mkfifo(farm.inbox / "pipe.json")
    farm.put("run.json", plain())
    (farm.inbox / "run.logs.tar.zst").symlink_to(secret)
    assert farm.take()[0] == 1
    assert farm.stored() == {}
    for name in ("link.json", "gone.json", "pipe.json", "run.json"):
        assert "it is not a regular file" in farm.reason(name)
    assert "not a kind of file" in farm.reason("folder")
    assert (farm.rejected / "link.json").is_symlink()
    assert secret.is_file() and (outside / "deep.json").is_file()


def test_logs_without_their_upload_wait_and_then_go_aside(farm: Farm) -> None:
    farm.put("run.logs.tar.zst", LOGS)
    farm.put("run.json.sig", b"x")
    status, out, _ = farm.take()
    assert status == 0
    assert out.count("waits for the upload that it belongs to") == 2
    assert farm.take("--patience", "0")[0] == 1
    assert "belongs to no upload" in farm.reason("run.logs.tar.zst")


@pytest.mark.parametrize(
    "data", [LOGS[:-5], b"no archive", pack_logs.archive([LogFile("x", b"\0" * 50_000_000)])]
)
def test_logs_that_cannot_be_read_keep_their_bundle_aside(farm: Farm, data: bytes) -> None:
    farm.put("run.json", LOGGED)
    farm.put("run.logs.tar.zst", data)
    assert farm.take()[0] == 1
    assert "its logs, run.logs.tar.zst, cannot be read" in farm.reason("run.json")
    assert (farm.rejected / "run.logs.tar.zst").read_bytes() == data


# -- duplicates and conflicts --------------------------------------------------------


def test_what_is_stored_already_is_not_stored_twice(farm: Farm) -> None:
    farm.put("run.json", LOGGED)
    farm.put("run.logs.tar.zst", LOGS)
    farm.take()
    before = farm.stored()
    farm.put("again.json", LOGGED)
    farm.put("again.logs.tar.zst", LOGS)
    farm.put("other layout.jsonl", text(dict(reversed(LOGGED.items()))))
    status, out, _ = farm.take()
    assert (status, out.count("duplicate: is already stored as AM62X/")) == (0, 2)
    assert (farm.stored(), farm.waiting()) == (before, {})


def test_a_duplicate_with_other_logs_is_kept_aside(farm: Farm) -> None:
    farm.put("run.json", LOGGED)
    farm.take()
    farm.put("run.json", LOGGED)
    farm.put("run.logs.tar.zst", LOGS)
    assert farm.take()[0] == 1
    assert "not with these logs" in farm.reason("run.json")
    assert (farm.rejected / "run.logs.tar.zst").read_bytes() == LOGS


def test_bundles_put_there_by_hand_count_too(farm: Farm) -> None:
    (farm.results / "hand").mkdir()
    (farm.results / "hand/all.jsonl").write_bytes(b"\n" + text(plain(id="a")) + b"\n")
    (farm.results / "hand/broken.json").write_bytes(b"{")
    farm.put("a.json", plain(id="a"))
    farm.put("b.json", plain(result(value=7), id="a"))
    status, out, err = farm.take()
    assert status == 1
    assert "a.json: duplicate: is already stored as hand/all.jsonl#2" in out
    assert "the id “a” is that of hand/all.jsonl#2, with different content" in err


def test_of_two_contents_under_one_id_the_first_stays_and_the_other_goes_aside(
    farm: Farm,
) -> None:
    first = farm.put("1.json", plain(result(value=1))).read_bytes()
    farm.put("2.json", plain(result(value=2)))
    assert farm.take()[0] == 1
    assert list(farm.stored().values()) == [first]
    assert "“run-1” is that of AM62X/linux/09.01/run-1-" in farm.reason("2.json")
    assert main(["check", str(farm.results)]) == 0


# -- checksums and signatures --------------------------------------------------------


def test_a_checksum_has_to_be_right(farm: Farm) -> None:
    data = farm.put("good.json", plain(id="good")).read_bytes()
    farm.put("good.json.sha256", f"{hashlib.sha256(data).hexdigest()}  good.json\n".encode())
    farm.put("bad.json", plain(id="bad"))
    farm.put("bad.json.sha256", f"{'0' * 64}  bad.json\n".encode())
    assert farm.take()[0] == 1
    assert list(farm.stored().values()) == [data]
    assert "has the SHA-256" in farm.reason("bad.json")
    assert farm.waiting() == {}


class Signer:
    """A runner's key, made by ssh-keygen, and its line for the file of signers."""

    def __init__(self, folder: Path, name: str) -> None:
        program("ssh-keygen", "openssh-client")
        self.key = folder / f"key-{name.replace(' ', '-')}"
        make = ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "", "-f", str(self.key)]
        subprocess.run(make, check=True)
        public = self.key.with_suffix(".pub").read_text().strip()
        self.line = f'"{name}" {public}\n'

    def sign(self, path: Path, namespace: str = "perfguide") -> None:
        """Write the signature beside a file."""
        signing = ["ssh-keygen", "-q", "-Y", "sign", "-n", namespace, "-f", str(self.key)]
        subprocess.run([*signing, str(path)], check=True, capture_output=True)


@pytest.fixture(scope="module")
def runners(tmp_path_factory: pytest.TempPathFactory) -> tuple[Signer, Signer, Path]:
    folder = tmp_path_factory.mktemp("keys")
    lab, other = Signer(folder, "lab 3"), Signer(folder, "other")
    allowed = folder / "allowed_signers"
    allowed.write_text(lab.line + other.line)
    return lab, other, allowed


def test_what_its_runner_signed_is_taken_with_the_signature(
    farm: Farm, runners: tuple[Signer, Signer, Path]
) -> None:
    lab, _, allowed = runners
    path = farm.put("run.json", LOGGED | {"runner": {"name": "lab 3"}})
    packed = farm.put("run.logs.tar.zst", LOGS)
    lab.sign(path)
    lab.sign(packed)
    status, _, err = farm.take("--allowed-signers", allowed, "--require-signature")
    assert (status, err) == (0, "")
    stored = farm.stored()
    assert sorted(name.partition("-")[2][16:] for name in stored) == [
        ".json",
        ".json.sig",
        ".logs.tar.zst",
        ".logs.tar.zst.sig",
    ]
    name = next(name for name in stored if name.endswith(".json"))
    verify = ["ssh-keygen", "-Y", "verify", "-f", str(allowed), "-I", "lab 3", "-n", "perfguide"]
    verify += ["-s", str(farm.results / f"{name}.sig")]
    assert subprocess.run(verify, input=stored[name], capture_output=True).returncode == 0


@pytest.mark.parametrize("how", ["altered", "other", "namespace", "nobody", "logs", "garbage"])
def test_what_another_signed_is_kept_aside(
    farm: Farm, runners: tuple[Signer, Signer, Path], how: str
) -> None:
    lab, other, allowed = runners
    about = {} if how == "nobody" else {"runner": {"name": "lab 3"}}
    path = farm.put("run.json", plain(**about))
    if how == "garbage":
        farm.put("run.json.sig", b"no signature")
    else:
        signer = other if how == "other" else lab
        signer.sign(path, "file" if how == "namespace" else "perfguide")
    if how == "altered":
        path.write_bytes(path.read_bytes() + b"\n")
    if how == "logs":
        other.sign(farm.put("run.logs.tar.zst", LOGS))
    assert farm.take("--allowed-signers", allowed)[0] == 1
    expected = "does not name the runner" if how == "nobody" else "is not valid for “lab 3”"
    assert expected in farm.reason("run.json")
    assert (farm.rejected / "run.json.sig").is_file()
    assert farm.stored() == {}


def test_a_signature_can_be_required(farm: Farm, runners: tuple[Signer, Signer, Path]) -> None:
    lab, _, allowed = runners
    farm.put("plain.json", plain(id="unsigned"))
    assert farm.take("--allowed-signers", allowed)[0] == 0
    farm.put("other.json", plain(id="other"))
    path = farm.put("logs.json", plain(id="with logs", runner={"name": "lab 3"}))
    lab.sign(path)
    farm.put("logs.logs.tar.zst", LOGS)
    assert farm.take("--allowed-signers", allowed, "--require-signature")[0] == 1
    assert "other.json is not signed" in farm.reason("other.json")
    assert "logs.logs.tar.zst is not signed" in farm.reason("logs.json")


SPEED = b"""\
The 'numbers' are in 1000s of bytes per second processed.
type             16 bytes     64 bytes    256 bytes   1024 bytes   8192 bytes  16384 bytes
aes-128-cbc        503.88k     1997.67k     6234.37k    13145.77k    24223.74k    24000.00k
"""


def packed(farm: Farm, runner: str) -> tuple[Path, dict[str, bytes]]:
    """A run as ``pack`` uploads it, with its logs, which are given too."""
    kept = {"speed.log": SPEED, "dmesg.txt": b"booted\n", "old.log.gz": gzip.compress(b"older")}
    folder = farm.top / "logs"
    folder.mkdir()
    for name, data in kept.items():
        (folder / name).write_bytes(data)
    path = farm.inbox / "run.json"
    who = ["--board", "sk", "--soc", "AM62X", "--sdk", "09.01", "--os", "linux"]
    command = ["pack", str(folder), "-o", str(path), "--runner", runner, *who]
    assert main([*command, "--created", "2024-04-02T09:30:00Z", "--param", "engine=sw"]) == 0
    farm.take_said()
    kept["old.log"] = gzip.decompress(kept.pop("old.log.gz"))  # as it is packed
    return path, kept


@pytest.mark.parametrize("how", ["as packed", "altered", "added", "missing"])
def test_the_signature_of_a_bundle_holds_for_the_logs_that_it_was_packed_with(
    farm: Farm, runners: tuple[Signer, Signer, Path], how: str
) -> None:
    lab, _, allowed = runners
    path, kept = packed(farm, "lab 3")
    lab.sign(path)
    if how == "altered":
        kept["speed.log"] = SPEED.replace(b"503.88k", b"903.88k")
    elif how == "added":
        kept["more.log"] = b"another\n"
    elif how == "missing":
        del kept["dmesg.txt"]
    if how != "as packed":
        farm.put("run.logs.tar.zst", pack_logs.archive([LogFile(*log) for log in kept.items()]))
    status, _, err = farm.take("--allowed-signers", allowed, "--require-signature")
    if how == "as packed":
        assert (status, err) == (0, "") and len(farm.stored()) == 3
        return
    assert status == 1 and farm.stored() == {}
    said = {
        "altered": f"“speed.log” in run.logs.tar.zst has the SHA-256 {full(kept['speed.log'])}",
        "added": "“more.log” in run.logs.tar.zst is not one of those that were packed",
        "missing": "“dmesg.txt” is not in run.logs.tar.zst",
    }
    assert said[how] in farm.reason("run.json")


def test_lines_of_a_log_that_was_exchanged_later_are_not_shown(farm: Farm) -> None:
    packed(farm, "lab 3")
    assert farm.take()[0] == 0
    (archive,) = farm.results.rglob("*.logs.tar.zst")
    show = ["show", "AM62X/latest/*/openssl", "--results", str(farm.results)]
    main(show)
    assert "503.88k" in farm.take_said()[0]
    changed = SPEED.replace(b"503.88k", b"903.88k")
    archive.write_bytes(pack_logs.archive([LogFile("speed.log", changed)]))
    main(show)
    out, _ = farm.take_said()
    assert "aes-128-cbc" in out and "03.88k" not in out
    settings = Settings((farm.results,), (), farm.top / "pages", formats=())
    (told,) = generate(settings, run=parallel.here).diagnostics
    assert "is not the one that was packed with the bundle" in told.message


def test_no_runner_takes_the_id_of_anothers_coming_run(
    farm: Farm, runners: tuple[Signer, Signer, Path]
) -> None:
    lab, other, allowed = runners
    take = ("--allowed-signers", allowed, "--require-signature")
    coming: dict[str, Any] = {"id": "lab-3-2024-05-01"}
    own = {"runner": {"name": "other"}, **coming}
    other.sign(farm.put("first.json", plain(**own)))
    gone = plain(id="gone", runner={"name": "other"}, supersedes=["lab-3-2024-05-02"])
    other.sign(farm.put("gone.json", gone))
    assert farm.take(*take)[0] == 0
    for name, data in (
        ("run.json", plain(result(value=2.0), runner={"name": "lab 3"}, **coming)),
        ("next.json", plain(runner={"name": "lab 3"}, id="lab-3-2024-05-02")),
    ):
        lab.sign(farm.put(name, data))
        status, _, err = farm.take(*take)
        assert (status, err) == (0, "")
    assert main(["check", str(farm.results)]) == 0
    # An id is still that of one run of its runner.
    again = plain(result(value=3.0), runner={"name": "lab 3"}, **coming)
    lab.sign(farm.put("again.json", again))
    assert farm.take(*take)[0] == 1
    assert "the id “lab-3-2024-05-01” is that of" in farm.reason("again.json")
    for path in farm.results.rglob("*.json"):
        path.unlink()
    lab.sign(farm.put("run.json", plain(result(value=2.0), runner={"name": "lab 3"}, **coming)))
    assert farm.take(*take)[0] == 1
    assert "has since been removed" in farm.reason("run.json")


def test_a_damaged_file_of_signers_moves_nothing(
    farm: Farm, runners: tuple[Signer, Signer, Path]
) -> None:
    lab, _, allowed = runners
    lab.sign(farm.put("run.json", plain(runner={"name": "lab 3"})))
    waiting = farm.waiting()
    sound = allowed.read_text("utf-8")
    for damaged in ("", "# nobody\n", sound + "lab 4 ssh-ed25519 AAAAnokey\n", sound[:-40] + "\n"):
        allowed.write_text(damaged, "utf-8")
        status, _, err = farm.take("--allowed-signers", allowed)
        assert status == 2 and "nothing was moved" in err and str(allowed) in err
        assert farm.waiting() == waiting and farm.stored() == {}
    allowed.write_text(f"# the lab\n\n{sound}", "utf-8")
    assert farm.take("--allowed-signers", allowed)[0] == 0


# -- what was there before -----------------------------------------------------------


def test_a_run_that_was_withdrawn_is_not_taken_again(farm: Farm) -> None:
    first = farm.put("first.json", plain(id="first")).read_bytes()
    assert farm.take()[0] == 0
    farm.put("second.json", plain(id="second", supersedes=["first"]))
    assert farm.take()[0] == 0
    for path in farm.results.rglob("first*.json"):
        path.unlink()
    farm.put("again.json", first)
    assert farm.take()[0] == 1
    assert "has been withdrawn by “second”" in farm.reason("again.json")


def test_a_run_that_was_removed_is_not_taken_again_until_its_id_is_forgotten(farm: Farm) -> None:
    data = farm.put("run.json", plain(id='a "run"')).read_bytes()
    assert farm.take()[0] == 0
    (stored,) = farm.stored()
    (farm.results / stored).unlink()
    farm.put("run.json", data)
    assert farm.take()[0] == 1
    assert "has since been removed" in farm.reason("run.json")
    (farm.results / TAKEN).unlink()
    farm.put("run.json", data)
    assert farm.take()[0] == 0 and set(farm.stored()) == {stored}


def test_folders_without_an_end_stop_nothing(farm: Farm) -> None:
    here = Path.cwd()
    os.chdir(farm.inbox)
    try:
        for _ in range(1200):
            Path("a").mkdir()
            os.chdir("a")
    finally:
        os.chdir(here)
    farm.put("z.json", plain())
    status, out, err = farm.take()
    # Python's own way to remove folders, by which tests are cleared, goes no deeper than a thousand.
    subprocess.run(["rm", "-r", farm.inbox / "a"], check=True)
    assert status == 2 and "nested more than 20 levels deep" in err and "z.json: taken" in out


def test_one_upload_is_of_so_many_guides_at_most(farm: Farm) -> None:
    bundles = [plain(id=f"run-{n}", board__soc=f"S{n}") for n in range(501)]
    farm.put("all.jsonl", b"\n".join(map(text, bundles)))
    farm.put("most.jsonl", b"\n".join(map(text, bundles[:-1])))
    # Each guide has one figure here, and so many guides more files than such an upload may make.
    files = ("--limit", "files=100000")
    assert farm.take(*files)[0] == 1
    assert "would produce 501 guides where the limit “guides” allows 500" in farm.reason(
        "all.jsonl"
    )
    assert farm.take(*files, "--limit", "guides=501")[0] == 0


# -- usage ---------------------------------------------------------------------------


def test_wrong_usage_touches_nothing(farm: Farm) -> None:
    farm.put("run.json", plain())
    inside = farm.results / "inbox"
    inside.mkdir()
    for arguments, said in (
        ([farm.top / "nowhere", farm.results], "there is no such folder"),
        ([farm.inbox, farm.top / "nowhere"], "there is no such folder"),
        ([inside, farm.results], "must not be inside each other"),
        ([farm.inbox, farm.results, "--rejected", inside], "inside the results"),
        ([farm.inbox, farm.results, "--require-signature"], "needs --allowed-signers"),
        ([farm.inbox, farm.results, "--allowed-signers", farm.top / "x"], "no such file"),
    ):
        assert main(["intake", *map(str, arguments)]) == 2
        assert said in farm._capsys.readouterr().err
    assert (farm.stored(), list(farm.waiting())) == ({}, ["run.json"])


def test_a_folder_for_refused_uploads_can_be_named(farm: Farm) -> None:
    farm.put("run.json", b"{")
    assert farm.take("--rejected", farm.top / "aside")[0] == 1
    assert {p.name for p in (farm.top / "aside").iterdir()} == {"run.json", "run.json.reason.txt"}


def test_quietly_it_says_only_what_was_refused(farm: Farm) -> None:
    farm.put("good.json", plain())
    assert farm.take("-q") == (0, "", "")
    farm.put("bad.json", b"{")
    status, out, err = farm.take("-q")
    assert (status, out) == (1, "")
    assert err.startswith("bad.json: refused:")


def test_while_another_intake_is_at_work_nothing_is_done(farm: Farm) -> None:
    farm.put("run.json", plain())
    with (farm.results / ".intake.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        status, out, _ = farm.take()
    assert status == 0
    assert out.startswith("nothing done: another intake is running")
    assert list(farm.waiting()) == ["run.json"]
    assert "1 taken" in farm.take()[1]
