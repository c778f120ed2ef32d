"""Pages about verdicts over time: how often they held, and what moved in which release."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import msgspec

from ..bundles.guide_key import GuideKey, Platform, family, version
from ..common import slugs, units
from ..common.grouping import grouped
from ..common.units import TableCell
from ..compare import event_fates
from ..compare.event_fates import FATES, Compared, Entry
from ..compare.fates import Fate
from ..compare.headline import State
from ..compare.select import ReleasePair
from ..compare.shared_moves import SharedMove, shared_moves
from ..tables.grids import listing
from . import lasting_moves, search_words, write_files, write_tables
from .context import Site
from .search_words import FindablePage
from .sentences import Link

LEDGER = "reports/verdicts"
"""The page that says how often verdicts held."""

LEDGER_TITLE = "How often verdicts held"

MIN_RELEASES = 4
"""A platform with fewer releases has no page of what moved when."""

MAX_RELEASES = 60
"""The number of releases on one page of what moved; older ones go to further pages."""

MAX_EVENTS = 12
"""The number of events per release on such pages; the others are counted."""

SENTENCES: Mapping[Fate, str] = {
    "lasted": "The next release kept it.",
    "went back": "The next release took it back.",
    "neither": "The next release neither kept it nor took it back.",
    "open": "",
}
"""Sentences about the fates of events."""


class ListedVerdict(msgspec.Struct, frozen=True):
    """A comparison in a list: its advice, how many of its figures are judged, how many rows got
    worse or better, are gone or are new, and its largest regression, with the change and whether it
    is proved. ``brief`` is the advice with its worst event."""

    state: State
    tag: str
    judged: int
    comparable: int
    worse: int
    better: int
    gone: int
    new: int
    fall: str = ""
    change: str = ""
    is_proved: bool = False
    brief: str = ""


class ComparedGuides(msgspec.Struct, frozen=True):
    """Two guides of a platform that a page compares, with the events and the verdict of that page,
    ``None`` if it could not be made. ``is_asked`` says that the settings request the pair."""

    old: GuideKey
    new: GuideKey
    address: str
    is_asked: bool
    compared: Compared | None
    verdict: ListedVerdict | None = None


Neighbours = Sequence[tuple[ReleasePair, Compared]]
"""Comparisons of neighbouring releases."""


def neighbours(compared: Iterable[ComparedGuides]) -> Neighbours:
    """Return the comparisons of neighbouring releases, except those that could not be made."""
    return [
        (ReleasePair(pair.old, pair.new, pair.address), pair.compared)
        for pair in compared
        if pair.compared and not pair.is_asked
    ]


def write_ledger(site: Site, comparisons: Neighbours) -> None:
    """Write the page about how often verdicts held, and all events as JSON."""
    compared = [events for _, events in comparisons]
    entries = [entry for events in compared for entry in events.entries]
    rows: list[tuple[TableCell, ...]] = [
        (
            action,
            units.count_cell(counts.total()),
            *(units.count_cell(counts[fate]) for fate in FATES),
        )
        for action, counts in event_fates.tally(entries).items()
    ]
    head = ("Advice", "Events", "Lasted", "Went back", "Neither", "Not followed yet")
    content = [
        {
            "page": pair.address,
            "old": str(pair.old),
            "new": str(pair.new),
            "kind": entry.kind,
            "advice": entry.action,
            "title": entry.title,
            "rows": entry.rows,
            "fate": entry.fate,
            "boards": entry.boards,
        }
        for pair, events in comparisons
        for entry in events.entries
    ]
    write_files.json_file(site, f"{LEDGER}/verdicts.json", content)
    write_files.page(
        site,
        LEDGER,
        "verdicts.rst.jinja",
        sentences=event_fates.sentences(compared),
        comparisons=len(compared),
        shared=[_shared(move) for move in shared_moves(_entries(comparisons))],
        table=write_tables.table(site, LEDGER, "fates", "Events by advice", listing(head, rows))
        if rows
        else None,
    )


def _entries(comparisons: Neighbours) -> list[tuple[ReleasePair, Sequence[Entry]]]:
    return [(pair, events.entries) for pair, events in comparisons]


def _shared(move: SharedMove) -> dict[str, Any]:
    """Return a move shared by several SoCs as a sentence with links to their comparisons."""
    links = [Link(f"{pair.new.soc}, {family(pair.new)}", pair.address) for pair in move.pairs]
    return {"sentence": move.sentence, "links": links}


def newest_shared_moves(comparisons: Neighbours) -> list[dict[str, Any]]:
    """Return the moves shared by the newest releases of several SoCs, for the front page."""
    newest: dict[Platform, tuple[ReleasePair, Sequence[Entry]]] = {}
    for pair, entries in _entries(comparisons):
        other = newest.get(pair.new.platform)
        if other is None or version(other[0].new.release) < version(pair.new.release):
            newest[pair.new.platform] = (pair, entries)
    return [
        {
            "sentence": move.sentence,
            "pages": [(f"{pair.new.soc}, {family(pair.new)}", pair.address) for pair in move.pairs],
        }
        for move in shared_moves(newest.values())[:MAX_SHARED_MOVES]
    ]


MAX_SHARED_MOVES = 8
"""The number of shared moves on the front page; the page of verdicts has all of them."""


def moves_pages(site: Site) -> dict[Platform, str]:
    """Return the address of each platform's page of what moved, if it has enough releases."""
    return {
        platform: f"compare/{site.addresses.guide[keys[0]].partition('/')[2].rpartition('/')[0]}/moves"
        for platform, keys in site.families.items()
        if len(keys) >= MIN_RELEASES
    }


