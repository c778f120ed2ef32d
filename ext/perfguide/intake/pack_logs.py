"""Packing a board's logs into one bundle, with the line in the log for each figure."""

from __future__ import annotations

import datetime
import hashlib
import io
import lzma
import re
import tarfile
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import msgspec
import zstandard

from .. import bundle as schema
from ..adapters import Context, Format, Reading, Scalar, log_dates, read_log
from ..adapters.envelope import PlainLog, opened
from ..bundle import Board, Bundle, Result, Runner, Sdk
from ..bundles import logs as logs_of_bundles
from ..bundles.decompress import Capped, LimitError, Limits, decompressed
from ..bundles.faults import Fault, validate
from ..common.diagnostics import Diagnostic
from ..common.path_hints import nearest_path
from . import runner_notes

ENVIRONMENT = "environment.json"
MAX_LOG_BYTES = 256 * 1024**2
"""The size from which a log is not read."""

# Lines of iperf also begin with "[".
_JSON_START = re.compile(rb'\s*[\[{]\s*["{]')
_NUMBER = re.compile(rb"(?<![A-Za-z0-9_])[0-9]")

PARTS: dict[str, type[msgspec.Struct]] = {"sdk": Sdk, "board": Board, "runner": Runner}


@dataclass(frozen=True)
class LogFile:
    """A log: its name in the bundle, and its bytes."""

    name: str
    data: bytes
    lines: Sequence[int] | None = None
    """The lines to read, in order; ``None`` for all."""

    @cached_property
    def plain(self) -> PlainLog:
        """Its lines, with all envelopes removed."""
        if self.lines is None:
            return opened(self.data)
        rows = self.data.split(b"\n")
        return opened(b"\n".join(rows[line - 1] for line in self.lines)).numbered(self.lines)


@dataclass(frozen=True, slots=True)
class UnreadLine:
    """A line with a number that no format understood. ``format`` is the one that last understood a
    line before it, or the first of the log."""

    number: int
    text: str
    format: str


@dataclass(frozen=True, slots=True)
class LogReport:
    """The outcome of reading one log. ``rest`` counts the non-empty lines that no format
    understood; ``unread`` are those of them with numbers."""

    log: LogFile
    formats: tuple[str, ...]
    results: int
    rest: int
    diagnostics: tuple[Diagnostic, ...]
    unread: tuple[UnreadLine, ...] = ()


@dataclass(frozen=True, slots=True)
class Packed:
    """A bundle made from logs, or ``None``, with reports and diagnostics."""

    bundle: Bundle | None
    reports: tuple[LogReport, ...]
    diagnostics: tuple[Diagnostic, ...]


@dataclass(frozen=True, slots=True)
class Stated:
    """Facts stated by the person who packs: keys of a bundle such as ``board.name`` or ``id``,
    parameters of results, and notes about the run."""

    facts: Mapping[str, Scalar] = field(default_factory=dict)
    params: Mapping[str, Scalar] = field(default_factory=dict)
    notes: Sequence[str] = ()


def find(paths: Sequence[Path]) -> tuple[list[LogFile], dict[str, Any], list[Diagnostic]]:
    """Return the logs below some paths, the content of any ``environment.json`` among them, and
    diagnostics for files that cannot be read. Hidden files are skipped."""
    logs: dict[str, LogFile] = {}
    environment: dict[str, Any] = {}
    diagnostics: list[Diagnostic] = []
    for top in paths:
        if not top.exists():
            hint = nearest_path(top)
            diagnostics.append(Diagnostic("missing-path", str(top), "there is no such file", hint))
            continue
        # Sorted, because the first log with a fact wins.
        files = sorted(p for p in top.rglob("*") if p.is_file()) if top.is_dir() else [top]
        for path in files:
            name = path.relative_to(top).as_posix() if top.is_dir() else path.name
            name = _without_halves(name)
            if any(part.startswith(".") for part in Path(name).parts):
                continue
            if path.stat().st_size > MAX_LOG_BYTES:
                message = f"is larger than {MAX_LOG_BYTES} bytes"
                diagnostics.append(Diagnostic("limit", name, message, "split the log"))
                continue
            try:
                data = _content(path)
            except LimitError as error:
                diagnostics.append(Diagnostic("limit", name, str(error), "split the log"))
                continue
            except (OSError, EOFError, lzma.LZMAError, zlib.error, zstandard.ZstdError) as error:
                message = f"cannot be decompressed: {error}"
                hint = "pack the uncompressed log, or copy it again"
                diagnostics.append(Diagnostic("unreadable", name, message, hint))
                continue
            if _is_packed(path):
                name = name.removesuffix(path.suffix)
            if path.name == ENVIRONMENT:
                try:
                    environment |= msgspec.json.decode(data, type=dict[str, Any])
                except msgspec.MsgspecError as error:
                    hint = "fix it, or remove it and give its values as options"
                    diagnostics.append(Diagnostic("syntax", name, f"is not JSON: {error}", hint))
                continue
            # Logs in two folders may share a name, but results must point to the right one.
            while name in logs and logs[name].data != data:
                name = f"{Path(top.name) / name}" if not name.startswith(top.name) else f"{name}+"
            logs[name] = LogFile(name, data)
    return list(logs.values()), environment, diagnostics


