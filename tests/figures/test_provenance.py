"""Every figure leads to its bundle, its place there, its command and its log line."""

from __future__ import annotations

import csv
import json
import re
import shutil
import tarfile
import zipfile
from pathlib import Path
from typing import Any

import pytest
from conftest import TOP, run_sphinx
from making import TOML, loaded, only, plain, result, text

from perfguide.bundles import logs
from perfguide.bundles.decompress import Limits
from perfguide.cli.command_line import main
from perfguide.common import parallel
from perfguide.figures import dataset
from perfguide.intake import pack_logs
from perfguide.intake.pack_logs import LogFile
from perfguide.pages import build
from perfguide.pages.build import Outcome
from perfguide.tables import origins
from perfguide.tables.page_tables import read_csv, read_page_file

LOG = b"first\nrate 16: 1.5 MB/s\nrate 64: 2.5 MB/s\n\x1b[2Jlatency\n"


def generated(top: Path) -> Outcome:
    benchmarks = top / "benchmarks"
    benchmarks.mkdir(exist_ok=True)
    (benchmarks / "speed.toml").write_text(TOML, "utf-8")
    (benchmarks / "speed.rst").write_text("Prose.\n", "utf-8")
    described = (dataset.BUILT_IN, benchmarks)
    if not dataset.BUILT_IN.is_dir():
        described = (TOP / "source/benchmarks", benchmarks)
    # No test here looks at a picture.
    return build.generate(
        dataset.Settings((top / "results",), described, top / "out", formats=()), run=parallel.here
    )


def rows(path: Path) -> list[dict[str, str]]:
    """The rows of a table: of its file for programs, or of the one that its page shows."""
    if path.name.endswith(".data.csv"):
        with path.open(encoding="utf-8", newline="") as file:
            return list(csv.DictReader(file))
    head, *body = read_csv(path.read_bytes())
    return [dict(zip(head, row, strict=True)) for row in body]


def expanded(results: str) -> list[int]:
    """The results that a cell such as ``/results/0–2, 7`` names."""
    out: list[int] = []
    for part in results.removeprefix("/results/").split(", "):
        first, _, last = part.partition("–")
        out += range(int(first), int(last or first) + 1)
    return out


def run() -> dict[str, Any]:
    log = {"file": "speed.log", "line": 2}
    return plain(
        result(value=1.5, params={"block_size": 16}, command="speed 16", log=log),
        result(value=2.5, params={"block_size": 64}, log={"file": "speed.log", "line": 3}),
        result("lat_a", "us", value=7.0, log={"file": "speed.log", "line": 4}),
        id="one",
        runner={"name": "lab", "job_url": "https://lab.example/job/7"},
        sdk__kernel="6.1",
        sdk__image="default",
    )


@pytest.fixture
def results(tmp_path: Path) -> Path:
    folder = tmp_path / "results" / "lab"
    folder.mkdir(parents=True)
    (folder / "run.json").write_bytes(text(run()))
    (folder / "run.logs.tar.zst").write_bytes(pack_logs.archive([LogFile("speed.log", LOG)]))
    return tmp_path / "results"


def test_a_row_of_a_table_names_bundle_pointer_command_and_log_line(
    tmp_path: Path, results: Path
) -> None:
    generated(tmp_path)
    folder = tmp_path / "out/reports/provenance/AM62X/linux/09.01"
    assert rows(folder / "speed-rate.csv") == [
        {
            "Block size": "16 bytes",
            "Board": "sk",
            "Bundle": "one",
            "Results": "/results/0",
            "Log": "speed.log:2",
            "Line": "rate 16: 1.5 MB/s",
            "Command": "speed 16",
        },
        {
            "Block size": "64 bytes",
            "Board": "sk",
            "Bundle": "one",
            "Results": "/results/1",
            "Log": "speed.log:3",
            "Line": "rate 64: 2.5 MB/s",
            "Command": "",
        },
    ]
    latency = only(rows(folder / "speed-latency.csv"))
    assert latency["Line"] == r"\x1b[2Jlatency"
    assert rows(folder / "logs.data.csv") == [
        {"Bundle": "one", "Log": "speed.log", "Kept in": "lab/run.logs.tar.zst!speed.log"}
    ]


