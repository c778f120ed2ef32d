"""Writes the page of a benchmark: all boards side by side, and each platform's releases."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import partial

import msgspec

from ..bundles.guide_key import GuideKey, families, family, version
from ..charts import trends
from ..charts.from_figures import Scene
from ..common import units
from ..figures.pool import Record
from ..tables import summaries
from ..tables.assign import Section
from ..tables.model import OVER_RELEASES, SIDE_BY_SIDE
from . import long_tables, search_words, sources, write_files, write_tables
from .context import Site
from .search_words import FindablePage, FindableSection
from .sources import SourceRow
from .write_tables import PageChart, PagePart


class NewestFigures(msgspec.Struct, frozen=True):
    """The newest figures of all boards."""

    parts: list[PagePart]
    charts: list[PageChart]


class PlatformHistory(msgspec.Struct, frozen=True):
    """The figures of one platform over its releases, with the address and the title of that
    part of the page, the guides that they stand in, and the words by which they are found."""

    id: str
    title: str
    parts: list[PagePart]
    charts: list[PageChart]
    sources: list[SourceRow]
    words: tuple[str, ...]


def write(site: Site, name: str) -> FindablePage:
    """Write the page of one benchmark; return how readers find it."""
    page, title = site.addresses.benchmark[name], site.catalog.title(name)
    described = site.catalog.get(name)
    boards_of_guides = site.pool.held(name)
    guides = list(dict.fromkeys(key for key, _ in boards_of_guides))
    newest_of_boards = {
        (key.platform, site.boards.today(key.soc, board)): (key, board)
        for key, board in sorted(boards_of_guides, key=lambda each: version(each[0].release))
    }
    chosen = sorted(newest_of_boards.values())
    last = {site.families[key.platform][-1] for key, _ in chosen}
    own = dict.fromkeys(key for key, _ in chosen)
    newest = site.keeping.made(
        f"{page} newest",
        (name, chosen, sorted(last), site.basis.guides(own, name)),
        lambda: _newest(site, name, chosen, last),
        NewestFigures,
    )
    platforms = sorted(
        families(guides).items(), key=lambda item: (units.natural(item[0][1]), item[0])
    )
    histories = [
        site.keeping.made(
            f"{page} {site.platform_slugs[platform]}",
            (name, keys, _said_of(site.scenes[platform]), site.basis.guides(keys, name)),
            partial(_history, site, name, keys),
            PlatformHistory,
        )
        for platform, keys in platforms
    ]
    sections = [(newest.parts, "newest", title)]
    for each in histories:
        words = f"{title}, {each.title} over releases"
        sections.append((each.parts, f"over-releases-{each.id}", words))
    tables = [
        (table, section, words)
        for parts, section, words in sections
        for part in parts
        for table in part.tables
    ]
    boards = sorted({board for _, board in chosen}, key=units.natural)
    socs = write_files.enumeration(sorted({key.soc for key in guides}, key=units.natural))
    releases = f"{len(guides)} releases" if len(guides) != 1 else "1 release"
    text = (
        f"{title} on {socs}: the newest figures of {write_files.enumeration(boards)} side by "
        f"side, and all figures of {releases}."
    )
    found_by = tuple(sorted({word for history in histories for word in history.words}))
    write_files.page(
        site,
        page,
        "benchmark.rst.jinja",
        about={"description": text},
        title=title,
        described=described if described and described.prose else None,
        command=described.entry.command if described else "",
        newest=newest,
        histories=histories,
        moved=long_tables.move(site, page, tables),
        sources=sources.write(site, page, [row for each in histories for row in each.sources]),
    )
    whole = FindableSection("newest", f"{title}, all boards and releases", found_by)
    return FindablePage(page, title, (), (whole,))


def _said_of(scene: Scene) -> object:
    """What charts over releases show besides figures; the names of boards are the same for all."""
    return scene.releases, scene.changes


def write_notice(site: Site, name: str, reason: str) -> FindablePage:
    """Write a page that says why that of a benchmark could not be made."""
    page, title = site.addresses.benchmark[name], site.catalog.title(name)
    write_files.notice(site, page, title, reason)
    return FindablePage(page, title, (), ())


def _newest(
    site: Site, name: str, chosen: Sequence[tuple[GuideKey, str]], last: Collection[GuideKey]
) -> NewestFigures:
    page, catalog = site.addresses.benchmark[name], site.catalog
    of_guides = site.pool.of_benchmark(name, {key for key, _ in chosen})
    wanted = set(chosen)
    records = [record for record in of_guides if (record.guide, record.board) in wanted]
    sections, other = site.layout.sections(records, SIDE_BY_SIDE)
    parts = [
        write_tables.part(site, page, section, "newest-", "newest figures") for section in sections
    ]
    scene = Scene(boards=site.boards)
    headlines = _headlines(site, sections)
    views = trends.of_boards(catalog, headlines, records, last, site.boards)
    charts = [
        write_tables.chart(
            site, page, f"boards-{number}" if number else "boards", _side_by_side(view.name), [view]
        )
        for number, view in enumerate(views[: trends.MAX_PICTURES])
    ]
    for section in sections:
        anchor = f"newest-{section.part_id}".strip("-")
        charts += write_tables.charts(site, page, section, anchor, "newest", scene)
    if name in other:
        own = site.layout.general(name, other[name], SIDE_BY_SIDE)
        parts.append(write_tables.general(site, page, name, own))
    return NewestFigures(parts, charts)


def _side_by_side(figure: str) -> str:
    return f"{figure}: boards side by side"


def _history(site: Site, name: str, keys: Sequence[GuideKey]) -> PlatformHistory:
    page, platform = site.addresses.benchmark[name], keys[0].platform
    slug, scene = site.platform_slugs[platform], site.scenes[platform]
    records = site.pool.of_benchmark(name, set(keys))
    title = f"{keys[0].soc}, {family(keys[0])}"
    prefix, more = f"{slug}-", f"{title}, over releases"
    sections, other = site.layout.sections(records, OVER_RELEASES)
    parts = [write_tables.part(site, page, section, prefix, more) for section in sections]
    if name in other:
        own = site.layout.general(name, other[name], OVER_RELEASES)
        parts.append(write_tables.general(site, page, name, own, prefix, more))
    views = trends.over_releases(site.catalog, _headlines(site, sections), scene)
    charts = write_tables.small_charts(site, page, f"{prefix}trend", "Figures over releases", views)
    for section in sections:
        anchor = f"{prefix}{section.part_id}".strip("-")
        charts += write_tables.charts(site, page, section, anchor, "releases", scene)
    words = search_words.of_records(site.catalog.get(name), name, records)
    return PlatformHistory(slug, title, parts, charts, sources.rows(site, records), words)


def _headlines(site: Site, sections: Sequence[Section]) -> list[Record]:
    """The headline figures among those of some sections."""
    records = (record for section in sections for record in section.records)
    return [
        record
        for record in summaries.headlines(site.catalog, records)
        if site.layout.is_described(record)
    ]
