"""Hand-written TOML lists, read entry by entry."""

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
    """An entry of ``[[name]]`` in a file: its value, its number counting from 1, and its line, or
    ``None`` if unknown."""

    path: Path
    name: str
    value: T
    number: int
    line: int | None

    def fault(self, kind: str, message: str, hint: str) -> Diagnostic:
        """Return a diagnostic about the entry."""
        text = f"entry {self.number} of “{self.name}”: {message}"
        return Diagnostic(kind, str(self.path), text, hint, line=self.line)


def document(path: Path, kind: str) -> tuple[dict[str, Any], str, list[Diagnostic]]:
    """Return the content of a TOML file, its text and diagnostics. A missing file is empty.

    A file that is not TOML yields one diagnostic of ``kind``.
    """
    try:
        text = path.read_bytes().decode("utf-8")
        return tomllib.loads(text), text, []
    except FileNotFoundError:
        return {}, "", []
    except (UnicodeDecodeError, tomllib.TOMLDecodeError, OSError) as error:
        message, hint, line = not_read(error)
        hint = f"{hint}; until then none of its entries has any effect".removeprefix("; ")
        return {}, "", [Diagnostic(kind, str(path), message, hint, line=line)]


def not_read(error: Exception) -> tuple[str, str, int | None]:
    """Return why a file could not be read as TOML, how to fix it, and the line or ``None``."""
    if isinstance(error, OSError):
        return f"cannot be read: {error.strerror}", fixing(error), None
    if isinstance(error, UnicodeDecodeError):
        return "is not TOML: it is not UTF-8 text", "save it as UTF-8", None
    position = _LINE.search(str(error))
    hint = "fix this line; text goes in double quotes, and each key must be unique"
    return f"is not TOML: {_LINE.sub('', str(error))}", hint, int(position[1]) if position else None


def read(
    path: Path | None,
    name: str,
    spec: type[T],
    kind: str,
    wrong: Callable[[T], tuple[str, str] | None] = lambda _: None,
    others: Collection[str] = (),
    *,
    of_file: bool = True,
) -> tuple[list[Entry[T]], list[Diagnostic]]:
    """Return the valid entries of ``[[name]]`` in a file; a missing file has none.

    A faulty entry yields a diagnostic of ``kind`` and is left out, without affecting the others.
    ``wrong`` returns a fault that the types of ``spec`` cannot express, and its fix, or ``None``.
    ``others`` are lists in the same file that are read by separate calls; all but one call pass
    ``of_file=False``, so that faults of the file itself are reported once. A file that is not TOML
    yields one diagnostic and no entries.
    """
    if path is None:
        return [], []
    content, text, diagnostics = document(path, kind)
    diagnostics += [
        Diagnostic(kind, str(path), f"“{key}” has no meaning here", f"write [[{name}]] entries")
        for key in content
        if key != name and key not in others
    ]
    diagnostics = diagnostics if of_file else []
    given = content.get(name, [])
    if not isinstance(given, list):
        message = f"“{name}” is a single value where a list of tables belongs"
        diagnostics.append(Diagnostic(kind, str(path), message, f"write [[{name}]]"))
        return [], diagnostics
    # Inline tables have no header line; no line is better than a wrong one.
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
"""The decoder's types in the terms of people who write TOML."""

_WRITTEN = {"text": '"…"', "a list": "[…]", "a table": "{ … }", "true or false": "true"}


def in_words(error: str, spec: type[msgspec.Struct]) -> tuple[str, str]:
    """Put a decoder's message in plain words, and say how to fix it."""
    located = _PLACE.fullmatch(error)
    message, key_path = (located[1], located[2].removeprefix(".")) if located else (error, "")
    types = list(_at(inspect.type_info(spec), key_path))
    fields = [f.encode_name for t in types if isinstance(t, inspect.StructType) for f in t.fields]
    within = f" in “{key_path}”" if key_path else ""
    if missing := re.search(r"missing required field `([^`]*)`", message):
        return f"“{missing[1]}” is missing{within}", f'write {missing[1]} = "…"'
    if unknown := re.search(r"unknown field `([^`]*)`", message):
        hint = nearest(unknown[1], fields) or f"known keys: {', '.join(fields)}"
        return f"“{unknown[1]}” is unknown{within}", hint
    if kinds := re.search(r"Expected `([^`]*)`, got `([^`]*)`", message):
        expected, given = (
            " or ".join(_KINDS.get(kind, kind) for kind in names.split(" | ") if kind != "null")
            for names in kinds.groups()
        )
        key = key_path.rpartition(".")[2]
        fixed = _WRITTEN.get(expected)
        hint = f"write {key} = {fixed}" if fixed else f"write {expected}"
        return f"“{key_path}” is {given or 'nothing'} where {expected} is required", hint
    if bound := re.search(r"Expected `(\w+)` (>=|<=|>|<) (\S+)", message):
        than = {">=": "at least", "<=": "at most", ">": "more than", "<": "less than"}[bound[2]]
        expected = _KINDS.get(bound[1], bound[1])
        return f"“{key_path}” is out of range", f"write {expected} of {than} {bound[3]}"
    if value := re.search(r"Invalid enum value '([^']*)'", message):
        literals = [kind for kind in types if isinstance(kind, inspect.LiteralType)]
        allowed = [str(word) for literal in literals for word in literal.values]
        hint = nearest(value[1], allowed) or f"write one of {', '.join(allowed)}"
        return f"“{key_path}” is “{value[1]}”", hint
    return (
        f"“{key_path}”: {message}" if key_path else message,
        "see the comment at the top of the file",
    )


def _at(kind: inspect.Type, key_path: str) -> Iterator[inspect.Type]:
    """Yield the types allowed at a path within a type, such as ``metrics[0].better``."""
    if isinstance(kind, inspect.UnionType):
        for kind_of_value in kind.types:
            yield from _at(kind_of_value, key_path)
    elif not key_path:
        yield kind
    elif isinstance(kind, inspect.StructType):
        key = re.split(r"[.\[]", key_path)[0]
        for field in kind.fields:
            if field.encode_name == key:
                yield from _at(field.type, key_path.removeprefix(key).removeprefix("."))
    elif isinstance(kind, inspect.ListType | inspect.VarTupleType):
        yield from _at(kind.item_type, key_path.partition("]")[2].removeprefix("."))
    elif isinstance(kind, inspect.DictType):
        yield from _at(kind.value_type, key_path.partition("]")[2].removeprefix("."))
