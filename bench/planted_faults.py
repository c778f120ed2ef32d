"""Measure how many planted faults the health report finds in the newest release.

    python bench/planted_faults.py ARCHIVE [--faults 95] [--seed 1]

Faults of single figures and of tables are planted one at a time into the newest bundle of a board.
The exit status is 1 if fewer than ``MIN_FOUND_RATIO`` or ``MIN_TABLES_RATIO`` of them are found, if
a board of a newest release has more than ``MAX_FINDINGS_PER_BOARD`` findings of the rules about
newest figures without a planted fault, or if a fault causes more than ``MAX_OTHERS_PER_FAULT``
findings about other benchmarks. The shares are published on the page *Speed and accuracy*;
``--output`` names another file for them.
"""

from __future__ import annotations

import argparse
import copy
import json
import random
import sys
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from operator import itemgetter
from pathlib import Path
from typing import Any

import page_rows

from perfguide.bundles.containers import Document, Source
from perfguide.bundles.decode import Loaded, load
from perfguide.bundles.guide_key import version
from perfguide.catalog import benchmarks
from perfguide.common.grouping import grouped
from perfguide.figures import rows
from perfguide.figures.pool import Pool
from perfguide.health import rules
from perfguide.health.finding import Finding, Suspect

TOP = Path(__file__).parents[1]
MIN_FOUND_RATIO, MIN_TABLES_RATIO = 0.80, 0.70
MAX_FINDINGS_PER_BOARD, MAX_OTHERS_PER_FAULT = 0.5, 1.0
PUBLISHED = {
    "single figures": "Planted faults of single figures that Health found",
    "tables": "Planted faults of tables that Health found",
}

Bundle = dict[str, Any]
Planted = list[tuple[str, str, str, str]]
"""The board, benchmark, metric and parameters of each wrong figure."""


def loaded_bundle(bundle: Bundle, name: str) -> Loaded:
    """Return a bundle as it is read from a file."""
    source = Source("plant", name, Path(name))
    (bundle_read,) = load(Document(source, name, json.dumps(bundle).encode(), False))
    assert isinstance(bundle_read, Loaded)
    return bundle_read


def examined(loaded: list[Loaded], catalog: benchmarks.Catalog) -> list[Finding]:
    """Return all findings about some bundles."""
    return rules.examine(Pool(rows.build(loaded), catalog), catalog)[0]


def owner(bundle: Bundle) -> tuple[str, str, str]:
    """Return the SoC, the system and the board of a bundle."""
    return bundle["board"]["soc"], bundle["sdk"]["os"], bundle["board"]["name"]


def release(bundle: Bundle) -> str:
    return str(bundle["sdk"]["version"])


def named(bundle: Bundle, result: dict[str, Any]) -> tuple[str, str, str, str]:
    """Return the board, benchmark, metric and parameters of a result."""
    params = json.dumps(result.get("params", {}), sort_keys=True)
    return bundle["board"]["name"], result["benchmark"], result["metric"], params


# ---------------------------------------------------------------- faults


def rates_and_times(bundle: Bundle) -> list[dict[str, Any]]:
    return [r for r in bundle["results"] if r.get("value", 0) > 0 and r["unit"] != "%"]


def figures(bundle: Bundle, chance: random.Random) -> list[dict[str, Any]]:
    """Return the rates and times in a bundle, in random order."""
    candidates = rates_and_times(bundle)
    chance.shuffle(candidates)
    return candidates


def times(factor: float) -> Callable[[list[Bundle], int, random.Random], Planted]:
    """Return a fault that multiplies one figure and its range."""

    def plant(bundles: list[Bundle], at: int, chance: random.Random) -> Planted:
        result = figures(bundles[at], chance)[0]
        for key in ("value", "min", "max"):
            if key in result:
                result[key] = float(f"{result[key] * factor:.6g}")
        return [named(bundles[at], result)]

    return plant


