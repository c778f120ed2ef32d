"""The page of a guide: all figures of one SoC, system and release."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import groupby
from typing import Any

import msgspec
from msgspec import structs

from ..bundles.decode import Loaded
from ..bundles.guide_key import GuideKey, family
from ..catalog.benchmarks import Catalog
from ..common import extras, slugs, units
from ..common.diagnostics import Diagnostic
from ..common.units import TableCell
from ..export import json_api, parquet
from ..export.figure_rows import FIGURES
from ..figures.pool import Record
from ..health.finding import SIGNS_LEGEND
from ..tables import blocks, remarks, summaries
from ..tables.assign import Section
from ..tables.grids import listing
from ..tables.model import View
from ..tables.page_tables import Extra
from . import answers, hardware_crypto, provenance, search_words, write_files, write_tables
from .answers import Answer, Answers, Result
from .context import Site
from .cross_links import GuideLinks
from .hardware_crypto import CryptoAnswer
from .search_words import FindablePage, FindableSection
from .sentences import Fact, Link
from .write_tables import MAX_COMMANDS, PageTable, Target

MAX_ELEMENTS = 8_000
"""The estimated number of HTML elements in a guide's tables of figures; a page may have 15,000."""

MAX_LIST_ELEMENTS = 700
"""The same for each of the lists of boards, bundles and setups."""


class GuideOutcome(msgspec.Struct, frozen=True):
    """The outcome of writing a guide, besides files: entries for the search index, ranked as if the
    page were the newest of its kind; faults of its logs; the facts and the table of headline
    results at its top, and the best of these results; the names of the figures in that table, by
    row address and board; and whether a crypto accelerator is worth it."""

    findable: FindablePage
    diagnostics: list[Diagnostic]
    facts: tuple[Fact, ...]
    results: PageTable | None
    best: list[Result]
    headlines: dict[tuple[str, str], str]
    worth: CryptoAnswer | None


def write_notice(site: Site, key: GuideKey, reason: str) -> GuideOutcome:
    """Write pages that say why a guide and its provenance could not be made."""
    page, origin = site.addresses.guide[key], site.provenance(key)
    write_files.notice(site, page, _title(key), reason)
    write_files.notice(site, origin.address, origin.title, reason)
    return GuideOutcome(FindablePage(page, _title(key), (), ()), [], (), None, [], {}, None)


def _title(key: GuideKey) -> str:
    return f"{key.soc} performance guide, {family(key)} {key.release}"


def write(site: Site, key: GuideKey, links: GuideLinks, top: Answers, errata: str) -> GuideOutcome:
    """Write the page of a guide and that of its provenance.

    ``top`` has the answers at the top of the page. ``errata`` is the link name of the errata page,
    or empty.
    """
    page, catalog, origin = site.addresses.guide[key], site.catalog, site.provenance(key)
    records = site.pool.of_guide(key)
    bundles = site.pool.bundles(records)
    boards = summaries.natural_boards(records)
    sections, other = site.layout.sections(records)
    general = {name: site.layout.general(name, records) for name, records in other.items()}
    every = [view for views in (*(s.views for s in sections), *general.values()) for view in views]
    # All tables share one limit: small ones leave the rest of their share to larger ones.
    max_elements = blocks.share(map(blocks.weight_of_view, every), MAX_ELEMENTS)
    body = _Body(site, key, links, top, bundles, boards, max_elements)
    chapters, tables = body.chapters(sections)
    listed, tables_of_listed = body.without_sections(other, general)
    title = _title(key)
    titles = list(dict.fromkeys(section.benchmark.entry.title for section in sections))
    titles += [catalog.title(name) for name in other]
    results = _results(site, key, page, top) if top.rows else None
    write_files.page(
        site,
        page,
        "guide.rst.jinja",
        title=title,
        about={"description": _description(key, records, titles, bundles)},
        elsewhere=links.of_guide(),
        facts=top.facts,
        results=results,
        **_lists(site, page, bundles),
        notes=body.notes(""),
        chapters=chapters,
        bundles=units.with_noun(len(bundles), "bundle"),
        undescribed=[values for name, values in listed.items() if not catalog.get(name)],
        others=[values for name, values in listed.items() if catalog.get(name)],
        measured=_measured(records, bundles),
        period=summaries.period(bundles),
        data_hash=_hash(bundles),
        provenance=origin,
        errata=errata,
        data=_data_files(key, page),
        data_note="" if extras.is_installed("parquet") else extras.advice("parquet"),
        signs=SIGNS_LEGEND,
    )
    # The provenance page has a table for each of these.
    diagnostics = provenance.write(site, key, records, origin, [*tables, *tables_of_listed])
    names = [name for board in boards for name in site.boards.search_names(key.soc, board)]
    names += [item.bundle.board.description for item in bundles]
    words = search_words.split(key.soc, family(key), key.release, *names)
    findable_sections = search_words.of_sections(sections, other, catalog)
    findable = FindablePage(
        page, title, words, (*findable_sections, *_answers(top, catalog)), soc=key.soc
    )
    best = answers.best_results(top, catalog)
    return GuideOutcome(findable, diagnostics, top.facts, results, best, _headlines(top), top.worth)


