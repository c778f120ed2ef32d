"""The menu beside each page, with the same lines as Sphinx's.

For every page, Sphinx builds the tree of all pages and then prunes it, so the total time grows with
the square of the number of pages. Here, the lists of all pages are collected once. Long lists are
cut to the part around the open page, so that the total size of the pages grows linearly.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from html import escape
from typing import Any

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.builders.html import StandaloneHTMLBuilder

from . import internals, theme

MAX_LINES = 8
"""The maximum number of lines of a list below the first level: the chapters after two of such lists
are still in sight."""

OPTIONS = ("collapse_navigation", "titles_only", "includehidden")
TRUE_WORDS = ("true", "1", "yes", "on", "t")
"""The values with which a theme option is on."""


class UnusualError(Exception):
    """Contents, such as numbered sections, for which the menu is left to Sphinx."""


@dataclass(frozen=True, slots=True)
class Line:
    """A line of the menu: a page, and the title of the link to it as HTML."""

    page: str
    title: str


Lines = tuple[Line, ...]
Uri = Callable[[str], str]


class Menu:
    """The menus of all pages.

    ``depth`` is the number of levels; ``hidden`` says whether to include hidden toctrees. Raises
    :class:`UnusualError`.
    """

    def __init__(self, builder: StandaloneHTMLBuilder, depth: int, hidden: bool) -> None:
        env = builder.env
        if any(env.toc_secnumbers.values()):
            raise UnusualError("numbered sections")
        self._builder, self._env, self._depth, self._hidden = builder, env, depth, hidden
        self._below = {page: self._listed(page) for page in env.toctree_includes}
        self._parents = {
            child: page
            # If several pages list a page, every build has to choose the same parent.
            for page in sorted(env.toctree_includes)
            for child in env.toctree_includes[page]
        }
        # env.master_doctree is kept with the environment, so it could be that of an earlier build.
        trees = self._trees(env.get_doctree(env.config.root_doc))
        self._chapters = [
            (escape(tree.get("caption") or ""), tuple(self._lines(tree))) for tree in trees
        ]

    def _trees(self, node: nodes.Node) -> list[addnodes.toctree]:
        trees = node.findall(addnodes.toctree)
        return [tree for tree in trees if self._hidden or not tree.get("hidden")]

    def _lines(self, tree: addnodes.toctree) -> Iterator[Line]:
        for title, page in tree["entries"]:
            if page not in self._env.tocs:
                raise UnusualError(page)
            yield Line(page, escape(title) if title else self._title(page))

    def _title(self, page: str) -> str:
        items = self._env.tocs[page].children
        if len(items) != 1 or not isinstance(items[0], nodes.list_item):
            raise UnusualError(page)
        return self._builder.render_partial(self._env.titles[page])["title"]

    def _listed(self, page: str) -> Lines:
        """Return the pages that a page lists."""
        trees = self._trees(self._env.tocs[page])
        return tuple(line for tree in trees for line in self._lines(tree))

    def _path(self, page: str) -> list[str]:
        """Return the pages from the menu's first level down to a page."""
        up: list[str] = []
        # A project's toctrees may form a cycle.
        while page and page != self._env.config.root_doc and page not in up:
            up.append(page)
            page = self._parents.get(page, "")
        return up[::-1]

    def lists(self, page: str) -> list[tuple[str, int, Lines]]:
        """Return the lists in a page's menu, starting with those of the root page. Each has the
        caption or page above it, its full number of lines, and the lines in the menu."""
        path = self._path(page)
        opened = zip(path[: self._depth - 1], [*path[1:], ""], strict=False)
        below = ((name, self._below.get(name, ()), to) for name, to in opened)
        return [
            *((caption, len(lines), lines) for caption, lines in self._chapters),
            *((name, len(lines), around(lines, to)) for name, lines, to in below),
        ]

    def html(self, page: str, uri: Uri) -> str:
        """Return the menu of a page; ``uri`` returns another page's address relative to it."""
        path = self._path(page)
        out = []
        for caption, lines in self._chapters:
            if caption:
                out.append(
                    '<p class="caption" role="heading">'
                    f'<span class="caption-text">{caption}</span></p>\n'
                )
            out.append(self._list(lines, len(lines), 1, path, uri))
        return "".join(out)

    def _list(self, lines: Lines, count: int, level: int, path: list[str], uri: Uri) -> str:
        """Return a list of the menu as HTML; ``lines`` are the ones to show out of ``count``."""
        opened = path[level - 1] if len(path) >= level else ""
        out = []
        for line in lines:
            is_open, below = line.page == opened, ""
            if is_open and level < self._depth and (inner := self._below.get(line.page, ())):
                after = path[level] if len(path) > level else ""
                below = self._list(around(inner, after), len(inner), level + 1, path, uri)
            current = "current " if is_open and level == len(path) else ""
            # A link to the open page would reload it.
            target = "#" if current else escape(uri(line.page))
            out.append(
                f'<li class="toctree-l{level}{" current" * is_open}">'
                f'<a class="{current}reference internal" href="{target}">{line.title}</a>{below}</li>\n'
            )
        if len(lines) < count:
            above = path[level - 2]
            target = "#" if level - 1 == len(path) else escape(uri(above))
            out.append(
                f'<li class="toctree-l{level}">'
                f'<a class="reference internal" href="{target}">All {count} …</a></li>\n'
            )
        kind = ' class="current"' if any(line.page == opened for line in lines) else ""
        return f"<ul{kind}>\n{''.join(out)}</ul>\n"


