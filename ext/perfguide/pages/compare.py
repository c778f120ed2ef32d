"""Writes the pages that compare two releases, and what leads to them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cached_property, partial
from typing import Any

from ..bundles.guide_key import GuideKey, family, version
from ..catalog.board_names import load as load_boards
from ..catalog.waivers import load as load_waivers
from ..charts import gallery
from ..charts.gallery import Picture
from ..common import units
from ..common.diagnostics import Diagnostic
from ..common.slugs import relative
from ..compare import change_data
from ..compare import wording as words
from ..compare.comparison import Asked, Comparison, compare
from ..compare.history import History
from ..compare.match import Names
from ..compare.neighbours import Neighbours, plan
from ..compare.select import Only
from ..compare.verdicts import Row, Rules, Verdict
from ..figures.dataset import Progress, Settings
from ..figures.pool import Record
from ..tables import grids
from ..tables.anchors import Anchors
from ..tables.grids import Grid, listing
from . import long_tables
from .pieces import Pieces, Shown

LINKED = 3
"""The columns of a table of changes that lead to the older and the newer guide are
this one and the next."""

MOST_BYTES = 300_000
"""As :data:`long_tables.MOST_BYTES`: these tables are words that repeat, and take 0.23 of
the bytes of their files."""


class ComparePages:
    """All pages below ``compare/`` of one site."""

    def __init__(self, pieces: Pieces, settings: Settings) -> None:
        self._pieces = pieces
        boards, faults = load_boards(settings.boards)
        waivers, wrong = load_waivers(settings.waivers)
        self._names = Names(pieces.holdings.catalog, boards)
        self._rules = Rules(self._names, waivers)
        self._history = History([pieces.pool], self._names)
        self._pages, unknown = plan(
            pieces.pool, self._history, self._names, pieces.addresses, settings.compare
        )
        self._anchors = Anchors(
            pieces.layout, pieces.addresses, partial(self._history.records, pieces.pool)
        )
        self._beside: dict[GuideKey, list[tuple[int, str]]] = {}
        for place, pair in enumerate(self._ordered):
            self._beside.setdefault(pair.new, []).append((place, pair.address))
        self._of_soc: dict[str, list[tuple[GuideKey, str]]] = {}
        for key, page in pieces.addresses.guide.items():
            self._of_soc.setdefault(key.soc, []).append((key, page))
        self._used: set[int] = set()
        self.diagnostics: list[Diagnostic] = [*faults, *wrong, *unknown]

    def beside(self, keys: Sequence[GuideKey]) -> list[str]:
        """The pages that compare these guides with older ones, the newest first."""
        found = sorted(each for key in set(keys) for each in self._beside.get(key, ()))
        return [address for _, address in found]

    def pairs(self) -> dict[tuple[GuideKey, GuideKey], str]:
        """The page of each older and newer guide that are compared."""
        return {(pair.old, pair.new): pair.address for pair in self._ordered}

    @cached_property
    def _ordered(self) -> list[Neighbours]:
        newest = sorted(self._pages, key=lambda p: version(p.new.release), reverse=True)
        return sorted(newest, key=lambda p: (units.natural(p.new.soc), p.new.os, p.new.sdk))

    def write(self, progress: Progress[Neighbours]) -> None:
        """Write every page, and the index."""
        before: Neighbours | None = None
        for pair in progress(self._pages, "comparing releases"):
            if before and before.old.platform != pair.old.platform:
                self._history.forget(before.old.platform)
            self._used |= self._made(pair)
            before = pair
        by_soc: dict[str, list[tuple[str, str]]] = {}
        for pair in self._ordered:
            by_soc.setdefault(pair.old.soc, []).append(("", pair.address))
        titles = {soc: f"Comparisons of {soc}" for soc in by_soc}
        said = "Each release of this SoC beside the one before it: what changed."
        listed = self._pieces.listed("compare", titles, said, by_soc)
        listed = {soc: page.removeprefix("compare/") for soc, page in listed.items()}
        self._pieces.page("compare/index", "comparisons.rst.jinja", by_soc=listed)
        for waiver in self._rules.waivers:
            if waiver.number not in self._used:
                hint = "remove it, or mend its names"
                finding = waiver.finding("no page that compares two releases needs it", hint)
                self.diagnostics.append(finding)

    def _made(self, pair: Neighbours) -> set[int]:
        """Write a page, or leave it as it is where nothing changed that it looks at; the numbers
        of the waivers that it needed."""
        pieces, soc = self._pieces, pair.old.soc
        of_soc = self._of_soc[soc]
        basis, boards = pieces.basis, None
        if pair.exact:
            # What other boards measured, in whatever release, says nothing about these.
            named = {name for key in (pair.old, pair.new) for name in basis.boards(key)}
            today = {self._names.boards.today(soc, name) for name in named}
            boards = {name for board in today for name in self._names.boards.ever(soc, board)}
        bundles = basis.bundles((key for key, _ in of_soc), boards)
        made_from = (pair.old, pair.new, of_soc, basis.common, bundles)
        made = pieces.keeping.made(pair.address, made_from, lambda: self._page(pair), set[int])
        return made

    def _page(self, pair: Neighbours) -> set[int]:
        """Write a page; the numbers of the waivers that it needed."""
        pool = self._pieces.pool
        before, after = pair.sides()
        comparison = compare(
            Asked(pair.old.release, pool, before),
            Asked(pair.new.release, pool, after),
            self._history,
            self._rules,
            Only(soc=pair.old.soc),
        )
        used = {row.waiver.number for row in comparison.rows if row.waiver}
        sections: list[dict[str, Any]] = []
        for verdict in (*words.LEADING, *words.FOLDED):
            found = words.of_verdict(comparison.rows, [verdict])
            if found:
                opened = verdict in ("regressed", "failed-after")
                shown = self._table(pair.address, verdict, found, comparison)
                title = f"{words.TITLES[verdict]} ({len(found)})"
                sections.append({"title": title, "open": opened, **shown})
        self._lighten(pair, sections)
        summary, known = words.summary(comparison), self._pieces.addresses.guide
        told = f"{pair.new.soc}, {family(pair.new)}, what changed. {'; '.join(summary[:2])}."
        self._pieces.about(pair.address, {"description": told})
        self._pieces.page(
            pair.address,
            "compare.rst.jinja",
            title=_title(pair),
            pair=pair,
            summary=summary,
            guides=[relative(pair.address, known[key]) for key in (pair.old, pair.new)],
            sections=sections,
            chart=self._chart(pair.address, comparison),
            benchmarks=self._benchmarks(pair.address, comparison),
            coverage=[finding.text() for finding in comparison.coverage],
            notes=comparison.notes,
            findings=[finding.text() for finding in comparison.findings],
            link=long_tables.link,
        )
        return used

    def _lighten(self, pair: Neighbours, sections: Sequence[dict[str, Any]]) -> None:
        """Give tables pages of their own until the others make a light page."""
        names = long_tables.apart((section["table"] for section in sections), MOST_BYTES)
        for section in sections:
            shown = section["table"]
            if shown.name in names:
                place = "compare" if section["open"] else "all-other-figures"
                title = f"{shown.title}: {_title(pair)}"
                section["table"] = long_tables.move(
                    self._pieces, pair.address, place, _title(pair), shown, title, section["links"]
                )

    def _table(
        self, page: str, verdict: Verdict, found: Sequence[Row], comparison: Comparison
    ) -> dict[str, Any]:
        catalog = self._pieces.holdings.catalog
        head = ("Figure", "Board", "Unit", "Old", "New", "Change", "Why")
        lines, links = [], []
        for number, row in enumerate(found):
            places = words.decimals(row, catalog)
            name = f"{row.benchmark}: {words.figure(row, catalog)}"
            old, new = (_cell(record, places) for record in (row.old, row.new))
            why = words.ground(row)
            lines.append((name, row.board, words.unit(row), old, new, words.change(row), why))
            for column, record in ((LINKED, row.old), (LINKED + 1, row.new)):
                if record:
                    anchor = self._anchors.of(record)
                    links.append([number, column, anchor.page, anchor.table, anchor.row])
        shown = self._pieces.table(page, verdict, words.TITLES[verdict], listing(head, lines, 3))
        text = json.dumps(links, ensure_ascii=False, separators=(",", ":"))
        file = shown.file.removesuffix(".csv") + ".links.json"
        self._pieces.writer.write(
            f"{page}/{verdict}.links.json", text.replace("],[", "],\n[").encode() + b"\n"
        )
        return {"table": shown, "links": file}

    def _chart(self, page: str, comparison: Comparison) -> dict[str, str] | None:
        found = change_data.change_view(comparison)
        if found is None:
            return None
        made = Picture(gallery.stem(page, "changes", ""), found)
        self._pieces.pictures.append(made)
        grid = change_data.data(comparison, self._pieces.holdings.catalog)
        self._pieces.writer.write(f"{page}/changes.csv", grids.to_csv(grid))
        file = self._pieces.chart_file(page, "changes", [made])
        name = f"{page.partition('/')[2]}/compare-changes".lower()
        return {"title": "Changes by benchmark", "file": file, "name": name}

    def _benchmarks(self, page: str, comparison: Comparison) -> Shown | None:
        if not comparison.groups:
            return None
        head = ("Benchmark", "Geometric mean, + is better", "Figures")
        lines = [(g.title, words.ratio(g), words.tally(g)) for g in comparison.groups]
        grid: Grid = listing(head, lines)
        return self._pieces.table(page, "benchmarks", "Benchmarks", grid)


def _title(pair: Neighbours) -> str:
    return f"{pair.new.soc}, {family(pair.new)}: {pair.old.release} → {pair.new.release}"


def _cell(record: Record | None, places: int) -> str:
    return grids.cell_text(record.cell if record else None, places)
