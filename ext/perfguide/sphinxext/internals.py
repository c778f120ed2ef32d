"""Undocumented parts of Sphinx, docutils and argparse that this package depends on.

Names with a leading underscore, undocumented objects, and changes to Sphinx's own objects are
confined to this module. Each function names the part it uses and what fails without it. The parts
are the same in Sphinx 8.2 to 9.0 unless noted. ``pyproject.toml`` bounds the versions, and
``tests/project/test_versions.py`` builds a site with the oldest and the newest of them.
"""

from __future__ import annotations

import argparse
import logging
import os
from collections.abc import Callable, Set
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
from sphinx.util.index_entries import split_index_msg
from sphinx.util.osutil import relative_uri


def report_exceptions(reason: Callable[[BaseException], str | None]) -> None:
    """Make ``sphinx-build`` print the line that ``reason`` returns for a fatal exception.

    Replaces ``sphinx._cli.util.errors.handle_exception`` in this process. Without it, a traceback
    would be printed.
    """
    print_traceback = errors.handle_exception

    def handle(exception: BaseException, /, **options: Any) -> None:
        line = None if options["use_pdb"] or options["print_traceback"] else reason(exception)
        if line is None:
            print_traceback(exception, **options)
        else:
            print(f"perfguide: {line}", file=options["stderr"])

    errors.handle_exception = handle


def end_with_status(app: Sphinx, status: int) -> None:
    """Make ``sphinx-build`` exit with a status although the build continues.

    Sets ``app.statuscode``. Without it, faulty settings would exit with 0.
    """
    app.statuscode = status


def is_written_by_page(builder: Builder) -> TypeGuard[StandaloneHTMLBuilder]:
    """Return whether a builder makes a site with one file per page."""
    return isinstance(builder, StandaloneHTMLBuilder) and builder.name in ("html", "dirhtml")


def files_of_page(builder: Builder, page: str) -> list[str]:
    """Return the files that a builder writes for a page, relative to its output folder.

    Uses ``get_outfilename`` of site builders and the names they give to copies of sources, and
    ``out_suffix`` of other builders. Without it, a build that loses a page would rewrite every
    page.
    """
    if not is_written_by_page(builder):
        return [f"{page}{getattr(builder, 'out_suffix', '')}"]
    config, file = builder.config, Path(builder.get_outfilename(page))
    ends = {"", str(config.html_sourcelink_suffix)}
    sources = [f"_sources/{page}{suffix}{end}" for suffix in config.source_suffix for end in ends]
    return [str(file.relative_to(builder.outdir)), *sources]


def wrap(owner: Any, name: str, wrapper: Callable[..., Any]) -> None:
    """Wrap a method of one object, if it has it. The wrapper gets the original method as its first
    argument.

    Used for ``read_doc``, ``write_doc_serialized``, ``write_doc``, ``prepare_writing`` and
    ``assemble_doctree`` of builders, and for ``get_and_resolve_doctree`` of the environment.
    Without it, a generated page that cannot be read or written would end the build.
    """
    if method := getattr(owner, name, None):
        vars(owner)[name] = partial(wrapper, method)


def contain_latex(
    document: nodes.document,
    attempt: Callable[[Callable[[], None]], nodes.document | None],
) -> None:
    """If writing a document as LaTeX fails, write the one that ``attempt`` returns instead.
    ``attempt`` is called with the function that writes, and returns ``None`` if that succeeds.

    Shadows ``walkabout`` of the document, and reinitialises its translator, a ``LaTeXTranslator``.
    Without it, one guide that cannot be written would leave all others without a PDF.
    """
    walk = document.walkabout

    def walkabout(visitor: Any) -> None:
        def write() -> None:
            walk(visitor)

        other = attempt(write)
        if other is not None:
            other.settings, other.attributes = document.settings, document.attributes.copy()
            visitor.__init__(other, visitor.builder, visitor.theme)
            other.walkabout(visitor)

    vars(document)["walkabout"] = walkabout


def suppress_epilog(builder: Builder) -> None:
    """Suppress the last line, which names the folder of the pages: it will be moved.

    Shadows the builder's class attribute ``epilog``.
    """
    vars(builder)["epilog"] = ""


