"""A short run of the fuzzer of ``bench/fuzz.py``, the same each time."""

from __future__ import annotations

import random

import pytest
from fuzzing import mutated, targets

TARGETS = targets()


@pytest.mark.parametrize("name", TARGETS)
def test_spoilt_input_never_raises(name: str) -> None:
    target = TARGETS[name]
    for seed in target.seeds:
        target.run(seed)
    chance = random.Random(f"fuzz {name}")
    for number in range(target.times):
        data = mutated(chance, target.seeds)
        try:
            target.run(data)
        except Exception as error:
            error.add_note(f"number {number}: {data[:2000]!r}")
            raise


def test_a_fault_would_be_found() -> None:
    chance = random.Random(1)

    def faulty(data: bytes) -> None:
        assert b"NaN" not in data

    with pytest.raises(AssertionError):
        for _ in range(10_000):
            faulty(mutated(chance, TARGETS["decoder"].seeds))
