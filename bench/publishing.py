"""The usual changes of a publisher, on an archive of real bundles with all charts drawn: their
cost, and whether the site equals a clean build.

    python bench/publishing.py ARCHIVE [--keep FOLDER] [--change NAME]… [--output FILE]

``ARCHIVE`` is a folder of bundles; those for the page *Speed and accuracy* were written by
``grown.py``. Prints CSV: for each change, the elapsed and CPU time of all processes, the memory of
the largest one, the size of the site and the project on disk, and the numbers of pages written,
added and removed. ``--same`` makes a clean build after each change and compares all files. Most
rows go into the table on the page; ``--output`` names another file. ``--plain`` builds the pages
with plain Sphinx, as ``export --rst`` writes them.
"""

from __future__ import annotations

import argparse
import filecmp
import json
import os
import shutil
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import grown
import page_rows
from measuring import TOP, Cost, ran

HEAD = (
    "Change",
    "Clock (s)",
    "CPU (s)",
    "Memory (MiB)",
    "Site (MB)",
    "Disk (MB)",
    "Pages written",
    "added",
    "removed",
    "Same",
)
FORMATS = "ext/perfguide/adapters/formats"
CORES = "Cores"
PUBLISHED = ("Change", "Clock (s)", "CPU (s)", "Memory (MiB)", "Disk (MB)", "Pages written", CORES)
"""The columns of the table on the page."""
NOT_PUBLISHED = {"A new board", "A run withdrawn", "A page written by hand"}
"""Changes that cost about as much as a new run, or less: they are only printed."""
FIRST_BUILD = "The first build"


def project(folder: Path, archive: Path) -> Path:
    """Make a project with our configuration, descriptions and pages, and another archive."""
    folder.mkdir(parents=True)
    for name in ("conf.py", "index.rst", "CHANGELOG.md"):
        if (TOP / name).exists():
            shutil.copy(TOP / name, folder / name)
    kept = shutil.ignore_patterns("guides", "by-benchmark", "compare", "reports", "api", "data")
    shutil.copytree(TOP / "source", folder / "source", ignore=kept)
    # A page shows one of them; its absence would cause a warning in every build.
    shutil.copytree(TOP / FORMATS, folder / FORMATS)
    shutil.copytree(TOP / "results", folder / "results")
    shutil.copytree(archive, folder / "results" / "archive")
    return folder


def built(folder: Path) -> Cost:
    """Build as ``make html`` does."""
    return ran(["-m", "perfguide", "build", "--jobs", "2", "--", "-q"], folder)


def plain(folder: Path, target: Path) -> Cost:
    """Build the pages of SoCs, benchmarks, comparisons and reports with plain Sphinx."""
    ran(["-m", "perfguide", "export", "--rst", target], folder)
    return ran(["-m", "sphinx", "-q", "-j", "2", ".", "build/html"], target)


def _bundles(folder: Path) -> list[tuple[Path, dict[str, Any]]]:
    paths = sorted((folder / "results" / "archive").rglob("*.json"))
    return [(path, json.loads(path.read_text("utf-8"))) for path in paths]


def _newest(folder: Path) -> tuple[Path, dict[str, Any]]:
    return max(_bundles(folder), key=lambda each: each[1]["created"])


def _another(folder: Path, name: str, **other: dict[str, str]) -> None:
    """Copy the newest bundle under another id, with another release, board or SoC."""
    path, bundle = _newest(folder)
    bundle = bundle | {"id": name}
    for key, values in other.items():
        bundle[key] = bundle[key] | values
    (path.parent / f"{name}.json").write_text(json.dumps(bundle), "utf-8")


def new_run(folder: Path) -> None:
    """Add a run of the newest release on its board, a little faster."""
    path, bundle = _newest(folder)
    results = [grown.shaken(each, 1.001) for each in bundle["results"]]
    bundle = bundle | {"id": "one-more-run", "results": results}
    (path.parent / "one-more-run.json").write_text(json.dumps(bundle), "utf-8")


def new_release(folder: Path) -> None:
    """Add the first run of a release."""
    _another(folder, "a-new-release", sdk={"version": "99.00.00.01"})


def new_board(folder: Path) -> None:
    """Add the first run of a board."""
    _another(folder, "a-new-board", board={"name": "a-new-board"})


def new_soc(folder: Path) -> None:
    """Add the first run of a SoC."""
    _another(folder, "a-new-soc", board={"name": "a-new-soc-evm", "soc": "NEW1"})


def withdrawn(folder: Path) -> None:
    """Withdraw the newest run."""
    _newest(folder)[0].unlink()


def description(folder: Path) -> None:
    """Change the description of a benchmark."""
    path = folder / "source" / "benchmarks" / "dhrystone.rst"
    path.write_text(f"{path.read_text('utf-8')}\nOne sentence more.\n", "utf-8")


