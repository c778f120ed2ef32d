"""Keys of guides, and the order of releases."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import NamedTuple

from ..bundle import Bundle
from ..common import units
from ..common.grouping import grouped

DEFAULT_SDK = "Processor SDK"
OS_NAMES = {"linux": "Linux", "rt-linux": "RT-Linux"}


class Platform(NamedTuple):
    """An SDK family, a SoC and an OS, with one guide per release."""

    sdk: str
    soc: str
    os: str


@dataclass(frozen=True, slots=True, order=True)
class GuideKey:
    """The SDK family, SoC, OS and release of one guide."""

    sdk: str
    soc: str
    os: str
    release: str

    @property
    def platform(self) -> Platform:
        """The SDK family, the SoC and the OS."""
        return Platform(self.sdk, self.soc, self.os)

    def __str__(self) -> str:
        return f"{self.soc}, {family(self)} {self.release}"


def families(guides: Iterable[GuideKey]) -> dict[Platform, list[GuideKey]]:
    """Group guides by SDK family, SoC and OS, oldest release first."""
    oldest_first = sorted(guides, key=lambda key: version(key.release))
    return grouped(oldest_first, lambda key: key.platform)


def is_like(key: GuideKey, soc: str, os: str) -> bool:
    """Return whether a guide's SoC and OS match these case-insensitive patterns, with ``*`` as
    wildcard."""
    patterns = ((key.soc, soc), (key.os, os))
    return all(fnmatchcase(name.casefold(), pattern.casefold()) for name, pattern in patterns)


def in_order(guides: Iterable[GuideKey]) -> list[GuideKey]:
    """Sort guides by SDK family, SoC and OS, oldest release first."""
    return sorted(guides, key=lambda k: (k.sdk, units.natural(k.soc), k.os, version(k.release)))


def guide_key(bundle: Bundle) -> GuideKey:
    """Return the guide that contains a bundle's figures."""
    return GuideKey(bundle.sdk.name, bundle.board.soc, bundle.sdk.os, bundle.sdk.version)


def os_name(name: str) -> str:
    """Return the display name of an operating system."""
    # Quotes distinguish an unknown system that is called like a known one's label.
    return OS_NAMES.get(name) or (f"“{name}”" if name in OS_NAMES.values() else name)


def family(key: GuideKey) -> str:
    """Return a guide's SDK family and OS for display: ``Linux``, ``Edge AI SDK, Linux``."""
    system = os_name(key.os)
    return system if key.sdk == DEFAULT_SDK else f"{key.sdk}, {system}"


def version(text: str) -> tuple[tuple[int, int, str], ...]:
    """Return a sort key for release names: 9.2 before 10.0, 09.02 before 09.02.01."""
    return units.natural(text)
