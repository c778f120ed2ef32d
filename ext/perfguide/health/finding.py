"""Health rules, their hits on single figures, and the findings that reports list."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace

from ..bundles.guide_key import GuideKey
from ..common import units
from ..common.diagnostics import APART_SIGN, SEVERITIES, SIGNS, Severity
from ..common.grouping import grouped
from ..figures import labels
from ..figures.columns import GUIDE, Figures
from ..figures.pool import Record

MAX_DETAILS = 3
"""The most figures mentioned in a finding's reason; its list has all of them."""


KIND_WORDS: Mapping[Severity, str] = {"error": "wrong", "warning": "suspect", "note": "note"}
"""Words for findings on pages: a figure that is impossible, unlikely, or true but imprecise."""

LEGEND = ", ".join(f"{SIGNS[severity]} {words}" for severity, words in KIND_WORDS.items())
"""An explanation of the signs of findings."""

APART = "runs far apart"
DOUBTFUL = "? in doubt and not ranked"
SIGNS_LEGEND = (
    f"↑ higher is better, ↓ lower, — not measured, {APART_SIGN} {APART}, "
    f"{DOUBTFUL}, {LEGEND}: see Health."
)
"""An explanation of all signs on pages with figures."""


def kind_counts(severities: Iterable[Severity]) -> dict[Severity, str]:
    """Return in words the number of findings by severity, worst first: ``2 notes``."""
    numbers = Counter(severities)
    plural = {"note": "s"} if numbers["note"] != 1 else {}
    return {
        severity: f"{numbers[severity]:,} {KIND_WORDS[severity]}{plural.get(severity, '')}"
        for severity in SEVERITIES
        if numbers[severity]
    }


@dataclass(frozen=True, slots=True)
class Rule:
    """A kind of fault in figures, with the members that ``rules.toml`` explains."""

    id: str
    severity: Severity
    title: str
    about: str
    advice: str
    marks: bool = True
    disqualifies: bool = False


@dataclass(frozen=True, slots=True)
class Hit:
    """A suspicious figure reported by a rule.

    ``position`` is its position in :class:`Figures`, and ``detail`` describes the fault. Hits of
    one rule, guide and benchmark become one finding. If the finding belongs to another guide than
    the figure's own, ``guide`` is the position of any figure of that guide. ``weight`` ranks hits,
    and findings of one severity, largest first. ``may_lead`` is set if the figure may be right
    although its rule disqualifies."""

    rule: str
    position: int
    detail: str
    weight: float = 1.0
    guide: int | None = None
    may_lead: bool = False


@dataclass(frozen=True, slots=True)
class Suspect:
    """A figure of a finding, and its fault.

    ``label`` names it within its guide, benchmark and board: the metric, and parameters that differ
    from their defaults. ``disqualified`` is set if it may not lead a headline or sentence, or set
    the scale of bars.
    """

    record: Record
    detail: str
    label: str
    disqualified: bool = False


@dataclass(frozen=True, slots=True)
class Finding:
    """A fault in some figures of a benchmark.

    ``id`` is its anchor in the report, which depends only on the guide, the benchmark and the rule.
    ``acknowledged`` is the reason for accepting it, or empty. ``left_out`` is the number of
    suspects dropped by :meth:`in_brief`."""

    id: str
    rule: Rule
    guide: GuideKey
    benchmark: str
    suspects: tuple[Suspect, ...]
    weight: float
    acknowledged: str = ""
    left_out: int = 0

    @property
    def figures(self) -> int:
        """The number of figures in doubt."""
        return len(self.suspects) + self.left_out

    def in_brief(self) -> Finding:
        """Return the finding without its suspects, as a site can have too many for memory."""
        return replace(self, suspects=(), left_out=self.figures)

    @property
    def severity(self) -> Severity:
        """The severity of its rule."""
        return self.rule.severity

    @property
    def reason(self) -> str:
        """The fault, with boards named as in bundles."""
        return self.reason_with(lambda board: board)

    def worst_with(self, board_name: Callable[[str], str]) -> str:
        """Return the fault of its worst figure."""
        first = self.suspects[0]
        return f"{self._named(first, board_name)}: {first.detail}"

    def _named(self, suspect: Suspect, board_name: Callable[[str], str]) -> str:
        """Return the board and the label of a figure, and its release unless that of the guide."""
        record = suspect.record
        release = "" if record.guide == self.guide else f" in {record.guide.release}"
        return f"{board_name(record.board)}{release}, {suspect.label}"

    def reason_with(self, board_name: Callable[[str], str]) -> str:
        """Return the fault with its worst figures; a detail shared by several is given once."""
        by_detail = grouped(self.suspects, lambda suspect: suspect.detail)
        parts = []
        left = len(self.suspects)
        for detail, alike in list(by_detail.items())[:MAX_DETAILS]:
            # With several details, one figure is enough as an example of each.
            examples = alike[: 1 if len(by_detail) > 1 else MAX_DETAILS]
            named = "; ".join(self._named(suspect, board_name) for suspect in examples)
            parts.append(f"{named}{_more(len(alike) - len(examples))}: {detail}")
            left -= len(alike)
        return ". ".join(parts) + _more(left)


