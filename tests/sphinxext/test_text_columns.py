"""Tables in plain text: columns as wide as their words, and a host's tables as Sphinx sets them."""

from __future__ import annotations

from pathlib import Path

from conftest import run_sphinx

TABLE = """
Title
=====

.. csv-table::
   :widths: 1 1 20
   :header: Measurement, No, Text

   processor, 1, A few words
   Übertragung, 12, {long}
"""


def _text(folder: Path, extensions: str, *options: str) -> list[str]:
    project = folder / "project"
    (project / "results").mkdir(parents=True)
    conf = f'extensions = [{extensions}]\nsuppress_warnings = ["perfguide.no-results"]\n'
    (project / "conf.py").write_text(conf, "utf-8")
    (project / "index.rst").write_text(TABLE.format(long="x" * 60), "utf-8")
    done = run_sphinx(project, folder / "text", "-b", "text", *options)
    assert done.returncode == 0, done.stderr
    return (folder / "text/index.txt").read_text("utf-8").splitlines()


def test_no_column_of_text_is_narrower_than_its_words(tmp_path: Path) -> None:
    lines = _text(tmp_path, '"perfguide"', "-Dperfguide_own_output=1")
    assert "| Measurement | No   | Text                                     |" in lines
    assert "| Übertragung | 12   | xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx |" in lines


def test_a_table_of_another_project_is_set_as_without_us(tmp_path: Path) -> None:
    assert _text(tmp_path / "with", '"perfguide"') == _text(tmp_path / "without", "")
