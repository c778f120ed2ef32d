"""Reading logs, out of their envelopes, by formats, with line numbers of the file for all
results."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import cache, reduce
from itertools import islice
from operator import and_, or_
from typing import NamedTuple

from msgspec import UNSET

from ..bundle import Result
from ..common.diagnostics import Diagnostic
from . import Context, Format, Reading, Scalar, registry
from .envelope import PlainLog
from .log_sheet import MAX_DIAGNOSTICS

MAX_TRIED_STEPS = 4
"""The number of lines of one interrupted row at which another row is tried to begin."""


_NUMBER = re.compile(r"[0-9]+(?:[.,][0-9]+)*")
# Other texts are a row's only beside another row.
_MEANINGFUL = re.compile("[A-Za-z]..")


class Key(NamedTuple):
    """A hashable form of a result: its line, and everything that must be equal."""

    line: int
    name: tuple[object, ...]
    samples: tuple[float, ...]
    conditions: tuple[tuple[tuple[str, Scalar], ...], ...]


def recognise(log: PlainLog, among: Iterable[Format] | None = None) -> list[Format]:
    """Return the formats that a log contains, in the order of the list of formats."""
    every = list(registry.formats().values() if among is None else among)
    recognised = registry.recognise(log.data, every)
    if not log.joined:
        return recognised
    return recognised or registry.recognise(log.joined.data, every)


def read(log: PlainLog, formats: Sequence[Format], context: Context) -> list[Reading]:
    """Return a reading for each of the formats, with line numbers of the log's file."""
    readings = _certain(log, formats, context)
    if log.joined:
        joined = _certain(log.joined, formats, context)
        # Lines that merely happen to be as long as a terminal is wide make no rows once joined.
        is_wrapped = not log.joined.joined_lines.isdisjoint(_understood(joined))
        if (
            is_wrapped
            and _count(joined) >= _count(readings)
            and [*map(_keys, joined)] != [*map(_keys, readings)]
        ):
            return joined
    return readings


def _certain(log: PlainLog, formats: Sequence[Format], context: Context) -> list[Reading]:
    """Return what a log says regardless of whether a line after a message is the tail of the
    previous line.

    A message can interrupt a row, and also a line that says what the rows below it are about.
    """
    readings = [form.read(log.data, context) for form in formats]
    if not (log.seams or log.tails or log.fillers or log.gaps or log.cuts):
        placed = [_placed(reading, log.numbers) for reading in readings]
        return _with_cut_rows(log, formats, placed, context.file)
    understood = _understood(readings)
    # If only one of two lines separated by a message is understood, one may be part of the other.
    single = {
        line for line in log.seams if (line in understood) != (log.before(line) in understood)
    }
    unread = {line for line in log.seams if line not in understood} - single
    mended = log.mended(single | unread)
    joined = _understood([form.read(mended.data, context) for form in formats])
    # A row interrupted twice has three lines, any two of which make no sense.
    uncertain = log.seams | log.tails
    steps: dict[int, int] = {}
    for line in sorted(uncertain):
        steps[line] = steps.get(log.before(line), -1) + 1
    chained = {text for line in uncertain if steps[line] for text in (line, log.before(line))}
    single = {line for line in single if line in chained or mended.tail_rows[line] in joined}
    cut_lines = {log.numbers[line - 1] for line in log.cuts | {*map(log.before, single)}}
    possible = [(log.damaged(tails), log.numbers) for tails in (single, set[int]())]
    # A chain of lines may contain several rows, so every possible end is tried.
    for step in range(-1, min(max(steps.values(), default=0) + 1, MAX_TRIED_STEPS)):
        ends = {line for line in chained if steps[line] == step}
        mended = log.mended((single | unread) - ends)
        if step < 0 or ends:
            possible.append((mended.data, mended.numbers))
    common = [
        _common(
            [_placed(form.read(data, context), numbers) for data, numbers in possible],
            cut_lines,
            context.file,
        )
        for form in formats
    ]
    return _with_cut_rows(log, formats, common, context.file)


