"""The pages of a SoC are made again when something of theirs changed, and only then."""

from __future__ import annotations

import dataclasses
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

import pytest
from conftest import TOP
from test_builds import tree
from test_store import same_size, settle

from perfguide.common import parallel
from perfguide.common.diagnostics import Diagnostic
from perfguide.export.quoted_figures import FigureFinder
from perfguide.figures import dataset
from perfguide.pages import build, reused_parts
from perfguide.pages.soc_pages import make as make_soc
from perfguide.sphinxext import figure_role
from perfguide.tables import page_tables

Bundle = Callable[..., Path]
Made = Callable[[dataset.Settings], set[str]]
Compared = Callable[[dataset.Settings], list[str]]
PAGES = "pages of "
COPY = {"benchmark": "stream", "metric": "copy", "unit": "MB/s"}
WAIVER = """
[[waivers]]
soc = "SOC1"
benchmark = "stream"
metric = "copy"
until = "09.05"
reason = "known"
"""


@pytest.fixture
def settings(tmp_path: Path, write_bundle: Bundle) -> dataset.Settings:
    """Two SoCs with two releases each; no picture is drawn where a test does not ask for it."""
    for soc, release, value in (
        *(("SOC1", "09.02", 100.0), ("SOC1", "09.03", 50.0)),
        *(("SOC2", "09.02", 100.0), ("SOC2", "09.03", 101.0)),
    ):
        write_bundle(
            tmp_path / f"results/{soc}-{release}.json",
            [{**COPY, "samples": [value, value * 1.01, value * 0.99]}],
            id=f"{soc}-{release}",
            sdk__version=release,
            board__soc=soc,
        )
    (tmp_path / "benchmarks").mkdir()
    for name in ("stream.toml", "stream.rst"):
        shutil.copy(TOP / "source/benchmarks" / name, tmp_path / "benchmarks")
    (tmp_path / "waivers.toml").write_text("", "utf-8")
    return dataset.Settings(
        (tmp_path / "results",),
        (tmp_path / "benchmarks",),
        tmp_path / "source",
        waivers=tmp_path / "waivers.toml",
        cache=tmp_path / "cache",
        formats=(),
    )


@pytest.fixture
def pictured(settings: dataset.Settings) -> dataset.Settings:
    """The same with pictures for screens."""
    return dataclasses.replace(settings, formats=("svg",))


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch, clean_runs: dict[object, Generated]) -> Made:
    """Generate, see that all is as in a run from nothing, and name the parts that were made."""
    asked: list[str] = []
    real = reused_parts.Parts.add

    def spied(self: reused_parts.Parts, name: str, *given: Any) -> Any:
        if name != "site":
            asked.append(name)
        return real(self, name, *given)

    monkeypatch.setattr(reused_parts.Parts, "add", spied)

    def generate(settings: dataset.Settings) -> set[str]:
        settle()
        asked.clear()
        # In this process: test_builds.py has those of whole builds, made by others.
        outcome, found = build.generate(settings, run=parallel.here), set(asked)
        assert (outcome.diagnostics, tree(settings.output)) == from_nothing(settings, clean_runs)
        return found

    return generate


Generated = tuple[tuple[Diagnostic, ...], dict[str, bytes]]
OUTPUTS = ("source", "clean", "cache")


@pytest.fixture(scope="module")
def clean_runs() -> dict[object, Generated]:
    """What runs from nothing gave, by their inputs: most tests begin with the same ones."""
    return {}


def from_nothing(settings: dataset.Settings, earlier: dict[object, Generated]) -> Generated:
    """Return what a run from nothing says and writes, or what an earlier one with the same inputs
    has written, if it had nothing to say: messages name files, which are others in each test."""
    top = settings.output.parent
    inputs = {name: data for name, data in tree(top).items() if not name.startswith(OUTPUTS)}
    lists = settings.waivers, settings.redirects, settings.acknowledged
    key = settings.formats, *(path and path.name for path in lists), frozenset(inputs.items())
    if key not in earlier:
        clean = dataclasses.replace(settings, output=top / "clean", cache=None)
        shutil.rmtree(clean.output, ignore_errors=True)
        diagnostics = build.generate(clean, run=parallel.here).diagnostics
        generated = diagnostics, tree(clean.output)
        if diagnostics:
            return generated
        earlier[key] = generated
    return earlier[key]


