"""The profiles of the tests: ``light`` for every run, with some of the similar cases and few random
examples, which are always the same; ``heavy`` with all cases and many new random examples.

The variable HYPOTHESIS_PROFILE selects one of the two; the default is ``light``.
"""

from __future__ import annotations

import os
from typing import Any

from hypothesis import settings


def register_profiles() -> None:
    """Register both profiles with Hypothesis, and select the one that the environment names."""
    # On a busy machine, a missed deadline means nothing. Light examples are the same in each run, so
    # that a commit does not pass by chance. An input that fails in the heavy profile has to become
    # an example of its test.
    settings.register_profile("light", deadline=None, max_examples=50, derandomize=True)
    settings.register_profile("heavy", deadline=None, max_examples=100)
    settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE") or "light")


def count(light: int, *, heavy: int) -> int:
    """Return the number of trials in the current profile."""
    return heavy if settings.get_current_profile_name() == "heavy" else light


def examples(light: int, *, heavy: int, **more: Any) -> settings:
    """Return Hypothesis settings with the number of examples of the current profile."""
    return settings(max_examples=count(light, heavy=heavy), **more)
