"""Text from bundles in reStructuredText, where it must never act as markup.

:func:`text` is the one place where text is escaped for pages. Its rules follow the reStructuredText
specification, "Inline markup recognition rules" and "Body elements": a character is escaped only
where it could begin, end or be markup, so that pages stay readable.
"""

from __future__ import annotations

import re
import unicodedata

from .diagnostics import visible

MAX_TEXT_CHARS = 1_000_000
"""A limit that truncates no text in practice: names and notes are limited when bundles are read."""

_INLINE = re.compile(
    r"[\\`*|@]"  # escapes, literals and roles, emphasis, substitutions, e-mail addresses
    r"|_(?![^\W_])"  # a reference ends with an underscore
    r"|:(?=//|:|$)|(?<=\w):(?=\S)"  # URLs such as https://… or mailto:…, a literal block
)
_ENUMERATOR = re.compile(r"(?:[A-Za-z]|[0-9]+|[ivxlcdmIVXLCDM]+)(?=[.)](?:\s|$))")
_BLOCK = re.compile(
    r"([!-/:-@\[-`{-~])\1*\s*$"  # a title underline or a transition
    r"|[-+*•‣⁃#(.:=>|_]"  # a list, option, directive, field, table or other block
    r"|/[A-Za-z][\w-]*(?:[ =,]|$)"  # a DOS-style option
)


def inner(value: str) -> str:
    """Return markup that shows exactly ``value`` in the middle of a paragraph."""
    return _INLINE.sub(r"\\\g<0>", visible(value, MAX_TEXT_CHARS).strip())


def text(value: str) -> str:
    """Return markup that shows exactly ``value`` as a paragraph or at the start of one.

    Invisible characters, and those that would move other text, become escapes such as ``\\x1b``.
    Leading and trailing blanks are dropped, as pages do not show them.
    """
    plain = visible(value, MAX_TEXT_CHARS).strip()
    escaped = _INLINE.sub(r"\\\g<0>", plain)
    if number := _ENUMERATOR.match(plain):
        return f"{escaped[: number.end()]}\\{escaped[number.end() :]}"
    if not plain.strip("\\"):
        # A line of backslashes is a transition; an escaped blank is invisible.
        return f"\\ {escaped}" if plain else ""
    if _BLOCK.match(plain) and escaped[0] != "\\":
        return f"\\{escaped}"
    return escaped


def plain(markup: str) -> str:
    """Undo :func:`text`: return what it escaped."""
    return re.sub(r"\\(.)", lambda escape: "" if escape[1] == " " else escape[1], markup)


def field(value: str) -> str:
    """Return a field name that shows exactly ``value``."""
    return re.sub(r"(?<!\\):", r"\:", text(value))


def reference(words: str, target: str) -> str:
    """Return a link to a label; ``target`` is one of our own names, ``words`` any text."""
    return _role("ref", words, target)


def document(words: str, target: str) -> str:
    """Return a link to a page, whose name is relative to the page that shows the link."""
    return _role("doc", words, target)


def download(words: str, target: str) -> str:
    """Return a link to a file, whose name is relative to the page that shows the link."""
    return _role("download", words, target)


def _role(name: str, words: str, target: str) -> str:
    # The role removes escapes only after splitting title and target.
    title = re.sub(r"[\\`<>!]", r"\\\g<0>", visible(words, MAX_TEXT_CHARS).strip())
    return f":{name}:`{title} <{target}>`"


def classed(value: str, name: str) -> str:
    """Return markup that shows ``value`` with a class, through a role that the page defines."""
    escaped = re.sub(r"[\\`]", r"\\\g<0>", visible(value, MAX_TEXT_CHARS).strip())
    return f":{name}:`{escaped}`" if escaped else ""


def strong(value: str) -> str:
    """Return markup that shows ``value`` as strong text."""
    escaped = re.sub(r"[\\*]", r"\\\g<0>", visible(value, MAX_TEXT_CHARS).strip())
    return f"**{escaped}**" if escaped else ""


def heading(value: str, underline: str) -> str:
    """Return an underlined section title that shows exactly ``value``."""
    title = text(value)
    columns = sum(2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in title)
    return f"{title}\n{underline * max(columns, 4)}"


def literal(lines: list[str]) -> str:
    """Return lines for an indented literal block, with control characters escaped."""
    return "\n".join(f"   {visible(line).strip() or ' '}" for line in lines)
