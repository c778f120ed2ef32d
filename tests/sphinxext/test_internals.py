"""What works around Sphinx: columns of text, numbers of figures, settings of one page."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from conftest import run_sphinx
from docutils import nodes
from docutils.frontend import get_default_settings
from docutils.parsers.rst import Parser
from docutils.parsers.rst.states import Body, state_classes
from docutils.statemachine import StateMachine, UnknownStateError
from docutils.utils import new_document
from sphinx.application import Sphinx
from sphinx.errors import ExtensionError
from sphinx.search.en import SearchEnglish
from sphinx.util._files import DownloadFiles
from sphinx.util.docutils import docutils_namespace

from perfguide.sphinxext import internals

TABLE = """
Title
=====

.. csv-table::
   :widths: 1 1 20
   :header: Measurement, No, Text

   processor, 1, A few words
   Übertragung, 12, {long}
"""


def _project(folder: Path, text: str) -> Path:
    (folder / "results").mkdir(parents=True)
    conf = 'extensions = ["perfguide"]\nsuppress_warnings = ["perfguide.no-results"]\n'
    (folder / "conf.py").write_text(conf, "utf-8")
    (folder / "index.rst").write_text(text, "utf-8")
    return folder


def test_no_column_of_text_is_narrower_than_its_words(tmp_path: Path) -> None:
    project = _project(tmp_path / "p", TABLE.format(long="x" * 60))
    done = run_sphinx(project, tmp_path / "text", "-b", "text")
    assert done.returncode == 0, done.stderr
    lines = (tmp_path / "text/index.txt").read_text("utf-8").splitlines()
    assert "| Measurement | No   | Text                                     |" in lines
    assert "| Übertragung | 12   | xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx |" in lines


def test_settings_of_a_page_are_its_own() -> None:
    shared = get_default_settings(Parser)
    first, second = new_document("a", shared), new_document("b", shared)
    internals.own_settings(first).raw_enabled = False
    assert not first.settings.raw_enabled and second.settings.raw_enabled


MARKUP = """
Title
=====

A paragraph with *emphasis* and a note [1]_.

- a list

  #. within a list
  #. twice

     :field: within it
     :other: with a body

       quoted

Subtitle
--------

term : kind
    definition

-a  option
--long=X  another

| a line
|   of a block

+-----+------+
| one | two  |
+=====+======+
| ``a`` - b  |
+-----+------+

=====  =====
1      2
=====  =====
x      y
=====  =====

.. table:: Caption
   :name: table

   =====
   x
   =====

.. note:: Text

   .. figure:: x.png
      :alt: words

      Caption

      Legend::

         literal

.. [1] A note.
.. _target: https://example.org/
.. |sub| replace:: text
.. comment

__ https://example.org/

>>> doctest
1

----

-bad option list

 =====
