"""The data of the explorer page, in small files that the page loads on demand.

Each file is a call with one value, loaded by a ``script`` element. That works from a disk too,
where a browser refuses to fetch. No name from a bundle is a key in them, because some names have
a special meaning in JavaScript.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, TypeVar

from ..bundles.guide_key import GuideKey, family
from ..catalog.benchmarks import Benchmark, Catalog, Scalar
from ..common import units
from ..common.diagnostics import visible
from ..figures.pool import Pool, Record
from ..tables import grids, remarks

T = TypeVar("T")

MAX_FILE_BYTES = 300_000
"""The size limit of a file; a benchmark with more figures in one guide has several."""

FOLDER = "explore"


def file(name: str, value: Any) -> bytes:
    """Return a file that passes a value on under its name. It is ASCII whatever its content."""
    text = json.dumps(value, separators=(",", ":"), allow_nan=False)
    return f"perfguideData({json.dumps(name)},{text});\n".encode("ascii")


def index(socs: Mapping[str, str]) -> dict[str, Any]:
    """Return the list of SoCs, each with the name of its file."""
    return {"socs": [[soc, socs[soc]] for soc in sorted(socs, key=units.natural)]}


def soc_index(
    catalog: Catalog,
    benchmarks: Mapping[str, str],
    guides: Sequence[tuple[GuideKey, str, Mapping[str, int], bool]],
    compared: Mapping[tuple[GuideKey, GuideKey], str],
) -> dict[str, Any]:
    """Return one SoC's systems and releases, and for each release the files of its benchmarks.

    ``guides`` has for each guide its path, the number of files by benchmark, and whether there is
    one with the texts of its runs; the oldest release comes first, the output has the newest first.
    ``benchmarks`` maps names to names of files. ``compared`` has the page of each pair of
    releases with a comparison, the older one first.
    """
    used = {name for _, _, counts, _ in guides for name in counts}
    # In the order of guides; benchmarks without a description come last.
    names = [name for name in catalog.benchmarks if name in used]
    names += sorted(used - set(names))
    index_of = {name: position for position, name in enumerate(names)}
    systems: dict[tuple[str, str], dict[str, Any]] = {}
    # Guides come oldest first, and readers mostly want the newest release.
    for key, path, counts, has_words in reversed(guides):
        system = systems.setdefault(
            (key.sdk, key.os),
            {"sdk": key.sdk, "os": key.os, "name": family(key), "releases": [], "compared": []},
        )
        parts = sorted([index_of[name], count] for name, count in counts.items())
        system["releases"].append([key.release, path, parts, *([1] if has_words else [])])
    for (old, new), page in compared.items():
        if (old.sdk, old.os) in systems:
            system = systems[old.sdk, old.os]
            system["compared"].append([old.release, new.release, page.partition("/")[2]])
    return {
        "benchmarks": [[name, catalog.title(name), benchmarks[name]] for name in names],
        "systems": [systems[key] for key in sorted(systems)],
    }


def parts(
    benchmark: Benchmark | None,
    records: Sequence[Record],
    pool: Pool,
    section: Callable[[Record], str],
    runs: Mapping[int, int],
) -> Iterator[dict[str, Any]]:
    """Yield one benchmark's figures in one guide, in as many values as the size limit requires.

    ``section`` returns the anchor of a figure's section on the guide's page; ``runs`` maps
    positions of bundles to indices of runs, as returned by :func:`words`.
    """
    value = part(benchmark, records, pool, section, runs)
    # The name in the call is short; one per cent of the limit is left for it.
    if len(records) > 1 and len(file("", value)) > MAX_FILE_BYTES * 0.99:
        # Halves need no estimate of the size of single figures, which differ widely.
        half = len(records) // 2
        yield from parts(benchmark, records[:half], pool, section, runs)
        yield from parts(benchmark, records[half:], pool, section, runs)
    else:
        yield value


def part(
    benchmark: Benchmark | None,
    records: Sequence[Record],
    pool: Pool,
    section: Callable[[Record], str],
    runs: Mapping[int, int],
) -> dict[str, Any]:
    """Return figures with everything that identifies them, as lists that refer to each other by
    index.

    ``metrics``: name, unit, label, label with unit and direction, rank, whether it is a headline.
    ``params``: name, label, rank, values; a value is its key in addresses, its text, its rank and
    its number. ``cases``: the [parameter, value] pairs of each set of parameters. ``sections``:
    anchors in the guide. ``figures``: board, metric, case, mean (``None`` if failed), the mean as
    text, the text after it, minimum, maximum, section, an index into ``remarks`` or ``None``, and,
    if a run has texts, the indices of its runs in the file made from :func:`words`. ``remarks``:
    facts stated by results, each with name, label and values, where a number is the index of the
    run with the value; and notes.
    """
    # Each maps an entry to its index in the list that is returned.
    boards: dict[str, int] = {}
    metrics: dict[tuple[str, str], int] = {}
    params: dict[str, int] = {}
    values: dict[str, dict[tuple[str, Scalar], int]] = {}
    cases: dict[tuple[tuple[int, int], ...], int] = {}
    sections: dict[str, int] = {}
    own: dict[remarks.OwnWords, int] = {}
    figures = []
    owner = pool.frame.table["bundle"].to_numpy()
    for record in records:
        case = []
        for name in sorted(record.params):
            scalar = record.params[name]
            codes = values.setdefault(name, {})
            # True equals 1 in Python, so the type is part of the key.
            case.append((index_in(params, name), index_in(codes, (type(scalar).__name__, scalar))))
        cell = record.cell
        figure = grids.page_figure(cell)
        words = remarks.own_words(pool, cell.members)
        behind = (
            [runs[position] for position in dict.fromkeys(owner[[*cell.members]].tolist())]
            if runs
            else []
        )
        # Most figures have neither, and an empty member would be sent with each of them.
        tail = [
            index_in(own, words) if words != remarks.OwnWords() else None,
            *([behind] if behind else []),
        ]
        figures.append(
            [
                index_in(boards, record.board),
                index_in(metrics, (record.metric, record.unit)),
                index_in(cases, tuple(case)),
                *((None, figure, "") if isinstance(figure, str) else figure),
                cell.low,
                cell.high,
                index_in(sections, section(record)),
                *([] if tail == [None] else tail),
            ]
        )
    ordered = list(benchmark.entry.params) if benchmark else []
    return {
        "boards": list(boards),
        "metrics": [_metric(benchmark, *pair) for pair in metrics],
        "params": [
            [
                name,
                benchmark.param_label(name) if benchmark else name,
                ordered.index(name) if name in ordered else len(ordered),
                [_value(benchmark, name, scalar) for _, scalar in values[name]],
            ]
            for name in params
        ],
        "cases": list(cases),
        "sections": list(sections),
        **({"remarks": [_own(words, runs) for words in own]} if own else {}),
        "figures": figures,
    }


def words(records: Sequence[Record], pool: Pool) -> tuple[dict[str, Any], dict[int, int]]:
    """Return the texts of a guide's runs, each once, and the index of each run by the position of
    its bundle; both are empty if no run has texts.

    ``runs`` has for each run its facts, as indices into ``facts`` and ``texts``, and its notes: an
    index into ``texts``, with a benchmark and a metric unless it applies to all.
    """
    positions = {loaded.digest: position for position, loaded in enumerate(pool.frame.bundles)}
    measured = {(record.benchmark, record.metric) for record in records}
    of_runs = [
        (positions[loaded.digest], remarks.run_words(loaded, measured))
        for loaded in pool.bundles(records)
    ]
    if not any(run.facts or run.notes for _, run in of_runs):
        return {}, {}
    facts: dict[tuple[str, str], int] = {}
    texts: dict[str, int] = {}
    runs = [
        [
            [
                [index_in(facts, (name, label)), index_in(texts, value)]
                for name, label, value in run.facts
            ],
            [
                [index_in(texts, text), *([of, only] if of or only else [])]
                for _, text, of, only in run.notes
            ],
        ]
        for _, run in of_runs
    ]
    value = {"facts": list(facts), "texts": list(texts), "runs": runs}
    return value, {position: number for number, (position, _) in enumerate(of_runs)}


def _own(words: remarks.OwnWords, runs: Mapping[int, int]) -> list[Any]:
    facts = [
        [name, label, [value if isinstance(value, str) else runs[value] for value in values]]
        for name, label, values in words.facts
    ]
    return [facts, list(words.notes)]


def index_in(indices: dict[T, int], item: T) -> int:
    """Return the index of an item; a new one is appended."""
    return indices.setdefault(item, len(indices))


def _metric(benchmark: Benchmark | None, metric: str, unit: str) -> list[Any]:
    rank, described = benchmark.metric_rank(metric) if benchmark else (0, None)
    label = described.label if described and described.label else metric
    heading = units.heading(label, unit, described.better if described else "neither")
    return [metric, unit, label, heading, rank, described.headline if described else False]


def _value(benchmark: Benchmark | None, name: str, value: Scalar) -> list[Any]:
    listed = list(benchmark.param(name).values) if benchmark else []
    plain = units.plain(value)
    rank = listed.index(plain) if plain in listed else len(listed)
    label = benchmark.value_label(name, value) if benchmark else plain
    number = None if isinstance(value, str) else float(value)
    # A value may contain characters that do not show, or that move other text.
    return [address_key(value), visible(label, len(label)), rank, number]


def address_key(value: Scalar) -> str:
    """Return a parameter's value for an address: ``16``, ``aes-128-cbc``, and in quotes if a text
    could be mistaken for another value: ``"16"``, ``"true"``."""
    if not isinstance(value, str) or value.lstrip()[:1] in ("[", "{"):
        # Text that begins like a list is not parsed: it may be nested too deeply.
        return json.dumps(value)
    try:
        json.loads(value)
    except ValueError:
        return value if value not in ("", "*") else json.dumps(value)
    return json.dumps(value)
