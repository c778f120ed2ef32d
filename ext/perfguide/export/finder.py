"""The data of the page that finds boards: one file per benchmark of a SoC, loaded on demand.

Each file is a function call with one value, as for the explorer. It covers all releases: if some
were missing, an older run could seem to answer what a newer one does.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..bundles.guide_key import GuideKey, families, family
from ..catalog.benchmarks import Benchmark, Catalog, Scalar
from ..catalog.board_names import Boards
from ..common import units
from ..common.diagnostics import visible
from ..common.grouping import grouped
from ..figures import engines, need
from ..figures.engines import Inferred, Run
from ..figures.pool import Record
from .explorer import index_in

FOLDER = "find"


def index(
    folders: Mapping[str, str],
    measured: Mapping[str, Collection[str]],
    boards: Mapping[str, Collection[tuple[str, str, str]]],
    benchmarks: Sequence[Mapping[str, Any]],
    catalog: Catalog,
) -> dict[str, Any]:
    """Return the SoCs, the benchmarks, the metrics that are sums of both ways, and the factors
    between units.

    ``folders`` maps each SoC to its folder, ``measured`` to its benchmarks, and ``boards`` to its
    boards: system, current name, short name. ``benchmarks`` are those of
    :func:`perfguide.export.json_api.benchmarks`, each with the name of its files as ``file``. A
    benchmark has its name, title and file, its metrics, headlines first, and the number of these
    that are described. A metric has its name, the unit of a bare number or "", its label and better
    direction, its units, and if it is a headline its rank in the list of guides or 0, its short
    name and the parameters that make it one."""
    names = [benchmark["benchmark"] for benchmark in benchmarks]
    used = {metric["unit"] for benchmark in benchmarks for metric in benchmark["metrics"]}
    return {
        "socs": [
            [
                soc,
                folders[soc],
                [position for position, name in enumerate(names) if name in measured[soc]],
                sorted(boards[soc]),
            ]
            for soc in sorted(folders, key=units.natural)
        ],
        "benchmarks": [
            [
                benchmark["benchmark"],
                benchmark["title"],
                benchmark["file"],
                *_metrics(catalog, benchmark["benchmark"], benchmark["metrics"]),
            ]
            for benchmark in benchmarks
        ],
        "both_ways": [
            [benchmark["benchmark"], metric["metric"]]
            for benchmark in benchmarks
            for metric in benchmark["metrics"]
            if (described := catalog.benchmark(benchmark["benchmark"]).metric(metric["metric"]))
            and described.both_ways
        ],
        # A condition may use another unit than the figures, and the page converts it.
        "units": {
            target: {
                unit: factor
                for unit in units.known_units()
                if (factor := units.factor(unit, target)) is not None
            }
            for target in sorted(used)
        },
    }


@dataclass(frozen=True, slots=True)
class FactsOfSoc:
    """Facts that accompany a SoC's figures: the names of its boards, the engines of its runs, the
    clocks of each guide, and for each figure the day of its newest run, the page and section of its
    guide and the reason for any doubt."""

    boards: Boards
    inferred: Mapping[Run, Inferred]
    clocks: Mapping[GuideKey, Mapping[str, float | None]]
    day: Callable[[Record], str]
    section: Callable[[Record], tuple[str, str]]
    doubt: Callable[[Record], str]


def part(benchmark: Benchmark, records: Iterable[Record], facts: FactsOfSoc) -> dict[str, Any]:
    """Return the figures of one benchmark on one SoC, as lists that refer to each other by index.

    ``systems``: name, and the releases, newest first, each with the page of its guide. ``boards``:
    current name, short name. ``metrics``: name, unit. ``params``: name, label, the default or
    ``None``, and the values, each as in a condition, its label and its number. ``cases``: the
    [parameter, value] pairs of each set of parameters. ``texts``: days, and words for engines and
    doubts. ``sections``: anchors. ``clocks``: system, board, and the clock in MHz or ``None`` for
    each release. ``lines``: system, board, metric, case, and for each release, newest first:
    release, figure, day, engine, section, and the doubt if there is one. Failed measurements are
    left out, and figures with the head of a column as a parameter, such as "des3_user_time (s)":
    these are of another metric than the one that they are recorded as."""
    lists = _Lists(benchmark, facts)
    systems: list[tuple[str, list[list[str]]]] = []
    by_guide = grouped(records, lambda record: record.guide)
    for keys in families(by_guide).values():
        releases = []
        for number, key in enumerate(reversed(keys)):
            page, _ = facts.section(by_guide[key][0])
            releases.append([key.release, page])
            for record in by_guide[key]:
                if record.cell.mean is not None and not _has_unit(record):
                    lists.add(record, len(systems), number)
        systems.append((family(keys[0]), releases))
    return {"systems": systems, **lists.as_json([len(releases) for _, releases in systems])}


def _has_unit(record: Record) -> bool:
    """Return whether a parameter ends with a unit in brackets."""
    ends = (re.search(r" \((\S+)\)$", str(value)) for value in record.params.values())
    return any(end and units.parse(end[1]).name in units.known_units() for end in ends)


class _Lists:
    """The lists in one file but for its systems, with the index of each entry."""

    def __init__(self, benchmark: Benchmark, facts: FactsOfSoc) -> None:
        self._benchmark, self._facts = benchmark, facts
        self._boards: dict[tuple[str, str], int] = {}
        self._metrics: dict[tuple[str, str], int] = {}
        self._params: dict[str, int] = {}
        self._values: dict[str, dict[tuple[str, Scalar], int]] = {}
        self._cases: dict[tuple[tuple[int, int], ...], int] = {}
        self._texts: dict[str, int] = {"": 0}
        self._sections: dict[str, int] = {}
        self._clocks: dict[tuple[int, int], dict[int, float]] = {}
        self._lines: dict[tuple[int, int, int, int], list[list[Any]]] = {}

    def add(self, record: Record, system: int, number: int) -> None:
        """Add a figure of a system's release, which is its ``number`` from the newest."""
        facts, key = self._facts, record.guide
        # A renamed board keeps a single line for all of its releases.
        board = facts.boards.today(key.soc, record.board)
        line = (
            system,
            index_in(self._boards, (board, facts.boards.short(key.soc, board))),
            index_in(self._metrics, (record.metric, record.unit)),
            index_in(self._cases, tuple(self._case(record))),
        )
        if clock := facts.clocks[key].get(board):
            self._clocks.setdefault(line[:2], {})[number] = clock
        engine = engines.label(self._benchmark, record, facts.inferred)
        figure = [
            number,
            record.cell.mean,
            index_in(self._texts, facts.day(record)),
            index_in(self._texts, engine),
            index_in(self._sections, facts.section(record)[1]),
        ]
        doubt = facts.doubt(record)
        listed = [*figure, index_in(self._texts, doubt)] if doubt else figure
        self._lines.setdefault(line, []).append(listed)

    def _case(self, record: Record) -> Iterator[tuple[int, int]]:
        for name in sorted(record.params):
            value = record.params[name]
            values = self._values.setdefault(name, {})
            code = index_in(values, (type(value).__name__, value))
            yield index_in(self._params, name), code

    def as_json(self, release_counts: Sequence[int]) -> dict[str, Any]:
        """Return the lists by name, given the number of releases of each system."""
        return {
            "boards": list(self._boards),
            "metrics": list(self._metrics),
            "params": [self._param(name) for name in self._params],
            "cases": list(self._cases),
            "texts": list(self._texts),
            "sections": list(self._sections),
            "clocks": [
                [system, board, [clocks.get(number) for number in range(release_counts[system])]]
                for (system, board), clocks in self._clocks.items()
            ],
            "lines": [[*line, figures] for line, figures in self._lines.items()],
        }

    def _param(self, name: str) -> list[Any]:
        default = self._benchmark.param(name).default
        return [
            name,
            self._benchmark.param_label(name),
            None if default is None else units.plain(default),
            [_value(self._benchmark, name, value) for _, value in self._values[name]],
        ]


