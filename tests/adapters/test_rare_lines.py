"""Lines that programs print and that no recorded log holds whole."""

from __future__ import annotations

import re
from collections import Counter

import pytest
from corpus import DATA, built_in, figures

from perfguide.adapters import Context, Reading


def read(name: str, text: str, **params: str) -> Reading:
    return built_in(name).read(text.encode(), Context("x.log", params))


def test_a_thread_that_never_ran_has_failed_and_is_not_cut() -> None:
    reading = read(
        "cyclictest",
        "T: 0 ( 1234) P:99 I:1000 C:      0 Min:1000000 Act:    0 Avg:    0 Max:       0\n"
        "T: 1 ( 1235) P:99 I:1500 C:     10 Min:      4 Act:    9 Avg:    8 Max:      20\n",
    )
    by_core = {core: [r for r in reading.results if r.params["core"] == core] for core in (0, 1)}
    assert [result.status for result in by_core[0]] == ["fail"] * 3
    assert [result.samples for result in by_core[1]] == [[4.0], [8.0], [20.0]]
    assert {each.kind for each in reading.diagnostics} == {"log-failed"}


def test_figures_of_nbench_without_the_name_of_their_test_are_reported() -> None:
    reading = read("nbench", f"{' ' * 20}:          11.204  :      18.00  :       7.57\n")
    assert not reading.results
    assert [each.message for each in reading.diagnostics] == ["a row of NBench is cut or damaged"]


def test_stress_ng_says_its_version() -> None:
    reading = read("stress-ng", "stress-ng, version 0.15.06 (gcc 12.2.0, x86_64 Linux 6.1)\n")
    assert reading.facts == {"tools.stress-ng": "0.15.06"}


@pytest.mark.parametrize("log", ["3.12-tcp.log", "3.12-udp-kbytes.log", "3.12-kbytes.log"])
@pytest.mark.parametrize(
    "first_lines", ["Connecting|.* connected to ", "Connecting|.* connected|.* ID"]
)
def test_runs_of_iperf3_without_their_first_lines_are_read_or_refused_but_not_damaged(
    log: str, first_lines: str
) -> None:
    text = (DATA / "iperf3-text" / log).read_text()
    expected = figures(read("iperf3-text", text))
    headless = "".join(
        line for line in text.splitlines(keepends=True) if not re.match(first_lines, line)
    )
    reading = read("iperf3-text", headless * 3)
    if "ID" in first_lines:
        # Without the heads of columns nothing shows which end this is.
        messages = [each.message for each in reading.diagnostics]
        assert not reading.results and len(messages) == 3
        assert all("the direction of this run" in each for each in messages)
        reading = read("iperf3-text", headless * 3, direction="egress")
    assert figures(reading) == Counter({key: 3 * n for key, n in expected.items()})
    assert not reading.diagnostics


FIO_2 = """\
{
  "fio version" : "fio-2.1.4",
  "jobs" : [
    {
      "jobname" : "d",
      "error" : 0,
      "read" : {
        "io_bytes" : 4096, "bw" : 1000, "iops" : 250.00,
        "lat" : {"min" : 1, "max" : 3, "mean" : 2.00, "stddev" : 0.10},
        "clat" : {"min" : 1, "max" : 3, "mean" : 2.00, "stddev" : 0.10, "percentile" : {
          "1.00" : 1, "99.00" : 3, "0.00" : 0, "0.00" : 0, "0.00" : 0}}
      },
      "usr_cpu" : 1.00, "sys_cpu" : 2.00
    }
  ]
}
"""


def test_fio_2_ends_its_percentiles_with_equal_zeros() -> None:
    reading = read("fio", FIO_2)
    percentiles = {
        r.params["percentile"]: r.samples for r in reading.results if r.metric == "read_clat"
    }
    assert percentiles == {1.0: [1.0], 99.0: [3.0]} and not reading.diagnostics


def test_other_keys_of_fio_that_appear_twice_are_refused() -> None:
    for old, new in (
        ('"0.00" : 0}', '"0.00" : 7}'),
        ('"99.00" : 3', '"1.00" : 3'),
        ('"max" : 3', '"min" : 3'),
    ):
        reading = read("fio", FIO_2.replace(old, new, 1))
        assert not reading.results
        assert "appears twice" in reading.diagnostics[0].message


@pytest.mark.parametrize(
    ("user", "elapsed", "printed", "share"),
    [
        ("0.02", "0:03.05", "0", 0.7),  # 0 % would stand beside a rate that was reached
        ("0.28", "0:03.05", "9", 9.2),
        ("2.50", "0:03.05", "81", 81.0),  # whole numbers are fine enough from 10 % on
        ("0.02", "0:00.40", "5", 5.0),  # hundredths of a second tell no more of so short a run
        ("0.20", "1:00.00", "5", 5.0),  # the times are of something else
    ],
)
def test_a_small_share_of_the_cpu_comes_from_the_times(
    user: str, elapsed: str, printed: str, share: float
) -> None:
    log = (
        '\tCommand being timed: "openssl speed -elapsed -evp aes-128-cbc"\n'
        f"\tUser time (seconds): {user}\n\tSystem time (seconds): 0.00\n"
        f"\tPercent of CPU this job got: {printed}%\n"
        f"\tElapsed (wall clock) time (h:mm:ss or m:ss): {elapsed}\n\tExit status: 0\n"
    )
    (result,) = built_in("gnu-time").read(log.encode(), Context("x")).results
    assert result.samples == [share]
