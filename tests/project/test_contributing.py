"""The worked examples of CONTRIBUTING, put into a copy of the package as they stand there."""

from __future__ import annotations

import importlib
import json
import os
import re
import shutil
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest
from conftest import TOP
from test_imports import FOLDERS

TEXT = (TOP / "CONTRIBUTING.md").read_text("utf-8")
EXAMPLES = ("primes", "dots.inc", "boards", "NAME", "FOLDER")
"""Names of files that the examples add, and so are not there."""


def blocks(heading: str, language: str) -> list[str]:
    """The blocks of a language below a heading."""
    part = TEXT.split(f"\n## {heading}\n")[1].split("\n## ")[0]
    found = re.findall(rf"^ *```{language}\n(.*?)^ *```", part, re.DOTALL | re.MULTILINE)
    return [textwrap.dedent(block) for block in found]


class Copy:
    """A copy of the package and of the descriptions, to change and to run."""

    def __init__(self, top: Path) -> None:
        self.top = top
        ignored = shutil.ignore_patterns("__pycache__")
        shutil.copytree(TOP / "ext/perfguide", top / "ext/perfguide", ignore=ignored)
        shutil.copytree(TOP / "source/benchmarks", top / "source/benchmarks")

    def write(self, name: str, text: str) -> Path:
        path = self.top / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
        return path

    def change(self, name: str, diff: str) -> None:
        """Change a file as a diff says, whose old lines stand there once."""
        path = self.top / "ext/perfguide" / name
        lines = diff.splitlines()
        old = "\n".join(line[1:] for line in lines if line[0] in "- ")
        new = "\n".join(line[1:] for line in lines if line[0] in "+ ")
        text = path.read_text("utf-8")
        assert text.count(old) == 1, (name, old)
        path.write_text(text.replace(old, new), "utf-8")

    def run(self, *arguments: str) -> str:
        command = [sys.executable, *arguments]
        environment = os.environ | {"PYTHONPATH": str(self.top / "ext")}
        run = subprocess.run(
            command, cwd=self.top, env=environment, capture_output=True, text=True, check=False
        )
        assert run.returncode == 0, run.stdout + run.stderr
        return run.stdout


@pytest.fixture(scope="module")
def changed(tmp_path_factory: pytest.TempPathFactory) -> Copy:
    """The package with the benchmark, the kind of chart, the format and the page."""
    copy = Copy(tmp_path_factory.mktemp("contributed"))
    (description,) = blocks("Add a benchmark", "toml")
    copy.write("source/benchmarks/primes.toml", description)
    (prose,) = blocks("Add a benchmark", "rst")
    copy.write("source/benchmarks/primes.rst", prose)
    names, drawing = blocks("Add a kind of chart", "diff")
    copy.change("catalog/chart_spec.py", '-Kind = Literal[\n+Kind = Literal["dots", ')
    copy.change("charts/model.py", names)
    copy.change("charts/kinds.py", drawing)
    (described,) = blocks("Add a log format", "toml")
    copy.write("ext/perfguide/adapters/formats/primes.format.toml", described)
    (registered,) = blocks("Add a log format", "diff")
    copy.change("adapters/registry.py", registered)
    (template,) = blocks("Add a page", "jinja")
    copy.write("ext/perfguide/pages/templates/boards.rst.jinja", template)
    page, _ = blocks("Add a page", "python")
    copy.write("ext/perfguide/pages/boards.py", page)
    call, link = blocks("Add a page", "diff")
    copy.change("pages/build.py", call)
    copy.change("pages/build.py", "+from . import boards\n+\n+\n def generate(")
    copy.change("pages/templates/reports.rst.jinja", link)
    return copy


def test_the_benchmark_has_a_table_and_a_chart_and_the_page_lists_its_board(changed: Copy) -> None:
    (bundle,) = blocks("Add a benchmark", "json")
    changed.write("results/run.json", bundle)
    changed.run("-m", "perfguide", "check")
    changed.run("-m", "perfguide", "generate", "--output", "pages")
    guide = (changed.top / "pages/guides/AM62X/linux/09.02.rst").read_text("utf-8")
    assert "Other results" not in guide and "   primes events a second by threads" in guide
    folder = changed.top / "pages/guides/AM62X/linux/09.02"
    assert "1990.75" in (folder / "primes-events.data.csv").read_text("utf-8")
    boards = changed.top / "pages/reports/boards"
    assert (boards / "boards.csv").read_text("utf-8").splitlines()[1].startswith("my-board,")
    assert "boards" in (changed.top / "pages/reports/index.rst").read_text("utf-8").split()


