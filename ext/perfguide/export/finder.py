"""The data of the page that finds boards: one file per benchmark of a SoC, loaded on demand.

Each file is a function call with one value, as for the explorer. It covers all releases: if some
were missing, an older run could seem to answer what a newer one does.
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

    ``folders`` maps each SoC to its folder, ``measured`` to its benchmarks, and ``boards`` to its
    boards: system, current name, short name. ``benchmarks`` are those of
    :func:`perfguide.export.json_api.benchmarks`, each with the name of its files as ``file``. A
    metric has its name, the unit of a bare number or "", its label and better direction, its units,
    and if it is a headline its rank in the list of guides or 0, its short name and the parameters
    that make it one.
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
    day and the clocks of each guide, and for each figure the page and section of its guide and the
    reason for any doubt."""

    boards: Boards
    inferred: Mapping[Run, Inferred]
    days: Mapping[GuideKey, str]
    clocks: Mapping[GuideKey, Mapping[str, float | None]]
    section: Callable[[Record], tuple[str, str]]
    doubt: Callable[[Record], str]


def part(benchmark: Benchmark, records: Iterable[Record], facts: FactsOfSoc) -> dict[str, Any]:
    """Return the figures of one benchmark on one SoC, as lists that refer to each other by index.

    ``systems``: name, and the releases, newest first, each with its day and the page of its guide.
    ``boards``: current name, short name. ``metrics``: name, unit. ``params``: name, label, the
    default or ``None``, and the values, each as in a condition, its label and its number.
    ``cases``: the [parameter, value] pairs of each set of parameters. ``texts``: words for engines
    and for doubts. ``sections``: anchors. ``clocks``: system, board, and the clock in MHz or
    ``None`` for each release. ``lines``: system, board, metric, case, and for each release, newest
    first: release, figure, engine, section, and the doubt if there is one. Failed measurements are
    left out.
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
                # A renamed board keeps a single line for all of its releases.
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
    """Return each metric of a benchmark once, whatever the units of its figures."""
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
        # A described metric keeps its label; others with the same label have their name added.
        if counts[label.casefold()] > 1 and described.metric(name) is None:
            label = f"{label} (“{name}”)"
        out.append([name, usual, label, own[0]["better"], measured, *headline])
    return out


def _label(benchmark: Benchmark, metric: str) -> str:
    """Return the label of a metric, or for an undescribed one, its name in readable form."""
    label, words = benchmark.metric_label(metric), units.in_words(metric)
    if label != metric or not words:
        return label
    # A name such as aes-128-cbc is not capitalized.
    return units.capital(words) if words.split()[0].isalpha() else words


def _headline(catalog: Catalog, name: str, metric: str) -> list[Any]:
    """Return the rank, short name and parameters of a headline, or nothing for another metric."""
    benchmark = catalog.get(name)
    described = benchmark.metric(metric) if benchmark else None
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
