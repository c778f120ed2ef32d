"""Bundles to guides in several layouts, and back: the same figures, digit for digit."""

from __future__ import annotations

import datetime
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest
from guide_tables import tables as tables_of
from hypothesis import given
from hypothesis import strategies as st
from making import described, plain, result, text
from msgspec import UNSET
from profiles import examples

from perfguide.catalog.benchmarks import Catalog
from perfguide.figures import dataset
from perfguide.importing import bundles, html, markdown, rst
from perfguide.importing.mapping import decode
from perfguide.importing.model import Table
from perfguide.importing.proposal import propose
from perfguide.importing.sources import Snapshot
from perfguide.pages import build

NAMES = st.from_regex(r"[a-z][a-z0-9]{0,8}(?:[_-][a-z0-9]{1,6}){0,2}", fullmatch=True)
METRICS = st.from_regex(r"[a-z]{2,9}(?:_[a-z]{2,9}){0,2}", fullmatch=True)
FIGURES = st.decimals(0, 10**9, places=2) | st.decimals(-1, 1, places=6)
UNITS = ("MB/s", "us", "%", "score", "widgets")
RELEASE = bundles.Release("09.02", datetime.datetime(2024, 4, 2, tzinfo=datetime.UTC))


@dataclass(frozen=True)
class Guide:
    """One table: figures by board, row and metric, as they are printed; empty where missing."""

    benchmark: str
    boards: tuple[str, ...]
    metrics: tuple[tuple[str, str], ...]
    sizes: tuple[int, ...]
    figures: tuple[str, ...]

    def text(self, size: int, board: int, metric: int) -> str:
        width = len(self.boards) * len(self.metrics)
        return self.figures[size * width + board * len(self.metrics) + metric]

    def wanted(self) -> Counter[tuple[object, ...]]:
        every = [
            (b, self.benchmark, m, u, self.sizes[n], *_parts(self.text(n, i, j)))
            for n in range(len(self.sizes))
            for i, b in enumerate(self.boards)
            for j, (m, u) in enumerate(self.metrics)
            if self.text(n, i, j)
        ]
        return Counter(every)


def _parts(text: str) -> tuple[object, ...]:
    value, _, rest = text.partition(" (min ")
    low, _, high = rest.rstrip(")").partition(", max ")
    return float(value), float(low) if low else UNSET, float(high) if high else UNSET


@st.composite
def guides(draw: st.DrawFn) -> Guide:
    boards = tuple(draw(st.lists(NAMES, min_size=1, max_size=3, unique=True)))
    named = draw(st.lists(METRICS, min_size=1, max_size=3, unique=True))
    metrics = tuple((name, draw(st.sampled_from(UNITS))) for name in named)
    sizes = tuple(draw(st.lists(st.integers(1, 10**9), min_size=1, max_size=4, unique=True)))
    count = len(boards) * len(metrics) * len(sizes)
    plain = FIGURES.map(str).filter(lambda text: "E" not in text)
    ranged = st.tuples(plain, plain, plain).map(
        lambda t: f"{t[0]} (min {min(t[1:], key=float)}, max {max(t[1:], key=float)})"
    )
    cells = draw(st.lists(plain | ranged | st.just(""), min_size=count, max_size=count))
    benchmark = draw(METRICS).replace("_", "-")
    return Guide(benchmark, boards, metrics, sizes, tuple(cells))


def _rows(guide: Guide, boards: Sequence[int], missing: str = "") -> list[list[str]]:
    return [
        [
            str(size),
            *(guide.text(n, b, m) or missing for b in boards for m in range(len(guide.metrics))),
        ]
        for n, size in enumerate(guide.sizes)
    ]


def _label(metric: tuple[str, str]) -> str:
    return f"{metric[0].replace('_', ' ')} ({metric[1]})"


def _flat(guide: Guide) -> list[str]:
    heads = [f"{board}: {_label(metric)}" for board in guide.boards for metric in guide.metrics]
    return ["block size", *heads]


def _csv(rows: Sequence[Sequence[str]], indent: str = "   ") -> str:
    return "\n".join(indent + ",".join(f'"{cell}"' for cell in row) for row in rows)


def _title(guide: Guide) -> str:
    name = guide.benchmark
    return f"Guide 09.02\n===========\n\n{name}\n{'-' * len(name)}\n\n"


