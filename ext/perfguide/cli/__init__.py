"""The ``perfguide`` command: a module for each of its commands, and one for what they share."""

from .command_line import main

__all__ = ["main"]
