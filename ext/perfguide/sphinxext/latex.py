"""Guides on paper: one LaTeX document for each, and tables and charts that fit on it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
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
from ..figures import dataset
from ..figures.dataset import Addresses, trace
from . import internals
from .config import page_name
from .guest import may_change
from .table_nodes import group, listed, perf_download, perf_picture, perf_rows, texts

LINE = (("small", 96), ("footnotesize", 108), ("scriptsize", 124))
"""Sizes of type, the largest first, and about how many characters of it a line of A4
paper holds between its margins."""
BETWEEN = 2
"""Characters that the space between two columns takes."""
LONGEST = 26
"""A word of more characters may be broken within a cell."""
PAGE = 30
"""A table of more lines begins where it stands and goes over the page."""


def choose(
    wanted: str, config: Config, guides: Sequence[GuideKey], planned: Addresses
) -> list[Diagnostic]:
    """Make a document of each guide that ``wanted`` names, in place of ``latex_documents``."""
    chosen = dataset.chosen(guides, wanted)
    if not chosen:
        return [dataset.unnamed("perfguide_pdf", wanted)]
    words = slugs.joined(planned.guide.values())
    out = []
    for key in chosen:
        page = planned.guide[key]
        title = f"{key.soc} performance guide: {family(key)} {key.release}"
        file = f"{words[page].removeprefix('guides-')}.tex"
        out.append((page_name(config.perfguide_output, page), file, title, config.author, "manual"))
    config.latex_documents = out
    return []


class GuideLaTeXBuilder(LaTeXBuilder):
    """The LaTeX builder of Sphinx, with the provenance of a guide behind the guide
    where that is a document of its own."""

    def assemble_doctree(
        self, indexfile: str, toctree_only: bool, appendices: list[str]
    ) -> nodes.document:
        """Put the pages of one document together."""
        begin = page_name(self.config.perfguide_output, "guides").removesuffix("guides")
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
            if "contents" in contents["classes"] and may_change(self.app, self._page_of(contents)):
                contents.parent.remove(contents)  # the document has contents of its own
        for download in list(self.document.findall(perf_download)):
            download.parent.remove(download)

    def _page_of(self, node: nodes.Element) -> str:
        """The page that a part of a document is from."""
        while node.parent is not None:
            if isinstance(node, addnodes.start_of_file):
                return str(node["docname"])
            node = node.parent
        return self.env.current_document.docname


def _latex(text: str) -> nodes.raw:
    return nodes.raw("", text, format="latex")


def _set_table(leaf: nodes.Element) -> None:
    """Set one table in type and columns that fit, in several parts where it must be."""
    table = leaf.parent
    header, body = texts(leaf)
    rows = [*header, *body]
    divided = parts(rows, leaf["stub"], rows[0])
    out: list[nodes.Node] = []
    for number, part in enumerate(divided, 1):
        shown = table if number == 1 else nodes.table(classes=list(table["classes"]))
        if part.long:
            shown["classes"].append("longtable")
        if number == 1:
            shown.remove(leaf)
        else:
            out += _continued(table, number, len(divided))
        shown.append(group(leaf, part.columns))
        for text in list(shown.findall(nodes.Text)):
            _breakable(text)
        shares = (f"\\Y{{{share:.4f}}}" for share in part.shares())
        out.append(_latex(f"\\begingroup\\{part.size}\\setlength{{\\tabcolsep}}{{3pt}}"))
        out.append(addnodes.tabular_col_spec(spec="".join(shares)))
        out += [shown, _latex("\\endgroup")]
    out += listed(leaf)
    place = table.parent
    at = place.index(table)
    place.remove(table)
    place.insert(at, out)


def _continued(table: nodes.Element, number: int, parts: int) -> list[nodes.Node]:
    title = next((c.astext() for c in table.children if isinstance(c, nodes.title)), "")
    text = f"{title}: more columns ({number} of {parts})" if title else "More columns"
    name = nodes.strong("", "", nodes.Text(text))
    return [nodes.paragraph("", "", name), _latex("\\nopagebreak")]


def _breakable(text: nodes.Text) -> None:
    """Let a line end inside words that are longer than a column."""
    cut = pieces(text.astext())
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


@dataclass(frozen=True, slots=True)
class Part:
    """Some columns of a table that stand beside each other on paper."""

    columns: tuple[int, ...]
    """Their numbers in the table; the row keys are in every part."""
    widths: tuple[int, ...]
    """Their widths in characters."""
    size: str
    """The size of type, as LaTeX calls it."""
    line: int
    """How many characters of this size a line holds."""
    long: bool
    """Whether it may go over the page."""

    def shares(self) -> list[float]:
        """The share of the line that each column takes with the space around it."""
        return [(width + BETWEEN) / self.line for width in self.widths]


def parts(rows: Sequence[Sequence[str]], stub: int, groups: Sequence[str]) -> list[Part]:
    """Divide a table of text so that every part fits on the paper.

    ``rows`` are heads and body, ``stub`` says how many columns are row keys, and
    ``groups`` what stands above each column: those of one board stay together where
    they can. One part with the largest type is taken that fits with no cell broken
    into lines; else one with small type and broken cells; else several.
    """
    width = len(rows[0])
    texts = [[row[column] for row in rows] for column in range(width)]
    whole = [max(map(len, column)) for column in texts]
    least = [max(map(_longest, column)) for column in texts]
    every = tuple(range(width))
    for size, line in LINE[:2]:
        if _taken(whole, every) <= line:
            return [_part(rows, every, whole, size, line)]
    for size, line in LINE[1:]:
        if _taken(least, every) <= line:
            return [_part(rows, every, _shared(whole, least, every, line), size, line)]
    size, line = LINE[1]
    out = []
    for columns in _divided(least, stub, groups, line):
        out.append(_part(rows, columns, _shared(whole, least, columns, line), size, line))
    return out


def _longest(text: str) -> int:
    """The room that a text needs where it is broken between words: a figure with its
    spread into three lines, a text of many words into more."""
    word = min(max(map(len, text.split()), default=0), LONGEST)
    return max(word, -(-len(text) // 3) + 1) if len(text) <= 2 * LONGEST else word


def _taken(widths: Sequence[int], columns: Sequence[int]) -> int:
    return sum(widths[column] + BETWEEN for column in columns)


def _shared(
    whole: Sequence[int], least: Sequence[int], columns: Sequence[int], line: int
) -> list[int]:
    """What each column needs, and of the rest of the line a share of what it would like."""
    left = max(0, line - _taken(least, columns))
    wished = sum(whole[column] - least[column] for column in columns)
    share = min(1.0, left / wished) if wished else 0.0
    return [low + int((high - low) * share) for high, low in zip(whole, least, strict=True)]


def _divided(
    least: Sequence[int], stub: int, groups: Sequence[str], line: int
) -> list[tuple[int, ...]]:
    """The columns of each part: the keys, then as many whole groups as fit, or, where
    not even one does, as many columns."""
    keys = tuple(range(stub))
    together: list[list[int]] = []
    for column in range(stub, len(least)):
        if together and groups[column] == groups[together[-1][-1]]:
            together[-1].append(column)
        else:
            together.append([column])
    out: list[list[int]] = [[]]
    for columns in together:
        fits = _taken(least, (*keys, *columns)) <= line
        for step in [columns] if fits else [[column] for column in columns]:
            if out[-1] and _taken(least, (*keys, *out[-1], *step)) > line:
                out.append([])
            out[-1] += step
    return [(*keys, *columns) for columns in out]


def _part(
    rows: Sequence[Sequence[str]],
    columns: tuple[int, ...],
    widths: Sequence[int],
    size: str,
    line: int,
) -> Part:
    lines = sum(max(_lines(row[column], widths[column]) for column in columns) for row in rows)
    return Part(columns, tuple(widths[column] for column in columns), size, line, lines > PAGE)


def _lines(text: str, width: int) -> int:
    """About how many lines a text takes in a column."""
    return max(1, -(-len(text) // max(1, width)))


def pieces(text: str) -> list[str]:
    """A text cut where a line may end inside a word that is too long for a column."""
    out = [""]
    for number, word in enumerate(text.split(" ")):
        lead = " " if number else ""
        cut = [word[start : start + 8] for start in range(0, len(word), 8)]
        first, *rest = cut if len(word) > LONGEST else [word]
        out[-1] += lead + first
        out += rest
    return out


def prepare(app: Sphinx) -> None:
    """Let nothing on the paper depend on the day of the build."""
    if isinstance(app.builder, LaTeXBuilder) and app.config.perfguide_pdf:
        internals.set_no_date(app.builder)


def _choose_builder(app: Sphinx, config: Config) -> None:
    if config.perfguide_pdf:
        app.add_builder(GuideLaTeXBuilder, override=True)


def setup(app: Sphinx) -> ExtensionMetadata:
    """Register the transform and the builder."""
    app.connect("config-inited", _choose_builder)
    app.add_post_transform(PaperPages)
    app.connect("builder-inited", prepare)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
