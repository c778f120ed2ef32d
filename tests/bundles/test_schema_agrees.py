"""The published schema and ``check`` give one verdict, but for the differences that are documented.

The judge of the schema is somebody else's library.
"""

from __future__ import annotations

import copy
import json
import random
from collections.abc import Iterator
from typing import Any

import jsonschema
from making import plain, result

from perfguide import bundle
from perfguide.bundles.faults import Fault, validate

MUTATIONS = 2000

SOUND: dict[str, Any] = plain(
    result(
        params={"block_size": 16, "engine": "hw"},
        samples=[1.0, 2.5],
        command="speed",
        log={"file": "a.log", "line": 3},
        setup={"card": "SanDisk"},
        notes=["no printk"],
    ),
    result("load", "%", value=31.5, min=30.0, max=33, count=3),
    {"benchmark": "speed", "metric": "rate", "unit": "MB/s", "status": "fail"},
    runner={"name": "lab", "job_url": "https://lab.example/7", "version": "1"},
    supersedes=["run-0"],
    reason="wrong clock",
    logs={"a.log": "0123456789abcdef" * 4},
    tools={"openssl": "3.0", "threads": 2},
    setup={"mount": "async", "cold": True, "temperature": 41.5},
    notes=[{"text": "of the run"}, {"text": "of the rate", "benchmark": "speed", "metric": "rate"}],
    sdk__kernel="6.1",
    sdk__name="Processor SDK",
    board__cpu_mhz=1400,
    board__memory="DDR4",
)

ODD: list[Any] = [
    *(None, True, False, 0, 1, -1, 1.0, 2.5, 2**53, 2**53 + 1, 1e200, 1e201, -1e300),
    *("", " ", "x", "a\u200bb", "a\nb", "\x07", "x" * 201, "x" * 10_001, "2024-04-02T09:30:00Z"),
    *("2024-04-02", "fail", [], {}, [1], [""], ["x"], {"a": 1}, {"": 1}, {"a\n": 1}, {"text": "x"}),
    *("ab" * 32, "AB" * 32, "ab" * 31 + "a\n", {"x": "ab" * 32}, {"x" * 4097: "ab" * 32}),
    *({"file": "x", "line": 1}, {"name": "x"}, "perfguide-bundle"),
]


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The path of every value below another one."""
    inner = value.items() if isinstance(value, dict) else enumerate(value)
    for key, below in inner:
        yield (*path, key)
        if isinstance(below, dict | list):
            yield from places(below, (*path, key))


def mutated(random_of: random.Random) -> dict[str, Any]:
    """A valid bundle in which one to three things were replaced, removed or added."""
    made = copy.deepcopy(SOUND)
    for _ in range(random_of.choice((1, 1, 1, 2, 3))):
        path = random_of.choice(list(places(made)))
        holder = made
        for step in path[:-1]:
            holder = holder[step]
        odd = copy.deepcopy(random_of.choice(ODD))
        way = random_of.random()
        if way < 0.6:
            holder[path[-1]] = odd
        elif way < 0.8:
            del holder[path[-1]]
        elif isinstance(holder, dict):
            every = [*bundle.Result.__struct_fields__, *bundle.Bundle.__struct_fields__, "odd"]
            holder[random_of.choice(every)] = odd
        else:
            holder.append(odd)
    return made


def whole(value: Any) -> bool:
    """Whether a value has a number such as ``1.0``, or one past 2**53, where whole numbers go."""
    if isinstance(value, dict | list):
        return any(map(whole, value.values() if isinstance(value, dict) else value))
    return (isinstance(value, float) and value.is_integer()) or (
        isinstance(value, int) and abs(value) > 2**53
    )


def documented(made: dict[str, Any], faults: list[Fault], by_schema: bool) -> bool:
    """Whether a difference is one of those in "File formats"."""
    if not by_schema:
        # The schema refuses keys that nobody knows; check leaves them out and warns.
        return any(fault.kind == "unknown-key" for fault in faults)
    words = [f"{fault.message} {fault.hint}" for fault in faults if fault.kind != "unknown-key"]
    return all(
        "“min” is above “max”" in text
        or "invisible character" in text
        or "a date and time" in text
        or ("whole number" in text and whole(made))
        for text in words
    )


def test_check_and_the_schema_agree_on_mutated_bundles() -> None:
    judge = jsonschema.Draft202012Validator(bundle.schema())
    assert judge.is_valid(SOUND) and validate(json.dumps(SOUND).encode())[1] == []
    random_of = random.Random(16)
    refused = differing = 0
    for number in range(MUTATIONS):
        made = mutated(random_of)
        found, faults = validate(json.dumps(made).encode())
        by_schema, by_check = judge.is_valid(made), found is not None
        refused += not by_check
        if by_schema != by_check:
            differing += 1
            assert documented(made, faults, by_schema), (number, made, faults, by_schema)
    assert 0.3 * MUTATIONS < refused < MUTATIONS, "both verdicts have to occur"
    assert differing < 0.15 * MUTATIONS
