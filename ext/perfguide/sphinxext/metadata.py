"""What a page tells search engines and the search page of itself."""

from __future__ import annotations

import json
import re
from html import escape
from pathlib import Path
from typing import Any, ClassVar
from xml.etree import ElementTree

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.builders.html import StandaloneHTMLBuilder
from sphinx.environment import BuildEnvironment
from sphinx.util.docutils import SphinxDirective
from sphinx.util.typing import ExtensionMetadata, OptionSpec

from ..common.diagnostics import Diagnostic
from .config import warn

SITEMAP = "http://www.sitemaps.org/schemas/sitemap/0.9"
LONGEST = 300
"""Characters of a description; search engines cut what is longer."""
ABOUT = "perf-about"
REDIRECT = "perf-redirect"


class PerfAbout(SphinxDirective):
    """Names the file that says what the page is about."""

    required_arguments = 1
    option_spec: ClassVar[OptionSpec] = {}

    def run(self) -> list[nodes.Node]:
        """Remember the file; it is read when the page is written."""
        name, path = self.env.relfn2path(directives.path(self.arguments[0]))
        self.env.note_dependency(name)
        try:
            json.loads(Path(path).read_bytes())["description"]
        except (OSError, ValueError, KeyError, TypeError) as error:
            finding = Diagnostic("about", name, f"cannot be read: {error}", "generate it anew")
            warn([finding], location=self.get_location())
            return []
        self.env.metadata[self.env.docname][ABOUT] = name
        return []


def _told(env: BuildEnvironment, docname: str) -> dict[str, Any]:
    name = env.metadata[docname].get(ABOUT)
    if not name:
        return {}
    told: dict[str, Any] = json.loads(Path(env.srcdir, name).read_bytes())
    return told


def description(doctree: nodes.document) -> str:
    """The first paragraph of a page's own text, cut between words."""
    for paragraph in doctree.findall(nodes.paragraph):
        if isinstance(paragraph.parent, nodes.section | nodes.document):
            return shortened(paragraph.astext())
    return ""


def shortened(text: str) -> str:
    """At most ``LONGEST`` characters on one line, cut between words."""
    text = " ".join(text.split())
    if len(text) <= LONGEST:
        return text
    return text[:LONGEST].rpartition(" ")[0].rstrip(".,;:") + " …"


def address(app: Sphinx, docname: str) -> str:
    """A page's address on the web, or nothing where the site's is not known."""
    base: str = app.config.html_baseurl
    if not base:
        return ""
    return f"{base.rstrip('/')}/{app.builder.get_target_uri(docname)}"


def _page_context(
    app: Sphinx, pagename: str, _template: str, context: dict[str, Any], doctree: nodes.document
) -> None:
    """Write the head of a page."""
    if not doctree or not isinstance(app.builder, StandaloneHTMLBuilder):
        return
    tags = []
    target = app.env.metadata[pagename].get(REDIRECT)
    if target:
        folder = pagename.rpartition("/")[0]
        leads = f"{folder}/{target}"
        uri = app.builder.get_relative_uri(pagename, leads)
        tags.append(f'<meta http-equiv="refresh" content="0; url={escape(uri)}">')
        # What is said of both pages counts for the one that it leads to.
        context["pageurl"] = address(app, leads) or context.get("pageurl")
    told = _told(app.env, pagename)
    title = re.sub(r"<[^>]*>", "", str(context.get("title", "")))
    text = shortened(told.get("description", "")) or description(doctree)
    given = str(context.get("metatags", ""))
    if text and 'name="description"' not in given:
        tags.append(f'<meta name="description" content="{escape(text)}">')
    kind = "website" if pagename == app.config.root_doc else "article"
    graph = {"type": kind, "site_name": app.config.html_title, "description": text}
    tags.append(f'<meta property="og:title" content="{title}">')
    graph["url"] = "" if target else address(app, pagename)
    tags += [
        f'<meta property="og:{name}" content="{escape(value)}">'
        for name, value in graph.items()
        if value
    ]
    if "dataset" in told:
        tags.append(_data_block(_dataset(app, pagename, told["dataset"], doctree)))
    context["metatags"] = "\n  ".join([given, *tags])


