"""Tables of figures in HTML: divided to fit the page, with alternatives on tabs."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Sequence
from html import escape
from itertools import chain
from pathlib import Path
from typing import Any

from docutils import nodes
from msgspec import structs
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.transforms.post_transforms import SphinxPostTransform

from ..common import units
from ..common.grouping import grouped
from ..common.slugs import slug
from ..tables.grids import Grid, picked
from .answers import perf_answers
from .file_links import line_below, perf_use
from .pictures import for_html
from .table_heads import Header, shortened
from .table_nodes import in_heads, perf_figure, perf_grid, perf_rows, with_short_heads
from .table_widths import steps
from .tabs import tab_set


class HtmlTables(SphinxPostTransform):
    """Replace each table's leaf with nodes for HTML, with alternatives one after another."""

    default_priority = 181
    formats = ("html",)
    has_tabs = False

    def run(self, **kwargs: Any) -> None:
        """Replace every table that has a leaf, and the pictures of charts."""
        tops = [*self.document.findall(perf_answers)]
        for leaf in list(self.document.findall(perf_rows)):
            table = leaf.parent
            leaf["boards"] = _boards(tops)
            leaf["long"] = "perf-long" in table["classes"]
            leaf["repeats"] = "perf-repeats" in table["classes"]
            leaf["in_guide"] = bool(tops) or leaf["long"]
            table.replace_self(self._figure(table, leaf))
        for chart in list(self.document.findall(nodes.figure)):
            if "perf-chart" in chart["classes"]:
                for_html(chart, self.has_tabs, Path(self.env.srcdir))

    def _figure(self, table: nodes.Element, leaf: perf_rows) -> perf_figure:
        """Return the nodes of one table."""
        grid: Grid = leaf["grid"]
        title = next((c for c in table.children if isinstance(c, nodes.title)), None)
        caption = title.astext() if title else ""
        align = [f"align-{table['align']}"] if "align" in table else []
        files = leaf.findall(addnodes.download_reference)
        figure = perf_figure(
            ids=table["ids"],
            classes=[*table["classes"], *align],
            caption=caption,
            file=leaf.get("file", ""),
            cells=next((file.get("filename", "") for file in files), ""),
        )
        figure += perf_use("", *line_below(table))
        prefix = table["ids"][0] if table["ids"] else ""
        numbers = range(len(grid.rows)) if grid.tabs else ()
        rows_by_tab = grouped(numbers, lambda number: units.whole(grid.rows[number][0]))
        texts_by_name = {name: grid.shorts.get(name, name) for name in rows_by_tab}
        if len(rows_by_tab) < 2:
            figure.extend(tables_of(leaf, caption, prefix))
        else:
            raw_names = {row: name for row, column, name in grid.names if column == 0}
            tabs = []
            for name, rows in rows_by_tab.items():
                raw = raw_names.get(rows[0], name)
                below = f"{prefix}--{slug(raw)}" if prefix else ""
                label = f"{caption}: {texts_by_name[name]}"
                tabs.append((name, tables_of(leaf, label, below, rows)))
            if self.has_tabs:
                figure += tab_set(tabs, caption, prefix, texts_by_name)
            else:
                for name, tables in tabs:
                    figure += nodes.paragraph("", "", nodes.strong("", texts_by_name[name]))
                    figure.extend(tables)
        tables = [*figure.findall(perf_grid)]
        # Tables that divide their columns are too wide for half a page.
        is_whole = len(tables) == max(1, len(rows_by_tab))
        if leaf["long"] and is_whole and not leaf["repeats"] and all(map(_is_half, tables)):
            figure["classes"].append("perf-half")
        return figure


class TabbedTables(HtmlTables):
    """The same with alternatives on tabs, for builders whose pages have scripts."""

    default_priority = 180
    builders = (
        *("html", "dirhtml", "singlehtml"),
        *("readthedocs", "readthedocsdirhtml", "readthedocssinglehtml"),
    )
    has_tabs = True


