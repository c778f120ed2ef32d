"""Sees to it that a build on top of an earlier one gives what a clean build gives.

Sphinx reads a page again when its time of change says so, and writes a page again when it was read.
But a copied file can be older than the one that it replaces; a page also shows titles and
places of others; the search index keeps words that are gone; and every file beside the pages is
read and compared in each build. So this module knows, for each page, the hash of all that
it was read from, and of all that it shows of others.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import logging
import os
import shutil
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Set
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import msgspec
from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.builders.html import StandaloneHTMLBuilder
from sphinx.config import Config
from sphinx.environment import BuildEnvironment
from sphinx.errors import ExtensionError
from sphinx.search import js_index
from sphinx.util import docname_join
from sphinx.util.typing import ExtensionMetadata

from ..bundles.object_store import is_url
from ..charts import gallery
from ..export import json_api
from ..publishing.atomic_swap import ASSETS
from ..publishing.last_build import REPORT, Folders, Inputs, hash_of_names, names
from ..publishing.store import Store, below, identify
from . import internals, menu
from .config import settings

KEY = "perfguide_rebuild"
"""The attribute of the application with what listens to its build."""

DOWNLOADS = "_downloads/"
"""Where the copies of files for download are below the folder of the pages."""

Reference = tuple[str, str, str]
"""The domain of what is referred to, its kind, and its name."""


@dataclass(slots=True)
class State:
    """What is known of the pages from build to build; it is kept with Sphinx's own.

    ``hashes``: of each page's source and of all that it depends on, which are the files of
    ``read``, below the folder of the sources or with their whole path. ``named``: what each page
    refers to. When pages were last written, ``borrowed`` was the hash of what each of
    them showed of others, ``everywhere`` that of what all show, and ``copied`` the hash of each
    file that was copied beside them, by its name there.
    """

    hashes: dict[str, str] = field(default_factory=dict)
    read: dict[str, tuple[str, ...]] = field(default_factory=dict)
    named: dict[str, set[Reference]] = field(default_factory=dict)
    borrowed: dict[str, str] = field(default_factory=dict)
    everywhere: bytes = b""
    copied: dict[str, str] = field(default_factory=dict)


def state(env: BuildEnvironment) -> State:
    """The state that belongs to an environment."""
    held: State = vars(env).setdefault("perfguide_state", State())
    return held


class Rebuild:
    """Says what to read, to write and to copy besides what Sphinx finds itself."""

    def __init__(self) -> None:
        self._store = Store()
        self._process = os.getpid()
        self._began = 0
        self._same: set[str] = set()
        self._downloads = internals.Downloads()
        self._names: set[str] = set()
        self._listings: Mapping[str, str] = {}
        self._are_current: Callable[[], bool] = bool

    def begin(
        self,
        app: Sphinx,
        store: Store,
        listings: Mapping[str, str],
        are_current: Callable[[], bool],
    ) -> None:
        """Take the store of a build whose pages are generated. ``listings`` has a hash of what there
        was at each URL, and ``are_current`` says whether files are unchanged since."""
        self._store, self._listings, self._are_current = store, listings, are_current
        if REPORT in os.environ:
            # A file that comes later is not among these names, and the next build sees it.
            self._names = names(_folders(app), _own(app))

    # What to read

    def send_little(self, app: Sphinx, _docname: str, _source: list[str]) -> None:
        """In another process, which has begun to read pages and will send back all that is known
        of any page: forget what is large and not of its own pages."""
        if self._process != os.getpid():
            self._process = os.getpid()
            vars(app.env)["perfguide_state"] = State()
            internals.forget_others(app.env)

    def note(self, app: Sphinx, doctree: nodes.document) -> None:
        """Note what a page shows of others."""
        docname = app.env.current_document.docname
        if found := references(doctree, docname):
            state(app.env).named[docname] = found

    def forget(self, _app: Sphinx, env: BuildEnvironment, docname: str) -> None:
        """Forget a page."""
        known = state(env)
        known.hashes.pop(docname, None)
        known.read.pop(docname, None)
        known.named.pop(docname, None)

    def merge(
        self, _app: Sphinx, env: BuildEnvironment, docnames: Set[str], other: BuildEnvironment
    ) -> None:
        """Take over what another process has noted."""
        found = state(other).named
        state(env).named |= {name: found[name] for name in docnames & set(found)}

    def to_read(
        self,
        _app: Sphinx,
        env: BuildEnvironment,
        added: set[str],
        changed: set[str],
        removed: set[str],
    ) -> list[str]:
        """The pages whose bytes changed, whatever the times of their files say."""
        self._began = time.time_ns()
        known = state(env)
        kept = sorted(set(env.all_docs) - added - changed - removed)
        hashes = ((name, self._hash(env, name, known.read[name])) for name in kept)
        return [name for name, now in hashes if not now or now != known.hashes.get(name)]

    def _hash(
        self, env: BuildEnvironment, docname: str, read: Iterable[str], drawn: str = ""
    ) -> str:
        """A hash of the bytes that a page was made of; empty where one of its files is missing.

        With ``drawn``, which is the folder of what pages have drawn, it was read in this build:
        where a file changed meanwhile, nobody knows which bytes were read, and there is no hash.
        """
        whole = hashlib.sha256()
        top = f"{env.srcdir}/"
        for name in (str(env.doc2path(docname)), *read):
            # As text: paths as objects would take longer than all else.
            path = name if name[0] == "/" else top + name
            changed = max(identify(path)[3:]) >= self._began if drawn else False
            digest = self._store.digest(path)
            # What a page has drawn while it was read follows from the page.
            if changed and str(Path(path).parent.resolve()) != drawn:
                self._store.doubt(path)
                return ""
            if not digest:
                return ""
            whole.update(name.encode("utf-8", "surrogatepass") + b"\0" + digest.encode())
        return whole.hexdigest()

    # What to write

    def to_write(self, app: Sphinx, env: BuildEnvironment) -> list[str]:
        """The pages to write besides those that were read."""
        known = state(env)
        drawn = os.path.realpath(Path(env.srcdir, env.config.perfguide_output, gallery.DRAWN))
        for docname in sorted(set(env.all_docs) - set(known.hashes)):
            read = known.read[docname] = internals.take_dependencies(env, docname)
            known.hashes[docname] = self._hash(env, docname, read, drawn)
        internals.name_images(env, lambda path: path)
        copied, known.copied = known.copied, self._copies(app)
        internals.forget_leftovers_of_index(env)
        self._store.save()
        shown = Borrowed(app, known.named, self._store)
        before, known.borrowed = known.borrowed, {n: shown.of(n) for n in sorted(env.all_docs)}
        same, known.everywhere = known.everywhere == shown.everywhere, shown.everywhere
        gone = set(before) - set(known.borrowed)
        files = [internals.files_of_page(app.builder, page) for page in gone]
        if not same or None in files:
            _clear(app)
            return sorted(known.borrowed)
        if app.config.perfguide_own_output:
            pages = {name for of_page in files for name in of_page or ()}
            _remove(app, {*pages, *(set(copied) - set(known.copied))})
            self._same = {n for n, digest in known.copied.items() if digest == copied.get(n)}
        return [name for name, digest in known.borrowed.items() if digest != before.get(name)]

    # What to copy

    def _copies(self, app: Sphinx) -> dict[str, str]:
        """The SHA-256 of each file for download, of each picture and of each file of the site's
        data, by the name that its copy has below the folder of the pages."""
        env, found = app.env, {}
        downloads = internals.downloads(env)
        for folder, held in ((DOWNLOADS, downloads), (_images(app), env.images)):
            for source, (_, name) in held.items():
                found[f"{folder}{name}"] = self._store.digest(f"{env.srcdir}/{source}")
        beside = f"{env.srcdir}/{env.config.perfguide_output}/{json_api.ROOT}"
        for path in below(beside):
            found[f"{json_api.ROOT}{path[len(beside) :]}"] = self._store.digest(path)
        return found

    def same_below(self, folder: str) -> set[str]:
        """The names, below a folder of the site, of files beside its pages that are there with the
        bytes that this build would give them."""
        start = f"{folder}/"
        return {name.removeprefix(start) for name in self._same if name.startswith(start)}

    def begin_copying(self, app: Sphinx, _builder: object) -> None:
        """Let Sphinx see no file for download that has the same bytes as its copy, which is
        there: it would read both, and a large archive has tens of thousands."""
        out = app.outdir
        self._same = {name for name in self._same if os.path.lexists(f"{out}/{name}")}
        if self._same:
            files = self._downloads = internals.downloads(app.env)
            rest = {p: of for p, of in files.items() if f"{DOWNLOADS}{of[1]}" not in self._same}
            internals.see_downloads(app.env, internals.Downloads(rest))

    def end_copying(self, app: Sphinx) -> Iterable[tuple[str, dict[str, Any], str]]:
        """Let Sphinx see no such picture; pictures are copied after all pages are written."""
        if self._same:
            internals.see_downloads(app.env, self._downloads)
            folder = _images(app)
            found = app.builder.images.items()
            app.builder.images = {p: n for p, n in found if f"{folder}{n}" not in self._same}
        return ()

    # What to say at the end

    def report(self, app: Sphinx, exception: Exception | None) -> None:
        """Say that all has been written, and what it was made from."""
        if exception is None and app.config.perfguide_own_output and REPORT in os.environ:
            with os.fdopen(int(os.environ[REPORT]), "wb", closefd=False) as file:
                file.write(msgspec.msgpack.encode(self._inputs(app)))

    def _inputs(self, app: Sphinx) -> Inputs:
        config = app.config
        shown = (config.html_logo, config.html_favicon, config.latex_logo)
        paths = ("conf.py", *shown, *config.latex_additional_files)
        modules = (getattr(module, "__file__", None) or "" for module in list(sys.modules.values()))
        # Of installed ones the versions count, which are known otherwise.
        own = (name for name in modules if not name.startswith((sys.prefix, sys.base_prefix)))
        for name in filter(None, (*own, *(str(app.confdir / path) for path in paths if path))):
            self._store.digest(name)
        self._store.look_again()
        is_whole = (
            not internals.warning_count(app)
            and all(self._listings.values())
            and self._are_current()
            and self._store.is_current()
        )
        files = {os.path.abspath(name): of for name, of in self._store.seen.items()}  # noqa: PTH100
        others = hash_of_names(self._names, files)
        return Inputs(files, _folders(app), _own(app), others, dict(self._listings), is_whole)


def begin(
    app: Sphinx, store: Store, listings: Mapping[str, str], are_current: Callable[[], bool]
) -> None:
    """Say that the pages of this build are generated; see :meth:`Rebuild.begin`."""
    rebuild: Rebuild = vars(app)[KEY]
    rebuild.begin(app, store, listings, are_current)


def same_below(app: Sphinx, folder: str) -> set[str]:
    """See :meth:`Rebuild.same_below`."""
    held: Rebuild = vars(app)[KEY]
    return held.same_below(folder)


def _folders(app: Sphinx) -> Folders:
    """Folders in which a new file can change the site."""
    config, given = app.config, settings(app.config, Path(app.srcdir))
    assets = (*config.html_static_path, *config.templates_path, *config.html_extra_path)
    results = (path for path in given.results if not is_url(path))
    found = {*results, *given.benchmarks, *(Path(app.confdir, asset) for asset in assets)}
    every = sorted(os.path.abspath(path) for path in found)  # noqa: PTH100
    return ((str(app.srcdir), tuple(config.source_suffix)), *((path, ("",)) for path in every))


def _own(app: Sphinx) -> tuple[str, ...]:
    """Folders below that of the sources that belong to builds."""
    work = Path(app.outdir).parent
    inside = Path(app.srcdir).is_relative_to(work.parent)
    return (str(work), str(work.with_name(work.name[1:]))) if inside else (str(work.parent),)


def _images(app: Sphinx) -> str:
    """Where the copies of pictures are below the folder of the pages."""
    return f"{app.builder.imagedir}/" if app.builder.imagedir else ""


def _clear(app: Sphinx) -> None:
    """Remove what an earlier build made, of which nobody knows what the pages of this one
    would not have made. What extensions put among the assets at the beginning is of this build."""
    if app.config.perfguide_own_output:
        for path in set(Path(app.outdir).iterdir()) - {Path(app.outdir, ASSETS)}:
            shutil.rmtree(path) if path.is_dir() else path.unlink()


def _remove(app: Sphinx, copies: Iterable[str]) -> None:
    """Remove files of pages that are gone, and copies of files that no page has any more."""
    top = Path(app.outdir)
    for name in copies:
        path = top / name
        path.unlink(missing_ok=True)
        with contextlib.suppress(OSError):  # other files are in it
            for folder in path.parents:
                if folder == top:
                    break
                folder.rmdir()


def _whole_index(app: Sphinx) -> Iterable[tuple[str, dict[str, Any], str]]:
    """Make the search index what it is when every page is written.

    Sphinx reads what it has of other pages from its own earlier output, in which
    words stay that are on no page any more, and index entries are lost.
    """
    builder = app.builder
    if not isinstance(builder, StandaloneHTMLBuilder) or builder.indexer is None:
        return ()
    internals.prune_index(builder.indexer, app.env.all_docs)
    written = internals.index_entries(builder.indexer)
    entries = _earlier_entries(Path(app.outdir, builder.searchindex_filename)) | written
    written.clear()
    for docname in sorted(set(entries) & set(app.env.all_docs)):
        found = {(text.lower(), place, main) for text, place, main in entries[docname]}
        written[docname] = sorted(found)
    return ()


def _earlier_entries(file: Path) -> dict[str, list[tuple[str, str, str]]]:
    """The entries of the general index in the search index of the build before, by page."""
    found: dict[str, list[tuple[str, str, str]]] = {}
    with contextlib.suppress(OSError, ValueError):
        index = js_index.loads(file.read_text("utf-8"))
        for text, places in index["indexentries"].items():
            for number, place, main in places:
                entry = (text, place, "main" if main else "")
                found.setdefault(index["docnames"][number], []).append(entry)
    return found


def references(doctree: nodes.document, docname: str) -> set[Reference]:
    """What a page refers to by name, pages by their full names."""
    found = set()
    for node in doctree.findall(addnodes.pending_xref):
        domain, kind, target = (
            str(node.get(f"ref{part}")) for part in ("domain", "type", "target")
        )
        if (domain, kind) == ("std", "doc"):
            target = docname_join(str(node.get("refdoc", docname)), target)
        found.add((domain, kind, target))
    return found


class Borrowed:
    """What the pages of a build show of others. ``named`` are the references of each page."""

    def __init__(self, app: Sphinx, named: dict[str, set[Reference]], store: Store) -> None:
        self._app, self._env, self._named, self._store = app, app.env, named, store
        self._standard = app.env.domains.standard_domain
        self._menu = menu.asked(app)
        self._relations = app.env.collect_relations()
        self._files: dict[str, list[tuple[str, str]]] = defaultdict(list)
        for held in (app.env.images, internals.downloads(app.env)):
            for path, (docnames, name) in held.items():
                for docname in docnames:
                    self._files[docname].append((path, name))

    def of(self, docname: str) -> str:
        """The hash of all that a page shows of others."""
        whole = hashlib.sha256(self.everywhere)
        for part in self._parts(docname):
            whole.update(repr(part).encode("utf-8", "surrogatepass"))
        return whole.hexdigest()

    def _parts(self, docname: str) -> Iterator[object]:
        yield self._menu.lists(docname) if self._menu else None
        yield [(name, self._title(name)) for name in self._beside(docname)]
        if docname in self._env.toctree_includes:
            trees = self._env.tocs[docname].findall(addnodes.toctree)
            yield [self._listed(tree, {docname}) for tree in trees]
        yield sorted(self._files.get(docname, ()))
        yield [self._resolved(each) for each in sorted(self._named.get(docname, ()))]

    def _beside(self, docname: str) -> Iterator[str]:
        """The pages before and after a page, and those above it."""
        above, before, after = self._relations.get(docname, (None, None, None))
        yield from (before or "", after or "")
        seen: set[str] = set()
        while above and above not in seen:
            seen.add(above)
            yield above
            above = self._relations.get(above, (None, None, None))[0]

    def _title(self, docname: str) -> str:
        titles = (self._env.titles.get(docname), self._env.longtitles.get(docname))
        return "".join(map(str, titles))

    def _listed(self, tree: addnodes.toctree, above: set[str], depth: int = 0) -> list[object]:
        """What a list of pages shows: titles, and further levels where it has them."""
        depth = depth or tree.get("maxdepth", -1)
        out: list[object] = []
        for title, name in tree["entries"]:
            toc = self._env.tocs.get(name)
            if toc is None or name in above:
                out.append((title, name))
            elif depth == 1:
                out.append((title, name, self._title(name)))
            else:
                subs = toc.findall(addnodes.toctree)
                below = (*(self._listed(sub, above | {name}, depth - 1) for sub in subs),)
                out.append((title, name, toc.pformat(), below))
        return out

    def _resolved(self, reference: Reference) -> object:
        """What a reference shows and leads to."""
        domain, kind, target = reference
        standard = self._standard
        if domain == "std":
            if kind == "doc":
                return reference, target in self._env.all_docs, self._title(target)
            if kind in ("ref", "numref"):
                label = standard.labels.get(target), standard.anonlabels.get(target)
                docname = (label[1] or ("",))[0]
                return reference, label, kind == "numref" and self._env.toc_fignumbers.get(docname)
            if kind == "term":
                return reference, self._terms.get(target.lower())
        # Which of all objects a name of any other kind leads to, only its domain knows.
        return reference, self._objects

    @cached_property
    def _terms(self) -> dict[str, list[object]]:
        found: dict[str, list[object]] = defaultdict(list)
        for each in self._standard.get_objects():
            if each[2] == "term":
                found[each[0].lower()].append(each)
        return found

    @cached_property
    def _objects(self) -> str:
        whole = hashlib.sha256()
        for domain in self._env.domains.sorted():
            whole.update(repr((domain.name, sorted(map(str, domain.get_objects())))).encode())
        for held in (self._standard.labels, self._standard.anonlabels, self._env.toc_fignumbers):
            whole.update(repr(sorted(held.items())).encode("utf-8", "surrogatepass"))
        return whole.hexdigest()

    @cached_property
    def everywhere(self) -> bytes:
        """The hash of what every page shows: the site's own files, and all titles where the menu is
        not ours, because nobody knows then which of them it has."""
        app, config = self._app, self._app.config
        whole = hashlib.sha256(f"{app.builder.name} {app.outdir}".encode())

        def add(*parts: object) -> None:
            whole.update(repr(parts).encode("utf-8", "surrogatepass"))

        add(
            [
                (v.name, v.value)
                for v in config
                if v.name.startswith("perfguide_") and v.name != "perfguide_profile"
            ]
        )
        for given in (*config.html_static_path, *config.templates_path, *config.html_extra_path):
            path = str(Path(app.confdir, str(given)))
            for name in sorted(below(path)) or [path]:
                add(name, self._store.digest(name))
        if self._menu is None:
            env = self._env
            for docname in sorted(env.all_docs):
                toc, numbers = env.tocs.get(docname), env.toc_secnumbers.get(docname, {})
                add(docname, self._title(docname), toc.pformat() if toc else "")
                add(env.toctree_includes.get(docname), sorted(numbers.items()))
        return whole.digest()


class _Unwritten(logging.Filter):
    """Ends the build where Sphinx would only warn that a file could not be written."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Pass on all other records."""
        for given in record.args if isinstance(record.args, tuple) else ():
            if isinstance(given, OSError) and given.errno != errno.ENOENT:
                raise ExtensionError(record.getMessage()) from given
        return True