def test_the_bundle_is_named_with_all_that_identifies_its_run(
    tmp_path: Path, results: Path
) -> None:
    generated(tmp_path)
    folder = tmp_path / "out/reports/provenance/AM62X/linux/09.01"
    facts = {row["Fact"]: row["Value"] for row in rows(folder / "bundles.data.csv")}
    item = only(dataset.read(dataset.Settings((results,), (), tmp_path)).ledger.bundles)
    assert facts == {
        "File": "lab/run.json",
        "SHA-256 of the content": item.digest,
        "Measured": "2024-04-02T09:30:00+00:00",
        "Runner": "lab",
        "Job": "https://lab.example/job/7",
        "Board": "sk",
        "Kernel": "6.1",
        "Image": "default",
        "Results": "3",
    }
    found = json.loads((folder / "provenance.json").read_bytes())
    bundle = only(found["bundles"])
    assert (bundle["bundle"], bundle["sha256"]) == ("one", item.digest)
    assert (bundle["job_url"], bundle["kernel"]) == ("https://lab.example/job/7", "6.1")
    assert found["commands"] == ["speed 16"]
    sources = {f["metric"]: f["sources"] for f in found["figures"] if f["params"] != {}}
    assert sources["lat_a"] == [[0, "/results/2", None, "speed.log", 4]]


def test_figures_of_one_command_share_a_row_and_repeated_runs_do_not(tmp_path: Path) -> None:
    at = [
        result(value=float(i), params={"block_size": 16, "engine": e}, command="c")
        for i, e in enumerate(["hw", "sw", "hw", "sw"])
    ]
    (tmp_path / "results").mkdir()
    (tmp_path / "results/a.json").write_bytes(text(plain(*at)))
    generated(tmp_path)
    folder = tmp_path / "out/reports/provenance/AM62X/linux/09.01"
    found = rows(folder / "speed-rate.csv")
    assert [(row["Columns"], row["Results"]) for row in found] == [
        ("accelerator, software", "/results/0–1"),
        ("accelerator, software", "/results/2–3"),
    ]


def test_spans_keep_the_order_and_join_neighbours() -> None:
    assert origins.spans([3, 4, 5, 9]) == "3–5, 9"
    assert origins.spans([5, 4, 3]) == "5, 4, 3"
    assert origins.spans([17, 17, 17]) == "17"
    assert origins.spans([1, 2, 9, 2, 3]) == "1–2, 9, 2–3"


Shipped = tuple[Path, dataset.Holdings]


@pytest.fixture
def shipped(real_project: Path, real_holdings: dataset.Holdings) -> Shipped:
    """The pages from the bundles of the repository, and their figures."""
    return real_project / "source", real_holdings


def test_every_published_result_stands_in_the_provenance_of_its_guide_once(
    shipped: Shipped,
) -> None:
    out, held = shipped
    told: list[tuple[str, int]] = []
    for path in (out / "reports/provenance").rglob("*.csv"):
        for row in rows(path) if not path.name.endswith(".data.csv") else ():
            if "Results" in row:
                told += [(row["Bundle"], number) for number in expanded(row["Results"])]
    there = [(b.bundle.id, n) for b in held.ledger.bundles for n in range(len(b.bundle.results))]
    assert len(told) > 8000
    assert sorted(told) == sorted(there)


def test_every_figure_stands_in_the_file_for_programs_with_its_sources(
    shipped: Shipped,
) -> None:
    out, held = shipped
    bundles = {b.bundle.id: b for b in held.ledger.bundles}
    told = 0
    for path in (out / "reports/provenance").rglob("provenance.json"):
        found = json.loads(path.read_bytes())
        for figure in found["figures"]:
            for bundle, pointer, command, file, line in figure["sources"]:
                item = bundles[found["bundles"][bundle]["bundle"]]
                uploaded = item.bundle.results[int(pointer.removeprefix("/results/"))]
                assert (figure["benchmark"], figure["metric"]) == (
                    uploaded.benchmark,
                    uploaded.metric,
                )
                assert (found["commands"][command] if command is not None else "") == (
                    uploaded.command
                )
                assert (file, line) == (
                    (uploaded.log.file, uploaded.log.line) if uploaded.log else (None, None)
                )
                told += 1
    assert told == sum(len(b.bundle.results) for b in bundles.values())


