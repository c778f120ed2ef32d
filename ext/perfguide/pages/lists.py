"""The lists of guides and of comparisons, with the facts that readers choose by."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from typing import Any

import msgspec

from ..bundles.guide_key import GuideKey, family, version
from ..common import slugs, units
from ..common.grouping import grouped
from ..compare.headline import State
from ..figures import engines
from . import write_files
from .answers import Result
from .compare import INDEX
from .context import Site
from .newest import age, standing
from .sentences import Link
from .summary import GuideSummary
from .verdicts import ComparedGuides, neighbours, newest_shared_moves

MAX_LISTED_RESULTS = 3
"""The number of headline results per SoC in the list of guides."""

MAX_NAMED_BENCHMARKS = 4
"""The number of new or gone benchmarks that a row names; the others are counted."""

MAX_ROWS = 300
"""The number of SoCs listed with all their facts. Further ones are only links, to limit the size of
the page."""

MIN_SHARE_OF_FIGURES = 0.5
"""A release counts as a SoC's newest if it has at least this share of the previous release's
figures."""

SIGNS: Mapping[State, str] = {
    "do not ship": "✕",
    "look": "●",
    "ship": "✓",
    "too little": "?",
}
"""A sign for each verdict; they differ in shape and not only in colour."""

MEANINGS: Mapping[State, str] = {
    "do not ship": "Do not ship: all runs of a figure fail now, or proved losses are large",
    "look": "Look at N events: N changes for the worse, proved or large, or of which some runs fail now",
    "ship": "Ship: half of the figures or more are judged, and none got worse",
    "too little": "Too little to say: less than half are judged",
}
"""The verdicts in a legend; *Reading* has the rules."""

STATE_WORDS: Mapping[State, str] = {
    "do not ship": "do not ship",
    "look": "look at events",
    "ship": "ship",
    "too little": "too little to say",
}


def state_class(state: State) -> str:
    """Return the class of a verdict for style sheets."""
    return f"perf-state-{state.replace(' ', '-')}"


ROLES = ("perf-small", *map(state_class, SIGNS))
"""Text roles used in lists."""


class ResultOfGuide(Result, frozen=True, kw_only=True):
    """A headline result with the address and release of its guide. ``before`` is the last older one
    on the CPU, if that guide has only those of an accelerator, or vice versa, in words."""

    guide: str
    release: str
    before: str = ""


class SocOverview(msgspec.Struct, frozen=True):
    """A SoC on the front page: its newest guide, and each headline result from the newest guide
    that has it. ``page`` and ``guide`` are addresses."""

    soc: str
    page: str
    guide: str
    family: str
    release: str
    boards: list[str]
    figures: int
    measured: str
    results: list[ResultOfGuide]


class RecentRelease(msgspec.Struct, frozen=True):
    """A recent release on the front page: the day of its newest run, and the SoCs that have a guide
    of it, each with the guide's address."""

    name: str
    measured: str
    guides: list[tuple[str, str]]


class Worse(msgspec.Struct, frozen=True):
    """A newest guide that got worse: the comparison's page, the day of its newest run, the verdict
    on it, and its largest fall, with the change and whether that is proved."""

    name: str
    page: str
    measured: str
    state: State
    tag: str
    fall: str
    change: str
    is_proved: bool


class SharedMoveOverview(msgspec.Struct, frozen=True):
    """A move that several SoCs share, with the names and addresses of their comparisons."""

    sentence: str
    pages: list[tuple[str, str]]


class Overview(msgspec.Struct, frozen=True):
    """The content of the front page. ``more_worse`` is the number of newest guides that got worse
    and are not in ``worse``."""

    socs: list[SocOverview]
    worse: list[Worse]
    shared: list[SharedMoveOverview]
    recent: list[RecentRelease]
    more_worse: int = 0


LOSS_NOTE = (
    "Shown: the loss that weighs most, by how far it is beyond the usual scatter, on how many boards and in "
    "how many figures; a CPU load only if nothing else got worse."
)
"""A note on the lists of comparisons that name the largest loss."""

MAX_RECENT_RELEASES = 5
"""The number of most recently measured releases on the front page."""

MAX_WORSE = 8
"""The number of newest guides that got worse on the front page; the list of comparisons has all."""


