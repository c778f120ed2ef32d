"""Text from bundles, wherever pages put it: docutils and Sphinx read back what was written."""

from __future__ import annotations

import io
from collections.abc import Iterator
from pathlib import Path

import pytest
from docutils import nodes
from hypothesis import given
from hypothesis import strategies as st
from profiles import examples
from sphinx.addnodes import download_reference, pending_xref
from sphinx.application import Sphinx
from sphinx.testing.restructuredtext import parse
from sphinx.util.docutils import docutils_namespace, patch_docutils

from perfguide.common import rst_text
from perfguide.common.diagnostics import visible
from perfguide.tables import page_tables
from perfguide.tables.grids import Grid

MARKUP = (
    *("*x*", "**x**", "`a`", "``a``", "x_", "x__", "`x`_", "|x|", ".. raw:: html", "[1]_", "_`x`"),
    *(
        "\\",
        "\\*",
        "\\ ",
        "a\\",
        "\\\\",
        "http://x.y",
        "a@b.c",
        "mailto:a@b.c",
        "<b>",
        "&amp;",
        "--",
    ),
    *("---", "...", '"q"', "'q'", "- 1.5", "1. x", "(a) x", "#. x", ":x: y", ":x:", ":role:`x`"),
    *(
        "::",
        "x::",
        "+--+",
        ">>> x",
        "=====",
        "%41",
        "a  b",
        " a",
        "a ",
        "é",
        "日本",
        "\u202e",
        "\x00",
    ),
    *(
        "a\nb",
        "\x1b[2J",
        "A",
        "i.",
        "x" * 300,
        "PEP 8",
        "RFC 2822",
        "C:\\t",
        "--x",
        "/V",
        "a*",
        "*",
    ),
    *("_", "|", "`", "\u200b", "a (b, c)", "50 %", "x <y>", "<y>", "!x", "~x", "x <y", "x\\ <y>"),
    *("a,b", '"', 'a"b', "'=1", "=1+1", ".. _a: b", ".. [1] a", ".. |a| image:: b", "__ a", "-- a"),
    *("| a", "+ a", "* a", "• a", "== ==", "I. a", "a) b", "a. b", "Z.", "(1)", "1)", "e.g. this"),
)
"""Texts that would be markup, or would end it, where they were not escaped."""

TEXTS = st.one_of(
    st.sampled_from(MARKUP),
    st.text(st.characters(), min_size=1, max_size=12),
    st.text("ab1 ,().%/_+-*`|:<>\\\"'#@&=~!{}[]", min_size=1, max_size=10),
    st.lists(st.sampled_from(MARKUP), min_size=2, max_size=3).map("".join),
    st.lists(st.sampled_from(MARKUP), min_size=2, max_size=3).map(" ".join),
)


def shown(value: str) -> str:
    """Return what a page shows of a text."""
    return visible(value, 1_000_000).strip()


class Page:
    """Pages as Sphinx reads them, with sphinx-tabs and nothing of perfguide."""

    def __init__(self, folder: Path) -> None:
        (folder / "conf.py").write_text("extensions = ['sphinx_tabs.tabs']\nsmartquotes = False\n")
        (folder / "index.rst").write_text("T\n=\n")
        (folder / "file.csv").write_text("a\n")
        self.warnings = io.StringIO()
        self.folder = folder
        where = (folder, folder, folder / "html", folder / "doctrees", "html")
        self.app = Sphinx(*where, status=None, warning=self.warnings)

    def read(self, source: str) -> nodes.document:
        """Return the nodes of a page, which must be read without a warning."""
        document = parse(self.app, source)
        assert self.warnings.getvalue() == "", source
        assert not list(document.findall(nodes.system_message)), source
        return document


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    with docutils_namespace(), patch_docutils():
        yield Page(tmp_path_factory.mktemp("page"))


def inside(node: nodes.Node) -> str:
    """Return the text of a node that holds text alone."""
    kinds = {type(child) for child in node.findall() if child is not node}
    assert kinds <= {nodes.Text, nodes.paragraph}, node
    return node.astext()


@given(TEXTS)
@examples(40, heavy=3000)
def test_a_paragraph_and_a_sentence_show_exactly(page: Page, value: str) -> None:
    whole, part = rst_text.text(value), rst_text.inner(value)
    document = page.read(
        f"{whole}\n\nstart {part} end\n\nAbout: {whole}\n\n- {whole}\n\nOf ({part}), “{part}”\n"
    )
    expected = [shown(value), f"start {shown(value)} end", f"About: {shown(value)}".strip()]
    expected += [shown(value), f"Of ({shown(value)}), “{shown(value)}”"]
    if not shown(value):
        expected = [text for text in expected if text]
        expected[0] = "start  end"
    blocks = [block for block in document.children if not isinstance(block, nodes.bullet_list)]
    for block in document.findall(nodes.list_item):
        blocks.insert(3, block)
    assert [inside(block) for block in blocks] == expected


