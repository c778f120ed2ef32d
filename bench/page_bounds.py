"""The bytes and elements of the pages of a built site, heaviest first.

    python bench/page_bounds.py build/html [--most 20]

Prints CSV: for each page, its bytes and its HTML elements, as in the file. Pages whose names differ
only in numbers are of one kind; only its heaviest page is listed. The exit status is 1 if a page
exceeds the bound of 3 MB (3,000,000 bytes) or 15,000 elements.
"""

from __future__ import annotations

import argparse
import re
import sys
from html.parser import HTMLParser
from pathlib import Path
from typing import NamedTuple

MAX_BYTES, MAX_ELEMENTS = 3_000_000, 15_000


class PageSize(NamedTuple):
    """The size of a page as HTML."""

    elements: int
    bytes: int
    name: str

    @property
    def is_bounded(self) -> bool:
        """Return whether the page is within the bound."""
        return self.elements <= MAX_ELEMENTS and self.bytes <= MAX_BYTES


class _Elements(HTMLParser):
    count = 0

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self.count += 1


def size(page: Path, site: Path) -> PageSize:
    """Return the size of a page of a site."""
    text, parser = page.read_text("utf-8"), _Elements()
    parser.feed(text)
    return PageSize(parser.count, len(text.encode()), page.relative_to(site).as_posix())


def sizes(site: Path) -> list[PageSize]:
    """Return the size of each page of a site, heaviest first."""
    return sorted((size(page, site) for page in site.rglob("*.html")), reverse=True)


def main() -> int:
    """Print the table. Return 1 if a page exceeds the bound."""
    parser = argparse.ArgumentParser(description="Measure the pages of a site.")
    parser.add_argument("site", type=Path)
    parser.add_argument("--most", type=int, default=20, help="kinds of pages to print")
    given = parser.parse_args()
    measured = sizes(given.site)
    kinds: dict[str, PageSize] = {}
    for each in measured:
        # The heaviest page of a kind comes first.
        kinds.setdefault(re.sub(r"\d+", "0", each.name), each)
    print("Page,Elements,Bytes")
    for each in list(kinds.values())[: given.most]:
        print(f"{each.name},{each.elements},{each.bytes}")
    return 0 if all(each.is_bounded for each in measured) else 1


if __name__ == "__main__":
    sys.exit(main())
