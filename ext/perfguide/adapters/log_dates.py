"""The date of a run, from a log line that consists of just a date, as printed by ``date``.

Dates within other lines are skipped, as most say when a kernel or a library was built.
"""

from __future__ import annotations

import datetime
import email.utils
import re
from contextlib import suppress
from dataclasses import dataclass

from .log_lines import lines

_ISO = re.compile(
    r"(?:19|20)[0-9]{2}-[01][0-9]-[0-3][0-9][T ][0-2][0-9]:[0-5][0-9](?::[0-6][0-9](?:[.,][0-9]{1,9})?)?(?: ?(?:Z|[+-][0-9]{2}:?[0-9]{2}))?"
)
_MAIL = re.compile(
    r"[A-Z][a-z]{2}, [0-9]{1,2} [A-Z][a-z]{2} (?:19|20)[0-9]{2} [0-9:]{8} (?:[A-Z]{1,5}|[+-][0-9]{4})(?: \([A-Z]{1,5}\))?"
)
_SHELL = re.compile(
    r"[A-Z][a-z]{2} ([A-Z][a-z]{2}) +([0-9]{1,2}) ([0-9:]{8}) (?:([A-Z]{1,5}|[+-][0-9]{2,4}) )?((?:19|20)[0-9]{2})"
)  # fmt: skip
MIN_DATE_CHARS, MAX_DATE_CHARS = 16, 60


@dataclass(frozen=True, slots=True)
class Date:
    """A date in RFC 3339 format, and whether its text names a known time zone; otherwise UTC is
    assumed."""

    created: str
    has_zone: bool


def find(data: bytes) -> tuple[Date, int] | None:
    """Return the first line that is a date, and the number of that line."""
    for line in lines(data):
        text = line.text.strip()
        if MIN_DATE_CHARS <= len(text) <= MAX_DATE_CHARS and (date := parse(text)):
            return date, line.number
    return None


def parse(text: str) -> Date | None:
    """Parse a date with a year, or seconds since 1970 with nine or ten digits; return ``None`` for
    other text."""
    when, has_zone = None, True
    if re.fullmatch("[0-9]{9,10}", text):
        when = datetime.datetime.fromtimestamp(int(text), datetime.UTC)
    elif _MAIL.fullmatch(text):
        when, has_zone = _zoned(text, text.split()[5])
    elif match := _SHELL.fullmatch(text):
        month, day, clock, zone, year = match.groups("")
        when, has_zone = _zoned(f"{day} {month} {year} {clock} {zone}", zone)
    elif _ISO.fullmatch(text):
        with suppress(ValueError):
            when = datetime.datetime.fromisoformat(re.sub(r" ?(Z|[+-][0-9:]+)$", r"\1", text))
            has_zone = when.tzinfo is not None
            when = when if has_zone else when.replace(tzinfo=datetime.UTC)
    return Date(when.isoformat(), has_zone) if when else None


def _zoned(text: str, zone: str) -> tuple[datetime.datetime | None, bool]:
    """Parse a date in the style of email headers; also return whether its zone is known."""
    # Other abbreviations, such as IST, are ambiguous.
    has_zone = zone in ("UTC", "GMT", "Z") or zone[:1] in ("+", "-")
    if (parts := email.utils.parsedate_tz(text)) is None:
        return None, has_zone
    try:
        offset = datetime.timedelta(seconds=parts[9] or 0 if has_zone else 0)
        return datetime.datetime(*parts[:6], tzinfo=datetime.timezone(offset)), has_zone
    except (ValueError, OverflowError):
        return None, has_zone
