"""Bundles that differ in figures only are read by them, with the same outcome."""

from __future__ import annotations

import json
import pickle
import random
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from making import plain, result

from perfguide import bundle
from perfguide.bundle import Bundle
from perfguide.bundles.containers import Document, Source
from perfguide.bundles.decode import Loaded, load
from perfguide.bundles.patterns import KEPT, LARGEST, Patterns
from perfguide.bundles.results import Results
from perfguide.catalog.benchmarks import Catalog
from perfguide.common.diagnostics import Diagnostic
from perfguide.figures import rows
from perfguide.figures.pool import Pool
from perfguide.health import rules

ODD: list[dict[str, Any]] = [
    result(value=5, min=1, max=9.5, count=3),
    result("a", samples=[1, 2.5, -3e-7]),
    result("b", samples=[4.0], value=4),
    result("c", status="fail"),
    result("d", params={"value": 1, "min": 2.0, "samples": "3", "log": True, "line": -4}),
    result("e", log={"file": "l.log", "line": 12}, value=0.0),
    result("f", command='x "value"= 7, "results" [{"samples" [1]}] \\" 8', value=-1e200),
    result("gü€\\{", unit='"value"', params={'"results"[': 'a"value" 5', "é": "[1]: 2"}, value=3),
    result("h", log={"file": "1", "line": 2}, samples=[7], value=7.0, min=7, max=7, count=1),
]


def outcome(text: bytes, known: Patterns | None = None) -> list[Loaded | Diagnostic]:
    """What is in a text."""
    document = Document(Source("r", "a.json", Path("a.json")), "a.json", text, False)
    return list(load(document, patterns=known))


def after(*texts: bytes) -> Patterns:
    """The patterns that are known after some texts."""
    known = Patterns()
    for text in texts:
        outcome(text, known)
    return known


def other_figures(results: Sequence[dict[str, Any]], seed: int) -> list[dict[str, Any]]:
    """The same results with figures of their own."""
    chance = random.Random(seed)
    out = []
    for each in results:
        new = dict(each)
        for name in ("value", "min", "max"):
            if name in new:
                new[name] = chance.choice(
                    [chance.randint(-9, 9), chance.uniform(-1e9, 1e9), 1e-320]
                )
        if "samples" in new:
            most = len(new["samples"]) if seed < 3 else 5
            least = most if seed < 3 else 1
            count = chance.randint(least, most)
            new["samples"] = [chance.choice([chance.lognormvariate(0, 9), 7]) for _ in range(count)]
        if "count" in new:
            new["count"] = chance.randint(1, 2**53)
        if "log" in new:
            new["log"] = {**new["log"], "line": chance.randint(1, 2**53)}
        out.append(new)
    return out


def read_by_pattern(found: Sequence[Loaded | Diagnostic]) -> bool:
    """Whether a text was one bundle, of which only the figures were read."""
    (item,) = found
    return isinstance(item, Loaded) and isinstance(item.bundle.results, Results)


LAYOUTS: list[dict[str, Any]] = [
    {},
    {"indent": 1},
    {"separators": (",", ":"), "ensure_ascii": False},
    {"separators": (" , ", " :\t")},
    {"sort_keys": True, "indent": "\t"},
]


@pytest.mark.parametrize("layout", LAYOUTS)
def test_only_the_figures_are_read_again_and_all_is_as_if_it_had_been_decoded(
    layout: dict[str, Any],
) -> None:
    texts = [
        json.dumps(
            plain(*other_figures(ODD, seed), id=f"r{seed}", runner={"name": f"lab {seed}"}),
            **layout,
        ).encode()
        for seed in range(9)
    ]
    known = after(*texts[:2])
    slow = [outcome(text) for text in texts]
    quick = [outcome(text, known) for text in texts]
    assert all(map(read_by_pattern, quick))
    assert not any(map(read_by_pattern, slow))
    assert quick == slow  # the hash of the content is a part of both
    both = [[item for found in each for item in found] for each in (quick, slow)]
    mine, theirs = ([i for i in items if isinstance(i, Loaded)] for items in both)
    for a, b in zip(mine, theirs, strict=True):
        assert bundle.encode(a.bundle) == bundle.encode(b.bundle)
        assert [repr(r) for r in a.bundle.results] == [repr(r) for r in b.bundle.results]
        assert list(a.bundle.results[2:-1:3]) == list(b.bundle.results[2:-1:3])
        assert a.bundle.results[-1] == b.bundle.results[-1]
        assert type(pickle.loads(pickle.dumps(a.bundle.results))) is list
        with pytest.raises(IndexError):
            a.bundle.results[len(ODD)]
    mixed = [*mine[:3], *theirs[3:6], *mine[6:]]
    wanted = rows.build(theirs)
    for items in (mine, mixed):
        made = rows.build(items)
        pd.testing.assert_frame_equal(made.table, wanted.table)
        assert made.samples.flat.tobytes() == wanted.samples.flat.tobytes()
        assert made.samples.ends.tolist() == wanted.samples.ends.tolist()
        said = [rules.examine(Pool(f, Catalog({})), Catalog({})) for f in (made, wanted)]
        assert said[0] == said[1]
        assert "samples-contradict" in {finding.rule.id for finding in said[0]}