@given(TEXTS)
@examples(40, heavy=3000)
def test_a_heading_and_a_caption_show_exactly(page: Page, value: str) -> None:
    words = rst_text.text(value) or "x"
    document = page.read(
        f"{rst_text.heading(value if shown(value) else 'x', '=')}\n\n"
        f".. figure:: a.*\n   :alt: {shown(value) or 'x'}\n\n   {words}\n\n"
        f".. container:: perf-fold\n\n   {words}\n\n   Rest.\n\n"
        f".. csv-table:: {words}\n\n   a\n"
    )
    expected = shown(value) or "x"
    assert inside(next(document.findall(nodes.title))) == expected
    assert inside(next(document.findall(nodes.caption))) == expected
    fold = next(iter(document.findall(nodes.container)))
    assert inside(fold.children[0]) == expected
    (table,) = document.findall(nodes.table)
    assert inside(table.children[0]) == expected
    (image,) = document.findall(nodes.image)
    assert image["alt"] == expected


@given(st.lists(TEXTS, min_size=1, max_size=4))
@examples(40, heavy=3000)
def test_a_cell_and_a_head_of_a_table_show_exactly(page: Page, values: list[str]) -> None:
    rows = (tuple(values), tuple(reversed(values)))
    data = page_tables.to_csv(page_tables.texts(Grid((tuple(values),), rows, 0)))
    (page.folder / "cells.csv").write_bytes(data)
    document = page.read(".. csv-table:: Title\n   :file: cells.csv\n   :header-rows: 1\n")
    cells = [inside(cell) for cell in document.findall(nodes.entry)]
    assert cells == [shown(value) for row in (values, *rows) for value in row]
    assert page_tables.read_csv(data) == [list(map(shown, row)) for row in (values, *rows)]


@given(TEXTS.filter(shown))
@examples(40, heavy=3000)
def test_the_name_of_a_field_and_of_a_tab_show_exactly(page: Page, value: str) -> None:
    document = page.read(
        f"First.\n\n:{rst_text.field(value)}: {rst_text.text(value)}\n\n"
        f".. tabs::\n\n   .. group-tab:: {rst_text.text(value)}\n\n      Content.\n"
    )
    (name,) = document.findall(nodes.field_name)
    (body,) = document.findall(nodes.field_body)
    assert (inside(name), inside(body)) == (shown(value), shown(value))
    (tab,) = [node for node in document.findall() if type(node).__name__ == "SphinxTabsTab"]
    assert inside(tab) == shown(value)


@given(TEXTS.filter(shown))
@examples(40, heavy=3000)
def test_the_words_of_a_link_show_exactly_and_lead_where_they_should(
    page: Page, value: str
) -> None:
    document = page.read(
        f"{rst_text.reference(value, 'a of b')} · {rst_text.document(value, '../c')}\n\n"
        f"{rst_text.download(value, 'file.csv')}, {rst_text.strong(value)}.\n"
    )
    links = list(document.findall(pending_xref))
    links += list(document.findall(download_reference))
    targets = [(link["reftype"], link["reftarget"]) for link in links]
    assert targets == [("ref", "a of b"), ("doc", "../c"), ("download", "file.csv")]
    assert all(link["refexplicit"] for link in links)
    assert [link.astext() for link in links] == [shown(value)] * 3
    (strong,) = document.findall(nodes.strong)
    assert inside(strong) == shown(value)
    plain = (nodes.inline, nodes.literal, nodes.Text, nodes.paragraph, nodes.strong)
    other = {type(node) for node in document.findall() if not isinstance(node, plain)}
    assert other == {nodes.document, pending_xref, download_reference}


@given(st.lists(TEXTS, min_size=1, max_size=4))
@examples(30, heavy=1000)
def test_commands_show_in_a_literal_block(page: Page, values: list[str]) -> None:
    lines = [value for value in values if shown(value)] or ["x"]
    document = page.read(f"Before::\n\n{rst_text.literal(lines)}\n\nAfter.\n")
    kinds = [type(node) for node in document.children]
    assert kinds == [nodes.paragraph, nodes.literal_block, nodes.paragraph]
    assert document.children[1].astext().split("\n") == [shown(line) for line in lines]


def test_plain_names_stay_readable_in_the_source() -> None:
    for name in ("AM62X", "OpenSSL throughput, aes-128-cbc", "Linux 09.01.00.08", "load 50 %"):
        assert rst_text.text(name) == name
