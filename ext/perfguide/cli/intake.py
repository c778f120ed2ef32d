"""The command ``intake``: uploads from an inbox to the results."""

from __future__ import annotations

import argparse
import shutil
import sys
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

from ..common.diagnostics import visible
from . import shared

if TYPE_CHECKING:
    from ..intake import inbox


def add_parsers(add: shared.AddParser) -> None:
    """Add the command to the command line."""
    parser = add(
        "intake",
        "An upload is a file with bundles, in any folder of INBOX. Along with run.json go "
        "run.logs.tar.zst (its logs), run.json.sha256 and run.json.sig, if they exist. "
        "Files whose names begin with a dot or end with .part or .tmp are left alone. The command can "
        "run from cron, during a build, and alongside another instance of itself.",
    )
    parser.add_argument("inbox", metavar="INBOX", type=Path)
    parser.add_argument("results", metavar="RESULTS", type=Path)
    parser.add_argument(
        "--rejected",
        metavar="DIR",
        type=Path,
        help="where refused uploads go, each with NAME.reason.txt; default: INBOX/rejected",
    )
    parser.add_argument(
        "--settle",
        metavar="SECONDS",
        type=float,
        default=10.0,
        help="skip files that changed within this time: they may be incomplete; default: 10",
    )
    parser.add_argument(
        "--patience",
        metavar="SECONDS",
        type=float,
        default=86_400.0,
        help="how long logs, checksums and signatures wait for their upload; default: one day",
    )
    parser.add_argument(
        "--allowed-signers",
        metavar="FILE",
        type=Path,
        help="check NAME.sig with ssh-keygen; the principal is the runner's name, the "
        "namespace perfguide",
    )
    parser.add_argument("--require-signature", action="store_true", help="refuse unsigned uploads")
    parser.add_argument("-q", "--quiet", action="store_true", help="report refused uploads only")
    shared.add_limits(parser)
    parser.set_defaults(run=_run)


def _wrong(options: argparse.Namespace) -> str:
    """Return a fault in the arguments, or ""."""
    for folder in (options.inbox, options.results):
        if not folder.is_dir():
            return f"{folder}: there is no such folder"
    uploads, results = options.inbox.resolve(), options.results.resolve()
    # A file published in a nested folder would be taken for a new upload.
    if uploads.is_relative_to(results) or results.is_relative_to(uploads):
        return "inbox and results must not be inside each other"
    if options.rejected.resolve().is_relative_to(results):
        return "refused uploads must not be kept inside the results"
    if options.require_signature and not options.allowed_signers:
        return "--require-signature needs --allowed-signers"
    if options.allowed_signers and not options.allowed_signers.is_file():
        return f"{options.allowed_signers}: there is no such file"
    if options.allowed_signers and not shutil.which("ssh-keygen"):
        return "ssh-keygen is not installed: sudo apt-get install openssh-client"
    return ""


def _run(options: argparse.Namespace) -> int:
    """Go through the inbox once and print the outcome of each upload."""
    from ..bundles import decompress
    from ..catalog import agreement, benchmarks
    from ..figures.dataset import BUILT_IN
    from ..intake import inbox
    from ..intake.transfer import BusyError

    options.rejected = options.rejected or options.inbox / "rejected"
    if wrong := _wrong(options):
        return shared.fail(f"perfguide intake: {visible(wrong)}")
    orders = inbox.Orders(
        inbox=options.inbox,
        results=options.results,
        rejected=options.rejected,
        settle=options.settle,
        patience=options.patience,
        signers=options.allowed_signers,
        require_signature=options.require_signature,
        limits=decompress.changed(dict(options.limit)),
        matters=agreement.matters(benchmarks.load((BUILT_IN, Path(shared.BENCHMARKS)))[0]),
    )
    counts: Counter[str] = Counter()
    try:
        for outcome in inbox.run(orders):
            counts[outcome.verdict] += 1
            _print_outcome(outcome, options.quiet)
    except inbox.SignersError as error:
        return shared.fail(f"perfguide intake: {visible(str(error))}")
    # Not an error: cron starts the next run while a long one is in progress.
    except BusyError as busy:
        if not options.quiet:
            print(f"nothing done: another intake is running in {visible(str(busy))}")
        return shared.OK
    if not options.quiet:
        words = (f"{counts[v]} {v}" for v in ("taken", "duplicate", "refused", "waiting", "failed"))
        print(", ".join(words))
    return shared.USAGE if counts["failed"] else shared.FOUND if counts["refused"] else shared.OK


def _print_outcome(outcome: inbox.Outcome, quiet: bool) -> None:
    bad = outcome.verdict in ("refused", "failed")
    stream = sys.stderr if bad else sys.stdout
    if bad or not quiet:
        where = f" [{outcome.path}]" if outcome.verdict == "refused" else ""
        line = f"{outcome.upload}: {outcome.verdict}: {outcome.text}{where}"
        print(visible(line), file=stream)
        for diagnostic in outcome.diagnostics:
            print(f"  {diagnostic}", file=stream)
