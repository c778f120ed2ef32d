"""Which figure of one release belongs to which figure of another."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from ..catalog.benchmarks import Benchmark, Catalog, Scalar
from ..catalog.board_names import Boards
from ..common import units
from ..figures.pool import Record

Key = tuple[object, ...]
Conditions = Mapping[str, frozenset[str]]

SETTINGS = {"block_size", "buffer_size", "file_size", "file_size_mb", "filesystem", "medium"}
"""Parameters that say how was measured, where a description does not say otherwise."""

BY_DESIGN = ("kernel", "image")
"""Conditions that change with the release: told once, and no reason not to compare."""

WORDS = {"cpu_mhz": "clock", "memory": "memory", "governor": "governor", "command": "command"}

CLOCK, MEMORY = 0.01, 0.05
"""How far two statements of one clock, or of one memory's size, can lie apart."""


@dataclass(frozen=True, slots=True)
class Match:
    """One line of a comparison before it is judged.

    ``aliases`` says which names were taken for one, ``differs`` what was set
    differently on the two sides so that the figures cannot be compared.
    """

    old: Record | None
    new: Record | None
    aliases: tuple[str, ...] = ()
    differs: tuple[str, ...] = ()


class Names:
    """Names of older bundles as they are written today."""

    def __init__(self, catalog: Catalog, boards: Boards) -> None:
        self.catalog = catalog
        self.boards = boards

    def metric(self, record: Record) -> str:
        """A metric's name of today."""
        if benchmark := self.catalog.get(record.benchmark):
            for metric in benchmark.entry.metrics:
                if record.metric in metric.aliases:
                    return metric.name
        return record.metric

    def params(self, record: Record) -> dict[str, Scalar]:
        """Parameters with the values of today."""
        benchmark = self.catalog.get(record.benchmark)
        if benchmark is None:
            return record.params
        return {name: _value(benchmark, name, v) for name, v in record.params.items()}

    def key(self, record: Record) -> Key:
        """What a figure is of, under the names of today."""
        board = self.boards.today(record.guide.soc, record.board)
        return _key(record, board, self.metric(record), self.params(record))

    def told(self, old: Record, new: Record) -> tuple[str, ...]:
        """The names of a match that are not the same on both sides."""
        pairs: list[tuple[str, Scalar, Scalar]] = [
            ("board", old.board, new.board),
            ("metric", old.metric, new.metric),
        ]
        pairs += [(n, v, new.params[n]) for n, v in old.params.items() if n in new.params]
        return tuple(
            f"{what} “{units.plain(a)}” is now “{units.plain(b)}”" for what, a, b in pairs if a != b
        )

    def is_condition(self, benchmark: str, param: str) -> bool:
        """Whether a parameter says how was measured and not what."""
        known = self.catalog.get(benchmark)
        told = known.param(param).condition if known else None
        if told is not None:
            return told
        return param in SETTINGS or param.endswith("version")


def _value(benchmark: Benchmark, name: str, value: Scalar) -> Scalar:
    return benchmark.param(name).aliases.get(value, value) if isinstance(value, str) else value


def _key(record: Record, board: str, metric: str, params: Mapping[str, Scalar]) -> Key:
    guide = record.guide
    # True equals 1 in Python, so the type is a part of the identity.
    typed = frozenset((n, type(v).__name__ == "bool", v) for n, v in params.items())
    kind = units.parse(record.unit).kind
    return (guide.sdk, guide.soc, guide.os, board, record.benchmark, metric, typed, kind)


def match(old: Sequence[Record], new: Sequence[Record], names: Names) -> list[Match]:
    """Every figure of both sides once, in pairs where two belong together.

    Names that are the same go first, then names that were the same once, then
    figures that differ only in the kind of their unit or in one condition of the
    measurement: those stand side by side but are not compared.
    """
    out: list[Match] = []

    def take(key: Callable[[Record], Key], differs: bool = False) -> None:
        nonlocal old, new
        found, old, new = _paired(old, new, key)
        for a, b in found:
            different = _differences(a, b, names) if differs else ()
            out.append(Match(a, b, names.told(a, b) if not differs else (), different))

    take(lambda r: _key(r, r.board, r.metric, r.params))
    take(names.key)
    take(lambda r: names.key(r)[:-1], differs=True)
    take(lambda r: _without_conditions(r, names), differs=True)
    return [*out, *(Match(r, None) for r in old), *(Match(None, r) for r in new)]