def _boards(tops: Sequence[perf_answers]) -> dict[str, int]:
    """Return the numbers of a guide's boards, in the order of its first table."""
    boards = tops[0]["answers"].boards if len(tops) == 1 else ()
    names = (board for _, board in boards)
    return {board: number for number, board in enumerate(names)} if len(boards) > 1 else {}


def _is_half(table: perf_grid) -> bool:
    grid: Grid = table["grid"]
    return steps(with_short_heads(grid), in_heads(table["boards"], grid.shorts)).is_half


def tables_of(
    leaf: perf_rows, label: str, prefix: str, of_tab: Sequence[int] | None = None
) -> list[perf_grid]:
    """Return the HTML tables of a leaf: one, or several that divide the columns if a guide's table
    is too wide for its page. ``of_tab`` are the rows of one alternative, whose tables lack the
    column that names it and columns in which it has no figures."""
    grid: Grid = leaf["grid"]
    header: Header = grid.header
    stub = grid.stub
    width = len(header[0]) if header else max(map(len, grid.rows), default=0)
    rows, columns = of_tab or range(len(grid.rows)), [*range(width)]
    if of_tab:
        figures = (c for c in columns[stub:] if any(grid.rows[r][c] != units.MISSING for r in rows))
        columns = [*columns[1:stub], *figures]
    parts, metric_first, stated = [columns], False, ""
    if leaf["in_guide"] and header:
        keys, header, stated = _with_unit_in_head(grid, [c for c in columns if c < stub], rows)
        boards = in_heads(leaf["boards"], grid.shorts)
        figures_of_tab = [c for c in columns if c >= stub]
        parts, metric_first = _divided(grid, header, keys, figures_of_tab, boards)
    # A copy of the table has these as columns.
    same = grid.same + ([(header[0][0], units.whole(grid.rows[rows[0]][0]))] if of_tab else [])
    if same:
        stated += f' data-perf-same="{escape(json.dumps(same))}"'
    out = []
    for number, part_columns in enumerate(parts):
        levels, shared = _levels_of(header, part_columns, stub, metric_first)
        part = picked(grid, rows, part_columns)
        head = _head_of(header, part_columns, part.stub, levels)
        out.append(
            perf_grid(
                grid=structs.replace(part, header=head),
                # Regions of a page need unique names.
                label=f"{label}, part {number + 1}" if number else label,
                # A row's only address is that in the first part.
                prefix="" if number else prefix,
                widths=[leaf["widths"][c] for c in part_columns] if leaf["widths"] else [],
                joined=shared if leaf["in_guide"] else 0,
                stated=f"{_level_order(levels)}{stated}{positions(rows, part_columns)}",
                **{key: leaf[key] for key in ("top", "boards", "long", "repeats")},
            )
        )
    return out


def _level_order(levels: Sequence[int]) -> str:
    """Return the attribute with which scripts restore the file's order of head levels."""
    if list(levels) == sorted(levels):
        return ""
    return f' data-perf-levels="{",".join(str(levels.index(n)) for n in sorted(levels))}"'


def positions(rows: Sequence[int], columns: Sequence[int]) -> str:
    """Return the attributes with the numbers of the file's rows and columns that a table has: none
    if it has all, and only the first number if the others follow it."""
    out = ""
    for name, numbers in (("rows", rows), ("columns", columns)):
        if numbers and list(numbers) == list(range(numbers[0], numbers[0] + len(numbers))):
            numbers = numbers[:1]
        if numbers and list(numbers) != [0]:
            out += f' data-perf-{name}="{",".join(map(str, numbers))}"'
    return out


