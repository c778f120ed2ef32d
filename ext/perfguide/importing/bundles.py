"""Bundles from imported tables, exact to the digit, with a diagnostic for each cell left out."""

from __future__ import annotations

import datetime
import hashlib
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase

import msgspec
from msgspec import structs

from ..bundle import Board, Bundle, Log, Note, Result, Runner, Sdk, consistent, encode, names_show
from ..catalog.phrases import is_unit
from ..common.diagnostics import Diagnostic, visible
from .mapping import (
    BoardEntry,
    ColumnOfBoard,
    Map,
    Matcher,
    Rule,
    Scalar,
    Unmapped,
    Words,
    other_socs,
    unit_name,
    with_unit,
)
from .model import Cell, Passage, Table

_NUMBER = r"-?[0-9]{1,16}(?:\.[0-9]{1,21})?(?:[eE][-+]?[0-9]{1,3})?"
_FIGURE = re.compile(
    rf"({_NUMBER})(?: ?\(min ({_NUMBER}), ?max ({_NUMBER})\))?(?: n=([1-9][0-9]{{0,8}}))?"
    r"(?: ?([A-Za-z%µ][A-Za-z0-9/%µ]{0,15}))?"
)
"""A figure, the range and number of its samples if given, and its unit if the cell states one."""
_MISSING = frozenset({"", "-", "–", "—", "n/a", "na", "none", "tbd", "nt"})
_SIZE = re.compile(r"([0-9]{1,15}) ?(?:([kKmMgG])(?:i?[bB])?(?:ytes?)?|[bB](?:ytes?)?)?")
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
    """The number of tables matched by an entry with a different heading or caption."""
    missing: int = 0
    """The number of cells for which the guide itself has no figure."""
    notes: list[Diagnostic] = field(default_factory=list)
    """Tables and figures that were accepted but should be reviewed."""
    unmapped: list[Unmapped] = field(default_factory=list)
    """Tables without an entry in the map."""
    first_locations: dict[tuple[object, ...], tuple[str, int]] = field(default_factory=dict)
    """File and line of the first figure with each combination of names and parameters, and the
    position of its table."""
    same_names: set[tuple[int, int]] = field(default_factory=set)
    """Pairs of positions of tables that have figures with the same names."""
    unconfirmed: int = 0
    """The number of passages in use that are unconfirmed."""
    unlisted_words: int = 0
    """The number of passages around figures that the map does not list."""


@dataclass(slots=True)
class _Figures:
    """The results of a board, and the headings above the table of each."""

    results: list[Result] = field(default_factory=list)
    headings: list[tuple[str, ...]] = field(default_factory=list)


def build(
    tables: Sequence[Table], meaning: Map, release: Release, passages: Sequence[Passage] = ()
) -> Imported:
    """Return one bundle for each board with figures in the tables, including the text around
    them."""
    out = Imported()
    figures: dict[str, _Figures] = {}
    matcher = Matcher(meaning, tables, release.sdk)
    for position, table in enumerate(tables):
        match = matcher.match(table)
        where = " > ".join((*table.headings, *([table.caption] if table.caption else [])))
        if isinstance(match, Unmapped):
            out.unmapped.append(match)
            cells = sum(len(row) for row in table.rows)
            message = f"the map has no entry for this table of {cells} cells: {where[:200]}"
            if match.boards:
                message = f"the map lacks {', '.join(match.boards)[:200]}: {where[:200]}"
            _leave_out(out, table.file, table.line, message, "add the lines listed at the end")
            continue
        rule = match.rule
        if not match.exact:
            # A wrong guess would publish figures under another name, so report it.
            message = f"taken as “{rule.heading} > {rule.caption}”: {where[:200]}"
            out.loose += 1
            out.notes.append(Diagnostic("log-note", table.file, message, line=table.line))
        if not rule.skip:
            columns = matcher.columns(rule, table)
            if not any(column and not column.content.key for column in columns):
                message = "according to its map entry, the table has no column of figures"
                _leave_out(out, table.file, table.line, message)
            for row in table.rows:
                for board, result in _row(table, row, columns, rule, meaning, out):
                    of_board = figures.setdefault(board, _Figures())
                    of_board.results.append(result)
                    of_board.headings.append(table.headings)
                    _note_same_names(board, result, position, out)
    entries = _entries(
        meaning, passages, [h for of_board in figures.values() for h in of_board.headings], out
    )
    # Maps of earlier imports name no SoC for each board.
    stated = {meaning.board(name).name for name in meaning.boards if meaning.board(name).soc}
    for board, soc in other_socs(list(figures), meaning.guide.soc).items():
        if board not in stated:
            message = f"“{visible(board)}” is taken to be a board of {visible(meaning.guide.soc)}"
            hint = f'if its SoC is {soc}, write soc = "{soc}" in [boards] of the map'
            out.notes.append(Diagnostic("log-note", "the map", message, hint))
    for board, of_board in figures.items():
        try:
            out.bundles.append(_bundle(board, of_board, entries, meaning, release))
        except ValueError as error:
            first = of_board.results[0].log or Log(file="import", line=1)
            message = f"{len(of_board.results)} figures of “{visible(board[:60])}” cannot be bundled: {error}"
            _leave_out(out, first.file, first.line or 1, message)
    return out


