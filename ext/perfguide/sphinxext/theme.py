"""The theme ``perfguide``: the Read the Docs theme, light in weight, in light and dark.

What it takes from that theme (version 3.1) are its style sheet, the blocks of its templates, and
the files that it ships; ``palette.css`` has a dark value for each of its colours.
"""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import Any

from docutils import nodes
from jinja2.ext import Extension
from sphinx.application import Sphinx
from sphinx.builders import Builder

from ..common.package import ROOT
from .guest import is_generated
from .internals import extend_templates, is_site, theme_folders

NAME = "perfguide"
FOLDER = ROOT / "sphinxext" / "theme"
BASE = "perfguide-base.css"
WIDE = "perfguide-wide.css"
SHEETS = ("perfguide.css", "perfguide-guide.css")
"""For generated pages, and others with a table, a chart or another node of ours."""
PACKAGE = __name__.partition(".")[0]

NOT_SHIPPED = (
    *("css/theme.css", "css/badge_only.css", "css/fonts", "fonts"),
    *("js/badge_only.js", "js/html5shiv.min.js", "js/html5shiv-printshiv.min.js"),
)
"""What the Read the Docs theme brings into ``_static`` and no page of ours asks for."""

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
"""The icons that pages use, by their code in the icon font, as characters of every font."""

_MONO = "var(--perf-mono,ui-monospace,Menlo,Consolas,monospace)"
_SANS = "var(--perf-sans,system-ui,sans-serif)"
FONTS = (
    *(("FontAwesome", "inherit"), ("monospace", _MONO), ("courier", _MONO)),
    *(("Roboto Slab", _SANS), ("Lato", _SANS)),
)
"""What stands for a family that contains a name."""

_USES = (("background", "bg"), ("border", "bd"), ("outline", "bd"), ("color", "fg"))
NEVER = re.compile(
    r"\.(?:wy-(?:form-|control|tray|inline|tooltip|dropdown|input|checkbox|radio|switch|affix|text-"
    r"|alert|tag|progress|menu-horiz)|fa-(?!bars|arrow)|writer-html4|pull-(?:left|right)|ethical|rst-pro"
    r"|btn-(?:info|danger|warning|success|inverse|link|invert|group|mini|xsmall|small|big|expand"
    r"|block|disabled))"
)
"""Classes in that theme's style sheet that neither Sphinx nor the theme's templates write: rules
for them are two fifths of its bytes."""
_PREFIXED = re.compile(
    r"\s*(?:-(?:moz|ms|o)-|-webkit-(?:transform|transition|box-sizing|animation)|\*|_)"
)
"""What browsers of ten years ago read, and those of today under its plain name."""
_RULE = re.compile(r"([^{}]*)\{([^{}]*)\}")
_ICON = re.compile(r'content:"([\ue000-\uf8ff]|\\[ef][0-9a-f]{3})"')
_COLOUR = re.compile(r"#[0-9a-fA-F]{3,6}\b|rgba?\([^)]*\)|\bgr[ae]y\b")
_PALETTE = re.compile(r":root\s*\{(.*?)\}", re.DOTALL)


def light(css: str) -> str:
    """A style sheet without web fonts, which weigh 370 KB, nor rules for what pages never hold,
    and with colours that can change.

    The reader's own fonts stand for families, plain characters for icons, and for each colour
    a variable that falls back to it, as ``var(--fg-404040,#404040)``: ``fg`` for text, ``bg``
    for grounds, ``bd`` for lines.
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
        selector = ",".join(part for part in selector.split(",") if not NEVER.search(part))
        if not selector.strip():
            return ""
    plain = (part for part in body.split(";") if not _PREFIXED.match(part))
    return f"{selector}{{{';'.join(map(_declaration, plain))}}}"


def _declaration(text: str) -> str:
    name, colon, value = text.partition(":")
    if not colon:
        return text
    if name == "font":
        # The only one is that of the icons; what they stand beside decides.
        return "font:inherit" if "FontAwesome" in value else text
    if name == "font-family":
        value = next((plain for family, plain in FONTS if family in value), value)
        return f"{name}:{value}"
    use = next((short for prefix, short in _USES if name.startswith(prefix)), "bd")
    return f"{name}:{_COLOUR.sub(lambda colour: _variable(use, colour[0]), value)}"


def _variable(use: str, colour: str) -> str:
    return f"var(--{use}-{re.sub(r'[^0-9a-z]+', '-', colour.lower()).strip('-')},{colour})"


def dark(palette: str) -> str:
    """The palette, given as the variables of one ``:root`` rule, for those whose system
    prefers dark colours and for those who chose them. Paper stays light.

    Raises :class:`ValueError` where there is no such rule.
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
"""What a page may load and run: files of its own site, no script in the page itself.

Style attributes are allowed because docutils writes the widths of columns and images as such;
they can load nothing that the other words do not allow.
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
"""What stands in the theme's templates for the first script that they hold inline."""


