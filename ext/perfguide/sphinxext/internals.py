"""The inside of Sphinx, docutils and argparse, as far as this package depends on it.

Names that begin with an underscore, objects that no documentation describes, and changes of
what belongs to Sphinx are used here and nowhere else in the package. Each function says which
part it uses and what goes wrong without it. The parts are the same in Sphinx 8.2 to 9.0 where
nothing else is said. ``pyproject.toml`` bounds the versions, and
``tests/project/test_versions.py`` builds a site with the lowest and with the newest of them.
"""

from __future__ import annotations

import argparse
import logging
import os
from collections.abc import Callable, Iterable, Set
from functools import partial
from pathlib import Path
from typing import Any, TypeGuard

from docutils import nodes
from docutils.frontend import Values
from jinja2.ext import Extension
from sphinx._cli.util import errors
from sphinx.application import Sphinx
from sphinx.builders import Builder
from sphinx.builders.html import StandaloneHTMLBuilder
from sphinx.builders.latex import LaTeXBuilder
from sphinx.environment import BuildEnvironment
from sphinx.environment.collectors.toctree import TocTreeCollector
from sphinx.errors import ExtensionError
from sphinx.search import IndexBuilder
from sphinx.util._files import DownloadFiles
from sphinx.util.osutil import relative_uri


def use_processes(app: Sphinx, count: int) -> int:
    """Let so many processes do what follows, as ``-j`` would; returns how many did till now.

    Sets ``app.parallel``. Without it a few changed pages are read more slowly.
    """
    before, app.parallel = app.parallel, count
    return before


def report_exceptions(reason: Callable[[BaseException], str | None]) -> None:
    """Let ``sphinx-build`` print the line that ``reason`` gives for an exception that ends it.

    Replaces ``sphinx._cli.util.errors.handle_exception`` in the process that it is called in.
    Without it a traceback is printed.
    """
    whole = errors.handle_exception

    def handle(exception: BaseException, /, **given: Any) -> None:
        line = None if given["use_pdb"] or given["print_traceback"] else reason(exception)
        if line is None:
            whole(exception, **given)
        else:
            print(f"perfguide: {line}", file=given["stderr"])

    errors.handle_exception = handle


def end_with_status(app: Sphinx, status: int) -> None:
    """Let ``sphinx-build`` exit with a status although the build goes on.

    Sets ``app.statuscode``. Without it faults in the settings exit with 0.
    """
    app.statuscode = status


def files_of_page(builder: Builder, page: str) -> list[str] | None:
    """The files that the builders of sites write for a page, below their folder; ``None`` of
    others.

    Uses the method ``get_outfilename``, and the names of copies of sources. Without it a build in
    which a page goes writes all pages.
    """
    if not isinstance(builder, StandaloneHTMLBuilder) or builder.name not in ("html", "dirhtml"):
        return None
    config, written = builder.config, Path(builder.get_outfilename(page))
    sources = [f"_sources/{page}{s}{t}" for s in config.source_suffix for t in _endings(config)]
    return [str(written.relative_to(builder.outdir)), *sources]


def _endings(config: Any) -> set[str]:
    return {"", str(config.html_sourcelink_suffix)}


def wrap(owner: Any, name: str, wrapper: Callable[..., Any]) -> None:
    """Put a function around a method of one object, where it has that method. The function gets
    the method itself before its arguments.

    Covers ``read_doc``, ``write_doc_serialized``, ``write_doc``, ``prepare_writing`` and
    ``assemble_doctree`` of builders, and ``get_and_resolve_doctree`` of the environment. Without it
    a generated page that cannot be read or written ends the build.
    """
    if method := getattr(owner, name, None):
        vars(owner)[name] = partial(wrapper, method)


def contain_latex(document: nodes.document, replace: Callable[[Exception], nodes.document]) -> None:
    """Let LaTeX be made of another document where that of this one fails.

    Covers ``walkabout`` of the document and begins its translator, a ``LaTeXTranslator``, anew.
    Without it one guide that cannot be written leaves all others without a PDF.
    """
    walk = document.walkabout

    def walkabout(visitor: Any) -> None:
        try:
            walk(visitor)
        except Exception as error:
            other = replace(error)
            other.settings, other.attributes = document.settings, document.attributes.copy()
            visitor.__init__(other, visitor.builder, visitor.theme)
            other.walkabout(visitor)

    vars(document)["walkabout"] = walkabout


def say_nothing_at_the_end(builder: Builder) -> None:
    """Suppress the line that names the folder with the pages, where that is moved away.

    Covers the attribute ``epilog`` of the builder's class by one of its own.
    """
    vars(builder)["epilog"] = ""


