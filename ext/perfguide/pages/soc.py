"""The page of a SoC: its boards, its guides, and a few figures over its releases."""

from __future__ import annotations

import datetime
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain, islice, zip_longest

from ..bundle import Bundle
from ..bundles.guide_key import GuideKey, Platform, families, family
from ..charts import trends
from ..common import slugs, units
from ..compare import wording
from ..compare.headline import State
from ..compare.select import ReleasePair
from ..figures.pool import Record
from ..tables import summaries
from . import hardware_crypto, sources, write_files, write_tables
from .context import Site
from .guide import GuideOutcome
from .hardware_crypto import Worth
from .lists import SIGNS, STATE_WORDS, newest_of, state_class
from .sentences import Fact, Part, link_name
from .write_tables import PageChart, PageTable

MAX_TRENDS = 6
"""The number of charts on a page, with at least one per system; the tables below them have all
headline figures."""

MAX_ELEMENTS = 8_000
"""The estimated number of HTML elements in the headline tables; a page may have 15,000."""


def write_notice(site: Site, soc: str, comparisons: Iterable[str], reason: str) -> None:
    """Write a page that says why a SoC's page could not be made, and lists the same pages."""
    page = site.addresses.soc[soc]
    pages = [slugs.relative(page, site.addresses.guide[key]) for key in site.socs[soc]]
    pages += [slugs.relative(page, to) for to in comparisons]
    write_files.notice(site, page, soc, reason, pages)


def write(
    site: Site,
    soc: str,
    comparisons: Sequence[ReleasePair],
    states: Mapping[str, State],
    tops: Mapping[GuideKey, GuideOutcome],
) -> None:
    """Write the page of a SoC. ``comparisons`` start with the newest, and ``states`` has their
    verdicts by address; ``tops`` has the guides with headline results."""
    page, keys, catalog = site.addresses.soc[soc], site.socs[soc], site.catalog
    bundles = _bundles(site, *keys)
    boards = summaries.boards(bundles, site.boards, with_releases=True)
    systems = units.enumeration(sorted({family(key) for key in keys}))
    releases = f"{len(keys)} releases" if len(keys) != 1 else "1 release"
    named = sorted({bundle.board.name for bundle in bundles}, key=units.natural)
    text = (
        f"Performance of {soc} with {systems}: headline figures and guides of {releases}, "
        f"measured on {units.enumeration(named)}."
    )
    headlines: list[PageTable] = []
    charts: list[PageChart] = []
    records: list[Record] = []
    listed = []
    platforms = sorted(families(keys).items())
    newest = {
        platform: members[newest_of([site.pool.count(key) for key in members])]
        for platform, members in platforms
    }

    def measured(platform: Platform) -> datetime.datetime:
        return max(each.created for each in _bundles(site, newest[platform]))

    # The most recently measured system comes first; sorts are stable.
    platforms.sort(key=lambda item: measured(item[0]).date(), reverse=True)
    views_drawn = 0
    for number, (platform, members) in enumerate(platforms):
        title, slug = family(members[0]), site.platform_slugs[platform]
        newest_first = members[::-1]
        own = [
            record
            for key in newest_first
            for record in summaries.headlines(
                catalog, site.pool.of_guide(key, partial(summaries.is_headline, catalog))
            )
            if site.layout.claim(record) is not None and site.layout.is_described(record)
        ]
        if own:
            records += own
            view = summaries.headline_view(catalog, own)
            caption = f"{soc} headline figures, {title}"
            # The page has one table per system, which share the page's limit.
            max_elements = MAX_ELEMENTS // len(families(keys))
            headlines.append(
                write_tables.view(
                    *(site, page, f"headline-{slug}", view, caption),
                    max_elements=max_elements,
                    guides={record.guide for record in own},
                )
            )
            drawn = _of_trends(site, own)
            # Leave room for one chart of each later system.
            room = max(1, MAX_TRENDS - views_drawn - (len(platforms) - 1 - number))
            views = trends.over_releases(catalog, drawn, site.scenes[platform])[:room]
            views_drawn += len(views)
            charts += write_tables.small_charts(site, page, f"trend-{slug}", caption, views)
        # Links and toctree entries are relative to the folder of the page.
        folder = page.rpartition("/")[0]
        guides = [
            (k.release, site.addresses.guide[k].removeprefix(f"{folder}/")) for k in newest_first
        ]
        above = site.addresses.guide[members[-1]].removeprefix(f"{folder}/").rpartition("/")[0]
        top = tops.get(newest[platform])
        results = top and top.results
        if results:
            # The table is the guide's, but needs its own link name on this page.
            results = replace(results, name=link_name(page, f"results-{slug}"))
        listed.append(
            {
                "title": title,
                "release": newest[platform].release,
                "later": [
                    f"{key.release} ({wording.count(site.pool.count(key), 'figure')})"
                    for key in members[members.index(newest[platform]) + 1 :]
                ],
                "guides": guides,
                "facts": (*top.facts, *_accelerator(top.worth)) if top else (),
                "results": results.seen_from(f"{above}/") if results else None,
            }
        )
    write_files.page(
        site,
        page,
        "soc.rst.jinja",
        about={"description": text},
        soc=soc,
        boards=write_tables.table(site, page, "boards", f"{soc} boards", boards),
        families=listed,
        headlines=headlines,
        charts=charts,
        comparisons=_by_system(site, page, comparisons, states),
        roles=(UNDECIDED, *map(state_class, SIGNS)),
        signs=[(sign, STATE_WORDS[state], state_class(state)) for state, sign in SIGNS.items()],
        sources=sources.write(site, page, sources.rows(site, records)) if records else None,
    )


