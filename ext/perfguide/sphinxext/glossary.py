"""Terms of the glossary in the prose: linked where a page first uses them."""

from __future__ import annotations

from typing import Any

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.roles import XRefRole
from sphinx.transforms import SphinxTransform
from sphinx.util.typing import ExtensionMetadata

ROLE = "perf-term"


class PerfTerm(XRefRole):
    """Like ``term``, but it is plain text where the project has no glossary: the
    descriptions of benchmarks are used in other projects too."""

    def __init__(self) -> None:
        super().__init__(innernodeclass=nodes.inline, lowercase=False)

    def result_nodes(
        self,
        document: nodes.document,
        env: Any,
        node: nodes.Element,
        is_ref: bool,
    ) -> tuple[list[nodes.Node], list[nodes.system_message]]:
        """Make the reference one to the glossary."""
        node["refdomain"], node["reftype"] = "std", "term"
        node["perf-term"] = True
        return [node], []


class FirstUse(SphinxTransform):
    """Leaves a link at the first use of each term on a page."""

    default_priority = 500

    def apply(self, **kwargs: Any) -> None:
        """Make the later ones text."""
        seen: set[str] = set()
        for link in list(self.document.findall(addnodes.pending_xref)):
            if not link.get("perf-term"):
                continue
            term = link["reftarget"].casefold()
            if term in seen:
                link.replace_self(nodes.Text(link.astext()))
            seen.add(term)


def _without_glossary(
    _app: Sphinx, env: BuildEnvironment, node: addnodes.pending_xref, content: nodes.Element
) -> nodes.Element | None:
    """The words alone, where no page defines a term."""
    if not node.get("perf-term"):
        return None
    kinds = {kind for _, _, kind, *_ in env.domains.standard_domain.get_objects()}
    return None if "term" in kinds else content


def setup(app: Sphinx) -> ExtensionMetadata:
    """Register the role and the transform."""
    app.add_role(ROLE, PerfTerm())
    app.add_transform(FirstUse)
    app.connect("missing-reference", _without_glossary)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
