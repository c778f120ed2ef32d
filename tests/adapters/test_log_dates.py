"""When a log says that its run was."""

from __future__ import annotations

import pytest

from perfguide.adapters.log_dates import Date, find


@pytest.mark.parametrize(
    ("line", "created", "zone"),
    [
        ("Sun Nov 22 07:58:38 UTC 2026", "2026-11-22T07:58:38+00:00", True),
        ("Sun Nov  1 07:58:38 CEST 2026", "2026-11-01T07:58:38+00:00", False),
        ("Sun Nov 22 07:58:38 2026", "2026-11-22T07:58:38+00:00", False),
        ("2024-04-02T09:30:00Z", "2024-04-02T09:30:00+00:00", True),
        ("2024-04-02 09:30:00,5", "2024-04-02T09:30:00.500000+00:00", False),
        ("2024-04-02 09:30:00 +0200", "2024-04-02T09:30:00+02:00", True),
        ("Tue, 19 Mar 2024 19:04:10 +0100", "2024-03-19T19:04:10+01:00", True),
    ],
)
def test_a_line_that_is_a_date_is_one(line: str, created: str, zone: bool) -> None:
    assert find(f"# date\n{line}\n".encode()) == (Date(created, zone), 2)


@pytest.mark.parametrize(
    "line",
    [
        "Linux version 6.1.80 #1 SMP Tue Mar 5 10:00:00 UTC 2024",
        "built on: Tue Mar  5 10:00:00 2024 UTC",
        "Sun Nov 42 07:58:38 UTC 2026",
        "2024-13-45 09:30:00",
        "7-Zip 16.02 : 2016-05-21",
        "9" * 50,
    ],
)
def test_dates_of_other_things_do_not_count(line: str) -> None:
    assert find(line.encode()) is None
