"""The CPU share of a sweep's jobs, against the weights of the kernel."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from conftest import TOP

SHELLS = ["dash", "busybox sh"]
TIMES = """\
# perfguide-run: benchmark=openssl nice={level} engine=sw
\tUser time (seconds): {user}
\tSystem time (seconds): 0.05
\tPercent of CPU this job got: 0%
\tElapsed (wall clock) time (h:mm:ss or m:ss): {elapsed}
"""


def shell(words: str, script: str) -> str:
    """Return the output of a script behind the functions of the sweep."""
    source = f'say() {{ echo "say $*"; }}; warn() {{ echo "warn $*"; }}; . runner/bench/sweep.sh; {script}'
    command = [*words.split(), "-c", source]
    return subprocess.run(command, cwd=TOP, check=True, capture_output=True, text=True).stdout


@pytest.mark.parametrize("words", SHELLS)
def test_the_weights_of_the_kernel_give_the_expected_shares(words: str) -> None:
    script = "for level in -20 -5 0 5 19; do expected_share $level; done; percent 14"
    # w / (w + 1024), for 88761, 3121, 1024, 335 and 15.
    assert shell(words, script).splitlines() == ["989", "753", "500", "247", "14", "1.4 %"]


@pytest.mark.parametrize("words", SHELLS)
@pytest.mark.parametrize("elapsed", ["0:18.00", "0m 18.00s", "0:00:18.00", "0h 0m 18.00s"])
def test_a_share_below_one_per_cent_is_not_rounded_to_0(words: str, elapsed: str) -> None:
    output = TIMES.format(level=19, user="0.04", elapsed=elapsed)
    script = f"printf %s '{output}' | awk \"$SHARE_AWK\"' END {{ print share }}'"
    assert shell(words, script).strip() == "5"


@pytest.mark.parametrize(
    ("shares", "name", "verdict"),
    [
        ({-20: 98, 0: 49, 19: 1}, "alone.threads-1.x.sw", "say"),
        ({-20: 47, 0: 49, 19: 1}, "alone.threads-1.x.sw", "warn"),
        # An accelerator works while its job sleeps, and copies take the core on purpose.
        ({-20: 47, 0: 30, 19: 1}, "alone.threads-1.x.hw", "say"),
        ({-20: 47, 0: 30, 19: 1}, "beside-copies.threads-1.x.sw", "say"),
        ({-20: 47, 19: 46}, "alone.threads-1.x.hw", "warn"),
    ],
)
def test_jobs_that_got_less_than_their_weight_are_warned_of(
    tmp_path: Path, shares: dict[int, int], name: str, verdict: str
) -> None:
    log = "".join(
        TIMES.format(level=level, user=f"{share / 10:.2f}", elapsed="0:10.00")
        for level, share in shares.items()
    )
    (tmp_path / f"sweep.{name}.log").write_text(log, "utf-8")
    output = shell("dash", f"OUT='{tmp_path}'; check_shares")
    assert output.startswith(f"{verdict} sweep.{name}.log")
