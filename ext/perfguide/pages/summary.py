"""The summary of a SoC: everything that pages about several SoCs are made from.

``source/scale.rst`` describes its fields for human readers.
"""

from __future__ import annotations

import datetime
from typing import Any

import msgspec
import numpy as np

from ..bundles.guide_key import GuideKey
from ..common.diagnostics import Diagnostic
from ..health.finding import Finding
from .answers import Result
from .downloads import GuideFiles
from .provenance import Corrections
from .search_words import FindablePage
from .verdicts import ComparedGuides


class GuideSummary(msgspec.Struct, frozen=True):
    """A guide: the words that find it, its boards and figures, the time of its newest run, and the
    files of its data, ``None`` if these could not be made. ``best`` are its headline results, and
    ``benchmarks`` the names of those it has figures of."""

    key: GuideKey
    findable: FindablePage
    boards: list[str]
    figures: int
    measured: datetime.datetime
    files: GuideFiles | None
    best: list[Result]
    benchmarks: list[str]


class ListedFinding(msgspec.Struct, frozen=True):
    """A doubt about figures in brief, also as its page shows it, and in a few words the decision
    that the figures bear on, if any."""

    finding: Finding
    entry: dict[str, Any]
    decides: str


class Summary(msgspec.Struct, frozen=True):
    """The facts about one SoC that pages about several SoCs need.

    ``metrics`` are those of its figures as (benchmark, metric, unit). ``used_waivers`` and
    ``used_acknowledgements`` are the entries in these lists that apply to something.
    """

    soc: str
    guides: list[GuideSummary]
    metrics: list[tuple[str, str, str]]
    compared: list[ComparedGuides]
    findings: list[ListedFinding]
    corrections: list[Corrections]
    used_waivers: set[tuple[str, int]]
    used_acknowledgements: set[int]
    diagnostics: list[Diagnostic]


def encode(value: object) -> bytes:
    """Return a value of a summary as MessagePack."""
    return msgspec.msgpack.encode(value, enc_hook=_plain_number)


def _plain_number(value: Any) -> float | int:
    """Convert a NumPy number to a Python one. Raises :class:`NotImplementedError` for anything
    else."""
    # Figures come from NumPy columns, whose numbers msgspec does not support.
    if not isinstance(value, np.generic):
        raise NotImplementedError(f"{type(value).__name__} is no part of a summary")
    number: float | int = value.item()
    return number
