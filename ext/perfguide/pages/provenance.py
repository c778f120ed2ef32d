"""Pages about the origin of figures: provenance, refused and withdrawn bundles, and errata."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import msgspec

from ..bundles.guide_key import GuideKey, guide_key
from ..bundles.logs import Found, find, wanted
from ..common import slugs, units
from ..common.diagnostics import Diagnostic
from ..common.grouping import grouped
from ..export import feed
from ..figures import query
from ..figures.errata import Change, Erratum
from ..figures.labels import params_text
from ..figures.pool import Record
from ..tables import blocks, origins, summaries
from ..tables.grids import Grid, listing, unit_scales
from ..tables.model import View
from . import write_files, write_tables
from .context import ProvenancePage, Site
from .sentences import link_name
from .write_tables import PageTable

INDEX = "reports/provenance"
"""The page that lists refused and withdrawn uploads, and links to the provenance of each guide."""

MAX_PAGE_ELEMENTS = 8_000
"""The estimated number of HTML elements in a page's tables, whose cells are longer than figures."""

NOT_OF_UPLOADS = {"no-results", "missing-path", "catalog", "catalog-prose", "ignored"}
"""Kinds of diagnostics that concern the maintainer rather than an upload."""

WITHDRAWN = "withdrawn"
"""The cell of a figure whose samples were all withdrawn."""


def write(
    site: Site,
    key: GuideKey,
    records: Sequence[Record],
    page: ProvenancePage,
    views: Sequence[tuple[PageTable, View]],
) -> list[Diagnostic]:
    """Write the provenance of one guide, and return the faults of its logs. ``views`` are the
    guide's tables with their contents."""
    address, bundles, diagnostics = page.address, site.pool.frame.bundles, list[Diagnostic]()
    members = [member for record in records for member in record.cell.members]
    logs: dict[int, Found] = {}
    for position in sorted({bundle for bundle, _ in site.pool.positions_of(members)}):
        item = bundles[position]
        logs[position] = find(item, wanted(item), site.limits)
        diagnostics += logs[position].diagnostics
    grids = [origins.table(view, site.pool, logs) for _, view in views]
    max_elements = blocks.share(map(blocks.weight, grids), MAX_PAGE_ELEMENTS)
    tables = [
        write_tables.table(
            *(site, address, table.name.rpartition("/")[2], table.title, grid),
            # provenance.json has the same content for programs.
            has_data=False,
            max_elements=max_elements,
        )
        for (table, _), grid in zip(views, grids, strict=True)
    ]
    kept = [
        (bundles[position].bundle.id, log, file)
        for position, log_files in logs.items()
        for log, file in sorted(log_files.places.items())
    ]
    grid = listing(("Bundle", "Log", "Kept in"), kept, 2)
    title = "Logs of these bundles"
    logs_table = write_tables.table(site, address, "logs", title, grid) if kept else None
    name = "provenance.json"
    site.writer.write(f"{address}/{name}", origins.as_json(site.pool, records))
    grid = origins.bundles(site.pool.bundles(records))
    write_files.page(
        site,
        address,
        "provenance_of.rst.jinja",
        provenance=page,
        guide=slugs.relative(address, site.addresses.guide[key]),
        data=f"{address.rpartition('/')[2]}/{name}",
        bundles=write_tables.table(site, address, "bundles", "Bundles of this guide", grid),
        logs=logs_table,
        tables=tables,
    )
    return diagnostics


def write_list(site: Site, soc: str) -> None:
    """Write the list of the provenance pages of a SoC's guides."""
    pages = [(str(key), site.provenance(key).address) for key in site.socs[soc]]
    sentence = "For each guide of this SoC, the bundle and the log line of every figure."
    write_files.list_of_soc(site, soc, INDEX, "Provenance of", sentence, pages)


def write_index(site: Site) -> None:
    """Write the page of refused and withdrawn bundles, with links to each SoC's list."""
    faults = [d for d in site.holdings.diagnostics if d.kind not in NOT_OF_UPLOADS]
    withdrawals = site.holdings.ledger.withdrawn
    lists = {soc: f"provenance/{write_files.list_address(site, soc)}" for soc in site.socs}
    refused = withdrawn = None
    if faults:
        grid = summaries.refused(faults)
        refused = write_tables.table(site, INDEX, "refused", "Problems with uploads", grid)
    if withdrawals:
        grid = summaries.withdrawn(withdrawals)
        withdrawn = write_tables.table(site, INDEX, "withdrawn", "Withdrawn bundles", grid)
    values: dict[str, Any] = {"by_soc": lists, "refused": refused, "withdrawn": withdrawn}
    write_files.page(site, INDEX, "provenance.rst.jinja", **values)


