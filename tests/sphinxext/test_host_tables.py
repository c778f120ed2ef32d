"""The csv-tables of a project's own pages stay as Sphinx makes them, beside generated pages."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import run_sphinx

PAGE = """
Tables of our own
=================

.. |name| replace:: a substitution

.. csv-table:: From a *file*
   :file: own.csv
   :header-rows: 1
   :stub-columns: 1
   :widths: 10 20 70
   :class: ours
   :name: our-table

.. csv-table:: From an address
   :url: {url}
   :header: "One", "Two", "Three"
   :align: right
   :width: 80%

.. csv-table:: With other signs
   :delim: ;
   :quote: '
   :escape: \\
   :keepspace:
   :widths: auto

   ';'; `a link <https://example.org/>`_;|name|
   **strong**; :ref:`our-table`; .. note:: a note

.. csv-table::
   :file: own.csv
   :encoding: utf-8

See :numref:`our-table`.
"""

NAMES = ("index.html", "index.txt", "host.tex", "index.pseudoxml")

ROWS = 'Key,*Markup*,``Code``\na,:doc:`index`,1 †\nb,\\*plain\\*,"- one\n- two"\n'


def _host(folder: Path, conf: str) -> Path:
    folder.mkdir(parents=True)
    (folder / "own.csv").write_text(ROWS, "utf-8")
    address = (folder.parent / "shared.csv").resolve()
    address.write_text("1,*2*,3\n", "utf-8")
    (folder / "conf.py").write_text(
        f"project = 'Host'\nnumfig = True\nhtml_last_updated_fmt = None\n{conf}", "utf-8"
    )
    (folder / "index.rst").write_text(PAGE.format(url=address.as_uri()), "utf-8")
    return folder


@pytest.mark.parametrize("builder", ["html", "text", "latex", "pseudoxml"])
def test_pages_of_the_host_are_the_same_with_and_without_the_extension(
    tmp_path: Path, write_bundle: Callable[..., Path], builder: str
) -> None:
    bare = _host(tmp_path / "bare/host", "")
    guest = _host(tmp_path / "guest/host", "extensions = ['perfguide']\n")
    write_bundle(guest / "results/a.json")
    pages = []
    for project in (bare, guest):
        target = project.parent / "built"
        run = run_sphinx(project, target, "-b", builder)
        assert run.returncode == 0, run.stderr
        assert "csv-table" not in run.stderr
        (page,) = [target / name for name in NAMES if (target / name).is_file()]
        pages.append(page.read_text("utf-8").replace(f"{project}/", ""))
    assert (guest / "source/guides/SOC1/linux/09.02.rst").is_file()
    without, with_it = pages
    assert "a substitution" in without and "Two" in without
    assert with_it == without