CHART = re.compile(
    r"(?:figclass: perf-chart|container:: perf-chart[^\n]*)\n +:name: (\S+)\n"
    r".*?:download:`CSV <[^>]*>`([^\n]*)\n",
    re.DOTALL,
)
"""A chart: its name, and what follows the link to its CSV."""


def test_each_chart_names_the_tables_that_say_where_its_figures_come_from(
    shipped: Shipped,
) -> None:
    out, _ = shipped
    labels = {
        name
        for page in out.rglob("*.rst")
        for name in re.findall(r":name: (.+)", page.read_text("utf-8"))
    }
    found: dict[str, list[str]] = {}
    for page in out.rglob("*.rst"):
        for name, line in CHART.findall(page.read_text("utf-8")):
            if not name.endswith("/compare-changes"):
                found[name] = re.findall(r":ref:`(?:[^`<]*<)?([^`<>]+)>?`", line)
    assert all(found.values()) and {name for names in found.values() for name in names} <= labels
    nice = found["x86-64/linux/12.11/openssl-chart-nice"]
    folder = "provenance/x86-64/linux/12.11/openssl-nice"
    assert nice == [f"{folder}-throughput", f"{folder}-cpu-load"], "those of both its axes"
    assert found["openssl/newest-chart-boards"] == ["openssl/sources"]


def test_the_sources_of_a_page_over_several_guides_name_these_and_lead_on(
    shipped: Shipped,
) -> None:
    out, _ = shipped
    newest, own = (
        [(r["Guide"], r["Boards"]) for r in rows(out / f"by-benchmark/ipsec/{name}.data.csv")]
        for name in ("sources", "AM62X/sources")
    )
    guide = ("AM62X, Linux 09.01.00.08", "am62xx_lp_sk-fs, am62xx_sk-fs, am62xxsip_sk-fs")
    # One algorithm was measured last with the release before.
    assert own == [guide, ("AM62X, Linux 09.00.00.03", "am62xxsip_sk-fs")]
    assert newest == [*own, ("AM64X, RT-Linux 08.06.00.42", "am64xx-hsevm")]
    figures = read_page_file((out / "by-benchmark/ipsec/figures.js").read_bytes())
    links = figures.tables["ipsec/sources.csv"].links
    table = "am62x/linux/09.01.00.08/ipsec-algorithms"
    assert links[:2] == [
        (0, 2, "guides/AM62X/linux/09.01.00.08", table, ""),
        (0, 3, "reports/provenance/AM62X/linux/09.01.00.08", f"provenance/{table}", ""),
    ]
    page = (out / "guides/AM62X/index.rst").read_text("utf-8")
    origin = ":ref:`Where these figures come from <am62x/index/sources>`"
    assert origin in page and ":name: am62x/index/sources" in page


def test_the_shown_log_lines_hold_the_figures_that_came_from_them(
    shipped: Shipped,
) -> None:
    out, held = shipped
    bundles = {b.bundle.id: b for b in held.ledger.bundles}
    checked = 0
    first = out / "reports/provenance/X86-64/linux/12.11/openssl-nice-throughput.csv"
    # A table that is too long for its page has its other rows on further pages.
    for path in (first, *first.with_suffix("").rglob("*.csv")):
        for row in rows(path):
            for number in expanded(row["Results"]):
                samples = bundles[row["Bundle"]].bundle.results[number].samples
                assert isinstance(samples, list)
                assert f"{samples[0]:.2f}k" in row["Line"]
                checked += 1
    assert checked > 3000


def test_a_new_bundle_rewrites_the_provenance_of_its_guide_alone(
    tmp_path: Path, results: Path
) -> None:
    other = plain(id="two", sdk__version="09.02")
    (results / "other.json").write_bytes(text(other))
    generated(tmp_path)
    more = plain(result(value=9, params={"block_size": 16}), id="three", sdk__version="09.02")
    (results / "more.json").write_bytes(text(more))
    written = {n for n in generated(tmp_path).written if n.startswith("reports/provenance")}
    assert {"/".join(n.split("/")[:5]).split(".rst")[0] for n in written} == {
        "reports/provenance/AM62X/linux/09.02"
    }


