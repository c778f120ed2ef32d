"""arecord and aplay under ``time -v``: the rate is the bytes by the time that passed."""

from __future__ import annotations

import re

import pytest
from corpus import DATA, built_in

from perfguide.adapters import Context, Reading

HEAD = "Recording raw data '/a' : Signed 16 bit Little Endian, Rate 48000 Hz, Stereo\n"
TIME = "\tElapsed (wall clock) time (h:mm:ss or m:ss): 0:10.05\n"
SIZE = "1920000 /a\n"


def read(text: str) -> Reading:
    return built_in("alsa").read(text.encode(), Context("a.log"))


def rates(text: str) -> list[list[float] | None]:
    return [result.samples or None for result in read(text).results]


@pytest.mark.parametrize("name", ["1.2.8-capture.log", "1.2.8-playback.log"])
def test_each_rate_is_that_of_its_run(name: str) -> None:
    text = (DATA / "alsa" / name).read_text("utf-8")
    heads = re.findall(r"Rate ([0-9]+) Hz", text)
    times = re.findall(r"Elapsed .*: 0:0([0-9.]+)", text)
    sizes = re.findall(r"^([0-9]+) /dev", text, re.MULTILINE)
    found = read(text).results
    assert [each.params["sampling_rate"] for each in found] == [int(head) for head in heads]
    for each, size, seconds in zip(found, sizes, times, strict=True):
        assert each.samples == [pytest.approx(int(size) * 8 / float(seconds), rel=1e-12)]


@pytest.mark.parametrize(
    ("time", "seconds"),
    [("0:10.05", 10.05), ("1:02:03.50", 3723.5), ("0m 10.05s", 10.05), ("1h 2m 03.50s", 3723.5)],
)
def test_times_of_gnu_and_busybox_are_read(time: str, seconds: float) -> None:
    assert rates(HEAD + TIME.replace("0:10.05", time) + SIZE) == [[1920000 * 8 / seconds]]


def test_what_is_cut_or_another_file_gives_no_figure() -> None:
    for text in (HEAD + TIME, HEAD + SIZE, HEAD + TIME + "1920000 /b\n"):
        assert rates(text) == []
        assert [each.kind for each in read(text).diagnostics] == ["log-row"]
    assert rates(HEAD + HEAD + TIME + SIZE) == [[1920000 * 8 / 10.05]]


def test_another_rate_of_the_hardware_is_a_failure_and_no_figure() -> None:
    warning = "Warning: rate is not accurate (requested = 48000Hz, got = 44100Hz)\n"
    reading = read(HEAD + warning + TIME + SIZE)
    assert not reading.results
    assert [each.kind for each in reading.diagnostics] == ["log-failed"]


def test_other_formats_are_refused_and_lost_frames_are_noted() -> None:
    reading = read(HEAD.replace("Stereo", "Mono") + TIME + SIZE)
    assert not reading.results and "Mono" in reading.diagnostics[0].message
    reading = read(HEAD + "overrun!!! (at least 3.1 ms long)\n" * 2 + TIME + SIZE)
    assert len(reading.results) == 1
    assert reading.diagnostics[0].message.startswith("a buffer overran or underran 2 times")
