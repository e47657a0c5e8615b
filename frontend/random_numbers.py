"""Random numbers as a function of a seed and a counter: the same in every schedule and on every machine."""

from __future__ import annotations

from typing import Final, cast

from freehold.dialects.cuda_tile.ops.arith_float import MulFOp
from freehold.dialects.cuda_tile.ops.arith_int import AddIOp, MulhiIOp, MulIOp, ShrIOp, XOrIOp
from freehold.frontend import errors
from freehold.frontend.arguments import Arguments
from freehold.frontend.arithmetic import as_tile, broadcast, convert
from freehold.frontend.context import Context
from freehold.frontend.types import signedness
from freehold.frontend.values import POISON, Number, Poison, Static, TileValue, Value, describe, is_number
from freehold.support import dtypes

ROUNDS: Final = 10
MULTIPLIERS: Final = (0xD2511F53, 0xCD9E8D57)
KEY_STEPS: Final = (0x9E3779B9, 0xBB67AE85)
"""Philox4x32-10, by Salmon, Moraes, Dror and Shaw: Parallel random numbers, as easy as 1, 2, 3 (SC 2011)."""

WORD: Final = dtypes.u32
MASK: Final = (1 << 32) - 1


def bits(c: Context, a: Arguments) -> Value:
    """`random_bits`."""
    found = _philox(c, a)
    return POISON if found is None else found


def uniform(c: Context, a: Arguments) -> Value:
    """`random_uniform`."""
    found = _philox(c, a)
    if found is None:
        return POISON
    shape = found.shape
    upper = c.tile(WORD, shape, ShrIOp, found, c.constant(8, WORD, shape), signedness(WORD))
    number = convert(c, upper, dtypes.f32)  # at most 24 bits: exact
    return c.tile(dtypes.f32, shape, MulFOp, number, c.constant(2.0**-24, dtypes.f32, shape))


def _philox(c: Context, a: Arguments) -> TileValue | None:
    """The first of the four words of a counter whose lower half is the given one, and whose upper half is 0."""
    key = _words(c, a, "seed")
    counter = _words(c, a, "counters")
    if key is None or counter is None:
        return None
    if key[0].shape:
        _wrong(c, a, "seed", f"takes one seed, not {describe(a['seed'])}", "give each element a counter of its own")
        return None
    shape = counter[0].shape
    k0, k1 = (broadcast(c, k, shape) for k in key)
    zero = c.constant(0, WORD, shape)
    x0, x1, x2, x3 = (*counter, zero, zero)
    m0, m1 = (c.constant(m, WORD, shape) for m in MULTIPLIERS)
    w0, w1 = KEY_STEPS
    for turn in range(ROUNDS):
        if turn:
            k0, k1 = _step(c, k0, w0), _step(c, k1, w1)
        high0, low0 = _product(c, m0, x0)
        high1, low1 = _product(c, m1, x2)
        x0, x1, x2, x3 = _xor(c, _xor(c, high1, x1), k0), low1, _xor(c, _xor(c, high0, x3), k1), low0
    return x0


def _product(c: Context, a: TileValue, b: TileValue) -> tuple[TileValue, TileValue]:
    return c.tile(WORD, a.shape, MulhiIOp, a, b), c.tile(WORD, a.shape, MulIOp, a, b)


def _xor(c: Context, a: TileValue, b: TileValue) -> TileValue:
    return c.tile(WORD, a.shape, XOrIOp, a, b)


def _step(c: Context, key: TileValue, by: int) -> TileValue:
    return c.tile(WORD, key.shape, AddIOp, key, c.constant(by, WORD, key.shape))


def _words(c: Context, a: Arguments, name: str) -> tuple[TileValue, TileValue] | None:
    """The lower and the upper 32 bits of integers; those of 32 bits or less have none above."""
    value = a[name]
    if isinstance(value, Static) and is_number(value.value) and not isinstance(value.value, float):
        number = int(cast(Number, value.value))
        if -(1 << 63) <= number < 1 << 64:
            wide = not -(1 << 31) <= number < 1 << 32
            return c.constant(number & MASK, WORD), c.constant((number >> 32) & MASK if wide else 0, WORD)
        role = "a seed" if name == "seed" else "counters"
        instead = f"keep its lower 64 bits: `{c.primary(a.place(name))} % 2**64`"
        _wrong(c, a, name, f"takes {role} from -2**63 to 2**64 - 1, not {number}", instead)
        return None
    tile = as_tile(c, value, a.place(name))
    if isinstance(tile, Poison):
        return None
    if tile.dtype.kind != "int":
        _wrong(c, a, name, f"takes integers, not {describe(tile)}", "convert first: `.astype(i32)`")
        return None
    shape = tile.shape
    if tile.dtype.bits <= 32:
        tile = convert(c, tile, dtypes.i32 if tile.dtype.signed else WORD)
        return TileValue(tile.var, WORD, shape), c.constant(0, WORD, shape)
    long = TileValue(tile.var, dtypes.u64, shape)
    shift = c.constant(32, dtypes.u64, shape)
    upper = c.tile(dtypes.u64, shape, ShrIOp, long, shift, signedness(dtypes.u64))
    return convert(c, long, WORD), convert(c, upper, WORD)


def _wrong(c: Context, a: Arguments, name: str, problem: str, instead: str) -> None:
    error = errors.WrongArguments(
        c.span(a.place(name)), function=a.signature.name, problem=problem, signature=a.signature.text
    )
    c.error(error.add(error.Instead(instead)))
