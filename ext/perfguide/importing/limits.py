"""Limits on the resources that one document, or one history, may use."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated

import msgspec

from ..common.toml_lists import in_words

_Count = Annotated[int, msgspec.Meta(ge=1)]


class Limits(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Limits of an import. The first two apply to the process that reads one document."""

    seconds: _Count = 3
    """Seconds of CPU time for one document."""
    memory: _Count = 160 * 1024**2
    """Bytes of memory that reading one document may add."""
    document: _Count = 4 * 1024**2
    """Bytes of one document, and of one file that it refers to."""
    line: _Count = 100_000
    """Characters of one line of reStructuredText."""
    cell: _Count = 10_000
    """Characters of one cell."""
    columns: _Count = 500
    """Columns of one table, with spanned positions counted."""
    cells: _Count = 100_000
    """Cells of all tables of one document, with spanned positions counted."""
    characters: _Count = 8 * 1024**2
    """Characters of all cells of one document, with spanned positions counted."""
    faults: _Count = 1000
    """Faults listed for one document; any more are counted."""
    files: _Count = 100_000
    """Files of one folder or commit."""
    commits: _Count = 2000
    """Commits of a history that are read."""
    git: _Count = 30
    """Seconds of CPU time for one git command."""


def changed(given: Mapping[str, int]) -> Limits:
    """Return the default limits with those in ``given`` replaced.

    Raises :class:`ValueError` for an unknown name or an invalid number.
    """
    try:
        return msgspec.convert(given, Limits)
    except msgspec.ValidationError as error:
        message, hint = in_words(str(error), Limits)
        raise ValueError(f"{message} ({hint})") from None
