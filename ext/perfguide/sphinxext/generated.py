"""Generated pages: plain reStructuredText, turned into the nodes of the full page.

A generated page also builds with just Sphinx and sphinx-tabs. Here, ordinary nodes with classes of
ours become this extension's nodes, on generated pages only.
"""

from __future__ import annotations

import csv
import re
from html import escape
from pathlib import Path
from typing import Any
from urllib.parse import quote

import msgspec
from docutils import nodes
from docutils.statemachine import StringList
from msgspec import structs
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.directives.patches import CSVTable
from sphinx.environment import BuildEnvironment
from sphinx.transforms import SphinxTransform
from sphinx.util.docutils import SphinxDirective
from sphinx.util.nodes import make_refnode
from sphinx_tabs.tabs import SphinxTabsPanel, SphinxTabsTab

from ..catalog import benchmarks
from ..charts import gallery
from ..common import slugs
from ..common.diagnostics import Diagnostic
from ..compare import sparkline
from ..export import json_api
from ..health.finding import KIND_WORDS
from ..pages.answers import Answers
from ..pages.ranking import Ranking
from ..pages.sentences import link_name
from ..pages.write_files import GENERATED
from ..tables import page_tables
from ..tables.page_tables import Extra, PageFigures
from . import internals
from .answers import perf_answers
from .config import page_name, settings, warn, warn_at
from .csv_table import table_of
from .file_links import file_link
from .internals import is_site, way_to_top
from .pictures import perf_picture
from .ranking import perf_ranking
from .screen_nodes import ScreenNode, writes
from .table_nodes import perf_leaf

FIRST_LINE = GENERATED.decode()
"""The first line of generated pages, a comment as far as plain Sphinx is concerned."""

_RIGHT_TO_LEFT = re.compile(
    "[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefe](?:.*[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefe])?",
    re.DOTALL,
)
"""A match spans from the first to the last right-to-left letter of a text."""

_FIGURES = "perfguide-figures"
"""The key in ``env.current_document`` of the :class:`PageFigures` of the page being read."""


class perf_fold(ScreenNode):
    """Content that is folded until a reader opens it, with a ``summary`` and optionally a
    ``detail`` in small type and a ``badge``."""

    def printed(self) -> list[nodes.Node]:
        """Return the content below its heading."""
        _, badge = self.get("badge", ("", ""))
        words = f"{badge}: {self['summary']}" if badge else self["summary"]
        heading = nodes.paragraph("", "", nodes.strong("", nodes.Text(words)))
        if detail := self.get("detail"):
            heading += nodes.Text(f" {detail}")
        return [heading, *self.children]


class perf_history(nodes.Inline, nodes.TextElement):
    """A history: ``heights`` from 0 to 1, ``new``, the index of the newer release, and ``words``
    for readers who cannot see it. Its text, for formats other than HTML, is drawn with
    characters."""


class perf_site_file(nodes.Inline, nodes.TextElement):
    """A link to a file of the site's data, named relative to the data folder."""


def _open_fold(translator: Any, node: perf_fold) -> None:
    summary = escape(node["summary"])
    if badge := node.get("badge"):
        kind, word = map(escape, badge)
        summary = f'<span class="perf-badge {kind}">{word}</span> {summary}'
    if detail := node.get("detail"):
        summary += f" <small>{escape(detail)}</small>"
    is_open = " open" if node.get("is_open") else ""
    translator.body.append(f'<details class="perf-fold"{is_open}><summary>{summary}</summary>\n')
    # Browsers open a fold if a link's target is inside it, but not if it is the target itself.
    translator.body.extend(f'<span id="{escape(name)}"></span>' for name in node["ids"])


def _visit_history(translator: Any, node: perf_history) -> None:
    translator.body.append(sparkline.svg(tuple(node["heights"]), node["new"], node["words"]))
    raise nodes.SkipNode


def _open_link(translator: Any, node: perf_site_file) -> None:
    builder = translator.builder
    if is_site(builder):
        # The names of Parquet folders contain “=” and “@”.
        file = f"{json_api.ROOT}/{quote(node['file'], safe='/=@')}"
        uri = f"{way_to_top(builder, builder.current_docname)}{file}"
        translator.body.append(f'<a class="reference" href="{escape(uri)}">')


def _close_link(translator: Any, node: perf_site_file) -> None:
    if is_site(translator.builder):
        translator.body.append("</a>")


def _as_text(_translator: Any, _node: nodes.Element) -> None:
    """Write only the text of a node."""


