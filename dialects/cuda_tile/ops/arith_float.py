"""Floating-point arithmetic and mathematics (specification, section "Floating Point")."""

from __future__ import annotations

from abc import ABC
from typing import ClassVar, Final, cast

from xdsl.dialects.builtin import Float32Type, UnitAttr, i1
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import VarConstraint, operand_def, opt_prop_def, prop_def, result_def, traits_def
from xdsl.traits import Pure

from freehold.dialects.cuda_tile.attrs import (
    FULL,
    NEAREST_EVEN,
    ORDERED,
    ComparisonOrderingAttr,
    ComparisonPredicateAttr,
    RoundingModeAttr,
)
from freehold.dialects.cuda_tile.constraints import BOOL_TILE, FLOAT_TILE, TileOf
from freehold.dialects.cuda_tile.op import TileOp, tile_op
from freehold.dialects.cuda_tile.types import TileType, tile
from freehold.dialects.cuda_tile.version import V13_2, V13_3, V13_4, Version

GROUP: Final = "Floating Point"
IEEE_ROUNDING: Final = ("nearest_even", "zero", "negative_inf", "positive_inf")


def _is_f32(type_: Attribute) -> bool:
    return isinstance(type_, TileType) and isinstance(type_.element_type, Float32Type)


class FloatOp(TileOp, ABC):
    """Base of the float operations: the rules on rounding and flushing that they share."""

    ROUNDING: ClassVar[tuple[str, ...]] = ()
    """The rounding modes every element type takes."""
    F32_ROUNDING: ClassVar[tuple[str, ...]] = ()
    """The rounding modes that only f32 takes besides."""

    def verify_(self) -> None:
        """Check rounding and flushing against the element type."""
        rounding = self.properties.get("rounding_mode")
        f32 = _is_f32(self.results[0].type)
        if isinstance(rounding, RoundingModeAttr):
            mode = rounding.data.value
            if mode not in self.ROUNDING:
                if mode not in self.F32_ROUNDING:
                    allowed = ", ".join((*self.ROUNDING, *self.F32_ROUNDING))
                    raise self.fail(f"rounding must be one of {allowed}, got {mode}")
                if not f32:
                    raise self.fail(f"rounding {mode} is for f32 only")
        if "flush_to_zero" in self.properties and not f32:
            raise self.fail("flush_to_zero is for f32 only")


def _flags(**flags: bool) -> dict[str, Attribute]:
    return {name: UnitAttr() for name, present in flags.items() if present}


class FloatUnary(FloatOp, ABC):
    """Base of the operations on one tile of f16, bf16, f32 or f64, element by element."""

    T: ClassVar = VarConstraint("T", FLOAT_TILE)
    source = operand_def(T)
    result = result_def(T)
    traits = traits_def(Pure())
    FORMAT: ClassVar[str | None] = "$source attr-dict `:` custom<Ty>(type($result))"

    def __init__(self, source: SSAValue) -> None:
        self._init((source,), (source.type,))


@tile_op(0, group=GROUP)
class AbsFOp(FloatUnary):
    """The absolute value of each element: the sign bit is cleared, of NaN too."""

    name = "cuda_tile.absf"


@tile_op(13, group=GROUP)
class CeilOp(FloatUnary):
    """Each element rounded up to an integer."""

    name = "cuda_tile.ceil"


@tile_op(18, group=GROUP)
class CosOp(FloatUnary):
    """The cosine of each element, in radians, with a small error that is not specified."""

    name = "cuda_tile.cos"


@tile_op(19, group=GROUP)
class CoshOp(FloatUnary):
    """The hyperbolic cosine of each element, with a small error that is not specified."""

    name = "cuda_tile.cosh"


@tile_op(39, group=GROUP)
class FloorOp(FloatUnary):
    """Each element rounded down to an integer."""

    name = "cuda_tile.floor"


@tile_op(63, group=GROUP)
class LogOp(FloatUnary):
    """The natural logarithm of each element, with a small error that is not specified."""

    name = "cuda_tile.log"


@tile_op(64, group=GROUP)
class Log2Op(FloatUnary):
    """The logarithm to base 2 of each element, with a small error that is not specified."""

    name = "cuda_tile.log2"


@tile_op(79, group=GROUP)
class NegFOp(FloatUnary):
    """Each element negated: the sign bit is flipped, of NaN too."""

    name = "cuda_tile.negf"


@tile_op(98, group=GROUP)
class SinOp(FloatUnary):
    """The sine of each element, in radians, with a small error that is not specified."""

    name = "cuda_tile.sin"


