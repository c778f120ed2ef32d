"""The data of the explorer page, in small files that a page loads when it needs them.

Each file is one call with one value, so that a page loads it by a ``script`` element:
that works from a disk too, where a browser refuses to fetch. No name from a bundle is
a key in them: there are names with a meaning of their own to a browser.
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

MOST_BYTES = 300_000
"""The largest file; a benchmark with more figures in one guide has several."""

FOLDER = "explore"


def file(name: str, value: Any) -> bytes:
    """A file that hands a value over under its name. It is ASCII whatever it holds."""
    text = json.dumps(value, separators=(",", ":"), allow_nan=False)
    return f"perfguideData({json.dumps(name)},{text});\n".encode("ascii")


def index(socs: Mapping[str, str]) -> dict[str, Any]:
    """The SoCs, each with its name among the files."""
    return {"socs": [[soc, socs[soc]] for soc in sorted(socs, key=units.natural)]}


def soc_index(
    catalog: Catalog,
    benchmarks: Mapping[str, str],
    guides: Sequence[tuple[GuideKey, str, Mapping[str, int], bool]],
    compared: Mapping[tuple[GuideKey, GuideKey], str],
) -> dict[str, Any]:
    """One SoC's systems and releases, and for each release its benchmarks' files.

    ``guides`` has for each guide its place among the files, by benchmark the number of
    files, and whether there is one with the words of its runs. ``benchmarks`` has each benchmark's name among the files.
    Releases come newest first if the guides come oldest first. ``compared`` has the page
    of each two releases that have one, the older one first.
    """
    used = {name for _, _, counts, _ in guides for name in counts}
    names = [name for name in catalog.benchmarks if name in used]
    names += sorted(used - set(names))
    place = {name: position for position, name in enumerate(names)}
    systems: dict[tuple[str, str], dict[str, Any]] = {}
    for key, path, counts, has_words in reversed(guides):
        system = systems.setdefault(
            (key.sdk, key.os),
            {"sdk": key.sdk, "os": key.os, "name": family(key), "releases": [], "compared": []},
        )
        parts = sorted([place[name], count] for name, count in counts.items())
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
    """One benchmark's figures in one guide, in as many values as the size asks for.

    ``section`` is the anchor of a figure's section on the page of the guide, and ``runs`` the
    places of runs by the positions of their bundles, as :func:`words` gives them."""
    value = part(benchmark, records, pool, section, runs)
    # The name in the call is short; a hundredth is left for it.
    if len(records) > 1 and len(file("", value)) > MOST_BYTES * 0.99:
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
    """Figures with all that names them, as lists that refer to each other by position.

    ``metrics``: name, unit, label, label with unit and direction, place in the order,
    whether it is a headline. ``params``: name, label, place in the order, values; a
    value is its key in addresses, its text, and what it is ordered by. ``cases``: for
    each set of parameters [parameter, value] pairs. ``sections``: anchors in the guide.
    ``figures``: board, metric, case, mean, the mean as text, what stands behind that,
    minimum, maximum, section, its place in ``remarks`` or nothing, and where a run behind it has
    words the places of its runs in the file that :func:`words` makes; a failed figure has no mean.
    ``remarks``: facts that results state themselves, each with its name, its label and its values,
    of which a number is the place of the run whose value it is; and notes.
    """
    # Each has its position in the list that it stands in.
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
            known = values.setdefault(name, {})
            # True equals 1 in Python, so the type is a part of the identity.
            case.append((_place(params, name), _place(known, (type(scalar).__name__, scalar))))
        cell = record.cell
        shown = grids.page_figure(cell)
        words = remarks.own_words(pool, cell.members)
        behind = (
            [runs[place] for place in dict.fromkeys(owner[[*cell.members]].tolist())]
            if runs
            else []
        )
        tail = [
            _place(own, words) if words != remarks.OwnWords() else None,
            *([behind] if behind else []),
        ]
        figures.append(
            [
                _place(boards, record.board),
                _place(metrics, (record.metric, record.unit)),
                _place(cases, tuple(case)),
                *((None, shown, "") if isinstance(shown, str) else shown),
                cell.low,
                cell.high,
                _place(sections, section(record)),
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
    """The words of the runs of a guide, each once: ``runs`` has for each run its facts, as places
    in ``facts`` and ``texts``, and its notes: a place in ``texts`` and, where it is not about all,
    a benchmark and a metric. Beside it the place of each run, by the position of its bundle; both
    are empty where no run has words."""
    positions = {loaded.digest: place for place, loaded in enumerate(pool.frame.bundles)}
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
                [_place(facts, (name, label)), _place(texts, value)]
                for name, label, value in run.facts
            ],
            [
                [_place(texts, text), *([of, only] if of or only else [])]
                for _, text, of, only in run.notes
            ],
        ]
        for _, run in of_runs
    ]
    value = {"facts": list(facts), "texts": list(texts), "runs": runs}
    return value, {position: place for place, (position, _) in enumerate(of_runs)}


def _own(words: remarks.OwnWords, runs: Mapping[int, int]) -> list[Any]:
    facts = [
        [name, label, [value if isinstance(value, str) else runs[value] for value in values]]
        for name, label, values in words.facts
    ]
    return [facts, list(words.notes)]


def _place(places: dict[T, int], item: T) -> int:
    """The position of an item; a new one goes behind the others."""
    return places.setdefault(item, len(places))


def _metric(benchmark: Benchmark | None, metric: str, unit: str) -> list[Any]:
    rank, known = benchmark.metric_rank(metric) if benchmark else (0, None)
    label = known.label if known and known.label else metric
    heading = units.heading(label, unit, known.better if known else "neither")
    return [metric, unit, label, heading, rank, known.headline if known else False]


def _value(benchmark: Benchmark | None, name: str, value: Scalar) -> list[Any]:
    listed = list(benchmark.param(name).values) if benchmark else []
    plain = units.plain(value)
    rank = listed.index(plain) if plain in listed else len(listed)
    shown = benchmark.value_label(name, value) if benchmark else plain
    number = None if isinstance(value, str) else float(value)
    # A value may hold what would not show, or would move other text.
    return [address_key(value), visible(shown, len(shown)), rank, number]


def address_key(value: Scalar) -> str:
    """A parameter's value in an address: ``16``, ``aes-128-cbc``, and with quotes
    where a text could be taken for another value: ``"16"``, ``"true"``."""
    if not isinstance(value, str) or value.lstrip()[:1] in ("[", "{"):
        # What begins like a list is not read: it may be nested deeper than can be.
        return json.dumps(value)
    try:
        json.loads(value)
    except ValueError:
        return value if value not in ("", "*") else json.dumps(value)
    return json.dumps(value)
