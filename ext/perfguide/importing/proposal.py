"""Proposing a map for the tables and passages of a guide.

Headings, captions and heads are matched with names in the catalog and with the words that its
descriptions list for them (:mod:`perfguide.catalog.phrases`). Tables whose figures would have the
same names are distinguished by a parameter derived from their captions, headings or order.
"""

from __future__ import annotations

import glob
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from typing import Any

import msgspec
from msgspec import structs

from ..catalog import phrases
from ..catalog.benchmarks import Benchmark, Catalog, undescribed
from ..common import units
from ..common.diagnostics import visible
from ..common.grouping import grouped
from . import bundles
from .mapping import (
    BoardEntry,
    Column,
    Map,
    Rule,
    Scalar,
    Unmapped,
    occurrences,
    other_socs,
    with_unit,
)
from .model import Passage, Table, plain
from .sources import Snapshot

_BOARD_HEADS = frozenset(["board", "boards", "device", "machine", "platform"])
"""Words in the head of a column of boards."""
_FACT_HEADS = frozenset(["date", "distribution", "distro", "kernel", "release", "version"])
"""Words in the head of a column whose numbers are names: 6.10 is not 6.1."""
_BOARD = re.compile(r"(.{1,100}?)(: ?| / )(.+)")
_UNSTATED_BOARD = "board not stated"
"""The name of the board for tables that name none, in a guide with several boards."""
_NOTE_CHARS = 500
"""The length up to which a paragraph is proposed as a note; longer ones are explanations."""
_CONDITION = re.compile(r"\b(?:using|with|without) (?!the following\b)")
"""Phrases with which the sentence above a block of code does more than introduce it."""
_PREPARATION = re.compile(r"To (?!run|execute|measure|perform|reproduce|test|benchmark)")
"""The beginning of a sentence above a block of code that measures nothing."""


@dataclass(slots=True)
class _Entry:
    """A proposed entry for a table, and remarks for its reviewer."""

    table: Table
    rule: Rule
    remarks: list[str]


def propose(
    guides: Sequence[Snapshot],
    catalog: Catalog,
    guide: Mapping[str, str],
    releases: Sequence[tuple[str, str, str]] = (),
) -> str:
    """Return a map for the tables and passages of some guides as TOML.

    Values that the guides do not state are empty strings, to be filled in by a person. ``releases``
    are tags or commits with their releases and a remark.
    """
    tables = [table for guide in guides for table in guide.tables]
    names = _board_names(tables, catalog)
    described = _boards_described(names, tables, guide.get("soc", ""))
    lines = ["# What the tables of a guide mean. Look at each line, and fix what is wrong.", ""]
    lines += ["[guide]"]
    lines += [f"{key} = {_text(guide.get(key, ''))}" for key in ("soc", "os", "sdk")]
    if releases:
        lines += ["", "# tag or commit = its release, or nothing to leave it out", "[releases]"]
        lines += release_lines(releases)
    lines += ["", "# as the guide calls a board = as bundles do", "[boards]"]
    lines += [_board_line(name, described[name]) for name in names]
    seen: set[str] = set()
    for document in guides:
        for entry in _entries(document.tables, names, catalog):
            text = _entry_text(entry)
            if text not in seen:
                seen.add(text)
                where = f"{entry.table.file}:{entry.table.line}: {' > '.join(entry.table.headings)}"
                lines += ["", f"# {visible(where, 300)}"]
                lines += [f"# {visible(remark, 300)}" for remark in entry.remarks]
                lines += [text]
    lines += _word_lines(guides, catalog)
    return "\n".join(lines) + "\n"


def release_lines(releases: Iterable[tuple[str, str, str]]) -> list[str]:
    """Return lines of ``[releases]`` for tags or commits, their releases, and a remark."""
    return [
        f"{_text(name)} = {_text(release)}  # {visible(about, 100)}"
        for name, release, about in releases
    ]


