"""Results in a bucket: what is read, what is kept, and what a cut costs.

The server is moto's, a real S3 server on this machine; between it and us stands a
counting relay where a test has to see or to break what is sent.
"""

from __future__ import annotations

import gzip
import io
import json
import os
import re
import socket
import subprocess
import sys
import tarfile
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, TypeVar

import fsspec
import pytest
from conftest import TOP
from prepared import run_module

from perfguide.bundles import object_store
from perfguide.bundles.decompress import Limits
from perfguide.bundles.object_store import Fetched
from perfguide.cli.command_line import main
from perfguide.common import parallel
from perfguide.common.diagnostics import Diagnostic
from perfguide.figures import dataset
from perfguide.pages import build as pages_of_site

URL = "s3://farm/results"
T = TypeVar("T")
R = TypeVar("R")


class Relay(ThreadingHTTPServer):
    """Hands requests on to the server, notes them, and can cut an answer short."""

    daemon_threads = True

    def __init__(self, port: int) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.behind = port
        self.objects: list[tuple[str, str]] = []
        self.requests: list[str] = []
        self.refuse: Callable[[str], bool] = lambda _path: False
        self.wait: Callable[[str, str], None] = lambda _path, _range: None


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: Relay

    def do_GET(self) -> None:
        self._pass_on()

    def do_HEAD(self) -> None:
        self._pass_on()

    def log_message(self, *_: object) -> None:
        pass

    def _pass_on(self) -> None:
        path, part = self.path.partition("?")[0], self.headers.get("Range", "")
        self.server.requests.append(self.path)
        is_object = self.command == "GET" and path.count("/") > 2
        if is_object:
            self.server.wait(path, part)
            if self.server.refuse(path):
                self.close_connection = True
                self.connection.shutdown(socket.SHUT_RDWR)
                return
            self.server.objects.append((path, part))
        behind = HTTPConnection("127.0.0.1", self.server.behind)
        behind.request(self.command, self.path, headers=dict(self.headers))
        answer = behind.getresponse()
        data = answer.read()
        self.send_response(answer.status)
        for name, value in answer.getheaders():
            if name.lower() not in ("connection", "transfer-encoding", "server", "date"):
                self.send_header(name, value)
        self.end_headers()
        self.wfile.write(data)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[int]:
    log = tmp_path_factory.mktemp("moto") / "log"
    with log.open("wb") as file:
        command = [sys.executable, "-m", "moto.server", "-H", "127.0.0.1", "-p", "0"]
        process = subprocess.Popen(command, stdout=file, stderr=file)
    try:
        for _ in range(600):
            if found := re.search(r"http://127\.0\.0\.1:(\d+)", log.read_text()):
                break
            assert process.poll() is None, log.read_text()
            time.sleep(0.1)
        assert found, log.read_text()
        yield int(found[1])
    finally:
        process.kill()
        process.wait()


class Bucket:
    """A bucket of its own for each test, seen through a relay."""

    def __init__(self, relay: Relay, client: Any) -> None:
        self.relay = relay
        self.client = client

    def put(self, name: str, data: bytes | dict[str, Any]) -> None:
        content = json.dumps(data).encode() if isinstance(data, dict) else data
        self.client.put_object(Bucket="farm", Key=f"results/{name}", Body=content)

    def read(self) -> list[str]:
        """The files that were read since this was asked last."""
        names = [path.removeprefix("/farm/results/") for path, _ in self.relay.objects]
        self.relay.objects.clear()
        return sorted(names)


