"""Pairing of the figures of two releases, and the conditions under which they can be compared."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from ..bundle import VARYING_FACTS
from ..catalog.benchmarks import Benchmark, Catalog, Metric, Scalar
from ..catalog.board_names import Boards
from ..common import units
from ..common.grouping import grouped
from ..figures import labels
from ..figures.conditions import SETUP
from ..figures.pool import Record
from ..figures.rows import TABLE, TABLE_NUMBER

Key = tuple[object, ...]
Conditions = Mapping[str, frozenset[str]]

SETTINGS = {"block_size", "buffer_size", "file_size", "file_size_mb", "filesystem", "medium"}
"""Parameters that say how a figure was measured, unless a description says otherwise."""

BY_DESIGN = ("kernel", "image")
"""Conditions that change with the release: reported once, and no obstacle to comparing."""

OF_TABLES = {TABLE: "title of the table", TABLE_NUMBER: "number of the table"}

CONDITION_WORDS = {
    "cpu_mhz": "clock",
    "memory": "memory",
    "governor": "governor",
    "command": "command",
}

CLOCK_TOLERANCE = 0.01
TOLERANCES = {"cpu_mhz": CLOCK_TOLERANCE, "memory": 0.05}
"""The largest relative difference between two statements of the same clock or memory size."""


@dataclass(frozen=True, slots=True)
class Match:
    """One row of a comparison before it is judged.

    ``aliases`` are sentences on names that differ but mean the same, and ``differs`` on settings
    that differ, so that the figures cannot be compared.
    """

    old: Record | None
    new: Record | None
    aliases: tuple[str, ...] = ()
    differs: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Names:
    """Translation of names in older bundles to today's."""

    catalog: Catalog
    boards: Boards

    def metric(self, record: Record) -> str:
        """Return today's name of a metric."""
        return self.metric_today(record.benchmark, record.metric)

    def metric_today(self, benchmark: str, name: str) -> str:
        """Return today's name of a benchmark's metric."""
        metrics = self.catalog.benchmark(benchmark).entry.metrics
        return next((metric.name for metric in metrics if name in metric.aliases), name)

    def params(self, record: Record) -> dict[str, Scalar]:
        """Return parameters with today's values."""
        benchmark = self.catalog.get(record.benchmark)
        if benchmark is None:
            return record.params
        return {
            name: benchmark.param(name).aliases.get(v, v) if isinstance(v, str) else v
            for name, v in record.params.items()
        }

    def key(self, record: Record) -> Key:
        """Return the identity of a figure under today's names."""
        board = self.boards.today(record.guide.soc, record.board)
        return _key(record, board, self.metric(record), self.params(record))

    def table_key(self, record: Record) -> Key:
        """Return the identity of a figure, without the number of its table if that has a title."""
        params = self.params(record)
        # Without a title, only the number identifies the table.
        rest = {n: v for n, v in params.items() if n != TABLE_NUMBER or TABLE not in params}
        board = self.boards.today(record.guide.soc, record.board)
        return _key(record, board, self.metric(record), rest)

    def renamed(self, old: Record, new: Record) -> tuple[str, ...]:
        """Return sentences on the names that differ between the two sides of a match."""
        pairs: list[tuple[str, Scalar, Scalar]] = [
            ("board", old.board, new.board),
            ("metric", old.metric, new.metric),
        ]
        pairs += [(n, v, new.params[n]) for n, v in old.params.items() if n in new.params]
        return tuple(
            f"{what} “{units.plain(a)}” is now “{units.plain(b)}”" for what, a, b in pairs if a != b
        )

    def is_condition(self, benchmark: str, param: str) -> bool:
        """Return whether a parameter says how, rather than what, a figure measures."""
        stated = self.catalog.benchmark(benchmark).param(param).condition
        if stated is not None:
            return stated
        return param in SETTINGS or param.endswith("version")

    def matters(self, benchmark: str, fact: str) -> bool:
        """Return whether figures cannot be compared if this fact of the setup differs."""
        entry = self.catalog.benchmark(benchmark).entry.facts.get(fact)
        return entry.matters if entry else fact not in REPORTED_FACTS

    def is_declared(self, benchmark: str, param: str) -> bool:
        """Return whether a parameter distinguishes figures. It does if a table or a chart uses it,
        if it is described but not as a condition, or if its benchmark has no description."""
        described = self.catalog.get(benchmark)
        if described is None or param in described.entry.placed:
            return True
        entry = described.entry.params.get(param)
        return entry is not None and not entry.condition


