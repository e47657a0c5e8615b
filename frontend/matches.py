"""`match` as `if`: what a pattern asks of a value becomes a condition, and what it captures an assignment."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from copy import deepcopy
from typing import Final, TypeVar, cast

from freehold.frontend.flow import walk

NodeT = TypeVar("NodeT", bound=ast.AST)


class Case(ast.If):
    """The `if` that a `case` has become; the cases after it are its `else`."""


class Fits(ast.expr):
    """Whether `subject` is of the class `kind`; without one, whether it is a tuple of `count` items, or of `count` and
    more where `more`."""

    _fields = ("subject", "kind")

    def __init__(self, subject: ast.expr, kind: ast.expr | None, count: int = 0, more: bool = False):
        super().__init__()
        self.subject, self.kind, self.count, self.more = subject, kind, count, more


class Positional(ast.expr):
    """What `kind(a, b)` takes `subject` apart into, at `index`."""

    _fields = ("subject", "kind")

    def __init__(self, subject: ast.expr, kind: ast.expr, index: int):
        super().__init__()
        self.subject, self.kind, self.index = subject, kind, index


HIDDEN: Final = "match$"
"""What begins the names of variables that no program can name."""


class _Beyond(Exception):
    """A pattern that is not taken apart."""


def without_matches(tree: ast.FunctionDef) -> ast.FunctionDef:
    """A function with its `match` statements rewritten, but for those with patterns that are refused."""
    if any(isinstance(node, ast.Match) for node in walk(tree)):
        return cast(ast.FunctionDef, _Rewriter().visit(tree))
    return tree


class _Rewriter(ast.NodeTransformer):
    def visit_Match(self, node: ast.Match) -> ast.AST | list[ast.stmt]:
        self.generic_visit(node)
        try:
            return _statements(node)
        except _Beyond:
            return node


def _statements(node: ast.Match) -> list[ast.stmt]:
    made: list[ast.stmt] = []
    subject = node.subject
    if not isinstance(subject, ast.Name):
        name = f"{HIDDEN}{node.lineno}.{node.col_offset}"
        made.append(_placed(ast.Assign([_placed(ast.Name(name, ast.Store()), subject)], subject), subject))
        subject = _placed(ast.Name(name, ast.Load()), subject)
    cases = [(p, case) for case in node.cases for p in _alternatives(case.pattern)]
    rest: list[ast.stmt] = []
    for pattern, case in reversed(cases):
        tests: list[ast.expr] = []
        captures: list[tuple[str, ast.expr]] = []
        _take(pattern, subject, tests, captures)
        if case.guard is not None:
            tests.append(_Substitution(dict(captures)).visit(deepcopy(case.guard)))
        test = _all(tests, pattern)
        binds = [_placed(ast.Assign([_placed(ast.Name(n, ast.Store()), pattern)], v), pattern) for n, v in captures]
        chosen = _placed(Case(test, [*binds, *case.body], rest), pattern)
        rest = [chosen]
        chosen.end_lineno, chosen.end_col_offset = node.end_lineno, node.end_col_offset
    return made + rest


def _placed(node: NodeT, at: ast.AST) -> NodeT:
    return ast.copy_location(node, at)


def _all(tests: list[ast.expr], at: ast.AST) -> ast.expr:
    """Whether all of `tests` hold."""
    if len(tests) == 1:
        return tests[0]
    return _placed(ast.BoolOp(ast.And(), tests) if tests else ast.Constant(True), at)


class _Substitution(ast.NodeTransformer):
    """A guard reads what its pattern captures before that is assigned."""

    def __init__(self, values: dict[str, ast.expr]):
        self.values = values

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return self.values.get(node.id, node) if isinstance(node.ctx, ast.Load) else node


def _captures(pattern: ast.pattern) -> bool:
    return any(isinstance(n, ast.MatchAs | ast.MatchStar) and n.name is not None for n in ast.walk(pattern))


def _alternatives(pattern: ast.pattern) -> Sequence[ast.pattern]:
    """The patterns of `a | b` where they capture, each to be a case of its own."""
    return pattern.patterns if isinstance(pattern, ast.MatchOr) and _captures(pattern) else [pattern]


def _take(pattern: ast.pattern, subject: ast.expr, tests: list[ast.expr], captures: list[tuple[str, ast.expr]]) -> None:
    """Adds what `pattern` asks of `subject` and what it captures of it."""

    def part(node: NodeT) -> NodeT:
        return _placed(node, pattern)

    match pattern:
        case ast.MatchValue(value=value):
            tests.append(part(ast.Compare(subject, [ast.Eq()], [value])))
        case ast.MatchSingleton(value=value):
            tests.append(part(ast.Compare(subject, [ast.Is()], [part(ast.Constant(value))])))
        case ast.MatchAs():
            if pattern.pattern is not None:
                _take(pattern.pattern, subject, tests, captures)
            if pattern.name is not None:
                captures.append((pattern.name, subject))
        case ast.MatchOr() if not _captures(pattern):
            ways: list[ast.expr] = []
            for alternative in pattern.patterns:
                asked: list[ast.expr] = []
                _take(alternative, subject, asked, captures)
                ways.append(_all(asked, alternative))
            tests.append(part(ast.BoolOp(ast.Or(), ways)))
        case ast.MatchSequence(patterns=patterns):
            star = next((i for i, p in enumerate(patterns) if isinstance(p, ast.MatchStar)), None)
            tests.append(part(Fits(subject, None, len(patterns) - (star is not None), star is not None)))
            for i, inner in enumerate(patterns):
                after = len(patterns) - i
                if isinstance(inner, ast.MatchStar):
                    if inner.name is not None:
                        end = part(ast.Constant(1 - after)) if after > 1 else None
                        slice_ = part(ast.Slice(part(ast.Constant(i)), end))
                        captures.append((inner.name, part(ast.Subscript(subject, slice_, ast.Load()))))
                    continue
                index = i if star is None or i < star else -after
                _take(inner, part(ast.Subscript(subject, part(ast.Constant(index)), ast.Load())), tests, captures)
        case ast.MatchClass():
            tests.append(part(Fits(subject, pattern.cls)))
            for i, inner in enumerate(pattern.patterns):
                _take(inner, part(Positional(subject, pattern.cls, i)), tests, captures)
            for name, inner in zip(pattern.kwd_attrs, pattern.kwd_patterns, strict=True):
                _take(inner, part(ast.Attribute(subject, name, ast.Load())), tests, captures)
        case _:
            raise _Beyond
