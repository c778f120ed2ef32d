"""Writes the tables and charts of a page, with their files, and the parts that consist of them."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
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
from ..tables import cells, grids, remarks
from ..tables.assign import Section
from ..tables.grids import Grid
from ..tables.model import View
from .context import ProvenancePage, Site, link_name

SOURCES = "sources"
SOURCES_TITLE = "Sources"
"""The name and the title of the table, on a page over several guides, that says in
which of them its figures stand, and where these come from."""

MOST_PICTURES = 24
"""Pictures of one chart: nobody looks through more, and an upload can ask for thousands."""

MOST_COMMANDS = 6
"""Commands that a section shows; the others are with their figures."""


@dataclass(frozen=True, slots=True)
class PageTable:
    """A table on a page: its caption, the file that it is made from, its name in links."""

    title: str
    file: str
    name: str
    origin: str = ""
    """The name that the link to the origin of the figures leads to."""
    origin_title: str = ""
    rows: int = 0
    size: int = 0
    """The bytes of its CSV: about three times what the table adds to its page, compressed."""
    unmade: str = ""
    """Why there is none; it has no file then."""
    above: tuple[str, ...] = ()
    """What is said of all its figures; it stands above the table."""


@dataclass(frozen=True, slots=True)
class PageChart:
    """A chart on a page: its caption, its file, its name in links, the sentences above it as
    (alternative, sentence), and the table of its measured levels."""

    title: str
    file: str
    name: str
    sentences: tuple[tuple[str, str], ...]
    shares: PageTable | None
    origin: str = ""
    """The names, joined by commas, that the links to the origin of the figures lead to."""
    origin_title: str = ""
    unmade: str = ""
    """Why there is none; it has no file then."""


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
    site: Site, page: str, name: str, title: str, grid: Grid, exact: Grid | None = None
) -> PageTable:
    """Write a table's files beside its page, into the folder of the page's name. The page
    rounds the numbers of ``exact``, where it is given."""
    folder = page.rpartition("/")[2]
    data = grids.to_csv(grid)
    site.writer.write(f"{page}/{name}.csv", data)
    site.writer.write(f"{page}/{name}{grids.FILE}", grids.to_file(exact or grid))
    file = f"{folder}/{name}{grids.FILE}"
    return PageTable(title, file, link_name(page, name), rows=len(grid.rows), size=len(data))


def view(
    site: Site,
    page: str,
    name: str,
    view: View,
    title: str = "",
    provenance: ProvenancePage | None = None,
) -> PageTable:
    """Write a view's table beside its page. Its figures come from where ``provenance`` says, or
    else from where the sources of the page say."""
    caption = title or view.title
    return site.keeping.attempt(
        f"the table “{caption}”",
        page,
        lambda: _view(site, page, name, view, caption, provenance),
        lambda why: PageTable(caption, "", link_name(page, name), unmade=why),
    )


def _view(
    site: Site, page: str, name: str, view: View, title: str, provenance: ProvenancePage | None
) -> PageTable:
    notes, marks = site.marks.of(view)
    samples = cells.behind(view, site.pool)
    if samples:
        site.writer.write(f"{page}/{name}{cells.FILE}", samples)
    exact = grids.grid(view, exact=True)
    exact = structs.replace(
        exact,
        notes=notes,
        marks=marks,
        behind=bool(samples),
        data=True,
        shorts=grids.shorts(exact, site.boards.in_heads),
    )
    site.writer.write(f"{page}/{name}{grids.DATA}", grids.to_csv(grids.data(view)))
    lines = (*view.above, *remarks.above(view, site.pool))
    above = tuple(f"{label}: {text}" for label, text in lines)
    written = replace(table(site, page, name, title, grids.grid(view), exact), above=above)
    if provenance is None:
        return replace(written, origin=link_name(page, SOURCES), origin_title=SOURCES_TITLE)
    origin = link_name(provenance.address, name)
    return replace(written, origin=origin, origin_title=provenance.title)


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
        own = site.keeping.attempt(
            f"the chart “{spec.title}”",
            page,
            partial(_chart, site, page, section, name, spec, scene, provenance),
            partial(_no_chart, spec.title, link_name(page, name)),
        )
        written += [own] if own else []
    return written


def _no_chart(title: str, name: str, why: str) -> PageChart:
    return PageChart(title, "", name, (), None, unmade=why)


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
        own = _with_origin(own, links, provenance.title)
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
    file = chart_file(site, page, name, pictures, views[0].small)
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
    written = PageChart(title, file, link_name(page, name), tuple(words), shares)
    return _with_origin(written, link_name(page, SOURCES), SOURCES_TITLE)


def _with_origin(chart: PageChart, origin: str, title: str) -> PageChart:
    """The chart, and the table beside it, with links to the origin of the figures."""
    shares = chart.shares and replace(chart.shares, origin=origin, origin_title=title)
    return replace(chart, shares=shares, origin=origin, origin_title=title)


def chart_file(
    site: Site, page: str, name: str, pictures: Sequence[Picture], small: bool = False
) -> str:
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
            for p in pictures
        ],
    }
    text = json.dumps(content, indent=1, ensure_ascii=False)
    site.writer.write(f"{page}/{name}.json", text.encode("utf-8") + b"\n")
    return f"{folder}/{name}.json"


def small_charts(
    site: Site, page: str, name: str, title: str, views: Sequence[ChartView]
) -> list[PageChart]:
    """Many small pictures as one chart, or none where there is nothing to show."""
    if not views:
        return []
    written = chart(site, page, name, title, views[: trends.MOST])
    if (more := len(views) - trends.MOST) > 0:
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
) -> PagePart:
    """The part of a page that shows what no table of the catalog takes of one benchmark."""
    slug = f"other-{slugs.slug(name)}"
    tables = []
    for each in views:
        title = ", ".join(filter(None, (each.title, more)))
        own = f"{prefix}{each.id}" if prefix else f"{slug}{each.id.removeprefix('other')}"
        tables.append(view(site, page, own, each, title, provenance))
    return PagePart(site.catalog.title(name), slug, tuple(tables))


def part(
    site: Site,
    page: str,
    section: Section,
    prefix: str = "",
    more: str = "",
    provenance: ProvenancePage | None = None,
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
        tables.append(view(site, page, f"{prefix}{anchor}-{each.id}", each, title, provenance))
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
