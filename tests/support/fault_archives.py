"""Random archives of two SoCs, each with planted faults of figures and tables."""

from __future__ import annotations

import itertools
import json
import random
from collections.abc import Callable
from typing import Any

import msgspec
from making import loaded
from random_archives import archive

from perfguide.bundle import WARNED
from perfguide.bundles.decode import Loaded
from perfguide.bundles.guide_key import version

Plain = dict[str, Any]
"""A bundle or a result as JSON values."""

FIGURES = ("value", "min", "max")
SOCS = ("AM62X", "J721E")


class Planted:
    """The bundles of an archive as JSON values. Most faults are put into a board's newest
    release."""

    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed)
        self.bundles: list[Plain] = []
        for number, soc in enumerate(SOCS):
            # A SoC with at least five releases; with two, nothing has a past.
            archives = (archive(own, wide=False) for own in range(2 * seed + 1000 * number, 10**6))
            chosen = next(
                each for each in archives if len(each.releases) >= 4 and len(each.bundles) < 40
            )
            for item in chosen.bundles:
                bundle = json.loads(msgspec.json.encode(item.bundle))
                bundle["id"] = f"{soc}-{bundle['id']}"
                bundle["results"] = [{"params": {}, **each} for each in bundle["results"]]
                bundle["board"] |= {"soc": soc, "name": f"{soc.lower()}-{bundle['board']['name']}"}
                self.bundles.append(bundle)
        self.board = self.rng.choice([each["board"]["name"] for each in self.bundles])
        self.releases = sorted({each["sdk"]["version"] for each in self.runs(self.board)})
        names = {own["benchmark"] for each in self.runs(self.board) for own in each["results"]}
        self.benchmark = self.rng.choice(sorted(names))

    def runs(self, board: str = "", release: str = "") -> list[Plain]:
        """Return the bundles of a board and a release; of all by default."""
        return [
            each
            for each in self.bundles
            if board in ("", each["board"]["name"]) and release in ("", each["sdk"]["version"])
        ]

    def table(self, release: str = "", board: str = "") -> list[Plain]:
        """Return the results of the table that gets the fault, by default in its newest release."""
        runs = self.runs(board or self.board, release or self.releases[-1])
        return [r for each in runs for r in each["results"] if r["benchmark"] == self.benchmark]

    def one(self, release: str = "", rates: bool = False) -> list[Plain]:
        """Return one figure of the table: its results in all runs of a release."""
        own = [r for r in self.table(release) if not rates or r["unit"].endswith("/s")]
        keys = sorted({key(result) for result in own})
        wanted = self.rng.choice(keys) if keys else None
        return [result for result in own if key(result) == wanted]

    def loaded(self) -> list[Loaded]:
        out = []
        for number, each in enumerate(self.bundles):
            head = {name: value for name, value in each.items() if name != "results"}
            if each["results"]:
                out.append(loaded(*each["results"], origin=f"{number}.json", **head))
        return out


def key(result: Plain) -> str:
    return json.dumps(
        [result["benchmark"], result["metric"], sorted(result.get("params", {}).items())]
    )


def scale(result: Plain, by: float) -> None:
    for name in FIGURES:
        if name in result:
            result[name] = float(f"{result[name] * by:.9g}")
    if "samples" in result:
        result["samples"] = [float(f"{each * by:.9g}") for each in result["samples"]]


def give(result: Plain, figures: Plain) -> None:
    """Give a result another result's figures, or others."""
    for name in (*FIGURES, "samples", "count", "status"):
        result.pop(name, None)
    result |= {n: v for n, v in figures.items() if n in (*FIGURES, "samples", "count", "status")}


def figures(result: Plain) -> Plain:
    return {n: v for n, v in result.items() if n in (*FIGURES, "samples", "count", "status")}


def level(result: Plain) -> float:
    own = result.get("samples") or [result.get("value", 1.0)]
    return sum(own) / len(own) or 1.0


def table_in_another_unit(of: Planted) -> None:
    by = of.rng.choice((8.0, 10.0, 1000.0, 1024.0, 1 / 1024, 0.125, 1e6))
    unit = of.rng.choice([result["unit"] for result in of.table()] or [""])
    whole = of.rng.random() < 0.5
    for result in of.table():
        if result["unit"] != "%" and (whole or result["unit"] == unit) and of.rng.random() < 0.95:
            scale(result, by)


