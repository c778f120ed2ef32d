"""The slow pass over the bundle's types: every fault of a value, with its place."""

from __future__ import annotations

import datetime
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated, Any

import msgspec
from msgspec import inspect

from .. import bundle as schema
from ..bundle import Bundle, pointer
from ..common.diagnostics import nearest, visible

BUNDLE: inspect.Type = inspect.type_info(Bundle)
"""The bundle's type as data, which the functions below walk over."""


@dataclass(frozen=True, slots=True)
class Fault:
    """One fault in a bundle, before it is known which file it is in."""

    kind: str
    pointer: str
    message: str
    hint: str = ""


class NotFinite(str):
    """A number that JSON does not have or that no float can hold."""


def _found(value: Any) -> str:
    """What stands there, in words, for a message."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return f"the text “{visible(value, 60)}”"
    if isinstance(value, int | float):
        return f"the number {visible(repr(value), 40)}"
    return "an object" if isinstance(value, dict) else "a list"


def _wanted(kind: inspect.Type) -> str:
    """What is allowed, in words."""
    match kind:
        case inspect.Metadata(type=inner, extra_json_schema={"pattern": _}):
            return _wanted(inner).replace("characters", "printable characters")
        case inspect.Metadata(type=inner):
            return _wanted(inner)
        case inspect.StrType(min_length=low, max_length=high):
            return f"text of {low or 0} to {high} characters" if high else "text"
        case inspect.IntType(ge=low, le=high):
            return f"a whole number from {low} to {high}" if high else "a whole number"
        case inspect.FloatType(gt=above, ge=low, le=high):
            if above is not None:
                most = "" if high is None else f", at most {high:g}"
                return f"a number above {above:g}{most}"
            limited = low is not None and high is not None
            return f"a number from {low:g} to {high:g}" if limited else "a number"
        case inspect.BoolType():
            return "true or false"
        case inspect.DateTimeType():
            return "a date and time such as 2024-04-02T09:30:00Z, with an offset"
        case inspect.LiteralType(values=values):
            return " or ".join(f"“{v}”" if isinstance(v, str) else str(v) for v in values)
        case inspect.ListType():
            return "a list"
        case inspect.UnionType(types=types):
            parts = dict.fromkeys(_wanted(t) for t in types if _counts(t))
            return ", or ".join(parts)
    return "an object"


def _counts(kind: inspect.Type) -> bool:
    return not isinstance(kind, inspect.NoneType)


def check(value: Any, kind: inspect.Type, place: str) -> Iterator[Fault]:
    """Every fault of a value against a type, with its JSON pointer."""
    if isinstance(value, NotFinite):
        return  # found when the text was read
    match kind:
        case inspect.Metadata(type=inner, extra_json_schema={"pattern": pattern}):
            if not (_fits(value, inner) and re.search(pattern, value)):
                yield _wrong(value, kind, place)
        case inspect.Metadata(type=inner):
            yield from check(value, inner, place)
        case inspect.UnionType(types=types):
            choices = _choices(value, types)
            if value is None and any(isinstance(t, inspect.NoneType) for t in types):
                return
            if len(choices) == 1:
                yield from check(value, choices[0], place)
            elif all(any(check(value, t, place)) for t in choices):
                yield _wrong(value, kind, place)
        case inspect.StructType(fields=fields) if isinstance(value, dict):
            yield from _check_struct(value, fields, place)
        case inspect.DictType(key_type=key_type, value_type=value_type) if isinstance(value, dict):
            for key, inner in value.items():
                step = f"{place}/{pointer(key)}"
                yield from check(key, key_type, step)
                yield from check(inner, value_type, step)
        case inspect.ListType(item_type=item, min_length=low) if isinstance(value, list):
            if low and len(value) < low:
                message = "is empty"
                yield Fault("schema", place, message, f"give at least {low}, or leave it out")
            for index, inner in enumerate(value):
                yield from check(inner, item, f"{place}/{index}")
        case _:
            if not _fits(value, kind):
                yield _wrong(value, kind, place)


def _choices(value: Any, types: tuple[inspect.Type, ...]) -> list[inspect.Type]:
    """The types that a value may be of. A whole number is never read as another one."""
    choices = [t for t in types if _counts(t)]
    if isinstance(value, int) and not isinstance(value, bool):
        whole = [t for t in choices if isinstance(_bare(t), inspect.IntType)]
        return whole or choices
    return choices


def _bare(kind: inspect.Type) -> inspect.Type:
    return _bare(kind.type) if isinstance(kind, inspect.Metadata) else kind


def _fits(value: Any, kind: inspect.Type) -> bool:
    """Whether a single value is what a type without parts allows."""
    match kind:
        case inspect.StrType(min_length=low, max_length=high):
            return (
                isinstance(value, str)
                and len(value) >= (low or 0)
                and (high is None or len(value) <= high)
            )
        case inspect.BoolType():
            return isinstance(value, bool)
        case inspect.IntType(ge=low, le=high):
            return (
                isinstance(value, int)
                and not isinstance(value, bool)
                and (low is None or value >= low)
                and (high is None or value <= high)
            )
        case inspect.FloatType(gt=above, ge=low, le=high):
            return (
                isinstance(value, int | float)
                and not isinstance(value, bool)
                and (above is None or value > above)
                and (low is None or value >= low)
                and (high is None or value <= high)
            )
        case inspect.LiteralType(values=values):
            # 1 equals 1.0 and true in Python, but not in a bundle.
            return any(type(value) is type(v) and value == v for v in values)
        case inspect.DateTimeType():
            try:
                msgspec.convert(value, _MOMENT)
            except msgspec.ValidationError:
                return False
            return True
    return False


_MOMENT = Annotated[datetime.datetime, msgspec.Meta(tz=True)]


def _check_struct(
    value: dict[str, Any], fields: tuple[inspect.Field, ...], place: str
) -> Iterator[Fault]:
    known = {f.encode_name: f for f in fields}
    for key, inner in value.items():
        step = f"{place}/{pointer(key)}"
        if key in known:
            yield from check(inner, known[key].type, step)
        else:
            hint = (
                nearest(key, [k for k in known if k not in value])
                or f"known here: {', '.join(known)}"
            )
            message = f"“{visible(key, 60)}” is not a key of the schema and is left out"
            yield Fault("unknown-key", step, message, hint)
    for name, field in known.items():
        if field.required and name not in value:
            yield Fault("schema", place, f"“{name}” is missing", f"add it: {_wanted(field.type)}")


def contradictions(plain: Any) -> Iterator[Fault]:
    """What the types cannot say, over whatever parts of a bundle are there."""
    if not isinstance(plain, dict):
        return
    places: list[tuple[str, Any]] = [("/id", plain.get("id"))]
    for part, keys in (
        ("sdk", ("version", "os", "name")),
        ("board", ("name", "soc")),
        ("runner", ("name",)),
    ):
        holder = plain.get(part)
        if isinstance(holder, dict):
            places += [(f"/{part}/{key}", holder.get(key)) for key in keys]
    withdrawn = plain.get("supersedes")
    if isinstance(withdrawn, list):
        places += [(f"/supersedes/{index}", name) for index, name in enumerate(withdrawn)]
    results = plain.get("results")
    for index, result in enumerate(results if isinstance(results, list) else []):
        if not isinstance(result, dict):
            continue
        place = f"/results/{index}"
        places += [(f"{place}/{key}", result.get(key)) for key in ("benchmark", "metric", "unit")]
        params = result.get("params")
        if isinstance(params, dict):
            places += [(f"{place}/params/{pointer(key)}", key) for key in params]
        yield from _figure_faults(place, result)
    if _fits(moment := plain.get("created"), inspect.DateTimeType()) and not (
        schema.in_every_zone(msgspec.convert(moment, _MOMENT))
    ):
        message = f"“{moment}” is at the end of the calendar"
        yield Fault("schema", "/created", message, "write when it was measured")
    for place, text in places:
        # An empty name and one with control characters break the type already.
        if isinstance(text, str) and text and not schema.is_name(text):
            # The type's pattern passes over a line end behind the last character.
            if re.search(r"[\x00-\x1f\x7f-\x9f]", text.removesuffix("\n")):
                continue
            message = f"“{visible(text, 60)}” has a character that does not show"
            yield Fault("schema", place, message, "write it with printable characters")


def _figure_faults(place: str, result: dict[str, Any]) -> Iterator[Fault]:
    if "status" in result:
        for key in ("samples", "value", "min", "max", "count"):
            if key in result:
                hint = "a failed measurement has no figure; remove “status” or the figure"
                yield Fault("schema", f"{place}/{key}", f"“{key}” stands beside “status”", hint)
    elif "samples" not in result and "value" not in result:
        hint = "give measured figures as “samples”, a published one as “value”, or “status”"
        yield Fault("schema", place, "there is no “samples”, no “value” and no “status”", hint)
    elif "value" not in result:
        for key in ("min", "max", "count"):
            if key in result:
                hint = "it belongs to a published “value”; remove it, or give the “value”"
                yield Fault("schema", f"{place}/{key}", f"“{key}” stands without “value”", hint)


def without_unknown(value: Any, kind: inspect.Type) -> Any:
    """A sound value without the keys that its type does not name."""
    match kind:
        case inspect.Metadata(type=inner):
            return without_unknown(value, inner)
        case inspect.UnionType(types=types):
            structs = [t for t in types if isinstance(t, inspect.StructType)]
            return without_unknown(value, structs[0]) if structs else value
        case inspect.StructType(fields=fields) if isinstance(value, dict):
            return {
                f.encode_name: without_unknown(value[f.encode_name], f.type)
                for f in fields
                if f.encode_name in value
            }
        case inspect.ListType(item_type=item) if isinstance(value, list):
            return [without_unknown(inner, item) for inner in value]
    return value


def _wrong(value: Any, kind: inspect.Type, place: str) -> Fault:
    hint = f"allowed: {_wanted(kind)}"
    if isinstance(value, str) and isinstance(kind, inspect.LiteralType):
        guess = nearest(value, [v for v in kind.values if isinstance(v, str)])
        hint = f"{hint}; {guess}" if guess else hint
    return Fault("schema", place, f"is {_found(value)}", hint)


def of_form(text: str, error: json.JSONDecodeError) -> Fault:
    """What is wrong with a text that is not JSON, and how to mend what is most often
    wrong there."""
    where = f"line {error.lineno}, column {error.colno}"
    cut = error.msg.startswith("Unterminated string") or not text[error.pos :].strip()
    hint = "the file is cut short; upload it again" if cut else _mending(text, error.pos)
    return Fault("syntax", "", f"is not JSON: {error.msg} ({where})", hint)


def _mending(text: str, at: int) -> str:
    here, before = text[at : at + 40], text[:at].rstrip()[-1:]
    if here[:1] == "#" or here[:2] in ("//", "/*"):
        return "JSON has no comments; remove it"
    if not before and here[:1] not in "'{[":
        return "a bundle is a JSON object; perfguide pack makes one of what programs print"
    if here[:1] == "'":
        return "JSON has double quotes; let a JSON library write it"
    if (before == "," and here[:1] in "}]") or re.match(r",\s*[}\]]", here):
        return "remove the comma before the end of the object or the list"
    if re.match("True|False|None", here):
        return "JSON writes true, false and null"
    if here[:1] in "{[" and before in "}]":
        return "write several bundles as an array, or one a line into a .jsonl file"
    if here[:1] < " ":
        return r"write a line end within text as \n"
    return "mend the text there; a JSON library writes it without faults"
