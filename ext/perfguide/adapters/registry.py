"""Which formats there are: those of this folder, and those of third parties.

A format's module is imported when its format is asked for by name or when a log has
to be recognised, not before.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterable
from dataclasses import dataclass
from importlib.metadata import EntryPoint, entry_points

from ..common.diagnostics import Diagnostic, nearest
from . import ENTRY_POINTS, Format

BUILT_IN: dict[str, str] = {
    # format: module; the order is that in which lists show them
    "openssl-speed": "openssl.speed",
    "openssl-sweep": "openssl.sweep",
    "gnu-time": "programs.gnu_time",
    "perfguide-runner": "perfguide_runner",
    "hdparm": "programs.hdparm",
    "fio": "programs.fio",
    "netperf": "programs.netperf",
    "iperf3": "programs.iperf3",
    "cyclictest": "programs.cyclictest",
    "lmbench": "lmbench.programs",
    "stream": "programs.stream",
    "dhrystone": "programs.dhrystone",
    "whetstone": "programs.whetstone",
    "linpack": "programs.linpack",
    "nbench": "programs.nbench",
    "coremark-pro": "programs.coremark_pro",
    "multibench": "programs.multibench",
    "glmark2": "programs.glmark2",
    "u-boot": "programs.u_boot",
    "lava-yaml": "farm.lava_yaml",
    "lava-csv": "farm.lava_csv",
    "lava-bundle": "farm.lava_bundle",
    "squad": "farm.squad",
    "kcidb": "farm.kcidb",
    "phoronix-xml": "farm.phoronix_xml",
    "phoronix-json": "farm.phoronix_json",
    "google-benchmark": "farm.google_benchmark",
    "pytest-benchmark": "farm.pytest_benchmark",
}
"""The formats of this package and the modules that hold them."""

CONTAINERS = frozenset({"perfguide-runner", "openssl-sweep"})
"""Formats that hold other programs' output and read it themselves."""


@dataclass(frozen=True, slots=True)
class Catalogue:
    """The formats by name, and what was wrong with those of third parties."""

    formats: dict[str, Format]
    diagnostics: tuple[Diagnostic, ...] = ()


def formats() -> dict[str, Format]:
    """Every format by its name: the built-in ones, then those of third parties."""
    return load().formats


def load() -> Catalogue:
    """Every format, and a diagnostic for each of a third party that cannot be used.

    A third party cannot replace a built-in format: its name would no longer say
    how a log was read.
    """
    found = {name: _built_in(module) for name, module in BUILT_IN.items()}
    diagnostics: list[Diagnostic] = []
    for entry in sorted(entry_points(group=ENTRY_POINTS), key=lambda e: (e.name, e.value)):
        loaded = _third_party(entry)
        if isinstance(loaded, str):
            problem = loaded
        elif loaded.name in found:
            problem = f"there is a format “{loaded.name}” already"
        else:
            found[loaded.name] = loaded
            continue
        diagnostics.append(
            Diagnostic("log-note", f"{ENTRY_POINTS}:{entry.name}", f"adapter left out: {problem}")
        )
    return Catalogue(found, tuple(diagnostics))


def named(name: str) -> Format | Diagnostic:
    """The format that ``--as`` asks for, or why there is none."""
    if name in BUILT_IN:
        return _built_in(BUILT_IN[name])
    known = formats()
    if name in known:
        return known[name]
    hint = nearest(name, known)
    return Diagnostic("log-note", ENTRY_POINTS, f"there is no format “{name}”", hint)


def recognise(data: bytes, among: Iterable[Format] | None = None) -> list[Format]:
    """The formats that the bytes hold, in the order of the list.

    ``among`` are the formats to try, where they have been loaded already.

    Where one of them reads the output of others that it holds (a runner's log),
    it stands alone, so that no figure is read twice.
    """
    every = formats().values() if among is None else among
    found = [each for each in every if _recognises(each, data)]
    whole = [each for each in found if each.name in CONTAINERS]
    return whole[:1] or found


def _built_in(module: str) -> Format:
    loaded: Format = importlib.import_module(f".{module}", __package__).FORMAT
    return loaded


def _third_party(entry: EntryPoint) -> Format | str:
    """The format, or in words why it cannot be used."""
    try:
        loaded = entry.load()
    except Exception as fault:  # whatever a stranger's module raises at import
        return f"{entry.value} cannot be loaded: {type(fault).__name__}: {fault}"
    if not isinstance(loaded, Format):
        return f"{entry.value} is not a Format"
    return loaded


def _recognises(each: Format, data: bytes) -> bool:
    try:
        return bool(each.recognises(data))
    except Exception:  # promised not to raise; a stranger's may all the same
        return False
