"""The data of the page that finds boards: a file for each benchmark of a SoC, loaded on demand.

Each has the newest figures of every board, so that a question over many SoCs stays small. They are
calls with one value, as those of the explorer.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any

from ..bundles.guide_key import GuideKey, families, family
from ..catalog.benchmarks import Benchmark, Scalar
from ..catalog.board_names import Boards
from ..common import units
from ..common.diagnostics import visible
from ..figures import engines
from ..figures.engines import Inferred, Run
from ..figures.pool import Record
from .explorer import index_in

FOLDER = "find"

MAX_RELEASES = 4
"""The number of releases that a file has of one figure, the newest ones."""


def index(
    folders: Mapping[str, str],
    measured: Mapping[str, Collection[str]],
    boards: Mapping[str, Collection[tuple[str, str, str]]],
    benchmarks: Sequence[Mapping[str, Any]],
) -> dict[str, Any]:
    """Return the SoCs, the benchmarks, and the factors between units.

    ``folders`` has each SoC's folder, ``measured`` its benchmarks, and ``boards`` its boards: system,
    name today, short name. ``benchmarks`` are those of :func:`perfguide.export.json_api.benchmarks`,
    each with the name of its files as ``file``.
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
                [[m["metric"], m["unit"], m["label"], m["better"]] for m in each["metrics"]],
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


def part(
    benchmark: Benchmark,
    records: Iterable[Record],
    boards: Boards,
    inferred: Mapping[Run, Inferred],
    link: Callable[[Record], str],
) -> dict[str, Any]:
    """Return the newest figures of one benchmark on one SoC, as lists that refer to each other by
    index.

    ``systems``: name, and the releases, the newest first. ``boards``: name today, short name.
    ``metrics``: name, unit. ``params``: name, label, the default or ``None``, and the values,
    each as in a condition, its label and its number. ``cases``: the [parameter, value] pairs of each set of
    parameters. ``engines``: words for the engine. ``lines``: system, board, metric, case, and for each
    of up to ``MAX_RELEASES`` releases, the newest first: release, figure, engine, address in the site.
    Failed measurements are left out.
    """
    systems: dict[Any, int] = {}
    names: dict[tuple[str, str], int] = {}
    metrics: dict[tuple[str, str], int] = {}
    params: dict[str, int] = {}
    values: dict[str, dict[tuple[str, Scalar], int]] = {}
    cases: dict[tuple[tuple[int, int], ...], int] = {}
    texts: dict[str, int] = {"": 0}
    lines: dict[tuple[int, int, int, int], list[list[Any]]] = {}
    by_guide: dict[GuideKey, list[Record]] = {}
    for record in records:
        by_guide.setdefault(record.guide, []).append(record)
    releases: list[list[str]] = []
    for platform, keys in families(by_guide).items():
        system = index_in(systems, (family(keys[0]), platform))
        releases.append([key.release for key in reversed(keys)])
        # The newest first, so that the limit below drops the oldest.
        for number, key in enumerate(reversed(keys)):
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
                board = boards.today(key.soc, record.board)
                line = (
                    system,
                    index_in(names, (board, boards.short(key.soc, board))),
                    index_in(metrics, (record.metric, record.unit)),
                    index_in(cases, tuple(case)),
                )
                figures = lines.setdefault(line, [])
                if len(figures) < MAX_RELEASES:
                    engine = index_in(texts, _engine(benchmark, record, inferred))
                    figures.append([number, record.cell.mean, engine, link(record)])
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
        "engines": list(texts),
        "lines": [[*line, figures] for line, figures in lines.items()],
    }


def _engine(benchmark: Benchmark, record: Record, inferred: Mapping[Run, Inferred]) -> str:
    value = record.params.get(engines.ENGINE)
    return "" if value is None else engines.label(benchmark, record, inferred)


def _value(benchmark: Benchmark, name: str, value: Scalar) -> list[Any]:
    label = benchmark.value_label(name, value)
    number = None if isinstance(value, str) else float(value)
    return [units.plain(value), visible(label, len(label)), number]
