"""The small picture of a row's releases, in HTML and in plain text."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from sphinx.application import Sphinx
from sphinx.util.docutils import docutils_namespace, patch_docutils

from perfguide.compare import sparkline

PAGE = """.. perfguide: page

.. role:: perf-history

Title
=====

:perf-history:`▁█`
"""


def built(folder: Path, builder: str, history: str) -> tuple[str, str]:
    """A generated page of one line, and what was warned of."""
    source = folder / "source"
    (source / "source/page").mkdir(parents=True, exist_ok=True)
    (source / "index.rst").write_text("Home\n====\n\n.. toctree::\n\n   source/page\n", "utf-8")
    (source / "source/page.rst").write_text(PAGE, "utf-8")
    file = f'perfguideFigures={{"histories":[{history}]}}'
    (source / "source/page/figures.js").write_text(file, "utf-8")
    (source / "none").mkdir(exist_ok=True)
    warnings = io.StringIO()
    with patch_docutils(), docutils_namespace():  # other builds of this process are as if alone
        app = Sphinx(
            str(source),
            None,
            str(folder / builder),
            str(folder / "doctrees"),
            builder,
            confoverrides={"extensions": ["perfguide"], "perfguide_results": "none"},
            status=None,
            warning=warnings,
            freshenv=True,
        )
        app.build()
    suffix = "html" if builder == "html" else "txt"
    return (folder / builder / f"source/page.{suffix}").read_text("utf-8"), warnings.getvalue()


def test_a_history_is_a_line_in_html_and_characters_elsewhere(tmp_path: Path) -> None:
    history = '{"heights":[0,0.5,1,0],"new":2,"words":"9.1 to <b>"}'
    page, _ = built(tmp_path, "html", history)
    picture = page[page.index('<svg class="perf-history"') : page.index("</svg>")]
    assert '<polyline points="4,18 33.33,11 62.67,4"/>' in picture
    assert '<polyline class="later" points="62.67,4 92,18"/>' in picture
    assert '<circle cx="62.67" cy="4"' in picture
    assert 'aria-label="9.1 to &lt;b&gt;"' in picture and "<b>" not in picture
    plain, _ = built(tmp_path, "text", history)
    assert "▁█" in plain and "0.5" not in plain


@pytest.mark.parametrize(
    "history",
    [
        "1",
        '{"heights":0,"new":0,"words":"a"}',
        '{"heights":[0,1],"new":3,"words":"a"}',
        '{"heights":[0,"a",1],"new":0,"words":"a"}',
    ],
)
def test_what_is_no_history_is_said_and_shows_as_characters(tmp_path: Path, history: str) -> None:
    page, warned = built(tmp_path, "html", history)
    assert "▁█" in page and "<svg" not in page
    assert "source/page/figures.js: cannot be read" in warned


def test_noise_is_drawn_flat_and_sizes_without_a_difference_are_no_error() -> None:
    drawn = sparkline.History((("1", 100.0), ("2", 100.1), ("3", 100.0)), 2, "us")
    assert drawn.characters == "▁▁▁"
    assert drawn.words == "Releases 1 to 3: 100 to 100.1 µs"
    huge = sparkline.History((("1", -1.7e308), ("2", 0.0), ("3", 1.7e308)), 2, "x")
    assert huge.characters == "▁▅█"
