"""Measure the cost of generating pages, with and without Dask workers, of a bucket, and of Parquet.

Costs are CPU seconds of this process and its children, which other work on the machine disturbs
little, and the peak memory of both. A URL adds a bucket:

    python bench/scale.py [BUNDLES] [--url s3://bucket/empty]
    python bench/scale.py --results FOLDER [--times 10] [--pictures]
    python bench/scale.py --results FOLDER --workers 2 [--url s3://bucket/empty]

``--results`` instead measures the pages of an archive, such as one made by ``bench/grown.py``, per
figure. ``--times`` compares them with those of an archive in which all bundles are repeated that
many times under other SoC names. Its goals are 1.2 times the memory of the largest process, and 0.9
to 1.1 times the CPU time per bundle. ``--workers`` starts a Dask scheduler with that many workers
on this machine, and compares the CPU time of all processes with that of a build without them. With
``--url``, both read the archive from a bucket, and files that the requesting process has fetched
are hidden from the workers, which takes root.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
import tracemalloc
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import grown
import measuring
import msgspec
import synthetic

from perfguide.bundles import object_store
from perfguide.bundles.decompress import Limits
from perfguide.export import json_api, parquet
from perfguide.export.figure_rows import FIGURES
from perfguide.figures import dataset
from perfguide.pages import build, summary
from perfguide.pages.reused_parts import Part
from perfguide.publishing.store import read

TOP = Path(__file__).resolve().parent.parent
RESULTS, GUIDES = 500, 70
"""The number of results per simulated bundle, and of guides over which the bundles are spread."""
DESCRIBED = (dataset.BUILT_IN, TOP / "source/benchmarks")


def cost(name: str, count: int, work: Callable[[], Any]) -> Any:
    """Print the cost of some work for each of ``count`` items, and return its result."""
    before, start = measuring.cpu(), time.perf_counter()
    out = work()
    cpu, wall = measuring.cpu() - before, time.perf_counter() - start
    each = f"{1000 * cpu / count:8.2f} ms CPU and {1000 * wall / count:8.2f} ms for each"
    who = (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    own, child = (resource.getrusage(each).ru_maxrss // 1024 for each in who)
    print(f"{name:24} {each}; peak {own} MiB, of a child {child} MiB", flush=True)
    return out


def of_archive(results: Path, formats: tuple[str, ...]) -> None:
    """Print the CPU, memory and bytes per figure that the pages of an archive take, and the size of
    the largest summary of a SoC."""
    with tempfile.TemporaryDirectory() as given:
        folder = Path(given)
        (folder / "none").mkdir()
        program = _generated(str(folder / "none"), folder / "start")
        cost_of_pages = _generated(str(results.resolve()), folder, formats)
        api = folder / "pages" / json_api.ROOT
        index = json.loads((api / "index.json").read_bytes())
        figures_of = {soc["soc"]: _figures(api / soc["file"]) for soc in index["socs"]}
        figures, largest = index["figures"], max(figures_of.values())
        sizes = [path.stat().st_size for path in (folder / "pages").rglob("*") if path.is_file()]
        largest_summary = max(_summaries(folder / "cache" / "parts"), key=len)
        tracemalloc.start()
        decoded = msgspec.msgpack.decode(largest_summary, type=summary.Summary)
        in_memory = tracemalloc.get_traced_memory()[0]
        # The program takes some memory even without a single figure.
        above = (cost_of_pages.memory - program.memory) * 2**20
        print(f"{figures} figures of {len(figures_of)} SoCs; the largest has {largest}")
        print(f"{1000 * (cost_of_pages.cpu - program.cpu) / figures:.1f} ms of CPU for each figure")
        print(
            f"largest process {cost_of_pages.memory:.0f} MiB, of which the program {program.memory:.0f} MiB"
        )
        print(f"{above / largest / 1000:.1f} kB of memory for each figure of the largest SoC")
        print(
            f"{sum(sizes) / figures / 1000:.1f} kB of sources in {len(sizes) / figures:.2f} files"
        )
        print(
            f"{len(largest_summary) / 1e6:.2f} MB for the largest summary, of {len(decoded.guides)} "
            f"guides; {in_memory / 1e6:.2f} MB in memory"
        )


def _summaries(parts: Path) -> Iterator[bytes]:
    """Yield the encoded summaries of SoCs among the parts of a site."""
    for path in parts.rglob("*"):
        if path.is_file() and not path.suffix:
            out = msgspec.msgpack.decode(read(path) or b"", type=Part).out
            # Other parts hold other values.
            with suppress(msgspec.ValidationError):
                summary.decode(out)
                yield out


def _figures(file: Path) -> int:
    """Return the number of figures of a SoC, from its file for programs."""
    return sum(guide["figures"] for guide in json.loads(file.read_bytes())["guides"])


def compared_with(results: Path, times: int, formats: tuple[str, ...]) -> None:
    """Compare the pages of an archive with those of the same archive repeated under other SoC
    names, each made from scratch in a separate process."""
    costs = []
    for number in (1, times):
        with tempfile.TemporaryDirectory() as given:
            folder = Path(given)
            count = grown.repeat(results, folder / "results", number)
            cost_of_build = _generated(str(folder / "results"), folder, formats)
            costs.append(cost_of_build)
            print(
                f"{number:3} times: {count} bundles, {cost_of_build.cpu:.1f} s of CPU, "
                f"largest process {cost_of_build.memory:.0f} MiB",
                flush=True,
            )
    one, many = costs
    print(f"memory {many.memory / one.memory:.2f} times, CPU {many.cpu / one.cpu:.1f} times")


def generate(results: str, folder: str, formats: tuple[str, ...] = (), scheduler: str = "") -> None:
    """Make the pages of the bundles at a path or URL, with caches in a folder."""
    top = Path(folder)
    build.generate(
        dataset.Settings(
            (object_store.path_or_url(results),),
            DESCRIBED,
            top / "pages",
            formats=formats,
            cache=top / "cache",
            store=top / "store",
            scheduler=scheduler,
        )
    )


def _generated(results: str, folder: Path, *given: object) -> measuring.Cost:
    """Make pages in a new process; return the cost."""
    folder.mkdir(parents=True, exist_ok=True)
    paths = f"import sys; sys.path.insert(0, {str(TOP / 'bench')!r})"
    call = f"import scale; scale.generate{(results, str(folder), *given)!r}"
    return measuring.ran(["-c", f"{paths}; {call}"], folder)


def by_workers(results: Path, count: int, url: str) -> None:
    """Make the pages of an archive both here and by workers of a Dask scheduler on this machine.
    Print the CPU of all processes from their start, and of the requesting one."""
    with tempfile.TemporaryDirectory() as given:
        folder, source = Path(given), url or str(results.resolve())
        if url:
            import fsspec

            fs, top = fsspec.core.url_to_fs(url)
            fs.put(str(results), top, recursive=True)
        here = _generated(source, folder / "here").cpu
        store = folder / "there" / "store"
        store.mkdir(parents=True)
        start = measuring.cpu()
        with _cluster(folder, count, store if url else None) as address:
            asker = _generated(source, folder / "there", (), address).cpu
        everything = measuring.cpu() - start
        print(f"here {here:.1f} s of CPU; by {count} workers {everything:.1f} s")
        print(f"{everything / here:.2f} times; {asker / everything:.0%} by the process that asks")


@contextmanager
def _cluster(folder: Path, count: int, hidden: Path | None) -> Iterator[str]:
    """Yield the address of a scheduler with workers, which end with the context. Workers see
    nothing in the ``hidden`` folder, as if they were on other machines."""
    file, processes = folder / "scheduler.json", []
    given = os.environ | {"PYTHONPATH": str(TOP / "ext")}
    listen = ["--host", "127.0.0.1", "--port", "0", "--no-dashboard", "--scheduler-file", str(file)]
    worker = ["--nthreads", "1", "--no-nanny", "--no-dashboard", "--scheduler-file", str(file)]
    try:
        for command in (["dask_scheduler", *listen], *[["dask_worker", *worker]] * count):
            line = [sys.executable, "-m", f"distributed.cli.{command[0]}", *command[1:]]
            if hidden and command[0] == "dask_worker":
                hide = 'mount -t tmpfs tmpfs "$0" && exec "$@"'
                line = ["unshare", "--mount", "sh", "-c", hide, str(hidden), *line]
            # Away from the archive: workers must find it by its address.
            quiet = subprocess.DEVNULL
            process = subprocess.Popen(line, env=given, cwd=folder, stdout=quiet, stderr=quiet)
            processes.append(process)
        # The file exists before it is complete.
        while not file.exists() or not file.read_text("utf-8").endswith("}"):
            time.sleep(0.1)
        yield json.loads(file.read_text("utf-8"))["address"]
    finally:
        for process in processes:
            process.kill()  # a worker without a scheduler would wait for another one
        for process in processes:
            process.wait()


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("bundles", nargs="?", type=int, default=300)
    parser.add_argument("--results", type=Path)
    parser.add_argument("--url", default="")
    parser.add_argument("--times", type=int, default=0)
    parser.add_argument("--pictures", action="store_true")
    parser.add_argument("--workers", type=int, default=0)
    options = parser.parse_args()
    if options.times:
        compared_with(options.results, options.times, ("svg",) if options.pictures else ())
        return
    if options.workers:
        by_workers(options.results, options.workers, options.url)
        return
    if options.results:
        of_archive(options.results, ("svg",) if options.pictures else ())
        return
    count = options.bundles
    folder = Path(tempfile.mkdtemp())
    try:
        synthetic.write(folder, count, GUIDES, RESULTS)
        size = sum(path.stat().st_size for path in folder.rglob("*.json"))
        print(f"{count} bundles of {RESULTS} results, {size / count:.0f} bytes each")
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
    finally:
        shutil.rmtree(folder)


if __name__ == "__main__":
    main()
