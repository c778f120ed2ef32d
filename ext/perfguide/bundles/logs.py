"""The logs that belong to bundles: where they are kept, and single lines of them.

A bundle names a log and a line. The log is looked for in the archive that
``pack`` leaves beside the bundle, in the container that the bundle came in, and
in the folder of the bundle. A name from a bundle is compared with names that are
there; it never becomes a path by itself.
"""

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

LONGEST = 300
"""The characters of a line that are shown."""

Lines = dict[int, str]


@dataclass(slots=True)
class Found:
    """Logs of one bundle: for each that was found the place where it is kept,
    and the lines that were asked for, as text that is safe to show."""

    places: dict[str, str] = field(default_factory=dict)
    lines: dict[str, Lines] = field(default_factory=dict)
    diagnostics: list[Diagnostic] = field(default_factory=list)

    def text(self, file: str, line: int) -> str:
        """A line of a log, or an empty string where it is not known."""
        return self.lines.get(file, {}).get(line, "")


def digests(
    logs: Iterable[tuple[str, bytes]], limits: Limits
) -> tuple[dict[str, str], list[Diagnostic]]:
    """The SHA-256 of each log, by its name, as whoever reads it from an archive gets it: without
    its compression. What nobody can read has none, but a diagnostic."""
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
    """The logs that a bundle names, with the lines; of some of its results, or of all."""
    out: dict[str, set[int]] = {}
    own = item.results
    for index in range(len(own)) if results is None else results:
        if log := own.log(index):
            out.setdefault(log.file, set()).add(log.line)
    return out


def named(item: Loaded) -> set[str]:
    """The logs that a bundle names."""
    return {file for file in item.results.columns.logs if file}


def kept_in(item: Loaded, files: Collection[str]) -> Iterator[Path]:
    """The files that :func:`find` may look into for some logs of a bundle, as far as they are
    there."""
    path, _ = _place(item)
    if path is None:
        return
    yield from _containers(path)
    for name in sorted(files):
        if log := _in_folder(path.parent, name):
            yield log


def _containers(path: Path) -> list[Path]:
    """What can hold the logs of a bundle besides its folder."""
    packed = path.with_name(beside(path.name))
    places = [packed] if packed.is_file() and not packed.is_symlink() else []
    return [*places, path] if is_container(path.name) else places


def beside(name: str) -> str:
    """The name of the log archive that belongs to a result file."""
    stem = name
    for endings in (COMPRESSED, (*DOCUMENTS, *CONTAINERS)):
        for ending in sorted(endings, key=len, reverse=True):
            if stem.lower().endswith(ending):
                stem = stem[: -len(ending)]
                break
    return stem + LOG_ARCHIVE


def find(item: Loaded, asked: Mapping[str, Collection[int]], limits: Limits) -> Found:
    """The lines that are asked for, from wherever the bundle's logs are kept."""
    found = Found()
    path, member = _place(item)
    if path is None or not asked:
        return found
    folder = PurePosixPath(path.relative_to(item.root).parent).as_posix()
    shown = "" if folder == "." else f"{folder}/"
    for container in _containers(path):
        inner = PurePosixPath(member).parent if container == path else PurePosixPath()
        names = {str(inner / name): name for name in asked} | {name: name for name in asked}
        place = f"{shown}{container.name}"
        for each in members(container, limits, names.__contains__):
            if not isinstance(each, Diagnostic):
                name, data = each
                log = names[name]
                if log not in found.places and _is_packed(item, log, data, place, found):
                    found.places[log] = f"{place}!{name}"
                    found.lines[log] = _lines(data, asked[log])
            elif each.kind != "refused-member":
                hint = "the figures are kept, without the text of their log lines; upload it again"
                text = f"the logs cannot be read: {each.message}"
                found.diagnostics.append(
                    Diagnostic("log-archive", place, text, hint, root=item.root)
                )
    for name in asked:
        beside_it = _in_folder(path.parent, name) if name not in found.places else None
        if beside_it and beside_it.stat().st_size <= limits.document:
            data = beside_it.read_bytes()
            if _is_packed(item, name, data, f"{shown}{name}", found):
                found.places[name] = f"{shown}{name}"
                found.lines[name] = _lines(data, asked[name])
    return found


def _is_packed(item: Loaded, name: str, data: bytes, place: str, found: Found) -> bool:
    """Whether a log is the one that the bundle has the hash of, or it has none; says so where it
    is another one."""
    wanted_digest = item.bundle.logs.get(name)
    if not wanted_digest or hashlib.sha256(data).hexdigest() == wanted_digest:
        return True
    text = f"the log “{name}” is not the one that was packed with the bundle: its hash differs"
    hint = "the figures are kept, without the text of their log lines; upload it again"
    found.diagnostics.append(Diagnostic("log-archive", place, text, hint, root=item.root))
    return False


def members(
    path: Path, limits: Limits, wanted: Wanted, name: str = ""
) -> Iterator[tuple[str, bytes] | Diagnostic]:
    """The members of a container of logs with their bytes, read as containers of
    bundles are. ``name`` says what kind of container it is, where the path's own
    name does not."""
    name = name or path.name
    if name.lower().endswith(LOG_ARCHIVE):
        name = f"{name[: -len(LOG_ARCHIVE)]}.tar.zst"
    for item in containers.read(Source("", name, path), limits, wanted):
        if isinstance(item, Diagnostic):
            yield item
        else:
            yield item.origin[len(name) + 1 :], item.data


def _place(item: Loaded) -> tuple[Path | None, str]:
    """The file that a bundle came in, and the member's name where it is a container."""
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
    except OSError:  # the name of a member may be one that no file system takes
        return False


def _in_folder(folder: Path, name: str) -> Path | None:
    """A regular file of this name below a folder, reached through no link."""
    path = folder
    for part in name.split("/"):
        if part in ("", ".", "..") or "\\" in part or "\0" in part:
            return None
        path = path / part
        try:
            if path.is_symlink() or not path.exists():
                return None
        except OSError:  # a name that no file system takes
            return None
    return path if path.is_file() else None


def _lines(data: bytes, asked: Collection[int]) -> Lines:
    found = data.split(b"\n")
    return {
        number: visible(found[number - 1].decode("utf-8", "backslashreplace").strip(), LONGEST)
        for number in asked
        if number <= len(found)
    }