def warning_count(app: Sphinx) -> int:
    """How many warnings the build has shown so far.

    Reads ``app._warncount``. Without it a site with warnings would be taken for a sound one.
    """
    return app._warncount


def builder_loggers() -> list[logging.Logger]:
    """The loggers of Sphinx's builders, which Sphinx calls as their modules behind ``sphinx.``.

    Without them a file that could not be written would be a warning, and the build go on.
    """
    names = list(logging.root.manager.loggerDict)
    return [logging.getLogger(n) for n in names if n.startswith("sphinx.sphinx.builders")]


def read_again(app: Sphinx, page: str) -> None:
    """Read a page a second time in a build.

    Does with ``app.builder`` what Sphinx does with each page that is out of date. Without it the
    page to which a menu leads could not list what belongs there.
    """
    app.emit("env-purge-doc", app.env, page)
    app.env.clear_doc(page)
    app.builder.read_doc(page)


def own_settings(document: nodes.document) -> Values:
    """Give a document settings of its own, and return them.

    Before Sphinx 9.0 all pages that a process reads share one object. Without the copy, what a
    generated page may not do would be forbidden on the pages that are read after it.
    """
    document.settings = document.settings.copy()
    return document.settings


def number_no_figures(app: Sphinx) -> None:
    """Leave ``env.toc_fignumbers``, the numbers of tables and figures, to who calls this.

    Replaces ``assign_figure_numbers`` of Sphinx's ``TocTreeCollector``, which is found among
    ``app.events.listeners``. Raises :class:`ExtensionError` where it is not there.
    """
    for listener in app.events.listeners["env-get-updated"]:
        collector = getattr(listener.handler, "__self__", None)
        if type(collector) is TocTreeCollector:
            vars(collector)["assign_figure_numbers"] = lambda _env: []
            return
    raise ExtensionError("perfguide_number_by_page: this version of Sphinx numbers otherwise")


def name_images(env: BuildEnvironment, key: Callable[[str], Any]) -> None:
    """Name pictures of equal file names in the order of ``key``, which gets the path of each, and
    where it is the same, in the order of reading.

    ``env.images`` is a ``FilenameUniqDict``, which numbers names as they come. Without it a
    build on top of an earlier one would name them otherwise than a clean one, and pictures of ours
    would change the names of those of the project.
    """
    ordered = type(env.images)()
    for path, (docnames, _) in sorted(env.images.items(), key=lambda image: key(image[0])):
        for docname in sorted(docnames):
            ordered.add_file(docname, path)
    env.images = ordered


class Downloads(dict[str, tuple[set[str], str]]):
    """The files for download, in the place of Sphinx's ``DownloadFiles``, whose methods it has:
    for each, by its path below the sources, the pages that lead to it, and the name of its copy
    below the folder of all copies.

    Sphinx gives each copy a folder of its own, named by a hash. A large site has tens of
    thousands, and to look at so many folders takes longer than to look at the files. So
    generated files have the names that they have below ``top``; others keep Sphinx's.
    """

    top = ""

    def add_file(self, docname: str, filename: str | os.PathLike[str]) -> Path:
        """Note that a page leads to a file; return the name of its copy."""
        path = os.fspath(filename)
        if path not in self:
            is_ours = bool(self.top) and path.startswith(self.top) and ".." not in path.split("/")
            by_sphinx = "" if is_ours else DownloadFiles().add_file("", path).as_posix()
            self[path] = (set(), by_sphinx or path.removeprefix(self.top))
        pages, name = self[path]
        pages.add(docname)
        return Path(name)

    def purge_doc(self, docname: str) -> None:
        """Forget what a page leads to."""
        for path in [path for path, (pages, _) in self.items() if docname in pages]:
            pages = self[path][0]
            pages.discard(docname)
            if not pages:
                del self[path]

    def merge_other(self, docnames: Set[str], other: Downloads) -> None:
        """Take over what another process has noted of some pages."""
        for path, (pages, _) in other.items():
            for docname in pages & set(docnames):
                self.add_file(docname, path)


def name_downloads_by_path(env: BuildEnvironment, folder: str) -> None:
    """Let the copies of files in a folder below that of the sources have the names that they
    have there.

    Replaces ``env.dlfiles``. Without it the site has a folder for each file for download.
    """
    if not isinstance(vars(env)["dlfiles"], Downloads):
        vars(env)["dlfiles"] = Downloads()
    downloads(env).top = f"{folder}/"


def downloads(env: BuildEnvironment) -> Downloads:
    """The files for download: ``env.dlfiles``, where :func:`name_downloads_by_path` was called."""
    found: Downloads = vars(env)["dlfiles"]
    return found


