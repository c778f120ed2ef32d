"""Formats that a TOML file describes: what is read, what is refused, and in what time."""

from __future__ import annotations

import re
import time
import tomllib
from pathlib import Path

import msgspec
import pytest
from corpus import Row, figures, row
from hypothesis import given
from hypothesis import strategies as st
from profiles import examples

from perfguide.adapters import Context, Format
from perfguide.adapters.described import ENDING, FOLDER, described, load
from perfguide.adapters.format_schema import Description, Lines, Table
from perfguide.adapters.registry import BUILT_IN, DESCRIBED
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


def read(form: Format, data: bytes) -> list[Row]:
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


@pytest.mark.parametrize(
    ("printed", "agrees"),
    [
        # 200 MiB in 8 s are 25 MiB/s, and 24.95 or 25.05 are written as 25.0 too.
        ("200 MiB in 8.0 s: 25.0 MiB/s", True),
        ("200 MiB in 8.0 s: 25.1 MiB/s", True),
        ("200 MiB in 8.0 s: 26.0 MiB/s", False),
        ("200 MiB in 8.0 s: 5.0 MiB/s", False),
        ("200 MiB in 0.0 s: 25.0 MiB/s", False),
    ],
)
def test_values_that_must_agree(printed: str, agrees: bool) -> None:
    form = in_toml(
        'example = "1 MiB in 1.0 s: 1.0 MiB/s"\n[[lines]]\n'
        'match = "{size:size.MiB} MiB in {_time:number} s: {rate:number} MiB/s"\n'
        'figures.rate = "MiB/s"\nagree = "size / _time = rate"\ndisagree = "a digit is lost"\n'
    )
    assert bool(read(form, printed.encode())) is agrees
    assert messages(form, printed.encode()) == ([] if agrees else [(1, "a digit is lost")])


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


def test_columns_whose_heads_have_units() -> None:
    form = in_toml(
        'example = "threads;read [MB/s]\\n1;2.5\\n"\n[csv]\nunits_in_heads = true\n'
        'separator = ";"\nparams = { threads = "threads" }\nnames = { "time (s)" = "elapsed" }\n'
    )
    log = b"threads;read [MB/s];note;time (s)\n0;12.5;a;3\n8;9.25;b;n/a\n"
    assert read(form, log) == [
        (2, "x", "read", "MB/s", 12.5, (("threads", 0),)),
        (2, "x", "elapsed", "s", 3.0, (("threads", 0),)),
        (3, "x", "read", "MB/s", 9.25, (("threads", 8),)),
    ]
    assert messages(form, log) == [(3, "“n/a” in the column “time (s)” is not a number")]


def test_columns_between_blanks_below_values_of_the_log() -> None:
    form = in_toml(
        'example = "size rate\\n4 1.5\\n"\n[[lines]]\nmatch = "on {host:word}"\n[csv]\n'
        'separator = " "\ncolumns = { rate = "MB/s" }\nparams = { size = "size" }\n'
    )
    log = b"on h\n  size   rate\n     4    1.5\n\n     8    2.5\n"
    assert read(form, log) == [(3, "x", "rate", "MB/s", 1.5, (("host", "h"), ("size", 4)))]


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
        (HEAD.replace("benchmark", "bench") + CSV, ":2: “bench” is unknown; did you mean “benchmark”?"),
        (HEAD + '[csv]\nseperator = ";"\n', ":5: “seperator” is unknown in “csv”; did you mean “separator”?"),
        (HEAD + CSV + "columns = { rate = MB/s }\n", ":6: is not TOML: Invalid value; fix this line"),
        (HEAD + CSV + 'columns = { rat = "MB/s" }\n', ":6: no figure can be read from its own example: "
         "no line of it names the column “rat”; did you mean “rate”?"),
        (HEAD + CSV + 'columns = { rate = "" }\n', ":6: “rate” has no unit; write one"),
        (HEAD + CSV + 'columns = { rate = 1 }\n', "is a whole number where text is required"),
        (HEAD + '[csv]\nseparator = ";;"\ncolumns = { rate = "MB/s" }\n', ":5: the separator “;;” is not one"),
        (HEAD + CSV + 'columns = { rate = "MB/s" }\nparams = { siz = "size" }\n', ":7: no figure can be read"),
        (HEAD + '[[lines]]\nmatch = 1\n', ":5: “lines[0].match” is a whole number where text or a list is required"),
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


def test_a_mistake_in_a_format_of_the_package_is_a_message_and_no_traceback(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / f"broken{ENDING}").write_text('name = "broken"\ntitle = \n', "utf-8")
    monkeypatch.setattr("perfguide.adapters.described.FOLDER", tmp_path)
    monkeypatch.setattr("perfguide.adapters.registry.BUILT_IN", {"broken": DESCRIBED})
    assert main(["adapters", "broken"]) == 2
    assert capsys.readouterr().err.startswith(f"perfguide: {tmp_path}/broken{ENDING}:2: ")


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


