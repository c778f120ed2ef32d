"""Two boards side by side as text, Markdown, HTML, JSON and CSV."""

from __future__ import annotations

import io
import json
from dataclasses import asdict, fields
from typing import Any

from ..bundles.guide_key import GuideKey
from ..catalog.benchmarks import Catalog
from ..common import units
from ..common.units import TableCell
from ..figures.labels import params_text
from ..figures.pool import measured
from ..tables.grids import listing, to_csv
from . import as_markdown, as_text, row_texts
from .as_data import figure_cells
from .side_by_side import Boards, BoardSide, Line, Mean, SideBySide, Standing, tally

VERSION = 1
"""The version of the JSON, raised when a key is removed or changes its meaning."""

LISTED_ROWS = 20
"""The number of rows listed by default: those with the largest differences."""

WORDS: dict[Standing, str] = {
    "apart": "samples differ",
    "unsure": "samples do not tell",
    "one run": "not tested",
    "incomparable": "not comparable",
    "failed": "failed",
}
"""Words for a standing."""

RATIOS_NOTE = "Ratios are second over first; means are in the better direction, above 1 is better."


def _amount(value: float | None) -> str:
    return units.MISSING if value is None else f"×{units.number(value, digits=3)}"


def _clock(side: BoardSide) -> str:
    return "not known" if side.clock is None else f"{units.exact(side.clock)} MHz"


def _facts(compared: SideBySide, boards: Boards) -> list[str]:
    """Return what a reader has to know about two boards before any ratio."""
    common = sum(1 for line in compared.lines if line.boards is boards)
    first, second = boards.only
    out = [
        f"first:  {boards.first.title}",
        f"second: {boards.second.title}",
        f"{units.with_noun(common, 'figure')} on both; {first} only on the first, {second} only on the second",
    ]
    clocks = f"clock: {_clock(boards.first)} and {_clock(boards.second)}"
    if boards.clock_ratio is not None:
        clocks += "; “per MHz” is the ratio divided by that of the clocks, and says something only"
        clocks += " where the processor is the limit"
    elif boards.first.clock and boards.second.clock:
        clocks += "; alike, so there is no ratio per MHz"
    else:
        clocks += ", so there is no ratio per MHz"
    cpus = [side.cpu or "not listed" for side in (boards.first, boards.second)]
    cores = f"processor: {cpus[0]} and {cpus[1]}"
    if boards.first.cores and boards.second.cores and boards.first.cores != boards.second.cores:
        ratio = units.number(boards.second.cores / boards.first.cores, digits=3)
        cores += f"; where a benchmark keeps all cores busy, divide its ratio by {ratio} for that per core"
    return [
        *out,
        *([cores] if any((boards.first.cpu, boards.second.cpu)) else []),
        clocks,
        *boards.differs,
    ]


def _tested(compared: SideBySide) -> str:
    """Return a sentence on how many ratios were tested with samples."""
    counts = tally(compared.lines)
    tested = counts["apart"] + counts["unsure"]
    rest = counts["incomparable"] + counts["failed"]
    out = "One run each: plain ratios, and how much of them is chance is unknown."
    if tested:
        out = (
            f"{units.with_noun(tested, 'row')} with several runs on both sides: {counts['apart']} differ "
            f"beyond their scatter. The others are plain ratios."
        )
    return f"{out} {units.with_noun(rest, 'row')} not compared." if rest else out