def warning_count(app: Sphinx) -> int:
    """Return the number of warnings so far.

    Reads ``app._warncount``. Without it, builds with warnings would count as clean.
    """
    return app._warncount


def builder_loggers() -> list[logging.Logger]:
    """Return the loggers of Sphinx's builders, named ``sphinx.`` and their module.

    Without them, a file that cannot be written would only cause a warning.
    """
    names = list(logging.root.manager.loggerDict)
    return [logging.getLogger(n) for n in names if n.startswith("sphinx.sphinx.builders")]


def read_again(app: Sphinx, page: str) -> None:
    """Read a page a second time within a build.

    Calls what Sphinx calls for each outdated page. Without it, the page that another project's menu
    leads to could not list all generated pages.
    """
    app.emit("env-purge-doc", app.env, page)
    app.env.clear_doc(page)
    app.builder.read_doc(page)


def own_settings(document: nodes.document) -> Values:
    """Give a document its own copy of the settings, and return it.

    Before Sphinx 9.0, all pages read by a process share one object. Without the copy, the
    restrictions on a generated page would also apply to the pages read after it.
    """
    document.settings = document.settings.copy()
    return document.settings


def number_no_figures(app: Sphinx) -> None:
    """Stop Sphinx from setting ``env.toc_fignumbers``, the numbers of tables and figures.

    Shadows ``assign_figure_numbers`` of Sphinx's ``TocTreeCollector``, found through
    ``app.events.listeners``. Raises :class:`ExtensionError` if there is none.
    """
    for listener in app.events.listeners["env-get-updated"]:
        collector = getattr(listener.handler, "__self__", None)
        if type(collector) is TocTreeCollector:
            vars(collector)["assign_figure_numbers"] = lambda _env: []
            return
    raise ExtensionError("perfguide_number_by_page: this version of Sphinx numbers in another way")


def name_images(env: BuildEnvironment, key: Callable[[str], Any]) -> None:
    """Number pictures with equal file names in the order of ``key``, a function of their paths.

    ``env.images`` is a ``FilenameUniqDict``, which numbers names in reading order. Without this, an
    incremental build would name pictures differently from a clean one, and generated pictures would
    change the names of the project's own.
    """
    ordered = type(env.images)()
    for path, (docnames, _) in sorted(env.images.items(), key=lambda image: key(image[0])):
        for docname in sorted(docnames):
            ordered.add_file(docname, path)
    env.images = ordered


class Downloads(dict[str, tuple[set[str], str]]):
    """Downloadable files, with the methods of Sphinx's ``DownloadFiles``. Maps paths relative to
    the sources to the pages that link there and the name of the copy below ``_downloads``.

    Sphinx puts each copy into a folder named by a hash. Here, generated files keep their names
    below ``top`` as readable addresses; other files keep Sphinx's.
    """

    top = ""

    def add_file(self, docname: str, filename: str | os.PathLike[str]) -> Path:
        """Note that a page links to a file, and return the name of its copy."""
        path = os.fspath(filename)
        if path not in self:
            is_ours = bool(self.top) and path.startswith(self.top) and ".." not in path.split("/")
            by_sphinx = "" if is_ours else DownloadFiles().add_file("", path).as_posix()
            self[path] = (set(), by_sphinx or path.removeprefix(self.top))
        pages, name = self[path]
        pages.add(docname)
        return Path(name)

    def purge_doc(self, docname: str) -> None:
        """Forget the links of a page."""
        for path in [path for path, (pages, _) in self.items() if docname in pages]:
            pages = self[path][0]
            pages.discard(docname)
            if not pages:
                del self[path]

    def merge_other(self, docnames: Set[str], other: Downloads) -> None:
        """Add the links of some pages that another process has read."""
        for path, (pages, _) in other.items():
            for docname in pages & set(docnames):
                self.add_file(docname, path)


def name_downloads_by_path(env: BuildEnvironment, folder: str) -> None:
    """Keep the names of files below a source folder for their copies.

    Replaces ``env.dlfiles``. Without it, the addresses of downloads would contain hashes.
    """
    if not isinstance(vars(env)["dlfiles"], Downloads):
        vars(env)["dlfiles"] = Downloads()
    downloads(env).top = f"{folder}/"


