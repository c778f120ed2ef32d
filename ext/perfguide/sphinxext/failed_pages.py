"""Notices in place of generated pages that Sphinx cannot read or write.

An exception that one upload causes in a directive, a transform, a writer or the search index must
not end the build. Exceptions on hand-written pages do end it, as usual.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from docutils import nodes
from docutils.utils import new_document
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment

from ..common import containment, rst_text
from ..common.diagnostics import Diagnostic
from . import internals
from .config import warn
from .guest import generated_sources

T = TypeVar("T")

KEY = "perfguide_unmade"
"""The metadata key of a page that was replaced with a notice."""

SUFFIX = ".rst"


class Notices:
    """The generated pages of a build, and the notices that replace some of them."""

    def __init__(self, app: Sphinx) -> None:
        self._app = app
        top = app.config.perfguide_output
        sources = generated_sources(app.srcdir, top)
        self.pages = {name.removesuffix(SUFFIX) for name in sources}
        self.sources: dict[str, str] = {}

    def begin(self) -> None:
        """Contain the builder's exceptions while it reads or writes a generated page."""
        builder = self._app.builder
        for name, contained in (
            ("read_doc", self._read),
            ("write_doc_serialized", self._index),
            ("write_doc", self._write),
            ("prepare_writing", self._prepare),
            ("assemble_doctree", self._assemble),
        ):
            internals.wrap(builder, name, contained)

    def replace_source(self, _app: Sphinx, page: str, source: list[str]) -> None:
        """Replace the source of a page that could not be read with that of its notice."""
        source[0] = self.sources.get(page, source[0])

    def _read(self, read: Callable[..., None], page: str, *args: Any, **options: Any) -> None:
        if page not in self.pages:
            read(page, *args, **options)
            return

        def replaced(finding: Diagnostic) -> None:
            env = self._app.env
            # Nothing from the failed attempt may remain in the environment.
            self._app.emit("env-purge-doc", env, page)
            env.clear_doc(page)
            title = page.rpartition("/")[2]
            self.sources[page] = _source(title, finding.message)
            try:
                read(page, *args, **options)
            finally:
                del self.sources[page]
            env.metadata[page][KEY] = finding.message
            warn([finding])

        self._attempt("read", page, lambda: read(page, *args, **options), replaced)

    def _prepare(self, prepare: Callable[..., None], *args: Any, **options: Any) -> None:
        # The wrapper cannot be pickled, but from here on the environment no longer is.
        internals.wrap(self._app.env, "get_and_resolve_doctree", self._resolve)
        prepare(*args, **options)

    def _resolve(
        self, resolve: Callable[..., nodes.document], page: str, *args: Any, **options: Any
    ) -> nodes.document:
        return self._attempt(
            "put together",
            page,
            lambda: resolve(page, *args, **options),
            partial(self._notice, page),
        )

    def _index(self, index: Callable[..., None], page: str, *args: Any, **options: Any) -> None:
        self._attempt(
            "indexed", page, lambda: index(page, *args, **options), lambda finding: warn([finding])
        )

    def _write(self, write: Callable[..., None], page: str, doctree: nodes.document) -> None:
        def replaced(finding: Diagnostic) -> None:
            # The page's metadata may have caused the exception.
            self._app.env.metadata[page] = {}
            write(page, self._notice(page, finding))
            self._write_again(page)

        # The page is already a notice because it could not be assembled.
        if doctree.get(KEY):
            self._app.env.metadata[page] = {}
            write(page, doctree)
            self._write_again(page)
        else:
            self._attempt("written", page, lambda: write(page, doctree), replaced)

    def _assemble(
        self, assemble: Callable[..., nodes.document], page: str = "", *args: Any, **options: Any
    ) -> nodes.document:
        if not page:
            return assemble()  # the singlehtml builder makes one document of all pages
        notice = partial(self._notice, page)
        document: nodes.document = self._attempt(
            "put together", page, lambda: assemble(page, *args, **options), notice
        )
        if page in self.pages and not document.get(KEY):
            internals.contain_latex(
                document, lambda write: self._attempt("written", page, write, notice)
            )
        return document

    def _attempt(
        self,
        done: str,
        page: str,
        make: Callable[[], T],
        replace: Callable[[Diagnostic], T],
    ) -> T:
        if page not in self.pages:
            return make()
        return containment.attempt(
            f"the page {page}", f"{page}{SUFFIX}", make, replace, f"could not be {done}"
        )

    def _notice(self, page: str, finding: Diagnostic) -> nodes.document:
        """Warn that a page could not be made, and return one that gives the reason."""
        warn([finding])
        env = self._app.env
        document = new_document(str(env.doc2path(page)))
        # Transforms and writers look for the environment there.
        document.settings.env = env
        document[KEY] = True
        title = env.titles[page].deepcopy() if page in env.titles else nodes.title("", page)
        warning = nodes.warning("", nodes.paragraph("", finding.message))
        document += nodes.section("", title, warning, ids=["notice"])
        return document

    def _write_again(self, page: str) -> None:
        """Make the next build rewrite a page, by resetting its file's modification time."""
        for name in internals.files_of_page(self._app.builder, page):
            path = Path(self._app.outdir, name)
            if path.is_file():
                os.utime(path, (0, 0))


def _source(title: str, reason: str) -> str:
    heading = rst_text.heading(title, "=")
    return f".. perf-generated::\n\n{heading}\n\n.. warning::\n\n   {rst_text.text(reason)}\n"


def _begin(app: Sphinx) -> None:
    notices = Notices(app)
    notices.begin()
    app.connect("source-read", notices.replace_source, priority=-900)  # others may be what failed


def _to_read(_app: Sphinx, env: BuildEnvironment, *_pages: Iterable[str]) -> list[str]:
    """Return the pages that could not be read, so that Sphinx reads them again."""
    return [page for page, metadata in env.metadata.items() if KEY in metadata]


def setup(app: Sphinx) -> None:
    """Register the listeners; the first runs after the pages have been generated."""
    app.connect("builder-inited", _begin, priority=900)
    app.connect("env-get-outdated", _to_read)