def newest_guide(guides: Sequence[GuideSummary]) -> GuideSummary:
    """Return the newest guide of a platform that has at least half as many figures as the one
    before. ``guides`` are in release order."""
    return guides[newest_of([guide.figures for guide in guides])]


def newest_of(figures: Sequence[int]) -> int:
    """Return the index of the newest release that has at least half as many figures as the one
    before, given the number of figures of each."""
    for newer in range(len(figures) - 1, 0, -1):
        # A release with a few first runs must not hide the figures of the one before.
        if figures[newer] >= MIN_SHARE_OF_FIGURES * figures[newer - 1]:
            return newer
    return 0


def by_platform(guides: Sequence[GuideSummary]) -> list[list[GuideSummary]]:
    """Return the guides of each platform in release order, most recently measured platform
    first."""
    platforms = grouped(guides, lambda guide: guide.key.platform)
    ordered = [sorted(group, key=lambda g: version(g.key.release)) for group in platforms.values()]

    def recency(members: Sequence[GuideSummary]) -> tuple[Any, ...]:
        newest = newest_guide(members)
        # Only the day counts: systems measured together are ordered by release.
        return newest.measured.date(), version(newest.key.release), newest.figures

    return sorted(ordered, key=recency, reverse=True)


def by_soc(guides: Sequence[GuideSummary]) -> dict[str, list[GuideSummary]]:
    """Return the guides of each SoC, most recently measured SoC first."""
    socs = grouped(guides, lambda guide: guide.key.soc)
    newest = {soc: newest_guide(by_platform(members)[0]) for soc, members in socs.items()}
    names = sorted(socs, key=units.natural)
    # Sorts are stable, so SoCs measured on the same day stay in natural order.
    names.sort(key=lambda soc: newest[soc].measured.date(), reverse=True)
    return {soc: socs[soc] for soc in names}


def write_overview(
    site: Site, guides: Sequence[GuideSummary], compared: Sequence[ComparedGuides]
) -> None:
    """Write the content of the front page, which a directive in a hand-written page shows."""
    socs, newest = [], []
    listed = by_soc(guides)
    for soc in sorted(listed, key=units.natural):
        platforms = by_platform(listed[soc])
        newest.append(newest_guide(platforms[0]))
        socs.append(_soc_overview(site, newest[-1], platforms))
    # Pairs from the settings may skip releases, and say nothing about the latest change.
    by_guide = {pair.new: pair for pair in compared if not pair.is_asked}
    worse = [
        Worse(
            f"{pair.new.soc}, {_release(pair.new)}",
            pair.address,
            guide.measured.date().isoformat(),
            pair.verdict.state,
            pair.verdict.tag,
            pair.verdict.fall,
            pair.verdict.change,
            pair.verdict.is_proved,
        )
        for guide in sorted(newest, key=lambda guide: guide.measured, reverse=True)
        if (pair := by_guide.get(guide.key)) and pair.verdict and pair.verdict.fall
    ]
    # Sorts are stable, so the most recently measured stay first.
    worse.sort(key=lambda entry: (_worst_first(entry.state), not entry.is_proved))
    overview = Overview(
        socs,
        worse[:MAX_WORSE],
        [
            SharedMoveOverview(move["sentence"], move["pages"])
            for move in newest_shared_moves(neighbours(compared))
        ],
        _recent_releases(site, guides),
        len(worse[MAX_WORSE:]),
    )
    content = msgspec.to_builtins(overview)
    write_files.json_file(site, "guides/overview.json", content, sort_keys=True)


def _worst_first(state: State) -> int:
    return [*SIGNS].index(state)


def _recent_releases(site: Site, guides: Sequence[GuideSummary]) -> list[RecentRelease]:
    """Return the most recently measured releases with their guides."""
    # The address makes the order well-defined if two runs ended at the same time.
    newest_first = sorted(
        guides, key=lambda g: (g.measured, site.addresses.guide[g.key]), reverse=True
    )
    by_release = grouped(newest_first, lambda guide: _release(guide.key))
    return [
        RecentRelease(
            name,
            members[0].measured.date().isoformat(),
            [
                (guide.key.soc, site.addresses.guide[guide.key])
                for guide in sorted(members, key=lambda guide: units.natural(guide.key.soc))
            ],
        )
        for name, members in [*by_release.items()][:MAX_RECENT_RELEASES]
    ]


