"""What withdrawals changed is listed with old, new, when and why, and in the feed."""

from __future__ import annotations

import csv
import json
import random
import re
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from conftest import run_sphinx
from making import described, loaded, only, plain, result, text

from perfguide import bundle
from perfguide.bundles import supersede
from perfguide.bundles.decode import Loaded
from perfguide.bundles.faults import BUNDLE, validate
from perfguide.bundles.guide_key import guide_key
from perfguide.catalog.benchmarks import Catalog
from perfguide.common import parallel
from perfguide.export import feed
from perfguide.figures import dataset, errata
from perfguide.figures.errata import Erratum
from perfguide.pages import build

ATOM = "{http://www.w3.org/2005/Atom}"
OLD = plain(
    result("copy", value=10.0),
    result("scale", value=20.0),
    result("add", value=30.0),
    id="old",
    created="2024-01-01T00:00:00Z",
    runner__name="lab",
)
NEW = plain(
    result("copy", value=11.5),
    result("scale", value=20.0),
    id="new",
    created="2024-02-01T08:00:00+02:00",
    runner__name="lab",
    supersedes=["old"],
    reason="the clock was 1000 MHz instead of 1400 MHz",
)


def found(*bundles: Loaded, described: Catalog | None = None) -> list[Erratum]:
    return errata.find(supersede.settle(bundles), described or Catalog({}))


def item(plain: dict[str, Any], **changes: Any) -> Loaded:
    decoded = bundle.decode(text({**plain, **changes}))
    return Loaded("results", f"{decoded.id}.json", decoded, bundle.digest(decoded))


def told(erratum: Erratum) -> dict[str, tuple[float | None, float | str | None]]:
    return {
        change.record.metric: (change.old.mean, change.new.mean if change.new else "gone")
        for change in erratum.changes
    }


def test_a_withdrawal_lists_what_changed_and_what_is_gone_and_nothing_else() -> None:
    erratum = only(found(item(OLD), item(NEW)))
    assert (erratum.by.bundle.id, [o.bundle.id for o in erratum.withdrawn]) == ("new", ["old"])
    assert told(erratum) == {"copy": (10.0, 11.5), "add": (30.0, "gone")}


def test_figures_of_other_runs_stay_in_the_mean_before_and_after() -> None:
    beside = plain(result("copy", value=20.0), id="beside", created="2024-01-05T00:00:00Z")
    later = plain(result("copy", value=99.0), id="later", created="2024-03-01T00:00:00Z")
    erratum = only(found(item(OLD), item(NEW), item(beside), item(later)))
    assert told(erratum)["copy"] == (15.0, 15.75)


def test_runs_that_only_join_others_are_no_errata() -> None:
    assert found(item(OLD), item(NEW, supersedes=[], id="joins")) == []


def test_withdrawals_of_withdrawals_are_told_one_by_one_the_newest_first() -> None:
    third = item(
        plain(
            result("copy", value=12.0),
            id="third",
            created="2024-03-01T00:00:00Z",
            runner__name="lab",
            supersedes=["new"],
        )
    )
    newest, older = found(item(OLD), item(NEW), third)
    assert told(newest) == {"copy": (11.5, 12.0), "scale": (20.0, "gone")}
    assert told(older) == {"copy": (10.0, 11.5), "add": (30.0, "gone")}


def test_a_run_that_was_uploaded_for_the_wrong_release_leaves_that_release() -> None:
    moved = item({**NEW, "sdk": {"version": "09.02", "os": "linux"}})
    erratum = only(found(item(OLD), moved))
    assert {c.record.guide.release for c in erratum.changes} == {"09.01"}
    assert set(told(erratum).values()) == {(10.0, "gone"), (20.0, "gone"), (30.0, "gone")}


def test_a_figure_that_failed_afterwards_is_listed() -> None:
    failed = item({**NEW, "results": [result("copy", status="fail")]})
    assert told(only(found(item(OLD), failed)))["copy"] == (10.0, None)


