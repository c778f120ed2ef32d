"""The ``perfguide`` command. It never imports Sphinx."""

from __future__ import annotations

import argparse
import json
import os
import sys
import textwrap
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TextIO, TypeVar

from .. import __version__, bundle
from ..bundles import decompress, object_store
from ..bundles.guide_key import family
from ..common import timing
from ..common.diagnostics import Diagnostic, errors, visible, visible_json
from ..common.parallel import WorkersError
from . import badge, build, comparing, intake, pack
from . import export as cli_export
from . import health as cli_health
from . import options as cli_options

if TYPE_CHECKING:
    from ..figures import dataset

# What reads bundles is imported by each command that does so: it takes most of a second,
# which help, the version, the schema and the start of a build need not wait for.

T = TypeVar("T")

FINE, FOUND, USAGE, NOTHING = 0, 1, 2, 3

EXIT_STATUS = """exit status:
  0  all is well
  1  what was asked about was found: check or intake refused an upload, health has
     a finding, compare a regression (with --fail-on)
  2  wrong usage, a path that is not there, or a file that cannot be written
  3  nothing to show, or nothing to compare
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command and return its exit status."""
    options = parser().parse_args(arguments)
    try:
        status: int = options.run(options)
        sys.stdout.flush()  # while a reader who has gone can still be met with grace
    except BrokenPipeError:
        # The reader of our output has gone; what it read is all it wanted.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return FINE
    except OSError as error:
        where = f"{visible(str(error.filename))}: " if error.filename else ""
        print(f"perfguide: {where}{error.strerror or error}", file=sys.stderr)
        return USAGE
    except WorkersError as error:
        print(f"perfguide: {visible(str(error))}", file=sys.stderr)
        return USAGE
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        return 130
    return status


def parser() -> argparse.ArgumentParser:
    """The parser of the whole command line."""
    parser = argparse.ArgumentParser(
        prog="perfguide",
        description="Check the results of a board farm and turn them into performance guides.",
        epilog=EXIT_STATUS,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"perfguide {__version__}")
    commands = parser.add_subparsers(title="commands", required=True, metavar="COMMAND")

    def add(name: str, text: str, more: str = "") -> argparse.ArgumentParser:
        return commands.add_parser(
            name,
            help=text,
            description=textwrap.fill(f"{text[0].upper()}{text[1:]}. {more}".strip()),
            epilog=EXIT_STATUS,
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )

    check = add("check", "say whether all bundles are sound, and what to mend where not")
    check.add_argument(
        "paths", nargs="*", default=["results"], metavar="PATH", help="default: results"
    )
    cli_options.add_limits(check)
    cli_options.add_elsewhere(check)
    check.add_argument("-q", "--quiet", action="store_true", help="print findings only")
    check.set_defaults(run=_check)

    schema = add("schema", "print the JSON Schema of a bundle")
    schema.set_defaults(run=_schema)

    listing = add("list", "list the guides that the bundles give")
    cli_options.add_site(listing)
    listing.set_defaults(run=_list)

    generate = add("generate", "write the pages of the guides, without building the site")
    cli_options.add_site(generate)
    generate.add_argument(
        "--output", default="source", metavar="DIR", help="where pages go; default: source"
    )
    generate.add_argument("--profile", action="store_true", help="say where the time went")
    generate.set_defaults(run=_generate)

    show = add(
        "show",
        "print figures and where each of them comes from",
        "A QUERY is SOC/RELEASE/BOARD/BENCHMARK/METRIC. Parts at its end may be left out, "
        "a release may be cut short (09.01), * stands for any name.",
    )
    show.add_argument("query", metavar="QUERY", help="AM62X/09.01/am62xx_sk-fs/lmbench/bw_pipe")
    show.add_argument("--os", default="*", help="only this operating system: linux, rt-linux …")
    show.add_argument(
        "--param",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="only with this parameter: block_size=1024; may be given more than once",
    )
    show.add_argument("--json", action="store_true", help="print JSON")
    cli_options.add_site(show)
    show.set_defaults(run=_show)
    badge.add_parser(add, cli_options.add_site, _read)
    health = cli_health.add_parser(add, cli_options.BENCHMARKS, _read_quietly)
    cli_options.add_limits(health)
    cli_options.add_elsewhere(health)
    build.add_parsers(add)
    comparing.add_parsers(add, cli_options.add_site).set_defaults(run=_compare)
    export = cli_export.add_parser(add, cli_options.add_site)
    export.set_defaults(run=lambda o: cli_export.run(o.parquet, lambda: _read(o)))
    pack.add_parsers(add)
    intake.add_parser(add, cli_options.add_limits)
    return parser


def _settings(options: argparse.Namespace) -> dataset.Settings:
    from ..figures import dataset

    if options.benchmarks != cli_options.BENCHMARKS and not Path(options.benchmarks).is_dir():
        raise FileNotFoundError(0, "there is no such folder", options.benchmarks)
    return dataset.Settings(
        results=tuple(object_store.place(p) for p in options.results or ["results"]),
        benchmarks=(dataset.BUILT_IN, Path(options.benchmarks)),
        output=Path(getattr(options, "output", "source")),
        limits=decompress.changed(dict(options.limit)),
        acknowledged=Path(cli_health.ACKNOWLEDGED),
        boards=Path(comparing.BOARDS),
        waivers=Path(comparing.WAIVERS),
        store=Path(options.store),
        scheduler=options.scheduler,
        cache=Path(cli_options.CACHE),
    )


