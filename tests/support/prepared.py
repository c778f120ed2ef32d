"""Run programs in forked processes in which all modules are already imported.

A new process takes longer to import Sphinx, pandas and SciPy than to build a small site.
"""

from __future__ import annotations

import atexit
import contextlib
import copy
import functools
import gc
import hashlib
import importlib
import json
import logging
import marshal
import os
import re
import runpy
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import traceback
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import jinja2
from jinja2.bccache import Bucket

from perfguide.common import orphans

IMPORTED = ("pandas", "matplotlib.figure", "matplotlib.backends.backend_svg", "scipy.stats")
IMPORTED += ("sphinx.cmd.build", "sphinx.search.en", "sphinx_rtd_theme", "sphinx_tabs.tabs")
IMPORTED += ("pyarrow.pandas_compat", "docutils.parsers.rst.directives.parts", "xml.dom.minidom")
IMPORTED += ("pyarrow.parquet", "tqdm", "rich.table", "multiprocessing.popen_fork")
IMPORTED += ("perfguide.cli.build", "perfguide.sphinxext.setup", "perfguide.charts.draw")
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

"""
LANGUAGES = ("sh", "json", "toml", "python", "rst", "text", "yaml", "ini", "csv")
"""Languages of code on pages: preparing a highlighter takes half as long as reading a page."""

BUNDLE = """
{"format": "perfguide-bundle", "version": 1, "id": "NUMBER", "created": "2024-04-02T09:30:00Z",
 "sdk": {"version": "0.NUMBER", "os": "linux"}, "board": {"name": "b", "soc": "S"},
 "results": [{"benchmark": "stream", "metric": "copy", "unit": "MB/s", "samples": [NUMBER, 2, 3]}]}
"""


def run_module(
    name: str,
    *arguments: str | Path,
    environment: Mapping[str, str],
    folder: Path | None = None,
    packages: Path | None = None,
    package: Path | None = None,
    start: Mapping[str, str] | None = None,
) -> subprocess.CompletedProcess[str]:
    """Return the output and exit status of ``python -m name arguments``, in UTF-8, with the given
    environment and folder (default: this one). ``packages`` get other versions, in a folder of
    their own.

    Sphinx is also forked if ``perfguide build`` runs it. ``package`` is a folder with a copy of the
    package, whose current code is run. With ``start``, the process is forked from an interpreter
    that was started with these variables, such as ``PYTHONHASHSEED``.

    Not suitable for a process that has to be stopped.
    """
    words = [os.fspath(argument) for argument in arguments]
    with tempfile.TemporaryDirectory() as aside:
        said = [f"{aside}/{stream}" for stream in ("out", "err")]
        asked = (name, words, dict(environment), os.fspath(folder or Path.cwd()))
        if package or (SHARED in os.environ and not packages and not start):
            status = _connect(_address(package), asked, [os.devnull, *said])
        else:
            variables = tuple(sorted((start or {}).items()))
            status = _ask(packages, {"asked": asked, "said": said}, variables)
        out, err = (Path(path).read_text("utf-8") for path in said)
    return subprocess.CompletedProcess([name, *words], status, out, err)


def put_command(folder: Path, package: Path | None = None) -> None:
    """Put a command ``perfguide`` into a folder for a search path, for shells and their children.
    Each process is forked from one that has its imports loaded; the code is the current one of
    ``package``, a folder with a copy of the package.

    It gets its caller's arguments, environment, folder and three streams. Signals to the command
    cannot stop it.
    """
    command = folder / "perfguide"
    # Without site-packages, a client starts in a fraction of the time.
    run = f'exec "{sys.executable}" -I -S -c \'{_CLIENT}\' {_address(package)} "$@"'
    command.write_text(f"#!/bin/sh\n{run}\n", "utf-8")
    command.chmod(0o755)


_CLIENT = """
import marshal, os, socket, sys
with socket.socket(socket.AF_UNIX) as server:
    server.connect(sys.argv[1])
    socket.send_fds(server, [b"."], [0, 1, 2])
    with server.makefile("rwb") as file:
        marshal.dump(("perfguide", sys.argv[2:], dict(os.environ), os.getcwd()), file)
        file.flush()
        sys.exit(marshal.load(file))
