"""The server for assistants, asked by the protocol's own client."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import anyio
import pytest
from making import plain, result
from making import text as encoded

from perfguide.cli.command_line import main
from perfguide.cli.mcp_server import server

if TYPE_CHECKING:
    from mcp.types import CallToolResult

NEED = ["openssl/throughput?algorithm=aes-256-cbc&block_size=1024 >= 20 MB/s"]


def openssl(rate: float) -> dict[str, Any]:
    params = {"algorithm": "aes-256-cbc", "engine": "hw", "block_size": 1024}
    return result("throughput", "kB/s", benchmark="openssl", value=rate, params=params)


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    bundles = [
        plain(openssl(30_000), board__name="fast"),
        plain(openssl(15_000), board__name="slow"),
        plain(openssl(29_000), board__name="fast", sdk__version="10.00"),
    ]
    (tmp_path / "results").mkdir()
    for number, bundle in enumerate(bundles):
        path = tmp_path / "results" / f"{number}.json"
        path.write_bytes(encoded({**bundle, "id": str(number)}))
    return tmp_path


def ask(tool: str, **arguments: Any) -> CallToolResult:
    """Return the answer of a server in this process."""
    from mcp import Client  # takes half a second of each process that collects the tests

    async def asked() -> CallToolResult:
        app = server(["--results=results"], "https://example.org/guides/")
        async with Client(app) as client:
            return await client.call_tool(tool, arguments)

    return anyio.run(asked)


def text(answer: CallToolResult) -> str:
    (content,) = answer.content
    assert content.type == "text"
    return content.text


def test_a_client_finds_what_the_command_finds(
    site: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    from mcp import Client, StdioServerParameters  # it wants an open file for errors

    async def asked() -> tuple[list[str], Any]:
        words = ["-m", "perfguide", "mcp", "--results", "results"]
        async with Client(StdioServerParameters(command=sys.executable, args=words)) as client:
            tools = (await client.list_tools()).tools
            assert all(tool.annotations and tool.annotations.read_only_hint for tool in tools)
            found = await client.call_tool("find_boards", {"conditions": NEED})
            return [tool.name for tool in tools], found.structured_content

    before = sorted(site.rglob("*"))
    names, found = anyio.run(asked)
    assert names == [
        *("find_boards", "show_figures", "compare_releases", "check_health", "list_guides")
    ]
    assert main(["find", *NEED, "--results", "results", "--json", "--health"]) == 0
    assert found == json.loads(capfd.readouterr().out)
    groups = {board["board"]: board["group"] for board in found["boards"]}
    assert groups == {"fast": "meets", "slow": "cannot"}
    assert sorted(site.rglob("*")) == before


def test_figures_have_their_unit_sources_health_and_link(site: Path) -> None:
    answer = ask("show_figures", query="*/10.00/fast").structured_content
    assert answer is not None and answer["count"] == 1
    (figure,) = answer["figures"]
    assert (figure["mean"], figure["unit"], figure["health"]) == (29_000, "kB/s", [])
    assert figure["sources"][0]["pointer"] == "/results/0"
    assert figure["engine"] == "hw"
    page = "https://example.org/guides/source/guides/AM62X/linux/10.00.html"
    assert figure["link"].startswith(f"{page}#")


def test_a_comparison_and_the_guides_are_text_for_readers(site: Path) -> None:
    comparison = text(ask("compare_releases", old="09.01", new="10.00"))
    assert "30" in comparison and "09.01" in comparison and "10.00" in comparison
    assert "AM62X" in text(ask("list_guides"))


@pytest.mark.parametrize(
    ("tool", "arguments", "word"),
    [
        ("find_boards", {"conditions": ["fast please"]}, "is not of the form"),
        ("find_boards", {"conditions": ["--json"]}, "is not of the form"),
        ("show_figures", {"query": "--results=/etc"}, "nothing matches"),
        ("compare_releases", {"old": "$(touch x)", "new": "10.00"}, "$(touch x)"),
    ],
)
def test_senseless_and_hostile_questions_get_a_clear_word(
    site: Path, tool: str, arguments: dict[str, Any], word: str
) -> None:
    answer = ask(tool, **arguments)
    assert answer.is_error and word in text(answer)
    assert not (site / "x").exists()
