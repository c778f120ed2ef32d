"""The origins of the figures in a table: bundle, JSON pointer, command, log line."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import msgspec

from ..bundles.decode import Loaded
from ..bundles.logs import MAX_LINE_CHARS, Found
from ..common import units
from ..common.units import TableCell
from ..figures.pool import Pool, Record
from ..figures.provenance import FACTS, facts
from .grids import Grid, listing, view_units, without_empty
from .model import NOT_STATED, Row, View


def bundles(items: Sequence[Loaded]) -> Grid:
    """Return the stated facts of bundles, one per row."""
    rows = []
    for item in items:
        stated = facts(item) | {"results": units.count_cell(len(item.bundle.results))}
        # Cells of a grid are strings.
        stated["supersedes"] = ", ".join(stated["supersedes"])
        stated["cpu_mhz"] = stated["cpu_mhz"] and f"{stated['cpu_mhz']} MHz"
        rows += [(item.bundle.id, FACTS[key], stated[key]) for key in FACTS if stated[key]]
    return listing(("Bundle", "Fact", "Value"), rows, 2)


Group = tuple[int, str, str]
"""The common origin of some figures in a row: the position of their bundle in the frame, the
command, and the log or an empty string."""


def table(view: View, pool: Pool, logs: Mapping[int, Found]) -> Grid:
    """Return the origins of a table's figures: for each row of the table and each bundle, the
    results in the bundle and their lines in logs. ``logs`` are keyed by the position of the bundle
    in the frame."""
    seen: set[int] = set()
    rows: list[tuple[TableCell, ...]] = []
    tabs: list[str] = []
    # Bottom up: a mean is below its samples and includes all of them.
    for row in reversed(view.rows):
        new_rows = []
        new_members = {m for cell in row.cells if cell for m in cell.members} - seen
        if not new_members:
            continue
        seen |= new_members
        for group, members in _groups(row, pool):
            columns, results, lines = zip(*members, strict=True)
            where = (_columns(view, columns), spans(results), lines)
            new_rows.append((*row.keys, *_line(pool, group, *where, logs.get(group[0]))))
        rows += reversed(new_rows)
        tabs += [row.names[0] if row.names else ""] * len(new_rows)
    rows.reverse()
    tabs.reverse()
    head = (*view.key_labels, "Board", "Columns", "Bundle", "Results", "Log", "Line", "Command")
    stub = len(view.key_labels) + 1
    # Addresses use this text whatever the label of the tab.
    names = [(n, 0, NOT_STATED) for n, name in enumerate(tabs) if name == NOT_STATED]
    full = Grid((head,), tuple(rows), stub, tabs=view.tabbed, units=view_units(view), names=names)
    return without_empty(full)


def _groups(row: Row, pool: Pool) -> Iterator[tuple[Group, list[tuple[int, int, int]]]]:
    """Yield the figures of a row by bundle, command and log, each with its column, the index of the
    result in the bundle, and the line in the log. A group has at most one figure per column, so
    that repeated runs stay separate."""
    groups: dict[tuple[Group, int], list[tuple[int, int, int]]] = {}
    for column, cell in enumerate(row.cells):
        runs: Counter[Group] = Counter()
        for bundle, index in pool.positions_of(cell.members) if cell else ():
            results = pool.frame.bundles[bundle].results
            log = results.log(index)
            file, line = (log.file, log.line) if log else ("", 0)
            # The counter separates repeated runs with the same bundle, command and log.
            group = (bundle, results.command(index), file)
            groups.setdefault((group, runs[group]), []).append((column, index, line))
            runs[group] += 1
    for (group, _), members in groups.items():
        yield group, members


def _line(
    pool: Pool, group: Group, columns: str, results: str, lines: Sequence[int], logs: Found | None
) -> tuple[str, ...]:
    bundle, command, file = group
    bundle_of_group = pool.frame.bundles[bundle].bundle
    texts = [logs.text(file, line) for line in dict.fromkeys(lines)] if logs and file else []
    text = " ⏎ ".join(filter(None, texts))
    if len(text) > MAX_LINE_CHARS:
        text = text[:MAX_LINE_CHARS] + "…"
    log = f"{file}:{spans(lines)}" if file else ""
    return (
        bundle_of_group.board.name,
        columns,
        bundle_of_group.id,
        f"/results/{results}",
        log,
        text,
        command,
    )


def spans(numbers: Sequence[int]) -> str:
    """Return numbers in their given order, with consecutive ones joined: ``12–17, 19``.

    Numbers that repeat their predecessor are dropped.
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
    """Return labels that identify the chosen columns, without the board.

    Labels are listed by level if all combinations are chosen, otherwise by column.
    """
    levels = range(1, len(view.columns[0]) if view.columns else 0)
    varying = [n for n in levels if len({labels[n] for labels in view.columns}) > 1]
    names = list(dict.fromkeys(tuple(view.columns[c][n] for n in varying) for c in chosen))
    distinct = [list(dict.fromkeys(name[n] for name in names)) for n in range(len(varying))]
    if math.prod(map(len, distinct)) == len(names):
        return "; ".join(", ".join(labels) for labels in distinct)
    return ", ".join(" / ".join(name) for name in names)


def as_json(pool: Pool, records: Iterable[Record]) -> bytes:
    """Return the origins of figures as JSON, with one line per figure.

    ``sources`` holds ``[bundle, pointer, command, log file, log line]``; bundle and command are
    indices into lists in the same file, or ``null`` if the bundle does not state it.
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
        for position, index in pool.positions_of(record.cell.members):
            item = pool.frame.bundles[position]
            text, log = item.results.command(index), item.results.log(index)
            command = commands.setdefault(text, len(commands)) if text else None
            location = [log.file, log.line] if log else [None, None]
            sources.append([numbers[id(item)], f"/results/{index}", command, *location])
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
    # File names can contain characters that UTF-8 cannot encode, but JSON can escape them.
    begin = json.dumps(head, ensure_ascii=False)[:-1].encode("utf-8", "backslashreplace")
    return begin + b',"figures":[\n' + b",\n".join(lines) + b"\n]}\n"
