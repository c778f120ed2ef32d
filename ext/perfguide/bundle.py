"""The schema of a bundle, version 1, as types.

The decoder, the validation and the published JSON Schema follow from these types. New fields get
defaults, and the type of a field never changes, so that old bundles stay valid.
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
"""The pattern of names: no control characters."""

MAX_NAME_CHARS = 200
"""The length limit of a name."""

WARNED = "The runner warned: "
"""The prefix of notes in which perfguide's runner casts doubt on a figure."""

VARYING_FACTS = frozenset({"clock", "temperature", "system_load"})
"""Facts of the setup that are measured along with each figure and always differ: they help explain
a figure, but do not prevent pooling it with others."""

Name = Annotated[
    str,
    Meta(
        min_length=1,
        max_length=MAX_NAME_CHARS,
        description="1 to 200 printable characters",
        # Only in the JSON Schema: ``consistent`` checks each distinct name once, but the decoder
        # would spend most of its time on this check.
        extra_json_schema={"pattern": PRINTABLE},
    ),
]
Text = Annotated[str, Meta(max_length=10_000)]
Words = Annotated[str, Meta(min_length=1, max_length=10_000)]
Whole = Annotated[int, Meta(ge=-(2**53), le=2**53)]
Count = Annotated[int, Meta(ge=1, le=2**53)]
Figure = Annotated[float, Meta(ge=-1e200, le=1e200, description="a finite number")]
"""Limits far beyond any measurement, yet far below the values at which sums overflow."""
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
    gc=False,  # decoded JSON has no cycles, so the garbage collector can skip it
):
    pass


class Runner(_Object, frozen=True):
    """The program or lab that ran the benchmarks."""

    name: Name
    """Its name, such as that of the lab."""
    job_url: Text = ""
    """The address of a page about the run."""
    version: Text = ""
    """Its version."""


class Sdk(_Object, frozen=True):
    """The SDK release on the board."""

    version: Name
    """The release, such as ``09.02.01.10``."""
    os: Name
    """``linux``, ``rt-linux`` or another word."""
    name: Name = "Processor SDK"
    """The SDK's family; each has guides of its own."""
    kernel: Text = ""
    """The version of the running kernel."""
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
    """The policy by which the kernel chose the clock, such as ``performance``."""


class Log(_Object, frozen=True):
    """The location of a figure in the output of the program that measured it."""

    file: Name
    """The log's name."""
    line: Count
    """The line in it, from 1."""


class Note(_Object, frozen=True):
    """A note about a run, about one of its benchmarks, or about one metric of a benchmark."""

    text: Words
    """The text for readers."""
    benchmark: Name | UnsetType = UNSET
    """The benchmark that it is about; by default all."""
    metric: Name | UnsetType = UNSET
    """The metric that it is about; by default all of the benchmark."""


class Result(_Object, frozen=True):
    """One metric of one benchmark under one set of parameters.

    Either ``samples`` or ``value``, or both, or ``status`` is given. ``value`` beside
    ``samples`` is the figure that the program itself reported.
    """

    benchmark: Name
    """The benchmark's name, which is that of its description if there is one."""
    metric: Name
    """The measured quantity."""
    unit: Name
    """The unit of all figures of this result, such as ``kB/s``."""
    params: dict[Name, Value] = {}
    """The conditions of the measurement, such as ``block_size``."""
    samples: Annotated[list[Figure], Meta(min_length=1)] | UnsetType = UNSET
    """Every single measured figure."""
    value: Figure | UnsetType = UNSET
    """The mean that the program reported."""
    min: Figure | UnsetType = UNSET
    """The smallest figure behind ``value``."""
    max: Figure | UnsetType = UNSET
    """The largest figure behind ``value``."""
    count: Count | UnsetType = UNSET
    """The number of figures behind ``value``."""
    status: Literal["fail"] | UnsetType = UNSET
    """Given in place of figures if the measurement failed."""
    command: Text = ""
    """The command line that measured."""
    log: Log | None = None
    """The location of the figure in a log."""
    setup: dict[Name, Value] = {}
    """Facts about this measurement alone, such as ``card``; they override those of the run."""
    notes: list[Words] = []
    """Notes for readers of this figure."""


