"""Reading logs by the description of their format: line by line, tracking blocks."""

from __future__ import annotations

import csv
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from ..common import units
from . import Context, Reading, Scalar
from .format_schema import Description, Figure, Lines, Table
from .line_patterns import (
    KINDS_OF_COLUMNS,
    NAME_IN_EQUATION,
    LinePattern,
    agrees,
    figure_and_unit,
    number_or_text,
    scalar,
)
from .log_lines import DAMAGED, Line, figure, lines
from .log_sheet import Sheet

MIN_FRONT_CHARS = 6
"""The length of a cut line, below which it could be any program's."""

MAX_QUOTED_CHARS = 200
"""The length of the quotation from a line in messages."""

_UNIT_IN_HEAD = re.compile(r"([^(\[]{1,100}?) ?[(\[]([^()\[\]]{1,30})[)\]]")
NAME_IN_TEXT = re.compile(r"\{([A-Za-z_][A-Za-z0-9_.-]*)\}")


@dataclass(frozen=True, slots=True)
class Rule:
    """Lines of one kind, ready to match."""

    spec: Lines
    patterns: tuple[LinePattern, ...]
    options: tuple[LinePattern, ...]
    damaged: re.Pattern[str] | None
    """Matches the front of lines that should look like this but do not."""
    fronts: tuple[str, ...]
    """The texts before the first value, of which cut lines have a part."""
    kinds: Mapping[str, str]
    """The kinds of all values by name."""

    def values(self, text: str) -> dict[str, str] | None:
        """Return the values of a line of this kind, or ``None`` for other lines."""
        for pattern in self.patterns:
            if (values := pattern.values(text)) is not None:
                for option in self.options:
                    if match := option.expression.search(text):
                        values |= zip(option.kinds, match.groups(""), strict=True)
                return values
        return None

    def is_cut(self, left: str) -> bool:
        """Return whether this is what a cut line of this kind left of the text before its first
        value."""
        return any(
            front.startswith(left) and len(left) >= min(8, len(front) // 2) for front in self.fronts
        )

    def conditions(self) -> set[str]:
        """Return the values of these lines that later figures depend on."""
        spec = self.spec
        if not spec.keeps and (spec.figures or spec.fail):
            return set()
        names = self.kinds.keys() - {*spec.figures, "created"}
        return {name for name in names if "." not in name}


@dataclass(frozen=True, slots=True)
class _Waiting:
    """A figure that counts only once the program has confirmed it."""

    line: int
    metric: str
    unit: str
    value: float
    params: Mapping[str, Scalar]
    setup: Mapping[str, Scalar]
    zero: bool
    command: str = ""


@dataclass(frozen=True, slots=True)
class _Matched:
    """A line of a kind: its values as printed, the parameters that apply to it by name, and all of
    these for texts of the description."""

    line: int
    rule: Rule
    values: Mapping[str, str]
    names: Mapping[str, Scalar]
    texts: Mapping[str, Scalar]

    def column(self, values: Mapping[str, str]) -> _Matched:
        """Return one column of a line whose values have several."""
        figures = self.rule.spec.figures
        heads = {name: number_or_text(v) for name, v in values.items() if name not in figures}
        return replace(
            self,
            values={**self.values, **values},
            names={**self.names, **heads},
            texts={**self.texts, **values},
        )


@dataclass(slots=True)
class _Block:
    """The lines of one run, as far as they were read."""

    line: int = 0
    values: dict[str, Scalar] = field(default_factory=dict)
    seen: set[str] = field(default_factory=set)
    """The messages for missing lines that no longer need to be given."""
    continued_by: set[str] = field(default_factory=set)
    """The patterns of lines that joined this block; a second line of one begins the next block."""
    waiting: list[_Waiting] = field(default_factory=list)


def read(data: bytes, context: Context, spec: Description, rules: Sequence[Rule]) -> Reading:
    """Read a log according to a description."""
    return _Reader(Sheet(context), spec, rules).read(data)


class _Reader:
    def __init__(self, sheet: Sheet, spec: Description, rules: Sequence[Rule]) -> None:
        self._sheet = sheet
        self._spec = spec
        self._rules = rules
        self._figures = [rule for rule in rules if rule.spec.figures]
        self._has_blocks = any(rule.spec.begins for rule in rules)
        self._of_columns = {
            name for rule in rules for name, kind in rule.kinds.items() if kind in KINDS_OF_COLUMNS
        }
        self._has_means = any(rule.spec.mean for rule in rules)
        benchmark = spec.benchmark
        self._benchmark = benchmark if spec.fixed_benchmark else sheet.benchmark(benchmark)
        self._is_named = sheet.stated("benchmark") is not None
        self._outside: dict[str, Scalar] = {}
        self._block: _Block | None = None if self._has_blocks else _Block()
        self._measured: set[tuple[object, ...]] = set()
        self._has_lost_row = False
        self._head: list[str] = []

    def read(self, data: bytes) -> Reading:
        open_line = 0 if data.endswith(b"\n") else data.count(b"\n") + 1
        for line in lines(data):
            if line.number != open_line or not self._is_open(line):
                self._line(line)
        self._end()
        return self._sheet.reading()

    def _is_open(self, line: Line) -> bool:
        """Return whether a last line without a line feed may be cut, and report it."""
        rule = next((value for value in self._figures if value.values(line.text) is not None), None)
        if rule is None or not (self._spec.bare_ends or rule.spec.bare_ends):
            return False
        self._sheet.broken(line.number, "the log ends within this line: is it cut?")
        if self._block:
            self._block.seen.add(rule.spec.required)
        return True

    def _line(self, line: Line) -> None:
        text = line.text
        # The first rule decides even if its line is damaged: a later one could take the rest of a
        # truncated line for a line of its own.
        for rule in self._rules:
            if rule.spec.within and self._block is None:
                continue
            values = rule.values(text)
            if values is not None:
                self._take(line, rule, values)
                return
            if rule.damaged is not None and rule.damaged.match(text):
                self._lose(line, rule)
                return
        left = " ".join(text[:MAX_QUOTED_CHARS].split())
        for rule in self._rules if len(left) >= MIN_FRONT_CHARS else ():
            if rule.is_cut(left) and not (rule.spec.within and self._block is None):
                self._lose(line, rule)
                return
        if self._spec.csv:
            self._head = self._row(line, self._spec.csv)

    def _lose(self, line: Line, rule: Rule) -> None:
        """Report a damaged line. Its values are unknown from here on, not those of lines before
        it."""
        self._sheet.broken(line.number, rule.spec.damage or self._damage, rule.spec.hint)
        self._has_lost_row |= bool(rule.spec.figures) and not rule.spec.mean
        self._begin(0, rule.spec)
        values = self._block.values if self._block else self._outside
        values.update(dict.fromkeys(rule.conditions(), DAMAGED))
        # One message is enough: the line is damaged, not missing.
        if self._block and rule.spec.required:
            self._block.seen.add(rule.spec.required)
        if rule.spec.ends:
            self._end()

    def _begin(self, line: int, spec: Lines) -> None:
        block, look = self._block, str(spec.match)
        if spec.continues and block and not block.seen and look not in block.continued_by:
            block.continued_by.add(look)
        elif spec.begins:
            self._end()
            self._block = _Block(line)

    @property
    def _damage(self) -> str:
        return self._spec.damage or f"a line of {self._spec.name} is cut or damaged"

    def _take(self, line: Line, rule: Rule, values: dict[str, str]) -> None:
        spec, sheet = rule.spec, self._sheet
        sheet.understood(line.number)
        self._begin(line.number, spec)
        is_repeated = False
        if self._block and spec.required:
            is_repeated = spec.required in self._block.seen
            self._block.seen.add(spec.required)
        others = self._without_figures(line, rule, values)
        # Values next to figures usually describe just these figures.
        if spec.keeps or not (spec.figures or spec.fail):
            (self._block.values if self._block else self._outside).update(others)
        names = {**self._outside, **(self._block.values if self._block else {}), **spec.params}
        names |= others
        texts = {**values, **names, "line": line.text.strip()[:MAX_QUOTED_CHARS]}
        matched = _Matched(line.number, rule, values, names, texts)
        if spec.note:
            sheet.note(line.number, filled(spec.note, texts), spec.hint)
        if spec.refuse:
            sheet.broken(line.number, filled(spec.refuse, texts), spec.hint)
        elif is_repeated or any(
            name not in names and sheet.stated(name) is None for name in spec.needs
        ):
            sheet.broken(line.number, filled(spec.unstated or self._damage, texts), spec.hint)
        elif spec.fail:
            self._fail(matched)
        elif spec.agree and not self._agrees(matched):
            sheet.broken(line.number, spec.disagree or self._damage, spec.hint)
        elif all(names.get(name, "") == value for name, value in spec.when.items()):
            self._columns(matched)
        if spec.confirms or spec.rejects:
            self._settle(filled(spec.rejects, texts))
        if spec.ends:
            self._end()

    def _without_figures(
        self, line: Line, rule: Rule, values: Mapping[str, str]
    ) -> dict[str, Scalar]:
        """Return the values that are not figures, and record those that are facts."""
        others: dict[str, Scalar] = {}
        for name, text in values.items():
            if name in rule.spec.figures:
                continue
            value = scalar(text, rule.kinds[name])
            if value is None:
                self._sheet.broken(line.number, f"“{text[:40]}” is not a date")
                continue
            # Texts that changed between versions are unified, so that figures stay comparable.
            if name in self._spec.values:
                value = self._spec.values[name].get(text.strip(), value)
            if "." not in name and name != "created":
                others[name] = value
            elif value != "":
                self._sheet.fact(name, value)
        return others

    def _params(self, names: Mapping[str, Scalar]) -> dict[str, Scalar]:
        """Return the parameters among the values, except those of missing optional parts and those
        whose name begins with _."""
        # A name given to a medium by a person replaces that of its device.
        left_out = {*self._spec.setup, *(self._spec.unless_named if self._is_named else ())}
        return {
            name: value
            for name, value in names.items()
            if value != "" and name[0] != "_" and name not in left_out
        }

    def _setup(self, names: Mapping[str, Scalar]) -> dict[str, Scalar]:
        return {name: names[name] for name in self._spec.setup if names.get(name, "") != ""}

    def _fail(self, matched: _Matched) -> None:
        spec = matched.rule.spec
        message = filled(spec.fail, matched.texts)
        has_conditions = DAMAGED not in matched.names.values()
        for name, given in spec.figures.items() if has_conditions else ():
            metric, unit = _named(name, given, matched)
            params = self._params(matched.names)
            self._sheet.failure(matched.line, self._benchmark, metric, unit, params, message)
        if not (spec.figures and has_conditions):
            self._sheet.failed(matched.line, message, spec.hint)

    def _agrees(self, matched: _Matched) -> bool:
        """Return whether the values of a line agree, as far as they are known."""
        spec, numbers = matched.rule.spec, dict[str, tuple[float, float]]()
        for name in NAME_IN_EQUATION.findall(spec.agree):
            if (text := str(matched.texts.get(name, ""))) == "":
                return True
            given = spec.figures.get(name)
            scale = units.parse(_named(name, given, matched)[1]).scale if given else 1.0
            # Counts are exact, but programs round what they measure to the last digit.
            is_exact = given is None and text.isdecimal()
            half = 0.0 if is_exact else 0.5 * 10.0 ** -len(text.partition(".")[2])
            numbers[name] = (figure(text) or 0.0) * scale, half * scale
        return agrees(spec.agree, numbers)

    def _columns(self, matched: _Matched) -> None:
        """Add the figures of a line: one per column, if it has a number for each of them."""
        figures = matched.rule.spec.figures
        columns = [matched]
        if not self._of_columns.isdisjoint(figures):
            parts = {
                name: str(text).split()
                for name, text in matched.texts.items()
                if name in self._of_columns
            }
            if len({len(part) for part in parts.values()}) > 1:
                spec = matched.rule.spec
                self._sheet.broken(matched.line, spec.damage or self._damage, spec.hint)
                return
            rows = zip(*parts.values(), strict=True)
            columns = [matched.column(dict(zip(parts, row, strict=True))) for row in rows]
        for column in columns:
            for name, given in figures.items():
                self._figure(name, given, column)

    def _figure(self, name: str, given: str | Figure, matched: _Matched) -> None:
        text = matched.values.get(name, "").strip()
        if not text:
            return  # its part of the line is optional, or its cell blank
        if DAMAGED in matched.names.values():
            return  # reported with the line that stated this condition
        form, line, texts = _form(given), matched.line, matched.texts
        metric, unit = _named(name, given, matched)
        fixed = {k: filled(v, texts) if isinstance(v, str) else v for k, v in form.params.items()}
        params = self._params({**matched.names, **fixed})
        if text in form.failures:
            message = filled(form.failures[text], texts)
            self._sheet.failure(line, self._benchmark, metric, unit, params, message)
            return
        number = figure_and_unit(text, matched.rule.kinds[name], form.power)
        if number is None:
            self._sheet.broken(line, f"“{text[:40]}” is not a number")
            return
        value, unit = number[0], number[1] or unit
        spec = matched.rule.spec
        if self._has_means and self._is_mean_of_others(spec.mean, (metric, unit, params)):
            return
        setup, command = self._setup(matched.names), str(matched.names.get("_command", ""))
        is_zero_valid = spec.zero or form.zero
        figure_ = _Waiting(line, metric, unit, value, params, setup, is_zero_valid, command)
        if self._spec.unconfirmed and self._block:
            self._block.waiting.append(figure_)
        else:
            self._add(figure_)

    def _is_mean_of_others(self, is_mean: bool, key: tuple[str, str, dict[str, Scalar]]) -> bool:
        """Return whether a figure is the mean of figures read earlier, or possibly of damaged
        ones."""
        metric, unit, params = key
        name = (metric, unit, *sorted(params.items()))
        # Only once: a second log in the same file may have printed just its mean.
        if not is_mean:
            self._measured.add(name)
            return False
        has_rows = name in self._measured or self._has_lost_row
        self._measured.discard(name)
        self._has_lost_row = False
        return has_rows

    def _add(self, waiting: _Waiting) -> None:
        self._sheet.setup = waiting.setup
        self._sheet.figure(
            waiting.line,
            self._benchmark,
            waiting.metric,
            waiting.unit,
            waiting.value,
            waiting.params,
            zero=waiting.zero,
            command=waiting.command,
        )

    def _settle(self, failure: str) -> None:
        """Add the figures that awaited confirmation, or report that they failed."""
        for waiting in self._block.waiting if self._block else ():
            if failure:
                self._sheet.failure(
                    *(waiting.line, self._benchmark, waiting.metric, waiting.unit),
                    *(waiting.params, failure),
                )
            else:
                self._add(waiting)
        if self._block:
            self._block.waiting.clear()

    def _end(self) -> None:
        """Report the lines that the block lacks, and forget its values."""
        block, self._block = self._block, None if self._has_blocks else _Block()
        if block is None:
            return
        if block.waiting:
            self._sheet.broken(block.waiting[0].line, self._spec.unconfirmed)
        # A block without a beginning, or whose beginning is damaged, lacks nothing.
        for rule in self._rules if block.line else ():
            if rule.spec.required and rule.spec.required not in block.seen:
                self._sheet.broken(block.line, filled(rule.spec.required, block.values))

    def _row(self, line: Line, table: Table) -> list[str]:
        """Read a line as the head or a row of the table, and return the head for the rows that
        follow."""
        row = cells(line.text, table.separator)
        if {*table.columns, *table.params} <= {*row} and figure_columns(row, table):
            self._sheet.understood(line.number)
            return row
        head, name = self._head, self._spec.name
        if not head or not line.text.strip():
            return []
        if len(row) != len(head):
            message = (
                f"a row of {name} has {units.with_noun(len(row), 'cell')} instead of {len(head)}"
            )
            self._sheet.broken(line.number, message)
            return head if table.separator in line.text else []
        by_column = dict(zip(head, row, strict=True))
        names = {**self._outside, **(self._block.values if self._block else {})}
        for key, param in table.params.items():
            names[param] = number_or_text(by_column[key])
        self._sheet.understood(line.number)
        if DAMAGED in names.values():
            return head
        for column, (metric, unit) in figure_columns(head, table).items():
            text = by_column[column]
            value = figure(text)
            if value is None:
                message = f"“{text[:40]}” in the column “{column}” is not a number"
                self._sheet.broken(line.number, message)
                continue
            params, setup = self._params(names), self._setup(names)
            self._add(_Waiting(line.number, metric, unit, value, params, setup, True))
        return head


def _form(given: str | Figure) -> Figure:
    return given if isinstance(given, Figure) else Figure(given)


def _named(name: str, given: str | Figure, matched: _Matched) -> tuple[str, str]:
    """Return the metric and the unit of a figure."""
    form = _form(given)
    return filled(form.metric or name, matched.texts), filled(form.unit, matched.texts)


def figure_columns(head: Sequence[str], table: Table) -> dict[str, tuple[str, str]]:
    """Return the metric and the unit of each column that holds figures."""
    columns = {
        column: (table.names.get(column, column), unit) for column, unit in table.columns.items()
    }
    if table.units_in_heads:
        for column in head:
            match = _UNIT_IN_HEAD.fullmatch(column)
            if match and column not in columns and column not in table.params:
                columns[column] = table.names.get(column, match[1]), match[2]
    return columns


def cells(text: str, separator: str) -> list[str]:
    """Return the cells of a row; a blank as the separator matches any blanks."""
    if separator == " ":
        return text.split()
    return [cell.strip() for cell in next(csv.reader([text], delimiter=separator), [])]


def filled(text: str, values: Mapping[str, Scalar]) -> str:
    """Fill in the values that a text of the description names in braces."""
    return NAME_IN_TEXT.sub(lambda name: str(values.get(name[1], "")), text)