@dataclass(frozen=True, slots=True)
class Gap:
    """The tables of one release, and those without an entry in the map."""

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
    rest = [table.table for gap in gaps for table in gap.unmapped if not table.boards]
    named = [board for gap in gaps for table in gap.unmapped for board in table.boards]
    listed = {_folded(board) for board in meaning.boards}
    new_boards = dict.fromkeys([*named, *_board_names(rest, catalog)])
    boards = [board for board in new_boards if _folded(board) not in listed]
    lines: list[str] = []
    for section, present, new_lines in (
        ("releases", meaning.releases, release_lines(unnamed)),
        ("boards", meaning.boards, [f"{_text(board)} = {_text(board)}" for board in boards]),
    ):
        if new_lines:
            lines += [f"# below [{section}]:"] if present else [f"[{section}]"]
            lines += [*new_lines, ""]
    by_release: dict[str, dict[str, None]] = {}
    for gap in gaps:
        unmapped = {id(table.table) for table in gap.unmapped if not table.boards}
        for entry in _entries(gap.tables, [*meaning.boards, *boards], catalog):
            if id(entry.table) in unmapped:
                by_release.setdefault(_entry_text(entry), {})[gap.release] = None
    if by_release:
        lines += ["# at the end:"]
    for text, own_releases in by_release.items():
        lines += ["", f"# {', '.join(map(visible, own_releases))}", text]
    return "\n".join(lines) + "\n" if lines else ""


def _folded(text: str) -> str:
    return plain(text).casefold()


# Boards


def _board_names(tables: Sequence[Table], catalog: Catalog) -> list[str]:
    """Return the texts before a colon or above other heads, in the order of the guide, or else the
    names in its table of boards."""
    boards: dict[str, None] = {}
    for table in tables:
        described = _described(table, catalog)
        # The first column holds keys, unless it is the only one.
        for text in table.head[1:] or table.head:
            match = _BOARD.fullmatch(plain(text))
            if match and not phrases.metric(match[1], described):
                boards[match[1]] = None
    listed = (row[0].text for table in tables if _is_board_table(table) for row in table.rows)
    return list(boards or dict.fromkeys(filter(None, listed)))


def _boards_described(
    boards: Sequence[str], tables: Sequence[Table], soc: str
) -> dict[str, BoardEntry]:
    """Return what the guide states about its boards, by name and in a table of boards."""
    rows = [
        (row[0].text, row[1].text)
        for table in tables
        if _is_board_table(table)
        for row in table.rows
        if len(row) > 1 and row[0].text
    ]
    socs = other_socs(boards, soc)
    out: dict[str, BoardEntry] = {}
    # People write clocks and memory in prose; everything else stays in the description.
    for board in boards:
        description = _description(board, rows)
        clock = re.search(r"\b([0-9]{1,5}(?:\.[0-9]{1,4})?) ?([MG])Hz", description)
        memory = re.search(
            r"\b((?:[0-9]+ ?[MG]B )?(?:LP)?DDR[0-9]?[^,]*|L?P?DDR data rate [^,]*)", description
        )
        mhz = float(clock[1]) * (1000 if clock[2] == "G" else 1) if clock else 0
        out[board] = BoardEntry(
            name=board,
            soc=socs.get(board, ""),
            description=description,
            cpu_mhz=mhz,
            memory=memory[1].strip() if memory else "",
        )
    return out


def _is_board_table(table: Table) -> bool:
    """Return whether a table lists boards with descriptions."""
    head = [set(phrases.words(text)) for text in table.head]
    return len(head) == 2 and head[0] <= {"name", *_BOARD_HEADS} and "description" in head[1]


def _description(board: str, rows: Sequence[tuple[str, str]]) -> str:
    """Return the description of the board with the same SoC and the most words of the name in
    common, or ""."""
    sought = _board_words(board)
    ranked: dict[tuple[int, int], list[str]] = {}
    for name, text in rows:
        listed = _board_words(name)
        if sought and listed and sought[0] == listed[0]:
            common = len(set(sought) & set(listed))
            ranked.setdefault((common, -len(set(listed) - set(sought))), []).append(text)
    best = ranked[max(ranked)] if ranked else []
    return best[0] if len(best) == 1 else ""


