"""The data of a site and the pages that work with them: the explorer, the finder, the search page;
and descriptions for search engines."""

from __future__ import annotations

import json
from html import escape
from pathlib import Path
from typing import Any, ClassVar

import msgspec
from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from ..common import extras
from ..export import explorer, finder, json_api
from ..publishing.store import below, remove, update
from ..tables import page_tables
from . import feeds, theme
from .config import page_name
from .internals import is_site, way_to_top

MAX_DESCRIPTION_CHARS = 300
"""The length at which search engines cut descriptions."""

EXPLORER = "perf-explorer"
"""The metadata key of a page with the folder of the explorer's data."""

SCRIPTS = tuple(f"perfguide-{name}.js" for name in ("drawing", "figures", "sides", "explore"))
"""Scripts of the explorer's page besides those of tables, in loading order."""


FINDER_SCRIPTS = tuple(
    f"perfguide-{name}.js" for name in ("drawing", "figures", "need", "answers", "board")
)
"""The same for the page that finds boards."""

CHOICE_SCRIPT, COMPARISONS = "perfguide-choose.js", "compare/index"
"""The script that lets readers choose two releases, and the page that it is for."""

FINDINGS_SCRIPT, HEALTH = "perfguide-health.js", "reports/health"
"""The script that lets readers choose findings, and the page that it is for."""

ROWS_SCRIPT = "perfguide-rows.js"
"""The script of pages that compare two releases."""


DATA_INDEXES = ("index.json", "datapackage.json")
"""The files of the site's data that lead to all others."""


class perf_data(nodes.General, nodes.Element):
    """Links to the indexes of the site's data, for site builders, followed by a ``note``."""


class PerfData(SphinxDirective):
    """The directive for links to the indexes of the site's data."""

    def run(self) -> list[nodes.Node]:
        """Return the node."""
        note = "" if extras.is_installed("parquet") else extras.advice("parquet")
        return [perf_data("", note=note)]


def _visit_data(translator: Any, node: perf_data) -> None:
    builder = translator.builder
    if is_site(builder):
        top = way_to_top(builder, builder.current_docname)
        links = ", ".join(
            f'<a class="reference" href="{top}{json_api.ROOT}/{file}">{file}</a>'
            for file in DATA_INDEXES
        )
        note = f". {escape(node['note'])}" if node["note"] else ""
        translator.body.append(f'<p class="perf-data">Begin with: {links}{note}</p>\n')
    raise nodes.SkipNode


def _skip(_translator: Any, _node: nodes.Element) -> None:
    raise nodes.SkipNode


class perf_explorer(nodes.container):
    """The container of the explorer; its children are for readers without scripts."""


class PerfExplorer(SphinxDirective):
    """The directive for the explorer; its content is for readers without scripts."""

    has_content = True
    folder: ClassVar[str] = explorer.FOLDER

    def run(self) -> list[nodes.Node]:
        """Return the node, and note in the metadata that the page has it."""
        self.env.metadata[self.env.docname][EXPLORER] = self.folder
        node = perf_explorer(folder=self.folder)
        self.set_source_info(node)
        self.state.nested_parse(self.content, self.content_offset, node)
        return [node]


class PerfFinder(PerfExplorer):
    """The directive for the page that finds boards; its content is for readers without scripts."""

    folder = finder.FOLDER


def _around_page(builder: Any, page: str) -> tuple[str, str]:
    """Return the start and end of an address between which a script inserts a generated page's
    name."""
    other = page_name(builder.config.perfguide_output, "PAGE")
    start, _, end = builder.get_relative_uri(page, other).rpartition("PAGE")
    return start, end


def _visit_explorer(translator: Any, node: perf_explorer) -> None:
    builder = translator.builder
    if not is_site(builder):
        return
    page = builder.current_docname
    start, end = _around_page(builder, page)
    files = f"{way_to_top(builder, page)}{json_api.ROOT}/{node['folder']}/"
    values = {"files": files, "start": start, "end": end}
    data = "".join(f' data-{name}="{escape(value)}"' for name, value in values.items())
    classes = "perf-explorer" + (" perf-finder" if node["folder"] == finder.FOLDER else "")
    translator.body.append(f'<div class="{classes}"{data}><div class="perf-explorer-plain">\n')


def _depart_explorer(translator: Any, node: perf_explorer) -> None:
    if is_site(translator.builder):
        translator.body.append("</div></div>\n")


def description(doctree: nodes.document) -> str:
    """Return the first paragraph of a page's own text, cut between words."""
    for paragraph in doctree.findall(nodes.paragraph):
        # Paragraphs in notes, lists and cells do not say what the page is about.
        if isinstance(paragraph.parent, nodes.section | nodes.document):
            return shortened(paragraph.astext())
    return ""


def shortened(text: str) -> str:
    """Return at most ``MAX_DESCRIPTION_CHARS`` characters on one line, cut between words."""
    text = " ".join(text.split())
    if len(text) <= MAX_DESCRIPTION_CHARS:
        return text
    return text[:MAX_DESCRIPTION_CHARS].rpartition(" ")[0].rstrip(".,;:") + " …"


