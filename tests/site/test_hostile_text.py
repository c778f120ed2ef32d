"""Whatever the strings of an upload hold shows inert, in every format and on every page."""

from __future__ import annotations

import csv
import json
import os
import re
import shutil
import subprocess
import unicodedata
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable
from pathlib import Path
from xml.etree.ElementTree import Element

import html5lib
import pytest
from conftest import GENERATED, bare_project, run_sphinx
from html_tables import NAMESPACE, figures
from making import plain
from prepared import run_module
from profiles import count
from site_links import broken

from perfguide.common import csv_text
from perfguide.common.diagnostics import visible
from perfguide.pages import plain_project

Bundle = Callable[..., Path]

SECRET = "the-words-of-the-secret-file"
TEXTS = [
    "\n\n.. raw:: html\n\n   <script>taken</script>\n\n",
    "\n\n.. include:: /secret.txt\n\n",
    "\n\n.. literalinclude:: ../../../../secret.txt\n\n",
    "\n\n.. csv-table::\n   :file: /secret.txt\n\n",
    ":download:`x </secret.txt>` |x| `x <javascript:taken>`_",
    "\n\n.. image:: /secret.png\n\n.. |x| image:: /secret.png\n",
    "</td></table><script>taken</script><!--",
    '" onmouseover="taken" x="',
    "]]></script><svg onload=taken>",
    "{{ config }} {% raw %} {0} %s %(x)s ${HOME} $(id) `id`",
    "=cmd|'/C calc'!A0",
    "-1+1",
    "@SUM(1)",
    "\x1b[2J\x1b]0;taken\x07",
    "\x9b31mred",
    "user\u202egnp.exe\u202c",
    "\u2066a\u2069\u200f\u061c",
    "a\x00b\x01\x7f\x85",
    "\r=1\t=2",
    "\ufeff\u200b\ufffe\U000e0041",
    "\\input{/etc/passwd} \\write18{id} $x^2$ %&#_{}~",
    "‘’“”'\"`´«» – — … ﷽",
    "á̵̡̢̗̟̬" * 20,
    "x" * 3000,
]
DRAWN = [n for n, text in enumerate(TEXTS) if "taken" in text or "\u202e" in text][::3]
"""Those that charts show too; each takes a while to draw."""
NAMES = [text for text in TEXTS if text.isprintable() and len(text) <= 200]


def _hostile(project: Path) -> None:
    """Every text in every place of a bundle that takes it."""
    shutil.rmtree(project / "results")
    (project / "secret.txt").write_text(f"{SECRET}\n", "utf-8")
    (project / "secret.png").write_bytes(b"\x89PNG" + SECRET.encode())
    for number, text in enumerate(TEXTS):
        name = text if text in NAMES else f"name-{number}"
        place = text if text in NAMES[:4] else "SOC1"
        openssl = {"benchmark": "openssl", "metric": "throughput", "unit": "kB/s"}
        points = [
            {
                **openssl,
                "params": {"algorithm": text, "block_size": size, "engine": engine},
                "samples": [number + size, number + size + 1],
                "command": text,
            }
            for size in (16, 64, 256)
            for engine in ("sw", text)
            if number in DRAWN
        ]
        result = {
            "benchmark": name,
            "metric": name,
            "unit": name,
            "value": number + 1,
            "params": {name: text},
            "command": text,
            "log": {"file": name, "line": 1},
        }
        bundle = plain(
            result,
            *points,
            id=f"{name} {number}",
            runner={"name": name, "job_url": text, "version": text},
            sdk={"version": name, "os": place, "name": place, "kernel": text, "image": text},
            board={
                "name": name,
                "soc": place,
                "description": text,
                "memory": text,
                "governor": text,
            },
            tools={name: text},
        )
        (project / "results").mkdir(exist_ok=True)
        (project / f"results/{number}.json").write_text(json.dumps(bundle), "utf-8")


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Path:
    project = bare_project(tmp_path_factory.mktemp("hostile") / "project")
    _hostile(project)
    return project


Built = tuple[Path, subprocess.CompletedProcess[str]]
VERSION = ("-D", "version=1")
"""EPUB wants one; builds with the same settings take the pages that the first of them has read."""


@pytest.fixture(scope="module")
def built(hostile: Path) -> Built:
    run = run_sphinx(hostile, hostile.parent / "html", "-n", "-j2", *VERSION)
    # Other tests add uploads and build again.
    shutil.copytree(hostile / "source", hostile.parent / "sources")
    return hostile.parent / "html", run


@pytest.fixture(scope="module")
def trees(built: Built) -> dict[Path, Element]:
    """The pages of that site as a browser understands them."""
    return {path: html5lib.parse(path.read_text("utf-8")) for path in built[0].rglob("*.html")}


def _is_inert(text: str) -> bool:
    """Nothing that does not show, that moves a cursor or turns the direction round."""
    if text.isprintable():  # of none of these categories, and quick to ask
        return True
    chars = {*text} - {"\n"}
    return all(unicodedata.category(c) not in ("Cc", "Cf", "Cs", "Cn") for c in chars)