@pytest.fixture
def compared(made: Made) -> Compared:
    """The same, and name the SoCs of which the pages were made."""

    def generate(settings: dataset.Settings) -> list[str]:
        found = made(settings)
        return sorted(name.removeprefix(PAGES) for name in found if name.startswith(PAGES))

    return generate


def _edit(path: Path, old: str, new: str) -> None:
    text = path.read_text("utf-8")
    assert old in text
    path.write_text(text.replace(old, new), "utf-8")


def test_only_the_pages_of_a_changed_soc_are_made_again(
    settings: dataset.Settings, made: Made, compared: Compared, write_bundle: Bundle
) -> None:
    top = settings.output.parent
    assert compared(settings) == ["SOC1", "SOC2"]
    _edit(top / "results/SOC2-09.03.json", "101.0", "42.0")
    assert compared(settings) == ["SOC2"]
    write_bundle(top / "results/new.json", [{**COPY, "value": 7.0}], id="new", board__soc="SOC3")
    assert compared(settings) == ["SOC3"]
    # What there was is kept; what came meanwhile has to go.
    (top / "results/new.json").unlink()
    assert compared(settings) == []
    write_bundle(
        top / "results/third.json",
        [{**COPY, "value": 60.0}],
        id="third",
        sdk__version="09.04",
        board__soc="SOC1",
    )
    of_socs = {name for name in made(settings) if "SOC" in name}
    assert of_socs == {"pages of SOC1", "newest of SOC1"}


def test_rules_that_changed_hold_for_all_comparisons(
    settings: dataset.Settings, compared: Compared
) -> None:
    top = settings.output.parent
    assert compared(settings) == ["SOC1", "SOC2"]
    (top / "waivers.toml").write_text(WAIVER, "utf-8")
    assert compared(settings) == ["SOC1", "SOC2"]
    _edit(top / "results/SOC2-09.02.json", "100.0", "90.0")
    assert compared(settings) == ["SOC2"]
    # The waiver is needed by the page that stayed as it was.
    assert build.generate(settings, run=parallel.here).diagnostics == ()
    _edit(top / "benchmarks/stream.toml", 'title = "STREAM"', 'title = "Stream"')
    assert compared(settings) == ["SOC1", "SOC2"]


def test_what_was_damaged_is_worked_out_again(
    settings: dataset.Settings, compared: Compared
) -> None:
    top = settings.output.parent
    assert compared(settings) == ["SOC1", "SOC2"]
    next((top / "source/compare/SOC1").rglob("*.csv")).write_bytes(b"")
    assert compared(settings) == ["SOC1"]
    next((top / "source/compare/SOC2").rglob("*-vs-*.rst")).unlink()
    assert compared(settings) == ["SOC2"]
    paths = [top / "cache/index", *(top / "cache/parts").rglob("*")]
    kept = {path: path.read_bytes() for path in paths if path.is_file()}
    for damage in (
        lambda data: b"",
        lambda data: data[:-20],
        lambda data: data.replace(b"SOC1", b"SOC9"),
        lambda data: b"null",
    ):
        for path, data in kept.items():
            path.write_bytes(damage(data))
        (top / "results/SOC1-09.02.json").touch()
        (top / "source/guides/index.rst").unlink()
        assert compared(settings)


class ReadError(Exception):
    """Bundles were read."""


def reads(settings: dataset.Settings) -> bool:
    """Return whether a run looks at bundles; if so, it writes nothing."""

    def read(*_: Any) -> None:
        raise ReadError

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(build, "_generate", read)
        try:
            build.generate(settings, run=parallel.here)
        except ReadError:
            return True
    return False


