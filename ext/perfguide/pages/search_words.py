"""The words by which a reader finds a section: names and parameters, never figures."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass

from ..catalog.benchmarks import Benchmark
from ..common import units
from ..figures.pool import Record

_WORD = re.compile(r"[^\W_]+")


@dataclass(frozen=True, slots=True)
class Page:
    """A page with sections: its address without a suffix, its title, and its own words.

    ``rank`` orders pages that a query finds alike: 0 is the newest of its kind.
    """

    address: str
    title: str
    words: tuple[str, ...]
    rank: int


@dataclass(frozen=True, slots=True)
class Place:
    """A section of a page: its anchor, its title, and the words that lead to it."""

    anchor: str
    title: str
    words: tuple[str, ...]


def split(*texts: str) -> tuple[str, ...]:
    """The words of texts as the search page splits a query: ``lat_mem_rd`` is three."""
    plain = (unicodedata.normalize("NFKC", text).lower() for text in texts)
    return tuple(sorted({word for text in plain for word in _WORD.findall(text)}))


def of_records(benchmark: Benchmark | None, name: str, records: Iterable[Record]) -> set[str]:
    """Benchmark, metrics and parameters of figures, as bundles and as pages name them.

    A parameter that is a number gives its name alone.
    """
    out = {name}
    if benchmark:
        out |= {benchmark.entry.title, benchmark.entry.chapter}
    seen: set[tuple[str, frozenset[tuple[str, str]]]] = set()
    for record in records:
        named = {k: v for k, v in record.params.items() if isinstance(v, str)}
        signature = (record.metric, frozenset((k, f"{v}") for k, v in record.params.items()))
        if signature in seen:
            continue
        seen.add(signature)
        out |= {record.metric, *record.params, *named.values()}
        if benchmark:
            metric = benchmark.metric(record.metric)
            out |= {metric.label} if metric else set()
            out |= {benchmark.param_label(k) for k in record.params}
            out |= {benchmark.value_label(k, v) for k, v in named.items()}
    return out


def index(pages: Iterable[tuple[Page, Iterable[Place]]]) -> bytes:
    """All places as JSON, each title with its words kept once.

    ``pages``: [address, title, words, rank]. ``sections``: [title, words].
    ``places``: [number of the page, number of the section, anchor].
    """
    listed: list[list[object]] = []
    sections: dict[tuple[str, str], int] = {}
    places: list[list[object]] = []
    for page, found in sorted(pages, key=lambda item: units.natural(item[0].address)):
        number = len(listed)
        listed.append([page.address, page.title, " ".join(page.words), page.rank])
        for place in found:
            key = (place.title, " ".join(place.words))
            places.append([number, sections.setdefault(key, len(sections)), place.anchor])
    value = {"pages": listed, "sections": [list(key) for key in sections], "places": places}
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode("utf-8") + b"\n"
