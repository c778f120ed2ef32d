"""netperf: the listings of ``-k`` and ``-o``, and the plain tables of stream and transaction tests.

``-t omni`` prints the direction of the data but not the protocol, so its listings have to include
``PROTOCOL``. The end of a row of ``-o`` has to be recognisable, so its last column needs decimals.

The unit is that of the head or of ``THROUGHPUT_UNITS``; if ``-k`` lists none, it is netperf's
default, 10^6 bit/s. netperf's ``KBytes`` are 1024 bytes. UDP throughput is what arrived.
``packet_loss`` is computed from the bytes (``-k``) or messages (table) sent and received, and
refers to the line of those received. ``frame_size`` is the datagram plus 46 bytes of UDP, IP and
Ethernet headers, as in RFC 2544."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from .. import Context, Format, Reading, Scalar
from ..log_lines import Line, figure, holds, lines, words
from ..log_sheet import Sheet

EXAMPLE = """\
MIGRATED UDP STREAM TEST from 0.0.0.0 (0.0.0.0) port 0 AF_INET to 192.168.0.1 () port 0
DIRECTION=Send
THROUGHPUT=152.24
LOCAL_CPU_UTIL=100.00
LOCAL_BYTES_SENT=61797504
REMOTE_BYTES_RECVD=19081536
LOCAL_SEND_SIZE=1472
"""

LARGEST_DATAGRAM = 1472
"""The largest datagram, in bytes, that fits into one frame."""
HEADERS = 46
"""Bytes around a datagram in a frame: UDP 8, IP 20, Ethernet 14 and its checksum 4."""

_UNITS = {
    "10^3bits/s": "kbit/s",
    "10^6bits/s": "Mbit/s",
    "10^9bits/s": "Gbit/s",
    "Bytes/s": "B/s",
    "KBytes/s": "KiB/s",
    "MBytes/s": "MiB/s",
    "GBytes/s": "GiB/s",
}
# Layout: ``print_omni_keyword`` and the classic reports in nettest_omni.c and nettest_bsd.c. The
# benchmark is ``ethernet-tcp`` or ``ethernet-udp``. ``direction`` is egress where this host sent
# (TCP_STREAM, UDP_STREAM, ``DIRECTION=Send``) and ingress for TCP_MAERTS (``Receive``).
# Transactions a second (TCP_RR, UDP_RR, TCP_CRR) are ``transaction_rate`` with the sizes of
# request and response and ``test``, which is RR or CRR. CPU load is the local one, in % over all
# cores.
_TITLE = re.compile(
    r"(?:MIGRATED )?(TCP STREAM|TCP MAERTS|UDP STREAM|[A-Za-z1/_ |-]{3,40}) TEST from .*"
)
_LOOPBACK = re.compile(r" to (?:127\.[0-9.]{5,11}|::1|localhost) ")
_UNIT_LINE = re.compile(
    r"[ \t]*bytes[ \t]+.*[ \t]((?:10\^[369]bits|[KMG]?Bytes)/s)(?:ec)?(?:[ \t].*)?"
)
_KEY = re.compile(r"([A-Z][A-Z0-9_]{2,60})=(.{0,200})")
_LIKE_KEY = re.compile(r"(?<![A-Z])[A-Z]{2,}+_[A-Z]|=")
_NUMERIC = re.compile(r"[ \t]*[0-9]+(?:[ \t]+-?[0-9]+(?:\.[0-9]+)?)+[ \t]*")
_LIKE_ROW = re.compile(r"[ \t]*[0-9]+[ \t]+[0-9].*[0-9]")
_FAILED = re.compile(
    r".*(?:are you sure there is a netserver|could not establish the control|"
    r"remote error|Connection refused|send_data: data send error).*"
)
_STREAMS = {
    "TCP STREAM": "ethernet-tcp",
    "TCP MAERTS": "ethernet-tcp",
    "SCTP STREAM": "ethernet-sctp",
    "SCTP 1-TO-MANY STREAM": "ethernet-sctp",
}
_TRANSACTIONS = {
    "TCP REQUEST/RESPONSE": ("ethernet-tcp", "RR"),
    "UDP REQUEST/RESPONSE": ("ethernet-udp", "RR"),
    "TCP Connect/Request/Response": ("ethernet-tcp", "CRR"),
    "TCP CONNECT REQUEST/RESPONSE": ("ethernet-tcp", "CRR"),
    "SCTP REQUEST/RESPONSE": ("ethernet-sctp", "RR"),
    "SCTP 1-TO-MANY REQUEST/RESPONSE": ("ethernet-sctp", "RR"),
}
_RATE_HEAD = re.compile(
    r"[ \t]*bytes[ \t]+[Bb]ytes[ \t]+bytes[ \t]+bytes[ \t]+secs\.[ \t]+per sec\b.*"
)
# The relevant columns of ``-o``, with their names in ``-k``.
_COLUMNS = {
    "Throughput": "THROUGHPUT",
    "Throughput Units": "THROUGHPUT_UNITS",
    "Protocol": "PROTOCOL",
    "Direction": "DIRECTION",
    "Local CPU Util %": "LOCAL_CPU_UTIL",
    "Local Send Size": "LOCAL_SEND_SIZE",
    "Local Bytes Sent": "LOCAL_BYTES_SENT",
    "Local Bytes Received": "LOCAL_BYTES_RECVD",
    "Remote Bytes Sent": "REMOTE_BYTES_SENT",
    "Remote Bytes Received": "REMOTE_BYTES_RECVD",
    "Request Size Bytes": "REQUEST_SIZE",
    "Response Size Bytes": "RESPONSE_SIZE",
    "Mean Latency Microseconds": "MEAN_LATENCY",
}


@dataclass(slots=True)
class _Test:
    """One test as far as it was read."""

    title: str = ""
    at: int = 0
    """The line of its title."""
    unit: str = ""
    wide: bool = False
    """True if its table has columns for the CPU load."""
    rows: list[tuple[Line, list[str]]] = field(default_factory=list)
    keys: dict[str, tuple[int, str]] = field(default_factory=dict)
    columns: tuple[str, ...] = ()
    cut: bool = False
    is_loopback: bool = False


def read(data: bytes, context: Context) -> Reading:
    """Return throughput, CPU load and loss of each test."""
    sheet = Sheet(context)
    test = _Test()
    for line in lines(data):
        text = line.text
        if match := _TITLE.fullmatch(text):
            test = _finish(test, sheet)
            test.title, test.at = match[1], line.number
            test.is_loopback = _LOOPBACK.search(text) is not None
        elif test.title.startswith("OMNI ") and "Throughput" in text.split(","):
            test.columns = tuple(text.split(","))
        elif test.columns and not test.keys and not test.cut:
            _row(line, test, sheet)
        elif (match := _KEY.fullmatch(text)) and (match[1] in _COLUMNS.values() or test.keys):
            if match[1] in test.keys:
                test = _finish(test, sheet)
            test.keys[match[1]] = (line.number, match[2])
        elif match := _UNIT_LINE.fullmatch(text):
            test.unit = _UNITS[match[1]]
        elif test.title in _TRANSACTIONS and _RATE_HEAD.fullmatch(text):
            test.unit = "operations/s"
            test.wide = "% S" in text
        elif (test.title and "Utilization" in text) or ("CPU" in text and "Service" in text):
            test.wide = True
        elif test.unit and _NUMERIC.fullmatch(text):
            test.rows.append((line, words(text)))
        elif test.unit and _LIKE_ROW.match(text):
            test.rows.append((line, []))
            continue
        elif _FAILED.fullmatch(text):
            sheet.failed(line.number, f"netperf: {text[:200]}")
        elif test.keys and _LIKE_KEY.search(text):
            sheet.broken(line.number, "a line of netperf's listing is cut or damaged")
            continue
        else:
            continue
        sheet.understood(line.number)
    _finish(test, sheet)
    return sheet.reading()


def _finish(test: _Test, sheet: Sheet) -> _Test:
    sheet.setup = {"peer": "loopback"} if test.is_loopback else {}
    if test.is_loopback:
        hint = "measure against another host"
        sheet.note(test.at, "netperf's peer is the board itself: no network is measured", hint)
    # Tests of datagrams and of transactions print a second row for the other end.
    if len(test.rows) > (1 if test.title in _STREAMS else 2):
        hint = "log each test separately, and give their number: --param streams=4"
        message = "several tests of netperf print here at once: their figures cannot be told apart"
        sheet.broken(test.rows[0][0].number, message, hint)
    elif test.keys:
        _listing(test, sheet)
    elif test.title in _TRANSACTIONS or test.title in _STREAMS:
        _table(test, sheet)
    elif test.title.startswith("OMNI ") and not test.cut:
        hint = "ask for it: -- -o PROTOCOL,DIRECTION,THROUGHPUT,THROUGHPUT_UNITS"
        sheet.broken(test.at, "the protocol of this test of netperf is not stated", hint)
    elif test.title == "UDP STREAM":
        _udp(test, sheet)
    return _Test()


def _row(line: Line, test: _Test, sheet: Sheet) -> None:
    """Read the cells below the columns of ``-o``."""
    cells = line.text.split(",")
    # Truncation of an integer at the end of a line would go unnoticed.
    bare = test.columns[-1] in _COLUMNS and re.fullmatch("[0-9]*", cells[-1])
    if len(cells) != len(test.columns) or bare:
        test.cut = True
        hint = "list a column with decimals or words last" if bare else ""
        sheet.broken(line.number, "the end of this row of netperf is uncertain: is it cut?", hint)
        return
    for name, cell in zip(test.columns, cells, strict=True):
        if name in _COLUMNS:
            test.keys[_COLUMNS[name]] = (line.number, cell)


def _sockets(test: _Test) -> dict[str, Scalar]:
    """Return the socket style of an SCTP test."""
    if not test.title.startswith("SCTP"):
        return {}
    return {"sockets": "one to many" if "1-TO-MANY" in test.title else "one to one"}


def _table(test: _Test, sheet: Sheet) -> None:
    """Read the row of a test of streams or of transactions."""
    if not test.rows:
        sheet.broken(test.at, "netperf's table has no row that can be read")
        return
    (line, row), unit = test.rows[0], test.unit
    benchmark, kind = _TRANSACTIONS.get(test.title) or (_STREAMS[test.title], "")
    at = 5 if kind else 4
    is_whole = len(row) == at + (5 if test.wide else 1) and _is_complete(row, test)
    if not is_whole or not re.fullmatch(r"[0-9]+\.[0-9]{2}", row[at]):
        sheet.broken(line.number, "a row of netperf is cut or damaged")
        return
    metric, params = "throughput", _sockets(test)
    if kind:
        metric = "transaction_rate"
        params |= _sizes(kind, row[2], row[3])
    else:
        params["direction"] = "ingress" if test.title == "TCP MAERTS" else "egress"
    _add_figure(line.number, benchmark, metric, unit, row[at], params, sheet)
    if test.wide:
        _add_figure(line.number, benchmark, "cpu_load", "%", row[at + 1], params, sheet)


def _sizes(kind: str, request: str, response: str) -> dict[str, Scalar]:
    """Return the parameters of a test of transactions."""
    return {"test": kind, "request_size": int(request), "response_size": int(response)}


def _udp(test: _Test, sheet: Sheet) -> None:
    more = 2 if test.wide else 0
    rows = test.rows[:2]
    if [len(row) for _, row in rows] != [6 + more, 4 + more] or not all(
        _is_complete(row, test) for _, row in rows
    ):
        first = test.rows[0][0].number if test.rows else test.at
        sheet.broken(first, "the two rows of UDP_STREAM are missing, cut or damaged")
        return
    (sent_line, sent), (line, received) = rows
    params: dict[str, Scalar] = {"direction": "egress", **_frame(sent[1])}
    _add_figure(line.number, "ethernet-udp", "throughput", test.unit, received[3], params, sheet)
    if test.wide:
        _add_figure(sent_line.number, "ethernet-udp", "cpu_load", "%", sent[6], params, sheet)
    _add_loss(line.number, sent[3], received[2], params, sheet)


def _is_complete(row: list[str], test: _Test) -> bool:
    """Return whether the last figure has all its decimals: two for the throughput, three for the
    service demand."""
    return re.fullmatch(rf"-?[0-9]+\.[0-9]{{{3 if test.wide else 2}}}", row[-1]) is not None


def _listing(test: _Test, sheet: Sheet) -> None:
    keys = test.keys
    if "THROUGHPUT" not in keys:
        first = next(iter(keys.values()))[0]
        sheet.broken(first, "this listing of netperf has no THROUGHPUT")
        return
    line, throughput = keys["THROUGHPUT"]
    protocol = keys["PROTOCOL"][1] if "PROTOCOL" in keys else test.title[:3]
    direction = keys["DIRECTION"][1] if "DIRECTION" in keys else ""
    if not direction and test.title.startswith("OMNI "):
        direction = test.title.removeprefix("OMNI ")
    if not direction and test.title in (*_STREAMS, "UDP STREAM"):
        direction = "Receive" if test.title == "TCP MAERTS" else "Send"
    printed_unit = keys.get("THROUGHPUT_UNITS", (line, "10^6bits/s"))[1]
    if (
        protocol in ("TCP", "UDP")
        and direction == "Send|Recv"
        and printed_unit.strip() == "Trans/s"
    ):
        _rates(line, f"ethernet-{protocol.lower()}", keys, sheet)
        return
    unit = _UNITS.get(printed_unit.strip().removesuffix("ec"))
    if protocol not in ("TCP", "UDP") or direction not in ("Send", "Receive") or unit is None:
        sheet.broken(
            line,
            "the test of this throughput is not stated",
            "list PROTOCOL, DIRECTION and THROUGHPUT_UNITS behind -k or -o",
        )
        return
    benchmark = f"ethernet-{protocol.lower()}"
    params: dict[str, Scalar] = {"direction": "egress" if direction == "Send" else "ingress"}
    # The throughput of datagrams depends mainly on their size.
    if protocol == "UDP" and "LOCAL_SEND_SIZE" not in keys:
        sheet.broken(line, "the size of the datagrams is not stated", "list LOCAL_SEND_SIZE too")
        return
    if protocol == "UDP":
        params |= _frame(keys["LOCAL_SEND_SIZE"][1])
    ends = ("LOCAL_BYTES_SENT", "REMOTE_BYTES_RECVD")
    if direction == "Receive":
        ends = ("REMOTE_BYTES_SENT", "LOCAL_BYTES_RECVD")
    loss = protocol == "UDP" and all(end in keys for end in ends)
    # The loss would be computed from a number with a missing digit.
    if loss and not _datagrams(keys, ends):
        sheet.broken(line, "the bytes are not whole datagrams: a line is cut or damaged")
        return
    for at, text in (keys["THROUGHPUT"], keys.get("LOCAL_CPU_UTIL", (0, "0.00"))):
        if not re.fullmatch(r"-?[0-9]{1,12}\.[0-9]{2}|-?inf|-?nan", text):
            sheet.broken(at, f"“{text[:40]}” is cut: netperf prints two decimals")
            return
    _add_figure(line, benchmark, "throughput", unit, throughput, params, sheet)
    if "LOCAL_CPU_UTIL" in keys:
        at, load = keys["LOCAL_CPU_UTIL"]
        _add_figure(at, benchmark, "cpu_load", "%", load, params, sheet)
    if loss:
        at, received = keys[ends[1]]
        _add_loss(at, keys[ends[0]][1], received, params, sheet)


def _rates(line: int, benchmark: str, keys: dict[str, tuple[int, str]], sheet: Sheet) -> None:
    """Add the transactions per second of a listing, with their mean latency and the load."""
    sizes = [keys.get(f"{name}_SIZE", (0, ""))[1] for name in ("REQUEST", "RESPONSE")]
    if not all(re.fullmatch("[0-9]{1,9}", size) for size in sizes):
        hint = "list REQUEST_SIZE and RESPONSE_SIZE too"
        sheet.broken(line, "the sizes of requests and responses are not stated", hint)
        return
    params = _sizes("RR", *sizes)
    for key, metric, unit in (
        ("THROUGHPUT", "transaction_rate", "operations/s"),
        ("MEAN_LATENCY", "latency_avg", "us"),
        ("LOCAL_CPU_UTIL", "cpu_load", "%"),
    ):
        at, text = keys.get(key, (0, ""))
        if at and not re.fullmatch(r"-?[0-9]{1,12}\.[0-9]{2}", text):
            sheet.broken(at, f"“{text[:40]}” is cut: netperf prints two decimals")
        elif at:
            _add_figure(at, benchmark, metric, unit, text, params, sheet)


def _datagrams(keys: dict[str, tuple[int, str]], ends: tuple[str, str]) -> bool:
    """Return whether both ends transferred complete datagrams; a number that lost a digit fails
    this."""
    size = keys.get("LOCAL_SEND_SIZE", (0, "1"))[1]
    texts = (size, *(keys[end][1] for end in ends))
    if not all(re.fullmatch("[0-9]{1,18}", text) for text in texts) or int(size) == 0:
        return False
    return all(int(text) % int(size) == 0 for text in texts[1:])


def _frame(size: str) -> dict[str, Scalar]:
    if not re.fullmatch(r"[0-9]{1,9}", size):
        return {}
    datagram = int(size)
    if 0 < datagram <= LARGEST_DATAGRAM:
        return {"frame_size": datagram + HEADERS}
    return {"message_size": datagram}


def _add_figure(
    line: int,
    benchmark: str,
    metric: str,
    unit: str,
    text: str,
    params: dict[str, Scalar],
    sheet: Sheet,
) -> None:
    value = figure(text.strip())
    if value is None:
        sheet.broken(line, f"“{text[:40]}” is not a number")
    elif metric != "cpu_load" or value >= 0:  # -1.00 is a load that was not measured
        sheet.figure(line, benchmark, metric, unit, value, params, zero=metric == "cpu_load")


def _add_loss(line: int, sent: str, received: str, params: dict[str, Scalar], sheet: Sheet) -> None:
    if not all(re.fullmatch(r"[0-9]{1,18}", text) for text in (sent, received)):
        sheet.broken(line, "the amounts sent and received cannot be read")
    elif 0 < int(sent) >= int(received):
        share = 100 * (int(sent) - int(received)) / int(sent)
        sheet.figure(line, "ethernet-udp", "packet_loss", "%", share, params, zero=True)


FORMAT = Format(
    name="netperf",
    title="netperf: -k and -o listings and tables of the STREAM, MAERTS, RR and CRR tests",
    example=EXAMPLE,
    recognises=holds(
        rb"^(?:MIGRATED )?(?:TCP STREAM|TCP MAERTS|UDP STREAM|SCTP (?:1-TO-MANY )?STREAM"
        rb"|(?:TCP|UDP|SCTP(?: 1-TO-MANY)?) REQUEST/RESPONSE"
        rb"|TCP Connect/Request/Response|OMNI [A-Za-z|]{4,9}) TEST from|^THROUGHPUT="
    ),
    read=read,
)
