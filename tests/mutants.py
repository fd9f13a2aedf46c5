"""Which changes to the code does no test notice? A bounded mutation run: ``make mutants MINUTES=10``.

A mutant is the code with one small change: a comparison or its edge (``<`` to ``<=``), a sum for a difference, ``or``
for ``and``, a condition or its opposite, a number and the next one, a result or None. Mutants are drawn in a seeded
order until the time is up. Each is put into a copy of the tree (the working tree is never touched) and tested by the
module's own doctests and by those tests of its folder and of tests/papers that import it, until one fails. Those that
none notices are listed: behaviour that no test states, or code that does nothing.

Mutants that cannot be noticed, since they change nothing but speed or memory, stand in ``IGNORED`` with the reason.
"""

from __future__ import annotations

import argparse
import ast
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]
PACKAGE = Path("src/pyramidion")
TARGETS = ("model.py", "scoring.py", "builders", "stats", "matchers")
KEY = ("file", "code", "before", "after")
"""What a mutant is known by when lines have moved."""
OF_NO_FOLDER = ("test_model.py", "test_scoring.py")

IGNORED = {
    # what a line holds: why its mutants cannot be noticed
    "samples: int = ": "one draw more, or another seed, is a draw of the same",
    "seed: int = ": "another seed is a draw of the same",
    "/ counts.sum() - 0.5": "alpha is the same on any scale of distances; this keeps numbers small",
    "_CELLS": "how much is held in memory at once",
    "if effort <= WORK and not self._over(bound)": "more work than is needed has the same result",
}

EDGES = {
    ast.Lt: ("<", "<="),
    ast.LtE: ("<=", "<"),
    ast.Gt: (">", ">="),
    ast.GtE: (">=", ">"),
    ast.Eq: ("==", "!="),
    ast.NotEq: ("!=", "=="),
    ast.Is: ("is", "is not"),
    ast.IsNot: ("is not", "is"),
    ast.In: ("in", "not in"),
    ast.NotIn: ("not in", "in"),
}
SWAPS = {
    ast.Add: ("+", "-"),
    ast.Sub: ("-", "+"),
    ast.Mult: ("*", "/"),
    ast.Div: ("/", "*"),
    ast.FloorDiv: ("//", "/"),
    ast.Mod: ("%", "*"),
    ast.Pow: ("**", "*"),
    ast.BitAnd: ("&", "|"),
    ast.BitOr: ("|", "&"),
}
UNTESTED = (ast.Raise, ast.Import, ast.ImportFrom, ast.AnnAssign)
"""What messages say and which types there are is for other checks; of an annotated assignment the value is seen."""


@dataclass(frozen=True)
class Mutant:
    """One change: bytes of a file's source, and what stands there instead."""

    file: str
    line: int
    start: int
    end: int
    before: str
    after: str
    code: str
    """The line as it is."""

    def apply(self, source: bytes) -> bytes:
        return source[: self.start] + self.after.encode() + source[self.end :]


