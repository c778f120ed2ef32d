"""The text output of iperf3 and iperf 2.

iperf3's figures are in the lines that end in ``sender`` and ``receiver``; with ``--bidir``, the
direction of the data is ``TX`` or ``RX``. Until 3.1, UDP has a single total without either word:
its rate is the sender's, or 0 at a server, while loss and jitter are the receiver's. iperf 2 does
not mark its total, which is the last line of a connection that begins at 0 seconds. For UDP, the
server's report counts."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from .. import Context, Format, Reading, Scalar
from ..log_lines import Line, holds, lines
from ..log_sheet import Sheet

# Layouts: iperf_api.c and iperf_locale.c of iperf3, 3.0 on; Reports.c of iperf 2.0 and 2.1. Rates have
# three digits. The metrics are those of iperf3's JSON: the throughput is the received rate, and the
# retransmits are those of its sender. Of several streams, the line ``[SUM]`` counts.
_HEAD = re.compile(r"\[ ID\](?:\[Role\])? Interval +Transfer +(?:Bandwidth|Bitrate)\b.*")
_AMOUNT = r"[0-9]{1,9}(?:\.[0-9]{1,3})? [KMGT]?Bytes"
_RATE = r"(?P<rate>[0-9]{1,12}(?:\.[0-9]{1,3})?) (?P<unit>[KMGT]?(?:bits|Bytes)/sec)"
_SPAN = r"[0-9]{1,6}\.[0-9]{2}-[0-9]{1,6}\.[0-9]{2} +sec"
_LOST = r"(?P<lost>[0-9]{1,15})/(?P<sent>[0-9]{1,15}) \((?P<loss>[0-9.e+-]{1,12})%\)"
_UDP = rf"(?P<jitter>[0-9]{{1,9}}\.[0-9]{{3}}) ms +{_LOST}"
_ROW = re.compile(
    rf"\[ *([0-9]{{1,6}}|SUM)\](?:\[(TX|RX)-[CS]\])? +{_SPAN} +{_AMOUNT} +{_RATE}"
    rf"(?: +(?P<retransmits>[0-9]{{1,12}})| +{_UDP})? +(?P<end>sender|receiver)[ \t]*"
)
_OLD_UDP = re.compile(
    rf"\[ *([0-9]{{1,6}}|SUM)\] +{_SPAN} +{_AMOUNT} +[0-9]{{1,12}}(?:\.[0-9]{{1,3}})? [KMGT]?(?:bits|Bytes)/sec"
    rf" +{_UDP}[ \t]*"
)
_INTERVAL = re.compile(
    rf"\[ *(?:[0-9]{{1,6}}|SUM)\](?:\[[TR]X-[CS]\])? +({_SPAN}) +{_AMOUNT} +{_RATE}"
    r"(?: [^\ufffd]{0,80}[^a-z])?"
)
_CLIENT = re.compile(r"(Connecting to host|Accepted connection from) .*")
_CONNECTED = re.compile(r"\[ *([0-9]{1,6})\] local .* port [0-9]{1,5} connected (?:to|with) .*")
_REVERSE = re.compile(r"Reverse mode, remote host .*")
_VERSION = re.compile(r"iperf (3\.[!-~]{1,20})[ \t]*")

_OPENING = re.compile(r"(Client connecting to|Server listening on) .*?\b(TCP|UDP) port.*")
_LIKE_OPENING = re.compile(r"(?:Client con|Server lis).*")
_LIKE_CONNECTED = re.compile(r"\[ *[0-9]{1,6}\] local .*")
_OUT_OF_ORDER = re.compile(
    r"\[ *(?:[0-9]{1,6}|SUM)\] *[0-9]{1,6}\.[0-9]{1,4}- *[0-9]{1,6}\.[0-9]{1,4} sec +"
    r"[0-9]{1,12} datagrams received out-of-order[ \t]*"
)
_SERVER_REPORT = re.compile(r"\[ *[0-9]{1,6}\] Server Report:[ \t]*")
_IPERF2_ROW = re.compile(
    r"\[ *([0-9]{1,6}|SUM)\] *([0-9]{1,6}\.[0-9]{1,4})- *([0-9]{1,6}\.[0-9]{1,4}) sec +"
    rf"{_AMOUNT} +{_RATE}(?: +(?:(?P<jitter>[0-9]{{1,9}}\.[0-9]{{3}}) ms +)?{_LOST}|(?: [^\ufffd]{{0,200}})?)"
)
_LIKE = re.compile(r"\[ *(?:[0-9]{1,6}|SUM)\](?:\[[TR]X-[CS]\])? *[0-9]{1,6}\.[0-9]{2,4}-")
_UNITS = {
    **{"bits/sec": "bit/s", "Kbits/sec": "kbit/s", "Mbits/sec": "Mbit/s", "Gbits/sec": "Gbit/s"},
    # Bytes are in powers of 1024.
    **{"Bytes/sec": "B/s", "KBytes/sec": "KiB/s", "MBytes/sec": "MiB/s", "GBytes/sec": "GiB/s"},
}


@dataclass(slots=True)
class _Run:
    """A run of iperf3 as far as it was read: its last lines by stream, direction and end."""

    begun: int = 0
    """The number of its first line, 0 if that is missing."""
    server: bool = False
    reverse: bool = False
    parted: bool = False
    """True below the line of dashes that precedes the totals."""
    totals: bool = False
    """True below the head of the totals."""
    sends: bool | None = None
    """True if the columns of its intervals are those of a sender, false for a receiver, ``None`` if
    they do not show it."""
    streams: set[str] = field(default_factory=set)
    rows: dict[tuple[str, str, str], tuple[Line, re.Match[str]]] = field(default_factory=dict)
    datagrams: dict[str, tuple[Line, re.Match[str]]] = field(default_factory=dict)


def read_iperf3(data: bytes, context: Context) -> Reading:
    """Return throughput, retransmits, loss and jitter of each run of iperf3."""
    sheet = Sheet(context)
    run = _Run()
    for line in lines(data):
        text = line.text
        if match := _CLIENT.fullmatch(text):
            _finish(run, sheet)
            run = _Run(line.number, match[1].startswith("Accepted"))
        elif _REVERSE.fullmatch(text):
            run.reverse = True
        elif match := _VERSION.fullmatch(text):
            sheet.fact("tools.iperf3", match[1])
        elif match := _ROW.fullmatch(text):
            run.rows[match[1], match[2] or "", match["end"]] = (line, match)
        elif run.totals and (match := _OLD_UDP.fullmatch(text)):
            run.datagrams[match[1]] = (line, match)
        elif match := _CONNECTED.fullmatch(text):
            run.streams.add(match[1])
        elif text.startswith("- - - -"):
            run.parted = True
        elif _HEAD.fullmatch(text):
            if run.rows:  # the next run, with its first lines missing
                _finish(run, sheet)
                run = _Run()
            if not run.parted and "[Role]" not in text:
                is_sender = "Retr" in text or "Total Datagrams" in text
                run.sends = True if is_sender else False if "Jitter" in text else None
            # The totals have their own head, after a line of dashes.
            run.totals = run.parted
            # A server's output does not mention -R, but only the sender counts retransmits.
            run.reverse = run.reverse or (run.server and not run.parted and "Retr" in text)
        elif match := _INTERVAL.fullmatch(text):
            if run.rows and all(match[1] not in row.text for row, _ in run.rows.values()):
                _finish(run, sheet)
                run = _Run()
            if run.totals:
                sheet.broken(line.number, "a line of iperf3 is cut or damaged")
                continue
        elif _LIKE.match(text):
            sheet.broken(line.number, "a line of iperf3 is cut or damaged")
            continue
        else:
            continue
        sheet.understood(line.number)
    _finish(run, sheet)
    return sheet.reading()


def _finish(run: _Run, sheet: Sheet) -> None:
    directions = sorted({direction for _, direction, _ in run.rows})
    if run.datagrams and not directions:
        _datagrams(run, sheet)
    elif run.begun and not directions:
        sheet.broken(run.begun, "this run of iperf3 has no totals: it is cut")
    # With --bidir each direction has a connection of its own.
    are_connected = len(run.streams) > (2 if directions and directions[0] else 1)
    for direction in directions:
        rows = {(name, end): row for (name, d, end), row in run.rows.items() if d == direction}
        streams = {name for name, _ in rows} - {"SUM"}
        name = "SUM" if are_connected or len(streams) > 1 else next(iter(streams), "SUM")
        ingress = direction == "RX" if direction else run.reverse != run.server
        if not run.begun and not direction:
            stated = {"ingress": False, "egress": True}.get(
                str(sheet.stated("direction")), run.sends
            )
            if stated is None:
                message = (
                    "the direction of this run of iperf3 is not stated: its first lines are missing"
                )
                hint = (
                    "give --param direction=egress if the board sent, and =ingress if it received"
                )
                sheet.broken(next(iter(rows.values()))[0].number, message, hint)
                continue
            ingress = not stated
        received, sent = rows.get((name, "receiver")), rows.get((name, "sender"))
        row = received or sent or next(iter(rows.values()))
        if received is None:
            message = "the received rate is not stated: the line of the receiver is missing"
            sheet.broken(row[0].number, message)
        # A client that was interrupted never learns how much arrived, and prints 0.
        elif sent and not float(received[1]["rate"]) and float(sent[1]["rate"]):
            message = "the received rate is not stated: the line of the receiver says 0"
            sheet.broken(received[0].number, message, "let the run end by itself at the client")
            received = None
        if received is None:
            continue
        line, match = received
        params = _params(bool(match["jitter"]), ingress, len(streams))
        _add_rate(line, match, sheet.benchmark("iperf3"), params, sheet)
        if sent and sent[1]["retransmits"]:
            number, text = sent[0].number, sent[1]["retransmits"]
            benchmark = sheet.benchmark("iperf3")
            sheet.figure(number, benchmark, "retransmits", "1", float(text), params, zero=True)


def _datagrams(run: _Run, sheet: Sheet) -> None:
    """Add loss and jitter of a run before 3.2, which does not print the received rate."""
    if "SUM" not in run.datagrams and (len(run.datagrams) > 1 or len(run.streams) > 1):
        line, _ = next(iter(run.datagrams.values()))
        sheet.broken(line.number, "the sum of the streams is missing")
        return
    streams = len({*run.datagrams} - {"SUM"})
    name = "SUM" if "SUM" in run.datagrams else next(iter(run.datagrams))
    line, match = run.datagrams[name]
    params = _params(True, run.reverse != run.server, streams)
    _add_loss(line, match, sheet.benchmark("iperf3"), params, sheet)
    sheet.note(
        line.number,
        "the received rate is not stated: iperf3 before 3.2 prints the sent one",
        "use a later iperf3, which prints a line for the receiver",
    )


def _params(udp: bool, ingress: bool, streams: int) -> dict[str, Scalar]:
    params: dict[str, Scalar] = {
        "protocol": "udp" if udp else "tcp",
        "direction": "ingress" if ingress else "egress",
    }
    return params | ({"streams": streams} if streams > 1 else {})


def _add_loss(
    line: Line, match: re.Match[str], benchmark: str, params: dict[str, Scalar], sheet: Sheet
) -> None:
    loss, jitter = float(match["loss"]), match["jitter"]
    sheet.figure(line.number, benchmark, "packet_loss", "%", loss, params, zero=True)
    if jitter:
        sheet.figure(line.number, benchmark, "jitter", "ms", float(jitter), params, zero=True)


def _add_rate(
    line: Line, match: re.Match[str], benchmark: str, params: dict[str, Scalar], sheet: Sheet
) -> None:
    """Add the rate of a line, and its loss and jitter if present."""
    if match["unit"] not in _UNITS:
        sheet.broken(line.number, f"rates in {match['unit']} are not read")
        return
    value, unit = float(match["rate"]), _UNITS[match["unit"]]
    sheet.figure(line.number, benchmark, "throughput", unit, value, params)
    if match["loss"]:
        _add_loss(line, match, benchmark, params, sheet)


def read_iperf2(data: bytes, context: Context) -> Reading:
    """Return throughput, loss and jitter of each run of iperf 2."""
    reader = _Iperf2Reader(Sheet(context))
    for line in lines(data):
        if reader.line(line):
            reader.sheet.understood(line.number)
    reader.finish()
    return reader.sheet.reading()


class _Iperf2Reader:
    """Reads one run of iperf 2 after another."""

    def __init__(self, sheet: Sheet) -> None:
        self.sheet = sheet
        self._totals: dict[str, tuple[Line, re.Match[str]]] = {}
        """The last line of each stream that begins at 0 seconds."""
        self._connected: set[str] = set()
        self._is_server = self._is_udp = self._is_damaged = False
        self._has_lost_opening = False

    def line(self, line: Line) -> bool:
        """Read a line; return whether it was understood."""
        text, totals = line.text, self._totals
        if match := _OPENING.fullmatch(text):
            # Streams of the same client can be connected earlier.
            if totals or self._is_damaged:
                self.finish()
            self._is_server, self._is_udp = match[1].startswith("Server"), match[2] == "UDP"
            self._has_lost_opening = False
        elif _LIKE_OPENING.fullmatch(text):
            self.finish()
            self.sheet.broken(line.number, "a line of iperf is cut or damaged")
            self._has_lost_opening = True
        elif _SERVER_REPORT.fullmatch(text) or _OUT_OF_ORDER.fullmatch(text):
            pass
        elif match := _IPERF2_ROW.fullmatch(text):
            # Only the total and the first interval begin at 0, and the total comes later.
            has_report = (
                self._is_udp and match[1] in totals and totals[match[1]][1]["jitter"] is not None
            )
            if float(match[2]) == 0 and not has_report:
                totals[match[1]] = (line, match)
        elif match := _CONNECTED.fullmatch(text):
            if totals or self._is_damaged:
                self.finish()  # the next client's
            self._connected.add(match[1])
        elif _LIKE_CONNECTED.fullmatch(text):
            if totals or self._is_damaged:
                self.finish()
            self.sheet.broken(line.number, "a line of iperf is cut or damaged")
            self._connected.add("")  # no total is that of this stream
        elif _LIKE.match(text):
            self.sheet.broken(line.number, "a line of iperf is cut or damaged")
            self._is_damaged = True
            return False
        else:
            return _HEAD.fullmatch(text) is not None
        return True

    def finish(self) -> None:
        """Add the figures of the run, or report why there are none."""
        totals, connected = self._totals, self._connected
        streams = set(totals) - {"SUM"} | connected
        name = "SUM" if len(streams) > 1 else next(iter(totals), "")
        message = ""
        if self._has_lost_opening:
            pass  # reported
        elif totals and connected and set(totals) - {"SUM"} != connected:
            message = "a stream that was connected has no total, or the reverse"
        elif name in totals and not self._is_damaged:
            self._add(name, len(streams))
        elif totals:
            message = "the sum of the streams is missing"
        if message:
            self.sheet.broken(next(iter(totals.values()))[0].number, message)
        self._totals, self._connected, self._is_damaged = {}, set(), False

    def _add(self, name: str, streams: int) -> None:
        """Add the figures of the stream, or sum of streams, that counts for a run."""
        sheet, benchmark = self.sheet, self.sheet.benchmark("iperf2")
        line, match = self._totals[name]
        params = _params(self._is_udp, self._is_server, streams)
        of_streams = (total for key, (_, total) in self._totals.items() if key != "SUM")
        reports = [total for total in of_streams if total["loss"]]
        if not self._is_udp or match["loss"]:
            _add_rate(line, match, benchmark, params, sheet)
        elif not self._is_server and name == "SUM" and len(reports) == streams:
            # The server reports each stream, and the sum is that of the client, which sent it.
            lost, sent = (sum(int(report[key]) for report in reports) for key in ("lost", "sent"))
            loss = round(100 * lost / sent, 6) if sent else 0.0
            sheet.figure(line.number, benchmark, "packet_loss", "%", loss, params, zero=True)
            message = (
                "the rate of all streams that arrived is not stated: the client prints what it sent"
            )
            sheet.note(line.number, message, "take the log of the server")
        else:
            sheet.broken(line.number, "what arrived is not stated: there is no server report")


_ends_in_a_word = holds(
    rb"^\[ *(?:[0-9]+|SUM)\].{20,90}(?:bits|Bytes)/sec.{0,80}(?:sender|receiver)[ \t\r]*$"
)
_begins = holds(
    rb"^(?:Connecting to host|Accepted connection from) .{1,100}, port [0-9]",
    rb"^\[ ID\](?:\[Role\])? Interval +Transfer +(?:Bandwidth|Bitrate)",
)


def _recognises_iperf3(data: bytes) -> bool:
    """Return whether the bytes contain totals of iperf3, or a run without any."""
    return _ends_in_a_word(data) or _begins(data)


IPERF3 = Format(
    name="iperf3-text",
    title="iperf3, as printed for people",
    example="""\
Connecting to host 192.168.0.1, port 5201
[  5]   0.00-10.00  sec  1.10 GBytes   941 Mbits/sec    0             sender
[  5]   0.00-10.00  sec  1.09 GBytes   938 Mbits/sec                  receiver
""",
    recognises=_recognises_iperf3,
    read=read_iperf3,
)
IPERF2 = Format(
    name="iperf2",
    title="iperf 2.0 and 2.1",
    example="""\
Client connecting to 192.168.0.1, TCP port 5001
[  3]  0.0-10.0 sec  1.09 GBytes   938 Mbits/sec
""",
    recognises=holds(rb"^(?:Client connecting to|Server listening on) .*(?:TCP|UDP) port"),
    read=read_iperf2,
)
