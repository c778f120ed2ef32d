"""Uploads made to exhaust the machine are refused in little time and memory, and no disk."""

from __future__ import annotations

import gzip
import io
import json
import lzma
import os
import random
import struct
import subprocess
import sys
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest
import zstandard
from conftest import TOP
from profiles import count

MB = 1024**2
SECONDS, MEMORY = 30, 512 * MB


@dataclass(frozen=True)
class Run:
    """What became of a run of the command: its output, and what it used."""

    status: int
    output: str
    seconds: float
    memory: int


SERVE = """
import json, os, resource, sys, tempfile, traceback
from perfguide.cli import main

for line in sys.stdin:
    folder, above = json.loads(line)
    read, write = os.pipe()
    child = os.fork()
    if not child:
        for stream in (1, 2):
            os.dup2(write, stream)
        os.close(read), os.close(write)
        os.environ["TMPDIR"], tempfile.tempdir = above, None
        os.chdir(above)
        resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
        status = 70
        try:
            status = main(["check", folder])
        except BaseException:
            traceback.print_exc()
        sys.stdout.flush(), sys.stderr.flush()
        os._exit(status)
    os.close(write)
    with open(read, "rb") as said:
        output = said.read().decode()
    _, status, usage = os.wait4(child, 0)
    used = usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024
    print(json.dumps([os.waitstatus_to_exitcode(status), output, *used]), flush=True)
"""
"""Forks, for each folder, a process that has the command imported and nothing else: most bombs
are refused in less time than that takes."""


@pytest.fixture(scope="module")
def server() -> Iterator[subprocess.Popen[str]]:
    environment = os.environ | {"PYTHONPATH": str(TOP / "ext"), "PYTHONDONTWRITEBYTECODE": "1"}
    command = [sys.executable, "-c", SERVE]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with subprocess.Popen(command, env=environment, text=True, **pipes) as process:
        yield process
        process.communicate()


def check(folder: Path, server: subprocess.Popen[str]) -> Run:
    """``perfguide check``, by a process that cannot write any file. What it used is of it alone:
    what else the machine does must not fail a test."""
    assert server.stdin is not None and server.stdout is not None
    server.stdin.write(json.dumps([str(folder), str(folder.parent)]) + "\n")
    server.stdin.flush()
    return Run(*json.loads(server.stdout.readline()))


