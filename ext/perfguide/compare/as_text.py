"""A comparison for a terminal: 80 columns, in colour if the terminal supports it."""

from __future__ import annotations

import io
from collections.abc import Sequence
from typing import TextIO

from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from ..catalog.benchmarks import Catalog
from ..common import units
from ..common.diagnostics import visible
from . import (
    event_evidence,
    event_groups,
    event_titles,
    overview,
    row_texts,
    sparkline,
    waiver_entries,
)
from .comparison import Comparison
from .event import Event
from .headline import Headline, headline
from .row import ALARMS, Row, Verdict

WIDTH = 80
"""The width of the output in columns, even if it does not go to a terminal."""

EVENTS = {"Worse": "red", "Worse, not proved": "yellow", "Better": "green"}

COLOURS: dict[Verdict, str] = {
    "regressed": "red",
    "failed-after": "red",
    "improved": "green",
    "changed": "yellow",
    "incomparable": "yellow",
}


def render(
    comparison: Comparison,
    catalog: Catalog,
    everything: bool,
    coloured: bool,
    snippets: bool = False,
) -> str:
    """Return a comparison as text.

    Rows that are the same, unclear or on one side only are counted, or listed with ``everything``.
    With ``snippets``, entries for the waivers file that accept what got worse come last.
    """
    out = io.StringIO()
    console = terminal(out, coloured)
    advice = headline(comparison)
    _top(console, comparison, advice)
    for name, events in event_groups.by_action(comparison):
        heading(console, f"{name} ({len(events)})", EVENTS.get(name, ""))
        for event in events:
            _event(console, event, comparison, catalog)
    _by_verdict(console, comparison, catalog, everything)
    if comparison.groups:
        heading(console, "Benchmarks: geometric mean of the ratios, + is better")
        console.print(_groups(comparison))
    for title, remarks in overview.remarks(comparison, advice.besides).items():
        if remarks:
            heading(console, title)
            console.print(bullets(remarks))
    if not everything and (unlisted := _unlisted(comparison)):
        heading(console, f"{units.with_noun(unlisted, 'row')} not listed; --all lists them")
    _waivers(console, comparison, snippets)
    return "\n".join(line.rstrip() for line in out.getvalue().splitlines()) + "\n"


def _top(console: Console, comparison: Comparison, advice: Headline) -> None:
    """Print the headline, the counts, and the releases of each board."""
    put(console, advice.sentence, "bold")
    if advice.more:
        put(console, advice.more)
    compared, judged, rest = overview.summary(comparison)
    put(console, compared)
    put(console, judged, "red" if comparison.alarms else "")
    put(console, rest)
    for span in comparison.spans:
        put(console, f"{span.title}, {span.board}: {span.old} → {span.new}", "dim")


def _by_verdict(
    console: Console, comparison: Comparison, catalog: Catalog, everything: bool
) -> None:
    """Print the rows of each verdict or, without ``everything``, what could not be compared."""
    every = (*row_texts.SHOWN_VERDICTS, *row_texts.FOLDED_VERDICTS)
    for verdict in every if everything else ("incomparable",):
        rows = row_texts.of_verdict(comparison.rows, [verdict])
        if rows:
            heading(console, f"{row_texts.TITLES[verdict]} ({len(rows)})", COLOURS.get(verdict, ""))
            if everything or len(rows) <= event_evidence.LISTED_ROWS:
                console.print(_rows(rows, comparison, catalog))
            else:
                console.print(bullets(overview.obstacles(rows, comparison)))


def _waivers(console: Console, comparison: Comparison, snippets: bool) -> None:
    """Print entries that accept what got worse or, without ``snippets``, how to get them."""
    entries = [
        waiver_entries.of_event(event)
        for event in comparison.events
        if not event.accepted and event.kind in ALARMS
    ]
    if entries and snippets:
        heading(console, "To accept: complete these, and put them into source/waivers.toml")
        for entry in entries:
            put(console, "")
            # Not wrapped, as a broken line is no longer TOML.
            console.print(Text(entry.rstrip("\n")), soft_wrap=True)
    elif entries:
        heading(console, "--snippets writes entries that accept these for source/waivers.toml")