@tile_op(99, group=GROUP)
class SinhOp(FloatUnary):
    """The hyperbolic sine of each element, with a small error that is not specified."""

    name = "cuda_tile.sinh"


@tile_op(105, group=GROUP)
class TanOp(FloatUnary):
    """The tangent of each element, in radians, with a small error that is not specified."""

    name = "cuda_tile.tan"


class FullOrApprox(FloatUnary, ABC):
    """Base of the functions that are computed in full precision or, for f32, approximately."""

    ROUNDING: ClassVar[tuple[str, ...]] = ("full",)
    F32_ROUNDING: ClassVar[tuple[str, ...]] = ("approx",)
    rounding_mode = prop_def(RoundingModeAttr, default_value=FULL)
    FORMAT: ClassVar[str | None] = "$source custom<Round>($rounding_mode) attr-dict `:` custom<Ty>(type($result))"

    def __init__(self, source: SSAValue, rounding_mode: RoundingModeAttr = FULL) -> None:
        self._init((source,), (source.type,), {"rounding_mode": rounding_mode})


@tile_op(23, group=GROUP, field_since={"rounding_mode": V13_3})
class ExpOp(FullOrApprox):
    """e raised to each element. `rounding<approx>`, for f32 only, is faster and less exact."""

    name = "cuda_tile.exp"


@tile_op(106, group=GROUP, field_since={"rounding_mode": V13_2})
class TanhOp(FullOrApprox):
    """The hyperbolic tangent of each element. `rounding<approx>`, for f32 only, is faster and less exact."""

    name = "cuda_tile.tanh"


class FlushUnary(FloatUnary, ABC):
    """Base of the functions of f32 that may flush subnormal inputs and results to zero."""

    flush_to_zero = opt_prop_def(UnitAttr)
    FORMAT: ClassVar[str | None] = "$source custom<Flag>($flush_to_zero) attr-dict `:` custom<Ty>(type($result))"

    def __init__(self, source: SSAValue, flush_to_zero: bool = False) -> None:
        self._init((source,), (source.type,), _flags(flush_to_zero=flush_to_zero))


@tile_op(24, group=GROUP)
class Exp2Op(FlushUnary):
    """2 raised to each element. `flush_to_zero` is for f32 only."""

    name = "cuda_tile.exp2"


@tile_op(93, group=GROUP)
class RsqrtOp(FlushUnary):
    """One divided by the square root of each element. `flush_to_zero` is for f32 only."""

    name = "cuda_tile.rsqrt"


@tile_op(100, group=GROUP)
class SqrtOp(FloatUnary):
    """The square root of each element, rounded as asked; `approx` and `flush_to_zero` are for f32 only."""

    name = "cuda_tile.sqrt"
    ROUNDING: ClassVar[tuple[str, ...]] = IEEE_ROUNDING
    F32_ROUNDING: ClassVar[tuple[str, ...]] = ("approx",)
    rounding_mode = prop_def(RoundingModeAttr, default_value=NEAREST_EVEN)
    flush_to_zero = opt_prop_def(UnitAttr)
    FORMAT: ClassVar[str | None] = (
        "$source custom<Round>($rounding_mode) custom<Flag>($flush_to_zero) attr-dict `:` custom<Ty>(type($result))"
    )

    def __init__(
        self, source: SSAValue, rounding_mode: RoundingModeAttr = NEAREST_EVEN, flush_to_zero: bool = False
    ) -> None:
        properties = _flags(flush_to_zero=flush_to_zero)
        properties["rounding_mode"] = rounding_mode
        self._init((source,), (source.type,), properties)


class RoundedBinary(FloatOp, ABC):
    """Base of the exact operations on two tiles, rounded once."""

    T: ClassVar = VarConstraint("T", FLOAT_TILE)
    ROUNDING: ClassVar[tuple[str, ...]] = IEEE_ROUNDING
    rounding_mode = prop_def(RoundingModeAttr, default_value=NEAREST_EVEN)
    flush_to_zero = opt_prop_def(UnitAttr)
    lhs = operand_def(T)
    rhs = operand_def(T)
    result = result_def(T)
    traits = traits_def(Pure())
    FORMAT: ClassVar[str | None] = (
        "$lhs `,` $rhs custom<Round>($rounding_mode) custom<Flag>($flush_to_zero) attr-dict `:`"
        " custom<Ty>(type($result))"
    )

    def __init__(
        self,
        lhs: SSAValue,
        rhs: SSAValue,
        rounding_mode: RoundingModeAttr = NEAREST_EVEN,
        flush_to_zero: bool = False,
    ) -> None:
        properties: dict[str, Attribute] = {"rounding_mode": rounding_mode}
        if flush_to_zero:
            properties["flush_to_zero"] = UnitAttr()
        self._init((lhs, rhs), (lhs.type,), properties)


