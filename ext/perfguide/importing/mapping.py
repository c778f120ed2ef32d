"""The map of a guide, which relates its tables to benchmarks.

A map is a TOML file, proposed by the import and completed by a person.

An entry of ``[[tables]]`` applies to the tables whose headings and caption it names (``*`` matches
any text, ``>`` separates headings) if it lists all their columns. An entry with exactly these
names takes precedence. Otherwise an entry applies that differs in case, spaces, releases, a board
before a colon, words such as "benchmarks" and "driver", outer headings that only one of the two
has, or a caption that only one of the two has if no other table has the same headings. If entries
of different meaning apply, none is used. In the text of a column ``{board}`` matches a board. A
column is a key (``key = "metric"``, ``"board"``, or a parameter), holds figures (``metric`` and
``unit``), or is left out (``skip = true``).
"""

from __future__ import annotations

import glob
import re
import tomllib
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any, Literal

import msgspec
from msgspec import structs

from ..catalog.benchmarks import Benchmark, Catalog
from ..common import units
from ..common.diagnostics import visible
from ..common.toml_lists import in_words
from .model import Table, plain

Scalar = str | int | float | bool


class Column(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The content of one column."""

    key: str = ""
    """``metric``, ``board``, or the parameter whose values are in the column."""
    read: Literal["", "number", "size", "hex", "text"] = ""
    """The form of a key's cells; by default a number if the entire cell is one, else text."""
    metric: str = ""
    """The metric of its figures; by default that of the row's key."""
    unit: str = ""
    """The unit of its figures; by default that in brackets behind the row's metric."""
    params: dict[str, Scalar] = {}
    """Parameters of its figures."""
    board: str = ""
    """The board of its figures, if the column's text names none."""
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
    params: dict[str, Scalar] = {}
    """Parameters of all of their figures."""
    board: str = ""
    """The board of all of their figures, if neither column nor row names one."""
    skip: bool = False
    """True to leave the tables out."""
    columns: dict[str, Column] = {}
    """The content of each column, by the text of its head."""


class Guide(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The SoC, system and release of the guide."""

    soc: str = ""
    """The SoC."""
    os: str = "linux"
    """The operating system."""
    sdk: str = ""
    """The release; for a history, see ``releases``."""
    name: str = "Processor SDK"
    """The SDK's family."""
    release: str = ""
    """A pattern whose first group is the release, in a tag, a title, a path or a commit's message;
    by default numbers separated by points."""


class Map(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A map file."""

    guide: Guide = Guide()
    """The SoC, system and release of the guide."""
    releases: dict[str, str] = {}
    """The release of each tag, or of each commit by the start of its hash; empty to leave it out."""
    boards: dict[str, str] = {}
    """The name in bundles of each board of the guide."""
    tables: list[Rule] = []
    """The content of its tables."""


@dataclass(frozen=True, slots=True)
class Unmapped:
    """A table without an entry, and boards whose names would make one apply."""

    table: Table
    boards: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Match:
    """The entry for a table, and whether it names the table exactly."""

    rule: Rule
    exact: bool


class Matcher:
    """Finds the entries for the tables of one release."""

    def __init__(self, meaning: Map, tables: Sequence[Table], release: str = "") -> None:
        self._table_counts = Counter((each.headings, each.caption, each.head) for each in tables)
        self._boards = {_folded(name): called for name, called in meaning.boards.items()}
        named = (release, meaning.guide.sdk, *meaning.releases.values())
        self._releases = {numbers for each in named if len(numbers := numbers_of(each)) > 1}
        self._rules = [
            (each, self._parts(each.heading), self._loose(each.caption), _templates(each))
            for each in meaning.tables
            if fnmatchcase(release, each.release)
        ]

    def match(self, table: Table) -> Match | Unmapped:
        """Return the entry for a table, or :class:`Unmapped`."""
        heading = " > ".join(table.headings)
        parts, caption = self._parts(heading), self._loose(table.caption)
        # A missing caption is accepted only if it cannot be confused with another one.
        captions = {own for _, each, own, _ in self._rules if _ends_alike(parts, each)}
        same_names = self._table_counts[table.headings, table.caption, table.head]
        alone = len(captions) == 1 and same_names == 1
        loose: dict[bytes, Rule] = {}
        boards: dict[str, None] = {}
        for rule, rule_parts, rule_caption, templates in self._rules:
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
                # Entries that differ only in their names give the same bundles.
                meaning = structs.replace(rule, heading="", caption="", release="")
                loose.setdefault(msgspec.json.encode(meaning), rule)
        if len(loose) == 1:
            return Match(next(iter(loose.values())), False)
        return Unmapped(table, tuple(boards) if not loose else ())

    def columns(self, rule: Rule, table: Table) -> list[tuple[str, Column] | None]:
        """Return for each column the board that its text names, or "", and its content, or None."""
        templates = _templates(rule)
        return [self._column(templates, text) for text in table.head]

    def _column(self, templates: list[_Template], text: str) -> tuple[str, Column] | None:
        own = _folded(text)
        for front, mark, end, column in templates:
            if not mark:
                if own == front:
                    return "", column
            elif own.startswith(front) and own.endswith(end):
                board = own[len(front) : len(own) - len(end)]
                if board in self._boards:
                    return self._boards[board], column
        return None

    def _parts(self, heading: str) -> tuple[str, ...]:
        """Return the headings below the guide's title, without what differs between releases."""
        return tuple(self._loose(part) for part in heading.split(" > ")[1:])

    def _loose(self, text: str) -> str:
        """Return a heading or caption without the words and numbers that differ by release."""

        def marked(match: re.Match[str]) -> str:
            numbers = numbers_of(match[0])
            return " " if any(same_release(numbers, each) for each in self._releases) else match[0]

        # Other version numbers, such as that of a program, are part of the name.
        folded = _NUMBERS.sub(marked, _folded(text))
        board, colon, rest = folded.partition(": ")
        return plain(_FILLER_PATTERN.sub(" ", rest if colon and board in self._boards else folded))


_Template = tuple[str, str, str, Column]
"""The text of a column before a board, the board's mark or "", the text after it, its content."""
_NUMBERS = re.compile(r"\b[0-9]{1,6}(?:[._][0-9]{1,6}){1,7}\b")


def numbers_of(release: str) -> tuple[int, ...]:
    """Return the numbers of a release, so that 9.1 and 09.01 compare equal."""
    return tuple(int(each) for each in re.findall("[0-9]{1,9}", release))


def same_release(one: tuple[int, ...], other: tuple[int, ...]) -> bool:
    """Return whether two releases agree in all numbers of the shorter one, and in two or more."""
    length = min(len(one), len(other))
    return length > 1 and one[:length] == other[:length]


def _ends_alike(one: tuple[str, ...], other: tuple[str, ...]) -> bool:
    """Return whether the innermost headings match, as far as both have them."""
    length = min(len(one), len(other))
    return length > 0 and all(map(fnmatchcase, one[-length:], other[-length:]))


def _folded(text: str) -> str:
    return plain(text).casefold()


def _templates(rule: Rule) -> list[_Template]:
    return [(*_folded(each).partition("{board}"), column) for each, column in rule.columns.items()]


def _new_board(templates: list[_Template], text: str) -> str:
    """Return the board that the map would need to know for a column to match the entry, or ""."""
    own = plain(text)
    for front, mark, end, _ in templates:
        if mark and own.casefold().startswith(front) and own.casefold().endswith(end):
            return own[len(front) : len(own) - len(end)]
    return ""


def decode(text: str) -> Map:
    """Return the map in the text of a TOML file.

    Raises :class:`ValueError` with the fault and its location.
    """
    try:
        meaning = msgspec.convert(tomllib.loads(text), Map)
        re.compile(meaning.guide.release)
        return meaning
    except tomllib.TOMLDecodeError as error:
        raise ValueError(f"is not TOML: {error}") from None
    except re.error as error:
        raise ValueError(f"“release” of [guide] is no pattern: {error}") from None
    except msgspec.ValidationError as error:
        message, hint = in_words(str(error), Map)
        raise ValueError(f"{message} ({hint})") from None


_UNIT = re.compile(r"(.*?) ?\(([^()]{1,40})\)")
_WORDS = re.compile(r"[a-z0-9%]+")
_FILLER_WORDS = frozenset(
    ["benchmark", "benchmarks", "controller", "driver", "flash", "performance", "soc", "software"]
)
"""Words that headings add to the name of a benchmark."""
_FILLER_PATTERN = re.compile(rf"\b(?:{'|'.join(sorted(_FILLER_WORDS))})\b")
_BOARD_HEADS = frozenset(["board", "boards", "device", "machine", "platform"])
"""Words in the head of a column of boards."""
_FACT_HEADS = frozenset(["date", "distribution", "distro", "kernel", "release", "version"])
"""Words in the head of a column whose numbers are names: 6.10 is not 6.1."""
_BOARD = re.compile(r"(.{1,100}?)(: | / )(.+)")


def with_unit(text: str) -> tuple[str, str]:
    """Return a text, and the unit in brackets behind it or an empty string."""
    match = _UNIT.fullmatch(plain(text))
    return (match[1], match[2]) if match else (plain(text), "")


def unit_name(text: str) -> str:
    """Return the unit that a text names, in the spelling of bundles if the unit is known."""
    return units.parse(text).name if text else ""


def propose(
    guides: Sequence[Sequence[Table]],
    catalog: Catalog,
    guide: Mapping[str, str],
    releases: Sequence[tuple[str, str, str]] = (),
) -> str:
    """Return a map of the tables of some guides as TOML, as far as headings and heads suffice.

    A value that they do not give is an empty text, to be filled in by a person. ``releases`` are
    tags or commits, their releases, and a remark.
    """
    boards = _boards([table for tables in guides for table in tables])
    lines = ["# What the tables of a guide mean. Look at each line, and fix what is wrong.", ""]
    lines += ["[guide]"]
    lines += [f"{key} = {_text(guide.get(key, ''))}" for key in ("soc", "os", "sdk")]
    if releases:
        lines += ["", "# tag or commit = its release, or nothing to leave it out", "[releases]"]
        lines += release_lines(releases)
    lines += ["", "# as the guide calls a board = as bundles do", "[boards]"]
    lines += _board_lines(boards)
    seen: set[str] = set()
    for tables in guides:
        names = _captions(tables, catalog)
        for table in tables:
            entry = _entry(table, catalog, frozenset(boards), names)
            if entry not in seen:
                seen.add(entry)
                where = f"{table.file}:{table.line}: {' > '.join(table.headings)}"
                lines += ["", f"# {visible(where, 300)}", entry]
    return "\n".join(lines) + "\n"


def release_lines(releases: Iterable[tuple[str, str, str]]) -> list[str]:
    """Return lines of ``[releases]`` for tags or commits, their releases, and a remark."""
    return [
        f"{_text(name)} = {_text(release)}  # {visible(about, 100)}"
        for name, release, about in releases
    ]


@dataclass(frozen=True, slots=True)
class Gap:
    """The tables of one release, and those that have no entry in the map."""

    release: str
    tables: Sequence[Table]
    unmapped: Sequence[Unmapped]


def additions(
    gaps: Sequence[Gap],
    unnamed: Sequence[tuple[str, str, str]],
    meaning: Map,
    catalog: Catalog,
) -> str:
    """Return the lines to add to a map for the tables of some releases and for some commits."""
    rest = [each.table for gap in gaps for each in gap.unmapped if not each.boards]
    named = [board for gap in gaps for each in gap.unmapped for board in each.boards]
    known_folded = {_folded(board) for board in meaning.boards}
    boards = [b for b in dict.fromkeys([*named, *_boards(rest)]) if _folded(b) not in known_folded]
    lines: list[str] = []
    for section, present, own in (
        ("releases", meaning.releases, release_lines(unnamed)),
        ("boards", meaning.boards, _board_lines(boards)),
    ):
        if own:
            lines += [f"# below [{section}]:"] if present else [f"[{section}]"]
            lines += [*own, ""]
    releases: dict[str, dict[str, None]] = {}
    for gap in gaps:
        captions = _captions(gap.tables, catalog)
        for each in gap.unmapped:
            if not each.boards:
                known_boards = frozenset([*meaning.boards, *boards])
                entry = _entry(each.table, catalog, known_boards, captions)
                releases.setdefault(entry, {})[gap.release] = None
    if releases:
        lines += ["# at the end:"]
    for entry, own_releases in releases.items():
        lines += ["", f"# {', '.join(map(visible, own_releases))}", entry]
    return "\n".join(lines) + "\n" if lines else ""


def _board_lines(boards: Iterable[str]) -> list[str]:
    return [f"{_text(board)} = {_text(board)}" for board in boards]


def _captions(tables: Sequence[Table], catalog: Catalog) -> Mapping[str, set[str]]:
    """Return the captions of each benchmark's tables."""
    captions: dict[str, set[str]] = {}
    for table in tables:
        captions.setdefault(_benchmark(table, catalog), set()).add(table.caption)
    return captions


def _entry(
    table: Table, catalog: Catalog, boards: Collection[str], captions: Mapping[str, set[str]]
) -> str:
    """Return a proposed entry for a table."""
    # The guide's title names its release, and the entry should apply to all of them.
    heading = " > ".join(("*", *map(glob.escape, table.headings[1:])))
    if len(table.headings) < 2:
        heading = glob.escape(" ".join(table.headings))
    first_at: dict[str, int] = {}
    for at, text in enumerate(table.head):
        first_at.setdefault(_template(text, boards), at)
    benchmark = _benchmark(table, catalog)
    lines = ["[[tables]]", f"heading = {_text(heading)}"]
    lines += [f"caption = {_text(glob.escape(table.caption))}", f"benchmark = {_text(benchmark)}"]
    if table.caption and len(captions[benchmark]) > 1:
        # Figures of several tables may differ in nothing else.
        lines += [f"params = {{ table = {_text(table.caption)} }}"]
    lines += ["[tables.columns]"]
    described = catalog.get(benchmark)
    for column, at in first_at.items():
        figures = _holds_figures(table, at, table.head[at])
        lines += [f"{_text(column)} = {_column(column, table, at, figures, described)}"]
    return "\n".join(lines)


def _boards(tables: Sequence[Table]) -> list[str]:
    """Return the texts before a colon or above other heads, in the order of the guide."""
    boards: dict[str, None] = {}
    for table in tables:
        # The first column holds keys, unless it is the only one.
        for text in table.head[1:] or table.head:
            if match := _BOARD.fullmatch(plain(text)):
                boards[match[1]] = None
    return list(boards)


def _template(text: str, boards: Collection[str]) -> str:
    match = _BOARD.fullmatch(plain(text))
    return f"{{board}}{match[2]}{match[3]}" if match and match[1] in boards else plain(text)


def _holds_figures(table: Table, at: int, text: str) -> bool:
    """Return whether a column seems to hold figures: it is not the first and has numbers."""
    if at == 0:
        return False
    if _BOARD.fullmatch(plain(text)):
        return True
    filled = [row[at].text for row in table.rows if at < len(row) and row[at].text]
    if _FACT_HEADS.intersection(_WORDS.findall(text.lower())):
        return False
    # Sizes are numbers too, and are parameters.
    sizes = "size" in text.lower() or "block" in text.lower()
    numbers = any(re.match(r"-?[0-9]", each) for each in filled)
    return not sizes and (numbers or bool(with_unit(text)[1]))


def _benchmark(table: Table, catalog: Catalog) -> str:
    """Return the benchmark whose name or title is in a heading or the caption, else a new name."""
    for text in (*reversed(table.headings), table.caption):
        words = "".join(w for w in _WORDS.findall(text.lower()) if w not in _FILLER_WORDS)
        for name, benchmark in catalog.benchmarks.items():
            names = (name, benchmark.entry.title)
            if words and words in ("".join(_WORDS.findall(each.lower())) for each in names):
                return name
    heading = table.headings[-1] if table.headings else table.caption
    return "-".join(_WORDS.findall(heading.lower())) or "table"


def _column(text: str, table: Table, at: int, figures: bool, benchmark: Benchmark | None) -> str:
    label, unit = with_unit(text.removeprefix("{board}").removeprefix(": ").removeprefix(" / "))
    words = set(_WORDS.findall(label.lower()))
    if not figures:
        first = [row[at].text for row in table.rows if at < len(row)]
        if at == 0 and _all_with_units(first):
            return '{ key = "metric" }'
        if words & _BOARD_HEADS:
            return '{ key = "board" }'
        sized = all(re.fullmatch(r"[0-9]+[kKmMgG]?", each) for each in first if each)
        letters = any(each[-1:].isalpha() for each in first)
        if words & _FACT_HEADS:
            return f'{{ key = {_text(_param(words, label, benchmark))}, read = "text" }}'
        read = ', read = "hex"' if "hex" in text else ', read = "size"' if sized and letters else ""
        return f"{{ key = {_text(_param(words, label, benchmark))}{read} }}"
    metric, params = _metric(words, label, benchmark)
    own_unit = unit_name(unit)
    entry = benchmark.metric(metric) if benchmark else None
    if entry and units.parse(own_unit).kind.startswith("unknown") and "%" in (entry.unit, label):
        own_unit = entry.unit
    if _all_with_units([row[0].text for row in table.rows if row]) and not unit:
        return "{ }"  # metric and unit are the row's
    named_params = ", ".join(f"{k} = {_text(v)}" for k, v in params.items())
    suffix = f", params = {{ {named_params} }}" if params else ""
    return f"{{ metric = {_text(metric)}, unit = {_text(own_unit)}{suffix} }}"


def _all_with_units(texts: Sequence[str]) -> bool:
    """Return whether every text that is not empty has a unit behind it."""
    filled = [text for text in texts if text]
    return bool(filled) and all(with_unit(text)[1] for text in filled)


def _param(words: set[str], label: str, benchmark: Benchmark | None) -> str:
    for name, param in (benchmark.entry.params if benchmark else {}).items():
        param_words = set(_WORDS.findall(f"{name} {param.label}".lower().replace("_", " ")))
        if words and (words <= param_words or set(name.split("_")) <= words):
            return name
    return "_".join(_WORDS.findall(label.lower())) or "row"


def _metric(words: set[str], label: str, benchmark: Benchmark | None) -> tuple[str, dict[str, str]]:
    """Return the metric that a label names, and the parameter values in the rest of the label."""
    # Of several metrics the one with the most words is the most specific.
    best: tuple[int, str] = (0, "")
    for metric in benchmark.entry.metrics if benchmark else ():
        for text in (metric.name.replace("_", " "), metric.label):
            own = set(_WORDS.findall(text.lower()))
            if own and own <= words and len(own) > best[0] and "*" not in metric.name:
                best = (len(own), metric.name)
    if not best[1]:
        return "_".join(_WORDS.findall(label.lower())), {}
    params: dict[str, str] = {}
    for name, param in benchmark.entry.params.items() if benchmark else ():
        for value, value_label in param.values.items():
            if set(_WORDS.findall(value_label.lower())) <= words or value in words:
                params.setdefault(name, value)
    return best[1], params


def _text(value: Any) -> str:
    """Return a TOML string."""
    # JSON escapes everything that TOML does, except the delete character.
    return msgspec.json.encode(str(value)).decode().replace("\x7f", "\\u007f")
