"""Reference pages made from the code: keys of files, values of ``conf.py``, and commands.

The docstring of a field explains a key, and the parser explains an option; these directives turn
them into lists.
"""

from __future__ import annotations

import argparse
import ast
import inspect
import textwrap
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from types import ModuleType

import msgspec
from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.console import strip_colors
from sphinx.util.docutils import SphinxDirective

from .. import bundle
from ..adapters import format_schema
from ..catalog import benchmarks, board_names, chart_spec, waivers
from ..cli import command_line
from ..common import units
from ..common.package import ROOT
from ..health import acknowledged
from ..importing import mapping
from . import config, internals

TYPES: dict[str, type[msgspec.Struct]] = {
    "bundle": bundle.Bundle,
    "runner": bundle.Runner,
    "sdk": bundle.Sdk,
    "board": bundle.Board,
    "result": bundle.Result,
    "log": bundle.Log,
    "note": bundle.Note,
    "benchmark": benchmarks.Entry,
    "metric": benchmarks.Metric,
    "param": benchmarks.Param,
    "table": benchmarks.Table,
    "derived": benchmarks.Derived,
    "remark": benchmarks.Remark,
    "fact": benchmarks.Fact,
    "chart": chart_spec.Chart,
    "log-format": format_schema.Description,
    "log-lines": format_schema.Lines,
    "log-figure": format_schema.Figure,
    "log-table": format_schema.Table,
    "import-map": mapping.Map,
    "import-guide": mapping.Guide,
    "import-table": mapping.Rule,
    "import-column": mapping.Column,
    "import-board": mapping.BoardEntry,
    "import-words": mapping.Words,
    "acknowledged": acknowledged.Acknowledgement,
    "waiver": waivers.Spec,
    "change-note": waivers.Note,
    "level": waivers.Level,
    "board-names": board_names.Board,
    "guide-note": board_names.GuideNote,
}
"""Types with a reference, by the argument of ``perf-keys``."""

WORDS = {
    "str": "text",
    "Text": "text",
    "Words": "text",
    "Name": "name",
    "int": "whole number",
    "Whole": "whole number",
    "Count": "whole number from 1",
    "float": "number",
    "Figure": "number",
    "Percent": "number, in %",
    "Step": "number",
    "bool": "true or false",
    "Scalar": "text, number or boolean",
    "Value": "text, number or boolean",
    "datetime": "date and time with an offset",
}
"""The words of the file formats for types and their aliases in the code."""


@dataclass(frozen=True, slots=True)
class Key:
    """A key of a file: its name, its type in words, its default, and its meaning."""

    name: str
    kind: str
    default: str
    text: str


def keys(struct: type[msgspec.Struct]) -> list[Key]:
    """Return every key of a type, in order, with the docstring of its field."""
    module, fields = inspect.getmodule(struct), annotated(struct)
    out = []
    for field in msgspec.structs.fields(struct):
        default = field.default
        if field.default_factory is not msgspec.NODEFAULT:
            default = field.default_factory()
        if default is msgspec.NODEFAULT:
            default_text = "required"
        # An empty default is no news to readers.
        elif default is None or default is msgspec.UNSET or default in ("", (), [], {}):
            default_text = ""
        else:
            default_text = str(default).lower() if isinstance(default, bool) else str(default)
        kind, text = fields[field.name]
        out.append(Key(field.encode_name, _worded(kind, module), default_text, text))
    return out


def annotated(owner: type) -> dict[str, tuple[ast.expr, str]]:
    """Return the annotation and docstring of each field, by name."""
    (base,) = owner.__bases__
    out = {} if base is msgspec.Struct else annotated(base)
    (tree,) = ast.parse(textwrap.dedent(inspect.getsource(owner))).body
    assert isinstance(tree, ast.ClassDef)
    # Append a statement, so that the last field is followed by one too.
    for statement, below in pairwise([*tree.body, ast.Pass()]):
        match statement:
            case ast.AnnAssign(target=ast.Name(id=name), annotation=kind):
                text = ast.get_docstring(ast.Module([below], [])) or ""
                out[name] = kind, " ".join(text.split())
    return out


def _worded(node: ast.expr, module: ModuleType | None) -> str:
    """Return a type in the terms of the file formats."""
    match node:
        case ast.BinOp(left=left, right=right):
            words = [_worded(side, module) for side in (left, right)]
            return " or ".join(word for word in words if word)
        case ast.Constant(value=None) | ast.Name(id="UnsetType"):
            return ""
        case ast.Name(id=name):
            allowed = _allowed(getattr(module, name, None))
            return allowed or WORDS.get(name) or f"object: {name.lower()}"
        case ast.Attribute(attr=name):
            return _allowed(getattr(units, name, None)) or WORDS.get(name, name)
        case ast.Subscript(value=ast.Name(id="Literal"), slice=inner):
            values = inner.elts if isinstance(inner, ast.Tuple) else [inner]
            return _either([value.value for value in values if isinstance(value, ast.Constant)])
        case ast.Subscript(value=ast.Name(id="Annotated"), slice=ast.Tuple(elts=[first, *_])):
            return _worded(first, module)
        case ast.Subscript(value=ast.Name(id="dict"), slice=ast.Tuple(elts=[_, value])):
            return f"table: name to {_worded(value, module)}"
        case ast.Subscript(value=ast.Name(id="list" | "tuple" | "Sequence"), slice=inner):
            first = inner.elts[0] if isinstance(inner, ast.Tuple) else inner
            return f"list of {_worded(first, module)}"
    return ast.unparse(node)


