"""Draws one picture, or a notice where that fails."""

from __future__ import annotations

from dataclasses import dataclass

from ..common import containment
from .model import PictureView

Task = tuple[PictureView, str]
"""The view of a picture, and the format of its file."""


@dataclass(frozen=True, slots=True)
class Undrawn:
    """The reason why a picture could not be drawn, and a picture that says so."""

    reason: str
    notice: bytes


def draw(task: Task) -> bytes | Undrawn:
    """Return the bytes of one picture."""
    # Most builds have nothing to draw, and start faster without matplotlib.
    from . import draw as library

    try:
        return library.draw(*task)
    except containment.PASSED_ON:
        raise
    except Exception as error:  # one picture that fails must not stop the others
        return Undrawn(containment.reason(error), library.notice(task[1]))
