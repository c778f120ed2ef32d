"""From a board's logs to a bundle by the command, as its users run it."""

from __future__ import annotations

import gzip
import io
import json
import lzma
import subprocess
import sys
import tarfile
import textwrap
from collections.abc import Callable
from pathlib import Path

import pytest
import zstandard
from conftest import TOP

from perfguide.bundles.faults import validate
from perfguide.cli import command_line
from perfguide.common import parallel
from perfguide.figures import dataset
from perfguide.intake import pack_logs
from perfguide.pages import build

DATA = TOP / "tests/adapters/data"
SWEEP = DATA / "perfguide-runner/sweep-aes-128-cbc-hw.log"
SPEED = """\
$ openssl speed -elapsed -evp aes-128-cbc
OpenSSL 1.1.1k  25 Mar 2021
The 'numbers' are in 1000s of bytes per second processed.
type             16 bytes     64 bytes    256 bytes   1024 bytes   8192 bytes  16384 bytes
aes-128-cbc        503.88k     1997.67k     6234.37k    13145.77k    24223.74k    24000.00k
a line of another program
"""
WHO = ["--board", "sk", "--soc", "AM62X", "--sdk", "09.02", "--os", "linux"]


def _pack(tmp_path: Path, *arguments: str) -> tuple[int, Path]:
    output = tmp_path / "out/run.json"
    return command_line.main(["pack", *arguments, "-o", str(output)]), output


def test_a_copy_of_a_log_counts_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    logs = tmp_path / "logs"
    logs.mkdir()
    for name in ("a.log", "b.log"):
        (logs / name).write_text(SPEED, "utf-8")
    (logs / "c.log").write_text(SPEED.replace("503.88", "504.10"), "utf-8")
    status, output = _pack(tmp_path, str(logs), *WHO)
    assert status == 0
    assert "b.log" in (said := capsys.readouterr()).err and "is a copy of a.log" in said.err
    bundle, _ = validate(output.read_bytes())
    assert bundle is not None and len(bundle.results) == 12