def ours(guide: Guide) -> list[Table]:
    """As our own CSV files: boards above metrics, — where nothing was measured."""
    above = ["block size", *(board for board in guide.boards for _ in guide.metrics)]
    below = ["", *(f"{_label(metric)} ↑" for _ in guide.boards for metric in guide.metrics)]
    rows = _rows(guide, range(len(guide.boards)), "—")
    text = (
        _title(guide) + f".. csv-table:: T\n   :header-rows: 2\n\n{_csv([above, below, *rows])}\n"
    )
    return tables_of(rst.read, "guide.rst", text)


def vendors(guide: Guide) -> list[Table]:
    """As a vendor's: one head of boards and metrics."""
    head = _csv([_flat(guide)], "")
    rows = _csv(_rows(guide, range(len(guide.boards))))
    text = _title(guide) + f".. csv-table:: T\n   :header: {head}\n\n{rows}\n"
    return tables_of(rst.read, "guide.rst", text)


def lists(guide: Guide) -> list[Table]:
    """As list-tables in a tab for each board, whose metrics name no board."""
    parts = [_title(guide), ".. tabs::\n"]
    for at, board in enumerate(guide.boards):
        head = ["block size", *map(_label, guide.metrics)]
        items = [
            "\n".join(
                f"{'* - ' if n == 0 else '  - '}{cell}".rstrip() for n, cell in enumerate(row)
            )
            for row in (head, *_rows(guide, [at]))
        ]
        table = f".. list-table::\n   :header-rows: 1\n\n{_indented(chr(10).join(items), 3)}"
        parts.append(_indented(f".. tab:: {board}\n\n{_indented(table, 3)}", 3) + "\n")
    return tables_of(rst.read, "guide.rst", "\n".join(parts))


def grids(guide: Guide) -> list[Table]:
    """As grid tables in which a board spans its metrics."""
    below = ["", *(_label(metric) for _ in guide.boards for metric in guide.metrics)]
    rows = _rows(guide, range(len(guide.boards)))
    wide = max(len(cell) for row in (below, *rows, guide.boards) for cell in row) + 2
    first = max(12, *(len(row[0]) + 2 for row in rows))
    count = len(guide.metrics)
    span = wide * count + count - 1
    rule = f"+{'-' * first}+" + f"{'-' * wide}+" * (count * len(guide.boards))
    lines = [f"+{'-' * first}+" + f"{'-' * span}+" * len(guide.boards)]
    lines += ["|" + " block size".ljust(first) + "|"]
    lines[-1] += "".join(f" {board}".ljust(span) + "|" for board in guide.boards)
    lines += ["|" + " " * first + rule[first + 1 :]]
    lines += ["|" + " " * first + "|" + "".join(f" {cell}".ljust(wide) + "|" for cell in below[1:])]
    lines += [rule.replace("-", "=")]
    for row in rows:
        cells = "".join(f" {cell}".ljust(wide) + "|" for cell in row[1:])
        lines += [f"| {row[0]}".ljust(first + 1) + "|" + cells, rule]
    return tables_of(rst.read, "guide.rst", _title(guide) + "\n".join(lines) + "\n")


def pipes(guide: Guide) -> list[Table]:
    """As Markdown."""
    rows = [_flat(guide), ["---"] * len(_flat(guide)), *_rows(guide, range(len(guide.boards)))]
    text = "\n".join("| " + " | ".join(row) + " |" for row in rows)
    return tables_of(markdown.read, "guide.md", f"# Guide\n\n## {guide.benchmark}\n\n{text}\n")


def web(guide: Guide) -> list[Table]:
    """As HTML with two rows of heads."""
    span = len(guide.metrics)
    above = "".join(f"<th colspan={span}>{board}</th>" for board in guide.boards)
    below = "".join(f"<th>{_label(m)}</th>" for _ in guide.boards for m in guide.metrics)
    rows = _rows(guide, range(len(guide.boards)))
    body = "".join("<tr>" + "".join(f"<td>{cell}</td>" for cell in row) + "</tr>\n" for row in rows)
    text = (
        f"<h1>Guide</h1><h2>{guide.benchmark}</h2><table><tr><th rowspan=2>block size</th>{above}"
        f"</tr><tr>{below}</tr>{body}</table>"
    )
    return tables_of(html.read, "guide.html", text)


