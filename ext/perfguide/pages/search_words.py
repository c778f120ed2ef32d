"""The words by which readers find the sections of pages: names and parameters, never figures."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from ..catalog.benchmarks import Benchmark, Catalog
from ..common import slugs, units
from ..figures.pool import Record
from ..tables.assign import Section

_WORD = re.compile(r"[^\W_]+")


@dataclass(frozen=True, slots=True)
class FindableSection:
    """A section of a page: its anchor, its title, and the words that lead to it."""

    anchor: str
    title: str
    words: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class FindablePage:
    """A page with sections: its address without a suffix, its title, and its own words.

    ``rank`` orders pages that a query finds alike: 0 is the newest of its kind.
    """

    address: str
    title: str
    words: tuple[str, ...]
    sections: tuple[FindableSection, ...]
    rank: int = 0


def split(*texts: str) -> tuple[str, ...]:
    """The words of texts as the search page splits a query: ``lat_mem_rd`` is three."""
    plain = (unicodedata.normalize("NFKC", text).lower() for text in texts)
    return tuple(sorted({word for text in plain for word in _WORD.findall(text)}))


def of_records(
    benchmark: Benchmark | None, name: str, records: Iterable[Record]
) -> tuple[str, ...]:
    """The words of benchmark, metrics and parameters of figures, as bundles and as pages name
    them. A parameter that is a number gives its name alone."""
    out = {name}
    if benchmark:
        out |= {benchmark.entry.title, benchmark.entry.chapter}
    alike = {(record.metric, frozenset(record.params.items())): record for record in records}
    for record in alike.values():
        named = {k: v for k, v in record.params.items() if isinstance(v, str)}
        out |= {record.metric, *record.params, *named.values()}
        if benchmark:
            metric = benchmark.metric(record.metric)
            out |= {metric.label} if metric else set()
            out |= {benchmark.param_label(k) for k in record.params}
            out |= {benchmark.value_label(k, v) for k, v in named.items()}
    return split(*out)


def of_sections(
    sections: Sequence[Section], other: Mapping[str, Sequence[Record]], catalog: Catalog
) -> tuple[FindableSection, ...]:
    """The sections of a guide with the words that lead to them."""
    out = []
    for section in sections:
        own = section.benchmark
        slug = slugs.slug(own.name)
        anchor = slugs.anchor(f"{slug}--{section.part_id}" if section.part else slug)
        heading = ", ".join(filter(None, (own.entry.title, section.part)))
        words = of_records(own, own.name, section.records)
        out.append(FindableSection(anchor, heading, words))
    for name, records in other.items():
        anchor = slugs.anchor(f"other-{slugs.slug(name)}")
        words = of_records(catalog.get(name), name, records)
        out.append(FindableSection(anchor, f"{catalog.title(name)}, other results", words))
    return tuple(out)


def index(pages: Iterable[FindablePage]) -> bytes:
    """All sections as JSON, each title with its words kept once.

    ``pages``: [address, title, words, rank]. ``sections``: [title, words].
    ``places``: [number of the page, number of the section, anchor].
    """
    listed: list[list[object]] = []
    sections: dict[tuple[str, str], int] = {}
    places: list[list[object]] = []
    for number, page in enumerate(sorted(pages, key=lambda p: units.natural(p.address))):
        listed.append([page.address, page.title, " ".join(page.words), page.rank])
        for section in page.sections:
            key = (section.title, " ".join(section.words))
            places.append([number, sections.setdefault(key, len(sections)), section.anchor])
    value = {"pages": listed, "sections": [list(key) for key in sections], "places": places}
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode("utf-8") + b"\n"
