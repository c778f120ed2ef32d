"""Mutate one expression of the package at a time, and run the tests on each mutant.

    python bench/mutants.py [--count 40] [--seed 0] [--folder NAME…]

Each folder of the package gets a share of the mutants in proportion to its lines, but at least one.
A mutant is run against the tests of its own folder first, and against all others only if those
pass. Prints each mutant with its change, and how many were detected. The exit status is 0: some
mutants are equivalent to the original, so a person has to read the list.
"""

from __future__ import annotations

import argparse
import ast
import os
import random
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

TOP = Path(__file__).resolve().parent.parent
PACKAGE = TOP / "ext" / "perfguide"

COMPARISONS = {
    ast.Lt: "<=",
    ast.LtE: "<",
    ast.Gt: ">=",
    ast.GtE: ">",
    ast.Eq: "!=",
    ast.NotEq: "==",
    ast.In: "not in",
    ast.NotIn: "in",
    ast.Is: "is not",
    ast.IsNot: "is",
}
OPERATORS = {ast.Add: "-", ast.Sub: "+", ast.Mult: "/", ast.Div: "*", ast.BitOr: "&"}


class Mutant(NamedTuple):
    """A change: the file, the byte range from ``start`` to ``end``, and its replacement."""

    path: Path
    line: int
    start: int
    end: int
    new: bytes


class Source:
    """The text of a module, addressed by line and column as in its syntax tree."""

    def __init__(self, path: Path) -> None:
        self.path, self.data = path, path.read_bytes()
        self.tree = ast.parse(self.data)
        self._starts = [0]
        for line in self.data.splitlines(keepends=True):
            self._starts.append(self._starts[-1] + len(line))

    def span(self, node: ast.AST) -> tuple[int, int]:
        """Return the byte range of a node."""
        line, column = node.lineno, node.col_offset  # type: ignore[attr-defined]
        end, end_column = node.end_lineno, node.end_col_offset  # type: ignore[attr-defined]
        return self._starts[line - 1] + column, self._starts[end - 1] + end_column

    def between(self, left: ast.AST, right: ast.AST, new: str) -> tuple[int, int, bytes]:
        """Return a change to the text between two nodes. If there are parentheses in between, it is
        invalid, and dropped because it does not compile."""
        return self.span(left)[1], self.span(right)[0], f" {new} ".encode()

    def mutants(self) -> Iterator[Mutant]:
        """Yield every mutant of this module that compiles."""
        hidden = {child for node in ast.walk(self.tree) for child in _annotations(node)}
        for node in ast.walk(self.tree):
            if node in hidden:
                continue
            for start, end, new in self._changes(node):
                text = self.data[:start] + new + self.data[end:]
                if text == self.data:
                    continue
                try:
                    compile(text, "", "exec")
                except (SyntaxError, ValueError):
                    continue
                line = self.data.count(b"\n", 0, start) + 1
                yield Mutant(self.path, line, start, end, new)

    def _changes(self, node: ast.AST) -> Iterator[tuple[int, int, bytes]]:
        match node:
            case ast.Compare(left=left, ops=[op], comparators=[right]):
                yield self.between(left, right, COMPARISONS[type(op)])
            case ast.BinOp(left=left, op=op, right=right) if type(op) in OPERATORS:
                yield self.between(left, right, OPERATORS[type(op)])
            case ast.BoolOp(op=op, values=[left, right]):
                yield self.between(left, right, "or" if isinstance(op, ast.And) else "and")
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                yield *self.span(node), self.text(operand)
            case ast.Constant(value=value) if type(value) in (int, float):
                new = value * 1.15 if isinstance(value, float) or value > 9 else value + 1
                yield *self.span(node), repr(new if isinstance(value, float) else int(new)).encode()
            case ast.Constant(value=bool(value)):
                yield *self.span(node), repr(not value).encode()
            case ast.Return(value=ast.expr()):
                yield *self.span(node), b"return None"
            case ast.Tuple(elts=[*_, before, last]) | ast.List(elts=[*_, before, last]):
                yield self.span(before)[1], self.span(last)[1], b""
            case ast.Call(keywords=[*_, ast.keyword(arg=str())], args=[*_, before]):
                last = node.keywords[-1]
                first = node.keywords[-2] if len(node.keywords) > 1 else before
                yield self.span(first)[1], self.span(last)[1], b""

    def text(self, node: ast.AST) -> bytes:
        """Return the source of a node in parentheses."""
        start, end = self.span(node)
        return b"(" + self.data[start:end] + b")"


