"""The options of the command ``compare``, known before anything of it is imported."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path

from ..common import units
from ..common.diagnostics import visible

FORMATS = ("text", "markdown", "json", "csv", "html", "junit")
WAIVERS, BOARDS = "source/waivers.toml", "source/boards.toml"

AddParser = Callable[..., argparse.ArgumentParser]


def add_parsers(
    add: AddParser, add_site: Callable[[argparse.ArgumentParser], None]
) -> argparse.ArgumentParser:
    """Add the command to the parser of all."""
    parser = add(
        "compare",
        "say what changed between two releases",
        "OLD and NEW are releases of --results, the beginnings of their names (09.01), or "
        "folders, files or archives of bundles. What is there as a path, or has a / in it, is "
        "a path. The "
        "statistics learn the noise from all other releases in --results.",
    )
    parser.add_argument("old", metavar="OLD", help="09.01, or a folder or archive")
    parser.add_argument("new", metavar="NEW", help="09.02, or a folder or archive")
    parser.add_argument("--soc", default="*", metavar="S", help="only this SoC; * for any name")
    parser.add_argument("--os", default="*", metavar="O", help="only this operating system")
    parser.add_argument("--board", default="*", metavar="B", help="only this board")
    parser.add_argument("--benchmark", default="*", metavar="G", help="only this benchmark")
    parser.add_argument("--format", choices=FORMATS, default="text", help="default: text")
    parser.add_argument(
        "--threshold",
        type=_threshold,
        metavar="5%",
        help="the smallest change that matters; default: each metric's own",
    )
    parser.add_argument(
        "--fail-on",
        choices=["regression"],
        help="exit with 1 where a figure regressed or fails now, and nobody has accepted it",
    )
    parser.add_argument("--all", action="store_true", help="list every row in the text too")
    parser.add_argument("--waivers", metavar="FILE", help=f"accepted changes; default: {WAIVERS}")
    parser.add_argument("--boards", metavar="FILE", help=f"names of boards; default: {BOARDS}")
    parser.add_argument(
        "--link",
        default="",
        metavar="URL",
        type=_link,
        help=("where all of it is, for Markdown that has to leave out rows"),
    )
    parser.add_argument(
        "-o", "--output", dest="file", metavar="FILE", type=Path, help="write it there"
    )
    add_site(parser)
    return parser


def _threshold(text: str) -> float:
    try:
        return units.share(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(f"“{visible(text)}”: {error}") from None


def _link(text: str) -> str:
    if text and not text.startswith(("https://", "http://")):
        raise argparse.ArgumentTypeError("write it with https://")
    return text
