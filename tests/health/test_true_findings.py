"""Every reason of findings about archives at random, in which faults were planted, is true of their bundles."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import finding_truth
import pytest
from fault_archives import planted
from finding_truth import Bundles
from making import ROOT, SHIPPED, loaded, pooled
from truth import Checked

from perfguide.bundles.decode import Loaded
from perfguide.catalog import benchmarks
from perfguide.figures import dataset
from perfguide.health import rules

CATALOG = benchmarks.load([SHIPPED])[0]
SEEDS = (6, 8, 13, 18, 21, 24, 37, 73, 78, 95, 130, 143)
FAULTS = 3
"""The number of faults in an archive: with more, one can hide another."""


def check(bundles: list[Loaded], checked: Checked, where: str) -> None:
    findings, unmade = rules.examine(pooled(bundles, CATALOG), CATALOG)
    assert not unmade
    of, known = Bundles(bundles, CATALOG), len(checked.false)
    for finding in findings:
        finding_truth.check(finding, of, checked)
    checked.false[known:] = [f"{where}: {text}" for text in checked.false[known:]]


def test_every_reason_of_a_finding_is_true() -> None:
    checked = Checked(Counter(), [])
    for seed in SEEDS:
        bundles, names = planted(seed, FAULTS)
        check(bundles, checked, f"seed {seed}, {', '.join(names)}")
    # Archives at random have no latencies of memory or of operations, and no such boots, sounds or cards.
    latencies = [
        *(("mem_rd-stride128-sz62k", 5.26), ("mem_rd-stride128-sz1000k", 11.97)),
        *(("ops-int-add", 0.5), ("ops-float-add", 0.32)),
    ]
    own = [
        {
            "benchmark": "lmbench",
            "metric": f"lat_{what}",
            "unit": "ns",
            "value": each,
        }
        for what, each in latencies
    ]
    boot = {"benchmark": "boot-time", "metric": "boot_time", "unit": "s", "value": 18.2}
    own.append(boot | {"min": 17.3, "max": 36.3})
    audio = {"benchmark": "alsa", "metric": "throughput", "unit": "bit/s", "value": 705_594}
    own.append(audio | {"params": {"sampling_rate": 24_000}})
    reads = {"benchmark": "mmcsd", "metric": "read_throughput", "unit": "MB/s"}
    for name, rate in (("ext4", 84.5), ("raw", 11.2)):
        params = {"buffer_size": 4096, "filesystem": name}
        own.append(reads | {"value": rate, "params": params})
    writes = {"benchmark": "emmc", "metric": "write_throughput", "unit": "MB/s"}
    for table, rate in (({}, 91.63), ({"table": "EMMC EXT4"}, 75.87)):
        params = {"buffer_size": 4096, "filesystem": "ext4", **table}
        own.append(writes | {"value": rate, "params": params})
    check([loaded(*own)], checked, "latencies, a boot, a sound, reads of a card and two tables")
    rates = enumerate((80.0, 120.0, 185.0, 445.0, 0.7))
    socs = [
        loaded(
            {"benchmark": "ipsec", "metric": "throughput", "unit": "Mbit/s", "value": rate},
            id=f"{number}",
            board__soc=f"S{number}",
        )
        for number, rate in rates
    ]
    check(socs, checked, "five SoCs")
    uploads = [
        loaded(*own[:4], {**own[4], "value": boot}, id=day, created=f"2024-04-{day}T09:30:00Z")
        for day, boot in (("08", 18.3), ("02", 18.2))
    ]
    check(uploads, checked, "an upload again with another boot")
    assert checked.false == []
    patterns = {f"{rule}: {text}" for rule, own in finding_truth.TRUTHS.items() for text in own}
    assert patterns - {*checked.met} == set()


@pytest.mark.parametrize("soc", ["AM335X"])
def test_every_reason_about_real_bundles_is_true(soc: str) -> None:
    folder = ROOT.parent / "shared" / "history" / soc
    if not folder.exists():
        pytest.skip("the archive of public guides is not here")
    checked = Checked(Counter(), [])
    settings = dataset.Settings((folder,), (SHIPPED,), Path("build"))
    check([*dataset.read(settings).pool.frame.bundles], checked, soc)
    assert checked.false == [] and checked.met
