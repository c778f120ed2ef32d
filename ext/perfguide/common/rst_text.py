"""Text from bundles in reStructuredText, where it must never be markup."""

from __future__ import annotations

import re
import unicodedata
from urllib.parse import quote, unquote

from .diagnostics import visible

_WORD = r"[A-Za-z0-9]+([._/+-][A-Za-z0-9]+)*"
_SAFE = re.compile(rf"{_WORD}(,? ({_WORD}|%|\({_WORD}(,? {_WORD})*\)))*")
ROLE = "perf-text"
"""The role that shows its content exactly; the content is percent-encoded."""


def text(value: str) -> str:
    """Inline markup that shows exactly ``value`` and nothing else.

    A name of plain words stands as it is. Anything else is handed to a role in
    percent-encoding, which has no character that means something in markup.
    """
    if _SAFE.fullmatch(value):
        return value
    return f":{ROLE}:`{quoted(value)}`"


def quoted(value: str) -> str:
    """Text in percent-encoding, which has no character that means something in markup."""
    return quote(visible(value), safe="")


def decoded(content: str) -> str:
    """What the role shows for its content."""
    return unquote(content)


def heading(value: str, underline: str) -> str:
    """A section title that shows exactly ``value``, with a line under it."""
    title = text(value)
    wide = sum(2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in title)
    return f"{title}\n{underline * max(wide, 4)}"


def literal(lines: list[str]) -> str:
    """Lines for an indented literal block; control characters show as escapes."""
    return "\n".join(f"   {visible(line).strip() or ' '}" for line in lines)
