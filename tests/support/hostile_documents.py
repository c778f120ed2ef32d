"""Documents written to exhaust a reader, or to make it leave the guide."""

from __future__ import annotations

from collections.abc import Callable

TABLE = '\n\n.. csv-table::\n   :header: "Name","evm: rate (MB/s)"\n\n   "copy","1.5"\n'
MARKDOWN_TABLE = "\n\n|Name|rate|\n|-|-|\n|copy|1.5|\n"
HTML_TABLE = "<table><tr><th>Name</th><th>rate</th></tr><tr><td>copy</td><td>1.5</td></tr></table>"


def _substitutions(depth: int, width: int) -> str:
    lines = [f".. |a{n}| replace:: {f'|a{n + 1}| ' * width}" for n in range(depth)]
    return (
        "\n".join(
            [*lines, f".. |a{depth}| replace:: x", "", "===== ==", "A     B", "===== ==", "|a0|  1"]
        )
        + "\n===== ==\n"
    )


def _grid(rows: int, columns: int) -> str:
    rule = "+---" * columns + "+\n"
    return rule + ("| 1 " * columns + "|\n" + rule) * rows


def _list_table(rows: int, columns: int) -> str:
    row = "   * - 1\n" + "     - 1\n" * (columns - 1)
    return ".. list-table::\n\n" + row * rows


def _sections(depth: int) -> str:
    marks = "=-~^\"'`#*+:.,_!$%&();<>?@[]{|}/\\"
    return "".join(f"T{n}\n{marks[n % len(marks)] * 4}\n\n" for n in range(depth))


def _nested_directives(depth: int) -> str:
    return "".join("   " * n + ".. note::\n\n" for n in range(depth)) + "   " * depth + "x\n"


