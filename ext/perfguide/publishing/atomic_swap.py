"""A site is built aside and put into place in one step, wholly or not at all.

Beside a site ``build/html`` stands the folder ``build/.html``: ``next`` is the site
that is being built, ``doctrees`` is Sphinx's cache, and ``stamp.json``, written last,
says what both are when a build has ended well. Cache and site are used again
only where they still are, byte for byte, what the stamp says. A file that nobody touched
since it was read is not read again; ``hashes.json`` has its hash, and ``memo`` says how
it is known. What is wrong with that file costs time and nothing else.

``spare`` is the site that was published before. It becomes ``next`` of the following build
when all that differs from the published site has been put right; it is trusted for nothing.
Who opened a file of it while it was published, and reads it still, may see that build write
into it.
"""

from __future__ import annotations

import ctypes
import errno
import fcntl
import hashlib
import json
import os
import platform
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import Distribution, distributions
from pathlib import Path

from .memo import Memo
from .previous_site import put_right
from .trees import Tree, fingerprint, total, tree

LOCK = ".lock"
ASSETS = "_static"
"""What every build of Sphinx makes anew; it is never taken from the site before."""

RENAME_EXCHANGE = 2
AT_FDCWD = -100
NO_EXCHANGE = (errno.ENOSYS, errno.EINVAL, errno.ENOTSUP)
"""How a kernel or a file system says that it cannot exchange two names."""
FINISHED = "finished.json"
"""The file among the doctrees by which the extension says that it came to its end, and what
it was made from."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where a site is published, and the folder for all that belongs to its building."""

    target: Path
    work: Path

    @property
    def next(self) -> Path:
        """The site that is being built."""
        return self.work / "next"

    @property
    def spare(self) -> Path:
        """The site that was published before."""
        return self.work / "spare"

    @property
    def doctrees(self) -> Path:
        """Sphinx's cache."""
        return self.work / "doctrees"

    @property
    def stamp(self) -> Path:
        """What cache and site were when the last build ended well."""
        return self.work / "stamp.json"

    @property
    def hashes(self) -> Path:
        """Hashes of the files of cache and site."""
        return self.work / "hashes.json"


def place(target: Path) -> Place:
    """The place of a site. A link of the user's is followed, so that what it
    leads to is replaced and not the link."""
    work = target.parent / f".{target.name}"
    if target.is_symlink() and not target.resolve().is_relative_to(work.resolve()):
        target = target.resolve()
        work = target.parent / f".{target.name}"
    return Place(target, work)


@contextmanager
def locked(folder: Path, waiting: Callable[[str], None]) -> Iterator[int]:
    """Hold the lock of a folder; yield its file descriptor.

    ``waiting`` is told who holds it before this waits. Whoever inherits the
    descriptor holds the lock too: it is free when all of them have ended.
    """
    folder.mkdir(parents=True, exist_ok=True)
    file = os.open(folder / LOCK, os.O_RDWR | os.O_CREAT, 0o666)
    try:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            waiting(os.pread(file, 200, 0).decode("utf-8", "replace") or "another process")
            fcntl.flock(file, fcntl.LOCK_EX)
        now = datetime.now(UTC).isoformat(" ", "seconds")
        os.ftruncate(file, 0)
        os.pwrite(file, f"process {os.getpid()} on {platform.node()}, since {now}".encode(), 0)
        yield file
    finally:
        os.close(file)


def key(arguments: Sequence[str], files: Sequence[Path], environment: Mapping[str, str]) -> str:
    """What a cache depends on besides pages: how Sphinx is called, with which
    versions of all packages, by which code and configuration (``files``, or
    folders of them)."""
    installed = sorted(map(_named, distributions()))
    code = [fingerprint(path) for path in files]
    epoch = environment.get("SOURCE_DATE_EPOCH", "")
    parts = [platform.python_version(), installed, code, list(arguments), epoch]
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()


def _named(package: Distribution) -> list[str]:
    """Name and version of a package; to parse all that it says of itself takes long."""
    places = ("METADATA", "PKG-INFO", "")  # of wheels, of eggs, of eggs that are a file
    said = next(filter(None, map(package.read_text, places)), "")
    head = said.partition("\n\n")[0].split("\n")
    return [line for line in head if line.startswith(("Name:", "Version:"))]


