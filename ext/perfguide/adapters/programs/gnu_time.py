"""``time -v`` of GNU and BusyBox: the CPU share that a benchmark got.

Below 10 %, the share is computed from the times: the rounded number in the output is 0 % even for a
program that achieved 4 MB/s.

The share is a result if the command is a known benchmark and every word of it is understood: an
unknown option could affect the measurement. ``openssl speed -multi`` counts only from 3.0 on:
earlier versions do not wait for their children, whose time is then missing. The log must show which
version ran.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from .. import Context, Format, Reading, Scalar
from ..log_lines import Line, lines, words
from ..log_sheet import Sheet
from ..openssl.terms import ACCELERATORS, canonical

EXAMPLE = """\
\tCommand being timed: "openssl speed -elapsed -evp aes-128-cbc"
\tUser time (seconds): 17.93
\tSystem time (seconds): 0.00
\tPercent of CPU this job got: 98%
\tElapsed (wall clock) time (h:mm:ss or m:ss): 0:18.02
\tExit status: 0
"""

# Layout: ``longstats`` in GNU time's time.c and BusyBox's miscutils/time.c. The block begins with
# the command and ends with its exit status; the share of the CPU is a number without decimals in
# %, over all cores together, so that it can be above 100.
_COMMAND = re.compile(r'[ \t]*Command being timed: "(.*)"[ \t]*')
_SHARE = re.compile(r"[ \t]*Percent of CPU this job got: (?:([0-9]{1,7})|\?)%[ \t]*")
_STATUS = re.compile(r"[ \t]*Exit status: ([0-9]{1,3})[ \t]*")
_FAILED = re.compile(r"Command (?:exited with non-zero status|terminated by signal|stopped by).*")
_NO_ENGINE = re.compile(r'[Ii]nvalid engine "')
# The delegate actually used by benchmark_model, which may differ from the requested one.
_DELEGATE = re.compile(
    r"(?:INFO: )?(?:Created (?:TensorFlow Lite )?([A-Za-z]{2,20}) delegate for .*"
    r"|External delegate path: \[(?:.*/)?([^/\]]{1,120})\])"
)
_VERSION = re.compile(r"(?:OpenSSL |version: )([0-9]{1,2})\.[0-9]+\.[0-9]+[!-~]*(?:[ \t].*)?")
_OTHER = re.compile(
    r"[ \t]*(?:User time|System time|Elapsed \(wall|Average |Maximum resident|Major \(|Minor \("
    r"|Voluntary context|Involuntary context|Swaps|File system|Socket messages|Signals|Page size)"
)
_TIME = re.compile(r"[ \t]*(User|System) time \(seconds\): ([0-9]{1,9}\.[0-9]{2})[ \t]*")
_ANY_TIME = re.compile(r"[ \t]*(?:User time|System time|Elapsed \(wall)")
_ELAPSED = re.compile(
    r"[ \t]*Elapsed \(wall clock\) time \(h:mm:ss or m:ss\): "
    r"(?:([0-9]{1,4})[:h] ?)?([0-9]{1,4})[:m] ?([0-9]{1,2}(?:\.[0-9]{2})?)s?[ \t]*"
)
MIN_PRINTED_SHARE_PERCENT = 10
"""The share below which whole per cents are too coarse, and the quotient of the times is used."""
_VALUE_CHARS = "0123456789hms:. "
"""The characters that occur in values of other lines."""


@dataclass(slots=True)
class _LinesAbove:
    """Facts about a command from the lines above it. ``software`` is true if openssl fell back to
    software because the requested engine does not exist."""

    failed: bool = False
    software: bool = False
    delegate: str = ""
    version: int = 0

    def observe(self, text: str) -> bool:
        """Take facts from a line of the program itself, and return whether it has any."""
        if match := _DELEGATE.fullmatch(text):
            self.delegate = match[1] or match[2]
        elif match := _VERSION.fullmatch(text):
            self.version = int(match[1])
        elif _NO_ENGINE.search(text):
            self.software = True
        else:
            return False
        return True


@dataclass(slots=True)
class _Block:
    """The figures of one command, as far as they were read."""

    command: str
    line_number: int
    above: _LinesAbove
    share_line: Line | None = None
    printed_percent: str | None = None
    times: dict[str, float] = field(default_factory=dict)
    is_damaged: bool = False

    def add_time(self, text: str) -> None:
        """Read a line that begins like one of the three times."""
        if match := _TIME.fullmatch(text):
            self.times[match[1]] = float(match[2])
        elif match := _ELAPSED.fullmatch(text):
            hours, minutes, seconds = (float(part or 0) for part in match.groups())
            self.times["Elapsed"] = 3600 * hours + 60 * minutes + seconds
        else:
            self.is_damaged = True

    @property
    def needs_times(self) -> bool:
        """Return whether the printed share is too low for a number without decimals."""
        printed = self.printed_percent
        return printed is not None and int(printed) < MIN_PRINTED_SHARE_PERCENT

    def best_percent(self) -> float | None:
        """Return the share in %, from the times if these are finer than the printed number."""
        if self.printed_percent is None:
            return None
        printed = float(self.printed_percent)
        if not self.needs_times or len(self.times) < 3:
            return printed
        elapsed = self.times["Elapsed"]
        # The times have two decimals, so for a run of a second the last digit is 1 %.
        if elapsed < 1:
            return printed
        share = 100 * (self.times["User"] + self.times["System"]) / elapsed
        return round(share, 1) if abs(share - printed) <= 1 else printed


def recognises(data: bytes) -> bool:
    """Return whether a command was timed."""
    return b"Command being timed: " in data or b"Percent of CPU this job got: " in data


def read(data: bytes, context: Context) -> Reading:
    """Return the CPU load of each timed benchmark, in %."""
    sheet = Sheet(context)
    block: _Block | None = None
    above = _LinesAbove()
    for line in lines(data):
        if match := _COMMAND.fullmatch(line.text):
            _report_cut(block, sheet)
            block = _Block(match[1], line.number, above)
            above = _LinesAbove(version=above.version)
        elif match := _SHARE.fullmatch(line.text):
            if block is None or block.share_line is not None:
                sheet.broken(line.number, "a CPU share without the command that it belongs to")
                continue
            block.share_line, block.printed_percent = line, match[1]
        elif block is not None and _ANY_TIME.match(line.text):
            block.add_time(line.text)
        elif match := _STATUS.fullmatch(line.text):
            if block is not None:
                block.above.failed |= match[1] != "0"
                _finish(block, sheet)
            block = None
        elif _FAILED.fullmatch(line.text):
            above.failed = True
        elif above.observe(line.text):
            continue  # another format reports it if left over
        elif "Command being timed" in line.text or "Percent of CPU" in line.text:
            sheet.broken(line.number, "a line of time -v is cut or damaged")
            continue
        elif not _is_other(line.text):
            continue
        sheet.understood(line.number)
    _report_cut(block, sheet)
    return sheet.reading()


def _is_other(text: str) -> bool:
    """Return whether a line of ``time -v`` is irrelevant to all metrics."""
    label, colon, value = text.rstrip(" \t").rpartition(": ")
    return bool(colon and value and _OTHER.match(label)) and not value.strip(_VALUE_CHARS)


def _report_cut(block: _Block | None, sheet: Sheet) -> None:
    if block is not None:
        sheet.broken(block.line_number, "the output of time -v is cut: it has no exit status")


def _finish(block: _Block, sheet: Sheet) -> None:
    """Add the share of a complete block."""
    if block.share_line is None:
        message = "the output of time -v has no CPU share that can be read"
        sheet.broken(block.line_number, message)
        return
    line = block.share_line.number
    command = _understand(block.command)
    if command is None:
        message = f"unknown benchmark command “{block.command[:200]}”: its CPU load is left out"
        sheet.note(line, message)
        return
    # A stated benchmark names a device or medium, which openssl does not have.
    benchmark = "openssl" if command.benchmark == "openssl" else sheet.benchmark(command.benchmark)
    params = _params(command, block, sheet)
    if block.above.failed:
        why = f"“{block.command[:200]}” failed"
        sheet.failure(line, benchmark, "cpu_load", "%", params, why)
    elif not command.counts_children and block.above.version < 3:
        sheet.note(
            line,
            "before OpenSSL 3.0, time -v does not count the CPU time of -multi's children,"
            " and no later version is stated here: the CPU load is left out",
        )
    elif block.needs_times and block.is_damaged:
        sheet.broken(line, "the times of this block of time -v are cut or damaged")
    elif (percent := block.best_percent()) is None:
        sheet.failure(line, benchmark, "cpu_load", "%", params, "time -v prints ? for the share")
    else:
        sheet.figure(line, benchmark, "cpu_load", "%", percent, params, zero=True)


def _params(command: _Command, block: _Block, sheet: Sheet) -> Mapping[str, Scalar]:
    params = dict(command.params)
    if block.above.software:
        params["engine"] = "sw"
    elif command.benchmark == "tflite" and block.above.delegate:
        params["delegate"] = block.above.delegate
    elif command.engine and "engine" not in params:
        message = f"cannot tell whether the engine “{command.engine[:100]}” is an accelerator"
        sheet.note(block.line_number, message)
    if command.benchmark == "hdparm" and sheet.stated("benchmark"):
        # The device adds nothing once the benchmark is named after it.
        params.pop("device", None)
    return params


@dataclass(frozen=True, slots=True)
class _Command:
    """The benchmark that a command runs, and its parameters. ``counts_children`` is false if its
    CPU time may lack that of its children."""

    benchmark: str
    params: dict[str, Scalar] = field(default_factory=dict)
    engine: str = ""
    counts_children: bool = True


_TFLITE = {"graph", "num_threads", "num_runs", "warmup_runs", "min_secs", "max_secs"}
_TFLITE |= {"warmup_min_secs", "use_xnnpack", "use_gpu", "use_nnapi", "external_delegate_path"}

_SHELL = re.compile(r"[;&|<>`$(){}\"'\\]")
_WHOLE_NUMBER = re.compile(r"[-+]?[0-9]{1,9}")

_OPENSSL_FLAGS = {"-elapsed", "-mr", "-mlock", "-aead"}
_OPENSSL_VALUES = {"-seconds", "-engine", "-multi", "-bytes", "-evp", "-hmac", "-cmac"}
_OPENSSL_VALUES |= {"-provider", "-provider-path", "-propquery", "-config", "-rand"}


def _understand(text: str) -> _Command | None:
    """Return the program that a command line ran, or ``None`` if that is unclear.

    ``text`` is as shown by ``time -v``: unquoted words with single spaces.
    """
    command_words = words(text)
    if command_words[:2] == ["sh", "-c"]:
        command_words = command_words[2:]
    # A shell may run more than one program, and time -v counts them together.
    if any(_SHELL.search(word) for word in command_words):
        return None
    nice: int | None = None
    while command_words:
        first, *rest = command_words
        name = first.rpartition("/")[2]
        if name == "nice":
            level, taken = _nice(command_words)
            if level is None:
                return None
            nice = (nice or 0) + level
            command_words = command_words[taken:]
        elif name == "taskset" and len(rest) > 1:
            command_words = rest[2:] if rest[0] in ("-c", "--cpu-list") else rest[1:]
        elif name in ("busybox", "time"):
            command_words = rest[1:] if rest[:1] == ["-v"] else rest
        elif name == "env" or re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*=.*", first):
            command_words = rest
        else:
            command = _PROGRAMS[name](name, rest) if name in _PROGRAMS else None
            if command and nice is not None:
                # The kernel clamps the level to −20 to 19.
                command.params["nice"] = max(-20, min(19, nice))
            return command
    return None


def _nice(command_words: list[str]) -> tuple[int | None, int]:
    """Return the level that ``nice`` adds, and the number of words that specify it."""
    if len(command_words) > 2 and command_words[1] in ("-n", "--adjustment"):
        is_level = _WHOLE_NUMBER.fullmatch(command_words[2])
        return (int(command_words[2]), 3) if is_level else (None, 0)
    if len(command_words) > 1 and (
        level := re.fullmatch(r"-(?:n|-adjustment=)?([-+]?[0-9]{1,3})", command_words[1])
    ):
        return int(level[1]), 2
    return 10, 1


def _openssl(_name: str, arguments: list[str]) -> _Command | None:
    if arguments[:1] != ["speed"]:
        return None
    values: dict[str, str] = {}
    algorithms: list[str] = []
    words_left = iter(arguments[1:])
    for word in words_left:
        if word in _OPENSSL_FLAGS:
            continue
        if word in _OPENSSL_VALUES:
            value = next(words_left, None)
            # The value of this option is missing, so this is not the command that ran.
            if value is None:
                return None
            values[word] = value
        elif word.startswith("-"):
            return None
        else:
            algorithms.append(canonical(word))
    if "-evp" in values:
        algorithms.append(canonical(values["-evp"]))
    for mac in ("hmac", "cmac"):
        if f"-{mac}" in values:
            algorithms.append(f"{mac}({canonical(values[f'-{mac}'])})")
    # The share of several algorithms is a single number, and public keys have no block size.
    if len(algorithms) != 1 or re.match(
        r"(?:rsa|dsa|ecdsa|ecdh|ed|ffdh|sm2|eddsa)[0-9]*", algorithms[0]
    ):
        return None
    params: dict[str, Scalar] = {"algorithm": algorithms[0]}
    for option, name in (("-multi", "threads"), ("-bytes", "block_size")):
        if option in values:
            if not re.fullmatch(r"[0-9]{1,9}", values[option]):
                return None
            params[name] = int(values[option])
    engine = values.get("-engine", "")
    if engine.lower() in ACCELERATORS:
        params["engine"] = "hw"
    return _Command("openssl", params, engine, counts_children="-multi" not in values)


def _hdparm(_name: str, arguments: list[str]) -> _Command | None:
    options = "".join(a[1:] for a in arguments if a.startswith("-") and not a.startswith("--"))
    long_options = [a for a in arguments if a.startswith("--")]
    devices = [a for a in arguments if not a.startswith("-")]
    others = set(options) - set("tT") | set(long_options) - {"--direct"}
    if not options or others or len(devices) != 1:
        return None
    params: dict[str, Scalar] = {"device": devices[0]}
    return _Command("hdparm", params | ({"direct": True} if long_options else {}))


def _sound(name: str, arguments: list[str]) -> _Command | None:
    """Return the command if the sampling rate is a word of its own, as the runner writes it."""
    at = arguments.index("-r") + 1 if "-r" in arguments else len(arguments)
    if not re.fullmatch(r"[0-9]{3,6}", "".join(arguments[at : at + 1])):
        return None
    direction = "capture" if name == "arecord" else "playback"
    return _Command("alsa", {"direction": direction, "sampling_rate": int(arguments[at])})


def _tflite(_name: str, arguments: list[str]) -> _Command | None:
    """Return the command if it states model and number of threads, as the runner does."""
    options = dict(argument.removeprefix("--").partition("=")[::2] for argument in arguments)
    model, threads = options.get("graph", "").rpartition("/")[2], options.get("num_threads", "")
    if {*options} - _TFLITE or not model or not re.fullmatch("[1-9][0-9]{0,3}", threads):
        return None
    return _Command("tflite", {"model": model, "threads": int(threads)})


_PROGRAMS = {
    "openssl": _openssl,
    "hdparm": _hdparm,
    "arecord": _sound,
    "aplay": _sound,
    "benchmark_model": _tflite,
}
"""The functions that read the arguments of each program, given its name and these."""

FORMAT = Format(
    name="gnu-time",
    title="time -v of GNU and BusyBox: CPU load of a known benchmark",
    example=EXAMPLE,
    recognises=recognises,
    read=read,
)
