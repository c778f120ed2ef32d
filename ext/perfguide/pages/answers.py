"""The top of a guide: its headline results by board, with their history and their change since the
previous release, and sentences on crypto, changes and doubts."""

from __future__ import annotations

import json
import math
import sys
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import msgspec
from msgspec import UNSET

from ..bundles.decode import Loaded
from ..bundles.guide_key import GuideKey
from ..catalog.benchmarks import Benchmark, Catalog, Metric, Scalar
from ..charts import trends
from ..common import slugs, units
from ..common.diagnostics import SEVERITIES
from ..common.grouping import grouped
from ..compare import event_groups, event_titles, row_texts
from ..compare.comparison import Comparison
from ..compare.failed_rows import FAILED_RUN_BEFORE
from ..compare.failing_runs import of_best_runs
from ..compare.headline import headline
from ..compare.match import Names
from ..compare.not_compared import REPEATED
from ..compare.row import WORDS, Row
from ..compare.row_moves import has_left_mean
from ..compare.select import ReleasePair
from ..figures import engines, labels
from ..figures.engines import Inferred, Run, run_of
from ..figures.pool import Record
from ..figures.rows import TABLE, TABLE_NUMBER
from ..figures.scales import full_bar
from ..health.finding import KIND_WORDS
from ..health.report import COUNTED
from ..health.report import PAGE as HEALTH
from ..tables import summaries
from .compare import ComparisonPlan, comparison
from .context import Site
from .hardware_crypto import CryptoAnswer, CryptoRun, answer_of_guides, crypto_runs
from .health import section_of
from .sentences import Fact, Link, Part, board_in_words, section_name

MAX_ROWS_OF_HEADLINE = 3
"""The maximum number of rows per headline; they differ in a parameter, such as the engine."""

MAX_HISTORY_RELEASES = 16
"""The maximum number of releases in a history; the newest are chosen."""

MAX_NAMED_FINDINGS = 2
"""The number of findings that a sentence names; the page it links to has them all."""

MIN_GUIDES_WITH_USUAL = 4
"""From this many guides of a SoC on, findings that most of them share count as usual."""

MAX_DOUBTFUL = 2
"""The number of doubtful figures that a chapter names; the table marks every one."""

UNCHANGED = {WORDS["steady"], WORDS["same"]}
UNPROVED = {WORDS["noisy"], *UNCHANGED}
"""The verdicts that there was no change, and those that none is proved."""

MIN_SIZE_RATIO = 10
"""The least ratio of rates with the largest blocks and with the smallest that is stated."""

BEST_RUN = "best run"
"""The start of the verdict on a result whose other runs failed with the previous release."""

NEW = "new"
"""The verdict on a result that the previous release lacks."""

MIN_REACH_SHARE = 0.1
"""The minimum range of a history above and below its middle, as a share of the middle, so that
noise looks small."""


class Value(msgspec.Struct, frozen=True, omit_defaults=True):
    """A headline figure of one board: its text, and its number in the row's unit; its share of a
    full bar, above 1 if the bar is cut off, or ``None`` for no bar; the name of its table in links,
    and its row's anchor on the page. ``doubt`` says why it cannot lead. ``engine`` and ``load``, in
    per cent, are those of its run, if it depends on an engine. ``is_on_cpu`` says whether that ran
    on the CPU; ``None`` if unknown. ``runs`` are the ends of runs that are far apart."""

    text: str
    table: str
    row: str
    number: float | None = None
    share: float | None = None
    doubt: str = ""
    engine: str = ""
    load: float | None = None
    is_on_cpu: bool | None = None
    runs: tuple[float, float] | None = None


class Result(msgspec.Struct, frozen=True):
    """A headline result for lists of SoCs: the best of all boards and engines of one guide.
    ``number`` is ``None`` if the measurement failed; ``rank`` orders results in the list of guides.
    ``engine`` and ``load`` are those of the run, ``load_of`` says whether the load is ``of one
    core`` or of all, and ``is_on_cpu`` and ``runs`` are as in :class:`Value`. ``is_from_table`` is
    set for a row of a numbered table, which repeats another row under other conditions.
    ``condition`` are the parameters in ``detail`` except the engine, or empty for a part of a
    run."""

    benchmark: str
    label: str
    detail: str
    unit: str
    better: units.Better
    board: str
    text: str
    row: str
    number: float | None
    doubt: str
    rank: int
    engine: str = ""
    load: float | None = None
    is_from_table: bool = False
    is_on_cpu: bool | None = None
    runs: tuple[float, float] | None = None
    condition: str = ""
    load_of: str = ""


Curve = tuple[tuple[float, float], ...]
"""The points of a history, each as release (oldest first) and figure, both scaled to 0 to 1."""