def _unlisted(comparison: Comparison) -> int:
    """Count the rows that are only listed on request."""
    # Events have rows that fail with both releases.
    folded = sum(
        comparison.counts[verdict]
        for verdict in row_texts.FOLDED_VERDICTS
        if verdict != "failed-both"
    )
    events = sum(
        max(0, len(event.rows) - event_evidence.LISTED_ROWS) for event in comparison.events
    )
    unlike = comparison.counts["incomparable"]
    return folded + events + (unlike if unlike > event_evidence.LISTED_ROWS else 0)


def _event(console: Console, event: Event, comparison: Comparison, catalog: Catalog) -> None:
    """Print the title, the reasons, and the rows that moved most, with their histories."""
    put(console, f"- {event_titles.event_title(event, comparison)}", "bold")
    body = Table.grid()
    for line in event_evidence.event_lines(event, comparison):
        body.add_row(plain_text(line, "dim"))
    rows = Table.grid(padding=(0, 2, 0, 0))
    for name in ("change", "figures", "history"):
        rows.add_column(name, no_wrap=True, justify="right" if name == "change" else "left")
    rows.add_column("figure", overflow="fold")
    for row in event_evidence.listed(event):
        said = row_texts.row_words(row, comparison, catalog)
        figures = f"{said.old} → {said.new} {said.unit}"
        moved, of_work = row_texts.listed_change(row)
        moved += f" ({of_work})" if of_work else ""
        rows.add_row(*map(plain_text, (moved, figures, sparkline.characters(row), said.name)))
    body.add_row(rows)
    console.print(Padding(body, (0, 0, 0, 2)))


def terminal(out: TextIO, coloured: bool) -> Console:
    """Return a console of ``WIDTH`` columns that does not interpret markup."""
    return Console(
        file=out,
        width=WIDTH,
        force_terminal=coloured,
        color_system="standard" if coloured else None,
        no_color=not coloured,
        markup=False,
        emoji=False,
        highlight=False,
        # Otherwise the output would depend on the machine.
        legacy_windows=False,
        # Empty, as rich would take the width and colours from the user's environment.
        _environ={},
    )


def plain_text(text: str, style: str = "") -> Text:
    """Return text from data without markup or control characters."""
    return Text(visible(text), style=style, overflow="fold")


def put(console: Console, text: str, style: str = "") -> None:
    """Print a line."""
    console.print(plain_text(text, style))


def heading(console: Console, text: str, style: str = "") -> None:
    """Print a title after an empty line."""
    console.print()
    put(console, text, f"bold {style}".strip())


def bullets(lines: Sequence[str]) -> Table:
    """Return lines as a bulleted list."""
    table = Table.grid(padding=(0, 1, 0, 0))
    for line in lines:
        table.add_row("-", plain_text(line))
    return table


def bare_table() -> Table:
    """Return a table without lines around its cells."""
    return Table(box=None, padding=(0, 1, 0, 0), pad_edge=False, show_edge=False)


def figures_table(numbers: Sequence[str]) -> Table:
    """Return an empty table with columns of numbers and, after them, a unit and a figure's name."""
    table = bare_table()
    # Figures are never broken over lines; the name beside them wraps instead.
    for name in numbers:
        table.add_column(name, justify="right", no_wrap=True, overflow="fold")
    table.add_column("UNIT", overflow="fold", max_width=12)
    table.add_column("FIGURE", overflow="fold", ratio=1, min_width=20)
    return table


def _rows(rows: Sequence[Row], comparison: Comparison, catalog: Catalog) -> Table:
    table = figures_table(("CHANGE", "OLD", "NEW"))
    for row in rows:
        said = row_texts.row_words(row, comparison, catalog)
        figure = plain_text(said.name)
        if row.verdict in row_texts.SHOWN_VERDICTS:
            figure.append(f"\n{visible(said.ground)}", style="dim")
        change = plain_text(said.change, COLOURS.get(row.verdict, ""))
        table.add_row(
            change, plain_text(said.old), plain_text(said.new), plain_text(said.unit), figure
        )
    return table


def _groups(comparison: Comparison) -> Table:
    table = bare_table()
    table.add_column("BENCHMARK", overflow="fold", min_width=16)
    table.add_column("MEAN", justify="right", no_wrap=True)
    table.add_column("FIGURES", overflow="fold", ratio=1)
    for group in comparison.groups:
        ratio, tally = overview.ratio(group), overview.tally(group)
        table.add_row(plain_text(group.title), plain_text(ratio), plain_text(tally))
    return table
