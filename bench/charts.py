"""The cost of charts: one of each kind, and many drawn on all cores.

Part of ``make bench``; alone: ``build/env/bin/python bench/charts.py``. The pictures are those of
this repository's results, repeated with slightly changed figures until there are enough different
ones.
"""

from __future__ import annotations

import argparse
import os
import statistics
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from itertools import cycle, islice
from pathlib import Path

from measuring import Figure

from perfguide.catalog import board_names
from perfguide.charts import drawing
from perfguide.charts.gallery import Gallery, Picture
from perfguide.charts.model import ChartView
from perfguide.common.timing import no_mark
from perfguide.figures import dataset
from perfguide.pages import build, compare, context
from perfguide.pages.keeping import Keeping
from perfguide.publishing.output_folder import Writer

TOP = Path(__file__).resolve().parents[1]
MAX_PARALLEL_RATIO = 1.5
"""Time on all cores as a multiple of an ideal share: processes have to start."""
MIN_PICTURES = 200
"""With fewer pictures, starting processes takes longer than drawing."""


def pictures(results: Path) -> list[Picture]:
    """Return the pictures of the site over some results, without drawing them."""
    with tempfile.TemporaryDirectory() as folder:
        settings = dataset.Settings((results,), (TOP / "source/benchmarks",), Path(folder))
        writer = Writer(settings.output)
        holdings = dataset.read(settings)
        boards, _ = board_names.load(settings.boards)
        kept = Keeping(writer)
        site = context.site_of(holdings, (), boards, writer, kept, settings.limits)
        plan = compare.plan(site, settings)
        build.write_pages(site, plan, dataset.no_progress, no_mark, lambda: None)
        for write in build.pages_of_benchmarks(site):
            write()
        return [picture for picture in site.pictures if isinstance(picture, Picture)]


def views() -> list[ChartView]:
    """Return the charts of the site over this repository's results."""
    all_views = (picture.view for picture in pictures(TOP / "results"))
    return [view for view in all_views if isinstance(view, ChartView)]


def points(view: ChartView) -> int:
    """Return the number of points of a picture."""
    return sum(len(line.points) for panel in view.panels for line in panel.lines)


def changed(view: ChartView, factor: float) -> ChartView:
    """Return the same picture with all figures multiplied by ``factor``."""
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


def milliseconds(work: Callable[[], object], times: int) -> float:
    """Return the median CPU time of some runs in this process."""
    out = []
    for _ in range(times):
        start = time.process_time()
        work()
        out.append(time.process_time() - start)
    return statistics.median(out) * 1e3


def clock(work: Callable[[], object]) -> float:
    """Return the elapsed time of some work in seconds."""
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def each(all_views: Sequence[ChartView], times: int) -> list[Figure]:
    """Measure the largest picture of each kind."""
    kinds: dict[str, ChartView] = {}
    for view in all_views:
        name = f"{view.kind}, {'small' if view.small else f'{len(view.panels)} panels'}"
        kinds[name] = max((kinds.get(name, view), view), key=points)
    drawing.draw((all_views[0], "svg"))  # the first one loads the fonts
    return [
        Figure(
            f"A chart as {form.upper()}: {name}",
            f"{points(view)} points",
            milliseconds(partial(drawing.draw, (view, form)), times),
            "ms",
        )
        for name, view in sorted(kinds.items())
        for form in ("svg", "pdf")
    ]


def _written(folder: Path, many: Sequence[Picture]) -> int:
    with Gallery(Writer(folder), [*many], ("svg",)) as gallery:
        return gallery.finish()


def together(all_views: Sequence[ChartView], count: int, turns: int) -> list[Figure]:
    """Compare elapsed times on all cores and on one, and with all pictures kept; measured in turns,
    keeping the least of each."""
    many = [
        Picture(f"guides/bench/{number}", changed(view, 1 + number / 1e6))
        for number, view in enumerate(islice(cycle(all_views), count))
    ]
    drawing.draw((all_views[0], "svg"))
    times = []
    for _ in range(turns):
        one_by_one = clock(lambda: [drawing.draw((p.view, "svg")) for p in many])
        with tempfile.TemporaryDirectory() as given:
            folder = Path(given)
            work = partial(_written, folder, many)
            times.append((one_by_one, clock(work), clock(work)))
    one_by_one, fresh, again = map(min, zip(*times, strict=True))
    cores = os.cpu_count() or 1
    size = f"{count} charts, {cores} cores"
    most = MAX_PARALLEL_RATIO / cores if cores > 1 and count >= MIN_PICTURES else None
    return [
        Figure(
            "Charts on all cores, to one after another", size, fresh / one_by_one, "times", most
        ),
        Figure("Charts that are drawn already, to drawing them", size, again / one_by_one, "times"),
    ]


def figures(count: int, times: int) -> list[Figure]:
    """Measure charts: one of each kind ``times`` times, and ``count`` on all cores."""
    all_views = views()
    return [*each(all_views, times), *together(all_views, count, times)]


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description="What charts cost.")
    parser.add_argument(
        "--count", type=int, default=MIN_PICTURES, help="how many pictures to draw at once"
    )
    for figure in figures(parser.parse_args().count, 5):
        print(figure)


if __name__ == "__main__":
    main()
