"""Every fault of a bundle is found at once, with its place and how to fix it."""

from __future__ import annotations

import copy
import datetime
import json
import math
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import msgspec
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from making import only, outcome, plain, result, text
from profiles import examples

from perfguide import bundle
from perfguide.bundles.containers import Document, Source
from perfguide.bundles.decode import Loaded, load, upload
from perfguide.bundles.decompress import Limits
from perfguide.bundles.faults import Fault, validate
from perfguide.common.diagnostics import Diagnostic


def faults(value: Any) -> dict[str, tuple[str, str, str]]:
    """By pointer: kind, message and hint of each fault of a bundle."""
    _, findings = outcome(text(value))
    return {d.pointer: (d.kind, d.message, d.hint) for d in findings}


def changed(value: Any, pointer: str, new: Any) -> Any:
    """A copy with another value at a JSON pointer."""
    out = copy.deepcopy(value)
    *path, last = pointer.strip("/").split("/")
    place = out
    for step in path:
        place = place[int(step)] if isinstance(place, list) else place[step]
    place[int(last) if isinstance(place, list) else last] = new
    return out


FULL = plain(
    result(samples=[1.5, 2], value=1.75, min=1, max=2.5, count=3, command="x"),
    result(status="fail", params={"size": 4096, "engine": "hw", "x": 0.5, "y": True}),
    result(value=0, log={"file": "a.log", "line": 12}),
    runner={"name": "lab", "job_url": "https://x", "version": "1"},
    supersedes=["run-0"],
    tools={"openssl": "3.0"},
    sdk__name="Edge AI",
    sdk__kernel="6.1",
    board__cpu_mhz=1400,
    board__memory="DDR4",
)


# -- valid bundles -----------------------------------------------------------------


def test_a_full_bundle_is_read_whole() -> None:
    sound, findings = outcome(text(FULL))
    assert findings == []
    found = only(sound).bundle
    assert (found.sdk.name, found.board.cpu_mhz, found.supersedes) == ("Edge AI", 1400, ["run-0"])
    assert found.results[1].params == {"size": 4096, "engine": "hw", "x": 0.5, "y": True}
    assert found.results[2].log == bundle.Log(file="a.log", line=12)


def test_defaults_are_filled_in() -> None:
    found = only(outcome(text(plain()))[0]).bundle
    assert found.sdk.name == "Processor SDK"
    assert found.runner is None
    assert found.results[0].params == {}


@pytest.mark.parametrize("created", ["2024-04-02T09:30:00Z", "2024-04-02T09:30:00.5+05:30"])
def test_any_offset_is_a_moment(created: str) -> None:
    assert len(outcome(text(plain(created=created)))[0]) == 1


@pytest.mark.parametrize("created", ["2024-04-02T09:30:00", "2024-04-02", "yesterday", 5, None])
def test_a_moment_without_offset_is_refused(created: Any) -> None:
    kind, message, hint = faults(plain(created=created))["/created"]
    assert kind == "schema"
    assert str(created) in message or message == "is null"
    assert "2024-04-02T09:30:00Z, with an offset" in hint


def test_the_same_content_has_the_same_digest_however_it_is_laid_out() -> None:
    turned = dict(reversed(FULL.items()))
    digests = {
        only(outcome(data)[0]).digest
        for data in (
            text(FULL),
            json.dumps(turned, indent=4).encode(),
            text(plain() | FULL | {"unknown_thing": 5}),
        )
    }
    assert len(digests) == 1
    assert only(outcome(text(plain()))[0]).digest not in digests


def test_what_is_encoded_is_decoded_to_the_same() -> None:
    decoded = bundle.decode(text(FULL))
    assert bundle.decode(bundle.encode(decoded)) == decoded


# -- all faults at once ------------------------------------------------------------

