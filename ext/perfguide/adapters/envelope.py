"""A log as plain lines: without the additions of consoles, loggers and editors.

An *envelope* is text that one of these adds to each line, such as a date. It has a name and a
regular expression, and is removed if that fits nearly all lines. Messages of the kernel and of
systemd are removed, too. A row that a message interrupted is marked as :data:`.log_lines.DAMAGED`,
and the next line as its possible tail."""

from __future__ import annotations

import datetime
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from typing import TypeAlias

import msgspec

from .log_dates import Date, parse
from .log_lines import DAMAGED, LIKE_FIGURE

MIN_SHARE = 0.9
"""The share of lines that an envelope must fit."""

MAX_TRIED_LINES = 200
"""An envelope must fit one of this many non-empty lines at the beginning of a log."""

MAX_ENVELOPES = 6
"""The largest number of nested envelopes; a quoted copy of a console in the journal has three."""

_MONTH = "(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)"
_CLOCK = r"[0-9]{2}:[0-9]{2}:[0-9]{2}(?:[.,][0-9]{1,9})?"
_ISO = rf"(?:19|20)[0-9]{{2}}-[01][0-9]-[0-3][0-9][T ]{_CLOCK}(?:Z|[+-][0-9]{{2}}:?[0-9]{{2}})?"
_DAY = rf"(?:(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) )?{_MONTH} [ 0-3][0-9] {_CLOCK}"
# Only within brackets is a number after a date its year; elsewhere it may begin a row.
_YEAR = "(?: (?:19|20)[0-9]{2})?"
_DATE = rf"(?P<when>{_ISO}|{_DAY})"
_SENDER = r" (?P<host>[\w.-]{1,64}) (?P<tag>[\w./@()-]{1,64})(?:\[[0-9]{1,9}\])?:"
_KERNEL = r"\[ {0,6}[0-9]{1,7}\.[0-9]{6}\](?:\[ {0,5}[TC][0-9]{1,7}\])?"

ENVELOPES = tuple(
    (name, re.compile(rf"{pattern}(?: |$)"))
    for name, pattern in (
        # Specific envelopes come first: the date of a journal would also fit "dates".
        (
            "syslog",
            rf"<[0-9]{{1,3}}>1 (?P<when>{_ISO}) (?P<host>\S{{1,255}}) (?P<tag>\S{{1,48}}) \S{{1,128}} \S{{1,32}} -",
        ),
        ("journal", rf"(?:<[0-9]{{1,3}}>)?{_DATE}{_SENDER}"),
        ("dates in brackets", rf"\[(?P<when>{_ISO}|{_DAY}{_YEAR})\]"),
        ("dates", _DATE),
        ("kernel", rf"(?:<[0-9]{{1,3}}>)?{_KERNEL}"),
        ("seconds", r"\[?[0-9]{1,10}\.[0-9]{6}(?: [0-9]{1,10}\.[0-9]{6})?\]"),
        ("seconds", r"1[0-9]{9}\.[0-9]{3,9}"),
        ("clock in brackets", rf"\[{_CLOCK}\]"),
        ("clock", _CLOCK),
        ("quotation", ">{1,9}"),
    )
)
"""Names of envelopes, and patterns of the beginning of a line up to and including a blank."""

