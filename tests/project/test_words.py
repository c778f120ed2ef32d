"""What readers meet is written as a native technical writer would; see CONTRIBUTING."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from conftest import TOP

from perfguide.cli import command_line

PHRASES = (
    *(r"(?:is|are|was|were) told(?! apart)", r"such an?", r"(?:for|to|by) who", r"whoever"),
    *(r"stands?", r"(?:time )?on the wall", r"on the wall clock", r"under competition"),
    *(r"is said in", r"who runs the site:", r"before he", r"than he", r"he (?:compares|reads|has)"),
    *(r"All can be", r"has to be asked for", r"goes? by itself", r"(?:what|that) is due"),
    *(
        r"[Mm]end(?:s|ed|ing)?",
        r"sound (?:bundles?|uploads?|figures?|ones?)",
        r"(?:are|is) sound",
        r"anew",
    ),
    *(r"(?:not|be|it is) told(?! apart| from)", r"on a slow line", r"that cannot be\."),
    *(r"nobody (?:has|knows|says)", r"(?:got|change) (?:for the )?worse that could be seen"),
    *(r"of its own choosing is", r"meanwhile\.", r"says? nothing of", r"what is to say"),
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
    TOP / "ext/perfguide/common/diagnostics.toml",
    TOP / "ext/perfguide/health/rules.toml",
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


MODULES = sorted((TOP / "ext/perfguide").rglob("*.py"))


def sentences(path: Path) -> Iterator[str]:
    """The texts in a module that have three words and more, without what only developers read."""
    tree = ast.parse(path.read_text("utf-8"))
    bodies = [
        body for node in ast.walk(tree) if isinstance(body := getattr(node, "body", None), list)
    ]
    beside = {id(each.value) for body in bodies for each in body if isinstance(each, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            is_prose = len(re.findall("[A-Za-z]{2,}", node.value)) >= 3
            if is_prose and id(node) not in beside:
                yield node.value


def test_no_message_or_sentence_about_figures_has_one() -> None:
    texts = {path: list(sentences(path)) for path in MODULES}
    assert sum(map(len, texts.values())) > 1000
    named = {path.name: [p for text in own for p in found(text)] for path, own in texts.items()}
    assert {name: phrases for name, phrases in named.items() if phrases} == {}


@pytest.mark.parametrize(
    "text",
    [
        "It is told, and has no goal.",
        "This page is for who runs the site.",
        "The divisor is the time on the wall.",
        "The reason stands beside it.",
        "Some tables are taken\nunder competition.",
        "Before it, such a figure was 0.",
        "Mend the key that the message names.",
        "No sound bundle was found.",
        "Which board it was is not told.",
        "what a reader must know before he compares two of them",
    ],
)
def test_the_phrases_are_found_where_they_are(text: str) -> None:
    assert found(text)


def test_words_that_only_look_like_them_are_none() -> None:
    assert (
        found("Lines are told apart by colour. Names such as these: * stands for any name.") == []
    )