@pytest.fixture
def bucket(server: int, monkeypatch: pytest.MonkeyPatch) -> Iterator[Bucket]:
    relay = Relay(server)
    threading.Thread(target=relay.serve_forever, args=(0.02,), daemon=True).start()
    # A server that is away is asked again; to wait for it as long as users do proves no more.
    monkeypatch.setattr("s3fs.S3FileSystem.retries", 2)
    for name in ("AWS_PROFILE", "AWS_SESSION_TOKEN", "HTTP_PROXY", "http_proxy"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "test")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "test")
    monkeypatch.setenv("AWS_DEFAULT_REGION", "us-east-1")
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    monkeypatch.setenv("AWS_MAX_ATTEMPTS", "1")
    monkeypatch.setenv("AWS_ENDPOINT_URL", f"http://127.0.0.1:{relay.server_port}")
    import boto3  # takes a second of each process that collects the tests

    client = boto3.client("s3", endpoint_url=f"http://127.0.0.1:{server}")
    client.create_bucket(Bucket="farm")
    fsspec.filesystem("s3").clear_instance_cache()
    yield Bucket(relay, client)
    fsspec.filesystem("s3").clear_instance_cache()
    for each in client.list_objects_v2(Bucket="farm").get("Contents", []):
        client.delete_object(Bucket="farm", Key=each["Key"])
    client.delete_bucket(Bucket="farm")
    relay.shutdown()
    relay.server_close()


def fetch(store: Path, url: str = URL, limits: Limits | None = None) -> Fetched:
    return object_store.fetch(url, store, limits or Limits(), dataset.no_progress)


def contents(found: Fetched) -> dict[str, bytes]:
    return {source.name: source.path.read_bytes() for source in found.sources}


def packed(members: dict[str, bytes]) -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w:gz") as container:
        for name, data in members.items():
            info = tarfile.TarInfo(name)
            info.size = len(data)
            container.addfile(info, io.BytesIO(data))
    return out.getvalue()


def held(results: str | Path, store: Path) -> dataset.Holdings:
    settings = dataset.Settings(
        (results,), (TOP / "source/benchmarks",), Path("unused"), store=store
    )
    return dataset.read(settings)


def test_a_bucket_gives_the_figures_of_the_same_files_in_a_folder(
    bucket: Bucket, make_bundle: Callable[..., dict[str, Any]], tmp_path: Path
) -> None:
    inner = json.dumps(make_bundle(id="in-tar", sdk__version="09.03")).encode()
    files = {
        "a/run 1.json": json.dumps(make_bundle(id="one")).encode(),
        "ü/run.jsonl.gz": gzip.compress(json.dumps(make_bundle(id="two")).encode()),
        "all.tar.gz": packed({"deep/x.json": inner, "../out.json": inner}),
        "bad.json": b'{"format": "perfguide-bundle"}',
        "notes.xyz": b"?",
        "README.md": b"# for people",
    }
    for name, data in files.items():
        bucket.put(name, data)
        path = tmp_path / "results" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    there, beside = held(URL, tmp_path / "store"), held(tmp_path / "results", tmp_path / "store")
    assert there.pool.figures().equals(beside.pool.figures())
    assert [b.origin for b in there.ledger.bundles] == [b.origin for b in beside.ledger.bundles]
    assert [b.bundle for b in there.ledger.bundles] == [b.bundle for b in beside.ledger.bundles]
    lines = [(d.kind, d.origin, d.message) for d in there.diagnostics]
    assert sorted(lines) == sorted((d.kind, d.origin, d.message) for d in beside.diagnostics)
    places = {d.where() for d in there.diagnostics if d.severity == "error"}
    assert {p for p in places if p.startswith(f"{URL}/all.tar.gz!../out.json")}
    assert {p for p in places if p.startswith(f"{URL}/bad.json")}


def test_a_second_run_reads_only_what_is_new_or_changed(bucket: Bucket, tmp_path: Path) -> None:
    for name in ("a.json", "b.json", "c.json"):
        bucket.put(name, name.encode())
    assert contents(fetch(tmp_path))["b.json"] == b"b.json"
    assert bucket.read() == ["a.json", "b.json", "c.json"]
    again = fetch(tmp_path)
    assert (bucket.read(), again.read) == ([], 0)
    bucket.put("b.json", b"B.json")  # as long as before, so that only its mark tells
    bucket.put("d.json", b"d.json")
    bucket.client.delete_object(Bucket="farm", Key="results/c.json")
    third = contents(fetch(tmp_path))
    assert bucket.read() == ["b.json", "d.json"]
    assert third == {"a.json": b"a.json", "b.json": b"B.json", "d.json": b"d.json"}


