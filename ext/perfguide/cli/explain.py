"""Explanations for findings of ``check``: their effect on the site, and how to fix them."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable

from ..common.diagnostics import KINDS

_LEFT_OUT = "The bundle is left out of the site; all others are published."
_PUBLISHED = "The figures are published as they are."

EXPLAINED: dict[str, tuple[str, str]] = {
    "missing-path": (
        "Nothing is read, so that a mistyped folder does not empty the site.",
        "Check the spelling, and the folder in which you run the command: paths are relative to it.",
    ),
    "unreadable": (
        "Nothing in the file is published.",
        "Copy or pack it again. To see what is wrong with an archive, open it with its own "
        "program: tar -tf FILE, unzip -t FILE, zstd -t FILE.",
    ),
    "limit": (
        "The rest of the file is not read, so that no upload can exhaust the machine.",
        "Split it, or raise the limit that the message names: --limit NAME=NUMBER, or "
        "perfguide_limits in conf.py. SECURITY.md lists all of them.",
    ),
    "refused-member": (
        "That member is left out; the others of the archive are read.",
        "Pack plain files: links, devices and paths that leave the archive are never opened.",
    ),
    "syntax": (
        _LEFT_OUT,
        "Look at the line: a missing or extra comma, a text without its closing quote, NaN. "
        "python -m json.tool FILE shows the same place.",
    ),
    "schema": (
        _LEFT_OUT,
        "Fix the key that the message names after “at”. perfguide schema prints what every key "
        "may hold; README.md has the smallest bundle under “Add a bundle”.",
    ),
    "version": (
        _LEFT_OUT,
        'This release reads "version": 1. A higher number needs a newer perfguide.',
    ),
    "duplicate-key": (
        _LEFT_OUT,
        "Remove one of the two: programs differ in which one they use.",
    ),
    "conflict": (
        "Neither of the two is published: nothing says which one is right.",
        "Give one of them an id of its own. To replace a run, upload a new bundle that names the "
        'old id: "supersedes": ["OLD ID"], "reason": "WHY".',
    ),
    "supersedes": (
        "The bundle is published; the bundles that it was meant to withdraw stay.",
        "Name ids of existing older bundles. Both bundles must name the same "
        "runner: perfguide pack --runner NAME.",
    ),
    "unknown-key": (
        "The key is ignored; the rest of the bundle is published.",
        "Fix its spelling. Your own facts belong in “setup”, or in the “params” of a result.",
    ),
    "contradiction": (
        _PUBLISHED,
        "A mean cannot be below the minimum or above the maximum. Often these are those of "
        "another metric, or in another unit.",
    ),
    "apart": (
        _PUBLISHED,
        "The stated value is not the mean of the samples: leave out “value” if there are samples.",
    ),
    "same-key": (
        "Both are pooled into one figure.",
        "If they are runs of the same thing, write them as “samples” of one result. If something "
        "differs, say what in “params”.",
    ),
    "mixed-setup": (
        "A bundle with such results is neither packed nor accepted. For stored bundles, pages show the "
        "mean and say which fact differs.",
        "Name in “params” what differs: perfguide pack --param card=A. Or withdraw the wrong bundle with "
        "“supersedes”.",
    ),
    "same-log": (
        "Its figures count twice, as if they had been measured twice.",
        "Pack the later bundle without that log, or let it withdraw the earlier one with “supersedes”.",
    ),
    "same-run": (
        "Both are published, and pooled where they are of the same release.",
        "If one is a copy of the other, remove it. A real second run never agrees in every digit.",
    ),
    "future": (
        "The figures are published under that date, and no other bundle can withdraw this one "
        "before it.",
        "Correct the runner's clock, or this machine's if that one is wrong. Then remove "
        "the file, and upload the run again with its real date.",
    ),
    "undescribed": (
        "The figures are published, in tables derived from their parameters.",
        "Copy the lines that the message has into the description of the benchmark, in "
        "source/benchmarks.",
    ),
    "names": (
        "Each spelling counts as a different name, so figures under different spellings are not compared.",
        "Use one spelling in the programs that write bundles. For boards, boards.toml has aliases.",
    ),
    "ignored": (
        "None: the file is not a bundle.",
        "Move it elsewhere if you do not want this message. Bundle names end with "
        ".json or .jsonl, optionally followed by a compression suffix.",
    ),
    "catalog": (
        "The description is not used; its benchmark appears under “Other results”.",
        "Fix the key that the message names. source/formats.rst lists all of them.",
    ),
    "catalog-prose": (
        "The benchmark has no text on its page.",
        "Write NAME.rst next to NAME.toml: what it measures, and how to read it.",
    ),
    "no-results": (
        "There is nothing to publish.",
        "Put bundles into results/. perfguide pack makes them from logs, perfguide import from "
        "published guides.",
    ),
    "log-archive": (
        "The bundle is published; its figures do not link to a log.",
        "Pack the logs again: perfguide pack keeps them next to the bundle.",
    ),
}
"""For each kind, its effect on the site and how to fix it."""


def explained(kinds: Iterable[str]) -> str:
    """Return a paragraph for each kind, in the order of :data:`KINDS`. Kinds without an explanation
    only have their summary."""
    chosen, parts = {*kinds}, []
    for name, kind in KINDS.items():
        if name in chosen:
            words = [f"{kind.summary[0].upper()}{kind.summary[1:]}."]
            if name in EXPLAINED:
                then, do = EXPLAINED[name]
                words += [then, f"To do: {do}"]
            body = textwrap.fill(" ".join(words), 88, initial_indent="  ", subsequent_indent="  ")
            parts.append(f"[{name}], {kind.severity}\n{body}\n")
    return "\n".join(parts)