def test_the_benchmark_and_the_page_pass_the_tests_of_their_recipes(changed: Copy) -> None:
    for name in ("tests/support", "tests/catalog", "bench"):
        shutil.copytree(TOP / name, changed.top / name)
    for name in ("tests/conftest.py", "pyproject.toml"):
        shutil.copy(TOP / name, changed.top / name)
    head = (TOP / "tests/pages/test_lists.py").read_text("utf-8").split("\n\n\ndef ")[0]
    _, test = blocks("Add a page", "python")
    page = changed.write("tests/pages/test_boards.py", f"{head}\n\n\n{test}")
    changed.run("-m", "pytest", "tests/catalog/test_benchmarks.py", "-k", "shipped")
    changed.run("-m", "pytest", str(page))


def test_the_format_reads_its_log_and_its_own_example(changed: Copy) -> None:
    (log,) = blocks("Add a log format", "text")
    path = changed.write("1.0.log", log)
    who = ("--board", "my-board", "--soc", "AM62X", "--sdk", "09.02", "--os", "linux")
    changed.run("-m", "perfguide", "pack", path.name, "-o", "packed.json", *who)
    (result,) = json.loads((changed.top / "packed.json").read_bytes())["results"]
    assert (result["samples"], result["params"]) == ([1990.5], {"threads": 2})
    assert log.splitlines()[result["log"]["line"] - 1].strip() == "events per second:  1990.50"
    assert "events per second" in changed.run("-m", "perfguide", "adapters", "primes")


def test_the_kind_of_chart_is_drawn_and_its_test_holds(changed: Copy) -> None:
    (test,) = blocks("Add a kind of chart", "python")
    (example,) = blocks("Add a kind of chart", "rst")
    table = textwrap.dedent(example.split("\n\n", 1)[1])
    code = (
        "from perfguide.charts import draw, from_csv\n"
        f"TABLE = {table!r}\n\n\n{test}\n\ntest_dots_are_marks_without_a_line()\n"
    )
    changed.run("-c", code)


def test_the_examples_pass_the_checks_of_the_code(changed: Copy) -> None:
    files = ("charts/kinds.py", "pages/boards.py")
    names = [str(changed.top / "ext/perfguide" / name) for name in files]
    configuration = ["--config", str(TOP / "pyproject.toml"), "--no-cache"]
    changed.run("-m", "ruff", "check", *configuration, *names)
    changed.run("-m", "ruff", "format", "--check", *configuration, *names)


@pytest.mark.parametrize("name", ["CONTRIBUTING.md", "ARCHITECTURE.md"])
def test_every_file_that_a_page_for_developers_names_is_there(name: str) -> None:
    text = (TOP / name).read_text("utf-8")
    roots = "ext|tests|bench|source|runner|results|examples"
    named = set(re.findall(rf"(?<![\w/])((?:{roots})/[\w./-]*[\w/])", text))
    missing = [path for path in named if not (TOP / path).exists()]
    generated = ("source/guides", "source/compare", "source/by-benchmark", "source/reports")
    missing = [path for path in missing if not path.startswith((*generated, "source/api"))]
    assert [path for path in missing if not any(word in path for word in EXAMPLES)] == []


def test_every_name_that_the_architecture_tells_is_in_the_package() -> None:
    text = (TOP / "ARCHITECTURE.md").read_text("utf-8")
    folders = "|".join(path.parent.name for path in (TOP / "ext/perfguide").glob("*/__init__.py"))
    named = set(re.findall(rf"`((?:{folders}|bundle)\.[A-Za-z_][\w.]*)`", text))
    assert len(named) > 40
    for name in sorted(named - {"bundle.py"}):
        parts = name.split(".")
        # The longest beginning that is a module, and then attributes of it.
        for count in range(len(parts), 0, -1):
            path = TOP / "ext/perfguide" / "/".join(parts[:count])
            if path.is_dir() or path.with_suffix(".py").is_file():
                break
        found = importlib.import_module(".".join(("perfguide", *parts[:count])))
        for attribute in parts[count:]:
            assert hasattr(found, attribute), name
            found = getattr(found, attribute)


def test_the_architecture_lists_the_folders_in_the_order_of_their_imports() -> None:
    text = (TOP / "ARCHITECTURE.md").read_text("utf-8").split("## Folder by folder")[1]
    listed = re.findall(r"^\| `([\w.]+?)(?:/|\.py)` \|", text, re.MULTILINE)
    assert tuple(listed) == FOLDERS
