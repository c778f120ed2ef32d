"""The page of a SoC: its boards, its guides, and a few figures over its releases."""

from __future__ import annotations

import datetime
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain, islice, zip_longest
from typing import Any

from ..bundle import Bundle
from ..bundles.guide_key import GuideKey, Platform, families, family
from ..charts import trends
from ..common import slugs, units
from ..compare.headline import State
from ..compare.select import ReleasePair
from ..figures.pool import Record
from ..tables import summaries
from . import hardware_crypto, sources, write_files, write_tables
from .context import Site
from .guide import GuideOutcome
from .hardware_crypto import CryptoAnswer
from .lists import SIGNS, STATE_WORDS, newest_of, state_class
from .ranking import MAX_AGE_WITHOUT_YEAR
from .sentences import Fact, Part, link_name
from .write_tables import PageChart, PageTable, Target

MAX_TRENDS = 6
"""The number of charts on a page, shared by its systems, with at least one for each; the tables
below them have all headline figures."""

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
    page, keys = site.addresses.soc[soc], site.socs[soc]
    bundles = _bundles(site, *keys)
    boards = summaries.boards(bundles, site.boards, with_releases=True)
    systems = units.enumeration(sorted({family(key) for key in keys}))
    named = sorted({bundle.board.name for bundle in bundles}, key=units.natural)
    text = (
        f"Performance of {soc} with {systems}: headline figures and guides of "
        f"{units.with_noun(len(keys), 'release')}, "
        f"measured on {units.enumeration(named)}."
    )
    newest = {
        platform: members[newest_of([site.pool.count(key) for key in members])]
        for platform, members in families(keys).items()
    }

    def measured(platform: Platform) -> datetime.date:
        return max(bundle.created for bundle in _bundles(site, newest[platform])).date()

    # The most recently measured system comes first; sorts are stable.
    platforms = sorted(sorted(newest), key=measured, reverse=True)
    records = {platform: _headlines(site, platform) for platform in platforms}
    headlines, charts = _over_releases(site, soc, records)
    every = [record for members in records.values() for record in members]
    write_files.page(
        site,
        page,
        "soc.rst.jinja",
        about={"description": text},
        soc=soc,
        boards=write_tables.table(site, page, "boards", f"{soc} boards", boards),
        families=[
            _listed(site, page, newest[platform], tops.get(newest[platform]))
            # Figures of years ago would repeat a screen for a system that is no longer supplied.
            | {"year": str(day.year) if measured(platforms[0]) - day > MAX_AGE_WITHOUT_YEAR else ""}
            for platform in platforms
            for day in (measured(platform),)
        ],
        headlines=headlines,
        charts=charts,
        comparisons=_by_system(site, page, comparisons, states),
        roles=(UNDECIDED, *map(state_class, SIGNS)),
        signs=[(sign, STATE_WORDS[state], state_class(state)) for state, sign in SIGNS.items()],
        sources=sources.write(site, page, sources.rows(site, every)) if every else None,
    )


def _over_releases(
    site: Site, soc: str, records: Mapping[Platform, list[Record]]
) -> tuple[list[PageTable], list[PageChart]]:
    """Return tables and charts of the headline figures of each system."""
    page = site.addresses.soc[soc]
    headlines: list[PageTable] = []
    charts: list[PageChart] = []
    # The page has one table per system, which share the page's limit.
    target = Target(site, page, max_elements=MAX_ELEMENTS // len(records))
    # Equal numbers fill the rows, of three charts each; one alone would leave a gap.
    room = max(1, MAX_TRENDS // len(records))
    # A board has one colour on the page: that of the table of the first system.
    colours = tuple(chain.from_iterable(site.scenes[platform].order for platform in records))
    for platform, figures in records.items():
        if figures:
            slug = site.platform_slugs[platform]
            scene = replace(site.scenes[platform], order=colours)
            caption = f"{soc} headline figures, {family(figures[0].guide)}"
            view = summaries.headline_view(site.catalog, figures)
            guides = {record.guide for record in figures}
            anchor = f"headline-{slug}"
            headlines.append(write_tables.view(target, anchor, view, caption, guides=guides))
            drawn = _of_trends(site, figures)
            drawings = trends.over_releases(site.catalog, drawn, scene, site.marks.doubt)[:room]
            views = [view for view, _ in drawings]
            charts += write_tables.small_charts(site, page, f"trend-{slug}", caption, views)
    return headlines, charts


def _headlines(site: Site, platform: Platform) -> list[Record]:
    """Return the headline figures of a system, newest release first."""
    is_headline = partial(summaries.is_headline, site.catalog)
    return [
        record
        for key in reversed(site.families[platform])
        for record in summaries.headlines(site.catalog, site.pool.of_guide(key, is_headline))
        if site.layout.claim(record) is not None and site.layout.is_described(record)
    ]


def _listed(site: Site, page: str, newest: GuideKey, top: GuideOutcome | None) -> dict[str, Any]:
    """Return a system with its guides; ``top`` is the outcome of the ``newest`` one."""
    members = site.families[newest.platform]
    # Links and toctree entries are relative to the folder of the page.
    folder = f"{page.rpartition('/')[0]}/"
    guides = [(k.release, site.addresses.guide[k].removeprefix(folder)) for k in members[::-1]]
    results = top and top.results
    if results:
        # The table is the guide's, but needs its own link name on this page.
        name = link_name(page, f"results-{site.platform_slugs[newest.platform]}")
        results = replace(results, name=name).seen_from(f"{guides[0][1].rpartition('/')[0]}/")
    return {
        "title": family(newest),
        "release": newest.release,
        "later": [
            (key.release, units.with_noun(site.pool.count(key), "figure"))
            for key in members[members.index(newest) + 1 :]
        ],
        "guides": guides,
        "facts": (*top.facts, *_accelerator(top.worth)) if top else (),
        "results": results,
    }


def _bundles(site: Site, *keys: GuideKey) -> list[Bundle]:
    return [loaded.bundle for loaded in site.pool.bundles_of(keys)]


def _accelerator(answer: CryptoAnswer | None) -> list[Fact]:
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
