"""Descriptions of charts: their axes, lines, panels and pictures."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fnmatch import fnmatchcase
from typing import Literal, TypeGuard

import msgspec

from ..common.diagnostics import nearest

Scalar = str | int | float | bool
"""A parameter's value."""

Fault = tuple[str, str]
"""A fault in a description, and how to fix it (which may be empty)."""

OUTER = ("board", "release", "platform")
"""Names besides parameters and ``metric`` that an axis, line, panel or picture may use: a board, an
SDK release, or a SoC with its SDK family."""

Page = Literal["guide", "releases", "newest"]
"""The page that shows a chart: each guide; the benchmark's page, once per platform across releases;
or the benchmark's page, for the newest figures of all boards."""


Kind = Literal["lines", "bars", "steps"]


class Chart(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A chart: its axes, lines and panels.

    A result belongs to it if its metric is ``y``, it matches ``where``, and all its parameters
    are named by ``where``, ``x``, ``along``, ``series``, ``panels`` or ``each``. Of board,
    release and platform, each that none of these names gets a picture for each of its values.
    """

    id: str
    """Its name in addresses; letters, digits and hyphens."""
    title: str
    """The caption."""
    y: str | tuple[str, ...]
    """The metric on the y axis, or several of one unit; ``*`` matches any characters."""
    x: str
    """On the x axis: a parameter, another metric of the same run, ``metric``,
    ``board`` or ``release``."""
    on: Page = "guide"
    """In each guide; on the benchmark's page over the releases; or there with the newest
    figures of all boards."""
    kind: Kind = "lines"
    """Lines with a mark at each point, bars beside their names, or the steps of a histogram."""
    left_of: float = 0.0
    """If ``x`` is a metric: the total from which it is subtracted, such as 100 to show the idle
    share of a load in per cent; zero shows the metric itself."""
    x_label: str = ""
    """The label of the x axis; by default the name of ``x``."""
    along: str = ""
    """If ``x`` is a metric: the parameter that changes from point to point."""
    where: dict[str, Scalar] = {}
    """Parameters that must have exactly this value."""
    series: str | tuple[str, ...] = ()
    """Parameters with one line for each of their values."""
    panels: str | tuple[str, ...] = ()
    """Parameters with one panel, of equal axes, for each of their values."""
    each: tuple[str, ...] = ()
    """Parameters with one picture, in a tab, for each combination of their values."""
    unless: dict[str, Scalar] = {}
    """Parameters with a value whose figures are left to another chart."""
    lines: int = 1
    """The least number of lines; a picture with fewer is left out."""
    limit: str = ""
    """A metric whose figure for the same run is drawn as a limit across the panel."""
    y_label: str = ""
    """The label of the y axis, needed if several metrics share it."""
    x_scale: Literal["linear", "log2"] = "linear"
    """``log2`` for sizes that double."""
    y_scale: Literal["linear", "log"] = "linear"
    """``log`` for figures of very different size."""
    answer: Literal["", "cross-over", "cpu-share"] = ""
    """A result computed from the chart and given in words or figures."""


def names(value: str | tuple[str, ...]) -> tuple[str, ...]:
    """Return the names in a value that may be a single string or several."""
    return ((value,) if value else ()) if isinstance(value, str) else value


def is_number(value: Scalar | None) -> TypeGuard[int | float]:
    """Return whether a parameter value is a number; true and false are not."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def same(value: Scalar | None, other: Scalar) -> bool:
    """Return whether two values are equal: 1 equals 1.0, but not true."""
    # bool is a subclass of int, but TOML and JSON distinguish them.
    return isinstance(value, bool) == isinstance(other, bool) and value == other


def faults(chart: Chart, metrics: Sequence[str]) -> Iterator[Fault]:
    """Yield faults that types cannot express."""
    where = f"chart “{chart.id}”: "
    ys = names(chart.y)
    for y in filter(None, (*ys, chart.limit)):
        # Both the chart's entry and the metrics may be patterns.
        if not any(fnmatchcase(y, name) or fnmatchcase(name, y) for name in metrics):
            yield where + f"no metric is named “{y}”", nearest(y, metrics)
    axes = (chart.x, chart.along, *names(chart.series), *names(chart.panels), *chart.each)
    used = [name for name in axes if name]
    for name in sorted(set(used)):
        if used.count(name) > 1 or name in chart.where:
            yield where + f"“{name}” is used twice", "name it once"
    if not ys:
        yield where + "“y” is empty", "name a metric"
    # Without an axis for the metric, one line would join points of different metrics.
    elif (len(ys) > 1 or "*" in ys[0] or "?" in ys[0]) and "metric" not in used:
        hint = "name “metric” in “x”, “series”, “panels” or “each”"
        yield where + "has several metrics on one line", hint