def test_where_nothing_changed_no_bundle_is_read_and_all_is_told_as_before(
    settings: dataset.Settings,
) -> None:
    top = settings.output.parent
    (top / "results/bad.json").write_text("{", "utf-8")
    settle()
    before = build.generate(settings, run=parallel.here)
    assert [d.origin for d in before.diagnostics] == ["bad.json"]
    kept = tree(settings.output)
    assert not reads(settings)
    again = build.generate(settings, run=parallel.here)
    assert (again.diagnostics, again.written, again.removed) == (before.diagnostics, (), ())
    assert (again.guides, again.figures) == (4, 4) and tree(settings.output) == kept
    assert len(again.read().pool) == 4
    # A copy with another time and the same bytes is hashed, and not read.
    shutil.copy(top / "results/SOC1-09.02.json", top / "copy")
    (top / "copy").replace(top / "results/SOC1-09.02.json")
    assert not reads(settings)


def test_a_quoted_figure_asks_for_its_soc_alone(settings: dataset.Settings) -> None:
    outcome = build.generate(settings, run=parallel.here)
    names = [
        "SOC1/09.02/*/stream/copy",
        "soc1/latest",
        "SOC2/09.03",
        "SOC1/09.09",
        "SOC9",
        "*/09.02",
    ]
    every = FigureFinder(outcome.read())
    asked: list[str] = []

    def quoted_from(socs: str) -> tuple[dataset.Holdings, dataset.Addresses]:
        asked.append(socs)
        holdings, addresses = outcome.quoted_from(socs)
        wanted = {key.soc for key in holdings.pool.guides()}
        assert wanted == {s for s in ("SOC1", "SOC2") if fnmatchcase(s.casefold(), socs.casefold())}
        return holdings, addresses

    lookup = figure_role.Lookup()
    lookup.prepare(quoted_from, outcome.inputs)
    for number, name in enumerate(names):
        assert lookup.find(name) == every.find(name)
        # Only a name without a figure needs all of them.
        assert ("*" in asked) == (number >= names.index("SOC1/09.09"))
    assert asked == ["SOC1", "soc1", "SOC2", "*", "SOC9"]


def test_whatever_changed_is_seen_and_gives_what_a_run_from_nothing_gives(
    settings: dataset.Settings, made: Made
) -> None:
    top = settings.output.parent
    page = top / "source/guides/SOC1/linux/09.02.rst"
    redirects = top / "redirects.toml"
    redirects.write_text('[moved]\n"old" = "hand"\n', "utf-8")
    settings = dataclasses.replace(settings, redirects=redirects)
    changes: dict[str, Callable[[], object]] = {
        "a figure": lambda: same_size(top / "results/SOC1-09.02.json", b"100.0", b"999.0"),
        "a description": lambda: same_size(top / "benchmarks/stream.toml", b"STREAM", b"Stream"),
        "a page that was damaged": lambda: same_size(page, b"SOC1", b"SOC2"),
        "a table that was damaged": lambda: next(page.with_suffix("").glob("*.csv")).write_bytes(
            b""
        ),
        "a page that went": page.unlink,
        "a log beside a bundle": lambda: (top / "results/x.log").write_bytes(b"new"),
        "a bundle that went": (top / "results/SOC2-09.03.json").unlink,
        "a list that came": lambda: (top / "acknowledged.toml").touch(),
    }
    settings = dataclasses.replace(settings, acknowledged=top / "acknowledged.toml")
    made(settings)
    for what, change in changes.items():
        settle()
        assert not reads(settings), what
        change()
        assert reads(settings), what
        made(settings)
    settle()
    assert len(build.generate(settings, run=parallel.here).diagnostics) == 1
    (top / "source/hand.rst").touch()
    assert reads(settings)
    assert build.generate(settings, run=parallel.here).diagnostics == ()


@pytest.mark.parametrize("what", ["bundle", "description", "name"])
def test_what_changes_while_it_is_read_is_read_again(
    settings: dataset.Settings, monkeypatch: pytest.MonkeyPatch, what: str
) -> None:
    """It is as it was before the run when the run has ended, and the pages are not."""
    top = settings.output.parent
    path, old, new = {
        "bundle": ("results/SOC1-09.02.json", b"100.0", b"999.0"),
        "description": ("benchmarks/stream.toml", b"STREAM", b"Stream"),
        "name": ("results/SOC1-09.02.json", b"", b""),
    }[what]
    aside = top / "aside"
    build.generate(settings, run=parallel.here)
    before = tree(settings.output)
    settle()
    with monkeypatch.context() as patched:

        def generate(*given: Any) -> build.Outcome:
            same_size(top / path, old, new) if old else (top / path).rename(aside)
            found = real(*given)
            same_size(top / path, new, old) if old else aside.rename(top / path)
            return found

        real = build._generate
        patched.setattr(build, "_generate", generate)
        (top / "results/x.log").touch()
        build.generate(settings, run=parallel.here)
    # A description that was known before is not read again.
    assert (tree(settings.output) != before) == (what != "description")
    settle()
    build.generate(settings, run=parallel.here)
    assert tree(settings.output) == before


