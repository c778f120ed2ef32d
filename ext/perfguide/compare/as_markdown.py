"""A comparison as Markdown that fits into a comment on a pull request."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from urllib.parse import quote

from ..catalog.benchmarks import Catalog
from ..common import units
from ..common.diagnostics import visible
from . import (
    event_evidence,
    event_groups,
    event_titles,
    overview,
    row_texts,
    sparkline,
    waiver_entries,
)
from .comparison import Comparison
from .event import Event
from .headline import headline
from .row import ALARMS, Row, Verdict

MAX_COMMENT_CHARS = 64_512
"""The limit of a GitHub comment, less 1,024 characters for the links that a CI service adds."""

_HEAD = "| change | old | new | unit | figure | verdict |\n|---:|---:|---:|---|---|---|\n"
ACCEPT = "Accept: entries for source/waivers.toml, to be completed"

# Harmless characters are listed, as GitHub adds markup and a list of harmful ones would age.
_PLAIN = re.compile(r"[^A-Za-z0-9 ,.;/%()'“”+→↑↓−×÷±—–-]")


def render(
    comparison: Comparison, catalog: Catalog, link: str = "", most: int = MAX_COMMENT_CHARS
) -> str:
    """Return the decision, events and folded rows by verdict, in at most ``most`` characters.

    Lines that do not fit are counted, with ``link`` as the address of the full comparison.
    """
    said = headline(comparison)
    first, *rest = overview.summary(comparison)
    head = [
        f"### Performance: {text(said.sentence)}\n",
        f"{text(said.more)}\n" if said.more else "",
        f"{text(first)}\n",
        "\n".join(f"- {text(line)}" for line in rest) + "\n",
    ]
    spans = [
        f"- {text(s.title)}, {text(s.board)}: {text(s.old)} → {text(s.new)}"
        for s in comparison.spans
    ]
    fixed = "\n".join(filter(None, head)) + "\n".join(spans) + "\n"
    parts: list[tuple[str, list[str], str]] = []
    for name, events in event_groups.by_action(comparison):
        items = [_event(event, comparison, catalog) for event in events]
        parts.append((f"\n#### {name} ({len(events)})\n\n", items, ""))
    entries = [
        f"```toml\n{waiver_entries.of_event(event)}```\n"
        for event in comparison.events
        if not event.accepted and event.kind in ALARMS
    ]
    if entries:
        parts.append((_fold(ACCEPT, len(entries)), entries, _FOLD_END))
    parts += _by_verdict(comparison, catalog, row_texts.SHOWN_VERDICTS)
    lines = [
        f"| {text(g.title)} | {text(overview.ratio(g))} | {text(overview.tally(g))} |\n"
        for g in comparison.groups
    ]
    table = "| benchmark | mean | figures |\n|---|---:|---|\n"
    title = "\n#### Benchmarks\n\nThe geometric mean of the ratios, + is better.\n\n"
    parts.append((title + table, lines, ""))
    for name, remarks in overview.remarks(comparison, said.besides).items():
        if remarks:
            listed = [f"- {text(remark)}\n" for remark in remarks]
            parts.append((_fold(name, len(listed)), listed, _FOLD_END))
    parts += _by_verdict(comparison, catalog, row_texts.FOLDED_VERDICTS)
    return fitted(fixed, parts, link, most)


def _by_verdict(
    comparison: Comparison, catalog: Catalog, verdicts: Sequence[Verdict]
) -> Iterator[tuple[str, list[str], str]]:
    """Yield a folded table with the rows of each verdict that has some."""
    for verdict in verdicts:
        rows = row_texts.of_verdict(comparison.rows, [verdict])
        if rows:
            head = _fold(row_texts.TITLES[verdict], len(rows)) + _HEAD
            yield head, [_row(row, comparison, catalog) for row in rows], _FOLD_END


_FOLD_END = "\n</details>\n"


def _fold(title: str, number: int) -> str:
    return f"\n<details><summary>{title} ({number})</summary>\n\n"


def fitted(fixed: str, parts: Sequence[tuple[str, list[str], str]], link: str, most: int) -> str:
    """Return as many lines as fit into ``most`` characters, in order; the rest are counted."""
    whole = "".join([fixed, *(f"{start}{''.join(lines)}{end}" for start, lines, end in parts)])
    if len(whole) <= most:
        return whole
    # The last line is longest if it counts all lines.
    room = most - len(_omitted(sum(len(lines) for _, lines, _ in parts), link))
    out, used, left = [fixed], len(fixed), 0
    full = False
    for start, lines, end in parts:
        kept: list[str] = []
        size = len(start) + len(end)
        for line in lines:
            # Lines are in order of importance: after one that does not fit, none is listed.
            full = full or used + size + len(line) > room
            if full:
                left += 1
            else:
                kept.append(line)
                size += len(line)
        if kept:
            out += [start, *kept, end]
            used += size
    return "".join([*out, _omitted(left, link)])


def _omitted(number: int, link: str) -> str:
    address = quote(link, "/:?#@!$&'*+,;=%", errors="replace")
    where = f"[the whole comparison]({address})" if link else "the output in HTML or JSON"
    return f"\n{units.with_noun(number, 'line')} did not fit here; see {where}.\n"


def _event(event: Event, comparison: Comparison, catalog: Catalog) -> str:
    """Return a list item: the event, why, and the rows that moved most, with their histories."""
    lines = [f"- **{text(event_titles.event_title(event, comparison))}**"]
    lines += [f"  {text(line)}" for line in event_evidence.event_lines(event, comparison)]
    listed = event_evidence.listed(event)
    for row in listed:
        said = row_texts.row_words(row, comparison, catalog)
        history = f" {sparkline.characters(row)}".rstrip()
        figures = f"{said.old} → {said.new} {text(said.unit)}{history}"
        lines.append(f"  - {said.change}: {figures} {code(said.name)}")
    if left := len(event.every_row) - len(listed):
        lines.append(f"  - and {units.with_noun(left, 'more row')}")
    return "\n".join(lines) + "\n"


def _row(row: Row, comparison: Comparison, catalog: Catalog) -> str:
    said = row_texts.row_words(row, comparison, catalog)
    verdict = f"{said.verdict}: {text(said.ground)}"
    return table_row((said.change, said.old, said.new, code(said.unit), code(said.name), verdict))


def table_row(cells: Iterable[str]) -> str:
    """Return cells as a row of a table."""
    return f"| {' | '.join(cells)} |\n"


def text(value: str) -> str:
    """Return text with special characters as references, so that none makes markup, a mention or a
    link."""
    safe = _PLAIN.sub(lambda match: f"&#{ord(match[0])};", visible(value))
    # GitHub turns text that begins with “www.” into a link, even without a scheme.
    safe = re.sub("(?i)www[.]", lambda match: f"{match[0][:-1]}&#46;", safe).replace("--", "-&#45;")
    # An invisible word joiner keeps “@name” from notifying and “#1” from linking.
    safe = re.sub("&#(35|64);", r"&#\1;&#8288;", safe)
    # A line that begins with a number or a dash would start a list.
    return re.sub(r"^( *)([-+](?= |$)|\d+(?=[.)](?: |$)))", _first, safe)


def _first(match: re.Match[str]) -> str:
    if match[2].isdigit():
        return f"{match[1]}&#{ord(match[2][0])};{match[2][1:]}"
    return f"{match[1]}&#{ord(match[2])};"


def code(value: str) -> str:
    """Return a name as code, without mentions or links."""
    return f"<code>{text(value)}</code>"
