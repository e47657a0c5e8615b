"""Python's syntax tree as core, `return`s and all: operators by their symbols, chains taken apart, `match` as `if`."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from typing import Any, Final, Literal, cast

from freehold.frontend.syntax import core
from freehold.frontend.syntax.core import Expr, Place, Stmt, Target
from freehold.frontend.syntax.match import is_supported, without_match
from freehold.frontend.syntax.subset import is_unsafe
from freehold.support import terms

SYMBOLS: Final[dict[type[ast.AST], str]] = {
    **terms.SYMBOLS,
    ast.Div: "/",
    ast.Pow: "**",
    ast.LShift: "<<",
    ast.RShift: ">>",
    ast.BitAnd: "&",
    ast.BitOr: "|",
    ast.BitXor: "^",
    ast.MatMult: "@",
    ast.Is: "is",
    ast.IsNot: "is not",
    ast.In: "in",
    ast.NotIn: "not in",
    ast.USub: "-",
    ast.UAdd: "+",
    ast.Invert: "~",
    ast.Not: "not",
}

_CONVERSIONS: Final[dict[int, Literal["", "r", "s", "a"]]] = {-1: "", 114: "r", 115: "s", 97: "a"}


def place_of(node: ast.AST) -> Place:
    """Where a node stands."""
    at: Any = node
    return (at.lineno, at.col_offset, at.end_lineno, at.end_col_offset)


def read(tree: ast.FunctionDef | ast.Lambda) -> core.Function:
    """A function as core."""
    return _Reader().function(tree)


class _Reader:
    """Reads one function. `given` are expressions that names stand for: what a pattern captures, in its guard."""

    def __init__(self) -> None:
        self.given: dict[str, Expr] = {}
        self.inner: list[core.Function] = []
        """The functions that have been met in the one that is being read."""

    # --- Functions and statements ------------------------------------------------------------------------------------

    def function(self, node: ast.FunctionDef | ast.Lambda) -> core.Function:
        a = node.args
        inner = [*a.posonlyargs, *a.args, *a.kwonlyargs]
        first = len(inner) - len(a.kwonlyargs) - len(a.defaults)
        defaults = [None] * first + [*a.defaults, *a.kw_defaults]
        parameters = [
            core.Parameter(place_of(arg), arg.arg, None if default is None else self.expr(default), arg in a.kwonlyargs)
            for arg, default in zip(inner, defaults, strict=True)
        ]
        outer = self.given, self.inner
        self.given = {name: value for name, value in self.given.items() if all(arg.arg != name for arg in inner)}
        self.inner = []
        if isinstance(node, ast.Lambda):
            value = self.expr(node.body)
            made = core.Function(place_of(node), "<lambda>", parameters, [], place_of(node.body), value, self.inner)
        else:
            body, end = self.body(node.body), place_of(node.body[-1])
            made = core.Function(place_of(node), node.name, parameters, body, end, None, self.inner)
        self.given, self.inner = outer
        self.inner += [made, *made.inner]
        return made

    def body(self, nodes: Sequence[ast.stmt]) -> core.Body:
        """A list of statements."""
        found: core.Body = []
        for node in nodes:
            made = self.statement(node)
            if type(made) is list:
                found += made
            else:
                found.append(cast(Stmt, made))
        return found

    def statement(self, node: ast.stmt) -> Stmt | core.Body:
        """A statement, or the several that it has become."""
        reader = STATEMENTS.get(type(node))
        return _refused(node) if reader is None else reader(self, node)

    def assign(self, node: ast.Assign) -> Stmt:
        value = self.expr(node.value)
        return core.Assign(place_of(node), [self.target(t) for t in node.targets], value)

    def annotated(self, node: ast.AnnAssign) -> Stmt:
        if node.value is None:
            return core.Pass(place_of(node))
        return core.Assign(place_of(node), [self.target(node.target)], self.expr(node.value))

    def augmented(self, node: ast.AugAssign) -> Stmt:
        place, target = place_of(node), self.target(node.target)
        before = self.expr(node.target)  # whatever its context: as it is read
        value = core.BinOp(place, before, SYMBOLS[type(node.op)], self.expr(node.value), True)
        return core.Assign(place, [target], value)

    def target(self, node: ast.expr) -> Target:
        """What is assigned to."""
        match node:
            case ast.Name():
                return core.Name(place_of(node), node.id)
            case ast.Tuple() | ast.List():
                star = next((i for i, item in enumerate(node.elts) if isinstance(item, ast.Starred)), None)
                items = [item.value if isinstance(item, ast.Starred) else item for item in node.elts]
                return core.Unpack(place_of(node), [self.target(item) for item in items], star)
            case ast.Subscript():
                return self.subscript(node)
            case ast.Attribute():
                return self.attribute(node)
            case _:
                return core.Refused(place_of(node))

    def if_(self, node: ast.If) -> Stmt:
        return core.If(place_of(node), self.expr(node.test), self.body(node.body), self.body(node.orelse))

    def for_(self, node: ast.For) -> Stmt:
        over = self.expr(node.iter)
        return core.For(place_of(node), self.target(node.target), over, self.body(node.body))

    def while_(self, node: ast.While) -> Stmt:
        return core.While(place_of(node), self.expr(node.test), self.body(node.body))

    def with_(self, node: ast.With) -> Stmt:
        if not is_unsafe(node):
            return _refused(node)
        context = self.call(cast(ast.Call, node.items[0].context_expr))
        return core.With(place_of(node), context, self.body(node.body))

    def assert_(self, node: ast.Assert) -> Stmt:
        message = None if node.msg is None else self.expr(node.msg)
        return core.Assert(place_of(node), self.expr(node.test), message)

    def raise_(self, node: ast.Raise) -> Stmt:
        match node.exc:
            case ast.Call(args=[ast.Constant(value=str()) | ast.JoinedStr() as text, *_]):
                return core.Raise(place_of(node), self.expr(text))
            case _:
                return core.Raise(place_of(node), None)

    def evaluate(self, node: ast.Expr) -> Stmt | core.Body:
        if isinstance(node.value, ast.Constant):
            return []  # a docstring
        return core.Evaluate(place_of(node), self.expr(node.value))

    def define(self, node: ast.FunctionDef) -> Stmt:
        return core.Define(place_of(node), self.function(node))

    def return_(self, node: ast.Return) -> Stmt:
        return core.Return(place_of(node), None if node.value is None else self.expr(node.value))

    def match(self, node: ast.Match) -> Stmt | core.Body:
        if not all(is_supported(case.pattern) for case in node.cases):
            return _refused(node)
        return without_match(node, self.expr, self.guard, self.body)

    def guard(self, node: ast.expr, given: dict[str, Expr]) -> Expr:
        """An expression in which names stand for what a pattern captures."""
        outer, self.given = self.given, self.given | given
        try:
            return self.expr(node)
        finally:
            self.given = outer

    # --- Expressions -------------------------------------------------------------------------------------------------

    def expr(self, node: ast.expr) -> Expr:
        """An expression."""
        reader = EXPRESSIONS.get(type(node))
        return core.Refused(place_of(node)) if reader is None else reader(self, node)

    def exprs(self, nodes: Sequence[ast.expr]) -> list[Expr]:
        """Expressions, from left to right."""
        return [self.expr(node) for node in nodes]

    def name(self, node: ast.Name) -> Expr:
        return self.given.get(node.id) or core.Name(place_of(node), node.id)

    def constant(self, node: ast.Constant) -> Expr:
        return core.Constant(place_of(node), node.value)

    def starred(self, node: ast.Starred) -> Expr:
        return core.Starred(place_of(node), self.expr(node.value))

    def tuple_(self, node: ast.Tuple) -> Expr:
        return core.Tuple(place_of(node), self.exprs(node.elts))

    def attribute(self, node: ast.Attribute) -> core.Attribute:
        return core.Attribute(place_of(node), self.expr(node.value), node.attr)

    def subscript(self, node: ast.Subscript) -> core.Subscript:
        return core.Subscript(place_of(node), self.expr(node.value), self.expr(node.slice))

    def slice(self, node: ast.Slice) -> Expr:
        lower, upper, step = (None if n is None else self.expr(n) for n in (node.lower, node.upper, node.step))
        return core.Slice(place_of(node), lower, upper, step)

    def unary(self, node: ast.UnaryOp) -> Expr:
        return core.UnaryOp(place_of(node), SYMBOLS[type(node.op)], self.expr(node.operand))

    def binary(self, node: ast.BinOp) -> Expr:
        return core.BinOp(place_of(node), self.expr(node.left), SYMBOLS[type(node.op)], self.expr(node.right))

    def boolean(self, node: ast.BoolOp) -> Expr:
        return core.BoolOp(place_of(node), "and" if isinstance(node.op, ast.And) else "or", self.exprs(node.values))

    def compare(self, node: ast.Compare) -> Expr:
        place = place_of(node)
        left = self.expr(node.left)
        last = len(node.ops) - 1
        parts: list[Expr] = []
        for position, (op, operand) in enumerate(zip(node.ops, node.comparators, strict=True)):
            right = self.expr(operand)
            again = right
            if position < last and not isinstance(right, core.Name | core.Constant):
                name = f"middle${operand.lineno}.{operand.col_offset}"
                again, right = core.Name(right.place, name), core.Let(right.place, name, right)
            parts.append(core.Compare(place, left, SYMBOLS[type(op)], right))
            left = again
        return parts[0] if last == 0 else core.BoolOp(place, "and", parts, True)

    def choice(self, node: ast.IfExp) -> Expr:
        return core.IfExp(place_of(node), self.expr(node.test), self.expr(node.body), self.expr(node.orelse))

    def call(self, node: ast.Call) -> core.Call:
        function, args = self.expr(node.func), self.exprs(node.args)
        keywords = [core.Keyword(place_of(k), k.arg, self.expr(k.value)) for k in node.keywords if k.arg is not None]
        return core.Call(place_of(node), function, args, keywords)

    def lambda_(self, node: ast.Lambda) -> Expr:
        return core.Lambda(place_of(node), self.function(node))

    def comprehension(self, node: ast.GeneratorExp) -> Expr:
        return self._each(node, node.generators)

    def _each(self, node: ast.GeneratorExp, levels: Sequence[ast.comprehension]) -> Expr:
        place = place_of(node)
        if not levels:
            return core.Tuple(place, [self.expr(node.elt)])
        level, *inner = levels
        over = self.expr(level.iter)
        target = self.target(level.target)
        outer, own = self.given, set(names(target))
        self.given = {name: value for name, value in outer.items() if name not in own}
        try:
            tests = self.exprs(level.ifs)
            body = self._each(node, inner)
        finally:
            self.given = outer
        for test in reversed(tests):
            body = core.Only(test.place, test, body)
        return core.Each(place, target, over, body)

    def text(self, node: ast.JoinedStr) -> core.Text:
        return self._text(node, place_of(node))

    def _text(self, node: ast.JoinedStr, place: Place) -> core.Text:
        """An f-string. What is in it stands where its expressions do: the rest has places as of Python 3.12 only."""
        parts: list[str | core.Field] = []
        for item in node.values:
            if isinstance(item, ast.FormattedValue):
                at, given = place_of(item.value), item.format_spec
                form = self._text(given, at) if isinstance(given, ast.JoinedStr) else None
                parts.append(core.Field(at, self.expr(item.value), _CONVERSIONS[item.conversion], form))
            elif text := cast(ast.Constant, item).value:  # Python 3.12 has empty ones behind a nested field
                parts.append(str(text))
        return core.Text(place, parts)


def names(target: Target) -> list[str]:
    """The variables that an assignment to `target` assigns."""
    if isinstance(target, core.Name):
        return [target.id]
    return [n for t in target.targets for n in names(t)] if isinstance(target, core.Unpack) else []


def _refused(node: ast.stmt) -> core.RefusedStatement:
    found: list[str] = []
    for inner in ast.walk(node):
        if isinstance(inner, ast.Name) and isinstance(inner.ctx, ast.Store):
            found.append(inner.id)
        elif isinstance(inner, ast.alias):
            found.append((inner.asname or inner.name).partition(".")[0])
        elif isinstance(inner, ast.ClassDef | ast.AsyncFunctionDef):
            found.append(inner.name)
    return core.RefusedStatement(place_of(node), found)


STATEMENTS: Final[dict[type[ast.stmt], Callable[[_Reader, Any], Stmt | core.Body]]] = {
    ast.Assign: _Reader.assign,
    ast.AnnAssign: _Reader.annotated,
    ast.AugAssign: _Reader.augmented,
    ast.If: _Reader.if_,
    ast.For: _Reader.for_,
    ast.While: _Reader.while_,
    ast.With: _Reader.with_,
    ast.Match: _Reader.match,
    ast.Assert: _Reader.assert_,
    ast.Raise: _Reader.raise_,
    ast.Expr: _Reader.evaluate,
    ast.FunctionDef: _Reader.define,
    ast.Return: _Reader.return_,
    ast.Break: lambda _, node: core.Break(place_of(node)),
    ast.Continue: lambda _, node: core.Continue(place_of(node)),
    ast.Pass: lambda _, node: core.Pass(place_of(node)),
}

EXPRESSIONS: Final[dict[type[ast.expr], Callable[[_Reader, Any], Expr]]] = {
    ast.Name: _Reader.name,
    ast.Constant: _Reader.constant,
    ast.Starred: _Reader.starred,
    ast.Tuple: _Reader.tuple_,
    ast.Attribute: _Reader.attribute,
    ast.Subscript: _Reader.subscript,
    ast.Slice: _Reader.slice,
    ast.UnaryOp: _Reader.unary,
    ast.BinOp: _Reader.binary,
    ast.BoolOp: _Reader.boolean,
    ast.Compare: _Reader.compare,
    ast.IfExp: _Reader.choice,
    ast.Call: _Reader.call,
    ast.Lambda: _Reader.lambda_,
    ast.GeneratorExp: _Reader.comprehension,
    ast.JoinedStr: _Reader.text,
}
