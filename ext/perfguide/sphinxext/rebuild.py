"""Sees to it that a build on top of an earlier one gives what a clean build gives.

Sphinx reads a page again when its time of change says so, and writes a page
again when it was read. But a page also shows titles and places of others, a
copied file can be older than the one that it replaces, and the search index
keeps words that are gone.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import json
import logging
import os
import shutil
import sys
import time
from collections.abc import Iterable, Set
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec
from docutils import nodes
from sphinx.application import Sphinx
from sphinx.builders.html import StandaloneHTMLBuilder
from sphinx.environment import BuildEnvironment
from sphinx.environment.collectors import EnvironmentCollector
from sphinx.errors import ExtensionError
from sphinx.util.typing import ExtensionMetadata

from ..bundles.object_store import is_url
from ..charts import gallery
from ..publishing.atomic_swap import ASSETS, FINISHED
from ..publishing.memo import Memo
from ..publishing.output_folder import listed
from ..publishing.standing import Read, Told
from . import borrowed, copying
from .borrowed import Borrowed, Reference
from .config import settings

SOURCES = "sources.json"
"""The file of hashes of sources, in the folder of the cache."""

INDEX_ENTRIES = "index-entries.json"


@dataclass(slots=True)
class State:
    """What is known of the pages from build to build; it is kept with Sphinx's own.

    ``hashes``: of each page's source and of all that it depends on. ``named``: what each
    page refers to. When pages were last written, ``borrowed`` was the hash of what each of
    them showed of others, ``everywhere`` that of what all show, and ``files`` was what was
    copied beside them; ``copied`` has the hash of each, by the name there.
    ``started``: when this build began to read, in nanoseconds.
    """

    hashes: dict[str, str] = field(default_factory=dict)
    named: dict[str, set[Reference]] = field(default_factory=dict)
    borrowed: dict[str, str] = field(default_factory=dict)
    everywhere: bytes = b""
    files: set[str] = field(default_factory=set)
    copied: dict[str, str] = field(default_factory=dict)
    started: int = 0


def state(env: BuildEnvironment) -> State:
    """The state that belongs to an environment."""
    held: State = vars(env).setdefault("perfguide_state", State())
    return held


class Freshness(EnvironmentCollector):
    """Says what to read and what to write besides what Sphinx finds itself."""

    memo = Memo()

    def process_doc(self, app: Sphinx, doctree: nodes.document) -> None:
        """Note what a page shows of others."""
        docname = app.env.current_document.docname
        if found := borrowed.references(doctree, docname):
            state(app.env).named[docname] = found

    def clear_doc(self, app: Sphinx, env: BuildEnvironment, docname: str) -> None:
        """Forget a page."""
        known = state(env)
        known.hashes.pop(docname, None)
        known.named.pop(docname, None)

    def merge_other(
        self, app: Sphinx, env: BuildEnvironment, docnames: Set[str], other: BuildEnvironment
    ) -> None:
        """Take over what another process has noted."""
        found = state(other).named
        state(env).named |= {name: found[name] for name in docnames & set(found)}

    def get_outdated_docs(
        self,
        app: Sphinx,
        env: BuildEnvironment,
        added: set[str],
        changed: set[str],
        removed: set[str],
    ) -> list[str]:
        """The pages whose bytes changed, whatever the times of their files say."""
        known = state(env)
        known.started = time.time_ns()
        self.memo = Memo(Path(app.srcdir, app.config.perfguide_cache, SOURCES))
        kept = set(env.all_docs) - added - changed - removed
        drawn = _drawn(env)
        hashed = ((name, _hash(env, name, self.memo, drawn)) for name in sorted(kept))
        return [name for name, found in hashed if found != known.hashes.get(name)]

    def get_updated_docs(self, app: Sphinx, env: BuildEnvironment) -> list[str]:
        """The pages to write besides those that were read."""
        known = state(env)
        read = sorted(set(env.all_docs) - set(known.hashes))
        drawn = _drawn(env)
        for docname in read:
            known.hashes[docname] = _hash(env, docname, self.memo, drawn, known.started)
        _name_images(env)
        copied, known.copied = known.copied, copying.digests(env, self.memo)
        self.memo.save()
        for held in _index_leftovers(env):
            held.clear()
        shown = Borrowed(app, known.named)
        now = {name: shown.of(name) for name in sorted(env.all_docs)}
        before, known.borrowed = known.borrowed, now
        stale, known.files = known.files, shown.files()
        same, known.everywhere = known.everywhere == shown.everywhere, shown.everywhere
        if not same or not set(before) <= set(now):
            _clear(app)
            return sorted(now)
        if app.config.perfguide_own_output:
            for name in stale - known.files:
                Path(app.outdir, name).unlink(missing_ok=True)
                with contextlib.suppress(OSError):  # other files are in it
                    Path(app.outdir, name).parent.rmdir()
            copying.spare(app, {n for n, sum_ in known.copied.items() if copied.get(n) == sum_})
        return [name for name in now if now[name] != before.get(name)]


def _clear(app: Sphinx) -> None:
    """Remove what an earlier build made, of which nobody knows what the pages of this one
    would not have made. What extensions put among the assets at the beginning is of this build."""
    if app.config.perfguide_own_output:
        for path in set(Path(app.outdir).iterdir()) - {Path(app.outdir, ASSETS)}:
            shutil.rmtree(path) if path.is_dir() else path.unlink()


def _drawn(env: BuildEnvironment) -> str:
    """The folder of what pages have drawn while they are read."""
    return os.path.realpath(Path(env.srcdir, env.config.perfguide_output, gallery.DRAWN))


def _hash(
    env: BuildEnvironment, docname: str, memo: Memo, drawn: str, started: int | None = None
) -> str:
    """The bytes that a page was made of; nothing where one changed since ``started``,
    because then nobody knows which bytes were read."""
    whole = hashlib.sha256()
    names = {str(env.doc2path(docname)), *map(str, env.dependencies.get(docname, ()))}
    for name in sorted(names):
        # As text: paths as objects would take longer than all else.
        path = os.path.join(env.srcdir, name)  # noqa: PTH118
        try:
            changed = started is not None and os.stat(path).st_mtime_ns >= started  # noqa: PTH116
            # What a page has drawn while it was read follows from the page.
            if changed and os.path.realpath(os.path.dirname(path)) != drawn:  # noqa: PTH120
                return ""
            content = bytes.fromhex(memo.digest(path))
        except OSError:
            content = b"missing"
        whole.update(name.encode("utf-8", "surrogatepass") + b"\0" + content)
    return whole.hexdigest()


def _name_images(env: BuildEnvironment) -> None:
    """Name pictures of equal file names by their paths, not by the order of reading."""
    named = type(env.images)()
    for path, (docnames, _) in sorted(env.images.items()):
        for docname in sorted(docnames):
            named.add_file(docname, path)
    env.images = named


def _index_leftovers(env: BuildEnvironment) -> Iterable[dict[Any, Any]]:
    """What earlier builds left for the search index, which is on disk and read from there."""
    yield env._search_index_objtypes
    yield env._search_index_objnames
    yield env._search_index_index_entries


def _whole_index(app: Sphinx) -> Iterable[tuple[str, dict[str, Any], str]]:
    """Make the search index what it is when every page is written.

    Sphinx reads what it has of other pages from its own earlier output, in which
    words stay that are on no page any more, and index entries are lost.
    """
    builder = app.builder
    if not isinstance(builder, StandaloneHTMLBuilder) or builder.indexer is None:
        return ()
    indexer = builder.indexer
    indexer.prune(app.env.all_docs)
    for words in (indexer._mapping, indexer._title_mapping):
        for word in [word for word, docnames in words.items() if not docnames]:
            del words[word]
    kept = Path(app.doctreedir, INDEX_ENTRIES)
    try:
        earlier = json.loads(kept.read_bytes())
    except (FileNotFoundError, ValueError):
        earlier = {}
    entries = {**earlier, **indexer._index_entries}
    indexer._index_entries.clear()
    for docname in sorted(set(entries) & set(app.env.all_docs)):
        indexer._index_entries[docname] = entries[docname]
    kept.write_text(json.dumps(indexer._index_entries), "utf-8")
    return ()


def _finished(app: Sphinx, exception: Exception | None) -> None:
    """Say that all has been written, and what it was made from."""
    if exception is None and app.config.perfguide_own_output:
        data = msgspec.json.encode(_told(app))
        Path(app.doctreedir, FINISHED).write_bytes(data)


def _told(app: Sphinx) -> Told:
    """What the site was made from and what else was made; names as text, which is quicker."""
    config, env, given = app.config, app.env, settings(app.config, Path(app.srcdir))
    lists = (given.acknowledged, given.redirects, given.boards, given.waivers)
    shown = (config.html_logo, config.html_favicon, config.latex_logo)
    modules = (getattr(module, "__file__", None) or "" for module in list(sys.modules.values()))
    # Of installed ones the versions count, which are known otherwise.
    own = (name for name in modules if not name.startswith((sys.prefix, sys.base_prefix)))
    files = {
        *(os.path.join(app.srcdir, name) for names in env.dependencies.values() for name in names),  # noqa: PTH118
        Path(app.confdir, "conf.py"),
        *filter(None, (*lists, *own)),
        *(Path(app.confdir, name) for name in (*shown, *config.latex_additional_files) if name),
    }
    assets = (*config.html_static_path, *config.templates_path, *config.html_extra_path)
    results = [path for path in given.results if not is_url(path)]
    folders = {given.output, *results, *given.benchmarks, *(Path(app.confdir, a) for a in assets)}
    made = [*(given.output / name for name in (*listed(given.output), gallery.DRAWN))]
    return Told(
        app._warncount,
        len(results) == len(given.results),
        Read(_absolute(files), _absolute(folders), tuple(config.source_suffix)),
        _absolute([*made, given.store, *filter(None, [given.cache])]),
    )


def _absolute(paths: Iterable[str | Path]) -> tuple[str, ...]:
    return tuple(sorted({os.path.abspath(path) for path in paths}))  # noqa: PTH100


class _Unwritten(logging.Filter):
    """Ends the build where Sphinx would only warn that a file could not be written."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Pass on all other records."""
        for given in record.args if isinstance(record.args, tuple) else ():
            if isinstance(given, OSError) and given.errno != errno.ENOENT:
                raise ExtensionError(record.getMessage())
        return True


def setup(app: Sphinx) -> ExtensionMetadata:
    """Register the collector."""
    app.add_env_collector(Freshness)
    app.connect("html-collect-pages", _whole_index)
    app.connect("build-finished", _finished, priority=900)
    unwritten = _Unwritten()
    for name in list(logging.root.manager.loggerDict):
        if name.startswith("sphinx.sphinx.builders"):
            logging.getLogger(name).addFilter(unwritten)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
