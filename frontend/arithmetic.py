"""Operators and conversions on values: typing by docs/language.md's rules, and the operations that carry them out."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from types import FunctionType
from typing import Any, Final, cast

from freehold.dialects.cuda_tile.attrs import (
    NEAREST_EVEN,
    ORDERED,
    UNORDERED,
    ComparisonPredicateAttr,
    RoundingModeAttr,
)
from freehold.dialects.cuda_tile.ops.arith_float import (
    AbsFOp,
    AddFOp,
    CmpFOp,
    DivFOp,
    FloorOp,
    FPowFOp,
    MulFOp,
    NegFOp,
    SubFOp,
)
from freehold.dialects.cuda_tile.ops.arith_int import (
    AbsIOp,
    AddIOp,
    AndIOp,
    CmpIOp,
    DivIOp,
    MulIOp,
    NegIOp,
    OrIOp,
    ShlIOp,
    ShrIOp,
    SubIOp,
    XOrIOp,
)
from freehold.dialects.cuda_tile.ops.conversion import ExtIOp, FToFOp, FToIOp, IToFOp, TruncIOp
from freehold.dialects.cuda_tile.ops.shape import BroadcastOp, ReshapeOp
from freehold.frontend import advice, advice_on_values, classes, errors
from freehold.frontend.advice import Advice
from freehold.frontend.context import Context
from freehold.frontend.operands import absent, host_value
from freehold.frontend.syntax import core
from freehold.frontend.syntax.text import primary
from freehold.frontend.types import (
    ARITHMETIC,
    ELEMENTS,
    NARROW_INTS,
    NoCommonDType,
    computable,
    computes,
    promote,
    promote_number,
    purpose,
    signedness,
)
from freehold.frontend.values import (
    POISON,
    Absent,
    Number,
    Poison,
    RecordValue,
    RegionValue,
    Static,
    TensorValue,
    TileValue,
    TupleValue,
    Value,
    describe,
    is_comparable,
    is_number,
    is_poison,
    of_host,
    record_of,
    show_shape,
    static_of,
)
from freehold.support import dtypes
from freehold.support.diagnostic import Error
from freehold.support.dtypes import DType

DOWN: Final = RoundingModeAttr.of("negative_inf")
UP: Final = RoundingModeAttr.of("positive_inf")

_PREDICATES: Final = {
    "<": ComparisonPredicateAttr.of("less_than"),
    "<=": ComparisonPredicateAttr.of("less_than_or_equal"),
    ">": ComparisonPredicateAttr.of("greater_than"),
    ">=": ComparisonPredicateAttr.of("greater_than_or_equal"),
    "==": ComparisonPredicateAttr.of("equal"),
    "!=": ComparisonPredicateAttr.of("not_equal"),
}

_FLOAT_OPS: Final = {"+": AddFOp, "-": SubFOp, "*": MulFOp, "/": DivFOp}
_INT_OPS: Final = {"+": AddIOp, "-": SubIOp, "*": MulIOp}
_BIT_OPS: Final = {"&": AndIOp, "|": OrIOp, "^": XOrIOp}


# --- Tiles of values -------------------------------------------------------------------------------------------------


def as_tile(c: Context, value: Value, node: core.Node, dtype: DType | None = None) -> TileValue | Poison:
    """`value` as a tile: a number becomes a scalar of `dtype`. Reports what is neither tile nor number."""
    match value:
        case TileValue() | Poison():
            return value
        case Static(value=number) if is_number(number):
            number = cast(Number, number)
            return c.constant(number, dtype or dtypes.default_dtype(number), node=node)
        case TensorValue():
            error = errors.TensorAsValue(c.span(node), name=value.name)
            if (other := advice.unread(value)) is not None:
                return c.error(error.add(error.Instead(other)))
            edit = advice.of_tensor(c, value, node)
            return c.error(error.add(error.LoadFirst(edit.text, at=edit.at(c))))
        case RegionValue():
            error = errors.TensorAsValue(c.span(node), name=value.tensor.name)
            edit = f"{c.text(node)}.load()" if isinstance(node, core.Expr) else f"{value.tensor.name}.at(...).load()"
            return c.error(error.add(error.LoadFirst(edit, at=c.span(node))))
        case Absent():
            return absent(c, value, node)
        case _:
            if isinstance(value, Static) and isinstance(node, core.Expr) and not _is_understood(value.value):
                return host_value(c, node, value.value)
            why = "neither a tile nor a number"
            if isinstance(value, Static) and value.value is None:
                why = "stores, and functions without `return`, give `None`"
            error = errors.WrongValue(c.span(node), what=describe(value), role="computed with", why=why)
            edit = advice.of_value(c, value, node)
            return c.error(error if edit is None else error.add(error.Instead(edit.text, at=edit.at(c))))


def _is_understood(value: object) -> bool:
    """Whether a kernel can have a host value, though not compute with it: a text, a function, a class of the user's."""
    return (
        is_comparable(value) or isinstance(value, FunctionType) or (isinstance(value, type) and classes.is_users(value))
    )