class Answer(msgspec.Struct, frozen=True, omit_defaults=True):
    """One headline: its name, what distinguishes it from others of its kind, and its unit; per
    board of the guide, its value, or ``None`` if not measured, and the curves of its history, a new
    one each time engine, clock or memory changed; and the verdict. ``is_part`` is set if it is
    about a part of a run, such as a core; then the worst part counts. ``is_from_table`` is as in
    :class:`Result`."""

    benchmark: str
    label: str
    detail: str
    unit: str
    better: units.Better
    values: tuple[Value | None, ...]
    history: tuple[tuple[Curve, ...], ...]
    judged: str
    is_part: bool = False
    is_from_table: bool = False


class Answers(msgspec.Struct, frozen=True):
    """Everything that the top of a guide says. ``boards`` are pairs of short and full names.
    ``span`` names the first and last release of the histories, empty if there is just one.
    ``before`` is the release that verdicts compare with, or empty; ``worse`` is what got worse
    since, with the page that compares the two. ``clocks`` are the boards' CPU clocks, each empty if
    unknown or not unique. ``worth`` says whether a crypto accelerator is worth it."""

    facts: tuple[Fact, ...]
    boards: tuple[tuple[str, str], ...]
    span: str
    before: str
    rows: tuple[Answer, ...]
    more: int = 0
    worse: Part | None = None
    clocks: tuple[str, ...] = ()
    worth: CryptoAnswer | None = None


class Judged(msgspec.Struct, frozen=True):
    """A comparison's words about a guide: a sentence in two parts, what got worse, and by headline
    name the verdicts and, where no change is proved, the relative changes and usual scatters."""

    lead: str
    rest: str
    worse: str
    verdicts: dict[str, str]
    unproved: dict[str, tuple[float, float | None]]


@dataclass(frozen=True, slots=True)
class _Figures:
    """A guide's figures, the CPU load of each of its runs, the inferred engines, the runs that show
    whether a crypto accelerator is worth it, and the figures by their current names."""

    records: Sequence[Record]
    loads: Mapping[Run, float]
    inferred: Mapping[Run, Inferred]
    crypto_runs: Sequence[CryptoRun]
    by_name: dict[str, list[Record]]


