"""Arithmetic and conversions with a rounding of the author's choice, and what operators do not say."""

from __future__ import annotations

from typing import Any, Final

from freehold.dialects.cuda_tile.attrs import NEAREST_EVEN, RoundingModeAttr
from freehold.dialects.cuda_tile.ops import arith_float as fl
from freehold.dialects.cuda_tile.ops.arith_int import DivIOp, MulhiIOp, RemIOp
from freehold.dialects.cuda_tile.ops.conversion import FToFOp, FToIOp, ftof_roundings
from freehold.dialects.cuda_tile.ops.shape import SelectOp
from freehold.dialects.cuda_tile.types import element_name
from freehold.frontend import arithmetic, errors
from freehold.frontend.arguments import Arguments, check_pairs, dtype_of, flag_of
from freehold.frontend.arithmetic import as_tile, broadcast, convert
from freehold.frontend.context import Context
from freehold.frontend.intrinsics import Rounding
from freehold.frontend.syntax import core
from freehold.frontend.types import ARITHMETIC, ELEMENTS, computes, signedness
from freehold.frontend.values import POISON, Poison, Static, TileValue, Value, describe
from freehold.support import dtypes
from freehold.support.dtypes import DType

SYMBOLS: Final = {"add": "+", "subtract": "-", "multiply": "*", "divide": "/"}


def spelled(modes: tuple[str, ...]) -> str:
    """Rounding modes as users write them."""
    return ", ".join(f"`fh.{r}`" for r in Rounding if r.value in modes)


def mode_of(c: Context, a: Arguments, what: str, modes: tuple[str, ...], default: str) -> RoundingModeAttr | None:
    """The rounding that a call asks for, of `modes`; None after reporting that it is none of them."""
    value = a["rounding"]
    if isinstance(value, Static) and value.value is None:
        return RoundingModeAttr.of(default)
    if isinstance(value, Static) and isinstance(value.value, Rounding) and value.value.value in modes:
        return RoundingModeAttr.of(value.value.value)
    if not isinstance(value, Poison):
        given = (
            f"`{value.value}`" if isinstance(value, Static) and isinstance(value.value, Rounding) else describe(value)
        )
        error = errors.WrongArguments(
            c.span(a.place("rounding")),
            function=a.signature.name,
            problem=f"does not round {what} by {given}",
            signature=a.signature.text,
        )
        c.error(error.add(error.Instead(f"round by {spelled(modes)}" if modes else "leave out `rounding`")))
    return None


def flush_of(c: Context, a: Arguments, tile: TileValue) -> bool | None:
    """Whether a call asks for subnormal numbers to be taken for zero; None after reporting that it cannot."""
    flush = flag_of(c, a["flush_to_zero"], a.place("flush_to_zero"), "`flush_to_zero`")
    if flush and tile.dtype is not dtypes.f32:
        return _wrong(c, a, "flush_to_zero", f"flushes `f32` only, not `{tile.dtype}`", "leave out `flush_to_zero`")
    return flush


def _wrong(c: Context, a: Arguments, name: str, problem: str, edit: str) -> None:
    error = errors.WrongArguments(
        c.span(a.place(name)), function=a.signature.name, problem=problem, signature=a.signature.text
    )
    c.error(error.add(error.Instead(edit)))


def _pair(c: Context, a: Arguments, symbol: str) -> tuple[TileValue, TileValue] | None:
    """The two operands of a call in one dtype and shape; None after reporting why there is none."""
    if a.poisoned:
        return None
    node = core.BinOp(a.node.place, a.place("x"), symbol, a.place("y"))
    pair = arithmetic.meet(c, a["x"], a["y"], node)
    if pair is None or computes(pair[0].dtype):
        return pair
    c.error(arithmetic.uncomputed(c, a.signature.name, pair[0].dtype, a.node, a.place("x")))
    return None


def _plain(a: Arguments) -> bool:
    """Whether a call asks for nothing that the operator does not do."""
    rounding, flush = a["rounding"], a["flush_to_zero"]
    return isinstance(rounding, Static) and rounding.value is None and isinstance(flush, Static) and not flush.value


def binary(c: Context, a: Arguments, op: Any) -> Value:
    """`add`, `subtract`, `multiply`, `divide`: the operators, rounded as asked."""
    symbol = SYMBOLS[a.signature.name]
    if _plain(a):
        node = core.BinOp(a.node.place, a.place("x"), symbol, a.place("y"))
        return arithmetic.binary(c, symbol, a["x"], a["y"], node)
    pair = _pair(c, a, symbol)
    if pair is None:
        return POISON
    x, y = pair
    if x.dtype.kind == "int" and op is fl.DivFOp:
        return _integer_quotient(c, a, x, y)
    if x.dtype not in ARITHMETIC:
        problem = f"rounds f16, bf16, f32 and f64, not `{x.dtype}`"
        _wrong(c, a, "", problem, "leave out `rounding` and `flush_to_zero`")
        return POISON
    modes = (*op.ROUNDING, *(op.F32_ROUNDING if x.dtype is dtypes.f32 else ()))
    mode, flush = mode_of(c, a, f"`{x.dtype}`", modes, "nearest_even"), flush_of(c, a, x)
    return POISON if mode is None or flush is None else c.tile(x.dtype, x.shape, op, x, y, mode, flush)


