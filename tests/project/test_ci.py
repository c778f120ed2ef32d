"""The recipes for build services: the script runs, and each recipe's own step runs it."""

from __future__ import annotations

import json
import os
import re
import subprocess
from pathlib import Path
from xml.etree import ElementTree

import pytest
import yaml
from conftest import TOP
from making import TOML, plain, result
from prepared import put_command

CI = TOP / "source/ci"
STEPS = yaml.safe_load((CI / "github/action.yml").read_text("utf-8"))["runs"]["steps"]
GITLAB = yaml.safe_load((CI / "gitlab-ci.yml").read_text("utf-8"))


def _git(top: Path, *arguments: str) -> str:
    command = ["git", "-c", "user.name=n", "-c", "user.email=e@x", "-C", str(top), *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


def _put(top: Path, name: str, rate: float, release: str) -> None:
    samples = [rate * (1 + n / 10_000) for n in range(5)]
    bundle = plain(
        result(samples=samples, params={"block_size": 16}), id=name, sdk__version=release
    )
    (top / f"results/{name}.json").write_text(json.dumps(bundle), "utf-8")


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project in git: its base has releases, and the change brings one that is slower."""
    top = tmp_path_factory.mktemp("project")
    for folder in ("results", "source/benchmarks", "ci"):
        (top / folder).mkdir(parents=True)
    conf = 'extensions = ["perfguide"]\nexclude_patterns = ["source/benchmarks"]\n'
    (top / "conf.py").write_text(conf, "utf-8")
    (top / "index.rst").write_text("Ours\n====\n\n.. perf-toctree::\n", "utf-8")
    (top / "source/benchmarks/speed.toml").write_text(TOML, "utf-8")
    (top / "source/benchmarks/speed.rst").write_text("What it measures.\n", "utf-8")
    (top / "ci/guides.sh").write_bytes((CI / "guides.sh").read_bytes())
    for number in range(3):
        _put(top, f"r{number}", 100.0, f"09.0{number}")
    _git(top, "init", "-q", "-b", "main")
    _git(top, "add", "-A")
    _git(top, "commit", "-q", "-m", "base")
    _git(top, "tag", "base")
    _put(top, "r9", 50.0, "09.09")
    return top


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A search path on which ``perfguide`` is the package under test."""
    folder = tmp_path_factory.mktemp("bin")
    put_command(folder)
    return f"{folder}:{os.environ['PATH']}"


def _run(text: str, top: Path, path: str, **more: str) -> subprocess.CompletedProcess[str]:
    known = {"PATH": path, "HOME": str(top.parent), "LC_ALL": "C.UTF-8", **more}
    command = ["sh", "-c", text]
    return subprocess.run(command, cwd=top, env=known, capture_output=True, text=True, check=False)


def test_the_step_of_the_action_reports_a_regression_in_every_way(project: Path, path: str) -> None:
    (step,) = [step for step in STEPS if "guides.sh" in step.get("run", "")]
    known = {"GITHUB_ACTION_PATH": str(CI / "github"), "BASE": "base"}
    run = _run(step["run"], project, path, **known)
    assert run.returncode == 1, run.stdout + run.stderr
    assert "::error title=" in run.stdout and "copying" not in run.stdout
    assert len(run.stdout.splitlines()) <= 20
    reports = project / "build/reports"
    assert (project / "build/html/source/guides/AM62X/linux/09.09.html").is_file()
    comment = (reports / "comment.md").read_text("utf-8")
    assert comment.startswith("### Performance: ") and "regress" in comment
    assert "<table" in (reports / "comparison.html").read_text("utf-8")
    # What is kept as an artifact has no bundles of the base.
    assert {path.name for path in reports.iterdir()} == {
        *("comment.md", "comparison.html", "comparison.sarif", "annotations.txt"),
        *("codequality.json", "junit.xml"),
    }
    (issue,) = json.loads((reports / "codequality.json").read_bytes())
    assert issue["severity"] == "major"
    sarif = json.loads((reports / "comparison.sarif").read_bytes())
    assert sarif["runs"][0]["results"][0]["level"] == "error"
    assert int(ElementTree.parse(reports / "junit.xml").getroot().get("failures") or 0) == 1


def test_the_step_of_each_other_service_runs_the_script(project: Path, path: str) -> None:
    (gitlab,) = GITLAB["guides"]["script"]
    (jenkins,) = re.findall(r"sh '(.*)'", (CI / "Jenkinsfile").read_text("utf-8"))
    run = _run(
        gitlab, project, path, PERFGUIDE_FAIL_ON="never", CI_MERGE_REQUEST_DIFF_BASE_SHA="base"
    )
    assert run.returncode == 0, run.stderr
    reports = {p for each in GITLAB["guides"]["artifacts"]["reports"].values() for p in [each]}
    assert all((project / name).is_file() for name in reports)
    assert _run(GITLAB["pages"]["script"][1], project, path).returncode == 0
    assert (project / "public/index.html").is_file()
    # Without a base there is nothing to compare, and an unknown one is no silence.
    run = _run(jenkins, project, path)
    assert run.returncode == 0 and not (project / "build/reports/comment.md").exists()
    run = _run(jenkins, project, path, CHANGE_TARGET="gone")
    assert run.returncode == 2 and "git knows no “origin/gone” here" in run.stderr


def test_a_base_without_bundles_is_nothing_to_compare(project: Path, path: str) -> None:
    tree = _git(project, "mktree")
    empty = _git(project, "commit-tree", tree, "-m", "nothing")
    run = _run(f"sh ci/guides.sh {empty}", project, path)
    assert run.returncode == 0, run.stderr
    assert "nothing to compare" in run.stdout


def test_a_refused_bundle_stops_the_script_before_it_builds(project: Path, path: str) -> None:
    (project / "results/bad.json").write_text("{", "utf-8")
    try:
        run = _run("sh ci/guides.sh base", project, path)
    finally:
        (project / "results/bad.json").unlink()
    assert run.returncode == 1 and "bad.json" in run.stdout
    assert "build/html" not in run.stdout


def test_the_key_of_the_packages_changes_with_the_list_of_requirements(tmp_path: Path) -> None:
    """The step runs in a copy of the action, beside lists of its own."""
    (step,) = [step for step in STEPS if step.get("id") == "packages"]
    action = tmp_path / "source/ci/github"
    action.mkdir(parents=True)
    keys = []
    for requirements in ("numpy==2.0\n", "numpy==2.1\n", "numpy==2.0\n"):
        (tmp_path / "requirements.txt").write_text(requirements, "utf-8")
        (tmp_path / "pyproject.toml").write_text("[project]\n", "utf-8")
        outputs = tmp_path / "outputs"
        outputs.unlink(missing_ok=True)
        known = {"GITHUB_ACTION_PATH": str(action), "GITHUB_OUTPUT": str(outputs)}
        assert _run(step["run"], tmp_path, os.environ["PATH"], **known).returncode == 0
        found = dict(line.split("=", 1) for line in outputs.read_text("utf-8").splitlines())
        assert Path(found["folder"]).is_absolute()
        keys.append(found["key"])
    assert keys[0] == keys[2] != keys[1]


def test_jobs_that_run_the_code_of_a_change_may_publish_nothing() -> None:
    workflow = yaml.safe_load((CI / "github-workflow.yml").read_text("utf-8"))
    assert workflow["permissions"] == {"contents": "read"}
    guides = workflow["jobs"]["guides"]["permissions"]
    assert guides == {"contents": "read", "pull-requests": "write"}


def test_the_other_recipes_name_what_is_there() -> None:
    workflow = (CI / "github-workflow.yml").read_text("utf-8")
    jobs = yaml.safe_load(workflow)["jobs"]
    uses = [step.get("uses", "") for step in jobs["guides"]["steps"]]
    (ours,) = [use for use in uses if "perfguide" in use]
    folder = ours.partition("perfguide/")[2].partition("@")[0]
    assert (TOP / folder / "action.yml").is_file()
    (install,) = [step["run"] for step in STEPS if step.get("name") == "Install"]
    (path,) = re.findall(r'GITHUB_ACTION_PATH(/[./]+)\[compare\]"', install)
    assert (TOP / f"{folder}{path}/pyproject.toml").is_file()
    (constraints,) = re.findall(r'-c "\$GITHUB_ACTION_PATH(\S+)"', install)
    assert (TOP / f"{folder}{constraints}").is_file()
    for script in re.findall(r'GITHUB_ACTION_PATH(/\S+\.(?:sh|py))"', str(STEPS)):
        assert (TOP / f"{folder}{script}").is_file()
    assert GITLAB["variables"]["PERFGUIDE"].startswith("perfguide[compare] @ git+https://")
    assert GITLAB["guides"]["before_script"] == ['python -m pip install --quiet "$PERFGUIDE"']
    hosted = yaml.safe_load((CI / "readthedocs.yaml").read_text("utf-8"))
    assert hosted["version"] == 2 and hosted["sphinx"]["configuration"] == "conf.py"
    (command,) = hosted["build"]["jobs"]["post_install"]
    assert command.startswith('python -m pip install "perfguide[compare] @ git+https://')
    # No value of an event becomes a part of a script.
    assert not [step for step in STEPS if "${{" in step.get("run", "")]
    container = (CI / "Containerfile").read_text("utf-8")
    assert 'ENTRYPOINT ["perfguide"]' in container
    page = (TOP / "source/ci.rst").read_text("utf-8")
    for name in re.findall(r"literalinclude:: (\S+)", page):
        assert (TOP / "source" / name).is_file()
