"""`match` as `if`: what a pattern asks of a value becomes a condition, and what it captures an assignment."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from typing import TypeAlias

from freehold.frontend.syntax import core
from freehold.frontend.syntax.core import Expr, Place

ReadExpr: TypeAlias = Callable[[ast.expr], Expr]
ReadGuard: TypeAlias = Callable[[ast.expr, dict[str, Expr]], Expr]
ReadBody: TypeAlias = Callable[[Sequence[ast.stmt]], core.Body]


def is_supported(pattern: ast.pattern, outermost: bool = True) -> bool:
    """Whether a pattern is taken apart: not one for dictionaries, and no alternatives within it that capture."""
    match pattern:
        case ast.MatchValue() | ast.MatchSingleton() | ast.MatchStar():
            return True
        case ast.MatchAs():
            return pattern.pattern is None or is_supported(pattern.pattern, False)
        case ast.MatchOr():
            return (outermost or not _captures(pattern)) and all(is_supported(p, False) for p in pattern.patterns)
        case ast.MatchSequence():
            return all(is_supported(p, False) for p in pattern.patterns)
        case ast.MatchClass():
            return all(is_supported(p, False) for p in (*pattern.patterns, *pattern.kwd_patterns))
        case _:
            return False


def without_match(node: ast.Match, expr: ReadExpr, guard: ReadGuard, body: ReadBody) -> core.Body:
    """The statements that a `match` stands for, all patterns of which are supported. The other arguments read its
    parts; a guard reads what its pattern captures before that is assigned."""
    made: core.Body = []
    subject = expr(node.subject)
    if not isinstance(subject, core.Name):
        name = f"match${node.lineno}.{node.col_offset}"
        made.append(core.Assign(subject.place, [core.Name(subject.place, name)], subject))
        subject = core.Name(subject.place, name)
    rest: core.Body = []
    cases = [(p, case) for case in node.cases for p in _alternatives(case.pattern)]
    for pattern, case in reversed(cases):
        asked = _Asked(expr)
        asked.take(pattern, subject)
        if case.guard is not None:
            asked.tests.append(guard(case.guard, asked.captures))
        at = _place(pattern)
        binds = [core.Assign(at, [core.Name(at, name)], value) for name, value in asked.captures.items()]
        whole = (*at[:2], node.end_lineno or 0, node.end_col_offset or 0)
        chosen = [*binds, *body(case.body)]
        rest = [core.If(whole, _all(asked.tests, at), chosen, rest, True)] if asked.tests else chosen
    return made + rest


def _place(node: ast.pattern) -> Place:
    return (node.lineno, node.col_offset, node.end_lineno, node.end_col_offset)


def _all(tests: list[Expr], place: Place) -> Expr:
    """Whether all of `tests` hold."""
    if len(tests) == 1:
        return tests[0]
    return core.BoolOp(place, "and", tests) if tests else core.Constant(place, True)


def _captures(pattern: ast.pattern) -> bool:
    return any(isinstance(n, ast.MatchAs | ast.MatchStar) and n.name is not None for n in ast.walk(pattern))


def _alternatives(pattern: ast.pattern) -> Sequence[ast.pattern]:
    """The patterns of `a | b` where they capture, each to be a case of its own."""
    return pattern.patterns if isinstance(pattern, ast.MatchOr) and _captures(pattern) else [pattern]


class _Asked:
    """What a pattern asks of a value, and what it captures of it."""

    def __init__(self, expr: ReadExpr):
        self.expr = expr
        self.tests: list[Expr] = []
        self.captures: dict[str, Expr] = {}

    def take(self, pattern: ast.pattern, subject: Expr) -> None:
        """Adds what `pattern` asks of `subject` and captures of it."""
        at = _place(pattern)
        match pattern:
            case ast.MatchValue(value=value):
                self.tests.append(core.Compare(at, subject, "==", self.expr(value)))
            case ast.MatchSingleton(value=value):
                self.tests.append(core.Compare(at, subject, "is", core.Constant(at, value)))
            case ast.MatchAs():
                if pattern.pattern is not None:
                    self.take(pattern.pattern, subject)
                if pattern.name is not None:
                    self.captures[pattern.name] = subject
            case ast.MatchOr():
                self.tests.append(core.BoolOp(at, "or", [self._alternative(p, subject) for p in pattern.patterns]))
            case ast.MatchSequence():
                self._sequence(pattern, subject)
            case ast.MatchClass():
                kind = self.expr(pattern.cls)
                self.tests.append(core.Fits(at, subject, kind))
                for i, inner in enumerate(pattern.patterns):
                    self.take(inner, core.Positional(at, subject, kind, i))
                for name, inner in zip(pattern.kwd_attrs, pattern.kwd_patterns, strict=True):
                    self.take(inner, core.Attribute(at, subject, name))
            case _:
                raise AssertionError("a pattern that is not supported")

    def _alternative(self, pattern: ast.pattern, subject: Expr) -> Expr:
        asked = _Asked(self.expr)
        asked.take(pattern, subject)
        return _all(asked.tests, _place(pattern))

    def _sequence(self, pattern: ast.MatchSequence, subject: Expr) -> None:
        at, patterns = _place(pattern), pattern.patterns
        star = next((i for i, p in enumerate(patterns) if isinstance(p, ast.MatchStar)), None)
        self.tests.append(core.Fits(at, subject, None, len(patterns) - (star is not None), star is not None))
        for i, inner in enumerate(patterns):
            after = len(patterns) - i
            if not isinstance(inner, ast.MatchStar):
                index = core.Constant(at, i if star is None or i < star else -after)
                self.take(inner, core.Subscript(at, subject, index))
            elif inner.name is not None:
                end = core.Constant(at, 1 - after) if after > 1 else None
                rest = core.Slice(at, core.Constant(at, i), end, None)
                self.captures[inner.name] = core.Subscript(at, subject, rest)
