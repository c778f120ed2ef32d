"""fio's JSON (``--output-format=json``, ``json+``), 2.x and 3.x.

The benchmark is ``fio`` or the one stated in the context (``benchmark=emmc`` with
``filesystem=ext4``). For each direction there are the throughput, the operations per second, the
total latency of an operation, and the percentiles of its completion (``read_clat`` with
``percentile``). ``cpu_user`` and ``cpu_system`` belong to the job.

``buffer_size`` is the job's ``bs`` in bytes. Options that affect the measurement, such as
``direct``, ``iodepth`` and ``numjobs``, are parameters unless they have fio's default. Random
access has ``pattern``, and several jobs have ``job``; jobs with the same name, as ``numjobs`` makes
without group reporting, also have ``job_number``. The command has all options."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from itertools import pairwise

from .. import Context, Format, Reading, Scalar, log_dates
from ..json_nodes import Documents, Node, documents
from ..log_lines import figure, holds
from ..log_sheet import Sheet

EXAMPLE = """\
{"fio version": "fio-3.33",
 "jobs": [{"jobname": "seq", "error": 0,
           "job options": {"bs": "4k", "rw": "write"},
           "write": {"io_bytes": 16777216, "bw_bytes": 349525333, "bw": 341333}}]}
"""

# Layout: ``show_thread_status_json`` and ``add_ddir_status_json`` in stat.c. fio 3 writes
# ``bw_bytes`` in B/s and latencies in ns; before, there is only ``bw``, in KiB/s (1024 bytes)
# whatever its texts call it, and latencies are in µs. A direction in which nothing was transferred
# is not a result.
_OLD = re.compile(r"fio-[12]\.")
_SIZE = re.compile(r"([0-9]{1,12})(?:([kmg])(?:i?b)?|b)?", re.IGNORECASE)
_COUNT = re.compile(r"[0-9]{1,9}")
_PERCENTILE = re.compile(r"[0-9]{1,3}\.(?:[0-9]{6}|[0-9]{2})")

_SPREAD = frozenset({"min", "max", "mean", "stddev", "N", "percentile", "bins"})

OPTIONS = {
    "direct": "0",
    "sync": "0",
    "fsync": "0",
    "fdatasync": "0",
    "end_fsync": "0",
    "ioengine": "psync",
    "iodepth": "1",
    "numjobs": "1",
    "rwmixread": "50",
    "bsrange": "",
    "bssplit": "",
    "rate": "",
    "rate_iops": "",
}
"""The options that affect the measurement, with their defaults."""
# Each option of a file adds to the list of files, which colons part. fio 2 writes the end of its list
# of percentiles as zeros.
_REPEATED = {"filename": ":", "0.00": ""}
_FLAGS = frozenset({"direct", "end_fsync"})


def conditions(options: Mapping[str, str]) -> dict[str, Scalar]:
    """Return the parameters that a job's options amount to.

    Equivalent options share one name: ``buffered=0`` is ``direct=1``. An option without a value is
    switched on.
    """
    given = {name: text or "1" for name, text in options.items()}
    given["rw"] = given.get("rw") or given.get("readwrite", "")
    if "buffered" in given:
        given["direct"] = "1" if given["buffered"] == "0" else "0"
    params: dict[str, Scalar] = {}
    if given["rw"].startswith("rand"):
        params["pattern"] = "random"
    if block := given.get("bs") or given.get("blocksize"):
        size = _SIZE.fullmatch(block)
        power = " kmg".index((size[2] or " ").lower()) if size else 0
        params["buffer_size"] = int(size[1]) * 1024**power if size else block[:200]
    for name, default in OPTIONS.items():
        text = given.get(name, default)
        if text != default:
            number = _COUNT.fullmatch(text) is not None and name not in _FLAGS
            params[name] = int(text) if number else text == "1" if name in _FLAGS else text[:200]
    return params


def read(data: bytes, context: Context) -> Reading:
    """Return the throughput, rate and latency of each job in each direction."""
    sheet = Sheet(context)
    parsed = documents(data, _REPEATED)
    for at, message in parsed.faults:
        sheet.broken(at, message)
    for root in parsed.roots:
        version = root.string("fio version")
        if not version:
            continue
        line_of = parsed.source.line
        sheet.understood(*parsed.source.lines(root))
        sheet.fact("tools.fio", version.removeprefix("fio-"))
        stamp = root.get("timestamp")  # when fio wrote the report
        if stamp is not None and (when := log_dates.parse(stamp.text)):
            sheet.fact("created", when.created)
        jobs = [job for job in root.list("jobs") if job.kind == "object"]
        names = Counter(job.string("jobname") for job in jobs)
        seen: Counter[str] = Counter()
        for job in jobs:
            name = job.string("jobname")
            seen[name] += 1
            identity: dict[str, Scalar] = {"job": name[:200]} if len(jobs) > 1 else {}
            if names[name] > 1:
                identity["job_number"] = seen[name]
            _Job(job, root.child("global options"), version, identity, parsed, sheet).read()
        if not jobs:
            sheet.failed(line_of(root.at), "fio ran no job")
    return sheet.reading()


class _Job:
    def __init__(
        self,
        job: Node,
        shared: Node,
        version: str,
        identity: dict[str, Scalar],
        parsed: Documents,
        sheet: Sheet,
    ) -> None:
        self._job = job
        self._old = _OLD.match(version) is not None
        self._line = parsed.source.line
        self._sheet = sheet
        self._name = job.string("jobname")[:200]
        options = {
            name: value.text
            for holder in (shared, job.child("job options"))
            for name, value in holder.members.items()
            if value.kind == "string"
        }
        self._params = conditions(options) | identity
        words = (f"--{name}={text}" if text else f"--{name}" for name, text in options.items())
        self._command = " ".join(("fio", *words)) if options else ""

    def read(self) -> None:
        """Add the figures of each direction with transfers."""
        error = self._job.get("error")
        failed = error is None or error.text != "0"
        sides = [name for name in ("read", "write", "trim") if _moved(self._job.child(name))]
        for direction in sides:
            self._direction(direction, failed)
        if failed and not sides:
            self._sheet.failed(self._line(self._job.at), f"fio: job “{self._name}” failed")
        elif not sides:
            self._sheet.broken(self._line(self._job.at), f"job “{self._name}” transferred nothing")
        elif not failed:
            self._figure(self._job, "usr_cpu", "cpu_user", "%")
            self._figure(self._job, "sys_cpu", "cpu_system", "%")

    def _direction(self, direction: str, failed: bool) -> None:
        side = self._job.child(direction)
        metric, benchmark = f"{direction}_throughput", self._sheet.benchmark("fio")
        key, unit = ("bw", "KiB/s") if self._old else ("bw_bytes", "B/s")
        node = side.get(key)
        line = self._line((node or side).at)
        if node is None or node.kind != "number":
            self._sheet.broken(line, f"the {direction} bandwidth is missing or no number")
        elif failed:
            why = f"fio: job “{self._name}” ended with an error"
            self._sheet.failure(line, benchmark, metric, unit, self._params, why)
        else:
            self._figure(side, key, metric, unit, zero=False)
            self._figure(side, "iops", f"{direction}_iops", "operations/s")
            self._latency(side, direction)

    def _latency(self, side: Node, direction: str) -> None:
        unit = "us" if self._old else "ns"
        total = side.child("lat" if self._old else "lat_ns")
        if (count := total.get("N")) is None or count.text != "0":
            for key, name in (("min", "min"), ("mean", "avg"), ("max", "max")):
                self._figure(total, key, f"{direction}_latency_{name}", unit)
        completion = side.child("clat" if self._old else "clat_ns")
        if not set(completion.members) <= _SPREAD:
            self._sheet.broken(
                self._line(completion.at), "these latencies have a key unknown to fio"
            )
        percentiles = completion.child("percentile")
        if not _rises(percentiles):
            why = "the percentiles do not rise: one of them is cut or damaged"
            self._sheet.broken(self._line(percentiles.at), why)
            return
        for key in percentiles.members:
            if not _PERCENTILE.fullmatch(key):
                self._sheet.broken(self._line(percentiles.at), f"“{key[:40]}” is not a percentile")
            # fio 2 fills its list of percentiles with 0.00.
            elif float(key) > 0:
                params: dict[str, Scalar] = {"percentile": float(key)}
                self._figure(percentiles, key, f"{direction}_clat", unit, params)

    def _figure(
        self,
        holder: Node,
        key: str,
        metric: str,
        unit: str,
        params: Mapping[str, Scalar] | None = None,
        *,
        zero: bool = True,
    ) -> None:
        """Add the figure under a key. fio 3 has all of them, fio 2 only those requested."""
        node = holder.get(key)
        value = figure(node.text) if node is not None and node.kind == "number" else None
        if node is None or value is None:
            if not self._old:
                self._sheet.broken(self._line((node or holder).at), f"there is no “{key}” here")
        else:
            self._sheet.figure(
                self._line(node.at),
                self._sheet.benchmark("fio"),
                metric,
                unit,
                value,
                {**self._params, **(params or {})},
                zero=zero,
                command=self._command,
            )


def _rises(percentiles: Node) -> bool:
    """Return whether percentiles never decrease."""
    # No comma follows the last one, so truncation would go unnoticed.
    values = sorted(
        (float(key), figure(node.text) or 0.0)
        for key, node in percentiles.members.items()
        if _PERCENTILE.fullmatch(key) and node.kind == "number" and float(key) > 0
    )
    return all(low <= high for (_, low), (_, high) in pairwise(values))


def _moved(side: Node) -> bool:
    moved = side.get("io_bytes")
    return moved is not None and moved.text not in ("0", "0.0")


FORMAT = Format(
    name="fio",
    title="fio --output-format=json, 2.x and 3.x",
    example=EXAMPLE,
    recognises=holds(rb'"fio version"\s*:'),
    read=read,
)