def column_in_another_unit(of: Planted) -> None:
    metric = of.rng.choice([result["metric"] for result in of.table()] or [""])
    by = of.rng.choice((8.0, 100.0, 1024.0))
    for result in of.table():
        if result["metric"] == metric:
            scale(result, by)


def exchanged_columns(of: Planted) -> None:
    swap = {"read": "write", "write": "read", "egress": "ingress", "ingress": "egress"}
    for each in of.runs(of.board, of.releases[-1]):
        for result in each["results"]:
            way, _, rest = result["metric"].partition("_")
            if way in swap:
                result["metric"] = f"{swap[way]}_{rest}"
            way = result.get("params", {}).get("direction")
            if way in swap:
                result["params"]["direction"] = swap[way]


def shifted_rows(of: Planted) -> None:
    sizes = sorted({r["params"][n] for r in of.table() for n in r["params"] if n.endswith("_size")})
    following = dict(itertools.pairwise(sizes))
    for each in of.runs(of.board, of.releases[-1]):
        for result in [*each["results"]]:
            for name in ("block_size", "buffer_size", "frame_size"):
                if result["benchmark"] == of.benchmark and name in result["params"]:
                    size = following.get(result["params"][name])
                    if size is None:
                        each["results"].remove(result)
                    else:
                        result["params"][name] = size


def copied_table(of: Planted) -> None:
    """Copy the table of another board, SoC or earlier release."""
    others = [
        each
        for each in of.bundles
        if (each["board"]["name"], each["sdk"]["version"]) != (of.board, of.releases[-1])
    ]
    for _ in range(20):
        other = of.rng.choice(others)
        source = {key(r): r for r in other["results"] if r["benchmark"] == of.benchmark}
        if source:
            break
    for result in of.table():
        if key(result) in source and source[key(result)]["unit"] == result["unit"]:
            give(result, figures(source[key(result)]))


def stale_table(of: Planted) -> None:
    """Repeat the figures of the previous release, or most of them."""
    share = of.rng.choice((0.6, 0.6, 1.0))
    before = {key(result): result for result in of.table(of.releases[-2])}
    for result in of.table():
        if key(result) in before and of.rng.random() < share:
            result["unit"] = before[key(result)]["unit"]
            give(result, figures(before[key(result)]))


def exchanged_boards(of: Planted) -> None:
    soc = of.board.partition("-")[0]
    names = {each["board"]["name"] for each in of.bundles} - {of.board}
    other = of.rng.choice(sorted(n for n in names if n.startswith(soc)) or [of.board])
    swap = {of.board: other, other: of.board}
    for each in of.bundles:
        if each["sdk"]["version"] == of.releases[-1]:
            name = each["board"]["name"]
            each["board"]["name"] = swap.get(name, name)


def figure_far_off(of: Planted) -> None:
    by = of.rng.choice((10.0, 100.0, 1000.0, 1024.0, 0.001, 1.7, 3.0, 0.4))
    for result in of.one():
        scale(result, by)


def one_release_off(of: Planted) -> None:
    by = of.rng.choice((1.5, 2.0, 20.0, 0.5, 0.1, 1e-9))
    for result in of.one(of.rng.choice(of.releases[1:-1])):
        scale(result, by)


def board_far_off(of: Planted) -> None:
    for result in of.one(of.rng.choice(of.releases)):
        scale(result, of.rng.choice((1.7, 3.0, 0.4)))


def impossible_figure(of: Planted) -> None:
    for result in of.one():
        usual = level(result)
        chosen: Plain = of.rng.choice(
            (
                *({"value": 0.0}, {"value": -usual}, {"value": 104.0}, {"value": 250.0}),
                *({"samples": [0.0, *[round(usual, 2)] * 3]}, {"samples": [100.4, 99.0, 98.0]}),
                {"value": 300.0 * usual},
            )
        )
        give(result, chosen)


