"""Matrix products. Sums are accumulated in the accumulator's type, but never below `f32`, in NumPy's order."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from freehold.runtime.interpreter.access import element, keyword
from freehold.runtime.interpreter.elements import Array, Tile, to_f32

if TYPE_CHECKING:
    from xdsl.ir import Operation

    from freehold.runtime.interpreter.compile import Compiler, Function, Pure


def _floats(op: Operation, _: Compiler) -> Function:
    source, target = element(op.operands[0]), element(op.results[0])
    if source.name in ("f32", "f64", "tf32"):

        def direct(a: Array, b: Array, acc: Tile) -> Array:
            product = np.matmul(a, b)
            product += acc
            return product

        return direct

    def widened(a: Array, b: Array, acc: Tile) -> Array:
        product = np.matmul(to_f32(a, source), to_f32(b, source))
        product += acc
        return product.astype(target.dtype, copy=False)

    return widened


def _integers(op: Operation, _: Compiler) -> Function:
    """Sums wrap. Products of bytes are exact in double precision up to 2^37 of them."""
    signs = keyword(op, "signedness_lhs") == "signed", keyword(op, "signedness_rhs") == "signed"

    def product(a: Array, b: Array, acc: Array) -> Array:
        left, right = (x if signed else x.view(np.uint8) for x, signed in zip((a, b), signs, strict=True))
        exact = np.matmul(left.astype(np.float64), right.astype(np.float64)).astype(np.int64)
        return (exact + acc).astype(np.int32)

    return product


def _scaled(op: Operation, _: Compiler) -> Function:
    """Each block of K elements is multiplied by its scale first, which is exact in double precision."""
    inputs, scales = element(op.operands[0]), element(op.operands[3])

    def product(a: Array, b: Array, acc: Array, a_scale: Array, b_scale: Array) -> Array:
        block = a.shape[-1] // a_scale.shape[-1]
        left = to_f32(a, inputs).astype(np.float64)
        right = to_f32(b, inputs).astype(np.float64)
        left *= np.repeat(to_f32(a_scale, scales), block, axis=-1)
        right *= np.repeat(to_f32(b_scale, scales), block, axis=-2)
        return (np.matmul(left, right) + acc).astype(np.float32)

    return product


PURE: Final[dict[str, Pure]] = {
    "cuda_tile.mmaf": _floats,
    "cuda_tile.mmai": _integers,
    "cuda_tile.mmaf_scaled": _scaled,
}
"""The definitions, by name."""
