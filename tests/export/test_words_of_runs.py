"""The words of a run are in the site once, and reach whoever reads one of its figures."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import profiles
import pyarrow.parquet as pq
import pytest
from making import TOML, plain, result
from playwright.sync_api import Page
from windows import Windows

from perfguide.common import csv_text, parallel
from perfguide.export import json_api, parquet
from perfguide.figures import dataset
from perfguide.figures.dataset import Settings
from perfguide.pages import build
from perfguide.tables.remarks import fact

STATIC = Path(json_api.__file__).parents[1] / "sphinxext/static"
WORDS = [{"text": f"note {n} {'x' * 80}"} for n in range(600)]
FACTS = {f"fact {n}": f"{n} {'x' * 80}" for n in range(600)}


def generated(folder: Path, *bundles: dict[str, Any]) -> Settings:
    """Generate the sources of a site in ``out``."""
    for name in ("results", "described"):
        (folder / name).mkdir(parents=True, exist_ok=True)
    (folder / "described/speed.toml").write_text(TOML, "utf-8")
    (folder / "described/speed.rst").write_text("What it measures.\n", "utf-8")
    for number, bundle in enumerate(bundles):
        (folder / f"results/{number}.json").write_text(json.dumps(bundle), "utf-8")
    settings = Settings((folder / "results",), (folder / "described",), folder / "out")
    build.generate(settings, run=parallel.here)
    return settings


def size(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def noted(count: int) -> dict[str, Any]:
    return {"notes": WORDS[:count]}


def about_metric(count: int) -> dict[str, Any]:
    return {"notes": [each | {"benchmark": "speed", "metric": "rate"} for each in WORDS[:count]]}


def stated(count: int) -> dict[str, Any]:
    return {"setup": dict([*FACTS.items()][: 2 * count])}


@pytest.mark.parametrize("words", [noted, about_metric, stated])
@pytest.mark.parametrize(
    "own", [True, False][: profiles.count(1, heavy=2)], ids=lambda own: f"of results too: {own}"
)
def test_twice_the_words_and_results_make_twice_the_site(
    words: Any, own: bool, tmp_path: Path
) -> None:
    sizes = []
    for count in (150, 300):
        results = [
            result(params={"block_size": n}, value=n + 1.0)
            | ({"notes": [f"own {n}"], "setup": {"card": f"{n}"}} if own else {})
            for n in range(count)
        ]
        generated(tmp_path / str(count), plain(*results, **words(count)))
        sizes.append(size(tmp_path / str(count) / "out"))
    small, double = sizes
    assert double < 2 * small, sizes
    assert double < 1_500_000, "300 notes for 300 results came to 14.7 MB"


def test_pooled_runs_that_differ_in_many_facts_are_named_in_data_alone(tmp_path: Path) -> None:
    results = [result(params={"block_size": n}) for n in range(2)]
    runs = [
        plain(
            *(each | {"value": 1.0 + run} for each in results),
            id=f"{run}",
            setup={f"fact {n}": f"{run}" for n in range(40)},
        )
        for run in range(2)
    ]
    generated(tmp_path, *runs)
    guide = json.loads((api(tmp_path) / "results/AM62X/linux/09.01.json").read_bytes())
    for figure in guide["figures"]:
        assert len(figure["differs"]) == 40
        assert figure["text"].endswith(" and 28 more differ between the runs")


MIXED = [
    plain(
        result(params={"block_size": 16}, setup={"card": "own", "a_b": 1}, notes=["Of one."]),
        result("load", "%", params={"block_size": 16}),
        id="a",
        setup={"card": "of a", "mount": "async", "a b": "2"},
        notes=[
            {"text": "All of a."},
            {"text": "Speed of a.", "benchmark": "speed"},
            {"text": "Rate of a.", "metric": "rate"},
            {"text": "Both."},
        ],
    ),
    plain(
        result(params={"block_size": 16}, value=2.0),
        result("load", "%", params={"block_size": 16}, setup={"card": "of b"}),
        id="b",
        runner={"name": "lab"},
        setup={"card": "of b", "mount": "sync"},
        notes=[{"text": "Both."}, {"text": "Load of b.", "benchmark": "speed", "metric": "load"}],
    ),
    plain(
        result(params={"block_size": 64}, value=3.0),
        id="b",
        runner={"name": "other lab"},
        setup={"card": "third"},
    ),
]
"""Facts and notes of runs and of results, of which some go before others; two runs share an id."""


def api(folder: Path) -> Path:
    return folder / "out" / json_api.ROOT


Words = tuple[dict[str, set[str]], set[str]]


def followed(figure: dict[str, Any], runs: list[dict[str, Any]], names: Any) -> Words:
    """The facts and the notes of a figure as a program gets them: its own go before those of its
    runs, which ``names`` leads to."""
    own = figure.get("setup") or {}
    by_name = {name: run for run in runs for name in [names(run)]}
    mine = [by_name[name] for name in figure["runs behind"]]
    facts: dict[str, set[str]] = {}
    for run in mine:
        for name, value in run.get("setup", {}).items():
            facts.setdefault(name, set()).add(value)
    for name, values in own.items():
        facts[name] = {
            value if isinstance(value, str) else by_name[value["bundle"]]["setup"][name]
            for value in values
        }
    notes = {*(figure.get("notes") or [])}
    for run in mine:
        for note in run.get("notes", []):
            of, metric = note.get("benchmark", "speed"), note.get("metric", figure["metric"])
            if (of, metric) == ("speed", figure["metric"]):
                notes.add(note["text"])
    return facts, notes


@pytest.fixture(scope="module")
def mixed(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[Any, Words]]:
    """A site of ``MIXED``, and by metric and size what is said of each figure."""
    folder = tmp_path_factory.mktemp("mixed")
    settings = generated(folder, *MIXED)
    pool = dataset.read(settings).pool
    return folder, {
        (record.metric, record.params["block_size"]): (
            {
                name: {*texts}
                for name, texts in pool.stated.setup_facts(record.cell.members).items()
            },
            {*pool.notes_of(record.cell.members)},
        )
        for key in pool.guides()
        for record in pool.of_guide(key)
    }


def test_what_is_said_of_each_figure_is_as_written(mixed: tuple[Path, dict[Any, Words]]) -> None:
    _, expected = mixed
    assert expected["rate", 16] == (
        {"card": {"own", "of b"}, "mount": {"async", "sync"}, "a b": {"2"}, "a_b": {"1"}},
        {"All of a.", "Speed of a.", "Rate of a.", "Both.", "Of one."},
    )
    assert expected["load", 16][0]["card"] == {"of a", "of b"}
    assert expected["rate", 64] == ({"card": {"third"}}, set())


def test_the_words_reach_readers_of_json(mixed: tuple[Path, dict[Any, Words]]) -> None:
    folder, expected = mixed
    guide = json.loads((api(folder) / "results/AM62X/linux/09.01.json").read_bytes())
    runs = [run | {"place": place} for place, run in enumerate(guide["bundles"])]
    for figure in guide["figures"]:
        figure["runs behind"] = [place for place, _ in figure["sources"]]
        words = followed(figure, runs, lambda run: run["place"])
        assert words == expected[figure["metric"], figure["params"]["block_size"]]


def test_the_words_reach_readers_of_csv_and_parquet(mixed: tuple[Path, dict[Any, Words]]) -> None:
    folder, expected = mixed

    def lines(kind: str) -> list[dict[str, Any]]:
        data = (api(folder) / kind / "AM62X/linux/09.01.csv").read_text("utf-8")
        rows = list(csv.DictReader(io.StringIO(data)))
        return [{name: csv_text.plain(text) for name, text in row.items()} for row in rows]

    def table(kind: str) -> list[dict[str, Any]]:
        path = api(folder) / kind / "soc=AM62X/os=linux/09.01.parquet"
        rows: list[dict[str, Any]] = pq.read_table(path, partitioning=None).to_pylist()
        return rows

    def value(text: Any) -> Any:
        return json.loads(text) if isinstance(text, str) and text else text or []

    read = [(lines("results"), lines("runs"))]
    read.append((table(parquet.FOLDER), table(parquet.RUNS_FOLDER)))
    for figures, runs in read:
        assert len(figures) == 3 and len({run["bundle"] for run in runs}) == 3
        runs = [
            run | {"setup": value(run["setup"]) or {}, "notes": value(run["notes"])} for run in runs
        ]
        for row in figures:
            figure = row | {name: value(row[name]) for name in ("setup", "notes", "params")}
            figure["runs behind"] = value(row["bundles"])
            words = followed(figure, runs, lambda run: run["bundle"])
            assert words == expected[row["metric"], figure["params"]["block_size"]]


FOLLOW = """([content, file]) => content.tables[file].cells.map(
  ([row, , bundles, , , , , , own]) => [row, window.perfguideRemarks.wordsBehind(content, bundles, own)]
)"""


def as_lines(words: Words) -> tuple[dict[str, set[str]], set[str]]:
    facts, notes = words
    labelled: dict[str, set[str]] = {}
    for name, values in facts.items():
        labelled.setdefault(fact(name), set()).update(values)
    return labelled, notes


def lines_of(pairs: list[list[str]]) -> tuple[dict[str, set[str]], set[str]]:
    facts: dict[str, set[str]] = {}
    for name, text in pairs:
        if name != "Note":
            facts.setdefault(name, set()).update(text.split(" and "))
    return facts, {text for name, text in pairs if name == "Note"}


@pytest.fixture
def page(windows: Windows) -> Page:
    page = windows.open("about:blank")
    page.add_script_tag(path=STATIC / "perfguide-remarks.js")
    return page


def test_the_words_reach_readers_of_the_panel(
    mixed: tuple[Path, dict[Any, Words]], page: Page
) -> None:
    folder, expected = mixed
    text = (folder / "out/guides/AM62X/linux/09.01/figures.js").read_text("ascii")
    content = json.loads(text.partition("=")[2])
    assert len(content["bundles"]) == 3
    found = page.evaluate(FOLLOW, [content, "09.01/speed-rate.csv"])
    sizes = {0: 16, 1: 64}
    read = sorted(((sizes[row], lines_of(pairs)) for row, pairs in found), key=repr)
    wanted = [(size, as_lines(words)) for (_, size), words in expected.items()]
    assert [each for each in wanted if each not in read] == []
    assert len(read) == len(wanted)
