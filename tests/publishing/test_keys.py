"""Everything that decides what comes out is in the fingerprint under which it is kept.

Each test changes one input and asks whether another fingerprint comes of it.
"""

from __future__ import annotations

import dataclasses
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from conftest import TOP

from perfguide.bundles.containers import Source
from perfguide.bundles.decompress import Limits
from perfguide.charts import gallery
from perfguide.charts.model import ChartView
from perfguide.cli import build as command
from perfguide.cli import main
from perfguide.common import package
from perfguide.figures.dataset import Settings
from perfguide.pages import build
from perfguide.publishing import atomic_swap, last_build
from perfguide.publishing.last_build import Site
from perfguide.publishing.output_folder import Writer

LISTS = ("acknowledged", "redirects", "boards", "waivers")


# What comes out of a machine


def test_code_libraries_and_epoch_are_in_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SOURCE_DATE_EPOCH", raising=False)
    first = package.surroundings()
    assert package.surroundings() == first
    found = {first}
    with monkeypatch.context() as patched:
        patched.setattr(package, "fingerprint", lambda: "other code")
        found.add(package.surroundings())
    with monkeypatch.context() as patched:
        patched.setattr(package, "libraries", lambda *_modules: ("Python 4.0", "numpy 9"))
        found.add(package.surroundings())
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1700000000")
    found.add(package.surroundings())
    assert len(found) == 4


