"""What readers meet is written as a native technical writer would; see CONTRIBUTING."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from conftest import TOP

from perfguide.cli import command_line

PHRASES = (
    *(r"(?:is|are|was|were) told(?! apart)", r"such an?", r"(?:for|to|by) who", r"whoever"),
    *(r"stands?", r"(?:time )?on the wall", r"on the wall clock", r"under competition"),
    *(r"is said in", r"who runs the site:", r"before he", r"than he", r"he (?:compares|reads|has)"),
    *(r"All can be", r"has to be asked for", r"goes? by itself", r"what is due"),
)
"""Phrases of the left column of the style sheet, as regular expressions of whole words."""
ALLOWED = re.compile(r"stands? for any (?:name|characters)|stand-in|such as", re.IGNORECASE)
WORDS = re.compile(rf"\b(?:{'|'.join(PHRASES)})\b")

WRITTEN = [
    TOP / "index.rst",
    TOP / "README.md",
    *sorted((TOP / "source").glob("*.rst")),
    *sorted((TOP / "source/benchmarks").glob("*.rst")),
    *sorted((TOP / "ext/perfguide/pages/templates").glob("*.jinja")),
]


def found(text: str) -> list[str]:
    """The phrases in a text, each with what is around it."""
    plain = ALLOWED.sub("", re.sub(r"\{#.*?#\}", "", " ".join(text.split())))
    around = [(max(0, each.start() - 30), each.end() + 20) for each in WORDS.finditer(plain)]
    return [plain[start:end] for start, end in around]


@pytest.mark.parametrize("path", WRITTEN, ids=lambda path: path.relative_to(TOP).as_posix())
def test_no_page_or_template_has_a_phrase_that_reads_as_translated(path: Path) -> None:
    assert found(path.read_text("utf-8")) == []


def test_no_help_text_has_one() -> None:
    parser = command_line.parser()
    texts = [parser.format_help()]
    for action in parser._subparsers._group_actions if parser._subparsers else ():
        texts += [each.format_help() for each in (action.choices or {}).values()]
    assert len(texts) > 5
    assert [phrase for text in texts for phrase in found(text)] == []


@pytest.mark.parametrize(
    "text",
    [
        "It is told, and has no goal.",
        "This page is for who runs the site.",
        "The divisor is the time on the wall.",
        "The reason stands beside it.",
        "Some tables are taken\nunder competition.",
        "Before it, such a figure was 0.",
        "what a reader must know before he compares two of them",
    ],
)
def test_the_phrases_are_found_where_they_are(text: str) -> None:
    assert found(text)


def test_words_that_only_look_like_them_are_none() -> None:
    assert (
        found("Lines are told apart by colour. Names such as these: * stands for any name.") == []
    )
