"""The number of bytes that a browser transfers before a page of a built site can be read.

    python bench/page_weight.py build/html source/guides/AM62X/linux/09.01.00.08.html …

Prints CSV: for each page, the bytes of its HTML, style sheets and scripts as compressed by gzip
(level 6, like web servers), and their sum; the number of requests these take, and the number of
pictures. Pictures do not count towards the bytes: they load later, and the text does not wait for
them. The exit status is 1 if a sum exceeds 150 KB (150,000 bytes).
"""

from __future__ import annotations

import gzip
import sys
from pathlib import Path
from typing import NamedTuple
from urllib.parse import unquote, urlsplit

import html5lib

LIMIT = 150_000
NAMESPACE = "{http://www.w3.org/1999/xhtml}"


def sent(path: Path) -> int:
    """Return the gzipped size of a file."""
    return len(gzip.compress(path.read_bytes(), compresslevel=6, mtime=0))


class Weight(NamedTuple):
    """The bytes of a page, its style sheets and its scripts, and the numbers of requests for these
    and for its pictures."""

    page: int
    styles: int
    scripts: int
    requests: int
    pictures: int

    @property
    def bytes(self) -> int:
        """The bytes needed before the text can be read."""
        return self.page + self.styles + self.scripts


def weight(page: Path) -> Weight:
    """Return what a browser transfers for a page."""
    styles, scripts, pictures = set[Path](), set[Path](), set[str]()
    for node in html5lib.parse(page.read_text("utf-8")).iter():
        if node.tag == f"{NAMESPACE}link" and node.get("rel") == "stylesheet":
            styles.add(_file(page, node.get("href")))
        elif node.tag == f"{NAMESPACE}script" and node.get("src"):
            scripts.add(_file(page, node.get("src")))
        elif node.tag == f"{NAMESPACE}img" and node.get("src"):
            pictures.add(node.get("src"))
    requests = 1 + len(styles) + len(scripts)
    sizes = (sum(map(sent, files)) for files in (styles, scripts))
    return Weight(sent(page), *sizes, requests, len(pictures))


def _file(page: Path, address: str) -> Path:
    # Sphinx appends “?v=” and a hash to addresses.
    return (page.parent / unquote(urlsplit(address).path)).resolve()


def main(arguments: list[str]) -> int:
    """Print the table; return 1 if a page is too large."""
    site, *pages = arguments
    print("Page,HTML (kB),Style (kB),Script (kB),Sum (kB),Requests,Pictures")
    heavy = False
    for name in pages:
        own = weight(Path(site, name))
        heavy |= own.bytes > LIMIT
        sizes = (own.page, own.styles, own.scripts, own.bytes)
        parts = [*(f"{size / 1000:.1f}" for size in sizes), own.requests, own.pictures]
        print(",".join([name, *map(str, parts)]))
    return 1 if heavy else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
