"""Operators, comparisons and what they decide: conditions that are known are decided at compile time."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import cast

from freehold.dialects.cuda_tile.ops.arith_int import AndIOp, DivIOp, OrIOp, RemIOp
from freehold.dialects.cuda_tile.ops.shape import SelectOp
from freehold.frontend import arithmetic, classes, errors, joins, kinds
from freehold.frontend.advice import Advice, in_place
from freehold.frontend.advice_on_values import of_choice, truth_of
from freehold.frontend.arithmetic import as_tile, broadcast, convert
from freehold.frontend.context import Context
from freehold.frontend.products import matmul
from freehold.frontend.syntax import core
from freehold.frontend.typed import Block, Do, is_free
from freehold.frontend.types import computable, computes
from freehold.frontend.values import (
    POISON,
    Poison,
    RecordValue,
    Static,
    TensorValue,
    TileValue,
    TupleValue,
    Value,
    describe,
    is_comparable,
    is_poison,
    record_of,
    same,
    show_shape,
    static_of,
)
from freehold.support import dtypes
from freehold.support.dtypes import DType


def binary(c: Context, node: core.BinOp) -> Value:
    """`a + b` and the like."""
    a, b = c.lower(node.left), c.lower(node.right)
    if node.op == "@":
        return matmul(c, a, b, node)
    return arithmetic.binary(c, node.op, a, b, node)


def unary(c: Context, node: core.UnaryOp) -> Value:
    """`-a`, `+a`, `~a`, `not a`."""
    value = c.lower(node.operand)
    if node.op != "not":
        return arithmetic.unary(c, node.op, value, node)
    truth = condition(c, value, node.operand, "`not`", lambda: _in_place_of(c, node, f"~{truth_of(c, node.operand)}"))
    if isinstance(truth, TileValue):
        return arithmetic.unary(c, "~", truth, node)
    return POISON if truth is None else Static(not truth)


def _in_place_of(c: Context, node: core.Expr, code: str) -> Advice:
    return Advice(in_place(c, node, code), node)


def condition(
    c: Context,
    value: Value,
    node: core.Expr,
    construct: str,
    edit: Callable[[], Advice] | None = None,
    choice: Callable[[], Advice | None] = lambda: None,
) -> bool | TileValue | None:
    """The truth of a value: known, or a scalar of bool; None after reporting that it has none. What could be written
    instead is asked for then."""
    if isinstance(value, Poison):
        return None
    if isinstance(value, TileValue):
        if value.shape:
            error = errors.ConditionNotScalar(c.span(node), what=describe(value), construct=construct)
            if edit is not None:
                combined = edit()
                error.add(error.Instead(f"combine element by element: `{combined.text}`", at=combined.at(c)))
            elif construct == "a `case`":  # whose text is no condition
                error.add(error.Instead("choose element by element: compare with `==`, and choose by `fh.where`"))
            else:
                if construct != "a `while`":
                    chosen = choice() or Advice(f"`fh.where({c.text(node)}, a, b)`")
                    error.add(error.Instead(f"choose element by element: {chosen.text}", at=chosen.at(c)))
                error.add(error.Instead(f"to ask whether it holds anywhere, write `{c.primary(node)}.any()`"))
            c.error(error)
            return None
        return value if value.dtype.kind == "bool" else convert(c, value, dtypes.bool_)
    known = static_of(value)
    if known is not None and (is_comparable(known[0]) or isinstance(known[0], tuple)):
        return bool(cast(object, known[0]))
    error = errors.ConditionNotScalar(c.span(node), what=describe(value), construct=construct)
    if isinstance(value, TensorValue) and value.parameter.optional:
        error.add(error.Instead(f"ask whether there is one: `{c.text(node)} is not None`", at=c.span(node)))
    c.error(error)
    return None


def boolean(c: Context, node: core.BoolOp) -> Value:
    """`a and b`, `a or b`, `a < b < c`: what decides is not followed by anything that is computed."""
    if node.chain:
        chain = _Chain(False, "a chain of comparisons", lambda: _of_chain(c, node))
    else:
        chain = _Chain(node.op == "or", f"`{node.op}`", lambda: _of_truths(c, node))
    return chain.lower(c, [(operand, lambda o=operand: c.lower(o)) for operand in node.values])


def _of_chain(c: Context, node: core.BoolOp) -> Advice:
    pairs = [f"({c.text(v.left)} {v.op} {c.text(v.right)})" for v in node.values if isinstance(v, core.Compare)]
    return _in_place_of(c, node, " & ".join(pairs))


def _of_truths(c: Context, node: core.BoolOp) -> Advice:
    return _in_place_of(c, node, (" & " if node.op == "and" else " | ").join(truth_of(c, n) for n in node.values))


@dataclass(frozen=True, slots=True)
class _Chain:
    """`a and b`, `a or b`, `a < b < c`."""

    decides: bool
    """The truth of an operand that decides, so that nothing after it is computed."""
    construct: str
    edit: Callable[[], Advice]
    """How it would be written for tiles."""

    def lower(self, c: Context, operands: list[tuple[core.Expr, Callable[[], Value]]]) -> Value:
        """The value of a chain of operands, each made when it is needed."""
        return _chain(c, self, operands)


def _chain(c: Context, chain: _Chain, operands: list[tuple[core.Expr, Callable[[], Value]]]) -> Value:
    decides = chain.decides
    node, make = operands[0]
    value = make()
    truth = condition(c, value, node, chain.construct, chain.edit)
    rest = operands[1:]
    if not rest:
        return POISON if truth is None else value if isinstance(truth, bool) else truth
    if truth is None:
        for _, other in rest:
            other()
        return POISON
    if isinstance(truth, bool):
        return value if truth is decides else _chain(c, chain, rest)
    block = Block()
    with c.into(block):
        other = _chain(c, chain, rest)
        right = condition(c, other, rest[0][0], chain.construct, chain.edit)
        if right is None:
            return POISON
        if isinstance(right, bool):
            right = c.constant(right, dtypes.bool_)
    if all(map(is_cheap, block.body)):
        c.block.absorb(block.body)
        return c.tile(dtypes.bool_, (), OrIOp if decides else AndIOp, truth, right)
    known = Block()
    with c.into(known):
        ways = [(known, [c.constant(decides, dtypes.bool_)]), (block, [right])]
    return joins.either(c, truth, *(ways if decides else ways[::-1]))[0]


def is_cheap(do: Do) -> bool:
    """Whether something may be done where its result is not needed: it has no effect and cannot fail."""
    return do.make not in (DivIOp, RemIOp) and not any(do.blocks) and is_free(do)


def ternary(c: Context, node: core.IfExp) -> Value:
    """`a if test else b`."""
    truth = condition(c, c.lower(node.test), node.test, "a conditional expression", choice=lambda: of_choice(c, node))
    if truth is None:
        c.lower(node.body)
        c.lower(node.orelse)
        return POISON
    if isinstance(truth, bool):
        return c.lower(node.body if truth else node.orelse)
    then, otherwise = Block(), Block()
    with c.into(then):
        a = c.lower(node.body)
    with c.into(otherwise):
        b = c.lower(node.orelse)
    if is_poison(a, b):
        return POISON
    return choose(c, truth, (then, a), (otherwise, b), node)


def choose(
    c: Context, truth: TileValue, then: tuple[Block, Value], otherwise: tuple[Block, Value], node: core.Expr
) -> Value:
    """The one or the other of two scalars or tiles, each with the operations that make it."""
    (first, a), (second, b) = then, otherwise
    if any(isinstance(v, TupleValue) or record_of(v) is not None for v in (a, b)) and not same(a, b):
        return _choose_parts(c, truth, then, otherwise, node)
    if all(map(is_cheap, (*first.body, *second.body))):
        c.block.absorb((*first.body, *second.body))
        return select(c, truth, a, b, node)
    if same(a, b):
        merged: list[TileValue] | None = []
    else:
        merged = unify(c, [(first, a), (second, b)], node)
    if merged is None:
        return POISON
    made = joins.either(c, truth, (first, merged[:1]), (second, merged[1:]))
    return arithmetic.weakened(made[0], a, b) if merged else a


def _choose_parts(
    c: Context, truth: TileValue, then: tuple[Block, Value], otherwise: tuple[Block, Value], node: core.Expr
) -> Value:
    """The one or the other of two tuples or objects."""
    (_, a), (_, b) = then, otherwise
    x, y = kinds.kind_of(a), kinds.kind_of(b)
    kind = None if x is None or y is None else kinds.join(x, y)
    if kind is None:
        _, p, q = kinds.difference("", a, b)
        error = errors.WrongOperands(
            c.span(node),
            operator="if ... else",
            operands=f"{describe(p)} and {describe(q)}",
            why="what is chosen when the kernel runs has one type",
        )
        return c.error(error)
    ways: list[tuple[Block, list[TileValue]]] = []
    for block, value in (then, otherwise):
        with c.into(block):
            ways.append((block, joins.flatten(c, value, kind)))
    return kinds.assemble(kind, joins.either(c, truth, *ways))


def unify(c: Context, ways: list[tuple[Block, Value]], node: core.Expr) -> list[TileValue] | None:
    """Two values as tiles of one dtype and shape, each converted in its own block; None after reporting."""
    (_, a), (_, b) = ways
    x, y = arithmetic.operand(c, a, node), arithmetic.operand(c, b, node)
    dtype = None if x is None or y is None else arithmetic.meet_dtype(c, x, y, node)
    if x is None or y is None or dtype is None:
        return None
    shape = arithmetic.common_shape(_shape(x), _shape(y))
    if shape and shape[-1] is None:
        m, n = cast("tuple[int, int, None]", shape)[:2]
        error = errors.NoBroadcast(c.span(node), left=show_shape(_shape(x)), right=show_shape(_shape(y)), a=m, b=n)
        c.error(error)
        return None
    found: list[TileValue] = []
    for (block, _), value, side in zip(ways, (x, y), arithmetic.sides(node), strict=True):
        with c.into(block):
            tile = as_tile(c, value, side, dtype)
            assert isinstance(tile, TileValue)
            found.append(broadcast(c, convert(c, tile, dtype), cast("tuple[int, ...]", shape)))
    return found


def _shape(value: TileValue | Static) -> tuple[int, ...]:
    return value.shape if isinstance(value, TileValue) else ()


def select(c: Context, truth: TileValue, a: Value, b: Value, node: core.Node) -> Value:
    """`a` where `truth` holds, else `b`."""
    if same(a, b):
        return a
    pair = arithmetic.meet(c, a, b, node)
    if pair is None:
        return POISON
    x, y = pair
    if truth.shape != x.shape:
        shape = arithmetic.meet_shape(c, truth, x, node)
        if shape is None:
            return POISON
        truth, x, y = broadcast(c, truth, shape), broadcast(c, x, shape), broadcast(c, y, shape)
    if x.dtype is dtypes.f4e2m1fn:  # which Tile IR does not choose between; f16 holds all of it
        wide = c.tile(dtypes.f16, x.shape, SelectOp, truth, *(convert(c, t, dtypes.f16) for t in (x, y)))
        return convert(c, wide, x.dtype)
    return arithmetic.weakened(c.tile(x.dtype, x.shape, SelectOp, truth, x, y), a, b)


def compare(c: Context, node: core.Compare) -> Value:
    """`a < b`."""
    return _compare(c, node.op, c.lower(node.left), c.lower(node.right), node)


def _compare(c: Context, symbol: str, a: Value, b: Value, node: core.Expr) -> Value:
    if is_poison(a, b):
        return POISON
    if symbol in ("is", "is not"):
        return _identical(c, a, b, symbol == "is", node)
    if symbol in ("in", "not in"):
        return _contains(c, a, b, symbol == "in", node)
    x, y = static_of(a), static_of(b)
    if x is not None and y is not None:
        for one, other in ((x[0], y[0]), (y[0], x[0])):
            if isinstance(one, DType) and isinstance(other, str):
                why = "dtypes are objects, and never equal to text"
                error = errors.WrongOperands(
                    c.span(node), operator=symbol, operands=f"a dtype and {describe(Static(other))}", why=why
                )
                if (named := dtypes.from_name(other)) is not None:
                    error.add(error.Instead(f"compare with `fh.{named}`"))
                return c.error(error)
        return arithmetic.host(c, symbol, x[0], y[0], node)
    if symbol in ("==", "!=") and (_is_none(a) or _is_none(b)):
        return Static(symbol == "!=")
    if isinstance(a, RecordValue | TupleValue) or isinstance(b, RecordValue | TupleValue):
        return _objects(c, symbol, a, b, node)
    pair = arithmetic.meet(c, a, b, node)
    if pair is None:
        return POISON
    if not computes(dtype := pair[0].dtype):
        pair = convert(c, pair[0], computable(dtype)), convert(c, pair[1], computable(dtype))
    return arithmetic.comparison(c, symbol, *pair)


def _objects(c: Context, symbol: str, a: Value, b: Value, node: core.Expr) -> Value:
    """A comparison of tuples or objects: by a method of the user's, or item by item for `==` and `!=`."""

    if (made := classes.operator(c, symbol, a, b, node)) is not None:
        return made
    x, y = (v if isinstance(v, TupleValue) else record_of(v) for v in (a, b))
    if symbol in ("==", "!=") and any(v is None and isinstance(w, Static) for v, w in ((x, a), (y, b))):
        return Static(symbol == "!=")
    if symbol not in ("==", "!=") or x is None or y is None:
        why = "tuples and objects are compared by `==` and `!=`"
        error = errors.WrongOperands(
            c.span(node), operator=symbol, operands=f"{describe(a)} and {describe(b)}", why=why
        )
        return c.error(error)
    both_tuples = isinstance(x, TupleValue) and isinstance(y, TupleValue)
    if len(x.items) != len(y.items) or not (both_tuples or x.kind is y.kind):
        return Static(symbol == "!=")
    equal: TileValue | None = None
    for p, q in zip(x.items, y.items, strict=True):
        one = _compare(c, "==", p, q, node)
        truth = condition(c, one, node, "a comparison of tuples")
        if truth is None:
            return POISON
        if truth is False:
            return Static(symbol == "!=")
        if isinstance(truth, TileValue):
            equal = truth if equal is None else c.tile(dtypes.bool_, (), AndIOp, equal, truth)
    if equal is None:
        return Static(symbol == "==")
    return equal if symbol == "==" else arithmetic.unary(c, "~", equal, node)


