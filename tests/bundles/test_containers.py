"""Containers are read in memory and safely: what is damaged or hostile becomes a finding."""

from __future__ import annotations

import gzip
import io
import json
import lzma
import os
import random
import stat
import struct
import tarfile
import zipfile
from collections.abc import Callable
from dataclasses import fields
from pathlib import Path

import pytest
import zstandard
from conftest import TOP
from hypothesis import HealthCheck, given
from hypothesis import strategies as st
from making import only
from profiles import examples

from perfguide.bundles import containers
from perfguide.bundles.containers import Document
from perfguide.bundles.decompress import Limits, changed
from perfguide.common.diagnostics import KINDS, Diagnostic

ONE = b'{"a": 1}'
TWO = b'{"b": 2}'


def read(
    folder: Path, name: str, data: bytes, limits: Limits | None = None
) -> tuple[list[Document], list[Diagnostic]]:
    """Everything that a file of this name and content gives."""
    (folder / name).write_bytes(data)
    sources, findings = containers.find([folder / name])
    documents: list[Document] = []
    for source in sources:
        for item in containers.read(source, limits):
            if isinstance(item, Document):
                documents.append(item)
            else:
                findings.append(item)
    return documents, findings


def kinds(findings: list[Diagnostic]) -> list[str]:
    return [d.kind for d in findings]