class OwnScripts(Extension):
    """Takes the inline scripts out of the theme's templates: ours do the same from files."""

    def preprocess(self, source: str, name: str | None, filename: str | None = None) -> str:
        """The template with one script of ours in the place of its own."""
        # A theme that stands on this one asks for the file by its folder too.
        file = (name or "").rpartition("/")[2]
        if file not in _SCRIPTS or "sphinx_rtd_theme" not in (filename or ""):
            return source
        scripts = iter([_SCRIPTS[file]])
        return _INLINE.sub(lambda _: next(scripts, ""), source)


def in_use(builder: Builder) -> bool:
    """Whether pages are written with this theme or one that stands on it."""
    return is_site(builder) and FOLDER in theme_folders(builder)


def _prepare(app: Sphinx) -> None:
    """Make the style sheet from the one that the installed theme has, and take out scripts."""
    builder = app.builder
    if not is_site(builder):
        return
    folders = theme_folders(builder)
    if app.config.perfguide_csp and any(folder.name == "sphinx_rtd_theme" for folder in folders):
        extend_templates(builder, OwnScripts)
    if FOLDER in folders:
        # The Read the Docs theme sets a character of its icon font.
        app.config.html_permalinks_icon = "#"
        sheets = (folder / "static" / "css" / "theme.css" for folder in folders)
        whole = next(path for path in sheets if path.is_file()).read_text("utf-8")
        palette = (FOLDER / "palette.css").read_text("utf-8")
        target = Path(app.outdir, "_static", BASE)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(f"{light(whole)}\n{dark(palette)}", "utf-8")


_REPAIRS = (
    ('<p class="caption" role="heading">', '<p class="caption" role="heading" aria-level="2">'),
    ('<nav class="contents', '<nav aria-label="Contents of this page" class="contents'),
)
"""What Sphinx and docutils write without the names and levels that a screen reader needs."""

_TABLES = re.compile(
    r'<(?:figure|table|div)\s[^>]*class="(?:[^"]* )?perf-(?:table|overview|explorer)[ "]'
)


def is_wide(body: str) -> bool:
    """Whether the HTML of a page holds tables of figures, a list of guides, or the explorer.

    Text cannot look like one of them: its quotation marks are escaped."""
    return _TABLES.search(body) is not None


def _page(
    app: Sphinx, page: str, _template: str, context: dict[str, Any], _doctree: nodes.document
) -> None:
    """Repair the text of a page, and make room for wide tables before its first line shows: on
    all pages of a site of ours, so that they have one width, and elsewhere on generated ones where
    there are any.

    A style that asks what the page holds further down (``:has``) gets another answer when that
    part arrives, and all that was already read moves. So such pages have one more style sheet.
    """
    if "body" in context and in_use(app.builder):
        for wrong, right in _REPAIRS:
            context["body"] = context["body"].replace(wrong, right)
    has_wide = is_generated(app, page) and is_wide(context.get("body") or "")
    if in_use(app.builder) or has_wide:
        app.add_css_file(WIDE, priority=800)


def _policy(
    app: Sphinx, _page: str, _template: str, context: dict[str, Any], _doctree: nodes.document
) -> None:
    if app.config.perfguide_csp and app.builder.name != "epub":
        meta = f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">'
        # It rules what follows it, so it goes first.
        context["metatags"] = f"\n  {meta}{context.get('metatags', '')}"


def is_own(app: Sphinx, page: str) -> bool:
    """Return whether a page was generated, or is of a site with our theme."""
    return is_generated(app, page) or in_use(app.builder)


def needs_files(app: Sphinx, page: str, doctree: nodes.document | None) -> bool:
    """Return whether our style sheets and scripts have something to do on a page."""
    return is_own(app, page) or (doctree is not None and _has_own_node(doctree))


def _has_own_node(doctree: nodes.document) -> bool:
    return any(
        type(node).__module__.partition(".")[0] == PACKAGE
        for node in doctree.findall(nodes.Element)
    )


def _add_sheets(
    app: Sphinx, page: str, _template: str, _context: dict[str, Any], doctree: nodes.document | None
) -> None:
    if needs_files(app, page, doctree):
        for sheet in SHEETS:
            app.add_css_file(sheet)


def _shed(app: Sphinx, exception: Exception | None) -> None:
    """Remove the fonts and other files that pages do not use."""
    if exception is None and in_use(app.builder):
        for name in NOT_SHIPPED:
            path = Path(app.outdir, "_static", name)
            shutil.rmtree(path) if path.is_dir() else path.unlink(missing_ok=True)


def setup(app: Sphinx) -> None:
    """Register the theme."""
    app.add_html_theme(NAME, str(FOLDER))
    app.connect("builder-inited", _prepare)
    app.connect("html-page-context", _page)
    app.connect("html-page-context", _add_sheets)
    # After every other, so that nothing goes before it.
    app.connect("html-page-context", _policy, priority=900)
    app.connect("build-finished", _shed, priority=400)
