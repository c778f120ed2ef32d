"""Smaller tables on pages: boards, bundles, refusals, headline figures."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from msgspec import UNSET
from msgspec.structs import replace

from ..bundle import Bundle
from ..bundles.decode import Loaded
from ..bundles.guide_key import version
from ..bundles.supersede import Withdrawal
from ..catalog.benchmarks import Catalog, Metric
from ..catalog.board_names import Boards
from ..catalog.chart_spec import same
from ..common import units
from ..common.diagnostics import Diagnostic, errors
from ..common.grouping import grouped
from ..figures import labels
from ..figures.pool import Cell, Record
from .grids import Grid, listing, without_empty
from .model import NOT_STATED, Row, View


def boards(
    bundles: Sequence[Bundle], names: Boards | None = None, with_releases: bool = False
) -> Grid:
    """Return each board with everything that its bundles and the list of boards state, including
    differing statements."""
    names = names or Boards()
    by_name = grouped(bundles, lambda bundle: bundle.board.name)
    rows = []
    for name in sorted(by_name, key=units.natural):
        # By date, so that the newest of differing statements comes last.
        mine = sorted(by_name[name], key=lambda b: (b.created, b.id))
        row = [
            name,
            _stated(
                "" if (short := names.short(b.board.soc, name)) == name else short for b in mine
            ),
            # The list of boards may take two names for one board, which pages then show as one.
            _stated(t for b in mine if (t := names.today(b.board.soc, name)) != name),
            _stated(b.board.description for b in mine),
            _stated(names.entry(b.board.soc, name).cpu() for b in mine),
            _stated("" if b.board.cpu_mhz is UNSET else f"{b.board.cpu_mhz:g} MHz" for b in mine),
            _stated(names.entry(b.board.soc, name).cache_sizes() for b in mine),
            _stated(b.board.memory for b in mine),
        ]
        if with_releases:
            releases = sorted({b.sdk.version for b in mine}, key=version)
            count = len(releases)
            span = releases[0] if count == 1 else f"{releases[0]} to {releases[-1]} ({count})"
            row.append(span)
        rows.append(row)
    head = [
        "Board",
        "In heads",
        "Same board as",
        "Description",
        "Processor",
        "CPU clock",
        "Caches",
        "Memory",
    ]
    if with_releases:
        return without_empty(listing([*head, "Releases"], rows), ("Releases",))
    table = without_empty(listing(head, rows))
    # A list without any column but the names would look unfinished.
    alone = [[name, NOT_STATED] for name, *_ in rows]
    return table if len(table.header[0]) > 1 else listing(["Board", "Description"], alone)


def _stated(texts: Iterable[str]) -> str:
    """Join the distinct statements, newest last; return a dash if there are none."""
    return "; ".join(dict.fromkeys(t for t in texts if t)) or units.MISSING


def _moment(bundle: Bundle) -> str:
    return bundle.created.strftime("%Y-%m-%d %H:%M %z")


def period(bundles: Sequence[Loaded]) -> str:
    """Return the period of the runs: a single day, or the first and the last."""
    days = sorted(b.bundle.created.date().isoformat() for b in bundles)
    if not days:
        return ""
    return f"on {days[0]}" if days[0] == days[-1] else f"from {days[0]} to {days[-1]}"


def sources(bundles: Sequence[Loaded]) -> Grid:
    """Return the bundles behind a guide."""
    rows = [
        (
            b.bundle.id,
            b.bundle.board.name,
            _moment(b.bundle),
            b.bundle.runner.name if b.bundle.runner else units.MISSING,
            b.bundle.sdk.kernel or units.MISSING,
            b.bundle.sdk.image or units.MISSING,
            units.count_cell(len(b.bundle.results)),
        )
        for b in bundles
    ]
    head = ("Bundle", "Board", "Measured", "Runner", "Kernel", "Image", "Results")
    return without_empty(listing(head, rows))


def refused(faults: Sequence[Diagnostic]) -> Grid:
    """Return the faults in uploads, and how to fix them."""
    rows = []
    refused = {d.origin for d in errors(faults)}
    # In file order, so that authors can fix the faults from top to bottom.
    for fault in sorted(faults, key=lambda d: (d.origin, d.line or 0, d.severity, d.pointer)):
        where = ", ".join(filter(None, [f"line {fault.line}" if fault.line else "", fault.pointer]))
        effect = "refused" if fault.origin in refused else "accepted"
        rows.append((fault.origin, effect, where or "whole file", fault.message, fault.hint))
    return listing(("File", "Upload", "Where", "What is wrong", "How to fix it"), rows)


def withdrawn(items: Sequence[Withdrawal]) -> Grid:
    """Return the bundles that were replaced by later ones."""
    rows = [
        (
            w.old.bundle.id,
            w.old.origin,
            w.new.bundle.id,
            _moment(w.new.bundle),
            w.new.bundle.reason or units.MISSING,
        )
        for w in items
    ]
    head = ("Withdrawn bundle", "File", "Replaced by", "On", "Why")
    return without_empty(listing(head, rows))


def is_headline(catalog: Catalog, benchmark: str, metric: str) -> bool:
    """Return whether a SoC's own page shows figures of a benchmark's metric."""
    described = catalog.benchmark(benchmark).metric(metric)
    return described is not None and described.headline


def at(metric: Metric, records: Iterable[Record]) -> list[Record]:
    """Return the headlines among a metric's figures."""
    headlines = [
        r for r in records if r.metric == metric.name and all(n in r.params for n in metric.at)
    ]
    for name, choices in metric.at.items():
        # Of several values, the first one that was measured counts.
        for value in choices if isinstance(choices, tuple) else (choices,):
            fitting = [record for record in headlines if same(record.params[name], value)]
            if fitting:
                break
        else:
            return []
        headlines = fitting
    return headlines


