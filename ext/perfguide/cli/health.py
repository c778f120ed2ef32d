"""The command ``health``: what is wrong with the figures themselves."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from ..bundles import decompress, object_store
from ..common.diagnostics import SEVERITIES, errors

if TYPE_CHECKING:
    from ..figures import dataset

FINE, FOUND, USAGE, NOTHING = 0, 1, 2, 3

ACKNOWLEDGED = "source/acknowledged.toml"

AddParser = Callable[..., argparse.ArgumentParser]
Read = Callable[["dataset.Settings"], "dataset.Holdings"]


def add_parser(add: AddParser, benchmarks: str, read: Read) -> argparse.ArgumentParser:
    """Add the command to the parser of all; ``read`` reads bundles and shows progress."""
    parser = add(
        "health",
        "say what is wrong with the figures themselves",
        "PATH is a folder, file or URL of bundles. Findings that a file of acknowledgements "
        "accepts are listed last and never fail.",
    )
    parser.add_argument(
        "paths", nargs="*", default=["results"], metavar="PATH", help="default: results"
    )
    parser.add_argument("--format", choices=("text", "json"), default="text")
    parser.add_argument(
        "--fail-on",
        choices=SEVERITIES,
        default="error",
        metavar="SEVERITY",
        help="exit with 1 where a finding is this bad or worse: error (default), warning, note",
    )
    parser.add_argument(
        "--acknowledged",
        default=ACKNOWLEDGED,
        metavar="FILE",
        help=f"findings that are accepted, with reasons; default: {ACKNOWLEDGED}",
    )
    parser.add_argument(
        "--benchmarks",
        default=benchmarks,
        metavar="DIR",
        help=f"folder of benchmark descriptions; default: {benchmarks}",
    )
    parser.set_defaults(run=lambda options: _run(options, benchmarks, read))
    return parser


def _run(options: argparse.Namespace, benchmarks: str, read: Read) -> int:
    from ..figures import dataset
    from ..health import report

    for given, usual in ((options.benchmarks, benchmarks), (options.acknowledged, ACKNOWLEDGED)):
        if given != usual and not Path(given).exists():
            raise FileNotFoundError(0, "there is no such file or folder", given)
    settings = dataset.Settings(
        results=tuple(object_store.place(p) for p in options.paths),
        benchmarks=(dataset.BUILT_IN, Path(options.benchmarks)),
        output=Path("source"),
        limits=decompress.changed(dict(options.limit)),
        acknowledged=Path(options.acknowledged),
        store=Path(options.store),
        scheduler=options.scheduler,
    )
    held = read(settings)
    checked = report.check(held, settings.acknowledged)
    for finding in (*(d for d in held.diagnostics if d.severity != "note"), *checked.diagnostics):
        print(finding, file=sys.stderr)
    if any(d.kind == "missing-path" for d in held.diagnostics) or errors(checked.diagnostics):
        return USAGE
    if not len(held.pool):
        return NOTHING
    if options.format == "json":
        found = report.as_json(held, checked)
        print(json.dumps(found, indent=1, ensure_ascii=True))
    else:
        print(report.as_text(checked), end="")
    worst = SEVERITIES[: SEVERITIES.index(options.fail_on) + 1]
    return FOUND if any(f.severity in worst for f in checked.open) else FINE