@pytest.mark.parametrize("how", ["folder", "zip", "tar", "deep zip"])
def test_a_log_is_found_where_it_came_with_its_bundle(tmp_path: Path, how: str) -> None:
    folder = tmp_path / "results"
    folder.mkdir()
    if how == "folder":
        (folder / "run.jsonl").write_bytes(text(run()) + b"\n")
        (folder / "speed.log").write_bytes(LOG)
    elif how == "tar":
        with tarfile.open(folder / "all.tar.gz", "w:gz") as container:
            for name, data in (("run.json", text(run())), ("speed.log", LOG)):
                (tmp_path / name).write_bytes(data)
                container.add(tmp_path / name, name)
    else:
        below = "lab/" if how == "deep zip" else ""
        with zipfile.ZipFile(folder / "all.zip", "w") as archive:
            archive.writestr(f"{below}run.json", text(run()))
            archive.writestr(f"{below}speed.log", LOG)
    generated(tmp_path)
    found = rows(tmp_path / "out/reports/provenance/AM62X/linux/09.01/speed-rate.csv")
    assert [row["Line"] for row in found] == ["rate 16: 1.5 MB/s", "rate 64: 2.5 MB/s"]


@pytest.mark.parametrize(
    "name", ["../secret.log", "/etc/hostname", "link.log", "links/secret.log", "..", "a\\b", "."]
)
def test_the_name_of_a_log_never_leads_out_of_the_folder(tmp_path: Path, name: str) -> None:
    folder = tmp_path / "results"
    folder.mkdir()
    (tmp_path / "secret.log").write_text("secret\n")
    (folder / "link.log").symlink_to(tmp_path / "secret.log")
    (folder / "links").symlink_to(tmp_path)
    (folder / "run.json").write_bytes(
        text(plain(result(value=1, params={"block_size": 16}, log={"file": name, "line": 1})))
    )
    generated(tmp_path)
    found = only(rows(tmp_path / "out/reports/provenance/AM62X/linux/09.01/speed-rate.csv"))
    assert found["Log"] == f"{name}:1"
    assert "Line" not in found


def test_logs_that_cannot_be_read_are_named_and_keep_no_figure_back(
    tmp_path: Path, results: Path
) -> None:
    packed = results / "lab/run.logs.tar.zst"
    packed.write_bytes(packed.read_bytes()[:-9])
    outcome = generated(tmp_path)
    found = only([d for d in outcome.diagnostics if d.kind == "log-archive"])
    assert (found.origin, found.severity) == ("lab/run.logs.tar.zst", "warning")
    assert len(outcome.read().pool) == 3
    row = rows(tmp_path / "out/reports/provenance/AM62X/linux/09.01/speed-rate.csv")[0]
    assert row["Log"] == "speed.log:2"


def test_logs_obey_the_limits(tmp_path: Path) -> None:
    (tmp_path / "run.json").write_bytes(b"")
    packed = tmp_path / "run.logs.tar.zst"
    packed.write_bytes(pack_logs.archive([LogFile("speed.log", b"\n" * 10_000_000)]))
    item = loaded(result(log={"file": "speed.log", "line": 1}), origin="run.json")
    item = type(item)(str(tmp_path), "run.json", item.bundle, item.digest)
    found = logs.find(item, logs.wanted(item), Limits())
    assert "grows too much" in only(found.diagnostics).message
    found = logs.find(item, logs.wanted(item), Limits(ratio=10**6, document=1000))
    assert "more than 1000 bytes" in only(found.diagnostics).message


def test_a_line_behind_the_end_of_its_log_has_no_text(tmp_path: Path) -> None:
    (tmp_path / "run.json").write_bytes(b"")
    (tmp_path / "speed.log").write_bytes(LOG)
    item = loaded(result(log={"file": "speed.log", "line": 99}), origin="run.json")
    item = type(item)(str(tmp_path), "run.json", item.bundle, item.digest)
    assert logs.find(item, logs.wanted(item), Limits()).text("speed.log", 99) == ""


def _project(project: Path) -> Path:
    shutil.rmtree(project / "results")
    folder = project / "results"
    folder.mkdir()
    found = run()
    for item in found["results"]:
        item["benchmark"] = "stream"
        item.pop("params", None)
    found["results"][0] |= {"metric": "copy"}
    found["results"][1] |= {"metric": "scale"}
    found["results"][2] |= {"benchmark": "odd", "metric": "odd", "unit": "x"}
    found["board"]["soc"] = "SoC <b>&*odd*"
    (folder / "run.json").write_bytes(text(found))
    (folder / "speed.log").write_bytes(LOG.replace(b"rate 16", b"<script>rate 16"))
    return project