def _name_downloads(app: Sphinx) -> None:
    """Let copies of generated files have names of their own, before pages are read."""
    internals.name_downloads_by_path(app.env, app.config.perfguide_output)


def _place_own_pictures_last(app: Sphinx, env: BuildEnvironment) -> list[str]:
    """Let pictures of the project have the names that they have without ours."""
    top = f"{app.config.perfguide_output}/"
    internals.name_images(env, lambda path: path.startswith(top))
    return []


def _listen(app: Sphinx, config: Config) -> None:
    """Listen to what happens in a build whose whole output is ours. In any other one Sphinx finds
    what to read and to write, as it does without us."""
    if not config.perfguide_own_output:
        app.connect("env-updated", _place_own_pictures_last)
        return
    held: Rebuild = vars(app)[KEY]
    app.connect("source-read", held.send_little, priority=0)
    app.connect("doctree-read", held.note)
    app.connect("env-purge-doc", held.forget)
    app.connect("env-merge-info", held.merge)
    app.connect("env-get-outdated", held.to_read)
    app.connect("env-get-updated", held.to_write)
    app.connect("write-started", held.begin_copying)
    app.connect("html-collect-pages", held.end_copying)
    app.connect("html-collect-pages", _whole_index)
    app.connect("build-finished", held.report, priority=900)
    unwritten = _Unwritten()
    for logger in internals.builder_loggers():
        logger.addFilter(unwritten)


def setup(app: Sphinx) -> ExtensionMetadata:
    """Register what a build on top of an earlier one needs."""
    vars(app)[KEY] = Rebuild()
    app.connect("builder-inited", _name_downloads)
    app.connect("config-inited", _listen)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
