"""The tutorial, from its first line to its last, as a reader would follow it."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

from conftest import TOP
from followed import codes, search_path


def test_the_tutorial_ends_with_a_site_of_two_releases_and_a_withdrawn_run(tmp_path: Path) -> None:
    top = tmp_path / "project"
    top.mkdir()
    known = {
        **{"PATH": search_path(), "HOME": str(tmp_path), "LC_ALL": "C.UTF-8"},
        **{f"GIT_{who}_NAME": "Reader" for who in ("AUTHOR", "COMMITTER")},
        **{f"GIT_{who}_EMAIL": "reader@example.org" for who in ("AUTHOR", "COMMITTER")},
    }
    page = (TOP / "source/tutorial.rst").read_text("utf-8")
    said = list[str]()
    for block in codes(page):
        text, caption = block.text, block.caption
        if block.kind != "sh":
            (top / caption).parent.mkdir(exist_ok=True)
            (top / caption).write_text(text, "utf-8")
            continue
        if "pip install" in text:
            # A system like Debian refuses to install beside its own packages.
            assert "-m venv" in text and text.index("venv") < text.index("pip install")
            continue  # the package under test stands for the one that pip would install
        script = "set -e\n" + text.replace("PERFGUIDE", str(TOP))
        run = subprocess.run(
            ["sh", "-c", script], cwd=top, env=known, capture_output=True, text=True, check=False
        )
        wanted = int(caption.removeprefix("exits with ")) if caption else 0
        assert run.returncode == wanted, f"{text}\n{run.stdout}\n{run.stderr}"
        assert "Traceback" not in run.stderr and "warning" not in run.stderr.lower(), run.stderr
        said.append(run.stdout)
    regressed, again = [text for text in said if "::notice title=Comparison" in text]
    assert "::error title=" in regressed and "::error" not in again
    site = top / "build/html/pages"
    assert {p.stem for p in (site / "guides/MYSOC/linux").glob("1.*.html")} == {"1.0", "1.1"}
    guide = (site / "guides/MYSOC/linux/1.1.html").read_text("utf-8")
    # The mean of the three runs that count, by hand: (46690.02 + 46612.90 + 46731.48) / 3.
    assert "46678.13" in guide
    assert "OpenSSL throughput by block size and engine" in guide
    assert list((top / "build/html/_images").glob("*openssl*.svg"))
    errata = "".join(p.read_text("utf-8") for p in (site / "reports").rglob("errata*.html"))
    assert "the board ran at half its clock" in errata
    assert (site / "compare/MYSOC/linux").is_dir()
    index = json.loads((top / "build/html/api/v1/index.json").read_bytes())
    assert index["figures"] == 12
    status = ["git", "-C", str(top), "status", "--porcelain"]
    assert subprocess.run(status, check=True, capture_output=True).stdout == b""
