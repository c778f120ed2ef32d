"""The cost of charts: one of each kind, and many that have been drawn before.

Part of ``make bench``; on its own: ``build/env/bin/python bench/charts.py``. The pictures are those
of this repository's results, repeated with slightly changed figures until there are enough
different ones.
"""

from __future__ import annotations

import argparse
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
from perfguide.charts import gallery
from perfguide.charts.gallery import Picture, draw_all
from perfguide.charts.model import ChartView
from perfguide.figures import dataset
from perfguide.health import report
from perfguide.pages import build, context, soc_pages
from perfguide.publishing.output_folder import Writer

TOP = Path(__file__).resolve().parents[1]
PICTURES = 200
"""The number of pictures to draw."""


def pictures(results: Path) -> list[Picture]:
    """Return the pictures of the pages of SoCs, without drawing them."""
    out: list[Picture] = []
    for folder in sorted(path for path in results.iterdir() if path.is_dir()):
        with tempfile.TemporaryDirectory() as output:
            settings = dataset.Settings((folder,), (TOP / "source/benchmarks",), Path(output))
            holdings = dataset.read(settings)
            boards, _ = board_names.load(settings.boards)
            making, guides = context.Making(Writer(settings.output)), holdings.pool.guides()
            plan = build.plan_of(holdings.ledger, holdings.catalog)
            site = context.site_of(holdings, guides, plan, (), boards, making, settings.limits)
            soc_pages.write(site, guides[0].soc, settings, report.check_part(holdings, None))
            out += making.pictures
    return out


def views() -> list[ChartView]:
    """Return the charts of the site made from this repository's results."""
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
    gallery.draw_one(all_views[0], "svg")  # the first drawing loads the fonts
    return [
        Figure(
            f"A chart as {form.upper()}: {name}",
            f"{points(view)} points",
            milliseconds(partial(gallery.draw_one, view, form), times),
            "ms",
        )
        for name, view in sorted(kinds.items())
        for form in ("svg", "pdf")
    ]


def drawn_again(all_views: Sequence[ChartView], count: int, turns: int) -> list[Figure]:
    """Compare the time for pictures that are already drawn with that for drawing them. Of several
    turns, the least time counts."""
    many = [
        # Make each slightly different, because equal pictures might share work.
        Picture(f"guides/bench/{number}", changed(view, 1 + number / 1e6))
        for number, view in enumerate(islice(cycle(all_views), count))
    ]
    # Load the fonts before measuring.
    gallery.draw_one(all_views[0], "svg")
    times = []
    for _ in range(turns):
        with tempfile.TemporaryDirectory() as given:
            looks: dict[str, str] = {}

            def draw(folder: Path = Path(given), looks: dict[str, str] = looks) -> None:
                looks.update(draw_all(Writer(folder), many, ("svg",), looks).looks)

            # The second call finds what the first has drawn.
            times.append((clock(draw), clock(draw)))
    # Other work on the machine can only add to a time, so the least is closest to the truth.
    fresh, again = map(min, zip(*times, strict=True))
    size = f"{count} charts"
    return [Figure("Charts that are drawn already, to drawing them", size, again / fresh, "times")]


def figures(count: int, times: int) -> list[Figure]:
    """Measure charts: one of each kind ``times`` times, and ``count`` that are drawn already."""
    all_views = views()
    return [*each(all_views, times), *drawn_again(all_views, count, times)]


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description="Measure the cost of charts.")
    parser.add_argument(
        "--count", type=int, default=PICTURES, help="how many pictures to draw at once"
    )
    for figure in figures(parser.parse_args().count, 5):
        print(figure)


if __name__ == "__main__":
    main()