def stale(bundles: list[Bundle], at: int, chance: random.Random) -> Planted:
    """Replace all figures of a benchmark with those of the previous release."""
    of_board = [b for b in bundles if owner(b) == owner(bundles[at])]
    before = max((b for b in of_board if version(release(b)) < version(release(bundles[at]))),
                 key=lambda b: version(release(b)), default=None)  # fmt: skip
    if before is None:
        return []
    old = {named(before, r)[1:]: r for r in before["results"]}
    repeated = (r for r in bundles[at]["results"] if named(bundles[at], r)[1:] in old)
    by_benchmark = grouped(repeated, itemgetter("benchmark"))
    large_benchmarks = sorted(name for name, results in by_benchmark.items() if len(results) >= 6)
    if not large_benchmarks:
        return []
    chosen = by_benchmark[chance.choice(large_benchmarks)]
    for result in chosen:
        given = old[named(bundles[at], result)[1:]]
        for key in ("value", "min", "max"):
            result.pop(key, None)
            if key in given:
                result[key] = given[key]
    return [named(bundles[at], result) for result in chosen]


def swapped(bundles: list[Bundle], at: int, chance: random.Random) -> Planted:
    """Swap the names of two boards in a release."""
    mine = bundles[at]
    others = [
        b for b in bundles
        if owner(b)[:2] == owner(mine)[:2] and release(b) == release(mine) and b is not mine
    ]  # fmt: skip
    if not others:
        return []
    other = chance.choice(others)
    mine["board"]["name"], other["board"]["name"] = other["board"]["name"], mine["board"]["name"]
    return [named(b, r) for b in (mine, other) for r in b["results"]]


def load_above(bundles: list[Bundle], at: int, chance: random.Random) -> Planted:
    """Set a load above 100 %."""
    loads = [r for r in bundles[at]["results"] if r["unit"] == "%" and "load" in r["metric"]]
    if not loads:
        return []
    result = chance.choice(loads)
    result["value"] = round(100 + 90 * chance.random(), 2)
    return [named(bundles[at], result)]


def one_sample(bundles: list[Bundle], at: int, chance: random.Random) -> Planted:
    """Take one of five samples from another run."""
    result = figures(bundles[at], chance)[0]
    middle = result.pop("value")
    result.pop("min", None), result.pop("max", None)
    result["samples"] = [round(middle * (1 + 0.01 * chance.gauss(0, 1)), 4) for _ in range(5)]
    result["samples"][chance.randrange(5)] = round(middle * chance.choice([0.4, 0.6, 1.8, 3]), 4)
    return [named(bundles[at], result)]


def too_fast(bundles: list[Bundle], at: int, chance: random.Random) -> Planted:
    """Set a rate above the limit of its bus."""
    buses = ("emmc", "mmcsd", "usb-host", "ethernet-tcp", "ethernet-udp", "ospi", "ufs")
    some = [
        r for r in figures(bundles[at], chance)
        if r["benchmark"] in buses and "throughput" in r["metric"]
    ]  # fmt: skip
    if not some:
        return []
    some[0]["value"] = round(some[0]["value"] * chance.uniform(150, 1500), 1)
    return [named(bundles[at], some[0])]


# ---------------------------------------------------------------- faults of tables

VALUES = ("value", "min", "max", "samples", "count")
MIN_TABLE_ROWS = 6
JUDGED = {
    *("unit-slip", "newest-far", "unlike-boards", "stale-copy", "swapped-boards", "lone-sample"),
    *("table-scaled", "rows-exchanged", "table-copied"),
}
"""The rules about a board's newest release, whose findings in the archive are alarms."""


def tables_of(
    bundles: list[Bundle], at: int, chance: random.Random
) -> list[tuple[str, list[dict[str, Any]]]]:
    """Return the benchmarks of a bundle that have enough rates and times, in random order."""
    by_benchmark = grouped(rates_and_times(bundles[at]), itemgetter("benchmark"))
    tables = [
        (name, results)
        for name, results in sorted(by_benchmark.items())
        if len(results) >= MIN_TABLE_ROWS
    ]
    chance.shuffle(tables)
    return tables


