"""Each adapter on the logs that are kept: every figure, its place, and no other's."""

from __future__ import annotations

import csv
import re
from collections import Counter
from pathlib import Path

import msgspec
import pytest
from corpus import (
    PROGRAMS_FILE,
    built_in,
    expected,
    expected_setups,
    figures,
    logs,
    origin,
    programs,
    read,
    row,
)
from making import plain

from perfguide.adapters import Context
from perfguide.adapters.registry import BUILT_IN, recognise
from perfguide.bundle import Bundle, Result, consistent, encode
from perfguide.common.diagnostics import KINDS
from perfguide.common.units import parse

LOGS = logs()
FORMATS = sorted({path.parent.name for path in LOGS})
WHOLE = {"perfguide-runner", "sbc-bench"}
"""Logs that hold the output of programs which have adapters of their own."""
DERIVED = {"packet_loss", "packet_rate"}
"""Metrics that are worked out, where the log has only what they are made of."""
NOISE = b"""\
[   12.345678] usb 1-1: new high-speed USB device number 2 using xhci_hcd
+ for i in 1 2 3
total 16  drwxr-xr-x 2 root root 4096 Nov 21 02:51 bench
Linux board 6.1.80 #1 SMP PREEMPT aarch64 GNU/Linux
real    0m18.02s
"""


@pytest.fixture(params=FORMATS)
def same_format(request: pytest.FixtureRequest) -> list[Path]:
    """The logs of a format."""
    return [path for path in LOGS if path.parent.name == request.param]


def printed(text: str, value: float) -> bool:
    """Whether a line of a log shows the figure: as it is, or in bytes for kB, or in K."""
    tokens = re.findall(r"-?[0-9]+\.?[0-9]*(?:[eE][-+]?[0-9]+)?", text)
    found = [float(token) for token in tokens]
    return any(
        value == one or abs(value - scaled) <= 1e-9 * value
        for one in found
        for scaled in (one / 1000, one * 1000, one * 10**6, one)
    )


def test_every_figure_is_read_exactly(same_format: list[Path]) -> None:
    for log in same_format:
        assert [row(each) for each in read(log).results] == list(expected(log)), log.name


def test_every_figure_has_the_setup_that_its_log_states(same_format: list[Path]) -> None:
    for log in same_format:
        assert [dict(each.setup) for each in read(log).results] == expected_setups(log), log.name


def test_a_figure_stands_on_the_line_that_it_points_to(same_format: list[Path]) -> None:
    for log in same_format:
        lines = log.read_text("utf-8").split("\n")
        for line, benchmark, metric, _, value, _ in map(row, read(log).results):
            # ALSA's rate is bytes by seconds: test_alsa.py.
            by_time = (benchmark, metric) == ("alsa", "throughput")
            # A small share is worked out from the times: test_rare_lines.py.
            by_time |= "Percent of CPU" in lines[line - 1] and value is not None and value < 10
            if value is not None and metric not in DERIVED and not by_time:
                assert printed(lines[line - 1], value), (log.name, line, metric, value)


def test_lines_that_were_understood_are_lines_of_the_log(same_format: list[Path]) -> None:
    for log in same_format:
        reading = read(log)
        count = log.read_bytes().count(b"\n") + 1
        assert all(1 <= number <= count for number in reading.lines), log.name
        assert {row(result)[0] for result in reading.results} <= reading.lines, log.name


def test_what_is_read_makes_a_sound_bundle(same_format: list[Path]) -> None:
    for log in same_format:
        reading = read(log)
        bundle = msgspec.convert(plain(), Bundle)
        whole = msgspec.structs.replace(bundle, results=list(reading.results))
        assert consistent(whole), log.name
        assert msgspec.json.decode(encode(whole), type=Bundle) == whole, log.name
        assert {each.kind for each in reading.diagnostics} <= set(KINDS), log.name


def test_units_are_known(same_format: list[Path]) -> None:
    for log in same_format:
        units = {row(result)[3] for result in read(log).results}
        assert not {u for u in units if parse(u).kind.startswith("unknown")} - {"operations/s"}, (
            log.name
        )


def test_its_own_adapter_recognises_a_log(same_format: list[Path]) -> None:
    for log in same_format:
        if read(log).results:
            names = [each.name for each in recognise(log.read_bytes(), map(built_in, BUILT_IN))]
            assert log.parent.name in names, log.name


def test_other_adapters_read_nothing_from_it(same_format: list[Path]) -> None:
    for log in same_format:
        own = log.parent.name
        together = {"gnu-time", "openssl-speed", "hdparm", "alsa", "tflite"}
        for name in BUILT_IN:
            if name == own or {name, own} <= together or own in WHOLE:
                continue
            reading = built_in(name).read(log.read_bytes(), Context(log.name))
            assert not reading.results, (log.name, name)


@pytest.mark.parametrize("change", ["crlf", "colour", "bom", "serial"])
def test_what_a_terminal_adds_changes_nothing(same_format: list[Path], change: str) -> None:
    for log in same_format:
        data = log.read_bytes()
        changed = {
            "crlf": data.replace(b"\n", b"\r\n"),
            "serial": data.replace(b"\n", b"\r\r\n"),
            "bom": b"\xef\xbb\xbf" + data,
            "colour": b"\n".join(b"\x1b[1;32m" + line + b"\x1b[0m" for line in data.split(b"\n")),
        }[change]
        if change == "colour" and re.search(rb"^(?:> )?\{", data, re.MULTILINE):
            continue  # JSON is not coloured by the programs that write it
        if change == "serial" and data.startswith(b"{"):
            changed = data.replace(b"\n", b"\r\n")
        assert [row(r) for r in read(log, changed).results] == list(expected(log)), log.name


def test_a_table_is_found_amidst_other_output(same_format: list[Path]) -> None:
    for log in same_format:
        data = log.read_bytes()
        data = data if data.endswith(b"\n") else data + b"\n"
        before = NOISE + b"\xff\xfe\x00 binary\n"
        shift = before.count(b"\n")
        reading = read(log, before + data + b"\n" + NOISE)
        shifted = [(line + shift, *rest) for line, *rest in expected(log)]
        assert [row(result) for result in reading.results] == shifted, log.name


def test_two_logs_in_one_file_are_both_read(same_format: list[Path]) -> None:
    for log in same_format:
        data = log.read_bytes()
        data = data if data.endswith(b"\n") else data + b"\n"
        if log.parent.name in ("openssl-sweep", "openssl-sweep-table"):
            assert not read(log, data + data).results  # 82 pairs: which nice level is which?
            continue
        once = figures(read(log))
        assert figures(read(log, data + data)) == Counter({k: 2 * n for k, n in once.items()}), (
            log.name
        )


def test_the_table_of_programs_is_what_the_recorded_logs_hold() -> None:
    assert all(map(origin, LOGS))
    with PROGRAMS_FILE.open(encoding="utf-8", newline="") as file:
        assert list(csv.reader(file)) == programs()


def test_results_are_frozen() -> None:
    result = next(r for path in LOGS for r in read(path).results)
    assert isinstance(result, Result)
    with pytest.raises(AttributeError):
        result.metric = "x"  # type: ignore[misc]
