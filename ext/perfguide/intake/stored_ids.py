"""Lookup of stored bundles by id, without decoding every bundle."""

from __future__ import annotations

import contextlib
import hashlib
import json
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path

import msgspec

from ..bundles import containers, decode, logs
from ..bundles.containers import Document
from ..bundles.decode import Loaded
from ..bundles.decompress import Limits
from ..common.diagnostics import Diagnostic

TAKEN = ".intake.taken"
"""The file, beside the bundles, with a line for the id of each bundle that was ever taken: a
JSON string, or a list of the id and the runner's name if there is one."""

OwnedId = tuple[str, str]
"""An id and the name of its runner; see :attr:`perfguide.bundle.Bundle.owned_id`."""


class _Runner(msgspec.Struct):
    name: str = ""


class _Named(msgspec.Struct):
    id: str = ""
    runner: _Runner | None = None
    supersedes: list[str] = []


_BUNDLE_DECODER = msgspec.json.Decoder(_Named)
_BUNDLES_DECODER = msgspec.json.Decoder(list[_Named])


class StoredBundles:
    """The bundles below a folder, which is read on first use. Only bundles with a requested id are
    decoded in full."""

    def __init__(self, results: Path, limits: Limits) -> None:
        self._results = results
        self._limits = limits
        self._files: dict[OwnedId, set[str]] | None = None
        self._withdrawn: dict[OwnedId, str] = {}
        self._digests: dict[OwnedId, dict[str, str]] = {}

    def digests(self, owned_id: OwnedId) -> dict[str, str]:
        """Return the contents stored under a runner's id: location by hash."""
        if self._files is None:
            self._files = self._files_by_id()
        if owned_id not in self._digests:
            digests: dict[str, str] = {}
            for file in sorted(self._files.get(owned_id, ())):
                source = containers.Source(str(self._results), file, self._results / file)
                for item in decode.upload(source, self._limits):
                    if isinstance(item, Loaded) and item.bundle.owned_id == owned_id:
                        digests.setdefault(item.digest, item.origin)
            self._digests[owned_id] = digests
        return self._digests[owned_id]

    def withdrawn_by(self, owned_id: OwnedId) -> str:
        """Return the id of a stored bundle of this runner that withdraws this one, or ""."""
        self.digests(owned_id)  # reads the folder
        return self._withdrawn.get(owned_id, "")

    def was_taken(self, owned_id: OwnedId) -> bool:
        """Return whether a bundle of this id and runner was ever taken, as far as recorded."""
        return _taken_line(owned_id) in self._taken

    @cached_property
    def _taken(self) -> set[str]:
        with contextlib.suppress(FileNotFoundError):
            return {*(self._results / TAKEN).read_text("utf-8", "replace").splitlines()}
        return set()

    def add(self, items: Sequence[Loaded], origin: str) -> None:
        """Record bundles that have been stored. A killed run may have stored bundles that it did
        not record; they are only known while they are there."""
        for item in items:
            own, runner = item.bundle.owned_id
            # So that a second copy in the same inbox is recognised as a duplicate.
            self.digests((own, runner))[item.digest] = origin
            gone = [(old, runner) for old in item.bundle.supersedes]
            self._withdrawn.update(dict.fromkeys(gone, own))
        new = {_taken_line(item.bundle.owned_id) for item in items} - self._taken
        self._taken.update(new)
        # Appended, not rewritten: a killed process must not lose the ids of earlier runs.
        with (self._results / TAKEN).open("a", encoding="utf-8") as file:
            file.write("".join(f"{line}\n" for line in sorted(new)))

    def logs_digest(self, origin: str) -> str:
        """Return the hash of the logs beside the file of a stored bundle, or ""."""
        path = self._results / origin.partition("#")[0].partition("!")[0]
        packed = path.with_name(logs.beside(path.name))
        if not packed.is_file():
            return ""
        with packed.open("rb") as stream:
            return hashlib.file_digest(stream, "sha256").hexdigest()

    def _files_by_id(self) -> dict[OwnedId, set[str]]:
        files: dict[OwnedId, set[str]] = {}
        for source in containers.find([self._results])[0]:
            for document in containers.read(source, self._limits):
                if not isinstance(document, Diagnostic):
                    for owned_id, withdrawn_ids in _ids(document):
                        files.setdefault(owned_id, set()).add(source.name)
                        gone = [(old, owned_id[1]) for old in withdrawn_ids]
                        self._withdrawn.update(dict.fromkeys(gone, owned_id[0]))
        return files


def _taken_line(owned_id: OwnedId) -> str:
    """Return the line of an id in :data:`TAKEN`."""
    return json.dumps(owned_id if owned_id[1] else owned_id[0])


def _ids(document: Document) -> list[tuple[OwnedId, Sequence[str]]]:
    """Return the ids in a document, each with the ids that it withdraws. Nothing else is decoded
    if the document is well formed."""
    data = document.data
    try:
        if document.lines:
            named = [_BUNDLE_DECODER.decode(line) for line in data.split(b"\n") if line.strip()]
        else:
            named = (
                _BUNDLES_DECODER.decode(data)
                if data.lstrip()[:1] == b"["
                else [_BUNDLE_DECODER.decode(data)]
            )
    except (msgspec.MsgspecError, RecursionError, UnicodeDecodeError):
        bundles = [i.bundle for i in decode.load(document) if isinstance(i, Loaded)]
        return [(bundle.owned_id, bundle.supersedes) for bundle in bundles]
    return [((each.id, each.runner.name if each.runner else ""), each.supersedes) for each in named]
