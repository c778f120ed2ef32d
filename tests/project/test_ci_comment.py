"""The comment on a request: the recipe's own script talks to a server that keeps comments."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
import urllib.parse
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from conftest import TOP

SCRIPT = TOP / "source/ci/comment.py"
REPORT = "### Performance: Look at 2 events before you ship.\n\nSlower.\n"
TOKEN = "secret-token"
BOT = {"id": 41898282, "type": "Bot"}
MARK = "\n<!-- perfguide results -->"


class Api(ThreadingHTTPServer):
    """Comments on request 7 of a project, in pages, as GitHub and GitLab serve them."""

    def __init__(self, kind: str) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.kind = kind
        self.kept: list[dict[str, Any]] = []
        self.asked: list[str] = []
        self.refusal = 0
        """Status by which each change is refused."""
        self.page_size = 100
        self.own = BOT if kind == "github" else {"id": 12, "username": "project_3_bot"}

    def add(self, body: str | None, **author: Any) -> dict[str, Any]:
        """Keep a comment; without words about its author it is by the token's own user."""
        by = "user" if self.kind == "github" else "author"
        comment = {"id": 100 + len(self.kept), "body": body, by: author or self.own}
        self.kept.append(comment)
        return comment

    @property
    def bodies(self) -> list[str]:
        return [str(comment["body"]) for comment in self.kept]


PATHS = {
    "github": ("/repos/o/p/issues/7/comments", "/repos/o/p/issues/comments/", "PATCH"),
    "gitlab": ("/projects/3/merge_requests/7/notes", "/projects/3/merge_requests/7/notes/", "PUT"),
}


