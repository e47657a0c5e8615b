"""Ranges and tiles that a `for` runs over, and what is decided when the kernel is compiled."""

from __future__ import annotations

from typing import cast

from freehold.dialects.cuda_tile.ops.arith_int import DivIOp
from freehold.frontend import arithmetic, errors
from freehold.frontend.arguments import Arguments, axis_of, misuse, shape_of
from freehold.frontend.checks import static_failure
from freehold.frontend.conditions import condition
from freehold.frontend.context import Context
from freehold.frontend.operands import ASSERTED, not_constant
from freehold.frontend.types import computes, signedness
from freehold.frontend.values import (
    NONE,
    POISON,
    RangeValue,
    Static,
    TensorValue,
    TilesValue,
    TileValue,
    Value,
    describe,
    static_of,
)


def tiles(c: Context, a: Arguments) -> Value:
    """`tiles`: the indices of a tensor's tiles along an axis."""
    tensor = a["tensor"]
    if not isinstance(tensor, TensorValue):
        return misuse(c, a, "tensor", f"runs over the tiles of a tensor, not of {describe(tensor)}")
    axis = axis_of(c, a["axis"], a.place("axis"), tensor.spec.rank, f"`{tensor.name}`")
    sizes = shape_of(c, a["size"], a.place("size"))
    if axis is None or sizes is None:
        return POISON
    if len(sizes) != 1:
        return misuse(c, a, "size", f"takes one size, and is given {len(sizes)}", "`size=64`")
    bounds: list[Static | TileValue] = []
    for name in ("start", "stop", "step"):
        match a[name]:
            case Static(value=int() as number) if number < (name == "step"):
                problem = f"counts tiles from 0 upwards, and is given {name} {number}"
                edit = "run backwards: `reversed(fh.tiles(...))`" if name == "step" else "count from the first: `0`"
                return misuse(c, a, name, problem, edit)
            case (TileValue() | Static(value=int())) as bound:
                bounds.append(bound)
            case Static(value=None) as bound if name == "stop":
                bounds.append(bound)
            case other:
                return not_constant(c, a.place(name), other, "the bound of a range of tiles")
    start, stop, step = bounds
    return TilesValue(tensor, axis, sizes[0], start, stop, step)


def counted(c: Context, a: Arguments, static: bool) -> Value:
    """`range` and `static_range`."""
    given = a.rest
    if not 1 <= len(given) <= 3:
        return misuse(c, a, "", f"takes one to three arguments, and is given {len(given)}")
    for position, value in enumerate(given):
        known = isinstance(value, Static) and isinstance(value.value, int)
        if not known and (static or not isinstance(value, TileValue)):
            place = a.node.args[position] if position < len(a.node.args) else a.node
            return not_constant(c, place, value, "the bound of a static range" if static else "the bound of a range")
    parts = cast("tuple[Static | TileValue, ...]", (Static(0), *given) if len(given) == 1 else given)
    step = parts[2] if len(parts) == 3 else Static(1)
    return RangeValue(parts[0], parts[1], step, static)


def static_assert(c: Context, a: Arguments) -> Value:
    """`static_assert`."""
    message = static_of(a["message"])
    truth = condition(c, a["condition"], a.place("condition"), "a static assertion")
    if isinstance(truth, TileValue):
        return not_constant(c, a.place("condition"), truth, ASSERTED)
    if truth is False:
        text = message[0] if message is not None and isinstance(message[0], str) and message[0] else None
        static_failure(c, a.place("condition"), text or f"`{c.text(a.place('condition'))}` does not hold")
    return NONE


def cdiv(c: Context, a: Arguments) -> Value:
    """`cdiv`, at compile time where both numbers are known."""
    x, y = a["a"], a["b"]
    known = static_of(x), static_of(y)
    if known[1] is not None and known[1][0] == 0:
        return c.error(errors.ArithmeticFails(c.span(a.node), what="division by zero"))
    if known[0] is not None and known[1] is not None:
        m, n = known[0][0], known[1][0]
        if isinstance(m, int) and isinstance(n, int):
            return Static(-(-m // n))
    pair = arithmetic.meet(c, x, y, a.node)
    if pair is None:
        return POISON
    s, t = pair
    if s.dtype.kind != "int":
        return misuse(c, a, "a", f"divides integers, not `{s.dtype}`")
    if not computes(s.dtype):
        return c.error(arithmetic.uncomputed(c, "cdiv", s.dtype, a.node, a.place("a")))
    return c.tile(s.dtype, s.shape, DivIOp, s, t, signedness(s.dtype), arithmetic.UP)


def unsafe(c: Context, a: Arguments) -> Value:
    """`unsafe` where it begins no block."""
    error = errors.NotAnUnsafeBlock(c.span(a.node), what="`unsafe` begins a block", why="it is a value of no use")
    return c.error(error.add(error.Instead(f"write `with {c.text(a.node)}:`, and the accesses in it")))
