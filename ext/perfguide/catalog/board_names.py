"""Boards by name: which names mean the same board, and which processor it has."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Annotated

import msgspec
from msgspec import Meta

from ..common import toml_lists, units
from ..common.diagnostics import Diagnostic

NAME = "boards"


class Board(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A board with its current name and its former ones."""

    soc: str
    """The SoC on the board."""
    name: str
    """The current name of the board."""
    aliases: tuple[str, ...] = ()
    """Its names in older bundles."""
    short: str = ""
    """Its name where space is tight, such as in column heads."""
    also: tuple[str, ...] = ()
    """Further names that readers search for, such as the maker's, which boards may share."""
    processor: str = ""
    """The type of its cores, such as ``Cortex-A53``."""
    cores: Annotated[int, Meta(ge=0, le=100_000)] = 0
    """The number of its cores, or 0 if unknown."""
    caches: dict[str, Annotated[int, Meta(gt=0, le=10**9)]] = {}
    """The sizes of its caches in KiB, from the core outwards: ``{ L1d = 32, L2 = 512 }``."""

    def cpu(self) -> str:
        """Describe the cores, as in ``4 × Cortex-A53``, or return ""."""
        if self.processor:
            return f"{self.cores} × {self.processor}" if self.cores else self.processor
        return units.with_noun(self.cores, "core") if self.cores else ""

    def cache_sizes(self) -> str:
        """Describe the caches, as in ``L1d 32 KiB, L2 512 KiB``, or return ""."""
        return ", ".join(f"{name} {size:g} KiB" for name, size in self.caches.items())


class GuideNote(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A note for the readers of some guides."""

    text: str
    """The text that readers see."""
    soc: str = ""
    """The SoC whose guides show it; all by default."""
    board: str = ""
    """The board that it is about; all by default."""
    release: str = ""
    """The release, or a prefix of several such as ``09``; all by default."""
    benchmark: str = ""
    """The benchmark that it is about; all by default."""


@dataclass(frozen=True)
class Boards:
    """The listed boards, with their current, former and short names."""

    names: dict[tuple[str, str], str] = field(default_factory=dict)
    """Current names by SoC and old name."""
    shorts: dict[tuple[str, str], str] = field(default_factory=dict)
    """Short names by SoC and current name."""
    entries: dict[tuple[str, str], Board] = field(default_factory=dict)
    """Entries of the list by SoC and current name."""

    def entry(self, soc: str, board: str) -> Board:
        """Return a board's entry, looked up by any of its names, or an empty one."""
        now = self.today(soc, board)
        return self.entries.get((soc, now), Board(soc=soc, name=now))

    def today(self, soc: str, board: str) -> str:
        """Return the current name of a board, or the given one if it is not listed."""
        return self.names.get((soc, board), board)

    def short(self, soc: str, board: str) -> str:
        """Return the short name of a board, or the given one if it has none."""
        return self.shorts.get((soc, self.today(soc, board)), board)

    @cached_property
    def in_heads(self) -> dict[str, str]:
        """The names for column heads: short names by any name of a board, except names that boards
        of two SoCs share but shorten differently."""
        shorts_by_name: dict[str, set[str]] = {}
        for soc, name in [*self.shorts, *self.names]:
            shorts_by_name.setdefault(name, set()).add(self.short(soc, name))
        return {name: shorts.pop() for name, shorts in shorts_by_name.items() if len(shorts) == 1}

    def search_names(self, soc: str, board: str) -> list[str]:
        """Return all names under which readers may search for a board."""
        names = [*sorted(self.all_names(soc, board)), *self.entry(soc, board).also]
        return [*names, self.short(soc, board)]

    def all_names(self, soc: str, board: str) -> set[str]:
        """Return all current and former names of a board."""
        now = self.today(soc, board)
        return {now, *(old for (s, old), name in self.names.items() if (s, name) == (soc, now))}


def load(path: Path | None) -> tuple[Boards, list[Diagnostic]]:
    """Read the list of boards. Without a file, every board keeps its name."""
    # The file has two lists that are read separately, so the other one is not a fault.
    entries, diagnostics = toml_lists.read(path, NAME, Board, "boards", others=("notes",))
    current = {(entry.value.soc, entry.value.name) for entry in entries}
    names: dict[tuple[str, str], str] = {}
    shorts: dict[tuple[str, str], str] = {}
    by_name: dict[tuple[str, str], Board] = {}
    for entry in entries:
        board = entry.value
        by_name.setdefault((board.soc, board.name), board)
        if board.short:
            # Board names are unique only within a SoC.
            shorts.setdefault((board.soc, board.name), board.short)
        for alias in board.aliases:
            if (board.soc, alias) in current or (board.soc, alias) in names:
                message = f"“{alias}” is the name of two boards of {board.soc}"
                hint = "use each old name in one entry only, and not as a current name"
                diagnostics.append(entry.fault("boards", message, hint))
            else:
                names[board.soc, alias] = board.name
    return Boards(names, shorts, by_name), diagnostics


def load_notes(path: Path | None) -> tuple[list[GuideNote], list[Diagnostic]]:
    """Read the notes from the list of boards. Faults of the file itself are reported by
    :func:`load`."""
    entries, diagnostics = toml_lists.read(
        path, "notes", GuideNote, "boards", others=(NAME,), of_file=False
    )
    return [entry.value for entry in entries], diagnostics


def about(note: GuideNote, soc: str, release: str, boards: Collection[str]) -> bool:
    """Return whether a note applies to a guide with these boards."""
    return (
        note.soc in ("", soc)
        and is_release(release, note.release)
        and (not note.board or note.board in boards)
    )


def is_release(name: str, wanted: str) -> bool:
    """Return whether a release is ``wanted`` or begins with its parts: “09.1” matches “09.1.2” but
    not “09.10”, and an empty string matches all."""
    return not wanted or name == wanted or name.startswith(f"{wanted}.")
