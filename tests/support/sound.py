"""Archives of valid bundles that are unusual in every way that the schema allows."""

from __future__ import annotations

import io
import itertools
import json
import random
import tarfile
import tomllib
from collections.abc import Sequence
from functools import cache
from glob import escape
from pathlib import Path
from typing import Any

from hostile_names import NAMES

from perfguide.catalog import agreement
from perfguide.catalog.board_names import Boards
from perfguide.common import parallel
from perfguide.common.diagnostics import Diagnostic, errors
from perfguide.compare import as_ci, as_data, as_html, as_markdown, as_text
from perfguide.compare import side_by_side_formats as side_formats
from perfguide.compare.comparison import compare
from perfguide.compare.history import History
from perfguide.compare.match import Names
from perfguide.compare.row import Rules
from perfguide.compare.select import Filter, choose
from perfguide.compare.side_by_side import partners, shared_places, side_by_side
from perfguide.export import parquet
from perfguide.export.figure_rows import FIGURES
from perfguide.figures.dataset import Holdings, Settings
from perfguide.health import report
from perfguide.pages.build import generate

TOP = Path(__file__).resolve().parents[2]
DESCRIPTIONS = TOP / "source" / "benchmarks"

NUMBERS = (
    *(0.0, -0.0, 1.0, -1.0, 0.1, 3.5, 99.0, 100.0, 101.0, 1960.0, 284939.13, 7.23898e5),
    *(1e-200, 1e200, -1e200, 5e-324, 1e-308, 9.9e199, 1e-9, 1e16, 2.0**53 + 2, 1 / 3),
)
WORDS = (
    *("16k", "16", "1m", "4M", "0x10", "hw", "sw", "arm-ce", "default", "none", "alone"),
    *("busy-loop", "sender", "64", "-5", "1e3", "nan", "inf", "", " ", "a b", "ß→", "\u202e"),
    *("../../etc", "`x`", "|x|", "<b>", "*", "\\", "$x$", "$", "_", "%s", "{0}", "x" * 200, "=1+1"),
)
UNITS = ("MB/s", "kB/s", "B/s", "%", "s", "ms", "ns", "Mbit/s", "kPPS", "MiB/s", "furlong", "°C")


@cache
def described() -> list[tuple[str, dict[str, Any]]]:
    """Return each benchmark with a description, and its description."""
    paths = sorted(DESCRIPTIONS.glob("*.toml"))
    return [(path.stem, tomllib.loads(path.read_text("utf-8"))) for path in paths]


class Chance(random.Random):
    """The random source of an archive. ``numbers`` are preferred values: an archive with few of
    them has extreme ones side by side."""

    numbers: Sequence[float] = NUMBERS


def number(chance: Chance) -> float:
    """Return a finite number, often an extreme one."""
    if chance.random() < (0.6 if chance.numbers is NUMBERS else 0.95):
        return chance.choice(chance.numbers)
    return chance.uniform(-2, 2) * 10.0 ** chance.randint(-300, 199)


def scalar(chance: Chance) -> str | int | float | bool:
    """Return a value of a parameter, of any type."""
    kinds = (
        lambda: chance.choice(WORDS) or "x",
        lambda: chance.choice([0, 1, -1, 16, 64, 1024, 16384, 2**31, 10**15]),
        lambda: number(chance),
        lambda: chance.random() < 0.5,
    )
    return chance.choice(kinds)()


def name(chance: Chance) -> str:
    """Return a name of 1 to 200 printable characters, half the time one with a special meaning."""
    if chance.random() < 0.5:
        return chance.choice(NAMES)
    word = chance.choice(WORDS)
    return word if word.strip() and word.isprintable() else f"n{chance.randint(0, 9)}"


def result(chance: Chance) -> dict[str, Any]:
    """Return a result of a benchmark with or without a description."""
    benchmark, description = chance.choice(described())
    metrics = description.get("metrics", ["rate"])
    metric = chance.choice(metrics)
    spec = metric if isinstance(metric, dict) else {"name": metric}
    out: dict[str, Any] = {
        "benchmark": benchmark if chance.random() < 0.9 else name(chance),
        "metric": str(spec["name"]).replace("*", "x") if chance.random() < 0.9 else name(chance),
        "unit": spec.get("unit", "MB/s") if chance.random() < 0.8 else chance.choice(UNITS),
    }
    params: dict[str, Any] = {}
    for param, entry in description.get("params", {}).items():
        values = [*entry.get("values", ()), *([entry["default"]] if "default" in entry else [])]
        if chance.random() < 0.8:
            usual = values and chance.random() < 0.6
            params[param] = chance.choice(values) if usual else scalar(chance)
    if chance.random() < 0.15:
        params[name(chance)] = scalar(chance)
    if params:
        out["params"] = params
    way = chance.random()
    if way < 0.45:
        out["samples"] = [number(chance) for _ in range(chance.randint(1, 4))]
    elif way < 0.92:
        # A mean outside its extremes would be refused.
        low, mean, high = sorted(number(chance) for _ in range(3))
        out["value"] = mean
        out |= {"min": low, "max": high} if chance.random() < 0.4 else {}
        out |= {"count": chance.choice([1, 2, 10**6])} if chance.random() < 0.3 else {}
    else:
        out["status"] = "fail"
    if chance.random() < 0.2:
        out["command"] = chance.choice(WORDS) or "x"
    if chance.random() < 0.2:
        out["setup"] = {name(chance): scalar(chance) for _ in range(chance.randint(1, 3))}
    if chance.random() < 0.2:
        out["notes"] = [chance.choice(WORDS) or "x"]
    if chance.random() < 0.2:
        out["log"] = {"file": f"{chance.choice(['a', 'x' * 190, 'ß'])}.log", "line": 3}
    return out


