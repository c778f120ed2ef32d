"""Pages whose commands and files a test follows as a reader would."""

from __future__ import annotations

import functools
import os
import re
import shutil
import tempfile
import textwrap
from dataclasses import dataclass
from pathlib import Path

from prepared import put_command

TOP = Path(__file__).resolve().parents[2]
_BLOCK = re.compile(
    r"\.\. code-block:: (?P<kind>\w+)\n(?:   :caption: (?P<caption>.*)\n)?\n(?P<text>(?:   .*\n|\n)+)"
)


@dataclass(frozen=True)
class Code:
    """A block of code on a page; the caption names the file, or the command's exit status."""

    kind: str
    caption: str
    text: str


def codes(page: str) -> list[Code]:
    """Return all blocks of code in the source of a page, in order."""
    return [
        Code(each["kind"], each["caption"] or "", textwrap.dedent(each["text"]).strip() + "\n")
        for each in _BLOCK.finditer(page)
    ]


@functools.cache
def search_path() -> str:
    """Return a search path on which ``perfguide`` is the package under test, with the benchmark
    descriptions where a wheel has them."""
    folder = Path(tempfile.mkdtemp())
    package = folder / "lib/perfguide"
    shutil.copytree(TOP / "ext/perfguide", package)
    (package / "catalog/built_in").symlink_to(TOP / "source/benchmarks")
    put_command(folder, package.parent)
    return f"{folder}:{os.environ['PATH']}"
