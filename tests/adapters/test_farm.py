"""What board farms store: every figure exact, its line right, nothing guessed."""

from __future__ import annotations

import json
import math
import re
import time
from pathlib import Path

import pytest
import yaml
from hypothesis import HealthCheck, given
from hypothesis import strategies as st
from msgspec import UNSET
from profiles import examples

from perfguide import bundle
from perfguide.adapters import Context, Format, Reading
from perfguide.adapters.farm import (
    google_benchmark,
    kcidb,
    lava_csv,
    lava_yaml,
    phoronix_xml,
    pytest_benchmark,
    squad,
)
from perfguide.adapters.farm.squad import split
from perfguide.adapters.farm.text import moment, number
from perfguide.adapters.json_nodes import documents
from perfguide.bundle import Result
from perfguide.common.diagnostics import KINDS

MODULES = (
    lava_yaml,
    lava_csv,
    squad,
    kcidb,
    phoronix_xml,
    google_benchmark,
    pytest_benchmark,
)
FORMATS: dict[str, Format] = {module.FORMAT.name: module.FORMAT for module in MODULES}
DATA = Path(__file__).with_name("farm_data")
FILES = {
    "lava.yaml": "lava-yaml",
    "lava.csv": "lava-csv",
    "lava-quoted.csv": "lava-csv",
    "squad-metrics.json": "squad",
    "squad-metadata.json": "squad",
    "squad-api-metrics.json": "squad",
    "squad-api-data.json": "squad",
    "kcidb-4.2.json": "kcidb",
    "kcidb-5.3.json": "kcidb",
    "phoronix-composite.xml": "phoronix-xml",
    "google-benchmark-1.7.1.json": "google-benchmark",
    "google-benchmark-1.7.1-aggregates.json": "google-benchmark",
    "google-benchmark-1.4.1.json": "google-benchmark",
    "pytest-benchmark-5.3.1.json": "pytest-benchmark",
    "pytest-benchmark-5.3.1-saved.json": "pytest-benchmark",
}
CHOSEN = {"board.name": "am62xx_sk-fs", "sdk.version": "09.01"}
"""What takes one board and release from the file that has several."""

SLOW = examples(20, heavy=120, suppress_health_check=list(HealthCheck), derandomize=True)


def load(name: str) -> bytes:
    return (DATA / name).read_bytes()


def read(name: str, data: bytes, params: dict[str, str] | None = None) -> Reading:
    """Read, and check what holds for every reading of whatever bytes."""
    form = FORMATS[name]
    assert isinstance(form.recognises(data), bool)
    told = params or {}
    about = {key: value for key, value in told.items() if "." in key}
    own = {key: value for key, value in told.items() if "." not in key}
    reading = form.read(data, Context("x.log", own, about))
    last = data.count(b"\n") + 1
    for result in reading.results:
        encoded = bundle._ENCODER.encode(result)
        assert bundle.msgspec.json.decode(encoded, type=Result) == result
        assert result.log is not None and 1 <= result.log.line <= last
        assert result.log.file == "x.log"
        assert all(bundle.is_name(t) for t in (result.benchmark, result.metric, result.unit))
        assert (result.status is UNSET) is bool(figures(result))
        assert all(math.isfinite(figure) for figure in figures(result))
    for diagnostic in reading.diagnostics:
        assert diagnostic.kind in KINDS and diagnostic.origin == "x.log" and str(diagnostic)
        assert diagnostic.line is None or 1 <= diagnostic.line <= last
    assert all(1 <= line <= last for line in reading.lines)
    assert all(isinstance(v, str | int | float) and v for v in reading.facts.values())
    return reading


def figures(result: Result) -> list[float]:
    found = [] if result.samples is UNSET else list(result.samples)
    return found if result.value is UNSET else [*found, result.value]


def brief(result: Result) -> tuple[object, ...]:
    """Benchmark, metric, unit, params, figures or "fail", line."""
    assert result.log is not None
    what = "fail" if result.status is not UNSET else figures(result)
    params = dict(result.params)
    return result.benchmark, result.metric, result.unit, params, what, result.log.line


