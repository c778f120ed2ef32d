"""NBench (BYTEmark); see ``classics``."""

from __future__ import annotations

import re

from .. import Format
from .classics import read_nbench

EXAMPLE = """\
TEST                : Iterations/sec.  : Old Index   : New Index
                    :                  : Pentium 90* : AMD K6/233*
--------------------:------------------:-------------:------------
NUMERIC SORT        :          1135.5  :      29.12  :       9.56
STRING SORT         :          640.23  :     286.07  :      44.28
"""


def recognises(data: bytes) -> bool:
    """Whether the head of NBench's table is there."""
    return re.search(rb"^TEST +: Iterations/sec\.|^BYTEmark\*", data, re.MULTILINE) is not None


FORMAT = Format(
    name="nbench",
    title="NBench (BYTEmark), port for Linux",
    example=EXAMPLE,
    recognises=recognises,
    read=read_nbench,
)