def convert(c: Context, value: TileValue, dtype: DType) -> TileValue:
    """`value` with its elements converted as `astype` does."""
    source = value.dtype
    if source is dtype:
        return value
    shape, element = value.shape, ELEMENTS[dtype]
    if dtype.kind == "bool":
        if not computes(source):
            value, source = convert(c, value, computable(source)), computable(source)
        zero = broadcast(c, c.constant(0, source), shape)
        return comparison(c, "!=", value, zero)
    if source.is_float:
        if dtype.is_float:
            if source not in ARITHMETIC and dtype not in ARITHMETIC:
                return convert(c, convert(c, value, dtypes.f32), dtype)
            mode = UP if dtype is dtypes.f8e8m0fnu else NEAREST_EVEN  # which it does not have
            return c.tile(dtype, shape, FToFOp, value, element, mode)
        if source not in ARITHMETIC or dtype in NARROW_INTS:
            return convert(c, convert(c, value, dtypes.f32 if source not in ARITHMETIC else NARROW_INTS[dtype]), dtype)
        return c.tile(dtype, shape, FToIOp, value, element, signedness(dtype))
    if source in NARROW_INTS and (dtype.is_float or dtype.bits > 4):
        wide = NARROW_INTS[source]
        return convert(c, c.tile(wide, shape, ExtIOp, value, ELEMENTS[wide], signedness(source)), dtype)
    if dtype.is_float:
        if dtype not in ARITHMETIC:
            return convert(c, convert(c, value, dtypes.f32), dtype)
        return c.tile(dtype, shape, IToFOp, value, element, signedness(source))
    if source.kind == "bool" and dtype in NARROW_INTS:
        return convert(c, convert(c, value, dtypes.i8), dtype)
    if dtype.bits > source.bits:
        return c.tile(dtype, shape, ExtIOp, value, element, signedness(source))
    if dtype.bits < source.bits:
        return c.tile(dtype, shape, TruncIOp, value, element)
    return TileValue(value.var, dtype, shape)  # the same bits, read with another sign


def broadcast(c: Context, value: TileValue, shape: tuple[int, ...]) -> TileValue:
    """`value` stretched to `shape`, which it must fit."""
    if value.shape == shape:
        return value
    missing = len(shape) - len(value.shape)
    if missing:
        ones = (1,) * missing + value.shape
        value = c.tile(value.dtype, ones, ReshapeOp, value, ones)
    if value.shape == shape:
        return value
    return c.tile(value.dtype, shape, BroadcastOp, value, shape)


def common_shape(a: tuple[int, ...], b: tuple[int, ...]) -> tuple[int, ...] | tuple[int, int, None]:
    """The shape in which two shapes meet; of a pair that does not, its first two extents that differ, and None."""
    if a == b:
        return a
    rank = max(len(a), len(b))
    a, b = (1,) * (rank - len(a)) + a, (1,) * (rank - len(b)) + b
    for m, n in zip(reversed(a), reversed(b), strict=True):
        if m != n and m != 1 and n != 1:
            return m, n, None
    return tuple(n if m == 1 else m for m, n in zip(a, b, strict=True))