def test_a_picture_for_paper_stays_where_one_for_screens_is_wanted(
    pictured: dataset.Settings,
) -> None:
    paper = dataclasses.replace(pictured, formats=("pdf",))
    for wanted in (pictured, paper):
        build.generate(wanted, run=parallel.here)
    kept = tree(pictured.output)
    assert {Path(name).suffix for name in kept} >= {".svg", ".pdf"}
    for wanted in (pictured, paper, pictured):
        assert build.generate(wanted, run=parallel.here).written == ()
        assert not reads(wanted)
        assert tree(pictured.output) == kept


def test_only_the_pages_of_the_soc_with_a_new_bundle_are_made_again(
    settings: dataset.Settings, made: Made, write_bundle: Bundle
) -> None:
    top = settings.output.parent
    # A lone row has moved for good only if its earlier figure was there before.
    text = (top / "results/SOC1-09.02.json").read_text("utf-8").replace("09.02", "09.01")
    (top / "results/SOC1-09.01.json").write_text(text, "utf-8")
    socs = {f"{what} of {soc}" for soc in ("SOC1", "SOC2") for what in ("pages", "newest")}
    assert made(settings) == socs | {"benchmark stream", "outliers of stream"}
    # The newest figures stay as they are; the page of the benchmark lists what moved since this one.
    _edit(top / "results/SOC1-09.02.json", "100.0", "101.0")
    own = {"pages of SOC1", "newest of SOC1"}
    assert made(settings) == own | {"benchmark stream"}
    _edit(top / "results/SOC1-09.03.json", "50.0", "51.0")
    assert made(settings) == own | {"benchmark stream", "outliers of stream"}
    write_bundle(
        top / "results/more.json",
        [{"benchmark": "unheard-of", "metric": "speed", "unit": "MB/s", "value": 1.0}],
        id="more",
        sdk__version="09.02",
        board__soc="SOC1",
    )
    news = {"benchmark unheard-of", "outliers of unheard-of"}
    assert made(settings) >= {"pages of SOC1", "newest of SOC1"} | news
    assert made(settings) == set()


def test_nothing_of_an_unchanged_soc_is_opened(
    settings: dataset.Settings, write_bundle: Bundle
) -> None:
    """Another process has an audit hook, which no process can take out again."""
    top = settings.output.parent
    settle()
    build.generate(settings, run=parallel.here)
    settle()
    _edit(top / "results/SOC2-09.03.json", "101.0", "42.0")
    settle()
    log = top / "opened"
    script = OPENED.format(log=str(log), settings=settings, ext=str(TOP / "ext"))
    subprocess.run([sys.executable, "-c", script], check=True)
    opened = set(log.read_text("utf-8").splitlines())
    assert str(top / "results/SOC2-09.03.json") in opened
    assert any("/source/guides/SOC2/" in name for name in opened)
    of_other = {name for name in opened if "SOC1" in name}
    # The words of its guides are in lists over all SoCs, which have no pages of its own.
    assert not of_other


def test_a_run_that_was_stopped_leaves_what_it_made_to_the_next(
    settings: dataset.Settings, made: Made
) -> None:
    def stopping(work: Callable[[Any], Any], pieces: Iterable[Any]) -> Iterator[Any]:
        for piece in pieces:
            yield work(piece)
            if work is make_soc:
                raise KeyboardInterrupt

    settle()
    with pytest.raises(KeyboardInterrupt):
        build.generate(settings, run=stopping)
    assert made(settings) == {"pages of SOC2", "benchmark stream"}