def listed(value: Any) -> list[Any]:
    """Return a value of a description as a list, whether it is one or several."""
    return value if isinstance(value, list) else [] if value is None else [value]


def some(chance: Chance, entry: dict[str, Any]) -> list[Any]:
    """Return a few values of a parameter, usually its normal ones, sometimes any."""
    usual = [*entry.get("values", ()), *([entry["default"]] if "default" in entry else [])]
    usual = usual or [16, 64, 1024, 8192, 16384]
    out = chance.sample(usual, min(len(usual), chance.choice([2, 3, 4])))
    return [scalar(chance) if chance.random() < 0.1 else each for each in out]


def sweep(chance: Chance) -> list[dict[str, Any]]:
    """Return the results of one chart: one for each combination of values on its axes and in its legend,
    and the metrics that each run has only once."""
    every = [(*each, chart) for each in described() for chart in each[1].get("charts", ())]
    if chance.random() < 0.3:  # few charts have answers in words, which have their own pitfalls
        every = [each for each in every if "answer" in each[2]]
    benchmark, description, chart = chance.choice(every)
    params = description.get("params", {})
    units_of = {m["name"]: m["unit"] for m in description["metrics"] if isinstance(m, dict)}
    axes = [n for key in ("series", "panels", "along", "x") for n in listed(chart.get(key))]
    axes = [name for name in dict.fromkeys(axes) if name in params]
    fixed = {n: some(chance, params[n])[0] for n in chart.get("each", ()) if n in params}
    fixed |= {n: chance.choice(listed(v)) for n, v in chart.get("where", {}).items()}
    runs = itertools.product(*(some(chance, params[name]) for name in axes))
    out: dict[str, dict[str, Any]] = {}
    for run in itertools.islice(runs, 40):
        given = fixed | dict(zip(axes, run, strict=True))
        run_params = {name: value for name, value in given.items() if name != chart["x"]}
        for metric, unit in units_of.items():
            own_params = given if metric in listed(chart["y"]) else run_params
            plain = {"benchmark": benchmark, "metric": metric.replace("*", "x"), "unit": unit}
            # Metrics of a run have a single result for all values of x.
            out[json.dumps([plain, own_params])] = {
                **plain,
                "params": own_params,
                "value": number(chance),
            }
    return [*out.values()]


def about(chance: Chance) -> dict[str, Any]:
    """Return the keys of a bundle that describe the SDK, the board and the runner."""
    sdk: dict[str, Any] = {
        "version": chance.choice(["09.00", "09.01", "10.00", "1.0-rc1"]),
        "os": chance.choice(["linux", "linux", "rt-linux"]),
    }
    board: dict[str, Any] = {"name": chance.choice(["a", "b", "c", name(chance)]), "soc": "S1"}
    if chance.random() < 0.1:
        sdk[chance.choice(["version", "os"])] = name(chance)
    if chance.random() < 0.1:
        sdk["name"] = name(chance)
    if chance.random() < 0.05:
        board["soc"] = name(chance)
    for key in ("kernel", "image"):
        if chance.random() < 0.2:
            sdk[key] = chance.choice(WORDS)
    for key in ("description", "memory", "governor"):
        if chance.random() < 0.2:
            board[key] = chance.choice(WORDS)
    if chance.random() < 0.2:
        board["cpu_mhz"] = min(abs(number(chance)) or 1.0, 1e9)
    out = {"sdk": sdk, "board": board}
    if chance.random() < 0.1:
        words = {key: chance.choice(WORDS) for key in ("job_url", "version")}
        out["runner"] = {"name": name(chance), **words}
    return out