def key(result: Result) -> tuple[object, ...]:
    """What a result is of, to look it up by."""
    return result.benchmark, result.metric, result.unit, str(dict(result.params))


def kinds(reading: Reading) -> list[str]:
    return [d.kind for d in reading.diagnostics]


def line_of(data: bytes, text: str, nth: int = 1) -> int:
    """The line of the nth occurrence of a text, found without any adapter."""
    at = -1
    for _ in range(nth):
        at = data.index(text.encode(), at + 1)
    return data.count(b"\n", 0, at) + 1


# Figures, units, names and lines of the kept files


@pytest.mark.parametrize("file", ["lava.yaml", "lava.csv", "lava-quoted.csv"])
def test_lava_export(file: str) -> None:
    data = load(file)
    reading = read(FILES[file], data)
    at = [0, *(line_of(data, f"/testcase/{n}") for n in range(1, 13))]
    if file.endswith(".yaml"):
        at = [
            0,
            *(i for i, t in enumerate(data.split(b"\n"), 1) if t.startswith(b"  measurement:")),
        ]
    assert [brief(r) for r in reading.results] == [
        ("lmbench", "bw_mem-bcopy-1mb", "MB/s", {}, [1252.05, 1250.5], at[2]),
        ("lmbench", "lat_ctx-4-256k", "us", {}, [0.0], at[3]),
        ("lmbench", "bw_mem-bzero-1mb", "MB/s", {}, "fail", at[5]),
        ("stream", "triad", "MB/s", {"test_set": "one_thread"}, [2502.25], at[8]),
        ("stream", "triad", "MB/s", {"test_set": "four_threads"}, [4810.0], at[9]),
        ("stream", "copy", "1", {}, "fail", at[11]),
        ("stream", "tiny", "s", {}, [1e-7], at[12]),
    ]
    assert reading.facts == {"created": "2024-04-02T09:39:00.123456+00:00"}
    notes = [d.message for d in reading.diagnostics if d.kind == "log-note"]
    assert kinds(reading).count("log-failed") == 2 and "log-row" not in kinds(reading)
    assert any("skip" in n for n in notes) and any("unknown" in n for n in notes)
    assert any("1 cases of LAVA's own suite" in n for n in notes)
    assert any("1 test cases passed without" in n for n in notes)
    assert reading.lines == frozenset(range(1, data.count(b"\n") + 1))


def test_squad_as_uploaded() -> None:
    data = load("squad-metrics.json") + load("squad-metadata.json")
    reading = read("squad", data)
    assert [brief(r) for r in reading.results] == [
        ("/", "v1", "1", {}, [1.0], 2),
        ("lmbench", "bw_mem-bcopy-1mb", "1", {}, [1252.05, 1250.5, 1251.0], 3),
        ("lmbench", "bw_mem-bzero-1mb", "MB/s", {}, [1300.25, 1301.75], 4),
        ("group/sub", "lat_unix", "us", {}, [2.5], 6),
        ("cts", "api.open[path/with/slash]", "1", {}, [3.125], 9),
        ("stream", "triad", "MB/s", {}, "fail", 10),
    ]
    assert dict(reading.facts) == {
        "created": "2024-04-02T09:30:00+00:00",
        "runner.job_url": "https://lava.example.org/scheduler/job/1109234",
        "tools.lmbench": "3.0-a9",
        "tools.stream": "5.10",
        "sdk.version": "09.02.01.10",
        "board.name": "am62xx_sk-fs",
    }
    assert kinds(reading) == ["log-failed", "log-note"]


def test_squad_from_the_api() -> None:
    data = load("squad-api-metrics.json")
    reading = read("squad", data)
    assert [brief(r) for r in reading.results] == [
        ("lmbench", "bw_mem-bcopy-1mb", "MB/s", {}, [1252.0, 1250.5], line_of(data, "1252.0,")),
        ("lmbench", "lat_unix", "1", {}, [7.5], line_of(data, "7.5")),
        ("stream", "triad", "MB/s", {}, [2502.25], line_of(data, "2502.25")),
    ]
    assert reading.facts == {}  # the interface names board and build by address only
    assert kinds(reading) == ["log-note"]
    listed = json.dumps(json.loads(data)["results"]).encode()
    assert len(read("squad", listed).results) == 3


