"""Figures as Parquet files, for other programs.

Each guide has one file of figures and one of runs (:func:`make`), in Hive-style folders by SoC and
system (:func:`address`). The release is a column rather than a folder, because programs parse the
name ``release=09.10`` as the number 9.1. The site has the files of figures in one folder and those
of runs in another, next to a data package (Frictionless, version 1): a JSON file that lists them
and describes each column (:func:`package`). ``perfguide export`` writes the same folders
(:func:`write_folder`).

Folder names are percent-encoded where necessary, and shortened if they are too long for file
systems. The same results give the same bytes.
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
from .figure_rows import FIGURES, PARTITION_COLUMNS, RUNS, Column, Row, Table

if TYPE_CHECKING:
    import pyarrow as pa

# PyArrow is optional: it is imported only to write files, not to compute addresses.

FOLDER = "parquet"
"""The folder of Parquet files of figures in the site's data."""

RUNS_FOLDER = "parquet-runs"
"""The folder of Parquet files of runs; programs open each of the two folders as one table."""

PARAM = Column("param", "object", "the same parameters as a map; values are texts")
"""A column that only Parquet files have, as query engines can search maps."""

ITEMS = {"samples": "number"}
"""The item type of arrays that do not hold strings."""


def columns(table: Table) -> tuple[Column, ...]:
    """Return the columns of each file of a table, in order."""
    return tuple(
        name
        for column in table.columns
        if column not in PARTITION_COLUMNS
        for name in ((column, PARAM) if column.name == "params" else (column,))
    )


def folder(table: Table) -> str:
    """Return the folder of a table's files in the site's data."""
    return FOLDER if table is FIGURES else RUNS_FOLDER


def address(table: Table, key: GuideKey, guide: str) -> str:
    """Return the address of a guide's file in the site's data. ``guide`` is the guide's path."""
    return f"{folder(table)}/{_file(key, guide)}"


def _file(key: GuideKey, guide: str) -> str:
    plain = guide == f"{key.soc}/{key.os}/{key.release}"
    # On some systems, folders that differ only in case are the same, so file names must differ.
    name = key.release if plain else slugs.hashed(guide)
    return f"{_step('soc', key.soc)}/{_step('os', key.os)}/{name}.parquet"


def make(table: Table, guide: str, records: Sequence[Record], pool: Pool) -> bytes:
    """Return the figures of a guide, or its runs, as one Parquet file with a row for each.
    ``guide`` is the guide's path.

    Raises :class:`extras.MissingExtraError`.
    """
    extras.require("parquet")
    import pyarrow as pa
    import pyarrow.parquet as pq

    rows = [_values(table, row) for row in figure_rows.rows(table, guide, records, pool)]
    schema = _schema(table)
    values = list(zip(*rows, strict=True)) if rows else [()] * len(columns(table))
    # A column can be empty in one file; explicit types keep all files compatible.
    arrays = [pa.array(list(c), f.type) for c, f in zip(values, schema, strict=True)]
    sink = pa.BufferOutputStream()
    pq.write_table(pa.Table.from_arrays(arrays, schema=schema), sink, compression="zstd")
    data: bytes = sink.getvalue().to_pybytes()
    return data


def _values(table: Table, row: Row) -> list[Any]:
    """Return the values of one row in column order."""
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
    """Return parameters in the form of the column ``param``."""
    return [
        # As in JSON: “true” rather than Python's “True”.
        (name, value if isinstance(value, str) else json.dumps(value))
        for name, value in sorted(params.items())
    ]


