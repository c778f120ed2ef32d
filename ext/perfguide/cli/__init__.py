"""The ``perfguide`` command: one module per subcommand, and one for what they share."""

from .command_line import main

__all__ = ["main"]
