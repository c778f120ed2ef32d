"""Minimal bundles, catalogs and pools for tests."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import msgspec

from perfguide import bundle
from perfguide.bundles.containers import Document, Source
from perfguide.bundles.decode import Loaded, load
from perfguide.catalog import benchmarks
from perfguide.catalog.benchmarks import Catalog
from perfguide.common.diagnostics import Diagnostic
from perfguide.figures import rows
from perfguide.figures.pool import Pool, Record

ROOT = Path(__file__).parents[2]
SHIPPED = ROOT / "source" / "benchmarks"

TOML = """
title = "Speed"
chapter = "System"
order = 5
command = "speed --all"
metrics = [
  { name = "rate", unit = "MB/s", better = "higher", label = "Rate" },
  { name = "load", unit = "%", better = "lower", label = "CPU load", decimals = 1 },
  { name = "lat_*", unit = "us", better = "lower" },
]
[params.block_size]
label = "Block size"
show = "size"
[params.engine]
default = "sw"
values = { hw = "accelerator", sw = "software" }
[[tables]]
id = "rate"
title = "Speed"
metrics = ["rate", "load"]
rows = ["block_size"]
columns = ["engine"]
[[tables]]
id = "latency"
title = "Latency"
metrics = ["lat_*"]
where = { engine = "sw" }
rows = ["metric"]
"""
"""A benchmark description, which tests use under the name ``speed``."""


def result(metric: str = "rate", unit: str = "MB/s", **more: Any) -> dict[str, Any]:
    """Return a result of ``speed``, with the value 1 unless a figure is given."""
    out: dict[str, Any] = {"benchmark": "speed", "metric": metric, "unit": unit, **more}
    if not {"samples", "value", "status"} & set(more):
        out["value"] = 1.0
    return out


def plain(*results: dict[str, Any], **changes: Any) -> dict[str, Any]:
    """Return a valid bundle as JSON values; a key with two underscores changes a nested value, as
    in ``sdk__version``."""
    out: dict[str, Any] = {
        "format": "perfguide-bundle",
        "version": 1,
        "id": "run-1",
        "created": "2024-04-02T09:30:00Z",
        "sdk": {"version": "09.01", "os": "linux"},
        "board": {"name": "sk", "soc": "AM62X"},
        "results": list(results) or [result()],
    }
    for key, value in changes.items():
        part, _, inner = key.partition("__")
        if inner:
            out.setdefault(part, {})[inner] = value
        else:
            out[part] = value
    return out


def run_by_run(bundle: dict[str, Any]) -> list[dict[str, Any]]:
    """Return a bundle for each sample of a plain one; the first also has the results without
    samples."""
    number = max(len(own.get("samples", ())) for own in bundle["results"])
    if not number:
        return [bundle]
    out = []
    for run in range(number):
        results = [
            {**{k: v for k, v in own.items() if k != "samples"}, "value": own["samples"][run]}
            if "samples" in own
            else own
            for own in bundle["results"]
            # A result without samples is only in the first bundle.
            if run < len(own.get("samples", (0,)))
        ]
        out.append({**bundle, "id": f"{bundle['id']}-{run}", "results": results})
    return out


def text(value: Any) -> bytes:
    """Return JSON as a runner would write it."""
    return json.dumps(value).encode()


def outcome(
    data: bytes, lines: bool = False, name: str = "a.json"
) -> tuple[list[Loaded], list[Diagnostic]]:
    """Return the valid bundles and the diagnostics of one document."""
    source = Source("results", name, Path(name))
    items = list(load(Document(source, name, data, lines)))
    sound = [item for item in items if isinstance(item, Loaded)]
    return sound, [item for item in items if isinstance(item, Diagnostic)]


def loaded(*results: dict[str, Any], origin: str = "a.json", **changes: Any) -> Loaded:
    """Return a valid bundle with its origin."""
    decoded = bundle.decode(text(plain(*results, **changes)))
    return Loaded("results", origin, decoded, bundle.digest(decoded))


def loaded_runs(*bundles: Loaded) -> list[Loaded]:
    """Return bundles with one sample each in place of bundles with samples."""
    return [
        Loaded("results", f"{number}-{run}.json", decoded, bundle.digest(decoded))
        for number, each in enumerate(bundles)
        for run, plain_run in enumerate(run_by_run(json.loads(msgspec.json.encode(each.bundle))))
        for decoded in [bundle.decode(text(plain_run))]
    ]


def described(folder: Path, toml: str = TOML, name: str = "speed") -> Catalog:
    """Return a catalog with one benchmark, whose description has to be valid."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{name}.toml").write_text(toml, "utf-8")
    (folder / f"{name}.rst").write_text("What it measures.\n", "utf-8")
    catalog, faults = benchmarks.load([folder])
    assert faults == []
    return catalog


def pooled(bundles: Iterable[Loaded], described: Catalog | None = None) -> Pool:
    """Return bundles as pooled figures."""
    return Pool(rows.build(list(bundles)), described or Catalog({}))


def records(*bundles: Loaded, described: Catalog | None = None) -> list[Record]:
    """Return all pooled figures of bundles, guide by guide."""
    pool = pooled(bundles, described)
    return [record for key in pool.guides() for record in pool.of_guide(key)]


def only(items: Sequence[Any]) -> Any:
    """Return the only item of a list, which must have exactly one."""
    assert len(items) == 1, items
    return items[0]
