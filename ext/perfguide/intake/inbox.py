"""Uploads in an inbox: the sound ones to the results, the others aside with the reason.

Each upload is copied into the results' file system under a name of no meaning,
and judged there: what is published is what was checked, whatever its sender does
meanwhile. Then it is renamed, and only then removed from the inbox. A process
that is killed leaves it in one of the two places, or in both; the next run ends
what it had begun.
"""

from __future__ import annotations

import base64
import hashlib
import os
import re
import stat
import subprocess
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path, PurePosixPath
from typing import Literal

from ..bundles import containers, decode, logs, supersede
from ..bundles.containers import CONTAINERS, DOCUMENTS, LOG_ARCHIVE, Source
from ..bundles.decode import Loaded
from ..bundles.decompress import Limits
from ..common import slugs
from ..common.diagnostics import Diagnostic, errors, visible
from . import transfer
from .stored_ids import TAKEN, StoredBundles
from .transfer import Copy, UnfitError

SIGNED_FOR = "perfguide"
"""The namespace of signatures (``ssh-keygen -Y sign -n perfguide``)."""

REASON, CHECKSUM, SIGNATURE = ".reason.txt", ".sha256", ".sig"
UNFINISHED = (".part", ".tmp", ".filepart", ".crdownload", "~")
"""Endings under which programs write what is not yet all there."""

DEEPEST = 20
"""Folders below one another in which uploads are looked for."""

_SMALL = 64 * 1024
"""The most bytes of a checksum or a signature."""
_PLAIN_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9._-]{0,149}")

Verdict = Literal["taken", "duplicate", "refused", "waiting", "failed"]


