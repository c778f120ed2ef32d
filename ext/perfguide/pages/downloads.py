"""Writes the site's data: JSON, spreadsheets, Parquet, and what the explorer loads."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from functools import partial
from importlib.metadata import version
from types import MappingProxyType
from typing import Any

import msgspec

from ..bundles.guide_key import GuideKey
from ..common.slugs import anchor
from ..export import explorer, json_api, parquet, workbook
from ..figures.dataset import Progress, no_progress
from ..figures.pool import Record
from .pieces import Pieces

LEDGER = "reports/downloads.json"
"""Hashes of what each file was made from that takes longer to make than to compare, and
of the file."""

FILES = {"benchmarks": "benchmarks.json", "datapackage": "datapackage.json"}


class _Made(msgspec.Struct, frozen=True):
    """What comes of a guide besides its files: what the list of its SoC says of it, its metrics
    as (benchmark, metric, unit), the number of the explorer's files of each benchmark, and
    what the ledger has of its files."""

    entry: dict[str, Any]
    metrics: list[tuple[str, str, str]]
    parts: dict[str, int]
    ledger: dict[str, list[str]]


def write(
    site: Pieces,
    progress: Progress[GuideKey] = no_progress,
    compared: Mapping[tuple[GuideKey, GuideKey], str] = MappingProxyType({}),
) -> None:
    """Write all files. A new bundle changes its guide's files and the lists above them.

    ``compared`` has the page of each two guides that have one, the older one first."""
    _Downloads(site, compared).write(progress)


class _Downloads:
    """The files of one site."""

    def __init__(self, site: Pieces, compared: Mapping[tuple[GuideKey, GuideKey], str]) -> None:
        self._site = site
        self._writer = site.writer
        self._compared = compared
        self._pool = site.pool
        self._catalog = site.holdings.catalog
        self._addresses = site.addresses
        self._layout = site.layout
        described = {name: b.entry for name, b in self._catalog.benchmarks.items()}
        self._described = msgspec.json.encode(described, order="deterministic")
        self._sheet_by = f"{workbook.MAKING} {version('xlsxwriter')}"
        self._parquet_by = f"{parquet.MAKING} {version('pyarrow')}"
        self._made: dict[str, list[str]] = {}
        try:
            made = json.loads((self._writer.root / LEDGER).read_bytes())
        except (FileNotFoundError, ValueError):
            made = {}
        self._known = made if isinstance(made, dict) else {}

    def write(self, progress: Progress[GuideKey]) -> None:
        """Write everything, guide after guide."""
        guides = self._pool.guides()
        entries: dict[str, list[dict[str, Any]]] = {soc: [] for soc in self._addresses.soc}
        parts: dict[str, list[tuple[GuideKey, str, Mapping[str, int]]]] = {}
        seen: dict[str, set[tuple[str, str]]] = {}
        for key in progress(guides, "writing data"):
            path = json_api.guide_path(self._addresses.guide[key])
            made = self._site.keeping.made(
                f"{json_api.ROOT}/{path}",
                self._site.basis.guide(key),
                partial(self._guide, key),
                _Made,
            )
            entries[key.soc].append(made.entry)
            for benchmark, metric, unit in made.metrics:
                seen.setdefault(benchmark, set()).add((metric, unit))
            parts.setdefault(key.soc, []).append((key, path, made.parts))
            self._made |= made.ledger
        metrics = json_api.benchmarks(seen, self._catalog)
        files = [found["parquet"] for of_soc in entries.values() for found in of_soc]
        self._put(FILES["benchmarks"], json_api.encode(metrics))
        package = parquet.package(files, metrics["benchmarks"])
        self._put(FILES["datapackage"], json_api.encode(package))
        for soc, page in self._addresses.soc.items():
            path = json_api.soc_path(page)
            self._put(
                f"socs/{path}.json", json_api.encode(json_api.soc_file(soc, page, entries[soc]))
            )
            pages = {n: a.partition("/")[2] for n, a in self._addresses.benchmark.items()}
            pairs = {pair: found for pair, found in self._compared.items() if pair[0].soc == soc}
            listed = explorer.soc_index(self._catalog, pages, parts[soc], pairs)
            self._script(f"{path}/index", listed)
        self._put(
            "index.json",
            json_api.encode(json_api.index(self._addresses.soc, guides, self._pool, FILES)),
        )
        socs = {soc: json_api.soc_path(page) for soc, page in self._addresses.soc.items()}
        self._script("index", explorer.index(socs))
        text = json.dumps(self._made, indent=0, sort_keys=True)
        self._writer.write(LEDGER, text.encode("utf-8") + b"\n")

    def _guide(self, key: GuideKey) -> _Made:
        page, records = self._addresses.guide[key], self._pool.of_guide(key)
        entry = json_api.entry(key, page, records, self._pool.bundles(records))
        path = f"results/{json_api.guide_path(page)}"
        data = json_api.guide(key, page, records, self._pool, self._catalog)
        self._put(f"{path}.json", data)
        ledger = self._slow(
            f"{path}.xlsx",
            (data, self._described, self._sheet_by),
            lambda: workbook.make(key, records, self._pool, self._catalog, self._layout),
        )
        ledger |= self._slow(
            f"{path}.parquet",
            (data, self._parquet_by),
            lambda: parquet.make(records, self._pool),
        )
        metrics = list(dict.fromkeys((r.benchmark, r.metric, r.unit) for r in records))
        return _Made(entry, metrics, self._parts(json_api.guide_path(page), records), ledger)

    def _parts(self, path: str, records: list[Record]) -> dict[str, int]:
        """The explorer's files of one guide; returns their number by benchmark."""
        found: dict[str, list[Record]] = {}
        for record in records:
            found.setdefault(record.benchmark, []).append(record)
        counts = {}
        for name, mine in found.items():
            folder = f"{path}/{self._addresses.benchmark[name].partition('/')[2]}"
            values = list(explorer.parts(self._catalog.get(name), mine, self._section))
            for number, value in enumerate(values, 1):
                self._script(f"{folder}/{number}", value)
            counts[name] = len(values)
        return counts

    def _section(self, record: Record) -> str:
        """The anchor of a figure's section on the page of its guide."""
        return anchor(self._layout.anchor(record))

    def _script(self, name: str, value: Mapping[str, Any]) -> None:
        self._put(f"{explorer.FOLDER}/{name}.js", explorer.file(name, value))

    def _put(self, name: str, data: bytes) -> None:
        self._writer.write(f"{json_api.ROOT}/{name}", data)

    def _slow(
        self, name: str, made_from: tuple[bytes | str, ...], make: Callable[[], bytes]
    ) -> dict[str, list[str]]:
        """Make a file anew only where what it is made from has changed.

        The ledger, of which this returns what there is of the file, holds a hash of the file
        besides, so that a damaged one is made anew.
        """
        digest = hashlib.sha256()
        for item in made_from:
            data = item.encode() if isinstance(item, str) else item
            digest.update(hashlib.sha256(data).digest())
        full, print_ = f"{json_api.ROOT}/{name}", digest.hexdigest()
        present = self._writer.present(full)
        if self._known.get(full) == [print_, present]:
            self._writer.keep(full, present)
            return {full: [print_, present]}
        made = make()
        self._writer.write(full, made)
        return {full: [print_, hashlib.sha256(made).hexdigest()]}