def _begin(app: Sphinx, docname: str, source: list[str]) -> None:
    """Read a generated page's JSON file, and insert directives for its first line and for the texts
    of benchmarks, which are read from their own files."""
    output = app.config.perfguide_output
    # A page elsewhere that begins with this line is a copy, and belongs to the project.
    if not (source[0].startswith(FIRST_LINE) and _is_in_output(output, docname)):
        return
    figures = app.env.current_document[_FIGURES] = _read_figures(app.env, docname)
    lines = source[0].split("\n")
    lines[0] = ".. perf-generated::"
    for number, (first, count, _) in enumerate(figures.prose):
        if first + count <= len(lines):
            indent = " " * (len(lines[first]) - len(lines[first].lstrip()))
            # Keep the number of lines, so that warnings name the right ones.
            directive = f"{indent}.. perf-prose:: {number}"
            lines[first : first + count] = [directive, *[""] * (count - 1)]
    source[0] = "\n".join(lines)


def _is_in_output(output: str, name: str) -> bool:
    """Return whether a file, relative to the sources, is in the folder of generated files."""
    folder = page_name(output, "")
    return not name.startswith("../") and (folder == "." or name.startswith(f"{folder}/"))


def _read_figures(env: BuildEnvironment, docname: str) -> PageFigures:
    name = f"{docname}/{page_tables.FILE}"
    try:
        data = Path(env.srcdir, name).read_bytes()
    except FileNotFoundError:
        return PageFigures()
    env.note_dependency(name)
    try:
        return page_tables.read_page_file(data)
    except msgspec.DecodeError as error:
        finding = Diagnostic("table", name, f"cannot be read: {error}", "generate it again")
        warn([finding], location=docname)
        return PageFigures()


class PerfGenerated(SphinxDirective):
    """The directive that starts a generated page and disables raw markup and file insertion
    there."""

    def run(self) -> list[nodes.Node]:
        """Disable both for the rest of the page."""
        values = internals.own_settings(self.state.document)
        values.perf_project_rights = (values.raw_enabled, values.file_insertion_enabled)
        values.raw_enabled = values.file_insertion_enabled = False
        # Show text from bundles verbatim.
        values.smart_quotes = False
        return []


