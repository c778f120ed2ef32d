"""The pieces that pages are made of: tables, charts and sections, with their files."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache

import jinja2

from ..bundles.guide_key import GuideKey, families, family
from ..charts import gallery, trends
from ..charts.from_figures import Scene, with_figures
from ..charts.gallery import Picture
from ..charts.model import ChartView
from ..common import rst_text, slugs
from ..common.diagnostics import visible
from ..figures.dataset import Addresses, Holdings, plan
from ..figures.pool import Record
from ..health.finding import Finding
from ..health.marks import Marks
from ..publishing.output_folder import Writer
from ..tables import cells, grids, summaries
from ..tables.assign import Layout, Section
from ..tables.grids import Grid
from ..tables.model import Shape, View, other_view
from . import about
from .basis import Basis
from .keeping import Keeping
from .search_words import Page, Place

SOURCES = "sources"
SOURCES_TITLE = "Sources"
"""The name and the title of the table, on a page over several guides, that says in
which of them its figures stand, and where these come from."""


@dataclass(frozen=True, slots=True)
class Shown:
    """A table on a page: its caption, its file, its name in links; the file of its marks,
    and the one that says what is behind its cells."""

    title: str
    file: str
    name: str
    header: int
    stub: int
    tabs: int
    marks: str = ""
    behind: str = ""
    origin: str = ""
    """The name that the link to the origin of the figures leads to."""
    origin_title: str = ""
    rows: int = 0
    size: int = 0
    """The bytes of its file: about three times what the table adds to its page, compressed."""
    page: str = ""
    """The page of its own that it stands on, where it is too long for this one."""


@dataclass(frozen=True, slots=True)
class Trace:
    """The page that says where the figures of another page come from, and the
    tables of that other page as they are written."""

    page: str
    title: str
    tables: list[tuple[Shown, View]] = field(default_factory=list)

    @property
    def label(self) -> str:
        """The page's name in links."""
        return self.page.partition("/")[2].lower()


@dataclass(frozen=True, slots=True)
class ShownChart:
    """A chart on a page: its caption, its file, its name in links, and the
    sentences above it as (alternative, sentence)."""

    title: str
    file: str
    name: str
    says: tuple[tuple[str, str], ...]
    answer: Shown | None
    origin: str = ""
    """The names, joined by commas, that the links to the origin of the figures lead to."""
    origin_title: str = ""

    def of(self, origin: str, title: str) -> ShownChart:
        """The chart, and the table beside it, with links to the origin of the figures."""
        answer = self.answer and replace(self.answer, origin=origin, origin_title=title)
        return replace(self, answer=answer, origin=origin, origin_title=title)


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a page: its title and its address there, its charts and tables, and commands.

    ``usual`` is whether the command is that of the description, and ``more`` how many commands
    are not shown.
    """

    title: str
    id: str
    tables: tuple[Shown, ...]
    charts: tuple[ShownChart, ...] = ()
    commands: tuple[str, ...] = ()
    usual: bool = False
    more: int = 0


def label(page: str, name: str) -> str:
    """The name of a page's table or chart in links."""
    return f"{page.partition('/')[2]}/{name}".lower()


@cache
def _templates() -> jinja2.Environment:
    """The templates of all pages, which are compiled once in a process."""
    made = jinja2.Environment(
        loader=jinja2.PackageLoader("perfguide.pages"),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=False,  # the output is reStructuredText; see markup.text
    )
    made.filters["text"] = rst_text.text
    made.filters["quoted"] = rst_text.quoted
    made.filters["toctree_title"] = visible
    made.globals.update(heading=rst_text.heading, literal=rst_text.literal, family=family)
    return made


