"""The command ``export``: all figures for other programs, and all pages for other builders."""

from __future__ import annotations

import argparse
import glob
import io
import sys
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from ..common import extras, units
from ..common.diagnostics import visible
from ..publishing import atomic_swap
from ..publishing.store import Store
from . import shared

if TYPE_CHECKING:
    from ..export.figure_rows import Table
    from ..figures.dataset import Settings
    from ..figures.pool import Pool

FORMATS = ("csv", "json", "excel", "parquet")

ENDINGS = {".csv": "csv", ".json": "json", ".xlsx": "excel"}
"""Formats by the suffix of the output; any other name is a folder of Parquet files."""


def add_parsers(add: shared.AddParser) -> None:
    """Add the command to the command line."""
    parser = add(
        "export",
        "One row per figure, with the same columns in each format; the page Download the data "
        "lists them. CSV, JSON and Excel are one file. Parquet is a folder with a file for each "
        "guide, in folders soc=…/os=…, as the site has them; it is put into place when it is complete. Pages "
        "are plain reStructuredText with a conf.py: Sphinx, sphinx-rtd-theme and sphinx-tabs build "
        "them without perfguide.",
    )
    parser.add_argument(
        "-o",
        "--output",
        metavar="FILE",
        type=Path,
        help="figures.csv, figures.json, figures.xlsx, or a folder for Parquet; without it CSV "
        "and JSON are printed",
    )
    parser.add_argument(
        "--runs",
        action="store_true",
        help="write the runs listed in “bundles” of figures, one per row, with setup and notes",
    )
    parser.add_argument("--format", choices=FORMATS, help="default: according to the file name")
    parser.add_argument(
        "--parquet", metavar="DIR", type=Path, help="the same as --format parquet -o DIR"
    )
    parser.add_argument(
        "--rst", metavar="FOLDER", type=Path, help="the pages, as a Sphinx project of its own"
    )
    parser.add_argument(
        "--soc",
        action="append",
        default=[],
        metavar="S",
        help="with --rst, only the pages of this SoC; may be repeated",
    )
    shared.add_site(parser)
    shared.add_workers(parser)
    parser.set_defaults(run=_run)


def _run(options: argparse.Namespace) -> int:
    if options.rst or options.soc:
        return _write_pages(options)
    output: Path | None = options.parquet or options.output
    form = options.format or (ENDINGS.get(output.suffix, "parquet") if output else None)
    if options.parquet and (options.output or form != "parquet"):
        return shared.fail("perfguide export: --parquet already names the folder and the format")
    if form is None or (output is None and form in ("excel", "parquet")):
        return shared.fail(
            "perfguide export: name an output, such as -o figures.csv, -o figures.json, "
            "-o figures.xlsx, or -o DIR for Parquet, or --rst DIR for pages; --format csv prints"
        )
    # Checked before reading anything, as reading a large archive takes minutes.
    if form == "parquet":
        extras.require("parquet")
        if output and (fault := _not_ours(output)):
            return shared.fail(f"perfguide: {fault}")
    holdings, status = shared.read_site(shared.site_settings(options))
    if status or not len(holdings.pool):
        return status or shared.NOTHING
    from ..export.figure_rows import FIGURES, RUNS

    table = RUNS if options.runs else FIGURES
    if form == "parquet" and output:
        return _write_folder(table, holdings.pool, output)
    return _write_file(table, holdings.pool, form, output)


def _not_ours(folder: Path) -> str:
    """Return why a folder must not be replaced, or ""."""
    from ..export import parquet

    if not folder.exists() or (folder / parquet.ABOUT).is_file():
        return ""
    if folder.is_dir() and not any(folder.iterdir()):
        return ""
    message = "is not an earlier export and stays untouched; name a new or empty folder"
    return f"{visible(str(folder))} {message}"


def _write_file(table: Table, pool: Pool, form: str, output: Path | None) -> int:
    from ..export import figure_files

    write = {
        "csv": figure_files.write_csv,
        "json": figure_files.write_json,
        "excel": figure_files.write_excel,
    }[form]
    if output is None:
        # Flush text that was printed earlier first.
        sys.stdout.flush()
        write(table, pool, sys.stdout.buffer)
        sys.stdout.buffer.flush()
        return shared.OK
    # Written in one piece, so that an error leaves no partial file behind.
    data = io.BytesIO()
    try:
        count = write(table, pool, data)
    except figure_files.TooManyRowsError as error:
        return shared.fail(f"perfguide export: {error}")
    output.write_bytes(data.getvalue())
    print(f"{units.with_noun(count, table.name.removesuffix('s'))} in {visible(str(output))}")
    return shared.OK


def _write_folder(table: Table, pool: Pool, folder: Path) -> int:
    from ..export import parquet

    at = atomic_swap.place_of(folder)
    with atomic_swap.locked(
        at.work, lambda holder: print(f"waiting for {holder}", file=sys.stderr)
    ):
        # A killed export leaves its files here, and a swap leaves the earlier export.
        atomic_swap.remove(at.site)
        written = parquet.write_folder(table, pool, at.site)
        atomic_swap.swap(at.site, at.target, at.work)
        atomic_swap.remove(at.site)
    shared.print_all(written.diagnostics, sys.stderr)
    rows, files = (
        units.with_noun(written.rows, table.name.removesuffix("s")),
        units.with_noun(written.files, "file"),
    )
    print(f"{rows} in {files} in {visible(str(folder))}")
    return shared.OK


def _write_pages(options: argparse.Namespace) -> int:
    """Write the pages for other builders to a folder."""
    from ..pages import build, plain_project

    folder: Path | None = options.rst
    if folder is None:
        return shared.fail("perfguide export: --soc is only for --rst")
    if options.output or options.format or options.parquet:
        return shared.fail("perfguide export: --rst already names the folder and the format")
    if why := plain_project.refusal(folder):
        return shared.fail(f"perfguide: {why}")
    settings = shared.site_settings(options)
    store = Store(settings.cache)
    if options.soc:
        # Checked before writing anything: a mistyped name must not empty an earlier export.
        if missing := _missing_soc(options.soc, settings):
            return shared.fail(f"perfguide export: {missing}", shared.NOTHING)
        # Wildcards in a name would match other SoCs.
        settings = replace(settings, releases=tuple(f"{glob.escape(soc)}/" for soc in options.soc))
    generate = partial(build.generate, progress=shared.show_progress, store=store)
    outcome = plain_project.write(folder, settings, generate)
    if status := shared.print_faults(outcome.diagnostics):
        return status
    print(
        f"{units.with_noun(outcome.guides, 'guide')} with {units.with_noun(outcome.figures, 'figure')} in {visible(str(folder))}: "
        f"{units.with_noun(len(outcome.written), 'file')} changed, {len(outcome.removed)} removed"
    )
    return shared.OK if outcome.guides else shared.NOTHING


def _missing_soc(socs: list[str], settings: Settings) -> str:
    """Return which SoC has no bundles, or an empty string."""
    from ..figures import dataset

    bundles = dataset.gather(settings).ledger.bundles
    present = {item.bundle.board.soc for item in bundles}
    for soc in socs:
        if soc not in present:
            names = ", ".join(sorted(present)) or "none"
            return visible(f"there are no results of {soc}; there are some of: {names}", 2000)
    return ""