def _board_words(name: str) -> list[str]:
    """Return the words of a board's name, without an x in place of digits of the SoC."""
    # A name may have no letters at all.
    first, *rest = re.findall("[a-z0-9]+", name.lower()) or [""]
    return [re.sub(r"(?<=[0-9a])x+", "", first), *rest] if first else []


def _board_line(name: str, entry: BoardEntry) -> str:
    """Return the line of ``[boards]`` for a board."""
    if entry == BoardEntry(name=name):
        return f"{_text(name)} = {_text(name)}"
    return f"{_text(name)} = {_toml(_stated(structs.asdict(entry)))}"


# Tables


def _described(table: Table, catalog: Catalog) -> Benchmark:
    """Return the benchmark named in the caption or the innermost heading, or a new one."""
    texts = (table.caption, *reversed(table.headings))
    name = phrases.benchmark(texts, catalog)
    if name:
        return catalog.benchmarks[name]
    heading = table.headings[-1] if table.headings else table.caption
    return undescribed("-".join(phrases.words(heading)) or "table")


def _entries(tables: Sequence[Table], boards: Sequence[str], catalog: Catalog) -> list[_Entry]:
    """Return the entries for the tables of one release, with a parameter where figures would
    pool."""
    entries = [_entry(table, catalog, boards) for table in tables]
    # Entries find tables by heading and caption, so a parameter cannot separate identical ones.
    for equal_only, distinguish in (
        (True, _by_order),
        (False, partial(_by_text, "table", lambda table: table.caption)),
        (False, partial(_by_text, "section", lambda table: "".join(table.headings[-1:]))),
        (False, _by_order),
    ):
        rules = [entry.rule for entry in entries]
        same = bundles.same_names(tables, rules, boards)
        if not same:
            break
        if equal_only:
            same = {pair for pair in same if tables[pair[0]].names == tables[pair[1]].names}
        for position, rule in distinguish(tables, rules, _to_distinguish(same, entries, catalog)):
            entries[position].rule = rule
    return entries


def _to_distinguish(
    same: Collection[tuple[int, int]], entries: Sequence[_Entry], catalog: Catalog
) -> set[int]:
    """Return the positions of tables that repeat the names of earlier ones, and also of the earlier
    ones where the catalog has no tables, or has rows or tabs by caption."""
    out: set[int] = set()
    # The first table keeps its names, which it shares with releases that lack the second one.
    for first, second in same:
        described = catalog.get(entries[first].rule.benchmark)
        by_caption = described is None or any(
            "table" in described.entry.names(table) for table in described.entry.tables
        )
        if first != second:
            out |= {first, second} if by_caption else {second}
    return out


def _by_text(
    name: str,
    text_of: Callable[[Table], str],
    tables: Sequence[Table],
    rules: Sequence[Rule],
    positions: Collection[int],
) -> Iterator[tuple[int, Rule]]:
    for position in positions:
        if text := text_of(tables[position]):
            params = {**rules[position].params, name: text}
            yield position, structs.replace(rules[position], params=params)


def _by_order(
    tables: Sequence[Table], rules: Sequence[Rule], positions: Collection[int]
) -> Iterator[tuple[int, Rule]]:
    numbers = occurrences(tables)
    groups = {tables[position].names for position in positions}
    for position, table in enumerate(tables):
        if table.names in groups:
            number = numbers[id(table)]
            params = {**rules[position].params, **({"table_no": number} if number > 1 else {})}
            yield position, structs.replace(rules[position], occurrence=number, params=params)


