"""Where the package is on disk, and what its code hashes to.

Whatever depends on the code of the package asks here: a module's own ``__file__`` says only
where that module is.
"""

from __future__ import annotations

import hashlib
from functools import lru_cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
"""The folder of the package, with all of its modules, templates and static files."""


@lru_cache(1)
def fingerprint() -> str:
    """The SHA-256, in hex, of the names and bytes of all files of the package.

    What Python compiles beside its code does not count. Raises ``OSError``.
    """
    whole = hashlib.sha256()
    for path in sorted(ROOT.rglob("*")):
        if path.is_file() and "__pycache__" not in path.parts:
            for part in (str(path.relative_to(ROOT)).encode(), path.read_bytes()):
                whole.update(b"%d " % len(part) + part)
    return whole.hexdigest()
