"""Recorded logs in the envelopes of consoles, loggers and editors, and with messages between and in rows."""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from corpus import DATA, expected, figures, logs, read, row
from hypothesis import given
from hypothesis import strategies as st
from profiles import count, examples

from perfguide.adapters.envelope import opened
from perfguide.adapters.log_dates import Date

MAX_LOG_BYTES = 20_000
LOGS = [path for path in logs() if path.stat().st_size <= MAX_LOG_BYTES]

Envelope = Callable[[int, str], str]


def clock(index: int) -> str:
    return f"10:{index // 60 % 60:02}:{index % 60:02}"


LINES: dict[str, Envelope] = {
    "LAVA text": lambda i, text: f"2024-11-23T{clock(i)}.123456 {text}",
    "LAVA output.yaml": lambda i, text: (
        "- " + json.dumps({"dt": f"2024-11-23T{clock(i)}.123456", "lvl": "target", "msg": text})
    ),
    "journal": lambda i, text: f"Nov 23 {clock(i)} am62xx-evm bench.sh[{100 + i % 3}]: {text}",
    "journal as JSON": lambda i, text: json.dumps(
        {
            "MESSAGE": text,
            "__REALTIME_TIMESTAMP": f"{1_732_356_000 + i}000000",
            "_HOSTNAME": "am62xx-evm",
            "SYSLOG_IDENTIFIER": "bench.sh",
        }
    ),
    "ts": lambda i, text: f"Nov 23 {clock(i)} {text}",
    "ts %.s": lambda i, text: f"1732356000.{i:06} {text}",
    "kernel": lambda i, text: f"<6>[{i + 3:5}.{i:06}][  T{i}] {text}",
    "syslog": lambda i, text: f"<30>1 2024-11-23T{clock(i)}.123456Z am62 bench 12 - - {text}",
    "minicom": lambda i, text: f"[2024-11-23 {clock(i)}] {text}\r",
    "nested quotation": lambda i, text: f">> {text}" if text else ">>",
    "indentation": lambda i, text: f"    {text}" if text else "",
    "colours": lambda i, text: f"\x1b[1;32m{text}\x1b[0m\x1b[K\r",
    "quoted LAVA text": lambda i, text: f"> 2024-11-23T{clock(i)}.123456 {text}",
}
"""Envelopes that change each line by itself."""

MESSAGES = (
    b"[   12.345678] usb 1-1: new high-speed USB device number 2 using xhci-hcd\n",
    b"\n[  912.000001] mmc0: new ultra high speed SDR104 SDHC card at address 0001\n",
    b"[    3.141592][  T123] EXT4-fs (mmcblk0p2): mounted filesystem with ordered data mode\r\n",
    b"<6>[12345.000123] random: crng init done\n",
    b"[  OK  ] Reached target Timers.\n",
    b"\n[  OK  ] Started Session 1 of user root.\n",
    b"[   12.345678] a: 1\n[   12.345679] b: 2\n",
    b"[   44.000000] am65-cpsw-nuss 8000000.ethernet eth0: Link is Up - 1Gbps/Full\r\n",
    b"INFO: task kworker/0:1 blocked for more than 120 seconds\n",
    b"\n[  55.555555] audit: type=1400 audit(1700000000.123:4): apparmor\n",
    b"[    7.000001] k3-ringacc 485c0000.ringacc: probed rings:150, gp-rings[20,10]\n",
    b"\n[  101.250000] mmcblk0: mmc0:0001 SDINBDA6 7.28 GiB\n",
    b"\r\n[  300.123456] [drm] Initialized tidss 1.0.0 20180215 on minor 0\r\n",
    b"[  200.000000] oom: 128 MB 16 1.23\n",
)

FRAGMENTS = (
    *MESSAGES,
    *(b"\n", b"16 1.23\n", b"x" * 80 + b"\n", b"1", b" ", b"> ", b"    ", b"```\n", b"\r", b"\xff"),
    *(
        b"Nov 23 10:00:00 ",
        b"2024-11-23T10:00:00 ",
        b"am62 bench[7]: ",
        b"root@am62:~# ",
        b"\x1b[1m",
    ),
)


def enveloped(path: Path, envelope: Envelope) -> bytes:
    """Return a log with each line in an envelope."""
    lines = path.read_text("utf-8").split("\n")
    end = "\n" if not lines[-1] else ""
    lines = lines[: -1 if end else None]
    return ("\n".join(envelope(i, text) for i, text in enumerate(lines)) + end).encode()


@pytest.mark.parametrize("name", LINES)
def test_a_log_in_an_envelope_gives_the_same_figures_on_the_same_lines(name: str) -> None:
    for path in LOGS:
        reading = read(path, enveloped(path, LINES[name]))
        assert [row(each) for each in reading.results] == list(expected(path)), path.name


