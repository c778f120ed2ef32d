"""Limits on what one document, and one history, may ask of the machine."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated

import msgspec

from ..common.toml_lists import in_words

_Count = Annotated[int, msgspec.Meta(ge=1)]


class Limits(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Limits of an import. Each document is read in a process of its own, which has the first two."""

    seconds: _Count = 3
    """Seconds of processor time for one document."""
    memory: _Count = 160 * 1024**2
    """Bytes of memory that reading one document may add."""
    document: _Count = 4 * 1024**2
    """Bytes of one document, and of one file that it names."""
    line: _Count = 100_000
    """Characters of one line of reStructuredText."""
    cell: _Count = 10_000
    """Characters of one cell."""
    columns: _Count = 500
    """Columns of one table, with those that cells span."""
    cells: _Count = 100_000
    """Cells of all tables of one document, each counted in every place that it spans."""
    characters: _Count = 8 * 1024**2
    """Characters of all cells of one document, counted likewise."""
    faults: _Count = 1000
    """Faults of one document that are listed; the others are counted."""
    files: _Count = 100_000
    """Files of one folder or commit."""
    commits: _Count = 2000
    """Commits of a history that are read."""
    git: _Count = 30
    """Seconds of processor time for one command of git."""


def changed(given: Mapping[str, int]) -> Limits:
    """Return the limits with some of them as given.

    Raises :class:`ValueError` for a name or a number that is none.
    """
    try:
        return msgspec.convert(given, Limits)
    except msgspec.ValidationError as error:
        message, hint = in_words(str(error), Limits)
        raise ValueError(f"{message} ({hint})") from None
