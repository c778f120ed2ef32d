"""The bytes that the page for finding boards loads per question, and the cost of the command.

    python bench/finding.py RESULTS [--copies 60]

The files are those of a site without pictures. Each question of ``bench/twenty_questions.py`` loads
the index and a file for each SoC that has one of its benchmarks; the goal is that no question over
18 SoCs loads more than 1 MB. With ``--copies``, the newest bundle of each board is repeated that
many times under other SoC names, which gives the bytes and CPU time per board of a larger archive.
The exit status is 1 if the goal is missed.
"""

from __future__ import annotations

import argparse
import gzip
import json
import sys
import tempfile
from pathlib import Path
from typing import Any

import grown
import measuring
from twenty_questions import CONDITION, QUESTIONS

from perfguide.export import finder, json_api
from perfguide.figures import dataset
from perfguide.pages import build

TOP = measuring.TOP
DESCRIBED = (dataset.BUILT_IN, TOP / "source" / "benchmarks")
MAX_QUESTION_MB = 1.0
"""The goal for the bytes of one question, uncompressed as on disk."""


def generated(results: Path, folder: Path) -> Path:
    """Make the pages of an archive; return the folder of the finder's files."""
    source = TOP / "source"
    settings = dataset.Settings(
        (results,),
        DESCRIBED,
        folder / "pages",
        formats=(),
        acknowledged=source / "acknowledged.toml",
        boards=source / "boards.toml",
    )
    build.generate(settings)
    return settings.output / json_api.ROOT / finder.FOLDER


def loaded_by(question: tuple[str, ...], index: dict[str, Any], folder: Path) -> list[bytes]:
    """Return the files that a question loads."""
    asked = {match[1] for text in question if (match := CONDITION.fullmatch(text))}
    files = {
        position: file
        for position, (name, _, file, _) in enumerate(index["benchmarks"])
        if name in asked
    }
    names = [
        f"{of_soc}/{files[position]}"
        for _, of_soc, measured, _ in index["socs"]
        for position in measured
        if position in files
    ]
    return [(folder / f"{name}.js").read_bytes() for name in ("index", *names)]


def newest_of_each_board(results: Path, target: Path) -> int:
    """Copy the newest bundle of each board below ``target``; return the number of copies."""
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
    """Print the cost of questions on an archive; return the MB loaded by the largest."""
    with tempfile.TemporaryDirectory() as top:
        folder = generated(results, Path(top))
        text = (folder / "index.js").read_text("ascii")
        # The file is a call with a name and a value.
        index = json.loads(text[text.index(",") + 1 : text.rindex(")")])
        loaded = [loaded_by(question, index, folder) for question in QUESTIONS]
        total = sum(path.stat().st_size for path in folder.rglob("*.js"))
    boards = sum(len(own) for *_, own in index["socs"])
    sizes = []
    for question, data in zip(QUESTIONS, loaded, strict=True):
        packed = sum(len(gzip.compress(each, mtime=0)) for each in data)
        sizes.append((sum(map(len, data)) / 1e6, packed / 1e6, len(data), " and ".join(question)))
    size, packed_mb, requests, words = max(sizes)
    mean = sum(each[0] for each in sizes) / len(sizes)
    print(f"{len(index['socs'])} SoCs, {boards} boards, {total / 1e6:.2f} MB in all")
    print(f"  index: {len(text) / 1e3:.1f} kB")
    print(f"  mean question: {mean:.3f} MB, {1e3 * mean / boards:.2f} kB a board")
    print(f"  largest: {size:.3f} MB ({packed_mb:.3f} MB compressed), {requests} files: {words}")
    command = ["find", f"--results={results.resolve()}", f"--benchmarks={DESCRIBED[1]}", "--json"]
    with tempfile.TemporaryDirectory() as folder:
        # If no board meets the question, the exit status is not 0.
        cost = measuring.ran(["-m", "perfguide", *command, "--", QUESTIONS[0][0]], Path(folder))
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
