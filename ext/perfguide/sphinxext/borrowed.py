"""What a page shows of other pages and of the whole site, as one hash for each page.

Sphinx writes a page again when the page itself was read again. But its menu, the links to
the pages before and after it, lists of pages and references show titles and addresses of
others. A page whose hash is what it was when the page was last written need not be written.
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.util import docname_join

from . import menu

Reference = tuple[str, str, str]
"""The domain of what is referred to, its kind, and its name."""


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

    def __init__(self, app: Sphinx, named: dict[str, set[Reference]]) -> None:
        self._app, self._env, self._named = app, app.env, named
        self._standard = app.env.domains.standard_domain
        self._menu = menu.asked(app)
        self._relations = app.env.collect_relations()
        self._files: dict[str, list[tuple[str, str]]] = defaultdict(list)
        for held in (app.env.images, app.env.dlfiles):
            for path, (docnames, name) in held.items():
                for docname in docnames:
                    self._files[docname].append((str(path), str(name)))

    def files(self) -> set[str]:
        """The names of all files that are copied beside the pages, as paths below the output."""
        builder = self._app.builder
        images = {
            f"{builder.imagedir or '_images'}/{name}" for _, name in self._env.images.values()
        }
        return images | {f"_downloads/{name}" for _, name in self._env.dlfiles.values()}

    def of(self, docname: str) -> str:
        """The hash of all that a page shows of others."""
        whole = hashlib.sha256(self.everywhere)
        for part in self._parts(docname):
            whole.update(repr(part).encode("utf-8", "surrogatepass"))
        return whole.hexdigest()

    def _parts(self, docname: str) -> Iterator[object]:
        yield self._menu.shown(docname) if self._menu else None
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

        for given in (*config.html_static_path, *config.templates_path, *config.html_extra_path):
            for path in _below(Path(app.confdir, str(given))):
                add(str(path), hashlib.sha256(path.read_bytes()).hexdigest())
        if self._menu is None:
            env = self._env
            for docname in sorted(env.all_docs):
                toc, numbers = env.tocs.get(docname), env.toc_secnumbers.get(docname, {})
                add(docname, self._title(docname), toc.pformat() if toc else "")
                add(env.toctree_includes.get(docname), sorted(numbers.items()))
        return whole.digest()


def _below(path: Path) -> Iterator[Path]:
    if path.is_file():
        yield path
    else:
        yield from sorted(file for file in path.rglob("*") if file.is_file())
