"""The time for a log grows with its length, however its lines are made."""

from __future__ import annotations

import time
from collections.abc import Iterator

import pytest
from fuzzing import samples

from perfguide.adapters import Context, Format
from perfguide.adapters.registry import BUILT_IN, CONTAINERS, formats

LENGTH = 48_000
"""Bytes of hostile text in a log."""
LINE = 19_000
"""Bytes of a line that is read whole."""
CEILING_SECONDS = 0.25
"""CPU for such a log: the slowest reader takes a fifth of it, and a quadratic one several times."""

TAILS = (b"1", b"1.", b" ", b"\t", b" 1.5", b" a", b"2020", b"=", b": ", b"[", b"- ", b"{", b"\xff")


def shapes(form: Format) -> Iterator[tuple[str, bytes, bytes]]:
    """What is repeated behind a start, each with a name: whole logs, lines, and ends of lines."""
    sample = samples(form)[0]
    lines = [line for line in sample.splitlines() if line.strip() and len(line) < 300]
    yield "log", b"", sample + b"\n"
    for line in lines[:: len(lines) // 4 + 1]:
        yield f"lines {line!r}", sample + b"\n", line + b"\n"
        for tail in (*TAILS, line.split()[0] + b" "):
            long = line + tail * (LINE // len(tail))
            yield f"end {line!r} {tail!r}", sample + b"\n" + line, tail
            yield f"only {line!r} {tail!r}", sample + b"\n", tail * (LINE // len(tail)) + b"\n"
            yield f"ends {line!r} {tail!r}", sample + b"\n", long + b"\n"


def seconds(form: Format, start: bytes, again: bytes, length: int) -> float:
    """CPU for a log of this length."""
    data = start + again * max(1, length // len(again)) + b"\n"
    begun = time.process_time()
    form.recognises(data)
    form.read(data, Context("log"))
    return time.process_time() - begun


@pytest.mark.parametrize("name", BUILT_IN)
def test_no_log_costs_the_square_of_its_length(name: str) -> None:
    form = formats()[name]
    slow = []
    for shape, start, again in shapes(form):
        # Others work on the machine too: what is slow once is measured again.
        if all(seconds(form, start, again, LENGTH) > CEILING_SECONDS for _ in range(3)):
            slow.append(shape)
    assert slow == []


@pytest.mark.parametrize("name", sorted(CONTAINERS))
def test_many_blocks_in_one_log_cost_as_much_as_each_alone(name: str) -> None:
    form = formats()[name]
    sample = samples(form)[0] + b"\n"
    few = min(seconds(form, b"", sample, 64_000) for _ in range(3))
    # Others work on the machine too: what is slow once is measured again.
    assert any(seconds(form, b"", sample, 1_024_000) < 64 * max(few, 0.02) for _ in range(3)), (
        "16 times the bytes; the square would be 256 times"
    )


def test_a_long_version_is_no_version() -> None:
    form = formats()["openssl-speed"]
    for again in (b"1", b"1.1.1", b"0.", b"a2020", b" 2020"):
        assert seconds(form, b"OpenSSL 1.1.1", again, 32_000) < CEILING_SECONDS
        assert seconds(form, b"version: 3.0.1", again, 32_000) < CEILING_SECONDS
