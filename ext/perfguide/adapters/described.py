"""A format of logs that a TOML file describes, without Python.

Lines are described by what they look like. In ``match``, ``{name:kind}`` stands for a value, any
blanks for any blanks, and everything else for itself; the whole line has to look so. The kinds
are ``number`` (``number.2``: with just two decimals, so that a cut shows), ``int``, ``word`` and
``text``. A word ends at a blank or at the character that follows it in ``match``, a text at that
character. No kind gives back what it has taken, so that a line is read in one pass whatever it
holds.

A value is a figure where ``figures`` gives it a unit, else a parameter: of the figures of its own
line, or, on a line without figures, of those on later lines until such a line comes again.
A value with a point in its name, such as ``tools.copy`` or ``sdk.kernel``, is a fact about the run,
and so is ``created``. A ``csv`` table has columns in place of
lines. What begins as a line of figures and does not go on so is said, and gives no figure.
"""

from __future__ import annotations

import csv
import re
import tomllib
from pathlib import Path

import msgspec

from ..common import toml_lists
from ..common.diagnostics import nearest
from . import Context, Format, Reading, Scalar
from .log_lines import figure, lines
from .log_sheet import Sheet

ENDING = ".format.toml"
"""How the name of such a file ends."""

_TOKEN = re.compile(r"\{([A-Za-z][A-Za-z0-9_.]{0,60}):(number(?:\.[0-9])?|int|word|text)\}")


