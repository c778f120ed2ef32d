"""Growth of a build with each count of an archive: SoCs, boards, releases, benchmarks, values of a
parameter, parameters, and hand-written pages.

    python bench/counts.py [--count NAME]… [--sizes N …]

An archive has one of each and a single figure, except for the growing count, which gets a figure
each. It is built from scratch as by ``perfguide build``, with its charts. Prints CSV: the CPU time
of all processes for each size, and the exponent of the power law fitted to the cost beyond the
smallest size: 1 is linear, 2 quadratic.
"""

from __future__ import annotations

import argparse
import csv
import json
import shutil
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from measuring import TOP, Figure, ran

SIZES = (250, 1000, 4000)
MAX_POWER = 1.1

Figures = list[dict[str, Any]]


def _figure(number: int, **other: Any) -> dict[str, Any]:
    value = 100.0 + number % 7 + number / 1000
    return {"benchmark": "dhrystone", "metric": "dhrystones", "unit": "1/s", "value": value} | other


def _write(folder: Path, name: str, figures: Figures, **other: dict[str, Any]) -> None:
    bundle: dict[str, Any] = {
        "format": "perfguide-bundle",
        "version": 1,
        "id": name,
        "created": "2024-04-02T09:30:00Z",
        "sdk": {"version": "01.00", "os": "linux"},
        "board": {"name": "board", "soc": "SOC"},
        "results": figures,
    }
    for key, values in other.items():
        bundle[key] = bundle[key] | values
    (folder / "results" / f"{name}.json").write_text(json.dumps(bundle), "utf-8")


def socs(folder: Path, count: int) -> None:
    """Add SoCs with one guide each."""
    for n in range(count):
        _write(folder, f"run-{n}", [_figure(n)], board={"soc": f"SOC{n}"})


def boards(folder: Path, count: int) -> None:
    """Add boards to one guide."""
    for n in range(count):
        _write(folder, f"run-{n}", [_figure(n)], board={"name": f"board-{n}"})


def releases(folder: Path, count: int) -> None:
    """Add releases of one SoC, each compared with the one before."""
    for n in range(count):
        _write(folder, f"run-{n}", [_figure(n)], sdk={"version": f"{n // 100:02}.{n % 100:02}"})


def benchmarks(folder: Path, count: int) -> None:
    """Add benchmarks to one guide."""
    _write(folder, "run", [_figure(n, benchmark=f"program-{n}") for n in range(count)])


def values(folder: Path, count: int) -> None:
    """Add values of one parameter of a benchmark."""
    figures = [_figure(n, benchmark="program", params={"size": n}) for n in range(count)]
    _write(folder, "run", figures)


def parameters(folder: Path, count: int) -> None:
    """Add parameters of a benchmark, one per figure."""
    figures = [_figure(n, benchmark="program", params={f"option-{n}": 1}) for n in range(count)]
    _write(folder, "run", figures)


LISTED = 100
"""The number of pages in a list; each page's menu shows all others of its list."""


def pages(folder: Path, count: int) -> None:
    """Add hand-written pages, in lists of a hundred."""
    _write(folder, "run", [_figure(0)])
    for n in range(count):
        own = folder / "own" / f"part-{n // LISTED}"
        own.mkdir(parents=True, exist_ok=True)
        text = f"Page {n}\n{'=' * 20}\n\nSome words on page {n}.\n"
        (own / f"page-{n}.rst").write_text(text, "utf-8")
    for own in (folder / "own").iterdir():
        text = f"{own.name}\n{'=' * 20}\n\n.. toctree::\n   :glob:\n\n   page-*\n"
        (own / "index.rst").write_text(text, "utf-8")
    with (folder / "index.rst").open("a", encoding="utf-8") as index:
        index.write("\n.. toctree::\n   :glob:\n\n   own/*/index\n")


COUNTS: dict[str, Callable[[Path, int], None]] = {
    each.__name__: each for each in (socs, boards, releases, benchmarks, values, parameters, pages)
}

INDEX = """
Performance guides
==================

.. perf-toctree::
"""


def cost(grow: Callable[[Path, int], None], count: int) -> tuple[float, float]:
    """Return the CPU time in seconds of all processes of a build from scratch, and the memory in
    MiB of the largest one."""
    with tempfile.TemporaryDirectory() as given:
        folder = Path(given, "project")
        (folder / "results").mkdir(parents=True)
        (folder / "source").mkdir()
        shutil.copy(TOP / "conf.py", folder / "conf.py")
        shutil.copytree(TOP / "source" / "benchmarks", folder / "source" / "benchmarks")
        # The descriptions of benchmarks refer to the glossary.
        shutil.copy(TOP / "source" / "glossary.rst", folder / "source" / "glossary.rst")
        (folder / "index.rst").write_text(f"{INDEX}\n.. toctree::\n\n   source/glossary\n", "utf-8")
        grow(folder, count)
        build_cost = ran(["-m", "perfguide", "build", "--jobs", "2", "--", "-q"], folder)
        return build_cost.cpu, build_cost.memory


def power(sizes: Sequence[int], costs: Sequence[float]) -> float:
    """Return the exponent ``k`` that best fits ``cost = first + c · (size - first size)^k``, by
    least squares of the logarithms; NaN if a cost does not grow."""
    x = np.array(sizes[1:], dtype=float) - sizes[0]
    y = np.array(costs[1:], dtype=float) - costs[0]
    # A cost that does not grow has no logarithm.
    return float("nan") if (y <= 0).any() else float(np.polyfit(np.log(x), np.log(y), 1)[0])


def figures(sizes: Sequence[int]) -> list[Figure]:
    """Return the exponents of growth with SoCs and with releases, the counts that keep rising in
    archives."""
    out = []
    for grow in (socs, releases):
        costs = [cost(grow, size)[0] for size in sizes]
        size = f"{sizes[0]} to {sizes[-1]} {grow.__name__}"
        # In small archives, noise exceeds the growth.
        goal = MAX_POWER if sizes[-1] >= SIZES[-1] else None
        out.append(Figure("Power of growth: CPU", size, power(sizes, costs), "", goal))
    return out


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description="Measure how a build grows with each count alone.")
    parser.add_argument("--count", action="append", choices=[*COUNTS])
    parser.add_argument("--sizes", type=int, nargs="+", default=SIZES)
    given = parser.parse_args()
    table = csv.writer(sys.stdout)
    sizes: Sequence[int] = given.sizes
    table.writerow(["Count", *(f"{size} (s)" for size in sizes), "Power", "Memory (MiB)"])
    for name in given.count or COUNTS:
        costs_by_size = [cost(COUNTS[name], size) for size in sizes]
        # A power law needs two sizes beyond the smallest.
        grown = power(sizes, [cpu for cpu, _ in costs_by_size]) if len(sizes) > 2 else float("nan")
        row = [
            name,
            *(f"{cpu:.1f}" for cpu, _ in costs_by_size),
            f"{grown:.2f}",
            f"{costs_by_size[-1][1]:.0f}",
        ]
        table.writerow(row)
        # Large sizes take long, so show each row as soon as it is known.
        sys.stdout.flush()


if __name__ == "__main__":
    main()
