"""Bundles without their results, which are enough to decide which bundles count and where they
belong.

A head takes about 2 kB however many results the bundle has. A build reads each file once to get its
heads, and stores these under the hash of the file.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from dataclasses import replace as replace_field

import msgspec
from msgspec.structs import replace

from ..common.diagnostics import Diagnostic
from ..common.package import fingerprint
from ..publishing.store import UNSURE, Store
from .containers import Source
from .decode import Loaded, upload
from .decompress import Limits

MetricId = tuple[str, str, str]
"""A benchmark, a metric and a unit, as named in a bundle."""


@dataclass(frozen=True, slots=True)
class Head(Loaded):
    """A valid bundle stripped of its results.

    ``number`` is its number of results; ``measured`` counts them by benchmark, metric and unit;
    ``logs`` are the names of the logs they came from. ``figures_hash`` is the value of
    :meth:`Loaded.hash_of_figures`.
    """

    number: int
    measured: tuple[tuple[MetricId, int], ...]
    logs: tuple[str, ...]
    figures_hash: str

    def rows(self) -> int:
        """Return the number of results."""
        return self.number

    def hash_of_figures(self) -> str:
        """Return a hash shared by bundles with the same figures."""
        return self.figures_hash


Items = list[Head | Diagnostic]

_ENCODE = msgspec.msgpack.Encoder().encode


class _KeptHeads(msgspec.Struct, frozen=True):
    heads: list[Head | None]
    """``None`` where the next diagnostic belongs."""
    diagnostics: list[Diagnostic]


_DECODE = msgspec.msgpack.Decoder(_KeptHeads).decode


def head(item: Loaded) -> Head:
    """Return the head of a bundle."""
    columns = item.results.columns
    names = columns.triples()
    counts = Counter(columns.integers(columns.name_indices)) if columns.rows else Counter[int]()
    return Head(
        root=item.root,
        origin=item.origin,
        bundle=replace(item.bundle, results=[]),
        digest=item.digest,
        number=columns.rows,
        measured=tuple((name, counts[index]) for index, name in enumerate(names)),
        logs=tuple(sorted({file for file in columns.logs if file})),
        figures_hash=item.hash_of_figures(),
    )


def read(sources: Iterable[Source], limits: Limits, store: Store) -> Iterator[tuple[Source, Items]]:
    """Yield each file with the heads of its bundles and all findings about it.

    A file whose hash is in ``store`` is not opened. A file that is being changed is yielded with
    its content, since it may change again before its results are read."""
    end_of_keys = f"{fingerprint()} {limits}"
    shared: dict[MetricId, MetricId] = {}
    for source in sources:
        digest = store.digest(source.path)
        if digest and store.seen[str(source.path)] == UNSURE:
            with suppress(OSError):
                source = replace_field(source, content=source.path.read_bytes())
                digest = hashlib.sha256(source.content or b"").hexdigest()
        key = f"heads {digest} {end_of_keys} {source.root} {source.name}"
        kept = store.recall(key) if digest else None
        if kept is not None:
            yield source, _unpacked(_DECODE(kept), shared)
            continue
        items: Items = [
            item if isinstance(item, Diagnostic) else _with_shared_names(head(item), shared)
            for item in upload(source, limits)
        ]
        # A name that cannot be encoded as UTF-8 cannot be stored.
        with suppress(UnicodeEncodeError):
            if digest:
                store.keep(key, _ENCODE(_packed(items)))
        yield source, items


def _packed(items: Sequence[Head | Diagnostic]) -> _KeptHeads:
    return _KeptHeads(
        [item if isinstance(item, Head) else None for item in items],
        [item for item in items if isinstance(item, Diagnostic)],
    )


def _unpacked(kept: _KeptHeads, shared: dict[MetricId, MetricId]) -> Items:
    diagnostics = iter(kept.diagnostics)
    return [_with_shared_names(item, shared) if item else next(diagnostics) for item in kept.heads]


def _with_shared_names(item: Head, shared: dict[MetricId, MetricId]) -> Head:
    """Return a head that shares its name strings with other heads: the bundles of a farm measure
    the same things, and names take ten times the memory of everything else."""
    measured = tuple((shared.setdefault(names, names), count) for names, count in item.measured)
    return replace_field(item, measured=measured)
