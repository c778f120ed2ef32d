"""The scripts of pages with tables, and DataTables, which they load on first use.

DataTables sorts, filters and hides columns, even below multi-level heads. The itables package ships
it as an ES module of 175 kB compressed. Browsers refuse to load modules into pages opened as files,
so it is converted to a classic script. It is loaded on demand, as most readers sort nothing.
"""

from __future__ import annotations

import re
from importlib.metadata import distribution
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.errors import ExtensionError

from ..publishing.store import update
from . import theme
from .config import page_name
from .internals import is_site

SCRIPTS = ("grid", "tables", "cells", "links")
"""Scripts of a page with tables, in loading order: all use the first."""
LIBRARY = "perfguide-datatables.js"
PACKAGE = "itables"
BUNDLE = "itables/html/dt_bundle.js"

_EXPORTS = re.compile(r"export\s*\{([^{}]*)\}\s*;?")


def classic(module: str) -> str:
    """Convert a module to a script that assigns its default export to ``perfguideDataTable``.

    Raises :class:`ValueError` if the module has imports, or not exactly one list of exports.
    """
    exports = list(_EXPORTS.finditer(module))
    names = dict(
        # In “x as default”, the exported name comes last.
        reversed([part.strip() for part in pair.split(" as ")])
        for export in exports
        for pair in export[1].split(",")
        if " as " in pair
    )
    if (
        len(exports) != 1
        or "default" not in names
        or re.search(r"(^|[;}\n])import[\s{*\"]", module)
    ):
        raise ValueError("not a module with one list of exports, a default, and no imports")
    start, end = exports[0].span()
    head, rest = module[:start], module[end:]
    return f"(()=>{{{head}\nwindow.perfguideDataTable={names['default']};\n{rest}\n}})();\n"


def library() -> str:
    """Return the DataTables script from the installed package, with its licence.

    Raises :class:`ExtensionError` if the package lacks it or has it in an unexpected form.
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
    # Few e-book readers run scripts.
    if is_site(app.builder):
        update(Path(app.outdir, "_static", LIBRARY), library().encode())


def _page_context(
    app: Sphinx, pagename: str, _template: str, _context: dict[str, Any], doctree: nodes.document
) -> None:
    """Add the scripts to pages with tables or charts."""
    if not doctree or not is_site(app.builder):
        return
    if app.env.metadata[pagename].get("perf-redirect"):
        return
    if not theme.needs_files(app, pagename, doctree):
        return
    page = page_name(app.config.perfguide_output, "reports/provenance")
    uri = app.builder.get_relative_uri(pagename, page) if page in app.env.found_docs else ""
    for name in SCRIPTS:
        attributes: dict[str, Any] = {"data-provenance": uri} if name == "cells" else {}
        app.add_js_file(f"perfguide-{name}.js", loading_method="defer", **attributes)


def setup(app: Sphinx) -> None:
    """Register the listeners that write the files and add them to pages."""
    app.connect("builder-inited", _assets)
    app.connect("html-page-context", _page_context)
