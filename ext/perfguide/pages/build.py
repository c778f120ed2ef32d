"""Writes the pages of a site: first those of each SoC, then those about several SoCs.

The heads of bundles say which SoCs there are. A SoC's pages are kept if its bundles, descriptions
and settings are unchanged; otherwise :mod:`.soc_pages` makes them, one process per SoC. Everything
else follows from the summaries of all SoCs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import nullcontext, suppress
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from functools import cache, partial
from pathlib import Path
from typing import Any, Generic, TypeVar

import msgspec

from ..bundles import heads, object_store, supersede
from ..bundles.containers import Source
from ..bundles.decode import Loaded
from ..bundles.guide_key import GuideKey, guide_key, in_order
from ..bundles.heads import Head
from ..bundles.logs import kept_in
from ..bundles.object_store import is_url
from ..bundles.supersede import Ledger, Withdrawal
from ..catalog import redirects
from ..catalog.benchmarks import Catalog
from ..catalog.board_names import load as load_boards
from ..catalog.board_names import load_notes
from ..common import extras, parallel, slugs, units
from ..common.diagnostics import Diagnostic
from ..common.grouping import grouped
from ..common.package import surroundings
from ..compare.select import asked_of, without_guide
from ..figures import dataset, rows, terms
from ..figures.dataset import Addresses, Holdings, Progress, Settings, no_progress
from ..figures.pool import Pool
from ..health import acknowledged, report, rules
from ..health.finding import Finding, ranked_findings
from ..health.report import Health
from ..health.rules import Beyond, DistantHit
from ..publishing.output_folder import Writer
from ..publishing.store import ABSENT, Store, below
from . import (
    benchmark,
    compare,
    context,
    downloads,
    health,
    lists,
    provenance,
    search_words,
    soc_pages,
    summary,
    verdicts,
    write_files,
)
from .benchmark import BenchmarkOutcome
from .context import Making, Plan, Site
from .reused_parts import SITE, Made, Part, Parts, Slice, catalog_of, hash_of, opened
from .soc_pages import Job, Unit
from .summary import GuideSummary, Summary

__all__ = ["generate"]

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Outcome:
    """The findings of a run, the files that it wrote and removed, its guides in page order, and the
    number of figures. ``inputs`` is a hash of everything that the pages depend on; ``listings`` has
    a hash of the content listed at each URL. ``read`` reads and returns all figures.
    ``quoted_from`` takes a pattern of SoC names, and returns the figures of those SoCs, read on
    demand, and the addresses of all pages."""

    diagnostics: tuple[Diagnostic, ...]
    written: tuple[str, ...]
    removed: tuple[str, ...]
    keys: tuple[GuideKey, ...]
    figures: int
    inputs: str
    listings: Mapping[str, str]
    read: Callable[[], Holdings]
    quoted_from: Callable[[str], tuple[Holdings, Addresses]]

    @property
    def guides(self) -> int:
        """The number of guides."""
        return len(self.keys)


class _WholeSite(msgspec.Struct, frozen=True):
    """The outcome of a run, kept for a later run in which nothing has changed."""

    diagnostics: tuple[Diagnostic, ...]
    keys: tuple[GuideKey, ...]
    figures: int


class Inputs:
    """Everything that the pages depend on, as it was when the run began.

    ``rules`` is a hash of everything besides bundles and descriptions that affects pages,
    ``descriptions`` is one of all descriptions, and ``everything`` one of all inputs. Files at URLs
    are identified by the hash of their content, under which the store keeps them; ``listings`` has
    a hash of the content listed at each URL.
    """

    def __init__(
        self,
        settings: Settings,
        writer: Writer,
        sources: Sequence[Source],
        listings: Mapping[str, str],
    ) -> None:
        self._settings, self._writer, self.listings = settings, writer, listings
        # Neither picture formats nor the machines that make pages affect a page's content.
        decided = replace(_of_workers(settings), formats=(), redirects=None)
        lists = {name: self._look(name) for name in self._lists()}
        # Redirects have pages of their own, and do not affect those of SoCs.
        moved = lists.pop(str(settings.redirects), None)
        self.rules = hash_of(surroundings(), decided, lists)
        descriptions = {name: self._look(name) for name in self._descriptions()}
        self.descriptions = hash_of(descriptions)
        self._described: dict[str, list[object]] = {}
        for name, look in descriptions.items():
            # A description is two files of the same name: a table for programs, and a text.
            self._described.setdefault(Path(name).stem, []).append((name, look))
        bundles = {name: self._look(name) for name in self._results()}
        self._by_hand = self._pages_by_hand()
        self.everything = hash_of(
            *(self.rules, moved, settings.results, settings.releases, settings.compare),
            *(descriptions, bundles, self._by_hand),
            [(s.root, s.name, str(s.path)) for s in sources if is_url(s.root)],
        )
        self._described_in, self._bundles = [*descriptions], [*bundles]

    def of_descriptions(self, benchmarks: Iterable[str]) -> object:
        """Return the hashes of some benchmarks' descriptions."""
        return [(name, self._described.get(name)) for name in sorted(benchmarks)]

    def digests(self, paths: Iterable[Path]) -> list[tuple[str, str]]:
        """Return some files, each with its hash."""
        return [(str(path), self._writer.store.digest(path)) for path in paths]

    def are_current(self) -> bool:
        """Return whether all inputs are unchanged since the run began."""
        # Files added or removed are changes too.
        if [*self._results()] != self._bundles or self._pages_by_hand() != self._by_hand:
            return False
        return self.are_current_for(self._bundles)

    def are_current_for(self, files: Iterable[str]) -> bool:
        """Return whether some bundles and logs, all descriptions and the lists are unchanged since
        the run began."""
        now = [*self._descriptions()]
        names = (*files, *now, *self._lists())
        return now == self._described_in and self._writer.store.is_current(names)

    def _look(self, name: str) -> tuple[str, bool]:
        """Return the SHA-256 of a file, empty if it cannot be read, and whether it exists."""
        store = self._writer.store
        return store.digest(name), store.seen[name] != ABSENT

    def _lists(self) -> list[str]:
        given = self._settings
        paths = (given.acknowledged, given.redirects, given.boards, given.waivers)
        return [str(path) for path in paths if path]

    def _descriptions(self) -> Iterator[str]:
        for folder in self._settings.benchmarks:
            yield from sorted(below(folder))

    def _results(self) -> Iterator[str]:
        """Yield bundles, and the logs beside them."""
        for path in self._settings.results:
            if not is_url(path):
                yield from sorted(below(path)) if Path(path).is_dir() else [str(path)]

    def _pages_by_hand(self) -> list[str]:
        """Return hand-written pages below the output folder, which old addresses may redirect
        to."""
        start = len(str(self._writer.root)) + 1
        names = (path[start:] for path in below(self._writer.root) if path.endswith(".rst"))
        return sorted(name for name in names if name not in self._writer.ours)


