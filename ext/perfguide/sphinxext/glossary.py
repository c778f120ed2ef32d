"""The ``perf-term`` role: a glossary term, linked where a page first uses it."""

from __future__ import annotations

from typing import Any

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.roles import XRefRole
from sphinx.transforms import SphinxTransform

ROLE = "perf-term"
"""The role of terms. Unlike ``term``, it needs no glossary, because other projects use the
benchmark descriptions too."""


class FirstUse(SphinxTransform):
    """Link the first use of each term on a page to the glossary, and leave others as text."""

    default_priority = 500

    def apply(self, **kwargs: Any) -> None:
        """Replace the terms of a page."""
        seen: set[str] = set()
        for link in list(self.document.findall(addnodes.pending_xref)):
            if link.get("reftype") == ROLE:
                term = link["reftarget"].casefold()
                link["refdomain"], link["reftype"], link[ROLE] = "std", "term", True
                # Links at every use would make the text hard to read.
                if term in seen:
                    link.replace_self(nodes.Text(link.astext()))
                seen.add(term)


def _without_glossary(
    _app: Sphinx, env: BuildEnvironment, node: addnodes.pending_xref, content: nodes.Element
) -> nodes.Element | None:
    """Return the plain text of a term if no page has a glossary."""
    if not node.get(ROLE):
        return None
    kinds = {kind for _, _, kind, *_ in env.domains.standard_domain.get_objects()}
    return None if "term" in kinds else content


def setup(app: Sphinx) -> None:
    """Register the role and the transform."""
    app.add_role(ROLE, XRefRole(innernodeclass=nodes.inline))
    app.add_transform(FirstUse)
    app.connect("missing-reference", _without_glossary)
