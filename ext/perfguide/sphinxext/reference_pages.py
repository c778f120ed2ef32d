"""Directives that show the references which are made from the code."""

from __future__ import annotations

import ast
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, ClassVar

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective
from sphinx.util.typing import ExtensionMetadata, OptionSpec

from ..cli import command_line
from ..common.package import ROOT
from . import config, reference


def _text(words: str) -> list[nodes.Node]:
    """Words with code between double backquotes, as docstrings have it."""
    out: list[nodes.Node] = []
    for number, piece in enumerate(words.split("``")):
        if piece:
            out.append(nodes.literal(piece, piece) if number % 2 else nodes.Text(piece))
    return out


def _defined(rows: Sequence[tuple[str, str, str]], name: Any = None) -> nodes.definition_list:
    """A list of (name, what stands beside it, meaning)."""
    out = nodes.definition_list(classes=["perf-reference"])
    for term, beside, words in rows:
        head = nodes.term("", "", nodes.literal(term, term))
        if name:
            head["ids"] = [name(term)]
        if beside:
            head += [nodes.Text(" — "), *_text(beside)]
        body = nodes.definition("", nodes.paragraph("", "", *_text(words)))
        out += nodes.definition_list_item("", head, body)
    return out


class _Reference(SphinxDirective):
    option_spec: ClassVar[OptionSpec] = {}

    def depend(self, *modules: Path) -> None:
        """Read the page again when the code behind it changes."""
        for module in modules:
            self.env.note_dependency(str(module))


class PerfConfig(_Reference):
    """The values of ``conf.py``."""

    def run(self) -> list[nodes.Node]:
        """Make the nodes."""
        self.depend(Path(config.__file__))
        rows = [
            (name, f"default: ``{default!r}``", f"{text[0].upper()}{text[1:]}.")
            for name, default, _, text in config.VALUES
        ]
        return [_defined(rows, lambda term: nodes.make_id(term))]


class PerfCommands(_Reference):
    """The commands, or one of them."""

    optional_arguments = 1

    def run(self) -> list[nodes.Node]:
        """Make the nodes."""
        self.depend(*(ROOT / "cli").glob("*.py"))
        out: list[nodes.Node] = []
        for command in reference.commands(command_line.parser()):
            if self.arguments and command.name != self.arguments[0]:
                continue
            title = f"perfguide {command.name}"
            section = nodes.section(ids=[nodes.make_id(title)], names=[title])
            section += nodes.title("", "", nodes.literal(title, title))
            section += nodes.paragraph("", command.text)
            section += nodes.literal_block(command.usage, command.usage, language="text")
            rows = [(option.written, "", option.text or "See above.") for option in command.options]
            section += _defined(rows) if rows else []
            out.append(section)
        return out


class PerfKeys(_Reference):
    """The keys of one kind of file or of one part of it."""

    required_arguments = 1
    option_spec: ClassVar[OptionSpec] = {"but": directives.unchanged}

    def run(self) -> list[nodes.Node]:
        """Make the nodes."""
        name = self.arguments[0]
        if name not in reference.TYPES:
            raise self.error(f"“{name}” is none of {', '.join(reference.TYPES)}")
        of = reference.TYPES[name]
        self.depend(Path(sys.modules[of.__module__].__file__ or ""))
        rows = []
        for key in reference.keys(of):
            default = f", default ``{key.default}``" if key.default else ""
            beside = f"{key.kind}, required" if key.default == "required" else key.kind + default
            rows.append((key.name, beside, key.text or "The name says it."))
        return [_defined(rows, lambda term: nodes.make_id(f"{name}-{term}"))]


class PerfModules(_Reference):
    """The modules of the package, with the first line of what each says of itself."""

    def run(self) -> list[nodes.Node]:
        """Make the nodes."""
        rows = []
        for path in sorted(ROOT.rglob("*.py")):
            if path.stem.startswith("__"):
                continue
            self.depend(path)
            words = ast.get_docstring(ast.parse(path.read_text("utf-8"))) or ""
            rows.append((path.stem, "", " ".join(words.split("\n\n")[0].split())))
        return [_defined(rows)]


def setup(app: Sphinx) -> ExtensionMetadata:
    """Register the directives."""
    app.add_directive("perf-config", PerfConfig)
    app.add_directive("perf-commands", PerfCommands)
    app.add_directive("perf-keys", PerfKeys)
    app.add_directive("perf-modules", PerfModules)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