def in_toml(text: str) -> Format:
    """A format from what differs from one description to another."""
    spec = tomllib.loads(f'name = "x"\nbenchmark = "x"\n{text}')
    return described(msgspec.convert(spec, Description))


def messages(form: Format, data: bytes) -> list[tuple[int | None, str]]:
    return [(each.line, each.message) for each in form.read(data, Context("a.log")).diagnostics]


KINDS_OF_VALUES = """
example = "r 2.5 k 4 KiB 1.5 for 1min 2.5s on two words: x-1 off"
[[lines]]
match = "r {rate:scaled} {block:size} {file:size.MiB.1} for {time:span} on {name:text}: {own:own} {_mode:on|off}"
figures.rate = { unit = "operations/s", metric = "rate_{_mode}" }
figures.time = { unit = "s", params = { mode = "{_mode}" } }
[[lines]]
match = "at {created:date}"
[kinds]
own = 'x-[0-9]'
[values.own]
x-1 = "one"
"""


def test_values_of_all_kinds() -> None:
    form = in_toml(KINDS_OF_VALUES)
    params = {"block": 4096, "file": 1572864, "name": "two words", "own": "one"}
    timed = {**params, "mode": "off"}
    assert read(form, form.example.encode()) == [
        (1, "x", "rate_off", "operations/s", 2500.0, tuple(sorted(params.items()))),
        (1, "x", "time", "s", 62.5, tuple(sorted(timed.items()))),
    ]
    assert read(form, form.example.replace("1min 2.5s", "12ms").encode())[1][3:5] == ("ms", 12.0)
    for text, moment in (
        (b"at 1700000000", "2023-11-14T22:13:20+00:00"),
        (b"at Tue, 02 Apr 2024 09:30:00 +0200", "2024-04-02T09:30:00+02:00"),
    ):
        assert form.read(text, Context("x")).facts == {"created": moment}
    assert messages(form, b"at Tue, 33 Apr 2024 09:30:00 +0200")[0][1].endswith("is not a date")
    # One decimal more or less is another number's end.
    assert not read(form, form.example.replace("1.5", "1.50").encode())


BLOCKS = """
example = "run a\\nrate 1.50\\n"
[[lines]]
match = "on {host:word}"
[[lines]]
match = "run {name:word}{? of {size:int}?}"
begins = true
[[lines]]
match = "with {threads:int}"
within = true
[[lines]]
match = "rate {rate:number.2}"
figures = { rate = "MB/s" }
within = true
required = "the run “{name}” has no rate"
[[lines]]
match = "end"
ends = true
"""


def test_values_of_a_block_are_forgotten_with_it() -> None:
    form = in_toml(BLOCKS)
    log = b"on h\nrun a of 4\nwith 2\nrate 1.50\nend\nrate 9.00\nwith 9\nrun b\nrate 2.50\n"
    assert read(form, log) == [
        (4, "x", "rate", "MB/s", 1.5, (("host", "h"), ("name", "a"), ("size", 4), ("threads", 2))),
        (9, "x", "rate", "MB/s", 2.5, (("host", "h"), ("name", "b"))),
    ]
    assert messages(form, log) == []


def test_a_block_wants_its_required_line_once() -> None:
    form = in_toml(BLOCKS)
    assert messages(form, b"run a\nrun b\nrate 1.50\nend\n") == [(1, "the run “a” has no rate")]
    assert messages(form, b"run a\n") == [(1, "the run “a” has no rate")]
    # Which of two rates is the run's is unknown, and a line that is damaged is not missing.
    twice = b"run a\nrate 1.50\nrate 2.50\n"
    assert [line for line, *_ in read(form, twice)] == [2]
    assert messages(form, twice) == [(3, "a line of x is cut or damaged")]
    assert messages(form, b"run a\nrate 1.5\n") == [(2, "a line of x is cut or damaged")]


CONFIRMED = """
example = "run\\nrate 1.5\\nvalid\\n"
unconfirmed = "no word on whether the run is valid"
[[lines]]
match = "run"
begins = true
[[lines]]
match = "rate {rate:number}"
figures = { rate = "MB/s" }
[[lines]]
match = "valid"
confirms = true
ends = true
[[lines]]
match = "wrong by {:int}"
rejects = "the program says: {line}"
ends = true
"""


def test_figures_wait_for_the_line_that_confirms_or_rejects_them() -> None:
    form = in_toml(CONFIRMED)
    log = b"run\nrate 1.5\nvalid\nrun\nrate 2.5\nwrong by 3\nrun\nrate 3.5\n"
    assert [(line, value) for line, _, _, _, value, _ in read(form, log)] == [(2, 1.5), (5, None)]
    assert messages(form, log) == [
        (5, "the program says: wrong by 3"),
        (8, "no word on whether the run is valid"),
    ]


