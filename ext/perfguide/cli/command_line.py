"""The ``perfguide`` command: its parser and error handling. It never imports Sphinx."""

from __future__ import annotations

import argparse
import os
import re
import sys
import textwrap
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from typing import Any, NoReturn

from .. import __version__
from ..common.diagnostics import ReportedError, nearest, visible
from ..common.path_hints import explained
from . import shared


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


@dataclass(frozen=True, slots=True)
class Command:
    """A command: its name, its purpose, and its module in this folder if that has another name."""

    name: str
    text: str
    module: str = ""


COMMANDS = (
    Command("init", "start a project that builds: configuration, an example bundle, a CI file"),
    Command("build", "build the site, replacing the previous one only once it is complete"),
    Command("serve", "serve the site on this machine, and rebuild it when a file changes"),
    Command("check", "check that all bundles are valid, and report what to fix"),
    Command("health", "report figures that are impossible or unlikely"),
    Command("list", "list the guides made from the bundles", "list_guides"),
    Command("show", "print figures and their sources"),
    Command("find", "find the boards that meet a need"),
    Command("compare", "report what changed between two releases"),
    Command("export", "write all figures for other programs, or all pages for other builders"),
    Command("generate", "write the pages of the guides, without building the site"),
    Command("schema", "print the JSON Schema of a bundle"),
    Command("pack", "make a bundle from the logs of a board"),
    Command("adapters", "list the log formats that pack reads, with an example of each", "pack"),
    Command("import", "make bundles from previously published guides", "import_guides"),
    Command(
        "intake",
        "move valid uploads from an inbox to the results, and set others aside with the reason",
    ),
    Command("mcp", "let assistants query the results (MCP)", "mcp_server"),
)
"""All commands, in the order of the help text. A module is imported only when the options of its
commands are needed."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command and return its exit status."""
    options = parser(is_complete=False).parse_args(arguments)
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
        return shared.OK
    except OSError as error:
        return shared.fail(f"perfguide: {explained(error)}")
    except ReportedError as error:
        return shared.fail(f"perfguide: {visible(str(error))}")
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        # By shell convention: 128 plus the signal number.
        return 130
    return status


def parser(*, is_complete: bool = True) -> argparse.ArgumentParser:
    """Return the parser of the entire command line. Unless ``is_complete``, a command gets its
    options only when its arguments are parsed."""
    parser = CommandParser(
        prog="perfguide",
        description="Check the results of a board farm and turn them into performance guides.",
        epilog=shared.EXIT_STATUS,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"perfguide {__version__}")
    commands = parser.add_subparsers(title="commands", required=True, metavar="COMMAND")
    for command in COMMANDS:
        own_parser: CommandParser = commands.add_parser(
            command.name,
            help=command.text,
            epilog=shared.EXIT_STATUS,
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        own_parser.fill = partial(_fill, own_parser, command)
        if is_complete:
            own_parser.complete()
    return parser


def _fill(parser: CommandParser, command: Command) -> None:
    """Add the description and options of a command to its parser."""

    def add(name: str, more: str = "") -> argparse.ArgumentParser:
        if name != command.name:
            return CommandParser()  # of another command in the same module
        text = f"{command.text[0].upper()}{command.text[1:]}. {more}".strip()
        parser.description = textwrap.fill(text, break_on_hyphens=False)
        return parser

    import_module(f".{command.module or command.name}", __package__).add_parsers(add)
