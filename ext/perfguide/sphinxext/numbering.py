"""Table and figure numbers that start at 1 on each page.

Sphinx counts across all pages, so a new guide in the middle would change the numbers, and hence the
pages, of every guide after it.
"""

from __future__ import annotations

from collections.abc import Iterable

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment

from . import internals


def _count(app: Sphinx, doctree: nodes.document) -> None:
    """Number a page's nodes that have both a caption and an anchor."""
    standard = app.env.domains.standard_domain
    numbers: dict[str, dict[str, tuple[int, ...]]] = {}
    for node in doctree.findall(nodes.Element):
        kind = standard.get_enumerable_node_type(node)
        if kind and node["ids"] and standard.get_numfig_title(node):
            of_kind = numbers.setdefault(kind, {})
            of_kind[node["ids"][0]] = (len(of_kind) + 1,)
    # Sphinx drops these numbers together with the page's table of contents.
    app.env.toc_fignumbers[app.env.current_document.docname] = numbers


def _merge(
    _app: Sphinx, env: BuildEnvironment, docnames: Iterable[str], other: BuildEnvironment
) -> None:
    """Add the numbers of pages that another process has read."""
    for docname in docnames:
        env.toc_fignumbers[docname] = other.toc_fignumbers.get(docname, {})


def _number_by_page(app: Sphinx, _config: object) -> None:
    if app.config.perfguide_number_by_page:
        internals.number_no_figures(app)
        app.connect("doctree-read", _count)
        app.connect("env-merge-info", _merge)


def setup(app: Sphinx) -> None:
    """Number by page if ``perfguide_number_by_page`` is set."""
    app.connect("config-inited", _number_by_page)
