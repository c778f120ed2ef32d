"""The site's data in the built site: its files, links to them, and the explorer's page."""

from __future__ import annotations

import posixpath
from html import escape
from pathlib import Path
from typing import Any, ClassVar

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.builders.html import StandaloneHTMLBuilder
from sphinx.util.docutils import SphinxDirective
from sphinx.util.osutil import relative_uri
from sphinx.util.typing import ExtensionMetadata, OptionSpec

from ..export import explorer, json_api

SCRIPTS = tuple(f"perfguide-{name}.js" for name in ("drawing", "figures", "shown", "explore"))
"""The page's scripts in the order in which they need each other."""

FLAG = "perf-explorer"
"""The metadata of a page that needs the scripts."""


class perf_data(nodes.General, nodes.Element):  # noqa: N801
    """Links to files of the site's data; only formats that are the site have them."""


class perf_explorer(nodes.General, nodes.Element):  # noqa: N801
    """The place of the explorer; its children are what is read without script."""


class PerfData(SphinxDirective):
    """Links to the data of one guide, or of the whole site where none is named."""

    optional_arguments = 1
    final_argument_whitespace = True
    option_spec: ClassVar[OptionSpec] = {}

    def run(self) -> list[nodes.Node]:
        """Make the node."""
        if self.arguments:
            path = self.arguments[0]
            words = "Download this guide: "
            files = [
                (f"{path}.json", "JSON"),
                (f"{path}.xlsx", "spreadsheet (.xlsx)"),
                (f"{path}.parquet", "Parquet"),
            ]
        else:
            words = "Begin with: "
            files = [("index.json", "index.json"), ("datapackage.json", "datapackage.json")]
        return [perf_data("", words=words, files=files)]


class PerfExplorer(SphinxDirective):
    """The explorer, with its content for a reader without script."""

    has_content = True
    option_spec: ClassVar[OptionSpec] = {}

    def run(self) -> list[nodes.Node]:
        """Make the node, and mark the page."""
        self.env.metadata[self.env.docname][FLAG] = "yes"
        place = perf_explorer()
        self.set_source_info(place)
        self.state.nested_parse(self.content, self.content_offset, place)
        return [place]


def _is_site(builder: Any) -> bool:
    """Whether a builder makes a site, where files have addresses of their own."""
    return isinstance(builder, StandaloneHTMLBuilder) and builder.name != "epub"


def _top(builder: Any, docname: str) -> str:
    """The way from a page to the top of the site: ``../../``, or nothing."""
    own = builder.get_target_uri(docname)
    if own.startswith("#"):
        return ""
    return relative_uri(own, "index.html").removesuffix("index.html")


def _visit_data(translator: Any, node: perf_data) -> None:
    builder = translator.builder
    if not _is_site(builder):
        raise nodes.SkipNode
    top = _top(builder, builder.current_docname)
    links = ", ".join(
        f'<a class="reference" href="{escape(f"{top}{json_api.ROOT}/{file}")}">{escape(text)}</a>'
        for file, text in node["files"]
    )
    translator.body.append(f'<p class="perf-data">{escape(node["words"])}{links}</p>\n')
    raise nodes.SkipNode


def _visit_explorer(translator: Any, node: perf_explorer) -> None:
    builder = translator.builder
    if not _is_site(builder):
        return
    here = builder.current_docname
    # What a page of the core is called in the site, with a mark in the place of its name.
    page = posixpath.normpath(posixpath.join(builder.config.perfguide_output, "PAGE"))
    start, _, end = builder.get_relative_uri(here, page).rpartition("PAGE")
    files = f"{_top(builder, here)}{json_api.ROOT}/{explorer.FOLDER}/"
    values = {"files": files, "start": start, "end": end}
    data = "".join(f' data-{name}="{escape(value)}"' for name, value in values.items())
    translator.body.append(f'<div class="perf-explorer"{data}><div class="perf-explorer-plain">\n')


def _depart_explorer(translator: Any, node: perf_explorer) -> None:
    if _is_site(translator.builder):
        translator.body.append("</div></div>\n")


def _nothing(translator: Any, node: nodes.Element) -> None:
    pass


def _skip(translator: Any, node: nodes.Element) -> None:
    raise nodes.SkipNode


def _page_script(
    app: Sphinx, pagename: str, _template: str, _context: dict[str, Any], doctree: nodes.document
) -> None:
    """Send the script with the explorer's page alone."""
    if doctree and FLAG in app.env.metadata[pagename]:
        for name in SCRIPTS:
            app.add_js_file(name, loading_method="defer")


def _publish(app: Sphinx, exception: Exception | None) -> None:
    """Put the data beside the pages that were written from it."""
    if exception is None and _is_site(app.builder):
        source = Path(app.srcdir, app.config.perfguide_output, json_api.ROOT)
        mirror(source, Path(app.outdir, json_api.ROOT))


def mirror(source: Path, target: Path) -> None:
    """Make a folder hold the files of another one and no others.

    A file with the right bytes is left alone, so that its time of change stays.
    """
    wanted = {p.relative_to(source) for p in source.rglob("*") if p.is_file()}
    present = {p.relative_to(target) for p in target.rglob("*") if not p.is_dir()}
    for name in sorted(present - wanted):
        (target / name).unlink()
    for name in sorted(wanted):
        data = (source / name).read_bytes()
        path = target / name
        if name in present and path.read_bytes() == data:
            continue
        path.parent.mkdir(parents=True, exist_ok=True)
        # A reader never sees half a file: it is written aside and moved into place.
        aside = path.with_name(f"{path.name}.part")
        aside.write_bytes(data)
        aside.replace(path)
    for folder in sorted((p for p in target.rglob("*") if p.is_dir()), reverse=True):
        if not any(folder.iterdir()):
            folder.rmdir()


def setup(app: Sphinx) -> ExtensionMetadata:
    """Register the directives, the nodes and what happens when."""
    app.add_directive("perf-data", PerfData)
    app.add_directive("perf-explorer", PerfExplorer)
    others = ("latex", "text", "man", "texinfo")
    without: Any = dict.fromkeys(others, (_skip, None))
    app.add_node(perf_data, html=(_visit_data, None), **without)
    plain: Any = dict.fromkeys(others, (_nothing, _nothing))
    app.add_node(perf_explorer, html=(_visit_explorer, _depart_explorer), **plain)
    app.connect("html-page-context", _page_script)
    app.connect("build-finished", _publish)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
