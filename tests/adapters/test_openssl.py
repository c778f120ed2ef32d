"""openssl speed, time -v and the sweep: what they mean, not only that they are read."""

from __future__ import annotations

import pytest
from corpus import DATA, Row, built_in, row

from perfguide.adapters import Context, Reading

HEAD = b"type             16 bytes     64 bytes\n"
TIMED = '\tCommand being timed: "{}"\n\tPercent of CPU this job got: {}\n\tExit status: {}\n'


def read(name: str, data: bytes, **params: str | int) -> Reading:
    return built_in(name).read(data, Context("a.log", params))


def rows(name: str, data: bytes, **params: str | int) -> list[Row]:
    return [row(result) for result in read(name, data, **params).results]


def kinds(reading: Reading) -> list[str]:
    return [each.kind for each in reading.diagnostics]


@pytest.mark.parametrize(
    ("printed", "name"),
    [
        ("aes-128 cbc", "aes-128-cbc"),
        ("AES-128-CBC", "aes-128-cbc"),
        ("SHA2-256", "sha256"),
        ("sha256", "sha256"),
        ("SHA2-512/256", "sha512-256"),
        ("SHA1", "sha1"),
        ("des ede3", "des-ede3-cbc"),
        ("DES-EDE3-CBC", "des-ede3-cbc"),
        ("blowfish cbc", "bf-cbc"),
        ("hmac(SHA2-256)", "hmac(sha256)"),
        ("id-aes128-GCM", "aes-128-gcm"),
    ],
)
def test_an_algorithm_has_one_spelling(printed: str, name: str) -> None:
    line = f"{printed:<13}   503880.11k  1997670.22k\n".encode()
    assert {dict(r[5])["algorithm"] for r in rows("openssl-speed", HEAD + line)} == {name}


def test_an_engine_that_did_not_load_is_software_whatever_was_stated() -> None:
    data = (DATA / "openssl-speed/3.0.19-engine.log").read_bytes()
    reading = read("openssl-speed", data, engine="hw")
    assert {r.params["engine"] for r in reading.results} == {"sw"}
    assert kinds(reading) == ["log-failed"]


def test_an_accelerator_that_loaded_is_hardware() -> None:
    data = (DATA / "openssl-speed/1.0.2-cryptodev.log").read_bytes()
    assert {dict(r[5])["engine"] for r in rows("openssl-speed", data)} == {"hw"}


def test_an_engine_that_nobody_told_is_left_out_or_as_stated() -> None:
    data = (DATA / "openssl-speed/3.0.19-evp.log").read_bytes()
    assert all("engine" not in dict(r[5]) for r in rows("openssl-speed", data))
    assert {dict(r[5])["engine"] for r in rows("openssl-speed", data, engine="sw")} == {"sw"}


def test_an_engine_of_one_run_is_not_the_next_ones() -> None:
    data = b"".join(
        (DATA / f"openssl-speed/{name}.log").read_bytes()
        for name in ("3.0.19-engine", "3.0.19-evp")
    )
    assert [dict(r[5]).get("engine") for r in rows("openssl-speed", data)] == ["sw"] * 6 + [
        None
    ] * 6


def test_zeros_and_infinities_are_failures() -> None:
    for name in ("1.0.2-zeros", "3.5.7-misc"):
        reading = read("openssl-speed", (DATA / f"openssl-speed/{name}.log").read_bytes())
        assert "log-failed" in kinds(reading)
    data = HEAD + b"aes-128-cbc          0.00       nank\n"
    assert [r[4] for r in rows("openssl-speed", data)] == [None, None]


def test_bytes_a_second_without_k_are_given_in_kilobytes() -> None:
    assert [r[4] for r in rows("openssl-speed", HEAD + b"x1      501.33      2005.33 \n")] == [
        0.50133,
        2.00533,
    ]


