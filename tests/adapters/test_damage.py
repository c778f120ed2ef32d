"""Damaged logs: what is lost is said, and no figure is ever another one."""

from __future__ import annotations

import re
from collections import Counter
from functools import cache
from pathlib import Path

import pytest
from corpus import DATA, built_in, expected, figures, logs, read, row
from hypothesis import HealthCheck, given
from hypothesis import strategies as st
from profiles import count, examples

from perfguide.adapters import Context
from perfguide.adapters.registry import BUILT_IN

LOGS = [path for path in logs() if any(each[4] is not None for each in expected(path))]
IDS = [f"{path.parent.name}/{path.name}" for path in LOGS]
CUTS = count(10, heavy=75)
"""The places at which the rows of a log are cut; it ends at half as many in rows, and anywhere."""
PROGRAMS = list(BUILT_IN)[: list(BUILT_IN).index("lava-yaml")]

INTRUDERS = [
    b"[  OK  ] Reached target Timers.",
    b"usb 1-1: USB disconnect, device number",
    b"\nINFO: task hung\n",
    b"\xff\xfe\xfa",
    b"\x00\x00",
    b"\x1b[2J",
    b"\x1b]0;title\x07",
    b"\x08\x08",
    "µ±".encode(),
    "\u202e".encode(),
    "٣".encode(),
    b"nan",
    b":",
]
REDRAWN = {"2.4-redrawn.log", "2.4-redrawn-histogram.log"}
FREE_ENDS = {"evp-40.txt"}
"""A bare number has no end that could show a cut."""
BARE_ENDS = {"go-bench", "mlperf", "onnxruntime", "oslat", "schbench", "tflite"}
"""Formats whose lines end with a bare number. Of a log that ends within one, it is not read."""


FREE_NAMES = {"criterion", "fio-terse", "go-bench"}
"""Formats whose rows hold names that can be any text, of a job or a benchmark."""

CUT_UNSEEN = {
    # Commands can have any arguments, and be any other program's.
    **dict.fromkeys(("coremark-pro", "onnxruntime"), (b"make ", b"$ ")),
    **dict.fromkeys(("dd", "fio-text", "gstreamer", "schbench", "sysbench"), (b"$ ", b"# ")),
    "fio": (b"{", b"> {"),  # the ends of commands around the JSON
    # Names, places and headings can be any text.
    "glmark2": (b"glmark2",),
    "go-bench": (b"pkg: ",),
    "jmh": (b"# Benchmark: ",),
    "sbc-bench": (b"Executing ", b"sbc-bench v"),
    "tflite": (b"INFO: External delegate path: [",),
    "wrk": (b"Running ",),
    # Heads without which a table is another program's, and commands.
    "lmbench": (
        b"#",
        b"root@",
        b"-----",
        b"*Local*",
        b"Processor",
        b"Basic",
        b"Context",
        b"Memory",
    ),
    # Heads of tables, and what a child reports to its parent.
    "openssl-speed": (b"Got: ", b"sign ", b"keygen "),
}
"""Lines that are not known to be cut, by their beginning."""


@cache
def places(path: Path) -> tuple[int, ...]:
    """The offsets within lines that hold figures, of lines that differ in more than figures."""
    lines = path.read_bytes().split(b"\n")
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line) + 1)
    by_form: dict[bytes, int] = {}
    for number in sorted({each[0] for each in expected(path)}):
        by_form.setdefault(re.sub(rb"\d+", b"0", lines[number - 1]), number)
    wanted = list(by_form.values())[:12]
    return tuple(at for number in wanted for at in range(starts[number - 1], starts[number] - 1))


@cache
def undamaged(path: Path) -> tuple[Counter[tuple[object, ...]], list[tuple[str, str]]]:
    """The figures of a whole log, and the kinds and messages of what is said of it."""
    whole = read(path)
    return figures(whole), [(each.kind, each.message) for each in whole.diagnostics]


def check(path: Path, data: bytes, *, told: bool = True) -> None:
    """No figure that the whole log does not hold, and a word on what is missing."""
    (whole, known), reading = undamaged(path), read(path, data)
    left = figures(reading)
    assert left <= whole, left - whole
    if told and left < whole:
        failures = [row(result) for result in reading.results if row(result)[4] is None]
        assert (
            failures
            or {(e.kind, e.message) for e in reading.diagnostics} - {*known}
            or len(reading.diagnostics) > len(known)
        )