def _bundles(site: Site, *keys: GuideKey) -> list[Bundle]:
    return [loaded.bundle for loaded in site.pool.bundles_of(keys)]


def _accelerator(answer: Worth | None) -> list[Fact]:
    """Return whether the crypto accelerator is worth it, as a fact."""
    if answer is None:
        return []
    return [Fact("Hardware crypto", (Part(hardware_crypto.sentences(answer)),))]


UNDECIDED = "perf-state-none"
"""The class of a comparison that could not be made."""


def _by_system(
    site: Site, page: str, comparisons: Sequence[ReleasePair], states: Mapping[str, State]
) -> dict[str, list[tuple[str, str, str, str]]]:
    """Return the comparisons of each system: the sign of the verdict, its class, words, and the
    address of the page."""
    out: dict[str, list[tuple[str, str, str, str]]] = {}
    for pair in comparisons:
        members, state = site.families[pair.new.platform], states.get(pair.address)
        before = members[: members.index(pair.new)][-1:]
        # Settings may request pairs that are not neighbours.
        words = (
            pair.new.release if before == [pair.old] else f"{pair.old.release} → {pair.new.release}"
        )
        sign, role = (SIGNS[state], state_class(state)) if state else ("–", UNDECIDED)
        address = slugs.relative(page, pair.address)
        out.setdefault(family(pair.new), []).append((sign, role, words, address))
    return out


def _of_trends(site: Site, records: Sequence[Record]) -> list[Record]:
    """Return the figures for a system's charts over its releases: for each benchmark, the
    headline shown at the top of guides, taking chapters in turn. ``records`` start with the
    newest release."""
    chosen: dict[str, Record] = {}
    for record in records:
        metric = site.catalog.benchmarks[record.benchmark].metric(record.metric)
        if metric is not None and metric.short:
            chosen.setdefault(record.benchmark, record)
    chapters: dict[str, list[str]] = {}
    for name, benchmark in site.catalog.benchmarks.items():
        if name in chosen:
            chapters.setdefault(benchmark.entry.chapter, []).append(name)
    # Take turns, so that a chapter with many benchmarks does not take every place.
    turns = chain.from_iterable(zip_longest(*chapters.values()))
    named = {*islice(filter(None, turns), MAX_TRENDS)}

    def is_drawn(record: Record) -> bool:
        like = chosen.get(record.benchmark)
        return like is not None and (like.metric, like.params) == (record.metric, record.params)

    return [record for record in records if record.benchmark in named and is_drawn(record)]