def table_times(factor: float) -> Callable[[list[Bundle], int, random.Random], Planted]:
    """Return a fault that multiplies a table's figures in one unit, and their ranges."""

    def plant(bundles: list[Bundle], at: int, chance: random.Random) -> Planted:
        for _, results in tables_of(bundles, at, chance):
            unit = Counter(result["unit"] for result in results).most_common(1)[0][0]
            chosen = [result for result in results if result["unit"] == unit]
            for result in chosen:
                for key in ("value", "min", "max"):
                    if key in result:
                        result[key] = float(f"{result[key] * factor:.6g}")
            return [named(bundles[at], result) for result in chosen]
        return []

    return plant


def exchange(one: dict[str, Any], two: dict[str, Any]) -> None:
    """Exchange the figures of two results."""
    first, second = ({k: r.pop(k) for k in VALUES if k in r} for r in (one, two))
    one.update(second)
    two.update(first)


def read_and_write(bundles: list[Bundle], at: int, chance: random.Random) -> Planted:
    """Swap the read and write rates in a table."""
    for _, results in tables_of(bundles, at, chance):
        by_name = {
            (r["metric"], json.dumps(r.get("params", {}), sort_keys=True)): r for r in results
        }
        pairs = [
            (result, by_name[metric.replace("read", "write"), params])
            for (metric, params), result in by_name.items()
            if "read" in metric and (metric.replace("read", "write"), params) in by_name
        ]
        if len(pairs) >= 2:
            for pair in pairs:
                exchange(*pair)
            return [named(bundles[at], result) for pair in pairs for result in pair]
    return []


def columns_exchanged(bundles: list[Bundle], at: int, chance: random.Random) -> Planted:
    """Swap the figures of two values of a parameter."""
    for _, results in tables_of(bundles, at, chance):
        names = sorted({name for result in results for name in result.get("params", {})})
        chance.shuffle(names)
        for name in names:
            columns: dict[str, dict[str, dict[str, Any]]] = {}
            for result in results:
                params = dict(result.get("params", {}))
                value = json.dumps(params.pop(name, None))
                key = f"{result['metric']} {json.dumps(params, sort_keys=True)}"
                columns.setdefault(value, {})[key] = result
            if len(columns) < 2:
                continue
            one, two = (columns[v] for v in chance.sample(sorted(columns), 2))
            pairs = [(one[key], two[key]) for key in sorted(one.keys() & two.keys())]
            if len(pairs) >= 3:
                for pair in pairs:
                    exchange(*pair)
                return [named(bundles[at], result) for pair in pairs for result in pair]
    return []


def rows_shifted(bundles: list[Bundle], at: int, chance: random.Random) -> Planted:
    """Give each row of a metric, or each metric of a table, the figure of the next one."""
    for _, results in tables_of(bundles, at, chance):
        metric, count = Counter(result["metric"] for result in results).most_common(1)[0]
        unit = results[0]["unit"]
        chosen = [
            r
            for r in results
            if (r["metric"] == metric if count >= MIN_TABLE_ROWS else r["unit"] == unit)
        ]
        if len(chosen) < MIN_TABLE_ROWS:
            continue
        for before, after in pairwise(chosen):
            exchange(before, after)
        return [named(bundles[at], result) for result in chosen]
    return []


def copy_of(bundles: list[Bundle], at: int, source: Bundle, chance: random.Random) -> Planted:
    """Replace the figures of a table with those of another bundle."""
    old = {named(source, r)[1:]: r for r in source["results"] if r.get("value") is not None}
    for name, _ in tables_of(bundles, at, chance):
        chosen = [
            r
            for r in bundles[at]["results"]
            if r["benchmark"] == name and named(bundles[at], r)[1:] in old
        ]
        if len(chosen) < MIN_TABLE_ROWS:
            continue
        for result in chosen:
            given = old[named(bundles[at], result)[1:]]
            for key in VALUES:
                result.pop(key, None)
                if key in given:
                    result[key] = given[key]
        return [named(bundles[at], result) for result in chosen]
    return []


