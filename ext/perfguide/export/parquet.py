"""The figures as Parquet files, and the data package that describes them.

A data package (Frictionless, version 1) is one JSON file that names the data files
and says of each column what it holds.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from ..common import units
from ..figures.pool import Pool, Record

MAKING = 1
"""Raised when the same figures should be written anew."""

COLUMNS: tuple[tuple[str, pa.DataType, str, str], ...] = (
    ("sdk", pa.string(), "string", "name of the SDK family"),
    ("soc", pa.string(), "string", "SoC"),
    ("os", pa.string(), "string", "operating system"),
    ("release", pa.string(), "string", "release of the SDK"),
    ("board", pa.string(), "string", "board"),
    ("benchmark", pa.string(), "string", "benchmark, as bundles name it"),
    ("metric", pa.string(), "string", "metric, as bundles name it"),
    ("params", pa.string(), "string", "parameters, as a JSON object with its keys in order"),
    ("unit", pa.string(), "string", "unit of mean, min, max and samples"),
    ("mean", pa.float64(), "number", "mean of all samples, in “unit”; none where all runs failed"),
    ("min", pa.float64(), "number", "smallest sample, in “unit”; none for a single sample"),
    ("max", pa.float64(), "number", "largest sample, in “unit”; none for a single sample"),
    ("count", pa.int64(), "integer", "number of samples; none where it is not known"),
    ("failed", pa.int64(), "integer", "runs that failed"),
    ("runs", pa.int64(), "integer", "runs that were pooled, failed ones too"),
    ("differs", pa.list_(pa.string()), "array", "conditions that differ between the runs"),
    ("samples", pa.list_(pa.float64()), "array", "the samples that are known, in “unit”"),
    ("bundles", pa.list_(pa.string()), "array", "ids of the bundles that the figure is from"),
)
"""Each column: name, type in Parquet, type in the data package, and what it holds."""

KEY = ("sdk", "soc", "os", "release", "board", "benchmark", "metric", "params", "unit")


def make(records: Sequence[Record], pool: Pool) -> bytes:
    """Figures as one Parquet file, a row each."""
    held = pool.frame.bundles
    origins = pool.frame.table["bundle"].to_numpy()
    rows = []
    for record in records:
        key, cell = record.guide, record.cell
        params = json.dumps(record.params, sort_keys=True, ensure_ascii=False)
        ids = dict.fromkeys(held[int(origins[row])].bundle.id for row in cell.members)
        rows.append(
            (
                *(key.sdk, key.soc, key.os, key.release),
                *(record.board, record.benchmark, record.metric, params, record.unit),
                *(cell.mean, cell.low, cell.high, cell.count, cell.failed, cell.runs),
                *(list(cell.differs), list(cell.samples), list(ids)),
            )
        )
    schema = pa.schema(
        [pa.field(name, kind, metadata={"description": text}) for name, kind, _, text in COLUMNS]
    )
    columns = list(zip(*rows, strict=True)) if rows else [()] * len(COLUMNS)
    arrays = [pa.array(list(c), f.type) for c, f in zip(columns, schema, strict=True)]
    sink = pa.BufferOutputStream()
    pq.write_table(pa.Table.from_arrays(arrays, schema=schema), sink, compression="zstd")
    data: bytes = sink.getvalue().to_pybytes()
    return data


def package(files: Iterable[str], metrics: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """The description of all files, with the units and metrics that occur in them.

    ``metrics`` are benchmarks with their metrics, as :func:`perfguide.api.benchmarks`
    has them.
    """
    described = [
        {"benchmark": found["benchmark"], "title": found["title"], **metric}
        for found in metrics
        for metric in found["metrics"]
    ]
    used = {metric["unit"] for metric in described}
    known = [name for name in units.known_units() if name in used]
    foreign = {"fields": "unit", "reference": {"resource": "units", "fields": "unit"}}
    named = {
        "fields": ["benchmark", "metric", "unit"],
        "reference": {"resource": "metrics", "fields": ["benchmark", "metric", "unit"]},
    }
    return {
        "profile": "data-package",
        "name": "performance-figures",
        "title": "Performance figures",
        "description": "Figures of all guides, a file for each guide; all files have the same columns.",
        "resources": [
            {
                "name": "figures",
                "path": list(files),
                "format": "parquet",
                "mediatype": "application/vnd.apache.parquet",
                "schema": {
                    "fields": [_field(name, kind, text) for name, _, kind, text in COLUMNS],
                    "primaryKey": list(KEY),
                    "foreignKeys": [foreign, named],
                },
            },
            {
                "name": "metrics",
                "profile": "tabular-data-resource",
                "data": described,
                "schema": {
                    "fields": [
                        _field("benchmark", "string", "benchmark, as bundles name it"),
                        _field("title", "string", "what pages call the benchmark"),
                        _field("metric", "string", "metric, as bundles name it"),
                        _field("unit", "string", "unit of the metric's figures"),
                        _field("label", "string", "what pages call the metric"),
                        _field(
                            "better", "string", "which figures are better: higher, lower, neither"
                        ),
                        _field("decimals", "integer", "decimals that pages show"),
                    ],
                    "primaryKey": ["benchmark", "metric", "unit"],
                },
            },
            {
                "name": "units",
                "profile": "tabular-data-resource",
                "data": [
                    {"unit": u.name, "shown": u.shown, "kind": u.kind, "scale": u.scale}
                    for u in map(units.parse, [*known, *sorted(used - {*known})])
                ],
                "schema": {
                    "fields": [
                        _field("unit", "string", "unit, as the figures name it"),
                        _field("shown", "string", "what pages show for it"),
                        _field("kind", "string", "what it measures; units of one kind convert"),
                        _field("scale", "number", "this unit in the base unit of its kind"),
                    ],
                    "primaryKey": "unit",
                },
            },
        ],
    }


def _field(name: str, kind: str, text: str) -> dict[str, str]:
    return {"name": name, "type": kind, "description": text}
