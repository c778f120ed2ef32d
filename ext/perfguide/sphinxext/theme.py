"""The theme ``perfguide``: the Read the Docs theme without web fonts, with light and dark colours.

It depends on that theme's style sheet (version 3.1), on the blocks of its templates, and on the
files that it ships. ``palette.css`` has a dark value for each of its colours.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from docutils import nodes
from jinja2.ext import Extension
from sphinx.application import Sphinx
from sphinx.builders import Builder
from sphinx.builders.html import StandaloneHTMLBuilder

from ..common.package import ROOT
from ..publishing.store import update
from .guest import is_generated
from .internals import extend_templates, is_site, theme_folders

NAME = "perfguide"
FOLDER = ROOT / "sphinxext" / "theme"
BASE = "perfguide-base.css"
WIDE_SHEET = "perfguide-wide.css"
SHEETS = ("perfguide.css", "perfguide-guide.css")
"""Style sheets for generated pages, and for other pages with a table, a chart or another node of
ours."""
PACKAGE = __name__.partition(".")[0]

UNUSED_FILES = (
    *("css/theme.css", "css/badge_only.css", "css/fonts", "fonts"),
    *("js/badge_only.js", "js/html5shiv.min.js", "js/html5shiv-printshiv.min.js"),
)
"""Files of the Read the Docs theme in ``_static`` that our pages do not need."""

ICONS = {
    "f015": "⌂",
    "f019": "↓",
    "f06a": "!",
    "f08e": "↗",
    "f0a8": "←",
    "f0a9": "→",
    "f0c1": "#",
    "f0c9": "☰",
    "f0d7": "▾",
    "f147": "−",
    "f196": "+",
}
"""Characters of ordinary fonts that replace icons, by their codes in the icon font."""

_MONO = "var(--perf-mono,ui-monospace,Menlo,Consolas,monospace)"
_SANS = "var(--perf-sans,system-ui,sans-serif)"
FONTS = (
    *(("FontAwesome", "inherit"), ("monospace", _MONO), ("courier", _MONO)),
    *(("Roboto Slab", _SANS), ("Lato", _SANS)),
)
"""Replacements for font families that contain a name."""

_VARIABLE_PREFIXES = (("background", "bg"), ("border", "bd"), ("outline", "bd"), ("color", "fg"))
UNUSED_CLASSES = re.compile(
    r"\.(?:wy-(?:form-|control|tray|inline|tooltip|dropdown|input|checkbox|radio|switch|affix|text-"
    r"|alert|tag|progress|menu-horiz)|fa-(?!bars|arrow)|writer-html4|pull-(?:left|right)|ethical|rst-pro"
    r"|btn-(?:info|danger|warning|success|inverse|link|invert|group|mini|xsmall|small|big|expand"
    r"|block|disabled))"
)
"""Classes that neither Sphinx nor the theme's templates use. Rules for them make up two fifths of
the style sheet."""
_PREFIXED = re.compile(
    r"\s*(?:-(?:moz|ms|o)-|-webkit-(?:transform|transition|box-sizing|animation)|\*|_)"
)
"""Vendor-prefixed properties, which current browsers support without the prefix."""
_RULE = re.compile(r"([^{}]*)\{([^{}]*)\}")
_ICON = re.compile(r'content:"([\ue000-\uf8ff]|\\[ef][0-9a-f]{3})"')
_COLOUR = re.compile(r"#[0-9a-fA-F]{3,6}\b|rgba?\([^)]*\)|\bgr[ae]y\b")
_PALETTE = re.compile(r":root\s*\{(.*?)\}", re.DOTALL)


def light(css: str) -> str:
    """Return a style sheet without web fonts (370 kB) and unused rules, with variables for colours.

    Font families are replaced with the reader's own fonts, and icons with ordinary characters. Each
    colour becomes a variable that defaults to it, such as ``var(--fg-404040,#404040)``: ``fg`` for
    text, ``bg`` for backgrounds, ``bd`` for lines.
    """
    return _RULE.sub(_rule, css)


def _rule(rule: re.Match[str]) -> str:
    selector, body = rule.groups()
    if selector.strip().endswith("@font-face"):
        return ""
    if icon := _ICON.search(body):
        code = icon[1].removeprefix("\\") if len(icon[1]) > 1 else f"{ord(icon[1]):x}"
        if code not in ICONS:
            return ""
        body = _ICON.sub(f'content:"{ICONS[code]}"', body)
    if not selector.lstrip().startswith("@"):
        selector = ",".join(part for part in selector.split(",") if not UNUSED_CLASSES.search(part))
        if not selector.strip():
            return ""
    plain = (part for part in body.split(";") if not _PREFIXED.match(part))
    return f"{selector}{{{';'.join(map(_declaration, plain))}}}"


def _declaration(text: str) -> str:
    name, colon, value = text.partition(":")
    if not colon:
        return text
    if name == "font":
        # Only icons set this property, and they use the font of the surrounding text.
        return "font:inherit" if "FontAwesome" in value else text
    if name == "font-family":
        value = next((plain for family, plain in FONTS if family in value), value)
        return f"{name}:{value}"
    prefix = next((short for use, short in _VARIABLE_PREFIXES if name.startswith(use)), "bd")
    return f"{name}:{_COLOUR.sub(lambda colour: _variable(prefix, colour[0]), value)}"


def _variable(prefix: str, colour: str) -> str:
    return f"var(--{prefix}-{re.sub(r'[^0-9a-z]+', '-', colour.lower()).strip('-')},{colour})"


def dark(palette: str) -> str:
    """Return the variables of a palette's ``:root`` rule as rules for readers whose system prefers
    dark colours, and for those who chose them. Paper stays light.

    Raises :class:`ValueError` if the palette has no ``:root`` rule.
    """
    rule = _PALETTE.search(palette)
    if rule is None:
        raise ValueError("a palette is one rule for :root")
    values = " ".join(rule[1].split())
    return (
        "@media screen and (prefers-color-scheme:dark)"
        f"{{:root:not([data-scheme=light]){{{values}}}}}\n"
        f"@media screen{{:root[data-scheme=dark]{{{values}}}}}\n"
    )


POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; style-src-attr 'unsafe-inline'; "
    "img-src 'self' data:; font-src 'self' data:; connect-src 'self'; form-action 'self'; "
    "base-uri 'none'"
)
"""The Content-Security-Policy: a page may load files of its own site, but not run inline scripts.

Style attributes are allowed because docutils uses them for the widths of columns and images; they
cannot load anything that the other directives forbid.
"""

_INLINE = re.compile(r"<script\b(?![^>]*\bsrc=)[^>]*>.*?</script>", re.DOTALL | re.IGNORECASE)
_SCRIPTS = {
    "layout.html": (
        "<script src=\"{{ pathto('_static/perfguide-page.js', resource=True) }}\" "
        "data-sticky=\"{{ 'true' if theme_sticky_navigation|tobool else 'false' }}\"></script>"
    ),
    "search.html": (
        "<script src=\"{{ pathto('_static/perfguide-search.js', resource=True) }}\" "
        "data-index=\"{{ pathto('searchindex.js', resource=True) }}\"></script>"
    ),
}
"""Replacements for the first inline script of each of the theme's templates."""


class OwnScripts(Extension):
    """Replaces inline scripts in the theme's templates with files that do the same."""

    def preprocess(self, source: str, name: str | None, filename: str | None = None) -> str:
        """Return the template with its inline scripts replaced by a script of ours."""
        # A theme that inherits from this one gives the file name with its folder.
        file = (name or "").rpartition("/")[2]
        if file not in _SCRIPTS or "sphinx_rtd_theme" not in (filename or ""):
            return source
        scripts = iter([_SCRIPTS[file]])
        return _INLINE.sub(lambda _: next(scripts, ""), source)


def in_use(builder: Builder) -> bool:
    """Return whether pages are written with this theme or one that inherits from it."""
    return is_site(builder) and FOLDER in theme_folders(builder)


def _prepare(app: Sphinx) -> None:
    """Write the style sheet, derived from that of the installed theme, and replace scripts."""
    builder = app.builder
    if not is_site(builder):
        return
    folders = theme_folders(builder)
    if app.config.perfguide_csp and any(folder.name == "sphinx_rtd_theme" for folder in folders):
        extend_templates(builder, OwnScripts)
    if FOLDER in folders:
        # The Read the Docs theme's default is a character of its icon font.
        app.config.html_permalinks_icon = "#"
        # perfguide-find.js has other excerpts.
        app.config.html_show_search_summary = False
        sheets = (folder / "static" / "css" / "theme.css" for folder in folders)
        sheet = next(path for path in sheets if path.is_file()).read_text("utf-8")
        palette = (FOLDER / "palette.css").read_text("utf-8")
        content = f"{light(sheet)}\n{dark(palette)}".encode()
        update(Path(app.outdir, "_static", BASE), content)


_REPAIRS = (
    ('<p class="caption" role="heading">', '<p class="caption" role="heading" aria-level="2">'),
    ('<nav class="contents', '<nav aria-label="Contents of this page" class="contents'),
)
"""HTML from Sphinx and docutils, and the same with labels and levels for screen readers."""

_TABLES = re.compile(
    r'<(?:figure|table|div)\s[^>]*class="(?:[^"]* )?perf-(?:table|overview|explorer)[ "]'
)


def is_wide(body: str) -> bool:
    """Return whether a page's HTML has tables of figures, a list of guides, or the explorer."""
    # Text cannot match, because its quotation marks are escaped.
    return _TABLES.search(body) is not None


Relations = Mapping[str, Sequence[str | None]]
"""The page above each page in a table of contents, and those before and after it."""


def pages_above(relations: Relations, page: str) -> list[str]:
    """Return the pages above one, nearest first. A page in no table of contents, such as that of a
    single ranking, is below the page that has the name of its folder."""
    above, name = relations.get(page, (None,))[0], page
    while not above and "/" in name:
        name = name.rpartition("/")[0]
        above = name if name in relations else None
    out: list[str] = []
    # Tables of contents can form a cycle.
    while above and above not in out:
        out.append(above)
        above = relations.get(above, (None,))[0]
    return out


def _parents(app: Sphinx, page: str) -> list[dict[str, str]]:
    """Return the links above a page in the form of Sphinx, without the start page."""
    builder = app.builder
    assert isinstance(builder, StandaloneHTMLBuilder)  # as this theme is in use
    names = [name for name in pages_above(builder.relations, page) if name != app.config.root_doc]
    return [
        {
            "link": builder.get_relative_uri(page, name),
            "title": builder.render_partial(app.env.titles[name])["title"],
        }
        for name in reversed(names)
    ]


def _page(
    app: Sphinx, page: str, _template: str, context: dict[str, Any], _doctree: nodes.document
) -> None:
    """Repair a page's HTML, and add the style sheet for wide tables. With our theme, every page
    gets it, so that all have the same width; elsewhere, only generated pages with wide tables
    do."""
    # A style that depends on later parts of the page (:has) would shift text already being read.
    if "body" in context and in_use(app.builder):
        for wrong, right in _REPAIRS:
            context["body"] = context["body"].replace(wrong, right)
        if not context.get("parents") and is_generated(app.env, page):
            context["parents"] = _parents(app, page)
    has_wide = is_generated(app.env, page) and is_wide(context.get("body") or "")
    if in_use(app.builder) or has_wide:
        app.add_css_file(WIDE_SHEET, priority=800)


def _policy(
    app: Sphinx, _page: str, _template: str, context: dict[str, Any], _doctree: nodes.document
) -> None:
    if app.config.perfguide_csp and app.builder.name != "epub":
        meta = f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">'
        # A policy applies to what follows it, so it comes first.
        context["metatags"] = f"\n  {meta}{context.get('metatags', '')}"


def is_own(app: Sphinx, page: str) -> bool:
    """Return whether the extension may add to a page: a generated one, or any page of a site with
    our theme."""
    return is_generated(app.env, page) or in_use(app.builder)


def needs_files(app: Sphinx, page: str, doctree: nodes.document | None) -> bool:
    """Return whether a page needs our style sheets and scripts."""
    every = doctree.findall(nodes.Element) if doctree is not None else ()
    return is_own(app, page) or any(
        type(node).__module__.partition(".")[0] == PACKAGE for node in every
    )


def _add_sheets(
    app: Sphinx, page: str, _template: str, _context: dict[str, Any], doctree: nodes.document | None
) -> None:
    if needs_files(app, page, doctree):
        for sheet in SHEETS:
            app.add_css_file(sheet)


def _remove_unused(app: Sphinx, exception: Exception | None) -> None:
    """Remove the fonts and other files that pages do not use."""
    if exception is None and in_use(app.builder):
        for name in UNUSED_FILES:
            path = Path(app.outdir, "_static", name)
            shutil.rmtree(path) if path.is_dir() else path.unlink(missing_ok=True)


def setup(app: Sphinx) -> None:
    """Register the theme."""
    app.add_html_theme(NAME, str(FOLDER))
    app.connect("builder-inited", _prepare)
    app.connect("html-page-context", _page)
    app.connect("html-page-context", _add_sheets)
    # The last listener writes the first tag.
    app.connect("html-page-context", _policy, priority=900)
    # Before the end of the build, when the site's files are recorded.
    app.connect("build-finished", _remove_unused, priority=400)