def meet_shape(c: Context, a: TileValue, b: TileValue, node: core.Node) -> tuple[int, ...] | None:
    """The common shape of two tiles, or None after reporting that there is none."""
    shape = common_shape(a.shape, b.shape)
    if shape and shape[-1] is None:
        m, n = cast("tuple[int, int, None]", shape)[:2]
        error = errors.NoBroadcast(c.span(node), left=show_shape(a.shape), right=show_shape(b.shape), a=m, b=n)
        longer, shorter = (a, b) if len(a.shape) >= len(b.shape) else (b, a)
        if len(shorter.shape) == 1 and len(longer.shape) == 2 and shorter.shape[0] == longer.shape[0]:
            if isinstance(node, core.BinOp):
                operand = node.left if shorter is a else node.right
            else:
                operand = _operand_of_shape(c, node, shorter.shape)
            if operand is not None:
                error.add(error.Instead(f"add an axis: `{c.primary(operand)}[:, None]`", at=c.span(operand)))
            else:
                error.add(error.Instead("add an axis to the one that has fewer: `[:, None]`"))
        c.error(error)
        return None
    return cast("tuple[int, ...]", shape)


def _operand_of_shape(c: Context, node: core.Node, shape: tuple[int, ...]) -> core.Expr | None:
    """The one operand, or argument, that is a tile of a shape; None where several are."""
    given = (*node.args, *(k.value for k in node.keywords)) if isinstance(node, core.Call) else core.children(node)
    before = len(c.errors)
    found: list[core.Expr] = []
    for e in given:
        value = c.lower(e) if isinstance(e, core.Expr) else None
        if isinstance(value, TileValue) and value.shape == shape:
            found.append(cast("core.Expr", e))
    del c.errors[before:]  # which were found as they were read
    return found[0] if len(found) == 1 else None


def meet_dtype(c: Context, a: Value, b: Value, node: core.Node) -> DType | None:
    """The dtype in which two tiles or numbers meet, or None after reporting that there is none."""
    match a, b:
        case TileValue(), TileValue():
            try:
                return promote(a.dtype, b.dtype)
            except NoCommonDType as e:
                error = errors.NoPromotion(c.span(node), left=str(a.dtype), right=str(b.dtype), why=e.why)
                edit = advice_on_values.of_promotion(c, node, a.dtype, e.target)
                c.error(error.add(error.Convert(edit.text, at=edit.at(c))))
                return None
        case TileValue(), Static(value=number):
            return promote_number(a.dtype, cast(Number, number))
        case Static(value=number), TileValue():
            return promote_number(b.dtype, cast(Number, number))
        case Static(value=x), Static(value=y):
            return max(
                dtypes.default_dtype(cast(Number, x)),
                dtypes.default_dtype(cast(Number, y)),
                key=lambda d: (d.is_float, d.bits),
            )
        case _:
            raise TypeError("neither tiles nor numbers")


def operand(c: Context, value: Value, node: core.Node) -> TileValue | Static | None:
    """`value` where it is a tile or a number, else None after reporting."""
    if isinstance(value, TileValue) or (isinstance(value, Static) and is_number(value.value)):
        return value
    if not isinstance(value, Poison):
        as_tile(c, value, node)
    return None


def meet(
    c: Context, a: Value, b: Value, node: core.Node, dtype: DType | None = None, written: Sequence[core.Node] = ()
) -> tuple[TileValue, TileValue] | None:
    """
    Two operands as tiles of one dtype and shape, or None after reporting why they are not.

    `written` is where they stand, if not where the last two arguments of a call do.
    """
    (left, right), written = sides(node), written or _written(node)
    x, y = operand(c, a, written[0]), operand(c, b, written[1])
    if x is None or y is None:
        return None
    dtype = dtype or meet_dtype(c, x, y, node)
    if dtype is None:
        return None
    if dtype is dtypes.f4e2m1fn and isinstance(x, TileValue) and isinstance(y, TileValue):
        shape = meet_shape(c, x, y, node)  # as it is held in pairs, there is no scalar of it
        if shape is None:
            return None
        x, y = broadcast(c, x, shape), broadcast(c, y, shape)
    s = convert(c, x, dtype) if isinstance(x, TileValue) else None
    t = convert(c, y, dtype) if isinstance(y, TileValue) else None
    # A number is filled into the other's shape at once.
    if s is None:
        with c.at(left):
            s = c.constant(cast(Number, cast(Static, x).value), dtype, t.shape if t else (), written[0])
    if t is None:
        with c.at(right):
            t = c.constant(cast(Number, cast(Static, y).value), dtype, s.shape, written[1])
    shape = meet_shape(c, s, t, node)
    if shape is None:
        return None
    return broadcast(c, s, shape), broadcast(c, t, shape)


