"""The pages that compare two releases, and the text of the links that lead to them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
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
from ..compare import (
    event_evidence,
    event_fates,
    event_groups,
    event_titles,
    overview,
    row_texts,
    sparkline,
    waiver_entries,
)
from ..compare.comparison import Comparison, Group, annotations_used, compare
from ..compare.event import Event
from ..compare.event_fates import Compared
from ..compare.failed_rows import fails_in_part
from ..compare.fates import fate
from ..compare.headline import Headline, headline, remarks_on
from ..compare.history import History
from ..compare.match import Names
from ..compare.row import ALARMS, WORDS, Row, Rules, Verdict
from ..compare.select import Filter, ReleasePair, pairs_with_pages
from ..figures.dataset import Settings
from ..tables import grids
from ..tables.anchors import Anchors
from ..tables.grids import listing
from . import comparison_rows, lasting_moves, long_tables, verdicts, write_files, write_tables
from .comparison_rows import full_label, times_usual
from .context import Site
from .lasting_moves import LastingMove
from .sentences import Link, link_name, section_name
from .verdicts import ComparedGuides, ListedVerdict
from .write_tables import PageChart, PageTable

FOLDED_ACTIONS = (
    *("Better, not proved", event_groups.BACK),
    *(event_groups.OLDER, event_groups.MINOR),
)
"""The titles of events that take one line each, in a fold."""

LISTED_ROWS = 8
"""The most rows of an event that its fold lists; its tables have all."""

INDEX = "compare/index"
"""The page that lists all comparisons."""

OVER_USUAL = "Over usual"
"""The heading of a column: the change divided by the usual scatter of such figures."""

LINKED_COLUMN = 3
"""The column in a table of changes that links to the older guide; the next one links to the
newer."""

MAX_CSV_BYTES = 105_000
"""Like :data:`long_tables.MAX_CSV_BYTES`. The HTML of these tables takes up to 5.6 times the bytes
of their files, so this keeps a page below 600 kB."""

MAX_ELEMENTS = 6_400
"""The number of HTML elements of a table before it continues on further pages, which keeps those
below 600 kB too: an element takes up to 92 bytes."""

KINDS: dict[Verdict, ChangeKind] = {"regressed": "regressed", "improved": "improved"}
"""The verdicts that have their own colour in the chart."""


@dataclass(frozen=True, slots=True)
class ComparisonPlan:
    """The comparisons of a SoC that get a page, with their rules."""

    pairs: list[ReleasePair]
    """Newest first; empty if a package that comparisons need is missing."""
    missing: str
    """Advice to install that package."""
    rules: Rules
    history: History
    anchors: Anchors
    diagnostics: list[Diagnostic]
    """Faults of pairs in the settings."""
    pending: dict[str, Comparison] = field(default_factory=dict)
    """Comparisons, by address, that the newer guide has quoted but whose page is still to be
    written."""


class PageOutcome(msgspec.Struct, frozen=True):
    """The outcome of writing a page: the waiver file entries that it used, its events and its
    verdict (``None`` if it could not be made), the verdicts on its newer figures by the first row
    of their frame, and the moves that lasted."""

    used: set[tuple[str, int]]
    compared: Compared | None
    verdict: ListedVerdict | None = None
    verdicts: dict[int, Verdict] = {}
    moves: list[LastingMove] = []


def comparison(site: Site, plan: ComparisonPlan, pair: ReleasePair) -> Comparison:
    """Return the comparison of two releases. It is needed twice, by the newer guide and by its own
    page, and kept in between."""
    if pair.address in plan.pending:
        return plan.pending.pop(pair.address)
    old, new = pair.sides(site.pool, plan.rules.names)
    out = compare(old, new, plan.history, plan.rules, Filter(soc=pair.old.soc))
    plan.pending[pair.address] = out
    return out


def plan(site: Site, settings: Settings) -> ComparisonPlan:
    """Return the comparisons of neighbouring releases and of the pairs in the settings."""
    boards, _ = load_boards(settings.boards)
    waivers, _ = load_waivers(settings.waivers)
    annotations, _ = load_annotations(settings.waivers)
    names = Names(site.catalog, boards)
    history = History([site.pool], names)
    pairs, unknown = pairs_with_pages(site.pool, names, site.addresses, settings.compare)
    missing = "" if extras.is_installed("compare") else extras.advice("compare")
    if missing:
        # Guides and lists must not link to pages that are not written.
        pairs.clear()
    # Sorts are stable, so this orders by platform, newest release first within each.
    pairs.sort(key=lambda pair: version(pair.new.release), reverse=True)
    pairs.sort(key=lambda pair: (pair.new.os, pair.new.sdk))
    anchors = Anchors(site.layout, site.addresses, site.pool.of_guide)
    rules = Rules(names, waivers, annotations=annotations)
    return ComparisonPlan(pairs, missing, rules, history, anchors, unknown)


@dataclass(frozen=True, slots=True)
class Comparisons:
    """The comparisons written for a SoC, the keys of the waivers, notes and levels that they used,
    the verdicts on figures against the previous release by the first row of their frame, and the
    moves that lasted."""

    compared: list[ComparedGuides] = field(default_factory=list)
    used: set[tuple[str, int]] = field(default_factory=set)
    verdicts: dict[int, Verdict] = field(default_factory=dict)
    moves: list[LastingMove] = field(default_factory=list)


def write(site: Site, plan: ComparisonPlan) -> Comparisons:
    """Write the comparisons of a SoC, their list, and the pages of moves."""
    used: set[tuple[str, int]] = set()
    of_figures: dict[int, Verdict] = {}
    out: list[ComparedGuides] = []
    moves: list[LastingMove] = []
    before: ReleasePair | None = None
    for pair in plan.pairs:
        if before and before.old.platform != pair.old.platform:
            # Pairs are ordered by platform, so its figures are not needed again.
            plan.history.forget(before.old.platform)
        outcome = site.making.attempt(
            f"the comparison of {pair.old.release} and {pair.new.release}",
            pair.address,
            partial(_write, site, plan, pair),
            partial(_write_notice, site, pair),
        )
        before = pair
        used |= outcome.used
        is_asked = pair.asked is not None
        if not is_asked:
            of_figures |= outcome.verdicts
            moves += outcome.moves
        both = (outcome.compared, outcome.verdict)
        out.append(ComparedGuides(pair.old, pair.new, pair.address, is_asked, *both))
    verdicts.write_moves(site, verdicts.neighbours(out))
    if out:
        listed = [
            *(("", page) for page in verdicts.moves_pages(site).values()),
            *((_listed_title(pair), pair.address) for pair in out),
        ]
        # A site that has comparisons here is that of one SoC.
        (soc,) = site.socs
        sentence = "Each release of this SoC beside the one before it: what changed."
        write_files.list_of_soc(site, soc, "compare", "Comparisons of", sentence, listed)
    return Comparisons(out, used, of_figures, moves)


def _listed_title(pair: ComparedGuides) -> str:
    """Return a comparison's releases and advice, for the list of its SoC; empty if it was not
    made."""
    if not pair.verdict:
        return ""
    return f"{family(pair.new)} {pair.old.release} → {pair.new.release}: {pair.verdict.brief}"


def write_missing(site: Site, advice: str) -> None:
    """Write pages that say how to install the packages needed for comparisons."""
    for page, title in ((INDEX, "Comparisons"), (verdicts.LEDGER, verdicts.LEDGER_TITLE)):
        write_files.page(site, page, "missing.rst.jinja", title=title, advice=advice)


def faults_of_lists(
    settings: Settings, used: Collection[tuple[str, int]] | None
) -> list[Diagnostic]:
    """Return the faults in the lists of boards and waivers. ``used`` are the keys of entries that a
    page used, or ``None`` if there are no comparisons."""
    _, board_faults = load_boards(settings.boards)
    waivers, waiver_faults = load_waivers(settings.waivers)
    annotations, annotation_faults = load_annotations(settings.waivers)
    entries: list[AnyEntry] = [*waivers, *annotations.every]
    unused = [
        entry.finding("no page that compares two releases needs it", "remove it, or fix its names")
        for entry in entries
        if used is not None and entry.key not in used
    ]
    return [*board_faults, *waiver_faults, *annotation_faults, *unused]


def _write_notice(site: Site, pair: ReleasePair, reason: str) -> PageOutcome:
    write_files.notice(site, pair.address, _title(pair), reason)
    return PageOutcome(set(), None)


def _title(pair: ReleasePair | ComparedGuides) -> str:
    return f"{pair.new.soc}, {family(pair.new)}: {pair.old.release} → {pair.new.release}"


def _figures_by_verdict(
    site: Site, anchors: Anchors, page: str, compared: Comparison
) -> list[dict[str, Any]]:
    """Return the tables of figures, one for each verdict."""
    sections = []
    for verdict in (*row_texts.SHOWN_VERDICTS, *row_texts.FOLDED_VERDICTS):
        if rows := row_texts.of_verdict(compared.rows, [verdict]):
            table = _table(site, anchors, page, verdict, rows, compared.board_names)
            heading = f"{row_texts.TITLES[verdict]} ({len(rows)})"
            sections.append({"title": heading, "table": table})
    return sections


_Titled = tuple[str, list[dict[str, Any]]]
"""Entries of a page with their heading."""


def _events_of_page(
    page: str, compared: Comparison, decision: Headline, catalog: Catalog
) -> dict[str, Any]:
    """Return the events with their evidence, those that take one line each, those of the headline,
    and the histories that are drawn beside them."""
    names = _event_names(page, compared)
    events, far = list[_Titled](), list[_Titled]()
    for name, of_action in event_groups.by_action(compared):
        if name in FOLDED_ACTIONS:
            # Nothing about these is proved.
            lines = [line for event in of_action for line in _far(event, compared, catalog)]
            far.append((f"{name} ({len(of_action)})", lines))
        else:
            entries = [_event(event, compared, catalog, page, names) for event in of_action]
            events.append((name, entries))
    # Keep the order of the text, by which the extension matches histories with their drawings.
    moves = [row for _, rows in events for event in rows for row in event["rows"]]
    moves += [row for _, rows in far for row in rows]
    drawn = [row["drawn"] for row in moves if row["drawn"]]
    named = [decision.lead] * bool(decision.lead) + [event for event, _ in decision.events]
    titles = [_named(event, compared, names, remarks_on(event)) for event in named if event]
    return {
        "events": events,
        "far": far,
        "drawn": drawn,
        "has_histories": bool(drawn),
        "lead": titles[0] if decision.lead else None,
        "falls": titles[bool(decision.lead) :],
        "failing": [_named(event, compared, names) for event, _ in decision.failing],
    }


def _write(site: Site, plan: ComparisonPlan, pair: ReleasePair) -> PageOutcome:
    compared = comparison(site, plan, pair)
    decision = headline(compared)
    _write_page(site, plan, pair, compared, decision)
    fall, change = "", ""
    if worst := decision.worst:
        fall, change = _loss(worst, compared, site.catalog)
    counts = compared.counts
    verdict = ListedVerdict(
        decision.state,
        decision.tag,
        decision.judged,
        decision.comparable,
        counts["regressed"] + counts["failed-after"] + sum(map(fails_in_part, compared.rows)),
        counts["improved"],
        counts["only-old"],
        counts["only-new"],
        fall,
        change,
        worst is None or worst.kind != "noisy",
        decision.brief,
    )
    return PageOutcome(
        annotations_used(compared.rows, plan.rules),
        event_fates.compared(compared),
        verdict,
        {row.new.cell.members[0]: row.verdict for row in compared.rows if row.new and row.old},
        lasting_moves.of_comparison(compared, pair, site.catalog, plan.history, site.marks),
    )


def _write_page(
    site: Site, plan: ComparisonPlan, pair: ReleasePair, compared: Comparison, decision: Headline
) -> None:
    title, page, guides = _title(pair), pair.address, site.addresses.guide
    sections = _figures_by_verdict(site, plan.anchors, page, compared)
    tables = [(section["table"], "all-other-figures", title) for section in sections]
    text = (
        f"{pair.new.soc}, {family(pair.new)}, what changed. {decision.sentence} "
        f"{'; '.join(overview.summary(compared)[:2])}."
    )
    of_events = _events_of_page(page, compared, decision, site.catalog)
    # What would help comes first where there is nothing else to say.
    on_top, below = (decision.again, []) if decision.state == "too little" else ([], decision.again)
    is_once = any(name == event_groups.WORSE_UNPROVED for name, _ in of_events["events"])
    write_files.page(
        site,
        page,
        "compare.rst.jinja",
        about={
            "description": text,
            "rows": comparison_rows.write(site, page, compared, plan.anchors),
        },
        **of_events,
        title=title,
        decision=decision,
        state=decision.state.replace(" ", "-"),
        limits=[
            *[decision.share] * (not decision.comparable),
            *decision.limits,
            *on_top,
            decision.untested,
        ],
        again=below,
        noisy=compared.counts["noisy"],
        unjudged=[decision.share, *overview.unjudged(compared), *([] if is_once else below)],
        counts=_counts(page, compared, decision),
        guides=[
            *(Link(f"Guide of {key.release}", guides[key]) for key in (pair.old, pair.new)),
            *_other_guides(pair, compared, guides, site.addresses.soc[pair.new.soc]),
        ],
        sections=sections,
        moved=long_tables.move(site, page, tables, MAX_CSV_BYTES, f": {title}"),
        chart=_chart(site, page, compared),
        benchmarks=_benchmarks(site, page, compared),
        lists=[
            _listed(site, page, title, lines)
            for title, lines in (
                ("Coverage", overview.coverage(compared)),
                ("Notes", compared.notes),
                ("Accepted changes", [finding.text() for finding in compared.findings]),
            )
            if lines
        ],
    )


def _loss(event: Event, comparison: Comparison, catalog: Catalog) -> tuple[str, str]:
    """Return the figure of an event that got worst, and its change in words."""
    # Figures that failed with the older release only are no loss.
    failed = [*filter(fails_in_part, event.rows)]
    others = [row for row in event.judged if row not in failed] or event.judged
    is_of_failed = event.of_failing_runs and failed
    row = failed[0] if is_of_failed else event_titles.farthest(replace(event, rows=(*others,)))
    label = full_label(row, catalog) or row_texts.row_words(row, comparison, catalog).name
    # The mean of runs that failed and others is not how fast anything is.
    if fails_in_part(row):
        return label, row.doubt
    if row.past:
        return label, row_texts.at_equal_clock(row, row_texts.change_words(row))
    size = row_texts.change_words(row) + f" {row.judged_by}" * row.is_of_best_runs
    return label, row_texts.from_to(row) + f", {size}" * (size != units.MISSING)


def _other_guides(
    pair: ReleasePair, compared: Comparison, guides: Mapping[GuideKey, str], soc: str
) -> list[Link]:
    """Return links to guides to compare with instead if no board has both releases, or else to the
    page of the SoC."""
    out = []
    for span in compared.instead:
        for release in (span.old, span.new):
            key = GuideKey(*span.platform, release)
            if key not in (pair.old, pair.new) and key in guides:
                out.append(Link(f"Guide of {release}, with {span.board}", guides[key]))
    if compared.apart and not out:
        # That page lists each board with its releases, and the comparisons between them.
        out.append(Link(f"Boards and comparisons of {pair.new.soc}", soc))
    return out


MAX_LINES = 100
"""A longer list of sentences becomes a table, which can be continued on further pages."""


def _listed(site: Site, page: str, title: str, lines: Sequence[str]) -> dict[str, Any]:
    """Return a list of sentences with its title, as a table if it is long."""
    table = None
    if len(lines) > MAX_LINES:
        grid = listing((title,), [(line,) for line in lines])
        table = write_tables.table(site, page, slugs.words(title), title, grid)
    return {"title": f"{title} ({len(lines)})", "lines": lines, "table": table}


COUNTED: dict[Verdict, str] = {
    "regressed": "worse",
    "improved": "better",
    "only-old": "gone",
    "only-new": "new",
}
"""Verdicts whose counts use shorter words than tables."""

UNCOUNTED: tuple[Verdict, ...] = ("noisy", "steady", "same")
"""Verdicts without news, which are counted at their tables only."""


def _counts(page: str, comparison: Comparison, decision: Headline) -> list[tuple[str, str, str]]:
    """Return the number of figures that both releases have, the share that is judged, and the
    numbers of figures with failing runs and with each other verdict, in words, with the link names
    of their tables."""
    of_boards = f"figures on {units.with_noun(len(comparison.spans), 'board')}"
    out = [
        (f"{comparison.common:,}", of_boards, ""),
        *[(f"{decision.percent} %", "can be judged", "")] * bool(decision.comparable),
    ]
    if failing := sum(map(fails_in_part, comparison.rows)):
        out.append((f"{failing:,}", "worse, as some runs fail", link_name(page, "noisy")))
    return out + [
        (f"{number:,}", COUNTED.get(verdict, WORDS[verdict]), link_name(page, verdict))
        for verdict in (*row_texts.SHOWN_VERDICTS, *row_texts.FOLDED_VERDICTS)
        if (number := comparison.counts[verdict]) and verdict not in UNCOUNTED
    ]


def _event_names(page: str, comparison: Comparison) -> dict[int, str]:
    """Return the link names of events by their identity: the benchmark, numbered from the second
    on."""
    out, counts = {}, Counter[str]()
    for event in (*comparison.events, *comparison.far):
        counts[event.benchmark] += 1
        number = f"-{counts[event.benchmark]}" if counts[event.benchmark] > 1 else ""
        anchor = f"event-{slugs.slug(slugs.words(event.benchmark))}{number}"
        out[id(event)] = section_name(page, anchor)
    return out


def _named(
    event: Event, comparison: Comparison, names: Mapping[int, str], remarks: Sequence[str] = ()
) -> dict[str, str]:
    """Return the parts of an event's title, with ``remarks``, and its link name."""
    name, size, where = event_titles.title_parts(event, comparison, remarks)
    # Where is set apart here.
    return {
        "link": names[id(event)],
        "name": name.rstrip(","),
        "size": size.rstrip(","),
        "where": where,
    }


