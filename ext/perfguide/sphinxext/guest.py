"""Generated pages in other Sphinx projects: their place in the menu, and protection from settings
that do not expect them.

A project's ``conf.py`` may exclude files that it does not list. Its theme may link to the source of
each page in a repository, which has no generated pages, and may show its own table of contents.
"""

from __future__ import annotations

import os
import posixpath
from pathlib import Path
from typing import Any, ClassVar

from docutils import nodes
from docutils.parsers.rst import directives
from docutils.statemachine import StringList
from sphinx.application import Sphinx
from sphinx.config import Config
from sphinx.directives.other import TocTree
from sphinx.environment import BuildEnvironment
from sphinx.errors import ExtensionError
from sphinx.util.matching import patmatch

from ..common.diagnostics import Diagnostic
from ..publishing.output_folder import Writer
from .config import page_name, warn
from .internals import is_site, read_again

START_PAGE = "guides/index"
"""The page to which another project's menu leads."""
OTHER_INDEXES = ("by-benchmark/index", "compare/index", "reports/index")
"""Pages that the start page lists if the project's menu leads only to the start page."""
TITLE = "Performance guides"
HAS_TOCTREE = "perf-toctree"
"""The metadata key of a page with a ``perf-toctree``."""
LISTS_INDEXES = "perfguide_lists_rest"
"""The attribute of the environment with a flag: the start page lists the other indexes."""

THEMES_WITH_CONTENTS = ("furo", "pydata_sphinx_theme", "sphinx_book_theme")
"""Themes that list a page's contents beside it, and warn about a second list or show both."""

EDITING = {
    **{f"display_{name}": False for name in ("github", "gitlab", "bitbucket")},
    **{"theme_use_edit_page_button": False, "page_source_suffix": ""},
}
"""Template values that make themes hide the link for editing a page."""


class PerfToctree(TocTree):
    """A ``toctree`` whose only entry is the start page of the generated pages. It takes the options
    of ``toctree``, and ``title`` for the text of the entry."""

    has_content = False
    option_spec: ClassVar[dict[str, Any]] = {
        **TocTree.option_spec,
        "title": directives.unchanged_required,
    }

    def run(self) -> list[nodes.Node]:
        """Return the nodes, and note that the page has the directive."""
        self.env.metadata[self.env.docname][HAS_TOCTREE] = "yes"
        title = self.options.pop("title", TITLE)
        start = page_name(self.config.perfguide_output, START_PAGE)
        self.content = StringList([f"{title} </{start}>"])
        self.options.setdefault("maxdepth", 1)
        return list(super().run())


class PerfRest(TocTree):
    """A ``toctree`` of the other indexes at the end of the start page."""

    has_content = False
    option_spec: ClassVar[dict[str, Any]] = {}

    def run(self) -> list[nodes.Node]:
        """Return the nodes if any page has a ``perf-toctree``."""
        if not vars(self.env).get(LISTS_INDEXES):
            return []
        top = self.config.perfguide_output
        self.content = StringList([f"/{page_name(top, page)}" for page in OTHER_INDEXES])
        self.options["maxdepth"] = 1
        return list(super().run())


def _append_indexes(app: Sphinx, docname: str, source: list[str]) -> None:
    """Append the directive to the start page, whose source must build without this extension."""
    if docname == page_name(app.config.perfguide_output, START_PAGE):
        source[0] += "\n.. perf-rest::\n"


def _update_start_page(app: Sphinx, env: BuildEnvironment) -> list[str]:
    """Re-read the start page if its list turns out to be wrong once all pages have been read."""
    start = page_name(app.config.perfguide_output, START_PAGE)
    is_needed = any(HAS_TOCTREE in metadata for metadata in env.metadata.values())
    if is_needed == vars(env).get(LISTS_INDEXES, False) or start not in env.all_docs:
        return []
    # Only now is it known which pages have the directive, and the start page has been read already.
    vars(env)[LISTS_INDEXES] = is_needed
    read_again(app, start)
    return [start]


def generated_sources(srcdir: str | Path, output: str) -> set[str]:
    """Return the source files of generated pages, relative to the source folder."""
    ours = Writer(Path(srcdir, output)).ours
    return {page_name(output, name) for name in ours if name.endswith(".rst")}