def by_hand(folder: Path) -> None:
    """Add a hand-written page."""
    path = folder / "source" / "access.rst"
    path.write_text(f"{path.read_text('utf-8')}\nOne sentence more.\n", "utf-8")


def nothing(_folder: Path) -> None:
    """Change nothing."""


CHANGES: dict[str, Callable[[Path], None]] = {
    "Nothing": nothing,
    "A new run": new_run,
    "A new release": new_release,
    "A new board": new_board,
    "A new SoC": new_soc,
    "A run withdrawn": withdrawn,
    "The text of a benchmark": description,
    "A page written by hand": by_hand,
}
"""Each change by its name on the page."""


def pages(folder: Path) -> dict[str, tuple[int, int]]:
    """Return the size and modification time of each page of the published site."""
    site = folder / "build" / "html"
    pages_by_name = {}
    for path in site.rglob("*.html"):
        status = path.stat()
        pages_by_name[str(path.relative_to(site))] = (status.st_size, status.st_mtime_ns)
    return pages_by_name


def taken(folder: Path) -> float:
    """Return the size on disk of the files below a folder in MB, counting hard links once."""
    blocks = {}
    for path in folder.rglob("*"):
        of = path.lstat()
        blocks[of.st_dev, of.st_ino] = of.st_blocks
    # stat counts blocks of 512 bytes, whatever the file system's block size.
    return sum(blocks.values()) * 512 / 1e6


def is_same(folder: Path) -> bool:
    """Return whether a clean build of the same sources gives the same files."""
    with tempfile.TemporaryDirectory() as given:
        kept = Path(given, "kept")
        shutil.move(folder / "build", kept)
        built(folder)
        same = _same(kept / "html", folder / "build" / "html")
        shutil.rmtree(folder / "build")
        # The next change is measured on the build before this one.
        shutil.move(kept, folder / "build")
        return same


def _same(one: Path, other: Path) -> bool:
    names = [
        sorted(str(p.relative_to(top)) for p in top.rglob("*") if p.is_file())
        for top in (one, other)
    ]
    if names[0] != names[1]:
        print(sorted(set(names[0]) ^ set(names[1]))[:10], file=sys.stderr)
        return False
    differ = [n for n in names[0] if not filecmp.cmp(one / n, other / n, shallow=False)]
    print(differ[:10], file=sys.stderr)
    return not differ


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description="Measure the cost of each change of an archive.")
    parser.add_argument("archive", type=Path)
    parser.add_argument("--keep", type=Path, help="the folder of the project; it stays")
    parser.add_argument("--change", action="append", choices=[c.__name__ for c in CHANGES.values()])
    parser.add_argument("--same", action="store_true", help="compare with a clean build each time")
    parser.add_argument("--plain", action="store_true", help="compare with plain Sphinx at the end")
    parser.add_argument("--output", type=Path, default=page_rows.CHANGES, help="the page's table")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = given.keep or Path(temporary, "project")
        print(*HEAD, sep=",")
        if not folder.exists():
            cost = built(project(folder, given.archive.resolve()))
            _report(given.output, _row(FIRST_BUILD, cost, folder, {}, ""))
        for name, change in CHANGES.items():
            if given.change and change.__name__ not in given.change:
                continue
            before = pages(folder)
            change(folder)
            cost = built(folder)
            same = ("yes" if is_same(folder) else "no") if given.same else ""
            _report(given.output, _row(name, cost, folder, before, same))
        if given.plain:
            cost = plain(folder, Path(temporary, "plain"))
            print(f"The same pages by plain Sphinx: {cost.cpu:.1f} s of CPU")


def _row(
    name: str, cost: Cost, folder: Path, before: dict[str, tuple[int, int]], same: str
) -> dict[str, object]:
    after = pages(folder)
    cells = (
        name,
        f"{cost.clock:.1f}",
        f"{cost.cpu:.1f}",
        f"{cost.memory:.0f}",
        f"{taken(folder / 'build' / 'html'):.0f}",
        f"{taken(folder):.0f}",
        sum(before.get(page) != state for page, state in after.items()),
        len(set(after) - set(before)),
        len(set(before) - set(after)),
        same,
    )
    return dict(zip(HEAD, cells, strict=True))


def _report(table: Path, row: dict[str, object]) -> None:
    print(*row.values(), sep=",", flush=True)
    row[CORES] = os.cpu_count()
    if row["Change"] not in NOT_PUBLISHED:
        page_rows.write(table, PUBLISHED, [[row[name] for name in PUBLISHED]])


if __name__ == "__main__":
    # If sites contained the time of their build, no two would be equal.
    os.environ.setdefault("SOURCE_DATE_EPOCH", "1700000000")
    main()