def build(at: Place, depends: str, run: Callable[[], int]) -> int:
    """Build a site and publish it where ``run`` returned 0 and left ``FINISHED`` among
    the doctrees; return what it returned.

    ``run`` fills ``at.next``, which holds the published site where that can be
    used again, but for its assets, and nothing otherwise. ``depends`` is what ``key`` gave. The
    caller holds the lock. Raises ``OSError`` where a folder cannot be written;
    what is published is then what it was.
    """
    at.work.mkdir(parents=True, exist_ok=True)
    _remove(at.next)
    memo = Memo(at.hashes)
    site = tree(at.target, memo)
    old = total(site)
    upon = _stamped(at) == _stamp(depends, total(tree(at.doctrees, memo)), old)
    if upon:
        _begin(at, site, memo)
    else:
        _remove(at.doctrees)
        _remove(at.spare)
        at.next.mkdir()
    finished = at.doctrees / FINISHED
    finished.unlink(missing_ok=True)
    status = run()
    if status == 0 and finished.exists():
        finished.unlink()
        made = tree(at.next, memo)
        new = total(made)
        os.sync()  # so that no file is empty after a power cut, and hashes are those of the disk
        if new != old or not at.target.exists():
            swap(at.next, at.target, at.work)
        stamp = _stamp(depends, total(tree(at.doctrees, memo)), new)
        try:
            _write(at.stamp, stamp)
        except OSError:  # the site of before gives way on a full disk
            _remove(at.next)
            _write(at.stamp, stamp)
        memo.save()
        if upon and _is_folder(at.next) and has_room(at.work, made):
            _remove(at.spare)
            at.next.rename(at.spare)
    _remove(at.next)
    return status


def _begin(at: Place, site: Tree, memo: Memo) -> None:
    """Make ``next`` the published site but for its assets."""
    if _is_folder(at.spare):
        wanted = {name: held for name, held in site.items() if name.split("/", 1)[0] != ASSETS}
        try:
            at.spare.rename(at.next)
            put_right(at.next, at.target, wanted, memo)
            return
        except OSError:  # whatever is odd about it: a copy does not need it
            _remove(at.next)
    _remove(at.spare)
    _copy(at.target, at.next)


def _copy(site: Path, target: Path) -> None:
    """Copy a site but for its assets. Never by hard links: Sphinx writes into files."""

    def ignored(folder: str, _names: list[str]) -> list[str]:
        return [ASSETS] if Path(folder) == site else []

    try:
        shutil.copytree(site, target, symlinks=True, ignore=ignored)
    except shutil.Error as error:
        _, file, reason = error.args[0][0]
        raise OSError(errno.EIO, reason, str(file)) from error


def has_room(folder: Path, site: Tree) -> bool:
    """Whether a disk on which a second site is kept still has room for a third."""
    disk = os.statvfs(folder)
    size = sum(held.state.st_blocks * 512 for held in site.values())
    files = len(site) if disk.f_files else 0  # some file systems do not count
    return disk.f_bavail * disk.f_frsize >= size and disk.f_favail >= files


def _stamp(depends: str, doctrees: str, site: str) -> dict[str, str]:
    return {"depends": depends, "doctrees": doctrees, "site": site}


def _stamped(at: Place) -> object:
    try:
        return json.loads(at.stamp.read_bytes())
    except (FileNotFoundError, ValueError):
        return None


def _write(path: Path, value: object) -> None:
    aside = path.with_name(f"{path.name}.part")
    with aside.open("w", encoding="utf-8") as file:
        json.dump(value, file)
        file.flush()
        os.fsync(file.fileno())
    aside.replace(path)


def _remove(path: Path) -> None:
    """Remove a file, a link or a folder, if there is one."""
    if _is_folder(path):
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def _is_folder(path: Path) -> bool:
    return path.is_dir() and not path.is_symlink()


def swap(new: Path, target: Path, work: Path) -> None:
    """Put the folder ``new`` into the place of ``target`` in one step.

    What was there is then at ``new`` or gone. Where a file system cannot exchange
    two names, the target becomes a link to a folder in ``work``; only the very
    first change from a folder to such a link takes two steps.
    """
    try:
        # This also replaces an empty folder.
        new.rename(target)
        return
    except OSError as error:
        if error.errno not in (errno.ENOTEMPTY, errno.EEXIST, errno.ENOTDIR):
            raise
    if target.is_symlink() or not exchange(new, target):
        link(new, target, work)


def exchange(one: Path, other: Path) -> bool:
    """Exchange two names in one step; ``False`` where this cannot be done here."""
    renameat2 = getattr(ctypes.CDLL(None, use_errno=True), "renameat2", None)
    if renameat2 is None:
        return False
    names = os.fsencode(one), os.fsencode(other)
    if renameat2(AT_FDCWD, names[0], AT_FDCWD, names[1], RENAME_EXCHANGE) == 0:
        return True
    number = ctypes.get_errno()
    if number in NO_EXCHANGE:
        return False
    raise OSError(number, os.strerror(number), str(other))


def link(new: Path, target: Path, work: Path) -> None:
    """Make ``target`` a link to ``new``, which moves to a name of its own in ``work``."""
    earlier = target.resolve() if target.is_symlink() else None
    names = (work / f"site-{number}" for number in (1, 2))
    site = next(name for name in names if earlier is None or name.resolve() != earlier)
    _remove(site)
    new.rename(site)
    aside = work / "link"
    _remove(aside)
    aside.symlink_to(os.path.relpath(site, target.parent))
    if earlier is None:
        target.rename(new)
    aside.replace(target)
    if earlier is not None and earlier.is_relative_to(work.resolve()):
        earlier.rename(new)