def test_figures_of_several_boards_are_read_only_when_one_is_chosen() -> None:
    data = load("squad-api-data.json")
    reading = read("squad", data)
    assert reading.results == () and kinds(reading) == ["log-row"]
    reading = read("squad", data, CHOSEN)
    (result,) = reading.results
    assert brief(result)[:5] == ("lmbench", "bw_mem-bcopy-1mb", "1", {}, [1252.05])
    assert reading.facts == CHOSEN | {"created": "2018-09-17T19:01:12+00:00"}

    text = load("phoronix-composite.xml").decode()
    second = text.replace("am62xx_sk-fs</Identifier>", "am64xx</Identifier>", 3)
    assert read("phoronix-xml", second.encode()).results == ()
    one = read("phoronix-xml", second.encode(), {"board.name": "am64xx"})
    assert [r.metric for r in one.results] == ["Type: Copy", "Type: Add - Benchmark: Integer"]


def test_kcidb() -> None:
    data = load("kcidb-5.3.json")
    reading = read("kcidb", data)
    value = [line_of(data, '"value"', n) for n in range(1, 5)]
    failed = [line_of(data, '"status": "FAIL"')]
    assert [brief(r) for r in reading.results] == [
        ("lmbench", "bw_mem-bcopy-1mb", "MB/s", {}, [1252.05], value[0]),
        ("lmbench", "lat_fs.0k", "s", {}, [1.6e-7], value[1]),
        ("boot-time", "boot-time", "1", {}, [42.0], value[2]),
        ("stream", "triad", "MB/s", {}, "fail", value[3]),
        ("ltp", "sem01", "1", {}, "fail", failed[0]),
    ]
    assert reading.facts == {
        "board.name": "am62xx_sk-fs",
        "runner.name": "lab3",
        "sdk.kernel": "v6.1.80",
        "created": "2024-04-02T09:30:00+00:00",
    }
    assert kinds(reading).count("log-note") == 5
    old = read("kcidb", load("kcidb-4.2.json"))
    assert [brief(r)[4] for r in old.results] == [[1252.05]]
    assert read("kcidb", data.replace(b'"major": 5', b'"major": 6')).results == ()


def test_phoronix_xml() -> None:
    data = load("phoronix-composite.xml")
    reading = read("phoronix-xml", data)
    copy, add, ray, openssl, check = reading.results
    assert brief(copy) == (
        "stream",
        "Type: Copy",
        "MB/s",
        {"profile": "pts/stream-1.3.4", "arguments": "Copy"},
        [2500.04, 2502.51, 2504.96, 2502.5],
        line_of(data, "<Value>2502.5<"),
    )
    # the reported value is the larger run, not the mean: the runs are a range
    assert (add.samples, add.value, add.min, add.max, add.count) == (
        UNSET,
        1900.75,
        1800.25,
        1900.75,
        2,
    )
    assert (ray.metric, ray.unit, ray.value, ray.min, ray.max) == (
        "C-Ray",
        "Seconds",
        612.081,
        600.5,
        630.25,
    )
    assert (openssl.status, check.status) == ("fail", "fail")
    assert openssl.log is not None and openssl.log.line == line_of(data, "<Value/>")
    assert reading.facts == {
        "board.name": "am62xx_sk-fs",
        "sdk.kernel": "6.1.80",
        "tools.phoronix-test-suite": "10.8.4",
    }
    assert kinds(reading) == ["log-failed", "log-failed", "log-note"]


