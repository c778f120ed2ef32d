"""The command-line parser, which suggests corrections for mistyped words."""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Callable, Sequence
from typing import Any, NoReturn

from ..common.diagnostics import nearest, visible


class CommandParser(argparse.ArgumentParser):
    """A parser whose errors name the most similar command, choice or option.

    ``fill`` adds the options of a command on demand.
    """

    fill: Callable[[], None] | None = None

    def complete(self) -> None:
        """Add any options that were deferred."""
        fill, self.fill = self.fill, None
        if fill:
            fill()

    def parse_known_args(  # type: ignore[override]
        self, args: Sequence[str] | None = None, namespace: Any = None
    ) -> tuple[Any, list[str]]:
        """Parse arguments, exiting with an error if any are unknown. This has to happen here, as
        the parser of a command knows its options and the one above does not."""
        # argparse calls this method for subcommands but reports leftovers only at the top level.
        self.complete()
        parsed, rest = super().parse_known_args(args, namespace)
        if rest:
            self.error(self._leftover(rest))
        return parsed, rest

    def error(self, message: str) -> NoReturn:
        """Print usage and message, with a suggestion, and exit."""
        self.print_usage(sys.stderr)
        self.exit(
            2, f"{self.prog}: error: {visible(message)}{visible(self._suggestion(message))}\n"
        )

    def _leftover(self, rest: Sequence[str]) -> str:
        options = [name for name in self._option_string_actions if name.startswith("--")]
        hints = [
            f"; {hint}"
            for word in rest
            if word.startswith("-") and (hint := nearest(word.partition("=")[0], options))
        ]
        return f"unrecognized arguments: {' '.join(rest)}{''.join(dict.fromkeys(hints))}"

    def _suggestion(self, message: str) -> str:
        """Return a suggestion for a mistyped choice, or ""."""
        # argparse passes on the choice only as part of its message.
        wrong = re.match(r"argument ([^:]+): invalid choice: '(.*?)' \(choose from", message)
        for action in self._actions if wrong else ():
            named = {action.metavar, action.dest, "/".join(action.option_strings)}
            if wrong and wrong[1] in named and action.choices:
                hint = nearest(wrong[2], [str(choice) for choice in action.choices])
                return f"; {hint}" if hint else ""
        return ""
