"""Commits and files of a git repository, read without trusting anything else in it.

Git runs programs named in a repository's configuration, for example to check signatures, watch
files or show them, and has no option to ignore that configuration. Therefore git runs in an empty
repository of ours, with our configuration and environment, and only gets the folder of objects.
Names of tags and branches are read here, as text. A repository that borrows objects, or has
symlinks among them, refers to files outside and is refused.
"""

from __future__ import annotations

import os
import re
import resource
import signal
import stat
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from .limits import Limits

_HASH = re.compile("[0-9a-f]{40}|[0-9a-f]{64}")
_NAME = re.compile(r"refs/(?:heads|remotes|tags)/[^\x00-\x20\x7f~^:?*\[\\]{1,300}")
_REF_BYTES = 64 * 1024**2
_OUTPUT_BYTES = 64 * 1024**2
_MEMORY_BYTES = 256 * 1024**2
"""The memory limit of a git process, excluding pack indexes, which it maps into memory."""
_CONFIG = """\
[core]
repositoryformatversion = 1
bare = true
commitGraph = false
multiPackIndex = false
packedGitWindowSize = 16m
packedGitLimit = 64m
deltaBaseCacheLimit = 16m
[extensions]
objectFormat = {}
"""


class GitError(OSError):
    """A git command failed or exceeded a limit."""


@dataclass(frozen=True, slots=True)
class Commit:
    """A commit: its hash, its date (ISO 8601), and the first line of its message."""

    hash: str
    created: str
    subject: str


@dataclass(frozen=True, slots=True)
class Entry:
    """A file in a commit. ``mode`` is octal and distinguishes symlinks and submodules."""

    path: str
    mode: str
    hash: str

    @property
    def is_regular(self) -> bool:
        """True for a regular file; false for a symlink or a submodule."""
        return self.mode.startswith("100")


class Repository:
    """The objects of a repository, and its refs with their hashes."""

    def __init__(self, home: Path, objects: Path, refs: dict[str, str], limits: Limits) -> None:
        self._folder = str(objects.parent)
        self._home = home
        self._objects = objects
        self._limits = limits
        self._index_bytes = sum(path.stat().st_size for path in objects.glob("pack/*.idx"))
        self.refs = refs

    def commits(self, revision: str, patterns: Sequence[str]) -> list[Commit]:
        """Return the commits in a revision or range that changed files, oldest first."""
        files = [f":(top){pattern}" for pattern in patterns]
        return self._rev_list(["--topo-order", "--reverse"], revision, files)

    def _rev_list(
        self, options: Sequence[str], revision: str, files: Sequence[str] = ()
    ) -> list[Commit]:
        # A revision with a leading dash must not be taken for an option.
        words = [*options, "--format=%H%x00%cI%x00%s", "--end-of-options", revision, "--", *files]
        lines = self._run("rev-list", *words).decode("utf-8", "replace").split("\n")
        return [Commit(*line.split("\0", 2)) for line in lines if line.count("\0") >= 2]

    def names(self, path: str, revision: str) -> list[str]:
        """Return the names that a file has had, newest first."""
        words = ["--follow", "--name-only", "-z", "--format=", "--end-of-options", revision]
        output = self._run("log", *words, "--", path).decode("utf-8", "replace")
        return list(dict.fromkeys([path, *filter(None, output.replace("\n", "").split("\0"))]))

    def commit(self, revision: str) -> Commit:
        """Return the commit for a hash or an annotated tag."""
        if not (commits := self._rev_list(["--max-count=1"], revision)):
            raise GitError(0, "this is not a commit", revision)
        return commits[0]

    def files(self, commit: str) -> list[Entry]:
        """Return the files in a commit."""
        output = self._run("ls-tree", "-r", "-z", "--full-tree", commit)
        entries = []
        for line in output.decode("utf-8", "replace").split("\0"):
            head, _, path = line.partition("\t")
            if path:
                mode, _, name = head.split(" ", 2)
                entries.append(Entry(path, mode, name))
        if len(entries) > self._limits.files:
            raise GitError(0, f"a commit has over {self._limits.files:,} files", commit)
        return entries

    def read(self, entry: Entry) -> bytes | None:
        """Return the bytes of a file, or ``None`` if it exceeds the document limit."""
        answer = self._run("cat-file", "--batch-check", data=f"{entry.hash}\n".encode())
        words = answer.decode("utf-8", "replace").split()
        if len(words) != 3 or words[1] != "blob":
            raise GitError(0, "the repository has no such object", entry.hash)
        if int(words[2]) > self._limits.document:
            return None
        return self._run("cat-file", "blob", entry.hash)

    def _run(self, *words: str, data: bytes = b"") -> bytes:
        # Pass on only what git needs: a user's variable could name a program or a folder.
        environment = {
            "PATH": os.environ.get("PATH", os.defpath),
            "LC_ALL": "C.UTF-8",
            "HOME": str(self._home),
            "GIT_DIR": str(self._home),
            "GIT_OBJECT_DIRECTORY": str(self._objects),
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_CONFIG_SYSTEM": os.devnull,
            "GIT_CONFIG_GLOBAL": os.devnull,
            "GIT_ATTR_NOSYSTEM": "1",
            "GIT_NO_REPLACE_OBJECTS": "1",
            "GIT_NO_LAZY_FETCH": "1",
            "GIT_ALLOW_PROTOCOL": "",
            "GIT_TERMINAL_PROMPT": "0",
            "GIT_OPTIONAL_LOCKS": "0",
        }

        def confine() -> None:
            # Mapped pack indexes count as address space, however large the repository.
            seconds, memory = self._limits.git, _MEMORY_BYTES + self._index_bytes
            resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
            resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))

        # Files instead of pipes for input and errors, as these cannot fill up and block git.
        with tempfile.TemporaryFile() as errors, tempfile.TemporaryFile() as stdin:
            stdin.write(data)
            stdin.seek(0)
            with subprocess.Popen(
                ["git", *words],
                stdin=stdin,
                stdout=subprocess.PIPE,
                stderr=errors,
                env=environment,
                cwd=self._home,
                preexec_fn=confine,
            ) as process:
                assert process.stdout is not None
                # One byte beyond the limit shows that there is more.
                output = process.stdout.read(_OUTPUT_BYTES + 1)
                if len(output) > _OUTPUT_BYTES:
                    process.kill()
            errors.seek(0)
            message = errors.read(300).decode("utf-8", "replace").strip()
        if len(output) > _OUTPUT_BYTES:
            raise GitError(0, f"git {words[0]} lists over {_OUTPUT_BYTES:,} bytes", self._folder)
        if process.returncode in (-signal.SIGKILL, -signal.SIGXCPU):
            message = f"takes more than {self._limits.git} s; raise it with --limit git=NUMBER"
        if process.returncode:
            raise GitError(0, f"git {words[0]}: {message}", self._folder)
        return output