class Bundle(_Object, frozen=True):
    """The results of one run of one or more benchmarks on one board."""

    format: Literal["perfguide-bundle"]
    """The type of the file."""
    version: Literal[1]
    """The version of the format."""
    id: Name
    """A name that no other bundle of the same runner has."""
    created: Annotated[datetime.datetime, Meta(tz=True, description="RFC 3339, with an offset")]
    """The time of the measurement, such as ``2024-04-02T09:30:00Z``."""
    sdk: Sdk
    """The SDK release."""
    board: Board
    """The board."""
    results: Sequence[Result]
    """The measurements."""
    runner: Runner | None = None
    """The program or lab that ran the benchmarks."""
    supersedes: list[Name] = []
    """The ids of older bundles of the same runner that this one withdraws."""
    reason: Text = ""
    """The reason why the bundles in ``supersedes`` are withdrawn; the errata show it."""
    tools: dict[Name, Value] = {}
    """Versions and settings of the programs that measured."""
    setup: dict[Name, Value] = {}
    """Facts about the run, such as ``card``, ``mount``, ``peer``, ``firmware`` or ``commit``."""
    notes: list[Note] = []
    """Notes for readers of figures of the run."""
    logs: dict[LogName, Sha256] = {}
    """The SHA-256 of each log in the archive beside the bundle; a signature of the bundle then
    covers these logs, too."""

    @property
    def owned_id(self) -> tuple[str, str]:
        """The id with the runner's name, or "" if none is given: unique, and beyond the control of
        other runners."""
        return self.id, self.runner.name if self.runner else ""


_DECODER = msgspec.json.Decoder(Bundle)


def _listed(value: Any) -> list[Any]:
    """Return the results, which may be any sequence, as a list."""
    if not isinstance(value, Sequence):
        raise NotImplementedError(f"{type(value).__name__} has no form in JSON")
    return list(value)


_ENCODER = msgspec.json.Encoder(order="deterministic", enc_hook=_listed)


def decode(data: bytes) -> Bundle:
    """Decode a bundle that follows the schema, without unknown keys.

    Raises :class:`msgspec.MsgspecError` or :class:`ValueError` at the first fault;
    :func:`perfguide.bundles.faults.validate` finds all of them and tolerates unknown keys.
    """
    bundle = _DECODER.decode(data)
    if not consistent(bundle):
        raise ValueError("the bundle contradicts itself")
    return bundle


def encode(bundle: Bundle) -> bytes:
    """Encode the bundle as JSON; equal content gives equal bytes."""
    return _ENCODER.encode(bundle)


def digest(bundle: Bundle) -> str:
    """Return the SHA-256 of the content, regardless of layout, key order and unknown keys."""
    return hashlib.sha256(encode(bundle)).hexdigest()


def schema() -> dict[str, Any]:
    """Return the JSON Schema (2020-12) of a bundle."""
    described = msgspec.json.schema(Bundle)
    described = {"$schema": "https://json-schema.org/draft/2020-12/schema", **described}
    # Rules across fields, which types cannot express; see ``figures_agree``.
    result = described["$defs"]["Result"]
    result["oneOf"] = [
        {"anyOf": [{"required": ["samples"]}, {"required": ["value"]}]},
        {"required": ["status"]},
    ]
    result["dependentRequired"] = {"min": ["value"], "max": ["value"], "count": ["value"]}
    return described


def consistent(bundle: Bundle) -> bool:
    """Return whether a bundle follows the rules that types cannot express: printable names, a time
    that exists in every time zone, and either figures or a failure in each result."""
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
    # Many results share few combinations, so each is checked only once.
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
    """Return whether a result may combine samples, a value, a range or count of the value, and a
    failure in this way. Each argument is a ``bool`` or an array of them."""
    return ((sampled | published) != failed) & (published >= ranged)


def names_show(names: Collection[str]) -> bool:
    """Return whether :func:`is_name` accepts all names."""
    return "".join(names).isprintable() and not any(map(str.isspace, names)) and "" not in names


def files_show(names: Iterable[str]) -> bool:
    """Return whether names of logs or programs are free of control characters."""
    return all(re.fullmatch(PRINTABLE, name) for name in names)


_EARLIEST = datetime.datetime(1, 1, 3, tzinfo=datetime.UTC)
_LATEST = datetime.datetime(9999, 12, 29, tzinfo=datetime.UTC)


def in_every_zone(moment: datetime.datetime) -> bool:
    """Return whether a time can be expressed in every time zone, given that years run from 1 to
    9999."""
    return _EARLIEST <= moment <= _LATEST


def is_name(text: str) -> bool:
    """Return whether every character is printable and at least one is not a space."""
    return text.isprintable() and not text.isspace() and text != ""


def pointer(key: str) -> str:
    """Return a key as one step of a JSON pointer (RFC 6901)."""
    return key.replace("~", "~0").replace("/", "~1")
