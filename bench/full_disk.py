"""Fill the disk during a build, a bit later each time, and check the site and the next build.

The project is on its own tmpfs, which only root can mount. After each build with too little space,
the tmpfs is enlarged, and the next build has to be right. The exit status is 0 if every trial
passed, and 3 if no tmpfs can be mounted here.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

import small_site

LARGE_TMPFS_OPTIONS = "size=1g,nr_inodes=100000"


def used(folder: Path) -> tuple[int, int]:
    """Return the bytes and files in use on a file system."""
    status = os.statvfs(folder)
    return (status.f_blocks - status.f_bfree) * status.f_frsize, status.f_files - status.f_ffree


def resize(folder: Path, options: str) -> None:
    """Resize the tmpfs."""
    subprocess.run(["mount", "-o", f"remount,{options}", str(folder)], check=True)


def trial(disk: Path, limit: str, seen: Counter[str], sites: list[dict[str, bytes]]) -> bool:
    """Build once with too little space and once with enough; return whether the first build
    succeeded."""
    project = disk / "project"
    published = sites.index(small_site.site(project))
    # Switch to the other state, so that the build has something to publish.
    small_site.set_state(project, 1 - published)
    resize(disk, limit)
    short = small_site.build(project)
    resize(disk, LARGE_TMPFS_OPTIONS)
    after = small_site.site(project)
    if short.returncode == 0 and after != sites[1 - published]:
        seen["ended well with a wrong site"] += 1
    if short.returncode != 0 and after not in sites:
        seen["site neither old nor new"] += 1
    if short.returncode != 0 and "No space left" not in short.stderr + short.stdout:
        seen["without saying why"] += 1
        print(limit, short.stdout[-1000:], short.stderr, file=sys.stderr)
    seen["failed for want of room"] += short.returncode != 0
    seen["had room enough"] += short.returncode == 0
    if small_site.build(project).returncode:
        seen["next build failed"] += 1
    if small_site.site(project) != sites[1 - published]:
        seen["next build not equal to a clean one"] += 1
    return short.returncode == 0


def sweep(disk: Path, scratch: Path, kib: int, files: int) -> Counter[str]:
    """Try increasing numbers of free bytes, then of free files."""
    seen: Counter[str] = Counter()
    sites = small_site.clean_sites(scratch)
    project = small_site.make(disk / "project")
    small_site.set_state(project, 0)
    small_site.build(project)
    for step, unit in ((kib * 1024, "size"), (files, "nr_inodes")):
        room = 0
        while True:
            byte, inode = used(disk)
            base = byte + 8192 if unit == "size" else inode + 3
            if trial(disk, f"{unit}={base + room}", seen, sites):
                break
            room += step
    return seen


def main() -> int:
    """Run the trials and print the outcomes."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kib", type=int, default=64, help="more room from trial to trial")
    parser.add_argument("--files", type=int, default=5, help="more files from trial to trial")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        disk = Path(scratch) / "disk"
        disk.mkdir()
        mount = ["mount", "-t", "tmpfs", "-o", LARGE_TMPFS_OPTIONS, "tmpfs", str(disk)]
        mounted = subprocess.run(mount, capture_output=True, text=True, check=False)
        if mounted.returncode:
            print(f"no tmpfs can be mounted here: {mounted.stderr.strip()}", file=sys.stderr)
            return 3
        try:
            seen = sweep(disk, Path(scratch), options.kib, options.files)
        finally:
            # A mounted folder cannot be removed with the others.
            subprocess.run(["umount", str(disk)], check=True)
    for what, count in sorted(seen.items()):
        print(f"{count:5} {what}")
    bad = ("ended well with", "site neither", "next build", "without saying")
    return int(any(what.startswith(bad) and count for what, count in seen.items()))


if __name__ == "__main__":
    sys.exit(main())
