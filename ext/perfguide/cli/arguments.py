"""The parser of the command line: it suggests what a mistyped word was to be."""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Sequence
from typing import Any, NoReturn

from ..common.diagnostics import nearest, visible


class CommandParser(argparse.ArgumentParser):
    """A parser whose errors name the nearest command, choice or option."""

    def parse_known_args(  # type: ignore[override]
        self, args: Sequence[str] | None = None, namespace: Any = None
    ) -> tuple[Any, list[str]]:
        """Parse arguments. End with an error here where some are left over: the parser of the
        command knows its options, and the one above it does not."""
        parsed, rest = super().parse_known_args(args, namespace)
        if rest:
            self.error(self._leftover(rest))
        return parsed, rest

    def error(self, message: str) -> NoReturn:
        """Print how the command is used and what is wrong, with a suggestion, and exit."""
        self.print_usage(sys.stderr)
        self.exit(
            2, f"{self.prog}: error: {visible(message)}{visible(self._suggestion(message))}\n"
        )

    def _leftover(self, rest: Sequence[str]) -> str:
        known = [name for name in self._option_string_actions if name.startswith("--")]
        hints = [
            f"; {hint}"
            for word in rest
            if word.startswith("-") and (hint := nearest(word.partition("=")[0], known))
        ]
        return f"unrecognized arguments: {' '.join(rest)}{''.join(dict.fromkeys(hints))}"

    def _suggestion(self, message: str) -> str:
        """Return the nearest of the words that could have been chosen."""
        wrong = re.match(r"argument ([^:]+): invalid choice: '(.*?)' \(choose from", message)
        for action in self._actions if wrong else ():
            named = {action.metavar, action.dest, "/".join(action.option_strings)}
            if wrong and wrong[1] in named and action.choices:
                hint = nearest(wrong[2], [str(choice) for choice in action.choices])
                return f"; {hint}" if hint else ""
        return ""