def metric_of(names: Names, record: Record) -> Metric | None:
    """Return the description of a figure's metric, if there is one."""
    return names.catalog.benchmark(record.benchmark).metric(names.metric(record))


def tools_of(names: Names, benchmark: str) -> tuple[str, ...]:
    """Return the programs whose versions are conditions of a benchmark's figures."""
    described = names.catalog.get(benchmark)
    return described.entry.tools if described else (benchmark,)


def _key(record: Record, board: str, metric: str, params: Mapping[str, Scalar]) -> Key:
    # True equals 1 in Python, so the type is part of the identity.
    typed = frozenset((n, isinstance(v, bool), v) for n, v in params.items())
    kind = units.parse(record.unit).kind
    return (record.guide.platform, board, record.benchmark, metric, typed, kind)


_SPELLING = re.compile(r"[\s_-]+")


def spelt_alike(key: Key) -> Key:
    """Return the key of a figure without the spelling of its metric and parameters: capitals,
    spaces, underscores and hyphens do not count."""
    platform, board, benchmark, metric, typed, kind = key
    assert isinstance(typed, frozenset)  # as _key() makes it
    params = frozenset((n, is_bool, _plainly(v)) for n, is_bool, v in typed)
    return (platform, board, benchmark, _plainly(metric), params, kind)


def untitled(key: Key) -> Key:
    """Return the key of a figure without the title and the number of its table."""
    assert isinstance(key[4], frozenset)  # as _key() makes it
    params = frozenset(each for each in key[4] if each[0] not in OF_TABLES)
    return (*key[:4], params, key[5])


def _plainly(value: object) -> object:
    return _SPELLING.sub("", value).casefold() if isinstance(value, str) else value


def match(old: Sequence[Record], new: Sequence[Record], names: Names) -> list[Match]:
    """Return every figure of both sides once, paired where two belong together.

    Figures with equal names are paired first, then those whose names are aliases or other spellings
    of each other, then those that differ only in the kind of their unit, in undescribed parameters,
    or in conditions of the measurement. The last are shown side by side but not compared. An
    undescribed parameter that one side omits is no difference.
    """
    out: list[Match] = []
    every = old, new
    ways: tuple[tuple[bool, Callable[[Record], Key]], ...] = (
        (True, lambda r: _key(r, r.board, r.metric, r.params)),
        (True, names.key),
        (False, lambda r: names.key(r)[:-1]),
    )
    for same, key in ways:
        pairs, old, new = _paired(old, new, key)
        for a, b in pairs:
            if same:
                out.append(Match(a, b, aliases=names.renamed(a, b)))
            else:
                out.append(Match(a, b, differs=_differences(a, b, names)))
    # Among tables with equal names, those with the same title are the same.
    pairs, old, new = _paired(old, new, names.table_key)
    out += [_beside(a, b, names) for a, b in pairs]
    pairs, old, new = _paired(old, new, lambda r: spelt_alike(names.table_key(r)))
    out += [Match(a, b, aliases=names.renamed(a, b)) for a, b in pairs]
    pairs, old, new = _paired(old, new, lambda r: _without_undeclared(r, names))
    out += [_beside(a, b, names) for a, b in pairs]
    # Several rows may now have one key: pair each with another of that key, in order.
    pairs, old, new = _in_order(old, new, lambda r: _without_undeclared(r, names))
    out += [Match(a, b, differs=_differences(a, b, names)) for a, b in pairs]
    pairs, old, new = _paired(old, new, lambda r: _without_conditions(r, names))
    curves = _curves(every, names) if pairs else set[Key]()
    for a, b in pairs:
        # On a curve, points of one side only are further points, not other settings.
        if _without_conditions(a, names) in curves:
            old, new = [*old, a], [*new, b]
        else:
            out.append(Match(a, b, differs=_differences(a, b, names)))
    return [*out, *(Match(r, None) for r in old), *(Match(None, r) for r in new)]


def _beside(old: Record, new: Record, names: Names) -> Match:
    """Return a match of two figures that differ in undescribed parameters."""
    a, b = names.params(old), names.params(new)
    changed = {name for name in {*a, *b} if name in a and name in b and a[name] != b[name]}
    # Only the number of the table may differ, and only if its title is the same.
    if changed != {TABLE_NUMBER} & changed or (changed and a.get(TABLE) != b.get(TABLE)):
        return Match(old, new, differs=_differences(old, new, names))
    benchmark = names.catalog.benchmark(new.benchmark)
    words = [
        f"{_word(benchmark, name)} “{benchmark.value_label(name, one[name])}” {side_text} alone"
        for one, other, side_text in ((b, a, "is stated now"), (a, b, "was stated before"))
        for name in _without_known_number({*one} - {*other})
    ]
    return Match(old, new, aliases=(*names.renamed(old, new), *sorted(words)))


