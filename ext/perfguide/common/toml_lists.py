"""Reads lists that are written by hand as TOML, entry by entry."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Collection
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, TypeVar

import msgspec

from .diagnostics import Diagnostic, nearest

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
        found = _LINE.search(str(error))
        line = int(found[1]) if found else None
        message = f"is not TOML: {_LINE.sub('', str(error))}"
        hint = "mend this line; until then none of its entries holds"
        if isinstance(error, OSError):
            message, hint = f"cannot be read: {error.strerror}", "none of its entries holds"
        return {}, "", [Diagnostic(kind, str(path), message, hint, line=line)]


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
    express: it says what is wrong and how to mend it. ``others`` are lists of the same file that
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
        message = f"“{name}” is one value where a list of tables is due"
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
            entry, fault = Entry(path, name, raw, number, line), _words(str(error), spec)
        if fault:
            hint = f"{fault[1]}; until it is mended, this entry has no effect"
            diagnostics.append(entry.fault(kind, fault[0], hint))
        else:
            entries.append(entry)
    return entries, diagnostics


def _lines(text: str, name: str) -> list[int]:
    head = re.compile(rf"\s*\[\[\s*{re.escape(name)}\s*\]\]")
    return [n for n, line in enumerate(text.splitlines(), 1) if head.match(line)]


def _words(error: str, spec: type[msgspec.Struct]) -> tuple[str, str]:
    """A decoder's message in words of ours, and how to mend it."""
    found = _PLACE.fullmatch(error)
    message, place = (found[1], found[2].removeprefix(".")) if found else (error, "")
    fields = spec.__struct_fields__
    if missing := re.search(r"missing required field `([^`]*)`", message):
        return f"“{missing[1]}” is missing", f'write {missing[1]} = "…"'
    if unknown := re.search(r"unknown field `([^`]*)`", message):
        hint = nearest(unknown[1], fields) or f"known are {', '.join(fields)}"
        return f"“{unknown[1]}” is not known", hint
    if kinds := re.search(r"Expected `([^`]*)`, got `([^`]*)`", message):
        return f"“{place}” is {kinds[2]} where {kinds[1]} is due", f"write {place} as {kinds[1]}"
    return f"“{place}”: {message}" if place else message, "see the comment at the file's top"
