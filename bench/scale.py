"""The cost of reading bundles here, by workers of a Dask scheduler, and from a bucket.

Reported as CPU seconds, which other work on the machine disturbs little. An address adds
workers, and a URL adds a bucket:

    python bench/scale.py [BUNDLES] [--scheduler tcp://…] [--url s3://bucket/empty]
"""

from __future__ import annotations

import argparse
import json
import resource
import shutil
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import charts

from perfguide.bundles import object_store
from perfguide.bundles.decompress import Limits
from perfguide.charts import drawing
from perfguide.common import parallel
from perfguide.export import parquet
from perfguide.figures import dataset

TOP = Path(__file__).resolve().parent.parent
RESULTS = 500


def bundle(number: int) -> dict[str, Any]:
    results = [
        {
            "benchmark": f"bench{n % 20}",
            "metric": f"metric{n // 20}",
            "unit": "MB/s",
            "params": {"size": 2 ** (n % 8), "engine": "hw"},
            "samples": [round(n * 1.1 + number / 7, 4), n * 1.2 + 1],
            "command": f"bench{n % 20} -s {n}",
        }
        for n in range(RESULTS)
    ]
    board = {"name": f"board-{number % 5}", "soc": f"SOC{number % 7}"}
    sdk = {"version": f"{9 + number // 100:02}.{number // 10 % 10:02}", "os": "linux"}
    head = {"format": "perfguide-bundle", "version": 1, "id": f"run-{number}", "sdk": sdk}
    return {**head, "created": "2024-04-02T09:30:00Z", "board": board, "results": results}


def cost(name: str, count: int, work: Callable[[], Any]) -> Any:
    before, start = resource.getrusage(resource.RUSAGE_SELF), time.perf_counter()
    out = work()
    after, wall = resource.getrusage(resource.RUSAGE_SELF), time.perf_counter() - start
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    each = f"{1000 * cpu / count:8.2f} ms CPU and {1000 * wall / count:8.2f} ms for each"
    print(f"{name:24} {each}; peak {after.ru_maxrss // 1024} MiB", flush=True)
    return out


def draw(scheduler: str) -> None:
    """Draw the pictures of one SoC, here and by workers."""
    all_pictures = charts.pictures(TOP / "results/AM335X")
    tasks = [(each.view, "svg") for each in all_pictures][:12]
    drawing.draw(tasks[0])  # the first one loads the renderer and the fonts
    cost("draw here", len(tasks), lambda: [drawing.draw(task) for task in tasks])
    if scheduler:
        with parallel.at(scheduler) as run:
            cost("draw by workers", len(tasks), lambda: list(run(drawing.draw, tasks)))


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("bundles", nargs="?", type=int, default=300)
    parser.add_argument("--scheduler", default="")
    parser.add_argument("--url", default="")
    options = parser.parse_args()
    count = options.bundles
    folder = Path(tempfile.mkdtemp())
    try:
        for number in range(count):
            text = json.dumps(bundle(number))
            (folder / f"{number:06}.json").write_text(text, encoding="utf-8")
        print(f"{count} bundles of {RESULTS} results, {len(text)} bytes each")
        here = dataset.Settings((folder,), (), Path())
        holdings = cost("read here", count, lambda: dataset.read(here))
        if options.scheduler:
            there = dataset.Settings((folder,), (), Path(), scheduler=options.scheduler)
            cost("read by workers", count, lambda: dataset.read(there))
        if options.url:
            import fsspec

            fs, top = fsspec.core.url_to_fs(options.url)
            fs.put(str(folder), top, recursive=True)
            store = folder / "store"

            def fetch() -> int:
                fetched = object_store.fetch(options.url, store, Limits(), dataset.no_progress)
                assert len(fetched.sources) == count, fetched.diagnostics
                return fetched.read

            cost("first fetch", count, fetch)
            assert cost("fetch, nothing new", count, fetch) == 0
        out = folder / "parquet"
        cost("export", count, lambda: parquet.write_folder(holdings.pool, out))
        size = sum(path.stat().st_size for path in out.rglob("*.parquet"))
        print(f"{'parquet':24} {size / count:8.0f} bytes for each bundle")
        draw(options.scheduler)
    finally:
        shutil.rmtree(folder)


if __name__ == "__main__":
    main()
