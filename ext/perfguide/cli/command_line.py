"""The ``perfguide`` command: its parser and error handling. It never imports Sphinx."""

from __future__ import annotations

import argparse
import os
import re
import sys
import textwrap
from collections.abc import Sequence
from typing import Any, NoReturn

from .. import __version__
from ..common.diagnostics import ReportedError, nearest, visible
from ..common.path_hints import explained
from . import (
    build,
    check,
    compare,
    export,
    find,
    generate,
    health,
    import_guides,
    init,
    intake,
    list_guides,
    mcp_server,
    pack,
    projects,
    schema,
    serve,
    shared,
    show,
)


class CommandParser(argparse.ArgumentParser):
    """A parser whose errors name the most similar command, choice or option."""

    def parse_known_args(  # type: ignore[override]
        self, args: Sequence[str] | None = None, namespace: Any = None
    ) -> tuple[Any, list[str]]:
        """Parse arguments, exiting with an error if any are unknown. This has to happen here, as
        the parser of a command knows its options and the one above does not."""
        # argparse calls this method for subcommands but reports leftovers only at the top level.
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


MODULES = (
    *(init, build, serve, check, health, list_guides, show, find, compare, export, generate),
    *(schema, pack, import_guides, intake, mcp_server, projects),
)
"""The modules of the commands, in the order of the help text."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command and return its exit status."""
    options = parser().parse_args(arguments)
    # Better to refuse it here than with a traceback in the middle of a build.
    if not re.fullmatch("[0-9]{0,12}", os.environ.get("SOURCE_DATE_EPOCH", "")):
        hint = "set it to seconds since 1970, such as the output of: git log -1 --format=%ct"
        return shared.fail(f"perfguide: SOURCE_DATE_EPOCH is not a time; {hint}")
    if not os.environ.get("SOURCE_DATE_EPOCH"):
        os.environ.pop("SOURCE_DATE_EPOCH", None)  # programs that we start would take it for a time
    try:
        status: int = options.run(options)
        sys.stdout.flush()  # at exit, Python would report a closed pipe with a traceback
    except BrokenPipeError:
        # The reader, such as head, has closed our output, which is not an error.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return shared.FINE
    except OSError as error:
        return shared.fail(f"perfguide: {explained(error)}")
    except ReportedError as error:
        return shared.fail(f"perfguide: {visible(str(error))}")
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        # By shell convention: 128 plus the signal number.
        return 130
    return status


def parser() -> argparse.ArgumentParser:
    """Return the parser of the entire command line."""
    parser = CommandParser(
        prog="perfguide",
        description="Check the results of a board farm and turn them into performance guides.",
        epilog=shared.EXIT_STATUS,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"perfguide {__version__}")
    commands = parser.add_subparsers(title="commands", required=True, metavar="COMMAND")

    def add(name: str, text: str, more: str = "") -> argparse.ArgumentParser:
        description = f"{text[0].upper()}{text[1:]}. {more}".strip()
        return commands.add_parser(
            name,
            help=text,
            description=textwrap.fill(description, break_on_hyphens=False),
            epilog=shared.EXIT_STATUS,
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )

    for module in MODULES:
        module.add_parsers(add)
    return parser
