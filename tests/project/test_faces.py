"""What others may build upon says so: its module lists it, and ARCHITECTURE names it."""

from __future__ import annotations

import importlib
import inspect

import pytest
from conftest import TOP

import perfguide

FACES = {
    "perfguide": {"setup"},
    "perfguide.bundle": {"Bundle", "Result", "decode", "encode", "schema"},
    "perfguide.adapters": {"Context", "Format", "Reading"},
    "perfguide.figures.dataset": {"Holdings", "Settings", "read"},
    "perfguide.compare.comparison": {"Comparison", "compare"},
    "perfguide.pages.build": {"generate"},
    "perfguide.publishing.atomic_swap": {"build"},
}


@pytest.mark.parametrize("face", FACES)
def test_a_face_lists_what_it_offers(face: str) -> None:
    module = importlib.import_module(face)
    assert FACES[face] <= set(module.__all__)
    for name in module.__all__:
        offered = getattr(module, name)
        explained = inspect.isclass(offered) or inspect.isfunction(offered)
        assert offered.__doc__ if explained else offered, name
    assert f"`{face}`" in (TOP / "ARCHITECTURE.md").read_text("utf-8")


def test_type_checkers_of_other_projects_read_the_types() -> None:
    (package,) = perfguide.__path__
    assert (TOP / "ext/perfguide/py.typed").is_file() and package == str(TOP / "ext/perfguide")