# Colours, erasing to the end of the line, titles and terminal modes print nothing.
_HARMLESS = re.compile(
    r"\x1b\[[0-9;]*[mK]|\x1b\][0-2];[^\x07\x1b\n]{0,300}(?:\x07|\x1b\\)|\x1b\[\?[0-9;]{1,9}[hl]"
)
_FENCE = re.compile(r"([ \t]*)(?:`{3,}|~{3,})[ \t]*[\w+.-]*[ \t]*")
_SCRIPT = re.compile(rf"Script (?:started|done) on (?P<when>{_ISO}|[!-~ ]{{10,40}}).*")
_PROMPT = re.compile(
    r"(?:(?:[\w.-]{1,64}@(?P<host>[\w.-]{1,64})|[\w.-]{1,64}):[~/][^ #$>]{0,200} ?"
    r"|\[[\w.-]{1,64}@(?P<in_brackets>[\w.-]{1,64}) [^\]]{1,200}\]"
    r"|(?:ba)?sh-[0-9]\.[0-9]{1,2}|[~/][^ #$>]{0,200} )(?=[#$] )|> (?=[\[{][ \t]*$)"
)
_MESSAGES = re.compile(
    rf"(?:<[0-9]{{1,3}}>)?{_KERNEL} "
    r"|\[(?:  OK  |FAILED|DEPEND| TIME | WARN | INFO )\] "
    rf"|<[0-9]{{1,3}}>{_DAY} "
    r"|(?:\[ {0,6}[0-9]{1,7}\.[0-9]{1,6}\] )?(?:INFO: task |INFO: rcu|BUG: |WARNING: CPU: "
    r"|Call trace:|audit: type=|random: crng|EXT4-fs |Out of memory: |sched: RT throttling"
    r"|IPv6: ADDRCONF|(?<![A-Za-z/_.-])(?:audit\[[0-9]|usb [0-9]{1,2}-[0-9]|mmc[0-9]: "
    r"|systemd(?:-[a-z]+)?\[[0-9]{1,7}\]: |watchdog: |rcu: |clocksource: ))"
)
_MESSAGE_WORDS = (
    *("] ", "<", "INFO: ", "BUG: ", "WARNING: ", "Call trace:", "audit", "random: ", "EXT4-fs "),
    *("Out of memory: ", "sched: ", "IPv6: ", "usb ", "mmc", "systemd", "watchdog: ", "rcu: "),
    "clocksource: ",
)
"""Each of these messages contains one of these words. Most lines contain none, which is faster to
check."""
# JSON and XML strings quote kernel messages; a console does not.
_QUOTED = re.compile(r"(?:[:,\[{] *[\"']|<[A-Za-z][^<>\n]{0,200}>|\\n) *\Z")
# An escape in JSON can be half a character.
_HALF = re.compile("[\ud800-\udfff]")
_TERMINAL_WIDTHS = (80, 100, 120, 132, 160)
_ESCAPES = re.compile(r"\\(?:x([0-9a-fA-F]{2})|([e0_NLPav]))")
_YAML_ESCAPES = {"e": "1b", "0": "00", "_": "a0", "N": "85", "a": "07", "v": "0b"}
_LAVA = re.compile(
    r'- \{"?dt"?: "?(?P<when>[^",]{10,40})"?, "?lvl"?: "?(?P<level>[a-z]{1,20})"?, '
    r'(?:"?ns"?: "?(?P<host>[^",]{0,64})"?, )?"?msg"?: (?P<text>.*?)(?:, "?ns"?: "?(?P<tag>[^",]{0,64})"?)?\}'
)
_CONTENTS = {
    "kernel": re.compile(r"Linux version ([!-~]{1,100}) "),
    "board": re.compile(r"(?:OF: fdt: )?Machine model: ([!-~][ -~]{1,100})"),
}


Sender: TypeAlias = tuple[str, str]
"""A host and a program on it; empty if unknown."""


