"""IPsec's keys on both sides, and the search for the highest rate without loss."""

from __future__ import annotations

import re
import stat
from pathlib import Path

import pytest
from corpus import DATA as LOGS
from corpus import built_in
from runner_shell import TRIED_SHELLS, Shell, blocks, make_shell, replaying

from perfguide.adapters import Context, Reading

CRYPTO = """\
name         : cbc(aes)
driver       : cbc-aes-ce
module       : aes_ce_blk
priority     : 300

name         : authenc(hmac(sha256),cbc(aes))
driver       : authenc(hmac(sha256-generic),cbc-aes-neon)
priority     : 100

name         : authenc(hmac(sha256),cbc(aes))
driver       : authenc(hmac(sha256-generic),cbc-aes-ce)
priority     : 3001
"""


@pytest.fixture(params=TRIED_SHELLS)
def shell(request: pytest.FixtureRequest, tmp_path: Path) -> Shell:
    return make_shell(request.param, tmp_path)


def read(log: Path) -> Reading:
    return built_in("perfguide-runner").read(log.read_bytes(), Context(log.name))


def script(path: Path, text: str) -> None:
    path.write_text(f"#!/bin/sh\n{text}")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)


def ip(here: Path) -> Path:
    """An ``ip`` that knows one route and writes down all else, and on which side it ran."""
    calls = here.parent / "ip-calls"
    here.mkdir(exist_ok=True)
    script(
        here / "ip",
        'case "$*" in *"route get"*) echo "192.0.2.1 dev eth0 src 192.0.2.9 uid 0"; exit ;; esac\n'
        f'case "$*" in *des3_ede*) echo "Error: Requested type not found." >&2; exit 2 ;; esac\n'
        f'echo "${{SIDE:-here}} $*" >>{calls}\n',
    )
    script(here / "id", "echo 0\n")
    return calls


def test_both_sides_get_the_same_keys_for_the_port_of_iperf3_alone(tmp_path: Path) -> None:
    # BusyBox's shell would take its own "ip".
    shell, here = make_shell("dash", tmp_path), tmp_path / "here"
    calls = ip(here)
    (tmp_path / "crypto").write_text(CRYPTO)
    replaying(here, "iperf3", LOGS / "iperf3/3.12-udp.json", version="iperf 3.12")
    run = shell.run(
        "--only", "ipsec", "--peer", "192.0.2.1", "--peer-shell", "env SIDE=there",
        "--ipsec-algorithms", "none,aes128-sha256,3des-sha1,rot13", "--ipsec-sizes", "64",
        PATH=f"{here}:{shell.path}", PERFGUIDE_CRYPTO=str(tmp_path / "crypto"),
    )  # fmt: skip
    assert run.returncode == 0, run.stderr
    assert "skipped: ipsec 3des-sha1: Error: Requested type not found." in run.stderr
    assert "skipped: ipsec rot13: the runner does not know it" in run.stderr
    said = calls.read_text().splitlines()
    sides = {
        side: [line.removeprefix(side) for line in said if line.startswith(side)]
        for side in ("here ", "there ")
    }
    states = [[c for c in told if c.startswith("xfrm state add")] for told in sides.values()]
    assert states[0] == states[1]
    assert len(states[0]) == 2
    keys = {re.findall("0x[0-9a-f]{32,}", state)[0] for state in states[0]}
    assert len(keys) == 1
    assert {len(key) for key in keys} == {2 + 32}
    for told in sides.values():
        policies = [c for c in told if c.startswith("xfrm policy add")]
        assert len(policies) == 4
        assert all("port 5201 " in policy for policy in policies)
        directions = re.findall(r"dir (\w+) tmpl src (\S+)", "\n".join(policies))
        own = "192.0.2.9" if told is sides["here "] else "192.0.2.1"
        assert {src for way, src in directions if way == "out"} == {own}
        # Nothing that was added stays.
        assert sum(c.startswith("xfrm policy delete") for c in told) >= 4
        assert told[-1].startswith("xfrm state delete")
    words = [block.words for block in blocks(shell.out / "ipsec.log")]
    assert [(w["algorithm"], w["engine"], w.get("packet_size")) for w in words] == [
        ("none", "none", None), ("none", "none", "64"),
        ("aes128-sha256", "arm-ce", None), ("aes128-sha256", "arm-ce", "64"),
    ]  # fmt: skip
    assert not list((shell.out / ".state").glob("ipsec.keys"))


