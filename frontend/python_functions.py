"""Functions of Python that kernels may call."""

from __future__ import annotations

import builtins
from collections.abc import Callable
from dataclasses import replace
from functools import partial, reduce
from typing import Final, cast

from freehold.frontend import arithmetic, errors
from freehold.frontend.arguments import Arguments, Signature, flag_of, misuse
from freehold.frontend.arithmetic import as_tile, convert
from freehold.frontend.breakpoints import breakpoint_
from freehold.frontend.conditions import condition
from freehold.frontend.context import Context
from freehold.frontend.elementwise import extreme
from freehold.frontend.language.tile import Scalar, Tile
from freehold.frontend.ranges import counted
from freehold.frontend.syntax import core
from freehold.frontend.values import (
    POISON,
    Poison,
    RangeValue,
    RecordValue,
    Static,
    TensorValue,
    TilesValue,
    TileValue,
    TupleValue,
    Value,
    describe,
    is_lasting,
    items_of,
    static_of,
)
from freehold.support import dtypes
from freehold.support.dtypes import DType

_MOST: Final = 1000
"""How many values a range or a text is taken apart into."""


def _items(c: Context, a: Arguments, name: str, value: Value) -> tuple[Value, ...] | Poison | None:
    """The items of an argument that can be run over, or poison after reporting that they are too many; else None."""
    if isinstance(value, TupleValue):
        return value.items
    items = items_of(value, _MOST + 1)
    if items is None or len(items) <= _MOST:
        return items
    return misuse(c, a, name, f"takes at most {_MOST} values out of {describe(value)}")


def _len(c: Context, a: Arguments) -> Value:
    value = a["value"]
    match value:
        case TupleValue():
            return Static(len(value.items))
        case TileValue() if value.shape:
            return Static(value.shape[0])
        case Static() if isinstance(value.value, str | range):
            return Static(len(value.value))
        case TensorValue():
            return misuse(c, a, "value", f"has no meaning for tensor `{value.name}`", f"`{value.name}.shape[0]`")
        case _:
            return misuse(c, a, "value", f"has no meaning for {describe(value)}")


def _python_extremum(c: Context, a: Arguments, larger: bool) -> Value:
    taken = _items(c, a, "", a.rest[0]) if len(a.rest) == 1 else None
    if isinstance(taken, Poison):
        return POISON
    items = a.rest if taken is None else taken
    name = "max" if larger else "min"
    if len(items) == 1 and isinstance(items[0], TileValue) and items[0].shape:
        return misuse(c, a, "", "compares several values, and is given one tile", f"reduce the tile: `t.{name}()`")
    if not items:
        return misuse(c, a, "", "needs at least one value")
    result: Value = items[0]
    for item in items[1:]:
        result = extreme(c, result, item, larger, a, True)
        if isinstance(result, Poison):
            return POISON
    return result


def _python_abs(c: Context, a: Arguments) -> Value:
    return arithmetic.unary(c, "abs", a["x"], a.node)


def _number(c: Context, a: Arguments, dtype: DType, kind: type) -> Value:
    value = a["x"]
    if isinstance(value, Static) and (kind is not bool or is_lasting(value)):
        try:
            return Static(kind(value.value))
        except (TypeError, ValueError, OverflowError) as e:
            return c.error(errors.ArithmeticFails(c.span(a.node), what=f"`{c.text(a.node)}` cannot be computed: {e}"))
    if kind is bool and isinstance(value, TupleValue):
        return Static(bool(value.items))
    tile = as_tile(c, value, a.place("x"))
    if isinstance(tile, Poison):
        return POISON
    if kind is bool and tile.shape:
        condition(c, tile, a.place("x"), "`bool(...)`")
        return POISON
    if kind is int and tile.dtype.kind == "int" and not tile.shape:
        return arithmetic.firm(tile)
    return arithmetic.firm(convert(c, tile, dtype))


def _tuple(c: Context, a: Arguments) -> Value:
    value = a["values"]
    if isinstance(value, TupleValue) and value.kind is None:
        return value
    items = _items(c, a, "values", value)
    if isinstance(items, Poison):
        return POISON
    if items is not None:
        return TupleValue(items)
    edit = None
    if isinstance(value, TileValue) and value.shape:
        edit = f"compute with all of its elements at once; what counts them is `fh.arange({value.shape[0]})`"
    if isinstance(value, RangeValue | TilesValue):
        edit = "a loop over it counts: its variable is the number itself, of a tile where it is over tiles"
    return misuse(c, a, "values", f"cannot take {describe(value)} apart", edit)


def _quantified(c: Context, a: Arguments, decides: bool) -> Value:
    """`any` and `all` of a tuple; a value that is known to be `decides` settles it."""
    values = a["values"]
    name = a.signature.name
    if isinstance(values, TileValue):
        return misuse(
            c, a, "values", "tests the values of a tuple, and is given a tile", f"test its elements: `t.{name}()`"
        )
    made = _tuple(c, a)
    if not isinstance(made, TupleValue):
        return POISON
    found: list[TileValue] = []
    for item in made.items:
        truth = condition(c, item, a.place("values"), f"`{name}(...)`")
        if truth is None:
            return POISON
        if truth is decides:
            return Static(decides)
        if isinstance(truth, TileValue):
            found.append(truth)
    if not found:
        return Static(not decides)
    return reduce(lambda s, t: arithmetic.arithmetic(c, "|" if decides else "&", s, t), found)


