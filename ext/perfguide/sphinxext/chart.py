"""The ``perf-chart`` directive: charts of tables on hand-written pages."""

from __future__ import annotations

import csv
from pathlib import Path, PurePath
from typing import Any, ClassVar, get_args

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.util.docutils import SphinxDirective
from sphinx.util.typing import OptionSpec

from ..catalog.chart_spec import Kind
from ..charts import from_csv, gallery
from . import internals
from .config import page_name, picture_formats, warn_at
from .file_links import download
from .pictures import perf_picture

FORMATS_KEY = "perfguide_formats"
"""The attribute of the environment that holds the picture formats of this build."""

TABLE_OPTIONS = ("x", "lines", "y-label", "kind", "x-scale", "y-scale")
"""Options passed on to :func:`from_csv.view`."""


def _names(argument: str) -> tuple[str, ...]:
    """Return column names that were written as a row of CSV."""
    (row,) = csv.reader([argument], skipinitialspace=True)
    return tuple(name.strip() for name in row)


def _choice(*allowed: str) -> Any:
    return lambda argument: directives.choice(argument, allowed)


class PerfChart(SphinxDirective):
    """A chart of a CSV file (``data``) or of CSV text in the directive."""

    required_arguments = 1
    final_argument_whitespace = True
    has_content = True
    option_spec: ClassVar[OptionSpec] = {
        "name": directives.unchanged,
        "data": directives.path,
        "x": directives.unchanged,
        "lines": _names,
        "y-label": directives.unchanged,
        "kind": _choice(*get_args(Kind)),
        "x-scale": _choice("linear", "log2"),
        "y-scale": _choice("linear", "log"),
        "alt": directives.unchanged,
    }

    def run(self) -> list[nodes.Node]:
        """Return the chart and its download link."""
        if bool(self.content) == ("data" in self.options):
            hint = "give one of: content, “data”"
            message = "needs just one source of figures"
            return warn_at(self, "chart", self.env.docname, message, hint)
        name, text = self.get_source_info()[0], "\n".join(self.content)
        if "data" in self.options:
            name, path = self.env.relfn2path(self.options["data"])
            try:
                # Spreadsheets start files with a byte order mark.
                text = Path(path).read_bytes().decode("utf-8-sig")
            except (OSError, UnicodeDecodeError) as error:
                message = f"cannot be read: {error}"
                return warn_at(self, "chart", name, message, "check the path")
            self.env.note_dependency(name)
        try:
            stated = {
                n.replace("-", "_"): self.options[n] for n in TABLE_OPTIONS if n in self.options
            }
            view = from_csv.view(text, self.arguments[0], **stated)
            folder = page_name(self.config.perfguide_output, gallery.DRAWN)
            formats = vars(self.env)[FORMATS_KEY]
            stem = gallery.draw_own(Path(self.env.srcdir, folder), view, formats)
        except from_csv.TableFault as fault:
            return warn_at(self, "chart", name, str(fault), fault.hint)
        except csv.Error as error:
            message = f"cannot be read: {error}"
            return warn_at(self, "chart", name, message, "check the quotes")
        alt = self.options.get("alt") or view.text()
        return self._figure(f"/{folder}/{stem}", alt, f"{folder}/{stem}{gallery.DATA}")

    def _figure(self, stem: str, alt: str, data: str) -> list[nodes.Node]:
        figure = nodes.figure(classes=["perf-chart"])
        self.set_source_info(figure)
        # Sphinx picks the format that the builder supports.
        image = nodes.image(uri=f"{stem}.*", alt=alt)
        size = gallery.size(Path(f"{self.env.relfn2path(stem)[1]}.svg"))
        figure += perf_picture("", image, label="", size=size)
        inline, messages = self.state.inline_text(self.arguments[0], self.lineno)
        figure += nodes.caption(self.arguments[0], "", *inline)
        self.add_name(figure)
        line = download(self.env.docname, {data: "Data of this chart (CSV)"})
        return [figure, *messages, line]


def _note_formats(app: Sphinx) -> None:
    """Note the picture formats of this build for the processes that read pages."""
    vars(app.env)[FORMATS_KEY] = picture_formats(app)


def _prune(_app: Sphinx, env: BuildEnvironment) -> None:
    """Remove pictures that are no longer on any page."""
    below = page_name(env.config.perfguide_output, gallery.DRAWN)
    folder = Path(env.srcdir, below)
    if not folder.is_dir():
        return
    used = {
        PurePath(name).stem
        for name in (*env.images, *internals.downloads(env))
        if name.startswith(f"{below}/")
    }
    for path in folder.iterdir():
        if path.stem not in used:
            path.unlink()


def setup(app: Sphinx) -> None:
    """Register the directive."""
    app.add_directive("perf-chart", PerfChart)
    app.connect("builder-inited", _note_formats)
    # By then all pages have been read, so it is known which pictures they use.
    app.connect("env-check-consistency", _prune)
