"""Parts of generated pages that HTML shows in a way of its own: folds, histories, links to data."""

from __future__ import annotations

from html import escape
from typing import Any
from urllib.parse import quote

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx.util.typing import ExtensionMetadata

from ..compare import sparkline
from ..export import json_api
from .internals import is_site, way_to_top


class perf_fold(nodes.General, nodes.Element):  # noqa: N801
    """A part that is folded until a reader opens it; ``summary`` is the text that shows."""


class perf_history(nodes.Inline, nodes.TextElement):  # noqa: N801
    """A history: ``heights`` from 0 to 1, ``new`` the place of the newer release, ``words`` what
    it shows. Its text is the history in characters, for all but HTML."""


class perf_site_file(nodes.Inline, nodes.TextElement):  # noqa: N801
    """A link to a file of the site's data, by its name below their folder."""


def _open_fold(translator: Any, node: perf_fold) -> None:
    summary = escape(node["summary"])
    translator.body.append(f'<details class="perf-fold"><summary>{summary}</summary>\n')


def _close_fold(translator: Any, node: perf_fold) -> None:
    translator.body.append("</details>\n")


def _visit_history(translator: Any, node: perf_history) -> None:
    translator.body.append(sparkline.svg(tuple(node["heights"]), node["new"], node["words"]))
    raise nodes.SkipNode


def _open_link(translator: Any, node: perf_site_file) -> None:
    builder = translator.builder
    if is_site(builder):
        file = f"{json_api.ROOT}/{quote(node['file'], safe='/=@')}"
        uri = f"{way_to_top(builder, builder.current_docname)}{file}"
        translator.body.append(f'<a class="reference" href="{escape(uri)}">')


def _close_link(translator: Any, node: perf_site_file) -> None:
    if is_site(translator.builder):
        translator.body.append("</a>")


def _as_text(_translator: Any, _node: nodes.Element) -> None:
    """Leave the words."""


class Unfold(SphinxPostTransform):
    """For all formats but HTML: the content behind its heading."""

    default_priority = 179

    def run(self, **kwargs: Any) -> None:
        """Replace every folded part."""
        if self.app.builder.format == "html":
            return
        for fold in list(self.document.findall(perf_fold)):
            title = nodes.paragraph("", "", nodes.strong("", nodes.Text(fold["summary"])))
            fold.replace_self([title, *fold.children])


def setup(app: Sphinx) -> ExtensionMetadata:
    """Register the nodes and the transform."""
    words: dict[str, Any] = dict.fromkeys(("latex", "text", "man", "texinfo"), (_as_text, _as_text))
    app.add_node(perf_fold, html=(_open_fold, _close_fold))
    app.add_node(perf_history, html=(_visit_history, None), **words)
    app.add_node(perf_site_file, html=(_open_link, _close_link), **words)
    app.add_post_transform(Unfold)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
