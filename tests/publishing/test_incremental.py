"""Whatever was done to a project since it was built, the next build gives what a clean one gives."""

from __future__ import annotations

import compileall
import itertools
import json
import os
import pickle
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import pytest
from conftest import TOP, sound_bundle
from hypothesis import HealthCheck
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, precondition, rule
from making import TOML
from prepared import run_module
from profiles import count, examples

GENERATED = ("guides", "by-benchmark", "compare", "reports", "api")
CONF = """
project = "Small"
author = "Somebody"
extensions = ["perfguide"]
html_theme = "sphinx_rtd_theme"
html_static_path = ["static"]
exclude_patterns = ["build", "ext"]
"""
OUR_THEME = 'html_theme = "perfguide"\nhtml_theme_options = {"titles_only": True}'
"""Settings with which the menu of a page lists only the pages around it."""
INDEX = """
Home
====

.. toctree::
   :glob:

   source/guides/index
   source/by-benchmark/index
   source/compare/index
   source/reports/index
   hand*
"""
HAND = """
.. _hand:

By hand
=======

.. index:: gnu

Words of one page: zebra. See :doc:`source/by-benchmark/index` and :download:`own.txt`.

.. perf-chart:: What we drew
   :x: Size
   :lines: Speed

   Size,Speed
   1,10
   2,20
"""
CHART = """
[[charts]]
id = "rates"
title = "Rate by block size"
kind = "bars"
metrics = ["rate"]
x = "block_size"
"""
SOCS, RELEASES, BOARDS = ("SOC1", "SOC2"), ("09.01", "09.02", "09.03"), ("one", "two")
FILES = {
    "conf.py": CONF,
    "index.rst": INDEX,
    "hand.rst": HAND,
    "own.txt": "first",
    "static/a.css": "",
}
FILES |= {"source/benchmarks/speed.toml": TOML, "source/benchmarks/speed.rst": "How fast it is.\n"}
LISTS = {
    "acknowledged": "",
    "boards": '[[boards]]\nsoc = "SOC1"\nname = "one"\naliases = ["two"]\n',
    "redirects": '[moved]\n"guides/OLD/index" = "guides/index"\n',
    "waivers": (
        '[[waivers]]\nsoc = "SOC1"\nbenchmark = "speed"\nmetric = "rate"\n'
        'until = "09.09"\nreason = "known"\n'
    ),
}
LONG_AGO = 1_000_000_000


def tree(folder: Path, *names: str) -> dict[str, bytes]:
    """All files below a folder, or below some folders in it."""
    found = (path for name in names or ("",) for path in (folder / name).rglob("*"))
    return {str(path.relative_to(folder)): path.read_bytes() for path in found if path.is_file()}