def _soc_overview(
    site: Site, newest: GuideSummary, platforms: Sequence[Sequence[GuideSummary]]
) -> SocOverview:
    """Return a SoC of the front page."""
    key = newest.key
    return SocOverview(
        key.soc,
        site.addresses.soc[key.soc],
        site.addresses.guide[key],
        family(key),
        key.release,
        newest.boards,
        newest.figures,
        newest.measured.date().isoformat(),
        newest_results(chain(*platforms), site.addresses.guide),
    )


def newest_results(
    guides: Iterable[GuideSummary], addresses: Mapping[GuideKey, str]
) -> list[ResultOfGuide]:
    """Return each headline result of a SoC, under each condition, from the guide that counts
    (:func:`standing`), or from the newest one if all are in doubt, as in rankings."""
    newest_first = sorted(guides, key=lambda guide: age(guide.key), reverse=True)
    every = [result for guide in newest_first for result in guide.best]
    plain = {(result.benchmark, result.label) for result in every if not result.is_from_table}
    results: dict[tuple[str, str, str], dict[GuideKey, list[Result]]] = {}
    for guide in newest_first:
        for result in guide.best:
            if result.is_from_table and (result.benchmark, result.label) in plain:
                continue
            by_guide = results.setdefault((result.benchmark, result.label, result.condition), {})
            by_guide.setdefault(guide.key, []).append(result)
    out = []
    for results_by_guide in results.values():
        # A failed run is a result too; no older figure hides it.
        key = standing({key: not of_guide[0].doubt for key, of_guide in results_by_guide.items()})
        best_key = key or next(iter(results_by_guide))
        before = _by_other_side(results_by_guide, key) if key else None
        fields = msgspec.structs.asdict(results_by_guide[best_key][0])
        address, release = addresses[best_key], best_key.release
        out.append(
            ResultOfGuide(**fields, guide=address, release=release, before=_in_brief(before))
        )
    return out


def _in_brief(before: tuple[GuideKey, Result] | None) -> str:
    """Return an older result with its release and load: ``08.06: 231.9 MB/s at 98 % of one
    core``."""
    if before is None:
        return ""
    key, result = before
    load = engines.at_load(result.load, result.load_of)
    return f"{key.release}: {' '.join(_worded(result)[1:])}{load}"


def _by_other_side(
    results: Mapping[GuideKey, Sequence[Result]], current: GuideKey
) -> tuple[GuideKey, Result] | None:
    """Return the last earlier result on the CPU, with its guide, if all current ones are of an
    accelerator, or vice versa, as in rankings. ``results`` are by guide, newest first."""
    sides = {result.is_on_cpu for result in results[current] if result.number is not None}
    if len(sides) != 1 or None in sides:
        return None
    other = not sides.pop()
    return next(
        (
            (key, result)
            for key, of_guide in results.items()
            for result in of_guide
            if age(key) < age(current)
            and (result.is_on_cpu, result.is_from_table) == (other, False)
            and result.number is not None
            and not result.doubt
        ),
        None,
    )


def usual_conditions(results: Iterable[Iterable[Result]]) -> dict[tuple[str, str], str]:
    """Return the condition under which most SoCs have each headline."""
    counts: dict[tuple[str, str], Counter[str]] = {}
    for of_soc in results:
        # A SoC counts once, however many engines it has.
        for benchmark, label, condition in dict.fromkeys(
            (result.benchmark, result.label, result.condition) for result in of_soc
        ):
            counts.setdefault((benchmark, label), Counter()).update([condition])
    return {headline: counter.most_common(1)[0][0] for headline, counter in counts.items()}


def write_guides(
    site: Site, guides: Sequence[GuideSummary], compared: Sequence[ComparedGuides]
) -> None:
    """Write the list of guides, one row per SoC."""
    page = "guides/index"
    verdicts = {pair.new: pair for pair in compared if not pair.is_asked}
    rows, states = [], list[State]()
    listed = by_soc(guides)
    newest = {soc: newest_guide(by_platform(of_soc)[0]) for soc, of_soc in listed.items()}
    usual = usual_conditions(guide.best for guide in newest.values())
    for soc, of_soc in list(listed.items())[:MAX_ROWS]:
        row = _guide_row(site, page, soc, of_soc, verdicts, usual)
        rows.append(row)
        states += [row["state"]] if row["state"] else []
    socs = [
        (name, slugs.relative(page, site.addresses.soc[name]))
        for name in site.socs
        if name in site.addresses.soc
    ]
    write_files.page(
        site,
        page,
        "guides.rst.jinja",
        socs=socs,
        rows=rows,
        others=[Link(soc, site.addresses.soc[soc]) for soc in [*listed][MAX_ROWS:]],
        filters=_filters("guides", states),
        roles=ROLES,
        lead=f"{units.with_noun(len(listed), 'SoC')}, {units.with_noun(len(guides), 'guide')}.",
    )


