"""
`require`: what a kernel asks of its launch.

The condition is read as mathematics over extents, integer scalars and constants, not computed by the kernel: the
launcher evaluates it, and every proof may use it.
"""

from __future__ import annotations

from functools import reduce
from typing import Final, cast

from freehold.dialects.ownership import DimOp, RequireOp, extent_symbols, scalar_symbols, tensor_type
from freehold.frontend import errors
from freehold.frontend.advice import Advice, line
from freehold.frontend.advice_on_values import annotated
from freehold.frontend.arguments import Arguments
from freehold.frontend.context import Context
from freehold.frontend.syntax import core
from freehold.frontend.typed import Do, Typed
from freehold.frontend.values import NONE, POISON, Static, TileValue, Value, describe, is_poison, static_of
from freehold.support import terms
from freehold.support.span import Span
from freehold.support.terms import Term

_COMPARISONS: Final = ("<", "<=", "==", "and", "or", "not")
_CALLS: Final = {"min": "min", "max": "max", "cdiv": "ceildiv"}
"""Functions, and the operators that they are."""
_READ: Final = "extents, integer scalars and constants, with `+ - * // %`, `min`, `max`, `cdiv` and comparisons"


def require(c: Context, a: Arguments) -> Value:
    """`require`: a condition as an expression, or as text in the words of dimensions (`"H % G == 0"`)."""
    message = static_of(a["message"])
    if message is None or not isinstance(message[0], str):
        why = f"this is {describe(a['message'])}"
        return c.error(errors.NotConstant(c.span(a.place("message")), what="the message", why=why))
    if c.block is not c.top:
        error = errors.ControlFlow(
            c.span(a.node),
            what="`require`",
            where="in a branch or a loop",
            why="the launcher checks it before anything runs, whatever the kernel does then",
        )
        return c.error(error.add(error.Instead("write it at the beginning of the kernel")))
    place = a.place("condition")
    predicate = _Reader(c).condition(a, place)
    if predicate is None:
        return POISON
    if predicate == terms.FALSE:
        return c.error(errors.StaticAssertion(c.span(place), message=message[0] or f"`{c.text(place)}` never holds"))
    if predicate != terms.TRUE:
        with c.into(c.body):
            c.add(RequireOp, predicate, message[0])
    return NONE


def named_term(c: Context, text: str, node: core.Node) -> Term | None:
    """The text of an expression as a term over what the launcher knows, by names; None after reporting what is none."""
    found = _Reader(c).named(text, node)
    if found is not None and found.op in _COMPARISONS:
        return _Reader(c).refuse(node, f'"{text}", a comparison,', "write a number")
    return found


def launch_term(c: Context, a: Arguments, name: str, edit: str | None = None) -> Term | None:
    """
    An argument as a term over what the launcher knows; None after reporting what in it is no such number.

    `edit` is what to write instead of what the kernel computes.
    """
    return terms.const(_integer(a[name])) if _is_integer(a[name]) else _Reader(c, edit).argument(a, name)


