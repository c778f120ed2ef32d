"""The process in which ``perfguide build`` runs Sphinx, with the arguments of sphinx-build.

If the machine is at fault, for example because the disk is full, a single line replaces Sphinx's
traceback, which asks the reader to report a bug. Projects that run Sphinx themselves get Sphinx's
report.
"""

from __future__ import annotations

import errno
import re
import sys

from sphinx.cmd.build import main
from sphinx.errors import ExtensionError, SphinxError, SphinxParallelError

from ..common import memory
from ..common.diagnostics import visible
from ..common.path_hints import explained
from . import internals

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
    memory.collect_rarely()
    internals.report_exceptions(reason)
    sys.exit(main(sys.argv[1:]))
