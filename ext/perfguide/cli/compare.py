"""The command ``compare``: two releases, folders or archives, or two boards side by side."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from ..bundles import object_store
from ..bundles.guide_key import guide_key
from ..common import extras, units
from ..common.diagnostics import Diagnostic, errors, nearest, visible
from ..common.package import ROOT
from ..common.path_hints import nearest_path
from . import shared

if TYPE_CHECKING:
    from ..catalog.benchmarks import Catalog
    from ..compare.comparison import Comparison
    from ..compare.match import Names
    from ..compare.row import Rules
    from ..compare.select import ComparedSide, Filter
    from ..figures.dataset import Holdings

FORMATS = ("text", "markdown", "json", "csv", "html", "junit", "github", "gitlab", "sarif")


def add_parsers(add: shared.AddParser) -> None:
    """Add the command to the command line."""
    parser = add(
        "compare",
        "OLD and NEW are releases in --results (09.02.00.10, its beginning 09.02, or latest), or "
        "folders, files or archives of bundles. An argument is a path if it exists or contains a "
        "slash. To choose the board, SoC or system of one side, name them with its release or alone: "
        "09.01,board=sk, or soc=AM64X,os=linux for the newest release. compare SOC OLD NEW is "
        "short for compare OLD NEW --soc SOC. Different boards, SoCs or systems are shown side by "
        "side, with ratios and without alarms. The statistics learn the noise from all releases "
        "in --results before OLD and, with --look-ahead, after NEW.",
    )
    parser.add_argument("old", metavar="OLD", help="09.01, board=sk, or a folder or archive")
    parser.add_argument("new", metavar="NEW", help="09.02, board=evm, or a folder or archive")
    parser.add_argument("third", nargs="?", help=argparse.SUPPRESS)  # compare SOC OLD NEW
    parser.add_argument(
        "--soc", default="*", metavar="S", help="only this SoC; * matches any characters"
    )
    parser.add_argument("--os", default="*", metavar="O", help="only this operating system")
    parser.add_argument("--board", default="*", metavar="B", help="only this board")
    parser.add_argument("--benchmark", default="*", metavar="G", help="only this benchmark")
    parser.add_argument(
        "--format",
        choices=FORMATS,
        default="text",
        metavar="FORMAT",
        help=f"{', '.join(FORMATS)}; default: text",
    )
    parser.add_argument(
        "--threshold",
        type=_threshold,
        metavar="5%",
        help="the smallest change that matters; default: each metric's own",
    )
    parser.add_argument(
        "--fail-on",
        choices=["regression", "never"],
        default="regression",
        help="exit with 1 if a figure regressed or now fails and the change is not accepted "
        "(the default), or never",
    )
    parser.add_argument("--all", action="store_true", help="list every row in the text")
    parser.add_argument(
        "--look-ahead",
        action="store_true",
        help="judge by the releases after NEW too; meant for archives, not for the newest release",
    )
    parser.add_argument(
        "--snippets",
        action="store_true",
        help="end the text with waivers that would accept the regressions",
    )
    parser.add_argument(
        "--waivers", metavar="FILE", help=f"accepted changes; default: {shared.WAIVERS}"
    )
    parser.add_argument(
        "--boards", metavar="FILE", help=f"names of boards; default: {shared.BOARDS}"
    )
    parser.add_argument(
        "--link",
        default="",
        metavar="URL",
        type=_link,
        help=("address of the full comparison, for Markdown that leaves out rows"),
    )
    parser.add_argument(
        "-o", "--output", dest="file", metavar="FILE", type=Path, help="write to this file"
    )
    parser.add_argument(
        "--also",
        action="append",
        default=[],
        type=_also,
        metavar="FORMAT=FILE",
        help="write another format to another file, too; may be repeated",
    )
    shared.add_site(parser, with_paths=False)
    parser.set_defaults(run=_run)


def _also(text: str) -> tuple[str, Path]:
    name, _, file = text.partition("=")
    if name not in FORMATS or not file:
        raise argparse.ArgumentTypeError(f"write FORMAT=FILE; formats are {', '.join(FORMATS)}")
    return name, Path(file)


def _threshold(text: str) -> float:
    try:
        return units.share(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(f"“{visible(text)}”: {error}") from None


def _link(text: str) -> str:
    if text and not text.startswith(("https://", "http://")):
        raise argparse.ArgumentTypeError("must begin with https:// or http://")
    return text


PARTS = ("soc", "os", "board")
"""Filters that can be set for one side."""


@dataclass(frozen=True, slots=True)
class _SideArgument:
    """An argument OLD or NEW: a path, URL or release, and filters for that side."""

    text: str
    path: Path | str | None
    release: str | None
    filters: Mapping[str, str]


def _side_argument(text: str) -> _SideArgument:
    """Parse an argument OLD or NEW. Raises :class:`ValueError` if it is malformed."""
    if object_store.is_url(text):
        return _SideArgument(text, text, None, {})
    # A file name may contain commas and equals signs.
    if Path(text).exists():
        return _SideArgument(text, Path(text), None, {})
    releases, filters = [], {}
    parts = ", ".join(f"{name}=NAME" for name in PARTS)
    for part in text.split(","):
        name, equals, value = part.partition("=")
        if equals and (name not in PARTS or not value.strip()):
            raise ValueError(f"“{part}” is not one of {parts}")
        if equals:
            filters[name] = value
        else:
            releases.append(part)
    if len(releases) > 1:
        raise ValueError(
            f"“{text}” names {len(releases)} releases; write one, followed by any of {parts}"
        )
    first = releases[0] if releases else ""
    path = Path(first)
    suffixes = (".json", ".jsonl", ".gz", ".zst", ".zip", ".tar", ".xz")
    # Report a mistyped path as a path rather than as an unknown release.
    if first and ("/" in first or first.endswith(suffixes) or path.exists()):
        return _SideArgument(text, path, None, filters)
    return _SideArgument(text, None, first or LATEST, filters)


LATEST = "latest"
"""The release of a side that names none."""


def _take_soc(options: argparse.Namespace) -> None:
    """Use the first of three arguments as the SoC.

    Raises :class:`ValueError` if it cannot be one.
    """
    # argparse has no optional leading positional argument, so shift the three here.
    if options.third is None:
        return
    if options.soc != "*" or "=" in options.old or Path(options.old).exists():
        raise ValueError(
            "only two sides can be compared; for two releases of one SoC write: "
            "perfguide compare OLD NEW --soc SOC"
        )
    options.soc, options.old, options.new = options.old, options.new, options.third


def _run(options: argparse.Namespace) -> int:
    extras.require("compare")
    from ..compare.comparison import compare
    from ..compare.history import History
    from ..compare.select import Filter, choose
    from ..compare.side_by_side import shared_places

    try:
        _take_soc(options)
        arguments = [_side_argument(options.old), _side_argument(options.new)]
    except ValueError as error:
        return shared.fail(f"perfguide compare: {visible(str(error))}")
    if _print_missing(arguments, options):
        return shared.USAGE
    read = _holdings(options, arguments)
    if isinstance(read, int):
        return read
    old, new, rest = read
    rules, faults = _rules(options, new.catalog)
    shared.print_all(faults, sys.stderr)
    # Without the accepted changes, the exit status could be a false alarm.
    if errors(faults):
        return shared.USAGE
    names = rules.names
    history = History([holdings.pool for holdings in (old, new, rest) if holdings], names)
    only = Filter(options.soc, options.os, options.board, options.benchmark)
    sides = []
    for side, holdings in zip(arguments, (old, new), strict=True):
        filters = replace(only, **side.filters)
        sides.append(choose(holdings.pool, side.release, filters, names, side.text))
        if not sides[-1].records:
            return shared.fail(_nothing(side, holdings, filters), shared.NOTHING)
    if undescribed := _undescribed(sides, new.catalog):
        return shared.fail(undescribed)
    # Verdicts need the same boards on both sides; different boards only get ratios.
    if any(side.filters for side in arguments) and not shared_places(*sides):
        return _side_by_side(sides[0], sides[1], names, options)
    comparison = compare(sides[0], sides[1], history, rules, only)
    if not comparison.common:
        _print_nothing_in_common(comparison, sides, rest)
        return shared.NOTHING
    # Every format has these too, but a failed job shows stderr first.
    shared.print_all(comparison.findings, sys.stderr)
    _write_comparison(options, comparison, new.catalog)
    failing = options.fail_on == "regression" and comparison.alarms
    return shared.FOUND if failing else shared.OK


def _rules(options: argparse.Namespace, catalog: Catalog) -> tuple[Rules, list[Diagnostic]]:
    """Return the rules of a comparison, with the names of boards and the accepted changes, and the
    faults in the files of these."""
    from ..catalog import board_names, waivers
    from ..compare.match import Names
    from ..compare.row import Rules

    boards, faults_of_boards = board_names.load(Path(options.boards or shared.BOARDS))
    waiver_file = Path(options.waivers or shared.WAIVERS)
    accepted, faults_of_waivers = waivers.load(waiver_file)
    annotations, faults_of_annotations = waivers.load_annotations(waiver_file)
    names = Names(catalog, boards)
    rules = Rules(names, accepted, options.threshold, annotations, options.look_ahead)
    return rules, [*faults_of_boards, *faults_of_waivers, *faults_of_annotations]


def _holdings(
    options: argparse.Namespace, arguments: Sequence[_SideArgument]
) -> tuple[Holdings, Holdings, Holdings | None] | int:
    """Return the figures of both sides and of all releases in the results, if these are needed, or
    the exit status if the results cannot be read."""
    settings = shared.site_settings(options)
    if not settings.benchmarks[0].is_dir() and CHECKOUT.is_dir():
        # In a checkout of the repository, the descriptions are next to the package.
        settings = replace(settings, benchmarks=(CHECKOUT, *settings.benchmarks))
    rest: Holdings | None = None
    if options.results or any(side.path is None for side in arguments):
        rest, status = shared.read_site(settings)
        if status:
            return status
    old, new = (
        shared.read_site(replace(settings, results=(side.path,)))[0] if side.path else rest
        for side in arguments
    )
    assert old is not None and new is not None  # releases are always looked up in the results
    return old, new, rest


def _print_missing(arguments: Sequence[_SideArgument], options: argparse.Namespace) -> bool:
    """Report the paths on the command line that do not exist; return whether there are any."""
    paths = [side.path for side in arguments if isinstance(side.path, Path)]
    files = [Path(file) for file in (options.waivers, options.boards) if file]
    missing = [path for path in paths if not path.exists()]
    missing += [path for path in files if not path.is_file()]
    for path in missing:
        hint = f" ({visible(near)})" if (near := nearest_path(path)) else ""
        message = f"{visible(str(path))}: there is no such path{hint}"
        print(f"perfguide compare: {message}", file=sys.stderr)
    return bool(missing)


def _print_nothing_in_common(
    comparison: Comparison, sides: Sequence[ComparedSide], rest: Holdings | None
) -> None:
    """Report on stderr that the sides have no figure in common, and suggest commands that would
    work."""
    from ..compare.side_by_side import names_of_boards, shared_places

    lines = [*comparison.notes, "nothing to compare: the two sides have no figure in common"]
    if comparison.notes and rest is not None:
        releases = ", ".join(sorted({key.release for key in rest.pool.guides()}))
        lines.append(f"name two of these releases: {releases}")
    for span in comparison.instead:
        _, soc, system = span.platform
        lines.append(
            f"{span.board} has two releases: perfguide compare {span.old} {span.new} --soc {soc} "
            f"--os {system} --board {span.board}"
        )
    if not shared_places(*sides):
        named = (f"{side.name},board={names_of_boards(side)[0]}" for side in sides)
        lines.append(f"to see boards side by side, name them: perfguide compare {' '.join(named)}")
    for line in lines:
        print(visible(line), file=sys.stderr)


SIDE_BY_SIDE = ("text", "markdown", "html", "json", "csv")
"""The formats for different boards: all but those that CI systems show as alarms."""


def _side_by_side(
    old: ComparedSide, new: ComparedSide, names: Names, options: argparse.Namespace
) -> int:
    """Write figures and ratios of two boards, SoCs or systems; return the exit status."""
    from ..compare import side_by_side_formats as formats
    from ..compare.side_by_side import names_of_boards, partners, side_by_side

    requested = [options.format, *(form for form, _ in options.also)]
    if unfit := [form for form in requested if form not in SIDE_BY_SIDE]:
        return shared.fail(
            f"perfguide compare: --format {unfit[0]} is for two releases of the same boards; "
            f"for others choose {', '.join(SIDE_BY_SIDE)}"
        )
    if not partners(old, new):
        listed = "; ".join(
            f"“{visible(side.name)}” has {', '.join(map(visible, names_of_boards(side)))}"
            for side in (old, new)
        )
        return shared.fail(
            f"perfguide compare: which board is meant? {listed}; name one of each with board="
        )
    comparison = side_by_side(old, new, names)
    if not comparison.lines:
        pairs = "; ".join(
            f"{both.first.title} and {both.second.title}" for both in comparison.boards
        )
        return shared.fail(
            f"nothing to compare: no figure in common: {visible(pairs)}", shared.NOTHING
        )
    rendered = {
        "markdown": partial(formats.to_markdown, comparison, names.catalog, options.link),
        "html": partial(formats.to_html, comparison, names.catalog),
        "json": partial(formats.to_json, comparison),
        "csv": partial(formats.to_comma_separated, comparison),
    }
    _write_all(options, rendered, partial(formats.to_text, comparison, names.catalog, options.all))
    return shared.OK


CHECKOUT = ROOT.parents[1] / "source" / "benchmarks"
"""The benchmark descriptions next to a package that runs from its repository."""


def _undescribed(sides: Sequence[ComparedSide], catalog: Catalog) -> str:
    """Return an error if no figure has a description with a better direction: nothing could regress
    then, and the exit status would be misleading."""
    names = {r.benchmark for side in sides for group in side.records.values() for r in group}
    if not names or any(catalog.get(name) for name in names):
        return ""
    listed = ", ".join(visible(name) for name in sorted(names)[:5])
    return (
        f"perfguide compare: no description of {listed}, so it is unknown what is better; "
        "name the folder of descriptions with --benchmarks"
    )


def _nothing(side: _SideArgument, holdings: Holdings, only: Filter) -> str:
    """Return why a side has no figures, naming the part that does not occur."""
    from ..compare.select import nearest_releases

    if side.path:
        return f"nothing to compare: {visible(side.text)} has none of the requested figures"
    guides = holdings.pool.guides()
    for label, pattern, names in (
        ("SoC", only.soc, {key.soc for key in guides}),
        ("operating system", only.os, {key.os for key in guides}),
        ("board", only.board, _boards(holdings, only)),
        ("benchmark", only.benchmark, set(holdings.pool.benchmarks())),
    ):
        if not any(fnmatchcase(name.casefold(), pattern.casefold()) for name in names):
            hint = nearest(pattern, sorted(names)) or f"there are {', '.join(sorted(names))}"
            return f"nothing to compare: there is no {label} “{visible(pattern)}” ({visible(hint)})"
    releases = nearest_releases(holdings.pool)
    release = side.release or ""
    hint = nearest(release, releases) or f"there are {', '.join(map(visible, releases)) or 'none'}"
    reason = f"no release is named or begins with “{visible(release)}” ({hint})"
    return f"nothing to compare: {reason}"


def _boards(holdings: Holdings, only: Filter) -> set[str]:
    """Return the boards that match the filters of a side, ignoring the one on boards."""
    bundles = (loaded.bundle for loaded in holdings.ledger.bundles)
    return {b.board.name for b in bundles if only.guide(guide_key(b))}


def _write_comparison(
    options: argparse.Namespace, comparison: Comparison, catalog: Catalog
) -> None:
    """Write each requested format of a comparison of releases."""
    from ..compare import as_ci, as_data, as_markdown, as_text

    def html() -> str:
        # Imported late: its templates take longer to load than everything else.
        from ..compare import as_html

        return as_html.render(comparison, catalog)

    formats: dict[str, Callable[[], str]] = {
        "markdown": partial(as_markdown.render, comparison, catalog, options.link),
        "json": partial(as_data.to_json, comparison),
        "csv": partial(as_data.to_comma_separated, comparison),
        "html": html,
        "junit": partial(as_data.to_junit, comparison, catalog),
        "github": partial(as_ci.to_github, comparison),
        "gitlab": partial(as_ci.to_gitlab, comparison),
        "sarif": partial(as_ci.to_sarif, comparison),
    }

    def text(coloured: bool) -> str:
        return as_text.render(comparison, catalog, options.all, coloured, options.snippets)

    _write_all(options, formats, text)


def _write_all(
    options: argparse.Namespace,
    formats: Mapping[str, Callable[[], str]],
    text: Callable[[bool], str],
) -> None:
    """Write each requested format; ``text`` renders text, in colours if it goes to a terminal."""
    for form, file in ((options.format, options.file), *options.also):
        coloured = file is None and _terminal_has_colours()
        _write(formats[form]() if form in formats else text(coloured), file)


def _terminal_has_colours() -> bool:
    """Return whether the output is a terminal with colours; see no-color.org."""
    plain = os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb"
    return sys.stdout.isatty() and not plain


def _write(text: str, output: Path | None) -> None:
    data = text.encode("utf-8", "backslashreplace")
    if output is not None:
        output.write_bytes(data)
        return
    # Flush text that was printed earlier first.
    sys.stdout.flush()
    # As bytes, since text would fail on a terminal that is not UTF-8.
    sys.stdout.buffer.write(data)
    sys.stdout.buffer.flush()
