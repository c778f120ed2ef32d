"""Figures, times and facts in the texts of board farms' files."""

from __future__ import annotations

import datetime
import math
import re

from .. import Scalar
from ..json_nodes import Node

_STATED = {
    *(f"sdk.{name}" for name in ("version", "name", "os", "kernel", "image")),
    *(f"board.{name}" for name in ("name", "soc", "description", "memory", "governor")),
    *(f"runner.{name}" for name in ("name", "job_url", "version")),
}
_NUMBER = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]{1,9})?", re.ASCII)
_FAILED = re.compile(r"[+-]?(?:nan|inf|infinity)", re.ASCII | re.IGNORECASE)
MAX_NUMBER_CHARS = 400


def number(text: str) -> float | None:
    """Parse decimal digits with a point and an exponent; return ``None`` for anything else,
    including figures too large or too small for a double, which would become infinite or zero."""
    text = text.strip(" \t\r\n")
    if len(text) > MAX_NUMBER_CHARS or not _NUMBER.fullmatch(text):
        return None
    value = float(text)
    mantissa = re.split("[eE]", text)[0]
    if not math.isfinite(value) or (value == 0 and any(c in "123456789" for c in mantissa)):
        return None
    return value


def not_finite(text: str) -> bool:
    """Return whether the text is ``NaN`` or an infinity, which programs print on failure."""
    return _FAILED.fullmatch(text.strip(" \t\r\n")) is not None


def moment(text: str) -> str:
    """Convert a time with an offset to RFC 3339; return an empty string if it has none."""
    try:
        when = datetime.datetime.fromisoformat(text.strip())
        when.astimezone(datetime.UTC)
    except (ValueError, OverflowError):
        return ""
    return when.isoformat() if when.tzinfo is not None else ""


def stated(metadata: Node) -> dict[str, Scalar]:
    """Return the facts among free-form metadata: texts whose keys are spelled as in a bundle, for
    instance ``sdk.version`` or ``board.soc``. Other keys are only meaningful to the farm."""
    texts = ((key, metadata.string(key)) for key in metadata.members if key in _STATED)
    return {key: text for key, text in texts if text}