class Project:
    """A small project with a copy of the package, what may be done to it, and its builds."""

    def __init__(self, top: Path) -> None:
        self.top, self.folder, self.clean = top, top / "project", top / "clean"
        self.numbers = itertools.count(1)
        shutil.copytree(TOP / "ext", self.folder / "ext")
        # Each build reads it again.
        compileall.compile_dir(self.folder / "ext", quiet=2)
        for name, text in FILES.items():
            self.write(name, text)
        (self.folder / "results").mkdir()
        self.length = 2.0
        self.bundle("SOC1", "09.01", "one", 10.0)
        self.bundle("SOC1", "09.02", "one", 20.0)
        self.check()

    # What may be done

    def write(self, name: str, text: str, *, old: bool = False) -> None:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
        if old:  # as some programs that copy files do
            os.utime(path, (LONG_AGO, LONG_AGO))

    def bundle(
        self, soc: str, release: str, board: str, value: float, *, old: bool = False
    ) -> None:
        """Add a bundle, or edit the one of that board in that release."""
        results = [
            {
                "benchmark": "speed",
                "metric": "rate",
                "unit": "MB/s",
                "value": value * size,
                "params": {"block_size": str(size)},
            }
            for size in (1, 2)
        ]
        known = {"board": {"name": board, "soc": soc}, "sdk__version": release}
        name = f"{soc}-{release}-{board}"
        text = json.dumps(sound_bundle(results, id=name, **known))
        self.write(f"results/{name}.json", text, old=old)

    def bundles(self) -> list[Path]:
        return sorted((self.folder / "results").glob("*.json"))

    def append(self, name: str, text: str) -> None:
        with (self.folder / name).open("a", encoding="utf-8") as file:
            file.write(text)

    def described(self, title: str, chart: bool) -> None:
        """Swap the description of the benchmark."""
        text = TOML.replace('title = "Speed"', f'title = "{title}"', 1)
        self.write("source/benchmarks/speed.toml", text + CHART * chart, old=True)

    def code(self) -> None:
        """Edit the code of what pages say, in a template and in a module, and of what pictures
        look like."""
        number = next(self.numbers)
        package = "ext/perfguide"
        (module,) = (
            path
            for path in (self.folder / package).rglob("*.py")
            if "{soc} boards" in path.read_text("utf-8")
        )
        text = re.sub(
            r"\{soc\} boards( \d+)?", f"{{soc}} boards {number}", module.read_text("utf-8")
        )
        module.write_text(text, "utf-8")
        self.append(f"{package}/pages/templates/guides.rst.jinja", f"\nEdited {number} times.\n")
        draw = f'\nSTYLE = STYLE | {{"font.size": {8 + number % 4}}}\n'
        self.append(f"{package}/charts/draw.py", draw)

    # Builds

    def run(self, name: str, *words: str, folder: Path | None = None) -> Any:
        ext, folder = self.folder / "ext", folder or self.folder
        known = os.environ | {"PYTHONPATH": str(ext), "NO_COLOR": "1"}
        done = run_module(name, *words, environment=known, folder=folder, package=ext)
        assert done.returncode == 0, done.stderr
        return done

    def site(self) -> dict[str, bytes]:
        return tree(self.folder / "build/html")

    def times_of_guides(self, soc: str) -> dict[Path, int]:
        """When each page of the guides of a SoC was written."""
        pages = self.folder.glob(f"build/html/source/guides/{soc}/**/*.html")
        return {path: path.stat().st_mtime_ns for path in pages}

    def made(self, folder: Path) -> dict[str, bytes]:
        """The site of a project, and its generated files."""
        return tree(folder / "build/html") | tree(folder / "source", *GENERATED)

    def clean_build(self) -> dict[str, bytes]:
        """What a build of the project as it is gives where nothing was built before."""
        shutil.rmtree(self.clean, ignore_errors=True)
        ignored = shutil.ignore_patterns("build", "ext", *GENERATED)
        shutil.copytree(self.folder, self.clean, ignore=ignored)
        # What publishes need not be proved each time; it takes as long as a small site.
        own = ("-D", "perfguide_own_output=1", "-d", "build/doctrees")
        self.run("sphinx", "-q", "-b", "html", *own, ".", "build/html", folder=self.clean)
        return self.made(self.clean)

    def check(self) -> None:
        """Build, and compare with a clean build."""
        self.run("perfguide", "build", "-j1")
        found, wanted = self.made(self.folder), self.clean_build()
        assert {n for n in found | wanted if found.get(n) != wanted.get(n)} == set()

    def idle(self) -> bool:
        """Build where nothing was done, as soon as files are old enough; whether the build knew
        that. One that warned does not: it has to warn again."""
        before = (self.folder / "build/html").stat().st_ino, self.site()
        for _ in range(2):
            time.sleep(0.2)
            done = self.run("perfguide", "build", "-j1")
        assert ((self.folder / "build/html").stat().st_ino, self.site()) == before
        knew = done.stdout == "Nothing changed since build/html was built.\n"
        assert knew is ("WARNING" not in done.stderr)
        return knew

    def copies(self) -> list[Path]:
        """The copies of files for download and of pictures that the last build knows of."""
        cache = self.folder / "build/.html/doctrees/environment.pickle"
        env = pickle.loads(cache.read_bytes())
        folders = {"_downloads": vars(env)["dlfiles"], "_images": env.images}
        site = self.folder / "build/html"
        return [site / top / name for top, all_ in folders.items() for _, name in all_.values()]

    def kill(self, share: float) -> None:
        """Kill a build with all its processes at some time; what is published is whole."""
        old = self.site()
        known = os.environ | {"PYTHONPATH": str(self.folder / "ext")}
        command = [sys.executable, "-m", "perfguide", "build"]
        begun = time.monotonic()
        with subprocess.Popen(
            command,
            cwd=self.folder,
            env=known,
            start_new_session=True,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        ) as build:
            try:
                build.wait(share * self.length)
                self.length = time.monotonic() - begun
            except subprocess.TimeoutExpired:
                os.killpg(build.pid, signal.SIGKILL)
        seen = self.site()
        self.check()
        assert seen in (old, self.site())


