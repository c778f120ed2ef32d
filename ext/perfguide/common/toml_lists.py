"""Reads lists that are written by hand as TOML, entry by entry."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, TypeVar

import msgspec
from msgspec import inspect

from .diagnostics import Diagnostic, nearest
from .path_hints import fixing

T = TypeVar("T", bound=msgspec.Struct)

_PLACE = re.compile(r"(.*?) - at `\$(.*)`", re.DOTALL)
_LINE = re.compile(r" \(at line (\d+), column \d+\)")


@dataclass(frozen=True, slots=True)
class Entry(Generic[T]):
    """One entry of ``[[name]]`` in a file: its value, its number counted from 1, and its line
    where it is known."""

    path: Path
    name: str
    value: T
    number: int
    line: int | None

    def fault(self, kind: str, message: str, hint: str) -> Diagnostic:
        """Something to say about the entry."""
        text = f"entry {self.number} of “{self.name}”: {message}"
        return Diagnostic(kind, str(self.path), text, hint, line=self.line)


def document(path: Path, kind: str) -> tuple[dict[str, Any], str, list[Diagnostic]]:
    """What a file holds, and its text; nothing where there is no such file.

    A file that is no TOML gives one diagnostic of ``kind``.
    """
    try:
        text = path.read_bytes().decode("utf-8")
        return tomllib.loads(text), text, []
    except FileNotFoundError:
        return {}, "", []
    except (UnicodeDecodeError, tomllib.TOMLDecodeError, OSError) as error:
        message, hint, line = not_read(error)
        hint = f"{hint}; until then none of its entries holds".removeprefix("; ")
        return {}, "", [Diagnostic(kind, str(path), message, hint, line=line)]


def not_read(error: Exception) -> tuple[str, str, int | None]:
    """Why a file could not be read as TOML, how to fix it, and the line where it is known."""
    if isinstance(error, OSError):
        return f"cannot be read: {error.strerror}", fixing(error), None
    if isinstance(error, UnicodeDecodeError):
        return "is not TOML: it is not UTF-8 text", "save it as UTF-8", None
    found = _LINE.search(str(error))
    hint = "fix this line; text goes between double quotes, and each key once"
    return f"is not TOML: {_LINE.sub('', str(error))}", hint, int(found[1]) if found else None


def read(
    path: Path | None,
    name: str,
    spec: type[T],
    kind: str,
    wrong: Callable[[T], tuple[str, str] | None] = lambda _: None,
    others: Collection[str] = (),
) -> tuple[list[Entry[T]], list[Diagnostic]]:
    """The entries of ``[[name]]`` in a file; nothing where there is no such file.

    An entry with a fault is left out with a diagnostic of ``kind``, and does not
    touch the others. ``wrong`` finds the faults that the types of ``spec`` cannot
    express: it says what is wrong and how to fix it. ``others`` are lists of the same file that
    somebody else reads. A file that is no TOML gives
    one diagnostic and no entry.
    """
    if path is None:
        return [], []
    content, text, diagnostics = document(path, kind)
    diagnostics += [
        Diagnostic(kind, str(path), f"“{key}” has no meaning here", f"write [[{name}]] entries")
        for key in content
        if key != name and key not in others
    ]
    given = content.get(name, [])
    if not isinstance(given, list):
        message = f"“{name}” is one value where a list of tables belongs"
        diagnostics.append(Diagnostic(kind, str(path), message, f"write [[{name}]]"))
        return [], diagnostics
    lines = _lines(text, name)
    entries: list[Entry[T]] = []
    for number, raw in enumerate(given, 1):
        line = lines[number - 1] if len(lines) == len(given) else None
        try:
            entry = Entry(path, name, msgspec.convert(raw, spec), number, line)
            fault = wrong(entry.value)
        except msgspec.ValidationError as error:
            entry, fault = Entry(path, name, raw, number, line), in_words(str(error), spec)
        if fault:
            hint = f"{fault[1]}; until it is fixed, this entry has no effect"
            diagnostics.append(entry.fault(kind, fault[0], hint))
        else:
            entries.append(entry)
    return entries, diagnostics


def _lines(text: str, name: str) -> list[int]:
    head = re.compile(rf"\s*\[\[\s*{re.escape(name)}\s*\]\]")
    return [n for n, line in enumerate(text.splitlines(), 1) if head.match(line)]


_KINDS = {
    **{"str": "text", "array": "a list", "object": "a table", "bool": "true or false"},
    **{"int": "a whole number", "float": "a number", "datetime": "a date and time"},
}
"""A decoder's types, in the words of somebody who writes TOML."""

_WRITTEN = {"text": '"…"', "a list": "[…]", "a table": "{ … }", "true or false": "true"}


def in_words(error: str, spec: type[msgspec.Struct]) -> tuple[str, str]:
    """A decoder's message in words of ours, and how to fix it."""
    found = _PLACE.fullmatch(error)
    message, place = (found[1], found[2].removeprefix(".")) if found else (error, "")
    there = list(_at(inspect.type_info(spec), place))
    fields = [f.encode_name for t in there if isinstance(t, inspect.StructType) for f in t.fields]
    within = f" in “{place}”" if place else ""
    if missing := re.search(r"missing required field `([^`]*)`", message):
        return f"“{missing[1]}” is missing{within}", f'write {missing[1]} = "…"'
    if unknown := re.search(r"unknown field `([^`]*)`", message):
        hint = nearest(unknown[1], fields) or f"known are {', '.join(fields)}"
        return f"“{unknown[1]}” is not known{within}", hint
    if kinds := re.search(r"Expected `([^`]*)`, got `([^`]*)`", message):
        due, given = (
            " or ".join(_KINDS.get(kind, kind) for kind in found.split(" | ") if kind != "null")
            for found in kinds.groups()
        )
        key = place.rpartition(".")[2]
        fixed = _WRITTEN.get(due)
        hint = f"write {key} = {fixed}" if fixed else f"write {due}"
        return f"“{place}” is {given or 'nothing'} where {due} has to be", hint
    if bound := re.search(r"Expected `(\w+)` (>=|<=|>|<) (\S+)", message):
        than = {">=": "at least", "<=": "at most", ">": "more than", "<": "less than"}[bound[2]]
        due = _KINDS.get(bound[1], bound[1])
        return f"“{place}” is out of its range", f"write {due} of {than} {bound[3]}"
    if value := re.search(r"Invalid enum value '([^']*)'", message):
        kinds_there = [each for each in there if isinstance(each, inspect.LiteralType)]
        allowed = [str(word) for each in kinds_there for word in each.values]
        hint = nearest(value[1], allowed) or f"write one of {', '.join(allowed)}"
        return f"“{place}” is “{value[1]}”", hint
    return f"“{place}”: {message}" if place else message, "see the comment at the file's top"


def _at(kind: inspect.Type, place: str) -> Iterator[inspect.Type]:
    """The types that may stand at a place of a type, such as ``metrics[0].better``."""
    if isinstance(kind, inspect.UnionType):
        for each in kind.types:
            yield from _at(each, place)
    elif not place:
        yield kind
    elif isinstance(kind, inspect.StructType):
        key = re.split(r"[.\[]", place)[0]
        for field in kind.fields:
            if field.encode_name == key:
                yield from _at(field.type, place.removeprefix(key).removeprefix("."))
    elif isinstance(kind, inspect.ListType | inspect.VarTupleType):
        yield from _at(kind.item_type, place.partition("]")[2].removeprefix("."))
    elif isinstance(kind, inspect.DictType):
        yield from _at(kind.value_type, place.partition("]")[2].removeprefix("."))
