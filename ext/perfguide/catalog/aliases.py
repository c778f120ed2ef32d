"""Whether the old names in a benchmark's description each stand for one thing."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence


def faults(
    metrics: Sequence[tuple[str, Sequence[str]]], params: Mapping[str, Mapping[str, str]]
) -> Iterator[tuple[str, str]]:
    """What is wrong and how to mend it, for metrics and their old names, and for each
    parameter its old values and what they mean."""
    names = [name for name, _ in metrics]
    olds = [old for _, aliases in metrics for old in aliases]
    for name, aliases in metrics:
        where = f"metric “{name}”: "
        if aliases and set("*?[") & set(name):
            yield where + "a pattern cannot have “aliases”", "write an entry with its whole name"
        for old in aliases:
            if old in names or olds.count(old) > 1:
                yield where + f"the alias “{old}” is another metric's too", "let it stand once"
    for name, values in params.items():
        for old, value in values.items():
            if value in values:
                wrong = f"parameter “{name}”: the alias “{old}” leads to another alias"
                yield wrong, "name the value that bundles write today"