TEXT = json.dumps(plain(*ODD, tools={"a": 1}, reason='"results" [')).encode()
_PIECE = st.sampled_from(
    [
        *(b"1", b"-", b".5", b"e9", b"E400", b"0", b"00", b"NaN", b"null", b"true", b'"5"', b"[]"),
        *(
            b"1,2",
            b",",
            b", ",
            b"}",
            b"]",
            b"]}",
            b'"',
            b"\\",
            b" ",
            b"\n",
            b"\xff",
            b"\xef\xbb\xbf",
        ),
        *(b'"value": 1, ', b'"results": [], ', b'"results": ', b'{"value": 2}, ', b"9" * 400),
    ]
)
_CHANGES = st.lists(st.tuples(st.floats(0, 1), st.integers(0, 12), _PIECE), max_size=3)


@settings(max_examples=300, deadline=None)
@given(changes=_CHANGES, at_figures=st.booleans())
def test_a_text_that_is_changed_anywhere_gives_what_it_gives_without_patterns(
    changes: list[tuple[float, int, bytes]], at_figures: bool
) -> None:
    text = TEXT
    for share, length, piece in changes:
        if at_figures:
            spans = [m.span() for m in re.finditer(rb"[0-9.e+-]+", text)] or [(0, 0)]
            start, end = spans[int(share * (len(spans) - 1))]
        else:
            start = int(share * len(text))
            end = start + length
        text = text[:start] + piece + text[end:]
    known = after(TEXT, TEXT)
    assert read_by_pattern(outcome(TEXT, known))
    assert outcome(text, known) == outcome(text)


@pytest.mark.parametrize(
    "wrong",
    [
        b'{"reason": "%s", %s',
        b'{"tools": {"results": %s}, %s',
        b'{"sdk": {"results": %s}, %s',
        b'{"x\\"results": %s, %s',
        b'{"results": [], "results": %s, %s',
        b'{"results": %s, "results": [], %s',
        b'{"a"results": %s, %s',
    ],
)
def test_results_in_another_place_than_theirs_are_refused(wrong: bytes) -> None:
    known = after(TEXT, TEXT)
    array = TEXT[TEXT.index(b'"results": [') + 11 : TEXT.index(b', "tools"')]
    assert json.loads(array) == ODD
    around = TEXT.replace(b'"results": ' + array + b", ", b"")[1:]
    sound = outcome(b'{"results": %s, %s' % (array, around), known)
    assert read_by_pattern(sound)
    text = wrong % (array, around)
    found = outcome(text, known)
    assert found == outcome(text)
    assert not any(isinstance(item, Loaded) for item in found)


def test_what_is_known_of_patterns_is_bounded() -> None:
    known = Patterns()
    for number in range(3 * KEPT):
        for seed in range(2):
            results = other_figures([result(f"m{number}"), *ODD], seed)
            outcome(json.dumps(plain(*results)).encode(), known)
    assert len(known._known) <= KEPT
    large = json.dumps(plain(result(command="x" * 10_000), reason="y" * 10_000)).encode()
    large += b" " * LARGEST
    assert not read_by_pattern(outcome(large, after(large, large)))


def test_a_bundle_with_no_figure_has_no_pattern() -> None:
    text = json.dumps(plain(result(status="fail"))).encode()
    known = after(text, text)
    assert outcome(text, known) == outcome(text)
    assert not read_by_pattern(outcome(text, known))


def test_results_stay_what_they_are_where_a_bundle_is_changed_or_written_anew() -> None:
    text = json.dumps(plain(*ODD)).encode()
    (item,) = outcome(text, after(text, text))
    assert isinstance(item, Loaded)
    again = bundle.decode(bundle.encode(item.bundle))
    assert isinstance(again, Bundle)
    assert again == item.bundle
    assert item.bundle.results != [*item.bundle.results[:-1]]
    assert item.bundle.results != 5