def _print_findings(found: Iterable[Diagnostic], stream: TextIO) -> None:
    for finding in found:
        print(finding, file=stream)


def _progress(items: Sequence[T], label: str) -> Iterable[T]:
    """Show how far long work is, on a terminal only."""
    from tqdm import tqdm

    shown: Iterable[T] = tqdm(items, desc=label, disable=None, leave=False, unit="page")
    return shown


def _check(options: argparse.Namespace) -> int:
    from ..figures import dataset

    settings = dataset.Settings(
        results=tuple(object_store.place(p) for p in options.paths),
        benchmarks=(),
        output=Path(),
        limits=decompress.changed(dict(options.limit)),
        store=Path(options.store),
        scheduler=options.scheduler,
    )
    held = dataset.gather(settings, _progress)
    found = [d for d in held.diagnostics if d.severity != "note" and d.kind != "no-results"]
    _print_findings(found, sys.stdout)
    if any(d.kind == "missing-path" for d in found):
        return USAGE
    refused = errors(found)
    if not options.quiet:
        notes = [d for d in held.diagnostics if d.severity == "note"]
        _print_findings(notes, sys.stdout)
        bundles = held.ledger.bundles
        results = sum(len(b.bundle.results) for b in bundles)
        sound = f"{len(bundles)} sound bundles with {results} results"
        files = len({d.origin for d in refused})
        bad = f"{files} refused, {len(refused)} faults" if refused else "none refused"
        print(f"{sound}; {bad}")
    return FOUND if refused else FINE


def _schema(_options: argparse.Namespace) -> int:
    print(json.dumps(bundle.schema(), indent=2, ensure_ascii=False))
    return FINE


def _read(options: argparse.Namespace) -> tuple[dataset.Holdings, int]:
    """The holdings, with their findings on stderr; 2 where a path is not there."""
    held = _read_with(_settings(options))
    missing = any(d.kind == "missing-path" for d in held.diagnostics)
    return held, USAGE if missing else FINE


def _read_quietly(settings: dataset.Settings) -> dataset.Holdings:
    from ..figures import dataset

    return dataset.read(settings, _progress)


def _read_with(settings: dataset.Settings) -> dataset.Holdings:
    held = _read_quietly(settings)
    _print_findings((d for d in held.diagnostics if d.severity != "note"), sys.stderr)
    return held


def _compare(options: argparse.Namespace) -> int:
    from . import compare

    return compare.run(options, _settings(options), _read_with)


def _list(options: argparse.Namespace) -> int:
    from ..tables import summaries

    held, status = _read(options)
    rows = [("SOC", "SYSTEM", "RELEASE", "FIGURES", "MEASURED", "BOARDS")]
    for key in held.pool.guides():
        records = held.pool.of_guide(key)
        days = [b.bundle.created.date().isoformat() for b in held.pool.bundles(records)]
        boards = ", ".join(summaries.natural_boards(records))
        rows.append((key.soc, family(key), key.release, str(len(records)), max(days), boards))
    if len(rows) == 1:
        return status or NOTHING
    widths = [max(len(row[i]) for row in rows) for i in range(5)]
    for row in rows:
        cells = [visible(text).ljust(width) for text, width in zip(row, widths, strict=False)]
        print("  ".join([*cells, visible(row[5])]))
    return status


def _generate(options: argparse.Namespace) -> int:
    from ..pages import build as pages

    spent = timing.Phases()
    outcome = pages.generate(_settings(options), _progress, spent.mark)
    if options.profile:
        print(spent.text(), end="", file=sys.stderr)
    _print_findings((d for d in outcome.diagnostics if d.severity != "note"), sys.stderr)
    if any(d.kind == "missing-path" for d in outcome.diagnostics):
        return USAGE
    print(
        f"{outcome.guides} guides with {outcome.figures} figures in {options.output}: "
        f"{len(outcome.written)} files changed, {len(outcome.removed)} removed"
    )
    return FINE


def _show(options: argparse.Namespace) -> int:
    from ..figures import query

    held, status = _read(options)
    if status:
        return status
    try:
        asked = query.parse(options.query, options.os, options.param)
    except ValueError as error:
        print(f"perfguide show: {error}", file=sys.stderr)
        return USAGE
    found = query.run(held, asked)
    if not found:
        hint = query.nearest_name(held, asked)
        print(f"nothing matches “{visible(options.query)}”{hint}", file=sys.stderr)
        return NOTHING
    if options.json:
        text = json.dumps([query.as_json(held, r) for r in found], indent=1, ensure_ascii=False)
        print(visible_json(text))
        return FINE
    for record in found:
        print(query.as_text(held, record))
    count = f"{len(found)} figures" if len(found) > 1 else "1 figure"
    print(count, file=sys.stderr)
    return FINE
