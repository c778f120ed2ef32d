"""The picture of a chart as PNG, made by a real browser."""

from __future__ import annotations

import json
import struct
from pathlib import Path

from conftest import bare_project, run_sphinx
from making import plain, result
from serving import served
from windows import Windows

PNG_START = b"\x89PNG\r\n\x1a\n"


def test_a_chart_is_saved_as_png_in_twice_its_size(tmp_path: Path, windows: Windows) -> None:
    project = bare_project(tmp_path / "project")
    rates = [
        result(
            "throughput",
            "kB/s",
            benchmark="openssl",
            value=1000.0 * size,
            params={"algorithm": "aes-128-cbc", "engine": "hw", "block_size": size},
        )
        for size in (16, 64, 256)
    ]
    (project / "results/run.json").write_text(json.dumps(plain(*rates)), "utf-8")
    done = run_sphinx(project, tmp_path / "html", "-q", "-W", "-n")
    assert done.returncode == 0, done.stderr
    with served(tmp_path / "html") as address:
        page = windows.open(f"{address}/source/guides/AM62X/linux/09.01.html", 1280, 900)
        figure = page.locator("figure.perf-chart:has(.perf-use)").first
        figure.locator(".perf-use > summary").click()
        with page.expect_download() as download:
            figure.get_by_role("button", name="PNG").click()
        data = download.value.path().read_bytes()
        assert download.value.suggested_filename.endswith(".png")
        sizes = figure.locator("img:visible").evaluate("e => [e.naturalWidth, e.naturalHeight]")
    assert data.startswith(PNG_START)
    # The head of the first part has the width and the height.
    assert list(struct.unpack(">II", data[16:24])) == [2 * size for size in sizes]
