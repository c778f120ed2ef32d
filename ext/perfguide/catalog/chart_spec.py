"""What a benchmark's description says of a chart: its axes, lines, panels and pictures."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fnmatch import fnmatchcase
from typing import Literal, TypeGuard

import msgspec

from ..common.diagnostics import nearest

Scalar = str | int | float | bool
"""A parameter's value."""

Fault = tuple[str, str]
"""What is wrong with a description, and how to fix it; the second can be empty."""

OUTER = ("board", "release", "platform")
"""What an axis, a line, a panel or a picture can stand for besides parameters and
``metric``: a board, an SDK release, or a SoC with its SDK family."""

Page = Literal["guide", "releases", "newest"]
"""Where a chart stands: in each guide; on the benchmark's page for each platform over
its releases; on the benchmark's page for the newest figures of all boards."""


Kind = Literal["lines", "bars", "steps"]
"""Lines with a mark at each point, bars beside their names, or the steps of a histogram."""


class Chart(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """One chart: what its axes, lines and panels are.

    A result belongs to it whose metric is ``y``, for which ``where`` holds, and
    whose parameters are all used up by ``where``, ``x``, ``along``, ``series``,
    ``panels`` and ``each``. What of board, release and platform none of these
    names has a picture of its own for each value.
    """

    id: str
    """Its name in addresses; letters, digits and hyphens."""
    title: str
    """The caption."""
    y: str | tuple[str, ...]
    """The metric on the y axis, or several of one unit; ``*`` stands for any characters."""
    x: str
    """On the x axis: a parameter, another metric of the same run, ``metric``,
    ``board`` or ``release``."""
    on: Page = "guide"
    """In each guide; on the benchmark's page over the releases; or there with the newest
    figures of all boards."""
    kind: Kind = "lines"
    """Lines with a mark at each point, bars beside their names, or the steps of a histogram."""
    left_of: float = 0.0
    """Where ``x`` is a metric: the whole of which the axis shows what is left, such as 100 for a
    load in per cent; zero for the metric itself."""
    x_label: str = ""
    """What the x axis is called; left out: what is on it."""
    along: str = ""
    """Where ``x`` is a metric: the parameter that changes from point to point."""
    where: dict[str, Scalar] = {}
    """Parameters that must have just this value."""
    series: str | tuple[str, ...] = ()
    """Parameters with one line for each of their values."""
    panels: str | tuple[str, ...] = ()
    """Parameters with one panel, of equal axes, for each of their values."""
    each: tuple[str, ...] = ()
    """Parameters each of whose combinations has a picture of its own, in a tab."""
    unless: dict[str, Scalar] = {}
    """Parameters whose figures are left to another chart where they have this value."""
    lines: int = 1
    """A picture with fewer lines is left out."""
    limit: str = ""
    """A metric whose figure for the same run is a limit to draw across the panel."""
    y_label: str = ""
    """What the y axis is called, where several metrics share it."""
    x_scale: Literal["linear", "log2"] = "linear"
    """``log2`` for sizes that double."""
    y_scale: Literal["linear", "log"] = "linear"
    """``log`` for figures of very different size."""
    answer: Literal["", "cross-over", "cpu-share"] = ""
    """What is worked out from it and said in words or figures."""


def names(value: str | tuple[str, ...]) -> tuple[str, ...]:
    """The one name, or the several, that a description gives."""
    return ((value,) if value else ()) if isinstance(value, str) else value


def is_number(value: Scalar | None) -> TypeGuard[int | float]:
    """Whether a parameter's value is a number, and not yes or no."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def same(value: Scalar | None, other: Scalar) -> bool:
    """Whether two values are one: 1 is 1.0, and neither is yes."""
    return isinstance(value, bool) == isinstance(other, bool) and value == other


def faults(chart: Chart, metrics: Sequence[str]) -> Iterator[Fault]:
    """What the types cannot say."""
    where = f"chart “{chart.id}”: "
    ys = names(chart.y)
    for y in filter(None, (*ys, chart.limit)):
        if not any(fnmatchcase(y, name) or fnmatchcase(name, y) for name in metrics):
            yield where + f"no metric is named “{y}”", nearest(y, metrics)
    axes = (chart.x, chart.along, *names(chart.series), *names(chart.panels), *chart.each)
    used = [name for name in axes if name]
    for name in sorted(set(used)):
        if used.count(name) > 1 or name in chart.where:
            yield where + f"“{name}” is used twice", "name it once"
    if not ys:
        yield where + "“y” is empty", "name a metric"
    elif (len(ys) > 1 or "*" in ys[0] or "?" in ys[0]) and "metric" not in used:
        hint = "name “metric” in “x”, “series”, “panels” or “each”"
        yield where + "has several metrics on one line", hint