def sides(node: core.Node) -> tuple[core.Node, core.Node]:
    """Where the two operands stand, as far as that is one expression each."""
    match node:
        case core.BinOp() | core.Compare():
            return node.left, node.right
        case core.IfExp():
            return node.body, node.orelse
        case _:
            return node, node


def _written(node: core.Node) -> tuple[core.Node, core.Node]:
    """Where the two operands are written: of `maximum` and `where`, the last two arguments."""
    if not isinstance(node, core.Call) or node.keywords or len(node.args) < 2:
        return sides(node)
    return sides(node) if any(isinstance(a, core.Starred) for a in node.args) else (node.args[-2], node.args[-1])


# --- Operators -------------------------------------------------------------------------------------------------------


def binary(c: Context, symbol: str, a: Value, b: Value, node: core.BinOp) -> Value:
    """`a symbol b`."""
    if is_poison(a, b):
        return POISON
    for value, side in zip((a, b), sides(node), strict=True):
        if isinstance(value, Absent):
            return absent(c, value, side)
    x, y = static_of(a), static_of(b)
    if x is not None and y is not None:
        return host(c, symbol, x[0], y[0], node)
    if record_of(a) is not None or record_of(b) is not None or isinstance(a, TupleValue) or isinstance(b, TupleValue):
        made = classes.operator(c, symbol, a, b, node)
        return _tuples(c, symbol, a, b, node) if made is None else made
    left, right = sides(node)
    s, t = operand(c, a, left), operand(c, b, right)
    if s is None or t is None:
        return POISON
    if symbol == "**":
        return _power(c, s, t, node)
    dtype = meet_dtype(c, s, t, node)
    if dtype is None:
        return POISON
    if symbol in ("<<", ">>") and not dtype.is_float:
        dtype = s.dtype if isinstance(s, TileValue) else cast(TileValue, t).dtype
    if (problem := _meaningless(c, symbol, dtype, s, t, node)) is not None:
        return c.error(problem)
    if dtype.kind == "bool" and symbol in ("+", "-", "*", "//", "%", "<<", ">>"):
        dtype = dtypes.i32  # as Python counts: True + True is 2
    pair = meet(c, s, t, node, dtype)
    return POISON if pair is None else weakened(arithmetic(c, symbol, *pair), s, t)


def weakened(made: TileValue, *of: Value) -> TileValue:
    """What was made of some values; if they are numbers alone, or made of such, its dtype is a guess, too."""
    if all(isinstance(v, Static) or (isinstance(v, TileValue) and v.weak) for v in of):
        made.weak = True
    return made


def firm(value: TileValue) -> TileValue:
    """A value whose dtype was asked for, and is no guess."""
    return TileValue(value.var, value.dtype, value.shape) if value.weak else value


def arithmetic(c: Context, symbol: str, s: TileValue, t: TileValue) -> TileValue:
    """An operator on tiles of one dtype, which has a meaning for it, and one shape."""
    dtype, shape = s.dtype, s.shape
    if symbol in _PREDICATES:
        return comparison(c, symbol, s, t)
    if symbol in _BIT_OPS:
        return c.tile(dtype, shape, _BIT_OPS[symbol], s, t)
    if symbol == "<<":
        return c.tile(dtype, shape, ShlIOp, s, t)
    if symbol == ">>":
        return c.tile(dtype, shape, ShrIOp, s, t, signedness(dtype))
    if dtype.is_float:
        if symbol in _FLOAT_OPS:
            return c.tile(dtype, shape, _FLOAT_OPS[symbol], s, t)
        floor = c.tile(dtype, shape, FloorOp, c.tile(dtype, shape, DivFOp, s, t))
        if symbol == "//":
            return floor
    else:
        if symbol in _INT_OPS:
            return c.tile(dtype, shape, _INT_OPS[symbol], s, t)
        rounding = (DOWN,) if dtype.signed else ()
        floor = c.tile(dtype, shape, DivIOp, s, t, signedness(dtype), *rounding)
        if symbol == "//":
            return floor
    # a % b is a - a // b * b: exact in integers even where the product wraps, and what the prover knows of it.
    return arithmetic(c, "-", s, arithmetic(c, "*", floor, t))