def _guide_row(
    site: Site,
    page: str,
    soc: str,
    guides: Sequence[GuideSummary],
    verdicts: Mapping[GuideKey, ComparedGuides],
    usual: Mapping[tuple[str, str], str],
) -> dict[str, Any]:
    releases = by_platform(guides)[0]
    newest = newest_guide(releases)
    number = releases.index(newest)
    # Slices, since there may be no release before or after.
    before, partial = releases[max(number - 1, 0) : number], releases[number + 1 :]
    pair = verdicts.get(newest.key)
    verdict = pair.verdict if pair else None
    best: dict[tuple[str, str], Result] = {}
    # As on the front page, a SoC is listed with the condition that most have, and the best figure
    # comes first.
    for result in sorted(
        newest.best, key=lambda result: result.condition != usual[result.benchmark, result.label]
    ):
        best.setdefault((result.benchmark, result.label), result)
    results = sorted(
        (result for result in best.values() if result.number is not None and not result.doubt),
        key=lambda result: result.rank,
    )
    return {
        "soc": soc,
        "page": slugs.relative(page, site.addresses.soc[soc]),
        "guide": slugs.relative(page, site.addresses.guide[newest.key]),
        "release": _release(newest.key),
        "date": newest.measured.date().isoformat(),
        "figures": f"{newest.figures:,}",
        "boards": units.with_noun(len(newest.boards), "board"),
        "results": [_worded(result) for result in results[:MAX_LISTED_RESULTS]],
        "tag": verdict.brief if verdict else "",
        "sign": SIGNS[verdict.state] if verdict else "",
        "state": verdict.state if verdict else None,
        "role": state_class(verdict.state) if verdict else "",
        "comparison": slugs.relative(page, pair.address) if pair and verdict else "",
        "news": "; ".join(_news(site, newest, before, partial)),
        "older": len(guides) - 1,
    }


def _release(key: GuideKey) -> str:
    return f"{family(key)} {key.release}"


def _worded(result: Result) -> tuple[str, str, str]:
    """Return a result's name, figure and unit."""
    unit = "" if result.unit == units.SCORE else result.unit
    return result.label, result.text, unit


def _news(
    site: Site,
    newest: GuideSummary,
    before: Sequence[GuideSummary],
    partial: Sequence[GuideSummary],
) -> list[str]:
    """Return what the newest guide has that the one before lacks and vice versa, and later releases
    that have few figures."""
    out = []
    for older in before:
        now, then = set(newest.benchmarks), set(older.benchmarks)
        boards = sorted(set(newest.boards) - set(older.boards), key=units.natural)
        added = [site.catalog.title(name) for name in sorted(now - then)]
        added += [f"board {site.boards.short(newest.key.soc, board)}" for board in boards]
        gone = [site.catalog.title(name) for name in sorted(then - now)]
        out += [f"new: {_named(added)}"] if added else []
        out += [f"gone: {_named(gone)}"] if gone else []
    out += [
        f"{guide.key.release} has {units.with_noun(guide.figures, 'figure')} only"
        for guide in partial
    ]
    return out


def _named(names: Sequence[str]) -> str:
    left = len(names) - MAX_NAMED_BENCHMARKS
    # “And 1 more” would be no shorter than a name.
    if left <= 1:
        return ", ".join(names)
    return f"{', '.join(names[:MAX_NAMED_BENCHMARKS])} and {left} more"


def _filters(name: str, states: Sequence[State]) -> list[dict[str, Any]]:
    """Return the verdicts that a list can be filtered by, with the number of rows of each."""
    return [
        {
            "name": f"{name}-{state.replace(' ', '-')}",
            "only": f"perf-only-{state.replace(' ', '-')}",
            "words": f"{sign} {STATE_WORDS[state]}",
            "count": states.count(state),
        }
        for state, sign in SIGNS.items()
        # A filter that hides no rows, or all of them, is useless.
        if 0 < states.count(state) < len(states)
    ]