def headlines(catalog: Catalog, records: Iterable[Record]) -> list[Record]:
    """Return all headline figures that the guides have."""
    chosen = (record for record in records if is_headline(catalog, record.benchmark, record.metric))
    groups = grouped(chosen, lambda record: (record.guide, record.benchmark, record.metric))
    out = []
    for (_, benchmark, name), members in groups.items():
        metric = catalog.benchmarks[benchmark].metric(name)
        assert metric is not None  # it is a headline
        # The described name can be a pattern; every name that it matches has its own headlines.
        out += at(replace(metric, name=name), members)
    return out


def headline_view(catalog: Catalog, records: Sequence[Record]) -> View:
    """Return the headline figures of all benchmarks by release, with a tab for each board."""
    rows: dict[tuple[Any, ...], tuple[tuple[str, ...], int, str]] = {}
    cells: dict[tuple[tuple[Any, ...], str], Cell] = {}
    order = {name: rank for rank, name in enumerate(catalog.benchmarks)}
    for record in records:
        benchmark = catalog.benchmarks[record.benchmark]
        metric = benchmark.metric(record.metric)
        assert metric is not None  # only described figures are headlines
        key = (
            units.natural(record.board),
            order[record.benchmark],
            *benchmark.figure_rank(record.metric, record.params),
        )
        label, params = labels.label(benchmark, record), labels.params(benchmark, record)
        unit = units.unit_cell(record.unit, metric.better)
        rows[key] = ((record.board, label, params, unit), metric.decimals, record.unit)
        cells[key, record.guide.release] = record.cell
    releases = sorted({r.guide.release for r in records}, key=version, reverse=True)
    lines = tuple(
        Row(
            rows[key][0],
            tuple(cells.get((key, release)) for release in releases),
            (rows[key][1],) * len(releases),
            rows[key][2],
        )
        for key in sorted(rows)
    )
    head = ("Board", "Figure", "Parameters", "Unit")
    columns = tuple((release,) for release in releases)
    return View("headline", "Headline figures", head, columns, lines, tabbed=True)


def natural_boards(records: Iterable[Record]) -> list[str]:
    """Return the boards of records, in natural order."""
    return sorted({record.board for record in records}, key=units.natural)
