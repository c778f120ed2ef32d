"""Makes incremental builds of a site equal to clean ones.

Sphinx re-reads a page if its modification time is newer, and writes the pages it has read. But a
copied file may be older than the one it replaces, pages show titles of other pages, and the search
index keeps words of deleted pages. So the identity of each file that a page was read from is kept,
along with a hash of everything that the page shows of other pages.
"""

from __future__ import annotations

import errno
import hashlib
import logging
import os
import shutil
import sys
import time
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Set
from dataclasses import dataclass, field
from functools import cached_property, partial
from pathlib import Path
from typing import Any

import msgspec
from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.builders.html import StandaloneHTMLBuilder
from sphinx.config import Config
from sphinx.environment import BuildEnvironment
from sphinx.environment.collectors import EnvironmentCollector
from sphinx.errors import ExtensionError
from sphinx.util import docname_join

from ..bundles.object_store import is_url
from ..charts import gallery
from ..publishing.atomic_swap import ASSETS
from ..publishing.last_build import REPORT, Folders, Inputs, other_names
from ..publishing.output_folder import Writer
from ..publishing.store import UNSURE, Identity, Store, below, identify, remove
from . import internals, menu, theme
from .config import page_name, settings

DOWNLOADS = "_downloads/"
"""The folder of copies of downloadable files, relative to that of the pages."""

Reference = tuple[str, str, str]
"""The domain, kind and target of a reference."""


@dataclass(slots=True)
class State:
    """Facts about pages that are kept in Sphinx's environment from build to build.

    ``read`` has the identity of every file that a page was read from, ``named`` the references on
    each page, and ``borrowed`` a hash of what each page showed of other pages when it was written.
    """

    read: dict[str, Identity] = field(default_factory=dict)
    named: dict[str, set[Reference]] = field(default_factory=dict)
    borrowed: dict[str, str] = field(default_factory=dict)


def state(env: BuildEnvironment) -> State:
    """Return the state that belongs to an environment."""
    out: State = vars(env).setdefault("perfguide_state", State())
    return out


def identify_since(path: str, began_ns: int) -> Identity:
    """Return a file's identity, or ``UNSURE`` if it changed after ``began_ns``, so that its bytes
    may not be the ones that were read."""
    now = identify(path)
    # An identity ends with the times of the last change of content and status.
    return UNSURE if max(now[3:]) >= began_ns else now


