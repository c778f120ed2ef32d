"""Put the comparison of ``guides.sh`` on the pull request or merge request that the job runs for.

    python comment.py build/reports/comment.md

It needs nothing but Python. The comment is found again by a hidden mark in its last line and by its
author, so no other comment is ever edited. A second push renews it. A report that is missing
because nothing was compared renews it too: what the comment said before no longer holds.

GitHub: GH_TOKEN (permission pull-requests: write) and PULL_REQUEST. The report is also in the
summary of the job. The token of a pull request from a fork may not write: then it is only there.
GitLab: PERFGUIDE_TOKEN, an access token of the project with the scope api and the role Reporter.
Without it the report is an artifact only.

PERFGUIDE_SITE    address of the published site, if it has one
PERFGUIDE_REPORT  address of the complete report      default: the job
PERFGUIDE_KEY     tells several comments on one request apart   default: PERFGUIDE_RESULTS

The exit status is 0 also where the service refuses the comment for want of rights, and 2 where
anything else prevents it.
"""

from __future__ import annotations

import json
import os
import sys
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from http import HTTPStatus
from pathlib import Path
from typing import Any

TITLE = "### Performance: "
NO_REPORT = f"{TITLE}nothing was compared\n\nThe log of the job says why.\n"
MAX_COMMENT_CHARS = 65_536
PAGE_SIZE = 100
MAX_PAGES = 100
TIMEOUT_S = 30
NO_RIGHTS = {HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN, HTTPStatus.NOT_FOUND}


@dataclass(frozen=True)
class Service:
    """Addresses and names by which a service keeps the comments on one request."""

    comments: str
    """Address of the list of comments; new ones are posted to it."""
    comment: str
    """Address that a comment's id is appended to."""
    update: str
    """HTTP method that changes a comment."""
    user: str
    """Address that says whose the token is."""
    headers: dict[str, str]
    report: str
    """Address of the job."""


def service(environment: dict[str, str]) -> Service | None:
    """Return the service that runs this job for a request, if it is one and there is a token."""
    get = environment.get
    if get("GITHUB_ACTIONS") and get("GH_TOKEN") and get("PULL_REQUEST"):
        repository = f"{environment['GITHUB_API_URL']}/repos/{environment['GITHUB_REPOSITORY']}"
        web = f"{environment['GITHUB_SERVER_URL']}/{environment['GITHUB_REPOSITORY']}"
        return Service(
            comments=f"{repository}/issues/{environment['PULL_REQUEST']}/comments",
            comment=f"{repository}/issues/comments/",
            update="PATCH",
            user=f"{environment['GITHUB_API_URL']}/user",
            headers={
                "Authorization": f"Bearer {environment['GH_TOKEN']}",
                "Accept": "application/vnd.github+json",
            },
            report=f"{web}/actions/runs/{environment['GITHUB_RUN_ID']}",
        )
    if get("GITLAB_CI") and get("PERFGUIDE_TOKEN") and get("CI_MERGE_REQUEST_IID"):
        project = (
            f"{environment['CI_API_V4_URL']}/projects/{environment['CI_MERGE_REQUEST_PROJECT_ID']}"
        )
        notes = f"{project}/merge_requests/{environment['CI_MERGE_REQUEST_IID']}/notes"
        return Service(
            comments=notes,
            comment=f"{notes}/",
            update="PUT",
            user=f"{environment['CI_API_V4_URL']}/user",
            headers={"PRIVATE-TOKEN": environment["PERFGUIDE_TOKEN"]},
            report=environment["CI_JOB_URL"],
        )
    return None


def mark(key: str) -> str:
    """Return the hidden last line of the comment with this key."""
    return f"<!-- perfguide {urllib.parse.quote(key).replace('-', '%2D')} -->"


def body(report: str, links: list[tuple[str, str]], last_line: str) -> str:
    """Return the comment: the report, links and the mark, within the length that GitHub takes."""
    end = "\n".join(
        [
            "",
            " · ".join(f"[{text}]({address})" for text, address in links if address),
            "",
            last_line,
        ]
    )
    room = MAX_COMMENT_CHARS - len(end)
    if len(report) > room:
        report = report[:room].rpartition("\n")[0]
    return report + end