class Handler(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        url = urllib.parse.urlsplit(self.path)
        if url.path == "/user":
            # The token of a workflow is of no user.
            self.answer(403 if self.api.kind == "github" else 200, self.api.own)
        elif url.path == PATHS[self.api.kind][0]:
            asked = urllib.parse.parse_qs(url.query)
            size = min(int(asked["per_page"][0]), self.api.page_size)
            start = (int(asked["page"][0]) - 1) * size
            self.answer(200, self.api.kept[start : start + size])
        else:
            self.answer(404, {})

    def do_POST(self) -> None:
        body = self.body()
        if self.path == PATHS[self.api.kind][0] and not self.api.refusal:
            self.answer(201, self.api.add(body))
        else:
            self.answer(self.api.refusal or 404, {"message": "Resource not accessible"})

    def change(self, method: str) -> None:
        body = self.body()
        _, prefix, right = PATHS[self.api.kind]
        if self.api.refusal or method != right or not self.path.startswith(prefix):
            self.answer(self.api.refusal or 404, {})
            return
        (comment,) = [c for c in self.api.kept if c["id"] == int(self.path.removeprefix(prefix))]
        comment["body"] = body
        self.answer(200, comment)

    def do_PATCH(self) -> None:
        self.change("PATCH")

    def do_PUT(self) -> None:
        self.change("PUT")

    @property
    def api(self) -> Api:
        assert isinstance(self.server, Api)
        return self.server

    def body(self) -> str:
        data = self.rfile.read(int(self.headers["Content-Length"]))
        return str(json.loads(data)["body"])

    def answer(self, status: int, value: object) -> None:
        self.api.asked.append(f"{self.command} {self.path.partition('?')[0]}")
        sent = self.headers.get("Authorization", "") + self.headers.get("PRIVATE-TOKEN", "")
        self.send_response(status if TOKEN in sent else 401)
        self.end_headers()
        self.wfile.write(json.dumps(value).encode())

    def log_message(self, *_: object) -> None:
        pass


@dataclass
class Job:
    """A job of a build service that runs the script."""

    api: Api
    folder: Path
    more: dict[str, str] = field(default_factory=dict)

    @property
    def environment(self) -> dict[str, str]:
        top = f"http://127.0.0.1:{self.api.server_port}"
        github = {
            "GITHUB_ACTIONS": "true",
            "GITHUB_API_URL": top,
            "GITHUB_SERVER_URL": "https://github.test",
            "GITHUB_REPOSITORY": "o/p",
            "GITHUB_RUN_ID": "99",
            "GITHUB_STEP_SUMMARY": str(self.folder / "summary.md"),
            "GH_TOKEN": TOKEN,
            "PULL_REQUEST": "7",
        }
        gitlab = {
            "GITLAB_CI": "true",
            "CI_API_V4_URL": top,
            "CI_MERGE_REQUEST_PROJECT_ID": "3",
            "CI_MERGE_REQUEST_IID": "7",
            "CI_JOB_URL": "https://gitlab.test/o/p/-/jobs/5",
            "PERFGUIDE_TOKEN": TOKEN,
        }
        return {**(github if self.api.kind == "github" else gitlab), **self.more}

    def run(self, report: str | None = REPORT, **more: str) -> subprocess.CompletedProcess[str]:
        path = self.folder / "comment.md"
        path.unlink(missing_ok=True)
        if report is not None:
            path.write_text(report, "utf-8")
        return subprocess.run(
            [sys.executable, SCRIPT, path],
            env={**self.environment, **more, "PYTHONUTF8": "1"},
            capture_output=True,
            text=True,
            check=False,
            timeout=60,
        )


@pytest.fixture(params=["github", "gitlab"])
def job(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Job]:
    with Api(request.param) as api:
        threading.Thread(target=api.serve_forever, daemon=True).start()
        yield Job(api, tmp_path)
        api.shutdown()


def test_the_first_push_writes_a_comment_that_says_what_it_is_about_and_links(job: Job) -> None:
    run = job.run(PERFGUIDE_SITE="https://site.test/guides/")
    assert (run.returncode, run.stderr) == (0, "")
    (body,) = job.api.bodies
    assert body.splitlines()[0] == "### Performance: Look at 2 events before you ship."
    address = {"github": "https://github.test/o/p/actions/runs/99"}
    expected = address.get(job.api.kind, "https://gitlab.test/o/p/-/jobs/5")
    assert f"[Complete report]({expected}) · [Published site](https://site.test/guides/)" in body
    assert TOKEN not in run.stdout + body


def test_the_next_push_renews_that_comment_and_no_other(job: Job) -> None:
    job.api.page_size = 2  # ours is on the third page
    ours = f"{REPORT}old{MARK}"
    others = [
        job.api.add("Coverage: 93 %"),
        job.api.add(None),
        job.api.add(REPORT),  # without the mark
        job.api.add(f"> {ours}"),  # a quotation
        job.api.add(ours, id=5, type="User", username="somebody"),  # a copy by somebody
        job.api.add(ours.replace("results", "nightly")),  # another job's
    ]
    written = job.api.add(ours)
    others.append(job.api.add("Coverage: 94 %"))
    before = [other["body"] for other in others]
    assert job.run("### Performance: Ship.\n").returncode == 0
    assert [other["body"] for other in others] == before
    assert len(job.api.kept) == len(others) + 1
    assert written["body"].startswith("### Performance: Ship.\n") and "old" not in written["body"]
    # The comment that was renewed is found again.
    assert job.run().returncode == 0 and len(job.api.kept) == len(others) + 1


def test_jobs_with_other_results_have_comments_of_their_own(job: Job) -> None:
    for folder in ("results", "nightly/--results>", "results"):
        assert job.run(PERFGUIDE_RESULTS=folder).returncode == 0
    assert len(job.api.kept) == 2
    assert [body.splitlines()[-1].count("--") for body in job.api.bodies] == [2, 2]


def test_a_report_that_is_gone_takes_back_what_the_comment_said(job: Job) -> None:
    assert job.run(None).returncode == 0 and job.api.kept == []
    job.run()
    assert job.run(None).returncode == 0
    (body,) = job.api.bodies
    assert body.startswith("### Performance: nothing was compared\n")
    job.run()
    assert job.api.bodies[0].startswith(REPORT)


@pytest.mark.parametrize("status", [401, 403, 404])
def test_a_token_that_may_not_write_fails_no_job(job: Job, status: int) -> None:
    job.api.refusal = status
    run = job.run()
    assert (run.returncode, run.stderr) == (0, "")
    assert f"the service answered {status}" in run.stdout and job.api.kept == []
    assert any(asked.startswith("POST") for asked in job.api.asked)
    if job.api.kind == "github":
        assert (job.folder / "summary.md").read_text("utf-8") == REPORT


def test_without_a_token_nothing_is_asked(job: Job) -> None:
    run = job.run(GH_TOKEN="", PERFGUIDE_TOKEN="")
    assert run.returncode == 0 and "no token" in run.stdout
    assert job.api.asked == []
    if job.api.kind == "github":
        assert (job.folder / "summary.md").read_text("utf-8") == REPORT


def test_a_service_that_fails_is_reported_by_the_exit_status(job: Job) -> None:
    job.api.refusal = 500
    run = job.run()
    assert run.returncode == 2 and "no comment: the service answered 500" in run.stderr
    job.api.shutdown()
    job.api.server_close()
    run = job.run()
    assert run.returncode == 2 and "Connection refused" in run.stderr
    assert "Traceback" not in run.stderr


def test_a_comment_is_never_longer_than_the_service_takes(job: Job) -> None:
    assert job.run(REPORT + "x × y\n" * 20_000).returncode == 0
    (body,) = job.api.bodies
    assert 65_000 < len(body) <= 65_536 and body.endswith(MARK)
    assert job.run().returncode == 0 and len(job.api.kept) == 1
