"""The tables and charts of pages, with their files, and the sections that contain them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

from msgspec import structs

from ..bundles.guide_key import GuideKey, family
from ..catalog.chart_spec import Chart
from ..charts import gallery, trends
from ..charts.from_figures import Scene, with_figures
from ..charts.gallery import Picture
from ..charts.model import ChartView
from ..common import slugs, units
from ..common.diagnostics import visible
from ..figures import engines
from ..tables import blocks, cells, grids, page_tables, remarks
from ..tables.assign import Section
from ..tables.blocks import MAX_ELEMENTS, Block
from ..tables.grids import Grid, Load
from ..tables.model import View
from ..tables.page_tables import Behind, Extra
from .context import ProvenancePage, Site
from .sentences import link_name

SOURCES = "sources"
SOURCES_TITLE = "Sources"
"""The name and title of the table of guides that a page's figures are from."""

MAX_PICTURES = 24
"""The maximum number of pictures in a chart. Readers would not look through more, and an upload
could ask for thousands."""

MAX_LIST_ELEMENTS = 2_000
"""The number of HTML elements of a list, such as that of boards, before it continues on further
pages."""

MAX_FURTHER_ELEMENTS = 7_200
"""The number of HTML elements of a list on a further page, which keeps that below 600 kB: an
element takes up to 73 bytes."""

MAX_ALT_CHARS = 1_000_000
"""In effect no limit: a picture's alternative text may be long."""

MAX_COMMANDS = 6
"""The number of commands that a section shows; the provenance has all of them."""


@dataclass(frozen=True, slots=True)
class PageTable:
    """A table on a page; if it is too large for the page, its first part."""

    title: str
    file: str
    """Its CSV for the page; empty if it could not be made."""
    name: str
    """Its link name."""
    data: str = ""
    """Its CSV for programs."""
    extra: Extra = field(default_factory=Extra)
    """The part of it that the page's CSV cannot hold."""
    behind: Behind | None = None
    """The runs behind its cells."""
    header_rows: int = 1
    stub_columns: int = 0
    widths: tuple[int, ...] = ()
    """Relative widths of its columns; empty if they are equal."""
    origin: str = ""
    """The link name of the origin of its figures."""
    rows: int = 0
    """The number of rows in all its parts."""
    size: int = 0
    """The size of its text in bytes, about three times what it adds to the compressed page."""
    unmade: str = ""
    """The reason why it could not be made."""
    above: tuple[str, ...] = ()
    """Sentences about all its figures."""
    part: str = ""
    """The name of this part, such as “rows 1 to 50”."""
    further: tuple[FurtherPage, ...] = ()
    """The pages with its other parts."""
    weight: int = 0
    """The estimated number of HTML elements in this part."""
    repeats: bool = False
    """True if its figures also appear in other tables."""

    def seen_from(self, folder: str) -> PageTable:
        """Return the table with its files named as seen from a page above ``folder``."""
        data = f"{folder}{self.data}" if self.data else ""
        return replace(self, file=f"{folder}{self.file}", data=data)

    def beside(self) -> PageTable:
        """Return the table with its files named as seen from a page in their folder."""
        return replace(self, file=_inner(self.file), data=_inner(self.data))


@dataclass(frozen=True, slots=True)
class FurtherPage:
    """The page of a further part of a table: its address, the name of the part, and the part."""

    address: str
    part: str
    table: PageTable


@dataclass(frozen=True, slots=True)
class PagePicture:
    """A picture on a page: the name of its tab, its file and its alternative text."""

    name: str
    file: str
    alt: str


@dataclass(frozen=True, slots=True)
class PageChart:
    """A chart on a page: one picture, or several on tabs."""

    title: str
    name: str
    """Its link name."""
    pictures: tuple[PagePicture, ...] = ()
    data: str = ""
    """The CSV of its points."""
    sentences: tuple[tuple[str, str], ...] = ()
    """Sentences above it, as (names of pictures, sentence)."""
    shares: PageTable | None = None
    """A table of its measured levels."""
    small: bool = False
    origin: str = ""
    """The link names of the origin of its figures, joined by commas."""
    unmade: str = ""
    """The reason why it could not be made."""

    def beside(self) -> PageChart:
        """Return the chart with its files named as seen from a page in their folder."""
        pictures = (replace(picture, file=_inner(picture.file)) for picture in self.pictures)
        shares = self.shares and self.shares.beside()
        return replace(self, pictures=tuple(pictures), data=_inner(self.data), shares=shares)


def _inner(file: str) -> str:
    return file.partition("/")[2]


