"""The file with all rows of a comparison, which its page loads when a reader filters them."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

from ..catalog.benchmarks import Catalog
from ..common import slugs
from ..common.diagnostics import visible
from ..compare import row_texts
from ..compare.comparison import Comparison
from ..compare.row import Row
from ..compare.row_moves import known_scatter, over_scatter
from ..export import explorer, json_api
from ..export.explorer import index_in
from ..figures import labels
from ..figures.pool import Record
from ..tables.anchors import Anchors
from .context import Site

FOLDER = "compare"


def full_label(row: Row, catalog: Catalog) -> str:
    """Return the label of a row's figure with its parameters; empty without a description."""
    benchmark = catalog.get(row.benchmark)
    return labels.full(benchmark, figure_today(row)) if benchmark else ""


def figure_today(row: Row) -> Record:
    """Return the newest figure of a row under its current names."""
    record = row.new or row.old
    assert record is not None
    return replace(record, metric=row.metric, params=dict(row.params))


def times_usual(row: Row) -> float | None:
    """Return by how many times its usual scatter a row moved; ``None`` if unknown."""
    # A move to or from 0 is infinitely many times the scatter.
    if known_scatter(row) is None or row.worse_by is None or math.isinf(row.worse_by):
        return None
    # Further digits would claim more precision than the scatter has.
    return round(over_scatter(row), 1)


def write(site: Site, page: str, comparison: Comparison, anchors: Anchors) -> str:
    """Write the file of a page, and return its name below the site's data."""
    name = f"{FOLDER}/{page.partition('/')[2]}"
    data = explorer.file_of(name, _content(site.catalog, comparison, anchors))
    site.writer.write(f"{json_api.ROOT}/{name}.js", data)
    return name


def _content(catalog: Catalog, comparison: Comparison, anchors: Anchors) -> dict[str, Any]:
    """Return the rows in the order of the page's tables, and lists that they refer to by index.

    A row holds: benchmark, board, verdict, figure, unit, old and new figure as text, the relative
    change as text and as a number or ``None``, how many times its usual scatter that is or
    ``None``, the grounds, and the sections of the old and the new figure.
    """
    benchmarks: dict[str, int] = {}
    boards: dict[str, int] = {}
    verdicts: dict[str, int] = {}
    symbols: dict[str, int] = {}
    grounds: dict[str, int] = {}
    sections: dict[str, int] = {"": 0}

    def section(record: Record | None) -> int:
        if record is None:
            return 0
        anchor = anchors.of(record)
        address = f"{anchor.page}#{slugs.anchor(anchor.table)}{anchor.row}"
        return index_in(sections, address)

    rows = []
    for verdict in (*row_texts.SHOWN_VERDICTS, *row_texts.FOLDED_VERDICTS):
        for row in row_texts.of_verdict(comparison.rows, [verdict]):
            label = full_label(row, catalog) or f"{row.benchmark}: {row_texts.figure(row, catalog)}"
            texts = (row_texts.mean(row.old), row_texts.mean(row.new), row_texts.change_words(row))
            rows.append(
                [
                    index_in(benchmarks, visible(catalog.title(row.benchmark))),
                    index_in(boards, visible(row_texts.board_text(row, comparison))),
                    index_in(verdicts, row_texts.TITLES[verdict]),
                    visible(label),
                    index_in(symbols, visible(row_texts.unit(row))),
                    *map(visible, texts),
                    row.judged_change if row.past else row.change,
                    times_usual(row),
                    index_in(grounds, visible(row_texts.ground(row))),
                    section(row.old),
                    section(row.new),
                ]
            )
    lists = {
        **{"benchmarks": benchmarks, "boards": boards, "verdicts": verdicts},
        **{"units": symbols, "grounds": grounds, "sections": sections},
    }
    return {**{name: list(entries) for name, entries in lists.items()}, "rows": rows}
