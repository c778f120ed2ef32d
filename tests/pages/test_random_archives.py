"""Sentences on the pages of archives at random, whose truth is worked out from the bundles alone."""

from __future__ import annotations

import dataclasses
import re
import tempfile
from pathlib import Path
from typing import Any

import msgspec
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from making import described, plain, result, text

from perfguide.common import parallel, units
from perfguide.figures.dataset import Settings
from perfguide.pages.answers import Answers
from perfguide.pages.build import generate
from perfguide.pages.lists import Overview
from perfguide.sphinxext import overview
from perfguide.tables import page_tables

LIMIT = 1000.0
METRIC = (
    'name = "rate", unit = "MB/s", better = "higher", label = "Rate"',
    'name = "rate", unit = "MB/s", better = "higher", label = "Rate", headline = true, '
    f'short = "Speed", at_most = {LIMIT}, at = {{ block_size = 4096 }}',
)
RELEASES = ("09.01", "09.02")
ENGINES = ("hw", "sw")

Archive = dict[tuple[str, str, str, str], float]
"""A rate by SoC, release, board and engine."""


@st.composite
def archives(draw: st.DrawFn) -> Archive:
    names = [
        (soc, release, board, engine)
        for soc in ("A1", "B2", "C3")
        for release in RELEASES
        for board in ("evm", "lp")
        for engine in ENGINES
    ]
    chosen = draw(st.lists(st.sampled_from(names), min_size=3, unique=True))
    # Some rates are impossible, and the others differ by far more than they are rounded.
    rates = draw(st.permutations([*range(10, 400, 13), 5000, 9000]))
    return {name: float(rate) for name, rate in zip(chosen, rates, strict=False)}


def written(archive: Archive, top: Path) -> Path:
    """Return the pages of an archive."""
    runs: dict[tuple[str, str, str], list[dict[str, Any]]] = {}
    for (soc, release, board, engine), rate in archive.items():
        own = result(value=rate, params={"block_size": 4096, "engine": engine})
        runs.setdefault((soc, release, board), []).append(own)
    for folder in ("results", "described"):
        (top / folder).mkdir()
    described(top / "described")
    path = top / "described" / "speed.toml"
    path.write_text(path.read_text("utf-8").replace(*METRIC), "utf-8")
    for (soc, release, board), own in runs.items():
        name = f"{soc}-{release}-{board}"
        more = {"sdk__version": release, "board__name": board, "board__soc": soc}
        (top / "results" / f"{name}.json").write_bytes(text(plain(*own, id=name, **more)))
    generate(
        Settings((top / "results",), (path.parent,), top / "pages", formats=()), run=parallel.here
    )
    return top / "pages"


def answers_of(pages: Path, guide: str) -> Answers:
    tables = page_tables.read_page_file((pages / guide / page_tables.FILE).read_bytes()).tables
    return msgspec.convert(next(t.answers for t in tables.values() if t.answers), Answers)


def possible(archive: Archive, soc: str, release: str) -> dict[tuple[str, str], float]:
    """Return the rates of a guide that can be, by board and engine."""
    return {
        (board, engine): rate
        for (own, of, board, engine), rate in archive.items()
        if (own, of) == (soc, release) and rate <= LIMIT
    }


def check_front_page(archive: Archive, pages: Path) -> None:
    """The front page has the best possible rate of each SoC's newest release, and the longest bar
    is that of the best of all."""
    content = (pages / "guides/overview.json").read_bytes()
    socs = msgspec.json.decode(content, type=Overview).socs
    newest = {soc: max(r for own, r, *_ in archive if own == soc) for soc, *_ in archive}
    shares = {}
    # Rates of engines have no bars, but those of this archive would have.
    columns = [dataclasses.replace(each, has_load=False) for each in overview.columns(socs)]
    for row, (cell,) in overview.lines(socs, columns):
        soc = row.soc
        assert cell is not None and cell.result.release == newest[soc]
        truth = possible(archive, soc, newest[soc])
        assert cell.number is not None
        assert bool(cell.result.doubt) == (not truth)
        if truth:
            assert cell.number == max(truth.values())
            shares[soc] = (cell.number, cell.share)
    if shares:
        best, longest = max(shares.values())
        assert longest is not None and longest >= 1
        assert all(share == longest for number, share in shares.values() if number == best)


def check_rankings(archive: Archive, pages: Path) -> None:
    """The page of the benchmark says for an engine which SoC leads, and how many are near it. Of each
    SoC its newest release with a sound figure of the engine counts."""
    said = " ".join(
        " ".join(path.read_text("utf-8").split()) for path in pages.glob("by-benchmark/**/*.rst")
    )
    for engine in ENGINES:
        measured: dict[str, dict[str, list[float]]] = {}
        for (soc, release, _, own), rate in archive.items():
            if own == engine:
                measured.setdefault(soc, {}).setdefault(release, []).append(rate)
        best = []
        for soc, by in measured.items():
            looked_at = ([r for r in by[release] if r <= LIMIT] for release in sorted(by)[::-1])
            best += [(max(own), soc) for own in looked_at if own][:1]
        best.sort(reverse=True)
        if len(best) < 2:
            continue
        (first, leader), (second, _), *_ = best
        near = sum(first / rate < 1.05 for rate, _ in best)
        figure = f"{units.number(first)} MB/s"
        words, near_it = f"{leader} leads with {figure}", ""
        if first / second < 1.05:
            words = f"{leader} is first with {figure}"
            others = f"{near - 1} of the other {len(best) - 1} SoCs are"
            others = f"all {near - 1} others are" if near == len(best) else others
            others = f"{best[1][1]} is" if near == 2 else others
            near_it = f"; {others} within 5 % of it."
        assert re.search(re.escape(words) + "[^;]*" + re.escape(near_it), said), (words, best)


def check_headlines(archive: Archive, pages: Path) -> None:
    """A comparison says of how many figures of both releases it can judge some."""
    for path in pages.glob("compare/*/linux/*-vs-*.rst"):
        soc = path.relative_to(pages).parts[1]
        both = [
            {(b, e) for own, r, b, e in archive if (own, r) == (soc, release)}
            for release in RELEASES
        ]
        common = len(both[0] & both[1])
        page = " ".join(path.read_text("utf-8").split())
        if common:
            assert re.search(rf"\b{common} figures?\b", page), page
        else:
            assert "No figure was measured with both releases" in page
        assert "Do not ship" not in page, "one run each and no past proves nothing"


@settings(max_examples=12, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
@given(archive=archives())
def test_what_pages_say_of_an_archive_is_true(archive: Archive) -> None:
    with tempfile.TemporaryDirectory() as folder:
        pages = written(archive, Path(folder))
        check_front_page(archive, pages)
        check_rankings(archive, pages)
        check_headlines(archive, pages)
