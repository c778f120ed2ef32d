"""The runner's own logs: the blocks, and whose words count."""

from __future__ import annotations

from corpus import DATA, built_in, row

from perfguide.adapters import Context, Reading
from perfguide.adapters.registry import BUILT_IN, recognise

BLOCK = """\
# perfguide-run: benchmark=openssl nice=-20 engine=hw algorithm=aes-128-cbc threads=1 \
workload=alone block_sizes=16 repetition=1 background=busy-loop command=nice -n -20 openssl speed
# perfguide-at: started=2024-04-02T09:30:00Z clock_mhz=1400
type             16 bytes
AES-128-CBC     438879.17k
\tCommand being timed: "openssl speed -elapsed -bytes 16 -evp aes-128-cbc"
\tPercent of CPU this job got: 98%
\tExit status: 0
# perfguide-end: status=0 elapsed=6
"""


def read(text: str) -> Reading:
    return built_in("perfguide-runner").read(text.encode(), Context("a.log"))


def test_a_block_gives_throughput_and_load_with_what_its_header_says() -> None:
    reading = read(BLOCK)
    shared = {"nice": -20, "engine": "hw", "threads": 1, "workload": "alone"}
    for result in reading.results:
        params = dict(result.params)
        assert params.items() >= shared.items()
        assert params["block_size"] == 16
        assert result.command == "nice -n -20 openssl speed"
    assert [(row(r)[0], r.metric) for r in reading.results] == [(4, "throughput"), (6, "cpu_load")]
    assert not reading.diagnostics


def test_a_block_that_failed_or_was_cut_gives_no_figure() -> None:
    for changed in (
        BLOCK.replace("status=0", "status=1"),
        BLOCK.replace("# perfguide-end: status=0 elapsed=6\n", ""),
        BLOCK.replace("command=", "comm"),
        BLOCK[:-12],
    ):
        reading = read(changed)
        assert not reading.results
        assert reading.diagnostics
    # The next block is read all the same, at its own lines.
    reading = read(BLOCK.replace("# perfguide-end: status=0 elapsed=6\n", "") + BLOCK)
    assert [row(r)[0] for r in reading.results] == [11, 13]


MULTI = """\
# perfguide-run: benchmark=openssl nice=-20 engine=hw algorithm=aes-128-cbc threads=8 \
workload=alone block_sizes=16384 repetition=1 background=busy-loop loops=2 \
command=nice -n -20 openssl speed -elapsed -bytes 16384 -multi 8 -engine afalg -evp aes-128-cbc
# perfguide-at: started=2024-04-02T09:30:00Z
Engine "afalg" set.
Got: +H:16384 from 0
Got: +F:25:AES-128-CBC:976420.20 from 0
AES-128-CBC      10762.82k
# perfguide-end: status=0 elapsed=3
"""


def test_a_command_with_elapsed_is_believed_where_openssl_says_nothing_of_it() -> None:
    (result,) = read(MULTI).results
    assert (result.metric, result.samples) == ("throughput", [10762.82])
    reading = read(MULTI.replace(" -elapsed", ""))
    assert not reading.results
    assert any("by CPU time" in each.message for each in reading.diagnostics)


def test_a_job_that_got_no_cpu_failed_and_is_not_said_to_lack_elapsed() -> None:
    reading = read(MULTI.replace("10762.82k", "nan "))
    assert [result.status for result in reading.results] == ["fail"]
    assert [each.kind for each in reading.diagnostics] == ["log-failed"]


def test_an_engine_that_did_not_load_counts_more_than_the_header() -> None:
    changed = BLOCK.replace("type  ", 'Invalid engine "devcrypto"\ntype  ')
    assert {r.params["engine"] for r in read(changed).results} == {"sw"}


def test_a_program_without_an_adapter_is_named() -> None:
    reading = read(BLOCK.replace("benchmark=openssl", "benchmark=resume"))
    assert not reading.results
    assert [each.kind for each in reading.diagnostics] == ["log-note"]


