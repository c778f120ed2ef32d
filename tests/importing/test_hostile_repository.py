"""Repositories that name programs to run, or lead out of themselves: only their objects are read."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest

from perfguide.cli import main

GUIDE = """\
Guide {release}
===============

.. csv-table:: Rates
   :header: "Name","evm: rate (MB/s)"

   "copy","{figure}"
"""
HOOKS = (
    *("post-checkout", "pre-commit", "post-index-change", "reference-transaction", "pre-auto-gc"),
    *("fsmonitor-watchman", "pre-push", "post-merge", "post-rewrite", "proc-receive"),
)


def git(repository: Path, *words: str, data: bytes = b"", **variables: str) -> str:
    """Run git in a repository that is not hostile yet."""
    named = {f"GIT_{who}_{what}": "a@example.org" for who in ("AUTHOR", "COMMITTER")
             for what in ("NAME", "EMAIL")}  # fmt: skip
    environment = {"PATH": os.environ["PATH"], "GIT_CONFIG_NOSYSTEM": "1", **named, **variables}
    done = subprocess.run(
        ["git", "-C", str(repository), *words],
        input=data, check=True, capture_output=True, env=environment,
    )  # fmt: skip
    return done.stdout.decode().strip()


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A repository with two releases of a guide, each with a tag."""
    folder = tmp_path / "docs"
    folder.mkdir()
    git(folder, "init", "-q", "-b", "main")
    for release, figure in (("09.01", "55.1"), ("09.02", "57.4")):
        (folder / "guide.rst").write_text(GUIDE.format(release=release, figure=figure), "utf-8")
        git(folder, "add", ".")
        git(folder, "commit", "-q", "-m", release)
        git(folder, "tag", release)
    return folder


def set_traps(repository: Path, marker: Path) -> None:
    """Have the repository name a program wherever git knows how to run one."""
    script = marker.with_suffix(".sh")
    script.write_text(f'#!/bin/sh\necho "$0 $@" >> {marker}\nexit 1\n', "utf-8")
    script.chmod(0o755)
    hooks = repository / ".git" / "hooks"
    for name in HOOKS:
        (hooks / name).write_text(script.read_text("utf-8"), "utf-8")
        (hooks / name).chmod(0o755)
    included = repository / ".git" / "included"
    included.write_text(f"[core]\n\tpager = {script}\n[gpg]\n\tprogram = {script}\n", "utf-8")
    settings = {
        "log.showSignature": "true",
        **{f"gpg{kind}.program": str(script) for kind in ("", ".openpgp", ".x509", ".ssh")},
        "core.fsmonitor": str(script),
        "core.hooksPath": str(hooks),
        "core.pager": str(script),
        "core.editor": str(script),
        "core.askPass": str(script),
        "core.sshCommand": str(script),
        "core.gitProxy": str(script),
        "core.alternateRefsCommand": str(script),
        "core.attributesFile": str(repository / ".gitattributes"),
        **{f"pager.{name}": str(script) for name in ("log", "rev-list", "cat-file", "ls-tree")},
        **{f"alias.{name}": f"!{script}" for name in ("rev-list", "cat-file", "ls-tree")},
        "diff.external": str(script),
        "diff.trap.command": str(script),
        "diff.trap.textconv": str(script),
        **{f"filter.trap.{name}": str(script) for name in ("clean", "smudge", "process")},
        "credential.helper": f"!{script}",
        "uploadpack.packObjectsHook": str(script),
        "interactive.diffFilter": str(script),
        "trailer.trap.command": str(script),
        "extensions.partialClone": "origin",
        "remote.origin.url": f"ext::{script} %S",
        "remote.origin.promisor": "true",
        "remote.origin.partialclonefilter": "blob:none",
        "remote.origin.uploadpack": str(script),
        "protocol.ext.allow": "always",
        "core.repositoryFormatVersion": "1",
        "submodule.recurse": "true",
        "include.path": str(included),
        "format.pretty": "format:%GG",
    }
    (repository / ".gitattributes").write_text("* diff=trap filter=trap\n", "utf-8")
    for name, value in settings.items():
        git(repository, "config", name, value)


