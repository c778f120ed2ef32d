"""The process in which ``perfguide build`` runs Sphinx.

Its arguments are the file descriptor of a pipe, followed by those of sphinx-build. Importing Sphinx
takes a second, so this happens while the parent process prepares its folder. The build starts once
a byte arrives through the pipe.

If the machine is at fault, for example because the disk is full, a single line replaces Sphinx's
traceback, which asks the reader to report a bug. Projects that run Sphinx themselves get Sphinx's
report.
"""

from __future__ import annotations

import errno
import os
import re
import sys

from ..common import memory
from ..common.diagnostics import visible
from ..common.path_hints import explained

memory.collect_rarely()
# Every build of a site needs these; the configuration would import them later, one by one.
import sphinx.application  # noqa: E402
import sphinx.builders.html  # noqa: E402, F401
from sphinx.cmd.build import main  # noqa: E402
from sphinx.errors import ExtensionError, SphinxError, SphinxParallelError  # noqa: E402

from . import internals, setup  # noqa: E402, F401

_MACHINE_ERRORS = {errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EACCES, errno.EPERM, errno.EIO}
_MACHINE_ERRORS |= {errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.EFBIG, errno.ESTALE}
_WORKER_ERROR = re.compile(r"\w+: \[Errno (\d+)\] ([^:\n]+)(?:: '([^'\n]+)'(?: -> '([^'\n]+)')?)?")
"""An error in a worker process that reads or writes pages; Sphinx passes it on as text."""
MAX_CAUSES = 20
"""The number of links in a chain of exceptions that are followed."""


def reason(exception: BaseException) -> str | None:
    """Return one line that explains an exception, or ``None`` if a traceback is needed."""
    if error := _failure_of_machine(exception):
        return f"the site cannot be written: {explained(error)}"
    # Sphinx's own errors say what to fix. Others need their traceback.
    is_plain = isinstance(exception, SphinxError) and not isinstance(exception, SphinxParallelError)
    if not is_plain or (isinstance(exception, ExtensionError) and exception.orig_exc):
        return None
    return visible(str(exception))


def _failure_of_machine(exception: BaseException | None) -> OSError | None:
    for _ in range(MAX_CAUSES):
        if exception is None:
            break
        if isinstance(exception, SphinxParallelError):
            if match := _WORKER_ERROR.match(str(exception)):
                return OSError(int(match[1]), match[2], match[4] or match[3])
            break
        if isinstance(exception, OSError) and exception.errno in _MACHINE_ERRORS:
            return exception
        exception = exception.__cause__ or exception.__context__
    return None


if __name__ == "__main__":
    internals.report_exceptions(reason)
    # The pipe is empty if the parent process has ended.
    sys.exit(main(sys.argv[2:]) if os.read(int(sys.argv[1]), 1) else 1)
