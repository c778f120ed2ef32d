"""Uploads in an inbox: the sound ones to the results, the others aside with the reason.

Each upload is copied into the results' file system under a name of no meaning,
and judged there: what is published is what was checked, whatever its sender does
meanwhile. Then it is renamed, and only then removed from the inbox. A process
that is killed leaves it in one of the two places, or in both; the next run ends
what it had begun.
"""

from __future__ import annotations

import os
import stat
import subprocess
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from ..bundles import containers, decode, logs, supersede
from ..bundles.containers import DOCUMENTS, LOG_ARCHIVE, Source
from ..bundles.decode import Loaded
from ..bundles.decompress import Limits
from ..common.diagnostics import Diagnostic, errors, visible
from . import file_names, stored_ids, transfer
from .file_names import CHECKSUM, SIGNATURE
from .transfer import Copy, UnfitError

SIGNED_FOR = "perfguide"
"""The namespace of signatures (``ssh-keygen -Y sign -n perfguide``)."""

_SMALL = 64 * 1024

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


def run(orders: Orders) -> Iterator[Outcome]:
    """Go through the inbox once. Raises :class:`transfer.BusyError` where another
    process does so already, and :class:`OSError` where a folder is not there."""
    with transfer.locked(orders.results, orders.inbox):
        transfer.sweep(orders.results)
        transfer.sweep(orders.rejected)
        yield from _Intake(orders).walk()