class Pieces:
    """What all pages of one site share: the holdings, the addresses, the writer."""

    def __init__(
        self,
        holdings: Holdings,
        writer: Writer,
        found: Sequence[Finding] = (),
        keeping: Keeping | None = None,
    ) -> None:
        self.holdings = holdings
        self.marks = Marks(found)
        self.writer = writer
        self.keeping = keeping or Keeping(writer)
        self.pictures = self.keeping.pictures
        self.pool = holdings.pool
        self.layout = Layout(holdings.catalog)
        self.guides = self.pool.guides()
        self.trace: Trace | None = None
        self.findable: list[tuple[Page, list[Place]]] = []
        self.addresses: Addresses = plan(self.guides, self.pool.benchmarks())
        self.families = families(self.guides)
        self.basis = Basis(holdings, self.addresses, found, writer.memo.digest)
        self.platforms = slugs.joined(
            "/".join(page.split("/")[1:-1]) for page in self.addresses.guide.values()
        )

    def trace_of(self, key: GuideKey) -> Trace:
        """The page that says where the figures of a guide come from."""
        return Trace(self.addresses.trace(key), f"Provenance of {key}")

    def page(self, address: str, template: str, **values: object) -> None:
        """Write a page from its template."""
        page = _templates().get_template(template).render(address=address, **values)
        self.writer.write(f"{address}.rst", f".. perf-generated::\n\n{page}".encode())

    def listed(
        self,
        folder: str,
        titles: Mapping[str, str],
        said: str,
        pages: Mapping[str, Sequence[tuple[str, str]]],
    ) -> dict[str, str]:
        """Write for each SoC a page that lists some of its pages, each as (title, address), an
        empty title for the page's own; return the addresses of those pages. ``said`` is a
        sentence of ours about them."""
        out = {}
        for soc, found in pages.items():
            address = f"{folder}/{self.addresses.soc[soc].partition('/')[2]}"
            inside = [(t, page.removeprefix(address.removesuffix("index"))) for t, page in found]
            self.page(address, "listed.rst.jinja", title=titles[soc], said=said, pages=inside)
            out[soc] = address
        return out

    def about(self, page: str, told: Mapping[str, object]) -> None:
        """Write what search engines are told of a page beside it."""
        self.writer.write(f"{page}/{about.FILE}", about.as_json(told))

    def table(self, page: str, name: str, title: str, grid: Grid, tabs: int = 0) -> Shown:
        """Write a table's file beside its page, into the folder of the page's name."""
        folder = page.rpartition("/")[2]
        data = grids.to_csv(grid)
        self.writer.write(f"{page}/{name}.csv", data)
        file, rows = f"{folder}/{name}.csv", len(grid.rows)
        name = label(page, name)
        return Shown(
            title, file, name, len(grid.header), grid.stub, tabs, rows=rows, size=len(data)
        )

    def view(self, page: str, name: str, view: View, title: str = "") -> Shown:
        """Write a view's table beside its page."""
        tabs = 1 if view.tabbed else 0
        shown = self.table(page, name, title or view.title, grids.grid(view), tabs)
        if found := cells.behind(view, self.pool):
            self.writer.write(f"{page}/{name}.cells.js", found)
            shown = replace(shown, behind=f"{shown.file.removesuffix('.csv')}.cells.js")
        marks = self.marks.of(view)
        if marks is not None:
            self.writer.write(f"{page}/{name}.marks.json", marks)
            shown = replace(shown, marks=f"{shown.file.removesuffix('.csv')}.marks.json")
        if self.trace is None:
            return replace(shown, origin=label(page, SOURCES), origin_title=SOURCES_TITLE)
        self.trace.tables.append((shown, view))
        origin = label(self.trace.page, name)
        return replace(shown, origin=origin, origin_title=self.trace.title)

    def platform(self, key: GuideKey) -> str:
        """A SoC and SDK family as a part of an address: ``am62x-linux``."""
        return self.platforms["/".join(self.addresses.guide[key].split("/")[1:-1])]

    def charts(
        self,
        page: str,
        section: Section,
        anchor: str,
        on: str = "guide",
        known: Scene | None = None,
    ) -> list[ShownChart]:
        """The charts of a section that stand on this kind of page."""
        shown = []
        for spec in section.benchmark.entry.charts:
            if spec.on != on:
                continue
            found = with_figures(section.benchmark, spec, section.records, known)
            if found:
                left = spec.answer == "cpu-share"
                views = [view for view, _ in found]
                made = self.chart(page, f"{anchor}-{spec.id}", spec.title, views, left)
                if self.trace is not None:
                    behind = (self.layout.table(r) for _, figures in found for r in figures)
                    names = (label(self.trace.page, name) for name in dict.fromkeys(behind))
                    made = made.of(",".join(names), self.trace.title)
                shown.append(made)
        return shown

    def chart(
        self, page: str, name: str, title: str, found: Sequence[ChartView], left: bool = False
    ) -> ShownChart:
        """Write what a chart is made of: pictures to draw, their data and their words.

        With ``left`` a table beside it says what is left at shares of the x axis.
        """
        made = [Picture(gallery.stem(page, name, view.name), view) for view in found]
        self.pictures += made
        self.writer.write(f"{page}/{name}.csv", grids.to_csv(gallery.data(found)))
        file = self.chart_file(page, name, made, found[0].small)
        answer = None
        if left:
            caption = f"{title}: throughput left, {found[0].y_label}"
            answer = self.table(page, f"{name}-left", caption, gallery.shares(found), 1)
        words = [(v.name, w) for v in found for w in (*v.says, *v.warnings)]
        if found[0].small:
            # What is said of many figures alike is said once.
            words = [("", w) for w in dict.fromkeys(w for _, w in words)]
        shown = ShownChart(title, file, label(page, name), tuple(words), answer)
        return shown.of(label(page, SOURCES), SOURCES_TITLE)

    def chart_file(self, page: str, name: str, made: Sequence[Picture], small: bool = False) -> str:
        """Write what ``perf-chart`` reads; its data is to be ``NAME.csv`` beside it."""
        folder = page.rpartition("/")[2]
        content = {
            "data": f"{folder}/{name}.csv",
            "small": small,
            "pictures": [
                {
                    "name": visible(p.view.name),
                    "file": f"{folder}/{p.stem.rpartition('/')[2]}.*",
                    "alt": visible(p.view.text(), 10**6),
                }
                for p in made
            ],
        }
        text = json.dumps(content, indent=1, ensure_ascii=False)
        self.writer.write(f"{page}/{name}.json", text.encode("utf-8") + b"\n")
        return f"{folder}/{name}.json"

    def small(
        self, page: str, name: str, title: str, found: Sequence[ChartView]
    ) -> list[ShownChart]:
        """Many small pictures as one chart, or none where there is nothing to show."""
        if not found:
            return []
        shown = self.chart(page, name, title, found[: trends.MOST])
        if more := len(found) - trends.MOST:
            words = f"{more} more figures are in the tables." if more > 0 else ""
            shown = replace(shown, says=(*shown.says, *([("", words)] if words else [])))
        return [shown]

    def part(self, page: str, section: Section, prefix: str = "", what: str = "") -> Part:
        """A section's subsection: its address, commands, charts and tables."""
        slug = slugs.slug(section.benchmark.name)
        anchor = f"{slug}--{section.part_id}" if section.part_id else slug
        shown = []
        for view in section.views:
            title = ", ".join(filter(None, (view.title, section.part, what)))
            shown.append(self.view(page, f"{prefix}{anchor}-{view.id}", view, title))
        commands = self.pool.commands(section.records)
        usual = section.benchmark.entry.command
        return Part(
            section.part,
            anchor,
            tuple(shown),
            () if prefix else tuple(self.charts(page, section, anchor)),
            tuple(commands[: summaries.MOST_COMMANDS] or ([usual] if usual else [])),
            not commands,
            max(0, len(commands) - summaries.MOST_COMMANDS),
        )

    def other(
        self, page: str, name: str, records: Sequence[Record], shape: Shape | None = None
    ) -> Part:
        """A benchmark's part of "Other results"."""
        known = self.holdings.catalog.get(name)
        title = known.entry.title if known else name
        slug = slugs.slug(name)
        view = other_view(f"{title}, other results", records, shape)
        shown = self.view(page, f"other-{slug}", view)
        commands = self.pool.commands(records)[: summaries.MOST_COMMANDS]
        return Part(title, f"other-{slug}", (shown,), commands=tuple(commands))