def _entry(table: Table, catalog: Catalog, boards: Sequence[str]) -> _Entry:
    """Propose an entry for a table."""
    # The guide's title contains its release, but the entry should apply to all releases.
    heading = " > ".join(("*", *map(glob.escape, table.headings[1:])))
    if len(table.headings) < 2:
        heading = glob.escape(" ".join(table.headings))
    caption = glob.escape(table.caption)
    if _is_board_table(table):
        remark = "a table of boards, taken into [boards]"
        rule = Rule(heading=heading, caption=caption, benchmark="", skip=True)
        return _Entry(table, rule, [remark])
    described = _described(table, catalog)
    number_of: dict[str, int] = {}
    for number, text in enumerate(table.head):
        number_of.setdefault(_template(text, boards), number)
    columns: dict[str, Column] = {}
    remarks: list[str] = []
    for text, number in number_of.items():
        columns[text] = _column(text, table, number, described, remarks)
    _separate(columns)
    rule = Rule(
        heading=heading,
        caption=caption,
        benchmark=described.name,
        params=_values_above(table, described, columns),
        setup=_program(table, described, catalog),
        units=_row_units(table, columns, number_of, described),
        columns=columns,
        board=_board_of_all(columns, boards, remarks),
    )
    return _Entry(table, rule, remarks)


def _board_of_all(columns: Mapping[str, Column], boards: Sequence[str], remarks: list[str]) -> str:
    """Return the board of a table whose columns name none."""
    named = any("{board}" in text or column.key == "board" for text, column in columns.items())
    if named or not boards:
        return ""
    if len(boards) == 1:
        remarks.append("the table names no board: taken as the only one of the guide")
        return boards[0]
    remarks.append("the table does not say which of the guide's boards was measured: name it here")
    return _UNSTATED_BOARD


def _template(text: str, boards: Collection[str]) -> str:
    match = _BOARD.fullmatch(plain(text))
    return f"{{board}}{match[2]}{match[3]}" if match and match[1] in boards else plain(text)


def _without_board(text: str) -> str:
    """Return the text of a column after the board."""
    for mark in ("{board}: ", "{board}:", "{board} / "):
        text = text.removeprefix(mark)
    return text


def _separate(columns: dict[str, Column]) -> None:
    """Add a parameter to columns that share both metric and parameters."""
    figures = [text for text, column in columns.items() if not column.key and not column.skip]
    by_meaning = grouped(figures, lambda text: repr((columns[text].metric, columns[text].params)))
    for texts in by_meaning.values():
        for text in texts if len(texts) > 1 else ():
            label = with_unit(_without_board(text))[0]
            params = {**columns[text].params, "column": label}
            columns[text] = structs.replace(columns[text], params=params)


def _values_above(
    table: Table, described: Benchmark, columns: Mapping[str, Column]
) -> dict[str, Scalar]:
    """Return the parameters that the caption or the headings of a table state."""
    given = {column.key for column in columns.values()}
    figures = [column for column in columns.values() if not column.key and not column.skip]
    # A column is closer to its figures than the caption above all of them.
    params: dict[str, Scalar] = {}
    for name, param in described.entry.params.items():
        if name in given or (figures and all(name in figure.params for figure in figures)):
            continue
        value = phrases.value((table.caption, *reversed(table.headings)), param)
        if value is not None:
            params[name] = value
    # Some tables of the catalog have rows or tabs by the captions of published ones.
    stated = {*params, *given, *(name for figure in figures for name in figure.params)}
    needed = [described.entry.names(table) - stated for table in described.entry.tables]
    if table.caption and set() not in needed and {"table"} in needed:
        params["table"] = table.caption
    return params


def _program(table: Table, described: Benchmark, catalog: Catalog) -> dict[str, Scalar]:
    """Return another benchmark's program that the caption names, with the words that follow, such
    as ``FIO 1G`` above figures of an SD card."""
    texts = table.caption.split()
    for start, text in enumerate(texts):
        program = catalog.get(text.lower())
        if program and program.entry.command and program.name != described.name:
            return {"program": " ".join(texts[start:])}
    return {}