def _include_generated(app: Sphinx, config: Config) -> None:
    """Remove generated files from ``exclude_patterns``. A ``conf.py`` that adds all existing files
    there would exclude them from the second build on."""
    output = config.perfguide_output
    ours = Writer(Path(app.srcdir, output)).ours
    named = [p for p in config.exclude_patterns if p and posixpath.relpath(p, output) in ours]
    if named:
        config.exclude_patterns = [p for p in config.exclude_patterns if p not in named]


def _check_included(app: Sphinx, env: BuildEnvironment, _docnames: list[str]) -> None:
    """Warn about generated pages that are not in the build. Raises :class:`ExtensionError` if none
    is."""
    output = app.config.perfguide_output
    pages = [
        name
        for name in sorted(generated_sources(app.srcdir, output))
        if Path(app.srcdir, name).is_file()
    ]
    guides, index = page_name(output, "guides/"), page_name(output, f"{START_PAGE}.rst")
    if not any(name.startswith(guides) for name in pages if name != index):
        return
    excluded = [name for name in pages if name.removesuffix(".rst") not in env.found_docs]
    if len(excluded) == len(pages):
        raise ExtensionError(
            f"the {len(pages)} generated pages are not in the build, the first is "
            f"{excluded[0]}: {_reason(app.config, excluded[0])}"
        )
    for name in excluded:
        unreadable = not os.access(Path(app.srcdir, name), os.R_OK)
        reason = "it cannot be read" if unreadable else _reason(app.config, name)
        warn([Diagnostic("left-out", name, "Sphinx leaves this page out", reason)])


def _reason(config: Config, name: str) -> str:
    if ".rst" not in config.source_suffix:
        return 'source_suffix in conf.py has no ".rst"; add ".rst": "restructuredtext" to it'
    paths = [name, *map(str, Path(name).parents)]
    # Sphinx does not look for pages in template folders either.
    for pattern in (*config.exclude_patterns, *config.templates_path):
        if any(patmatch(path, pattern) for path in paths):
            return (
                f"“{pattern}” in exclude_patterns of conf.py leaves it out; take out what names "
                f"files below “{config.perfguide_output}”, or set perfguide_output to a folder "
                "that no pattern names"
            )
    return (
        "include_patterns in conf.py does not have it; add "
        f'"{page_name(config.perfguide_output, "**")}"'
    )


def _hide_edit_links(
    app: Sphinx, page: str, _template: str, context: dict[str, Any], _tree: nodes.document | None
) -> None:
    """Hide links to the source of a generated page, which is in no repository."""
    if is_generated(app.env, page):
        context.update(EDITING)


def is_generated(env: BuildEnvironment, page: str) -> bool:
    """Return whether the extension wrote a page."""
    return page in vars(env).get("perfguide_generated", ())


def may_change(env: BuildEnvironment, page: str) -> bool:
    """Return whether the extension may change a page's layout: that of generated pages, and of all
    pages of a project that ``perfguide build`` builds."""
    return env.config.perfguide_own_output or is_generated(env, page)


def _note_generated(app: Sphinx, env: BuildEnvironment) -> list[str]:
    pages = generated_sources(app.srcdir, app.config.perfguide_output)
    vars(env)["perfguide_generated"] = frozenset(name.removesuffix(".rst") for name in pages)
    return []


def _drop_contents(app: Sphinx, tree: nodes.document, page: str) -> None:
    has_contents = is_site(app.builder) and app.config.html_theme in THEMES_WITH_CONTENTS
    if has_contents and is_generated(app.env, page):
        for topic in list(tree.findall(nodes.topic)):
            if "contents" in topic["classes"]:
                topic.parent.remove(topic)


def setup(app: Sphinx) -> None:
    """Register the directives and the listeners."""
    app.add_directive("perf-toctree", PerfToctree)
    app.add_directive("perf-rest", PerfRest)
    # After config.py has made paths relative to the source folder.
    app.connect("config-inited", _include_generated, priority=600)
    app.connect("source-read", _append_indexes)
    app.connect("env-before-read-docs", _check_included, priority=100)
    app.connect("env-updated", _note_generated, priority=100)
    app.connect("env-updated", _update_start_page, priority=100)
    app.connect("doctree-resolved", _drop_contents)
    # After the theme and other extensions have set these values.
    app.connect("html-page-context", _hide_edit_links, priority=900)
