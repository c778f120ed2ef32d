"""The site's data for programs: JSON files with predictable addresses.

This module returns plain values; :mod:`perfguide.pages.downloads` writes them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
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
"""Incremented on changes that break readers of the files; new fields do not."""

ROOT = f"api/v{VERSION}"
"""The folder of all files, below the generated pages and below the site."""

SCHEMAS = {kind: f"schemas/{kind}.json" for kind in ("index", "soc", "guide", "benchmarks")}
"""The JSON Schema of each kind of file, beside this module and in the folder of all files. The
member ``format`` of a file is ``perfguide-KIND``. Files may have further members: new ones are added
without a new version."""

FIGURES = "figures"
"""The key of a guide's figures, which are one per line."""


def schema(kind: str) -> bytes:
    """Return the JSON Schema (draft 2020-12) of a kind of file."""
    return Path(__file__).parent.joinpath(SCHEMAS[kind]).read_bytes()


def guide_path(page: str) -> str:
    """Return a guide's path in the data from its page: ``AM62X/linux/09.01``."""
    return page.removeprefix("guides/")


def soc_path(page: str) -> str:
    """Return a SoC's path in the data from its page: ``AM62X``."""
    return guide_path(page).rpartition("/")[0]


def index(
    socs: Mapping[str, str], guides: Sequence[GuideKey], figures: int, files: Mapping[str, object]
) -> dict[str, Any]:
    """Return the index of a site's data. ``socs`` maps SoCs to their pages; ``files`` names files
    of the entire site."""
    return {
        "format": "perfguide-index",
        "version": VERSION,
        "figures": figures,
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
    """Return the file of one SoC with its guides, as made by :func:`entry`."""
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
    """Return a guide's entry in the file of its SoC, with the addresses of its files.
    ``parquet_files`` are those of figures and of runs, or ``None`` for a site without them."""
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
    """Return the file of one guide: its bundles, and every figure with its sources.

    The setup and notes of a run are only in its entry in ``bundles``.
    """
    bundles = pool.bundles(records)
    index_of = {loaded.digest: index for index, loaded in enumerate(bundles)}
    head = {
        "format": "perfguide-guide",
        "version": VERSION,
        **_identity(key),
        "page": page,
        "bundles": [_bundle(loaded) for loaded in bundles],
    }
    loaded_bundles = pool.frame.bundles
    origins = pool.frame.table["bundle"].to_numpy()
    positions = pool.frame.table["result"].to_numpy()
    lines = []
    for record in records:
        figure = _figure(record, catalog.benchmark(record.benchmark))
        # Leave out empty members, as most guides have no setup or notes.
        members = record.cell.members
        figure |= {"setup": setup} if (setup := own_facts(pool, members, index_of)) else {}
        figure |= {"notes": notes} if (notes := pool.stated_notes(members)) else {}
        figure["sources"] = [
            [index_of[loaded_bundles[int(origins[row])].digest], f"/results/{positions[row]}"]
            for row in record.cell.members
        ]
        lines.append(figure)
    return listed(head, FIGURES, lines)


def benchmarks(seen: Mapping[str, Iterable[tuple[str, str]]], catalog: Catalog) -> dict[str, Any]:
    """Return every metric with a figure: its label, unit and better direction.

    ``seen`` maps each benchmark to pairs of metric and unit.
    """
    out = []
    for name in sorted(seen):
        benchmark = catalog.benchmark(name)
        metrics = [_metric(benchmark, metric, unit) for metric, unit in sorted(seen[name])]
        out.append({"benchmark": name, "title": benchmark.entry.title, "metrics": metrics})
    return {"format": "perfguide-benchmarks", "version": VERSION, "benchmarks": out}


def encode(value: Mapping[str, Any]) -> bytes:
    """Encode a value as an indented JSON file."""
    return msgspec.json.format(msgspec.json.encode(value), indent=1) + b"\n"


def listed(head: Mapping[str, Any], name: str, items: Iterable[Mapping[str, Any]]) -> bytes:
    """Encode a JSON object whose last member is a list with one item per line."""
    return b"".join(listed_pieces(head, name, items))


def listed_pieces(
    head: Mapping[str, Any], name: str, items: Iterable[Mapping[str, Any]]
) -> Iterator[bytes]:
    """Yield the same in pieces."""
    # One figure per line, so that a change to one is a one-line diff.
    yield msgspec.json.encode(head).removesuffix(b"}") + b',\n"' + name.encode() + b'":[\n'
    end = b""
    for item in items:
        yield end + msgspec.json.encode(item)
        end = b",\n"
    yield b"\n]}\n"


def _identity(key: GuideKey) -> dict[str, str]:
    return {
        "sdk": key.sdk,
        "soc": key.soc,
        "os": key.os,
        "release": key.release,
        "title": f"{key.soc}, {family(key)} {key.release}",
    }


def _metric(benchmark: Benchmark, metric: str, unit: str) -> dict[str, Any]:
    return {
        "metric": metric,
        "unit": unit,
        "label": benchmark.metric_label(metric),
        "better": benchmark.better(metric),
        "decimals": benchmark.decimals(metric),
    }


def _figure(record: Record, benchmark: Benchmark) -> dict[str, Any]:
    return {
        "board": record.board,
        "benchmark": record.benchmark,
        "metric": record.metric,
        **measured(record),
        "differs": record.cell.differs,
        "text": grids.cell_text(record.cell, benchmark.decimals(record.metric)),
    }


def _bundle(loaded: Loaded) -> dict[str, Any]:
    bundle: Bundle = loaded.bundle
    return {
        "id": bundle.id,
        "sha256": loaded.digest,
        # File names can contain characters that UTF-8 cannot encode; these become escapes.
        "file": loaded.origin.encode("utf-8", "backslashreplace").decode("utf-8"),
        "created": bundle.created.isoformat(),
        "runner": _stated(bundle.runner) if bundle.runner else None,
        "sdk": _stated(bundle.sdk),
        "board": _stated(bundle.board),
        **({"setup": bundle.setup} if bundle.setup else {}),
        **({"notes": msgspec.to_builtins(bundle.notes)} if bundle.notes else {}),
    }


def _stated(part: Runner | Sdk | Board) -> dict[str, Any]:
    """Return the members that a part of a bundle states."""
    members = msgspec.structs.asdict(part).items()
    return {name: value for name, value in members if value not in ("", msgspec.UNSET)}
