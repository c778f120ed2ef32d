"""Tables of guides, as returned by the importer's readers."""

from __future__ import annotations

from collections.abc import Callable

from perfguide.importing.model import Opener, Reading, Table

Reader = Callable[[str, str, Opener, Reading], None]


def nothing(name: str) -> bytes | None:
    """Open no file."""
    return None


def tables(reader: Reader, file: str, text: str, opener: Opener = nothing) -> list[Table]:
    """Return the tables in a text."""
    reading = Reading()
    reader(file, text, opener, reading)
    return reading.tables
