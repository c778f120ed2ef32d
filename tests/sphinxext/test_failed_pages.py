"""A generated page that Sphinx leaves out, cannot read or cannot write costs no other its place."""

from __future__ import annotations

import json
from pathlib import Path

from conftest import run_sphinx
from hostile_names import NAMES, NAMES_BY_RULE
from making import plain, result
from profiles import count

GUIDE = "source/guides/AM62X/linux/09.01"

LOADING = """\
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
extensions.append("failing")
"""

FAILING = """
from docutils import nodes

STEPS = {steps}


class Unknown(nodes.General, nodes.Element):
    pass


def at(step):
    def fail(app, page, *given):
        words = "".join(map(str, given))
        if STEPS.get(page) == step and "could not be" not in words and "warning::" not in words:
            raise ValueError("the step fails")

    return fail


def damage(app, doctree):
    step = STEPS.get(app.env.docname)
    if "could not be" not in doctree.astext():
        if step == "doctree-read":
            raise ValueError("the step fails")
        if step == "pickle":
            doctree["unpicklable"] = lambda: None
        if step == "write":
            doctree += Unknown()


def resolve(app, doctree, page):
    if STEPS.get(page) == "doctree-resolved":
        raise ValueError("the step fails")


def setup(app):
    app.connect("doctree-read", damage)
    for step in ("source-read", "html-page-context"):
        app.connect(step, at(step))
    app.connect("doctree-resolved", resolve)
    return {{"parallel_read_safe": True, "parallel_write_safe": True}}
"""
"""An extension with which the page of each name fails at a step."""

STEPS = ("source-read", "doctree-read", "pickle", "doctree-resolved", "write", "html-page-context")
OF_STEPS = plain(*(result(benchmark=step) for step in STEPS))
"""A bundle with a benchmark for each step, the page of which fails there."""


def project(top: Path, *bundles: dict[str, object], conf: str = "") -> Path:
    """A project with some bundles."""
    (top / "results").mkdir(parents=True)
    for number, bundle in enumerate(bundles or [plain()]):
        (top / f"results/{number}.json").write_text(json.dumps(bundle), "utf-8")
    lines = ['extensions = ["perfguide"]', 'exclude_patterns = ["site*", "results"]', conf]
    (top / "conf.py").write_text("\n".join(lines), "utf-8")
    (top / "index.rst").write_text("Host\n====\n\n.. perf-toctree::\n", "utf-8")
    return top


def pages(top: Path) -> dict[str, bytes]:
    """The pages of a site, but for those that name all words or all pages."""
    site = top / "site"
    return {p.relative_to(site).as_posix(): p.read_bytes() for p in site.rglob("*.html")}


def test_a_page_that_fails_at_a_step_has_a_notice_and_no_other_page_changes(tmp_path: Path) -> None:
    sound = project(tmp_path / "sound", OF_STEPS)
    assert run_sphinx(sound, sound / "site").returncode == 0
    top = project(tmp_path / "failing", OF_STEPS, conf=LOADING)
    failing = {f"source/by-benchmark/{step}": step for step in STEPS}
    (top / "failing.py").write_text(FAILING.format(steps=failing), "utf-8")
    for jobs in ("2", "1"):  # it is tried again, and said again
        outcome = run_sphinx(top, top / "site", "-j", jobs)
        assert outcome.returncode == 0, outcome.stderr
        for page in failing:
            assert f"the page {page} could not be" in outcome.stderr
        assert outcome.stderr.count("[perfguide.unmade]") == len(STEPS)
    for page in failing:
        assert "could not be" in (top / f"site/{page}.html").read_text("utf-8")
    found, wanted = pages(top), pages(sound)
    assert found.keys() == wanted.keys()
    # Those of a benchmark for one SoC name the page above them.
    others = {name for name in wanted if not name.startswith("source/by-benchmark/")}
    assert f"{GUIDE}.html" in others
    assert {name for name in others if found[name] != wanted[name]} == set()


def test_a_guide_that_cannot_be_written_as_latex_leaves_the_others(tmp_path: Path) -> None:
    top = project(
        tmp_path / "project",
        plain(),
        plain(id="other", board__soc="AM64X"),
        conf=LOADING + '\nperfguide_pdf = "newest"',
    )
    (top / "failing.py").write_text(FAILING.format(steps={GUIDE: "write"}), "utf-8")
    outcome = run_sphinx(top, top / "site", "-b", "latex")
    assert outcome.returncode == 0, outcome.stderr
    assert f"the page {GUIDE} could not be written" in outcome.stderr
    failed, other = sorted((top / "site").glob("am6*.tex"))
    assert "could not be written" in failed.read_text("utf-8")
    assert "MB/s" in other.read_text("utf-8")


def test_a_page_of_the_project_that_fails_ends_the_build(tmp_path: Path) -> None:
    top = project(tmp_path, conf=LOADING)
    (top / "failing.py").write_text(FAILING.format(steps={"index": "doctree-read"}), "utf-8")
    assert run_sphinx(top, top / "site").returncode == 2


def test_a_page_that_the_settings_leave_out_is_a_warning(tmp_path: Path) -> None:
    top = project(
        tmp_path, plain(), plain(id="other", board__soc="secret"),
        conf='exclude_patterns.append("**/secret")',
    )  # fmt: skip
    outcome = run_sphinx(top, top / "site")
    assert outcome.returncode == 0, outcome.stderr
    assert "source/guides/secret/index.rst: Sphinx leaves this page out" in outcome.stderr
    assert "[perfguide.left-out]" in outcome.stderr
    assert (top / f"site/{GUIDE}.html").is_file()


def test_names_with_a_meaning_elsewhere_have_pages_without_a_warning(tmp_path: Path) -> None:
    fields = ("board__soc", "sdk__os", "sdk__version", "sdk__name")
    structural = ("_sources", "self", "http://a", "a <b>", "nul", ".a", "a.md", "%2e", "index", "*")
    # Their address is all that such a name changes: test_slugs_and_markup.py looks at each. The
    # others are built in a thorough run, and drawn for all fields in test_sound_uploads.py.
    others = {*NAMES_BY_RULE} - {*NAMES_BY_RULE[:: count(24, heavy=1)]}
    names = [name for name in NAMES if name not in others][:: count(3, heavy=1)]
    bundles = [plain(*(result(benchmark=name, metric=name, unit=name) for name in names))]
    bundles += [
        plain(id=f"{number} {name}", board__name=name, **{fields[number % 4]: name})
        for number, name in enumerate(structural * count(1, heavy=2))
    ]
    top = project(tmp_path / "project", *bundles)
    outcome = run_sphinx(top, top / "site", "-q", "-j", "2")
    assert outcome.returncode == 0, outcome.stderr
    said = [line for line in outcome.stderr.splitlines() if "[toc." in line or "left-out" in line]
    assert said == []
    assert "could not be" not in outcome.stderr
