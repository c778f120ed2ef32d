"""References for people, made from the code: types with docstrings, and commands.

What a key of a file means stands once, under the field in its type; what an option
means stands once, in the parser. From there this makes rows for pages.
"""

from __future__ import annotations

import argparse
import ast
import inspect
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from types import ModuleType
from typing import Any

import msgspec

from .. import bundle
from ..catalog import benchmarks, board_names, chart_spec, waivers
from ..common import units
from ..health import acknowledged

MODULES: tuple[ModuleType, ...] = (
    *(acknowledged, board_names, bundle, benchmarks, chart_spec, waivers),
    units,
)
TYPES: dict[str, type[msgspec.Struct]] = {
    "bundle": bundle.Bundle,
    "runner": bundle.Runner,
    "sdk": bundle.Sdk,
    "board": bundle.Board,
    "result": bundle.Result,
    "log": bundle.Log,
    "benchmark": benchmarks.Entry,
    "metric": benchmarks.Metric,
    "param": benchmarks.Param,
    "table": benchmarks.Table,
    "chart": chart_spec.Chart,
    "acknowledged": acknowledged.Acknowledgement,
    "waiver": waivers.Spec,
    "board-names": board_names.Board,
}
"""What a reference can be made of, by its name on pages."""


@dataclass(frozen=True, slots=True)
class Key:
    """One key of a file: its name, what it can be, what it is where left out, its meaning."""

    name: str
    kind: str
    default: str
    text: str


def keys(of: type[msgspec.Struct]) -> list[Key]:
    """Every key of a type, in its order, with the words of the string below the field."""
    told = _docstrings(of)
    out = []
    for field in msgspec.structs.fields(of):
        default = field.default
        if field.default_factory is not msgspec.NODEFAULT:
            default = field.default_factory()
        if default is msgspec.NODEFAULT:
            shown = "required"
        elif default is None or default is msgspec.UNSET or default in ("", (), [], {}):
            shown = ""
        else:
            shown = str(default).lower() if isinstance(default, bool) else str(default)
        out.append(Key(field.encode_name, _kind(of, field.name), shown, told.get(field.name, "")))
    return out


def _kind(of: type, name: str) -> str:
    """The type of a field as its author wrote it, in the words of the file format."""
    written = _annotations(of)[name]
    return _worded(written, inspect.getmodule(of))


_WORDS = {
    "str": "text",
    "Text": "text",
    "Name": "name",
    "int": "whole number",
    "Whole": "whole number",
    "Count": "whole number from 1",
    "float": "number",
    "Figure": "number",
    "Percent": "number, in %",
    "Step": "number",
    "bool": "true or false",
    "Scalar": "text, number or boolean",
    "Value": "text, number or boolean",
    "datetime": "date and time with an offset",
}


def _worded(node: ast.expr, module: Any) -> str:
    match node:
        case ast.BinOp(left=left, right=right):
            words = [_worded(side, module) for side in (left, right)]
            return " or ".join(word for word in words if word)
        case ast.Constant(value=None):
            return ""
        case ast.Name(id="UnsetType"):
            return ""
        case ast.Name(id=name):
            values = _values(getattr(module, name, None))
            return values or _WORDS.get(name) or f"object: {name.lower()}"
        case ast.Attribute(attr=name):
            values = _values(getattr(units, name, None))
            return values or _WORDS.get(name, name)
        case ast.Subscript(value=ast.Name(id="Literal"), slice=inner):
            given = inner.elts if isinstance(inner, ast.Tuple) else [inner]
            return _or([str(c.value) for c in given if isinstance(c, ast.Constant)])
        case ast.Subscript(value=ast.Name(id="Annotated"), slice=ast.Tuple(elts=[first, *_])):
            return _worded(first, module)
        case ast.Subscript(value=ast.Name(id="dict"), slice=ast.Tuple(elts=[_, value])):
            return f"table: name to {_worded(value, module)}"
        case ast.Subscript(value=ast.Name(id="list" | "tuple" | "Sequence"), slice=inner):
            first = inner.elts[0] if isinstance(inner, ast.Tuple) else inner
            return f"list of {_worded(first, module)}"
    return ast.unparse(node)


def _values(literal: Any) -> str:
    """The words that a ``Literal`` allows, or nothing."""
    given = getattr(literal, "__args__", ())
    if given and all(isinstance(value, str) for value in given):
        return _or(list(given))
    return ""


def _or(words: Sequence[str]) -> str:
    return " or ".join(f"“{word}”" for word in words)


@cache
def _body(of: type) -> ast.ClassDef:
    tree = ast.parse(textwrap.dedent(inspect.getsource(of)))
    found = tree.body[0]
    assert isinstance(found, ast.ClassDef)
    return found


def _annotations(of: type) -> dict[str, ast.expr]:
    fields = (n for n in _body(of).body if isinstance(n, ast.AnnAssign))
    return {n.target.id: n.annotation for n in fields if isinstance(n.target, ast.Name)}


def _docstrings(of: type) -> dict[str, str]:
    """By field the string that stands below it."""
    out: dict[str, str] = {}
    name = ""
    for statement in _body(of).body:
        if isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name):
            name = statement.target.id
        elif isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant):
            if name:
                out[name] = " ".join(str(statement.value.value).split())
            name = ""
    return out


@dataclass(frozen=True, slots=True)
class Option:
    """An argument of a command, as one writes it, and what it means."""

    written: str
    text: str


@dataclass(frozen=True, slots=True)
class Command:
    """A command: its name, what it does, and its arguments."""

    name: str
    text: str
    usage: str
    options: tuple[Option, ...]


def commands(parser: argparse.ArgumentParser) -> list[Command]:
    """Every command of a parser that has commands, in its order."""
    out = []
    for action in parser._actions:  # argparse has no public way to go through them
        if isinstance(action, argparse._SubParsersAction):
            out += [_command(name, sub) for name, sub in action.choices.items()]
    return out


def _command(name: str, parser: argparse.ArgumentParser) -> Command:
    options = [
        Option(_written(action), (action.help or "").replace("%%", "%"))
        for action in parser._actions
        if not isinstance(action, argparse._HelpAction)
    ]
    usage = f"{parser.prog} {' '.join(_brief(a) for a in parser._actions[1:])}".strip()
    return Command(name, " ".join((parser.description or "").split()), usage, tuple(options))


def _written(action: argparse.Action) -> str:
    value = _value(action)
    if not action.option_strings:
        return value
    return ", ".join(action.option_strings) + (f" {value}" if action.nargs != 0 else "")


def _value(action: argparse.Action) -> str:
    if action.choices:
        return "{" + ",".join(map(str, action.choices)) + "}"
    return str(action.metavar or action.dest.upper())


def _brief(action: argparse.Action) -> str:
    """An argument in the line of usage."""
    if not action.option_strings:
        more = "…" if action.nargs in ("*", "+") else ""
        return f"[{_value(action)}{more}]" if action.nargs == "*" else f"{_value(action)}{more}"
    shown = action.option_strings[-1] + (f" {_value(action)}" if action.nargs != 0 else "")
    return shown if action.required else f"[{shown}]"
