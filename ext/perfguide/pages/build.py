"""Writes the pages: guides, SoCs, benchmarks, reports, and their CSV files."""

from __future__ import annotations

import gc
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import dataclass, replace
from functools import cache, partial
from typing import Any

import msgspec

from ..bundles.guide_key import GuideKey
from ..catalog import redirects
from ..catalog.board_names import load as load_boards
from ..catalog.waivers import load_annotations
from ..charts.gallery import Gallery
from ..common import parallel
from ..common.diagnostics import Diagnostic
from ..common.timing import Mark, no_mark
from ..figures import errata
from ..figures.dataset import Holdings, Progress, Settings, newest, no_progress, read
from ..health import report
from ..publishing.output_folder import Writer
from ..publishing.store import Store
from ..tables import summaries
from . import (
    benchmark,
    beside,
    compare,
    context,
    cross_links,
    downloads,
    guide,
    health,
    provenance,
    search_words,
    soc,
    write_files,
)
from .answers import Headlines
from .beside import Beside
from .compare import ComparisonPlan
from .context import Site
from .cross_links import GuideLinks
from .guide import GuideOutcome
from .keeping import Inputs, Keeping
from .search_words import FindablePage
from .sentences import link_name


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a run did: findings, the files it wrote and removed, and how many guides and
    figures there are. ``inputs`` is a fingerprint of all that the pages are made from, empty where
    it is not known, and ``is_current`` says whether that is still as it was when the run began.
    ``read`` gives what was read; where nothing changed, it reads now."""

    diagnostics: tuple[Diagnostic, ...]
    written: tuple[str, ...]
    removed: tuple[str, ...]
    guides: int
    figures: int
    inputs: str
    is_current: Callable[[], bool]
    read: Callable[[], Holdings]

    @property
    def holdings(self) -> Holdings:
        """All that was read."""
        return self.read()


class _Summary(msgspec.Struct, frozen=True):
    """What comes of all pages together."""

    diagnostics: tuple[Diagnostic, ...]
    guides: int
    figures: int


__all__ = ["generate"]

MANY = 10_000
"""Figures of an archive that is large: a second process makes a part of its pages. With fewer
figures that is not sooner."""


def generate(
    settings: Settings,
    progress: Progress[Any] = no_progress,
    mark: Mark = no_mark,
    store: Store | None = None,
    run: parallel.Run | None = None,
) -> Outcome:
    """Read the bundles and write every page; what is right already is left alone.

    ``mark`` is told the name of each phase when it has ended. ``store`` keeps what spares work in
    the next run, and ``run`` reads and draws; left out, both are what the settings ask for.
    Raises :class:`parallel.WorkersError`.
    """
    writer = Writer(settings.output, store or Store(settings.cache))
    inputs = Inputs(settings, writer)
    kept = Keeping(writer, inputs.rules, settings.formats)
    summary = kept.recall("site", inputs.whole, _Summary) if inputs.whole else None
    mark("looking for what changed")
    if summary is None:
        with nullcontext(run) if run else parallel.at(settings.scheduler) as run:
            return _generate(settings, progress, run, mark, inputs, kept)
    writer.finish()
    writer.store.save()
    return _outcome(summary, writer, inputs, cache(lambda: read(settings, progress)))


def _generate(
    settings: Settings,
    progress: Progress[Any],
    run: parallel.Run,
    mark: Mark,
    inputs: Inputs,
    kept: Keeping,
) -> Outcome:
    holdings = read(settings, progress, run, kept.writer.store)
    mark("reading bundles")
    counts = (len(holdings.pool.guides()), len(holdings.pool))
    writer = kept.writer
    if any(d.kind == "missing-path" for d in holdings.diagnostics):
        # A mistyped folder must not empty the site.
        summary = _Summary(holdings.diagnostics, *counts)
        return _outcome(summary, writer, inputs, lambda: holdings)
    is_large = len(holdings.pool) >= MANY
    # Charts are drawn while other pages are made.
    with Gallery(writer, kept.pictures, settings.formats, run) as gallery:
        if is_large:
            gallery.expect()
            gc.freeze()  # what was read stays, and takes long to be looked through for what is unused
        apart = is_large and run is parallel.here and beside.can_fork()
        diagnostics = _write(holdings, settings, progress, mark, kept, gallery, apart)
    mark("drawing charts")
    diagnostics = (*diagnostics, *kept.unmade, *gallery.unmade)
    summary = _Summary(diagnostics, *counts)
    if inputs.whole:
        kept.add("site", inputs.whole, summary)
    writer.finish()
    if inputs.are_current():
        kept.save()
    writer.store.save(whole=True)
    mark("keeping what is known")
    return _outcome(summary, writer, inputs, lambda: holdings)


def _write(
    holdings: Holdings,
    settings: Settings,
    progress: Progress[Any],
    mark: Mark,
    kept: Keeping,
    gallery: Gallery,
    apart: bool,
) -> tuple[Diagnostic, ...]:
    """Write all files of the site; return what is wrong. Where it is ``apart``, another process
    makes the pages of benchmarks meanwhile."""
    writer = kept.writer
    annotations, _ = load_annotations(settings.waivers)  # comparisons say what is wrong with them
    checked = report.check(holdings, settings.acknowledged, annotations.levels)
    mark("checking figures")
    # What is wrong with the list of boards, its comparison says.
    names_of_boards, _ = load_boards(settings.boards)
    site = context.site_of(
        holdings, checked.findings, names_of_boards, writer, kept, settings.limits
    )
    comparisons = compare.plan(site, settings)
    with Beside(kept, pages_of_benchmarks(site), apart) as benchmarks:

        def meanwhile() -> None:
            benchmarks.take()
            gallery.begin()

        findable, faults = write_pages(site, comparisons, progress, mark, meanwhile)
        kept.attempt(
            "the report on health",
            report.PAGE,
            partial(health.write, site, checked),
            partial(write_files.notice, site, report.PAGE, "Health of the figures"),
        )
        mark("writing reports")
        downloads.write(site, comparisons.by_soc, progress)
        mark("writing data")
        findable += benchmarks.outcomes(gallery.begin)
        mark("writing benchmarks")
    writer.write("guides/words.json", search_words.index(findable))
    moved, wrong = redirects.load(settings.redirects, lambda page: _is_page(writer, page))
    for each in moved:
        target = "/".join([".."] * each.old.count("/") + [each.new])
        values: dict[str, Any] = {"title": f"Moved: {each.old}", "target": target, "to": each}
        write_files.page(site, each.old, "moved.rst.jinja", **values)
    write_files.gitignore(site)
    gallery.finish()
    return (*holdings.diagnostics, *checked.diagnostics, *faults, *wrong)


def _is_page(writer: Writer, address: str) -> bool:
    """Return whether there is a page of this build or of a person at an address.

    A redirect of an earlier build is none, also where that build's list of files is gone.
    """
    name = f"{address}.rst"
    if name in writer.digests:
        return True
    if not writer.is_known(name):
        return False
    text = (writer.root / name).read_bytes()
    return not (text.startswith(write_files.GENERATED) and b"\n:perf-redirect: " in text)


def _outcome(
    summary: _Summary, writer: Writer, inputs: Inputs, reading: Callable[[], Holdings]
) -> Outcome:
    done = (tuple(writer.written), tuple(writer.removed))
    counts = (summary.guides, summary.figures)
    return Outcome(summary.diagnostics, *done, *counts, inputs.whole, inputs.are_current, reading)


def write_pages(
    site: Site,
    comparisons: ComparisonPlan,
    progress: Progress[Any],
    mark: Mark,
    meanwhile: Callable[[], None],
) -> tuple[list[FindablePage], list[Diagnostic]]:
    """Write all pages but those of benchmarks and the report on health; return how readers find
    guides, and what is wrong with logs and waivers. ``meanwhile`` is called now and then: there may
    be charts to draw."""
    diagnostics: list[Diagnostic] = []
    findable: list[FindablePage] = []
    tops: dict[GuideKey, GuideOutcome] = {}
    links = cross_links.links_of_guides(site)
    withdrawals = errata.find(site.holdings.ledger, site.catalog)
    errata_pages = provenance.errata_pages(withdrawals, site.guides)
    headlines = Headlines(site, comparisons)
    ranks = {k: rank for keys in site.families.values() for rank, k in enumerate(reversed(keys))}
    for key in progress(site.guides, "writing guides"):
        own_errata = link_name(errata_pages.get(key, ""))
        outcome = site.keeping.attempt(
            f"the guide of {key}",
            site.addresses.guide[key],
            partial(_guide, site, key, links[key], headlines, own_errata),
            partial(guide.write_notice, site, key),
        )
        if outcome.results:
            tops[key] = outcome
        diagnostics += outcome.diagnostics
        findable.append(replace(outcome.findable, rank=ranks[key]))
        meanwhile()
    mark("writing guides")
    for key in newest(site.guides).values():
        target = site.addresses.guide[key].rpartition("/")[2]
        page = site.addresses.latest(key)
        write_files.page(site, page, "latest.rst.jinja", key=key, target=target)
    for name in site.socs:
        compared = [pair.address for pair in comparisons.by_soc.get(name, ())]
        site.keeping.attempt(
            f"the page of {name}",
            site.addresses.soc[name],
            partial(soc.write, site, name, compared, tops),
            partial(soc.write_notice, site, name, compared),
        )
    mark("writing SoCs")
    unused_waivers = compare.write(site, comparisons, progress)
    mark("comparing releases")
    _write_indexes(site)
    provenance.write_index(site)
    provenance.write_errata(site, withdrawals, errata_pages, comparisons.tags)
    write_files.page(site, "reports/index", "reports.rst.jinja")
    return findable, [*comparisons.diagnostics, *unused_waivers, *diagnostics]


def _guide(
    site: Site, key: GuideKey, links: GuideLinks, headlines: Headlines, errata: str
) -> GuideOutcome:
    return guide.write(site, key, links, headlines.of(key), errata)


def pages_of_benchmarks(site: Site) -> list[Callable[[], FindablePage]]:
    """What writes the page of each benchmark and returns how readers find it."""
    return [
        partial(
            site.keeping.attempt,
            f"the page of {name}",
            site.addresses.benchmark[name],
            partial(benchmark.write, site, name),
            partial(benchmark.write_notice, site, name),
        )
        for name in site.pool.benchmarks()
    ]


def _write_indexes(site: Site) -> None:
    """Write the lists of all SoCs and of all benchmarks, and what the landing page shows."""
    socs = [(name, site.addresses.soc[name].removeprefix("guides/")) for name in site.socs]
    write_files.page(site, "guides/index", "guides.rst.jinja", socs=socs)
    names, described = site.pool.benchmarks(), site.catalog.benchmarks
    chapters: dict[str, list[tuple[str, str]]] = {}
    for name in dict.fromkeys((*(name for name in described if name in names), *names)):
        address = site.addresses.benchmark[name].removeprefix("by-benchmark/")
        chapter = described[name].entry.chapter if name in described else "Other results"
        chapters.setdefault(chapter, []).append((site.catalog.title(name), address))
    write_files.page(site, "by-benchmark/index", "benchmarks.rst.jinja", chapters=chapters)
    overview = summaries.overview(site.pool, site.guides, site.addresses)
    write_files.json_file(site, "guides/overview.json", overview, sort_keys=True)
