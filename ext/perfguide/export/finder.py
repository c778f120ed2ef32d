"""The data of the page that finds boards: a file for each benchmark of a SoC, loaded on demand.

They are calls with one value, as those of the explorer. Each has all releases: with fewer, an older run could
seem to answer what a newer one does.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..bundles.guide_key import GuideKey, families, family
from ..catalog.benchmarks import Benchmark, Catalog, Scalar, undescribed
from ..catalog.board_names import Boards
from ..common import units
from ..common.diagnostics import visible
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
    """Return the SoCs, the benchmarks, and the factors between units.

    ``folders`` has each SoC's folder, ``measured`` its benchmarks, and ``boards`` its boards: system,
    name today, short name. ``benchmarks`` are those of :func:`perfguide.export.json_api.benchmarks`,
    each with the name of its files as ``file``. A metric has its name, the unit of a number without one or "",
    its label and better direction, its units, and if it is a headline its rank in the list of guides or 0, its short
    name and the parameters that make it one.
    """
    names = [each["benchmark"] for each in benchmarks]
    used = {metric["unit"] for each in benchmarks for metric in each["metrics"]}
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
                each["benchmark"],
                each["title"],
                each["file"],
                _metrics(catalog, each["benchmark"], each["metrics"]),
            ]
            for each in benchmarks
        ],
        # A condition may be in another unit than the figures, and the page converts it.
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
    """Facts about a SoC's figures besides themselves: the names of its boards, the engines of its
    runs, the day and the clocks of each guide, and for a figure the page and the section of its guide and what
    doubts it."""

    boards: Boards
    inferred: Mapping[Run, Inferred]
    days: Mapping[GuideKey, str]
    clocks: Mapping[GuideKey, Mapping[str, float | None]]
    section: Callable[[Record], tuple[str, str]]
    doubt: Callable[[Record], str]


def part(benchmark: Benchmark, records: Iterable[Record], facts: FactsOfSoc) -> dict[str, Any]:
    """Return the figures of one benchmark on one SoC, as lists that refer to each other by
    index.

    ``systems``: name, and the releases, the newest first, each with its day and the page of its guide. ``boards``: name today, short name.
    ``metrics``: name, unit. ``params``: name, label, the default or ``None``, and the values,
    each as in a condition, its label and its number. ``cases``: the [parameter, value] pairs of each set of
    parameters. ``texts``: words for engines, and for doubts. ``sections``: anchors. ``clocks``: system, board, and
    the clock in MHz or ``None`` of each release. ``lines``: system, board, metric, case, and for each release, the
    newest first: release, figure, engine, section, and the doubt if there is one. Failed measurements are left out.
    """
    systems: dict[Any, int] = {}
    names: dict[tuple[str, str], int] = {}
    metrics: dict[tuple[str, str], int] = {}
    params: dict[str, int] = {}
    values: dict[str, dict[tuple[str, Scalar], int]] = {}
    cases: dict[tuple[tuple[int, int], ...], int] = {}
    texts: dict[str, int] = {"": 0}
    sections: dict[str, int] = {}
    clocks: dict[tuple[int, int], dict[int, float]] = {}
    lines: dict[tuple[int, int, int, int], list[list[Any]]] = {}
    by_guide: dict[GuideKey, list[Record]] = {}
    for record in records:
        by_guide.setdefault(record.guide, []).append(record)
    releases: list[list[list[str]]] = []
    for platform, keys in families(by_guide).items():
        system = index_in(systems, (family(keys[0]), platform))
        releases.append([])
        for number, key in enumerate(reversed(keys)):
            page, _ = facts.section(by_guide[key][0])
            releases[-1].append([key.release, facts.days[key], page])
            for record in by_guide[key]:
                if record.cell.mean is None:
                    continue
                case = []
                for name in sorted(record.params):
                    value = record.params[name]
                    codes = values.setdefault(name, {})
                    case.append(
                        (index_in(params, name), index_in(codes, (type(value).__name__, value)))
                    )
                # A board that was renamed keeps one line for all of its releases.
                board = facts.boards.today(key.soc, record.board)
                line = (
                    system,
                    index_in(names, (board, facts.boards.short(key.soc, board))),
                    index_in(metrics, (record.metric, record.unit)),
                    index_in(cases, tuple(case)),
                )
                if clock := facts.clocks[key].get(board):
                    clocks.setdefault(line[:2], {})[number] = clock
                engine = index_in(texts, engines.label(benchmark, record, facts.inferred))
                section = index_in(sections, facts.section(record)[1])
                figure, doubt = [number, record.cell.mean, engine, section], facts.doubt(record)
                own = [*figure, index_in(texts, doubt)] if doubt else figure
                lines.setdefault(line, []).append(own)
    return {
        "systems": [[name, own] for (name, _), own in zip(systems, releases, strict=True)],
        "boards": list(names),
        "metrics": list(metrics),
        "params": [
            [
                name,
                benchmark.param_label(name),
                None
                if (default := benchmark.param(name).default) is None
                else units.plain(default),
                [_value(benchmark, name, value) for _, value in values[name]],
            ]
            for name in params
        ],
        "cases": list(cases),
        "texts": list(texts),
        "sections": list(sections),
        "clocks": [
            [*board, [own.get(number) for number in range(len(releases[board[0]]))]]
            for board, own in clocks.items()
        ],
        "lines": [[*line, figures] for line, figures in lines.items()],
    }


def _metrics(
    catalog: Catalog, benchmark: str, metrics: Sequence[Mapping[str, Any]]
) -> list[list[Any]]:
    """Return each metric of a benchmark once, whatever units its figures are in."""
    by_name: dict[str, list[Mapping[str, Any]]] = {}
    for each in metrics:
        by_name.setdefault(each["metric"], []).append(each)
    described = catalog.get(benchmark) or undescribed(benchmark)
    labels = {name: _label(described, name) for name in by_name}
    counts = Counter(label.casefold() for label in labels.values())
    out = []
    for name, own in by_name.items():
        measured = [each["unit"] for each in own]
        usual = need.usual_unit(catalog, benchmark, name, measured)
        label, headline = labels[name], _headline(catalog, benchmark, name)
        # A metric with a description keeps its label, and others of that label have their names with it.
        if counts[label.casefold()] > 1 and described.metric(name) is None:
            label = f"{label} (“{name}”)"
        out.append([name, usual, label, own[0]["better"], measured, *headline])
    return out


def _label(benchmark: Benchmark, metric: str) -> str:
    """Return the label of a metric, or the words of the name of one that has no description."""
    label, words = benchmark.metric_label(metric), units.in_words(metric)
    if label != metric or not words:
        return label
    # A name such as aes-128-cbc has no capital.
    return units.capital(words) if words.split()[0].isalpha() else words


def _headline(catalog: Catalog, name: str, metric: str) -> list[Any]:
    """Return the short name of a headline and its parameters as texts; nothing for another metric."""
    benchmark = catalog.get(name)
    described = benchmark.metric(metric) if benchmark else None
    if not (described and described.headline and described.short):
        return []
    # Of several values the first is the usual one.
    values = {n: v[0] if isinstance(v, tuple) else v for n, v in described.at.items()}
    params = [[n, units.plain(value)] for n, value in values.items()]
    return [described.listed, described.short, params]


def _value(benchmark: Benchmark, name: str, value: Scalar) -> list[Any]:
    label = benchmark.value_label(name, value)
    number = None if isinstance(value, str) else float(value)
    return [units.plain(value), visible(label, len(label)), number]