@dataclass(frozen=True, slots=True)
class _Run:
    """One run: its settings, its writer, the parts it keeps, and the workers that make parts."""

    settings: Settings
    writer: Writer
    parts: Parts
    inputs: Inputs
    progress: Progress[Any]
    run: parallel.Run
    sends_files: bool
    unmade: list[Diagnostic] = field(default_factory=list)


def generate(
    settings: Settings,
    progress: Progress[Any] = no_progress,
    store: Store | None = None,
    run: parallel.Run | None = None,
) -> Outcome:
    """Read the bundles and write every page; files that are already up to date are left alone.

    ``store`` keeps hashes of files for the next run, and ``run`` makes the pages of SoCs; both
    default to the settings. Raises :class:`parallel.WorkersError`.
    """
    writer = Writer(settings.output, store or Store(settings.cache))
    sources, faults, listings = object_store.find(
        *(settings.results, settings.store, settings.limits, progress), writer.store.digest
    )
    inputs = Inputs(settings, writer, sources, listings)
    with opened(settings.cache, writer) as parts:
        # If the kept outcome were used, a missing folder or URL would go unreported.
        is_whole = not any(fault.kind == "missing-path" for fault in faults)
        key = hash_of(inputs.everything, settings.formats)
        if is_whole and (kept := parts.recall(SITE, key, ())):
            site = msgspec.msgpack.decode(kept.out, type=_WholeSite)
            writer.finish()
            writer.store.save()
            return _outcome(site, writer, inputs, settings, sources, progress)
        # Processes forked from here inherit the catalog, and nothing that is read later.
        catalog_of(settings.benchmarks, inputs.descriptions)
        with nullcontext(run) if run else parallel.at(settings.scheduler) as workers:
            sends_files = bool(settings.scheduler)
            here = _Run(settings, writer, parts, inputs, progress, workers, sends_files)
            return _generate(here, sources, faults)


