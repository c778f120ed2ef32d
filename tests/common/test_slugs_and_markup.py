"""Names become addresses that are distinct and safe, and text that shows as it is."""

from __future__ import annotations

import io
import unicodedata
from pathlib import PurePosixPath

import pytest
from docutils import nodes
from docutils.core import publish_doctree
from docutils.parsers.rst import roles
from hostile_names import NAMES_BY_RULE
from hypothesis import given
from hypothesis import strategies as st
from making import only
from profiles import examples
from sphinx.util.docutils import ReferenceRole, docutils_namespace

from perfguide.bundles.guide_key import GuideKey
from perfguide.common import rst_text
from perfguide.common import slugs as addresses
from perfguide.common.diagnostics import visible
from perfguide.figures.dataset import newest, plan

TRICKY = [
    *["", ".", "..", "../x", "/etc", "a/b", "a\\b", "C:", "~", "-rf", ".hidden", "a.rst", "a."],
    *["index", "INDEX", "latest", "con", "NUL.txt", "com1", "AM62X", "am62x", "a b", "a-b", "a_b"],
    *[
        "é",
        "e\u0301",
        "É",
        "ß",
        "ss",
        "SS",
        "ﬁ",
        "fi",
        "Å",
        "Å",
        "\u202e",
        "\x00",
        "日本",
        "İ",
        "i̇",
    ],
    *["x" * 100, "x" * 101, "%2e%2e", "a%20b", "a\nb", "\ud800", "09.01.00.08", "K", "k"],
    *[addresses.hashed("a b"), addresses.hashed(addresses.hashed("a b"))],
]
NAMES = st.lists(
    st.one_of(st.sampled_from(TRICKY), st.text(st.characters(), max_size=6)), max_size=12
)


def folded(name: str) -> str:
    """What a file system that ignores case and form takes a name for."""
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", name).casefold())


def assert_safe_and_distinct(names: list[str]) -> None:
    slugs = addresses.slugs(names)
    assert set(slugs) == set(names)
    assert len({folded(s) for s in slugs.values()}) == len(slugs)
    for slug in slugs.values():
        assert slug.isascii()
        assert PurePosixPath(slug).parts == (slug,)
        assert set("/\\:%~# \n\0").isdisjoint(slug)
        assert slug[0] not in ".-"
        assert 0 < len(slug) <= 100
        assert slug.split(".")[0].lower() not in ("index", "latest", "con", "nul", "com1")
        assert not slug.endswith((".", ".rst", ".csv"))


def test_tricky_names_all_at_once() -> None:
    assert_safe_and_distinct(TRICKY)


@given(NAMES)
@examples(60, heavy=200)
def test_addresses_are_distinct_and_never_leave_their_folder(names: list[str]) -> None:
    assert_safe_and_distinct(names)


@given(NAMES)
def test_addresses_do_not_depend_on_the_order_of_names(names: list[str]) -> None:
    assert addresses.slugs(names) == addresses.slugs([*names[::-1], *names])


def test_a_name_with_a_meaning_gets_an_address_without_one() -> None:
    by_name = addresses.slugs(NAMES_BY_RULE)
    assert len(by_name) == len(NAMES_BY_RULE)
    for name, slug in by_name.items():
        assert slug != name and not addresses.has_meaning(slug), name


@pytest.mark.parametrize(
    "name", ["AM62X", "09.01.00.08", "rt-linux", "am62xx_sk-fs", "1", "run-2024040201", "_x"]
)
def test_a_plain_name_stands_as_it_is(name: str) -> None:
    assert addresses.slugs([name, "something else"])[name] == name


def test_only_the_names_that_clash_get_a_hash() -> None:
    slugs = addresses.slugs(["AM62X", "am62x", "AM64X"])
    assert slugs["AM64X"] == "AM64X"
    assert all(slugs[n].startswith("am62x-") for n in ("AM62X", "am62x"))