class Rebuild(EnvironmentCollector):
    """Determines which pages to read and write besides those that Sphinx detects, and reports the
    inputs."""

    def __init__(self) -> None:
        self._process = os.getpid()
        self._started_ns = self._reading_ns = time.time_ns()
        self._store = Store()
        self._listings: Mapping[str, str] = {}
        self._removed = set[str]()
        self._copied = set[str]()

    def begin(self, store: Store, listings: Mapping[str, str]) -> None:
        """Set the hashes of files, and of listings of URLs, from which pages were generated."""
        self._store, self._listings = store, listings

    def forget_other_pages(self, app: Sphinx, _docname: str, _source: list[str]) -> None:
        """Forget the state of all pages in a process that Sphinx has forked to read some of them,
        as it sends back its entire environment."""
        if self._process != os.getpid():
            self._process = os.getpid()
            # Otherwise every process would send back the contents of all pages.
            vars(app.env)["perfguide_state"] = State()
            internals.forget_others(app.env)

    def process_doc(self, app: Sphinx, doctree: nodes.document) -> None:
        """Note the references on a page that was read."""
        docname = app.env.current_document.docname
        state(app.env).named[docname] = references(doctree, docname)

    def clear_doc(self, _app: Sphinx, env: BuildEnvironment, docname: str) -> None:
        """Forget a page."""
        state(env).named.pop(docname, None)

    def merge_other(
        self, _app: Sphinx, env: BuildEnvironment, docnames: Set[str], other: BuildEnvironment
    ) -> None:
        """Copy the references on pages that another process has read."""
        named = state(other).named
        state(env).named |= {name: named[name] for name in docnames & named.keys()}

    def get_outdated_docs(
        self,
        app: Sphinx,
        env: BuildEnvironment,
        added: set[str],
        changed: set[str],
        removed: set[str],
    ) -> list[str]:
        """Return the pages with a changed file, whatever its modification time."""
        # A file that changes after this may have been read in either state.
        self._reading_ns = time.time_ns()
        self._removed, self._copied = set(removed), _copies(app)
        others = {path for path, then in state(env).read.items() if identify(path) != then}
        return [name for name in env.all_docs if not others.isdisjoint(_files_of(env, name))]

    def get_updated_docs(self, app: Sphinx, env: BuildEnvironment) -> list[str]:
        """Return the pages to write besides those that were read."""
        pages, borrowed_before = state(env), state(env).borrowed
        # Pictures that pages drew themselves are new, so their identity is certain.
        drawn = f"{env.srcdir}/{page_name(env.config.perfguide_output, gallery.DRAWN)}/"
        pages.read = {
            path: identify(path)
            if path.startswith(drawn)
            else identify_since(path, self._reading_ns)
            for path in {path for name in env.all_docs for path in _files_of(env, name)}
        }
        # Sphinx numbers equal names in reading order.
        internals.name_images(env, lambda path: path)
        internals.forget_leftovers_of_index(env)
        to_write = sorted(env.all_docs)
        obsolete = self._copied - _copies(app)
        if internals.is_written_by_page(app.builder):
            borrowing = Borrowed(app, app.builder, pages.named)
            pages.borrowed = {name: borrowing.hash_of(name) for name in to_write}
            to_write = [
                name for name, sha in pages.borrowed.items() if sha != borrowed_before.get(name)
            ]
            for page in self._removed:
                obsolete |= {*internals.files_of_page(app.builder, page)}
        if len(to_write) == len(env.all_docs):
            # Every page is rewritten, so nothing else may remain from an earlier build.
            _clear(app)
        for name in obsolete:
            remove(Path(app.outdir, name), Path(app.outdir))
        return to_write

    def report(self, app: Sphinx, exception: Exception | None) -> None:
        """Report that the site is complete, and its inputs."""
        if exception is None and REPORT in os.environ:
            with os.fdopen(int(os.environ[REPORT]), "wb", closefd=False) as file:
                file.write(msgspec.msgpack.encode(self._inputs(app)))

    def _inputs(self, app: Sphinx) -> Inputs:
        config = app.config
        pictures = (config.html_logo, config.html_favicon, config.latex_logo)
        paths = ("conf.py", *pictures, *config.latex_additional_files)
        modules = (getattr(module, "__file__", None) or "" for module in list(sys.modules.values()))
        # Installed packages are compared by version instead.
        of_project = (m for m in modules if not m.startswith((sys.prefix, sys.base_prefix)))
        given = (*of_project, *(str(app.confdir / path) for path in paths if path), *_assets(app))
        files = self._store.seen | {
            path: identify_since(path, self._started_ns) for path in given if path
        }
        files |= state(app.env).read
        # These are new: this build wrote them.
        output = Path(app.srcdir, config.perfguide_output)
        ours = (f"{output}/{name}" for name in Writer(output).ours)
        files |= {path: identify(path) for path in (*ours, *below(output / gallery.DRAWN))}
        files = {os.path.abspath(path): file for path, file in files.items()}  # noqa: PTH100 - Path keeps ..
        folders, build_folders = _folders(app), _build_folders(app)
        is_complete = not internals.warning_count(app) and all(self._listings.values())
        others = other_names(folders, build_folders, files)
        return Inputs(files, folders, build_folders, others, dict(self._listings), is_complete)


def _assets(app: Sphinx) -> Iterator[str]:
    """Yield the project's files that affect all pages."""
    config = app.config
    for given in (*config.html_static_path, *config.templates_path, *config.html_extra_path):
        path = str(Path(app.confdir, str(given)))
        yield from sorted(below(path)) or [path]


