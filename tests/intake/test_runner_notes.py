"""What the runner warned of and checked reaches the figures that it is about."""

from __future__ import annotations

from pathlib import Path

from making import loaded, only, pooled

from perfguide.bundles.decode import Loaded
from perfguide.bundles.faults import validate
from perfguide.catalog.benchmarks import Catalog
from perfguide.cli import command_line
from perfguide.health.rules import examine

LOG = """\
# perfguide-run: benchmark=openssl nice={nice} engine={engine} algorithm=aes-128-cbc threads=1 \
workload=alone block_sizes=16 repetition=1 command=openssl speed -bytes 16 -evp aes-128-cbc
# perfguide-at: started=2024-04-02T09:30:00Z clock_mhz=1400
type             16 bytes
aes-128-cbc     438879.17k
# perfguide-end: status=0 elapsed=6
"""
SUMMARY = """\
note: In a chamber at 40 °C: mind that.
done: openssl: 12 points
skipped: engine arm-ce: the CPU has no Crypto Extension
skipped: cyclictest: the program is not installed
warning: sw aes-128-cbc: the CPU capability mask has no effect: sw and hw are the same code
warning: seconds: this openssl measures 3 s for each block size
warning: hw.log: something else took the core
failed: dm-crypt sw trial 2: status 1
what is this
"""
CHECKS = """\
mask aes-128-cbc: hw 90 kB/s, sw 90 kB/s: NO EFFECT, sw runs the same code
nice: CPU share 98 % at nice -20, 9 % at nice 10; autogroup 0, job and loop in one session
"""
NICED = f"The runner checked: {CHECKS.splitlines()[1]}"


def test_warnings_become_notes_on_their_figures_and_marks(tmp_path: Path, capsys: object) -> None:
    logs = tmp_path / "logs"
    logs.mkdir()
    for engine in ("sw", "hw"):
        (logs / f"{engine}.log").write_text(LOG.format(engine=engine, nice=0), "utf-8")
    (logs / "summary.txt").write_text(SUMMARY, "utf-8")
    (logs / "checks.txt").write_text(CHECKS, "utf-8")
    who = ["--board", "sk", "--soc", "AM62X", "--sdk", "09.02", "--os", "linux"]
    output = tmp_path / "run.json"
    assert command_line.main(["pack", str(logs), *who, "-o", str(output)]) == 0
    found, faults = validate(output.read_bytes())
    assert found is not None and faults == []
    by_engine = {result.params["engine"]: result.notes for result in found.results}
    assert by_engine["sw"] == [
        "The runner warned: mask aes-128-cbc: hw 90 kB/s, sw 90 kB/s: NO EFFECT, sw runs the same "
        "code",
        NICED,
        "The runner warned: sw aes-128-cbc: the CPU capability mask has no effect: sw and hw are "
        "the same code",
    ]
    assert by_engine["hw"] == [NICED, "The runner warned: hw.log: something else took the core"]
    said = {(note.text, note.benchmark or "") for note in found.notes}
    assert said == {
        ("The runner warned: seconds: this openssl measures 3 s for each block size", "openssl"),
        ("In a chamber at 40 °C: mind that.", ""),
        ("The runner failed: dm-crypt sw trial 2: status 1", ""),
        (
            "Not measured: engine arm-ce: the CPU has no Crypto Extension; cyclictest: the "
            "program is not installed",
            "",
        ),
    }
    pool = pooled([Loaded("", "run.json", found, "digest")])
    findings = [f for f in examine(pool, Catalog({}))[0] if f.rule.id == "runner-warned"]
    assert {s.record.params["engine"] for s in only(findings).suspects} == {"sw", "hw"}


def test_a_summary_of_any_bytes_is_no_obstacle(tmp_path: Path) -> None:
    (tmp_path / "sw.log").write_text(LOG.format(engine="sw", nice=0), "utf-8")
    (tmp_path / "summary.txt").write_bytes(b"warning: \xff\x00: " + b"x" * 10**6 + b"\n" * 3)
    who = ["--board", "sk", "--soc", "AM62X", "--sdk", "09.02", "--os", "linux"]
    output = tmp_path / "out/run.json"
    assert command_line.main(["pack", str(tmp_path), *who, "-o", str(output)]) == 0
    found, _ = validate(output.read_bytes())
    assert found is not None and len(only(found.notes).text) < 1100


def test_a_bundle_without_warnings_has_no_mark() -> None:
    item = loaded({"benchmark": "x", "metric": "y", "unit": "s", "value": 1, "notes": ["fine"]})
    assert [
        f for f in examine(pooled([item]), Catalog({}))[0] if f.rule.id == "runner-warned"
    ] == []
