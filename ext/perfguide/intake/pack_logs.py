"""Logs of a board to one bundle, each figure with its line in its log."""

from __future__ import annotations

import datetime
import hashlib
import io
import tarfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import msgspec
import zstandard

from .. import bundle as schema
from ..adapters import Context, Format, Reading, Scalar
from ..bundle import Board, Bundle, Result, Runner, Sdk
from ..bundles import decode
from ..common.diagnostics import Diagnostic

ENVIRONMENT = "environment.json"
MOST_BYTES = 256 * 1024**2
"""The size of one log, in bytes, beyond which it is not read."""

PARTS: dict[str, type[msgspec.Struct]] = {"sdk": Sdk, "board": Board, "runner": Runner}


@dataclass(frozen=True, slots=True)
class Log:
    """One log: its name in the bundle, and its bytes."""

    name: str
    data: bytes


@dataclass(frozen=True, slots=True)
class Read:
    """What became of one log. ``rest`` counts the lines with something in them
    that no format understood."""

    log: Log
    formats: tuple[str, ...]
    results: int
    rest: int
    diagnostics: tuple[Diagnostic, ...]


@dataclass(frozen=True, slots=True)
class Packed:
    """A bundle made from logs, or ``None`` with the reasons."""

    bundle: Bundle | None
    reads: tuple[Read, ...]
    diagnostics: tuple[Diagnostic, ...]


@dataclass(frozen=True, slots=True)
class Told:
    """What the person who packs has said: keys of a bundle such as ``board.name``
    or ``id``, parameters of results, and the formats to take."""

    facts: Mapping[str, Scalar] = field(default_factory=dict)
    params: Mapping[str, Scalar] = field(default_factory=dict)
    formats: tuple[Format, ...] = ()


def find(paths: Sequence[Path]) -> tuple[list[Log], dict[str, Any], list[Diagnostic]]:
    """The logs below the paths, what an ``environment.json`` among them says, and
    what could not be read. Hidden files are passed over."""
    logs: dict[str, Log] = {}
    environment: dict[str, Any] = {}
    diagnostics: list[Diagnostic] = []
    for top in paths:
        if not top.exists():
            diagnostics.append(Diagnostic("missing-path", str(top), "there is no such file"))
            continue
        files = sorted(p for p in top.rglob("*") if p.is_file()) if top.is_dir() else [top]
        for path in files:
            name = path.relative_to(top).as_posix() if top.is_dir() else path.name
            if any(part.startswith(".") for part in Path(name).parts):
                continue
            if path.stat().st_size > MOST_BYTES:
                message = f"is larger than {MOST_BYTES} bytes"
                diagnostics.append(Diagnostic("limit", name, message, "split the log"))
                continue
            data = path.read_bytes()
            if path.name == ENVIRONMENT:
                try:
                    found = msgspec.json.decode(data, type=dict[str, Any])
                except msgspec.MsgspecError as error:
                    diagnostics.append(Diagnostic("syntax", name, f"is not JSON: {error}"))
                else:
                    environment |= found
                continue
            while name in logs and logs[name].data != data:
                name = f"{Path(top.name) / name}" if not name.startswith(top.name) else f"{name}+"
            logs[name] = Log(name, data)
    return list(logs.values()), environment, diagnostics


def read(log: Log, told: Told, recognised: Sequence[Format]) -> tuple[Read, list[Reading]]:
    """One log through each of its formats."""
    about = {key: value for key, value in told.facts.items() if "." in key}
    context = Context(log.name, dict(told.params), about)
    readings = [form.read(log.data, context) for form in recognised]
    understood: set[int] = set()
    for reading in readings:
        understood |= reading.lines
    filled = {n for n, line in enumerate(log.data.split(b"\n"), start=1) if line.strip()}
    report = Read(
        log,
        tuple(form.name for form in recognised),
        sum(len(reading.results) for reading in readings),
        len(filled - understood),
        tuple(d for reading in readings for d in reading.diagnostics),
    )
    return report, readings