def test_google_benchmark() -> None:
    data = load("google-benchmark-1.7.1.json")
    runs = json.loads(data)["benchmarks"]
    reading = read("google-benchmark", data)
    got = {(r.metric, r.params["measure"]): r for r in reading.results}
    for name in ("copy/1024", "copy/65536"):
        own = [r for r in runs if r["run_name"] == name and r["run_type"] == "iteration"]
        for measure, unit in (("real_time", "ns"), ("bytes_per_second", "B/s"), ("sets", "1")):
            result = got[name, measure]
            assert (result.benchmark, result.unit) == ("copy_bench", unit)
            assert result.samples == [r[measure] for r in own] and len(own) == 3
    # the library writes repetitions in no fixed order: the first that stands there
    first = got["copy/1024", "real_time"]
    assert first.log is not None and first.samples is not UNSET
    text = data.split(b"\n")[first.log.line - 1].decode()
    assert float(text.split(":")[1].strip(" ,")) == first.samples[0]
    for failed in (("broken", "real_time"), ("undefined", "limit"), ("undefined", "ratio")):
        assert got[failed].status == "fail"
    assert len(got) == 14 and reading.facts["board.cpu_mhz"] == 2596.0

    reading = read("google-benchmark", load("google-benchmark-1.7.1-aggregates.json"))
    mean = next(r for r in reading.results if r.metric == "copy/1024")
    assert mean.samples is UNSET and mean.value == 36.34958745771138 and mean.count == 3


def test_google_benchmark_before_it_said_what_a_run_is() -> None:
    reading = read("google-benchmark", load("google-benchmark-1.4.1.json"))
    got = {(r.metric, r.params["measure"]): r.samples for r in reading.results}
    assert got["BM_copy/1024", "real_time"] == [316.70371378207353, 315.91371378207353]
    # A name that ends as an aggregate's is one only beside the others of its kind.
    assert got["BM_arithmetic_mean", "cpu_time"] == [12.25]
    assert {metric for metric, _ in got} == {"BM_copy/1024", "BM_arithmetic_mean"}
    assert sorted(kinds(reading)) == ["log-note", "log-row", "log-row"]


def test_metrics_without_a_suite_are_recognised_where_the_file_holds_nothing_else() -> None:
    squad_format = FORMATS["squad"]
    for text in ('{"metric1": 21, "metric2": 4}', '{\n "boot": [1.5, 2],\n "x": 1\n}\n'):
        assert squad_format.recognises(text.encode())
        assert {r.benchmark for r in read("squad", text.encode()).results} == {"/"}
    for text in (
        '{"metric1": 21, "note": "x"}',
        'log\n{"metric1": 21}',
        '{"a": 1}\n{"b": 2}',
        "{}",
    ):
        assert not squad_format.recognises(text.encode())


def test_pytest_benchmark() -> None:
    data = load("pytest-benchmark-5.3.1.json")
    own = json.loads(data)["benchmarks"]
    reading = read("pytest-benchmark", data)
    assert [(r.benchmark, r.metric, r.unit) for r in reading.results] == [
        ("test_copy.py", "test_sha256[1024]", "s"),
        ("test_copy.py", "test_sha256[65536]", "s"),
        ("test_copy.py", "test_sum", "s"),
    ]
    for result, written in zip(reading.results, own, strict=True):
        assert result.samples == written["stats"]["data"]
        assert result.value == written["stats"]["mean"]
        assert result.log is not None
        assert str(result.samples[0]).encode() in data.split(b"\n")[result.log.line - 1]
    assert reading.facts["tools.pytest-benchmark"] == "5.3.1"
    saved = read("pytest-benchmark", load("pytest-benchmark-5.3.1-saved.json")).results
    written = json.loads(load("pytest-benchmark-5.3.1-saved.json"))["benchmarks"]
    assert [(r.value, r.min, r.max, r.count) for r in saved] == [
        tuple(w["stats"][k] for k in ("mean", "min", "max", "rounds")) for w in written
    ]


# What holds for all formats


@pytest.mark.parametrize("name", FORMATS)
def test_each_example_is_of_its_own_format_only(name: str) -> None:
    example = FORMATS[name].example.encode()
    assert [n for n, f in FORMATS.items() if f.recognises(example)] == [name]
    reading = read(name, example)
    assert reading.results and "log-row" not in kinds(reading)


@pytest.mark.parametrize("file", FILES)
def test_each_file_is_of_its_own_format_only(file: str) -> None:
    assert [n for n, f in FORMATS.items() if f.recognises(load(file))] == [FILES[file]]


