"""What a package for others holds: the code with its files, and nothing else."""

from __future__ import annotations

import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest
from conftest import TOP

PACKAGE = {
    path.relative_to(TOP / "ext").as_posix()
    for path in (TOP / "ext/perfguide").rglob("*")
    if path.is_file() and "__pycache__" not in path.parts
}
DESCRIPTIONS = {path.name for path in (TOP / "source/benchmarks").iterdir()}


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder with an sdist and the wheel that is made of it."""
    target = tmp_path_factory.mktemp("dist")
    command = [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(target), str(TOP)]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stdout + run.stderr
    return target


def test_the_sdist_has_what_a_wheel_is_made_of_and_no_stray_file(built: Path) -> None:
    (path,) = built.glob("*.tar.gz")
    with tarfile.open(path) as sdist:
        names = {name.partition("/")[2] for name in sdist.getnames()}
    # The last two are the builder's own.
    top = {"README.md", "CHANGELOG.md", "SECURITY.md", "LICENSE", "pyproject.toml"}
    top |= {"PKG-INFO", ".gitignore"}
    package = {f"ext/{name}" for name in PACKAGE}
    assert names == top | package | {f"source/benchmarks/{name}" for name in DESCRIPTIONS}


def test_the_wheel_has_the_package_its_files_and_the_descriptions(built: Path) -> None:
    (path,) = built.glob("*.whl")
    with zipfile.ZipFile(path) as wheel:
        names = set(wheel.namelist())
        (metadata,) = [name for name in names if name.endswith(".dist-info/METADATA")]
        described = wheel.read(metadata).decode("utf-8")
    inside = {name for name in names if name.startswith("perfguide/")}
    assert inside == PACKAGE | {f"perfguide/catalog/built_in/{name}" for name in DESCRIPTIONS}
    info = metadata.rpartition("/")[0]
    own = {f"{info}/{name}" for name in ("METADATA", "WHEEL", "RECORD", "entry_points.txt")}
    assert names - inside == own | {f"{info}/licenses/LICENSE"}
    # Each kind of file that is no module is among them.
    for name in ("py.typed", "pages/templates/guide.rst.jinja", "sphinxext/theme/theme.toml"):
        assert f"perfguide/{name}" in inside
    assert "perfguide/sphinxext/static/perfguide.css" in inside
    assert "perfguide/catalog/built_in/openssl.toml" in inside
    assert (
        "Author: The perfguide authors" in described and "Classifier: Typing :: Typed" in described
    )
