"""The command ``find``: the boards that meet a need."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..common.diagnostics import visible, visible_json
from ..common.grouping import grouped
from . import shared

if TYPE_CHECKING:
    from ..bundles.guide_key import GuideKey
    from ..catalog.board_names import Boards
    from ..figures import engines, need
    from ..figures.dataset import Holdings
    from ..figures.pool import Record
    from .places import Places

EXAMPLE = (
    "perfguide find 'openssl/throughput?algorithm=aes-256-cbc&block_size=1024 >= 20 MB/s' "
    "'openssl/cpu_load <= 40 %'"
)


def add_parsers(add: shared.AddParser) -> None:
    """Add the command to the command line."""
    parser = add(
        "find",
        "A CONDITION is BENCHMARK/METRIC?NAME=VALUE&NAME=VALUE >= NUMBER UNIT, or <=. Conditions on "
        "one benchmark apply to the same engine and run. Exit status 3 if no board meets all.",
    )
    # argparse formats help texts with %, so a literal one is doubled.
    example = EXAMPLE.replace("%", "%%")
    parser.add_argument("conditions", nargs="+", metavar="CONDITION", help=f"such as: {example}")
    parser.add_argument("--soc", default="*", help="only these SoCs: AM62X, AM6*")
    parser.add_argument("--os", default="*", help="only this operating system: linux, rt-linux …")
    parser.add_argument("--release", default="*", help="only this release; default: the newest")
    parser.add_argument("--json", action="store_true", help="print JSON")
    shared.add_health(parser)
    shared.add_site(parser, with_paths=False)
    parser.set_defaults(run=_run)


def _run(options: argparse.Namespace) -> int:
    from ..bundles.guide_key import is_like
    from ..catalog import board_names
    from ..figures import engines, need, query
    from .places import Places

    try:
        conditions = [need.parse(text) for text in options.conditions]
    except ValueError as error:
        return shared.fail(f"perfguide find: {error}")
    settings = shared.site_settings(options)
    holdings, status = shared.read_site(settings)
    if status:
        return status
    boards, faults = board_names.load(settings.boards)
    shared.print_all(faults, sys.stderr)
    guides = [
        key
        for key in holdings.pool.guides()
        if is_like(key, options.soc, options.os) and query.is_release(key.release, options.release)
    ]
    try:
        answers = need.answers(holdings.pool, holdings.catalog, boards, conditions, guides)
    except ValueError as error:
        return shared.fail(f"perfguide find: {error}")
    for note in answers.notes:
        print(f"perfguide find: {note}", file=sys.stderr)
    # An engine is inferred from all figures of its run, but conditions name only some.
    records = [
        record
        for key in dict.fromkeys(r.record.guide for a in answers.measured for r in a.readings)
        for record in holdings.pool.of_guide(key)
    ]
    inferred = engines.inferred(records, holdings.catalog)
    places = Places(holdings, settings, with_health=options.health)
    clocks = _clocks(records, holdings, boards)
    question = Question(answers.conditions, holdings, inferred, clocks, places)
    if options.json:
        value = _as_json(answers, question)
        print(visible_json(json.dumps(value, indent=1, ensure_ascii=False)))
    else:
        _print(answers, question)
    return shared.OK if any(a.ratio >= 1 for a in answers.measured) else shared.NOTHING


@dataclass(frozen=True, slots=True)
class Question:
    """The conditions, and facts about the figures that answer them."""

    conditions: Sequence[need.Condition]
    holdings: Holdings
    inferred: Mapping[engines.Run, engines.Inferred]
    clocks: Mapping[tuple[GuideKey, str], float | None]
    places: Places

    def engine(self, record: Record) -> str:
        """Return the display name of a figure's engine, empty for benchmarks without engines."""
        from ..figures import engines

        return engines.of_figure(self.holdings.catalog, record, self.inferred)

    def label(self, condition: need.Condition) -> str:
        """Return a condition's metric in words that distinguish it from the others."""
        from ..figures import engines

        catalog = self.holdings.catalog
        label = engines.metric_label(catalog.benchmark(condition.benchmark), condition.metric)
        title = catalog.title(condition.benchmark)
        is_of_one = len({condition.benchmark for condition in self.conditions}) == 1
        return label if is_of_one or title == label else f"{title}: {label}"

    def clock(self, record: Record) -> float | None:
        """Return the clock of a figure's board, in MHz."""
        return self.clocks[record.guide, record.board]

    def doubts(self, answer: need.Answer) -> list[str]:
        """Return the reasons to doubt the figures of an answer, none without the health checks."""
        records = (r for reading in answer.readings for r in (reading.between or (reading.record,)))
        return [m["title"] for r in records for m in self.places.of(r).get("health", ())]

    def group(self, answer: need.Answer) -> str:
        """Return the group of an answer. One in doubt does not meet a need with margin."""
        from ..figures import need

        return need.JUST if answer.group == need.MEETS and self.doubts(answer) else answer.group


HEADINGS = {
    "meets": "meet it with 10 % or more to spare",
    "just": "just meet it, or are in doubt",
    "cannot": "do not meet it",
}