def test_other_programs_are_read_with_their_header() -> None:
    text = ""
    for benchmark, log, extra in (
        ("dm-crypt", "hdparm/9.65-three-trials.log", "engine=sw driver=- cipher=aes-cbc-null "),
        ("cyclictest", "cyclictest/2.4-text.log", ""),
        ("stream", "stream/5.10.log", ""),
        ("dhrystone", "dhrystone/2.1.log", ""),
        ("whetstone", "whetstone/unixbench.log", ""),
        ("linpack", "linpack/200x200.log", ""),
        ("nbench", "nbench/2.2.3.log", ""),
        ("coremark-pro", "coremark-pro/core.run.log", "contexts=2 "),
        ("multibench", "multibench/1.1.log", ""),
    ):
        text += f"# perfguide-run: benchmark={benchmark} {extra}repetition=1 command=x\n"
        text += (DATA / log).read_text("utf-8").rstrip("\n") + "\n\n"
        text += "# perfguide-end: status=0 elapsed=1\n"
    text += "# perfguide-run: benchmark=lmbench repetition=1 command=bw_mem 1m bcopy\n"
    text += "# perfguide-at: started=2024-04-02T09:30:00Z\n"
    text += "1.05 13010.99\n# perfguide-end: status=0 elapsed=1\n"
    results = read(text).results
    assert {r.benchmark for r in results} == {
        "dm-crypt", "cyclictest", "stream", "dhrystone", "whetstone", "linpack",
        "nbench", "coremark-pro", "multibench", "lmbench",
    }  # fmt: skip
    crypt = [r for r in results if r.benchmark == "dm-crypt"]
    assert all(r.params == {"engine": "sw", "cipher": "aes-cbc-null"} for r in crypt)
    assert {r.metric for r in crypt} == {"cached_read", "buffered_read", "cpu_load"}
    assert results[-1].metric == "bw_mem-bcopy-1mb"
    lines = text.split("\n")
    assert lines[row(results[-1])[0] - 1] == "1.05 13010.99"


def test_its_logs_are_read_by_it_alone() -> None:
    formats = list(map(built_in, BUILT_IN))
    assert [each.name for each in recognise(BLOCK.encode(), formats)] == ["perfguide-runner"]


def test_fio_in_a_block_measures_the_medium_that_the_header_names() -> None:
    output = (DATA / "fio" / "3.33-read.log").read_text("utf-8")
    head = "# perfguide-run: benchmark=emmc filesystem=ext4 command=fio --name=r\n"
    reading = read(f"{head}{output}# perfguide-end: status=0 elapsed=3\n")
    assert {r.benchmark for r in reading.results} == {"emmc"}
    assert {r.params["filesystem"] for r in reading.results} == {"ext4"}
    assert any(r.metric == "read_throughput" for r in reading.results)


SEEN = "samples=3 clock_mhz=600..1400 temperature_c=48.2..51.0 governor=ondemand throttled=no\n"


def test_what_was_seen_while_a_program_ran_is_the_setup_of_its_figures() -> None:
    reading = read(BLOCK.replace("# perfguide-end", f"# perfguide-during: {SEEN}# perfguide-end"))
    assert not reading.diagnostics
    facts = {
        "clock": "600 to 1400 MHz", "temperature": "51.0 °C", "governor": "ondemand",
        "throttled": False,
    }  # fmt: skip
    assert [r.setup for r in reading.results] == [facts, facts]
    assert [r.setup for r in read(BLOCK).results] == [{}, {}]


def test_a_damaged_line_of_what_was_seen_is_named_and_no_fact() -> None:
    for damaged in (SEEN[:36] + "\n", SEEN.replace("..", "."), SEEN.replace("no", "n")):
        text = BLOCK.replace("# perfguide-end", f"# perfguide-during: {damaged}# perfguide-end")
        reading = read(text)
        assert [r.setup for r in reading.results] == [{}, {}]
        (fault,) = reading.diagnostics
        assert (fault.kind, fault.line) == ("log-row", 8)


def test_a_log_is_dated_by_its_first_block() -> None:
    assert read(BLOCK).facts["created"] == "2024-04-02T09:30:00+00:00"


def test_bare_numbers_of_lmbench_are_read_in_blocks_that_are_whole() -> None:
    head = "# perfguide-run: benchmark=lmbench repetition=1 command="
    end = "# perfguide-end: status=0 elapsed=1\n"
    text = f"{head}lat_fs /dev/shm/files\n0k\t28\t23900\t41000\n1k\t221\t1990\t30433\n{end}"
    text += f"{head}lat_mmap 1m /dev/shm/file\n1.048576 45\n{end}"
    results = {r.metric: (r.samples, r.unit) for r in read(text).results}
    assert results == {
        "lat_fs-0k": ([28.0], "files"), "fs_create-0k": ([23900.0], "operations/s"),
        "fs_delete-0k": ([41000.0], "operations/s"), "lat_fs-1k": ([221.0], "files"),
        "fs_create-1k": ([1990.0], "operations/s"), "fs_delete-1k": ([30433.0], "operations/s"),
        "lat_mmap-1m": ([45.0], "us"),
    }  # fmt: skip
    assert not read(text).diagnostics
    for cut in (text.replace("\t30433", ""), text.replace("1.048576 45", "1.048576 4")):
        reading = read(cut)
        assert len(reading.results) < len(results)
        assert any(each.kind == "log-row" for each in reading.diagnostics)
    # Elsewhere nothing says that the line is whole.
    assert not built_in("lmbench").read(b"$ lat_mmap 1m file\n1.048576 45\n", Context("a")).results