class Lines(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Lines of one look."""

    match: str
    """What they look like."""
    figures: dict[str, str] = {}
    """The values that are figures, each with its unit."""
    params: dict[str, Scalar] = {}
    """Parameters of all of their figures."""
    zero: bool = False
    """Whether a figure can be zero."""


class Table(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A table of comma-separated values, whose head is a line of the log."""

    columns: dict[str, str]
    """Columns that hold figures, each with its unit, by the text of the head."""
    params: dict[str, str] = {}
    """Columns that hold parameters, each with the parameter's name."""
    separator: str = ","
    """What stands between cells: one character."""
    names: dict[str, str] = {}
    """The metrics of columns whose text is no good name for one."""


class Description(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The whole file."""

    name: str
    """The format, as ``--as`` takes it."""
    benchmark: str
    """The benchmark of all figures."""
    example: str
    """Some lines of a log, from which figures can be read."""
    title: str = ""
    """Which program prints it, in a line."""
    lines: list[Lines] = []
    """The lines of a log, the first that a line looks like counts."""
    csv: Table | None = None
    """The columns of a table of comma-separated values."""


class _Rule:
    """Lines of one look, ready to match."""

    def __init__(self, spec: Lines) -> None:
        self.spec = spec
        self.kinds: dict[str, str] = {}
        self.whole = re.compile(self._pattern(spec.match))
        literal = _TOKEN.split(spec.match, maxsplit=1)[0].rstrip()
        self.begins = _blanks(literal) if len(literal.strip()) > 2 else ""

    def _pattern(self, match: str) -> str:
        parts, at = [r"[ \t]*+"], 0
        for token in _TOKEN.finditer(match):
            parts.append(_blanks(match[at : token.start()]))
            at = token.end()
            self.kinds[token[1]] = token[2]
            parts.append(f"({_kind(token[2], match[at : at + 1])})")
        if "{" in _TOKEN.sub("", match):
            raise ValueError(
                f"“{match}” has a {{ that begins no value, as {{rate:number}} does; kinds are "
                "number, number.2, int, word and text"
            )
        return "".join((*parts, _blanks(match[at:]), r"[ \t]*+"))


def _kind(kind: str, follows: str) -> str:
    """A pattern that takes as much as it can and gives nothing back."""
    stop = "" if follows in ("", "{") else re.escape(follows)
    number, _, decimals = kind.partition(".")
    if number == "number":
        fraction = rf"\.[0-9]{{{decimals}}}+(?![0-9])" if decimals else r"(?:\.[0-9]++)?+"
        return rf"[-+]?+[0-9]{{1,30}}+{fraction}(?:[eE][-+]?+[0-9]{{1,3}}+)?+|-?+(?:nan|inf)"
    if kind == "int":
        return "[-+]?+[0-9]{1,30}+"
    return rf"[^ \t\ufffd{stop}]++" if kind == "word" else rf"[^\ufffd{stop}]++"


def _blanks(text: str) -> str:
    """A literal text as a pattern in which blanks stand for any blanks."""
    return r"[ \t]++".join(re.escape(each) for each in re.split(r"[ \t]+", text))


def load(path: Path) -> Format:
    """The format that a file describes.

    Raises :class:`ValueError` with the place in the file, what is wrong there and how to fix it,
    also where the file cannot be read.
    """
    text = ""
    try:
        text = path.read_bytes().decode("utf-8")
        return described(msgspec.convert(tomllib.loads(text), Description))
    except msgspec.ValidationError as error:
        message, hint = toml_lists.in_words(str(error), Description)
        line = _line_of(text, message)
    except (UnicodeDecodeError, tomllib.TOMLDecodeError, OSError) as error:
        message, hint, line = toml_lists.not_read(error)
    except ValueError as error:
        message, hint, line = str(error), "", _line_of(text, str(error))
    place = f"{path}:{line}" if line else str(path)
    raise ValueError(f"{place}: {message}{f'; {hint}' if hint else ''}") from None


def _line_of(text: str, message: str) -> int | None:
    """The last line with what a message quotes: words of the example come before what names them."""
    for quoted in re.findall("“([^”]+)”", message):
        # The decoder says lines[0].match where the file has the key alone.
        name = quoted if quoted in text else quoted.rpartition(".")[2]
        for number, line in reversed([*enumerate(text.splitlines(), 1)]):
            if name and re.search(rf"(?<![\w-]){re.escape(name)}(?![\w-])", line):
                return number
    return None


def described(spec: Description) -> Format:
    """The format of a description.

    Raises :class:`ValueError` where it describes nothing, or a pattern is none.
    """
    rules = [_Rule(each) for each in spec.lines]
    if not any(rule.spec.figures for rule in rules) and not spec.csv:
        raise ValueError(
            "it describes neither lines with figures nor a csv table; write [[lines]] with match "
            "and figures, or [csv] with columns"
        )
    for rule in rules:
        if unknown := set(rule.spec.figures) - set(rule.kinds):
            raise ValueError(
                f"“{rule.spec.match}” has no value “{min(unknown)}”, which figures names; write "
                f"{{{min(unknown)}:number}} where it is"
            )
    units = [unit for rule in rules for unit in rule.spec.figures.items()]
    for name, unit in [*units, *(spec.csv.columns.items() if spec.csv else ())]:
        if not unit.strip():
            raise ValueError(f'“{name}” has no unit; write one, such as "MB/s" or "count"')
    if spec.csv and len(spec.csv.separator) != 1:
        raise ValueError(
            f"the separator “{spec.csv.separator}” is not one character; write the one between "
            "two cells"
        )

    def read(data: bytes, context: Context) -> Reading:
        return _read(data, context, spec, rules)

    def recognises(data: bytes) -> bool:
        return bool(read(data[:1_000_000], Context("")).results)

    made = Format(spec.name, spec.title or spec.name, spec.example, recognises, read)
    if not recognises(spec.example.encode()):
        raise ValueError(f"no figure can be read from its own example: {_why_not(spec)}")
    return made


def _why_not(spec: Description) -> str:
    """Why the example has no figure, and how to fix that."""
    if not spec.csv:
        match = next(each.match for each in spec.lines if each.figures)
        return f"none of its lines looks like “{match}”; copy some lines of a real log there"
    wanted = [*spec.csv.columns, *spec.csv.params]
    heads = [_cells(line, spec.csv.separator) for line in spec.example.splitlines()]
    best = max(heads, key=lambda cells: len({*cells} & {*wanted}), default=[])
    if missing := [each for each in wanted if each not in best]:
        hint = nearest(missing[0], best) or "write it as the head of the log does"
        return f"no line of it names the column “{missing[0]}”; {hint}"
    return "below its head there is no row with a number; copy some lines of a real log there"


def _cells(line: str, separator: str) -> list[str]:
    return [each.strip() for each in next(csv.reader([line], delimiter=separator), [])]


def _read(data: bytes, context: Context, spec: Description, rules: list[_Rule]) -> Reading:
    sheet = Sheet(context)
    kept: dict[str, Scalar] = {}
    head: list[str] = []
    for line in lines(data):
        for rule in rules:
            if found := rule.whole.fullmatch(line.text):
                values = dict(zip(rule.kinds, found.groups(), strict=True))
                sheet.understood(line.number)
                for name in [each for each in values if "." in each or each == "created"]:
                    sheet.fact(name, values.pop(name).strip())
                if not rule.spec.figures:
                    kept |= {name: _value(text, rule.kinds[name]) for name, text in values.items()}
                else:
                    said = {
                        name: _value(text, rule.kinds[name])
                        for name, text in values.items()
                        if name not in rule.spec.figures
                    }
                    for name, unit in rule.spec.figures.items():
                        value = figure(values[name])
                        if value is None:
                            sheet.broken(line.number, f"“{values[name][:40]}” is not a number")
                            continue
                        params = {**kept, **rule.spec.params, **said}
                        zero = rule.spec.zero
                        benchmark = sheet.benchmark(spec.benchmark)
                        sheet.figure(line.number, benchmark, name, unit, value, params, zero=zero)
                break
            if rule.begins and re.match(r"[ \t]*+" + rule.begins, line.text):
                sheet.broken(line.number, f"a line of {spec.name} is cut or damaged")
                break
        else:
            if spec.csv:
                head = _row(line.number, line.text, head, spec.csv, spec, kept, sheet)
    return sheet.reading()


def _row(
    number: int,
    text: str,
    head: list[str],
    table: Table,
    spec: Description,
    kept: dict[str, Scalar],
    sheet: Sheet,
) -> list[str]:
    """Read a line as the head or a row of the table; the head that holds behind it."""
    cells = _cells(text, table.separator)
    if {*table.columns, *table.params} <= set(cells):
        sheet.understood(number)
        return cells
    if not head or not text.strip():
        return []
    if len(cells) != len(head):
        sheet.broken(number, f"a row of {spec.name} has {len(cells)} cells under {len(head)}")
        return head if table.separator in text else []
    row = dict(zip(head, cells, strict=True))
    params = {name: _value(row[column], "number") for column, name in table.params.items()}
    sheet.understood(number)
    for column, unit in table.columns.items():
        value = figure(row[column])
        if value is None:
            sheet.broken(number, f"“{row[column][:40]}” in the column “{column}” is not a number")
            continue
        metric, benchmark = table.names.get(column, column), sheet.benchmark(spec.benchmark)
        sheet.figure(number, benchmark, metric, unit, value, {**kept, **params}, zero=True)
    return head


def _value(text: str, kind: str) -> Scalar:
    """A parameter's value: a whole number as one, others as their text."""
    whole = kind != "word" and kind != "text" and re.fullmatch("-?[0-9]{1,15}", text)
    return int(text) if whole else text.strip()
