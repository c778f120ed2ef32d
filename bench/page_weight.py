"""The number of bytes that a browser transfers before a page of a built site can be read.

    python bench/page_weight.py build/html source/guides/AM62X/linux/09.01.00.08.html …

Prints CSV: for each page the bytes of its HTML, style sheets and scripts compressed by gzip (level
6, as web servers do), and their sum. Pictures are not counted: they load later, and the text does
not wait for them. The exit status is 1 if a sum exceeds 150 KB (of 1000 bytes).
"""

from __future__ import annotations

import gzip
import sys
from pathlib import Path
from urllib.parse import unquote, urlsplit

import html5lib

LIMIT = 150_000
NAMESPACE = "{http://www.w3.org/1999/xhtml}"


def sent(path: Path) -> int:
    """Return the size of a file compressed by gzip."""
    return len(gzip.compress(path.read_bytes(), compresslevel=6, mtime=0))


def weight(page: Path) -> tuple[int, int, int]:
    """Return the bytes of a page, of its style sheets with their imports, and of its scripts."""
    styles = scripts = 0
    for node in html5lib.parse(page.read_text("utf-8")).iter():
        if node.tag == f"{NAMESPACE}link" and node.get("rel") == "stylesheet":
            styles += sent(_file(page, node.get("href")))
        elif node.tag == f"{NAMESPACE}script" and node.get("src"):
            scripts += sent(_file(page, node.get("src")))
    return sent(page), styles, scripts


def _file(page: Path, address: str) -> Path:
    # Sphinx adds “?v=” and a hash to addresses.
    return (page.parent / unquote(urlsplit(address).path)).resolve()


def main(arguments: list[str]) -> int:
    """Print the table; return 1 if a page is too large."""
    site, *pages = arguments
    print("Page,HTML (kB),Style (kB),Script (kB),Sum (kB)")
    heavy = False
    for name in pages:
        parts = weight(Path(site, name))
        heavy |= sum(parts) > LIMIT
        print(",".join([name, *(f"{size / 1000:.1f}" for size in (*parts, sum(parts)))]))
    return 1 if heavy else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
