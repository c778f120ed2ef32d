"""The option ``--rst`` of the command ``export``: pages that build without perfguide."""

from __future__ import annotations

import argparse
import glob
import sys
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from ..common.diagnostics import visible
from ..publishing.store import Store
from . import shared

if TYPE_CHECKING:
    from ..figures.dataset import Settings


def run(options: argparse.Namespace) -> int:
    """Write the pages into the folder; return the exit status."""
    from ..pages import build, plain_project

    folder: Path | None = options.rst
    if folder is None:
        print("perfguide export: --soc goes with --rst alone", file=sys.stderr)
        return shared.USAGE
    if options.output or options.format or options.parquet:
        print("perfguide export: --rst names the folder and the format", file=sys.stderr)
        return shared.USAGE
    if why := plain_project.refusal(folder):
        print(f"perfguide: {why}", file=sys.stderr)
        return shared.USAGE
    settings = shared.site_settings(options)
    store = Store(settings.cache)
    if options.soc:
        # Asked before anything is written: a mistyped name must not empty an earlier export.
        if missing := _missing(options.soc, settings):
            print(f"perfguide export: {missing}", file=sys.stderr)
            return shared.NOTHING
        # Characters of a pattern in a name would match other SoCs.
        settings = replace(settings, releases=tuple(f"{glob.escape(soc)}/" for soc in options.soc))
    generate = partial(build.generate, progress=shared.show_progress, store=store)
    outcome = plain_project.write(folder, settings, generate)
    if status := shared.print_faults(outcome.diagnostics):
        return status
    print(
        f"{outcome.guides} guides with {outcome.figures} figures in {visible(str(folder))}: "
        f"{len(outcome.written)} files changed, {len(outcome.removed)} removed"
    )
    return shared.FINE if outcome.guides else shared.NOTHING


def _missing(socs: list[str], settings: Settings) -> str:
    """Return which SoC has no bundle, or an empty text."""
    from ..figures import dataset

    bundles = dataset.gather(settings).ledger.bundles
    present = {each.bundle.board.soc for each in bundles}
    for soc in socs:
        if soc not in present:
            names = ", ".join(sorted(present)) or "none at all"
            return visible(f"there are no results of {soc}; there are some of: {names}", 2000)
    return ""
