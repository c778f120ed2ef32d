"""The command ``mcp``: a read-only Model Context Protocol server for the results.

Each tool runs a command of perfguide, so an assistant gets the same answer as a person.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any, Literal

from .. import __version__
from ..common import extras
from ..common.diagnostics import SEVERITIES
from . import shared

if TYPE_CHECKING:
    from mcp.server import MCPServer

MAX_ITEMS = 50
"""The default number of figures or findings in one answer."""

INSTRUCTIONS = """\
Benchmark figures of boards, by SoC and SDK release. Every figure has its unit, the runs that it comes from and, under
“health”, the findings that doubt it: do not quote a doubted figure without them. A missing figure was not measured.
list_guides says which SoCs, systems and releases there are."""


def add_parsers(add: shared.AddParser) -> None:
    """Add the command to the command line."""
    parser = add(
        "mcp",
        "Communicates on standard input and output, and changes nothing. Its tools are find_boards, "
        "show_figures, compare_releases, check_health and list_guides.",
    )
    parser.add_argument(
        "--site", default="", metavar="URL", help="address of the published site, for links"
    )
    shared.add_site(parser)
    parser.set_defaults(run=_run)


def _run(options: argparse.Namespace) -> int:
    extras.require("mcp")
    site = [f"--results={path}" for path in shared.results_of(options)]
    site += [f"--benchmarks={options.benchmarks}", f"--store={options.store}"]
    site += [f"--limit={name}={number}" for name, number in options.limit]
    shared.site_settings(options)  # report a mistyped folder now rather than in the first answer
    server(site, options.site).run("stdio")
    return shared.OK


@dataclass(frozen=True, slots=True)
class Tools:
    """The tools of a server for the results that the command options ``site`` select; ``url`` is
    the address of the published site, or empty."""

    site: Sequence[str]
    url: str = ""

    def find_boards(
        self, conditions: list[str], soc: str = "*", os: str = "*", release: str = "*"
    ) -> dict[str, Any]:
        """Find the boards that meet a need, with the engine, margin and release of each figure.

        A condition is BENCHMARK/METRIC?NAME=VALUE&NAME=VALUE >= NUMBER UNIT, or <=, such as
        “openssl/throughput?algorithm=aes-256-cbc&block_size=1024 >= 20 MB/s” and “openssl/cpu_load
        <= 40 %”. Conditions on one benchmark hold for the same run."""
        limits = [f"--soc={soc}", f"--os={os}", f"--release={release}"]
        answers = _json("find", [*self.site, *limits, "--json", "--health"], conditions)
        return _with_links(answers, self.url)

    def show_figures(
        self,
        query: str,
        params: dict[str, str] | None = None,
        os: str = "*",
        limit: int = MAX_ITEMS,
    ) -> dict[str, Any]:
        """Return figures with their unit, spread, setup and sources.

        A query is SOC/RELEASE/BOARD/BENCHMARK/METRIC; parts at its end may be left out, * is any
        name. ``params`` narrows it: {"block_size": "1024"}."""
        limits = [f"--param={name}={value}" for name, value in (params or {}).items()]
        figures = _json("show", [*self.site, *limits, f"--os={os}", "--json", "--health"], [query])
        return _with_links({"count": len(figures), "figures": figures[: max(limit, 1)]}, self.url)

    def compare_releases(
        self,
        old: str,
        new: str,
        soc: str = "*",
        os: str = "*",
        board: str = "*",
        form: Literal["markdown", "json"] = "markdown",
    ) -> str:
        """Compare two releases (09.01, latest) or two boards (board=sk), and judge the changes."""
        limits = [f"--soc={soc}", f"--os={os}", f"--board={board}"]
        options = [*self.site, *limits, f"--format={form}", "--fail-on=never"]
        return _output("compare", options, [old, new])

    def check_health(
        self,
        soc: str = "*",
        severity: Literal["error", "warning", "note"] = "warning",
        limit: int = MAX_ITEMS,
    ) -> dict[str, Any]:
        """Return findings about figures that are impossible or unlikely, of a severity or worse."""
        checked = _json("health", [*self.site, "--format=json", "--fail-on=error"], [])
        grave = SEVERITIES[: SEVERITIES.index(severity) + 1]
        findings = [
            finding
            for finding in checked["findings"]
            if fnmatchcase(finding["guide"]["soc"].casefold(), soc.casefold())
            and finding["severity"] in grave
            and not finding["acknowledged"]
        ]
        return _with_links(
            {"count": len(findings), "findings": findings[: max(limit, 1)]}, self.url
        )

    def list_guides(self) -> str:
        """List the guides: SoC, system, release, boards and number of figures."""
        return _output("list", self.site, [])


def server(site: Sequence[str], url: str = "") -> MCPServer[Any]:
    """Return a server with all :class:`Tools`."""
    from mcp.server import MCPServer
    from mcp.types import ToolAnnotations

    app: MCPServer[Any] = MCPServer(
        "perfguide", instructions=INSTRUCTIONS, version=__version__, log_level="WARNING"
    )
    tool = app.tool(annotations=ToolAnnotations(read_only_hint=True, open_world_hint=False))
    run = Tools(site, url)
    for method in (
        *(run.find_boards, run.show_figures, run.compare_releases),
        *(run.check_health, run.list_guides),
    ):
        tool(method)
    return app


def _json(command: str, options: Sequence[str], arguments: Sequence[str]) -> Any:
    return json.loads(_output(command, options, arguments))


def _output(command: str, options: Sequence[str], arguments: Sequence[str]) -> str:
    """Return the output of a command; if there is none, raise its message as a
    :class:`ToolError`."""
    from mcp.server.mcpserver.exceptions import ToolError

    # After "--", nothing written by a model is taken for an option.
    words = [sys.executable, "-m", "perfguide", command, *options, "--", *arguments]
    # Our stdin belongs to the protocol. A nonzero status is not an error: it can mean that faults
    # exist.
    run = subprocess.run(words, capture_output=True, check=False, stdin=subprocess.DEVNULL)
    text = run.stdout.decode("utf-8", "replace")
    if not text.strip():
        message = run.stderr.decode("utf-8", "replace").strip()
        raise ToolError(message or f"perfguide {command} has no answer")
    return text


def _with_links(answer: Mapping[str, Any], url: str) -> dict[str, Any]:
    """Add a link to each section of an answer, if the address of the site is known."""

    def linked(value: Any) -> Any:
        if isinstance(value, list):
            return [linked(item) for item in value]
        return _with_links(value, url) if isinstance(value, Mapping) else value

    out = {key: linked(value) for key, value in answer.items()}
    if url and isinstance(section := out.get("section"), str):
        page, _, anchor = section.partition("#")
        out["link"] = f"{url.rstrip('/')}/source/{page}.html#{anchor}"
    return out