def comparison(c: Context, symbol: str, s: TileValue, t: TileValue) -> TileValue:
    """A comparison of tiles of one dtype and shape. With NaN all but `!=` are false, as in Python."""
    predicate = _PREDICATES[symbol]
    if s.dtype.is_float:
        nan = UNORDERED if symbol == "!=" else ORDERED
        return c.tile(dtypes.bool_, s.shape, CmpFOp, predicate, s, t, nan)
    return c.tile(dtypes.bool_, s.shape, CmpIOp, predicate, s, t, signedness(s.dtype))


MOST_BITS: Final = 4096
"""Of an integer that is computed while compiling."""
MOST_ITEMS: Final = 4096
"""Of a tuple or a text that is repeated."""


def host(c: Context, symbol: str, x: object, y: object, node: core.Node) -> Value:
    """An operator on host values, carried out by Python."""
    if symbol == "**" and isinstance(x, int) and isinstance(y, int) and abs(x) > 1 and y > MOST_BITS:
        return c.error(errors.ArithmeticFails(c.span(node), what=f"`{x} ** {y}` is too large a number"))
    if symbol == "<<" and isinstance(y, int) and y > MOST_BITS:
        return c.error(errors.ArithmeticFails(c.span(node), what=f"`{x} << {y}` is too large a number"))
    if symbol == "*":
        for one, other in ((x, y), (y, x)):
            if isinstance(one, tuple | str | bytes) and isinstance(other, int):
                items = len(cast("tuple[object, ...]", one)) * other
                if items > MOST_ITEMS:
                    return _too_long(c, items, node)
    try:
        return of_host(_compute(symbol, x, y))
    except Exception as e:
        if _is_hosts(x) or _is_hosts(y):
            for value, side in zip((x, y), sides(node), strict=True):
                operand(c, Static(value), side)
            return POISON
        shown = f"`{_short(x)} {symbol} {_short(y)}`"
        why = "division by zero" if isinstance(e, ZeroDivisionError) else e  # each Python has other words for it
        return c.error(errors.ArithmeticFails(c.span(node), what=f"{shown} cannot be computed: {why}"))


def _is_hosts(value: object) -> bool:
    """Whether a value is a function, or what the host alone has: there is more to say than what Python says."""
    return callable(value) or not (
        is_comparable(value) or isinstance(value, tuple) or record_of(Static(value)) is not None
    )


def _too_long(c: Context, items: int, node: core.Node) -> Value:
    return c.error(errors.ArithmeticFails(c.span(node), what=f"{items:,} items are too many: at most {MOST_ITEMS:,}"))


def _compute(symbol: str, x: Any, y: Any) -> object:
    """An operator as Python carries it out."""
    match symbol:
        case "+":
            return x + y
        case "-":
            return x - y
        case "*":
            return x * y
        case "/":
            return x / y
        case "//":
            return x // y
        case "%":
            return x % y
        case "**":
            return x**y
        case "<<":
            return x << y
        case ">>":
            return x >> y
        case "&":
            return x & y
        case "|":
            return x | y
        case "^":
            return x ^ y
        case "<":
            return x < y
        case "<=":
            return x <= y
        case ">":
            return x > y
        case ">=":
            return x >= y
        case "==":
            return x == y
        case _:
            return x != y


def _short(value: object) -> str:
    text = str(value) if isinstance(value, DType) else repr(value)
    return text if len(text) <= 40 else text[:37] + "..."


