"""A site of ours against the same pages written by hand and built by plain Sphinx.

What a person would have written is made from our pages: the same titles, texts, pictures
and tables, these as ``csv-table`` over CSV files with the same cells. It leaves out what plain
Sphinx has not, so that it has less to do than our pages.
"""

from __future__ import annotations

import csv
import io
import json
import re
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

import sites
from measuring import Cost, Figure, least

from perfguide.common import rst_text, units
from perfguide.tables import grids

FOLDERS = ("guides", "by-benchmark", "compare", "reports")
"""The generated pages that both sides have."""
CONF = """
project = "SDK performance guides"
numfig = True
smartquotes = False
html_theme = "sphinx_rtd_theme"
html_theme_options = {"navigation_depth": 3, "titles_only": True}
html_show_sourcelink = False
exclude_patterns = ["source/benchmarks", "build"]
"""
_DIRECTIVE = re.compile(r"( *)\.\. (perf-[a-z-]+)::[ ]?(.*)")
_ROLE = re.compile(r":perf-(text|term):`([^`]*?)(?: <[^`>]*>)?`")
_DOWNLOAD = re.compile(r":download:`[^`]*<([^>`]*)>`")
_SPECIAL = re.compile(r"([\\*`|_])")


def write(ours: Path, folder: Path) -> int:
    """Write the pages of ``ours`` by hand, so to speak; how many there are."""
    (folder / "source" / "benchmarks").mkdir(parents=True)
    (folder / "conf.py").write_text(CONF, "utf-8")
    (folder / "index.rst").write_text(sites.INDEX, "utf-8")
    for prose in (ours / "source" / "benchmarks").glob("*.rst"):
        text = _plain(prose.read_text("utf-8"), prose.parent, folder)
        (folder / "source" / "benchmarks" / prose.name).write_text(text, "utf-8")
    count = 0
    for page in _pages(ours):
        target = folder / page.relative_to(ours)
        target.parent.mkdir(parents=True, exist_ok=True)
        text = page.read_text("utf-8")
        target.write_text(_plain(text, page.parent, target.parent), "utf-8")
        for name in _DOWNLOAD.findall(text):
            _copy(page.parent / name, target.parent / name)
        count += 1
    return count


def _pages(ours: Path) -> Iterator[Path]:
    for name in FOLDERS:
        yield from sorted((ours / "source" / name).rglob("*.rst"))


def _plain(text: str, here: Path, there: Path) -> str:
    """The source of a page in what plain Sphinx knows."""
    out: list[str] = []
    lines = iter(_ROLE.sub(_word, text).splitlines())
    line = next(lines, None)
    while line is not None:
        found = _DIRECTIVE.fullmatch(line)
        if found is None:
            out.append(line)
            line = next(lines, None)
            continue
        indent, name, argument = found[1], found[2], found[3]
        block: list[str] = []
        line = next(lines, None)
        fold = name == "perf-fold"
        while not fold and line is not None and (not line or line.startswith(f"{indent} ")):
            block.append(line.strip())
            line = next(lines, None)
        options = dict(re.findall(r"^:([a-z-]+): *(.*)$", "\n".join(block), re.MULTILINE))
        if fold:
            out += [f"{indent}.. container:: fold", ""]
        elif name == "perf-table":
            file = options["file"].removesuffix(grids.FILE) + ".csv"
            levels = _table(here / options["file"], there / file)
            kept = {"file": file, "header-rows": levels, "name": options.get("name")}
            out += [f"{indent}.. csv-table:: {argument}"]
            out += [f"{indent}   :{key}: {value}" for key, value in kept.items() if value]
        elif name == "perf-prose":
            out += [f"{indent}.. include:: /source/benchmarks/{argument}.rst"]
        elif name == "perf-chart":
            out += [f"{indent}{line}" for line in _figures(here, there, options["file"], argument)]
        out.append("")
    return "\n".join(out) + "\n"


def _word(found: re.Match[str]) -> str:
    return _escaped(rst_text.decoded(found[2]) if found[1] == "text" else found[2])


def _escaped(text: str) -> str:
    return _SPECIAL.sub(r"\\\1", text)


def _table(ours: Path, target: Path) -> int:
    """The same cells, with the escapes that a person writes where text is not markup; the
    number of the head's rows."""
    out = io.StringIO()
    table = grids.from_file(ours.read_bytes())
    shown = ([_escaped(units.whole(c)) for c in row] for row in (*table.header, *table.rows))
    csv.writer(out, lineterminator="\n").writerows(shown)
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(out.getvalue(), "utf-8")
    return len(table.header)


def _copy(file: Path, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copy(file, target)


def _figures(here: Path, there: Path, file: str, title: str) -> Iterator[str]:
    """The pictures of a chart."""
    for picture in json.loads((here / file).read_bytes())["pictures"]:
        name = picture["file"].replace("*", "svg")
        _copy(here / name, there / name)
        yield f".. figure:: {name}"
        yield f"   :alt: {picture['alt']}"
        yield ""
        yield f"   {title}"
        yield ""


def compared(guides: int, results: int, turns: int) -> tuple[int, Cost, Cost]:
    """The pages, and what they cost by hand and by us, in turns."""
    with tempfile.TemporaryDirectory() as given:
        ours, hand = Path(given, "ours"), Path(given, "hand")
        sites.project(ours, guides, guides, results)
        sites.drawn(ours)
        count = write(ours, hand)
        costs: tuple[list[Cost], list[Cost]] = ([], [])
        for _ in range(turns):
            for folder, taken in zip((hand, ours), costs, strict=True):
                sites.forget(folder)
                taken.append(sites.sphinx(folder))
        return count, least(costs[0]), least(costs[1])


def figures(sizes: Sequence[int], results: int, turns: int, judged: int = 200) -> list[Figure]:
    """Time and memory against pages written by hand; from ``judged`` guides on they count."""
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