def _python_sum(c: Context, a: Arguments) -> Value:
    values = a["values"]
    if isinstance(values, TileValue):
        return misuse(c, a, "values", "adds the values of a tuple, and is given a tile", "reduce the tile: `t.sum()`")
    items = _items(c, a, "values", values)
    if isinstance(items, Poison):
        return POISON
    if items is None:
        return misuse(c, a, "values", f"adds the values of a tuple, not of {describe(values)}")
    result: Value = a["start"]
    for item in items:
        probe = core.BinOp(a.node.place, a.place("values"), "+", a.place("values"))
        result = arithmetic.binary(c, "+", result, item, probe)
    return result


def _sequence(c: Context, a: Arguments, name: str) -> tuple[Value, ...] | None:
    value = a[name]
    made = _tuple(c, Arguments(a.node, a.signature, {"values": value}, {"values": a.place(name)}))
    return made.items if isinstance(made, TupleValue) else None


def _enumerate(c: Context, a: Arguments) -> Value:
    items, start = _sequence(c, a, "values"), a["start"]
    if items is None:
        return POISON
    known = isinstance(start, Static) and isinstance(start.value, int)
    if not known and not (isinstance(start, TileValue) and not start.shape and start.dtype.kind == "int"):
        return misuse(c, a, "start", f"counts from an integer, not from {describe(start)}")
    probe = core.BinOp(a.node.place, a.place("start"), "+", a.place("start"))
    counts = (arithmetic.binary(c, "+", start, Static(i), probe) for i in range(len(items)))
    return TupleValue(tuple(TupleValue(pair) for pair in zip(counts, items, strict=True)))


def _reversed(c: Context, a: Arguments) -> Value:
    values = a["values"]
    if isinstance(values, RangeValue | TilesValue):
        return replace(values, backwards=not values.backwards)
    items = _sequence(c, a, "values")
    return POISON if items is None else TupleValue(items[::-1])


def _zip(c: Context, a: Arguments) -> Value:
    columns: list[tuple[Value, ...]] = []
    for value in a.rest:
        made = _tuple(c, Arguments(a.node, a.signature, {"values": value}, {}))
        if not isinstance(made, TupleValue):
            return POISON
        columns.append(made.items)
    strict = flag_of(c, a["strict"], a.place("strict"), "`strict`")
    if strict and len({len(column) for column in columns}) > 1:
        return misuse(c, a, "", f"pairs tuples of one length, not of {' and '.join(str(len(x)) for x in columns)}")
    return TupleValue(tuple(TupleValue(row) for row in zip(*columns, strict=False)))


def _isinstance(c: Context, a: Arguments) -> Value:
    truth = is_of(a["value"], a["kind"])
    if truth is None:
        both = f"{describe(a['value'])} and {describe(a['kind'])}"
        return misuse(c, a, "kind", f"asks a value for its class, and is given {both}")
    return Static(truth)


def is_of(value: Value, of: Value) -> bool | None:
    """Whether a value is of a class: `Tile` and `Scalar` stand for what is computed. None where that has no meaning."""
    match value:
        case Static(value=host):
            kind = type(host)
        case TileValue():
            kind = Tile if value.shape else Scalar
        case TupleValue():
            kind = value.kind or tuple
        case RecordValue():
            kind = value.kind
        case _:
            return None
    given = static_of(of)
    try:
        return issubclass(kind, cast("type", None if given is None else given[0]))
    except TypeError:
        return None


def _divmod(c: Context, a: Arguments) -> Value:
    probe = core.BinOp(a.node.place, a.place("a"), "//", a.place("b"))
    quotient = arithmetic.binary(c, "//", a["a"], a["b"], probe)
    return TupleValue((quotient, arithmetic.binary(c, "%", a["a"], a["b"], probe)))


PYTHON: Final[dict[object, tuple[Signature, Callable[[Context, Arguments], Value]]]] = {
    range: (Signature("range", (), (), (), "bounds"), partial(counted, static=False)),
    len: (Signature("len", ("value",)), _len),
    builtins.max: (Signature("max", (), (), (), "values"), partial(_python_extremum, larger=True)),
    builtins.min: (Signature("min", (), (), (), "values"), partial(_python_extremum, larger=False)),
    builtins.abs: (Signature("abs", ("x",)), _python_abs),
    builtins.sum: (Signature("sum", ("values", "start"), (), (("start", 0),)), _python_sum),
    int: (Signature("int", ("x",)), partial(_number, dtype=dtypes.i32, kind=int)),
    float: (Signature("float", ("x",)), partial(_number, dtype=dtypes.f32, kind=float)),
    bool: (Signature("bool", ("x",)), partial(_number, dtype=dtypes.bool_, kind=bool)),
    builtins.any: (Signature("any", ("values",)), partial(_quantified, decides=True)),
    builtins.all: (Signature("all", ("values",)), partial(_quantified, decides=False)),
    tuple: (Signature("tuple", ("values",)), _tuple),
    enumerate: (Signature("enumerate", ("values", "start"), (), (("start", 0),)), _enumerate),
    reversed: (Signature("reversed", ("values",)), _reversed),
    zip: (Signature("zip", (), ("strict",), (("strict", False),), "values"), _zip),
    isinstance: (Signature("isinstance", ("value", "kind")), _isinstance),
    breakpoint: (Signature("breakpoint", ()), breakpoint_),
    divmod: (Signature("divmod", ("a", "b")), _divmod),
}
"""Functions of Python that have a meaning in kernels."""