def _generate(run: _Run, sources: Sequence[Source], faults: Sequence[Diagnostic]) -> Outcome:
    settings, writer = run.settings, run.writer
    ledger, files, refused = _read_heads(settings, writer.store, sources, run.progress)
    catalog, catalog_faults = catalog_of(settings.benchmarks, run.inputs.descriptions)
    _, notes_faults = load_notes(settings.boards)
    diagnostics = [*faults, *refused, *ledger.diagnostics, *catalog_faults, *notes_faults]
    if settings.releases:
        ledger, unnamed = dataset.only(ledger, settings.releases)
        diagnostics += unnamed
    if not ledger.bundles:
        diagnostics.append(dataset.no_results(settings))
    if any(d.kind == "missing-path" for d in diagnostics):
        # A mistyped folder must not empty the site.
        keys = tuple(guides_of(ledger))
        return _outcome(
            _WholeSite((*diagnostics,), keys, 0),
            *(writer, run.inputs, settings, sources, run.progress),
        )
    plan = plan_of(ledger, catalog)
    socs = _socs(run, ledger, files, plan)
    surveys = _surveys(run, socs)
    beyond = _beyond(run, surveys, plan)
    outcomes = _write_socs(run, socs, beyond)
    summaries = [soc.outcome for soc in outcomes]
    making = Making(writer)
    # Pages about several SoCs are made from summaries, so that no process holds all figures.
    empty = Pool(rows.build([]), catalog)
    boards, _ = load_boards(settings.boards)
    site = context.site_of(
        Holdings(catalog, ledger, tuple(diagnostics), empty),
        guides_of(ledger),
        plan,
        (),
        boards,
        making,
        settings.limits,
    )
    of_benchmarks = _write_benchmarks(run, site, outcomes, surveys)
    diagnostics += _write(site, settings, outcomes, of_benchmarks)
    return _finish(run, site, sources, summaries, diagnostics)


def _read_heads(
    settings: Settings, store: Store, sources: Sequence[Source], progress: Progress[Any]
) -> tuple[Ledger, dict[tuple[str, str], Source], list[Diagnostic]]:
    """Return the heads of the bundles that count, the file of each bundle by origin and hash, and
    all findings about uploads."""
    items = heads.read(sources, settings.limits, store)
    found_heads: list[Head] = []
    diagnostics: list[Diagnostic] = []
    files: dict[tuple[str, str], Source] = {}
    for _, (source, read) in zip(progress(sources, "reading bundles"), items, strict=True):
        for item in read:
            if isinstance(item, Diagnostic):
                diagnostics.append(item)
            else:
                found_heads.append(item)
                files[item.origin, item.digest] = source
    return supersede.settle(found_heads), files, diagnostics


def guides_of(ledger: Ledger) -> list[GuideKey]:
    """Return the guides of all bundles that have results, in page order."""
    return in_order({guide_key(item.bundle) for item in ledger.bundles if item.rows()})


