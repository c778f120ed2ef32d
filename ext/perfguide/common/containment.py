"""Lets a part whose making fails leave all other parts alone, and says where it failed."""

from __future__ import annotations

import traceback
from collections.abc import Callable
from typing import TypeVar

from .diagnostics import Diagnostic, visible
from .package import ROOT
from .parallel import WorkersError

T = TypeVar("T")

PASSED_ON = (OSError, MemoryError, WorkersError)
"""What is wrong with the machine, and so with all parts: a full disk, too little memory."""


def attempt(
    what: str,
    origin: str,
    make: Callable[[], T],
    fail: Callable[[Diagnostic], T],
    became: str = "could not be made",
) -> T:
    """Return what ``make`` gives, or, where it raises, what ``fail`` makes of the finding about it.

    ``what`` names the part in a sentence, ``origin`` is the page or file that it belongs to, and
    ``became`` says what failed.
    """
    try:
        return make()
    except PASSED_ON:
        raise
    except Exception as error:  # whatever it is, other parts do not need this one
        return fail(finding(f"{what} {became}", origin, reason(error)))


def finding(what: str, origin: str, why: str) -> Diagnostic:
    """What is said of a part that could not be made: ``what`` became of it, and why."""
    message = f"{what}: {why}"
    hint = "the rest of the site is whole; report this with the bundles that it shows"
    return Diagnostic("unmade", origin, visible(message, 500), hint)


def reason(error: Exception) -> str:
    """An error in one line, with the place in the package that raised it."""
    frames = traceback.extract_tb(error.__traceback__)
    own = [frame for frame in frames if frame.filename.startswith(str(ROOT))]
    place = ""
    if own:
        name = own[-1].filename.removeprefix(str(ROOT)).lstrip("/\\")
        place = f" ({name}, line {own[-1].lineno})"
    return f"{type(error).__name__}: {visible(str(error), 200)}{place}"