def write_comparisons(
    site: Site, guides: Sequence[GuideSummary], compared: Sequence[ComparedGuides]
) -> None:
    """Write the list of comparisons: a row for the newest of each SoC, the worst verdicts first, and
    a line with all of them."""
    by_guide: dict[GuideKey, ComparedGuides] = {
        pair.new: pair for pair in compared if not pair.is_asked and pair.verdict
    }
    rows, lines = list[dict[str, Any]](), list[dict[str, Any]]()
    states: list[State] = []
    for soc, of_soc in by_soc(guides).items():
        platforms = by_platform(of_soc)
        guide = newest_guide(platforms[0])
        newest = by_guide.get(guide.key)
        if newest and newest.verdict and len(rows) < MAX_ROWS:
            date = guide.measured.date().isoformat()
            rows.append(_comparison_row(INDEX, newest) | {"date": date})
            states.append(newest.verdict.state)
        marks = [
            {
                "system": family(keys[0].key),
                "marks": [
                    _mark(INDEX, by_guide[guide.key])
                    for guide in reversed(keys)
                    if guide.key in by_guide
                ],
            }
            for keys in platforms
        ]
        marks = [row for row in marks if row["marks"]]
        if marks:
            lines.append({"soc": soc, "page": write_files.list_address(site, soc), "marks": marks})
    # Sorts are stable, so the most recently measured stay first.
    rows.sort(key=lambda row: _worst_first(row["state"]))
    every = [pair.verdict.state for pair in by_guide.values() if pair.verdict]
    write_files.page(
        site,
        INDEX,
        "comparisons.rst.jinja",
        rows=rows,
        lines=_lines_with_room(lines),
        lists=[line["page"] for line in sorted(lines, key=lambda line: units.natural(line["soc"]))],
        filters=_filters("comparisons", states),
        lead=_tally(every),
        note=LOSS_NOTE if any(row["fall"] for row in rows) else "",
        roles=ROLES,
        signs=[(sign, MEANINGS[state], state_class(state)) for state, sign in SIGNS.items()],
    )


MAX_MARKS = 3_000
"""The number of comparisons in the lines of all SoCs together; the SoCs' own lists have all of
them."""


def _lines_with_room(lines: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return lines cut to their newest marks, so that they fit on one page."""
    # Each system keeps at least its newest comparison.
    most = max(1, MAX_MARKS // max(1, sum(len(line["marks"]) for line in lines)))
    return [
        line
        | {
            "marks": [
                row | {"marks": row["marks"][:most], "more": max(0, len(row["marks"]) - most)}
                for row in line["marks"]
            ]
        }
        for line in lines
    ]


def _tally(states: Sequence[State]) -> str:
    """Return how many comparisons have each verdict, in words."""
    counts = [f"{states.count(state)} “{STATE_WORDS[state]}”" for state in SIGNS if state in states]
    return f"{units.with_noun(len(states), 'comparison')} of neighbouring releases: {', '.join(counts)}."


def _comparison_row(page: str, pair: ComparedGuides) -> dict[str, Any]:
    verdict = pair.verdict
    assert verdict is not None  # the caller selected those that have one
    return {
        "soc": pair.new.soc,
        "releases": f"{family(pair.new)} {pair.old.release} → {pair.new.release}",
        "page": slugs.relative(page, pair.address),
        "state": verdict.state,
        "role": state_class(verdict.state),
        "sign": SIGNS[verdict.state],
        "tag": verdict.tag,
        "fall": verdict.fall,
        "change": verdict.change,
        "none": f"nothing worse; {verdict.better} better" if verdict.better else "nothing worse",
        "moves": f"{verdict.worse} / {verdict.better}",
        # Round down: 100 % must mean all of them.
        "judged": f"{100 * verdict.judged // verdict.comparable} % of {verdict.comparable:,}"
        if verdict.comparable
        else units.MISSING,
        "moved": f"{verdict.gone} / {verdict.new}",
    }


def _mark(page: str, pair: ComparedGuides) -> dict[str, str]:
    assert pair.verdict is not None  # the caller selected those that have one
    return {
        "role": state_class(pair.verdict.state),
        "sign": SIGNS[pair.verdict.state],
        "words": pair.new.release,
        "page": slugs.relative(page, pair.address),
    }
