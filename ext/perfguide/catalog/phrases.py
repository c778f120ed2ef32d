"""Recognizing catalog names in other people's words: headings, captions and column heads of
guides."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ..common import units
from .benchmarks import Benchmark, Catalog, Metric, Param, Scalar

_WORD = re.compile(r"[a-z0-9%]+")
FILLER_WORDS = frozenset(
    ["benchmark", "benchmarks", "controller", "driver", "flash", "performance", "soc", "software"]
)
"""Words that headings add to a benchmark's name, or that come and go between releases."""


def words(text: str) -> tuple[str, ...]:
    """Return the words of a text in lower case."""
    return tuple(_WORD.findall(text.lower()))


def benchmark(texts: Iterable[str], catalog: Catalog) -> str:
    """Return the benchmark named in the first text that names any, or "".

    Within a text, the earliest name wins, and the longest of those that start there.
    """
    names = {
        name: {
            tuple(word for word in words(text) if word not in FILLER_WORDS)
            for text in (name, described.entry.title, *described.entry.words)
        }
        for name, described in catalog.benchmarks.items()
    }
    for text in texts:
        text_words = [word for word in words(text) if word not in FILLER_WORDS]
        matches = [
            (at, -len(phrase), name)
            for name, phrases in names.items()
            for phrase in phrases
            if phrase and (at := _at(phrase, text_words)) is not None
        ]
        if matches:
            return min(matches)[-1]
    return ""


@dataclass(frozen=True, slots=True)
class Named:
    """A name in the catalog, and the number of words in the text that it accounts for."""

    name: str
    words: int


def metric(text: str, described: Benchmark) -> Named | None:
    """Return the metric named in a text, preferring the one that accounts for most words."""
    text_words = set(words(text))
    return _best(
        (entry.name, phrase, text_words)
        for entry in described.entry.metrics
        # A heading cannot mean a pattern.
        if "*" not in entry.name
        for phrase in (entry.name, entry.label, *entry.aliases, *entry.words)
    )


def param(text: str, described: Benchmark) -> Named | None:
    """Return the parameter that a text names, in full or by one of its words."""
    text_words = set(words(text))
    phrases = [
        (name, phrase)
        for name, entry in described.entry.params.items()
        for phrase in (name, entry.label, *entry.words)
    ]
    matches = _best((name, phrase, text_words) for name, phrase in phrases)
    if matches or not text_words:
        return matches
    # A head such as "Size" is short for the one parameter that is a size.
    part = next((name for name, phrase in phrases if text_words <= set(_parts(phrase))), "")
    return Named(part, len(text_words)) if part else None


def _best(candidates: Iterable[tuple[str, str, set[str]]]) -> Named | None:
    best: Named | None = None
    for name, phrase, text_words in candidates:
        parts = set(_parts(phrase))
        # More words in common are stronger evidence: “read latency” beats “latency”.
        if parts and parts <= text_words and (best is None or len(parts) > best.words):
            best = Named(name, len(parts))
    return best


def _parts(phrase: str) -> tuple[str, ...]:
    return words(phrase.replace("_", " "))


def value(texts: Sequence[str], described: Param) -> Scalar | None:
    """Return the parameter value named in the first text that names any, or ``None``."""
    for text in texts:
        text_words = words(text)
        matches = [
            (-len(phrase), at, str(value_words))
            for value_words in described.value_words
            if (phrase := words(value_words)) and (at := _at(phrase, text_words)) is not None
        ]
        if matches:
            return described.value_words[min(matches)[-1]]
    return described.value_words.get("")


def listed_value(text: str, described: Param) -> Scalar | None:
    """Return the parameter value that a cell or head names, possibly by its label."""
    text_words = words(text)
    # Guides use the same words as the labels of values on our pages.
    labels = {label: name for name, label in described.values.items()}
    labels |= {name: name for name in described.values}
    by_words = labels | {text: value for text, value in described.value_words.items() if text}
    matches = [
        (-len(phrase), at, matching)
        for matching in by_words
        if (phrase := words(matching)) and (at := _at(phrase, text_words)) is not None
    ]
    return by_words[min(matches)[-1]] if matches else None


def unit(text: str, described: Metric | None) -> str:
    """Return the canonical name of a unit as spelled in a guide, or "".

    If the text is empty or not a unit, this is the metric's unit. Text that differs from the
    metric's unit only in case is taken to mean it.
    """
    usual = described.unit if described else ""
    if not text:
        return usual
    parsed = units.parse(text)
    if not parsed.kind.startswith("unknown"):
        return parsed.name
    if usual and text.casefold() in {spelling.casefold() for spelling in units.spellings(usual)}:
        return usual
    # Guides shorten rates such as iterations/s to the things counted.
    if usual and set(words(text)) < set(words(usual)):
        return usual
    return text if is_unit(text) else usual


_UNIT = re.compile(r"[^\W\d_][\w%µ°^²³·*/. -]{0,39}")


def is_unit(text: str) -> bool:
    """Return whether a text can be a unit: a known one, or a few plain words.

    Field names such as ``LOCAL_CPU_UTIL`` and lists such as ``min,max`` cannot.
    """
    if not units.parse(text).kind.startswith("unknown"):
        return True
    # All-capitals units are short (MIPS, DMIPS), all-capitals column names are long.
    is_name = "_" in text or (text.isalpha() and text.isupper() and len(text) > 5)
    return bool(_UNIT.fullmatch(text)) and not is_name


def meant(name: str, words_by_name: Iterable[tuple[str, Sequence[str]]]) -> str:
    """Return the metric or parameter that lists another name among its ``words``, or ""."""
    name_words = _parts(name)
    return next((key for key, texts in words_by_name if name_words in map(_parts, texts)), "")


def _at(phrase: Sequence[str], text: Sequence[str]) -> int | None:
    """Return the position of a phrase in a text, both given as words, or ``None``."""
    size, sought = len(phrase), tuple(phrase)
    return next((at for at in range(len(text)) if tuple(text[at : at + size]) == sought), None)
