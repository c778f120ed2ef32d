"""Sphinx in a process of its own, as ``perfguide build`` runs it.

Its arguments are the number of a pipe and those of sphinx-build. It loads its modules, which takes
a second, while its folder is made ready. It begins when something comes by the pipe.
"""

from __future__ import annotations

import os
import sys

from ..common import memory

memory.look_seldom()
# What each build of a site uses; the configuration would load it later, one after the other.
import sphinx.application  # noqa: E402
import sphinx.builders.html  # noqa: E402, F401
from sphinx.cmd.build import main  # noqa: E402

from . import failures, internals, setup  # noqa: E402, F401

if __name__ == "__main__":
    internals.report_exceptions(failures.reason)
    # Nothing comes where the other process has ended.
    sys.exit(main(sys.argv[2:]) if os.read(int(sys.argv[1]), 1) else 1)