def same_names(
    tables: Sequence[Table], rules: Sequence[Rule], boards: Iterable[str]
) -> set[tuple[int, int]]:
    """Return pairs of positions of tables whose figures would have the same names. ``rules`` has
    one map entry per table."""
    out = Imported()
    for position, (table, rule) in enumerate(zip(tables, rules, strict=True)):
        if not rule.skip:
            meaning = Map(boards={board: board for board in boards})
            columns = Matcher(meaning, [table]).columns(rule, table)
            for row in table.rows:
                for board, result in _row(table, row, columns, rule, meaning, out):
                    _note_same_names(board, result, position, out)
    return out.same_names


@dataclass(slots=True)
class _Keys:
    """The names, parameters and facts that the key cells of a row give to its figures."""

    params: dict[str, Scalar]
    setup: dict[str, Scalar]
    command: str
    metric: str = ""
    unit: str = ""
    board: str = ""


def _row(
    table: Table,
    row: tuple[Cell, ...],
    columns: Sequence[ColumnOfBoard | None],
    rule: Rule,
    meaning: Map,
    out: Imported,
) -> list[tuple[str, Result]]:
    """Return the results of a row, each with its board."""
    # Keys may follow figures in a row, so read them first.
    keys = _keys(table, row, columns, rule, meaning, out)
    if keys is None:
        return []
    results: list[tuple[str, Result]] = []
    for headed, cell in zip(columns, row, strict=False):
        if not headed or headed.content.key or headed.content.skip:
            continue
        column = headed.content
        # The column head is the most specific source of the board, the map entry the least.
        board = headed.board or column.board or keys.board or rule.board
        # Without “each”, a comma may separate thousands, which is then refused as not a figure.
        texts = cell.text.split(",") if column.each else [cell.text]
        for number, text in enumerate(texts):
            position = {column.each: number} if column.each else {}
            params = {**keys.params, **column.params, **position}
            metric, unit = column.metric or keys.metric, column.unit or keys.unit
            figure = Cell(text.strip(), cell.line)
            result = _result(figure, rule.benchmark, metric, unit, params, table.file, out)
            if result is None:
                continue
            setup, notes = {**keys.setup, **column.setup}, list(rule.notes)
            result = structs.replace(result, setup=setup, command=keys.command, notes=notes)
            names = {result.benchmark, result.metric, result.unit, *result.params, *result.setup}
            if not board:
                hint = "state it in the map, with board = …"
                message = "the board of this figure is not stated"
                _leave_out(out, table.file, cell.line, message, hint)
            elif not names_show({board, *names}):
                _leave_out(
                    out, table.file, cell.line, "a name of this figure has an invisible character"
                )
            else:
                results.append((board, result))
    if results and len(row) < len(table.head):
        # The author may have left out a board's cells in the middle.
        message = f"the row has {len(row)} of {len(table.head)} cells: taken for the first columns"
        hint = "compare it with the guide"
        line = row[0].line
        out.notes.append(Diagnostic("log-note", table.file, message, hint, line=line))
        out.missing += len(table.head) - len(row)
    for cell in row[len(table.head) :]:
        _leave_out(out, table.file, cell.line, f"“{visible(cell.text[:60])}” has no head above it")
    return results


def _keys(
    table: Table,
    row: tuple[Cell, ...],
    columns: Sequence[ColumnOfBoard | None],
    rule: Rule,
    meaning: Map,
    out: Imported,
) -> _Keys | None:
    """Return the keys of a row, or add a diagnostic and return ``None`` if one cannot be read."""
    keys = _Keys(dict(rule.params), dict(rule.setup), rule.command)
    for headed, cell in zip(columns, row, strict=False):
        if not headed or not (key := headed.content.key):
            continue
        column = headed.content
        if not cell.text and cell is not row[0]:
            continue  # such as the voltage in a row of totals
        message = hint = ""
        if key == "metric":
            name, spelt = with_unit(cell.text)
            keys.metric = str(column.values.get(name, name))
            keys.unit = rule.units.get(spelt, unit_name(spelt))
            if keys.unit and not is_unit(keys.unit):
                message = f"“{visible(keys.unit[:60])}” is not a unit: its row is left out"
                hint = "state the unit in “units” of the table's entry"
        elif key == "board":
            keys.board = meaning.board(cell.text).name
        elif key == "command":
            keys.command = cell.text
        elif (value := column.values.get(cell.text, _key(cell.text, column.read))) is None:
            text = visible(cell.text[:60])
            message = f"“{text}” cannot be read as the {key}: its row is left out"
        elif key.startswith("setup."):
            keys.setup[key.removeprefix("setup.")] = value
        else:
            keys.params[key] = value
        if message:
            _leave_out(out, table.file, cell.line, message, hint)
            return None
    return keys


