"""The cost of making pages here and by workers of a Dask scheduler, of a bucket, and of Parquet.

Reported as CPU seconds of this process and its children, which other work on the machine disturbs
little, and as the peak memory of both. An address adds workers, and a URL adds a bucket:

    python bench/scale.py [BUNDLES] [--results FOLDER] [--scheduler tcp://…] [--url s3://bucket/empty]

``--results`` measures the pages of an archive, such as one by ``bench/grown.py``, instead.
"""

from __future__ import annotations

import argparse
import json
import resource
import shutil
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from perfguide.bundles import object_store
from perfguide.bundles.decompress import Limits
from perfguide.export import parquet
from perfguide.export.figure_rows import FIGURES
from perfguide.figures import dataset
from perfguide.pages import build

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
    before, start = _used(), time.perf_counter()
    out = work()
    cpu, wall = _used() - before, time.perf_counter() - start
    each = f"{1000 * cpu / count:8.2f} ms CPU and {1000 * wall / count:8.2f} ms for each"
    who = (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    own, child = (resource.getrusage(each).ru_maxrss // 1024 for each in who)
    print(f"{name:24} {each}; peak {own} MiB, of a child {child} MiB", flush=True)
    return out


def _used() -> float:
    """Return the CPU seconds of this process and of its children that have ended."""
    usages = map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(usage.ru_utime + usage.ru_stime for usage in usages)


def pages(results: Path, count: int, scheduler: str) -> None:
    """Make the pages of an archive without pictures, here and by workers; the cost is that of each of
    ``count`` bundles. That of workers is not in it."""
    described = (dataset.BUILT_IN, TOP / "source/benchmarks")
    for name, address in (("pages here", ""), ("pages by workers", scheduler)):
        if address or name == "pages here":
            with tempfile.TemporaryDirectory() as folder:
                asked = dataset.Settings(
                    (results,), described, Path(folder), formats=(), scheduler=address
                )
                outcome = cost(name, count, partial(build.generate, asked))
                print(f"{outcome.figures} figures in {outcome.guides} guides")


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("bundles", nargs="?", type=int, default=300)
    parser.add_argument("--results", type=Path)
    parser.add_argument("--scheduler", default="")
    parser.add_argument("--url", default="")
    options = parser.parse_args()
    if options.results:
        count = sum(1 for _ in options.results.rglob("*.json"))
        pages(options.results, count, options.scheduler)
        return
    count = options.bundles
    folder = Path(tempfile.mkdtemp())
    try:
        for number in range(count):
            text = json.dumps(bundle(number))
            (folder / f"{number:06}.json").write_text(text, encoding="utf-8")
        print(f"{count} bundles of {RESULTS} results, {len(text)} bytes each")
        here = dataset.Settings((folder,), (), Path())
        holdings = cost("read here", count, lambda: dataset.read(here))
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
        cost("export", count, lambda: parquet.write_folder(FIGURES, holdings.pool, out))
        size = sum(path.stat().st_size for path in out.rglob("*.parquet"))
        print(f"{'parquet':24} {size / count:8.0f} bytes for each bundle")
        pages(folder, count, options.scheduler)
    finally:
        shutil.rmtree(folder)


if __name__ == "__main__":
    main()
