"""The inbox: valid uploads go to the results, others are set aside with the reason.

Each upload is copied to the results' file system under a random name and checked there, so that
exactly the checked bytes are published, whatever its sender does meanwhile. Only after it has been
renamed into place is it removed from the inbox. A killed process leaves it in one of the two
folders, or in both; the next run completes the work.
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

from ..bundles import containers, decode, logs, mixed_setups, supersede
from ..bundles.containers import CONTAINERS, DOCUMENTS, LOG_ARCHIVE, Source
from ..bundles.decode import Loaded
from ..bundles.decompress import Limits
from ..common import slugs
from ..common.diagnostics import Diagnostic, errors, visible
from ..common.units import with_noun
from . import transfer
from .stored_ids import TAKEN, StoredBundles
from .transfer import Copy, UnfitError

SIGNED_FOR = "perfguide"
"""The namespace of signatures (``ssh-keygen -Y sign -n perfguide``)."""

REASON, CHECKSUM, SIGNATURE = ".reason.txt", ".sha256", ".sig"
UNFINISHED = (".part", ".tmp", ".filepart", ".crdownload", "~")
"""Suffixes of files that programs have not finished writing."""

MAX_FOLDER_DEPTH = 20
"""The depth beyond which nested folders are not searched for uploads."""

_MAX_SIDE_FILE_BYTES = 64 * 1024
"""The size limit of a checksum or signature file."""
_PLAIN_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9._-]{0,149}")

Verdict = Literal["taken", "duplicate", "refused", "waiting", "failed"]


@dataclass(frozen=True, slots=True)
class Orders:
    """The folders of an inbox and the rules for its uploads.

    ``settle`` is the number of seconds for which a file must not have changed, ``patience`` the
    number for which a file waits for the upload that it belongs to. With ``signers`` (a file in the
    format of ``ssh-keygen``), signatures are checked; with ``require_signature``, each upload needs
    one.
    """

    inbox: Path
    results: Path
    rejected: Path
    settle: float = 10.0
    patience: float = 86_400.0
    signers: Path | None = None
    require_signature: bool = False
    limits: Limits = field(default_factory=Limits)
    matters: mixed_setups.Matters = mixed_setups.always
    """Selects the facts of the setup that distinguish figures."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """The outcome of one upload.

    ``upload`` is its name below the inbox, ``path`` the current location of its bytes, ``text`` a
    sentence about it.
    """

    upload: str
    verdict: Verdict
    text: str
    path: Path | None = None
    diagnostics: tuple[Diagnostic, ...] = ()


class RefusedError(Exception):
    """The reason for setting an upload aside."""

    def __init__(self, reason: str, diagnostics: Sequence[Diagnostic] = ()) -> None:
        super().__init__(reason)
        self.diagnostics = tuple(diagnostics)


@dataclass(frozen=True, slots=True)
class _Upload:
    """A file in the inbox and the files that belong to it (logs, checksums, signatures).

    ``folder`` is the descriptor of their folder, ``path`` the path of the file below the inbox.
    """

    folder: int
    name: str
    beside: tuple[str, ...]
    path: str


def run(orders: Orders) -> Iterator[Outcome]:
    """Go through the inbox once.

    Raises :class:`transfer.BusyError` if another process is doing so, :class:`SignersError` if the
    file of signers is damaged, and :class:`OSError` if a folder does not exist.
    """
    if orders.signers:
        check_signers(orders.signers)
    with transfer.locked(orders.results, orders.inbox):
        # We hold the lock, so partial files must come from a killed run.
        transfer.sweep(orders.results)
        transfer.sweep(orders.rejected)
        yield from _Intake(orders).outcomes()


class _Intake:
    """One pass over the inbox, with the stored bundles and its start time."""

    def __init__(self, orders: Orders) -> None:
        self._orders = orders
        self._stored = StoredBundles(orders.results, orders.limits)
        self._now = time.time()

    def outcomes(self) -> Iterator[Outcome]:
        inbox, rejected = self._orders.inbox, self._orders.rejected.absolute()
        for path, folders, _, descriptor in os.fwalk(inbox, follow_symlinks=False):
            folder = Path(path)
            below_inbox = folder.relative_to(inbox)
            if len(below_inbox.parts) >= MAX_FOLDER_DEPTH and folders:
                folders.clear()
                text = f"has folders nested more than {MAX_FOLDER_DEPTH} levels deep, which are not searched"
                yield Outcome(below_inbox.as_posix(), "failed", text)
            folders[:] = sorted(
                name
                for name in folders
                if not name.startswith(".") and (folder / name).absolute() != rejected
            )
            # os.fwalk lists symlinks to folders as folders; here they are files to refuse.
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
        """Process one file; return ``None`` if it is handled with the upload it belongs to."""
        holds_bundles = containers.is_document(name) or containers.is_container(name)
        if not holds_bundles and any(name in companions(other) for other in names - {name}):
            return None
        beside = [n for n in companions(name) if n in names] if holds_bundles else []
        upload = _Upload(folder, name, tuple(beside), path)
        # An upload is as old as its newest part: its sender may still be adding files.
        age = min(self._age(folder, n) for n in [name, *beside])
        belongs = name.endswith((LOG_ARCHIVE, CHECKSUM, SIGNATURE))
        if age < self._orders.settle:
            return Outcome(path, "waiting", "changed too recently")
        if belongs and not holds_bundles and age < self._orders.patience:
            return Outcome(path, "waiting", "waits for the upload that it belongs to")
        try:
            if not holds_bundles:
                kind = "is not a kind of file that contains bundles"
                raise RefusedError("belongs to no upload" if belongs else kind)
            return self._take(upload)
        except RefusedError as refused:
            return self._set_aside(upload, refused)

    def _age(self, folder: int, name: str) -> float:
        """Return the seconds since a file last changed, by a clock that its sender cannot set.

        A change in the future was made before our clock was set back, by at least that much.
        """
        return abs(self._now - os.stat(name, dir_fd=folder, follow_symlinks=False).st_ctime)

    def _take(self, upload: _Upload) -> Outcome:
        """Copy an upload to the results' file system, and store it if it is valid."""
        copies: dict[str, Copy] = {}
        try:
            for part in [upload.name, *upload.beside]:
                limit = self._byte_limit(part)
                copies[part] = transfer.copy(upload.folder, part, self._orders.results, limit)
            return self._store(upload, copies)
        except UnfitError as unfit:
            raise RefusedError(f"cannot be accepted: {unfit}") from None
        finally:
            for copy in copies.values():
                copy.path.unlink(missing_ok=True)

    def _byte_limit(self, name: str) -> int:
        if name.endswith((CHECKSUM, SIGNATURE)):
            return _MAX_SIDE_FILE_BYTES
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
        # Uploaded again, for example because the connection broke before our answer.
        if all(item.digest in digests for item, digests in zip(items, stored, strict=True)):
            origin = stored[0][items[0].digest]
            if packed in copies and copies[packed].digest != self._stored.logs_digest(origin):
                raise RefusedError(f"is already stored as {origin}, but not with these logs")
            _empty_inbox(upload, copies)
            text = f"is already stored as {origin}; it is removed from the inbox"
            return Outcome(upload.path, "duplicate", text, diagnostics=tuple(diagnostics))
        self._check_signatures(name, copies, items)
        for item, digests in zip(items, stored, strict=True):
            if digests and item.digest not in digests:
                others = ", ".join(sorted(digests.values()))
                raise RefusedError(
                    f"the id “{item.bundle.id}” is that of {others}, with different content; give "
                    "each run its own id, or withdraw the old one with “supersedes”"
                )
        self._check_setups(items)
        below = stored_name(items, name, copies[name].digest)
        target = self._orders.results / below
        # The bundle is published last: a build that sees it also sees its logs and signature.
        for part in (packed + SIGNATURE, packed, name + SIGNATURE, name):
            if part in copies:
                transfer.publish(copies[part].path, _renamed(part, name, target))
        self._stored.add(items, below.as_posix())
        _empty_inbox(upload, copies)
        results = sum(len(item.bundle.results) for item in items)
        content = f"{with_noun(len(items), 'bundle')} with {with_noun(results, 'result')}"
        return Outcome(upload.path, "taken", f"{content} in {below}", target, tuple(diagnostics))

    def _refuse_gone(self, items: Sequence[Loaded], stored: Sequence[Mapping[str, str]]) -> None:
        """Refuse a run that was withdrawn, or that was removed after it had been stored."""
        for item, digests in zip(items, stored, strict=True):
            name, owned_id = item.bundle.id, item.bundle.owned_id
            if not digests and (by := self._stored.withdrawn_by(owned_id)):
                raise RefusedError(
                    f"the run “{name}” has been withdrawn by “{by}”; measure again, and give the "
                    "new run its own id"
                )
            if not digests and self._stored.was_taken(owned_id):
                raise RefusedError(
                    f"the run “{name}” was stored before and has since been removed; give the run "
                    f"its own id, or remove the line of this id from {TAKEN} in the results"
                )

    def _read_bundles(self, copy: Copy, path: str) -> tuple[list[Loaded], list[Diagnostic]]:
        # Diagnostics name the file by its path in the inbox, which its sender knows.
        read = [*decode.upload(Source("", path, copy.path), self._orders.limits)]
        items = [item for item in read if isinstance(item, Loaded)]
        diagnostics = [item for item in read if isinstance(item, Diagnostic)]
        conflicts = [d for d in supersede.settle(items).diagnostics if d.kind == "conflict"]
        if errors([*diagnostics, *conflicts]):
            reason = "has faults; fix them and upload it again"
            raise RefusedError(reason, [*diagnostics, *conflicts])
        if not items:
            raise RefusedError("has no bundle")
        return items, diagnostics

    def _check_setups(self, items: Sequence[Loaded]) -> None:
        """Refuse figures of several setups under one name, within the upload or together with
        stored ones, and logs whose figures are already stored."""
        both = [*self._stored.beside(items), *items]
        counted = {item.digest for item in supersede.settle(both).bundles}
        # New bundles come last, so that findings about two bundles are attributed to them.
        findings = mixed_setups.find(
            [item for item in both if item.digest in counted], self._orders.matters
        )
        if mixed := [finding for finding in findings if finding.root == items[0].root]:
            reason = (
                "has figures of several setups, or of a stored log, under one name; separate them"
            )
            raise RefusedError(f"{reason} and upload again", mixed)

    def _check_logs(self, copy: Copy, name: str, items: Sequence[Loaded]) -> None:
        """Refuse logs that cannot be read or do not match the hashes in the bundles."""
        stated: dict[str, set[str]] = {}
        for item in items:
            for log, digest in item.bundle.logs.items():
                stated.setdefault(log, set()).add(digest)
        seen = set()
        for member in logs.members(copy.path, self._orders.limits, lambda _: True, name):
            if isinstance(member, Diagnostic):
                raise RefusedError(f"its logs, {name}, cannot be read: {member.message}")
            log, data = member
            digest = hashlib.sha256(data).hexdigest()
            if log in stated and digest not in stated[log]:
                expected = " or ".join(sorted(stated[log]))
                raise RefusedError(
                    f"the log “{log}” in {name} has the SHA-256 {digest}, but the "
                    f"bundle states {expected}; pack again and upload both"
                )
            if log not in stated and _holds_hashes(items):
                raise RefusedError(
                    f"the log “{log}” in {name} is not one of those that were packed with the "
                    "bundle; pack again and upload both"
                )
            seen.add(log)
        if missing := sorted(stated.keys() - seen):
            raise RefusedError(
                f"the log “{missing[0]}” is not in {name}, though it was packed with the bundle; "
                "pack again and upload both"
            )

    def _check_signatures(
        self, name: str, copies: dict[str, Copy], items: Sequence[Loaded]
    ) -> None:
        """Refuse parts without a valid signature of the runner named in the bundles.

        Logs need none if the bundles contain their hashes, as the signature of the bundle covers
        them.
        """
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
                        f"{part}: the signature is not valid for “{runner}”, the runner in the "
                        f"bundle; {self._orders.signers} needs a line with this name and its key, "
                        "and the file must not have changed since it was signed"
                    )

    def _set_aside(self, upload: _Upload, refused: RefusedError) -> Outcome:
        """Move an upload to the folder of rejected ones, next to a file with the reason.

        The reason is written first, so that no rejected upload ever lacks one.
        """
        rejected = self._orders.rejected
        rejected.mkdir(parents=True, exist_ok=True)
        # All rejected files are in one folder, where senders look for them by name.
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
    """Return whether each bundle has the hashes of its logs."""
    return all(item.bundle.logs for item in items)


