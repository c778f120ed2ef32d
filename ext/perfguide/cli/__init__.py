"""The ``perfguide`` command, a module for each of its commands."""

from .command_line import main

__all__ = ["main"]