def _folders(app: Sphinx) -> Folders:
    """Return the folders in which a new file can change the site."""
    config, given = app.config, settings(app.config, Path(app.srcdir))
    assets = (*config.html_static_path, *config.templates_path, *config.html_extra_path)
    results = (path for path in given.results if not is_url(path))
    paths = {*results, *given.benchmarks, *(Path(app.confdir, asset) for asset in assets)}
    others = sorted(os.path.abspath(path) for path in paths)  # noqa: PTH100 - Path keeps ..
    return ((str(app.srcdir), tuple(config.source_suffix)), *((path, ("",)) for path in others))


def _build_folders(app: Sphinx) -> tuple[str, ...]:
    """Return folders below the source folder that belong to builds."""
    work = Path(app.outdir).parent
    inside = Path(app.srcdir).is_relative_to(work.parent)
    return (str(work), str(work.with_name(work.name[1:]))) if inside else (str(work.parent),)


def _files_of(env: BuildEnvironment, docname: str) -> set[str]:
    """Return the files that a page is read from."""
    paths = (env.doc2path(docname), *env.dependencies.get(docname, ()))
    return {os.path.join(env.srcdir, path) for path in paths}  # noqa: PTH118 - Path is slow


def _copies(app: Sphinx) -> set[str]:
    """Return the files copied beside the pages, downloads and pictures, relative to the pages'
    folder."""
    images = f"{app.builder.imagedir}/" if app.builder.imagedir else ""
    copied = ((DOWNLOADS, internals.downloads(app.env)), (images, app.env.images))
    return {f"{folder}{name}" for folder, files in copied for _, name in files.values()}


def _clear(app: Sphinx) -> None:
    """Remove the files of earlier builds, except assets, which are from this one."""
    for path in set(Path(app.outdir).iterdir()) - {Path(app.outdir, ASSETS)}:
        shutil.rmtree(path) if path.is_dir() else path.unlink()


def _complete_index(app: Sphinx) -> Iterable[tuple[str, dict[str, Any], str]]:
    """Make the search index equal to that of a clean build.

    For pages that are not rewritten, Sphinx reuses its earlier output, which keeps words that no
    page has any more and loses entries of the general index.
    """
    builder = app.builder
    if isinstance(builder, StandaloneHTMLBuilder) and builder.indexer is not None:
        internals.complete_index(builder.indexer, app.env)
    return ()


def references(doctree: nodes.document, docname: str) -> set[Reference]:
    """Return the references on a page; those to pages by their full names."""
    out = set()
    for node in doctree.findall(addnodes.pending_xref):
        domain, kind, target = (
            str(node.get(f"ref{part}")) for part in ("domain", "type", "target")
        )
        # Pages refer to each other by relative names, but titles are looked up by full names.
        if (domain, kind) == ("std", "doc"):
            target = docname_join(str(node.get("refdoc", docname)), target)
        out.add((domain, kind, target))
    return out


