"""The resolution of figures, which depends on their printed digits and the timer of the program."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

MAX_BINARY_ERROR = 0.005
"""The largest error of ticks that count as an integer, if the amount is a power of two."""

MAX_TICKS, MIN_TICK_DIGITS = 1000, 5
"""The most clock ticks that can be recognised in a rate, and the fewest digits that this takes."""


def printed(figures: Sequence[float]) -> float:
    """Return the unit of the last decimal printed, such as 0.01; 0 if figures are not rounded."""
    # Twelve digits hide float errors beyond the printed ones.
    texts = [format(figure, ".12g") for figure in figures]
    if any("e" in text for text in texts):
        return 0.0
    decimals = max(len(text.partition(".")[2]) for text in texts)
    # More decimals are those of a computed mean that was not rounded.
    return 0.0 if decimals > 8 else 10.0**-decimals


def timer_step(figures: Sequence[float]) -> float:
    """Return the distance from the greatest rate to the next one, if a program divides a round
    number of loops, or a power of two of bytes, by an integer number of clock ticks, else 0.

    For example 20,000,000, 18,181,818 and 16,666,667 per second are 200,000,000 over 10, 11 and 12,
    and 528,516 and 564,966 kB/s are 16 MiB over 31 and 29 ms.
    """
    if len(figures) < 2 or min(figures) <= 0:
        return 0.0
    counts = list(map(digits, figures))
    greatest, loops, max_exact = max(figures), 0.0, 0
    for number, is_binary in _amounts(greatest):
        ticks = [number / figure for figure in figures]
        # Ticks are integers, up to the error of the rate's last printed digit.
        exact = [
            math.isfinite(tick)
            and abs(tick - round(tick)) <= (error := tick * 10.0 ** (1 - each))
            and not (is_binary and error > MAX_BINARY_ERROR)
            for tick, each in zip(ticks, counts, strict=True)
            if each >= MIN_TICK_DIGITS
        ]
        if sum(exact) > max_exact + is_binary:
            loops, max_exact = number, sum(exact)
    # Some ratios are integers by chance, but not half of them.
    if 2 * max_exact <= sum(each >= MIN_TICK_DIGITS for each in counts):
        return 0.0
    ticks_of_greatest = round(loops / greatest)
    # One tick makes the largest difference at the greatest rate.
    return loops / ticks_of_greatest / (ticks_of_greatest + 1)


def _amounts(greatest: float) -> Iterator[tuple[float, bool]]:
    """Yield the amounts that a program may divide by ticks, and whether each is a power of two."""
    for exponent in range(math.floor(math.log10(greatest)), 15):
        for first in (1, 2, 5):
            if 1 < (number := first * 10.0**exponent) / greatest <= MAX_TICKS:
                yield number, False
    # KiB a millisecond, or the same in MB/s and in B/s.
    for thousands in (1.0, 1e3, 1e6):
        for power in range(41):
            if 1 < (number := thousands * 2.0**power) / greatest <= MAX_TICKS:
                yield number, True


def digits(figure: float | None) -> int:
    """Return the number of digits of a figure without zeros at either end, up to 12."""
    return 0 if figure is None else len(format(abs(figure), ".12g").replace(".", "").strip("0"))
