"""The logs of bundles: their location, and single lines from them.

A bundle names a log and a line. The log may be in the archive that ``pack`` writes next to the
bundle, in the bundle's own container, or in its folder. Names from a bundle are only compared with
names of existing files; they never become paths."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from ..common.diagnostics import Diagnostic, visible
from . import containers
from .containers import COMPRESSED, CONTAINERS, DOCUMENTS, LOG_ARCHIVE, Source, Wanted, is_container
from .decode import Loaded
from .decompress import Limits

MAX_LINE_CHARS = 300
"""The length to which log lines are truncated for display."""

Lines = dict[int, str]


@dataclass(slots=True)
class Found:
    """Logs of one bundle: the location of each, the requested lines, safe to display, and
    diagnostics."""

    places: dict[str, str] = field(default_factory=dict)
    lines: dict[str, Lines] = field(default_factory=dict)
    diagnostics: list[Diagnostic] = field(default_factory=list)

    def text(self, file: str, line: int) -> str:
        """Return a line of a log, or an empty string if it is unavailable."""
        return self.lines.get(file, {}).get(line, "")


def digests(
    logs: Iterable[tuple[str, bytes]], limits: Limits
) -> tuple[dict[str, str], list[Diagnostic]]:
    """Return the SHA-256 of each log by name, decompressed, and a diagnostic for each one that a
    reader of the archive could not read."""
    out: dict[str, str] = {}
    diagnostics: list[Diagnostic] = []
    for name, data in logs:
        content, fault = data, ""
        if is_container(name):
            fault = "is a container"
        elif name.lower().endswith(COMPRESSED):
            (read,) = containers.read(Source("", name, Path(), content=data), limits)
            if isinstance(read, Diagnostic):
                fault = read.message
            else:
                content = read.data
        if fault:
            hint = "an archive of logs with it is refused; leave it out"
            diagnostics.append(Diagnostic("log-archive", name, fault, hint))
        else:
            out[name] = hashlib.sha256(content).hexdigest()
    return out, diagnostics


def wanted(item: Loaded, results: Collection[int] | None = None) -> dict[str, set[int]]:
    """Return the logs and lines that some results of a bundle, or all, refer to."""
    out: dict[str, set[int]] = {}
    item_results = item.results
    for index in range(len(item_results)) if results is None else results:
        if log := item_results.log(index):
            out.setdefault(log.file, set()).add(log.line)
    return out


def named(item: Loaded) -> set[str]:
    """Return the logs that a bundle names."""
    return {file for file in item.results.columns.logs if file}


def kept_in(item: Loaded, files: Collection[str]) -> Iterator[Path]:
    """Yield the existing files that :func:`find` may search for these logs."""
    path, _ = _location(item)
    if path is None:
        return
    yield from _containers(path)
    for name in sorted(files):
        if log := _in_folder(path.parent, name):
            yield log


def _containers(path: Path) -> list[Path]:
    """Return the containers that may hold the logs of a bundle."""
    packed = path.with_name(beside(path.name))
    places = [packed] if packed.is_file() and not packed.is_symlink() else []
    return [*places, path] if is_container(path.name) else places


def beside(name: str) -> str:
    """Return the name of the log archive for a result file."""
    stem = name
    for endings in (COMPRESSED, (*DOCUMENTS, *CONTAINERS)):
        for ending in sorted(endings, key=len, reverse=True):
            if stem.lower().endswith(ending):
                stem = stem[: -len(ending)]
                break
    return stem + LOG_ARCHIVE


def find(item: Loaded, lines: Mapping[str, Collection[int]], limits: Limits) -> Found:
    """Return the requested lines of a bundle's logs, wherever they are stored."""
    out = Found()
    path, member = _location(item)
    if path is None or not lines:
        return out
    folder = PurePosixPath(path.relative_to(item.root).parent).as_posix()
    prefix = "" if folder == "." else f"{folder}/"
    # The archive next to the bundle takes precedence: pack wrote it from the original logs.
    for container in _containers(path):
        inner = PurePosixPath(member).parent if container == path else PurePosixPath()
        # pack names logs relative to its own folder, other containers possibly relative to the
        # bundle's.
        names = {str(inner / name): name for name in lines} | {name: name for name in lines}
        origin = f"{prefix}{container.name}"
        for inner_file in members(container, limits, names.__contains__):
            if not isinstance(inner_file, Diagnostic):
                name, data = inner_file
                log = names[name]
                if log not in out.places and _is_packed(item, log, data, origin, out):
                    out.places[log] = f"{origin}!{name}"
                    out.lines[log] = _lines(data, lines[log])
            elif inner_file.kind != "refused-member":
                hint = "the figures are kept, without the text of their log lines; upload it again"
                text = f"the logs cannot be read: {inner_file.message}"
                out.diagnostics.append(
                    Diagnostic("log-archive", origin, text, hint, root=item.root)
                )
    for name in lines:
        beside_it = _in_folder(path.parent, name) if name not in out.places else None
        if beside_it and beside_it.stat().st_size <= limits.document:
            data = beside_it.read_bytes()
            if _is_packed(item, name, data, f"{prefix}{name}", out):
                out.places[name] = f"{prefix}{name}"
                out.lines[name] = _lines(data, lines[name])
    return out


