"""Results as columns are the results that a text has, however it is laid out."""

from __future__ import annotations

import json
import math
import pickle
import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from making import only, plain, result
from making import text as as_text

from perfguide import bundle
from perfguide.bundle import Result
from perfguide.bundles.containers import Document, Source
from perfguide.bundles.decode import Loaded, load
from perfguide.bundles.faults import validate
from perfguide.bundles.results import as_columns
from perfguide.common.diagnostics import Diagnostic
from perfguide.figures import rows

ODD: list[dict[str, Any]] = [
    result(value=5, min=1, max=9.5, count=3),
    result("a", samples=[1, 2.5, -3e-7]),
    result("b", samples=[4.0], value=4),
    result("c", status="fail"),
    result("d", params={"value": 1, "min": 2.0, "samples": "3", "log": True, "line": -4}),
    result("e", log={"file": "l.log", "line": 2**53}, value=0.0),
    result("f", command='x "value": 7, "results" [{"samples": [1]}] \\" 8:', value=-1e200),
    result("gü€\\{", unit='"value"', params={'"results"[': 'a"value":\n5', "é": "[1]: 2"}, value=3),
    result("h", log={"file": "1", "line": 2}, samples=[7], value=7.0, min=7, max=7, count=2**53),
    result("i", params={}, command="", log=None, value=-0.0),
    result(
        "j", params={"x": 1e300, "y": 5e-324, "z": 2**53, "\\u003a": "\\u003A:"}, samples=[-0.0]
    ),
]

LAYOUTS: list[dict[str, Any]] = [
    {},
    {"indent": 1},
    {"separators": (",", ":"), "ensure_ascii": False},
    {"separators": (" , ", " :\t")},
    {"sort_keys": True, "indent": "\t"},
]


def outcome(text: bytes) -> list[Loaded | Diagnostic]:
    """What is in a text."""
    document = Document(Source("r", "a.json", Path("a.json")), "a.json", text, False)
    return list(load(document))


def sound(text: bytes) -> Loaded:
    """The bundle of a text, of which nothing else may be said."""
    found = only(outcome(text))
    assert isinstance(found, Loaded)
    return found


def shuffled(value: Any, chance: random.Random) -> Any:
    """The same objects with their keys in another order."""
    if isinstance(value, dict):
        keys = chance.sample([*value], len(value))
        return {key: shuffled(value[key], chance) for key in keys}
    return [shuffled(each, chance) for each in value] if isinstance(value, list) else value


@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_bundle_is_the_same_however_it_is_laid_out(layout: dict[str, Any]) -> None:
    value = plain(*ODD, tools={"a": 1, "b": 1.0, "c": True}, reason="", sdk__kernel="")
    wanted = bundle.decode(json.dumps(value).encode())
    for seed in range(5):
        text = json.dumps(shuffled(value, random.Random(seed)), **layout).encode()
        found = sound(text)
        assert found.bundle == wanted
        assert found.digest == bundle.digest(wanted) == bundle.digest(found.bundle)
        assert bundle.encode(found.bundle) == bundle.encode(wanted)


def test_results_are_a_sequence_like_any_other() -> None:
    results = sound(json.dumps(plain(*ODD)).encode()).bundle.results
    plainly = list(results)
    assert results[-1] == plainly[-1] and results[2:-1:3] == plainly[2:-1:3]
    assert results == plainly and results != plainly[:-1] and results != 5
    assert pickle.loads(pickle.dumps(results)) == plainly
    with pytest.raises(IndexError):
        results[len(ODD)]
    assert list(as_columns([])) == []


def test_a_result_that_no_bundle_may_hold_does_not_become_a_row() -> None:
    sane = {"benchmark": "b", "metric": "m", "unit": "s"}
    for wrong in ({"samples": [1.0], "min": 0.0}, {}, {"value": 1.0, "status": "fail"}):
        with pytest.raises(ValueError, match="contradicts"):
            as_columns([Result(**sane, **wrong)])
    for name in ("  ", "a\x7f", "a\u202e", "\u00a0"):
        with pytest.raises(ValueError, match="invisible character"):
            as_columns([Result(**sane, value=1.0, params={name: 1})])