def pack(
    logs: Sequence[Log],
    environment: Mapping[str, Any],
    told: Told,
    recognised: Mapping[str, Sequence[Format]],
    now: datetime.datetime,
) -> Packed:
    """One bundle from all logs.

    What the person says goes before what ``environment.json`` says, and that
    before what the logs themselves state. ``recognised`` gives for each log's
    name the formats to read it by; ``now`` is when the packing is done, which
    counts where nothing else says when the run was.
    """
    reads: list[Read] = []
    results: list[Result] = []
    facts: dict[str, Scalar] = {}
    for log in logs:
        report, readings = read(log, told, recognised.get(log.name, ()))
        reads.append(report)
        for reading in readings:
            results += reading.results
            facts = {**reading.facts, **facts}
    plain = _plain(facts)
    _merge(plain, _known(environment))
    _merge(plain, _plain(told.facts))
    plain.setdefault("created", now.isoformat(timespec="seconds"))
    plain |= {"format": schema.FORMAT, "version": schema.VERSION}
    plain["results"] = [msgspec.to_builtins(result) for result in results]
    plain = whole(plain)
    plain.setdefault("id", _name(plain))
    found, faults = decode.validate(msgspec.json.encode(plain))
    diagnostics = [Diagnostic(f.kind, "the bundle", f.message, f.hint, f.pointer) for f in faults]
    missing = {"/sdk": "--sdk and --os", "/board": "--board and --soc", "": "--board, --soc, --sdk"}
    for index, fault in enumerate(faults):
        if fault.message.endswith("is missing") and fault.pointer in missing:
            told_by = f"say it with {missing[fault.pointer]}, or in {ENVIRONMENT}"
            diagnostics[index] = replace(diagnostics[index], hint=told_by)
    return Packed(found if results else None, tuple(reads), tuple(diagnostics))


def whole(value: Any) -> Any:
    """Values of a bundle with U+FFFD in the place of each half of a surrogate pair.

    Logs hold bytes that are no text; readers of formats pass them on as such halves,
    and no JSON text can hold them.
    """
    if isinstance(value, str):
        return value.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    if isinstance(value, dict):
        return {whole(key): whole(inner) for key, inner in value.items()}
    return [whole(inner) for inner in value] if isinstance(value, list) else value


def _plain(facts: Mapping[str, Scalar]) -> dict[str, Any]:
    """Facts under dotted keys as the nested objects of a bundle."""
    out: dict[str, Any] = {}
    for key, value in facts.items():
        part, dot, inner = key.partition(".")
        if not dot:
            out[key] = value
        elif part == "tools" or inner in getattr(PARTS.get(part), "__struct_fields__", ()):
            out.setdefault(part, {})[inner] = value
        else:
            out.setdefault("tools", {})[key] = value
    return out


def _known(environment: Mapping[str, Any]) -> dict[str, Any]:
    """What a bundle can hold of an ``environment.json``; other plain statements
    about the board go to its tools, nothing is dropped."""
    facts: dict[str, Scalar] = {}
    for part, value in environment.items():
        if isinstance(value, dict):
            for key, inner in value.items():
                if isinstance(inner, str | int | float | bool):
                    facts[f"{part}.{key}"] = inner
        elif isinstance(value, str | int | float | bool):
            facts[part if part in ("created", "id") else f"tools.{part}"] = value
    return _plain(facts)


def _merge(below: dict[str, Any], above: Mapping[str, Any]) -> None:
    for key, value in above.items():
        if isinstance(value, dict) and isinstance(below.get(key), dict):
            below[key] |= value
        else:
            below[key] = value


def _name(plain: Mapping[str, Any]) -> str:
    """An id for the run, made from what it is about: the same logs, the same id."""
    about = [plain.get("board", {}).get("soc"), plain.get("board", {}).get("name")]
    about += [plain.get("sdk", {}).get("version"), str(plain["created"])[:10]]
    digits = hashlib.sha256(msgspec.json.encode(plain, order="sorted")).hexdigest()[:10]
    return "-".join([*(str(part) for part in about if part), digits])[-200:]


def archive(logs: Sequence[Log]) -> bytes:
    """The logs as ``.tar.zst``; the same logs give the same bytes."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", format=tarfile.PAX_FORMAT) as container:
        for log in sorted(logs, key=lambda each: each.name):
            member = tarfile.TarInfo(log.name)
            member.size, member.mode = len(log.data), 0o644
            container.addfile(member, io.BytesIO(log.data))
    return zstandard.ZstdCompressor(level=10).compress(buffer.getvalue())
