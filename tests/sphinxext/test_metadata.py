"""What a page that leads on says of itself, and what a site holds besides its pages."""

from __future__ import annotations

import re
from pathlib import Path

from conftest import run_sphinx

from perfguide.sphinxext.metadata import mirror

BASE = "https://guides.example/perf"


def test_a_page_that_leads_on_says_once_where_to(tmp_path: Path) -> None:
    project = tmp_path / "p"
    (project / "results").mkdir(parents=True)
    (project / "old").mkdir()
    (project / "new").mkdir()
    conf = 'extensions = ["perfguide"]\nhtml_theme = "perfguide"\n'
    (project / "conf.py").write_text(conf, "utf-8")
    (project / "index.rst").write_text("Home\n====\n", "utf-8")
    (project / "new/page.rst").write_text(":orphan:\n\nNew\n===\n\nPart\n----\n", "utf-8")
    old = ":orphan:\n:perf-redirect: ../new/page#part\n\nOld\n===\n"
    (project / "old/page.rst").write_text(old, "utf-8")
    done = run_sphinx(project, tmp_path / "html", f"-Dhtml_baseurl={BASE}/")
    assert done.returncode == 0, done.stderr
    page = (tmp_path / "html/old/page.html").read_text("utf-8")
    assert re.findall(r'http-equiv="refresh" content="([^"]*)"', page) == [
        "0; url=../new/page.html#part"
    ]
    assert f'<link rel="canonical" href="{BASE}/new/page.html"' in page


def test_a_site_holds_nothing_that_is_no_part_of_it(real_site: Path) -> None:
    assert (real_site / "feed.xml").is_file()
    assert not (real_site / "reports").exists()


def test_a_folder_is_mirrored(tmp_path: Path) -> None:
    source, target = tmp_path / "source", tmp_path / "target"
    for folder, names in ((source, ("a", "b/c", "d")), (target, ("b/c", "d", "gone/far/e"))):
        for name in names:
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text(f"{folder.name} {name}", "utf-8")
    mirror(source, target)
    found = {
        str(p.relative_to(target)): p.read_text("utf-8") for p in target.rglob("*") if p.is_file()
    }
    assert found == {"a": "source a", "b/c": "source b/c", "d": "source d"}
    assert not (target / "gone").exists()
