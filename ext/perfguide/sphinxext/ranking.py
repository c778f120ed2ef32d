"""A ranking of SoCs as a table with a drawn axis, in which each row has its rate and its load."""

from __future__ import annotations

from html import escape
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx

from ..common import units
from ..common.diagnostics import visible
from ..pages.ranking import MIN_SPREAD, RankedRow, Ranking
from .answers import Links
from .screen_nodes import ScreenNode, printed_table


class perf_ranking(ScreenNode):
    """The table; ``ranking`` is a :class:`Ranking`, and ``top`` the folder of generated pages."""

    def printed(self) -> list[nodes.Node]:
        """Return the ranking as an ordinary table."""
        return [_plain(self["ranking"])]


def _visit_html(translator: Any, node: perf_ranking) -> None:
    ranking: Ranking = node["ranking"]
    link = Links(translator.builder, node["top"])
    loads = any(row.load is not None for row in ranking.rows)
    runs = any(row.low is not None for row in ranking.rows)
    arrow = units.ARROWS[ranking.better]
    unit = escape(visible(" ".join(filter(None, (ranking.unit, arrow)))))
    scale = ", log scale" if ranking.is_log else ""
    head = ['<th scope="col">SoC<small>board, release</small></th>']
    name = escape(visible(ranking.title, 200))
    head.append(f'<th scope="col">{name}<small><bdi>{unit}</bdi>{scale}</small></th>')
    head += ['<th scope="col">CPU load<small>%</small></th>'] if loads else []
    head += ['<th scope="col" class="perf-n">Runs<small>min–max</small></th>'] if runs else []
    rows = "".join(_row(row, ranking, loads, runs, link) for row in ranking.rows)
    ticks = "".join(
        f'<text x="{100 * share:.2f}%" y="11" class="perf-tick{_edge(share)}">{escape(text)}</text>'
        for share, text in ranking.ticks
    )
    foot = f'<td></td><td><svg class="perf-axis-row" aria-hidden="true">{ticks}</svg></td>'
    foot += f"<td>{_load_axis()}</td>" if loads else ""
    foot += "<td></td>" if runs else ""
    ids = f' id="{escape(node["ids"][0])}"' if node["ids"] else ""
    translator.body.append(
        f'<div class="perf-ranking-box"{ids}><table class="perf-answers perf-ranking">'
        f"<thead><tr>{''.join(head)}</tr></thead><tbody>{rows}</tbody>"
        f'<tfoot aria-hidden="true"><tr>{foot}</tr></tfoot></table></div>\n'
    )
    raise nodes.SkipNode


def _load_axis() -> str:
    ticks = ((0, "0", " perf-first"), (50, "50", ""), (100, "100", " perf-last"))
    drawn = "".join(
        f'<text x="{x}%" y="11" class="perf-tick{edge}">{text}</text>' for x, text, edge in ticks
    )
    return f'<svg class="perf-axis-row">{drawn}</svg>'


def _edge(share: float) -> str:
    return " perf-first" if share < 0.02 else " perf-last" if share > 0.98 else ""


def _row(row: RankedRow, ranking: Ranking, loads: bool, runs: bool, link: Links) -> str:
    target = escape(link(row.page, row.anchor))
    about = escape(visible(f"{row.board} · {row.release}"))
    first = (
        f'<th scope="row"><a href="{target}">{escape(visible(row.soc))}</a> '
        f"<small>{about}</small></th>"
    )
    number = f'<data value="{units.exact(row.number)}">{units.number(row.number)}</data>'
    engine = f" <small>{escape(visible(row.engine))}</small>" if row.engine else ""
    cells = [f"<td>{_axis(row, ranking)}<b>{number}</b>{engine}</td>"]
    if loads:
        load = "—" if row.load is None else f"{units.number(row.load)} %"
        drawn = "" if row.load is None else _load(row)
        cells.append(f'<td data-h="CPU load">{drawn}<span>{load}</span></td>')
    if runs:
        cells.append(f'<td class="perf-n" data-h="runs">{_runs(row)}</td>')
    return f"<tr>{first}{''.join(cells)}</tr>"


def _runs(row: RankedRow) -> str:
    if row.low is None or row.high is None:
        return "—"
    if row.spread >= MIN_SPREAD:
        return f"<b>spread ×{units.number(row.spread, digits=2)}</b>"
    return f"{units.number(row.low)}–{units.number(row.high)}"


def _axis(row: RankedRow, ranking: Ranking) -> str:
    """Return the figure on the axis: a bar from 0, or a dot on a logarithmic one, the ends of its
    runs, and hollow dots for other engines."""
    end = 100 * ranking.position(row.number)
    parts = [
        f'<line class="perf-grid-line" x1="{100 * x:.2f}%" x2="{100 * x:.2f}%" y1="0" y2="16"/>'
        for x, _ in ranking.ticks
    ]
    # A logarithmic axis has no zero at which a bar could begin.
    if ranking.is_log:
        parts.append('<line class="perf-track-line" x1="0" x2="100%" y1="8" y2="8"/>')
        parts.append(f'<circle class="perf-f6" cx="{end:.2f}%" cy="8" r="5"/>')
    else:
        pale = " perf-pale" if row.spread >= MIN_SPREAD else ""
        zero = 100 * ranking.position(0.0)
        left, width = min(zero, end), abs(end - zero)
        parts.append(
            f'<rect class="perf-f6{pale}" x="{left:.2f}%" width="{width:.2f}%" y="3" height="10"/>'
        )
    if row.low is not None and row.high is not None:
        ends = [100 * ranking.position(end) for end in (row.low, row.high)]
        parts.append(
            f'<line class="perf-run-line" x1="{ends[0]:.2f}%" x2="{ends[1]:.2f}%" y1="8" y2="8"/>'
        )
    for number, engine in row.others:
        words = escape(visible(" ".join(filter(None, (units.number(number), engine)))))
        x = 100 * ranking.position(number)
        parts.append(
            f'<circle class="perf-hollow" cx="{x:.2f}%" cy="8" r="4"><title>{words}</title></circle>'
        )
    return f'<svg class="perf-axis-bar" aria-hidden="true">{"".join(parts)}</svg>'


def _load(row: RankedRow) -> str:
    # The load of several cores together can be above 100 %.
    share = min(100.0, max(0.0, row.load or 0.0))
    return (
        '<svg class="perf-axis-bar" aria-hidden="true">'
        '<line class="perf-track-line" x1="0" x2="100%" y1="8" y2="8"/>'
        f'<circle class="perf-f1" cx="{share:.1f}%" cy="8" r="4"/></svg>'
    )


def _plain(ranking: Ranking) -> nodes.table:
    figure = ", ".join(filter(None, (ranking.title, ranking.unit)))
    lines = []
    for row in ranking.rows:
        load = "—" if row.load is None else f"{units.number(row.load)} %"
        number = " ".join(filter(None, (units.number(row.number), row.engine)))
        lines.append((row.soc, f"{row.board}, {row.release}", number, load))
    return printed_table(["SoC", "Board and release", figure, "CPU load"], lines)


def setup(app: Sphinx) -> None:
    """Register the node."""
    app.add_node(perf_ranking, html=(_visit_html, None))
