"""Figures and results as Parquet files, for other programs.

The site offers a file of pooled figures for each guide (:func:`make`), in a folder that has
nothing else, with folders by SoC and system, as Hive names them (:func:`address`); and a data
package (Frictionless, version 1): one JSON file that names these files and says of each column
what it holds (:func:`package`). The release is a column, because programs that read such
folders take the name ``release=09.10`` for the number 9.1.

``perfguide export`` writes a dataset of all results (:func:`write_dataset`), in folders by
SoC, system and release: ``soc=…/os=…/release=…/part-0.parquet``, as Hive names them, with
the names percent-encoded where a folder's name needs it, and shortened where it would be longer
than file systems allow. The same results give the same bytes.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from ..bundles import results
from ..bundles.guide_key import GuideKey
from ..common import slugs, units
from ..common.diagnostics import Diagnostic
from ..figures.pool import Pool, Record
from ..figures.rows import CONDITIONS, NAMES, Frame

FOLDER = "parquet"
"""The folder of the site's Parquet files, among its data."""

PARAM = pa.map_(pa.string(), pa.string())
"""Parameters by name; a value that is no text is written as JSON has it."""

COLUMNS: tuple[tuple[str, pa.DataType, str, str], ...] = (
    ("guide", pa.string(), "string", "address of the guide, below “guides”"),
    ("sdk", pa.string(), "string", "name of the SDK family"),
    ("release", pa.string(), "string", "release of the SDK"),
    ("board", pa.string(), "string", "board"),
    ("benchmark", pa.string(), "string", "benchmark, as bundles name it"),
    ("metric", pa.string(), "string", "metric, as bundles name it"),
    ("params", pa.string(), "string", "parameters, as a JSON object with its keys in order"),
    ("param", PARAM, "object", "the same parameters as a map; values are texts"),
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
    ("setup", pa.string(), "string", "facts of the setup, as a JSON object of lists of texts"),
    ("notes", pa.list_(pa.string()), "array", "notes about the figure"),
)
"""Each column: name, type in Parquet, type in the data package, and what it holds."""

KEY = ("guide", "board", "benchmark", "metric", "params", "unit")


def address(key: GuideKey, guide: str) -> str:
    """Where the file of a guide is among the site's data. ``guide`` is the guide's own place."""
    plain = guide == f"{key.soc}/{key.os}/{key.release}"
    # Folders that differ in case alone are one folder on some systems; their files are not.
    name = key.release if plain else slugs.hashed(guide)
    return f"{FOLDER}/{_step('soc', key.soc)}/{_step('os', key.os)}/{name}.parquet"


