"""Links and sentences of pages, as values and as reStructuredText."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from ..common import rst_text, slugs
from ..common.diagnostics import Severity


class Link(msgspec.Struct, frozen=True):
    """A link to another page: its words, the page, and the section or the table there."""

    words: str
    page: str
    section: str = ""
    table: str = ""


class Part(msgspec.Struct, frozen=True, omit_defaults=True):
    """A piece of a sentence, which may lead to a page, or to what has this name in links.

    ``severity`` is that of the findings that a badge counts.
    """

    text: str
    page: str = ""
    name: str = ""
    strong: bool = False
    severity: Severity | None = None


class Fact(msgspec.Struct, frozen=True):
    """One sentence with the word that says what it is about."""

    head: str
    parts: tuple[Part, ...]


def link_name(page: str, name: str = "") -> str:
    """Return the name of a page, or of one of its tables or charts, in links."""
    return "/".join(filter(None, (page.partition("/")[2], name))).lower()


def section_name(page: str, anchor: str) -> str:
    """Return the name of a section in links: its own address there and the name of its page.

    No other name has a blank, and what docutils makes an address of is unlike that of any table.
    """
    return f"{slugs.anchor(anchor)} of {link_name(page)}"


def linked(link: Link, page: str) -> str:
    """Return a link from ``page`` to another page, or to a section or a table of it."""
    if link.table:
        return rst_text.reference(link.words, link.table)
    if link.section:
        return rst_text.reference(link.words, section_name(link.page, link.section))
    return rst_text.document(link.words, slugs.relative(page, link.page))


def markup(parts: Sequence[Part], page: str) -> str:
    """Return the parts of a sentence on ``page`` as one, with its links."""
    out = ""
    for part in parts:
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
            piece = rst_text.inner(part.text) if out else rst_text.text(part.text)
        lead = " " if part.text.startswith(" ") else ""
        trail = " " if part.text.endswith(" ") else ""
        # Markup ends before a blank or a sign alone; an escaped blank shows nothing.
        glue = "\\ " if out[-1:] in ("`", "*") and not lead and piece[:1].isalnum() else ""
        out = f"{out.rstrip() if lead else out}{glue}{lead}{piece}{trail}"
    return out
