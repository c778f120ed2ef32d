"""Which bundles the results folder holds, found by their ids without reading all."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path

import msgspec

from ..bundles import containers, decode, logs
from ..bundles.containers import Document
from ..bundles.decode import Loaded
from ..bundles.decompress import Limits
from ..common.diagnostics import Diagnostic


class _Named(msgspec.Struct):
    id: str = ""


_ONE = msgspec.json.Decoder(_Named)
_MANY = msgspec.json.Decoder(list[_Named])


class Shelf:
    """The bundles below a folder. It is read when it is first asked; only what
    has an id that was asked for is decoded as a whole."""

    def __init__(self, results: Path, limits: Limits) -> None:
        self._results = results
        self._limits = limits
        self._files: dict[str, set[str]] | None = None
        self._digests: dict[str, dict[str, str]] = {}

    def digests(self, name: str) -> dict[str, str]:
        """The contents that are stored under an id: their hash, and the file."""
        if self._files is None:
            self._files = self._read()
        if name not in self._digests:
            found: dict[str, str] = {}
            for file in sorted(self._files.get(name, ())):
                for item in self._load(file):
                    if item.bundle.id == name:
                        found.setdefault(item.digest, item.origin)
            self._digests[name] = found
        return self._digests[name]

    def add(self, items: Sequence[Loaded], origin: str) -> None:
        """Note what has been stored meanwhile."""
        for item in items:
            self.digests(item.bundle.id)[item.digest] = origin

    def logs_digest(self, items: Sequence[Loaded], known: Sequence[dict[str, str]]) -> str:
        """The hash of the logs beside a stored file; empty where it has none."""
        file = known[0][items[0].digest].partition("#")[0].partition("!")[0]
        path = self._results / file
        packed = path.with_name(logs.beside(path.name))
        if not packed.is_file():
            return ""
        with packed.open("rb") as stream:
            return hashlib.file_digest(stream, "sha256").hexdigest()

    def _read(self) -> dict[str, set[str]]:
        out: dict[str, set[str]] = {}
        for source in containers.find([self._results])[0]:
            for document in containers.read(source, self._limits):
                if not isinstance(document, Diagnostic):
                    for name in _ids(document):
                        out.setdefault(name, set()).add(source.name)
        return out

    def _load(self, file: str) -> list[Loaded]:
        source = containers.Source(str(self._results), file, self._results / file)
        found = decode.upload(source, self._limits)
        return [item for item in found if isinstance(item, Loaded)]


def _ids(document: Document) -> list[str]:
    """The ids in a text, by reading nothing else where it is well formed."""
    data = document.data
    try:
        if document.lines:
            found = [_ONE.decode(line) for line in data.split(b"\n") if line.strip()]
        elif data.lstrip()[:1] == b"[":
            found = _MANY.decode(data)
        else:
            found = [_ONE.decode(data)]
    except (msgspec.MsgspecError, RecursionError, UnicodeDecodeError):
        return [i.bundle.id for i in decode.load(document) if isinstance(i, Loaded)]
    return [item.id for item in found]
