"""Reading documents one at a time, each in a process with limits.

No markup parser is safe against text crafted to exhaust it. Each document is therefore read in a
forked process with limits on CPU time and memory, which cannot open files or connections (it may
have no more file descriptors) or write any. Files that a table refers to are read by the parent,
through the opener. If the process dies, only its document is affected, and earlier tables are kept
if the process could still send them.
"""

from __future__ import annotations

import gc
import multiprocessing
import resource
import signal
from collections.abc import Callable
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import msgspec

from ..common.diagnostics import Diagnostic
from . import html, markdown, rst
from .limits import Limits
from .model import Opener, Reading, limit_hint

READERS: dict[str, Callable[[str, str, Opener, Reading], None]] = {
    ".rst": rst.read,
    ".rst.inc": rst.read,
    ".md": markdown.read,
    ".html": html.read,
    ".htm": html.read,
}
_ENCODING_BYTES = 64 * 1024**2
"""Memory for sending the tables after reading has used up the limit."""
_ANSWER_BYTES = 128 * 1024**2


def ending(file: str) -> str:
    """Return the file suffix that has a reader, or an empty string."""
    name = file.lower()
    return next((suffix for suffix in READERS if name.endswith(suffix)), "")


class _OutOfTime(BaseException):
    """The CPU time for a document is used up. Not an ``Exception``, so that no parser catches
    it."""


def read(file: str, data: bytes, opener: Opener, limits: Limits) -> Reading:
    """Read a document in a separate process."""
    if len(data) > limits.document:
        return refused(file, limits, "document", f"has {len(data):,} bytes, over {{}}")
    # Modules imported here are shared with all forked processes, which cannot open files.
    rst.prepare()
    fork = multiprocessing.get_context("fork")
    ours, theirs = fork.Pipe()
    process = fork.Process(target=_child, args=(file, data, limits, theirs))
    process.start()
    # If our own end stayed open, reading would not fail when the child exits.
    theirs.close()
    try:
        return _answer(ours, file, opener, limits, process)
    finally:
        ours.close()
        if process.is_alive():
            process.kill()
        process.join()


def _answer(pipe: Connection, file: str, opener: Opener, limits: Limits, process: Any) -> Reading:
    """Send the child the files that it requests, until it returns its reading."""
    try:
        while True:
            message = pipe.recv_bytes(_ANSWER_BYTES)
            if message[:1] == b"?":
                data = opener(message[1:].decode("utf-8", "replace"))
                pipe.send_bytes(b"" if data is None else b"=" + data)
            else:
                return msgspec.msgpack.decode(message, type=Reading)
    except (EOFError, OSError):
        process.join()
    if process.exitcode in (-signal.SIGKILL, -signal.SIGXCPU):
        return refused(file, limits, "seconds", "reading it takes more than {} s")
    return refused(file, limits, "memory", "reading it takes more memory than {} bytes")


def refused(file: str, limits: Limits, name: str, message: str) -> Reading:
    """Return the reading of a document that exceeds a limit before any table was read."""
    reading = Reading(limits)
    text = message.format(f"{getattr(limits, name):,}")
    reading.add_fault(Diagnostic("limit", file, f"{text}: it is left out", limit_hint(name)))
    return reading


def _child(file: str, data: bytes, limits: Limits, pipe: Connection) -> None:
    """Read a document within the limits, and send the reading to the parent."""
    _confine(limits)
    # Collecting the parent's objects would only copy their memory into this process.
    gc.freeze()
    gc.set_threshold(100_000)  # the process ends soon, so garbage may stay

    def opener(name: str) -> bytes | None:
        pipe.send_bytes(b"?" + name.encode("utf-8", "replace"))
        answer = pipe.recv_bytes()
        return answer[1:] if answer else None

    reading = Reading(limits)
    # Reading stops at the soft limit; the difference to the hard one is reserved for sending
    # tables.
    _, hard_limit = resource.getrlimit(resource.RLIMIT_AS)
    raised_memory = (hard_limit, hard_limit)
    fault: BaseException | None = None
    try:
        text = data.decode("utf-8-sig", errors="replace")
        READERS[ending(file)](file, text, opener, reading)
    except BaseException as error:
        resource.setrlimit(resource.RLIMIT_AS, raised_memory)
        fault = error
    resource.setrlimit(resource.RLIMIT_AS, raised_memory)
    if fault:
        reading.faults.append(_described(fault, file, reading))
    pipe.send_bytes(msgspec.msgpack.encode(reading))


def _described(error: BaseException, file: str, reading: Reading) -> Diagnostic:
    """Return the diagnostic for the error that ended the reading of a document."""
    limits, line = reading.limits, reading.line or 1
    after = f"no table is taken from line {line} on"
    if isinstance(error, _OutOfTime):
        message, hint = f"reading it takes more than {limits.seconds} s", limit_hint("seconds")
    elif isinstance(error, MemoryError):
        message = f"reading it takes more memory than {limits.memory:,} bytes"
        hint = limit_hint("memory")
    elif isinstance(error, RecursionError):
        message, hint = "its markup is nested too deeply", "nest it less deeply"
    else:
        message = f"its markup cannot be read ({type(error).__name__})"
        return Diagnostic("unreadable", file, f"{message}; {after}", line=line)
    return Diagnostic("limit", file, f"{message}; {after}", hint, line=line)


def _confine(limits: Limits) -> None:
    """Limit the CPU time and memory of this process, and prevent it from opening or writing
    files."""

    # At the soft limit a signal arrives, and the process can still send its tables.
    def out_of_time(number: int, frame: object) -> None:
        signal.signal(signal.SIGXCPU, signal.SIG_IGN)
        raise _OutOfTime

    signal.signal(signal.SIGXCPU, out_of_time)
    # The limit is on address space; the part inherited from the parent must not count.
    statistics = Path("/proc/self/statm").read_text("ascii")
    used = int(statistics.split()[0]) * resource.getpagesize()
    soft_limit = used + limits.memory
    for limit, soft, hard in (
        (resource.RLIMIT_CPU, limits.seconds, limits.seconds + 1),
        (resource.RLIMIT_AS, soft_limit, soft_limit + _ENCODING_BYTES),
        (resource.RLIMIT_CORE, 0, 0),
        (resource.RLIMIT_FSIZE, 0, 0),
        (resource.RLIMIT_NOFILE, 0, 0),
    ):
        resource.setrlimit(limit, (soft, hard))
