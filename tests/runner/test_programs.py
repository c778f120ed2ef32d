"""Programs that the runner finds, checks, runs and watches, to the figures that are read of them.

They are replaced by scripts that print what the real ones printed.
"""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from corpus import DATA as LOGS
from corpus import built_in
from runner_shell import TRIED_SHELLS, Shell, blocks, make_shell, replaying

from perfguide.adapters import Context, Reading


@pytest.fixture(params=TRIED_SHELLS)
def shell(request: pytest.FixtureRequest, tmp_path: Path) -> Shell:
    return make_shell(request.param, tmp_path)


def read(log: Path) -> Reading:
    return built_in("perfguide-runner").read(log.read_bytes(), Context(log.name))


def own(name: str, log: str) -> list[tuple[str, object]]:
    """The figures that the program's own adapter reads of its log."""
    found = built_in(name).read((LOGS / log).read_bytes(), Context("a.log"))
    return [(each.metric, each.samples) for each in found.results]


def test_what_programs_print_is_kept_and_read(shell: Shell, tmp_path: Path) -> None:
    here = tmp_path / "here"
    recorded = {
        "coremark": ("coremark", "coremark/1.0.log", ""),
        "tinymembench": ("tinymembench", "tinymembench/0.4.9.log", ""),
        "cryptsetup": ("cryptsetup", "cryptsetup/2.6.log", "cryptsetup 2.6.1"),
        "7-zip": ("7z", "7-zip/26.02.log", "7-Zip (z) 26.02 : Igor Pavlov"),
    }
    for program, log, version in recorded.values():
        replaying(here, program, LOGS / log, version=version)
    named = ("--only", "programs", "--programs", ",".join(recorded))
    run = shell.run(*named, PATH=f"{here}:{shell.path}")
    assert run.returncode == 0, run.stderr
    for benchmark, (program, log, _) in recorded.items():
        kept = blocks(shell.out / f"{benchmark}.log")
        assert kept[0].output == (LOGS / log).read_text()
        assert {each.words["benchmark"] for each in kept} == {benchmark}
        results = read(shell.out / f"{benchmark}.log").results
        figures = [(each.metric, each.samples) for each in results]
        assert figures == own(benchmark, log) * len(kept)
        assert {each.command for each in results} == {each.command for each in kept}
        assert kept[0].command.split()[0] == program
    assert [each.command for each in blocks(shell.out / "7-zip.log")] == ["7z b", "7z b -mmt1"]


def test_notes_are_in_the_summary_of_each_run(shell: Shell) -> None:
    named = ("--only", "programs", "--programs", "nbench", "--note", "in a chamber: 40 °C")
    for _ in range(2):
        assert shell.run(*named, "--note", "two\nlines").returncode == 0
        said = (shell.out / "summary.txt").read_text("utf-8").splitlines()
        assert said == [
            "note: in a chamber: 40 °C",
            "note: two lines",
            "skipped: nbench: the program is not installed",
        ]


def test_a_program_of_lmbench_that_only_complains_has_failed(shell: Shell, tmp_path: Path) -> None:
    here = tmp_path / "here"
    log = tmp_path / "complaint"
    log.write_text("localhost: Resource temporarily unavailable\n", "utf-8")
    figures = tmp_path / "figures"
    figures.write_text("1.05 454.27\n", "utf-8")
    replaying(here, "bw_mem", figures)
    replaying(here, "lat_sem", log)
    named = ("--only", "programs", "--programs", "lmbench")
    assert shell.run(*named, PATH=f"{here}:{shell.path}").returncode == 0
    said = (shell.out / "summary.txt").read_text("utf-8")
    assert "done: lmbench: bw_mem\n" in said and "done: lmbench: lat_sem" not in said
    assert "failed: lat_sem: it printed nothing of lmbench" in said
    assert {each.command.split()[0] for each in blocks(shell.out / "lmbench.log")} == {"bw_mem"}


def test_ciphers_that_the_kernel_has_not_leave_the_key_derivation(tmp_path: Path) -> None:
    shell = make_shell("dash", tmp_path)
    here = tmp_path / "here"
    lacking = "case $* in *--cipher*) exit 1 ;; esac"
    log = LOGS / "cryptsetup/2.6-derivation.log"
    replaying(here, "cryptsetup", log, version="cryptsetup 2.6.1", first=lacking)
    named = ("--only", "programs", "--programs", "cryptsetup")
    assert shell.run(*named, PATH=f"{here}:{shell.path}").returncode == 0
    commands = [each.command for each in blocks(shell.out / "cryptsetup.log")]
    assert commands == [
        f"cryptsetup benchmark --pbkdf pbkdf2 --hash {name}"
        for name in ("sha1", "sha256", "sha512")
    ]
    assert "skipped: ciphers of cryptsetup: the kernel has no algif_skcipher" in (
        shell.out / "summary.txt"
    ).read_text("utf-8")