def _is_none(value: Value) -> bool:
    return isinstance(value, Static) and value.value is None


def _identical(c: Context, a: Value, b: Value, wanted: bool, node: core.Expr) -> Value:
    x, y = static_of(a), static_of(b)
    if x is not None and y is not None:
        return Static((x[0] is y[0]) is wanted)
    if _is_none(a) or _is_none(b):
        return Static(not wanted)
    error = errors.WrongOperands(
        c.span(node),
        operator="is",
        operands=f"{describe(a)} and {describe(b)}",
        why="tiles have values and no identity",
    )
    return c.error(error.add(error.Instead("compare their values: `==`")))


def _contains(c: Context, a: Value, b: Value, wanted: bool, node: core.Expr) -> Value:
    x, y = static_of(a), static_of(b)
    if x is not None and y is not None and isinstance(y[0], tuple | str | range):
        try:
            return Static((x[0] in y[0]) is wanted)  # type: ignore[operator]
        except TypeError as e:
            return c.error(errors.ArithmeticFails(c.span(node), what=str(e)))
    if not isinstance(b, TupleValue):
        error = errors.WrongOperands(c.span(node), operator="in", operands=describe(b), why="only tuples are searched")
        return c.error(error)
    found: TileValue | None = None
    for item in b.items:
        equal = _compare(c, "==", a, item, node)
        if isinstance(equal, Poison):
            return POISON
        if isinstance(equal, Static):
            if equal.value:
                return Static(wanted)
            continue
        one = cast(TileValue, equal)
        if found is None:
            found = one
            continue
        pair = arithmetic.meet(c, found, one, node)
        if pair is None:
            return POISON
        found = arithmetic.arithmetic(c, "|", *pair)
    if found is None:
        return Static(not wanted)
    return found if wanted else arithmetic.unary(c, "~", found, node)
