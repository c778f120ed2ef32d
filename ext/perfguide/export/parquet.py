"""Figures as Parquet files, for other programs.

There is a file of figures and one of runs for each guide (:func:`make`), in folders by SoC and system, as Hive names them
(:func:`address`). The release is a column and no folder, because programs take the name
``release=09.10`` for the number 9.1. The site has the files of figures in one folder and those of runs in
another, with a data package (Frictionless, version 1) beside them: one JSON file that names them and
says of each column what it holds (:func:`package`). ``perfguide export`` writes the same folders
(:func:`write_folder`).

The names of folders are percent-encoded where they need it, and shortened where they would be longer
than file systems allow. The same results give the same bytes.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from ..bundles.guide_key import GuideKey
from ..common import extras, slugs, units
from ..common.diagnostics import Diagnostic
from ..figures.pool import Pool, Record
from . import figure_rows
from .figure_rows import FIGURES, PLACE, RUNS, Column, Row, Table

if TYPE_CHECKING:
    import pyarrow as pa

# PyArrow is an extra: it is loaded where a file is written, and not to know addresses.

FOLDER = "parquet"
"""The folder of the site's Parquet files of figures, among its data."""

RUNS_FOLDER = "parquet-runs"
"""The folder of those of runs: programs open each of the two as one table."""

PARAM = Column("param", "object", "the same parameters as a map; values are texts")
"""A column that only Parquet has, whose engines look into maps."""

ITEMS = {"samples": "number"}
"""The types of what arrays hold, where it is no text."""


def columns(table: Table) -> tuple[Column, ...]:
    """Return the columns of each file of a table, in their order."""
    return tuple(
        each
        for column in table.columns
        if column not in PLACE
        for each in ((column, PARAM) if column.name == "params" else (column,))
    )


def folder(table: Table) -> str:
    """Return the folder of the site's files of a table, among its data."""
    return FOLDER if table is FIGURES else RUNS_FOLDER


def address(table: Table, key: GuideKey, guide: str) -> str:
    """Where the file of a guide is among the site's data. ``guide`` is the guide's own place."""
    return f"{folder(table)}/{_file(key, guide)}"


def _file(key: GuideKey, guide: str) -> str:
    plain = guide == f"{key.soc}/{key.os}/{key.release}"
    # Folders that differ in case alone are one folder on some systems; their files are not.
    name = key.release if plain else slugs.hashed(guide)
    return f"{_step('soc', key.soc)}/{_step('os', key.os)}/{name}.parquet"


def make(table: Table, guide: str, records: Sequence[Record], pool: Pool) -> bytes:
    """The figures of a guide, or their runs, as one Parquet file, a row each. ``guide`` is the
    guide's place.

    Raises :class:`extras.MissingExtraError`.
    """
    extras.require("parquet")
    import pyarrow as pa
    import pyarrow.parquet as pq

    rows = [_values(table, row) for row in figure_rows.rows(table, guide, records, pool)]
    schema = _schema(table)
    values = list(zip(*rows, strict=True)) if rows else [()] * len(columns(table))
    arrays = [pa.array(list(c), f.type) for c, f in zip(values, schema, strict=True)]
    sink = pa.BufferOutputStream()
    pq.write_table(pa.Table.from_arrays(arrays, schema=schema), sink, compression="zstd")
    data: bytes = sink.getvalue().to_pybytes()
    return data


def _values(table: Table, row: Row) -> list[Any]:
    """The values of one row, in the order of the columns."""
    if table is FIGURES:
        row = row | {PARAM.name: as_map(row["params"])}
    row = row | {name: figure_rows.text(row[name]) for name in table.objects}
    return [row[column.name] for column in columns(table)]


def _schema(table: Table) -> pa.Schema:
    import pyarrow as pa

    types = {
        "string": pa.string(),
        "number": pa.float64(),
        "integer": pa.int64(),
        "datetime": pa.timestamp("us", tz="UTC"),
        "object": pa.map_(pa.string(), pa.string()),
    }
    return pa.schema(
        [
            pa.field(
                column.name,
                pa.list_(types[ITEMS.get(column.name, "string")])
                if column.kind == "array"
                else types[column.kind],
                metadata={"description": column.text},
            )
            for column in columns(table)
        ]
    )


