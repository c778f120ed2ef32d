"""The command ``export``: all results for other programs."""

from __future__ import annotations

import argparse
import shutil
import sys
from pathlib import Path

from ..common.diagnostics import visible
from ..publishing import atomic_swap
from . import shared


def add_parsers(add: shared.AddParser) -> None:
    """Add the command to the command line."""
    parser = add(
        "export",
        "write all results for other programs",
        "A Parquet dataset has folders soc=…/os=…/release=…, as Hive names them; it is put "
        "into place when it is whole.",
    )
    parser.add_argument("--parquet", required=True, metavar="DIR", type=Path, help="a dataset")
    shared.add_site(parser)
    parser.set_defaults(run=_run)


def _run(options: argparse.Namespace) -> int:
    from ..export import parquet

    folder: Path = options.parquet
    ours = not folder.exists() or (folder / parquet.ABOUT).is_file()
    if not ours and (not folder.is_dir() or any(folder.iterdir())):
        message = "is not an earlier export, and is left alone; name a new or empty folder"
        print(f"perfguide: {visible(str(folder))} {message}", file=sys.stderr)
        return shared.USAGE
    holdings, status = shared.read_site(shared.site_settings(options))
    frame = holdings.pool.frame
    if status or frame.table.empty:
        return status or shared.NOTHING
    at = atomic_swap.place(folder)
    with atomic_swap.locked(
        at.work, lambda holder: print(f"waiting for {holder}", file=sys.stderr)
    ):
        _remove(at.next)
        written = parquet.write_dataset(holdings.pool, at.next)
        atomic_swap.swap(at.next, at.target, at.work)
        _remove(at.next)
    shared.print_all(written.diagnostics, sys.stderr)
    print(f"{len(frame.table)} results in {written.files} files in {visible(str(folder))}")
    return shared.FINE


def _remove(folder: Path) -> None:
    if folder.exists():
        shutil.rmtree(folder)