def around(lines: Lines, page: str) -> Lines:
    """Return up to ``MAX_LINES`` lines around that of a page, or the first ones if it has none."""
    index = next((number for number, line in enumerate(lines) if line.page == page), 0)
    start = max(0, min(index - MAX_LINES // 2, len(lines) - MAX_LINES))
    return lines[start : start + MAX_LINES]


def menu_of(app: Sphinx, depth: int, *, hidden: bool) -> Menu | None:
    """Return the menu of a site, made once per process; ``None`` if it is left to Sphinx."""
    builder = app.builder
    assert isinstance(builder, StandaloneHTMLBuilder)  # as our theme is in use
    menus: dict[object, Menu | None] = vars(builder).setdefault("perfguide_menus", {})
    if (depth, hidden) not in menus:
        try:
            menus[depth, hidden] = Menu(builder, depth, hidden)
        except UnusualError:
            menus[depth, hidden] = None
    return menus[depth, hidden]


def asked(app: Sphinx) -> Menu | None:
    """Return the menu that the theme's layout will request; ``None`` if it is left to Sphinx, or if
    templates of the project may request another."""
    if not internals.is_site(app.builder) or not theme.in_use(app.builder):
        return None
    options = internals.theme_options(app.builder)
    collapse, short, hidden = (str(options.get(name)).lower() in TRUE_WORDS for name in OPTIONS)
    depth = int(options.get("navigation_depth", 0))
    if depth < 1 or not (collapse and short) or app.config.templates_path:
        return None
    return menu_of(app, depth, hidden=hidden)


def _replace(
    app: Sphinx, page: str, _template: str, context: dict[str, Any], _doctree: nodes.document
) -> None:
    """Replace the template function ``toctree``, except for options under which menus differ."""
    if not theme.in_use(app.builder):
        return
    sphinx_toctree = context["toctree"]

    def toctree(
        maxdepth: int = 0, *, collapse: bool = True, titles_only: bool = False, **other: Any
    ) -> str:
        if collapse and titles_only and maxdepth > 0:
            menu = menu_of(app, maxdepth, hidden=bool(other.get("includehidden")))
            if menu:
                return menu.html(page, lambda to: app.builder.get_relative_uri(page, to))
        options = {"maxdepth": maxdepth, "collapse": collapse, "titles_only": titles_only}
        return str(sphinx_toctree(**options, **other))

    context["toctree"] = toctree


def setup(app: Sphinx) -> None:
    """Replace Sphinx's menu."""
    app.connect("html-page-context", _replace)