def _page_facts(app: Sphinx, docname: str) -> dict[str, Any]:
    """Return facts about a generated page: ``description``, and ``rows`` for a comparison."""
    path = Path(app.srcdir, docname, page_tables.FILE)
    try:
        return page_tables.read_about(path.read_bytes())
    except (FileNotFoundError, msgspec.DecodeError):
        return {}  # a damaged file was reported when the page was read


def _explorer_from(app: Sphinx, pagename: str, folder: str = explorer.FOLDER) -> str:
    """Return the address of the explorer, or of the page that finds boards, relative to a page; ""
    if there is none."""
    explorers = (n for n, m in app.env.metadata.items() if m.get(EXPLORER) == folder)
    return "".join(app.builder.get_relative_uri(pagename, name) for name in sorted(explorers)[:1])


def _head(
    app: Sphinx, pagename: str, _template: str, context: dict[str, Any], doctree: nodes.document
) -> None:
    """Write the head of a page of ours, and add the explorer's scripts to its page."""
    if doctree and EXPLORER in app.env.metadata[pagename]:
        is_finder = app.env.metadata[pagename][EXPLORER] == finder.FOLDER
        for name in FINDER_SCRIPTS if is_finder else SCRIPTS:
            app.add_js_file(name, loading_method="defer")
    if doctree and is_site(app.builder) and (rows := _page_facts(app, pagename).get("rows")):
        files = f"{way_to_top(app.builder, pagename)}{json_api.ROOT}/"
        start, end = _around_page(app.builder, pagename)
        data = {"data-files": files, "data-name": rows, "data-start": start, "data-end": end}
        app.add_js_file(ROWS_SCRIPT, loading_method="defer", **data)
    if pagename == "search":
        context["perf_explorer"] = _explorer_from(app, pagename)
        context["perf_finder"] = _explorer_from(app, pagename, finder.FOLDER)
    if doctree and pagename == page_name(app.config.perfguide_output, COMPARISONS):
        data = {"data-explorer": _explorer_from(app, pagename)}
        app.add_js_file(CHOICE_SCRIPT, loading_method="defer", **data)
    if doctree and pagename == page_name(app.config.perfguide_output, HEALTH):
        app.add_js_file(FINDINGS_SCRIPT, loading_method="defer")
    if not theme.is_own(app, pagename):
        return
    if doctree:
        _describe(app, pagename, context, doctree)
    if tags := feeds.links(app, pagename, context):
        context["metatags"] = f"{context.get('metatags', '')}{tags}"


def _describe(app: Sphinx, pagename: str, context: dict[str, Any], doctree: nodes.document) -> None:
    """Write a page's description into its head, unless another extension has."""
    text = shortened(_page_facts(app, pagename).get("description", "")) or description(doctree)
    tags = context.get("metatags", "")
    if app.config.perfguide_description and text and 'name="description"' not in tags:
        context["metatags"] = f'{tags}\n  <meta name="description" content="{escape(text)}">'


def _search_words(app: Sphinx) -> None:
    """Write the search index of generated pages as a script for the search page."""
    index = feeds.read_generated(app, "guides/words.json") if is_site(app.builder) else None
    if index:
        for page in index["pages"]:
            page[0] = feeds.generated_uri(app, page[0])
        for ranking in index["rankings"]:
            ranking[1] = feeds.generated_uri(app, ranking[1]) if ranking[1] else ""
        text = json.dumps(index, ensure_ascii=False, separators=(",", ":"))
        # In pages opened as files, browsers allow loading scripts but not JSON.
        data = f"window.perfguideWords={text};\n".encode()
        update(Path(app.outdir, "_static", "perfguide-words.js"), data)


def _publish(app: Sphinx, exception: Exception | None) -> None:
    """Copy the data files, and write the feeds."""
    if exception is not None or not is_site(app.builder):
        return
    source = Path(app.srcdir, app.config.perfguide_output, json_api.ROOT)
    mirror(source, Path(app.outdir, json_api.ROOT))
    feeds.publish(app)


def mirror(source: Path, target: Path) -> None:
    """Make one folder's contents equal to another's."""
    starts = len(str(source)) + 1, len(str(target)) + 1
    wanted = {path[starts[0] :] for path in below(source)}
    present = {path[starts[1] :] for path in below(target)}
    for name in present - wanted:
        remove(target / name, target)
    for name in wanted:
        update(target / name, (source / name).read_bytes())


def setup(app: Sphinx) -> None:
    """Register the directives, the nodes and the listeners."""
    app.add_directive("perf-data", PerfData)
    app.add_directive("perf-explorer", PerfExplorer)
    app.add_directive("perf-finder", PerfFinder)
    others: Any = dict.fromkeys(("latex", "text", "man", "texinfo"), (_skip, None))
    app.add_node(perf_data, html=(_visit_data, None), **others)
    # In other formats, it is an ordinary container.
    app.add_node(perf_explorer, html=(_visit_explorer, _depart_explorer))
    # After the pages have been generated, which happens at the default priority.
    app.connect("builder-inited", _search_words, priority=600)
    # After extensions that write the same tags.
    app.connect("html-page-context", _head, priority=800)
    # Before the end of the build is recorded.
    app.connect("build-finished", _publish, priority=400)
