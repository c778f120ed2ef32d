"""A folder of the package imports from those below it in ``FOLDERS``, never from one above."""

import ast
from pathlib import Path

import pytest

import perfguide

PACKAGE = Path(perfguide.__file__).parent
FOLDERS = (
    *("sphinxext", "cli", "pages", "export", "compare", "health", "charts", "tables", "figures"),
    *("importing", "catalog", "intake", "bundles", "adapters", "publishing", "bundle", "common"),
)


@pytest.mark.parametrize("folder", FOLDERS)
def test_a_folder_imports_only_from_those_below_it(folder: str) -> None:
    above = set(FOLDERS[: FOLDERS.index(folder)])
    for path in [*(PACKAGE / folder).rglob("*.py"), *PACKAGE.glob(f"{folder}.py")]:
        depth = len(path.relative_to(PACKAGE).parts)
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.ImportFrom) and node.level == depth:
                names = [node.module or alias.name for alias in node.names]
                assert not {name.partition(".")[0] for name in names} & above, path


def test_the_list_of_folders_is_whole() -> None:
    assert {path.parent.name for path in PACKAGE.glob("*/__init__.py")} == {*FOLDERS} - {"bundle"}
