"""Exported pages build without perfguide: no warning, every figure there, every link leads somewhere."""

from __future__ import annotations

import json
import os
import re
import subprocess
from collections import defaultdict
from collections.abc import Iterator
from decimal import ROUND_HALF_DOWN, ROUND_HALF_UP, Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import html5lib
import pytest
from conftest import SHARED, TOP, sample_results
from prepared import run_module
from profiles import count
from site_links import broken

ARCHIVES = {"sample": None, "results": TOP / "results", "history": SHARED / "history"}
"""What is exported: some of the project's results in each run, and all in a thorough one."""

BUILDERS = ("html", "text", "latex")
SCALES = [
    Fraction(1024, 1000) ** binary * Fraction(10) ** power
    for binary in range(4)
    for power in range(-9, 10, 3)
]
"""Pages show a figure in its unit times a power of 1000, and MiB/s as MB/s beside others."""


def export(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    return run_module("perfguide", "export", *arguments, environment=os.environ, folder=TOP)


def build(folder: Path, builder: str, target: Path) -> None:
    """Run Sphinx as somebody does who has no perfguide: every warning is an error."""
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}
    words = ("-q", "-W", "--keep-going", "-n", "-b", builder, "-d", target.parent / "doctrees")
    run = run_module("sphinx", *words, folder, target / builder, environment=environment)
    assert (run.returncode, run.stderr) == (0, ""), run.stderr[-3000:]


@pytest.fixture(scope="module", params=ARCHIVES)
def exported(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> tuple[Path, Path, Path]:
    """An archive, its pages, and the folder with what each builder has made of them."""
    top = tmp_path_factory.mktemp(request.param)
    results = ARCHIVES[request.param]
    if results is None:
        results = sample_results(top / "results")
        # Its guide and pictures are like those of the board beside it.
        (results / "AM335X/linux/05.07.00.00/am335x-800mhz.json").unlink()
    elif not count(0, heavy=1) or not results.is_dir():
        pytest.skip("only in a thorough run, where the archive is there")
    run = export("--rst", top / "pages", "--results", results)
    assert run.returncode == 0, run.stderr
    for builder in BUILDERS:
        build(top / "pages", builder, top / "built")
    return results, top / "pages", top / "built"


# -- figures, compared by nothing of perfguide ----------------------------------------------


def figures(results: Path) -> Iterator[tuple[str, Fraction]]:
    """Return for each figure of a guide how the page's name ends, and its mean."""
    samples: dict[tuple[Any, ...], list[Fraction]] = defaultdict(list)
    for path in sorted(results.rglob("*.json")):
        bundle = json.loads(path.read_text("utf-8"), parse_float=Fraction, parse_int=Fraction)
        sdk, board = bundle["sdk"], bundle["board"]
        page = "/".join((board["soc"], sdk["os"], sdk["version"]))
        for result in bundle["results"]:
            names = (result["benchmark"], result["metric"], result["unit"], board["name"])
            params = tuple(sorted((k, str(v)) for k, v in result.get("params", {}).items()))
            values = result.get("samples") or [result[k] for k in ("value",) if k in result]
            samples[page, names, params] += values
    for (page, _, _), values in samples.items():
        if values:
            yield page, sum(values) / len(values)


def rounded(value: Fraction) -> set[str]:
    """Return a figure with four significant digits, and all of those before the point. Both ways
    to round a half count: a figure in binary is a little more or less than its text."""
    number = Decimal(value.numerator) / Decimal(value.denominator)
    place = Decimal(1).scaleb(min(0, number.adjusted() - 3))
    texts = (f"{number.quantize(place, way):,f}" for way in (ROUND_HALF_UP, ROUND_HALF_DOWN))
    return {
        (text.rstrip("0").rstrip(".") if "." in text else text).replace("-", "−") for text in texts
    }


def test_every_figure_of_every_bundle_is_in_the_text(exported: tuple[Path, Path, Path]) -> None:
    results, _, built = exported
    numbers: dict[str, set[str]] = {}
    missing, total = [], 0
    for page, value in figures(results):
        guide = built / f"text/guides/{page}.txt"
        if page not in numbers:
            # Long tables have pages of their own, in the folder that is called as the guide.
            texts = [guide, *guide.with_suffix("").rglob("*.txt")]
            texts += built.glob(f"text/guides/{page}/*.txt")
            words = " ".join(text.read_text("utf-8") for text in texts)
            numbers[page] = set(re.findall(r"[−\d][\d,.]*(?:e[+-]\d+)?", words))
            numbers[page] |= {word.rstrip(".,") for word in numbers[page]}
        total += 1
        if not any(rounded(value * scale) & numbers[page] for scale in SCALES):
            missing.append((page, float(value)))
    assert not missing, (len(missing), missing[:20])
    assert total > 300


def test_every_link_of_the_pages_leads_somewhere(exported: tuple[Path, Path, Path]) -> None:
    site = exported[2] / "html"
    found = {path: html5lib.parse(path.read_text("utf-8")) for path in sorted(site.rglob("*.html"))}
    assert len(found) > 30
    assert list(broken(site, found)) == []


def test_charts_are_pictures_for_screens_and_for_paper(exported: tuple[Path, Path, Path]) -> None:
    _, pages, built = exported
    shown = {path.stem for path in (built / "html/_images").iterdir()}
    printed = {path.stem for path in (built / "latex").glob("*.pdf")}
    drawn = {path.stem for path in pages.rglob("*.svg")}
    # The drawings for phones are on screens alone.
    phones = {stem for stem in drawn if stem.endswith("-phone")}
    assert shown - phones == printed == drawn - phones and len(printed) > 20
