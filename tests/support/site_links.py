"""All pages of a built site: is the HTML well formed, and does every link lead somewhere?"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from urllib.parse import unquote, urlsplit
from xml.etree.ElementTree import Element

import html5lib

NAMESPACE = "{http://www.w3.org/1999/xhtml}"
LOADED = ("href", "src", "data", "poster", "action")
NAMED = ("aria-controls", "aria-labelledby", "aria-describedby", "for")


def parsed(path: Path) -> Element:
    """Parse a page as a browser does; raises an error if it is not well-formed HTML."""
    parser = html5lib.HTMLParser(strict=True)
    root: Element = parser.parse(path.read_text("utf-8"))
    return root


def pages(site: Path) -> dict[Path, Element]:
    """Return all pages. An error names the page."""
    out = {}
    for path in sorted(site.rglob("*.html")):
        try:
            out[path] = parsed(path)
        except html5lib.html5parser.ParseError as error:
            raise AssertionError(f"{path}: {error}") from error
    return out


def ids(root: Element) -> list[str]:
    return [value for node in root.iter() if (value := node.get("id")) is not None]


def broken(site: Path, parsed_pages: dict[Path, Element]) -> Iterator[str]:
    """Yield every link, picture, script, form or reference that leads nowhere."""
    anchors = {path.resolve(): set(ids(root)) for path, root in parsed_pages.items()}
    for path, root in parsed_pages.items():
        for node in root.iter():
            for name, value in node.items():
                if name in LOADED and node.tag != f"{NAMESPACE}data":
                    yield from _target(site, path, value, anchors)
                elif name == "content" and node.get("http-equiv") == "refresh":
                    yield from _target(site, path, value.partition("url=")[2], anchors)
                elif name in NAMED:
                    for word in value.split():
                        if word not in anchors[path.resolve()]:
                            yield f"{path.relative_to(site)}: {name}={word}"


def _target(site: Path, path: Path, value: str, anchors: dict[Path, set[str]]) -> Iterator[str]:
    parts = urlsplit(value)
    if parts.scheme or parts.netloc:
        if not re.fullmatch(r"https?|data|mailto", parts.scheme):
            yield f"{path.relative_to(site)}: {value}"
        return
    folder, name = (path.parent, unquote(parts.path)) if parts.path else (path, "")
    target, there = _resolved(site, folder, name)
    anchor = unquote(parts.fragment)
    if not there or (anchor and anchor not in anchors.get(target, set())):
        yield f"{path.relative_to(site)}: {value}"


@cache
def _resolved(site: Path, folder: Path, name: str) -> tuple[Path, bool]:
    """Return the target of a link from a folder, and whether it is a file of the site. Cached,
    since most links are on many pages."""
    target = (folder / name).resolve()
    if target.is_dir():
        target /= "index.html"
    return target, target.is_relative_to(site.resolve()) and target.is_file()
