"""Answer thirty questions in four ways: by a few lines over the bundles, by the command, by the
MCP server and, with ``--site``, by the page that finds boards.

    python bench/twenty_questions.py results [--site build/html]

``board_figures`` reads the bundles with nothing but ``json``: it shares no code with the package.
Five nonsensical or hostile questions must each get a message. ``--site`` is a built site with the
figures of the same bundles. The exit status is 1 if an answer differs.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import math
import re
import subprocess
import sys
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise, product
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import anyio
from mcp import Client, StdioServerParameters
from playwright.sync_api import sync_playwright

TOP = Path(__file__).resolve().parent.parent
DESCRIPTIONS = TOP / "source" / "benchmarks"
BOARDS = tomllib.loads((TOP / "source" / "boards.toml").read_text("utf-8"))["boards"]
NAMES_TODAY = {(b["soc"], alias): b["name"] for b in BOARDS for alias in b.get("aliases", ())}
SHORT_NAMES = {(b["soc"], b["name"]): b["short"] for b in BOARDS if "short" in b}

UNIT_FACTORS = {
    "": 1.0,
    "%": 1.0,
    "kB/s": 1e3,
    "MB/s": 1e6,
    "MiB/s": 2.0**20,
    "Mbit/s": 1e6,
    "Mbits/s": 1e6,
    "Mbps": 1e6,
    "GB/s": 1e9,
    "Gbit/s": 1e9,
    "s": 1.0,
    "ms": 1e-3,
    "us": 1e-6,
    "ns": 1e-9,
    "Kflops": 1e3,
    "Mflops": 1e6,
}

QUESTIONS = (
    ("openssl/throughput?algorithm=aes-256-cbc&block_size=1024 >= 20 MB/s",),
    ("openssl/throughput?algorithm=aes-128-cbc&block_size=16384 >= 100 MB/s",),
    ("openssl/throughput?algorithm=sha512&block_size=8192 >= 50 MB/s",),
    ("openssl/throughput?algorithm=md5&block_size=64 >= 30 MB/s",),
    ("openssl/throughput?algorithm=des3&block_size=1024 <= 10 MB/s",),
    ("openssl/cpu_load?algorithm=aes-256-cbc <= 50 %",),
    (
        "openssl/throughput?algorithm=aes-256-cbc&block_size=1024 >= 20 MB/s",
        "openssl/cpu_load <= 40 %",
    ),
    ("ethernet-tcp/throughput >= 900 Mbit/s",),
    ("ethernet-tcp/throughput >= 900 Mbit/s", "ethernet-tcp/cpu_load <= 40 %"),
    ("emmc/read_throughput?buffer_size=4194304 >= 150 MB/s",),
    ("emmc/write_throughput?buffer_size=1048576 >= 40 MB/s",),
    ("mmcsd/write_throughput?buffer_size=4194304 >= 15 MB/s",),
    ("mmcsd/read_cpu_load?buffer_size=4096 <= 4 %",),
    ("ethernet-udp/throughput?direction=egress >= 500 Mbit/s",),
    ("ipsec/throughput >= 100 Mbit/s",),
    ("alsa/cpu_load <= 2 %",),
    ("coremark-pro/coremark-pro?contexts=1 >= 1000",),
    ("pcie-nvme/write_throughput?buffer_size=4194304 >= 300 MB/s",),
    ("glmark2/score >= 300",),
    ("ethernet-udp/packet_rate >= 100",),
    # Units that the figures do not have, a size that was not measured, and two benchmarks at once.
    ("boot-time/boot_time <= 18000 ms",),
    ("stream/copy >= 2 GB/s",),
    ("lmbench/lat_mem_rd-stride128-sz1000k <= 0.05 us",),
    ("cyclictest/latency_max <= 60 us",),
    ("openssl/throughput?algorithm=sha256&block_size=2048 >= 60 MB/s",),
    ("mmcsd/read_throughput?buffer_size=4194304 >= 80 MB/s", "mmcsd/read_cpu_load <= 10 %"),
    (
        "emmc/read_throughput?buffer_size=4194304 >= 150 MB/s",
        "ethernet-tcp/throughput >= 0.9 Gbit/s",
    ),
    ("dhrystone/dhrystone_per_mhz >= 3",),
    ("linpack/linpack >= 500 Mflops",),
    (
        "openssl/throughput?algorithm=aes-256-cbc&block_size=1024 >= 20 MB/s",
        "openssl/cpu_load <= 60 %",
        "stream/copy >= 1500 MB/s",
    ),
)

SENSELESS_QUESTIONS = (
    "fast please",
    "openssl/throughput >= twenty",
    "openssl/throughput >= 20 bananas",
    "--results=/etc",
    "<img src=x onerror=alert(1)>/$(touch owned) >= 1",
)

CONDITION = re.compile(r"(.+?)/(.+?)(?:\?(\S+))? (>=|<=) (\S+) ?(\S*)")

Params = tuple[tuple[str, str], ...]
Answer = tuple[str, str, str, tuple[tuple[str, Params, float], ...], bool]
"""SoC, system, board, the release, parameters and figure for each condition, and whether all
hold."""


@dataclass(frozen=True)
class Figure:
    """A figure of a board in one release, in the unit of the question."""

    params: dict[str, Any]
    mean: float
    holds: bool
    unasked: Params
    """The parameters that the question does not name."""


def _defaults(benchmark: str) -> dict[str, Any]:
    path = DESCRIPTIONS / f"{benchmark}.toml"
    params = tomllib.loads(path.read_text("utf-8")).get("params", {}) if path.exists() else {}
    return {name: value["default"] for name, value in params.items() if "default" in value}


def _version(release: str) -> list[tuple[int, int, str]]:
    parts = re.split(r"[.\-_]", release)
    return [(1, int(p), "") if p.isdigit() else (0, 0, p) for p in parts]


def board_figures(
    bundles: Sequence[Mapping[str, Any]], condition: str
) -> dict[tuple[str, str, str], dict[str, list[Figure]]]:
    """Return the figures for a condition by board and release."""
    match = CONDITION.fullmatch(condition)
    assert match
    benchmark, metric, query, sign, bound, unit = match.groups(default="")
    asked = dict(pair.split("=") for pair in query.split("&") if pair)
    defaults = _defaults(benchmark)
    samples: dict[tuple[tuple[str, str, str], str, str], list[tuple[float, int]]] = {}
    for bundle in bundles:
        soc, name = bundle["board"]["soc"], bundle["board"]["name"]
        board = (soc, bundle["sdk"]["os"], NAMES_TODAY.get((soc, name), name))
        for result in bundle["results"]:
            if (result["benchmark"], result["metric"]) != (benchmark, metric):
                continue
            params = {**defaults, **result.get("params", {})}
            if len(_others(params, asked)) > 1:
                continue
            # A run with a background load or several threads is only an answer if requested.
            free = defaults.keys() - asked.keys() - {"engine"}
            if any(params[name] != defaults[name] for name in free):
                continue
            own = result.get("samples", [])
            value = result.get("value", sum(own) / len(own) if own else None)
            if value is None or result.get("status") == "fail":
                continue
            if result.get("unit") == "1" != unit:
                continue  # a number without a unit, which cannot be converted
            scale = UNIT_FACTORS[result.get("unit", "")] / UNIT_FACTORS[unit] if unit else 1
            key = (board, bundle["sdk"]["version"], json.dumps(params, sort_keys=True))
            count = result.get("count") or len(own) or 1
            samples.setdefault(key, []).append((value * scale, count))
    figures: dict[tuple[str, str, str], dict[str, list[Figure]]] = {}
    for (board, release, text), values in samples.items():
        params = json.loads(text)
        mean = sum(v * n for v, n in values) / sum(n for _, n in values)
        holds = mean >= float(bound) if sign == ">=" else mean <= float(bound)
        free_params = _params({n: v for n, v in params.items() if n not in asked})
        own_figures = figures.setdefault(board, {}).setdefault(release, [])
        own_figures.append(Figure(params, mean, holds, free_params))
    worse = min if sign == ">=" else max
    for releases in figures.values():
        for release, own_figures in releases.items():
            exact = [f for f in own_figures if not _others(f.params, asked)]
            measured = {f.unasked for f in exact}
            beside = [f for f in _beside(own_figures, asked, worse) if f.unasked not in measured]
            releases[release] = [*exact, *beside]
    return {
        board: {release: own for release, own in releases.items() if own}
        for board, releases in figures.items()
        if any(releases.values())
    }


def _others(params: Mapping[str, Any], asked: Mapping[str, str]) -> list[str]:
    """Return the names of parameters that do not have the requested value."""
    return [name for name, value in asked.items() if str(params.get(name)) != value]


def _beside(
    figures: Sequence[Figure], asked: Mapping[str, str], worse: Callable[..., Figure]
) -> Iterator[Figure]:
    """Yield the worse of the figures at the next smaller and next larger number beside the
    requested one."""
    series: dict[tuple[str, Params], list[Figure]] = {}
    for figure in figures:
        for name in _others(figure.params, asked):
            if isinstance(figure.params.get(name), int | float):
                series.setdefault((name, figure.unasked), []).append(figure)
    for (name, _), own in series.items():
        own.sort(key=lambda figure: figure.params[name])
        for low, high in pairwise(own):
            if low.params[name] < float(asked[name]) < high.params[name]:
                yield worse(low, high, key=lambda figure: figure.mean)


def expected_answers(
    bundles: Sequence[Mapping[str, Any]], conditions: Sequence[str]
) -> list[Answer]:
    """Return the answers from the bundles alone. Conditions on one benchmark are met by one run."""
    names = [condition.partition("/")[0] for condition in conditions]
    runs = [_runs(bundles, [c for c in conditions if c.startswith(f"{n}/")]) for n in set(names)]
    order = [
        condition for n in set(names) for condition in conditions if condition.startswith(f"{n}/")
    ]
    answers = []
    for board in set.intersection(*(set(each) for each in runs)):
        for chosen in product(*(each[board] for each in runs)):
            figures = dict(zip(order, (each for run in chosen for each in run), strict=True))
            own = tuple(
                (figures[c][0], _params(figures[c][1].params), figures[c][1].mean)
                for c in conditions
            )
            answers.append((*board, own, all(f.holds for _, f in figures.values())))
    return sorted(answers, key=lambda each: (each[:3], each[3]))


def _runs(
    bundles: Sequence[Mapping[str, Any]], conditions: Sequence[str]
) -> dict[tuple[str, str, str], list[list[tuple[str, Figure]]]]:
    """Return each board's figures for conditions on one benchmark, with their release: for each set
    of parameters, those of the newest release."""
    by_condition = [board_figures(bundles, condition) for condition in conditions]
    runs = {}
    for board in set[tuple[str, str, str]].intersection(*(set(each) for each in by_condition)):
        releases = [each[board] for each in by_condition]
        newest: dict[tuple[Params, ...], list[tuple[str, Figure]]] = {}
        for release in sorted(set.intersection(*map(set, releases)), key=_version, reverse=True):
            for figures in product(*(each[release] for each in releases)):
                names = set.intersection(*(set(f.params) for f in figures))
                if any(len({str(f.params[name]) for f in figures}) > 1 for name in names):
                    continue
                run = [(release, figure) for figure in figures]
                newest.setdefault(tuple(figure.unasked for figure in figures), run)
        runs[board] = [*newest.values()]
    return runs


def _params(params: Mapping[str, Any]) -> Params:
    return tuple(sorted((name, str(value)) for name, value in params.items()))


def given_answers(output: Mapping[str, Any], conditions: Sequence[str]) -> list[Answer]:
    """Return the answers of the command or the server in the form of the expected ones."""
    units = [match[6] or "" for each in conditions if (match := CONDITION.fullmatch(each))]
    answers: list[Answer] = []
    for board in output["boards"]:
        figures = tuple(
            (
                figure["release"],
                _params(figure["params"]),
                figure["mean"] * (UNIT_FACTORS[figure["unit"]] / UNIT_FACTORS[unit] if unit else 1),
            )
            for figure, unit in zip(board["figures"], units, strict=True)
        )
        holds = board["group"] != "cannot"
        answers.append((board["soc"], board["os"], board["board"], figures, holds))
    return sorted(answers, key=lambda each: (each[:3], each[3]))


def same(one: Sequence[Answer], other: Sequence[Answer]) -> bool:
    """Return whether two lists agree in boards, releases, parameters and verdicts, and, except for
    rounding, in figures."""
    return len(one) == len(other) and all(
        (a[:3], a[4]) == (b[:3], b[4])
        and all(
            x[:2] == y[:2] and math.isclose(x[2], y[2], rel_tol=1e-9)
            for x, y in zip(a[3], b[3], strict=True)
        )
        for a, b in zip(one, other, strict=True)
    )


def ask_command(site: Sequence[str], conditions: Sequence[str]) -> tuple[Any, str]:
    """Return the JSON of the command, or ``None``, and its messages."""
    command = [sys.executable, "-m", "perfguide", "find", *site, "--json", "--", *conditions]
    run = subprocess.run(command, cwd=TOP, capture_output=True, text=True, check=False)
    return (json.loads(run.stdout) if run.stdout else None), run.stderr.strip()


def ask_server(site: Sequence[str], questions: Sequence[Sequence[str]]) -> list[tuple[Any, str]]:
    """Return the server's answer to each question, asked through the protocol's own client, and the
    messages."""

    async def ask() -> list[tuple[Any, str]]:
        words = ["-m", "perfguide", "mcp", *site]
        server = StdioServerParameters(command=sys.executable, args=words, cwd=TOP)
        async with Client(server) as client:
            outputs = []
            for conditions in questions:
                answer = await client.call_tool("find_boards", {"conditions": list(conditions)})
                text = " ".join(getattr(each, "text", "") for each in answer.content)
                output = None if answer.is_error else answer.structured_content
                outputs.append((output, text if answer.is_error else ""))
            return outputs

    return anyio.run(ask)


PageRow = tuple[bool, str, str]
"""True for a board that meets the need, its SoC and name, and the release of its figures."""


def page_rows(answers: Sequence[Answer]) -> list[PageRow]:
    """Return the rows that the page should have for some answers."""
    return sorted(
        (holds, f"{soc} {SHORT_NAMES.get((soc, board), board)}", own[0][0])
        for soc, _, board, own, holds in answers
    )


@contextlib.contextmanager
def finder_page(site: Path) -> Iterator[Callable[[Sequence[str]], tuple[list[PageRow], str]]]:
    """Yield a function that returns the page's rows and message, using Chromium."""
    sys.path.insert(0, str(TOP / "tests" / "support"))
    from debian import program

    with sync_playwright() as playwright:
        chromium = program("chromium-headless-shell")
        browser = playwright.chromium.launch(executable_path=chromium)
        page = browser.new_page()

        def ask(conditions: Sequence[str]) -> tuple[list[PageRow], str]:
            query = urlencode([("q", condition) for condition in conditions])
            page.goto(f"{(site / 'source/find.html').resolve().as_uri()}?{query}")
            page.wait_for_function("document.querySelector('.perf-explorer-status')?.textContent")
            rows = page.evaluate(
                "[...document.querySelectorAll('.perf-finder table')].flatMap((table) => "
                "[...table.tBodies[0].rows].map((row) => [table.getAttribute('aria-labelledby'), "
                "...[...row.cells].map((cell) => cell.textContent)]))"
            )
            message = page.locator(".perf-explorer-status").text_content() or ""
            # The last cell but one is the system and release, and the year of an old one: "Linux
            # 09.01 2023".
            return sorted(
                (not r[0].endswith("cannot"), r[1], re.split("[ ,]+", r[-2])[1]) for r in rows
            ), message

        yield ask
        browser.close()


