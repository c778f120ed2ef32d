"""The slow pass over a text and the schema types that finds every fault with its location."""

from __future__ import annotations

import datetime
import itertools
import json
import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated, Any

import msgspec
from msgspec import inspect

from .. import bundle as schema
from ..bundle import Bundle, pointer
from ..common.diagnostics import KINDS, nearest, visible
from .decompress import ending

BUNDLE: inspect.Type = inspect.type_info(Bundle)
"""The type of a bundle as data, for the functions below to traverse."""


MAX_FAULTS = 1000
"""The number of faults in one bundle at which the search stops."""


@dataclass(frozen=True, slots=True)
class Fault:
    """A fault in a bundle, without the file that contains it."""

    kind: str
    pointer: str
    message: str
    hint: str = ""


_FILE = re.compile(r"/tools/[^/]+|/results/[0-9]+/log/file")
"""Pointers to names of programs and logs, which may have any character except control
characters."""
_MOMENT = Annotated[datetime.datetime, msgspec.Meta(tz=True)]


class NotFinite(str):
    """A number that is not valid JSON (NaN, Infinity), or that no float can represent."""


def _described(value: Any) -> str:
    """Describe a value for a message."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return f"the text “{visible(value, 60)}”"
    if isinstance(value, int | float):
        return f"the number {visible(repr(value), 40)}"
    return "an object" if isinstance(value, dict) else "a list"


def _allowed(kind: inspect.Type, characters: str = "characters") -> str:
    """Describe the values that a type allows."""
    match kind:
        case inspect.Metadata(type=inner, extra_json_schema={"pattern": _}):
            return _allowed(inner, "printable characters")
        case inspect.Metadata(type=inner):
            return _allowed(inner, characters)
        case inspect.StrType(pattern=str()):
            return "a SHA-256 as 64 lower-case hexadecimal digits"
        case inspect.StrType(min_length=low, max_length=high):
            return f"text of {low or 0} to {high} {characters}" if high else "text"
        case inspect.IntType(ge=low, le=high):
            return f"a whole number from {low} to {high}" if high else "a whole number"
        case inspect.FloatType(gt=above, ge=low, le=high):
            if above is not None:
                upper_limit = "" if high is None else f", at most {high:g}"
                return f"a number above {above:g}{upper_limit}"
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
            parts = dict.fromkeys(_allowed(t) for t in types if _is_not_null(t))
            return ", or ".join(parts)
    return "an object"


def _is_not_null(kind: inspect.Type) -> bool:
    return not isinstance(kind, inspect.NoneType)


def check(value: Any, kind: inspect.Type, at: str) -> Iterator[Fault]:
    """Yield every fault of a value against a type; ``at`` is its JSON pointer."""
    if isinstance(value, NotFinite):
        return  # already reported by the parser
    match kind:
        case inspect.Metadata(type=inner, extra_json_schema={"pattern": pattern}):
            if not (_fits(value, inner) and re.search(pattern, value)):
                yield _wrong(value, kind, at)
            elif not (
                schema.is_name(value) or (_FILE.fullmatch(at) and schema.files_show([value]))
            ):
                message = f"“{visible(value, 60)}” has an invisible character"
                yield Fault("schema", at, message, "use printable characters only")
        case inspect.Metadata(type=inner):
            yield from check(value, inner, at)
        case inspect.UnionType(types=types):
            choices = _choices(value, types)
            if value is None and any(isinstance(t, inspect.NoneType) for t in types):
                return
            if len(choices) == 1:
                yield from check(value, choices[0], at)
            # The faults of each alternative would contradict each other, so report one fault for
            # all.
            elif all(any(check(value, t, at)) for t in choices):
                yield _wrong(value, kind, at)
        case inspect.StructType(fields=fields) if isinstance(value, dict):
            yield from _check_struct(value, fields, at)
        case inspect.DictType(key_type=key_type, value_type=value_type) if isinstance(value, dict):
            for key, inner in value.items():
                step = f"{at}/{pointer(key)}"
                yield from check(key, key_type, step)
                yield from check(inner, value_type, step)
        case inspect.ListType(item_type=item, min_length=low) if isinstance(value, list):
            if low and len(value) < low:
                message = "is empty"
                yield Fault("schema", at, message, f"give at least {low}, or leave it out")
            for index, inner in enumerate(value):
                yield from check(inner, item, f"{at}/{index}")
        case _:
            if not _fits(value, kind):
                yield _wrong(value, kind, at)


def _choices(value: Any, types: tuple[inspect.Type, ...]) -> list[inspect.Type]:
    """Return the types that a value may have. An integer is never read as a float."""
    choices = [t for t in types if _is_not_null(t)]
    if isinstance(value, int) and not isinstance(value, bool):
        integers = [t for t in choices if isinstance(_bare(t), inspect.IntType)]
        return integers or choices
    return choices


def _bare(kind: inspect.Type) -> inspect.Type:
    return _bare(kind.type) if isinstance(kind, inspect.Metadata) else kind


def _fits(value: Any, kind: inspect.Type) -> bool:
    """Return whether an atomic type allows a value."""
    match kind:
        case inspect.StrType(min_length=low, max_length=high, pattern=pattern):
            return (
                isinstance(value, str)
                and len(value) >= (low or 0)
                and (high is None or len(value) <= high)
                and (pattern is None or re.search(pattern, value) is not None)
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
            # In Python, 1 equals 1.0 and True, but not in a bundle.
            return any(type(value) is type(v) and value == v for v in values)
        case inspect.DateTimeType():
            try:
                msgspec.convert(value, _MOMENT)
            except (msgspec.ValidationError, UnicodeEncodeError):  # lone surrogate
                return False
            return True
    return False


def _check_struct(
    value: dict[str, Any], fields: tuple[inspect.Field, ...], at: str
) -> Iterator[Fault]:
    by_name = {f.encode_name: f for f in fields}
    for key, inner in value.items():
        step = f"{at}/{pointer(key)}"
        if key in by_name:
            yield from check(inner, by_name[key].type, step)
        else:
            hint = (
                nearest(key, [k for k in by_name if k not in value])
                or f"known here: {', '.join(by_name)}"
            )
            message = f"“{visible(key, 60)}” is not a key of the schema and is ignored"
            yield Fault("unknown-key", step, message, hint)
    for name, field in by_name.items():
        if field.required and name not in value:
            yield Fault("schema", at, f"“{name}” is missing", f"add it: {_allowed(field.type)}")


def contradictions(plain: Any) -> Iterator[Fault]:
    """Yield the faults that types cannot express, in whatever parts of a bundle exist."""
    if not isinstance(plain, dict):
        return
    results = plain.get("results")
    for index, result in enumerate(results if isinstance(results, list) else []):
        if not isinstance(result, dict):
            continue
        yield from _figure_faults(f"/results/{index}", result)
    if _fits(moment := plain.get("created"), inspect.DateTimeType()) and not (
        schema.in_every_zone(msgspec.convert(moment, _MOMENT))
    ):
        message = f"“{moment}” is outside the supported range of dates"
        yield Fault("schema", "/created", message, "give the time of the measurement")


def _figure_faults(at: str, result: dict[str, Any]) -> Iterator[Fault]:
    if "status" in result:
        for key in ("samples", "value", "min", "max", "count"):
            if key in result:
                hint = "a failed measurement has no figure; remove “status” or the figure"
                yield Fault("schema", f"{at}/{key}", f"“{key}” is given with “status”", hint)
        return
    low, high = result.get("min"), result.get("max")
    if isinstance(low, int | float) and isinstance(high, int | float) and low > high:
        hint = "write the smaller one as “min”"
        yield Fault("schema", f"{at}/min", "“min” is above “max”", hint)
    if "samples" not in result and "value" not in result:
        hint = "give measured figures as “samples”, a published one as “value”, or “status”"
        yield Fault("schema", at, "there is no “samples”, no “value” and no “status”", hint)
    elif "value" not in result:
        for key in ("min", "max", "count"):
            if key in result:
                hint = "it belongs to a published “value”; remove it, or give the “value”"
                yield Fault("schema", f"{at}/{key}", f"“{key}” is given without “value”", hint)


def without_unknown(value: Any, kind: inspect.Type) -> Any:
    """Return a valid value without keys unknown to its type."""
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


def _wrong(value: Any, kind: inspect.Type, at: str) -> Fault:
    hint = f"allowed: {_allowed(kind)}"
    if isinstance(value, str) and isinstance(kind, inspect.LiteralType):
        guess = nearest(value, [v for v in kind.values if isinstance(v, str)])
        hint = f"{hint}; {guess}" if guess else hint
    return Fault("schema", at, f"is {_described(value)}", hint)


def syntax_fault(text: str, error: json.JSONDecodeError) -> Fault:
    """Return the fault of a text that is not JSON, with a hint for the most common mistakes."""
    where = f"line {error.lineno}, column {error.colno}"
    cut = error.msg.startswith("Unterminated string") or not text[error.pos :].strip()
    hint = "the file is cut short; upload it again" if cut else _syntax_hint(text, error.pos)
    return Fault("syntax", "", f"is not JSON: {error.msg} ({where})", hint)


def _syntax_hint(text: str, at: int) -> str:
    here, before = text[at : at + 40], text[:at].rstrip()[-1:]
    if here[:1] == "#" or here[:2] in ("//", "/*"):
        return "JSON has no comments; remove it"
    if not before and here[:1] not in "'{[":
        return "a bundle is a JSON object; perfguide pack makes one from program output"
    if here[:1] == "'":
        return "JSON uses double quotes; let a JSON library write it"
    if (before == "," and here[:1] in "}]") or re.match(r",\s*[}\]]", here):
        return "remove the comma before the end of the object or the list"
    if before == "," and re.match(r"\d", here) and re.search(r"\d,$", text[:at]):
        return "write the number with a decimal point"
    if here[:1] == "," and before in ",[{":
        return "remove one of the two commas" if before == "," else "remove this comma"
    if re.match("True|False|None", here):
        return "JSON spells these true, false and null"
    if here[:1] in "{[" and before in "}]":
        return "write several bundles as an array, or one per line into a .jsonl file"
    if here[:1] < " ":
        return r"write a line break in a string as \n"
    return "fix the text there, or let a JSON library write it"


def validate(data: bytes) -> tuple[Bundle | None, list[Fault]]:
    """Return the bundle, or ``None`` if it cannot be published, and all faults.

    Unknown keys are dropped from the returned bundle.
    """
    tree, faults = parse(data)
    if tree is None and faults:
        return None, faults
    return validate_tree(tree, faults)


def validate_tree(tree: Any, faults: list[Fault]) -> tuple[Bundle | None, list[Fault]]:
    """Validate a parsed text; return its bundle, and its faults after those in ``faults``."""
    try:
        plain = _plain(tree, "", faults)
    except RecursionError:
        return None, [_TOO_DEEP]
    if isinstance(plain, dict) and plain.get("format") == schema.FORMAT:
        version = plain.get("version")
        # A newer schema would produce a list of unknown keys that hides the real reason.
        if isinstance(version, int) and version > schema.VERSION:
            message = f"schema version {version}; this release reads {schema.VERSION}"
            return None, [Fault("version", "/version", message, "use a newer perfguide")]
    further = itertools.chain(check(plain, BUNDLE, ""), contradictions(plain))
    faults += itertools.islice(further, max(0, MAX_FAULTS - len(faults)))
    if any(KINDS[f.kind].severity == "error" for f in faults):
        return None, faults
    try:
        bundle = msgspec.convert(without_unknown(plain, BUNDLE), Bundle)
    except (msgspec.ValidationError, OverflowError) as error:
        return None, [*faults, Fault("schema", "", str(error))]
    if not schema.consistent(bundle):
        return None, [*faults, Fault("schema", "", "contradicts itself")]
    return bundle, faults


class TooSmall(NotFinite):
    """A nonzero number, as written, that underflows to zero as a float."""


def _number(text: str) -> float | NotFinite:
    # json.loads would accept 1e400 as infinity.
    value = float(text)
    if not math.isfinite(value):
        return NotFinite(text)
    if value == 0 and re.search("[1-9]", re.split("[eE]", text)[0]):
        return TooSmall(text)
    return value


class _Pairs(list[tuple[str, Any]]):
    """The items of an object as written, including duplicate keys."""


_SURROGATE_HINT = "write the full character, or leave it out"
_TOO_DEEP = Fault("syntax", "", "is nested too deeply", "a bundle has five levels")


def parse(data: bytes) -> tuple[Any, list[Fault]]:
    """Parse a text, keeping duplicate keys; also return the faults that make it invalid JSON."""
    if data[:4] in (b"\xff\xfe\x00\x00", b"\x00\x00\xfe\xff") or data[:2] in (
        b"\xff\xfe",
        b"\xfe\xff",
    ):
        return None, [Fault("syntax", "", "is UTF-16 or UTF-32 text", "save it as UTF-8")]
    if not data.strip():
        return None, [
            Fault("syntax", "", "is not JSON: it is empty (line 1, column 1)", "upload it again")
        ]
    try:
        text = data.decode("utf-8")
        # The standard library can report duplicate keys and positions; speed does not matter here.
        tree = json.loads(
            text.removeprefix("\ufeff"),
            object_pairs_hook=_Pairs,
            parse_constant=NotFinite,
            parse_float=_number,
            parse_int=lambda t: int(t) if math.isfinite(float(t)) else NotFinite(t),
        )
    except UnicodeDecodeError as error:
        if (other := ending(data)) not in ("", ".json"):
            hint = f"rename it to end in {'.json' if other in ('.gz', '.zst') else ''}{other}"
            return None, [Fault("syntax", "", f"is not text: its content is {other}", hint)]
        line = data[: error.start].count(b"\n") + 1
        return None, [Fault("syntax", "", f"line {line} is not UTF-8 text", "save it as UTF-8")]
    except json.JSONDecodeError as error:
        return None, [syntax_fault(text.removeprefix("\ufeff"), error)]
    except RecursionError:
        return None, [_TOO_DEEP]
    if text.startswith("\ufeff"):
        return tree, [Fault("syntax", "", "begins with a byte order mark", "save it without")]
    return tree, []


def _plain(value: Any, at: str, faults: list[Fault]) -> Any:
    if len(faults) >= MAX_FAULTS:
        return None
    if isinstance(value, _Pairs):
        out: dict[str, Any] = {}
        for key, inner in value:
            step = f"{at}/{pointer(key)}"
            if key in out:
                message = f"“{key}” appears here twice"
                faults.append(Fault("duplicate-key", step, message, "keep one of them"))
            if not _is_text(key):
                faults.append(
                    Fault("syntax", step, "a key has half a surrogate pair", _SURROGATE_HINT)
                )
            out[key] = _plain(inner, step, faults)
        return out
    if isinstance(value, list):
        return [_plain(inner, f"{at}/{i}", faults) for i, inner in enumerate(value)]
    if isinstance(value, TooSmall):
        message = f"{visible(value, 40)} is so small that it would become zero"
        hint = "write it in a smaller unit"
        faults.append(Fault("schema", at, message, hint))
    elif isinstance(value, NotFinite):
        message = f"{visible(value, 40)} is not a finite number"
        hint = "a failed measurement is “status”: “fail”"
        faults.append(Fault("schema", at, message, hint))
    elif isinstance(value, str) and not _is_text(value):
        faults.append(Fault("syntax", at, "has half a surrogate pair", _SURROGATE_HINT))
    return value


def _is_text(value: str) -> bool:
    try:
        value.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True
