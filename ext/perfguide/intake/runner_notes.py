"""Warnings and checks of perfguide's own runner, as notes on the figures they concern.

Layout: runner/lib/say.sh and runner/README.md. ``summary.txt`` has a line ``KIND: WHAT: WHY`` for
each warning and each step that was done, skipped or failed, and ``note: TEXT`` for the text of
``--note``; ``checks.txt`` has a line ``mask ALGORITHM: TEXT`` or ``nice: TEXT`` for each check
before the run.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

import msgspec

from ..bundle import WARNED, Note, Result

SUMMARY, CHECKS = "summary.txt", "checks.txt"

MAX_NOTE_CHARS, MAX_FILE_LINES = 1000, 200
"""Limits on the characters of a note and the lines of a file; further lines count as not
understood."""

_SUMMARY = re.compile(r"(done|skipped|warning|failed|note): (.+)")
_CHECK = re.compile(r"(mask|nice)(?: ([^ :]{1,100}))?: (.+)")


@dataclass(frozen=True, slots=True)
class Noted:
    """Results with their notes, notes with a wider scope, and for each file the number of lines
    that were not understood."""

    results: tuple[Result, ...]
    notes: tuple[Note, ...]
    left_over: dict[str, int]


def is_ours(name: str) -> bool:
    """Return whether a log's name is that of a file of notes."""
    return PurePosixPath(name).name in (SUMMARY, CHECKS)


def noted(files: Sequence[tuple[str, bytes]], results: Sequence[Result]) -> Noted:
    """Attach the notes in the runner's files, given as pairs of name and content, to results."""
    notes_by_result: dict[int, list[str]] = {}
    notes: dict[Note, None] = {}
    skipped: dict[str, None] = {}
    left_over: dict[str, int] = {}
    benchmarks = {result.benchmark for result in results}
    for name, data in files:
        lines = [line for line in data.decode("utf-8", "replace").split("\n") if line.strip()]
        left_over[name] = max(0, len(lines) - MAX_FILE_LINES)
        for line in lines[:MAX_FILE_LINES]:
            match = (_SUMMARY if name.endswith(SUMMARY) else _CHECK).fullmatch(line.strip())
            if not match:
                left_over[name] += 1
            elif match[1] == "skipped":
                skipped[match[2][:MAX_NOTE_CHARS]] = None
            elif match[1] == "note":
                notes[Note(text=match[2][:MAX_NOTE_CHARS])] = None
            elif match[1] != "done":
                note, about = _note(match)
                concerns = _matcher(about)
                indices = [n for n, result in enumerate(results) if concerns and concerns(result)]
                for index in indices:
                    notes_by_result.setdefault(index, []).append(note)
                if not indices:
                    first = re.split("[ :]", about, maxsplit=1)[0]
                    # The runner uses these names in warnings about its openssl options.
                    first = "openssl" if first in ("block", "seconds", "sweep") else first
                    benchmark = first if first in benchmarks else msgspec.UNSET
                    notes[Note(text=note, benchmark=benchmark)] = None
    if skipped:
        notes[Note(text=f"Not measured: {'; '.join(skipped)}"[: 9 * MAX_NOTE_CHARS])] = None
    out = list(results)
    for index, texts in notes_by_result.items():
        # A warning can be in both files.
        unique = list(dict.fromkeys([*out[index].notes, *texts]))
        out[index] = msgspec.structs.replace(out[index], notes=unique)
    return Noted(tuple(out), tuple(notes), left_over)


def _note(match: re.Match[str]) -> tuple[str, str]:
    """Return the note for a warning, a failure or a check, and what it is about."""
    kind = match[1]
    if kind in ("mask", "nice"):
        verdict = WARNED if "NO EFFECT" in match[3] else "The runner checked: "
        return verdict + match[0][:MAX_NOTE_CHARS], f"sw {match[2]}" if kind == "mask" else "nice"
    text = match[2][:MAX_NOTE_CHARS]
    return f"{WARNED if kind == 'warning' else 'The runner failed: '}{text}", text


def _matcher(about: str) -> Callable[[Result], bool] | None:
    """Return a test for the results that a line concerns, or ``None`` if it names none."""
    if match := re.match(r"(?:sw|engine sw) ([^ :]+)", about):
        algorithm = match[1]
        return lambda r: r.params.get("engine") == "sw" and r.params.get("algorithm") == algorithm
    if match := re.match(r"engine ([^ :]+)", about):
        engine = match[1]
        return lambda r: r.params.get("engine") == engine
    if re.match(r"nice\b(?! level)", about):
        return lambda r: "nice" in r.params
    if match := re.match(r"([^ :]+\.log)\b", about):
        file = match[1]
        return lambda r: r.log is not None and PurePosixPath(r.log.file).name == file
    return None