def zipped(members: dict[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", method) as container:
        for name, data in members.items():
            info = zipfile.ZipInfo("x")
            info.filename, info.compress_type = name, method
            container.writestr(info, data)
    return buffer.getvalue()


def tarred(members: dict[str, bytes]) -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as container:
        for name, data in members.items():
            info = tarfile.TarInfo(name)
            info.size = len(data)
            container.addfile(info, io.BytesIO(data))
    return buffer.getvalue()


def zst(data: bytes) -> bytes:
    return zstandard.ZstdCompressor().compress(data)


def xz(data: bytes) -> bytes:
    return lzma.compress(data, preset=1)


CONTAINERS: dict[str, Callable[[dict[str, bytes]], bytes]] = {
    "x.zip": zipped,
    "X.ZIP": zipped,
    "x.tar": tarred,
    "x.tar.gz": lambda m: gzip.compress(tarred(m)),
    "x.tgz": lambda m: gzip.compress(tarred(m)),
    "x.tar.xz": lambda m: xz(tarred(m)),
    "x.tar.zst": lambda m: zst(tarred(m)),
}


@pytest.mark.parametrize("name", CONTAINERS)
def test_every_container_gives_its_documents_in_order(tmp_path: Path, name: str) -> None:
    members = {
        "b/one.json": ONE,
        "a.jsonl": TWO,
        "c.json.gz": gzip.compress(ONE, mtime=0),
        "d.jsonl.zst": zst(TWO),
        "notes.md": b"text",
    }
    documents, findings = read(tmp_path, name, CONTAINERS[name](members))
    assert findings == []
    assert [(d.origin, d.data, d.lines) for d in documents] == [
        (f"{name}!b/one.json", ONE, False),
        (f"{name}!a.jsonl", TWO, True),
        (f"{name}!c.json.gz", ONE, False),
        (f"{name}!d.jsonl.zst", TWO, True),
    ]


@pytest.mark.parametrize(
    ("name", "data", "lines"),
    [
        ("x.json", ONE, False),
        ("x.jsonl", ONE, True),
        ("x.json.gz", gzip.compress(ONE, mtime=0), False),
        ("x.JSONL.GZ", gzip.compress(ONE, mtime=0), True),
        ("x.json.zst", zst(ONE), False),
        ("two.json.gz", gzip.compress(ONE[:3], mtime=0) + gzip.compress(ONE[3:], mtime=0), False),
        ("two.json.zst", zst(ONE[:3]) + zst(ONE[3:]), False),
    ],
)
def test_every_single_document_is_read(tmp_path: Path, name: str, data: bytes, lines: bool) -> None:
    documents, findings = read(tmp_path, name, data)
    assert findings == []
    found = only(documents)
    assert (found.data, found.lines, found.origin) == (ONE, lines, name)


def test_files_are_found_at_any_depth_in_a_fixed_order(tmp_path: Path) -> None:
    for name in ("b/z/2.json", "a.json", "b/1.jsonl.gz", "b/README.md", "b/.hidden", "b/x.log"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(b"")
    (tmp_path / "b" / "run.logs.tar.zst").write_bytes(b"")
    sources, findings = containers.find([tmp_path])
    assert [s.name for s in sources] == ["a.json", "b/1.jsonl.gz", "b/z/2.json"]
    assert findings == []


def test_other_files_are_passed_over_with_a_note(tmp_path: Path) -> None:
    (tmp_path / "figures.xlsx").write_bytes(b"")
    sources, findings = containers.find([tmp_path])
    assert sources == []
    assert only(findings).kind == "ignored"
    assert ".json" in only(findings).hint


def test_a_path_that_is_not_there_is_named(tmp_path: Path) -> None:
    sources, findings = containers.find([tmp_path / "nowhere"])
    assert sources == []
    assert (only(findings).kind, only(findings).origin) == (
        "missing-path",
        str(tmp_path / "nowhere"),
    )


@pytest.mark.parametrize("name", CONTAINERS)
@pytest.mark.parametrize("evil", ["../x.json", "/etc/x.json", "a/../../x.json", "C:x.json"])
def test_a_name_that_leads_out_is_refused_and_the_rest_is_read(
    tmp_path: Path, name: str, evil: str
) -> None:
    documents, findings = read(tmp_path, name, CONTAINERS[name]({evil: ONE, "ok.json": TWO}))
    assert [d.data for d in documents] == [TWO]
    assert kinds(findings) == ["refused-member"]
    assert evil in only(findings).origin
    assert sorted(p.name for p in tmp_path.iterdir()) == [name]


@pytest.mark.parametrize("evil", ["", ".", "./."])
@pytest.mark.parametrize("name", ["x.zip", "x.tar"])
def test_a_member_without_a_name_is_refused(tmp_path: Path, name: str, evil: str) -> None:
    documents, findings = read(tmp_path, name, CONTAINERS[name]({evil: ONE, "ok.json": TWO}))
    assert [d.data for d in documents] == [TWO]
    assert kinds(findings) == ["refused-member"]


def test_links_and_devices_in_a_tar_are_refused(tmp_path: Path) -> None:
    buffer = io.BytesIO()
    secret = tmp_path / "secret.json"
    secret.write_bytes(ONE)
    with tarfile.open(fileobj=buffer, mode="w") as container:
        types = (tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.FIFOTYPE, tarfile.CHRTYPE)
        for number, type_ in enumerate(types):
            info = tarfile.TarInfo(f"{number}.json")
            info.type, info.linkname = type_, str(secret)
            container.addfile(info)
        info = tarfile.TarInfo("ok.json")
        info.size = len(TWO)
        container.addfile(info, io.BytesIO(TWO))
    documents, findings = read(tmp_path, "x.tar", buffer.getvalue())
    assert [d.data for d in documents] == [TWO]
    assert kinds(findings) == ["refused-member"] * 4


def test_a_link_in_a_zip_is_refused(tmp_path: Path) -> None:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as container:
        info = zipfile.ZipInfo("link.json")
        info.external_attr = (stat.S_IFLNK | 0o777) << 16
        container.writestr(info, "/etc/passwd")
    documents, findings = read(tmp_path, "x.zip", buffer.getvalue())
    assert documents == []
    assert kinds(findings) == ["refused-member"]


def test_an_encrypted_member_is_refused(tmp_path: Path) -> None:
    data = bytearray(zipped({"a.json": ONE}, zipfile.ZIP_STORED))
    central = data.index(b"PK\x01\x02")
    for flags in (6, central + 8):
        data[flags] |= 1
    documents, findings = read(tmp_path, "x.zip", bytes(data))
    assert documents == []
    assert "encrypted" in only(findings).message


@pytest.mark.parametrize("inner", ["in.zip", "in.tar.gz", "in.TAR"])
def test_a_container_in_a_container_is_refused(tmp_path: Path, inner: str) -> None:
    documents, findings = read(tmp_path, "x.zip", zipped({inner: b"", "ok.json": ONE}))
    assert [d.data for d in documents] == [ONE]
    assert "container in a container" in only(findings).message


def test_what_is_no_regular_file_is_never_opened(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "x.json")
    source = containers.Source("r", "x.json", tmp_path / "x.json")
    assert kinds([d for d in containers.read(source) if isinstance(d, Diagnostic)]) == [
        "refused-member"
    ]


def test_a_dangling_link_is_a_finding(tmp_path: Path) -> None:
    (tmp_path / "x.json").symlink_to(tmp_path / "nowhere")
    sources, findings = containers.find([tmp_path])
    found = list(containers.read(only(sources)))
    assert findings == []
    assert [d.kind for d in found if isinstance(d, Diagnostic)] == ["unreadable"]


# -- limits: what counts is what comes out ----------------------------------------


def bomb(size: int) -> bytes:
    return b" " * size


@pytest.mark.parametrize(
    ("name", "packed"),
    [
        ("x.json.gz", gzip.compress(bomb(8 * 1024**2))),
        ("x.json.zst", zst(bomb(8 * 1024**2))),
        ("x.zip", zipped({"a.json": bomb(8 * 1024**2)})),
        ("x.zip", zipped({"a.json.gz": gzip.compress(bomb(8 * 1024**2))})),
        ("x.tar.gz", gzip.compress(tarred({"a.json": bomb(8 * 1024**2)}))),
        ("x.tar.xz", xz(tarred({"a.json": bomb(8 * 1024**2)}))),
    ],
)
def test_what_grows_too_much_is_stopped(tmp_path: Path, name: str, packed: bytes) -> None:
    documents, findings = read(tmp_path, name, packed, Limits(ratio=50))
    assert documents == []
    assert kinds(findings) == ["limit"]
    roomy, fine = read(tmp_path, name, packed, Limits(ratio=100_000))
    assert fine == []
    assert len(only(roomy).data) == 8 * 1024**2


@pytest.mark.parametrize("name", ["x.json", "x.json.gz", "x.zip", "x.tar", "x.tar.zst"])
def test_a_document_larger_than_the_limit_is_refused(tmp_path: Path, name: str) -> None:
    data = random.Random(1).randbytes(5000)
    packed = {
        "x.json": data,
        "x.json.gz": gzip.compress(data),
        "x.zip": zipped({"a.json": data}),
        "x.tar": tarred({"a.json": data}),
        "x.tar.zst": zst(tarred({"a.json": data})),
    }[name]
    assert kinds(read(tmp_path, name, packed, Limits(document=4999))[1]) == ["limit"]
    assert read(tmp_path, name, packed, Limits(document=5000))[1] == []


@pytest.mark.parametrize("name", CONTAINERS)
def test_a_container_may_not_hold_more_than_the_limit_in_all(tmp_path: Path, name: str) -> None:
    members = {f"{n}.json": random.Random(n).randbytes(3000) for n in range(20)}
    documents, findings = read(tmp_path, name, CONTAINERS[name](members), Limits(container=20_000))
    assert 0 < len(documents) < 20
    assert kinds(findings) == ["limit"]


@pytest.mark.parametrize("name", ["x.zip", "x.tar"])
def test_a_container_may_not_hold_too_many_members(tmp_path: Path, name: str) -> None:
    packed = CONTAINERS[name]({f"{n}.json": ONE for n in range(11)})
    assert kinds(read(tmp_path, name, packed, Limits(members=10))[1]) == ["limit"]
    assert read(tmp_path, name, packed, Limits(members=11))[1] == []


def test_a_zip_that_lies_about_its_sizes_is_read_by_what_comes_out(tmp_path: Path) -> None:
    data = bytearray(zipped({"a.json": bomb(4 * 1024**2)}))
    central = data.index(b"PK\x01\x02")
    data[central + 24 : central + 28] = struct.pack("<I", 8)
    documents, findings = read(tmp_path, "x.zip", bytes(data))
    assert [len(d.data) for d in documents if len(d.data) > 8] == []
    assert findings or documents


def test_a_tar_header_that_claims_four_gigabytes_costs_nothing(tmp_path: Path) -> None:
    info = tarfile.TarInfo("a.json")
    info.size = 4 * 1024**3 - 1
    documents, findings = read(tmp_path, "x.tar", info.tobuf() + ONE)
    assert documents == []
    assert kinds(findings) == ["unreadable"]


def test_a_tar_member_of_negative_size_does_not_hang(tmp_path: Path) -> None:
    info = tarfile.TarInfo("a.json")
    header = bytearray(info.tobuf(format=tarfile.GNU_FORMAT))
    header[124:136] = b"\xff" * 10 + b"\xfe\x00"
    header[148:156] = b" " * 8
    header[148:156] = b"%06o\0 " % sum(header[:512])
    documents, findings = read(tmp_path, "x.tar", bytes(header) + bytes(1024))
    assert documents == []
    assert kinds(findings) == ["unreadable"]


def test_xz_that_asks_for_too_much_memory_is_refused(tmp_path: Path) -> None:
    packed = lzma.compress(tarred({"a.json": ONE}), preset=9)
    documents, findings = read(tmp_path, "x.tar.xz", packed, Limits(memory=1024**2))
    assert documents == []
    assert kinds(findings) == ["limit"]
    assert "memory" in only(findings).message
    assert len(read(tmp_path, "x.tar.xz", packed)[0]) == 1


# -- damage -----------------------------------------------------------------------

BULK = json.dumps([random.Random(3).random() for _ in range(400)]).encode()
PACKED = {
    "x.json.gz": gzip.compress(BULK),
    "x.json.zst": zstandard.ZstdCompressor(write_checksum=True).compress(BULK),
    **{n: make({"a.json": BULK, "b.json": ONE}) for n, make in CONTAINERS.items() if n != "X.ZIP"},
}


@pytest.mark.parametrize("name", [n for n in PACKED if n != "x.tar"])
def test_a_file_that_is_cut_short_is_a_finding(tmp_path: Path, name: str) -> None:
    for part in (0.3, 0.7, 0.97):
        data = PACKED[name][: int(len(PACKED[name]) * part)]
        documents, findings = read(tmp_path, name, data)
        assert kinds(findings) == ["unreadable"], part
        assert all(d.data in (BULK, ONE) for d in documents)


@pytest.mark.parametrize("name", ["x.json.gz", "x.tar.gz", "x.tgz"])
def test_a_wrong_checksum_at_the_end_is_found(tmp_path: Path, name: str) -> None:
    data = bytearray(PACKED[name])
    data[-6] ^= 1
    assert kinds(read(tmp_path, name, bytes(data))[1]) == ["unreadable"]


@pytest.mark.parametrize("name", PACKED)
@given(data=st.data())
@examples(10, heavy=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_no_damage_ever_raises(tmp_path: Path, name: str, data: st.DataObject) -> None:
    broken = bytearray(PACKED[name])
    for _ in range(data.draw(st.integers(1, 6))):
        place = data.draw(st.integers(0, len(broken) - 1))
        broken[place] ^= data.draw(st.integers(1, 255))
    _documents, findings = read(tmp_path, name, bytes(broken))
    assert {d.kind for d in findings} <= {"unreadable", "limit", "refused-member"}
    assert all(str(d).isprintable() for d in findings)


@pytest.mark.parametrize("name", ["x.json.gz", "x.zip", "x.tar.gz", "x.tar.xz", "x.tar.zst"])
def test_what_is_not_what_its_name_says_is_a_finding(tmp_path: Path, name: str) -> None:
    documents, findings = read(tmp_path, name, b"not at all " * 100)
    assert documents == []
    assert only(findings).kind == "unreadable"
    assert "upload it again" in only(findings).hint


@pytest.mark.parametrize(
    ("pack", "message"),
    [
        (gzip.compress, "is compressed twice"),
        (zst, "is compressed twice"),
        (lambda data: zipped({"a.json": data}), "holds a .zip file instead of text"),
    ],
)
@pytest.mark.parametrize("inside", [False, True])
def test_what_was_compressed_twice_is_named(
    tmp_path: Path, pack: Callable[[bytes], bytes], message: str, inside: bool
) -> None:
    twice = gzip.compress(pack(ONE))
    name, data = ("x.tar", tarred({"a.json.gz": twice})) if inside else ("x.json.gz", twice)
    documents, findings = read(tmp_path, name, data)
    assert documents == []
    assert (only(findings).kind, only(findings).message) == ("syntax", message)
    assert "decompress it once" in only(findings).hint
    assert only(findings).origin == ("x.tar!a.json.gz" if inside else "x.json.gz")


def test_deflated_data_with_its_middle_damaged_is_a_finding(tmp_path: Path) -> None:
    for name, packed in (("x.json.gz", gzip.compress(BULK)), ("x.zip", zipped({"a.json": BULK}))):
        data = bytearray(packed)
        data[60:100] = bytes(b ^ 0xFF for b in data[60:100])
        documents, findings = read(tmp_path, name, bytes(data))
        assert documents == []
        assert kinds(findings) == ["unreadable"]


def test_what_is_sound_before_the_damage_is_kept(tmp_path: Path) -> None:
    data = bytearray(tarred({"a.json": ONE, "b.json": TWO}))
    documents, findings = read(tmp_path, "x.tar", bytes(data[:1540]))
    assert [d.data for d in documents] == [ONE]
    assert kinds(findings) == ["unreadable"]


def test_every_kind_used_here_is_registered() -> None:
    assert {"unreadable", "limit", "refused-member", "missing-path", "ignored"} <= set(KINDS)


# -- limits are values of the configuration -------------------------------------------


def test_every_limit_can_be_changed_by_name() -> None:
    for field in fields(Limits):
        assert getattr(changed({field.name: 7}), field.name) == 7
    assert changed({}) == Limits()


@pytest.mark.parametrize("wrong", [{"memry": 1}, {"members": 0}, {"ratio": "5"}, {"ratio": True}])
def test_a_wrong_limit_is_named(wrong: dict[str, object]) -> None:
    with pytest.raises(ValueError, match=only(list(wrong))):
        changed(wrong)


def test_every_limit_is_documented_with_its_default() -> None:
    text = (TOP / "SECURITY.md").read_text("utf-8").partition("## What is promised of imports")[0]
    for field in fields(Limits):
        row = only([line for line in text.splitlines() if line.startswith(f"| `{field.name}` |")])
        assert f"{field.default:,}" in row


# -- compressed streams that follow one another ---------------------------------------


@pytest.mark.parametrize(
    ("name", "pack", "padding"),
    [
        ("x.json.gz", gzip.compress, b""),
        ("x.json.gz", gzip.compress, bytes(100)),
        ("x.json.zst", zst, b""),
        ("x.tar.xz", xz, b""),
        ("x.tar.xz", xz, bytes(8)),
    ],
)
def test_streams_in_a_row_are_one_and_each_is_checked(
    tmp_path: Path, name: str, pack: Callable[[bytes], bytes], padding: bytes
) -> None:
    whole = tarred({"a.json": BULK}) if ".tar" in name else BULK
    half = len(whole) // 2
    packed = pack(whole[:half]) + padding + pack(whole[half:]) + padding
    documents, findings = read(tmp_path, name, packed)
    assert findings == []
    assert only(documents).data == BULK
    for spoilt in (packed + b"more", packed[: -(len(padding) + 3)]):
        documents, findings = read(tmp_path, name, spoilt)
        assert kinds(findings) == ["unreadable"]


def test_too_many_streams_in_a_row_are_refused(tmp_path: Path) -> None:
    for name, packed in (("x.json.gz", gzip.compress(b"")), ("x.json.zst", zst(b""))):
        assert kinds(read(tmp_path, name, packed * 11, Limits(members=10))[1]) == ["limit"]
        assert read(tmp_path, name, packed * 10, Limits(members=10))[1] == []


@pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_a_member_packed_in_another_way_is_refused_by_name(tmp_path: Path, method: int) -> None:
    documents, findings = read(tmp_path, "x.zip", zipped({"a.json": BULK}, method))
    assert documents == []
    assert kinds(findings) == ["refused-member"] and "a.json" in only(findings).origin


def test_what_all_members_of_a_zip_give_counts_against_the_one_file(tmp_path: Path) -> None:
    chance = random.Random(5)
    members = {f"{n}.json": chance.randbytes(40) * 20_000 for n in range(4)}
    packed = zipped(members)
    ratio = 3 * len(members["0.json"]) // len(packed)
    documents, findings = read(tmp_path, "x.zip", packed, Limits(ratio=100_000))
    assert len(documents) == 4 and findings == []
    documents, findings = read(tmp_path, "x.zip", packed, Limits(ratio=ratio))
    assert len(documents) < 4 and kinds(findings) == ["limit"]