def _is_packed(path: Path) -> bool:
    """Return whether a file is a single compressed log rather than an archive."""
    return path.suffix.lower() in (".gz", ".xz", ".zst") and path.with_suffix("").suffix != ".tar"


def _content(path: Path) -> bytes:
    """Return the bytes of a log, decompressed from gzip, xz or zstd."""
    if not _is_packed(path):
        return path.read_bytes()
    limits = Limits(document=MAX_LOG_BYTES)
    with path.open("rb") as file, decompressed(path.name, file, limits) as stream:
        capped = Capped(stream, MAX_LOG_BYTES, path.stat().st_size, limits.ratio)
        return b"".join(iter(lambda: capped.read(2**20), b""))


def divided(logs: Sequence[LogFile], stated: Stated) -> tuple[list[LogFile], list[Diagnostic]]:
    """Restrict logs from several boards or kernels to the lines of the stated one. Return the logs,
    and a note for each restricted one."""
    parts: list[LogFile] = []
    notes: list[Diagnostic] = []
    for log in logs:
        lines, name = _part(log.plain, stated.facts)
        parts.append(replace(log, lines=lines) if lines else log)
        if lines:
            message = (
                f"is from several boards or kernels: only the {len(lines)} lines of {name} are read"
            )
            notes.append(Diagnostic("log-note", log.name, message))
    return parts, notes


def _part(log: PlainLog, facts: Mapping[str, Scalar]) -> tuple[list[int], str]:
    """Return the lines of the stated board or kernel, and its name; nothing if the log is from only
    one board and kernel, or from others."""
    board, kernel = str(facts.get("board.name", "")), str(facts.get("sdk.kernel", ""))
    if len(log.hosts) > 1 and board in log.hosts:
        return sorted(log.hosts[board]), board
    changes = [(old, new, line) for fact, old, new, line in log.mixed if fact == "kernel"]
    if kernel not in {name for old, new, _ in changes for name in (old, new)}:
        return [], ""
    names = [changes[0][0], *(new for _, new, _ in changes)]
    starts = [1, *(line for *_, line in changes), log.numbers[-1] + 1]
    spans = zip(names, starts, starts[1:], strict=False)
    return [line for name, a, b in spans if name == kernel for line in range(a, b)], kernel


def read(
    log: LogFile, stated: Stated, formats: Sequence[Format]
) -> tuple[LogReport, list[Reading]]:
    """Read one log with each of its formats."""
    about = {key: value for key, value in stated.facts.items() if "." in key}
    context = Context(log.name, dict(stated.params), about)
    readings = read_log.read(log.plain, formats, context)
    mixed = _mixture(log, readings)
    readings = [] if mixed else readings
    names = tuple(form.name for form in formats)
    # Several formats may read different parts of one log.
    format_of = {
        number: name
        for name, reading in zip(names, readings, strict=bool(readings))
        for number in reading.lines
    }
    rest = 0
    unread: list[UnreadLine] = []
    name = names[0] if names else ""
    for number, row in zip(log.plain.numbers, log.plain.data.split(b"\n"), strict=True):
        name = format_of.get(number, name)
        if number not in format_of and row.strip():
            rest += 1
            if _NUMBER.search(row):
                unread.append(UnreadLine(number, row.decode("utf-8", "replace"), name))
    report = LogReport(
        log,
        names,
        sum(len(reading.results) for reading in readings),
        rest,
        (*mixed, *_cut_json(log, names), *(d for reading in readings for d in reading.diagnostics)),
        tuple(unread),
    )
    return report, readings


def _cut_json(log: LogFile, formats: Sequence[str]) -> list[Diagnostic]:
    """Return a fault if no format reads the log because its JSON is truncated."""
    if formats or not _JSON_START.match(log.data):
        return []
    try:
        msgspec.json.decode(log.data, type=msgspec.Raw)
    except RecursionError:
        return []
    except msgspec.DecodeError as error:
        # Several documents in one file are not truncated.
        if "truncated" in str(error):
            message, hint = "ends in the middle of its JSON", "copy the log again"
            return [Diagnostic("log-row", log.name, message, hint)]
    return []