def _paired(
    old: Iterable[Record], new: Iterable[Record], key: Callable[[Record], Key]
) -> tuple[list[tuple[Record, Record]], list[Record], list[Record]]:
    """Pairs of records whose key is the same and unique on both sides, and the rest."""
    sides: list[dict[Key, list[Record]]] = [{}, {}]
    for side, records in zip(sides, (old, new), strict=True):
        for record in records:
            side.setdefault(key(record), []).append(record)
    pairs: list[tuple[Record, Record]] = []
    rest: list[Record] = []
    for place, members in sides[0].items():
        others = sides[1].get(place, [])
        if len(members) == len(others) == 1:
            pairs.append((members[0], others[0]))
            del sides[1][place]
        else:
            rest += members
    return pairs, rest, [record for members in sides[1].values() for record in members]


def _without_conditions(record: Record, names: Names) -> Key:
    key = names.key(record)
    params = frozenset(
        (n, v)
        for n, v in names.params(record).items()
        if not names.is_condition(record.benchmark, n)
    )
    return (*key[:6], params)


def _differences(old: Record, new: Record, names: Names) -> tuple[str, ...]:
    out = []
    if units.parse(old.unit).kind != units.parse(new.unit).kind:
        out.append(f"the unit was {old.unit} and is {new.unit}")
    a, b = names.params(old), names.params(new)
    for name in sorted({*a, *b}):
        if a.get(name) != b.get(name):
            was, now = (units.plain(p[name]) if name in p else "not stated" for p in (a, b))
            out.append(f"{name} was {was} and is {now}")
    return tuple(out)


_ADDRESS = re.compile(r"\b\d{1,3}(?:\.\d{1,3}){3}\b")
_FOLDER = re.compile(r"(^|[\s;|&])(?:/[^\s/;|&]+)+/(?=[^\s/;|&]+)")


def command(text: str) -> str:
    """A command without what does not change what it measures: spaces, the folder
    of a program, a lab's addresses."""
    return _ADDRESS.sub("ADDRESS", _FOLDER.sub(r"\1", " ".join(text.split()))).strip("; ")


def obstacles(old: Conditions, new: Conditions, tools: Sequence[str]) -> tuple[str, ...]:
    """Why figures taken under these conditions cannot be compared; nothing where they can.

    What only one side states does not count. ``tools`` are the programs another
    version of which measures something else.
    """
    out: list[str] = []
    watched = [*WORDS, *(f"tool {name}" for name in tools)]
    for name in watched:
        word = WORDS.get(name) or f"version of {name.removeprefix('tool ')}"
        for side, stated in (("old", old), ("new", new)):
            texts = sorted(stated.get(name, ()))
            if any(not alike(name, texts[0], other) for other in texts[1:]):
                out.append(f"the {word} differs between the {side} runs that one figure pools")
        a, b = sorted(old.get(name, ())), sorted(new.get(name, ()))
        if a and b and not alike(name, a[0], b[0]):
            out.append(f"the {word} was “{a[0]}” and is “{b[0]}”")
    return tuple(out)


def alike(name: str, a: str, b: str) -> bool:
    """Whether two statements of one condition say the same."""
    if a == b:
        return True
    if name == "cpu_mhz":
        return abs(float(a) / float(b) - 1) <= CLOCK
    if name == "memory":
        return _memory_alike(a, b)
    if name == "command":
        return command(a) == command(b)
    return " ".join(a.split()).casefold() == " ".join(b.split()).casefold()


_SIZE = re.compile(r"(\d+(?:\.\d+)?)\s*([KMG])i?B\b(?!/)", re.IGNORECASE)


def _memory_alike(a: str, b: str) -> bool:
    """A kernel keeps a part of the memory to itself, so sizes are not always equal."""
    words = [" ".join(_SIZE.sub(" ", text).split()).casefold() for text in (a, b)]
    sizes = [[_bytes(f[1], f[2]) for f in _SIZE.finditer(text)] for text in (a, b)]
    if words[0] != words[1] or len(sizes[0]) != len(sizes[1]):
        return False
    return all(abs(x - y) <= MEMORY * max(x, y) for x, y in zip(*sizes, strict=True))


def _bytes(number: str, prefix: str) -> float:
    return float(number) * 1024.0 ** ("KMG".index(prefix.upper()) + 1)