@pytest.mark.parametrize(
    "line",
    [
        b"aes-128-cbc     438879.17k",
        b"aes-128-cbc     438879.17k   662269.12",
        b"aes-128-cbc     438879.17k   6622",
        b"aes-128-cbc     438879.17k   662269.1k",
        b"aes-128-cbc     438879.17k   662269.12k   690617.54k",
        b"aes-128-cbc     438879,17k   662269,12k",
        b"aes-128-cbc     438.879,17k   662.269,12k",
        b"aes-128-cbc     438879.17k   6\xc3\x28269.12k",
        b"438879.17k   662269.12k",
    ],
)
def test_a_row_that_is_not_whole_gives_a_diagnostic(line: bytes) -> None:
    reading = read("openssl-speed", HEAD + line + b"\n")
    assert (reading.results, kinds(reading)) == ((), ["log-row"])
    assert reading.diagnostics[0].line == 2


def test_a_figure_that_its_line_of_progress_contradicts_is_refused() -> None:
    data = (DATA / "openssl-speed/3.0.19-evp.log").read_bytes()
    broken = data.replace(b"522246.50k", b" 22246.50k")
    assert len(rows("openssl-speed", broken)) == 5


def test_children_are_no_results_and_say_how_many_threads() -> None:
    for name in ("1.1.1w-multi", "3.0.19-multi", "3.0.19-multi-mr", "3.5.7-multi"):
        found = rows("openssl-speed", (DATA / f"openssl-speed/{name}.log").read_bytes())
        assert {dict(r[5])["threads"] for r in found} == {2}
        assert len(found) in (6, 18)


def test_the_load_of_a_run_has_no_block_size_unless_it_had_one() -> None:
    text = TIMED.format("openssl speed -elapsed -evp aes-128-cbc", "41%", 0)
    assert rows("gnu-time", text.encode()) == [
        (2, "openssl", "cpu_load", "%", 41.0, (("algorithm", "aes-128-cbc"),))
    ]
    text = TIMED.format("nice -n -20 /usr/bin/openssl speed -bytes 64 -evp sha256", "41%", 0)
    assert dict(rows("gnu-time", text.encode())[0][5]) == {
        "algorithm": "sha256",
        "block_size": 64,
        "nice": -20,
    }


@pytest.mark.parametrize(
    ("command", "nice"),
    [
        ("nice openssl speed sha256", 10),
        ("nice -5 openssl speed sha256", 5),
        ("nice -n 20 openssl speed sha256", 19),
        ("taskset -c 1 nice -n -7 env A=b openssl speed sha256", -7),
        ("openssl speed sha256", None),
    ],
)
def test_a_nice_level_is_read_from_the_command(command: str, nice: int | None) -> None:
    found = rows("gnu-time", TIMED.format(command, "9%", 0).encode())
    assert dict(found[0][5]).get("nice") == nice


@pytest.mark.parametrize(
    "command",
    [
        "openssl speed aes-128-cbc sha256",
        "openssl speed rsa2048",
        "openssl speed -decrypt -evp aes-128-cbc",
        "openssl enc -aes-128-cbc",
        "sh -c openssl speed sha256; sleep 5",
        "dd if=/dev/zero of=x",
        "",
        "nice",
    ],
)
def test_a_command_that_is_not_understood_gives_no_load(command: str) -> None:
    reading = read("gnu-time", TIMED.format(command, "41%", 0).encode())
    assert (reading.results, kinds(reading)) == ((), ["log-note"])


@pytest.mark.parametrize(
    ("version", "counted"),
    [("", False), ("OpenSSL 1.1.1w  11 Sep 2023\n", False), ("version: 3.0.19\n", True)],
)
def test_the_load_of_several_threads_counts_where_openssl_waits(
    version: str, counted: bool
) -> None:
    text = version + TIMED.format("openssl speed -multi 8 -evp aes-128-cbc", "741%", 0)
    reading = read("gnu-time", text.encode())
    assert [r.params["threads"] for r in reading.results] == ([8] if counted else [])
    assert kinds(reading) == ([] if counted else ["log-note"])