def bundle(chance: Chance, number_of: int, results: Sequence[dict[str, Any]]) -> Any:
    """Return a bundle with these results, of one of a few boards and releases."""
    out: dict[str, Any] = {
        "format": "perfguide-bundle",
        "version": 1,
        "id": f"run-{number_of}",
        "created": f"2024-04-{1 + number_of % 28:02}T09:30:00Z",
        **about(chance),
        "results": list(results),
    }
    if chance.random() < 0.02:
        # Close to the ends of the dates that Python can represent.
        out["created"] = chance.choice(["0001-01-03T00:00:00Z", "9999-12-28T23:59:59+14:00"])
    if chance.random() < 0.3:
        # Runs of one release on different media would be refused.
        medium = "card" if len(out["sdk"]["version"]) % 2 else "disk"
        out["setup"] = {"medium": medium, name(chance): scalar(chance)}
    if chance.random() < 0.2:
        out["tools"] = {name(chance): scalar(chance)}
    if chance.random() < 0.3:
        of = chance.choice(results)
        note = {"text": chance.choice(WORDS) or "x", "benchmark": of["benchmark"]}
        out["notes"] = [note, {"text": "of all"}, {**note, "metric": of["metric"]}]
    if chance.random() < 0.1:
        out["logs"] = {log: f"{chance.getrandbits(256):064x}" for log in ("a.log", "ß\n" * 300)}
    if number_of and chance.random() < 0.05:
        out["supersedes"] = [f"run-{chance.randrange(number_of)}", name(chance)]
        out["reason"] = chance.choice(WORDS)
    return out


def named(seed: int, bundles: int = 50) -> list[Any]:
    """Return an archive of small bundles in which every field for a name has one from ``NAMES``."""
    chance = Chance(f"names {seed}")

    def some() -> str:
        return chance.choice(NAMES)

    boards, releases, runner = [some(), some()], [some(), some()], some()
    measured = [(some(), some(), some(), some()) for _ in range(3)]
    out = []
    for at in range(bundles):
        results = [
            {
                **{"benchmark": benchmark, "metric": metric, "unit": unit},
                **{"params": {param: some()}, "value": number(chance), "command": some()},
                **{
                    "log": {"file": some(), "line": 1},
                    "setup": {some(): some()},
                    "notes": [some()],
                },
            }
            for benchmark, metric, unit, param in chance.sample(measured, chance.choice([1, 2]))
        ]
        of = results[0]
        bundle = {
            # Cut, so that there is room for a number that makes it unique.
            **{"format": "perfguide-bundle", "version": 1, "id": f"{some()[:150]}{at}"},
            "created": f"2024-04-{1 + at % 28:02}T09:30:00Z",
            "sdk": {"version": chance.choice(releases), "os": "linux", "kernel": some()},
            "board": {"name": chance.choice(boards), "soc": "S1", "description": some()},
            "runner": {"name": runner, "job_url": some(), "version": some()},
            **{"tools": {some(): some()}, "setup": {some(): some()}, "results": results},
            "notes": [{"text": some(), "benchmark": of["benchmark"], "metric": of["metric"]}],
        }
        # Each of these names starts another guide, and there should be figures to compare.
        if at % 50 == 0:
            bundle["sdk"] |= {"os": some(), "name": some(), "image": some()}
            bundle["board"] |= {"soc": some(), "memory": some(), "governor": some()}
        out.append(bundle)
    return out


def archive(seed: int, bundles: int = 4, results: int = 25) -> list[Any]:
    """Return an archive, the same for the same seed. Bundles share many keys of results, so that
    there is something to compare and draw."""
    chance = Chance(seed)
    if chance.random() < 0.2:
        chance.numbers = chance.sample(NUMBERS, chance.choice([2, 3]))
    pattern = [result(chance) for _ in range(results)]
    if chance.random() < 0.6:
        pattern += sweep(chance)
    out = []
    for at in range(bundles):
        own = []
        for each in pattern:
            if chance.random() < 0.85:
                copy = dict(each)
                for key in ("value", "min", "max"):
                    if key in copy:
                        copy[key] = number(chance)
                if "min" in copy:
                    copy["min"], copy["value"], copy["max"] = sorted(
                        (copy["min"], copy["value"], copy["max"])
                    )
                if "samples" in copy:
                    copy["samples"] = [number(chance) for _ in copy["samples"]]
                own.append(copy)
        out.append(bundle(chance, at, own or [result(chance)]))
    return out


def crowd(seed: int, names: int = 2000) -> list[Any]:
    """Return a bundle in which one kind of name has as many values as there are results."""
    chance = Chance(seed)
    plain = {"benchmark": "stream", "metric": "copy", "unit": "MB/s"}
    kind = chance.choice(["benchmark", "metric", "unit", "params", "params", "setup"])
    if kind in ("benchmark", "params"):
        names = min(names, 250)  # bundles with more pages and tables are refused
    out: list[dict[str, Any]] = []
    for at in range(names):
        own = f"{name(chance)[:150]}{at}"
        other = {kind: own} if kind in plain else {kind: {"x": own} if at % 2 else {own: at}}
        out.append({**plain, **other, "value": number(chance)})
    return [bundle(chance, 0, out)]


