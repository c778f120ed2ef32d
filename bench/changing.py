"""The cost of one new bundle in a large archive, and of a build without changes."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import sites
import synthetic
from measuring import Cost, Figure, least, ran

EMPTY = """
extensions = ["sphinx_rtd_theme"]
html_theme = "sphinx_rtd_theme"
"""


def start(folder: Path, turns: int) -> Cost:
    """Measure Sphinx's own start: a site of one page with the theme and nothing to do."""
    folder.mkdir()
    (folder / "conf.py").write_text(EMPTY, "utf-8")
    (folder / "index.rst").write_text("A page\n======\n", "utf-8")
    command = ["-m", "sphinx", "-q", "-d", "build/doctrees", "-j", sites.JOBS, ".", "build/html"]
    # The first build has everything to do.
    return least([ran(command, folder) for _ in range(turns + 1)][1:])


@dataclass(frozen=True, slots=True)
class Costs:
    """The cost of builds: Sphinx's own start, everything, nothing changed, one new bundle after a
    clean build, and one after an incremental build."""

    own: Cost
    whole: Cost
    same: Cost
    first: Cost
    new: Cost


def costs(bundles: int, guides: int, results: int, turns: int) -> Costs:
    """Measure builds in turns and keep the least of each."""
    with tempfile.TemporaryDirectory() as given:
        top = Path(given)
        own = start(top / "empty", turns)
        folder = sites.project(top / "site", bundles, guides, results)
        sites.drawn(folder)
        whole = sites.built(folder)
        same, new = [], []
        for turn in range(turns + 1):
            same.append(sites.built(folder))
            # The last bundle of an archive with one more is the new one.
            *_, (name, bundle) = synthetic.bundles(bundles + turn + 1, guides, results)
            (folder / "results" / name).write_text(json.dumps(bundle), "utf-8")
            new.append(sites.built(folder))
        # A build that made nothing would look fast.
        if not (folder / "build" / "html" / "index.html").exists():
            raise RuntimeError("there is no site")
        return Costs(own, whole, least(same), new[0], least(new[1:]))


def figures(sizes: Sequence[tuple[int, int]], results: int, turns: int) -> list[Figure]:
    """Return the figures for each size: a number of bundles and one of guides."""
    out = []
    for bundles, guides in sizes:
        costs_of_size = costs(bundles, guides, results, turns)
        own, new = costs_of_size.own, costs_of_size.new
        size = f"{bundles} bundles of {results} results, {guides} guides"
        out += [
            Figure("The whole site, charts drawn: CPU", size, costs_of_size.whole.cpu, "s"),
            Figure(
                "One new bundle, on the clock, beyond Sphinx's own start",
                size,
                new.clock - own.clock,
                "s",
                5.0,
            ),
            Figure("One new bundle: CPU, beyond the same", size, new.cpu - own.cpu, "s"),
            Figure(
                "One new bundle, the first upon a clean build: on the clock, beyond the same",
                size,
                costs_of_size.first.clock - own.clock,
                "s",
            ),
            Figure(
                "Nothing changed, beyond Sphinx's own start",
                size,
                costs_of_size.same.cpu - own.cpu,
                "s",
                1.0,
            ),
        ]
    return out
