"""Sphinx configuration of the performance guides."""

import sys
from pathlib import Path

# Hosted builders run sphinx-build without installing the extension.
sys.path.insert(0, str(Path(__file__).parent / "ext"))

project = "SDK performance guides"
author = "Board farm"
copyright = author  # noqa: A001 - the name is Sphinx's

extensions = ["perfguide"]
exclude_patterns = [
    "*.md",
    "bench",
    "build",
    "examples",
    "ext",
    "results",
    "runner",
    "tests",
    ".*",
    "source/benchmarks",
]
source_suffix = {".rst": "restructuredtext"}
numfig = True
perfguide_number_by_page = True
perfguide_csp = True
smartquotes = False
nitpicky = False

html_theme = "perfguide"
html_theme_options = {"navigation_depth": 3, "titles_only": True}
html_show_copyright = False
html_show_sourcelink = False
html_copy_source = False
html_last_updated_fmt = None
html_title = project

latex_engine = "xelatex"
latex_use_xindy = False
latex_domain_indices = False
latex_appendices = ["source/reading", "source/methods"]
latex_elements = {
    "papersize": "a4paper",
    "pointsize": "10pt",
    "extraclassoptions": "openany,oneside",
    "figure_align": "H",
    "makeindex": "",
    "printindex": "",
    "sphinxsetup": "hmargin={2cm,2cm},vmargin={2.2cm,2.2cm}",
}
