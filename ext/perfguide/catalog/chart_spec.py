"""What a benchmark's description says of a chart: its axes, lines, panels and pictures."""

from __future__ import annotations

from collections.abc import Sequence
from fnmatch import fnmatchcase
from typing import Literal

import msgspec

from ..common.diagnostics import nearest

Scalar = str | int | float | bool
"""A parameter's value."""

OUTER = ("board", "release", "platform")
"""What an axis, a line, a panel or a picture can stand for besides parameters and
``metric``: a board, an SDK release, or a SoC with its SDK family."""

Page = Literal["guide", "releases", "newest"]
"""Where a chart stands: in each guide; on the benchmark's page for each platform over
its releases; on the benchmark's page for the newest figures of all boards."""


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
    kind: Literal["lines", "bars", "steps"] = "lines"
    """Lines with a mark at each point, bars beside their names, or the steps of a histogram."""
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


def faults(chart: Chart, metrics: Sequence[str]) -> list[tuple[str, str]]:
    """What the types cannot say, as (what is wrong, how to mend it)."""
    out = []
    where = f"chart “{chart.id}”: "
    ys = names(chart.y)
    for y in [*ys, *filter(None, [chart.limit])]:
        if not any(fnmatchcase(y, name) or fnmatchcase(name, y) for name in metrics):
            out.append((where + f"no metric is named “{y}”", nearest(y, metrics)))
    used = [chart.x, chart.along, *names(chart.series), *names(chart.panels), *chart.each]
    used = [name for name in used if name]
    out += [
        (where + f"“{name}” is used twice", "name it once")
        for name in sorted(set(used))
        if used.count(name) > 1 or name in chart.where
    ]
    several = len(ys) != 1 or "*" in ys[0] or "?" in ys[0]
    if several and "metric" not in used:
        hint = "name “metric” in “x”, “series”, “panels” or “each”"
        out.append((where + "has several metrics on one line", hint))
    if not ys:
        out.append((where + "“y” is empty", "name a metric"))
    return out
