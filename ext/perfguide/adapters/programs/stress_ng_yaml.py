"""stress-ng --metrics --yaml: bogo operations a second of each stressor.

Layout: ``pr_yaml`` in stress-ng's core-log.c and ``metrics_dump`` in stress-ng.c. It is read line by
line, with all its six decimals, so that a file that was cut gives no shorter figure.
"""

from __future__ import annotations

import datetime
import re

from .. import Context, Format, Reading
from ..log_lines import Line, holds
from ..log_rows import row, scan
from ..log_sheet import Sheet

EXAMPLE = """\
system-info:
      stress-ng-version: 0.15.06
metrics:
    - stressor: matrix
      bogo-ops: 2978
      bogo-ops-per-second-usr-sys-time: 7763.214148
      bogo-ops-per-second-real-time: 2969.319229
"""

_METRICS = {"real": "bogo_ops", "usr-sys": "bogo_ops_by_cpu_time"}
"""By the time that operations are divided by, as the printed table calls them."""


def read(data: bytes, context: Context) -> Reading:
    """Both rates of each stressor."""
    sheet = Sheet(context)
    stressor = ""
    begun = 0
    missing: set[str] = set()

    def version(line: Line, found: re.Match[str]) -> None:
        end()
        sheet.fact("tools.stress-ng", found[1])

    def release(line: Line, found: re.Match[str]) -> None:
        sheet.fact("sdk.kernel", found[1])

    def when(line: Line, found: re.Match[str]) -> None:
        moment = datetime.datetime.fromtimestamp(int(found[1]), datetime.UTC)
        sheet.fact("created", moment.isoformat())

    def stresses(line: Line, found: re.Match[str]) -> None:
        nonlocal stressor, begun
        end()
        stressor, begun = found[1], line.number
        missing.update(_METRICS)

    def rate(line: Line, found: re.Match[str]) -> None:
        if found[1] not in missing:
            sheet.broken(line.number, "of which stressor this rate is is not stated")
            return
        missing.remove(found[1])
        metric, value, params = _METRICS[found[1]], float(found[2]), {"stressor": stressor}
        sheet.figure(line.number, "stress-ng", metric, "operations/s", value, params, zero=True)

    def end() -> None:
        for each in sorted(missing):
            sheet.broken(begun, f"“{stressor}” has no rate by {each} time: it is cut or damaged")
        missing.clear()

    scan(
        data,
        "stress-ng",
        (
            row(" +stress-ng-version:", r" +stress-ng-version: ([0-9.]{1,20})", version),
            row(" +release:", r" +release: ([^ ]{1,80})", release),
            row(" +epoch-secs:", r" +epoch-secs: ([0-9]{9,10})", when),
            row(" +- stressor:", r" +- stressor: ([a-z0-9-]{1,40})", stresses),
            row(
                " +bogo-ops-per-second",
                r" +bogo-ops-per-second-(real|usr-sys)-time: ([0-9]{1,15}\.[0-9]{6})",
                rate,
            ),
        ),
        sheet,
    )
    end()
    return sheet.reading()


FORMAT = Format(
    name="stress-ng-yaml",
    title="stress-ng --metrics --yaml",
    example=EXAMPLE,
    recognises=holds(rb"^ +stress-ng-version: ", rb"^ +- stressor: "),
    read=read,
)