def test_html_shows_every_text_and_runs_none(built: Built, trees: dict[Path, Element]) -> None:
    html, run = built
    assert run.returncode == 0
    assert "WARNING" not in run.stderr, run.stderr
    assert _is_inert(run.stdout.replace("\r", "\n")) and _is_inert(run.stderr)
    descriptions = set()  # as html_tables gives them: spaces made one
    for path, tree in trees.items():
        assert SECRET not in path.read_text("utf-8")
        descriptions |= {f.text for f in figures(path, tree) if f.heads[-1] == "Description"}
        for node in tree.iter():
            if node.tag == f"{NAMESPACE}script":
                assert "taken" not in (node.text or "")
            for name, value in node.items():
                assert "taken" not in name and not name.startswith("on"), path
                assert not value.strip().lower().startswith("javascript:"), path
            if path.is_relative_to(html / "source"):
                shown = (node.text or "") + (node.tail or "") + "".join(node.attrib.values())
                assert _is_inert(shown), (path, shown)
    files = [p for p in html.rglob("*") if p.is_file()]
    assert not [p for p in files if SECRET.encode() in p.read_bytes()]
    assert not [p for p in files if p.name.startswith("secret")]
    assert {" ".join(visible(text, 10**6).split()) for text in TEXTS} <= descriptions


def test_every_text_is_in_the_downloads_exactly(built: Built) -> None:
    found = set()
    for path in (built[0] / "_downloads").rglob("*.csv"):
        with path.open(encoding="utf-8", newline="") as file:
            for row in csv.reader(file):
                assert not any(re.match(r"\s*[=+@\t\r]", cell) for cell in row), path
                found |= {csv_text.plain(cell) for cell in row}
    assert set(TEXTS) <= found


@pytest.mark.parametrize("builder", ["latex", "text", "epub", "singlehtml"][: count(3, heavy=4)])
def test_other_formats_hold_no_text_that_acts(
    built: Built, hostile: Path, tmp_path: Path, builder: str
) -> None:
    # Those for screens show the pictures of the site; LaTeX has its own.
    doctrees = tmp_path / "read" if builder == "latex" else f"{built[0]}.doctrees"
    options = ("-b", builder, "-d", str(doctrees), *VERSION)
    run = run_sphinx(hostile, tmp_path / "out", *options, *([] if builder == "epub" else ["-W"]))
    assert run.returncode == 0, run.stderr
    suffixes = {"latex": ".tex", "text": ".txt", "epub": ".xhtml", "singlehtml": ".html"}
    texts = [
        p.read_text("utf-8")
        for p in (tmp_path / "out").rglob(f"*{suffixes[builder]}")
        if p.name != "manual.pdf"
    ]
    assert texts
    for text in texts:
        assert SECRET not in text
        assert "<script>taken" not in text or builder in ("text", "latex")
        assert ("\\input{/etc" not in text and "\\write18" not in text) or builder != "latex"
        bare = re.sub(r"[\u00ad\u200b\ufeff]", "", text)  # what Sphinx itself may put there
        assert _is_inert(bare), [c for c in bare if not _is_inert(c)][:5]


def test_pictures_are_sound_xml_without_scripts(built: Built) -> None:
    pictures = list((built[0] / "_images").rglob("*.svg"))
    assert len(pictures) >= len(DRAWN) > 2
    for path in pictures:
        for node in ElementTree.parse(path).iter():
            assert not node.tag.endswith("}script")
            assert not any(name.lower().startswith("on") for name in node.attrib)
            assert _is_inert(node.text or "")


@pytest.mark.parametrize(
    "arguments",
    [
        ("check", "results"),
        ("list",),
        ("show", "*"),
        ("show", "*", "--json"),
        ("show", "no\x1b[2Jthing"),
        ("generate",),
        ("check", "no\x1b[2Jfile"),
        ("list", "--benchmarks", "no\x1b[2Jfolder"),
        ("list", "--limit", "\x1b[2J=1"),
    ],
)
def test_the_command_prints_nothing_that_a_terminal_obeys(
    hostile: Path, arguments: tuple[str, ...]
) -> None:
    bad = hostile / "results" / "bad\x1b[2J\u202e.json"
    bad.write_text(json.dumps({"id\x1b[2J": "\u202e\x9b", "sdk": "\x00"}), "utf-8")
    done = run_module("perfguide", *arguments, environment=os.environ, folder=hostile)
    out, err = done.stdout, done.stderr
    assert out or err
    assert "Traceback" not in err
    assert _is_inert(out) and _is_inert(err), [c for c in out + err if not _is_inert(c)][:5]
    if "--json" in arguments:
        assert {v for r in json.loads(out) for v in r["params"].values()} >= set(TEXTS)


def test_pack_prints_logs_inert(tmp_path: Path) -> None:
    log = tmp_path / "a\x1b[2J.log"
    log.write_text("\x1b[2J \u202e OpenSSL\x9b speed\n" * 9, "utf-8")
    target = tmp_path / "o\x1b.json"
    done = run_module("perfguide", "pack", log, "-o", target, environment=os.environ)
    assert done.stdout and _is_inert(done.stdout + done.stderr)