class Corrections(msgspec.Struct, frozen=True):
    """The number of figures in each guide that one bundle changed by withdrawing others. ``by`` is
    the bundle's id and its runner's name."""

    by: tuple[str, str]
    figures: dict[GuideKey, int]


def write_errata(site: Site, errata: Sequence[Erratum]) -> list[Corrections]:
    """Write the errata of each of a SoC's guides that has any."""
    guides = sorted({change.record.guide for erratum in errata for change in erratum.changes})
    for key in guides:
        _write_errata_of(site, key, site.plan.errata[key], errata)
    return [
        Corrections(erratum.by.bundle.owned_id, dict(figures))
        for erratum in errata
        if (figures := Counter(change.record.guide for change in erratum.changes))
    ]


def write_errata_index(
    site: Site, corrections: Iterable[Corrections], tags: Mapping[GuideKey, str]
) -> None:
    """Write the list of withdrawals and errata, and the entries of the feed. ``tags`` has the
    advice on each guide, from its comparison with the previous release."""
    changed = dict[tuple[str, str], Counter[GuideKey]]()
    for correction in corrections:
        # Each SoC counted only its own part of what a bundle withdrew.
        changed.setdefault(correction.by, Counter()).update(correction.figures)
    withdrawn = grouped(site.holdings.ledger.withdrawn, lambda item: item.new.bundle.owned_id)
    newest_first = sorted(
        ((old[0].new.bundle, old, changed.get(by, Counter())) for by, old in withdrawn.items()),
        key=lambda item: (item[0].created, item[0].owned_id),
        reverse=True,
    )
    rows = [
        (
            new.id,
            new.created.isoformat(),
            "; ".join(str(key) for key in sorted({guide_key(pair.old.bundle) for pair in pairs})),
            ", ".join(sorted(pair.old.bundle.id for pair in pairs)),
            new.reason or units.MISSING,
            units.count_cell(figures.total()),
        )
        for new, pairs, figures in newest_first
    ]
    page = "reports/errata"
    grid = listing(("Bundle", "On", "Guide", "Withdraws", "Why", "Figures changed"), rows)
    listed = write_tables.table(site, page, "withdrawals", "Withdrawals", grid) if rows else None
    guides = sorted({key for _, _, figures in newest_first for key in figures})
    named = [(str(key), site.plan.errata[key].removeprefix("reports/")) for key in guides]
    write_files.page(site, page, "errata.rst.jinja", listed=listed, pages=named)
    pages = site.addresses.guide
    # An entry in the feed needs a page to link to.
    counted = (item for item in site.holdings.ledger.bundles if guide_key(item.bundle) in pages)
    corrected = [(new, figures) for new, _, figures in newest_first]
    entries = [*feed.releases(counted, pages, tags), *feed.corrections(corrected, site.plan.errata)]
    write_files.json_file(site, "reports/feed.json", feed.newest(entries))


def _write_errata_of(site: Site, key: GuideKey, page: str, errata: Sequence[Erratum]) -> None:
    parts: list[dict[str, Any]] = []
    for erratum in errata:
        mine = [change for change in erratum.changes if change.record.guide == key]
        if not mine:
            continue
        new = erratum.by.bundle
        name, title = slugs.hashed(new.id), f"Figures changed by {new.id}"
        withdrawn = [old.bundle for old in erratum.withdrawn]
        parts.append(
            {
                "id": name,
                "bundle": new.id,
                "on": new.created.isoformat(),
                "withdrawn": sorted(old.id for old in withdrawn if guide_key(old) == key),
                "reason": new.reason,
                "table": write_tables.table(site, page, name, title, changed(mine)),
            }
        )
    # A guide whose figures were all withdrawn has errata, but no page.
    address = site.addresses.guide.get(key)
    guide = slugs.relative(page, address) if address else ""
    values: dict[str, Any] = {"key": key, "guide": guide, "label": link_name(page), "parts": parts}
    write_files.page(site, page, "errata_of.rst.jinja", **values)


def changed(changes: Sequence[Change]) -> Grid:
    """Return a table of figures before and after a withdrawal, with all digits."""
    rows = [
        (
            change.record.board,
            change.record.benchmark,
            change.record.metric,
            params_text(change.record.params),
            units.parse(change.record.unit).symbol,
            query.exact(change.old),
            query.exact(change.new) if change.new else WITHDRAWN,
        )
        for change in sorted(changes, key=_order)
    ]
    head = ("Board", "Benchmark", "Metric", "Parameters", "Unit", "Published", "Corrected")
    scales = unit_scales((units.parse(c.record.unit).symbol, c.record.unit) for c in changes)
    return Grid((head,), tuple(rows), 5, units=scales)


def _order(change: Change) -> tuple[object, ...]:
    record = change.record
    names = (record.board, record.benchmark, record.metric, params_text(record.params))
    return (*map(units.natural, names), record.unit)
