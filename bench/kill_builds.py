"""Kill builds at random moments, and check that the site is complete and the next build is right.

Builds are killed by SIGKILL: in turn only the first process, a random one, or all processes. Half
of the killed builds are followed by one that completes, the others by the next one to be killed.
The exit status is 0 if every trial passed.
"""

from __future__ import annotations

import argparse
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

import small_site

WAYS = ("first", "one", "all")


def processes(group: int) -> list[int]:
    """Return the processes of a group, sorted."""
    group_members = []
    for path in Path("/proc").iterdir():
        if path.name.isdigit():
            try:
                # The program's name, in brackets, may itself contain spaces and brackets.
                stat = (path / "stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue  # the process has just ended
            if int(stat[2]) == group:
                group_members.append(int(path.name))
    return sorted(group_members)


def kill(build: subprocess.Popen[bytes], way: str, chance: random.Random) -> None:
    """Kill processes of a build that are still running, in one of the ways."""
    if way == "all":
        os.killpg(build.pid, signal.SIGKILL)
        return
    victim = build.pid if way == "first" else chance.choice(processes(build.pid))
    os.kill(victim, signal.SIGKILL)


def main() -> int:
    """Run the trials and print the outcomes."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    chance = random.Random(options.seed)
    seen: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as scratch:
        sites = small_site.clean_sites(Path(scratch))
        project = small_site.make(Path(scratch) / "project")
        small_site.set_state(project, 0)
        begun = time.monotonic()
        small_site.build(project)
        length = time.monotonic() - begun
        state = 0
        trial = 0
        while trial < options.kills:
            wanted, way = 1 - state, WAYS[trial % len(WAYS)]
            small_site.set_state(project, wanted)
            build = subprocess.Popen(
                small_site.COMMAND,
                cwd=project,
                env=small_site.ENVIRONMENT,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                # A group of its own, so that all of its processes can be killed.
                start_new_session=True,
            )
            begun = time.monotonic()
            try:
                # Kills are spread over the duration of the last complete build.
                build.wait(chance.random() * length)
                length = time.monotonic() - begun
                seen["ended before it was killed, and does not count"] += 1
            except subprocess.TimeoutExpired:
                kill(build, way, chance)
                build.wait()
                trial += 1
                seen[f"killed ({way})"] += 1
            after = small_site.site(project)
            if after not in sites:
                seen["site neither old nor new"] += 1
            seen["site new after the kill"] += after == sites[wanted]
            seen["site old after the kill"] += after == sites[state]
            if after in sites and chance.random() < 0.5 and trial < options.kills:
                state = sites.index(after)
                continue
            done = small_site.build(project)
            if done.returncode:
                print(done.stderr, file=sys.stderr)
                seen["next build failed"] += 1
            if small_site.site(project) != sites[wanted]:
                seen["next build not equal to a clean one"] += 1
            state = wanted
    for what, count in sorted(seen.items()):
        print(f"{count:5} {what}")
    return int(any("site neither" in what or "next build" in what for what in seen))


if __name__ == "__main__":
    sys.exit(main())
