"""The role ``perf``: a figure in prose, looked up and checked at each build."""

from __future__ import annotations

from collections.abc import Callable, Sequence, Set
from functools import cache
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.util.docutils import SphinxRole
from sphinx.util.nodes import make_refnode

from ..common.diagnostics import Diagnostic
from ..common.slugs import anchor
from ..export import badge
from ..export.badge import FigureFinder, QuotedFigure
from ..figures.dataset import Holdings
from . import internals
from .config import page_name, warn

KIND = "perf-figure"

SEEN = "perfguide_quoted_from"
"""The attribute of an environment with the hash of what its pages' figures were looked up in."""

SHOWN = "perf-figures"
"""In the metadata of a page, which Sphinx forgets and merges: its queries, and what each gave
when the page was read."""


class PerfFigure(SphinxRole):
    """A figure with its unit, which leads to its section of the guide."""

    def __init__(self, lookup: Lookup) -> None:
        super().__init__()
        self.lookup = lookup

    def run(self) -> tuple[list[nodes.Node], list[nodes.system_message]]:
        """Make the node; a query that names not just one figure shows as it stands."""
        figure = self.lookup.find(self.text)
        metadata: dict[str, Any] = self.env.metadata[self.env.docname]
        metadata.setdefault(SHOWN, {})[self.text] = repr(figure)
        if isinstance(figure, Diagnostic):
            warn([figure], location=self.get_location())
            return [nodes.literal(self.text, self.text)], []
        text = nodes.inline(figure.text, figure.text, classes=["perf-quoted"])
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
    """What the role looks figures up in. Processes that Sphinx starts inherit it."""

    _figures: Callable[[], FigureFinder]
    _inputs: str

    def prepare(self, read: Callable[[], Holdings], inputs: str) -> None:
        """Take the holdings of this build, which are read at the first query, and a hash of
        what they were made from, which is empty where it is not known."""
        self._figures, self._inputs = cache(lambda: FigureFinder(read())), inputs

    def find(self, query: str) -> QuotedFigure | Diagnostic:
        """The figure that a query names, or what is wrong with the query."""
        return self._figures().find(query)

    def outdated(self, _app: Sphinx, env: BuildEnvironment, *_changes: Set[str]) -> Sequence[str]:
        """The pages that would now show another figure; Sphinx leaves out those that are gone."""
        if self._inputs and vars(env).get(SEEN) == self._inputs:
            return []
        vars(env)[SEEN] = self._inputs
        shown = ((page, metadata.get(SHOWN, {})) for page, metadata in env.metadata.items())
        return sorted(
            page
            for page, figures in shown
            if any(repr(self.find(query)) != before for query, before in figures.items())
        )

    def write_badges(self, app: Sphinx, exception: Exception | None) -> None:
        """Write the badges that the configuration names, as ``badges/NAME.svg``."""
        if exception is not None or not internals.is_site(app.builder):
            return
        for name, query in sorted(app.config.perfguide_badges.items()):
            if not badge.is_name(name):
                hint = "letters, digits, “.”, “_” and “-”, with a letter or digit first"
                warn([Diagnostic("figure", name, "is no name for a badge", hint)])
                continue
            figure = self.find(query)
            if isinstance(figure, Diagnostic):
                warn([figure], location="perfguide_badges")
                continue
            target = Path(app.outdir, "badges", f"{name}.svg")
            target.parent.mkdir(exist_ok=True)
            target.write_bytes(badge.svg(figure.label, figure.text, figure.words))


def _resolve(
    app: Sphinx, _env: BuildEnvironment, node: addnodes.pending_xref, content: nodes.Element
) -> nodes.Element | None:
    if node["reftype"] != KIND:
        return None
    return make_refnode(
        app.builder, node["refdoc"], node["page"], node["reftarget"], content, node["words"]
    )


def setup(app: Sphinx) -> Lookup:
    """Register the role; what it returns has to be given the holdings of each build."""
    lookup = Lookup()
    app.add_role("perf", PerfFigure(lookup))
    app.connect("env-get-outdated", lookup.outdated)
    app.connect("missing-reference", _resolve)
    app.connect("build-finished", lookup.write_badges, priority=400)
    return lookup