@dataclass(frozen=True, slots=True)
class PagePart:
    """A section of a page with tables, charts and commands.

    ``usual`` says that no bundle states a command, so the one from the description is shown.
    ``more`` is the number of commands left out.
    """

    title: str
    id: str
    tables: tuple[PageTable, ...]
    charts: tuple[PageChart, ...] = ()
    commands: tuple[str, ...] = ()
    usual: bool = False
    more: int = 0


def table(
    site: Site,
    page: str,
    name: str,
    title: str,
    grid: Grid,
    *,
    data: Grid | None = None,
    has_data: bool = True,
    max_elements: int = MAX_LIST_ELEMENTS,
) -> PageTable:
    """Write the files of a table into the folder of its page. Rows beyond ``max_elements`` HTML
    elements go to further pages.

    ``data`` is the table for programs, which is not divided; it defaults to ``grid``. Without
    ``has_data`` there is none, because another file of the page has the same content.
    """

    def write(address: str, block: Block) -> PageTable:
        rows = grids.picked(grid, range(*block.rows), range(len(grid.header[0])))
        return _written(site, address, name, title, rows)

    divided = blocks.blocks(grid, max_elements, MAX_FURTHER_ELEMENTS, wide=False)
    return _divided(
        site, page, name, divided, write, (data or grids.tidy(grid)) if has_data else None
    )


def _divided(
    site: Site,
    page: str,
    name: str,
    divided: Sequence[Block],
    write: Callable[[str, Block], PageTable],
    data: Grid | None,
) -> PageTable:
    """Write the first block of a table for its page, and each further one for a page of its own.
    All link to the same file for programs."""
    file = f"{name}{grids.DATA}"
    if data:
        site.writer.write(f"{page}/{file}", grids.to_csv(data))
    further = tuple(
        FurtherPage(
            address := f"{page}/{name}/{number}",
            block.words,
            # The page of a further part is one folder deeper.
            replace(write(address, block), data=f"../{file}" if data else ""),
        )
        for number, block in enumerate(divided[1:], 2)
    )
    return replace(
        write(page, divided[0]),
        data=f"{page.rpartition('/')[2]}/{file}" if data else "",
        rows=max(stop for _, stop in (block.rows for block in divided)),
        part=divided[0].words,
        further=further,
    )


def _written(
    site: Site,
    page: str,
    name: str,
    title: str,
    grid: Grid,
    exact: Grid | None = None,
    behind: Behind | None = None,
) -> PageTable:
    """Write the CSV of a page. ``exact`` is the table with exact numbers, which the page rounds;
    ``behind`` are the runs behind its cells."""
    folder, content = page.rpartition("/")[2], exact or grid
    texts = page_tables.texts(content)
    site.writer.write(f"{page}/{name}.csv", page_tables.to_csv(texts))
    return PageTable(
        title,
        f"{folder}/{name}.csv",
        link_name(page, name),
        extra=page_tables.extra(content),
        behind=behind,
        header_rows=len(content.header),
        # Docutils rejects tables that consist of stub columns only.
        stub_columns=min(content.stub, len(content.header[0]) - 1),
        widths=page_tables.widths(texts),
        rows=len(grid.rows),
        size=len(grids.to_csv(grid)),
        weight=blocks.weight(content),
    )


@dataclass(frozen=True, slots=True)
class Target:
    """A page that gets tables and charts of figures. ``prefix`` begins their link names, and
    ``more`` ends their captions. They link to ``provenance`` or, by default, to the sources of the
    page. Columns and rows of a table beyond ``max_elements`` HTML elements go to further pages."""

    site: Site
    page: str
    prefix: str = ""
    more: str = ""
    provenance: ProvenancePage | None = None
    max_elements: int = MAX_ELEMENTS


def view(
    target: Target,
    name: str,
    view: View,
    title: str = "",
    same: Sequence[tuple[str, str]] = (),
    guides: Collection[GuideKey] = (),
    loads: Mapping[tuple[int, ...], Load] = {},
) -> PageTable:
    """Write the files of a view's table. ``same`` are the parameters in its caption, which copies
    of the table state, ``guides`` are those of its figures, and ``loads`` are CPU loads for its
    CSV."""
    site, page, provenance = target.site, target.page, target.provenance
    caption = title or view.title
    lines = (*view.above, *remarks.above(view, site.pool))
    above = tuple(f"{label}: {text}" for label, text in lines)
    origin = link_name(provenance.address, name) if provenance else link_name(page, SOURCES)
    facts = _facts(guides)

    def write_block(address: str, block: Block) -> PageTable:
        part = blocks.of_view(view, block)
        notes, marks = site.marks.of(part)
        exact = grids.grid(part, exact=True)
        exact = structs.replace(
            exact,
            notes=notes,
            marks=marks,
            shorts=grids.shorts(exact, site.boards.in_heads),
            same=[*facts, *same, *view.above],
        )
        behind = cells.behind(part, site.pool)
        written = _written(site, address, name, caption, grids.grid(part), exact, behind)
        return replace(written, above=above, origin=origin)

    def write() -> PageTable:
        whole, in_heads = grids.grid(view, exact=True), site.boards.in_heads
        shorts = {name: s for name, s in grids.shorts(whole, in_heads).items() if name in in_heads}
        divided = blocks.blocks(whole, target.max_elements, wide=True)
        data = grids.data(view, facts, shorts, loads)
        return _divided(site, page, name, divided, write_block, data)

    def unmade(why: str) -> PageTable:
        return PageTable(caption, "", link_name(page, name), unmade=why)

    return site.making.attempt(f"the table “{caption}”", page, write, unmade)


