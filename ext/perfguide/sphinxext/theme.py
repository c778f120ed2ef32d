"""The theme ``perfguide``: the Read the Docs theme, light in weight, in light and dark."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.builders.html import StandaloneHTMLBuilder
from sphinx.util.typing import ExtensionMetadata

from ..common.package import ROOT
from . import light_css

NAME = "perfguide"
FOLDER = ROOT / "sphinxext" / "theme"
BASE = "perfguide-base.css"

NOT_SHIPPED = (
    *("css/theme.css", "css/badge_only.css", "css/fonts", "fonts"),
    *("js/badge_only.js", "js/html5shiv.min.js", "js/html5shiv-printshiv.min.js"),
)
"""What the Read the Docs theme brings into ``_static`` and no page of ours asks for."""


def in_use(app: Sphinx) -> bool:
    """Whether the pages are written with this theme or one that stands on it."""
    builder = app.builder
    if not isinstance(builder, StandaloneHTMLBuilder) or builder.name == "epub":
        return False
    return FOLDER in _folders(builder)


def _folders(builder: StandaloneHTMLBuilder) -> list[Path]:
    return [Path(folder) for folder in builder.theme.get_theme_dirs()]


def _style(app: Sphinx) -> None:
    """Make the style sheet from the one that the installed theme has."""
    if not in_use(app):
        return
    assert isinstance(app.builder, StandaloneHTMLBuilder)
    sheets = [folder / "static" / "css" / "theme.css" for folder in _folders(app.builder)]
    whole = next(path for path in sheets if path.is_file())
    text = light_css.light(whole.read_text("utf-8"))
    text += "\n" + light_css.dark((FOLDER / "palette.css").read_text("utf-8"))
    target = Path(app.outdir, "_static", BASE)
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(text, "utf-8")


def _shed(app: Sphinx, exception: Exception | None) -> None:
    """Remove the fonts and other files that pages do not use."""
    if exception is not None or not in_use(app):
        return
    for name in NOT_SHIPPED:
        path = Path(app.outdir, "_static", name)
        shutil.rmtree(path) if path.is_dir() else path.unlink(missing_ok=True)


_REPAIRS = (
    ('<p class="caption" role="heading">', '<p class="caption" role="heading" aria-level="2">'),
    ('<nav class="contents', '<nav aria-label="Contents of this page" class="contents'),
)
"""What Sphinx and docutils write without the names and levels that a screen reader needs."""


def _repair(
    app: Sphinx, _page: str, _template: str, context: dict[str, Any], _doctree: nodes.document
) -> None:
    if "body" in context and in_use(app):
        for wrong, right in _REPAIRS:
            context["body"] = context["body"].replace(wrong, right)


def _permalinks(app: Sphinx) -> None:
    if in_use(app):
        # The Read the Docs theme sets a character of its icon font.
        app.config.html_permalinks_icon = "#"


def setup(app: Sphinx) -> ExtensionMetadata:
    """Register the theme."""
    app.add_html_theme(NAME, str(FOLDER))
    app.connect("builder-inited", _style)
    app.connect("builder-inited", _permalinks)
    app.connect("html-page-context", _repair)
    app.connect("build-finished", _shed, priority=400)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
