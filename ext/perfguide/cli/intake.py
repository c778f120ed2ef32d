"""The command ``intake``: uploads from an inbox to the results."""

from __future__ import annotations

import argparse
import shutil
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path

from ..bundles import decompress
from ..common.diagnostics import visible
from ..intake import inbox as intake
from ..intake.transfer import BusyError

FINE, FOUND, USAGE = 0, 1, 2

AddParser = Callable[..., argparse.ArgumentParser]


def add_parser(add: AddParser, add_limits: Callable[[argparse.ArgumentParser], None]) -> None:
    """Add the command to the parser of all, with the options for limits."""
    parser = add(
        "intake",
        "move sound uploads from an inbox to the results, and others aside with the reason",
        "An upload is a file that holds bundles, in any folder of INBOX. With run.json go "
        "run.logs.tar.zst (its logs), run.json.sha256 and run.json.sig where they are there. "
        "Files whose names begin with a dot or end with .part or .tmp are left alone. It can "
        "run from cron, beside a build and beside itself.",
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
        help="leave files that changed within this time, they may be half there; default: 10",
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
        f"namespace {intake.SIGNED_FOR}",
    )
    parser.add_argument(
        "--require-signature", action="store_true", help="refuse what is not signed"
    )
    parser.add_argument("-q", "--quiet", action="store_true", help="say only what was refused")
    add_limits(parser)
    parser.set_defaults(run=run_intake)


def _wrong(options: argparse.Namespace) -> str:
    """What is wrong with the usage; empty where nothing is."""
    for folder in (options.inbox, options.results):
        if not folder.is_dir():
            return f"{folder}: there is no such folder"
    inbox, results = options.inbox.resolve(), options.results.resolve()
    if inbox.is_relative_to(results) or results.is_relative_to(inbox):
        return "inbox and results must not be inside each other"
    if options.rejected.resolve().is_relative_to(results):
        return "what is refused must not be kept inside the results"
    if options.require_signature and not options.allowed_signers:
        return "--require-signature needs --allowed-signers"
    if options.allowed_signers and not options.allowed_signers.is_file():
        return f"{options.allowed_signers}: there is no such file"
    if options.allowed_signers and not shutil.which("ssh-keygen"):
        return "ssh-keygen is not on this machine: sudo apt-get install openssh-client"
    return ""


def run_intake(options: argparse.Namespace) -> int:
    """Go through the inbox once and say what became of each upload."""
    options.rejected = options.rejected or options.inbox / "rejected"
    if wrong := _wrong(options):
        print(f"perfguide intake: {visible(wrong)}", file=sys.stderr)
        return USAGE
    orders = intake.Orders(
        inbox=options.inbox,
        results=options.results,
        rejected=options.rejected,
        settle=options.settle,
        patience=options.patience,
        signers=options.allowed_signers,
        require_signature=options.require_signature,
        limits=decompress.changed(dict(options.limit)),
    )
    counts: Counter[str] = Counter()
    try:
        for outcome in intake.run(orders):
            counts[outcome.verdict] += 1
            _say(outcome, options.quiet)
    except BusyError as busy:
        if not options.quiet:
            print(f"nothing done: another intake is at work in {visible(str(busy))}")
        return FINE
    if not options.quiet:
        words = (f"{counts[v]} {v}" for v in ("taken", "duplicate", "refused", "waiting", "failed"))
        print(", ".join(words))
    return USAGE if counts["failed"] else FOUND if counts["refused"] else FINE


def _say(outcome: intake.Outcome, quiet: bool) -> None:
    bad = outcome.verdict in ("refused", "failed")
    stream = sys.stderr if bad else sys.stdout
    if bad or not quiet:
        where = f" [{outcome.place}]" if outcome.verdict == "refused" else ""
        line = f"{outcome.upload}: {outcome.verdict}: {outcome.text}{where}"
        print(visible(line), file=stream)
        for finding in outcome.diagnostics:
            print(f"  {finding}", file=stream)
