"""The English of docstrings, comments and names is counted; the limits may only be tightened."""

from __future__ import annotations

import ast
import io
import math
import re
import tokenize
from collections.abc import Iterator
from dataclasses import dataclass, field

import pytest
from conftest import TOP

ODD_OPENING = re.compile(r"(?:What|Where|Who|Whose|How|Which|Whether|Of|Leave|Let|Say|Tell)\b")
"""A docstring opens with a verb or a noun: "Return the rows …", "A bundle …"."""

ODD_WORDS = re.compile(
    r"\b(?:stands?|stood|told|tells?|nobody|whoever|anew|sound|mend(?:s|ed)?|whole|such an?"
    r"|of (?:which|whose)|who (?:calls|asks|adds|writes|reads|runs|wants)|what (?:is|has)"
    r"|all (?:that|there) is)\b",
    re.IGNORECASE,
)

EMPTY_NAMES = frozenset({"found", "held", "told", "made", "known", "shown", "place"})
"""Names that do not say what their value is."""

_FOLDERS = (
    *("adapters", "bundles", "charts", "cli", "common", "export", "figures", "health", "intake"),
    *("pages", "publishing", "sphinxext", "tables"),
)
EMPTY_NAMES_OF_FOLDERS = {
    f"ext/perfguide/{folder}": EMPTY_NAMES | {"each", "own", "said", "some"} for folder in _FOLDERS
} | {
    # A key of their files is named "each".
    f"ext/perfguide/{folder}": EMPTY_NAMES | {"own", "said", "some"}
    for folder in ("catalog", "importing")
}
"""The same for folders that have rid themselves of more such names."""

BARE_ADJECTIVES = frozenset(
    {
        *("ALIKE", "CAREFUL", "COMMON", "FEW", "FEWEST", "FIRST", "HERE", "KEPT", "LARGE", "LAST"),
        *("LEAST", "LONE", "LONG", "LONGEST", "MANY", "MOST", "NARROWEST", "NEAR", "ROOM"),
        *("SMALL", "SURE", "WIDE", "WIDEST"),
    }
)
"""Constants without a noun; say what is counted, in which unit: ``MAX_LABEL_CHARS``."""


@dataclass(slots=True)
class Count:
    """Findings in the modules of one folder, each with its file and line."""

    empty_names: frozenset[str] = EMPTY_NAMES
    words: int = 0
    code_lines: int = 0
    comments: int = 0
    openings: list[str] = field(default_factory=list)
    odd_words: list[str] = field(default_factory=list)
    names: list[str] = field(default_factory=list)
    constants: list[str] = field(default_factory=list)

    def add(self, origin: str, source: str) -> None:
        """Count one module."""
        tree = ast.parse(source)
        self.code_lines += sum(bool(line.strip()) for line in source.splitlines())
        for line, text in docstrings(tree):
            if ODD_OPENING.match(text.strip()):
                self.openings.append(f"{origin}:{line}: {text.strip().splitlines()[0]}")
            self._add_prose(origin, line, text)
        for token in tokenize.generate_tokens(io.StringIO(source).readline):
            if token.type == tokenize.COMMENT:
                self.comments += 1
                self._add_prose(origin, token.start[0], token.string.lstrip("# "))
        for line, name in bound_names(tree):
            if name.lstrip("_") in self.empty_names:
                self.names.append(f"{origin}:{line}: {name}")
        for line, name in constants(tree):
            if name.lstrip("_") in BARE_ADJECTIVES:
                self.constants.append(f"{origin}:{line}: {name}")

    def _add_prose(self, origin: str, line: int, text: str) -> None:
        self.words += len(text.split())
        self.odd_words += [f"{origin}:{line}: {match[0]}" for match in ODD_WORDS.finditer(text)]

    def per_10_000_words(self, findings: list[str]) -> int:
        """Return the rate of findings, rounded up."""
        return math.ceil(10_000 * len(findings) / max(self.words, 1))

    @property
    def comments_per_1_000_lines(self) -> int:
        """The rate of comments, rounded down."""
        return 1_000 * self.comments // max(self.code_lines, 1)


