"""The ``perfguide`` command: its parser, and the handling of errors. It never imports Sphinx."""

from __future__ import annotations

import argparse
import os
import re
import sys
import textwrap
from collections.abc import Sequence

from .. import __version__
from ..common.diagnostics import visible
from ..common.extras import MissingExtraError
from ..common.parallel import WorkersError
from ..common.path_hints import explained
from . import (
    badge,
    build,
    check,
    compare,
    completion,
    export,
    generate,
    health,
    import_guides,
    init,
    intake,
    list_guides,
    pack,
    projects,
    schema,
    serve,
    shared,
    show,
)
from .arguments import CommandParser

COMMANDS = (
    *(init, build, serve, check, health, list_guides, show, compare, export, badge),
    *(generate, schema),
    *(pack, import_guides, intake, projects, completion),
)
"""The modules with the commands, in the order of the help text."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command and return its exit status."""
    options = parser().parse_args(arguments)
    # Better refused here than by a traceback in the middle of a build.
    if not re.fullmatch("[0-9]{0,12}", os.environ.get("SOURCE_DATE_EPOCH", "")):
        hint = "give it seconds since 1970, such as those of: git log -1 --format=%ct"
        print(f"perfguide: SOURCE_DATE_EPOCH is no time; {hint}", file=sys.stderr)
        return shared.USAGE
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
        print(f"perfguide: {explained(error)}", file=sys.stderr)
        return shared.USAGE
    except MissingExtraError as error:
        print(f"perfguide: {error}", file=sys.stderr)
        return shared.USAGE
    except WorkersError as error:
        print(f"perfguide: {visible(str(error))}", file=sys.stderr)
        return shared.USAGE
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        return 130
    return status


def parser(
    kind: type[CommandParser] = CommandParser,
) -> argparse.ArgumentParser:
    """Return the parser of the entire command line, as an instance of ``kind``."""
    parser = kind(
        prog="perfguide",
        description="Check the results of a board farm and turn them into performance guides.",
        epilog=shared.EXIT_STATUS,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"perfguide {__version__}")
    commands = parser.add_subparsers(title="commands", required=True, metavar="COMMAND")

    def add(name: str, text: str, more: str = "") -> argparse.ArgumentParser:
        return commands.add_parser(
            name,
            help=text,
            description=textwrap.fill(
                f"{text[0].upper()}{text[1:]}. {more}".strip(), break_on_hyphens=False
            ),
            epilog=shared.EXIT_STATUS,
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )

    for command in COMMANDS:
        command.add_parsers(add)
    return parser
