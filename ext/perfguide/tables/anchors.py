"""The location of a figure in its guide: the page, the table and the row."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from ..bundles.guide_key import GuideKey
from ..common import slugs, units
from ..figures.dataset import Addresses
from ..figures.pool import Record
from .assign import Layout, Signature, signature
from .grids import row_name
from .model import Shape, View, view


@dataclass(frozen=True, slots=True)
class Anchor:
    """The location of a figure. ``page`` has no suffix; ``table`` is the table's name in links,
    from which its address is derived, and ``row`` is the suffix for the row."""

    page: str
    table: str
    row: str


class Anchors:
    """The anchors of figures. ``records`` returns the figures of a guide and is called once per
    guide."""

    def __init__(
        self, layout: Layout, pages: Addresses, records: Callable[[GuideKey], Iterable[Record]]
    ) -> None:
        self._layout = layout
        self._pages = pages
        self._records = records
        self._tabs: dict[GuideKey, dict[str, set[str]]] = {}
        self._rows: dict[Signature, tuple[str, str, str]] = {}
        self._irregular: dict[GuideKey, tuple[frozenset[str], dict[int, str]]] = {}

    def of(self, record: Record) -> Anchor:
        """Return the location of a figure in the guide of its release."""
        page, key = self._pages.guide[record.guide], signature(record)
        table = self._layout.table(record)
        name = f"{page.partition('/')[2]}/{table}".lower()
        names, rows = self._irregular_in(record.guide)
        if table in names:
            return Anchor(page, name, rows.get(record.cell.members[0], ""))
        if key not in self._rows:
            self._rows[key] = (table, *self._row_names(record))
        _, plain, tabbed = self._rows[key]
        # A single tab is not shown as one.
        several = tabbed and len(self._tabs_of(record.guide)[table]) > 1
        return Anchor(page, name, tabbed if several else plain)

    def _irregular_in(self, key: GuideKey) -> tuple[frozenset[str], dict[int, str]]:
        """Return the tables of a guide whose layout depends on all their figures, and the rows of
        those figures, keyed by first result."""
        if key not in self._irregular:
            records, layout = list(self._records(key)), self._layout
            irregular = frozenset(layout.table(r) for r in records if not layout.fits(r))
            rows: dict[int, str] = {}
            if irregular:
                sections, other = layout.sections(
                    r for r in records if layout.table(r) in irregular
                )
                views = [view for section in sections for view in section.views]
                views += [v for name, rest in other.items() for v in layout.general(name, rest)]
                for view in views:
                    rows |= _rows(view)
            self._irregular[key] = irregular, rows
        return self._irregular[key]

    def _row_names(self, record: Record) -> tuple[str, str]:
        """Return the name of a figure's row in a table without tabs, and in one with tabs, or "" if
        its table never has any. Neither depends on the guide."""
        position = self._layout.claim(record)
        assert position is not None  # other figures are irregular
        benchmark = self._layout.catalog.benchmarks[record.benchmark]
        table = benchmark.entry.tables[position]
        # A row's address depends only on its own keys, so a single record suffices.
        alone = view(benchmark, table, [record], Shape())
        if not table.tabs:
            return _row_name(alone, 0), ""
        tab = slugs.slug(benchmark.value_address(table.tabs, record.params[table.tabs]))
        return _row_name(alone, 0), f"--{tab}{_row_name(alone, 1)}"

    def _tabs_of(self, key: GuideKey) -> dict[str, set[str]]:
        """Return the names of the tabs of each table in a guide."""
        if key not in self._tabs:
            tabs = self._tabs[key] = {}
            for record in self._records(key):
                position = self._layout.claim(record)
                if position is None:
                    continue
                benchmark = self._layout.catalog.benchmarks[record.benchmark]
                if param := benchmark.entry.tables[position].tabs:
                    name = benchmark.value_label(param, record.params[param])
                    tabs.setdefault(self._layout.table(record), set()).add(name)
        return self._tabs[key]


def _rows(table: View) -> dict[int, str]:
    """Return the address suffix of each figure's row, keyed by the figure's first result."""
    tabs = {units.whole(row.keys[0]) for row in table.rows} if table.tabbed else set[str]()
    first, header, out = len(tabs) > 1, table.key_labels, dict[int, str]()
    for row in table.rows:
        tab = f"--{slugs.slug(row.names[0])}" if first else ""
        name = row_name(row.names[first:], (header[first:],), len(header) - first)
        # Rows of single runs precede that of their mean, which overrides them here.
        out |= {cell.members[0]: f"{tab}--{name}" for cell in row.cells if cell}
    return out


def _row_name(table: View, first: int) -> str:
    """Return the suffix of a row's address, which is that of the mean if each run has its own
    row."""
    header = table.key_labels[first:]
    return f"--{row_name(table.rows[-1].names[first:], (header,), len(header))}"