@tile_op(2, group=GROUP)
class AddFOp(RoundedBinary):
    """The sum of two tiles, rounded as asked. `flush_to_zero` is for f32 only."""

    name = "cuda_tile.addf"


@tile_op(103, group=GROUP)
class SubFOp(RoundedBinary):
    """The difference of two tiles, rounded as asked. `flush_to_zero` is for f32 only."""

    name = "cuda_tile.subf"


@tile_op(76, group=GROUP)
class MulFOp(RoundedBinary):
    """The product of two tiles, element by element, rounded as asked. `flush_to_zero` is for f32 only."""

    name = "cuda_tile.mulf"


@tile_op(20, group=GROUP)
class DivFOp(RoundedBinary):
    """The quotient of two tiles, rounded as asked. `approx`, `full` and `flush_to_zero` are for f32 only."""

    name = "cuda_tile.divf"
    F32_ROUNDING: ClassVar[tuple[str, ...]] = ("approx", "full")


@tile_op(40, group=GROUP)
class FmaOp(FloatOp):
    """`lhs * rhs + acc`, element by element, rounded once. `flush_to_zero` is for f32 only."""

    name = "cuda_tile.fma"
    T: ClassVar = VarConstraint("T", FLOAT_TILE)
    ROUNDING: ClassVar[tuple[str, ...]] = IEEE_ROUNDING
    rounding_mode = prop_def(RoundingModeAttr, default_value=NEAREST_EVEN)
    flush_to_zero = opt_prop_def(UnitAttr)
    lhs = operand_def(T)
    rhs = operand_def(T)
    acc = operand_def(T)
    result = result_def(T)
    traits = traits_def(Pure())
    FORMAT: ClassVar[str | None] = (
        "$lhs `,` $rhs `,` $acc custom<Round>($rounding_mode) custom<Flag>($flush_to_zero) attr-dict `:`"
        " custom<Ty>(type($result))"
    )

    def __init__(
        self,
        lhs: SSAValue,
        rhs: SSAValue,
        acc: SSAValue,
        rounding_mode: RoundingModeAttr = NEAREST_EVEN,
        flush_to_zero: bool = False,
    ) -> None:
        properties = _flags(flush_to_zero=flush_to_zero)
        properties["rounding_mode"] = rounding_mode
        self._init((lhs, rhs, acc), (acc.type,), properties)


class FloatMinMax(FloatOp, ABC):
    """Base of `maxf` and `minf`."""

    T: ClassVar = VarConstraint("T", FLOAT_TILE)
    propagate_nan = opt_prop_def(UnitAttr)
    flush_to_zero = opt_prop_def(UnitAttr)
    lhs = operand_def(T)
    rhs = operand_def(T)
    result = result_def(T)
    traits = traits_def(Pure())
    FORMAT: ClassVar[str | None] = (
        "$lhs `,` $rhs custom<NanFtz>($flush_to_zero, $propagate_nan) attr-dict `:` custom<Ty>(type($result))"
    )

    def __init__(self, lhs: SSAValue, rhs: SSAValue, propagate_nan: bool = False, flush_to_zero: bool = False) -> None:
        self._init((lhs, rhs), (lhs.type,), _flags(propagate_nan=propagate_nan, flush_to_zero=flush_to_zero))


@tile_op(69, group=GROUP)
class MaxFOp(FloatMinMax):
    """The larger of two elements; -0 is below +0.

    A NaN loses to a number unless `propagate_nan` is set. `flush_to_zero` is for f32 only.
    """

    name = "cuda_tile.maxf"


@tile_op(71, group=GROUP)
class MinFOp(FloatMinMax):
    """The smaller of two elements; -0 is below +0.

    A NaN loses to a number unless `propagate_nan` is set. `flush_to_zero` is for f32 only.
    """

    name = "cuda_tile.minf"


@tile_op(89, group=GROUP)
class RemFOp(FloatOp):
    """The remainder of a division whose quotient is truncated; it has the sign of the dividend."""

    name = "cuda_tile.remf"
    T: ClassVar = VarConstraint("T", FLOAT_TILE)
    lhs = operand_def(T)
    rhs = operand_def(T)
    result = result_def(T)
    traits = traits_def(Pure())
    FORMAT: ClassVar[str | None] = "$lhs `,` $rhs attr-dict `:` custom<Ty>(type($result))"

    def __init__(self, lhs: SSAValue, rhs: SSAValue) -> None:
        self._init((lhs, rhs), (lhs.type,))


