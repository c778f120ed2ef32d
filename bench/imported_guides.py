"""Published guides imported with their proposed maps, unedited: figures taken, left out, or pooled.

    python bench/imported_guides.py [--keep DIR] GUIDE…

Prints CSV, a row for each guide and one for all: the figures taken; the cells left out with a
message; the figures under "Other results", and those whose metric or unit no description has; the
figures that share their names with another; the boards and their SoCs; and the facts and notes kept
from the words around the tables. The exit status is 1 if more than 3 % of the cells of all guides
are under "Other results" or left out, or if figures pool. With ``--keep``, the maps and bundles
stay in a folder.
"""

from __future__ import annotations

import argparse
import contextlib
import csv
import io
import shutil
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import astuple, dataclass, fields
from pathlib import Path

from measuring import TOP

from perfguide import cli
from perfguide.figures import dataset
from perfguide.tables.assign import Layout

OTHER_PERCENT_GOAL = 3.0


@dataclass(frozen=True, slots=True)
class Outcome:
    """Counts of one guide, in the order of the printed columns."""

    guide: str
    figures: int
    left_out: int
    other: int
    undescribed: int
    pooled: int
    boards: int
    facts: int
    notes: int
    commands: int

    @property
    def other_percent(self) -> float:
        """The percentage of figure cells that are under "Other results" or left out."""
        return 100 * (self.other + self.left_out) / max(1, self.figures + self.left_out)


def imported(guide: Path, folder: Path) -> tuple[str, str]:
    """Import a guide into ``folder/results``; return its proposed map and the messages."""
    folder.mkdir(parents=True, exist_ok=True)
    proposed = folder / "map.toml"
    proposed.unlink(missing_ok=True)
    # In a folder that is kept, bundles of an earlier run would be counted too.
    shutil.rmtree(folder / "results", ignore_errors=True)
    # Guides are files named SOC-SYSTEM-RELEASE.rst, possibly with a further suffix.
    soc, _, system = guide.name.split(".rst")[0].rpartition("-")[0].partition("-")
    sdk = guide.name.split(".rst")[0].rpartition("-")[2]
    catalog = ["--benchmarks", str(TOP / "source" / "benchmarks")]
    said = io.StringIO()
    with contextlib.redirect_stderr(said), contextlib.redirect_stdout(said):
        cli.main(
            ["import", str(guide), "--propose", str(proposed), "--soc", soc, "--sdk", sdk, *catalog]
        )
        # There is no option for the system of a proposed map.
        text = proposed.read_text("utf-8").replace('os = "linux"', f'os = "{system}"', 1)
        proposed.write_text(text, "utf-8")
        cli.main(
            ["import", str(guide), "--map", str(proposed), *catalog]
            + ["--output", str(folder / "results"), "--created", "2026-01-01T00:00:00Z"]
        )
    (folder / "messages.txt").write_text(said.getvalue(), "utf-8")
    return text, said.getvalue()


def outcome(guide: Path, folder: Path) -> Outcome:
    """Import a guide using its proposed map, and count what became of its cells."""
    _, messages = imported(guide, folder)
    settings = dataset.Settings(
        (folder / "results",), (TOP / "source" / "benchmarks",), folder / "site"
    )
    holdings = dataset.read(settings)
    layout = Layout(holdings.catalog)
    records = [each for key in holdings.pool.guides() for each in holdings.pool.of_guide(key)]
    bundles = [each.bundle for each in holdings.ledger.bundles]
    # The last line of the command's output has the counts.
    summary = messages.rstrip().rpartition("\n")[2]
    left_out = int(summary.partition("cells left out: ")[2].split(",", 1)[0])
    own = [result for bundle in bundles for result in bundle.results]
    return Outcome(
        guide.name,
        len(own),
        left_out,
        sum(each.cell.runs for each in records if layout.claim(each) is None),
        sum(each.cell.runs for each in records if not layout.is_described(each)),
        sum(each.cell.runs for each in records if each.cell.runs > 1),
        len({(bundle.board.soc, bundle.board.name) for bundle in bundles}),
        sum(len(bundle.setup) for bundle in bundles) + sum(len(each.setup) for each in own),
        sum(len(bundle.notes) for bundle in bundles) + sum(len(each.notes) for each in own),
        sum(bool(each.command) for each in own),
    )


def total(outcomes: Sequence[Outcome]) -> Outcome:
    """Return the sums over guides."""
    columns = list(zip(*map(astuple, outcomes), strict=True))
    return Outcome("all", *(sum(column) for column in columns[1:]))


@contextlib.contextmanager
def _folder(kept: Path | None) -> Iterator[Path]:
    if kept:
        yield kept
    else:
        with tempfile.TemporaryDirectory() as name:
            yield Path(name)


def main(arguments: Sequence[str] | None = None) -> int:
    """Import each guide, print the counts, and return 1 if a goal is missed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("guides", nargs="+", metavar="GUIDE", type=Path)
    parser.add_argument("--keep", metavar="DIR", type=Path, help="folder for maps and bundles")
    options = parser.parse_args(arguments)
    with _folder(options.keep) as folder:
        outcomes = [outcome(guide, folder / guide.name) for guide in options.guides]
    everything = total(outcomes)
    table = csv.writer(sys.stdout)
    table.writerow([*(each.name for each in fields(Outcome)), "other_percent"])
    for each in (*outcomes, everything):
        table.writerow([*astuple(each), f"{each.other_percent:.1f}"])
    return int(everything.other_percent > OTHER_PERCENT_GOAL or everything.pooled > 0)


if __name__ == "__main__":
    sys.exit(main())
