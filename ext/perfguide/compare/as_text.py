"""A comparison for a terminal: 80 columns, in colour only where one can show it."""

from __future__ import annotations

import io
from collections.abc import Sequence
from typing import TextIO

from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from ..catalog.benchmarks import Catalog
from ..common.diagnostics import visible
from . import wording as words
from .comparison import Comparison
from .events import Event
from .verdicts import Row, Verdict

WIDTH = 80
"""Columns of the output, on a terminal or not."""

FIRST = 3
"""Rows of an event that are listed without asking."""

EVENTS = {"Look at these": "red", "Repeat these": "yellow", "Improved": "green"}

COLOURS: dict[Verdict, str] = {
    "regressed": "red",
    "failed-after": "red",
    "improved": "green",
    "changed": "yellow",
    "incomparable": "yellow",
}


def render(comparison: Comparison, catalog: Catalog, everything: bool, coloured: bool) -> str:
    """The whole comparison. Rows that are the same, unclear or on one side only are
    counted, and listed where ``everything`` is asked for."""
    out = io.StringIO()
    console = _console(out, coloured)
    first, *rest = words.summary(comparison)
    _line(console, words.decision(comparison), "bold")
    _line(console, first)
    _line(console, rest[0], "red" if comparison.alarms else "")
    _line(console, rest[1])
    for span in comparison.spans:
        _line(console, f"{span.title}, {span.board}: {span.old} → {span.new}", "dim")
    for name, events in words.by_action(comparison):
        _title(console, f"{name} ({len(events)})", EVENTS.get(name, ""))
        for event in events:
            _event(console, event, comparison, catalog)
    for verdict in (*words.LEADING, *words.FOLDED) if everything else ("incomparable",):
        rows = words.of_verdict(comparison.rows, [verdict])
        if rows:
            _title(console, f"{words.TITLES[verdict]} ({len(rows)})", COLOURS.get(verdict, ""))
            console.print(_rows(rows, comparison, catalog))
    if comparison.groups:
        _title(console, "Benchmarks: geometric mean of the ratios, + is better")
        console.print(_groups(comparison))
    for title, remarks in words.remarks(comparison).items():
        if remarks:
            _title(console, title)
            console.print(_list(remarks))
    left = sum(1 for row in comparison.rows if row.verdict in words.FOLDED)
    left += sum(max(0, len(event.rows) - FIRST) for event in comparison.events)
    if left and not everything:
        _title(console, f"{words.count(left, 'row')} not listed; --all lists them")
    return "\n".join(line.rstrip() for line in out.getvalue().splitlines()) + "\n"


def _event(console: Console, event: Event, comparison: Comparison, catalog: Catalog) -> None:
    """A title, why, and the rows that moved most with their histories."""
    _line(console, f"- {words.event_title(event, comparison)}", "bold")
    body = Table.grid()
    for line in words.event_lines(event, comparison):
        body.add_row(_text(line, "dim"))
    rows = Table.grid(padding=(0, 2, 0, 0))
    for name in ("change", "figures", "history"):
        rows.add_column(name, no_wrap=True, justify="right" if name == "change" else "left")
    rows.add_column("figure", overflow="fold")
    for row in event.rows[:FIRST]:
        said = words.row_words(row, comparison, catalog)
        figures = f"{said.old} → {said.new} {said.unit}"
        rows.add_row(*(_text(t) for t in (said.change, figures, words.spark(row), said.name)))
    body.add_row(rows)
    console.print(Padding(body, (0, 0, 0, 2)))


def _console(out: TextIO, coloured: bool) -> Console:
    return Console(
        file=out,
        width=WIDTH,
        force_terminal=coloured,
        color_system="standard" if coloured else None,
        no_color=not coloured,
        markup=False,
        emoji=False,
        highlight=False,
        legacy_windows=False,
        _environ={},
    )


def _text(text: str, style: str = "") -> Text:
    """Text from data, in which nothing is markup or moves the cursor."""
    return Text(visible(text), style=style, overflow="fold")


def _line(console: Console, text: str, style: str = "") -> None:
    console.print(_text(text, style))


def _title(console: Console, text: str, style: str = "") -> None:
    console.print()
    _line(console, text, f"bold {style}".strip())


def _list(lines: Sequence[str]) -> Table:
    table = Table.grid(padding=(0, 1, 0, 0))
    for line in lines:
        table.add_row("-", _text(line))
    return table


def _rows(rows: Sequence[Row], comparison: Comparison, catalog: Catalog) -> Table:
    table = Table(box=None, padding=(0, 1, 0, 0), pad_edge=False, show_edge=False)
    # A figure is never broken over lines: what gives way is the name beside it.
    for name in ("CHANGE", "OLD", "NEW"):
        table.add_column(name, justify="right", no_wrap=True, overflow="fold")
    table.add_column("UNIT", overflow="fold", max_width=12)
    table.add_column("FIGURE", overflow="fold", ratio=1, min_width=20)
    for row in rows:
        said = words.row_words(row, comparison, catalog)
        figure = _text(said.name)
        if row.verdict in words.LEADING:
            figure.append(f"\n{visible(said.ground)}", style="dim")
        change = _text(said.change, COLOURS.get(row.verdict, ""))
        table.add_row(change, _text(said.old), _text(said.new), _text(said.unit), figure)
    return table


def _groups(comparison: Comparison) -> Table:
    table = Table(box=None, padding=(0, 1, 0, 0), pad_edge=False, show_edge=False)
    table.add_column("BENCHMARK", overflow="fold", min_width=16)
    table.add_column("MEAN", justify="right", no_wrap=True)
    table.add_column("FIGURES", overflow="fold", ratio=1)
    for group in comparison.groups:
        ratio, tally = words.ratio(group), words.tally(group)
        table.add_row(_text(group.title), _text(ratio), _text(tally))
    return table
