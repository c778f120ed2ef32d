"""Feed mutated input to the decoder, each container and each adapter for some time.

    python bench/fuzz.py --seconds 60 [TARGET…]

Prints the numbers of runs and crashes per target. Input that crashes is kept in build/fuzz, and the
exit status is then 1. With atheris installed (pip install atheris), ``--atheris TARGET`` searches
for code paths that no input has taken.
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
CRASH_FOLDER = TOP / "build" / "fuzz"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("targets", nargs="*", metavar="TARGET")
    parser.add_argument("--seconds", type=float, default=10, help="for each target")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--atheris", action="store_true", help="guided by coverage; one TARGET")
    options = parser.parse_args()
    if options.atheris:
        return guided(options.targets[0], options.seconds)
    # Import it here, because atheris has to instrument the package before it is imported.
    from fuzzing import mutated, targets

    every = targets()
    crashes = runs = 0
    begun = time.monotonic()
    for name in options.targets or every:
        # Each target has its own random source, so its input does not depend on the others.
        chance = random.Random(f"{options.seed} {name}")
        crashes_by_kind: dict[str, int] = {}
        count = 0
        slowest = 0.0
        end = time.monotonic() + options.seconds
        while (before := time.monotonic()) < end:
            data = mutated(chance, every[name].seeds)
            count += 1
            try:
                every[name].run(data)
            except Exception as error:  # every exception is a bug to report
                frame = traceback.extract_tb(error.__traceback__)[-1]
                kind = f"{type(error).__name__} in {frame.name}, line {frame.lineno}"
                # Keep one input of each kind, since thousands may have the same cause.
                if kind not in crashes_by_kind:
                    CRASH_FOLDER.mkdir(parents=True, exist_ok=True)
                    digits = hashlib.sha256(data).hexdigest()[:12]
                    (CRASH_FOLDER / f"{name}-{digits}").write_bytes(data)
                crashes_by_kind[kind] = crashes_by_kind.get(kind, 0) + 1
            slowest = max(slowest, time.monotonic() - before)
        print(
            f"{name:28} {count:9} runs, slowest {slowest:6.3f} s, {crashes_by_kind or 'no crash'}"
        )
        sys.stdout.flush()
        crashes += sum(crashes_by_kind.values())
        runs += count
    print(f"{runs} runs in {time.monotonic() - begun:.0f} s, {crashes} crashes")
    return 1 if crashes else 0


def guided(name: str, seconds: float) -> int:
    """Run one target under atheris, which ends the process."""
    import atheris

    with atheris.instrument_imports(include=["perfguide"]):
        from fuzzing import targets
    target = targets()[name]
    corpus = CRASH_FOLDER / f"corpus-{name}"
    corpus.mkdir(parents=True, exist_ok=True)
    for seed in target.seeds:
        (corpus / hashlib.sha256(seed).hexdigest()[:12]).write_bytes(seed)
    arguments = [sys.argv[0], str(corpus), f"-max_total_time={seconds:.0f}", "-rss_limit_mb=1024"]
    atheris.Setup([*arguments, f"-artifact_prefix={CRASH_FOLDER}/{name}-"], target.run)
    atheris.Fuzz()
    return 0


if __name__ == "__main__":
    sys.exit(main())
