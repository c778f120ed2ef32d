"""Performance guides from the raw results of a board farm, as a Sphinx extension."""

from __future__ import annotations

import atexit
import gc
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sphinx.application import Sphinx
    from sphinx.util.typing import ExtensionMetadata

__all__ = ["__version__", "setup"]

__version__ = "0.1.0"


def setup(app: Sphinx) -> ExtensionMetadata:
    """Register the extension with Sphinx."""
    # Nearly all objects that a build makes stay in use, so memory is looked through more seldom:
    # first while more than a thousand modules are loaded, and not once more at the end.
    gc.set_threshold(10_000, 10, 10)
    atexit.register(gc.freeze)
    # Imported here so that the command, which needs no Sphinx, starts without it.
    from .sphinxext.setup import setup as setup_extension

    return setup_extension(app, __version__)
