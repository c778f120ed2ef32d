"""Whatever ``check`` accepts is published, however odd its figures are; and where a part of the
site cannot be made, the rest of it stands."""

from __future__ import annotations

import io
import tarfile
from pathlib import Path
from typing import Any

import pytest
import sound
from making import plain, result, text
from profiles import count

from perfguide import bundle
from perfguide.cli import main
from perfguide.common import parallel, rst_text
from perfguide.figures.dataset import Settings
from perfguide.health import cell_rules
from perfguide.pages import write_tables
from perfguide.pages.build import Outcome, generate


def openssl(value: float, metric: str = "throughput", unit: str = "kB/s", **params: Any) -> Any:
    given = {"algorithm": "aes-128-cbc", **params}
    return result(metric, unit, benchmark="openssl", value=value, params=given)


def sized(engine: str, value: float, load: float, block_size: object = 16) -> list[Any]:
    """A run of openssl over two block sizes, with its load."""
    return [
        openssl(value, block_size=block_size, engine=engine),
        openssl(value, block_size=1024, engine=engine),
        openssl(load, "cpu_load", "%", engine=engine),
    ]


def copied(value: float, **more: Any) -> dict[str, Any]:
    return plain(result("copy", "MB/s", benchmark="stream", value=value), **more)


CASES: dict[str, list[dict[str, Any]]] = {
    "a block size that is a name": [
        plain(*sized("hw", 2.0, 10.0, "16k"), *sized("sw", 1.0, 90.0, "16k"))
    ],
    "a load of nothing and one of everything": [
        plain(*sized("hw", 1e-200, 1e-200), *sized("sw", 1e200, 1e200)),
        plain(*sized("hw", 1e200, 1e200), *sized("sw", 1e-200, 1e-200), id="b", board__name="two"),
    ],
    "three boards worlds apart": [
        copied(value, id=f"run-{name}", board__name=name)
        for name, value in zip("abc", (1e-200, 1e-200, 1e200), strict=True)
    ],
    "a load that was next to nothing": [
        plain(
            openssl(rate, block_size=16, engine="hw"),
            openssl(load, "cpu_load", "%", block_size=16, engine="hw"),
            id=f"run-{name}",
            sdk__version=name,
        )
        for name, rate, load in (("09.00", 1e100, 1e-308), ("09.01", 2e100, 3.5))
    ],
    "releases worlds apart": [
        copied(value, id=f"run-{name}", sdk__version=name)
        for name, value in (("09.00", 1e-200), ("09.01", 1e200), ("09.02", 1e-200))
    ],
}


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("name", CASES)
def test_an_odd_upload_is_published(name: str, tmp_path: Path) -> None:
    sound.publish(CASES[name], tmp_path, charts=True)


def test_the_name_of_a_member_may_be_longer_than_that_of_a_file(tmp_path: Path) -> None:
    given = result(log={"file": "a.log", "line": 1})
    data = text(plain(given))
    with tarfile.open(tmp_path / "a.tar", "w") as tar:
        member = tarfile.TarInfo(f"{'x' * 300}.json")
        member.size = len(data)
        tar.addfile(member, io.BytesIO(data))
    settings = Settings((tmp_path,), (sound.DESCRIPTIONS,), tmp_path / "out", formats=())
    outcome = generate(settings, run=parallel.here)
    assert outcome.figures == 1 and not [d for d in outcome.diagnostics if d.kind == "unmade"]


@pytest.mark.parametrize("seed", range(count(4, heavy=100)))
def test_any_archive_that_check_accepts_is_published(seed: int, tmp_path: Path) -> None:
    sound.publish(sound.of_many_sizes(seed), tmp_path, charts=seed == 0, seed=seed)


@pytest.mark.parametrize("seed", range(count(2, heavy=100)))
def test_names_with_a_meaning_elsewhere_are_published(seed: int, tmp_path: Path) -> None:
    sound.publish(sound.named(seed), tmp_path, seed=seed)


def test_the_generator_uses_every_key_of_the_schema() -> None:
    schema = bundle.schema()["$defs"]
    archives = [sound.of_many_sizes(seed) for seed in range(60)]
    bundles = [each for archive in archives for each in archive]
    results = [each for bundle in bundles for each in bundle["results"]]
    found = {
        "Bundle": bundles,
        "Result": results,
        **{
            key.title(): [b[key] for b in bundles if key in b] for key in ("sdk", "board", "runner")
        },
        "Log": [r["log"] for r in results if "log" in r],
        "Note": [note for b in bundles for note in b.get("notes", ())],
    }
    assert found.keys() == {name for name in schema if "properties" in schema[name]}
    for name, each in found.items():
        assert set().union(*each) == schema[name]["properties"].keys(), name


# Parts that cannot be made


@pytest.fixture
def results(tmp_path: Path) -> Path:
    folder = tmp_path / "results"
    folder.mkdir()
    other = result("scale", "MB/s", benchmark="stream", value=2.0)
    bundle = plain(*sized("hw", 2.0, 10.0), *sized("sw", 1.0, 90.0), other, sdk__version="09.00")
    (folder / "a.json").write_bytes(text(bundle))
    return folder


def made(results: Path) -> tuple[Outcome, str]:
    """What a run did, and the guide that it wrote."""
    settings = Settings((results,), (sound.DESCRIPTIONS,), results.parent / "out", formats=())
    outcome = generate(settings, run=parallel.here)
    (guide,) = results.parent.glob("out/guides/*/linux/09.00.rst")
    return outcome, rst_text.plain(guide.read_text("utf-8"))


def test_a_table_that_cannot_be_made_has_a_notice_in_its_place(
    results: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sound_outcome, before = made(results)
    make = write_tables._written

    def fail(site: Any, page: str, name: str, title: str, grid: Any, *of_view: Any) -> Any:
        if of_view and "openssl" in name:
            raise ZeroDivisionError("`division` by *zero*")
        return make(site, page, name, title, grid, *of_view)

    monkeypatch.setattr(write_tables, "_written", fail)
    outcome, guide = made(results)
    assert "could not be made: ZeroDivisionError" in guide
    (first, *_) = [d for d in outcome.diagnostics if d.kind == "unmade"]
    assert first.origin.endswith("09.00.rst") and first.severity == "warning"
    assert guide.count("csv-table::") < before.count("csv-table::")
    assert "stream" in guide and outcome.figures == sound_outcome.figures
    monkeypatch.undo()
    assert made(results)[1] == before, "it is tried again in each run"


def test_a_page_that_cannot_be_made_has_a_notice_and_the_others_stand(
    results: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise RecursionError("too deep")

    monkeypatch.setattr("perfguide.pages.guide._description", fail)
    outcome, guide = made(results)
    assert "could not be made: RecursionError" in guide and "csv-table" not in guide
    assert len([d for d in outcome.diagnostics if d.kind == "unmade"]) == 1
    assert any((results.parent / "out/by-benchmark").glob("openssl.rst"))


def test_a_rule_of_health_that_fails_takes_no_other_with_it(
    results: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def broken_rule(_: object) -> None:
        raise OverflowError("math range error")

    monkeypatch.setattr("perfguide.health.rules.CHECKS", (broken_rule, *cell_rules.CHECKS))
    main(["health", "--benchmarks", str(sound.DESCRIPTIONS), str(results)])
    assert "“broken rule” could not be made: OverflowError" in capsys.readouterr().err


def test_a_full_disk_ends_a_run(results: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("perfguide.pages.guide._description", full)
    with pytest.raises(OSError, match="No space left"):
        made(results)
