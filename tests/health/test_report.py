"""Findings are shown where they belong: acknowledged or not, in the command, on pages, at cells."""

from __future__ import annotations

import csv
import json
import re
from pathlib import Path
from typing import Any

import html5lib
import pytest
from conftest import bare_project, run_sphinx
from html_tables import NAMESPACE, figures
from making import SHIPPED, loaded, only, pooled
from profiles import count

from perfguide.catalog import benchmarks
from perfguide.cli.command_line import main
from perfguide.health import acknowledged, rules
from perfguide.health import report as health_report
from perfguide.health.finding import Finding
from perfguide.tables.page_tables import Extra, read_page_file

CATALOG = benchmarks.load([SHIPPED])[0]


def zero(board: str = "sk", **more: Any) -> dict[str, Any]:
    """A bundle with a figure of zero that cannot be, and one below its minimum."""
    bundle = {
        "format": "perfguide-bundle",
        "version": 1,
        "id": f"run-{board}",
        "created": "2024-04-02T09:30:00Z",
        "sdk": {"version": "09.01", "os": "linux"},
        "board": {"name": board, "soc": "AM62X"},
        "results": [
            {"benchmark": "stream", "metric": "copy", "unit": "MB/s", "value": 0.0},
            {"benchmark": "stream", "metric": "add", "unit": "MB/s", "value": 3.2, "min": 4.0},
            {"benchmark": "stream", "metric": "triad", "unit": "MB/s", "value": 7.0},
            {"benchmark": "x\u202ey<b>", "metric": "`c`", "unit": "MB/s", "value": 0.0},
        ],
    }
    bundle["results"][3]["benchmark"] = "x`y<b>"
    return {**bundle, **more}


def findings(*boards: str) -> list[Finding]:
    bundles = [loaded(**zero(board)) for board in boards]
    return rules.examine(pooled(bundles, CATALOG), CATALOG)[0]


# -- acknowledgements --------------------------------------------------------------


def written(folder: Path, text: str) -> Path:
    path = folder / "acknowledged.toml"
    path.write_text(text, "utf-8")
    return path


def accepted(path: Path, found: list[Finding]) -> tuple[list[Finding], list[str]]:
    """Findings after the file of acknowledgements, and what is said about the file."""
    entries, _ = acknowledged.load(path, rules.RULES)
    settled, used = acknowledged.apply(found, entries)
    faults = acknowledged.faults(path, rules.RULES, used)
    return settled, [f"{d.kind} {d.pointer}: {d.text()}" for d in faults]


def test_an_acknowledged_finding_stays_with_its_reason(tmp_path: Path) -> None:
    text = '[[acknowledged]]\nrule = "outside-range"\nreason = "known"\n'
    settled, said = accepted(written(tmp_path, text), findings("sk"))
    assert said == []
    assert {f.rule.id: f.acknowledged for f in settled} == {
        "outside-range": "known",
        "not-positive": "",
    }
    assert len(settled) == len(findings("sk"))


@pytest.mark.parametrize(
    ("pattern", "boards"),
    [
        ('board = "l*"', ["lp"]),
        ('guide = "AM62X/linux/09.*"', ["lp", "sk"]),
        ('guide = "AM62X/rt-linux/*"', []),
        ('benchmark = "stream"\nmetric = "copy"', ["lp", "sk"]),
        ('metric = "triad"', []),
    ],
)
def test_patterns_accept_some_figures_of_a_finding(
    tmp_path: Path, pattern: str, boards: list[str]
) -> None:
    text = f'[[acknowledged]]\nrule = "not-positive"\nreason = "r"\n{pattern}\n'
    settled, said = accepted(written(tmp_path, text), findings("sk", "lp"))
    stream = [f for f in settled if (f.rule.id, f.benchmark) == ("not-positive", "stream")]
    taken = sorted(s.record.board for f in stream if f.acknowledged for s in f.suspects)
    left = sorted(s.record.board for f in stream if not f.acknowledged for s in f.suspects)
    assert taken == boards and sorted(taken + left) == ["lp", "sk"]
    assert len({f.id for f in settled}) == len(settled)
    assert bool(said) == (not boards)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[[acknowledged", "acknowledged : is not TOML"),
        ("[[accepted]]\n", "“accepted” has no meaning here (write [[acknowledged]] entries)"),
        ("acknowledged = 3\n", "“acknowledged” is a single value where a list of tables belongs (write [[acknowledged]]"),
        ('[[acknowledged]]\nrule = "zero"\nreason = "r"\n', "entry 1 of “acknowledged”: there is no rule “zero”"),
        ('[[acknowledged]]\nrule = "curve-dip"\nreason = "r"\n', "did you mean “curve-dips”?"),
        ('[[acknowledged]]\nrule = "curve-dips"\n', "entry 1 of “acknowledged”: “reason” is missing"),
        ('[[acknowledged]]\nrule = "curve-dips"\nreason = " "\n', "entry 1 of “acknowledged”: the reason is empty"),
        ('[[acknowledged]]\nrule = "curve-dips"\nreason = 3\n', "“reason” is a whole number where text is required"),
        ('[[acknowledged]]\nrule = "curve-dips"\nreason = "r"\nbord = "*"\n', "entry 1 of “acknowledged”: “bord” is unknown (did you mean “board”?"),
    ],
)  # fmt: skip
def test_a_malformed_acknowledgement_is_said_exactly(tmp_path: Path, text: str, said: str) -> None:
    _, told = accepted(written(tmp_path, text), findings("sk"))
    assert said in only(told)
    assert ("this entry has no effect" in only(told)) == ("entry 1" in only(told))


