"""The bytes that the page for finding boards loads for a question, and the cost of the command for the same one.

    python bench/finding.py RESULTS [--copies 60]

The files are made from the bundles without the pages of a site. Each question of ``bench/twenty_questions.py`` loads
the index and a file for each SoC that has one of its benchmarks; the goal is that no question over 18 SoCs loads more
than 1 MB. With ``--copies``, the newest bundle of each board is repeated so many times under other SoC names, which
gives the bytes and the CPU time for each board of a larger archive. The exit status is 1 if the goal is missed.
"""

from __future__ import annotations

import argparse
import gzip
import json
import sys
import tempfile
from collections import defaultdict
from pathlib import Path
from typing import Any

import grown
import measuring
from twenty_questions import CONDITION, QUESTIONS

from perfguide.bundles.guide_key import family
from perfguide.catalog import board_names
from perfguide.catalog.benchmarks import undescribed
from perfguide.common.slugs import anchor
from perfguide.compare.match import Names
from perfguide.compare.side_by_side import clock_of
from perfguide.export import explorer, finder, json_api
from perfguide.figures import dataset, engines
from perfguide.figures.pool import Record
from perfguide.health.marks import Marks
from perfguide.health.report import check
from perfguide.tables.assign import Layout

TOP = measuring.TOP
DESCRIBED = (dataset.BUILT_IN, TOP / "source" / "benchmarks")
MAX_QUESTION_MB = 1.0
"""The goal for the bytes of one question, as they are on disk."""


def written_files(results: Path) -> tuple[int, dict[tuple[str, str], bytes]]:
    """Return the number of boards of an archive, and the finder's files by SoC and benchmark; the index has
    no SoC."""
    holdings = dataset.read(dataset.Settings((results,), DESCRIBED, TOP / "source"))
    boards, _ = board_names.load(TOP / "source" / "boards.toml")
    pool, layout = holdings.pool, Layout(holdings.catalog)
    addresses = dataset.plan(pool.guides(), pool.benchmarks())

    def section(record: Record) -> tuple[str, str]:
        return addresses.guide[record.guide], anchor(layout.anchor(record))

    names_of_today = Names(holdings.catalog, boards)
    of_guide = {key: pool.of_guide(key) for key in pool.guides()}
    of_soc: dict[str, list[Record]] = defaultdict(list)
    names: dict[str, set[tuple[str, str, str]]] = defaultdict(set)
    for key, records in of_guide.items():
        of_soc[key.soc] += records
        for board in pool.boards[key]:
            today = boards.today(key.soc, board)
            names[key.soc].add((family(key), today, boards.short(key.soc, today)))
    files: dict[tuple[str, str], bytes] = {}
    metrics: dict[str, set[tuple[str, str]]] = defaultdict(set)
    measured: dict[str, set[str]] = defaultdict(set)
    marks = Marks(check(holdings, TOP / "source" / "acknowledged.toml").findings)
    days = {key: pool.bundles_of([key])[-1].bundle.created.date().isoformat() for key in of_guide}
    clocks = {
        key: {board: clock_of(pool, records, names_of_today) for board in pool.boards[key]}
        for key, records in of_guide.items()
    }
    for soc, records in of_soc.items():
        inferred = engines.inferred(records, holdings.catalog)
        facts = finder.FactsOfSoc(boards, inferred, days, clocks, section, marks.doubt)
        by_benchmark: dict[str, list[Record]] = defaultdict(list)
        for record in records:
            by_benchmark[record.benchmark].append(record)
            metrics[record.benchmark].add((record.metric, record.unit))
            measured[soc].add(record.benchmark)
        for name, own in by_benchmark.items():
            benchmark = holdings.catalog.get(name) or undescribed(name)
            part = finder.part(benchmark, own, facts)
            files[soc, name] = explorer.file(f"{soc}/{name}", part)
    listed = json_api.benchmarks(metrics, holdings.catalog)["benchmarks"]
    addressed = [{**each, "file": each["benchmark"]} for each in listed]
    folders = {soc: soc for soc in of_soc}
    index = finder.index(folders, measured, names, addressed, holdings.catalog)
    files["", "index"] = explorer.file("index", index)
    return sum(map(len, names.values())), files


def loaded_by(question: tuple[str, ...], files: dict[tuple[str, str], bytes]) -> list[bytes]:
    """Return the files that a question loads."""
    asked = {match[1] for text in question if (match := CONDITION.fullmatch(text))}
    return [data for (soc, name), data in files.items() if not soc or name in asked]


def newest_of_each_board(results: Path, target: Path) -> int:
    """Copy the newest bundle of each board below ``target``; return their number."""
    newest: dict[tuple[str, str, str], dict[str, Any]] = {}
    for path in sorted(results.rglob("*.json")):
        bundle = json.loads(path.read_bytes())
        key = (bundle["board"]["soc"], bundle["sdk"]["os"], bundle["board"]["name"])
        if key not in newest or bundle["created"] > newest[key]["created"]:
            newest[key] = bundle
    for number, bundle in enumerate(newest.values()):
        (target / f"{number}.json").write_text(json.dumps(bundle), "utf-8")
    return len(newest)


def report(results: Path) -> float:
    """Print the cost of questions on an archive; return the MB of the largest one."""
    boards, files = written_files(results)
    socs = len({soc for soc, _ in files} - {""})
    sizes = []
    for question in QUESTIONS:
        data = loaded_by(question, files)
        packed = sum(len(gzip.compress(each, mtime=0)) for each in data)
        sizes.append((sum(map(len, data)) / 1e6, packed / 1e6, len(data), " and ".join(question)))
    size, packed_mb, requests, text = max(sizes)
    mean = sum(each[0] for each in sizes) / len(sizes)
    index = len(files["", "index"]) / 1e3
    print(f"{socs} SoCs, {boards} boards, {sum(map(len, files.values())) / 1e6:.2f} MB in all")
    print(f"  index: {index:.1f} kB")
    print(f"  mean question: {mean:.3f} MB, {1e3 * mean / boards:.2f} kB a board")
    print(f"  largest: {size:.3f} MB ({packed_mb:.3f} MB compressed), {requests} files: {text}")
    words = ["find", f"--results={results.resolve()}", f"--benchmarks={DESCRIBED[1]}", "--json"]
    with tempfile.TemporaryDirectory() as folder:
        # The exit status of a question that no board meets is not 0.
        cost = measuring.ran(["-m", "perfguide", *words, "--", QUESTIONS[0][0]], Path(folder))
    print(f"  perfguide find: {cost.cpu:.1f} s of CPU, {cost.memory:.0f} MiB: {QUESTIONS[0][0]}")
    return size


def main() -> int:
    """Print the figures of an archive, and of its boards repeated."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("results", type=Path, help="folder of bundles")
    parser.add_argument("--copies", type=int, default=0, help="repeat the boards so many times")
    given = parser.parse_args()
    largest = report(given.results)
    if given.copies:
        with tempfile.TemporaryDirectory() as folder:
            one, many = Path(folder, "one"), Path(folder, "many")
            one.mkdir()
            newest_of_each_board(given.results, one)
            grown.repeat(one, many, given.copies)
            report(many)
    met = largest <= MAX_QUESTION_MB
    print(f"goal of at most {MAX_QUESTION_MB:g} MB a question: {'met' if met else 'missed'}")
    return int(not met)


if __name__ == "__main__":
    sys.exit(main())