"""
"""A client that passes its arguments to the forking process, and exits with the status of the forked
one."""


SHARED = "PERFGUIDE_TESTS_FORK_AT"
"""The variable with the address of the process from which all processes of a run are forked."""
READY_TIMEOUT_S = 120


def share() -> None:
    """Begin to start the process from which the processes of a run fork, until this one ends."""
    os.environ[SHARED] = address = f"{tempfile.mkdtemp()}/s"
    server = _server(None, ())
    assert server.stdin is not None
    server.stdin.write(json.dumps({"address": address, "package": ""}) + "\n")
    server.stdin.flush()


@functools.cache
def _address(package: Path | None) -> str:
    """Return the address of a process that forks others with the code of ``package``."""
    shared = os.environ.get(SHARED)
    if shared:
        end = time.monotonic() + READY_TIMEOUT_S
        while not Path(shared).exists() and time.monotonic() < end:
            time.sleep(0.05)
        if not package:
            return shared
    address = f"{tempfile.mkdtemp()}/s"  # a socket's path has to be short
    if shared:
        _connect(shared, (LISTEN, [address, os.fspath(package)], {}, ""), [os.devnull] * 3)
    else:
        _ask(None, {"address": address, "package": os.fspath(package) if package else ""})
    return address


LISTEN = "listen"
"""The word that takes the place of a module's name in a request to listen at an address."""


def _connect(address: str, asked: tuple[object, ...], names: list[str]) -> int:
    """Have that process fork with three files as streams; return the exit status."""
    streams = [os.open(name, os.O_RDWR | os.O_CREAT) for name in names]
    with socket.socket(socket.AF_UNIX) as server:
        server.connect(address)
        socket.send_fds(server, [b"."], streams)
        # The other process has its own copies.
        for stream in streams:
            os.close(stream)
        with server.makefile("rwb") as file:
            marshal.dump(asked, file)
            file.flush()
            return int(marshal.load(file))


def _ask(
    packages: Path | None, asked: Mapping[str, object], start: tuple[tuple[str, str], ...] = ()
) -> int:
    """Have the server fork; return the exit status."""
    server = _server(packages, start)
    assert server.stdin is not None and server.stdout is not None
    server.stdin.write(json.dumps(asked) + "\n")
    server.stdin.flush()
    return int(server.stdout.readline())


