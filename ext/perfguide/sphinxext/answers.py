"""The top of a guide: facts in sentences, and headline results by board with bars and histories."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from docutils import nodes
from msgspec import structs
from sphinx.application import Sphinx

from ..common import units
from ..common.diagnostics import APART_SIGN
from ..health.finding import SIGNS_LEGEND
from ..pages.answers import Answers, Curve
from .screen_nodes import Links, ScreenNode, printed_table, words, write_html

HISTORY_WIDTH, HISTORY_HEIGHT = 104, 24
"""The size of a history's drawing, in CSS pixels."""


MAX_BOARDS_WITH_BARS = 4
"""With more boards there is no room for bars beside their figures."""

MAX_BOARDS = 12
"""The maximum number of board columns; the CSV file has all boards."""


class perf_answers(ScreenNode):
    """The top of a guide. ``answers`` is an :class:`Answers`, ``top`` the folder of generated
    pages, and ``page`` the guide if the node is on a different page."""

    template = "answers"

    def values(self, builder: Any) -> dict[str, Any]:
        """Return the variables of the template."""
        answers, more = _of_first_boards(self["answers"])
        has_bars = 1 < len(answers.boards) <= MAX_BOARDS_WITH_BARS
        has_history = any(any(curves) for row in answers.rows for curves in row.history)
        return {
            "answers": answers,
            # A page with several guides needs a name for each.
            "of": " ".join(self["page"].split("/")[-2:]),
            # If no bundle states a clock, the column heads have no second line.
            "clocks": answers.clocks or ("",) * len(answers.boards),
            "has_bars": has_bars,
            "has_history": has_history,
            "note": _note(answers, more, has_history),
            "bars": bars_note(value.share for row in answers.rows for value in row.values if value)
            if has_bars
            else "",
            "link": Links(builder, self["top"], self["page"]),
            "points": _points,
        }

    def printed(self) -> list[nodes.Node]:
        """Return the results as an ordinary table."""
        return [_plain_table(self["answers"])]


def bars_note(shares: Iterable[float | None]) -> str:
    """Return what bars with some shares of a full one mean."""
    is_cut = any(share and share > 1 for share in shares)
    cut = " One with a gap is cut off: the others are scaled without its figure."
    return f"Bars are shares of the largest.{cut if is_cut else ''}"


def _note(answers: Answers, more: int, has_history: bool) -> str:
    """Return the note below the table; ``more`` is the number of boards without a column."""
    note = f"Click a figure to see its table. {SIGNS_LEGEND}"
    if has_history:
        note += " A history starts again where engine, clock or memory changed."
    if answers.more:
        figures = "figure" if answers.more == 1 else "figures"
        note += f" The chapters have {answers.more} more headline {figures}."
    if more:
        note += f" {more:,} more boards are in the CSV file."
    return note


def _of_first_boards(answers: Answers) -> tuple[Answers, int]:
    """Return the answers of the first ``MAX_BOARDS`` boards, and the number of boards left out."""
    # A table of every board in a large archive would be wider than any screen.
    more = len(answers.boards) - MAX_BOARDS
    if more <= 0:
        return answers, 0
    rows = tuple(
        structs.replace(row, values=row.values[:MAX_BOARDS], history=row.history[:MAX_BOARDS])
        for row in answers.rows
    )
    boards, clocks = answers.boards[:MAX_BOARDS], answers.clocks[:MAX_BOARDS]
    return structs.replace(answers, boards=boards, clocks=clocks, rows=rows), more


def _points(curve: Curve) -> list[tuple[str, str]]:
    """Return the points of a history as pixel coordinates."""
    return [
        (
            f"{4 + x * (HISTORY_WIDTH - 8):.1f}",
            f"{HISTORY_HEIGHT - 3 - y * (HISTORY_HEIGHT - 6):.1f}",
        )
        for x, y in curve
    ]


def _plain_table(answers: Answers) -> nodes.table:
    answers, _ = _of_first_boards(answers)
    head = ["Result", *(short for short, _ in answers.boards)]
    head += [f"Against {answers.before}"] if answers.before else []
    lines = [
        [
            words(words(row.label, row.detail, row.unit), units.ARROWS[row.better], sign=" "),
            *(
                units.MISSING
                if value is None
                else plain_figure(value.text, value.doubt, value.runs)
                for value in row.values
            ),
            *([row.judged] if answers.before else []),
        ]
        for row in answers.rows
    ]
    widths = [3, *[1] * (len(head) - 1)]
    return printed_table(head, lines, widths, ["perf-plain-answers"])


def plain_figure(text: str, doubt: str, runs: object = None) -> str:
    """Return a figure, marked if it is in doubt or else if its runs are far apart."""
    return f"{text}{' ?' if doubt else f' {APART_SIGN}' if runs else ''}"


def setup(app: Sphinx) -> None:
    """Register the node."""
    app.add_node(perf_answers, html=(write_html, None))