def _event(
    event: Event, comparison: Comparison, catalog: Catalog, page: str, names: Mapping[int, str]
) -> dict[str, Any]:
    """Return an event in words: its title, its grounds, the rows that moved most, links to the
    tables that have the others, and the entry for the file of waivers that would accept it.
    ``names`` are the link names of events."""
    listed = event_evidence.listed(event, LISTED_ROWS)
    # The sentences mention figures under a second name, which are counted only for a cause.
    every = [row for row in event.every_row if event.is_cause or not row.follows]
    left = [row for row in every if not any(row is other for other in listed)]
    behind = [
        "evidence",
        *([units.with_noun(len(every) - 1, "more row")] if len(every) > 1 else []),
    ]
    lines = event_evidence.event_lines(replace(event, inferred=()), comparison)
    rows = [_moved(row, comparison, catalog) for row in listed]
    # The title has named the benchmark.
    begin = f"{event_titles.benchmark_title(event, comparison)}, "
    rows = [row | {"name": units.capital(row["name"].removeprefix(begin))} for row in rows]
    # More drawings would double the size of a page.
    rows[event_evidence.LISTED_ROWS :] = (
        row | {"history": "", "drawn": None} for row in rows[event_evidence.LISTED_ROWS :]
    )
    # The older figures of a fall since an earlier release are not those of OLD.
    since = {id(row) for e in (event, *event.also) if e.since for row in e.every_row}
    verdicts = {
        "only-new" if id(row) in since else "incomparable" if row.is_of_best_runs else row.verdict
        for row in left
    }
    return {
        **_named(event, comparison, names),
        # What changed around the rows explains them.
        "causes": lines
        if event.is_cause
        else [f"Perhaps {inferred.text}." for inferred in event.inferred],
        "lines": [] if event.is_cause else lines,
        "rows": rows,
        "behind": units.capital(" and ".join(behind[event.is_cause :])),
        "more": f"{units.with_noun(len(left), 'more row')}, listed in" if left else "",
        "tables": [
            Link(title, page, table=link_name(page, verdict))
            for verdict, title in row_texts.TITLES.items()
            if verdict in verdicts
        ],
        "snippet": []
        if event.kind not in ALARMS or event.accepted
        else waiver_entries.of_event(event).splitlines(),
    }