# -- raw markup and files on generated pages ---------------------------------------------

PLANT = """

.. raw:: html

   <b>taken</b>

.. include:: /secret.txt

.. literalinclude:: /secret.txt

.. csv-table::
   :file: ../../../../secret.txt
"""


def test_markup_that_got_into_a_generated_page_still_inserts_nothing(
    project: Path, write_bundle: Bundle, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The belt: pages as they would be if a text had not been escaped at all."""
    shutil.rmtree(project / "results")
    write_bundle(project / "results/a.json")
    (project / "secret.txt").write_text(SECRET, "utf-8")
    with (project / "conf.py").open("a") as conf:
        conf.write(
            "def _plant(app, name, source):\n"
            f"    if name.startswith('source/guides/'): source[0] += {PLANT!r}\n"
            f"    if name == 'source/reading': source[0] += {PLANT!r}.partition('.. csv')[0]\n"
            "def setup(app):\n    app.connect('source-read', _plant)\n"
        )
    run = run_sphinx(project, tmp_path / "html", "-E")
    assert run.returncode == 0
    guides = list((tmp_path / "html/source/guides").rglob("*.html"))
    assert len(guides) > 2
    for page in guides:
        text = page.read_text("utf-8")
        assert "<b>taken</b>" not in text and SECRET not in text, page
    assert run.stderr.count("directive disabled") > 2 * len(guides) // 2
    # What the site's own people write may do it.
    own = (tmp_path / "html/source/reading.html").read_text("utf-8")
    assert "<b>taken</b>" in own and SECRET in own


def test_a_benchmarks_own_text_may_insert_files(
    project: Path, write_bundle: Bundle, tmp_path: Path
) -> None:
    shutil.rmtree(project / "results")
    result = {"benchmark": "nbench", "metric": "idea", "unit": "iterations/s", "value": 1}
    write_bundle(project / "results/a.json", [result])
    (project / "own.txt").write_text("words of our own file", "utf-8")
    text = "What it measures.\n\n.. raw:: html\n\n   <i>ours</i>\n\n.. include:: /own.txt\n"
    (project / "source/benchmarks/nbench.rst").write_text(text, "utf-8")
    run = run_sphinx(project, tmp_path / "html", "-W")
    assert run.returncode == 0, run.stderr
    page = (tmp_path / "html/source/by-benchmark/nbench.html").read_text("utf-8")
    assert "<i>ours</i>" in page and "words of our own file" in page


# -- the same pages without the extension ------------------------------------------------


def _shown(node: Element) -> str:
    return " ".join("".join(node.itertext()).split())


def test_pages_built_without_the_extension_show_the_same_texts(
    built: Built, trees: dict[Path, Element], hostile: Path, tmp_path: Path
) -> None:
    pages = tmp_path / "pages"
    for name in GENERATED:
        shutil.copytree(hostile.parent / "sources" / name, pages / name)
    for name, text in plain_project.OWN_FILES.items():
        (pages / name).write_text(text, "utf-8")
    shutil.copy(hostile / "secret.txt", tmp_path / "secret.txt")
    run = run_sphinx(pages, tmp_path / "html", "-W", "--keep-going", "-n", "-q")
    assert (run.returncode, run.stderr) == (0, "")
    site, rich = tmp_path / "html", built[0] / "source"
    found = {path: html5lib.parse(path.read_text("utf-8")) for path in site.rglob("*.html")}
    assert list(broken(site, found)) == []
    cells = set()
    for path, tree in found.items():
        assert SECRET not in path.read_text("utf-8")
        body = next(node for node in tree.iter() if node.get("role") == "main")
        for node in body.iter():
            assert node.tag not in (f"{NAMESPACE}script", f"{NAMESPACE}iframe")
            for name, value in node.items():
                assert "taken" not in name and not name.startswith("on"), path
                assert name != "href" or OURS.match(value), (path, value)
        page = rich / path.relative_to(site)
        if page in trees:
            whole = _shown(trees[page])
            own = {re.sub(r" [‡†±*]$", "", _shown(n)) for n in body.iter() if n.tag in CELLS}
            # Columns in plain tables; in these tabs, and one column headed by the unit of its rows.
            own -= {"Algorithm", "Metric", "Unit"}
            assert not [text for text in own if text not in whole], path
            cells |= own
    assert {" ".join(visible(text, 10**6).split()) for text in TEXTS} <= cells
    assert not [p for p in site.rglob("*") if p.is_file() and SECRET.encode() in p.read_bytes()]


CELLS = (f"{NAMESPACE}td", f"{NAMESPACE}th")
OURS = re.compile(r"#|(\.\./)*[\w./=@-]*(#[\w./=-]+)?$|https://(datatracker\.ietf\.org)/")
"""The addresses that pages lead to by themselves: other pages, files, and standards."""