def make(guide: str, records: Sequence[Record], pool: Pool) -> bytes:
    """Figures as one Parquet file, a row each. ``guide`` is the guide's place."""
    bundles = pool.frame.bundles
    bundle_of_row = pool.frame.table["bundle"].to_numpy()
    rows = []
    for record in records:
        key, cell = record.guide, record.cell
        params = json.dumps(record.params, sort_keys=True, ensure_ascii=False)
        ids = dict.fromkeys(bundles[int(bundle_of_row[row])].bundle.id for row in cell.members)
        rows.append(
            (
                *(guide, key.sdk, key.release),
                *(record.board, record.benchmark, record.metric, params),
                *(as_map(record.params), record.unit),
                *(cell.mean, cell.low, cell.high, cell.count, cell.failed, cell.runs),
                *(list(cell.differs), list(cell.samples), list(ids)),
                json.dumps(pool.setup(cell.members), sort_keys=True, ensure_ascii=False),
                pool.notes_of(cell.members),
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


def as_map(params: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Parameters for the column ``param``."""
    return [
        (name, value if isinstance(value, str) else json.dumps(value))
        for name, value in sorted(params.items())
    ]


def package(files: Iterable[str], metrics: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """The description of all files, with the units and metrics that occur in them.

    ``metrics`` are benchmarks with their metrics, as
    :func:`perfguide.export.json_api.benchmarks` has them.
    """
    described = [
        {"benchmark": each["benchmark"], "title": each["title"], **metric}
        for each in metrics
        for metric in each["metrics"]
    ]
    used = {metric["unit"] for metric in described}
    known = [name for name in units.known_units() if name in used]
    parsed = [units.parse(name) for name in (*known, *sorted(used - {*known}))]
    identity = ["benchmark", "metric", "unit"]
    return {
        "profile": "data-package",
        "name": "performance-figures",
        "title": "Performance figures",
        "description": "Figures of all guides, a file for each guide; all files have the same "
        "columns. SoC and system are in the names of the folders.",
        "resources": [
            {
                "name": "figures",
                "path": list(files),
                "format": "parquet",
                "mediatype": "application/vnd.apache.parquet",
                "schema": {
                    "fields": _fields([(name, kind, text) for name, _, kind, text in COLUMNS]),
                    "primaryKey": list(KEY),
                    "foreignKeys": [
                        {"fields": "unit", "reference": {"resource": "units", "fields": "unit"}},
                        {
                            "fields": identity,
                            "reference": {"resource": "metrics", "fields": identity},
                        },
                    ],
                },
            },
            {
                "name": "metrics",
                "profile": "tabular-data-resource",
                "data": described,
                "schema": {"fields": _fields(METRIC_COLUMNS), "primaryKey": identity},
            },
            {
                "name": "units",
                "profile": "tabular-data-resource",
                "data": [
                    {"unit": u.name, "shown": u.shown, "kind": u.kind, "scale": u.scale}
                    for u in parsed
                ],
                "schema": {"fields": _fields(UNIT_COLUMNS), "primaryKey": "unit"},
            },
        ],
    }


METRIC_COLUMNS = (
    ("benchmark", "string", "benchmark, as bundles name it"),
    ("title", "string", "what pages call the benchmark"),
    ("metric", "string", "metric, as bundles name it"),
    ("unit", "string", "unit of the metric's figures"),
    ("label", "string", "what pages call the metric"),
    ("better", "string", "which figures are better: higher, lower, neither"),
    ("decimals", "integer", "decimals that pages show"),
)
UNIT_COLUMNS = (
    ("unit", "string", "unit, as the figures name it"),
    ("shown", "string", "what pages show for it"),
    ("kind", "string", "what it measures; units of one kind convert"),
    ("scale", "number", "this unit in the base unit of its kind"),
)
"""Columns of the data package's own tables: name, type, and what they hold."""


def _fields(columns: Iterable[tuple[str, str, str]]) -> list[dict[str, str]]:
    return [{"name": name, "type": kind, "description": text} for name, kind, text in columns]


PARTITIONS = {"soc": "/board/soc", "os": "/sdk/os", "release": "/sdk/version"}
"""What the folders are named for, each with its place in a bundle; these columns are not in the
files."""

ABOUT = "_perfguide.json"
"""Says that a folder is ours, and what it holds. Engines pass over names with ``_``."""

FORM = 3
"""Raised when columns change."""

LONGEST = 255
"""Bytes of one folder's name, as file systems have it."""


@dataclass(frozen=True, slots=True)
class Dataset:
    """What a dataset came to: its number of files, and names that its folders have in part."""

    files: int
    diagnostics: tuple[Diagnostic, ...]


def dataset_schema() -> pa.Schema:
    """The columns of each file. ``value``, ``low`` and ``high`` are in ``unit``, and
    null where the measurement failed; ``created`` is UTC; ``params`` is canonical JSON
    and ``param`` the same as a map;
    ``sha256`` is of the bundle's content; ``result`` is its place in the bundle from 0."""
    texts = [name for name in NAMES if name not in PARTITIONS]
    return pa.schema(
        [
            *((name, pa.string()) for name in (*texts, *CONDITIONS)),
            ("param", PARAM),
            *((name, pa.float64()) for name in ("value", "low", "high")),
            ("weight", pa.int64()),
            *((name, pa.bool_()) for name in ("counted", "spread", "failed")),
            ("samples", pa.list_(pa.float64())),
            ("created", pa.timestamp("us", tz="UTC")),
            *((name, pa.string()) for name in ("bundle", "file", "sha256")),
            ("result", pa.int64()),
            ("setup", pa.string()),
            ("notes", pa.list_(pa.string())),
        ]
    )


def write_dataset(pool: Pool, folder: Path) -> Dataset:
    """Write all results into a new folder. Rows are by bundle id and place."""
    frame = pool.frame
    parts = list(_parts(frame))
    shortened: dict[str, str] = {}
    diagnostics: dict[str, Diagnostic] = {}
    for names, rows in parts:
        steps = {column: _step(column, name) for column, name in names.items()}
        for column, step in steps.items():
            name = names[column]
            if step != _whole_step(column, name) and step not in shortened:
                shortened[step] = name
                diagnostics[step] = _told(frame, int(rows[0]), column, name, step)
        path = folder.joinpath(*steps.values()) / "part-0.parquet"
        path.parent.mkdir(parents=True)
        pq.write_table(_dataset_table(pool, rows), path, compression="zstd", write_statistics=True)
    about: dict[str, Any] = {"form": FORM, "files": len(parts), "rows": len(frame.table)}
    about["bundles"] = len(frame.bundles)
    about |= {"shortened": shortened} if shortened else {}
    folder.mkdir(parents=True, exist_ok=True)
    (folder / ABOUT).write_text(json.dumps(about, sort_keys=True) + "\n", encoding="utf-8")
    return Dataset(len(parts), tuple(diagnostics.values()))


def _parts(frame: Frame) -> Iterator[tuple[dict[str, str], np.ndarray[Any, Any]]]:
    """For each folder the names that it is called by, and the positions of its rows in the
    frame's table."""
    if frame.table.empty:
        return
    grouped = frame.table.groupby(list(PARTITIONS), observed=True, sort=True)
    for key, rows in grouped.indices.items():
        values: tuple[Any, ...] = key if isinstance(key, tuple) else (key,)
        yield dict(zip(PARTITIONS, map(str, values), strict=True)), np.sort(rows)


def _whole_step(column: str, name: str) -> str:
    """The name of one folder, however long it is."""
    return f"{column}={quote(name, safe='')}"


def _step(column: str, name: str) -> str:
    """The name of one folder. One that would be too long is cut, with the beginning of a hash
    behind an ``@``, which no whole name has."""
    step = _whole_step(column, name)
    if len(step) <= LONGEST:
        return step
    end = f"@{hashlib.sha256(name.encode()).hexdigest()[:16]}"
    while len(step) + len(end) > LONGEST:
        name = name[:-1]
        step = _whole_step(column, name)
    return step + end


def _told(frame: Frame, row: int, column: str, name: str, step: str) -> Diagnostic:
    """That a folder has only a part of a name, and of which bundle it is."""
    item = frame.bundles[int(frame.table["bundle"].iloc[row])]
    message = f"“{name[:40]}…” is too long for the name of a folder and is shortened in this export"
    hint = f"the folder is {step}; {ABOUT} has the whole name"
    return Diagnostic("names", item.origin, message, hint, PARTITIONS[column], root=item.root)


def _dataset_table(pool: Pool, rows: np.ndarray[Any, Any]) -> pa.Table:
    frame = pool.frame
    table = frame.table.iloc[rows]
    bundles = [frame.bundles[position] for position in table["bundle"].tolist()]
    codes = frame.beside.codes[rows].tolist()
    setups = [
        b.bundle.setup | results.beside(frame.beside.distinct[code])[0]
        for b, code in zip(bundles, codes, strict=True)
    ]
    texts = [frame.params.distinct[code] for code in frame.params.codes[rows].tolist()]
    maps = {text: as_map(json.loads(text) or {}) for text in {*texts}}
    columns: dict[str, Any] = {
        "created": pd.to_datetime([b.bundle.created for b in bundles], utc=True),
        "bundle": [b.bundle.id for b in bundles],
        "file": [b.origin for b in bundles],
        "sha256": [b.digest for b in bundles],
        "params": texts,
        "param": [maps[text] for text in texts],
        "samples": [frame.samples.of(row) or None for row in rows.tolist()],
        "setup": [json.dumps(setup, sort_keys=True, ensure_ascii=False) for setup in setups],
        "notes": [pool.notes_of([row]) for row in rows.tolist()],
    }
    schema = dataset_schema()
    arrays = []
    for field in schema:
        values = columns.get(field.name)
        if values is None:
            column = table[field.name]
            values = column.astype("object") if column.dtype == "category" else column
        arrays.append(pa.array(values, type=field.type, from_pandas=True))
    return pa.Table.from_arrays(arrays, schema=schema)
