"""The command ``find``: the boards that meet a need."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ..common.diagnostics import visible, visible_json
from . import shared

if TYPE_CHECKING:
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
        "one benchmark hold for the same engine and run. Exit status 3 if no board meets all.",
    )
    # argparse formats help texts with %, so a sign of its own is doubled.
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
    # An engine is inferred from all figures of its run, and conditions name only some.
    records = [
        record
        for key in dict.fromkeys(r.record.guide for a in answers.measured for r in a.readings)
        for record in holdings.pool.of_guide(key)
    ]
    inferred = engines.inferred(records, holdings.catalog)
    if options.json:
        places = Places(holdings, settings, with_health=options.health)
        value = _as_json(answers, conditions, inferred, holdings, places)
        print(visible_json(json.dumps(value, indent=1, ensure_ascii=False)))
    else:
        _print(answers, conditions, inferred, holdings)
    return shared.FINE if any(a.ratio >= 1 for a in answers.measured) else shared.NOTHING


def _engine(
    record: Record, inferred: dict[engines.Run, engines.Inferred], holdings: Holdings
) -> str:
    """Return the engine of a figure for readers; an empty text for benchmarks without engines."""
    from ..figures import engines

    benchmark = holdings.catalog.get(record.benchmark)
    if benchmark is None or engines.ENGINE not in record.params:
        return ""
    return engines.label(benchmark, record, inferred)


HEADINGS = {
    "meets": "meet it with 10 % or more to spare",
    "just": "just meet it",
    "cannot": "do not meet it",
}


def _print(
    answers: need.Answers,
    conditions: Sequence[need.Condition],
    inferred: dict[engines.Run, engines.Inferred],
    holdings: Holdings,
) -> None:
    from ..bundles.guide_key import family, os_name

    for name, heading in HEADINGS.items():
        group = answers.group(name)
        print(f"{len(group)} {heading}")
        rows = []
        for answer in group:
            row = [answer.platform[1], answer.board]
            row += map(_figures, answer.readings, (each.unit for each in conditions))
            row.append(_run_text(answer, conditions, inferred, holdings))
            row.append(_distance(answer))
            guides = dict.fromkeys(reading.record.guide for reading in answer.readings)
            row.append(", ".join(f"{family(key)} {key.release}" for key in guides))
            rows.append([visible(cell) for cell in row])
        if rows:
            shared.print_table([["  " + row[0], *row[1:]] for row in rows])
    print(f"{len(answers.unmeasured)} not measured")
    for board in answers.unmeasured:
        missing = "; ".join(str(each) for each in board.missing)
        reason = f"no figure for {missing}" if missing else "never all in one run"
        _, soc, os = board.platform
        print(visible(f"  {soc}, {os_name(os)}  {board.board}: {reason}"))


def _run_text(
    answer: need.Answer,
    conditions: Sequence[need.Condition],
    inferred: dict[engines.Run, engines.Inferred],
    holdings: Holdings,
) -> str:
    """Return the engine of an answer, and the parameters that no condition names."""
    from ..figures import labels
    from ..figures.engines import ENGINE

    asked = {name for condition in conditions for name, _ in condition.params} | {ENGINE}
    texts = []
    for reading in answer.readings:
        record = reading.record
        texts.append(_engine(record, inferred, holdings))
        benchmark = holdings.catalog.get(record.benchmark)
        for name, value in sorted(record.params.items()):
            if benchmark is None:
                texts.append(labels.params_text({name: value} if name not in asked else {}))
            elif name not in asked and value != benchmark.param(name).default:
                texts.append(labels.param(benchmark, name, value))
    return ", ".join(dict.fromkeys(filter(None, texts)))


def _figures(reading: need.Reading, unit: str) -> str:
    """Return the figure of a condition, or the two on both sides of the value asked for, in the unit
    of the condition."""
    from ..common import units

    own = reading.record.unit
    scale = (units.factor(own, unit) if unit else None) or 1.0
    values = [each.cell.mean for each in reading.between or (reading.record,)]
    texts = [units.number(units.scaled(v, scale)) for v in values if v is not None]
    figures = f"{texts[0]} to {texts[1]}" if len(texts) > 1 else texts[0]
    return f"{figures} {units.parse(unit or own).symbol}".rstrip()


def _distance(answer: need.Answer) -> str:
    """Return how far a board is from failing the conditions, or from meeting them."""
    from ..figures import need

    if answer.group == need.CANNOT:
        failed = (100 * (1 - r.ratio) for r in answer.readings if r.ratio < 1)
        return ", ".join(f"{p:.0f} % short" if p >= 1 else "under 1 % short" for p in failed)
    return ", ".join(
        f"+{100 * (reading.ratio - 1):.0f} %" if reading.ratio < 100 else "over 100 times"
        for reading in answer.readings
    )


def _as_json(
    answers: need.Answers,
    conditions: Sequence[need.Condition],
    inferred: dict[engines.Run, engines.Inferred],
    holdings: Holdings,
    places: Places,
) -> dict[str, Any]:
    from ..figures import query
    from ..figures.pool import measured

    def figure(record: Record) -> dict[str, Any]:
        return {"name": query.name(record), **measured(record), **places.of(record)}

    return {
        "format": "perfguide-find",
        "conditions": [str(each) for each in conditions],
        "boards": [
            {
                "group": answer.group,
                "soc": answer.platform[1],
                "os": answer.platform[2],
                "board": answer.board,
                "figures": [
                    {
                        **figure(reading.record),
                        "release": reading.record.guide.release,
                        "engine": _engine(reading.record, inferred, holdings),
                        # A ratio can be infinite, which JSON has no number for.
                        "margin": None if reading.ratio > 1e6 else reading.ratio - 1,
                        "between": [figure(each) for each in reading.between],
                        "earlier": [
                            {"release": each.guide.release, "mean": each.cell.mean}
                            for each in reading.earlier
                        ],
                    }
                    for reading in answer.readings
                ],
            }
            for answer in answers.measured
        ],
        "not_measured": [
            {
                "soc": each.platform[1],
                "os": each.platform[2],
                "board": each.board,
                "missing": [str(condition) for condition in each.missing],
            }
            for each in answers.unmeasured
        ],
    }