def _dataset(
    app: Sphinx, pagename: str, dataset: dict[str, Any], doctree: nodes.document
) -> dict[str, Any]:
    """The Dataset with what only the site knows: its addresses and who publishes it."""
    whole = {**dataset, "creator": {"@type": "Organization", "name": app.config.author}}
    page = address(app, pagename)
    if page:
        whole |= {"@id": page, "url": page}
        base = app.config.html_baseurl.rstrip("/")
        whole["distribution"] = [
            {
                "@type": "DataDownload",
                "encodingFormat": "text/csv",
                "name": node["reftarget"].rpartition("/")[2],
                "contentUrl": f"{base}/_downloads/{node['filename']}",
            }
            for node in doctree.findall(addnodes.download_reference)
            if "filename" in node
        ]
    return whole


def _data_block(value: dict[str, Any]) -> str:
    """JSON-LD in a page. It is data: no browser runs it, and no policy needs to allow it."""
    text = json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    # Nothing in it can end the element or begin a comment.
    text = text.replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e")
    return f'<script type="application/ld+json">{text}</script>'


def _search_words(app: Sphinx) -> None:
    """Put the words that the generator wrote where the search page finds them."""
    builder = app.builder
    if not isinstance(builder, StandaloneHTMLBuilder) or builder.name == "epub":
        return
    output = app.config.perfguide_output
    try:
        index = json.loads(Path(app.srcdir, output, "guides/words.json").read_bytes())
    except FileNotFoundError:
        return
    for page in index["pages"]:
        page[0] = builder.get_target_uri(f"{output}/{page[0]}")
    text = json.dumps(index, ensure_ascii=False, separators=(",", ":"))
    target = Path(app.outdir, "_static", "perfguide-words.js")
    target.parent.mkdir(parents=True, exist_ok=True)
    # A script, and not JSON: a page from a folder may load the one and not the other.
    target.write_text(f"window.perfguideWords={text};\n", "utf-8")


def _write_sitemap(app: Sphinx, exception: Exception | None) -> None:
    """Write the sitemap, where the site's address is known."""
    if exception is not None or not isinstance(app.builder, StandaloneHTMLBuilder):
        return
    if not app.config.html_baseurl or app.builder.name == "epub":
        return
    pages = sorted(name for name in app.env.found_docs if REDIRECT not in app.env.metadata[name])
    told = {name: _told(app.env, name).get("dataset", {}) for name in pages}
    _write(Path(app.outdir, "sitemap.xml"), _sitemap(app, told))


def _sitemap(app: Sphinx, told: dict[str, dict[str, Any]]) -> ElementTree.Element:
    top = ElementTree.Element("urlset", xmlns=SITEMAP)
    for name, dataset in told.items():
        entry = ElementTree.SubElement(top, "url")
        ElementTree.SubElement(entry, "loc").text = address(app, name)
        if dataset:
            ElementTree.SubElement(entry, "lastmod").text = dataset["dateModified"]
    return top


def _write(path: Path, top: ElementTree.Element) -> None:
    ElementTree.indent(top)
    path.write_bytes(ElementTree.tostring(top, "utf-8", xml_declaration=True) + b"\n")


def setup(app: Sphinx) -> ExtensionMetadata:
    """Register the directive and the events."""
    app.add_directive("perf-about", PerfAbout)
    # After the pages have been generated, which is at the usual priority.
    app.connect("builder-inited", _search_words, priority=600)
    app.connect("html-page-context", _page_context)
    # Before the end of the build is noted.
    app.connect("build-finished", _write_sitemap, priority=400)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
