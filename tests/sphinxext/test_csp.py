"""The policy that pages state: the one that is documented, and only where it is asked for."""

from __future__ import annotations

from pathlib import Path

from conftest import run_sphinx

from perfguide.sphinxext.theme import POLICY


def test_the_policy_of_the_documentation_is_the_one_of_the_pages() -> None:
    security = (Path(__file__).parents[2] / "SECURITY.md").read_text("utf-8")
    assert POLICY in " ".join(security.split())


def test_without_the_value_pages_are_the_themes_own(tmp_path: Path) -> None:
    (tmp_path / "p/results").mkdir(parents=True)
    (tmp_path / "p/conf.py").write_text(
        'extensions = ["perfguide"]\nhtml_theme = "sphinx_rtd_theme"\n', "utf-8"
    )
    (tmp_path / "p/index.rst").write_text("Title\n=====\n", "utf-8")
    assert run_sphinx(tmp_path / "p", tmp_path / "html").returncode == 0
    page = (tmp_path / "html/index.html").read_text("utf-8")
    assert "Content-Security-Policy" not in page and "perfguide-page.js" not in page
    assert run_sphinx(tmp_path / "p", tmp_path / "csp", "-Dperfguide_csp=1").returncode == 0
    page = (tmp_path / "csp/index.html").read_text("utf-8")
    assert "Content-Security-Policy" in page and "<script>" not in page
