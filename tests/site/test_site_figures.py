"""Every figure that goes in comes out, in its row and under its board."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path

import pytest
from conftest import SHARED, TOP
from html_tables import Figure, figures

from perfguide.catalog import benchmarks, board_names
from perfguide.common import units
from perfguide.common.diagnostics import Diagnostic
from perfguide.figures import dataset
from perfguide.figures.dataset import Holdings
from perfguide.pages import build, context, write_tables
from perfguide.publishing.output_folder import Writer
from perfguide.publishing.store import Store
from perfguide.tables import page_tables

# Where a published table stands in a guide, and whose figures it holds.
PUBLISHED = {
    "am62x-linux-3-boards.json": "AM62X/linux/09.01.00.08",
    "am62x-linux-am62sip.json": "AM62X/linux/09.00.00.03",
    "am64x-rt-linux.json": "AM64X/rt-linux/08.06.00.42",
}
FIGURE = re.compile(r"-?[0-9]+(?:\.[0-9]+)?")


def _published(text: str) -> list[str]:
    """What a published cell must have become, as ``Figure.exact`` has it."""
    spread = re.fullmatch(r"([0-9.]+) \(min ([0-9.]+), max ([0-9.]+)\)", text)
    if spread:
        mean, low, high = map(float, spread.groups())
        return [f"{mean:.2f} (min {low:.6g}, max {high:.6g})"]
    return [f"{float(part):.2f}" for part in text.split(",") if FIGURE.fullmatch(part)]


def _row_names(cells: list[str], header: list[str]) -> set[str]:
    """What the keys of our row may be called, from the published row's own."""
    keys = [c for c, head in zip(cells, header, strict=False) if ":" not in head]
    names: set[str] = set()
    for key in keys:
        name = re.sub(r" \([^()]*\)$", "", key)
        names |= {name, name.removeprefix("Glmark2-"), *_labels(name)}
    return names


@cache
def _catalog() -> benchmarks.Catalog:
    return benchmarks.load([TOP / "source/benchmarks"])[0]


@cache
def _labels(name: str) -> frozenset[str]:
    """What the catalog calls a metric or a value, and a size in the notation of pages."""
    catalog = _catalog()
    out = {benchmark.metric_label(name) for benchmark in catalog.benchmarks.values()}
    out |= {
        param.values[own]
        for benchmark in catalog.benchmarks.values()
        for param in benchmark.entry.params.values()
        for own in (name, name.lower())
        if own in param.values
    }
    out.add(units.in_words(name))
    if name.isdigit():
        out |= {units.size(int(name)), units.size(int(name, 16))}
    return frozenset(out)


def _cells(path: Path) -> Iterator[tuple[set[str], str, str, str]]:
    """(row names, board, head, text) for each published figure that has a board."""
    for table in json.loads(path.read_text("utf-8"))["tables"]:
        header = table["header"]
        for row in table["rows"]:
            if len(row) < len(header):
                continue  # the row cut short; results/README.md says so
            for head, text in zip(header, row, strict=True):
                board, colon, rest = head.partition(":")
                if colon:
                    yield _row_names(row, header), board, rest.strip(), text


@pytest.mark.skipif(not SHARED.is_dir(), reason="the published tables are not part of the project")
@pytest.mark.parametrize("name", PUBLISHED)
def test_each_published_figure_stands_in_its_row_and_under_its_board(
    real_site: Path, name: str
) -> None:
    page = real_site / f"source/guides/{PUBLISHED[name]}.html"
    shown = list(figures(page))
    by_cell: Counter[tuple[str, str]] = Counter()
    for figure in shown:
        for key in {*figure.keys, figure.tab}:
            by_cell[key, f"{figure.heads[0]}: {figure.exact}"] += 1
    wanted: Counter[tuple[frozenset[str], str]] = Counter()
    for names, board, head, text in _cells(SHARED / "figures" / name):
        for figure_text in _published(text):
            wanted[frozenset(names), f"{board}: {figure_text}"] += 1
            if head.startswith(("THROUGHPUT", "CPU Load")) and any("netperf" in n for n in names):
                continue  # one row: its key is the command, which we show above the table
            if names & {"Minimum", "Average", "Maximum"}:
                continue  # rows and columns are turned round: one row for each core
            assert any(by_cell[n, f"{board}: {figure_text}"] for n in names), (
                f"{figure_text} of {board} is not in a row named {names}"
            )
    # As often as it was published under its board, whatever the row is called.
    per_board = Counter(f"{f.heads[0]}: {f.exact}" for f in shown)
    published = Counter[str]()
    for (_, text), count in wanted.items():
        published[text] += count
    missing = published - per_board
    assert not missing, f"published more often than shown: {missing}"
    assert sum(published.values()) > 100


