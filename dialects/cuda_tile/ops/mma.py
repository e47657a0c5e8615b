"""Matrix multiplication (specification, sections "Floating Point" and "Integer")."""

from __future__ import annotations

from abc import ABC
from typing import ClassVar, Final, cast

from xdsl.dialects.builtin import UnitAttr
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import VarConstraint, operand_def, opt_prop_def, prop_def, result_def, traits_def
from xdsl.traits import Pure

from freehold.dialects.cuda_tile.attrs import SIGNED, SignednessAttr
from freehold.dialects.cuda_tile.constraints import I8_TILE, TileOf
from freehold.dialects.cuda_tile.op import TileOp, tile_op
from freehold.dialects.cuda_tile.types import TileType, element_name
from freehold.dialects.cuda_tile.version import V13_3

_INPUTS: Final = TileOf(frozenset({"f16", "bf16", "f32", "f64", "tf32", "f8E4M3FN", "f8E5M2"}))
_ACCUMULATORS: Final = TileOf(frozenset({"f16", "f32", "f64"}))
_SCALED: Final = TileOf(frozenset({"f8E4M3FN", "f8E5M2", "f4E2M1FN"}))
_SCALES: Final = TileOf(frozenset({"f8E4M3FN", "f8E8M0FNU", "fnv8E5M3FNU"}))
_F32: Final = TileOf(frozenset({"f32"}))
_I32: Final = TileOf(frozenset({"i32"}))

MMAF_TYPES: Final = frozenset(
    {
        ("f16", "f16"),
        ("f16", "f32"),
        ("bf16", "f32"),
        ("tf32", "f32"),
        ("f32", "f32"),
        ("f64", "f64"),
        ("f8E4M3FN", "f16"),
        ("f8E4M3FN", "f32"),
        ("f8E5M2", "f16"),
        ("f8E5M2", "f32"),
    }
)
"""The pairs of input and accumulator elements that `mmaf` multiplies."""

SCALE_BLOCKS: Final = {
    ("f8E4M3FN", "f8E8M0FNU"): (32,),
    ("f8E5M2", "f8E8M0FNU"): (32,),
    ("f4E2M1FN", "f8E4M3FN"): (16,),
    ("f4E2M1FN", "f8E8M0FNU"): (16, 32),
    ("f4E2M1FN", "fnv8E5M3FNU"): (16, 32),
}
"""How many elements share a scale, by input and scale element."""


class Mma(TileOp, ABC):
    """Base of the matrix products: `[B]xMxK` by `[B]xKxN` added to `[B]xMxN`."""

    traits = traits_def(Pure())

    def verify_shapes(self) -> tuple[TileType, TileType, TileType]:
        """Ranks and extents fit each other; returns the three types."""
        lhs, rhs, acc = (cast(TileType, operand.type) for operand in self.operands[:3])
        if lhs.element_type != rhs.element_type:
            raise self.fail(f"lhs and rhs must have one element type, got {lhs} and {rhs}")
        if not lhs.rank == rhs.rank == acc.rank or lhs.rank not in (2, 3):
            raise self.fail(f"lhs, rhs and acc must all have rank 2 or all 3, got {lhs}, {rhs} and {acc}")
        if lhs.rank == 3 and not lhs.dims[0] == rhs.dims[0] == acc.dims[0]:
            raise self.fail(f"the batch extents must be equal, got {lhs}, {rhs} and {acc}")
        (m, k), (k2, n), (m2, n2) = lhs.dims[-2:], rhs.dims[-2:], acc.dims[-2:]
        if k != k2:
            raise self.fail(f"lhs has {k} columns but rhs has {k2} rows")
        if (m, n) != (m2, n2):
            raise self.fail(f"acc must be {m} by {n}, got {m2} by {n2}")
        return lhs, rhs, acc


@tile_op(73, group="Floating Point", field_since={"fast_acc": V13_3})
class MmaFOp(Mma):
    """`lhs @ rhs + acc` of floats. The order and precision of the sums are not specified.

    `fast_acc` permits sums of lower precision, where the hardware has such.
    """

    name = "cuda_tile.mmaf"
    T: ClassVar = VarConstraint("T", _ACCUMULATORS)
    fast_acc = opt_prop_def(UnitAttr)
    lhs = operand_def(_INPUTS)
    rhs = operand_def(_INPUTS)
    acc = operand_def(T)
    result = result_def(T)
    FORMAT: ClassVar[str | None] = (
        "$lhs `,` $rhs `,` $acc custom<Flag>($fast_acc) attr-dict `:` custom<Ty>(type($lhs)) `,`"
        " custom<Ty>(type($rhs)) `,` custom<Ty>(type($acc))"
    )

    def __init__(self, lhs: SSAValue, rhs: SSAValue, acc: SSAValue, fast_acc: bool = False) -> None:
        properties: dict[str, Attribute] = {"fast_acc": UnitAttr()} if fast_acc else {}
        self._init((lhs, rhs, acc), (acc.type,), properties)

    def verify_(self) -> None:
        """Shapes fit, and the element types are a supported pair."""
        lhs, _, acc = self.verify_shapes()
        pair = element_name(lhs.element_type), element_name(acc.element_type)
        if pair not in MMAF_TYPES:
            raise self.fail(f"there is no product of {pair[0]} accumulated in {pair[1]}")


