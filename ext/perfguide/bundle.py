"""The bundle, schema version 1, as types.

From these types come the decoder, the validation and the published JSON Schema.
New fields get defaults and nothing is retyped, so that old bundles stay sound.
"""

from __future__ import annotations

import datetime
import hashlib
import re
from collections.abc import Collection, Iterable, Sequence
from typing import Annotated, Any, Literal

import msgspec
from msgspec import UNSET, Meta, UnsetType

__all__ = [
    *("Board", "Bundle", "Log", "Note", "Result", "Runner", "Sdk"),
    *("decode", "encode", "schema"),
]

FORMAT = "perfguide-bundle"
VERSION = 1

PRINTABLE = "^[^\\x00-\\x1f\\x7f-\\x9f]*$"
"""What a name looks like: no control characters."""

LONGEST = 200
"""Characters of a name, at most."""

Name = Annotated[
    str,
    Meta(
        min_length=1,
        max_length=LONGEST,
        description="1 to 200 printable characters",
        # The decoder would take most of its time for it; ``consistent`` looks once at each name.
        extra_json_schema={"pattern": PRINTABLE},
    ),
]
Text = Annotated[str, Meta(max_length=10_000)]
Words = Annotated[str, Meta(min_length=1, max_length=10_000)]
Whole = Annotated[int, Meta(ge=-(2**53), le=2**53)]
Count = Annotated[int, Meta(ge=1, le=2**53)]
Figure = Annotated[float, Meta(ge=-1e200, le=1e200, description="a finite number")]
"""Far more than anything that is measured, and far from where sums overflow."""
Value = Text | Whole | float | bool
LogName = Annotated[str, Meta(min_length=1, max_length=4096)]
Sha256 = Annotated[str, Meta(min_length=64, max_length=64, pattern="^[0-9a-f]{64}$")]
"""The SHA-256 of some bytes, as 64 lower-case hexadecimal digits."""


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
    """Its name, such as that of the lab."""
    job_url: Text = ""
    """Where the run can be looked at."""
    version: Text = ""
    """Its version."""


class Sdk(_Object, frozen=True):
    """The SDK release that was on the board."""

    version: Name
    """The release, such as ``09.02.01.10``."""
    os: Name
    """``linux``, ``rt-linux`` or another word."""
    name: Name = "Processor SDK"
    """The SDK's family; each has guides of its own."""
    kernel: Text = ""
    """The version of the kernel that ran."""
    image: Text = ""
    """The image on the board, such as ``default``."""


class Board(_Object, frozen=True):
    """The board that was measured."""

    name: Name
    """Its name; tables have a column for each."""
    soc: Name
    """The SoC on the board; each has guides of its own."""
    description: Text = ""
    """The board in words."""
    cpu_mhz: Annotated[float, Meta(gt=0, le=1e9)] | UnsetType = UNSET
    """The clock of the processor, in MHz."""
    memory: Text = ""
    """Kind and speed of the memory, such as ``DDR4 1600 MT/s``."""
    governor: Text = ""
    """How the kernel chose the clock, such as ``performance``."""


class Log(_Object, frozen=True):
    """Where a figure stands in the output of the program that measured it."""

    file: Name
    """The log's name."""
    line: Count
    """The line in it, from 1."""


class Note(_Object, frozen=True):
    """Words about a run, about one of its benchmarks, or about one metric of that."""

    text: Words
    """What readers are to know."""
    benchmark: Name | UnsetType = UNSET
    """The benchmark that it is about; all where this is left out."""
    metric: Name | UnsetType = UNSET
    """The metric that it is about; all of the benchmark where this is left out."""


class Result(_Object, frozen=True):
    """One metric of one benchmark under one set of parameters.

    One of ``samples``, ``value`` and ``status`` is there. ``value`` beside
    ``samples`` is the figure that the program itself reported.
    """

    benchmark: Name
    """The benchmark's name; the name of its description, where there is one."""
    metric: Name
    """What of it was measured."""
    unit: Name
    """The unit of all figures of this result, such as ``kB/s``."""
    params: dict[Name, Value] = {}
    """Under which conditions, such as ``block_size``."""
    samples: Annotated[list[Figure], Meta(min_length=1)] | UnsetType = UNSET
    """Every single figure that was measured."""
    value: Figure | UnsetType = UNSET
    """The mean that the program reported."""
    min: Figure | UnsetType = UNSET
    """The smallest figure behind ``value``."""
    max: Figure | UnsetType = UNSET
    """The largest figure behind ``value``."""
    count: Count | UnsetType = UNSET
    """How many figures are behind ``value``."""
    status: Literal["fail"] | UnsetType = UNSET
    """Stands in place of figures where the measurement failed."""
    command: Text = ""
    """The command line that measured."""
    log: Log | None = None
    """Where the figure stands in a log."""
    setup: dict[Name, Value] = {}
    """Facts about this measurement alone, such as ``card``; each goes before that of the run."""
    notes: list[Words] = []
    """What readers are to know of this figure."""


