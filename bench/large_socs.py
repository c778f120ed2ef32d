"""One SoC with many boards or releases: the cost of its site, and of its heaviest pages in a
browser.

    python bench/large_socs.py BOARDSxRELEASES… [--results 60]

For each size, such as 400x2 or 2x100, an archive is made from this repository's measurements with
simulated figures. Prints CSV: figures, CPU time of all processes in seconds, memory of the largest
process in MiB, pages, bytes and elements of the heaviest page, and the longest time in seconds
until Chromium has loaded one of the five heaviest. One picture is drawn and used for all. The exit
status is 1 if a page exceeds its bound.
"""

from __future__ import annotations

import argparse
import csv
import json
import random
import sys
import tempfile
import time
from pathlib import Path

import page_bounds
import sites
import synthetic
from measuring import TOP
from playwright.sync_api import sync_playwright

HEAD = ("Boards", "Releases", "Figures", "CPU (s)", "Memory (MiB)", "Pages")
HEAD += ("Heaviest (kB)", "Elements", "Loaded in (s)")
LOADED_PAGES = 5


def main() -> int:
    """Print the table. Return 1 if a page exceeds its bound."""
    parser = argparse.ArgumentParser(description="Measure sites of one large SoC.")
    parser.add_argument("sizes", nargs="+", help="boards x releases, such as 400x2")
    parser.add_argument("--results", type=int, default=60, help="results of each run")
    given = parser.parse_args()
    table = csv.writer(sys.stdout)
    table.writerow(HEAD)
    are_bounded = True
    for boards, releases in (map(int, size.split("x")) for size in given.sizes):
        with tempfile.TemporaryDirectory() as folder:
            project = sites.project(Path(folder) / "project", 0, 1, 0)
            _write(project / sites.ARCHIVE, boards, releases, given.results)
            sites.drawn(project)
            sites.forget(project)
            cost = sites.sphinx(project)
            site = project / "build" / "html"
            measured = page_bounds.sizes(site)
            are_bounded &= all(page.is_bounded for page in measured)
            heaviest = max(page.bytes for page in measured) / 1000
            longest = _longest_load_s(site, [page.name for page in measured[:LOADED_PAGES]])
        row = (boards, releases, boards * releases * given.results, f"{cost.cpu:.1f}")
        more = (f"{cost.memory:.0f}", len(measured), f"{heaviest:.0f}", measured[0].elements)
        table.writerow((*row, *more, f"{longest:.1f}"))
        sys.stdout.flush()
    return 0 if are_bounded else 1


def _write(folder: Path, boards: int, releases: int, results: int) -> None:
    """Write an archive of one SoC, with a file per release."""
    chance = random.Random(1)
    chosen = synthetic.templates(results)
    folder.mkdir(parents=True, exist_ok=True)
    for release in range(releases):
        version = f"{release // 10 + 1:02}.{release % 10:02}"
        with (folder / f"{version}.jsonl").open("w", encoding="utf-8") as file:
            for board in range(boards):
                name = f"soc0-{version}-{board}"
                bundle = synthetic.bundle(name, 0, version, board, chosen, chance)
                file.write(f"{json.dumps(bundle)}\n")


def _longest_load_s(site: Path, names: list[str]) -> float:
    """Return the longest time in seconds until the browser has loaded one of some pages."""
    sys.path.insert(0, str(TOP / "tests" / "support"))
    from debian import library, program

    library("libatomic.so.1", "libatomic1")
    longest = 0.0
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=program("chromium-headless-shell"),
            args=["--no-sandbox", "--disable-gpu", "--disable-background-networking"],
        )
        for name in names:
            page = browser.new_page()
            start = time.perf_counter()
            page.goto(f"file://{site}/{name}", timeout=0)
            longest = max(longest, time.perf_counter() - start)
            page.close()
        browser.close()
    return longest


if __name__ == "__main__":
    sys.exit(main())
