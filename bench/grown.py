"""A larger archive made from real bundles: more SoCs, as varied as the real ones.

    python bench/grown.py REAL TARGET [--socs 20]

Each additional SoC copies the bundles of every third release of a real one under new names. Its
figures differ by up to three per cent, by factors specific to each bundle. All figures of one
result are multiplied by the same factor, so that a mean stays between its extremes.
"""

from __future__ import annotations

import argparse
import json
import random
from collections import defaultdict
from pathlib import Path
from typing import Any

SHARE = 3
"""An additional SoC has one in this many of the real one's releases."""
JITTER = 0.03


def grow(real: Path, target: Path, socs: int = 20) -> int:
    """Write the real bundles and those of additional SoCs below ``target``; return the number of
    bundles."""
    bundles_by_soc: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for path in sorted(real.rglob("*.json")):
        bundle = json.loads(path.read_text("utf-8"))
        bundles_by_soc[bundle["board"]["soc"]].append(bundle)
    names, count = sorted(bundles_by_soc), 0
    for number in range(socs):
        of, turn = names[number % len(names)], number // len(names)
        for bundle in bundles_by_soc[of] if turn == 0 else _some(bundles_by_soc[of], turn):
            one = bundle if turn == 0 else renamed(bundle, turn)
            file = target / one["board"]["soc"] / f"{one['id']}.json"
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(json.dumps(one, indent=1), "utf-8")
            count += 1
    return count


def repeat(real: Path, target: Path, times: int) -> int:
    """Write the real bundles and copies of them under other SoC names below ``target``, ``times``
    as many in all; return the number of bundles."""
    count = 0
    for path in sorted(real.rglob("*.json")):
        bundle = json.loads(path.read_text("utf-8"))
        for turn in range(times):
            one = renamed(bundle, turn) if turn else bundle
            file = target / one["board"]["soc"] / f"{count:06}.json"
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(json.dumps(one, indent=1), "utf-8")
            count += 1
    return count


def _some(bundles: list[dict[str, Any]], turn: int) -> list[dict[str, Any]]:
    releases = sorted({each["sdk"]["version"] for each in bundles})
    # Include the last one, which pages about several SoCs show.
    kept = set(releases[turn % SHARE :: SHARE]) | {releases[-1]}
    return [each for each in bundles if each["sdk"]["version"] in kept]


def renamed(bundle: dict[str, Any], turn: int) -> dict[str, Any]:
    """Return the bundle as if it came from another SoC and its boards."""
    soc, board = f"{bundle['board']['soc']}-{turn}", f"{bundle['board']['name']}-{turn}"
    name = f"{bundle['id']}-{turn}"
    # Seeded by name, so that a bundle gets the same figures in each run.
    chance = random.Random(name)
    results = [shaken(each, 1 + chance.uniform(-JITTER, JITTER)) for each in bundle["results"]]
    whose = bundle["board"] | {"soc": soc, "name": board}
    return bundle | {"id": name, "board": whose, "results": results}


def shaken(result: dict[str, Any], factor: float) -> dict[str, Any]:
    """Return a result with its figures multiplied by a factor."""

    def changed(value: float) -> float:
        # Vendors print this many digits.
        return float(f"{value * factor:.5g}")

    out = dict(result)
    for key in ("value", "min", "max"):
        if isinstance(out.get(key), int | float):
            out[key] = changed(out[key])
    if "samples" in out:
        out["samples"] = [changed(each) for each in out["samples"]]
    return out


def main() -> None:
    """Write a grown archive."""
    parser = argparse.ArgumentParser(description="An archive grown from real bundles.")
    parser.add_argument("real", type=Path)
    parser.add_argument("target", type=Path)
    parser.add_argument("--socs", type=int, default=20)
    given = parser.parse_args()
    print(f"{grow(given.real, given.target, given.socs)} bundles")


if __name__ == "__main__":
    main()
