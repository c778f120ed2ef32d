"""A project that ``init`` begins builds without a warning, and ``serve`` builds it again on change."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
import tomllib
from pathlib import Path
from urllib.request import urlopen

import pytest
import yaml
from conftest import TOP
from making import run_by_run
from prepared import put_command, run_module

from perfguide.cli.command_line import main

PATIENCE = 120
"""Seconds in which a build has to be done on a machine that is busy."""


def command(*words: str) -> list[str]:
    return [sys.executable, "-m", "perfguide", *words]


@pytest.fixture
def project(tmp_path: Path) -> Path:
    assert main(["init", str(tmp_path / "own")]) == 0
    return tmp_path / "own"


def test_a_new_project_builds_with_all_its_figures_and_no_warning(
    project: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    before = {path.name for path in project.iterdir()}
    environment = os.environ | {"PYTHONPATH": str(TOP / "ext"), "NO_COLOR": "1"}
    run = run_module("perfguide", "build", "--strict", environment=environment, folder=project)
    assert run.returncode == 0 and not run.stderr, run.stderr
    guide = (project / "build/html/pages/guides/EXAMPLE/linux/1.0.html").read_text("utf-8")
    assert "This is the example that perfguide init writes." in guide
    bundle = json.loads((project / "results/example.json").read_bytes())
    data = json.loads((project / "build/html/api/v1/results/EXAMPLE/linux/1.0.json").read_bytes())
    means = [sum(each["samples"]) / 3 for each in bundle["results"]]
    assert [each["mean"] for each in data["figures"]] == pytest.approx(means)
    assert "gzip throughput by level" in guide
    assert list((project / "build/html/_images").glob("*gzip*.svg")) or "<svg" in guide
    ignored = (project / ".gitignore").read_text("utf-8").split()
    made = {f"/{path.name}/" for path in project.iterdir() if path.name not in before}
    assert made <= {*ignored}
    monkeypatch.chdir(project)
    capsys.readouterr()
    assert main(["check", "--benchmarks", "benchmarks"]) == 0
    assert capsys.readouterr().out == "1 valid bundle with 3 results; none refused\n"


def test_the_workflow_runs_commands_that_there_are(project: Path) -> None:
    workflow = yaml.safe_load((project / ".github/workflows/performance.yml").read_text("utf-8"))
    steps = [step["run"] for step in workflow["jobs"]["site"]["steps"] if "run" in step]
    used = re.findall(r"perfguide (\w+)", "\n".join(steps))
    assert used == ["check", "build", "compare"]
    requirement = (project / "requirements.txt").read_text("utf-8").splitlines()[-1]
    assert re.fullmatch(r"perfguide\[compare\](==| @ ).+", requirement)
    tomllib.loads((project / "benchmarks/gzip.toml").read_text("utf-8"))


def test_the_workflow_compares_with_a_base_that_has_results(project: Path, tmp_path: Path) -> None:
    workflow = yaml.safe_load((project / ".github/workflows/performance.yml").read_text("utf-8"))
    (step,) = [step for step in workflow["jobs"]["site"]["steps"] if "env" in step]
    (tmp_path / "bin").mkdir()
    put_command(tmp_path / "bin")
    summary = tmp_path / "summary.md"
    environment = os.environ | {"PATH": f"{tmp_path}/bin:{os.environ['PATH']}", "BASE": "HEAD"}
    environment["GITHUB_STEP_SUMMARY"] = str(summary)
    git = ["git", "-c", "user.name=n", "-c", "user.email=e@x", "-C", str(project)]

    def compare() -> subprocess.CompletedProcess[str]:
        # As a service runs it.
        return subprocess.run(
            ["bash", "-e", "-c", step["run"]],
            **{"cwd": project, "env": environment, "capture_output": True, "text": True},
        )

    subprocess.run([*git, "init", "-q"], check=True)
    subprocess.run([*git, "commit", "-q", "--allow-empty", "-m", "empty"], check=True)
    run = compare()
    assert run.returncode == 0 and "nothing to compare" in run.stdout, run.stderr
    example = json.loads((project / "results/example.json").read_bytes())

    def upload(release: str, factor: float) -> None:
        """Write a bundle for each sample: a figure is proved by several runs."""
        for run in run_by_run(example):
            for each in run["results"]:
                each["value"] *= factor
            own = run | {"id": f"{release}-{run['id']}", "sdk": run["sdk"] | {"version": release}}
            (project / f"results/{own['id']}.json").write_text(json.dumps(own), "utf-8")

    upload("1.1", 1.0)
    subprocess.run([*git, "add", "-A"], check=True)
    subprocess.run([*git, "commit", "-q", "-m", "results"], check=True)
    upload("1.2", 0.5)
    run = compare()
    assert run.returncode == 1, run.stdout + run.stderr
    assert summary.read_text("utf-8").startswith("### Performance: ")


def test_nothing_is_written_over(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (project / "conf.py").write_text("mine", "utf-8")
    (project / "index.rst").unlink()
    assert main(["init", str(project)]) == 2
    assert "conf.py" in capsys.readouterr().err
    assert (project / "conf.py").read_text("utf-8") == "mine"
    assert not (project / "index.rst").exists()


def test_a_served_site_follows_its_files(project: Path) -> None:
    environment = os.environ | {"PYTHONPATH": str(TOP / "ext"), "PYTHONUNBUFFERED": "1"}
    with subprocess.Popen(
        command("serve", "--port", "0"),
        # A shell starts what it puts into the background deaf to Ctrl+C.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
        **{"cwd": project, "env": environment, "stdout": subprocess.PIPE, "text": True},
    ) as process:
        try:
            assert process.stdout
            line = next(line for line in process.stdout if "http://" in line)
            address = re.findall(r"http://\S+", line)[0]
            guide = f"{address}/pages/guides/EXAMPLE/linux/1.0.html"
            with urlopen(guide) as answer:
                assert "An edited note" not in answer.read().decode()
            path = project / "results/example.json"
            path.write_text(path.read_text("utf-8").replace("This is", "An edited note: this is"))
            deadline = time.monotonic() + PATIENCE
            while True:
                with urlopen(guide) as answer:
                    if "An edited note" in answer.read().decode():
                        break
                assert time.monotonic() < deadline
                time.sleep(0.2)
        finally:
            process.send_signal(signal.SIGINT)
            try:
                status = process.wait(PATIENCE)
            finally:
                process.kill()
        assert status == 0
