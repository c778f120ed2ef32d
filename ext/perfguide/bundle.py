"""The bundle, schema version 1, as types.

From these types come the decoder, the validation and the published JSON Schema.
New fields get defaults and nothing is retyped, so that old bundles stay sound.
"""

from __future__ import annotations

import datetime
import hashlib
import re
from typing import Annotated, Any, Literal

import msgspec
from msgspec import UNSET, Meta, UnsetType

FORMAT = "perfguide-bundle"
VERSION = 1

PRINTABLE = "^[^\\x00-\\x1f\\x7f-\\x9f]*$"
"""What a name looks like: no control characters."""

Name = Annotated[
    str,
    Meta(
        min_length=1,
        max_length=200,
        description="1 to 200 printable characters",
        # The decoder would take most of its time for it; ``consistent`` looks once at each name.
        extra_json_schema={"pattern": PRINTABLE},
    ),
]
Text = Annotated[str, Meta(max_length=10_000)]
Whole = Annotated[int, Meta(ge=-(2**53), le=2**53)]
Count = Annotated[int, Meta(ge=1, le=2**53)]
Figure = Annotated[float, Meta(ge=-1e200, le=1e200, description="a finite number")]
"""Far more than anything that is measured, and far from where sums overflow."""
Value = Text | Whole | float | bool


class _Object(
    msgspec.Struct,
    frozen=True,
    kw_only=True,
    omit_defaults=True,
    forbid_unknown_fields=True,
    gc=False,  # what comes from JSON has no cycles, and the collector need not walk over it
):
    pass


class Runner(_Object, frozen=True):
    """What ran the benchmarks."""

    name: Name
    job_url: Text = ""
    version: Text = ""


class Sdk(_Object, frozen=True):
    """The SDK release that was on the board."""

    version: Name
    os: Name
    name: Name = "Processor SDK"
    kernel: Text = ""
    image: Text = ""


class Board(_Object, frozen=True):
    """The board that was measured."""

    name: Name
    soc: Name
    description: Text = ""
    cpu_mhz: Annotated[float, Meta(gt=0, le=1e9)] | UnsetType = UNSET
    memory: Text = ""
    governor: Text = ""


class Log(_Object, frozen=True):
    """Where a figure stands in the output of the program that measured it."""

    file: Name
    line: Count


class Result(_Object, frozen=True):
    """One metric of one benchmark under one set of parameters.

    One of ``samples``, ``value`` and ``status`` is there. ``value`` beside
    ``samples`` is the figure that the program itself reported.
    """

    benchmark: Name
    metric: Name
    unit: Name
    params: dict[Name, Value] = {}
    samples: Annotated[list[Figure], Meta(min_length=1)] | UnsetType = UNSET
    value: Figure | UnsetType = UNSET
    min: Figure | UnsetType = UNSET
    max: Figure | UnsetType = UNSET
    count: Count | UnsetType = UNSET
    status: Literal["fail"] | UnsetType = UNSET
    command: Text = ""
    log: Log | None = None


class Bundle(_Object, frozen=True):
    """What one run of one or more benchmarks measured on one board."""

    format: Literal["perfguide-bundle"]
    version: Literal[1]
    id: Name
    created: Annotated[datetime.datetime, Meta(tz=True, description="RFC 3339, with an offset")]
    sdk: Sdk
    board: Board
    results: list[Result]
    runner: Runner | None = None
    supersedes: list[Name] = []
    reason: Text = ""
    """Why the bundles in ``supersedes`` are withdrawn; the errata show it."""
    tools: dict[Name, Value] = {}
    """Versions and settings of the programs that measured."""


_DECODER = msgspec.json.Decoder(Bundle)
_ENCODER = msgspec.json.Encoder(order="deterministic")


def decode(data: bytes) -> Bundle:
    """A bundle that follows the schema with no unknown key.

    Raises :class:`msgspec.MsgspecError` or :class:`ValueError` at the first
    fault; ``validate`` finds them all, and knows which can be passed over.
    """
    bundle = _DECODER.decode(data)
    if not consistent(bundle):
        raise ValueError("the bundle contradicts itself")
    return bundle


def encode(bundle: Bundle) -> bytes:
    """The bundle as JSON; the same content gives the same bytes."""
    return _ENCODER.encode(bundle)


def digest(bundle: Bundle) -> str:
    """SHA-256 of the content: layout, key order and unknown keys do not count."""
    return content_hash(encode(bundle))


def content_hash(encoded: bytes) -> str:
    """The digest of a bundle that is encoded already."""
    return hashlib.sha256(encoded).hexdigest()


def schema() -> dict[str, Any]:
    """The JSON Schema (2020-12) of a bundle."""
    described = msgspec.json.schema(Bundle)
    described = {"$schema": "https://json-schema.org/draft/2020-12/schema", **described}
    result = described["$defs"]["Result"]
    result["oneOf"] = [
        {"anyOf": [{"required": ["samples"]}, {"required": ["value"]}]},
        {"required": ["status"]},
    ]
    result["dependentRequired"] = {"min": ["value"], "max": ["value"], "count": ["value"]}
    return described


def consistent(bundle: Bundle) -> bool:
    """Whether what the types cannot say holds too: printable names, and for each
    result either figures or a failure."""
    names = {bundle.id, bundle.sdk.version, bundle.sdk.os, bundle.sdk.name}
    names |= {bundle.board.name, bundle.board.soc, *bundle.supersedes}
    if bundle.runner:
        names.add(bundle.runner.name)
    results = bundle.results
    names.update([r.benchmark for r in results], [r.metric for r in results])
    names.update([r.unit for r in results], *[r.params for r in results if r.params])
    for r in results:
        published = r.value is not UNSET
        if published or r.samples is not UNSET:
            if r.status is not UNSET:
                return False
        elif r.status is UNSET:
            return False
        if not published and not (r.min is UNSET and r.max is UNSET and r.count is UNSET):
            return False
    others = {r.log.file for r in results if r.log} | set(bundle.tools)
    return all(map(is_name, names)) and all(re.search(PRINTABLE, name) for name in others)


def is_name(text: str) -> bool:
    """Whether every character shows, and not all are spaces."""
    return text.isprintable() and not text.isspace() and text != ""


def pointer(key: str) -> str:
    """A key as one step of a JSON pointer (RFC 6901)."""
    return key.replace("~", "~0").replace("/", "~1")