def _lists(site: Site, page: str, bundles: Sequence[Loaded]) -> dict[str, Any]:
    """Write the tables of the boards, the bundles and, if any is stated, the setup of a guide."""
    table = partial(write_tables.table, site, page, max_elements=MAX_LIST_ELEMENTS)
    boards = summaries.boards([item.bundle for item in bundles], site.boards)
    setup = remarks.setup(bundles)
    return {
        "boards": table("boards", "Boards in this guide", boards),
        "sources": table("sources", "Bundles behind this guide", summaries.sources(bundles)),
        "setup": table("setup", "Setup of the runs", setup) if setup else None,
    }


MEANING_OF_COPIES = {
    "stale-copy": "the older results may have been uploaded again, so they show no change since then",
    "table-copied": "one of the two may be a copy, so they do not show how the two differ",
}
"""The meaning for readers, by health rule, of figures that equal those of another run digit for
digit."""


def _copies(site: Site, key: GuideKey, benchmark: str) -> list[str]:
    """Return sentences on figures of a benchmark that are those of another run."""
    out = dict[str, None]()
    for finding in site.findings.get(key, ()):
        meaning = MEANING_OF_COPIES.get(finding.rule.id)
        if meaning is None or finding.benchmark != benchmark or finding.acknowledged:
            continue
        for suspect in finding.suspects:
            board = site.boards.short(key.soc, suspect.record.board)
            out[f"{board}: {suspect.detail}; {meaning}."] = None
    return list(out)


def _headlines(top: Answers) -> dict[tuple[str, str], str]:
    """Return the names of the figures in the first table, by row address and board."""
    return {
        (value.row, board): ", ".join(filter(None, (row.label, row.detail)))
        for row in top.rows
        for value, (_, board) in zip(row.values, top.boards, strict=True)
        if value is not None
    }


def _accelerator(top: Answers, benchmarks: Sequence[str]) -> list[str]:
    """Return whether the crypto accelerator is worth it, if the answer is about one of some
    benchmarks."""
    answer = top.worth
    return [hardware_crypto.sentences(answer)] if answer and answer.benchmark in benchmarks else []


def _answers(top: Answers, catalog: Catalog) -> list[FindableSection]:
    """Return the sections of a guide that answer a question, for the search."""
    sections = [SHIP] if top.before else []
    if top.worth is not None:
        chapter = catalog.benchmarks[top.worth.benchmark].entry.chapter
        sections.append(hardware_crypto.findable(_anchor(chapter)))
    return sections


SHIP = FindableSection("guide", "May it ship?", ("ship", "shipped", "shipping"), is_answer=True)
"""The first lines of a guide, for the search: they have the advice, and lead to the comparison."""