def _row_units(
    table: Table,
    columns: Mapping[str, Column],
    number_of: Mapping[str, int],
    described: Benchmark,
) -> dict[str, str]:
    """Return the units of metrics in rows that are not in the canonical spelling."""
    out: dict[str, str] = {}
    for text, column in columns.items():
        if column.key != "metric":
            continue
        for row in table.rows:
            if number_of[text] >= len(row):
                continue
            label, spelt = with_unit(row[number_of[text]].text)
            metric = described.metric(str(column.values.get(label, label)))
            unit = phrases.unit(spelt, metric)
            if unit and unit != units.parse(spelt).name:
                out.setdefault(spelt, unit)
    return out


def _texts(table: Table, column: int) -> list[str]:
    """Return the non-empty texts of a column."""
    return [row[column].text for row in table.rows if column < len(row) and row[column].text]


def _are_metrics(texts: Sequence[str]) -> bool:
    """Return whether all texts end in brackets, most of them empty or containing a unit."""
    brackets = [match[1] for text in texts if (match := re.search(r"\(([^()]*)\)$", text))]
    fitting = sum(not text or phrases.is_unit(text) for text in brackets)
    return bool(texts) and len(brackets) == len(texts) and 2 * fitting > len(texts)


def _column(text: str, table: Table, n: int, described: Benchmark, remarks: list[str]) -> Column:
    """Propose the content of a column."""
    label, spelt = with_unit(_without_board(text))
    own_words = set(phrases.words(label))
    # Of two readings of a head, the one that explains more of its words is right.
    metric = phrases.metric(label, described)
    param = phrases.param(label, described)
    texts = _texts(table, n)
    if n == 0 and len(table.head) > 1 and _are_metrics(texts):
        return Column(key="metric", values=_metric_values(texts, described))
    if own_words & _BOARD_HEADS and not metric:
        return Column(key="board")
    if "command" in own_words and not metric:
        return Column(key="command")
    if n > 0 and (numbered := _numbered(label, described)) and _are_metrics(_texts(table, 0)):
        return Column(params=numbered)
    if n > 0 and (per := re.fullmatch("per[ -](.+)", label)) and _are_metrics(_texts(table, 0)):
        param = phrases.param(per[1], described)
        return Column(each=param.name if param else "_".join(phrases.words(per[1])))
    more_of_param = param and (metric is None or param.words > metric.words)
    if (n == 0 and len(table.head) > 1) or more_of_param or not _holds_figures(text, label, texts):
        return _key_column(label, text, texts, own_words, described)
    if _are_metrics(_texts(table, 0)) and metric is None:
        # Metric and unit are those of the row.
        return Column()
    params = _column_values(label, described)
    name = metric.name if metric else _metric_by_unit(spelt, params, described)
    if not name:
        name = "_".join(phrases.words(label)) or "figure"
    entry = described.metric(name)
    unit = phrases.unit(spelt, entry)
    if not unit:
        remarks.append(f"“{spelt or label}” is not a unit: state that of “{text}”")
    elif entry and unit == entry.unit and unit != units.parse(spelt).name:
        remarks.append(f"the unit of “{label}” is that of the description")
    return Column(metric=name, unit=unit, params=params)


def _metric_values(texts: Sequence[str], described: Benchmark) -> dict[str, Scalar]:
    """Return the metrics for rows that name them in other words than bundles."""
    out: dict[str, Scalar] = {}
    exact = {metric.name for metric in described.entry.metrics}
    for text in texts:
        label, _ = with_unit(text)
        metric = phrases.metric(label, described)
        is_whole = metric and metric.words == len(set(phrases.words(label)))
        if metric and is_whole and label not in exact:
            out[label] = metric.name
    return out


def _holds_figures(text: str, label: str, texts: Sequence[str]) -> bool:
    """Return whether a column other than the first seems to hold figures."""
    if text != _without_board(text):
        return True
    if _FACT_HEADS.intersection(phrases.words(label)):
        return False
    numbers = any(re.match(r"-?[0-9]", text) for text in texts)
    return numbers or bool(with_unit(text)[1])


