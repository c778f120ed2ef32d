"""Hand-written annotations of figures and changes: accepted changes, notes, new levels."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Generic, TypeVar

import msgspec

from ..bundles.guide_key import version
from ..common import toml_lists, units
from ..common.diagnostics import Diagnostic
from .benchmarks import Scalar

NAME, NOTES, LEVELS = "waivers", "notes", "levels"
"""Names of the lists in the file: ``[[waivers]]``, ``[[notes]]``, ``[[levels]]``."""


class Figures(msgspec.Struct, frozen=True, kw_only=True):
    """The figures that an entry is about. Names may contain ``*`` and ``?`` for any characters."""

    benchmark: str
    """Names of benchmarks."""
    metric: str = "*"
    """Names of metrics."""
    soc: str = "*"
    """Names of SoCs."""
    os: str = "*"
    """Names of operating systems."""
    board: str = "*"
    """Names of boards."""
    params: dict[str, Scalar] = {}
    """Parameters that must have exactly this value."""


class Spec(Figures, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """An accepted change."""

    metric: str
    """Names of metrics."""
    reason: str
    """The reason why the change is accepted; pages show it."""
    until: str
    """The first release for which the waiver no longer applies."""
    most: str = ""
    """The largest change that is accepted, such as ``25%``; by default any."""


class Note(Figures, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A note about some figures of a release."""

    text: str
    """The text for readers of a comparison; it changes no verdict."""
    release: str = "*"
    """The newer release of the comparisons that show it."""


class Level(Figures, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A release from which on some figures have a new level, for good."""

    reason: str
    """The reason; pages show it."""
    since: str
    """The first release of the new level: its change is accepted, and earlier releases predict
    nothing about later ones."""


# Covariant, so that a list of levels is accepted as a list of entries of any kind.
S = TypeVar("S", Spec, Note, Level, covariant=True)


@dataclass(frozen=True, slots=True)
class Annotation(Generic[S]):
    """An entry in the file with its location: list name, number in the list, and line."""

    spec: S
    origin: str
    list: str
    number: int
    line: int | None

    @property
    def key(self) -> tuple[str, int]:
        """The list and number that identify the entry."""
        return self.list, self.number

    def covers(self, soc: str, os: str, board: str, benchmark: str, metric: str) -> bool:
        """Return whether the entry applies to figures with these names."""
        spec, names = self.spec, (soc, os, board, benchmark, metric)
        patterns = (spec.soc, spec.os, spec.board, spec.benchmark, spec.metric)
        return all(map(fnmatchcase, names, patterns))

    def fits(self, params: Mapping[str, Scalar]) -> bool:
        """Return whether the entry applies to figures with these parameters."""
        return all(
            # Compared as text, so that 1 in TOML matches 1.0 in a bundle.
            name in params and units.plain(params[name]) == units.plain(value)
            for name, value in self.spec.params.items()
        )

    def finding(self, message: str, hint: str) -> Diagnostic:
        """Return a diagnostic about the entry."""
        prefix = (
            f"entry {self.number} of “{self.list}” ({self.spec.benchmark}, {self.spec.metric}): "
        )
        return Diagnostic("waiver-lapsed", self.origin, prefix + message, hint, line=self.line)


@dataclass(frozen=True, slots=True)
class Waiver(Annotation[Spec]):
    """An accepted change. ``most`` is the largest accepted relative change, ``None`` for any."""

    most: float | None

    def lapsed(self, release: str) -> bool:
        """Return whether it has lapsed in comparisons with ``release`` as the newer one."""
        # Compared as versions, not as text: 10.0 is later than 9.2.
        return version(release) >= version(self.spec.until)

    def accepts(self, change: float | None) -> bool:
        """Return whether a relative change is within the accepted limit."""
        return self.most is None or (change is not None and abs(change) <= self.most)


AnyEntry = Annotation[Spec] | Annotation[Note] | Annotation[Level]


@dataclass(frozen=True, slots=True)
class Annotations:
    """The entries that never lapse: notes and levels."""

    notes: tuple[Annotation[Note], ...] = ()
    levels: tuple[Annotation[Level], ...] = ()

    @property
    def every(self) -> tuple[AnyEntry, ...]:
        """All entries."""
        return (*self.notes, *self.levels)


def load(path: Path | None) -> tuple[tuple[Waiver, ...], list[Diagnostic]]:
    """Read the accepted changes in a file; without a file there are none."""
    entries, diagnostics = toml_lists.read(
        path, NAME, Spec, "waiver", _wrong, others=(NOTES, LEVELS)
    )
    waivers = (Waiver(e.value, str(path), NAME, e.number, e.line, _most(e.value)) for e in entries)
    return tuple(waivers), diagnostics


def load_annotations(path: Path | None) -> tuple[Annotations, list[Diagnostic]]:
    """Read the notes and new levels listed next to the accepted changes. Faults of the file itself
    are reported by :func:`load`."""
    notes, wrong_notes = _listed(path, NOTES, Note, _required("text"))
    levels, wrong_levels = _listed(path, LEVELS, Level, _required("reason", "since"))
    return Annotations(notes, levels), [*wrong_notes, *wrong_levels]


def _listed(
    path: Path | None, name: str, spec: type[S], wrong: Callable[[S], tuple[str, str] | None]
) -> tuple[tuple[Annotation[S], ...], list[Diagnostic]]:
    others = {NAME, NOTES, LEVELS} - {name}
    entries, diagnostics = toml_lists.read(path, name, spec, "waiver", wrong, others, of_file=False)
    return tuple(
        Annotation(e.value, str(path), name, e.number, e.line) for e in entries
    ), diagnostics


def _required(*names: str) -> Callable[[Spec | Note | Level], tuple[str, str] | None]:
    def wrong(spec: Spec | Note | Level) -> tuple[str, str] | None:
        for name in ("benchmark", "metric", *names):
            if not getattr(spec, name).strip():
                return f"“{name}” is empty", f"add the {name}"
        return None

    return wrong


def _wrong(spec: Spec) -> tuple[str, str] | None:
    if fault := _required("reason", "until")(spec):
        return fault
    try:
        _most(spec)
    except ValueError as error:
        return f"“most” is “{spec.most}”: {error}", 'write most = "25%", or leave it out'
    return None


def _most(spec: Spec) -> float | None:
    return units.share(spec.most) if spec.most else None