def _allowed(literal: object) -> str:
    """Return the words that a ``Literal`` allows; an empty string for anything else."""
    values = getattr(literal, "__args__", ())
    return _either(values) if all(isinstance(value, str) for value in values) else ""


def _either(words: Iterable[object]) -> str:
    return " or ".join(f"“{word}”" for word in words)


@dataclass(frozen=True, slots=True)
class Command:
    """A command: its name, description and usage, and its options with their meanings."""

    name: str
    text: str
    usage: str
    options: dict[str, str]


def commands(parser: argparse.ArgumentParser) -> list[Command]:
    """Return the commands of a parser, in order."""
    out = []
    for name, command in internals.subcommands(parser).items():
        options = {
            _written(argument): (argument.help or "See above.").replace("%%", "%")
            for argument in internals.arguments(command)
        }
        text = " ".join((command.description or "").split())
        out.append(Command(name, text, _usage(command), options))
    return out


MAX_LINE_CHARS = 79
"""The length of a line of usage, so that it fits a terminal."""


def _usage(command: argparse.ArgumentParser) -> str:
    """Return the usage of a command as ``--help`` prints it, without the word in front."""
    command.formatter_class = partial(argparse.HelpFormatter, width=MAX_LINE_CHARS)
    # Some versions of Python use colours.
    lines = strip_colors(command.format_usage()).rstrip().split("\n")
    return "\n".join(line[len("usage: ") :] for line in lines)


def _written(argument: argparse.Action) -> str:
    """Return an argument with all its names, and its value if it takes one."""
    value = str(argument.metavar or argument.dest.upper())
    if argument.choices:
        value = "{" + ",".join(map(str, argument.choices)) + "}"
    if not argument.option_strings:
        return value
    written = ", ".join(argument.option_strings)
    return f"{written} {value}" if argument.nargs != 0 else written


def _text(words: str) -> list[nodes.Node]:
    """Return the nodes of a docstring, in which double backquotes enclose code."""
    out: list[nodes.Node] = []
    for number, piece in enumerate(words.split("``")):
        if piece:
            out.append(nodes.literal(piece, piece) if number % 2 else nodes.Text(piece))
    return out


def _defined(
    rows: Iterable[tuple[str, str, str]], address: Callable[[str], str] | None = None
) -> nodes.definition_list:
    """Return a list of (name, note, meaning); ``address`` maps a name to its anchor."""
    out = nodes.definition_list(classes=["perf-reference"])
    for term, note, words in rows:
        head = nodes.term("", "", nodes.literal(term, term))
        if address:
            head["ids"] = [address(term)]
        if note:
            head += [nodes.Text(" — "), *_text(note)]
        body = nodes.definition("", nodes.paragraph("", "", *_text(words)))
        out += nodes.definition_list_item("", head, body)
    return out


class PerfConfig(SphinxDirective):
    """The directive that lists the values of ``conf.py``."""

    def run(self) -> list[nodes.Node]:
        """Return the list."""
        # Re-read the page when the code behind it changes.
        self.env.note_dependency(config.__file__)
        defaults = config.Values()
        rows = [
            (name, f"default: ``{getattr(defaults, name)!r}``", text)
            for name, (_, text) in annotated(config.Values).items()
        ]
        return [_defined(rows, nodes.make_id)]


class PerfCommands(SphinxDirective):
    """The directive that lists all commands, or just the one named."""

    optional_arguments = 1

    def run(self) -> list[nodes.Node]:
        """Return a section for each command."""
        for module in (ROOT / "cli").glob("*.py"):
            self.env.note_dependency(str(module))
        out: list[nodes.Node] = []
        for command in commands(command_line.parser()):
            if self.arguments and command.name != self.arguments[0]:
                continue
            title = f"perfguide {command.name}"
            section = nodes.section(ids=[nodes.make_id(title)], names=[title])
            section += nodes.title("", "", nodes.literal(title, title))
            section += nodes.paragraph("", command.text)
            section += nodes.literal_block(command.usage, command.usage, language="text")
            rows = [(written, "", text) for written, text in command.options.items()]
            section += _defined(rows) if rows else []
            out.append(section)
        return out


class PerfKeys(SphinxDirective):
    """The directive that lists the keys of a kind of file, or of a part of it."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        """Return the list."""
        name = self.arguments[0]
        if name not in TYPES:
            raise self.error(f"“{name}” is none of {', '.join(TYPES)}")
        self.env.note_dependency(inspect.getfile(TYPES[name]))
        rows = []
        for key in keys(TYPES[name]):
            default = f", default ``{key.default}``" if key.default else ""
            note = f"{key.kind}, required" if key.default == "required" else key.kind + default
            rows.append((key.name, note, key.text or "The name says it."))
        return [_defined(rows, lambda term: nodes.make_id(f"{name}-{term}"))]


def setup(app: Sphinx) -> None:
    """Register the directives."""
    app.add_directive("perf-config", PerfConfig)
    app.add_directive("perf-commands", PerfCommands)
    app.add_directive("perf-keys", PerfKeys)
