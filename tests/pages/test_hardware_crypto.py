"""Whether an accelerator is worth it, as pages say it, against the figures in the bundles."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest
from making import SHIPPED
from profiles import count

from perfguide.figures.dataset import Settings
from perfguide.pages.build import generate

Bundle = Callable[..., Path]

SIZES = {16: "16 bytes", 64: "64 bytes", 256: "256 bytes", 1024: "1 KiB", 8192: "8 KiB"}
ENGINES = {"hw": "the accelerator", "arm-ce": "the Arm Crypto Extension", "sw": "software"}
UNCLEAR = "which takes less CPU time is not clear"
SOCS = count(16, heavy=24)


def results(rates: dict[str, list[float]], loads: dict[str, float]) -> list[dict[str, Any]]:
    """The figures of some engines in kB/s, by block size, with their loads."""
    out = []
    for engine, own in rates.items():
        params = {"algorithm": "aes-128-cbc", "engine": engine}
        like = {"benchmark": "openssl", "metric": "throughput", "unit": "kB/s"}
        out += [
            {**like, "value": rate, "params": {**params, "block_size": size}}
            for size, rate in zip(SIZES, own, strict=True)
        ]
        load = {**like, "metric": "cpu_load", "unit": "%"}
        out.append({**load, "value": loads[engine], "params": params})
    return out


def archive(chance: random.Random) -> dict[str, dict[str, tuple[list[float], float]]]:
    """Two releases of a SoC, each with the rates and the load of some engines."""
    out: dict[str, dict[str, tuple[list[float], float]]] = {}
    for release in ("09.00", "09.01"):
        names = chance.sample(list(ENGINES), chance.randint(1, 3))
        out[release] = {}
        for name in names:
            scale = chance.uniform(1, 40) if name == "hw" else chance.uniform(100, 2000)
            power = chance.uniform(0.7, 1.0) if name == "hw" else chance.uniform(0.05, 0.4)
            rates = [round(scale * size**power * chance.uniform(0.8, 1.2), 2) for size in SIZES]
            out[release][name] = (rates, float(chance.randint(20, 99)))
    return out


def written(
    tmp_path: Path, socs: dict[str, dict[str, list[dict[str, Any]]]], write: Bundle
) -> Path:
    """Return the folder of the pages of SoCs with results by release."""
    for soc, releases in socs.items():
        for release, own in releases.items():
            name = f"{soc}-{release}"
            more = {"board__soc": soc, "board__name": "evm", "sdk__version": release}
            write(tmp_path / f"results/{name}.json", own, id=name, **more)
    generate(Settings((tmp_path / "results",), (SHIPPED,), tmp_path / "out", formats=()))
    return tmp_path / "out"


def expected(releases: dict[str, dict[str, tuple[list[float], float]]]) -> tuple[Any, ...] | None:
    """Return the accelerator and the fastest engine beside it, each with its release."""
    last = "09.01"

    def newest(names: Iterable[str]) -> tuple[str, str] | None:
        for release in (last, "09.00"):
            own = [name for name in releases[release] if name in names]
            if own:
                return release, max(own, key=lambda name: releases[release][name][0][-1])
        return None

    hardware, beside = newest(["hw"]), newest(["arm-ce", "sw"])
    if hardware is None or last not in (hardware[0], beside[0] if beside else ""):
        return None
    return hardware, beside


def sizes_of(words: str) -> set[int]:
    """Return the block sizes that a phrase names."""
    by_name = {name: size for size, name in SIZES.items()}
    if words == "at every block size":
        return set(SIZES)
    if match := re.fullmatch("from blocks of (.+) on", words):
        return {size for size in SIZES if size >= by_name[match[1]]}
    match = re.fullmatch("with blocks of (.+) only", words)
    assert match, words
    return {by_name[name] for name in re.split(", | and ", match[1])}


def claims(verdict: str) -> tuple[set[int], set[int], set[int]]:
    """Return the sizes at which the accelerator is faster, those at which it moves more data per second of CPU
    time, and those at which it is said to move as much."""
    more, none = "more data per second of CPU time", "at any block size up to 8 KiB"
    as_much = "not faster, and moves at most as much data per second of CPU time (within 5 %)"
    never = f"Hardware crypto is not worth it {none}: it is "
    if verdict in (f"{never}neither faster nor moves {more}", f"{never}{as_much}"):
        return set(), set(), set()
    if match := re.fullmatch(
        f"Hardware crypto is worth it (.+): it is faster, and moves {more}", verdict
    ):
        return sizes_of(match[1]), sizes_of(match[1]), set()
    hardly = f"Hardware crypto is hardly worth it: it is not faster {none}, and moves {more} (.+)"
    if match := re.fullmatch(hardly, verdict):
        (size,) = sizes_of(match[1])
        assert size < max(SIZES)
        return set(), {size}, set()
    match = re.fullmatch(
        f"Hardware crypto is (?:not faster {none}|faster (.+?))(?:, (?:and|but) moves {more} (.+?))?"
        "(?:, and moves as much data per second of CPU time as the CPU alone (.+) \\(within 5 %\\))?"
        f"(?:, but does not move {more} at any block size|; {UNCLEAR})?",
        verdict,
    )
    assert match, verdict
    faster, thriftier, level = (sizes_of(each) if each else set() for each in match.groups())
    return faster, thriftier, level


def brief_claims(brief: str) -> tuple[set[int], set[int], set[int]]:
    """Return the same from the words in the table."""
    if brief == "No: not faster, nor thriftier":
        return set(), set(), set()
    if match := re.fullmatch("Yes, (.+)", brief):
        return sizes_of(match[1]), sizes_of(match[1]), set()
    match = re.fullmatch(
        "(?:Not faster|Faster (.+?))(?:; thriftier (.+)|; as thrifty (.+)|, but not thriftier"
        f"|; {UNCLEAR})",
        brief,
    )
    assert match, brief
    faster, thriftier, level = (sizes_of(each) if each else set() for each in match.groups())
    return faster, thriftier, level


@pytest.mark.parametrize("seed", range(1, 1 + count(1, heavy=5)))
def test_verdict_and_figures_are_those_of_the_bundles(
    tmp_path: Path, write_bundle: Bundle, seed: int
) -> None:
    chance = random.Random(seed)
    socs = {f"SOC{number}": archive(chance) for number in range(SOCS)}
    bundles = {
        soc: {
            release: results(
                {n: rates for n, (rates, _) in own.items()},
                {n: load for n, (_, load) in own.items()},
            )
            for release, own in releases.items()
        }
        for soc, releases in socs.items()
    }
    out = written(tmp_path, bundles, write_bundle)
    page = (out / "by-benchmark/openssl.rst").read_text("utf-8")
    seen = set()
    for soc, releases in socs.items():
        found = re.search(rf"\* - {soc} :perf-small:`Linux (.+?)`\n((?: +- .+\n+){{4}})", page)
        guide = (out / f"guides/{soc}/linux/09.01.rst").read_text("utf-8")
        answer = expected(releases)
        if answer is None:
            assert "ardware crypto is" not in guide
            continue
        assert found and found[1] == "09.01"
        chapter = guide.partition("Crypto\n------")[2]
        (sentence,) = re.findall(r"^(?:Hardware crypto|We cannot tell).+", chapter, re.M)
        brief, *cells = re.findall(r"- (.+)", found[2])
        of_soc = (out / f"guides/{soc}/index.rst").read_text("utf-8")
        # That page opens with the release before, if the newest has less than half of its figures.
        if 2 * len(releases["09.01"]) >= len(releases["09.00"]):
            assert sentence in of_soc
        else:
            before = (out / f"guides/{soc}/linux/09.00.rst").read_text("utf-8")
            said = re.findall(r"^.*ardware crypto is .+", before, re.M)
            assert "Linux 09.00" in of_soc and sentence not in of_soc
            assert all(each in of_soc for each in said) and len(said) == ("hw" in releases["09.00"])
            seen.add("of the release before")
        (release, name), beside = answer
        rates, load = releases[release][name]
        own = f"{float(f'{rates[-1] / 1000:.4g}'):g} MB/s at {load:g} % of one core over all sizes with the accelerator"
        own += "" if release == "09.01" else f" in {release}"
        moved = f"{float(f'{rates[-1] / 10 / load:.3g}'):g}"
        small = "" if release == "09.01" else f" :perf-small:`{release}`"
        assert cells[0] == f"{own.partition(' of one core')[0]}{small}"
        if beside is None:
            seen.add("alone")
            assert "no run is known to have encrypted on the CPU. AES-128-CBC on evm" in sentence
            assert own in sentence and (brief, cells[1:]) == ("Cannot tell", ["—", f"{moved} MB"])
            continue
        others, other_load = releases[beside[0]][beside[1]]
        words = f"{float(f'{others[-1] / 1000:.4g}'):g} MB/s at {other_load:g} % of one core over all sizes with {ENGINES[beside[1]]}"
        words += "" if beside[0] == "09.01" else f" in {beside[0]}"
        verdict, figures = sentence.split(". ", 1)
        last = "" if release == "09.01" else f", last measured in {release},"
        assert verdict.startswith(f"Hardware crypto{last} is ")
        verdict = verdict.replace(last, "")
        both = f"{moved} / {float(f'{others[-1] / 10 / other_load:.3g}'):g} MB"
        name = ENGINES[beside[1]].removeprefix("the ").replace("software", "")
        name = ", ".join(filter(None, (name, "" if beside[0] == "09.01" else beside[0])))
        small = f" :perf-small:`{name}`" if name else ""
        assert cells[1:] == [f"{words.partition(' of one core')[0]}{small}", both]
        apart = "" if beside[0] == release else " The two are of different releases."
        said = f"AES-128-CBC on evm with blocks of 8 KiB: {own}; {words}, the fastest on the CPU."
        assert (
            figures
            == f"{said}{apart} One CPU load was measured for all sizes together: that of a single size may differ."
        )
        seen |= {apart} - {""}
        pairs = dict(zip(SIZES, zip(rates, others, strict=True), strict=True))
        # Less than 5 % is no difference.
        faster = {size for size, (one, two) in pairs.items() if one > 1.05 * two}
        by_cpu_time = {size: one / load / (two / other_load) for size, (one, two) in pairs.items()}
        thriftier = {size for size, ratio in by_cpu_time.items() if ratio > 1.05}
        level = {size for size, ratio in by_cpu_time.items() if 1 / 1.05 <= ratio <= 1.05}
        # As much is only said where it is nowhere more, and of several of the largest sizes.
        is_said = not thriftier and len(level) > 1 and level == {*[*SIZES][-len(level) :]}
        # The load is that of all sizes, so it cannot show that a single one of them saves CPU time.
        is_clear = thriftier in ({*SIZES}, faster) or (
            len(thriftier) > 1 and thriftier == {*[*SIZES][-len(thriftier) :]}
        )
        assert (UNCLEAR in verdict) == (not is_clear and bool(thriftier))
        thriftier = thriftier if is_clear else set()
        assert claims(verdict) == (faster, thriftier, level if is_said else set()), sentence
        assert brief_claims(brief) == claims(verdict), brief
        seen.add(verdict.split(" it ")[0][:27])
    assert len(seen) > 4 and "of the release before" in seen, seen


def test_an_engine_that_is_not_known_is_no_rival_and_an_inferred_one_is_called_likely(
    tmp_path: Path, write_bundle: Bundle
) -> None:
    """As on a board whose releases changed from a run that kept the CPU busy to one that did not."""
    slow, fast = [0.4e3, 1.6e3, 6e3, 25e3, 100e3], [4.9e3, 19e3, 73e3, 232e3, 580e3]
    releases = {
        # Too slow with 16 bytes for CPU instructions that are called directly.
        "09.00": results({"default": [0.01 * fast[0], *fast[1:]]}, {"default": 98.0}),
        "09.01": results({"default": slow}, {"default": 38.0}),
    }
    out = written(tmp_path, {"AM62X": releases}, write_bundle)
    text = (out / "guides/AM62X/linux/09.01.rst").read_text("utf-8")
    assert (
        "We cannot tell whether the accelerator pays: no run is known to have encrypted on the CPU. "
        "AES-128-CBC on evm with blocks of 8 KiB: 100 MB/s at 38 % of one core over all sizes with what is likely the "
        "accelerator; 580 MB/s at 98 % of one core over all sizes in a run of 09.00 whose engine is not recorded. That run "
        "was faster from blocks of 64 bytes on, with more data per second of CPU time." in text
    )
    assert "ardware crypto is worth" not in (out / "guides/AM62X/linux/09.00.rst").read_text(
        "utf-8"
    )


def test_an_accelerator_behind_a_run_that_kept_the_cpu_busy_is_probably_not_worth_it(
    tmp_path: Path, write_bundle: Bundle
) -> None:
    """It is behind at every block size in throughput and in data per second of CPU time."""
    slow, fast = [0.4e3, 1.6e3, 6e3, 25e3, 100e3], [4.9e3, 19e3, 73e3, 232e3, 580e3]
    assert all(one / 38 < two / 98 for one, two in zip(slow, fast, strict=True))
    releases = {
        "09.00": results({"default": fast}, {"default": 98.0}),
        "09.01": results({"default": slow}, {"default": 38.0}),
    }
    out = written(tmp_path, {"AM62X": releases}, write_bundle)
    text = (out / "guides/AM62X/linux/09.01.rst").read_text("utf-8")
    assert "Hardware crypto is probably not worth it. We cannot be sure: no run" in text
    assert "That run was faster at every block size, with more data per second of CPU time." in text


def test_a_difference_within_scatter_makes_no_verdict(tmp_path: Path, write_bundle: Bundle) -> None:
    """As on a board whose accelerator has half the rate at 42 % of the CPU load, with the largest blocks only."""
    software, hardware = [9e3, 20e3, 33e3, 45.16e3, 44.97e3], [0.2e3, 0.9e3, 3.4e3, 12e3, 19.03e3]
    own = results({"hw": hardware, "sw": software}, {"hw": 42.0, "sw": 98.8})
    out = written(tmp_path, {"AM335X": {"09.01": own}}, write_bundle)
    text = (out / "guides/AM335X/linux/09.01.rst").read_text("utf-8")
    assert (
        "Hardware crypto is not worth it at any block size up to 8 KiB: it is not faster, and moves at most "
        "as much data per second of CPU time (within 5 %). AES-128-CBC on evm with blocks of 8 "
        "KiB: 19.03 MB/s at 42 % of one core over all sizes with the accelerator; 44.97 MB/s at 98.8 % of one core over all sizes with software"
        in text
    )


def test_an_accelerator_that_was_not_in_use_has_no_verdict(
    tmp_path: Path, write_bundle: Bundle
) -> None:
    rates = [1e3, 3e3, 9e3, 20e3, 30e3]
    own = results({"hw": [r * 1.01 for r in rates], "sw": rates}, {"hw": 99.0, "sw": 99.0})
    out = written(tmp_path, {"AM62X": {"09.01": own}}, write_bundle)
    text = (out / "guides/AM62X/linux/09.01.rst").read_text("utf-8")
    assert "most likely not in use" in text and "ardware crypto is" not in text
