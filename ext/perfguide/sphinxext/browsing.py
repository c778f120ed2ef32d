"""What script adds to a page: its files, and the table library on demand.

Sorting, filtering and hiding columns are DataTables, as the package itables carries it:
kept well, under the MIT licence, and able to hide columns below heads of several levels.
itables has it as a module with all its parts, 175 kB compressed. A page that was opened
as a file may load no module, and most readers sort nothing, so it becomes a plain script
that a page asks for at the first use.
"""

from __future__ import annotations

import re
from importlib.metadata import distribution
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.builders.html import StandaloneHTMLBuilder
from sphinx.errors import ExtensionError
from sphinx.util.typing import ExtensionMetadata

from . import theme
from .config import page_name

SCRIPTS = ("grid", "tables", "cells", "links")
"""What a page with tables asks for, in this order: each stands on the first one."""
LIBRARY = "perfguide-datatables.js"
PACKAGE = "itables"
BUNDLE = "itables/html/dt_bundle.js"

_EXPORTS = re.compile(r"export\s*\{([^{}]*)\}\s*;?")


def classic(module: str) -> str:
    """A script that does what a module does and leaves its default export in
    ``perfguideDataTable``: a page that was opened as a file may load scripts, but no modules.

    Raises :class:`ValueError` where the module is not of the known form.
    """
    found = list(_EXPORTS.finditer(module))
    names = dict(
        reversed([part.strip() for part in pair.split(" as ")])
        for each in found
        for pair in each[1].split(",")
        if " as " in pair
    )
    if len(found) != 1 or "default" not in names or re.search(r"(^|[;}\n])import[\s{*\"]", module):
        raise ValueError("not a module with one list of exports, a default, and no imports")
    start, end = found[0].span()
    head, rest = module[:start], module[end:]
    return f"(()=>{{{head}\nwindow.perfguideDataTable={names['default']};\n{rest}\n}})();\n"


def library() -> str:
    """DataTables as the installed package brings it, with the package's licence.

    Raises :class:`ExtensionError` where the package holds it no more, or in another form.
    """
    package = distribution(PACKAGE)
    licences = [p for p in package.files or () if p.name == "LICENSE" and "dist-info" in str(p)]
    try:
        script = classic(Path(str(package.locate_file(BUNDLE))).read_text("utf-8"))
        licence = Path(str(licences[0].locate())).read_text("utf-8").strip()
    except (OSError, ValueError, IndexError) as error:
        raise ExtensionError(f"{PACKAGE} {package.version}: {BUNDLE}: {error}") from error
    return f"/*! DataTables from {PACKAGE} {package.version}\n\n{licence}\n*/\n{script}"


def _assets(app: Sphinx) -> None:
    if isinstance(app.builder, StandaloneHTMLBuilder) and app.builder.name != "epub":
        target = Path(app.outdir, "_static", LIBRARY)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(library(), "utf-8")


def _page_context(
    app: Sphinx, pagename: str, _template: str, _context: dict[str, Any], doctree: nodes.document
) -> None:
    """Ask for the script where there is something for it to do."""
    if not doctree or not isinstance(app.builder, StandaloneHTMLBuilder):
        return
    if app.env.metadata[pagename].get("perf-redirect") or app.builder.name == "epub":
        return
    if not theme.needs_files(app, pagename, doctree):
        return
    page = page_name(app.config.perfguide_output, "reports/provenance")
    found = page in app.env.found_docs
    uri = app.builder.get_relative_uri(pagename, page) if found else ""
    for name in SCRIPTS:
        attributes: dict[str, Any] = {"data-provenance": uri} if name == "cells" else {}
        app.add_js_file(f"perfguide-{name}.js", loading_method="defer", **attributes)


def setup(app: Sphinx) -> ExtensionMetadata:
    """Register what makes the files and asks for them."""
    app.connect("builder-inited", _assets)
    app.connect("html-page-context", _page_context)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
