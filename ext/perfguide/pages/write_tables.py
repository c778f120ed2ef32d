"""Writes the tables and charts of a page, with their files, and the parts that consist of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial

from msgspec import structs

from ..catalog.chart_spec import Chart
from ..charts import gallery, trends
from ..charts.from_figures import Scene, with_figures
from ..charts.gallery import Picture
from ..charts.model import ChartView
from ..common import slugs
from ..common.diagnostics import visible
from ..figures import engines
from ..tables import blocks, cells, grids, page_tables, remarks
from ..tables.assign import Section
from ..tables.blocks import MAX_ELEMENTS, Block
from ..tables.grids import Grid
from ..tables.model import View
from ..tables.page_tables import Behind
from .context import ProvenancePage, Site
from .sentences import link_name

SOURCES = "sources"
SOURCES_TITLE = "Sources"
"""The name and the title of the table, on a page over several guides, that says in
which of them its figures stand, and where these come from."""

MOST_PICTURES = 24
"""Pictures of one chart: nobody looks through more, and an upload can ask for thousands."""

MAX_LIST_ELEMENTS = 2_000
"""Elements of the part of a list, such as that of the boards, that is on the page itself."""

MAX_ALT_CHARS = 1_000_000
"""The text of a picture is never cut."""

MOST_COMMANDS = 6
"""Commands that a section shows; the others are with their figures."""


@dataclass(frozen=True, slots=True)
class PageTable:
    """A table on a page: its caption, its CSV and its name in links.

    ``widths`` are those of its columns, where they have to be named, ``data`` is its CSV for programs, ``extra`` what the page's CSV cannot hold, and ``size`` the
    bytes of its text: about three times what it adds to its page, compressed. ``origin`` is the
    name that the link to the origin of the figures leads to, and ``above`` what is said of all of
    them. Where it could not be made, ``unmade`` says why, and it has no file.

    A table that is too large for its page is there in part, and ``rows`` counts all of it.
    ``part`` says which part that is, and ``further`` are the pages with the others. ``weight``
    is about how many HTML elements the part becomes.
    """

    title: str
    file: str
    name: str
    data: str = ""
    extra: bytes = b""
    header_rows: int = 1
    stub_columns: int = 0
    widths: tuple[int, ...] = ()
    origin: str = ""
    rows: int = 0
    size: int = 0
    unmade: str = ""
    above: tuple[str, ...] = ()
    part: str = ""
    further: tuple[FurtherPage, ...] = ()
    weight: int = 0

    def seen_from(self, folder: str) -> PageTable:
        """Return the table with its files as another page names them."""
        data = f"{folder}{self.data}" if self.data else ""
        return replace(self, file=f"{folder}{self.file}", data=data)


@dataclass(frozen=True, slots=True)
class FurtherPage:
    """The page of a further part of a table: its address, which part that is, and the part."""

    address: str
    part: str
    table: PageTable


@dataclass(frozen=True, slots=True)
class PagePicture:
    """A picture on a page: the alternative that it shows, its file and its text."""

    name: str
    file: str
    alt: str


@dataclass(frozen=True, slots=True)
class PageChart:
    """A chart on a page: its caption, its pictures, its name in links, the CSV of its points, the
    sentences above it as (alternative, sentence), and the table of its measured levels.

    ``origin`` has the names, joined by commas, that the links to the origin of the figures lead
    to. Where it could not be made, ``unmade`` says why, and it has no picture.
    """

    title: str
    name: str
    pictures: tuple[PagePicture, ...] = ()
    data: str = ""
    sentences: tuple[tuple[str, str], ...] = ()
    shares: PageTable | None = None
    small: bool = False
    origin: str = ""
    unmade: str = ""


@dataclass(frozen=True, slots=True)
class PagePart:
    """A part of a page: its title and its address there, its charts and tables, and commands.

    ``usual`` is whether the command is that of the description, and ``more`` how many commands
    are left out.
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
    """Write the files of a list into the folder of its page. Rows beyond ``max_elements`` go to
    further pages.

    ``data`` is the table for programs, which is not divided. Without ``has_data`` another file
    of the page has its content for programs.
    """

    def write(address: str, block: Block) -> PageTable:
        return _written(site, address, name, title, blocks.of_grid(grid, block))

    divided = blocks.blocks(grid, max_elements, wide=False)
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
    """Write the first block of a table for its page and each further one for a page of its own,
    all with a link to the same file for programs."""
    file = f"{name}{grids.DATA}"
    if data:
        site.writer.write(f"{page}/{file}", grids.to_csv(data))
    further = tuple(
        FurtherPage(
            address := f"{page}/{name}/{number}",
            block.words,
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
    """Write the CSV of a page. If ``exact`` is given, the page rounds its numbers; ``behind`` are
    the runs behind its cells."""
    folder, shown = page.rpartition("/")[2], exact or grid
    site.writer.write(f"{page}/{name}.csv", page_tables.to_csv(shown))
    return PageTable(
        title,
        f"{folder}/{name}.csv",
        link_name(page, name),
        "",
        page_tables.extra(shown, behind),
        len(shown.header),
        min(shown.stub, len(shown.header[0]) - 1),
        page_tables.widths(shown),
        rows=len(grid.rows),
        size=len(grids.to_csv(grid)),
        weight=blocks.weight(shown),
    )


def view(
    site: Site,
    page: str,
    name: str,
    view: View,
    title: str = "",
    provenance: ProvenancePage | None = None,
    max_elements: int = MAX_ELEMENTS,
) -> PageTable:
    """Write the files of a view's table. Columns and rows beyond ``max_elements`` go to further
    pages. A link leads to ``provenance``, or else to the sources of the page."""
    caption = title or view.title
    return site.making.attempt(
        f"the table “{caption}”",
        page,
        lambda: _view(site, page, name, view, caption, provenance, max_elements),
        lambda why: PageTable(caption, "", link_name(page, name), unmade=why),
    )


def _view(
    site: Site,
    page: str,
    name: str,
    view: View,
    title: str,
    provenance: ProvenancePage | None,
    max_elements: int,
) -> PageTable:
    lines = (*view.above, *remarks.above(view, site.pool))
    above = tuple(f"{label}: {text}" for label, text in lines)
    origin = link_name(provenance.address, name) if provenance else link_name(page, SOURCES)

    def write(address: str, block: Block) -> PageTable:
        own = blocks.of_view(view, block)
        notes, marks = site.marks.of(own)
        exact = grids.grid(own, exact=True)
        exact = structs.replace(
            exact,
            notes=notes,
            marks=marks,
            shorts=grids.shorts(exact, site.boards.in_heads),
        )
        behind = cells.behind(own, site.pool)
        written = _written(site, address, name, title, grids.grid(own), exact, behind)
        return replace(written, above=above, origin=origin)

    divided = blocks.blocks(grids.grid(view, exact=True), max_elements, wide=True)
    return _divided(site, page, name, divided, write, grids.data(view))


def charts(
    site: Site,
    page: str,
    section: Section,
    anchor: str,
    on: str,
    scene: Scene | None = None,
    provenance: ProvenancePage | None = None,
) -> list[PageChart]:
    """The charts of a section that stand on this kind of page."""
    written = []
    for spec in section.benchmark.entry.charts:
        if spec.on != on:
            continue
        name = f"{anchor}-{spec.id}"
        own = site.making.attempt(
            f"the chart “{spec.title}”",
            page,
            partial(_chart, site, page, section, name, spec, scene, provenance),
            partial(_no_chart, spec.title, link_name(page, name)),
        )
        written += [own] if own else []
    return written


def _no_chart(title: str, name: str, why: str) -> PageChart:
    return PageChart(title, name, unmade=why)


def _chart(
    site: Site,
    page: str,
    section: Section,
    name: str,
    spec: Chart,
    scene: Scene | None,
    provenance: ProvenancePage | None,
) -> PageChart | None:
    """A chart of a section, or none where there is nothing to compare."""
    drawn = with_figures(section.benchmark, spec, section.records, scene)
    if not drawn:
        return None
    more = len(drawn) - MOST_PICTURES
    drawn = drawn[:MOST_PICTURES]
    views = [view for view, _ in drawn]
    own = chart(site, page, name, spec.title, views, spec.answer == "cpu-share")
    if more > 0:
        sentence = ("", f"{more} more pictures are not drawn; their figures are in the tables.")
        own = replace(own, sentences=(*own.sentences, sentence))
    if provenance is not None:
        names = dict.fromkeys(site.layout.table(r) for _, records in drawn for r in records)
        links = ",".join(link_name(provenance.address, each) for each in names)
        own = _with_origin(own, links)
    return own


def chart(
    site: Site, page: str, name: str, title: str, views: Sequence[ChartView], left: bool = False
) -> PageChart:
    """Write what a chart is made of: pictures to draw, their data and their words.

    With ``left`` a table beside it has the measured levels.
    """
    pictures, seen = list[Picture](), Counter[str]()
    for view in views:
        # Different parameters can have the same words: the number 16 and the text “16”.
        again = f" {seen[view.name]}" if seen[view.name] else ""
        seen[view.name] += 1
        pictures.append(Picture(gallery.stem(page, name, f"{view.name}{again}"), view))
    site.pictures.extend(pictures)
    site.writer.write(f"{page}/{name}.csv", grids.to_csv(gallery.data(views)))
    shares = None
    if left:
        grid, left_out = gallery.levels(views)
        shares = table(site, page, f"{name}-left", f"{title}: measured levels", grid)
        if left_out:
            said = f"Some levels of each line; the chart's CSV has all {len(grid.rows) + left_out} points."
            shares = replace(shares, above=(said,))
    named: dict[str, list[str]] = {}
    for each in views:
        for sentence in (*each.says, *each.warnings):
            named.setdefault(sentence, []).append(each.name)
    # What is said of many pictures alike is said once.
    words = [
        ("" if views[0].small or len(names) == len(views) > 1 else ", ".join(names), sentence)
        for sentence, names in named.items()
    ]
    written = PageChart(
        title,
        link_name(page, name),
        shown_pictures(page, pictures),
        f"{page.rpartition('/')[2]}/{name}.csv",
        tuple(words),
        shares,
        views[0].small,
    )
    return _with_origin(written, link_name(page, SOURCES))


def _with_origin(chart: PageChart, origin: str) -> PageChart:
    """Return the chart, and the table beside it, with links to the origin of the figures."""
    shares = chart.shares and replace(chart.shares, origin=origin)
    return replace(chart, shares=shares, origin=origin)


def shown_pictures(page: str, pictures: Sequence[Picture]) -> tuple[PagePicture, ...]:
    """Return the pictures of a chart as its page names them."""
    folder = page.rpartition("/")[2]
    return tuple(
        PagePicture(
            visible(picture.view.name),
            f"{folder}/{picture.stem.rpartition('/')[2]}.*",
            visible(picture.view.text(), MAX_ALT_CHARS),
        )
        for picture in pictures
    )


def small_charts(
    site: Site, page: str, name: str, title: str, views: Sequence[ChartView]
) -> list[PageChart]:
    """Many small pictures as one chart, or none where there is nothing to show."""
    if not views:
        return []
    written = chart(site, page, name, title, views[: trends.MAX_PICTURES])
    if (more := len(views) - trends.MAX_PICTURES) > 0:
        sentence = ("", f"{more} more figures are in the tables.")
        written = replace(written, sentences=(*written.sentences, sentence))
    return [written]


def general(
    site: Site,
    page: str,
    name: str,
    views: Sequence[View],
    prefix: str = "",
    more: str = "",
    provenance: ProvenancePage | None = None,
    max_elements: int = MAX_ELEMENTS,
) -> PagePart:
    """The part of a page that shows what no table of the catalog takes of one benchmark."""
    slug = f"other-{slugs.slug(name)}"
    tables = []
    for each in views:
        title = ", ".join(filter(None, (each.title, more)))
        own = f"{prefix}{each.id}" if prefix else f"{slug}{each.id.removeprefix('other')}"
        tables.append(view(site, page, own, each, title, provenance, max_elements))
    return PagePart(site.catalog.title(name), slug, tuple(tables))


def part(
    site: Site,
    page: str,
    section: Section,
    prefix: str = "",
    more: str = "",
    provenance: ProvenancePage | None = None,
    max_elements: int = MAX_ELEMENTS,
) -> PagePart:
    """A section's subsection: its address, commands, charts and tables."""
    slug = slugs.slug(section.benchmark.name)
    anchor = f"{slug}--{section.part_id}" if section.part_id else slug
    tables = []
    known = engines.inferred(section.records, site.catalog)
    told = [f"Engine not recorded: {words}" for words in engines.words(section.records, known)]
    told += [f"Engine: {words}" for words in engines.busy(section.records, site.catalog)]
    for each in section.views:
        title = ", ".join(filter(None, (each.title, section.part, more)))
        name = f"{prefix}{anchor}-{each.id}"
        tables.append(view(site, page, name, each, title, provenance, max_elements))
    commands = site.pool.commands(section.records)
    usual = section.benchmark.entry.command
    scene = Scene(boards=site.boards)
    drawn = () if prefix else charts(site, page, section, anchor, "guide", scene, provenance)
    if told and tables and not prefix:
        # Once above the first table, for all of them.
        tables[0] = replace(tables[0], above=(*tables[0].above, *told))
    return PagePart(
        section.part,
        anchor,
        tuple(tables),
        tuple(drawn),
        tuple(commands[:MOST_COMMANDS] or ([usual] if usual else [])),
        not commands,
        max(0, len(commands) - MOST_COMMANDS),
    )
