"""Links and sentences of pages, as values and as reStructuredText."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from ..common import rst_text, slugs
from ..common.diagnostics import Severity


class Link(msgspec.Struct, frozen=True):
    """A link to another page: its words, the page, and the section or table there."""

    words: str
    page: str
    section: str = ""
    table: str = ""


class Part(msgspec.Struct, frozen=True, omit_defaults=True):
    """A piece of a sentence, optionally a link to a page or, with ``name``, to a section or table.

    A piece that counts findings has their ``severity``; the extension turns it into a badge.
    """

    text: str
    page: str = ""
    name: str = ""
    strong: bool = False
    severity: Severity | None = None


class Fact(msgspec.Struct, frozen=True):
    """A sentence with its subject, a word or two, as the heading."""

    head: str
    parts: tuple[Part, ...]


def link_name(page: str, name: str = "") -> str:
    """Return the link name of a page, or of one of its tables or charts."""
    return "/".join(filter(None, (page.partition("/")[2], name))).lower()


def section_name(page: str, anchor: str) -> str:
    """Return the link name of a section, from its anchor and page.

    The spaces distinguish it from the link names of tables, which have none.
    """
    return f"{slugs.anchor(anchor)} of {link_name(page)}"


def linked(link: Link, page: str) -> str:
    """Return a link on ``page`` to another page, or to a section or table there."""
    if link.table:
        return rst_text.reference(link.words, link.table)
    if link.section:
        return rst_text.reference(link.words, section_name(link.page, link.section))
    return rst_text.document(link.words, slugs.relative(page, link.page))


def markup(parts: Sequence[Part], page: str) -> str:
    """Return the parts of a sentence on ``page`` as reStructuredText."""
    out = ""
    for part in parts:
        # Markup strips spaces at the ends, so a text of only spaces would vanish.
        if not part.text.strip():
            out += part.text
            continue
        if part.name:
            piece = rst_text.reference(part.text, part.name)
        elif part.page:
            piece = rst_text.document(part.text, slugs.relative(page, part.page))
        elif part.strong:
            piece = rst_text.strong(part.text)
        else:
            # Text at the start of a paragraph needs more escapes: it could begin a list.
            piece = rst_text.inner(part.text) if out else rst_text.text(part.text)
        # These spaces separate the parts of a sentence.
        lead = " " if part.text.startswith(" ") else ""
        trail = " " if part.text.endswith(" ") else ""
        # Inline markup has to be followed by a space or punctuation; an escaped space is not shown.
        glue = "\\ " if out[-1:] in ("`", "*") and not lead and piece[:1].isalnum() else ""
        out = f"{out.rstrip() if lead else out}{glue}{lead}{piece}{trail}"
    return out


def board_in_words(short: str) -> str:
    """Return a board's short name as it reads within a sentence: ``the 1 GHz board``."""
    return f"the {short} board" if short[:1].isdigit() else short
