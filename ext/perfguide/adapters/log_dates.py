"""The date of a run: a line of its log that is a date and no more, as ``date`` prints it.

Dates within other lines are passed over: most of them say when a kernel or a library was built.
"""

from __future__ import annotations

import datetime
import email.utils
import re
from dataclasses import dataclass

from .log_lines import lines

_ISO = re.compile(
    r"(?:19|20)[0-9]{2}-[01][0-9]-[0-3][0-9][T ][0-2][0-9]:[0-5][0-9](?::[0-6][0-9](?:\.[0-9]{1,9})?)?(?: ?(?:Z|[+-][0-9]{2}:?[0-9]{2}))?"
)
_MAIL = re.compile(
    r"[A-Z][a-z]{2}, [0-9]{1,2} [A-Z][a-z]{2} (?:19|20)[0-9]{2} [0-9:]{8} (?:[A-Z]{1,5}|[+-][0-9]{4})(?: \([A-Z]{1,5}\))?"
)
_SHELL = re.compile(
    r"[A-Z][a-z]{2} ([A-Z][a-z]{2}) +([0-9]{1,2}) ([0-9:]{8}) (?:([A-Z]{1,5}|[+-][0-9]{2,4}) )?((?:19|20)[0-9]{2})"
)  # fmt: skip
MAX_DATE_CHARS = 60


@dataclass(frozen=True, slots=True)
class Dated:
    """The time at which a log begins, the line that says so, and whether it names the time zone."""

    created: str
    line: int
    zone: bool


def find(data: bytes) -> Dated | None:
    """Return the first line that is a date, with UTC where it names no known zone."""
    for line in lines(data):
        text = line.text.strip()
        if 15 < len(text) <= MAX_DATE_CHARS and (date := _moment(text)):
            when, zone = date
            return Dated(when.isoformat(), line.number, zone)
    return None


def dated(text: str) -> tuple[str, bool] | None:
    """Return a date as RFC 3339 writes it, and whether it names its time zone; without one it is
    taken as UTC. ``None`` where the text is no date with a year."""
    date = _moment(text.replace(",", "."))
    return (date[0].isoformat(), date[1]) if date else None


def moment(text: str) -> str | None:
    """Return a date, or seconds since 1970 as nine or ten digits, as RFC 3339 writes it; ``None``
    where it is neither."""
    if re.fullmatch("[0-9]{9,10}", text):
        return datetime.datetime.fromtimestamp(int(text), datetime.UTC).isoformat()
    date = _moment(text)
    return date[0].isoformat() if date else None


def _moment(text: str) -> tuple[datetime.datetime, bool] | None:
    if _MAIL.fullmatch(text):
        return _zoned(email.utils.parsedate_tz(text), text.split()[5])
    if match := _SHELL.fullmatch(text):
        month, day, clock, zone, year = match.groups()
        written = f"{day} {month} {year} {clock} {zone or ''}"
        return _zoned(email.utils.parsedate_tz(written), zone or "")
    if _ISO.fullmatch(text):
        try:
            when = datetime.datetime.fromisoformat(re.sub(r" ?(Z|[+-][0-9:]+)$", r"\1", text))
        except ValueError:
            return None
        return (when, True) if when.tzinfo else (when.replace(tzinfo=datetime.UTC), False)
    return None


def _zoned(
    parts: tuple[int, int, int, int, int, int, int, int, int, int | None] | None, zone: str
) -> tuple[datetime.datetime, bool] | None:
    """Return a parsed date, with UTC where its zone is not known, and whether it is known."""
    if parts is None:
        return None
    # Other letters, such as IST, belong to several zones.
    has_zone = zone in ("UTC", "GMT", "Z") or zone[:1] in ("+", "-")
    try:
        offset = datetime.timedelta(seconds=parts[9] or 0 if has_zone else 0)
        return datetime.datetime(*parts[:6], tzinfo=datetime.timezone(offset)), has_zone
    except (ValueError, OverflowError):
        return None