class Headlines:
    """The headline figures of a site's guides; each guide is read once."""

    def __init__(self, site: Site, plan: ComparisonPlan) -> None:
        self._site, self._plan, self._names = site, plan, plan.rules.names
        self._read: dict[GuideKey, _Figures] = {}
        self._usual_findings = _shared_by_most(site)

    def of(self, key: GuideKey) -> Answers:
        """Return the answers at the top of a guide."""
        site = self._site
        family = site.families[key.platform]
        releases = family[: family.index(key) + 1][-MAX_HISTORY_RELEASES:]
        pair = self._pair(key)
        judged = self._judged(pair) if pair else None
        if key == family[-1]:
            # The platform's history is not needed again until its comparisons are written.
            self._plan.history.forget(key.platform)
        figures = self._figures(key)
        boards = summaries.natural_boards(site.pool.of_guide(key))
        chosen, more = self._chosen(figures.records)
        rows = tuple(self._answer(group, boards, releases, judged) for group in chosen)
        facts = [
            *self._crypto(chosen, rows, boards, figures, judged),
            *self._changed(key, pair, judged),
            *self._careful(key),
        ]
        return Answers(
            tuple(facts),
            tuple((site.boards.short(key.soc, board), board) for board in boards),
            f"{releases[0].release} to {releases[-1].release}" if len(releases) > 1 else "",
            pair.old.release if pair else "",
            rows,
            more,
            Part(judged.worse, pair.address) if pair and judged and judged.worse else None,
            _clocks(site.pool.bundles_of([key]), boards),
            answer_of_guides(
                site.boards, {guide: self._figures(guide).crypto_runs for guide in releases}
            ),
        )

    def _figures(self, key: GuideKey) -> _Figures:
        """Return the figures of a guide that its headlines are chosen from, and those that show
        which engine ran."""
        # Each guide appears in the histories of up to 15 later ones.
        if key not in self._read:
            catalog = self._site.catalog

            def wanted(benchmark: str, metric: str) -> bool:
                described = catalog.benchmark(benchmark)
                name = self._names.metric_today(benchmark, metric)
                entry = described.metric(name)
                is_beside = name == engines.LOAD
                return engines.ENGINE in described.entry.params or bool(
                    entry and (entry.short or is_beside)
                )

            records = self._site.pool.of_guide(key, wanted)
            by_name = grouped(records, lambda record: _name(record, self._names))
            loads, inferred = engines.loads(records), engines.inferred(records, catalog)
            runs = crypto_runs(catalog, self._site.boards, records, loads, inferred)
            self._read[key] = _Figures(records, loads, inferred, runs, by_name)
        return self._read[key]

    def _chosen(self, records: Sequence[Record]) -> tuple[list[list[Record]], int]:
        """Return the records of each row, one per board, and the number of rows left out."""
        rows, more = list[list[Record]](), 0
        for benchmark in self._site.catalog.benchmarks.values():
            of_benchmark = [record for record in records if record.benchmark == benchmark.name]
            for metric in benchmark.entry.metrics if of_benchmark else ():
                if not (metric.headline and metric.short):
                    continue
                groups = _by_params(benchmark, metric, of_benchmark)
                ranked = sorted(groups.values(), key=partial(self._best, better=metric.better))
                kept = ranked[-MAX_ROWS_OF_HEADLINE:]
                if _has_parts(benchmark, groups.values()):
                    kept = self._worst(ranked, metric.better)
                # Compare by identity: the rows keep the order of the catalog, not this one.
                named = {id(group) for group in kept}
                rows += [
                    group
                    for _, group in sorted(groups.items(), key=lambda item: item[0])
                    if id(group) in named
                ]
                more += len(groups) - len(named)
        return rows, more

    def _worst(self, ranked: Sequence[list[Record]], better: units.Better) -> list[list[Record]]:
        """Return the rows of parts, worst first, that have the worst figure of a board, filled up
        with other rows as far as there is room."""
        worst: dict[str, tuple[float, list[Record]]] = {}
        for group in ranked:
            for record in group:
                goodness = self._best([record], better)
                least, _ = worst.get(record.board, (math.inf, group))
                # Failed and doubtful figures sort last, but are not a board's worst.
                if -math.inf < goodness < least:
                    worst[record.board] = goodness, group
        kept = [group for _, group in worst.values()]
        named = {id(group) for group in kept}
        room = max(0, MAX_ROWS_OF_HEADLINE - len(named))
        return kept + [group for group in ranked if id(group) not in named][:room]

    def _answer(
        self,
        records: Sequence[Record],
        boards: Sequence[str],
        releases: Sequence[GuideKey],
        judged: Judged | None,
    ) -> Answer:
        like = records[0]
        benchmark, metric = _described(self._site, like)
        means = [record.cell.mean for record in records if record.cell.mean is not None]
        # Use one unit for all boards, so that they compare at a glance.
        unit, factor = units.readable(like.unit, means)
        of_board = {record.board: record for record in records}
        # A doubtful figure, such as one ten times too high, would shorten all other bars.
        sound = (record.cell.mean for record in records if not self._doubt(record))
        full = full_bar(mean for mean in sound if mean is not None)
        values = tuple(
            self._value(of_board[board], factor, full) if board in of_board else None
            for board in boards
        )
        history = tuple(
            self._past(of_board[board], releases) if board in of_board else () for board in boards
        )
        words = labels.headline_params(benchmark, like)
        # A headline may be named after its parameter, which would then appear twice.
        detail = "" if words == metric.short else words
        return Answer(
            like.benchmark,
            metric.short,
            detail,
            units.parse(unit).symbol,
            metric.better,
            values,
            _framed(history, len(releases)),
            self._verdict(records, judged),
            _has_parts(benchmark, [records]),
            not like.params.keys().isdisjoint((TABLE, TABLE_NUMBER)),
        )

    def _best(self, records: Iterable[Record], better: units.Better) -> float:
        """Return how good the best of some figures is; higher is better."""
        means = (record.cell.mean for record in records if not self._doubt(record))
        sign = -1 if better == "lower" else 1
        return max((sign * mean for mean in means if mean is not None), default=-math.inf)

    def _doubt(self, record: Record) -> str:
        return self._site.marks.doubt(record)

    def _value(self, record: Record, factor: float, full: float) -> Value:
        anchor = self._plan.anchors.of(record)
        row = f"{slugs.anchor(anchor.table)}{anchor.row}"
        mean = record.cell.mean
        if mean is None:
            return Value(units.FAILED, anchor.table, row)
        doubt, number = self._doubt(record), units.scaled(mean, factor)
        share = None if doubt else abs(mean) / full if full else 0.0
        text = units.number(number)
        ends = record.cell.ends_apart
        runs = (units.scaled(ends[0], factor), units.scaled(ends[1], factor)) if ends else None
        engine = self._runs_on(record)
        return Value(text, anchor.table, row, number, share, doubt, *engine, runs)

    def _runs_on(self, record: Record) -> tuple[str, float | None, bool | None]:
        """Return the engine of a figure, the CPU load at a rate, and whether it ran on the CPU, if
        it depends on an engine."""
        benchmark = self._site.catalog.benchmarks[record.benchmark]
        figures = self._figures(record.guide)
        load = figures.loads.get(run_of(record)) if record.metric == engines.RATE else None
        if engines.ENGINE not in benchmark.entry.params:
            return "", load, None
        is_on_cpu = engines.is_on_cpu(benchmark, record, figures.inferred, load)
        return engines.label(benchmark, record, figures.inferred), load, is_on_cpu

    def _past(
        self, record: Record, releases: Sequence[GuideKey]
    ) -> tuple[tuple[tuple[int, float], ...], ...]:
        """Return the same figure over the releases as (position, figure), in pieces that are
        separated by changes of engine, clock or memory."""
        name, points = _name(record, self._names), list[tuple[int, float, float | None]]()
        for position, key in enumerate(releases):
            figures = self._figures(key)
            same = figures.by_name.get(name, [])
            # A guide may have a metric under both its old and its new name.
            for other in [r for r in same if r.metric == record.metric] or same:
                scale = units.factor(other.unit, record.unit)
                # A doubtful figure may be far off, and would flatten the rest of the curve.
                if other.cell.mean is None or scale is None or self._doubt(other):
                    continue
                points.append((position, other.cell.mean * scale, figures.loads.get(run_of(other))))
        scene = self._site.scenes[record.guide.platform]
        stated = [(releases[position].release, load) for position, _, load in points]
        breaks = trends.breaks(scene, record.guide.soc, record.board, stated)
        pieces = list[list[tuple[int, float]]]()
        for number, (position, mean, _) in enumerate(points):
            if not pieces or number in breaks:
                pieces.append([])
            pieces[-1].append((position, mean))
        return tuple(map(tuple, pieces))

    def _verdict(self, records: Iterable[Record], judged: Judged | None) -> str:
        """Return a row's change since the previous release, stated once for all boards that
        agree."""
        if judged is None:
            return ""
        names = {record.board: _name(record, self._names) for record in records}
        verdicts = {
            board: judged.verdicts[name] for board, name in names.items() if name in judged.verdicts
        }
        if not verdicts:
            return NEW

        def words(boards: Iterable[str], verdict: str) -> str:
            changes = [judged.unproved[names[b]] for b in boards if names[b] in judged.unproved]
            return changes_text(changes) if changes and verdict == WORDS["noisy"] else verdict

        if len(set(verdicts.values())) == 1:
            return words(verdicts, next(iter(verdicts.values())))
        if {*verdicts.values()} <= UNPROVED:
            return words(verdicts, WORDS["noisy"])
        soc, short = next(iter(records)).guide.soc, self._site.boards.short
        usual, count = Counter(verdicts.values()).most_common(1)[0]
        alike = [board for board, verdict in verdicts.items() if verdict == usual and count > 1]
        named = [
            f"{short(soc, board)} {words([board], verdict)}"
            for board, verdict in verdicts.items()
            if board not in alike
        ]
        # Boards that are not named did not change.
        others = [f"others {words(alike, usual)}"] if alike and usual not in UNCHANGED else []
        # The changes themselves contain commas.
        return "; ".join([*named, *others])

    def _before(self, key: GuideKey) -> list[GuideKey]:
        """Return the guide of the previous release, if there is one."""
        family = self._site.families[key.platform]
        return family[: family.index(key)][-1:]

    def _pair(self, key: GuideKey) -> ReleasePair | None:
        """Return the comparison of a guide with the previous release."""
        older = self._before(key)
        pairs = self._plan.pairs
        return next((p for p in pairs if p.new == key and [p.old] == older), None)

    def _judged(self, pair: ReleasePair) -> Judged | None:
        """Return the comparison of two guides in words, or ``None`` if it could not be made."""
        site, plan = self._site, self._plan
        return site.making.attempt(
            f"what became of the figures of {pair.old.release}",
            site.addresses.guide[pair.new],
            lambda: _in_words(site, comparison(site, plan, pair)),
            lambda _why: None,
        )

    def _crypto(
        self,
        chosen: Sequence[Sequence[Record]],
        rows: Sequence[Answer],
        boards: Sequence[str],
        figures: _Figures,
        judged: Judged | None,
    ) -> list[Fact]:
        """Return, for each headline that depends on an engine, the fastest board with its load,
        engine and fall, by the chapter of the benchmark. Consecutive ones of one name have it
        once."""
        by_chapter: dict[str, list[Part]] = {}
        named = ""
        for records, row in zip(chosen, rows, strict=True):
            benchmark, _ = _described(self._site, records[0])
            measured = [r for r in records if r.cell.mean is not None and not self._doubt(r)]
            if not (benchmark.param(engines.ENGINE).classes and measured):
                continue
            parts = by_chapter.setdefault(benchmark.entry.chapter, [])
            best = max(measured, key=lambda record: record.cell.mean or 0)
            value = row.values[boards.index(best.board)]
            assert value is not None  # it was measured
            load = figures.loads.get(run_of(best))
            at_load = engines.at_load(load, engines.load_of(benchmark))
            name = labels.headline(benchmark, engines.without_engine(benchmark, best))
            lead = "" if name == named else f"{name}: "
            named = name
            text = f"{lead}{value.text} {row.unit}{at_load}"
            equal = [r for r in measured if r.cell.mean == best.cell.mean]
            board = units.enumeration(
                [board_in_words(self._site.boards.short(r.guide.soc, r.board)) for r in equal]
            )
            # If all boards are equally fast, none is the fastest.
            fastest = f", the fastest of {len(measured)} boards"
            about = f"{board}{fastest if len(equal) < len(measured) else ''}; {_engine(benchmark, best, figures.inferred)}"
            moved = judged.verdicts.get(_name(best, self._names), "") if judged else ""
            if moved.startswith((WORDS["regressed"], BEST_RUN)):
                about += f"; {moved} since the previous release"
            parts += [Part("; ")] if parts else []
            parts += [Part(text, name=value.table, strong=True), Part(f" ({about})")]
        return [Fact(chapter, (*parts, Part("."))) for chapter, parts in by_chapter.items()]

    def _changed(
        self, key: GuideKey, pair: ReleasePair | None, judged: Judged | None
    ) -> list[Fact]:
        # Without an older release, installing the package would not help.
        if self._plan.missing and self._before(key):
            parts = [Part(self._plan.missing)]
        elif pair is None:
            parts = [Part("This is the first release with figures here.")]
        # The comparison page, linked below, says why.
        elif judged is None:
            parts = []
        else:
            parts = [Part(judged.lead, strong=True)]
            parts += [Part(f" {judged.rest}")] if judged.rest else []
        for link in self._comparisons(key, pair):
            parts += [Part(" "), Part(link.words, link.page)]
        return [Fact("Changed", tuple(parts))]

    def _comparisons(self, key: GuideKey, pair: ReleasePair | None) -> list[Link]:
        """Return links to the comparisons with older releases."""
        pairs = [p for p in self._plan.pairs if p.new == key]
        # The previous release comes first; the others are pairs from the settings.
        return [
            Link(f"Compare with {compared.old.release}", compared.address)
            for compared in sorted(pairs, key=lambda p: p != pair)
        ]

    def _careful(self, key: GuideKey) -> list[Fact]:
        """Return the doubts that the health checks raise about a guide."""
        # The comparison names the lost figures, so neither these words nor Health do.
        every = [
            finding
            for finding in self._site.findings.get(key, ())
            if not finding.acknowledged and finding.rule.id not in COUNTED
        ]
        if not every:
            return [Fact("Careful", (Part("No check found a problem with these figures."),))]
        usual = [f for f in every if (f.rule.id, f.benchmark) in self._usual_findings]
        worst = min((finding.severity for finding in every), key=SEVERITIES.index)
        of_worst = [finding for finding in every if finding.severity == worst]
        of_worst.sort(key=lambda finding: (-finding.figures, finding in usual))
        titles = [
            f"{self._site.catalog.title(f.benchmark)}, {f.rule.title} ({units.with_noun(f.figures, 'figure')})"
            for f in of_worst
        ]
        named = "; ".join(titles[:MAX_NAMED_FINDINGS])
        left = len(titles) - MAX_NAMED_FINDINGS
        more = f"; and {left} more" if left > 0 else ""
        kind, is_all = f" of {KIND_WORDS[worst]} figures", len(of_worst) == len(every)
        noun, kind = ("note", "") if worst == "note" else ("finding", kind)
        count = units.with_noun(len(of_worst), noun) if is_all else str(len(of_worst))
        before = () if is_all else (Part(f"{len(every)} findings, "),)
        badge = Part(f"{count}{kind}", strong=True, severity=worst)
        link = Part("Health", HEALTH, section_name(HEALTH, section_of(self._site, key)))
        shared = f"{len(usual)} of these findings" if len(every) > 1 else "This finding"
        verb = "is" if len(usual) == 1 else "are"
        rest = f" {shared} {verb} in most guides of this SoC." if usual else ""
        return [Fact("Careful", (*before, badge, Part(f": {named}{more}.{rest} "), link))]