def of_many_sizes(seed: int) -> list[Any]:
    """Return an archive of 1 to 48 bundles; one in 100 is a :func:`crowd`."""
    chance = random.Random(f"size {seed}")
    if chance.random() < 0.01:
        return crowd(seed, chance.choice([300, 2000]))
    return archive(seed, chance.choice([1, 4, 16, 48]), chance.choice([3, 12, 25]))


def store(bundles: Sequence[Any], folder: Path, seed: int = 0) -> None:
    """Write bundles as separate files or, for some seeds, as one archive, whose members have names
    that files cannot have."""
    chance = random.Random(f"store {seed}")
    texts = [json.dumps(each).encode() for each in bundles]
    if not seed or chance.random() < 0.8:
        for at, text in enumerate(texts):
            (folder / f"{at}.json").write_bytes(text)
        return
    with tarfile.open(folder / "all.tar", "w") as tar:
        for at, text in enumerate(texts):
            member = tarfile.TarInfo(
                f"{chance.choice(['a', 'ß/', 'x' * 300, 'x/' * 300])}{at}.json"
            )
            member.size = len(text)
            tar.addfile(member, io.BytesIO(text))


def publish(
    bundles: Sequence[Any], folder: Path, *, charts: bool = False, seed: int = 0
) -> Holdings:
    """Generate all output of the commands from an archive, and return its figures. Raises the exceptions of
    commands, and :class:`AssertionError` if ``check`` refuses the archive or if a part of the site could
    not be generated."""
    results = folder / "results"
    results.mkdir(parents=True)
    store(bundles, results, seed)
    formats = ("svg", "pdf") if charts else ()
    settings = Settings((results,), (DESCRIPTIONS,), folder / "pages", formats=formats)
    outcome = generate(settings, run=parallel.here)
    unmade = [d.text() for d in outcome.diagnostics if d.kind == "unmade"]
    assert not unmade, unmade
    holdings = outcome.read()
    findings = agreement.findings(holdings.ledger.bundles, holdings.catalog, "source/benchmarks")
    refused = errors([*holdings.diagnostics, *findings])
    assert not refused, [each.text() for each in refused]
    for each in (*outcome.diagnostics, *findings):
        assert isinstance(each, Diagnostic) and str(each).isprintable()
    releases = sorted({key.release for key in holdings.pool.guides()})
    compared(holdings, releases[0], releases[-1])
    beside(holdings, random.Random(f"beside {seed}"))
    checked = report.check(holdings, None)
    strict(json.dumps(report.as_json(holdings, checked)))
    for path in filter(Path.is_file, (folder / "pages").rglob("*.json")):
        strict(path.read_text("utf-8"))
    report.as_text(checked)
    parquet.write_folder(FIGURES, holdings.pool, folder / "parquet")
    return holdings


def compared(holdings: Holdings, old: str, new: str) -> None:
    """Compare two releases in every format."""
    names = Names(holdings.catalog, Boards({}))
    history = History([holdings.pool], names)
    sides = [choose(holdings.pool, release, Filter(), names) for release in (old, new)]
    comparison = compare(sides[0], sides[1], history, Rules(names, (), None), Filter())
    strict(as_data.to_json(comparison))
    as_data.to_comma_separated(comparison)
    for marks in (as_ci.to_github, as_ci.to_gitlab, as_ci.to_sarif):
        marks(comparison)
    for page in (as_markdown.render, as_html.render, as_data.to_junit):
        page(comparison, holdings.catalog)
    as_text.render(comparison, holdings.catalog, True, False)


def beside(holdings: Holdings, chance: random.Random) -> None:
    """Compare two boards in every format."""
    every = {
        own for name in holdings.pool.benchmarks() for own in holdings.pool.guides_and_boards(name)
    }
    places = sorted(every, key=str)
    if len(places) < 2:
        return
    names = Names(holdings.catalog, Boards({}))
    one, other = (
        choose(holdings.pool, key.release, Filter(*map(escape, (key.soc, key.os, board))), names)
        for key, board in chance.sample(places, 2)
    )
    if shared_places(one, other) or not partners(one, other):
        return
    comparison = side_by_side(one, other, names)
    strict(side_formats.to_json(comparison))
    side_formats.to_comma_separated(comparison)
    side_formats.to_markdown(comparison, holdings.catalog)
    side_formats.to_html(comparison, holdings.catalog)
    side_formats.to_text(comparison, holdings.catalog, True, False)


def strict(text: str) -> None:
    """Raise :class:`AssertionError` if JSON has numbers that other readers refuse."""
    json.loads(text, parse_constant=no_number)


def no_number(text: str) -> None:
    raise AssertionError(f"{text} is no number of JSON")