def signed(repository: Path) -> None:
    """Replace the last commit and its tag by one with a signature."""
    lines = git(repository, "cat-file", "commit", "HEAD").split("\n\n", 1)
    signature = "gpgsig -----BEGIN PGP SIGNATURE-----\n \n iQ\n -----END PGP SIGNATURE-----"
    text = f"{lines[0]}\n{signature}\n\n{lines[1]}\n"
    commit = git(repository, "hash-object", "-t", "commit", "-w", "--stdin", data=text.encode())
    git(repository, "update-ref", "HEAD", commit)
    git(repository, "tag", "-f", "09.02", commit)


def imported(repository: Path, tmp_path: Path, *options: str) -> tuple[int, dict[str, list[float]]]:
    """Import a repository; return the exit status, and figures by release."""
    meaning, out = tmp_path / "map.toml", tmp_path / "out"
    meaning.write_text(
        '[guide]\nsoc = "X"\n[boards]\nevm = "evm"\n[[tables]]\nheading = "*"\n'
        'benchmark = "copy"\n[tables.columns]\n"Name" = { key = "name" }\n'
        '"{board}: rate (MB/s)" = { metric = "rate", unit = "MB/s" }\n',
        "utf-8",
    )
    words = ["import", "--git", str(repository), "--map", str(meaning), "-o", str(out), *options]
    status = main(words)
    figures: dict[str, list[float]] = {}
    for path in out.glob("*.json") if out.is_dir() else ():
        bundle = json.loads(path.read_text("utf-8"))
        figures[bundle["sdk"]["version"]] = [each["value"] for each in bundle["results"]]
    return status, figures


FIGURES = {"09.01": [55.1], "09.02": [57.4]}


