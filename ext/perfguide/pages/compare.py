"""Writes the pages that compare two releases, and says what leads to them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import msgspec

from ..bundles.guide_key import GuideKey, family, version
from ..catalog.benchmarks import Catalog
from ..catalog.board_names import load as load_boards
from ..catalog.waivers import AnyEntry, load_annotations
from ..catalog.waivers import load as load_waivers
from ..charts import gallery
from ..charts.gallery import Picture
from ..charts.model import ChangeKind, ChangeView, Strip
from ..common import extras, slugs, units
from ..common.diagnostics import Diagnostic
from ..common.units import TableCell
from ..compare import ledger, sparkline, wording
from ..compare.comparison import Comparison, Group, annotations_used, compare
from ..compare.events import Event
from ..compare.headline import headline
from ..compare.history import History
from ..compare.ledger import Compared
from ..compare.match import Names
from ..compare.select import Filter, ReleasePair, pairs_with_pages
from ..compare.verdicts import ALARMS, WORDS, Row, Rules, Verdict
from ..figures import labels
from ..figures.dataset import Progress, Settings
from ..tables import grids
from ..tables.anchors import Anchors
from ..tables.blocks import MAX_ELEMENTS
from ..tables.grids import listing
from . import long_tables, verdicts, write_files, write_tables
from .context import Site
from .sentences import Link, link_name
from .write_tables import PageChart, PageTable

INDEX = "compare/index"
"""The page that lists all comparisons."""

LINKED = 3
"""The columns of a table of changes that lead to the older and the newer guide are
this one and the next."""

MOST_BYTES = 255_000
"""As :data:`long_tables.MOST_BYTES`: these tables are words that repeat, and take 0.27 of
the bytes of their files."""

KINDS: dict[Verdict, ChangeKind] = {"regressed": "regressed", "improved": "improved"}
"""What the chart tells apart; all else is alike there."""


@dataclass(frozen=True, slots=True)
class ComparisonPlan:
    """The releases of each SoC that have a page which compares them, the newest first, and by
    what they are compared; ``diagnostics`` say what was wrong with either. Where what comparisons
    need is not installed there are none, and ``missing`` says how to install it."""

    by_soc: dict[str, list[ReleasePair]]
    missing: str
    rules: Rules
    history: History
    anchors: Anchors
    diagnostics: list[Diagnostic]
    made: dict[str, Comparison] = field(default_factory=dict)
    """Comparisons, by their addresses, that a guide has told of and whose page comes next."""
    tags: dict[GuideKey, str] = field(default_factory=dict)
    """What comparisons with the release before advise, in few words, once they are made."""


class PageOutcome(msgspec.Struct, frozen=True):
    """What comes of a page: the entries of the file of waivers that it needed, and its events,
    ``None`` where it could not be made."""

    used: set[tuple[str, int]]
    compared: Compared | None


def comparison(site: Site, plan: ComparisonPlan, pair: ReleasePair) -> Comparison:
    """The comparison of two releases, made once for the newer guide and for its own page."""
    if pair.address in plan.made:
        return plan.made.pop(pair.address)
    old, new = pair.sides(site.pool, plan.history, plan.rules.names)
    out = compare(old, new, plan.history, plan.rules, Filter(soc=pair.old.soc))
    plan.made[pair.address] = out
    return out


def plan(site: Site, settings: Settings) -> ComparisonPlan:
    """Which pages there are: for neighbours among releases, and for pairs that were asked for."""
    boards, board_faults = load_boards(settings.boards)
    waivers, waiver_faults = load_waivers(settings.waivers)
    annotations, annotation_faults = load_annotations(settings.waivers)
    names = Names(site.catalog, boards)
    history = History([site.pool], names)
    pairs, unknown = pairs_with_pages(site.pool, history, names, site.addresses, settings.compare)
    missing = "" if extras.is_installed("compare") else extras.advice("compare")
    if missing:
        pairs.clear()
    pairs.sort(key=lambda pair: version(pair.new.release), reverse=True)
    by_soc: dict[str, list[ReleasePair]] = {}
    for pair in sorted(pairs, key=lambda p: (units.natural(p.new.soc), p.new.os, p.new.sdk)):
        by_soc.setdefault(pair.new.soc, []).append(pair)
    anchors = Anchors(site.layout, site.addresses, partial(history.records, site.pool))
    diagnostics = [*board_faults, *waiver_faults, *annotation_faults, *unknown]
    rules = Rules(names, waivers, annotations=annotations)
    return ComparisonPlan(by_soc, missing, rules, history, anchors, diagnostics)


def write(site: Site, plan: ComparisonPlan, progress: Progress[ReleasePair]) -> list[Diagnostic]:
    """Write every page, the index, what became of verdicts and what moved when; return which
    waivers, notes and levels no page needs."""
    if plan.missing:
        for page, title in ((INDEX, "Comparisons"), (verdicts.LEDGER, verdicts.LEDGER_TITLE)):
            write_files.page(site, page, "missing.rst.jinja", title=title, advice=plan.missing)
        return []
    used: set[tuple[str, int]] = set()
    found: list[tuple[ReleasePair, Compared]] = []
    titles: dict[str, str] = {}
    before: ReleasePair | None = None
    pairs = [pair for of_soc in plan.by_soc.values() for pair in of_soc]
    for pair in progress(pairs, "comparing releases"):
        if before and before.old.platform != pair.old.platform:
            plan.history.forget(before.old.platform)
        outcome = site.keeping.attempt(
            f"the comparison of {pair.old.release} and {pair.new.release}",
            pair.address,
            partial(_kept_or_written, site, plan, pair),
            partial(_write_notice, site, pair),
        )
        before = pair
        used |= outcome.used
        if outcome.compared and pair.asked is None:
            found.append((pair, outcome.compared))
            plan.tags[pair.new] = outcome.compared.tag
        if outcome.compared:
            titles[pair.address] = f"{_title(pair)}: {outcome.compared.tag}"
    verdicts.write_ledger(site, found)
    verdicts.write_moves(site, found)
    moves = verdicts.moves_pages(site)
    listed = {
        soc: [
            *(("", page) for platform, page in moves.items() if platform[1] == soc),
            *((titles.get(pair.address, ""), pair.address) for pair in own),
        ]
        for soc, own in plan.by_soc.items()
    }
    sentence = "Each release of this SoC beside the one before it: what changed."
    lists = write_files.lists_by_soc(site, "compare", "Comparisons of", sentence, listed)
    write_files.page(site, INDEX, "comparisons.rst.jinja", by_soc=lists)
    entries: list[AnyEntry] = [*plan.rules.waivers, *plan.rules.annotations.every]
    return [
        entry.finding("no page that compares two releases needs it", "remove it, or fix its names")
        for entry in entries
        if entry.key not in used
    ]


def _kept_or_written(site: Site, plan: ComparisonPlan, pair: ReleasePair) -> PageOutcome:
    """Write a page, or leave it as it is where nothing changed that it looks at;
    what comes of it."""
    write = partial(_write, site, plan, pair)
    return site.keeping.made(pair.address, made_from(site, plan, pair), write, PageOutcome)


def made_from(site: Site, plan: ComparisonPlan, pair: ReleasePair) -> object:
    """All that a comparison of two guides is made from."""
    soc, basis, names = pair.old.soc, site.basis, plan.rules.names
    keys, boards = site.socs[soc], None
    if pair.asked is None:
        # What other boards measured, in whatever release, says nothing about these.
        named = {name for key in (pair.old, pair.new) for name in basis.boards(key)}
        today = {names.boards.today(soc, name) for name in named}
        boards = {name for board in today for name in names.boards.ever(soc, board)}
        # Of what came later, only whether a change lasted is told.
        platform = site.families[pair.new.platform]
        upcoming = {plan.history.upcoming(pair.new, board) for board in today}
        until = platform.index(pair.new) + 1
        keys = [*platform[:until], *(key for key in platform[until:] if key in upcoming)]
    guides = [(key, site.addresses.guide[key]) for key in keys]
    return pair.old, pair.new, guides, basis.common, basis.bundles(keys, boards)


def _write_notice(site: Site, pair: ReleasePair, reason: str) -> PageOutcome:
    write_files.notice(site, pair.address, _title(pair), reason)
    return PageOutcome(set(), None)


def _title(pair: ReleasePair) -> str:
    return f"{pair.new.soc}, {family(pair.new)}: {pair.old.release} → {pair.new.release}"


def _write(site: Site, plan: ComparisonPlan, pair: ReleasePair) -> PageOutcome:
    """Write a page; what comes of it."""
    title = _title(pair)
    compared = comparison(site, plan, pair)
    sections: list[dict[str, Any]] = []
    for verdict in (*wording.LEADING, *wording.FOLDED):
        rows = wording.of_verdict(compared.rows, [verdict])
        if rows:
            opened = verdict in ("regressed", "failed-after")
            table = _table(site, plan.anchors, pair.address, verdict, rows)
            heading = f"{wording.TITLES[verdict]} ({len(rows)})"
            sections.append({"title": heading, "open": opened, "table": table})
    tables = [
        (section["table"], "compare" if section["open"] else "all-other-figures", title)
        for section in sections
    ]
    summary, guides = wording.summary(compared), site.addresses.guide
    said = headline(compared)
    text = f"{pair.new.soc}, {family(pair.new)}, what changed. {said.sentence} {'; '.join(summary[:2])}."
    events, far = [], []
    for name, own in wording.by_action(compared):
        if own[0].kind == "noisy":
            far.append((name, [_far(event, compared, site.catalog) for event in own]))
        else:
            events.append((name, [_event(event, compared, site.catalog) for event in own]))
    noisy = compared.counts["noisy"]
    moves = [row for _, own in events for event in own for row in event["rows"]]
    moves += [row for _, own in far for row in own]
    write_files.page(
        site,
        pair.address,
        "compare.rst.jinja",
        about={"description": text},
        drawn=(drawn := [row["drawn"] for row in moves if row["drawn"]]),
        has_histories=bool(drawn),
        title=title,
        decision=said.sentence,
        events=events,
        far=far,
        lead=said.more,
        unjudged={"number": noisy, "lines": wording.unjudged(compared)} if noisy else None,
        common=f"{wording.count(compared.common, 'figure')} of {wording.count(len(compared.spans), 'board')} in both releases",
        counts=_counts(site, pair.address, compared),
        guides=[Link(f"Guide of {key.release}", guides[key]) for key in (pair.old, pair.new)],
        sections=sections,
        moved=long_tables.move(site, pair.address, tables, MOST_BYTES, f": {title}"),
        chart=_chart(site, pair.address, compared),
        benchmarks=_benchmarks(site, pair.address, compared),
        lists=[
            _listed(site, pair.address, title, lines)
            for title, lines in (
                ("Coverage", wording.coverage(compared)),
                ("Notes", compared.notes),
                ("Accepted changes", [finding.text() for finding in compared.findings]),
            )
            if lines
        ],
    )
    return PageOutcome(annotations_used(compared.rows, plan.rules), ledger.compared(compared))


MAX_LINES = 100
"""Lines of a list of sentences; a longer one is a table with a file, and has further pages."""


def _listed(site: Site, page: str, title: str, lines: Sequence[str]) -> dict[str, Any]:
    """Return a list of sentences with its title, as a table where it is long."""
    table = None
    if len(lines) > MAX_LINES:
        grid = listing((title,), [(line,) for line in lines])
        table = write_tables.table(site, page, slugs.words(title), title, grid)
    return {"title": f"{title} ({len(lines)})", "lines": lines, "table": table}


COUNTED: dict[Verdict, str] = {"only-old": "no longer measured", "only-new": "new"}
"""Verdicts that a count has other words for."""


def _counts(site: Site, page: str, comparison: Comparison) -> list[tuple[str, str]]:
    """How many figures have each verdict that one has, and the name of the table with them."""
    order = (*wording.LEADING, *wording.FOLDED)
    return [
        (f"{number} {COUNTED.get(verdict, WORDS[verdict])}", link_name(page, verdict))
        for verdict in order
        if (number := comparison.counts[verdict])
    ]


LISTED = 3
"""Rows of an event that are listed with it; all are in the tables."""


def _event(event: Event, comparison: Comparison, catalog: Catalog) -> dict[str, Any]:
    """An event in words: its title, why it is told, the rows that moved most, and what accepts it."""
    left = len(event.rows) - LISTED
    waived = event.kind not in ALARMS or event.accepted
    return {
        "title": wording.event_title(event, comparison),
        "lines": wording.event_lines(event, comparison),
        "rows": [_moved(row, comparison, catalog) for row in event.rows[:LISTED]],
        "more": f"And {wording.count(left, 'more row')}." if left > 0 else "",
        "snippet": [] if waived else wording.snippet(event).splitlines(),
    }


def _far(event: Event, comparison: Comparison, catalog: Catalog) -> dict[str, Any]:
    """Return an event that is not proved as one line: the row that stands out most, and why."""
    row = event.rows[0]
    why = wording.unproved(row)
    moved = _moved(row, comparison, catalog)
    return {
        **moved,
        "name": wording.event_title(event, comparison),
        "figures": f"{moved['figures']}; {why}",
    }


def _moved(row: Row, comparison: Comparison, catalog: Catalog) -> dict[str, Any]:
    """Return the name of a row, how it moved and what became of it, and its last releases: in
    characters, and as they are drawn."""
    said, fate = wording.row_words(row, comparison, catalog), wording.fate(row)
    benchmark, record = catalog.get(row.benchmark), row.new or row.old
    name = said.name
    if benchmark and record:
        name = labels.full(benchmark, replace(record, metric=row.metric, params=dict(row.params)))
        name = f"{said.board}: {name}" if len(comparison.spans) > 1 else name
    figures = f"{said.change}: {said.old} → {said.new} {said.unit}"
    return {
        "name": name,
        "figures": f"{figures}; {fate}" if fate else figures,
        "history": sparkline.characters(row),
        "drawn": sparkline.drawing(row),
    }


def _table(
    site: Site, anchors: Anchors, page: str, verdict: Verdict, rows: Sequence[Row]
) -> PageTable:
    """The rows of one verdict, with links from their figures to both guides."""
    head = ("Figure", "Board", "Unit", "Old", "New", "Change", "Why")
    lines, links, scales = [], list[grids.Link](), {}
    for number, row in enumerate(rows):
        places = wording.decimals(row, site.catalog)
        name = f"{row.benchmark}: {wording.figure(row, site.catalog)}"
        old, new = (grids.figure(r.cell if r else None, places) for r in (row.old, row.new))
        unit, change, why = wording.unit(row), wording.changed(row), wording.ground(row)
        scales[unit] = wording.one_unit(row)
        lines.append((name, row.board, unit, old, new, change, why))
        for column, record in ((LINKED, row.old), (LINKED + 1, row.new)):
            if record:
                anchor = anchors.of(record)
                links.append((number, column, anchor.page, anchor.table, anchor.row))
    kinds = grids.unit_scales(scales.items())
    grid = grids.Grid((head,), tuple(lines), 3, units=kinds, links=links)
    data = _for_programs(rows, lines)
    title = wording.TITLES[verdict]
    return write_tables.table(
        *(site, page, verdict, title, grid), data=data, max_elements=MAX_ELEMENTS
    )


def _for_programs(rows: Sequence[Row], lines: Sequence[Sequence[TableCell]]) -> grids.Grid:
    """Return the rows of one verdict with a column for each number."""
    columns: list[tuple[str, list[TableCell]]] = [
        (name, [line[place] for line in lines])
        for place, name in enumerate(("Figure", "Board", "Unit"))
    ]
    for name, records in (("Old", [r.old for r in rows]), ("New", [r.new for r in rows])):
        cells = [record.cell if record else None for record in records]
        columns += grids.measured_columns(name, cells)
    shares = [row.change for row in rows]
    columns.append(("Change (%)", ["" if s is None else units.change(s) for s in shares]))
    columns.append(("Why", [line[6] for line in lines]))
    head, values = zip(*columns, strict=True)
    return grids.tidy(listing(head, zip(*values, strict=True), 3))


def _benchmarks(site: Site, page: str, comparison: Comparison) -> PageTable | None:
    if not comparison.groups:
        return None
    head = ("Benchmark", "Geometric mean, + is better", "Figures")
    lines = [(g.title, _mean(g), wording.tally(g)) for g in comparison.groups]
    return write_tables.table(site, page, "benchmarks", "Benchmarks", listing(head, lines))


def _mean(group: Group) -> TableCell:
    if group.ratio is None:
        return units.MISSING
    return units.change(group.ratio - 1)[0], wording.ratio(group), ""


def _chart(site: Site, page: str, comparison: Comparison) -> PageChart | None:
    """Return the chart of a comparison, with its data; none where no figure can be compared."""
    view = _change_view(comparison)
    if view is None:
        return None
    picture = Picture(gallery.stem(page, "changes", ""), view)
    site.pictures.append(picture)
    data = _change_data(comparison, site.catalog)
    site.writer.write(f"{page}/changes.csv", grids.to_csv(data))
    return PageChart(
        "Changes by benchmark",
        link_name(page, "compare-changes"),
        write_tables.shown_pictures(page, [picture]),
        f"{page.rpartition('/')[2]}/changes.csv",
    )


def _change_view(comparison: Comparison) -> ChangeView | None:
    """What the chart shows; ``None`` where no figure can be compared."""
    strips = []
    for group in comparison.groups:
        points = tuple(
            (row.ratio, KINDS.get(row.verdict, "other"))
            for row in comparison.rows
            if row.benchmark == group.benchmark and row.ratio is not None
        )
        if points and group.ratio is not None:
            strips.append(Strip(group.title, group.ratio, points))
    return ChangeView("", tuple(strips)) if strips else None


def _change_data(comparison: Comparison, catalog: Catalog) -> grids.Grid:
    """Every point of the chart, with all its digits."""
    head = ("Benchmark", "Board", "Figure", "Ratio, above 1 is better", "Verdict")
    order = [group.benchmark for group in comparison.groups]
    rows = [
        (
            *(row.benchmark, row.board, wording.figure(row, catalog)),
            *(units.figure(row.ratio), row.verdict),
        )
        for row in sorted(comparison.rows, key=lambda r: order.index(r.benchmark))
        if row.ratio is not None
    ]
    return listing(head, rows, 3)
