"""A part of a page that is folded until a reader opens it."""

from __future__ import annotations

from html import escape
from typing import Any, ClassVar

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.application import Sphinx
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx.util.docutils import SphinxDirective
from sphinx.util.typing import OptionSpec


class perf_fold(nodes.General, nodes.Element):  # noqa: N801
    """A folded part; ``summary`` is the text that shows, ``opened`` whether it is open."""


class PerfFold(SphinxDirective):
    """``<details>`` in HTML; other formats show a heading and the content."""

    required_arguments = 1
    final_argument_whitespace = True
    has_content = True
    option_spec: ClassVar[OptionSpec] = {"open": directives.flag}

    def run(self) -> list[nodes.Node]:
        """Make the nodes."""
        inline, messages = self.state.inline_text(self.arguments[0], self.lineno)
        summary = "".join(node.astext() for node in inline)
        fold = perf_fold(summary=summary, opened="open" in self.options)
        self.set_source_info(fold)
        self.state.nested_parse(self.content, self.content_offset, fold)
        return [fold, *messages]


def _open(translator: Any, node: perf_fold) -> None:
    opened = " open" if node["opened"] else ""
    translator.body.append(
        f'<details class="perf-fold"{opened}><summary>{escape(node["summary"])}</summary>\n'
    )


def _close(translator: Any, node: perf_fold) -> None:
    translator.body.append("</details>\n")


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


def setup(app: Sphinx) -> None:
    """Register the directive, its node and the transform."""
    app.add_node(perf_fold, html=(_open, _close))
    app.add_directive("perf-fold", PerfFold)
    app.add_post_transform(Unfold)
