"""Fuzzing targets: functions of bytes that raise only if the code has a bug."""

from __future__ import annotations

import datetime
import gzip
import io
import json
import lzma
import random
import tarfile
import tempfile
import zipfile
import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

import msgspec
import sound
import zstandard
from profiles import count

from perfguide import bundle
from perfguide.adapters import Context, Format, Reading, registry
from perfguide.bundles import containers, decompress
from perfguide.bundles import decode as validate
from perfguide.bundles.containers import Document, Source
from perfguide.bundles.decode import Loaded
from perfguide.catalog.benchmarks import Catalog
from perfguide.common.diagnostics import KINDS, Diagnostic
from perfguide.figures import pool, rows
from perfguide.intake import pack_logs

SAMPLES = Path(__file__).parents[1] / "adapters"

# Small enough for mutated input to reach them.
LIMITS = decompress.Limits(document=2**20, container=2**21, members=200, ratio=100, memory=2**22)


@dataclass(frozen=True)
class Target:
    """A fuzzing target, with valid input to start from."""

    run: Callable[[bytes], None]
    seeds: tuple[bytes, ...]
    times: int = field(default_factory=lambda: count(50, heavy=150))
    """The number of times that a test runs it."""


def _fine(diagnostic: Diagnostic) -> None:
    assert diagnostic.kind in KINDS
    assert str(diagnostic).isprintable(), str(diagnostic)


def _valid(loaded: Loaded) -> None:
    """Check that an accepted bundle can be published, and is unchanged when it is read again."""
    again = bundle.decode(bundle.encode(loaded.bundle))
    assert bundle.digest(again) == loaded.digest
    if loaded.digest[0] != "0":  # building a frame takes far longer than the rest
        return
    pooled = pool.Pool(rows.build([loaded]), Catalog({}))
    assert sum(len(pooled.of_guide(key)) for key in pooled.guides()) == len(pooled)


def decoder(lines: bool) -> Callable[[bytes], None]:
    """Return the decoder of one document, which has to be deterministic."""
    name = "a.jsonl" if lines else "a.json"

    def run(data: bytes) -> None:
        items = list(validate.load(_text(name, data), LIMITS))
        assert items == list(validate.load(_text(name, data), LIMITS))
        for item in items:
            if isinstance(item, Loaded):
                _valid(item)
            else:
                _fine(item)

    return run


def _text(name: str, data: bytes) -> Document:
    return Document(Source("r", name, Path(name)), name, data, name.endswith(".jsonl"))


def container(name: str) -> Callable[[bytes], None]:
    """Return the reader of a file of this name, read from disk like an upload."""
    folder = Path(tempfile.mkdtemp(prefix="perfguide-fuzz-"))
    path = folder / name

    def run(data: bytes) -> None:
        path.write_bytes(data)
        given = 0
        for item in containers.read(Source("r", name, path), LIMITS):
            if isinstance(item, Diagnostic):
                _fine(item)
                assert item.kind in ("unreadable", "limit", "refused-member"), item
            else:
                given += len(item.data)
                assert len(item.data) <= LIMITS.document
        assert given <= LIMITS.container * 2
        # Nothing may be unpacked to disk.
        assert [p.name for p in folder.iterdir()] == [name]

    return run


def adapter(form: Format) -> Callable[[bytes], None]:
    """Return a format's reader, which must never raise, and whose results must fit into a
    bundle."""
    encode, decode = msgspec.json.Encoder(), msgspec.json.Decoder(list[bundle.Result])

    def run(data: bytes) -> None:
        assert isinstance(form.recognises(data), bool)
        reading = form.read(data, Context("a.log", {"engine": "hw"}, {"board.name": "sk"}))
        assert isinstance(reading, Reading)
        for diagnostic in reading.diagnostics:
            _fine(diagnostic)
        lines = data.count(b"\n") + 1
        assert all(1 <= number <= lines for number in reading.lines)
        try:
            decode.decode(
                encode.encode(pack_logs.without_halves(msgspec.to_builtins(list(reading.results))))
            )
        except msgspec.ValidationError:
            # No bundle accepts this figure: packing has to report it with its location.
            stated = pack_logs.Stated(
                dict.fromkeys(("board.name", "board.soc", "sdk.version", "sdk.os"), "x")
            )
            log = pack_logs.LogFile("a.log", data)
            packed = pack_logs.pack(
                [log], {}, stated, {"a.log": [form]}, datetime.datetime.now(datetime.UTC)
            )
            assert packed.bundle is None and packed.diagnostics

    return run


def _publish(data: bytes) -> None:
    """Publish an archive of valid bundles; different bytes give a different one."""
    seed = zlib.crc32(data)
    with tempfile.TemporaryDirectory() as folder:
        # Charts take most of the time, so only one archive in twenty draws them.
        sound.publish(
            sound.of_many_sizes(seed), Path(folder) / "a", charts=seed % 20 == 0, seed=seed
        )