@pytest.mark.skipif(not SHARED.is_dir(), reason="the published tables are not part of the project")
def test_each_published_crypto_figure_stands_with_its_engine(real_site: Path) -> None:
    document = json.loads((SHARED / "figures/am335x-crypto.json").read_text("utf-8"))
    pages_of = {"5.07.00.00": "05.07.00.00", "6.00.00": "06.00.00.00"}
    engines = {"hw": "accelerator", "sw": "software"}
    shown = {
        sdk: list(figures(real_site / f"source/guides/AM335X/linux/{release}.html"))
        for sdk, release in pages_of.items()
    }

    def has(sdk: str, engine: str, text: str, key: str, tab: str, caption: str) -> bool:
        def matches(f: Figure) -> bool:
            return (
                any(head.removeprefix("plain ").startswith(engines[engine]) for head in f.heads)
                and f.exact.split(" (")[0] == text
                and {key, *_labels(key)} & {*f.keys}
                and f.tab.lower() == tab
                and ("dm-crypt partition" in f.caption) == ("Concurrent" in caption)
            )

        return any(matches(f) for f in shown[sdk])

    count = 0
    for table in document["tables"]:
        sdk, section = table["sdk"], table["section"]
        if section == "DM_Crypt Performance":
            rows = zip(
                table["rows"].values(),
                ("Cached reads", "Buffered disk reads", "CPU load"),
                strict=True,
            )
            for figures_, label in rows:
                for run, text in zip(("1", "2", "3", "mean"), figures_, strict=True):
                    if (text, run) == ("14.52", "mean"):
                        continue  # contradicted by its own trials; their mean is shown
                    found = [
                        f
                        for f in shown[sdk]
                        if label in f.keys
                        and run in f.keys
                        and any(
                            head.removeprefix("plain ").startswith(engines[table["engine"]])
                            for head in f.heads
                        )
                        and f.exact.split(" (")[0] == f"{float(text):.2f}"
                    ]
                    assert found, (sdk, table["engine"], label, run, text)
                    count += 1
            continue
        for size, hw, sw in table["rows"]:
            for engine, text in (("hw", hw), ("sw", sw)):
                shown_as = f"{float(text):.2f}"
                assert has(sdk, engine, shown_as, size, table["algorithm"], section), (table, size)
                count += 1
        for engine, load in table["cpu_usage_percent"].items():
            assert has(sdk, engine, f"{load:.2f}", table["algorithm"], "", section), (table, engine)
            count += 1
    assert count == 12 * 12 + 4 * 12 - 1


def _settings(results: Path, output: Path) -> dataset.Settings:
    return dataset.Settings((results,), (TOP / "source/benchmarks",), output, formats=())


CSV_TABLE = re.compile(r"^ *\.\. csv-table::.*\n((?: +:[a-z-]+:.*\n)+)", re.MULTILINE)
Shown = tuple[Path, int, int]
"""The CSV file of a table, and how many of its rows and columns are heads."""