WRONG = [
    ("/format", "perfguide-bundel", "“perfguide-bundel”", "did you mean “perfguide-bundle”?"),
    ("/version", "1", "the text “1”", "allowed: 1"),
    ("/version", 1.0, "the number 1.0", "allowed: 1"),
    ("/version", True, "true", "allowed: 1"),
    ("/version", 0, "the number 0", "allowed: 1"),
    ("/id", "", "the text “”", "text of 1 to 200 printable characters"),
    ("/id", "x" * 201, "the text “xxx", "1 to 200"),
    ("/id", "a\nb", r"“a\nb”", "printable"),
    ("/id", "a\n", r"“a\n”", "printable"),
    ("/results/2/log/file", "a\n", r"“a\n”", "printable"),
    ("/id", "a\u202eb", r"“a\u202eb”", "printable"),
    ("/id", "   ", "“   ”", "printable"),
    ("/id", 7, "the number 7", "text of"),
    ("/runner/name", "a\u202eb", r"“a\u202eb”", "printable"),
    ("/supersedes/0", "a\u2066b", r"“a\u2066b”", "printable"),
    ("/supersedes", "run-0", "the text “run-0”", "allowed: a list"),
    ("/sdk", [], "a list", "allowed: an object"),
    ("/sdk/version", None, "null", "text of"),
    ("/board/name", {}, "an object", "text of"),
    ("/board/cpu_mhz", 0, "the number 0", "a number above 0"),
    ("/board/cpu_mhz", "1400", "the text “1400”", "a number above 0"),
    ("/results", {}, "an object", "allowed: a list"),
    ("/results/0", 5, "the number 5", "allowed: an object"),
    ("/results/0/unit", "M\u200bB/s", r"“M\u200bB/s”", "printable"),
    ("/results/0/samples", [], "is empty", "at least 1"),
    ("/results/0/samples/1", "2", "the text “2”", "allowed: a number"),
    ("/results/0/samples/1", None, "null", "allowed: a number"),
    ("/results/0/samples/1", True, "true", "allowed: a number"),
    ("/results/0/count", 0, "the number 0", "a whole number from 1"),
    ("/results/0/count", 2.0, "the number 2.0", "a whole number from 1"),
    ("/results/1/status", "failed", "“failed”", "did you mean “fail”?"),
    ("/results/1/status", "FAIL", "“FAIL”", "did you mean “fail”?"),
    ("/results/1/params/size", [4096], "a list", "a number, or true or false"),
    ("/results/1/params/size", 2**60, "the number 1152921504606846976", "9007199254740992"),
    ("/results/2/log/line", 0, "the number 0", "a whole number from 1"),
]


@pytest.mark.parametrize(("pointer", "wrong", "found", "allowed"), WRONG)
def test_a_fault_says_where_what_and_what_is_allowed(
    pointer: str, wrong: Any, found: str, allowed: str
) -> None:
    listed = faults(changed(FULL, pointer, wrong))
    assert list(listed) == [pointer]
    kind, message, hint = listed[pointer]
    assert kind == "schema"
    assert found in message
    assert allowed in hint


def test_all_faults_are_reported_at_once() -> None:
    spoilt = FULL
    places = {p: w for p, w, _, _ in WRONG if p.count("/") > 1 and p not in ("/results/0",)}
    for pointer, wrong in places.items():
        if pointer != "/results/0/samples/1":
            spoilt = changed(spoilt, pointer, wrong)
    expected = set(places) - {"/results/0/samples/1"}
    assert len(expected) > 10
    assert set(faults(spoilt)) == expected


@pytest.mark.parametrize(
    ("where", "key"),
    [
        *[("", key) for key in ("format", "version", "id", "created", "sdk", "board", "results")],
        *[("/sdk", key) for key in ("version", "os")],
        *[("/board", key) for key in ("name", "soc")],
        *[("/results/1", key) for key in ("benchmark", "metric", "unit")],
        ("/runner", "name"),
        ("/results/2/log", "line"),
    ],
)
def test_what_is_missing_is_named_where_it_is_missing(where: str, key: str) -> None:
    value = copy.deepcopy(FULL)
    place: Any = value
    for step in filter(None, where.split("/")):
        place = place[int(step)] if isinstance(place, list) else place[step]
    del place[key]
    kind, message, hint = faults(value)[where]
    assert (kind, message) == ("schema", f"“{key}” is missing")
    assert hint.startswith("add it: ")


