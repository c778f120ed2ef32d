"""The time that each adapter takes for a log with one very long line."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

from measuring import TOP, Figure, seconds

from perfguide.adapters import Context, Format, registry

sys.path.append(str(Path(TOP, "tests", "support")))

GOAL = 2.0
"""CPU seconds for a log with one line of ``LENGTH`` bytes."""
LENGTH = 2**20
LINES = 4
"""The number of lines of each sample that are stretched, evenly spread over the sample."""


def stretched(line: bytes, length: int) -> Iterator[bytes]:
    """Yield a line stretched in ways that make patterns backtrack."""
    words = line.split() or [b"x"]
    for tail in (b"1", b" ", b" ab", b": ", b" 1.5", b" " + words[0], b" " + words[-1]):
        yield line + tail * (length // len(tail))
    yield line + b" " * length + b"x"
    yield (line + b" ") * (length // (len(line) + 1) + 1)


def slowest(form: Format, length: int) -> float:
    """Return the most CPU time, in seconds, for recognising and reading one of these logs."""
    from fuzzing import samples

    worst = 0.0
    for sample in samples(form)[:2]:
        lines = sample.splitlines()
        short = [n for n, line in enumerate(lines) if line.strip() and len(line) < 300]
        for number in short[:: len(short) // LINES + 1]:
            for line in stretched(lines[number], length):
                data = b"\n".join([*lines[:number], line, *lines[number + 1 :]])

                def take(data: bytes = data) -> None:
                    form.recognises(data)
                    form.read(data, Context("log"))

                worst = max(worst, seconds(take))
    return worst


def figures(length: int = LENGTH) -> list[Figure]:
    """Return one figure per format."""
    size = f"one line of {length / 2**20:.2g} MiB"
    return [
        Figure(f"Reading a log: {name}", size, slowest(form, length), "s", GOAL)
        for name, form in registry.formats().items()
    ]
