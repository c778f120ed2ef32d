"""The CPU share of a sweep's jobs, against the weights of the kernel."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest
from conftest import TOP
from corpus import built_in

from perfguide.adapters import Context

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
    say = 'say() { echo "say $*"; }; warn() { echo "warn $*"; }'
    source = f"{say}; . runner/lib/shares.sh; . runner/bench/sweep.sh; {script}"
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
    ("share", "head", "verdict"),
    [
        (98, "nice=-20 SWEEP", ""),
        (47, "nice=-20 SWEEP", "47.0 98.9"),
        (33, "nice=0 SWEEP", "33.0 50.0"),
        (1, "nice=19 SWEEP", ""),
        (30, "nice=19 SWEEP", "30.0 1.4"),
        (49, "nice=0 ALONE", "49.0 100.0"),
        # An accelerator works while its job sleeps, and copies take the core on purpose.
        (30, "nice=0 SWEEP -engine afalg", ""),
        (30, "nice=0 threads=1 workload=dm-crypt repetition=1 background=busy-loop command=x", ""),
        (30, "nice=0 threads=2 workload=alone repetition=1 background=busy-loop command=x", ""),
    ],
)
def test_a_share_far_from_the_weights_is_noticed(
    tmp_path: Path, share: int, head: str, verdict: str
) -> None:
    sweep = "threads=1 workload=alone block_sizes=16 repetition=1 background=busy-loop command=x"
    head = head.replace("SWEEP", sweep).replace("ALONE", sweep.replace("busy-loop", "none"))
    point = tmp_path / "point"
    user = f"{share / 10 - 0.05:.2f}"
    point.write_text(TIMES.format(level=0, user=user, elapsed="0:10.00"), "utf-8")
    for words in SHELLS:
        output = shell(words, f"far_share 'benchmark=openssl {head}' '{point}'")
        assert output.strip() == verdict


@pytest.mark.parametrize(("shares", "verdict"), [((98, 49, 1), "say"), ((47, 46, 46), "warn")])
def test_a_sweep_whose_shares_do_not_fall_is_warned_of(
    tmp_path: Path, shares: tuple[int, ...], verdict: str
) -> None:
    log = "".join(
        TIMES.format(level=level, user=f"{share / 10:.2f}", elapsed="0:10.00")
        for level, share in zip((-20, 0, 19), shares, strict=True)
    )
    (tmp_path / "sweep.x.log").write_text(log, "utf-8")
    assert shell("dash", f"OUT='{tmp_path}'; check_shares").startswith(f"{verdict} sweep.x.log")


def test_a_point_without_its_share_is_run_again_and_then_marked(tmp_path: Path) -> None:
    """The real programs, with a competitor on the core and without."""
    options = (
        "--only openssl --engines sw --algorithms aes-128-cbc --block-sizes 16 --workloads alone"
    )
    core = str(max(os.sched_getaffinity(0)))
    competitors = [
        subprocess.Popen(["taskset", "-c", core, "sh", "-c", "while :; do :; done"])
        for _ in range(3)
    ]
    try:
        subprocess.run(
            ["runner/run.sh", "-o", str(tmp_path / "out"), "--board", "b", "--soc", "s", "--sdk", "1", *options.split(),
             "--core", core, "--repetitions", "1", "--seconds", "1"],
            cwd=TOP, check=True, capture_output=True,
        )  # fmt: skip
    finally:
        for each in competitors:
            each.kill()
            each.wait()
    (log,) = (tmp_path / "out").glob("openssl.*.log")
    results = built_in("perfguide-runner").read(log.read_bytes(), Context(log.name)).results
    assert {result.metric for result in results} == {"throughput", "cpu_load"}
    for result in results:
        assert re.fullmatch(
            r"The runner warned: the job got [0-9.]+ % of its core, and [0-9.]+ % in a first run, "
            r"where its nice level gives it 100.0 %: other work was under way",
            *result.notes,
        )
