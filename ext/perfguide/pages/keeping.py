"""Parts of the site that need not be worked out again, because nothing they are made from changed.

A part is a page with its files, the data of a guide, or all pages together. The store keeps,
under a fingerprint of all that a part was made from, the SHA-256 of each of its files, the pictures
that belong to it, and what else came of it. A later run leaves them as they are where it
would make them from the same, and each file still has its bytes.
"""

from __future__ import annotations

import contextlib
import hashlib
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Generic, NamedTuple, TypeVar

import msgspec

from ..bundles.object_store import is_url
from ..charts.gallery import FORMATS, Drawn, Picture, drawn
from ..common.containment import attempt
from ..common.diagnostics import Diagnostic
from ..common.package import surroundings
from ..figures.dataset import Settings
from ..publishing.output_folder import Writer
from ..publishing.store import ABSENT, below

T = TypeVar("T")


class Inputs:
    """What the pages are made from, as it was when the run began.

    ``rules`` is the fingerprint of all that decides what pages look like besides bundles, and
    ``whole`` that of everything; it is empty where the bundles are not files of this machine.
    """

    def __init__(self, settings: Settings, writer: Writer) -> None:
        self._settings, self._writer = settings, writer
        # Which pictures are wanted, and who draws them, shows in no page.
        decided = replace(settings, formats=(), cache=None, scheduler="")
        rules = {name: self._look(name) for name in self._rules()}
        self.rules = fingerprint(surroundings(), decided, rules)
        self.whole = ""
        bundles = {name: self._look(name) for name in self._results()}
        self._by_hand = self._pages_by_hand()
        if not any(map(is_url, settings.results)):
            self.whole = fingerprint(self.rules, bundles, self._by_hand)
        self._names = [*rules, *bundles]

    def are_current(self) -> bool:
        """Whether all of them are still as they were when the run began."""
        now = [*self._rules(), *self._results()]
        if now != self._names or self._pages_by_hand() != self._by_hand:
            return False
        return self._writer.store.is_current(now)

    def _look(self, name: str) -> tuple[str, bool]:
        """The SHA-256 of a file, and whether it is there: one that cannot be read has none."""
        store = self._writer.store
        return store.digest(name), store.seen[name] != ABSENT

    def _rules(self) -> Iterator[str]:
        """Descriptions of benchmarks, and lists."""
        given = self._settings
        for folder in given.benchmarks:
            yield from sorted(below(folder))
        lists = (given.acknowledged, given.redirects, given.boards, given.waivers)
        yield from map(str, filter(None, lists))

    def _results(self) -> Iterator[str]:
        """Bundles, and the logs beside them."""
        for path in self._settings.results:
            if not is_url(path):
                yield from sorted(below(path)) if Path(path).is_dir() else [str(path)]

    def _pages_by_hand(self) -> list[str]:
        """The pages of others below the output folder: old addresses may lead to them."""
        start = len(str(self._writer.root)) + 1
        names = (path[start:] for path in below(self._writer.root) if path.endswith(".rst"))
        return sorted(name for name in names if name not in self._writer.ours)


class _Part(msgspec.Struct, frozen=True):
    """What came of a part: the SHA-256 of each file, what each picture was drawn from, and
    what its making returned."""

    digests: dict[str, str]
    pictures: tuple[Drawn, ...]
    result: bytes


class Made(NamedTuple, Generic[T]):
    """What making a part did and returned: the SHA-256 of each file, the pictures that are wanted,
    what is to be kept, and what could not be made."""

    out: T
    digests: dict[str, str]
    pictures: list[Picture | Drawn]
    kept: dict[str, bytes]
    unmade: list[Diagnostic]