def _bundle() -> bytes:
    result = {"benchmark": "b", "metric": "m", "unit": "MB/s", "params": {"n": 1, "t": "x"}}
    plain = {
        "format": "perfguide-bundle",
        "version": 1,
        "id": "run-1",
        "created": "2024-04-02T09:30:00Z",
        "runner": {"name": "lab", "job_url": "http://x"},
        "sdk": {"version": "09.02", "os": "linux", "kernel": "6.1"},
        "board": {"name": "a", "soc": "S", "cpu_mhz": 1400.5, "description": "é\u202e"},
        "supersedes": ["run-0"],
        "tools": {"x": True},
        "results": [
            {**result, "samples": [1.5, 2e3], "command": "c", "log": {"file": "f", "line": 1}},
            {**result, "metric": "n", "value": -1, "min": -2, "max": 0, "count": 3},
            {**result, "metric": "o", "status": "fail"},
        ],
    }
    return json.dumps(plain).encode()


def _members() -> dict[str, bytes]:
    text = _bundle()
    return {
        "a.json": text,
        "b/c.jsonl.gz": gzip.compress(text),
        "d.json.zst": zstandard.compress(text),
        "e.md": b"words",
    }


def _zip() -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as container:
        for name, data in _members().items():
            container.writestr(zipfile.ZipInfo(name), data)
    return buffer.getvalue()


def _tar(form: int = tarfile.PAX_FORMAT) -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", format=form) as container:
        for name, data in {**_members(), "é" * 80 + ".json": b"{}"}.items():
            info = tarfile.TarInfo(name)
            info.size = len(data)
            container.addfile(info, io.BytesIO(data))
        link = tarfile.TarInfo("link.json")
        link.type, link.linkname = tarfile.SYMTYPE, "x" * 120
        container.addfile(link)
    return buffer.getvalue()


def samples(form: Format) -> tuple[bytes, ...]:
    """Return the format's own example, and the tests' logs that it recognises."""
    inputs = [form.example.encode(), *(log for log in _logs() if form.recognises(log))]
    return tuple(inputs[:12])


@cache
def _logs() -> list[bytes]:
    """Return the short logs of the tests."""
    paths = [p for name in ("data", "farm_data") for p in sorted((SAMPLES / name).rglob("*"))]
    logs = [path for path in paths if path.is_file() and path.suffix != ".py"]
    # Long logs would take most of the time.
    return [path.read_bytes() for path in logs if path.stat().st_size < 20_000]


def targets() -> dict[str, Target]:
    """Return all fuzzing targets by name."""
    text, tar = _bundle(), _tar()
    tars = (tar, _tar(tarfile.GNU_FORMAT))
    out = {
        "decoder": Target(decoder(False), (text, b"[" + text + b"," + text + b"]")),
        "decoder-lines": Target(decoder(True), (text + b"\n" + text + b"\n",)),
        "json": Target(container("a.json"), (text,)),
        "json.gz": Target(container("a.json.gz"), (gzip.compress(text), gzip.compress(b"") * 3)),
        "json.zst": Target(container("a.json.zst"), (zstandard.compress(text),)),
        "zip": Target(container("a.zip"), (_zip(),)),
        "tar": Target(container("a.tar"), tars),
        "tar.gz": Target(container("a.tar.gz"), tuple(map(gzip.compress, tars))),
        "tar.xz": Target(container("a.tar.xz"), tuple(map(lzma.compress, tars))),
        "tar.zst": Target(container("a.tar.zst"), tuple(map(zstandard.compress, tars))),
        "sound": Target(_publish, (bytes(8),), times=count(2, heavy=15)),
    }
    for name, form in registry.formats().items():
        out[f"adapter-{name}"] = Target(adapter(form), samples(form))
    return out


WORDS = (
    *(b"NaN", b"1e999", b"-1e-999", b"\xef\xbb\xbf", b"\xff\xfe", b"\xed\xa0\x80", b"\0", b"\x1b["),
    *(b'"', b"\\u0000", b"\\ud800", b"[" * 50, b"{" * 50, b"9" * 400, b"-", b".", b"%", b"\r\n"),
    *("\u202e".encode(), "٣".encode(), "½".encode(), b"\t", b",", b":", b"inf", b"0x1", b"<!--"),
)


def mutated(chance: random.Random, seeds: Sequence[bytes]) -> bytes:
    """Return valid input with a few mutations."""
    data = bytearray(chance.choice(seeds))
    # Usually few, since input with many faults is rejected at the first one.
    for _ in range(chance.choice((1, 1, 2, 3, 8))):
        begin = chance.randrange(len(data) + 1)
        end = min(len(data), begin + chance.choice((0, 1, 1, 2, 8, 64, 512)))
        match chance.randrange(6):
            case 0:
                data[begin:end] = chance.randbytes(end - begin)
            case 1:
                data[begin:end] = b""
            case 2:
                data[begin:end] = chance.choice(WORDS)
            case 3:
                data[begin:begin] = data[begin:end] * chance.choice((1, 2, 50))
            case 4 if data and begin < len(data):
                data[begin] ^= 1 << chance.randrange(8)
            case _:
                other = chance.choice(seeds)
                cut = chance.randrange(len(other) + 1)
                data[begin:end] = other[cut : cut + chance.randrange(200)]
    return bytes(data)