def test_the_order_of_uploads_does_not_matter() -> None:
    items = [
        item(OLD),
        item(NEW),
        item(plain(result("copy", value=20.0), id="beside", created="2024-01-05T00:00:00Z")),
        loaded(id="else", board__soc="AM64X"),
    ]
    expected = found(*items)
    for seed in range(6):
        random.Random(seed).shuffle(items)
        assert found(*items) == expected


def test_units_and_defaults_of_the_catalog_hold_before_and_after(tmp_path: Path) -> None:
    old = plain(
        result(unit="kB/s", value=5000.0, params={"block_size": 16}),
        id="old",
        created="2024-01-01T00:00:00Z",
        runner__name="lab",
    )
    new = plain(
        result(unit="MB/s", value=5.0, params={"block_size": 16, "engine": "sw"}),
        id="new",
        runner__name="lab",
        supersedes=["old"],
    )
    assert only(found(item(old), item(new), described=described(tmp_path))).changes == ()


def test_the_schema_knows_the_reason_and_old_bundles_keep_their_hash() -> None:
    assert "reason" in bundle.schema()["$defs"]["Bundle"]["properties"]
    assert "reason" not in bundle.schema()["$defs"]["Bundle"]["required"]
    assert any(f.name == "reason" for f in BUNDLE.fields)
    assert b"reason" not in bundle.encode(item(OLD).bundle)
    _, faults = validate(text({**NEW, "reason": 7}))
    assert [(f.pointer, f.kind) for f in faults] == [("/reason", "schema")]


# -- pages -----------------------------------------------------------------------


def generated(top: Path, *bundles: dict[str, Any]) -> Path:
    (top / "results").mkdir(exist_ok=True)
    for number, found in enumerate(bundles):
        (top / "results" / f"{number}.json").write_bytes(text(found))
    build.generate(dataset.Settings((top / "results",), (), top / "out"), run=parallel.here)
    return top / "out"


def test_the_pages_say_old_new_when_and_why(tmp_path: Path) -> None:
    out = generated(tmp_path, OLD, NEW)
    listed = list(
        csv.DictReader(
            (out / "reports/errata/withdrawals.data.csv").read_text("utf-8").splitlines()
        )
    )
    assert listed == [
        {
            "Bundle": "new",
            "On": "2024-02-01T08:00:00+02:00",
            "Guide": "AM62X, Linux 09.01",
            "Withdraws": "old",
            "Why": "the clock was 1000 MHz instead of 1400 MHz",
            "Figures changed": "2",
        }
    ]
    page = out / "reports/errata/AM62X/linux/09.01.rst"
    table = only(list(page.with_suffix("").glob("*.data.csv")))
    changed = [
        (r["Board"], r["Metric"], r["Unit"], r["Published"], r["Corrected"])
        for r in csv.DictReader(table.read_text("utf-8").splitlines())
    ]
    assert changed == [
        ("sk", "add", "MB/s", "30.0", "withdrawn"),
        ("sk", "copy", "MB/s", "10.0", "11.5"),
    ]
    guide = (out / "guides/AM62X/linux/09.01.rst").read_text("utf-8")
    assert ":ref:`errata of this guide <errata/am62x/linux/09.01>`" in guide


def test_without_withdrawals_the_list_says_so_and_guides_do_not_mention_it(tmp_path: Path) -> None:
    out = generated(tmp_path, OLD)
    assert "No published figure was changed." in (out / "reports/errata.rst").read_text("utf-8")
    assert "rrata" not in (out / "guides/AM62X/linux/09.01.rst").read_text("utf-8")


def test_errata_of_a_release_that_is_gone_stay(tmp_path: Path) -> None:
    moved = {**NEW, "sdk": {"version": "09.02", "os": "linux"}}
    out = generated(tmp_path, OLD, moved)
    assert not (out / "guides/AM62X/linux/09.01.rst").exists()
    page = (out / "reports/errata/AM62X/linux/09.01.rst").read_text("utf-8")
    assert "all of its bundles were withdrawn" in page


# -- feed ------------------------------------------------------------------------


def _project(project: Path) -> Path:
    hostile = {**NEW, "reason": "<b>&\x1b[2J ]]> *wrong* `clock`"}
    for name, content in (("old", OLD), ("new", hostile)):
        (project / f"results/{name}.json").write_bytes(text(content))
    return project


