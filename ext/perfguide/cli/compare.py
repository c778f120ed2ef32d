"""The command ``compare``: two releases, folders or archives side by side."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from ..bundles import object_store
from ..catalog import board_names, waivers
from ..common.diagnostics import errors, nearest, visible
from ..compare import as_data, as_html, as_markdown, as_text
from ..compare.comparison import Asked, Comparison, compare
from ..compare.history import History
from ..compare.match import Names
from ..compare.select import Only, choose, nearest_releases
from ..compare.verdicts import Rules
from ..figures import dataset
from .comparing import BOARDS, WAIVERS

FINE, FOUND, USAGE, NOTHING = 0, 1, 2, 3

Read = Callable[[dataset.Settings], dataset.Holdings]


@dataclass(frozen=True, slots=True)
class _Given:
    """What OLD or NEW is: a path or a URL, or else the name of a release."""

    text: str
    path: Path | str | None


def run(options: argparse.Namespace, settings: dataset.Settings, read: Read) -> int:
    """Compare and print; the exit status says what was found."""
    given = [_given(options.old), _given(options.new)]
    paths = [g.path for g in given if isinstance(g.path, Path)]
    missing = [path for path in paths if not path.exists()]
    missing += [Path(p) for p in (options.waivers, options.boards) if p and not Path(p).is_file()]
    for path in missing:
        print(f"perfguide compare: {visible(str(path))}: there is no such path", file=sys.stderr)
    if missing:
        return USAGE
    rest: dataset.Holdings | None = None
    if options.results or any(g.path is None for g in given):
        rest = read(settings)
        if any(d.kind == "missing-path" for d in rest.diagnostics):
            return USAGE
    held = [read(replace(settings, results=(g.path,))) if g.path else rest for g in given]
    known, faults = board_names.load(Path(options.boards or BOARDS))
    accepted, wrong = waivers.load(Path(options.waivers or WAIVERS))
    for finding in (*faults, *wrong):
        print(finding, file=sys.stderr)
    if errors([*faults, *wrong]):
        return USAGE
    old, new = held
    assert old is not None and new is not None  # a release is always looked up in the results
    names = Names(new.catalog, known)
    history = History([h.pool for h in (old, new, rest) if h], names)
    only = Only(options.soc, options.os, options.board, options.benchmark)
    asked = []
    for side, holdings in zip(given, (old, new), strict=True):
        wanted = None if side.path else side.text
        chosen = choose(history, holdings.pool, wanted, only, names)
        if not chosen.records:
            print(_nothing(side, holdings), file=sys.stderr)
            return NOTHING
        asked.append(Asked(side.text, holdings.pool, chosen))
    rules = Rules(names, accepted, options.threshold)
    comparison = compare(asked[0], asked[1], history, rules, only)
    if not comparison.common:
        for note in comparison.notes:
            print(visible(note), file=sys.stderr)
        print("nothing to compare: the two sides have no figure in common", file=sys.stderr)
        return NOTHING
    _print_findings(comparison)
    _write(render(comparison, options, new), options.file)
    return FOUND if options.fail_on and comparison.alarms else FINE


def _given(text: str) -> _Given:
    if object_store.is_url(text):
        return _Given(text, text)
    path = Path(text)
    suffixes = (".json", ".jsonl", ".gz", ".zst", ".zip", ".tar", ".xz")
    if "/" in text or text in (".", "..") or text.endswith(suffixes):
        return _Given(text, path)
    return _Given(text, path if path.exists() else None)


def _nothing(side: _Given, held: dataset.Holdings) -> str:
    if side.path:
        return f"nothing to compare: {visible(side.text)} has no figures that were asked for"
    known = nearest_releases(held.pool)
    hint = nearest(side.text, known) or f"there are {', '.join(map(visible, known)) or 'none'}"
    what = "no release that was asked for is, or begins with,"
    return f"nothing to compare: {what} “{visible(side.text)}” ({hint})"


def _print_findings(comparison: Comparison) -> None:
    """What is in every format too; a reader of the exit status looks here."""
    for finding in comparison.findings:
        print(finding, file=sys.stderr)


def render(comparison: Comparison, options: argparse.Namespace, held: dataset.Holdings) -> str:
    """The comparison in the format that was asked for."""
    catalog = held.catalog
    match options.format:
        case "markdown":
            return as_markdown.render(comparison, catalog, options.link)
        case "json":
            return as_data.to_json(comparison)
        case "csv":
            return as_data.to_comma_separated(comparison)
        case "html":
            return as_html.render(comparison, catalog)
        case "junit":
            return as_data.to_junit(comparison, catalog)
    coloured = options.file is None and _colours()
    return as_text.render(comparison, catalog, options.all, coloured)


def _colours() -> bool:
    """Whether the output goes to a terminal that shows colours; see no-color.org."""
    plain = os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb"
    return sys.stdout.isatty() and not plain


def _write(text: str, output: Path | None) -> None:
    data = text.encode("utf-8", "backslashreplace")
    if output is not None:
        output.write_bytes(data)
        return
    sys.stdout.flush()
    sys.stdout.buffer.write(data)
    sys.stdout.buffer.flush()