x
=====
"""


def _document() -> nodes.document:
    settings = get_default_settings(Parser)
    settings.report_level = 5  # what is wrong with it is meant
    document = new_document("text", settings)
    Parser().parse(MARKUP, document)
    return document


def test_pages_are_read_as_with_all_states_made(monkeypatch: pytest.MonkeyPatch) -> None:
    def add_all(self: Any, classes: Any) -> None:
        for each in classes:
            self.add_state(each)

    monkeypatch.setattr(StateMachine, "add_states", add_all)
    as_docutils_does = _document().pformat()
    internals.make_states_when_entered()
    assert StateMachine.add_states is not add_all
    assert _document().pformat() == as_docutils_does
    for part in ("line_block", "option_list", "definition_list", "system_message", "figure"):
        assert f"<{part}" in as_docutils_does


def test_only_the_states_are_made_that_are_entered() -> None:
    internals.make_states_when_entered()
    made: list[str] = []

    class Counting(Body):
        def __init__(self, *given: Any) -> None:
            made.append("Body")
            super().__init__(*given)

    machine: Any = StateMachine([Counting, *state_classes], "Counting")
    assert machine.states == {} and made == []
    with pytest.raises(UnknownStateError):
        machine.get_state("None")


FIND: list[dict[str, Any]] = [
    {},
    {"condition": nodes.paragraph},
    {"condition": nodes.Text},
    {"condition": lambda node: isinstance(node, nodes.Element) and node.get("names")},
    {"include_self": False},
    {"descend": False},
    {"siblings": True},
    {"condition": nodes.section, "ascend": True},
]


@pytest.mark.parametrize("given", FIND)
def test_a_walk_finds_what_that_of_docutils_finds_in_its_order(
    given: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    document = _document()
    starts = list(document.findall())
    monkeypatch.setattr(nodes.Node, "findall", internals._FINDALL)
    by_docutils = [list(node.findall(**given)) for node in starts]
    internals.walk_through_trees_at_once()
    assert nodes.Node.findall is not internals._FINDALL
    ours = [list(node.findall(**given)) for node in starts]
    assert [[*map(id, each)] for each in ours] == [[*map(id, each)] for each in by_docutils]


def _changed(document: nodes.document) -> str:
    """A tree after changes of the kinds that transforms make while they walk."""
    seen = []
    for node in document.findall(nodes.Element):
        seen.append(node.tagname)
        if isinstance(node, nodes.emphasis):
            node.parent.replace(node, nodes.strong("", "new", nodes.literal("", "inner")))
        elif isinstance(node, nodes.list_item):
            node += nodes.paragraph("", "added")
        elif isinstance(node, nodes.footnote):
            node.parent.remove(node)
        elif isinstance(node, nodes.note) and "seen" not in node:
            node["seen"] = "1"  # what is put before it lets it be met again
            node.parent.insert(node.parent.index(node), nodes.comment("", "before"))
    return f"{seen}\n{document.pformat()}"


def test_what_changes_while_it_is_walked_through_is_met_as_by_docutils(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(nodes.Node, "findall", internals._FINDALL)
    by_docutils = _changed(_document())
    internals.walk_through_trees_at_once()
    assert _changed(_document()) == by_docutils
    assert "added" in by_docutils and "before" in by_docutils and "new" in by_docutils


def test_a_sphinx_that_numbers_otherwise_ends_the_build() -> None:
    app: Any = SimpleNamespace(events=SimpleNamespace(listeners={"env-get-updated": []}))
    with pytest.raises(ExtensionError, match="perfguide_number_by_page"):
        internals.number_no_figures(app)


def test_generated_files_for_download_keep_their_names_and_others_have_those_of_sphinx() -> None:
    files = internals.Downloads()
    files.top = "source/"
    assert files.add_file("a", "source/guides/x/09.01/y.csv") == Path("guides/x/09.01/y.csv")
    for other in ("own.csv", "sources/y.csv", "../y.csv", "source/../y.csv"):
        assert files.add_file("a", other) == DownloadFiles().add_file("a", other)
    everywhere = internals.Downloads()
    assert everywhere.add_file("a", "own.csv") == DownloadFiles().add_file("a", "own.csv")


def test_a_file_for_download_is_known_until_no_page_leads_to_it() -> None:
    files, other = internals.Downloads(), internals.Downloads()
    files.top = other.top = "source/"
    files.add_file("a", "source/y.csv")
    other.add_file("b", "source/y.csv")
    other.add_file("c", "source/z.csv")
    files.merge_other({"b"}, other)
    assert files == {"source/y.csv": ({"a", "b"}, "y.csv")}
    files.purge_doc("a")
    assert files == {"source/y.csv": ({"b"}, "y.csv")}
    files.purge_doc("b")
    assert not files


def test_the_search_index_asks_once_for_the_stem_of_a_word(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And finds the same pages as one that asks for each page."""
    (tmp_path / "conf.py").write_text("", "utf-8")
    for name in ("index", "other"):
        text = f":orphan:\n\n{name}\n=====\n\nBoards running boards.\n"
        (tmp_path / f"{name}.rst").write_text(text, "utf-8")
    asked: list[str] = []
    stem = SearchEnglish.stem

    def asking(own: SearchEnglish, word: str) -> str:
        asked.append(word)
        return stem(own, word)

    monkeypatch.setattr(SearchEnglish, "stem", asking)
    indexes = []
    for way in ("sphinx", "ours"):
        asked.clear()
        with docutils_namespace():
            app = Sphinx(
                tmp_path,
                tmp_path,
                tmp_path / way,
                tmp_path / f"{way}-doctrees",
                "html",
                status=None,
            )
            if way == "ours":
                app.connect("doctree-resolved", lambda app, *_: internals.stem_each_word_once(app))
            app.build()
        indexes.append((tmp_path / way / "searchindex.js").read_bytes())
        assert (asked.count("Boards") == 1) == (way == "ours")
    assert indexes[0] == indexes[1]
