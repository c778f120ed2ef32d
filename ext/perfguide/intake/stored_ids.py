"""Looking up stored bundles by id without decoding every bundle."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

import msgspec

from ..bundles import containers, decode, logs
from ..bundles.containers import Document
from ..bundles.decode import Loaded
from ..bundles.decompress import Limits
from ..bundles.object_store import hash_of_file
from ..common.diagnostics import Diagnostic

TAKEN = ".intake.taken"
"""The file, next to the bundles, with one line per bundle ever taken: its id as a JSON string, or a
list of its id and the runner's name if there is one."""

OwnedId = tuple[str, str]
"""An id and the name of its runner; see :attr:`perfguide.bundle.Bundle.owned_id`."""


BoardRelease = tuple[str, str, str, str]
"""The system, release, SoC and board of a bundle."""


class _Runner(msgspec.Struct):
    name: str = ""


class _Sdk(msgspec.Struct, frozen=True):
    os: str = ""
    version: str = ""


class _Board(msgspec.Struct, frozen=True):
    soc: str = ""
    name: str = ""


class _Named(msgspec.Struct):
    id: str = ""
    runner: _Runner | None = None
    supersedes: list[str] = []
    sdk: _Sdk = _Sdk()
    board: _Board = _Board()


_BUNDLE_DECODER = msgspec.json.Decoder(_Named)
_BUNDLES_DECODER = msgspec.json.Decoder(list[_Named])


@dataclass(slots=True)
class _Index:
    """The files of each id, the files of each board and release, and for each withdrawn id the one
    that withdrew it."""

    files: dict[OwnedId, set[str]] = field(default_factory=dict)
    files_of_place: dict[BoardRelease, set[str]] = field(default_factory=dict)
    withdrawn: dict[OwnedId, str] = field(default_factory=dict)

    def add(
        self, owned_id: OwnedId, supersedes: Sequence[str], measured: BoardRelease, file: str
    ) -> None:
        self.files.setdefault(owned_id, set()).add(file)
        self.files_of_place.setdefault(measured, set()).add(file)
        id_, runner = owned_id
        self.withdrawn |= {(old, runner): id_ for old in supersedes}


class StoredBundles:
    """The bundles below a folder, which is read on first use. Only bundles with a requested id are
    decoded in full."""

    def __init__(self, results: Path, limits: Limits) -> None:
        self._results = results
        self._limits = limits
        self._beside: dict[str, list[Loaded]] = {}
        self._digests: dict[OwnedId, dict[str, str]] = {}

    def digests(self, owned_id: OwnedId) -> dict[str, str]:
        """Return the locations stored under a runner's id, by content hash."""
        if owned_id not in self._digests:
            digests: dict[str, str] = {}
            for item in self._bundles(self._index.files.get(owned_id, ())):
                if item.bundle.owned_id == owned_id:
                    digests.setdefault(item.digest, item.origin)
            self._digests[owned_id] = digests
        return self._digests[owned_id]

    def beside(self, items: Sequence[Loaded]) -> list[Loaded]:
        """Return the stored bundles with the same boards and releases as some new ones."""
        places = {*map(_board_release, items)}
        files = {file for key in places for file in self._index.files_of_place.get(key, ())}
        # An inbox usually has many uploads for one board and release in succession.
        self._beside = {file: self._beside.get(file) or [*self._bundles([file])] for file in files}
        every = [item for file in sorted(files) for item in self._beside[file]]
        return [item for item in every if _board_release(item) in places]

    def _bundles(self, files: Iterable[str]) -> Iterator[Loaded]:
        for file in sorted(files):
            source = containers.Source(str(self._results), file, self._results / file)
            for item in decode.upload(source, self._limits):
                if isinstance(item, Loaded):
                    yield item

    def withdrawn_by(self, owned_id: OwnedId) -> str:
        """Return the id of a stored bundle of this runner that withdraws this one, or ""."""
        return self._index.withdrawn.get(owned_id, "")

    def was_taken(self, owned_id: OwnedId) -> bool:
        """Return whether a bundle with this id and runner was ever taken, as far as recorded."""
        return _taken_line(owned_id) in self._taken

    @cached_property
    def _taken(self) -> set[str]:
        with contextlib.suppress(FileNotFoundError):
            return {*(self._results / TAKEN).read_text("utf-8", "replace").splitlines()}
        return set()

    def add(self, items: Sequence[Loaded], origin: str) -> None:
        """Record bundles that have been stored. If a killed run failed to record its bundles, they
        are only known while they exist."""
        for item in items:
            bundle = item.bundle
            # A second copy in the same inbox is then recognised as a duplicate.
            self.digests(bundle.owned_id)[item.digest] = origin
            self._index.add(bundle.owned_id, bundle.supersedes, _board_release(item), origin)
        new = {_taken_line(item.bundle.owned_id) for item in items} - self._taken
        self._taken.update(new)
        # Appended rather than rewritten, so that a killed process loses no ids of earlier runs.
        with (self._results / TAKEN).open("a", encoding="utf-8") as file:
            file.write("".join(f"{line}\n" for line in sorted(new)))

    def logs_digest(self, origin: str) -> str:
        """Return the hash of the logs next to the file of a stored bundle, or ""."""
        # These characters precede the location of a bundle within its file.
        path = self._results / origin.partition("#")[0].partition("!")[0]
        return hash_of_file(path.with_name(logs.beside(path.name)))

    @cached_property
    def _index(self) -> _Index:
        index = _Index()
        for source in containers.find([self._results])[0]:
            for document in containers.read(source, self._limits):
                if not isinstance(document, Diagnostic):
                    for ids in _ids(document):
                        index.add(*ids, source.name)
        return index


def _taken_line(owned_id: OwnedId) -> str:
    """Return the line for an id in :data:`TAKEN`."""
    return json.dumps(owned_id if owned_id[1] else owned_id[0])


def _board_release(item: Loaded | _Named) -> BoardRelease:
    bundle = item.bundle if isinstance(item, Loaded) else item
    return bundle.sdk.os, bundle.sdk.version, bundle.board.soc, bundle.board.name


def _ids(document: Document) -> list[tuple[OwnedId, Sequence[str], BoardRelease]]:
    """Return the ids in a document, each with the ids that it withdraws and its board and release.
    Nothing else is decoded if the document is well-formed."""
    data = document.data
    try:
        if document.lines:
            named = [_BUNDLE_DECODER.decode(line) for line in data.split(b"\n") if line.strip()]
        else:
            is_array = data.lstrip()[:1] == b"["
            named = _BUNDLES_DECODER.decode(data) if is_array else [_BUNDLE_DECODER.decode(data)]
    except (msgspec.MsgspecError, RecursionError, UnicodeDecodeError):
        items = [item for item in decode.load(document) if isinstance(item, Loaded)]
        return [
            (item.bundle.owned_id, item.bundle.supersedes, _board_release(item)) for item in items
        ]
    return [
        ((item.id, item.runner.name if item.runner else ""), item.supersedes, _board_release(item))
        for item in named
    ]
