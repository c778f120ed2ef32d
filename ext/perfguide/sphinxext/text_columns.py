"""Columns of tables in plain text that are wide enough for their words."""

from __future__ import annotations

from itertools import accumulate
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.transforms.post_transforms import SphinxPostTransform

from .guest import may_change


class WideColumns(SphinxPostTransform):
    """Makes each column of a table in text as wide as its longest word, up to ``WIDEST``.

    Sphinx's writer takes the relative width of a column for a number of characters. A column
    of one character has a line for each, and before Sphinx 9.0 writing one never ends: its
    ``TextWrapper._break_word`` needs room for two characters of two columns each.
    """

    default_priority = 990  # when all tables are there
    formats = ("text",)
    NARROWEST, WIDEST = 4, 40

    def run(self, **kwargs: Any) -> None:
        """Widen the columns."""
        if not may_change(self.app, self.env.current_document.docname):
            return
        for group in self.document.findall(nodes.tgroup):
            columns = [part for part in group.children if isinstance(part, nodes.colspec)]
            for column in columns:
                column["colwidth"] = max(column["colwidth"], self.NARROWEST)
            for row in group.findall(nodes.row):
                cells = [cell for cell in row.children if isinstance(cell, nodes.entry)]
                ends = [*accumulate(1 + cell.get("morecols", 0) for cell in cells)]
                if ends[-1:] != [len(columns)]:
                    continue  # cells of rows above are beside these
                for cell, end in zip(cells, ends, strict=True):
                    if "morecols" not in cell:
                        longest = max(map(len, cell.astext().split()), default=0)
                        column = columns[end - 1]
                        column["colwidth"] = max(column["colwidth"], min(longest, self.WIDEST))


def setup(app: Sphinx) -> None:
    """Register the transform."""
    app.add_post_transform(WideColumns)