@functools.cache
def _server(packages: Path | None, start: tuple[tuple[str, str], ...]) -> subprocess.Popen[str]:
    """Return the process from which others are forked; it ends with this one."""
    first = f"{packages}{os.pathsep}" if packages else ""
    server = subprocess.Popen(
        [sys.executable, __file__],
        env=os.environ | {"PYTHONPATH": f"{first}{TOP / 'ext'}", "LC_ALL": "C.UTF-8"} | dict(start),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    # It ends when its input does.
    atexit.register(server.communicate)
    return server


def _serve() -> None:
    """Fork for each line of input, and return the exit status of the forked process."""
    from sphinx.application import builtin_extensions

    for module in (*builtin_extensions, *IMPORTED):
        with contextlib.suppress(ModuleNotFoundError):  # a package that a test has blocked
            importlib.import_module(module)
    templates = tempfile.mkdtemp()
    _share_templates(templates)
    _share_stems()
    _warm()
    _share_settings()
    _share_transitions()
    _share_files()
    _learn_versions()
    _generate()
    _share_pictures(templates)
    logging.disable(logging.DEBUG)  # Sphinx makes a record of each message, shown or not
    importlib.import_module("perfguide.common.package").fingerprint()  # its code stays as it is
    gc.freeze()  # else each process would traverse all imports, and copy their pages
    gc.set_threshold(20_000, 20, 20)  # a small build ends before much can be freed
    for line in sys.stdin:
        given = json.loads(line)
        if "address" in given:
            _listen(**given)
            continue
        child = os.fork()
        if not child:
            names = (os.devnull, *given["said"])
            streams = [os.open(name, os.O_RDWR | os.O_CREAT) for name in names]
            return _be(streams, *given["asked"])
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        os.write(1, f"{status}\n".encode())
    shutil.rmtree(templates, ignore_errors=True)  # the folder above it may be gone
    return None


def _listen(address: str, package: str) -> None:
    """Fork a process that forks another for each connection to an address, until this one ends."""
    server = os.getpid()
    with _bound(address) as listener:
        if os.fork():
            os.write(1, b"0\n")
            return
        orphans.end_with(server)
        _accept(listener, package)


def _bound(address: str) -> socket.socket:
    """Return a socket that listens at an address, which is a file only from then on."""
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(f"{address}.new")
    listener.listen()
    Path(f"{address}.new").rename(address)
    return listener


def _accept(listener: socket.socket, package: str) -> None:
    """Fork a process that forks another for each connection."""
    with listener:
        own = os.getpid()
        signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # the kernel reaps ended processes
        taken = _state(package)
        if package:
            _take(package)
            gc.freeze()
        while True:
            connection, _ = listener.accept()
            if taken != (now := _state(package)):  # the package was edited
                _take(package)
                taken = now
            # A separate process per connection waits for its program, so several can run at once.
            if not os.fork():
                break
            connection.close()
    # While the signal is ignored, waitpid() gets no status.
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    _attend(connection, own)


def _attend(connection: socket.socket, server: int) -> None:
    """Fork the program that a connection requests, and send back its exit status."""
    _, streams, _, _ = socket.recv_fds(connection, 1, 3)
    with connection, connection.makefile("rwb") as file:
        asked = marshal.load(file)
        if asked[0] == LISTEN:
            address, package = asked[1]
            for stream in streams:
                os.close(stream)
            orphans.end_with(server)
            listener = _bound(address)
            marshal.dump(0, file)
            file.close()
            connection.close()
            _accept(listener, package)
        child = os.fork()
        if not child:
            connection.close()
            _be(streams, *asked)
        for stream in streams:
            os.close(stream)
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        # Report a signal as shells do: 128 plus its number.
        marshal.dump(status if status >= 0 else 128 - status, file)
    os._exit(0)


def _learn_versions() -> None:
    """Read the installed versions of libraries, which otherwise takes a tenth of a small build."""
    importlib.import_module("perfguide.common.package").libraries()


class _Compiled(jinja2.FileSystemBytecodeCache):
    """Jinja's compiled templates, by their text and by the extensions, which may change it."""

    def get_bucket(
        self, environment: jinja2.Environment, name: str, filename: str | None, source: str
    ) -> Bucket:
        """Return the compiled form of a template."""
        named = f"{source}\0{sorted(environment.extensions)}"
        return super().get_bucket(environment, name, filename, named)


def _share_templates(folder: str) -> None:
    """Share compiled templates among all processes, compiling them again only if their text
    changes. This takes a tenth of a small build."""
    shared_init = functools.partialmethod(
        jinja2.Environment.__init__, bytecode_cache=_Compiled(folder)
    )
    jinja2.Environment.__init__ = shared_init  # type: ignore[method-assign, assignment]
    # Jinja keeps no templates without a name, such as the style sheets of themes.
    compile_any, compiled = jinja2.Environment.compile, {}

    def compile_once(self: jinja2.Environment, source: Any, *named: Any, **given: Any) -> Any:
        if named or given or not isinstance(source, str):
            return compile_any(self, source, *named, **given)
        key = (source, type(self), *sorted(self.extensions))
        if key not in compiled:
            compiled[key] = compile_any(self, source)
        return compiled[key]

    jinja2.Environment.compile = compile_once  # type: ignore[method-assign, assignment]


def _share_settings() -> None:
    """Put the settings of docutils together once per process, and not again for each page, which
    takes a fifteenth of a small build. Called after the last site of this process."""
    from sphinx.util import docutils

    # Sphinx 8 does not have this function.
    get_settings, kept = getattr(docutils, "_get_settings", None), {}

    def get_once(*components: Any, defaults: dict[str, Any], **given: Any) -> Any:
        types = tuple(part if isinstance(part, type) else type(part) for part in components)
        key = (types, *((name, id(value)) for name, value in defaults.items()))
        if key not in kept:
            # The values stay, and so do their ids.
            kept[key] = get_settings(*components, defaults=defaults, **given), defaults
        return copy.copy(kept[key][0])

    if get_settings:
        docutils._get_settings = get_once


def _share_transitions() -> None:
    """Look up what each kind of docutils' states matches once per process: a small site has
    thousands of states."""
    from docutils.statemachine import State

    make_any, kept = State.make_transitions, {}

    def make_once(self: Any, listed: Any) -> tuple[list[str], dict[str, Any]]:
        key = type(self), tuple(listed)
        if key not in kept:
            names, transitions = make_any(self, listed)
            kept[key] = names, [(name, what, to) for name, (what, _, to) in transitions.items()]
        names, looked_up = kept[key]
        return [*names], {name: (what, getattr(self, name), to) for name, what, to in looked_up}

    State.make_transitions = make_once


def _share_files() -> None:
    """Look for docutils' style sheets once per process, and read descriptions of benchmarks before
    it forks. With what states match, that takes a fifteenth of a small build."""
    from docutils import utils

    from perfguide.catalog import benchmarks

    # The lowest docutils does not have this function.
    find_any = getattr(utils, "find_file_in_dirs", None)
    if find_any:
        find_once = functools.cache(lambda path, folders, _current: find_any(path, folders))
        utils.find_file_in_dirs = lambda path, folders: find_once(path, (*folders,), Path.cwd())
    read_any, read = benchmarks._read, {}

    def read_once(path: Path) -> Any:
        try:
            text = path.read_bytes()
        except OSError:
            return read_any(path)
        if text not in read:
            read[text] = read_any(path)
        return read[text]

    benchmarks._read = read_once
    for path in (TOP / "source/benchmarks").glob("*.toml"):
        read_once(path)


def _share_stems() -> None:
    """Stem each English word once per process, and those of generated pages before it forks. This
    takes a tenth of a small build."""
    from sphinx.search.en import SearchEnglish

    stem = functools.cache(SearchEnglish({}).stem)
    SearchEnglish.stem = lambda _language, word: stem(word)  # type: ignore[method-assign]
    templates = (TOP / "ext/perfguide/pages/templates").glob("*.jinja")
    for path in (*templates, *(TOP / "source").glob("*.rst")):
        for word in re.findall(r"\w+", path.read_text("utf-8")):
            stem(word)


def _warm() -> None:
    """Build a site without this package once, since filling the caches of docutils, Sphinx and
    Jinja on first use takes a tenth of a small build. The package itself is loaded afterwards."""
    from sphinx.cmd.build import main

    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "conf.py").write_text(CONF, "utf-8")
        codes = (f"\n.. code-block:: {name}\n\n   x\n" for name in LANGUAGES)
        Path(folder, "index.rst").write_text(INDEX + "".join(codes), "utf-8")
        if status := main(["-Q", "-d", f"{folder}/doctrees", folder, f"{folder}/html"]):
            sys.exit(status)