def plan_of(ledger: Ledger, catalog: Catalog) -> Plan:
    """Return the names that the pages of all SoCs have to agree on."""
    counted = Counter[heads.MetricId]()
    for item in ledger.bundles:
        head = item if isinstance(item, Head) else heads.head(item)
        counted.update(dict(head.measured))
    guides = guides_of(ledger)
    addresses = dataset.plan(guides, sorted({benchmark for benchmark, _, _ in counted}))
    folders = {key.platform: "/".join(addresses.guide[key].split("/")[1:-1]) for key in guides}
    words = slugs.joined(folders.values())
    withdrawn = {guide_key(pair.old.bundle) for pair in ledger.withdrawn}
    # A guide that lost its last bundle has no page, but its errata need an address.
    every = dataset.plan(sorted({*guides, *withdrawn}), ()).guide
    return Plan(
        addresses,
        {platform: words[folder] for platform, folder in folders.items()},
        {key: f"reports/errata/{every[key].partition('/')[2]}" for key in sorted(withdrawn)},
        terms.spellings(counted, catalog),
    )


@dataclass(frozen=True, slots=True)
class _Soc:
    """A SoC of the site: its bundles, the part of the plan that its pages need, the files that hold
    its bundles and their logs, and a hash of everything these come from."""

    unit: Unit
    plan: Plan
    files: tuple[str, ...]
    key: str

    @property
    def name(self) -> str:
        return self.unit.soc


def _socs(
    run: _Run, ledger: Ledger, files: Mapping[tuple[str, str], Source], plan: Plan
) -> list[_Soc]:
    """Return the SoCs of the site, in natural order."""
    bundles = grouped(ledger.bundles, lambda item: item.bundle.board.soc)
    withdrawn = grouped(ledger.withdrawn, lambda pair: pair.old.bundle.board.soc)
    return [
        _soc(run, name, bundles.get(name, []), withdrawn.get(name, []), files, plan)
        for name in sorted({*bundles, *withdrawn}, key=units.natural)
    ]


def _soc(
    run: _Run,
    name: str,
    bundles: Sequence[Loaded],
    withdrawn: Sequence[Withdrawal],
    files: Mapping[tuple[str, str], Source],
    plan: Plan,
) -> _Soc:
    # Errata show the figures of withdrawn bundles, so these are read too.
    every = [*bundles, *(item for pair in withdrawn for item in (pair.old, pair.new))]
    soc_heads = [item for item in every if isinstance(item, Head)]
    measured = {names for head in soc_heads for names, _ in head.measured}
    benchmarks = {benchmark for benchmark, _, _ in measured}
    guides = [key for key in plan.addresses.guide if key.soc == name]
    # This is part of the key: with other SoCs' addresses in it, a new SoC would invalidate all
    # pages.
    addresses = Addresses(
        {soc: page for soc, page in plan.addresses.soc.items() if soc == name},
        {key: plan.addresses.guide[key] for key in guides},
        {b: page for b, page in plan.addresses.benchmark.items() if b in benchmarks},
    )
    soc_plan = Plan(
        addresses,
        {p: slug for p, slug in plan.platform_slugs.items() if p.soc == name},
        {key: page for key, page in plan.errata.items() if key.soc == name},
        {names: spelt for names, spelt in plan.spelt.items() if names[0] in benchmarks},
    )
    # This is part of the key, so leave out the pairs of other SoCs.
    pairs = asked_of(guides, run.settings.compare)
    settings = replace(_of_workers(run.settings), compare=pairs)
    contents = tuple((item.origin, item.digest) for item in bundles)
    # A file may contain several bundles.
    sources = dict.fromkeys(files[item.origin, item.digest] for item in every)
    logs = {path for head in soc_heads if head.logs for path in kept_in(head, head.logs)}
    key = hash_of(
        *(run.inputs.rules, run.inputs.of_descriptions(benchmarks), soc_plan, pairs),
        [(item.root, item.origin, item.digest) for item in bundles],
        [(pair.old.digest, pair.new.digest) for pair in withdrawn],
        # Findings about logs and the provenance pages depend on these.
        run.inputs.digests(sorted(logs)),
    )
    unit = Unit(
        *(settings, run.inputs.descriptions, name, tuple(sources), contents, tuple(withdrawn)),
        soc_plan.spelt,
    )
    return _Soc(unit, soc_plan, (*(str(source.path) for source in sources), *map(str, logs)), key)