def _tables_on_pages(output: Path) -> list[Shown]:
    """The tables that the pages of guides show, and the parts of them on further pages."""
    shown = []
    for page in (output / "guides").glob("*/*/**/*.rst"):
        for options in CSV_TABLE.findall(page.read_text("utf-8")):
            told = dict(re.findall(r":([a-z-]+): (.*)", options))
            heads = (int(told["header-rows"]), int(told.get("stub-columns", 0)))
            shown.append((page.parent / told["file"], *heads))
    return shown


def _tables_of_guides(
    results: Path, output: Path
) -> tuple[list[Shown], Holdings, list[Diagnostic]]:
    """Write the tables of all guides, as their pages do, and nothing else of a large archive."""
    settings = _settings(results, output)
    holdings, writer = dataset.read(settings), Writer(output, Store())
    making, (boards, _) = context.Making(writer), board_names.load(None)
    guides, plan = holdings.pool.guides(), build.plan_of(holdings.ledger, holdings.catalog)
    site = context.site_of(holdings, guides, plan, (), boards, making, settings.limits)
    parts = []
    for key, page in site.addresses.guide.items():
        sections, other = site.layout.sections(site.pool.of_guide(key))
        target = write_tables.Target(site, page, provenance=site.provenance(key))
        parts += [(page, write_tables.part(target, section)) for section in sections]
        for name, records in other.items():
            views = site.layout.general(name, records)
            parts += [(page, write_tables.general(target, name, views))]
    shown = [
        ((output / address).parent / block.file, block.header_rows, block.stub_columns)
        for page, part in parts
        for table in part.tables
        for address, block in (
            (page, table),
            *((further.address, further.table) for further in table.further),
        )
    ]
    return shown, holdings, [*holdings.diagnostics, *making.unmade]


def _cells_of_guides(shown: Sequence[Shown]) -> int:
    """Cells with a figure or a failure in tables of guides.

    A table of single runs shows each mean once more for each of its samples, so
    there only the means count.
    """
    count = 0
    for path, heads, stub in shown:
        if path.stem in ("boards", "sources", "setup", "results") or path.stem.endswith("-left"):
            continue  # these have no figures, or figures of other tables once more
        head, *rows = page_tables.read_csv(path.read_bytes())
        rows = rows[heads - 1 :]
        # How many columns are keys no name of a column says: a bundle can call a parameter "Run".
        runs = [row[head.index("Run")] for row in rows] if "Run" in head[:stub] else []
        single = "mean" in runs
        for place, row in enumerate(rows):
            if not single or runs[place] == "mean":
                count += sum(cell != units.MISSING for cell in row[stub:])
    return count


HISTORY = SHARED / "history"


def test_as_many_figures_come_out_as_went_in(real_project: Path, real_holdings: Holdings) -> None:
    # What else it is told of ends the building of that site.
    told = [d for d in real_holdings.diagnostics if not d.origin.endswith("refused.json")]
    _check(_tables_on_pages(real_project / "source"), real_holdings, told)


@pytest.mark.skipif(not HISTORY.is_dir(), reason="no history of a board farm is beside the project")
def test_as_many_figures_of_a_history_come_out_as_went_in(tmp_path: Path) -> None:
    _check(*_tables_of_guides(HISTORY, tmp_path))


def _check(shown: Sequence[Shown], holdings: Holdings, diagnostics: Sequence[Diagnostic]) -> None:
    uploaded = sum(len(b.bundle.results) for b in holdings.ledger.bundles)
    pool = holdings.pool
    # Nothing is lost between the uploads and the pooled figures ...
    records = [record for key in pool.guides() for record in pool.of_guide(key)]
    assert sum(len(record.cell.members) for record in records) == uploaded
    # ... of which those that repeat another upload do not count as runs ...
    values = pool.frame.table["value"]
    for cell in (record.cell for record in records):
        repeated = len(cell.members) - cell.runs
        assert 0 <= repeated <= len(cell.members) - len({values[row] for row in cell.members})
    # ... and each pooled figure has its own cell on a page.
    assert _cells_of_guides(shown) == len(pool) == len(records)
    assert not [d for d in diagnostics if d.severity == "error" or d.kind == "unmade"]
    assert uploaded > 1000