@pytest.mark.parametrize(
    ("spoilt", "pointer", "message"),
    [
        (result(status="fail", value=0), "/results/0/value", "“value” is given with “status”"),
        (result(status="fail", samples=[1]), "/results/0/samples", "with “status”"),
        (result(samples=[1], min=0), "/results/0/min", "is given without “value”"),
        (result(samples=[1], count=3), "/results/0/count", "is given without “value”"),
        (
            {"benchmark": "b", "metric": "m", "unit": "s"},
            "/results/0",
            "no “samples”, no “value” and no “status”",
        ),
    ],
)
def test_contradictions_are_refused(spoilt: Any, pointer: str, message: str) -> None:
    listed = faults(plain(spoilt))
    assert list(listed) == [pointer]
    assert message in listed[pointer][1]
    with pytest.raises(ValueError, match="contradicts"):
        bundle.decode(text(plain(spoilt)))


def test_very_many_faults_are_counted_not_listed() -> None:
    _, findings = outcome(text(plain(*[result(value=None) for _ in range(500)])))
    assert len(findings) == 101
    assert findings[-1].message == "and 400 more faults of this bundle"


# -- unknown keys and versions -----------------------------------------------------


@pytest.mark.parametrize(
    ("value", "pointer", "guess"),
    [
        (plain(runer={"name": "x"}), "/runer", "did you mean “runner”?"),
        (plain(sdk__kernal="6.1"), "/sdk/kernal", "did you mean “kernel”?"),
        (plain(board__CPU_MHz=1), "/board/CPU_MHz", "did you mean “cpu_mhz”?"),
        (plain(result(comand="x")), "/results/0/comand", "did you mean “command”?"),
        (plain(**{"a/b~c": 1}), "/a~1b~0c", "known here: format, version, id"),
    ],
)
def test_an_unknown_key_is_left_out_with_a_warning(value: Any, pointer: str, guess: str) -> None:
    sound, findings = outcome(text(value))
    assert only(sound).bundle == bundle.decode(text(plain()))
    found = only(findings)
    assert (found.kind, found.severity, found.pointer) == ("unknown-key", "warning", pointer)
    assert guess in found.hint


def test_a_typo_in_a_required_key_names_both_sides() -> None:
    value = plain()
    value["bord"] = value.pop("board")
    _, findings = outcome(text(value))
    assert {(d.kind, d.pointer) for d in findings} == {("unknown-key", "/bord"), ("schema", "")}
    assert any("did you mean “board”?" in d.hint for d in findings)


def test_a_newer_version_is_refused_with_one_finding() -> None:
    sound, findings = outcome(text(plain(version=2, whatever={}, results="new")))
    assert sound == []
    assert (only(findings).kind, only(findings).pointer) == ("version", "/version")
    assert "newer perfguide" in only(findings).hint


# -- the text itself ---------------------------------------------------------------


def test_keys_that_stand_twice_are_all_found() -> None:
    data = text(plain())
    data = data.replace(b'"id": "run-1"', b'"id": "run-1", "id": "run-1"')
    data = data.replace(b'"value": 1.0', b'"value": 1.0, "value" : 2.0')
    sound, findings = outcome(data)
    assert sound == []
    assert {(d.kind, d.pointer) for d in findings} == {
        ("duplicate-key", "/id"),
        ("duplicate-key", "/results/0/value"),
    }


def test_a_key_that_stands_twice_is_found_under_another_spelling() -> None:
    data = text(plain()).replace(b'"id": "run-1"', b'"id": "run-1", "i\\u0064": "run-1"')
    assert [d.kind for d in outcome(data)[1]] == ["duplicate-key"]


def test_text_that_looks_like_keys_is_no_duplicate() -> None:
    value = plain(result(command='echo "a": "a" : {"a":1}', params={"a": '"a":', "b": "\\"}))
    sound, findings = outcome(text(value))
    assert findings == []
    assert only(sound).bundle.results[0].params["a"] == '"a":'


@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity", "1e400", "-1e400", "9" * 400])
def test_what_no_float_can_hold_is_no_figure(number: str) -> None:
    data = text(plain()).replace(b'"value": 1.0', b'"value": ' + number.encode())
    sound, findings = outcome(data)
    assert sound == []
    found = only(findings)
    assert (found.kind, found.pointer) == ("schema", "/results/0/value")
    assert "is not a finite number" in found.message
    assert "“status”: “fail”" in found.hint