def test_each_table_of_a_guide_leads_to_the_origin_of_its_figures_offline(
    project: Path, tmp_path: Path
) -> None:
    built = run_sphinx(_project(project), tmp_path / "html", "-W", "-n")
    assert (built.returncode, built.stderr) == (0, "")
    guide = only(list((tmp_path / "html/source/guides").glob("*/linux/09.01.html")))
    page = guide.read_text("utf-8")
    links = re.findall(
        r'<a class="reference internal" href="([^"#]+)#([^"]+)">'
        r"<span[^>]*>Where these figures come from</span>",
        page,
    )
    assert len(links) == 2  # the benchmark's own table, and the other results
    for target, anchor in links:
        assert not re.match("[a-z]+:|/", target)
        origin = (guide.parent / target).resolve()
        assert origin.is_file()
        assert f'id="{anchor}"' in origin.read_text("utf-8")
    told = (guide.parent / links[0][0]).resolve().read_text("utf-8")
    assert "https://lab.example/job/7" in told
    assert "/results/0" in told and "speed.log:2" in told
    assert "&lt;script&gt;rate 16" in told and "<script>rate 16" not in told
    download = re.search(r'href="([^"]+provenance\.json)"', told)
    assert download
    assert (guide.parent / links[0][0]).resolve().parent.joinpath(download[1]).is_file()
    # A page over several guides has a table of these, which leads on.
    page = tmp_path / "html/source/by-benchmark/stream.html"
    said = page.read_text("utf-8")
    assert set(re.findall(r'href="#([^"]+)"><span[^>]*>Where these', said)) == {"stream-sources"}
    rest = said.partition('id="stream-sources"')[2]
    leading = re.findall(r'href="([^"#]+)#([^"]+)">Provenance of SoC &lt;b&gt;', rest)
    assert len(leading) == 1
    for target, anchor in leading:
        assert f'id="{anchor}"' in (page.parent / target).read_text("utf-8")


@pytest.mark.parametrize("builder", ["text", "latex"])
def test_on_paper_each_table_names_the_page_of_its_origin(
    project: Path, tmp_path: Path, builder: str
) -> None:
    built = run_sphinx(_project(project), tmp_path / "out", "-b", builder, "-W")
    assert (built.returncode, built.stderr) == (0, "")
    if builder == "latex":
        paper = only(list((tmp_path / "out").glob("*.tex"))).read_text("utf-8")
        lines = [line for line in paper.splitlines() if "{Where these figures come from}" in line]
        own = [line for line in lines if r"\hyperref[\detokenize{source/reports/prov" in line]
        assert len(own) == 2, "the benchmark's own table, and the other results"
        assert all("Provenance of SoC" in line for line in own)
        assert [line for line in lines if "stream-sources}]" in line]
        assert "speed.log:2" in paper and "rate 64: 2.5 MB/s" in paper
    else:
        guide = only(list((tmp_path / "out/source/guides").glob("*/linux/09.01.txt")))
        said = " ".join(guide.read_text("utf-8").split())
        assert "Where these figures come from: Provenance of SoC <b>&*odd*, Linux 09.01" in said


def test_show_prints_the_same_facts(
    results: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    asked = ["show", "AM62X/09.01/sk/speed/rate", "--param", "block_size=16"]
    assert main([*asked, "--results", str(results)]) == 0
    said = capsys.readouterr().out
    for line in (
        "from lab/run.json at /results/0",
        "    bundle   one",
        "    created  2024-04-02T09:30:00+00:00",
        "    runner   lab",
        "    job_url  https://lab.example/job/7",
        "    board    sk",
        "    kernel   6.1",
        "    image    default",
        "    command  speed 16",
        "    log      speed.log:2",
        "    log_file lab/run.logs.tar.zst!speed.log",
        "    log_text rate 16: 1.5 MB/s",
    ):
        assert line in said, line
    assert re.search("    sha256   [0-9a-f]{64}\n", said)
