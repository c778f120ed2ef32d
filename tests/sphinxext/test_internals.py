"""What works around Sphinx: numbers of figures, settings of one page, files for download."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from docutils.frontend import get_default_settings
from docutils.parsers.rst import Parser
from docutils.utils import new_document
from sphinx.errors import ExtensionError
from sphinx.util._files import DownloadFiles

from perfguide.sphinxext import internals


def test_settings_of_a_page_are_its_own() -> None:
    shared = get_default_settings(Parser)
    first, second = new_document("a", shared), new_document("b", shared)
    internals.own_settings(first).raw_enabled = False
    assert not first.settings.raw_enabled and second.settings.raw_enabled


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
