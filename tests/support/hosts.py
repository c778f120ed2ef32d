"""Another project that hosts generated pages, with and without the extension.

Without it, hand-written pages with the same titles and lists replace the generated pages, so that
the menus of all other pages are the same.
"""

from __future__ import annotations

import json
import pickle
import re
import shutil
from pathlib import Path

from conftest import run_sphinx
from making import plain, result
from sphinx import addnodes
from sphinx.environment import BuildEnvironment

FIGURES = "figures"
MENU = """
.. perf-toctree::
   :caption: Performance
   :title: Figures of our boards
"""
STAND_IN = f"""
.. toctree::
   :caption: Performance
   :maxdepth: 1

   Figures of our boards </{FIGURES}/guides/index>
"""
CONF = """\
project = "Vendor SDK"
author = "Vendor"
html_theme = "{theme}"
html_baseurl = "https://vendor.example/docs/"
ogp_site_url = "https://vendor.example/docs/"
ogp_social_cards = {{"enable": False}}
exclude_patterns = ["results"]
extensions = {extensions}
"""
PAGES = {
    "index": "Vendor SDK\n==========\n\n.. toctree::\n   :maxdepth: 2\n\n   {pages}\n{menu}",
    "guide": (
        "Guide\n=====\n\n.. contents::\n   :local:\n\nFirst words.\n\n"
        "Part\n----\n\nMore *words*.\n\n- one\n- two\n\nBelow\n~~~~~\n\nText.\n"
    ),
    "benchmark": "Benchmark\n=========\n\nBoth :doc:`guide` and :ref:`here <there>`.\n\nSteps\n-----\n\nGo.\n",
    "soc": "SoC\n===\n\n.. image:: picture.svg\n\n:download:`Data <data.csv>`\n\nFacts\n-----\n\nText.\n",
    "choices": (
        "Choices\n=======\n\nCompare\n-------\n\nterm\n    its meaning\n\nother\n    another one\n\n"
        ".. _there:\n\nHealth\n------\n\nText.\n"
    ),
    "tables": (
        "Tables\n======\n\n.. csv-table:: By hand\n   :header: Name, Value\n   :widths: 1, 3\n\n"
        "   *one*, ``1.0``\n   :doc:`guide`, 2\n\n"
        ".. list-table::\n   :widths: 1 1 20\n\n   * - processor\n     - 1\n     - words\n"
    ),
    "code": "Code\n====\n\n.. index:: call\n\n.. code-block:: c\n\n   int main(void);\n\n.. c:function:: int f(void)\n",
    "part/index": "Part\n====\n\n.. toctree::\n\n   first\n   second\n",
    "part/first": "First\n=====\n\n.. figure:: /picture.svg\n\n   A picture\n\n.. rubric:: Figures\n\n.. note:: A note.\n",
    "part/second": "Second\n======\n\n.. glossary::\n\n   Board\n      A board.\n\nSee :term:`Board`.\n",
}
"""Ten pages, with titles, sections and files named like some of ours."""
TOP = [name for name in PAGES if name != "index" and name not in ("part/first", "part/second")]
PICTURE = '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9" viewBox="0 0 9 9"/>\n'


def write(folder: Path, theme: str, *extensions: str) -> Path:
    """Write a host that uses the extension among others, and bundles of two guides."""
    every = ["perfguide", *extensions]
    _write_pages(folder, theme, every, MENU)
    with (folder / "conf.py").open("a", encoding="utf-8") as conf:
        conf.write(f'perfguide_output = "{FIGURES}"\n')
    (folder / "results").mkdir()
    for number, release in enumerate(("09.01", "09.02")):
        bundle = plain(result(value=float(number + 1)), id=release, sdk__version=release)
        (folder / f"results/{release}.json").write_text(json.dumps(bundle), "utf-8")
    return folder


def write_without(folder: Path, theme: str, doctrees: Path, *extensions: str) -> Path:
    """Write the same host without the extension. ``doctrees`` is the folder from a build with it,
    which the titles of the generated pages are taken from."""
    _write_pages(folder, theme, list(extensions), STAND_IN)
    env: BuildEnvironment = pickle.loads((doctrees / "environment.pickle").read_bytes())
    for name in sorted(env.all_docs):
        if name.startswith(f"{FIGURES}/"):
            # Titles in the environment are plain text; turn them back into markup.
            title = re.sub(r"([\\*`|_])", r"\\\1", env.titles[name].astext())
            orphan = ":orphan:\n\n" if "orphan" in env.metadata[name] else ""
            lists = "".join(map(_list, env.tocs[name].findall(addnodes.toctree)))
            path = folder / f"{name}.rst"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(f"{orphan}{title}\n{'=' * len(title)}\n{lists}", "utf-8")
    return folder


def _list(tree: addnodes.toctree) -> str:
    lines = (f"   {title} </{page}>" if title else f"   /{page}" for title, page in tree["entries"])
    return "\n.. toctree::\n\n" + "\n".join(lines) + "\n"


def _write_pages(folder: Path, theme: str, extensions: list[str], menu: str) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    (folder / "conf.py").write_text(CONF.format(theme=theme, extensions=extensions), "utf-8")
    (folder / "picture.svg").write_text(PICTURE, "utf-8")
    (folder / "data.csv").write_text("a,b\n1,2\n", "utf-8")
    for name, text in PAGES.items():
        if name == "index":
            text = text.format(pages="\n   ".join(TOP), menu=menu)
        (folder / f"{name}.rst").parent.mkdir(exist_ok=True)
        (folder / f"{name}.rst").write_text(text, "utf-8")


def build(project: Path, target: Path, *options: str) -> Path:
    """Build a host without warnings; return the folder of its pages."""
    done = run_sphinx(project, target, "-W", *options)
    assert done.returncode == 0, done.stderr
    return target


def files(site: Path) -> dict[str, bytes]:
    """Return all files of a site except our pages and files that list all pages."""
    lists = (
        "searchindex.js",
        "objects.inv",
        "genindex.html",
        "sitemap.xml",
        "_sources/index.rst.txt",
    )
    lists += (".buildinfo",)
    return {
        name: path.read_bytes()
        for path in site.rglob("*")
        if path.is_file()
        and not (name := path.relative_to(site).as_posix()).startswith(f"{FIGURES}/")
        and not name.startswith(f"_sources/{FIGURES}/")
        and name not in lists
    }