def test_a_name_that_is_the_hash_of_another_gives_way() -> None:
    other = addresses.hashed("a b")
    slugs = addresses.slugs(["a b", other])
    assert slugs["a b"] == other
    assert slugs[other] != other


def test_an_address_is_the_same_in_every_run() -> None:
    assert addresses.slugs(["a b"]) == {"a b": "a-b-c8687a08aa"}


# -- addresses of pages ------------------------------------------------------------


def test_pages_of_a_site_have_the_addresses_of_the_design() -> None:
    keys = [
        GuideKey("Processor SDK", "AM62X", "rt-linux", "09.01.00.08"),
        GuideKey("Edge AI", "AM62X", "linux", "1"),
    ]
    planned = plan(keys, ["lmbench", "a b"])
    assert planned.guide[keys[0]] == "guides/AM62X/rt-linux/09.01.00.08"
    assert planned.latest(keys[0]) == "guides/AM62X/rt-linux/latest"
    assert planned.soc == {"AM62X": "guides/AM62X/index"}
    assert planned.benchmark["lmbench"] == "by-benchmark/lmbench"
    assert planned.guide[keys[1]].startswith("guides/AM62X/sdk-edge-ai-")


@given(
    st.lists(
        st.builds(
            GuideKey,
            st.sampled_from(["Processor SDK", "Edge AI", "edge ai", "linux"]),
            st.sampled_from(["A", "a", "../x", "index"]),
            st.sampled_from(["linux", "Linux", "latest", "sdk-linux", "A/B"]),
            st.sampled_from(["1", "1.0", "latest", "index", "1/2", "LATEST"]),
        ),
        unique=True,
        max_size=12,
    )
)
def test_no_two_guides_have_one_page(keys: list[GuideKey]) -> None:
    planned = plan(keys, [])
    pages = [*planned.guide.values(), *planned.soc.values()]
    pages += {planned.latest(key) for key in newest(keys).values()}
    assert len({folded(page) for page in pages}) == len(pages)
    assert not any(".." in PurePosixPath(page).parts for page in pages)


def test_the_newest_release_is_the_newest_by_its_numbers() -> None:
    keys = [GuideKey("Processor SDK", "A", "linux", r) for r in ("9.2", "10.0", "9.10")]
    assert only(list(newest(keys).values())).release == "10.0"


# -- text on pages -----------------------------------------------------------------

MARKUP = [
    *["*x*", "**x**", "`a`", "``a``", "x_", "x__", "`x`_", "|x|", ".. raw:: html", "[1]_", "_`x`"],
    *[
        "\\",
        "\\*",
        "http://x.y",
        "a@b.c",
        "<b>",
        "&amp;",
        "--",
        "---",
        "...",
        '"q"',
        "'q'",
        "- 1.5",
    ],
    *["1. x", "(a) x", "#. x", ":x: y", ":role:`x`", "::", "x::", "+--+", ">>> x", "=====", "%41"],
    *["a  b", " a", "a ", "é", "日本", "\u202e", "\x00", "a\nb", "\x1b[2J", "A", "i.", "x" * 300],
    *["PEP 8", "RFC 2822", "C:\\t", "--x", "/V", "a*", "*", "_", "|", "`", "​", "a (b, c)", "50 %"],
]


class Target(ReferenceRole):
    """A role with words and a target, read as Sphinx reads those of ``ref`` and others."""

    def run(self) -> tuple[list[nodes.Node], list[nodes.system_message]]:
        return [nodes.reference("", self.title, refuri=self.target)], []


def parsed(source: str) -> nodes.document:
    """A page as docutils reads it, which has nothing to say of it."""
    stream = io.StringIO()
    overrides = {"warning_stream": stream, "report_level": 1, "doctitle_xform": False}
    with docutils_namespace():
        for name in ("ref", "doc", "download"):
            roles.register_local_role(name, Target())
        document = publish_doctree(source, settings_overrides=overrides)
    assert stream.getvalue() == ""
    return document


def shown_text(value: str) -> str:
    """A text as pages show it, which has no blanks at its ends."""
    return visible(value, len(value)).strip()