def _print(answers: need.Answers, question: Question) -> None:
    from ..bundles.guide_key import family, os_name

    for name, heading in HEADINGS.items():
        group = [answer for answer in answers.measured if question.group(answer) == name]
        print(f"{len(group)} {heading}")
        rows = []
        for answer in group:
            row = [answer.platform.soc, answer.board]
            row += map(_figures, answer.readings, (c.unit for c in question.conditions))
            row += [_run_text(answer, question), _margin(answer, question)]
            guides = dict.fromkeys(reading.record.guide for reading in answer.readings)
            row.append(", ".join(f"{family(key)} {key.release}" for key in guides))
            doubts = dict.fromkeys(question.doubts(answer))
            row.append(f"in doubt: {'; '.join(doubts)}" if doubts else "")
            rows.append([visible(cell) for cell in row])
        if rows:
            shared.print_table([["  " + row[0], *row[1:]] for row in rows])
    print(f"{len(answers.unmeasured)} not measured")
    for board in answers.unmeasured:
        missing = "; ".join(str(condition) for condition in board.missing)
        reason = f"no figure for {missing}" if missing else "never all in one run"
        _, soc, os = board.platform
        print(visible(f"  {soc}, {os_name(os)}  {board.board}: {reason}"))


def _run_text(answer: need.Answer, question: Question) -> str:
    """Return the engine of an answer, the parameters that no condition names, and the clock."""
    from ..common import units
    from ..figures import labels
    from ..figures.engines import ENGINE

    named = {name for condition in question.conditions for name, _ in condition.params} | {ENGINE}
    texts = []
    for reading in answer.readings:
        record = reading.record
        texts.append(question.engine(record))
        benchmark = question.holdings.catalog.get(record.benchmark)
        for name, value in sorted(record.params.items()):
            if benchmark is None:
                texts.append(labels.params_text({name: value} if name not in named else {}))
            elif name not in named and value != benchmark.param(name).default:
                texts.append(labels.param(benchmark, name, value))
    clocks = (question.clock(reading.record) for reading in answer.readings)
    texts += [f"{units.number(clock)} MHz" for clock in clocks if clock]
    return ", ".join(dict.fromkeys(filter(None, texts)))


def _clocks(
    records: Iterable[Record], holdings: Holdings, boards: Boards
) -> dict[tuple[GuideKey, str], float | None]:
    """Return the clock in MHz of each guide's boards, by their names in bundles."""
    from ..compare.match import Names
    from ..compare.side_by_side import clock_of

    by_board = grouped(records, lambda record: (record.guide, record.board))
    names = Names(holdings.catalog, boards)
    return {board: clock_of(holdings.pool, figures, names) for board, figures in by_board.items()}


def _figures(reading: need.Reading, unit: str) -> str:
    """Return the figure for a condition, or the two around the requested value, in the unit of the
    condition."""
    from ..common import units

    scale = units.factor(reading.record.unit, unit) or 1.0
    values = [record.cell.mean for record in reading.between or (reading.record,)]
    texts = [units.number(units.scaled(v, scale)) for v in values if v is not None]
    figures = f"{texts[0]} to {texts[1]}" if len(texts) > 1 else texts[0]
    return f"{figures} {units.parse(unit).symbol}".rstrip()


def _margin(answer: need.Answer, question: Question) -> str:
    """Return the margin of each condition, or which ones fail and by how much."""
    from ..figures import need

    fails, texts, conditions = answer.group == need.CANNOT, list[str](), question.conditions
    for reading, condition in zip(answer.readings, conditions, strict=True):
        if fails and reading.ratio >= 1:
            continue
        size = _distance(reading, condition)
        if fails:
            size += " short" if condition.at_least else " over"
        elif not size.startswith("over"):
            size = f"+{size}"
        texts.append(f"{question.label(condition)} {size}" if len(conditions) > 1 else size)
    return ", ".join(texts)


def _distance(reading: need.Reading, condition: need.Condition) -> str:
    """Return how far a figure is from its bound, in points for percentages, else in per cent."""
    from ..common import units

    record = reading.record
    if record.unit == "%" and record.cell.mean is not None:
        factor = units.factor(condition.unit, record.unit) or 1.0
        points = abs(record.cell.mean - condition.bound * factor)
        return f"{units.number(float(f'{points:.2g}'))} points"
    if reading.ratio >= 100:
        return "over 100 times"
    share = 100 * abs(reading.ratio - 1)
    return f"{share:.0f} %" if share >= 1 or not share else "under 1 %"


def _as_json(answers: need.Answers, question: Question) -> dict[str, Any]:
    from ..figures import query
    from ..figures.pool import measured

    def figure(record: Record) -> dict[str, Any]:
        return {"name": query.name(record), **measured(record), **question.places.of(record)}

    return {
        "format": "perfguide-find",
        "conditions": [str(condition) for condition in question.conditions],
        "notes": list(answers.notes),
        "boards": [
            {
                "group": question.group(answer),
                "soc": answer.platform.soc,
                "os": answer.platform.os,
                "board": answer.board,
                "figures": [
                    {
                        **figure(reading.record),
                        "release": reading.record.guide.release,
                        "engine": question.engine(reading.record),
                        "cpu_mhz": question.clock(reading.record),
                        # A ratio can be infinite, which JSON cannot represent.
                        "margin": None if reading.ratio > 1e6 else reading.ratio - 1,
                        "between": [figure(record) for record in reading.between],
                        "earlier": [
                            {"release": record.guide.release, "mean": record.cell.mean}
                            for record in reading.earlier
                        ],
                    }
                    for reading in answer.readings
                ],
            }
            for answer in sorted(
                answers.measured, key=lambda a: [*HEADINGS].index(question.group(a))
            )
        ],
        "not_measured": [
            {
                "soc": board.platform.soc,
                "os": board.platform.os,
                "board": board.board,
                "missing": [str(condition) for condition in board.missing],
            }
            for board in answers.unmeasured
        ],
    }
