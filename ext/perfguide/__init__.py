"""Performance guides from the raw results of a board farm, as a Sphinx extension."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sphinx.application import Sphinx
    from sphinx.util.typing import ExtensionMetadata

__all__ = ["__version__", "setup"]

__version__ = "0.1.0"


def setup(app: Sphinx) -> ExtensionMetadata:
    """Register the extension with Sphinx."""
    # Imported here, so that the command starts without Sphinx; and first, before more than a
    # thousand modules are loaded.
    from .common import memory

    memory.collect_rarely()
    from .sphinxext.setup import setup as setup_extension

    return setup_extension(app, __version__)
