"""Sphinx configuration of the manual page alone, of which ``make man`` makes build/man/perfguide.1.

It reads the page Commands and no bundles: the part of the extension that writes guides is left out.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / "ext"))

project = "perfguide"
author = "The perfguide authors"
extensions = ["perfguide.sphinxext.reference"]
root_doc = "commands"
include_patterns = ["commands.rst"]
smartquotes = False
man_show_urls = True
man_pages = [("commands", "perfguide", "performance guides from a board farm", [author], 1)]
