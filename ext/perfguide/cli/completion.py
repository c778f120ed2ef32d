"""The command ``completion``: a script for shells to complete the command line."""

from __future__ import annotations

import argparse
from typing import Any

from . import shared
from .arguments import CommandParser

SHELLS = ("bash", "zsh", "tcsh")

FOLDERS = ("DIR", "INBOX", "RESULTS", "REPO")
FILES = ("FILE", "FILE.json", "MAP.toml", "PATH", "LOGS", "GUIDES", "OLD", "NEW")
"""Metavariables of arguments that are folders, and of those that are files or folders."""


class _CompletingParser(CommandParser):
    """A parser whose arguments are marked for completion as files or folders."""

    def add_argument(self, *names: Any, **values: Any) -> argparse.Action:
        """Add an argument, marked if it is a file or a folder."""
        import shtab  # no other command needs it

        action = super().add_argument(*names, **values)
        if action.metavar in FOLDERS:
            # shtab's documented attribute for completion, which argparse's type lacks.
            vars(action)["complete"] = shtab.DIRECTORY
        elif action.metavar in FILES:
            vars(action)["complete"] = shtab.FILE
        return action


def add_parsers(add: shared.AddParser) -> None:
    """Add the command to the command line."""
    parser = add(
        "completion",
        "The page Commands explains where to put it.",
    )
    parser.add_argument("shell", choices=SHELLS, help="the shell to write it for")
    parser.set_defaults(run=_run)


def _run(options: argparse.Namespace) -> int:
    import shtab

    from .command_line import parser

    print(shtab.complete(parser(_CompletingParser), options.shell))
    return shared.FINE
