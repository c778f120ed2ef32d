"""How much is tried where chance decides: ``light`` (every run) or ``heavy``.

The variable HYPOTHESIS_PROFILE names one of the two; without it, it is ``light``.
"""

from __future__ import annotations

import os
from typing import Any

from hypothesis import settings


def register_profiles() -> None:
    """Make both profiles known to Hypothesis, and choose the one that the environment names."""
    # On a busy machine a time says nothing about the code.
    settings.register_profile("light", deadline=None, max_examples=50)
    settings.register_profile("heavy", deadline=None, max_examples=100)
    settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE") or "light")


def count(light: int, *, heavy: int) -> int:
    """How often to try something, by the profile."""
    return heavy if settings.get_current_profile_name() == "heavy" else light


def examples(light: int, *, heavy: int, **more: Any) -> settings:
    """A decorator of a Hypothesis test: how many examples it tries, by the profile."""
    return settings(max_examples=count(light, heavy=heavy), **more)