def printed_as_zero(of: Planted) -> None:
    for release in of.releases:
        for result in of.one(release)[:1]:
            wanted = key(result)
            break
        else:
            continue
        for at in of.releases:
            for result in (each for each in of.table(at) if key(each) == wanted):
                give(result, {"value": of.rng.choice((0.0, 0.01, 0.02))})
        return


def odd_samples(of: Planted) -> None:
    for result in of.one(of.rng.choice(of.releases)):
        usual = level(result)
        near = [round(usual * (1 + of.rng.gauss(0, 0.003)), 3) for _ in range(5)]
        far = [round(usual * (1.5 + of.rng.gauss(0, 0.003)), 3) for _ in range(4)]
        chosen = of.rng.choice(
            ([*near, far[0]], [*near, *far], [*near, near[0] / 300], [*far, *near[:3]])
        )
        of.rng.shuffle(chosen)
        give(result, {"samples": chosen})


def mean_that_contradicts(of: Planted) -> None:
    for result in of.one(of.rng.choice(of.releases)):
        usual = level(result)
        own = [round(usual * by, 3) for by in (0.98, 1.0, 1.01)]
        off = {"value": round(usual * of.rng.choice((0.9, 1.2, 10)), 3)}
        ends = {"min": min(own), "max": max(own)}
        give(result, off | of.rng.choice(({"samples": own * 3}, ends, ends | {"count": 2})))


def pooled_metrics(of: Planted) -> None:
    """Make the ends of one metric figures of others from the same run."""
    for each in of.runs(of.board, of.rng.choice(of.releases)):
        own = [r for r in each["results"] if r["benchmark"] == of.benchmark and r["unit"] != "%"]
        if len(own) > 2:
            one, two, three = own[:3]
            if one["unit"] == two["unit"] == three["unit"] and one["params"] == two["params"]:
                low, high = sorted((round(level(two), 4) + 0.0137, round(level(three), 4) + 0.0241))
                give(two, {"value": low})
                give(three, {"value": high})
                give(one, {"value": (low + high) / 2, "min": low, "max": high})


def two_names(of: Planted) -> None:
    share = of.rng.choice((1.0, 1.0, 0.97))
    for each in of.bundles:
        for result in [*each["results"]]:
            if result["benchmark"] == "lmbench" and of.rng.random() < share:
                name = result["metric"].replace("lat_", "latency_of_")
                each["results"].append({**result, "metric": f"{name}_again"})


def steps(of: Planted) -> None:
    """Make all figures of a metric one amount of work divided by few full seconds, or by many."""
    metric = of.rng.choice([r["metric"] for r in of.table() if r["unit"] != "%"] or [""])
    few = of.rng.random() < 0.5
    for each in of.bundles:
        for result in each["results"]:
            if (result["benchmark"], result["metric"]) == (of.benchmark, metric):
                seconds = of.rng.choice((2, 3, 4)) if few else of.rng.randint(12, 18)
                give(result, {"value": round(2e6 / seconds, 2)})


def missing_rows(of: Planted) -> None:
    release = of.rng.choice(of.releases[1:])
    whole = of.rng.random() < 0.5
    gone = {key(result) for result in of.table() if of.rng.random() < 0.3}
    for each in of.runs(of.board, release):
        each["results"] = [
            r
            for r in each["results"]
            if r["benchmark"] != of.benchmark or (not whole and key(r) not in gone)
        ]


def other_clock(of: Planted) -> None:
    for each in of.runs(of.board, of.rng.choice(of.releases)):
        each["board"]["cpu_mhz"] = of.rng.choice((1400.0, 1000.0))
        if of.rng.random() < 0.5:
            each["board"]["description"] = "a board running at 1.25 GHz"


def wrong_clock(of: Planted) -> None:
    for each in of.runs(of.board, of.rng.choice(of.releases)):
        for result in each["results"]:
            if result["metric"] == "cpu_clock":
                scale(result, 0.5)
            if result["metric"] == "dhrystone_per_mhz":
                scale(result, 2.0)


def foreign_command(of: Planted) -> None:
    for result in of.table():
        result["command"] = of.rng.choice(
            (
                "runltp -P am335x-evm -f ddt",
                "runltp -P j721e-evm",
                "stream --board AM62X",
                "run am62xx_sk",
            )
        )