def _shared_by_most(site: Site) -> set[tuple[str, str]]:
    """Return the rules and benchmarks that have findings in most of a SoC's guides."""
    counts = Counter(
        kind
        for findings in site.findings.values()
        # Use a set, so that a guide counts once however many such findings it has.
        for kind in {(f.rule.id, f.benchmark) for f in findings if not f.acknowledged}
    )
    return {
        kind
        for kind, count in counts.items()
        if len(site.guides) >= MIN_GUIDES_WITH_USUAL and 2 * count > len(site.guides)
    }


def best_results(answers: Answers, catalog: Catalog) -> list[Result]:
    """Return the best figure of each headline under each condition, in the guide's order, after
    which come the best of engines elsewhere, on the CPU or not. For parts, such as cores, the worst
    of each board counts. A doubtful figure only counts if there is no other."""
    by_headline: dict[tuple[str, str], dict[tuple[object, ...], Result]] = {}
    for row in answers.rows:
        metrics = catalog.benchmarks[row.benchmark].entry.metrics
        rank = next((m.listed for m in metrics if m.short == row.label and m.listed), sys.maxsize)
        for value, (short, board) in zip(row.values, answers.boards, strict=True):
            if value is not None:
                result = Result(
                    *(row.benchmark, row.label, row.detail, row.unit, row.better, short),
                    *(value.text, value.row, value.number, value.doubt, rank),
                    *(value.engine, value.load, row.is_from_table, value.is_on_cpu, value.runs),
                    condition="" if row.is_part else _without(value.engine, row.detail),
                    load_of=engines.load_of(catalog.benchmarks[row.benchmark]),
                )
                by_condition = by_headline.setdefault((row.benchmark, row.label), {})
                key = (board,) if row.is_part else (board, row.detail)
                by_condition[key] = max(by_condition.get(key, result), result, key=_badness_of_part)
    out = list[Result]()
    for by_condition in by_headline.values():
        best: dict[tuple[str, bool | None], Result] = {}
        for candidate in sorted(
            by_condition.values(), key=lambda r: (r.is_from_table, *goodness(r))
        ):
            best.setdefault((candidate.condition, candidate.is_on_cpu), candidate)
        out += best.values()
    return out