def _is_finished_file(folder: int, name: str) -> bool:
    """Return whether a name in a folder is a file that has been written completely."""
    if name.startswith(".") or name.endswith(UNFINISHED):
        return False
    try:
        status = os.stat(name, dir_fd=folder, follow_symlinks=False)
    except FileNotFoundError:  # renamed by its sender meanwhile
        return False
    return not stat.S_ISDIR(status.st_mode)


def _empty_inbox(upload: _Upload, copies: dict[str, Copy]) -> None:
    """Remove an upload from the inbox, the bundle last: otherwise its companion files could be left
    waiting for a bundle that never comes."""
    for part in (*upload.beside, upload.name):
        transfer.remove(upload.folder, part, copies[part].identity)


def _check_checksums(copies: dict[str, Copy]) -> None:
    for part, copy in copies.items():
        if part + CHECKSUM in copies:
            # sha256sum writes the file name after the digits.
            stated = copies[part + CHECKSUM].path.read_bytes()[:64].decode("ascii", "replace")
            if stated.lower() != copy.digest:
                raise RefusedError(
                    f"{part} has the SHA-256 {copy.digest}, which differs from "
                    f"{part}{CHECKSUM}; upload it again"
                )


class SignersError(Exception):
    """The file of signers cannot be used; the message names the line and the fault."""


