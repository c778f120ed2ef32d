"""Spoils sound input of the decoder, of each container and of each adapter, for a time.

    python bench/fuzz.py --seconds 60 [TARGET…]

Prints for each target how often it was run and how many crashes there were. An input
that crashes is kept in build/fuzz; the exit status is then 1. With atheris installed
(pip install atheris), ``--atheris TARGET`` lets it look for paths that no input has taken.
"""

from __future__ import annotations

import argparse
import hashlib
import random
import sys
import time
import traceback
from pathlib import Path

TOP = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(TOP / "ext"), str(TOP / "tests" / "support")]
KEPT = TOP / "build" / "fuzz"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("targets", nargs="*", metavar="TARGET")
    parser.add_argument("--seconds", type=float, default=10, help="for each target")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--atheris", action="store_true", help="guided by coverage; one TARGET")
    options = parser.parse_args()
    if options.atheris:
        return guided(options.targets[0], options.seconds)
    from fuzzing import mutated, targets

    every = targets()
    crashes = runs = 0
    begun = time.monotonic()
    for name in options.targets or every:
        chance = random.Random(f"{options.seed} {name}")
        found: dict[str, int] = {}
        count = 0
        slowest = 0.0
        end = time.monotonic() + options.seconds
        while (before := time.monotonic()) < end:
            data = mutated(chance, every[name].seeds)
            count += 1
            try:
                every[name].run(data)
            except Exception as error:  # whatever it is, it is what is looked for
                place = traceback.extract_tb(error.__traceback__)[-1]
                kind = f"{type(error).__name__} in {place.name}, line {place.lineno}"
                if kind not in found:
                    KEPT.mkdir(parents=True, exist_ok=True)
                    digits = hashlib.sha256(data).hexdigest()[:12]
                    (KEPT / f"{name}-{digits}").write_bytes(data)
                found[kind] = found.get(kind, 0) + 1
            slowest = max(slowest, time.monotonic() - before)
        print(f"{name:28} {count:9} runs, slowest {slowest:6.3f} s, {found or 'no crash'}")
        sys.stdout.flush()
        crashes += sum(found.values())
        runs += count
    print(f"{runs} runs in {time.monotonic() - begun:.0f} s, {crashes} crashes")
    return 1 if crashes else 0


def guided(name: str, seconds: float) -> int:
    """One target under atheris, which ends the process."""
    import atheris

    with atheris.instrument_imports(include=["perfguide"]):
        from fuzzing import targets
    target = targets()[name]
    corpus = KEPT / f"corpus-{name}"
    corpus.mkdir(parents=True, exist_ok=True)
    for seed in target.seeds:
        (corpus / hashlib.sha256(seed).hexdigest()[:12]).write_bytes(seed)
    arguments = [sys.argv[0], str(corpus), f"-max_total_time={seconds:.0f}", "-rss_limit_mb=1024"]
    atheris.Setup([*arguments, f"-artifact_prefix={KEPT}/{name}-"], target.run)
    atheris.Fuzz()
    return 0


if __name__ == "__main__":
    sys.exit(main())
