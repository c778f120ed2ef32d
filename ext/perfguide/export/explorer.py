"""The data of the explorer page, in files that it loads on demand: one per SoC with its releases,
boards and headline figures, and one per benchmark of a SoC.

Each file is a function call with one value, loaded by a ``script`` element. This also works for
pages opened from disk, where browsers refuse to fetch. Names from bundles are never used as keys,
as some of them have a special meaning in JavaScript.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache, partial
from typing import Any, TypeVar

from ..bundles.guide_key import GuideKey, Platform, family
from ..catalog.benchmarks import Benchmark, Scalar
from ..charts import trends
from ..charts.from_figures import Scene
from ..common import units
from ..common.diagnostics import visible
from ..common.grouping import grouped
from ..compare.match import Condition, Names, stated, tools_of
from ..compare.row import WORDS, Verdict
from ..compare.side_by_side import OWN_SCALE, clock_of
from ..figures import engines, labels
from ..figures.pool import Pool, Record
from ..tables import remarks, summaries

T = TypeVar("T")

MAX_FILE_BYTES = 300_000
"""The size limit of a file; a benchmark with too many figures of one SoC is split into several."""

MAX_SAMPLES = 50
"""The most samples that the page lists for a figure; beyond that it only has their number and
range."""

FOLDER = "explore"


def file_of(name: str, value: Any) -> bytes:
    """Return a file that passes a value on under a name. It is pure ASCII."""
    return file_of_json(name, _json(value))


def file_of_json(name: str, text: str) -> bytes:
    """Return a file that passes an encoded value on under a name."""
    return f"perfguideData({json.dumps(name)},{text});\n".encode("ascii")


def _json(value: Any) -> str:
    return json.dumps(value, separators=(",", ":"), allow_nan=False)


def index(socs: Mapping[str, str]) -> dict[str, Any]:
    """Return the list of SoCs, each with the name of its folder."""
    return {"socs": [[soc, socs[soc]] for soc in sorted(socs, key=units.natural)]}


@dataclass(frozen=True, slots=True)
class GuideOfSoc:
    """A guide of a SoC as listed by the explorer: its path, its figures, the day of its newest run,
    and the index of each run by the position of its bundle, from :func:`texts_of_runs`."""

    key: GuideKey
    path: str
    records: Sequence[Record]
    date: str
    runs: Mapping[int, int]


@dataclass(frozen=True, slots=True)
class _Figure:
    """A figure under current names, with the CPU load of its run and its engine in words."""

    record: Record
    board: str
    metric: str
    params: dict[str, Scalar]
    load: float | None
    engine: str

    @property
    def row(self) -> tuple[object, ...]:
        """The benchmark, metric, unit and parameters, which identify a row."""
        # True equals 1 in Python, so the type is part of the key.
        params = tuple((n, type(v).__name__, v) for n, v in sorted(self.params.items()))
        return self.record.benchmark, self.metric, self.record.unit, params


class FiguresOfSoc:
    """The figures of one SoC, written with indices that its files share.

    ``guides`` are in the order of their systems, newest release first. ``verdicts`` are those
    against the previous release, keyed by the figure's first row in the frame. ``section`` returns
    the anchor of a figure's section in its guide, and ``doubts`` the sign of a figure in doubt
    and the reason."""

    def __init__(
        self,
        pool: Pool,
        names: Names,
        scenes: Mapping[Platform, Scene],
        guides: Sequence[GuideOfSoc],
        verdicts: Mapping[int, Verdict],
        section: Callable[[Record], str],
        doubts: Callable[[Record], tuple[str, str]],
    ) -> None:
        self._pool, self._names, self._scenes = pool, names, scenes
        self._guides, self._verdicts, self._section = guides, verdicts, section
        self._doubts = doubts
        self._number_of = {guide.key: number for number, guide in enumerate(guides)}
        self._owner = pool.frame.table["bundle"].to_numpy()
        every = [record for guide in guides for record in guide.records]
        loads, inferred = engines.loads(every), engines.inferred(every, names.catalog)
        self._stated: dict[tuple[int, str], tuple[Condition, ...]] = {}
        self._figures: dict[str, list[_Figure]] = {}
        for record in every:
            benchmark, run = names.catalog.get(record.benchmark), engines.run_of(record)
            figure = _Figure(
                record,
                self._board(record),
                names.metric(record),
                names.params(record),
                load=None if record.metric == engines.LOAD else loads.get(run),
                engine=engines.label(benchmark, record, inferred)
                if benchmark and run in inferred
                else "",
            )
            self._figures.setdefault(record.benchmark, []).append(figure)

    @cached_property
    def clocks(self) -> dict[GuideKey, dict[str, float | None]]:
        """The clock in MHz of each board in a guide, by current name; ``None`` if unknown."""
        return {
            guide.key: {
                board: clock_of(self._pool, records, self._names)
                for board, records in grouped(guide.records, self._board).items()
            }
            for guide in self._guides
        }

    def _board(self, record: Record) -> str:
        today = self._names.boards.today(record.guide.soc, record.board)
        # Two boards of one guide stay separate, whatever the list of boards says.
        return record.board if today in self._pool.boards[record.guide] else today

    def index(
        self,
        files: Mapping[str, tuple[str, int]],
        compared: Mapping[tuple[GuideKey, GuideKey], str],
    ) -> dict[str, Any]:
        """Return what a page needs before it requests a benchmark. ``files`` maps benchmarks to the
        name of their files and how many there are.

        ``systems``: name, SDK, system. ``boards``: current name, short name, cores, cores in words.
        ``guides``: system, release, path, day, whether there is a file with the texts of its runs,
        and its boards, each with the clock in MHz or ``None``. ``benchmarks``: name, title, name of
        its files, number of files. ``compared``: the older and the newer guide of each comparison,
        and its page. ``headlines``: the headline figures of all guides, as in :meth:`parts`.
        """
        systems: dict[tuple[str, str, str], int] = {}
        boards: dict[str, int] = {}
        guides: list[list[Any]] = []
        for guide in self._guides:
            clock_of_board = self.clocks[guide.key]
            clocks = [
                [index_in(boards, board), clock_of_board[board]]
                for board in sorted(clock_of_board, key=units.natural)
            ]
            system = index_in(systems, (family(guide.key), guide.key.sdk, guide.key.os))
            has_words = int(bool(guide.runs))
            guides.append([system, guide.key.release, guide.path, guide.date, has_words, clocks])
        soc, number_of = self._guides[0].key.soc, self._number_of
        entries = [(board, self._names.boards.entry(soc, board)) for board in boards]
        order = {name: number for number, name in enumerate(self._names.catalog.benchmarks)}
        return {
            "systems": list(systems),
            "boards": [
                [board, self._names.boards.short(soc, board), entry.cores, entry.cpu()]
                for board, entry in entries
            ],
            "guides": guides,
            "benchmarks": [
                [name, self._names.catalog.title(name), *files[name]]
                # In the order of guides; undescribed benchmarks come last.
                for name in sorted(files, key=lambda name: (order.get(name, len(order)), name))
            ],
            "compared": [
                [number_of[old], number_of[new], page.partition("/")[2]]
                for (old, new), page in compared.items()
                if old in number_of and new in number_of
            ],
            "headlines": self._content(self._headlines(), labels.headline),
        }

    def _headlines(self) -> list[list[_Figure]]:
        """Return the lines of headline figures."""
        out: list[list[_Figure]] = []
        for name, benchmark in self._names.catalog.benchmarks.items():
            metrics = [m for m in benchmark.entry.metrics if m.headline and m.short]
            figures = self._figures.get(name, []) if metrics else []
            # Headlines are figures of otherwise idle boards.
            alone = [f.record for f in figures if engines.is_alone(f.record, benchmark)]
            by_guide = grouped(alone, lambda record: record.guide)
            for metric in metrics:
                chosen = {
                    record.cell.members[0]
                    for of_guide in by_guide.values()
                    for record in summaries.at(metric, of_guide)
                }
                rows = {f.row for f in figures if f.record.cell.members[0] in chosen}
                # A headline of one release is followed through all releases that have its row.
                out += self._lines(benchmark, [f for f in figures if f.row in rows])
        return out

    def parts(self, name: str) -> Iterator[str]:
        """Yield the figures of one benchmark, split into as many encoded values as the size limit
        requires, each with lists that refer to each other by index.

        ``metrics``: benchmark, metric, label, unit with the arrow for better values, unit, better
        direction, how figures of two sides relate (0 not by a ratio, 1 by a ratio, 2 by a ratio and
        one per MHz, 3 as a power), of what the loads are shares, and if large figures read
        better in a larger unit: that unit, the same with the arrow, and the factor between the two.
        ``params``: name, whether rows may differ by it alone, values as in addresses. ``rows``:
        metric, [parameter, value] pairs, label without the engine, label of the engine, whether
        this is the usual one. ``engines``: inferred ones in words. ``conditions``: name,
        word, text, whether runs disagree, plain text, sizes, tolerance; ``stated``: lists of these,
        each as the items that it lacks and has compared with the previous list. ``verdicts``:
        words. ``sections``: anchors in the guide. ``remarks``: facts stated by results, each with
        name, label and values, where a number is the index of the run with the value; and notes.
        ``doubts``: signs of figures in doubt, each with the reason.

        ``lines``: row, system (as [SDK, system]), board, figures and breaks, oldest release first,
        and if there are any the doubts, each with the guides of its figures.
        A figure: guide, mean (``None`` if it failed), minimum, maximum, number of samples, section,
        engine, CPU load of its run in %, conditions stated, verdict against the previous release,
        and if there are any its remarks, the indices of its runs and its samples. A break: the
        guide at which a new line begins, and why.
        """
        benchmark = self._names.catalog.benchmark(name)
        yield from self._split(self._lines(benchmark, self._figures[name]))

    def _split(self, lines: list[list[_Figure]]) -> Iterator[str]:
        text = _json(self._content(lines, _within_benchmark))
        # The name in the call is short; one per cent of the limit is reserved for it.
        filled = len(file_of_json("", text)) / (MAX_FILE_BYTES * 0.99)
        if filled <= 1 or len(lines) == 1:
            yield text
            return
        # Lines vary in size: parts are planned to be three quarters full, and those that are still
        # too large are divided again.
        share = math.ceil(len(lines) / math.ceil(filled / 0.75))
        for start in range(0, len(lines), share):
            yield from self._split(lines[start : start + share])

    def _lines(self, benchmark: Benchmark, figures: Iterable[_Figure]) -> list[list[_Figure]]:
        """Group the figures by row, system and board, in the order of rows in guides."""
        lines = grouped(figures, lambda f: (f.row, f.record.guide.platform, f.board))

        def rank(line: list[_Figure]) -> tuple[object, ...]:
            first = line[0]
            metric = benchmark.metric_rank(first.metric)[0], first.metric
            return *metric, first.record.unit, benchmark.params_rank(first.params)

        # Guides of a system start with the newest release, lines with the oldest.
        return [line[::-1] for line in sorted(lines.values(), key=rank)]

    def _content(
        self, lines: Sequence[Sequence[_Figure]], label: Callable[[Benchmark, Record], str]
    ) -> dict[str, Any]:
        lists = _Lists()
        rows: dict[object, int] = {}
        out = []
        for line in lines:
            first = line[0]
            if first.row not in rows:
                rows[first.row] = len(rows)
                lists.rows.append(self._row(first, lists, label))
            platform = first.record.guide.platform
            points = [(figure.record.guide.release, figure.load) for figure in line]
            # Stored by line rather than by figure, as most figures in doubt share it with others.
            doubts: dict[tuple[str, str], list[int]] = {}
            for figure in line:
                if (doubt := self._doubts(figure.record))[0]:
                    doubts.setdefault(doubt, []).append(self._number_of[figure.record.guide])
            breaks = trends.breaks(self._scenes[platform], platform.soc, first.board, points)
            line_data = [
                rows[first.row],
                [platform.sdk, platform.os],
                first.board,
                [self._figure(figure, lists) for figure in line],
                [[self._number_of[line[at].record.guide], why] for at, why in breaks.items()],
            ]
            if doubts:
                line_data.append([[index_in(lists.doubts, d), *keys] for d, keys in doubts.items()])
            out.append(line_data)
        return {
            "metrics": list(lists.metrics),
            "params": [[*param, list(lists.values[param])] for param in lists.params],
            "rows": lists.rows,
            "engines": list(lists.engines),
            "conditions": [
                [c.name, c.word, c.text, int(c.mixed), c.plain, c.sizes, c.tolerance]
                for c in lists.conditions
            ],
            "stated": list(_differences(lists.stated)),
            "verdicts": list(lists.verdicts),
            "sections": list(lists.sections),
            "remarks": [_remarks(words, self._guides[n].runs) for n, words in lists.remarks],
            "doubts": list(lists.doubts),
            "lines": out,
        }

    def _row(
        self, figure: _Figure, lists: _Lists, label: Callable[[Benchmark, Record], str]
    ) -> list[Any]:
        record, name = figure.record, figure.record.benchmark
        benchmark, pairs = self._names.catalog.benchmark(name), []
        for param in sorted(figure.params):
            key = (param, int(self._names.is_declared(name, param)))
            values = lists.values.setdefault(key, {})
            value = index_in(values, address_key(figure.params[param]))
            pairs.append([index_in(lists.params, key), value])
        unit, better = units.parse(record.unit), benchmark.better(figure.metric)
        larger = units.READABLE.get(unit.name)
        metric = (
            name,
            figure.metric,
            benchmark.metric_label(figure.metric),
            units.unit_cell(record.unit, better),
            record.unit,
            better,
            _relation(unit.kind, better),
            engines.load_of(benchmark),
            *(_larger_unit(larger, record.unit, better) if larger else ()),
        )
        params = {n: value for n, value in figure.params.items() if n != engines.ENGINE}
        words = label(benchmark, replace(record, metric=figure.metric, params=params))
        engine = figure.params.get(engines.ENGINE)
        engine_words = "" if engine is None else benchmark.value_label(engines.ENGINE, engine)
        labelled = (visible(text, len(text)) for text in (words, engine_words))
        is_usual = engine is None or engine == benchmark.param(engines.ENGINE).default
        return [index_in(lists.metrics, metric), pairs, *labelled, int(is_usual)]

    def _stated_by(self, record: Record) -> tuple[Condition, ...]:
        """Return the conditions of a figure, which many figures share."""
        conditions = self._pool.conditions(record)
        # The pool keeps each set of conditions only once, so its identity is a valid key.
        key = (id(conditions), record.benchmark)
        if key not in self._stated:
            tools = tools_of(self._names, record.benchmark)
            matters = partial(self._names.matters, record.benchmark)
            self._stated[key] = stated(conditions, tools, matters)
        return self._stated[key]

    def _figure(self, figure: _Figure, lists: _Lists) -> list[Any]:
        record, cell = figure.record, figure.record.cell
        guide = self._number_of[record.guide]
        listed = tuple(index_in(lists.conditions, words) for words in self._stated_by(record))
        verdict = self._verdicts.get(cell.members[0])
        texts, runs = remarks.own_words(self._pool, cell.members), self._guides[guide].runs
        bundles = dict.fromkeys(self._owner[[*cell.members]].tolist()) if runs else {}
        tail: list[Any] = [
            None if texts == remarks.OwnWords() else index_in(lists.remarks, (guide, texts)),
            [runs[position] for position in bundles],
            list(cell.samples) if 1 < len(cell.samples) <= MAX_SAMPLES else [],
        ]
        # Most figures have none of these, so empty ones at the end are left out.
        while tail and tail[-1] in (None, []):
            tail.pop()
        return [
            *(guide, cell.mean, cell.low, cell.high, cell.count),
            index_in(lists.sections, self._section(record)),
            index_in(lists.engines, figure.engine),
            None if figure.load is None else float(f"{figure.load:.2g}"),
            index_in(lists.stated, listed),
            index_in(lists.verdicts, WORDS[verdict] if verdict else ""),
            *tail,
        ]


def _relation(kind: str, better: units.Better) -> int:
    """Return how figures of two sides relate, as described at :meth:`FiguresOfSoc.parts`."""
    if kind in ("share", "power"):
        return 0 if kind == "share" else 3
    return 1 if kind in OWN_SCALE or better == "neither" else 2


def _larger_unit(larger: str, unit: str, better: units.Better) -> tuple[str, str, float | None]:
    return larger, units.unit_cell(larger, better), units.factor(larger, unit)


class _Lists:
    """The lists in one file, with the index of each entry."""

    def __init__(self) -> None:
        self.metrics: dict[tuple[Any, ...], int] = {}
        self.params: dict[tuple[str, int], int] = {}
        self.values: dict[tuple[str, int], dict[str, int]] = {}
        self.rows: list[list[Any]] = []
        self.engines: dict[str, int] = {"": 0}
        self.conditions: dict[Condition, int] = {}
        self.stated: dict[tuple[int, ...], int] = {}
        self.verdicts: dict[str, int] = {"": 0}
        self.sections: dict[str, int] = {}
        self.remarks: dict[tuple[int, remarks.OwnWords], int] = {}
        self.doubts: dict[tuple[str, str], int] = {}


def _differences(lists: Iterable[tuple[int, ...]]) -> Iterator[tuple[list[int], list[int]]]:
    """Yield, for each list, the numbers dropped and added since the previous one. Figures share
    most facts with others of their run, so complete lists would take much space."""
    before: set[int] = set()
    for values in lists:
        yield sorted(before - {*values}), sorted({*values} - before)
        before = {*values}


def _within_benchmark(benchmark: Benchmark, record: Record) -> str:
    """Return the label of a figure among others of its benchmark."""
    words = (benchmark.metric_label(record.metric), labels.params(benchmark, record))
    return ", ".join(filter(None, words))


def texts_of_runs(records: Sequence[Record], pool: Pool) -> tuple[dict[str, Any], dict[int, int]]:
    """Return the texts of a guide's runs, each once, and the index of each run by the position of
    its bundle. Both are empty if no run has texts.

    ``runs`` lists for each run its facts, as indices into ``facts`` and ``texts``, and its notes:
    an index into ``texts``, with a benchmark and a metric unless it applies to all.
    """
    positions = {loaded.digest: position for position, loaded in enumerate(pool.frame.bundles)}
    measured = {(record.benchmark, record.metric) for record in records}
    of_runs = [
        (positions[loaded.digest], remarks.run_words(loaded, measured))
        for loaded in pool.bundles(records)
    ]
    if not any(facts or notes for _, (facts, notes) in of_runs):
        return {}, {}
    names: dict[tuple[str, str], int] = {}
    texts: dict[str, int] = {}
    runs = [
        [
            [
                [index_in(names, (name, label)), index_in(texts, value)]
                for name, label, value in facts
            ],
            [
                [index_in(texts, text), *([benchmark, metric] if benchmark or metric else [])]
                for _, text, benchmark, metric in notes
            ],
        ]
        for _, (facts, notes) in of_runs
    ]
    value = {"facts": list(names), "texts": list(texts), "runs": runs}
    return value, {position: number for number, (position, _) in enumerate(of_runs)}


def _remarks(words: remarks.OwnWords, runs: Mapping[int, int]) -> list[Any]:
    facts = [
        [name, label, [value if isinstance(value, str) else runs[value] for value in values]]
        for name, label, values in words.facts
    ]
    return [facts, list(words.notes)]


def index_in(indices: dict[T, int], item: T) -> int:
    """Return the index of an item, appending it if it is new."""
    return indices.setdefault(item, len(indices))


@lru_cache(typed=True)  # True equals 1 in Python
def address_key(value: Scalar) -> str:
    """Format a parameter value for an address: ``16``, ``aes-128-cbc``, or quoted if the text could
    be mistaken for another type: ``"16"``, ``"true"``."""
    if not isinstance(value, str) or value.lstrip()[:1] in ("[", "{"):
        # Text that looks like a list is not parsed, as it may be nested too deeply.
        return json.dumps(value)
    try:
        json.loads(value)
    except ValueError:
        return value if value not in ("", "*") else json.dumps(value)
    return json.dumps(value)