@dataclass(frozen=True, slots=True)
class _Done(Generic[T]):
    """A part that is up to date: what came of it, and the slices that other parts are made from."""

    outcome: T
    slices: dict[str, Slice]


@dataclass(frozen=True, slots=True)
class _Task:
    """A part of the site: its name, its key, a function that returns the work to do, given what the
    last run left of the part, and the bundles and logs that it reads."""

    name: str
    key: str
    piece: Callable[[Part | None], Any]
    files: tuple[str, ...] = ()


def _parts(
    run: _Run,
    tasks: Sequence[_Task],
    make: Callable[[Any], Made],
    kind: type[T],
    label: str,
) -> list[_Done[T]]:
    """Return some parts, whose outcomes are of one ``kind``. Parts with an unchanged key are
    reused, and the others are made now."""
    decode = partial(msgspec.msgpack.decode, type=kind)
    out = {}
    missing = []
    for task in tasks:
        part = run.parts.recall(task.name, task.key, run.settings.formats)
        if part:
            out[task.name] = _Done(decode(part.out), run.parts.slices(part))
        else:
            missing.append(task)
    # A generator, so that slices to be sent need not all be in memory at once.
    pieces = (task.piece(run.parts.earlier(task.name)) for task in missing)
    names = run.progress([task.name for task in missing], label)
    for task, _, outcome in zip(missing, names, run.run(make, pieces), strict=True):
        run.writer.take_over(outcome.files, outcome.written, outcome.contents)
        run.unmade.extend(outcome.unmade)
        # A part that could not be made is retried, and reported again, in every run. One whose
        # inputs changed meanwhile may show a mixture of both states.
        is_right = not outcome.unmade and run.inputs.are_current_for(task.files)
        slices = run.parts.add(task.name, task.key if is_right else "", outcome)
        out[task.name] = _Done(decode(outcome.out), slices)
    return [out[task.name] for task in tasks]


def _kept_of_part(run: _Run, part: Part | None) -> dict[str, Any]:
    """Return the fields of a job that describe what the last run left of its part."""
    # A writer that shares the folder looks for itself.
    files = part.files if part and run.sends_files else {}
    hashes = {file: digest for file, (digest, _) in files.items()}
    looks = run.parts.right_looks(part)
    return {"hashes": hashes, "looks": looks, "sends_files": run.sends_files}


def _surveys(run: _Run, socs: Sequence[_Soc]) -> dict[str, _Done[list[str]]]:
    """Return the newest results of each SoC as a slice per benchmark, and the platforms named in
    the commands of its runs."""

    def task(soc: _Soc) -> _Task:
        return _Task(f"newest of {soc.name}", soc.key, lambda _: soc.unit, soc.files)

    surveys = _parts(run, [*map(task, socs)], soc_pages.survey, list[str], "reading SoCs")
    return {soc.name: survey for soc, survey in zip(socs, surveys, strict=True)}


def _beyond(run: _Run, surveys: Mapping[str, _Done[list[str]]], plan: Plan) -> dict[str, Beyond]:
    """Return what the rules about each SoC's figures need to know about other SoCs."""
    names = sorted({name for survey in surveys.values() for name in survey.slices})
    tasks = [
        _benchmark_task(run, "outliers of", plan, name, _runs(surveys, name)) for name in names
    ]
    parts = _parts(run, tasks, benchmark.outliers, list[DistantHit], "comparing SoCs")
    hits = grouped((hit for part in parts for hit in part.outcome), lambda hit: hit.guide.soc)
    # Surveys have the platforms of commands in lower case.
    socs = {soc.casefold(): soc for soc in plan.addresses.soc}
    return {
        soc: Beyond(
            frozenset(socs[word] for word in survey.outcome if word in socs),
            tuple(hits.get(soc, ())),
        )
        for soc, survey in surveys.items()
    }


def _runs(surveys: Mapping[str, _Done[list[str]]], name: str) -> list[Slice]:
    return [survey.slices[name] for survey in surveys.values() if name in survey.slices]