def test_after_each_kind_of_change_a_build_gives_what_a_clean_one_gives(tmp_path: Path) -> None:
    project = Project(tmp_path)
    assert project.idle()
    copies = project.copies()
    assert {path.parents[1].name for path in copies} >= {"_downloads"}
    assert all(path.is_file() for path in copies)
    project.bundle("SOC1", "09.02", "one", 25.0, old=True)
    project.check()
    project.bundle("SOC2", "09.03", "two", 5.0)
    project.described("Speed", chart=True)
    project.write("hand.rst", HAND.replace("By hand", "In hand", 1).replace("zebra", "tapir"))
    project.write("own.txt", "other", old=True)
    project.write("static/b.css", "b {}")
    project.write("conf.py", f"{CONF}\n{OUR_THEME}")
    project.check()
    times = project.times_of_guides("SOC2")
    assert times
    project.bundle("SOC1", "09.03", "two", 20.0)
    project.check()
    # Pages of another SoC refer to sections by labels, none of which leads elsewhere now.
    assert project.times_of_guides("SOC2") == times
    for name, text in LISTS.items():
        project.write(f"source/{name}.toml", text)
    project.write("hand2.rst", "Second\n======\n\n:ref:`hand`\n")
    project.check()
    project.bundles()[-1].unlink()
    (project.folder / "static/b.css").unlink()
    (project.folder / "hand2.rst").unlink()
    project.check()
    # All pages depend on the code, so nothing else may change with it.
    project.code()
    os.utime(project.bundles()[0])
    project.check()
    project.idle()


class Incremental(RuleBasedStateMachine):
    """The same changes in any order."""

    def __init__(self) -> None:
        super().__init__()
        self.top = Path(tempfile.mkdtemp())
        self.project = Project(self.top)

    @rule(
        soc=st.sampled_from(SOCS),
        release=st.sampled_from(RELEASES),
        board=st.sampled_from(BOARDS),
        value=st.sampled_from([1.0, 10.0, 20.0, 40.0]),
        old=st.booleans(),
    )
    def bundle(self, soc: str, release: str, board: str, value: float, old: bool) -> None:
        self.project.bundle(soc, release, board, value, old=old)
        self.project.check()

    @precondition(lambda self: len(self.project.bundles()) > 1)
    @rule(number=st.integers(0, 20))
    def remove(self, number: int) -> None:
        found = self.project.bundles()
        found[number % len(found)].unlink()
        self.project.check()

    @rule(number=st.integers(0, 20), at=st.sampled_from([None, LONG_AGO]))
    def touch(self, number: int, at: int | None) -> None:
        found = self.project.bundles()
        os.utime(found[number % len(found)], at and (at, at))
        self.project.check()

    @rule(title=st.sampled_from(["Speed", "Pace"]), chart=st.booleans())
    def describe(self, title: str, chart: bool) -> None:
        self.project.described(title, chart)
        self.project.check()

    @rule(name=st.sampled_from(sorted(LISTS)))
    def swap_list(self, name: str) -> None:
        path = self.project.folder / f"source/{name}.toml"
        path.unlink() if path.exists() else self.project.write(f"source/{name}.toml", LISTS[name])
        self.project.check()

    @rule()
    def code(self) -> None:
        self.project.code()
        self.project.check()

    @rule(title=st.sampled_from(["By hand", "In hand"]), word=st.sampled_from(["zebra", "tapir"]))
    def edit_page(self, title: str, word: str) -> None:
        text = HAND.replace("By hand", title, 1).replace("zebra", word)
        self.project.write("hand.rst", text, old=word == "tapir")
        self.project.check()

    @rule()
    def swap_page(self) -> None:
        path = self.project.folder / "hand2.rst"
        text = "Second\n======\n\n:ref:`hand`\n"
        path.unlink() if path.exists() else self.project.write("hand2.rst", text)
        self.project.check()

    @rule(value=st.sampled_from([2.0, 3.0]), share=st.floats(0, 1))
    def kill(self, value: float, share: float) -> None:
        self.project.bundle("SOC1", "09.02", "one", value)
        self.project.kill(share)

    @rule()
    def idle(self) -> None:
        self.project.idle()

    def teardown(self) -> None:
        shutil.rmtree(self.top)


Incremental.TestCase.settings = examples(
    1, heavy=40, stateful_step_count=25, deadline=None, suppress_health_check=list(HealthCheck)
)


@pytest.mark.skipif(not count(0, heavy=1), reason="only in a thorough run: chance takes minutes")
class TestIncremental(Incremental.TestCase):
    """The machine above as a test."""
