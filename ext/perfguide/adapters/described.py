"""Log formats described by TOML files, both built-in and custom.

``source/extending.rst`` explains these files, and :mod:`.format_schema` lists their keys.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable
from functools import cache
from pathlib import Path

import msgspec

from ..common import toml_lists
from ..common.diagnostics import ReportedError, nearest
from . import Context, Format, Reading
from .described_log import NAME_IN_TEXT, Rule, cells, read
from .format_schema import Description, Figure, Lines
from .line_patterns import BUILT_IN_KINDS, NAME_IN_EQUATION, compile_pattern, prefix_expression
from .log_lines import holds

ENDING = ".format.toml"
"""The suffix of their names."""

FOLDER = Path(__file__).with_name("formats")
"""The built-in descriptions."""

MAX_RECOGNISED_BYTES = 1_000_000
"""The length of the part of a log that is used to recognise it where no expression is given."""


@cache
def built_in(name: str) -> Format:
    """Return the built-in format of this name. Raises :class:`ReportedError`, as :func:`load`."""
    try:
        return load(FOLDER / f"{name}{ENDING}")
    except ValueError as error:
        raise ReportedError(str(error)) from error


def load(path: Path) -> Format:
    """Return the format that a file describes.

    Raises :class:`ValueError` with the line, the fault and how to fix it, or if the file cannot be
    read.
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
    origin = f"{path}:{line}" if line else str(path)
    raise ValueError(f"{origin}: {message}{f'; {hint}' if hint else ''}") from None


def _line_of(text: str, message: str) -> int | None:
    """Return the last line that contains a quotation from the message, as the example precedes the
    keys."""
    for quoted in re.findall("“([^”]+)”", message):
        # The decoder says lines[0].match where the file just has the key.
        name = quoted if quoted in text else quoted.rpartition(".")[2]
        for number, line in reversed([*enumerate(text.splitlines(), 1)]):
            if name and re.search(rf"(?<![\w-]){re.escape(name)}(?![\w-])", line):
                return number
    return None


def described(spec: Description) -> Format:
    """Return the format of a description.

    Raises :class:`ValueError` if it describes nothing or contradicts itself.
    """
    looks = "".join(look for line in spec.lines for look in _looks(line))
    for name, expression in spec.kinds.items():
        if _expression(expression).groups:
            raise ValueError(f"the kind “{name}” has a group; write (?:…) in place of (…)")
        if name.partition(".")[0] in BUILT_IN_KINDS:
            raise ValueError(f"there is a kind “{name}” already; give yours another name")
        # An unused kind is usually a misspelt name.
        if f":{name}}}" not in looks:
            raise ValueError(f"no line has a value of the kind “{name}”; use it, or remove it")
    rules = [_rule(line, spec) for line in spec.lines]
    _check(spec, rules)

    def read_log(data: bytes, context: Context) -> Reading:
        return read(data, context, spec, rules)

    def has_figures(data: bytes) -> bool:
        return bool(read_log(data[:MAX_RECOGNISED_BYTES], Context("")).results)

    for expression in spec.recognise:
        _expression(expression)
    signs = holds(*(pattern.encode() for pattern in spec.recognise))
    recognises = signs if spec.recognise else has_figures
    # Reading the description's own example reveals most mistakes.
    if not has_figures(spec.example.encode()):
        raise ValueError(f"no figure can be read from its own example: {_why_not(spec)}")
    if not recognises(spec.example.encode()):
        raise ValueError("its own example is not recognised; change “recognise”, or the example")
    return Format(spec.name, spec.title or spec.name, spec.example, recognises, read_log)


def _rule(spec: Lines, format_: Description) -> Rule:
    patterns = tuple(
        compile_pattern(look, format_.kinds) for look in _looks(spec, with_damaged=False)
    )
    fronts = tuple(pattern.front for pattern in patterns if pattern.front and spec.damaged)
    damaged: re.Pattern[str] | None
    # Anything may follow the front of a damaged line.
    if isinstance(spec.damaged, str):
        damaged = compile_pattern(spec.damaged, format_.kinds, "front").expression
    else:
        damaged = re.compile("|".join(map(prefix_expression, fronts))) if fronts else None
    options = tuple(compile_pattern(look, format_.kinds, "words") for look in spec.options)
    kinds = dict(pair for pattern in (*options, *patterns[::-1]) for pair in pattern.kinds.items())
    return Rule(spec, patterns, options, damaged, fronts, kinds)


