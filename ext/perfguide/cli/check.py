"""The command ``check``: are all bundles valid?"""

from __future__ import annotations

import argparse
import sys
import textwrap
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from ..common import units
from ..common.diagnostics import KINDS, Diagnostic, errors, visible
from ..common.units import with_noun
from . import shared

if TYPE_CHECKING:
    from ..bundles.supersede import Ledger


def add_parsers(add: shared.AddParser) -> None:
    """Add the command to the command line."""
    parser = add("check")
    shared.add_site(parser)
    parser.add_argument("-q", "--quiet", action="store_true", help="print findings only")
    parser.add_argument(
        "--explain",
        action="store_true",
        help="end with the effect of each kind of finding, and what to do about it",
    )
    parser.set_defaults(run=_run)


def _run(options: argparse.Namespace) -> int:
    from ..catalog import agreement
    from ..figures import dataset

    settings = shared.site_settings(options)
    gathered = dataset.gather(settings, shared.show_progress)
    notes = [d for d in gathered.diagnostics if d.severity == "note"]
    faults = [d for d in gathered.diagnostics if d.severity != "note"]
    if errors(faults):
        # Errors already explain why there are no results.
        faults = [d for d in faults if d.kind != "no-results"]
    shared.print_all(faults, sys.stdout)
    # A mistyped path is a usage error, not a fault in bundles.
    if any(fault.kind == "missing-path" for fault in faults):
        _explain(options, faults)
        return shared.USAGE
    bundles, folder = gathered.ledger.bundles, Path(options.benchmarks).as_posix()
    findings = agreement.findings(bundles, gathered.catalog, folder)
    findings += agreement.ahead(bundles, datetime.now(UTC))
    shared.print_all(findings, sys.stdout)
    refused = errors(faults)
    if not options.quiet:
        shared.print_all(notes, sys.stdout)
        results = sum(len(loaded.bundle.results) for loaded in bundles)
        files = len({fault.origin for fault in refused})
        outcome = (
            f"{files} refused, {with_noun(len(refused), 'fault')}" if refused else "none refused"
        )
        if wrong := len(errors(findings)):
            outcome += f"; figures that contradict themselves: {wrong}"
        replaced = _withdrawn(gathered.ledger)
        for line in replaced[:MAX_LISTED]:
            print(line)
        if replaced:
            outcome = f"{len(replaced)} withdrawn by others; {outcome}"
        print(
            f"{with_noun(len(bundles), 'valid bundle')} with {with_noun(results, 'result')}; {outcome}"
        )
    _explain(options, [*gathered.diagnostics, *findings])
    if refused or errors(findings):
        return shared.FOUND
    return shared.OK if bundles else shared.NOTHING


MAX_LISTED = 10
"""The most withdrawn bundles listed; the rest are counted."""


def _withdrawn(ledger: Ledger) -> list[str]:
    """Return a line for each valid bundle that another one replaced."""
    lines = {}
    for withdrawal in ledger.withdrawn:
        old, new = withdrawal.old, withdrawal.new
        why = f": {visible(new.bundle.reason)}" if new.bundle.reason else ""
        origin = visible(f"{old.root.rstrip('/')}/{old.origin}" if old.root else old.origin)
        # One line, however many bundles withdrew it.
        lines[old.bundle.owned_id] = f"{origin}: withdrawn by “{visible(new.bundle.id)}”{why}"
    return list(lines.values())


def _explain(options: argparse.Namespace, findings: Sequence[Diagnostic]) -> None:
    if options.explain and findings:
        print(f"\n{explained(finding.kind for finding in findings)}", end="")


def explained(kinds: Iterable[str]) -> str:
    """Return a paragraph for each kind, in the order of :data:`KINDS`: its summary and, if they are
    given, its effect and what to do."""
    chosen, parts = {*kinds}, []
    for name, kind in KINDS.items():
        if name in chosen:
            advice = f"To do: {kind.advice}" if kind.advice else ""
            words = filter(None, (f"{units.capital(kind.summary)}.", kind.effect, advice))
            body = textwrap.fill(" ".join(words), 88, initial_indent="  ", subsequent_indent="  ")
            parts.append(f"[{name}], {kind.severity}\n{body}\n")
    return "\n".join(parts)
