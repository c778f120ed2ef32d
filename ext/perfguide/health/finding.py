"""Findings of health rules, in the terms of reports."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace

from ..bundles.guide_key import GuideKey
from ..common import units
from ..common.diagnostics import SEVERITIES, Severity
from ..figures import labels
from ..figures.columns import GUIDE, Figures
from ..figures.pool import Record

MAX_DETAILS = 3
"""Figures mentioned in a finding's reason; the others are in its list."""


KIND_WORDS: Mapping[Severity, str] = {"error": "wrong", "warning": "suspect", "note": "note"}
"""Words of pages for findings: a figure that cannot be right, an unlikely one, and a true but coarse one."""


def kind_counts(severities: Iterable[Severity]) -> dict[Severity, str]:
    """Return the number of findings of each severity in words, the worst first: ``1 wrong``, ``2 notes``."""
    numbers = Counter(severities)
    plural = {each: "s" if each == "note" and numbers[each] != 1 else "" for each in SEVERITIES}
    return {
        each: f"{numbers[each]:,} {KIND_WORDS[each]}{plural[each]}"
        for each in SEVERITIES
        if numbers[each]
    }


@dataclass(frozen=True, slots=True)
class Rule:
    """A kind of fault in figures.

    ``title`` is a short phrase, ``about`` the condition of the rule, and ``advice`` what to do.
    """

    id: str
    severity: Severity
    title: str
    about: str
    advice: str
    marks: bool = True
    """True if the figures of its findings are themselves in doubt, and marked so."""
    disqualifies: bool = False
    """True if the figures of its findings are impossible or suspect: they lead no headline or
    sentence, and no bar is scaled by them."""


@dataclass(frozen=True, slots=True)
class Hit:
    """A suspicious figure, as returned by a rule.

    ``position`` is the figure's in :class:`Figures`; ``detail`` is the fault in words and figures.
    Hits of one rule, guide and benchmark become one finding. ``guide`` is the position of a figure
    in the guide of the finding, if that is not the figure's own. ``weight`` ranks hits and findings
    of one severity, the largest first. ``may_lead`` is set where the figure itself can be right
    although its rule disqualifies.
    """

    rule: str
    position: int
    detail: str
    weight: float = 1.0
    guide: int | None = None
    may_lead: bool = False


@dataclass(frozen=True, slots=True)
class Suspect:
    """A figure of a finding, and its fault.

    ``label`` names it within its guide, benchmark and board: metric, and parameters other than the
    defaults. ``disqualified`` is set where it may lead no headline or sentence, and scale no
    bar.
    """

    record: Record
    detail: str
    label: str
    disqualified: bool = False


@dataclass(frozen=True, slots=True)
class Finding:
    """A fault in some figures of a benchmark.

    ``id`` is its address on the report; it stays the same as long as guide, benchmark and rule do.
    ``acknowledged`` is the reason for accepting it, or empty. ``left_out`` is the number of suspects
    that :meth:`in_brief` has left out.
    """

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
        """Return the finding without its suspects: a site can have too many for memory."""
        return replace(self, suspects=(), left_out=self.figures)

    @property
    def severity(self) -> Severity:
        """The severity of its rule."""
        return self.rule.severity

    @property
    def reason(self) -> str:
        """The fault, with the names of boards in bundles."""
        return self.reason_with(lambda board: board)

    def reason_with(self, board_name: Callable[[str], str]) -> str:
        """Return the fault, with the worst figures; details shared by many are given once."""
        by_detail: dict[str, list[str]] = {}
        for suspect in self.suspects:
            label = f"{board_name(suspect.record.board)}, {suspect.label}"
            by_detail.setdefault(suspect.detail, []).append(label)
        parts = []
        left = len(self.suspects)
        for detail, named in list(by_detail.items())[:MAX_DETAILS]:
            # Beside other details one figure is enough as an example of each.
            examples = named[: 1 if len(by_detail) > 1 else MAX_DETAILS]
            parts.append(f"{'; '.join(examples)}{_more(len(named) - len(examples))}: {detail}")
            left -= len(named)
        return ". ".join(parts) + _more(left)


def _more(count: int) -> str:
    return f"; and {count} more figure{'s' if count > 1 else ''}" if count else ""


def amount(value: float, unit: str) -> str:
    """Return a figure with all its digits and its unit."""
    return f"{units.exact_words(value)} {units.parse(unit).symbol}".rstrip()


def gather(figures: Figures, hits: Iterable[Hit], rules: dict[str, Rule]) -> list[Finding]:
    """Return hits as findings: those of one rule, guide and benchmark are one.

    Two hits on one figure within a finding are one suspect with both details.
    """
    grouped: dict[tuple[str, GuideKey, str], dict[int, list[Hit]]] = {}
    guides, of = figures.groups(*GUIDE), dict[int, GuideKey]()
    for hit in hits:
        position = hit.position if hit.guide is None else hit.guide
        number = int(guides[position])
        guide = of.get(number) or of.setdefault(number, figures.guide(position))
        key = (hit.rule, guide, figures.name("benchmark", hit.position))
        grouped.setdefault(key, {}).setdefault(hit.position, []).append(hit)
    positions = sorted({position for by_position in grouped.values() for position in by_position})
    records = dict(zip(positions, figures.pool.take(positions), strict=True))
    findings = []
    for (rule, guide, benchmark), by_position in grouped.items():
        weights = {p: max(hit.weight for hit in own) for p, own in by_position.items()}
        labelled = {p: _label(figures, records[p]) for p in by_position}
        order = {p: units.natural(f"{records[p].board}, {labelled[p]}") for p in by_position}
        ranked = sorted(by_position, key=lambda p: (-weights[p], order[p], p))
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
        # The label of a row, such as “1 MiB”, says enough in its table only.
        label = benchmark.metric_label(record.metric)
        short = metric.short if metric and label[:1].isdigit() and not metric.at else ""
        words = short or label, labels.params(benchmark, record)
    return ", ".join(filter(None, words))


def _address(rule: str, guide: GuideKey, benchmark: str) -> str:
    # The empty part keeps addresses to which older reports link.
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
            # Ids differ, so the order never depends on the order of the input.
            f.id,
        ),
    )


def counts(findings: Iterable[Finding]) -> list[tuple[Rule, int, int]]:
    """Return each rule with findings, their number, and the number of their figures."""
    by_rule: dict[str, list[Finding]] = {}
    for finding in findings:
        by_rule.setdefault(finding.rule.id, []).append(finding)
    rows = [(own[0].rule, len(own), sum(f.figures for f in own)) for own in by_rule.values()]
    return sorted(rows, key=lambda row: (SEVERITIES.index(row[0].severity), -row[1], row[0].id))
