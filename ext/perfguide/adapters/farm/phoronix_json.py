"""Phoronix Test Suite results exported as JSON (``result-file-to-json``).

Layout: ``pts_result_file_output::result_file_to_json`` of phoronix-test-suite:
``systems`` by identifier, ``results`` by hash with ``identifier title arguments
description scale display_format`` and their own ``results`` by system, with
``value``, ``raw_values`` and ``details``. How names map: :mod:`.phoronix`.

The export leaves out whatever is empty, zero or ``false``: a value that is not there
may have been zero or a failure, so it is noted and no figure is made of it. It
also makes numbers of all raw values, and zeros of those that were none: raw
values with a zero among them beside another value are refused.
"""

from __future__ import annotations

from .. import Context, Format, Reading
from ..json_nodes import Node, Source
from ..log_lines import holds
from .collector import Collector, read_documents
from .phoronix import Entry, System, Test, runs, take
from .text import number

EXAMPLE = """\
{
    "title": "stream on the starter kit",
    "systems": {
        "am62xx_sk-fs": {
            "identifier": "am62xx_sk-fs",
            "software": {"OS": "Arago 2023.10", "Kernel": "6.1.80 (aarch64)"},
            "client_version": "10.8.4"
        }
    },
    "results": {
        "0c1d9e5a": {
            "identifier": "pts\\/stream-1.3.4",
            "title": "Stream",
            "arguments": "Copy",
            "description": "Type: Copy",
            "scale": "MB\\/s",
            "proportion": "HIB",
            "display_format": "BAR_GRAPH",
            "results": {
                "am62xx_sk-fs": {"value": 2502.5, "raw_values": [2500, 2505]}
            }
        }
    }
}
"""


def read(data: bytes, context: Context) -> Reading:
    """Return the figures of every exported result file in the text."""
    parsed, collector = read_documents(data, context)
    for root in parsed.roots:
        if "systems" not in root.members or "results" not in root.members:
            continue
        collector.understood(parsed.source.line(root.at), parsed.source.line(root.end - 1))
        systems = {
            name: System(name, s.child("software").string("Kernel"), s.string("client_version"))
            for name, s in root.child("systems").members.items()
        }
        for result in root.child("results").members.values():
            _result(result, systems, parsed.source, collector)
    return collector.reading()


def _result(result: Node, systems: dict[str, System], parsed: Source, collector: Collector) -> None:
    test = Test(
        result.string("identifier"),
        result.string("title"),
        result.string("arguments"),
        result.string("description"),
        result.string("scale"),
        result.string("display_format"),
    )
    for name, entry in result.child("results").members.items():
        value = entry.get("value")
        line = parsed.line((value or entry).at)
        raw = entry.list("raw_values")
        figures = [number(r.text) if r.kind in ("number", "string") else None for r in raw]
        if value is not None and value.kind not in ("number", "string"):
            collector.broken(line, f"{test.description}: a value that is not a number")
            continue
        if None in figures or (0.0 in figures and any(figures)):
            collector.broken(line, f"{test.description}: a raw value that was no number")
            continue
        taken = Entry(
            "" if value is None else value.text,
            tuple(r.text for r in raw),
            line,
            entry.child("details").string("error"),
            _single(entry, "min_result"),
            _single(entry, "max_result"),
        )
        take(test, taken, collector.run(runs(systems, name)), collector)


def _single(entry: Node, key: str) -> str:
    items = entry.list(key)
    return items[0].text if len(items) == 1 else ""


FORMAT = Format(
    name="phoronix-json",
    title="Phoronix Test Suite results, JSON export (result-file-to-json)",
    example=EXAMPLE,
    recognises=holds(
        rb'"systems"\s*:\s*[\[{]', rb'"results"\s*:\s*\{', rb'"(?:scale|display_format)"'
    ),
    read=read,
)