def test_a_mean_counts_where_its_runs_were_not_printed() -> None:
    form = in_toml(
        'example = "run a: 1.5"\n'
        '[[lines]]\nmatch = "run {name:word}: {rate:number}"\nfigures = { rate = "MB/s" }\n'
        '[[lines]]\nmatch = "mean {name:word}: {rate:number}"\nfigures = { rate = "MB/s" }\n'
        "mean = true\n"
    )
    log = b"run a: 1.5\nrun a: 2.5\nmean a: 2.0\nmean b: 7.0\nmean a: 3.0\n"
    assert [line for line, *_ in read(form, log)] == [1, 2, 4, 5]


CONDITIONS = """
example = "rate 1.5 of x"
[[lines]]
match = "unit {_unit:word}{? quiet{_quiet:quiet}?}"
[[lines]]
match = "rate {rate:number} of {part:word}"
figures.rate = { unit = "MB/s", power = -3 }
when = { _quiet = "" }
[[lines]]
match = "load {load:load} in {_unit2:word}"
figures.load = { unit = "{_unit2}", failures = { off = "no load of {part}" } }
needs = ["part"]
unstated = "{_unit2} of nothing"
[[lines]]
match = "old {:word}"
refuse = "version 1 is not read"
hint = "take version 2"
[[lines]]
match = "error {:text}"
fail = "x: {line}"
[[lines]]
match = "part {part:word}"
[kinds]
quiet = '!'
load = 'off|[0-9]+'
"""


def test_conditions_failures_and_refusals() -> None:
    form = in_toml(CONDITIONS)
    log = b"unit s quiet!\nrate 1.5 of x\nunit s\nrate 1.5 of x\nload 7 in %\npart p\nload 7 in %\nload off in %\n"
    rows = [row_[:5] for row_ in read(form, log)]
    assert rows == [
        (4, "x", "rate", "MB/s", 0.0015),
        (7, "x", "load", "%", 7.0),
        (8, "x", "load", "%", None),
    ]
    assert messages(form, log) == [(5, "% of nothing"), (8, "no load of p")]
    (refused, failed) = form.read(b"old y\nerror in z\n", Context("x")).diagnostics
    assert (refused.kind, refused.message, refused.hint) == (
        "log-row", "version 1 is not read", "take version 2"
    )  # fmt: skip
    assert (failed.kind, failed.message) == ("log-failed", "x: error in z")


def test_a_parameter_of_an_unnamed_benchmark_is_left_out_where_it_is_named() -> None:
    form = in_toml(
        'example = "r 1 on d"\nunless_named = ["device"]\n[[lines]]\n'
        'match = "r {rate:number} on {device:word}"\nfigures = { rate = "MB/s" }\n'
    )
    (own,) = form.read(b"r 1 on d", Context("x")).results
    (named,) = form.read(b"r 1 on d", Context("x", {"benchmark": "emmc"})).results
    assert (own.benchmark, own.params) == ("x", {"device": "d"})
    assert (named.benchmark, named.params) == ("emmc", {})


LINE = 'example = "a 1"\n[[lines]]\nmatch = "a {a:number}"\nfigures = { a = "s" }\n'


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (LINE.replace('{a:number}"', '{a:number} {? b"'), "has {? without its ?}"),
        (LINE.replace('{a:number}"', '{a:number} b?}"'), "has ?} without its {?"),
        (LINE.replace('{a:number}"', '{a:number}{a:int}"'), "has two values “a”"),
        (LINE + 'needs = ["b"]\n', "no line has a value “b”"),
        (LINE + 'refuse = "not {b}"\n', "no line has a value “b”"),
        (LINE + 'required = "no a"\n', "“no a” is said of a block"),
        (LINE + "confirms = true\n", "“unconfirmed” and a line that confirms belong together"),
        (LINE + 'agree = "a"\n', "“a” is not an equation"),
        (LINE + '[kinds]\nb = "[0-9"\n', "“[0-9” is not a regular expression"),
        (LINE + '[kinds]\nb = "([0-9])"\n', "the kind “b” has a group"),
        (LINE.replace("{a:number}", "{a:b}") + '[kinds]\nb = "(?x)[0-9]"\n', "cannot be used"),
        (LINE.replace("{a:number}", "{a:size.MiB.(}"), "has a { that begins no value"),
        (LINE + '[kinds]\nint = "[0-9]"\n', "there is a kind “int” already"),
        (LINE + '[kinds]\nb = "[0-9]"\n', "no line has a value of the kind “b”"),
        ('example = "a"\n[csv]\nparams = { a = "a" }\n', "no column of “csv” holds figures"),
        ('recognise = ["^b"]\n' + LINE, "its own example is not recognised"),
    ],
)
def test_a_contradiction_is_refused(text: str, why: str) -> None:
    with pytest.raises(ValueError, match=re.escape(why)):
        in_toml(text)


def test_the_package_lists_each_of_its_descriptions() -> None:
    files = {path.name.removesuffix(ENDING) for path in FOLDER.iterdir()}
    assert files == {name for name, module in BUILT_IN.items() if module == DESCRIBED}