def _tuples(c: Context, symbol: str, a: Value, b: Value, node: core.Node) -> Value:
    if symbol == "+" and isinstance(a, TupleValue) and isinstance(b, TupleValue):
        return TupleValue(a.items + b.items)
    if symbol == "*":
        for one, other in ((a, b), (b, a)):
            if isinstance(one, TupleValue) and isinstance(other, Static) and isinstance(other.value, int):
                if len(one.items) * other.value > MOST_ITEMS:
                    return _too_long(c, len(one.items) * other.value, node)
                return TupleValue(one.items * other.value)
    objects = record_of(a) is not None or record_of(b) is not None
    error = errors.WrongOperands(
        c.span(node),
        operator=symbol,
        operands=f"{describe(a)} and {describe(b)}",
        why="neither class has a method for it" if objects else "tuples are joined with `+` and repeated with `*`",
    )
    sides = (node.left, node.right) if isinstance(node, core.BinOp) and not node.augmented else ()
    for side, value in zip(sides, (a, b), strict=False):
        if isinstance(value, TupleValue) and value.items and not objects:
            error.add(error.Instead(advice.of_tuple(c, side)))
            break
    return c.error(error)


def _meaningless(
    c: Context, symbol: str, dtype: DType, s: TileValue | Static, t: TileValue | Static, node: core.BinOp
) -> Error | None:
    """The error of an operator that has no meaning for a dtype."""
    left, right = node.left, node.right
    if not computes(dtype):
        return uncomputed(c, symbol, dtype, node, left if isinstance(s, TileValue) else right)
    if dtype.is_float and symbol in ("&", "|", "^", "<<", ">>"):
        error = errors.WrongOperands(
            c.span(node), operator=symbol, operands=f"`{dtype}`", why="bits are combined in integers and bools"
        )
        edit = advice.of_bits(c, node) or advice.of_shift(c, node)
        if edit is None and symbol in ("&", "|", "^"):
            truths = [
                f"({c.text(side)})" if isinstance(v, TileValue) and v.dtype.kind == "bool" else f"({c.text(side)} > 0)"
                for v, side in ((s, left), (t, right))
            ]
            edit = Advice(f"compare first: `{f' {symbol} '.join(truths)}`")
        return error if edit is None else error.add(error.Instead(edit.text, at=edit.at(c)))
    if symbol == "/" and not dtype.is_float:
        sign = "//=" if node.augmented else "//"
        whole = f"{primary(c.text(left))} {sign} {primary(c.text(right))}"
        error = errors.IntegerDivision(c.span(node), left=describe(s), right=describe(t))
        tile = left if isinstance(s, TileValue) else right
        floats = f"{c.primary(tile)}.astype(fh.f32)"
        if any(isinstance(v, TileValue) and v.shape for v in (s, t)):
            return error.add(error.Convert(floats, at=c.span(tile)), error.RoundDown(whole))
        return error.add(error.RoundDown(whole, at=c.span(node)), error.Convert(floats))  # a count, most often
    if symbol in ("//", "%") and isinstance(t, Static) and t.value == 0:
        return errors.ArithmeticFails(c.span(node), what="division by zero")
    return None


def uncomputed(c: Context, symbol: str, dtype: DType, node: core.Node, operand: core.Node) -> Error:
    """The error of an operator or function on a dtype without arithmetic."""
    error = errors.WrongOperands(c.span(node), operator=symbol, operands=f"`{dtype}`", why=purpose(dtype))
    text = c.primary(operand) if isinstance(operand, core.Expr) else ""
    at = c.span(operand) if text else None
    return error.add(error.Instead(f"convert first: `{text}.astype(fh.{computable(dtype)})`", at=at))


