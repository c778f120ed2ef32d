"""All log formats: the built-in ones, and those of third parties.

A module is imported only if its format is requested by name, or a log has to be recognised.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterable
from dataclasses import dataclass
from importlib.metadata import EntryPoint, entry_points

from ..common.diagnostics import Diagnostic, nearest
from . import ENTRY_POINTS, Format, described

DESCRIBED = "described"
"""The location of a format that is described by a file in ``formats/`` instead of a module."""

BUILT_IN: dict[str, str] = {
    # format: module and the name there; the order is that in which lists show them
    "openssl-speed": "openssl.speed:FORMAT",
    "openssl-sweep": "openssl.sweep:FORMAT",
    "openssl-sweep-table": "openssl.sweep:TABLE",
    "gnu-time": "programs.gnu_time:FORMAT",
    "perfguide-runner": "perfguide_runner:FORMAT",
    "sbc-bench": "sbc_bench:FORMAT",
    "hdparm": DESCRIBED,
    "fio": "programs.fio:FORMAT",
    "fio-text": "programs.fio_text:FORMAT",
    "netperf": "programs.netperf:FORMAT",
    "iperf3": "programs.iperf3:FORMAT",
    "iperf3-text": "programs.iperf_text:IPERF3",
    "iperf2": "programs.iperf_text:IPERF2",
    "cyclictest": "programs.cyclictest:FORMAT",
    "lmbench": "programs.lmbench:FORMAT",
    "stream": DESCRIBED,
    "dhrystone": DESCRIBED,
    "whetstone": DESCRIBED,
    "linpack": "programs.linpack:FORMAT",
    "nbench": DESCRIBED,
    "coremark-pro": "programs.coremark_pro:FORMAT",
    "multibench": "programs.coremark_pro:MULTIBENCH",
    "glmark2": DESCRIBED,
    "alsa": "programs.alsa:FORMAT",
    "u-boot": DESCRIBED,
    "coremark": DESCRIBED,
    "7-zip": "programs.seven_zip:FORMAT",
    "cpuminer": DESCRIBED,
    "unixbench": DESCRIBED,
    "sysbench": "programs.sysbench:FORMAT",
    "stress-ng": "programs.stress_ng:FORMAT",
    "stress-ng-yaml": DESCRIBED,
    "tinymembench": DESCRIBED,
    "ramlat": DESCRIBED,
    "mbw": DESCRIBED,
    "hackbench": DESCRIBED,
    "signaltest": "programs.signaltest:FORMAT",
    "oslat": DESCRIBED,
    "rtla-timerlat": DESCRIBED,
    "rtla-osnoise": DESCRIBED,
    "rt-pairs": "programs.rt_pairs:FORMAT",
    "systemd-analyze": DESCRIBED,
    "bootchart": DESCRIBED,
    "ioping": DESCRIBED,
    "dd": DESCRIBED,
    "cryptsetup": DESCRIBED,
    "hyperfine": DESCRIBED,
    "wrk": DESCRIBED,
    "redis-benchmark": DESCRIBED,
    "tflite": DESCRIBED,
    "onnxruntime": DESCRIBED,
    "mlperf": DESCRIBED,
    "go-bench": DESCRIBED,
    "bonnie": DESCRIBED,
    "iozone": DESCRIBED,
    "fio-terse": DESCRIBED,
    "jmh": DESCRIBED,
    "criterion": "programs.criterion:FORMAT",
    "gstreamer": DESCRIBED,
    "phoronix-text": "farm.phoronix_text:FORMAT",
    "geekbench": DESCRIBED,
    "tidl": DESCRIBED,
    "schbench": "programs.schbench:FORMAT",
    "perf-bench": DESCRIBED,
    "lava-yaml": "farm.lava_yaml:FORMAT",
    "lava-csv": "farm.lava_csv:FORMAT",
    "squad": "farm.squad:FORMAT",
    "kcidb": "farm.kcidb:FORMAT",
    "phoronix-xml": "farm.phoronix_xml:FORMAT",
    "google-benchmark": "farm.google_benchmark:FORMAT",
    "pytest-benchmark": "farm.pytest_benchmark:FORMAT",
}
"""The built-in formats and their locations, in the notation of entry points."""

CONTAINERS = ("perfguide-runner", "openssl-sweep", "sbc-bench")
"""Formats that contain other programs' output and read it themselves."""


@dataclass(frozen=True, slots=True)
class Catalogue:
    """The formats by name, and diagnostics about those of third parties."""

    formats: dict[str, Format]
    diagnostics: tuple[Diagnostic, ...] = ()


def formats() -> dict[str, Format]:
    """Return every format by name: the built-in ones, then those of third parties."""
    return load().formats


def load() -> Catalogue:
    """Return every format, and a diagnostic for each third-party one that cannot be used.

    A third party cannot replace a built-in format, because its name has to say how a log was read.
    """
    by_name = {name: built_in(name) for name in BUILT_IN}
    diagnostics: list[Diagnostic] = []
    for entry in sorted(entry_points(group=ENTRY_POINTS), key=lambda e: (e.name, e.value)):
        loaded = _third_party(entry)
        if isinstance(loaded, str):
            problem = loaded
        elif loaded.name in by_name:
            problem = f"there is a format “{loaded.name}” already"
        else:
            by_name[loaded.name] = loaded
            continue
        diagnostics.append(
            Diagnostic("log-note", f"{ENTRY_POINTS}:{entry.name}", f"adapter left out: {problem}")
        )
    return Catalogue(by_name, tuple(diagnostics))


def named(name: str) -> Format | Diagnostic:
    """Return the format that ``--as`` requests, or why there is none."""
    if name in BUILT_IN:
        return built_in(name)
    every = formats()
    if name in every:
        return every[name]
    hint = nearest(name, every)
    return Diagnostic("log-note", ENTRY_POINTS, f"there is no format “{name}”", hint)


def built_in(name: str) -> Format:
    """Return a built-in format."""
    # Most commands need one format or none; importing all takes as long as reading a log.
    module, _, attribute = BUILT_IN[name].partition(":")
    if module == DESCRIBED:
        return described.built_in(name)
    loaded: Format = getattr(importlib.import_module(f".{module}", __package__), attribute)
    return loaded


def recognise(data: bytes, among: Iterable[Format] | None = None) -> list[Format]:
    """Return the formats that the bytes contain, in the order of the list.

    ``among`` are the formats to try, all by default. A format that reads the embedded output of
    others, as a runner's log does, is returned alone, so that no figure is read twice."""
    every = list(formats().values() if among is None else among)
    for form in every:
        if form.name in CONTAINERS and _recognises(form, data):
            return [form]
    return [form for form in every if form.name not in CONTAINERS and _recognises(form, data)]


def _third_party(entry: EntryPoint) -> Format | str:
    """Return the format, or the reason why it cannot be used."""
    try:
        loaded = entry.load()
    except Exception as fault:  # whatever a third-party module raises on import
        return f"{entry.value} cannot be loaded: {type(fault).__name__}: {fault}"
    if not isinstance(loaded, Format):
        return f"{entry.value} is not a Format"
    return loaded


def _recognises(candidate: Format, data: bytes) -> bool:
    try:
        return bool(candidate.recognises(data))
    except Exception:  # a third party's may raise, although it should not
        return False