def check_signers(path: Path) -> None:
    """Check that each line in a file of signers has a key. Raises :class:`SignersError`.

    With a damaged file, every signature would look invalid and senders would be blamed.
    """
    has_signer = False
    for number, line in enumerate(path.read_bytes().splitlines(), 1):
        words = line.split()
        if not words or words[0].startswith(b"#"):
            continue
        if not any(_is_key(kind, key) for kind, key in pairwise(words[1:])):
            raise SignersError(f"{path}, line {number}: has no key; fix it, nothing was moved")
        has_signer = True
    if not has_signer:
        raise SignersError(f"{path}: names no signer; fix it, nothing was moved")


def _is_key(kind: bytes, key: bytes) -> bool:
    """Return whether two words are a public key: its type, and data that begins with that type."""
    try:
        data = base64.b64decode(key, validate=True)
    except ValueError:
        return False
    # As in the SSH protocol: a length, and the type of the key.
    return data[4 : 4 + int.from_bytes(data[:4], "big")] == kind


def _signed(path: Path, signature: Path, runner: str, signers: Path) -> bool:
    """Return whether ``ssh-keygen`` accepts a file's signature as that of a runner."""
    command = ["ssh-keygen", "-Y", "verify", "-f", str(signers), "-I", runner]
    command += ["-n", SIGNED_FOR, "-s", str(signature)]
    with path.open("rb") as data:
        done = subprocess.run(command, stdin=data, capture_output=True, check=False)
    return done.returncode == 0


def companions(name: str) -> list[str]:
    """Return the names of files that can belong to an upload."""
    packed = logs.beside(name)
    sides = [packed, packed + CHECKSUM, packed + SIGNATURE]
    return [*sides, name + CHECKSUM, name + SIGNATURE]


def stored_name(items: Sequence[Loaded], name: str, digest: str) -> PurePosixPath:
    """Return the path below the results at which to store an upload: folders for SoC, OS and
    release as far as all its bundles agree, then the bundle's id and hash."""
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
    # The longest match: “.json.gz” rather than “.gz”.
    endings = [*CONTAINERS, *(d + c for d in DOCUMENTS for c in ("", *containers.COMPRESSED))]
    ending = max((e for e in endings if name.lower().endswith(e)), key=len)
    return PurePosixPath(*folders, f"{words}-{digest[:16]}{ending}")


def _renamed(part: str, name: str, target: Path) -> Path:
    """Return the path of a part of the upload ``name`` if the upload is renamed to ``target``."""
    packed = logs.beside(name)
    if part.startswith(packed):
        return target.with_name(logs.beside(target.name) + part[len(packed) :])
    return target.with_name(target.name + part[len(name) :])
