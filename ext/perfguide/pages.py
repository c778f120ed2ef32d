"""Writes the pages: guides, SoCs, benchmarks, reports, and their CSV files."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import jinja2

from . import addresses, markup, pictures, report, tables
from .chartviews import charts
from .diagnostics import Diagnostic, visible
from .layout import Layout, Section
from .pictures import Picture
from .pool import GuideKey, Record, family, version
from .site import Addresses, Holdings, Progress, Settings, newest, no_progress, plan, read
from .tables import Grid
from .views import OVER_RELEASES, SIDE_BY_SIDE, Shape, View, other_view
from .writer import Writer


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a run did: findings, the files it wrote and removed, and the pages."""

    diagnostics: tuple[Diagnostic, ...]
    written: tuple[str, ...]
    removed: tuple[str, ...]
    holdings: Holdings


@dataclass(frozen=True, slots=True)
class Shown:
    """A table on a page: its caption, its file, its name in links."""

    title: str
    file: str
    name: str
    header: int
    stub: int
    tabs: int


@dataclass(frozen=True, slots=True)
class ShownChart:
    """A chart on a page: its caption, its file, its name in links, and the
    sentences above it as (alternative, sentence)."""

    title: str
    file: str
    name: str
    says: tuple[tuple[str, str], ...]
    answer: Shown | None


def generate(settings: Settings, progress: Progress[Any] = no_progress) -> Outcome:
    """Read the bundles and write every page; what is right already is left alone."""
    holdings = read(settings, progress)
    if any(d.kind == "missing-path" for d in holdings.diagnostics):
        # A mistyped folder must not empty the site.
        return Outcome(holdings.diagnostics, (), (), holdings)
    writer = Writer(settings.output)
    site = Pages(holdings, writer)
    site.write(progress)
    pictures.write(writer, site.pictures, settings.formats)
    writer.finish()
    return Outcome(holdings.diagnostics, tuple(writer.written), tuple(writer.removed), holdings)


