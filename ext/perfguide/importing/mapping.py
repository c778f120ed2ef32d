"""What the tables of a guide mean: a TOML file that is proposed, and that a person completes.

An entry of ``[[tables]]`` takes the tables whose headings and caption it names (``*`` stands for
any text, ``>`` between headings) and all of whose columns it knows. In the text of a column ``{board}`` stands for a
board. A column is a key (``key = "metric"``, ``"board"``, or a parameter), or holds figures
(``metric`` and ``unit``), or is left out (``skip = true``).
"""

from __future__ import annotations

import glob
import re
import tomllib
from collections.abc import Mapping, Sequence
from fnmatch import fnmatchcase
from typing import Any, Literal

import msgspec

from ..catalog.benchmarks import Benchmark, Catalog
from ..common import units
from ..common.toml_lists import in_words
from .model import Table, plain

Scalar = str | int | float | bool


class Column(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What one column holds."""

    key: str = ""
    """``metric``, ``board``, or the parameter that its cells are a value of."""
    read: Literal["", "number", "size", "hex", "text"] = ""
    """How a key's cells are read; left out: as a number where all of the cell is one."""
    metric: str = ""
    """The metric of its figures; left out: that of the row's key."""
    unit: str = ""
    """The unit of its figures; left out: that in brackets behind the metric of the row."""
    params: dict[str, Scalar] = {}
    """Parameters of its figures."""
    board: str = ""
    """The board of its figures, where its text names none."""
    skip: bool = False
    """Whether it is left out."""


class Rule(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What some tables hold."""

    heading: str
    """Their headings, outermost first, with ``>`` between them."""
    benchmark: str
    """The benchmark of their figures."""
    caption: str = "*"
    """Their caption."""
    params: dict[str, Scalar] = {}
    """Parameters of all of their figures."""
    board: str = ""
    """The board of all of their figures, where neither column nor row names one."""
    skip: bool = False
    """Whether they are left out."""
    columns: dict[str, Column] = {}
    """What each column holds, by its text."""


class Guide(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What the guide is of."""

    soc: str = ""
    """The SoC."""
    os: str = "linux"
    """The operating system."""
    sdk: str = ""
    """The release; for a history, that which its tag or path names."""
    name: str = "Processor SDK"
    """The SDK's family."""
    release: str = r"([0-9]+(?:[._][0-9]+)*)"
    """A pattern whose first group is the release, in a tag or a path."""


class Map(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The whole file."""

    guide: Guide = Guide()
    """What the guide is of."""
    boards: dict[str, str] = {}
    """What bundles call each board of the guide."""
    tables: list[Rule] = []
    """What its tables hold."""

    def rule(self, table: Table) -> Rule | None:
        """The first entry that takes a table."""
        heading = " > ".join(table.headings)
        for each in self.tables:
            named = fnmatchcase(heading, each.heading) and fnmatchcase(table.caption, each.caption)
            if named and (each.skip or all(self.column(each, text) for text in table.head)):
                return each
        return None

    def column(self, rule: Rule, text: str) -> tuple[str, Column] | None:
        """The board that a column's text names, or nothing, and what the column holds."""
        own = plain(text)
        for template, column in rule.columns.items():
            front, mark, end = plain(template).partition("{board}")
            if not mark:
                if own == front:
                    return "", column
            elif own.startswith(front) and own.endswith(end):
                board = own[len(front) : len(own) - len(end)]
                if board in self.boards:
                    return self.boards[board], column
        return None


def decode(text: str) -> Map:
    """The mapping that a file holds.

    Raises :class:`ValueError` with what is wrong and where.
    """
    try:
        return msgspec.convert(tomllib.loads(text), Map)
    except tomllib.TOMLDecodeError as error:
        raise ValueError(f"is not TOML: {error}") from None
    except msgspec.ValidationError as error:
        message, hint = in_words(str(error), Map)
        raise ValueError(f"{message} ({hint})") from None


_UNIT = re.compile(r"(.*?) ?\(([^()]{1,40})\)")
_WORDS = re.compile(r"[a-z0-9%]+")
_COMMON = frozenset(
    ["benchmark", "benchmarks", "controller", "driver", "flash", "performance", "soc", "software"]
)
"""Words that headings add to the name of a benchmark."""
_BOARD_HEADS = frozenset(["board", "boards", "device", "machine", "platform"])
"""Words of a head below which boards stand."""
_FACT_HEADS = frozenset(["date", "distribution", "distro", "kernel", "release", "version"])
"""Words of a head below which numbers are names: 6.10 is not 6.1."""
_BOARD = re.compile(r"(.{1,100}?)(: | / )(.+)")


def with_unit(text: str) -> tuple[str, str]:
    """A text and the unit in brackets behind it; no unit where there is none."""
    found = _UNIT.fullmatch(plain(text))
    return (found[1], found[2]) if found else (plain(text), "")


def unit_name(text: str) -> str:
    """The unit that a text names, as bundles write it where it is known."""
    return units.parse(text).name if text else ""


def propose(tables: Sequence[Table], catalog: Catalog, guide: Mapping[str, str]) -> str:
    """A mapping of some tables as TOML, as far as headings and heads tell.

    What nothing tells is an empty text that a person fills in.
    """
    boards = _boards(tables)
    lines = ["# What the tables of a guide mean. Look at each line, and fix what is wrong.", ""]
    lines += ["[guide]"]
    lines += [f"{key} = {_text(guide.get(key, ''))}" for key in ("soc", "os", "sdk")]
    lines += ["", "# as the guide calls a board = as bundles do", "[boards]"]
    lines += [f"{_text(board)} = {_text(board)}" for board in boards]
    seen: set[tuple[str, str, tuple[str, ...]]] = set()
    captions: dict[str, set[str]] = {}
    for table in tables:
        captions.setdefault(_benchmark(table, catalog), set()).add(table.caption)
    for table in tables:
        # The title of a guide names its release, which the map is not bound to.
        heading = " > ".join(("*", *map(glob.escape, table.headings[1:])))
        if len(table.headings) < 2:
            heading = glob.escape(" ".join(table.headings))
        columns = tuple(dict.fromkeys(_template(text, boards) for text in table.head))
        if (heading, table.caption, columns) in seen:
            continue
        seen.add((heading, table.caption, columns))
        benchmark = _benchmark(table, catalog)
        entry = catalog.get(benchmark)
        lines += ["", f"# {table.file}:{table.line}: {' > '.join(table.headings)}", "[[tables]]"]
        lines += [f"heading = {_text(heading)}", f"caption = {_text(glob.escape(table.caption))}"]
        lines += [f"benchmark = {_text(benchmark)}"]
        if table.caption and len(captions[benchmark]) > 1:
            # Figures of several tables may differ in nothing else.
            lines += [f"params = {{ table = {_text(table.caption)} }}"]
        lines += ["[tables.columns]"]
        figures = [at for at, text in enumerate(table.head) if _holds_figures(table, at, text)]
        lines += [
            f"{_text(column)} = {_column(column, table, at, at in figures, entry)}"
            for column in columns
            for at in [next(n for n, t in enumerate(table.head) if _template(t, boards) == column)]
        ]
    return "\n".join(lines) + "\n"


def _boards(tables: Sequence[Table]) -> list[str]:
    """What stands before a colon or above other heads, in the order of the guide."""
    found: dict[str, None] = {}
    for table in tables:
        for text in table.head[1:] or table.head:
            if match := _BOARD.fullmatch(plain(text)):
                found[match[1]] = None
    return list(found)


def _template(text: str, boards: Sequence[str]) -> str:
    match = _BOARD.fullmatch(plain(text))
    return f"{{board}}{match[2]}{match[3]}" if match and match[1] in boards else plain(text)


def _holds_figures(table: Table, at: int, text: str) -> bool:
    """Whether a column looks like one of figures: behind the first, with numbers."""
    if at == 0:
        return False
    if _BOARD.fullmatch(plain(text)):
        return True
    filled = [row[at].text for row in table.rows if at < len(row) and row[at].text]
    if _FACT_HEADS.intersection(_WORDS.findall(text.lower())):
        return False
    sizes = "size" in text.lower() or "block" in text.lower()
    numbers = any(re.match(r"-?[0-9]", each) for each in filled)
    return not sizes and (numbers or bool(with_unit(text)[1]))


def _benchmark(table: Table, catalog: Catalog) -> str:
    """The benchmark whose name or title a heading or the caption has."""
    for text in (*reversed(table.headings), table.caption):
        words = "".join(w for w in _WORDS.findall(text.lower()) if w not in _COMMON)
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
    said = f", params = {{ {', '.join(f'{k} = {_text(v)}' for k, v in params.items())} }}"
    return f"{{ metric = {_text(metric)}, unit = {_text(own_unit)}{said if params else ''} }}"


def _all_with_units(texts: Sequence[str]) -> bool:
    """Whether each text that there is has a unit behind it."""
    filled = [text for text in texts if text]
    return bool(filled) and all(with_unit(text)[1] for text in filled)


def _param(words: set[str], label: str, benchmark: Benchmark | None) -> str:
    for name, param in (benchmark.entry.params if benchmark else {}).items():
        known = set(_WORDS.findall(f"{name} {param.label}".lower().replace("_", " ")))
        if words and (words <= known or set(name.split("_")) <= words):
            return name
    return "_".join(_WORDS.findall(label.lower())) or "row"


def _metric(words: set[str], label: str, benchmark: Benchmark | None) -> tuple[str, dict[str, str]]:
    """The metric whose words a label has, and parameters whose values the rest of it names."""
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
        for value, shown in param.values.items():
            if set(_WORDS.findall(shown.lower())) <= words or value in words:
                params.setdefault(name, value)
    return best[1], params


def _text(value: Any) -> str:
    """A TOML string."""
    return msgspec.json.encode(str(value)).decode().replace("\x7f", "\\u007f")