def test_an_unused_acknowledgement_is_reported_and_the_others_hold(tmp_path: Path) -> None:
    text = (
        '[[acknowledged]]\nrule = "curve-dips"\nreason = "old"\n'
        '[[acknowledged]]\nrule = "not-positive"\nreason = "r"\n'
    )
    settled, said = accepted(written(tmp_path, text), findings("sk"))
    unused = "acknowledged-unused : entry 1 of “acknowledged”: accepts no finding: curve-dips, old"
    assert only(said).startswith(unused)
    assert any(f.acknowledged for f in settled)
    assert acknowledged.load(tmp_path / "none.toml", rules.RULES) == ([], [])


# -- the command -------------------------------------------------------------------


class Shell:
    """A folder with a bundle, and the command run on it."""

    def __init__(self, top: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.top = top
        self._capsys = capsys
        self.put("a.json", zero())

    def put(self, name: str, bundle: dict[str, Any]) -> None:
        (self.top / "results").mkdir(exist_ok=True)
        (self.top / "results" / name).write_text(json.dumps(bundle), "utf-8")

    def run(self, *arguments: str) -> tuple[int, str, str]:
        status = main(
            ["health", str(self.top / "results"), "--benchmarks", str(SHIPPED), *arguments]
        )
        said = self._capsys.readouterr()
        return status, said.out, said.err


@pytest.fixture
def shell(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> Shell:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    return Shell(tmp_path, capsys)


GOLDEN = """\
error: AM62X, Linux 09.01, stream: zero or negative where that is impossible
  sk, Copy: the figure is 0 MB/s
  what to do: leave the failed sample out, or upload it as "status": "fail"
  [not-positive-…]

error: AM62X, Linux 09.01, stream: mean outside its own range
  sk, Add: the mean 3.2 MB/s is below its minimum 4
  what to do: recompute the mean from the samples, and upload them instead of
  the mean
  [outside-range-…]

error: AM62X, Linux 09.01, x`y<b>: zero or negative where that is impossible
  sk, `c`: the figure is 0 MB/s
  what to do: leave the failed sample out, or upload it as "status": "fail"
  [not-positive-…]

3 errors, no warnings, no notes
"""


def test_health_prints_findings_the_worst_first(shell: Shell) -> None:
    status, out, err = shell.run()
    assert (status, err) == (1, "")
    assert re.sub(r"-[0-9a-f]{10}]", "-…]", out) == GOLDEN
    assert max(map(len, out.splitlines())) <= 80


def test_health_is_fine_where_nothing_is_that_bad(shell: Shell) -> None:
    results = [
        {"benchmark": "whetstone", "metric": "whetstone", "unit": "MIPS", "value": 5000.0,
         "params": {"run": n}} for n in range(2)
    ]  # fmt: skip
    shell.put("a.json", zero(results=results))
    assert shell.run() == (0, "no errors, no warnings, no notes\n", "")


def test_fail_on_says_what_is_bad_enough(shell: Shell) -> None:
    older = zero(
        results=[{"benchmark": "stream", "metric": "copy", "unit": "MB/s", "value": 1.0}] * 1
    )
    newer = {**older, "id": "new", "sdk": {"version": "09.02", "os": "linux"},
             "results": [{**older["results"][0], "command": "run -P j721e-idk-gw"}]}  # fmt: skip
    shell.put("a.json", older)
    shell.put("b.json", newer)
    assert shell.run()[0] == 0
    assert shell.run("--fail-on", "error")[0] == 0
    assert shell.run("--fail-on", "warning")[0] == 1
    assert shell.run("--fail-on", "note")[0] == 1


def test_acknowledged_findings_are_listed_last_and_do_not_fail(shell: Shell) -> None:
    text = "".join(
        f'[[acknowledged]]\nrule = "{rule}"\nreason = "as \\u001b[31mpublished"\n'
        for rule in ("outside-range", "not-positive", "curve-dips")
    )
    path = written(shell.top, text)
    status, out, err = shell.run("--acknowledged", str(path))
    assert status == 0
    assert out.startswith("acknowledged\n") and "accepted: as \\x1b[31mpublished" in out
    assert out.endswith("no errors, no warnings, no notes; 3 acknowledged\n")
    assert "accepts no finding: curve-dips" in err and "\x1b" not in out + err


def test_wrong_usage_is_told_from_findings(shell: Shell) -> None:
    assert shell.run("--acknowledged", "nowhere.toml")[0] == 2
    assert shell.run("--acknowledged", str(written(shell.top, "x = [")))[0] == 2
    assert main(["health", "nowhere"]) == 2
    shell.put("a.json", zero(results=[]))
    assert shell.run()[0] == 3


def test_health_reads_as_the_other_commands_do(shell: Shell) -> None:
    status, _, err = shell.run("--limit", "document=10", "--store", "elsewhere")
    assert (status, "more than 10 bytes" in err) == (3, True)


def test_json_holds_each_cell_with_its_sources(shell: Shell) -> None:
    status, out, _ = shell.run("--format", "json")
    found = json.loads(out)
    assert (status, found["format"], found["version"]) == (1, "perfguide-health", 1)
    assert found["counts"] == {"error": 3, "warning": 0, "note": 0}
    first = found["findings"][1]
    assert (first["rule"], first["acknowledged"]) == ("outside-range", None)
    assert first["page"] == f"reports/health#{first['id']}"
    cell = only(first["cells"])
    assert (cell["board"], cell["metric"], cell["mean"], cell["min"]) == ("sk", "add", 3.2, 4.0)
    assert cell["section"] == "guides/AM62X/linux/09.01#stream"
    assert cell["sources"] == [{"bundle": "run-sk", "file": "a.json", "pointer": "/results/1"}]
    other = found["findings"][2]["cells"][0]["section"]
    assert other.startswith("guides/AM62X/linux/09.01#other-x-y-b-")


# -- pages -------------------------------------------------------------------------


def fill(project: Path) -> Path:
    (project / "results/a.json").write_text(json.dumps(zero()), "utf-8")
    fine = zero("lp")
    fine["results"] = fine["results"][2:3]
    (project / "results/b.json").write_text(json.dumps(fine), "utf-8")
    return project


def all_wrong() -> dict[str, Any]:
    """A table of another SoC in which no figure can be right."""
    figures = [
        {"benchmark": "lmbench", "metric": f"lat_{n}", "unit": "us", "value": -1.0}
        for n in range(12)
    ]
    own = zero()
    return own | {
        "id": "all-wrong",
        "board": own["board"] | {"soc": "AM64X"},
        "results": figures,
    }


@pytest.fixture
def site(project: Path) -> Path:
    return fill(project)


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The pages of that site."""
    folder = tmp_path_factory.mktemp("health")
    project = fill(bare_project(folder / "project"))
    (project / "results/c.json").write_text(json.dumps(all_wrong()), "utf-8")
    run = run_sphinx(project, folder / "html", "-W", "-n")
    assert run.returncode == 0, run.stderr
    return folder / "html/source"


def marks(page: Path) -> list[tuple[str, str, str]]:
    """For each mark on a page the text of its cell, where it leads, and what it says."""
    tree = html5lib.parse(page.read_text("utf-8"))
    return [
        ("".join(cell.itertext()), link.get("href"), link.get("title"))
        for cell in tree.iter(f"{NAMESPACE}td")
        for link in cell.iter(f"{NAMESPACE}a")
        if link.get("class", "").startswith("perf-mark")
    ]


def ids(page: Path) -> set[str]:
    return {e.get("id") for e in html5lib.parse(page.read_text("utf-8")).iter() if e.get("id")}


def test_marks_stand_at_the_cells_and_lead_to_the_report(built: Path) -> None:
    top = built
    found = marks(top / "guides/AM62X/linux/09.01.html")
    assert [text for text, _, _ in found] == ["0‡", "3.2‡ (min 4, max 3.2)", "0‡"]
    assert found[0][2] == "Wrong: zero or negative where that is impossible: the figure is 0 MB/s"
    known = ids(top / "reports/health.html")
    for _, link, _ in found:
        page, _, anchor = link.partition("#")
        assert page == "../../../reports/health.html" and anchor in known
    # The same figures are marked where other pages show them.
    assert len(marks(top / "by-benchmark/stream.html")) == 2
    assert len(marks(top / "by-benchmark/stream/AM62X.html")) == 2
    assert marks(top / "guides/AM62X/index.html")


def test_a_table_says_that_all_of_its_figures_have_a_finding_and_no_mark(built: Path) -> None:
    page = built / "guides/AM64X/linux/09.01.html"
    assert marks(page) == []
    (note,) = [
        each
        for each in html5lib.parse(page.read_text("utf-8")).iter(f"{NAMESPACE}p")
        if each.get("class") == "perf-unmarked"
    ]
    assert "".join(note.itertext()) == (
        "‡ Wrong: zero or negative where that is impossible: 12 of 12 figures of this table; none of them is marked."
    )
    report, _, anchor = note.find(f"{NAMESPACE}a").get("href").partition("#")
    assert anchor in ids((page.parent / report).resolve())


def test_a_mark_changes_no_figure_and_no_csv(built: Path) -> None:
    page = built / "guides/AM62X/linux/09.01.html"
    assert "0" in {figure.text for figure in figures(page)}
    links = re.findall(r'href="([^"]*/stream-stream\.data\.csv)"', page.read_text("utf-8"))
    download = page.parent / only(links)
    rows = list(csv.reader(download.read_text("utf-8").splitlines()))
    head = [name.partition(" (MB/s)")[2] for name in rows[0][4:]]
    assert head == ["", "", ", min", ", max"]
    assert [row[4:] for row in rows[1:]] == [
        ["", "0.0", "", ""],
        ["", "3.2", "4.0", "3.2"],
        ["7.0", "7.0", "", ""],
    ]


def test_the_report_leads_to_the_section_of_each_finding(built: Path) -> None:
    report = built / "reports/health.html"
    text = report.read_text("utf-8")
    links = set(re.findall(r'href="(\.\./guides/[^"]*)"', text))
    targets = {link.partition("#")[2] for link in links} - {""}
    guides = [ids(built / f"guides/{soc}/linux/09.01.html") for soc in ("AM62X", "AM64X")]
    assert targets and targets <= set.union(*guides)
    assert "By kind: 4 wrong" in text and "x`y&lt;b&gt;" in text
    assert "the mean 3.2 MB/s is below its minimum 4" in text


def test_only_pages_whose_marks_change_are_read_again_and_a_mended_figure_loses_its_marks(
    site: Path, tmp_path: Path
) -> None:
    run_sphinx(site, tmp_path / "html")
    assert "no targets are out of date" in run_sphinx(site, tmp_path / "html").stdout
    acknowledged = site / "source/acknowledged.toml"
    before = acknowledged.read_bytes()
    text = '[[acknowledged]]\nrule = "outside-range"\nreason = "it is so"\n'
    acknowledged.write_text(text, "utf-8")
    run = run_sphinx(site, tmp_path / "html")
    assert set(re.findall(r"reading sources... \[ *\d+%\] (\S+)", run.stdout)) == {
        "source/guides/AM62X/index",  # which shows what the newest guide opens with
        "source/guides/AM62X/linux/09.01",
        "source/by-benchmark/stream",
        "source/by-benchmark/stream/AM62X",
        "source/reports/health",
    }
    report = tmp_path / "html/source/reports/health.html"
    assert "Acknowledged" in report.read_text("utf-8")
    assert "it is so" in report.read_text("utf-8")
    acknowledged.write_bytes(before)

    def stream() -> Extra:
        figures = site / "source/guides/AM62X/linux/09.01/figures.js"
        return read_page_file(figures.read_bytes()).tables["09.01/stream-stream.csv"]

    assert stream().marks
    fixed = zero()
    for result in fixed["results"]:
        result["value"] = 5.0
    (site / "results/a.json").write_text(json.dumps(fixed), "utf-8")
    run = run_sphinx(site, tmp_path / "html", "-W", "-n")
    assert run.returncode == 0, run.stderr
    assert not stream().marks
    assert marks(tmp_path / "html/source/guides/AM62X/linux/09.01.html") == []
    assert "No findings." in report.read_text("utf-8")


@pytest.mark.parametrize("builder", ["text", "latex", "singlehtml"][: count(2, heavy=3)])
def test_marks_show_in_other_formats_without_a_warning(
    site: Path, tmp_path: Path, builder: str
) -> None:
    run = run_sphinx(site, tmp_path / builder, "-b", builder, "-W", "-n")
    assert run.returncode == 0, run.stderr
    if builder == "singlehtml":
        page = tmp_path / builder / "index.html"
        assert {link.partition("#")[0] for _, link, _ in marks(page)} == {""}
        assert {link[1:] for _, link, _ in marks(page)} <= ids(page)
        return
    name = "source/guides/AM62X/linux/09.01.txt" if builder == "text" else "*.tex"
    text = only(list((tmp_path / builder).glob(name))).read_text("utf-8")
    plain = " ".join(text.split())
    assert " 0 ‡" in plain
    assert "‡1 Wrong: zero or negative where that is impossible. sk, Copy: the figure is" in plain


SOUND = b"a,b\nk,1.5\n"
BROKEN = (
    (SOUND, b"{", "figures.js"),
    (SOUND, b'{"tables":[]}', "figures.js"),
    (SOUND, b'{"about":{"description":"\xff"}}', "figures.js"),
    (SOUND, b'{"tables":{"own-3/t.csv":{"figures":[[9,1,1.5,""]]}}}', "t.csv"),
    (SOUND, b'{"tables":{"own-4/t.csv":{"marks":[[0,1,[[3,"x"]]]]}}}', "t.csv"),
    (SOUND, b'{"tables":{"own-5/t.csv":{"answers":{"rows":1}}}}', "t.csv"),
    (b"\xff\xfe", b"{}", "t.csv"),
    (b"a,b\nk," + b"x" * 200_000, b"{}", "t.csv"),
    (None, b"{}", "t.csv"),
)
"""The CSV of a table, the file of its page, and the one of the two that a message is about."""


def test_a_broken_file_of_a_page_is_a_warning_with_its_name_and_the_rest_stays(
    project: Path, tmp_path: Path
) -> None:
    for number, (table, beside, _) in enumerate(BROKEN):
        folder = project / f"source/own-{number}"
        folder.mkdir()
        if table is not None:
            (folder / "t.csv").write_bytes(table)
        (folder / "figures.js").write_bytes(b"perfguideFigures=" + beside)
        text = f".. perfguide: own-{number}\n\n:orphan:\n\nOwn\n===\n\nAbove.\n\n"
        text += ".. csv-table:: T\n"
        text += f"   :file: own-{number}/t.csv\n   :header-rows: 1\n\nBelow.\n"
        folder.with_suffix(".rst").write_text(text, "utf-8")
    run = run_sphinx(project, tmp_path / "html")
    assert run.returncode == 0, run.stderr
    for number, (_, _, named) in enumerate(BROKEN):
        (said,) = (s for s in run.stderr.splitlines() if f"own-{number}/{named}" in s)
        assert "cannot be read" in said and "perfguide.table" in said
        page = (tmp_path / f"html/source/own-{number}.html").read_text("utf-8")
        assert "<p>Above.</p>" in page and "<p>Below.</p>" in page
        assert ("1.5" in page) == (named == "figures.js"), "without it the CSV still shows"


def test_the_summary_counts_what_is_open() -> None:
    found = tuple(findings("sk"))
    assert (
        health_report.summary(health_report.Health(found, ())) == "3 errors, no warnings, no notes"
    )
    assert health_report.summary(health_report.Health((), ())) == "no errors, no warnings, no notes"