def _without(engine: str, detail: str) -> str:
    # The parameters name a recorded engine too.
    return ", ".join(part for part in detail.split(", ") if part != engine)


def goodness(result: Result) -> tuple[bool, bool, float, float]:
    """Return a key that sorts the best result first, and of equal ones that of the steadier runs."""
    number = result.number or 0.0
    lower = number if result.better == "lower" else -number
    low, high = result.runs or (1.0, 1.0)
    return result.number is None, bool(result.doubt), lower, high / low


def _badness_of_part(result: Result) -> tuple[bool, bool, float]:
    """Return a key that sorts the worst undoubted result last."""
    no_number, is_doubtful, lower, _ = goodness(result)
    return not no_number, not is_doubtful, lower


def by_size(benchmark: Benchmark, records: Sequence[Record]) -> list[str]:
    """Return sentences on rates that are far higher with large blocks than with small ones, for the
    boards' headlines and, of several engines, the one that is fastest with the largest blocks."""
    out = []
    for metric in benchmark.entry.metrics:
        axis = metric.rises_with
        if not (metric.headline and axis in metric.at):
            continue
        idle = [r for r in records if r.cell.mean and engines.is_alone(r, benchmark)]
        fixed = {name: value for name, value in metric.at.items() if name != axis}
        runs: dict[Run, dict[float, Record]] = {}
        for record in summaries.at(msgspec.structs.replace(metric, at=fixed), idle):
            # A size that is only a name, such as “16k”, has no place in the order.
            if isinstance(size := record.params.get(axis), int | float):
                runs.setdefault(run_of(record), {})[size] = record
        sizes = sorted(set.intersection(*map(set, runs.values()))) if runs else []
        if len(sizes) < 2:
            continue
        small, large = sizes[0], sizes[-1]
        best = max((run[large] for run in runs.values()), key=lambda r: r.cell.mean or 0)
        engine = best.params.get(engines.ENGINE)
        alike = [run for run in runs.values() if run[large].params.get(engines.ENGINE) == engine]
        ends = {size: sorted(run[size].cell.mean or 0 for run in alike) for size in (large, small)}
        if ends[large][0] < MIN_SIZE_RATIO * ends[small][-1]:
            continue
        unit, factor = units.readable(best.unit, ends[large])
        symbol = units.parse(unit).symbol
        texts = []
        for size, rates in ends.items():
            low, high = rates[0], rates[-1]
            numbers = [units.number(units.scaled(v, factor), digits=3) for v in (low, high)]
            span = " to ".join(dict.fromkeys(numbers))
            texts.append(f"{span} {symbol} with {benchmark.value_label(axis, size)}")
        noun = benchmark.param_label(axis).partition(" ")[0].lower()
        conditions = ", ".join(
            benchmark.value_label(name, best.params[name])
            for name in fixed
            if best.params[name] != benchmark.param(name).default
        )
        out.append(f"Use large {noun}s: {conditions or metric.short} does {' and '.join(texts)}.")
    return out


