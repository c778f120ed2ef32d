"""The Atom feed (RFC 4287) of releases and errata. All its dates come from bundles."""

from __future__ import annotations

import datetime
import uuid
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any
from xml.etree import ElementTree

from ..bundle import Bundle
from ..bundles.decode import Loaded
from ..bundles.guide_key import GuideKey, guide_key
from ..common.diagnostics import visible
from ..common.grouping import grouped
from ..common.units import with_noun

MAX_ENTRIES = 200
"""The most entries in a feed; older ones are left out."""

NAMESPACE = "http://www.w3.org/2005/Atom"
_NAMES = uuid.UUID("6f6d3ab7-6a7f-5f0a-9d0f-6c0f0a4a3c11")
"""The namespace for hashing entry names, so that no other feed has the same ids."""


def moment(when: datetime.datetime) -> str:
    """Format a time in UTC for Atom."""
    text = when.astimezone(datetime.UTC).isoformat(timespec="seconds")
    return text.replace("+00:00", "Z")


def releases(
    bundles: Iterable[Loaded],
    pages: Mapping[GuideKey, str],
    tags: Mapping[GuideKey, str] = MappingProxyType({}),
) -> list[dict[str, Any]]:
    """Return an entry for each guide, dated by its newest bundle, with the advice from its
    comparison with the previous release."""
    out = []
    for key, items in grouped(bundles, lambda item: guide_key(item.bundle)).items():
        if key not in pages:
            continue  # bundles without results make no guide
        days = sorted(item.bundle.created for item in items)
        boards = sorted({item.bundle.board.name for item in items})
        out.append(
            {
                "soc": key.soc,
                "name": ["release", key.sdk, key.soc, key.os, key.release],
                "title": f"{key}",
                "published": moment(days[0]),
                "updated": moment(days[-1]),
                "page": pages[key],
                "summary": f"{with_noun(len(items), 'bundle')} of {', '.join(boards)}"
                + (f". {tags[key]}." if key in tags else ""),
            }
        )
    return out


def corrections(
    corrected: Iterable[tuple[Bundle, Mapping[GuideKey, int]]], pages: Mapping[GuideKey, str]
) -> list[dict[str, Any]]:
    """Return an entry for each guide that a withdrawal changed. ``corrected`` pairs each
    withdrawing bundle with the number of figures that it changed in each guide."""
    out = []
    for new, numbers in corrected:
        # One withdrawal can change several guides, each with its own readers.
        for key, number in numbers.items():
            figures = "1 figure was" if number == 1 else f"{number} figures were"
            out.append(
                {
                    "soc": key.soc,
                    "name": ["erratum", new.id, key.sdk, key.soc, key.os, key.release],
                    "title": f"Erratum: {key}, {new.board.name}",
                    "published": moment(new.created),
                    "updated": moment(new.created),
                    "page": pages[key],
                    "summary": f"{figures} changed by “{new.id}”. {new.reason}".strip(),
                }
            )
    return out


def newest(entries: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the entries that appear in the feed of all SoCs or of one, newest first."""
    # Sort by name first, so that simultaneous entries have a fixed order.
    by_name = sorted(entries, key=lambda e: e["name"])
    by_time = sorted(by_name, key=lambda e: str(e["updated"]), reverse=True)
    counts: Counter[str] = Counter()
    chosen = []
    for position, entry in enumerate(by_time):
        counts[entry["soc"]] += 1
        if position < MAX_ENTRIES or counts[entry["soc"]] <= MAX_ENTRIES:
            chosen.append(entry)
    return chosen


def atom(
    entries: Sequence[dict[str, Any]],
    title: str,
    author: str,
    address: Callable[[str], str],
    own_address: str = "",
) -> bytes:
    """Return the feed of the first ``MAX_ENTRIES`` as XML. ``address`` returns the link to a page;
    ``own_address`` is that of the feed, or "" if unknown."""
    # Without this, every element would have the prefix “ns0:”.
    ElementTree.register_namespace("", NAMESPACE)
    root = ElementTree.Element(_tag("feed"))
    _add(root, "title", title)
    _add(root, "id", _identity(["feed", title]))
    # The newest entry's time, since the time of the build would change the bytes.
    _add(root, "updated", str(entries[0]["updated"]))
    _add(ElementTree.SubElement(root, _tag("author")), "name", author)
    if own_address:
        ElementTree.SubElement(root, _tag("link"), {"rel": "self", "href": own_address})
    for entry in entries[:MAX_ENTRIES]:
        node = ElementTree.SubElement(root, _tag("entry"))
        _add(node, "title", entry["title"])
        _add(node, "id", _identity(entry["name"]))
        _add(node, "published", entry["published"])
        _add(node, "updated", entry["updated"])
        _add(node, "summary", entry["summary"])
        ElementTree.SubElement(node, _tag("link"), {"href": address(entry["page"])})
    ElementTree.indent(root)
    text: str = ElementTree.tostring(root, encoding="unicode")
    return f'<?xml version="1.0" encoding="utf-8"?>\n{text}\n'.encode()


def _identity(name: Sequence[str]) -> str:
    """Return an id that does not depend on where the site is published."""
    return f"urn:uuid:{uuid.uuid5(_NAMES, repr(list(name)))}"


def _tag(name: str) -> str:
    return f"{{{NAMESPACE}}}{name}"


def _add(parent: ElementTree.Element, name: str, text: str) -> None:
    # XML 1.0 allows no control characters, not even as references, but a bundle's text may have
    # some.
    ElementTree.SubElement(parent, _tag(name)).text = visible(text)