class _Reader:
    """Reads a condition as a term."""

    def __init__(self, c: Context, edit: str | None = None):
        self.c = c
        self.edit = edit or f"write {_READ}"
        self.instead: Advice | None = None
        """The statement that asks the same while the kernel runs."""
        self.arguments = c.body.args
        self.scalars = scalar_symbols(self.arguments)
        self.held: dict[str, Term | None] = {}
        """What is read once and used twice, by its name."""

    def condition(self, a: Arguments, node: core.Expr) -> Term | None:
        """A predicate; None after reporting why there is none."""
        known = static_of(a["condition"])
        if known is not None and isinstance(known[0], str):
            return self._text(known[0], node)
        self.instead = _in_the_kernel(self.c, a)
        found = self.argument(a, "condition")
        if found is not None and not _is_predicate(found):
            return self.refuse(node, f"`{self.c.text(node)}`, a number,", "compare it with something")
        return found

    def _text(self, text: str, node: core.Expr) -> Term | None:
        found = self.named(text, node)
        if found is not None and not _is_predicate(found):
            return self.refuse(node, f'"{text}", a number,', "compare it with something")
        return found

    def named(self, text: str, node: core.Node) -> Term | None:
        """The text of an expression; None after reporting what in it is no number that the launcher knows."""
        try:
            found = terms.parse(text)
        except ValueError as e:
            return self.refuse(node, f'"{text}"', f"write {_READ}: {e}")
        names = extent_symbols(self.arguments) | {*self.scalars.values()}
        for name in sorted(found.symbols() & names):
            if self._is_another(name):
                what = f"`{name}`, which is another number here than the launch knows by that name,"
                return self.refuse(node, what, "give one of the two another name")
        constants = {n: terms.const(_integer(v)) for n, v in self.c.frame.variables.items() if _is_integer(v)}
        found = found.substitute({n: t for n, t in constants.items() if n not in names})
        if unknown := sorted(found.symbols() - names):
            return self.refuse(node, f"`{unknown[0]}`", "name dimensions, integer scalars, or `Const` parameters")
        unsigned = {n for v, n in self.scalars.items() if not self.c.scalars[v].signed}
        for name in sorted(unsigned & found.symbols()):
            return self._unsigned(node, name)
        return found

    def _is_another(self, name: str) -> bool:
        """Whether a variable of this place has a name of the launch's, and is another number: one that was assigned, or
        an argument of a helper."""
        value = self.c.frame.variables.get(name)
        if isinstance(value, Static):
            return isinstance(value.value, int | float)
        return isinstance(value, TileValue) and not value.shape and self._known(value) != terms.sym(name)

    def _known(self, value: TileValue) -> Term | None:
        """A number as a term, if the launcher knows it."""
        var, maker = value.var, value.var.maker
        if isinstance(var, Typed) and var in self.scalars:
            return terms.sym(self.scalars[var])
        if isinstance(maker, Do) and maker.make is DimOp:
            source, axis = cast("tuple[Typed, int]", maker.args)
            return tensor_type(source).extent(axis)
        return None

    def argument(self, a: Arguments, name: str) -> Term | None:
        """An argument as it is written; one that stands in a tuple, `*pair`, as what it comes to."""
        return self.term(a.nodes[name]) if name in a.nodes else self._read(a[name], a.node)

    def term(self, node: core.Expr) -> Term | None:
        """An expression; None after reporting what in it is no number that the launcher knows."""
        match node:
            case core.BoolOp():
                return self._applied(node.op, *node.values)
            case core.UnaryOp(op="not"):
                return self._applied("not", node.operand)
            case core.UnaryOp(op="-"):
                inner = self.term(node.operand)
                return None if inner is None else terms.const(0) - inner
            case core.BinOp() | core.Compare() if node.op in terms.OPERATORS:
                return self._applied(node.op, node.left, node.right)
            case core.Let():
                inner = self.held[node.id] = self.term(node.value)
                return inner
            case core.Name() if node.id in self.held:
                return self.held[node.id]
            case core.Call(args=[first, second], keywords=[]) if (name := self._function(node.func)) in _CALLS:
                return self._applied(_CALLS[name], first, second)
            case _:
                return self._read(self.c.lower(node), node)

    def _applied(self, op: str, *operands: core.Expr) -> Term | None:
        """An operator of one operand, or between two or more."""
        first, *others = [self.term(operand) for operand in operands]
        if first is None or any(other is None for other in others):
            return None
        return reduce(terms.OPERATORS[op], others, first) if others else terms.OPERATORS[op](first)

    def _function(self, node: core.Expr) -> str:
        known = static_of(self.c.lower(node))
        return str(getattr(known[0], "__name__", "")) if known is not None else ""

    def _read(self, value: Value, node: core.Expr) -> Term | None:
        """What an expression comes to."""
        if is_poison(value):
            return None
        if _is_integer(value):
            return terms.const(_integer(value))
        if isinstance(value, Static):
            instead = self.instead if isinstance(value.value, float) else None
            return self.refuse(node, describe(value), instead or f"write {_READ}")
        if isinstance(value, TileValue) and not value.shape:
            var, found = value.var, self._known(value)
            if isinstance(var, Typed) and var in self.scalars and not value.dtype.signed:
                return self._unsigned(node, self.scalars[var])
            if found is not None:
                return found
            given = var.maker is self.c.body
            what = f"of `{value.dtype}`" if given else "which the kernel computes"
            return self.refuse(node, f"`{self.c.text(node)}`, {what},", self.instead or self.edit)
        instead = self.instead if isinstance(value, TileValue) else None
        return self.refuse(node, describe(value), instead or self.edit)

    def _unsigned(self, node: core.Node, name: str) -> None:
        """Refuses a scalar without a sign: terms read all numbers with one."""
        dtype = next(self.c.scalars[v] for v, n in self.scalars.items() if n == name)
        signed = "i64" if dtype.bits == 64 else "i32"
        place = annotated(self.c, name) if self.c.frame.is_kernel else None
        edit = f"declare it with a sign: `{name}: {signed}`"
        self.refuse(node, f"`{name}`, of `{dtype}`,", edit, "the launcher reads integers with a sign", place)

    def refuse(
        self,
        node: core.Node,
        what: str,
        edit: str | Advice,
        why: str = "the launcher knows extents and integers",
        at: Span | None = None,
    ) -> None:
        text, at = (edit.text, edit.at(self.c)) if isinstance(edit, Advice) else (edit, at)
        error = errors.WrongValue(self.c.span(node), what=what, role="asked of a launch", why=why)
        self.c.error(error.add(error.Instead(text, at=at)))


def _in_the_kernel(c: Context, a: Arguments) -> Advice | None:
    """An assertion, for what is known in the kernel only."""
    message = f", {line(c, a.nodes['message'])}" if "message" in a.nodes else ""
    statement = any(isinstance(n, core.Evaluate) and n.value is a.node for n in c.frame.nodes)
    if "condition" not in a.nodes or not statement:
        return None
    return Advice(f"check it in the kernel: `assert {line(c, a.nodes['condition'])}{message}`", a.node)


def _is_integer(value: Value) -> bool:
    return isinstance(value, Static) and isinstance(value.value, int)


def _integer(value: Value) -> int:
    assert isinstance(value, Static)
    assert isinstance(value.value, int)
    return int(value.value)


def _is_predicate(t: Term) -> bool:
    return t.op in _COMPARISONS or t in (terms.TRUE, terms.FALSE)  # which are 1 and 0, too
