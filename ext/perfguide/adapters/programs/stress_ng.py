"""stress-ng: its “bogo” operations a second of each stressor, by elapsed time and by CPU time.

Layout: ``stress_metrics_dump``.
"""

from __future__ import annotations

import re

from .. import Context, Format, Reading, Scalar
from ..log_lines import Line, holds
from ..log_rows import row, scan
from ..log_sheet import Sheet


def read(data: bytes, context: Context) -> Reading:
    """Return the operations a second of each stressor."""
    sheet = Sheet(context)
    instances: dict[str, int] = {}
    has_lost_instances = False

    def read_instances(line: Line, match: re.Match[str]) -> None:
        nonlocal has_lost_instances
        has_lost_instances = False
        instances.clear()
        for count, name in re.findall(r"([0-9]{1,6}) ([a-z0-9-]{1,40})", match[1]):
            instances[name] = int(count)

    def lose_instances() -> None:
        nonlocal has_lost_instances
        has_lost_instances = True

    def params_of(stressor: str) -> dict[str, Scalar]:
        count = {"instances": instances[stressor]} if stressor in instances else {}
        return {"stressor": stressor, **count}

    def read_metrics(line: Line, match: re.Match[str]) -> None:
        if has_lost_instances:
            return  # reported with the line that stated them
        # The name of a stressor that was not started must be damaged.
        if instances and match[1] not in instances:
            sheet.broken(line.number, f"stressor “{match[1]}” was not started")
            return
        for text, metric in ((match[2], "bogo_ops"), (match[3], "bogo_ops_by_cpu_time")):
            params = params_of(match[1])
            value = float(text)
            sheet.figure(line.number, "stress-ng", metric, "operations/s", value, params, zero=True)

    def read_version(line: Line, match: re.Match[str]) -> None:
        sheet.fact("tools.stress-ng", match[1])

    prefix = r"stress-ng: (?:info|metrc): {1,2}\[[0-9]{1,10}\] "
    decimals = r"[0-9]{1,15}\.[0-9]{2}"
    scan(
        data,
        "stress-ng",
        (
            row(r"stress-ng, version", r"stress-ng, version ([0-9.]{1,20}) .*", read_version),
            row(
                prefix + "disp",
                prefix + r"dispatching hogs: ([0-9a-z, -]{1,2000})",
                read_instances,
                lose_instances,
            ),
            row(
                prefix + r"[a-z0-9-]{1,40} +[0-9]{1,15}(?: |$)",
                prefix + r"([a-z0-9-]{1,40}) +[0-9]{1,15}(?: +[0-9]{1,12}\.[0-9]{2}){3}"
                rf" +({decimals}) +({decimals})"
                r"(?: +[0-9]{1,9}\.[0-9]{2}(?: +[0-9]{1,12})?)?[ \t]*",
                read_metrics,
            ),
        ),
        sheet,
    )
    return sheet.reading()


FORMAT = Format(
    name="stress-ng",
    title="stress-ng --metrics and --metrics-brief",
    example="""\
stress-ng: info:  [538] dispatching hogs: 1 matrix
stress-ng: metrc: [538] matrix             8650      2.00      1.99      0.00      4324.84        4331.92
""",
    recognises=holds(rb"^stress-ng: (?:info|metrc): +\[[0-9]+\] (?:stressor|dispatching hogs)"),
    read=read,
)