@dataclass(frozen=True, slots=True)
class Orders:
    """Where uploads come from and go to. ``settle`` is for how many seconds a
    file must not have changed; ``patience`` for how many a file waits for the
    upload that it belongs to. With ``signers`` (a file as ``ssh-keygen`` takes it)
    signatures are checked, with ``require_signature`` each upload must have one."""

    inbox: Path
    results: Path
    rejected: Path
    settle: float = 10.0
    patience: float = 86_400.0
    signers: Path | None = None
    require_signature: bool = False
    limits: Limits = field(default_factory=Limits)


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one upload. ``upload`` is its name below the inbox, ``place``
    where its bytes are now, ``text`` what there is to say."""

    upload: str
    verdict: Verdict
    text: str
    place: Path | None = None
    diagnostics: tuple[Diagnostic, ...] = ()


class RefusedError(Exception):
    """Why an upload is set aside."""

    def __init__(self, reason: str, diagnostics: Sequence[Diagnostic] = ()) -> None:
        super().__init__(reason)
        self.diagnostics = tuple(diagnostics)


@dataclass(frozen=True, slots=True)
class _Upload:
    """A file of the inbox and what belongs to it (logs, checksums, signatures).

    ``folder`` is the descriptor of the folder they are in, ``path`` the file below the inbox.
    """

    folder: int
    name: str
    beside: tuple[str, ...]
    path: str


def run(orders: Orders) -> Iterator[Outcome]:
    """Go through the inbox once. Raises :class:`transfer.BusyError` where another
    process does so already, :class:`SignersError` where the file of signers is damaged, and
    :class:`OSError` where a folder is not there."""
    if orders.signers:
        check_signers(orders.signers)
    with transfer.locked(orders.results, orders.inbox):
        transfer.sweep(orders.results)
        transfer.sweep(orders.rejected)
        yield from _Intake(orders).outcomes()


class _Intake:
    """One way through the inbox: what was asked for, what is stored, and when it began."""

    def __init__(self, orders: Orders) -> None:
        self._orders = orders
        self._stored = StoredBundles(orders.results, orders.limits)
        self._now = time.time()

    def outcomes(self) -> Iterator[Outcome]:
        inbox, rejected = self._orders.inbox, self._orders.rejected.absolute()
        for path, folders, _, descriptor in os.fwalk(inbox, follow_symlinks=False):
            folder = Path(path)
            below_inbox = folder.relative_to(inbox)
            if len(below_inbox.parts) >= DEEPEST and folders:
                folders.clear()
                text = f"holds folders at a depth of more than {DEEPEST}; they are not looked at"
                yield Outcome(below_inbox.as_posix(), "failed", text)
            folders[:] = sorted(
                name
                for name in folders
                if not name.startswith(".") and (folder / name).absolute() != rejected
            )
            # Not what os.fwalk calls files: a link to a folder is none of those.
            with os.scandir(descriptor) as entries:
                names = {e.name for e in entries if _is_finished_file(descriptor, e.name)}
            for name in sorted(names):
                below = (below_inbox / name).as_posix()
                try:
                    outcome = self._outcome(descriptor, name, names, below)
                except OSError as error:
                    text = f"stays in the inbox: {error.strerror or error}"
                    outcome = Outcome(below, "failed", text)
                if outcome:
                    yield outcome

    def _outcome(self, folder: int, name: str, names: set[str], path: str) -> Outcome | None:
        """What becomes of one file; ``None`` where it goes with the upload it belongs to."""
        holds_bundles = containers.is_document(name) or containers.is_container(name)
        if not holds_bundles and any(name in companions(other) for other in names - {name}):
            return None
        beside = [n for n in companions(name) if n in names] if holds_bundles else []
        upload = _Upload(folder, name, tuple(beside), path)
        age = min(self._age(folder, n) for n in [name, *beside])
        belongs = name.endswith((LOG_ARCHIVE, CHECKSUM, SIGNATURE))
        if age < self._orders.settle:
            return Outcome(path, "waiting", "is too young")
        if belongs and not holds_bundles and age < self._orders.patience:
            return Outcome(path, "waiting", "waits for the upload that it belongs to")
        try:
            if not holds_bundles:
                kind = "is no kind of file that holds bundles"
                raise RefusedError("belongs to no upload" if belongs else kind)
            return self._take(upload)
        except RefusedError as refused:
            return self._set_aside(upload, refused)

    def _age(self, folder: int, name: str) -> float:
        """Seconds since the file was last changed, by a clock that its sender cannot set.

        A change in the future was made before this clock was put back, by at least so much.
        """
        return abs(self._now - os.stat(name, dir_fd=folder, follow_symlinks=False).st_ctime)

    def _take(self, upload: _Upload) -> Outcome:
        """Copy an upload to the results' file system, and store it where it is sound."""
        copies: dict[str, Copy] = {}
        try:
            for part in [upload.name, *upload.beside]:
                limit = self._most_bytes(part)
                copies[part] = transfer.copy(upload.folder, part, self._orders.results, limit)
            return self._store(upload, copies)
        except UnfitError as unfit:
            raise RefusedError(f"is not read: {unfit}") from None
        finally:
            for copy in copies.values():
                copy.path.unlink(missing_ok=True)

    def _most_bytes(self, name: str) -> int:
        if name.endswith((CHECKSUM, SIGNATURE)):
            return _SMALL
        limits = self._orders.limits
        return limits.document if name.lower().endswith(DOCUMENTS) else limits.container

    def _store(self, upload: _Upload, copies: dict[str, Copy]) -> Outcome:
        name, packed = upload.name, logs.beside(upload.name)
        _check_checksums(copies)
        items, diagnostics = self._read_bundles(copies[name], upload.path)
        if packed in copies:
            self._check_logs(copies[packed], packed, items)
        stored = [self._stored.digests(item.bundle.owned_id) for item in items]
        self._refuse_gone(items, stored)
        if all(item.digest in digests for item, digests in zip(items, stored, strict=True)):
            origin = stored[0][items[0].digest]
            if packed in copies and copies[packed].digest != self._stored.logs_digest(origin):
                raise RefusedError(f"is stored already as {origin}, but not with these logs")
            _empty_inbox(upload, copies)
            text = f"is stored already as {origin}; it is removed from the inbox"
            return Outcome(upload.path, "duplicate", text, diagnostics=tuple(diagnostics))
        self._check_signatures(name, copies, items)
        for item, digests in zip(items, stored, strict=True):
            if digests and item.digest not in digests:
                others = ", ".join(sorted(digests.values()))
                raise RefusedError(
                    f"the id “{item.bundle.id}” is that of {others}, with other content; give "
                    "each run an id of its own, or withdraw the old one by “supersedes”"
                )
        below = stored_name(items, name, copies[name].digest)
        target = self._orders.results / below
        # The bundle comes last: a build that sees it sees all that belongs to it.
        for part in (packed + SIGNATURE, packed, name + SIGNATURE, name):
            if part in copies:
                transfer.publish(copies[part].path, _renamed(part, name, target))
        self._stored.add(items, below.as_posix())
        _empty_inbox(upload, copies)
        count = sum(len(item.bundle.results) for item in items)
        what = f"{len(items)} {'bundle' if len(items) == 1 else 'bundles'} with {count} results"
        return Outcome(upload.path, "taken", f"{what} in {below}", target, tuple(diagnostics))

    def _refuse_gone(self, items: Sequence[Loaded], stored: Sequence[Mapping[str, str]]) -> None:
        """Refuse a run that was withdrawn, or stored once and removed since."""
        for item, digests in zip(items, stored, strict=True):
            name, owned_id = item.bundle.id, item.bundle.owned_id
            if not digests and (by := self._stored.withdrawn_by(owned_id)):
                raise RefusedError(
                    f"the run “{name}” has been withdrawn by “{by}”; measure again, and give the "
                    "new run an id of its own"
                )
            if not digests and self._stored.was_taken(owned_id):
                raise RefusedError(
                    f"the run “{name}” was stored once and has been removed since; give the run "
                    f"an id of its own, or take the line of this id out of {TAKEN} in the results"
                )

    def _read_bundles(self, copy: Copy, path: str) -> tuple[list[Loaded], list[Diagnostic]]:
        # Diagnostics name files as their sender knows them.
        read = [*decode.upload(Source("", path, copy.path), self._orders.limits)]
        items = [item for item in read if isinstance(item, Loaded)]
        diagnostics = [item for item in read if isinstance(item, Diagnostic)]
        conflicts = [d for d in supersede.settle(items).diagnostics if d.kind == "conflict"]
        if errors([*diagnostics, *conflicts]):
            reason = "has faults; fix them and upload it again"
            raise RefusedError(reason, [*diagnostics, *conflicts])
        if not items:
            raise RefusedError("holds no bundle")
        return items, diagnostics

    def _check_logs(self, copy: Copy, name: str, items: Sequence[Loaded]) -> None:
        """Refuse logs that cannot be read, or are not those that the bundles have hashes of."""
        stated: dict[str, set[str]] = {}
        for item in items:
            for log, digest in item.bundle.logs.items():
                stated.setdefault(log, set()).add(digest)
        found = set()
        for member in logs.members(copy.path, self._orders.limits, lambda _: True, name):
            if isinstance(member, Diagnostic):
                raise RefusedError(f"its logs, {name}, cannot be read: {member.message}")
            log, data = member
            digest = hashlib.sha256(data).hexdigest()
            if log in stated and digest not in stated[log]:
                said = " or ".join(sorted(stated[log]))
                raise RefusedError(
                    f"the log “{log}” in {name} has the SHA-256 {digest}, and not {said}, as the "
                    "bundle says; pack again and upload both"
                )
            if log not in stated and _holds_hashes(items):
                raise RefusedError(
                    f"the log “{log}” in {name} is none of those that were packed with the "
                    "bundle; pack again and upload both"
                )
            found.add(log)
        if missing := sorted(stated.keys() - found):
            raise RefusedError(
                f"the log “{missing[0]}” is not in {name}, though it was packed with the bundle; "
                "pack again and upload both"
            )

    def _check_signatures(
        self, name: str, copies: dict[str, Copy], items: Sequence[Loaded]
    ) -> None:
        """Refuse what the runner that the bundles name has not signed, or its logs, which the
        signature of bundles that have their hashes holds for too."""
        if self._orders.signers is None:
            return
        runners = sorted({i.bundle.runner.name if i.bundle.runner else "" for i in items})
        for part in (name, logs.beside(name)):
            if part not in copies:
                continue
            if part + SIGNATURE not in copies:
                needed = part == name or not _holds_hashes(items)
                if self._orders.require_signature and needed:
                    raise RefusedError(f"{part} is not signed: there is no {part}{SIGNATURE}")
                continue
            if runners == [""]:
                raise RefusedError("is signed, but does not name the runner who should have signed")
            for runner in runners:
                signature = copies[part + SIGNATURE].path
                if not _signed(copies[part].path, signature, runner, self._orders.signers):
                    raise RefusedError(
                        f"{part}: the signature is not a good one of “{runner}”, the runner in the "
                        f"bundle; {self._orders.signers} needs a line with this name and its key, "
                        "and the file must be as it was signed"
                    )

    def _set_aside(self, upload: _Upload, refused: RefusedError) -> Outcome:
        """Move an upload aside, with the reason beside it, which comes first: what
        is there always has one."""
        rejected = self._orders.rejected
        rejected.mkdir(parents=True, exist_ok=True)
        plain = upload.path.replace("/", "-")
        plain = plain if _PLAIN_NAME.fullmatch(plain) else slugs.hashed(upload.path)
        number = 1
        while True:
            target = rejected / (plain if number == 1 else f"{number}-{plain}")
            parts = (upload.name, *upload.beside)
            targets = {part: _renamed(part, upload.name, target) for part in parts}
            if not any(os.path.lexists(path) for path in targets.values()):
                break
            number += 1
        lines = [f"{upload.path}: {refused}", *map(str, refused.diagnostics)]
        reason = "".join(f"{visible(line)}\n" for line in lines).encode()
        transfer.write(reason, target.with_name(target.name + REASON))
        for part, path in targets.items():
            transfer.move(upload.folder, part, path)
        return Outcome(upload.path, "refused", str(refused), target, refused.diagnostics)


