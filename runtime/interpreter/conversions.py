"""Conversions between element types."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from freehold.runtime.interpreter.access import element, flag, keyword
from freehold.runtime.interpreter.compile import unary
from freehold.runtime.interpreter.elements import Array, Element, Tile, as_numbers, from_exact, to_f64
from freehold.runtime.interpreter.integers import defined
from freehold.runtime.interpreter.machine import clean
from freehold.runtime.interpreter.rounding import convert, round_to
from freehold.support.integers import limits

if TYPE_CHECKING:
    from xdsl.ir import Operation

    from freehold.runtime.interpreter.compile import Compiler, Function, Pure


def _low_bits(numbers: Array, e: Element) -> Tile:
    """The lower bits of integers as a tile of an integer element."""
    if e.name == "i1":
        return (numbers & 1).astype(np.bool_)
    if e.name == "i4":
        return (((numbers & 15) ^ 8).astype(np.int8) - np.int8(8)).astype(np.int8)
    return numbers.astype(e.dtype)


def _extend(op: Operation, _: Compiler) -> Function:
    source, target = element(op.operands[0]), element(op.results[0])
    signed = keyword(op, "signedness") == "signed"
    return unary(lambda a: _low_bits(as_numbers(a, source, signed), target))


def _truncate(op: Operation, c: Compiler) -> Function:
    target = element(op.results[0])
    return defined(op, unary(lambda a: _low_bits(np.asarray(a), target)), c)


def _float_to_float(op: Operation, _: Compiler) -> Function:
    source, target = element(op.operands[0]), element(op.results[0])
    mode = keyword(op, "rounding_mode", "nearest_even")
    return unary(lambda a: convert(a, source, target, mode))


def _float_to_integer(op: Operation, c: Compiler) -> Function:
    """Towards zero. Out of range it clamps and NaN is 0: defined where the operation saturates, a choice otherwise."""
    source, target = element(op.operands[0]), element(op.results[0])
    signed = keyword(op, "signedness") == "signed"
    low, high = limits(target.bits, signed=signed)
    checked = c.checked and not flag(op, "saturating")

    def to_integer(a: Tile) -> Tile:
        values = np.trunc(to_f64(a, source))
        # `high + 1` is a power of two, so that comparing with it is exact even where `high` is no double.
        under, over, nan = values < float(low), values >= float(high + 1), values != values
        if checked and (under | over | nan).any():
            c.undefined(op, f"a value is outside {'signed' if signed else 'unsigned'} {target.name}")
        inside = np.where(under | over | nan, 0.0, values)
        wide = np.int64 if signed else np.uint64
        integers = inside.astype(wide)
        integers = np.where(over, wide(high), np.where(under, wide(low), integers))
        return _low_bits(integers, target)

    return to_integer


def _integer_to_float(op: Operation, _: Compiler) -> Function:
    source, target = element(op.operands[0]), element(op.results[0])
    signed = keyword(op, "signedness") == "signed"
    assert target.format is not None
    form = target.format

    def to_float(a: Tile) -> Tile:
        numbers = as_numbers(a, source, signed)
        if target.name in ("f32", "f64"):
            return numbers.astype(target.dtype)  # C rounds these once
        doubles = numbers.astype(np.float64)
        if source.bits == 64:
            doubles = np.where(np.abs(doubles) >= 2.0**53, _sticky(numbers), doubles)
        return from_exact(round_to(doubles, form), target)

    return to_float


def _sticky(numbers: Array) -> Array:
    """64-bit integers as doubles in which an inexact last bit is odd, so that rounding again is rounding once."""
    negative = numbers < 0
    sizes = np.where(negative, -numbers, numbers).astype(np.uint64)
    low = np.uint64(2047)
    kept = (sizes & ~low) | np.where(sizes & low != 0, np.uint64(2048), np.uint64(0))
    return np.where(negative, -1.0, 1.0) * kept.astype(np.float64)


def _bitcast(op: Operation, _: Compiler) -> Function:
    dtype = element(op.results[0]).dtype
    return unary(lambda a: np.asarray(a).view(dtype))


def _nibbles(tile: Array, e: Element) -> Array:
    return (tile.view(np.uint8) if e.name == "f4E2M1FN" else tile.astype(np.uint8)) & np.uint8(15)


def pack(tile: Array, e: Element) -> Array:
    """The bytes of a rank-1 tile as memory would hold them: little-endian, narrow elements lowest bits first."""
    if e.bits == 1:
        return np.packbits(tile, bitorder="little").view(np.int8)
    if e.bits == 4:
        codes = _nibbles(tile, e)
        return (codes[0::2] | (codes[1::2] << np.uint8(4))).view(np.int8)
    return np.ascontiguousarray(tile).view(np.int8)


def unpack(data: Array, e: Element) -> Array:
    """The elements that bytes hold: the inverse of `pack`, and what a load from memory of these bytes gives."""
    data = np.ascontiguousarray(data)
    if e.bits == 1:
        return np.unpackbits(data.view(np.uint8), bitorder="little").astype(np.bool_)
    if e.bits == 4:
        codes = np.stack([data.view(np.uint8) & np.uint8(15), data.view(np.uint8) >> np.uint8(4)], axis=1).reshape(-1)
        return codes.view(e.dtype) if e.is_float else _low_bits(codes, e)
    return clean(data.view(e.dtype), e)


def _pack(op: Operation, _: Compiler) -> Function:
    e = element(op.operands[0])
    return unary(lambda a: pack(np.asarray(a), e))


def _unpack(op: Operation, _: Compiler) -> Function:
    e = element(op.results[0])
    return unary(lambda a: unpack(np.asarray(a), e))


def _address(_op: Operation, _: Compiler) -> Function:
    """A pointer is its address."""
    return unary(lambda a: a)


PURE: Final[dict[str, Pure]] = {
    "cuda_tile.bitcast": _bitcast,
    "cuda_tile.exti": _extend,
    "cuda_tile.trunci": _truncate,
    "cuda_tile.ftof": _float_to_float,
    "cuda_tile.ftoi": _float_to_integer,
    "cuda_tile.itof": _integer_to_float,
    "cuda_tile.int_to_ptr": _address,
    "cuda_tile.ptr_to_int": _address,
    "cuda_tile.ptr_to_ptr": _address,
    "cuda_tile.pack": _pack,
    "cuda_tile.unpack": _unpack,
}
"""The definitions, by name."""
