"""Making tiles: `zeros`, `ones`, `full` and `arange`."""

from __future__ import annotations

from math import prod
from typing import cast

from freehold.dialects.cuda_tile.ops.arith_int import AddIOp, MulIOp
from freehold.dialects.cuda_tile.ops.shape import IotaOp
from freehold.frontend import advice_on_calls
from freehold.frontend.advice import Advice, in_place, line
from freehold.frontend.arguments import Arguments, check_pairs, check_shape, dtype_of, ints_of, misuse, shape_of
from freehold.frontend.arithmetic import as_tile, broadcast, common_shape, convert
from freehold.frontend.context import Context
from freehold.frontend.syntax.text import primary
from freehold.frontend.types import tile_type
from freehold.frontend.values import POISON, Number, Poison, Static, TileValue, Value, is_number, show_shape
from freehold.support import dtypes
from freehold.support.dtypes import DType


def _dtype(c: Context, a: Arguments, default: DType) -> DType | None:
    """The dtype that a tile is made with, `default` where none is given; None after reporting that it is none."""
    given = a["dtype"]
    if isinstance(given, Static) and is_number(given.value):
        several = advice_on_calls.of_shape(c, a.node, a.signature.name)
        if several is not None:
            misuse(c, a, "dtype", "takes its shape as one tuple", several)
            return None
    return default if isinstance(given, Static) and given.value is ... else dtype_of(c, given, a.place("dtype"))


def filled(c: Context, a: Arguments, number: Number) -> Value:
    """`zeros`, `ones`."""
    shape, dtype = shape_of(c, a["shape"], a.place("shape")), _dtype(c, a, dtypes.f32)
    if shape is None or dtype is None or not check_pairs(c, dtype, shape, a.place("shape")):
        return POISON
    return c.constant(number, dtype, shape)


def full(c: Context, a: Arguments) -> Value:
    """`full(shape, value, dtype)`."""
    value = a["value"]
    known = value.value if isinstance(value, Static) and is_number(value.value) else 0.0
    of_value = value.dtype if isinstance(value, TileValue) else dtypes.default_dtype(cast(Number, known))
    shape, dtype = shape_of(c, a["shape"], a.place("shape")), _dtype(c, a, of_value)
    if shape is None or dtype is None or not check_pairs(c, dtype, shape, a.place("shape")):
        return POISON
    if isinstance(value, Static) and is_number(value.value):
        with c.at(a.place("value")):
            return c.constant(cast(Number, value.value), dtype, shape)
    tile = as_tile(c, value, a.place("value"), dtype)
    if isinstance(tile, Poison):
        return POISON
    if common_shape(tile.shape, shape) != shape:
        return misuse(c, a, "value", f"cannot fill {show_shape(shape)} with a tile of shape {show_shape(tile.shape)}")
    return convert(c, broadcast(c, tile, shape), dtype)


def _counts_nothing(c: Context, a: Arguments, counted: range, end: str) -> Value:
    """Reports an `arange` that ends where it begins, or before."""
    start, stop, step = counted.start, counted.stop, counted.step
    call = c.text(a.node.func)
    kind = f", dtype={line(c, a.nodes['dtype'])}" if "dtype" in a.nodes else ""
    if start == stop:
        edit = f"count one at least: `{call}({start}, {start + 1}{kind})`"
    elif start != 0 or step != 1:
        edit = f"count the other way: `{call}({start}, {stop}, {-step}{kind})`"
    else:  # `arange(-8)`: what is meant are the numbers below 0
        whole = in_place(c, a.node, f"{call}({-stop}{kind}) - {-stop}")
        edit = f"add where it begins: `{whole}`"
    problem = f"counts from {start} to {stop} by {step}, so there is no number"
    return misuse(c, a, end, problem, Advice(edit, a.node))


def arange(c: Context, a: Arguments) -> Value:
    """`arange(stop)`, `arange(start, stop)` or `arange(start, stop, step)`, and the dtype last or by its name."""
    positions = ("start", "stop", "step")
    given = ["start"]
    given += [name for name in positions[1:] if not (isinstance(v := a[name], Static) and v.value in (..., None))]
    last = a[given[-1]]
    counts = (isinstance(last, Static) and is_number(last.value)) or isinstance(last, TileValue)
    if len(given) > 1 and not counts and "dtype" not in a.nodes:
        a.values["dtype"], a.nodes["dtype"] = last, a.nodes[given[-1]]
        given.pop()
    bounds: list[int] = []
    for name in given:
        if isinstance(a[name], TileValue):
            edit = f"count from 0, and add: `fh.arange(64) + {primary(a.text(c, name))}`"
            return misuse(c, a, name, "makes a tile, whose length is known at compile time", edit)
        found = ints_of(c, a[name], a.place(name), "the end of `arange`" if name != "step" else "the step of `arange`")
        if found is None:
            return POISON
        if len(found) != 1:
            shown = f"fh.arange({prod(found)}).reshape({', '.join(map(str, found))})"
            return misuse(c, a, name, "counts along one axis, and takes one number", f"write `{shown}`")
        bounds.append(found[0])
    if given == ["start", "step"]:  # which ends where it would begin with an end
        bounds.insert(0, 0)
    if bounds[2:] == [0]:
        return misuse(c, a, "step", "takes a step other than 0", "leave it out: it is 1")
    counted = range(*bounds)
    count = max(0, -((counted.start - counted.stop) // counted.step))  # of a range that is too long Python says none
    end = given[min(len(given), 2) - 1]
    if not count:
        return _counts_nothing(c, a, counted, end)
    if not check_shape(c, (count,), a.place(end), written=given == ["start"]):
        return POISON
    dtype = _dtype(c, a, dtypes.i32)
    if dtype is None or not check_pairs(c, dtype, (count,), a.place(given[0])):
        return POISON
    wide = dtype if dtype.kind == "int" and dtype.bits >= 32 else dtypes.i32
    tile: TileValue = c.tile(wide, (count,), IotaOp, tile_type((count,), wide))
    for op, number, neutral in ((MulIOp, counted.step, 1), (AddIOp, counted.start, 0)):
        if number != neutral:
            with c.at(a.node):
                other = c.constant(number, wide, tile.shape)
                tile = c.tile(wide, tile.shape, op, tile, other)
    return convert(c, tile, dtype)
