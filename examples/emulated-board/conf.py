"""Sphinx configuration of the example: figures of boards that QEMU emulates."""

project = "Emulated boards: not the speed of any hardware"
author = "make box"

extensions = ["perfguide"]
html_theme = "perfguide"
exclude_patterns = ["build", "results"]
numfig = True
smartquotes = False

perfguide_results = ["results"]
perfguide_output = "pages"
