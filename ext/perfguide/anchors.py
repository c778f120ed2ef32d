"""Where a figure stands in its guide: the page, the table and the row."""

from __future__ import annotations

from dataclasses import dataclass

from . import addresses, htmltable
from .guidekeys import GuideKey
from .history import History
from .layout import Layout, part_id
from .pool import Pool, Record
from .site import Addresses
from .views import Shape, View, other_view, view


@dataclass(frozen=True, slots=True)
class Anchor:
    """``page`` has no suffix. ``table`` is the table's name in links, from which its
    address is made, and ``row`` what the address of the row has behind that."""

    page: str
    table: str
    row: str


class Anchors:
    """The anchors of figures. Each guide is looked through once."""

    def __init__(self, layout: Layout, pages: Addresses, pool: Pool, history: History) -> None:
        self._layout = layout
        self._pages = pages
        self._pool = pool
        self._history = history
        self._tabs: dict[GuideKey, dict[tuple[str, str, int], set[str]]] = {}

    def of(self, record: Record) -> Anchor:
        """Where a figure stands in the guide of its release."""
        page = self._pages.guide[record.guide]
        label = page.partition("/")[2]
        slug = addresses.slug(record.benchmark)
        position = self._layout.claim(record)
        benchmark = self._layout.catalog.get(record.benchmark)
        if position is None or benchmark is None:
            shown = other_view("", [record])
            return Anchor(page, f"{label}/other-{slug}".lower(), f"--{_row(shown, 0)}")
        table = benchmark.entry.tables[position]
        split = benchmark.entry.split
        part = part_id(record.params[split]) if split else ""
        section = f"{slug}--{part}" if part else slug
        shown = view(benchmark, table, [record], Shape())
        name = f"{label}/{section}-{table.id}".lower()
        tabs = self._alternatives(record.guide).get((record.benchmark, part, position), set())
        if len(tabs) < 2:
            return Anchor(page, name, f"--{_row(shown, 0)}")
        tab = addresses.slug(shown.rows[-1].keys[0])
        return Anchor(page, name, f"--{tab}--{_row(shown, 1)}")

    def _alternatives(self, key: GuideKey) -> dict[tuple[str, str, int], set[str]]:
        """The names of the tabs of each table of a guide."""
        if key in self._tabs:
            return self._tabs[key]
        found: dict[tuple[str, str, int], set[str]] = {}
        for record in self._history.records(self._pool, key):
            position = self._layout.claim(record)
            benchmark = self._layout.catalog.get(record.benchmark)
            if position is None or benchmark is None:
                continue
            table, split = benchmark.entry.tables[position], benchmark.entry.split
            if table.tabs:
                part = part_id(record.params[split]) if split else ""
                name = benchmark.value_label(table.tabs, record.params[table.tabs])
                found.setdefault((record.benchmark, part, position), set()).add(name)
        return self._tabs.setdefault(key, found)


def _row(shown: View, first: int) -> str:
    """The end of a row's address; of the mean where each run has a row of its own."""
    header = shown.key_labels[first:]
    return htmltable.row_name(shown.rows[-1].keys[first:], (header,), len(header))
