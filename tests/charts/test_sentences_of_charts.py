"""What charts say in words, against figures worked out here from the bundles."""

from __future__ import annotations

import math
import random
import re
from itertools import pairwise
from typing import Any

import pytest
from making import loaded, only

from perfguide.bundles.decode import Loaded
from perfguide.catalog import benchmarks
from perfguide.charts.crossovers import Engine, at_equal_marks, standings, verdict
from perfguide.charts.model import ChartView, Line, Point
from perfguide.common import units

from test_chart_kinds import shipped, views  # isort: skip

__all__ = ["shipped"]

SIZES = (16, 1024, 16384)
OFFLOAD = (1_000.0, 40_000.0, 300_000.0)
SOFTWARE = (30_000.0, 90_000.0, 100_000.0)
"""Throughputs in kB/s by block size: the accelerator is slower for small blocks only."""
LOADS = {"hw": 25.0, "sw": 100.0}
"""CPU loads of the whole runs in per cent."""


def run(offload: tuple[float, ...]) -> Loaded:
    """A run of OpenSSL on a board by its accelerator and in software."""
    base: dict[str, Any] = {"benchmark": "openssl"}
    results = []
    for engine, rates in (("hw", offload), ("sw", SOFTWARE)):
        params = {"algorithm": "aes-128-cbc", "engine": engine}
        rate = {**base, "metric": "throughput", "unit": "kB/s"}
        results += [
            {**rate, "params": {**params, "block_size": size}, "value": value}
            for size, value in zip(SIZES, rates, strict=True)
        ]
        load = {**base, "metric": "cpu_load", "unit": "%", "params": params}
        results.append({**load, "value": LOADS[engine]})
    return loaded(*results)


def chart(known: benchmarks.Catalog, offload: tuple[float, ...]) -> ChartView:
    """The one chart of cross-overs."""
    view: ChartView = only(views(known, "chart", run(offload)))
    return view


def test_the_cross_over_lies_on_straight_lines_between_points_on_log_axes(
    shipped: benchmarks.Catalog,
) -> None:
    view = chart(shipped, OFFLOAD)
    gap_before = math.log(OFFLOAD[1] / SOFTWARE[1])
    gap_after = math.log(OFFLOAD[2] / SOFTWARE[2])
    share = gap_before / (gap_before - gap_after)
    size = math.exp(math.log(SIZES[1]) + share * math.log(SIZES[2] / SIZES[1]))
    place, label = only(view.panels[0].verticals)
    assert place == pytest.approx(size) and label == f"cross-over at {size:.0f}"
    found = re.findall(r"Above about ([\d.,]+) (bytes|\w+B) the accelerator", view.text())
    number, unit = only(found)
    bytes_of = {"bytes": 1, "kB": 1000, "KiB": 1024}[unit]
    assert float(number.replace(",", "")) * bytes_of == pytest.approx(size, rel=0.1)


def test_the_engines_are_compared_at_the_largest_block_and_by_their_loads(
    shipped: benchmarks.Catalog,
) -> None:
    text = chart(shipped, OFFLOAD).text()
    rate, load = OFFLOAD[-1] / SOFTWARE[-1], LOADS["hw"] / LOADS["sw"]
    assert f"at {units.size(SIZES[-1])} the accelerator has {rate:.1f} times the throughput" in text
    load_words = re.findall(r"at ([\d.]+) times the CPU load", text)
    assert float(only(load_words)) == pytest.approx(load, abs=0.05)
    assert f"it processes {rate / load:.1f} times as much data" in text


@pytest.mark.parametrize(("factor", "faster"), [(0.2, "software"), (100.0, "accelerator")])
def test_without_a_cross_over_the_faster_engine_is_named(
    shipped: benchmarks.Catalog, factor: float, faster: str
) -> None:
    view = chart(shipped, tuple(factor * rate for rate in OFFLOAD))
    slower = {"software": "accelerator", "accelerator": "software"}[faster]
    found = only(re.findall(r"([\w ]+) is faster than ([\w ]+) at every block size", view.text()))
    assert faster in found[0].casefold() and slower in found[1]
    assert view.panels[0].verticals == ()


@pytest.mark.parametrize(
    ("first", "second", "said"),
    [
        ((150.0, 250.0, 200.0), (100.0,) * 3, "The one has 1.5 to 2.5 times the throughput of the other"),
        ((100.0,) * 3, (150.0, 250.0, 200.0), "The other has 1.5 to 2.5 times the throughput of the one"),
        ((150.0, 90.0, 200.0), (100.0,) * 3, ""),  # neither is above the other everywhere
        ((150.0, 0.0, 200.0), (100.0,) * 3, ""),
    ],
)  # fmt: skip
def test_two_lines_are_compared_where_one_is_above_the_other_at_each_mark(
    first: tuple[float, ...], second: tuple[float, ...], said: str
) -> None:
    lines = [
        Line(name, tuple(Point(x, y, None, None, units.figure(x)) for x, y in enumerate(figures)))
        for name, figures in (("one", first), ("other", second))
    ]
    assert at_equal_marks(lines) == (f"{said} at every level" if said else "")


