"""A site is built aside and put into place in one step, wholly or not at all.

Beside a site ``build/html`` stands the folder ``build/.html``: ``site`` holds the pages that
Sphinx writes, ``doctrees`` its cache, and ``stamp``, written last, says how both were when a
build ended well. They are built upon only where they still are so; otherwise they are made anew.

Of what Sphinx has written, ``next`` becomes the site that is published: its files are
those that are published already, under a second name, where they have the same bytes, and copies
otherwise. The site that was published before lies at ``next`` from then on, and becomes the one
after. Between builds the files of ``site`` are second names of the published ones, so a site takes
its room on the disk once. Sphinx writes into files in place: before it runs, each file of ``site``
becomes a copy again, and nothing ever writes into a file that is published.
"""

from __future__ import annotations

import ctypes
import errno
import fcntl
import filecmp
import os
import platform
import shutil
import stat
from collections.abc import Callable, Collection, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from . import last_build
from .last_build import Inputs, Site, Stamp
from .store import Identity, identify, listing, settle

__all__ = ["Place", "build", "locked", "place", "swap"]

LOCK = ".lock"
ASSETS = "_static"
"""The folder that each build of Sphinx makes again; nothing of an earlier build stays in it."""

RENAME_EXCHANGE = 2
AT_FDCWD = -100
NO_EXCHANGE = (errno.ENOSYS, errno.EINVAL, errno.ENOTSUP)
"""Errors of a kernel or a file system that cannot exchange two names."""

Found = list[tuple[str, os.stat_result]]
"""Paths, and what the file system says of each."""

Run = Callable[[], tuple[int, Inputs | None]]
"""A function that runs Sphinx; it returns the exit status, and the inputs of a site that was made."""


@dataclass(frozen=True, slots=True)
class Place:
    """The folder of a published site, and the folder in which it is built."""

    target: Path
    work: Path

    @property
    def site(self) -> Path:
        """The pages that Sphinx writes."""
        return self.work / "site"

    @property
    def doctrees(self) -> Path:
        """Sphinx's cache."""
        return self.work / "doctrees"

    @property
    def next(self) -> Path:
        """The site that is going to be published."""
        return self.work / "next"

    @property
    def stamp(self) -> Path:
        """The record of the last build that ended well."""
        return self.work / "stamp"


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


def build(at: Place, last: Stamp | None, depends: str, asked: str, run: Run) -> tuple[int, Site]:
    """Build a site and publish it where ``run`` came to its end with status 0; return its status
    and the files of the site that it published.

    ``run`` fills ``at.site``, which holds the pages of the ``last`` build, but for their assets,
    where they and ``at.doctrees`` can be built upon, and nothing otherwise. ``depends`` is a hash
    of all that they depend on besides pages, and ``asked`` one of all that decides what a build
    gives besides files. The caller holds the lock. Raises ``OSError`` where a folder
    cannot be written; what is published is then what it was.
    """
    at.work.mkdir(parents=True, exist_ok=True)
    before = last.site if last else {}
    if not (last and last.depends == depends and _is_as_left(at, last)):
        _remove(at.doctrees)
        _remove(at.site)
    _remove(at.site / ASSETS)
    before = _separated(at, before)
    # A large site has tens of thousands of files, which are looked at while Sphinx runs.
    with ThreadPoolExecutor(1) as meanwhile:
        ahead = meanwhile.submit(_look_ahead, at)
        status, inputs = run()
    if status or inputs is None:
        return status, {}
    try:
        site = _shared(at, _publish(at, before, *ahead.result()))
    except OSError:
        _remove(at.next)  # half a site takes room on a full disk
        raise
    doctrees = listing(at.doctrees)
    settle([*doctrees.values(), *(own for own, _ in site.values())])
    found = last_build.hash_of_files(doctrees)
    last_build.stamp(at, Stamp(depends, asked, found, site, inputs))
    return status, site


def _is_as_left(at: Place, last: Stamp) -> bool:
    """Return whether Sphinx's cache and its pages, but for assets, are those of the last build."""
    then = {name: own for name, (own, _) in last.site.items()}
    now = listing(at.site)
    return _without_assets(now) == _without_assets(then) and (
        last_build.hash_of_files(listing(at.doctrees)) == last.doctrees
    )


def _separated(at: Place, before: Site) -> Site:
    """Make each file of ``site`` that shares its bytes with a published one a copy of it; return
    what both are known by since."""
    out = dict(before)
    for name, (own, published) in before.items():
        path = f"{at.site}/{name}"
        if own == published and identify(path) == own:
            aside = f"{path}.part"
            shutil.copy2(path, aside)
            os.replace(aside, path)  # noqa: PTH105
            out[name] = (identify(path), identify(f"{at.target}/{name}"))
    return out


def _shared(at: Place, site: Site) -> Site:
    """Make the files of ``site`` second names of the published ones, which have the same bytes;
    return what they are known by since. On a file system without second names they stay copies."""
    out = dict(site)
    with suppress(OSError):
        for name, (own, published) in site.items():
            if own != published:
                aside = f"{at.site}/{name}.part"
                os.link(f"{at.target}/{name}", aside, follow_symlinks=False)
                os.replace(aside, f"{at.site}/{name}")  # noqa: PTH105
            both = identify(f"{at.target}/{name}")
            out[name] = (both, both)
    return out