def runner_warned(of: Planted) -> None:
    for result in of.one():
        result["notes"] = [f"{WARNED}the governor is powersave", "a note"]


def two_results_of_one_key(of: Planted) -> None:
    for each in of.runs(of.board, of.releases[-1]):
        for result in [*each["results"]]:
            if result["benchmark"] == of.benchmark and of.rng.random() < 0.1:
                again = json.loads(json.dumps(result))
                scale(again, of.rng.choice((1.5, 3.0)))
                if result["unit"] == "MB/s" and of.rng.random() < 0.5:
                    again |= {**result, "unit": "kB/s"}
                    scale(again, 1000.0)
                each["results"].append(again)


def curve_that_dips(of: Planted) -> None:
    for result in of.one(of.rng.choice(of.releases), rates=True):
        if result["params"].get("block_size", 0) > 16 or result["params"].get("frame_size", 0) > 64:
            scale(result, 0.05)


def unlike_other_boards(of: Planted) -> None:
    """Give the board a figure that it never had before, or only once."""
    by = of.rng.choice((60.0, 1 / 60, 8.0))
    times = of.rng.choice((0, 1))
    for result in of.one():
        wanted = key(result)
        scale(result, 1000.0 if times else by)
        for release in of.releases[: -1 - times]:
            for each in of.runs(of.board, release):
                each["results"] = [r for r in each["results"] if key(r) != wanted]


def impossible_headline(of: Planted) -> None:
    """Give any benchmark in the newest release an impossible headline figure."""
    for each in of.runs(of.board, of.releases[-1]):
        for result in each["results"]:
            params = result["params"]
            is_rate = result["metric"].endswith("throughput")
            if result["metric"] in ("copy", "dhrystone_per_mhz") or (
                is_rate and 4194304 in params.values()
            ):
                scale(result, of.rng.choice((1e6, 1 / 1024**2, -1.0)))
            elif is_rate and params.get("block_size") == 1024:
                scale(result, of.rng.choice((-1.0, 1e-6)))


def moves_of_both_socs(of: Planted) -> None:
    """Move all figures of a benchmark alike in the release that is the newest of both SoCs."""
    releases = [
        sorted({r["sdk"]["version"] for r in of.bundles if r["board"]["soc"] == soc}, key=version)
        for soc in SOCS
    ]
    last = min((own[-1] for own in releases), key=version)
    of.bundles = [e for e in of.bundles if version(e["sdk"]["version"]) <= version(last)]
    names = [
        {r["benchmark"] for e in of.bundles if e["board"]["soc"] == soc for r in e["results"]}
        for soc in SOCS
    ]
    for name in sorted(names[0] & names[1])[:2]:
        by = of.rng.choice((0.4, 2.5))
        for each in of.bundles:
            for result in each["results"] if each["sdk"]["version"] == last else ():
                if result["benchmark"] == name and result["unit"] not in ("%", "MHz"):
                    scale(result, by)


PLANTS: tuple[Callable[[Planted], None], ...] = (
    *(table_in_another_unit, column_in_another_unit, exchanged_columns, shifted_rows),
    *(copied_table, stale_table, exchanged_boards, figure_far_off, one_release_off, board_far_off),
    *(impossible_figure, printed_as_zero, odd_samples, mean_that_contradicts, pooled_metrics),
    *(two_names, steps, missing_rows, other_clock, wrong_clock, foreign_command, runner_warned),
    *(
        two_results_of_one_key,
        curve_that_dips,
        unlike_other_boards,
    ),
)


OF_PAGES: tuple[Callable[[Planted], None], ...] = (moves_of_both_socs, impossible_headline)
"""Faults and moves of headlines, about which pages have sentences."""


def planted(
    seed: int, faults: int = 3, is_for_pages: bool = False
) -> tuple[list[Loaded], list[str]]:
    """Return the bundles of an archive with some faults, and the names of the faults. Successive
    seeds give different ones."""
    of = Planted(seed)
    plants = [PLANTS[(seed * faults + number) % len(PLANTS)] for number in range(faults)]
    if is_for_pages:
        plants.append(OF_PAGES[seed % len(OF_PAGES)])
    for plant in plants:
        plant(of)
    return of.loaded(), [plant.__name__ for plant in plants]