def downloads(env: BuildEnvironment) -> Downloads:
    """Return ``env.dlfiles``; requires :func:`name_downloads_by_path` to have run."""
    files: Downloads = vars(env)["dlfiles"]
    return files


def forget_others(env: BuildEnvironment) -> None:
    """Forget the contents and downloads of all pages, in a process that is about to read some.

    Empties ``env.tocs`` and ``env.dlfiles``, which Sphinx merges page by page. Without it, every
    process would send back those of the entire site.
    """
    env.tocs.clear()
    downloads(env).clear()


def forget_leftovers_of_index(env: BuildEnvironment) -> None:
    """Empty ``env._search_index_…``, which keeps parts of the last build's search index.

    Without it, an incremental build would number kinds of objects differently from a clean one.
    """
    env._search_index_objtypes.clear()
    env._search_index_objnames.clear()
    env._search_index_index_entries.clear()


def complete_index(index: IndexBuilder, env: BuildEnvironment) -> None:
    """Remove deleted pages from the search index, along with words that no page has any more, and
    add the general index entries of pages that were not written.

    ``prune`` leaves such words in ``_mapping`` and ``_title_mapping``, which map words to pages,
    and Sphinx does not restore ``_index_entries`` from its earlier output. Without it, the search
    would only find entries of the pages written last.
    """
    index.prune(env.all_docs)
    for pages_of_words in (index._mapping, index._title_mapping):
        for word in [word for word, pages in pages_of_words.items() if not pages]:
            del pages_of_words[word]
    index._index_entries.clear()
    for docname, entries in sorted(env.domains.index_domain.entries.items()):
        is_unsearched = {"nosearch", "no-search"} & env.metadata.get(docname, {}).keys()
        if docname in index._titles and not is_unsearched:
            index._index_entries[docname] = sorted(
                {
                    (words, anchor or "", main)
                    for kind, value, anchor, main, _ in entries
                    for words in split_index_msg(kind, value)
                }
            )


def is_site(builder: Builder) -> TypeGuard[StandaloneHTMLBuilder]:
    """Return whether a builder makes a site. The EPUB builder is a subclass that does not."""
    return isinstance(builder, StandaloneHTMLBuilder) and builder.name != "epub"


def way_to_top(builder: StandaloneHTMLBuilder, docname: str) -> str:
    """Return the relative path from a page to the top of the site, such as ``../../``; may be
    empty."""
    address = builder.get_target_uri(docname)
    if address.startswith("#"):
        return ""
    return relative_uri(address, "index.html").removesuffix("index.html")


def theme_folders(builder: StandaloneHTMLBuilder) -> list[Path]:
    """Return the folders of the theme and of the themes that it inherits from.

    ``builder.theme`` is an ``HTMLTheme``, which is only documented for templates.
    """
    return [Path(folder) for folder in builder.theme.get_theme_dirs()]


def theme_options(builder: StandaloneHTMLBuilder) -> dict[str, Any]:
    """Return the theme's options as its templates see them, mostly strings."""
    return builder.theme.get_options(builder.theme_options)


def extend_templates(builder: StandaloneHTMLBuilder, extension: type[Extension]) -> None:
    """Add a Jinja extension to the templates of pages.

    ``builder.templates`` has an ``environment`` unless the project has a ``template_bridge``.
    """
    environment = getattr(builder.templates, "environment", None)
    if environment is not None:
        environment.add_extension(extension)


def set_no_date(builder: LaTeXBuilder) -> None:
    """Remove the date, that of the build, from the title page.

    ``builder.context`` holds the values of the LaTeX template.
    """
    builder.context["date"] = ""


def subcommands(parser: argparse.ArgumentParser) -> dict[str, argparse.ArgumentParser]:
    """Return the subparsers of a parser by name.

    argparse only lists them in ``_actions``. Without it, the reference of commands would have to be
    written by hand.
    """
    (action,) = (a for a in parser._actions if isinstance(a, argparse._SubParsersAction))
    return dict(action.choices)


def arguments(parser: argparse.ArgumentParser) -> list[argparse.Action]:
    """Return the arguments of a command in order, without ``--help`` and those that it hides."""
    hidden = argparse.SUPPRESS
    return [a for a in parser._actions if a.dest != "help" and a.help != hidden]