@pytest.mark.parametrize("file", FILES)
def test_carriage_returns_change_nothing(file: str) -> None:
    data = load(file).replace(b"\r\n", b"\n")
    plain = read(FILES[file], data, CHOSEN if "api-data" in file else None)
    crlf = data.replace(b"\n", b"\r\n")
    assert FORMATS[FILES[file]].recognises(crlf)
    again = read(FILES[file], crlf, CHOSEN if "api-data" in file else None)
    assert (again.results, again.facts, again.lines) == (plain.results, plain.facts, plain.lines)


@pytest.mark.parametrize("file", FILES)
def test_found_in_the_midst_of_other_output(file: str) -> None:
    data = load(file)
    before = b"# uname -a\nLinux am62xx 6.1.80\n\x1b[32mok\x1b[0m 12.5 MB/s\n\n"
    params = CHOSEN if "api-data" in file else None
    plain = read(FILES[file], data, params)
    after = b"" if data.endswith(b"\n") else b"\n"
    noisy = before + data + after + b"root@am62xx:~# exit\n"
    assert FORMATS[FILES[file]].recognises(noisy)
    shifted = read(FILES[file], noisy, params)
    moved = [(*brief(r)[:5], int(str(brief(r)[5])) + 4) for r in plain.results]
    assert [brief(r) for r in shifted.results] == moved
    assert shifted.facts == plain.facts


@pytest.mark.parametrize("name", [n for n in FORMATS if n not in ("lava-yaml", "lava-csv")])
def test_several_documents_in_one_file_are_read_each(name: str) -> None:
    example = FORMATS[name].example.encode()
    once = read(name, example).results
    for twice in (example * 2, example.rstrip() + example):
        assert [len(r.samples) for r in read(name, twice).results if r.samples] in (
            [2 * len(r.samples) for r in once if r.samples],
            [len(r.samples) for r in once if r.samples] * 2,  # a reported value stays apart
        )


