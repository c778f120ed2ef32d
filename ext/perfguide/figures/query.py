"""Searching for figures by name, and tracing each to its sources."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from operator import itemgetter
from typing import Any

import msgspec

from ..bundles import logs
from ..bundles.decompress import Limits
from ..bundles.guide_key import family, is_like
from ..common import units
from ..common.diagnostics import nearest, visible
from ..common.grouping import grouped
from ..common.units import TableCell
from .dataset import Holdings
from .labels import params_text
from .pool import Cell, Record, measured
from .provenance import facts

LISTED_FACTS = (
    *("bundle", "sha256", "created", "runner", "job_url", "board", "kernel", "image"),
    *("command", "log", "log_file", "log_text"),
)
"""The facts that the command prints for each source, in this order."""

LATEST = "latest"
"""The keyword for the newest release with matching figures."""

PARTS = ("soc", "release", "board", "benchmark", "metric")


@dataclass(frozen=True, slots=True)
class Query:
    """Case-insensitive patterns for the parts of a figure's name; ``*`` matches any characters."""

    soc: str
    release: str
    board: str
    benchmark: str
    metric: str
    os: str
    params: tuple[tuple[str, str], ...]


def parse(text: str, os: str = "*", params: Sequence[str] = ()) -> Query:
    """Parse ``SOC/RELEASE/BOARD/BENCHMARK/METRIC`` and ``NAME=VALUE`` pairs into a query.

    Missing parts match any name. Raises :class:`ValueError` if a pair has no ``=`` or a part is
    empty.
    """
    # Only the first four slashes separate parts: a metric's name may contain one.
    parts = [part.strip() for part in text.split("/", len(PARTS) - 1)]
    if not all(parts):
        raise ValueError("a part of the query is empty; write * for any name")
    parts += ["*"] * (len(PARTS) - len(parts))
    pairs = []
    for pair in params:
        name, equals, value = pair.partition("=")
        if not equals:
            raise ValueError(f"“{visible(pair)}” is not of the form NAME=VALUE")
        pairs.append((name, value))
    soc, release, board, benchmark, metric = parts
    return Query(soc, release, board, benchmark, metric, os, tuple(pairs))


def is_release(name: str, pattern: str) -> bool:
    """Return whether a release matches a pattern or begins with its version parts."""
    return fnmatchcase(name, pattern) or name.startswith(f"{pattern}.")


def run(holdings: Holdings, query: Query) -> list[Record]:
    """Return the figures that match a query, in the order of guides. ``latest`` selects, for each
    SoC and system, the newest release with matches."""
    if query.release == LATEST:
        records = run(holdings, replace(query, release="*"))
        # Guides are in version order, so the last one of a platform is the newest.
        last = {record.guide.platform: record.guide for record in records}
        return [record for record in records if record.guide == last[record.guide.platform]]
    return [
        record
        for key in holdings.pool.guides()
        if is_like(key, query.soc, query.os) and is_release(key.release, query.release)
        for record in holdings.pool.of_guide(key)
        if _matches(record.board, query.board)
        and _matches(record.benchmark, query.benchmark)
        and _matches(record.metric, query.metric)
        and all(
            name in record.params and units.plain(record.params[name]) == value
            for name, value in query.params
        )
    ]


def nearest_name(holdings: Holdings, query: Query) -> str:
    """Return a message about the first part that matches nothing, with the most similar name."""
    table = holdings.pool.frame.table
    for part in PARTS:
        pattern = getattr(query, part)
        names = [str(name) for name in table[part].cat.categories]
        if not _fits(pattern, names, PARTS.index(part)):
            hint = nearest(pattern, names)
            noun = "SoC" if part == "soc" else part
            return f": there is no {noun} “{visible(pattern)}”" + (f"; {hint}" if hint else "")
    every = (record for key in holdings.pool.guides() for record in holdings.pool.of_guide(key))
    names = sorted({str(name) for record in every for name in record.params})
    for name, _ in query.params:
        if name not in names:
            hint = nearest(name, names) or f"there are {', '.join(map(visible, names)) or 'none'}"
            return f": there is no parameter “{visible(name)}”; {hint}"
    return ": each part exists, but no figure combines them all"


FORM = "SOC/RELEASE/BOARD/BENCHMARK/METRIC"
"""The form of a query."""

MAX_SUGGESTED = 3
"""The most queries suggested for one without results."""


