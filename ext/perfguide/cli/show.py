"""The command ``show``: figures with their sources."""

from __future__ import annotations

import argparse
import json
import shlex
import sys

from ..common.diagnostics import visible, visible_json
from ..common.units import with_noun
from . import shared


def add_parsers(add: shared.AddParser) -> None:
    """Add the command to the command line."""
    parser = add(
        "show",
        "A QUERY is SOC/RELEASE/BOARD/BENCHMARK/METRIC. Trailing parts may be left out, "
        "a release can be abbreviated (09.01), and * matches any name.",
    )
    parser.add_argument("query", metavar="QUERY", help="AM62X/09.01/am62xx_sk-fs/lmbench/bw_pipe")
    parser.add_argument("--os", default="*", help="only this operating system: linux, rt-linux …")
    parser.add_argument(
        "--param",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="only with this parameter: block_size=1024; may be repeated",
    )
    parser.add_argument("--json", action="store_true", help="print JSON")
    shared.add_health(parser)
    shared.add_site(parser)
    parser.set_defaults(run=_run)


def _run(options: argparse.Namespace) -> int:
    from ..figures import engines, query
    from .places import Places

    settings = shared.site_settings(options)
    holdings, status = shared.read_site(settings)
    if status:
        return status
    try:
        parsed = query.parse(options.query, options.os, options.param)
    except ValueError as error:
        return shared.fail(f"perfguide show: {error}")
    records = query.run(holdings, parsed)
    if not records:
        hint = query.nearest_name(holdings, parsed)
        print(f"nothing matches “{visible(options.query)}”{hint}", file=sys.stderr)
        print(f"a query is {query.FORM}; trailing parts may be left out", file=sys.stderr)
        for suggestion in query.near(holdings, parsed):
            print(f"try: perfguide show {shlex.quote(visible(suggestion))}", file=sys.stderr)
        return shared.NOTHING
    if options.json:
        places = Places(holdings, settings, with_health=options.health)
        # An engine is inferred from all figures of its run, but the query may select only one.
        guides = dict.fromkeys(record.guide for record in records)
        every = [record for key in guides for record in holdings.pool.of_guide(key)]
        inferred = engines.inferred(every, holdings.catalog)
        figures = [
            query.as_json(holdings, record)
            | {"engine": engines.of_figure(holdings.catalog, record, inferred)}
            | places.of(record)
            for record in records
        ]
        # Readable names, but nothing that a terminal would interpret.
        print(visible_json(json.dumps(figures, indent=1, ensure_ascii=False)))
        return shared.OK
    for record in records:
        print(query.as_text(holdings, record))
    # On stderr, so that only the figures are piped on.
    print(with_noun(len(records), "figure"), file=sys.stderr)
    return shared.OK
