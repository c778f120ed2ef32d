"""The menu beside each page: the same lines as Sphinx's, made for all pages at once.

Sphinx makes the whole tree of pages anew for each page, and then takes away what the page
does not show, so the time for all pages grows with their square. Here what a page lists is
noted once. Of a list too long to look through the menu has the part around the open page, so
that the bytes of all pages stay in proportion as well.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from html import escape
from typing import Any, TypeGuard

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment

from . import internals, theme

MOST = 24
"""Lines of one list below the first level."""

OPTIONS = ("collapse_navigation", "titles_only", "includehidden")
TRUE = ("true", "1", "yes", "on", "t")
"""How options of a theme say yes."""


class UnusualError(Exception):
    """Contents of which only Sphinx knows what the menu has to show."""


def is_span(part: nodes.Node) -> TypeGuard[nodes.inline]:
    """Whether a part of a title is text that has a class."""
    is_text = all(isinstance(each, nodes.Text) for each in part.children)
    return type(part) is nodes.inline and bool(part["classes"]) and is_text


@dataclass(frozen=True, slots=True)
class Line:
    """A line of the menu: a page, and the title of the link to it as HTML."""

    page: str
    title: str


Lines = tuple[Line, ...]
Uri = Callable[[str], str]


class Menu:
    """What the menus of all pages show.

    ``depth`` is the number of levels, ``hidden`` whether lists are shown that pages
    themselves do not show. Raises :class:`UnusualError`.
    """

    def __init__(self, env: BuildEnvironment, depth: int, hidden: bool) -> None:
        if any(env.toc_secnumbers.values()):
            raise UnusualError("numbered sections")
        self._env, self._depth, self._hidden = env, depth, hidden
        self._below = {page: self._listed(page) for page in env.toctree_includes}
        self._parents = {
            child: page
            for page in sorted(env.toctree_includes)
            for child in env.toctree_includes[page]
        }
        trees = self._trees(env.master_doctree)
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
        link = next(iter(items[0].findall(nodes.reference)), None)
        if link is None:
            raise UnusualError(page)
        return "".join(self._words(part, page) for part in link.children)

    def _words(self, part: nodes.Node, page: str) -> str:
        """A part of a title as HTML: text, or text in a ``span`` with classes."""
        if isinstance(part, nodes.Text):
            return escape(part.astext())
        if not is_span(part) or any(part.get(key) for key in ("ids", "names")):
            raise UnusualError(page)
        classes = escape(" ".join(part["classes"]))
        return f'<span class="{classes}">{escape(part.astext())}</span>'

    def _listed(self, page: str) -> Lines:
        """The pages that a page lists."""
        trees = self._trees(self._env.tocs[page])
        return tuple(line for tree in trees for line in self._lines(tree))

    def _way(self, page: str) -> list[str]:
        """The pages from the first level of the menu down to a page."""
        up: list[str] = []
        while page and page != self._env.config.root_doc and page not in up:
            up.append(page)
            page = self._parents.get(page, "")
        return up[::-1]

    def shown(self, page: str) -> list[tuple[str, int, Lines]]:
        """The lists in the menu of a page, those of the root page first: what stands above
        a list, how many lines it has, and those that are shown."""
        way = self._way(page)
        opened = zip(way[: self._depth - 1], [*way[1:], ""], strict=False)
        below = ((name, self._below.get(name, ()), to) for name, to in opened)
        return [
            *((caption, len(lines), lines) for caption, lines in self._chapters),
            *((name, len(lines), around(lines, to)) for name, lines, to in below),
        ]

    def html(self, page: str, uri: Uri) -> str:
        """The menu of a page; ``uri`` gives the address of another page from there."""
        way = self._way(page)
        out = []
        for caption, lines in self._chapters:
            if caption:
                out.append(
                    '<p class="caption" role="heading">'
                    f'<span class="caption-text">{caption}</span></p>\n'
                )
            out.append(self._list(lines, len(lines), 1, way, uri))
        return "".join(out)

    def _list(self, lines: Lines, count: int, level: int, way: list[str], uri: Uri) -> str:
        """A list of the menu, of which ``lines`` are the part that is shown."""
        opened = way[level - 1] if len(way) >= level else ""
        out = []
        for line in lines:
            is_open, below = line.page == opened, ""
            if is_open and level < self._depth and (inner := self._below.get(line.page, ())):
                after = way[level] if len(way) > level else ""
                below = self._list(around(inner, after), len(inner), level + 1, way, uri)
            here = "current " if is_open and level == len(way) else ""
            target = "#" if here else escape(uri(line.page))
            out.append(
                f'<li class="toctree-l{level}{" current" * is_open}">'
                f'<a class="{here}reference internal" href="{target}">{line.title}</a>{below}</li>\n'
            )
        if len(lines) < count:
            above = way[level - 2]
            target = "#" if level - 1 == len(way) else escape(uri(above))
            out.append(
                f'<li class="toctree-l{level}">'
                f'<a class="reference internal" href="{target}">All {count} …</a></li>\n'
            )
        kind = ' class="current"' if any(line.page == opened for line in lines) else ""
        return f"<ul{kind}>\n{''.join(out)}</ul>\n"


def around(lines: Lines, page: str) -> Lines:
    """The lines of a list around one page; the first ones where it is not among them."""
    at = next((number for number, line in enumerate(lines) if line.page == page), 0)
    start = max(0, min(at - MOST // 2, len(lines) - MOST))
    return lines[start : start + MOST]


def of(app: Sphinx, depth: int, *, hidden: bool) -> Menu | None:
    """The menu of a site, made once in each process; nothing where it is not ours."""
    menus: dict[object, Menu | None] = vars(app.builder).setdefault("perfguide_menus", {})
    if (depth, hidden) not in menus:
        try:
            menus[depth, hidden] = Menu(app.env, depth, hidden)
        except UnusualError:
            menus[depth, hidden] = None
    return menus[depth, hidden]


def asked(app: Sphinx) -> Menu | None:
    """The menu that the theme's layout will ask for; nothing where it is not ours, or
    where templates of the project may ask for another."""
    if not internals.is_site(app.builder) or not theme.in_use(app.builder):
        return None
    options = internals.theme_options(app.builder)
    collapse, short, hidden = (str(options.get(name)).lower() in TRUE for name in OPTIONS)
    depth = int(options.get("navigation_depth", 0))
    if depth < 1 or not (collapse and short) or app.config.templates_path:
        return None
    return of(app, depth, hidden=hidden)


def _replace(
    app: Sphinx, page: str, _template: str, context: dict[str, Any], _doctree: nodes.document
) -> None:
    """Let the layout ask us instead of Sphinx, where our menu is the same."""
    if not theme.in_use(app.builder):
        return
    of_sphinx = context["toctree"]

    def toctree(
        maxdepth: int = 0, *, collapse: bool = True, titles_only: bool = False, **other: Any
    ) -> str:
        if collapse and titles_only and maxdepth > 0:
            menu = of(app, maxdepth, hidden=bool(other.get("includehidden")))
            if menu:
                return menu.html(page, lambda to: app.builder.get_relative_uri(page, to))
        given = {"maxdepth": maxdepth, "collapse": collapse, "titles_only": titles_only}
        return str(of_sphinx(**given, **other))

    context["toctree"] = toctree


def setup(app: Sphinx) -> None:
    """Put our menu into the place of Sphinx's."""
    app.connect("html-page-context", _replace)
