"""Programs in processes of their own, forked where what they import is imported already.

A process that starts from nothing takes longer to import Sphinx, pandas and SciPy than to
build a small site with them.
"""

from __future__ import annotations

import atexit
import functools
import importlib
import json
import os
import runpy
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path

IMPORTED = ("sphinx.cmd.build", "sphinx.search.en", "sphinx_rtd_theme", "sphinx_tabs.tabs")
IMPORTED += ("perfguide.cli", "perfguide.sphinxext.setup")
TOP = Path(__file__).resolve().parents[2]


def run_module(
    name: str,
    *arguments: str | Path,
    environment: Mapping[str, str],
    folder: Path | None = None,
) -> subprocess.CompletedProcess[str]:
    """What ``python -m name arguments`` does and says, in UTF-8, with an environment, in
    a folder (default: this one).

    Not for what an interpreter reads when it starts, as ``PYTHONHASHSEED``, nor for a
    process to be stopped.
    """
    words = [os.fspath(argument) for argument in arguments]
    with tempfile.TemporaryDirectory() as aside:
        said = [f"{aside}/{stream}" for stream in ("out", "err")]
        asked = {"name": name, "words": words, "environment": dict(environment), "said": said}
        server = _server()
        assert server.stdin is not None and server.stdout is not None
        server.stdin.write(json.dumps(asked | {"folder": os.fspath(folder or Path.cwd())}) + "\n")
        server.stdin.flush()
        status = int(server.stdout.readline())
        out, err = (Path(path).read_text("utf-8") for path in said)
    return subprocess.CompletedProcess([name, *words], status, out, err)


@functools.cache
def _server() -> subprocess.Popen[str]:
    """The process that others are forked from; it ends with this one."""
    server = subprocess.Popen(
        [sys.executable, __file__],
        env=os.environ | {"PYTHONPATH": str(TOP / "ext"), "LC_ALL": "C.UTF-8"},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    atexit.register(server.communicate)
    return server


def _serve() -> None:
    """Fork for each line of the input, and tell the exit status of what was forked."""
    from sphinx.application import builtin_extensions

    for module in (*builtin_extensions, *IMPORTED):
        importlib.import_module(module)
    for line in sys.stdin:
        child = os.fork()
        if not child:
            return _be(**json.loads(line))
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        os.write(1, f"{status}\n".encode())
    return None


def _be(
    name: str, words: list[str], environment: dict[str, str], said: list[str], folder: str
) -> None:
    """Become the program."""
    for stream, path in enumerate((os.devnull, *said)):
        opened = os.open(path, os.O_RDWR | os.O_CREAT)
        os.dup2(opened, stream)
        os.close(opened)
    os.environ.clear()
    os.environ.update(environment)
    time.tzset()
    os.chdir(folder)
    sys.path[0], sys.argv[1:] = folder, words
    runpy.run_module(name, run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    _serve()