OPENED = """
import sys
sys.path.insert(0, {ext!r})
from pathlib import Path, PosixPath
from perfguide.bundles.decompress import Limits
from perfguide.figures.dataset import Settings
from perfguide.pages import build
file = open({log!r}, "a", buffering=1)
def hook(event, arguments):
    if event == "open" and isinstance(arguments[0], str):
        file.write(arguments[0] + "\\n")
settings = {settings!r}
sys.addaudithook(hook)
build.generate(settings)
"""


def test_a_log_that_changed_is_read_again(
    settings: dataset.Settings, made: Made, write_bundle: Bundle
) -> None:
    top = settings.output.parent / "results"
    log = {"file": "run.log", "line": 1}
    write_bundle(
        top / "logged/run.json",
        [{**COPY, "value": 5.0, "log": log}],
        id="logged",
        board__soc="SOC9",
    )
    (top / "logged/run.log").write_text("first\n", "utf-8")
    made(settings)
    (top / "logged/run.log").write_text("second\n", "utf-8")
    found = made(settings)
    page = "pages of SOC9"
    assert page in found
    assert "second" in "".join(
        path.read_text("utf-8")
        for path in (settings.output / "reports/provenance/SOC9").rglob("*.csv")
    )
    (top / "logged/run.log").unlink()
    assert page in made(settings)


def test_a_unit_that_follows_from_all_bundles_changes_all_guides(
    settings: dataset.Settings, made: Made, write_bundle: Bundle
) -> None:
    top = settings.output.parent / "results"
    own = {"benchmark": "ours", "metric": "speed"}
    for number, unit in ((1, "MB/s"), (2, "MB/s"), (3, "kB/s")):
        result = {**own, "unit": unit, "value": float(number)}
        write_bundle(
            top / f"own-{number}.json", [result], id=f"own-{number}", board__soc=f"X{number}"
        )
    made(settings)
    for number in (4, 5, 6):
        result = {**own, "unit": "kB/s", "value": float(number)}
        write_bundle(top / f"own-{number}.json", [result], id=f"own-{number}", board__soc="X3")
    changed = {name.removeprefix(PAGES) for name in made(settings) if name.startswith(PAGES)}
    assert changed == {"X1", "X2", "X3"}


def test_a_picture_that_was_damaged_is_drawn_again(pictured: dataset.Settings, made: Made) -> None:
    made(pictured)
    picture = next(pictured.output.rglob("*.svg"))
    whole = picture.read_bytes()
    for damage in (picture.unlink, lambda: picture.write_bytes(b"")):
        damage()
        assert made(pictured)
        assert picture.read_bytes() == whole


def test_a_finding_about_figures_marks_the_guides_beside_it(
    settings: dataset.Settings, made: Made, write_bundle: Bundle
) -> None:
    """A jump in one release is known only when the next one takes it back."""
    top = settings.output.parent / "results"
    for number, value in enumerate((10.0, 10.1, 10.0, 30.0), 1):
        write_bundle(
            top / f"jump-{number}.json",
            [{**COPY, "value": value}],
            id=f"jump-{number}",
            sdk__version=f"09.0{number}",
            board__soc="SOC5",
        )
    made(settings)
    write_bundle(
        top / "jump-5.json",
        [{**COPY, "value": 10.1}],
        id="jump-5",
        sdk__version="09.05",
        board__soc="SOC5",
    )
    made(settings)
    figures = (settings.output / "guides/SOC5/linux/09.04/figures.js").read_bytes()
    assert any(table.marks for table in page_tables.read_page_file(figures).tables.values())


def test_another_benchmark_in_a_guide_leaves_the_page_of_one_alone(
    settings: dataset.Settings, made: Made, write_bundle: Bundle
) -> None:
    top = settings.output.parent / "results"
    other = {"benchmark": "dhrystone", "metric": "dhrystones", "unit": "1/s", "value": 9e6}
    write_bundle(top / "a.json", [other], id="a", sdk__version="09.02", board__soc="SOC2")
    made(settings)
    write_bundle(top / "b.json", [other], id="b", sdk__version="09.03", board__soc="SOC1")
    found = made(settings)
    assert "pages of SOC1" in found
    assert not found & {"benchmark stream", "outliers of stream"}