def _note_same_names(board: str, result: Result, position: int, out: Imported) -> None:
    """Report a figure with the same names as an earlier one."""
    where = f"{result.log.file}:{result.log.line}" if result.log else ""
    # The type is part of the key, as 1 equals True in Python.
    params_key = tuple(sorted((k, type(v).__name__, v) for k, v in result.params.items()))
    name_key = (board, result.benchmark, result.metric, params_key)
    first, first_position = out.first_locations.setdefault(name_key, (where, position))
    if first != where:
        out.same_names.add((first_position, position))
        message = f"a figure with the same names as the one at {first}: they are pooled"
        hint = "distinguish them in the map, with params"
        file, line = (result.log.file, result.log.line) if result.log else ("import", None)
        out.notes.append(Diagnostic("log-note", file, message, hint, line=line))


@dataclass(frozen=True, slots=True)
class _Applied:
    """An entry for a passage, and the headings above its occurrences."""

    entry: Words
    headings: tuple[tuple[str, ...], ...]

    def covers(self, headings: tuple[str, ...]) -> bool:
        """Return whether the passage occurs in or above the section with these headings."""
        return any(headings[: len(above)] == above for above in self.headings)


def _entries(
    meaning: Map,
    passages: Sequence[Passage],
    headings: Sequence[tuple[str, ...]],
    out: Imported,
) -> list[_Applied]:
    """Return the entries whose passages occur, in the order of the map."""
    sections = {path[:length] for path in {*headings} for length in range(1, len(path) + 1)}
    matched: dict[int, list[tuple[str, ...]]] = {}
    for passage in joined(passages):
        if passage.headings not in sections:
            continue
        heading = " > ".join(passage.headings)
        number = next(
            (
                number
                for number, entry in enumerate(meaning.words)
                if entry.text == passage.text and fnmatchcase(heading, entry.heading)
            ),
            None,
        )
        if number is None:
            out.unlisted_words += 1
        else:
            matched.setdefault(number, []).append(passage.headings)
    used = [_Applied(meaning.words[n], tuple(above)) for n, above in sorted(matched.items())]
    used = [entry for entry in used if entry.entry.use != "none" or entry.entry.setup]
    out.unconfirmed = sum(not entry.entry.confirmed for entry in used)
    return used


def joined(passages: Sequence[Passage]) -> list[Passage]:
    """Merge each list with the sentence that introduces it."""
    out: list[Passage] = []
    for passage in passages:
        above = out[-1] if out else None
        if (
            passage.kind == "list"
            and above
            and (above.kind, above.headings, above.file) == ("text", passage.headings, passage.file)
            and above.text.endswith(":")
        ):
            text = f"{above.text} {passage.text}"
            out[-1] = replace(passage, line=above.line, text=text)
        else:
            out.append(passage)
    return out


def _result(
    cell: Cell,
    benchmark: str,
    metric: str,
    unit: str,
    params: dict[str, Scalar],
    file: str,
    out: Imported,
) -> Result | None:
    """Return the result in a cell, or ``None`` if the figure is missing or unreadable.

    Missing figures are counted; unreadable ones yield a diagnostic.
    """
    text = cell.text.replace("\N{MINUS SIGN}", "-")
    if text.lower() in _MISSING:
        out.missing += 1
        return None
    match = _FIGURE.fullmatch(text)
    # The unit in the cell is more specific than that in the head.
    if match and match[5]:
        unit = unit_name(match[5])
    if unit and not is_unit(unit):
        message = f"“{visible(unit[:60])}” is not a unit: “{visible(text[:60])}” is left out"
        _leave_out(out, file, cell.line, message, "state the unit in the map")
        return None
    if not (benchmark and metric and unit):
        missing = "metric" if not metric else "unit" if not unit else "benchmark"
        message = f"“{visible(text[:60])}”: its {missing} is not stated"
        _leave_out(out, file, cell.line, message, "state it in the map")
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


