"""
Faults in Python source, each in one line: what somebody may get wrong who writes or merges it, and no test may miss.

Another operator of comparison or arithmetic, `and` for `or`, a condition the other way round, a number that is one too
large, a truth value that is the other one, one type fewer in a union, `min` for `max`, a statement left out. Left alone
is what says nothing of behaviour: annotations, decorators, docstrings, assertions, texts, what is for type checkers.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final


@dataclass(frozen=True)
class Fault:
    """One piece of a file's text, and what is written there instead."""

    path: str
    """Of the file, from the repository's root."""
    line: int
    start: int
    """Where the piece begins, in bytes from the file's beginning."""
    old: str
    new: str

    def planted(self, text: bytes) -> bytes:
        """The file with the fault in it."""
        old = self.old.encode()
        assert text[self.start : self.start + len(old)] == old
        return text[: self.start] + self.new.encode() + text[self.start + len(old) :]

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: `{' '.join(self.old.split())}` -> `{' '.join(self.new.split())}`"


_COMPARED: Final[dict[type[ast.cmpop], tuple[str, str]]] = {
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
_COMPUTED: Final[dict[type[ast.operator], tuple[str, str]]] = {
    ast.Add: ("+", "-"),
    ast.Sub: ("-", "+"),
    ast.Mult: ("*", "//"),
    ast.FloorDiv: ("//", "*"),
    ast.Mod: ("%", "//"),
    ast.LShift: ("<<", ">>"),
    ast.RShift: (">>", "<<"),
    ast.BitAnd: ("&", "|"),
}
_NAMES: Final = {"min": "max", "max": "min", "any": "all", "all": "any"}
_SAME: Final = frozenset(("strict", "slots", "frozen", "repr", "check", "text", "encoding"))
"""Keywords of which a truth value changes nothing that a test could see, or everything at once."""


def faults_of(path: Path, root: Path) -> list[Fault]:
    """Every fault that can be planted in a file, in the order of its text."""
    text = path.read_bytes()
    finder = _Finder(str(path.relative_to(root)), text)
    finder.body(ast.parse(text).body)
    return sorted(finder.found, key=lambda fault: fault.start)


class _Finder:
    def __init__(self, path: str, text: bytes):
        self.path, self.text, self.found = path, text, list[Fault]()
        self.lines = [0, *(match.end() for match in re.finditer(rb"\n", text))]
        self.inside = False
        """Whether a function is being read."""

    # --- Where it is looked -------------------------------------------------------------------------------------------

    def body(self, statements: Iterable[ast.stmt]) -> None:
        for statement in statements:
            self.statement(statement)

    def statement(self, node: ast.stmt) -> None:
        match node:
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                if node.name == "__repr__":
                    return
                outside, self.inside = self.inside, True
                self.body(node.body)
                self.inside = outside
            case ast.ClassDef():
                self.body(node.body)
            case ast.Assert() | ast.Import() | ast.ImportFrom() | ast.Pass():
                return
            case ast.AnnAssign():
                if node.value is not None:
                    self.expression(node.value)
            case ast.If() if isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING":
                return
            case _:
                self.left_out(node)
                if isinstance(node, ast.If):
                    self.put(node.test, f"not ({self.of(node.test)})")
                for child in self.children(node):
                    self.expression(child)
                for block in ("body", "orelse", "finalbody"):
                    self.body(getattr(node, block, ()))
                for part in (*getattr(node, "handlers", ()), *getattr(node, "cases", ())):
                    self.body(part.body)

    def left_out(self, node: ast.stmt) -> None:
        """A statement of one line that is not there."""
        called = isinstance(node, ast.Expr) and isinstance(node.value, ast.Call | ast.YieldFrom | ast.Yield)
        if called or isinstance(node, ast.AugAssign | ast.Raise | ast.Continue):
            self.put(node, "pass")

    @staticmethod
    def children(node: ast.stmt) -> Iterator[ast.expr]:
        """The expressions that stand in a statement itself."""
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.expr):
                yield child
            elif isinstance(child, ast.match_case):
                if child.guard is not None:
                    yield child.guard
            elif isinstance(child, ast.withitem):
                yield child.context_expr

    def expression(self, node: ast.expr) -> None:
        # Texts with holes are no behaviour, and Python 3.11 says wrong places for what is in them.
        if isinstance(node, ast.JoinedStr):
            return
        self.changed(node)
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.expr):
                self.expression(child)
            elif isinstance(child, ast.keyword):
                if child.arg not in _SAME:
                    self.expression(child.value)
            elif isinstance(child, ast.comprehension):
                self.expression(child.iter)
                for condition in child.ifs:
                    self.put(condition, f"not ({self.of(condition)})")
                    self.expression(condition)

    # --- What is found ------------------------------------------------------------------------------------------------

    def changed(self, node: ast.expr) -> None:
        match node:
            case ast.Compare():
                for left, op, right in zip((node.left, *node.comparators), node.ops, node.comparators, strict=False):
                    self.between(left, right, *_COMPARED[type(op)])
            case ast.BoolOp():
                words = ("and", "or") if isinstance(node.op, ast.And) else ("or", "and")
                for left, right in zip(node.values, node.values[1:], strict=False):
                    self.between(left, right, *words)
            case ast.BinOp(op=ast.BitOr()):
                if self.inside:
                    self.put(node, self.of(node.left))
            case ast.BinOp():
                if type(node.op) in _COMPUTED and not self.is_text(node.left):
                    self.between(node.left, node.right, *_COMPUTED[type(node.op)])
            case ast.UnaryOp(op=ast.Not()):
                self.put(node, f"({self.of(node.operand)})")
            case ast.Constant(value=bool(truth)):
                self.put(node, str(not truth))
            case ast.Constant(value=int(number)):
                self.put(node, str(number + 1))
            case ast.Call(func=ast.Name(id=name)) if name in _NAMES:
                self.put(node.func, _NAMES[name])
            case _:
                pass

    @staticmethod
    def is_text(node: ast.expr) -> bool:
        return isinstance(node, ast.JoinedStr) or (isinstance(node, ast.Constant) and isinstance(node.value, str))

    def at(self, line: int, column: int) -> int:
        return self.lines[line - 1] + column

    def of(self, node: ast.expr | ast.stmt) -> str:
        assert node.end_lineno is not None
        assert node.end_col_offset is not None
        return self.text[self.at(node.lineno, node.col_offset) : self.at(node.end_lineno, node.end_col_offset)].decode()

    def put(self, node: ast.expr | ast.stmt, new: str) -> None:
        if node.lineno == node.end_lineno:
            start = self.at(node.lineno, node.col_offset)
            self.found.append(Fault(self.path, node.lineno, start, self.of(node), new))

    def between(self, left: ast.expr, right: ast.expr, old: str, new: str) -> None:
        """Another word between two operands, where it stands in their line."""
        assert left.end_lineno is not None
        assert left.end_col_offset is not None
        start, end = self.at(left.end_lineno, left.end_col_offset), self.at(right.lineno, right.col_offset)
        word = r"\b" + old.replace(" ", r"\s+") + r"\b" if old[0].isalpha() else re.escape(old)
        if left.end_lineno == right.lineno and (found := re.search(word.encode(), self.text[start:end])) is not None:
            self.found.append(Fault(self.path, right.lineno, start + found.start(), found[0].decode(), new))
