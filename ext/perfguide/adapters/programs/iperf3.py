"""iperf3's JSON (``-J``), from 3.0 on.

``retransmits`` are the segments that the sender of a direction sent again. ``direction`` is egress
if this host sent and ingress with ``-R``; ``--bidir`` has both. The benchmark is ``iperf3`` or the
one stated in the context (``benchmark=ethernet-tcp``)."""

from __future__ import annotations

import re

from .. import Context, Format, Reading, Scalar, log_dates
from ..json_nodes import Documents, Node, documents
from ..log_lines import figure
from ..log_sheet import Sheet

EXAMPLE = """\
{"start": {"version": "iperf 3.12", "test_start": {"protocol": "TCP", "reverse": 0}},
 "intervals": [],
 "end": {"sum_received": {"seconds": 2.0076, "bits_per_second": 941234567.8},
         "cpu_utilization_percent": {"host_total": 10.97}}}
"""

# Layout: ``iperf_json_finish`` and the reporters in iperf_api.c. Throughput is what the receiver got:
# ``sum_received``, or ``sum`` of UDP before 3.10. It is in bit/s, jitter in ms, and the CPU load
# in % of one core for this host's iperf3.
_HINT = re.compile(
    rb'"(?:version|cookie|test_start)"\s*:\s*(?:"iperf 3|\{\s*"protocol"|"[a-z0-9]{30,40}")'
)
# Written once per stream into one object, where each key should appear only once.
_REPEATED = re.compile(rb'"(?:sock_bufsize|sndbuf_actual|rcvbuf_actual)"[ \t]*:[ \t]*[0-9]+[ \t]*,')


# The keys in the sum of a direction if retransmits are not counted.
_SUMMED = frozenset({"start", "end", "seconds", "bytes", "bits_per_second", "sender"})


def recognises(data: bytes) -> bool:
    """Return whether a document begins like those of iperf3."""
    return b'"start"' in data and b'"end"' in data and _HINT.search(data) is not None


def read(data: bytes, context: Context) -> Reading:
    """Return throughput, CPU load, retransmits (TCP), and loss and jitter (UDP) of every run."""
    sheet = Sheet(context)
    parsed = documents(_REPEATED.sub(lambda m: b" " * len(m[0]), data))
    for at, message in parsed.faults:
        sheet.broken(at, message)
    for root in parsed.roots:
        if "start" in root.members and "end" in root.members:
            sheet.understood(*parsed.source.lines(root))
            _Run(parsed, sheet, root).read()
    return sheet.reading()


class _Run:
    def __init__(self, parsed: Documents, sheet: Sheet, root: Node) -> None:
        self._line = parsed.source.line
        self._sheet = sheet
        self._root = root
        self._test = root.child("start").child("test_start")
        self._udp = self._test.string("protocol").upper() == "UDP"

    def read(self) -> None:
        version = self._root.child("start").string("version")
        if version.startswith("iperf "):
            self._sheet.fact("tools.iperf3", version.removeprefix("iperf "))
        stamp = self._root.child("start").child("timestamp").get("timesecs")
        if stamp is not None and (when := log_dates.parse(stamp.text)):
            self._sheet.fact("created", when.created)
        error = self._root.string("error")
        if error or not self._test.members:
            at = self._line(self._root.members.get("error", self._root).at)
            why = error[:200] or "the run has no test"
            if self._test.members:
                unit, params = "bit/s", self._params(self._reverse)
                name = self._sheet.benchmark("iperf3")
                self._sheet.failure(at, name, "throughput", unit, params, f"iperf3: {why}")
            else:
                self._sheet.failed(at, f"iperf3: {why}")
            return
        end = self._root.child("end")
        reverse = self._reverse
        received = end.child("sum_received")
        total = end.child("sum")
        self._figure(received if received.members else total, "bits_per_second", reverse)
        # With --bidir, the other direction is measured at the same time.
        back = end.child("sum_received_bidir_reverse")
        if back.members:
            self._figure(back, "bits_per_second", not reverse)
        if self._udp:
            datagrams = total if total.members else received
            self._figure(datagrams, "lost_percent", reverse)
            self._figure(datagrams, "jitter_ms", reverse)
        else:
            self._figure(end.child("sum_sent"), "retransmits", reverse)
            self._figure(end.child("sum_sent_bidir_reverse"), "retransmits", not reverse)
        self._figure(end.child("cpu_utilization_percent"), "host_total", reverse)

    @property
    def _reverse(self) -> bool:
        reverse = self._test.get("reverse")
        return reverse is not None and reverse.text == "1"

    def _params(self, reverse: bool) -> dict[str, Scalar]:
        params: dict[str, Scalar] = {
            "protocol": self._test.string("protocol").lower() or "tcp",
            "direction": "ingress" if reverse else "egress",
        }
        streams = self._test.get("num_streams")
        if streams is not None and re.fullmatch(r"[0-9]{1,6}", streams.text):
            params |= {"streams": int(streams.text)} if streams.text != "1" else {}
        return params

    def _figure(self, holder: Node, key: str, reverse: bool) -> None:
        metric, unit = {
            "bits_per_second": ("throughput", "bit/s"),
            "lost_percent": ("packet_loss", "%"),
            "jitter_ms": ("jitter", "ms"),
            "retransmits": ("retransmits", "1"),
            "host_total": ("cpu_load", "%"),
        }[key]
        node = holder.get(key)
        value = figure(node.text) if node is not None and node.kind == "number" else None
        if node is None or value is None:
            # Only systems that can count retransmits report them.
            counted = key != "retransmits" or not set(holder.members) <= _SUMMED
            if key == "bits_per_second" or (holder.members and counted):
                self._sheet.broken(self._line(holder.at), f"the run has no {key}")
            return
        self._sheet.figure(
            self._line(node.at),
            self._sheet.benchmark("iperf3"),
            metric,
            unit,
            value,
            self._params(reverse),
            zero=metric != "throughput",
        )


FORMAT = Format(
    name="iperf3",
    title="iperf3 -J",
    example=EXAMPLE,
    recognises=recognises,
    read=read,
)
