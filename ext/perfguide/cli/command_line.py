"""The ``perfguide`` command: its parser, and the handling of errors. It never imports Sphinx."""

from __future__ import annotations

import argparse
import os
import re
import sys
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from importlib import import_module

from .. import __version__
from ..common.diagnostics import ReportedError, visible
from ..common.path_hints import explained
from . import shared
from .arguments import CommandParser


@dataclass(frozen=True, slots=True)
class Command:
    """A command: its name, the module of this folder that has it, and what it does."""

    name: str
    module: str
    text: str


COMMANDS = (
    Command(
        "init", "init", "start a project that builds: configuration, an example bundle, a CI file"
    ),
    Command("build", "build", "build the site aside and put it into place when it is complete"),
    Command(
        "serve", "serve", "show the site on this machine, and build it again when a file changes"
    ),
    Command("check", "check", "check that all bundles are valid, and say what to fix"),
    Command("health", "health", "say what is wrong with the figures themselves"),
    Command("list", "list_guides", "list the guides made from the bundles"),
    Command("show", "show", "print figures and where each of them comes from"),
    Command("find", "find", "say which boards meet a need"),
    Command("compare", "compare", "say what changed between two releases"),
    Command(
        "export", "export", "write all figures for other programs, or all pages for other builders"
    ),
    Command("badge", "badge", "print a badge (SVG) that shows one figure"),
    Command("generate", "generate", "write the pages of the guides, without building the site"),
    Command("schema", "schema", "print the JSON Schema of a bundle"),
    Command("pack", "pack", "make a bundle from the logs of a board"),
    Command(
        "adapters", "pack", "list the formats of logs that pack reads, with an example of each"
    ),
    Command("import", "import_guides", "make bundles from guides that were published before"),
    Command(
        "intake",
        "intake",
        "move valid uploads from an inbox to the results, and others aside with the reason",
    ),
    Command("mcp", "mcp_server", "answer questions of assistants over the results (MCP)"),
    Command("doctor", "projects", "say what stops a build here, and how to fix it"),
    Command(
        "completion",
        "completion",
        "print a script by which a shell completes commands, options, choices and paths",
    ),
)
"""All commands, in the order of the help text. A module is imported when the options of one of its
commands are needed."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command and return its exit status."""
    options = parser(is_complete=False).parse_args(arguments)
    # Better refused here than by a traceback in the middle of a build.
    if not re.fullmatch("[0-9]{0,12}", os.environ.get("SOURCE_DATE_EPOCH", "")):
        hint = "give it seconds since 1970, such as those of: git log -1 --format=%ct"
        return shared.fail(f"perfguide: SOURCE_DATE_EPOCH is not a time; {hint}")
    if not os.environ.get("SOURCE_DATE_EPOCH"):
        os.environ.pop("SOURCE_DATE_EPOCH", None)  # programs that we start would read it as a time
    try:
        status: int = options.run(options)
        sys.stdout.flush()  # at exit, Python would report a closed pipe with a traceback
    except BrokenPipeError:
        # The reader, such as head, has closed our output: that is not an error.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return shared.FINE
    except OSError as error:
        return shared.fail(f"perfguide: {explained(error)}")
    except ReportedError as error:
        return shared.fail(f"perfguide: {visible(str(error))}")
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        # As shells do: 128 and the number of the signal.
        return 130
    return status


def parser(
    kind: type[CommandParser] = CommandParser, *, is_complete: bool = True
) -> argparse.ArgumentParser:
    """Return the parser of the entire command line, as an instance of ``kind``. Unless it
    ``is_complete``, a command gets its options when its arguments are parsed."""
    parser = kind(
        prog="perfguide",
        description="Check the results of a board farm and turn them into performance guides.",
        epilog=shared.EXIT_STATUS,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"perfguide {__version__}")
    commands = parser.add_subparsers(title="commands", required=True, metavar="COMMAND")
    for command in COMMANDS:
        own: CommandParser = commands.add_parser(
            command.name,
            help=command.text,
            epilog=shared.EXIT_STATUS,
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        own.fill = partial(_fill, own, command)
        if is_complete:
            own.complete()
    return parser


def _fill(parser: CommandParser, command: Command) -> None:
    """Add the description and the options of a command to its parser."""

    def add(name: str, more: str = "") -> argparse.ArgumentParser:
        if name != command.name:
            return CommandParser()  # of the module's other command
        text = f"{command.text[0].upper()}{command.text[1:]}. {more}".strip()
        parser.description = textwrap.fill(text, break_on_hyphens=False)
        return parser

    import_module(f".{command.module}", __package__).add_parsers(add)