def two_releases_ago(bundles: list[Bundle], at: int, chance: random.Random) -> Planted:
    """Replace a table with that of two releases before."""
    earlier = {
        version(release(b)): b
        for b in bundles
        if owner(b) == owner(bundles[at]) and version(release(b)) < version(release(bundles[at]))
    }
    return copy_of(bundles, at, earlier[sorted(earlier)[-2]], chance) if len(earlier) >= 2 else []


def other_board(bundles: list[Bundle], at: int, chance: random.Random) -> Planted:
    """Replace a table with that of another board."""
    others = [
        b
        for b in bundles
        if owner(b)[:2] == owner(bundles[at])[:2] and owner(b) != owner(bundles[at])
    ]
    return copy_of(bundles, at, chance.choice(others), chance) if others else []


OTHER_SOCS: list[Bundle] = []
"""The newest bundles of all SoCs."""


def other_soc(bundles: list[Bundle], at: int, chance: random.Random) -> Planted:
    """Replace a table with that of another SoC."""
    others = [b for b in OTHER_SOCS if owner(b)[0] != owner(bundles[at])[0]]
    chance.shuffle(others)
    for source in others:
        if wrong := copy_of(bundles, at, source, chance):
            return wrong
    return []


TABLE_KINDS: dict[str, Callable[[list[Bundle], int, random.Random], Planted]] = {
    "table times 8": table_times(8),
    "table times 1000": table_times(1000),
    "table over 1024": table_times(1 / 1024),
    "read and write exchanged": read_and_write,
    "columns exchanged": columns_exchanged,
    "rows shifted": rows_shifted,
    "copy of two releases ago": two_releases_ago,
    "copy of another board": other_board,
    "copy of another SoC": other_soc,
}

KINDS: dict[str, Callable[[list[Bundle], int, random.Random], Planted]] = {
    "times 10": times(10),
    "times 1000": times(1000),
    "over 1024": times(1 / 1024),
    "times 2.5": times(2.5),
    "over 3": times(1 / 3),
    "boards swapped": swapped,
    "stale copy": stale,
    "one sample of five": one_sample,
    "load above 100 %": load_above,
    "above the bus": too_fast,
}


@dataclass(frozen=True, slots=True)
class Platform:
    """The bundles of a SoC and system, as written and as read, the positions of those of the last
    release, and the findings without a planted fault."""

    bundles: list[Bundle]
    release: str
    newest: list[int]
    loaded: list[Loaded]
    findings: list[Finding]


def platform_of(bundles: list[Bundle], catalog: benchmarks.Catalog) -> Platform:
    """Read and examine the bundles of a platform."""
    last = max(map(release, bundles), key=version)
    newest = [n for n, bundle in enumerate(bundles) if release(bundle) == last]
    loaded = [loaded_bundle(bundle, f"{n}.json") for n, bundle in enumerate(bundles)]
    return Platform(bundles, last, newest, loaded, examined(loaded, catalog))