def framed(lines: list[str]) -> list[str]:
    head = 'Script started on 2024-11-23 10:00:00+00:00 [TERM="xterm" COLUMNS="80" LINES="24"]'
    return [
        head,
        *(f"{each}\r" for each in lines),
        "",
        'Script done on 2024-11-23 10:00:09+00:00 [x="0"]',
    ]


def fenced(lines: list[str]) -> list[str]:
    return [
        "The run of today:",
        "",
        "  ```console",
        *(f"  {each}" for each in lines),
        "  ```",
        "Bye.",
    ]


@pytest.mark.parametrize(("frame", "shift"), [(framed, 1), (fenced, 3)])
def test_a_log_in_a_frame_gives_the_same_figures(
    frame: Callable[[list[str]], list[str]], shift: int
) -> None:
    for path in LOGS:
        lines = path.read_text("utf-8").removesuffix("\n").split("\n")
        reading = read(path, "\n".join(frame(lines)).encode())
        moved = [(line + shift, *rest) for line, *rest in expected(path)]
        assert [row(each) for each in reading.results] == moved, path.name


@pytest.mark.parametrize("width", [80, 132])
def test_lines_that_a_terminal_broke_are_joined(width: int) -> None:
    for path in LOGS:
        lines = path.read_text("utf-8").split("\n")
        broken = [
            text[at : at + width] for text in lines for at in range(0, max(len(text), 1), width)
        ]
        found, wanted = figures(read(path, "\n".join(broken).encode())), figures(read(path))
        # Whether a line that fills the width goes on does not show: it may be refused.
        fills_width = any(text and len(text) % width == 0 for text in lines)
        assert found <= wanted if fills_width else found == wanted, path.name


@pytest.mark.parametrize("coding", ["utf-16", "utf-16-le", "utf-8-sig"])
def test_text_of_windows_is_read(coding: str) -> None:
    for path in LOGS:
        text = path.read_text("utf-8").replace("\n", "\r\n")
        assert [row(each) for each in read(path, text.encode(coding)).results] == list(
            expected(path)
        )


def test_dates_of_an_envelope_are_kept_and_years_are_not_guessed() -> None:
    path = DATA / "stream/5.10.log"
    log = opened(enveloped(path, LINES["LAVA text"]))
    assert log.date == Date("2024-11-23T10:00:00.123456+00:00", False)
    assert opened(enveloped(path, LINES["ts"])).date is None
    yaml = opened(enveloped(path, LINES["LAVA output.yaml"]))
    assert yaml.date == Date("2024-11-23T10:00:00.123456+00:00", True)


def test_a_row_that_begins_like_the_end_of_a_date_stays_whole() -> None:
    data = b"Nov 23 10:00:00 2048 bits ffdh\nNov 23 10:00:01 -0100 x\n"
    assert opened(data).data == b"2048 bits ffdh\n-0100 x\n"


def test_programs_that_write_in_turn_are_read_one_after_the_other() -> None:
    path = DATA / "stream/5.10.log"
    lines = path.read_text("utf-8").splitlines()
    mixed = [
        f"Nov 23 {clock(i)} am62 {sender}: {text}"
        for i, each in enumerate(lines)
        for sender, text in (("stream[7]", each), ("kernel", f"usb 1-{i}: reset"))
    ]
    reading = read(path, "\n".join(mixed).encode())
    assert [row(each) for each in reading.results] == [
        (2 * line - 1, *rest) for line, *rest in expected(path)
    ]


@pytest.mark.parametrize(
    "text",
    [
        '{"log_excerpt": "[    0.000000] Booting Linux", "value": 1.5}',
        '[\n  {"msg": "a\\n[    1.500000] usb 1-1: reset"}\n]',
        "<log>[    0.000000] Booting Linux</log>",
        "[  3]  0.0-10.0 sec  1.10 GBytes   941 Mbits/sec",
        "root@am62:~# x",
    ],
)
def test_text_that_only_looks_like_an_envelope_stays(text: str) -> None:
    log = opened(text.encode())
    assert (log.data.decode().removeprefix("# "), log.tails, log.seams) == (
        text.removeprefix("root@am62:~# "),
        frozenset(),
        frozenset(),
    )


def tried(wanted: int, seed: int, places: Callable[[Path], Sequence[int]]) -> Counter[str]:
    """Put messages into logs at random until there were as many figures as wanted; return how many
    there were, were read, were wrong, and the logs that lost some without a diagnostic."""
    draw = random.Random(seed)
    counts: Counter[str] = Counter()
    whole = [path for path in LOGS if figures(read(path))]
    while counts["figures"] < wanted:
        path = draw.choice(whole)
        data = path.read_bytes()
        ats = {draw.choice(places(path)) for _ in range(draw.choice((1, 1, 2, 4, 8)))}
        for at in sorted(ats, reverse=True):
            data = data[:at] + draw.choice(MESSAGES) + data[at:]
        true, reading = figures(read(path)), read(path, data)
        counts["figures"] += true.total()
        counts["read"] += (figures(reading) & true).total()
        counts["wrong"] += (figures(reading) - true).total()
        counts["silent"] += figures(reading) < true and not reading.diagnostics
        counts["logs"] += 1
    return counts


