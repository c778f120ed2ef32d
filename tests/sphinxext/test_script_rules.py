"""Rules that Python and the scripts of pages both have give the same on the same inputs."""

from __future__ import annotations

import random
import re
import struct
from collections.abc import Sequence
from typing import Any

from playwright.sync_api import Browser

from perfguide.common import slugs, units
from perfguide.common.package import ROOT
from perfguide.figures import scales
from perfguide.sphinxext import table_widths

STATIC = ROOT / "sphinxext/static"


def from_scripts(browser: Browser, call: str, inputs: Sequence[Any], *names: str) -> list[str]:
    """What a function of some scripts gives for each of the inputs."""
    page = browser.new_page()
    try:
        for name in names:
            page.add_script_tag(path=STATIC / f"perfguide-{name}.js")
        found: list[str] = page.evaluate(f"inputs => inputs.map((each) => {call}(each))", inputs)
        return found
    finally:
        page.close()


def test_no_comment_of_scripts_and_style_sheets_opens_with_a_question() -> None:
    files = [path for kind in ("js", "css") for path in (ROOT / "sphinxext").rglob(f"*.{kind}")]
    opening = re.compile(r"(?:/\*|//) *(?:What|Where|Who|How|Whether)\b.*")
    found = [
        f"{path.name}: {match}"
        for path in files
        for match in opening.findall(path.read_text("utf-8"))
    ]
    assert len(files) > 20 and found == []


def shares() -> list[float]:
    """Changes of all sizes, among them halves of the last digit and both signs of zero."""
    chosen = random.Random(1)
    out = [sign * n / 800 for n in range(900) for sign in (1, -1)]
    out += [sign * 10.0**power for power in range(-12, 25) for sign in (1, -1)]
    out += [chosen.uniform(-2, 2) * 10.0 ** chosen.randint(-8, 4) for _ in range(3000)]
    bits = (struct.unpack("d", chosen.randbytes(8))[0] for _ in range(3000))
    return out + [share for share in bits if abs(share) < 1e300]


def test_a_chart_and_the_bars_of_tables_have_the_same_scale(browser: Browser) -> None:
    chosen = random.Random(2)
    inputs = [
        [chosen.choice((0.0, 1.0, 8.0, 10.0, 64.0, 500.0, -80.0)) for _ in range(length)]
        for length in range(9)
        for _ in range(40)
    ]
    found = from_scripts(browser, "perfguideDrawing.fullScale", inputs, "drawing")
    assert found == [scales.full_bar(each) for each in inputs]


def test_a_number_reads_the_same_in_the_explorer_and_on_the_pages(browser: Browser) -> None:
    inputs = [*shares(), 5e-324, 999.96, 9999.5, 999999999999999.9, 1e15, 99999e-9, 99996e-9]
    found = from_scripts(browser, "perfguideDrawing.number", inputs, "drawing")
    assert [(value, text) for value, text in zip(inputs, found, strict=True)] == [
        (value, units.number(value)) for value in inputs
    ]


def test_the_explorer_tells_tables_apart_by_the_widths_of_the_pages(browser: Browser) -> None:
    found = from_scripts(browser, "(() => perfguideDrawing.STEPS)", [0], "drawing")
    assert found == [list(table_widths.STEPS_REM)]


def texts() -> list[str]:
    chosen = random.Random(2)
    alphabet = "aZ09 -_./()%µ→↑éÉİıKßﬃ\u00a0\t\u202e日😀"
    out = ["".join(chosen.choices(alphabet, k=chosen.randint(0, 12))) for _ in range(3000)]
    return [*out, *(f"{'x' * n}-{'y' * 20}" for n in range(60, 90)), "am62xx_sk-fs Rate (MB/s)"]


def test_a_columns_name_in_an_address_is_made_by_the_rule_of_rows(browser: Browser) -> None:
    inputs = texts()
    found = from_scripts(browser, "perfguideGrid.words", inputs, "grid")
    assert [(text, name) for text, name in zip(inputs, found, strict=True)] == [
        (text, slugs.words(text)) for text in inputs
    ]
