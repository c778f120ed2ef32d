"""The logs of perfguide's own runner: one block for each program that was run.

Layout: runner/README.md and runner/lib/points.sh::

    # perfguide-run: benchmark=openssl nice=-20 engine=hw … command=nice -n -20 …
    # perfguide-at: started=… clock_mhz=…
    …what the program printed, both streams, untouched…
    # perfguide-during: samples=… clock_mhz=600..1400 temperature_c=… governor=… throttled=no
    # perfguide-end: status=0 elapsed=6

The program's output is read by the adapter of its format. Words of the header such as the nice
level, the engine and the number of threads are parameters of its results, unless the output
contradicts them (``Invalid engine``). Facts about the board while the program ran are their setup.
A block without an end, or with a status other than 0, gives no figure: the runner runs it again.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import TypeAlias

import msgspec

from ..bundle import WARNED, Result
from . import Context, Format, Reading, Scalar, registry
from .farm.text import moment
from .line_patterns import number_or_text
from .log_lines import Line, figure, holds, lines, words
from .log_sheet import Sheet
from .openssl import speed
from .programs import lmbench

EXAMPLE = """\
# perfguide-run: benchmark=openssl nice=-20 engine=hw algorithm=aes-128-cbc threads=1 \
workload=alone block_sizes=16 repetition=1 command=openssl speed -bytes 16 -evp aes-128-cbc
# perfguide-at: started=2024-04-02T09:30:00Z clock_mhz=1400
type             16 bytes
aes-128-cbc     438879.17k
# perfguide-end: status=0 elapsed=6
"""

Reader: TypeAlias = Callable[[bytes, Context], Reading]

_HEAD = re.compile(r"# perfguide-run: (.+)")
_END = re.compile(r"# perfguide-end: status=([0-9]{1,3}) elapsed=[0-9]{1,9}[ \t]*")
_AT = re.compile(r"# perfguide-at: (?:started=([0-9]{4}-[0-9T:-]{6,15}Z) )?.*")

_DURING = re.compile(r"# perfguide-during: (.+)")
# "600..1400" is the observed range, "1400" a constant value.
_PER_CENT = re.compile(r"[0-9]{1,4}\.[0-9]")
_SPAN = re.compile(r"(-?[0-9]{1,6}(?:\.[0-9])?)(?:\.\.(-?[0-9]{1,6}(?:\.[0-9])?))?")

# The benchmarks measured by fio: itself, or a medium that a header names.
_STORAGE = ("fio", "emmc", "mmcsd", "nand", "ospi", "pcie-nvme", "sata", "ufs", "usb-host")

# The words of a header that are parameters; the others describe how it was run.
_PARAMS: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(_STORAGE, ("filesystem",)),
    "openssl": ("algorithm", "engine", "nice", "threads", "workload", "background"),
    "dm-crypt": ("engine", "cipher"),
    "coremark-pro": ("contexts",),
    "iperf3": ("mode",),
    "netperf": ("driver", "loss_allowed"),
    "ipsec": ("algorithm", "stack", "engine", "packet_size"),
    "ethernet-udp": ("driver", "direction", "frame_size", "loss_allowed"),
    "alsa": ("direction", "sampling_rate"),
    "glmark2": ("backend",),
}

# The readers of each benchmark's output: format names or functions.
_READERS: dict[str, tuple[Reader | str, ...]] = {
    "openssl": ("openssl-speed", "gnu-time"),
    "dm-crypt": ("hdparm", "gnu-time"),
    "lmbench": ("lmbench", lmbench.read_bare),
    "boot-time": ("systemd-analyze",),
    "alsa": ("alsa", "gnu-time"),
    "tflite": ("tflite", "gnu-time"),
    "iperf3": ("iperf3", "iperf3-text"),
    "ipsec": ("iperf3",),
    "ethernet-udp": ("iperf3",),
    **dict.fromkeys(_STORAGE, ("fio", "fio-text", "gnu-time")),
    **{
        name: (name,)
        for name in (
            *("cyclictest", "stream", "dhrystone", "whetstone", "linpack", "nbench"),
            *("coremark-pro", "multibench", "coremark", "7-zip", "sysbench", "stress-ng"),
            *("unixbench", "tinymembench", "ramlat", "mbw", "hackbench", "signaltest"),
            *("cryptsetup", "ioping", "dd", "hdparm", "glmark2", "netperf"),
            *("onnxruntime", "oslat", "rtla-timerlat", "rtla-osnoise"),
        )
    },
}

# Benchmarks in which the kernel does most of the work, so the load of all CPUs replaces iperf3's own.
_BY_SYSTEM = ("ipsec", "ethernet-udp")
# Parameters of iperf3 under the names that these benchmarks use.
_OF_IPERF = ("protocol", "direction")
_TRIALS = "loss-search"
# Programs whose command line, not their output, states what they measured.
_NAMED_BY_COMMAND = ("lmbench", "onnxruntime")


@dataclass(slots=True)
class _Block:
    """A block while it is read: its header, and the lines at which its output begins and before
    which it ends."""

    head: Line
    words: dict[str, str]
    command: str
    first: int
    last: int = 0
    during: dict[str, str] = field(default_factory=dict)
    setup: dict[str, Scalar] = field(default_factory=dict)

    def notes(self) -> list[str]:
        """Return a note if the job got a different share of its core than its nice level
        implies."""
        share, predicted = map(self.during.get, ("cpu_share", "predicted_cpu_share"))
        if not share or not predicted:
            return []
        first = self.during.get("first_cpu_share", share)
        return [
            f"{WARNED}the job got {share} % of its core, and {first} % in a first run, where its nice level "
            f"gives it {predicted} %: other work was under way"
        ]


def read(data: bytes, context: Context) -> Reading:
    """Return the readings of the programs' output in each complete block."""
    sheet = Sheet(context)
    raw = data.split(b"\n")
    parts: list[Reading] = []
    block: _Block | None = None
    for line in lines(data):
        if match := _HEAD.fullmatch(line.text):
            _report_cut(block, sheet)
            block = _header(line, match[1], sheet)
        elif match := _END.fullmatch(line.text):
            sheet.understood(line.number)
            if block and match[1] == "0":
                parts += _parts(block, raw, block.last or line.number, context, sheet)
            elif block:
                sheet.failed(
                    block.head.number, f"status {match[1]} of “{block.command[:200]}”: left out"
                )
            block = None
        elif match := _AT.fullmatch(line.text):
            sheet.understood(line.number)
            if when := moment(match[1] or ""):
                sheet.fact("created", when)
        elif match := _DURING.fullmatch(line.text):
            during = dict(word.split("=", 1) for word in words(match[1]) if "=" in word)
            setup = _seen(match[1])
            if block:
                block.last = line.number
            if setup is None:
                sheet.broken(line.number, "what was seen of the board is cut or damaged here")
                continue
            sheet.understood(line.number)
            if block:
                block.setup, block.during = setup, during
        elif line.text.startswith("# perfguide-"):
            sheet.broken(line.number, "a line of the runner is cut or damaged")
            block = None
    _report_cut(block, sheet)
    return sheet.reading(parts)