def _anchor(chapter: str) -> str:
    return f"chapter-{slugs.words(chapter)}"


@dataclass(frozen=True, slots=True)
class _Body:
    """The figures of a guide, in tables of at most about ``max_elements`` HTML elements."""

    site: Site
    key: GuideKey
    links: GuideLinks
    top: Answers
    bundles: Sequence[Loaded]
    boards: Sequence[str]
    max_elements: int

    def chapters(
        self, sections: Sequence[Section]
    ) -> tuple[list[dict[str, Any]], list[tuple[PageTable, View]]]:
        """Write the tables of described results. Return the chapters for the template, and each
        table with its figures."""
        tables: list[tuple[PageTable, View]] = []
        by_title: dict[str, list[dict[str, Any]]] = {}
        counts = Counter[str]()
        for name, of_benchmark in groupby(sections, key=lambda section: section.benchmark.name):
            benchmark, parts, figures = self.site.catalog.benchmarks[name], [], list[Record]()
            for section in of_benchmark:
                part = write_tables.part(self._target(), section, self.boards)
                tables += zip(part.tables, section.views, strict=True)
                parts.append(part)
                figures += section.records
                counts[benchmark.entry.chapter] += len(section.records)
            method = Link("The whole method", self.site.addresses.benchmark[name], "method")
            by_title.setdefault(benchmark.entry.chapter, []).append(
                {
                    "id": (slug := slugs.slug(name)),
                    "name": name,
                    "title": benchmark.entry.title,
                    "described": benchmark.prose and benchmark,
                    "links": [*([method] if benchmark.prose else []), *self._elsewhere(name, slug)],
                    "sentences": answers.doubts(self.top, name),
                    "of_sizes": answers.by_size(benchmark, figures),
                    "notes": self.notes(name),
                    "parts": parts,
                }
            )
        chapters = [
            {
                "title": title,
                "id": _anchor(title),
                "figures": units.with_noun(counts[title], "figure"),
                "sentences": [text for section in of_title for text in section["of_sizes"]],
                "answers": _accelerator(self.top, [section["name"] for section in of_title]),
                "sections": of_title,
            }
            for title, of_title in by_title.items()
        ]
        return chapters, tables

    def without_sections(
        self, other: Mapping[str, Sequence[Record]], views: Mapping[str, Sequence[View]]
    ) -> tuple[dict[str, dict[str, Any]], list[tuple[PageTable, View]]]:
        """Write the tables of results for which no description has a table. Return, by benchmark,
        the values for the template, and each table with its figures."""
        listed: dict[str, dict[str, Any]] = {}
        tables: list[tuple[PageTable, View]] = []
        for name, records in other.items():
            part = write_tables.general(self._target(), name, views[name], (self.key,))
            tables += zip(part.tables, views[name], strict=True)
            commands = self.site.pool.commands(records)
            more = max(0, len(commands) - MAX_COMMANDS)
            part = replace(part, commands=tuple(commands[:MAX_COMMANDS]), more=more)
            listed[name] = {
                "title": part.title,
                "part": part,
                "parts": [part],
                "links": self._elsewhere(name, part.id),
                "notes": self.notes(name),
            }
        return listed, tables

    def _target(self) -> Target:
        page, provenance = self.site.addresses.guide[self.key], self.site.provenance(self.key)
        return Target(self.site, page, provenance=provenance, max_elements=self.max_elements)

    def notes(self, benchmark: str) -> list[str]:
        """Return the notes on all figures of a benchmark or, if it is empty, on the guide."""
        words = self.site.pool.hand_written_notes(
            self.key.soc, self.key.release, self.boards, benchmark
        )
        copies = _copies(self.site, self.key, benchmark)
        return [*words, *remarks.notes(self.bundles, benchmark), *copies]

    def _elsewhere(self, benchmark: str, anchor: str) -> list[Link]:
        """Return links from a benchmark's section to the same section of other pages."""
        addresses = self.site.addresses
        releases = addresses.releases(benchmark, self.key.soc)
        return self.links.of_section(anchor, addresses.benchmark[benchmark], releases)


