"""The command ``export``: all results for other programs."""

from __future__ import annotations

import argparse
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from ..common.diagnostics import visible
from ..publishing import atomic_swap

if TYPE_CHECKING:
    from ..figures import dataset

FINE, USAGE, NOTHING = 0, 2, 3

AddParser = Callable[..., argparse.ArgumentParser]


def add_parser(
    add: AddParser, add_site: Callable[[argparse.ArgumentParser], None]
) -> argparse.ArgumentParser:
    """Add the command to the parser."""
    parser = add(
        "export",
        "write all results for other programs",
        "A Parquet dataset has folders soc=…/os=…/release=…, as Hive names them; it is put "
        "into place when it is whole.",
    )
    parser.add_argument("--parquet", required=True, metavar="DIR", type=Path, help="a dataset")
    add_site(parser)
    return parser


def run(folder: Path, read: Callable[[], tuple[dataset.Holdings, int]]) -> int:
    """Export what ``read`` gives; it returns an exit status too."""
    from ..export import hive

    ours = not folder.exists() or (folder / hive.ABOUT).is_file()
    if not ours and (not folder.is_dir() or any(folder.iterdir())):
        message = "is not an earlier export, and is left alone; name a new or empty folder"
        print(f"perfguide: {visible(str(folder))} {message}", file=sys.stderr)
        return USAGE
    held, status = read()
    if status or held.pool.frame.table.empty:
        return status or NOTHING
    at = atomic_swap.place(folder)
    with atomic_swap.locked(
        at.work, lambda holder: print(f"waiting for {holder}", file=sys.stderr)
    ):
        _remove(at.next)
        try:
            files = hive.write(held.pool.frame, at.next)
        except hive.NameTooLongError as error:
            print(f"perfguide: {visible(str(error))}", file=sys.stderr)
            return USAGE
        atomic_swap.swap(at.next, at.target, at.work)
        _remove(at.next)
    print(f"{len(held.pool.frame.table)} results in {files} files in {visible(str(folder))}")
    return FINE


def _remove(folder: Path) -> None:
    if folder.exists():
        shutil.rmtree(folder)