def test_another_program_of_the_name_is_not_run(shell: Shell, tmp_path: Path) -> None:
    named = ("--only", "programs", "--programs", "stream,7-zip")
    here = tmp_path / "here"
    here.mkdir()
    true = shutil.which("true")
    assert true
    shutil.copy(true, here / "stream")
    for name in ("7z", "7zz", "7za", "7zr"):
        replaying(here, name, version="7z: a window manager")
    run = shell.run(*named, PATH=f"{here}:{shell.path}")
    assert f"skipped: stream: {here}/stream is another program of this name" in run.stderr
    assert f"skipped: 7-zip: {here}/7zr is another program of this name" in run.stderr
    assert not list(shell.out.glob("*.log"))
    # The next candidate is looked at.
    replaying(here, "7zr", LOGS / "7-zip/26.02.log", version="7-Zip : Igor Pavlov")
    run = shell.run(*named, PATH=f"{here}:{shell.path}")
    assert "done: 7-zip: 7zr" in run.stderr


def test_a_script_that_prints_something_else_gives_no_figure(tmp_path: Path) -> None:
    shell = make_shell("dash", tmp_path)
    named = ("--only", "programs", "--programs", "stream")
    here = tmp_path / "here"
    replaying(here, "stream", first="echo 'Version: ImageMagick 6.9'")
    run = shell.run(*named, PATH=f"{here}:{shell.path}")
    assert "failed: stream: it printed nothing of stream: it is another program" in run.stderr
    assert "Version: ImageMagick 6.9" in run.stderr
    assert not (shell.out / "stream.log").exists()
    assert "done: stream" not in run.stderr


def test_the_board_is_watched_while_a_program_runs(shell: Shell, tmp_path: Path) -> None:
    cpu = tmp_path / "sys/devices/system/cpu"
    for core, clock in (("cpu0", "600000"), ("cpu1", "1400000")):
        (cpu / core / "cpufreq").mkdir(parents=True)
        (cpu / core / "cpufreq/scaling_cur_freq").write_text(f"{clock}\n")
        (cpu / core / "cpufreq/scaling_governor").write_text("ondemand\n")
    zone = tmp_path / "sys/class/thermal/thermal_zone0"
    cooling = tmp_path / "sys/class/thermal/cooling_device0"
    zone.mkdir(parents=True)
    cooling.mkdir(parents=True)
    (zone / "temp").write_text("48200\n")
    (cooling / "type").write_text("cpufreq-cpu0\n")
    (cooling / "cur_state").write_text("0\n")
    # The program heats the board, which holds its cores back and recovers.
    heats = (
        f"echo 91500 >{zone}/temp; echo 2 >{cooling}/cur_state\n"
        f"echo 800000 >{cpu}/cpu1/cpufreq/scaling_cur_freq; sleep 1.4\n"
        f"echo 70000 >{zone}/temp; echo 0 >{cooling}/cur_state"
    )
    here = tmp_path / "here"
    replaying(here, "coremark", LOGS / "coremark/1.0.log", first=heats)
    run = shell.run(
        *("--only", "programs", "--programs", "coremark", "--sample-seconds", "1"),
        PATH=f"{here}:{shell.path}",
        PERFGUIDE_SYS=str(tmp_path / "sys"),
    )
    assert run.returncode == 0, run.stderr
    (block,) = blocks(shell.out / "coremark.log")
    assert block.during["clock_mhz"] == "800..1400"
    assert block.during["temperature_c"] == "48.2..91.5"
    assert (block.during["governor"], block.during["throttled"]) == ("ondemand", "yes")
    assert 0 <= float(block.during["cpu_load"]) <= 100
    (setup,) = {tuple(sorted(r.setup.items())) for r in read(shell.out / "coremark.log").results}
    assert dict(setup) == {
        "clock": "800 to 1400 MHz", "temperature": "91.5 °C", "governor": "ondemand",
        "throttled": True, "system_load": f"{block.during['cpu_load']} %",
    }  # fmt: skip


def test_what_a_board_does_not_report_is_left_out(tmp_path: Path) -> None:
    shell = make_shell("dash", tmp_path)
    here = tmp_path / "here"
    replaying(here, "coremark", LOGS / "coremark/1.0.log")
    (tmp_path / "sys").mkdir()
    variables = {"PATH": f"{here}:{shell.path}", "PERFGUIDE_SYS": str(tmp_path / "sys")}
    named = ("--only", "programs", "--programs", "coremark")
    assert shell.run(*named, **variables).returncode == 0
    (block,) = blocks(shell.out / "coremark.log")
    assert not {"temperature_c", "governor", "throttled"} & block.during.keys()


def test_a_boot_is_one_sample_however_often_it_is_asked(shell: Shell, tmp_path: Path) -> None:
    here = tmp_path / "here"
    log = LOGS / "systemd-analyze/252.log"
    replaying(here, "systemd-analyze", log, version="systemd 252 (252.39)")
    for _ in range(2):
        assert shell.run("--only", "boot", PATH=f"{here}:{shell.path}").returncode == 0
    (block,) = blocks(shell.out / "boot-time.log")
    boot = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    assert (block.words["benchmark"], block.words["boot"]) == ("boot-time", boot)
    figures = [(r.metric, r.samples) for r in read(shell.out / "boot-time.log").results]
    assert figures == own("systemd-analyze", "systemd-analyze/252.log")
    replaying(here, "systemd-analyze", version="systemd 252", first="echo not yet; exit 1")
    (shell.out / "boot-time.log").unlink()
    run = shell.run("--only", "boot", PATH=f"{here}:{shell.path}")
    assert "skipped: boot-time: not yet" in run.stderr