def identity(finding: Finding, suspect: Suspect) -> tuple[str, ...]:
    """Return what a suspect of a finding is recognised by in another report."""
    record = suspect.record
    params = json.dumps(record.params, sort_keys=True)
    names = (record.board, record.benchmark, record.metric, params)
    return finding.rule.id, *names, suspect.detail


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("archive", type=Path)
    parser.add_argument("--faults", type=int, default=95)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--missed", action="store_true", help="name the faults not found")
    parser.add_argument("--output", type=Path, default=page_rows.SINGLE_VERDICTS)
    asked = parser.parse_args()
    catalog = benchmarks.load([TOP / "source" / "benchmarks"])[0]
    files = sorted(asked.archive.rglob("*.json"))
    bundles: list[Bundle] = [json.loads(path.read_text("utf-8")) for path in files]
    by_platform = grouped(bundles, lambda bundle: owner(bundle)[:2])
    platforms = {name: platform_of(each, catalog) for name, each in by_platform.items()}
    OTHER_SOCS.extend(p.bundles[n] for p in platforms.values() for n in p.newest)
    boards = sum(len({p.bundles[n]["board"]["name"] for n in p.newest}) for p in platforms.values())
    alarms = [f for p in platforms.values() for f in p.findings
              if f.guide.release == p.release and f.rule.id in JUDGED]  # fmt: skip
    for finding in alarms:
        print(f"{finding.guide}, {finding.benchmark}: {finding.rule.id}: {finding.reason}")
    clean = {name: {identity(f, s) for f in platform.findings for s in f.suspects}
             for name, platform in platforms.items()}  # fmt: skip
    beside = {name: [loaded_bundle(b, f"{name} {n}") for n, b in enumerate(OTHER_SOCS) if owner(b)[0] != name[0]]
              for name in platforms}  # fmt: skip
    # With fewer bundles, a newest release has too short a past.
    names = [name for name, platform in platforms.items() if len(platform.bundles) > 4]
    chance = random.Random(asked.seed)
    hits: Counter[str] = Counter()
    planted: Counter[str] = Counter()
    every = KINDS | TABLE_KINDS
    others = 0
    while planted.total() < asked.faults:
        kind = [*every][planted.total() % len(every)]
        name = chance.choice(names)
        platform = platforms[name]
        at = chance.choice(platform.newest)
        faulty = copy.deepcopy(platform.bundles)
        wrong = every[kind](faulty, at, chance)
        # Try again if this bundle has no figures for this kind of fault.
        if not wrong:
            continue
        loaded = [
            # Reading takes long, and a fault changes only one or two bundles.
            platform.loaded[n] if b == platform.bundles[n] else loaded_bundle(b, f"{n}.json")
            for n, b in enumerate(faulty)
        ]
        planted[kind] += 1
        if kind == "copy of another SoC":
            loaded += beside[name]
        new = [
            (finding, suspect.record)
            for finding in examined(loaded, catalog)
            for suspect in finding.suspects
            if (guide := suspect.record.guide).release == platform.release
            and (guide.soc, guide.os) == name
            and not finding.rule.id.startswith("lost-")
            and identity(finding, suspect) not in clean[name]
        ]
        figures_hit = {figure[:3] for figure in wrong}
        hit = any((r.board, r.benchmark, r.metric) in figures_hit for _, r in new)
        tables = {benchmark for _, benchmark, _ in figures_hit}
        others += len({finding.id for finding, r in new if r.benchmark not in tables})
        hits[kind] += hit
        if asked.missed and not hit:
            print(f"missed: {kind}: {name}, {platform.release}: {wrong[:2]}")
    for kind in every:
        print(f"{kind}: {hits[kind]} of {planted[kind]}")
    each, others_each = len(alarms) / boards, others / planted.total()
    shares = []
    for words, goal, of_kinds in (("single figures", MIN_FOUND_RATIO, KINDS),
                                  ("tables", MIN_TABLES_RATIO, TABLE_KINDS)):  # fmt: skip
        count, total = (sum(numbers[kind] for kind in of_kinds) for numbers in (hits, planted))
        shares.append((words, goal, count, total))
        print(
            f"{words}: found {count} of {total} ({100 * count / total:.0f} %, goal {100 * goal:.0f} %)"
        )
    print(f"{others} findings about other benchmarks ({others_each:.2f} a fault)")
    by_rule = dict(Counter(finding.rule.id for finding in alarms))
    print(
        f"{len(alarms)} findings about newest figures of {boards} boards ({each:.2f} each, goal {MAX_FINDINGS_PER_BOARD}): {by_rule}"
    )
    page_rows.write(asked.output, page_rows.SINGLE_HEAD, [
        (PUBLISHED[words],
         f"{100 * count / total:.1f} % of {total}", f"at least {100 * goal:.0f}")
        for words, goal, count, total in shares
    ])  # fmt: skip
    return int(
        any(count < goal * total for _, goal, count, total in shares)
        or each > MAX_FINDINGS_PER_BOARD
        or others_each > MAX_OTHERS_PER_FAULT
    )


if __name__ == "__main__":
    sys.exit(main())