def _benchmark_task(
    run: _Run,
    label: str,
    plan: Plan,
    name: str,
    runs: Sequence[Slice],
    of_socs: Sequence[Slice] = (),
    last: Iterable[GuideKey] = (),
) -> _Task:
    """Return a part about one benchmark, which is made from slices of SoCs."""
    # With the rest of the plan in the key, a new SoC would invalidate the pages of all benchmarks.
    pages = {name: plan.addresses.benchmark[name]} if name in plan.addresses.benchmark else {}
    spelt = {names: spelling for names, spelling in plan.spelt.items() if names[0] == name}
    benchmark_plan = replace(plan, addresses=Addresses({}, {}, pages), errata={}, spelt=spelt)
    settings, descriptions = _of_workers(run.settings), run.inputs.descriptions

    def sent(slices: Sequence[Slice]) -> tuple[Slice, ...]:
        return tuple(one.with_content() if run.sends_files else one for one in slices)

    def piece(part: Part | None) -> benchmark.Job:
        given = (sent(of_socs), sent(runs), frozenset(last))
        return benchmark.Job(
            settings, descriptions, benchmark_plan, name, *given, **_kept_of_part(run, part)
        )

    key = hash_of(
        *(run.inputs.rules, run.inputs.of_descriptions([name]), pages, spelt, sorted(last)),
        # Only a slice's content counts, not its location.
        *([one.digest for one in slices] for slices in (of_socs, runs)),
    )
    return _Task(f"{label} {name}", key, piece)


def _of_workers(settings: Settings) -> Settings:
    """Return the settings that workers need."""
    return replace(settings, results=(), releases=(), compare=(), cache=None, scheduler="")


def _write_socs(
    run: _Run, socs: Sequence[_Soc], beyond: Mapping[str, Beyond]
) -> list[_Done[Summary]]:
    """Write the pages of each SoC that has changed."""

    def task(soc: _Soc) -> _Task:
        others = beyond[soc.name]

        def piece(part: Part | None) -> Job:
            return Job(soc.unit, soc.plan, others, **_kept_of_part(run, part))

        return _Task(f"pages of {soc.name}", hash_of(soc.key, others), piece, soc.files)

    return _parts(run, [*map(task, socs)], soc_pages.make, Summary, "writing SoCs")


def _write_benchmarks(
    run: _Run,
    site: Site,
    outcomes: Sequence[_Done[Summary]],
    surveys: Mapping[str, _Done[list[str]]],
) -> dict[str, BenchmarkOutcome]:
    """Write the pages of benchmarks, and return the outcome of each."""

    def task(name: str) -> _Task:
        slice_name = soc_pages.benchmark_slice(name)
        measured = [soc for soc in outcomes if slice_name in soc.slices]
        socs = {soc.outcome.soc for soc in measured}
        last = [keys[-1] for platform, keys in site.families.items() if platform.soc in socs]
        of_socs = [soc.slices[slice_name] for soc in measured]
        return _benchmark_task(
            run, "benchmark", site.plan, name, _runs(surveys, name), of_socs, last
        )

    tasks = [*map(task, site.addresses.benchmark)]
    written = _parts(run, tasks, benchmark.make, BenchmarkOutcome, "writing benchmarks")
    return {
        name: part.outcome for name, part in zip(site.addresses.benchmark, written, strict=True)
    }


