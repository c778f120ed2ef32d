"""Writes the page of a benchmark: all boards side by side, and each platform's releases."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from . import about, longtables, report, sourcelist, trends
from .findwords import Page
from .guidekeys import family
from .layout import Section
from .pieces import Pieces, ShownChart
from .plots import Scene
from .views import OVER_RELEASES, SIDE_BY_SIDE, other_view

Part = dict[str, Any]
"""What a template is given of one part of a page."""


def write(site: Pieces, name: str, scenes: Mapping[str, Scene]) -> None:
    """Write the page of one benchmark; ``scenes`` has what is known of each platform."""
    page = site.addresses.benchmark[name]
    records = site.pool.of_benchmark(name)
    known = site.holdings.catalog.get(name)
    latest = report.newest_of_each_board(records)
    sections, other = site.layout.sections(latest, SIDE_BY_SIDE)
    side_by_side: list[Part] = [
        site.part(page, section, "newest-", "newest figures") for section in sections
    ]
    claimed = [r for r in latest if known and site.layout.claim(r) is not None]
    chosen = [
        r for r in claimed if report.is_headline(site.holdings.catalog, r.benchmark, r.metric)
    ]
    found = trends.of_boards(site.holdings.catalog, chosen)
    beside = site.small(page, "boards", "Boards side by side", found)
    for section in sections:
        beside += site.charts(page, section, f"newest-{section.part_id}".strip("-"), "newest")
    if name in other:
        table = site.other(page, name, other[name], SIDE_BY_SIDE)["table"]
        side_by_side.append({"title": "", "tables": [table]})
    histories: list[Part] = []
    for members in report.by_platform(records):
        platform = site.platform(members[0].guide)
        title = f"{members[0].guide.soc}, {family(members[0].guide)}"
        prefix = f"{platform}-"
        sections, other = site.layout.sections(members, OVER_RELEASES)
        shown = [
            site.part(page, section, prefix, f"{title}, over releases") for section in sections
        ]
        if name in other:
            words = f"Other results, {title}, over releases"
            view = other_view(words, other[name], OVER_RELEASES)
            shown.append({"title": "", "tables": [site.view(page, f"{prefix}other", view)]})
        drawn = _histories(site, page, sections, prefix, scenes[platform])
        histories.append({"title": title, "id": platform, "parts": shown, "charts": drawn})
    title = about.title(site.holdings.catalog, name)
    _lighten(site, page, title, side_by_side, histories)
    boards = report.natural_boards(latest)
    site.about(page, about.benchmark(title, records, boards))
    listed, links = sourcelist.write(site, page, records)
    place = about.whole(name, records, site.holdings.catalog)
    site.findable.append((Page(page, title, (), 0), place))
    site.page(
        page,
        "benchmark.rst.jinja",
        title=title,
        prose=name if known and known.prose else "",
        command=known.entry.command if known else "",
        boards=boards,
        charts=beside,
        side_by_side=side_by_side,
        histories=histories,
        sources=listed,
        source_links=links,
        link=longtables.link,
    )


def _lighten(
    site: Pieces, page: str, title: str, newest: Sequence[Part], histories: Sequence[Part]
) -> None:
    """Give tables pages of their own until the others make a light page."""
    parts = [(part, "newest", title) for part in newest]
    parts += [
        (part, f"over-releases-{history['id']}", f"{title}, {history['title']} over releases")
        for history in histories
        for part in history["parts"]
    ]
    names = longtables.apart(shown for part, _, _ in parts for shown in part["tables"])
    for part, section, words in parts:
        part["tables"] = [
            longtables.move(site, page, section, words, shown) if shown.name in names else shown
            for shown in part["tables"]
        ]


def _histories(
    site: Pieces, page: str, sections: Sequence[Section], prefix: str, known: Scene
) -> list[ShownChart]:
    """The charts of a benchmark over the releases of one platform."""
    chosen = [
        record
        for section in sections
        for record in section.records
        if report.is_headline(site.holdings.catalog, record.benchmark, record.metric)
    ]
    found = trends.over_releases(site.holdings.catalog, chosen, known)
    out = site.small(page, f"{prefix}trend", "Figures over releases", found)
    for section in sections:
        name = f"{prefix}{section.part_id}".strip("-")
        out += site.charts(page, section, name, "releases", known)
    return out
