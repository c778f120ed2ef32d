"""Measures how many planted faults the health report finds in the newest release.

    python bench/planted_faults.py ARCHIVE [--faults 60] [--seed 1]

Faults are planted one at a time into the newest bundle of a board. The exit status is 1 if fewer
than ``MIN_FOUND_RATIO`` of them are found, or if a board of a newest release has more than ``MAX_FINDINGS_PER_BOARD`` findings
of the rules about newest figures without a planted fault. The first share is published on the page
*Speed and accuracy*; ``--output`` names another file for it.
"""

from __future__ import annotations

import argparse
import copy
import json
import random
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import page_rows

from perfguide.bundles.containers import Document, Source
from perfguide.bundles.decode import Loaded, load
from perfguide.bundles.guide_key import version
from perfguide.catalog import benchmarks
from perfguide.figures import rows
from perfguide.figures.pool import Pool
from perfguide.health import newest_rules, rules
from perfguide.health.finding import Finding

TOP = Path(__file__).parents[1]
MIN_FOUND_RATIO, MAX_FINDINGS_PER_BOARD = 0.60, 0.5

Bundle = dict[str, Any]
Planted = list[tuple[str, str, str, str]]
"""Board, benchmark, metric and parameters of the wrong figures."""


def sound(bundle: Bundle, name: str) -> Loaded:
    """Return a bundle as it is read from a file."""
    source = Source("plant", name, Path(name))
    (bundle_read,) = load(Document(source, name, json.dumps(bundle).encode(), False))
    assert isinstance(bundle_read, Loaded)
    return bundle_read


def examined(loaded: list[Loaded], catalog: benchmarks.Catalog) -> list[Finding]:
    """Return all findings about some bundles."""
    return rules.examine(Pool(rows.build(loaded), catalog), catalog)[0]


def owner(bundle: Bundle) -> tuple[str, str, str]:
    return bundle["board"]["soc"], bundle["sdk"]["os"], bundle["board"]["name"]


def release(bundle: Bundle) -> str:
    return str(bundle["sdk"]["version"])


def named(bundle: Bundle, result: dict[str, Any]) -> tuple[str, str, str, str]:
    params = json.dumps(result.get("params", {}), sort_keys=True)
    return bundle["board"]["name"], result["benchmark"], result["metric"], params


# ---------------------------------------------------------------- faults


def figures(bundle: Bundle, chance: random.Random) -> list[dict[str, Any]]:
    """Return the rates and times in a bundle, in random order."""
    candidates = [r for r in bundle["results"] if r.get("value", 0) > 0 and r["unit"] != "%"]
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
    """Replace all figures of a benchmark by those of the release before."""
    own = [b for b in bundles if owner(b) == owner(bundles[at])]
    before = max((b for b in own if version(release(b)) < version(release(bundles[at]))),
                 key=lambda b: version(release(b)), default=None)  # fmt: skip
    if before is None:
        return []
    old = {named(before, r)[1:]: r for r in before["results"]}
    by: dict[str, list[dict[str, Any]]] = {}
    for result in bundles[at]["results"]:
        if named(bundles[at], result)[1:] in old:
            by.setdefault(result["benchmark"], []).append(result)
    many = sorted(name for name, results in by.items() if len(results) >= 6)
    if not many:
        return []
    chosen = by[chance.choice(many)]
    for result in chosen:
        given = old[named(bundles[at], result)[1:]]
        for key in ("value", "min", "max"):
            result.pop(key, None)
            if key in given:
                result[key] = given[key]
    return [named(bundles[at], result) for result in chosen]


def swapped(bundles: list[Bundle], at: int, chance: random.Random) -> Planted:
    """Exchange two boards of a release."""
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


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("archive", type=Path)
    parser.add_argument("--faults", type=int, default=60)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--output", type=Path, default=page_rows.SINGLE_VERDICTS)
    asked = parser.parse_args()
    catalog = benchmarks.load([TOP / "source" / "benchmarks"])[0]
    files = sorted(asked.archive.rglob("*.json"))
    bundles: list[Bundle] = [json.loads(path.read_text("utf-8")) for path in files]
    by_platform: dict[tuple[str, str], list[Bundle]] = {}
    for bundle in bundles:
        by_platform.setdefault(owner(bundle)[:2], []).append(bundle)
    chance = random.Random(asked.seed)
    boards = findings = 0
    clean: dict[tuple[str, str], set[tuple[str, ...]]] = {}
    counts_by_rule: Counter[str] = Counter()
    newest: dict[tuple[str, str], list[int]] = {}
    base: dict[tuple[str, str], list[Loaded]] = {}
    for platform, own in by_platform.items():
        last = max((release(b) for b in own), key=version)
        newest[platform] = [n for n, b in enumerate(own) if release(b) == last]
        base[platform] = [sound(b, f"{n}.json") for n, b in enumerate(own)]
        base_findings = examined(base[platform], catalog)
        clean[platform] = {
            (f.rule.id, s.record.board, s.record.benchmark, s.record.metric,
             json.dumps(s.record.params, sort_keys=True), s.detail)
            for f in base_findings for s in f.suspects
        }  # fmt: skip
        boards += len({own[n]["board"]["name"] for n in newest[platform]})
        for finding in base_findings:
            if finding.guide.release == last and finding.rule in newest_rules.RULES:
                findings += 1
                counts_by_rule[finding.rule.id] += 1
                print(f"{finding.guide}, {finding.benchmark}: {finding.rule.id}: {finding.reason}")
    seen: Counter[str] = Counter()
    planted: Counter[str] = Counter()
    kinds = list(KINDS)
    platforms = [p for p in by_platform if len(by_platform[p]) > 4]
    while planted.total() < asked.faults:
        kind = kinds[planted.total() % len(kinds)]
        platform = chance.choice(platforms)
        own = by_platform[platform]
        at = chance.choice(newest[platform])
        faulty = copy.deepcopy(own)
        wrong = KINDS[kind](faulty, at, chance)
        if not wrong:
            continue
        loaded = [
            base[platform][n] if faulty[n] == own[n] else sound(faulty[n], f"{n}.json")
            for n in range(len(own))
        ]
        planted[kind] += 1
        names = {name[:3] for name in wrong}
        hit = any(
            (s.record.board, s.record.benchmark, s.record.metric) in names
            and not f.rule.id.startswith("lost-")
            and (f.rule.id, s.record.board, s.record.benchmark, s.record.metric,
                 json.dumps(s.record.params, sort_keys=True), s.detail) not in clean[platform]
            for f in examined(loaded, catalog)
            for s in f.suspects
            if s.record.guide.release == release(own[at])
        )  # fmt: skip
        seen[kind] += hit
    for kind in kinds:
        print(f"{kind}: {seen[kind]} of {planted[kind]}")
    share, each = seen.total() / planted.total(), findings / boards
    print(
        f"found {seen.total()} of {planted.total()} ({100 * share:.0f} %, goal {100 * MIN_FOUND_RATIO:.0f} %)"
    )
    print(
        f"{findings} findings about newest figures of {boards} boards ({each:.2f} each, goal {MAX_FINDINGS_PER_BOARD}): {dict(counts_by_rule)}"
    )
    result = (f"{100 * share:.1f} % of {planted.total()}", f"at least {100 * MIN_FOUND_RATIO:.0f}")
    row = ("Planted faults that Health found", *result)
    page_rows.write(asked.output, page_rows.SINGLE_HEAD, [row])
    return int(share < MIN_FOUND_RATIO or each > MAX_FINDINGS_PER_BOARD)


if __name__ == "__main__":
    sys.exit(main())
