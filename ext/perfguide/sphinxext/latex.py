"""Guides on paper: LaTeX documents whose tables and charts fit on the page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.builders.latex import LaTeXBuilder
from sphinx.config import Config
from sphinx.transforms.post_transforms import SphinxPostTransform

from ..bundles.guide_key import GuideKey, family
from ..common import slugs
from ..common.diagnostics import Diagnostic
from ..figures import dataset
from ..figures.dataset import Addresses, trace
from . import internals
from .config import page_name
from .file_links import perf_download
from .guest import may_change
from .pictures import perf_picture
from .printed_tables import group, listed, texts
from .table_nodes import perf_rows

LINE_CHARS = (("small", 96), ("footnotesize", 108), ("scriptsize", 124))
"""Type sizes, largest first, each with the estimated number of characters on a line of A4 paper."""
GAP_CHARS = 2
"""The space between two columns, in characters."""
MAX_WORD_CHARS = 26
"""Longer words may be broken within a cell."""
MAX_FLOAT_LINES = 30
"""A longer table does not float, and may continue on the next page."""


def choose(
    wanted: str, config: Config, guides: Sequence[GuideKey], planned: Addresses
) -> list[Diagnostic]:
    """Replace ``latex_documents`` with a document per guide that ``wanted`` selects, and return the
    faults in ``wanted``."""
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
    """Sphinx's LaTeX builder, except that a document of one guide ends with that guide's
    provenance."""

    def assemble_doctree(
        self, indexfile: str, toctree_only: bool, appendices: list[str]
    ) -> nodes.document:
        """Return the pages of one document as a single document."""
        top = page_name(self.config.perfguide_output, "guides").removesuffix("guides")
        if self.config.perfguide_pdf and indexfile.startswith(top):
            provenance = top + trace(indexfile.removeprefix(top))
            appendices = [*appendices, *({provenance} & self.env.found_docs)]
        return super().assemble_doctree(indexfile, toctree_only, appendices)


class PaperPages(SphinxPostTransform):
    """Tables and charts in a form that LaTeX can set."""

    default_priority = 179  # before the transforms for all other formats
    formats = ("latex",)

    def run(self, **kwargs: Any) -> None:
        """Replace every table and chart."""
        for leaf in list(self.document.findall(perf_rows)):
            _set_table(leaf)
        for figure in list(self.document.findall(nodes.figure)):
            pictures = [child for child in figure.children if isinstance(child, perf_picture)]
            if pictures:
                _set_chart(figure, pictures)
        for contents in list(self.document.findall(nodes.topic)):
            if "contents" in contents["classes"] and may_change(self.env, self._page_of(contents)):
                contents.parent.remove(contents)  # the document has its own table of contents
        for download in list(self.document.findall(perf_download)):
            download.parent.remove(download)

    def _page_of(self, node: nodes.Element) -> str:
        """Return the page that a part of a document comes from."""
        while node.parent is not None:
            if isinstance(node, addnodes.start_of_file):
                return str(node["docname"])
            node = node.parent
        return self.env.current_document.docname


def _latex(text: str) -> nodes.raw:
    return nodes.raw("", text, format="latex")


def _set_table(leaf: nodes.Element) -> None:
    """Set one table in type and columns that fit, in several parts if necessary."""
    table = leaf.parent
    header, body = texts(leaf["grid"])
    rows = [*header, *body]
    divided = parts(rows, leaf["grid"].stub, rows[0])
    out: list[nodes.Node] = []
    for number, part in enumerate(divided, 1):
        # The first part keeps the table node, with its title and anchor.
        part_table = table if number == 1 else nodes.table(classes=list(table["classes"]))
        if part.long:
            part_table["classes"].append("longtable")
        if number == 1:
            part_table.remove(leaf)
        else:
            out += _continued(table, number, len(divided))
        part_table.append(group(leaf, part.columns))
        for text in list(part_table.findall(nodes.Text)):
            _allow_breaks(text)
        shares = (f"\\Y{{{share:.4f}}}" for share in part.shares())
        # Restrict the type size and the narrow gaps to this table.
        out.append(_latex(f"\\begingroup\\{part.size}\\setlength{{\\tabcolsep}}{{3pt}}"))
        out.append(addnodes.tabular_col_spec(spec="".join(shares)))
        out += [part_table, _latex("\\endgroup")]
    out += listed(leaf["grid"])
    parent = table.parent
    index = parent.index(table)
    parent.remove(table)
    parent.insert(index, out)


def _continued(table: nodes.Element, number: int, parts: int) -> list[nodes.Node]:
    title = next((c.astext() for c in table.children if isinstance(c, nodes.title)), "")
    text = f"{title}: more columns ({number} of {parts})" if title else "More columns"
    name = nodes.strong("", "", nodes.Text(text))
    # Keep the name of a table on the same page as the table.
    return [nodes.paragraph("", "", name), _latex("\\nopagebreak")]


def _allow_breaks(text: nodes.Text) -> None:
    """Allow line breaks within words that are longer than a column."""
    cut = pieces(text.astext())
    if len(cut) > 1:
        out: list[nodes.Node] = []
        for piece in cut:
            out += [nodes.Text(piece), _latex("\\allowbreak{}")]
        text.parent.replace(text, out[:-1])


def _set_chart(figure: nodes.figure, pictures: Sequence[nodes.Element]) -> None:
    """Put the pictures above the caption, each on one page with its name.

    All but the last move in front of the figure, which cannot be longer than a page.
    """
    caption = next((c.astext() for c in figure.children if isinstance(c, nodes.caption)), "")
    small = "perf-small" in figure["classes"]
    width = "0.48\\linewidth" if small else "\\linewidth"
    before: list[nodes.Node] = []
    for number, picture in enumerate(pictures):
        image = picture[0]
        assert isinstance(image, nodes.image)  # the directive makes no other node
        if len(pictures) == 1:
            picture.replace_self(image)
            return
        named = picture["label"] if small else f"{caption}: {picture['label']}"
        name = nodes.paragraph("", "", nodes.strong("", named))
        # Two small pictures share a line.
        end = "\\end{minipage}" + ("\\hfill{}" if small and number % 2 == 0 else "\\par\\medskip")
        boxed = [_latex(f"\\noindent\\begin{{minipage}}[t]{{{width}}}"), name, image, _latex(end)]
        if picture is pictures[-1]:
            index = figure.index(picture)
            figure.remove(picture)
            figure.insert(index, boxed)
        else:
            figure.remove(picture)
            before += boxed
    figure.parent.insert(figure.parent.index(figure), before)


@dataclass(frozen=True, slots=True)
class Part:
    """Columns of a table that fit beside each other on paper."""

    columns: tuple[int, ...]
    """Their numbers in the table; the row keys are in every part."""
    widths: tuple[int, ...]
    """Their widths in characters."""
    size: str
    """LaTeX's name of the type size."""
    line: int
    """The number of characters of this size on a line."""
    long: bool
    """True if the part may continue on the next page."""

    def shares(self) -> list[float]:
        """Return each column's share of the line, including the space around it."""
        return [(width + GAP_CHARS) / self.line for width in self.widths]