def _report_cut(block: _Block | None, sheet: Sheet) -> None:
    if block:
        sheet.broken(block.head.number, "this block has no end: it was cut, and is left out")


def _header(line: Line, text: str, sheet: Sheet) -> _Block | None:
    stated, _, command = text.partition(" command=")
    pairs = [word.partition("=") for word in words(stated)]
    values = {name: value for name, sign, value in pairs if sign}
    if len(values) != len(pairs) or "\ufffd" in text or not command:
        sheet.broken(line.number, "the header of a block is cut or damaged")
        return None
    sheet.understood(line.number)
    return _Block(line, values, command, line.number + 1)


def _seen(text: str) -> dict[str, Scalar] | None:
    """Return the conditions during a program's run as facts of the setup, or ``None`` if a word is
    damaged. The highest temperature counts."""
    setup: dict[str, Scalar] = {}
    for word in words(text):
        name, _, value = word.partition("=")
        span = _SPAN.fullmatch(value)
        if name == "clock_mhz" and span:
            setup["clock"] = f"{span[1]} to {span[2]} MHz" if span[2] else f"{span[1]} MHz"
        elif name == "temperature_c" and span:
            setup["temperature"] = f"{span[2] or span[1]} °C"
        elif name == "cpu_load" and re.fullmatch(r"[0-9]{1,3}\.[0-9]", value):
            setup["system_load"] = f"{value} %"
        elif name == "throttled" and value in ("yes", "no"):
            setup["throttled"] = value == "yes"
        elif name == "governor" and re.fullmatch(r"[a-z_+.]{1,60}", value):
            setup["governor"] = value
        elif not (
            (name == "samples" and re.fullmatch("[0-9]{1,9}", value))
            or (name.endswith("cpu_share") and _PER_CENT.fullmatch(value))
        ):
            return None
    return setup