def test_a_damaged_store_is_read_again(bucket: Bucket, tmp_path: Path) -> None:
    bucket.put("a.json", b"right")
    (source,) = fetch(tmp_path).sources
    bucket.read()
    source.path.write_bytes(b"wrong")
    assert contents(fetch(tmp_path)) == {"a.json": b"right"}
    assert bucket.read() == ["a.json"]


@pytest.mark.parametrize("line", ["[", "[1, 2, 3]", '["a.json", "m", "../../etc"]', "{}"])
def test_a_damaged_list_is_read_again(bucket: Bucket, tmp_path: Path, line: str) -> None:
    bucket.put("a.json", b"right")
    fetch(tmp_path)
    (known,) = (tmp_path / "known").iterdir()
    known.write_text(line)
    assert contents(fetch(tmp_path)) == {"a.json": b"right"}


def test_after_a_cut_the_rest_is_read_and_nothing_half(bucket: Bucket, tmp_path: Path) -> None:
    for number in range(20):
        bucket.put(f"{number:02}.json", b"%d" % number)
    bucket.relay.refuse = lambda path: path.endswith("7.json")
    cut = fetch(tmp_path)
    assert {d.where() for d in cut.diagnostics} == {f"{URL}/07.json", f"{URL}/17.json"}
    assert {d.kind for d in cut.diagnostics} == {"missing-path"}
    assert len(cut.sources) == 18
    bucket.read()
    bucket.relay.refuse = lambda _path: False
    assert len(fetch(tmp_path).sources) == 20
    assert bucket.read() == ["07.json", "17.json"]


def test_a_file_that_changes_while_it_is_read_is_never_mixed(
    bucket: Bucket, tmp_path: Path
) -> None:
    size = object_store.MIN_CHECKED_BYTES
    old, new = b"o" * size, b"n" * size
    bucket.put("x.tar", old)
    changed = threading.Event()

    def wait(_path: str, _part: str) -> None:
        if not changed.is_set():
            bucket.put("x.tar", new)
            changed.set()

    bucket.relay.wait = wait
    # What a killed run left is not taken for a file.
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts" / "x").write_bytes(old[:1000])
    found = fetch(tmp_path)
    assert contents(found) == {"x.tar": new} and changed.is_set()
    assert found.read == len(new) and list((tmp_path / "parts").iterdir()) == []


def test_one_file_can_be_named(
    bucket: Bucket, make_bundle: Callable[..., dict[str, Any]], tmp_path: Path
) -> None:
    bucket.put("a/one.json", make_bundle())
    (source,) = fetch(tmp_path, f"{URL}/a/one.json").sources
    assert (source.root, source.name) == (f"{URL}/a", "one.json")


def test_a_file_beyond_the_limits_is_not_read(bucket: Bucket, tmp_path: Path) -> None:
    bucket.put("large.json", b"1" * 2000)
    bucket.put("large.tar", b"1" * 5000)
    found = fetch(tmp_path, limits=Limits(document=1000, container=4000))
    assert [(d.kind, d.origin) for d in found.diagnostics] == [
        ("limit", "large.json"),
        ("limit", "large.tar"),
    ]
    assert bucket.read() == []


@pytest.mark.parametrize("url", ["s3://nowhere/results", "s3://farm/empty", "nosuch://x/y"])
def test_a_place_that_is_not_there_is_an_error(bucket: Bucket, tmp_path: Path, url: str) -> None:
    found = fetch(tmp_path, url)
    assert [(d.kind, d.origin) for d in found.diagnostics] == [("missing-path", url)]