@tile_op(84, group=GROUP)
class FPowFOp(FloatOp):
    """`source` raised to `exponent`, element by element. Text of 13.1 to 13.3 calls it `pow`, which is read too."""

    name = "cuda_tile.fpowf"
    RENAMED: ClassVar[tuple[str, Version] | None] = ("pow", V13_4)
    T: ClassVar = VarConstraint("T", FLOAT_TILE)
    source = operand_def(T)
    exponent = operand_def(T)
    result = result_def(T)
    traits = traits_def(Pure())
    FORMAT: ClassVar[str | None] = "$source `,` $exponent attr-dict `:` custom<Ty>(type($result))"

    def __init__(self, source: SSAValue, exponent: SSAValue) -> None:
        self._init((source, exponent), (source.type,))


@tile_op(110, group=GROUP, since=V13_2)
class Atan2Op(FloatOp):
    """The angle of the point with ordinate `x` and abscissa `y`, in radians: the arc tangent of `x / y` by quadrant."""

    name = "cuda_tile.atan2"
    T: ClassVar = VarConstraint("T", FLOAT_TILE)
    x = operand_def(T)
    y = operand_def(T)
    result = result_def(T)
    traits = traits_def(Pure())
    FORMAT: ClassVar[str | None] = "$x `,` $y attr-dict `:` custom<Ty>(type($result))"

    def __init__(self, x: SSAValue, y: SSAValue) -> None:
        self._init((x, y), (x.type,))


@tile_op(121, group=GROUP, since=V13_4)
class FPowIOp(FloatOp):
    """`source` raised to a signed integer, element by element. The exponent is i1 to i32, of the same shape."""

    name = "cuda_tile.fpowi"
    T: ClassVar = VarConstraint("T", FLOAT_TILE)
    source = operand_def(T)
    exponent = operand_def(TileOf(frozenset({"i1", "i8", "i16", "i32"})))
    result = result_def(T)
    traits = traits_def(Pure())
    FORMAT: ClassVar[str | None] = (
        "$source `,` $exponent attr-dict `:` custom<Ty>(type($source)) `,` custom<Ty>(type($exponent))"
    )

    def __init__(self, source: SSAValue, exponent: SSAValue) -> None:
        self._init((source, exponent), (source.type,))

    def verify_(self) -> None:
        """Base and exponent have one shape."""
        base, exponent = cast(TileType, self.source.type), cast(TileType, self.exponent.type)
        if base.dims != exponent.dims:
            raise self.fail(f"source and exponent must have the same shape, got {base} and {exponent}")


def comparison_type(operand: Attribute) -> TileType:
    """The i1 tile of an operand's shape."""
    return tile(cast(TileType, operand).dims, i1)


@tile_op(14, group=GROUP)
class CmpFOp(FloatOp):
    """Compares two tiles, element by element: `ordered` is false where either is NaN, `unordered` true."""

    name = "cuda_tile.cmpf"
    T: ClassVar = VarConstraint("T", FLOAT_TILE)
    comparison_predicate = prop_def(ComparisonPredicateAttr)
    comparison_ordering = prop_def(ComparisonOrderingAttr)
    lhs = operand_def(T)
    rhs = operand_def(T)
    result = result_def(BOOL_TILE)
    traits = traits_def(Pure())
    FORMAT: ClassVar[str | None] = (
        "custom<Key>($comparison_predicate) custom<Key>($comparison_ordering) $lhs `,` $rhs attr-dict `:`"
        " custom<Ty>(type($lhs)) `->` custom<Ty>(type($result))"
    )

    def __init__(
        self,
        predicate: ComparisonPredicateAttr | str,
        lhs: SSAValue,
        rhs: SSAValue,
        ordering: ComparisonOrderingAttr = ORDERED,
    ) -> None:
        if isinstance(predicate, str):
            predicate = ComparisonPredicateAttr.of(predicate)
        self._init(
            (lhs, rhs),
            (comparison_type(lhs.type),),
            {"comparison_predicate": predicate, "comparison_ordering": ordering},
        )

    def verify_(self) -> None:
        """The result has the operands' shape."""
        if self.result.type != comparison_type(self.lhs.type):
            raise self.fail(f"the result must be {comparison_type(self.lhs.type)}, got {self.result.type}")