def kinds(document: nodes.Node) -> set[type[nodes.Node]]:
    return {type(node) for node in document.findall()}


TEXTS = {nodes.document, nodes.paragraph, nodes.Text}


def assert_shows_exactly(value: str) -> None:
    line, inner = rst_text.text(value), rst_text.inner(value)
    assert "\n" not in line + inner
    assert rst_text.plain(line) == rst_text.plain(inner) == shown_text(value)
    if not shown_text(value):
        return
    document = parsed(
        f"start {inner} end\n\n* {line}\n\n{rst_text.heading(value, '=')}\n\n{line}\n"
    )
    start, listed, section = document.children
    assert isinstance(section, nodes.section)
    assert start.astext() == f"start {shown_text(value)} end"
    assert listed.astext() == shown_text(value)
    assert [child.astext() for child in section.children] == [shown_text(value)] * 2
    blocks = {nodes.title, nodes.section, nodes.bullet_list, nodes.list_item}
    assert kinds(document) == TEXTS | blocks


def assert_links_and_fields_show_exactly(value: str) -> None:
    words = shown_text(value)
    if not words:
        return
    for role in (rst_text.reference, rst_text.document, rst_text.download):
        document = parsed(f"Before {role(value, 'a/b of c')} after.\n")
        link = only(list(document.findall(nodes.reference)))
        assert (link.astext(), link["refuri"]) == (words, "a/b of c")
        assert document.astext() == f"Before {words} after."
        assert kinds(document) == TEXTS | {nodes.reference}
    document = parsed(f"Before {rst_text.strong(value)} after.\n")
    assert only(list(document.findall(nodes.strong))).astext() == words
    assert document.astext() == f"Before {words} after."
    assert kinds(document) == TEXTS | {nodes.strong}
    document = parsed(f"Before\n\n:{rst_text.field(value)}: {rst_text.text(value)}\n")
    name, body = only(list(document.findall(nodes.field))).children
    assert name.astext() == body.astext() == words
    assert kinds(document) == TEXTS | {nodes.field_list, nodes.field, *map(type, (name, body))}


@pytest.mark.parametrize("value", MARKUP)
def test_markup_in_a_name_shows_as_written(value: str) -> None:
    assert_shows_exactly(value)
    assert_links_and_fields_show_exactly(value)


@given(st.one_of(st.text(st.characters(), min_size=1, max_size=12), st.sampled_from(MARKUP)))
@examples(40, heavy=120)
def test_any_text_shows_exactly(value: str) -> None:
    assert_shows_exactly(value)
    assert_links_and_fields_show_exactly(value)


@given(st.text("ab1 ,().%/_+-*`|:<>\\\"'#@&=~", min_size=1, max_size=10))
@examples(50, heavy=150)
def test_any_punctuation_shows_exactly(value: str) -> None:
    assert_shows_exactly(value)
    assert_links_and_fields_show_exactly(value)


def test_plain_names_stay_readable_in_the_source() -> None:
    for name in ("AM62X", "OpenSSL throughput, aes-128-cbc", "Linux 09.01.00.08", "load 50 %"):
        assert rst_text.text(name) == name


def test_a_heading_is_underlined_to_its_width() -> None:
    assert rst_text.heading("AM62X", "=") == "AM62X\n====="
    assert rst_text.heading("ab", "-") == "ab\n----"


@given(
    st.lists(
        st.text(st.characters(), max_size=12).filter(lambda s: s.strip(" ")), min_size=1, max_size=4
    )
)
def test_commands_show_in_a_literal_block(lines: list[str]) -> None:
    document = parsed(f"Before::\n\n{rst_text.literal(lines)}\n\nAfter.\n")
    kinds = [type(node) for node in document.children]
    shown = [visible(line).strip() for line in lines]
    assert kinds == [nodes.paragraph, nodes.literal_block, nodes.paragraph]
    assert document.children[1].astext().split("\n") == shown
