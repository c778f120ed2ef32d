"""Where a figure stands in its guide: the page, the table and the row."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from ..bundles.guide_key import GuideKey
from ..common import slugs
from ..figures.dataset import Addresses
from ..figures.pool import Record
from .assign import Layout, Signature, part_id, signature
from .grids import row_name
from .model import Shape, View, other_view, view


@dataclass(frozen=True, slots=True)
class Anchor:
    """``page`` has no suffix. ``table`` is the table's name in links, from which its
    address is made, and ``row`` what the address of the row has behind that."""

    page: str
    table: str
    row: str


@dataclass(frozen=True, slots=True)
class _Row:
    """Where a figure stands in any guide: the table, the row's name where the table has
    no tabs there and where it has some, and what its tabs are known by."""

    table: str
    plain: str
    tabbed: str = ""
    tabs: tuple[str, str, int] | None = None


class Anchors:
    """The anchors of figures. Each guide is looked through once; ``records`` gives its figures."""

    def __init__(
        self, layout: Layout, pages: Addresses, records: Callable[[GuideKey], Iterable[Record]]
    ) -> None:
        self._layout = layout
        self._pages = pages
        self._records = records
        self._tabs: dict[GuideKey, dict[tuple[str, str, int], set[str]]] = {}
        self._rows: dict[Signature, _Row] = {}

    def of(self, record: Record) -> Anchor:
        """Where a figure stands in the guide of its release."""
        page = self._pages.guide[record.guide]
        place = signature(record)
        if place not in self._rows:
            self._rows[place] = self._look_up(record)
        row = self._rows[place]
        name = f"{page.partition('/')[2]}/{row.table}".lower()
        if row.tabs and len(self._alternatives(record.guide).get(row.tabs, ())) > 1:
            return Anchor(page, name, row.tabbed)
        return Anchor(page, name, row.plain)

    def _look_up(self, record: Record) -> _Row:
        """What does not depend on the guide."""
        slug = slugs.slug(record.benchmark)
        position = self._layout.claim(record)
        benchmark = self._layout.catalog.get(record.benchmark)
        if position is None or benchmark is None:
            return _Row(f"other-{slug}", f"--{_row(other_view('', [record]), 0)}")
        table, split = benchmark.entry.tables[position], benchmark.entry.split
        part = part_id(record.params[split]) if split else ""
        section = f"{slug}--{part}" if part else slug
        shown = view(benchmark, table, [record], Shape())
        tab = slugs.slug(shown.rows[-1].keys[0])
        return _Row(
            f"{section}-{table.id}",
            f"--{_row(shown, 0)}",
            f"--{tab}--{_row(shown, 1)}",
            (record.benchmark, part, position) if table.tabs else None,
        )

    def _alternatives(self, key: GuideKey) -> dict[tuple[str, str, int], set[str]]:
        """The names of the tabs of each table of a guide."""
        if key in self._tabs:
            return self._tabs[key]
        found: dict[tuple[str, str, int], set[str]] = {}
        for record in self._records(key):
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
    return row_name(shown.rows[-1].keys[first:], (header,), len(header))
