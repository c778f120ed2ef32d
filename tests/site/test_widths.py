"""From a small phone to a large screen no table, row or label is cut; `test_every_kind_of_page`
looks at whole pages."""

from __future__ import annotations

from pathlib import Path

import pytest
from cut_text import CUT, SIDEWAYS
from kinds import GUIDE
from windows import Windows, unfolded

WIDTHS = (320, 390, 768, 1280, 1920)

RANKING = f"""<table class="perf-answers perf-ranking"><thead><tr>
<th>SoC</th><th>Rate</th><th>CPU load</th><th class="perf-n">Runs</th></tr></thead><tbody><tr>
<th><a>SOC-1</a> <small>{"name of a board " * 4}</small></th>
<td><svg class="perf-axis-bar"></svg><span><b>1</b> <small>{"a remark " * 9}</small></span></td>
<td data-h="CPU load"><span>1 %</span></td><td class="perf-n" data-h="runs">1,000–2,000</td></tr></table>"""


@pytest.mark.parametrize("width", WIDTHS)
def test_without_script_nothing_is_cut_either(
    windows: Windows, real_site: Path, width: int
) -> None:
    page = windows.open(f"file://{real_site}/{GUIDE}", width, 844, java_script_enabled=False)
    hidden = page.locator(".perf-scroll").evaluate_all(
        "all => all.filter(e => e.scrollWidth > e.clientWidth + 1).length"
    )
    assert hidden == 0
    # The axis of a ranking is wide enough for its labels, however long the names and remarks are.
    page.locator("h1").evaluate("(e, html) => e.insertAdjacentHTML('afterend', html)", RANKING)
    axis = page.locator(".perf-axis-bar").first.evaluate("e => e.clientWidth")
    assert axis >= min(280, 0.3 * width)
    assert page.evaluate(SIDEWAYS) <= 0


@pytest.mark.parametrize("width", [320, 1280])
def test_what_looks_for_cut_text_finds_it(windows: Windows, real_site: Path, width: int) -> None:
    page = unfolded(windows.open(f"file://{real_site}/{GUIDE}", width, 844))
    narrow = "e => { e.style.width = '9rem'; e.className = 'perf-scroll'; }"
    page.locator(".perf-scroll").evaluate_all(f"all => all.forEach({narrow})")
    assert page.evaluate(CUT)


def test_a_figure_of_a_stacked_table_has_its_head_beside_it(
    windows: Windows, real_site: Path
) -> None:
    page = windows.open(f"file://{real_site}/{GUIDE}", 390, 844)
    # More than five columns of figures are blocks on a phone.
    table = page.locator(".perf-grid:has(tbody tr > td:nth-child(7))").first
    assert table.locator("tbody tr").first.evaluate("e => getComputedStyle(e).display") == "grid"
    heads = table.locator("thead tr").last.locator("th").all_inner_texts()
    cell = table.locator("tbody tr").first.locator("td").last
    shown = cell.evaluate("e => getComputedStyle(e, '::before').content")
    assert heads[-1].split(" ")[0].casefold() in shown.casefold()
    # A link to a ranking breaks where its name is longer than a line.
    links = f"<dl class='perf-ranking-links'><dt></dt><dd><p><a>{'name of a set-up ' * 9}</a></p></dd></dl>"
    page.locator("h1").evaluate("(e, html) => e.insertAdjacentHTML('afterend', html)", links)
    assert page.evaluate(SIDEWAYS) <= 0


IN_CHARTS = """pictures => pictures.flatMap(({ name, svg }) => {
  document.body.innerHTML = svg;
  const root = document.querySelector("svg");
  root.style.width = "640px";
  const whole = root.getBoundingClientRect();
  const faults = [];
  const texts = [...root.querySelectorAll("text")].filter(each => each.textContent.trim());
  const boxes = texts.map(each => each.getBoundingClientRect());
  boxes.forEach((a, at) => {
    const words = texts[at].textContent.trim();
    if (a.left < whole.left - 1 || a.right > whole.right + 1 || a.top < whole.top - 1
        || a.bottom > whole.bottom + 1) faults.push(`${name}: ${words} is cut`);
    boxes.slice(at + 1).forEach((b, more) => {
      // The box of a text is higher than its letters are.
      const across = Math.min(a.right, b.right) - Math.max(a.left, b.left);
      const down = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
      if (across > 1 && down > 0.35 * Math.min(a.height, b.height))
        faults.push(`${name}: ${words} and ${texts[at + 1 + more].textContent.trim()}`);
    });
  });
  return faults;
})"""
"""The labels of charts that are cut or lie on each other."""


def test_no_label_of_a_chart_is_cut_or_lies_on_another(windows: Windows, real_site: Path) -> None:
    page = windows.open("about:blank")
    charts = [
        {"name": path.name, "svg": path.read_text("utf-8").partition("?>")[2]}
        for path in sorted((real_site / "_images").glob("*.svg"))
    ]
    assert len(charts) > 20
    assert page.evaluate(IN_CHARTS, charts) == []


def test_what_looks_for_labels_that_collide_finds_them(windows: Windows) -> None:
    page = windows.open("about:blank")
    text = '<text x="{}" y="20" font-size="12">label</text>'
    wrong = f'<svg viewBox="0 0 640 40">{text.format(10)}{text.format(20)}{text.format(630)}</svg>'
    found = page.evaluate(IN_CHARTS, [{"name": "a", "svg": wrong}])
    assert found == ["a: label and label", "a: label is cut"]


def test_on_a_phone_figures_stand_below_their_heads_and_a_reader_chooses_the_metric(
    windows: Windows, real_site: Path
) -> None:
    page = windows.open(f"file://{real_site}/{GUIDE}", 390, 844, java_script_enabled=False)
    choice = page.locator(".perf-pick:visible").first
    table = choice.locator("xpath=following-sibling::div[1]").locator("table")
    shown = """e => ["thead th.perf-n", "tbody tr:first-child td"].map(each => [...e.querySelectorAll(each)]
      .filter(cell => cell.offsetWidth)
      .map(cell => [/perf-g(\\d)/.exec(cell.className)[1], Math.round(cell.getBoundingClientRect().right)]))"""
    edges = []
    for number in range(choice.locator("input").count()):
        choice.locator("input").nth(number).check()
        heads, figures = table.evaluate(shown)
        assert heads == figures, "each figure ends below the head of its column"
        assert {group for group, _ in figures} == {str(number + 1)}
        edges.append([edge for _, edge in figures])
    assert len(edges) > 1 and all(own == edges[0] for own in edges)
