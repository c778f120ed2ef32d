"""Dhrystone 2.x; see ``classics``."""

from __future__ import annotations

import re

from .. import Format
from .classics import read_dhrystone


def recognises(data: bytes) -> bool:
    """Whether Dhrystone says anything."""
    sign = rb"Dhrystones per Second:|dhrystones/second|Dhrystone Benchmark, Version"
    return re.search(sign, data) is not None


FORMAT = Format(
    name="dhrystone",
    title="Dhrystone 2.1, 2.2",
    example="Dhrystones per Second:                      5000000.0 \n",
    recognises=recognises,
    read=read_dhrystone,
)
