"""Formats that a TOML file describes: what is read, what is refused, and in what time."""

from __future__ import annotations

import re
import time
from pathlib import Path

import pytest
from corpus import figures, row
from hypothesis import given
from hypothesis import strategies as st
from profiles import examples

from perfguide.adapters import Context, Format
from perfguide.adapters.described import described, load
from perfguide.adapters.format_schema import Description, Lines, Table
from perfguide.catalog.benchmarks import load as descriptions
from perfguide.cli import main

TOP = Path(__file__).resolve().parents[2]
EXAMPLE = TOP / "source/cookbook/spi-flash.format.toml"
LOG = b"""\
# ./spi_flash_speed
spi_flash_speed 1.4 on mtd0, block size 65536
write:  1.250 MB/s   erase: 0.310 MB/s
read:  12.504 MB/s
spi_flash_speed 1.4 on mtd1, block size 4096
read:  nan MB/s
read:  11.000 MB/s
"""


def read(form: Format, data: bytes) -> list[object]:
    return [row(result) for result in form.read(data, Context("a.log")).results]


def test_the_example_reads_the_log_of_a_labs_own_program() -> None:
    form = load(EXAMPLE)
    first = (("block_size", 65536), ("partition", 0))
    second = (("block_size", 4096), ("partition", 1))
    assert read(form, LOG) == [
        (3, "spi-flash", "write", "MB/s", 1.25, first),
        (3, "spi-flash", "erase", "MB/s", 0.31, first),
        (4, "spi-flash", "read", "MB/s", 12.504, first),
        (6, "spi-flash", "read", "MB/s", None, second),
        (7, "spi-flash", "read", "MB/s", 11.0, second),
    ]
    reading = form.read(LOG, Context("a.log"))
    assert reading.facts == {"tools.spi_flash_speed": "1.4"}
    assert [(each.kind, each.line) for each in reading.diagnostics] == [("log-failed", 6)]
    assert form.recognises(LOG) and not form.recognises(b"read: soon\n")


def test_a_described_line_that_is_cut_gives_no_figure() -> None:
    form = load(EXAMPLE)
    whole = figures(form.read(LOG, Context("x")))
    for at in range(len(LOG)):
        end = LOG.find(b"\n", at)
        damaged = LOG[:at] + LOG[end:]
        if LOG[:at].count(b"\n") in (2, 3, 6):  # lines of figures
            assert figures(form.read(damaged, Context("x"))) <= whole


def test_columns_of_a_csv_table() -> None:
    form = described(
        Description(
            name="sweep",
            benchmark="sweep",
            example="size;rate MB/s\n1024;1.5\n",
            csv=Table({"rate MB/s": "MB/s"}, {"size": "buffer_size"}, ";", {"rate MB/s": "rate"}),
        )
    )
    log = b"started\nsize;rate MB/s;note\n1024;1.5;a\n2048;2,5;b\n4096;3\n8192;4.5;c\n\nend;of;it\n"
    assert read(form, log) == [
        (3, "sweep", "rate", "MB/s", 1.5, (("buffer_size", 1024),)),
        (6, "sweep", "rate", "MB/s", 4.5, (("buffer_size", 8192),)),
    ]
    told = [(each.line, each.message) for each in form.read(log, Context("x")).diagnostics]
    assert [line for line, _ in told] == [4, 5]
    assert "“2,5” in the column “rate MB/s” is not a number" in told[0][1]


@pytest.mark.parametrize(
    ("lines", "why"),
    [
        ([], "neither lines with figures nor a csv table"),
        ([Lines("rate: {rate:number}", {"speed": "MB/s"})], "has no value “speed”"),
        ([Lines("rate: {rate}", {"rate": "MB/s"})], "begins no value"),
        ([Lines("pace: {rate:number}", {"rate": "MB/s"})], "no figure can be read from its own"),
    ],
)
def test_a_description_of_nothing_is_refused(lines: list[Lines], why: str) -> None:
    with pytest.raises(ValueError, match=re.escape(why)):
        described(Description(name="x", benchmark="x", example="rate: 1.5\n", lines=lines))