class Mutants(ast.NodeVisitor):
    """Every mutant of a module."""

    def __init__(self, file: str, source: bytes) -> None:
        self.file, self.source, self.found = file, source, list[Mutant]()
        self.lines = source.splitlines(keepends=True)
        self.offsets = [0]
        for line in self.lines:
            self.offsets.append(self.offsets[-1] + len(line))
        self.visit(ast.parse(source))

    def place(self, node: ast.expr, end: bool = False) -> int:
        line, column = (node.end_lineno, node.end_col_offset) if end else (node.lineno, node.col_offset)
        assert line is not None
        assert column is not None
        return self.offsets[line - 1] + column

    def add(self, start: int, end: int, after: str) -> None:
        line = self.source.count(b"\n", 0, start) + 1
        before, code = self.source[start:end].decode(), self.lines[line - 1].decode().strip()
        if not any(part in code for part in IGNORED):
            self.found.append(Mutant(self.file, line, start, end, before, after, code))

    def between(self, left: ast.expr, right: ast.expr, swap: tuple[str, str]) -> None:
        """The operator between two expressions, which brackets and line ends may surround."""
        start, end = self.place(left, end=True), self.place(right)
        at = self.source.find(swap[0].encode(), start, end)
        if at >= 0:
            self.add(at, at + len(swap[0]), swap[1])

    def opposite(self, test: ast.expr) -> None:
        start, end = self.place(test), self.place(test, end=True)
        self.add(start, end, f"(not ({self.source[start:end].decode()}))")

    def visit(self, node: ast.AST) -> None:
        if isinstance(node, UNTESTED):
            if isinstance(node, ast.AnnAssign) and node.value:
                self.visit(node.value)
            return
        if isinstance(node, ast.FunctionDef):  # neither decorators nor annotations
            for part in (*node.args.defaults, *filter(None, node.args.kw_defaults), *node.body):
                self.visit(part)
            return
        if isinstance(node, ast.ClassDef):
            for part in node.body:
                self.visit(part)
            return
        match node:
            case ast.Compare(left=left, ops=[op], comparators=[right]):
                self.between(left, right, EDGES[type(op)])
            case ast.BinOp(left=left, op=op, right=right) if type(op) in SWAPS:
                self.between(left, right, SWAPS[type(op)])
            case ast.BoolOp(op=op, values=[left, right, *_]):
                self.between(left, right, ("and", "or") if isinstance(op, ast.And) else ("or", "and"))
            case ast.If(test=test) | ast.While(test=test) | ast.IfExp(test=test):
                self.opposite(test)
            case ast.comprehension(ifs=tests):
                for test in tests:
                    self.opposite(test)
            case ast.Constant(value=bool(value)):
                self.add(self.place(node), self.place(node, end=True), str(not value))
            case ast.Constant(value=int(value) | float(value)):
                self.add(self.place(node), self.place(node, end=True), repr(value + 1))
            case ast.Return(value=ast.expr() as value) if not (isinstance(value, ast.Constant) and value.value is None):
                self.add(self.place(value), self.place(value, end=True), "None")
        self.generic_visit(node)


def modules(only: str) -> Iterator[str]:
    for target in TARGETS:
        path = ROOT / PACKAGE / target
        for file in sorted(path.glob("*.py")) if path.is_dir() else [path]:
            name = file.relative_to(ROOT / PACKAGE).as_posix()
            if name.startswith(only) and not name.endswith("__init__.py"):
                yield name


def covering(file: str) -> list[str]:
    """The module's doctests, and the test files of its folder and of the papers that import it, its own first.

    A module that no test imports is tested by those of the modules that import it.
    """
    path = Path(file)
    folder = path.parent.name
    named = ".".join(("pyramidion", *path.with_suffix("").parts))
    beside = (ROOT / "tests" / folder).glob("test_*.py") if folder else map((ROOT / "tests").joinpath, OF_NO_FOLDER)
    tests = {test: test.read_text() for test in sorted({*beside, *ROOT.glob("tests/papers/test_*.py")})}
    found = [test for test, text in tests.items() if named in text]
    if not found:
        users = [user.stem for user in (ROOT / PACKAGE / folder).glob("*.py") if named in user.read_text()]
        found = [test for test, text in tests.items() if any(f"pyramidion.{folder}.{user} " in text for user in users)]
    found.sort(key=lambda test: test.stem.removeprefix("test_") != path.stem.removeprefix("_"))
    return [str(PACKAGE / file), *(str(test.relative_to(ROOT)) for test in found)]


