"""The command ``import``: guides that were published before, back to bundles."""

from __future__ import annotations

import argparse
import datetime
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from .. import bundle
from ..common.diagnostics import Diagnostic, visible
from ..common.slugs import slug
from . import shared

if TYPE_CHECKING:
    from ..importing.mapping import Map
    from ..importing.sources import Snapshot


def add_parsers(add: shared.AddParser) -> None:
    """Add the command to the command line."""
    parser = add(
        "import",
        "make bundles from guides that were published before",
        "GUIDES are files or folders of reStructuredText, Markdown or HTML; with --git, the "
        "history of a repository. A map says what their tables mean; --propose writes "
        "one for you to complete. Each cell that is not taken is listed with its file and line.",
    )
    parser.add_argument("guides", nargs="*", metavar="GUIDES", type=Path)
    parser.add_argument("--map", metavar="MAP.toml", type=Path, help="what the tables mean")
    parser.add_argument(
        "--propose", metavar="MAP.toml", type=Path, help="write a map to complete, and no bundles"
    )
    parser.add_argument(
        "-o", "--output", metavar="DIR", type=Path, help="folder that gets the bundles"
    )
    parser.add_argument(
        "--git", metavar="REPO", type=Path, help="read each release of a repository: its tags"
    )
    parser.add_argument(
        "--path", default="*", metavar="GLOB", help="with --git, the files to read; default: all"
    )
    parser.add_argument("--sdk", default="", help="the release, where the map names none")
    parser.add_argument("--soc", default="", help="with --propose, the SoC of the guide")
    parser.add_argument(
        "--created", metavar="DATE", help="when it was published, as 2024-04-02T09:30:00Z"
    )
    shared.add_benchmarks(parser)
    parser.set_defaults(run=_import)


def _import(options: argparse.Namespace) -> int:
    """Propose a map, or write the bundles and list what was left out."""
    from ..importing import mapping, sources

    if bool(options.guides) == bool(options.git):
        return _usage("name files or folders, or a repository with --git")
    if bool(options.map) == bool(options.propose) or (options.map and not options.output):
        return _usage("give --propose MAP.toml, or --map MAP.toml with --output DIR")
    if options.git:
        snapshots = list(sources.history(options.git, options.path))
    else:
        snapshots = [sources.files(options.guides)]
    if not any(snapshot.tables for snapshot in snapshots):
        print(
            f"there is no table in what was read; tables are read from {', '.join(sources.READERS)} "
            "files",
            file=sys.stderr,
        )
        return shared.NOTHING
    if options.propose:
        return _propose(options, snapshots)
    try:
        meaning = mapping.decode(options.map.read_text("utf-8"))
    except ValueError as error:
        return _usage(f"{options.map}: {error}")
    if not meaning.guide.soc:
        return _usage(f"{options.map}: [guide] names no soc")
    try:
        created = datetime.datetime.fromisoformat(options.created) if options.created else None
    except ValueError:
        return _usage(f"“{options.created}” is not a date, such as 2024-04-02T09:30:00Z")
    if created is not None and created.tzinfo is None:
        return _usage("the date needs an offset, as in 2024-04-02T09:30:00Z")
    return _write(options, snapshots, meaning, created)


def _propose(options: argparse.Namespace, snapshots: Sequence[Snapshot]) -> int:
    from ..catalog import benchmarks
    from ..figures.dataset import BUILT_IN
    from ..importing import mapping

    if options.propose.exists():
        return _usage(f"{options.propose} is there already; name another file, or move it away")
    catalog, faults = benchmarks.load([BUILT_IN, Path(options.benchmarks)])
    shared.print_all(faults, sys.stderr)
    every = [table for snapshot in snapshots for table in snapshot.tables]
    text = mapping.propose(every, catalog, {"soc": options.soc, "os": "linux", "sdk": options.sdk})
    options.propose.write_text(text, "utf-8")
    print(f"{len(every)} tables; complete {options.propose}, then import with --map")
    return shared.FINE


def _write(
    options: argparse.Namespace,
    snapshots: Sequence[Snapshot],
    meaning: Map,
    created: datetime.datetime | None,
) -> int:
    """Write the bundles of each release; of two snapshots of one release the later counts."""
    from ..importing import bundles, sources

    releases: dict[str, Snapshot] = {}
    for snapshot in snapshots:
        paths = (table.file for table in snapshot.tables)
        named = sources.release(meaning.guide.release, snapshot.name, *paths)
        sdk = named if options.git else ""
        if sdk := sdk or meaning.guide.sdk or options.sdk:
            releases[sdk] = snapshot
        else:
            what = snapshot.name or snapshot.commit[:12] or "the guide"
            message = f"which release {visible(what)} is of is not stated: left out"
            hint = "give --sdk, or sdk or release in the map"
            shared.print_all([Diagnostic("log-note", "import", message, hint)], sys.stderr)
    options.output.mkdir(parents=True, exist_ok=True)
    written = figures = left_out = missing = 0
    for sdk, snapshot in releases.items():
        when = created or snapshot.created
        if when is None:
            return _usage("when the guide was published is not stated; give --created")
        about = bundles.Release(sdk, when, snapshot.commit)
        try:
            found = bundles.build(snapshot.tables, meaning, about)
        except ValueError as error:
            return _usage(str(error))
        shared.print_all([*found.left_out, *found.doubled], sys.stderr)
        for each in found.bundles:
            path = options.output / f"{slug(each.id)}.json"
            path.write_bytes(bundle.encode(each) + b"\n")
            figures += len(each.results)
        written += len(found.bundles)
        left_out += len(found.left_out)
        missing += found.missing
    print(
        f"{figures} figures in {written} bundles; {left_out} not taken, "
        f"{missing} cells without a figure"
    )
    return shared.FINE if written else shared.NOTHING


def _usage(message: str) -> int:
    print(f"perfguide import: {visible(message)}", file=sys.stderr)
    return shared.USAGE
