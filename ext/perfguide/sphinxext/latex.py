"""Guides on paper: one LaTeX document for each, and tables and charts that fit on it."""

from __future__ import annotations

from collections.abc import Sequence
from fnmatch import fnmatchcase
from typing import Any

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.builders.latex import LaTeXBuilder
from sphinx.config import Config
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx.util.typing import ExtensionMetadata

from ..bundles.guide_key import GuideKey, family
from ..common import slugs
from ..common.diagnostics import Diagnostic
from ..figures.dataset import Addresses, newest, trace
from . import footnotes, latex_table, origin_link, plain_table
from .table_nodes import perf_download, perf_picture, perf_rows

NEWEST = "newest"


def choose(
    wanted: str, config: Config, guides: Sequence[GuideKey], planned: Addresses
) -> list[Diagnostic]:
    """Make a document of each guide that ``wanted`` names, in place of ``latex_documents``."""
    if wanted == NEWEST:
        chosen = list(newest(guides).values())
    else:
        chosen = [key for key in guides if _named(key, wanted)]
    if not chosen:
        hint = "write SOC/os/release, with * for any characters; perfguide list names them all"
        return [Diagnostic("no-guide", "perfguide_pdf", f"no guide is named “{wanted}”", hint)]
    words = slugs.joined(planned.guide.values())
    out = []
    for key in chosen:
        page = planned.guide[key]
        title = f"{key.soc} performance guide: {family(key)} {key.release}"
        file = f"{words[page].removeprefix('guides-')}.tex"
        out.append((f"{config.perfguide_output}/{page}", file, title, config.author, "manual"))
    config.latex_documents = out
    return []


def _named(key: GuideKey, wanted: str) -> bool:
    name = f"{key.soc}/{key.os}/{key.release}"
    return fnmatchcase(name, wanted) or fnmatchcase(name, f"{wanted}*")


class GuideLaTeXBuilder(LaTeXBuilder):
    """The LaTeX builder of Sphinx, with the provenance of a guide behind the guide
    where that is a document of its own."""

    def assemble_doctree(
        self, indexfile: str, toctree_only: bool, appendices: list[str]
    ) -> nodes.document:
        """Put the pages of one document together."""
        begin = f"{self.config.perfguide_output}/"
        if self.config.perfguide_pdf and indexfile.startswith(begin):
            traced = begin + trace(indexfile.removeprefix(begin))
            appendices = [*appendices, *({traced} & self.env.found_docs)]
        return super().assemble_doctree(indexfile, toctree_only, appendices)


class PaperPages(SphinxPostTransform):
    """Tables and charts as LaTeX can set them; goes before what serves all other formats."""

    default_priority = 179
    formats = ("latex",)

    def run(self, **kwargs: Any) -> None:
        """Replace every leaf, and put every chart where it stands."""
        for leaf in list(self.document.findall(perf_rows)):
            _set_table(leaf)
        for figure in list(self.document.findall(nodes.figure)):
            shown = [child for child in figure.children if isinstance(child, perf_picture)]
            if shown:
                _set_chart(figure, shown)
        for contents in list(self.document.findall(nodes.topic)):
            if "contents" in contents["classes"]:
                contents.parent.remove(contents)  # the document has contents of its own
        for download in list(self.document.findall(perf_download)):
            download.replace_self(origin_link.on_paper(download))


def _latex(text: str) -> nodes.raw:
    return nodes.raw("", text, format="latex")


def _set_table(leaf: nodes.Element) -> None:
    """Set one table in type and columns that fit, in several parts where it must be."""
    table = leaf.parent
    rows = [*leaf["header"], *leaf["body"]]
    groups = leaf["header"][0] if leaf["header"] else rows[0]
    divided = latex_table.parts(_marked(rows, leaf), leaf["stub"], groups)
    out: list[nodes.Node] = []
    for number, part in enumerate(divided, 1):
        shown = table if number == 1 else nodes.table(classes=list(table["classes"]))
        if part.long:
            shown["classes"].append("longtable")
        if number == 1:
            shown.remove(leaf)
        else:
            out += _continued(table, number, len(divided))
        shown.append(plain_table.group(leaf, part.columns))
        for text in list(shown.findall(nodes.Text)):
            _breakable(text)
        shares = (f"\\Y{{{share:.4f}}}" for share in part.shares())
        out.append(_latex(f"\\begingroup\\{part.size}\\setlength{{\\tabcolsep}}{{3pt}}"))
        out.append(addnodes.tabular_col_spec(spec="".join(shares)))
        out += [shown, _latex("\\endgroup")]
    if leaf["notes"]:
        out.append(footnotes.listed(leaf))
    place = table.parent
    at = place.index(table)
    place.remove(table)
    place.insert(at, out)


def _marked(rows: Sequence[Sequence[str]], leaf: nodes.Element) -> list[list[str]]:
    """The cells with the signs that stand behind them."""
    out = [list(row) for row in rows]
    for number, cells in leaf["marks"].items():
        for column, found in cells.items():
            out[len(leaf["header"]) + number][column] += footnotes.sign(found)
    return out


def _continued(table: nodes.Element, number: int, parts: int) -> list[nodes.Node]:
    title = next((c.astext() for c in table.children if isinstance(c, nodes.title)), "")
    text = f"{title}: more columns ({number} of {parts})" if title else "More columns"
    name = nodes.strong("", "", nodes.Text(text))
    return [nodes.paragraph("", "", name), _latex("\\nopagebreak")]


def _breakable(text: nodes.Text) -> None:
    """Let a line end inside words that are longer than a column."""
    cut = latex_table.pieces(text.astext())
    if len(cut) > 1:
        out: list[nodes.Node] = []
        for piece in cut:
            out += [nodes.Text(piece), _latex("\\allowbreak{}")]
        text.parent.replace(text, out[:-1])


def _set_chart(figure: nodes.figure, pictures: Sequence[nodes.Element]) -> None:
    """Put the pictures above the caption, each whole on one page with its name.

    All but the last stand before the figure: a figure cannot be longer than a page.
    """
    caption = next((c.astext() for c in figure.children if isinstance(c, nodes.caption)), "")
    small = "perf-small" in figure["classes"]
    width = "0.48\\linewidth" if small else "\\linewidth"
    before: list[nodes.Node] = []
    for number, picture in enumerate(pictures):
        image = picture[0]
        assert isinstance(image, nodes.image)  # as the directive made it
        if len(pictures) == 1:
            picture.replace_self(image)
            return
        named = picture["label"] if small else f"{caption}: {picture['label']}"
        name = nodes.paragraph("", "", nodes.strong("", named))
        end = "\\end{minipage}" + ("\\hfill{}" if small and number % 2 == 0 else "\\par\\medskip")
        boxed = [_latex(f"\\noindent\\begin{{minipage}}[t]{{{width}}}"), name, image, _latex(end)]
        if picture is pictures[-1]:
            at = figure.index(picture)
            figure.remove(picture)
            figure.insert(at, boxed)
        else:
            figure.remove(picture)
            before += boxed
    figure.parent.insert(figure.parent.index(figure), before)


def prepare(app: Sphinx) -> None:
    """Let nothing on the paper depend on the day of the build."""
    if isinstance(app.builder, LaTeXBuilder) and app.config.perfguide_pdf:
        app.builder.context["date"] = ""


def setup(app: Sphinx) -> ExtensionMetadata:
    """Register the transform and the builder."""
    app.add_builder(GuideLaTeXBuilder, override=True)
    app.add_post_transform(PaperPages)
    app.connect("builder-inited", prepare)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