def _looks(spec: Lines, *, with_damaged: bool = True) -> list[str]:
    looks = [spec.match] if isinstance(spec.match, str) else spec.match
    if not with_damaged:
        return looks
    return [*looks, *spec.options, *([spec.damaged] if isinstance(spec.damaged, str) else ())]


def _expression(text: str) -> re.Pattern[str]:
    try:
        return re.compile(text)
    except re.error as error:
        raise ValueError(f"“{text}” is not a regular expression: {error}; fix it there") from None


def _check(spec: Description, rules: list[Rule]) -> None:
    if not any(rule.spec.figures for rule in rules) and not spec.csv:
        raise ValueError(
            "it describes neither lines with figures nor a csv table; write [[lines]] with match "
            "and figures, or [csv] with columns"
        )
    every = {name for rule in rules for name in rule.kinds} | {"line"}
    for rule in rules:
        look = next(iter(_looks(rule.spec)), "")
        if not rule.spec.fail and (unknown := set(rule.spec.figures) - {*rule.kinds}):
            raise ValueError(
                f"“{look}” has no value “{min(unknown)}”, which figures names; write "
                f"{{{min(unknown)}:number}} where it is"
            )
        names = {*rule.spec.needs, *rule.spec.when, *NAME_IN_EQUATION.findall(rule.spec.agree)}
        names = names.union(*map(NAME_IN_TEXT.findall, _texts(rule.spec)))
        if unknown := names - every - set(rule.spec.params):
            raise ValueError(f"no line has a value “{min(unknown)}”; write {{{min(unknown)}:word}}")
        if rule.spec.agree and rule.spec.agree.count("=") != 1:
            raise ValueError(f"“{rule.spec.agree}” is not an equation; write size / time = rate")
        if rule.spec.required and not any(rule.spec.begins for rule in rules):
            raise ValueError(f"“{rule.spec.required}” is said of a block; write begins = true")
    if any(rule.spec.confirms for rule in rules) != bool(spec.unconfirmed):
        raise ValueError("“unconfirmed” and a line that confirms belong together; write both")
    figures = (figure for rule in rules for figure in rule.spec.figures.items())
    units = [(name, given.unit if isinstance(given, Figure) else given) for name, given in figures]
    for name, unit in [*units, *(spec.csv.columns.items() if spec.csv else ())]:
        if not unit.strip():
            raise ValueError(f'“{name}” has no unit; write one, such as "MB/s" or "count"')
    if spec.csv and not spec.csv.columns and not spec.csv.units_in_heads:
        raise ValueError(
            "no column of “csv” holds figures; write columns, or units_in_heads = true"
        )
    if spec.csv and len(spec.csv.separator) != 1:
        raise ValueError(
            f"the separator “{spec.csv.separator}” is not one character; write the one between "
            "two cells"
        )


def _texts(spec: Lines) -> Iterable[str]:
    """Yield the texts among a line's keys that can refer to values."""
    yield from (spec.unstated, spec.refuse, spec.note, spec.fail, spec.rejects, spec.required)
    for given in spec.figures.values():
        if isinstance(given, Figure):
            yield from (given.metric, given.unit, *given.failures.values())
        else:
            yield given


def _why_not(spec: Description) -> str:
    """Return why the example has no figure, and how to fix that."""
    if not spec.csv:
        look = next(_looks(line)[0] for line in spec.lines if line.figures)
        return f"none of its lines looks like “{look}”; copy some lines of a real log there"
    wanted = [*spec.csv.columns, *spec.csv.params]
    heads = [cells(line, spec.csv.separator) for line in spec.example.splitlines()]
    best = max(heads, key=lambda head: len({*head} & {*wanted}), default=[])
    if missing := [name for name in wanted if name not in best]:
        hint = nearest(missing[0], best) or "write it as the head of the log does"
        return f"no line of it names the column “{missing[0]}”; {hint}"
    return "below its head there is no row with a number; copy some lines of a real log there"