def test_every_file_of_the_package_is_code(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("a.py", "charts/b.py", "common/c.py", "pages/templates/d.jinja"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("1", "utf-8")
    monkeypatch.setattr(package, "ROOT", tmp_path)

    def found(*folders: str) -> str:
        return package.fingerprint.__wrapped__(*folders)

    before, drawing = found(), found("charts", "common")
    (tmp_path / "__pycache__").mkdir()
    (tmp_path / "__pycache__/a.pyc").write_text("1", "utf-8")
    assert found() == before
    (tmp_path / "pages/templates/d.jinja").write_text("2", "utf-8")
    assert found() != before and found("charts", "common") == drawing
    for name in ("charts/b.py", "common/c.py"):
        before = found("charts", "common")
        (tmp_path / name).write_text("2", "utf-8")
        assert found("charts", "common") != before


def test_python_and_each_package_count_with_their_versions() -> None:
    found = package.libraries()
    assert f"Python {sys.version_info[0]}.{sys.version_info[1]}" in found
    for name in ("msgspec", "numpy", "matplotlib"):
        assert any(each.lower().startswith(f"{name} ") and each[-1].isdigit() for each in found)


@pytest.fixture
def other_packages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder whose packages count as installed for one test."""
    monkeypatch.syspath_prepend(tmp_path)
    package._installed.cache_clear()
    yield tmp_path
    package._installed.cache_clear()


def _install(folder: Path, name: str, version: str, *fields: str) -> None:
    """Put what is known of an installed package, and its module, into a folder."""
    about = folder / f"{name}-{version}.dist-info/METADATA"
    about.parent.mkdir()
    head = ("Metadata-Version: 2.1", f"Name: {name}", f"Version: {version}", *fields)
    about.write_text("\n".join(head) + "\n\nWhat it does.\n", "utf-8")
    (about.parent / "top_level.txt").write_text(f"{name}_module\n", "utf-8")
    (folder / f"{name}_module.py").write_text("", "utf-8")


def test_packages_that_make_no_page_do_not_count(other_packages: Path) -> None:
    libraries = package.libraries.__wrapped__
    before = libraries("sphinx.ext.autodoc")
    _install(other_packages, "tool", "1.0")
    _install(other_packages, "drawn", "2.0", "Requires-Dist: tool>=1", "Requires-Dist: numpy")
    assert libraries("sphinx.ext.autodoc") == before
    assert not any(name in " ".join(before) for name in ("pytest", "mypy", "ruff", "s3fs"))
    # As the module of an extension it counts, with all that it needs.
    assert {*libraries("drawn_module.extension")} - {*before} == {"drawn 2.0", "tool 1.0"}
    assert {*libraries("drawn")} - {*before} == {"drawn 2.0", "tool 1.0"}
    assert libraries("no_such_module", "json") == before


def test_of_our_extras_those_count_that_make_pages(other_packages: Path) -> None:
    _install(
        other_packages, "sheets", "1.0", "Provides-Extra: more", 'Requires-Dist: a; extra == "more"'
    )
    for name in ("a", "b", "c", "d"):
        _install(other_packages, name, "1.0")
    extras = ("Provides-Extra: excel", "Provides-Extra: s3")
    needs = ('sheets; extra == "excel"', 'b; extra == "s3"', 'c; python_version < "3"', "d")
    _install(
        other_packages, "perfguide", "9", *extras, *(f"Requires-Dist: {need}" for need in needs)
    )
    found = package.libraries.__wrapped__()[1:]
    assert found == ("d 1.0", "perfguide 9", "sheets 1.0")


def test_where_nothing_says_what_is_needed_each_package_counts(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(package, "NAME", "not-installed")
    assert {"pytest", "numpy"} <= {each.split()[0] for each in package.libraries.__wrapped__()}


# Pages


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    """Some input of each kind."""
    for name in ("results/a.json", "results/deep/b.log", "benchmarks/speed.toml", *LISTS):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(f"{name} 1", "utf-8")
    (tmp_path / "output").mkdir()
    return Settings(
        (tmp_path / "results",),
        (tmp_path / "benchmarks",),
        tmp_path / "output",
        **{name: tmp_path / name for name in LISTS},
    )


def inputs(settings: Settings) -> build.Inputs:
    return build.Inputs(settings, Writer(settings.output), [], {})


def write(name: str) -> Callable[[Path], object]:
    return lambda top: (top / name).write_text("other", "utf-8")


@pytest.mark.parametrize("name", LISTS)
def test_a_list_is_in_the_key_of_each_page(settings: Settings, name: str) -> None:
    before = inputs(settings)
    write(name)(settings.output.parent)
    after = inputs(settings)
    # Redirects are no pages of SoCs.
    assert (after.rules != before.rules) == (name != "redirects")
    assert after.everything != before.everything


@pytest.mark.parametrize("name", ["benchmarks/speed.toml", "benchmarks/speed.rst"])
def test_a_description_is_in_the_key_of_pages_with_its_benchmark(
    settings: Settings, name: str
) -> None:
    before = inputs(settings)
    write(name)(settings.output.parent)
    after = inputs(settings)
    assert after.rules == before.rules and after.everything != before.everything
    assert after.of_descriptions(["speed"]) != before.of_descriptions(["speed"])
    assert after.of_descriptions(["other"]) == before.of_descriptions(["other"])


@pytest.mark.parametrize("name", ["results/a.json", "results/deep/b.log", "results/new.json"])
def test_what_bundles_and_logs_say_is_in_the_key_of_all_pages(
    settings: Settings, name: str
) -> None:
    before = inputs(settings)
    write(name)(settings.output.parent)
    after = inputs(settings)
    assert after.rules == before.rules and after.everything != before.everything
    assert not before.are_current()


def test_a_list_that_cannot_be_read_is_another_one_than_none(settings: Settings) -> None:
    path = settings.output.parent / LISTS[0]
    path.unlink()
    before = inputs(settings)
    path.mkdir()
    assert inputs(settings).rules != before.rules


def test_which_pages_others_wrote_is_in_the_key_of_all_pages(settings: Settings) -> None:
    before = inputs(settings)
    write("output/hand.rst")(settings.output.parent)
    assert inputs(settings).everything != before.everything
    assert not before.are_current()


def test_the_surroundings_are_in_the_key_of_each_page(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = inputs(settings)
    monkeypatch.setattr(build, "surroundings", lambda: "others")
    after = inputs(settings)
    assert after.rules != before.rules and after.everything != before.everything


OTHER: dict[str, object] = {
    "benchmarks": (),
    "output": Path("elsewhere"),
    **{name: Path("elsewhere") for name in LISTS if name != "redirects"},
    "limits": Limits(document=7),
    "store": Path("elsewhere"),
}
OF_SITE: dict[str, object] = {
    "results": (Path("elsewhere"),),
    "redirects": Path("elsewhere"),
    "compare": (("AM62X", "linux", "09.00", "09.02"),),
    "releases": ("newest",),
}
"""Settings that decide which pages there are, and nothing on the pages of a SoC but for what its key
has besides."""
SHOWN_NOWHERE = {"formats": ("pdf",), "cache": Path("elsewhere"), "scheduler": "tcp://host:1"}


def test_each_setting_that_can_show_is_in_the_key_of_each_page(settings: Settings) -> None:
    assert {*OTHER, *OF_SITE, *SHOWN_NOWHERE} == {
        field.name for field in dataclasses.fields(Settings)
    }
    before, whole = inputs(settings).rules, inputs(settings).everything
    for name, value in OTHER.items():
        assert inputs(dataclasses.replace(settings, **{name: value})).rules != before, name
    for name, value in OF_SITE.items():
        assert inputs(dataclasses.replace(settings, **{name: value})).everything != whole, name
    for name, value in SHOWN_NOWHERE.items():
        assert inputs(dataclasses.replace(settings, **{name: value})).rules == before, name


def test_files_at_a_url_are_in_the_key_of_all_pages(settings: Settings) -> None:
    away = dataclasses.replace(settings, results=("s3://bucket/folder",))

    def key(digest: str) -> str:
        source = Source("s3://bucket/folder", "a.json", Path("store/objects", digest))
        return build.Inputs(away, Writer(settings.output), [source], {}).everything

    assert key("1") == key("1") != key("2")


# Pictures


def test_code_libraries_and_what_is_shown_are_in_the_key_of_a_picture(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    views = [ChartView("id", name, "", "x", "y", "linear", "linear", ()) for name in "ab"]
    prints = {gallery.fingerprint(view, form) for view in views for form in gallery.FORMATS}
    assert len(prints) == 4
    found = {gallery.look(view, "svg") for view in views}
    for what, other in (
        ("fingerprint", lambda *_: "other code"),
        ("libraries", lambda: ("matplotlib 99",)),
    ):
        with monkeypatch.context() as patched:
            gallery._drawn_by.cache_clear()
            patched.setattr(package, what, other)
            found.add(gallery.look(views[0], "svg"))
    gallery._drawn_by.cache_clear()
    assert len(found) == 4
    assert gallery.look(views[0], "svg") in found


LOADED = """
import sys
import perfguide.charts.draw
print(*{name.split(".")[1] for name in sys.modules if name.startswith("perfguide.")})
"""


def test_what_draws_is_in_the_folders_whose_code_is_in_the_key() -> None:
    known = os.environ | {"PYTHONPATH": str(TOP / "ext")}
    done = subprocess.run(
        [sys.executable, "-c", LOADED], env=known, capture_output=True, text=True, check=True
    )
    assert {*done.stdout.split()} == {"charts", "common"}


# A site


@pytest.fixture
def asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., tuple[str, str]]:
    """What Sphinx's cache depends on, and what the site does, for some options of the command."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "conf.py").write_text("import os\ntitle = os.environ.get('TITLE')\n", "utf-8")

    def ask(*options: str) -> tuple[str, str]:
        found: list[tuple[str, str]] = []

        def build(
            _at: object, _last: object, depends: str, asked: str, _run: object
        ) -> tuple[int, Site]:
            found.append((depends, asked))
            return 0, {}

        with monkeypatch.context() as patched:
            patched.setattr(atomic_swap, "build", build)
            assert main(["build", *options]) == 0
        return found[0]

    return ask


def test_options_configuration_and_surroundings_are_in_the_key_of_a_site(
    asked: Callable[..., tuple[str, str]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = asked()
    for said in (["-v"], ["-j", "3"], ["--", "-q"]):
        assert asked(*said)[1] == asked(*said)[1]
    assert asked("-v") == asked("-j", "3") == first
    found = [asked("--strict"), asked("--results", "elsewhere"), asked("--", "-D", "numfig=1")]
    with monkeypatch.context() as patched:
        patched.setattr(command, "surroundings", lambda *_modules: "others")
        found.append(asked())
    with (tmp_path / "conf.py").open("a", encoding="utf-8") as conf:
        conf.write("# more\n")
    found.append(asked())
    assert len({first[0], *(depends for depends, _ in found)}) == 6
    assert len({first[1], *(both for _, both in found)}) == 6


def test_what_a_configuration_takes_from_elsewhere_is_seen(
    asked: Callable[..., tuple[str, str]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = asked()
    monkeypatch.setenv("TITLE", "Other")
    later = asked()
    assert later[0] == first[0] and later[1] != first[1]
    (tmp_path / "conf.py").write_text("tags.has('x')\n", "utf-8")
    assert asked()[1] != asked()[1]  # only Sphinx knows what that sets


def test_the_packages_of_extensions_and_theme_are_in_the_key_of_a_site(
    asked: Callable[..., tuple[str, str]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = list[tuple[str, ...]]()

    def note(*modules: str) -> str:
        found.append(modules)
        return "same"

    monkeypatch.setattr(command, "surroundings", note)
    (tmp_path / "conf.py").write_text("extensions = ['a', 'b.c']\nhtml_theme = 'd'\n", "utf-8")
    asked()
    assert found == [("a", "b.c", "d")]


def test_values_that_are_alike_have_one_hash(tmp_path: Path) -> None:
    conf = tmp_path / "conf.py"
    conf.write_text("a = {'x': {3, 1, 2}, 'y': [1, (2,)]}\ndef f(): pass\n", "utf-8")

    def hashed() -> str:
        return last_build.hash_of_values(last_build.values_of(conf))

    first = hashed()
    conf.write_text("def f(): return 1\na = {'y': [1, (2,)], 'x': {1, 2, 3}}\n", "utf-8")
    assert hashed() == first
    conf.write_text("a = {'y': [1, (2,)], 'x': {1, 2, 4}}\ndef f(): pass\n", "utf-8")
    assert hashed() != first