def _entries(path: Path) -> list[dict[str, str]]:
    root = ElementTree.parse(path).getroot()
    assert root.tag == f"{ATOM}feed"
    for name in ("title", "id", "updated", "author"):
        assert root.find(ATOM + name) is not None
    out = []
    for entry in root.iter(f"{ATOM}entry"):
        found = {child.tag.removeprefix(ATOM): child.text or "" for child in entry}
        link = entry.find(f"{ATOM}link")
        assert link is not None
        out.append(found | {"href": link.attrib["href"]})
    return out


@pytest.mark.parametrize("builder", ["html", "dirhtml"])
def test_the_feed_has_releases_and_errata_with_links_that_lead_there(
    project: Path, tmp_path: Path, builder: str
) -> None:
    built = run_sphinx(_project(project), tmp_path / "html", "-b", builder, "-W", "-n")
    assert (built.returncode, built.stderr) == (0, "")
    release, erratum = sorted(_entries(tmp_path / "html/feed.xml"), key=lambda e: e["title"])
    assert erratum["title"] == "Erratum: AM62X, Linux 09.01, sk"
    assert erratum["updated"] == "2024-02-01T06:00:00Z"
    assert "2 figures were changed by “new”" in erratum["summary"]
    assert r"<b>&\x1b[2J ]]> *wrong* `clock`" in erratum["summary"]
    assert release["title"] == "AM62X, Linux 09.01"
    assert release["updated"] == "2024-02-01T06:00:00Z"
    for entry in (erratum, release):
        assert entry["id"].startswith("urn:uuid:")
        target = tmp_path / "html" / entry["href"]
        assert (target / "index.html" if builder == "dirhtml" else target).is_file()
    page = (tmp_path / "html/source/guides/index.html").read_text("utf-8")
    if builder == "html":
        link = re.search(
            r'<link rel="alternate" type="application/atom\+xml"[^>]*href="(.*?)"', page
        )
        assert link and (tmp_path / "html/source/guides" / link[1]).resolve().is_file()
    shown = [p.read_text("utf-8") for p in (tmp_path / "html/source/reports").rglob("*.html")]
    assert any("*wrong* `clock`" in page for page in shown)
    assert not any("<b>&" in page for page in shown)


def test_with_a_base_address_the_links_are_whole(project: Path, tmp_path: Path) -> None:
    base = ("-D", "html_baseurl=https://guides.example/perf")
    built = run_sphinx(_project(project), tmp_path / "html", *base)
    assert built.returncode == 0, built.stderr
    entries = _entries(tmp_path / "html/feed.xml")
    assert all(e["href"].startswith("https://guides.example/perf/source/") for e in entries)
    root = ElementTree.parse(tmp_path / "html/feed.xml").getroot()
    own = root.find(f"{ATOM}link")
    assert own is not None
    assert own.attrib == {"rel": "self", "href": "https://guides.example/perf/feed.xml"}


def test_the_feed_is_the_same_in_every_build_and_follows_the_bundles(
    project: Path, tmp_path: Path
) -> None:
    _project(project)
    run_sphinx(project, tmp_path / "html")
    run_sphinx(project, tmp_path / "again")
    first = (tmp_path / "html/feed.xml").read_bytes()
    assert (tmp_path / "again/feed.xml").read_bytes() == first
    (project / "results/new.json").unlink()
    run_sphinx(project, tmp_path / "html")
    assert [e["title"] for e in _entries(tmp_path / "html/feed.xml")] == ["AM62X, Linux 09.01"]


def test_entries_keep_their_identity_wherever_the_site_is() -> None:
    entries = feed.releases([item(OLD)], {guide_key(item(OLD).bundle): "guides/x"})
    feeds = [
        feed.atom(entries, "T", "A", lambda page, base=base: base + page)  # type: ignore[misc]
        for base in ("", "https://one.example/", "https://two.example/")
    ]
    names = {tuple(re.findall(rb"<id>(.*?)</id>", data)) for data in feeds}
    assert len(names) == 1
    assert json.dumps(entries)