def _without_assets(site: dict[str, Identity]) -> dict[str, Identity]:
    return {name: of for name, of in site.items() if not name.startswith(f"{ASSETS}/")}


def _look_ahead(at: Place) -> tuple[dict[str, Identity], Found, set[str]]:
    """Return the published files, those at ``next``, and the names of published files that were missing
    there. These get a second name there, which changes what they are known by."""
    published, left = listing(at.target), _found(at.next)
    start = len(os.fspath(at.next)) + 1
    linked: set[str] = set()
    made = {path[start:] for path, state in left if stat.S_ISDIR(state.st_mode)}
    # On a file system that has no second names, each file is copied when it is known.
    with suppress(OSError):
        for name in published.keys() - {path[start:] for path, _ in left}:
            folder = name.rpartition("/")[0]
            if folder not in made:
                made.add(folder)
                (at.next / folder).mkdir(parents=True, exist_ok=True)
            os.link(f"{at.target}/{name}", f"{at.next}/{name}", follow_symlinks=False)
            linked.add(name)
    return published, _found(at.next) if linked else left, linked


def _publish(
    at: Place,
    before: Site,
    published: dict[str, Identity],
    left: Found,
    linked: Collection[str],
) -> Site:
    """Publish the pages that Sphinx has written; ``before`` is what the last build has published,
    ``published`` what was so when this one began, ``left`` what there is at ``next``, and
    ``linked`` what was given a name there since.

    Where no byte of the site would change, it stays the very folder.
    """
    own = listing(at.site)

    def is_same(name: str) -> bool:
        path = f"{at.target}/{name}"  # as text: there are tens of thousands
        if name not in published or os.path.islink(path):  # noqa: PTH114
            return False
        if before.get(name) == (own[name], published[name]):
            return True
        return filecmp.cmp(f"{at.site}/{name}", path, shallow=False)

    same = set(filter(is_same, own))
    is_new = not len(same) == len(own) == len(published) or not at.target.is_dir()
    changed = {*linked}
    if is_new:
        changed |= _fill(at, own, {name: published[name] for name in same}, left)
    os.sync()  # so that after a power cut no file is empty, of those that the stamp tells of too
    if is_new:
        swap(at.next, at.target, at.work)
    # Who has changed a published file meanwhile is found out: by that it is not known any more.
    now = {name: identify(f"{at.target}/{name}") for name in changed & own.keys()}
    return {name: (of, now.get(name) or published[name]) for name, of in own.items()}


def _fill(at: Place, names: Collection[str], same: Mapping[str, Identity], left: Found) -> set[str]:
    """Make ``next`` what Sphinx has written; return which of its files were not there. ``same`` are
    the files that are published already, and what each is known by.

    The site before the published one is still there. Most of its files are the published ones
    under a second name: they stay, and so do their folders, of which a site has tens of
    thousands.
    """
    at.next.mkdir(exist_ok=True)
    there = _cleared(at.next, left, names)
    made, changed = {""}, set()
    for name in names:
        if name in there:
            if name in same and there[name] == same[name][:2]:
                continue
            Path(at.next, name).unlink()
        changed.add(name)
        folder = name.rpartition("/")[0]
        if folder not in made:
            made.add(folder)
            (at.next / folder).mkdir(parents=True, exist_ok=True)
        target = f"{at.next}/{name}"
        if name in same:
            try:
                os.link(f"{at.target}/{name}", target)
                continue
            except OSError:  # of a file system that has no second names, for one
                pass
        shutil.copy2(f"{at.site}/{name}", target)
    return changed


def _found(folder: Path) -> Found:
    """All that is in a folder, what is in another folder before that one."""
    return [
        (f"{path}/{name}", os.lstat(f"{path}/{name}"))
        for path, folders, files in os.walk(folder, topdown=False)
        for name in (*folders, *files)
    ]


def _cleared(folder: Path, found: Found, names: Collection[str]) -> dict[str, tuple[int, int]]:
    """Remove all that was found in a folder but plain files of these names; return what each of
    them is known by: its device and its inode."""
    kept: dict[str, tuple[int, int]] = {}
    full: set[str] = set()
    start = len(os.fspath(folder)) + 1
    for path, state in found:
        if stat.S_ISREG(state.st_mode) and path[start:] in names:
            kept[path[start:]] = (state.st_dev, state.st_ino)
            full.add(path.rpartition("/")[0])
        elif path in full:
            full.add(path.rpartition("/")[0])
        elif stat.S_ISDIR(state.st_mode):
            Path(path).rmdir()
        else:
            Path(path).unlink()
    return kept


def _remove(path: Path) -> None:
    """Remove a file, a link or a folder, if there is one."""
    if path.is_dir() and not path.is_symlink():
        try:
            shutil.rmtree(path)
        except OSError as error:  # which names a file without its folder
            raise OSError(error.errno, error.strerror, str(path)) from error
    else:
        path.unlink(missing_ok=True)


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