def _indented(text: str, by: int) -> str:
    return "\n".join(" " * by + line if line else "" for line in text.split("\n"))


def by_hand(guide: Guide) -> str:
    """The map of ``lists``, in which a person says that the tabs are boards."""
    columns = [f'"{_label(m)}" = {{ metric = "{m[0]}", unit = "{m[1]}" }}' for m in guide.metrics]
    tables = [
        f'[[tables]]\nheading = "* > {guide.benchmark} > {board}"\nboard = "{board}"\n'
        f'benchmark = "{guide.benchmark}"\n[tables.columns]\n'
        '"block size" = { key = "block_size" }\n' + "\n".join(columns)
        for board in guide.boards
    ]
    return '[guide]\nsoc = "AM62X"\n' + "\n".join(tables)


LAYOUTS: tuple[Callable[[Guide], list[Table]], ...] = (ours, vendors, lists, grids, pipes, web)


@pytest.mark.parametrize("layout", LAYOUTS, ids=lambda each: each.__name__)
@examples(40, heavy=300)
@given(guide=guides())
def test_figures_come_back_as_they_were(
    layout: Callable[[Guide], list[Table]], guide: Guide
) -> None:
    tables = layout(guide)
    about = {"soc": "AM62X", "sdk": "09.02", "os": "linux"}
    text = (
        by_hand(guide)
        if layout is lists
        else propose([Snapshot(tables=tables)], Catalog({}), about)
    )
    found = bundles.build(tables, decode(text), RELEASE)
    assert not found.left_out
    figures: Counter[tuple[object, ...]] = Counter()
    for bundle in found.bundles:
        for r in bundle.results:
            assert r.log is not None and set(r.params) == {"block_size"}
            size = r.params["block_size"]
            figures[
                bundle.board.name, r.benchmark, r.metric, r.unit, size, r.value, r.min, r.max
            ] += 1
    assert figures == guide.wanted()
    assert found.missing == sum(not text for text in guide.figures)


def test_our_own_pages_are_read_back_with_all_digits_and_spreads(tmp_path: Path) -> None:
    """Of a guide in plain reStructuredText, its CSV files and the file with its exact figures."""
    samples = {"sk": [1446.123456, 1500.25, 1400.0], "lp": [0.1 + 0.2, 2.0, 3.5]}
    (tmp_path / "results").mkdir()
    for board, values in samples.items():
        results = [
            result(samples=values, params={"block_size": size, "engine": "sw"})
            for size in (16, 4096)
        ]
        bundle = plain(*results, id=board, board__name=board)
        (tmp_path / f"results/{board}.json").write_bytes(text(bundle))
    catalog = described(tmp_path / "benchmarks")
    folders = ((tmp_path / "results",), (tmp_path / "benchmarks",), tmp_path / "out")
    build.generate(dataset.Settings(*folders, formats=()))
    folder = tmp_path / "out/guides/AM62X/linux"

    def opener(name: str) -> bytes | None:
        path = folder / name
        return path.read_bytes() if path.is_file() else None

    source = (folder / "09.01.rst").read_text("utf-8")
    tables = tables_of(rst.read, "09.01.rst", source, opener)
    (rate,) = (table for table in tables if table.file.endswith("speed-rate.csv"))
    figures = {
        (head, row[0].text): cell.text
        for row in rate.rows
        for head, cell in zip(rate.head[1:], row[1:], strict=True)
    }
    for board, values in samples.items():
        low, high, mean = min(values), max(values), sum(values) / 3
        for size in ("16 bytes", "4 KiB"):
            name = next(n for n in figures if n[0].startswith(board) and n[1] == size)
            value, _, rest = figures[name].partition(" (min ")
            assert float(value) == pytest.approx(mean, rel=1e-12)
            ends = rest.partition(")")[0].split(", max ")
            assert [float(end) for end in ends] == pytest.approx([low, high], rel=1e-5)
            assert rest.endswith("n=3")
    about = {"soc": "AM62X", "sdk": "09.01", "os": "linux"}
    found = bundles.build(
        [rate], decode(propose([Snapshot(tables=[rate])], catalog, about)), RELEASE
    )
    assert not found.left_out and {b.board.name for b in found.bundles} == {"sk", "lp"}
    means = {r.value for b in found.bundles for r in b.results}
    assert sorted(means) == pytest.approx(sorted(sum(v) / 3 for v in samples.values()), rel=1e-12)
