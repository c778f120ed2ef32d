"""Bundles of published sources: conditions and commands that the sources state."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from conftest import TOP

from perfguide.bundle import Bundle, Result, decode

PUBLISHED = sorted(
    path
    for path in (TOP / "results").rglob("*.json")
    if path.read_bytes().find(b'"published-guides"') >= 0
)


def bundles(pattern: str) -> Iterator[Bundle]:
    for path in PUBLISHED:
        if path.relative_to(TOP / "results").match(pattern):
            yield decode(path.read_bytes())


def results(pattern: str, benchmark: str) -> list[Result]:
    own = [r for each in bundles(pattern) for r in each.results if r.benchmark == benchmark]
    assert own, f"no bundle has {benchmark}"
    return own


def test_every_published_bundle_names_its_source() -> None:
    assert len(PUBLISHED) == 7
    for path in PUBLISHED:
        notes = decode(path.read_bytes()).notes
        assert any("Published by Texas Instruments" in each.text for each in notes), path


@pytest.mark.parametrize(
    ("pattern", "benchmark", "facts"),
    [
        ("AM62X/linux/09.01.00.08/*", "mmcsd", {"mount": "async"}),
        ("AM62X/linux/09.01.00.08/*", "alsa", {"sample_format": "S16_LE", "channels": 2}),
        ("AM62X/*/*/*", "glmark2", {"displays": "all connected (HDMI, DisplayPort and/or LCD)"}),
        ("AM6*/*/*/*", "ethernet-tcp", {"netperf": "2.7.1", "peer": "Linux PC"}),
        ("AM335X/*/*/*", "dm-crypt", {"disk": "RAM disk, 16 MB", "disk_filesystem": "ext2"}),
    ],
)
def test_figures_state_the_setup_of_their_source(
    pattern: str, benchmark: str, facts: dict[str, str | int]
) -> None:
    for result in results(pattern, benchmark):
        assert result.setup.items() >= facts.items()


def test_commands_of_the_crypto_study() -> None:
    for result in results("AM335X/*/*/*", "dm-crypt"):
        assert "luksFormat /dev/ram0" in result.command
        assert ("modprobe omap4-aes" in result.command) == (result.params["engine"] == "hw")
    for result in results("AM335X/*/*/*", "openssl"):
        assert result.command.endswith(f"-elapsed -evp {result.params['algorithm']}")
        assert ("cp -f" in result.command) == (result.params["workload"] == "dm-crypt")


def test_the_row_that_was_left_out_is_named_where_its_reader_looks() -> None:
    for bundle in bundles("AM62X/linux/09.01.00.08/*"):
        assert any(n.benchmark == "ipsec" and "aes256" in n.text for n in bundle.notes)


def test_methods_state_no_fact_that_no_source_has() -> None:
    text = Path(TOP / "source/methods.rst").read_text("utf-8")
    assert "1456" not in text and "do not name" not in text
    for fact in (
        *("SMB600", "TeraMetrics", "MPC8313E RDB", "coreutils 8.21", "libproc-3.2.8.so"),
        *("omap4-sham", "netserver", "NFS", "benchmark_data", "parsed_data", "CPSW3g", "unmount"),
    ):
        assert fact in text
