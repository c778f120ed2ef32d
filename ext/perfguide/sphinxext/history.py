"""The role ``perf-history``: the history of a figure as a small picture in a line of text."""

from __future__ import annotations

from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxRole
from sphinx.util.typing import ExtensionMetadata

from ..common import rst_text
from ..compare import sparkline


class perf_history(nodes.Inline, nodes.TextElement):  # noqa: N801
    """A history: ``heights`` from 0 to 1, ``new`` the place of the newer release, ``words`` what
    it shows. Its text is the history in characters, for all but HTML."""


class PerfHistory(SphinxRole):
    """Reads ``heights|place|characters|words``, of which the last two are percent-encoded."""

    def run(self) -> tuple[list[nodes.Node], list[nodes.system_message]]:
        """Make the node; what is no history shows as it stands."""
        try:
            listed, place, characters, words = self.text.split("|")
            heights, new = tuple(float(height) for height in listed.split()), int(place)
            if len(heights) < sparkline.LEAST or not 0 <= new < len(heights):
                raise ValueError(self.text)
        except ValueError:
            said = f"{sparkline.ROLE}: not heights|place|characters|words"
            message = self.inliner.reporter.error(said, line=self.lineno)
            return [nodes.literal(self.text, self.text)], [message]
        shown, said = rst_text.decoded(characters), rst_text.decoded(words)
        return [perf_history(shown, shown, heights=heights, new=new, words=said)], []


def _visit_html(translator: Any, node: perf_history) -> None:
    translator.body.append(sparkline.svg(tuple(node["heights"]), node["new"], node["words"]))
    raise nodes.SkipNode


def _as_text(_translator: Any, _node: perf_history) -> None:
    """Let the text stand as it is."""


def setup(app: Sphinx) -> ExtensionMetadata:
    """Register the role and its node."""
    plain = (_as_text, _as_text)
    others: dict[str, Any] = dict.fromkeys(("latex", "text", "man", "texinfo"), plain)
    app.add_node(perf_history, html=(_visit_html, None), **others)
    app.add_role(sparkline.ROLE, PerfHistory())
    return {"parallel_read_safe": True, "parallel_write_safe": True}
