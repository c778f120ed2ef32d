"""Changes that somebody has accepted, with the reason, until a release."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path

import msgspec

from ..bundles.guide_key import version
from ..common import toml_lists, units
from ..common.diagnostics import Diagnostic
from .benchmarks import Scalar

NAME = "waivers"


class Spec(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """One entry of the file. Names may hold ``*`` and ``?`` for any characters."""

    benchmark: str
    """Names of benchmarks."""
    metric: str
    """Names of metrics."""
    reason: str
    """Why the change is accepted; pages show it."""
    until: str
    """The release with which it lapses: for that one and later ones it does not hold."""
    soc: str = "*"
    """Names of SoCs."""
    os: str = "*"
    """Names of operating systems."""
    board: str = "*"
    """Names of boards."""
    params: dict[str, Scalar] = {}
    """Parameters that must have just this value."""
    most: str = ""
    """The largest change that is accepted, as ``25%``; any where this is left out."""


@dataclass(frozen=True, slots=True)
class Waiver:
    """An accepted change, and where it is written."""

    spec: Spec
    most: float | None
    origin: str
    number: int
    line: int | None

    def covers(self, soc: str, os: str, board: str, benchmark: str, metric: str) -> bool:
        """Whether it is about figures with these names."""
        pairs = (
            (soc, self.spec.soc),
            (os, self.spec.os),
            (board, self.spec.board),
            (benchmark, self.spec.benchmark),
            (metric, self.spec.metric),
        )
        return all(fnmatchcase(name, pattern) for name, pattern in pairs)

    def fits(self, params: Mapping[str, Scalar]) -> bool:
        """Whether it is about figures with these parameters."""
        return all(
            name in params and units.plain(params[name]) == units.plain(value)
            for name, value in self.spec.params.items()
        )

    def lapsed(self, release: str) -> bool:
        """Whether it holds no longer where ``release`` is the newer one."""
        return version(release) >= version(self.spec.until)

    def accepts(self, change: float | None) -> bool:
        """Whether a relative change is not larger than what was accepted."""
        return self.most is None or (change is not None and abs(change) <= self.most)

    def finding(self, message: str, hint: str) -> Diagnostic:
        """Something to say about it."""
        place = f"entry {self.number} of “{NAME}” ({self.spec.benchmark}, {self.spec.metric}): "
        return Diagnostic("waiver-lapsed", self.origin, place + message, hint, line=self.line)


def load(path: Path | None) -> tuple[tuple[Waiver, ...], list[Diagnostic]]:
    """Read the file of accepted changes; none where there is no such file."""
    entries, diagnostics = toml_lists.read(path, NAME, Spec, "waiver", _wrong)
    waivers = (Waiver(e.value, _most(e.value), str(path), e.number, e.line) for e in entries)
    return tuple(waivers), diagnostics


def _wrong(spec: Spec) -> tuple[str, str] | None:
    for name in ("benchmark", "metric", "reason", "until"):
        if not getattr(spec, name).strip():
            return f"“{name}” is empty", f"say the {name}"
    try:
        _most(spec)
    except ValueError as error:
        return f"“most” is “{spec.most}”: {error}", 'write most = "25%", or leave it out'
    return None


def _most(spec: Spec) -> float | None:
    return units.share(spec.most) if spec.most else None
