"""A figure as a small picture for another page: SVG, the same bytes for the same figure."""

from __future__ import annotations

import re
from html import escape

from ..common.diagnostics import visible

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")
HEIGHT = 20
MARGIN = 6
NARROW = frozenset("iljtfrI.,:;'|!()[] ")
WIDE = frozenset("mwMW%@—")


def is_name(name: str) -> bool:
    """Whether a badge can be named so; names are parts of addresses."""
    return _NAME.fullmatch(name) is not None


def width(text: str) -> int:
    """Room for a text of 11 pixels in a common sans-serif font, in pixels.

    An estimate: ``textLength`` in the picture makes any font keep to it.
    """
    units = sum(4.0 if c in NARROW else 10.0 if c in WIDE else 6.8 for c in text)
    return round(units) + 2


def svg(label: str, value: str, words: str) -> bytes:
    """The badge: ``label`` on the left, ``value`` on the right, ``words`` for those who
    cannot see it or point at it."""
    label, value, words = (visible(text, 200) for text in (label, value, words))
    left, right = width(label) + 2 * MARGIN, width(value) + 2 * MARGIN
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{left + right}" height="{HEIGHT}"'
        f' viewBox="0 0 {left + right} {HEIGHT}" role="img" aria-label="{escape(words)}">',
        f"<title>{escape(words)}</title>",
        f'<rect width="{left}" height="{HEIGHT}" fill="#3b4650"/>',
        f'<rect x="{left}" width="{right}" height="{HEIGHT}" fill="#1f6496"/>',
        '<g fill="#fff" font-family="system-ui,Verdana,Arial,sans-serif" font-size="11">',
        _text(MARGIN, label),
        _text(left + MARGIN, value),
        "</g></svg>",
    ]
    return "\n".join(parts).encode("utf-8", "backslashreplace") + b"\n"


def _text(x: int, text: str) -> str:
    length = width(text)
    return f'<text x="{x}" y="14" textLength="{length}" lengthAdjust="spacingAndGlyphs">{escape(text)}</text>'
