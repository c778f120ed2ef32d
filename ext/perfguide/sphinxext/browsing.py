"""Scripts of pages with tables, and DataTables, which they load at the first use.

DataTables sorts, filters and hides columns, also below heads of several levels. The package itables
has it as an ES module, 175 kB compressed. Browsers load no modules into pages that are opened as
files, so it becomes a classic script; most readers sort nothing, so it is loaded on demand.
"""

from __future__ import annotations

import re
from importlib.metadata import distribution
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.errors import ExtensionError

from . import embedding, theme
from .config import page_name
from .internals import is_site

SCRIPTS = ("grid", "tables", "cells", "links")
"""Scripts of a page with tables, in the order of loading: each uses the first one."""
LIBRARY = "perfguide-datatables.js"
PACKAGE = "itables"
BUNDLE = "itables/html/dt_bundle.js"

_EXPORTS = re.compile(r"export\s*\{([^{}]*)\}\s*;?")


def classic(module: str) -> str:
    """Return a module as a script that leaves its default export in ``perfguideDataTable``.

    Raises :class:`ValueError` if the module has imports, or no single list of exports.
    """
    exports = list(_EXPORTS.finditer(module))
    names = dict(
        # “x as default” has the name of the export last.
        reversed([part.strip() for part in pair.split(" as ")])
        for each in exports
        for pair in each[1].split(",")
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
    """Return the script of DataTables from the installed package, with its licence.

    Raises :class:`ExtensionError` if the package no longer has it, or in another form.
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
    # Few readers of e-books run scripts.
    if is_site(app.builder):
        target = Path(app.outdir, "_static", LIBRARY)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(library(), "utf-8")


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
    embed = embedding.address(app, pagename)
    data = {"cells": {"data-provenance": uri}, "links": {"data-embed": embed} if embed else {}}
    for name in SCRIPTS:
        attributes: dict[str, Any] = data.get(name, {})
        app.add_js_file(f"perfguide-{name}.js", loading_method="defer", **attributes)


def setup(app: Sphinx) -> None:
    """Register the listeners that write the files and add them to pages."""
    app.connect("builder-inited", _assets)
    app.connect("html-page-context", _page_context)