def zeros(size: int) -> Iterator[bytes]:
    for _ in range(size // MB):
        yield bytes(MB)


def deflated(first: bytes, chunk: bytes, times: int) -> bytes:
    """Some bytes and then many times others, each packed once: what stands between two
    full flushes can be repeated."""
    packer = zlib.compressobj(9, wbits=-zlib.MAX_WBITS)
    start = packer.compress(first) + packer.flush(zlib.Z_FULL_FLUSH)
    block = packer.compress(chunk) + packer.flush(zlib.Z_FULL_FLUSH)
    return start + block * times + packer.flush()


@cache
def checksum(first: bytes, chunk: bytes, times: int) -> int:
    """Of the same bytes, as they come out."""
    found = zlib.crc32(first)
    for _ in range(times):
        found = zlib.crc32(chunk, found)
    return found


def gz(first: bytes, chunk: bytes, times: int) -> bytes:
    """The same bytes as a gzip file."""
    size = (len(first) + len(chunk) * times) & 0xFFFFFFFF
    end = struct.pack("<2L", checksum(first, chunk, times), size)
    return b"\x1f\x8b\x08\0\0\0\0\0\0\xff" + deflated(first, chunk, times) + end


def xz(chunks: Iterator[bytes]) -> bytes:
    filters = [{"id": lzma.FILTER_LZMA2, "preset": 1, "dict_size": MB}]
    packer = lzma.LZMACompressor(lzma.FORMAT_XZ, filters=filters)
    return b"".join([*map(packer.compress, chunks), packer.flush()])


def xz_of_zeros() -> bytes:
    """800 MiB of them: one block of them is packed, and stands there a hundred times."""
    made = xz(zeros(8 * MB))
    index_size = (int.from_bytes(made[-8:-4], "little") + 1) * 4
    index, flags = made[-12 - index_size : -12], made[-4:-2]
    block = made[12 : -12 - index_size]
    record = index[2 : 2 + _varint(index, 2) + _varint(index, 2 + _varint(index, 2))]
    listed = b"\0" + bytes([100]) + record * 100
    listed += bytes(-len(listed) % 4)
    listed += zlib.crc32(listed).to_bytes(4, "little")
    tail = (len(listed) // 4 - 1).to_bytes(4, "little") + flags
    return made[:12] + block * 100 + listed + zlib.crc32(tail).to_bytes(4, "little") + tail + b"YZ"


def _varint(data: bytes, start: int) -> int:
    """How many bytes a number takes in an index of xz: the last one has no highest bit."""
    return next(n for n in range(1, 10) if data[start + n - 1] < 128)


def zst(chunks: Iterator[bytes]) -> bytes:
    packer = zstandard.ZstdCompressor(level=1).compressobj()
    return b"".join([*map(packer.compress, chunks), packer.flush()])


def tar_member(name: str, size: int, kind: bytes = tarfile.REGTYPE) -> bytes:
    """A header that claims what it likes."""
    info = tarfile.TarInfo(name)
    info.size, info.type = size, kind
    return info.tobuf(tarfile.GNU_FORMAT)


def after(first: bytes, size: int) -> Iterator[bytes]:
    yield first
    yield from zeros(size)


def overlapping_zip() -> bytes:
    """Many entries of the directory that lead to one member."""
    text = random.Random(1).randbytes(3000).hex().encode()
    text = b'{"a": "' + text * (6 * MB // len(text)) + b'"}'
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as container:
        container.writestr("a.json", text)
    data = buffer.getvalue()
    central, end = data.index(b"PK\1\2"), data.rindex(b"PK\5\6")
    entry, count = data[central:end], 20_000
    tail = struct.pack("<4s4H2LH", b"PK\5\6", 0, 0, count, count, len(entry) * count, central, 0)
    return data[:central] + entry * count + tail


def zip_of_zeros(name: str, times: int) -> bytes:
    """One member of so many MiB."""
    packed = deflated(b"", bytes(MB), times)
    both = (20, 0, 8, 0, 0, checksum(b"", bytes(MB), times), len(packed), times * MB)
    local = struct.pack("<4s5H3L2H", b"PK\3\4", *both, len(name), 0) + name.encode()
    entry = struct.pack("<4s6H3L5H2L", b"PK\1\2", 20, *both, len(name), *[0] * 6)
    entry += name.encode()
    start = len(local) + len(packed)
    end = struct.pack("<4s4H2LH", b"PK\5\6", 0, 0, 1, 1, len(entry), start, 0)
    return local + packed + entry + end


def zip_of(name: str, chunks: Iterator[bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    buffer = io.BytesIO()
    with (
        zipfile.ZipFile(buffer, "w", method) as container,
        container.open(name, "w", force_zip64=True) as member,
    ):
        for chunk in chunks:
            member.write(chunk)
    return buffer.getvalue()


def huge_directory() -> bytes:
    """A zip that is nothing but a directory of two million members."""
    entry = struct.pack("<4s6H3L5H2L", b"PK\1\2", 20, 20, 0, 0, 0, 0, 0, 0, 0, *[0] * 5, 0, 0)
    size = len(entry) * 2_000_000
    tail = struct.pack("<4s4H2LH", b"PK\5\6", 0, 0, 0xFFFF, 0xFFFF, size, 0, 0)
    return entry * 2_000_000 + tail


def lying_zip() -> bytes:
    """A member that claims to be as large packed as plain, so that no ratio shows."""
    data = bytearray(zip_of_zeros("a.json", 600))
    central = data.index(b"PK\1\2")
    data[central + 20 : central + 28] = struct.pack("<2L", 600 * MB, 600 * MB)
    return bytes(data)


def lzma_zip() -> bytes:
    """A member whose packing asks for a dictionary of 3 GiB."""
    data = bytearray(zip_of("a.json", iter([b"{}"]), zipfile.ZIP_LZMA))
    properties = data.index(b"\x09\x04\x05\x00\x5d") + 5
    data[properties : properties + 4] = struct.pack("<L", 3 * 1024 * MB)
    return bytes(data)


def nested_zip() -> bytes:
    data = zip_of_zeros("a.json", 64)
    for level in range(5):
        buffer = io.BytesIO()
        with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as container:
            for number in range(16):
                container.writestr(f"{level}-{number}.zip", data)
        data = buffer.getvalue()
    return data


def pax_to_all() -> bytes:
    """A header of 60 KB for all members, of which each member's entry has a copy."""
    records = b"".join(b"%d k%06d=\n" % (len(b"12 k000000=\n"), n) for n in range(5000))
    head = tar_member("x", len(records), tarfile.XGLTYPE) + records
    member = tar_member("a.txt", 0)
    return head + bytes(-len(head) % 512) + member * 120_000


def sparse_map() -> tuple[bytes, bytes, int]:
    """A sparse file of old GNU form whose map never ends: its header, and what comes how often."""
    block = (b"00000000001\0" * 2 * 21)[:504] + b"\1" + bytes(7)
    header = bytearray(tar_member("a.json", 0, tarfile.GNUTYPE_SPARSE))
    header[482] = 1
    header[148:156] = b" " * 8
    header[148:156] = b"%06o\0 " % sum(header)
    return bytes(header), block * 2048, 400


def pax_sparse_map() -> tuple[bytes, bytes, int]:
    """One of the newer form."""
    records = b"22 GNU.sparse.major=1\n22 GNU.sparse.minor=0\n"
    head = tar_member("x", len(records), tarfile.XHDTYPE) + records
    first = head + bytes(-len(head) % 512) + tar_member("a.json", 400 * MB) + b"99999999\n"
    return first, b"0\n" * (MB // 2), 400


def quine_like_gz() -> bytes:
    """Half a million empty streams in a row."""
    return gzip.compress(b"") * 500_000


def frames(count: int) -> bytes:
    return zstandard.ZstdCompressor().compress(b"") * count


SKIPPABLE = struct.pack("<2L", 0x184D2A50, 0)


def zst_window() -> bytes:
    """A frame that asks for a window of 2 GiB, and then holds one block of it."""
    return struct.pack("<LBB", 0xFD2FB528, 0, (31 - 10) << 3) + b"\x03\x00\x10\x00"


def xz_dictionary() -> bytes:
    """A stream that asks for a dictionary of 1.5 GiB."""
    data = bytearray(xz(iter([b"{}" * 1000])))
    place = data.index(b"\x21\x01", 12) + 2
    data[place] = 39 - 2  # 3 * 2**29 bytes
    size = (data[12] + 1) * 4
    data[12 + size - 4 : 12 + size] = struct.pack("<L", zlib.crc32(data[12 : 12 + size - 4]))
    return bytes(data)


NUMBER = b'{"format": "perfguide-bundle", "version": '
PACKED: dict[str, tuple[str, Callable[[], bytes]]] = {
    "zip, zeros": ("a.zip", lambda: zip_of_zeros("a.json", 2000)),
    "zip, overlapping members": ("a.zip", overlapping_zip),
    "zip, two million entries": ("a.zip", huge_directory),
    "zip, false sizes": ("a.zip", lying_zip),
    "zip, lzma with 3 GiB": ("a.zip", lzma_zip),
    "zip, nested": ("a.zip", nested_zip),
    "zip, gzip inside": ("a.zip", lambda: zip_of("a.json.gz", iter([gz(b"", bytes(MB), 1000)]))),
    "gz, zeros": ("a.json.gz", lambda: gz(b"", bytes(MB), 2000)),
    "gz, half a million streams": ("a.json.gz", quine_like_gz),
    "zst, zeros": ("a.json.zst", lambda: zst(zeros(2000 * MB))),
    "zst, window of 2 GiB": ("a.json.zst", zst_window),
    "zst, half a million frames": ("a.json.zst", lambda: frames(500_000)),
    "zst, half a million skipped frames": ("a.json.zst", lambda: SKIPPABLE * 500_000),
    "tar.gz, zeros": ("a.tar.gz", lambda: gz(b"", bytes(MB), 2000)),
    "tar.xz, zeros": ("a.tar.xz", xz_of_zeros),
    "tar.xz, dictionary of 1.5 GiB": ("a.tar.xz", xz_dictionary),
    "tar.zst, one long member": (
        "a.tar.zst",
        lambda: zst(after(tar_member("a.json", 8**11 - 1), 1500 * MB)),
    ),
    "tar, a header of 400 MB": (
        "a.tar",
        lambda: b"".join(after(tar_member("x", 400 * MB, tarfile.XHDTYPE), 400 * MB)),
    ),
    "tar.xz, a name of 800 MB": (
        "a.tar.xz",
        lambda: xz(iter([tar_member("x", 800 * MB, tarfile.GNUTYPE_LONGNAME)])) + xz_of_zeros(),
    ),
    "tar, names without end": (
        "a.tar",
        lambda: (tar_member("x", 10, tarfile.GNUTYPE_LONGNAME) + bytes(512)) * 100_000,
    ),
    "tar, one header for all": ("a.tar", pax_to_all),
    "tar.gz, sparse map without end": ("a.tar.gz", lambda: gz(*sparse_map())),
    "tar.gz, sparse map of the other kind": ("a.tar.gz", lambda: gz(*pax_sparse_map())),
    "json, 100 MB of text": ("a.json", lambda: b'{"id": "' + b"a" * 100 * MB + b'"}'),
    "json, 60 MB of text": ("a.json", lambda: b'{"id": "' + "é".encode() * 30 * MB + b'"}'),
    "json, a million equal keys": ("a.json", lambda: b'{"a":1' + b',"a":1' * 1_000_000 + b"}"),
    "json, equal keys in a bundle": (
        "a.json",
        lambda: NUMBER + b'1, "sdk": {"a":1' + b',"a":1' * 700_000 + b"}}",
    ),
    "json, unknown keys": (
        "a.json",
        lambda: b"{" + b",".join(b'"k%d":1' % n for n in range(700_000)) + b"}",
    ),
    "json, a number of 60 MB": ("a.json", lambda: NUMBER + b"9" * 60 * MB + b"}"),
    "json, a fraction of 60 MB": ("a.json", lambda: NUMBER + b"0." + b"9" * 60 * MB + b"}"),
    "json, zeros in an array": ("a.json", lambda: b"[" + b"0," * 30 * MB + b"0]"),
    "json, faulty samples": (
        "a.json",
        lambda: b'{"results": [{"samples": [' + b'"",' * 700_000 + b'""]}]}',
    ),
    "json, samples without end": (
        "a.json",
        lambda: b'{"results": [{"samples": [' + b"1," * 30 * MB + b"1]}]}",
    ),
    "json, empty objects": ("a.json", lambda: b'{"results": [' + b"{}," * 700_000 + b"{}]}"),
    "json, nested": ("a.json", lambda: b"[" * 60 * MB),
    "json, nested objects": ("a.json", lambda: b'{"a":' * 10 * MB),
    "json, nested and closed": ("a.json", lambda: b"[" * 700_000 + b"]" * 700_000),
    "json, escapes": ("a.json", lambda: b'{"id": "' + b"\\u0041" * 10 * MB + b'"}'),
    "jsonl, lines of one digit": ("a.jsonl", lambda: b"1\n" * 30 * MB),
    "jsonl, empty lines": ("a.jsonl", lambda: b"\n" * 60 * MB),
    "jsonl, lines of many faults": (
        "a.jsonl",
        lambda: (b'{"results": [' + b"{}," * 4000 + b"{}]}\n") * 4000,
    ),
}

LIKE_OTHERS = ("zst, half a million skipped frames", "json, equal keys in a bundle")
LIKE_OTHERS += ("json, a fraction of 60 MB", "json, empty objects")
"""They take long, and what refuses them refuses others too: frames, unknown keys, a number, lines of
many faults."""


@pytest.mark.parametrize("name", sorted({*PACKED} - {*LIKE_OTHERS[: count(4, heavy=0)]}))
def test_a_bomb_is_refused_in_little_time_and_memory_and_without_disk(
    tmp_path: Path, server: subprocess.Popen[str], name: str
) -> None:
    file, make = PACKED[name]
    folder = tmp_path / "results"
    folder.mkdir()
    (folder / file).write_bytes(make())
    run = check(folder, server)
    used = f"{run.seconds:.1f} s, {run.memory / MB:.0f} MB: {run.output[:500]}"
    assert run.status == 1, used
    assert f"{folder}/{file}" in run.output and ": error: " in run.output, used
    assert "Traceback" not in run.output, used
    assert run.seconds < SECONDS, used
    assert run.memory < MEMORY, used
    assert [p.name for p in tmp_path.iterdir()] == ["results"]
    assert [p.name for p in folder.iterdir()] == [file]
    print(used)


def test_what_every_bomb_is_measured_against_can_be_exceeded(tmp_path: Path) -> None:
    """The same command with the limits taken away uses more than they allow."""
    (tmp_path / "results").mkdir()
    (tmp_path / "results/a.json").write_bytes(b"[" + b"[]," * 9_500_000 + b"[]]")
    code = (
        "import resource, sys; from pathlib import Path;"
        "from perfguide.bundles import decompress; from perfguide.figures import dataset;"
        "big = decompress.Limits(values=10**9, faulty=10**9);"
        "settings = dataset.Settings((Path('results'),), (), Path(), limits=big);"
        "dataset.read(settings);"
        "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(TOP / "ext")},
        capture_output=True,
        text=True,
        check=True,
    )
    assert int(done.stdout) > MEMORY