def _more(count: int) -> str:
    return f"; and {count} more figure{'s' if count > 1 else ''}" if count else ""


def amount(value: float, unit: str) -> str:
    """Return a figure with its unit, rounded as in tables."""
    return f"{units.number(value)} {units.parse(unit).symbol}".rstrip()


def exact_amount(value: float, unit: str) -> str:
    """Return a figure with its unit and all digits: for rules that compare them."""
    return f"{units.exact_words(value)} {units.parse(unit).symbol}".rstrip()


def gather(figures: Figures, hits: Iterable[Hit], rules: dict[str, Rule]) -> list[Finding]:
    """Group hits into findings, one per rule, guide and benchmark.

    Several hits on one figure become one suspect with all their details.
    """
    by_finding: dict[tuple[str, GuideKey, str], dict[int, list[Hit]]] = {}
    guides, guide_of = figures.groups(*GUIDE), dict[int, GuideKey]()
    for hit in hits:
        position = hit.position if hit.guide is None else hit.guide
        number = int(guides[position])
        guide = guide_of.get(number) or guide_of.setdefault(number, figures.guide(position))
        key = (hit.rule, guide, figures.name("benchmark", hit.position))
        by_finding.setdefault(key, {}).setdefault(hit.position, []).append(hit)
    positions = sorted({position for hits_at in by_finding.values() for position in hits_at})
    records = dict(zip(positions, figures.pool.take(positions), strict=True))
    findings = []
    for (rule, guide, benchmark), by_position in by_finding.items():
        weights = {p: max(hit.weight for hit in alike) for p, alike in by_position.items()}
        labelled = {p: _label(figures, records[p]) for p in by_position}
        order = {p: units.natural(f"{records[p].board}, {labelled[p]}") for p in by_position}
        # Those of the guide itself come first.
        ranked = sorted(
            by_position, key=lambda p: (-weights[p], records[p].guide != guide, order[p], p)
        )
        suspects = tuple(
            Suspect(
                records[p],
                "; ".join(dict.fromkeys(h.detail for h in by_position[p])),
                labelled[p],
                rules[rule].disqualifies and not all(h.may_lead for h in by_position[p]),
            )
            for p in ranked
        )
        address, weight = _address(rule, guide, benchmark), max(weights.values())
        findings.append(Finding(address, rules[rule], guide, benchmark, suspects, weight))
    return ranked_findings(findings)


def _label(figures: Figures, record: Record) -> str:
    benchmark = figures.catalog.get(record.benchmark)
    if benchmark is None:
        words = record.metric, labels.params_text(record.params)
    else:
        metric = benchmark.metric(record.metric)
        # The label of a row, such as “1 MiB”, is only clear within its table.
        label = benchmark.metric_label(record.metric)
        short = metric.short if metric and label[:1].isdigit() and not metric.at else ""
        words = short or label, labels.params(benchmark, record)
    return ", ".join(filter(None, words))


def _address(rule: str, guide: GuideKey, benchmark: str) -> str:
    # The empty part keeps the anchors stable that older reports link to.
    parts = (rule, guide.sdk, guide.soc, guide.os, guide.release, benchmark, "")
    text = "\0".join(parts).encode("utf-8", "surrogatepass")
    return f"{rule}-{hashlib.sha256(text).hexdigest()[:10]}"


def ranked_findings(findings: Iterable[Finding]) -> list[Finding]:
    """Return findings in the order in which a maintainer should read them."""
    return sorted(
        findings,
        key=lambda f: (
            SEVERITIES.index(f.severity),
            -f.weight,
            -f.figures,
            units.natural(str(f.guide)),
            f.benchmark,
            # Ids are unique, so the result does not depend on the order of the input.
            f.id,
        ),
    )


def counts(findings: Iterable[Finding]) -> list[tuple[Rule, int, int]]:
    """Return each rule that has findings, with the number of findings and of their figures."""
    rows = [
        (of_rule[0].rule, len(of_rule), sum(f.figures for f in of_rule))
        for of_rule in grouped(findings, lambda finding: finding.rule.id).values()
    ]
    return sorted(rows, key=lambda row: (SEVERITIES.index(row[0].severity), -row[1], row[0].id))
