"""Pages that work under a strict Content-Security-Policy, and say so themselves."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from docutils import nodes
from jinja2.ext import Extension
from sphinx.application import Sphinx
from sphinx.builders.html import StandaloneHTMLBuilder
from sphinx.util.typing import ExtensionMetadata

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; style-src-attr 'unsafe-inline'; "
    "img-src 'self' data:; font-src 'self' data:; connect-src 'self'; form-action 'self'; "
    "base-uri 'none'"
)
"""What a page may load and run: files of its own site, no script in the page itself.

Style attributes are allowed because docutils writes the widths of columns and
images as such; they can load nothing that the other words do not allow.
"""

_INLINE = re.compile(r"<script\b(?![^>]*\bsrc=)[^>]*>.*?</script>", re.DOTALL | re.IGNORECASE)

_FILES = {
    "layout.html": (
        "<script src=\"{{ pathto('_static/perfguide-page.js', resource=True) }}\" "
        "data-sticky=\"{{ 'true' if theme_sticky_navigation|tobool else 'false' }}\"></script>"
    ),
    "search.html": (
        "<script src=\"{{ pathto('_static/perfguide-search.js', resource=True) }}\" "
        "data-index=\"{{ pathto('searchindex.js', resource=True) }}\"></script>"
    ),
}
"""What stands in the theme's templates for the first script that they hold inline."""


class OwnScripts(Extension):
    """Takes the inline scripts out of the theme's templates: ours do the same from files."""

    def preprocess(self, source: str, name: str | None, filename: str | None = None) -> str:
        """The template with one script of ours in the place of its own."""
        # A theme that stands on this one asks for the file by its folder too.
        file = (name or "").rpartition("/")[2]
        if file not in _FILES or "sphinx_rtd_theme" not in (filename or ""):
            return source
        files = iter([_FILES[file]])
        return _INLINE.sub(lambda _: next(files, ""), source)


def _own_scripts(app: Sphinx) -> None:
    if not app.config.perfguide_csp or not isinstance(app.builder, StandaloneHTMLBuilder):
        return
    if any(
        Path(folder).name == "sphinx_rtd_theme" for folder in app.builder.theme.get_theme_dirs()
    ):
        environment = getattr(app.builder.templates, "environment", None)
        if environment is not None:
            environment.add_extension(OwnScripts)


def _policy(
    app: Sphinx, _page: str, _template: str, context: dict[str, Any], _doctree: nodes.document
) -> None:
    if app.config.perfguide_csp and app.builder.name != "epub":
        meta = f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">'
        # It rules what follows it, so it goes first.
        context["metatags"] = f"\n  {meta}{context.get('metatags', '')}"


def setup(app: Sphinx) -> ExtensionMetadata:
    """Register the events."""
    app.connect("builder-inited", _own_scripts)
    # After every other, so that nothing goes before it.
    app.connect("html-page-context", _policy, priority=900)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