def _word(benchmark: Benchmark, param: str) -> str:
    return OF_TABLES.get(param) or labels.within(benchmark.param_label(param))


def _without_known_number(params: set[str]) -> list[str]:
    """Return the names of parameters, sorted, without the number of a table that has a title."""
    return sorted(params - ({TABLE_NUMBER} if TABLE in params else set()))


def _without_undeclared(record: Record, names: Names) -> Key:
    board, metric = names.boards.today(record.guide.soc, record.board), names.metric(record)
    params = names.params(record)
    declared = {n: v for n, v in params.items() if names.is_declared(record.benchmark, n)}
    return _key(record, board, metric, declared)


def _in_order(
    old: Sequence[Record], new: Sequence[Record], key: Callable[[Record], Key]
) -> tuple[list[tuple[Record, Record]], list[Record], list[Record]]:
    """Return pairs of records with the same key but different parameters, matched in the order of
    these, and the rest of both sides."""

    def rank(record: Record) -> tuple[object, ...]:
        # Sort naturally, so that 64 KiB comes before 128 KiB.
        return units.natural(repr(sorted(record.params.items())))

    pairs: list[tuple[Record, Record]] = []
    waiting, unmatched = grouped(sorted(new, key=rank), key), []
    for record in sorted(old, key=rank):
        others = waiting.get(key(record), [])
        other = next((other for other in others if other.params != record.params), None)
        if other is None:
            unmatched.append(record)
        else:
            others.remove(other)
            pairs.append((record, other))
    return pairs, unmatched, [record for others in waiting.values() for record in others]


def _paired(
    old: Iterable[Record], new: Iterable[Record], key: Callable[[Record], Key]
) -> tuple[list[tuple[Record, Record]], list[Record], list[Record]]:
    """Return pairs of records whose key is unique on both sides, and the rest of both sides."""
    before, after = grouped(old, key), grouped(new, key)
    # With two candidates on one side, either could be the one.
    both = [k for k, records in before.items() if len(records) == len(after.get(k, ())) == 1]
    pairs = [(before.pop(k)[0], after.pop(k)[0]) for k in both]
    rest = [[record for records in side.values() for record in records] for side in (before, after)]
    return pairs, rest[0], rest[1]


def _without_conditions(record: Record, names: Names) -> Key:
    key = names.key(record)
    params = frozenset(
        (n, v)
        for n, v in names.params(record).items()
        if not names.is_condition(record.benchmark, n)
    )
    # Leave out the kind of the unit, which may differ.
    return (*key[:4], params)


def _curves(sides: Iterable[Sequence[Record]], names: Names) -> set[Key]:
    """Return the keys without conditions that several rows of one side share: those of curves."""
    counts = [Counter(_without_conditions(record, names) for record in side) for side in sides]
    return {key for count in counts for key, number in count.items() if number > 1}


def _differences(old: Record, new: Record, names: Names) -> tuple[str, ...]:
    out = []
    if units.parse(old.unit).kind != units.parse(new.unit).kind:
        old_text, new_text = (units.parse(each.unit).symbol or "not stated" for each in (old, new))
        out.append(f"the unit was {old_text} and is {new_text}")
    benchmark = names.catalog.benchmark(new.benchmark)
    a, b = names.params(old), names.params(new)
    for name in _without_known_number({n for n in {*a, *b} if a.get(n) != b.get(n)}):
        old_text, new_text = (
            benchmark.value_label(name, p[name]) if name in p else "not stated" for p in (a, b)
        )
        out.append(f"the {_word(benchmark, name)} was {old_text} and is {new_text}")
    return tuple(out)


_ADDRESS = re.compile(r"\b\d{1,3}(?:\.\d{1,3}){3}\b")
_FOLDER = re.compile(r"(^|[\s;|&])(?:/[^\s/;|&]+)+/(?=[^\s/;|&]+)")


def command(text: str) -> str:
    """Return a command without parts that do not affect the measurement: extra spaces, folders of
    programs, IP addresses of a lab."""
    return _ADDRESS.sub("ADDRESS", _FOLDER.sub(r"\1", " ".join(text.split()))).strip("; ")


