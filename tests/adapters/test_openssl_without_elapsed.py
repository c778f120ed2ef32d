"""``openssl speed`` without ``-elapsed`` divides by CPU time, which an accelerator hardly takes."""

from __future__ import annotations

from corpus import built_in

from perfguide.adapters import Context, Reading

ENGINE = b'engine "devcrypto" set.\n'
ELAPSED = b"You have chosen to measure elapsed time instead of user CPU time.\n"
DOING = b"Doing AES-128-CBC for 3s on 8192 size blocks: 512457 AES-128-CBC's in 0.58s\n"
TABLE = b"type           8192 bytes\nAES-128-CBC  7238025.63k\n"
CLOCK = 512457 * 8192 / 3 / 1000


def read(*parts: bytes, **params: str) -> Reading:
    return built_in("openssl-speed").read(b"".join(parts), Context("run.log", params))


def samples(reading: Reading) -> list[float]:
    return [sample for result in reading.results for sample in result.samples or ()]


def kinds(reading: Reading) -> list[str]:
    return [found.kind for found in reading.diagnostics]


def test_an_accelerator_is_as_fast_as_its_blocks_by_the_clock() -> None:
    reading = read(ENGINE, DOING, TABLE)
    assert samples(reading) == [CLOCK]
    assert reading.results[0].params["engine"] == "hw"
    assert kinds(reading) == ["log-note"]
    assert "-elapsed" in reading.diagnostics[0].message


def test_an_accelerator_that_somebody_states_counts_like_one_in_the_log() -> None:
    assert samples(read(DOING, TABLE, engine="hw")) == [CLOCK]


def test_what_the_cpu_does_stays_as_printed() -> None:
    assert samples(read(DOING, TABLE)) == [7238025.63]
    assert samples(read(DOING, TABLE, engine="sw")) == [7238025.63]
    assert samples(read(ELAPSED, ENGINE, DOING, TABLE)) == [7238025.63]


def test_a_cpu_that_did_next_to_nothing_was_not_what_did_the_work() -> None:
    little = DOING.replace(b"0.58s", b"0.13s")
    assert samples(read(little, TABLE.replace(b" 7238025.63", b"32292674.95"))) == [CLOCK]


def test_without_a_line_of_progress_the_figure_of_an_accelerator_is_refused() -> None:
    reading = read(ENGINE, TABLE)
    assert samples(reading) == []
    assert kinds(reading) == ["log-row"]
    assert "standard error" in reading.diagnostics[0].hint


def test_the_next_run_of_a_log_starts_anew() -> None:
    reading = read(ENGINE, ELAPSED, DOING, TABLE, ENGINE, DOING, TABLE)
    assert samples(reading) == [7238025.63, CLOCK]
