"""Containing the failure of one part of a site, so that all other parts are still built."""

from __future__ import annotations

import traceback
from collections.abc import Callable
from typing import TypeVar

from .diagnostics import Diagnostic, visible
from .package import ROOT
from .parallel import WorkersError

T = TypeVar("T")

PASSED_ON = (OSError, MemoryError, WorkersError)
"""Errors of the machine (disk, memory, workers), which every other part would run into as well."""


def attempt(
    part: str,
    origin: str,
    make: Callable[[], T],
    fail: Callable[[Diagnostic], T],
    became: str = "could not be made",
) -> T:
    """Return ``make()``, or on failure what ``fail`` makes of the diagnostic.

    ``part`` names it in a sentence, ``origin`` is its page or file, and ``became`` is the
    predicate of the message. Errors in ``PASSED_ON`` are raised.
    """
    try:
        return make()
    except PASSED_ON:
        raise
    except Exception as error:  # any fault of this part, as the others do not depend on it
        return fail(finding(f"{part} {became}", origin, reason(error)))


def finding(part: str, origin: str, why: str) -> Diagnostic:
    """Return the diagnostic for a part that failed in the way ``part`` says, because of ``why``."""
    message = f"{part}: {why}"
    hint = "the rest of the site is complete; report this together with the bundles shown"
    return Diagnostic("unmade", origin, visible(message, 500), hint)


def reason(error: Exception) -> str:
    """Summarize an error in one line, with the file and line in this package that raised it."""
    frames = traceback.extract_tb(error.__traceback__)
    # Our own innermost frame is more informative than one inside a library.
    ours = [frame for frame in frames if frame.filename.startswith(str(ROOT))]
    location = ""
    if ours:
        name = ours[-1].filename.removeprefix(str(ROOT)).lstrip("/\\")
        location = f" ({name}, line {ours[-1].lineno})"
    return f"{type(error).__name__}: {visible(str(error), 200)}{location}"