REPORTED_FACTS = frozenset(
    {
        *("commit", "source_commit", "compiler", "compiler_flags", "defconfig", "kernel_config"),
        *("config_hash", "image", "image_hash", "firmware", "bootloader", "rootfs", "temperature"),
        *("power", "date", "operator", "job", "peer_version"),
        *VARYING_FACTS,
    }
)
"""Facts of the setup that change with the release or from day to day. They are only reported,
unless a description says otherwise."""


def obstacles(
    old: Conditions,
    new: Conditions,
    tools: Sequence[str],
    matters: Callable[[str], bool] = lambda _: False,
) -> tuple[str, ...]:
    """Return the reasons why figures measured under these conditions cannot be compared, if any.

    Conditions that only one side states do not count. The versions of the programs ``tools`` must
    agree, and so must the facts of the setup for which ``matters`` returns true.
    """
    out: list[str] = []
    for name, word in watched({*old, *new}, tools, matters):
        for side, stated in (("old", old), ("new", new)):
            # A figure pooled from runs under two conditions is comparable with neither.
            if _is_mixed(name, stated.get(name, ())):
                out.append(f"the {word} {MIXED.format(f'{side} runs')}")
        a, b = sorted(old.get(name, ())), sorted(new.get(name, ()))
        if a and b and not alike(name, a[0], b[0]):
            out.append(f"the {word} was “{a[0]}” and is “{b[0]}”")
    return tuple(out)


MIXED = "differs between the {} that one figure pools"


def watched(
    names: Iterable[str], tools: Sequence[str], matters: Callable[[str], bool]
) -> list[tuple[str, str]]:
    """Return the conditions that comparable figures share, each with a word for it."""
    facts = (name for name in sorted(names) if name.startswith(SETUP))
    return [
        *CONDITION_WORDS.items(),
        *((f"tool {name}", f"version of {name}") for name in tools),
        *((n, fact) for n in facts if matters(fact := n.removeprefix(SETUP))),
    ]


def _is_mixed(name: str, texts: Iterable[str]) -> bool:
    first, *others = sorted(texts) or [""]
    return any(not alike(name, first, other) for other in others)


@dataclass(frozen=True, slots=True)
class Condition:
    """A condition of a figure, in a form that programs outside this package can compare.

    ``plain`` is its text without parts that do not matter. ``sizes`` are numbers that match those
    of another figure to within the share ``tolerance``. ``mixed`` is true if runs disagree.
    """

    name: str
    word: str
    text: str
    mixed: bool
    plain: str
    sizes: tuple[float, ...]
    tolerance: float


def stated(
    conditions: Conditions, tools: Sequence[str], matters: Callable[[str], bool]
) -> tuple[Condition, ...]:
    """Return the conditions of a figure for programs that do without :func:`obstacles`."""
    return tuple(
        Condition(
            name,
            word,
            (text := min(conditions[name])),
            _is_mixed(name, conditions[name]),
            *_normal(name, text),
            TOLERANCES.get(name, 0.0),
        )
        for name, word in watched(conditions, tools, matters)
        if name in conditions
    )


def alike(name: str, a: str, b: str) -> bool:
    """Return whether two statements of one condition are equivalent."""
    if a == b:
        return True
    (words, sizes), (other_words, other_sizes) = _normal(name, a), _normal(name, b)
    tolerance = TOLERANCES.get(name, 0.0)
    return (
        words == other_words
        and len(sizes) == len(other_sizes)
        and all(
            abs(x - y) <= tolerance * max(x, y) for x, y in zip(sizes, other_sizes, strict=True)
        )
    )


def _normal(name: str, text: str) -> tuple[str, tuple[float, ...]]:
    """Return a statement without parts that do not matter, and the sizes in it, which have a
    tolerance."""
    if name == "cpu_mhz":
        return "", (float(text),)
    if name == "command":
        return command(text), ()
    # The kernel reserves a varying part of the memory.
    sizes = tuple(_bytes(each[1], each[2]) for each in _SIZE.finditer(text))
    words = _SIZE.sub(" ", text) if name == "memory" else text
    return " ".join(words.split()).casefold(), sizes if name == "memory" else ()


_SIZE = re.compile(r"(\d+(?:\.\d+)?)\s*([KMG])i?B\b(?!/)", re.IGNORECASE)


def _bytes(number: str, prefix: str) -> float:
    return float(number) * 1024.0 ** ("KMG".index(prefix.upper()) + 1)