def _mixture(log: LogFile, readings: Sequence[Reading]) -> list[Diagnostic]:
    """Return a fault if the log has figures of two kernels or boards."""
    lines = [result.log.line for reading in readings for result in reading.results if result.log]
    split = "none of its figures are read; split the log, and pack each part separately"
    for fact, old, new, line in log.plain.mixed:
        if any(number < line for number in lines) and any(number > line for number in lines):
            message = f"this log has figures of two {fact}s: “{old}”, and from this line “{new}”"
            hint = f"{split}, or name one with --kernel" if fact == "kernel" else split
            return [Diagnostic("log-row", log.name, message, hint, line=line)]
    lines_of_hosts = log.plain.hosts.items()
    firsts = {host: min(of_host) for host, at in lines_of_hosts if (of_host := at & {*lines})}
    if len(firsts) > 1:
        places = ", ".join(f"{host} (line {line})" for host, line in [*firsts.items()][:5])
        message = f"this log has figures of several boards: {places}"
        hint = f"{split}, or name one with --board"
        return [Diagnostic("log-row", log.name, message, hint)]
    return []


@dataclass(slots=True)
class _Contents:
    """The contents of all logs, and remarks on their dates."""

    reports: list[LogReport] = field(default_factory=list)
    results: list[Result] = field(default_factory=list)
    facts: dict[str, Scalar] = field(default_factory=dict)
    dates: list[Diagnostic] = field(default_factory=list)


def _read_all(
    logs: Sequence[LogFile], stated: Stated, formats: Mapping[str, Sequence[Format]]
) -> _Contents:
    """Read each log once, even if there are copies of it."""
    out = _Contents()
    first_names: dict[bytes, str] = {}
    for log in logs:
        first_name = first_names.setdefault(log.data, log.name)
        if first_name != log.name and log.data.strip():
            # A copy is not a second run, as two runs never produce exactly the same log.
            message = f"is a copy of {first_name}: its figures count once"
            copy = Diagnostic("log-note", log.name, message)
            out.reports.append(LogReport(log, ("a copy",), 0, 0, (copy,)))
            continue
        report, readings = read(log, stated, formats.get(log.name, ()))
        # The first dated log decides, as the logs of one run are only minutes apart.
        if "created" not in out.facts and readings:
            out.facts |= _date(log, readings, out.dates)
        out.reports.append(report)
        for reading in readings:
            out.results += reading.results
            out.facts = {**reading.facts, **out.facts}
    return out


def pack(
    logs: Sequence[LogFile],
    environment: Mapping[str, Any],
    stated: Stated,
    formats: Mapping[str, Sequence[Format]],
    now: datetime.datetime,
) -> Packed:
    """Make one bundle from all logs.

    Stated facts take precedence over ``environment.json``, which takes precedence over the logs.
    ``formats`` lists the formats for each log's name; ``now`` dates the run if nothing else does.
    """
    note_logs = [
        log for log in logs if runner_notes.is_ours(log.name) and not formats.get(log.name)
    ]
    contents = _read_all([log for log in logs if log not in note_logs], stated, formats)
    reports, results = contents.reports, contents.results
    with_notes = runner_notes.noted([(log.name, log.data) for log in note_logs], results)
    for log in note_logs:
        rest = with_notes.left_over[log.name]
        reports.append(LogReport(log, ("notes of perfguide's runner",), 0, rest, ()))
    content = _nested(contents.facts)
    _merge(content, _nested(_environment_facts(environment)))
    _merge(content, _nested(stated.facts))
    dates = contents.dates
    if "created" in stated.facts or "created" in environment:
        dates = []
    elif "created" not in content:
        hint = "give it with --created"
        message = "no log says when the run took place, so it gets the current time"
        dates = [Diagnostic("log-note", "the bundle", message, hint)]
    # The first log with a fact wins, in the order of names.
    content.setdefault("created", now.isoformat(timespec="seconds"))
    content |= {"format": schema.FORMAT, "version": schema.VERSION}
    content["results"] = [msgspec.to_builtins(result) for result in with_notes.results]
    notes = [*({"text": text} for text in stated.notes), *msgspec.to_builtins(with_notes.notes)]
    content |= {"notes": notes} if notes else {}
    try:
        msgspec.json.encode(content)
    except UnicodeEncodeError:
        content = without_halves(content)
    content.setdefault("id", _derived_id(content))
    # Logs are added after the id is derived, so that the same figures keep their id.
    packed_logs = [(report.log.name, report.log.data) for report in reports]
    content["logs"], unread = logs_of_bundles.digests(packed_logs, Limits(document=MAX_LOG_BYTES))
    bundle, faults = _checked(msgspec.json.encode(content))
    missing = {"/sdk": "--sdk and --os", "/board": "--board and --soc", "": "--board, --soc, --sdk"}
    diagnostics = [*dates, *unread]
    for fault in faults:
        hint = fault.hint
        if fault.message.endswith("is missing") and fault.pointer in missing:
            hint = f"give it with {missing[fault.pointer]}, or in {ENVIRONMENT}"
        diagnostics.append(Diagnostic(fault.kind, "the bundle", fault.message, hint, fault.pointer))
    return Packed(bundle if results else None, tuple(reports), tuple(diagnostics))