def test_an_unchanged_bucket_is_listed_once(
    bucket: Bucket, project: Path, make_bundle: Callable[..., dict[str, Any]]
) -> None:
    """A bundle that is new, and a copy that was damaged, are seen."""

    def build() -> bool:
        time.sleep(0.3)
        bucket.relay.requests.clear()
        command = ["build", "-j1", "--results", URL, "--", "-q"]
        environment = os.environ | {"PYTHONPATH": str(TOP / "ext"), "NO_COLOR": "1"}
        done = run_module("perfguide", *command, environment=environment, folder=project)
        assert (done.returncode, done.stderr) == (0, "")
        return "Nothing changed" not in done.stdout

    bucket.put("run.json", make_bundle())
    assert [build(), build()] == [True, False]
    assert len(bucket.relay.requests) == 1
    bucket.put("more.json", make_bundle(id="more", board__soc="SOC2"))
    assert [build(), build()] == [True, False]
    assert (project / "build/html/source/guides/SOC2/index.html").is_file()
    (copy, _) = sorted((project / "build/store/objects").iterdir())
    copy.write_bytes(b"damaged")
    assert build()
    assert copy.read_bytes() != b"damaged"
    # The build saw the damaged copy as well, so only one more knows that nothing changes.
    build()
    assert not build()


def test_a_machine_that_fetched_nothing_reads_what_it_needs(
    bucket: Bucket, make_bundle: Callable[..., dict[str, Any]], tmp_path: Path
) -> None:
    """Workers on other machines have no store, and get no file from the machine that asks."""
    for soc in ("SOC1", "SOC2"):
        bundle = make_bundle(id=soc, board__soc=soc)
        bucket.put(f"{soc}.json", bundle)
        (tmp_path / "results").mkdir(exist_ok=True)
        (tmp_path / f"results/{soc}.json").write_text(json.dumps(bundle), "utf-8")
    store, aside = tmp_path / "store", tmp_path / "aside"
    read: list[str] = []

    def elsewhere(work: Callable[[T], R], pieces: Iterable[T]) -> Iterator[R]:
        for piece in pieces:
            bucket.read()
            store.rename(aside)
            outcome = work(piece)
            aside.rename(store)
            read.extend(bucket.read())
            yield outcome

    def pages(results: str | Path, folder: str, run: parallel.Run) -> dict[str, bytes]:
        output = tmp_path / folder
        described = (TOP / "source/benchmarks",)
        settings = dataset.Settings((results,), described, output, formats=(), store=store)
        assert pages_of_site.generate(settings, run=run).diagnostics == ()
        return {str(path.relative_to(output)): path.read_bytes() for path in files_of(output)}

    found = pages(URL, "from-bucket", elsewhere)
    # A SoC is read twice: for what it has in common with others, and for its pages.
    assert sorted(read) == ["SOC1.json", "SOC1.json", "SOC2.json", "SOC2.json"]
    wanted = pages(tmp_path / "results", "from-folder", parallel.here)
    # The page of origins names the place of each bundle.
    of_place = {name for name in found if "provenance" in name}
    assert of_place and found.keys() == wanted.keys()
    assert {n for n in found if found[n] != wanted[n]} <= of_place


def files_of(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_file()]


def test_a_password_is_in_no_file(bucket: Bucket, make_bundle: Callable[..., Any]) -> None:
    bucket.put("run.json", make_bundle())
    assert object_store.listing_hash(URL)
    assert not object_store.listing_hash(URL.replace("//", "//user:password@"))


def test_a_server_that_is_away_leaves_the_pages_alone(
    bucket: Bucket,
    make_bundle: Callable[..., dict[str, Any]],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    bucket.put("run.json", make_bundle())
    command = ["generate", "--results", URL, "--output", "source", "--store", "store"]
    assert main(command) == 0
    pages = sorted(str(path) for path in Path("source").rglob("*"))
    bucket.relay.refuse = lambda _path: True
    bucket.put("new.json", make_bundle(id="new"))
    assert main(command) == 2
    assert sorted(str(path) for path in Path("source").rglob("*")) == pages
    assert f"{URL}/new.json: error: cannot be read" in capsys.readouterr().err


def test_names_and_passwords_show_nowhere() -> None:
    assert object_store.without_password("ftp://user:secret@host/a/") == "ftp://host/a"


def test_a_finding_names_the_place(bucket: Bucket, tmp_path: Path) -> None:
    bucket.put("bad.json", b"[")
    (finding,) = [d for d in held(URL, tmp_path).diagnostics if d.kind == "syntax"]
    assert isinstance(finding, Diagnostic)
    assert str(finding).startswith(f"{URL}/bad.json: error:")