class PerfProse(SphinxDirective):
    """The directive that inserts a benchmark's text into a generated page."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        """Return the nodes of the text."""
        figures = figures_of(self.env)
        if figures is None:
            raise self.error("perf-prose is a part of generated pages")
        name = figures.prose[int(self.arguments[0])][2]
        folders = settings(self.config, Path(self.env.srcdir)).benchmarks
        path = benchmarks.prose(folders, name)
        if path is None:
            hint = f"write {name}.toml and {name}.rst"
            return warn_at(self, "catalog-prose", name, "has no text", hint)
        self.env.note_dependency(str(path))
        lines = StringList(path.read_text("utf-8").splitlines(), source=str(path))
        holder = nodes.Element()
        values = self.state.document.settings
        restricted = (values.raw_enabled, values.file_insertion_enabled)
        # The text belongs to the project, so it may do what hand-written pages may.
        values.raw_enabled, values.file_insertion_enabled = values.perf_project_rights
        try:
            self.state.nested_parse(lines, 0, holder)
        finally:
            values.raw_enabled, values.file_insertion_enabled = restricted
        return holder.children


def figures_of(env: BuildEnvironment) -> PageFigures | None:
    """Return the contents of the JSON file of the page being read; ``None`` unless it is
    generated."""
    figures: PageFigures | None = env.current_document.get(_FIGURES)
    return figures


class PageTable(CSVTable, SphinxDirective):
    """``csv-table``: on generated pages a leaf whose cells are text, elsewhere the one of
    Sphinx."""

    def run(self) -> list[nodes.Node]:  # type: ignore[override]  # answers are no tables
        """Return the nodes of the table."""
        figures = figures_of(self.env)
        if figures is None or "file" not in self.options:
            return list(super().run())
        name, path = self.env.relfn2path(self.options["file"])
        if not (name.endswith(".csv") and _is_in_output(self.config.perfguide_output, name)):
            return list(super().run())  # reports that the page cannot insert this file
        extra = figures.tables.get(self.options["file"], Extra())
        try:
            self.env.note_dependency(name)
            if extra.answers:
                return self._answers(extra)
            return self._table(Path(path).read_bytes(), extra)
        except (OSError, ValueError, IndexError, csv.Error, msgspec.DecodeError) as error:
            message = f"cannot be read: {error}"
            return warn_at(self, "table", name, message, "generate it again")

    def _table(self, data: bytes, extra: Extra) -> list[nodes.Node]:
        header_rows = self.options.get("header-rows", 0)
        stub = self.options.get("stub-columns", 0)
        rows = page_tables.read_csv(data)
        grid = page_tables.grid(rows, header_rows, stub, extra)
        leaf = perf_leaf(grid, self.config.perfguide_output)
        leaf["file"] = self.options["file"]
        if extra.cells:
            # A child of the table, so that Sphinx copies the file into the site.
            leaf += file_link(self.env.docname, f"{self.env.docname}/{page_tables.FILE}")
        return table_of(self, leaf)

    def _answers(self, extra: Extra) -> list[nodes.Node]:
        top = self.config.perfguide_output
        node: ScreenNode
        if "ranking" in extra.answers:
            ranking = msgspec.convert(extra.answers["ranking"], Ranking)
            node = perf_ranking(ranking=ranking, top=top)
        else:
            answers = msgspec.convert(extra.answers, Answers)
            other_page = extra.page if page_name(top, extra.page) != self.env.docname else ""
            node = perf_answers(answers=answers, top=top, page=other_page)
        self.set_source_info(node)
        self.add_name(node)
        return [node]


class _GeneratedTransform(SphinxTransform):
    """A transform that applies to generated pages only."""

    def apply(self, **kwargs: Any) -> None:
        figures = figures_of(self.env)
        if figures is not None:
            self.change(figures)

    def change(self, figures: PageFigures) -> None:
        """Change the page being read."""
        raise NotImplementedError


PAGES_WITH_CHAPTERS = ("guide", "soc", "benchmark")
"""The first anchors of pages that consist of many short sections."""


FOLDED_SECTIONS = ("acknowledged",)
"""The anchors of sections that are folded, subsections included."""


class SectionAnchors(_GeneratedTransform):
    """Set permanent anchors and classes. Sections, folds and links to moved content get the anchor
    that their link name starts with; a page's first section gets classes by which style sheets
    distinguish kinds of pages."""

    default_priority = 262  # after targets have moved to the elements that follow them

    def change(self, figures: PageFigures) -> None:
        """Set the anchors and classes."""
        document = self.document
        containers = document.findall(nodes.container)
        kinds = {"perf-moved", "perf-event", "perf-fold"}
        addressed = (node for node in containers if kinds & {*node["classes"]})
        for section in (*document.findall(nodes.section), *addressed):
            # Docutils derives a name from each title; a type of true marks the explicit ones.
            explicit = [name for name in section["names"] if document.nametypes.get(name)]
            anchor = next((n.partition(" of ")[0] for n in explicit if " of " in n), "")
            if not anchor:
                continue
            others = [document.nameids[name] for name in explicit if " of " not in name]
            # Links and tables of contents use the first id.
            section["ids"] = [anchor, *others]
            if isinstance(section.parent, nodes.document):
                chapters = ["perf-chapters"] if anchor in PAGES_WITH_CHAPTERS else []
                section["classes"] += ["perf-page", f"perf-{anchor}-page", *chapters]
            if anchor in FOLDED_SECTIONS:
                title, *content = section.children
                section.children = [title, perf_fold("", *content, summary="Show them")]
                section.setup_child(section.children[1])
            document.ids[anchor] = section
            for name in section["names"]:
                if document.nameids.get(name) not in others:
                    document.nameids[name] = anchor


class Parts(_GeneratedTransform):
    """Replace containers, lists and inline text that have our classes with nodes of this
    extension."""

    default_priority = 270

    def change(self, figures: PageFigures) -> None:
        """Replace the nodes."""
        # These loops iterate over lists because they modify the tree.
        for container in list(self.document.findall(nodes.container)):
            if "perf-fold" in container["classes"]:
                line, *content = container.children
                strong = next(iter(line.findall(nodes.strong)), None)
                summary = strong.astext() if strong else line.astext()
                fold = perf_fold("", *content, summary=summary, ids=container["ids"])
                fold["is_open"] = "perf-unfolded" in container["classes"]
                if badge := next((i for i in line.findall(nodes.inline) if i["classes"]), None):
                    fold["badge"] = (badge["classes"][0], badge.astext())
                fold["detail"] = line.astext().partition(summary)[2].strip()
                container.parent.replace(container, fold)
            elif "perf-chart" in container["classes"]:
                container.parent.replace(container, _chart(container))
        for figure in list(self.document.findall(nodes.figure)):
            image = figure.children[0]
            if "perf-chart" in figure["classes"] and isinstance(image, nodes.image):
                figure["classes"] = ["perf-chart"]
                figure.attributes.pop("align", None)
                picture = perf_picture("", image.deepcopy(), label="", size=None)
                figure.replace(image, picture)
        for meta in list(self.document.findall(nodes.meta)):
            meta.parent.remove(meta)  # metadata.py writes the description into the head
        self._replace_words(figures)
        for section in self.document.findall(nodes.section):
            if _is_title_redundant(section):
                section["classes"].append("perf-named-below")
        _isolate(self.document)
        for picture in list(self.document.findall(perf_picture)):
            self._add_narrow(picture)
            for image in picture.findall(nodes.image):
                image["loading"] = "lazy"  # browsers only fetch the drawing they show

    def _add_narrow(self, picture: perf_picture) -> None:
        """Add a picture's phone version, if there is one."""
        image = picture.children[0]
        assert isinstance(image, nodes.image)
        uri = f"{image['uri'].removesuffix('.*')}{gallery.NARROW}"
        if image["uri"].endswith(".*") and Path(self.env.relfn2path(uri)[1]).is_file():
            image["classes"] += ["perf-wide"]
            picture += nodes.image(uri=uri, alt=image.get("alt", ""), classes=["perf-phone"])

    def _replace_words(self, figures: PageFigures) -> None:
        """Replace histories within text, and lists of facts."""
        histories = iter(figures.histories)
        for inline in list(self.document.findall(nodes.inline)):
            if "perf-history" in inline["classes"] and (drawn := next(histories, None)):
                text = inline.astext()
                inline.parent.replace(inline, perf_history(text, text, **structs.asdict(drawn)))
        for fields in list(self.document.findall(nodes.field_list)):
            if "perf-facts" in fields["classes"]:
                _emphasise(fields)
            if {"perf-facts", "perf-moves"} & {*fields["classes"]}:
                fields.replace_self(_definitions(fields))


