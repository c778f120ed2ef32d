"""Rules about figures that are not there."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pandas as pd

from ..catalog.benchmarks import Scalar
from ..figures.columns import GUIDE, OWNER, SERIES, Figures, Flags, Ints, together
from ..tables.assign import Layout
from .finding import Hit, Rule

RULES = (
    Rule(
        "lost-table",
        "warning",
        "a benchmark that a release lost",
        "a board has no figure of a benchmark that it had in its release before",
        "see in the runner's log why the benchmark did not run, and upload what is missing",
        marks=False,
    ),
    Rule(
        "lost-rows",
        "warning",
        "rows that a release lost",
        "a board has figures of a benchmark, but not all that it had in its release before",
        "see in the runner's log why these figures are missing, or whether they were renamed",
        marks=False,
    ),
    Rule(
        "row-cut-short",
        "warning",
        "a row cut short",
        "a row of a table has no figure for a board that has one in most other rows",
        "see in the runner's log why the figure is missing, and upload it",
    ),
)


def lost(figures: Figures) -> Iterator[Hit]:
    """Figures of a board's release that its next release does not have.

    The finding belongs to the guide that lost them; the figures are those of the
    release before, which are all that is left of them.
    """
    if not len(figures):
        return
    owner = figures.groups(*OWNER)
    runs = together(owner, figures.release_rank)
    first = np.unique(runs, return_index=True)[1]
    order = np.lexsort((figures.release_rank[first], owner[first]))
    sequence = np.empty(len(first), dtype="int64")
    sequence[order] = np.arange(len(first))
    step = sequence[runs]
    owner_at = owner[first][order]
    # The number of a run's successor is its own plus one, where the board has one.
    has_next = np.append(owner_at[1:] == owner_at[:-1], False)[step]
    series = figures.groups(*SERIES)
    table = figures.groups(*OWNER, "benchmark")
    gone = has_next & ~_present(series, step + 1, series, step)
    whole = gone & ~_present(table, step + 1, table, step)
    newer = first[order]
    fresh = ~_present(series, step - 1, series, step)
    added_to = _places(table, step, np.flatnonzero(fresh & (step > 0)))
    renamed = _renamed(figures, _places(table, step + 1, np.flatnonzero(gone & ~whole)), added_to)
    for position in np.flatnonzero(gone & _results(figures)).tolist():
        if position in renamed:
            continue
        home = int(newer[step[position] + 1])
        release = figures.name("release", position)
        if whole[position]:
            detail = f"in {release}, and none of this benchmark in {figures.name('release', home)}"
            yield Hit("lost-table", position, detail, weight=2.0, guide=home)
            continue
        detail = f"in {release}, and not in {figures.name('release', home)}"
        added = len(added_to.get((int(table[position]), int(step[position]) + 1), ()))
        if added:
            one = "is 1 figure" if added == 1 else f"are {added} figures"
            detail += f", where there {one} that {release} did not have"
        yield Hit("lost-rows", position, detail, guide=home)


def _results(figures: Figures) -> Flags:
    """Figures that are better high or low. A setting, or a count that a histogram
    has where there is something to count, is missed by nobody."""
    sorts = figures.kinds[1]
    return figures.of_kind([m is None or m.better != "neither" for _, m, _ in sorts])


def _places(key: Ints, step: Ints, positions: Ints) -> dict[tuple[int, int], list[int]]:
    """Positions by their key and step."""
    out: dict[tuple[int, int], list[int]] = {}
    for position in positions.tolist():
        out.setdefault((int(key[position]), int(step[position])), []).append(position)
    return out


def _renamed(
    figures: Figures,
    gone: dict[tuple[int, int], list[int]],
    added: dict[tuple[int, int], list[int]],
) -> set[int]:
    """Figures that a release has under another value of one parameter, or without it.

    All that had the old value are gone, and the same ones, but for that value, are
    new: a table that was numbered or spelt otherwise.
    """
    out: set[int] = set()
    for place, positions in gone.items():
        new = added.get(place, [])
        names = {name for p in (*positions, *new) for name in figures.params(p)}
        before, after = (_by_value(figures, p, names) for p in (positions, new))
        kinds = {(key, frozenset(rest)) for (key, _), rest in after.items()}
        for (key, _), rest in before.items():
            if (key, frozenset(rest)) in kinds:
                out.update(rest.values())
    return out


def _by_value(
    figures: Figures, positions: list[int], names: set[str]
) -> dict[tuple[str, Scalar | None], dict[tuple[object, ...], int]]:
    """For each parameter and value what the figures are besides, and their positions."""
    out: dict[tuple[str, Scalar | None], dict[tuple[object, ...], int]] = {}
    for position in positions:
        params = figures.params(position)
        for name in names:
            value = params.get(name)
            others = sorted((k, str(v)) for k, v in params.items() if k != name)
            rest = (figures.name("metric", position), figures.name("unit", position), *others)
            out.setdefault((name, value), {})[rest] = position
    return out


def _present(key: Ints, step: Ints, known_key: Ints, known_step: Ints) -> Flags:
    """For each pair of a key and a step whether it is among the known ones."""
    width = int(max(step.max(initial=0), known_step.max(initial=0))) + 2
    found: Flags = np.isin(key * width + step + 1, known_key * width + known_step + 1)
    return found


def row_cut_short(figures: Figures) -> Iterator[Hit]:
    """Rows that lack a board which has most other rows of the same column."""
    if not len(figures):
        return
    row, column = _cells(figures)
    guide = figures.groups(*GUIDE)
    column = together(guide, column)
    row = together(column, row)
    board = figures.code("board")
    frame = pd.DataFrame({"column": column, "row": row, "board": board})
    rows_of_board = frame.groupby(["column", "board"])["row"].nunique()
    rows_of_column = frame.groupby("column")["row"].nunique()
    share = rows_of_board / rows_of_column.reindex(rows_of_board.index, level="column")
    due = share[(share >= 0.6)].index.to_frame(index=False)
    due = due[due["column"].map(rows_of_column) >= 3]
    wanted = frame[["row", "column"]].drop_duplicates("row").merge(due, on="column")
    names = figures.names("board")
    pairs = (wanted["row"] * len(names) + wanted["board"]).to_numpy()
    absent_here = ~np.isin(pairs, row * len(names) + board)
    missing: dict[int, set[int]] = {}
    for number, code in wanted.loc[absent_here, ["row", "board"]].itertuples(index=False):
        missing.setdefault(int(number), set()).add(int(code))
    cut = np.isin(row, list(missing)) & _results(figures)
    for position in np.flatnonzero(cut).tolist():
        absent = sorted(names[code] for code in missing[int(row[position])])
        verb = "has" if len(absent) == 1 else "have"
        detail = f"{' and '.join(absent)} {verb} no figure in this row"
        yield Hit("row-cut-short", position, detail, weight=float(len(absent)))


def _cells(figures: Figures) -> tuple[Ints, Ints]:
    """For each figure numbers of the row and the column that show it, without the
    board: rows are what the catalog's table calls so, columns are all else."""
    layout = Layout(figures.catalog)
    sort = figures.groups("benchmark", "metric", "unit", "params")
    places = np.unique(sort, return_index=True)[1].tolist()
    rows: dict[tuple[object, ...], int] = {}
    columns: dict[tuple[object, ...], int] = {}
    row = np.empty(len(places), dtype="int64")
    column = np.empty(len(places), dtype="int64")
    for number, record in enumerate(figures.pool.take(places)):
        claim = layout.claim(record)
        down: set[str] = {"metric", *record.params}
        if claim is not None:
            down = set(figures.catalog.benchmarks[record.benchmark].entry.tables[claim].rows)
        values = {k: f"{type(v).__name__}:{v}" for k, v in record.params.items()}
        values["metric"] = f"{record.metric} {record.unit}"
        own = tuple(sorted((k, v) for k, v in values.items() if k in down))
        rest = tuple(sorted((k, v) for k, v in values.items() if k not in down))
        shape = tuple(sorted(record.params))
        row[number] = rows.setdefault(own, len(rows))
        key = (record.benchmark, claim, shape, rest)
        column[number] = columns.setdefault(key, len(columns))
    return row[sort], column[sort]


CHECKS = (lost, row_cut_short)