def test_load_is_that_of_all_cpus_and_datagrams_give_a_packet_rate(tmp_path: Path) -> None:
    head = "# perfguide-run: benchmark=ipsec algorithm=aes128-sha256 stack=xfrm engine=hw"
    log = tmp_path / "ipsec.log"
    log.write_text(
        f"{head} packet_size=1028 datagram=1000 repetition=1 command=iperf3 -u\n"
        + (LOGS / "iperf3/3.12-udp.json").read_text().rstrip("\n")
        + "\n# perfguide-during: samples=2 cpu_load=63.5\n# perfguide-end: status=0 elapsed=1\n"
    )
    reading = read(log)
    params = {"algorithm": "aes128-sha256", "stack": "xfrm", "engine": "hw", "packet_size": 1028}
    assert all(result.params == params for result in reading.results)
    found = {result.metric: result for result in reading.results}
    assert found["packet_rate"].samples == [found["throughput"].samples[0] / 8 / 1000]
    assert found["packet_rate"].unit == "PPS"
    load = found["cpu_load"]
    assert (load.samples, load.unit) == ([63.5], "%")
    assert load.log is not None
    assert "cpu_load=63.5" in log.read_text().split("\n")[load.log.line - 1]
    assert not reading.diagnostics


def link(here: Path, limit: int) -> None:
    """An iperf3 whose link carries so many bit/s, and that fails once in the log of calls."""
    here.mkdir(exist_ok=True)
    script(
        here / "iperf3",
        f"""case $1 in --version) echo 'iperf 3.12'; exit ;; esac
rate=1000000000 size=1000 back=0
while [ $# -gt 0 ]; do
    case $1 in -R) back=1 ;; -b) rate=${{2%%/*}} ;; -l) size=$2 ;; esac
    shift
done
[ "$rate" != 0 ] || rate=1000000000
echo "$rate" >>{here.parent}/rates
lost=0
[ "$rate" -le {limit} ] || lost=7
packets=$((rate / 8 / size))
cat <<END
{{
	"start":	{{ "version": "iperf 3.12", "test_start": {{"protocol": "UDP", "reverse": $back}} }},
	"intervals":	[],
	"end":	{{
		"sum":	{{
			"seconds":	1.0,
			"bits_per_second":	$rate,
			"jitter_ms":	0.011,
			"lost_packets":	$lost,
			"packets":	$packets,
			"lost_percent":	$lost
		}},
		"sum_received":	{{
			"bits_per_second":	$rate,
			"packets":	$packets
		}}
	}}
}}
END
""",
    )


def test_the_search_ends_below_the_limit_of_the_link_and_is_not_run_again(
    shell: Shell, tmp_path: Path
) -> None:
    here = tmp_path / "here"
    link(here, 430_000_000)
    options = ("--only", "loss", "--peer", "192.0.2.1", "--loss-frames", "1518",
               "--loss-steps", "5", "--sample-seconds", "60")  # fmt: skip
    run = shell.run(*options, PATH=f"{here}:{shell.path}")
    assert run.returncode == 0, run.stderr
    results = [r for r in read(shell.out / "loss-free.log").results if r.metric == "throughput"]
    # 31 MHz is what is left of 1 Gbit/s after it was halved five times.
    assert [r.samples for r in results] == [[406_250_000.0]] * 2
    assert {(r.params["direction"], r.params["loss_allowed"], r.params["frame_size"]) for r in results} == {
        ("egress", False, 1518), ("ingress", False, 1518),
    }  # fmt: skip
    trials = read(shell.out / "loss-search.log")
    assert not trials.results
    assert [each.kind for each in trials.diagnostics] == ["log-note"]
    asked = len((tmp_path / "rates").read_text().split())
    again = shell.run(*options, PATH=f"{here}:{shell.path}")
    assert again.returncode == 0
    # Only the server is asked for an answer.
    assert len((tmp_path / "rates").read_text().split()) == asked + 1


def test_a_link_that_always_loses_gives_no_figure(tmp_path: Path) -> None:
    shell, here = make_shell("dash", tmp_path), tmp_path / "here"
    link(here, 0)
    run = shell.run(
        "--only", "loss", "--peer", "192.0.2.1", "--loss-frames", "64", "--loss-steps", "2",
        PATH=f"{here}:{shell.path}",
    )  # fmt: skip
    assert "failed: loss-free rate, egress, frames of 64: datagrams were lost even at" in run.stderr
    assert not (shell.out / "loss-free.log").exists()


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [(["--only", "ipsec"], "name the other side"),
     (["--only", "loss"], "name the other side"),
     (["--only", "ipsec", "--peer", "local"], "the loopback carries no IPsec"),
     (["--only", "ipsec", "--peer", "192.0.2.1"], "the keys have to be set on 192.0.2.1, too")],
)  # fmt: skip
def test_what_is_missing_is_said(arguments: list[str], reason: str, tmp_path: Path) -> None:
    run = make_shell("dash", tmp_path).run(*arguments)
    assert run.returncode == 0
    assert reason in run.stderr


@pytest.mark.parametrize(
    "arguments",
    [["--ipsec-sizes", "20"], ["--ipsec-sizes", "big"], ["--loss-frames", "9000"],
     ["--loss-steps", "0"], ["--ipsec-algorithms", "a b;c"]],
)  # fmt: skip
def test_wrong_sizes_end_with_two(arguments: list[str], tmp_path: Path) -> None:
    assert make_shell("dash", tmp_path).run(*arguments).returncode == 2
