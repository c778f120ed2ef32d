"""Archives of any size made from this repository's results: the same benchmarks and parameters,
with simulated figures for each board and release."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

TOP = Path(__file__).resolve().parent.parent
RELEASES = 20
"""The maximum number of releases per SoC."""

Result = dict[str, Any]


def templates(most: int) -> list[Result]:
    """Return distinct measurements from the repository's results, those of complete guides
    first."""
    by_key: dict[str, Result] = {}
    for path in sorted((TOP / "results").rglob("*.json"), key=lambda p: p.stat().st_size > 10**6):
        for result in json.loads(path.read_bytes())["results"]:
            if result.get("status") == "fail":
                continue
            key = [result[name] for name in ("benchmark", "metric", "unit")]
            by_key.setdefault(json.dumps([*key, result.get("params")], sort_keys=True), result)
    return list(by_key.values())[:most]


def bundles(
    count: int, guides: int, results: int, seed: int = 1
) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield ``count`` bundles of ``results`` results each, spread over ``guides`` guides, with
    their file names."""
    chosen = templates(results)
    if len(chosen) < results:
        raise ValueError(f"there are only {len(chosen)} different measurements")
    chance = random.Random(seed)
    for number in range(count):
        guide, board = number % guides, number // guides
        soc, release = divmod(guide, RELEASES)
        version = f"{9 + release // 4:02}.{release % 4:02}.00.{release:02}"
        name = f"SOC{soc:03}/linux/{version}/board-{board}.json"
        yield name, bundle(f"soc{soc}-{version}-{board}", soc, version, board, chosen, chance)


def bundle(
    id_: str, soc: int, version: str, board: int, chosen: list[Result], chance: random.Random
) -> dict[str, Any]:
    """Return a bundle of a board with simulated figures for the measurements in ``chosen``."""
    return {
        "format": "perfguide-bundle",
        "version": 1,
        "id": id_,
        "created": "2024-04-02T09:30:00Z",
        "runner": {"name": f"farm-{board}"},
        "sdk": {"version": version, "os": "linux", "kernel": "6.1.80"},
        "board": {"name": f"soc{soc:03}-board-{board}", "soc": f"SOC{soc:03}", "cpu_mhz": 1400},
        "results": [_measured(result, chance) for result in chosen],
    }


def _measured(result: Result, chance: random.Random) -> Result:
    """Return the same measurement with figures a few per cent off."""
    out = {k: v for k, v in result.items() if k not in ("samples", "value", "min", "max", "log")}
    given = result.get("samples") or [result["value"]]
    figures = [round(figure * chance.uniform(0.97, 1.0), 6) for figure in given]
    if "samples" in result:
        out["samples"] = figures
    else:
        out["value"] = figures[0]
        if "min" in result and "max" in result:
            # Figures fall by up to 3 %, and the mean has to stay between its ends.
            out["min"] = min(figures[0], round(result["min"] * 0.97, 6))
            out["max"] = max(figures[0], result["max"])
    return out


def unlike_others(bundle: dict[str, Any], chance: random.Random) -> dict[str, Any]:
    """Return a bundle whose results differ in order, keys and parameters from those of others, so
    that no two in an archive are similar."""
    results = []
    for number, result in enumerate(bundle["results"]):
        own = {
            **result.get("params", {}),
            f"setting_{chance.randrange(8)}": chance.randrange(10**6),
        }
        out = {**result, "params": own}
        if chance.random() < 0.3:
            out["command"] = f"program --run {chance.randrange(1000)}"
        if chance.random() < 0.3:
            out["log"] = {"file": f"{bundle['id']}.log", "line": number + 1}
        keys = chance.sample(sorted(out), len(out))
        results.append({key: out[key] for key in keys})
    chance.shuffle(results)
    return {**bundle, "results": results}


def write(
    folder: Path, count: int, guides: int, results: int, seed: int = 1, *, unlike: bool = False
) -> None:
    """Write an archive, one file per bundle; with ``unlike``, all bundles are different."""
    chance = random.Random(seed)
    for name, bundle in bundles(count, guides, results, seed):
        bundle = unlike_others(bundle, chance) if unlike else bundle
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(bundle, ensure_ascii=False), "utf-8")