@dataclass(frozen=True, slots=True)
class PlainLog:
    """The plain lines of a log. Line ``n`` of ``data`` is line ``numbers[n - 1]`` of the file."""

    data: bytes
    numbers: Sequence[int]
    envelopes: tuple[str, ...] = ()
    """The names of the envelopes that were removed."""
    tails: frozenset[int] = frozenset()
    """Lines that follow a line cut off by another program's message."""
    seams: frozenset[int] = frozenset()
    """Lines separated from the previous line by a message, and thus possibly its tail."""
    fillers: frozenset[int] = frozenset()
    """Messages of other programs that may hide a row."""
    gaps: frozenset[int] = frozenset()
    """Lines preceded by an empty line and a message: the empty line may belong to the message, or
    end a table."""
    cuts: frozenset[int] = frozenset()
    """Lines with a message of another program in them."""
    date: Date | None = None
    """The first date that was removed."""
    mixed: tuple[tuple[str, str, str, int], ...] = ()
    """Changes of kernel or board within the log: the kind, both names, and the line in the file."""
    hosts: Mapping[str, Set[int]] = field(default_factory=dict)
    """The lines of the file that came from each host, where an envelope or prompts name several."""
    joined: PlainLog | None = None
    """The same log with lines joined that fill the width of a terminal."""
    joined_lines: frozenset[int] = frozenset()
    """The lines of the file at which the joined ones begin."""

    def numbered(self, lines: Sequence[int]) -> PlainLog:
        """Return a log taken from part of a file, with the line numbers of that file."""

        def of_file(numbers: Iterable[int]) -> list[int]:
            return [lines[number - 1] for number in numbers]

        return replace(
            self,
            numbers=of_file(self.numbers),
            mixed=tuple((fact, old, new, lines[at - 1]) for fact, old, new, at in self.mixed),
            hosts={host: frozenset(of_file(numbers)) for host, numbers in self.hosts.items()},
            joined=self.joined and self.joined.numbered(lines),
            joined_lines=frozenset(of_file(self.joined_lines)),
        )

    def before(self, line: int) -> int:
        """Return the line before a line, skipping messages of other programs, or 0 if there is
        none."""
        line -= 1
        while line in self.fillers:
            line -= 1
        return line

    def damaged(self, tails: Set[int]) -> bytes:
        """Return the data with marks of damage between each of the lines and the previous one."""
        rows, mark = self.data.split(b"\n"), DAMAGED.encode()
        for line in tails | self.tails:
            rows[line - 1] = mark + rows[line - 1]
            if before := self.before(line):
                rows[before - 1] += mark
        return b"\n".join(rows)

    def mended(self, tails: Set[int]) -> Mended:
        """Return the data without messages, treating each of the lines as the tail of the previous
        one."""
        rows: list[bytes] = []
        numbers: list[int] = []
        tail_rows: dict[int, int] = {}
        pieces = self.data.split(b"\n")
        for line, (row, number) in enumerate(zip(pieces, self.numbers, strict=True), 1):
            if line in self.cuts:
                row = row.partition(DAMAGED.encode())[0]  # the message follows it
            if line in self.fillers:
                continue
            if rows and (line in tails or line in self.tails or line in self.gaps):
                rows[-1] += row
                tail_rows[line] = len(rows)
            else:
                rows.append(row)
                numbers.append(number)
        return Mended(b"\n".join(rows), numbers, tail_rows)


@dataclass(frozen=True, slots=True)
class Mended:
    """A log with joined lines."""

    data: bytes
    numbers: Sequence[int]
    tail_rows: Mapping[int, int]
    """For each line that was joined to the previous one, its new line number."""


@dataclass(slots=True)
class _Rows:
    """The lines of a log while envelopes are being removed."""

    texts: list[str]
    numbers: list[int]
    envelopes: list[str] = field(default_factory=list)
    tails: set[int] = field(default_factory=set)
    """Indices of lines, whereas those of :class:`PlainLog` count from 1."""
    seams: set[int] = field(default_factory=set)
    fillers: set[int] = field(default_factory=set)
    gaps: set[int] = field(default_factory=set)
    cuts: set[int] = field(default_factory=set)
    dates: list[str] = field(default_factory=list)
    """The first date of each envelope that has any."""
    hosts: dict[str, set[int]] = field(default_factory=dict)


def opened(data: bytes) -> PlainLog:
    """Return the plain lines of a log."""
    text, is_converted = _decoded(data)
    texts = text.split("\n")
    rows = _Rows(texts, list(range(1, len(texts) + 1)), ["UTF-16"] if is_converted else [])
    is_record = _open_records(rows)
    if is_record and rows.texts and rows.texts[-1]:
        # A record holds a full line, so its end is not in doubt.
        rows.texts.append("")
        rows.numbers.append(rows.numbers[-1])
    if not is_record and _is_document(text):
        rows.texts = [text.rstrip("\r") for text in texts]
        return _plain(rows)
    rows.texts = [_printed(text) for text in rows.texts]
    _take_out_marks(rows)
    for _ in range(MAX_ENVELOPES):
        if not (_take_off(rows) or _take_off_indentation(rows)):
            break
    rows = _without_messages(rows)
    _take_off_prompts(rows)
    log = _plain(rows)
    return replace(log, joined=_joined(rows))


def _plain(rows: _Rows) -> PlainLog:
    return PlainLog(
        "\n".join(rows.texts).encode("utf-8", "surrogateescape"),
        rows.numbers or [1],  # the empty data still has one empty line
        tuple(dict.fromkeys(rows.envelopes)),
        frozenset(row + 1 for row in rows.tails),
        frozenset(row + 1 for row in rows.seams),
        frozenset(row + 1 for row in rows.fillers),
        frozenset(row + 1 for row in rows.gaps),
        frozenset(row + 1 for row in rows.cuts),
        next(filter(None, map(parse, rows.dates)), None),
        tuple(_changes(rows)),
        rows.hosts,
    )