@pytest.mark.parametrize("path", LOGS, ids=IDS)
def test_a_row_cut_at_any_place_gives_no_figure(path: Path) -> None:
    if path.name in FREE_ENDS or path.parent.name in BARE_ENDS:
        pytest.skip("a bare number has no end that could show a cut")
    data = path.read_bytes()
    every = [at for at in places(path) if at and data[at - 1 : at] != b"\n"]
    for at in every[:: max(1, len(every) // CUTS)]:
        end = data.find(b"\n", at)
        begin = data.rfind(b"\n", 0, at) + 1
        # What little is left of a row may be anything.
        check(path, data[:at] + data[end:], told=2 * (at - begin) > end - begin)


def test_the_beginning_of_a_row_is_reported() -> None:
    """Four characters of a row are reported, except bare numbers, and rows that neither the log nor
    the example has like it."""
    lost = reported = 0
    for path in LOGS:
        data, rows = path.read_bytes(), {each[0] for each in expected(path)}
        if path.name in FREE_ENDS | REDRAWN or len(data) > 6000 or data.lstrip()[:1] == b"{":
            continue
        lines = data.split(b"\n")
        forms = {re.sub(rb"[0-9]+", b"0", lines[number - 1]): number for number in sorted(rows)}
        for number in list(forms.values())[:4]:
            line = lines[number - 1]
            front = line[: len(line) - len(line.lstrip()) + 4]
            whole, known = undamaged(path)
            reading = read(path, b"\n".join([*lines[: number - 1], front, *lines[number:]]))
            lost += figures(reading) < whole
            reported += figures(reading) < whole and len(reading.diagnostics) > len(known)
    assert lost > 400 and reported > 0.8 * lost, (reported, lost)


@cache
def other_lines(name: str) -> tuple[tuple[Path, int], ...]:
    """The lines of a format's logs that are read but hold no figure, each form of them once."""
    forms: dict[bytes, tuple[Path, int]] = {}
    for path in LOGS:
        data = path.read_bytes()
        if path.parent.name != name or data.lstrip()[:1] in b"{[<":
            continue
        lines, rows = data.split(b"\n"), {each[0] for each in expected(path)}
        for number in sorted(read(path).lines - rows):
            forms.setdefault(re.sub(rb"[0-9]+", b"0", lines[number - 1].strip()), (path, number))
    return tuple(forms.values())


@pytest.mark.parametrize("name", sorted({path.parent.name for path in LOGS}))
def test_figures_below_a_cut_line_keep_their_conditions_or_are_refused(name: str) -> None:
    for path, number in other_lines(name):
        lines = path.read_bytes().split(b"\n")
        line = lines[number - 1]
        start = len(line) - len(line.lstrip())
        lines[number - 1] = line[: start + 3 * (len(line) - start) // 5]
        if not any(line.lstrip().startswith(each) for each in CUT_UNSEEN.get(name, ())):
            check(path, b"\n".join(lines))


@pytest.mark.parametrize("path", LOGS, ids=IDS)
def test_a_log_cut_at_any_place_gives_no_other_figure(path: Path) -> None:
    data = path.read_bytes()
    whole, _ = undamaged(path)
    if path.name in FREE_ENDS | REDRAWN:
        pytest.skip("its lines do not say whether others were to follow")
    in_rows, few = places(path), CUTS // 2
    for at in (*in_rows[:: len(in_rows) // few + 1], *range(0, len(data), len(data) // few + 1)):
        assert figures(read(path, data[:at])) <= whole


@pytest.mark.parametrize("path", LOGS, ids=IDS)
@examples(5, heavy=40, suppress_health_check=list(HealthCheck))
@given(draw=st.data())
def test_bytes_of_another_stream_in_a_row_give_no_figure(path: Path, draw: st.DataObject) -> None:
    at = draw.draw(st.sampled_from(places(path)))
    intruder = draw.draw(st.sampled_from(INTRUDERS))
    data = path.read_bytes()
    if path.parent.name in FREE_NAMES:
        pytest.skip("any text is a name")
    begin, end = data.rfind(b"\n", 0, at) + 1, data.find(b"\n", at)
    # A name that is damaged in front may be another program's.
    check(path, data[:at] + intruder + data[at:], told=2 * (at - begin) > end - begin)


@pytest.mark.parametrize("path", LOGS, ids=IDS)
def test_decimal_commas_are_refused(path: Path) -> None:
    text = path.read_text("utf-8")
    if text.lstrip().startswith("{") or "\n{" in text:
        pytest.skip("JSON has no locale")
    data = re.sub(r"(?<=[0-9])\.(?=[0-9])", ",", text).encode()
    whole, _ = undamaged(path)
    for figure in figures(read(path, data)):
        # Whole numbers stay as they are.
        assert figure in whole and float(figure[3]).is_integer()  # type: ignore[arg-type]


@pytest.mark.parametrize("name", PROGRAMS)
@examples(20, heavy=150)
@given(data=st.binary(max_size=400))
def test_no_bytes_make_an_adapter_raise(name: str, data: bytes) -> None:
    adapter = built_in(name)
    adapter.recognises(data)
    assert not adapter.read(data, Context("x")).results


@pytest.mark.parametrize("path", LOGS, ids=IDS)
@examples(4, heavy=25, suppress_health_check=list(HealthCheck))
@given(draw=st.data())
def test_no_damage_makes_an_adapter_raise(path: Path, draw: st.DataObject) -> None:
    data = bytearray(path.read_bytes())
    for _ in range(draw.draw(st.integers(1, 8))):
        at = draw.draw(st.integers(0, max(0, len(data) - 1)))
        end = at + draw.draw(st.integers(0, 30))
        data[at:end] = draw.draw(st.binary(max_size=20))
    for adapter in (built_in(path.parent.name), built_in("perfguide-runner")):
        adapter.recognises(bytes(data))
        adapter.read(bytes(data), Context("x"))


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_line_of_a_megabyte_before_a_log_changes_none_of_its_figures(name: str) -> None:
    adapter = built_in(name)
    example = adapter.example.encode()
    long = b"9" * 2**19 + b" 1.5k: " * 2**16 + b"\n"
    alone, behind = (adapter.read(data, Context("log")) for data in (example, long + example))
    assert figures(behind) == figures(alone)


def test_the_end_of_a_cut_row_is_no_test_of_tinymembench() -> None:
    path = next(path for path in LOGS if path.parent.name == "tinymembench")
    data = path.read_bytes().replace(b" C copy backwards (64", b" C copy\n backwards (64", 1)
    assert b"copy\n backwards" in data
    check(path, data, told=False)


@pytest.mark.parametrize("between", [b"\nINFO: task hung\n", b"usb 1-1: USB disconnect\n"])
def test_the_end_of_a_count_of_bytes_is_no_count(between: bytes) -> None:
    path = next(path for path in LOGS if path.name == "1.2.8-playback.log")
    count, data = b"64000 /dev/shm/perfguide-alsa.raw", path.read_bytes()
    assert count in data
    check(path, data.replace(count, count[:1] + between + count[1:], 1))
    whole, _ = undamaged(path)
    for line in (b"12:30:01 started\n", b"[   12.34] usb 1-1: reset\n"):
        assert figures(read(path, data.replace(count, line + count, 1))) == whole


@pytest.mark.parametrize(
    ("name", "at", "intruder"),
    [
        ("dd/coreutils.log", 120, b"usb 1-1: USB disconnect, device number"),
        ("glmark2/2023.01.log", 763, b"nan"),
        ("glmark2/2023.01.log", 772, b"nan"),
        ("openssl-sweep-table/aes-128-cbc-parsed.txt", 48, b"\nINFO: task hung\n"),
    ],
)
def test_rows_behind_or_with_damage_keep_their_conditions_or_are_refused(
    name: str, at: int, intruder: bytes
) -> None:
    data = (DATA / name).read_bytes()
    check(DATA / name, data[:at] + intruder + data[at:])


def test_a_mean_of_damaged_rows_is_no_figure() -> None:
    path = next(path for path in LOGS if path.name == "1.2.2-quiet.log")
    data = path.read_bytes()
    message = b"usb 1-1: USB disconnect, device number"
    damaged = data.replace(b"7692.308", b"7692" + message + b".308", 1)
    assert damaged != data
    check(path, damaged)
