"""Sphinx configuration of the example: what a project of your own needs."""

project = "Performance of our boards"
author = "The example's board farm"

extensions = ["perfguide"]
html_theme = "perfguide"
exclude_patterns = ["benchmarks", "build", "results"]
numfig = True
smartquotes = False

perfguide_results = ["results"]
perfguide_benchmarks = "benchmarks"
perfguide_output = "pages"