class Bundle(_Object, frozen=True):
    """What one run of one or more benchmarks measured on one board."""

    format: Literal["perfguide-bundle"]
    """What the file is."""
    version: Literal[1]
    """The version of the format."""
    id: Name
    """A name that no other bundle of the same runner has."""
    created: Annotated[datetime.datetime, Meta(tz=True, description="RFC 3339, with an offset")]
    """When it was measured, such as ``2024-04-02T09:30:00Z``."""
    sdk: Sdk
    """The SDK release."""
    board: Board
    """The board."""
    results: Sequence[Result]
    """What was measured."""
    runner: Runner | None = None
    """What ran the benchmarks."""
    supersedes: list[Name] = []
    """The ids of older bundles of the same runner that this one withdraws."""
    reason: Text = ""
    """Why the bundles in ``supersedes`` are withdrawn; the errata show it."""
    tools: dict[Name, Value] = {}
    """Versions and settings of the programs that measured."""
    setup: dict[Name, Value] = {}
    """Facts about the run, such as ``card``, ``mount``, ``peer``, ``firmware`` or ``commit``."""
    notes: list[Note] = []
    """What readers are to know of the run."""
    logs: dict[LogName, Sha256] = {}
    """The SHA-256 of each log in the archive beside the bundle; what signs the bundle then holds
    for these logs too."""

    @property
    def owned_id(self) -> tuple[str, str]:
        """What no other bundle has: its id, with the name of its runner, empty where none is
        named. A runner cannot take an id of another's."""
        return self.id, self.runner.name if self.runner else ""


_DECODER = msgspec.json.Decoder(Bundle)


def _listed(value: Any) -> list[Any]:
    """Results that are no list as one."""
    if not isinstance(value, Sequence):
        raise NotImplementedError(f"{type(value).__name__} has no form in JSON")
    return list(value)


_ENCODER = msgspec.json.Encoder(order="deterministic", enc_hook=_listed)


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
    """Whether what the types cannot say holds too: printable names, a time that every
    time zone has, and for each result either figures or a failure."""
    names = {bundle.id, bundle.sdk.version, bundle.sdk.os, bundle.sdk.name}
    names |= {bundle.board.name, bundle.board.soc, *bundle.supersedes}
    if bundle.runner:
        names.add(bundle.runner.name)
    names.update(bundle.setup)
    names.update(
        n for note in bundle.notes for n in (note.benchmark, note.metric) if n is not UNSET
    )
    results = bundle.results
    for r in results:
        names.update((r.benchmark, r.metric, r.unit), r.params, r.setup)
    states = {
        (
            r.samples is not UNSET,
            r.value is not UNSET,
            not (r.min is UNSET and r.max is UNSET and r.count is UNSET),
            r.status is not UNSET,
        )
        for r in results
    }
    return (
        in_every_zone(bundle.created)
        and names_show(names)
        and files_show({*bundle.tools, *(r.log.file for r in results if r.log)})
        and all(figures_agree(*state) for state in states)
        and not any(r.min is not UNSET and r.max is not UNSET and r.min > r.max for r in results)
    )


def figures_agree(sampled: Any, published: Any, ranged: Any, failed: Any) -> Any:
    """Whether a result may have what it has: samples, a value, a range or number of what is
    behind the value, and a failure. Each is a ``bool``, or an array of them."""
    return ((sampled | published) != failed) & (published >= ranged)


def names_show(names: Collection[str]) -> bool:
    """Whether each of some names is one that :func:`is_name` accepts."""
    return "".join(names).isprintable() and not any(map(str.isspace, names)) and "" not in names


def files_show(names: Iterable[str]) -> bool:
    """Whether names of logs or programs have no control characters."""
    return all(re.fullmatch(PRINTABLE, name) for name in names)


_FIRST = datetime.datetime(1, 1, 3, tzinfo=datetime.UTC)
_LAST = datetime.datetime(9999, 12, 29, tzinfo=datetime.UTC)


def in_every_zone(moment: datetime.datetime) -> bool:
    """Whether a time can be told in UTC and in any other zone: dates end at the
    years 1 and 9999."""
    return _FIRST <= moment <= _LAST


def is_name(text: str) -> bool:
    """Whether every character shows, and not all are spaces."""
    return text.isprintable() and not text.isspace() and text != ""


def pointer(key: str) -> str:
    """A key as one step of a JSON pointer (RFC 6901)."""
    return key.replace("~", "~0").replace("/", "~1")