class _Intake:
    def __init__(self, orders: Orders) -> None:
        self.orders = orders
        self.stored = stored_ids.Shelf(orders.results, orders.limits)
        self.now = time.time()

    def walk(self) -> Iterator[Outcome]:
        inbox, aside = self.orders.inbox, self.orders.rejected
        for path, folders, _, descriptor in os.fwalk(inbox, follow_symlinks=False):
            folder = Path(path)
            folders[:] = sorted(
                name
                for name in folders
                if not name.startswith(".") and (folder / name).absolute() != aside.absolute()
            )
            below = folder.relative_to(inbox)
            # Not what os.fwalk calls files: a link to a folder is none of those.
            with os.scandir(descriptor) as entries:
                names = {e.name for e in entries if self._is_upload(descriptor, e.name)}
            for name in sorted(names):
                try:
                    outcome = self._one(descriptor, name, names, (below / name).as_posix())
                except OSError as error:
                    reason = error.strerror or str(error)
                    text = f"stays in the inbox: {reason}"
                    outcome = Outcome((below / name).as_posix(), "failed", text)
                if outcome:
                    yield outcome

    def _is_upload(self, folder: int, name: str) -> bool:
        if name.startswith(".") or name.endswith(file_names.UNFINISHED):
            return False
        try:
            found = os.stat(name, dir_fd=folder, follow_symlinks=False)
        except FileNotFoundError:  # its sender has renamed it meanwhile
            return False
        return not stat.S_ISDIR(found.st_mode)

    def _one(self, folder: int, name: str, names: set[str], upload: str) -> Outcome | None:
        """One file: an upload with all that belongs to it, or what belongs to one."""
        main = containers.is_document(name) or containers.is_container(name)
        owners = {n for n in names if name in file_names.companions(n) and n != name}
        if owners and not main:
            return None  # it goes with its upload
        beside = [n for n in file_names.companions(name) if n in names] if main else []
        age = min(self._age(folder, n) for n in [name, *beside])
        belongs = name.endswith((LOG_ARCHIVE, CHECKSUM, SIGNATURE))
        if age < self.orders.settle:
            return Outcome(upload, "waiting", "is too young")
        if belongs and not main and age < self.orders.patience:
            return Outcome(upload, "waiting", "waits for the upload that it belongs to")
        try:
            if not main:
                what = (
                    "belongs to no upload" if belongs else "is no kind of file that holds bundles"
                )
                raise RefusedError(what)
            return self._take(folder, name, beside, upload)
        except RefusedError as refused:
            return self._set_aside(folder, name, beside, upload, refused)

    def _age(self, folder: int, name: str) -> float:
        """Seconds since the file was last changed, by a clock that its sender cannot set."""
        return self.now - os.stat(name, dir_fd=folder, follow_symlinks=False).st_ctime

    def _take(self, folder: int, name: str, beside: list[str], upload: str) -> Outcome:
        copies: dict[str, Copy] = {}
        try:
            for part in [name, *beside]:
                limit = _SMALL if part.endswith((CHECKSUM, SIGNATURE)) else self._limit(part)
                copies[part] = transfer.copy(folder, part, self.orders.results, limit)
            return self._judge(folder, name, copies, upload)
        except UnfitError as unfit:
            raise RefusedError(f"is not read: {unfit}") from None
        finally:
            for copy in copies.values():
                copy.path.unlink(missing_ok=True)

    def _limit(self, name: str) -> int:
        plain = name.lower().endswith(DOCUMENTS)
        return self.orders.limits.document if plain else self.orders.limits.container

    def _judge(self, folder: int, name: str, copies: dict[str, Copy], upload: str) -> Outcome:
        self._checksums(copies)
        items, found = self._bundles(copies[name], upload)
        packed = logs.beside(name)
        if packed in copies:
            self._logs(copies[packed], packed)
        known = [self.stored.digests(item.bundle.id) for item in items]
        if all(item.digest in digests for item, digests in zip(items, known, strict=True)):
            origin = known[0][items[0].digest]
            if packed in copies and copies[packed].digest != self.stored.logs_digest(items, known):
                raise RefusedError(f"is stored already as {origin}, but not with these logs")
            self._empty(folder, name, copies)
            text = f"is stored already as {origin}; it is removed from the inbox"
            return Outcome(upload, "duplicate", text, diagnostics=tuple(found))
        self._signatures(name, copies, items)
        for item, digests in zip(items, known, strict=True):
            if digests and item.digest not in digests:
                others = ", ".join(sorted(digests.values()))
                raise RefusedError(
                    f"the id “{item.bundle.id}” is that of {others}, with other content; give "
                    "each run an id of its own, or withdraw the old one by “supersedes”"
                )
        target = file_names.derived(items, name, copies[name].digest)
        place = self.orders.results / target
        side = place.with_name(logs.beside(place.name))
        for part, home in (
            (packed + SIGNATURE, side.with_name(side.name + SIGNATURE)),
            (packed, side),
            (name + SIGNATURE, place.with_name(place.name + SIGNATURE)),
            # The bundle comes last: a build that sees it sees all that belongs to it.
            (name, place),
        ):
            if part in copies:
                transfer.publish(copies[part].path, home)
        self.stored.add(items, target.as_posix())
        self._empty(folder, name, copies)
        count = sum(len(item.bundle.results) for item in items)
        what = f"{len(items)} {'bundle' if len(items) == 1 else 'bundles'} with {count} results"
        text = f"{what} in {target}"
        return Outcome(upload, "taken", text, place, tuple(found))

    def _empty(self, folder: int, name: str, copies: dict[str, Copy]) -> None:
        """Take an upload out of the inbox. It goes last: without it, what belongs
        to it would wait for it in vain."""
        for part in [*(p for p in copies if p != name), name]:
            transfer.remove(folder, part, copies[part].identity)

    def _checksums(self, copies: dict[str, Copy]) -> None:
        for part, copy in copies.items():
            if part + CHECKSUM in copies:
                said = copies[part + CHECKSUM].path.read_bytes()[:64].decode("ascii", "replace")
                if said.lower() != copy.digest:
                    raise RefusedError(
                        f"{part} has the SHA-256 {copy.digest}, and not what {part}{CHECKSUM} "
                        "says; upload it again"
                    )

    def _bundles(self, copy: Copy, upload: str) -> tuple[list[Loaded], list[Diagnostic]]:
        items: list[Loaded] = []
        found: list[Diagnostic] = []
        # Places are told as the sender knows them.
        for item in decode.upload(Source("", upload, copy.path), self.orders.limits):
            if isinstance(item, Diagnostic):
                found.append(item)
            else:
                items.append(item)
        conflicts = [d for d in supersede.settle(items).diagnostics if d.kind == "conflict"]
        if errors([*found, *conflicts]):
            raise RefusedError("has faults; mend them and upload it again", [*found, *conflicts])
        if not items:
            raise RefusedError("holds no bundle")
        return items, found

    def _logs(self, copy: Copy, name: str) -> None:
        for member in logs.members(copy.path, self.orders.limits, lambda _: True, name):
            if isinstance(member, Diagnostic):
                raise RefusedError(f"its logs, {name}, cannot be read: {member.message}")

    def _signatures(self, name: str, copies: dict[str, Copy], items: Sequence[Loaded]) -> None:
        """Whether the runner that the bundles name has signed them and their logs."""
        if self.orders.signers is None:
            return
        runners = sorted({i.bundle.runner.name if i.bundle.runner else "" for i in items})
        for part in (name, logs.beside(name)):
            if part not in copies:
                continue
            if part + SIGNATURE not in copies:
                if self.orders.require_signature:
                    raise RefusedError(f"{part} is not signed: there is no {part}{SIGNATURE}")
                continue
            if runners == [""]:
                raise RefusedError("is signed, but does not name the runner who should have signed")
            for runner in runners:
                signature = copies[part + SIGNATURE].path
                if not _signed(copies[part].path, signature, runner, self.orders.signers):
                    raise RefusedError(f"{part}: the signature is not a good one of “{runner}”")

    def _set_aside(
        self, folder: int, name: str, beside: list[str], upload: str, refused: RefusedError
    ) -> Outcome:
        """Move an upload aside, with the reason beside it, which comes first: what
        is there always has one."""
        self.orders.rejected.mkdir(parents=True, exist_ok=True)
        plain = file_names.aside(upload)
        number = 1
        while True:
            target = self.orders.rejected / (plain if number == 1 else f"{number}-{plain}")
            homes = {name: target} | {part: file_names.home(part, name, target) for part in beside}
            if not any(os.path.lexists(home) for home in homes.values()):
                break
            number += 1
        lines = [f"{upload}: {refused}", *map(str, refused.diagnostics)]
        reason = "".join(f"{visible(line)}\n" for line in lines).encode()
        transfer.write(reason, target.with_name(target.name + file_names.REASON))
        for part, home in homes.items():
            transfer.move(folder, part, home)
        return Outcome(upload, "refused", str(refused), target, refused.diagnostics)


def _signed(path: Path, signature: Path, runner: str, signers: Path) -> bool:
    """Whether a file has a good signature of a runner, as ``ssh-keygen`` says."""
    command = ["ssh-keygen", "-Y", "verify", "-f", str(signers), "-I", runner]
    command += ["-n", SIGNED_FOR, "-s", str(signature)]
    with path.open("rb") as data:
        done = subprocess.run(command, stdin=data, capture_output=True, check=False)
    return done.returncode == 0
