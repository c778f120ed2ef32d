"""What ends a build of ours, in one line instead of Sphinx's traceback.

Sphinx prints a traceback for every exception and asks the reader to report it. A full disk or a
folder that cannot be written is no fault of the program: one line names the path, what the system
said and what to do. Only the process of ``perfguide build`` uses this: hosts that run Sphinx
themselves get Sphinx's own report.
"""

from __future__ import annotations

import errno
import re

from sphinx.errors import ExtensionError, SphinxError, SphinxParallelError

from ..common.diagnostics import visible
from ..common.path_hints import explained

_OF_MACHINE = {errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EACCES, errno.EPERM, errno.EIO}
_OF_MACHINE |= {errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.EFBIG, errno.ESTALE}
"""Failures that come from the machine, whatever the program does."""
_OF_WORKER = re.compile(r"\w+: \[Errno (\d+)\] ([^:\n]+)(?:: '([^'\n]+)'(?: -> '([^'\n]+)')?)?")
"""An error of a process that reads or writes pages, as Sphinx hands it over: as text."""
MAX_CAUSES = 20


def reason(exception: BaseException) -> str | None:
    """Return the line that explains an exception; ``None`` where only a traceback can."""
    if error := _failure_of_machine(exception):
        return f"the site cannot be written: {explained(error)}"
    is_plain = isinstance(exception, SphinxError) and not isinstance(exception, SphinxParallelError)
    if not is_plain or (isinstance(exception, ExtensionError) and exception.orig_exc):
        return None
    return visible(str(exception))


def _failure_of_machine(exception: BaseException | None) -> OSError | None:
    for _ in range(MAX_CAUSES):
        if exception is None:
            break
        if isinstance(exception, SphinxParallelError):
            if found := _OF_WORKER.match(str(exception)):
                return OSError(int(found[1]), found[2], found[4] or found[3])
            break
        if isinstance(exception, OSError) and exception.errno in _OF_MACHINE:
            return exception
        exception = exception.__cause__ or exception.__context__
    return None