def _key_column(
    label: str, text: str, texts: Sequence[str], own_words: set[str], described: Benchmark
) -> Column:
    """Propose the content of a column of parameter values."""
    param = phrases.param(label, described)
    name = param.name if param else "_".join(phrases.words(label)) or "row"
    if own_words & _FACT_HEADS:
        return Column(key=name, read="text")
    if "hex" in phrases.words(text):
        return Column(key=name, read="hex")
    sizes = all(
        re.fullmatch(r"[0-9]+ ?(?:[kKmMgG]?i?[bB]?|bytes?|[kKmMgG])", text) for text in texts
    )
    if texts and sizes and any(text[-1:].isalpha() for text in texts):
        return Column(key=name, read="size")
    meanings: dict[Scalar, list[str]] = {}
    for spelling in dict.fromkeys(texts) if param else ():
        if (value := phrases.listed_value(spelling, described.param(name))) is not None:
            meanings.setdefault(value, []).append(spelling)
    # Of several texts that match, the shortest has no extra words.
    shortest = {min(spellings, key=len): value for value, spellings in meanings.items()}
    return Column(
        key=name, values={text: value for text, value in shortest.items() if text != value}
    )


def _column_values(label: str, described: Benchmark) -> dict[str, Scalar]:
    """Return the parameters that the head of a column states."""
    params: dict[str, Scalar] = {}
    for name, param in described.entry.params.items():
        value = phrases.listed_value(label, param)
        if value is not None:
            params[name] = value
    return params


def _numbered(label: str, described: Benchmark) -> dict[str, Scalar]:
    """Return the parameter in a head such as ``CPU 1``."""
    match = re.fullmatch(r"(.+?) ?([0-9]{1,9})", label)
    param = phrases.param(match[1], described) if match else None
    return {param.name: int(match[2])} if match and param else {}


def _metric_by_unit(spelt: str, params: Mapping[str, Scalar], described: Benchmark) -> str:
    """Return the only possible metric of a column that states just a parameter and a unit, or
    ""."""
    if not params or not spelt:
        return ""
    fitting = [
        m.name
        for m in described.entry.metrics
        if "*" not in m.name and units.factor(phrases.unit(spelt, m), m.unit) is not None
    ]
    return fitting[0] if len(fitting) == 1 else ""


# Words


def _word_lines(guides: Sequence[Snapshot], catalog: Catalog) -> list[str]:
    """Return entries of ``[[words]]`` for the passages around figures."""
    lines: list[str] = []
    seen: set[tuple[str, str]] = set()
    for document in guides:
        sections: dict[tuple[str, ...], set[str]] = {}
        for table in document.tables:
            if not _is_board_table(table):
                name = _described(table, catalog).name
                for length in range(1, len(table.headings) + 1):
                    sections.setdefault(table.headings[:length], set()).add(name)
        passages = [p for p in bundles.joined(document.passages) if p.headings in sections]
        measuring = [
            passage
            for above, passage in pairwise((None, *passages))
            if passage and passage.kind == "command" and not _is_preparation(passage, above)
        ]
        for passage in passages:
            heading = " > ".join(("*", *map(glob.escape, passage.headings[1:])))
            if (heading, passage.text) in seen:
                continue
            seen.add((heading, passage.text))
            code = [metric for metric in measuring if metric.headings == passage.headings]
            use, note = _use(passage, code)
            benchmark = _only_named(passage.text, sections[passage.headings])
            entry = {"heading": heading, "text": passage.text, "use": use}
            entry |= {"note": note} if note else {}
            entry |= {"benchmark": benchmark} if benchmark and use != "none" else {}
            lines += ["", f"# {visible(f'{passage.file}:{passage.line}', 300)}", "[[words]]"]
            lines += [f"{key} = {_text(value)}" for key, value in entry.items()]
            lines += ["confirmed = false"]
    return lines


