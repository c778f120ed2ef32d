"""A finding says what, where and how to fix it, and cannot harm a terminal."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perfguide.common.diagnostics import KINDS, Diagnostic, errors, nearest, visible

PACKAGE = Path(__file__).parents[2] / "ext" / "perfguide"


def test_a_finding_reads_as_one_line_with_place_severity_and_kind() -> None:
    finding = Diagnostic(
        "schema", "a.zip!b.json#3", "is the text “x”", "allowed: 1", "/version", line=3
    )
    assert str(finding) == (
        "a.zip!b.json#3:3 at /version: error: is the text “x” (allowed: 1) [schema]"
    )
    assert str(Diagnostic("no-results", "results", "none")) == "results: warning: none [no-results]"


def test_only_errors_keep_something_out() -> None:
    found = [Diagnostic(kind, "f", "m") for kind in KINDS]
    assert {d.kind for d in errors(found)} == {k for k, v in KINDS.items() if v.severity == "error"}
    assert {"unknown-key", "supersedes", "ignored"}.isdisjoint(d.kind for d in errors(found))


def test_every_kind_that_the_code_names_is_registered() -> None:
    named = set()
    for path in PACKAGE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if (
                isinstance(node, ast.Call)
                and isinstance(node.func, ast.Name)
                and node.func.id in ("Diagnostic", "Fault")
                and node.args
                and isinstance(node.args[0], ast.Constant)
            ):
                named.add(node.args[0].value)
    assert len(named) > 10
    assert named <= set(KINDS)


@pytest.mark.parametrize(
    "hidden", ["\x1b[2J", "\u202e", "\r", "\n", "\x00", "\ud800", "\u2028", "\u200b", "\x9b"]
)
def test_control_and_bidirectional_characters_show_as_escapes(hidden: str) -> None:
    finding = Diagnostic("schema", f"f{hidden}", f"m{hidden}", f"h{hidden}", f"/p{hidden}")
    assert str(finding).isprintable()
    assert str(finding).count("\\") == 4


@given(st.text(alphabet=st.characters(), max_size=50))
def test_whatever_is_shown_is_printable_and_can_be_written(text: str) -> None:
    shown = visible(text)
    assert shown.isprintable()
    assert shown.encode("utf-8").decode("utf-8") == shown


def test_printable_text_shows_as_it_is() -> None:
    assert visible("µs, 日本, “x”") == "µs, 日本, “x”"


def test_long_text_is_cut_with_a_sign() -> None:
    assert visible("x" * 3000) == "x" * 2000 + "…"
    assert visible("x" * 2000) == "x" * 2000


def test_the_nearest_word_is_named_and_a_strange_one_gets_none() -> None:
    words = ["samples", "status", "cpu_mhz", "benchmark"]
    assert nearest("sampels", words) == "did you mean “samples”?"
    assert nearest("CPU-MHz", words) == "did you mean “cpu_mhz”?"
    assert nearest("zzz", words) == ""
    assert nearest("x" * 100_000, words) == ""
