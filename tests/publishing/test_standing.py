"""A build has nothing to do where nothing changed, and only there."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import copy_project, sound_bundle
from test_whole_site import run_build

from perfguide.publishing import atomic_swap
from perfguide.publishing.standing import Read, Standing, Told

NOTHING = "Nothing changed since build/html was built."


def _settled(project: Path, *options: str) -> subprocess.CompletedProcess[str]:
    """Build when all files are old enough for a change to show in their times."""
    time.sleep(0.3)
    done = run_build(project, *options)
    assert done.returncode == 0, done.stderr
    return done


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small site, and the project that it was made from."""
    project = copy_project(tmp_path_factory.mktemp("standing") / "project")
    shutil.rmtree(project / "results")
    kept = [path for path in (project / "source").glob("*.rst") if path.stem != "glossary"]
    for path in kept:
        path.unlink()
    (project / "index.rst").write_text(
        "Home\n====\n\n.. toctree::\n   :glob:\n\n   source/glossary\n   source/*/index\n", "utf-8"
    )
    (project / "other.rst").write_text(":orphan:\n\nOther\n=====\n", "utf-8")
    with (project / "conf.py").open("a", encoding="utf-8") as conf:
        conf.write("import os, helping\nhtml_title = os.environ.get('TITLE', helping.title)\n")
    (project / "helping.py").write_text("title = 'Guides'\n", "utf-8")
    with (project / "conf.py").open("r+", encoding="utf-8") as conf:
        text = conf.read()
        conf.seek(0)
        conf.write(f"import sys\nsys.path.insert(0, {str(project)!r})\n{text}")
    return project


def _stand(project: Path) -> Path:
    """Build until nothing is left to do."""
    if not (project / "results").exists():
        (project / "results").mkdir()
        (project / "results/a.json").write_text(json.dumps(sound_bundle()), "utf-8")
    # A build of files that are new does not know yet that they stay as they are.
    assert f"{NOTHING}\n" in (_settled(project).stdout for _ in range(3))
    return project


@pytest.fixture
def standing(built: Path) -> Path:
    """The site as it is after a build, whatever an earlier test did to the project."""
    return _stand(built)


@pytest.fixture(scope="module")
def kept(built: Path) -> Path:
    """A copy of all of it to make copies of."""
    return Path(shutil.copytree(_stand(built), built.parent / "kept", symlinks=True))


def test_where_nothing_changed_nothing_is_done(standing: Path) -> None:
    site = standing / "build/html"
    before = site.stat().st_ino, (site / "index.html").stat().st_mtime_ns
    (standing / "said.log").write_text("what somebody keeps of an earlier build", "utf-8")
    again = _settled(standing)
    assert again.stdout == f"{NOTHING}\n" and again.stderr == ""
    assert (site.stat().st_ino, (site / "index.html").stat().st_mtime_ns) == before


def _new_bundle(project: Path) -> None:
    text = (project / "results/a.json").read_text("utf-8")
    (project / "results/b.json").write_text(text.replace("run-1", "run-2"), "utf-8")


def _gone_bundle(project: Path) -> None:
    (project / "results/a.json").rename(project / "results/gone.txt")


def _new_bytes(project: Path) -> None:
    path = project / "results/a.json"
    state = path.stat()
    path.write_bytes(path.read_bytes().replace(b"1234.5", b"4321.0"))
    os.utime(path, ns=(state.st_atime_ns, state.st_mtime_ns))


def _site_file(project: Path) -> None:
    (project / "build/html/other.html").unlink()


def _generated(project: Path) -> None:
    next((project / "source/guides").rglob("*.rst")).write_text("spoilt", "utf-8")


def _edited(name: str, words: str) -> Callable[[Path], None]:
    def edit(project: Path) -> None:
        with (project / name).open("a", encoding="utf-8") as file:
            file.write(words)

    return edit


@pytest.mark.parametrize(
    "change",
    [
        *(_new_bundle, _gone_bundle, _new_bytes, _site_file, _generated),
        _edited("other.rst", "\nMore\n"),
        _edited("new.rst", ":orphan:\n\nNew\n===\n"),
        _edited("helping.py", "# more\n"),
        _edited("conf.py", "# more\n"),
        _edited("source/benchmarks/stream.rst", "\nMore of it.\n"),
        _edited("source/acknowledged.toml", "# more\n"),
    ],
    ids=lambda change: getattr(change, "__qualname__", ""),
)
def test_whatever_changed_is_built(
    built: Path, kept: Path, tmp_path: Path, change: Callable[[Path], None]
) -> None:
    folder = Path(shutil.copytree(kept, tmp_path / "project", symlinks=True))
    note = json.loads((kept / "build/.html/standing.json").read_bytes())
    read = {
        part: tuple(name.replace(str(built), str(folder)) for name in names)
        for part, names in note["read"].items()
    }
    at = atomic_swap.place(folder / "build/html")
    time.sleep(0.3)
    known = Standing(at, "the same", folder)
    known.note(Told(0, True, Read(**read), ()))
    assert Standing(at, "the same", folder).holds()
    assert not Standing(at, "other", folder).holds()
    change(folder)
    assert not Standing(at, "the same", folder).holds()
    if change is not _site_file:
        known.note(Told(0, True, Read(**read), ()))  # as if it changed while the site was built
        assert not Standing(at, "the same", folder).holds()


def test_other_options_and_other_values_of_the_configuration_are_built(standing: Path) -> None:
    for _ in range(2):
        assert NOTHING not in _settled(standing, "--", "-E").stdout
    _settled(standing)
    assert _settled(standing).stdout == f"{NOTHING}\n"
    assert _settled(standing, "--", "-q").stdout == f"{NOTHING}\n"
    done = run_build(standing, TITLE="Third")
    assert NOTHING not in done.stdout
    assert "Third" in (standing / "build/html/index.html").read_text("utf-8")


def test_a_warning_is_said_in_each_build(standing: Path) -> None:
    (standing / "results/bad.json").write_text("{", "utf-8")
    said = [_settled(standing).stderr for _ in range(3)]
    (standing / "results/bad.json").unlink()
    assert all("bad.json" in each for each in said)


def test_what_is_wrong_with_the_note_leads_to_a_build(standing: Path) -> None:
    (standing / "build/.html/standing.json").write_bytes(b'{"state": 1')
    assert NOTHING not in _settled(standing).stdout
    assert _settled(standing).stdout == f"{NOTHING}\n"