def _annotations(node: ast.AST) -> Iterator[ast.AST]:
    """Yield a node's type annotations and decorators, which mutants leave alone."""
    for name in ("annotation", "returns"):
        inner = getattr(node, name, None)
        if isinstance(inner, ast.AST):
            yield from ast.walk(inner)
    for decorator in getattr(node, "decorator_list", ()):
        yield from ast.walk(decorator)
    if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test):
        yield from ast.walk(node)


def chosen(folders: list[str], count: int, seed: int) -> list[Mutant]:
    """Return mutants of all folders, the same for the same seed and code."""
    sources = {
        folder: [Source(path) for path in sorted(PACKAGE.glob(f"{folder}/**/*.py"))]
        for folder in folders
    }
    lines = {f: sum(s.data.count(b"\n") for s in each) for f, each in sources.items()}
    out = []
    for folder, each in sources.items():
        # This makes a folder's mutants independent of the other folders requested.
        chance = random.Random(f"{seed} {folder}")
        every = [mutant for source in each for mutant in source.mutants()]
        share = max(1, round(count * lines[folder] / sum(lines.values())))
        out += chance.sample(every, min(share, len(every)))
    return out


def fails(copy: Path, *arguments: str) -> bool:
    """Return whether pytest fails, or takes ten times as long as allowed."""
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", *arguments]
    environment = os.environ | {"PYTHONPATH": str(copy / "ext"), "PYTHONDONTWRITEBYTECODE": "1"}
    try:
        done = subprocess.run(
            command, cwd=copy, env=environment, capture_output=True, timeout=3600, check=False
        )
    except subprocess.TimeoutExpired:
        return True
    # If two processes fail at the same time, pytest reports an interrupt.
    stopped = done.returncode == 2 and b"stopping after" in done.stdout
    if done.returncode not in (0, 1) and not stopped:
        raise SystemExit(done.stdout.decode() + done.stderr.decode())
    return done.returncode != 0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--count", type=int, default=40)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--folder", action="append", metavar="NAME")
    parser.add_argument("--own", action="store_true", help="only the tests of its own folder")
    options = parser.parse_args()
    every = sorted(path.parent.name for path in PACKAGE.glob("*/__init__.py"))
    mutants = chosen(options.folder or every, options.count, options.seed)
    detected = 0
    for mutant in mutants:
        with tempfile.TemporaryDirectory() as scratch:
            copy = Path(scratch, "project")
            # Include files that are not committed yet.
            files = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
            names = subprocess.run(files, cwd=TOP, capture_output=True, check=True).stdout
            pack = ["tar", "-c", "--null", "--no-recursion", "-T", "-"]
            data = subprocess.run(pack, cwd=TOP, input=names, capture_output=True, check=True)
            copy.mkdir()
            subprocess.run(["tar", "-x"], cwd=copy, input=data.stdout, check=True)
            name = mutant.path.relative_to(TOP)
            old = mutant.path.read_bytes()
            (copy / name).write_bytes(old[: mutant.start] + mutant.new + old[mutant.end :])
            own = f"tests/{name.parts[2]}"
            detected_by = ""
            if fails(copy, "-n", "2", own):
                detected_by = "its folder's tests"
            elif not options.own and fails(copy, "-n", "2", f"--ignore={own}"):
                detected_by = "other tests"
            detected += bool(detected_by)
        was = old[mutant.start : mutant.end].decode()
        change = f"{' '.join(was.split())!r} -> {mutant.new.decode()!r}"
        print(f"{detected_by or 'SURVIVED':20} {name}:{mutant.line}  {change}", flush=True)
    print(f"{detected} of {len(mutants)} detected")
    return 0


if __name__ == "__main__":
    sys.exit(main())