class Pages:
    """All pages of one site, made from one set of holdings."""

    def __init__(self, holdings: Holdings, writer: Writer) -> None:
        self.holdings = holdings
        self.writer = writer
        self.pool = holdings.pool
        self.layout = Layout(holdings.catalog)
        self.guides = self.pool.guides()
        self.pictures: list[Picture] = []
        self.addresses: Addresses = plan(self.guides, self.pool.benchmarks())
        self.platforms = addresses.joined(
            "/".join(page.split("/")[1:-1]) for page in self.addresses.guide.values()
        )
        self.environment = jinja2.Environment(
            loader=jinja2.PackageLoader("perfguide", "templates"),
            undefined=jinja2.StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
            keep_trailing_newline=True,
            autoescape=False,  # the output is reStructuredText; see markup.text
        )
        self.environment.filters["text"] = markup.text
        self.environment.filters["toctree_title"] = visible
        self.environment.globals.update(
            heading=markup.heading, literal=markup.literal, family=family
        )

    def write(self, progress: Progress[GuideKey]) -> None:
        """Write every page."""
        for key in progress(self.guides, "writing guides"):
            self._guide(key)
        self._latest()
        by_soc: dict[str, list[GuideKey]] = {}
        for key in self.guides:
            by_soc.setdefault(key.soc, []).append(key)
        for soc, keys in by_soc.items():
            self._soc(soc, keys)
        for name in self.pool.benchmarks():
            self._benchmark(name)
        self._indexes(by_soc)
        self._reports()

    # -- pieces --------------------------------------------------------------

    def _page(self, address: str, template: str, **values: object) -> None:
        page = self.environment.get_template(template).render(address=address, **values)
        self.writer.write(f"{address}.rst", page.encode("utf-8"))

    def _table(self, page: str, name: str, title: str, grid: Grid, tabs: int = 0) -> Shown:
        """Write a table's file beside its page, into the folder of the page's name."""
        folder = page.rpartition("/")[2]
        self.writer.write(f"{page}/{name}.csv", tables.to_csv(grid))
        file = f"{folder}/{name}.csv"
        label = f"{page.partition('/')[2]}/{name}".lower()
        return Shown(title, file, label, len(grid.header), grid.stub, tabs)

    def _view(self, page: str, name: str, view: View, title: str = "") -> Shown:
        return self._table(
            page, name, title or view.title, tables.grid(view), 1 if view.tabbed else 0
        )

    def _platform(self, key: GuideKey) -> str:
        """A SoC and SDK family as a part of an address: ``am62x-linux``."""
        return self.platforms["/".join(self.addresses.guide[key].split("/")[1:-1])]

    def _charts(self, page: str, section: Section, anchor: str) -> list[ShownChart]:
        """The charts of a section: pictures to draw, their data and their words."""
        shown = []
        for spec in section.benchmark.entry.charts:
            found = charts(section.benchmark, spec, section.records)
            if not found:
                continue
            name = f"{anchor}-{spec.id}"
            made = [Picture(pictures.stem(page, name, view.name), view) for view in found]
            self.pictures += made
            self.writer.write(f"{page}/{name}.csv", tables.to_csv(pictures.data(found)))
            content = {
                "data": f"{page.rpartition('/')[2]}/{name}.csv",
                "pictures": [
                    {
                        "name": p.view.name,
                        "file": f"{page.rpartition('/')[2]}/{p.stem.rpartition('/')[2]}.*",
                        "alt": p.view.text(),
                    }
                    for p in made
                ],
            }
            text = json.dumps(content, indent=1, ensure_ascii=False)
            self.writer.write(f"{page}/{name}.json", text.encode("utf-8") + b"\n")
            answer = None
            if spec.answer == "cpu-share":
                title = f"{spec.title}: throughput left, {found[0].y_label}"
                answer = self._table(page, f"{name}-left", title, pictures.shares(found), 1)
            says = tuple((v.name, w) for v in found for w in (*v.says, *v.warnings))
            label = f"{page.partition('/')[2]}/{name}".lower()
            file = f"{page.rpartition('/')[2]}/{name}.json"
            shown.append(ShownChart(spec.title, file, label, says, answer))
        return shown

    def _part(
        self, page: str, section: Section, prefix: str = "", what: str = ""
    ) -> dict[str, object]:
        """A section's subsection: its address, commands, charts and tables."""
        slug = addresses.slug(section.benchmark.name)
        anchor = f"{slug}--{section.part_id}" if section.part_id else slug
        shown = []
        for view in section.views:
            title = ", ".join(filter(None, (view.title, section.part, what)))
            shown.append(self._view(page, f"{prefix}{anchor}-{view.id}", view, title))
        commands = self.pool.commands(section.records)
        usual = section.benchmark.entry.command
        return {
            "title": section.part,
            "id": anchor,
            "tables": shown,
            "charts": [] if prefix else self._charts(page, section, anchor),
            "commands": commands[: report.MOST_COMMANDS] or ([usual] if usual else []),
            "usual": not commands,
            "more": max(0, len(commands) - report.MOST_COMMANDS),
        }

    # -- pages ---------------------------------------------------------------

    def _guide(self, key: GuideKey) -> None:
        page = self.addresses.guide[key]
        records = self.pool.of_guide(key)
        sections, other = self.layout.sections(records)
        chapters: dict[str, dict[str, dict[str, object]]] = {}
        for section in sections:
            entry = section.benchmark.entry
            slug = addresses.slug(section.benchmark.name)
            place = chapters.setdefault(entry.chapter, {}).setdefault(
                slug,
                {
                    "id": slug,
                    "title": entry.title,
                    "prose": section.benchmark.name if section.benchmark.prose else "",
                    "parts": [],
                },
            )
            parts = place["parts"]
            assert isinstance(parts, list)
            parts.append(self._part(page, section))
        others = [self._other(page, name, found) for name, found in other.items()]
        bundles = self.pool.bundles(records)
        self._page(
            page,
            "guide.rst.jinja",
            title=f"{key.soc} performance guide, {family(key)} {key.release}",
            key=key,
            boards=self._table(
                page, "boards", "Boards in this guide", report.boards([b.bundle for b in bundles])
            ),
            sources=self._table(
                page, "sources", "Bundles behind this guide", report.sources(bundles)
            ),
            chapters=[
                {
                    "title": title,
                    "id": f"chapter-{addresses.words(title)}",
                    "sections": found.values(),
                }
                for title, found in chapters.items()
            ],
            others=others,
            measured=report.period(bundles),
            figures=len(records),
        )

    def _other(
        self, page: str, name: str, records: Sequence[Record], shape: Shape | None = None
    ) -> dict[str, object]:
        known = self.holdings.catalog.get(name)
        title = known.entry.title if known else name
        slug = addresses.slug(name)
        view = other_view(f"{title}, other results", records, shape)
        return {
            "title": title,
            "id": f"other-{slug}",
            "table": self._view(page, f"other-{slug}", view),
            "commands": self.pool.commands(records)[: report.MOST_COMMANDS],
        }

    def _latest(self) -> None:
        for key in newest(self.guides).values():
            page = self.addresses.latest(key)
            target = self.addresses.guide[key]
            self._page(page, "latest.rst.jinja", key=key, target=target.rpartition("/")[2])

    def _soc(self, soc: str, keys: Sequence[GuideKey]) -> None:
        page = self.addresses.soc[soc]
        records = [record for key in keys for record in self.pool.of_guide(key)]
        families: dict[tuple[str, str], list[GuideKey]] = {}
        for key in sorted(keys, key=lambda k: version(k.release), reverse=True):
            families.setdefault((key.sdk, key.os), []).append(key)
        folder = page.rpartition("/")[0]
        headlines = []
        for _, members in sorted(families.items()):
            chosen = [
                record
                for key in members
                for record in self.pool.of_guide(key)
                if report.is_headline(self.holdings.catalog, record)
                and self.layout.claim(record) is not None
            ]
            if chosen:
                view = report.headline_view(self.holdings.catalog, chosen)
                name = f"headline-{self._platform(members[0])}"
                caption = f"{soc} headline figures, {family(members[0])}"
                headlines.append(self._table(page, name, caption, tables.grid(view), 1))
        self._page(
            page,
            "soc.rst.jinja",
            soc=soc,
            boards=self._table(
                page,
                "boards",
                f"{soc} boards",
                report.boards([b.bundle for b in self.pool.bundles(records)], with_releases=True),
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
        )

    def _benchmark(self, name: str) -> None:
        page = self.addresses.benchmark[name]
        records = self.pool.of_benchmark(name)
        known = self.holdings.catalog.get(name)
        latest = report.newest_of_each_board(records)
        sections, other = self.layout.sections(latest, SIDE_BY_SIDE)
        side_by_side = [
            self._part(page, section, "newest-", "newest figures") for section in sections
        ]
        if name in other:
            found = self._other(page, name, other[name], SIDE_BY_SIDE)
            side_by_side.append({"title": "", "tables": [found["table"]]})
        histories = []
        for members in report.by_platform(records):
            platform = self._platform(members[0].guide)
            title = f"{members[0].guide.soc}, {family(members[0].guide)}"
            prefix = f"{platform}-"
            sections, other = self.layout.sections(members, OVER_RELEASES)
            shown = [
                self._part(page, section, prefix, f"{title}, over releases") for section in sections
            ]
            if name in other:
                words = f"Other results, {title}, over releases"
                view = other_view(words, other[name], OVER_RELEASES)
                shown.append({"title": "", "tables": [self._view(page, f"{prefix}other", view)]})
            histories.append({"title": title, "id": platform, "parts": shown})
        self._page(
            page,
            "benchmark.rst.jinja",
            title=known.entry.title if known else name,
            prose=name if known and known.prose else "",
            command=known.entry.command if known else "",
            boards=report.natural_boards(latest),
            side_by_side=side_by_side,
            histories=histories,
        )

    def _indexes(self, by_soc: dict[str, list[GuideKey]]) -> None:
        socs = [(soc, self.addresses.soc[soc].removeprefix("guides/")) for soc in sorted(by_soc)]
        self._page("guides/index", "guides.rst.jinja", socs=socs)
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
        self._page("by-benchmark/index", "benchmarks.rst.jinja", chapters=chapters)
        overview = report.overview(self.pool, self.guides, self.addresses)
        text = json.dumps(overview, indent=1, ensure_ascii=False, sort_keys=True)
        self.writer.write("guides/overview.json", text.encode("utf-8") + b"\n")

    def _reports(self) -> None:
        page = "reports/provenance"
        faults = [d for d in self.holdings.diagnostics if d.kind not in report.NOT_OF_UPLOADS]
        held = self.holdings.ledger
        by_soc: dict[str, list[Shown]] = {}
        for soc in self.addresses.soc:
            mine = [b for b in held.bundles if b.bundle.board.soc == soc]
            folder = self.addresses.soc[soc].split("/")[1]
            name = f"bundles-{addresses.slug(folder.lower())}"
            grid = report.provenance(mine)
            by_soc[soc] = [self._table(page, name, f"Published bundles of {soc}", grid)]
        refused = withdrawn = None
        if faults:
            title = "Findings about uploads"
            refused = self._table(page, "refused", title, report.refused(faults))
        if held.withdrawn:
            grid = report.withdrawn(held.withdrawn)
            withdrawn = self._table(page, "withdrawn", "Withdrawn bundles", grid)
        self._page(
            page, "provenance.rst.jinja", by_soc=by_soc, refused=refused, withdrawn=withdrawn
        )
        self._page("reports/index", "reports.rst.jinja")