def _power(c: Context, s: TileValue | Static, t: TileValue | Static, node: core.Node) -> Value:
    """`s ** t`: products for small whole exponents, which are exact, and a power function of floats otherwise."""
    if isinstance(s, TileValue) and isinstance(t, Static) and isinstance(t.value, int) and 0 <= t.value <= 16:
        base = convert(c, s, dtypes.i32) if s.dtype.kind == "bool" else s
        if not computes(base.dtype):
            base = convert(c, base, computable(base.dtype))
        if t.value == 0:
            return broadcast(c, c.constant(1, base.dtype), base.shape)
        result: TileValue | None = None
        exponent = t.value
        while exponent:
            if exponent & 1:
                result = base if result is None else arithmetic(c, "*", result, base)
            exponent >>= 1
            if exponent:
                base = arithmetic(c, "*", base, base)
        assert result is not None
        return result
    dtype = meet_dtype(c, s, t, node)
    if dtype is None:
        return POISON
    if not dtype.is_float or dtype not in ARITHMETIC:
        error = errors.WrongOperands(
            c.span(node),
            operator="**",
            operands=f"{describe(s)} and {describe(t)}",
            why="integers are raised to whole numbers from 0 to 16 that are known at compile time",
        )
        if isinstance(s, TileValue):
            return c.error(error.add(error.Instead("convert the base first: `.astype(f32)`")))
        if s.value == 2 and dtype.kind == "int" and isinstance(node, core.BinOp):
            edit = f"shift a bit: `(1 << {primary(c.text(node.right))})`"
            return c.error(error.add(error.Instead(edit, at=c.span(node))))
        return c.error(error.add(error.Instead("convert the exponent first: `.astype(f32)`")))
    pair = meet(c, s, t, node, dtype)
    return POISON if pair is None else c.tile(dtype, pair[0].shape, FPowFOp, pair[0], pair[1])


def unary(c: Context, symbol: str, value: Value, node: core.Node) -> Value:
    """`-x`, `+x`, `~x`; and `abs` by that name."""
    if isinstance(value, Poison):
        return POISON
    written = (
        node.operand
        if isinstance(node, core.UnaryOp)
        else node.args[0]
        if isinstance(node, core.Call) and node.args
        else node
    )
    known = None if isinstance(value, Absent) else static_of(value)
    if known is not None and not isinstance(value, TupleValue):
        try:
            return Static(_UNARY[symbol](known[0]))
        except Exception as e:
            if _is_hosts(known[0]):
                operand(c, value, written)
                return POISON
            shown = f"abs({_short(known[0])})" if symbol == "abs" else f"{symbol}{_short(known[0])}"
            return c.error(errors.ArithmeticFails(c.span(node), what=f"`{shown}` cannot be computed: {e}"))
    if isinstance(value, RecordValue):
        method = classes.method_of(value, _METHODS[symbol])
        if method is not None and isinstance(node, core.Expr):
            return c.inline(method, (value,), node)
    tile = as_tile(c, value, written)
    if isinstance(tile, Poison):
        return POISON
    dtype, shape = tile.dtype, tile.shape
    if not computes(dtype):
        return c.error(uncomputed(c, symbol, dtype, node, written))
    if dtype.is_float and symbol == "~":
        why = "bits are inverted in integers and bools"
        return c.error(errors.WrongOperands(c.span(node), operator=symbol, operands=describe(tile), why=why))
    if symbol == "~":
        ones = broadcast(c, c.constant(1 if dtype.kind == "bool" else _all_bits(dtype), dtype), shape)
        return c.tile(dtype, shape, XOrIOp, tile, ones)
    if dtype.kind == "bool":
        tile, dtype = convert(c, tile, dtypes.i32), dtypes.i32
    if symbol == "+" or (symbol == "abs" and not dtype.signed):
        return tile
    if symbol == "-":
        return weakened(c.tile(dtype, shape, NegFOp if dtype.is_float else NegIOp, tile), tile)
    return weakened(c.tile(dtype, shape, AbsFOp if dtype.is_float else AbsIOp, tile), tile)


_METHODS: Final = {"-": "__neg__", "+": "__pos__", "~": "__invert__", "abs": "__abs__"}

_UNARY: Final[dict[str, Callable[..., object]]] = {
    "-": operator.neg,
    "+": operator.pos,
    "~": operator.invert,
    "abs": operator.abs,
}


def _all_bits(dtype: DType) -> int:
    return -1 if dtype.signed else (1 << dtype.bits) - 1