def _with_cut_rows(
    log: PlainLog, formats: Sequence[Format], readings: Sequence[Reading], file: str
) -> list[Reading]:
    """Report each line that no format understood, but with which a row of the log or of a format's
    example begins."""
    texts = log.data.decode("utf-8", "replace").split("\n")
    lines = list(zip(log.numbers, texts, strict=True))
    explained = _understood(readings) | {d.line for r in readings for d in r.diagnostics}
    left = [(n, text.lstrip()) for n, text in lines if n not in explained and text.strip()]
    reported = []
    for form, reading in zip(formats, readings, strict=True):
        rows = _rows(reading)
        whole = sorted({_form(text) for n, text in lines if n in rows} | _example_forms(form))
        # Most lines of other programs begin with another character, which is faster to see.
        first_chars = tuple({text[:1] for text in whole}) + tuple("123456789")
        cut_rows = (
            Diagnostic("log-row", file, f"a row of {form.name} is cut", line=n)
            for n, text in left
            if text.startswith(first_chars)
            and _begins_one_of(whole, front := _form(text))
            and (_MEANINGFUL.search(front) or not rows.isdisjoint((n - 1, n + 1)))
        )
        diagnostics = (*reading.diagnostics, *islice(cut_rows, MAX_DIAGNOSTICS))
        reported.append(replace(reading, diagnostics=diagnostics))
    return reported


def _begins_one_of(forms: Sequence[str], front: str) -> bool:
    """Return whether a text is the beginning of one of some forms, in order, but not one itself."""
    at = bisect_left(forms, front)
    return at < len(forms) and front != forms[at] and forms[at].startswith(front)


@cache
def _example_forms(form: Format) -> frozenset[str]:
    """Return the forms of the rows in the example of a format."""
    rows = _rows(form.read(form.example.encode(), Context("")))
    lines = enumerate(form.example.split("\n"), 1)
    return frozenset(_form(text) for number, text in lines if number in rows)


def _rows(reading: Reading) -> set[int]:
    """Return the lines of the results of a reading."""
    return {result.log.line for result in reading.results if result.log}


def _form(text: str) -> str:
    """Return what rows that differ in their numbers alone have in common."""
    return _NUMBER.sub("0", " ".join(text.split()))


def _understood(readings: Iterable[Reading]) -> set[int]:
    return {number for reading in readings for number in reading.lines}


def _common(readings: Sequence[Reading], cut_lines: set[int], file: str) -> Reading:
    """Return the results and facts that all readings of a log agree on, with a diagnostic for each
    line that is interrupted or yields different figures."""
    first, *others = readings
    keys = [_keys(reading) for reading in readings]
    certain = reduce(and_, keys)
    doubtful = cut_lines | {key.line for key in reduce(or_, keys) - certain}
    message = "a message of the kernel or of another program cuts this row, or a line that it needs"
    hint = "no figure of it is read; keep such messages off the console"
    return Reading(
        tuple(result for result in first.results if _key(result) in certain),
        (
            *first.diagnostics,
            *(Diagnostic("log-row", file, message, hint, line=line) for line in sorted(doubtful)),
        ),
        {
            name: value
            for name, value in first.facts.items()
            if all(reading.facts.get(name) == value for reading in others)
        },
        first.lines,
    )


def _count(readings: Sequence[Reading]) -> int:
    return sum(len(reading.results) for reading in readings)


def _keys(reading: Reading) -> Counter[Key]:
    return Counter(map(_key, reading.results))


def _key(result: Result) -> Key:
    return Key(
        result.log.line if result.log else 0,
        (result.benchmark, result.metric, result.unit, result.status),
        () if result.samples is UNSET else tuple(result.samples),
        (tuple(sorted(result.params.items())), tuple(sorted(result.setup.items()))),
    )


def _placed(reading: Reading, numbers: Sequence[int]) -> Reading:
    """Return a reading with line numbers of the file instead of the plain log."""
    last = len(numbers)

    def line_of(number: int) -> int:
        return numbers[min(max(number, 1), last) - 1] if last else number

    return reading.renumbered(line_of)