def _generate() -> None:
    """Write the pages and the chart of two small bundles once, which fills the caches of pandas,
    matplotlib, msgspec and Jinja. That takes a tenth of a small build."""
    from perfguide.common import parallel
    from perfguide.figures.dataset import Settings
    from perfguide.pages import build

    with tempfile.TemporaryDirectory() as folder:
        results, output = Path(folder, "results"), Path(folder, "output")
        results.mkdir()
        for number in (1, 2):
            (results / f"{number}.json").write_text(BUNDLE.replace("NUMBER", f"{number}"), "utf-8")
        settings = Settings((results,), (TOP / "source/benchmarks",), output)
        build.generate(settings, run=parallel.here)


def _share_pictures(folder: str) -> None:
    """Draw each picture once for all processes that are forked from this one: most sites of tests
    show the same few, which take a sixth of a small build. A copy of the package draws its own."""
    from perfguide.charts import draw

    draw_any = draw.draw

    def draw_once(view: Any, form: str = "svg") -> bytes:
        path = Path(folder, hashlib.sha256(repr((view, form)).encode()).hexdigest())
        if not path.exists():
            aside = path.with_suffix(f".{os.getpid()}")
            aside.write_bytes(draw_any(view, form))
            aside.rename(path)
        return path.read_bytes()

    draw.draw = draw_once


