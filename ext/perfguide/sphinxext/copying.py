"""Copies only files that are not beside the pages already: those for download, and pictures.

Sphinx reads each file and its copy to compare them, in every build; a large archive has
tens of thousands.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable, Set
from pathlib import Path
from typing import Any

from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.util.typing import ExtensionMetadata

from ..publishing.memo import Memo

_HELD = "perfguide_downloads"
"""Where the files are kept that are not to be seen now: first the few, then all."""
_SAME = "perfguide_same"
"""Where the names are kept of what has the same bytes as when it was copied."""


def digests(env: BuildEnvironment, memo: Memo) -> dict[str, str]:
    """The SHA-256 of each file for download and of each picture, by the name that its copy has.
    A picture's has no folder."""
    found = {}
    for held in (env.dlfiles, env.images):
        for source, (_, name) in held.items():
            with contextlib.suppress(OSError):  # who copies it says so
                found[str(name)] = memo.digest(f"{env.srcdir}/{source}")
    return found


def spare(app: Sphinx, same: Set[str]) -> None:
    """Leave alone what has the same bytes as when it was copied: of the files of these names
    those that are still there."""
    whole, top = app.env.dlfiles, Path(app.outdir, "_downloads")
    folders = _names(top)
    there = same & {f"{folder}/{name}" for folder in folders for name in _names(top / folder)}
    rest = type(whole)()
    for source, held in whole.items():
        if str(held[1]) not in there:
            dict.__setitem__(rest, source, held)
    vars(app)[_HELD] = rest
    vars(app)[_SAME] = same


def _names(folder: Path) -> set[str]:
    """What is in a folder; nothing where there is none."""
    try:
        return set(os.listdir(folder))  # noqa: PTH208 - many files, and Path is slow
    except (FileNotFoundError, NotADirectoryError):
        return set()


def _begin(app: Sphinx, _builder: object) -> None:
    if _HELD in vars(app):
        rest = vars(app)[_HELD]
        vars(app)[_HELD], app.env.dlfiles = app.env.dlfiles, rest


def _end(app: Sphinx) -> Iterable[tuple[str, dict[str, Any], str]]:
    if _HELD in vars(app):
        app.env.dlfiles = vars(app).pop(_HELD)
    images, top = app.builder.images, Path(app.outdir, app.builder.imagedir)
    if same := vars(app).pop(_SAME, None):
        there = same & _names(top)
        app.builder.images = {path: name for path, name in images.items() if name not in there}
    return ()


def setup(app: Sphinx) -> ExtensionMetadata:
    """Let Sphinx see no other files while it copies."""
    app.connect("write-started", _begin)
    app.connect("html-collect-pages", _end)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