class Borrowed:
    """Hashes of everything that pages show of other pages. ``named`` has the references on each
    page."""

    def __init__(
        self, app: Sphinx, builder: StandaloneHTMLBuilder, named: Mapping[str, set[Reference]]
    ) -> None:
        self._app, self._builder, self._env, self._named = app, builder, app.env, named
        self._menu = menu.asked(app)
        self._relations = app.env.collect_relations()
        self._files: dict[str, list[tuple[str, str]]] = defaultdict(list)
        for files in (app.env.images, internals.downloads(app.env)):
            for path, (docnames, name) in files.items():
                for docname in docnames:
                    self._files[docname].append((path, name))

    def hash_of(self, docname: str) -> str:
        """Return a hash of everything that a page shows of other pages."""
        trees = self._env.tocs[docname].findall(addnodes.toctree)
        listed = [self._env.resolve_toctree(docname, self._builder, tree) for tree in trees]
        return _hash(
            self._everywhere,
            self._menu.lists(docname) if self._menu else None,
            [(name, self._title(name)) for name in self._around(docname)],
            [toctree.pformat() for toctree in listed if toctree],
            sorted(self._files.get(docname, ())),
            [self._resolved(name) for name in sorted(self._named.get(docname, ()))],
        ).hex()

    def _around(self, docname: str) -> Iterator[str]:
        """Yield the pages before and after a page, and those above it."""
        _, before, after = self._relations.get(docname, (None, None, None))
        yield from (before or "", after or "")
        yield from theme.pages_above(self._relations, docname)

    def _title(self, docname: str) -> str:
        titles = (self._env.titles.get(docname), self._env.longtitles.get(docname))
        return "".join(map(str, titles))

    def _resolved(self, reference: Reference) -> object:
        """Return a reference with its possible targets."""
        domain, kind, target = reference
        if domain == "std" and kind in ("doc", "ref", "term"):
            return reference, self._targets.get(target.lower())
        # For other references, only the domain knows which of its objects is the target.
        return reference, self._objects

    @cached_property
    def _targets(self) -> dict[str, list[object]]:
        """Pages, labels and terms by their names in lower case."""
        out: dict[str, list[object]] = defaultdict(list)
        for item in self._env.domains.standard_domain.get_objects():
            out[item[0].lower()].append(item)
        return out

    @cached_property
    def _objects(self) -> bytes:
        domains = self._env.domains.sorted()
        return _hash(
            *((domain.name, sorted(map(str, domain.get_objects()))) for domain in domains),
            sorted(self._env.toc_fignumbers.items()),
        )

    @cached_property
    def _everywhere(self) -> bytes:
        """A hash of what every page shows: settings, the site's own files and, if the menu is left
        to Sphinx, all titles, since any of them may be in it."""
        env = self._env
        values = [(setting.name, setting.value) for setting in self._app.config]
        return _hash(
            [value for value in values if value[0].startswith("perfguide_")],
            [(path, identify(path)) for path in _assets(self._app)],
            *(self._of_menu(name) for name in sorted(env.all_docs) if self._menu is None),
        )

    def _of_menu(self, docname: str) -> object:
        env = self._env
        numbers = sorted(env.toc_secnumbers.get(docname, {}).items())
        listed = env.toctree_includes.get(docname)
        return docname, self._title(docname), env.tocs[docname].pformat(), listed, numbers


def _hash(*values: object) -> bytes:
    sha256 = hashlib.sha256()
    for value in values:
        sha256.update(repr(value).encode("utf-8", "surrogatepass"))
    return sha256.digest()


class _Unwritten(logging.Filter):
    """Ends the build if a file could not be written; Sphinx merely warns."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Raise :class:`ExtensionError` for a failed write, and pass on all other records."""
        for given in record.args if isinstance(record.args, tuple) else ():
            # A warning is enough if a file of the project is missing.
            if isinstance(given, OSError) and given.errno != errno.ENOENT:
                raise ExtensionError(record.getMessage()) from given
        return True


def _name_downloads(app: Sphinx) -> None:
    """Name copies of generated files by their paths; runs before pages are read."""
    internals.name_downloads_by_path(app.env, app.config.perfguide_output)


def _place_own_pictures_last(app: Sphinx, env: BuildEnvironment) -> list[str]:
    """Give the project's own pictures the names they would have without ours."""
    top = f"{app.config.perfguide_output}/"
    internals.name_images(env, lambda path: path.startswith(top))
    return []


def _listen(rebuild: Rebuild, app: Sphinx, config: Config) -> None:
    """Register the listeners in a build whose output is all ours. In other builds, Sphinx decides
    what to read and write."""
    if not config.perfguide_own_output:
        app.connect("env-updated", _place_own_pictures_last)
        return
    # First, before other listeners note anything about the page.
    app.connect("source-read", rebuild.forget_other_pages, priority=0)
    rebuild.enable(app)
    app.connect("html-collect-pages", _complete_index)
    # Late, since the report says that the site is complete.
    app.connect("build-finished", rebuild.report, priority=900)
    unwritten = _Unwritten()
    for logger in internals.builder_loggers():
        logger.addFilter(unwritten)


def setup(app: Sphinx) -> Rebuild:
    """Register everything that incremental builds need; the caller has to call ``begin`` on the
    result."""
    rebuild = Rebuild()
    app.connect("builder-inited", _name_downloads)
    app.connect("config-inited", partial(_listen, rebuild))
    return rebuild
