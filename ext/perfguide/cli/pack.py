"""The commands ``pack`` and ``adapters``: from a board's logs to a bundle."""

from __future__ import annotations

import argparse
import datetime
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from .. import bundle
from ..adapters import Format, Scalar, registry
from ..common.diagnostics import Diagnostic, nearest, visible
from ..intake import pack_logs

FINE, USAGE, NOTHING = 0, 2, 3

OPTIONS = (
    ("--board", "board.name", "the board's name"),
    ("--soc", "board.soc", "the SoC on the board"),
    ("--sdk", "sdk.version", "the SDK release"),
    ("--os", "sdk.os", "linux, rt-linux, or another word"),
    ("--sdk-name", "sdk.name", "the SDK's family, where it is not Processor SDK"),
    ("--kernel", "sdk.kernel", "the kernel's version"),
    ("--image", "sdk.image", "the image on the board"),
    ("--description", "board.description", "the board in words"),
    ("--runner", "runner.name", "what ran the benchmarks"),
    ("--id", "id", "the bundle's id; derived from its content where left out"),
    ("--created", "created", "when the run was, as 2024-04-02T09:30:00Z"),
)

AddParser = Callable[..., argparse.ArgumentParser]


def add_parsers(add: AddParser) -> None:
    """Add the two commands to the parser of all."""
    packing = add(
        "pack",
        "make a bundle from the logs of a board",
        "LOGS are files or folders. What is not given is taken from an environment.json "
        "among them. The logs are kept beside the bundle, in a .logs.tar.zst file.",
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
        help="read all logs as this format; may be given more than once; see perfguide adapters",
    )
    packing.add_argument(
        "--param",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="a parameter of every result that does not say otherwise: engine=hw",
    )
    packing.set_defaults(run=run_pack)
    listing = add("adapters", "list the formats of logs that pack reads, with an example of each")
    listing.add_argument("names", nargs="*", metavar="FORMAT", help="only these")
    listing.set_defaults(run=run_adapters)


def scalar(text: str) -> Scalar:
    """A parameter's value as a bundle holds it: a number, a boolean, or text."""
    if text in ("true", "false"):
        return text == "true"
    for kind in (int, float):
        try:
            value = kind(text)
        except ValueError:
            continue
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


def _formats(names: Sequence[str]) -> tuple[Format, ...]:
    found: list[Format] = []
    for name in names:
        form = registry.named(name)
        if isinstance(form, Diagnostic):
            raise ValueError(form.text())
        found.append(form)
    return tuple(found)


def run_pack(options: argparse.Namespace) -> int:
    """Read the logs, write the bundle and say what was read and what was not."""
    facts = {k: v for _, k, _ in OPTIONS if (v := getattr(options, k)) is not None}
    try:
        told = pack_logs.Told(facts, _params(options.param), _formats(options.formats))
    except ValueError as error:
        print(f"perfguide pack: {error}", file=sys.stderr)
        return USAGE
    if options.output.suffix != ".json":
        print("perfguide pack: the output’s name must end in .json", file=sys.stderr)
        return USAGE
    logs, environment, found = pack_logs.find(options.logs)
    for finding in found:
        print(finding, file=sys.stderr)
    if any(d.kind == "missing-path" for d in found):
        return USAGE
    recognised = {log.name: told.formats or registry.recognise(log.data) for log in logs}
    now = datetime.datetime.now(datetime.UTC)
    packed = pack_logs.pack(logs, environment, told, recognised, now)
    for finding in [*(d for r in packed.reads for d in r.diagnostics), *packed.diagnostics]:
        print(finding, file=sys.stderr)
    _print_reads(packed.reads)
    if packed.bundle is None:
        if any(r.results for r in packed.reads):
            print("no bundle was written; mend what is said above", file=sys.stderr)
            return USAGE
        print("no bundle was written: the logs hold no figure that is understood", file=sys.stderr)
        return NOTHING
    beside = options.output.with_suffix(".logs.tar.zst")
    options.output.parent.mkdir(parents=True, exist_ok=True)
    beside.write_bytes(pack_logs.archive([read.log for read in packed.reads]))
    options.output.write_bytes(bundle.encode(packed.bundle) + b"\n")
    count = len(packed.bundle.results)
    print(f"{count} results in {options.output}, their logs in {beside.name}")
    return FINE


def _print_reads(reads: Sequence[pack_logs.Read]) -> None:
    """One table: each log, how it was read, and how much was not understood."""
    rows = [("LOG", "READ AS", "RESULTS", "FAULTS", "LINES LEFT OVER")]
    for read in reads:
        rows.append(
            (
                visible(read.log.name),
                ", ".join(read.formats) or "not understood",
                str(read.results),
                str(len(read.diagnostics)),
                str(read.rest),
            )
        )
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    for row in rows:
        names = [text.ljust(width) for text, width in zip(row[:2], widths, strict=False)]
        numbers = [text.rjust(width) for text, width in zip(row[2:], widths[2:], strict=True)]
        cells = [*names, *numbers]
        print("  ".join(cells).rstrip())


def run_adapters(options: argparse.Namespace) -> int:
    """List the formats."""
    known = registry.load()
    for finding in known.diagnostics:
        print(finding, file=sys.stderr)
    for name in options.names:
        if name not in known.formats:
            hint = nearest(name, known.formats)
            print(f"there is no format “{visible(name)}” {hint}".rstrip(), file=sys.stderr)
            return USAGE
    for name in options.names or known.formats:
        form = known.formats[name]
        print(f"{form.name}: {form.title}\n")
        print("\n".join(f"    {visible(line)}" for line in form.example.splitlines()) + "\n")
    return FINE