def _write(
    site: Site,
    settings: Settings,
    outcomes: Sequence[_Done[Summary]],
    of_benchmarks: Mapping[str, BenchmarkOutcome],
) -> list[Diagnostic]:
    """Write the lists of all guides, benchmarks, comparisons and data, and the reports. Return the
    findings about hand-written lists."""
    summaries = [soc.outcome for soc in outcomes]
    guides = {guide.key: guide for soc in summaries for guide in soc.guides}
    # A guide is missing if all of its bundles changed while being read.
    listed = [guides[key] for key in site.guides if key in guides]
    compared = [pair for soc in summaries for pair in soc.compared]
    lists.write_overview(site, listed, compared)
    lists.write_guides(site, listed, compared)
    _write_benchmarks_index(site, listed, of_benchmarks)
    # Without comparisons, it is unknown which waivers are needed.
    used: set[tuple[str, int]] | None = None
    if extras.is_installed("compare"):
        verdicts.write_ledger(site, verdicts.neighbours(compared))
        lists.write_comparisons(site, listed, compared)
        used = {waiver for soc in summaries for waiver in soc.used_waivers}
    else:
        compare.write_missing(site, extras.advice("compare"))
    provenance.write_index(site)
    corrections = [correction for soc in summaries for correction in soc.corrections]
    tags = {pair.new: pair.verdict.brief for pair in compared if pair.verdict and not pair.is_asked}
    provenance.write_errata_index(site, corrections, tags)
    write_files.page(site, "reports/index", "reports.rst.jinja")
    diagnostics = [diagnostic for soc in summaries for diagnostic in soc.diagnostics]
    diagnostics += without_guide(site.guides, settings.compare)
    diagnostics += compare.faults_of_lists(settings, used)
    diagnostics += _write_health(site, settings, outcomes)
    by_soc = [guide for soc in site.addresses.soc for guide in listed if guide.key.soc == soc]
    files = {guide.key: guide.files for guide in by_soc if guide.files}
    metrics = {summary.soc: summary.metrics for summary in summaries}
    downloads.write_indexes(site, files, metrics, sum(guide.figures for guide in listed))
    words = [guide.findable for guide in listed]
    words += [outcome.findable for outcome in of_benchmarks.values()]
    words.append(health.findable(key.os for key in site.guides))
    # Without comparisons, there are no pages of moves.
    words += verdicts.findable_moves(site) if extras.is_installed("compare") else []
    worst = (
        described.param_label(name)
        for described in site.catalog.benchmarks.values()
        for name, param in described.entry.params.items()
        if param.worst
    )
    site.writer.write("guides/words.json", search_words.index(words, worst))
    return [*diagnostics, *_write_moved(site, settings)]


def _write_health(
    site: Site, settings: Settings, outcomes: Sequence[_Done[Summary]]
) -> tuple[Diagnostic, ...]:
    """Write the report on the health of figures, and return the faults of the acknowledgements."""
    findings, entries, slices = list[Finding](), {}, {}
    decides: dict[str, str] = {}
    for soc in outcomes:
        for listed in soc.outcome.findings:
            finding = listed.finding
            findings.append(finding)
            entries[finding.id] = listed.entry
            decides[finding.id] = listed.decides
            slices[finding.id] = soc.slices[soc_pages.finding_slice(finding)]
    guides = [guide for soc in outcomes for guide in soc.outcome.guides]
    measured = {guide.key: guide.measured.date() for guide in guides}
    used = {number for soc in outcomes for number in soc.outcome.used_acknowledgements}
    faults = tuple(acknowledged.faults(settings.acknowledged, rules.RULES, used))
    checked = Health(tuple(ranked_findings(findings)), faults)
    contents = (
        # Read them one by one while writing, since those of all SoCs may not fit into memory.
        msgspec.msgpack.decode(slices[finding.id].read(), type=dict[str, Any])
        for finding in checked.findings
    )
    site.making.attempt(
        "the report on health",
        report.PAGE,
        partial(health.write, site, checked, entries, decides, contents, measured),
        partial(write_files.notice, site, report.PAGE, "Health of the figures"),
    )
    return faults


def _write_moved(site: Site, settings: Settings) -> list[Diagnostic]:
    """Write a page at each old address that redirects, and return the faults in the list of
    these."""
    moved, faults = redirects.load(settings.redirects, partial(_is_page, site.writer))
    for move in moved:
        # Make the target relative, as the site may be in any folder of a server.
        target = "/".join([".."] * move.old.count("/") + [move.new])
        values: dict[str, Any] = {"title": f"Moved: {move.old}", "target": target, "to": move}
        write_files.page(site, move.old, "moved.rst.jinja", **values)
    return faults


def _is_page(writer: Writer, address: str) -> bool:
    """Return whether this build or a person has a page at an address.

    A redirect from an earlier build does not count, even if that build's list of files is gone.
    """
    name = f"{address}.rst"
    if name in writer.files:
        return True
    if name in writer.ours or not (writer.root / name).is_file():
        return False
    text = (writer.root / name).read_bytes()
    return not (text.startswith(write_files.GENERATED) and b"\n:perf-redirect: " in text)