@pytest.mark.parametrize(
    ("number", "value"),
    [
        ("1e-300", 1e-300),
        ("0e-400", 0.0),
        ("1" + "0" * 100, 1e100),
        ("1" + "0" * 199, 1e199),
        ("-0.0", 0.0),
    ],
)
def test_long_and_tiny_numbers_are_read(number: str, value: float) -> None:
    data = text(plain()).replace(b'"value": 1.0', b'"value": ' + number.encode())
    assert only(outcome(data)[0]).bundle.results[0].value == value
    with_unknown = data.replace(b'"id"', b'"what": 1, "id"')
    assert only(outcome(with_unknown)[0]).bundle.results[0].value == value


@pytest.mark.parametrize("number", ["1e-400", "1e-999999999999", "-2E-0324", f"0.{'0' * 400}1"])
def test_a_number_that_would_become_zero_is_refused(number: str) -> None:
    data = text(plain()).replace(b'"value": 1.0', b'"value": ' + number.encode())
    sound, (fault,) = outcome(data)
    assert sound == [] and fault.pointer == "/results/0/value"
    assert "so small that it would become zero" in fault.message
    assert "smaller unit" in fault.hint


@pytest.mark.parametrize("coding", ["utf-16", "utf-32", "utf-16-le", "utf-16-be"])
def test_other_encodings_are_named_or_refused(coding: str) -> None:
    sound, findings = outcome(json.dumps(plain()).encode(coding))
    assert sound == []
    assert only(findings).kind == "syntax"
    if coding in ("utf-16", "utf-32"):
        assert "UTF-16" in only(findings).message
        assert "UTF-8" in only(findings).hint


def test_bytes_that_are_no_text_are_named_with_their_line() -> None:
    data = json.dumps(plain(), indent=1).encode().replace(b"run-1", b"run-\xff")
    assert only(outcome(data)[1]).message == "line 4 is not UTF-8 text"


def test_a_byte_order_mark_is_refused_and_nothing_else_is_said() -> None:
    for value in (plain(), [plain()]):
        sound, findings = outcome(b"\xef\xbb\xbf" + text(value))
        assert sound == []
        assert "byte order mark" in only(findings).message


def test_half_a_surrogate_pair_is_found_in_keys_and_values() -> None:
    data = text(plain(result(command="@"))).replace(b'"@"', b'"\\ud800", "\\udfff": 1')
    sound, findings = outcome(data)
    assert sound == []
    assert [d.kind for d in findings if d.severity == "error"] == ["syntax", "syntax"]
    assert all(str(d).isprintable() for d in findings)


def test_a_whole_surrogate_pair_is_text() -> None:
    data = text(plain(id="@")).replace(b'"@"', b'"\\ud83d\\ude00"')
    assert only(outcome(data)[0]).bundle.id == "\U0001f600"


@pytest.mark.parametrize("depth", [200, 300, 400, 700, 900, 950, 990, 2000, 100_000])
def test_nesting_of_any_depth_is_a_finding(depth: int) -> None:
    data = text(plain(deep="@")).replace(b'"@"', b"[" * depth + b"]" * depth)
    sound, findings = outcome(data)
    assert only(findings).kind in ("unknown-key", "syntax")
    assert len(sound) == (only(findings).kind == "unknown-key")
    for whole in (b"[" * depth + b"]" * depth, b"[" * depth, b'{"a":' * depth):
        assert outcome(whole)[0] == []
        assert {d.kind for d in outcome(whole)[1]} <= {"schema", "syntax"}
        assert outcome(whole)[1]


@pytest.mark.parametrize(
    "data", [b"", b"  ", b"{", b'{"a": }', b"hello", b'{"a": 1} x', b"{'a': 1}"]
)
def test_what_is_not_json_says_where(data: bytes) -> None:
    found = only(outcome(data)[1])
    assert found.kind == "syntax"
    assert re.search(r"is not JSON: .*\(line 1, column \d+\)", found.message)


@pytest.mark.parametrize(("data", "what"), [(b"null", "null"), (b"5", "the number 5")])
def test_json_that_is_no_bundle_is_refused(data: bytes, what: str) -> None:
    assert only(outcome(data)[1]).message == f"is {what}"


# -- several bundles in one text ---------------------------------------------------


