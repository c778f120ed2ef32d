"""What charts cost: one of each kind, and many drawn on all cores.

Part of ``make bench``; alone: ``build/env/bin/python bench/charts.py``. The pictures are those of this
repository's results, each drawn once more with all figures a little changed until
there are enough different ones.
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
SLACK = 1.5
"""All cores may take so many times their share: processes have to start."""
ENOUGH = 2000
"""With fewer pictures, the start of the processes counts for more than drawing."""


def pictures(results: Path) -> list[Picture]:
    """The pictures of the site over some results; none is drawn."""
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
    """The charts of the site over this repository's results."""
    found = (picture.view for picture in pictures(TOP / "results"))
    return [view for view in found if isinstance(view, ChartView)]


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


def milliseconds(work: Callable[[], object], times: int) -> float:
    """The median CPU time of some runs in this process."""
    out = []
    for _ in range(times):
        start = time.process_time()
        work()
        out.append(time.process_time() - start)
    return statistics.median(out) * 1e3


def clock(work: Callable[[], object]) -> float:
    """The time on the clock."""
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def each(found: Sequence[ChartView], times: int) -> list[Figure]:
    """What the largest picture of each kind costs."""
    kinds: dict[str, ChartView] = {}
    for view in found:
        name = f"{view.kind}, {'small' if view.small else f'{len(view.panels)} panels'}"
        kinds[name] = max((kinds.get(name, view), view), key=points)
    drawing.draw((found[0], "svg"))  # the first one loads the fonts
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


def together(found: Sequence[ChartView], count: int, turns: int) -> list[Figure]:
    """All cores against one, on the clock, and what is left where nothing changed; both are
    measured in turns, and the least of each counts."""
    many = [
        Picture(f"guides/bench/{number}", changed(view, 1 + number / 1e6))
        for number, view in enumerate(islice(cycle(found), count))
    ]
    drawing.draw((found[0], "svg"))
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
    most = SLACK / cores if cores > 1 and count >= ENOUGH else None
    return [
        Figure(
            "Charts on all cores, to one after another", size, fresh / one_by_one, "times", most
        ),
        Figure("Charts that are drawn already, to drawing them", size, again / one_by_one, "times"),
    ]


def figures(count: int, times: int) -> list[Figure]:
    """What charts cost: one of each kind ``times`` times, and ``count`` on all cores."""
    found = views()
    return [*each(found, times), *together(found, count, times)]


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description="What charts cost.")
    parser.add_argument(
        "--count", type=int, default=ENOUGH, help="how many pictures to draw at once"
    )
    for figure in figures(parser.parse_args().count, 5):
        print(figure)


if __name__ == "__main__":
    main()