def _key(text: str, reading: str) -> Scalar | None:
    """Parse a parameter value; return ``None`` if the cell is empty or malformed."""
    if not text:
        return None
    if reading == "hex":
        return int(text, 16) if re.fullmatch("(?:0x)?[0-9a-fA-F]{1,15}", text) else None
    if reading == "size":
        size = _SIZE.fullmatch(text)
        return int(size[1]) * _SIZES.get((size[2] or "").lower(), 1) if size else None
    if reading != "text" and re.fullmatch("-?[0-9]{1,15}", text):
        return int(text)
    if reading != "text" and re.fullmatch(r"-?[0-9]{1,15}\.[0-9]{1,15}", text):
        return float(text)
    return None if reading == "number" else text


def _bundle(
    board: str, figures: _Figures, entries: Sequence[_Applied], meaning: Map, release: Release
) -> Bundle:
    guide = meaning.guide
    tools: dict[str, Scalar] = {"commit": release.source} if release.source else {}
    results, notes = _with_words(figures, entries)
    about = next(
        (entry for name in meaning.boards if (entry := meaning.board(name)).name == board),
        BoardEntry(name=board),
    )
    soc = about.soc or guide.soc
    # The same figures get the same id, so importing a guide again adds nothing.
    digits = hashlib.sha256(msgspec.json.encode([board, results, release.source])).hexdigest()
    words = (soc, guide.os, release.sdk, board, digits[:10])
    bundle = Bundle(
        format="perfguide-bundle",
        version=1,
        # Keep the end, because it has the digits that distinguish ids.
        id="-".join(words)[-200:],
        created=release.created,
        sdk=Sdk(
            version=release.sdk,
            os=guide.os,
            name=guide.name,
            kernel=guide.kernel,
            image=guide.image,
        ),
        board=Board(
            name=board,
            soc=soc,
            description=about.description,
            cpu_mhz=about.cpu_mhz or msgspec.UNSET,
            memory=about.memory,
            governor=about.governor,
        ),
        results=results,
        runner=Runner(name="import"),
        tools=tools,
        setup=dict(guide.setup),
        notes=[*(Note(text=text) for text in guide.notes), *notes],
    )
    if not consistent(bundle):
        raise ValueError(f"the tables of {board} contain a name with an invisible character")
    # Encoding checks the same limits as a reader of the bundle.
    encode(bundle)
    return bundle


def _with_words(figures: _Figures, entries: Sequence[_Applied]) -> tuple[list[Result], list[Note]]:
    """Return the results with the facts and commands from the text above them, and the notes of the
    run. A note is attached to a benchmark if it covers all its figures, otherwise to the figures
    themselves."""
    results = list(figures.results)
    notes: dict[Note, None] = {}
    of_benchmark = Counter(result.benchmark for result in results)
    for applied in entries:
        entry = applied.entry
        rows = [
            row
            for row, headings in enumerate(figures.headings)
            if applied.covers(headings) and entry.benchmark in ("", results[row].benchmark)
        ]
        counts = Counter(results[row].benchmark for row in rows)
        text = entry.note or entry.text
        is_note = entry.use == "note"
        named = _values_named(text, [results[row] for row in rows])
        # A single note of the run can cover all of its figures.
        if is_note and len(rows) == len(results):
            notes[Note(text=text)] = None
        for row in rows:
            result = results[row]
            if is_note and len(rows) < len(results):
                if counts[result.benchmark] == of_benchmark[result.benchmark]:
                    notes[Note(text=text, benchmark=result.benchmark)] = None
                else:
                    result = structs.replace(result, notes=[*result.notes, text])
            if (
                entry.use == "command"
                and not result.command
                and all(result.params.get(name, value) == value for name, value in named.items())
            ):
                result = structs.replace(result, command=text)
            # The table's own facts override those of the text above it.
            results[row] = structs.replace(result, setup={**entry.setup, **result.setup})
    return results, list(notes)


def _values_named(command: str, results: Sequence[Result]) -> dict[str, Scalar]:
    """Return the parameter values that a command names, if it names exactly one that occurs in the
    results.

    A guide may show the command for one algorithm below a table of several.
    """
    values: dict[str, set[str]] = {}
    for result in results:
        for name, value in result.params.items():
            # A number could belong to any option.
            if isinstance(value, str):
                values.setdefault(name, set()).add(value)
    out: dict[str, Scalar] = {}
    for name, texts in values.items():
        pattern = "|".join(map(re.escape, sorted(texts)))
        matched = set(re.findall(rf"(?<![\w-])(?:{pattern})(?![\w-])", command))
        if len(matched) == 1:
            out[name] = matched.pop()
    return out


def _leave_out(out: Imported, file: str, line: int, message: str, hint: str = "") -> None:
    out.left_out.append(Diagnostic(KIND, file, message, hint, line=line))
