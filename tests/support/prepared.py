"""Programs in processes of their own, forked where what they import is imported already.

A process that starts from nothing takes longer to import Sphinx, pandas and SciPy than to
build a small site with them.
"""

from __future__ import annotations

import atexit
import functools
import gc
import importlib
import json
import os
import runpy
import shutil
import subprocess
import sys
import tempfile
import time
import traceback
from collections.abc import Mapping
from pathlib import Path
from types import SimpleNamespace

import jinja2
from jinja2.bccache import Bucket

IMPORTED = ("matplotlib.figure", "matplotlib.backends.backend_svg", "scipy.stats")
IMPORTED += ("sphinx.cmd.build", "sphinx.search.en", "sphinx_rtd_theme", "sphinx_tabs.tabs")
IMPORTED += ("perfguide.cli", "perfguide.sphinxext.setup", "perfguide.charts.draw")
TOP = Path(__file__).resolve().parents[2]

CONF = """
extensions = ["sphinx_rtd_theme", "sphinx_tabs.tabs"]
html_theme = "sphinx_rtd_theme"
"""
INDEX = """
A page
======

.. toctree::
   :hidden:

.. note:: With a list, and a table.

   - *One* ``two`` :ref:`search`

=====  =====
Three  Four
=====  =====

.. code-block:: sh

   true
"""


def run_module(
    name: str,
    *arguments: str | Path,
    environment: Mapping[str, str],
    folder: Path | None = None,
    packages: Path | None = None,
    package: Path | None = None,
) -> subprocess.CompletedProcess[str]:
    """What ``python -m name arguments`` does and says, in UTF-8, with an environment, in
    a folder (default: this one), with other versions of some ``packages`` in a folder of theirs.

    Sphinx, where ``perfguide build`` runs it, is forked as well. With ``package``, a folder that
    holds a copy of the package, the code is that copy's as it is now.

    Not for what an interpreter reads when it starts, as ``PYTHONHASHSEED``, nor for a
    process to be stopped.
    """
    words = [os.fspath(argument) for argument in arguments]
    with tempfile.TemporaryDirectory() as aside:
        said = [f"{aside}/{stream}" for stream in ("out", "err")]
        asked = {"name": name, "words": words, "environment": dict(environment), "said": said}
        asked["package"] = os.fspath(package) if package else ""
        server = _server(packages)
        assert server.stdin is not None and server.stdout is not None
        server.stdin.write(json.dumps(asked | {"folder": os.fspath(folder or Path.cwd())}) + "\n")
        server.stdin.flush()
        status = int(server.stdout.readline())
        out, err = (Path(path).read_text("utf-8") for path in said)
    return subprocess.CompletedProcess([name, *words], status, out, err)


@functools.cache
def _server(packages: Path | None) -> subprocess.Popen[str]:
    """The process that others are forked from; it ends with this one."""
    first = f"{packages}{os.pathsep}" if packages else ""
    server = subprocess.Popen(
        [sys.executable, __file__],
        env=os.environ | {"PYTHONPATH": f"{first}{TOP / 'ext'}", "LC_ALL": "C.UTF-8"},
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
    templates = tempfile.mkdtemp()
    _share_templates(templates)
    _warm()
    gc.freeze()  # or each process would look through all that is imported, and copy its pages
    gc.set_threshold(20_000, 20, 20)  # a small build is over before there is much to free
    for line in sys.stdin:
        child = os.fork()
        if not child:
            return _be(**json.loads(line))
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        os.write(1, f"{status}\n".encode())
    shutil.rmtree(templates)
    return None


class _Compiled(jinja2.FileSystemBytecodeCache):
    """What Jinja compiled, by the text of a template and by the extensions, which may change it."""

    def get_bucket(
        self, environment: jinja2.Environment, name: str, filename: str | None, source: str
    ) -> Bucket:
        """What is known of a template."""
        named = f"{source}\0{sorted(environment.extensions)}"
        return super().get_bucket(environment, name, filename, named)


def _share_templates(folder: str) -> None:
    """Let all processes compile each template once, and again where its text changed: it takes
    a tenth of a small build."""
    made = functools.partialmethod(jinja2.Environment.__init__, bytecode_cache=_Compiled(folder))
    jinja2.Environment.__init__ = made  # type: ignore[method-assign, assignment]


def _warm() -> None:
    """Let Sphinx build a site without this package once, as what docutils, Sphinx and Jinja work
    out at their first use is a tenth of a small build. The package itself begins from nothing."""
    from sphinx.cmd.build import main

    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "conf.py").write_text(CONF, "utf-8")
        Path(folder, "index.rst").write_text(INDEX, "utf-8")
        if status := main(["-Q", "-d", f"{folder}/doctrees", folder, f"{folder}/html"]):
            sys.exit(status)


def _run(name: str) -> None:
    """Run a module to the end of this process. Python would take all that is imported apart,
    which takes as long as a small site."""
    status = 1
    try:
        runpy.run_module(name, run_name="__main__", alter_sys=True)
        status = 0
    except SystemExit as done:
        if isinstance(done.code, str):
            print(done.code, file=sys.stderr)
        status = done.code if isinstance(done.code, int) else int(done.code is not None)
    except BaseException:
        traceback.print_exc()
    finally:
        atexit._run_exitfuncs()
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status)


class _Forked:
    """Stands for ``subprocess.Popen`` where that would run a module of Python from nothing."""

    def __init__(self, command: list[str], env: dict[str, str], **_given: object) -> None:
        self.pid = os.fork()
        if not self.pid:
            os.environ.update(env)
            sys.argv[1:] = command[3:]
            _run(command[2])

    def __enter__(self) -> _Forked:
        return self

    def __exit__(self, *_raised: object) -> None:
        """Nothing is left to do: who runs a program waits for it."""

    def wait(self, _timeout: float | None = None) -> int:
        """The exit status, when it has ended."""
        return os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])


def _take(package: str) -> None:
    """Forget this package's modules, and find them in another folder from now on."""
    for name in [n for n in sys.modules if n.partition(".")[0] == "perfguide"]:
        del sys.modules[name]
    sys.path[:] = [package, *(path for path in sys.path if path != str(TOP / "ext"))]
    importlib.invalidate_caches()


def _be(
    name: str,
    words: list[str],
    environment: dict[str, str],
    said: list[str],
    folder: str,
    package: str,
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
    if package:
        _take(package)
    if name == "perfguide":
        importlib.import_module("perfguide.cli.build").subprocess = SimpleNamespace(
            Popen=_Forked, TimeoutExpired=subprocess.TimeoutExpired
        )
    _run(name)


if __name__ == "__main__":
    _serve()