def _facts(guides: Collection[GuideKey]) -> list[tuple[str, str]]:
    """Return those of SoC, system and release that all guides have in common."""
    facts = {
        "SoC": {key.soc for key in guides},
        "System": {family(key) for key in guides},
        "Release": {key.release for key in guides},
    }
    return [(name, next(iter(values))) for name, values in facts.items() if len(values) == 1]


def charts(
    target: Target, section: Section, anchor: str, kind_of_page: str, scene: Scene
) -> list[PageChart]:
    """Write the charts of a section for one kind of page: “guide”, “newest” or “releases”."""
    specs = (spec for spec in section.benchmark.entry.charts if spec.on == kind_of_page)
    written = []
    for spec in specs:
        name = f"{anchor}-{spec.id}"
        written.append(
            target.site.making.attempt(
                f"the chart “{spec.title}”",
                target.page,
                partial(_chart, target, section, name, spec, scene),
                partial(_unmade_chart, spec.title, link_name(target.page, name)),
            )
        )
    return [drawn for drawn in written if drawn]


def _unmade_chart(title: str, name: str, why: str) -> PageChart:
    return PageChart(title, name, unmade=why)


def _chart(
    target: Target, section: Section, name: str, spec: Chart, scene: Scene
) -> PageChart | None:
    """Write a chart of a section; return ``None`` if it would have nothing to compare."""
    drawn = with_figures(section.benchmark, spec, section.records, scene)
    if not drawn:
        return None
    more = len(drawn) - MAX_PICTURES
    drawn = drawn[:MAX_PICTURES]
    views = [view for view, _ in drawn]
    is_part = section.part and not spec.title.endswith(section.part)
    title = f"{spec.title}, {section.part}" if is_part and spec.on == "guide" else spec.title
    has_levels = spec.answer == "cpu-share"
    written = chart(target.site, target.page, name, title, views, has_levels)
    if more > 0:
        sentence = ("", f"{more} more pictures are not drawn; their figures are in the tables.")
        written = replace(written, sentences=(*written.sentences, sentence))
    if target.provenance is not None:
        # A chart may draw figures from several tables.
        tables = dict.fromkeys(target.site.layout.table(r) for _, records in drawn for r in records)
        links = ",".join(link_name(target.provenance.address, table) for table in tables)
        written = _with_origin(written, links)
    return written


def chart(
    site: Site,
    page: str,
    name: str,
    title: str,
    views: Sequence[ChartView],
    has_levels: bool = False,
) -> PageChart:
    """Write the data of a chart, and register its pictures to be drawn later.

    With ``has_levels``, the chart comes with a table of its measured levels.
    """
    pictures, seen = list[Picture](), Counter[str]()
    for view in views:
        # Different parameters may read the same: the number 16 and the text “16”.
        suffix = f" {seen[view.name]}" if seen[view.name] else ""
        seen[view.name] += 1
        pictures.append(Picture(gallery.stem(page, name, f"{view.name}{suffix}"), view))
    site.pictures.extend(pictures)
    site.writer.write(f"{page}/{name}.csv", grids.to_csv(gallery.data(views)))
    shares = None
    if has_levels:
        grid, left_out = gallery.levels(views)
        shares = table(site, page, f"{name}-left", f"{title}: measured levels", grid)
        if left_out:
            sentence = "A selection: the chart's CSV has all measured points."
            shares = replace(shares, above=(sentence,))
    names_by_sentence: dict[str, list[str]] = {}
    for view in views:
        for sentence in (*view.says, *view.warnings):
            names_by_sentence.setdefault(sentence, []).append(view.name)
    # A sentence that applies to several pictures is given once.
    sentences = [
        ("" if views[0].small or len(names) == len(views) > 1 else ", ".join(names), sentence)
        for sentence, names in names_by_sentence.items()
    ]
    written = PageChart(
        title,
        link_name(page, name),
        page_pictures(page, pictures),
        f"{page.rpartition('/')[2]}/{name}.csv",
        tuple(sentences),
        shares,
        views[0].small,
    )
    return _with_origin(written, link_name(page, SOURCES))


