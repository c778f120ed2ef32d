"""Bundles from imported tables, exact to the digit, and a diagnostic for each cell left out."""

from __future__ import annotations

import datetime
import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass, field

import msgspec

from ..bundle import Board, Bundle, Log, Result, Runner, Sdk, consistent, encode, names_show
from ..common.diagnostics import Diagnostic, visible
from .mapping import Column, Map, Matcher, Rule, Scalar, Unmapped, unit_name, with_unit
from .model import Cell, Table

_NUMBER = r"-?[0-9]{1,16}(?:\.[0-9]{1,21})?(?:[eE][-+]?[0-9]{1,3})?"
_FIGURE = re.compile(
    rf"({_NUMBER})(?: ?\(min ({_NUMBER}), ?max ({_NUMBER})\))?(?: n=([1-9][0-9]{{0,8}}))?"
    r"(?: ?([A-Za-z%µ][A-Za-z0-9/%µ]{0,15}))?"
)
"""A figure, the range and number of its samples if given, and its unit if the cell gives one."""
_MISSING = frozenset({"", "-", "–", "—", "n/a", "na", "none", "tbd", "nt"})
_SIZES = {"k": 1024, "m": 1024**2, "g": 1024**3}
KIND = "log-row"


@dataclass(frozen=True, slots=True)
class Release:
    """The release that the tables belong to, its date, and the origin of the tables."""

    sdk: str
    created: datetime.datetime
    source: str = ""
    """The commit, for a release taken from a history."""


@dataclass(slots=True)
class Imported:
    """Bundles in the order of their boards, and diagnostics for everything left out."""

    bundles: list[Bundle] = field(default_factory=list)
    left_out: list[Diagnostic] = field(default_factory=list)
    loose: int = 0
    """The number of tables taken by an entry with another heading or caption."""
    missing: int = 0
    """The number of cells in which the guide itself has no figure."""
    notes: list[Diagnostic] = field(default_factory=list)
    """Tables and figures that were taken, but should be checked by a person."""
    unmapped: list[Unmapped] = field(default_factory=list)
    """Tables without an entry in the map."""
    first_locations: dict[tuple[object, ...], str] = field(default_factory=dict)
    """File and line of the first figure with each combination of names and parameters."""


def build(tables: Sequence[Table], meaning: Map, release: Release) -> Imported:
    """Return one bundle for each board that has figures in the tables."""
    out = Imported()
    results: dict[str, list[Result]] = {}
    matcher = Matcher(meaning, tables, release.sdk)
    for table in tables:
        match = matcher.match(table)
        if isinstance(match, Unmapped):
            out.unmapped.append(match)
            cells = sum(len(row) for row in table.rows)
            where = " > ".join((*table.headings, *([table.caption] if table.caption else [])))
            message = f"the map has no entry for this table of {cells} cells: {where[:200]}"
            if match.boards:
                message = f"the map does not know {', '.join(match.boards)[:200]}: {where[:200]}"
            _leave_out(out, table.file, table.line, message, "add the lines that are listed last")
            continue
        rule = match.rule
        if not match.exact:
            # A guess that turns out wrong publishes figures under another name, so it is reported.
            where = " > ".join((*table.headings, *([table.caption] if table.caption else [])))
            message = f"taken as “{rule.heading} > {rule.caption}”: {where[:200]}"
            out.loose += 1
            out.notes.append(Diagnostic("log-note", table.file, message, line=table.line))
        if not rule.skip:
            columns = matcher.columns(rule, table)
            for row in table.rows:
                _row(table, row, columns, rule, meaning, results, out)
    for board, own in results.items():
        try:
            out.bundles.append(_bundle(board, own, meaning, release))
        except ValueError as error:
            first = own[0].log or Log(file="import", line=1)
            message = f"{len(own)} figures of “{visible(board[:60])}” make no bundle: {error}"
            _leave_out(out, first.file, first.line or 1, message)
    return out


