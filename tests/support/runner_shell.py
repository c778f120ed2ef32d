"""The runner under a board's shell, and its logs in the format of runner/README.md."""

from __future__ import annotations

import signal
import subprocess
from dataclasses import dataclass
from pathlib import Path

from debian import program
from profiles import count

TOP = Path(__file__).resolve().parents[2]
RUNNER = TOP / "runner"
DATA = TOP / "tests/runner"
PACKAGES = {"dash": ("dash",), "busybox": ("busybox", "busybox-static")}
SHELLS = {"dash": ["dash"], "busybox": ["busybox", "sh"]}
TRIED_SHELLS = ("busybox", "dash")[: count(1, heavy=2)]
"""BusyBox has fewer programs with fewer options, as boards do. A light run tries dash where tests
name it: signals, shares and a short run."""


@dataclass(frozen=True)
class Block:
    """A block of a log: the words of its header, the program's output, the load, its end."""

    words: dict[str, str]
    command: str
    output: str
    during: dict[str, str]
    end: dict[str, str]


def blocks(log: Path) -> list[Block]:
    """Read a log in the format of runner/README.md."""
    all_blocks: list[Block] = []
    head = ""
    body: list[str] = []
    for line in log.read_text().splitlines(keepends=True):
        if line.startswith("# perfguide-run: "):
            assert not head, "a block begins inside another"
            head, body = line.removeprefix("# perfguide-run: ").rstrip("\n"), []
        elif line.startswith("# perfguide-end: "):
            text, _, command = head.partition(" command=")
            words = dict(word.split("=", 1) for word in text.split(" "))
            assert body[0].startswith("# perfguide-at: started=")
            assert body[-1].startswith("# perfguide-during: samples=")
            during, end = (
                dict(word.split("=", 1) for word in text.split()[2:]) for text in (body[-1], line)
            )
            all_blocks.append(Block(words, command, "".join(body[1:-1]), during, end))
            head = ""
        else:
            body.append(line)
    assert not head, "the last block has no end"
    return all_blocks


def all_blocks(folder: Path) -> list[Block]:
    return [block for log in sorted(folder.glob("*.log")) for block in blocks(log)]


@dataclass(frozen=True)
class Shell:
    argv: list[str]
    path: str
    out: Path

    def environment(self, **more: str) -> dict[str, str]:
        return {
            "PATH": self.path,
            # No file of a user may affect the runner.
            "HOME": "/nonexistent",
            "STUB_CALLS": str(self.out.parent / "calls"),
            "PERFGUIDE_MAPPER": str(self.out.parent / "mapper"),
            **more,
        }

    def run(self, *arguments: str, **more: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [*self.argv, str(RUNNER / "run.sh"), "-o", str(self.out), *arguments],
            env=self.environment(**more),
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )

    def start(self, *arguments: str, **more: str) -> subprocess.Popen[str]:
        with (self.out.parent / "console").open("a") as console:
            return subprocess.Popen(
                [*self.argv, str(RUNNER / "run.sh"), "-o", str(self.out), *arguments],
                env=self.environment(**more),
                stdout=subprocess.DEVNULL,
                stderr=console,
                text=True,
                # Shells cannot trap signals that they inherit as ignored, and background jobs
                # inherit SIGINT that way.
                preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
            )


def make_shell(name: str, folder: Path, *, crypt: bool = False) -> Shell:
    """Return a shell and a PATH, which under BusyBox holds only its applets and the stubs."""
    busybox = program(*PACKAGES[name])
    stubs = ([str(DATA / "crypt-stubs")] if crypt else []) + [str(DATA / "stubs")]
    if name == "busybox":
        applets = folder / "applets"
        applets.mkdir()
        listed = subprocess.run([busybox, "--list"], capture_output=True, text=True, check=True)
        for applet in listed.stdout.split():
            (applets / applet).symlink_to(busybox)
        return Shell([busybox, "sh"], ":".join([*stubs, str(applets)]), folder / "out")
    return Shell([name], ":".join([*stubs, "/usr/bin", "/bin"]), folder / "out")


def replaying(folder: Path, name: str, *logs: Path, version: str = "", first: str = "") -> Path:
    """Write a program that prints recorded logs, or its version when asked for it.

    ``first`` is a line of shell that runs before that.
    """
    folder.mkdir(exist_ok=True)
    path = folder / name
    said = f"case $1 in i|--version|-V) echo '{version}'; exit ;; esac\n" if version else ""
    printed = "".join(f"cat '{log}'\n" for log in logs)
    path.write_text(f"#!/bin/sh\n{said}{first}\n{printed}")
    path.chmod(0o755)
    return path