def docstrings(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Yield line and text of docstrings, and of strings that document an assignment."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            for statement in node.body:
                match statement:
                    case ast.Expr(value=ast.Constant(value=str(text))):
                        yield statement.lineno, text


def bound_names(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Yield line and name of variables, fields, functions and parameters."""
    for node in ast.walk(tree):
        match node:
            case ast.Name(id=name, ctx=ast.Store()):
                yield node.lineno, name
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.arg(arg=name):
                yield node.lineno, name


def constants(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Yield line and name of the assignments of a module."""
    for statement in tree.body:
        match statement:
            case ast.Assign(targets=targets):
                for target in targets:
                    names = target.elts if isinstance(target, ast.Tuple) else [target]
                    yield from (
                        (each.lineno, each.id) for each in names if isinstance(each, ast.Name)
                    )
            case ast.AnnAssign(target=ast.Name(id=name)):
                yield statement.lineno, name


def counted(folder: str) -> Count:
    """Return the findings in all modules below a folder of the repository."""
    count = Count(EMPTY_NAMES_OF_FOLDERS.get(folder, EMPTY_NAMES))
    for path in sorted((TOP / folder).rglob("*.py")):
        count.add(path.relative_to(TOP).as_posix(), path.read_text("utf-8"))
    return count


@dataclass(frozen=True, slots=True)
class Limits:
    """Openings and words per 10,000 words, numbers of names and constants, and the least number of
    comments per 1,000 lines."""

    openings: int
    odd_words: int
    names: int
    constants: int
    comments: int


LIMITS = {
    "ext/perfguide/adapters": Limits(0, 6, 0, 0, 28),
    "ext/perfguide/bundles": Limits(0, 3, 0, 0, 30),
    "ext/perfguide/catalog": Limits(0, 0, 0, 0, 20),
    "ext/perfguide/charts": Limits(0, 0, 0, 0, 24),
    "ext/perfguide/cli": Limits(0, 0, 0, 0, 21),
    "ext/perfguide/common": Limits(0, 0, 0, 0, 34),
    "ext/perfguide/compare": Limits(0, 0, 0, 0, 10),
    "ext/perfguide/export": Limits(0, 0, 0, 0, 19),
    "ext/perfguide/figures": Limits(0, 0, 0, 0, 26),
    "ext/perfguide/health": Limits(0, 0, 0, 0, 14),
    "ext/perfguide/importing": Limits(0, 0, 0, 0, 25),
    "ext/perfguide/intake": Limits(0, 0, 0, 0, 26),
    "ext/perfguide/pages": Limits(0, 1, 0, 0, 9),
    "ext/perfguide/publishing": Limits(0, 0, 0, 0, 32),
    "ext/perfguide/sphinxext": Limits(0, 0, 9, 0, 21),
    "ext/perfguide/tables": Limits(0, 0, 0, 0, 27),
    "bench": Limits(0, 0, 0, 0, 11),
    "tests/support": Limits(0, 0, 0, 0, 6),
}
"""Where a folder does better than its limits, tighten them."""


@pytest.mark.parametrize("folder", LIMITS)
def test_the_english_of_a_folder_gets_no_worse(folder: str) -> None:
    count, limits = counted(folder), LIMITS[folder]
    assert count.per_10_000_words(count.openings) <= limits.openings, "\n".join(count.openings)
    assert count.per_10_000_words(count.odd_words) <= limits.odd_words, "\n".join(count.odd_words)
    assert len(count.names) <= limits.names, "\n".join(count.names)
    assert len(count.constants) <= limits.constants, "\n".join(count.constants)
    assert count.comments_per_1_000_lines >= limits.comments


def test_every_folder_of_the_package_has_limits() -> None:
    folders = {
        path.parent.relative_to(TOP).as_posix() for path in (TOP / "ext/perfguide").glob("*/*.py")
    }
    assert folders <= LIMITS.keys()


@pytest.mark.parametrize(
    ("source", "kind"),
    [
        ('"""What a bundle holds."""', "openings"),
        ('def f() -> int:\n    """Whether it is one."""\n', "openings"),
        ('LIMIT = 1\n"""How many."""\n', "openings"),
        ("x = 1  # it stands here\n", "odd_words"),
        ('"""Read a file. Nobody asks for it."""', "odd_words"),
        ("def f(found: int) -> None: ...\n", "names"),
        ("class A:\n    shown: str\n", "names"),
        ("def _made() -> None: ...\n", "names"),
        ("for place in ():\n    pass\n", "names"),
        ("MOST = 3\n", "constants"),
        ("LONGEST, _FEW = 3, 4\n", "constants"),
        ("KEPT: int = 3\n", "constants"),
    ],
)
def test_each_kind_of_finding_is_seen(source: str, kind: str) -> None:
    count = Count()
    count.add("module.py", source)
    kinds = ("openings", "odd_words", "names", "constants")
    assert [each for each in kinds if getattr(count, each)] == [kind]


def test_plain_english_has_no_finding() -> None:
    count = Count()
    source = (
        '"""Bundles read from files."""\n\nMAX_ROWS = 3\n"""The number of rows."""\n\n\n'
        'def rows(path: str) -> int:\n    """Return the number of rows in a file."""\n'
        "    # An empty file has no rows.\n    return 0\n"
    )
    count.add("module.py", source)
    assert not (count.openings or count.odd_words or count.names or count.constants)
    assert (count.comments, count.code_lines) == (1, 7)