@pytest.mark.parametrize(
    ("ending", "compress"),
    [(".gz", gzip.compress), (".xz", lzma.compress), (".zst", zstandard.compress)],
)
def test_compressed_logs_are_read_and_cut_ones_are_named(
    ending: str,
    compress: Callable[[bytes], bytes],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    log = tmp_path / f"speed.log{ending}"
    log.write_bytes(compress(SPEED.encode()))
    status, output = _pack(tmp_path, str(log), *WHO)
    assert status == 0
    bundle, _ = validate(output.read_bytes())
    assert bundle is not None and len(bundle.results) == 6
    assert {each.log.file for each in bundle.results if each.log} == {"speed.log"}
    log.write_bytes(compress(SPEED.encode())[:-20])
    capsys.readouterr()
    assert _pack(tmp_path, str(log), *WHO)[0] == 3
    assert f"speed.log{ending}: error: cannot be decompressed" in capsys.readouterr().err


def test_json_that_is_cut_gets_a_word_and_several_documents_do_not(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    log = tmp_path / "run.json"
    data = (DATA / "iperf3/3.12-tcp.json").read_bytes()
    log.write_bytes(data[:800])
    assert _pack(tmp_path, str(log), *WHO)[0] == 3
    assert "run.json: warning: ends in the middle of its JSON" in capsys.readouterr().err
    log.write_bytes(b'{"a": 1}\n{"a": 2}\n')
    assert _pack(tmp_path, str(log), *WHO)[0] == 3
    assert "JSON" not in capsys.readouterr().err


def test_a_log_becomes_a_sound_bundle_with_its_log_beside_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "speed.log").write_text(SPEED, "utf-8")
    status, output = _pack(tmp_path, str(tmp_path / "speed.log"), *WHO, "--param", "engine=hw")
    assert status == 0
    found, faults = validate(output.read_bytes())
    assert found is not None and faults == []
    assert (found.board.name, found.board.soc, found.sdk.version) == ("sk", "AM62X", "09.02")
    by_size = {r.params["block_size"]: r for r in found.results}
    assert sorted(by_size) == [16, 64, 256, 1024, 8192, 16384]
    assert by_size[16].samples == [503.88] and by_size[16384].samples == [24000.0]
    assert all(r.params["engine"] == "hw" for r in found.results)
    archive = zstandard.ZstdDecompressor().decompress(
        output.with_suffix(".logs.tar.zst").read_bytes()
    )
    with tarfile.open(fileobj=io.BytesIO(archive)) as logs:
        member = logs.extractfile("speed.log")
        assert member is not None
        lines = member.read().decode("utf-8").split("\n")
    for result in found.results:
        assert result.log is not None and result.log.file == "speed.log"
        assert f"{result.samples[0]:.2f}k" in lines[result.log.line - 1]
    printed = capsys.readouterr().out
    assert "openssl-speed" in printed and "6 results in" in printed


def test_a_runners_folder_says_itself_what_it_is_of(tmp_path: Path) -> None:
    folder = tmp_path / "logs"
    folder.mkdir()
    (folder / SWEEP.name).write_bytes(SWEEP.read_bytes())
    environment = {
        "created": "2024-04-02T09:30:00Z",
        "runner": {"name": "lab", "program": "perfguide-runner"},
        "sdk": {"version": "12", "os": "linux", "kernel": "6.1"},
        "board": {"name": "cpu", "soc": "X86-64", "cpu_mhz": 2600},
        "tools": {"openssl": "3.0.19"},
    }
    (folder / "environment.json").write_text(json.dumps(environment), "utf-8")
    status, output = _pack(tmp_path, str(folder), "--board", "named-here")
    assert status == 0
    found, _ = validate(output.read_bytes())
    assert found is not None
    assert found.board.name == "named-here"  # what is given goes before environment.json
    assert (found.board.soc, found.board.cpu_mhz, found.sdk.kernel) == ("X86-64", 2600, "6.1")
    assert found.tools["openssl"] == "3.0.19"
    assert found.tools["runner.program"] == "perfguide-runner"
    levels = {r.params["nice"] for r in found.results}
    assert levels and all(r.params["background"] == "busy-loop" for r in found.results)
    # The packed sweep is published like any other bundle, all of it in its own tables.
    settings = dataset.Settings((output,), (TOP / "source/benchmarks",), tmp_path / "site")
    outcome = build.generate(settings, run=parallel.here)
    assert not outcome.diagnostics
    guide = (tmp_path / "site/guides/X86-64/linux/12.rst").read_text("utf-8")
    assert "Other results" not in guide and "nice" in guide.lower()


def test_the_same_logs_give_the_same_bundle_and_archive(tmp_path: Path) -> None:
    (tmp_path / "speed.log").write_text(SPEED, "utf-8")
    told = [str(tmp_path / "speed.log"), *WHO, "--created", "2024-04-02T09:30:00Z"]
    first = _pack(tmp_path / "a", *told)[1]
    second = _pack(tmp_path / "b", *told)[1]
    assert first.read_bytes() == second.read_bytes()
    ending = ".logs.tar.zst"
    assert first.with_suffix(ending).read_bytes() == second.with_suffix(ending).read_bytes()


def test_what_is_missing_is_named_with_its_option(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "speed.log").write_text(SPEED, "utf-8")
    status, output = _pack(tmp_path, str(tmp_path / "speed.log"))
    assert status == 2 and not output.exists()
    errors = capsys.readouterr().err
    assert "“board” is missing" in errors and "--board" in errors and "--sdk" in errors


@pytest.mark.parametrize(
    ("arguments", "status", "words"),
    [
        (["nowhere.log", *WHO], 2, "there is no such file"),
        (["LOG", *WHO, "--as", "openssl-sped"], 2, "did you mean “openssl-speed”?"),
        (["LOG", *WHO, "--param", "engine"], 2, "NAME=VALUE"),
        (["EMPTY", *WHO], 3, "no figure in the logs was understood"),
    ],
)
def test_wrong_use_says_what_is_wrong(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    arguments: list[str],
    status: int,
    words: str,
) -> None:
    (tmp_path / "speed.log").write_text(SPEED, "utf-8")
    (tmp_path / "empty.log").write_text("nothing\n", "utf-8")
    places = {"LOG": "speed.log", "EMPTY": "empty.log", "nowhere.log": "nowhere.log"}
    given = [str(tmp_path / places[a]) if a in places else a for a in arguments]
    assert _pack(tmp_path, *given)[0] == status
    assert words in capsys.readouterr().err


def test_lines_that_nobody_understood_are_counted(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "speed.log").write_text(SPEED, "utf-8")
    (tmp_path / "other.log").write_text("hello\nworld\n", "utf-8")
    assert _pack(tmp_path, str(tmp_path / "speed.log"), str(tmp_path / "other.log"), *WHO)[0] == 0
    rows = {line.split()[0]: line for line in capsys.readouterr().out.splitlines()}
    assert "not understood" in rows["other.log"] and rows["other.log"].endswith(" 2")


def test_every_format_has_an_example_that_it_recognises(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert command_line.main(["adapters"]) == 0
    printed = capsys.readouterr().out
    for name in ("openssl-speed", "gnu-time", "hdparm", "fio", "lava-yaml", "phoronix-xml"):
        assert f"{name}: " in printed
    assert command_line.main(["adapters", "hdparn"]) == 2
    assert "did you mean “hdparm”?" in capsys.readouterr().err


def test_a_third_party_adds_a_format_through_an_entry_point(tmp_path: Path) -> None:
    (tmp_path / "their_format.py").write_text(
        textwrap.dedent(
            """\
            from perfguide.adapters import Format, Reading
            from perfguide.bundle import Log, Result

            def read(data, context):
                out = [
                    Result(benchmark="theirs", metric="speed", unit="MB/s",
                           samples=[float(line.split()[1])], log=Log(file=context.file, line=n))
                    for n, line in enumerate(data.decode().splitlines(), start=1)
                    if line.startswith("SPEED ")
                ]
                return Reading(tuple(out), lines=frozenset(r.log.line for r in out))

            FORMAT = Format("theirs", "their program", "SPEED 12.5", lambda d: b"SPEED " in d, read)
            """
        ),
        "utf-8",
    )
    info = tmp_path / "theirs-1.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: theirs\nVersion: 1\n", "utf-8")
    (info / "entry_points.txt").write_text(
        "[perfguide.adapters]\ntheirs = their_format:FORMAT\nbroken = not_there:FORMAT\n", "utf-8"
    )
    (tmp_path / "a.log").write_text("noise\nSPEED 12.5\n", "utf-8")
    run = subprocess.run(
        [sys.executable, "-m", "perfguide", "pack", "a.log", *WHO, "-o", "x.json"],
        cwd=tmp_path,
        env={"PYTHONPATH": f"{tmp_path}:{TOP / 'ext'}", "PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    result = json.loads((tmp_path / "x.json").read_text("utf-8"))["results"][0]
    assert (result["benchmark"], result["samples"], result["log"]["line"]) == ("theirs", [12.5], 2)


def test_bytes_that_are_no_text_do_not_stop_the_packing() -> None:
    found = pack_logs.without_halves(
        {"a\udcfb": ["é\ud83d\ude00", {"b": "\ud800x"}, 1, True, None]}
    )
    assert found == {"a\ufffd": ["é\U0001f600", {"b": "\ufffdx"}, 1, True, None]}
    assert json.dumps(found).isascii() and str(found).encode()


def test_setup_and_notes_are_stated_and_read_from_the_environment(tmp_path: Path) -> None:
    (tmp_path / "speed.log").write_text(SPEED, "utf-8")
    (tmp_path / "environment.json").write_text('{"setup": {"peer": "i225", "card": "x"}}', "utf-8")
    stated = ["--setup", "card=SanDisk 32", "--setup", "vdd.core=0.85", "--note", "no printk"]
    status, output = _pack(tmp_path, str(tmp_path), *WHO, *stated)
    assert status == 0
    found, faults = validate(output.read_bytes())
    assert found is not None and faults == []
    assert found.setup == {"peer": "i225", "card": "SanDisk 32", "vdd.core": 0.85}
    assert [note.text for note in found.notes] == ["no printk"]


def _console(host: str, version: str) -> str:
    head = f"[    0.000000] Linux version {version} (gcc) #1\n"
    return head + "".join(f"2024-04-02T09:30:00 {line}\n" for line in SPEED.splitlines()).replace(
        "$ openssl", f"root@{host}:~# openssl"
    )


def test_a_console_log_of_a_farm_is_read_with_its_date(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "console.log").write_text(_console("am62", "6.1.80"), "utf-16")
    status, output = _pack(tmp_path, str(tmp_path / "console.log"), *WHO)
    assert status == 0
    found, _ = validate(output.read_bytes())
    assert found is not None and len(found.results) == 6
    assert found.created.isoformat() == "2024-04-02T09:30:00+00:00"
    assert {result.log.line for result in found.results if result.log} == {6}
    printed = capsys.readouterr()
    assert "taken off: UTF-16, dates" in printed.out
    assert "according to the first date before the lines" in printed.err


@pytest.mark.parametrize("versions", [("6.1.80", "6.1.80"), ("6.1.80", "6.6.32")])
def test_a_log_of_two_kernels_is_refused_and_one_of_two_boots_is_not(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], versions: tuple[str, str]
) -> None:
    text = "".join(_console("am62", version) for version in versions)
    (tmp_path / "console.log").write_text(text, "utf-8")
    status, _ = _pack(tmp_path, str(tmp_path / "console.log"), *WHO)
    errors = capsys.readouterr().err
    is_mixed = versions[0] != versions[1]
    assert status == (3 if is_mixed else 0)
    assert ("console.log:8: warning: this log has figures of two kernels" in errors) == is_mixed


@pytest.mark.parametrize("hosts", [("am62", "am64"), ("am62", "am62")])
@pytest.mark.parametrize(
    ("before", "front"),
    [
        ("", "Apr 02 09:30:00 {host} bench[7]: "),
        ("root@{host}:~# openssl speed\n", ""),
        ("[root@{host} bench]# openssl speed\n", ""),
    ],
)
def test_a_log_of_two_boards_is_refused_with_their_lines(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    hosts: tuple[str, str],
    before: str,
    front: str,
) -> None:
    text = "".join(
        before.format(host=host)
        + "".join(f"{front.format(host=host)}{line}\n" for line in SPEED.splitlines())
        for host in hosts
    )
    (tmp_path / "console.log").write_text(text, "utf-8")
    status = _pack(tmp_path, str(tmp_path / "console.log"), *WHO)[0]
    errors = capsys.readouterr().err
    assert status == (3 if len({*hosts}) > 1 else 0)
    line = SPEED.splitlines().index("a line of another program") + bool(before)
    lines = [line, line + len(SPEED.splitlines()) + bool(before)]
    message = f"figures of several boards: am62 (line {lines[0]}), am64 (line {lines[1]})"
    assert (message in errors) == (status == 3)


def test_a_stated_board_or_kernel_divides_a_log_of_several(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    speeds = {"am62": SPEED, "am64": SPEED.replace("503.88", "504.10")}
    pairs = zip(*(text.splitlines() for text in speeds.values()), strict=True)
    journal = tmp_path / "journal.log"
    journal.write_text(
        "".join(
            f"Apr 02 09:30:00 {host} bench[7]: {line}\n"
            for pair in pairs
            for host, line in zip(speeds, pair, strict=True)
        ),
        "utf-8",
    )
    console = tmp_path / "console.log"
    console.write_text(_console("b", "6.1.80") + _console("b", "6.6.32"), "utf-8")
    at = 2 * SPEED.splitlines().index(next(x for x in SPEED.splitlines() if "503.88" in x))
    length = len(_console("b", "6.1.80").splitlines())
    lines = {}
    for log, option, name in (
        (journal, "--board", "am62"),
        (journal, "--board", "am64"),
        (console, "--kernel", "6.1.80"),
        (console, "--kernel", "6.6.32"),
    ):
        status, output = _pack(tmp_path, str(log), *WHO, option, name)
        assert status == 0
        assert f"lines of {name} are read" in capsys.readouterr().err
        bundle, _ = validate(output.read_bytes())
        assert bundle is not None and len(bundle.results) == 6
        first = next(each for each in bundle.results if each.params["block_size"] == 16)
        assert first.log is not None
        lines[name] = first.log.line, first.samples
    assert lines["am62"] == (at + 1, [503.88]) and lines["am64"] == (at + 2, [504.10])
    assert lines["6.6.32"][0] == lines["6.1.80"][0] + length
    assert _pack(tmp_path, str(console), *WHO, "--kernel", "6.7")[0] == 3


UNREAD = "Elapsed: 12.5 s\nno number here\nusb3 is plugged\n17 retries\n"


def test_lines_with_numbers_that_were_not_read_are_counted_and_listed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "speed.log").write_text(SPEED + UNREAD, "utf-8")
    assert _pack(tmp_path, str(tmp_path / "speed.log"), *WHO, "--left-over")[0] == 0
    printed = capsys.readouterr().out
    assert "WITH NUMBERS UNREAD" in printed
    listed = [line for line in printed.splitlines() if line.startswith("speed.log:")]
    assert listed[-2:] == [
        "speed.log:7: openssl-speed: Elapsed: 12.5 s",
        "speed.log:10: openssl-speed: 17 retries",
    ]


def test_too_many_lines_with_numbers_that_were_not_read_are_an_error(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "speed.log").write_text(SPEED + UNREAD, "utf-8")
    log = str(tmp_path / "speed.log")
    assert _pack(tmp_path, log, *WHO, "--left-over")[0] == 0
    unread = capsys.readouterr().out.count("\nspeed.log:")
    assert _pack(tmp_path / "strict", log, *WHO, "--strict", str(unread))[0] == 0
    status, output = _pack(tmp_path / "stricter", log, *WHO, "--strict", str(unread - 1))
    assert status == 1 and not output.exists()
    assert f"{unread} lines with numbers were not read" in capsys.readouterr().err


def test_unread_lines_are_counted_for_each_program(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    stream = (DATA / "stream/5.10.log").read_text("utf-8")
    (tmp_path / "both.log").write_text(f"{SPEED}42 apples\n{stream}43 pears\n", "utf-8")
    assert _pack(tmp_path, str(tmp_path / "both.log"), *WHO, "--left-over")[0] == 0
    printed = capsys.readouterr().out
    assert "openssl-speed: 42 apples" in printed and "stream: 43 pears" in printed
    row = next(line for line in printed.splitlines() if line.startswith("both.log  "))
    assert "openssl-speed " in row.partition("stream")[2] and ", stream " in row
