"""Figures as rows of one layout, whatever the format of the file: a row for each figure.

Parquet files have all columns but SoC and system, which name their folders; CSV, JSON and
workbooks of ``perfguide export`` have all of them.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC
from typing import Any, Literal

from ..bundles.guide_key import GuideKey
from ..figures import dataset
from ..figures.conditions import SETUP
from ..figures.pool import Pool, Record

Kind = Literal["string", "number", "integer", "datetime", "array", "object"]
"""The type of a column, as data packages name it."""


@dataclass(frozen=True, slots=True)
class Column:
    """One column: its name, its type, and what it holds."""

    name: str
    kind: Kind
    text: str


PLACE = (
    Column("soc", "string", "SoC"),
    Column("os", "string", "operating system"),
)
"""The columns that folders of Parquet files are named for."""

FIGURE = (
    Column("guide", "string", "address of the guide, below “guides”"),
    Column("sdk", "string", "name of the SDK family"),
    Column("release", "string", "release of the SDK"),
    Column("board", "string", "board"),
    Column("benchmark", "string", "benchmark, as bundles name it"),
    Column("metric", "string", "metric, as bundles name it"),
    Column("params", "string", "parameters, as a JSON object with its keys in order"),
    Column("unit", "string", "unit of mean, min, max and samples"),
    Column("mean", "number", "mean of all samples, in “unit”; none where all runs failed"),
    Column("min", "number", "smallest sample, in “unit”; none for a single sample"),
    Column("max", "number", "largest sample, in “unit”; none for a single sample"),
    Column("count", "integer", "number of samples; none where it is not known"),
    Column("failed", "integer", "runs that failed"),
    Column("runs", "integer", "runs that were pooled, failed ones too"),
    Column("differs", "array", "conditions that differ between the runs"),
    Column("samples", "array", "the samples that are known, in “unit”"),
    Column("bundles", "array", "ids of the bundles that the figure is from"),
    Column("setup", "string", "facts of the setup, as a JSON object of lists of texts"),
    Column("notes", "array", "notes about the figure"),
    Column(
        "conditions",
        "string",
        "clock, kernel, command and so on, as a JSON object of lists of texts",
    ),
    Column("measured", "datetime", "when the newest of the runs was measured, in UTC"),
)
"""The other columns, in their order."""

COLUMNS = (*PLACE, *FIGURE)
"""All columns, in their order."""

Row = dict[str, Any]
"""The values of one figure by column. Objects are dictionaries, and arrays lists."""

OBJECTS = ("params", "setup", "conditions")
"""The columns of objects, which only JSON can hold as they are."""


def rows(guide: str, records: Iterable[Record], pool: Pool) -> Iterator[Row]:
    """Yield a row for each record. ``guide`` is the address of their guide."""
    bundles = pool.frame.bundles
    bundle_of_row = pool.frame.table["bundle"].to_numpy()
    for record in records:
        key, cell = record.guide, record.cell
        own = [bundles[int(bundle_of_row[row])].bundle for row in cell.members]
        yield {
            "soc": key.soc,
            "os": key.os,
            "guide": guide,
            "sdk": key.sdk,
            "release": key.release,
            "board": record.board,
            "benchmark": record.benchmark,
            "metric": record.metric,
            "params": record.params,
            "unit": record.unit,
            "mean": cell.mean,
            "min": cell.low,
            "max": cell.high,
            "count": cell.count,
            "failed": cell.failed,
            "runs": cell.runs,
            "differs": list(cell.differs),
            "samples": list(cell.samples),
            "bundles": list(dict.fromkeys(bundle.id for bundle in own)),
            "setup": pool.setup(cell.members),
            "notes": pool.notes_of(cell.members),
            "conditions": {
                name: sorted(texts)
                for name, texts in sorted(pool.conditions(record).items())
                if not name.startswith(SETUP)
            },
            "measured": max(bundle.created for bundle in own).astimezone(UTC),
        }


def of_site(pool: Pool) -> Iterator[tuple[GuideKey, str, Sequence[Record]]]:
    """Yield each guide with its address and its records, in the order of the site."""
    guides = pool.guides()
    addresses = dataset.plan(guides, pool.benchmarks())
    for key in guides:
        yield key, addresses.guide[key].removeprefix("guides/"), pool.of_guide(key)


def text(value: object) -> str:
    """An object or array as JSON, with its keys in order."""
    return json.dumps(value, sort_keys=True, ensure_ascii=False)