def test_no_program_that_a_repository_names_is_run(
    repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    marker = tmp_path / "marker"
    signed(repository)
    set_traps(repository, marker)
    # These traps work: git itself, run in the repository, falls into one.
    log = ["git", "-C", str(repository), "log", "-p"]
    subprocess.run(log, stdin=subprocess.DEVNULL, capture_output=True, check=False, timeout=60)
    assert marker.exists()
    marker.unlink()
    script = str(marker.with_suffix(".sh"))
    for name in ("PAGER", "EXTERNAL_DIFF", "SSH_COMMAND", "PROXY_COMMAND", "ASKPASS", "EDITOR"):
        monkeypatch.setenv(f"GIT_{name}", script)
    for name in ("DIR", "WORK_TREE", "OBJECT_DIRECTORY", "ALTERNATE_OBJECT_DIRECTORIES"):
        monkeypatch.setenv(f"GIT_{name}", str(tmp_path / "elsewhere"))
    monkeypatch.setenv("GIT_CONFIG_COUNT", "1")
    monkeypatch.setenv("GIT_CONFIG_KEY_0", "core.fsmonitor")
    monkeypatch.setenv("GIT_CONFIG_VALUE_0", script)
    before = set(repository.rglob("*"))
    for path in (["--path", "guide.rst"], ["--path", "*.rst"], ["--commits", "09.01..09.02"]):
        status, figures = imported(repository, tmp_path, *path)
        assert (status, figures) == (0, FIGURES)
    assert not marker.exists()
    assert set(repository.rglob("*")) == before


def test_an_object_that_is_missing_is_not_fetched(
    repository: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    marker = tmp_path / "marker"
    blob = git(repository, "rev-parse", "09.01:guide.rst")
    set_traps(repository, marker)
    (repository / ".git" / "objects" / blob[:2] / blob[2:]).unlink()
    read = ["git", "-C", str(repository), "cat-file", "blob", blob]
    subprocess.run(read, stdin=subprocess.DEVNULL, capture_output=True, check=False, timeout=60)
    assert marker.exists()
    marker.unlink()
    assert imported(repository, tmp_path, "--path", "*.rst") == (0, {"09.02": [57.4]})
    assert "guide.rst: error: its content cannot be read" in capsys.readouterr().err
    assert not marker.exists()


def test_a_replaced_object_is_read_as_it_was(repository: Path, tmp_path: Path) -> None:
    blob = git(repository, "rev-parse", "09.02:guide.rst")
    other = GUIDE.format(release="09.02", figure="1.0").encode()
    own = git(repository, "hash-object", "-w", "--stdin", data=other)
    git(repository, "replace", blob, own)
    assert imported(repository, tmp_path)[1] == FIGURES


def test_links_and_submodules_of_a_commit_are_not_followed(
    repository: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    secret = tmp_path / "secret.csv"
    secret.write_text('Name,"evm: rate (MB/s)"\nLEAKED,99.5\n', "utf-8")
    (repository / "link.rst").symlink_to(secret)
    (repository / "link.csv").symlink_to(secret)
    text = GUIDE.format(release="09.03", figure="58.1")
    text += "\n.. csv-table::\n   :file: link.csv\n\n.. csv-table::\n   :file: ../secret.csv\n"
    (repository / "guide.rst").write_text(text, "utf-8")
    git(repository, "add", ".")
    commit = git(repository, "rev-parse", "HEAD")
    git(repository, "update-index", "--add", "--cacheinfo", f"160000,{commit},module.rst")
    git(repository, "commit", "-q", "-m", "09.03")
    assert imported(repository, tmp_path)[1] == {**FIGURES, "09.03": [58.1]}
    printed = capsys.readouterr().err
    assert "LEAKED" not in printed
    for name in ("link.rst", "module.rst"):
        assert f"{name}: note: is a link or a submodule" in printed
    for name in ("link.csv", "../secret.csv"):
        assert f"the table's file “{name}” is not in the guide" in printed


@pytest.mark.parametrize(
    "case", ["alternates", "object-link", "folder-link", "git-file", "git-link"]
)
def test_a_repository_that_leads_out_of_itself_is_refused(
    case: str, repository: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    objects = repository / ".git" / "objects"
    moved = tmp_path / "moved"
    if case == "alternates":
        (objects / "info" / "alternates").write_text(f"{moved}\n", "utf-8")
    elif case == "object-link":
        path = next(path for path in objects.rglob("*") if path.is_file())
        path.rename(moved)
        path.symlink_to(moved)
    elif case == "folder-link":
        objects.rename(moved)
        objects.symlink_to(moved)
    elif case == "git-link":
        (repository / ".git").rename(moved)
        (repository / ".git").symlink_to(moved)
    else:
        (repository / ".git").rename(moved)
        (repository / ".git").write_text(f"gitdir: {moved}\n", "utf-8")
    assert imported(repository, tmp_path) == (2, {})
    printed = capsys.readouterr().err
    assert any(
        word in printed for word in ("borrows objects", "is a link", "leads to another folder")
    )


def test_a_tree_that_grows_without_end_is_refused(
    repository: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    blob = git(repository, "rev-parse", "HEAD:guide.rst")
    line = f"100644 blob {blob}\tx.rst\n"
    for _ in range(12):
        tree = git(repository, "mktree", data=line.encode())
        line = "".join(f"040000 tree {tree}\tf{n}\n" for n in range(10))
    commit = git(repository, "commit-tree", tree, "-m", "09.03")
    git(repository, "tag", "09.03", commit)
    status, figures = imported(repository, tmp_path, "--limit", "git=3", "--commits", "tags")
    assert (status, figures) == (0, FIGURES)
    assert "09.03: error: its files cannot be listed" in capsys.readouterr().err


def test_a_file_that_grows_by_decompression_is_refused_by_its_size(
    repository: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (repository / "large.rst").write_bytes(b"- " * 5_000_000)
    git(repository, "add", ".")
    git(repository, "commit", "-q", "-m", "large")
    git(repository, "tag", "09.03")
    assert imported(repository, tmp_path)[1] == {**FIGURES, "09.03": [57.4]}
    assert "large.rst: error: has more than 4,194,304 bytes" in capsys.readouterr().err
