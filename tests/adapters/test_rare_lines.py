"""Lines that programs print and that no recorded log holds whole."""

from __future__ import annotations

from corpus import built_in

from perfguide.adapters import Context, Reading


def read(name: str, text: str) -> Reading:
    return built_in(name).read(text.encode(), Context("x.log"))


def test_a_thread_that_never_ran_has_failed_and_is_not_cut() -> None:
    reading = read(
        "cyclictest",
        "T: 0 ( 1234) P:99 I:1000 C:      0 Min:1000000 Act:    0 Avg:    0 Max:       0\n"
        "T: 1 ( 1235) P:99 I:1500 C:     10 Min:      4 Act:    9 Avg:    8 Max:      20\n",
    )
    by_core = {core: [r for r in reading.results if r.params["core"] == core] for core in (0, 1)}
    assert [result.status for result in by_core[0]] == ["fail"] * 3
    assert [result.samples for result in by_core[1]] == [[4.0], [8.0], [20.0]]
    assert {each.kind for each in reading.diagnostics} == {"log-failed"}


def test_figures_of_nbench_without_the_name_of_their_test_are_reported() -> None:
    reading = read("nbench", f"{' ' * 20}:          11.204  :      18.00  :       7.57\n")
    assert not reading.results
    assert [each.message for each in reading.diagnostics] == ["a row of NBench is cut or damaged"]


def test_stress_ng_says_its_version() -> None:
    reading = read("stress-ng", "stress-ng, version 0.15.06 (gcc 12.2.0, x86_64 Linux 6.1)\n")
    assert reading.facts == {"tools.stress-ng": "0.15.06"}