def _metrics(
    catalog: Catalog, benchmark: str, metrics: Sequence[Mapping[str, Any]]
) -> tuple[list[list[Any]], int]:
    """Return each metric of a benchmark once, whatever the units of its figures: headlines first,
    and last those that are not described. Return also the number of the others, or of all if none
    is described."""
    by_name: dict[str, list[Mapping[str, Any]]] = grouped(metrics, lambda metric: metric["metric"])
    described = catalog.benchmark(benchmark)
    labels = {name: _label(described, name) for name in by_name}
    counts = Counter(label.casefold() for label in labels.values())
    out = list[tuple[int, list[Any]]]()
    for name, of_name in by_name.items():
        measured = [metric["unit"] for metric in of_name]
        usual = need.usual_unit(catalog, benchmark, name, measured)
        label, headline = labels[name], _headline(catalog, benchmark, name)
        # A described metric keeps its label; others with the same label have their name added.
        is_described = described.metric(name) is not None
        if counts[label.casefold()] > 1 and not is_described:
            label = f"{label} (“{name}”)"
        entry = [name, usual, label, of_name[0]["better"], measured, *headline]
        out.append((0 if headline else 1 if is_described else 2, entry))
    out.sort(key=lambda entry: entry[0])
    count = sum(rank < 2 for rank, _ in out)
    return [entry for _, entry in out], count or len(out)


def _label(benchmark: Benchmark, metric: str) -> str:
    """Return the label of a metric, or for an undescribed one, its name in readable form."""
    label, words = engines.metric_label(benchmark, metric), units.in_words(metric)
    if label != metric or not words:
        return label
    # A name such as aes-128-cbc is not capitalized.
    return units.capital(words) if words.split()[0].isalpha() else words


def _headline(catalog: Catalog, name: str, metric: str) -> list[Any]:
    """Return the rank, short name and parameters of a headline, or nothing for another metric."""
    described = catalog.benchmark(name).metric(metric)
    if not (described and described.headline and described.short):
        return []
    # The first of several values is the usual one.
    values = {n: v[0] if isinstance(v, tuple) else v for n, v in described.at.items()}
    params = [[n, units.plain(value)] for n, value in values.items()]
    return [described.listed, described.short, params]


def _value(benchmark: Benchmark, name: str, value: Scalar) -> list[Any]:
    label = benchmark.value_label(name, value)
    number = None if isinstance(value, str) else float(value)
    return [units.plain(value), visible(label, len(label)), number]