def _is_title_redundant(section: nodes.section) -> bool:
    """Return whether a section needs no visible title: it repeats that of the enclosing section; or
    the section begins with a caption, and all its captions share a word with the title; or it has
    no parts, and all its captions are the title or end with it."""
    title, around = section[0].astext(), section.parent
    if isinstance(around, nodes.section) and around[0].astext() == title:
        return True
    captions = [table[0].astext() for table in section.findall(nodes.table)]
    charts = [caption.astext() for caption in section.findall(nodes.caption)]
    first, words = _first_shown(section), {*slugs.words(title).split("-")} - {""}
    is_captioned = isinstance(first, nodes.table | nodes.figure)
    if is_captioned and all(words & {*slugs.words(c).split("-")} for c in (*captions, *charts)):
        return True
    if any(isinstance(child, nodes.section) for child in section):
        return False
    return bool(captions) and all(
        caption == title or caption.endswith(f", {title}") for caption in (*captions, *charts)
    )


def _first_shown(section: nodes.section) -> nodes.Node | None:
    """Return the first content of a section on a page, below its title and those of its parts."""
    # Docutils notes that a part is named as an earlier one.
    unseen = addnodes.only | nodes.target | nodes.Invisible | nodes.system_message
    first = next((e for e in section[1:] if not (isinstance(e, unseen) or _is_above(e))), None)
    return _first_shown(first) if isinstance(first, nodes.section) else first


def _is_above(node: nodes.Node) -> bool:
    """Return whether these are sentences about the table that follows."""
    return isinstance(node, nodes.bullet_list) and "perf-above" in node["classes"]


def _isolate(document: nodes.document) -> None:
    """Isolate right-to-left text, which would otherwise reorder the text around it."""
    for text in list(document.findall(nodes.Text)):
        run = _RIGHT_TO_LEFT.search(text)
        if run and not isinstance(text.parent, nodes.FixedTextElement):
            inline = nodes.inline(run[0], run[0], classes=["perf-text"])
            ends = [nodes.Text(part) for part in (text[: run.start()], text[run.end() :])]
            text.parent.replace(
                text, [text for text in (ends[0], inline, ends[1]) if text.astext()]
            )


def _emphasise(facts: nodes.field_list) -> None:
    """Emphasise the numbers of findings, and figures, which are links to tables."""
    for strong in facts.findall(nodes.strong):
        noun = strong.astext().rpartition(" ")[2].removesuffix("s")
        for severity, word in KIND_WORDS.items():
            if noun == word:
                strong["classes"] += ["perf-badge", f"perf-badge-{severity}"]
    for link in list(facts.findall(addnodes.pending_xref)):
        if link["reftype"] == "ref" and " of " not in link["reftarget"]:
            strong = nodes.strong()
            link.parent.replace(link, strong)
            strong += link