# -- what the quick way refuses, the slow one names, and the other way round -----------------

_PIECE = st.sampled_from(
    [
        *(b"1", b"-", b".5", b"e9", b"E400", b"0", b"00", b"NaN", b"null", b"true", b'"5"', b"[]"),
        *(b"1,2", b",", b", ", b"}", b"]", b"]}", b'"', b"\\", b" ", b"\n", b"\xff", b"\0"),
        *(b"\xef\xbb\xbf", b"{}", b"\\u003a", b"\\ud800", b":", b'"a": 1, ', b'"params": {}, '),
        *(b'"value": 1, ', b'"results": [], ', b'"results": ', b'{"value": 2}, ', b"9" * 400),
        *(b'"log": null, ', b'"command": "", ', b'"status": "fail", ', b'"min": 1, ', b'"  "'),
    ]
)
_CHANGES = st.lists(st.tuples(st.floats(0, 1), st.integers(0, 12), _PIECE), max_size=3)
_TEXT = json.dumps(plain(*ODD, tools={"a": 1}, reason='"results" [')).encode()


@settings(max_examples=400, deadline=None)
@given(changes=_CHANGES)
def test_a_text_is_sound_where_the_slow_pass_finds_no_fault(
    changes: list[tuple[float, int, bytes]],
) -> None:
    text = _TEXT
    for share, length, piece in changes:
        start = int(share * len(text))
        text = text[:start] + piece + text[start + length :]
    slow, faults = validate(text)
    found = outcome(text)
    bundles = [item for item in found if isinstance(item, Loaded)]
    assert len(found) - len(bundles) == len(faults)
    assert [item.bundle for item in bundles] == ([] if slow is None else [slow])
    assert [item.digest for item in bundles] == ([] if slow is None else [bundle.digest(slow)])


@pytest.mark.parametrize(
    ("given", "twice"),
    [
        # The second one brings as many colons as the first one has lost.
        ('"reason": "", "reason": ":"', '"reason": ":", "reason": ""'),
        ('"tools": {"a": 1}, "tools": {"a": 1}', '"tools": {"a": 1, "a": 2}'),
        ('"reason": "\\u003a", "tools": {"a": 1, "a": 1}', '"runner": {"name": "x", "name": "x"}'),
    ],
)
def test_a_key_that_stands_twice_in_the_head_is_refused(given: str, twice: str) -> None:
    for pair in (given, twice):
        text = json.dumps(plain()).replace('"id"', f'{pair}, "id"').encode()
        assert {d.kind for d in outcome(text) if isinstance(d, Diagnostic)} == {"duplicate-key"}


@pytest.mark.parametrize(
    "pair",
    [
        '"params": {}, "params": {}',
        '"params": {}, "params": {"a": 1}',
        '"params": {"a": 1}, "params": {}',
        '"params": {"a": 1, "a": 1}',
        '"params": {"a": ":", "a": "\\u003a\\u003a"}',
        '"params": {"a": 1, "\\u0061": 2}',
        '"command": "", "command": "a: b"',
        '"command": "\\u003a", "unit": "MB/s"',
        '"log": null, "log": null',
        '"log": {"file": "a", "line": 1, "line": 2}',
        '"value": 1, "value": 1',
        '"samples": [1], "samples": [2]',
    ],
)
def test_a_key_that_stands_twice_in_a_result_is_refused(pair: str) -> None:
    other = [result("o", params={"a": 1}, command="c: d"), result("p"), result("q", params={})]
    text = json.dumps(plain(*other, result("@"))).replace('"@"', f'"@", {pair}').encode()
    found = outcome(text)
    assert "duplicate-key" in {d.kind for d in found if isinstance(d, Diagnostic)}
    assert not any(isinstance(item, Loaded) for item in found)