def test_a_bad_line_does_not_stop_the_others() -> None:
    lines = [text(plain(id="a")), b"{broken", b"", text(plain(id=5)), text(plain(id="b"))]
    for end in (b"\n", b"\r\n"):
        sound, findings = outcome(end.join(lines), lines=True, name="a.jsonl")
        assert [(s.bundle.id, s.origin) for s in sound] == [("a", "a.jsonl#1"), ("b", "a.jsonl#5")]
        assert [(d.origin, d.line, d.kind) for d in findings] == [
            ("a.jsonl#2", 2, "syntax"),
            ("a.jsonl#4", 4, "schema"),
        ]


@pytest.mark.parametrize(
    ("bad", "pointer"),
    [
        (text(plain(id=5)), "/id"),
        (b"7", ""),
        (text(plain()).replace(b"1.0", b"NaN"), "/results/0/value"),
        (text(plain()).replace(b"1.0", b"1e999"), "/results/0/value"),
        (text(plain()).replace(b'"id"', b'"id": "x", "id"'), "/id"),
        (text(plain()).replace(b"run-1", b"\\ud800"), "/id"),
    ],
)
def test_a_bad_entry_of_an_array_does_not_stop_the_others(bad: bytes, pointer: str) -> None:
    data = b" [" + b",\n".join([text(plain(id="a")), bad, text(plain(id="b"))]) + b"]"
    sound, findings = outcome(data)
    assert [(s.bundle.id, s.origin) for s in sound] == [("a", "a.json#1"), ("b", "a.json#3")]
    assert {(d.origin, d.pointer) for d in findings} == {("a.json#2", pointer)}


def test_an_array_that_is_not_json_says_where() -> None:
    data = b"[" + text(plain(id="a")) + b",\n{broken]"
    sound, findings = outcome(data)
    assert sound == []
    assert "(line 2, column 2)" in only(findings).message


def test_an_empty_array_holds_nothing() -> None:
    assert outcome(b"[]") == ([], [])


# -- three readings of one schema --------------------------------------------------

MOMENT = Annotated[datetime.datetime, msgspec.Meta(tz=True)]


def violations(value: Any, schema: Any, root: Any) -> Iterator[str]:
    """What a value breaks of a JSON Schema, for the keywords that ours uses."""
    known = {"$schema", "$ref", "$defs", "title", "description", "default", "type", "enum"}
    known |= {"properties", "required", "additionalProperties", "items", "anyOf", "oneOf"}
    known |= {"minLength", "maxLength", "minimum", "maximum", "exclusiveMinimum", "pattern"}
    known |= {"minItems", "format", "dependentRequired", "propertyNames"}
    assert set(schema) <= known, set(schema) - known
    if "$ref" in schema:
        yield from violations(value, root["$defs"][schema["$ref"].split("/")[-1]], root)
    number = isinstance(value, int | float) and not isinstance(value, bool)
    types = {
        "object": isinstance(value, dict),
        "array": isinstance(value, list),
        "string": isinstance(value, str),
        "number": number,
        "integer": number and float(value).is_integer(),
        "boolean": isinstance(value, bool),
        "null": value is None,
    }
    if "type" in schema and not types[schema["type"]]:
        yield f"not of type {schema['type']}"
    if "enum" in schema and not any(type(v) is type(value) and v == value for v in schema["enum"]):
        yield "not in enum"
    for keyword, choices in ((k, schema[k]) for k in ("anyOf", "oneOf") if k in schema):
        sound = sum(not any(violations(value, choice, root)) for choice in choices)
        if not sound or (keyword == "oneOf" and sound > 1):
            yield keyword
    if isinstance(value, str):
        if not schema.get("minLength", 0) <= len(value) <= schema.get("maxLength", math.inf):
            yield "length"
        # A pattern of JSON Schema ends at the end of the text, as with \Z in Python.
        if "pattern" in schema and not re.search(schema["pattern"].replace("$", r"\Z"), value):
            yield "pattern"
        if schema.get("format") == "date-time":
            try:
                msgspec.convert(value, MOMENT)
            except msgspec.ValidationError:
                yield "date-time"
    if number:
        if not schema.get("minimum", -math.inf) <= value <= schema.get("maximum", math.inf):
            yield "range"
        if value <= schema.get("exclusiveMinimum", -math.inf):
            yield "exclusiveMinimum"
    if isinstance(value, list):
        if len(value) < schema.get("minItems", 0):
            yield "minItems"
        for item in value:
            yield from violations(item, schema.get("items", {}), root)
    if isinstance(value, dict):
        yield from (f"{key} required" for key in schema.get("required", []) if key not in value)
        for key, needed in schema.get("dependentRequired", {}).items():
            if key in value and not set(needed) <= set(value):
                yield f"{key} needs {needed}"
        properties = schema.get("properties", {})
        for key, item in value.items():
            if "propertyNames" in schema:
                yield from violations(key, schema["propertyNames"], root)
            more = schema.get("additionalProperties", True)
            if key in properties:
                yield from violations(item, properties[key], root)
            elif more is False:
                yield f"{key} unknown"
            elif isinstance(more, dict):
                yield from violations(item, more, root)


