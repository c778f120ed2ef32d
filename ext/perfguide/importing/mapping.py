"""The map of a guide, which relates its tables and text to benchmarks.

A map is a TOML file, proposed by the import (:mod:`perfguide.importing.proposal`) and completed by
a person.

An entry of ``[[tables]]`` applies to the tables with its headings and caption (``*`` matches any
text, ``>`` separates headings) if it lists all their columns. An entry with exactly these names
takes precedence. Otherwise, an entry may differ in case, spaces, releases, a board before a colon,
words such as "benchmarks" and "driver", outer headings that only one of the two has, or a caption
that only one of the two has if no other table has the same headings. If entries with different
content apply, none is used. In the text of a column, ``{board}`` matches a board. A column is a key
(``key = "metric"``, ``"board"``, ``"command"``, ``"setup.NAME"`` or a parameter), holds figures
(``metric`` and ``unit``), or is left out (``skip = true``).

An entry of ``[[words]]`` says how to use a passage of the guide. It applies to the figures of all
tables below its headings, in each release that contains the passage.
"""

from __future__ import annotations

import re
import tomllib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Literal, NamedTuple

import msgspec
from msgspec import structs

from ..catalog.phrases import FILLER_WORDS
from ..common import units
from ..common.toml_lists import in_words
from .model import Table, plain

Scalar = str | int | float | bool