def _far(event: Event, comparison: Comparison, catalog: Catalog) -> list[dict[str, Any]]:
    """Return an unproved event as one line with its most conspicuous row and the grounds. A minor
    one has a further line for each row that moved far."""
    name, size, where = event_titles.title_parts(event, comparison)
    line: dict[str, Any] = {"name": name, "board": where, "figures": size, "change": ""}
    line |= {"fate": "", "history": "", "drawn": None}
    if event.is_minor:
        return [line, *(_moved(row, comparison, catalog) for row in event_evidence.listed(event))]
    row = event_titles.farthest(event)
    moved = _moved(row, comparison, catalog)
    # If there are several rows, the title does not say which of them these figures belong to.
    words = (
        f"{moved['name']}, {moved['figures']}, {moved['change']}; "
        if len(event.counted) > 1
        else ""
    )
    lines = (f"{words}{event_evidence.unproved(row)}", *event_evidence.beside(event, comparison))
    fate = "; ".join(filter(None, (*lines, moved["fate"])))
    return [line | {"fate": fate, "history": moved["history"], "drawn": moved["drawn"]}]


def _moved(row: Row, comparison: Comparison, catalog: Catalog) -> dict[str, Any]:
    """Return a row's name, its change and fate, and its recent releases both as characters and as
    JSON for a drawing."""
    words = row_texts.row_words(row, comparison, catalog)
    change, of_work = row_texts.listed_change(row)
    return {
        "name": full_label(row, catalog) or f"{words.benchmark}: {words.figure}",
        "board": words.board if len(comparison.spans) > 1 else "",
        "figures": f"{words.old} → {words.new} {words.unit}",
        "change": change,
        "fate": "; ".join(filter(None, (of_work, fate(row)))),
        "history": sparkline.characters(row),
        "drawn": sparkline.drawing(row),
    }