def engines(rng: random.Random, count: int) -> list[Engine]:
    """Engines with a cost for each call and for each byte, some of whose figures are equal."""
    names = ("accelerator", "software", "x86 crypto extension", "Arm Crypto Extension")
    out = []
    for name in names[:count]:
        call, byte = 10 ** rng.uniform(-1, 2), 10 ** rng.uniform(-1, 1)
        rates = [round(1e3 * size / (call * 100 + byte * size), 1) for size in (16, *SIZES[1:])]
        if rng.random() < 0.1:
            rates = [round(rng.uniform(1e3, 1e5), 1) for _ in SIZES]
        if out and rng.random() < 0.2:
            rates = [
                rng.choice((rate, y)) for rate, (_, y) in zip(rates, out[0].curve, strict=True)
            ]
        load = rng.choice((5.0, 30.0, 100.0))
        out.append(Engine(name, list(zip(SIZES, rates, strict=True)), load))
    return out


def named(text: str, own: list[Engine]) -> Engine:
    return next(
        engine for engine in own if text.casefold().removeprefix("the ") == engine.name.casefold()
    )


def test_what_is_said_of_two_engines_holds_at_every_size() -> None:
    met = set()
    for seed in range(400):
        tested, base = own = engines(random.Random(seed), 2)
        said = verdict(tested, base)
        mine, other = dict(tested.curve), dict(base.curve)
        if match := re.match(r"(.+) is (faster than|at least as fast as) (.+) at every", said):
            fast, slow = (dict(named(match[n], own).curve) for n in (1, 3))
            equal = [fast[size] == slow[size] for size in SIZES]
            assert all(fast[size] >= slow[size] for size in SIZES), said
            assert any(equal) == (match[2] != "faster than"), said
            met.add(match[2])
        elif match := re.match(r"Above about (\d+) bytes (.+) is faster", said):
            fast = dict(named(match[2], own).curve)
            slow = other if fast == mine else mine
            for size in SIZES:
                if abs(size / int(match[1]) - 1) > 0.06:  # the limit is rounded
                    assert (fast[size] >= slow[size]) == (size > int(match[1])) or (
                        fast[size] == slow[size]
                    ), (seed, said)
            met.add("above")
        else:
            assert " change places at about " in said
            signs = [mine[size] > other[size] for size in SIZES if mine[size] != other[size]]
            assert sum(a != b for a, b in pairwise(signs)) > 1
            met.add("places")
        ratio = mine[SIZES[-1]] / other[SIZES[-1]]
        (times,) = re.findall(r"has ([\d.]+) times the throughput", said)
        assert float(times) == pytest.approx(ratio, abs=0.051 if ratio < 100 else 0.51)
    assert met == {"faster than", "at least as fast as", "above", "places"}


def test_the_fastest_of_several_engines_is_the_fastest_at_each_size() -> None:
    met = set()
    for seed in range(400):
        own = engines(random.Random(seed), 3)
        thrift = [Engine(e.name, [(x, y / (e.cpu or 1)) for x, y in e.curve], e.cpu) for e in own]
        for said, ranked in zip(standings(own)[:2], (own, thrift), strict=True):
            begin, _, rest = said.rstrip(".").partition("; at ")
            first, _, later = (
                re.split(r" (?:is|moves) ", begin)[0],
                "",
                begin.partition(" bytes, ")[2],
            )
            spans = [(0.0, named(first, own).name)]
            for text in filter(None, later.split(", ")):
                name, at = re.fullmatch(r"(.+) above about (\d+) bytes", text).groups()
                spans.append((float(at), named(name, own).name))
            met.add(len(spans))
            for size in SIZES:
                if any(abs(size / at - 1) < 0.06 for at, _ in spans if at):
                    continue
                (*_, leader) = (name for at, name in spans if at <= size)
                rates = {engine.name: dict(engine.curve)[size] for engine in ranked}
                assert rates[leader] == max(rates.values()), (seed, said, size)
            last = {engine.name: dict(engine.curve)[SIZES[-1]] for engine in ranked}
            for times, other in re.findall(
                r"([\d.]+) times as (?:fast|much) as (.+?)(?= and |$)", rest
            ):
                ratio = last[spans[-1][1]] / last[named(other, own).name]
                assert float(times) == pytest.approx(ratio, abs=0.051 if ratio < 100 else 0.51)
    assert met >= {1, 2}
