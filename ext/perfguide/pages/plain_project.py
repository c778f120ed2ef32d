"""The export of pages as a project for plain Sphinx with its Read the Docs theme and
sphinx-tabs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from ..charts.gallery import FORMATS
from ..common.diagnostics import visible
from ..figures.dataset import Settings
from . import write_files
from .build import Outcome

FIRST_LINE = "# Exported by perfguide, which updates the pages beside this file."
"""The first line of ``conf.py``, by which an earlier export is recognised."""

CONF = f"""{FIRST_LINE}
project = "Performance guides"
extensions = ["sphinx_rtd_theme", "sphinx_tabs.tabs"]
exclude_patterns = ["_build"]
html_theme = "sphinx_rtd_theme"
html_show_copyright = False
latex_engine = "xelatex"
smartquotes = False
"""

INDEX = """Performance guides
==================

.. toctree::
   :maxdepth: 2
   :glob:

   guides/index
   */index
"""

IGNORE = "/_build/\n"
"""The ``.gitignore``. It does not list the pages, as they may be meant for a repository."""

REQUIREMENTS = "sphinx\nsphinx-rtd-theme\nsphinx-tabs\n"

PARSING = "[restructuredtext parser]\nraw_enabled: no\n"
"""Docutils settings: text mistaken for markup cannot become a script."""

OWN_FILES = {
    "conf.py": CONF,
    "docutils.conf": PARSING,
    "index.rst": INDEX,
    "requirements.txt": REQUIREMENTS,
    write_files.GITIGNORE: IGNORE,
}
"""Files that are only written if missing, as people may have edited them."""


def refusal(folder: Path) -> str:
    """Return why pages cannot be written into a folder, or an empty string."""
    name = visible(str(folder))
    if not folder.exists():
        return ""
    if not folder.is_dir():
        return f"{name} is a file; name a new or empty folder"
    try:
        is_export = (folder / "conf.py").read_text("utf-8", "replace").startswith(FIRST_LINE)
    except FileNotFoundError:
        # An empty folder is as good as a new one.
        is_export = not any(folder.iterdir())
    message = "has other files and is left alone; name a new or empty folder"
    return "" if is_export else f"{name} {message}"


def write(folder: Path, settings: Settings, generate: Callable[[Settings], Outcome]) -> Outcome:
    """Write the pages, with pictures for every builder, and the files of a Sphinx project."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in OWN_FILES.items():
        if not (folder / name).exists():
            (folder / name).write_text(text, "utf-8")
    return generate(replace(settings, output=folder, formats=FORMATS))