def forget_others(env: BuildEnvironment) -> None:
    """Forget the contents of all pages and their files for download, in a process that is going to
    read some others.

    Empties ``env.tocs`` and ``env.dlfiles``, of which Sphinx takes from another process what is
    of the pages that it has read. Without it each process sends back all there is.
    """
    env.tocs.clear()
    top = downloads(env).top
    files = vars(env)["dlfiles"] = Downloads()
    files.top = top


def see_downloads(env: BuildEnvironment, files: Downloads) -> None:
    """Let Sphinx copy these files for download and no others."""
    vars(env)["dlfiles"] = files


def take_dependencies(env: BuildEnvironment, docname: str) -> tuple[str, ...]:
    """Take from Sphinx the files that a page was read from, but for its source; their names below
    the folder of the sources, or their whole paths.

    Empties ``env.dependencies``. Without it Sphinx looks for the time of each file, as an object
    for a path, although we know pages by the bytes of their files.
    """
    top = f"{env.srcdir}/"
    return tuple(sorted(str(path).removeprefix(top) for path in env.dependencies.pop(docname, ())))


def forget_leftovers_of_index(env: BuildEnvironment) -> None:
    """Empty what the search index of an earlier build has left in ``env._search_index_…``.

    Without it a build on top of an earlier one would number kinds of objects otherwise than a
    clean one.
    """
    env._search_index_objtypes.clear()
    env._search_index_objnames.clear()
    env._search_index_index_entries.clear()


def prune_index(index: IndexBuilder, docnames: Iterable[str]) -> None:
    """Take all other pages out of the search index, and the words that are on no page then.

    ``_mapping`` and ``_title_mapping`` have the pages of each word, and ``prune`` leaves words
    of no page there.
    """
    index.prune(frozenset(docnames))
    for pages_of_words in (index._mapping, index._title_mapping):
        for word in [word for word, pages in pages_of_words.items() if not pages]:
            del pages_of_words[word]


def index_entries(index: IndexBuilder) -> dict[str, list[tuple[str, str, str]]]:
    """The entries of the general index in the search index, by page, to be changed.

    ``_index_entries``, which Sphinx does not read again from its own earlier output. Without
    it the search would find those of the pages that were written last.
    """
    return index._index_entries


def is_site(builder: Builder) -> TypeGuard[StandaloneHTMLBuilder]:
    """Whether a builder makes a site. That of EPUB stands on Sphinx's builder of sites too."""
    return isinstance(builder, StandaloneHTMLBuilder) and builder.name != "epub"


def way_to_top(builder: StandaloneHTMLBuilder, docname: str) -> str:
    """Return the way from a page to the top of the site: ``../../``, or nothing."""
    own = builder.get_target_uri(docname)
    if own.startswith("#"):
        return ""
    return relative_uri(own, "index.html").removesuffix("index.html")


def theme_folders(builder: StandaloneHTMLBuilder) -> list[Path]:
    """The folder of the theme, and those of the themes that it stands on.

    ``builder.theme`` is an ``HTMLTheme``, of which only its use in templates is described.
    """
    return [Path(folder) for folder in builder.theme.get_theme_dirs()]


def theme_options(builder: StandaloneHTMLBuilder) -> dict[str, Any]:
    """The options of the theme as its templates get them, most of them text."""
    return builder.theme.get_options(builder.theme_options)


def extend_templates(builder: StandaloneHTMLBuilder, extension: type[Extension]) -> None:
    """Add an extension of Jinja to the templates of pages.

    ``builder.templates`` has an ``environment`` unless the project has a ``template_bridge``.
    """
    environment = getattr(builder.templates, "environment", None)
    if environment is not None:
        environment.add_extension(extension)


def set_no_date(builder: LaTeXBuilder) -> None:
    """Print no date on the title page: it would be that of the build.

    ``builder.context`` has the values of the LaTeX template.
    """
    builder.context["date"] = ""


def subcommands(parser: argparse.ArgumentParser) -> dict[str, argparse.ArgumentParser]:
    """The parsers of the commands of a parser, by their names.

    argparse has no public way to go through what was added to a parser but ``_actions``.
    Without it the reference of commands would be written by hand.
    """
    (action,) = (a for a in parser._actions if isinstance(a, argparse._SubParsersAction))
    return dict(action.choices)


def arguments(parser: argparse.ArgumentParser) -> list[argparse.Action]:
    """The arguments of a command but for ``--help``, in their order."""
    return [a for a in parser._actions if not isinstance(a, argparse._HelpAction)]
