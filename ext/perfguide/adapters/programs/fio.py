"""fio's JSON (``--output-format=json``, ``json+``), 2.x and 3.x.

Layout: ``show_thread_status_json`` and ``add_ddir_status_json`` in stat.c. fio 3 writes
``bw_bytes`` in B/s; before, there is only ``bw``, in KiB/s (1024 bytes) whatever its
texts call it. A direction in which nothing was transferred is no result.

The benchmark is ``fio`` or what the context states (``benchmark=emmc`` with
``filesystem=ext4``); ``buffer_size`` is the job's ``bs`` in bytes. Random access is told
by ``pattern``, and several jobs by ``job``.
"""

from __future__ import annotations

import re

from .. import Context, Format, Reading, Scalar
from ..json_nodes import Documents, Node, documents
from ..log_lines import figure, unmarked
from ..log_sheet import Sheet

EXAMPLE = """\
{"fio version": "fio-3.33",
 "jobs": [{"jobname": "seq", "error": 0,
           "job options": {"bs": "4k", "rw": "write"},
           "write": {"io_bytes": 16777216, "bw_bytes": 349525333, "bw": 341333}}]}
"""

_OLD = re.compile(r"fio-[12]\.")
_SIZE = re.compile(r"([0-9]{1,12})(?:([kmg])(?:i?b)?|b)?", re.IGNORECASE)


def recognises(data: bytes) -> bool:
    """Whether a document says that fio wrote it."""
    return re.search(rb'"fio version"\s*:', data) is not None


def read(data: bytes, context: Context) -> Reading:
    """The throughput of each job in each direction."""
    sheet = Sheet(context)
    found = documents(unmarked(data))
    for at, message in found.faults:
        sheet.broken(at, message)
    for root in found.roots:
        version = root.string("fio version")
        if not version:
            continue
        place = found.source.line
        sheet.understood(*range(place(root.at), place(root.end - 1) + 1))
        sheet.fact("tools.fio", version.removeprefix("fio-"))
        jobs = [job for job in root.list("jobs") if job.kind == "object"]
        names = [job.string("jobname") for job in jobs]
        for job in jobs:
            _Job(job, root.child("global options"), version, len(names) > 1, found, sheet).read()
        if not jobs:
            sheet.failed(place(root.at), "fio ran no job")
    return sheet.reading()


class _Job:
    def __init__(
        self, job: Node, shared: Node, version: str, several: bool, found: Documents, sheet: Sheet
    ) -> None:
        self._job = job
        self._old = _OLD.match(version) is not None
        self._line = found.source.line
        self._sheet = sheet
        self._name = job.string("jobname")[:200]
        self._params: dict[str, Scalar] = {"job": self._name} if several else {}
        options = (job.child("job options"), shared)
        mode = _first(options, "rw", "readwrite")
        if mode.startswith("rand"):
            self._params["pattern"] = "random"
        if size := _SIZE.fullmatch(_first(options, "bs", "blocksize")):
            power = " kmg".index((size[2] or " ").lower())
            self._params["buffer_size"] = int(size[1]) * 1024**power

    def read(self) -> None:
        """The throughput in each direction in which something was transferred."""
        error = self._job.get("error")
        failed = error is None or error.text != "0"
        sides = [name for name in ("read", "write") if _moved(self._job.child(name))]
        for direction in sides:
            self._direction(direction, failed)
        if failed and not sides:
            self._sheet.failed(self._line(self._job.at), f"fio: job “{self._name}” failed")
        elif not sides:
            self._sheet.broken(self._line(self._job.at), f"job “{self._name}” transferred nothing")

    def _direction(self, direction: str, failed: bool) -> None:
        side = self._job.child(direction)
        metric, benchmark = f"{direction}_throughput", self._sheet.benchmark("fio")
        node, unit = (side.get("bw"), "KiB/s") if self._old else (side.get("bw_bytes"), "B/s")
        value = figure(node.text) if node is not None and node.kind == "number" else None
        line = self._line((node or side).at)
        if value is None:
            self._sheet.broken(line, f"the {direction} bandwidth is missing or no number")
        elif failed:
            why = f"fio: job “{self._name}” ended with an error"
            self._sheet.failure(line, benchmark, metric, unit, self._params, why)
        else:
            self._sheet.figure(line, benchmark, metric, unit, value, self._params)


def _first(options: tuple[Node, ...], *names: str) -> str:
    found = (each.string(name) for each in options for name in names)
    return next((text for text in found if text), "")


def _moved(side: Node) -> bool:
    moved = side.get("io_bytes")
    return moved is not None and moved.text not in ("0", "0.0")


FORMAT = Format(
    name="fio",
    title="fio --output-format=json, 2.x and 3.x",
    example=EXAMPLE,
    recognises=recognises,
    read=read,
)