def _use(passage: Passage, measuring: Sequence[Passage]) -> tuple[str, str]:
    """Propose a use for a passage, and the text of the note if it is only part of the passage."""
    if passage.kind == "command":
        # If there are several blocks, none of them measures all figures of the section.
        return ("command" if list(measuring) == [passage] else "note"), ""
    if passage.kind != "text":
        return "note", ""
    if _explains(passage):
        return "none", ""
    sentences = _sentences(passage.text)
    if len(passage.text) > _NOTE_CHARS:
        # Guides explain in the present tense, but report how they measured in the past tense.
        stated = " ".join(text for text in sentences if re.search(r"\b(?:was|were)\b", text))
        return ("note", stated) if stated else ("none", "")
    # A sentence that introduces a measuring command is meaningless without it.
    introduces = (
        len(sentences) == 1
        and passage.text.endswith(":")
        and not _CONDITION.search(passage.text)
        and not _PREPARATION.match(passage.text)
    )
    return ("none" if introduces else "note"), ""


def _only_named(text: str, benchmarks: Collection[str]) -> str:
    """Return the only benchmark of a section that a passage names by a word unique to it, or ""."""
    words_of = {name: set(phrases.words(name)) for name in benchmarks}
    counts = Counter(word for words in words_of.values() for word in words)
    unique_words = {word for word in phrases.words(text) if counts[word] == 1}
    named = [name for name, words in words_of.items() if words & unique_words]
    return named[0] if len(named) == 1 and len(benchmarks) > 1 else ""


def _is_preparation(passage: Passage, above: Passage | None) -> bool:
    """Return whether the sentence above a block of code says that it is a preparation."""
    return (
        above is not None
        and above.headings == passage.headings
        and above.text.endswith(":")
        and bool(_PREPARATION.match(_sentences(above.text)[-1]))
    )


def _sentences(text: str) -> list[str]:
    return re.split(r"(?<=[.!?]) (?=[A-Z])", text)


def _explains(passage: Passage) -> bool:
    """Return whether a paragraph only says what a benchmark is, as its description does."""
    first = phrases.words(passage.text)[:2]
    heading = "".join(phrases.words(passage.headings[-1]))
    return (
        len(first) == 2 and first[0][:5] == heading[:5] and first[1] in ("is", "measures", "which")
    )


# TOML


def _entry_text(entry: _Entry) -> str:
    """Return the TOML of an entry."""
    rule = entry.rule
    named = {name: getattr(rule, name) for name in ("heading", "caption", "benchmark")}
    named |= _stated({name: getattr(rule, name) for name in _RULE_KEYS})
    lines = ["[[tables]]", *(f"{name} = {_toml(value)}" for name, value in named.items())]
    if not rule.skip:
        lines.append("[tables.columns]")
        for text, column in rule.columns.items():
            lines.append(f"{_text(text)} = {_toml(_stated(structs.asdict(column)))}")
    return "\n".join(lines)


_RULE_KEYS = ("skip", "occurrence", "params", "setup", "board", "units")


def _stated(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values that are neither empty nor false nor zero."""
    return {name: value for name, value in values.items() if value}


def _toml(value: Any) -> str:
    """Return a value as TOML; a mapping becomes an inline table."""
    if isinstance(value, Mapping):
        parts = [
            f"{key if re.fullmatch('[A-Za-z0-9_-]+', key) else _text(key)} = {_toml(inner)}"
            for key, inner in value.items()
        ]
        return f"{{ {', '.join(parts)} }}" if parts else "{ }"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return str(int(value)) if float(value).is_integer() else repr(value)
    return _text(value)


def _text(value: Any) -> str:
    """Return a TOML string."""
    # JSON escapes everything that TOML does, except the delete character.
    return msgspec.json.encode(str(value)).decode().replace("\x7f", "\\u007f")
