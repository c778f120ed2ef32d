"""The ``perf`` role, which puts a figure into prose and looks it up at each build."""

from __future__ import annotations

from collections.abc import Callable, Sequence, Set
from functools import cache
from typing import Any

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.util.docutils import SphinxRole
from sphinx.util.nodes import make_refnode

from ..common.diagnostics import Diagnostic
from ..common.slugs import anchor
from ..export.quoted_figures import FigureFinder, QuotedFigure
from ..figures.dataset import Addresses, Holdings
from .config import page_name, warn

KIND = "perf-figure"

INPUTS_KEY = "perfguide_quoted_from"
"""The attribute of the environment that holds a hash of the inputs behind quoted figures."""

FIGURES_KEY = "perf-figures"
"""The page metadata key for its queries and the results they had when the page was read. Sphinx
merges metadata from processes and drops it together with the page."""


class PerfFigure(SphinxRole):
    """A figure with its unit, linked to its section of the guide."""

    def __init__(self, lookup: Lookup) -> None:
        super().__init__()
        self.lookup = lookup

    def run(self) -> tuple[list[nodes.Node], list[nodes.system_message]]:
        """Return a link to the figure; a query without exactly one result is shown verbatim."""
        figure = self.lookup.find(self.text)
        metadata: dict[str, Any] = self.env.metadata[self.env.docname]
        metadata.setdefault(FIGURES_KEY, {})[self.text] = repr(figure)
        if isinstance(figure, Diagnostic):
            warn([figure], location=self.get_location())
            return [nodes.literal(self.text, self.text)], []
        text = nodes.inline(figure.text, figure.text, classes=["perf-quoted"])
        # Show the figure exactly as guides do.
        text["support_smartquotes"] = False
        reference = addnodes.pending_xref(
            "",
            text,
            refdomain="",
            reftype=KIND,
            refexplicit=True,
            refwarn=True,
            reftarget=f"{anchor(figure.anchor.table)}{figure.anchor.row}",
            refdoc=self.env.docname,
        )
        reference["page"] = page_name(self.config.perfguide_output, figure.anchor.page)
        reference["words"] = figure.words
        return [reference], []


class Lookup:
    """The figures of a build. Processes that Sphinx forks inherit it."""

    _finder: Callable[[str], FigureFinder]
    _inputs: str

    def prepare(
        self, quoted_from: Callable[[str], tuple[Holdings, Addresses]], inputs: str
    ) -> None:
        """Set the function that reads the figures of all SoCs whose names match a pattern, and a
        hash of everything that figures depend on."""
        self._finder = cache(lambda socs: FigureFinder(*quoted_from(socs)))
        self._inputs = inputs

    def find(self, query: str) -> QuotedFigure | Diagnostic:
        """Return the figure that a query names, or a diagnostic that says why there is none."""
        figure = self._finder(query.partition("/")[0].strip()).find(query)
        # Suggestions for a misspelt name need all figures.
        return self._finder("*").find(query) if isinstance(figure, Diagnostic) else figure

    def outdated(self, _app: Sphinx, env: BuildEnvironment, *_changes: Set[str]) -> Sequence[str]:
        """Return the pages on which a figure has changed; Sphinx ignores pages that are gone."""
        # If the inputs are the same, no figure has changed, and no bundle needs to be read.
        if self._inputs and vars(env).get(INPUTS_KEY) == self._inputs:
            return []
        vars(env)[INPUTS_KEY] = self._inputs
        return sorted(
            page
            for page, metadata in env.metadata.items()
            if any(
                repr(self.find(query)) != before
                for query, before in metadata.get(FIGURES_KEY, {}).items()
            )
        )


def _resolve(
    app: Sphinx, _env: BuildEnvironment, node: addnodes.pending_xref, content: nodes.Element
) -> nodes.Element | None:
    if node["reftype"] != KIND:
        return None
    return make_refnode(
        app.builder, node["refdoc"], node["page"], node["reftarget"], content, node["words"]
    )


def setup(app: Sphinx) -> Lookup:
    """Register the role; the caller has to prepare the result with each build's figures."""
    lookup = Lookup()
    app.add_role("perf", PerfFigure(lookup))
    app.connect("env-get-outdated", lookup.outdated)
    app.connect("missing-reference", _resolve)
    return lookup