HEAD = 'name = "sweep"\nbenchmark = "sweep"\nexample = "size;rate\\n1024;1.5\\n"\n'
CSV = '[csv]\nseparator = ";"\n'


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (HEAD.replace("benchmark", "bench") + CSV, ":2: “bench” is not known; did you mean “benchmark”?"),
        (HEAD + '[csv]\nseperator = ";"\n', ":5: “seperator” is not known in “csv”; did you mean “separator”?"),
        (HEAD + CSV + "columns = { rate = MB/s }\n", ":6: is not TOML: Invalid value; fix this line"),
        (HEAD + CSV + 'columns = { rat = "MB/s" }\n', ":6: no figure can be read from its own example: "
         "no line of it names the column “rat”; did you mean “rate”?"),
        (HEAD + CSV + 'columns = { rate = "" }\n', ":6: “rate” has no unit; write one"),
        (HEAD + CSV + 'columns = { rate = 1 }\n', "is a whole number where text has to be"),
        (HEAD + '[csv]\nseparator = ";;"\ncolumns = { rate = "MB/s" }\n', ":5: the separator “;;” is not one"),
        (HEAD + CSV + 'columns = { rate = "MB/s" }\nparams = { siz = "size" }\n', ":7: no figure can be read"),
        (HEAD + '[[lines]]\nmatch = 1\n', ":5: “lines[0].match” is a whole number where text or a list has to be"),
        (HEAD + '[[lines]]\nmatch = "x {rate:numbr}"\n', ":5: “x {rate:numbr}” has a { that begins no value"),
        (HEAD + '[[lines]]\nmatch = "y {rate:number}"\nfigures = { rate = "s" }\n', ":5: no figure can be read "
         "from its own example: none of its lines looks like “y {rate:number}”; copy some lines"),
    ],
)  # fmt: skip
def test_a_mistake_is_said_with_its_line_and_how_to_fix_it(
    text: str, why: str, tmp_path: Path
) -> None:
    path = tmp_path / "sweep.format.toml"
    path.write_text(text, "utf-8")
    with pytest.raises(ValueError, match=re.escape(why)) as raised:
        load(path)
    assert str(raised.value).startswith(str(path))


TEXT = st.text(st.sampled_from("ab {}:.0 1"), max_size=12)
KINDS = st.sampled_from(["{a:word}", "{b:text}", "{c:int}", "{d:number}", " ", ":", "a"])


@examples(60, heavy=400)
@given(match=st.lists(KINDS | TEXT, max_size=5).map("".join), data=st.binary(max_size=200))
def test_no_description_and_no_bytes_raise_anything_else(match: str, data: bytes) -> None:
    line = Lines("r {r:number}" + re.sub(r"\{([a-d]):(\w+)\}(?=.*\{\1:)", "", match), {"r": "s"})
    try:
        form = described(Description(name="x", benchmark="x", example="r 1\n", lines=[line]))
    except ValueError:
        return
    form.read(data, Context("x"))


@pytest.mark.parametrize(
    "match", ["{a:text} {r:number}", "{a:word}{b:word} {r:number}", "{r:number}x"]
)
def test_long_lines_take_linear_time(match: str) -> None:
    line = Lines(f"r {{r0:number}} {match}", {"r0": "s"})
    spec = Description(name="x", benchmark="x", example="", lines=[line])
    try:
        form = described(spec)
    except ValueError:  # its own example is not read; time is what counts here
        from perfguide.adapters.described import _rule
        from perfguide.adapters.described_log import read as read_log

        rules = [_rule(line, spec)]
        form = Format("x", "x", "", lambda d: True, lambda d, c: read_log(d, c, spec, rules))
    begun = time.process_time()
    form.read((b"r 1 " + b"a 1" * 6000 + b"\n") * 60, Context("x"))
    assert time.process_time() - begun < 2


def test_pack_finds_the_formats_beside_the_benchmarks(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    log, out = tmp_path / "flash.log", tmp_path / "run.json"
    log.write_bytes(LOG)
    about = ["--board", "b", "--soc", "S", "--sdk", "1", "--os", "linux"]
    beside = ["--benchmarks", str(EXAMPLE.parent)]
    assert main(["pack", str(log), "-o", str(out), *about, *beside]) == 0
    assert '"benchmark":"spi-flash"' in out.read_text("utf-8")
    out.unlink()
    assert main(["pack", str(log), "-o", str(out), *about, "--as", str(EXAMPLE)]) == 0
    assert out.is_file()
    assert main(["adapters", "spi-flash", *beside]) == 0
    assert "the lab's own" in capsys.readouterr().out
    (tmp_path / "bad.format.toml").write_text("name = 1", "utf-8")
    assert main(["pack", str(log), "-o", str(out), *about, "--benchmarks", str(tmp_path)]) == 2
    assert "bad.format.toml" in capsys.readouterr().err


def test_the_catalog_takes_no_format_for_a_benchmark() -> None:
    catalog, faults = descriptions([EXAMPLE.parent])
    assert "spi-flash" not in str([*catalog.benchmarks, *faults])
