"""Integer and bitwise arithmetic (specification, sections "Integer" and "Bitwise")."""

from __future__ import annotations

from abc import ABC
from typing import ClassVar, Final

from xdsl.ir import SSAValue
from xdsl.irdl import VarConstraint, operand_def, prop_def, result_def, traits_def
from xdsl.traits import NoMemoryEffect, Pure

from freehold.dialects.cuda_tile.attrs import (
    NO_OVERFLOW_FLAG,
    ROUND_ZERO,
    ComparisonPredicateAttr,
    IntegerOverflowAttr,
    RoundingModeAttr,
    SignednessAttr,
)
from freehold.dialects.cuda_tile.constraints import BOOL_TILE, INT_TILE
from freehold.dialects.cuda_tile.op import TileOp, tile_op
from freehold.dialects.cuda_tile.ops.arith_float import comparison_type
from freehold.dialects.cuda_tile.version import V13_2

GROUP: Final = "Integer"
BITWISE: Final = "Bitwise"


class IntBinary(TileOp, ABC):
    """Base of the operations on two integer tiles of one type."""

    T: ClassVar = VarConstraint("T", INT_TILE)
    lhs = operand_def(T)
    rhs = operand_def(T)
    result = result_def(T)
    traits = traits_def(Pure())
    FORMAT: ClassVar[str | None] = "$lhs `,` $rhs attr-dict `:` custom<Ty>(type($result))"

    def __init__(self, lhs: SSAValue, rhs: SSAValue) -> None:
        self._init((lhs, rhs), (lhs.type,))


@tile_op(4, group=BITWISE)
class AndIOp(IntBinary):
    """The bitwise conjunction of two tiles."""

    name = "cuda_tile.andi"


@tile_op(82, group=BITWISE)
class OrIOp(IntBinary):
    """The bitwise disjunction of two tiles."""

    name = "cuda_tile.ori"


@tile_op(108, group=BITWISE)
class XOrIOp(IntBinary):
    """The bitwise exclusive disjunction of two tiles."""

    name = "cuda_tile.xori"


class OverflowBinary(TileOp, ABC):
    """Base of the operations that wrap unless a promise about overflow is made. A broken promise is undefined."""

    T: ClassVar = VarConstraint("T", INT_TILE)
    overflow = prop_def(IntegerOverflowAttr, default_value=NO_OVERFLOW_FLAG)
    lhs = operand_def(T)
    rhs = operand_def(T)
    result = result_def(T)
    traits = traits_def(Pure())
    FORMAT: ClassVar[str | None] = "$lhs `,` $rhs custom<Overflow>($overflow) attr-dict `:` custom<Ty>(type($result))"

    def __init__(self, lhs: SSAValue, rhs: SSAValue, overflow: IntegerOverflowAttr = NO_OVERFLOW_FLAG) -> None:
        self._init((lhs, rhs), (lhs.type,), {"overflow": overflow})


@tile_op(3, group=GROUP)
class AddIOp(OverflowBinary):
    """The sum of two tiles, modulo two to the width."""

    name = "cuda_tile.addi"


@tile_op(104, group=GROUP)
class SubIOp(OverflowBinary):
    """The difference of two tiles, modulo two to the width."""

    name = "cuda_tile.subi"


@tile_op(78, group=GROUP)
class MulIOp(OverflowBinary):
    """The product of two tiles, element by element, modulo two to the width."""

    name = "cuda_tile.muli"


@tile_op(96, group=GROUP)
class ShlIOp(OverflowBinary):
    """`lhs` shifted left by `rhs` bits, which are read as unsigned. A shift by the width or more is not defined."""

    name = "cuda_tile.shli"


class SignedBinary(TileOp, ABC):
    """Base of the operations whose result depends on how the integers are read."""

    T: ClassVar = VarConstraint("T", INT_TILE)
    signedness = prop_def(SignednessAttr)
    lhs = operand_def(T)
    rhs = operand_def(T)
    result = result_def(T)
    traits = traits_def(Pure())
    FORMAT: ClassVar[str | None] = "$lhs `,` $rhs custom<Key>($signedness) attr-dict `:` custom<Ty>(type($result))"

    def __init__(self, lhs: SSAValue, rhs: SSAValue, signedness: SignednessAttr) -> None:
        self._init((lhs, rhs), (lhs.type,), {"signedness": signedness})


@tile_op(70, group=GROUP)
class MaxIOp(SignedBinary):
    """The larger of two elements, read as signed or unsigned."""

    name = "cuda_tile.maxi"


@tile_op(72, group=GROUP)
class MinIOp(SignedBinary):
    """The smaller of two elements, read as signed or unsigned."""

    name = "cuda_tile.mini"


@tile_op(97, group=GROUP)
class ShrIOp(SignedBinary):
    """`lhs` shifted right by `rhs` bits, which are read as unsigned; a signed shift copies the sign bit.

    A shift by the width or more is not defined.
    """

    name = "cuda_tile.shri"


class Division(TileOp, ABC):
    """Base of the division and the remainder: not to be executed where they were not, for a divisor may be zero."""

    T: ClassVar = VarConstraint("T", INT_TILE)
    lhs = operand_def(T)
    rhs = operand_def(T)
    result = result_def(T)
    traits = traits_def(NoMemoryEffect())


