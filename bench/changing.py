"""The cost of a site, of one new bundle and of a build without changes, compared with plain
Sphinx."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Sequence
from pathlib import Path

import publishing
import sites
import synthetic
from measuring import Figure, least

MIN_JUDGED_BUNDLES = 100
"""The cost of smaller archives is mostly Python's startup, so they have no goals."""


def figures(sizes: Sequence[tuple[int, int]], results: int, turns: int) -> list[Figure]:
    """Return the figures for each size: a number of bundles and one of guides."""
    out = []
    for bundles, guides in sizes:
        with tempfile.TemporaryDirectory() as given:
            folder = sites.project(Path(given, "site"), bundles, guides, results)
            sites.drawn(folder)
            first = sites.built(folder).cpu
            same, new = [], []
            for turn in range(turns):
                same.append(sites.built(folder))
                # The last bundle of an archive that has one more is the new one.
                *_, (name, bundle) = synthetic.bundles(bundles + turn + 1, guides, results)
                (folder / sites.ARCHIVE / name).write_text(json.dumps(bundle), "utf-8")
                new.append(sites.built(folder))
            # A build that made nothing would look fast.
            if not (folder / "build" / "html" / "index.html").exists():
                raise RuntimeError("there is no site")
            plain = publishing.plain(folder, Path(given, "plain")).cpu
        size = f"{bundles} bundles of {results} results, {guides} guides"
        goals = (2.0, 0.3, 3.5) if bundles >= MIN_JUDGED_BUNDLES else (None, None, None)
        out += [
            Figure("The same pages by plain Sphinx: CPU", size, plain, "s"),
            Figure("The site, charts drawn: CPU", size, first, "s"),
            Figure("Nothing changed: CPU", size, least(same).cpu, "s", goals[0]),
            Figure(
                "One new bundle, to plain Sphinx", size, least(new).cpu / plain, "times", goals[1]
            ),
            Figure("The site, to plain Sphinx", size, first / plain, "times", goals[2]),
        ]
    return out