class Column(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The content of one column."""

    key: str = ""
    """``metric``, ``board``, ``command``, ``setup.`` followed by the name of a fact, or the
    parameter whose values are in the column."""
    read: Literal["", "number", "size", "hex", "text"] = ""
    """The form of a key's cells: by default a number if the entire cell is one, else
    text. A size may have a unit, as in ``16 bytes`` and ``4k``."""
    values: dict[str, Scalar] = {}
    """The meaning of the cells of a key, by their text: ``"Minimum" = "latency_min"``."""
    metric: str = ""
    """The metric of its figures; by default that of the row."""
    unit: str = ""
    """The unit of its figures; by default the one in brackets after the row's metric."""
    params: dict[str, Scalar] = {}
    """Parameters of its figures."""
    each: str = ""
    """The parameter that numbers the figures of a cell from 0, if cells have several, separated by
    commas."""
    setup: dict[str, Scalar] = {}
    """Facts of the setup of its figures, such as ``card``."""
    board: str = ""
    """The board of its figures, if its head names none."""
    skip: bool = False
    """True to leave the column out."""


class Rule(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The content of tables with some headings and caption."""

    heading: str
    """Their headings, outermost first, separated by ``>``."""
    benchmark: str
    """The benchmark of their figures."""
    caption: str = "*"
    """Their caption."""
    release: str = "*"
    """The releases in which they occur; ``*`` matches any text."""
    occurrence: int = 0
    """Their position, from 1, among tables with the same headings, caption and columns; 0 for
    all."""
    params: dict[str, Scalar] = {}
    """Parameters of all their figures."""
    setup: dict[str, Scalar] = {}
    """Facts of the setup of all their figures, such as ``card``."""
    command: str = ""
    """The command that measured them."""
    notes: list[str] = []
    """Notes for readers of their figures."""
    units: dict[str, str] = {}
    """Units by the guide's spelling after a metric in a row; ``""`` where there is none."""
    board: str = ""
    """The board of all their figures, if neither column nor row names one."""
    skip: bool = False
    """True to leave the tables out."""
    columns: dict[str, Column] = {}
    """The content of each column, by the text of its head."""


class ColumnOfBoard(NamedTuple):
    """A column of a table: the board that its head names, or "", and its content."""

    board: str
    content: Column


class Words(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A passage of the guide: a paragraph, list, warning or block of code."""

    heading: str
    """The headings above it, outermost first, separated by ``>``; ``*`` matches any text."""
    text: str
    """The passage, as in the guide."""
    benchmark: str = ""
    """The benchmark that it is about; by default all those of the tables below its headings."""
    use: Literal["note", "command", "none"] = "note"
    """``note`` for readers of the figures, their ``command``, or ``none`` to leave it out."""
    note: str = ""
    """The text of the note, if it differs from the guide's."""
    setup: dict[str, Scalar] = {}
    """Facts of the setup that it states, such as ``mount = "async"``."""
    confirmed: bool = False
    """True once a person has reviewed it."""


class BoardEntry(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A board of the guide, as described in bundles."""

    name: str
    """Its name in bundles."""
    soc: str = ""
    """Its SoC, if it differs from the guide's."""
    description: str = ""
    """A description of the board."""
    cpu_mhz: float = 0
    """The clock of its processor in MHz; 0 if unknown."""
    memory: str = ""
    """Type and speed of its memory."""
    governor: str = ""
    """The policy by which the kernel chose the clock."""


class Guide(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The SoC, system and release of the guide."""

    soc: str = ""
    """The SoC."""
    os: str = "linux"
    """The operating system."""
    sdk: str = ""
    """The release; for a history, see ``releases``."""
    name: str = "Processor SDK"
    """The SDK family."""
    kernel: str = ""
    """The version of the kernel."""
    image: str = ""
    """The image on the boards, such as ``default``."""
    setup: dict[str, Scalar] = {}
    """Facts of the setup of all figures."""
    notes: list[str] = []
    """Notes for readers of all figures."""
    release: str = ""
    """A pattern whose first group is the release, for tags, titles, paths and commit messages; by
    default, numbers separated by points."""


class Map(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A map file."""

    guide: Guide = Guide()
    """The SoC, system and release of the guide."""
    releases: dict[str, str] = {}
    """The release of each tag, or of each commit by a prefix of its hash; empty to leave it out."""
    boards: dict[str, str | BoardEntry] = {}
    """The name in bundles of each board of the guide, or a full description of it."""
    tables: list[Rule] = []
    """The content of its tables."""
    words: list[Words] = []
    """The use of the passages around its tables."""

    def board(self, name: str) -> BoardEntry:
        """Look up a board by its name in the guide."""
        entry = self.boards.get(name, name)
        return BoardEntry(name=entry) if isinstance(entry, str) else entry


@dataclass(frozen=True, slots=True)
class Unmapped:
    """A table without an entry, and boards that the map would need to know for one to apply."""

    table: Table
    boards: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Match:
    """The entry for a table, and whether it names the table exactly."""

    rule: Rule
    exact: bool


def occurrences(tables: Sequence[Table]) -> dict[int, int]:
    """Return, for each table by its ``id()``, its position (from 1) among tables with the same
    headings, caption and columns."""
    counts = Counter[object]()
    out: dict[int, int] = {}
    for table in tables:
        counts[table.names] += 1
        out[id(table)] = counts[table.names]
    return out


class Matcher:
    """Finds the entries for the tables of one release."""

    def __init__(self, meaning: Map, tables: Sequence[Table], release: str = "") -> None:
        self._table_counts = Counter(table.names for table in tables)
        self._boards = {_folded(name): meaning.board(name).name for name in meaning.boards}
        self._occurrences = occurrences(tables)
        named = (release, meaning.guide.sdk, *meaning.releases.values())
        # A single number may mean anything, so it does not identify a release.
        self._releases = {numbers for name in named if len(numbers := numbers_of(name)) > 1}
        self._rules = [
            (table, self._parts(table.heading), self._loose(table.caption), _templates(table))
            for table in meaning.tables
            if fnmatchcase(release, table.release)
        ]

    def match(self, table: Table) -> Match | Unmapped:
        """Return the entry for a table, or :class:`Unmapped`."""
        heading = " > ".join(table.headings)
        parts, caption = self._parts(heading), self._loose(table.caption)
        # A missing caption is accepted only if it cannot be mistaken for another one.
        captions = {c for _, rule_parts, c, _ in self._rules if _ends_alike(parts, rule_parts)}
        same_names = self._table_counts[table.names]
        alone = len(captions) == 1 and same_names == 1
        loose: dict[bytes, Rule] = {}
        boards: dict[str, None] = {}
        for rule, rule_parts, rule_caption, templates in self._rules:
            if rule.occurrence not in (0, self._occurrences.get(id(table), 1)):
                continue
            exact = fnmatchcase(heading, rule.heading) and fnmatchcase(table.caption, rule.caption)
            if not exact and not (
                _ends_alike(parts, rule_parts)
                and (
                    fnmatchcase(caption, rule_caption) or (alone and not (caption and rule_caption))
                )
            ):
                continue
            columns = [self._column(templates, text) for text in table.head]
            if not rule.skip and not all(columns):
                new = [
                    _new_board(templates, text)
                    for text, column in zip(table.head, columns, strict=True)
                    if not column
                ]
                boards.update(dict.fromkeys(new) if all(new) else {})
            elif exact:
                return Match(rule, True)
            else:
                # Entries that differ only in their names yield the same bundles.
                meaning = structs.replace(rule, heading="", caption="", release="")
                loose.setdefault(msgspec.json.encode(meaning), rule)
        if len(loose) == 1:
            return Match(next(iter(loose.values())), False)
        return Unmapped(table, tuple(boards) if not loose else ())

    def columns(self, rule: Rule, table: Table) -> list[ColumnOfBoard | None]:
        """Return the columns of a table; ``None`` for those that are unknown."""
        templates = _templates(rule)
        return [self._column(templates, text) for text in table.head]

    def _column(self, templates: list[_Template], text: str) -> ColumnOfBoard | None:
        folded = _folded(text)
        for front, mark, end, column in templates:
            if not mark:
                if folded == front:
                    return ColumnOfBoard("", column)
            elif folded.startswith(front) and folded.endswith(end):
                board = folded[len(front) : len(folded) - len(end)]
                if board in self._boards:
                    return ColumnOfBoard(self._boards[board], column)
        return None

    def _parts(self, heading: str) -> tuple[str, ...]:
        """Return the headings below the guide's title, without anything that varies between
        releases."""
        return tuple(self._loose(part) for part in heading.split(" > ")[1:])

    def _loose(self, text: str) -> str:
        """Return a heading or caption without the words and numbers that vary between releases."""

        def marked(match: re.Match[str]) -> str:
            numbers = numbers_of(match[0])
            is_release = any(same_release(numbers, other) for other in self._releases)
            return " " if is_release else match[0]

        # Other version numbers, such as those of programs, are part of the name.
        folded = _NUMBERS.sub(marked, _folded(text))
        board, colon, rest = folded.partition(": ")
        return plain(_FILLER_PATTERN.sub(" ", rest if colon and board in self._boards else folded))


_Template = tuple[str, str, str, Column]
"""The text before a board in a column head, the board's placeholder or "", the text after it, and
the content."""
_NUMBERS = re.compile(r"\b[0-9]{1,6}(?:[._][0-9]{1,6}){1,7}\b")


def numbers_of(release: str) -> tuple[int, ...]:
    """Return the numbers in a release name, so that 9.1 and 09.01 compare equal."""
    return tuple(int(digits) for digits in re.findall("[0-9]{1,9}", release))


def same_release(one: tuple[int, ...], other: tuple[int, ...]) -> bool:
    """Return whether two releases agree in all numbers of the shorter one, at least two."""
    length = min(len(one), len(other))
    return length > 1 and one[:length] == other[:length]


def _ends_alike(one: tuple[str, ...], other: tuple[str, ...]) -> bool:
    """Return whether the innermost headings match, as far as both have them."""
    length = min(len(one), len(other))
    return length > 0 and all(map(fnmatchcase, one[-length:], other[-length:]))


def _folded(text: str) -> str:
    return plain(text).casefold()


def _templates(rule: Rule) -> list[_Template]:
    return [(*_folded(name).partition("{board}"), column) for name, column in rule.columns.items()]


def _new_board(templates: list[_Template], text: str) -> str:
    """Return the board that the map would need to know for a column to match the entry, or ""."""
    head, folded = plain(text), _folded(text)
    for front, mark, end, _ in templates:
        if mark and folded.startswith(front) and folded.endswith(end):
            return head[len(front) : len(head) - len(end)]
    return ""


_SOC = re.compile(r"([a-z]{1,6}[0-9]{1,5}(?:[a-z]+[0-9]+)*[a-z]*?)(?:(x+)[a-z]*)?(?=[-_. ]|$)")
"""The SoC at the beginning of a board's name: am62xx_lp_sk, j721e-idk-gw."""


def soc_of(board: str) -> str:
    """Return the SoC that a board's name begins with, such as AM62X for am62xx_sk, or ""."""
    match = _SOC.match(board.lower())
    return (match[1] + ("x" if match[2] else "")).upper() if match else ""


def other_socs(boards: Sequence[str], soc: str) -> dict[str, str]:
    """Return the SoC of each board whose name indicates a different one than the guide's."""
    named = {board: own_soc for board in boards if (own_soc := soc_of(board))}
    # A single name may be that of the board itself, such as a hobbyist's computer.
    if soc.upper() not in named.values() and len(set(named.values())) < 2:
        return {}
    return {board: own_soc for board, own_soc in named.items() if own_soc != soc.upper()}


def decode(text: str) -> Map:
    """Parse the text of a map.

    Raises :class:`ValueError` with the fault and its location.
    """
    try:
        meaning = msgspec.convert(tomllib.loads(text), Map)
        re.compile(meaning.guide.release)
        return meaning
    except tomllib.TOMLDecodeError as error:
        raise ValueError(f"is not TOML: {error}") from None
    except re.error as error:
        raise ValueError(f"“release” of [guide] is not a valid pattern: {error}") from None
    except msgspec.ValidationError as error:
        message, hint = in_words(str(error), Map)
        raise ValueError(f"{message} ({hint})") from None


_UNIT = re.compile(r"(.*?) ?\(([^()]{0,40})\)")
_FILLER_PATTERN = re.compile(rf"\b(?:{'|'.join(sorted(FILLER_WORDS))})\b")


def with_unit(text: str) -> tuple[str, str]:
    """Split a text into the part before a unit in brackets and the unit, which may be empty."""
    match = _UNIT.fullmatch(plain(text))
    return (match[1], match[2]) if match else (plain(text), "")


def unit_name(text: str) -> str:
    """Return the canonical spelling of a unit, or the text itself if the unit is unknown."""
    return units.parse(text).name if text else ""
