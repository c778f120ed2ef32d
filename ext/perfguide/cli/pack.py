"""The commands ``pack`` and ``adapters``: bundles from a board's logs."""

from __future__ import annotations

import argparse
import datetime
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from ..common.diagnostics import Diagnostic, nearest, visible
from ..common.path_hints import fixing
from ..common.units import with_noun
from . import shared

if TYPE_CHECKING:
    from ..adapters import Format, Scalar
    from ..bundle import Bundle
    from ..intake import pack_logs

OPTIONS = (
    ("--board", "board.name", "the board's name"),
    ("--soc", "board.soc", "the SoC on the board"),
    ("--sdk", "sdk.version", "the SDK release"),
    ("--os", "sdk.os", "linux, rt-linux, or another word"),
    ("--sdk-name", "sdk.name", "the SDK family, if it is not Processor SDK"),
    ("--kernel", "sdk.kernel", "the kernel's version"),
    ("--image", "sdk.image", "the image on the board"),
    ("--description", "board.description", "a description of the board"),
    ("--runner", "runner.name", "the program or lab that ran the benchmarks"),
    ("--id", "id", "the bundle's id; by default derived from its content"),
    ("--created", "created", "when it was measured, such as 2024-04-02T09:30:00Z"),
)

MAX_UNREAD_CHARS = 160
"""The length to which ``--left-over`` truncates lines."""


def add_parsers(add: shared.AddParser) -> None:
    """Add both commands to the command line."""
    packing = add(
        "pack",
        "LOGS are files or folders. Facts not given as options are taken from an "
        "environment.json among them. The logs are kept next to the bundle, in a .logs.tar.zst file.",
    )
    packing.add_argument("logs", nargs="+", metavar="LOGS", type=Path)
    packing.add_argument("-o", "--output", required=True, metavar="FILE.json", type=Path)
    for option, key, text in OPTIONS:
        packing.add_argument(option, dest=key, metavar=option.strip("-").upper(), help=text)
    packing.add_argument(
        "--as",
        dest="formats",
        action="append",
        default=[],
        metavar="FORMAT",
        help="read all logs as this format, or as the one that a .toml file describes; may be "
        "repeated; see perfguide adapters",
    )
    packing.add_argument(
        "--param",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="a parameter for all results that do not set it themselves: engine=hw",
    )
    packing.add_argument(
        "--setup",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="a fact about the run that readers should know: card=SanDisk, mount=async",
    )
    packing.add_argument(
        "--note", action="append", default=[], metavar="TEXT", help="a note about the run"
    )
    packing.add_argument(
        "--left-over",
        action="store_true",
        help="list the lines with numbers that were not read, each with its program",
    )
    packing.add_argument(
        "--strict",
        type=int,
        metavar="LINES",
        help="write no bundle if more than this many lines with numbers were not read",
    )
    shared.add_benchmarks(packing)
    packing.set_defaults(run=_pack)
    listing = add("adapters")
    listing.add_argument("names", nargs="*", metavar="FORMAT", help="only these")
    shared.add_benchmarks(listing)
    listing.set_defaults(run=_list_formats)


def scalar(text: str) -> Scalar:
    """Convert a parameter value as in a bundle: to a number, a boolean, or text."""
    if text in ("true", "false"):
        return text == "true"
    for kind in (int, float):
        try:
            value = kind(text)
        except ValueError:
            continue
        # Keep “007” and “1e3” as text, because a number would be spelt differently.
        return value if str(value) == text else text
    return text


def _params(pairs: Sequence[str]) -> dict[str, Scalar]:
    out: dict[str, Scalar] = {}
    for pair in pairs:
        name, equals, value = pair.partition("=")
        if not equals or not name:
            raise ValueError(f"“{visible(pair)}” is not of the form NAME=VALUE")
        out[name] = scalar(value)
    return out