@pytest.mark.parametrize("created", ["2024-04-02 09:30:00+0530", "2024-04-02T09:30:00+00:00"])
def test_a_moment_may_be_written_with_more_or_fewer_colons(created: str) -> None:
    value = plain(created=created)
    assert sound(json.dumps(value).encode()).bundle.created.isoformat() == (
        created.replace(" ", "T").replace("+0530", "+05:30")
    )
    twice = json.dumps(value).replace('"id"', '"reason": "", "reason": "", "id"')
    assert only(outcome(twice.encode())).kind == "duplicate-key"


def test_a_colon_that_is_an_escape_is_read_like_any_other() -> None:
    text = json.dumps(plain(result(command="a: b"))).replace("a: b", "a\\u003a b").encode()
    assert sound(text).bundle.results[0].command == "a: b"
    plainly = json.dumps(plain(result(command="a\\u003a b"))).encode()
    assert sound(plainly).bundle.results[0].command == "a\\u003a b"


@pytest.mark.parametrize("part", ["params", "setup"])
@pytest.mark.parametrize("name", ["x" * 200, "é" * 200, "a" * 50])
def test_a_name_of_the_longest_kind_is_a_key(part: str, name: str) -> None:
    both = {part: {"other": "y" * 300, name: 1}}
    assert (
        getattr(sound(json.dumps(plain(result(**both))).encode()).bundle.results[0], part)
        == (both[part])
    )


@pytest.mark.parametrize("part", ["params", "setup"])
@pytest.mark.parametrize("name", ["x" * 201, "é" * 201, ""])
@pytest.mark.parametrize("value", [1, "y" * 300, ""])
def test_a_key_of_no_name_is_refused(part: str, name: str, value: int | str) -> None:
    other = result("o", **{part: {"z": value}})
    text = json.dumps(plain(other, result(**{part: {name: value}}), other)).encode()
    found = only(outcome(text))
    assert isinstance(found, Diagnostic)
    assert found.pointer == f"/results/1/{part}/{name}"
    assert found.hint == "allowed: text of 1 to 200 printable characters"


# -- the rows of the frame ---------------------------------------------------------------

FIGURES = st.one_of(
    st.floats(-1e200, 1e200),
    st.decimals(-1000, 1000, places=2).map(float),
    st.sampled_from([0.0, -0.0, 5e-324, -5e-324, 0.1, 1e16, -1e16, 1.0, 2.0**-53, 1e200]),
)
GROUPS = st.lists(st.lists(FIGURES, min_size=1, max_size=6), min_size=1, max_size=40)


def means(groups: Sequence[Sequence[float]]) -> list[float]:
    """The means of samples, as the rows of a frame have them."""
    item = sound(json.dumps(plain(*(result(samples=[*g]) for g in groups))).encode())
    values: list[float] = rows.build([item]).table["value"].tolist()
    return values


@settings(max_examples=100, deadline=None)
@given(groups=GROUPS)
def test_the_sum_of_samples_is_rounded_once_and_so_is_their_mean(
    groups: list[list[float]],
) -> None:
    wanted = [math.fsum(g) / len(g) if len(g) > 1 else g[0] for g in groups]
    assert [repr(mean) for mean in means(groups)] == [repr(mean) for mean in wanted]


@pytest.mark.parametrize("group", [[1e16, 1.0, -1e16], [1.0, 2.0**-53, 2.0**-106], [-0.0, -0.0]])
def test_sums_in_which_much_is_lost_are_rounded_once(group: list[float]) -> None:
    assert [repr(m) for m in means([group, group])] == [repr(math.fsum(group) / len(group))] * 2


_VALUE = st.one_of(
    st.text(max_size=5),
    st.booleans(),
    st.integers(-(2**53), 2**53),
    st.floats(allow_nan=False, allow_infinity=False),
)
_NAME = st.text(st.characters(categories=["L", "N", "P", "S"]), min_size=1, max_size=5)