def doubts(answers: Answers, benchmark: str) -> list[str]:
    """Return sentences on one benchmark's doubtful headlines."""
    out = []
    for row in answers.rows:
        doubtful = [
            (value, short)
            for value, (short, _) in zip(row.values, answers.boards, strict=True)
            if row.benchmark == benchmark and value is not None and value.number and value.doubt
        ]
        unit = "" if row.unit == units.SCORE else f" {row.unit}"
        name = ", ".join(filter(None, (row.label, row.detail)))
        out += [
            f"{name}: {value.text}{unit} on {board_in_words(short)} is in doubt ({value.doubt})."
            for value, short in doubtful[:MAX_DOUBTFUL]
        ]
    return out


def _described(site: Site, record: Record) -> tuple[Benchmark, Metric]:
    benchmark = site.catalog.benchmarks[record.benchmark]
    metric = benchmark.metric(record.metric)
    assert metric is not None  # only figures that the catalog knows are headlines
    return benchmark, metric


def _by_params(
    benchmark: Benchmark, metric: Metric, records: Sequence[Record]
) -> dict[tuple[object, ...], list[Record]]:
    """Return the figures of a headline by the sort key of their parameters."""
    # Figures measured alongside a load are not comparable with those of idle boards.
    idle = [record for record in records if engines.is_alone(record, benchmark)]
    return grouped(summaries.at(metric, idle), lambda record: benchmark.params_rank(record.params))