class Tree:
    """A copy of the project in which mutants live, one after the other."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        models = PACKAGE / "language" / "models"
        skipped = shutil.ignore_patterns("__pycache__", "models", ".venv", "browser")
        for name in ("src", "tests"):
            shutil.copytree(ROOT / name, folder / name, ignore=skipped)
        (folder / models).symlink_to(ROOT / models)
        for name in ("pyproject.toml", "CONTRIBUTING.md", "README.md", "docs"):
            (folder / name).symlink_to(ROOT / name)
        self.sound: dict[str, bool] = {}

    def run(self, *asked: str, limit: float) -> tuple[str, str]:
        """How the tests end, and which is the first that fails."""
        # no bytecode: a mutant of the same size, written in the same second, would not be seen
        there = {**os.environ, "PYTHONPATH": str(self.folder / "src"), "PYTHONDONTWRITEBYTECODE": "1"}
        command = [sys.executable, "-m", "pytest", "-q", "-x", "-n", "0", "-p", "no:cacheprovider", "-m", "not data"]
        try:
            done = subprocess.run(
                [*command, "--hypothesis-seed=0", *asked],
                cwd=self.folder,
                env=there,
                timeout=limit,
                capture_output=True,
                text=True,
                check=False,
            )
        except subprocess.TimeoutExpired:
            return "time-out", ""
        failed = re.search(r"^(?:FAILED|ERROR) (.+?)(?: - .*)?$", done.stdout, re.MULTILINE)
        return ("killed", failed[1] if failed else "") if done.returncode else ("survived", "")

    def passes(self, test: str, limit: float) -> bool:
        """Whether a test passes on the code as it is: else its failing says nothing of a mutant."""
        if test not in self.sound:
            self.sound[test] = self.run(test, limit=limit)[0] == "survived"
        return self.sound[test]

    def outcome(self, mutant: Mutant, limit: float) -> str:
        place = self.folder / PACKAGE / mutant.file
        source = place.read_bytes()
        try:
            place.write_bytes(mutant.apply(source))
            outcome, test = self.run(*covering(mutant.file), limit=limit)
        finally:
            place.write_bytes(source)
        return f"{test} fails anyway" if test and not self.passes(test, limit) else outcome


def main() -> None:
    parser = argparse.ArgumentParser(description="Mutants that no test notices")
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--sample", type=int, default=0, help="At most so many mutants (0: as many as time allows)")
    parser.add_argument("--limit", type=float, default=120, help="seconds for the tests of one mutant")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", default="", help="files that begin so, e.g. stats/ or builders/edua.py")
    parser.add_argument("--again", type=Path, help="only what was not killed in an earlier run, whose --json is here")
    parser.add_argument("--json", action="store_true")
    asked = parser.parse_args()
    every = [one for file in modules(asked.only) for one in Mutants(file, (ROOT / PACKAGE / file).read_bytes()).found]
    if asked.again:
        tried = json.loads(asked.again.read_text())["tried"]
        left = {tuple(row[key] for key in KEY) for row in tried if row["outcome"] != "killed"}
        every = [one for one in every if tuple(asdict(one)[key] for key in KEY) in left]
    chosen = random.Random(asked.seed).sample(every, min(asked.sample or len(every), len(every)))
    outcomes: list[tuple[Mutant, str]] = []
    end = time.monotonic() + 60 * asked.minutes
    with tempfile.TemporaryDirectory() as folder:
        tree = Tree(Path(folder))
        for mutant in chosen:
            if time.monotonic() > end:
                break
            outcomes.append((mutant, tree.outcome(mutant, asked.limit)))
            if outcomes[-1][1] != "killed":
                shown = f"{mutant.file}:{mutant.line}  {outcomes[-1][1]}  {mutant.before} -> {mutant.after}    {mutant.code}"
                print(shown, file=sys.stderr if asked.json else sys.stdout, flush=True)
    counts = Counter(outcome for _, outcome in outcomes)
    if asked.json:
        rows = [{**asdict(mutant), "outcome": outcome} for mutant, outcome in outcomes]
        print(json.dumps({"seed": asked.seed, "mutants": len(every), "counts": counts, "tried": rows}, indent=1))
    else:
        told = ", ".join(f"{count} {outcome}" for outcome, count in counts.most_common())
        print(f"{len(outcomes)} of {len(every)} mutants, seed {asked.seed}: {told or 'none tried'}")


if __name__ == "__main__":
    main()