def _holds_hashes(items: Sequence[Loaded]) -> bool:
    """Whether each bundle has the hashes of its logs."""
    return all(item.bundle.logs for item in items)


def _is_finished_file(folder: int, name: str) -> bool:
    """Whether a name of a folder is no folder, and not that of what is still being written."""
    if name.startswith(".") or name.endswith(UNFINISHED):
        return False
    try:
        status = os.stat(name, dir_fd=folder, follow_symlinks=False)
    except FileNotFoundError:  # its sender has renamed it meanwhile
        return False
    return not stat.S_ISDIR(status.st_mode)


def _empty_inbox(upload: _Upload, copies: dict[str, Copy]) -> None:
    """Take an upload out of the inbox. It goes last: without it, what belongs
    to it would wait for it in vain."""
    for part in (*upload.beside, upload.name):
        transfer.remove(upload.folder, part, copies[part].identity)


def _check_checksums(copies: dict[str, Copy]) -> None:
    for part, copy in copies.items():
        if part + CHECKSUM in copies:
            stated = copies[part + CHECKSUM].path.read_bytes()[:64].decode("ascii", "replace")
            if stated.lower() != copy.digest:
                raise RefusedError(
                    f"{part} has the SHA-256 {copy.digest}, and not what {part}{CHECKSUM} "
                    "says; upload it again"
                )