def _with_origin(chart: PageChart, origin: str) -> PageChart:
    """Return the chart and its table with links to the origin of the figures."""
    shares = chart.shares and replace(chart.shares, origin=origin)
    return replace(chart, shares=shares, origin=origin)


def page_pictures(page: str, pictures: Sequence[Picture]) -> tuple[PagePicture, ...]:
    """Return the pictures of a chart as its page refers to them."""
    folder = page.rpartition("/")[2]
    return tuple(
        PagePicture(
            visible(picture.view.name),
            # Each builder picks the format that it supports.
            f"{folder}/{picture.stem.rpartition('/')[2]}.*",
            visible(picture.view.text(), MAX_ALT_CHARS),
        )
        for picture in pictures
    )


def small_charts(
    site: Site, page: str, name: str, title: str, views: Sequence[ChartView]
) -> list[PageChart]:
    """Write small pictures as one chart; return none if there are no views."""
    if not views:
        return []
    written = chart(site, page, name, title, views[: trends.MAX_PICTURES])
    if (more := len(views) - trends.MAX_PICTURES) > 0:
        sentence = ("", f"{more} more figures are in the tables.")
        written = replace(written, sentences=(*written.sentences, sentence))
    return [written]


def general(
    target: Target, name: str, views: Sequence[View], guides: Collection[GuideKey] = ()
) -> PagePart:
    """Write the tables of a benchmark's figures that belong to no described table."""
    slug = f"other-{slugs.slug(name)}"
    tables = []
    for general_view in views:
        title = ", ".join(filter(None, (general_view.title, target.more)))
        end = general_view.id if target.prefix else f"{slug}{general_view.id.removeprefix('other')}"
        tables.append(view(target, f"{target.prefix}{end}", general_view, title, guides=guides))
    return PagePart(target.site.catalog.title(name), slug, tuple(tables))


def part(target: Target, section: Section, boards: Sequence[str] = ()) -> PagePart:
    """Write the tables and charts of a section of the layout; ``boards`` are those of its guide."""
    site, benchmark = target.site, section.benchmark
    slug = slugs.slug(benchmark.name)
    anchor = f"{slug}--{section.part_id}" if section.part_id else slug
    repeated = {table.id for table in benchmark.entry.tables if table.repeats}
    same = [(benchmark.param_label(benchmark.entry.split), section.part)] if section.part else []
    guides = {record.guide for record in section.records}
    loads = _loads(section)
    tables, drawn = [], list[PageChart]()
    for of_table in section.views:
        title = ", ".join(filter(None, (of_table.title, section.part, target.more)))
        name = f"{target.prefix}{anchor}-{of_table.id}"
        written = view(target, name, of_table, title, same, guides, loads)
        tables.append(replace(written, repeats=of_table.id in repeated))
    # Pages about several guides, which have a prefix, draw their own kinds of charts.
    if not target.prefix:
        scene = Scene(boards=site.boards, order=tuple(boards))
        drawn = charts(target, section, anchor, "guide", scene)
    if tables and not target.prefix:
        # The notes apply to all tables but appear once.
        notes = _notes_on_engines(site, section)
        tables[0] = replace(tables[0], above=(*tables[0].above, *notes))
    commands = site.pool.commands(section.records)
    usual = benchmark.entry.command
    return PagePart(
        section.part,
        anchor,
        tuple(tables),
        tuple(drawn),
        tuple(commands[:MAX_COMMANDS] or ([usual] if usual else [])),
        not commands,
        max(0, len(commands) - MAX_COMMANDS),
    )


def _loads(section: Section) -> dict[tuple[int, ...], Load]:
    """Return the CPU load beside each rate of a section, by the members of the rate's cell."""
    benchmark, loads = section.benchmark, dict[tuple[int, ...], Load]()
    figures = {engines.identity(record): record for record in section.records}
    for rate in section.records:
        if load := engines.load_beside(rate, figures):
            share = engines.load_of(benchmark, rate.metric, load.params)
            label = f"{benchmark.metric_label(load.metric)} {share}"
            loads[rate.cell.members] = units.heading(label.rstrip(), load.unit), load.cell
    return loads


def _notes_on_engines(site: Site, section: Section) -> list[str]:
    inferred = engines.inferred(section.records, site.catalog)
    algorithm = partial(section.benchmark.value_label, "algorithm")
    soc = section.records[0].guide.soc if section.records else ""
    phrases = engines.words(section.records, inferred, algorithm, partial(site.boards.short, soc))
    notes = [f"Engine not recorded: {words}" for words in phrases]
    return notes + [f"Engine: {words}" for words in engines.busy(section.records, site.catalog)]
