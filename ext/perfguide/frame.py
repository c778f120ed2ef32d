"""Bundles to one long table, a row for each result."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd
from msgspec import UNSET

from .bundle import Result
from .validate import Loaded

NAMES = ("sdk", "soc", "os", "release", "board", "benchmark", "metric", "unit", "params")
"""The columns that say what a figure is of; ``params`` is canonical JSON."""

CONDITIONS = ("cpu_mhz", "memory", "governor", "kernel", "image", "command")
"""The columns that say under which conditions it was taken."""


@dataclass(frozen=True, slots=True)
class Frame:
    """All results as a table, and the bundles they came from.

    Columns of ``table``: those of ``NAMES`` and ``CONDITIONS`` (categories;
    an empty text where a bundle says nothing); ``bundle`` and ``result``, the
    positions in ``bundles`` and in its ``results``; ``value``, the mean of the
    samples or the published value in ``unit`` (NaN where failed); ``weight``,
    the number of samples that it stands for, 1 where that is not known;
    ``low`` and ``high``, the extremes that are known; ``counted``, whether
    ``weight`` is known; ``spread``, whether extremes were measured or
    published; ``failed``; ``samples``, a tuple or ``None``.
    """

    table: pd.DataFrame
    bundles: tuple[Loaded, ...]


def build(bundles: Sequence[Loaded]) -> Frame:
    """One row for each result of the bundles, in their order."""
    columns: dict[str, list[Any]] = {name: [] for name in (*NAMES, *CONDITIONS)}
    figures: dict[str, list[Any]] = {
        name: []
        for name in [
            "bundle",
            "result",
            "value",
            "weight",
            "low",
            "high",
            "counted",
            "spread",
            "failed",
            "samples",
        ]
    }
    for position, loaded in enumerate(bundles):
        bundle = loaded.bundle
        count = len(bundle.results)
        mhz = "" if bundle.board.cpu_mhz is UNSET else f"{bundle.board.cpu_mhz:g}"
        for name, value in (
            ("sdk", bundle.sdk.name),
            ("soc", bundle.board.soc),
            ("os", bundle.sdk.os),
            ("release", bundle.sdk.version),
            ("board", bundle.board.name),
            ("cpu_mhz", mhz),
            ("memory", bundle.board.memory),
            ("governor", bundle.board.governor),
            ("kernel", bundle.sdk.kernel),
            ("image", bundle.sdk.image),
        ):
            columns[name] += [value] * count
        figures["bundle"] += [position] * count
        figures["result"] += range(count)
        for result in bundle.results:
            columns["benchmark"].append(result.benchmark)
            columns["metric"].append(result.metric)
            columns["unit"].append(result.unit)
            columns["params"].append(canonical(result.params) if result.params else "{}")
            columns["command"].append(result.command)
            for name, figure in _figures(result).items():
                figures[name].append(figure)
    data: dict[str, Any] = {name: pd.Categorical(values) for name, values in columns.items()}
    for name in ("value", "low", "high"):
        data[name] = pd.array(figures[name], dtype="float64")
    for name in ("bundle", "result", "weight"):
        data[name] = pd.array(figures[name], dtype="int64")
    for name in ("counted", "spread", "failed"):
        data[name] = pd.array(figures[name], dtype="bool")
    table = pd.DataFrame(data)
    table["samples"] = pd.Series(figures["samples"], dtype="object")
    return Frame(table, tuple(bundles))


def _figures(result: Result) -> dict[str, Any]:
    """What one result adds to the columns of figures."""
    samples = None if result.samples is UNSET else tuple(result.samples)
    out: dict[str, Any] = {
        "value": math.nan,
        "weight": 0,
        "low": math.nan,
        "high": math.nan,
        "counted": True,
        "spread": False,
        "failed": result.status is not UNSET,
        "samples": samples,
    }
    if samples is not None:
        mean = samples[0] if len(samples) == 1 else math.fsum(samples) / len(samples)
        out |= {"value": mean, "weight": len(samples), "spread": len(samples) > 1}
        out |= {"low": min(samples), "high": max(samples)}
    elif result.value is not UNSET:
        low = result.value if result.min is UNSET else result.min
        high = result.value if result.max is UNSET else result.max
        published = result.min is not UNSET or result.max is not UNSET
        counted = result.count is not UNSET
        out |= {"value": result.value, "weight": result.count if counted else 1}
        out |= {"low": low, "high": high, "spread": published}
        out["counted"] = counted or not published
    return out


def canonical(params: dict[str, Any]) -> str:
    """Parameters as text: sorted, and a whole number the same with or without ``.0``."""
    plain = {
        key: int(value)
        if isinstance(value, float) and value.is_integer() and abs(value) < 2**53
        else value
        for key, value in params.items()
    }
    return json.dumps(plain, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