def test_a_failed_command_and_an_unknown_share_are_failures() -> None:
    for share, status in (("41%", 1), ("?%", 0)):
        text = TIMED.format("openssl speed -evp aes-128-cbc", share, status)
        assert [r[4] for r in rows("gnu-time", text.encode())] == [None]


def test_an_engine_that_did_not_load_counts_for_the_load_too() -> None:
    text = 'Invalid engine "devcrypto"\n'
    text += TIMED.format("openssl speed -engine devcrypto -evp sha256", "99%", 0)
    text += TIMED.format("openssl speed -engine devcrypto -evp sha256", "20%", 0)
    assert [dict(r[5])["engine"] for r in rows("gnu-time", text.encode())] == ["sw", "hw"]


def test_other_languages_and_cut_blocks_of_time_give_nothing() -> None:
    text = TIMED.format("openssl speed -evp aes-128-cbc", "41%", 0)
    for old, new in (
        ("Percent of CPU this job got", "Prozent der CPU dieses Jobs"),
        ("41%", "41,5%"),
        ("Command being timed", "Befehl"),
        ("\tExit status: 0\n", ""),
    ):
        assert not rows("gnu-time", text.replace(old, new).encode())


def sweep(pairs: int, *, multi: bool = False) -> list[str]:
    lines = []
    for at in range(pairs):
        name = "evp" if multi else "aes-128-cbc"
        figures = "".join(f"{(at + 1) * size:11.2f}k " for size in (101, 202, 303, 404, 505))
        lines.append(f"{name:<13}{figures}".rstrip())
        lines.append(f"{99 - at}" if multi else f"\tPercent of CPU this job got: {99 - at}%")
    return lines


def levels(lines: list[str], **params: str | int) -> list[int]:
    data = ("\n".join(lines) + "\n").encode()
    found = rows("openssl-sweep", data, **params)
    return [int(str(dict(r[5])["nice"])) for r in found if r[2] == "cpu_load"]


def test_forty_one_pairs_are_all_levels_and_the_highest_twice() -> None:
    assert levels(sweep(41)) == [*range(-20, 20), 19]
    assert levels(sweep(40)) == list(range(-20, 20))


@pytest.mark.parametrize("pairs", [1, 2, 39, 42, 82])
def test_any_other_number_of_pairs_has_no_levels(pairs: int) -> None:
    data = ("\n".join(sweep(pairs)) + "\n").encode()
    reading = read("openssl-sweep", data)
    assert not reading.results
    assert "log-row" in kinds(reading)


@pytest.mark.parametrize("lost", [0, 1, 17, 40, 81])
def test_a_lost_line_refuses_the_whole_sweep(lost: int) -> None:
    lines = sweep(41)
    del lines[lost]
    assert levels(lines) == []


def test_several_threads_have_bare_numbers_and_need_the_algorithm_stated() -> None:
    assert levels(sweep(40, multi=True)) == []
    assert levels(sweep(40, multi=True), algorithm="AES-128-CBC") == list(range(-20, 20))


def test_a_sweep_is_found_amidst_other_output_and_its_own_lines_kept_apart() -> None:
    lines = sweep(41)
    assert len(levels(["+ rm -f data", *lines, "done."])) == 41
    assert len(levels([*lines[:10], "[ 12.3] usb 1-1: new device", *lines[10:]])) == 41
    lines = sweep(40)
    # Here the foreign line may stand where a pair was.
    assert levels([*lines[:10], "[ 12.3] usb 1-1: new device", *lines[10:]]) == []


def test_a_damaged_row_leaves_the_other_levels_where_they_are() -> None:
    lines = sweep(41)
    lines[10] = lines[10].replace("1212.00k", "12.12k ")
    assert len(levels(lines)) == 41
    lines[10] = lines[10][:-3]
    assert levels(lines) in ([], [*range(-20, 20), 19])


def test_stated_block_sizes_count() -> None:
    data = ("\n".join(sweep(40)) + "\n").encode()
    found = rows("openssl-sweep", data, block_sizes="16,64,256,1024,2048")
    assert {dict(r[5]).get("block_size") for r in found} == {None, 16, 64, 256, 1024, 2048}