POINTERS = [
    *["/format", "/version", "/id", "/created", "/sdk", "/sdk/version", "/sdk/kernel", "/board"],
    *["/board/cpu_mhz", "/board/soc", "/runner", "/runner/name", "/supersedes", "/supersedes/0"],
    *["/tools", "/tools/openssl", "/results", "/results/0", "/results/0/samples"],
    *["/results/0/samples/0", "/results/0/value", "/results/0/min", "/results/0/count"],
    *["/results/0/benchmark", "/results/0/command", "/results/0/status", "/results/1/status"],
    *["/results/1/value", "/results/1/params", "/results/1/params/size", "/results/2/log"],
    *["/results/2/log/line", "/results/2/log/file", "/results/2/unknown", "/unknown"],
]
VALUES = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-3, 3),
    st.sampled_from([2**53, 2**53 + 1, -(2**53) - 1, 2**64, 10**30]),
    st.floats(allow_nan=False, allow_infinity=False),
    st.text(max_size=4),
    st.sampled_from(["fail", "perfguide-bundle", "2024-04-02T09:30:00Z", "a\n", "x" * 10_001]),
    st.lists(st.one_of(st.integers(0, 3), st.text(max_size=2)), max_size=2),
    st.dictionaries(st.text(max_size=3), st.one_of(st.none(), st.integers(0, 3)), max_size=2),
)


def _beyond_a_schema(fault: Fault) -> bool:
    """Whether JSON Schema has no words for what is wrong, or none that all its readers share."""
    said = ("is the number", "is above")
    return "printable" in fault.hint or any(words in fault.message for words in said)


@given(st.lists(st.tuples(st.sampled_from(POINTERS), VALUES), min_size=1, max_size=3))
@example([("/results/0/min", 3)])
@examples(60, heavy=200)
def test_decoder_slow_pass_and_json_schema_agree(changes: list[tuple[str, Any]]) -> None:
    value: Any = FULL
    for pointer, new in changes:
        try:
            value = changed(value, pointer, new)
        except (KeyError, IndexError, TypeError, ValueError):
            continue
    data = text(value)
    try:
        quick: bundle.Bundle | None = bundle.decode(data)
    except (msgspec.MsgspecError, ValueError):
        quick = None
    slow, listed = validate(data)
    unknown = {f.pointer for f in listed if f.kind == "unknown-key"}
    if quick is None:
        assert listed
        assert slow is None or (unknown and unknown == {f.pointer for f in listed})
        # A bare “contradicts itself” or text of msgspec's would name no place.
        assert all(f.pointer or "missing" in f.message or "is " in f.message for f in listed)
    else:
        assert slow == quick
        assert listed == []
        assert list(violations(value, bundle.schema(), bundle.schema())) == []
    if slow is None and not unknown:
        broken = list(violations(value, bundle.schema(), bundle.schema()))
        version = any(f.kind == "version" for f in listed)
        assert broken or version or all(map(_beyond_a_schema, listed))


def test_the_json_schema_knows_every_rule_about_figures() -> None:
    schema = bundle.schema()

    def breaks(**figures: Any) -> bool:
        value = plain({"benchmark": "b", "metric": "m", "unit": "s", **figures})
        return any(violations(value, schema, schema))

    assert not breaks(value=1)
    assert not breaks(samples=[1])
    assert not breaks(samples=[1], value=1, min=0, max=2, count=3)
    assert not breaks(status="fail")
    assert breaks()
    assert breaks(status="fail", value=1)
    assert breaks(status="fail", samples=[1])
    assert breaks(status="pass")
    assert breaks(samples=[1], min=0)
    assert breaks(samples=[1], count=2)
    assert breaks(samples=[])
    assert breaks(status="fail", min=0)


