"""MultiBench of EEMBC; see ``coremark_pro``, whose harness it shares."""

from __future__ import annotations

from .. import Format
from .coremark_pro import read_multibench, recognises_multibench

EXAMPLE = """\
-- Workload:4m-check=1048823331
-- 4m-check:contexts=1
-- 4m-check:iterations=1000
-- 4m-check:workloads/sec= 402.576
"""

FORMAT = Format(
    name="multibench",
    title="MultiBench: runs of its workloads",
    example=EXAMPLE,
    recognises=recognises_multibench,
    read=read_multibench,
)