def _checked(data: bytes) -> tuple[Bundle | None, list[Fault]]:
    """Return a bundle, or ``None`` and its faults, whose search takes long."""
    try:
        return schema.decode(data), []
    except (msgspec.MsgspecError, ValueError, RecursionError):
        return validate(data)


def _date(log: LogFile, readings: Sequence[Reading], notes: list[Diagnostic]) -> dict[str, Scalar]:
    """Return the date that a log states, with a note, as the person has not confirmed it."""
    for reading in readings:
        if created := reading.facts.get("created"):
            message = f"the run is dated {created}, according to this log"
            notes.append(Diagnostic("log-note", log.name, message))
            return {"created": created}
    date, line, source = log.plain.date, None, "the first date before the lines"
    if not date:
        if not (dated_line := log_dates.find(log.plain.data)):
            return {}
        date, number = dated_line
        line, source = log.plain.numbers[number - 1], "this line"
    message = f"the run is dated {date.created}, according to {source}"
    hint = "" if date.has_zone else "it has no known time zone, so UTC is assumed"
    notes.append(Diagnostic("log-note", log.name, message, hint, line=line))
    return {"created": date.created}


def without_halves(value: Any) -> Any:
    """Replace lone surrogates in the values of a bundle by U+FFFD.

    Logs contain bytes that are not text; format readers pass them on as lone surrogates, which JSON
    cannot contain.
    """
    if isinstance(value, str):
        return _without_halves(value)
    if isinstance(value, dict):
        return {without_halves(key): without_halves(inner) for key, inner in value.items()}
    return [without_halves(inner) for inner in value] if isinstance(value, list) else value


def _without_halves(text: str) -> str:
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def _nested(facts: Mapping[str, Scalar]) -> dict[str, Any]:
    """Turn facts with dotted keys into the nested objects of a bundle."""
    content: dict[str, Any] = {}
    for key, value in facts.items():
        part, dot, inner = key.partition(".")
        if not dot:
            content[key] = value
        elif part in ("tools", "setup") or inner in getattr(
            PARTS.get(part), "__struct_fields__", ()
        ):
            content.setdefault(part, {})[inner] = value
        else:
            # Keys missing from the schema are kept under “tools”, where any name is allowed.
            content.setdefault("tools", {})[key] = value
    return content


def _environment_facts(environment: Mapping[str, Any]) -> dict[str, Scalar]:
    """Return the content of an ``environment.json`` under dotted keys. Values for which a bundle
    has no key go to its tools; nothing is dropped."""
    facts: dict[str, Scalar] = {}
    for part, value in environment.items():
        if isinstance(value, dict):
            scalars = {k: v for k, v in value.items() if isinstance(v, str | int | float | bool)}
            facts |= {f"{part}.{key}": inner for key, inner in scalars.items()}
        elif isinstance(value, str | int | float | bool):
            facts[part if part in ("created", "id") else f"tools.{part}"] = value
    return facts


def _merge(below: dict[str, Any], above: Mapping[str, Any]) -> None:
    for key, value in above.items():
        if isinstance(value, dict) and isinstance(below.get(key), dict):
            below[key] |= value
        else:
            below[key] = value


def _derived_id(content: Mapping[str, Any]) -> str:
    """Derive an id for the run from its content; the same logs give the same id."""
    about = [content.get("board", {}).get("soc"), content.get("board", {}).get("name")]
    about += [content.get("sdk", {}).get("version"), str(content["created"])[:10]]
    digits = hashlib.sha256(msgspec.json.encode(content, order="sorted")).hexdigest()[:10]
    # Keep the end, because it has the digits that distinguish ids.
    return "-".join([*(str(part) for part in about if part), digits])[-200:]


def archive(logs: Sequence[LogFile]) -> bytes:
    """Return the logs as ``.tar.zst``; the same logs give the same bytes."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", format=tarfile.PAX_FORMAT) as container:
        for log in sorted(logs, key=lambda log: log.name):
            # No times, owners or other modes, which would differ between machines.
            member = tarfile.TarInfo(log.name)
            member.size, member.mode = len(log.data), 0o644
            container.addfile(member, io.BytesIO(log.data))
    return zstandard.ZstdCompressor(level=10).compress(buffer.getvalue())
