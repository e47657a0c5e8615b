"""`approximate-math`: quotients, roots and exponentials of f32 that are faster and less exact, for `math="fast"`.

- A quotient is approximate. One by a number that is the same for many elements is a product with its reciprocal.
- Square roots are approximate.
- `exp(x)` is `exp2(x * log2(e))`. Of a difference `a - b` in which `b` is the same for many elements, `b` is multiplied
  before it is stretched, so that with `contract-multiply-add` one operation for each element is left of both.
- All of these, `rsqrt` and `exp2` flush subnormal numbers to zero.

What the author rounds in a way of their own, and what is of other types than f32, stays as it is. Bounds of the errors
are in docs/language.md.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import log2
from typing import Final

from xdsl.context import Context
from xdsl.dialects.builtin import Float32Type, ModuleOp, UnitAttr
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.passes import ModulePass

from freehold.dialects.classes import erase, replace_uses
from freehold.dialects.cuda_tile.attrs import FULL, NEAREST_EVEN, RoundingModeAttr
from freehold.dialects.cuda_tile.ops.arith_float import DivFOp, Exp2Op, ExpOp, MulFOp, RsqrtOp, SqrtOp, SubFOp
from freehold.dialects.cuda_tile.ops.shape import BroadcastOp, ConstantOp, ReshapeOp
from freehold.dialects.cuda_tile.types import TileType
from freehold.passes.rewriting import Inserter, walk

_LOG2_E: Final = log2(2.718281828459045)
_APPROX: Final = RoundingModeAttr.of("approx")


@dataclass(frozen=True)
class ApproximateMathPass(ModulePass):
    """Makes quotients, square roots and exponentials of f32 approximate."""

    name = "approximate-math"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Rewrites everywhere in the module."""
        approximate_math(op)


def approximate_math(root: Operation) -> None:
    """Makes quotients, square roots and exponentials of f32 inside `root` approximate, in place."""
    for op in walk(root):
        if not op.results or not _is_f32(op.results[0].type):
            continue
        match op:
            case DivFOp() if op.rounding_mode == NEAREST_EVEN:
                _replace(op, _quotient(op))
            case SqrtOp() if op.rounding_mode == NEAREST_EVEN:
                _replace(op, SqrtOp(op.source, _APPROX, flush_to_zero=True))
            case ExpOp() if op.rounding_mode == FULL:
                _replace(op, Exp2Op(_exponent(op), flush_to_zero=True))
            case RsqrtOp() | Exp2Op():
                op.flush_to_zero = UnitAttr()
            case _:
                pass


def _is_f32(type_: Attribute) -> bool:
    return isinstance(type_, TileType) and isinstance(type_.element_type, Float32Type)


def _replace(op: Operation, new: Operation) -> None:
    found = Inserter(op).insert(new)
    found.results[0].name_hint = op.results[0].name_hint
    replace_uses(op.results[0], found.results[0])
    assert op.parent is not None
    erase(op)


def _quotient(op: DivFOp) -> Operation:
    """A quotient, or the product with a reciprocal where that is computed less often."""
    if (small := _stretched(op.rhs)) is None or isinstance(op.lhs.owner, ConstantOp):
        return DivFOp(op.lhs, op.rhs, _APPROX, flush_to_zero=True)
    at = Inserter(op)
    one = at.value(_filled(small.type, 1.0))
    return MulFOp(op.lhs, _stretch(op.rhs, at.value(DivFOp(one, small, _APPROX, flush_to_zero=True)), at))


def _exponent(op: ExpOp) -> SSAValue:
    """What 2 is raised to instead of e."""
    at, difference = Inserter(op), op.source.owner
    if isinstance(difference, SubFOp) and difference.rounding_mode == NEAREST_EVEN:
        small = _stretched(difference.rhs)
        if small is not None:
            left = at.value(MulFOp(difference.lhs, at.value(_filled(op.result.type, _LOG2_E))))
            right = at.value(MulFOp(small, at.value(_filled(small.type, _LOG2_E))))
            return at.value(SubFOp(left, _stretch(difference.rhs, right, at)))
    return at.value(MulFOp(op.source, at.value(_filled(op.result.type, _LOG2_E))))


def _filled(type_: Attribute, value: float) -> ConstantOp:
    assert isinstance(type_, TileType)
    return ConstantOp.splat(type_, value)


def _stretched(value: SSAValue) -> SSAValue | None:
    """What a tile is a stretched form of, with fewer elements; None for what is none."""
    if not isinstance(value.owner, BroadcastOp):
        return None
    source = value.owner.source
    while isinstance(source.owner, ReshapeOp):
        source = source.owner.source
    return source


def _stretch(like: SSAValue, value: SSAValue, at: Inserter) -> SSAValue:
    """A tile in the shape of one that was stretched, as that was made."""
    owner = like.owner
    if not isinstance(owner, BroadcastOp | ReshapeOp):
        return value
    return at.value(type(owner)(_stretch(owner.source, value, at), owner.result.type.dims))