@settings(max_examples=200, deadline=None)
@given(st.dictionaries(_NAME, _VALUE, max_size=4))
def test_parameters_of_a_row_are_canonical(params: dict[str, Any]) -> None:
    item = sound(json.dumps(plain(result(params=params))).encode())
    found = rows.build([item]).params
    assert found.distinct == [rows.canonical(params)]
    assert list(item.bundle.results[0].params.items()) == sorted(params.items())
    assert [type(v) for v in item.bundle.results[0].params.values()] == [
        type(value) for _, value in sorted(params.items())
    ]


def test_columns_of_many_bundles_are_those_of_each() -> None:
    chance = random.Random(7)
    items = []
    for number in range(12):
        own = chance.sample(ODD, chance.randrange(len(ODD)))
        items.append(sound(json.dumps(plain(*own, id=f"r{number}")).encode()))
    whole = rows.build(items)
    at = 0
    for position, item in enumerate(items):
        single = rows.build([item])
        part = whole.table.iloc[at : at + len(single.table)]
        assert part["bundle"].tolist() == [position] * len(single.table)
        for name in whole.table.columns.drop("bundle"):
            mine, theirs = part[name].tolist(), single.table[name].tolist()
            assert list(map(repr, mine)) == list(map(repr, theirs)), name
        for row, each in enumerate(item.bundle.results):
            samples = () if each.samples is msgspec.UNSET else tuple(each.samples)
            assert whole.samples.of(at + row) == samples
            said = [whole.measured.distinct[whole.measured.codes[at + row]]]
            assert said == [(each.benchmark, each.metric, each.unit)]
        at += len(single.table)
    assert at == len(whole.table) == len(whole.params.codes)
    assert np.all(whole.table["value"].isna() == whole.table["failed"])


# -- setup and notes ---------------------------------------------------------------


def read(data: bytes) -> Loaded:
    """The one valid bundle of a text."""
    found = only(outcome(data))
    assert isinstance(found, Loaded), found
    return found


def test_setup_and_notes_come_back_as_they_were_written() -> None:
    written = plain(
        result(setup={"card": "SanDisk", "temperature": 41.5, "cold": True}, notes=["no printk"]),
        result("lat_a", "us"),
        setup={"mount": "async"},
        notes=[{"text": "one"}, {"text": "two", "benchmark": "speed", "metric": "rate"}],
    )
    found = read(as_text(written)).bundle
    assert msgspec.to_builtins(found.notes) == written["notes"]
    assert (found.setup, found.results[0].setup, found.results[0].notes) == (
        written["setup"],
        written["results"][0]["setup"],
        ["no printk"],
    )
    assert (found.results[1].setup, found.results[1].notes) == ({}, [])
    assert bundle.decode(bundle.encode(found)) == found


def test_a_bundle_without_them_keeps_its_digest() -> None:
    plainly, spelt = plain(), plain(setup={}, notes=[])
    spelt["results"][0] |= {"setup": {}, "notes": []}
    first, second = (read(as_text(each)) for each in (plainly, spelt))
    assert first.digest == second.digest
    assert b"setup" not in bundle.encode(first.bundle)


@pytest.mark.parametrize(
    ("place", "changed"),
    [
        ("/setup/a\u200b", {"setup": {"a\u200b": 1}}),
        ("/setup/a", {"setup": {"a": []}}),
        ("/notes/0/text", {"notes": [{"text": ""}]}),
        ("/notes/0", {"notes": [{}]}),
        ("/notes/0/benchmark", {"notes": [{"text": "x", "benchmark": " "}]}),
    ],
)
def test_a_fault_in_them_is_named_with_its_place(place: str, changed: dict[str, Any]) -> None:
    found = outcome(as_text(plain(**changed)))
    assert [fault.pointer for fault in found if isinstance(fault, Diagnostic)] == [place]
    assert len(found) == 1


def test_a_key_of_a_setup_that_stands_twice_is_refused() -> None:
    data = as_text(plain(setup={"card": 1})).replace(b'"card": 1', b'"card": 1, "card": 2')
    assert only(outcome(data)).kind == "duplicate-key"
