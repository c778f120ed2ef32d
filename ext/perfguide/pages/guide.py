"""Writes the page of a guide: all figures of one SoC, system and release."""

from __future__ import annotations

import json
from collections.abc import Sequence

import msgspec

from ..bundles.guide_key import GuideKey, family
from ..common import slugs
from ..common.diagnostics import Diagnostic
from ..export import json_api
from ..tables import summaries
from . import about, search_words
from .cross_links import Elsewhere
from .provenance import Traces
from .search_words import Page, Place


class Told(msgspec.Struct, frozen=True):
    """What comes of a guide besides its files: how its sections are found, with the page as
    the newest of its kind, and what is wrong with its logs."""

    page: Page
    places: list[Place]
    diagnostics: list[Diagnostic]


def made(site: Traces, key: GuideKey, elsewhere: Elsewhere, compared: Sequence[str]) -> Told:
    """Write the page of a guide and that of its provenance, or leave both as they are.

    ``compared`` are the pages that compare it with an older one.
    """
    made_from = (
        *(site.basis.guide(key), elsewhere.made_from(key), site.platform(key), compared),
        site.errata_of(key),
    )
    page = site.addresses.guide[key]
    return site.keeping.made(page, made_from, lambda: _write(site, key, elsewhere, compared), Told)


def _write(site: Traces, key: GuideKey, elsewhere: Elsewhere, compared: Sequence[str]) -> Told:
    page = site.addresses.guide[key]
    site.trace = site.trace_of(key)

    def beside(name: str, anchor: str) -> str:
        """The links from a benchmark's section to the same one elsewhere, as JSON."""
        return json.dumps(elsewhere.section(key, anchor, name, site.platform(key)))

    records = site.pool.of_guide(key)
    sections, other = site.layout.sections(records)
    chapters: dict[str, dict[str, dict[str, object]]] = {}
    for section in sections:
        entry, name = section.benchmark.entry, section.benchmark.name
        slug = slugs.slug(name)
        place = chapters.setdefault(entry.chapter, {}).setdefault(
            slug,
            {
                "id": slug,
                "title": entry.title,
                "prose": name if section.benchmark.prose else "",
                "parts": [],
                "elsewhere": beside(name, slug),
            },
        )
        parts = place["parts"]
        assert isinstance(parts, list)
        part = site.part(page, section)
        parts.append({"shown": part, "elsewhere": beside(name, part.id) if section.part else ""})
    others = []
    for name, found in other.items():
        shown = site.other(page, name, found)
        others.append({"shown": shown, "elsewhere": beside(name, shown.id)})
    bundles = site.pool.bundles(records)
    catalog = site.holdings.catalog
    title = f"{key.soc} performance guide, {family(key)} {key.release}"
    words = search_words.split(
        key.soc, family(key), key.release, *summaries.natural_boards(records)
    )
    site.about(page, about.guide(key, records, sections, other, bundles, catalog))
    site.page(
        page,
        "guide.rst.jinja",
        title=title,
        elsewhere=json.dumps(elsewhere.guide(key)),
        compared=[slugs.relative(page, to) for to in compared],
        key=key,
        boards=site.table(
            page, "boards", "Boards in this guide", summaries.boards([b.bundle for b in bundles])
        ),
        sources=site.table(
            page, "sources", "Bundles behind this guide", summaries.sources(bundles)
        ),
        chapters=[
            {"title": title, "id": f"chapter-{slugs.words(title)}", "sections": found.values()}
            for title, found in chapters.items()
        ],
        others=others,
        measured=summaries.period(bundles),
        figures=len(records),
        provenance=site.trace,
        errata=site.errata_of(key),
        data=json_api.guide_path(page),
    )
    diagnostics = site.write_trace(key, records, site.trace)
    site.trace = None
    places = about.places(sections, other, catalog)
    return Told(Page(page, title, words, 0), places, diagnostics)
