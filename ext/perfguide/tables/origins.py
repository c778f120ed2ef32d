"""Where the figures of a table come from: bundle, JSON pointer, command, log line."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import msgspec

from ..bundles.decode import Loaded
from ..bundles.logs import LONGEST, Found
from ..common import units
from ..common.units import TableCell
from ..figures.pool import Pool, Record
from ..figures.provenance import FACTS, facts
from .grids import Grid, listing, only_columns, view_units
from .model import Row, View


def bundles(items: Sequence[Loaded]) -> Grid:
    """Bundles with all facts, a row for each fact that is stated."""
    rows = []
    for item in items:
        stated = facts(item) | {"results": units.counted(len(item.bundle.results))}
        stated["supersedes"] = ", ".join(stated["supersedes"])
        stated["cpu_mhz"] = stated["cpu_mhz"] and f"{stated['cpu_mhz']} MHz"
        rows += [(item.bundle.id, FACTS[key], stated[key]) for key in FACTS if stated[key]]
    return listing(("Bundle", "Fact", "Value"), rows, 2)


Group = tuple[int, str, str]
"""What some figures of a row share: their bundle, by its position in the frame, the command, and
the log; it is empty where there is none."""


def table(view: View, pool: Pool, logs: Mapping[int, Found]) -> Grid:
    """A row for each row of a table and each bundle behind it: which results they
    are, and where they stand in which log. ``logs`` are those of bundles by
    their position in the frame."""
    seen: set[int] = set()
    rows: list[tuple[TableCell, ...]] = []
    # From the last row up: a mean stands below its samples, and has all of them.
    for row in reversed(view.rows):
        own = []
        fresh = {m for cell in row.cells if cell for m in cell.members} - seen
        if not fresh:
            continue
        seen |= fresh
        for group, members in _groups(row, pool):
            columns, results, lines = zip(*members, strict=True)
            where = (_columns(view, columns), spans(results), lines)
            own.append((*row.keys, *_line(pool, group, *where, logs.get(group[0]))))
        rows += reversed(own)
    rows.reverse()
    head = (*view.key_labels, "Board", "Columns", "Bundle", "Results", "Log", "Line", "Command")
    stub = len(view.key_labels) + 1
    made = Grid((head,), tuple(rows), stub, view.tabbed, view_units(view))
    # Without the columns in which no row says anything.
    return only_columns(made, [c for c in range(len(head)) if c < stub or any(r[c] for r in rows)])


def _groups(row: Row, pool: Pool) -> Iterator[tuple[Group, list[tuple[int, int, int]]]]:
    """The figures of a row by bundle, command and log, one of each column, so that repeated runs
    stay apart; of each the column, the result in the bundle and the line in the log."""
    groups: dict[tuple[Group, int], list[tuple[int, int, int]]] = {}
    for column, cell in enumerate(row.cells):
        runs: Counter[Group] = Counter()
        for bundle, index in pool.places(cell.members) if cell else ():
            result = pool.frame.bundles[bundle].bundle.results[index]
            file, line = (result.log.file, result.log.line) if result.log else ("", 0)
            group = (bundle, result.command, file)
            groups.setdefault((group, runs[group]), []).append((column, index, line))
            runs[group] += 1
    for (group, _), members in groups.items():
        yield group, members


def _line(
    pool: Pool, group: Group, columns: str, results: str, lines: Sequence[int], logs: Found | None
) -> tuple[str, ...]:
    bundle, command, file = group
    named = pool.frame.bundles[bundle].bundle
    texts = [logs.text(file, line) for line in dict.fromkeys(lines)] if logs and file else []
    text = " ⏎ ".join(filter(None, texts))
    if len(text) > LONGEST:
        text = text[:LONGEST] + "…"
    log = f"{file}:{spans(lines)}" if file else ""
    return named.board.name, columns, named.id, f"/results/{results}", log, text, command


def spans(numbers: Sequence[int]) -> str:
    """Numbers in their order, neighbours that count up joined: ``12–17, 19``.

    A number that repeats the one before it is left out.
    """
    out: list[tuple[int, int]] = []
    for number in numbers:
        if out and number == out[-1][1]:
            continue
        if out and number == out[-1][1] + 1:
            out[-1] = (out[-1][0], number)
        else:
            out.append((number, number))
    return ", ".join(str(a) if a == b else f"{a}–{b}" for a, b in out)


def _columns(view: View, chosen: Sequence[int]) -> str:
    """What tells the chosen columns from the others, apart from their board.

    Level by level where all combinations are there, column by column where not.
    """
    levels = range(1, len(view.columns[0]) if view.columns else 0)
    telling = [n for n in levels if len({labels[n] for labels in view.columns}) > 1]
    names = list(dict.fromkeys(tuple(view.columns[c][n] for n in telling) for c in chosen))
    distinct = [list(dict.fromkeys(name[n] for name in names)) for n in range(len(telling))]
    size = 1
    for labels in distinct:
        size *= len(labels)
    if size == len(names):
        return "; ".join(", ".join(labels) for labels in distinct)
    return ", ".join(" / ".join(name) for name in names)


def as_json(pool: Pool, records: Iterable[Record]) -> bytes:
    """The same for programs, a line for each figure.

    ``sources`` holds ``[bundle, pointer, command, log file, log line]``; bundle
    and command are positions in the lists of the same file, ``null`` where the
    bundle says nothing.
    """
    records = list(records)
    numbers: dict[int, int] = {}
    items: list[Loaded] = []
    for item in pool.bundles(records):
        numbers[id(item)] = len(items)
        items.append(item)
    commands: dict[str, int] = {}
    lines = []
    for record in records:
        sources: list[list[Any]] = []
        for position, index in pool.places(record.cell.members):
            item = pool.frame.bundles[position]
            result = item.bundle.results[index]
            command = None
            if result.command:
                command = commands.setdefault(result.command, len(commands))
            log = [result.log.file, result.log.line] if result.log else [None, None]
            sources.append([numbers[id(item)], f"/results/{index}", command, *log])
        figure = {
            "board": record.board,
            "benchmark": record.benchmark,
            "metric": record.metric,
            "unit": record.unit,
            "params": record.params,
            "sources": sources,
        }
        lines.append(msgspec.json.encode(figure))
    head = {"bundles": [facts(item) for item in items], "commands": list(commands)}
    # A file's name can hold what no UTF-8 text can; JSON has an escape for it.
    begin = json.dumps(head, ensure_ascii=False)[:-1].encode("utf-8", "backslashreplace")
    return begin + b',"figures":[\n' + b",\n".join(lines) + b"\n]}\n"
