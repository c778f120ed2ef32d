"""The command ``import``: bundles from previously published guides."""

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
from ..common.units import with_noun
from . import shared

if TYPE_CHECKING:
    from ..catalog.benchmarks import Catalog
    from ..importing.bundles import Imported
    from ..importing.mapping import Map
    from ..importing.sources import Snapshot

Unnamed = list[tuple[str, str, str]]
"""Tags or commits of unknown release: name, an empty string, and a remark."""


def add_parsers(add: shared.AddParser) -> None:
    """Add the command to the command line."""
    parser = add(
        "import",
        "GUIDES are files or folders of reStructuredText, Markdown or HTML; with --git, the "
        "history of a repository. A map defines what their tables mean; --propose writes "
        "one for you to complete. Each cell left out is listed with its file and line, followed "
        "by the lines that the map lacks.",
    )
    parser.add_argument("guides", nargs="*", metavar="GUIDES", type=Path)
    parser.add_argument("--map", metavar="MAP.toml", type=Path, help="what the tables mean")
    parser.add_argument(
        "--propose", metavar="MAP.toml", type=Path, help="write a map to complete, and no bundles"
    )
    parser.add_argument("-o", "--output", metavar="DIR", type=Path, help="folder for the bundles")
    parser.add_argument(
        "--git", metavar="REPO", type=Path, help="read each release of a git repository"
    )
    parser.add_argument(
        "--path",
        default="*",
        metavar="GLOB",
        help="with --git, the files to read; a path without * is followed through its former "
        "names; default: all",
    )
    parser.add_argument(
        "--commits",
        default="all",
        metavar="WHICH",
        help="with --git: tags; all, which adds commits that changed the guide of another release; "
        "or a range of commits such as 09.00..HEAD; default: all",
    )
    parser.add_argument("--sdk", default="", help="the release, if the map names none")
    parser.add_argument("--soc", default="", help="with --propose, the SoC of the guide")
    parser.add_argument(
        "--created", metavar="DATE", help="when it was published, such as 2024-04-02T09:30:00Z"
    )
    shared.add_limits(parser, "importing.limits", "document", "seconds=20")
    shared.add_benchmarks(parser)
    parser.set_defaults(run=_import)


def _import(options: argparse.Namespace) -> int:
    """Propose a map, or write the bundles and list the cells left out."""
    from ..importing import isolated, limits, mapping, sources

    if bool(options.guides) == bool(options.git):
        return _usage("name files or folders, or a repository with --git")
    if bool(options.map) == bool(options.propose) or (options.map and not options.output):
        return _usage("give --propose MAP.toml, or --map MAP.toml with --output DIR")
    bounds = limits.changed(dict(options.limit))
    if options.git:
        snapshots = list(sources.history(options.git, options.path, options.commits, bounds))
    else:
        snapshots = [sources.files(options.guides, bounds)]
    # Unchanged documents have the same faults in every release.
    for fault in dict.fromkeys(fault for snapshot in snapshots for fault in snapshot.faults):
        print(fault, file=sys.stderr)
    if not any(snapshot.tables for snapshot in snapshots):
        endings = ", ".join(isolated.READERS)
        return shared.fail(
            f"no table was found; tables are read from {endings} files",
            shared.NOTHING,
        )
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


def _catalog(options: argparse.Namespace) -> Catalog:
    from ..catalog import benchmarks
    from ..figures.dataset import BUILT_IN

    catalog, faults = benchmarks.load([BUILT_IN, Path(options.benchmarks)])
    shared.print_all(faults, sys.stderr)
    return catalog


def _propose(options: argparse.Namespace, snapshots: Sequence[Snapshot]) -> int:
    from ..importing import proposal, sources

    # Maps are completed by hand and must never be overwritten.
    if options.propose.exists():
        return _usage(f"{options.propose} already exists; name another file, or move it away")
    releases = [
        (snapshot.tag or snapshot.commit[:12], sources.release("", snapshot), _about(snapshot))
        for snapshot in snapshots
        if options.git and snapshot.tables
    ]
    about = {"soc": options.soc, "os": "linux", "sdk": options.sdk}
    text = proposal.propose(snapshots[::-1], _catalog(options), about, releases)
    options.propose.write_text(text, "utf-8")
    tables = sum(len(snapshot.tables) for snapshot in snapshots)
    print(f"{with_noun(tables, 'table')}; complete {options.propose}, then import with --map")
    return shared.OK


def _about(snapshot: Snapshot) -> str:
    date = f"{snapshot.created:%Y-%m-%d}" if snapshot.created else ""
    return f"{date} {snapshot.subject}".strip()


