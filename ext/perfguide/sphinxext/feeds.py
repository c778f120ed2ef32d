"""The feeds of a site, and the addresses of pages on the web."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from sphinx.application import Sphinx

from ..export import feed
from ..publishing.store import update
from .config import page_name

FEED = "feed.xml"
BUILDERS_WITH_FEED = ("html", "dirhtml", "readthedocs", "readthedocsdirhtml")
"""Builders with one file per page, which the entries of a feed link to."""


def read_generated(app: Sphinx, name: str) -> Any:
    """Return the contents of a generated JSON file, or ``None`` if it does not exist."""
    try:
        return json.loads(Path(app.srcdir, app.config.perfguide_output, name).read_bytes())
    except FileNotFoundError:
        return None


def generated_uri(app: Sphinx, page: str) -> str:
    """Return the address of a generated page, relative to that of the site."""
    return app.builder.get_target_uri(page_name(app.config.perfguide_output, page))


def _site_address(app: Sphinx) -> str:
    """Return the site's web address with a trailing slash, or an empty string."""
    base: str = app.config.html_baseurl
    return f"{base.rstrip('/')}/" if base else ""


def address(app: Sphinx, docname: str) -> str:
    """Return a page's web address, or an empty string if that of the site is unknown."""
    site = _site_address(app)
    return f"{site}{app.builder.get_target_uri(docname)}" if site else ""


def links(app: Sphinx, page: str, context: dict[str, Any]) -> str:
    """Return the tags with which the head of a page names its feeds."""
    if not (app.config.perfguide_feed and app.builder.name in BUILDERS_WITH_FEED):
        return ""
    titles = {FEED: "Releases and errata"}
    guides = page_name(app.config.perfguide_output, "guides")
    if soc := re.match(rf"{re.escape(guides)}/[^/]+/", page):
        titles[f"{soc[0]}{FEED}"] = "Releases and errata of this SoC"
    return "".join(
        f'\n<link rel="alternate" type="application/atom+xml" title="{title}" '
        f'href="{context["pathto"](file, 1)}">'
        for file, title in titles.items()
    )


def publish(app: Sphinx) -> None:
    """Write the feed of all SoCs, and one for each."""
    has_feed = app.config.perfguide_feed and app.builder.name in BUILDERS_WITH_FEED
    entries = read_generated(app, "reports/feed.json") if has_feed else None
    if not entries:
        return
    update(Path(app.outdir, FEED), _feed(app, entries, FEED))
    guides = Path(app.outdir, app.config.perfguide_output, "guides")
    former = set(guides.glob(f"*/{FEED}"))
    for soc, folder in _folders(entries).items():
        of_soc = [entry for entry in entries if entry["soc"] == soc]
        file = page_name(app.config.perfguide_output, f"{folder}/{FEED}")
        update(Path(app.outdir, file), _feed(app, of_soc, file, soc))
        former.discard(Path(app.outdir, file))
    # Remove feeds of SoCs that no longer have results.
    for path in former:
        path.unlink()


def _folders(entries: Iterable[dict[str, Any]]) -> dict[str, str]:
    """Return the folder of each SoC's guides."""
    releases = (entry for entry in entries if entry["name"][0] == "release")
    return {entry["soc"]: "/".join(entry["page"].split("/")[:2]) for entry in releases}


def _feed(app: Sphinx, entries: list[dict[str, Any]], file: str, soc: str = "") -> bytes:
    """Return the feed of one SoC, or of all, to be published as ``file``."""
    config = app.config
    base = _site_address(app)
    # If the site's address is unknown, links are relative to the feed.
    up = base or "../" * file.count("/")
    author = config.author or config.project
    title = f"{soc} · {config.html_title}" if soc else config.html_title
    address = f"{base}{file}" if base else ""
    return feed.atom(entries, title, author, lambda page: up + generated_uri(app, page), address)