def main() -> int:
    """Ask all questions and print how many answers agree."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("results", type=Path, help="folder of bundles")
    parser.add_argument("--site", type=Path, help="site built from the same bundles")
    asked = parser.parse_args()
    bundles = [json.loads(path.read_bytes()) for path in sorted(asked.results.rglob("*.json"))]
    site = [f"--results={asked.results.resolve()}", f"--benchmarks={DESCRIPTIONS}"]
    senseless = [(each,) for each in SENSELESS_QUESTIONS]
    faults: list[str] = []
    count = 0
    with contextlib.ExitStack() as stack:
        by_server = ask_server(site, [*QUESTIONS, *senseless])
        ask_page = stack.enter_context(finder_page(asked.site)) if asked.site else None
        for conditions, (served, message) in zip(QUESTIONS, by_server, strict=False):
            expected = expected_answers(bundles, conditions)
            output, words = ask_command(site, conditions)
            question = " and ".join(conditions)
            count += len(expected)
            print(f"{sum(each[4] for each in expected):>4} of {len(expected):>4}  {question}")
            for source, given, report in (("command", output, words), ("server", served, message)):
                if not expected and given is None and report:
                    continue
                if given is None or not same(given_answers(given, conditions), expected):
                    faults.append(f"{source}: {question}: {report}")
            if ask_page:
                rows, status = ask_page(conditions)
                if rows != page_rows(expected) and (expected or not status):
                    faults.append(f"page: {question}: {status}")
        for (question,), (served, message) in zip(
            senseless, by_server[len(QUESTIONS) :], strict=True
        ):
            output, words = ask_command(site, (question,))
            print(f"{question}\n    {words}")
            if output is not None or len(words.splitlines()) != 1 or "Traceback" in words:
                faults.append(f"command: {question}: {words}")
            if served is not None or words not in message:
                faults.append(f"server: {question}: {message}")
            if ask_page:
                rows, status = ask_page((question,))
                print(f"    {status}")
                if rows or not status:
                    faults.append(f"page: {question}: {status}")
    if (TOP / "owned").exists():
        faults.append("a question was run as a command")
    sources = "command, server and page" if asked.site else "command and server"
    print(f"{len(QUESTIONS)} questions, {count} answers, {sources}: {len(faults)} differ")
    print(*faults, sep="\n")
    return int(bool(faults))


if __name__ == "__main__":
    sys.exit(main())