def _releases(
    options: argparse.Namespace, snapshots: Sequence[Snapshot], meaning: Map
) -> tuple[dict[str, list[Snapshot]], Unnamed]:
    """Return the snapshots of each release, oldest first, and those of unknown release.

    If a release has a tag, its other commits are ignored.
    """
    from ..importing import sources
    from ..importing.mapping import numbers_of, same_release

    if not options.git:
        sdk = meaning.guide.sdk or options.sdk or sources.release("", snapshots[0])
        return ({sdk: [snapshots[0]]}, []) if sdk else ({}, [("the guide", "", "")])
    named: dict[str, list[Snapshot]] = {}
    unnamed: Unnamed = []
    tagged: list[tuple[int, ...]] = []
    # Tags first, to know which releases need no other commit.
    for tags_only in (True, False):
        for snapshot in snapshots:
            if bool(snapshot.tag) is not tags_only or not snapshot.tables:
                continue
            stated = [
                release
                for name, release in meaning.releases.items()
                # A shorter prefix of a hash could mean several commits.
                if name == snapshot.tag or (len(name) >= 7 and snapshot.commit.startswith(name))
            ]
            sdk = stated[0] if stated else sources.release(meaning.guide.release, snapshot)
            numbers = numbers_of(sdk)
            if tags_only:
                tagged.append(numbers)
            elif not stated and any(same_release(numbers, other) for other in tagged):
                continue
            if sdk:
                of_release = [snapshot]
                for name in [name for name in named if numbers and numbers_of(name) == numbers]:
                    sdk = max(name, sdk, key=len)
                    # “9.1” and “09.01” are the same release; keep the longer name.
                    of_release = named.pop(name) + of_release
                named[sdk] = of_release
            elif not stated:
                unnamed.append((snapshot.tag or snapshot.commit[:12], "", _about(snapshot)))
    return dict(sorted(named.items(), key=lambda pair: str(pair[1][-1].created))), unnamed


def _write(
    options: argparse.Namespace,
    snapshots: Sequence[Snapshot],
    meaning: Map,
    created: datetime.datetime | None,
) -> int:
    """Write the bundles of each release, and print the lines that the map lacks.

    If a release has several snapshots, the last one with figures counts.
    """
    from ..importing import bundles
    from ..importing.proposal import Gap, additions

    releases, unnamed = _releases(options, snapshots, meaning)
    for name, _, about in unnamed:
        message = f"left out {visible(name)}, whose release is unknown {about}".strip()
        hint = "add it to [releases] of the map" if options.git else "give --sdk, or sdk in the map"
        shared.print_all([Diagnostic("log-note", "import", message, hint)], sys.stderr)
    options.output.mkdir(parents=True, exist_ok=True)
    every: list[Imported] = []
    gaps: list[Gap] = []
    for sdk, own_snapshots in releases.items():
        for snapshot in reversed(own_snapshots):
            when = created or snapshot.created
            if when is None:
                return _usage("the guide does not state when it was published; give --created")
            release = bundles.Release(sdk, when, snapshot.commit)
            imported = bundles.build(snapshot.tables, meaning, release, snapshot.passages)
            if imported.bundles:
                break
        _write_release(options, sdk, snapshot, imported)
        every.append(imported)
        if imported.unmapped:
            gaps.append(Gap(sdk, snapshot.tables, imported.unmapped))
    lacking = unnamed if options.git else []
    if gaps or lacking:
        print(f"# Lines to add to {options.map}, after you have reviewed them", file=sys.stderr)
        print(additions(gaps, lacking, meaning, _catalog(options)), end="", file=sys.stderr)
    unconfirmed = sum(imported.unconfirmed for imported in every)
    unlisted = sum(imported.unlisted_words for imported in every)
    if unconfirmed or unlisted:
        print(
            f"{unconfirmed} passages of the guide are used as [[words]] in the map says, but are not "
            f"confirmed there yet; {unlisted} passages around figures are not in the map"
        )
    written = sum(len(imported.bundles) for imported in every)
    left_out = sum(len(imported.left_out) for imported in every)
    print(
        f"{with_noun(sum(map(_figure_count, every)), 'figure')} in {with_noun(written, 'bundle')}; "
        f"cells left out: {left_out}, "
        f"without a figure: {sum(imported.missing for imported in every)}"
    )
    return shared.OK if written else shared.NOTHING


def _figure_count(imported: Imported) -> int:
    return sum(len(bundle.results) for bundle in imported.bundles)


def _write_release(
    options: argparse.Namespace, sdk: str, snapshot: Snapshot, imported: Imported
) -> None:
    """Write the bundles of a release, and print what was left out."""
    shared.print_all([*imported.left_out, *imported.notes], sys.stderr)
    for imported_bundle in imported.bundles:
        path = options.output / f"{slug(imported_bundle.id)}.json"
        # The id is derived from the content, so importing again overwrites the same files.
        path.write_bytes(bundle.encode(imported_bundle) + b"\n")
    if options.git:
        name, unmapped = visible(snapshot.tag or snapshot.commit[:12]), len(imported.unmapped)
        print(
            f"{visible(sdk)} ({name}): {_figure_count(imported)} figures of "
            f"{len(snapshot.tables) - unmapped} tables, {imported.loose} of them by entries with other "
            f"headings or captions; {unmapped} tables are not in the map"
        )


def _usage(message: str) -> int:
    return shared.fail(f"perfguide import: {visible(message)}")