def _has_parts(benchmark: Benchmark, groups: Iterable[Sequence[Record]]) -> bool:
    """Return whether rows are about parts of runs, such as cores, whose worst one counts."""
    return any(benchmark.param(name).worst for records in groups for name in records[0].params)


def _name(record: Record, names: Names) -> str:
    """Return a figure's identity under current names."""
    board = names.boards.today(record.guide.soc, record.board)
    return _joined(board, record.benchmark, names.metric(record), names.params(record))


def _joined(board: str, benchmark: str, metric: str, params: Mapping[str, Scalar]) -> str:
    return json.dumps([board, benchmark, metric, sorted(params.items())])


def _in_words(site: Site, comparison: Comparison) -> Judged:
    # One cause is one change, however many figures moved with it.
    counts, decision = comparison.counts, headline(comparison)
    worst = event_groups.against(comparison)
    better = event_groups.improvements(comparison)
    remarks = ("not proved",) if worst and worst[0].kind == "noisy" else ()
    title = event_titles.event_title(worst[0], comparison, remarks) if worst else ""
    more = f"; and {len(worst) - 1} more" if len(worst) > 1 else ""
    first = f"{title}{more}." if title else ""
    parts = [first, _repeated(comparison)]
    parts.append(f"{units.with_noun(better, 'improvement')}." if better else "")
    rest = " ".join(filter(None, (*parts, _came_and_went(counts["only-old"], counts["only-new"]))))
    clocks = [event.rows for event in comparison.events if event.rows[0].is_clock]
    clock_of = {id(row): clock for clock, *followers in clocks for row in followers}
    headlines = [
        (_joined(row.board, row.benchmark, row.metric, row.params), row)
        for row in comparison.rows
        if _is_short(site, row)
    ]
    verdicts = {
        name: _moved(row, clock_of.get(id(row))) for name, row in headlines if row.new is not None
    }
    unproved = {
        # The comparison lists it as unusual, or the scatter is that at equal clock.
        name: (row.change, None if has_left_mean(row) or row.past else row.scatter)
        for name, row in headlines
        if WORDS[row.verdict] in UNPROVED and row.change is not None
    }
    lead = f"{decision.tag}{':' if title else '.'}"
    return Judged(lead, rest, f"{lead} {first}" if title else "", verdicts, unproved)


def _repeated(comparison: Comparison) -> str:
    """Return a sentence on the figures that equal those of the older release, or an empty
    string."""
    repeated = [row for row in comparison.rows if row.ground.startswith(REPEATED)]
    release = next((row.old.guide.release for row in repeated if row.old), "")
    if not repeated:
        return ""
    figures = (
        f"{units.with_noun(len(repeated), 'figure')} {_is(len(repeated))} repeated from {release}"
    )
    pronoun = "it" if len(repeated) == 1 else "they"
    return f"{figures}, alone or with more samples, so {pronoun} cannot show a change."