def as_map(params: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Parameters for the column ``param``."""
    return [
        (name, value if isinstance(value, str) else json.dumps(value))
        for name, value in sorted(params.items())
    ]


def package(
    files: Iterable[str], runs: Iterable[str], metrics: Iterable[Mapping[str, Any]]
) -> dict[str, Any]:
    """The description of all files of figures and of runs, with the units and metrics that occur
    in them.

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
    figures = _resource(FIGURES, files)
    figures["schema"]["foreignKeys"] = [
        {"fields": "unit", "reference": {"resource": "units", "fields": "unit"}},
        {"fields": identity, "reference": {"resource": "metrics", "fields": identity}},
    ]
    return {
        "profile": "data-package",
        "name": "performance-figures",
        "title": "Performance figures",
        "description": "Figures of all guides and the runs behind them, two files for each guide; "
        "all files of figures, and all of runs, have the same columns. SoC and system are in the names of the folders.",
        "resources": [
            # A resource has to have a file.
            *(each for each in (figures, _resource(RUNS, runs)) if each["path"]),
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
                    {"unit": u.name, "shown": u.symbol, "kind": u.kind, "scale": u.scale}
                    for u in parsed
                ],
                "schema": {"fields": _fields(UNIT_COLUMNS), "primaryKey": "unit"},
            },
        ],
    }


def _resource(table: Table, files: Iterable[str]) -> dict[str, Any]:
    return {
        "name": table.name,
        "path": [*files],
        "format": "parquet",
        "mediatype": "application/vnd.apache.parquet",
        "schema": {
            "fields": _fields([(each.name, each.kind, each.text) for each in columns(table)]),
            "primaryKey": list(table.key),
        },
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


PARTITIONS = {"soc": "/board/soc", "os": "/sdk/os"}
"""The columns that folders are named for, each with its place in a bundle; they are not in the
files."""

ABOUT = "_perfguide.json"
"""Says that a folder is ours, and what it holds. Engines pass over names with ``_``."""

FORM = 5
"""Raised when columns or folders change."""

LONGEST = 255
"""Bytes of one folder's name, as file systems have it."""


@dataclass(frozen=True, slots=True)
class Export:
    """What an export came to: its files and rows, and names that its folders have in part."""

    files: int
    rows: int
    diagnostics: tuple[Diagnostic, ...]


def write_folder(table: Table, pool: Pool, target: Path) -> Export:
    """Write all figures or runs into a new folder, as the site has them."""
    shortened: dict[str, str] = {}
    diagnostics: list[Diagnostic] = []
    files = rows = 0
    for key, guide, records in figure_rows.of_site(pool):
        for column, name in (("soc", key.soc), ("os", key.os)):
            step = _step(column, name)
            if step != _whole_step(column, name) and step not in shortened:
                shortened[step] = name
                diagnostics.append(_shortened(pool, key, column, name, step))
        path = target / _file(key, guide)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(make(table, guide, records, pool))
        count = len(records) if table is FIGURES else len(pool.bundles(records))
        files, rows = files + 1, rows + count
    about: dict[str, Any] = {"form": FORM, "files": files, table.name: rows}
    about |= {"shortened": shortened} if shortened else {}
    target.mkdir(parents=True, exist_ok=True)
    (target / ABOUT).write_text(json.dumps(about, sort_keys=True) + "\n", encoding="utf-8")
    return Export(files, rows, tuple(diagnostics))


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


def _shortened(pool: Pool, key: GuideKey, column: str, name: str, step: str) -> Diagnostic:
    """That a folder has only a part of a name, and of which bundle it is."""
    item = pool.bundles_of([key])[0]
    message = f"“{name[:40]}…” is too long for the name of a folder and is shortened in this export"
    hint = f"the folder is {step}; {ABOUT} has the whole name"
    return Diagnostic("names", item.origin, message, hint, PARTITIONS[column], root=item.root)