def _write_benchmarks_index(
    site: Site, listed: Sequence[GuideSummary], of_benchmarks: Mapping[str, BenchmarkOutcome]
) -> None:
    """Write the list of all benchmarks, by chapters."""
    described = site.catalog.benchmarks
    chapters: dict[str, list[dict[str, Any]]] = {}
    for name in dict.fromkeys(
        (*(name for name in described if name in of_benchmarks), *of_benchmarks)
    ):
        chapter = described[name].entry.chapter if name in described else "Other results"
        guides = [guide for guide in listed if name in guide.benchmarks]
        chapters.setdefault(chapter, []).append(
            {
                "title": site.catalog.title(name),
                "page": site.addresses.benchmark[name].removeprefix("by-benchmark/"),
                "row": of_benchmarks[name].row,
                "socs": len({guide.key.soc for guide in guides}),
                "date": max((guide.measured.date().isoformat() for guide in guides), default=""),
            }
        )
    write_files.page(site, "by-benchmark/index", "benchmarks.rst.jinja", chapters=chapters)


def _finish(
    run: _Run,
    site: Site,
    sources: Sequence[Source],
    summaries: Sequence[Summary],
    diagnostics: Sequence[Diagnostic],
) -> Outcome:
    """Remove stale files, and keep what the next run can use."""
    writer = run.writer
    write_files.gitignore(site)
    figures = sum(guide.figures for summary in summaries for guide in summary.guides)
    unmade = (*run.unmade, *site.making.unmade)
    whole = _WholeSite((*diagnostics, *unmade), tuple(site.guides), figures)
    files = dict(writer.files)
    writer.finish()
    with suppress(UnicodeEncodeError):  # findings may name a file whose name is not valid UTF-8
        # The same condition as for any part: see _parts().
        if not unmade and run.inputs.are_current():
            key = hash_of(run.inputs.everything, run.settings.formats)
            run.parts.add(SITE, key, Made(summary.encode(whole), files=files))
    run.parts.save()
    writer.store.save(only_used=True)
    return _outcome(whole, writer, run.inputs, run.settings, sources, run.progress)


def _quoted_from(
    settings: Settings,
    descriptions: str,
    sources: Sequence[Source],
    store: Store,
    progress: Progress[Any],
) -> Callable[[str], tuple[Holdings, Addresses]]:
    """Return a function that reads the figures of the SoCs whose names match a pattern, ignoring
    case, and returns them with the addresses of all pages: for texts that quote a figure."""

    @cache
    def planned() -> tuple[Ledger, dict[tuple[str, str], Source], Plan]:
        ledger, files, _ = _read_heads(settings, store, sources, progress)
        if settings.releases:
            ledger, _ = dataset.only(ledger, settings.releases)
        return ledger, files, plan_of(ledger, catalog_of(settings.benchmarks, descriptions)[0])

    def read(socs: str) -> tuple[Holdings, Addresses]:
        ledger, files, plan = planned()
        contents = [
            (item.origin, item.digest)
            for item in ledger.bundles
            if fnmatchcase(item.bundle.board.soc.casefold(), socs.casefold())
        ]
        wanted_files = tuple(dict.fromkeys(files[names] for names in contents))
        of_socs = Unit(settings, descriptions, socs, wanted_files, tuple(contents), (), plan.spelt)
        return soc_pages.read(of_socs), plan.addresses

    return read


def _outcome(
    site: _WholeSite,
    writer: Writer,
    inputs: Inputs,
    settings: Settings,
    sources: Sequence[Source],
    progress: Progress[Any],
) -> Outcome:
    return Outcome(
        site.diagnostics,
        tuple(writer.written),
        tuple(writer.removed),
        site.keys,
        site.figures,
        inputs.everything,
        inputs.listings,
        cache(lambda: dataset.read(settings, progress)),
        _quoted_from(settings, inputs.descriptions, sources, writer.store, progress),
    )
