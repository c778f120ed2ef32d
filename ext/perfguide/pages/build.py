"""Writes the pages: guides, SoCs, benchmarks, reports, and their CSV files."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache, cached_property, partial
from typing import Any

from ..bundle import Bundle
from ..bundles.guide_key import GuideKey, family, guide_key, version
from ..catalog import redirects
from ..catalog.redirects import Redirect
from ..charts import trends
from ..charts.from_figures import Scene
from ..charts.gallery import Gallery
from ..common import parallel, slugs, units
from ..common.timing import Mark, no_mark
from ..figures.dataset import Holdings, Progress, Settings, newest, no_progress, read
from ..figures.pool import Record
from ..health import report
from ..health.finding import Finding
from ..publishing.output_folder import Writer
from ..tables import summaries
from . import about, benchmark, downloads, guide, health, search_words
from . import sources as sourcelist
from .compare import ComparePages
from .cross_links import Elsewhere
from .keeping import Keeping
from .outcome import Outcome
from .provenance import Traces
from .unchanged import Known, Unchanged


def generate(
    settings: Settings, progress: Progress[Any] = no_progress, mark: Mark = no_mark
) -> Outcome:
    """Read the bundles and write every page; what is right already is left alone.

    ``mark`` is told the name of each phase when it has ended. Raises :class:`parallel.WorkersError`.
    """
    last = Unchanged(settings)
    known = last.recall()
    mark("looking for what changed")
    if known:
        later = cache(lambda: read(settings, progress))
        counts = (known.guides, known.figures)
        return Outcome(known.diagnostics, (), (), *counts, last.inputs, later)
    with parallel.at(settings.scheduler) as run:
        return _generate(settings, progress, run, last, mark)


def _generate(
    settings: Settings, progress: Progress[Any], run: parallel.Run, last: Unchanged, mark: Mark
) -> Outcome:
    holdings = read(settings, progress, run)
    mark("reading bundles")
    counts = (len(holdings.pool.guides()), len(holdings.pool))
    if any(d.kind == "missing-path" for d in holdings.diagnostics):
        # A mistyped folder must not empty the site.
        return Outcome(holdings.diagnostics, (), (), *counts, "", lambda: holdings)
    last.forget()
    checked = report.check(holdings, settings.acknowledged)
    mark("checking figures")
    writer = Writer(settings.output, memo=last.memo)
    kept = Keeping(writer, settings.formats, settings.cache, last.rules())
    site = Pages(holdings, writer, settings, checked.findings, kept)
    with Gallery(writer, site.pictures, settings.formats, run) as gallery:
        # Charts are drawn while other pages are written.
        site.write(progress, mark, gallery.begin)
        health.write(site, checked)
        moved, faults = redirects.load(settings.redirects, site.is_page)
        site.lead_on(moved)
        mark("writing reports")
        downloads.write(site, progress, site.comparisons.pairs())
        mark("writing data")
        gallery.finish()
    mark("drawing charts")
    writer.finish()
    kept.save()
    found = (
        *holdings.diagnostics,
        *checked.diagnostics,
        *site.comparisons.diagnostics,
        *site.diagnostics,
        *faults,
    )
    last.remember(writer, Known(found, *counts))
    mark("keeping what is known")
    done = (tuple(writer.written), tuple(writer.removed))
    return Outcome(found, *done, *counts, last.inputs, lambda: holdings)


def _not_now() -> None:
    """Let all charts be drawn later."""


class Pages(Traces):
    """All pages of one site, made from one set of holdings."""

    def __init__(
        self,
        holdings: Holdings,
        writer: Writer,
        settings: Settings,
        found: Sequence[Finding] = (),
        keeping: Keeping | None = None,
    ) -> None:
        super().__init__(holdings, writer, settings.limits, found, keeping)
        self.comparisons = ComparePages(self, settings)
        self.elsewhere = Elsewhere(self.pool, self.layout, self.addresses)

    def write(
        self, progress: Progress[Any], mark: Mark = no_mark, draw: Callable[[], None] = _not_now
    ) -> None:
        """Write every page. ``draw`` is called when there may be charts to draw."""
        for key in progress(self.guides, "writing guides"):
            self._guide(key)
            draw()
        mark("writing guides")
        self._latest()
        by_soc: dict[str, list[GuideKey]] = {}
        for key in self.guides:
            by_soc.setdefault(key.soc, []).append(key)
        for soc, keys in by_soc.items():
            page, compared = self.addresses.soc[soc], self.comparisons.beside(keys)
            of_guides = [(key, self.addresses.guide[key], self.platform(key)) for key in keys]
            made_from = (of_guides, self.basis.guides(keys), compared)
            self.keeping.made(page, made_from, partial(self._soc, soc, keys), type(None))
        mark("writing SoCs")
        for name in self.pool.benchmarks():
            benchmark.write(self, name, self._scenes)
            draw()
        mark("writing benchmarks")
        self.comparisons.write(progress)
        mark("comparing releases")
        self._indexes(by_soc)
        self._reports()
        self.writer.write("guides/words.json", search_words.index(self.findable))

    def _guide(self, key: GuideKey) -> None:
        compared = self.comparisons.beside([key])
        told = guide.made(self, key, self.elsewhere, compared)
        self.diagnostics += told.diagnostics
        self.findable.append((replace(told.page, rank=self._ranks[key]), told.places))

    def is_page(self, address: str) -> bool:
        """Whether there is such a page below the output folder, written by us or by hand."""
        return self.writer.is_known(f"{address}.rst")

    def lead_on(self, moved: Sequence[Redirect]) -> None:
        """Write a page at each old address."""
        for each in moved:
            target = "/".join([".."] * each.old.count("/") + [each.new])
            title = f"Moved: {each.old}"
            self.page(each.old, "moved.rst.jinja", title=title, target=target, to=each)

    @cached_property
    def _ranks(self) -> dict[GuideKey, int]:
        """For each guide, how many newer releases its family has."""
        found = self.families.values()
        return {key: rank for keys in found for rank, key in enumerate(reversed(keys))}

    def _latest(self) -> None:
        for key in newest(self.guides).values():
            page = self.addresses.latest(key)
            target = self.addresses.guide[key]
            self.page(page, "latest.rst.jinja", key=key, target=target.rpartition("/")[2])

    def _soc(self, soc: str, keys: Sequence[GuideKey]) -> None:
        page = self.addresses.soc[soc]
        headline = partial(summaries.is_headline, self.holdings.catalog)
        by_guide = {key: self.pool.of_guide(key, headline) for key in keys}
        families: dict[tuple[str, str], list[GuideKey]] = {}
        for key in sorted(keys, key=lambda k: version(k.release), reverse=True):
            families.setdefault((key.sdk, key.os), []).append(key)
        folder = page.rpartition("/")[0]
        bundles = [loaded.bundle for loaded in self.pool.bundles_of(keys)]
        named = sorted({bundle.board.name for bundle in bundles}, key=units.natural)
        self.about(page, about.soc(soc, keys, named))
        headlines = []
        headline_records: list[Record] = []
        small = []
        for _, members in sorted(families.items()):
            chosen = [
                record
                for key in members
                for record in by_guide[key]
                if self.layout.claim(record) is not None
            ]
            headline_records += chosen
            if chosen:
                view = summaries.headline_view(self.holdings.catalog, chosen)
                name = f"headline-{self.platform(members[0])}"
                caption = f"{soc} headline figures, {family(members[0])}"
                headlines.append(self.view(page, name, view, caption))
                found = trends.over_releases(
                    self.holdings.catalog, chosen, self._scenes[self.platform(members[0])]
                )
                small += self.small(page, f"trend-{self.platform(members[0])}", caption, found)
        listed, links = None, ""
        if headline_records:
            sources = sourcelist.found(self, headline_records)
            listed, links = sourcelist.write(self, page, sources)
        self.page(
            page,
            "soc.rst.jinja",
            soc=soc,
            boards=self.table(
                page,
                "boards",
                f"{soc} boards",
                summaries.boards(bundles, with_releases=True),
            ),
            families=[
                {
                    "title": family(members[0]),
                    "guides": [
                        (k.release, self.addresses.guide[k].removeprefix(f"{folder}/"))
                        for k in members
                    ],
                }
                for _, members in sorted(families.items())
            ],
            headlines=headlines,
            charts=small,
            compared=[slugs.relative(page, to) for to in self.comparisons.beside(keys)],
            sources=listed,
            source_links=links,
        )

    @cached_property
    def _scenes(self) -> dict[str, Scene]:
        """For each platform its releases and what its boards changed between them."""
        releases: dict[str, list[str]] = {}
        for key in self.guides:
            releases.setdefault(self.platform(key), []).append(key.release)
        bundles: dict[str, list[Bundle]] = {}
        for loaded in self.holdings.ledger.bundles:
            key = guide_key(loaded.bundle)
            if key in self.addresses.guide:
                bundles.setdefault(self.platform(key), []).append(loaded.bundle)
        return {name: trends.scene(found, bundles[name]) for name, found in releases.items()}

    def _indexes(self, by_soc: dict[str, list[GuideKey]]) -> None:
        socs = [(soc, self.addresses.soc[soc].removeprefix("guides/")) for soc in sorted(by_soc)]
        self.page("guides/index", "guides.rst.jinja", socs=socs)
        catalog = self.holdings.catalog
        names = self.pool.benchmarks()
        chapters: dict[str, list[tuple[str, str]]] = {}
        for name in [n for n in catalog.benchmarks if n in names]:
            entry = catalog.benchmarks[name].entry
            address = self.addresses.benchmark[name].removeprefix("by-benchmark/")
            chapters.setdefault(entry.chapter, []).append((entry.title, address))
        for name in [n for n in names if n not in catalog.benchmarks]:
            address = self.addresses.benchmark[name].removeprefix("by-benchmark/")
            chapters.setdefault("Other results", []).append((name, address))
        self.page("by-benchmark/index", "benchmarks.rst.jinja", chapters=chapters)
        overview = summaries.overview(self.pool, self.guides, self.addresses)
        text = json.dumps(overview, indent=1, ensure_ascii=False, sort_keys=True)
        self.writer.write("guides/overview.json", text.encode("utf-8") + b"\n")

    def _reports(self) -> None:
        page = "reports/provenance"
        faults = [d for d in self.holdings.diagnostics if d.kind not in summaries.NOT_OF_UPLOADS]
        held = self.holdings.ledger
        by_soc: dict[str, list[tuple[str, str]]] = {}
        for key in self.guides:
            by_soc.setdefault(key.soc, []).append((str(key), self.trace_of(key).page))
        titles = {soc: f"Provenance of {soc}" for soc in by_soc}
        said = "For each guide of this SoC, the bundle and the log line of every figure."
        listed = self.listed(page, titles, said, by_soc)
        listed = {soc: address.removeprefix("reports/") for soc, address in listed.items()}
        refused = withdrawn = None
        if faults:
            title = "Findings about uploads"
            refused = self.table(page, "refused", title, summaries.refused(faults))
        if held.withdrawn:
            grid = summaries.withdrawn(held.withdrawn)
            withdrawn = self.table(page, "withdrawn", "Withdrawn bundles", grid)
        self.page(page, "provenance.rst.jinja", by_soc=listed, refused=refused, withdrawn=withdrawn)
        self.write_errata()
        self.page("reports/index", "reports.rst.jinja")
