"""A theme's style sheet without its web fonts, and with colours that can be changed.

The fonts of the Read the Docs theme weigh 370 KB. What is left of its style sheet
takes the reader's own fonts, plain characters in place of its icon font, and for each
colour a variable, so that a palette can replace all of them.
"""

from __future__ import annotations

import re

_RULE = re.compile(r"([^{}]*)\{([^{}]*)\}")
_ICON = re.compile(r'content:"([\ue000-\uf8ff]|\\[ef][0-9a-f]{3})"')
_COLOUR = re.compile(r"#[0-9a-fA-F]{3,6}\b|rgba?\([^)]*\)|\bgr[ae]y\b")
_PALETTE = re.compile(r":root\s*\{(.*?)\}", re.DOTALL)

PLAIN = {
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

FONTS = (
    ("FontAwesome", "inherit"),
    ("monospace", "var(--perf-mono,ui-monospace,Menlo,Consolas,monospace)"),
    ("courier", "var(--perf-mono,ui-monospace,Menlo,Consolas,monospace)"),
    ("Roboto Slab", "var(--perf-sans,system-ui,sans-serif)"),
    ("Lato", "var(--perf-sans,system-ui,sans-serif)"),
)
"""What stands for a family that contains a name."""

_ROLES = (("background", "bg"), ("border", "bd"), ("outline", "bd"), ("color", "fg"))


def light(css: str) -> str:
    """The style sheet without ``@font-face`` and unused icons, each colour as
    ``var(--fg-404040,#404040)``: ``fg`` for text, ``bg`` for grounds, ``bd`` for lines.
    """
    return _RULE.sub(_rule, css)


def dark(palette: str) -> str:
    """The palette, given as the variables of one ``:root`` rule, for those whose system
    prefers dark colours and for those who chose them. Paper stays light.

    Raises :class:`ValueError` where there is no such rule.
    """
    found = _PALETTE.search(palette)
    if found is None:
        raise ValueError("a palette is one rule for :root")
    values = " ".join(found[1].split())
    return (
        "@media screen and (prefers-color-scheme:dark)"
        f"{{:root:not([data-scheme=light]){{{values}}}}}\n"
        f"@media screen{{:root[data-scheme=dark]{{{values}}}}}\n"
    )


def _rule(found: re.Match[str]) -> str:
    selector, body = found.groups()
    if selector.strip().endswith("@font-face"):
        return ""
    if icon := _ICON.search(body):
        code = icon[1].removeprefix("\\") if len(icon[1]) > 1 else f"{ord(icon[1]):x}"
        if code not in PLAIN:
            return ""
        body = _ICON.sub(f'content:"{PLAIN[code]}"', body)
    return f"{selector}{{{';'.join(map(_declaration, body.split(';')))}}}"


def _declaration(text: str) -> str:
    name, colon, value = text.partition(":")
    if not colon:
        return text
    if name == "font":
        # The only one is that of the icons; what they stand beside decides.
        return "font:inherit" if "FontAwesome" in value else text
    if name == "font-family":
        value = next((plain for known, plain in FONTS if known in value), value)
        return f"{name}:{value}"
    role = next((short for prefix, short in _ROLES if name.startswith(prefix)), "bd")
    return f"{name}:{_COLOUR.sub(lambda colour: variable(role, colour[0]), value)}"


def variable(role: str, colour: str) -> str:
    """A colour as a variable that falls back to it."""
    return f"var(--{role}-{re.sub(r'[^0-9a-z]+', '-', colour.lower()).strip('-')},{colour})"
