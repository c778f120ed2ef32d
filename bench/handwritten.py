"""A site of ours compared with the same pages built by plain Sphinx.

Our pages are plain reStructuredText. Built with only Sphinx and sphinx-tabs they are the same as
hand-written ones: the same titles, texts and pictures, and the same tables as ``csv-table``.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path

import sites
from measuring import Cost, Figure, least

FOLDERS = ("guides", "by-benchmark", "compare", "reports", "api")
"""The generated pages, and the files to which they link, which both sides have."""
CONF = """
project = "SDK performance guides"
extensions = ["sphinx_tabs.tabs"]
numfig = True
smartquotes = False
html_theme = "sphinx_rtd_theme"
html_theme_options = {"navigation_depth": 3, "titles_only": True}
html_show_sourcelink = False
exclude_patterns = ["source/benchmarks", "build"]
"""


def write(ours: Path, folder: Path) -> int:
    """Copy the pages of ``ours`` into a project without perfguide; return their number."""
    folder.mkdir(parents=True)
    (folder / "conf.py").write_text(CONF, "utf-8")
    (folder / "index.rst").write_text(sites.INDEX, "utf-8")
    for name in FOLDERS:
        if (ours / "source" / name).is_dir():
            shutil.copytree(ours / "source" / name, folder / "source" / name)
    return sum(1 for _ in (folder / "source").rglob("*.rst"))


def compared(guides: int, results: int, turns: int) -> tuple[int, Cost, Cost]:
    """Return the number of pages and the costs of the plain and of our build, measured in turns."""
    with tempfile.TemporaryDirectory() as given:
        ours, hand = Path(given, "ours"), Path(given, "hand")
        sites.project(ours, guides, guides, results)
        sites.drawn(ours)
        count = write(ours, hand)
        costs: tuple[list[Cost], list[Cost]] = ([], [])
        for _ in range(turns):
            # In turns, because the machine is faster or slower for minutes.
            for folder, taken in zip((hand, ours), costs, strict=True):
                sites.forget(folder)
                taken.append(sites.sphinx(folder))
        return count, least(costs[0]), least(costs[1])


def figures(sizes: Sequence[int], results: int, turns: int, judged: int = 200) -> list[Figure]:
    """Compare time and memory with plain pages; sizes from ``judged`` guides on have a goal."""
    out = []
    for guides in sizes:
        pages, hand, ours = compared(guides, results, turns)
        size = f"{guides} guides of {results} results, {pages} pages"
        time, memory = (0.4, 1.0) if guides >= judged else (None, None)
        out += [
            Figure("Pages by hand: CPU", size, hand.cpu, "s"),
            Figure("Our pages, from bundles: CPU", size, ours.cpu, "s"),
            Figure("Our pages, to those by hand", size, ours.cpu / hand.cpu, "times", time),
            Figure(
                "Memory of our pages, to those by hand",
                size,
                ours.memory / hand.memory,
                "times",
                memory,
            ),
        ]
    return out