def _described(folder: str) -> dict[str, Format]:
    """Return the formats described next to the benchmarks, by name.

    Raises :class:`ValueError` if a description is invalid or its name is taken.
    """
    from ..adapters import described, registry

    formats: dict[str, Format] = {}
    for path in sorted(Path(folder).glob(f"*{described.ENDING}")):
        form = described.load(path)
        # A format that silently replaces another one would change figures.
        if form.name in registry.BUILT_IN or form.name in formats:
            raise ValueError(f"{path}: the format “{visible(form.name)}” already exists")
        formats[form.name] = form
    return formats


def _formats(names: Sequence[str], custom: Mapping[str, Format]) -> list[Format]:
    from ..adapters import described, registry

    formats: list[Format] = []
    for name in names:
        if name in custom or name.endswith(".toml"):
            formats.append(custom[name] if name in custom else described.load(Path(name)))
            continue
        named = registry.named(name)
        if isinstance(named, Diagnostic):
            raise ValueError(named.text())
        formats.append(named)
    return formats


def _pack(options: argparse.Namespace) -> int:
    """Read the logs, write the bundle, and report what was read and what was not."""
    from ..adapters import described
    from ..intake import pack_logs

    facts = {k: v for _, k, _ in OPTIONS if (v := getattr(options, k)) is not None}
    try:
        facts |= {f"setup.{name}": value for name, value in _params(options.setup).items()}
        stated = pack_logs.Stated(facts, _params(options.param), options.note)
        custom = _described(options.benchmarks)
        formats = _formats(options.formats, custom)
    except ValueError as error:
        return shared.fail(f"perfguide pack: {error}")
    if options.output.suffix != ".json":
        return shared.fail("perfguide pack: the output’s name must end in .json")
    logs, environment, diagnostics = pack_logs.find(options.logs)
    if shared.print_faults(diagnostics):
        return shared.USAGE
    logs, notes = pack_logs.divided(logs, stated)
    shared.print_all(notes, sys.stderr)
    by_log = {log.name: formats for log in logs} if formats else _recognised(logs, custom)
    now = datetime.datetime.now(datetime.UTC)
    packed = pack_logs.pack(logs, environment, stated, by_log, now)
    shared.print_all([d for report in packed.reports for d in report.diagnostics], sys.stderr)
    # Without any result, the message below is the one that matters.
    if any(report.results for report in packed.reports):
        shared.print_all(packed.diagnostics, sys.stderr)
    _print_reports(packed.reports)
    unread = sum(len(report.unread) for report in packed.reports)
    if options.left_over:
        _print_unread(packed.reports)
    if options.strict is not None and unread > options.strict:
        return shared.fail(
            f"no bundle was written: {unread} lines with numbers were not read, and --strict allows "
            f"{options.strict}; --left-over lists them",
            shared.FOUND,
        )
    if packed.bundle is None:
        if any(report.results for report in packed.reports):
            return shared.fail("no bundle was written; fix the faults above")
        why = "no figure in the logs was understood" if logs else "there are no logs"
        hint = (
            "perfguide adapters lists the formats, with an example of each; formats of your own, "
            f"NAME{described.ENDING}, are searched for in the folder {options.benchmarks} (--benchmarks)"
        )
        return shared.fail(f"no bundle was written: {why}; {hint}", shared.NOTHING)
    return _write(options, packed.bundle, [report.log for report in packed.reports])


def _recognised(
    logs: Sequence[pack_logs.LogFile], custom: Mapping[str, Format]
) -> dict[str, list[Format]]:
    """Return, by the name of each log, the built-in and custom formats that recognise it."""
    from ..adapters import read_log, registry

    # Try the containers first: loading all formats takes as long as reading ten logs of the runner.
    containers = [registry.built_in(name) for name in registry.CONTAINERS]
    by_log = {log.name: registry.recognise(log.plain.data, containers) for log in logs}
    if unknown := [log for log in logs if not by_log[log.name]]:
        every = [*registry.formats().values(), *custom.values()]
        by_log |= {log.name: read_log.recognise(log.plain, every) for log in unknown}
    return by_log


