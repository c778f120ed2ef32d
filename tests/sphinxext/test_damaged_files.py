"""A file of a generated page that is damaged or gone is named, and the rest of the page is there."""

from __future__ import annotations

from pathlib import Path

import pytest
from conftest import run_sphinx

CONF = 'extensions = ["perfguide"]\nsuppress_warnings = ["perfguide.no-results"]\n'


@pytest.mark.parametrize("held", ["{", '{"facts": 3}', None])
def test_answers_that_cannot_be_read_are_a_warning(tmp_path: Path, held: str | None) -> None:
    project = tmp_path / "project"
    (project / "results").mkdir(parents=True)
    (project / "conf.py").write_text(f'{CONF}exclude_patterns = ["source"]\n', "utf-8")
    body = "Title\n=====\n\n.. perf-answers:: answers.json\n\nThe rest.\n"
    (project / "index.rst").write_text(body, "utf-8")
    if held is not None:
        (project / "answers.json").write_text(held, "utf-8")
    run = run_sphinx(project, tmp_path / "html")
    assert run.returncode == 0, run.stderr
    assert "index.rst:4: WARNING: answers.json: cannot be read: " in run.stderr, run.stderr
    assert "generate it again" in run.stderr
    assert "The rest." in (tmp_path / "html/index.html").read_text("utf-8")
