"""The page for labs: from logs of boards to a site, by its own commands and files."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

from conftest import TOP
from corpus import DATA as LOGS
from followed import codes, search_path
from runner_shell import replaying


def test_the_page_leads_from_boards_to_a_site(tmp_path: Path) -> None:
    page = (TOP / "source/lab.rst").read_text("utf-8").partition("With LAVA\n")[0]
    blocks = [(each.caption or each.kind, each.text) for each in codes(page)]
    (listed,) = (text for name, text in blocks if name == "text" and text.startswith("# name"))
    (run,) = (text for name, text in blocks if "--only boot,programs" in text)
    (pack,) = (text for name, text in blocks if "perfguide pack" in text)
    (take,) = (text for name, text in blocks if text.startswith("perfguide intake"))
    lab, site = tmp_path / "lab", tmp_path / "site"
    for folder in (lab, site / "inbox", site / "results"):
        folder.mkdir(parents=True)
    for name, text in blocks:
        if name in {"conf.py", "index.rst"}:
            (site / name).write_text(text, "utf-8")
    (lab / "boards.txt").write_text(listed.replace(" --peer 10.0.0.1", ""))
    # A folder stands for each board, and a log that a board printed for its program.
    here = replaying(tmp_path / "here", "coremark", LOGS / "coremark/1.0.log").parent
    remote = tmp_path / "ssh"
    remote.write_text(
        f'#!/bin/sh\nexec sh -c "$(printf "%s\\n" "$2" | sed "s#/PERFGUIDE#{tmp_path}/$1#g")"\n'
    )
    remote.chmod(0o755)
    path = f"{here}:{search_path()}"

    def shell(script: str, folder: Path) -> str:
        result = subprocess.run(
            ["sh", "-ec", script], cwd=folder, capture_output=True, text=True, check=False,
            env={"PATH": path, "HOME": str(tmp_path), "LC_ALL": "C.UTF-8"},
        )  # fmt: skip
        assert result.returncode == 0, f"{script}\n{result.stdout}\n{result.stderr}"
        assert "Traceback" not in result.stderr and "WARNING" not in result.stderr, result.stderr
        return result.stdout

    (alias, *_, command) = run.strip().splitlines()
    (loop,) = re.findall(r'^alias boards="(.*)"$', alias)
    loop = loop.replace("/opt/perfguide", str(TOP)).replace("/etc/perfguide/", "")
    words = command.removeprefix("boards").replace(" -- ", f" -r {remote} -d /PERFGUIDE -- ")
    report = shell(f"{loop} {words} --programs coremark", lab)
    assert report.count("\tdone\t") == 3
    (upload,) = re.findall(r"``(cp outbox/\S+) /srv/perfguide/inbox/``", page)
    shell(pack[: pack.index("/opt/")] + f"{upload} {site}/inbox/", lab)
    said = shell(take.replace("intake", "intake --settle 0"), site)
    assert "3 taken, 0 duplicate, 0 refused" in said
    assert "2 guides, 2 SoCs" in said
    assert (site / "build/html/index.html").is_file()
    bundles = [each.read_text() for each in site.glob("results/*/linux/09.02/*.json")]
    assert len(bundles) == 3
    assert all('"my-lab"' in bundle for bundle in bundles)
    assert not [*(site / "inbox").rglob("*.json*"), *(site / "inbox").rglob("*.zst")]
