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
import traceback
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

IMPORTED = ("sphinx.cmd.build", "sphinx.search.en", "sphinx_rtd_theme", "sphinx_tabs.tabs")
IMPORTED += ("perfguide.cli", "perfguide.extension")
TOP = Path(__file__).resolve().parent.parent


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
    subprocess.Popen = _Forking  # type: ignore[misc]
    sys.path[0], sys.argv[1:] = folder, words
    runpy.run_module(name, run_name="__main__", alter_sys=True)


class _Forking(subprocess.Popen):  # type: ignore[type-arg]
    """A process as the program asks for it; one that is to run a module with its interpreter
    does so without starting that anew."""

    def __init__(self, args: Any, pass_fds: tuple[int, ...] = (), **more: Any) -> None:
        if not more and args[:2] == [sys.executable, "-m"]:
            more["preexec_fn"] = functools.partial(_go_on, args[2], args[3:], pass_fds)
        super().__init__(args, pass_fds=pass_fds, **more)


def _go_on(name: str, words: list[str], kept: Iterable[int]) -> None:
    """Run a module to its end instead of another program."""
    start = 3
    for end in (*sorted(kept), os.sysconf("SC_OPEN_MAX")):
        os.closerange(start, end)
        start = end + 1
    status: Any = 0
    try:
        sys.argv[1:] = words
        runpy.run_module(name, run_name="__main__", alter_sys=True)
    except SystemExit as ended:
        status = ended.code
    except BaseException:
        traceback.print_exc()
        status = 1
    atexit._run_exitfuncs()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(status or 0)


if __name__ == "__main__":
    _serve()
