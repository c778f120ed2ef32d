"""A comparison for a terminal: 80 columns, in colour only where one can show it."""

from __future__ import annotations

import io
from collections.abc import Sequence
from typing import TextIO

from rich.console import Console
from rich.table import Table
from rich.text import Text

from ..catalog.benchmarks import Catalog
from ..common.diagnostics import visible
from . import wording as words
from .comparison import Comparison
from .verdicts import Row, Verdict

WIDTH = 80
"""Columns of the output, on a terminal or not."""

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
    _line(console, first, "bold")
    alarming = bool(comparison.alarms)
    _line(console, rest[0], "red" if alarming else "")
    _line(console, rest[1])
    for span in comparison.spans:
        _line(console, f"{span.title}, {span.board}: {span.old} → {span.new}", "dim")
    for verdict in (*words.LEADING, *(words.FOLDED if everything else ())):
        found = words.of_verdict(comparison.rows, [verdict])
        if found:
            _title(console, f"{words.TITLES[verdict]} ({len(found)})", COLOURS.get(verdict, ""))
            console.print(_rows(found, comparison, catalog))
    if comparison.groups:
        _title(console, "Benchmarks: geometric mean of the ratios, + is better")
        console.print(_groups(comparison))
    _list(console, "Coverage", [finding.text() for finding in comparison.coverage])
    _list(console, "Notes", comparison.notes)
    _list(console, "Accepted changes", [f"{f.where()}: {f.text()}" for f in comparison.findings])
    left = len(words.of_verdict(comparison.rows, words.FOLDED))
    if left and not everything:
        _title(console, f"{words.count(left, 'row')} not listed; --all lists them")
    return "\n".join(line.rstrip() for line in out.getvalue().splitlines()) + "\n"


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


def _list(console: Console, title: str, lines: Sequence[str]) -> None:
    if lines:
        _title(console, title)
    table = Table.grid(padding=(0, 1, 0, 0))
    for line in lines:
        table.add_row("-", _text(line))
    if lines:
        console.print(table)


def _rows(found: Sequence[Row], comparison: Comparison, catalog: Catalog) -> Table:
    table = Table(box=None, padding=(0, 1, 0, 0), pad_edge=False, show_edge=False)
    # A figure is never broken over lines: what gives way is the name beside it.
    for name in ("CHANGE", "OLD", "NEW"):
        table.add_column(name, justify="right", no_wrap=True, overflow="fold")
    table.add_column("UNIT", overflow="fold", max_width=12)
    table.add_column("FIGURE", overflow="fold", ratio=1, min_width=20)
    for row in found:
        places = words.decimals(row, catalog)
        name = f"{row.benchmark}: {words.figure(row, catalog)}"
        if words.several_boards(comparison):
            name = f"{words.place(row, comparison)}: {name}"
        shown = _text(name)
        if row.verdict in words.LEADING:
            shown.append(f"\n{visible(words.ground(row))}", style="dim")
        table.add_row(
            _text(words.change(row), COLOURS.get(row.verdict, "")),
            _text(words.mean(row.old, places)),
            _text(words.mean(row.new, places)),
            _text(words.unit(row)),
            shown,
        )
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