@tile_op(74, group="Integer")
class MmaIOp(Mma):
    """`lhs @ rhs + acc` of i8 into i32, each side read as signed or unsigned. Sums wrap."""

    name = "cuda_tile.mmai"
    T: ClassVar = VarConstraint("T", _I32)
    signedness_lhs = prop_def(SignednessAttr)
    signedness_rhs = prop_def(SignednessAttr)
    lhs = operand_def(I8_TILE)
    rhs = operand_def(I8_TILE)
    acc = operand_def(T)
    result = result_def(T)
    FORMAT: ClassVar[str | None] = (
        "$lhs `,` $rhs `,` $acc custom<Key>($signedness_lhs) custom<Key>($signedness_rhs) attr-dict `:`"
        " custom<Ty>(type($lhs)) `,` custom<Ty>(type($rhs)) `,` custom<Ty>(type($acc))"
    )

    def __init__(
        self,
        lhs: SSAValue,
        rhs: SSAValue,
        acc: SSAValue,
        signedness_lhs: SignednessAttr = SIGNED,
        signedness_rhs: SignednessAttr = SIGNED,
    ) -> None:
        self._init((lhs, rhs, acc), (acc.type,), {"signedness_lhs": signedness_lhs, "signedness_rhs": signedness_rhs})

    def verify_(self) -> None:
        """Shapes fit."""
        self.verify_shapes()


@tile_op(114, group="Floating Point", since=V13_3)
class MmaFScaledOp(Mma):
    """`(lhs * lhs_scale) @ (rhs * rhs_scale) + acc`: blocks of K elements share a scale.

    `lhs_scale` is `[B]xMx(K/b)` and `rhs_scale` is `[B]x(K/b)xN`, where b is 16 or 32 by the element types.
    """

    name = "cuda_tile.mmaf_scaled"
    T: ClassVar = VarConstraint("T", _F32)
    lhs = operand_def(_SCALED)
    rhs = operand_def(_SCALED)
    acc = operand_def(T)
    lhs_scale = operand_def(_SCALES)
    rhs_scale = operand_def(_SCALES)
    result = result_def(T)
    FORMAT: ClassVar[str | None] = (
        "$lhs `,` $rhs `,` $acc `,` $lhs_scale `,` $rhs_scale attr-dict `:` custom<Ty>(type($lhs)) `,`"
        " custom<Ty>(type($rhs)) `,` custom<Ty>(type($acc)) `,` custom<Ty>(type($lhs_scale)) `,`"
        " custom<Ty>(type($rhs_scale))"
    )

    def __init__(self, lhs: SSAValue, rhs: SSAValue, acc: SSAValue, lhs_scale: SSAValue, rhs_scale: SSAValue) -> None:
        self._init((lhs, rhs, acc, lhs_scale, rhs_scale), (acc.type,))

    def verify_(self) -> None:
        """Shapes fit, scales included, and the element types are a supported pair."""
        lhs, rhs, _ = self.verify_shapes()
        left, right = cast(TileType, self.lhs_scale.type), cast(TileType, self.rhs_scale.type)
        if left.element_type != right.element_type:
            raise self.fail(f"lhs_scale and rhs_scale must have one element type, got {left} and {right}")
        pair = element_name(lhs.element_type), element_name(left.element_type)
        blocks = SCALE_BLOCKS.get(pair)
        if blocks is None:
            raise self.fail(f"{pair[0]} does not take scales of {pair[1]}")
        k = lhs.dims[-1]
        for block in blocks:
            if k % block == 0:
                steps = k // block
                if left.dims == (*lhs.dims[:-1], steps) and right.dims == (*rhs.dims[:-2], steps, rhs.dims[-1]):
                    return
        sizes = " or ".join(map(str, blocks))
        raise self.fail(
            f"one scale stands for {sizes} elements of K, but the scales are {left} and {right} for K = {k}"
        )