def _table(
    site: Site,
    anchors: Anchors,
    page: str,
    verdict: Verdict,
    rows: Sequence[Row],
    board_names: Mapping[str, str],
) -> PageTable:
    """Write the table of one verdict, with links from its figures to both guides."""
    head = ("Figure", "Board", "Unit", "Old", "New", "Change", OVER_USUAL, "Why")
    lines, names, links, scales = [], list[str](), list[grids.Link](), {}
    for number, row in enumerate(rows):
        digits = site.catalog.benchmark(row.benchmark).decimals(row.metric)
        names.append(f"{row.benchmark}: {row_texts.figure(row, site.catalog)}")
        name = full_label(row, site.catalog) or names[-1]
        old, new = (grids.figure(r.cell if r else None, digits) for r in (row.old, row.new))
        unit, change, why = row_texts.unit(row), row_texts.change_cell(row), row_texts.ground(row)
        scales[unit] = row_texts.one_unit(row)
        board = board_names.get(row.board, row.board)
        lines.append((name, board, unit, old, new, change, _over_usual(row), why))
        for column, record in ((LINKED_COLUMN, row.old), (LINKED_COLUMN + 1, row.new)):
            if record:
                anchor = anchors.of(record)
                links.append((number, column, anchor.page, anchor.table, anchor.row))
    kinds = grids.unit_scales(scales.items())
    # Row addresses, and the file for programs, use the names in bundles.
    in_addresses = [(number, 0, name) for number, name in enumerate(names)]
    grid = grids.Grid((head,), tuple(lines), 3, units=kinds, links=links, names=in_addresses)
    # Failures, and figures of one release only, have no change to divide.
    if not any(row[6] for row in lines):
        grid = grids.only_columns(grid, [0, 1, 2, 3, 4, 5, 7])
    raw_lines = [
        (name, row.board, *line[2:]) for name, row, line in zip(names, rows, lines, strict=True)
    ]
    data = _for_programs(rows, raw_lines)
    title = row_texts.TITLES[verdict]
    return write_tables.table(
        *(site, page, verdict, title, grid), data=data, max_elements=MAX_ELEMENTS
    )