def parts(rows: Sequence[Sequence[str]], stub: int, groups: Sequence[str]) -> list[Part]:
    """Divide a table of text into parts that fit on the paper.

    ``rows`` are head and body rows whose first ``stub`` columns are row keys. ``groups`` are the
    columns' heads: columns of one group stay together if possible. The result is one part, in the
    largest type that needs no line breaks within cells or else in small type with line breaks; or
    several parts.
    """
    width = len(rows[0])
    texts = [[row[column] for row in rows] for column in range(width)]
    full = [max(map(len, column)) for column in texts]
    least = [max(map(_wrapped_width, column)) for column in texts]
    every = tuple(range(width))
    # Small type reads better than broken cells, and both read better than a table in parts.
    for size, line in LINE_CHARS[:2]:
        if _line_width(full, every) <= line:
            return [_part(rows, every, full, size, line)]
    for size, line in LINE_CHARS[1:]:
        if _line_width(least, every) <= line:
            return [_part(rows, every, _shared(full, least, every, line), size, line)]
    size, line = LINE_CHARS[1]
    return [
        _part(rows, columns, _shared(full, least, columns, line), size, line)
        for columns in _divided(least, stub, groups, line)
    ]


def _wrapped_width(text: str) -> int:
    """Return the width of a text with line breaks between words: three lines for a figure with its
    spread, more for a long text."""
    word = min(max(map(len, text.split()), default=0), MAX_WORD_CHARS)
    return max(word, -(-len(text) // 3) + 1) if len(text) <= 2 * MAX_WORD_CHARS else word


def _line_width(widths: Sequence[int], columns: Sequence[int]) -> int:
    return sum(widths[column] + GAP_CHARS for column in columns)


def _shared(
    full: Sequence[int], least: Sequence[int], columns: Sequence[int], line: int
) -> list[int]:
    """Return the width of each column: the minimum it needs, plus a share of the rest of the
    line."""
    left = max(0, line - _line_width(least, columns))
    missing = sum(full[column] - least[column] for column in columns)
    share = min(1.0, left / missing) if missing else 0.0
    return [low + int((high - low) * share) for high, low in zip(full, least, strict=True)]


def _divided(
    least: Sequence[int], stub: int, groups: Sequence[str], line: int
) -> list[tuple[int, ...]]:
    """Return the columns of each part: the row keys plus as many groups as fit or, if not even one
    does, as many columns."""
    keys = tuple(range(stub))
    out: list[list[int]] = [[]]
    # Start a new part when a group does not fit; a group wider than a line is itself divided.
    for _, of_group in groupby(range(stub, len(least)), groups.__getitem__):
        columns = [*of_group]
        fits = _line_width(least, (*keys, *columns)) <= line
        for step in [columns] if fits else [[column] for column in columns]:
            if out[-1] and _line_width(least, (*keys, *out[-1], *step)) > line:
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
    own_widths = tuple(widths[column] for column in columns)
    # An estimate: a cell takes as many lines as its text has widths of its column, and at least
    # one.
    lines = sum(
        max(1, *(-(-len(row[column]) // max(1, widths[column])) for column in columns))
        for row in rows
    )
    return Part(columns, own_widths, size, line, lines > MAX_FLOAT_LINES)


def pieces(text: str) -> list[str]:
    """Return a text cut wherever a line may end within a long word."""
    out = [""]
    for number, word in enumerate(text.split(" ")):
        lead = " " if number else ""
        cut = [word[start : start + 8] for start in range(0, len(word), 8)]
        first, *rest = cut if len(word) > MAX_WORD_CHARS else [word]
        out[-1] += lead + first
        out += rest
    return out


def prepare(app: Sphinx) -> None:
    """Remove the build date from documents of single guides."""
    if isinstance(app.builder, LaTeXBuilder) and app.config.perfguide_pdf:
        internals.set_no_date(app.builder)


def _choose_builder(app: Sphinx, config: Config) -> None:
    if config.perfguide_pdf:
        app.add_builder(GuideLaTeXBuilder, override=True)


def setup(app: Sphinx) -> None:
    """Register the transform and the builder."""
    app.connect("config-inited", _choose_builder)
    app.add_post_transform(PaperPages)
    app.connect("builder-inited", prepare)
