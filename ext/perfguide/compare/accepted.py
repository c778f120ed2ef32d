"""Changes that maintainers accept or declare a new level, and their notes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ..bundles.guide_key import version
from ..catalog.waivers import Annotation, Annotations, AnyEntry, Level, Waiver
from .row import ALARMS, Row


def accepted(row: Row, waivers: Sequence[Waiver]) -> Row:
    """Return a row with the first entry that accepts its change, if any."""
    # Improvements need no acceptance.
    if row.verdict not in ALARMS:
        return row
    for waiver in waivers:
        if (
            about(waiver, row)
            and waiver.accepts(row.change)
            and row.new is not None
            and not waiver.lapsed(row.new.guide.release)
        ):
            return replace(row, waiver=waiver)
    return row


def since(row: Row, levels: Sequence[Annotation[Level]]) -> str:
    """Return the first release whose figures still count for a row, that of its latest new level at
    or before OLD, or "" if there is none."""
    assert row.old is not None
    old = version(row.old.guide.release)
    releases = [x.spec.since for x in levels if about(x, row) and version(x.spec.since) <= old]
    return max(releases, key=version, default="")


def annotated(row: Row, annotations: Annotations) -> Row:
    """Return a row with its notes, and the entry that declares its change a new level, if any."""
    if row.new is None:
        return row
    release = row.new.guide.release
    notes = tuple(
        note
        for note in annotations.notes
        if about(note, row) and (note.spec.release in ("*", release))
    )
    settled = None
    if row.verdict in ALARMS and row.old is not None and row.waiver is None:
        old, new = version(row.old.guide.release), version(release)
        # A level only counts in comparisons that cross its first release.
        spanned = (x for x in annotations.levels if old < version(x.spec.since) <= new)
        settled = next((x for x in spanned if about(x, row)), None)
    return replace(row, notes=notes, settled=settled) if notes or settled else row


def about(waiver: AnyEntry, row: Row) -> bool:
    """Return whether an entry is about a row, whatever its verdict."""
    key = row.guide
    # An entry may use a former name of the board.
    boards = {row.board, *(r.board for r in (row.old, row.new) if r)}
    named = any(waiver.covers(key.soc, key.os, b, row.benchmark, row.metric) for b in boards)
    return named and waiver.fits(row.params)
