"""The trials: ``light`` (for every run: some of like cases, few random ones, always the same) or
``heavy`` (all cases, many new random ones).

The variable HYPOTHESIS_PROFILE selects one of the two; the default is ``light``.
"""

from __future__ import annotations

import os
from typing import Any

from hypothesis import settings


def register_profiles() -> None:
    """Register both profiles with Hypothesis, and select the one that the environment names."""
    # On a busy machine, missed deadlines do not mean anything. Examples are the same in each run,
    # so that a commit does not pass by chance. The heavy profile looks for new ones; any failure it
    # finds becomes an example of the test.
    settings.register_profile("light", deadline=None, max_examples=50, derandomize=True)
    settings.register_profile("heavy", deadline=None, max_examples=100)
    settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE") or "light")


def count(light: int, *, heavy: int) -> int:
    """Return the number of trials in the current profile."""
    return heavy if settings.get_current_profile_name() == "heavy" else light


def examples(light: int, *, heavy: int, **more: Any) -> settings:
    """Return Hypothesis settings with the number of examples of the current profile."""
    return settings(max_examples=count(light, heavy=heavy), **more)