def _decoded(data: bytes) -> tuple[str, bool]:
    """Return the text of a log, and whether it was UTF-16. Bytes that are not UTF-8 become lone
    surrogates."""
    # In most languages nearly every second byte is 0; some Windows consoles omit the byte order
    # mark.
    high_bytes = data[1:400:2]
    has_zeros = len(data) > 3 and high_bytes.count(0) > 0.9 * len(high_bytes) and data[0] != 0
    if data[:2] in (b"\xff\xfe", b"\xfe\xff") or has_zeros:
        codec = "utf-16-le" if has_zeros else "utf-16"
        return data.decode(codec, "replace").removeprefix("\ufeff"), True
    return data.decode("utf-8", "surrogateescape").removeprefix("\ufeff"), False


def _is_document(text: str) -> bool:
    """Return whether a text is a single JSON or XML document, all of whose lines are the program's
    own."""
    start = text.lstrip()[:2]
    if re.match("<[a-zA-Z!?]", start):
        return text.rstrip()[-1:] == ">"
    if start[:1] not in ("{", "["):
        return False
    try:
        msgspec.json.decode(text.encode("utf-8", "surrogateescape"), type=msgspec.Raw)
    except (msgspec.DecodeError, RecursionError):
        return False
    return True


def _open_records(rows: _Rows) -> bool:
    """Replace the records of LAVA's ``output.yaml`` and of ``journalctl -o json`` by their
    messages; return false if the log is neither."""
    first = next((text for text in rows.texts if text.strip()), "").strip()
    if _LAVA.fullmatch(first):
        read, name = _lava_message, "LAVA's output.yaml"
    elif first.startswith("{") and '"__REALTIME_TIMESTAMP"' in first:
        read, name = _journal_message, "journal as JSON"
    else:
        return False
    by_sender: dict[Sender, list[tuple[str, int]]] = {}
    for text, number in zip(rows.texts, rows.numbers, strict=True):
        record = read(text.strip())
        if record is None:
            continue
        when, sender, messages = record
        rows.dates += [] if rows.dates else [when]
        rows.hosts.setdefault(sender[0], set()).add(number)
        by_sender.setdefault(sender, []).extend(
            (_HALF.sub(DAMAGED, message), number) for message in messages
        )
    rows.envelopes.append(name)
    _arrange(rows, by_sender)
    return True


def _lava_message(text: str) -> tuple[str, Sender, list[str]] | None:
    """Return the time, the board and the output of a record, or ``None`` for LAVA's own
    messages."""
    match = _LAVA.fullmatch(text)
    if not match or match["level"] not in ("target", "feedback"):
        return None
    escaped = _ESCAPES.sub(
        lambda match: rf"\u00{match[1] or _YAML_ESCAPES.get(match[2], '0a')}", match["text"]
    )
    try:
        content = json.loads(escaped)
    except (ValueError, RecursionError):
        content = match["text"]  # YAML does not require quotation marks
    items = content if isinstance(content, list) else [content]
    messages = [line for item in items for line in str(item).rstrip("\n").split("\n")]
    return f"{match['when']}Z", (match["host"] or match["tag"] or "", ""), messages


def _journal_message(text: str) -> tuple[str, Sender, list[str]] | None:
    """Return the time, the sender and the lines of a record, or ``None`` for other lines."""
    try:
        record = json.loads(text)
        when = datetime.datetime.fromtimestamp(
            int(record["__REALTIME_TIMESTAMP"]) // 10**6, datetime.UTC
        )
        message = record.get("MESSAGE")
    except (
        ValueError,
        TypeError,
        KeyError,
        AttributeError,
        OverflowError,
        OSError,
        RecursionError,
    ):
        return None
    # The journal stores bytes that are not text, such as colours, as numbers.
    if isinstance(message, list):
        try:
            message = bytes(message).decode("utf-8", "surrogateescape")
        except (ValueError, TypeError):
            return None
    if not isinstance(message, str):
        return None
    sender = str(record.get("_HOSTNAME")), str(record.get("SYSLOG_IDENTIFIER"))
    return when.isoformat(), sender, message.split("\n")