def test_the_json_schema_is_a_document_of_its_own() -> None:
    schema = json.loads(json.dumps(bundle.schema()))
    assert schema["$schema"].endswith("2020-12/schema")
    references = re.findall(r'"#/\$defs/(\w+)"', json.dumps(schema))
    assert set(references) == set(schema["$defs"])
    assert not any(violations(FULL, schema, schema))


# -- limits on the work that faults may cause -------------------------------------------


def loaded_within(data: bytes, lines: bool, **limits: int) -> tuple[int, list[Diagnostic]]:
    name = "a.jsonl" if lines else "a.json"
    document = Document(Source("r", name, Path(name)), name, data, lines)
    items = list(load(document, Limits(**limits)))
    return (
        sum(isinstance(item, Loaded) for item in items),
        [item for item in items if isinstance(item, Diagnostic)],
    )


def test_a_text_of_too_many_values_is_refused_and_says_what_helps() -> None:
    one = text(plain(*[result(value=n) for n in range(50)]))
    assert loaded_within(one, False)[0] == 1
    count, found = loaded_within(one, False, values=100)
    assert count == 0 and [d.kind for d in found] == ["limit"] and ".jsonl" in found[0].hint
    # Each line counts by itself, an array as a whole.
    small = text(plain())
    assert loaded_within(b"\n".join([small] * 9), True, values=60)[0] == 9
    assert loaded_within(b"[" + b",".join([small] * 9) + b"]", False, values=60)[0] == 0


def test_where_much_is_faulty_the_sound_is_still_found() -> None:
    bad = b'{"format": "perfguide-bundle", "results": [{}]}'
    count, found = loaded_within(b"\n".join([bad, bad, bad, text(plain())]), True, faulty=60)
    assert count == 1
    assert len([d for d in found if d.line == 1]) > 3
    last = [d for d in found if d.line == 3]
    assert len(last) == 1 and "without a full check" in last[0].message


def test_an_upload_of_too_many_findings_is_not_read_on(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_bytes(b"1\n" * 50)
    source = Source("r", "a.jsonl", tmp_path / "a.jsonl")
    found = list(upload(source, Limits(findings=20)))
    assert len(found) == 21
    assert isinstance(found[-1], Diagnostic) and found[-1].kind == "limit"
    assert {d.root for d in found if isinstance(d, Diagnostic)} == {"r"}


def test_faults_beyond_the_most_that_are_counted_are_not_looked_for() -> None:
    many = text(plain(*[{"benchmark": 1} for _ in range(2000)]))
    _, found = loaded_within(many, False)
    assert len(found) == 101
    assert "at least" in found[-1].message


SOUND = text(plain()).decode()


@pytest.mark.parametrize(
    ("damaged", "hint"),
    [
        (SOUND[:90], "cut short; upload it again"),
        (SOUND[:-1], "cut short; upload it again"),
        (SOUND.replace('"', "'"), "double quotes"),
        (SOUND[:-1] + ",}", "remove the comma"),
        (SOUND.replace("[{", "[True, {"), "true, false and null"),
        ("// a run\n" + SOUND, "no comments"),
        ("# a run", "no comments"),
        (SOUND + SOUND, "into a .jsonl file"),
        ("size,value\n16,1\n", "perfguide pack"),
        (SOUND.replace("run-1", "run\n1"), "a line break in a string"),
        (SOUND.replace(":", " ", 1), "fix the text there"),
    ],
)
def test_text_that_is_not_json_is_refused_with_the_way_to_mend_it(damaged: str, hint: str) -> None:
    sound, findings = outcome(damaged.encode())
    found = only(findings)
    assert sound == [] and found.kind == "syntax"
    assert "is not JSON" in found.message and hint in found.hint


@pytest.mark.parametrize(
    "moment", ["0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-14:00", "0001-01-01T00:00:00Z"]
)
def test_a_time_that_some_zone_does_not_have_is_refused(moment: str) -> None:
    sound, findings = outcome(text(plain(created=moment)))
    found = only(findings)
    assert sound == [] and found.pointer == "/created"
    assert "outside the supported range" in found.message and found.hint
    assert outcome(text(plain(created="0002-01-01T00:00:00+14:00")))[1] == []