def findable_moves(site: Site) -> list[FindablePage]:
    """Return the pages of what moved, for the search."""
    sections = (lasting_moves.findable("moves"),)
    return [
        FindablePage(
            page,
            _moves_title(platform),
            search_words.split(platform.soc, family(GuideKey(*platform, ""))),
            sections,
            soc=platform.soc,
        )
        for platform, page in moves_pages(site).items()
    ]


def _moves_title(platform: Platform) -> str:
    return f"{_system(platform)}: what moved when"


def _system(platform: Platform) -> str:
    key = GuideKey(*platform, "")  # family() takes a guide but ignores its release
    return f"{key.soc}, {family(key)}"


def write_moves(site: Site, comparisons: Neighbours) -> None:
    """Write the page of what moved in which release, for each platform with enough releases."""
    pages = moves_pages(site)
    by_platform = grouped(comparisons, lambda item: item[0].old.platform)
    for platform, page in pages.items():
        title = _moves_title(platform)
        divided = _divided(page, by_platform.get(platform, ()))
        older = [Link(_span(members), address) for address, members in divided[1:]]
        for address, members in divided:
            is_first = address == page
            write_files.page(
                site,
                address,
                "moves.rst.jinja",
                title=title if is_first else f"{title}, {_span(members)}",
                is_first=is_first,
                system=_system(platform),
                releases=[_release(address, pair, events) for pair, events in members],
                others=older if is_first else [Link(title, page)],
            )


def _divided(page: str, compared: Neighbours) -> list[tuple[str, Neighbours]]:
    """Return the comparisons of each page, newest first. Pages are numbered from the oldest, so
    that a new release only changes the first."""
    count = max(0, len(compared) - 1) // MAX_RELEASES
    newest = len(compared) - count * MAX_RELEASES
    out = [(page, compared[:newest])]
    for number in range(count, 0, -1):
        start = newest + (count - number) * MAX_RELEASES
        out.append((f"{page}/{number}", compared[start : start + MAX_RELEASES]))
    return out


def _span(compared: Neighbours) -> str:
    """Return the oldest and newest release of some comparisons, which start with the newest."""
    return f"{compared[-1][0].new.release} to {compared[0][0].new.release}"


def _release(page: str, pair: ReleasePair, events: Compared) -> dict[str, object]:
    proved = [entry for entry in events.entries if entry.kind != "noisy"]
    # Events that did not last are only counted.
    stayed = [entry for entry in proved if entry.fate != "went back"]
    once = len(proved) - len(stayed)
    return {
        "title": f"{pair.old.release} → {pair.new.release}",
        "page": slugs.relative(page, pair.address),
        "events": [_event(entry) for entry in stayed[:MAX_EVENTS]],
        "more": max(0, len(stayed) - MAX_EVENTS),
        "once": once,
        "around": events.around,
    }


def _event(entry: Entry) -> dict[str, str]:
    perhaps = f"Perhaps: {'; '.join(entry.perhaps)}." if entry.perhaps else ""
    return {"title": entry.title, "more": " ".join(filter(None, (SENTENCES[entry.fate], perhaps)))}