def _write(options: argparse.Namespace, packed: Bundle, logs: Sequence[pack_logs.LogFile]) -> int:
    """Check a bundle as if uploaded, and write it with its logs; return the exit status."""
    from msgspec import structs

    from .. import bundle
    from ..bundles.decode import Loaded
    from ..bundles.results import as_columns
    from ..catalog import agreement, benchmarks
    from ..figures.dataset import BUILT_IN
    from ..intake import pack_logs
    from ..publishing.store import put

    # Convert to columns once, as the checks look results up one by one.
    checked = structs.replace(packed, results=as_columns(packed.results))
    new = Loaded("", options.output.name, checked, bundle.digest(packed))
    # Report now what a later check would find: the board may still be there to measure again.
    catalog, _ = benchmarks.load((BUILT_IN, Path(shared.BENCHMARKS)))
    findings = agreement.findings([new], catalog, shared.BENCHMARKS)
    shared.print_all(findings, sys.stderr)
    if any(finding.kind == "mixed-setup" for finding in findings):
        return shared.fail("no bundle was written; fix the faults above")
    log_archive = options.output.with_suffix(".logs.tar.zst")
    unfinished = options.output.with_name(f".{options.output.name}.part")
    try:
        # The bundle comes last, so that its logs exist as soon as it does.
        put(unfinished, bundle.encode(packed) + b"\n")
        put(log_archive, pack_logs.archive(logs))
        unfinished.replace(options.output)
    except OSError as error:
        unfinished.unlink(missing_ok=True)
        hint = fixing(error)
        reason = f"{error.strerror or error}{f' ({hint})' if hint else ''}"
        return shared.fail(f"perfguide pack: {options.output} was not written: {visible(reason)}")
    print(
        f"{with_noun(len(packed.results), 'result')} in {options.output}, the logs in {log_archive.name}"
    )
    return shared.OK


def _print_reports(reports: Sequence[pack_logs.LogReport]) -> None:
    """Print a table of the logs: formats, numbers of results and faults, and lines that were not
    understood, with those that contain numbers counted per program."""
    heads = ("LOG", "READ AS", "RESULTS", "FAULTS", "WITH NUMBERS UNREAD", "LINES LEFT OVER")
    rows: list[tuple[str, ...]] = [heads]
    for report in reports:
        empty = not report.log.data.strip()
        formats = ", ".join(report.formats) or ("empty" if empty else "not understood")
        if report.formats and report.log.plain.envelopes:
            formats += f" (taken off: {', '.join(report.log.plain.envelopes)})"
        by_format = Counter(line.format for line in report.unread)
        unread = ", ".join(f"{name} {number}" for name, number in by_format.items())
        if len(report.formats) < 2 or not by_format:
            unread = str(by_format.total())
        counts = (report.results, len(report.diagnostics), unread, report.rest)
        rows.append((visible(report.log.name), formats, *map(str, counts)))
    shared.print_table(rows, numbers=(2, 3, 4, 5))


def _print_unread(reports: Sequence[pack_logs.LogReport]) -> None:
    """Print the lines with numbers that were not read."""
    for report in reports:
        for line in report.unread:
            program = f"{line.format}: " if line.format else ""
            text = visible(line.text.strip()[:MAX_UNREAD_CHARS])
            print(f"{visible(report.log.name)}:{line.number}: {program}{text}")


def _list_formats(options: argparse.Namespace) -> int:
    """List the formats."""
    from ..adapters import registry

    catalogue = registry.load()
    shared.print_all(catalogue.diagnostics, sys.stderr)
    try:
        formats = {**catalogue.formats, **_described(options.benchmarks)}
    except ValueError as error:
        return shared.fail(f"perfguide adapters: {error}")
    for name in options.names:
        if name not in formats:
            hint = nearest(name, formats)
            hint = hint or "perfguide adapters lists all of them"
            return shared.fail(f"there is no format “{visible(name)}”; {hint}")
    for name in options.names or formats:
        form = formats[name]
        print(f"{form.name}: {form.title}\n")
        print("\n".join(f"    {visible(line)}" for line in form.example.splitlines()) + "\n")
    return shared.OK