def to_text(compared: SideBySide, catalog: Catalog, everything: bool, coloured: bool) -> str:
    """Return text for a terminal, with the rows farthest apart, or all with ``everything``."""
    out = io.StringIO()
    console = as_text.terminal(out, coloured)
    for boards in compared.boards:
        for text in _facts(compared, boards):
            as_text.put(console, text)
    as_text.put(console, _tested(compared), "bold")
    scaled = _are_scaled(compared)
    ratios = ("RATIO", "PER MHZ")[: 1 + scaled]
    if compared.means:
        as_text.heading(console, "Benchmarks: geometric mean of the ratios, above 1 is better")
        table = as_text.bare_table()
        table.add_column("BENCHMARK", overflow="fold", min_width=16)
        for column in (*ratios, "OF"):
            table.add_column(column, justify="right", no_wrap=True)
        for mean in compared.means:
            table.add_row(*map(as_text.plain_text, _mean_cells(mean, scaled)))
        console.print(table)
    lines = compared.lines if everything else compared.lines[:LISTED_ROWS]
    as_text.heading(console, "Figures, the farthest apart first: second over first")
    table = as_text.figures_table((*ratios, "FIRST", "SECOND"))
    for line in lines:
        *cells, name, why = map(as_text.plain_text, _line_cells(line, compared, catalog, scaled))
        if why:
            why.style = "dim"
            name.append("\n").append_text(why)
        table.add_row(*cells, name)
    console.print(table)
    if len(lines) < len(compared.lines):
        left = len(compared.lines) - len(lines)
        as_text.heading(console, f"{units.with_noun(left, 'row')} not listed; --all lists them")
    if compared.notes:
        as_text.heading(console, "Notes")
        console.print(as_text.bullets(compared.notes))
    return "\n".join(line.rstrip() for line in out.getvalue().splitlines()) + "\n"


def _are_scaled(compared: SideBySide) -> bool:
    return any(line.per_mhz is not None for line in compared.lines)


def _mean_cells(mean: Mean, scaled: bool) -> tuple[str, ...]:
    """Return the cells of a benchmark, with the ratio per MHz if ``scaled``."""
    return mean.title, *_ratios(mean, scaled), str(mean.of)


def _ratios(row: Line | Mean, scaled: bool) -> list[str]:
    return [_amount(ratio) for ratio in (row.ratio, row.per_mhz)[: 1 + scaled]]


def _line_cells(
    line: Line, compared: SideBySide, catalog: Catalog, scaled: bool
) -> tuple[str, ...]:
    """Return the cells of a figure: ratios, per MHz only if ``scaled``, both figures, the unit, the
    name, and the standing in words with its ground."""
    # Units that still differ here are of different kinds; others were converted.
    symbols = [units.parse(unit).symbol for unit in (line.first.unit, line.unit)]
    same = line.first.unit == line.unit
    unit = units.unit_cell(line.unit, line.better) if same else ", ".join(symbols)
    name = f"{line.benchmark}: {row_texts.figure(line, catalog)}"
    name = f"{line.boards.second.board}: {name}" if len(compared.boards) > 1 else name
    standing = "" if line.standing == "one run" else WORDS[line.standing]
    why = "; ".join(filter(None, (standing, line.ground)))
    figures = row_texts.mean(line.first), row_texts.mean(line.second)
    return *_ratios(line, scaled), *figures, unit, name, why


def to_markdown(compared: SideBySide, catalog: Catalog, link: str = "") -> str:
    """Return Markdown for a comment. Lines that do not fit are counted, with ``link`` as the
    address of the full comparison."""
    text = as_markdown.text
    head = [
        f"### Performance: {text(compared.old)} and {text(compared.new)} side by side\n",
        f"{text(_tested(compared))}\n",
    ]
    for boards in compared.boards:
        head.append(
            "".join(f"- {text(' '.join(line.split()))}\n" for line in _facts(compared, boards))
        )
    head.append(f"{text(RATIOS_NOTE)}\n")
    names = "| benchmark | mean | per MHz | figures |\n|---|---:|---:|---:|\n"
    parts: list[tuple[str, list[str], str]] = []
    if compared.means:
        means = [_mean_cells(mean, True) for mean in compared.means]
        rows = [as_markdown.table_row((text(title), *numbers)) for title, *numbers in means]
        parts.append((f"\n#### Benchmarks\n\n{names}", rows, ""))
    rows = []
    for line in compared.lines:
        *numbers, unit, name, why = _line_cells(line, compared, catalog, True)
        coded = map(as_markdown.code, (unit, name))
        rows.append(as_markdown.table_row((*numbers, *coded, text(why))))
    names = "| ratio | per MHz | first | second | unit | figure | |\n|---:|---:|---:|---:|---|---|---|\n"
    parts.append((f"\n#### Figures, the farthest apart first ({len(rows)})\n\n{names}", rows, ""))
    if compared.notes:
        parts.append(("\n#### Notes\n\n", [f"- {text(note)}\n" for note in compared.notes], ""))
    return as_markdown.fitted("\n".join(head), parts, link, as_markdown.MAX_COMMENT_CHARS)