class SignersError(Exception):
    """The file of signers cannot be used; it says where and why."""


def check_signers(path: Path) -> None:
    """Look whether each line of a file of signers names a key. Raises :class:`SignersError`:
    with a damaged file every signature would look bad, and its sender would get the blame."""
    count = 0
    for number, line in enumerate(path.read_bytes().splitlines(), 1):
        words = line.split()
        if not words or words[0].startswith(b"#"):
            continue
        if not any(_is_key(kind, key) for kind, key in pairwise(words[1:])):
            raise SignersError(f"{path}, line {number}: has no key; fix it, nothing was moved")
        count += 1
    if not count:
        raise SignersError(f"{path}: names no signer; fix it, nothing was moved")


def _is_key(kind: bytes, key: bytes) -> bool:
    """Whether two words are a public key: its kind, and the same kind in what is encoded."""
    try:
        data = base64.b64decode(key, validate=True)
    except ValueError:
        return False
    return data[4 : 4 + int.from_bytes(data[:4], "big")] == kind


def _signed(path: Path, signature: Path, runner: str, signers: Path) -> bool:
    """Whether a file has a good signature of a runner, as ``ssh-keygen`` says."""
    command = ["ssh-keygen", "-Y", "verify", "-f", str(signers), "-I", runner]
    command += ["-n", SIGNED_FOR, "-s", str(signature)]
    with path.open("rb") as data:
        done = subprocess.run(command, stdin=data, capture_output=True, check=False)
    return done.returncode == 0


def companions(name: str) -> list[str]:
    """The names of files that can belong to an upload."""
    packed = logs.beside(name)
    sides = [packed, packed + CHECKSUM, packed + SIGNATURE]
    return [*sides, name + CHECKSUM, name + SIGNATURE]


def stored_name(items: Sequence[Loaded], name: str, digest: str) -> PurePosixPath:
    """Where an upload is stored below the results: folders for SoC, OS and release
    as far as all of its bundles share them, then the bundle's id and hash."""
    about = [
        [item.bundle.board.soc for item in items],
        [item.bundle.sdk.os for item in items],
        [item.bundle.sdk.version for item in items],
    ]
    folders = []
    for names in about:
        if len(set(names)) > 1:
            folders.append("several")
            break
        folders.append(slugs.slugs(names[:1])[names[0]])
    first = items[0].bundle.id if len(items) == 1 else f"{len(items)} bundles"
    words = slugs.words(first)[:60].strip("-") or "bundle"
    endings = [*CONTAINERS, *(d + c for d in DOCUMENTS for c in ("", *containers.COMPRESSED))]
    ending = max((e for e in endings if name.lower().endswith(e)), key=len)
    return PurePosixPath(*folders, f"{words}-{digest[:16]}{ending}")


def _renamed(part: str, name: str, target: Path) -> Path:
    """What a part of the upload ``name`` is called where the upload is called ``target``."""
    packed = logs.beside(name)
    if part.startswith(packed):
        return target.with_name(logs.beside(target.name) + part[len(packed) :])
    return target.with_name(target.name + part[len(name) :])
