"""What other libraries call private is touched in one module alone."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import perfguide

PACKAGE = Path(perfguide.__file__).parent
INTERNALS = PACKAGE / "sphinxext" / "internals.py"
DOCUMENTED = {"_replace", "_exit"}
"""Names of the standard library that are public, whatever they begin with."""
ALLOWED = {
    # A member of an archive is checked where the standard library handles each kind of them.
    ("bundles/containers.py", "super()._proc_member"),
}


def foreign(code: str) -> Iterator[str]:
    """The private names of other objects that a module touches, as attributes, by
    ``getattr`` and its like, by ``vars``, or by an import from another package."""
    for node in ast.walk(ast.parse(code)):
        match node:
            case ast.Attribute(value=ast.Name(id="self" | "cls")):
                continue
            case ast.Attribute(attr=name):
                pass
            case ast.Call(func=ast.Name(id=function), args=[_, ast.Constant(value=str(name)), *_]):
                if not function.endswith("attr"):
                    continue
            case ast.Subscript(
                value=ast.Call(func=ast.Name(id="vars")), slice=ast.Constant(value=str(name))
            ):
                pass
            case ast.ImportFrom(level=0, module=str(name)):
                name = next((part for part in name.split(".") if part.startswith("_")), "")
            case _:
                continue
        if name.startswith("_") and not name.startswith("__") and name not in DOCUMENTED:
            yield ast.unparse(node)


@pytest.mark.parametrize(
    "code",
    [
        "app._warncount",
        "env.index._mapping.clear()",
        "getattr(app, '_warncount')",
        "setattr(app, '_warncount', 0)",
        "vars(app)['_warncount']",
        "from sphinx.util._files import DownloadFiles",
    ],
)
def test_a_private_name_is_seen(code: str) -> None:
    assert len(list(foreign(code))) == 1


def test_own_names_and_those_of_python_are_nobody_elses() -> None:
    code = (
        "self._app\ncls._a\ntype(x).__name__\nvars(env)['perfguide']\nfrom ._a import b\nos._exit"
    )
    assert list(foreign(code)) == []


def test_private_names_of_others_are_touched_in_one_module_alone() -> None:
    touched = {
        (path.relative_to(PACKAGE).as_posix(), name)
        for path in PACKAGE.rglob("*.py")
        if path != INTERNALS
        for name in foreign(path.read_text("utf-8"))
    }
    assert touched == ALLOWED
    assert list(foreign(INTERNALS.read_text("utf-8")))
