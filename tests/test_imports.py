"""Modules import only what lies below them, and the core knows no Sphinx."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[1] / "ext" / "perfguide"
EVERYWHERE = {"diagnostics", "units"}

CORE: dict[str, set[str]] = {
    "package": set(),
    "diagnostics": set(),
    "units": set(),
    "addresses": set(),
    "memo": set(),
    "trees": {"memo"},
    "spare": {"memo", "trees"},
    "phases": set(),
    "writer": {"memo"},
    "markup": set(),
    "streams": set(),
    "spreadsheet": set(),
    "archive": {"streams"},
    "bundle": set(),
    "faults": {"bundle"},
    "keys": set(),
    "results": {"bundle"},
    "patterns": {"bundle", "keys", "results"},
    "validate": {"archive", "bundle", "faults", "keys", "patterns", "streams"},
    "remote": {"archive", "publish", "streams"},
    "workers": {"package"},
    "sharing": {"bundle", "results"},
    "ingest": {"archive", "patterns", "sharing", "streams", "validate", "workers"},
    "ledger": {"validate"},
    "logs": {"archive", "results", "streams", "validate"},
    "means": set(),
    "frame": {"archive", "bundle", "means", "results", "sharing", "validate"},
    "aliases": set(),
    "chartspec": set(),
    "catalog": {"aliases", "chartspec"},
    "terms": {"catalog", "frame"},
    "guidekeys": {"bundle"},
    "taken": {"frame", "terms"},
    "pool": {"catalog", "frame", "guidekeys", "taken", "terms", "validate"},
    "naming": {"catalog", "chartspec", "pool"},
    "views": {"guidekeys", "catalog", "frame", "naming", "pool"},
    "layout": {"addresses", "catalog", "pool", "views"},
    "answers": set(),
    "chartviews": set(),
    "chartwords": {"answers", "catalog", "chartspec", "guidekeys", "pool"},
    "plots": {"guidekeys", "catalog", "chartspec", "chartviews", "chartwords", "pool"},
    "trends": {
        "guidekeys",
        "bundle",
        "catalog",
        "chartspec",
        "chartviews",
        "naming",
        "plots",
        "pool",
    },
    "ownchart": {"chartviews"},
    "axesmarks": {"chartviews"},
    "charts": {"axesmarks", "chartviews"},
    "changeview": set(),
    "changechart": {"changeview", "charts"},
    "drawing": {"changechart", "changeview", "charts", "chartviews", "workers"},
    "pictures": {
        *{"addresses", "answers", "chartviews", "drawing", "tables", "workers", "writer"},
    },
    "relative": set(),
    "noise": {"relative"},
    "scores": {"noise", "relative"},
    "stats": {"noise", "relative", "scores"},
    "tables": {"addresses", "pool", "spreadsheet", "views"},
    "figures": {"guidekeys", "catalog", "pool"},
    "findings": {"guidekeys", "figures", "naming", "pool", "views"},
    "health_cells": {"catalog", "figures", "findings", "results"},
    "health_boards": {"figures", "findings"},
    "health_pairs": {"figures", "findings"},
    "health_series": {"catalog", "figures", "findings"},
    "health_losses": {"catalog", "figures", "findings", "layout"},
    "health": {
        *{"catalog", "figures", "findings", "health_boards", "health_cells", "health_losses"},
        *{"health_pairs", "health_series", "pool"},
    },
    "site": {
        "guidekeys",
        "package",
        *{"addresses", "archive", "catalog", "frame", "ingest", "ledger", "pool", "remote"},
        *{"streams", "validate", "workers"},
    },
    "outcome": {"site"},
    "unchanged": {"memo", "package", "remote", "site", "trees", "writer"},
    "report": {
        "guidekeys",
        *{"bundle", "catalog", "ledger", "naming", "pool", "site", "tables", "validate", "views"},
    },
    "acknowledge": {"entries", "findings"},
    "health_report": {
        "guidekeys",
        "acknowledge",
        "findings",
        "health",
        "layout",
        "pool",
        "query",
        "site",
    },
    "cli_health": {"findings", "health_report", "remote", "site", "streams"},
    "marks": {"findings", "views"},
    "provenance": {"validate"},
    "origins": {"logs", "pool", "provenance", "tables", "validate", "views"},
    "errata": {"guidekeys", "catalog", "frame", "ledger", "pool", "validate"},
    "feed": {"guidekeys", "errata", "pool", "validate"},
    "cells": {"pool", "views"},
    "elsewhere": {"guidekeys", "addresses", "layout", "pool", "site"},
    "redirects": {"entries"},
    "htmltable": {"tables"},
    "api": {"guidekeys", "bundle", "catalog", "pool", "tables", "validate"},
    "explorer": {"guidekeys", "api", "catalog", "pool", "tables"},
    "parquet": {"pool"},
    "workbook": {
        "guidekeys",
        "api",
        "catalog",
        "layout",
        "naming",
        "pool",
        "report",
        "tables",
        "views",
    },
    "downloads": {
        "guidekeys",
        "addresses",
        *{"api", "explorer", "parquet", "pieces", "pool", "site", "workbook"},
    },
    "lightcss": set(),
    "badge": set(),
    "findwords": {"catalog", "pool"},
    "about": {
        "guidekeys",
        *{"addresses", "catalog", "findwords", "layout", "naming", "pool", "report", "validate"},
    },
    "papertable": set(),
    "keeping": {"memo", "pictures", "writer"},
    "basis": {"findings", "guidekeys", "logs", "site", "validate"},
    "pieces": {
        *{"basis", "findings", "keeping"},
        "guidekeys",
        *{
            "about",
            "addresses",
            "cells",
            "chartviews",
            "findwords",
            "layout",
            "marks",
            "markup",
            "pictures",
            "plots",
            "pool",
            "report",
        },
        *{"site", "tables", "trends", "views", "writer"},
    },
    "health_pages": {"addresses", "findings", "health_report", "pieces", "tables"},
    "sourcelist": {"guidekeys", "pieces", "pool", "tables"},
    "longtables": {"addresses", "pieces"},
    "benchmark_pages": {
        "guidekeys",
        *{"about", "findwords", "layout", "longtables", "pieces", "plots", "pool", "report"},
        "sourcelist",
        *{"trends", "views"},
    },
    "tracing": {
        "naming",
        "guidekeys",
        *{
            "addresses",
            "errata",
            "feed",
            "findings",
            "keeping",
            "logs",
            "origins",
            "pieces",
            "pool",
            "query",
        },
        *{"site", "streams", "tables", "views", "writer"},
    },
    "guide_pages": {
        "guidekeys",
        *{"about", "addresses", "api", "elsewhere", "findwords", "pieces", "report", "tracing"},
    },
    "pages": {
        *{"findings", "guide_pages", "guidekeys", "keeping"},
        *{
            "about",
            "addresses",
            "api",
            "benchmark_pages",
            "bundle",
            "comparepages",
            "elsewhere",
            "redirects",
            "downloads",
            "findwords",
            "health_pages",
            "health_report",
            "layout",
        },
        *{"marks", "pictures", "pieces", "plots", "pool", "report", "site", "tables", "tracing"},
        *{"outcome", "phases", "sourcelist", "trends", "unchanged", "views", "workers", "writer"},
    },
    "pack": {"adapters", "bundle", "validate"},
    "cli_pack": {"adapters", "bundle", "pack"},
    "spool": set(),
    "shelf": {"archive", "logs", "streams", "validate"},
    "uploads": {"addresses", "archive", "logs", "validate"},
    "intake": {
        *{"archive", "ledger", "logs", "shelf", "spool", "streams", "uploads", "validate"},
    },
    "cli_intake": {"intake", "spool", "streams"},
    "publish": {"memo", "spare", "trees"},
    "standing": {"memo", "publish"},
    "cli_build": {"package", "publish", "standing"},
    "query": {"guidekeys", "logs", "naming", "pool", "provenance", "site", "streams"},
    "entries": set(),
    "boards": {"entries"},
    "waivers": {"guidekeys", "catalog", "entries", "pool"},
    "pairing": {"boards", "catalog", "pool"},
    "history": {"guidekeys", "pairing", "pool", "stats"},
    "compare": {"guidekeys", "catalog", "history", "pairing", "pool", "stats", "waivers"},
    "sides": {"guidekeys", "history", "pairing", "pool", "query"},
    "comparison": {"guidekeys", "compare", "history", "pairing", "pool", "sides"},
    "comparewords": {"guidekeys", "catalog", "compare", "comparison", "pool"},
    "comparetext": {"catalog", "compare", "comparewords", "comparison"},
    "comparemarkdown": {"catalog", "compare", "comparewords", "comparison"},
    "comparehtml": {"catalog", "compare", "comparewords", "comparison", "pool"},
    "comparedata": {
        *{"catalog", "compare", "comparewords", "comparison", "naming", "pool", "tables"},
    },
    "changedata": {"catalog", "changeview", "comparewords", "comparison", "tables"},
    "anchors": {
        "guidekeys",
        "addresses",
        "tables",
        "layout",
        "pool",
        "site",
        "views",
    },
    "neighbours": {"guidekeys", "addresses", "history", "pairing", "pool", "sides", "site"},
    "comparepages": {
        *{"addresses", "guidekeys", "keeping"},
        *{"anchors", "boards", "changedata", "compare", "comparewords", "comparison", "history"},
        *{
            "longtables",
            "neighbours",
            "pairing",
            "pictures",
            "pieces",
            "pool",
            "sides",
            "site",
            "tables",
        },
        "waivers",
    },
    "cli_comparing": set(),
    "cli_compare": {
        "cli_comparing",
        *{"boards", "compare", "comparedata", "comparehtml", "comparemarkdown", "comparetext"},
        *{"comparison", "history", "pairing", "remote", "sides", "site", "waivers"},
    },
    "quoted": {
        "guidekeys",
        *{"anchors", "boards", "history", "layout", "naming", "pairing", "pool", "query"},
        *{"site", "tables"},
    },
    "hive": {"frame"},
    "cli_export": {"hive", "publish", "site"},
    "cli_badge": {"badge", "quoted", "site"},
    "cli_options": {"streams"},
    "cli": {
        "guidekeys",
        *{"cli_badge", "cli_export"},
        *{
            "bundle",
            "cli_build",
            "cli_compare",
            "cli_comparing",
            "cli_health",
            "cli_intake",
            "cli_options",
            "cli_pack",
        },
        *{"pages", "phases", "pool", "query", "remote", "report", "site", "streams", "workers"},
    },
    "__main__": {"cli"},
    "reference": {"acknowledge", "boards", "bundle", "catalog", "chartspec", "waivers"},
}
"""What each module of the core may import of the package, besides ``EVERYWHERE``."""

SHELL: dict[str, set[str]] = {
    "config": {"remote", "site", "streams"},
    "csp": set(),
    "copying": {"memo"},
    "freshness": {
        *{
            "borrowed",
            "config",
            "copying",
            "memo",
            "pictures",
            "publish",
            "remote",
            "standing",
            "writer",
        },
    },
    "pace": set(),
    "sphinxphases": {"phases"},
    "numbering": set(),
    "theme": {"lightcss", "package"},
    "wide": set(),
    "discovery": {"config"},
    "inline": {"badge", "celllinks", "config", "quoted", "site"},
    "footnotes": {"htmltable"},
    "plaintable": {"footnotes", "htmltable"},
    "celllinks": set(),
    "originlink": {"markup"},
    "cellinfo": set(),
    "leading": {"celllinks"},
    "menu": {"theme"},
    "borrowed": {"menu"},
    "glossary": set(),
    "browsing": set(),
    "feedfile": {"feed", "writer"},
    "rendering": {
        *{"addresses", "cellinfo", "celllinks", "footnotes", "htmltable", "originlink"},
        "plaintable",
    },
    "directives": {
        "catalog",
        "cellinfo",
        "celllinks",
        "config",
        "footnotes",
        "markup",
        "originlink",
        "rendering",
        "spreadsheet",
    },
    "folding": set(),
    "referencepages": {"cli", "config", "reference"},
    "paper": {
        "guidekeys",
        *{"addresses", "footnotes", "originlink", "papertable", "plaintable", "rendering"},
        "site",
    },
    "chartdirective": {
        *{"config", "originlink", "ownchart", "picturefiles", "pictures", "rendering"},
        *{"tables", "writer"},
    },
    "picturefiles": set(),
    "dataset": {"api", "explorer"},
    "orphans": set(),
    "extension": {
        *{"browsing", "cellinfo", "chartdirective", "config", "csp", "dataset", "directives"},
        *{"copying", "discovery", "inline", "theme"},
        *{
            "feedfile",
            "folding",
            "freshness",
            "glossary",
            "leading",
            "menu",
            "numbering",
            "originlink",
        },
        *{"orphans", "phases", "sphinxphases", "workers"},
        *{"package", "pages", "paper", "referencepages", "rendering", "site", "wide"},
    },
    "__init__": {"extension", "pace"},
}
"""The same for the Sphinx shell."""

ADAPTERS = {"adapters", "bundle", *EVERYWHERE}
SPHINX = {"sphinx", "docutils", "sphinx_tabs", "sphinx_rtd_theme"}
PLAIN = {"diagnostics", "units", "addresses", "writer", "markup", "publish", "spreadsheet"}
"""Modules that need the standard library alone."""


def imports(path: Path) -> tuple[set[str], set[str]]:
    """The modules of the package that a file imports, and the packages outside it."""
    package = ["perfguide", *path.relative_to(PACKAGE).parts[:-1]]
    inside: set[str] = set()
    outside: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        names: list[str] = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else []
            module = [*base, *((node.module or "").split(".") if node.module else [])]
            names = [".".join([*module, alias.name]) for alias in node.names]
        for name in names:
            parts = name.split(".")
            if parts[0] != "perfguide":
                outside.add(parts[0])
            elif len(parts) > 1 and not parts[1].startswith("__version"):
                inside.add(parts[1])
    return inside, outside


def modules() -> dict[str, Path]:
    return {path.stem: path for path in PACKAGE.glob("*.py")}


def adapters() -> list[Path]:
    return sorted((PACKAGE / "adapters").rglob("*.py"))


def test_every_module_has_its_place_in_the_table() -> None:
    assert set(modules()) == set(CORE) | set(SHELL), "give a new module its line in the table"


@pytest.mark.parametrize("name", sorted(CORE | SHELL))
def test_a_module_imports_only_what_it_may(name: str) -> None:
    inside, _ = imports(modules()[name])
    assert inside <= (CORE | SHELL)[name] | EVERYWHERE


def test_the_table_has_no_way_back() -> None:
    table = {**CORE, **SHELL, "adapters": ADAPTERS - {"adapters"}}
    done: set[str] = set()
    while left := set(table) - done:
        ready = {name for name in left if table[name] <= done}
        assert ready, f"these import each other: {sorted(left)}"
        done |= ready


def test_the_table_lets_no_core_module_reach_the_shell() -> None:
    assert not any(allowed & set(SHELL) for allowed in CORE.values())


@pytest.mark.parametrize("name", sorted(CORE))
def test_the_core_never_imports_sphinx(name: str) -> None:
    _, outside = imports(modules()[name])
    assert outside.isdisjoint(SPHINX)


@pytest.mark.parametrize("name", sorted(PLAIN))
def test_the_lowest_modules_need_the_standard_library_alone(name: str) -> None:
    _, outside = imports(modules()[name])
    assert outside <= sys.stdlib_module_names


def test_adapters_know_bundles_and_no_more() -> None:
    assert len(adapters()) > 1
    wrong = {
        path.name: sorted((inside - ADAPTERS) | (outside & SPHINX))
        for path in adapters()
        for inside, outside in [imports(path)]
        if not inside <= ADAPTERS or outside & SPHINX
    }
    assert wrong == {}


def test_only_packing_knows_the_adapters() -> None:
    knowing = {name for name, path in modules().items() if "adapters" in imports(path)[0]}
    assert knowing <= {"pack", "cli_pack"}


def test_only_the_command_and_the_shell_print_or_log() -> None:
    speaking = set()
    commands = {"cli_badge", "cli_build", "cli_compare", "cli_export", "cli_health"}
    silent = set(CORE) - {"cli", "cli_intake", "cli_pack", "__main__"} - commands
    for path in [*(modules()[name] for name in silent), *adapters()]:
        _, outside = imports(path)
        calls = [n.func for n in ast.walk(ast.parse(path.read_text())) if isinstance(n, ast.Call)]
        printing = any(isinstance(f, ast.Name) and f.id == "print" for f in calls)
        if printing or outside & {"logging", "warnings"}:
            speaking.add(path.stem)
    assert speaking == set()


@pytest.mark.parametrize("arguments", [None, ["check", "--quiet", "."]])
def test_the_running_command_has_loaded_no_sphinx_and_nothing_that_only_some_need(
    arguments: list[str] | None, tmp_path: Path
) -> None:
    late = sorted({*SPHINX, "matplotlib", "numpy", "pandas", "pyarrow", "scipy"})
    late += [] if arguments else ["tqdm"]
    run = f"perfguide.cli.main({arguments!r})" if arguments else "pass"
    code = f"import sys, perfguide.cli; {run}; print(sorted(set({late!r}) & set(sys.modules)))"
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        env={"PYTHONPATH": str(PACKAGE.parent), "PATH": ""},
        cwd=tmp_path,
    )
    assert done.stdout.strip() == "[]"


def test_the_reader_of_imports_sees_every_form(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "adapters").mkdir()
    probe = tmp_path / "adapters" / "x.py"
    probe.write_text(
        "from .. import pages, units\nfrom ..site import plan\nimport perfguide.views as v\n"
        "from . import other\nfrom perfguide.tables import grid\n"
        "def f():\n    from perfguide import cli\n    import sphinx.util\n"
    )
    monkeypatch.setattr(sys.modules[__name__], "PACKAGE", tmp_path)
    inside, outside = imports(probe)
    assert inside == {"pages", "units", "site", "views", "adapters", "tables", "cli"}
    assert outside == {"sphinx"}