@tile_op(90, group=GROUP)
class RemIOp(Division):
    """The remainder of a division whose quotient is truncated; it has the sign of the dividend.

    A divisor of zero is undefined, and so is the least signed integer by -1.
    """

    name = "cuda_tile.remi"
    signedness = prop_def(SignednessAttr)
    FORMAT: ClassVar[str | None] = "$lhs `,` $rhs custom<Key>($signedness) attr-dict `:` custom<Ty>(type($result))"

    def __init__(self, lhs: SSAValue, rhs: SSAValue, signedness: SignednessAttr) -> None:
        self._init((lhs, rhs), (lhs.type,), {"signedness": signedness})


@tile_op(21, group=GROUP)
class DivIOp(Division):
    """The quotient of two tiles, rounded to zero (the default), down (`negative_inf`, signed) or up (`positive_inf`).

    A divisor of zero is undefined, and so is the least signed integer by -1.
    """

    name = "cuda_tile.divi"
    signedness = prop_def(SignednessAttr)
    rounding = prop_def(RoundingModeAttr, default_value=ROUND_ZERO)
    FORMAT: ClassVar[str | None] = (
        "$lhs `,` $rhs custom<Key>($signedness) custom<Round>($rounding) attr-dict `:` custom<Ty>(type($result))"
    )

    def __init__(
        self, lhs: SSAValue, rhs: SSAValue, signedness: SignednessAttr, rounding: RoundingModeAttr = ROUND_ZERO
    ) -> None:
        self._init((lhs, rhs), (lhs.type,), {"signedness": signedness, "rounding": rounding})

    def verify_(self) -> None:
        """Check the rounding against the signedness."""
        mode = self.rounding.data.value
        if mode not in ("zero", "negative_inf", "positive_inf"):
            raise self.fail(f"rounding must be one of zero, negative_inf, positive_inf, got {mode}")
        if mode == "negative_inf" and self.signedness.data.value == "unsigned":
            raise self.fail("rounding negative_inf is for signed division only")


@tile_op(77, group=GROUP)
class MulhiIOp(TileOp):
    """The upper half of the double-width product of two tiles, read as unsigned."""

    name = "cuda_tile.mulhii"
    T: ClassVar = VarConstraint("T", INT_TILE)
    x = operand_def(T)
    y = operand_def(T)
    result = result_def(T)
    traits = traits_def(Pure())
    FORMAT: ClassVar[str | None] = "$x `,` $y attr-dict `:` custom<Ty>(type($result))"

    def __init__(self, x: SSAValue, y: SSAValue) -> None:
        self._init((x, y), (x.type,))


class IntUnary(TileOp, ABC):
    """Base of the operations on one integer tile."""

    T: ClassVar = VarConstraint("T", INT_TILE)
    source = operand_def(T)
    result = result_def(T)
    traits = traits_def(Pure())


@tile_op(1, group=GROUP)
class AbsIOp(IntUnary):
    """The absolute value of each signed element, to be read as unsigned: that of the least integer fits."""

    name = "cuda_tile.absi"
    FORMAT: ClassVar[str | None] = "$source attr-dict `:` custom<Ty>(type($result))"

    def __init__(self, source: SSAValue) -> None:
        self._init((source,), (source.type,))


@tile_op(80, group=GROUP, field_since={"overflow": V13_2})
class NegIOp(IntUnary):
    """Each element negated, modulo two to the width, unless a promise about signed overflow is made."""

    name = "cuda_tile.negi"
    overflow = prop_def(IntegerOverflowAttr, default_value=NO_OVERFLOW_FLAG)
    FORMAT: ClassVar[str | None] = "$source custom<Overflow>($overflow) attr-dict `:` custom<Ty>(type($result))"

    def __init__(self, source: SSAValue, overflow: IntegerOverflowAttr = NO_OVERFLOW_FLAG) -> None:
        self._init((source,), (source.type,), {"overflow": overflow})

    def verify_(self) -> None:
        """Unsigned negation always wraps, so it cannot be promised not to."""
        if self.overflow.data.value == "no_unsigned_wrap":
            raise self.fail("overflow must be one of none, no_signed_wrap, no_wrap, got no_unsigned_wrap")


@tile_op(15, group=GROUP)
class CmpIOp(TileOp):
    """Compares two integer tiles, element by element, read as signed or unsigned."""

    name = "cuda_tile.cmpi"
    T: ClassVar = VarConstraint("T", INT_TILE)
    comparison_predicate = prop_def(ComparisonPredicateAttr)
    signedness = prop_def(SignednessAttr)
    lhs = operand_def(T)
    rhs = operand_def(T)
    result = result_def(BOOL_TILE)
    traits = traits_def(Pure())
    FORMAT: ClassVar[str | None] = (
        "custom<Key>($comparison_predicate) $lhs `,` $rhs `,` custom<Key>($signedness) attr-dict `:`"
        " custom<Ty>(type($lhs)) `->` custom<Ty>(type($result))"
    )

    def __init__(
        self, predicate: ComparisonPredicateAttr | str, lhs: SSAValue, rhs: SSAValue, signedness: SignednessAttr
    ) -> None:
        if isinstance(predicate, str):
            predicate = ComparisonPredicateAttr.of(predicate)
        self._init(
            (lhs, rhs),
            (comparison_type(lhs.type),),
            {"comparison_predicate": predicate, "signedness": signedness},
        )

    def verify_(self) -> None:
        """The result has the operands' shape."""
        if self.result.type != comparison_type(self.lhs.type):
            raise self.fail(f"the result must be {comparison_type(self.lhs.type)}, got {self.result.type}")
