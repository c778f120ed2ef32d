"""Writes the page of a benchmark: all boards side by side, and each platform's releases."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial

import msgspec

from ..bundles.guide_key import GuideKey, family
from ..charts import trends
from ..charts.from_figures import Scene
from ..common import units
from ..tables import summaries
from ..tables.assign import Section
from ..tables.model import OVER_RELEASES, SIDE_BY_SIDE, other_view
from . import about, long_tables
from . import sources as sourcelist
from .pieces import Part, Pieces, ShownChart
from .search_words import Page
from .sources import Source


class Newest(msgspec.Struct, frozen=True):
    """The newest figures of all boards."""

    parts: list[Part]
    charts: list[ShownChart]


class History(msgspec.Struct, frozen=True):
    """The figures of one platform over its releases, with the address and the title of that
    part of the page, the guides that they stand in, and the words by which they are found."""

    id: str
    title: str
    parts: list[Part]
    charts: list[ShownChart]
    sources: list[Source]
    words: tuple[str, ...]


def write(site: Pieces, name: str, scenes: Mapping[str, Scene]) -> None:
    """Write the page of one benchmark; ``scenes`` has what is known of each platform."""
    page = site.addresses.benchmark[name]
    held = site.pool.held(name)
    known = site.holdings.catalog.get(name)
    latest = summaries.newest_of_each_board(held)
    boards = sorted({board for _, board in latest}, key=units.natural)
    own = site.basis.guides(dict.fromkeys(key for key, _ in latest))
    newest = site.keeping.made(
        f"{page} newest", (name, latest, own), lambda: _newest(site, name, latest), Newest
    )
    histories = [
        site.keeping.made(
            f"{page} {site.platform(keys[0])}",
            (
                name,
                site.platform(keys[0]),
                keys,
                site.basis.guides(site.families[keys[0].platform]),
            ),
            partial(_history, site, name, keys, scenes[site.platform(keys[0])]),
            History,
        )
        for keys in summaries.by_platform(dict.fromkeys(key for key, _ in held))
    ]
    title = about.title(site.holdings.catalog, name)
    side_by_side, over_releases = _lighten(site, page, title, newest, histories)
    guides = list(dict.fromkeys(key for key, _ in held))
    site.about(page, about.benchmark(title, guides, boards))
    listed, links = sourcelist.write(site, page, [s for h in histories for s in h.sources])
    words = tuple(sorted({word for history in histories for word in history.words}))
    site.findable.append((Page(page, title, (), 0), [about.whole(title, words)]))
    site.page(
        page,
        "benchmark.rst.jinja",
        title=title,
        prose=name if known and known.prose else "",
        command=known.entry.command if known else "",
        boards=boards,
        charts=newest.charts,
        side_by_side=side_by_side,
        histories=over_releases,
        sources=listed,
        source_links=links,
        link=long_tables.link,
    )


def _newest(site: Pieces, name: str, latest: Sequence[tuple[GuideKey, str]]) -> Newest:
    page, wanted, catalog = site.addresses.benchmark[name], set(latest), site.holdings.catalog
    found = site.pool.of_benchmark(name, {key for key, _ in latest})
    records = [record for record in found if (record.guide, record.board) in wanted]
    sections, other = site.layout.sections(records, SIDE_BY_SIDE)
    parts = [site.part(page, section, "newest-", "newest figures") for section in sections]
    chosen = [
        record
        for record in records
        if catalog.get(name)
        and site.layout.claim(record) is not None
        and summaries.is_headline(catalog, record.benchmark, record.metric)
    ]
    charts = site.small(page, "boards", "Boards side by side", trends.of_boards(catalog, chosen))
    for section in sections:
        charts += site.charts(page, section, f"newest-{section.part_id}".strip("-"), "newest")
    if name in other:
        tables = site.other(page, name, other[name], SIDE_BY_SIDE).tables
        parts.append(Part("", "", tables))
    return Newest(parts, charts)


def _history(site: Pieces, name: str, keys: Sequence[GuideKey], known: Scene) -> History:
    page, platform = site.addresses.benchmark[name], site.platform(keys[0])
    records = site.pool.of_benchmark(name, set(keys))
    title = f"{keys[0].soc}, {family(keys[0])}"
    prefix = f"{platform}-"
    sections, other = site.layout.sections(records, OVER_RELEASES)
    parts = [site.part(page, section, prefix, f"{title}, over releases") for section in sections]
    if name in other:
        words = f"Other results, {title}, over releases"
        view = other_view(words, other[name], OVER_RELEASES)
        parts.append(Part("", "", (site.view(page, f"{prefix}other", view),)))
    charts = _charts(site, page, sections, prefix, known)
    sources = sourcelist.found(site, records)
    found = about.words(site.holdings.catalog.get(name), name, records)
    return History(platform, title, parts, charts, sources, found)


def _lighten(
    site: Pieces, page: str, title: str, newest: Newest, histories: Sequence[History]
) -> tuple[list[Part], list[History]]:
    """Give tables pages of their own until the others make a light page."""
    held = [*newest.parts, *(part for history in histories for part in history.parts)]
    names = long_tables.apart(shown for part in held for shown in part.tables)

    def light(part: Part, section: str, words: str) -> Part:
        tables = (
            long_tables.move(site, page, section, words, shown) if shown.name in names else shown
            for shown in part.tables
        )
        return replace(part, tables=tuple(tables))

    return [light(part, "newest", title) for part in newest.parts], [
        msgspec.structs.replace(
            history,
            parts=[
                light(
                    part,
                    f"over-releases-{history.id}",
                    f"{title}, {history.title} over releases",
                )
                for part in history.parts
            ],
        )
        for history in histories
    ]


def _charts(
    site: Pieces, page: str, sections: Sequence[Section], prefix: str, known: Scene
) -> list[ShownChart]:
    """The charts of a benchmark over the releases of one platform."""
    chosen = [
        record
        for section in sections
        for record in section.records
        if summaries.is_headline(site.holdings.catalog, record.benchmark, record.metric)
    ]
    found = trends.over_releases(site.holdings.catalog, chosen, known)
    out = site.small(page, f"{prefix}trend", "Figures over releases", found)
    for section in sections:
        name = f"{prefix}{section.part_id}".strip("-")
        out += site.charts(page, section, name, "releases", known)
    return out