def _with_unit_in_head(
    table: Grid, keys: Sequence[int], rows: Sequence[int]
) -> tuple[list[int], Header, str]:
    """Return the row keys to show, the head, and an attribute. If all rows have one unit, it takes
    the place of "Metric" in the head and is stated in the attribute instead of in a column."""
    top, *rest = table.header
    unit = next((column for column in keys if top[column] == "Unit"), 0)
    names = {units.whole(table.rows[row][unit]) for row in rows}
    if not unit or top[unit - 1] != "Metric" or len(names) != 1:
        return [*keys], table.header, ""
    name = names.pop() or "Metric"
    header = ((*top[: unit - 1], name, *top[unit:]), *rest)
    return [key for key in keys if key != unit], header, f' data-perf-unit="{escape(name)}"'


def _divided(
    table: Grid, header: Header, keys: list[int], figures: Sequence[int], boards: Collection[str]
) -> tuple[list[list[int]], bool]:
    """Return the columns of each part of a guide's table that is too wide for its page, and whether
    the metric is the first level of the head, with its boards side by side. Each part has all row
    ``keys`` and some groups of columns, such as the boards of a metric. Columns are given by their
    numbers in the undivided table; ``boards`` are named as in heads."""
    first, last = ({row[column] for column in figures} for row in (header[0], header[-1]))
    metric_first = len(first) > 1 or len(last) == 1
    varying = [row for row in header if len({row[column] for column in figures}) > 1]
    # By metric or, if there is only one, by the first level that varies, such as the engine.
    level = next((row for row in varying if header[-1] not in varying), header[-1])
    groups = [*grouped(figures, lambda c: level[c] if len(header) > 1 else "").values()]
    heads = shortened(header, table.shorts)
    # Groups of one unit follow one another.
    order = [*dict.fromkeys(_unit_of(heads, group) for group in groups)]
    groups.sort(key=lambda group: order.index(_unit_of(heads, group)))

    def fits(columns: list[int]) -> bool:
        levels, _ = _levels_of(heads, columns, len(keys), metric_first)
        rows = tuple(tuple(row[column] for column in columns) for row in table.rows)
        part = Grid(_head_of(heads, columns, len(keys), levels), rows, len(keys))
        return not steps(part, boards).is_stacked

    parts = [keys]
    # Give each part the same number of groups, so that none is left alone below the others.
    for count in range(1, len(groups) + 1):
        size = -(-len(groups) // count)
        parts = [
            [*keys, *chain.from_iterable(groups[start : start + size])]
            for start in range(0, len(groups), size)
        ]
        if all(map(fits, parts)):
            break
    return parts, metric_first


def _unit_of(header: Header, group: Sequence[int]) -> str:
    match = re.search(r"\(([^()]+)\)", header[-1][group[0]])
    return match[1] if match else ""


def _levels_of(
    header: Header, columns: Sequence[int], stub: int, metric_first: bool
) -> tuple[list[int], int]:
    """Return the levels of a head in the order in which a guide shows them, and how many of the
    leading ones all columns of figures share. With ``metric_first``, the metric, which is the
    file's last level, precedes the others that vary."""
    levels = list(range(len(header)))
    figures = [column for column in columns if column >= stub]
    shared = [n for n in levels if len({header[n][column] for column in figures}) == 1]
    turned = [*levels[-1:], *levels[:-1]] if metric_first else levels
    order = [*shared, *(n for n in turned if n not in shared)]
    # Each column needs a head of its own.
    return order, min(len(shared), len(header) - 1)


def _head_of(
    header: Header, columns: Sequence[int], stub: int, levels: Sequence[int]
) -> tuple[tuple[str, ...], ...]:
    """Return the head of some columns, with its ``levels`` in this order."""
    # The heads of keys stay on the first level.
    return tuple(
        tuple(header[n if number < stub else levels[n]][c] for number, c in enumerate(columns))
        for n in range(len(header))
    )


def setup(app: Sphinx) -> None:
    """Register the post-transforms."""
    app.add_post_transform(TabbedTables)
    app.add_post_transform(HtmlTables)