def _row(
    table: Table,
    row: tuple[Cell, ...],
    columns: Sequence[tuple[str, Column] | None],
    rule: Rule,
    meaning: Map,
    results: dict[str, list[Result]],
    out: Imported,
) -> None:
    params: dict[str, Scalar] = dict(rule.params)
    metric = unit = board = ""
    # Keys may come after figures in a row, so they are read first.
    for board_column, cell in zip(columns, row, strict=False):
        if not board_column or not board_column[1].key:
            continue
        key, how = board_column[1].key, board_column[1].read
        if key == "metric":
            metric, unit = with_unit(cell.text)
        elif key == "board":
            board = meaning.boards.get(cell.text, cell.text)
        elif (value := _key(cell.text, how)) is None:
            message = (
                f"“{visible(cell.text[:60])}” cannot be read as the {key}: its row is left out"
            )
            _leave_out(out, table.file, cell.line, message)
            return
        else:
            params[key] = value
    for board_column, cell in zip(columns, row, strict=False):
        if not board_column or board_column[1].key or board_column[1].skip:
            continue
        named, column = board_column
        result = _result(
            cell,
            rule.benchmark,
            column.metric or metric,
            column.unit or unit_name(unit),
            {**params, **column.params},
            table.file,
            out,
        )
        # The column's own text is the most specific source of the board, the entry the least.
        whose = named or column.board or board or rule.board
        if result is not None and not whose:
            hint = "say it in the map, with board = …"
            message = "which board this figure is of is not stated"
            _leave_out(out, table.file, cell.line, message, hint)
        elif result is not None and not names_show(
            {whose, result.benchmark, result.metric, result.unit, *result.params}
        ):
            _leave_out(out, table.file, cell.line, "a name of this figure does not show")
        elif result is not None:
            results.setdefault(whose, []).append(result)
            where = f"{table.file}:{cell.line}"
            # The type is part of the key: 1 and true are equal to Python.
            params_key = tuple(sorted((k, type(v).__name__, v) for k, v in result.params.items()))
            name_key = (whose, result.benchmark, result.metric, params_key)
            first = out.first_locations.setdefault(name_key, where)
            if first != where:
                message = f"a figure with the same names as that of {first}: they pool"
                hint = "tell them apart in the map, with params"
                out.notes.append(Diagnostic("log-note", table.file, message, hint, line=cell.line))
    for cell in row[len(table.head) :]:
        _leave_out(out, table.file, cell.line, f"“{visible(cell.text[:60])}” has no head above it")


def _result(
    cell: Cell,
    benchmark: str,
    metric: str,
    unit: str,
    params: dict[str, Scalar],
    file: str,
    out: Imported,
) -> Result | None:
    """Return the result in a cell, or ``None`` for a missing figure or one that cannot be read.

    The second gets a diagnostic; missing figures are counted.
    """
    text = cell.text.replace("\N{MINUS SIGN}", "-")
    if text.lower() in _MISSING:
        out.missing += 1
        return None
    match = _FIGURE.fullmatch(text)
    # The cell's own unit is closer to the figure than that of the head.
    if match and match[5]:
        unit = unit_name(match[5])
    if not (benchmark and metric and unit):
        what = "metric" if not metric else "unit" if not unit else "benchmark"
        message = f"“{visible(text[:60])}”: its {what} is not stated"
        _leave_out(out, file, cell.line, message, "say it in the map")
        return None
    log = Log(file=file, line=cell.line)
    if text.lower() == "failed":
        return Result(
            benchmark=benchmark, metric=metric, unit=unit, params=params, status="fail", log=log
        )
    if match is None:
        _leave_out(out, file, cell.line, f"“{visible(text[:60])}” is not a figure")
        return None
    low, high, count = match[2], match[3], match[4]
    if low and high and float(low) > float(high):
        _leave_out(out, file, cell.line, f"“{visible(text[:60])}”: its min is above its max")
        return None
    return Result(
        benchmark=benchmark,
        metric=metric,
        unit=unit,
        params=params,
        value=float(match[1]),
        min=float(low) if low else msgspec.UNSET,
        max=float(high) if high else msgspec.UNSET,
        count=int(count) if count else msgspec.UNSET,
        log=log,
    )


def _key(text: str, how: str) -> Scalar | None:
    """Return the value of a parameter, or ``None`` if the cell is empty or not of its kind."""
    if not text:
        return None
    if how == "hex":
        return int(text, 16) if re.fullmatch("(?:0x)?[0-9a-fA-F]{1,15}", text) else None
    if how == "size":
        size = re.fullmatch("([0-9]{1,15})([kKmMgG]?)", text)
        return int(size[1]) * _SIZES.get(size[2].lower(), 1) if size else None
    if how != "text" and re.fullmatch("-?[0-9]{1,15}", text):
        return int(text)
    if how != "text" and re.fullmatch(r"-?[0-9]{1,15}\.[0-9]{1,15}", text):
        return float(text)
    return None if how == "number" else text


def _bundle(board: str, results: list[Result], meaning: Map, release: Release) -> Bundle:
    guide = meaning.guide
    tools: dict[str, Scalar] = {"commit": release.source} if release.source else {}
    # The same figures get the same id, so importing a guide again adds nothing.
    digits = hashlib.sha256(msgspec.json.encode([board, results, release.source])).hexdigest()
    words = (guide.soc, guide.os, release.sdk, board, digits[:10])
    bundle = Bundle(
        format="perfguide-bundle",
        version=1,
        id="-".join(words)[-200:],
        created=release.created,
        sdk=Sdk(version=release.sdk, os=guide.os, name=guide.name),
        board=Board(name=board, soc=guide.soc),
        results=results,
        runner=Runner(name="import"),
        tools=tools,
    )
    if not consistent(bundle):
        raise ValueError(f"the tables of {board} hold a name that does not show")
    # Encoding checks the limits that a reader of the bundle would apply.
    encode(bundle)
    return bundle


def _leave_out(out: Imported, file: str, line: int, message: str, hint: str = "") -> None:
    out.left_out.append(Diagnostic(KIND, file, message, hint, line=line))