def _definitions(fields: nodes.field_list) -> nodes.definition_list:
    """Return a field list as a definition list, which themes leave unstyled."""
    out = nodes.definition_list(classes=["simple", *fields["classes"]])
    out.source, out.line = fields.source, fields.line
    for name, body in (field.children for field in fields.children):
        term = nodes.term("", "", *name.children)
        out += nodes.definition_list_item("", term, nodes.definition("", *body.children))
    return out


def _chart(container: nodes.container) -> nodes.figure:
    """Return a chart that consists of several pictures as one figure with its caption."""
    figure = nodes.figure(
        ids=container["ids"],
        names=container["names"],
        classes=[name for name in container["classes"] if name.startswith("perf-")],
    )
    figure.source, figure.line = container.source, container.line
    *alternatives, caption = container.children
    for alternative in alternatives:
        for label, image in _pictures(alternative):
            figure += perf_picture("", image, label=label, size=None)
    figure += nodes.caption(caption.astext(), "", *caption.children)
    return figure


def _pictures(node: nodes.Node) -> list[tuple[str, nodes.image]]:
    """Return the names and pictures of a set of tabs, or of a figure."""
    if isinstance(node, nodes.figure):
        caption = next(child for child in node.children if isinstance(child, nodes.caption))
        return [(caption.astext(), image) for image in node.findall(nodes.image)]
    # For builders without tabs, sphinx-tabs makes containers whose first child is the name.
    names = [tab.astext() for tab in node.findall(SphinxTabsTab)]
    panels: list[nodes.Node] = [*node.findall(SphinxTabsPanel)]
    if not names:
        names = [outer.children[0].astext() for outer in node.children]
        panels = [outer.children[1] for outer in node.children]
    return [
        (name, image)
        for name, panel in zip(names, panels, strict=True)
        for image in panel.findall(nodes.image)
    ]


class Files(_GeneratedTransform):
    """Set links to files as ordinary text, and link to the site's data without copying it."""

    default_priority = 270

    def change(self, figures: PageFigures) -> None:
        """Replace the links."""
        top = page_name(self.config.perfguide_output, json_api.ROOT)
        for link in list(self.document.findall(addnodes.download_reference)):
            name, _ = self.env.relfn2path(link["reftarget"])
            if name.startswith(f"{top}/"):
                words = link.astext()
                file = name.removeprefix(f"{top}/")
                link.parent.replace(link, perf_site_file(words, words, file=file))
            else:
                link.children = [nodes.Text(link.astext())]


def _to_lost_section(
    app: Sphinx, env: BuildEnvironment, node: addnodes.pending_xref, _content: nodes.Element
) -> nodes.Element | None:
    """Return a link to a section of a page that currently consists of a notice, because it could
    not be made. That way, the linking page stays the same once the fault is fixed."""
    anchor, sign, page = node["reftarget"].partition(" of ")
    output: str = app.config.perfguide_output
    if not sign or node["reftype"] != "ref" or not _is_in_output(output, node["refdoc"]):
        return None
    start = f"{page_name(output, '')}/".removeprefix("./")
    named = [
        name
        for name in env.found_docs
        if name.startswith(start) and link_name(name.removeprefix(start)) == page
    ]
    # Pages whose link names differ only in capitals cannot be distinguished here.
    labels = env.domains.standard_domain.anonlabels.values()
    if len(named) != 1 or any(name == named[0] for name, _ in labels):
        return None  # the page has named sections, so it is no notice: the link is wrong
    words = nodes.inline(node.astext(), node.astext(), classes=["std", "std-ref"])
    return make_refnode(app.builder, node["refdoc"], named[0], anchor, words)


def setup(app: Sphinx) -> None:
    """Register the directives, nodes and transforms."""
    app.connect("missing-reference", _to_lost_section)
    app.connect("source-read", _begin)
    app.add_directive("perf-generated", PerfGenerated)
    app.add_directive("perf-prose", PerfProse)
    app.add_directive("csv-table", PageTable, override=True)
    for transform in (SectionAnchors, Parts, Files):
        app.add_transform(transform)
    others: dict[str, Any] = dict.fromkeys(("latex", "text", "man", "texinfo"), (_as_text,) * 2)
    app.add_node(perf_fold, html=(_open_fold, writes("</details>\n")))
    app.add_node(perf_history, html=(_visit_history, None), **others)
    app.add_node(perf_site_file, html=(_open_link, _close_link), **others)
