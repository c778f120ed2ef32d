"""Numbers for tables and figures that begin anew on each page.

Sphinx counts through all pages, so one more guide in the middle would change
the numbers, and with them the pages, of every guide after it.
"""

from __future__ import annotations

from collections.abc import Set

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.environment.collectors.toctree import TocTreeCollector
from sphinx.util.typing import ExtensionMetadata


class PageNumbers(TocTreeCollector):
    """Sphinx's collector with numbers that depend on their own page alone."""

    def process_doc(self, app: Sphinx, doctree: nodes.document) -> None:
        """Collect the table of contents, and count what has a caption and an address."""
        super().process_doc(app, doctree)
        standard = app.env.domains.standard_domain
        numbers: dict[str, dict[str, tuple[int, ...]]] = {}
        for node in doctree.findall(nodes.Element):
            kind = standard.get_enumerable_node_type(node)
            if kind and node["ids"] and standard.get_numfig_title(node):
                own = numbers.setdefault(kind, {})
                own[node["ids"][0]] = (len(own) + 1,)
        app.env.toc_fignumbers[app.env.current_document.docname] = numbers

    def merge_other(
        self, app: Sphinx, env: BuildEnvironment, docnames: Set[str], other: BuildEnvironment
    ) -> None:
        """Take over what another process has collected."""
        super().merge_other(app, env, docnames, other)
        for docname in docnames:
            env.toc_fignumbers[docname] = other.toc_fignumbers.get(docname, {})

    def assign_figure_numbers(self, env: BuildEnvironment) -> list[str]:
        """Nothing to assign over pages, so no page needs writing for its numbers."""
        return []


def _replace_collector(app: Sphinx, _config: object) -> None:
    if not app.config.perfguide_number_by_page:
        return
    for listener in list(app.events.listeners["env-get-updated"]):
        collector = getattr(listener.handler, "__self__", None)
        if type(collector) is TocTreeCollector:
            collector.disable(app)
            app.add_env_collector(PageNumbers)


def setup(app: Sphinx) -> ExtensionMetadata:
    """Put the collector in the place of Sphinx's own where the configuration asks for it."""
    app.connect("config-inited", _replace_collector)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
