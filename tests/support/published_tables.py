"""The published tables of the results of imported bundles, inferred from the order of the results."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

Params = Mapping[str, Any]


def tables_of(results: Sequence[tuple[str, str, Params]]) -> list[dict[str, Any]]:
    """Return the parameters that name the table of each result, given by benchmark, metric and
    parameters. A table was written column by column, with its title only in rows that an earlier
    table has too."""
    keys = [result[:2] for result in results]
    out = [{n: v for n, v in own.items() if n.startswith("table")} for *_, own in results]
    for at in (at for at, own in enumerate(out) if "table_no" in own):
        first = last = at
        while first and keys[first - 1] == keys[at]:
            first -= 1
        while last + 1 < len(keys) and keys[last + 1] == keys[at]:
            last += 1
        column = range(first, last + 1)
        rows = [{n: v for n, v in results[i][2].items() if n not in out[at]} for i in column]
        if all(out[i] in ({}, out[at]) for i in column) and all(
            rows.count(own) == 1 for own in rows
        ):
            for i in column if len(rows) > 1 else ():
                out[i] = out[at]
    return out
