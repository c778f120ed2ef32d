"""Pages of figures that no description foresaw: nothing is lost, and what is said stands there."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from making import TOML, only, plain, result, text

from perfguide.common import parallel
from perfguide.figures.dataset import Settings
from perfguide.pages.build import generate

HEADLINE = TOML.replace('label = "Rate" }', 'label = "Rate", headline = true }')


def site(tmp_path: Path, *bundles: dict[str, Any], boards: str = "") -> Path:
    """The pages of bundles with the description of ``speed``."""
    for folder in ("results", "benchmarks"):
        (tmp_path / folder).mkdir(exist_ok=True)
    (tmp_path / "benchmarks/speed.toml").write_text(HEADLINE, "utf-8")
    (tmp_path / "benchmarks/speed.rst").write_text("What it measures.\n", "utf-8")
    (tmp_path / "boards.toml").write_text(boards, "utf-8")
    for number, bundle in enumerate(bundles):
        (tmp_path / f"results/{number}.json").write_bytes(text(bundle))
    generate(
        Settings(
            (tmp_path / "results",),
            (tmp_path / "benchmarks",),
            tmp_path / "out",
            boards=tmp_path / "boards.toml",
        ),
        run=parallel.here,
    )
    return tmp_path / "out"


def test_one_metric_in_two_kinds_of_unit_and_a_card_of_each_release(tmp_path: Path) -> None:
    """Pictures, tables and links of such figures have names of their own."""
    bundles = [
        plain(
            *(
                result(unit=unit, params={"block_size": 16, "card": f"card {release}"})
                for unit in ("MB/s", "1")
            ),
            result(params={"block_size": 64}),
            id=release,
            sdk__version=release,
        )
        for release in ("09.01", "09.02", "09.03")
    ]
    out = site(tmp_path, *bundles)
    guide = (out / "guides/AM62X/linux/09.02.rst").read_text("utf-8")
    assert "other-results" not in guide
    assert (out / "compare/AM62X/linux/09.01-vs-09.02.rst").is_file()


def test_notes_of_people_stand_in_the_guides_they_are_about(tmp_path: Path) -> None:
    boards = """
[[notes]]
text = "All had a *heat sink*."
soc = "AM62X"
release = "09"

[[notes]]
text = "Cards were new."
benchmark = "speed"

[[notes]]
text = "Of another SoC."
soc = "AM64X"

[[notes]]
txt = "wrong key"
"""
    bundle = plain(result(params={"block_size": 16}), setup={"mount": "async"})
    bundle["notes"] = [{"text": "No printk."}]
    out = site(tmp_path, bundle, boards=boards)
    guide = (out / "guides/AM62X/linux/09.01.rst").read_text("utf-8")
    assert r"- All had a \*heat sink\*." in guide, "it is text, not markup"
    assert guide.index("No printk") < guide.index("Cards were new")
    assert "another" not in guide and "Setup of the runs" in guide
    data = json.loads((out / "api/v1/results/AM62X/linux/09.01.json").read_text("utf-8"))
    figure = only(data["figures"])
    assert "setup" not in figure
    assert figure["notes"] == ["All had a *heat sink*.", "Cards were new."]
    run = only(data["bundles"])
    assert (run["setup"], run["notes"]) == ({"mount": "async"}, [{"text": "No printk."}])