def near(holdings: Holdings, query: Query) -> list[str]:
    """Return queries that are similar to one without results, and that have results.

    A part without a match may belong to a later position (``SOC/RELEASE/BENCHMARK``). Otherwise it
    is replaced by a similar name, or by any name.
    """
    table = holdings.pool.frame.table
    parts = [getattr(query, part) for part in PARTS]
    names = [[str(name) for name in table[part].cat.categories] for part in PARTS]
    wrong = next((i for i, pattern in enumerate(parts) if not _fits(pattern, names[i], i)), None)
    if wrong is None:
        wrong = max((i for i, pattern in enumerate(parts) if pattern != "*"), default=0)
        tries = [[*parts[:wrong], "*", *parts[wrong + 1 :]]]
    else:
        later = [i for i in range(wrong + 1, len(PARTS)) if _fits(parts[wrong], names[i], i)]
        tries = [
            [*parts[:wrong], *["*"] * (i - wrong), *parts[wrong : wrong + len(PARTS) - i]]
            for i in later
        ]
        # Matching is quadratic in length, and queries can be arbitrarily long.
        mistyped = difflib.get_close_matches(parts[wrong][:200], names[wrong], MAX_SUGGESTED, 0.5)
        tries += [[*parts[:wrong], name, *parts[wrong + 1 :]] for name in mistyped]
        tries.append([*parts[:wrong], "*", *parts[wrong + 1 :]])
    out = []
    for values in tries:
        if run(holdings, replace(query, **dict(zip(PARTS, values, strict=True)))):
            # Trailing wildcards are optional; the suggestion reads better without them.
            while len(values) > 1 and values[-1] == "*":
                values = values[:-1]
            out.append("/".join(values))
    return list(dict.fromkeys(out))[:MAX_SUGGESTED]


def _fits(pattern: str, names: Sequence[str], index: int) -> bool:
    """Return whether any name matches the pattern of the part with this index."""
    if PARTS[index] == "release":
        return pattern == LATEST or any(is_release(name, pattern) for name in names)
    return any(_matches(name, pattern) for name in names)


def _matches(name: str, pattern: str) -> bool:
    return fnmatchcase(name.casefold(), pattern.casefold())


def name(record: Record) -> str:
    """Return a figure's name in the form of a query."""
    key = record.guide
    return "/".join((key.soc, key.release, record.board, record.benchmark, record.metric))


def as_text(holdings: Holdings, record: Record) -> str:
    """Format a figure and its sources for a terminal."""
    unit = units.parse(record.unit).symbol
    lines = [
        visible(name(record)) + f"  [{visible(family(record.guide))}]",
        *([f"  {visible(params_text(record.params))}"] if record.params else []),
        f"  {units.whole(exact(record.cell))} {visible(unit)}".rstrip(),
    ]
    facts_of = holdings.pool.stated.setup_facts(record.cell.members)
    lines += [f"  {visible(n)}: {visible(' and '.join(values))}" for n, values in facts_of.items()]
    lines += [f"  note: {visible(text)}" for text in holdings.pool.notes_of(record.cell.members)]
    for source in sources(holdings, record):
        lines.append(f"  from {visible(source['file'])} at {visible(source['pointer'])}")
        for key in LISTED_FACTS:
            if source.get(key):
                lines.append(f"    {key:8} {visible(str(source[key]))}")
        if source.get("figures"):
            uploaded = ", ".join(f"{key} {value}" for key, value in source["figures"].items())
            lines.append(f"    figures  {visible(uploaded)}")
    return "\n".join(lines) + "\n"


def exact(cell: Cell) -> TableCell:
    """Return a figure with all its digits, its spread and its number of samples."""
    if cell.mean is None:
        return units.FAILED
    return units.figure(cell.mean, cell.low, cell.high, cell.count)


def as_json(holdings: Holdings, record: Record) -> dict[str, Any]:
    """Return a figure and its sources for programs."""
    return {
        "name": name(record),
        "sdk": record.guide.sdk,
        "os": record.guide.os,
        **measured(record),
        "differs": list(record.cell.differs),
        "setup": holdings.pool.stated.setup_facts(record.cell.members),
        "notes": holdings.pool.notes_of(record.cell.members),
        "sources": sources(holdings, record),
    }


def sources(holdings: Holdings, record: Record) -> list[dict[str, Any]]:
    """Return the sources of a figure: for each pooled result its bundle, its position there, its
    command, its line in the log, and the figures as uploaded."""
    bundles = holdings.pool.frame.bundles
    places = holdings.pool.positions_of(record.cell.members)
    # Open each log only once, for all the lines needed from it.
    found_logs = {
        position: logs.find(
            bundles[position], logs.wanted(bundles[position], [n for _, n in results]), Limits()
        )
        for position, results in grouped(places, itemgetter(0)).items()
    }
    out: list[dict[str, Any]] = []
    for position, index in places:
        loaded = bundles[position]
        result = loaded.bundle.results[index]
        plain = msgspec.to_builtins(result)
        figure_keys = ("samples", "value", "min", "max", "count", "status", "unit")
        source = facts(loaded) | {"pointer": f"/results/{index}", "command": result.command}
        if log := result.log:
            source["log"] = f"{log.file}:{log.line}"
            source["log_file"] = found_logs[position].places.get(log.file, "")
            source["log_text"] = found_logs[position].text(log.file, log.line)
        source["figures"] = {key: plain[key] for key in figure_keys if key in plain}
        out.append(source)
    return out
