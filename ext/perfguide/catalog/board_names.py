"""Boards that have had other names: which names mean one board."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field
from functools import cached_property
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
    aliases: tuple[str, ...] = ()
    """What older bundles call it."""
    short: str = ""
    """What it is called where there is little room, as in heads of columns."""


class GuideNote(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """One entry of the notes beside the list: words about guides, for their readers."""

    text: str
    """What readers are to know."""
    soc: str = ""
    """The SoC whose guides it is about; all where this is left out."""
    board: str = ""
    """The board that it is about; all where this is left out."""
    release: str = ""
    """The release, or the beginning of several, such as ``09``; all where this is left out."""
    benchmark: str = ""
    """The benchmark that it is about; all where this is left out."""


@dataclass(frozen=True)
class Boards:
    """All boards that have, or have had, other names."""

    names: dict[tuple[str, str], str] = field(default_factory=dict)
    """By SoC and old name the name of today."""
    shorts: dict[tuple[str, str], str] = field(default_factory=dict)
    """By SoC and name of today the short name."""

    def today(self, soc: str, board: str) -> str:
        """What a board is called today; its own name where nothing is said."""
        return self.names.get((soc, board), board)

    def short(self, soc: str, board: str) -> str:
        """What a board is called where there is little room; its own name where nothing is
        said."""
        return self.shorts.get((soc, self.today(soc, board)), board)

    @cached_property
    def in_heads(self) -> dict[str, str]:
        """By every name of a board its short name, but for a name that boards of two SoCs have
        and that is short for each in another way."""
        found: dict[str, set[str]] = {}
        for soc, name in [*self.shorts, *self.names]:
            found.setdefault(name, set()).add(self.short(soc, name))
        return {name: own.pop() for name, own in found.items() if len(own) == 1}

    def ever(self, soc: str, board: str) -> set[str]:
        """Every name that a board has or has had."""
        now = self.today(soc, board)
        return {now, *(old for (of, old), name in self.names.items() if (of, name) == (soc, now))}


def load(path: Path | None) -> tuple[Boards, list[Diagnostic]]:
    """Read the list of boards. Without a file each board has the name that it has."""
    entries, diagnostics = toml_lists.read(path, NAME, Board, "boards", others=("notes",))
    today = {(entry.value.soc, entry.value.name) for entry in entries}
    names: dict[tuple[str, str], str] = {}
    shorts: dict[tuple[str, str], str] = {}
    for entry in entries:
        board = entry.value
        if board.short:
            shorts.setdefault((board.soc, board.name), board.short)
        for alias in board.aliases:
            if (board.soc, alias) in today or (board.soc, alias) in names:
                message = f"“{alias}” is the name of two boards of {board.soc}"
                hint = "use each old name in one entry only, and not as a current name"
                diagnostics.append(entry.fault("boards", message, hint))
            else:
                names[board.soc, alias] = board.name
    return Boards(names, shorts), diagnostics


def load_notes(path: Path | None) -> tuple[list[GuideNote], list[Diagnostic]]:
    """Read the notes that stand in the list of boards. What is wrong with the whole file, whoever
    reads its boards says."""
    entries, diagnostics = toml_lists.read(path, "notes", GuideNote, "boards", others=(NAME,))
    faults = [d for d in diagnostics if "“notes”" in d.message]
    return [entry.value for entry in entries], faults


def about(note: GuideNote, soc: str, release: str, boards: Collection[str]) -> bool:
    """Whether a note is about a guide of some boards."""
    return (
        note.soc in ("", soc)
        and is_release(release, note.release)
        and (not note.board or note.board in boards)
    )


def is_release(name: str, wanted: str) -> bool:
    """Whether a release is the wanted one or begins with its whole parts, or any is wanted."""
    return not wanted or name == wanted or name.startswith(f"{wanted}.")
