"""Random archives of several boards, which cause every sentence about comparisons to appear."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

from making import loaded

from perfguide.bundles.decode import Loaded
from perfguide.catalog.waivers import Annotation, Annotations, Level, Note, Spec, Waiver

Result = dict[str, Any]

SIZES = (16, 256, 1024, 8192, 16384)
"""Block sizes in bytes."""

COLLAPSE_FACTOR = 0.004
"""The factor of a figure that falls almost to 0."""

BENCHMARKS = {
    "openssl": "aes-128-cbc",
    "stream": "",
    "lmbench": "",
    "dhrystone": "",
    "emmc": "",
    "ethernet-udp": "",
}


@dataclass(frozen=True)
class Figure:
    """A figure of one board: its level in the first release, and its scatter."""

    result: Result
    level: float
    scatter: float


@dataclass(frozen=True)
class Archive:
    """Bundles in release order, what people wrote about them, and the figures of each board."""

    bundles: list[Loaded]
    releases: list[str]
    annotations: Annotations
    waivers: tuple[Waiver, ...]
    figures: dict[str, list[Figure]]


def archive(seed: int, wide: bool = True) -> Archive:
    """Return an archive. Seeds differ in releases, boards and runs; ``wide`` archives have all
    benchmarks."""
    rng = random.Random(seed)
    names = [f"{n // 10 + 9}.{n % 10:02}" for n in range(rng.choice((2, 3, 4, 8, 11)))]
    runs = rng.choice((1, 1, 1, 2, 5))
    kinds = [*BENCHMARKS] if wide else rng.sample([*BENCHMARKS], 3)
    figures = {
        board: [each for kind in kinds for each in _figures(rng, kind)]
        for board in ("evm", "sk", "lp")[: rng.choice((1, 2, 2, 3))]
    }
    bundles = []
    moved: dict[tuple[str, int], float] = {}
    for number, release in enumerate(names):
        events = _events(rng, [*figures], is_newest=number + 2 >= len(names))
        for board, own in figures.items():
            clock = rng.choice((1.0, 1.0, 1.0, 1.25)) if rng.random() < 0.1 else 1.0
            once = {}
            for at, figure in enumerate(own):
                factor = 1.0
                for of, how, lasts in events:
                    if of(board, figure.result):
                        factor *= how
                        if lasts:
                            moved[board, at] = moved.get((board, at), 1.0) * how
                once[at] = moved.get((board, at), 1.0) * (
                    1.0 if _lasting(events, board, figure) else factor
                )
            style = rng.choice(("value", "value", "range", "samples"))
            unit = rng.random() < 0.15 and rng.choice(("MiB/s", "converted"))
            missing = rng.random() < 0.3
            for run in range(runs if rng.random() < 0.9 else 1):
                results = []
                for at, figure in enumerate(own):
                    if missing and rng.random() < 0.06:
                        continue
                    factor = once[at] * (clock if _is_of_clock(figure.result) else 1.0)
                    results.append(_measured(rng, figure, factor, style, unit))
                more = {"board__name": board, "sdk__version": release}
                more["created"] = f"2024-{number + 1:02}-02T{run + 1:02}:30:00Z"
                name = f"{board}-{release}-{run}"
                bundles.append(loaded(*results, id=name, origin=f"{name}.json", **more))
    return Archive(bundles, names, *_written(rng, names), figures)


Change = tuple[Callable[[str, Result], bool], float, bool]
"""The figures that change, the factor, and whether the change lasts."""


def _events(rng: random.Random, boards: list[str], is_newest: bool) -> list[Change]:
    """Return the changes in one release. The newest releases have more, because others are only past."""
    out: list[Change] = []
    for _ in range(rng.choice((2, 3, 5)) if is_newest else rng.choice((0, 0, 1))):
        board = rng.choice((*boards, ""))
        kind, engine = rng.choice([*BENCHMARKS]), rng.choice(("", "", "hw", "sw"))
        part = rng.choice(("", "", "throughput", "read", "load", "a"))
        rows = rng.choice((1.0, 1.0, 0.5, 0.1))
        how = rng.choice((0.0, 0.3, 0.55, 0.8, 0.93, 1.08, 1.3, 1.7, 4.0, COLLAPSE_FACTOR))
        salt = rng.random()
        chosen = partial(_is_among, board, kind, engine, part, rows, salt)
        out.append((chosen, how, how > COLLAPSE_FACTOR and rng.random() < 0.6))
    return out


def _is_among(
    board: str,
    kind: str,
    engine: str,
    part: str,
    rows: float,
    salt: float,
    on: str,
    result: Result,
) -> bool:
    """Return whether a result of the board ``on`` is among those that change; ``rows`` is their
    share."""
    return (
        on == (board or on)
        and result["benchmark"] == kind
        and engine in ("", result["params"].get("engine", ""))
        and part in result["metric"]
        and random.Random(f"{salt}{sorted(result['params'].items())}{result['metric']}").random()
        < rows
    )


def _lasting(events: list[Change], board: str, figure: Figure) -> bool:
    return all(lasts for of, _, lasts in events if of(board, figure.result))


def _is_of_clock(result: Result) -> bool:
    return result["benchmark"] == "dhrystone" and result["metric"] != "dhrystone_per_mhz"


def _figures(rng: random.Random, kind: str) -> list[Figure]:
    scatter = rng.choice((0.0005, 0.004, 0.02, 0.15))
    out = []

    def add(metric: str, unit: str, level: float, times: float = 1.0, **params: Any) -> None:
        result = {"benchmark": kind, "metric": metric, "unit": unit, "params": params}
        out.append(Figure(result, level, times * scatter))

    if kind == "openssl":
        engines = rng.sample(("hw", "arm-ce", "sw", "default"), rng.choice((1, 2, 3)))
        for algorithm in rng.sample(("aes-128-cbc", "aes-256-gcm", "sha256"), 2):
            for engine in engines:
                call, byte = rng.uniform(0.2, 30), rng.uniform(0.5, 20)
                params = {"algorithm": algorithm}
                params |= {} if engine == "default" else {"engine": engine}
                for size in SIZES:
                    rate = 1e6 * size / (1000 * call + byte * size)
                    add("throughput", "kB/s", rate, **params, block_size=size)
                add("cpu_load", "%", rng.choice((0.3, 20.0, 60.0, 99.0)), 2.0, **params)
    elif kind == "stream":
        for metric in ("copy", "scale", "add", "triad"):
            add(metric, "MB/s", rng.uniform(500, 5000))
    elif kind == "lmbench":
        for metric in (
            "lat_syscall-null",
            "lat_syscall-read",
            "lat_pipe",
            "lat_proc-fork",
            "lat_proc-exec",
        ):
            add(metric, "us", rng.choice((0.34, 7.25, 311.0)), 3.0)
        add("bw_pipe", "MB/s", 711.0)
    elif kind == "dhrystone":
        add("cpu_clock", "MHz", 1400.0, 0.0)
        add("dhrystone_per_second", "Dhrystones/s", 8.1e6)
        add("dhrystone_per_mhz", "DMIPS/MHz", 3.3)
    elif kind == "emmc":
        for size in (102400, 1048576, 4194304):
            for way in ("read", "write"):
                add(f"{way}_throughput", "MB/s", rng.uniform(20, 180), buffer_size=size)
                add(f"{way}_cpu_load", "%", rng.choice((0.8, 4.0, 35.0)), 4.0, buffer_size=size)
    else:
        for size in (64, 512, 1518):
            for way in ("egress", "ingress"):
                rate = rng.uniform(0.3, 0.9) * size
                params = {"direction": way, "frame_size": size}
                add("throughput", "Mbit/s", rate, 5.0, **params)
                add("packet_rate", "kPPS", 1000 * rate / (8 * size), 5.0, **params)
                add("cpu_load", "%", rng.choice((12.0, 40.0, 88.0)), 3.0, **params)
    return out


def _measured(
    rng: random.Random, figure: Figure, factor: float, style: str, unit: str | bool
) -> Result:
    result, level = dict(figure.result), figure.level * factor
    if result["unit"] == "%":
        level = min(level, 100.0)
    if level == 0 and rng.random() < 0.3:
        return {**result, "status": "fail"}
    if result["unit"] == "MB/s" and unit and result["benchmark"] != "lmbench":
        result["unit"] = "MiB/s" if unit == "MiB/s" else "kB/s"
        level *= 1.0 if unit == "MiB/s" else 1000.0
    digits = 0 if result["unit"] == "MHz" else 2 if level < 1e5 else 0
    least = 0.0 if result["unit"] == "%" else 10.0**-digits if level else 0.0
    most = 100.0 if result["unit"] == "%" else float("inf")
    samples = [
        min(max(round(level * (1 + rng.gauss(0, figure.scatter)), digits), least), most)
        for _ in range(1 if style == "value" else 5)
    ]
    if style == "value":
        return {**result, "value": samples[0]}
    if style == "samples":
        return {**result, "samples": samples}
    ends = {"min": min(samples), "max": max(samples)}
    return {**result, "value": sum(samples) / len(samples), **ends}


def _written(rng: random.Random, names: list[str]) -> tuple[Annotations, tuple[Waiver, ...]]:
    kinds = [*BENCHMARKS]
    level = Level(benchmark=rng.choice(kinds), reason="another compiler", since=rng.choice(names))
    note = Note(benchmark=rng.choice(kinds), text="measured by hand", release=rng.choice(names))
    spec = Spec(benchmark=rng.choice(kinds), metric="*", reason="known", until="99.01")
    return (
        Annotations(
            (Annotation(note, "waivers.toml", "notes", 1, 1),),
            (Annotation(level, "waivers.toml", "levels", 1, 1),),
        ),
        (Waiver(spec, "waivers.toml", "waivers", 1, 1, None),),
    )
