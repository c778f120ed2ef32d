"""Names the files of each picture that this project drew.

A picture is there in several formats, of which each builder takes the one that it can show. Sphinx
finds them by looking through the folder for each picture, so the time for a page of many
pictures grows with their square.
"""

from __future__ import annotations

import os

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.typing import ExtensionMetadata

TYPES = {"svg": "image/svg+xml", "pdf": "application/pdf"}
"""The formats in which pictures are drawn, as builders name them."""

_STEM = "perfguide-stem"
_NONE = "data:,"
"""An address in which Sphinx looks for no file."""


def image(stem: str, alt: str) -> nodes.image:
    """A picture of which each format is a file; ``stem`` is its name below the folder of the
    sources, without the suffix."""
    return nodes.image(uri=_NONE, alt=alt, **{_STEM: stem})


def _name(app: Sphinx, doctree: nodes.document) -> None:
    """Do for our pictures what Sphinx has done for all others."""
    env = app.env
    for node in doctree.findall(nodes.image):
        if _STEM not in node:
            continue
        stem = node[_STEM]
        del node[_STEM]
        names = {kind: f"{stem}.{suffix}" for suffix, kind in TYPES.items()}
        there = {k: n for k, n in names.items() if os.access(env.srcdir / n, os.R_OK)}
        node["uri"], node["candidates"] = f"{stem}.*", there
        for name in there.values():
            env.note_dependency(name)
            env.images.add_file(env.current_document.docname, name)


def setup(app: Sphinx) -> ExtensionMetadata:
    """Name the files after Sphinx has named those of other pictures."""
    app.connect("doctree-read", _name, priority=600)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
