"""Sentences on a comparison: its summary, what was not measured, and what cannot be judged."""

from __future__ import annotations

from collections.abc import Sequence

from ..common import units
from ..common.units import with_noun
from .comparison import Comparison, Coverage, Group
from .row import WORDS, Row
from .row_texts import board_text, of_verdict

MAX_NAME_CHARS = 17
"""The most characters of the names of OLD and NEW that fit into a line of the summary."""


def short(text: str, most: int = MAX_NAME_CHARS) -> str:
    """Return a text of at most ``most`` characters, shortened in the middle if necessary."""
    if len(text) <= most:
        return text
    behind = (most - 1) // 2
    return f"{text[: most - 1 - behind]}…{text[len(text) - behind :]}"


def summary(comparison: Comparison) -> tuple[str, str, str]:
    """Return the essentials in three lines of at most 80 characters."""
    counts, common = comparison.counts, comparison.common
    boards = with_noun(len(comparison.spans), "board")
    accepted = sum(1 for row in comparison.rows if row.accepted)
    accept = f" ({accepted} accepted)" if accepted else ""
    return (
        f"{short(comparison.old)} → {short(comparison.new)}: "
        f"{with_noun(common, 'figure')} of {boards} on both sides",
        f"{counts['regressed']} regressed, {counts['failed-after']} failed after{accept}, "
        f"{counts['improved']} improved, {counts['changed']} changed",
        f"{counts['same'] + counts['steady']} no change, {counts['noisy']} too noisy to tell, "
        f"{counts['incomparable']} not comparable; {counts['only-old']} lost, "
        f"{counts['only-new']} new",
    )


def instead(comparison: Comparison) -> str:
    """Return the releases to compare if no board has both (``Compare sk: 9.0 → 9.2.``), or ""."""
    if comparison.spans:
        return ""
    pairs = [f"{span.board}: {span.old} → {span.new}" for span in comparison.instead]
    if not pairs:
        names = comparison.board_names
        sentences = [
            f"{names.get(board, board)} was measured with {_releases(releases)}"
            for board, releases in comparison.apart
            if releases
        ]
        return " ".join(
            ["No board has both releases.", *(f"{each}." for each in sentences[:MAX_APART])]
        )
    return f"No board has both releases. Compare {', or '.join(pairs)}."


MAX_APART = 4
"""The most boards without a common release that are named."""


def _releases(releases: Sequence[str]) -> str:
    if len(releases) < 3:
        return " and ".join(releases)
    return f"{len(releases)} releases from {releases[0]} to {releases[-1]}"


def unjudged(comparison: Comparison) -> list[str]:
    """Return sentences on why figures are too noisy, how many would show a large change, and what
    would help."""
    rows = of_verdict(comparison.rows, ["noisy"])
    single = sum(" runs " not in row.kinds_of_figures for row in rows)
    more_runs = sorted(row.more_runs for row in rows if row.more_runs)
    out = []
    if single:
        which = (
            f"{single:,} of these {len(rows):,} figures"
            if single < len(rows)
            else "them"
            if single > 1
            else "it"
        )
        out.append(f"Each release has only one set of measurements of {which}.")
    if judged := sum(row.judged for row in rows):
        # Otherwise the share in the headline would seem to contradict the number of these rows.
        of_all = f"{judged:,} of these {len(rows):,} figures {'counts' if judged == 1 else 'count'}"
        which = "It counts" if len(rows) == 1 else of_all
        them = "it" if judged == 1 else "them"
        out.append(f"{which} as judged: a change of 50 % would have shown in {them}.")
    if more_runs:
        # The median, as some rows would need hundreds of runs.
        middle = more_runs[len(more_runs) // 2]
        of = len(more_runs)
        which = "the one figure" if of == 1 else f"half of the {of:,} figures"
        out.append(
            f"With {with_noun(middle, 'more run')} of each release, {which} with a known scatter could "
            "be judged."
        )
    out.append("Run a benchmark again with both releases, and add the bundles to the results.")
    return out


def ratio(group: Group) -> str:
    """Return the geometric mean in the better direction: ``+1.5 % over 114``."""
    if group.ratio is None:
        return units.MISSING
    return f"{units.change_text(group.ratio - 1)} over {group.of}"


def tally(group: Group) -> str:
    """Return the number of a benchmark's figures by verdict: ``2 regressed, 5 same``."""
    parts = [f"{number} {WORDS[v]}" for v, number in group.counts.items() if number]
    return ", ".join(parts)


def coverage(comparison: Comparison) -> list[str]:
    """Return lines on what only one side has; the same on several boards is one line."""
    alike: dict[tuple[object, ...], list[Coverage]] = {}
    for number, one in enumerate(comparison.coverage):
        # Entire boards are never merged, as they have equal numbers of figures only by chance.
        alone = () if one.benchmark else (number,)
        key = (one.kind, one.platform, one.benchmark, one.count, one.of, *alone)
        alike.setdefault(key, []).append(one)
    titles = {group.benchmark: group.title for group in comparison.groups}
    return [
        entries[0].text(
            [comparison.board_names.get(one.board, one.board) for one in entries],
            titles.get(entries[0].benchmark, entries[0].benchmark),
        )
        for entries in alike.values()
    ]


def obstacles(rows: Sequence[Row], comparison: Comparison) -> list[str]:
    """Return why rows are not comparable, one line for each board, benchmark and reason."""
    alike: dict[tuple[str, str, str], list[Row]] = {}
    for row in rows:
        alike.setdefault((board_text(row, comparison), row.benchmark, row.ground), []).append(row)
    titles = {group.benchmark: group.title for group in comparison.groups}
    return [
        f"{board}, {titles.get(benchmark, benchmark)}: {with_noun(len(rows_alike), 'row')}: {why}"
        for (board, benchmark, why), rows_alike in alike.items()
    ]


def remarks(comparison: Comparison, besides: Sequence[str]) -> dict[str, list[str]]:
    """Return remarks beside the rows, by title. ``besides`` are those of the headline."""
    return {
        "Outside the events": [*besides],
        "Coverage": coverage(comparison),
        "Notes": list(comparison.notes),
        "Accepted changes": [f"{f.where()}: {f.text()}" for f in comparison.findings],
    }