def _parts(
    block: _Block, raw: list[bytes], end: int, context: Context, sheet: Sheet
) -> list[Reading]:
    """Return the readings of a block's output, with the line numbers of the log."""
    benchmark = block.words.get("benchmark", "")
    if benchmark == _TRIALS:
        sheet.understood(*range(block.first, end))
        sheet.note(
            block.head.number,
            "trials of a search are not figures: its result has its own block",
        )
        return []
    readers = _readers_of(block)
    if not readers:
        sheet.note(block.head.number, f"no adapter reads the output of “{benchmark[:100]}”")
        return []
    params = _params(block, context)
    of_block = Context(context.file, params)
    output, before = _output(block, raw[block.first - 1 : end - 1])
    readings = [reader(output, of_block) for reader in readers]
    readings = [reading.renumbered(lambda line: line + before) for reading in readings]
    for part in readings:
        sheet.understood(*part.lines)
    # Without this, a program that ran without printing a figure would seem not to have run.
    if not any(part.results for part in readings):
        sheet.broken(block.head.number, f"no figure in the output of “{block.command[:200]}”")
    if benchmark in _BY_SYSTEM and "system_load" not in block.setup:
        at = block.last or block.head.number
        sheet.broken(at, "the load of all CPUs was not seen, or the line with it is cut")
    sizes = block.words.get("block_sizes", "")
    return [_named(part, block, sizes, params) for part in readings]


def _readers_of(block: _Block) -> list[Reader]:
    benchmark = block.words.get("benchmark", "")
    readers = _READERS.get(benchmark, ())
    # With -multi, openssl does not report that it measures elapsed time.
    if benchmark == "openssl" and "-elapsed" in words(block.command):
        readers = (partial(speed.read, elapsed=True), "gnu-time")
    return [registry.built_in(name).read if isinstance(name, str) else name for name in readers]


def _params(block: _Block, context: Context) -> dict[str, Scalar]:
    """Return the parameters that the context and the header state."""
    benchmark = block.words.get("benchmark", "")
    params: dict[str, Scalar] = dict(context.params) | {"benchmark": benchmark}
    for name in _PARAMS.get(benchmark, ()):
        if name in block.words:
            word = block.words[name]
            params[name] = word == "yes" if name == "loss_allowed" else number_or_text(word)
    return params


def _output(block: _Block, body: list[bytes]) -> tuple[bytes, int]:
    """Return the output of a program, and the number of lines of the log before its first line."""
    before = block.first - 1
    if block.words.get("benchmark") in _NAMED_BY_COMMAND:
        # The command replaces the line "# perfguide-at", because it must directly precede the figure.
        if body and body[0].startswith(b"# perfguide-at: "):
            body, before = body[1:], before + 1
        body, before = [b"$ " + block.command.encode(), *body], before - 1
    # A line of the runner follows, so the last line of the output is complete.
    return b"\n".join((*body, b"")), before


def _named(part: Reading, block: _Block, sizes: str, params: dict[str, Scalar]) -> Reading:
    """Return the results with their command and everything that the header states."""
    results: list[Result] = []
    for result in part.results:
        more = dict(result.params)
        if result.metric == "cpu_load" and re.fullmatch("[0-9]{1,9}", sizes):
            # The run had only this block size, unlike one that fills a table.
            more.setdefault("block_size", int(sizes))
        # The header states what was requested; time -v only knows the command that it started.
        for name in ("nice", "threads", "algorithm"):
            if name in params:
                more[name] = params[name]
        if result.metric.startswith("cpu_") and "access" in block.words:
            more["access"] = block.words["access"]  # fio prints a load without a direction
        results.append(
            msgspec.structs.replace(
                result,
                params=more,
                command=block.command,
                setup={**result.setup, **block.setup},
                notes=block.notes(),
            )
        )
    if block.words.get("benchmark") in _BY_SYSTEM:
        results = _by_system(results, block)
    return Reading(tuple(results), part.diagnostics, part.facts, part.lines)


def _by_system(results: list[Result], block: _Block) -> list[Result]:
    """Return the results with the load of all CPUs, and packets per second for datagrams."""
    of_header = _PARAMS[block.words["benchmark"]]
    extended: list[Result] = []
    for result in results:
        result = msgspec.structs.replace(
            result,
            params={
                name: v
                for name, v in result.params.items()
                if name not in _OF_IPERF or name in of_header
            },
        )
        if result.metric != "cpu_load":
            extended.append(result)
        # RFC 2544 counts frames, but iperf3 only prints bits.
        if result.metric == "throughput" and result.samples:
            datagram = block.words.get("datagram", "")
            if re.fullmatch("[1-9][0-9]{0,4}", datagram):
                rates = [value / 8 / int(datagram) for value in result.samples]
                extended.append(
                    msgspec.structs.replace(result, metric="packet_rate", unit="PPS", samples=rates)
                )
            load = re.fullmatch(r"([0-9.]+) %", str(block.setup.get("system_load", "")))
            value = figure(load[1]) if load else None
            if value is not None and result.log is not None:
                extended.append(
                    msgspec.structs.replace(
                        result, metric="cpu_load", unit="%", samples=[value],
                        log=msgspec.structs.replace(result.log, line=block.last),
                    )
                )  # fmt: skip
    return extended


FORMAT = Format(
    name="perfguide-runner",
    title="logs of perfguide's runner, with the programs' output inside",
    example=EXAMPLE,
    recognises=holds(rb"^# perfguide-run: "),
    read=read,
)
