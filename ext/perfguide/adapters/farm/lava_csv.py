"""LAVA's export of test cases as CSV; :mod:`.lava` explains their names.

A line with the names of the fields precedes one line per test case. The column ``metadata`` is a
Python dictionary as text. Each line is read by itself, so that a stray quote cannot swallow the
lines after it: no field contains a newline, as the dictionary escapes them."""

from __future__ import annotations

import ast
import csv

from .. import Context, Format, Reading
from ..json_nodes import source
from .collector import Collector
from .lava import FIELDS, Case, Cases

# Layout: ``testcase_export_fields`` in ``lava_results_app`` of LAVA.
EXAMPLE = """\
job,suite,result,measurement,unit,duration,timeout,logged,level,metadata,url,name,id,\
log_start_line,log_end_line
1109234,0_lmbench,pass,1252.0500000000,MB/s,,,2024-04-02 09:30:00.123456+00:00,,\
"{'definition': '0_lmbench', 'case': 'bw_mem-bcopy-1mb', 'result': 'pass'}",\
/results/testcase/98213,bw_mem-bcopy-1mb,98213,480,482
"""

_MAX_METADATA_CHARS = 20_000


def recognises(data: bytes) -> bool:
    """Return whether a line names the columns of an export of test cases."""
    return any(
        _columns(line.decode("ascii", errors="replace"))
        for line in data.split(b"\n")
        if len(line) < 1000 and b"measurement" in line and b"suite" in line
    )


def read(data: bytes, context: Context) -> Reading:
    """Return the measurements of every test case below a line of column names."""
    collector = Collector(context)
    cases = Cases(collector)
    columns: tuple[str, ...] = ()
    lines = source(data).text.split("\n")
    for line, text in enumerate(lines, start=1):
        text = text.rstrip("\r")
        if named_columns := _columns(text):
            columns = named_columns
            collector.understood(line)
        elif columns and text.strip():
            fields = _fields(text)
            if len(fields) != len(columns):
                message = f"a row with {len(fields)} of {len(columns)} fields: cut or broken"
                collector.broken(line, message)
                continue
            # LAVA ends each line, so the last field may be truncated.
            if line == len(lines) and columns[-1] in FIELDS:
                collector.broken(line, "the text ends within this line: it may be cut")
                continue
            _take(dict(zip(columns, fields, strict=True)), line, cases, collector)
    cases.finish()
    return collector.reading()


def _take(fields: dict[str, str], line: int, cases: Cases, collector: Collector) -> None:
    test_set = _test_set(fields.get("metadata", ""))
    if test_set is None:
        collector.broken(line, "the metadata names a test set and cannot be read")
        return
    collector.understood(line)
    cases.take(Case(fields, line, test_set))


def _columns(text: str) -> tuple[str, ...]:
    """Return the names of the columns if this line has all of them, each once."""
    if "measurement" not in text or "suite" not in text:
        return ()
    names = tuple(_fields(text.rstrip("\r").removeprefix("\ufeff")))
    return names if set(FIELDS) <= set(names) and len(set(names)) == len(names) else ()


def _fields(text: str) -> list[str]:
    """Return the fields of a line, or none if its quotes do not match."""
    try:
        return next(csv.reader([text], strict=True), [])
    except csv.Error:
        return []


def _test_set(metadata: str) -> str | None:
    """Return the test set named in the metadata, ``""`` without one, or ``None`` if unclear."""
    if "'set'" not in metadata and '"set"' not in metadata:
        return ""
    if len(metadata) > _MAX_METADATA_CHARS:
        return None
    try:
        value = ast.literal_eval(metadata)
    except (ValueError, SyntaxError, MemoryError, RecursionError, TypeError):
        return None
    test_set = value.get("set", "") if isinstance(value, dict) else None
    return test_set if isinstance(test_set, str) else None


FORMAT = Format(
    name="lava-csv",
    title="LAVA test results, CSV export (/results/<job>/csv)",
    example=EXAMPLE,
    recognises=recognises,
    read=read,
)
