"""Archives of bundles that are sound by the schema, and odd in every way that it allows."""

from __future__ import annotations

import contextlib
import io
import json
import random
import tomllib
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

from perfguide.cli import main
from perfguide.figures.dataset import Settings
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
    """Each benchmark that has a description, with it."""
    paths = sorted(DESCRIPTIONS.glob("*.toml"))
    return [(path.stem, tomllib.loads(path.read_text("utf-8"))) for path in paths]


def number(chance: random.Random) -> float:
    """A finite number; often an extreme one."""
    if chance.random() < 0.6:
        return chance.choice(NUMBERS)
    return chance.uniform(-2, 2) * 10.0 ** chance.randint(-300, 199)


def scalar(chance: random.Random) -> str | int | float | bool:
    """A value of a parameter, of any kind."""
    kinds = (
        lambda: chance.choice(WORDS) or "x",
        lambda: chance.choice([0, 1, -1, 16, 64, 1024, 16384, 2**31, 10**15]),
        lambda: number(chance),
        lambda: chance.random() < 0.5,
    )
    return chance.choice(kinds)()


def name(chance: random.Random) -> str:
    """A name of 1 to 200 printable characters."""
    word = chance.choice(WORDS)
    return word if word.strip() and word.isprintable() else f"n{chance.randint(0, 9)}"


def result(chance: random.Random) -> dict[str, Any]:
    """One result, of a benchmark that is described or of none."""
    benchmark, description = chance.choice(described())
    metrics = description.get("metrics", ["rate"])
    metric = chance.choice(metrics)
    known = metric if isinstance(metric, dict) else {"name": metric}
    out: dict[str, Any] = {
        "benchmark": benchmark if chance.random() < 0.9 else name(chance),
        "metric": str(known["name"]).replace("*", "x") if chance.random() < 0.9 else name(chance),
        "unit": known.get("unit", "MB/s") if chance.random() < 0.8 else chance.choice(UNITS),
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


def bundle(chance: random.Random, number_of: int, results: Sequence[dict[str, Any]]) -> Any:
    """A bundle with these results, of one of few boards and releases."""
    out: dict[str, Any] = {
        "format": "perfguide-bundle",
        "version": 1,
        "id": f"run-{number_of}",
        "created": f"2024-04-{1 + number_of % 28:02}T09:30:00Z",
        "sdk": {
            "version": chance.choice(["09.00", "09.01", "10.00", "1.0-rc1"]),
            "os": chance.choice(["linux", "linux", "rt-linux"]),
        },
        "board": {"name": chance.choice(["a", "b", "c", name(chance)]), "soc": "S1"},
        "results": list(results),
    }
    if chance.random() < 0.2:
        out["board"] |= {
            "cpu_mhz": min(abs(number(chance)) or 1.0, 1e9),
            "memory": chance.choice(WORDS),
        }
    if chance.random() < 0.3:
        out["setup"] = {"medium": chance.choice(["card", "disk"]), name(chance): scalar(chance)}
    if chance.random() < 0.3:
        of = chance.choice(results)
        note = {"text": chance.choice(WORDS) or "x", "benchmark": of["benchmark"]}
        out["notes"] = [note, {"text": "of all"}, {**note, "metric": of["metric"]}]
    if chance.random() < 0.1:
        out["runner"] = {"name": name(chance)}
    return out


def archive(seed: int, bundles: int = 4, results: int = 25) -> list[Any]:
    """An archive, the same for the same seed: bundles share many of their results' keys, so
    that there is something to compare and to draw."""
    chance = random.Random(seed)
    pattern = [result(chance) for _ in range(results)]
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


def publish(bundles: Sequence[Any], folder: Path, *, charts: bool = False) -> None:
    """Do with an archive all that users do. Raises what any of it raises, and
    :class:`AssertionError` where ``check`` refuses the archive, or a part of the site could not
    be made."""
    results, described = folder / "results", str(DESCRIPTIONS)
    results.mkdir(parents=True)
    for number_of, each in enumerate(bundles):
        (results / f"{number_of}.json").write_text(json.dumps(each), "utf-8")
    said = io.StringIO()
    with (
        contextlib.redirect_stdout(io.TextIOWrapper(io.BytesIO())),
        contextlib.redirect_stderr(said),
    ):
        assert main(["check", str(results)]) == 0, said.getvalue()
        formats = ("svg", "pdf") if charts else ()
        given = Settings((results,), (DESCRIPTIONS,), folder / "pages", formats=formats)
        unmade = [d.text() for d in generate(given).diagnostics if d.kind == "unmade"]
        assert not unmade, unmade
        where = ["--results", str(results), "--benchmarks", described]
        releases = sorted({each["sdk"]["version"] for each in bundles})
        for form in ("text", "markdown", "json", "csv", "html", "junit"):
            main(["compare", releases[0], releases[-1], "--format", form, *where])
        for form in ("text", "json"):
            main(["health", "--format", form, *where[2:], str(results)])
        main(["export", "--parquet", str(folder / "parquet"), "--results", str(results)])