def _over_usual(row: Row) -> TableCell:
    times = times_usual(row)
    return "" if times is None else (times, f"{times:.1f}", "")


def _for_programs(rows: Sequence[Row], lines: Sequence[Sequence[TableCell]]) -> grids.Grid:
    """Return the rows of one verdict with a column for each number."""
    columns: list[tuple[str, list[TableCell]]] = [
        (name, [line[column] for line in lines])
        for column, name in enumerate(("Figure", "Board", "Unit"))
    ]
    for name, records in (("Old", [r.old for r in rows]), ("New", [r.new for r in rows])):
        cells = [record.cell if record else None for record in records]
        columns += grids.measured_columns(name, cells)
    shares = [row.change for row in rows]
    columns.append(("Change (%)", ["" if s is None else units.change(s) for s in shares]))
    columns.append((OVER_USUAL, [line[6] for line in lines]))
    columns.append(("Why", [line[7] for line in lines]))
    head, values = zip(*columns, strict=True)
    return grids.tidy(listing(head, zip(*values, strict=True), 3))


def _benchmarks(site: Site, page: str, comparison: Comparison) -> PageTable | None:
    if not comparison.groups:
        return None
    head = ("Benchmark", "Geometric mean (+ is better)", "Figures")
    lines = [(g.title, _mean(g), overview.tally(g)) for g in comparison.groups]
    return write_tables.table(site, page, "benchmarks", "Benchmarks", listing(head, lines))


def _mean(group: Group) -> TableCell:
    if group.ratio is None:
        return units.MISSING
    return units.change(group.ratio - 1)[0], overview.ratio(group), ""


def _chart(site: Site, page: str, comparison: Comparison) -> PageChart | None:
    """Write the chart of a comparison with its data; ``None`` if no figure is comparable."""
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
        write_tables.page_pictures(page, [picture]),
        f"{page.rpartition('/')[2]}/changes.csv",
    )


def _change_view(comparison: Comparison) -> ChangeView | None:
    """Return the contents of the chart; ``None`` if no figure is comparable."""
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
    """Return every point of the chart, with all digits."""
    head = ("Benchmark", "Board", "Figure", "Ratio, above 1 is better", "Verdict")
    order = [group.benchmark for group in comparison.groups]
    rows = [
        (
            *(row.benchmark, row.board, row_texts.figure(row, catalog)),
            *(units.figure(row.ratio), row.verdict),
        )
        for row in sorted(comparison.rows, key=lambda r: order.index(r.benchmark))
        if row.ratio is not None
    ]
    return listing(head, rows, 3)