def _arrange(rows: _Rows, by_sender: dict[Sender, list[tuple[str, int]]]) -> None:
    """Group the lines by sender, as those of two may alternate."""
    rows.texts, rows.numbers = [], []
    for lines in by_sender.values():
        # One sender's last line must not be continued by the next sender.
        if rows.texts:
            rows.texts.append("")
            rows.numbers.append(rows.numbers[-1])
        rows.texts += [text for text, _ in lines]
        rows.numbers += [number for _, number in lines]


def _printed(text: str) -> str:
    """Return a line as a terminal shows it, without colours and overwritten text."""
    if "\x1b" in text:
        text = _HARMLESS.sub("", text)
    if "\r" not in text:
        return text
    text = text.rstrip("\r")
    visible = ""
    for part in text.split("\r"):
        # If shorter text overwrites longer text, the rest of the latter may look like a figure.
        if part and len(part) < len(visible):
            return text
        visible = part if part.strip() else "" if part else visible
    return visible


def _take_out_marks(rows: _Rows) -> None:
    """Replace Markdown fences and the frame of ``script`` by empty lines."""
    fence: str | None = None
    for index, text in enumerate(rows.texts):
        if text.startswith("Script ") and (match := _SCRIPT.fullmatch(text)):
            rows.dates.append(match["when"].partition(" [")[0])
            rows.texts[index] = ""
            rows.envelopes.append("script")
        elif match := _FENCE.fullmatch(text):
            fence = match[1] if fence is None else None
            rows.texts[index] = ""
            rows.envelopes.append("fences")
        elif fence:
            rows.texts[index] = text.removeprefix(fence)


def _take_off(rows: _Rows) -> bool:
    """Remove the first envelope that fits nearly all lines; return false if none does."""
    filled = [text for text in rows.texts if text.strip()]
    for name, front in ENVELOPES:
        # Most envelopes fit none of the first lines, so the rest of a long log is not tried.
        if any(map(front.match, filled[:MAX_TRIED_LINES])) and _fits(front, filled):
            _strip(rows, name, front)
            return True
    return False


def _fits(front: re.Pattern[str], texts: Sequence[str]) -> bool:
    """Return whether nearly all lines begin like this, not counting messages of other programs."""
    others = [text for text in texts if not front.match(text)]
    foreign = sum(map(_is_message, others))
    return len(others) - foreign <= (1 - MIN_SHARE) * (len(texts) - foreign)


def _is_message(text: str) -> bool:
    return text[:1] in ("[", "<") and _MESSAGES.match(text) is not None


def _strip(rows: _Rows, name: str, front: re.Pattern[str]) -> None:
    groups = front.groupindex
    by_sender: dict[Sender, list[tuple[str, int]]] = {}
    sender: Sender = "", ""
    torn: list[int] = []
    has_date = "when" not in groups
    for index, text in enumerate(rows.texts):
        if match := front.match(text):
            if not has_date:
                rows.dates.append(match["when"])
                has_date = True
            if "host" in groups:
                sender = match["host"], match["tag"]
                rows.hosts.setdefault(sender[0], set()).add(rows.numbers[index])
            text = text[match.end() :]
        elif text.strip():
            # A line without the envelope may be the tail of the previous one.
            torn.append(index)
            if sender[0]:
                rows.hosts[sender[0]].add(rows.numbers[index])
        rows.texts[index] = text
        by_sender.setdefault(sender, []).append((text, rows.numbers[index]))
    rows.envelopes.append(name)
    if len(by_sender) > 1:
        # After lines have moved, their seams would point to other lines.
        for index in [*torn, *rows.seams]:
            rows.texts[index] = DAMAGED + rows.texts[index]
        _arrange(rows, by_sender)
        rows.seams.clear()
    else:
        rows.seams.update(torn)


def _take_off_indentation(rows: _Rows) -> bool:
    """Remove blanks that all lines begin with, if two or more, as some programs print one."""
    filled = [text for text in rows.texts if text.strip() and not _is_message(text)]
    width = min((len(text) - len(text.lstrip(" \t")) for text in filled), default=0)
    if width < 2 and not (filled and all(text[0] == "\t" for text in filled)):
        return False
    rows.texts = [text if _is_message(text) else text[width:] for text in rows.texts]
    rows.envelopes.append("indentation")
    return True


