"""Growth of each part of a build with guides and with bundles.

Parts are measured for increasing sizes, the cost of the smallest is subtracted, and a power law
is fitted to the rest: exponent 1 is linear, 2 quadratic.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import phases
import sites
from measuring import TOP, Figure

MAX_EXPONENT = 1.1
MIN_SHARE = 0.03
"""Phases with a smaller share of the total growth are listed but not fitted."""
MIN_GROWTH = 0.1
"""Phases that grow by less than this share of their first value are not fitted either."""
MIN_JUDGED_SIZE = 60
"""Smaller archives are listed but not judged, since noise exceeds growth there."""
Parts = dict[str, float]


def parts(archives: Sequence[tuple[int, int, int]], turns: int = 1) -> list[Parts]:
    """Return for each archive (a number of bundles, guides and results) the CPU seconds of each
    phase of a build with charts drawn, its memory in MiB, and its output in MB.

    Archives are built in turns, because the machine is faster or slower for minutes, and the
    least of each counts.
    """
    with tempfile.TemporaryDirectory() as given:
        site = Path(given, "site")
        ready = [_ready(Path(given, str(n)), *archive) for n, archive in enumerate(archives)]
        runs_by_archive: list[list[Parts]] = [[] for _ in archives]
        for _ in range(turns):
            for one, of_one in zip(ready, runs_by_archive, strict=True):
                # A copy, so that each turn begins from the same state.
                shutil.copytree(one, site)
                of_one.append(_built(site))
                shutil.rmtree(site)
        return [{name: min(p[name] for p in one) for name in one[0]} for one in runs_by_archive]


def _ready(folder: Path, bundles: int, guides: int, results: int) -> Path:
    sites.project(folder, bundles, guides, results)
    with (folder / "conf.py").open("a", encoding="utf-8") as file:
        file.write(f"\nsys.path.append({str(TOP / 'bench')!r})\nextensions.append('phases')\n")
    sites.drawn(folder)
    return folder


def _built(folder: Path) -> Parts:
    # Phases are measured in one process.
    cost = sites.sphinx(folder, jobs="1")
    html = folder / "build" / "html"
    out = {f"CPU to {name}": spent for name, spent in phases.taken(folder).items()}
    out["CPU in all"] = cost.cpu
    out["peak memory"] = cost.memory
    out["bytes of all pages"] = sum(p.stat().st_size for p in html.rglob("*.html")) / 1e6
    out["bytes of the search index"] = (html / "searchindex.js").stat().st_size / 1e6
    return out


def power(sizes: Sequence[int], values: Sequence[float]) -> float:
    """Return the exponent ``k`` that fits ``value = first + c · (size - first size)^k`` best, by
    least squares of the logarithms; ``nan`` if a value does not grow."""
    x = np.array(sizes[1:], dtype=float) - sizes[0]
    y = np.array(values[1:], dtype=float) - values[0]
    if (y <= 0).any():
        # There is no logarithm of a part that does not grow.
        return float("nan")
    return float(np.polyfit(np.log(x), np.log(y), 1)[0])


def _unit(name: str) -> str:
    return "s" if name.startswith("CPU") else "MiB" if "memory" in name else "MB"


def _fitted(what: str, sizes: Sequence[int], parts_by_size: Sequence[Parts]) -> list[Figure]:
    out = []
    size = f"{sizes[0]} to {sizes[-1]} {what}"
    most = MAX_EXPONENT if sizes[-1] >= MIN_JUDGED_SIZE else None
    growth = parts_by_size[-1]["CPU in all"] - parts_by_size[0]["CPU in all"]
    for name in parts_by_size[0]:
        values = [one[name] for one in parts_by_size]
        out.append(
            Figure(f"{name[0].upper()}{name[1:]}", f"{sizes[-1]} {what}", values[-1], _unit(name))
        )
        grown = values[-1] - values[0]
        if grown < MIN_GROWTH * values[0]:
            continue
        if name.startswith("CPU") and grown < MIN_SHARE * growth:
            continue
        k = power(sizes, values)
        if not np.isnan(k):
            out.append(Figure(f"Power of growth: {name}", size, k, "", most))
    return out


def by_guides(sizes: Sequence[int], results: int, turns: int) -> list[Figure]:
    """Measure guides of one bundle each."""
    return _fitted("guides", sizes, parts([(n, n, results) for n in sizes], turns))


def by_bundles(sizes: Sequence[int], guides: int, results: int, turns: int) -> list[Figure]:
    """Measure an increasing number of bundles in the same number of guides.

    Before there are 500, tables of comparisons become too long for their pages, all at about the
    same number, and get pages of their own. No power law fits this step, so all sizes but the
    first are beyond it.
    """
    return _fitted("bundles", sizes, parts([(n, guides, results) for n in sizes], turns))