def is_ours(comment: dict[str, Any], author: int | None, last_line: str) -> bool:
    """Return whether we wrote a comment: it is by our author and begins and ends as ours do.

    A quotation begins otherwise, and a copy of it has another author.
    """
    text = str(comment.get("body") or "")
    by = comment.get("user") or comment.get("author") or {}
    same_author = by.get("type") == "Bot" if author is None else by.get("id") == author
    return same_author and text.startswith(TITLE) and text.rstrip().endswith(f"\n{last_line}")


def ask(at: Service, method: str, address: str, fields: dict[str, str] | None = None) -> Any:
    """Return the JSON that the service answers with."""
    data = None if fields is None else json.dumps(fields).encode()
    request = urllib.request.Request(address, data, method=method)
    request.add_header("Content-Type", "application/json")
    request.add_header("User-Agent", "perfguide")
    for name, value in at.headers.items():
        # Not sent on to where the service redirects.
        request.add_unredirected_header(name, value)
    with urllib.request.urlopen(request, timeout=TIMEOUT_S) as answer:
        return json.load(answer)


def own_id(at: Service) -> int | None:
    """Return the id of the token's user; the token of a workflow of GitHub has none and may not ask."""
    try:
        return int(ask(at, "GET", at.user)["id"])
    except urllib.error.HTTPError as error:
        if error.code in NO_RIGHTS:
            return None
        raise


def comments(at: Service) -> Iterator[dict[str, Any]]:
    """Yield every comment on the request, page by page."""
    for page in range(1, MAX_PAGES + 1):
        found = ask(at, "GET", f"{at.comments}?per_page={PAGE_SIZE}&page={page}")
        if not found:
            return
        yield from found


def publish(at: Service, report: str | None, links: list[tuple[str, str]], key: str) -> str:
    """Renew our comment or write the first one, and return what was done."""
    last_line = mark(key)
    author = own_id(at)
    written = next((each for each in comments(at) if is_ours(each, author, last_line)), None)
    if written is not None:
        text = body(report or NO_REPORT, links, last_line)
        ask(at, at.update, f"{at.comment}{int(written['id'])}", {"body": text})
        return "The comment was renewed."
    if report is None:
        return "Nothing was compared: no comment."
    ask(at, "POST", at.comments, {"body": body(report, links, last_line)})
    return "A comment was written."


def main(arguments: list[str], environment: dict[str, str]) -> int:
    """Write the summary of the job and the comment, and return the exit status."""
    if len(arguments) != 1:
        print("usage: comment.py REPORT", file=sys.stderr)
        return 2
    path = Path(arguments[0])
    report = path.read_text("utf-8") if path.is_file() else None
    if report is not None and (summary := environment.get("GITHUB_STEP_SUMMARY")):
        with Path(summary).open("a", encoding="utf-8") as file:
            file.write(report)
    at = service(environment)
    if at is None:
        print("No comment: there is no request or no token. The report is an artifact of the job.")
        return 0
    links = [
        ("Complete report", environment.get("PERFGUIDE_REPORT") or at.report),
        ("Published site", environment.get("PERFGUIDE_SITE", "")),
    ]
    key = environment.get("PERFGUIDE_KEY") or environment.get("PERFGUIDE_RESULTS") or "results"
    try:
        print(publish(at, report, links, key))
    except urllib.error.HTTPError as error:
        refusal = f"the service answered {error.code} {error.reason}"
        if error.code in NO_RIGHTS:
            print(f"No comment: {refusal}, as to a request from a fork.")
            print("The report is in the summary of the job or among its artifacts.")
            return 0
        print(f"comment.py: no comment: {refusal}", file=sys.stderr)
        return 2
    except (OSError, ValueError) as error:
        print(f"comment.py: no comment: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:], dict(os.environ)))
