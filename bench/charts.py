"""What charts cost: one of each kind, and 300 drawn on all cores.

Run it with ``build/env/bin/python bench/charts.py``. The pictures are those of this
repository's results, each drawn once more with all figures a little changed until
there are 300 different ones.
"""

from __future__ import annotations

import argparse
import os
import statistics
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from itertools import cycle, islice
from pathlib import Path

from perfguide import pages, pictures, site
from perfguide.chartviews import ChartView
from perfguide.pictures import Picture
from perfguide.writer import Writer

TOP = Path(__file__).resolve().parents[1]


def views() -> list[ChartView]:
    """The pictures of the site over this repository's results."""
    with tempfile.TemporaryDirectory() as folder:
        settings = site.Settings((TOP / "results",), (TOP / "source/benchmarks",), Path(folder))
        made = pages.Pages(site.read(settings), Writer(settings.output), settings)
        made.write(site.no_progress)
        return [picture.view for picture in made.pictures]


def points(view: ChartView) -> int:
    """How many points a picture has."""
    return sum(len(line.points) for panel in view.panels for line in panel.lines)


def changed(view: ChartView, factor: float) -> ChartView:
    """The same picture with all its figures times ``factor``."""
    panels = tuple(
        replace(
            panel,
            lines=tuple(
                replace(line, points=tuple(replace(p, y=p.y * factor) for p in line.points))
                for line in panel.lines
            ),
        )
        for panel in view.panels
    )
    return replace(view, panels=panels)


def seconds(work: Callable[[], object], times: int) -> float:
    """The median time of some runs."""
    out = []
    for _ in range(times):
        start = time.perf_counter()
        work()
        out.append(time.perf_counter() - start)
    return statistics.median(out)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description="What charts cost.")
    parser.add_argument("--count", type=int, default=300, help="how many pictures to draw at once")
    count = parser.parse_args().count
    found = views()
    kinds: dict[str, ChartView] = {}
    for view in found:
        name = f"{view.kind}, {'small' if view.small else f'{len(view.panels)} panels'}"
        kinds[name] = max((kinds.get(name, view), view), key=points)
    pictures.picture(found[0], "svg")  # the first one loads the fonts
    print(f"{'one picture':<24} {'points':>7} {'SVG, ms':>9} {'PDF, ms':>9}")
    for name, view in sorted(kinds.items()):
        cost = [seconds(partial(pictures.picture, view, form), 5) for form in ("svg", "pdf")]
        print(f"{name:<24} {points(view):>7} {cost[0] * 1e3:>9.0f} {cost[1] * 1e3:>9.0f}")
    many = [
        Picture(f"guides/bench/{number}", changed(view, 1 + number / 1e6))
        for number, view in enumerate(islice(cycle(found), count))
    ]
    one_by_one = sum(seconds(partial(pictures.picture, p.view, "svg"), 1) for p in many)
    with tempfile.TemporaryDirectory() as folder:
        fresh = seconds(lambda: pictures.write(Writer(Path(folder)), many, ("svg",)), 1)
        again = seconds(lambda: pictures.write(Writer(Path(folder)), many, ("svg",)), 1)
    print(f"\n{count} pictures, {os.cpu_count()} cores")
    print(f"one after another         {one_by_one:8.2f} s")
    print(f"on all cores              {fresh:8.2f} s  {fresh / one_by_one:.2f} of that")
    print(f"again, nothing changed    {again:8.2f} s  {again / one_by_one:.3f} of that")


if __name__ == "__main__":
    main()