RST: dict[str, Callable[[], str]] = {
    "substitutions": lambda: _substitutions(20, 4),
    "substitutions-wide": lambda: _substitutions(3, 3000),
    "substitution-of-itself": lambda: (
        ".. |a| replace:: |b|\n.. |b| replace:: |a|\n\n== ==\nA  B\n== ==\nx  |a|\n== ==\n"
    ),
    "substitution-chain": lambda: _substitutions(1500, 1),
    "bullets": lambda: "- " * 3000 + "x\n",
    "bullets-short": lambda: "- " * 300 + "x\n",
    "quotes": lambda: "\n\n".join(" " * n + "x" for n in range(2000)),
    "enumerated": lambda: "1. " * 2000 + "x\n",
    "sections": lambda: _sections(33),
    "many-sections": lambda: "".join(f"Title {n}\n=========\n\n" for n in range(5000)),
    "directives": lambda: _nested_directives(300),
    "definitions": lambda: "".join(" " * n + f"x{n}\n" for n in range(1500)),
    "inline": lambda: "*a* `b`_ **c** |d| ``e``\n" * 7000,
    "inline-open": lambda: "*a " * 60000,
    "inline-short": lambda: ("*a* `b`_ **c** |d| ``e``\n" * 350 + "\n") * 20,
    "backquotes": lambda: "`" * 99000,
    "references": lambda: "a_ " * 50000,
    "targets": lambda: "".join(f".. _a{n}: a{n + 1}_\n" for n in range(5000)),
    "footnotes": lambda: "[#]_ " * 3000 + "\n\n" + ".. [#] x\n" * 3000,
    "urls": lambda: "http://a.b/" * 9000,
    "grid": lambda: _grid(300, 100),
    "grid-wide": lambda: _grid(10, 1500),
    "grid-long": lambda: _grid(2000, 2),
    "grid-open": lambda: "+---" * 1000 + "+\n" + "|   " * 1000 + "|\n" * 500,
    "simple-table": lambda: "== ==\n" + "1  2\n" * 10000 + "== ==\n",
    "list-table": lambda: _list_table(100, 100),
    "list-table-deep": lambda: ".. list-table::\n\n   * - " + "- " * 400 + "x\n",
    "csv-wide": lambda: ".. csv-table::\n\n   " + "1," * 40000 + "\n",
    "csv-long": lambda: ".. csv-table::\n\n" + "   1,2\n" * 120000,
    "csv-field": lambda: '.. csv-table::\n\n   "' + "x\n   " * 90000 + '"\n',
    "csv-header-rows": lambda: ".. csv-table::\n   :header-rows: 99999999\n\n   1,2\n",
    "long-line": lambda: "x" * 200_000 + "\n",
    "characters": lambda: "\x00\x0b\x0c\u202e\ufffd\U000e0001" * 10000,
    "include": lambda: ".. include:: {secret}\n.. include:: ../secret\n",
    "literalinclude": lambda: ".. literalinclude:: {secret}\n",
    "raw-file": lambda: ".. raw:: html\n   :file: {secret}\n",
    "raw-url": lambda: ".. raw:: html\n   :url: file://{secret}\n",
    "raw-role": lambda: ".. role:: x(raw)\n   :format: html\n\n:x:`<script>`\n",
    "csv-file": lambda: ".. csv-table::\n   :file: {secret}\n",
    "csv-file-above": lambda: ".. csv-table::\n   :file: ../secret\n",
    "csv-link": lambda: ".. csv-table::\n   :file: link.csv\n",
    "csv-url": lambda: ".. csv-table::\n   :url: file://{secret}\n",
    "csv-encoding": lambda: ".. csv-table::\n   :encoding: punycode\n\n   1,2\n",
    "figure": lambda: ".. figure:: {secret}\n   :figwidth: image\n",
    "perf-table": lambda: ".. perf-table:: T\n   :file: ../secret\n",
    "code": lambda: ".. role:: c(code)\n   :language: python\n\n:c:`" + "(" * 9000 + "`\n",
    "class": lambda: ".. sectnum::\n.. contents::\n.. class:: x\n.. meta::\n   :a: b\n",
}
HTML: dict[str, Callable[[], str]] = {
    "spans": lambda: "<table><tr><td rowspan=1000 colspan=1000>1" + "<tr><td>2" * 20 + "</table>",
    "spans-many": lambda: "<table>" + "<tr><td rowspan=65534 colspan=400>1" * 5000 + "</table>",
    "spans-text": lambda: "<table>" + f"<tr><td colspan=500>{'x' * 9000}" * 200 + "</table>",
    "columns": lambda: "<table><tr>" + "<td>1" * 20_000 + "</table>",
    "rows": lambda: "<table>" + "<tr><td>1" * 110_000 + "</table>",
    "tables": lambda: "<table><tr><td>" * 20000,
    "headings": lambda: "<h1>a" * 100_000,
    "open-tags": lambda: "<a " * 200_000,
    "comments": lambda: "<!--" * 100_000,
    "declarations": lambda: "<![CDATA[" * 50_000,
    "attributes": lambda: "<td " + "a=1 " * 300_000 + ">",
    "entities": lambda: "<table><tr><td>" + "&amp" * 300_000 + "</table>",
    "scripts": lambda: "<script>" * 100_000,
}
MARKDOWN: dict[str, Callable[[], str]] = {
    "quotes": lambda: ">" * 50_000 + "a\n",
    "quote-lines": lambda: "".join(">" * n + "a\n" for n in range(1000)),
    "lists": lambda: "- " * 20_000 + "x\n",
    "list-lines": lambda: "".join("  " * n + "- x\n" for n in range(1500)),
    "emphasis": lambda: "*a **b " * 20_000,
    "links": lambda: "[" * 50_000,
    "link-definitions": lambda: "".join(f"[a{n}]: x\n" for n in range(40_000)),
    "backquotes": lambda: "".join("`" * n + " " for n in range(400)),
    "pipes": lambda: "|a" * 40_000 + "\n" + "|-" * 40_000 + "\n" + "|\n" * 2000,
    "rows": lambda: "|a|b|\n|-|-|\n" + "|1|2|\n" * 100_000,
    "html": lambda: "<table><tr><td rowspan=1000 colspan=1000>1</table>\n\n" * 200,
    "fences": lambda: "```{csv-table}\n1,2\n```\n" * 1500,
    "fence-of-grid": lambda: "```{eval-rst}\n" + _grid(100, 100) + "```\n",
}
DOCUMENTS: dict[str, Callable[[], str]] = {
    f"{name}{ending}": document
    for ending, kind in ((".rst", RST), (".html", HTML), (".md", MARKDOWN))
    for name, document in kind.items()
}
"""Documents by name; each is followed by an ordinary table."""


def text(name: str) -> str:
    """Return a document followed by the table."""
    ending = name.rpartition(".")[2]
    table = {"rst": TABLE, "html": HTML_TABLE, "md": MARKDOWN_TABLE}[ending]
    return DOCUMENTS[name]() + table
