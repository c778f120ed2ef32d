"""The rows of figures and of runs, with the same columns in every file format.

The row of a figure has what it and its own results state. What a run states about all its results
is in the row of that run, to which figures refer. Parquet files have all columns except SoC and
system, which are the names of their folders; CSV, JSON and workbooks have all of them.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC
from typing import Any, Literal

import msgspec
from msgspec import UNSET

from ..bundles.decode import Loaded
from ..bundles.guide_key import GuideKey
from ..common import units
from ..figures import dataset
from ..figures.pool import Pool, Record, measured

Kind = Literal["string", "number", "integer", "datetime", "array", "object"]
"""The type of a column, as named in data packages."""


@dataclass(frozen=True, slots=True)
class Column:
    """A column: its name, its type, and a description of its content."""

    name: str
    kind: Kind
    text: str


PARTITION_COLUMNS = (
    Column("soc", "string", "SoC"),
    Column("os", "string", "operating system"),
)
"""The columns that are folders of Parquet files."""

_GUIDE = (
    Column("guide", "string", "address of the guide, below “guides”"),
    Column("sdk", "string", "name of the SDK family"),
    Column("release", "string", "release of the SDK"),
    Column("board", "string", "board"),
)

FIGURE = (
    *_GUIDE,
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
    Column("bundles", "array", "runs of the guide that the figure is from, by their “bundle”"),
    Column(
        "setup",
        "string",
        "facts that results state themselves, before those of their runs: a JSON object of lists "
        'of texts; {"bundle": …} is the value of that run',
    ),
    Column("notes", "array", "notes about the figure that are not about its runs"),
    Column("commands", "array", "commands that measured"),
    Column("measured", "datetime", "when the newest of the runs was measured, in UTC"),
)
"""The other columns of figures, in their order."""

RUN = (
    *_GUIDE,
    Column("bundle", "string", "id of the run; its SHA-256 where two of the guide share the id"),
    Column("runner", "string", "what ran the benchmarks"),
    Column("sha256", "string", "SHA-256 of the content of the bundle"),
    Column("file", "string", "file of the bundle"),
    Column("measured", "datetime", "when it was measured, in UTC"),
    Column("cpu_mhz", "number", "clock of the processor in MHz; none where it is not known"),
    Column("memory", "string", "kind and speed of the memory"),
    Column("governor", "string", "how the kernel chose the clock"),
    Column("kernel", "string", "version of the kernel"),
    Column("image", "string", "image on the board"),
    Column("tools", "string", "versions of programs, as a JSON object of texts"),
    Column("setup", "string", "facts of the setup, as a JSON object of texts"),
    Column(
        "notes",
        "string",
        "notes as a JSON list of objects: “text”, and “benchmark” and “metric” where it is about "
        "these alone",
    ),
)
"""The other columns of runs, in their order."""

Row = dict[str, Any]
"""The values of one figure or run by column. Objects are dictionaries, arrays are lists."""


@dataclass(frozen=True, slots=True)
class Table:
    """The layout of rows: the columns, those that hold JSON objects, and the primary key."""

    name: str
    columns: tuple[Column, ...]
    objects: tuple[str, ...]
    key: tuple[str, ...]


FIGURES = Table(
    "figures",
    (*PARTITION_COLUMNS, *FIGURE),
    ("params", "setup"),
    ("guide", "board", "benchmark", "metric", "params", "unit"),
)
RUNS = Table("runs", (*PARTITION_COLUMNS, *RUN), ("tools", "setup", "notes"), ("guide", "bundle"))


def rows(table: Table, guide: str, records: Sequence[Record], pool: Pool) -> Iterator[Row]:
    """Yield the rows of one guide. ``guide`` is its address, and ``records`` are its figures."""
    return (_figures if table is FIGURES else _runs)(guide, records, pool)


def _figures(guide: str, records: Sequence[Record], pool: Pool) -> Iterator[Row]:
    names = run_names(pool.bundles(records))
    bundles = pool.frame.bundles
    bundle_of_row = pool.frame.table["bundle"].to_numpy()
    for record in records:
        cell = record.cell
        behind = [bundles[int(bundle_of_row[row])] for row in cell.members]
        yield _identity(guide, record.guide, record.board) | {
            "benchmark": record.benchmark,
            "metric": record.metric,
            **measured(record),
            "differs": list(cell.differs),
            "samples": list(cell.samples),
            "bundles": list(dict.fromkeys(names[loaded.digest] for loaded in behind)),
            "setup": own_facts(pool, cell.members, names),
            "notes": pool.stated_notes(cell.members),
            "commands": pool.commands([record]),
            "measured": max(loaded.bundle.created for loaded in behind).astimezone(UTC),
        }


def _runs(guide: str, records: Sequence[Record], pool: Pool) -> Iterator[Row]:
    bundles = pool.bundles(records)
    names = run_names(bundles)
    for loaded in bundles:
        run = loaded.bundle
        yield _identity(guide, records[0].guide, run.board.name) | {
            "bundle": names[loaded.digest],
            "runner": run.runner.name if run.runner else "",
            "sha256": loaded.digest,
            # File names can contain characters that UTF-8 cannot encode; these become escapes.
            "file": loaded.origin.encode("utf-8", "backslashreplace").decode("utf-8"),
            "measured": run.created.astimezone(UTC),
            "cpu_mhz": None if run.board.cpu_mhz is UNSET else run.board.cpu_mhz,
            "memory": run.board.memory,
            "governor": run.board.governor,
            "kernel": run.sdk.kernel,
            "image": run.sdk.image,
            "tools": {name: units.plain(value) for name, value in run.tools.items()},
            "setup": {name: units.plain(value) for name, value in run.setup.items()},
            "notes": msgspec.to_builtins(run.notes),
        }


def _identity(guide: str, key: GuideKey, board: str) -> Row:
    return {
        "soc": key.soc,
        "os": key.os,
        "guide": guide,
        "sdk": key.sdk,
        "release": key.release,
        "board": board,
    }


def run_names(bundles: Sequence[Loaded]) -> dict[str, str]:
    """Return the name of each run in a guide by bundle digest: its id, or the digest if several
    runners use that id."""
    # Ids are unique per runner, but a guide can have several runners.
    ids = Counter(loaded.bundle.id for loaded in bundles)
    digests = {loaded.digest for loaded in bundles}
    return {
        loaded.digest: loaded.digest
        # A runner may choose any id, even the digest of another bundle.
        if ids[loaded.bundle.id] > 1 or loaded.bundle.id in digests
        else loaded.bundle.id
        for loaded in bundles
    }


def own_facts(pool: Pool, members: Sequence[int], names: dict[str, Any]) -> dict[str, list[Any]]:
    """Return the facts that a figure's results state themselves, each with its values. Values
    inherited from a run are replaced by that run's name; ``names`` maps digests to run names."""
    bundles = pool.frame.bundles
    return {
        fact: [
            value if isinstance(value, str) else {"bundle": names[bundles[value].digest]}
            for value in values
        ]
        for fact, values in pool.stated.own_facts_or_bundles(members).items()
    }


def of_site(pool: Pool) -> Iterator[tuple[GuideKey, str, Sequence[Record]]]:
    """Yield each guide with its address and records, in site order."""
    guides = pool.guides()
    addresses = dataset.plan(guides, pool.benchmarks())
    for key in guides:
        yield key, addresses.guide[key].removeprefix("guides/"), pool.of_guide(key)


def text(value: object) -> str:
    """Encode an object or array as JSON with sorted keys."""
    # Parameters are part of the primary key, so equal ones must have equal text.
    return json.dumps(value, sort_keys=True, ensure_ascii=False)
