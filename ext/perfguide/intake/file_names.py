"""Names of uploads: what belongs together, and what it is called where it is kept."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path, PurePosixPath

from ..bundles import containers, logs
from ..bundles.containers import CONTAINERS, DOCUMENTS
from ..bundles.decode import Loaded
from ..common import slugs

REASON = ".reason.txt"
CHECKSUM, SIGNATURE = ".sha256", ".sig"
UNFINISHED = (".part", ".tmp", ".filepart", ".crdownload", "~")
"""Endings under which programs write what is not yet all there."""

_PLAIN = re.compile(r"[A-Za-z0-9_][A-Za-z0-9._-]{0,149}")


def companions(name: str) -> list[str]:
    """The names of files that can belong to an upload."""
    packed = logs.beside(name)
    sides = [packed, packed + CHECKSUM, packed + SIGNATURE]
    return [*sides, name + CHECKSUM, name + SIGNATURE]


def derived(items: Sequence[Loaded], name: str, digest: str) -> PurePosixPath:
    """Where an upload is kept below the results: folders for SoC, OS and release
    as far as all of its bundles share them, then the bundle's id and hash."""
    about = [
        [item.bundle.board.soc for item in items],
        [item.bundle.sdk.os for item in items],
        [item.bundle.sdk.version for item in items],
    ]
    parts = []
    for names in about:
        if len(set(names)) > 1:
            parts.append("several")
            break
        parts.append(slugs.slugs(names[:1])[names[0]])
    first = items[0].bundle.id if len(items) == 1 else f"{len(items)} bundles"
    words = slugs.words(first)[:60].strip("-") or "bundle"
    return PurePosixPath(*parts, f"{words}-{digest[:16]}{_ending(name)}")


def _ending(name: str) -> str:
    """The ending that says what kind of file it is, in lower case."""
    known = [*CONTAINERS, *(d + c for d in DOCUMENTS for c in ("", *containers.COMPRESSED))]
    return max((e for e in known if name.lower().endswith(e)), key=len)


def aside(upload: str) -> str:
    """What a refused upload is called: its own name where that is plain."""
    plain = upload.replace("/", "-")
    return plain if _PLAIN.fullmatch(plain) else slugs.hashed(upload)


def home(part: str, name: str, target: Path) -> Path:
    """What belongs to an upload, beside the upload's new name."""
    packed = logs.beside(name)
    if part.startswith(packed):
        return target.with_name(logs.beside(target.name) + part[len(packed) :])
    return target.with_name(target.name + part[len(name) :])
