"""What each folder of the package may load, print and know besides other folders."""

from __future__ import annotations

import ast
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

import perfguide

PACKAGE = Path(perfguide.__file__).parent
SPHINX = {"sphinx", "docutils", "sphinx_tabs", "sphinx_rtd_theme"}


@cache
def modules() -> list[tuple[str, ast.Module]]:
    """Each module's path in the package, and its code."""
    return [
        (path.relative_to(PACKAGE).as_posix(), ast.parse(path.read_text("utf-8")))
        for path in sorted(PACKAGE.rglob("*.py"))
    ]


def loaded(module: ast.Module, relative: bool = False) -> set[str]:
    """The parts of all names that a module imports: of other packages, or ``relative`` ones."""
    out: set[str] = set()
    for node in ast.walk(module):
        if isinstance(node, ast.Import) and not relative:
            out |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and bool(node.level) == relative:
            named = [node.module] if node.module else [alias.name for alias in node.names]
            out |= {part for name in named for part in name.split(".")[: None if relative else 1]}
    return out


def test_nothing_imports_the_package_by_its_name() -> None:
    # The import test reads relative imports alone.
    assert [name for name, code in modules() if "perfguide" in loaded(code)] == []


def test_only_the_sphinx_folder_knows_sphinx() -> None:
    knowing = {name for name, code in modules() if loaded(code) & SPHINX}
    # Published guides are reStructuredText: docutils, without Sphinx, reads them.
    knowing -= {"__init__.py", "importing/rst.py"}
    assert knowing == {n for n in knowing if n.startswith("sphinxext/")}


def test_common_needs_little_besides_the_standard_library() -> None:
    other = {
        name: loaded(code) - sys.stdlib_module_names
        for name, code in modules()
        if name.startswith("common/")
    }
    # Workers on other machines are Dask's, loaded where somebody names a scheduler.
    allowed = {
        "common/parallel.py": {"dask", "distributed"},
        # Reads what packages require as pip does.
        "common/package.py": {"packaging"},
        "common/toml_lists.py": {"msgspec"},
    }
    assert {n: found for n, found in other.items() if found - allowed.get(n, set())} == {}


def test_adapters_know_bundles_and_common_words_and_only_packing_knows_adapters() -> None:
    folders = {path.parent.name for path in PACKAGE.glob("*/__init__.py")}
    for name, code in modules():
        known = loaded(code, relative=True) & folders
        if name.startswith("adapters/"):
            assert known <= {"adapters", "common"}, name
        elif "adapters" in known:
            # The reference is made from the types that describe a format.
            assert name in {"intake/pack_logs.py", "cli/pack.py", "sphinxext/reference.py"}


def test_only_commands_and_the_sphinx_folder_print_or_log() -> None:
    for name, code in modules():
        if not name.startswith(("cli/", "sphinxext/")):
            calls = [node.func for node in ast.walk(code) if isinstance(node, ast.Call)]
            assert not any(isinstance(f, ast.Name) and f.id == "print" for f in calls), name
            assert not loaded(code) & {"logging", "warnings"}, name


@pytest.mark.parametrize("arguments", [None, ["check", "--quiet", "."]])
def test_the_running_command_has_loaded_no_sphinx_and_nothing_that_only_some_need(
    arguments: list[str] | None, tmp_path: Path
) -> None:
    late = sorted({*SPHINX, "matplotlib", "numpy", "pandas", "pyarrow", "scipy"})
    late += [] if arguments else ["tqdm"]
    run = f"perfguide.cli.main({arguments!r})" if arguments else "pass"
    code = f"import sys, perfguide.cli; {run}; print(sorted(set({late!r}) & set(sys.modules)))"
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        env={"PYTHONPATH": str(PACKAGE.parent), "PATH": ""},
        cwd=tmp_path,
    )
    assert done.stdout.splitlines()[-1] == "[]"