def package(
    files: Iterable[str], runs: Iterable[str], metrics: Iterable[Mapping[str, Any]]
) -> dict[str, Any]:
    """Return the data package for all files of figures and runs, with the units and metrics that
    they use. ``metrics`` is the list of benchmarks made by
    :func:`perfguide.export.json_api.benchmarks`."""
    described = [
        {"benchmark": described["benchmark"], "title": described["title"], **metric}
        for described in metrics
        for metric in described["metrics"]
    ]
    used = {metric["unit"] for metric in described}
    in_table = [name for name in units.known_units() if name in used]
    parsed = [units.parse(name) for name in (*in_table, *sorted(used - {*in_table}))]
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
            # A data package must not have a resource without a file.
            *(part for part in (figures, _resource(RUNS, runs)) if part["path"]),
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
            "fields": _fields([(c.name, c.kind, c.text) for c in columns(table)]),
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
"""Columns of the data package's own tables: name, type and description."""


def _fields(columns: Iterable[tuple[str, str, str]]) -> list[dict[str, str]]:
    return [{"name": name, "type": kind, "description": text} for name, kind, text in columns]


PARTITIONS = {"soc": "/board/soc", "os": "/sdk/os"}
"""The columns that are folders rather than in the files, each with its location in a bundle."""

ABOUT = "_perfguide.json"
"""The file that marks a folder as ours and has its totals. Query engines skip names with ``_``."""

FORM = 5
"""Incremented when columns or folders change."""

MAX_NAME_BYTES = 255
"""The limit of most file systems on the length of a name."""


@dataclass(frozen=True, slots=True)
class Export:
    """The outcome of an export: the numbers of files and rows, and diagnostics about shortened
    names."""

    files: int
    rows: int
    diagnostics: tuple[Diagnostic, ...]


def write_folder(table: Table, pool: Pool, target: Path) -> Export:
    """Write all figures or runs to a new folder, with the same files as on the site."""
    shortened: dict[str, str] = {}
    diagnostics: list[Diagnostic] = []
    files = rows = 0
    for key, guide, records in figure_rows.of_site(pool):
        for column, name in (("soc", key.soc), ("os", key.os)):
            step = _step(column, name)
            if step != _full_step(column, name) and step not in shortened:
                shortened[step] = name
                diagnostics.append(_shortened(pool, key, column, name, step))
        path = target / _file(key, guide)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(make(table, guide, records, pool))
        count = len(records) if table is FIGURES else len(pool.bundles(records))
        files, rows = files + 1, rows + count
    about: dict[str, Any] = {"form": FORM, "files": files, table.name: rows}
    about |= {"shortened": shortened} if shortened else {}
    # Without guides, no file has created the folder.
    target.mkdir(parents=True, exist_ok=True)
    (target / ABOUT).write_text(json.dumps(about, sort_keys=True) + "\n", encoding="utf-8")
    return Export(files, rows, tuple(diagnostics))


def _full_step(column: str, name: str) -> str:
    """Return the name of one folder, regardless of its length."""
    # A slash in a name must not start another folder.
    return f"{column}={quote(name, safe='')}"


def _step(column: str, name: str) -> str:
    """Return the name of one folder. A name that is too long is cut and ends with ``@`` and the
    start of a hash; ``@`` is percent-encoded in all other names."""
    step = _full_step(column, name)
    # Percent-encoded names are ASCII, so characters are bytes.
    if len(step) <= MAX_NAME_BYTES:
        return step
    end = f"@{hashlib.sha256(name.encode()).hexdigest()[:16]}"
    while len(step) + len(end) > MAX_NAME_BYTES:
        # Cut the original name: cutting the encoded one could split an escape such as “%2F”.
        name = name[:-1]
        step = _full_step(column, name)
    return step + end


def _shortened(pool: Pool, key: GuideKey, column: str, name: str, step: str) -> Diagnostic:
    """Return the diagnostic for a folder with a shortened name."""
    item = pool.bundles_of([key])[0]
    message = f"“{name[:40]}…” is too long for the name of a folder and is shortened in this export"
    hint = f"the folder is {step}; {ABOUT} has the full name"
    return Diagnostic("names", item.origin, message, hint, PARTITIONS[column], root=item.root)