def to_html(compared: SideBySide, catalog: Catalog) -> str:
    """Return one self-contained page with all rows."""
    scaled = _are_scaled(compared)
    from . import as_html  # here, as its templates take longest to load

    return as_html.page(
        "side_by_side",
        compared=compared,
        tested=_tested(compared),
        of_ratios=RATIOS_NOTE,
        boards=[_facts(compared, boards) for boards in compared.boards],
        ratios=("Ratio", "Per MHz")[: 1 + scaled],
        means=[_mean_cells(mean, scaled) for mean in compared.means],
        rows=[_line_cells(line, compared, catalog, scaled) for line in compared.lines],
    )


def to_json(compared: SideBySide) -> str:
    """Return everything as JSON, in full precision."""
    numbers = {id(boards): number for number, boards in enumerate(compared.boards)}
    content = {
        "format": "perfguide-side-by-side",
        "version": VERSION,
        "first": compared.old,
        "second": compared.new,
        "boards": [
            {
                "first": _side(boards.first),
                "second": _side(boards.second),
                "differs": list(boards.differs),
                "only_first": boards.only[0],
                "only_second": boards.only[1],
            }
            for boards in compared.boards
        ],
        "benchmarks": [asdict(mean) for mean in compared.means],
        "notes": list(compared.notes),
        "rows": [
            {field.name: getattr(line, field.name) for field in fields(line)}
            | {
                "boards": numbers[id(line.boards)],
                "first": measured(line.first) | {"samples": list(line.first.cell.samples)},
                "second": measured(line.second) | {"samples": list(line.second.cell.samples)},
            }
            for line in compared.lines
        ],
    }
    return json.dumps(content, indent=1, ensure_ascii=False) + "\n"


def _side(side: BoardSide) -> dict[str, Any]:
    sdk, soc, os = side.platform
    names = {"sdk": sdk, "soc": soc, "os": os, "board": side.board, "release": side.release}
    return names | {"cpu_mhz": side.clock}


_NAMES = ("soc", "sdk", "os", "board", "release", "MHz")
_NUMBERS = ("", " min", " max", " count")

COLUMNS = (
    *(f"{which} {name}" for which in ("first", "second") for name in _NAMES),
    *("benchmark", "metric", "params", "unit", "better"),
    *(f"{which}{name}" for which in ("first", "second") for name in _NUMBERS),
    *("ratio", "ratio per MHz", "standing", "q", "ground"),
)


def to_comma_separated(compared: SideBySide) -> str:
    """Return all rows as CSV (RFC 4180 except for line endings)."""
    rows = [
        (
            *_side_cells(line.boards.first),
            *_side_cells(line.boards.second),
            *(line.benchmark, line.metric, params_text(line.params), line.unit, line.better),
            *figure_cells(line.first),
            *figure_cells(line.second),
            *(
                units.optional_figure(line.ratio),
                units.optional_figure(line.per_mhz),
                WORDS[line.standing],
                units.optional_figure(line.q),
            ),
            line.ground,
        )
        for line in compared.lines
    ]
    return to_csv(listing(COLUMNS, rows, 17)).decode("utf-8")


def _side_cells(side: BoardSide) -> tuple[TableCell, ...]:
    key = GuideKey(*side.platform, side.release)
    return key.soc, key.sdk, key.os, side.board, side.release, units.optional_figure(side.clock)
