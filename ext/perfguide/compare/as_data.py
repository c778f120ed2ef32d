"""A comparison in machine-readable form: JSON, CSV and JUnit."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET
from typing import Any

from ..catalog.benchmarks import Catalog
from ..common import units
from ..common.diagnostics import visible
from ..common.units import TableCell
from ..figures.labels import params_text
from ..figures.pool import Record, measured
from ..tables.grids import Grid, listing, to_csv
from . import event_evidence, event_groups, event_titles, overview, row_texts
from .comparison import Comparison
from .event import Event
from .headline import headline
from .row import ALARMS, WORDS, Row

VERSION = 1
"""The version of the JSON, raised when a key is removed or changes its meaning."""


def to_json(comparison: Comparison) -> str:
    """Return everything as JSON, in full precision."""
    said = headline(comparison)
    content = {
        "format": "perfguide-comparison",
        "version": VERSION,
        "old": comparison.old,
        "new": comparison.new,
        "headline": {
            "state": said.state,
            "text": said.sentence,
            "more": said.more,
            "besides": list(said.besides),
            "judged": said.judged,
            "of": said.comparable,
        },
        "summary": list(overview.summary(comparison)),
        "counts": comparison.counts,
        "alarms": len(comparison.alarms),
        "boards": [
            {"sdk": s.platform.sdk, "soc": s.platform.soc, "os": s.platform.os, "board": s.board}
            | {"old": s.old, "new": s.new}
            for s in comparison.spans
        ],
        "benchmarks": [
            {"benchmark": g.benchmark, "title": g.title, "ratio": g.ratio, "of": g.of}
            | {"counts": dict(g.counts)}
            for g in comparison.groups
        ],
        "coverage": [
            {"kind": c.kind, "platform": c.platform, "board": c.board, "benchmark": c.benchmark}
            | {"count": c.count, "of": c.of}
            for c in comparison.coverage
        ],
        "notes": list(comparison.notes),
        "findings": [
            {"kind": f.kind, "where": f.where(), "text": f.text()} for f in comparison.findings
        ],
        "events": [
            _event(event, name, comparison)
            for name, events in event_groups.by_action(comparison)
            for event in events
        ],
        "rows": [_row(row) for row in comparison.rows],
    }
    return json.dumps(content, indent=1, ensure_ascii=False) + "\n"


def _event(event: Event, action: str, comparison: Comparison) -> dict[str, Any]:
    further = event.every_row[len(event.rows) :]
    return {
        "advice": action,
        "verdict": event.kind,
        "title": event_titles.event_title(event, comparison),
        "why": event_evidence.event_lines(event, comparison),
        "boards": list(event.boards),
        "benchmark": event.benchmark,
        "change": event.change,
        "accepted": event.accepted,
        "rows": [
            _name(row) for row in (*event.rows, *(row for row in further if row.verdict != "noisy"))
        ],
        "unproved": [_name(row) for row in further if row.verdict == "noisy"],
    }


def _name(row: Row) -> dict[str, Any]:
    return {
        "board": row.board,
        "benchmark": row.benchmark,
        "metric": row.metric,
        "params": row.params,
    }


def _row(row: Row) -> dict[str, Any]:
    key, waiver, level = row.guide, row.waiver, row.settled
    return {
        "sdk": key.sdk,
        "soc": key.soc,
        "os": key.os,
        "board": row.board,
        "benchmark": row.benchmark,
        "metric": row.metric,
        "params": row.params,
        "unit": row.unit,
        "better": row.better,
        "old": _side(row.old),
        "new": _side(row.new),
        "change": row.change,
        "verdict": row.verdict,
        "ground": row.ground,
        "floor": row.floor,
        "p": row.p,
        "q": row.q,
        "detectable": row.detectable,
        "scatter": row.scatter,
        "more_runs": row.more_runs,
        "aliases": list(row.aliases),
        "waiver": {"reason": waiver.spec.reason, "until": waiver.spec.until} if waiver else None,
        "new_level": {"reason": level.spec.reason, "since": level.spec.since} if level else None,
        "notes": [note.spec.text for note in row.notes],
    }


def _side(record: Record | None) -> dict[str, Any] | None:
    if record is None:
        return None
    return {
        "release": record.guide.release,
        "board": record.board,
        "metric": record.metric,
        **measured(record),
        "samples": list(record.cell.samples),
    }


COLUMNS = (
    *("soc", "sdk", "os", "board", "benchmark", "metric", "params", "unit", "better"),
    *("verdict", "accepted", "change", "old release", "old", "old min", "old max", "old count"),
    *("new release", "new", "new min", "new max", "new count", "q", "detectable", "more runs"),
    "ground",
)


def grid(comparison: Comparison) -> Grid:
    """Return a table of all rows in full precision; cells are empty where nothing is known."""
    return listing(COLUMNS, (_cells(row) for row in comparison.rows), 7)


def to_comma_separated(comparison: Comparison) -> str:
    """Return all rows as CSV (RFC 4180 except for line endings)."""
    return to_csv(grid(comparison)).decode("utf-8")


def _cells(row: Row) -> tuple[TableCell, ...]:
    key = row.guide
    accepted = row.waiver or row.settled
    names = (key.soc, key.sdk, key.os, row.board, row.benchmark, row.metric)
    return (
        *names,
        params_text(row.params),
        row.unit,
        row.better,
        WORDS[row.verdict],
        accepted.spec.reason if accepted else "",
        units.optional_figure(row.change),
        *_figures(row.old),
        *_figures(row.new),
        units.optional_figure(row.q),
        units.optional_figure(row.detectable),
        "" if row.more_runs is None else str(row.more_runs),
        "; ".join(filter(None, (row.ground, *row.aliases))),
    )


def _figures(record: Record | None) -> tuple[TableCell, ...]:
    if record is None:
        return ("", "", "", "", "")
    return record.guide.release, *figure_cells(record)


def figure_cells(record: Record) -> tuple[TableCell, ...]:
    """Return the mean, the minimum, the maximum and the number of samples of a figure."""
    cell = record.cell
    mean = units.FAILED if cell.mean is None else units.figure(cell.mean)
    number = "" if cell.count is None else str(cell.count)
    return mean, units.optional_figure(cell.low), units.optional_figure(cell.high), number


def to_junit(comparison: Comparison, catalog: Catalog) -> str:
    """Return a test case for each row: alarms are failures, and unjudged rows are skipped.

    The first case is the headline with all events, skipped if more has to be measured.
    """
    suites: dict[str, ET.Element] = {}
    summary = ET.Element("testsuite", name="Comparison")
    said = headline(comparison)
    case = ET.SubElement(summary, "testcase", classname="Comparison", name="Headline")
    # JUnit has no “too little to say”, and a passing test would be read as “ship”.
    if said.state not in ("do not ship", "look", "ship"):
        ET.SubElement(case, "skipped", message=visible(said.sentence))
    lines = [said.sentence, said.more, *said.besides]
    for name, events in event_groups.by_action(comparison):
        lines += [f"{name}: {event_titles.event_title(event, comparison)}" for event in events]
    ET.SubElement(case, "system-out").text = visible("\n".join(filter(None, lines)))
    for row in comparison.rows:
        cells = row_texts.row_words(row, comparison, catalog)
        name = f"{row_texts.board_text(row, comparison, by_id=True)}: {row.benchmark}"
        suite = suites.setdefault(name, ET.Element("testsuite", name=visible(name)))
        case = ET.SubElement(suite, "testcase", classname=visible(name), name=visible(cells.figure))
        outcome = visible(f"{cells.change}: {cells.verdict}; {cells.ground}")
        if row.alarming:
            ET.SubElement(case, "failure", message=outcome, type=row.verdict)
        elif row.verdict in ALARMS or row.verdict in ("improved", "changed", "same", "steady"):
            ET.SubElement(case, "system-out").text = outcome
        else:
            ET.SubElement(case, "skipped", message=outcome)
    top = ET.Element("testsuites", name=f"{visible(comparison.old)} → {visible(comparison.new)}")
    top.append(summary)
    top.extend(suites[name] for name in sorted(suites, key=units.natural))
    for element in (top, *top):
        for count, tag in (("tests", "testcase"), ("failures", "failure"), ("skipped", "skipped")):
            element.set(count, str(sum(1 for _ in element.iter(tag))))
    ET.indent(top)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{ET.tostring(top, encoding="unicode")}\n'
