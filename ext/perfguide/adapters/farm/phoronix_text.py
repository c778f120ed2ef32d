"""The Phoronix Test Suite on a console.

The runs of a test follow its options, and are followed by their mean with the unit. Names are those
of :mod:`.phoronix_xml`; the arguments are not printed."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from .. import Context, Format, Reading, Scalar
from ..log_lines import Line, figure, holds, lines
from ..log_sheet import Sheet
from .phoronix_xml import benchmark

# Layout: ``test_run_start`` and ``test_run_end`` of pts_concise_display_mode.php.
_VERSION = re.compile(r"Phoronix Test Suite v([0-9][!-~]{1,20})[ \t]*")
_PROFILE = re.compile(
    r"[ \t]{4}([A-Za-z0-9_-]{1,40}/[A-Za-z0-9._-]{1,80}-[0-9.]{1,20})(?: \[(.{1,200})\])?[ \t]*"
)
_TITLE = re.compile(r"([^ \t].{0,120}):[ \t]*")
_HEAD = re.compile(r"[ \t]{4}([^ \t].{0,200}):[ \t]*")
_RUN = re.compile(r"[ \t]{8}([0-9]{1,15}(?:\.[0-9]{1,12})?)[ \t]*")
_RESULT = re.compile(
    r"[ \t]{4}(Average|Minimum|Maximum): ([0-9]{1,15}(?:\.[0-9]{1,12})?) ([^0-9 ].{0,60})"
)
_FAILED = re.compile(
    r"[ \t]{4,8}(This test failed to run properly\.|The test (?:run|quit|exited).{1,120})[ \t]*"
)
_UNDERSTOOD = re.compile(
    r"[ \t]{4}(?:Test [0-9]+ of [0-9]+|(?:Deviation|Samples|Minimum|Maximum|Estimated [A-Z].{1,30}): .*)"
    r"|[ \t]{8}Started Run [0-9]+ @ .*"
)
_LIKE = re.compile(
    r"[ \t]{4}(?:Aver|Maxi|Mini)|[ \t]{8}[0-9]|[ \t]{4}[A-Za-z0-9_-]+/[a-z0-9.-]+-[0-9]"
)


@dataclass(slots=True)
class _Test:
    """A test as far as it was read."""

    line: int = 0
    profile: str = ""
    name: str = ""
    is_open: bool = False
    """True below the head of its runs."""
    runs: list[tuple[Line, float]] = field(default_factory=list)
    result: re.Match[str] | None = None


def read(data: bytes, context: Context) -> Reading:
    """Return the runs of each test, if they agree with the mean printed below them."""
    sheet = Sheet(context)
    test = _Test()
    title = ""
    for line in lines(data):
        text = line.text
        if test.result:
            # Another line shows that the unit was not truncated.
            _add_runs(test, sheet)
            test = _Test()
        if match := _PROFILE.fullmatch(text):
            _report_no_result(test, sheet)
            test = _Test(line.number, match[1], match[2] or title)
        elif match := _VERSION.fullmatch(text):
            sheet.fact("tools.phoronix-test-suite", match[1])
        elif test.is_open and (match := _RESULT.fullmatch(text)):
            test.result = match
        elif test.is_open and (match := _RUN.fullmatch(text)):
            test.runs.append((line, figure(match[1]) or 0.0))
        elif test.profile and (match := _FAILED.fullmatch(text)):
            sheet.failed(line.number, f"{test.name}: {match[1]}")
            test = _Test()
        elif (
            test.profile
            and (match := _HEAD.fullmatch(text))
            and match[1] in (test.name, "Test Results")
        ):
            test.is_open = True
        elif match := _TITLE.fullmatch(text):
            title = match[1]
            continue
        elif (
            (test.profile or "/" in text) and _LIKE.match(text) and not _UNDERSTOOD.fullmatch(text)
        ):
            sheet.broken(line.number, "a line of the Phoronix Test Suite is cut or damaged")
            test = _Test()
            continue
        elif not _UNDERSTOOD.fullmatch(text):
            continue
        sheet.understood(line.number)
    _report_no_result(test, sheet)
    return sheet.reading()


def _report_no_result(test: _Test, sheet: Sheet) -> None:
    if test.profile:
        sheet.broken(
            test.line, f"{test.name}: no result of this test is printed: it is cut or failed"
        )


def _add_runs(test: _Test, sheet: Sheet) -> None:
    result = test.result
    if not result or not test.runs:
        _report_no_result(test, sheet)
        return
    values = [value for _, value in test.runs]
    stated = {"Average": sum(values) / len(values), "Minimum": min(values), "Maximum": max(values)}
    digits = len(result[2].partition(".")[2])
    if abs(stated[result[1]] - float(result[2])) > 10.0**-digits:
        message = (
            f"{test.name}: the runs do not agree with the result below them: a line is damaged"
        )
        sheet.broken(test.runs[0][0].number, message)
        return
    params: dict[str, Scalar] = {"profile": test.profile}
    # A maximum or minimum comes from one run; of a mean, each run is a sample.
    for line, value in test.runs:
        if result[1] == "Average" or value == stated[result[1]]:
            name = sheet.benchmark(benchmark(test.profile))
            sheet.figure(line.number, name, test.name, result[3].rstrip(), value, params)
            if result[1] != "Average":
                break


FORMAT = Format(
    name="phoronix-text",
    title="Phoronix Test Suite, on a console",
    example="""\
Stream 2013-01-17:
    pts/stream-1.3.4 [Type: Copy]
    Test 1 of 1
        Started Run 1 @ 10:20:31
        Started Run 2 @ 10:20:36

    Type: Copy:
        2500.0
        2505.0

    Average: 2502.5 MB/s

""",
    recognises=holds(
        rb"^[ \t]{4}[A-Za-z0-9_-]{1,40}/[A-Za-z0-9._-]{1,80}-[0-9.]{1,20}(?: \[.{1,200}\])?[ \t\r]*$",
        rb"^[ \t]{4}Test [0-9]+ of [0-9]+",
    ),
    read=read,
)