@pytest.mark.parametrize("file", FILES)
def test_a_cut_file_gives_no_figure_that_the_whole_does_not_give(file: str) -> None:
    data = load(file)
    params = CHOSEN if "api-data" in file else None
    whole = {key(r): r for r in read(FILES[file], data, params).results}
    for end in range(0, len(data), max(1, len(data) // 400)):
        if file.endswith(".yaml") and data[:end].endswith(b"\n"):
            continue  # metadata that is cut between its lines looks whole
        for result in read(FILES[file], data[:end], params).results:
            if result.status is not UNSET:
                assert (result.benchmark, result.metric) in {of[:2] for of in whole}
                continue
            of = whole[key(result)]
            assert set(figures(result)) <= set(figures(of)) and result.log == of.log


@pytest.mark.parametrize("name", FORMATS)
@SLOW
@given(data=st.data())
def test_no_bytes_raise_and_damage_never_moves_a_figure(name: str, data: st.DataObject) -> None:
    """Bytes of another stream, a hole, or a doubled stretch in a sound file: what
    is still read stands, digit for digit, on the line that it is said to be on."""
    files = [f for f, n in FILES.items() if n == name and "api-data" not in f]
    sound = load(data.draw(st.sampled_from(files)))
    start = data.draw(st.integers(0, len(sound)))
    end = min(len(sound), start + data.draw(st.integers(0, 300)))
    noise = data.draw(st.binary(max_size=40) | st.text(max_size=20).map(str.encode))
    damaged = sound[:start] + noise + sound[end:]
    lines = damaged.split(b"\n")
    for result in read(name, damaged).results:
        if result.status is UNSET and result.log is not None:
            numbers = re.findall(
                rb"[-+]?(?:\d*\.)?\d+(?:\.\d*)?(?:[eE][-+]?\d+)?", lines[result.log.line - 1]
            )
            written = {float(n) for n in numbers}
            wanted = figures(result)
            # a test of Phoronix points to its value, which stands behind the samples
            assert wanted[-1] in written or wanted[0] in written


@pytest.mark.parametrize("name", FORMATS)
@SLOW
@given(noise=st.binary(max_size=400))
def test_no_bytes_at_all_raise(name: str, noise: bytes) -> None:
    assert read(name, noise).results == () or name == "squad"
    example = FORMATS[name].example.encode()
    read(name, noise + b"\n" + example + noise)


FIGURES = st.decimals(allow_nan=False, allow_infinity=False, places=6).filter(
    lambda d: abs(d) < 10**20
) | st.floats(-1e199, 1e199, allow_nan=False)
NAMES = st.from_regex(r"[a-z][a-z0-9_-]{0,20}", fullmatch=True)
CASES = st.lists(st.tuples(NAMES, NAMES, FIGURES), min_size=1, max_size=6)


def written(name: str, cases: list[tuple[str, str, object]]) -> tuple[str, list[str]]:
    """A file of one format with these figures, and each figure as written."""
    texts = [str(figure) for _, _, figure in cases]
    rows = list(zip(cases, texts, strict=True))
    if name == "lava-yaml":
        fields = [
            {
                "name": m,
                "job": "1",
                "suite": f"{i}_{b}",
                "result": "pass",
                "measurement": t,
                "unit": "MB/s",
            }
            for i, ((b, m, _), t) in enumerate(rows)
        ]
        return "".join(yaml.safe_dump([f], sort_keys=False) for f in fields), texts
    if name == "lava-csv":
        body = "".join(f"1,{i}_{b},pass,{t},MB/s,{m}\r\n" for i, ((b, m, _), t) in enumerate(rows))
        return f"job,suite,result,measurement,unit,name\r\n{body}", texts
    if name == "squad":
        keys = {
            f"{b}{i}/{m}": {"value": t, "unit": "MB/s"} for i, ((b, m, _), t) in enumerate(rows)
        }
        return json.dumps(keys, indent=1), texts
    tests = [
        {"path": f"{b}.{m}", "status": "DONE", "number": {"value": t, "unit": "MB/s"}}
        for (b, m, _), t in rows
    ]
    return json.dumps({"version": {"major": 5}, "tests": tests}, indent=1), texts


@pytest.mark.parametrize("name", ["lava-yaml", "lava-csv", "squad", "kcidb"])
@SLOW
@given(cases=CASES)
def test_every_figure_is_exact_and_its_line_right(
    name: str, cases: list[tuple[str, str, object]]
) -> None:
    cases = [(b, m, f) for b, m, f in cases if b != "lava"]
    text, texts = written(name, cases)
    reading = read(name, text.encode())
    lines = text.split("\n")
    got = [figure for r in reading.results for figure in figures(r)]
    expected = [float(t) for t in texts if number(t) is not None]
    assert sorted(got) == sorted(expected)
    for result in reading.results:
        assert result.log is not None and result.samples is not UNSET
        shown = re.findall(r"[-+]?\d+(?:\.\d*)?(?:[eE][-+]?\d+)?", lines[result.log.line - 1])
        assert result.samples[0] in {float(n) for n in shown}


BAD = [
    "NaN",
    "-Infinity",
    "inf",
    "1e999",
    "1e-999",
    "1,5",
    "1_000",
    "٣",
    "0x10",
    "",
    "1.5.3",
    "12s",
]


@pytest.mark.parametrize("bad", BAD)
@pytest.mark.parametrize("name", ["lava-yaml", "lava-csv", "squad", "kcidb"])
def test_what_is_no_number_gives_no_figure(name: str, bad: str) -> None:
    text, _ = written(name, [("stream", "triad", "0123456789")])
    broken = text.replace("0123456789", f'"{bad}"' if name == "lava-csv" and "," in bad else bad)
    reading = read(name, broken.encode())
    assert all(r.status == "fail" for r in reading.results)
    assert kinds(reading), "it is said in a diagnostic"
    if bad in ("NaN", "-Infinity", "inf"):
        assert [r.status for r in reading.results] == ["fail"]
    else:
        assert reading.results == ()


@pytest.mark.parametrize("value", ["true", "null", "[1]", "{}", "1e400", "9" * 5000, "1e-400"])
@pytest.mark.parametrize("file", ["kcidb-5.3.json", "squad-metrics.json"])
def test_json_values_that_are_no_figures(file: str, value: str) -> None:
    old = "1252.05" if file == "kcidb-5.3.json" else "[1252.05, 1250.5, 1251]"
    reading = read(FILES[file], load(file).replace(old.encode(), value.encode()))
    assert "log-row" in kinds(reading) or value in ("null", "[1]")
    whole = {key(r): figures(r) for r in read(FILES[file], load(file)).results}
    for result in reading.results:
        if value != "[1]" or "squad" not in file:
            assert figures(result) == whole[key(result)]


# Hostile input


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize(
    "unit", ["<PhoronixTestSuite", "- \n", "name:\n", "{\n", '{"a/b" 2}\n', '"', "[", '{"a', "\n"]
)
def test_a_long_row_of_one_thing_takes_no_time_to_speak_of(name: str, unit: str) -> None:
    text = unit.encode() * 20_000
    begun = time.process_time()
    assert read(name, text).results == ()
    assert time.process_time() - begun < 10


@pytest.mark.parametrize("name", [n for n in FORMATS if "xml" not in n and "lava-" not in n])
@pytest.mark.parametrize("mark", ["[", '{"a":', '{"tests":[', '{"a/b":'])
def test_deep_nesting_is_refused(name: str, mark: str) -> None:
    reading = read(name, mark.encode() * 100_000)
    assert reading.results == () and kinds(reading) == ["log-row"]


def test_keys_that_stand_twice_are_refused() -> None:
    for name in ("kcidb", "google-benchmark", "pytest-benchmark"):
        example = FORMATS[name].example
        doubled = re.sub(r"\{", '{"x": 1, "x": 2, ', example, count=1)
        reading = read(name, doubled.encode())
        assert reading.results == () and "twice" in reading.diagnostics[0].message
    once = lava_yaml.EXAMPLE
    reading = read("lava-yaml", once.replace("  unit:", "  measurement: '7'\n  unit:").encode())
    assert reading.results == () and "twice" in reading.diagnostics[0].message


def test_entities_are_never_expanded() -> None:
    bomb = '<!DOCTYPE a [<!ENTITY a "12"><!ENTITY b "&a;&a;&a;&a;">]>'
    text = phoronix_xml.EXAMPLE.replace("2502.5", "&b;")
    for hostile in (
        text.replace('<?xml version="1.0"?>', bomb),
        text.replace("<PhoronixTestSuite>", f"<PhoronixTestSuite>{bomb}"),
        text.replace("&b;", "&#x31;&external;"),
    ):
        reading = read("phoronix-xml", hostile.encode())
        assert reading.results == () and kinds(reading) == ["log-row"]
    deep = "<PhoronixTestSuite>" + "<a>" * 5000 + "</a>" * 5000 + "</PhoronixTestSuite>"
    assert kinds(read("phoronix-xml", deep.encode())) == ["log-row"]


def test_aliases_tags_and_nesting_in_yaml_are_refused() -> None:
    bomb = "  a: &a [x, x]\n" + "".join(
        f"  {chr(98 + i)}: &{chr(98 + i)} [*{chr(97 + i)}, *{chr(97 + i)}]\n" for i in range(24)
    )
    for hostile in (
        bomb,
        "  deep: " + "[" * 50_000 + "\n",
        "  code: !!python/object/apply:os.system ['true']\n",
        '  escape: "\\UFFFFFFFF"\n',
        "  other: *nowhere\n",
        "  ? [a, b]\n  : c\n",
        "  many: [" + "x," * 6000 + "]\n",
    ):
        reading = read("lava-yaml", (lava_yaml.EXAMPLE + hostile).encode())
        assert reading.results == () and kinds(reading) == ["log-row"]
    sound = lava_yaml.EXAMPLE + "  note: &once [a]\n  same: *once\n"
    assert len(read("lava-yaml", sound.encode()).results) == 1


def test_a_broken_item_or_row_spoils_no_other() -> None:
    broken = lava_yaml.EXAMPLE.replace("'1252.0500000000'", "'1252.05")
    reading = read("lava-yaml", (broken + lava_yaml.EXAMPLE).encode())
    assert [brief(r)[4:] for r in reading.results] == [([1252.05], 21)]
    assert kinds(reading) == ["log-row"]
    head, row, _ = lava_csv.EXAMPLE.split("\n")
    for bad in (row[:40], row.replace(",MB/s", ',"MB/s'), row + ",more", '"', "\x00,"):
        text = f"{head}\n{bad}\n{row}\n"
        reading = read("lava-csv", text.encode())
        assert [brief(r)[4:] for r in reading.results] == [([1252.05], 3)]
        assert [(d.kind, d.line) for d in reading.diagnostics] == [("log-row", 2)]


def test_a_scalar_that_goes_on_over_a_line_end_is_refused() -> None:
    text = lava_yaml.EXAMPLE.replace("unit: MB/s\n", "unit: MB/s\n    [12.3] usb 1-1: reset\n")
    assert read("lava-yaml", text.encode()).results == ()


def test_unicode_line_ends_do_not_shift_lines() -> None:
    text = lava_yaml.EXAMPLE.replace("level: ''", 'level: "a\\u2028\u2028b\x85"')
    moved = text.split("\n")
    moved.insert(4, moved.pop(6))  # the odd line before the measurement
    reading = read("lava-yaml", "\n".join(moved).encode())
    assert [brief(r)[5] for r in reading.results] == [6]


def test_bytes_that_are_not_text_spoil_the_name_they_stand_in() -> None:
    for name in ("lava-csv", "squad", "kcidb", "lava-yaml"):
        data = FORMATS[name].example.encode()
        last = data.rindex(b"bw_mem-bcopy-1mb")
        damaged = data.replace(b"bw_mem-bcopy-1mb", b"bw_mem-\xffbcopy-1mb")
        assert last and not any("bcopy" in r.metric for r in read(name, damaged).results)
        assert "log-row" in kinds(read(name, damaged))


def test_inner_objects_of_a_broken_document_do_not_pass_for_documents() -> None:
    inner = '{"a/b": 1}'
    assert read("squad", f'{{"x": [\n{inner},\n{inner}\n'.encode()).results == ()
    assert read("squad", f'{{"x" oops\n{inner}\n}}'.encode()).results == ()
    lines = f'{inner}\n{{"a/b" 2}}\n{inner}\n'
    (result,) = read("squad", lines.encode()).results
    assert result.samples == [1.0, 1.0]
    assert [d.line for d in documents_faults(lines)] == [2]


def documents_faults(text: str) -> list[object]:
    return [type("Fault", (), {"line": line}) for line, _ in documents(text.encode()).faults]


def test_what_the_packer_states_is_added_and_does_not_override() -> None:
    example = phoronix_xml.EXAMPLE.encode()
    (result,) = read("phoronix-xml", example, {"engine": "hw", "profile": "other"}).results
    assert result.params["engine"] == "hw" and result.params["profile"] == "pts/stream-1.3.4"


def test_many_faults_are_counted_not_listed() -> None:
    text = lava_csv.EXAMPLE.split("\n")[0] + "\n" + "cut,\n" * 1000
    reading = read("lava-csv", text.encode())
    assert len(reading.diagnostics) == 201 and "800 more" in reading.diagnostics[-1].message


@pytest.mark.parametrize(
    ("full", "parts"),
    [
        ("a", ("/", "a")),
        ("a/b", ("a", "b")),
        ("a/b/c", ("a/b", "c")),
        ("a/b[c/d]", ("a", "b[c/d]")),
        ("a[b/c", ("a[b", "c")),
        ("/a", ("/", "a")),
    ],
)
def test_squad_names(full: str, parts: tuple[str, str]) -> None:
    assert split(full) == parts


def test_times_without_an_offset_are_not_taken() -> None:
    assert moment("2024-04-02 09:30:00") == ""
    assert moment("2024-04-02T09:30:00Z") == "2024-04-02T09:30:00+00:00"
    assert moment("0001-01-01T00:00:00+14:00") == "" and moment("soon") == ""


@given(st.text(max_size=60) | FIGURES.map(str))
def test_numbers_are_what_python_reads_or_nothing(text: str) -> None:
    value = number(text)
    if value is not None:
        assert value == float(text) and math.isfinite(value)
        assert text.isascii() and "_" not in text