def _measured(records: Sequence[Record], bundles: Sequence[Loaded]) -> str:
    """Return a sentence with the numbers of figures and boards, and when they were measured."""
    boards = units.with_noun(len(summaries.natural_boards(records)), "board")
    return f"{units.with_noun(len(records), 'figure')} on {boards}, measured {summaries.period(bundles)}."


def _hash(bundles: Sequence[Loaded]) -> str:
    """Return one hash of all bundles behind a guide, for citations: the SHA-256 of the sorted
    SHA-256 sums of their contents, one per line."""
    return hashlib.sha256("\n".join(sorted(b.digest for b in bundles)).encode()).hexdigest()


def _results(site: Site, key: GuideKey, page: str, top: Answers) -> PageTable:
    """Write the table of headline results, to which the extension adds bars, histories and
    links."""
    against = [f"Against {top.before}"] if top.before else []
    boards = [short for short, _ in top.boards]
    grid = listing(
        ("Result", *boards, *against),
        [
            (
                " ".join(filter(None, (_named(row), units.ARROWS[row.better]))),
                *(units.MISSING if value is None else value.text for value in row.values),
                *([row.judged] if against else []),
            )
            for row in top.rows
        ],
    )
    columns: list[tuple[str, list[TableCell]]] = [
        ("Result", [row.label for row in top.rows]),
        ("Which", [row.detail for row in top.rows]),
        ("Unit", [row.unit for row in top.rows]),
    ]
    for number, (_, board) in enumerate(top.boards):
        values = [row.values[number] for row in top.rows]
        numbers = [None if value is None else value.number for value in values]
        columns.append((board, [*map(units.optional_figure, numbers)]))
        failed = [value is not None and value.number is None for value in values]
        # An empty cell may also mean that nothing was measured.
        if any(failed):
            columns.append((f"{board}, failed", ["yes" * has_failed for has_failed in failed]))
    if against:
        columns.append((against[0], [row.judged for row in top.rows]))
    heads, cells = zip(*columns, strict=True)
    data = listing(heads, zip(*cells, strict=True), 3)
    title = f"Results of {key.soc}, {family(key)} {key.release}"
    # The extension leaves out boards that do not fit on the screen, so no further page is needed.
    table = write_tables.table(
        site, page, "results", title, grid, data=data, max_elements=blocks.UNLIMITED
    )
    # Facts and links are already part of the page's text.
    in_table = structs.replace(top, facts=(), worth=None)
    return replace(table, extra=Extra(answers=in_table, page=page))


def _named(row: Answer) -> str:
    return ", ".join(filter(None, (row.label, row.detail, row.unit)))


def _data_files(key: GuideKey, page: str) -> list[tuple[str, str]]:
    """Return the files with all figures of a guide, as (label, relative address)."""
    stem = f"{json_api.ROOT}/results/{json_api.guide_path(page)}"
    columns = f"{json_api.ROOT}/{parquet.address(FIGURES, key, json_api.guide_path(page))}"
    files = [
        ("Excel", f"{stem}.xlsx"),
        ("CSV", f"{stem}.csv"),
        ("JSON", f"{stem}.json"),
    ]
    if extras.is_installed("parquet"):
        files.append(("Parquet", columns))
    return [(words, slugs.relative(page, address)) for words, address in files]


def _description(
    key: GuideKey, records: Sequence[Record], titles: Sequence[str], bundles: Sequence[Loaded]
) -> str:
    """Return a sentence about a guide. ``titles`` are those of its benchmarks."""
    boards = summaries.natural_boards(records)
    figures = f"{len(records)} figures" if len(records) != 1 else "1 figure"
    return (
        f"{key.soc} with {family(key)} {key.release}: {figures} of "
        f"{units.enumeration(titles)}, measured on {units.enumeration(boards)}, "
        f"{summaries.period(bundles)}."
    )