def _run(name: str) -> None:
    """Run a module to the end of this process, without Python's cleanup of all imports, which takes
    as long as a small site."""
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
        # os._exit() would run none of these.
        atexit._run_exitfuncs()
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status)


class _Forked:
    """Replaces ``subprocess.Popen`` where it would run a Python module in a new process."""

    def __init__(self, command: list[str], env: dict[str, str], **_given: object) -> None:
        self._status: int | None = None
        self.pid = os.fork()
        if not self.pid:
            os.environ.update(env)
            # After the interpreter, “-m” and the name of the module.
            sys.argv[1:] = command[3:]
            _run(command[2])

    def __enter__(self) -> _Forked:
        return self

    def __exit__(self, *_raised: object) -> None:
        self.wait()

    def kill(self) -> None:
        """End the process, if it has not ended."""
        if self._status is None:
            os.kill(self.pid, signal.SIGKILL)

    def wait(self, _timeout: float | None = None) -> int:
        """Return the exit status after the process has ended."""
        if self._status is None:
            self._status = os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])
        return self._status


def _state(package: str) -> set[tuple[str, int, int, int]]:
    """Return values that change whenever a file in a folder does."""
    states = set()
    for folder, _, names in os.walk(package) if package else ():
        # Imports write .pyc files; these are not edits.
        for path in (f"{folder}/{name}" for name in names if not name.endswith(".pyc")):
            of = Path(path).stat()
            states.add((path, of.st_ino, of.st_size, of.st_mtime_ns))
    return states


def _take(package: str) -> None:
    """Forget this package's modules, and import them from another folder."""
    for name in [n for n in sys.modules if n.partition(".")[0] == "perfguide"]:
        del sys.modules[name]
    # The modules under test must not come from this checkout.
    others = [path for path in sys.path[1:] if path not in (str(TOP / "ext"), package)]
    sys.path[1:] = [package, *others]
    importlib.invalidate_caches()
    for module in IMPORTED:
        importlib.import_module(module)
    _learn_versions()


class _NoProcesses:
    """Replaces the processes that make pages: the pieces are done here, one after the other."""

    def run(self, work: Callable[[Any], Any], pieces: Iterable[Any]) -> Iterator[Any]:
        """Do the pieces of work."""
        return map(work, pieces)

    def end(self) -> None:
        """End nothing."""


def start_no_processes() -> Any:
    """Make pages in this process from now on; return the class of the runner with others. These cost
    a small archive half of its time, and the tests run side by side already."""
    parallel = importlib.import_module("perfguide.common.parallel")
    cores, parallel._Cores = parallel._Cores, _NoProcesses
    return cores


def _be(
    streams: list[int], name: str, words: list[str], environment: dict[str, str], folder: str
) -> None:
    """Become the program."""
    for stream, opened in enumerate(streams):
        os.dup2(opened, stream)
        os.close(opened)
    os.environ.clear()
    os.environ.update(environment)
    # The environment may name another time zone.
    time.tzset()
    os.chdir(folder)
    if "-j2" not in words:
        os.cpu_count = lambda: 1
        start_no_processes()
    # As python -m sets them.
    sys.path[0], sys.argv[1:] = folder, words
    if name == "perfguide":
        importlib.import_module("perfguide.cli.build").subprocess = SimpleNamespace(
            Popen=_Forked, TimeoutExpired=subprocess.TimeoutExpired
        )
    _run(name)


if __name__ == "__main__":
    _serve()
