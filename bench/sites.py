"""Projects with synthetic archives, and Sphinx builds of them."""

from __future__ import annotations

import shutil
from pathlib import Path
from unittest.mock import patch

import synthetic
from measuring import TOP, Cost, apart, ran

from perfguide.charts import gallery
from perfguide.charts.model import PictureView
from perfguide.common import parallel
from perfguide.figures import dataset
from perfguide.pages import build

INDEX = """
Performance guides
==================

.. toctree::
   :maxdepth: 1

   source/guides/index
   source/by-benchmark/index
   source/compare/index
   source/reports/index
"""
JOBS = "2"
ARCHIVE = "results/archive"
"""The folder of a project's bundles."""
DRAWN = "drawn"
"""The folder with the state of a build that has drawn all charts but made no site."""


def project(folder: Path, bundles: int, guides: int, results: int) -> Path:
    """Make a project with our configuration and benchmark descriptions, another archive, and none
    of our pages except the glossary, which the descriptions refer to."""
    (folder / "source").mkdir(parents=True)
    shutil.copy(TOP / "conf.py", folder / "conf.py")
    shutil.copy(TOP / "source" / "glossary.rst", folder / "source" / "glossary.rst")
    shutil.copytree(TOP / "source" / "benchmarks", folder / "source" / "benchmarks")
    (folder / "index.rst").write_text(f"{INDEX}   source/glossary\n", "utf-8")
    synthetic.write(folder / ARCHIVE, bundles, guides, results)
    return folder


def settings(folder: Path) -> dataset.Settings:
    """Return the settings of a project."""
    source, cache = folder / "source", folder / "build" / "cache"
    return dataset.Settings((folder / "results",), (source / "benchmarks",), source, cache=cache)


def drawn(folder: Path) -> int:
    """Write all pages of a project with their charts; return the number of charts.

    One picture is drawn and used for all, because drawing each would take longer than everything
    that is measured; a build only checks and copies them. Their hashes are those that the build
    expects.
    """
    count = int(apart(_drawn, folder))
    shutil.copytree(folder / "build", folder / DRAWN)
    return count


def _drawn(folder: Path) -> int:
    count = 0
    pictures: dict[str, bytes | gallery.Undrawn] = {}
    draw = gallery.draw_one

    def first_of_form(view: PictureView, form: str) -> bytes | gallery.Undrawn:
        nonlocal count
        count += 1
        if form not in pictures:
            pictures[form] = draw(view, form)
        return pictures[form]

    with patch.object(gallery, "draw_one", first_of_form):
        # In this process, since only here is the drawing replaced.
        build.generate(settings(folder), run=parallel.here)
    return count


def sphinx(folder: Path, *options: str, jobs: str = JOBS) -> Cost:
    """Build a project's site in ``build/html``."""
    where = ["-d", "build/doctrees", "-j", jobs, ".", "build/html"]
    return ran(["-m", "sphinx", "-q", *options, *where], folder)


def built(folder: Path) -> Cost:
    """Build a project's site as ``make html`` does: separately, and swapped in when complete."""
    return ran(["-m", "perfguide", "build", "--jobs", JOBS, "--", "-q"], folder)


def forget(folder: Path) -> None:
    """Remove the output of a build except generated pages and charts."""
    shutil.rmtree(folder / "build", ignore_errors=True)
    if (folder / DRAWN).exists():
        shutil.copytree(folder / DRAWN, folder / "build")