def _is_packed(item: Loaded, name: str, data: bytes, origin: str, out: Found) -> bool:
    """Return whether a log matches the hash in the bundle, if any; add a diagnostic if not."""
    expected = item.bundle.logs.get(name)
    if not expected or hashlib.sha256(data).hexdigest() == expected:
        return True
    text = f"the log “{name}” is not the one that was packed with the bundle: its hash differs"
    hint = "the figures are kept, without the text of their log lines; upload it again"
    out.diagnostics.append(Diagnostic("log-archive", origin, text, hint, root=item.root))
    return False


def members(
    path: Path, limits: Limits, wanted: Wanted, name: str = ""
) -> Iterator[tuple[str, bytes] | Diagnostic]:
    """Yield the members of a log container with their bytes, under the same limits as containers of
    bundles. ``name`` overrides the path's name when determining the kind of container."""
    name = name or path.name
    if name.lower().endswith(LOG_ARCHIVE):
        name = f"{name[: -len(LOG_ARCHIVE)]}.tar.zst"
    for item in containers.read(Source("", name, path), limits, wanted):
        if isinstance(item, Diagnostic):
            yield item
        else:
            yield item.origin[len(name) + 1 :], item.data


def _location(item: Loaded) -> tuple[Path | None, str]:
    """Return the file that holds a bundle, and the name of the member if that file is a
    container."""
    # Names may themselves contain “!” and “#”, so existing files decide how to split the origin.
    root, origin = Path(item.root), item.origin
    head, mark, number = origin.rpartition("#")
    for name in (origin, head if mark and number.isdigit() else ""):
        if not name:
            continue
        if _is_file(root / name):
            return root / name, ""
        parts = name.split("!")
        for end in range(1, len(parts)):
            path = root / "!".join(parts[:end])
            if _is_file(path):
                return path, "!".join(parts[end:])
    return None, ""


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except OSError:  # the name of a member can be too long for the file system
        return False


def _in_folder(folder: Path, name: str) -> Path | None:
    """Return the regular file of this name below a folder, unless a symlink leads to it."""
    path = folder
    for part in name.split("/"):
        # The name comes from a bundle and could lead outside the folder.
        if part in ("", ".", "..") or "\\" in part or "\0" in part:
            return None
        path = path / part
        try:
            if path.is_symlink() or not path.exists():
                return None
        except OSError:  # a name that the file system refuses
            return None
    return path if path.is_file() else None


def _lines(data: bytes, numbers: Collection[int]) -> Lines:
    lines = data.split(b"\n")
    return {
        number: visible(
            lines[number - 1].decode("utf-8", "backslashreplace").strip(), MAX_LINE_CHARS
        )
        for number in numbers
        if number <= len(lines)
    }
