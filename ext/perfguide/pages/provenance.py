"""Pages about where figures come from and what became of withdrawn ones."""

from __future__ import annotations

import json
from collections.abc import Sequence

from ..bundles.decompress import Limits
from ..bundles.guide_key import GuideKey, guide_key
from ..bundles.logs import Found, find, wanted
from ..common import slugs, units
from ..common.diagnostics import Diagnostic
from ..export import feed
from ..figures import errata, query
from ..figures.dataset import Holdings, plan
from ..figures.errata import Change, Erratum
from ..figures.labels import params_text
from ..figures.pool import Record
from ..health.finding import Finding
from ..publishing.output_folder import Writer
from ..tables import origins
from ..tables.grids import Grid, listing
from .keeping import Keeping
from .pieces import Pieces, Trace

WITHDRAWN = "withdrawn"
"""What stands for a figure of which a withdrawal left nothing."""


class Traces(Pieces):
    """The provenance of each guide, the errata, and the entries of the feed."""

    def __init__(
        self,
        holdings: Holdings,
        writer: Writer,
        limits: Limits,
        found: Sequence[Finding] = (),
        keeping: Keeping | None = None,
    ) -> None:
        super().__init__(holdings, writer, found, keeping)
        self.limits = limits
        self.diagnostics: list[Diagnostic] = []
        self.errata: list[Erratum] = errata.find(holdings.ledger, holdings.catalog)
        corrected = {change.record.guide for e in self.errata for change in e.changes}
        # A release whose last bundle was withdrawn has no guide, but it has errata.
        every = plan(sorted({*self.guides, *corrected}), ()).guide
        self._errata = {
            key: f"reports/errata/{every[key].partition('/')[2]}" for key in sorted(corrected)
        }

    def write_trace(
        self, key: GuideKey, records: Sequence[Record], trace: Trace
    ) -> list[Diagnostic]:
        """Write the provenance of one guide, which changes when that guide does; return what
        is wrong with its logs."""
        frame, diagnostics = self.pool.frame, list[Diagnostic]()
        members = [member for record in records for member in record.cell.members]
        found: dict[int, Found] = {}
        for position in sorted({bundle for bundle, _ in self.pool.places(members)}):
            item = frame.bundles[position]
            found[position] = find(item, wanted(item), self.limits)
            diagnostics += found[position].diagnostics
        tables = []
        for shown, view in trace.tables:
            grid = origins.table(view, self.pool, found)
            name = shown.name.rpartition("/")[2]
            tables.append(self.table(trace.page, name, shown.title, grid, shown.tabs))
        kept = [
            (frame.bundles[position].bundle.id, log, place)
            for position, logs in found.items()
            for log, place in sorted(logs.places.items())
        ]
        logs = None
        if kept:
            grid = listing(("Bundle", "Log", "Kept in"), kept, 2)
            logs = self.table(trace.page, "logs", "Logs of these bundles", grid)
        name = "provenance.json"
        self.writer.write(f"{trace.page}/{name}", origins.as_json(self.pool, records))
        grid = origins.bundles(self.pool.bundles(records))
        self.page(
            trace.page,
            "trace.rst.jinja",
            trace=trace,
            guide=slugs.relative(trace.page, self.addresses.guide[key]),
            data=f"{trace.page.rpartition('/')[2]}/{name}",
            bundles=self.table(trace.page, "bundles", "Bundles of this guide", grid),
            logs=logs,
            tables=tables,
        )
        return diagnostics

    def errata_of(self, key: GuideKey) -> str:
        """The name in links of a guide's errata; empty where it has none."""
        return self._errata.get(key, "").partition("/")[2].lower()

    def write_errata(self) -> None:
        """Write the errata of each guide that has some, their list, and the feed's entries."""
        rows = []
        for erratum in self.errata:
            new = erratum.by.bundle
            keys = {guide_key(old.bundle) for old in erratum.withdrawn}
            rows.append(
                (
                    new.id,
                    new.created.isoformat(),
                    "; ".join(str(key) for key in sorted(keys)),
                    ", ".join(sorted(old.bundle.id for old in erratum.withdrawn)),
                    new.reason or units.MISSING,
                    str(len(erratum.changes)),
                )
            )
        page = "reports/errata"
        listed = None
        if rows:
            head = ("Bundle", "On", "Guide", "Withdraws", "Why", "Figures changed")
            listed = self.table(page, "withdrawals", "Withdrawals", listing(head, rows))
        pages = [(str(k), p.removeprefix("reports/")) for k, p in self._errata.items()]
        self.page(page, "errata.rst.jinja", listed=listed, pages=pages)
        for key, own in self._errata.items():
            self._write_guide_errata(key, own)
        entries = feed.newest(
            [
                *feed.releases(self.holdings.ledger.bundles, self.addresses.guide),
                *feed.corrections(self.errata, self._errata),
            ]
        )
        text = json.dumps(entries, indent=1, ensure_ascii=False)
        self.writer.write("reports/feed.json", text.encode("utf-8") + b"\n")

    def _write_guide_errata(self, key: GuideKey, page: str) -> None:
        parts = []
        for erratum in self.errata:
            mine = [change for change in erratum.changes if change.record.guide == key]
            if not mine:
                continue
            new = erratum.by.bundle
            name = slugs.hashed(new.id)
            gone = sorted(o.bundle.id for o in erratum.withdrawn if guide_key(o.bundle) == key)
            parts.append(
                {
                    "id": name,
                    "bundle": new.id,
                    "on": new.created.isoformat(),
                    "gone": gone,
                    "reason": new.reason,
                    "table": self.table(page, name, f"Figures changed by {new.id}", changed(mine)),
                }
            )
        known = self.addresses.guide.get(key)
        guide = slugs.relative(page, known) if known else ""
        label = page.partition("/")[2].lower()
        self.page(page, "errata_of.rst.jinja", key=key, guide=guide, label=label, parts=parts)


def changed(changes: Sequence[Change]) -> Grid:
    """Figures before and after a withdrawal, with all their digits."""
    rows = [
        (
            change.record.board,
            change.record.benchmark,
            change.record.metric,
            params_text(change.record.params),
            units.parse(change.record.unit).shown,
            query.exact_text(change.old),
            query.exact_text(change.new) if change.new else WITHDRAWN,
        )
        for change in sorted(changes, key=_order)
    ]
    head = ("Board", "Benchmark", "Metric", "Parameters", "Unit", "Published", "Corrected")
    return listing(head, rows, 5)


def _order(change: Change) -> tuple[object, ...]:
    record = change.record
    names = (record.board, record.benchmark, record.metric, params_text(record.params))
    return (*map(units.natural, names), record.unit)