def _integer_quotient(c: Context, a: Arguments, x: TileValue, y: TileValue) -> Value:
    mode = mode_of(c, a, "the quotient of integers", ("zero", "negative_inf", "positive_inf"), "zero")
    if mode is None:
        return POISON
    if mode.data.value == "negative_inf" and not x.dtype.signed:
        mode = RoundingModeAttr.of("zero")  # the same, where nothing is below zero
    return c.tile(x.dtype, x.shape, DivIOp, x, y, signedness(x.dtype), mode)


def fmod(c: Context, a: Arguments) -> Value:
    """The remainder of a quotient that is rounded towards zero."""
    pair = _pair(c, a, "%")
    if pair is None:
        return POISON
    x, y = pair
    if x.dtype.is_float:
        return c.tile(x.dtype, x.shape, fl.RemFOp, x, y)
    if x.dtype.kind == "int":
        return c.tile(x.dtype, x.shape, RemIOp, x, y, signedness(x.dtype))
    _wrong(c, a, "", f"divides numbers, not `{x.dtype}`", "convert first: `.astype(f32)`")
    return POISON


def mulhi(c: Context, a: Arguments) -> Value:
    """The upper half of a product: Tile IR's is of unsigned numbers, from which that of signed ones follows."""
    pair = _pair(c, a, "*")
    if pair is None:
        return POISON
    x, y = pair
    if x.dtype.kind != "int":
        _wrong(c, a, "", f"multiplies integers, not `{x.dtype}`", "leave it out: floats keep the upper bits")
        return POISON
    dtype, shape = x.dtype, x.shape
    upper = c.tile(dtype, shape, MulhiIOp, x, y)
    if not dtype.signed:
        return upper
    # As an unsigned number, a negative x is larger by 2 to the width: its product's upper half is larger by y.
    zero = c.constant(0, dtype, shape)
    for p, q in ((x, y), (y, x)):
        below = arithmetic.comparison(c, "<", p, zero)
        surplus = c.tile(dtype, shape, SelectOp, below, q, zero)
        upper = arithmetic.arithmetic(c, "-", upper, surplus)
    return upper


def powi(c: Context, a: Arguments) -> Value:
    """A float raised to a whole number."""
    x, n = as_tile(c, a["x"], a.place("x"), dtypes.f32), as_tile(c, a["n"], a.place("n"))
    if isinstance(x, Poison) or isinstance(n, Poison):
        return POISON
    if x.dtype not in ARITHMETIC:
        _wrong(c, a, "x", f"raises f16, bf16, f32 and f64, not `{x.dtype}`", "`.astype(f32)`")
        return POISON
    if n.dtype.kind != "int" or n.dtype.bits > 32 or n.dtype is dtypes.u32 or not computes(n.dtype):
        _wrong(c, a, "n", f"raises to integers of 32 bits, not to `{n.dtype}`", "`.astype(i32)`")
        return POISON
    shape = arithmetic.meet_shape(c, x, n, a.node)
    if shape is None:
        return POISON
    x, n = broadcast(c, x, shape), broadcast(c, convert(c, n, dtypes.i32), shape)
    return c.tile(x.dtype, shape, fl.FPowIOp, x, n)


def astype(c: Context, a: Arguments) -> Value:
    """`.astype(dtype)`: rounded or saturated as asked."""
    tile, dtype = as_tile(c, a["x"], a.place("x")), dtype_of(c, a["dtype"], a.place("dtype"))
    saturate = flag_of(c, a["saturate"], a.place("saturate"), "`saturate`")
    if isinstance(tile, Poison) or dtype is None or saturate is None or not check_pairs(c, dtype, tile.shape, a.node):
        return POISON
    rounding = a["rounding"]
    plain = isinstance(rounding, Static) and rounding.value is None
    floats = tile.dtype.is_float and dtype.is_float and tile.dtype is not dtype
    if not plain:
        modes = (
            tuple(sorted(ftof_roundings(*(element_name(ELEMENTS[d]) for d in (tile.dtype, dtype))))) if floats else ()
        )
        mode = mode_of(c, a, f"`{tile.dtype}` to `{dtype}`", modes, "nearest_even")
        if mode is None:
            return POISON
        # Nothing is rounded where all values fit, and the assembler crashes on some roundings of them.
        mode = NEAREST_EVEN if _holds(dtype, tile.dtype) else mode
        return c.tile(dtype, tile.shape, FToFOp, tile, ELEMENTS[dtype], mode)
    if saturate:
        if not tile.dtype.is_float or dtype.kind != "int" or not computes(dtype):
            problem = f"saturates floats that become integers, not `{tile.dtype}` that becomes `{dtype}`"
            _wrong(c, a, "saturate", problem, "leave out `saturate`")
            return POISON
        tile = tile if tile.dtype in ARITHMETIC else convert(c, tile, dtypes.f32)
        return c.tile(dtype, tile.shape, FToIOp, tile, ELEMENTS[dtype], signedness(dtype), saturating=True)
    return arithmetic.firm(convert(c, tile, dtype))


def _holds(target: DType, source: DType) -> bool:
    """Whether a float dtype has all values of a narrower one."""
    return target.bits > source.bits and target.signed and (source.signed or target is not dtypes.f16)
