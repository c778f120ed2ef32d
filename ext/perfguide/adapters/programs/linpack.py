"""Linpack in C; see ``classics``."""

from __future__ import annotations

import re

from .. import Format
from .classics import read_linpack

EXAMPLE = """\
    Reps Time(s) DGEFA   DGESL  OVERHEAD    KFLOPS
----------------------------------------------------
    4096   8.52  84.41%   2.37%  13.22%  757920.102
    8192  17.03  84.40%   2.38%  13.22%  758310.274

"""


def recognises(data: bytes) -> bool:
    """Whether the head of Linpack's table is there."""
    return re.search(rb"Reps +Time\(s\) +DGEFA +DGESL +OVERHEAD +KFLOPS", data) is not None


FORMAT = Format(
    name="linpack",
    title="Linpack, netlib's linpack.c",
    example=EXAMPLE,
    recognises=recognises,
    read=read_linpack,
)
