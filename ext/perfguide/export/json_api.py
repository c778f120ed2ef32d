"""The site's data for programs: JSON files at addresses that follow one convention.

Everything here is plain values; :mod:`perfguide.downloads` writes them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import msgspec

from ..bundle import Board, Bundle, Runner, Sdk
from ..bundles.decode import Loaded
from ..bundles.guide_key import GuideKey, family
from ..catalog.benchmarks import Benchmark, Catalog
from ..common import units
from ..figures.pool import Pool, Record, measured
from ..tables import grids
from .figure_rows import own_facts

VERSION = 1
"""Raised when a reader of the files would have to change; fields may be added without."""

ROOT = f"api/v{VERSION}"
"""The folder of all files, below the generated pages and below the site."""

FIGURES = "figures"
"""The key of a guide's figures; each of them is one line of the file."""


def guide_path(page: str) -> str:
    """A guide's place among the data, from its page: ``AM62X/linux/09.01``."""
    return page.removeprefix("guides/")


def soc_path(page: str) -> str:
    """A SoC's place among the data, from its page: ``AM62X``."""
    return guide_path(page).rpartition("/")[0]


def index(
    socs: Mapping[str, str], guides: Sequence[GuideKey], pool: Pool, files: Mapping[str, object]
) -> dict[str, Any]:
    """What there is. ``socs`` has each SoC's page; ``files`` names files of the whole site."""
    return {
        "format": "perfguide-index",
        "version": VERSION,
        "figures": len(pool),
        **files,
        "socs": [
            {
                "soc": soc,
                "page": page,
                "guides": sum(key.soc == soc for key in guides),
                "file": f"socs/{soc_path(page)}.json",
            }
            for soc, page in socs.items()
        ],
    }


def soc_file(soc: str, page: str, guides: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """The guides of one SoC, as :func:`entry` gives them."""
    return {
        "format": "perfguide-soc",
        "version": VERSION,
        "soc": soc,
        "page": page,
        "guides": list(guides),
    }


def entry(
    key: GuideKey,
    page: str,
    records: Sequence[Record],
    bundles: Sequence[Loaded],
    parquet_files: tuple[str, str] | None,
) -> dict[str, Any]:
    """One guide among those of its SoC: what it is, and where its files are. ``parquet_files`` are
    those of figures and of runs; ``None`` where the site is made without."""
    path = guide_path(page)
    days = sorted(b.bundle.created.date().isoformat() for b in bundles)
    return {
        **_identity(key),
        "page": page,
        "boards": sorted({r.board for r in records}, key=units.natural),
        "benchmarks": sorted({r.benchmark for r in records}),
        "figures": len(records),
        "measured": {"first": days[0], "last": days[-1]},
        "file": f"results/{path}.json",
        "spreadsheet": f"results/{path}.xlsx",
        "parquet": parquet_files[0] if parquet_files else None,
        "csv": f"results/{path}.csv",
        "runs": f"runs/{path}.csv",
        "parquet_runs": parquet_files[1] if parquet_files else None,
    }


def guide(
    key: GuideKey, page: str, records: Sequence[Record], pool: Pool, catalog: Catalog
) -> bytes:
    """One guide as one file: its bundles, and every figure with what it was made from.

    The setup and the notes of a run are in its entry of ``bundles`` alone.
    """
    bundles = pool.bundles(records)
    place = {loaded.digest: position for position, loaded in enumerate(bundles)}
    head = {
        "format": "perfguide-guide",
        "version": VERSION,
        **_identity(key),
        "page": page,
        "bundles": [_bundle(loaded) for loaded in bundles],
    }
    held = pool.frame.bundles
    origins = pool.frame.table["bundle"].to_numpy()
    positions = pool.frame.table["result"].to_numpy()
    lines = []
    for record in records:
        figure = _figure(record, catalog.get(record.benchmark))
        # Files of guides without any are as they were.
        members = record.cell.members
        figure |= {"setup": setup} if (setup := own_facts(pool, members, place)) else {}
        figure |= {"notes": notes} if (notes := pool.stated_notes(members)) else {}
        figure["sources"] = [
            [place[held[int(origins[row])].digest], f"/results/{positions[row]}"]
            for row in record.cell.members
        ]
        lines.append(figure)
    return listed(head, FIGURES, lines)


def benchmarks(seen: Mapping[str, Iterable[tuple[str, str]]], catalog: Catalog) -> dict[str, Any]:
    """Every metric that has a figure: what pages call it, its unit, and which way is better.

    ``seen`` has for each benchmark its metrics with their units.
    """
    out = []
    for name in sorted(seen):
        known = catalog.get(name)
        out.append(
            {
                "benchmark": name,
                "title": known.entry.title if known else name,
                "metrics": [_metric(known, metric, unit) for metric, unit in sorted(seen[name])],
            }
        )
    return {"format": "perfguide-benchmarks", "version": VERSION, "benchmarks": out}


def encode(value: Mapping[str, Any]) -> bytes:
    """A value as a JSON file that people can read."""
    return msgspec.json.format(msgspec.json.encode(value), indent=1) + b"\n"


def listed(head: Mapping[str, Any], name: str, items: Iterable[Mapping[str, Any]]) -> bytes:
    """A JSON object whose last member is a list with a line for each item."""
    top = msgspec.json.encode(head).removesuffix(b"}")
    lines = b",\n".join(msgspec.json.encode(item) for item in items)
    return top + b',\n"' + name.encode() + b'":[\n' + lines + b"\n]}\n"


def decimals(benchmark: Benchmark | None, metric: str) -> int:
    """The decimals with which pages show a metric."""
    known = benchmark.metric(metric) if benchmark else None
    return known.decimals if known else 2


def _identity(key: GuideKey) -> dict[str, str]:
    return {
        "sdk": key.sdk,
        "soc": key.soc,
        "os": key.os,
        "release": key.release,
        "title": f"{key.soc}, {family(key)} {key.release}",
    }


def _metric(benchmark: Benchmark | None, metric: str, unit: str) -> dict[str, Any]:
    known = benchmark.metric(metric) if benchmark else None
    return {
        "metric": metric,
        "unit": unit,
        "label": known.label if known and known.label else metric,
        "better": known.better if known else "neither",
        "decimals": decimals(benchmark, metric),
    }


def _figure(record: Record, benchmark: Benchmark | None) -> dict[str, Any]:
    return {
        "board": record.board,
        "benchmark": record.benchmark,
        "metric": record.metric,
        **measured(record),
        "differs": record.cell.differs,
        "text": grids.cell_text(record.cell, decimals(benchmark, record.metric)),
    }


def _bundle(loaded: Loaded) -> dict[str, Any]:
    found: Bundle = loaded.bundle
    return {
        "id": found.id,
        "sha256": loaded.digest,
        # What no UTF-8 text can hold, as in names of files, shows as an escape.
        "file": loaded.origin.encode("utf-8", "backslashreplace").decode("utf-8"),
        "created": found.created.isoformat(),
        "runner": _told(found.runner) if found.runner else None,
        "sdk": _told(found.sdk),
        "board": _told(found.board),
        **({"setup": found.setup} if found.setup else {}),
        **({"notes": msgspec.to_builtins(found.notes)} if found.notes else {}),
    }


def _told(of: Runner | Sdk | Board) -> dict[str, Any]:
    """What a part of a bundle says; what it leaves open is not there."""
    members = msgspec.structs.asdict(of).items()
    return {name: value for name, value in members if value not in ("", msgspec.UNSET)}
