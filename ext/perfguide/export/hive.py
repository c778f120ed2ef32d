"""All results as a Parquet dataset in folders by SoC, system and release.

``soc=…/os=…/release=…/part-0.parquet``, as Hive names them, with the names
percent-encoded where a folder's name needs it. The same results give the same bytes.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import numpy as np
import pandas as pd

from ..figures.rows import CONDITIONS, NAMES, Frame

PARTITIONS = ("soc", "os", "release")
"""What the folders are named for; these columns are not in the files."""

ABOUT = "_perfguide.json"
"""Says that a folder is ours, and what it holds. Engines pass over names with ``_``."""

FORM = 1
"""Raised when columns change."""

LONGEST = 255
"""Bytes of one folder's name, as file systems have it."""


class NameTooLongError(Exception):
    """A name of a bundle makes no folder's name."""


def schema() -> Any:
    """The columns of each file. ``value``, ``low`` and ``high`` are in ``unit``, and
    null where the measurement failed; ``created`` is UTC; ``params`` is canonical JSON;
    ``sha256`` is of the bundle's content; ``result`` is its place in the bundle from 0."""
    import pyarrow as pa

    texts = [name for name in NAMES if name not in PARTITIONS]
    return pa.schema(
        [
            *((name, pa.string()) for name in (*texts, *CONDITIONS)),
            *((name, pa.float64()) for name in ("value", "low", "high")),
            ("weight", pa.int64()),
            *((name, pa.bool_()) for name in ("counted", "spread", "failed")),
            ("samples", pa.list_(pa.float64())),
            ("created", pa.timestamp("us", tz="UTC")),
            *((name, pa.string()) for name in ("bundle", "file", "sha256")),
            ("result", pa.int64()),
        ]
    )


def write(frame: Frame, folder: Path) -> int:
    """Write all results into a new folder; return the number of files.

    Rows are by bundle id and place. Raises :class:`NameTooLongError`.
    """
    import pyarrow.parquet as pq

    parts = dict(_parts(frame))
    for name in parts:
        if any(len(step) > LONGEST for step in name.split("/")):
            raise NameTooLongError(f"“{name[:80]}…” is too long for the name of a folder")
    for name, rows in parts.items():
        path = folder / name / "part-0.parquet"
        path.parent.mkdir(parents=True)
        pq.write_table(_table(frame, rows), path, compression="zstd", write_statistics=True)
    about = {"form": FORM, "files": len(parts), "rows": len(frame.table)}
    about["bundles"] = len(frame.bundles)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / ABOUT).write_text(json.dumps(about, sort_keys=True) + "\n", encoding="utf-8")
    return len(parts)


def _parts(frame: Frame) -> Iterator[tuple[str, np.ndarray[Any, Any]]]:
    """For each folder its name and its rows."""
    if frame.table.empty:
        return
    grouped = frame.table.groupby(list(PARTITIONS), observed=True, sort=True)
    for key, rows in grouped.indices.items():
        values: tuple[Any, ...] = key if isinstance(key, tuple) else (key,)
        steps = zip(PARTITIONS, values, strict=True)
        yield "/".join(f"{name}={quote(str(v), safe='')}" for name, v in steps), np.sort(rows)


def _table(frame: Frame, rows: np.ndarray[Any, Any]) -> Any:
    import pyarrow as pa

    found = frame.table.iloc[rows]
    bundles = [frame.bundles[position] for position in found["bundle"].tolist()]
    columns: dict[str, Any] = {
        "created": pd.to_datetime([b.bundle.created for b in bundles], utc=True),
        "bundle": [b.bundle.id for b in bundles],
        "file": [b.origin for b in bundles],
        "sha256": [b.digest for b in bundles],
        "samples": [frame.samples.of(row) or None for row in rows.tolist()],
    }
    arrays = []
    for field in schema():
        values = columns.get(field.name)
        if values is None:
            given = found[field.name]
            values = given.astype("object") if given.dtype == "category" else given
        arrays.append(pa.array(values, type=field.type, from_pandas=True))
    return pa.Table.from_arrays(arrays, schema=schema())
