"""Whetstone of netlib and of UnixBench; see ``classics``."""

from __future__ import annotations

import re

from .. import Format
from .classics import read_whetstone


def recognises(data: bytes) -> bool:
    """Whether Whetstone says anything."""
    sign = rb"Precision Whetstones:|^MWIPS +[0-9]|^Insufficient duration- Increase the LOOP"
    return re.search(sign, data, re.MULTILINE) is not None


FORMAT = Format(
    name="whetstone",
    title="Whetstone: netlib's whetstone.c, UnixBench's whets.c",
    example="C Converted Double Precision Whetstones: 5000.0 MIPS\n",
    recognises=recognises,
    read=read_whetstone,
)
