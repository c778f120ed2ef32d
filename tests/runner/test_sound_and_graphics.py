"""Sound and graphics by the runner: which device and display it takes, and what it skips.

The programs are scripts that print what the real ones printed, and move as many bytes.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from corpus import DATA as LOGS
from corpus import built_in
from runner_shell import TRIED_SHELLS, Shell, blocks, make_shell, replaying

from perfguide.adapters import Context, Reading

SOUND = """\
#!/bin/sh
case $1 in
    --version) echo "{name}: version 1.2.8 by Jaroslav Kysela <perex@perex.cz>"; exit ;;
    -l) echo '{cards}'; exit ;;
esac
for file; do :; done
while [ "$1" != -r ]; do shift; done
rate=$2
while [ "$1" != -d ]; do shift; done
echo "{verb} raw data '$file' : Signed 16 bit Little Endian, Rate $rate Hz, Stereo" >&2
if [ "$rate" = 11025 ]; then
    echo "Warning: rate is not accurate (requested = 11025Hz, got = 48000Hz)" >&2
fi
[ "$rate" != 96000 ] || {{ echo "{name}: set_params:1358: Sample format non available" >&2; exit 1; }}
sleep 0.2
{job}
"""
CARDS = (
    "card 2: Loopback [Loopback], device 1: Loopback PCM [Loopback PCM]\n"
    "card 3: other [other], device 0: x [x]"
)


@pytest.fixture(params=TRIED_SHELLS)
def shell(request: pytest.FixtureRequest, tmp_path: Path) -> Shell:
    return make_shell(request.param, tmp_path)


def sound(folder: Path, cards: str = CARDS) -> Path:
    folder.mkdir()
    record = 'dd if=/dev/zero of="$file" bs=$((rate * 4)) count=$2 2>/dev/null'
    for name, verb, job in (("arecord", "Recording", record), ("aplay", "Playing", ":")):
        path = folder / name
        path.write_text(SOUND.format(name=name, verb=verb, cards=cards, job=job), "utf-8")
        path.chmod(0o755)
    return folder


def read(log: Path) -> Reading:
    return built_in("perfguide-runner").read(log.read_bytes(), Context(log.name))


def test_each_rate_of_the_first_card_gives_a_data_rate_and_a_load(
    shell: Shell, tmp_path: Path
) -> None:
    here = sound(tmp_path / "here")
    named = ("--only", "alsa", "--alsa-rates", "8000,11025,48000,96000", "--alsa-seconds", "2")
    run = shell.run(*named, PATH=f"{here}:{shell.path}")
    assert run.returncode == 0, run.stderr
    kept = blocks(shell.out / "alsa.log")
    assert [(each.words["direction"], each.words["sampling_rate"]) for each in kept] == [
        (direction, rate) for direction in ("capture", "playback") for rate in ("8000", "48000")
    ]
    assert all(" -D hw:2,1 " in each.command for each in kept)
    assert all(" -c 2 " in each.command and " -d 2 " in each.command for each in kept)
    results = read(shell.out / "alsa.log").results
    assert [each.metric for each in results] == ["throughput", "cpu_load"] * 4
    for each in results[::2]:
        # Two seconds of four bytes a frame, in 0.2 s and what the shell took.
        most = int(str(each.params["sampling_rate"])) * 2 * 32 / 0.2
        assert each.samples and most / 20 < each.samples[0] <= most * 1.06
    assert (shell.out / "summary.txt").read_text("utf-8").splitlines() == [
        "done: alsa capture at 8000 Hz",
        "skipped: alsa capture at 11025 Hz: hw:2,1: Warning: rate is not accurate (requested ="
        " 11025Hz, got = 48000Hz)",
        "done: alsa capture at 48000 Hz",
        "skipped: alsa capture at 96000 Hz: hw:2,1: arecord: set_params:1358: Sample format non"
        " available",
        "done: alsa playback at 8000 Hz",
        "skipped: alsa playback at 11025 Hz: hw:2,1: Warning: rate is not accurate (requested ="
        " 11025Hz, got = 48000Hz)",
        "done: alsa playback at 48000 Hz",
        "skipped: alsa playback at 96000 Hz: hw:2,1: aplay: set_params:1358: Sample format non"
        " available",
    ]
    assert not list(Path("/dev/shm").glob("perfguide-alsa*"))
    before = (shell.out / "alsa.log").read_bytes()
    assert shell.run(*named, PATH=f"{here}:{shell.path}").returncode == 0
    assert (shell.out / "alsa.log").read_bytes() == before


def test_a_device_can_be_named_and_no_card_is_said(shell: Shell, tmp_path: Path) -> None:
    here = sound(tmp_path / "here", "no soundcards found...")
    named = ("--only", "alsa", "--alsa-rates", "8000", "--alsa-playback", "hw:5")
    assert shell.run(*named, PATH=f"{here}:{shell.path}").returncode == 0
    (kept,) = blocks(shell.out / "alsa.log")
    assert " -D hw:5 " in kept.command
    said = (shell.out / "summary.txt").read_text("utf-8")
    assert "skipped: alsa capture: there is no sound card: no soundcards found..." in said
    wrong = shell.run("--only", "alsa", "--alsa-capture", "hw:1; reboot")
    assert wrong.returncode == 2 and "no device of ALSA" in wrong.stderr


@pytest.mark.parametrize(
    ("program", "variable", "backend"),
    [
        ("glmark2-es2-wayland", "WAYLAND_DISPLAY", "Wayland"),
        ("glmark2", "DISPLAY", "X11"),
    ],
)
def test_the_score_is_that_of_the_display(
    shell: Shell, tmp_path: Path, program: str, variable: str, backend: str
) -> None:
    here = tmp_path / "here"
    replaying(here, program, LOGS / "glmark2/2023.01.log")
    named = ("--only", "programs", "--programs", "glmark2")
    run = shell.run(*named, PATH=f"{here}:{shell.path}", **{variable: ":1"})
    assert run.returncode == 0, run.stderr
    *scenes, result = read(shell.out / "glmark2.log").results
    assert [scene.params["scene"] for scene in scenes] == ["build", "texture"]
    assert (result.metric, result.params, result.command) == (
        "score",
        {"backend": backend},
        program,
    )


def test_without_a_display_or_its_program_glmark2_is_skipped(shell: Shell) -> None:
    named = ("--only", "programs", "--programs", "glmark2")
    assert shell.run(*named, DISPLAY=":1").returncode == 0
    said = (shell.out / "summary.txt").read_text("utf-8")
    assert said == "skipped: glmark2: the program is not installed\n"
    assert shell.run(*named).returncode == 0
    assert (shell.out / "summary.txt").read_text("utf-8").startswith("skipped: glmark2: the")
