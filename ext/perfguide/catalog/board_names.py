"""Boards that have had other names: which names mean one board."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import msgspec

from ..common import toml_lists
from ..common.diagnostics import Diagnostic

NAME = "boards"


class Board(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """One entry of the list: a board's name of today and those of older bundles."""

    soc: str
    """The SoC on the board."""
    name: str
    """What the board is called today."""
    aliases: tuple[str, ...]
    """What older bundles call it."""


@dataclass(frozen=True, slots=True)
class Boards:
    """All boards that have had other names."""

    names: dict[tuple[str, str], str] = field(default_factory=dict)
    """By SoC and old name the name of today."""

    def today(self, soc: str, board: str) -> str:
        """What a board is called today; its own name where nothing is said."""
        return self.names.get((soc, board), board)

    def ever(self, soc: str, board: str) -> set[str]:
        """Every name that a board has or has had."""
        now = self.today(soc, board)
        return {now, *(old for (of, old), name in self.names.items() if (of, name) == (soc, now))}


def load(path: Path | None) -> tuple[Boards, list[Diagnostic]]:
    """Read the list of boards. Without a file each board has the name that it has."""
    if path is None:
        return Boards(), []
    found, diagnostics = toml_lists.read(path, NAME, Board, "boards")
    today = {(e.value.soc, e.value.name) for e in found}
    names: dict[tuple[str, str], str] = {}
    for entry in found:
        board = entry.value
        for alias in board.aliases:
            place = (board.soc, alias)
            if place in today or place in names:
                message = f"“{alias}” stands for two boards of {board.soc}"
                hint = "let each old name stand in one entry, and not as a name of today"
                diagnostics.append(toml_lists.fault(path, NAME, entry, "boards", message, hint))
            else:
                names[place] = board.name
    return Boards(names), diagnostics
