"""The top of a guide: facts in sentences, and headline results by board with bars and histories."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape
from typing import Any

from docutils import nodes
from msgspec import structs
from sphinx.application import Sphinx

from ..common import units
from ..common.diagnostics import visible
from ..pages.answers import Answer, Answers, Curve
from .config import page_name, page_uri
from .html_table import BOARD_COLOURS as COLOURS
from .html_table import NOT_MEASURED, box
from .screen_nodes import ScreenNode, printed_table

BAR_WIDTH, BAR_HEIGHT, LOW_BAR_HEIGHT = 36, 8, 4
CUT_GAP, CUT_END = 3, 5
HISTORY_WIDTH, HISTORY_HEIGHT = 104, 24
"""Sizes of a bar, of one below a figure, of the gap in a cut one, and of a history, in CSS pixels."""

CUT_NOTE = "A bar with a gap is cut off: the others are scaled without its figure."
DOUBT_NOTE = "A figure with “?” is in doubt and not ranked: point at the mark, or see Health."

MAX_BOARDS_WITH_BARS = 4
"""With more boards there is no room for bars beside their figures."""

MAX_BOARDS = 12
"""Boards with a column; the CSV file has all of them."""


class perf_answers(ScreenNode):
    """The top of a guide. ``answers`` is an :class:`Answers`, ``top`` the folder of generated pages,
    and ``page`` the guide if the node is on another page."""

    def printed(self) -> list[nodes.Node]:
        """Return the results as an ordinary table."""
        return [_plain_table(self["answers"])]


def _visit_html(translator: Any, node: perf_answers) -> None:
    answers: Answers = node["answers"]
    link = Links(translator.builder, node["top"], node["page"])
    ids = f' id="{escape(node["ids"][0])}"' if node["ids"] else ""
    translator.body.append(_table(answers, link, ids))
    raise nodes.SkipNode


class Links:
    """Relative addresses of pages for the one that is being written. An empty address is that of
    ``default``, or of the page being written."""

    def __init__(self, builder: Any, top: str, default: str = "") -> None:
        self._builder, self._top, self._default = builder, top, default

    def __call__(self, address: str, fragment: str = "") -> str:
        """Return the relative address of a page, or of an anchor on it."""
        address = address or self._default
        if not address:
            return f"#{fragment}"
        return page_uri(self._builder, page_name(self._top, address), fragment)


def _table(answers: Answers, link: Links, ids: str) -> str:
    answers, more = _of_first_boards(answers)
    several = len(answers.boards)
    spark = any(any(curves) for row in answers.rows for curves in row.history)
    bars = 1 < several <= MAX_BOARDS_WITH_BARS
    head = ['<th scope="col">Result</th>']
    # Without clocks in the bundles, heads have no second line.
    clocks = answers.clocks or ("",) * several
    for number, ((short, board), clock) in enumerate(zip(answers.boards, clocks, strict=True)):
        key = f"{box(number)} " if several > 1 else ""
        under = f"<small>{escape(clock)}</small>" if clock and clock != short else ""
        head.append(
            f'<th scope="col" class="perf-n" title="{escape(visible(board))}">'
            f"{key}<bdi>{escape(visible(short))}</bdi>{under}</th>"
        )
    span = f"History<small>{escape(visible(answers.span))}</small>"
    head += [f'<th scope="col">{span}</th>'] if spark else []
    before = escape(visible(answers.before))
    head += [f'<th scope="col">Against<small>{before}</small></th>'] if before else []
    rows = "".join(_row(row, answers, bars, spark, link) for row in answers.rows)
    note = "Each figure leads to its table; ↑ higher is better, ↓ lower is better."
    if bars:
        note += " Bars are shares of the largest."
    if bars and any(v and v.share and v.share > 1 for row in answers.rows for v in row.values):
        note += f" {CUT_NOTE}"
    if any(v and v.doubt for row in answers.rows for v in row.values):
        note += f" {DOUBT_NOTE}"
    if spark:
        note += " A history starts again where engine, clock or memory changed."
    if answers.more:
        figures = "figure is" if answers.more == 1 else "figures are"
        note += f" {answers.more} more headline {figures} in the chapters."
    if more:
        note += f" {more:,} more boards are in the CSV file."
    return (
        # A box that scrolls takes the focus, so that arrow keys scroll it.
        f'<div class="perf-scroll perf-answers-box"{ids} role="region" tabindex="0" '
        'aria-label="Headline results"><table class="perf-answers">'
        f"<thead><tr>{''.join(head)}</tr></thead><tbody>{rows}</tbody></table></div>\n"
        f'<p class="perf-answers-note">{note}</p>\n'
    )


def _of_first_boards(answers: Answers) -> tuple[Answers, int]:
    """Return the answers of the first ``MAX_BOARDS`` boards, and the number of the others."""
    # A table of all boards of a large archive would be wider than any screen.
    more = len(answers.boards) - MAX_BOARDS
    if more <= 0:
        return answers, 0
    rows = tuple(
        structs.replace(row, values=row.values[:MAX_BOARDS], history=row.history[:MAX_BOARDS])
        for row in answers.rows
    )
    boards, clocks = answers.boards[:MAX_BOARDS], answers.clocks[:MAX_BOARDS]
    return structs.replace(answers, boards=boards, clocks=clocks, rows=rows), more


def _row(row: Answer, answers: Answers, bars: bool, spark: bool, link: Links) -> str:
    arrow = units.ARROWS[row.better]
    detail = ", ".join(filter(None, (row.detail, row.unit)))
    small = f" <small><bdi>{escape(visible(detail, 200))}</bdi> {arrow}</small>"
    cells = [f'<th scope="row">{escape(visible(row.label))}{small}</th>']
    for number, value in enumerate(row.values):
        short = escape(visible(answers.boards[number][0]))
        if value is None:
            inner = NOT_MEASURED
        else:
            text = escape(value.text)
            if value.number is not None:
                text = f'<data value="{units.exact(value.number)}">{text}</data>'
            inner = f'<a href="{escape(link("", value.row))}">{text}</a>{doubt_mark(value.doubt)}'
            if bars and value.share is not None:
                inner += _bar(number, value.share)
        cells.append(f'<td class="perf-n" data-h="{short}">{inner}</td>')
    if spark:
        cells.append(f'<td class="perf-spark-cell">{_spark(row, answers)}</td>')
    if answers.before:
        # A narrow column would break before the sign.
        judged = escape(visible(row.judged, 200)).replace(" %", "\xa0%")
        head = escape(visible(f"Against {answers.before}"))
        cells.append(f'<td class="perf-judged" data-h="{head}">{judged}</td>')
    return f"<tr>{''.join(cells)}</tr>"


def doubt_mark(doubt: str) -> str:
    """Return a mark behind a figure that is in doubt."""
    words = escape(visible(doubt, 300))
    return f'<abbr class="perf-doubt" title="{words}">?</abbr>' if doubt else ""


def _shape(colour: str, share: float, height: int) -> str:
    """Return the rectangles of a bar; one beyond the scale has a gap before its end."""
    # The scale is that of the other figures, so a full bar of this one would leave the cell.
    if share > 1:
        gap, end = BAR_WIDTH - CUT_END - CUT_GAP, BAR_WIDTH - CUT_END
        return (
            f'<rect class="{colour}" width="{gap}" height="{height}"/>'
            f'<rect class="{colour}" x="{end}" width="{CUT_END}" height="{height}"/>'
        )
    track = f'<rect class="perf-track" width="{BAR_WIDTH}" height="{height}"/>'
    return f'{track}<rect class="{colour}" width="{BAR_WIDTH * share:.1f}" height="{height}"/>'


def _bar(number: int, share: float) -> str:
    return (
        # The figure beside it says the same, so screen readers skip the bar.
        f'<svg class="perf-share" width="{BAR_WIDTH}" height="{BAR_HEIGHT}" '
        f'viewBox="0 0 {BAR_WIDTH} {BAR_HEIGHT}" aria-hidden="true">'
        f"{_shape(f'perf-f{number % COLOURS}', share, BAR_HEIGHT)}</svg>"
    )


def bar(share: float | None) -> str:
    """Return a small bar for the line below a figure; an empty text without a share."""
    if share is None:
        return ""
    return (
        f'<svg class="perf-under" width="{BAR_WIDTH}" height="{LOW_BAR_HEIGHT}" viewBox="0 0 {BAR_WIDTH} {LOW_BAR_HEIGHT}" '
        f'aria-hidden="true">{_shape("perf-f6", share, LOW_BAR_HEIGHT)}</svg>'
    )


def _spark(row: Answer, answers: Answers) -> str:
    drawn = "".join(
        shape
        for number, curves in enumerate(row.history)
        for shape in _curves(number % COLOURS, curves)
    )
    if not drawn:
        return ""
    label = f"{row.label}, releases {answers.span}"
    return (
        f'<svg class="perf-spark" role="img" width="{HISTORY_WIDTH}" height="{HISTORY_HEIGHT}" '
        f'viewBox="0 0 {HISTORY_WIDTH} {HISTORY_HEIGHT}" aria-label="{escape(visible(label, 200))}">{drawn}</svg>'
    )


def _curves(colour: int, curves: Sequence[Curve]) -> Iterator[str]:
    def at(x: float, y: float) -> tuple[str, str]:
        return (
            f"{4 + x * (HISTORY_WIDTH - 8):.1f}",
            f"{HISTORY_HEIGHT - 3 - y * (HISTORY_HEIGHT - 6):.1f}",
        )

    for curve in curves:
        points = [at(x, y) for x, y in curve]
        if len(points) > 1:
            path = "L".join(f"{x} {y}" for x, y in points)
            yield f'<path class="perf-l{colour}" d="M{path}"/>'
        # One point makes no line, and the newest one is what readers look for.
        if len(points) == 1 or curve is curves[-1]:
            x, y = points[-1]
            yield f'<circle class="perf-f{colour}" cx="{x}" cy="{y}" r="2.2"/>'


def _plain_table(answers: Answers) -> nodes.table:
    answers, _ = _of_first_boards(answers)
    head = ["Result", *(short for short, _ in answers.boards)]
    head += [f"Against {answers.before}"] if answers.before else []
    lines = [
        [
            " ".join(filter(None, (_named(row), units.ARROWS[row.better]))),
            *(
                units.MISSING if value is None else plain_figure(value.text, value.doubt)
                for value in row.values
            ),
            *([row.judged] if answers.before else []),
        ]
        for row in answers.rows
    ]
    widths = [3, *[1] * (len(head) - 1)]
    return printed_table(head, lines, widths, ["perf-plain-answers"])


def plain_figure(text: str, doubt: str) -> str:
    """Return a figure with a question mark where it is in doubt."""
    return f"{text} ?" if doubt else text


def _named(row: Answer) -> str:
    return ", ".join(filter(None, (row.label, row.detail, row.unit)))


def setup(app: Sphinx) -> None:
    """Register the node."""
    app.add_node(perf_answers, html=(_visit_html, None))
