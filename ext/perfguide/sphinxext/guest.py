"""What generated pages need in the project of somebody else.

Its ``conf.py`` may leave out, by a list that it makes when it is loaded, whatever it does not know;
its theme may lead to the source of each page in a repository, which has no generated one, and
may have a list of a page's contents of its own.
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
from sphinx.util.typing import ExtensionMetadata

from ..common.diagnostics import Diagnostic
from ..publishing.output_folder import Writer
from .config import page_name, warn
from .internals import is_site, read_again

LEAD = "guides/index"
REST = ("by-benchmark/index", "compare/index", "reports/index")
"""The page to which a menu of another project leads, and those that it lists there besides its
guides. In a project whose own menu has all of them it lists only guides."""
TITLE = "Performance guides"
ASKED = "perf-toctree"
"""Metadata of a page whose menu leads to ours."""
LISTS_REST = "perfguide_lists_rest"
"""The attribute of an environment: whether the leading page lists the rest."""

WITH_CONTENTS = ("furo", "pydata_sphinx_theme", "sphinx_book_theme")
"""Themes that list the contents of a page beside it, and show another list as a fault or twice."""

EDITING = {
    **{f"display_{name}": False for name in ("github", "gitlab", "bitbucket")},
    **{"theme_use_edit_page_button": False, "page_source_suffix": ""},
}
"""What themes look at before they offer to edit a page, so that they do not."""


class PerfToctree(TocTree):
    """A ``toctree`` of one entry that leads to the generated pages; its options are those of a
    ``toctree``, and ``title``, the text of the entry."""

    has_content = False
    option_spec: ClassVar[dict[str, Any]] = {
        **TocTree.option_spec,
        "title": directives.unchanged_required,
    }

    def run(self) -> list[nodes.Node]:
        """Make the nodes, and note that the page leads to ours."""
        self.env.metadata[self.env.docname][ASKED] = "yes"
        title = self.options.pop("title", TITLE)
        lead = page_name(self.config.perfguide_output, LEAD)
        self.content = StringList([f"{title} </{lead}>"])
        self.options.setdefault("maxdepth", 1)
        return list(super().run())


class PerfRest(TocTree):
    """Lists the pages beside the guides, on the page to which ``perf-toctree`` leads."""

    has_content = False
    option_spec: ClassVar[dict[str, Any]] = {}

    def run(self) -> list[nodes.Node]:
        """Make the nodes where another page has the directive."""
        if not vars(self.env).get(LISTS_REST):
            return []
        top = self.config.perfguide_output
        self.content = StringList([f"/{page_name(top, page)}" for page in REST])
        self.options["maxdepth"] = 1
        return list(super().run())


def _ask_for_rest(app: Sphinx, docname: str, source: list[str]) -> None:
    """Let the leading page end with the rest; its source builds without us, and has no such list."""
    if docname == page_name(app.config.perfguide_output, LEAD):
        source[0] += "\n.. perf-rest::\n"


def _list_rest(app: Sphinx, env: BuildEnvironment) -> list[str]:
    """Read the leading page again where it does not list what it should now that all pages are
    read."""
    lead = page_name(app.config.perfguide_output, LEAD)
    is_asked = any(ASKED in metadata for metadata in env.metadata.values())
    if is_asked == vars(env).get(LISTS_REST, False) or lead not in env.all_docs:
        return []
    vars(env)[LISTS_REST] = is_asked
    read_again(app, lead)
    return [lead]


def _pages(srcdir: str | Path, output: str) -> set[str]:
    """The generated pages of the last run, from the source folder."""
    ours = Writer(Path(srcdir, output)).ours
    return {page_name(output, name) for name in ours if name.endswith(".rst")}


def _keep_generated(app: Sphinx, config: Config) -> None:
    """Take out of the excluded names those of generated files: a list that ``conf.py`` makes of
    the files that are there has them from the second build on."""
    output = config.perfguide_output
    ours = Writer(Path(app.srcdir, output)).ours
    named = [p for p in config.exclude_patterns if p and posixpath.relpath(p, output) in ours]
    if named:
        config.exclude_patterns = [p for p in config.exclude_patterns if p not in named]


def _find_all(app: Sphinx, env: BuildEnvironment, _docnames: list[str]) -> None:
    """Say which of the pages that were written are not in the build; raise where none is."""
    output = app.config.perfguide_output
    there = [
        name for name in sorted(_pages(app.srcdir, output)) if Path(app.srcdir, name).is_file()
    ]
    guides = page_name(output, "guides/")
    if not any(name.startswith(guides) for name in there if _is_guide(name)):
        return
    lost = [name for name in there if name.removesuffix(".rst") not in env.found_docs]
    if len(lost) == len(there):
        raise ExtensionError(
            f"the {len(there)} generated pages are not in the build, the first is "
            f"{lost[0]}: {_reason(app.config, lost[0])}"
        )
    for name in lost:
        unreadable = not os.access(Path(app.srcdir, name), os.R_OK)
        reason = "it cannot be read" if unreadable else _reason(app.config, name)
        warn([Diagnostic("left-out", name, "Sphinx leaves this page out", reason)])


def _is_guide(name: str) -> bool:
    return not name.endswith("guides/index.rst")


def _reason(config: Config, name: str) -> str:
    if ".rst" not in config.source_suffix:
        return 'source_suffix in conf.py has no ".rst"; add ".rst": "restructuredtext" to it'
    ways = [name, *map(str, Path(name).parents)]
    for pattern in (*config.exclude_patterns, *config.templates_path):
        if any(patmatch(way, pattern) for way in ways):
            return (
                f"“{pattern}” in exclude_patterns of conf.py leaves it out; take out what names "
                f"files below “{config.perfguide_output}”, or set perfguide_output to a folder "
                "that no pattern names"
            )
    return (
        "include_patterns in conf.py does not have it; add "
        f'"{page_name(config.perfguide_output, "**")}"'
    )


def _offer_no_editing(
    app: Sphinx, page: str, _template: str, context: dict[str, Any], _tree: nodes.document | None
) -> None:
    """A generated page is in no repository, so nothing leads to it there."""
    if is_generated(app, page):
        context.update(EDITING)


def is_generated(app: Sphinx, page: str) -> bool:
    """Return whether a page of the site was written by the extension."""
    return page in vars(app.env).get("perfguide_generated", ())


def may_change(app: Sphinx, page: str) -> bool:
    """Return whether the extension may change how a page is set: one that it wrote, or any one of a
    build that is ours alone."""
    return app.config.perfguide_own_output or is_generated(app, page)


def _remember(app: Sphinx, env: BuildEnvironment) -> list[str]:
    pages = _pages(app.srcdir, app.config.perfguide_output)
    vars(env)["perfguide_generated"] = frozenset(name.removesuffix(".rst") for name in pages)
    return []


def _drop_contents(app: Sphinx, tree: nodes.document, page: str) -> None:
    has_list = is_site(app.builder) and app.config.html_theme in WITH_CONTENTS
    if has_list and is_generated(app, page):
        for topic in list(tree.findall(nodes.topic)):
            if "contents" in topic["classes"]:
                topic.parent.remove(topic)


def setup(app: Sphinx) -> ExtensionMetadata:
    """Register all of it."""
    app.add_directive("perf-toctree", PerfToctree)
    app.add_directive("perf-rest", PerfRest)
    # Behind what places the paths.
    app.connect("config-inited", _keep_generated, priority=600)
    app.connect("source-read", _ask_for_rest)
    app.connect("env-before-read-docs", _find_all, priority=100)
    app.connect("env-updated", _remember, priority=100)
    app.connect("env-updated", _list_rest, priority=100)
    app.connect("doctree-resolved", _drop_contents)
    app.connect("html-page-context", _offer_no_editing, priority=900)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