def changes_text(noisy: Sequence[tuple[float, float | None]]) -> str:
    """Return the unproved changes, with the widest usual scatter among them if all are known."""
    changes = [units.change_text(share) for share in sorted({share for share, _ in noisy})]
    # Two changes may round to the same text.
    span = " to ".join(dict.fromkeys((changes[0], changes[-1])))
    # Two changes in per cent share the sign.
    span = span.replace(" % to ", " to ") if span.endswith(" %") else span
    # The scatter of some rows says nothing about others.
    if any(scatter is None for _, scatter in noisy):
        return f"{span}, not proved"
    return f"{span}, {row_texts.scatter_text(max(scatter or 0.0 for _, scatter in noisy))}"


def _came_and_went(gone: int, new: int) -> str:
    """Return a sentence on how many figures only one of the two releases has, or an empty
    string."""
    parts = []
    if gone:
        parts.append(f"{units.with_noun(gone, 'figure')} {_is(gone)} no longer measured")
    if new:
        parts.append(f"{new if gone else units.with_noun(new, 'figure')} {_is(new)} new")
    return f"{', '.join(parts)}." if parts else ""


def _is(number: int) -> str:
    return "is" if number == 1 else "are"


def _is_short(site: Site, row: Row) -> bool:
    metric = site.catalog.benchmark(row.benchmark).metric(row.metric)
    return bool(metric and metric.short)


def _moved(row: Row, clock: Row | None) -> str:
    """Return a verdict, with the change if there is one, and the clock that a row followed."""
    if row.verdict == "only-new":
        return NEW
    # The head of the column and a sentence above it name the release.
    if row.ground.startswith(REPEATED):
        return "repeated"
    if row.ground.startswith(FAILED_RUN_BEFORE):
        # A mean with failed runs is no level to compare with, but the best run is.
        best = of_best_runs(row)
        return (
            f"{BEST_RUN} {row_texts.from_to(best)}, {row_texts.change_words(best)}"
            if best
            else FAILED_RUN_BEFORE
        )
    if row.verdict == "incomparable":
        return ": ".join(filter(None, (WORDS[row.verdict], row.ground.partition("; ")[0])))
    moved = row.verdict in ("regressed", "improved", "changed")
    followed = f" with its clock, {row_texts.from_to(clock)}" if clock else ""
    return f"{row_texts.outcome(row)}{followed}" if moved else row_texts.verdict(row)


def _clocks(bundles: Iterable[Loaded], boards: Sequence[str]) -> tuple[str, ...]:
    """Return each board's clock in GHz or MHz if all of its bundles that state one agree."""
    stated: dict[str, set[float]] = {}
    for item in bundles:
        board = item.bundle.board
        if board.cpu_mhz is not UNSET:
            stated.setdefault(board.name, set()).add(board.cpu_mhz)
    out = []
    for name in boards:
        clocks = stated.get(name, set())
        # If there are two clocks, nothing says at which of them a figure was measured.
        mhz = next(iter(clocks)) if len(clocks) == 1 else 0.0
        out.append("" if not mhz else f"{mhz / 1000:g} GHz" if mhz >= 1000 else f"{mhz:g} MHz")
    return tuple(out)


def _engine(benchmark: Benchmark, record: Record, inferred: Mapping[Run, Inferred]) -> str:
    value = record.params.get(engines.ENGINE, "")
    label = benchmark.value_label(engines.ENGINE, value)
    if value != benchmark.param(engines.ENGINE).default or run_of(record) not in inferred:
        return label
    reason = inferred[run_of(record)].reason
    # The load is already stated beside the rate.
    why = "" if reason.startswith("CPU load") else f": {reason}"
    return f"{label}, {engines.label(benchmark, record, inferred)}{why}"


def _framed(
    history: Sequence[Sequence[Sequence[tuple[int, float]]]], releases: int
) -> tuple[tuple[Curve, ...], ...]:
    """Return the histories of several boards, scaled to a common frame from 0 to 1 in both
    directions; empty if no board has a past."""
    figures = [y for pieces in history for piece in pieces for _, y in piece]
    if releases < 2 or not any(sum(map(len, pieces)) > 1 for pieces in history):
        return tuple(() for _ in history)
    low, high = min(figures), max(figures)
    middle = (low + high) / 2
    # If all figures are 0, any range puts them in the middle.
    reach = max((high - low) / 2, MIN_REACH_SHARE * abs(middle)) or 1.0
    return tuple(
        tuple(
            tuple(
                (round(x / (releases - 1), 4), round(0.5 + (y - middle) / (2 * reach), 4))
                for x, y in piece
            )
            for piece in pieces
        )
        for pieces in history
    )