def rows_of(path: Path) -> list[int]:
    """Return the offsets within rows with figures."""
    starts = [0]
    for line in path.read_bytes().split(b"\n"):
        starts.append(starts[-1] + len(line) + 1)
    numbers = {each[0] for each in expected(path)}
    return [at for number in numbers for at in range(starts[number - 1], starts[number] - 1)]


def anywhere(path: Path) -> range:
    return range(path.stat().st_size)


@pytest.mark.parametrize("places", [rows_of, anywhere])
def test_a_message_in_a_row_gives_no_figure_under_another_key(
    places: Callable[[Path], Sequence[int]],
) -> None:
    counts = tried(count(4_000, heavy=40_000), 34, places)
    assert counts["wrong"] == 0
    # Most logs are of one block, and a message takes two rows.
    assert counts["read"] > 0.3 * counts["figures"]
    assert counts["silent"] <= 0.01 * counts["logs"]


@pytest.mark.parametrize("message", MESSAGES)
def test_a_message_between_rows_takes_no_figure(message: bytes) -> None:
    for name in ("stream/5.10.log", "tinymembench/0.4.9.log", "openssl-speed/3.5.7-evp.log"):
        path = DATA / name
        lines = path.read_bytes().splitlines(keepends=True)
        at = max(line for line, *_ in expected(path))
        data = b"".join(lines[: at - 1]) + message.lstrip(b"\r\n") + b"".join(lines[at - 1 :])
        assert figures(read(path, data)) == figures(read(path)), name


def test_every_cut_row_has_its_diagnostic() -> None:
    path = DATA / "stream/5.10.log"
    data = path.read_bytes().replace(b"Copy:  ", b"Co[   12.345678] usb 1-1: reset\npy:  ")
    reading = read(path, data)
    number = data[: data.index(b"Co[")].count(b"\n") + 1
    lost = figures(read(path)) - figures(reading)
    assert lost.total() == 1
    assert ("log-row", number) in {(each.kind, each.line) for each in reading.diagnostics}


@pytest.mark.parametrize(
    ("line", "plain"),
    [
        (
            "\rGET: rps=1200.0 (overall: 8571.4) avg_msec=5.636 (overall: 5.636)\r"
            + " " * 66
            + "\rGET: 9478.67 requests per second, p50=3.895 msec",
            "GET: 9478.67 requests per second, p50=3.895 msec",
        ),
        ("10 %\r100 %\r\r", "100 %"),
        ("latency 123456\rlatency 12", "latency 123456\rlatency 12"),
    ],
)
def test_progress_that_was_written_over_is_left_out(line: str, plain: str) -> None:
    assert opened(line.encode()).data == plain.encode()


@pytest.mark.parametrize(
    "data",
    [
        b"[" * 100_000,
        b'{"__REALTIME_TIMESTAMP": "' + b"9" * 5000 + b'", "MESSAGE": "x"}\n',
        b'{"__REALTIME_TIMESTAMP": "1", "MESSAGE": "\\ud800 x"}\n' * 2,
        b'{"__REALTIME_TIMESTAMP": "1", "MESSAGE": ' + b"[" * 100_000,
        b'- {"dt": "2024-11-23T10:00:00", "lvl": "target", "msg": "\\ud800"}\n',
        b'- {"dt": "2024-11-23T10:00:00", "lvl": "target", "msg": ' + b"[" * 100_000 + b"}\n",
        b"\xff\xfe\x00\xd8",
        b"\x00" * 50,
        b"",
    ],
)
def test_no_bytes_keep_a_log_from_being_opened(data: bytes) -> None:
    log = opened(data)
    assert len(log.numbers) == log.data.count(b"\n") + 1


@examples(200, heavy=1000)
@given(data=st.lists(st.sampled_from(FRAGMENTS), max_size=40).map(b"".join))
def test_no_mixture_of_envelopes_keeps_a_log_from_being_opened(data: bytes) -> None:
    log = opened(data)
    for part in filter(None, (log, log.joined)):
        assert len(part.numbers) == part.data.count(b"\n") + 1
        assert all(1 < line <= len(part.numbers) for line in part.tails | part.seams)
        assert part.mended(part.seams).data.count(b"\n") <= part.data.count(b"\n")
        assert part.damaged(part.seams).count(b"\n") == part.data.count(b"\n")