class Keeping:
    """The parts of the site that are kept, and all pictures of this run.

    ``rules`` is a fingerprint of all that parts are made from besides what each of them
    names; without it nothing is kept. ``formats`` are the pictures that are wanted. ``unmade``
    says which parts could not be made.
    """

    def __init__(self, writer: Writer, rules: str = "", formats: tuple[str, ...] = ()) -> None:
        self.writer = writer
        self.pictures: list[Picture | Drawn] = []
        self.unmade: list[Diagnostic] = []
        self._rules, self._formats = rules, formats
        self._new: dict[str, bytes] = {}

    def made(self, name: str, made_from: object, make: Callable[[], T], kind: type[T]) -> T:
        """What ``make`` gives, or what it gave in an earlier run.

        ``name`` is that of the part, ``made_from`` what it is made from, with a ``repr`` that
        says all of it. ``make`` writes by the same writer, adds to the same ``pictures``, and
        returns, as ``kind``, all else that comes of it.
        """
        part = self._recall(self._key(name, made_from))
        if part:
            return msgspec.msgpack.decode(part.result, type=kind)
        files, pictures, unmade = len(self.writer.names), len(self.pictures), len(self.unmade)
        out = make()
        # What could not be made is tried again, and said again, in each run.
        if len(self.unmade) == unmade:
            self.add(name, made_from, out, files, pictures)
        return out

    def attempt(
        self, what: str, page: str, make: Callable[[], T], instead: Callable[[str], T]
    ) -> T:
        """What ``make`` gives; where it raises, ``instead`` of it what is made of the words for
        readers, and nothing that was written on the way. ``what`` names the part on a ``page``."""
        files, pictures = len(self.writer.names), len(self.pictures)

        def fail(finding: Diagnostic) -> T:
            self.writer.take_back(files)
            del self.pictures[pictures:]
            self.unmade.append(finding)
            return instead(finding.message)

        return attempt(what, f"{page}.rst", make, fail)

    def recall(self, name: str, made_from: object, kind: type[T]) -> T | None:
        """What came of a part in an earlier run, if it is kept."""
        part = self._recall(self._key(name, made_from))
        return msgspec.msgpack.decode(part.result, type=kind) if part else None

    def add(
        self, name: str, made_from: object, out: object, files: int = 0, pictures: int = 0
    ) -> None:
        """Take a part with what came of it; its files and pictures are those of this run from
        these numbers on."""
        drawn_from = tuple(picture.drawn for picture in self.pictures[pictures:])
        apart = {f"{each.stem}.{form}" for each in drawn_from for form in FORMATS}
        names = (name for name in self.writer.names[files:] if name not in apart)
        digests = {name: self.writer.digests[name] for name in names}
        # A name that is no text in UTF-8 cannot be kept.
        with contextlib.suppress(UnicodeEncodeError):
            part = _Part(digests, drawn_from, msgspec.msgpack.encode(out))
            self._new[self._key(name, made_from)] = msgspec.msgpack.encode(part)

    def noted(self, make: Callable[[], T]) -> Made[T]:
        """What ``make`` does and gives, in a process that will say so to another one."""
        files, pictures, unmade = len(self.writer.names), len(self.pictures), len(self.unmade)
        new, self._new = self._new, {}
        out = make()
        kept, self._new = self._new, new | self._new
        digests = {name: self.writer.digests[name] for name in self.writer.names[files:]}
        return Made(out, digests, self.pictures[pictures:], kept, self.unmade[unmade:])

    def take(self, made: Made[T]) -> None:
        """Take over what making a part did in another process. Raises ``ValueError`` where both
        have written a file."""
        for name, digest in made.digests.items():
            self.writer.take(name, digest)
        self.pictures += made.pictures
        self._new |= made.kept

    def save(self) -> None:
        """Keep the parts of this run. Call it when what they were made from is known to
        be still as it was when its fingerprint was taken."""
        for key, part in self._new.items() if self._rules else ():
            self.writer.store.keep(key, part)

    def _key(self, name: str, made_from: object) -> str:
        return f"{name} {fingerprint(self._rules, made_from)}"

    def _recall(self, key: str) -> _Part | None:
        """What came of a part, where all of it is there; its files stay."""
        data = self.writer.store.recall(key)
        if data is None:
            return None
        part = msgspec.msgpack.decode(data, type=_Part)
        there = part.digests.copy()
        for each in part.pictures:
            for form in FORMATS:
                digest = drawn(self.writer, each, form)
                if digest:
                    there[f"{each.stem}.{form}"] = digest
                elif form in self._formats:
                    return None
        if any(self.writer.present(name) != digest for name, digest in part.digests.items()):
            return None
        for name, digest in there.items():
            self.writer.keep(name, digest)
        self.pictures += part.pictures
        return part


def fingerprint(*values: object) -> str:
    """The SHA-256 of some values, each with a ``repr`` that says all of it."""
    return hashlib.sha256(repr(values).encode("utf-8", "surrogatepass")).hexdigest()