@contextmanager
def opened(folder: Path, limits: Limits) -> Iterator[Repository]:
    """Open the repository in a folder, or a bare repository.

    Raises :class:`GitError` if there is none, or if it refers to files outside itself.
    """
    source = _git_folder(folder)
    objects = source / "objects"
    _check_objects(objects)
    refs = _refs(source)
    with tempfile.TemporaryDirectory(prefix="perfguide-") as name:
        home = Path(name)
        kind = "sha256" if any(len(ref) == 64 for ref in refs.values()) else "sha1"
        (home / "config").write_text(_CONFIG.format(kind), "ascii")
        (home / "refs").mkdir()
        (home / "HEAD").write_text(refs.get("HEAD", "ref: refs/heads/none") + "\n", "ascii")
        (home / "packed-refs").write_text(
            "".join(f"{refs[ref]} {ref}\n" for ref in sorted(refs) if ref != "HEAD"), "utf-8"
        )
        # Without the list of commits at which a shallow clone ends, git would look for their
        # parents.
        shallow = (_text(source / "shallow") or "").split("\n")
        if ends := [line for line in shallow if _HASH.fullmatch(line)]:
            (home / "shallow").write_text("\n".join([*ends, ""]), "ascii")
        yield Repository(home, objects.absolute(), refs, limits)


def _git_folder(folder: Path) -> Path:
    inner = folder / ".git"
    if inner.is_symlink() or inner.is_file():
        message = "its .git leads to another folder: name the folder of the repository itself"
        raise GitError(0, message, str(folder))
    source = inner if inner.is_dir() else folder
    if not (source / "objects").is_dir() or not (source / "HEAD").is_file():
        message = "this is not a git repository: name the folder that contains .git"
        raise GitError(0, message, str(folder))
    if (source / "reftable").exists():
        message = "its names are a reftable: run git refs migrate --ref-format=files"
        raise GitError(0, message, str(folder))
    return source


def _check_objects(objects: Path) -> None:
    """Raise :class:`GitError` if a folder of objects refers to files outside itself."""
    for name in ("alternates", "http-alternates"):
        if (objects / "info" / name).exists():
            message = "it borrows objects of another repository: copy it with git clone --no-local"
            raise GitError(0, message, str(objects / "info" / name))
    folders = [objects]
    while folders:
        folder = folders.pop()
        if not stat.S_ISDIR(folder.lstat().st_mode):
            raise GitError(0, "it is a link where a folder is expected", str(folder))
        with os.scandir(folder) as entries:
            for entry in entries:
                if entry.is_dir(follow_symlinks=False):
                    folders.append(Path(entry.path))
                elif not entry.is_file(follow_symlinks=False):
                    raise GitError(0, "it is a link where a file is expected", entry.path)


def _refs(source: Path) -> dict[str, str]:
    """Return the hashes of tags, branches and ``HEAD`` by name."""
    refs: dict[str, str] = {}
    for line in (_text(source / "packed-refs") or "").split("\n"):
        value, _, ref = line.partition(" ")
        if _HASH.fullmatch(value) and _is_ref_name(ref):
            refs[ref] = value
    symbolic: dict[str, str] = {}
    loose = [
        Path(folder, name)
        for folder, _, names in os.walk(source / "refs", followlinks=False)
        for name in names
    ]
    # A loose ref overrides the entry of the same name in packed-refs.
    for path in (*loose, source / "HEAD"):
        ref = path.relative_to(source).as_posix()
        value = (_text(path) or "").strip()
        if ref != "HEAD" and not _is_ref_name(ref):
            continue
        if _HASH.fullmatch(value):
            refs[ref] = value
        elif value.startswith("ref: "):
            symbolic[ref] = value.removeprefix("ref: ").strip()
    for ref, target in symbolic.items():
        if target in refs:
            refs[ref] = refs[target]
    return refs


def _is_ref_name(ref: str) -> bool:
    """Return whether git would accept a name as a ref."""
    parts = ref.split("/")
    return bool(_NAME.fullmatch(ref)) and not (
        ".." in ref
        or "@{" in ref
        or ref.endswith(".")
        or any(not part or part.startswith((".", "-")) or part.endswith(".lock") for part in parts)
    )


def _text(path: Path) -> str | None:
    """Return the text of a file, or ``None`` if it is missing, not regular or very large."""
    try:
        about = path.lstat()
        if not stat.S_ISREG(about.st_mode) or about.st_size > _REF_BYTES:
            return None
        return path.read_text("utf-8", "replace")
    except OSError:
        return None