def _take_off_prompts(rows: _Rows) -> None:
    """Remove prompts. If they name several hosts, the lines after each belong to its host."""
    hosts: dict[str, set[int]] = {}
    lines_of_host: set[int] = set()
    for index, (text, number) in enumerate(zip(rows.texts, rows.numbers, strict=True)):
        if match := _PROMPT.match(text):
            rows.texts[index] = text[match.end() :]
            if host := match["host"] or match["in_brackets"]:
                lines_of_host = hosts.setdefault(host, set())
        lines_of_host.add(number)
    if len(hosts) > 1 and not rows.hosts:
        rows.hosts = hosts


def _without_messages(rows: _Rows) -> _Rows:
    """Return the lines without messages of kernel and systemd, and mark the rows that these cut."""
    plain = _Rows([], [], rows.envelopes, dates=rows.dates, hosts=rows.hosts)
    head: str | None = None
    is_tail = is_seam = False
    indentation = ""
    log_text = "\n".join(rows.texts)
    message_words = [words for words in _MESSAGE_WORDS if words in log_text]
    for index, (text, number) in enumerate(zip(rows.texts, rows.numbers, strict=True)):
        line = len(plain.texts)
        text = indentation + text
        indentation = ""
        match = _message(text) if any(words in text for words in message_words) else None
        is_seam = is_seam or index in rows.seams
        if match and not text[: match.start()].strip():
            is_seam = True
            indentation = text[: match.start()]  # of the row that the message interrupted
            if not _ends(text, match):
                plain.fillers.add(line)
                plain.texts.append(text)
                plain.numbers.append(number)
            continue
        if is_tail:
            plain.tails.add(line)
        elif is_seam and head is not None and text.strip():
            (plain.seams if head else plain.gaps).add(line)
        is_tail = is_seam = False
        head = text
        if match:
            at = match.start()
            # The next line does not continue a prompt.
            if not _PROMPT.fullmatch(text[:at].rstrip() + " "):
                is_tail = _ends(text, match)
                is_seam = not is_tail
                plain.cuts.add(line)
            text = f"{text[:at]}{DAMAGED}{text[at:]}"
        plain.texts.append(text)
        plain.numbers.append(number)
    if plain.texts != rows.texts:
        plain.envelopes.append("messages of other programs")
    return plain


def _message(text: str) -> re.Match[str] | None:
    match = _MESSAGES.search(text)
    return None if match and _QUOTED.search(text, 0, match.start()) else match


def _ends(text: str, message: re.Match[str]) -> bool:
    """Return whether a line ends with the message; if it ends in something like a figure, the rest
    of a row may follow."""
    is_systemd = message[0].endswith("] ") and message[0][:1] == "[" and "." not in message[0]
    if is_systemd and not text.rstrip().endswith((".", "…")):
        return False
    return not LIKE_FIGURE.search(text, message.end())


def _joined(rows: _Rows) -> PlainLog | None:
    """Return the log with lines joined that fill the width of a terminal."""
    width = max(map(len, rows.texts), default=0)
    if width not in _TERMINAL_WIDTHS:
        return None
    joined = _Rows(
        [], [], [*rows.envelopes, "line breaks of a terminal"], dates=rows.dates, hosts=rows.hosts
    )
    is_open = False
    begins: set[int] = set()
    marked = rows.seams | rows.tails | rows.fillers
    for index, (text, number) in enumerate(zip(rows.texts, rows.numbers, strict=True)):
        if is_open and index not in marked:
            joined.texts[-1] += text
            begins.add(joined.numbers[-1])
        else:
            for old, new in (
                (rows.seams, joined.seams),
                (rows.tails, joined.tails),
                (rows.fillers, joined.fillers),
                (rows.gaps, joined.gaps),
                (rows.cuts, joined.cuts),
            ):
                new.update({len(joined.texts)} if index in old else ())
            joined.texts.append(text)
            joined.numbers.append(number)
        is_open = len(text) == width and DAMAGED not in text
    return replace(_plain(joined), joined_lines=frozenset(begins)) if begins else None


def _changes(rows: _Rows) -> Iterator[tuple[str, str, str, int]]:
    """Yield the changes of kernel or board within the log, as in :attr:`PlainLog.mixed`."""
    seen: dict[str, str] = {}
    for text, number in zip(rows.texts, rows.numbers, strict=True):
        if "version" not in text and "model" not in text:
            continue
        for name, pattern in _CONTENTS.items():
            if match := pattern.search(text):
                if name in seen and seen[name] != match[1]:
                    yield name, seen[name], match[1], number
                seen[name] = match[1]
