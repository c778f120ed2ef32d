"""The search index: sections of pages by their names and parameters, never by figures."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from ..catalog.benchmarks import Benchmark, Catalog
from ..catalog.chart_spec import same
from ..common import slugs, units
from ..figures.pool import Record
from ..tables.assign import Section

_WORD = re.compile(r"[^\W_]+")


@dataclass(frozen=True, slots=True)
class FindableSection:
    """A section in the index: its anchor, its title, and the words that match it. ``is_answer``
    says that it answers a question, so it comes before sections that only have figures. ``about``
    are words that readers use for its benchmark; they count as much as its title."""

    anchor: str
    title: str
    words: tuple[str, ...]
    is_answer: bool = False
    about: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class FindableRanking:
    """A ranking in the index: the address of its page, its name, and the words that match it. The
    address is empty for a headline that only one SoC has, which is not ranked. ``condition`` asks
    for it on the page that finds boards, without the number and the ``unit`` at its end."""

    address: str
    name: str
    words: tuple[str, ...]
    condition: str = ""
    unit: str = ""


@dataclass(frozen=True, slots=True)
class FindablePage:
    """A page in the index: its address without a suffix, its title, its words and its sections,
    and the rankings of a benchmark, headlines first.

    ``rank`` orders pages that match equally well; 0 is the newest of its kind. ``soc`` is empty for
    a page about all SoCs.
    """

    address: str
    title: str
    words: tuple[str, ...]
    sections: tuple[FindableSection, ...]
    rank: int = 0
    soc: str = ""
    rankings: tuple[FindableRanking, ...] = ()


def split(*texts: str) -> tuple[str, ...]:
    """Return the words of texts, split as the search page splits queries: ``lat_mem_rd`` is three
    words."""
    # The search page's script normalises queries in the same way.
    plain = (unicodedata.normalize("NFKC", text).lower() for text in texts)
    return tuple(sorted({word for text in plain for word in _WORD.findall(text)}))


def of_records(benchmark: Benchmark, records: Iterable[Record]) -> tuple[str, ...]:
    """Return the words for figures' benchmark, metrics and parameters, both as in bundles and as on
    pages. Numbers are left out: they would match too much."""
    entry = benchmark.entry
    out = {benchmark.name, entry.title, entry.chapter, *entry.also}
    # Boards and releases repeat the same few names thousands of times.
    distinct = {(record.metric, frozenset(record.params.items())): record for record in records}
    for record in distinct.values():
        named = {k: v for k, v in record.params.items() if isinstance(v, str)}
        out |= {record.metric, *named.values()}
        # A default, such as nice level 0, says nothing of the parameter.
        varied = {k for k, v in record.params.items() if not same(benchmark.param(k).default, v)}
        out |= varied | {benchmark.param_label(k) for k in varied}
        out |= {benchmark.value_label(k, v) for k, v in named.items()}
        if metric := benchmark.metric(record.metric):
            # The size in “eMMC write, 4 MiB” is that of one row.
            out |= {metric.label, *metric.words, *filter(str.isalpha, metric.short.split())}
    return split(*out)


def of_sections(
    sections: Sequence[Section], other: Mapping[str, Sequence[Record]], catalog: Catalog
) -> tuple[FindableSection, ...]:
    """Return the sections of a guide with the words that match them."""
    out = []
    for section in sections:
        benchmark = section.benchmark
        slug = slugs.slug(benchmark.name)
        anchor = slugs.anchor(f"{slug}--{section.part_id}" if section.part else slug)
        heading = ", ".join(filter(None, (benchmark.entry.title, section.part)))
        words = of_records(benchmark, section.records)
        out.append(FindableSection(anchor, heading, words, about=split(*benchmark.entry.also)))
    for name, records in other.items():
        anchor = slugs.anchor(f"other-{slugs.slug(name)}")
        words = of_records(catalog.benchmark(name), records)
        out.append(FindableSection(anchor, f"{catalog.title(name)}, other results", words))
    return tuple(out)


def index(pages: Iterable[FindablePage], worst: Iterable[str] = ()) -> bytes:
    """Return the index as JSON; equal titles with equal words are stored once. ``worst`` are the
    labels of parameters, such as the core, whose worst value is the result.

    ``pages``: [address, title, words, rank, SoC]. ``sections``: [title, words, about], and
    ``answers`` are the indices of those that answer a question. ``places``: [page index, section
    index, anchor]. ``rankings``: [page index, address, name, words, condition, unit].
    """
    listed: list[list[object]] = []
    sections: dict[tuple[str, ...], int] = {}
    answers: set[int] = set()
    places: list[list[object]] = []
    rankings: list[list[object]] = []
    # In a fixed order, whichever page was made first.
    for number, page in enumerate(sorted(pages, key=lambda p: units.natural(p.address))):
        listed.append([page.address, page.title, " ".join(page.words), page.rank, page.soc])
        for section in page.sections:
            about = filter(None, [" ".join(section.about)])
            key = (section.title, " ".join(section.words), *about)
            places.append([number, sections.setdefault(key, len(sections)), section.anchor])
            answers |= {sections[key]} if section.is_answer else set()
        for ranking in page.rankings:
            question = filter(None, (ranking.condition, ranking.unit))
            words = " ".join(ranking.words)
            rankings.append([number, ranking.address, ranking.name, words, *question])
    value = {
        "pages": listed,
        "sections": [list(key) for key in sections],
        "answers": sorted(answers),
        "places": places,
        "rankings": rankings,
        "worst": sorted(set(worst)),
    }
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode("utf-8") + b"\n"
