"""What nearly all guides share is said once, and not at the top of each."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import msgspec
from making import SHIPPED, plain

from perfguide.common import parallel
from perfguide.figures.dataset import Settings
from perfguide.pages.build import generate


def load(release: str, cpu_load: float, latency: float = 4.25) -> dict[str, Any]:
    results = [
        {"benchmark": "alsa", "metric": "cpu_load", "unit": "%", "value": cpu_load},
        {"benchmark": "lmbench", "metric": "lat_syscall", "unit": "us", "value": latency},
    ]
    return {**plain(*results, id=release, sdk__version=release)}


def pages(tmp_path: Path, *bundles: dict[str, Any]) -> Path:
    (tmp_path / "results").mkdir()
    for number, bundle in enumerate(bundles):
        (tmp_path / "results" / f"{number}.json").write_bytes(msgspec.json.encode(bundle))
    target = tmp_path / "pages"
    generate(Settings((tmp_path / "results",), (SHIPPED,), target, formats=()), run=parallel.here)
    return target


def careful(target: Path, release: str) -> str:
    text = (target / f"guides/AM62X/linux/{release}.rst").read_text("utf-8")
    (line,) = re.findall(r"^:Careful: (.*)$", text, re.MULTILINE)
    return str(line)


def test_a_guide_without_findings_says_so(tmp_path: Path) -> None:
    target = pages(tmp_path, load("09.00", 40.0))
    assert careful(target, "09.00") == "No check found a problem with these figures."


def test_a_fault_of_all_guides_is_one_line_of_health_and_nothing_special(tmp_path: Path) -> None:
    usual = [load(f"09.{n:02}", 120.0 + n) for n in range(7)]
    target = pages(tmp_path, *usual, load("09.07", 127.0, latency=0.0))
    alone = "**1 finding of wrong figures**: ALSA audio, more than is possible (1 figure). This finding is in most guides of this SoC."
    assert careful(target, "09.03").startswith(alone)
    newest = careful(target, "09.07")
    # It counts like the other, which is named first.
    assert newest.startswith(
        "**2 findings of wrong figures**: LMBench, zero or negative where that is impossible (1 figure); ALSA audio, "
    )
    assert "1 of these findings is in most guides of this SoC." in newest
    health = (target / "reports/health.rst").read_text("utf-8")
    shared = health.partition("One cause, many guides")[2].partition("Single findings")[0]
    assert shared.count(": more than is possible") == 1
    # Each guide has one such figure, and the newest is the example.
    assert (
        "**ALSA audio: more than is possible** 8 figures in 8 guides, 1 of them the newest, such as "
        "AM62X, Linux 09.07, sk, CPU load: it is 127 %, and 100 % is all there is" in shared
    )
    assert "LMBench" not in shared
    single = health.partition("Single findings")[2].partition("All findings, by guide")[0]
    assert "LMBench, sk, Latency, syscall: the figure is 0 µs\n     - zero or negative" in single


def test_of_few_guides_nothing_is_usual(tmp_path: Path) -> None:
    target = pages(tmp_path, *(load(f"09.{n:02}", 120.0 + n) for n in range(3)))
    assert careful(target, "09.02").startswith("**1 finding of wrong figures**: ")
    assert "One cause, many guides" not in (target / "reports/health.rst").read_text("utf-8")
