"""What a run that writes pages did."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ..common.diagnostics import Diagnostic
from ..figures.dataset import Holdings


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a run did: findings, the files it wrote and removed, and how many guides and
    figures there are. ``inputs`` is a hash of all that the pages are made from, empty where
    it is not known. ``read`` gives what was read; where nothing changed, it reads now."""

    diagnostics: tuple[Diagnostic, ...]
    written: tuple[str, ...]
    removed: tuple[str, ...]
    guides: int
    figures: int
    inputs: str
    read: Callable[[], Holdings]

    @property
    def holdings(self) -> Holdings:
        """All that was read."""
        return self.read()
