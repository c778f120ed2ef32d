"""What perfguide's own runner warned of and checked, as notes on the figures it is about.

Layout: runner/lib/say.sh and runner/README.md. ``summary.txt`` has a line ``KIND: WHAT: WHY`` for
each thing that was done, skipped, warned of or failed, and ``note: TEXT`` for what its ``--note``
says; ``checks.txt`` a line ``mask ALGORITHM:
TEXT`` or ``nice: TEXT`` for what the runner tried out beforehand.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

import msgspec

from ..bundle import Note, Result

SUMMARY, CHECKS = "summary.txt", "checks.txt"

WARNED = "The runner warned: "
"""How a note begins that puts a figure in doubt."""

LONGEST, MOST = 1000, 200
"""Characters of one note, and lines of one file, that are taken over."""

_SUMMARY = re.compile(r"(done|skipped|warning|failed|note): (.+)")
_CHECK = re.compile(r"(mask|nice)(?: ([^ :]{1,100}))?: (.+)")


@dataclass(frozen=True, slots=True)
class Noted:
    """Results with their notes, notes about more than results, and what of the files was
    understood: for each file the numbers of the lines that were not."""

    results: tuple[Result, ...]
    notes: tuple[Note, ...]
    left_over: dict[str, int]


def is_ours(name: str) -> bool:
    """Whether a log's name is that of a file of notes."""
    return PurePosixPath(name).name in (SUMMARY, CHECKS)


def noted(files: Sequence[tuple[str, bytes]], results: Sequence[Result]) -> Noted:
    """What files of notes, each with its name, say of results."""
    own: dict[int, list[str]] = {}
    notes: dict[Note, None] = {}
    skipped: dict[str, None] = {}
    left_over: dict[str, int] = {}
    benchmarks = {result.benchmark for result in results}
    for name, data in files:
        left_over[name] = 0
        lines = [line for line in data.decode("utf-8", "replace").split("\n") if line.strip()]
        left_over[name] = max(0, len(lines) - MOST)
        for line in lines[:MOST]:
            found = (_SUMMARY if name.endswith(SUMMARY) else _CHECK).fullmatch(line.strip())
            if not found:
                left_over[name] += 1
                continue
            text = (found[2] or "")[:LONGEST]  # “nice: …” checks no algorithm
            if found[1] == "skipped":
                skipped[text] = None
                continue
            if found[1] == "done":
                continue
            if found[1] == "note":
                notes[Note(text=text)] = None
                continue
            if name.endswith(SUMMARY):
                said = f"{WARNED}{text}" if found[1] == "warning" else f"The runner failed: {text}"
                about = text
            else:
                bad = "NO EFFECT" in found[3]
                said = f"{WARNED if bad else 'The runner checked: '}{line.strip()[:LONGEST]}"
                about = f"sw {found[2]}" if found[1] == "mask" else "nice"
            wanted = _wanted(about)
            places = [n for n, result in enumerate(results) if wanted(result)] if wanted else []
            for place in places:
                own.setdefault(place, []).append(said)
            if not places:
                first = re.split("[ :]", about, maxsplit=1)[0]
                first = "openssl" if first in ("block", "seconds", "sweep") else first
                known = first if first in benchmarks else msgspec.UNSET
                notes[Note(text=said, benchmark=known)] = None
    if skipped:
        notes[Note(text=f"Not measured: {'; '.join(skipped)}"[: 9 * LONGEST])] = None
    out = list(results)
    for place, texts in own.items():
        said_of = list(dict.fromkeys([*out[place].notes, *texts]))
        out[place] = msgspec.structs.replace(out[place], notes=said_of)
    return Noted(tuple(out), tuple(notes), left_over)


def _wanted(about: str) -> Callable[[Result], bool] | None:
    """Which results a line is about, by how it begins; ``None`` where it names none."""
    if found := re.match(r"(?:sw|engine sw) ([^ :]+)", about):
        algorithm = found[1]
        return lambda r: r.params.get("engine") == "sw" and r.params.get("algorithm") == algorithm
    if found := re.match(r"engine ([^ :]+)", about):
        engine = found[1]
        return lambda r: r.params.get("engine") == engine
    if re.match(r"nice\b(?! level)", about):
        return lambda r: "nice" in r.params
    if found := re.match(r"([^ :]+\.log)\b", about):
        file = found[1]
        return lambda r: r.log is not None and PurePosixPath(r.log.file).name == file
    return None
